//! How the command behaves towards shells, scripts and people in a hurry.

mod common;

use common::{Folder, Ran, case, elnath, run, skipped};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Every object has these; what a command has nothing to say about is null.
const FIELDS: [&str; 16] = [
    "schema",
    "elnath",
    "command",
    "verdict",
    "states",
    "transitions",
    "insertions",
    "depth",
    "seconds",
    "peak_bytes",
    "bytes_per_state",
    "coverage",
    "engine",
    "store",
    "reductions",
    "seed",
];

fn object(arguments: &[&str]) -> Value {
    let ran = run(arguments.iter().copied().chain(["--json"]));
    let json = ran.json();
    let object = json.as_object().unwrap_or_else(|| panic!("{ran:#?}"));
    for field in FIELDS {
        assert!(object.contains_key(field), "{field} is missing: {arguments:?} {json:#}");
    }
    assert_eq!(json["schema"], 1);
    json
}

#[test]
fn every_command_has_a_json_form() {
    let folder = Folder::new("json");
    let vending = case("vending.aut");
    for store in ["exact", "replacing", "bitstate", "compact"] {
        let json = object(&["check", &vending, "--store", store, "--memory", "32MiB"]);
        let null: Vec<_> = FIELDS.iter().filter(|&&field| json[field].is_null()).collect();
        assert!(null.is_empty(), "{null:?}");
        assert_eq!((&json["verdict"], &json["states"]), (&Value::from("holds"), &Value::from(5)));
        assert_eq!((&json["store"], &json["engine"]), (&Value::from(store), &Value::from("graph")));
    }
    assert_eq!(object(&["check", &vending, "--forbid", "TEA"])["verdict"], "fails");
    assert_eq!(object(&["check", &vending, "--depth", "1"])["verdict"], "unknown");
    assert_eq!(object(&["check", &vending, "--memory", "10B"])["reason"], "memory");
    assert_eq!(object(&["info", &vending])["labels"], 5);
    assert_eq!(object(&["convert", &vending, &folder.path("v.dot")])["states"], 5);
    let random = ["random", "--states", "100", "--degree", "5", "--seed", "3", "-o", &folder.path("r.aut")];
    assert!(object(&random)["states"].as_u64() >= Some(50));
    let experiment = folder.path("e");
    let json = object(&[
        "experiment",
        "replacement",
        &case("connect-disconnect-5.aut"),
        "--runs",
        "1",
        "-o",
        &experiment,
    ]);
    assert_eq!(json["states"], 24);
    let heap = folder.path("heap");
    let json = object(&["experiment", "connect-disconnect", "-n", "5", "--runs", "1", "-o", &heap]);
    assert_eq!((&json["states"], &json["transitions"]), (&Value::from(24), &Value::from(38)));
    let rows = json["rows"].as_array().expect("rows");
    assert_eq!((&rows[0]["heap"], &rows[0]["generated"]), (&Value::from(24), &Value::from(24.0)));
    assert_eq!(rows.last().map(|row| &row["generated"]), Some(&Value::from(158.0)));
    assert_eq!(object(&["ltl", "G F a"])["states"], 1);
    assert_eq!(object(&["check", &vending, "--ltlf", "true"])["finite"]["reading"], "prefix");
    assert!(object(&["completions", "bash"])["script"].as_str().is_some_and(|s| s.contains("elnath")));
    object(&["man", &folder.path("man")]);
    assert!(object(&["check", "missing.aut"])["messages"].is_array());
}

