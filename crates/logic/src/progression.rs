//! Deterministic automata by progression: what a formula asks of the rest of a word, letter by letter, for all letters at once.
//!
//! A state is a Boolean function over the temporal subformulas, that after the letters so far must hold; it is derived as in the tableau, but
//! the alternatives stay together in one function, and a decision diagram over the letters has such functions for leaves. This is the
//! construction for finite words of Duret-Lutz, Zhu, Piterman, De Giacomo, Vardi 2025 on infinite ones. Two functions are one state if they are equal *given what is
//! known of the subformulas* ([`crate::implication`]): that `p2 U p3` implies `p1 U (p2 U p3)`, for one, so that right-nested untils have as
//! many states as operators. The knowledge is one function, *valid*, and a function's key is its conjunction with it.
//!
//! - For an **obligation** ([`weak`]) acceptance is a matter of the component, so that one cycle of each decides, and whether the formula holds on
//!   the word of that cycle is computed from its definition. The result is minimised (Löding 2001). There is no need of the negation's
//!   automaton, as there is for languages of which the operators do not show that they are obligations ([`crate::obligation`]).
//! - For a **recurrence** of the form `G h & ...` with a guarantee `h` ([`recurrence`]) a state has two such functions: what must be delivered
//!   before the next breakpoint, and what was asked for since the last. At a breakpoint, when the first is true, the second takes its place. This is
//!   the breakpoint construction (Miyano, Hayashi 1984) on formulas, as in Esparza, Křetínský, Sickert 2018. A chain of *n* responses has
//!   a quadratic number of states so, where the tableau has a state for every set of responses that are pending.

use std::collections::{BTreeMap, BTreeSet};

use crate::automaton::Letter;
use crate::bdd::{Bdd, Bdds};
use crate::class::Classes;
use crate::effort::{Limits, Out};
use crate::formula::{Formulas, Id, Node};
use crate::hash::Map;
use crate::implication::Implications;
use crate::mtbdd::{Choice, Mtbdd, Mtbdds};
use crate::obligation::{self, Weak};
use crate::symbolic::{Arrow, Symbolic};
use crate::tableau::Stopped;

/// Knowledge is asked for between all pairs of at most this many subformulas.
const MOST_RELATED: usize = 200;

/// The bytes of a pair of nodes that an operation on diagrams remembers.
const PAIR: usize = 32;

/// The bytes of a node of a diagram with its entry in the table.
const NODE: usize = 48;

/// The bytes of a state with its number, and of an edge as it is found and as it is kept.
const STATE: usize = 64;
const EDGE: usize = 48;

/// What all constructions need.
pub(crate) struct Scene<'a> {
    pub(crate) formulas: &'a mut Formulas,
    /// The table of the labels, whose variables are places in `propositions`.
    pub(crate) bdds: &'a mut Bdds,
    pub(crate) seen: &'a mut Implications,
    pub(crate) propositions: &'a [u32],
    /// How much work the functions over subformulas may take.
    pub(crate) work: u64,
    pub(crate) limits: &'a Limits,
}

/// The smallest deterministic weak automaton of a formula of which the operators show that it is an obligation.
pub(crate) fn weak(scene: Scene<'_>, f: Id) -> Result<Weak, Stopped> {
    let mut progression = Progression::new(scene, f)?;
    let initial = progression.function(f);
    let initial = progression.canonical(initial);
    let mut numbers: Map<Bdd, u32> = Map::from_iter([(initial, 0)]);
    let mut states = vec![initial];
    let mut arrows: Vec<Vec<Arrow>> = Vec::new();
    while arrows.len() < states.len() {
        let successors = progression.successors(states[arrows.len()])?;
        let leaving = successors.into_iter().map(|(target, label)| {
            let to = *numbers.entry(target).or_insert_with(|| {
                states.push(target);
                states.len() as u32 - 1
            });
            Arrow { to, marks: 0, label }
        });
        arrows.push(leaving.collect());
        progression.held += STATE + arrows[arrows.len() - 1].len() * EDGE;
        progression.check()?;
    }
    let accepting = {
        let Progression { bdds, formulas, functions, order, variables, labels, .. } = &mut progression;
        obligation::colours(bdds, &arrows, |state, cycle| {
            let values = values_on(formulas, order, variables, cycle);
            let value = |variable: u32| match variable.checked_sub(*labels) {
                None => cycle[0] >> variable & 1 == 1,
                Some(at) => values[at as usize],
            };
            functions.at(states[state as usize], value)
        })
    };
    let weak = obligation::minimised(progression.bdds, &arrows, &accepting);
    progression.check()?;
    Ok(weak)
}

