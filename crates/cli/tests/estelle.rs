//! What holds of specifications in Estelle at the command line: comparison with communicating machines, formulas, stories, options, messages.

mod common;

use common::{Folder, run};
use std::path::Path;

fn case(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/estelle").join(name);
    path.display().to_string()
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    path.display().to_string()
}

/// A specification with one module; `body` is the rest of its body.
fn alone(body: &str) -> String {
    format!(
        "specification S;\nmodule M systemprocess; end;\nbody D for M;\n{body}\nend;\nmodvar v: M;\n\
         initialize begin init v with D end;\nend.\n"
    )
}

/// The connection protocol of the papers is the one in the language of machines, but for the names of the queues.
#[test]
fn the_connection_protocol_is_that_of_the_machines() {
    let (estelle, machines) = (case("connect-disconnect.est"), example("fifo/connect-disconnect.fifo"));
    for n in 1..=10u64 {
        let capacity = n.to_string();
        let related = run([
            "compare",
            &estelle,
            &machines,
            "--capacity",
            &capacity,
            "--relation",
            "strong",
            "--rename-left",
            "P2[.]f(.*)=>f1\\1",
            "--rename-left",
            "P1[.]f(.*)=>f2\\1",
        ]);
        assert_eq!(related.code, Some(0), "{n}: {related:#?}");
        let folder = Folder::new(&format!("estelle-connection-{n}"));
        let graph = folder.path("connection.aut");
        assert_eq!(run(["convert", &estelle, &graph, "--capacity", &capacity]).code, Some(0));
        let text = std::fs::read_to_string(&graph).expect("it was written");
        let (states, transitions) = (n * n / 4 + 3 * (n + 1), n * n / 4 + 6 * n + 2);
        assert!(text.starts_with(&format!("des (0, {transitions}, {states})")), "{n}: {text}");
    }
    // Without renaming the labels differ.
    let differ = run(["compare", &estelle, &machines, "--capacity", "2", "--relation", "strong"]);
    assert_eq!(differ.code, Some(1), "{differ:#?}");
}

#[test]
fn an_unexpected_message_is_told_with_its_module_and_queue() {
    let folder = Folder::new("estelle-unspecified");
    let text = std::fs::read_to_string(case("abp.est")).expect("the case is there");
    // The sender does not expect an old acknowledgement.
    let file = folder.file(
        "model.est",
        text.replace("{ expect", "{")
            .replace("name old: begin output Line.Ak(b) end", "name old: begin output Line.Ak(1 - b) end"),
    );
    let ran = run(["check", &file]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(
        ran.out.contains("unspecified reception: Sender in state WAIT cannot take Arrives in Sender.Line"),
        "{ran:#?}"
    );
}

#[test]
fn integers_have_bounds_or_are_refused() {
    let folder = Folder::new("estelle-integers");
    let body = "var n: integer; initialize begin n := 0 end; trans provided n < maxint begin n := n + 1 end;";
    let file = folder.file("count.est", alone(&body.replace("maxint", "7")));
    let refused = run(["check", &file]);
    assert!(refused.code == Some(2) && refused.err.contains("--int 0..7"), "{refused:#?}");
    let ran = run(["check", &file, "--int", "0..7", "--end-states", "ignore", "--json"]);
    assert_eq!((ran.code, ran.json()["states"].as_u64()), (Some(0), Some(8)), "{ran:#?}");
    let file = folder.file("most.est", alone(body));
    let ran = run(["check", &file, "--int", "-2..2", "--end-states", "ignore", "--json"]);
    assert_eq!((ran.code, ran.json()["states"].as_u64()), (Some(0), Some(3)), "{ran:#?}");
    // One step too many is a fault.
    let file = folder
        .file("over.est", alone("var n: integer; initialize begin n := 0 end; trans begin n := n + 1 end;"));
    let ran = run(["check", &file, "--int", "0..3"]);
    assert!(ran.code == Some(1) && ran.out.contains("value out of range"), "{ran:#?}");
    assert_eq!(run(["check", &file, "--int", "3..0"]).code, Some(2));
}

#[test]
fn formulas_name_states_variables_and_queues() {
    let file = example("estelle/common-queue.est");
    for (formula, code) in [
        ("[] (Printer@BUSY -> Printer.left <= 2)", 0),
        ("[] (Printer@BUSY -> Printer.left > 0)", 1),
        ("[] (len(Printer.queue) <= 2)", 0),
        ("[] empty(Printer.queue)", 1),
        ("[] (first(Printer.queue) == Desk[2].Job -> Office[2]@WAITING)", 0),
        ("[] (Office[1]@WAITING -> Office[2]@WAITING)", 1),
    ] {
        assert_eq!(run(["check", &file, "--ltl", formula]).code, Some(code), "{formula}");
    }
    for (formula, help) in [
        ("[] Printer@BUSSY", "did you mean `BUSY`?"),
        ("[] Printr@BUSY", "did you mean `Printer`?"),
        ("[] (len(Printer.queu) > 1)", "did you mean `Printer.queue`?"),
        ("[] (Printer.lift > 1)", "did you mean `Printer.left`?"),
    ] {
        let ran = run(["check", &file, "--ltl", formula]);
        assert!(ran.code == Some(2) && ran.err.contains(help), "{formula}: {ran:#?}");
    }
}

#[test]
fn every_command_takes_specifications() {
    let file = example("estelle/alternating-bit.est");
    let folder = Folder::new("estelle-commands");
    let graph = folder.path("abp.aut");
    let small = folder.path("small.aut");
    assert_eq!(run(["convert", &file, &graph]).code, Some(0));
    assert_eq!(run(["reduce", &file, "--output", &small, "--relation", "branching"]).code, Some(0));
    assert_eq!(run(["compare", &file, &graph, "--relation", "strong"]).code, Some(0));
    assert_eq!(run(["compare", &graph, &small, "--relation", "branching"]).code, Some(0));
    let walked = run(["simulate", &file, "--steps", "6", "--seed", "1"]);
    assert!(walked.code == Some(0) && walked.out.contains("Sender.Line"), "{walked:#?}");
    let told = run(["info", &file]);
    assert!(told.code == Some(0) && told.out.contains("Receiver"), "{told:#?}");
}
