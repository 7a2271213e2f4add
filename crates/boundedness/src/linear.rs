//! Linear programs: maximise c.x where A.x <= b and x >= 0, with b >= 0. A solver guesses, whole numbers decide.
//!
//! What is wanted is not the x but a proof that there is no better one: a weight for each inequality, not negative, such
//! that the weighted inequalities add up to at least the objective. Then their right-hand sides add up to a bound. So it is
//! the dual program that is given to the solver (microlp, in floating point): its solution is the weights themselves, and
//! if it has none the objective has no bound, the origin being feasible.
//!
//! A floating answer decides nothing. Its weights are taken for fractions with small denominators, all are brought to one
//! denominator, and the proof is checked in whole numbers. Any weights that pass prove a bound, best or not; weights that do
//! not pass prove nothing, and the answer is that there is no bound. The coefficients are nearly all 0 and 1, so that the
//! weights of a vertex are such fractions. An exact simplex method was here before: on 114 public models and 100,000
//! random ones it found no bound that this does not find, and it took more memory, being dense, and more lines.

use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};

/// The inequalities A.x <= b, by columns.
#[derive(Clone, Debug, Default)]
pub struct Inequalities {
    /// For each unknown: the inequalities it occurs in, each once, and with what coefficient.
    pub columns: Vec<Vec<(usize, i64)>>,
    /// The right-hand sides, none of them negative.
    pub rights: Vec<i64>,
}

/// A bound of an objective, with what proves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The bound.
    pub value: Ratio,
    /// A weight for each inequality.
    pub weights: Vec<Ratio>,
}

/// A fraction in lowest terms, with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    num: i128,
    den: i128,
}

impl Ratio {
    fn new(num: i128, den: i128) -> Self {
        debug_assert!(den > 0, "denominators are positive");
        let (mut divisor, mut rest) = (num.abs(), den);
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        Self { num: num / divisor, den: den / divisor }
    }

    /// Whether it is 0.
    pub fn is_zero(self) -> bool {
        self.num == 0
    }

    /// The largest whole number that is not greater.
    pub fn floor(self) -> i128 {
        self.num.div_euclid(self.den)
    }
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.den == 1 { write!(f, "{}", self.num) } else { write!(f, "{}/{}", self.num, self.den) }
    }
}

impl Inequalities {
    /// A bound of an objective, if one was found and could be proved; the least one, as far as the solver knows.
    pub fn bound(&self, objective: &[i64]) -> Option<Certificate> {
        debug_assert!(self.rights.iter().all(|&right| right >= 0), "the origin is feasible");
        let (numerators, denominator) = fractions(&self.guess(objective)?)?;
        let value = self.proved(objective, &numerators, denominator)?;
        let weights = numerators.iter().map(|&numerator| Ratio::new(numerator, denominator)).collect();
        Some(Certificate { value: Ratio::new(value, denominator), weights })
    }

    /// The solver's solution of the dual program.
    fn guess(&self, objective: &[i64]) -> Option<Vec<f64>> {
        let mut dual = Problem::new(OptimizationDirection::Minimize);
        let weights: Vec<Variable> =
            self.rights.iter().map(|&right| dual.add_var(right as f64, (0.0, f64::INFINITY))).collect();
        for (column, &coefficient) in self.columns.iter().zip(objective) {
            let terms = column.iter().map(|&(row, value)| (weights[row], value as f64));
            dual.add_constraint(terms, ComparisonOp::Ge, coefficient as f64);
        }
        let solution = dual.solve().ok()?.into_solution().ok()?;
        Some(weights.iter().map(|&weight| solution.var_value(weight)).collect())
    }

    /// The bound that these weights prove, times the denominator; nothing if they prove none, or a number does not fit.
    fn proved(&self, objective: &[i64], numerators: &[i128], denominator: i128) -> Option<i128> {
        if denominator <= 0 || numerators.iter().any(|&weight| weight < 0) {
            return None;
        }
        for (column, &coefficient) in self.columns.iter().zip(objective) {
            let weighted = sum(column.iter().map(|&(row, value)| (numerators[row], value)))?;
            if weighted < denominator.checked_mul(i128::from(coefficient))? {
                return None;
            }
        }
        sum(numerators.iter().copied().zip(self.rights.iter().copied()))
    }
}

fn sum(mut terms: impl Iterator<Item = (i128, i64)>) -> Option<i128> {
    terms.try_fold(0i128, |sum, (weight, value)| sum.checked_add(weight.checked_mul(i128::from(value))?))
}

/// A number is taken for a fraction that differs from it by no more than this.
const NEAR: f64 = 1e-7;
/// No denominator is greater.
const MOST: i128 = 1 << 20;

/// Numbers as fractions with one denominator; nothing if it would be great.
fn fractions(numbers: &[f64]) -> Option<(Vec<i128>, i128)> {
    let mut common = 1;
    for &number in numbers {
        common *= denominator(number * common as f64)?;
        if common > MOST {
            return None;
        }
    }
    let whole = |&number: &f64| (number * common as f64).round() as i128;
    Some((numbers.iter().map(whole).collect(), common))
}

