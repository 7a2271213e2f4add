//! Formulas of CTL made simpler before they are walked: fewer operators, and operators that one state decides instead of those that need all.
//!
//! Negations move to the propositions first, so that each law is written once. Then, from below, an operator is joined with what is
//! directly below it. Every law holds in each state of each graph, also in states without successors, where a run ends:
//!
//! | formula | is | since |
//! |---|---|---|
//! | `EF EF p`, `EF AF p`, `EF E[q U p]`, `EF A[q U p]` | `EF p` | each of them holds where `p` does, and has `p` after it on some run |
//! | `AF EF p`, `E[q U EF p]`, `A[q U EF p]` | `EF p` | where some run comes to `EF p`, `EF p` holds already |
//! | `AF AF p`, `AF A[q U p]`, `A[q U AF p]` | `AF p` | |
//! | `AF (EF p \|\| q)` | `EF p \|\| AF q` | the same with a rest; also for `U` |
//! | `E[q U E[q U p]]`, `A[q U A[q U p]]` | the inner one | |
//!
//! and the duals with `G`, `R` and the other quantifier. `EG true` stays as it is, and so do `AF false` and what is like them: they hold or fail because there is a
//! maximal run, and evidence has to show one. (LoLA has more than a hundred such laws, and TAPAAL as many; those here are what the files of
//! the Model Checking Contest contain often.) What has variables or actions is left as it is: a law would have to see through fixpoints.

use super::ast::{CtlOperator, MuFormulas, MuId, MuNode, Quantifier};
use std::collections::HashMap;

/// An equivalent formula, in which negations stand before propositions and before what is not of CTL.
pub(super) fn rewritten(formulas: &mut MuFormulas, f: MuId) -> MuId {
    let mut rewriting = Rewriting { formulas, done: HashMap::new(), known: HashMap::new() };
    rewriting.run(f)
}

struct Rewriting<'a> {
    formulas: &'a mut MuFormulas,
    /// What formulas have become, as they are and negated.
    done: HashMap<(MuId, bool), MuId>,
    /// Equal formulas are one, so that laws can compare them.
    known: HashMap<MuNode, MuId>,
}

enum Task {
    Enter(MuId, bool),
    Leave(MuId, bool),
}

/// Whether a node is looked into.
fn is_of_ctl(node: &MuNode) -> bool {
    matches!(node, MuNode::Not(_) | MuNode::And(_) | MuNode::Or(_) | MuNode::Implies(..) | MuNode::Ctl(..))
}

