//! The relations, as obligations of a pair of nodes and the candidates that meet them.
//!
//! A pair (p, q) is related if every *obligation* is met by one of its *candidates*: whatever the left node challenges
//! with, the right one has an answer such that what is then compared is related; and, for equivalences that are
//! bisimulations, the other way round. Related is the greatest solution of
//!
//! ```text
//! X(p, q)  =  AND over obligations  OR over candidates  AND over one or two pairs  X(p', q')
//! ```
//!
//! (Definitions 2.3 and 2.4 of equivalences-on-the-fly-1991, for any family of languages; Definition 3.1's product has no
//! place for the difference between AND and OR, which is where its algorithms went astray.) A candidate is one pair,
//! the two nodes reached; for the branching relations two, since the node just before the answer must be related as well.
//!
//! What a challenge and an answer are is a matter of [style](super::side). Here is what else tells relations apart:
//!
//! | relation | style | who challenges |
//! |---|---|---|
//! | strong | every step | both |
//! | tau-star-a | tau*.a | both |
//! | weak, delay, branching, divergence-branching | their own | both |
//! | simulation, ready-simulation | every step | left |
//! | safety, weak-simulation | tau*.a | left |
//!
//! Safety and weak simulation are one relation. A step `p -tau-> p'` needs no answer, since `p'` can do nothing after internal steps
//! that `p` cannot; and if `q => -a-> q' => q''`, then `q'` can do all that `q''` can. The list of answers is shorter without the last steps.
//!
//! As preorders all of them let only the left side challenge. The equivalence of a relation in whose preorder only the left
//! side challenges is *two* comparisons, one each way. To ask both ways in one product would be another relation: mutual
//! similarity is not bisimilarity, and safety equivalence would silently become tau*.a bisimulation.
//!
//! Ready simulation also wants equal sets of actions: a label that only the right node has is an obligation without
//! candidates. Papers that ask for equal sets in plain simulation accept S1 = a.b against S2 = a + c.

use super::meter::{Meter, Spender};
use super::side::{Labels, Side, Style};
use elnath_kernel::{Direction, Limit, Relation, System};
use elnath_solve::table::{Hashed, mix};
use elnath_solve::{Account, Candidate, Class, Obligation, Rule, Vertex};

/// Two nodes, of the left side and of the right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Pair(pub(crate) u32, pub(crate) u32);

impl Pair {
    /// The node of a side.
    pub(crate) fn node(self, side: usize) -> u32 {
        if side == 0 { self.0 } else { self.1 }
    }

    /// A node of `side` and one of the other.
    pub(crate) fn of(side: usize, node: u32, other: u32) -> Self {
        if side == 0 { Pair(node, other) } else { Pair(other, node) }
    }
}

impl Vertex for Pair {
    type Table = Hashed<Self>;

    const NONE: Self = Pair(u32::MAX, u32::MAX);

    fn mixed(self) -> u64 {
        mix(u64::from(self.0) << 32 | u64::from(self.1))
    }
}

/// An obligation of a pair: something that one node can do and the other must answer. Its candidates are the answers, entries of the other's lists.
/// Its code is who moves, 0 or 1, in the lowest bit, and above it the challenge, an entry of the mover's lists.
pub(crate) trait Challenge {
    /// Who moves.
    fn mover(self) -> usize;

    /// With what.
    fn challenge(self) -> u32;
}

impl Challenge for Obligation {
    fn mover(self) -> usize {
        (self.code & 1) as usize
    }

    fn challenge(self) -> u32 {
        self.code >> 1
    }
}

