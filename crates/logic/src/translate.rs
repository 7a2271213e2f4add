//! From a formula to a small automaton.
//!
//! Formulas are tiny against state spaces and every state of the automaton multiplies those of the system, so several ways are gone, and the
//! smallest automaton is taken:
//!
//! - the tableau ([`crate::tableau`]) of the formula simplified in two ways, and as written, read in two ways;
//! - for obligations and some recurrences, a deterministic automaton by progression ([`crate::progression`]); if the operators do not show that
//!   a language is an obligation, powerset and products may ([`crate::obligation`]);
//! - `G F g` for a guarantee `g`: the automaton of `F g`, begun again each time it accepts. (Spot does this with a deterministic automaton of `F g`;
//!   ours need not be, so that `GF(a <-> X^n a)` has a linear number of states.)
//! - a conjunction of many `G F p`: set aside, and put back as marks on the edges of the rest's automaton (the *suspension* of Babiak et al., SPIN
//!   2013, for the case in which nothing needs to be remembered).
//!
//! All are pruned and reduced by simulation. None of them is good for all formulas, and the one that is small is often quick as well, so that they
//! are tried with the same amount of work, which grows until one succeeds: a formula of which four constructions explode costs little more than
//! its best one, and there is no number of states at which a family of formulas is suddenly refused.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;

use crate::automaton::{Automaton, MOST_PROPOSITIONS, MOST_SETS};
use crate::bdd::{Bdd, Bdds};
use crate::class::{Classes, written};
use crate::effort::{Limits, Out, Phase};
use crate::formula::{Formulas, Id, Node};
use crate::hash::Map;
use crate::obligation::{self, Weak};
use crate::progression::{self, Scene};
use crate::scc::{Components, Passing, Strength, prune, share_sets, symbolic_strength};
use crate::simplify::{Ends, Simplifier};
use crate::simulation::{Acceptance, reduce};
use crate::symbolic::{Arrow, Symbolic};
use crate::tableau::{Reading, Stopped, tableau};

/// Whether a part of a formula is constant is asked for parts with small automata only.
const MOST_STATES_FOR_A_CONSTANT: usize = 100;

/// The work that such a question may take, and all of them together.
const WORK_FOR_A_CONSTANT: u64 = 50_000;
const WORK_FOR_CONSTANTS: u64 = 2_000_000;

/// Automata of at most this many states are cheap to reduce.
const FEW_STATES: usize = 64;

/// With how much work each way is tried first, and how many times as much the next time.
const FIRST_WORK: u64 = 400_000;
const MORE_WORK: u64 = 6;

/// Once there is an automaton, the others are tried with a few times the work that it took, or this much.
const LEAST_WORK: u64 = 100_000;

/// The work in search of a deterministic automaton of a language that is perhaps an obligation.
const WORK_FOR_AN_OBLIGATION: u64 = 3_000_000;

/// More conjuncts `G F p` than this are set aside. Fewer are told apart by letters, which is deterministic but takes an edge for each set of them.
const FEW_FAIR: usize = 8;

/// How far a translation may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The largest automaton that a construction may have before it is reduced.
    pub most_states: usize,
    /// The work that all constructions together may take, see [`crate::effort`].
    pub most_work: u64,
    /// The largest powerset that is built in search of a deterministic automaton.
    pub most_sets_of_states: usize,
    /// Whether formula and automaton are reduced at all; without, the automaton is the tableau as it is.
    pub reduce: bool,
}

impl Options {
    /// What is usual: only the [limits](Limits) bound a translation.
    pub const DEFAULT: Self =
        Self { most_states: usize::MAX, most_work: u64::MAX, most_sets_of_states: 1_000, reduce: true };

    /// For automata that are of use only if they are small.
    pub const SMALL: Self =
        Self { most_states: 200, most_work: 1_000_000, most_sets_of_states: 200, ..Self::DEFAULT };
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
    /// Every construction has more states, or takes more work, than the [options](Options) allow.
    TooLarge,
    /// A label is a sum of more products than fit into the memory.
    Label,
    /// The time is up.
    Time(Phase),
    /// More memory is needed than the limits allow.
    Memory(Phase),
}

