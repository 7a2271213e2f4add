//! Medians, ranges and geometric means of ratios.

/// The middle of several measurements and how far they lie apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The middle one.
    pub median: f64,
    /// The smallest.
    pub least: f64,
    /// The largest.
    pub most: f64,
}

/// The spread of `values`; none if there are none.
pub fn spread(values: impl IntoIterator<Item = f64>) -> Option<Spread> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let (&least, &most) = (values.first()?, values.last()?);
    let middle = values.len() / 2;
    let median =
        if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 };
    Some(Spread { median, least, most })
}

/// The mean of ratios: the same whichever side is divided by the other, which the arithmetic mean is not. None if
/// there are no values or one is not a ratio.
pub fn geometric_mean(ratios: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0);
    for ratio in ratios {
        if !(ratio.is_finite() && ratio > 0.0) {
            return None;
        }
        sum += ratio.ln();
        count += 1;
    }
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        let of = |values: &[f64]| spread(values.iter().copied()).map(|s| (s.least, s.median, s.most));
        assert_eq!(of(&[3.0, 1.0, 9.0]), Some((1.0, 3.0, 9.0)));
        assert_eq!(of(&[4.0, 1.0, 3.0, 9.0]), Some((1.0, 3.5, 9.0)));
        assert_eq!(of(&[2.0]), Some((2.0, 2.0, 2.0)));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn geometric_means() {
        let close = |ratios: &[f64], mean: f64| {
            let got = geometric_mean(ratios.iter().copied()).unwrap();
            assert!((got - mean).abs() < 1e-12, "{got} {mean}");
        };
        close(&[2.0, 8.0], 4.0);
        close(&[0.5, 2.0], 1.0);
        close(&[3.0], 3.0);
        assert_eq!(geometric_mean([]), None);
        assert_eq!(geometric_mean([1.0, 0.0]), None);
        assert_eq!(geometric_mean([1.0, f64::INFINITY]), None);
    }
}