/// What is compared, and how.
pub(crate) struct Game<'s, 'l> {
    pub(crate) sides: [Side<'s>; 2],
    pub(crate) labels: Labels<'l>,
    pub(crate) style: Style,
    /// Whether the right side challenges too.
    both: bool,
    /// Whether the right side may have no label that the left one does not have.
    ready: bool,
    /// Whether the sides have changed places.
    pub(crate) exchanged: bool,
}

/// How a relation is decided.
pub(crate) struct Rules {
    style: Style,
    both: bool,
    ready: bool,
    /// Whether a second comparison, the sides exchanged, is needed.
    pub(crate) twice: bool,
}

impl Rules {
    /// The rules of a relation, unless it is one of those that compare sets of traces.
    pub(crate) fn of(relation: Relation, direction: Direction) -> Option<Rules> {
        let (style, bisimulation) = match relation {
            Relation::Strong => (Style::Strong, true),
            Relation::Simulation | Relation::ReadySimulation => (Style::Strong, false),
            Relation::TauStarA => (Style::TauStar, true),
            Relation::Safety => (Style::TauStar, false),
            Relation::Weak => (Style::Weak, true),
            // The same relation: what a node can do with internal steps first, one can do that reaches it inside.
            Relation::WeakSimulation => (Style::TauStar, false),
            Relation::Delay => (Style::Delay, true),
            Relation::Branching => (Style::Branching { divergence: false }, true),
            Relation::DivergenceBranching => (Style::Branching { divergence: true }, true),
            _ => return None,
        };
        let equivalence = direction == Direction::Equivalence;
        let ready = relation == Relation::ReadySimulation;
        Some(Rules { style, both: bisimulation && equivalence, ready, twice: !bisimulation && equivalence })
    }
}

impl<'s, 'l> Game<'s, 'l> {
    pub(crate) fn new(
        systems: [&'s dyn System; 2],
        rules: &Rules,
        internal: &'l dyn Fn(&str) -> bool,
    ) -> Self {
        Self::beside(systems, rules, internal, 0)
    }

    /// The same for an engine beside one that has sides of its own; `first` is the number by which the left one spends.
    pub(crate) fn beside(
        systems: [&'s dyn System; 2],
        rules: &Rules,
        internal: &'l dyn Fn(&str) -> bool,
        first: usize,
    ) -> Self {
        let side = |index: usize| Side::new(systems[index], first + index, rules.style);
        Self {
            sides: [side(0), side(1)],
            labels: Labels::new(internal),
            style: rules.style,
            both: rules.both,
            ready: rules.ready,
            exchanged: false,
        }
    }

    /// The same the other way round; what is known stays known.
    pub(crate) fn exchange(&mut self) {
        self.sides.swap(0, 1);
        self.exchanged = !self.exchanged;
    }

    /// Forgets the lists of nodes, where they can be made again without exploring.
    pub(crate) fn forget(&mut self, meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
        if self.style != Style::Strong {
            for side in &mut self.sides {
                side.forget_lists();
                side.account(&self.labels, meter)?;
            }
        }
        Ok(())
    }

    /// Whether both sides challenge: then related is an equivalence of nodes.
    pub(crate) fn is_bisimulation(&self) -> bool {
        self.both
    }

    /// Whether the right side may have no label that the left one does not have.
    pub(crate) fn wants_equal_labels(&self) -> bool {
        self.ready
    }

    /// The initial states.
    pub(crate) fn root(&mut self, meter: &mut Meter<'_, '_>) -> Result<Pair, Limit> {
        let left = self.sides[0].root(&mut self.labels, meter)?;
        Ok(Pair(left, self.sides[1].root(&mut self.labels, meter)?))
    }

    /// Writes the obligations of a pair to `out`, replacing what was there; those that the pair itself meets are left out.
    /// If one of them has no candidate, it is the only one: the pair fails (the paper's *fail*).
    pub(crate) fn obligations(
        &mut self,
        pair: Pair,
        out: &mut Vec<Obligation>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), Limit> {
        out.clear();
        let [left, right] = &mut self.sides;
        left.open(pair.0, &mut self.labels, meter)?;
        right.open(pair.1, &mut self.labels, meter)?;
        let movers = if self.both || self.ready { 0..2 } else { 0..1 };
        for mover in movers {
            let answerer = 1 - mover;
            let span = self.sides[mover].challenges(pair.node(mover));
            // Challenges come label by label, and the candidates are the same for a whole group.
            let mut group = None;
            for challenge in span.start..span.start + span.len {
                let step = self.sides[mover].step(challenge);
                let answers = match group {
                    Some((label, answers)) if label == step.label => answers,
                    _ => self.sides[answerer].answers(pair.node(answerer), step.label),
                };
                group = Some((step.label, answers));
                if challenge > u32::MAX >> 1 {
                    return Err(Limit::Memory);
                }
                let code = challenge << 1 | mover as u32;
                let obligation = Obligation { code, first: answers.start, len: answers.len };
                meter.work(1 + answers.len as usize)?;
                if answers.len == 0 {
                    out.clear();
                    out.push(obligation);
                    return Ok(());
                }
                let asked = mover == 0 || self.both;
                if asked && !self.met_by_itself(pair, obligation) {
                    out.push(obligation);
                }
            }
        }
        Ok(())
    }

    /// Whether the pair itself is a candidate; in a greatest solution that is as good as none being needed.
    fn met_by_itself(&self, pair: Pair, obligation: Obligation) -> bool {
        let mover = obligation.mover();
        self.sides[mover].step(obligation.challenge()).target == pair.node(mover)
            && (0..obligation.len)
                .any(|k| self.candidate(pair, obligation, k).vertices().all(|met| met == pair))
    }

    /// The candidate with this number: the nodes reached, and beside them the mover's node and the answerer's just before its last step, where these are to be
    /// related and are not the pair itself.
    #[inline]
    pub(crate) fn candidate(&self, pair: Pair, obligation: Obligation, k: u32) -> Candidate<Pair> {
        let (mover, index) = (obligation.mover(), obligation.first + k);
        let (here, there) = (pair.node(mover), pair.node(1 - mover));
        let challenge = self.sides[mover].step(obligation.challenge());
        let answer = self.sides[1 - mover].step(index);
        let target = Pair::of(mover, challenge.target, answer.target);
        let mid = self.sides[1 - mover].mid(index).filter(|&mid| mid != there);
        let also = mid.map(|mid| Pair::of(mover, here, mid)).filter(|&mid| mid != target);
        Candidate { target, also }
    }

    /// The obligation of a pair with this code.
    pub(crate) fn obligation(&self, pair: Pair, code: u32) -> Obligation {
        let mover = (code & 1) as usize;
        let label = self.sides[mover].step(code >> 1).label;
        let answers = self.sides[1 - mover].answers(pair.node(1 - mover), label);
        Obligation { code, first: answers.start, len: answers.len }
    }
}

/// A game with an account: what the [engines](elnath_solve) play.
pub(crate) struct Played<'x, 's, 'l, 'a, 'b> {
    pub(crate) game: &'x mut Game<'s, 'l>,
    pub(crate) meter: &'x mut Meter<'a, 'b>,
}

impl Account for Played<'_, '_, '_, '_, '_> {
    type Stop = Limit;

