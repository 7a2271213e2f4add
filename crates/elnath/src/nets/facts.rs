//! What is known of all markings of a net without walking it, so that parts of formulas are constants.
//!
//! | fact | since |
//! |---|---|
//! | a transition that can never be fired | it takes from a place that no sequence of steps ever marks, if tokens were never taken away (a least fixpoint) |
//! | the most tokens of a place | no transition adds to it; or a *place invariant*: a sum with non-negative factors that no transition changes, so that it is always what it is at first (Memmi and Roucairol 1980) |
//! | the least tokens of a place | no transition takes from it, or gives back less |
//!
//! Invariants are found by Farkas' elimination, transition by transition, and given up where there are too many. Each is checked against every transition
//! before it is used. (The state equation as a linear program tells more, as TAPAAL uses it; and needs a solver whose answers are checked.)

use elnath_petri::net::PetriNet;
use elnath_petri::predicate::{AgainstZero, MarkingTest, Predicate, TokenSum};

/// More rows than this are not combined.
const MOST_ROWS: usize = 600;
/// Work of the elimination.
const MOST_WORK: usize = 60_000_000;

/// Facts about all markings that can be reached.
pub(crate) struct NetFacts {
    /// By place: the least tokens, and the most if that is known.
    range: Vec<(u32, Option<u32>)>,
    /// By transition: whether it is never enabled.
    never: Vec<bool>,
    /// Sums that do not change: factors by place, and the value.
    invariants: Vec<(Vec<i64>, i64)>,
}

impl NetFacts {
    /// The facts about a net.
    pub(crate) fn of(net: &PetriNet) -> Self {
        let never = never_fired(net);
        let places = net.places.len();
        let effects: Vec<Vec<(u32, i64)>> = (0..net.transitions.len())
            .filter(|&t| !never[t])
            .map(|t| net.effect(t as u32).into_iter().filter(|&(_, added)| added != 0).collect())
            .collect();
        let (mut rises, mut falls) = (vec![false; places], vec![false; places]);
        for &(place, added) in effects.iter().flatten() {
            rises[place as usize] |= added > 0;
            falls[place as usize] |= added < 0;
        }
        let mut range: Vec<(u32, Option<u32>)> = (0..places)
            .map(|p| {
                let tokens = net.initial[p];
                (if falls[p] { 0 } else { tokens }, (!rises[p]).then_some(tokens))
            })
            .collect();
        let invariants = invariants(net, &effects);
        for (factors, value) in &invariants {
            for (p, &factor) in factors.iter().enumerate().filter(|(_, factor)| **factor > 0) {
                let most = u32::try_from(value / factor).unwrap_or(u32::MAX);
                let known = range[p].1.unwrap_or(u32::MAX);
                range[p].1 = Some(known.min(most));
            }
        }
        Self { range, never, invariants }
    }

    /// The value of a predicate, if it has the same in all markings that can be reached.
    pub(crate) fn value(&self, predicate: &Predicate) -> Option<bool> {
        predicate.constant(|test| self.test(test))
    }

    fn test(&self, test: &MarkingTest) -> Option<bool> {
        match test {
            MarkingTest::Constant(value) => Some(*value),
            MarkingTest::Dead => None,
            MarkingTest::Fireable(all) => all.iter().all(|&t| self.never[t as usize]).then_some(false),
            MarkingTest::Compare(sum, against) => {
                let (least, most) = self.bounds(sum);
                match against {
                    AgainstZero::AtMost if most.is_some_and(|most| most <= 0) => Some(true),
                    AgainstZero::AtMost if least.is_some_and(|least| least > 0) => Some(false),
                    AgainstZero::AtMost => None,
                    AgainstZero::Equal | AgainstZero::Different => {
                        let equal = match (least, most) {
                            (Some(0), Some(0)) => Some(true),
                            (Some(least), _) if least > 0 => Some(false),
                            (_, Some(most)) if most < 0 => Some(false),
                            _ => None,
                        };
                        equal.map(|equal| equal == (*against == AgainstZero::Equal))
                    }
                }
            }
        }
    }

    /// Between what a sum is.
    fn bounds(&self, sum: &TokenSum) -> (Option<i64>, Option<i64>) {
        let (mut least, mut most) = (Some(sum.constant), Some(sum.constant));
        for &(place, factor) in &sum.places {
            let (low, high) = self.range[place as usize];
            let (low, high) = (Some(i64::from(low)), high.map(i64::from));
            let (low, high) = if factor >= 0 { (low, high) } else { (high, low) };
            let add = |sum: Option<i64>, tokens: Option<i64>| sum?.checked_add(tokens?.checked_mul(factor)?);
            (least, most) = (add(least, low), add(most, high));
        }
        // An invariant that covers what is added bounds it as a whole.
        for (factors, value) in &self.invariants {
            let within = |sign: i64| {
                sum.places.iter().all(|&(place, factor)| sign * factor <= factors[place as usize])
            };
            if within(1) {
                let bound = sum.constant.checked_add(*value);
                most = most.map_or(bound, |most| bound.map(|bound| bound.min(most)));
            }
            let mut beyond = factors.clone();
            sum.places.iter().for_each(|&(place, factor)| beyond[place as usize] -= factor);
            if beyond.iter().all(|&rest| rest <= 0) && sum.places.iter().all(|&(_, factor)| factor >= 0) {
                let bound = sum.constant.checked_add(*value);
                least = least.map_or(bound, |least| bound.map(|bound| bound.max(least)));
            }
            if within(-1) {
                let bound = sum.constant.checked_sub(*value);
                least = least.map_or(bound, |least| bound.map(|bound| bound.max(least)));
            }
        }
        (least, most)
    }
}