/// Also what cannot even be read as a command line.
#[test]
fn mistakes_in_the_command_line_have_a_json_form() {
    let vending = case("vending.aut");
    let text = |arguments: &[&str]| {
        let json = object(arguments);
        let message = &json["messages"][0];
        assert_eq!(message["severity"], "error", "{json:#}");
        (
            json["command"].clone(),
            message["text"].as_str().unwrap_or_default().to_owned(),
            message["help"].clone(),
        )
    };
    let (command, wrong, _) = text(&["check", &vending, "--reductions", "foo"]);
    assert_eq!(command, "check");
    assert!(wrong.starts_with("invalid value 'foo' for") && wrong.contains("symmetry"), "{wrong}");
    let (_, wrong, _) = text(&["check", &vending, "--swarm", "1s", "--store", "exact"]);
    assert!(wrong.contains("cannot be used with") && !wrong.contains("Usage"), "{wrong}");
    let (_, wrong, help) = text(&["check", &vending, "--shortes"]);
    assert!(
        wrong.contains("--shortes") && help.as_str().is_some_and(|help| help.contains("--shortest")),
        "{help}"
    );
    let (command, wrong, _) = text(&[]);
    assert!(command == "" && wrong.contains("requires a subcommand"), "{wrong}");
    assert!(run(["check", "--help", "--json"]).out.contains("Usage"));
}

/// Somebody who gives an option expects something of it.
#[test]
fn options_without_an_effect_are_refused() {
    let vending = case("vending.aut");
    for (options, text) in [
        (&["--hashes", "2"][..], "--hashes has a meaning only with --store bitstate"),
        (&["--cache", "10", "--store", "exact"], "--cache has a meaning only with --store replacing"),
        (
            &["--fingerprint", "40", "--store", "bitstate"],
            "--fingerprint has a meaning only with --store compact",
        ),
        (&["--store", "replacing", "--strata", "3"], "`strata` has a meaning only with policy=stratified"),
        (&["--store", "replacing:hashes=3"], "the replacing store has no parameter `hashes`; it has cache"),
        (&["--thrashing", "3", "--replacement", "lru"], "2 errors"),
        (&["--swarm", "0s"], "--swarm needs a duration greater than zero"),
    ] {
        let ran = run(["check", &vending].iter().chain(options));
        assert_eq!(ran.code, Some(2), "{options:?}: {ran:#?}");
        assert!(ran.err.contains(text), "{options:?}: {ran:#?}");
    }
}

/// An old spelling works, and the note says what to write instead.
#[test]
fn old_spellings_work_with_a_note() {
    let vending = case("vending.aut");
    let old = run(["check", &vending, "--store", "replacing", "--cache=10", "--msc", "-"]);
    let new = run(["check", &vending, "--store", "replacing:cache=10", "--chart", "-"]);
    assert!(old.err.contains("note[N0306]: --cache is now --store replacing:cache=STATES"), "{old:#?}");
    assert!(old.err.contains("note[N0306]: --msc is now --chart"), "{old:#?}");
    assert!(!new.err.contains("is now"), "{new:#?}");
    assert_eq!(old.code, new.code);
}

#[test]
fn one_worker_is_explained_where_more_were_wanted() {
    let vending = case("vending.aut");
    for options in [
        &["--search", "dfs"][..],
        &["--store", "replacing"],
        &["--store", "compact"],
        &["--store", "bitstate", "--search", "bfs"],
    ] {
        let with = |threads| run(["check", &vending, "--threads", threads].iter().chain(options)).out;
        assert!(with("2").contains("1 thread (because only breadth-first search with"), "{options:?}");
        assert!(with("1").contains(", 1 thread") && !with("1").contains("because"), "{options:?}");
    }
    assert_eq!(object(&["check", &vending, "--threads", "2"])["one_thread_because"], Value::Null);
}

/// A swarm keeps to its limits, and its last line says how little it knows.
#[test]
fn a_swarm_says_how_sure_it_is() {
    let vending = case("vending.aut");
    let swarm = |more: &[&str]| {
        let ran =
            run(["check", &vending, "--memory", "8MiB", "--threads", "2", "--swarm"].iter().chain(more));
        assert_eq!(ran.code, Some(3), "{ran:#?}");
        ran.out
    };
    let out = swarm(&["200ms"]);
    assert!(out.contains(
        "no violation among the about 5 states seen, which proves nothing: the best search omitted"
    ));
    let out = swarm(&["200ms", "--depth", "1"]);
    assert!(
        out.contains(", 0 of which came to an end and ") && out.contains(" left out what was too deep"),
        "{out}"
    );
    let out = swarm(&["60s", "--states", "2"]);
    assert!(out.contains("unknown: the limit on states was reached; no violation among the about "), "{out}");
}

