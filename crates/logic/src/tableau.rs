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
//! another matter: it makes the same promises. So is a part that makes no promise at all, being written without `U`, `F` and `M`: were it
//! violated, a finite prefix would show it, and violate the part that implies it as well. Such parts are left out, for otherwise
//! `G(p -> (q | X(q | ...)))` has a state for every set of deadlines, of which only the first matters.

use std::collections::BTreeMap;

use crate::automaton::MOST_SETS;
use crate::bdd::{Bdd, Bdds};
use crate::effort::Out;
use crate::formula::{Formulas, Id, Node};
use crate::hash::Map;
use crate::implication::Implications;
use crate::symbolic::{Arrow, Symbolic, all_sets};

/// Why a construction ended without an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// Something ran out.
    Out(Out),
    /// There are more states than were asked for.
    States,
    /// There are this many promises, more than an automaton has acceptance sets.
    Sets(usize),
}

impl From<Out> for Stopped {
    fn from(out: Out) -> Self {
        Stopped::Out(out)
    }
}

/// How edges are read off a state's function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Letter by letter: for each different remainder over `Next` and `Promise` its products. Edges overlap less, so
    /// that the automaton is closer to a deterministic one.
    Letters,
    /// The products of the whole function: often fewer edges.
    Products,
}

/// What a variable of a state's function stands for.
#[derive(Clone, Copy)]
enum Meaning {
    /// A proposition, by its variable in labels.
    Proposition(u32),
    Next(Id),
    Promise(u32),
}

/// Builds the automaton of `f`, which must be in the form for infinite words ([`Formulas::infinite`]); proposition
/// `propositions[i]` is variable `i` of labels.
pub(crate) fn tableau(
    formulas: &mut Formulas,
    bdds: &mut Bdds,
    seen: &mut Implications,
    f: Id,
    propositions: &[u32],
    reading: Reading,
    most_states: usize,
) -> Result<Symbolic, Stopped> {
    let mut functions = Bdds::within(bdds.limits());
    functions.allow(bdds.allowance());
    let mut tableau = Tableau {
        formulas,
        labels: bdds,
        functions,
        seen,
        safe: Map::default(),
        places: propositions.iter().zip(0..).map(|(&p, place)| (p, place)).collect(),
        variables: Map::default(),
        meanings: Vec::new(),
        nexts: Map::default(),
        promises: Map::default(),
        known: Map::default(),
        copied: Map::default(),
        most_states,
    };
    if reading == Reading::Letters {
        for &proposition in propositions {
            tableau.proposition(proposition);
        }
    }
    let built = tableau.build(f, reading);
    let work = tableau.functions.work();
    bdds.count(work);
    built
}

struct Tableau<'a> {
    formulas: &'a mut Formulas,
    /// The table of the labels, which outlives the tableau.
    labels: &'a mut Bdds,
    /// That of the functions. Their variables are numbered as they are met, a proposition beside what is asked of the future when it holds: were
    /// all propositions first, `G p1 | ... | G pn` would have an exponential diagram. To be read by letters, they must be first all the same.
    functions: Bdds,
    seen: &'a mut Implications,
    /// Which formulas make no promise.
    safe: Map<Id, bool>,
    /// The variable of each proposition in labels.
    places: Map<u32, u32>,
    /// And in functions.
    variables: Map<u32, Bdd>,
    /// What the variables of functions stand for.
    meanings: Vec<Meaning>,
    nexts: Map<Id, Bdd>,
    /// By what is promised: the number of its set and its variable.
    promises: Map<Id, (u32, Bdd)>,
    /// r, once for a formula that comes back by itself and once for one that does not.
    known: Map<(Id, bool), Bdd>,
    /// Conditions on letters, as labels.
    copied: Map<Bdd, Bdd>,
    most_states: usize,
}

