//! Sizes of minimal automata over finite words, on the published sets of formulas.
//!
//! The sets are not ours to distribute, so they are looked for in `shared/corpus/ltl` beside the checkout of the
//! repository; without them there is nothing to compare with, and the test says so.

use elnath_logic::derivative::{Alphabet, Derivatives, EmptyWord};
use elnath_logic::formula::{Formulas, Id, Node};
use elnath_logic::parse::{Syntax, parse_text};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// The formula with `X[!]` for `X`.
fn strong(formulas: &mut Formulas, f: Id) -> Id {
    let mut done: HashMap<Id, Id> = HashMap::new();
    for g in formulas.subformulas(f) {
        let children: Vec<Id> = formulas.children(g).iter().map(|child| done[child]).collect();
        let new = match formulas.node(g) {
            Node::Next(_) => formulas.strong_next(children[0]),
            _ => formulas.rebuild(g, &children),
        };
        done.insert(g, new);
    }
    done[&f]
}

#[test]
#[allow(clippy::print_stderr)] // What it says with --nocapture: that there is nothing to test, or the sums.
fn minimal_automata_have_the_published_sizes() {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/ltl/ltlf-min-dfa-sizes.json");
    let Ok(text) = std::fs::read_to_string(&file) else {
        eprintln!("not compared: there is no {}", file.display());
        return;
    };
    let sizes: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let mut sums: BTreeMap<(String, &str), [u64; 3]> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (name, entry) in sizes.as_object().expect("an object") {
        let mut formulas = Formulas::new();
        let text = entry["f"].as_str().expect("a formula");
        let weak = parse_text(&mut formulas, text, Syntax::default()).expect("a formula").formula;
        let strong = strong(&mut formulas, weak);
        for (reading, f) in [("weak", weak), ("strong", strong)] {
            let mut lazy = Derivatives::new(&formulas, f, Alphabet::Sets, EmptyWord::Rejected)
                .expect("few propositions");
            let dfa = lazy.dfa(100_000).expect("not that many states");
            let minimal = dfa.minimised();
            // Their transition-based automata count a state once, whether or not words may stop there; their
            // state-based ones are complete, with all sinks, and reject the empty word.
            let found = [minimal.states_if_on_steps() as u64, minimal.states() as u64];
            let wanted =
                [&entry[reading]["tmin"], &entry[reading]["smin"]].map(|n| n.as_u64().expect("a number"));
            if found != wanted {
                wrong.push(format!("{name} ({reading} X) {text}: {found:?}, published {wanted:?}"));
            }
            let set = name.rsplit_once('-').expect("a set and a number").0.to_owned();
            let sum = sums.entry((set, reading)).or_default();
            for (sum, n) in sum.iter_mut().zip([found[0], found[1], dfa.states() as u64]) {
                *sum += n;
            }
        }
    }
    eprintln!("(on steps, on states, before minimising): {sums:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(sums.len(), 8);
}