/// What is proposed when the memory is used up would help, and would not be refused.
#[test]
fn advice_about_memory_fits_the_search() {
    let folder = Folder::new("advice");
    let graph = folder.path("g.aut");
    assert_eq!(run(["random", "--states", "200000", "--degree", "6", "-o", &graph]).code, Some(0));
    let model = "byte x, y, z; active proctype P() { do :: x = (x + 1) % 99 :: y = (y + 1) % 99 :: z = (z + 1) % 99 od }\n\
                 ltl often { []<> (x == 0) -> []<> (x < 5 || y + z > 999) }";
    let model = folder.file("m.pml", model);
    let info = run(["check", &graph, "--json", "--end-states", "ignore"]).json();
    let memory = (info["model_bytes"].as_u64().expect("a number") + (300 << 10)).to_string();
    let on = |file: &str, memory: &str, options: &[&str]| {
        let ran = run(["check", file, "--memory", memory, "-q"].iter().chain(options));
        assert!(ran.out.contains("unknown: out of memory; "), "{options:?}: {ran:#?}");
        let (_, advice) = ran.out.trim_end().trim_end_matches(')').rsplit_once('(').expect("advice");
        advice.to_owned()
    };
    // What a search of this graph keeps of its path does not fit either, so that no other store is proposed.
    for (options, advice) in [
        (&[][..], "--memory, or --spill DIR"),
        (&["--shortest"], "--memory, or --spill DIR"),
        (&["--store", "exact"], "--memory, or --spill DIR instead of --store"),
        (&["--search", "dfs"], "--memory"),
        (&["--store", "compact"], "--memory, or --depth"),
        (&["--store", "bitstate"], "--memory, or --depth"),
        (&["--store", "replacing:cache=20"], "--memory, --cache, or --depth"),
    ] {
        let options: Vec<&str> = options.iter().copied().chain(["--end-states", "ignore"]).collect();
        let said = on(&graph, &memory, &options);
        let (ways, tried) = said.split_once("; in a trial").unwrap_or((&said, ""));
        assert_eq!(ways, advice, "{options:?}");
        // The tree store takes less for the same states.
        assert_eq!(tried.contains("--store tree"), options.starts_with(&["--store", "exact"]), "{said}");
        assert_eq!(tried.matches("--store").count(), usize::from(tried.contains("--store tree")), "{said}");
    }
    for (options, advice) in [
        (&["--claim", "often"][..], "--memory, or --store replacing, compact or bitstate"),
        (&["--claim", "often", "--search", "cndfs"], "--memory"),
        (&["--claim", "often", "--fair", "weak"], "--memory"),
        (&["--claim", "often", "--shortest"], "--memory"),
    ] {
        assert_eq!(on(&model, "400KiB", options), advice, "{options:?}");
    }
}

/// A store is proposed where it reaches further in the same memory, and only there.
#[test]
fn advice_about_stores_is_measured() {
    let folder = Folder::new("measured");
    // Wide, so that a depth-first search has a short path; and deep, so that it keeps every state on it.
    let counter =
        |i: usize| format!("active proctype P{i}() {{ byte x; do :: x < 9 -> x++ :: else -> break od }}\n");
    let wide: String = (0..6).map(counter).collect();
    let deep = "int x, y; active proctype P() { do :: x < 1000000 -> x++; y = 3 * x od }".to_owned();
    for (name, text) in [("wide.pml", wide), ("deep.pml", deep)] {
        let model = folder.file(name, &text);
        let asked = ["check", &model, "--memory", "2MiB", "--json", "--reductions", "none"];
        let first = run(asked).json();
        assert_eq!((first["verdict"].as_str(), first["reason"].as_str()), (Some("unknown"), Some("memory")));
        let states = |answer: &Value| answer["states"].as_u64().expect("a number");
        let tried = first["reach"].as_array().expect("stores were tried");
        let proposed: Vec<&str> = tried.iter().filter_map(|reach| reach["store"].as_str()).collect();
        for store in ["compact", "bitstate"] {
            let answer = run(asked.iter().chain(&["--store", store])).json();
            let further = states(&answer) as f64 >= 1.5 * states(&first) as f64;
            assert_eq!(proposed.contains(&store), further, "{name}, {store}: {first:#}\n{answer:#}");
        }
        assert_eq!(proposed.contains(&"bitstate"), name == "wide.pml", "{proposed:?}");
    }
}

