//! HyperLogLog: an estimate of how many distinct states were put into a store that forgets (16 KiB, error 0.8 %).
//!
//! A replacing store cannot count distinct states, yet two things need the number: the report, and the test whether the
//! search still makes progress or only repeats itself (thrashing). The sketches of several searches can be joined,
//! which estimates the size of the union of what they have seen.

const REGISTER_BITS: u32 = 14;
const REGISTERS: usize = 1 << REGISTER_BITS;
/// The bits of a hash that do not choose the register; a rank is at most one more.
const RANK_BITS: usize = 64 - REGISTER_BITS as usize;

/// An estimate of a number of distinct things, of which only hashes are noted. The head of its source file explains it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distinct(Vec<u8>);

impl Default for Distinct {
    fn default() -> Self {
        Self::new()
    }
}

impl Distinct {
    /// Nothing was noted.
    pub fn new() -> Self {
        Self(vec![0; REGISTERS])
    }

    /// Notes a state.
    pub fn note_state(&mut self, state: &[u8]) {
        self.note(super::hash64(state));
    }

    /// Adds what another has noted.
    pub fn join(&mut self, other: &Distinct) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, &theirs)| *mine = theirs.max(*mine));
    }

    pub(super) fn note(&mut self, hash: u64) {
        let register = (hash >> RANK_BITS) as usize;
        let sentinel = 1 << (REGISTER_BITS - 1);
        let rank = (hash << REGISTER_BITS | sentinel).leading_zeros() as u8 + 1;
        self.0[register] = self.0[register].max(rank);
    }

    /// Ertl's estimator (2017), which unlike the original one has no bias at any size.
    pub fn estimate(&self) -> u64 {
        let mut histogram = [0.0; RANK_BITS + 2];
        self.0.iter().for_each(|&rank| histogram[usize::from(rank)] += 1.0);
        let m = REGISTERS as f64;
        let mut z = m * tau(1.0 - histogram[RANK_BITS + 1] / m);
        for &count in histogram[1..=RANK_BITS].iter().rev() {
            z = 0.5 * (z + count);
        }
        z += m * sigma(histogram[0] / m);
        (m * m / (2.0 * std::f64::consts::LN_2) / z).round() as u64
    }
}

/// x + the sum of x^(2^k) 2^(k-1) for k from 1; infinite at 1.
fn sigma(x: f64) -> f64 {
    if x == 1.0 {
        return f64::INFINITY;
    }
    let (mut power, mut weight, mut sum) = (x, 1.0, x);
    loop {
        power *= power;
        let before = sum;
        sum += power * weight;
        weight *= 2.0;
        if sum == before {
            return sum;
        }
    }
}

/// (1 - x - the sum of (1 - x^(2^-k))^2 2^-k for k from 1) / 3; nothing at 0 and 1.
fn tau(x: f64) -> f64 {
    if x == 0.0 || x == 1.0 {
        return 0.0;
    }
    let (mut root, mut weight, mut sum) = (x, 1.0, 1.0 - x);
    loop {
        root = root.sqrt();
        let before = sum;
        weight *= 0.5;
        sum -= (1.0 - root) * (1.0 - root) * weight;
        if sum == before {
            return sum / 3.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::hash64;

    #[test]
    fn joined_estimates_are_those_of_the_union() {
        let of = |range: std::ops::Range<u32>| {
            let mut distinct = Distinct::new();
            range.for_each(|i| distinct.note_state(&i.to_le_bytes()));
            distinct
        };
        let mut joined = of(0..30_000);
        joined.join(&of(20_000..50_000));
        assert_eq!(joined, of(0..50_000));
    }

    #[test]
    fn the_estimate_is_within_three_percent() {
        for n in [1u32, 2, 100, 10_000, 40_000, 1_000_000] {
            let mut distinct = Distinct::new();
            for _ in 0..2 {
                (0..n).for_each(|i| distinct.note(hash64(&i.to_le_bytes())));
            }
            let error = (distinct.estimate() as f64 - f64::from(n)).abs() / f64::from(n);
            assert!(error < 0.03, "{n}: {}", distinct.estimate());
        }
    }
}
