//! The promise about memory: whatever the store and whatever is granted, the process stays within it plus 64 MiB, and
//! what does not fit is an answer (exit code 3) and not a crash.

mod common;

use common::{Folder, run};
use elnath::random::RandomGraph;
use serde_json::Value;

const ALLOWANCE: u64 = 64 << 20;
const MIB: u64 = 1 << 20;

struct Way {
    store: &'static str,
    search: &'static str,
    /// With this much beside the model the search must come to its end.
    enough_mib: u64,
}

const WAYS: &[Way] = &[
    Way { store: "exact", search: "dfs", enough_mib: 70 },
    Way { store: "exact", search: "bfs", enough_mib: 70 },
    Way { store: "replacing", search: "dfs", enough_mib: 90 },
    Way { store: "compact", search: "dfs", enough_mib: 100 },
    Way { store: "compact", search: "bfs", enough_mib: 50 },
    Way { store: "bitstate", search: "dfs", enough_mib: 200 },
    Way { store: "bitstate", search: "bfs", enough_mib: 100 },
];

fn check(file: &str, memory: u64, way: &Way) -> Value {
    let ran = run([
        "check",
        file,
        "--json",
        "--end-states",
        "ignore",
        "--memory",
        &format!("{memory}B"),
        "--store",
        way.store,
        "--search",
        way.search,
        "--time",
        "3s",
    ]);
    let json = ran.json();
    let what = format!("{} {} with {} MiB", way.store, way.search, memory / MIB);
    let peak = json["peak_bytes"].as_u64().expect("Linux tells");
    assert!(peak <= memory + ALLOWANCE, "{what}: a peak of {} MiB", peak / MIB);
    let code = match json["verdict"].as_str() {
        Some("holds") => 0,
        Some("unknown") => 3,
        other => panic!("{what}: {other:?}"),
    };
    assert_eq!(ran.code, Some(code), "{what}");
    json
}

#[cfg(target_os = "linux")]
#[test]
fn the_process_stays_within_the_memory_granted() {
    let folder = Folder::new("memory");
    let graph = RandomGraph { states: 1_000_000, degree: 6, labels: 4, seed: 1 };
    let lts = graph.generate().expect("degree 6 does not die out").lts;
    let states = lts.num_states() as u64;
    let model = lts.bytes() as u64;
    let path = folder.path("graph.aut");
    let file = std::io::BufWriter::new(std::fs::File::create(&path).expect("a temporary file"));
    elnath::lts::aut::write(&lts, elnath::lts::aut::Dialect::Cadp, file).expect("room for the graph");
    drop(lts);
    for way in WAYS {
        for part in [0, 5, 30, 100, 300] {
            // From what is not enough for the model to plenty.
            let memory = if part == 0 { model / 2 } else { model + way.enough_mib * MIB * part / 100 };
            let json = check(&path, memory, way);
            let complete = json["verdict"] == "holds";
            let seen = json["states"].as_u64().expect("a number");
            if part == 0 {
                assert_eq!((complete, &json["reason"]), (false, &Value::from("memory")));
                assert!(json["transitions_read"].as_u64() > Some(1000), "{json:#}");
            }
            // The time is for searches that would thrash; a slow machine may need it all.
            if part >= 100 && json["reason"] != "time" {
                assert!(complete, "{} {} {part} %: {json:#}", way.store, way.search);
                let missing = states - seen.min(states);
                assert!(missing * 20 <= states, "{} {}: {seen} of {states}", way.store, way.search);
            }
            if !complete && part > 0 {
                assert!(seen > 1000, "what there is must be used: {json:#}");
            }
        }
    }
}
