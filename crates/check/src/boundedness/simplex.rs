//! Linear programs in exact arithmetic: maximise c.x where A.x <= b and x >= 0, with b >= 0.
//!
//! Since the origin is feasible, the primal simplex method needs no first phase; and since only the objective changes from
//! one channel to the next, a tableau is used for all of them, each starting from the last one's vertex. Numbers are
//! fractions of 128-bit integers: the coefficients are small (mostly 0 and 1), and if they ever do not stay small the
//! answer is that there is none, never a wrong one. A floating-point solver with an exact check afterwards was considered;
//! the corpus of models is solved in milliseconds, so that the second solver would be there for nothing.
//!
//! The entering column is the one with the largest coefficient as long as that makes progress, and otherwise Bland's
//! (the first), which cannot cycle.

use std::cmp::Ordering;

/// A fraction in lowest terms, with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    num: i128,
    den: i128,
}

/// A number grew beyond 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

impl Ratio {
    /// 0.
    pub const ZERO: Ratio = Ratio { num: 0, den: 1 };

    /// A whole number.
    pub fn whole(number: i64) -> Self {
        Self { num: i128::from(number), den: 1 }
    }

    fn new(num: i128, den: i128) -> Result<Self, Overflow> {
        let divisor = gcd(num.unsigned_abs(), den.unsigned_abs());
        let divisor = i128::try_from(divisor).map_err(|_| Overflow)? * den.signum();
        Ok(Self { num: num / divisor, den: den / divisor })
    }

    /// Whether it is 0.
    pub fn is_zero(self) -> bool {
        self.num == 0
    }

    /// The largest whole number that is not greater.
    pub fn floor(self) -> i128 {
        self.num.div_euclid(self.den)
    }

    fn times(self, other: Self) -> Result<Self, Overflow> {
        // Whole numbers are the usual case.
        let num = self.num.checked_mul(other.num).ok_or(Overflow)?;
        if self.den == 1 && other.den == 1 {
            return Ok(Self { num, den: 1 });
        }
        Self::new(num, self.den.checked_mul(other.den).ok_or(Overflow)?)
    }

    fn over(self, other: Self) -> Result<Self, Overflow> {
        self.times(Self::new(other.den, other.num)?)
    }

    fn minus(self, other: Self) -> Result<Self, Overflow> {
        if self.den == 1 && other.den == 1 {
            return Ok(Self { num: self.num.checked_sub(other.num).ok_or(Overflow)?, den: 1 });
        }
        let left = self.num.checked_mul(other.den).ok_or(Overflow)?;
        let right = other.num.checked_mul(self.den).ok_or(Overflow)?;
        Self::new(left.checked_sub(right).ok_or(Overflow)?, self.den.checked_mul(other.den).ok_or(Overflow)?)
    }

    fn compare(self, other: Self) -> Result<Ordering, Overflow> {
        Ok(self.minus(other)?.num.cmp(&0))
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.den == 1 { write!(f, "{}", self.num) } else { write!(f, "{}/{}", self.num, self.den) }
    }
}

/// A linear program whose objective may change.
#[derive(Clone, Debug)]
pub struct Simplex {
    /// The rows: a coefficient per variable and per slack, and the right-hand side.
    rows: Vec<Vec<Ratio>>,
    /// The column that each row determines.
    base: Vec<usize>,
    variables: usize,
}

/// The optimum of a program, with what proves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Optimum {
    /// The value.
    pub value: Ratio,
    /// A weight for each row, not negative: the rows times their weights add up to at least the objective, and the
    /// right-hand sides to the value.
    pub dual: Vec<Ratio>,
}

/// Rows of small whole numbers.
pub type Matrix = Vec<Vec<i64>>;

impl Simplex {
    /// The program with these rows and right-hand sides, which must not be negative.
    pub fn new(a: &Matrix, b: &[i64], variables: usize) -> Self {
        debug_assert!(b.iter().all(|&right| right >= 0), "the origin is feasible");
        let count = a.len();
        let rows = a.iter().zip(b).enumerate().map(|(index, (row, &right))| {
            let mut full: Vec<Ratio> = row.iter().map(|&value| Ratio::whole(value)).collect();
            full.extend((0..count).map(|slack| Ratio::whole(i64::from(slack == index))));
            full.push(Ratio::whole(right));
            full
        });
        Self { rows: rows.collect(), base: (variables..variables + count).collect(), variables }
    }

