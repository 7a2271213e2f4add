//! What the parser reads, how it groups, and what it says about texts that are no formulas.

use elnath_logic::parse::{Dialect, Syntax, parse_text};
use elnath_logic::{Atom, Formulas, Spelling};

fn with(dialect: Dialect, text: &str) -> String {
    let mut formulas = Formulas::new();
    let syntax = Syntax { dialect, ..Syntax::default() };
    match parse_text(&mut formulas, text, syntax) {
        Ok(parsed) => formulas.show(parsed.formula, Spelling::Spot),
        Err(message) => panic!("{text}: {message}"),
    }
}

fn spot(text: &str) -> String {
    with(Dialect::Spot, text)
}

/// The message without its file, and the text that the caret marks.
fn complaint(text: &str) -> (String, String) {
    let message = parse_text(&mut Formulas::new(), text, Syntax::default()).expect_err(text);
    let place = message.place.clone().expect("every complaint has a place");
    (message.text.clone(), place.text[place.start..place.end].to_owned())
}

#[test]
fn the_spellings_of_spin_and_of_spot_are_one_language() {
    for (one, other) in [
        ("[](p -> <>q)", "G(p -> Fq)"),
        ("GFp0 && X!p1", "G F p0 & X !p1"),
        ("p V q", "p R q"),
        ("a /\\ b \\/ c", "a & b | c"),
        ("a => b <=> c", "a -> b <-> c"),
        ("a ^ b", "a xor b"),
        ("~a & 1 | 0", "!a"),
        ("always (a implies eventually b)", "G(a -> F b)"),
        ("a until b", "a U b"),
        ("□(p → ◇q)", "G(p -> F q)"),
        ("\"a\" U {b}", "a U b"),
    ] {
        assert_eq!(spot(one), spot(other), "{one} and {other}");
    }
    assert_eq!(spot("X[!]p"), "X[!] p");
    assert_eq!(spot("XXp"), "XX p");
    assert_eq!(spot("a M b"), "a M b");
}

#[test]
fn dialects_differ_in_how_operators_group() {
    let text = "a U b U c";
    assert_eq!(spot(text), "a U (b U c)");
    assert_eq!(with(Dialect::Spin, text), "(a U b) U c");
    let text = "a -> b -> c";
    assert_eq!(with(Dialect::Spot, text), spot("a -> (b -> c)"));
    assert_eq!(with(Dialect::Spin, text), spot("(a -> b) -> c"));
    let text = "a && b U c";
    assert_eq!(with(Dialect::Spot, text), spot("a && (b U c)"));
    assert_eq!(with(Dialect::Ltsmin, text), spot("(a && b) U c"));
    let text = "a -> b <-> c";
    assert_eq!(with(Dialect::Ltsmin, text), spot("a -> (b <-> c)"));
    assert_eq!(with(Dialect::Spin, text), spot("(a -> b) <-> c"));
    assert_eq!(spot("a | b & c U !d"), spot("a | (b & (c U (!d)))"));
    assert_eq!(spot("[] p U q"), spot("(G p) U q"));
    assert_eq!(with(Dialect::Spin, "!x == 1"), "\"!x == 1\"");
    assert_eq!(with(Dialect::Ltsmin, "!x == 1"), "!\"x == 1\"");
}

#[test]
fn propositions_reach_as_far_as_the_models_language_does() {
    let atoms = |text: &str| {
        let mut formulas = Formulas::new();
        let parsed = parse_text(&mut formulas, text, Syntax::default()).expect(text);
        let names: Vec<String> = formulas
            .atoms()
            .iter()
            .map(|atom| match atom {
                Atom::State(text) => text.clone(),
                Atom::Action(pattern) => format!("action {pattern}"),
            })
            .collect();
        for (number, range) in parsed.occurrences {
            let raw = match &formulas.atoms()[number as usize] {
                Atom::State(text) | Atom::Action(text) => text,
            };
            // Only escapes make them differ.
            assert!(text[range.clone()].trim() == raw || text.contains('\\'), "{text}: {range:?}");
        }
        names
    };
    assert_eq!(atoms("G(x == 1 U y)"), ["x == 1", "y"]);
    assert_eq!(atoms("[]!(p@cs && q[1]@cs)"), ["p@cs", "q[1]@cs"]);
    assert_eq!(atoms("len(q) > 0 -> F nempty(q)"), ["len(q) > 0", "nempty(q)"]);
    assert_eq!(atoms("proc[1]:var <= 3 && a.b[2].c == d"), ["proc[1]:var <= 3", "a.b[2].c == d"]);
    assert_eq!(atoms("(x + 1) * 2 > -y & (z)"), ["(x + 1) * 2 > -y", "z"]);
    assert_eq!(atoms("0 < x | 1"), ["0 < x"]);
    assert_eq!(atoms("q?[msg,3] | q??[m]"), ["q?[msg,3]", "q??[m]"]);
    assert_eq!(atoms("{ x > 3 && (y | z) } U \"a \\\"b\\\"\""), ["x > 3 && (y | z)", "a \"b\""]);
    assert_eq!(atoms("G(action(SEND*) -> F action(\"RECV !1 !x\"))"), ["action SEND*", "action RECV !1 !x"]);
    assert_eq!(atoms("x<-1"), ["x<-1"]);
    assert_eq!(atoms("x->y"), ["x", "y"]);
    assert_eq!(atoms("M U U"), ["M", "U"]);
}

