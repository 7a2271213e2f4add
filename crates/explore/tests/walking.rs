//! What a page does, as requests: steps, the tree, the graph, a check with its progress, a walk, games; and what several pages do at once.

mod common;

use common::{Page, Reply};
use elnath::lts::Builder;
use elnath::{Direction, LoadOptions, Relation};
use elnath_explore::{Explorer, Sides};
use serde_json::{Value, json};
use std::path::Path;

fn post(page: &Page, path: &str, body: &Value) -> Value {
    let reply: Reply = page.post(path, &body.to_string());
    assert_eq!(reply.status, 200, "{path} {body}: {reply:?}");
    reply.json()
}

fn get(page: &Page, path: &str) -> Value {
    let reply = page.get(path, &page.ours());
    assert_eq!(reply.status, 200, "{path}: {reply:?}");
    reply.json()
}

/// The last event of each kind that a job has sent.
fn events(page: &Page, job: &Value) -> Vec<(String, Value)> {
    let reply = page.get(&format!("/api/events?job={job}"), &page.ours());
    assert_eq!(reply.header("content-type").as_deref(), Some("text/event-stream"));
    let kind = |line: &str| line.trim_end_matches('\r').strip_prefix("event: ").map(str::to_owned);
    let data = |line: &str| line.trim_end_matches('\r').strip_prefix("data: ").map(str::to_owned);
    let kinds: Vec<String> = reply.body.lines().filter_map(kind).collect();
    let texts: Vec<String> = reply.body.lines().filter_map(data).collect();
    let parsed = texts.iter().map(|text| serde_json::from_str(text).expect("JSON"));
    kinds.into_iter().zip(parsed).collect()
}

fn last<'e>(events: &'e [(String, Value)], kind: &str) -> &'e Value {
    let found = events.iter().rfind(|(known, _)| known == kind);
    &found.unwrap_or_else(|| panic!("no {kind} in {events:?}")).1
}

#[test]
fn a_position_is_a_node_of_a_tree_that_all_pages_share() {
    let page = Page::open();
    let one = post(&page, "/api/step", &json!({ "node": 0, "move": 0 }));
    let two = post(&page, "/api/step", &json!({ "node": 0, "move": 1 }));
    assert_eq!((&one["parent"], &two["parent"]), (&json!(0), &json!(0)));
    assert_ne!(one["node"], two["node"]);
    // The same again is the same node, and the move says so.
    let again = post(&page, "/api/step", &json!({ "node": 0, "move": 1 }));
    assert_eq!(again["node"], two["node"]);
    let root = post(&page, "/api/view", &json!({ "node": 0 }));
    assert_eq!(root["groups"][0]["moves"][1]["tried"], two["node"]);
    let deep = post(&page, "/api/follow", &json!({ "node": 0, "path": "0*12" }));
    assert_eq!(deep["length"], 12);
    assert_eq!(deep["path"], "0*12");
    // Twelve hours later the hand is where it was.
    assert_eq!(deep["state"], root["state"]);
    assert_eq!(deep["again"], 0);
    let tree = get(&page, "/api/tree");
    assert_eq!(tree["total"], 14);
    let line = get(&page, &format!("/api/line?node={}", deep["node"]));
    assert_eq!(line["steps"].as_array().expect("steps").len(), 12);
    let info = get(&page, "/api/info");
    assert_eq!(info["models"][0]["name"], "clock");
}

#[test]
fn the_graph_is_as_large_as_wanted_and_marks_its_frontier() {
    let page = Page::open();
    let unexplored = |graph: &Value| {
        let nodes = graph["nodes"].as_array().expect("nodes").clone();
        (nodes.len(), nodes.iter().filter(|node| node["explored"] == false).count())
    };
    let small = get(&page, "/api/graph?node=0&most=10");
    let (count, frontier) = unexplored(&small);
    assert_eq!(count, 10);
    assert!(frontier > 0 && small["more"] == true, "{small}");
    let whole = get(&page, "/api/graph?node=0&most=300");
    assert_eq!(unexplored(&whole), (144, 0));
    assert_eq!(whole["edges"].as_array().expect("edges").len(), 288);
    assert_eq!(whole["more"], false);
    // A path of the graph leads to its state.
    let node = &whole["nodes"][77];
    let path: Vec<String> = node["path"].as_array().expect("a path").iter().map(Value::to_string).collect();
    let there = post(&page, "/api/follow", &json!({ "node": 0, "path": path.join(".") }));
    assert_eq!(there["state"], node["state"]);
}

#[test]
fn expressions_are_watched_and_looked_for() {
    let page = Page::open();
    let found = post(&page, "/api/until", &json!({ "node": 0, "expression": "!apart" }));
    assert_eq!(found["ending"]["kind"], "invariant", "{found}");
    assert!(found["note"].as_str().is_some_and(|note| note.contains("shortest way")), "{found}");
    assert_eq!(found["truths"][0]["text"], "apart");
    assert_eq!((&found["truths"][0]["holds"], &found["truths"][0]["before"]), (&json!(false), &json!(true)));
    let watched =
        post(&page, "/api/view", &json!({ "node": found["node"], "watches": ["apart", "nonsense +"] }));
    assert_eq!(watched["watches"][0]["value"], "false", "{watched}");
    assert!(watched["watches"][1]["wrong"].is_string(), "{watched}");
}