/// A deterministic Büchi automaton for a conjunction of formulas `G h` with guarantees `h`, of guarantees and of safety properties; `None` if the
/// formula is not written as one.
pub(crate) fn recurrence(
    scene: Scene<'_>,
    f: Id,
    classes: &Map<Id, Classes>,
    most: usize,
) -> Result<Option<Symbolic>, Stopped> {
    let parts = match scene.formulas.node(f) {
        Node::And(parts) => parts.to_vec(),
        _ => vec![f],
    };
    let (mut kept, mut once, mut again) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts {
        match *scene.formulas.node(part) {
            _ if classes[&part].safety => kept.push(part),
            _ if classes[&part].guarantee => once.push(part),
            Node::Always(h) if classes[&h].guarantee => again.push(h),
            _ => return Ok(None),
        }
    }
    if again.is_empty() {
        return Ok(None);
    }
    let mut progression = Progression::new(scene, f)?;
    let safe = progression.conjunction(&kept);
    let current = progression.conjunction(&once);
    let asked = progression.conjunction(&again);
    let initial = [safe, current, Bdd::TRUE];
    let mut numbers: Map<[Bdd; 3], u32> = Map::from_iter([(initial, 0)]);
    let mut states = vec![initial];
    let mut arrows: Vec<Vec<Arrow>> = Vec::new();
    while arrows.len() < states.len() {
        let [safe, current, next] = states[arrows.len()];
        let next = progression.both(next, asked);
        let mut leaving: BTreeMap<(u32, u64), Bdd> = BTreeMap::new();
        let later = progression.successors(next)?;
        for (current, now) in progression.pairs(safe, current)? {
            for &(next, letters) in &later {
                let label = progression.bdds.and(now, letters);
                progression.bdds.spend(1)?;
                let [safe, current] = current;
                let all = progression.both(current, next);
                if label == Bdd::FALSE || progression.both(all, safe) == Bdd::FALSE {
                    continue;
                }
                // What the first function implies is delivered with it.
                let (state, marks) = match current {
                    Bdd::TRUE => ([safe, next, Bdd::TRUE], 1),
                    _ if all == current => ([safe, current, Bdd::TRUE], 0),
                    _ => ([safe, current, next], 0),
                };
                let to = *numbers.entry(state).or_insert_with(|| {
                    states.push(state);
                    states.len() as u32 - 1
                });
                let joined = leaving.entry((to, marks)).or_insert(Bdd::FALSE);
                *joined = progression.bdds.or(*joined, label);
            }
        }
        progression.held += STATE + leaving.len() * EDGE;
        arrows.push(leaving.into_iter().map(|((to, marks), label)| Arrow { to, marks, label }).collect());
        progression.check()?;
        if states.len() > most {
            return Err(Stopped::States);
        }
    }
    Ok(Some(Symbolic { sets: 1, initial: 0, arrows }))
}

struct Progression<'a> {
    formulas: &'a Formulas,
    bdds: &'a mut Bdds,
    /// The variable of each proposition, in labels and in functions.
    variables: Map<u32, u32>,
    /// How many there are.
    labels: u32,
    /// The subformulas, parts first; subformula *i* is variable `labels + i` of functions.
    order: Vec<Id>,
    places: Map<Id, u32>,
    functions: Bdds,
    /// What is known of subformulas.
    valid: Bdd,
    /// By key: the function that stands for all with that key.
    standing: Map<Bdd, Bdd>,
    diagrams: Mtbdds<Bdd>,
    /// By subformula: its derivatives.
    rows: Vec<Mtbdd>,
    derived: Map<Bdd, Mtbdd>,
    successors: Map<Bdd, Vec<(Bdd, Bdd)>>,
    /// About how many bytes states and edges take.
    held: usize,
}

/// The two operations.
#[derive(Clone, Copy, PartialEq)]
enum Junction {
    And,
    Or,
}

impl Drop for Progression<'_> {
    /// The work on functions counts as that on labels does.
    fn drop(&mut self) {
        self.bdds.count(self.functions.work());
    }
}