impl Refusal {
    /// Whether it is a limit that was reached, so that there is no answer, but no fault in the question either.
    pub fn ran_out(self) -> bool {
        matches!(self, Refusal::TooLarge | Refusal::Label | Refusal::Time(_) | Refusal::Memory(_))
    }
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
            Refusal::TooLarge => f.write_str("the automaton of the formula is larger than it may be here"),
            Refusal::Label => f.write_str(
                "a label of the formula's automaton has more products of propositions than fit into memory",
            ),
            Refusal::Time(phase) => write!(f, "the time was up while {phase}"),
            Refusal::Memory(phase) => write!(f, "the memory was used up while {phase}"),
        }
    }
}

impl std::error::Error for Refusal {}

/// The automaton that accepts the infinite words on which `f` holds. Its propositions are those of `f`, in the order of
/// their numbers, under their [names](crate::formula::Atom::name).
///
/// # Errors
///
/// If the formula is too large for an automaton within the options, and a gigabyte of memory.
pub fn translate(formulas: &Formulas, f: Id, options: Options) -> Result<Automaton, Refusal> {
    translate_within(formulas, f, options, &Limits::default())
}

/// The same within limits.
///
/// # Errors
///
/// If the formula is too large for an automaton within the options, or a limit is reached.
pub fn translate_within(
    formulas: &Formulas,
    f: Id,
    options: Options,
    limits: &Limits,
) -> Result<Automaton, Refusal> {
    let mut work = Work::new(formulas, f, options, limits)?;
    let automaton = if options.reduce { work.both(f)?.automaton } else { work.plain(f)? };
    work.finish(&automaton)
}

/// Whether it is shown, with little work, that no infinite word satisfies `f`.
pub fn is_contradictory(formulas: &Formulas, f: Id, options: Options) -> bool {
    let Ok(mut work) = Work::new(formulas, f, options, &Limits::default()) else { return false };
    let strength = work.attempt(u64::MAX, |work| {
        let automaton = work.pruned(f)?;
        Ok(symbolic_strength(&mut work.bdds, &automaton))
    });
    strength == Ok(Strength::Empty)
}

/// A translation under way: the table of formulas grows, and all automata share their labels.
pub(crate) struct Work {
    formulas: Formulas,
    inside: Simplifier,
    outside: Simplifier,
    bdds: Bdds,
    propositions: Vec<u32>,
    options: Options,
    limits: Limits,
    /// The work that is left of what the options allow.
    left: u64,
    /// That of the last attempt.
    spent: u64,
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

/// A construction of an automaton.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Tableau(Id, Reading),
    /// By progression, deterministic and weak.
    Obligation(Id),
    /// By progression with breakpoints.
    Recurrence(Id),
    /// The automaton of this guarantee, begun again each time it accepts.
    Repeated(Id),
}

/// What a way leads to.
enum Found {
    Automaton(Symbolic),
    Weak(Weak),
}

impl Work {
    pub(crate) fn new(
        formulas: &Formulas,
        f: Id,
        options: Options,
        limits: &Limits,
    ) -> Result<Self, Refusal> {
        let propositions = formulas.propositions(f);
        if propositions.len() > MOST_PROPOSITIONS {
            return Err(Refusal::Propositions(propositions.len()));
        }
        Ok(Self {
            formulas: formulas.clone(),
            inside: Simplifier::new(Ends::Inside, limits),
            outside: Simplifier::new(Ends::Outside, limits),
            bdds: Bdds::within(limits),
            propositions,
            options,
            limits: limits.clone(),
            left: options.most_work,
            spent: 0,
        })
    }

    /// The table of the labels.
    pub(crate) fn bdds(&mut self) -> &mut Bdds {
        &mut self.bdds
    }

    /// Makes an attempt with some work. If it fails, nothing is left of it, so that its memory is there for others.
    fn attempt<T>(
        &mut self,
        work: u64,
        way: impl FnOnce(&mut Self) -> Result<T, Stopped>,
    ) -> Result<T, Stopped> {
        let before = self.bdds.clone();
        let begun = self.bdds.work();
        self.bdds.allow(work.min(self.left));
        let found = way(self);
        let found = found.and_then(|found| self.bdds.spend(0).map(|()| found).map_err(Stopped::Out));
        self.spent = self.bdds.work() - begun;
        self.left = self.left.saturating_sub(self.spent);
        if found.is_err() {
            self.bdds = before;
        }
        self.bdds.allow(u64::MAX);
        found
    }