/// The transitions that are not enabled even if no token is ever taken away.
fn never_fired(net: &PetriNet) -> Vec<bool> {
    let mut marked: Vec<bool> = net.initial.iter().map(|&tokens| tokens > 0).collect();
    let mut never = vec![true; net.transitions.len()];
    loop {
        let mut changed = false;
        for (t, never) in never.iter_mut().enumerate() {
            if *never && net.consumes[t].iter().all(|&(place, _)| marked[place as usize]) {
                *never = false;
                changed = true;
                net.produces[t].iter().for_each(|&(place, _)| marked[place as usize] = true);
            }
        }
        if !changed {
            return never;
        }
    }
}

/// Sums with non-negative factors that no transition changes.
fn invariants(net: &PetriNet, effects: &[Vec<(u32, i64)>]) -> Vec<(Vec<i64>, i64)> {
    let places = net.places.len();
    // A row: what each transition adds to the sum, and the factors of the sum.
    let mut rows: Vec<(Vec<i64>, Vec<i64>)> = (0..places)
        .map(|p| (vec![0; effects.len()], (0..places).map(|q| i64::from(p == q)).collect()))
        .collect();
    if places > MOST_ROWS || places.saturating_mul(effects.len() + places) > MOST_WORK {
        return Vec::new();
    }
    for (t, effect) in effects.iter().enumerate() {
        effect.iter().for_each(|&(place, added)| rows[place as usize].0[t] = added);
    }
    let mut work = 0;
    let mut left: Vec<usize> = (0..effects.len()).collect();
    while !left.is_empty() {
        // The transition that makes the fewest rows.
        let pairs = |t: usize| {
            let up = rows.iter().filter(|row| row.0[t] > 0).count();
            let down = rows.iter().filter(|row| row.0[t] < 0).count();
            up * down
        };
        work += left.len() * rows.len();
        let (at, &t) = left.iter().enumerate().min_by_key(|(_, t)| pairs(**t)).expect("there is one left");
        left.swap_remove(at);
        let (touched, mut kept): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.0[t] != 0);
        let (up, down): (Vec<_>, Vec<_>) = touched.into_iter().partition(|row| row.0[t] > 0);
        for (one, other) in up.iter().flat_map(|one| down.iter().map(move |other| (one, other))) {
            work += one.0.len() + one.1.len();
            // What would be too many is left out: fewer invariants are found, and none is wrong.
            if kept.len() >= MOST_ROWS || work > MOST_WORK {
                break;
            }
            kept.extend(combined(one, other, t));
        }
        rows = kept;
        if work > MOST_WORK {
            return Vec::new();
        }
    }
    let holds = |factors: &[i64]| {
        factors.iter().all(|&factor| factor >= 0)
            && effects.iter().all(|effect| {
                let sum = effect
                    .iter()
                    .map(|&(place, added)| i128::from(added) * i128::from(factors[place as usize]));
                sum.sum::<i128>() == 0
            })
    };
    let value = |factors: &[i64]| {
        let sum = factors
            .iter()
            .zip(&net.initial)
            .map(|(&factor, &tokens)| i128::from(factor) * i128::from(tokens));
        i64::try_from(sum.sum::<i128>()).ok()
    };
    rows.into_iter()
        .filter(|(_, factors)| holds(factors))
        .filter_map(|(_, factors)| value(&factors).map(|value| (factors, value)))
        .collect()
}

/// The smallest sum of multiples of two rows to which a transition adds nothing.
fn combined(
    one: &(Vec<i64>, Vec<i64>),
    other: &(Vec<i64>, Vec<i64>),
    t: usize,
) -> Option<(Vec<i64>, Vec<i64>)> {
    let (a, b) = (other.0[t].checked_neg()?, one.0[t]);
    let join = |one: &[i64], other: &[i64]| -> Option<Vec<i64>> {
        one.iter().zip(other).map(|(&x, &y)| a.checked_mul(x)?.checked_add(b.checked_mul(y)?)).collect()
    };
    let (mut changes, mut factors) = (join(&one.0, &other.0)?, join(&one.1, &other.1)?);
    let divisor = changes.iter().chain(&factors).fold(0u64, |divisor, &x| gcd(divisor, x.unsigned_abs()));
    if let Ok(divisor @ 2..) = i64::try_from(divisor) {
        changes.iter_mut().chain(&mut factors).for_each(|x| *x /= divisor);
    }
    Some((changes, factors))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
