//! What is near is found near: a formula that is decided ten steps from the initial state is not worth a walk through a million states, whichever way a
//! depth-first search takes first.

use elnath::Verdict;
use elnath::branching::{Branching, BranchingProperties};

/// Two counters up to 999. When their sum is ten, everything may stop for good, and something may go round for ever.
const GRID: &str = "int total; bool dead;
active [2] proctype Counter() { int n; end: do :: atomic { !dead && n < 999 -> n++; total++ } od }
active proctype Trap() { end: total == 10 -> dead = true }
active proctype Round() { end: total == 10 -> end1: do :: total == 10 -> skip od }
";

/// The verdict, and how many states were met.
fn asked(formula: &str) -> (bool, u64) {
    let name = formula.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
    let path = std::env::temp_dir().join(format!("elnath-near-{}-{name}.pml", std::process::id()));
    std::fs::write(&path, GRID).unwrap();
    let properties = BranchingProperties::parse(formula).unwrap();
    let options = elnath::LoadOptions { property: Some(properties.wanted()), ..Default::default() };
    let loaded = elnath::load(&path, &options).map_err(|_| ()).unwrap();
    let report = Branching::of(&loaded, properties).unwrap().run().unwrap();
    let states = report.properties[0].figures.counters.states;
    std::fs::remove_file(&path).unwrap();
    match report.verdict() {
        Verdict::Holds(_) => (true, states),
        Verdict::Fails(()) => (false, states),
        Verdict::Unknown(limit) => panic!("{formula}: {limit:?}"),
    }
}

#[test]
fn what_is_decided_at_depth_ten_takes_less_than_a_hundredth_of_a_full_walk() {
    let (holds, all) = asked("AG {total <= 1998}");
    assert!(holds && all >= 1_000_000, "{all} states");
    for (formula, value) in [
        ("AG {total != 10}", false),
        ("[true*] {total != 10}", false),
        ("AF {total > 900}", false),
        ("mu X. {total > 900} || <true> true && [true] X", false),
        ("AG EF {total == 1998}", false),
        ("AG AF {total > 900}", false),
        ("AX AX AG {total != 10}", false),
        ("AX AF {total > 900}", false),
        ("E[!dead U dead]", true),
        ("EF AG !{total > 10}", true),
        ("nu X. <true> X", true),
        ("AX EG {total <= 10}", true),
    ] {
        let (found, states) = asked(formula);
        assert_eq!(found, value, "{formula}");
        assert!(states < all / 100, "{formula}: {states} of {all} states");
    }
}
