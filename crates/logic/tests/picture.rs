//! Pictures of automata.

use elnath_logic::automaton::Automaton;
use elnath_logic::derivative::{Alphabet, Derivatives, EmptyWord};
use elnath_logic::finite::Dfa;
use elnath_logic::formula::Formulas;
use elnath_logic::hoa::read;
use elnath_logic::parse::{Syntax, parse_text};
use elnath_logic::picture::Picture;
use elnath_source::SourceText;

fn automaton(text: &str) -> Automaton {
    read(&SourceText::new("a.hoa", text), 0).expect("an automaton").automaton
}

fn finite(text: &str, alphabet: Alphabet) -> Dfa {
    let mut formulas = Formulas::new();
    let f = parse_text(&mut formulas, text, Syntax::default()).expect("a formula").formula;
    let mut lazy =
        Derivatives::new(&formulas, f, alphabet, EmptyWord::ByDefinition).expect("few propositions");
    lazy.dfa(1000).expect("small").minimised()
}

#[test]
fn marks_on_edges_are_numbers_in_discs() {
    let a = automaton(
        "HOA: v1 Start: 0 AP: 2 \"p\" \"x \\\"\" Acceptance: 2 Inf(0)&Inf(1)
         --BODY-- State: 0 [0&!1] 1 {0 1} [0&1] 1 [!0] 0 {1} State: 1 [t] 0 --END--",
    );
    let expected = r#"digraph automaton {
  rankdir=LR;
  start [shape=none, label="", width=0];
  node [shape=circle];
  0 [label="0"];
  1 [label="1"];
  start -> 0;
  0 -> 1 [label="p & !\"x \"\" ⓿❶\np & \"x \"\""];
  0 -> 0 [label="!p ❶"];
  1 -> 0 [label="true"];
}
"#;
    assert_eq!(Picture::of(&a).dot(), expected);
    let svg = Picture::of(&a).svg();
    assert_eq!((svg.matches("<circle").count(), svg.matches("<path d").count()), (2 + 3, 1 + 4));
    assert!(svg.contains(">p &amp; !\"x \"\"</text>"), "{svg}");
}

#[test]
fn accepting_states_are_double() {
    let a = automaton(
        "HOA: v1 Start: 0 AP: 1 \"p\" Acceptance: 1 Inf(0) --BODY-- State: 0 [0] 1 [!0] 0 State: 1 {0} [t] 1 --END--",
    );
    let dot = Picture::of(&a).dot();
    assert!(dot.contains("1 [label=\"1\", shape=doublecircle];") && !dot.contains('❶'), "{dot}");
    let dfa = finite("G(a -> X(!a U b))", Alphabet::Actions);
    let dot = Picture::of_finite(&dfa).dot();
    // Of actions the names are enough.
    assert!(dot.contains("0 -> 0 [label=\"!a\"];") && dot.contains("1 -> 0 [label=\"b\"];"), "{dot}");
    assert_eq!(Picture::of_finite(&dfa).svg().matches("<circle").count(), 4 + 2);
}

/// The boxes that words take must not overlap, nor lie on circles: this is what makes a picture legible.
#[test]
fn words_keep_clear_of_each_other_and_of_circles() {
    let formulas = [
        "G(a -> X(!a U b))",
        "(F a) U (G b)",
        "F(a & X F(b & X F c))",
        "G(a -> F b) & G(b -> F c)",
        "(a U (b U c)) | (b U (c U a)) | (c U (a U b))",
        "F a & F b & F c & F d",
        "!p W (p W (!p W (p W G !p)))",
        "G((q & F r) -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U r))))))",
    ];
    // So long that it is drawn from top to bottom.
    let chain = (0..14).rev().fold("G p14".to_owned(), |rest, i| format!("F(p{i} & !p{} & X {rest})", i + 1));
    for text in formulas.into_iter().chain([&*chain]) {
        let dfa = finite(text, Alphabet::Sets);
        let svg = Picture::of_finite(&dfa).svg();
        assert_eq!(svg.contains("anchor:start"), text == chain, "{text}");
        let mut boxes: Vec<(f64, f64, f64, f64)> = Vec::new();
        for line in svg.lines() {
            let number = |name: &str| -> f64 {
                let from = line.find(name).expect("an attribute") + name.len();
                line[from..].split('"').next().and_then(|n| n.parse().ok()).expect("a number")
            };
            if line.starts_with("<text") {
                let words = line.split(['>', '<']).nth(2).expect("words").replace("&amp;", "&");
                // The names of states lie on their circles.
                if words.parse::<u32>().is_err() {
                    let (x, y, wide) = (number(" x=\""), number(" y=\""), words.chars().count() as f64 * 7.0);
                    let left = if line.contains("anchor:start") { x } else { x - wide / 2.0 };
                    boxes.push((left, y - 11.0, left + wide, y + 2.0));
                }
            } else if line.starts_with("<circle") && line.contains("r=\"17\"") {
                let (x, y) = (number("cx=\""), number("cy=\""));
                boxes.push((x - 17.0, y - 17.0, x + 17.0, y + 17.0));
            }
        }
        assert!(boxes.len() > dfa.states());
        for (i, a) in boxes.iter().enumerate() {
            for b in &boxes[i + 1..] {
                let apart = a.2 <= b.0 || b.2 <= a.0 || a.3 <= b.1 || b.3 <= a.1;
                assert!(apart, "{text}: {a:?} and {b:?}");
            }
        }
    }
}

#[test]
fn nothing_and_unreachable_states_can_be_drawn() {
    let mut nothing = automaton("HOA: v1 Acceptance: 0 t --BODY-- State: 0 [t] 0 State: 1 [t] 0 --END--");
    let svg = Picture::of(&nothing).svg();
    assert_eq!(svg.matches("<circle").count(), 3);
    nothing.edges.clear();
    assert!(Picture::of(&nothing).svg().starts_with("<svg"));
}