    /// Maximises an objective; `None` if it has no bound.
    ///
    /// # Errors
    /// A number did not fit.
    pub fn maximise(&mut self, objective: &[i64]) -> Result<Option<Optimum>, Overflow> {
        let mut z = self.reduced(objective)?;
        let last = z.len() - 1;
        let mut stuck = 0;
        loop {
            let Some(column) = entering(&z[..last], stuck > 2 * self.rows.len())? else {
                let dual = z[self.variables..last].to_vec();
                return Ok(Some(Optimum { value: z[last], dual }));
            };
            let Some(row) = self.leaving(column)? else { return Ok(None) };
            let before = z[last];
            self.pivot(row, column)?;
            subtract(&mut z, &self.rows[row], column)?;
            stuck = if z[last] == before { stuck + 1 } else { 0 };
        }
    }

    /// The objective's row in terms of the columns that are not in the base.
    fn reduced(&self, objective: &[i64]) -> Result<Vec<Ratio>, Overflow> {
        let width = self.variables + self.rows.len() + 1;
        let mut z = vec![Ratio::ZERO; width];
        for (value, &coefficient) in z.iter_mut().zip(objective) {
            *value = Ratio::whole(-coefficient);
        }
        for (row, &column) in self.rows.iter().zip(&self.base) {
            subtract(&mut z, row, column)?;
        }
        Ok(z)
    }

    /// The row that limits how far a column can be raised most; of several, the one whose base column is first.
    fn leaving(&self, column: usize) -> Result<Option<usize>, Overflow> {
        let mut best: Option<(Ratio, usize)> = None;
        for (index, row) in self.rows.iter().enumerate() {
            if row[column].num <= 0 {
                continue;
            }
            let limit = row[row.len() - 1].over(row[column])?;
            let better = match best {
                None => true,
                Some((least, other)) => match limit.compare(least)? {
                    Ordering::Less => true,
                    Ordering::Equal => self.base[index] < self.base[other],
                    Ordering::Greater => false,
                },
            };
            if better {
                best = Some((limit, index));
            }
        }
        Ok(best.map(|(_, index)| index))
    }

    fn pivot(&mut self, row: usize, column: usize) -> Result<(), Overflow> {
        let divisor = self.rows[row][column];
        for value in &mut self.rows[row] {
            if !value.is_zero() {
                *value = value.over(divisor)?;
            }
        }
        let pivot = std::mem::take(&mut self.rows[row]);
        for (index, other) in self.rows.iter_mut().enumerate() {
            if index != row {
                subtract(other, &pivot, column)?;
            }
        }
        self.rows[row] = pivot;
        self.base[row] = column;
        Ok(())
    }
}

/// The column to raise: the one that promises most, or the first that promises anything.
fn entering(z: &[Ratio], first: bool) -> Result<Option<usize>, Overflow> {
    let mut best: Option<usize> = None;
    for (column, &value) in z.iter().enumerate() {
        if value.num >= 0 {
            continue;
        }
        if first {
            return Ok(Some(column));
        }
        if best.is_none_or(|best| value.compare(z[best]) == Ok(Ordering::Less)) {
            best = Some(column);
        }
    }
    Ok(best)
}

/// Takes so much of the pivot row away that the column becomes 0.
fn subtract(row: &mut [Ratio], pivot: &[Ratio], column: usize) -> Result<(), Overflow> {
    let factor = row[column];
    if factor.is_zero() {
        return Ok(());
    }
    for (value, &other) in row.iter_mut().zip(pivot) {
        if !other.is_zero() {
            *value = value.minus(factor.times(other)?)?;
        }
    }
    Ok(())
}