impl<'a> Progression<'a> {
    fn new(scene: Scene<'a>, f: Id) -> Result<Self, Stopped> {
        let Scene { formulas, bdds, seen, propositions, work, limits } = scene;
        let order = formulas.subformulas(f);
        let mut functions = Bdds::within(limits);
        functions.allow(work);
        let labels = propositions.len() as u32;
        let places: Map<Id, u32> = order.iter().zip(0..).map(|(&g, i)| (g, labels + i)).collect();
        let variables: Map<u32, u32> = propositions.iter().zip(0..).map(|(&p, i)| (p, i)).collect();
        let mut progression = Self {
            formulas,
            bdds,
            variables,
            labels,
            order,
            places,
            functions,
            valid: Bdd::TRUE,
            standing: Map::default(),
            diagrams: Mtbdds::new(),
            rows: Vec::new(),
            derived: Map::default(),
            successors: Map::default(),
            held: 0,
        };
        progression.learn(seen);
        progression.standing.insert(progression.valid, Bdd::TRUE);
        progression.standing.insert(Bdd::FALSE, Bdd::FALSE);
        progression.check()?;
        for at in 0..progression.order.len() {
            let row = progression.row(progression.order[at])?;
            progression.rows.push(row);
            progression.check()?;
        }
        Ok(progression)
    }

    /// What implies what among the temporal subformulas. What propositions imply would be more to know, but they come first in the order of
    /// variables, and a dozen of them that each imply one subformula make a diagram of thousands of nodes.
    fn learn(&mut self, seen: &mut Implications) {
        let temporal = |g: &Id| {
            !matches!(
                self.formulas.node(*g),
                Node::True | Node::False | Node::Proposition(_) | Node::Not(_) | Node::And(_) | Node::Or(_)
            )
        };
        let related: Vec<Id> = self.order.iter().copied().filter(temporal).collect();
        if related.len() > MOST_RELATED {
            return;
        }
        for (i, &g) in related.iter().enumerate().rev() {
            for &h in related.iter().skip(i + 1) {
                for (left, right) in [(g, h), (h, g)] {
                    if seen.implies(self.formulas, left, right) {
                        let (left, right) = (self.function(left), self.function(right));
                        let not_left = self.functions.not(left);
                        let known = self.functions.or(not_left, right);
                        self.valid = self.functions.and(self.valid, known);
                    }
                }
            }
        }
    }

    /// Fails if anything ran out.
    fn check(&mut self) -> Result<(), Stopped> {
        self.functions.spend(1)?;
        self.bdds.afford(self.held + self.functions.bytes() + self.diagrams.len() * NODE)?;
        Ok(())
    }

    /// A formula as a function.
    fn function(&mut self, f: Id) -> Bdd {
        match self.formulas.node(f) {
            Node::True => Bdd::TRUE,
            Node::False => Bdd::FALSE,
            Node::Proposition(p) => self.functions.variable(self.variables[p]),
            Node::Not(g) => {
                let g = self.function(*g);
                self.functions.not(g)
            }
            Node::And(parts) => parts.iter().fold(Bdd::TRUE, |all, &part| {
                let part = self.function(part);
                self.functions.and(all, part)
            }),
            Node::Or(parts) => parts.iter().fold(Bdd::FALSE, |any, &part| {
                let part = self.function(part);
                self.functions.or(any, part)
            }),
            _ => self.functions.variable(self.places[&f]),
        }
    }

    fn conjunction(&mut self, parts: &[Id]) -> Bdd {
        parts.iter().fold(Bdd::TRUE, |all, &part| {
            let part = self.function(part);
            self.both(all, part)
        })
    }

    /// The function that stands for this one.
    fn canonical(&mut self, f: Bdd) -> Bdd {
        standing(&mut self.functions, &mut self.standing, self.valid, f)
    }

    fn both(&mut self, f: Bdd, g: Bdd) -> Bdd {
        let both = self.functions.and(f, g);
        self.canonical(both)
    }

    fn join(&mut self, junction: Junction, f: Mtbdd, g: Mtbdd) -> Result<Mtbdd, Stopped> {
        let Self { functions, standing: known, valid, diagrams, .. } = self;
        let (work, memory) = (functions.allowance(), (functions.limits().memory / PAIR) as u64);
        let most = usize::try_from(work.min(memory)).unwrap_or(usize::MAX);
        let before = diagrams.len();
        let joined = diagrams.apply_within(f, g, most, |a, b| {
            let joined = if junction == Junction::And { functions.and(a, b) } else { functions.or(a, b) };
            standing(functions, known, *valid, joined)
        });
        functions.spend((diagrams.len() - before) as u64)?;
        joined.ok_or(Stopped::Out(if memory < work { Out::Memory } else { Out::Work }))
    }

