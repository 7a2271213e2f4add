//! Stories, charts and trails of all kinds of systems, through the library.

use elnath::chart::Chart;
use elnath::lts::Builder;
use elnath::trail::{Entry, Trail};
use elnath::{Check, Ending, Model, Simulation, Story, System};

/// Two people and a door; the second one in shuts it for ever.
struct Door;

impl Model for Door {
    type State = (u8, bool);
    type Action = &'static str;

    fn initial(&self) -> (u8, bool) {
        (0, true)
    }

    fn actions(&self, state: &(u8, bool), actions: &mut Vec<&'static str>) {
        if state.1 {
            actions.push(if state.0 == 0 { "Ann enters" } else { "Bob enters and shuts the door" });
        }
    }

    fn next(&self, state: &(u8, bool), _: &&'static str) -> Option<(u8, bool)> {
        Some((state.0 + 1, state.0 == 0))
    }
}

#[test]
fn a_model_in_rust_has_a_story_and_a_chart() {
    let report = Check::model(&Door).run().unwrap();
    let (_, run) = report.first().violation().expect("it deadlocks");
    let story = Story::new(&*report.first().figures.system, run);
    let steps: Vec<_> = story.steps().collect();
    assert_eq!(steps.len(), 2);
    assert_eq!(steps[1].events[0].text, "Bob enters and shuts the door");
    // Nothing finer is known, so the whole state is told.
    assert_eq!(steps[1].events[0].changes, None);
    assert_eq!(steps[1].state, "(2, false)");
    let chart = Chart::of(&story, "deadlock", true);
    assert!(chart.to_text().contains("• Ann enters"), "{}", chart.to_text());
    assert!(chart.to_svg().contains(">system</text>"));
}

#[test]
fn a_walk_says_how_it_ends() {
    let mut builder = Builder::new();
    builder.add(0, "a", 1);
    let lts = builder.finish(0);
    let system: &dyn System = &lts;
    let mut walk = Simulation::new(system);
    assert_eq!(walk.ending(), Ending::Open);
    let t = walk.enabled()[0];
    walk.fire(t);
    assert_eq!(walk.ending(), Ending::Deadlock);
    assert_eq!(Ending::of(system, walk.run()), Ending::Deadlock);
    assert_eq!(Story::new(system, walk.run()).step(0).action, "a");
}

#[test]
fn trails_are_read_with_their_remarks() {
    let trail = Trail::parse("t", "-2:1:-2\n-4:-4:-4\n1:0:7\n2:1:0\n-1:-1:-1\n3:2:5\n").unwrap();
    assert!(trail.has_claim && trail.merged);
    // The claim is process 0 and leaves no entry.
    assert_eq!(trail.entries, [Entry { pid: 0, id: 0 }, Entry { pid: 1, id: 5 }]);
    assert_eq!(trail.cycle, Some(1));
    assert_eq!(trail.to_text(), "1:0:0\n-1:-1:-1\n2:1:5\n");
    for broken in ["1:2", "x", "1:0:-4", "-5:0:0", "1:999:3", "1:0:99999999999999999999"] {
        assert_eq!(Trail::parse("t", broken).map_err(|messages| messages.len()), Err(1), "{broken}");
    }
}

/// A transition that takes and sends several messages has an arrow end for each of them.
#[test]
fn several_messages_at_once_are_drawn_apart() {
    let path = std::env::temp_dir().join(format!("elnath-words-{}.fifo", std::process::id()));
    let text = "channel f of a, b channel g of c machine P { 0 -> 1: f!a.b 1 -> 2: g?c } \
                machine Q { 0 -> 1: f?a.b, g!c.c }";
    std::fs::write(&path, text).unwrap();
    let loaded = elnath::load(&path, &elnath::LoadOptions::default()).map_err(|_| ()).unwrap();
    std::fs::remove_file(&path).unwrap();
    let system = &*loaded.program.expect("machines are a program");
    let mut walk = Simulation::new(system);
    while let Some(&t) = walk.enabled().first() {
        walk.fire(t);
    }
    let story = Story::new(system, walk.run());
    assert_eq!(story.len(), 3);
    let inside: Vec<String> = story.step(1).events[0]
        .inside
        .iter()
        .map(|message| format!("{}:{}:{:?}", message.channel, message.values, message.kind))
        .collect();
    assert_eq!(inside, ["f:a:Received", "f:b:Received", "g:c:Sent", "g:c:Sent"]);
    let chart = Chart::of(&story, "the end", false).to_text();
    let rows: Vec<String> =
        chart.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let expected = [
        "1 ├─▶ f!a (1) │",
        "├─▶ f!b (2) │",
        "2 │ ├◀─ f?a (1)",
        "│ ├◀─ f?b (2)",
        "│ ├─▶ g!c (3)",
        "│ ├─▶ g!c (4)",
        "3 ├◀─ g?c (3) │",
        "never received: g!c",
        "the end",
    ];
    assert_eq!(rows[1..], expected, "{chart}");
}
