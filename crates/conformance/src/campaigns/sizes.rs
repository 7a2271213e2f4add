//! How large the automata of well-known formulas are, against those of Spot.
//!
//! The formulas are patterns and benchmarks from the literature, with the sizes that Spot gives. The sums are asserted, so
//! that they can only become better. The campaign lists the formulas whose sizes differ from Spot's.

use super::Part;
use crate::runner::say;
use crate::trial::Trial;
use std::path::Path;

use super::oracle::{corpus_set, parsed};
use elnath_logic::degeneralise::degeneralise;
use elnath_logic::scc::strength;
use elnath_logic::{Formulas, Options, translate};

pub(super) const PARTS: &[Part] = &[
    Part {
        name: "sizes",
        meaning: "the sizes of automata of well-known formulas against Spot's",
        run: sizes,
    },
    Part { name: "strengths", meaning: "how many of their negations need a nested search", run: strengths },
];

/// States and edges.
type Size = [usize; 2];

/// The sums over a set of formulas, negated or not: generalised automata, Büchi automata, and Spot's of both kinds.
fn sums(folder: &Path, spot: &serde_json::Value, set: &str, negated: bool, list: bool) -> [Size; 4] {
    let mut sums = [[0; 2]; 4];
    for (i, text) in corpus_set(folder, set).iter().enumerate() {
        let mut formulas = Formulas::new();
        let f = parsed(&mut formulas, text);
        let f = if negated { formulas.not(f) } else { f };
        let automaton = translate(&formulas, f, Options::default()).expect("a small formula");
        let classical = degeneralise(&automaton);
        let key = format!("{set}-{}{}", i + 1, if negated { "n" } else { "" });
        let theirs = |kind: &str| [0, 1].map(|k| spot[&key][kind][k].as_u64().expect("a number") as usize);
        let sizes = [
            [automaton.states(), automaton.edge_count()],
            [classical.states(), classical.edge_count()],
            theirs("tgba"),
            theirs("ba"),
        ];
        if list && sizes[..2] != sizes[2..] {
            say(&format!("{key}: {:?}, Spot {:?}: {text}", &sizes[..2], &sizes[2..]));
        }
        for (sum, size) in sums.iter_mut().zip(sizes) {
            sum[0] += size[0];
            sum[1] += size[1];
        }
    }
    sums
}

fn sizes(trial: &mut Trial<'_>) {
    let Some(folder) = trial.corpus("ltl") else { return };
    let list = trial.is_thorough();
    let spot = std::fs::read_to_string(folder.join("sizes-spot.json")).expect("the corpus is readable");
    let spot: serde_json::Value = serde_json::from_str(&spot).expect("the sizes are well formed");
    // Set, negated; our states and edges; those of Büchi automata; states of LTL3BA's generalised automata.
    let table: [(&str, bool, Size, Size, usize); 8] = [
        ("dac", false, [204, 562], [217, 626], 289),
        ("dac", true, [218, 507], [221, 520], 231),
        ("eh", false, [34, 99], [43, 100], 39),
        ("eh", true, [47, 113], [51, 130], 52),
        ("sb", false, [73, 140], [83, 160], 116),
        ("sb", true, [75, 140], [82, 155], 98),
        ("beem-p", false, [50, 112], [56, 124], 54),
        ("beem-p", true, [58, 115], [61, 121], 61),
    ];
    type Row = (&'static str, bool, Size, Size, usize);
    let name =
        |(set, negated, ..): &Row| if *negated { format!("{set}, negated") } else { (*set).to_owned() };
    let (): () = trial.items(&table, 1, name, |row, _, ()| {
        let (told, (set, negated, ours, classical, ltl3ba)) = (name(row), *row);
        let [automata, buchi, spot_automata, spot_buchi] = sums(&folder, &spot, set, negated, list);
        assert_eq!((automata, buchi), (ours, classical), "{told}; Spot {spot_automata:?} {spot_buchi:?}");
        assert!(automata[0] <= ltl3ba, "{told}: {} states, LTL3BA {ltl3ba}", automata[0]);
        assert!(
            automata[0] * 100 <= spot_automata[0] * 105,
            "{told}: {} states, Spot {}",
            automata[0],
            spot_automata[0]
        );
        Ok(())
    });
}

/// The searches that the negations of the patterns need: how many have empty, terminal, weak and strong automata. As
/// many are strong as Spot says.
fn strengths(trial: &mut Trial<'_>) {
    let Some(folder) = trial.corpus("ltl") else { return };
    let table = [("dac", [0, 37, 15, 3]), ("eh", [0, 1, 7, 4]), ("sb", [2, 6, 14, 5])];
    let (): () = trial.items(
        &table,
        1,
        |row| row.0.to_owned(),
        |(set, wanted), _, ()| {
            let mut counts = [0; 4];
            for text in corpus_set(&folder, set) {
                let mut formulas = Formulas::new();
                let f = parsed(&mut formulas, &text);
                let f = formulas.not(f);
                let automaton = translate(&formulas, f, Options::default()).expect("a small formula");
                counts[strength(&automaton) as usize] += 1;
            }
            assert_eq!(counts, *wanted, "{set}");
            Ok(())
        },
    );
}