#[test]
fn a_known_word_is_not_taken_apart() {
    let mut formulas = Formulas::new();
    let known = |word: &str| word == "Full";
    let syntax = Syntax { dialect: Dialect::Spin, known: &known };
    let parsed = parse_text(&mut formulas, "[](Full -> Fp)", syntax).expect("well formed");
    assert_eq!(formulas.show(parsed.formula, Spelling::Spin), "[](<> p || !(Full))");
    assert_eq!(spot("G F_1"), "G \"F_1\"");
}

#[test]
fn complaints_name_the_place() {
    let told = |text: &str| {
        let (message, marked) = complaint(text);
        format!("{marked}: {message}")
    };
    assert_eq!(told("G(p -> F q"), "(: this `(` is never closed");
    assert_eq!(told("p U"), ": an operand is missing: the formula ends where a formula should begin");
    assert_eq!(told(""), ": an operand is missing: the formula ends where a formula should begin");
    assert_eq!(told("p && || q"), "||: an operand is missing: there is `||` where a formula should begin");
    assert_eq!(told("x = 1"), "=: `=` is not a comparison");
    assert_eq!(told("p and q"), "and: `and` is not an operator");
    assert_eq!(told("not p"), "not: `not` is not an operator");
    assert_eq!(told("p q"), "q: an operator is missing before `q`");
    assert_eq!(told("p)"), "): this `)` closes nothing");
    assert_eq!(told("(p]"), "]: `]` where `(` should be closed");
    assert_eq!(told("G 17"), "17: the number 17 is not a formula");
    assert_eq!(told("p & #"), "#: `#` has no meaning in a formula");
    assert_eq!(told("\"abc"), "\": this `\"` is never closed");
    assert_eq!(told("{ }"), "{ }: an empty proposition");
    assert_eq!(told("F[2:3] p"), "[: temporal operators take no bounds here");
    assert_eq!(told("x == "), ": an operand is missing: the formula ends where a formula should begin");
    assert_eq!(told("()"), "): an operand is missing: there is `)` where a formula should begin");
}

#[test]
fn nothing_overflows_the_stack() {
    for text in [
        "(".repeat(20_000),
        format!("{}p{}", "(".repeat(20_000), ")".repeat(20_000)),
        format!("{}p", "!".repeat(20_000)),
        format!("{}p", "p U ".repeat(20_000)),
        format!("{}p", "p -> ".repeat(20_000)),
        format!("{}p", "p <-> ".repeat(20_000)),
        "X".repeat(20_000),
        format!("{}p", "-".repeat(20_000)),
    ] {
        for dialect in [Dialect::Spot, Dialect::Spin, Dialect::Ltsmin] {
            let syntax = Syntax { dialect, ..Syntax::default() };
            let parsed = parse_text(&mut Formulas::new(), &text, syntax);
            assert!(parsed.is_err() || text.starts_with('-'), "{}", &text[..20]);
        }
    }
    let wide = format!("{}p", "p0 & p1 | ".repeat(20_000));
    assert!(spot(&wide).len() > 5);
}

#[test]
fn what_is_printed_is_read_back() {
    for text in [
        "G(p -> X(q U !r)) & F(a W b) | (c M d)",
        "!(p U q) R X[!](p xor q)",
        "\"x > 3\" U action(\"A B\") & \"Gate\"",
    ] {
        let mut formulas = Formulas::new();
        let f = parse_text(&mut formulas, text, Syntax::default()).expect(text).formula;
        let shown = formulas.show(f, Spelling::Spot);
        assert_eq!(parse_text(&mut formulas, &shown, Syntax::default()).expect(&shown).formula, f, "{shown}");
    }
}