    fn tableau(&mut self, f: Id, reading: Reading, most: usize) -> Result<Symbolic, Stopped> {
        let Self { formulas, bdds, inside, propositions, .. } = self;
        tableau(formulas, bdds, inside.seen(), f, propositions, reading, most)
    }

    fn plain(&mut self, f: Id) -> Result<Symbolic, Refusal> {
        let f = self.formulas.infinite(f);
        let most = self.options.most_states;
        self.attempt(u64::MAX, |work| work.tableau(f, Reading::Letters, most)).map_err(refusal)
    }

    /// `f` without conjunctions and disjunctions that are constant for reasons that no rule sees, such as
    /// `p | X q | !(p | X q)` written in two different ways. Small tableaux decide.
    fn without_constants(&mut self, f: Id, left: &mut u64, done: &mut HashMap<Id, Id>) -> Id {
        if let Some(&known) = done.get(&f) {
            return known;
        }
        let children: Vec<Id> = (self.formulas.children(f).into_iter())
            .map(|child| self.without_constants(child, left, done))
            .collect();
        let mut result = self.formulas.rebuild(f, &children);
        let junction = matches!(self.formulas.node(result), Node::And(_) | Node::Or(_));
        if junction && !self.formulas.is_boolean(result) {
            let negated = self.formulas.negative(result);
            let negated = self.formulas.infinite(negated);
            if self.is_false(result, left) {
                result = Id::FALSE;
            } else if self.is_false(negated, left) {
                result = Id::TRUE;
            }
        }
        done.insert(f, result);
        result
    }

    fn is_false(&mut self, f: Id, left: &mut u64) -> bool {
        let most = self.options.most_states.min(MOST_STATES_FOR_A_CONSTANT);
        let strength = self.attempt(WORK_FOR_A_CONSTANT.min(*left), |work| {
            let automaton = work.tableau(f, Reading::Products, most)?;
            Ok(symbolic_strength(&mut work.bdds, &automaton))
        });
        *left = left.saturating_sub(self.spent.max(1));
        strength == Ok(Strength::Empty)
    }

    /// An automaton that is right and no more, for products that must be empty. Read by products: read by letters the
    /// negation of a conjunction of eight fairness conditions has 10,000 states instead of 33.
    fn pruned(&mut self, f: Id) -> Result<Symbolic, Stopped> {
        let f = self.inside.simplify(&mut self.formulas, f);
        if let Some((rest, fair)) = self.fair_apart(f) {
            let mut automaton = self.pruned(rest)?;
            self.put_back(&mut automaton, &fair)?;
            return Ok(automaton);
        }
        let most = self.options.most_states.min(self.options.most_sets_of_states);
        let mut automaton = self.tableau(f, Reading::Products, most)?;
        prune(&mut self.bdds, &mut automaton, Passing::Unmarked);
        Ok(automaton)
    }

    /// The smallest automaton found, and the deterministic weak one if the operators show that there is one.
    fn reduced(&mut self, f: Id) -> Result<(Symbolic, Option<Weak>), Refusal> {
        let written_as = self.formulas.infinite(f);
        let simple = self.inside.simplify(&mut self.formulas, f);
        let varied = self.without_constants(simple, &mut { WORK_FOR_CONSTANTS }, &mut HashMap::new());
        let simple = self.inside.simplify(&mut self.formulas, varied);
        let other = self.outside.simplify(&mut self.formulas, varied);
        for simplifier in [&mut self.inside, &mut self.outside] {
            if let Some(out) = simplifier.seen().out() {
                return Err(refusal(Stopped::Out(out)).in_phase(Phase::Simplifying));
            }
        }
        if let Some((rest, fair)) = self.fair_apart(simple) {
            let (mut automaton, _) = self.reduced(rest)?;
            self.put_back(&mut automaton, &fair).map_err(refusal)?;
            return Ok((automaton, None));
        }
        let classes = written(&self.formulas, simple);
        let is = classes[&simple];
        // What explodes least comes first: the size of its automaton bounds the others.
        let mut ways = Vec::new();
        if is.obligation {
            ways.push(Way::Obligation(simple));
        } else if is.recurrence {
            ways.push(Way::Recurrence(simple));
            if let Node::Always(g) = *self.formulas.node(simple)
                && classes[&g].guarantee
                && matches!(self.formulas.node(g), Node::Eventually(_))
            {
                ways.push(Way::Repeated(g));
            }
        }
        ways.extend([
            Way::Tableau(simple, Reading::Products),
            Way::Tableau(simple, Reading::Letters),
            Way::Tableau(other, Reading::Products),
            Way::Tableau(other, Reading::Letters),
            Way::Tableau(written_as, Reading::Letters),
        ]);
        self.smallest(&ways, &classes)
    }