/// The denominator of the first convergent of a number's continued fraction that is near enough to it.
fn denominator(number: f64) -> Option<i128> {
    let (mut before, mut now) = (0, 1);
    let mut rest = number;
    loop {
        let multiple = number * now as f64;
        if (multiple - multiple.round()).abs() <= NEAR * now as f64 {
            return Some(now);
        }
        rest = (rest - rest.floor()).recip();
        if rest.is_nan() || rest > MOST as f64 {
            return None;
        }
        (before, now) = (now, rest.floor() as i128 * now + before);
        if now > MOST {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elnath_kernel::rng::Rng;

    /// The inequalities with these rows.
    fn inequalities(a: &[Vec<i64>], b: &[i64]) -> Inequalities {
        let count = a.first().map_or(0, Vec::len);
        let column = |unknown: usize| {
            let values = a.iter().map(|row| row[unknown]).enumerate();
            values.filter(|&(_, value)| value != 0).collect()
        };
        Inequalities { columns: (0..count).map(column).collect(), rights: b.to_vec() }
    }

    fn best(a: &[Vec<i64>], b: &[i64], c: &[i64]) -> Option<String> {
        inequalities(a, b).bound(c).map(|found| found.value.to_string())
    }

    #[test]
    fn bounds_are_exact() {
        assert_eq!(best(&[vec![1, 2], vec![3, 1]], &[4, 6], &[1, 1]).as_deref(), Some("14/5"));
        assert_eq!(best(&[vec![1, -1]], &[2], &[1, 0]), None);
        assert_eq!(best(&[vec![1, -1]], &[2], &[1, -1]).as_deref(), Some("2"));
        // Several denominators.
        let a = [vec![3, 0, 0], vec![0, 7, 0], vec![0, 0, 11]];
        assert_eq!(best(&a, &[1, 1, 1], &[1, 1, 1]).as_deref(), Some("131/231"));
    }

    /// Beale's example, on which simplex methods may cycle (multiplied to whole numbers).
    #[test]
    fn degenerate_programs_come_to_an_end() {
        let a = [vec![25, -6000, -4, 900], vec![50, -9000, -2, 300], vec![0, 0, 1, 0]];
        assert_eq!(best(&a, &[0, 0, 1], &[75, -15000, 2, -600]).as_deref(), Some("5"));
    }

    /// Weights that prove nothing are seen to prove nothing.
    #[test]
    fn proofs_are_checked() {
        let system = inequalities(&[vec![1, 2], vec![3, 1]], &[4, 6]);
        assert_eq!(system.proved(&[1, 1], &[2, 1], 5), Some(14));
        assert_eq!(system.proved(&[1, 1], &[2, 1], 4), Some(14), "not the best, but a proof");
        assert_eq!(system.proved(&[1, 1], &[1, 1], 5), None, "too little");
        assert_eq!(system.proved(&[1, 1], &[0, 4], 5), None, "too little by the least that is possible");
        assert_eq!(system.proved(&[1, 1], &[5, -1], 1), None, "a negative weight");
        assert_eq!(system.proved(&[1, 1], &[i128::MAX, 1], 5), None, "too great a number");
    }

    #[test]
    fn fractions_are_recognised() {
        for (number, expected) in [(0.0, (0, 1)), (2.0, (2, 1)), (1.0 / 3.0, (1, 3)), (2.5, (5, 2))] {
            for noise in [0.0, 1e-12, -1e-12, 3e-9, -3e-9] {
                let (numerators, denominator) = fractions(&[number + noise]).expect("a small fraction");
                assert_eq!((numerators[0], denominator), expected, "{number} {noise}");
            }
        }
        assert_eq!(fractions(&[0.5, 1.0 / 3.0, 0.25]), Some((vec![6, 4, 3], 12)));
        assert_eq!(fractions(&[std::f64::consts::PI * 1e-4, f64::NAN]), None);
    }

    /// The best vertex of a program with two unknowns, by trying all pairs of lines; nothing if there is no bound.
    fn naive(a: &[Vec<i64>], b: &[i64], c: &[i64]) -> Option<Ratio> {
        let mut lines: Vec<[i64; 3]> = a.iter().zip(b).map(|(row, &right)| [row[0], row[1], right]).collect();
        lines.extend([[-1, 0, 0], [0, -1, 0]]);
        // A direction in which nothing is violated and the objective grows: its slope is that of a line, or an axis.
        let directions = lines.iter().flat_map(|line| [(line[1], -line[0]), (-line[1], line[0])]);
        let free = |&(x, y): &(i64, i64)| lines.iter().all(|line| line[0] * x + line[1] * y <= 0);
        if directions.filter(free).any(|(x, y)| c[0] * x + c[1] * y > 0) {
            return None;
        }
        let mut best = Ratio::new(0, 1);
        for p in &lines {
            for q in &lines {
                let mut det = p[0] * q[1] - p[1] * q[0];
                if det == 0 {
                    continue;
                }
                let (mut x, mut y) = (p[2] * q[1] - p[1] * q[2], p[0] * q[2] - p[2] * q[0]);
                if det < 0 {
                    (det, x, y) = (-det, -x, -y);
                }
                let value = Ratio::new(i128::from(c[0] * x + c[1] * y), i128::from(det));
                if lines.iter().all(|line| line[0] * x + line[1] * y <= line[2] * det)
                    && value.num * best.den > best.num * value.den
                {
                    best = value;
                }
            }
        }
        Some(best)
    }

    #[test]
    fn bounds_are_those_of_the_best_vertex() {
        let mut rng = Rng::new(7);
        let (mut bounded, mut fractional) = (0, 0);
        for round in 0..3000 {
            let mut number = |most: u64| rng.below(most) as i64;
            let a: Vec<Vec<i64>> = (0..3).map(|_| (0..2).map(|_| number(7) - 3).collect()).collect();
            let b: Vec<i64> = (0..3).map(|_| number(4)).collect();
            let c: Vec<i64> = (0..2).map(|_| number(7) - 3).collect();
            let found = inequalities(&a, &b).bound(&c).map(|found| found.value);
            assert_eq!(found, naive(&a, &b, &c), "round {round}: {a:?} {b:?} {c:?}");
            bounded += i32::from(found.is_some());
            fractional += i32::from(found.is_some_and(|value| value.den > 1));
        }
        assert!(bounded > 1000 && fractional > 100, "{bounded} {fractional}");
    }
}