    /// The derivatives of a subformula, those of its parts being known.
    fn row(&mut self, f: Id) -> Result<Mtbdd, Stopped> {
        let of = |this: &Self, g: Id| this.rows[(this.places[&g] - this.labels) as usize];
        let formulas = self.formulas;
        match formulas.node(f) {
            Node::True => Ok(self.diagrams.leaf(Bdd::TRUE)),
            Node::False => Ok(self.diagrams.leaf(Bdd::FALSE)),
            Node::Proposition(p) => Ok(self.literal(self.variables[p], true)),
            Node::Not(g) => match formulas.node(*g) {
                Node::Proposition(p) => Ok(self.literal(self.variables[p], false)),
                _ => unreachable!("negations are on propositions"),
            },
            Node::And(parts) | Node::Or(parts) => {
                let junction =
                    if matches!(formulas.node(f), Node::And(_)) { Junction::And } else { Junction::Or };
                let mut all = of(self, parts[0]);
                for &part in &parts[1..] {
                    all = self.join(junction, all, of(self, part))?;
                }
                Ok(all)
            }
            Node::Next(g) | Node::StrongNext(g) => {
                let next = self.function(*g);
                let next = self.canonical(next);
                Ok(self.diagrams.leaf(next))
            }
            Node::Eventually(g) => self.again(f, Junction::Or, None, of(self, *g)),
            Node::Always(g) => self.again(f, Junction::And, None, of(self, *g)),
            Node::Until(g, h) | Node::WeakUntil(g, h) => {
                self.again(f, Junction::Or, Some(of(self, *g)), of(self, *h))
            }
            Node::Release(g, h) | Node::StrongRelease(g, h) => {
                self.again(f, Junction::And, Some(of(self, *g)), of(self, *h))
            }
        }
    }

    /// `right or (left and again)`, or the dual.
    fn again(&mut self, f: Id, outer: Junction, left: Option<Mtbdd>, right: Mtbdd) -> Result<Mtbdd, Stopped> {
        let again = self.functions.variable(self.places[&f]);
        let again = self.canonical(again);
        let mut later = self.diagrams.leaf(again);
        if let Some(left) = left {
            let inner = if outer == Junction::Or { Junction::And } else { Junction::Or };
            later = self.join(inner, left, later)?;
        }
        self.join(outer, right, later)
    }

    fn literal(&mut self, variable: u32, sign: bool) -> Mtbdd {
        let (no, yes) = (self.diagrams.leaf(Bdd::FALSE), self.diagrams.leaf(Bdd::TRUE));
        if sign { self.diagrams.branch(variable, no, yes) } else { self.diagrams.branch(variable, yes, no) }
    }

    /// The derivatives of a function, which is monotone in the temporal subformulas.
    fn derive(&mut self, function: Bdd) -> Result<Mtbdd, Stopped> {
        if let Some(&known) = self.derived.get(&function) {
            return Ok(known);
        }
        let Some((variable, low, high)) = self.functions.decision(function) else {
            return Ok(self.diagrams.leaf(function));
        };
        let (mut low, high) = (self.derive(low)?, self.derive(high)?);
        let test = match variable.checked_sub(self.labels) {
            Some(at) => self.rows[at as usize],
            None => {
                let not = self.literal(variable, false);
                low = self.join(Junction::And, not, low)?;
                self.literal(variable, true)
            }
        };
        let then = self.join(Junction::And, test, high)?;
        let row = self.join(Junction::Or, low, then)?;
        self.derived.insert(function, row);
        Ok(row)
    }

