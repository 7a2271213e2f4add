//! Deterministic automata over finite words, and the two ways in which a system can be held against one.
//!
//! A word is accepted if the state after it is accepting. What that says about a *system* is a matter of which words it
//! is asked about ([`Reading`]). The 1989 paper takes every finite computation, so the prefixes of each one too: only
//! the largest prefix-closed part of the language counts, which [`Dfa::prefix`] cuts out, and the question is one of
//! safety, "is there a step that the automaton does not have?". That is stricter than people expect: `F a` then says that
//! the first action is an `a`, and `G F a` that every action is. The other reading asks about the runs that end because
//! the system cannot go on.
//!
//! The rows of the transition table are decision diagrams, so a letter is looked up in as many steps as there are
//! propositions, and states are compared by comparing numbers.

use crate::automaton::{Automaton, Cube, Edge, Label, Letter, Marks, State};
use crate::bdd::{Bdd, Bdds};
use crate::derivative::Alphabet;
use crate::mtbdd::{Choice, Mtbdd, Mtbdds};
use std::collections::HashMap;

/// Which finite words of a system must satisfy the formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Every finite computation, and so every prefix of a run: the paper's.
    Prefix,
    /// The runs that end in a deadlock.
    Maximal,
}

impl Reading {
    /// What was checked, in words for a report.
    pub fn words(self) -> &'static str {
        match self {
            Reading::Prefix => "after every step of every run, the steps so far satisfy the formula",
            Reading::Maximal => "every run that ends in a deadlock satisfies the formula",
        }
    }
}

/// A deterministic automaton over finite words.
#[derive(Clone)]
pub struct Dfa {
    letters: Alphabet,
    propositions: Vec<String>,
    pub(crate) table: Mtbdds<Option<State>>,
    /// By state: where each letter leads.
    pub(crate) rows: Vec<Mtbdd>,
    pub(crate) accepting: Vec<bool>,
}

/// The letters that lead from one state to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The letters.
    pub label: Label,
    /// Where they lead.
    pub to: State,
}

impl Dfa {
    /// From a table; state 0 is the initial one.
    pub(crate) fn new(
        letters: Alphabet,
        propositions: Vec<String>,
        table: Mtbdds<Option<State>>,
        rows: Vec<Mtbdd>,
        accepting: Vec<bool>,
    ) -> Dfa {
        debug_assert_eq!(rows.len(), accepting.len());
        debug_assert!(
            rows.iter().all(|&row| table.values(row).iter().flatten().all(|to| to.index() < rows.len()))
        );
        Dfa { letters, propositions, table, rows, accepting }
    }

    /// The propositions, bit 0 first.
    pub fn propositions(&self) -> &[String] {
        &self.propositions
    }

    /// Which letters there are.
    pub fn letters(&self) -> Alphabet {
        self.letters
    }

    /// The number of states.
    pub fn states(&self) -> usize {
        self.rows.len()
    }

    /// Where every word begins.
    pub fn initial(&self) -> State {
        State(0)
    }

    /// Whether a word that leads to `state` is accepted.
    pub fn accepting(&self, state: State) -> bool {
        self.accepting[state.index()]
    }

    /// The state after one more letter, if there is one.
    pub fn successor(&self, state: State, letter: Letter) -> Option<State> {
        self.table.at(self.rows[state.index()], letter)
    }

    /// Whether a word is accepted.
    pub fn accepts(&self, word: &[Letter]) -> bool {
        let end = word.iter().try_fold(self.initial(), |state, &letter| self.successor(state, letter));
        end.is_some_and(|state| self.accepting(state))
    }

    /// The steps that leave `state`, one for each target, with disjoint labels.
    pub fn steps(&self, state: State) -> Vec<Step> {
        let row = self.rows[state.index()];
        let mut bdds = Bdds::new();
        let targets = self.table.values(row).into_iter().flatten();
        let step = |to: State| {
            let function = self.where_to(row, to, &mut bdds, &mut HashMap::new());
            let products = bdds.sum_of_products(function);
            let cube = |product: Vec<(u32, bool)>| {
                product.into_iter().fold(Cube::TRUE, |cube, (p, sign)| {
                    let literal = Cube::literal(p as usize, sign);
                    Cube { with: cube.with | literal.with, without: cube.without | literal.without }
                })
            };
            Step { label: Label(products.into_iter().map(cube).collect()).tidy(), to }
        };
        targets.map(step).collect()
    }

