//! The symbolic tableau: from a formula to an automaton. Couvreur, *On-the-fly verification of linear temporal logic*,
//! FM 1999.
//!
//! A state is a formula that the rest of the word must satisfy. What it asks of the next letter and of the word after
//! it is a Boolean function over three kinds of variables, the propositions, `Next g` ("the word after this letter
//! satisfies g") and `Promise g` ("g is owed and not yet delivered"):
//!
//! ```text
//! r(p) = p                    r(X f) = Next f                  r(f & g) = r(f) & r(g), and so on
//! r(f U g) = r(g) | (Promise g & r(f) & Next(f U g))           r(F g) = r(g) | (Promise g & Next(F g))
//! r(f R g) = r(g) & (r(f) | Next(f R g))                       r(G f) = r(f) & Next(G f)
//! r(f W g) = r(g) | (r(f) & Next(f W g))                       r(f M g) = r(g) & (r(f) | (Promise f & Next(f M g)))
//! ```
//!
//! A product of the function's sum of products is an edge: its propositions are the label, the conjunction of its
//! `Next`s is the target, and it belongs to the acceptance set of each promise that it does not make: a word is rejected
//! if from some point on something is owed for ever. Two formulas with the same function are one state.
//!
//! Under a `G` the formula itself comes back at the next position, so that the until in `G(f U g)` need not be
//! remembered: `r` is then `r(g) | (Promise g & r(f))`. Without this `G F p` would have two states. It is sound for the
//! conjuncts of what stands under the `G`, which are asked for again whatever happens, but not below a disjunction: in
//! `G(p | F q)` the next position may choose `p`, and what was owed would be forgotten.
//!
//! A target must not be simplified by what its parts imply. `G X F q` implies `F q`; but if the target of its edge, both
//! of them, were reduced to `G X F q`, the promise would be handed on for ever and never be made. An equal function is
//! another matter: it makes the same promises.

use std::collections::BTreeMap;

use crate::automaton::MOST_SETS;
use crate::bdd::{Bdd, Bdds};
use crate::formula::{Formulas, Id, Node};
use crate::hash::Map;
use crate::symbolic::{Arrow, Symbolic, all_sets};
use crate::translate::Refusal;

/// Functions and edges may outgrow the states by far, before any reduction. A construction is also given up after this
/// much work on diagrams for each state that is allowed: with the usual 10,000, a few seconds.
const WORK_FOR_A_STATE: u64 = 500;

/// How edges are read off a state's function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Letter by letter: for each different remainder over `Next` and `Promise` its products. Edges overlap less, so
    /// that the automaton is closer to a deterministic one.
    Letters,
    /// The products of the whole function: often fewer edges.
    Products,
}

/// What a variable stands for; propositions come first.
#[derive(Clone, Copy)]
enum Meaning {
    Next(Id),
    Promise(u32),
}

/// Builds the automaton of `f`, which must be in the form for infinite words ([`Formulas::infinite`]); proposition
/// `propositions[i]` is variable `i` of labels.
pub(crate) fn tableau(
    formulas: &mut Formulas,
    bdds: &mut Bdds,
    f: Id,
    propositions: &[u32],
    reading: Reading,
    most_states: usize,
) -> Result<Symbolic, Refusal> {
    let most_work = bdds.work().saturating_add((most_states as u64).saturating_mul(WORK_FOR_A_STATE));
    let mut tableau = Tableau {
        formulas,
        bdds,
        variables: propositions.iter().enumerate().map(|(i, &p)| (p, i as u32)).collect(),
        meanings: Vec::new(),
        nexts: Map::default(),
        promises: Map::default(),
        functions: Map::default(),
        labels: propositions.len() as u32,
        most_work,
        most_states,
    };
    tableau.build(f, reading)
}

struct Tableau<'a> {
    formulas: &'a mut Formulas,
    bdds: &'a mut Bdds,
    /// The variable of each proposition.
    variables: Map<u32, u32>,
    /// What the variables after those of the propositions stand for.
    meanings: Vec<Meaning>,
    nexts: Map<Id, Bdd>,
    /// By what is promised: the number of its set and its variable.
    promises: Map<Id, (u32, Bdd)>,
    /// r, once for a formula that comes back by itself and once for one that does not.
    functions: Map<(Id, bool), Bdd>,
    /// How many propositions there are.
    labels: u32,
    /// When to give up.
    most_work: u64,
    most_states: usize,
}