impl Rewriting<'_> {
    fn run(&mut self, f: MuId) -> MuId {
        let mut tasks = vec![Task::Enter(f, true)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Enter(f, positive) => {
                    if self.done.contains_key(&(f, positive)) {
                        continue;
                    }
                    tasks.push(Task::Leave(f, positive));
                    let node = self.formulas.node(f);
                    match node {
                        MuNode::Not(g) => tasks.push(Task::Enter(*g, !positive)),
                        MuNode::Implies(g, h) => {
                            tasks.extend([Task::Enter(*h, positive), Task::Enter(*g, !positive)]);
                        }
                        node if is_of_ctl(node) => {
                            let children = node.children().into_iter().rev();
                            tasks.extend(children.map(|child| Task::Enter(child, positive)));
                        }
                        _ => {}
                    }
                }
                Task::Leave(f, positive) => {
                    let made = self.leave(f, positive);
                    self.done.insert((f, positive), made);
                }
            }
        }
        self.done[&(f, true)]
    }

    fn leave(&mut self, f: MuId, positive: bool) -> MuId {
        let of = |done: &HashMap<(MuId, bool), MuId>, g: MuId| done[&(g, positive)];
        match self.formulas.node(f).clone() {
            MuNode::True => self.constant(positive),
            MuNode::False => self.constant(!positive),
            MuNode::Not(g) => self.done[&(g, !positive)],
            MuNode::Implies(g, h) => {
                let parts = vec![self.done[&(g, !positive)], of(&self.done, h)];
                self.joined(!positive, parts)
            }
            MuNode::And(parts) => {
                let parts = parts.iter().map(|&g| of(&self.done, g)).collect();
                self.joined(positive, parts)
            }
            MuNode::Or(parts) => {
                let parts = parts.iter().map(|&g| of(&self.done, g)).collect();
                self.joined(!positive, parts)
            }
            MuNode::Ctl(quantifier, operator) => self.operator(quantifier, operator, positive),
            node @ (MuNode::Deadlock | MuNode::Proposition(_)) => {
                let one = self.make(node);
                self.with_sign(one, positive)
            }
            // Variables, fixpoints, modalities and equivalences.
            _ => self.with_sign(f, positive),
        }
    }

    fn with_sign(&mut self, f: MuId, positive: bool) -> MuId {
        if positive { f } else { self.make(MuNode::Not(f)) }
    }

    fn make(&mut self, node: MuNode) -> MuId {
        if let Some(&known) = self.known.get(&node) {
            return known;
        }
        let made = self.formulas.add(node.clone());
        self.known.insert(node, made);
        made
    }

    fn constant(&mut self, value: bool) -> MuId {
        self.make(if value { MuNode::True } else { MuNode::False })
    }

    fn value(&self, f: MuId) -> Option<bool> {
        match self.formulas.node(f) {
            MuNode::True => Some(true),
            MuNode::False => Some(false),
            _ => None,
        }
    }

    /// A conjunction or a disjunction without constants and repetitions.
    fn joined(&mut self, all: bool, parts: Vec<MuId>) -> MuId {
        if parts.iter().any(|&part| self.value(part) == Some(!all)) {
            return self.constant(!all);
        }
        let mut seen = std::collections::HashSet::new();
        let left: Vec<MuId> =
            parts.into_iter().filter(|&part| self.value(part).is_none() && seen.insert(part)).collect();
        match left[..] {
            [] => self.constant(all),
            [one] => one,
            _ if all => self.make(MuNode::And(left.into_boxed_slice())),
            _ => self.make(MuNode::Or(left.into_boxed_slice())),
        }
    }

    /// An operator whose parts are rewritten; under a negation its dual.
    fn operator(&mut self, quantifier: Quantifier, operator: CtlOperator, positive: bool) -> MuId {
        use CtlOperator::{Finally, Globally, Next, Release, Until, WeakUntil};
        let of = |g: MuId| self.done[&(g, positive)];
        let all = (quantifier == Quantifier::All) == positive;
        match (operator, positive) {
            (Next(f), _) => {
                let f = of(f);
                self.make(MuNode::Ctl(quantifier_of(all), Next(f)))
            }
            (Finally(f), true) | (Globally(f), false) => {
                let f = of(f);
                self.constantly(true, all, f)
            }
            (Globally(f), true) | (Finally(f), false) => {
                let f = of(f);
                self.constantly(false, all, f)
            }
            (Until(f, g), true) | (Release(f, g), false) => {
                let (f, g) = (of(f), of(g));
                self.chain(true, all, f, g)
            }
            (Release(f, g), true) | (Until(f, g), false) => {
                let (f, g) = (of(f), of(g));
                self.chain(false, all, f, g)
            }
            (WeakUntil(f, g), true) => {
                let (f, g) = (of(f), of(g));
                match (self.value(f), self.value(g)) {
                    (_, Some(true)) => g,
                    (Some(true), _) if all => f,
                    (Some(false), _) => g,
                    (_, Some(false)) => self.constantly(false, all, f),
                    _ => self.make(MuNode::Ctl(quantifier_of(all), WeakUntil(f, g))),
                }
            }
            // !(p W q) = !q U (!p & !q).
            (WeakUntil(f, g), false) => {
                let (f, g) = (of(f), of(g));
                let both = self.joined(true, vec![f, g]);
                self.chain(true, all, g, both)
            }
        }
    }

    /// `F p` (`must`) or `G p`, over all runs or some. The laws are written for `F`; for `G` everything is the other way round, also the quantifier.
    fn constantly(&mut self, must: bool, all: bool, mut f: MuId) -> MuId {
        // As if it were F.
        let every = all == must;
        loop {
            if self.is_decided(must, every, f) {
                return f;
            }
            if let Some((inner, within)) = self.inner(must, f) {
                match (every, inner.every) {
                    // EF EF p, EF AF p and with U below.
                    (false, _) => f = within,
                    // AF EF p, but not with U.
                    (true, false) if !inner.chain => return f,
                    // AF A[q U p] and AF AF p.
                    (true, true) if inner.chain => f = within,
                    (true, true) => return f,
                    _ => break,
                }
                continue;
            }
            let Some(parts) = self.parts(must, f) else { break };
            let (mut outside, mut rest, mut changed) = (Vec::new(), Vec::new(), false);
            for mut part in parts {
                loop {
                    match self.inner(must, part) {
                        Some((inner, _)) if every && !inner.every && !inner.chain => {
                            outside.push(part);
                            changed = true;
                            break;
                        }
                        Some((inner, within)) if !every || inner.every => {
                            part = within;
                            changed = true;
                        }
                        _ => {
                            rest.push(part);
                            break;
                        }
                    }
                }
            }
            if !changed {
                break;
            }
            let left = self.joined(!must, rest);
            if outside.is_empty() {
                f = left;
                continue;
            }
            if self.value(left) != Some(!must) {
                let left = self.constantly_plain(must, all, left);
                outside.push(left);
            }
            return self.joined(!must, outside);
        }
        self.constantly_plain(must, all, f)
    }

    /// Whether a constant is also what `F`, `G`, `U` or `R` makes of it, whether or not there is a maximal run.
    fn is_decided(&self, must: bool, every: bool, f: MuId) -> bool {
        self.value(f).is_some_and(|value| !every || value == must)
    }

    fn constantly_plain(&mut self, must: bool, all: bool, f: MuId) -> MuId {
        let operator = if must { CtlOperator::Finally(f) } else { CtlOperator::Globally(f) };
        self.make(MuNode::Ctl(quantifier_of(all), operator))
    }

    /// `p U q` (`must`) or `p R q`, over all runs or some.
    fn chain(&mut self, must: bool, all: bool, f: MuId, g: MuId) -> MuId {
        let every = all == must;
        if self.is_decided(must, every, g) || f == g || self.value(f) == Some(!must) {
            return g;
        }
        if self.value(f) == Some(must) {
            return self.constantly(must, all, g);
        }
        if let Some((inner, _)) = self.inner(must, g) {
            let is_same = inner.chain && inner.every == every && self.before(g) == Some(f);
            let finally = !inner.chain && (!inner.every || every);
            if is_same || finally {
                return g;
            }
        }
        if let Some(parts) = self.parts(must, g) {
            let is_outside =
                |part: &MuId| self.inner(must, *part).is_some_and(|(inner, _)| !inner.chain && !inner.every);
            let (mut outside, rest): (Vec<MuId>, Vec<MuId>) = parts.into_iter().partition(is_outside);
            if !outside.is_empty() {
                let rest = self.joined(!must, rest);
                let rest =
                    if self.value(rest).is_some() { rest } else { self.chain_plain(must, all, f, rest) };
                outside.push(rest);
                return self.joined(!must, outside);
            }
        }
        self.chain_plain(must, all, f, g)
    }

    fn chain_plain(&mut self, must: bool, all: bool, f: MuId, g: MuId) -> MuId {
        let operator = if must { CtlOperator::Until(f, g) } else { CtlOperator::Release(f, g) };
        self.make(MuNode::Ctl(quantifier_of(all), operator))
    }

    /// The parts of a disjunction (of a conjunction, for `G` and `R`).
    fn parts(&self, must: bool, f: MuId) -> Option<Vec<MuId>> {
        match (self.formulas.node(f), must) {
            (MuNode::Or(parts), true) | (MuNode::And(parts), false) => Some(parts.to_vec()),
            _ => None,
        }
    }

    /// If a formula is `F p` or `q U p` (`G p` or `q R p`): which, and `p`.
    fn inner(&self, must: bool, f: MuId) -> Option<(Inner, MuId)> {
        let MuNode::Ctl(quantifier, operator) = self.formulas.node(f) else { return None };
        let every = (*quantifier == Quantifier::All) == must;
        let (chain, p) = match (operator, must) {
            (CtlOperator::Finally(p), true) | (CtlOperator::Globally(p), false) => (false, *p),
            (CtlOperator::Until(_, p), true) | (CtlOperator::Release(_, p), false) => (true, *p),
            _ => return None,
        };
        // What holds or fails because there is a maximal run is not looked through.
        self.value(p).is_none().then_some((Inner { every, chain }, p))
    }

    /// What `q U p` or `q R p` has on its left.
    fn before(&self, f: MuId) -> Option<MuId> {
        match self.formulas.node(f) {
            MuNode::Ctl(_, CtlOperator::Until(q, _) | CtlOperator::Release(q, _)) => Some(*q),
            _ => None,
        }
    }
}

/// The operator below another.
struct Inner {
    /// Whether it is about all runs (of `G` and `R`: about some).
    every: bool,
    /// Whether it is `U` or `R`.
    chain: bool,
}

fn quantifier_of(all: bool) -> Quantifier {
    if all { Quantifier::All } else { Quantifier::Some }
}
