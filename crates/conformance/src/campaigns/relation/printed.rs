//! The algorithms as they are printed, mistakes included: what the counterexamples are counterexamples to.

use super::plain::Plain;
use std::collections::HashSet;

/// Which relation, and which of the mistakes.
#[derive(Clone, Copy)]
pub(crate) struct Printed {
    pub(crate) bisimulation: bool,
    /// `stable := true` stands inside the loop.
    pub(crate) forgets_instability: bool,
    /// What is ticked is a target, whatever the label.
    pub(crate) ticks_targets: bool,
    /// The root is not tested for failing.
    pub(crate) trusts_the_root: bool,
    /// Pairs known not to be related are ticked too (on-the-fly-verification-1993, Act_NPV).
    pub(crate) ticks_refuted: bool,
    /// Rule R1 wants equal sets of actions also for simulations (Definition 3.1): a pair without successors is related.
    pub(crate) wants_equal_actions: bool,
}

impl Printed {
    /// equivalences-on-the-fly-1991, section 4, with nothing mended but line (4) of the simulation, which is inverted: as
    /// printed it would return FALSE for every related pair.
    pub(crate) const BISIMULATION: Printed = Printed {
        bisimulation: true,
        forgets_instability: true,
        ticks_targets: true,
        trusts_the_root: true,
        ticks_refuted: false,
        wants_equal_actions: false,
    };
    pub(crate) const SIMULATION: Printed = Printed { bisimulation: false, ..Self::BISIMULATION };
    /// All mistakes mended, to show that a counterexample is about the one it is said to be about.
    pub(crate) const MENDED: Printed = Printed {
        bisimulation: true,
        forgets_instability: false,
        ticks_targets: false,
        trusts_the_root: false,
        ticks_refuted: false,
        wants_equal_actions: false,
    };
}

type Pair = (usize, usize);
/// Side, label and target, the label 0 where only targets are ticked.
type Tick = (usize, u8, usize);

impl Printed {
    pub(crate) fn accepts(self, left: &Plain, right: &Plain) -> bool {
        let mut w = HashSet::new();
        loop {
            if let Some(result) = self.partial_dfs(left, right, &mut w) {
                return result;
            }
        }
    }

    fn tick(self, m: &mut HashSet<Tick>, label: u8, (p, q): Pair) {
        let label = if self.ticks_targets { 0 } else { label };
        m.insert((0, label, p));
        if self.bisimulation {
            m.insert((1, label, q));
        }
    }

    /// `None` for UNRELIABLE.
    fn partial_dfs(self, left: &Plain, right: &Plain, w: &mut HashSet<Pair>) -> Option<bool> {
        let has = |plain: &Plain, state: usize, label: u8| plain.0[state].iter().any(|&(l, _)| l == label);
        let fails = |(p, q): Pair| {
            left.0[p].iter().any(|&(a, _)| !has(right, q, a))
                || (self.bisimulation && right.0[q].iter().any(|&(a, _)| !has(left, p, a)))
        };
        let succ = |(p, q): Pair| {
            let mut all = Vec::new();
            if self.wants_equal_actions && right.0[q].iter().any(|&(a, _)| !has(left, p, a)) {
                return all;
            }
            for &(a, p2) in &left.0[p] {
                all.extend(right.0[q].iter().filter(|&&(b, _)| a == b).map(|&(_, q2)| (a, (p2, q2))));
            }
            all
        };
        let all_ticked = |m: &HashSet<Tick>, (p, q): Pair| {
            let label = |a: u8| if self.ticks_targets { 0 } else { a };
            if self.wants_equal_actions && succ((p, q)).is_empty() {
                return true;
            }
            left.0[p].iter().all(|&(a, p2)| m.contains(&(0, label(a), p2)))
                && (!self.bisimulation || right.0[q].iter().all(|&(a, q2)| m.contains(&(1, label(a), q2))))
        };
        let root = (0, 0);
        if !self.trusts_the_root && fails(root) {
            return Some(false);
        }
        let (mut v, mut r) = (HashSet::new(), HashSet::new());
        let mut stable = true;
        // The label by which a pair was reached is kept for ticking it when it is popped.
        let mut st1 = vec![(root, 0, succ(root))];
        let mut st2 = vec![HashSet::new(), HashSet::new()];
        while let Some((pair, label, pending)) = st1.last_mut() {
            if self.forgets_instability {
                stable = true;
            }
            let (pair, label) = (*pair, *label);
            if !pending.is_empty() {
                let (a, next) = pending.remove(0);
                let m = st2.last_mut().unwrap();
                if !v.contains(&next) && !w.contains(&next) {
                    if !st1.iter().any(|&(on_stack, _, _)| on_stack == next) {
                        if !fails(next) {
                            st1.push((next, a, succ(next)));
                            st2.push(HashSet::new());
                        }
                    } else {
                        r.insert(next);
                        self.tick(m, a, next);
                    }
                } else if !w.contains(&next) || self.ticks_refuted {
                    self.tick(m, a, next);
                }
            } else {
                st1.pop();
                let m = st2.pop().unwrap();
                v.insert(pair);
                if all_ticked(&m, pair) {
                    self.tick(st2.last_mut().unwrap(), label, pair);
                } else {
                    w.insert(pair);
                    if r.contains(&pair) {
                        stable = false;
                    }
                }
            }
        }
        if st2[0].is_empty() {
            return Some(false);
        }
        if stable { Some(true) } else { None }
    }
}