#[test]
fn nothing_is_overwritten_unless_forced() {
    let folder = Folder::new("overwrite");
    let (kept, vending) = (folder.file("kept.aut", "precious"), case("vending.aut"));
    let csv = folder.file("kept.csv", "precious");
    let experiment = folder.path("kept");
    let commands: [&[&str]; 3] = [
        &["convert", &vending, &kept],
        &["random", "--states", "100", "-o", &kept],
        &["experiment", "replacement", &vending, "--runs", "1", "-o", &experiment],
    ];
    for command in commands {
        let ran = run(command);
        assert_eq!(ran.code, Some(2), "{ran:#?}");
        assert!(ran.err.contains("exists already") && ran.err.contains("--force"), "{ran:#?}");
    }
    assert_eq!(std::fs::read_to_string(&kept).expect("still there"), "precious");
    assert_eq!(std::fs::read_to_string(&csv).expect("still there"), "precious");
    assert_eq!(folder.names(), ["kept.aut", "kept.csv"]);
    for command in commands {
        assert_eq!(run(command.iter().chain(&["--force"])).code, Some(0));
    }
    assert_eq!(folder.names(), ["kept.aut", "kept.csv", "kept.svg"]);
}

#[test]
fn a_failed_command_leaves_no_file() {
    let folder = Folder::new("partial");
    let broken = folder.file("broken.aut", "des (0, 1, 1)\n");
    assert_eq!(run(["convert", &broken, &folder.path("out.aut")]).code, Some(2));
    assert_eq!(run(["convert", &case("vending.aut"), &folder.path("no/such/out.aut")]).code, Some(2));
    assert_eq!(
        run([
            "convert",
            &case("vending.aut"),
            &folder.as_path().display().to_string(),
            "--format",
            "dot",
            "--force"
        ])
        .code,
        Some(2)
    );
    assert_eq!(folder.names(), ["broken.aut"]);
}

#[test]
fn what_is_converted_is_the_same_graph() {
    let folder = Folder::new("convert");
    let original = case("connect-disconnect-20.aut");
    let mut before = original.clone();
    for name in ["a.aut.gz", "b.aut.zst", "c.aut"] {
        let after = folder.path(name);
        assert_eq!(run(["convert", &before, &after]).code, Some(0));
        before = after;
    }
    let text = |file: &str| std::fs::read_to_string(file).expect("readable");
    let again = folder.path("d.aut");
    assert_eq!(run(["convert", &original, &again]).code, Some(0));
    assert_eq!(text(&before), text(&again));
    let dot = run(["convert", &original, "-", "--format", "dot"]);
    assert!(dot.out.starts_with("digraph") && dot.out.trim_end().ends_with('}'), "{}", dot.out);
}

#[test]
fn programs_and_networks_are_converted_to_what_is_seen_of_them() {
    let folder = Folder::new("convert-generated");
    for example in ["abp.net", "abp.pml"] {
        let model = format!("{}/../../examples/{example}", env!("CARGO_MANIFEST_DIR"));
        let graph = folder.path(&format!("{example}.aut"));
        let ran = run(["convert", &model, &graph]);
        assert_eq!(ran.code, Some(0), "{ran:#?}");
        let compared = run(["compare", &model, &graph, "--relation", "strong"]);
        assert_eq!(compared.code, Some(0), "{compared:#?}");
        let stopped = run(["convert", &model, &folder.path("not.aut"), "--memory", "8KiB"]);
        assert_eq!(stopped.code, Some(3), "{stopped:#?}");
        assert!(stopped.err.contains("out of memory while generating"), "{stopped:#?}");
    }
    assert_eq!(folder.names(), ["abp.net.aut", "abp.pml.aut"]);
}

