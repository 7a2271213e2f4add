//! Trails cross over: SPIN replays ours, we replay SPIN's.
//!
//! The models are those in `tests/cases/promela/trails`; each says in its first line how it fails. Beside each lie two
//! trails that SPIN 6.5.2 wrote, with statement merging (`.merged.trail`) and without (`.plain.trail`), so that reading
//! them is tested where SPIN is not installed. With SPIN and gcc, everything is done live as well.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Model {
    path: PathBuf,
    name: String,
    /// `fault` or `deadlock`.
    fails_by: String,
}

fn models() -> Vec<Model> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/promela/trails");
    let entries = std::fs::read_dir(directory).expect("the models are there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "pml"));
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            let kind = text.lines().next().and_then(|line| line.split_once("violation.kind="));
            let fails_by = kind.expect("the first line says how it fails").1.trim().to_owned();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            Model { path, name, fails_by }
        })
        .collect()
}

fn elnath(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_elnath")).args(arguments).output().expect("elnath runs")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// Replays a trail and expects the model's failure.
fn replays(model: &Model, trail: &Path) -> Value {
    let output = elnath(&["replay", text(&model.path), text(trail), "--json", "-q"]);
    let told =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{} {}: {told}", model.name, trail.display());
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answer["ending"], model.fails_by.as_str(), "{} {}", model.name, trail.display());
    answer
}

fn scratch(name: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("there is room");
    directory
}

#[test]
fn recorded_trails_of_spin_are_replayed() {
    let models = models();
    assert!(models.len() >= 10, "{}", models.len());
    for model in &models {
        for kind in ["plain", "merged"] {
            replays(model, &model.path.with_extension(format!("{kind}.trail")));
        }
    }
}

#[test]
fn our_trails_are_replayed_by_ourselves() {
    let directory = scratch("ours");
    for model in models() {
        for search in ["dfs", "bfs"] {
            let trail = directory.join(format!("{}.{search}.trail", model.name));
            let file = text(&model.path);
            let output = elnath(&[
                "check",
                file,
                "--safety-only",
                "--search",
                search,
                "--trail",
                text(&trail),
                "--json",
                "-q",
            ]);
            let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            let replayed = replays(&model, &trail);
            assert_eq!(found["violation"]["steps"], replayed["steps"], "{}", model.name);
            assert_eq!(
                found["violation"]["text"].as_str().map(|text| text.split(':').next().map(str::to_owned)),
                replayed["text"].as_str().map(|text| text.split(':').next().map(str::to_owned))
            );
        }
    }
}

#[test]
fn a_trail_of_another_model_is_bad_input() {
    let models = models();
    let trail = models[0].path.with_extension("plain.trail");
    let output = elnath(&["replay", text(&models[1].path), text(&trail)]);
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("cannot do what line 1 of"), "{told}");
    let directory = scratch("broken");
    let broken = directory.join("broken.trail");
    std::fs::write(&broken, "1:0:0\nnonsense\n2:-7:1\n").unwrap();
    let output = elnath(&["replay", text(&models[0].path), text(&broken)]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(told.contains(":2: `nonsense`") && told.contains(":3: "), "{told}");
}

fn run(directory: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(directory).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn is_installed(program: &str, argument: &str) -> bool {
    Command::new(program).arg(argument).output().is_ok()
}

#[test]
#[allow(clippy::print_stderr)] // Whoever reads the log should know what was not tested.
fn trails_cross_over_live() {
    if !is_installed("spin", "-V") || !is_installed("gcc", "--version") {
        eprintln!("skipped: SPIN and gcc are not both installed");
        return;
    }
    let directory = scratch("live");
    for model in models() {
        let copy = directory.join(&model.name);
        std::fs::copy(&model.path, &copy).unwrap();
        spin_replays_ours(&directory, &model);
        we_replay_spins(&directory, &model, &[], &[]);
        we_replay_spins(&directory, &model, &["-o1", "-o2", "-o3"], &["-DNOREDUCE", "-DNOCLAIM"]);
    }
}

fn spin_replays_ours(directory: &Path, model: &Model) {
    for search in ["dfs", "bfs"] {
        let trail = directory.join("ours.trail");
        let file = text(&model.path);
        let found = elnath(&[
            "check",
            file,
            "--safety-only",
            "--search",
            search,
            "--trail",
            text(&trail),
            "--force",
            "--json",
            "-q",
        ]);
        let found: Value = serde_json::from_slice(&found.stdout).expect("JSON");
        let told = run(directory, "spin", &["-k", "ours.trail", "-p", &model.name]);
        let lines = std::fs::read_to_string(&trail).unwrap().lines().count();
        let shown = format!("{} {search}:\n{told}", model.name);
        assert!(told.contains(&format!("trail ends after {lines} steps")), "{shown}");
        assert_eq!(told.contains("Error: assertion violated"), model.fails_by == "fault", "{shown}");
        if model.fails_by == "deadlock" {
            ends_in_the_same_state(&found, &told, &shown);
        }
    }
}

/// SPIN's last values of scalars must be ours.
fn ends_in_the_same_state(found: &Value, told: &str, shown: &str) {
    let steps = found["violation"]["steps"].as_array().expect("steps");
    let state = steps.last().expect("a step")["state"].as_str().expect("a state");
    let ours: Vec<&str> = state.split(", ").collect();
    let theirs = told.lines().filter_map(|line| line.strip_prefix("\t\t"));
    for line in theirs.filter(|line| line.contains(" = ")) {
        assert!(ours.contains(&line), "`{line}` of SPIN is not in `{state}`, {shown}");
    }
}

fn we_replay_spins(directory: &Path, model: &Model, spin: &[&str], gcc: &[&str]) {
    let trail = directory.join(format!("{}.trail", model.name));
    let _ = std::fs::remove_file(&trail);
    run(directory, "spin", &[&["-a"], spin, &[model.name.as_str()]].concat());
    let pan = format!("./{}", if cfg!(windows) { "pan.exe" } else { "pan" });
    run(directory, "gcc", &[&["-w", "-DSAFETY"], gcc, &["-o", &pan, "pan.c"]].concat());
    let told = run(directory, text(&directory.join("pan")), &[]);
    assert!(trail.exists(), "{}: SPIN finds no error\n{told}", model.name);
    replays(model, &trail);
}
