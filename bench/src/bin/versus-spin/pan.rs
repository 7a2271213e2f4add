//! What SPIN's verifier prints at its end.

/// A number as `pan` prints it, with eight digits: beyond 99,999,999 it is rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Count {
    pub(crate) value: f64,
    rounded: bool,
}

impl Count {
    /// A number that is known to the last digit.
    pub(crate) fn exact(value: u64) -> Count {
        Count { value: value as f64, rounded: false }
    }

    fn read(text: &str) -> Option<Count> {
        Some(Count { value: text.parse().ok()?, rounded: text.contains('e') })
    }

    /// Whether both can be the same number.
    pub(crate) fn agrees(self, other: Count) -> bool {
        if other.rounded { other.is(self.value as u64) } else { self.is(other.value as u64) }
    }

    /// Whether this is how `pan` would print `exact`.
    pub(crate) fn is(self, exact: u64) -> bool {
        let distance = (self.value - exact as f64).abs();
        if self.rounded { distance <= self.value * 1e-7 } else { distance == 0.0 }
    }
}

/// The figures of a complete search.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figures {
    pub(crate) states: Count,
    /// One more than there are: the arrival at the initial state counts.
    pub(crate) transitions: Count,
    pub(crate) errors: u64,
    /// In hundredths of a second, wall-clock time.
    pub(crate) seconds: f64,
    /// What it says it has allocated: states, hash table and stack. In bytes.
    pub(crate) allocated: f64,
}

/// Reads `output`, or says why the search was not a complete one. One that was to stop at the first error is complete
/// when it has.
pub(crate) fn read(output: &str, stops: bool) -> Result<Figures, String> {
    let trouble = ["max search depth too small", "out of memory", "VECTORSZ", "Search not completed"];
    let trouble = &trouble[..if stops { 3 } else { 4 }];
    if let Some(line) = output.lines().find(|line| trouble.iter().any(|part| line.contains(part))) {
        return Err(format!("pan said: {}", line.trim()));
    }
    let before =
        |what: &str| output.lines().find_map(|line| line.split_once(what)?.0.split_whitespace().last());
    let after =
        |what: &str| output.lines().find_map(|line| line.split_once(what)?.1.split_whitespace().next());
    let figures = || {
        Some(Figures {
            states: Count::read(before(" states, stored")?)?,
            transitions: Count::read(before(" transitions (= ")?)?,
            errors: after("errors: ")?.parse().ok()?,
            seconds: after("pan: elapsed time ")?.parse().ok()?,
            // Its megabytes are of 1,048,576 bytes.
            allocated: before("\ttotal actual memory usage")?.parse::<f64>().ok()? * f64::from(1 << 20),
        })
    };
    figures().ok_or_else(|| "pan printed no figures".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As SPIN 6.5.2 prints it.
    const OUTPUT: &str = "
(Spin Version 6.5.2 -- 6 December 2019)

Full statespace search for:
	never claim         	- (not selected)
	assertion violations	+
	cycle checks       	- (disabled by -DSAFETY)
	invalid end states	+

State-vector 168 byte, depth reached 545, errors: 2
   251409 states, stored
   397058 states, matched
   648467 transitions (= stored+matched)
   586655 atomic steps
hash conflicts:     23413 (resolved)

Stats on memory usage (in Megabytes):
   45.075	equivalent memory usage for states (stored*(State-vector + overhead))
   32.918	actual memory usage for states (compression: 73.03%)
         	state-vector as stored = 117 byte + 20 byte overhead
    8.000	memory used for hash table (-w20)
    9.155	memory used for DFS stack (-m200000)
   49.500	total actual memory usage



pan: elapsed time 1.94 seconds
pan: rate 129592.27 states/second
";

    #[test]
    fn figures_are_read() {
        let figures = read(OUTPUT, false).unwrap();
        assert!(figures.states.is(251_409) && !figures.states.is(251_410));
        assert!(figures.transitions.is(648_467));
        assert_eq!((figures.errors, figures.seconds), (2, 1.94));
        assert_eq!(figures.allocated, 49.5 * 1_048_576.0);
    }

    #[test]
    fn large_figures_are_rounded() {
        let figures = read(&OUTPUT.replace("   251409 states", "1.2345679e+08 states"), false).unwrap();
        assert!(figures.states.is(123_456_789) && figures.states.is(123_456_790));
        assert!(!figures.states.is(123_457_000));
        assert!(
            read(&OUTPUT.replace("   251409 states", "    1e+08 states"), false)
                .unwrap()
                .states
                .is(100_000_000)
        );
    }

    #[test]
    fn searches_that_were_cut_have_none() {
        let cut = format!("error: max search depth too small\n{OUTPUT}");
        assert_eq!(read(&cut, false), Err("pan said: error: max search depth too small".to_owned()));
        // As a nested search prints it.
        let stopped = OUTPUT.replace("(= stored+matched)", "(= visited+matched)");
        let stopped = format!("Warning: Search not completed\n{stopped}");
        assert_eq!(read(&stopped, true), read(OUTPUT, false));
        assert!(read(&stopped, false).is_err());
        assert!(read("pan: out of memory\n", true).is_err());
        assert!(read("", false).is_err());
        // Every figure is needed.
        for part in ["states, stored", "transitions (= ", "errors: ", "elapsed time", "total actual"] {
            assert!(read(&OUTPUT.replace(part, "?"), false).is_err(), "{part}");
        }
    }
}