/// The reader takes one line and goes away, as `head -1` does.
#[test]
fn a_reader_that_goes_away_is_no_reason_to_complain() {
    let protocol = case("connect-disconnect-20.aut");
    let commands: [&[&str]; 6] = [
        &["random", "--states", "200000", "--degree", "6"],
        &["convert", &protocol, "-", "--format", "dot"],
        &["check", &protocol],
        &["info", &protocol],
        &["completions", "zsh"],
        &["check", "--help"],
    ];
    for command in commands {
        let mut child =
            elnath(command).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("elnath starts");
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        out.read_line(&mut line).expect("a line");
        drop(out);
        assert!(!line.is_empty());
        let mut err = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut err).expect("text");
        child.wait().expect("it ends");
        assert!(!err.contains("panicked") && !err.contains("error"), "{command:?}: {err}");
    }
}

/// A model that keeps the replacing store busy for hours: thirty levels of four states, each with a transition to every
/// state of the next level, and a memory for little more than one path.
fn endless(folder: &Folder) -> Vec<String> {
    let (levels, width) = (30, 4);
    let mut text = format!("des (0, ?, {})\n", 1 + levels * width);
    for node in 0..1 + (levels - 1) * width {
        let next = 1 + (node + width - 1) / width * width;
        (next..next + width).for_each(|to| text += &format!("({node}, a, {to})\n"));
    }
    let graph = folder.file("levels.aut", text);
    let options = "--end-states ignore --store replacing:cache=34,thrashing=1G";
    ["check", &graph].into_iter().chain(options.split(' ')).map(str::to_owned).collect()
}

#[cfg(unix)]
#[test]
fn an_interrupted_search_tells_what_it_has_seen() {
    let folder = Folder::new("interrupt");
    let child = elnath(endless(&folder).iter().map(String::as_str).chain(["--json"]))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("elnath starts");
    std::thread::sleep(Duration::from_millis(700));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let ran = Ran::new(&child.wait_with_output().expect("it ends"));
    let json = ran.json();
    assert_eq!(ran.code, Some(3), "{ran:#?}");
    assert_eq!((&json["verdict"], &json["reason"]), (&"unknown".into(), &"interrupted".into()));
    assert!(json["insertions"].as_u64() > Some(20_000), "{json:#}");
}

#[test]
fn time_runs_out() {
    let folder = Folder::new("time");
    let begin = Instant::now();
    let ran = run(endless(&folder).iter().map(String::as_str).chain(["--time", "300ms"]));
    assert_eq!(ran.code, Some(3), "{ran:#?}");
    assert!(ran.out.contains("unknown: out of time"), "{ran:#?}");
    assert!(begin.elapsed() < Duration::from_secs(20));
    assert_eq!(ran.err, "", "no progress line in a pipe");
}

#[test]
fn thrashing_is_an_answer() {
    let folder = Folder::new("thrashing");
    let mut arguments = endless(&folder);
    let last = arguments.len() - 1;
    arguments[last] = "replacing:cache=34,thrashing=20".to_owned();
    let ran = run(&arguments);
    assert_eq!(ran.code, Some(3), "{ran:#?}");
    assert!(ran.out.contains("unknown: thrashing: "), "{ran:#?}");
}

/// `script` runs the command on a terminal of its own.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_progress() {
    let folder = Folder::new("progress");
    let mut line = vec![env!("CARGO_BIN_EXE_elnath").to_owned()];
    line.extend(endless(&folder));
    line.extend(["--time", "1500ms", "--color", "never"].map(str::to_owned));
    let typescript = folder.path("typescript");
    let shell = line.join(" ");
    let on_a_terminal = |command: &str| {
        let script =
            Command::new("script").args(["-qec", command, &typescript]).stdin(Stdio::null()).output();
        script.map(|output| (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned()))
    };
    let Ok((code, text)) = on_a_terminal(&shell) else {
        skipped("no `script` here: the progress line is not tested");
        return;
    };
    assert_eq!(code, Some(3), "{text}");
    for part in [" states, ", "/s, depth ", "store 100 % full"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (_, quiet) = on_a_terminal(&format!("{shell} --quiet")).expect("as before");
    assert!(!quiet.contains("/s, depth "), "{quiet}");
    assert!(quiet.trim_end().lines().count() == 1, "{quiet}");
}