/// Whether the weights prove that the objective is at most the value: nothing is taken from the solver on trust.
pub fn proves(a: &Matrix, b: &[i64], objective: &[i64], optimum: &Optimum) -> Result<bool, Overflow> {
    let Optimum { value, dual } = optimum;
    let negative = Ratio::whole(-1);
    if dual.len() != a.len() || dual.iter().any(|weight| weight.num < 0) {
        return Ok(false);
    }
    let mut total = Ratio::ZERO;
    for (&weight, &right) in dual.iter().zip(b) {
        total = total.minus(weight.times(Ratio::whole(right))?.times(negative)?)?;
    }
    if total.compare(*value)? != Ordering::Equal {
        return Ok(false);
    }
    for (column, &coefficient) in objective.iter().enumerate() {
        let mut sum = Ratio::ZERO;
        for (row, &weight) in a.iter().zip(dual) {
            if row[column] != 0 && !weight.is_zero() {
                sum = sum.minus(weight.times(Ratio::whole(-row[column]))?)?;
            }
        }
        if sum.compare(Ratio::whole(coefficient))? == Ordering::Less {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solve(a: &Matrix, b: &[i64], c: &[i64]) -> Option<Optimum> {
        let optimum = Simplex::new(a, b, c.len()).maximise(c).expect("small numbers");
        if let Some(optimum) = &optimum {
            assert_eq!(proves(a, b, c, optimum), Ok(true), "{a:?} {b:?} {c:?}");
            let mut wrong = optimum.clone();
            wrong.value = wrong.value.minus(Ratio::new(1, 7).unwrap()).unwrap();
            assert_eq!(proves(a, b, c, &wrong), Ok(false));
        }
        optimum
    }

    #[test]
    fn optima_are_exact() {
        let a = vec![vec![1, 2], vec![3, 1]];
        let optimum = solve(&a, &[4, 6], &[1, 1]).unwrap();
        assert_eq!((optimum.value.to_string(), optimum.value.floor()), ("14/5".to_owned(), 2));
        assert_eq!(solve(&vec![vec![1, -1]], &[2], &[1, 0]), None);
        assert_eq!(solve(&vec![vec![1, -1]], &[2], &[1, -1]).unwrap().value, Ratio::whole(2));
    }

    /// Beale's example, on which the largest coefficient alone cycles for ever (multiplied to whole numbers).
    #[test]
    fn degenerate_programs_come_to_an_end() {
        let a = vec![vec![25, -6000, -4, 900], vec![50, -9000, -2, 300], vec![0, 0, 1, 0]];
        let optimum = solve(&a, &[0, 0, 1], &[75, -15000, 2, -600]).unwrap();
        assert_eq!(optimum.value, Ratio::whole(5));
    }

    /// The optimum over the vertices of small random programs, found by trying all bases of two rows.
    #[test]
    fn optima_agree_with_a_search_over_a_grid() {
        let mut rng = elnath_kernel::rng::Rng::new(7);
        let mut bounded = 0;
        for _ in 0..2000 {
            let a: Matrix = (0..3).map(|_| (0..2).map(|_| rng.below(5) as i64 - 2).collect()).collect();
            let b: Vec<i64> = (0..3).map(|_| rng.below(4) as i64).collect();
            let c: Vec<i64> = (0..2).map(|_| rng.below(5) as i64 - 2).collect();
            let found = solve(&a, &b, &c);
            // No point of a grid is better; if there is no bound, points far out are better and better.
            let feasible =
                |x: i64, y: i64| a.iter().zip(&b).all(|(row, &right)| row[0] * x + row[1] * y <= right);
            let best = |most: i64| {
                let points = (0..=most).flat_map(|x| (0..=most).map(move |y| (x, y)));
                points.filter(|&(x, y)| feasible(x, y)).map(|(x, y)| c[0] * x + c[1] * y).max()
            };
            match found {
                Some(optimum) => {
                    bounded += 1;
                    let grid = best(30).expect("the origin");
                    assert!(Ratio::whole(grid).compare(optimum.value).unwrap() != Ordering::Greater);
                }
                None => assert!(best(40) > best(10), "{a:?} {b:?} {c:?}"),
            }
        }
        assert!(bounded > 500, "{bounded}");
    }
}