    #[inline]
    fn work(&mut self, amount: usize) -> Result<(), Limit> {
        self.meter.work(amount)
    }

    fn occupy(&mut self, bytes: usize, looked_at: u64) -> Result<(), Limit> {
        self.meter.tick(Spender::Solver, bytes, looked_at)
    }

    #[inline]
    fn spent(&self) -> u64 {
        self.meter.spent()
    }
}

impl elnath_solve::Game for Played<'_, '_, '_, '_, '_> {
    type Vertex = Pair;

    const GLANCES: bool = false;

    /// What a pair is obliged to is not known before its steps are.
    fn glance(&mut self, _: Pair) -> Result<Option<bool>, Limit> {
        Ok(None)
    }

    fn obligations(&mut self, pair: Pair, value: bool, out: &mut Vec<Obligation>) -> Result<(), Limit> {
        debug_assert!(value, "what is asked is whether a pair is related");
        self.game.obligations(pair, out, self.meter)
    }

    #[inline]
    fn candidate(&self, pair: Pair, obligation: Obligation, number: u32) -> Option<Candidate<Pair>> {
        Some(self.game.candidate(pair, obligation, number))
    }

    /// Related is one greatest solution.
    #[inline]
    fn class(&self, _: Pair) -> Class {
        Class { block: 0, rule: Rule::Mixed(true), priority: 0 }
    }
}
