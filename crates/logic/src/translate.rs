//! From a formula to a small automaton.
//!
//! The tableau ([`crate::tableau`]) is only the beginning: its automaton is pruned and reduced by simulation, and if
//! the language is an obligation the smallest deterministic weak automaton is a rival. Formulas are tiny against state
//! spaces and every state of the automaton multiplies those of the system, so several ways are gone, and the smallest
//! automaton is taken.

use std::collections::HashMap;
use std::fmt;

use crate::automaton::{Automaton, MOST_PROPOSITIONS, MOST_SETS};
use crate::bdd::Bdds;
use crate::formula::{Formulas, Id, Node};
use crate::obligation::{self, Weak};
use crate::scc::{Passing, Strength, prune, share_sets, symbolic_strength};
use crate::simplify::{Ends, Simplifier};
use crate::simulation::{Acceptance, reduce};
use crate::symbolic::Symbolic;
use crate::tableau::{Reading, tableau};

/// Whether a part of a formula is constant is asked for parts with small automata only.
const MOST_STATES_FOR_A_CONSTANT: usize = 100;

/// Automata of at most this many states are cheap to reduce.
const FEW_STATES: usize = 64;

/// How far a translation may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The largest automaton that the tableau may have.
    pub most_states: usize,
    /// The largest powerset that is built in search of a deterministic automaton.
    pub most_sets_of_states: usize,
    /// Whether formula and automaton are reduced at all; without, the automaton is the tableau as it is.
    pub reduce: bool,
}

impl Options {
    /// What is usual.
    pub const DEFAULT: Self = Self { most_states: 10_000, most_sets_of_states: 1_000, reduce: true };
}

impl Default for Options {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Why there is no automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The formula has this many propositions, more than a letter has room for.
    Propositions(usize),
    /// The formula makes this many promises, more than an automaton has acceptance sets.
    Sets(usize),
    /// The automaton would have more than this many states.
    States(usize),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Propositions(n) => {
                write!(f, "the formula has {n} propositions; an automaton can tell {MOST_PROPOSITIONS} apart")
            }
            Refusal::Sets(n) => {
                write!(f, "the formula needs {n} acceptance sets; an automaton has at most {MOST_SETS}")
            }
            Refusal::States(n) => write!(f, "the automaton of the formula has more than {n} states"),
        }
    }
}

impl std::error::Error for Refusal {}

/// The automaton that accepts the infinite words on which `f` holds. Its propositions are those of `f`, in the order of
/// their numbers, under their [names](crate::formula::Atom::name).
///
/// # Errors
///
/// If the formula is too large for an automaton within the options.
pub fn translate(formulas: &Formulas, f: Id, options: Options) -> Result<Automaton, Refusal> {
    let mut work = Work::new(formulas, f, options)?;
    let automaton = if options.reduce { work.both(f)?.automaton } else { work.plain(f)? };
    Ok(work.finish(&automaton))
}

/// A translation under way: the table of formulas grows, and all automata share their labels.
pub(crate) struct Work {
    formulas: Formulas,
    inside: Simplifier,
    outside: Simplifier,
    bdds: Bdds,
    propositions: Vec<u32>,
    options: Options,
}

/// What is known about a formula once it and its negation were translated.
pub(crate) struct Both {
    /// The formula's automaton.
    pub(crate) automaton: Symbolic,
    /// The negation's, not as small as it could be.
    pub(crate) negation: Option<Symbolic>,
    /// The smallest deterministic weak automaton, if there is one.
    pub(crate) weak: Option<Weak>,
}

impl Work {
    pub(crate) fn new(formulas: &Formulas, f: Id, options: Options) -> Result<Self, Refusal> {
        let propositions = formulas.propositions(f);
        if propositions.len() > MOST_PROPOSITIONS {
            return Err(Refusal::Propositions(propositions.len()));
        }
        Ok(Self {
            formulas: formulas.clone(),
            inside: Simplifier::new(Ends::Inside),
            outside: Simplifier::new(Ends::Outside),
            bdds: Bdds::new(),
            propositions,
            options,
        })
    }

    /// The table of the labels.
    pub(crate) fn bdds(&mut self) -> &mut Bdds {
        &mut self.bdds
    }

    fn tableau(&mut self, f: Id, reading: Reading, most: usize) -> Result<Symbolic, Refusal> {
        tableau(&mut self.formulas, &mut self.bdds, f, &self.propositions, reading, most)
    }

    fn plain(&mut self, f: Id) -> Result<Symbolic, Refusal> {
        let f = self.formulas.infinite(f);
        self.tableau(f, Reading::Letters, self.options.most_states)
    }