impl Tableau<'_> {
    fn build(&mut self, f: Id, reading: Reading) -> Result<Symbolic, Refusal> {
        // The function of a state is its identity; its number is the order in which it was met.
        let mut numbers: Map<Bdd, u32> = Map::default();
        let mut states: Vec<Bdd> = Vec::new();
        let mut arrows: Vec<Vec<Arrow>> = Vec::new();
        let initial = self.function(f, false);
        numbers.insert(initial, 0);
        states.push(initial);
        while arrows.len() < states.len() {
            let mut leaving: BTreeMap<(u32, u64), Bdd> = BTreeMap::new();
            for (label, target, owed) in self.edges(states[arrows.len()], reading)? {
                let function = self.function(target, false);
                if function == Bdd::FALSE {
                    continue;
                }
                let to = *numbers.entry(function).or_insert_with(|| {
                    states.push(function);
                    states.len() as u32 - 1
                });
                let joined = leaving.entry((to, owed)).or_insert(Bdd::FALSE);
                *joined = self.bdds.or(*joined, label);
            }
            arrows.push(leaving.into_iter().map(|((to, marks), label)| Arrow { to, marks, label }).collect());
            if states.len() > self.most_states {
                return Err(Refusal::States(self.most_states));
            }
            if self.promises.len() > MOST_SETS as usize {
                return Err(Refusal::Sets(self.promises.len()));
            }
        }
        let sets = self.promises.len() as u32;
        for arrow in arrows.iter_mut().flatten() {
            arrow.marks = all_sets(sets) & !arrow.marks;
        }
        Ok(Symbolic { sets, initial: 0, arrows })
    }

    /// The edges that a function stands for: label, target, and what is owed.
    fn edges(&mut self, function: Bdd, reading: Reading) -> Result<Vec<(Bdd, Id, u64)>, Refusal> {
        let given_up = Refusal::States(self.most_states);
        let mut edges = Vec::new();
        let parts = match reading {
            Reading::Letters => self.bdds.cofactors(function, self.labels, self.most_work).ok_or(given_up)?,
            Reading::Products => vec![(Bdd::TRUE, function)],
        };
        for (condition, rest) in parts {
            for product in self.bdds.sum_of_products_within(rest, self.most_work).ok_or(given_up)? {
                let mut label = condition;
                let mut targets = Vec::new();
                let mut owed = 0;
                for (variable, sign) in product {
                    if variable < self.labels {
                        let literal = self.bdds.literal(variable, sign);
                        label = self.bdds.and(label, literal);
                        continue;
                    }
                    debug_assert!(sign, "r is monotone in what it asks of the future");
                    match self.meanings[(variable - self.labels) as usize] {
                        Meaning::Next(g) => targets.push(g),
                        // Beyond 64 sets the construction is refused anyway.
                        Meaning::Promise(set) => owed |= 1u64.checked_shl(set).unwrap_or(0),
                    }
                }
                let target = self.formulas.conjunction(targets);
                edges.push((label, target, owed));
            }
        }
        Ok(edges)
    }

    /// r(f); `returns` says that f will be asked for again at the next position in any case.
    fn function(&mut self, f: Id, returns: bool) -> Bdd {
        if let Some(&known) = self.functions.get(&(f, returns)) {
            return known;
        }
        let node = self.formulas.node(f).clone();
        let function = match node {
            Node::True => Bdd::TRUE,
            Node::False => Bdd::FALSE,
            Node::Proposition(p) => self.bdds.variable(self.variables[&p]),
            Node::Not(g) => {
                let g = self.function(g, false);
                self.bdds.not(g)
            }
            Node::And(parts) => parts.iter().fold(Bdd::TRUE, |all, &part| {
                let part = self.function(part, returns);
                self.bdds.and(all, part)
            }),
            Node::Or(parts) => parts.iter().fold(Bdd::FALSE, |any, &part| {
                let part = self.function(part, false);
                self.bdds.or(any, part)
            }),
            Node::Next(g) | Node::StrongNext(g) => self.next(g),
            Node::Eventually(g) => self.until(f, Bdd::TRUE, g, returns),
            Node::Until(g, h) => {
                let g = self.function(g, false);
                self.until(f, g, h, returns)
            }
            Node::Always(g) => {
                let now = self.function(g, true);
                let later = self.again(f, returns);
                self.bdds.and(now, later)
            }
            Node::Release(g, h) => {
                let (g, h) = (self.function(g, false), self.function(h, false));
                let later = self.again(f, returns);
                let either = self.bdds.or(g, later);
                self.bdds.and(h, either)
            }
            Node::WeakUntil(g, h) => {
                let (g, h) = (self.function(g, false), self.function(h, false));
                let later = self.again(f, returns);
                let both = self.bdds.and(g, later);
                self.bdds.or(h, both)
            }
            Node::StrongRelease(g, h) => {
                let (now, h) = (self.function(g, false), self.function(h, false));
                let later = self.again(f, returns);
                let owed = self.promise(g);
                let later = self.bdds.and(owed, later);
                let either = self.bdds.or(now, later);
                self.bdds.and(h, either)
            }
        };
        self.functions.insert((f, returns), function);
        function
    }

    fn until(&mut self, f: Id, left: Bdd, right: Id, returns: bool) -> Bdd {
        let now = self.function(right, false);
        let later = self.again(f, returns);
        let owed = self.promise(right);
        let later = self.bdds.and(owed, later);
        let later = self.bdds.and(left, later);
        self.bdds.or(now, later)
    }

    /// That f is asked for again at the next position, unless it is anyway.
    fn again(&mut self, f: Id, returns: bool) -> Bdd {
        if returns { Bdd::TRUE } else { self.next(f) }
    }

    fn next(&mut self, f: Id) -> Bdd {
        // A conjunction is asked for part by part, so that a target does not depend on how it was grouped.
        if let Node::And(parts) = self.formulas.node(f).clone() {
            return parts.iter().fold(Bdd::TRUE, |all, &part| {
                let part = self.next(part);
                self.bdds.and(all, part)
            });
        }
        match f {
            Id::TRUE => Bdd::TRUE,
            Id::FALSE => Bdd::FALSE,
            _ => match self.nexts.get(&f) {
                Some(&known) => known,
                None => {
                    let new = self.new_variable(Meaning::Next(f));
                    self.nexts.insert(f, new);
                    new
                }
            },
        }
    }

    fn promise(&mut self, f: Id) -> Bdd {
        if let Some(&(_, known)) = self.promises.get(&f) {
            return known;
        }
        let set = self.promises.len() as u32;
        let new = self.new_variable(Meaning::Promise(set));
        self.promises.insert(f, (set, new));
        new
    }

    fn new_variable(&mut self, meaning: Meaning) -> Bdd {
        self.meanings.push(meaning);
        self.bdds.variable(self.labels + self.meanings.len() as u32 - 1)
    }
}
