//! What is said to be invariant under stuttering is, by the exact test for formulas and on words.

#[cfg(test)]
use super::oracle::parsed;
use super::oracle::{Lasso, Random, formula, holds};
use elnath_logic::automaton::{Automaton, Cube, Edge, Label, Marks, State};
use elnath_logic::product::disjoint;
use elnath_logic::stutter::is_invariant;
use elnath_logic::{Formulas, Id, Options, Spelling, translate};

use super::Part;
use crate::trial::{Trial, counts};

pub(super) const PARTS: &[Part] = &[Part {
    name: "stutter",
    meaning: "invariance under stuttering by the exact test and on words",
    run: invariant,
}];

/// The words of an automaton with letters repeated: an oracle of its own, with states for "has just read this letter".
fn repeated(automaton: &Automaton) -> Automaton {
    let letters = 1u64 << automaton.propositions.len();
    let exactly = |letter: u64| Label(vec![Cube { with: letter, without: !letter & (letters - 1) }]);
    let number = |state: State, letter: u64| State(1 + state.0 * letters as u32 + letter as u32);
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); 1 + automaton.states() * letters as usize];
    for letter in 0..letters {
        let moves = |state: State| {
            let taken = automaton.leaving(state).iter().filter(move |edge| edge.label.admits(letter));
            let edge = move |edge: &Edge| Edge {
                label: exactly(letter),
                marks: edge.marks,
                to: number(edge.to, letter),
            };
            taken.map(edge).collect::<Vec<_>>()
        };
        edges[0].extend(moves(automaton.initial));
        for state in 0..automaton.states() as u32 {
            for last in 0..letters {
                edges[number(State(state), last).index()].extend(moves(State(state)));
            }
            let own = number(State(state), letter);
            edges[own.index()].push(Edge { label: exactly(letter), marks: Marks(0), to: own });
        }
    }
    Automaton { initial: State(0), edges, sets: automaton.sets, propositions: automaton.propositions.clone() }
}

/// An automaton with a set, so that staying for ever is not accepted.
fn automaton(formulas: &Formulas, f: Id) -> Option<Automaton> {
    let mut automaton = translate(formulas, f, Options::default()).ok()?;
    if automaton.sets == 0 {
        automaton.sets = 1;
        automaton.edges.iter_mut().flatten().for_each(|edge| edge.marks = Marks(1));
    }
    Some(automaton)
}

/// The exact test: no word of the formula and word of its negation have one in common that repeats more often.
fn is_exactly_invariant(formulas: &mut Formulas, f: Id) -> Option<bool> {
    let not_f = formulas.not(f);
    let (yes, no) = (automaton(formulas, f)?, automaton(formulas, not_f)?);
    if yes.propositions != no.propositions {
        return None;
    }
    disjoint(&repeated(&yes), &repeated(&no))
}

/// The same word with letters repeated at random.
fn stuttered(word: &Lasso, random: &mut Random) -> Lasso {
    let mut longer = |letters: &[u64]| -> Vec<u64> {
        letters.iter().flat_map(|&letter| vec![letter; 1 + random.below(3)]).collect()
    };
    Lasso { prefix: longer(&word.prefix), cycle: longer(&word.cycle) }
}

fn invariant(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { shown, with_next, invariant, unseen }
    }
    let seen = trial.cases(0..1_500, |case, seen: &mut Seen| {
        let round = case.seed;
        let mut random = Random(round);
        let mut formulas = Formulas::new();
        let size = 1 + random.below(9);
        let f = formula(&mut random, &mut formulas, size, 2);
        let text = formulas.show(f, Spelling::Spot);
        let exact = is_exactly_invariant(&mut formulas, f).ok_or("too large")?;
        let is_shown = is_invariant(&translate(&formulas, f, Options::default()).unwrap());
        assert!(!is_shown || exact, "seed {round}: {text} is not invariant");
        assert!(exact || formulas.has_next(f), "seed {round}: {text} has no X, and is not invariant");
        seen.shown += u64::from(is_shown);
        seen.invariant += u64::from(exact);
        seen.with_next += u64::from(is_shown && formulas.has_next(f));
        for _ in 0..if exact { 20 } else { 0 } {
            let word = Lasso::random(&mut random, 2);
            let other = stuttered(&word, &mut random);
            assert_eq!(
                holds(&formulas, f, &word),
                holds(&formulas, f, &other),
                "seed {round}: {text} on {word:?} and {other:?}"
            );
        }
        seen.unseen += u64::from(exact && !is_shown);
        Ok(())
    });
    let asked = trial.asked();
    trial.enough(seen.with_next > asked / 30, "formulas with X");
    trial.enough(seen.unseen * 20 < seen.invariant, "invariant formulas seen to be so");
}

#[test]
fn well_known_formulas() {
    for (text, invariant) in [
        ("G(a -> F b)", true),
        ("GF a", true),
        ("FG a", true),
        ("GF a -> GF b", true),
        ("a U b", true),
        ("F(a & X a)", false),
        ("G(a -> X b)", false),
        ("X a", false),
        ("GF(a & X a)", false),
        ("GF(a & X !a)", true),
        ("F(a & X !a)", true),
        ("F(a & X F !a)", true),
        ("G X F a", true),
        ("X G a | (a & X G a)", false),
    ] {
        let mut formulas = Formulas::new();
        let f = parsed(&mut formulas, text);
        // Which of the two automata is easier to imitate cannot be told beforehand.
        let shown =
            [f, formulas.not(f)].map(|f| is_invariant(&translate(&formulas, f, Options::default()).unwrap()));
        assert_eq!(shown.contains(&true), invariant, "{text}");
    }
}

/// A claim that may wait before it takes the edge on which the letter after matters, from Holzmann's book of 1991: whoever
/// imitates it must know how often the letter comes.
#[test]
fn repetitions_come_before_or_after() {
    let cube = |with, without| Label(vec![Cube { with, without }]);
    let (waiting, accepting) = (State(0), State(1));
    let edges = vec![
        vec![
            Edge { label: Label::always(), marks: Marks(0), to: waiting },
            Edge { label: cube(0b01, 0), marks: Marks(0), to: accepting },
        ],
        vec![Edge { label: cube(0, 0b10), marks: Marks(1), to: accepting }],
    ];
    let propositions = vec!["message".to_owned(), "received".to_owned()];
    assert!(is_invariant(&Automaton { propositions, sets: 1, initial: waiting, edges }));
}