    /// `f` without conjunctions and disjunctions that are constant for reasons that no rule sees, such as
    /// `p | X q | !(p | X q)` written in two different ways. Small tableaux decide.
    fn without_constants(&mut self, f: Id, done: &mut HashMap<Id, Id>) -> Id {
        if let Some(&known) = done.get(&f) {
            return known;
        }
        let children: Vec<Id> =
            self.formulas.children(f).into_iter().map(|child| self.without_constants(child, done)).collect();
        let mut result = self.formulas.rebuild(f, &children);
        let junction = matches!(self.formulas.node(result), Node::And(_) | Node::Or(_));
        if junction && !self.formulas.is_boolean(result) {
            let negated = self.formulas.negative(result);
            let negated = self.formulas.infinite(negated);
            if self.is_false(result) {
                result = Id::FALSE;
            } else if self.is_false(negated) {
                result = Id::TRUE;
            }
        }
        done.insert(f, result);
        result
    }

    fn is_false(&mut self, f: Id) -> bool {
        let most = self.options.most_states.min(MOST_STATES_FOR_A_CONSTANT);
        let built = self.tableau(f, Reading::Products, most);
        built.is_ok_and(|automaton| symbolic_strength(&mut self.bdds, &automaton) == Strength::Empty)
    }

    /// An automaton that is right and no more, for products that must be empty. Read by products: read by letters the
    /// negation of a conjunction of eight fairness conditions has 10,000 states instead of 33.
    fn pruned(&mut self, f: Id) -> Result<Symbolic, Refusal> {
        let f = self.inside.simplify(&mut self.formulas, f);
        let most = self.options.most_states.min(self.options.most_sets_of_states);
        let mut automaton = self.tableau(f, Reading::Products, most)?;
        prune(&mut self.bdds, &mut automaton, Passing::Unmarked);
        Ok(automaton)
    }

    /// The smallest automaton found from the tableau.
    fn reduced(&mut self, f: Id) -> Result<Symbolic, Refusal> {
        let written = self.formulas.infinite(f);
        let simple = self.inside.simplify(&mut self.formulas, f);
        let varied = self.without_constants(simple, &mut HashMap::new());
        let simple = self.inside.simplify(&mut self.formulas, varied);
        let other = self.outside.simplify(&mut self.formulas, varied);
        let mut best: Option<Symbolic> = None;
        let mut refusal = None;
        let mut most = self.options.most_states;
        let mut tried = Vec::new();
        let mut pruned: Vec<Symbolic> = Vec::new();
        for (g, reading) in [
            (simple, Reading::Letters),
            (simple, Reading::Products),
            (other, Reading::Letters),
            (other, Reading::Products),
            (written, Reading::Letters),
        ] {
            if tried.contains(&(g, reading)) {
                continue;
            }
            tried.push((g, reading));
            match self.tableau(g, reading, most) {
                Err(why) => refusal = Some(why),
                Ok(mut automaton) => {
                    // What is much larger to begin with will not be the smallest in the end.
                    most = most.min(2 * automaton.states() + FEW_STATES);
                    prune(&mut self.bdds, &mut automaton, Passing::Unmarked);
                    // Rivals of a large automaton are reduced only if they look better from the start.
                    let hopeful = (best.as_ref()).is_none_or(|best| {
                        automaton.states() <= FEW_STATES || automaton.states() < best.states()
                    });
                    if !hopeful || pruned.contains(&automaton) {
                        continue;
                    }
                    pruned.push(automaton.clone());
                    reduce(&mut self.bdds, &mut automaton, Acceptance::Edges);
                    if best.as_ref().is_none_or(|best| automaton.size() < best.size()) {
                        best = Some(automaton);
                    }
                }
            }
        }
        best.ok_or_else(|| refusal.expect("nothing was built and nothing refused"))
    }

    /// The smallest automaton of a formula, with what was found on the way.
    pub(crate) fn both(&mut self, f: Id) -> Result<Both, Refusal> {
        let mut automaton = self.reduced(f)?;
        let negated = self.formulas.negative(f);
        let negation = self.pruned(negated).ok();
        let most = self.options.most_sets_of_states;
        let weak = negation.as_ref().and_then(|n| obligation::minimal(&mut self.bdds, &automaton, n, most));
        if let Some(weak) = &weak {
            let mut rival = weak.automaton(false);
            prune(&mut self.bdds, &mut rival, Passing::Unmarked);
            // The deterministic automaton wins if it is as small.
            if rival.size().0 <= automaton.size().0 {
                automaton = rival.clone();
            }
            reduce(&mut self.bdds, &mut rival, Acceptance::Edges);
            if rival.size().0 < automaton.size().0 {
                automaton = rival;
            }
        }
        Ok(Both { automaton, negation, weak })
    }

    /// As an automaton with names.
    pub(crate) fn finish(&mut self, automaton: &Symbolic) -> Automaton {
        let mut automaton = automaton.clone();
        if self.options.reduce {
            share_sets(&mut automaton);
            automaton.join_arrows(&mut self.bdds);
            automaton.compact();
        }
        let atoms = self.formulas.atoms();
        let names = self.propositions.iter().map(|&p| atoms[p as usize].name()).collect();
        automaton.to_automaton(&mut self.bdds, names)
    }
}
