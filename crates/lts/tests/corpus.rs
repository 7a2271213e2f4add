//! The reader and the analyses against graphs that others have measured.
//!
//! The graphs are not ours to distribute: they are models from outside (`elnath_testkit::corpus`).

use std::fs;
use std::path::PathBuf;

use elnath_lts::Info;
use elnath_lts::aut::{Dialect, ReadOptions, read, read_file, write};
use elnath_testkit::corpus::folder_for;

fn corpus() -> Option<PathBuf> {
    folder_for("the tests of graphs that others have measured", "aut")
}

#[test]
fn vlts_systems_have_their_published_figures() {
    let Some(corpus) = corpus() else { return };
    let facts = fs::read_to_string(corpus.join("FACTS.tsv")).expect("the corpus has its facts");
    let mut rows =
        facts.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect::<Vec<_>>());
    let names = rows.next().expect("a line with the names of the columns");
    let mut compared = 0;
    for row in rows {
        let fact = |name: &str| row[names.iter().position(|n| *n == name).expect("a known column")];
        let file = corpus.join("vlts").join(fact("name"));
        let loaded = read_file(&file, &ReadOptions::default()).expect("a good file");
        assert_eq!(loaded.warnings, [], "{}", fact("name"));
        let info = Info::new(&loaded.lts);
        let found = [
            ("decl_states", info.states.to_string()),
            ("decl_trans", info.transitions.to_string()),
            ("reach_states", info.reachable_states.to_string()),
            ("distinct_reach_trans", info.distinct_reachable_transitions.to_string()),
            ("tau", info.tau_transitions.to_string()),
            ("labels", info.labels.to_string()),
            ("deadlock_states", info.deadlock_states.to_string()),
            ("livelock", info.livelock().to_string()),
            ("det", info.deterministic.to_string()),
        ];
        for (name, value) in found {
            assert_eq!(value, fact(name), "{name} of {}", fact("name"));
        }

        // And it survives being written, in both dialects.
        for dialect in [Dialect::Cadp, Dialect::Mcrl2] {
            let mut text = Vec::new();
            write(&loaded.lts, dialect, &mut text).expect("labels of CADP without quotes");
            let again = read("again", &text[..], &ReadOptions::default()).expect("what we write we read");
            assert!(again.lts == loaded.lts, "{}", fact("name"));
        }
        compared += 1;
    }
    assert_eq!(compared, 11);
}

#[test]
fn other_readers_cases_are_judged_as_they_judge_them() {
    let Some(corpus) = corpus() else { return };
    // One of the good files declares 5 transitions and has 7, which its own reader does not mind.
    let lenient = ReadOptions { lenient_counts: true, ..ReadOptions::default() };
    let mut judged = 0;
    for entry in fs::read_dir(corpus.join("parser-cases")).expect("the corpus has parser cases") {
        let path = entry.expect("a readable folder").path();
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let result = read_file(&path, &lenient);
        assert_eq!(result.is_err(), name.starts_with("error"), "{name}: {result:?}");
        if let Ok(loaded) = result {
            let labels: Vec<_> = loaded.lts.labels().iter().collect();
            match name.as_str() {
                "nfa.aut" => assert_eq!(labels, ["a", "b"]),
                "sinkStateTest.aut" => assert_eq!(labels, ["input", "output"]),
                "quotationTest.aut" => {
                    assert_eq!(loaded.warnings.len(), 1);
                    assert_eq!(labels[4], "SEND !\"hello\" !\"world\"");
                    assert_eq!(labels[5], "DUMP ... \" ... \\\" ...");
                    assert_eq!((labels.len(), labels[0], labels[6]), (7, "PUT_\\6", "*"));
                }
                _ => {}
            }
        }
        judged += 1;
    }
    assert_eq!(judged, 8);
}