    /// Goes all the ways with more and more work until one leads to an automaton, and takes the smallest.
    fn smallest(
        &mut self,
        ways: &[Way],
        classes: &Map<Id, Classes>,
    ) -> Result<(Symbolic, Option<Weak>), Refusal> {
        let mut most = self.options.most_states;
        let mut best: Option<Symbolic> = None;
        let mut weak: Option<Weak> = None;
        let mut pruned: Vec<Symbolic> = Vec::new();
        let mut ended: Vec<Way> = Vec::new();
        let mut refused = Refusal::TooLarge;
        let mut lettered = false;
        let mut allowed = FIRST_WORK;
        while best.is_none() && weak.is_none() && self.left > 0 {
            for &way in ways {
                if ended.contains(&way) {
                    continue;
                }
                let mut automaton = match self.attempt(allowed, |work| work.go(way, most, allowed, classes)) {
                    Ok(Some(Found::Automaton(automaton))) => automaton,
                    Ok(Some(Found::Weak(found))) => {
                        weak = Some(found);
                        ended.push(way);
                        allowed = allowed.min((MORE_WORK * self.spent).max(LEAST_WORK));
                        continue;
                    }
                    Ok(None) => {
                        ended.push(way);
                        continue;
                    }
                    Err(Stopped::Out(Out::Work)) if self.left > 0 => continue,
                    Err(why @ Stopped::Out(Out::Time)) => return Err(refusal(why)),
                    Err(why) => {
                        refused = refusal(why);
                        ended.push(way);
                        continue;
                    }
                };
                ended.push(way);
                allowed = allowed.min((MORE_WORK * self.spent).max(LEAST_WORK));
                // What is much larger to begin with will not be the smallest in the end.
                most = most.min((2 * automaton.states()).saturating_add(FEW_STATES));
                prune(&mut self.bdds, &mut automaton, Passing::Unmarked);
                // Rivals of a large automaton are reduced only if they look better from the start.
                let hopeful = (best.as_ref()).is_none_or(|best| {
                    automaton.states() <= FEW_STATES || automaton.states() < best.states()
                });
                if !hopeful || pruned.contains(&automaton) {
                    continue;
                }
                pruned.push(automaton.clone());
                self.reduce(&mut automaton)?;
                // Of two of the same size the one read by letters, which is closer to a deterministic one.
                let by_letters = matches!(way, Way::Tableau(_, Reading::Letters)) && !lettered;
                let better = |best: &Symbolic| match automaton.size().cmp(&best.size()) {
                    Ordering::Equal => by_letters,
                    other => other == Ordering::Less,
                };
                if best.as_ref().is_none_or(better) {
                    lettered = matches!(way, Way::Tableau(_, Reading::Letters) | Way::Recurrence(_));
                    best = Some(automaton);
                }
            }
            if ended.len() == ways.len() || allowed == u64::MAX {
                break;
            }
            allowed = allowed.saturating_mul(MORE_WORK);
        }
        if best.is_none()
            && let Some(weak) = &weak
        {
            let mut automaton = weak.automaton(false);
            prune(&mut self.bdds, &mut automaton, Passing::Unmarked);
            self.reduce(&mut automaton)?;
            best = Some(automaton);
        }
        best.map(|best| (best, weak)).ok_or(refused)
    }

