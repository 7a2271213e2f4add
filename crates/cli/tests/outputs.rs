//! What is written to files: nothing is lost, neither the files that are there nor the answer.

mod common;

use common::{Folder, Ran, case, elnath, fed, run};
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Fails at once.
const WRONG: &str = "byte x; active proctype p() { x = 1; assert(x == 0) }\n";
/// Floods its channel.
const FLOOD: &str = "channel c from a to b of go\nmachine a { 0 -> 0: c!go }\nmachine b { 0 -> 0: c?go }\n";

/// The text of a small model whose channels grow for ever.
fn flood(folder: &Folder) -> String {
    folder.file("flood.fifo", FLOOD)
}

fn assert_refused(ran: &Ran, text: &str) {
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    assert!(ran.err.contains(text), "{text}: {ran:#?}");
    // Nothing was searched.
    assert!(!ran.out.contains("fails") && !ran.out.contains("holds"), "{ran:#?}");
}

#[test]
fn no_output_overwrites_a_file_without_force_and_none_the_model() {
    let folder = Folder::new("overwrite");
    let (model, graph) =
        (folder.file("m.pml", WRONG), folder.file("g.aut", fs::read(case("vending.aut")).unwrap()));
    let bounded = flood(&folder);
    let trail = folder.path("t.trail");
    assert_eq!(run(["check", &model, "--trail", &trail]).code, Some(1));
    let kept: Vec<String> = ["k.trail", "k.svg", "k.aut", "k.seq", "k.hoa", "k.txt"]
        .map(|name| folder.file(name, "kept"))
        .to_vec();
    let [k_trail, k_svg, k_aut, k_seq, k_hoa, k_txt] = &kept[..] else { unreachable!() };
    let man = folder.path("man");
    assert_eq!(run(["man", &man]).code, Some(0));
    let commands: &[&[&str]] = &[
        &["check", &model, "--trail", k_trail],
        &["check", &model, "--chart", k_svg],
        &["check", &model, "--msc", k_txt],
        &["simulate", &model, "--chart", k_svg],
        &["replay", &model, &trail, "--chart", k_svg],
        &["bounded", &bounded, "--chart", k_svg],
        &["bounded", &bounded, "--plot", k_svg],
        &["compare", &graph, &graph, "--seq", k_seq],
        &["compare", &graph, &graph, "--aut", k_aut],
        &["compare", &graph, &graph, "--svg", k_svg],
        &["convert", &graph, k_aut],
        &["reduce", &graph, "-r", "strong", "-o", k_aut],
        &["reduce", &graph, "-r", "strong", "-o", &folder.path("new.aut"), "--classes", k_txt],
        &["ltl", "F a", "-o", k_hoa],
        &["random", "--states", "50", "-o", k_aut],
        &["man", &man],
    ];
    for command in commands {
        assert_refused(&run(*command), "--force");
    }
    assert!(kept.iter().all(|path| fs::read_to_string(path).unwrap() == "kept"));
    for command in commands.iter().filter(|command| command[0] != "compare") {
        let ran = run(command.iter().copied().chain(["--force"]));
        assert!(matches!(ran.code, Some(0 | 1)), "{command:?} {ran:#?}");
    }
    assert!(kept.iter().filter(|path| fs::read_to_string(path).unwrap() == "kept").count() == 1, "k.seq");

    // The model itself, by its name, a symbolic and a hard link; SVG is not what any of these endings says, so that links
    // have another one.
    let (soft, hard) = (folder.path("soft.svg"), folder.path("hard.txt"));
    std::os::unix::fs::symlink(&model, &soft).unwrap();
    fs::hard_link(&model, &hard).unwrap();
    for name in [&soft, &hard] {
        for command in ["check", "simulate"] {
            assert_refused(&run([command, &model, "--chart", name, "--force"]), "an input of the command");
        }
    }
    let text = folder.file("model.txt", WRONG);
    let ran = run(["check", &text, "--language", "promela", "--trail", &text, "--force"]);
    assert_refused(&ran, "an input of the command");
    assert_refused(&run(["convert", &graph, &graph, "--force"]), "an input of the command");
    assert_refused(&run(["compare", &graph, &graph, "--aut", &graph, "--force"]), "an input of the command");
    let hoa = folder.path("f.hoa");
    assert_eq!(run(["ltl", "F a", "-o", &hoa]).code, Some(0));
    assert_refused(&run(["ltl", "--automaton", &hoa, "-o", &hoa, "--force"]), "an input of the command");
    assert_eq!(fs::read_to_string(&model).unwrap(), WRONG);
    // Two outputs in one file would leave one of them.
    let ran = run(["check", &model, "--trail", &folder.path("x.txt"), "--chart", &folder.path("x.txt")]);
    assert_refused(&ran, "two outputs");
}