#[test]
fn a_check_reports_and_its_run_can_be_gone_through() {
    let page = Page::open();
    let job = post(&page, "/api/check", &json!({ "seconds": 20 }))["job"].clone();
    let events = events(&page, &job);
    let done = last(&events, "done");
    assert_eq!(done["verdicts"][0]["verdict"], "fails", "{done}");
    let nodes = done["verdicts"][0]["run"]["nodes"].as_array().expect("a run").clone();
    let end = post(&page, "/api/view", &json!({ "node": nodes.last() }));
    assert_eq!(end["ending"]["error"], true, "{end}");
    // Who comes later hears the same.
    assert_eq!(last(&self::events(&page, &job), "done"), done);
}

#[test]
fn a_walk_counts_levels_and_can_be_stopped() {
    let page = Page::open();
    let job = post(&page, "/api/walk", &json!({ "states": 100_000 }))["job"].clone();
    let events = events(&page, &job);
    let walk = last(&events, "walk");
    let levels: u64 = walk["levels"].as_array().expect("levels").iter().filter_map(Value::as_u64).sum();
    assert_eq!((levels, &walk["states"], &walk["transitions"]), (144, &json!(144), &json!(288)));
    assert_eq!(walk["actions"].as_array().expect("actions").len(), 2);
    assert_eq!(walk["actions"][0]["level"], 1);
    post(&page, "/api/stop", &json!({ "job": job }));
    let few = post(&page, "/api/walk", &json!({ "states": 20 }))["job"].clone();
    let events = self::events(&page, &few);
    assert!(last(&events, "walk")["why"].as_str().is_some_and(|why| why.contains("limit")), "{events:?}");
}

/// a.(b + c) and a.b + a.c, as files.
fn comparison(folder: &Path, relation: Relation, direction: Direction) -> Explorer {
    let (mut left, mut right) = (Builder::new(), Builder::new());
    for (from, label, to) in [(0, "a", 1), (1, "b", 2), (1, "c", 2)] {
        left.add(from, label, to);
    }
    for (from, label, to) in [(0, "a", 1), (0, "a", 2), (1, "b", 3), (2, "c", 3)] {
        right.add(from, label, to);
    }
    std::fs::create_dir_all(folder).expect("a folder");
    let files = [folder.join("left.aut"), folder.join("right.aut")];
    for (file, graph) in files.iter().zip([left.finish(0), right.finish(0)]) {
        let mut text = Vec::new();
        elnath::lts::aut::write(&graph, elnath::lts::aut::Dialect::Cadp, &mut text).expect("it is written");
        std::fs::write(file, text).expect("a file");
    }
    let load = |file: &Path| elnath::load(file, &LoadOptions::default()).map_err(|_| ()).expect("a graph");
    let sides = Sides {
        files: [&files[0], &files[1]],
        options: [LoadOptions::default(), LoadOptions::default()],
        names: ["left".to_owned(), "right".to_owned()],
        loaded: [load(&files[0]), load(&files[1])],
    };
    Explorer::comparing(sides, relation, direction, None)
}

#[test]
fn either_side_of_a_game_can_be_played_and_won() {
    let folder = std::env::temp_dir().join(format!("elnath-explore-{}", std::process::id()));
    let page = Page::of(comparison(&folder, Relation::Strong, Direction::Equivalence));
    for (name, _) in Relation::NAMES {
        for direction in ["equivalence", "preorder"] {
            for attacker in ["you", "elnath"] {
                let asked = json!({ "relation": name, "direction": direction, "attacker": attacker });
                let mut game = post(&page, "/api/game", &asked);
                let promised = game["wins"].clone();
                assert!(promised.is_string(), "{asked}: so small a game is solved");
                let mut moves = 0;
                while game["winner"].is_null() {
                    let hinted = post(&page, "/api/play", &json!({ "game": game["id"], "move": "hint" }));
                    // An attacker who cannot win tries something new each time.
                    let best = hinted["hint"].as_u64().unwrap_or(0);
                    game = post(&page, "/api/play", &json!({ "game": game["id"], "move": best }));
                    moves += 1;
                    assert!(moves < 100, "{asked}: {game}");
                }
                let attacker_won = game["winner"] == attacker;
                assert_eq!(promised == "attacker", attacker_won, "{asked}: who wins was said before: {game}");
                if attacker_won {
                    assert!(!game["formula"].as_str().unwrap_or("…").contains('…'), "{asked}: {game}");
                }
            }
        }
    }
    // Undo takes a move back, and the strategy is told.
    let game = post(
        &page,
        "/api/game",
        &json!({ "relation": "strong", "direction": "equivalence", "attacker": "you" }),
    );
    let id = game["id"].clone();
    let one = post(&page, "/api/play", &json!({ "game": id, "move": 0 }));
    assert!(!one["rounds"].as_array().expect("rounds").is_empty());
    let back = post(&page, "/api/play", &json!({ "game": id, "move": "undo" }));
    assert_eq!(back["rounds"], json!([]));
    let told = post(&page, "/api/play", &json!({ "game": id, "move": "strategy" }));
    assert!(told["strategy"][0].as_str().is_some_and(|line| line.contains("attacker wins")), "{told}");
    drop(page);
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
}

#[test]
fn many_pages_at_once_are_answered() {
    let page = Page::open();
    std::thread::scope(|scope| {
        for offset in 0..6u64 {
            let page = &page;
            scope.spawn(move || {
                let mut node = json!(0);
                for step in 0..50u64 {
                    let number = (step * 7 + offset) % 2;
                    node = post(page, "/api/step", &json!({ "node": node, "move": number }))["node"].clone();
                }
                let end = post(page, "/api/view", &json!({ "node": node }));
                assert_eq!(end["length"], 50);
            });
        }
    });
}
