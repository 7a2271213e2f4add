//! Figures that others have measured or proved.

mod common;

/// The example's code, so that the protocol is written down once.
#[path = "../../../examples/connect_disconnect.rs"]
#[allow(dead_code, unreachable_pub)]
mod connect_disconnect;

use common::{Folder, run};
use elnath::lts::aut;
use elnath_testkit::corpus::folder_for;
use serde_json::Value;

fn protocol(folder: &Folder, n: usize) -> String {
    let path = folder.path(&format!("connect-disconnect-{n}.aut"));
    let file = std::fs::File::create(&path).expect("a temporary file");
    aut::write(&connect_disconnect::graph(n), aut::Dialect::Cadp, std::io::BufWriter::new(file))
        .expect("room for the graph");
    path
}

/// States, transitions and deadlocks of the protocol with channels of n places.
fn formulas(n: u64) -> (u64, u64, u64) {
    (n * n / 4 + 3 * (n + 1), n * n / 4 + 6 * n + 2, n.div_ceil(2))
}

#[test]
fn the_connect_disconnect_protocol_has_its_figures() {
    let folder = Folder::new("protocol");
    for n in 1..=20 {
        let (states, transitions, deadlocks) = formulas(n);
        let file = protocol(&folder, n as usize);
        for store in ["exact", "compact", "replacing", "bitstate"] {
            let ran = run(["check", &file, "--all-errors", "--json", "--store", store, "--memory", "16MiB"]);
            let json = ran.json();
            assert_eq!(ran.code, Some(1), "n = {n}");
            assert_eq!(json["states"], states, "n = {n}, {store}");
            assert_eq!(json["transitions"], transitions, "n = {n}, {store}");
            assert_eq!(json["error_kinds"]["deadlock"], deadlocks, "n = {n}, {store}");
        }
        let info = run(["info", &file, "--json"]).json();
        assert_eq!(info["nontrivial_components"], 1);
        assert_eq!(info["largest_component"], 2 * n + 3, "n = {n}");
    }
}

#[test]
fn half_the_memory_is_enough_for_the_protocol() {
    let folder = Folder::new("half");
    let file = protocol(&folder, 200);
    let (states, _, deadlocks) = formulas(200);
    let half = (states / 2).to_string();
    let replacing = ["--store", "replacing", "--cache", &half, "--json"];
    let ran = run(["check", &file, "--end-states", "ignore"].into_iter().chain(replacing));
    let json = ran.json();
    assert_eq!(ran.code, Some(0));
    assert_eq!(json["coverage"]["kind"], "exhaustive");
    let insertions = json["insertions"].as_u64().expect("a number");
    assert!(insertions < states * 6 / 5, "{insertions} insertions of {states} states");
    assert!(json["replacements"].as_u64() > Some(0));
    let ran = run(["check", &file, "--all-errors"].into_iter().chain(replacing));
    assert_eq!(ran.code, Some(1));
    assert!(ran.json()["error_kinds"]["deadlock"].as_u64() >= Some(deadlocks));
}

#[test]
fn a_random_graph_on_which_the_papers_claim_holds() {
    let folder = Folder::new("figure1");
    let name = folder.path("figure1");
    let ran = run([
        "experiment",
        "replacement",
        "--states",
        "300",
        "--degree",
        "3",
        "--seed",
        "3372947",
        "-o",
        &name,
        "--json",
    ]);
    let json = ran.json();
    let states = json["states"].as_f64().expect("a number");
    let rows = json["rows"].as_array().expect("rows");
    let at_40 = rows.iter().find(|row| row["memory"].as_f64() == Some((states * 0.4).ceil())).expect("40 %");
    assert_eq!(at_40["runs_ended"], 5);
    assert!(at_40["insertions"].as_f64().expect("a number") <= 1.7 * states, "{at_40:#}");
}

/// The graphs are not ours to distribute.
#[test]
fn vlts_systems_have_their_published_figures() {
    let Some(corpus) = folder_for("the command on graphs that others have measured", "aut") else { return };
    let facts = std::fs::read_to_string(corpus.join("FACTS.tsv")).expect("the corpus has its facts");
    let mut rows = facts.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect());
    let names: Vec<&str> = rows.next().expect("the names of the columns");
    let columns = [
        ("decl_states", "states"),
        ("decl_trans", "transitions"),
        ("reach_states", "reachable_states"),
        ("distinct_reach_trans", "distinct_reachable_transitions"),
        ("tau", "tau_transitions"),
        ("labels", "labels"),
        ("deadlock_states", "deadlocks"),
        ("livelock", "livelock"),
        ("det", "deterministic"),
    ];
    let mut compared = 0;
    for row in rows {
        let row: Vec<&str> = row;
        let fact = |name: &str| row[names.iter().position(|n| *n == name).expect("a known column")];
        let file = corpus.join("vlts").join(fact("name"));
        let ran = run(["info".as_ref(), file.as_os_str(), "--json".as_ref()]);
        assert_eq!(ran.code, Some(0), "{ran:#?}");
        let json = ran.json();
        for (column, field) in columns {
            assert_eq!(shown(&json[field]), fact(column), "{field} of {}", fact("name"));
        }
        // All stores with room agree on the states that can be reached.
        for store in ["exact", "replacing", "compact"] {
            let check = ["--end-states", "ignore", "--store", store, "--json"];
            let check = run(["check".as_ref(), file.as_os_str()].into_iter().chain(check.map(AsRef::as_ref)));
            assert_eq!(shown(&check.json()["states"]), fact("reach_states"), "{store}, {}", fact("name"));
        }
        compared += 1;
    }
    assert_eq!(compared, 11);
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