#[test]
fn colours_are_a_choice() {
    let vending = case("vending.aut");
    assert!(run(["check", &vending, "--color", "always"]).out.contains("\u{1b}[32;1mholds"));
    for arguments in [&["check", &vending, "--color", "never"][..], &["check", &vending]] {
        assert!(!run(arguments).out.contains('\u{1b}'));
    }
}

#[test]
fn quiet_says_the_verdict_and_nothing_else() {
    let ran = run(["check", &case("connect-disconnect-5.aut"), "--quiet"]);
    assert_eq!((ran.code, ran.out.lines().count(), ran.err.as_str()), (Some(1), 1, ""));
    assert!(ran.out.starts_with("fails: deadlock"), "{ran:#?}");
}

#[test]
fn shells_and_man_get_their_files() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = run(["completions", shell]);
        assert_eq!(ran.code, Some(0));
        assert!(ran.out.contains("elnath") && ran.out.contains("experiment"), "{shell}");
    }
    let folder = Folder::new("man");
    assert_eq!(run(["man", &folder.path("man1")]).code, Some(0));
    let page = |name: &str| std::fs::read_to_string(folder.path(&format!("man1/{name}"))).expect("a page");
    assert!(page("elnath.1").contains(".TH elnath 1"));
    assert!(page("elnath-check.1").contains("forbid"));
    assert!(page("elnath-experiment-replacement.1").contains("thrashing"));
}

/// The same command gives the same bytes.
#[test]
fn chance_has_a_seed() {
    let random = |seed| run(["random", "--states", "1000", "--degree", "5", "--seed", seed]).out;
    assert_eq!(random("7"), random("7"));
    assert_ne!(random("7"), random("8"));
    let search = || {
        let cache = ["--store", "replacing:cache=60", "--json", "--end-states", "ignore", "--seed", "5"];
        let file = case("connect-disconnect-20.aut");
        run(["check", &file].into_iter().chain(cache)).json()["insertions"].clone()
    };
    assert_eq!(search(), search());
}

/// After a complete walk, the statements that no run executes are listed, in the order of the text; after an incomplete
/// one nothing can be said.
#[test]
fn dead_statements_are_listed() {
    let folder = Folder::new("dead");
    let model = "byte x;\nactive proctype P() {\n  do\n  :: x > 10 -> x = 7; assert(false)\n  :: x < 3 -> x++\n  \
                 :: else -> break\n  od;\n  d_step { if :: x == 5 -> x = 1 :: else fi }\n}\n";
    let model = folder.file("dead.pml", model);
    let dead = |arguments: &[&str]| {
        let ran = run(["check", &model, "--json"].iter().chain(arguments));
        let parts = ran.json()["never_executed"].as_array().cloned().unwrap_or_default();
        parts.iter().map(|part| part["text"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(dead(&[]), ["P: x > 10", "P: x = 7", "P: assert(false)", "P: x == 5", "P: x = 1"]);
    assert_eq!(dead(&["--states", "2"]), Vec::<String>::new());
}

/// To simplify a program takes time in proportion to its length: with any step that looked at all pairs of statements this would take
/// minutes.
#[test]
fn long_sequences_are_loaded_soon() {
    let folder = Folder::new("long-sequence");
    let text = format!("byte x;\nactive proctype P() {{\n{}assert(x == 0)\n}}\n", "skip;\n".repeat(60_000));
    let model = folder.file("skips.pml", &text);
    let start = Instant::now();
    let json = object(&["check", &model]);
    assert_eq!((&json["verdict"], &json["states"]), (&Value::from("holds"), &Value::from(3)));
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}