impl Tableau<'_> {
    fn build(&mut self, f: Id, reading: Reading) -> Result<Symbolic, Stopped> {
        // The function of a state is its identity; its number is the order in which it was met.
        let mut numbers: Map<Bdd, u32> = Map::default();
        let mut states: Vec<Bdd> = Vec::new();
        let mut arrows: Vec<Vec<Arrow>> = Vec::new();
        let mut held = 0;
        let initial = self.function(f, false);
        numbers.insert(initial, 0);
        states.push(initial);
        while arrows.len() < states.len() {
            let mut leaving: BTreeMap<(u32, u64), Bdd> = BTreeMap::new();
            let edges = self.edges(states[arrows.len()], reading)?;
            self.labels.spend(edges.len() as u64)?;
            for (label, target, owed) in edges {
                let function = self.function(target, false);
                self.functions.spend(1)?;
                if function == Bdd::FALSE {
                    continue;
                }
                let to = *numbers.entry(function).or_insert_with(|| {
                    states.push(function);
                    states.len() as u32 - 1
                });
                let joined = leaving.entry((to, owed)).or_insert(Bdd::FALSE);
                *joined = self.labels.or(*joined, label);
            }
            held += 64 + leaving.len() * size_of::<Arrow>();
            self.labels.afford(held + self.functions.bytes())?;
            arrows.push(leaving.into_iter().map(|((to, marks), label)| Arrow { to, marks, label }).collect());
            if states.len() > self.most_states {
                return Err(Stopped::States);
            }
            if self.promises.len() > MOST_SETS as usize {
                return Err(Stopped::Sets(self.promises.len()));
            }
        }
        let sets = self.promises.len() as u32;
        for arrow in arrows.iter_mut().flatten() {
            arrow.marks = all_sets(sets) & !arrow.marks;
        }
        Ok(Symbolic { sets, initial: 0, arrows })
    }

    /// The edges that a function stands for: label, target, and what is owed.
    fn edges(&mut self, function: Bdd, reading: Reading) -> Result<Vec<(Bdd, Id, u64)>, Stopped> {
        let mut edges = Vec::new();
        let parts = match reading {
            Reading::Letters => match self.functions.cofactors(function, self.places.len() as u32) {
                Some(parts) => parts,
                None => return Err(self.ran_out()),
            },
            Reading::Products => vec![(Bdd::TRUE, function)],
        };
        for (condition, rest) in parts {
            let condition = self.functions.copied_to(self.labels, condition, &mut self.copied);
            let Some(products) = self.functions.sum_of_products_within(rest) else {
                return Err(self.ran_out());
            };
            for product in products {
                let mut label = condition;
                let mut targets = Vec::new();
                let mut owed = 0;
                for (variable, sign) in product {
                    let meaning = self.meanings[variable as usize];
                    debug_assert!(
                        sign || matches!(meaning, Meaning::Proposition(_)),
                        "r is monotone in what it asks of the future"
                    );
                    match meaning {
                        Meaning::Proposition(place) => {
                            let literal = self.labels.literal(place, sign);
                            label = self.labels.and(label, literal);
                        }
                        Meaning::Next(g) => targets.push(g),
                        // Beyond 64 sets the construction is refused anyway.
                        Meaning::Promise(set) => owed |= 1u64.checked_shl(set).unwrap_or(0),
                    }
                }
                self.leave_out_implied(&mut targets);
                let target = self.formulas.conjunction(targets);
                edges.push((label, target, owed));
            }
        }
        Ok(edges)
    }

    fn ran_out(&mut self) -> Stopped {
        Stopped::Out(self.functions.spend(0).expect_err("nothing else ends an operation early"))
    }

    /// Leaves out what makes no promise and follows from another part.
    fn leave_out_implied(&mut self, targets: &mut Vec<Id>) {
        let mut at = 0;
        while at < targets.len() {
            let part = targets[at];
            let implied = self.is_safe(part)
                && targets
                    .iter()
                    .any(|&other| other != part && self.seen.implies(self.formulas, other, part));
            if implied {
                targets.remove(at);
            } else {
                at += 1;
            }
        }
    }

    /// Whether a formula is written without `U`, `F` and `M`.
    fn is_safe(&mut self, f: Id) -> bool {
        if let Some(&known) = self.safe.get(&f) {
            return known;
        }
        let promises =
            matches!(self.formulas.node(f), Node::Eventually(_) | Node::Until(..) | Node::StrongRelease(..));
        let safe = !promises && self.formulas.children(f).into_iter().all(|part| self.is_safe(part));
        self.safe.insert(f, safe);
        safe
    }

    /// r(f); `returns` says that f will be asked for again at the next position in any case.
    fn function(&mut self, f: Id, returns: bool) -> Bdd {
        if let Some(&known) = self.known.get(&(f, returns)) {
            return known;
        }
        let node = self.formulas.node(f).clone();
        let function = match node {
            Node::True => Bdd::TRUE,
            Node::False => Bdd::FALSE,
            Node::Proposition(p) => self.proposition(p),
            Node::Not(g) => {
                let g = self.function(g, false);
                self.functions.not(g)
            }
            Node::And(parts) => parts.iter().fold(Bdd::TRUE, |all, &part| {
                let part = self.function(part, returns);
                self.functions.and(all, part)
            }),
            Node::Or(parts) => parts.iter().fold(Bdd::FALSE, |any, &part| {
                let part = self.function(part, false);
                self.functions.or(any, part)
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
                self.functions.and(now, later)
            }
            Node::Release(g, h) => {
                let (g, h) = (self.function(g, false), self.function(h, false));
                let later = self.again(f, returns);
                let either = self.functions.or(g, later);
                self.functions.and(h, either)
            }
            Node::WeakUntil(g, h) => {
                let (g, h) = (self.function(g, false), self.function(h, false));
                let later = self.again(f, returns);
                let both = self.functions.and(g, later);
                self.functions.or(h, both)
            }
            Node::StrongRelease(g, h) => {
                let (now, h) = (self.function(g, false), self.function(h, false));
                let later = self.again(f, returns);
                let owed = self.promise(g);
                let later = self.functions.and(owed, later);
                let either = self.functions.or(now, later);
                self.functions.and(h, either)
            }
        };
        self.known.insert((f, returns), function);
        function
    }

    fn until(&mut self, f: Id, left: Bdd, right: Id, returns: bool) -> Bdd {
        let now = self.function(right, false);
        let later = self.again(f, returns);
        let owed = self.promise(right);
        let later = self.functions.and(owed, later);
        let later = self.functions.and(left, later);
        self.functions.or(now, later)
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
                self.functions.and(all, part)
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

    fn proposition(&mut self, proposition: u32) -> Bdd {
        if let Some(&known) = self.variables.get(&proposition) {
            return known;
        }
        let new = self.new_variable(Meaning::Proposition(self.places[&proposition]));
        self.variables.insert(proposition, new);
        new
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
        self.functions.variable(self.meanings.len() as u32 - 1)
    }
}