#[test]
fn paths_are_tried_before_the_search() {
    let folder = Folder::new("tried");
    // Too many states to be searched in the time of a test.
    let endless = "int x, y; active proctype p() { do :: x++ :: y++ od }\n";
    let model = folder.file("endless.pml", endless);
    let begin = Instant::now();
    assert_refused(
        &run(["check", &model, "--trail", &folder.path("no/x.trail")]),
        "no such file or directory",
    );
    assert_refused(&run(["check", &model, "--chart", &folder.path("x.png")]), ".svg or .txt");
    assert_refused(&run(["check", &model, "--trail", "x.svg"]), ".trail or .txt");
    assert_refused(&run(["check", &model, "--chart", folder.as_path().to_str().unwrap()]), "directory");
    assert_refused(&run(["convert", &model, &folder.path("no/x.aut")]), "no such file or directory");
    assert_refused(&run(["reduce", &model, "-r", "strong", "-o", "/proc/x.aut"]), "/proc");
    assert_refused(&run(["random", "-o", &folder.path("x.zip")]), ".aut or .dot");
    let ran = run(["check", &case("vending.aut"), "--trail", &folder.path("x.trail")]);
    assert_refused(&ran, "only Promela models have trails");
    assert!(begin.elapsed() < Duration::from_secs(30));
    assert_eq!(folder.names(), ["endless.pml"]);
}

#[test]
fn what_is_not_a_regular_file_is_written_in_place() {
    let folder = Folder::new("in-place");
    let (model, graph) = (folder.file("m.pml", WRONG), case("vending.aut"));
    for command in [
        &["check", &model, "--trail", "/dev/null"][..],
        &["check", &model, "--chart", "/dev/null", "--force"],
        &["convert", &graph, "/dev/null", "--force"],
        &["reduce", &graph, "-r", "strong", "-o", "/dev/null", "--force"],
    ] {
        let ran = run(command);
        assert!(matches!(ran.code, Some(0 | 1)), "{command:?} {ran:#?}");
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
    let fifo = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let reader = Command::new("cat").arg(&fifo).stdout(Stdio::piped()).spawn().unwrap();
    assert_eq!(run(["convert", &graph, &fifo]).code, Some(0));
    let read = reader.wait_with_output().unwrap();
    assert!(read.stdout.starts_with(b"des (0, "));
    assert!(!fs::metadata(&fifo).unwrap().is_file());
}

/// A file that is replaced keeps its mode, and a link stays a link.
#[test]
fn a_replaced_file_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new("mode");
    let file = folder.file("x.aut", "old");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let link = folder.path("link.aut");
    std::os::unix::fs::symlink("x.aut", &link).unwrap();
    assert_eq!(run(["convert", &case("vending.aut"), &link, "-f"]).code, Some(0));
    assert!(fs::read_to_string(&file).unwrap().starts_with("des"));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
}

