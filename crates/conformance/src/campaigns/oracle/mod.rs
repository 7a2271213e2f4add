//! Simple, slow, independent ways to know what a formula means: its definition on a word that repeats itself, and the
//! first tableau ever published.

pub(crate) mod finite;
pub(crate) mod gpvw;

use std::collections::HashMap;
use std::path::Path;

use elnath_logic::formula::Node;
use elnath_logic::parse::{Syntax, parse_text};
use elnath_logic::{Formulas, Id};

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// A prefix and a cycle, whose letters give a value to each proposition by its *number in the table of formulas*.
#[derive(Clone, Debug)]
pub(crate) struct Lasso {
    pub(crate) prefix: Vec<u64>,
    pub(crate) cycle: Vec<u64>,
}

impl Lasso {
    pub(crate) fn random(random: &mut Random, propositions: usize) -> Self {
        let mask = if propositions >= 64 { u64::MAX } else { (1 << propositions) - 1 };
        // Words whose letters are alike are more telling than noise: the density of ones is chosen for each word.
        let density = random.below(3);
        let letters = |random: &mut Random, length: usize| -> Vec<u64> {
            (0..length)
                .map(|_| {
                    let (a, b) = (random.next(), random.next());
                    mask & match density {
                        0 => a & b,
                        1 => a,
                        _ => a | b,
                    }
                })
                .collect()
        };
        let (before, around) = (random.below(5), 1 + random.below(4));
        Self { prefix: letters(random, before), cycle: letters(random, around) }
    }

    fn positions(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }

    fn letter(&self, position: usize) -> u64 {
        *self.prefix.get(position).unwrap_or_else(|| &self.cycle[position - self.prefix.len()])
    }

    fn after(&self, position: usize) -> usize {
        if position + 1 < self.positions() { position + 1 } else { self.prefix.len() }
    }

    /// The word with the letters of an automaton whose propositions are these numbers.
    pub(crate) fn for_propositions(&self, numbers: &[u32]) -> Self {
        let map = |&letter: &u64| {
            numbers.iter().enumerate().fold(0, |new, (i, &number)| new | (letter >> number & 1) << i)
        };
        Self { prefix: self.prefix.iter().map(map).collect(), cycle: self.cycle.iter().map(map).collect() }
    }
}

/// Whether `f` holds on the word, by the definition of each operator.
pub(crate) fn holds(formulas: &Formulas, f: Id, word: &Lasso) -> bool {
    holds_at(formulas, f, word, 0, &mut HashMap::new())
}

fn holds_at(
    formulas: &Formulas,
    f: Id,
    word: &Lasso,
    at: usize,
    known: &mut HashMap<(Id, usize), bool>,
) -> bool {
    if let Some(&value) = known.get(&(f, at)) {
        return value;
    }
    let mut at_position = |g: Id, position: usize| holds_at(formulas, g, word, position, known);
    // All positions that are still to come, from this one on, each once and in order.
    let mut coming = vec![at];
    while coming.len() < word.positions() {
        coming.push(word.after(*coming.last().expect("not empty")));
    }
    let value = match formulas.node(f) {
        Node::True => true,
        Node::False => false,
        Node::Proposition(p) => word.letter(at) >> p & 1 == 1,
        Node::Not(g) => !at_position(*g, at),
        Node::And(parts) => parts.iter().all(|&part| at_position(part, at)),
        Node::Or(parts) => parts.iter().any(|&part| at_position(part, at)),
        Node::Next(g) | Node::StrongNext(g) => at_position(*g, word.after(at)),
        Node::Eventually(g) => coming.iter().any(|&i| at_position(*g, i)),
        Node::Always(g) => coming.iter().all(|&i| at_position(*g, i)),
        Node::Until(g, h) | Node::WeakUntil(g, h) => {
            let end = coming.iter().position(|&i| at_position(*h, i));
            let weak = matches!(formulas.node(f), Node::WeakUntil(..));
            match end {
                Some(end) => coming[..end].iter().all(|&i| at_position(*g, i)),
                None => weak && coming.iter().all(|&i| at_position(*g, i)),
            }
        }
        Node::Release(g, h) | Node::StrongRelease(g, h) => {
            let end = coming.iter().position(|&i| at_position(*g, i));
            let strong = matches!(formulas.node(f), Node::StrongRelease(..));
            match end {
                Some(end) => coming[..=end].iter().all(|&i| at_position(*h, i)),
                None => !strong && coming.iter().all(|&i| at_position(*h, i)),
            }
        }
    };
    known.insert((f, at), value);
    value
}

/// A random formula over propositions `p0`, `p1`, ... with about `size` operators.
pub(crate) fn formula(random: &mut Random, formulas: &mut Formulas, size: usize, propositions: usize) -> Id {
    if size == 0 {
        let p = formulas.proposition(&format!("p{}", random.below(propositions)));
        return match random.below(12) {
            0 => Id::TRUE,
            1..=4 => formulas.not(p),
            _ => p,
        };
    }
    let operator = random.below(12);
    if operator < 5 {
        let f = formula(random, formulas, size - 1, propositions);
        return match operator {
            0 => formulas.not(f),
            1 => formulas.next(f),
            2 => formulas.eventually(f),
            3 => formulas.always(f),
            _ => formulas.strong_next(f),
        };
    }
    let left = random.below(size);
    let f = formula(random, formulas, left, propositions);
    let g = formula(random, formulas, size - 1 - left, propositions);
    match operator {
        5 | 6 => formulas.and(f, g),
        7 => formulas.or(f, g),
        8 => formulas.until(f, g),
        9 => formulas.release(f, g),
        10 => formulas.weak_until(f, g),
        _ => formulas.strong_release(f, g),
    }
}

/// The formulas of one set of the corpus, as texts.
pub(crate) fn corpus_set(folder: &Path, set: &str) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join(format!("{set}.ltl"))).expect("the corpus is readable");
    text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

/// The formula of a text that is one.
pub(crate) fn parsed(formulas: &mut Formulas, text: &str) -> Id {
    parse_text(formulas, text, Syntax::default())
        .unwrap_or_else(|message| panic!("{text}: {message}"))
        .formula
}
