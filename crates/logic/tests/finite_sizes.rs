//! Sizes of minimal automata over finite words, on the published sets of formulas.
//!
//! The sets are not ours to distribute: they are models from outside (`elnath_testkit::corpus`).

use elnath_logic::automaton::Letter;
use elnath_logic::derivative::{Alphabet, Derivatives, EmptyWord};
use elnath_logic::formula::{Formulas, Id, Node};
use elnath_logic::parse::{Syntax, parse_text};
use elnath_testkit::corpus::folder_for;
use std::collections::{BTreeMap, HashMap};

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

/// Whether a formula holds on a word that is not empty: position by position from the end, a table of all subformulas.
fn holds(formulas: &Formulas, f: Id, word: &[Letter], bit: impl Fn(u32) -> usize) -> bool {
    let order = formulas.subformulas(f);
    let mut after: Option<HashMap<Id, bool>> = None;
    for &letter in word.iter().rev() {
        let mut here: HashMap<Id, bool> = HashMap::new();
        for &g in &order {
            let now = |f: &Id| here[f];
            let then = |f: &Id| after.as_ref().map(|after| after[f]);
            let value = match formulas.node(g) {
                Node::True => true,
                Node::False => false,
                Node::Proposition(p) => letter >> bit(*p) & 1 == 1,
                Node::Not(f) => !now(f),
                Node::And(parts) => parts.iter().all(now),
                Node::Or(parts) => parts.iter().any(now),
                Node::Next(f) => then(f).unwrap_or(true),
                Node::StrongNext(f) => then(f).unwrap_or(false),
                Node::Eventually(f) => now(f) || then(&g).unwrap_or(false),
                Node::Always(f) => now(f) && then(&g).unwrap_or(true),
                Node::Until(f, h) => now(h) || now(f) && then(&g).unwrap_or(false),
                Node::WeakUntil(f, h) => now(h) || now(f) && then(&g).unwrap_or(true),
                Node::Release(f, h) => now(h) && (now(f) || then(&g).unwrap_or(true)),
                Node::StrongRelease(f, h) => now(h) && (now(f) || then(&g).unwrap_or(false)),
            };
            here.insert(g, value);
        }
        after = Some(here);
    }
    after.expect("a letter")[&f]
}

/// Random words: letters from a xorshift generator with a fixed seed.
fn words(propositions: usize, count: usize) -> Vec<Vec<Letter>> {
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    let mut word = || {
        let length = 1 + next() % 14;
        // Sparse letters, so that untils are awaited for a while.
        (0..length).map(|_| next() & next() & ((1 << propositions) - 1)).collect()
    };
    (0..count).map(|_| word()).collect()
}

#[test]
#[allow(clippy::print_stderr)] // The sums, with --nocapture.
fn minimal_automata_have_the_published_sizes() {
    let Some(folder) = folder_for("sizes of automata over finite words", "ltl") else { return };
    let text = std::fs::read_to_string(folder.join("ltlf-min-dfa-sizes.json")).expect("the published sizes");
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
            let numbers: Vec<u32> = lazy.propositions().collect();
            let bit = |p: u32| numbers.iter().position(|&n| n == p).expect("a proposition of the formula");
            for word in words(numbers.len(), 100) {
                let end = word.iter().fold(lazy.initial(), |state, &letter| lazy.successor(state, letter));
                let wanted = holds(&formulas, f, &word, bit);
                assert_eq!(
                    (lazy.accepting(end), minimal.accepts(&word)),
                    (wanted, wanted),
                    "{name} on {word:?}"
                );
            }
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