    fn go(
        &mut self,
        way: Way,
        most: usize,
        work: u64,
        classes: &Map<Id, Classes>,
    ) -> Result<Option<Found>, Stopped> {
        let automaton = match way {
            Way::Tableau(f, reading) => self.tableau(f, reading, most)?,
            Way::Obligation(f) => {
                return progression::weak(self.scene(work), f).map(|weak| Some(Found::Weak(weak)));
            }
            Way::Recurrence(f) => match progression::recurrence(self.scene(work), f, classes, most)? {
                Some(automaton) => automaton,
                None => return Ok(None),
            },
            Way::Repeated(g) => {
                let mut automaton = self.tableau(g, Reading::Products, most)?;
                prune(&mut self.bdds, &mut automaton, Passing::Unmarked);
                reduce(&mut self.bdds, &mut automaton, Acceptance::Edges)?;
                match repeated(&mut self.bdds, &automaton) {
                    Some(automaton) => automaton,
                    None => return Ok(None),
                }
            }
        };
        Ok(Some(Found::Automaton(automaton)))
    }

    fn scene(&mut self, work: u64) -> Scene<'_> {
        let Self { formulas, bdds, inside, propositions, limits, .. } = self;
        Scene { formulas, bdds, seen: inside.seen(), propositions, work, limits }
    }

    fn reduce(&mut self, automaton: &mut Symbolic) -> Result<(), Refusal> {
        reduce(&mut self.bdds, automaton, Acceptance::Edges)
            .map_err(|out| refusal(Stopped::Out(out)).in_phase(Phase::Reducing))
    }

    /// The conjuncts `G F p` with `p` about single letters, if there are many, and what is left.
    fn fair_apart(&mut self, f: Id) -> Option<(Id, Vec<Id>)> {
        let mut parts = match self.formulas.node(f) {
            Node::And(parts) => parts.to_vec(),
            _ => vec![f],
        };
        let (mut rest, mut fair) = (Vec::new(), Vec::new());
        while let Some(part) = parts.pop() {
            let Node::Always(g) = *self.formulas.node(part) else {
                rest.push(part);
                continue;
            };
            match self.formulas.node(g).clone() {
                Node::And(inner) => {
                    // G(f & g) is G f & G g.
                    let split: Vec<Id> = inner.iter().map(|&h| self.formulas.always(h)).collect();
                    parts.extend(split);
                }
                Node::Eventually(p) if self.formulas.is_boolean(p) => fair.push(p),
                _ => rest.push(part),
            }
        }
        fair.sort_unstable();
        (fair.len() > FEW_FAIR).then(|| (self.formulas.conjunction(rest), fair))
    }

    /// Demands each of `fair` infinitely often: an edge stays as it is, and once more for each of them, with its mark for the letters where it
    /// holds. Of two that hold at the same time one is marked, which is no loss, since each has its turn again.
    fn put_back(&mut self, automaton: &mut Symbolic, fair: &[Id]) -> Result<(), Stopped> {
        prune(&mut self.bdds, automaton, Passing::Unmarked);
        let sets = automaton.sets + fair.len() as u32;
        if sets > MOST_SETS {
            return Err(Stopped::Sets(sets as usize));
        }
        let conditions: Vec<Bdd> = fair.iter().map(|&p| self.letters(p)).collect();
        let components = Components::new(automaton);
        for (s, arrows) in automaton.arrows.iter_mut().enumerate() {
            let component = components.of[s];
            let inside: Vec<Arrow> = (arrows.iter().copied())
                .filter(|a| {
                    components.of[a.to as usize] == component && components.accepting[component as usize]
                })
                .collect();
            for arrow in inside {
                for (set, &condition) in (automaton.sets..).zip(&conditions) {
                    let label = self.bdds.and(arrow.label, condition);
                    if label != Bdd::FALSE {
                        arrows.push(Arrow { label, marks: arrow.marks | 1 << set, ..arrow });
                    }
                }
            }
        }
        automaton.sets = sets;
        self.bdds.spend(0).map_err(Stopped::Out)
    }

    /// The letters that satisfy a formula without temporal operators.
    fn letters(&mut self, f: Id) -> Bdd {
        let junction = |work: &mut Self, parts: &[Id], unit: Bdd, join: fn(&mut Bdds, Bdd, Bdd) -> Bdd| {
            parts.iter().fold(unit, |all, &part| {
                let part = work.letters(part);
                join(&mut work.bdds, all, part)
            })
        };
        match self.formulas.node(f).clone() {
            Node::True => Bdd::TRUE,
            Node::False => Bdd::FALSE,
            Node::Proposition(p) => {
                let place = self.propositions.iter().position(|&q| q == p);
                self.bdds.variable(place.expect("the propositions are the formula's") as u32)
            }
            Node::Not(g) => {
                let g = self.letters(g);
                self.bdds.not(g)
            }
            Node::And(parts) => junction(self, &parts, Bdd::TRUE, Bdds::and),
            Node::Or(parts) => junction(self, &parts, Bdd::FALSE, Bdds::or),
            _ => unreachable!("has no temporal operator"),
        }
    }

    /// The smallest automaton of a formula, with what was found on the way.
    pub(crate) fn both(&mut self, f: Id) -> Result<Both, Refusal> {
        let (mut automaton, mut weak) = self.reduced(f)?;
        let mut negation = None;
        if weak.is_none() {
            let negated = self.formulas.negative(f);
            negation = self.attempt(WORK_FOR_AN_OBLIGATION, |work| work.pruned(negated)).ok();
            let most = self.options.most_sets_of_states;
            if let Some(negation) = &negation {
                let minimal = self.attempt(WORK_FOR_AN_OBLIGATION, |work| {
                    Ok(obligation::minimal(&mut work.bdds, &automaton, negation, most))
                });
                weak = minimal.ok().flatten();
            }
        }
        if let Some(weak) = &weak {
            let mut rival = weak.automaton(false);
            prune(&mut self.bdds, &mut rival, Passing::Unmarked);
            // The deterministic automaton wins if it is as small.
            if rival.size().0 <= automaton.size().0 {
                automaton = rival.clone();
            }
            self.reduce(&mut rival)?;
            if rival.size().0 < automaton.size().0 {
                automaton = rival;
            }
        }
        Ok(Both { automaton, negation, weak })
    }

    /// As an automaton with names.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn finish(&mut self, automaton: &Symbolic) -> Result<Automaton, Refusal> {
        let mut automaton = automaton.clone();
        if self.options.reduce {
            share_sets(&mut automaton);
            automaton.join_arrows(&mut self.bdds);
            automaton.compact();
        }
        let atoms = self.formulas.atoms();
        let names = self.propositions.iter().map(|&p| atoms[p as usize].name()).collect();
        automaton.to_automaton_within(&mut self.bdds, names).map_err(|out| match out {
            Out::Memory => Refusal::Label,
            out => refusal(Stopped::Out(out)).in_phase(Phase::Labelling),
        })
    }
}