    /// What follows a function, with the letters: disjoint, and all of them together.
    fn successors(&mut self, function: Bdd) -> Result<Vec<(Bdd, Bdd)>, Stopped> {
        if let Some(known) = self.successors.get(&function) {
            return Ok(known.clone());
        }
        let row = self.derive(function)?;
        self.check()?;
        // The letters flow down from the root: a node is complete once all nodes above it were expanded.
        let mut letters: Map<Mtbdd, Bdd> = Map::from_iter([(row, Bdd::TRUE)]);
        let mut above: BTreeSet<(u32, Mtbdd)> =
            BTreeSet::from([(self.diagrams.root(row).unwrap_or(u32::MAX), row)]);
        let mut found: BTreeMap<Bdd, Bdd> = BTreeMap::new();
        while let Some((_, node)) = above.pop_first() {
            let here = letters[&node];
            let (variable, low, high) = match self.diagrams.choice(node) {
                Choice::Leaf(target) => {
                    found.insert(target, here);
                    continue;
                }
                Choice::Branch { proposition, low, high } => (proposition, low, high),
            };
            for (child, sign) in [(low, false), (high, true)] {
                let literal = self.bdds.literal(variable, sign);
                let via = self.bdds.and(here, literal);
                let known = letters.get(&child).copied().unwrap_or(Bdd::FALSE);
                let joined = self.bdds.or(known, via);
                letters.insert(child, joined);
                above.insert((self.diagrams.root(child).unwrap_or(u32::MAX), child));
            }
            self.bdds.spend(1)?;
        }
        let found: Vec<(Bdd, Bdd)> = found.into_iter().collect();
        self.successors.insert(function, found.clone());
        Ok(found)
    }

    /// What follows two functions at once, where neither becomes false.
    fn pairs(&mut self, f: Bdd, g: Bdd) -> Result<Vec<([Bdd; 2], Bdd)>, Stopped> {
        let (left, right) = (self.successors(f)?, self.successors(g)?);
        let mut pairs = Vec::new();
        for &(f, here) in left.iter().filter(|(f, _)| *f != Bdd::FALSE) {
            for &(g, there) in right.iter().filter(|(g, _)| *g != Bdd::FALSE) {
                let both = self.bdds.and(here, there);
                if both != Bdd::FALSE {
                    pairs.push(([f, g], both));
                }
            }
        }
        self.bdds.spend(pairs.len() as u64)?;
        Ok(pairs)
    }
}

fn standing(functions: &mut Bdds, known: &mut Map<Bdd, Bdd>, valid: Bdd, f: Bdd) -> Bdd {
    let key = functions.and(f, valid);
    if functions.spend(0).is_err() {
        return Bdd::FALSE;
    }
    *known.entry(key).or_insert(f)
}

/// By subformula: whether it holds on the word that repeats `cycle`, by the definition of the operators.
fn values_on(formulas: &Formulas, order: &[Id], variables: &Map<u32, u32>, cycle: &[Letter]) -> Vec<bool> {
    let length = cycle.len();
    let mut values: Vec<Vec<bool>> = Vec::with_capacity(order.len());
    let mut places: Map<Id, usize> = Map::default();
    for (i, &f) in order.iter().enumerate() {
        let at = |g: Id, place: usize| values[places[&g]][place % length];
        // Twice around, backwards, is enough to come to a fixpoint.
        let around = |end: bool, step: &dyn Fn(usize, bool) -> bool| {
            let mut found = vec![end; length];
            let mut later = end;
            for place in (0..2 * length).rev() {
                later = step(place % length, later);
                found[place % length] = later;
            }
            found
        };
        let each = |holds: &dyn Fn(usize) -> bool| (0..length).map(holds).collect::<Vec<bool>>();
        let row = match formulas.node(f) {
            Node::True => vec![true; length],
            Node::False => vec![false; length],
            Node::Proposition(p) => each(&|place| cycle[place] >> variables[p] & 1 == 1),
            Node::Not(g) => each(&|place| !at(*g, place)),
            Node::And(parts) => each(&|place| parts.iter().all(|&part| at(part, place))),
            Node::Or(parts) => each(&|place| parts.iter().any(|&part| at(part, place))),
            Node::Next(g) | Node::StrongNext(g) => each(&|place| at(*g, place + 1)),
            Node::Eventually(g) => around(false, &|place, later| at(*g, place) || later),
            Node::Always(g) => around(true, &|place, later| at(*g, place) && later),
            Node::Until(g, h) => around(false, &|place, later| at(*h, place) || at(*g, place) && later),
            Node::WeakUntil(g, h) => around(true, &|place, later| at(*h, place) || at(*g, place) && later),
            Node::Release(g, h) => around(true, &|place, later| at(*h, place) && (at(*g, place) || later)),
            Node::StrongRelease(g, h) => {
                around(false, &|place, later| at(*h, place) && (at(*g, place) || later))
            }
        };
        values.push(row);
        places.insert(f, i);
    }
    values.into_iter().map(|row| row[0]).collect()
}