    /// The same for people to read: of actions, of which only one happens at a time, the names are enough. Such labels
    /// overlap on letters that there are not.
    pub fn short_steps(&self, state: State) -> Vec<Step> {
        let mut steps = self.steps(state);
        if self.letters == Alphabet::Sets {
            return steps;
        }
        let count = self.propositions.len();
        for step in &mut steps {
            let takes = |p: usize| step.label.admits(1 << p);
            step.label = if step.label.admits(0) {
                // An action without a name, and so all but some.
                let others = (0..count).filter(|&p| !takes(p));
                Label(vec![Cube { with: 0, without: others.fold(0, |set, p| set | 1 << p) }])
            } else {
                Label((0..count).filter(|&p| takes(p)).map(|p| Cube::literal(p, true)).collect())
            };
        }
        steps
    }

    /// The largest part of the language that is prefix-closed, apart from the empty word: steps to states that are not
    /// accepting are gone. The initial state stays as it is; if it is not accepting, then by the paper's definition no
    /// system satisfies the formula, because the empty computation does not, though the paper's algorithm never looks.
    /// The result is minimal.
    #[doc(alias = "effective")]
    #[must_use]
    pub fn prefix(&self) -> Dfa {
        let mut dfa = self.clone();
        for row in &mut dfa.rows {
            *row = dfa.table.map(*row, |to| to.filter(|to| self.accepting(*to)));
        }
        dfa.minimised()
    }

    /// The automaton to walk with for a reading: a step that it does not have is an error, and with
    /// [`Reading::Maximal`] so is a deadlock in a state that is not accepting.
    #[must_use]
    pub fn reading(&self, reading: Reading) -> Dfa {
        match reading {
            Reading::Prefix => self.prefix(),
            Reading::Maximal => self.minimised(),
        }
    }

    /// By state: whether no accepting state can be reached from it.
    pub fn dead(&self) -> Vec<bool> {
        let mut before: Vec<Vec<State>> = vec![Vec::new(); self.states()];
        for (state, &row) in (0..).map(State).zip(&self.rows) {
            for to in self.table.values(row).into_iter().flatten() {
                before[to.index()].push(state);
            }
        }
        let mut dead = vec![true; self.states()];
        let mut todo: Vec<State> =
            (0..).map(State).zip(&self.accepting).filter(|x| *x.1).map(|x| x.0).collect();
        while let Some(state) = todo.pop() {
            if std::mem::replace(&mut dead[state.index()], false) {
                todo.extend(&before[state.index()]);
            }
        }
        dead
    }

    /// A Büchi automaton with the same table, whose accepting states are this automaton's: not the same language, but
    /// the form in which tools for infinite words write down what they know about finite ones.
    pub fn automaton(&self) -> Automaton {
        let edge = |state: State, step: Step| Edge {
            label: step.label,
            marks: Marks(u64::from(self.accepting(state))),
            to: step.to,
        };
        let leaving = |state: State| self.steps(state).into_iter().map(|s| edge(state, s)).collect();
        Automaton {
            propositions: self.propositions.clone(),
            sets: 1,
            initial: self.initial(),
            edges: (0..self.states() as u32).map(|state| leaving(State(state))).collect(),
        }
    }

    /// The letters of a row that lead to a state.
    fn where_to(&self, row: Mtbdd, to: State, bdds: &mut Bdds, done: &mut HashMap<Mtbdd, Bdd>) -> Bdd {
        if let Some(&known) = done.get(&row) {
            return known;
        }
        let function = match self.table.choice(row) {
            Choice::Leaf(target) => bdds.constant(target == Some(to)),
            Choice::Branch { proposition, low, high } => {
                let low = self.where_to(low, to, bdds, done);
                let high = self.where_to(high, to, bdds, done);
                let test = bdds.variable(proposition);
                bdds.ite(test, high, low)
            }
        };
        done.insert(row, function);
        function
    }
}