fn refusal(stopped: Stopped) -> Refusal {
    match stopped {
        Stopped::Out(Out::Time) => Refusal::Time(Phase::Building),
        Stopped::Out(Out::Memory) => Refusal::Memory(Phase::Building),
        Stopped::Out(Out::Work) | Stopped::States => Refusal::TooLarge,
        Stopped::Sets(n) => Refusal::Sets(n),
    }
}

impl Refusal {
    fn in_phase(self, phase: Phase) -> Self {
        match self {
            Refusal::Time(_) => Refusal::Time(phase),
            Refusal::Memory(_) => Refusal::Memory(phase),
            other => other,
        }
    }
}

/// Accepts the words that are made of infinitely many good prefixes, one after the other, of a terminal automaton: where it would accept, it
/// begins again, with a mark. `None` if the automaton is not terminal, or accepts at once.
fn repeated(bdds: &mut Bdds, automaton: &Symbolic) -> Option<Symbolic> {
    if symbolic_strength(bdds, automaton) != Strength::Terminal {
        return None;
    }
    let components = Components::new(automaton);
    let accepted = |s: u32| components.accepting[components.of[s as usize] as usize];
    if accepted(automaton.initial) {
        return None;
    }
    let again = |arrow: &Arrow| match accepted(arrow.to) {
        true => Arrow { to: automaton.initial, marks: 1, ..*arrow },
        false => Arrow { marks: 0, ..*arrow },
    };
    let arrows = automaton.arrows.iter().map(|arrows| arrows.iter().map(again).collect()).collect();
    let mut again = Symbolic { sets: 1, initial: automaton.initial, arrows };
    again.compact();
    Some(again)
}