#[test]
fn a_dash_is_standard_output() {
    let folder = Folder::new("dash");
    let (model, graph) = (folder.file("m.pml", WRONG), case("vending.aut"));
    let ran = run(["check", &model, "--trail", "-"]);
    assert_eq!(ran.code, Some(1));
    // The trail alone, so that it can be piped; the report is beside it.
    assert!(ran.out.lines().all(|line| line.split(':').all(|word| word.parse::<i64>().is_ok())), "{ran:#?}");
    assert!(ran.out.lines().count() >= 2 && ran.err.contains("fails"), "{ran:#?}");
    let ran = run(["compare", &graph, &case("connect-disconnect-5.aut"), "--aut", "-"]);
    assert!(ran.out.starts_with("des (") && ran.err.contains("not"), "{ran:#?}");
    let ran = run(["bounded", &flood(&folder), "--plot", "-"]);
    assert!(ran.out.starts_with("<svg") && ran.code == Some(1), "{ran:#?}");
    let ran = run(["experiment", "replacement", &graph, "--runs", "1", "-o", "-"]);
    assert!(ran.out.starts_with("# ") && ran.out.contains("memory_states,"), "{ran:#?}");
    assert!(run(["man", "-"]).out.contains(".TH elnath"));
    let dash = run(["reduce", &graph, "-r", "strong", "-o", "-"]).out;
    assert!(dash.starts_with("des") && fed(&["info", "-"], &dash).code == Some(0));
    for option in ["--trail", "--chart"] {
        let ran = run(["check", &model, option, "-", "--json"]);
        assert!(ran.code == Some(2) && ran.json()["messages"][0]["text"].to_string().contains("--json and"));
    }
    let ran = run(["check", &model, "--trail", "-", "--chart", "-"]);
    assert_refused(&ran, "two outputs would go to standard output");
}

/// A file that cannot be completed is told, the answer is still given.
#[test]
fn a_failing_output_still_gives_the_verdict() {
    let folder = Folder::new("failing");
    let (model, graph) = (folder.file("m.pml", WRONG), case("vending.aut"));
    let ran = run(["check", &model, "--chart", "/dev/full"]);
    assert_eq!(ran.code, Some(1), "a verdict of 1 stays: {ran:#?}");
    assert!(ran.out.contains("fails") && ran.err.contains("/dev/full: no space left"), "{ran:#?}");
    let json = run(["check", &model, "--chart", "/dev/full", "--json"]).json();
    assert_eq!(json["verdict"], "fails");
    assert!(json["messages"][0]["text"].to_string().contains("/dev/full"), "{json:#}");
    let ran = run(["reduce", &graph, "-r", "strong", "-o", "/dev/full"]);
    assert_eq!(ran.code, Some(2), "what was asked for is not there: {ran:#?}");
}

#[test]
fn a_full_standard_output_is_an_error() {
    let folder = Folder::new("full");
    let (model, graph) = (folder.file("m.pml", WRONG), case("vending.aut"));
    for command in [
        &["check", &model][..],
        &["check", &graph],
        &["check", &graph, "--json"],
        &["info", &graph],
        &["convert", &graph, "-"],
        &["ltl", "F a"],
        &["completions", "bash"],
        &["--help"],
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ran = Ran::new(&elnath(command).stdout(full).output().unwrap());
        assert_eq!(ran.code, Some(2), "{command:?} {ran:#?}");
        assert!(ran.err.to_lowercase().contains("no space left"), "{command:?} {ran:#?}");
    }
}

/// Ctrl-C while a file is written.
#[test]
fn an_interrupted_command_leaves_no_partial_file() {
    let folder = Folder::new("partial");
    // The writer stops in the middle when the file may not grow further, and is interrupted there. A signal that is sent
    // while a large graph is written meets it in the middle, too, wherever that is.
    let output = folder.path("g.aut.zst");
    let mut met = 0;
    for wait in [50, 150, 300, 500, 800] {
        let mut child = elnath(["random", "--states", "400000", "--degree", "8", "-o", &output])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().is_ok());
        let code = child.wait().unwrap().code();
        let names = folder.names();
        assert!(!names.iter().any(|name| name.ends_with(".partial")), "{names:?}");
        met += usize::from(code == Some(3));
        let _ = fs::remove_file(&output);
    }
    assert!(met > 0, "every graph was written before the signal came");
}
