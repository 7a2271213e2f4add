//! Quotients of graphs that others have reduced: states and, where they are known, transitions.
//!
//! The graphs are not ours to distribute: they are models from outside (`elnath_testkit::corpus`).

use elnath_kernel::budget::Budget;
use elnath_kernel::relation::Relation;
use elnath_lts::aut::{ReadOptions, read_file};
use elnath_lts::quotient::reduce;
use elnath_testkit::corpus::folder_for;
use std::fs;

#[test]
fn vlts_systems_have_their_published_quotients() {
    let Some(corpus) = folder_for("the tests of quotients that others have computed", "aut") else { return };
    let facts = fs::read_to_string(corpus.join("FACTS.tsv")).expect("the corpus has its facts");
    let mut rows =
        facts.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect::<Vec<_>>());
    let names = rows.next().expect("a line with the names of the columns");
    let mut compared = 0;
    for row in rows {
        let fact = |name: &str| row[names.iter().position(|n| *n == name).expect("a known column")];
        let file = corpus.join("vlts").join(fact("name"));
        let lts = read_file(&file, &ReadOptions::default()).expect("a good file").lts;
        for (column, relation) in [
            ("strong", Relation::Strong),
            ("branching", Relation::Branching),
            ("dpbranching", Relation::DivergenceBranching),
            ("weak", Relation::Weak),
            ("taustar", Relation::TauStarA),
        ] {
            let expected = fact(column);
            if expected == "-" {
                continue;
            }
            let mut budget =
                Budget { memory: 4 << 30, depth: 0, states: 0, disk: None, watch: &mut |_| None };
            let quotient = reduce(&lts, relation, &mut budget).expect("enough of everything").lts;
            let found = match expected.contains('/') {
                true => format!("{}/{}", quotient.num_states(), quotient.num_transitions()),
                false => quotient.num_states().to_string(),
            };
            assert_eq!(found, expected, "{column} of {}", fact("name"));
            compared += 1;
        }
    }
    assert_eq!(compared, 51);
}
