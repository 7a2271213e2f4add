//! Running the command as a user does.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part")]

use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The command, not yet started.
pub fn elnath<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_elnath"));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// Runs it to its end.
pub fn run<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ran {
    Ran::new(&elnath(arguments).output().expect("elnath can be started"))
}

/// Runs it with this on standard input.
pub fn fed(arguments: &[&str], text: &str) -> Ran {
    let mut command = elnath(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("elnath can be started");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("the pipe is read");
    Ran::new(&child.wait_with_output().expect("elnath ends"))
}

/// What it did.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    pub fn new(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let ran = Self { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) };
        assert!(!ran.err.contains("panicked"), "{ran:#?}");
        ran
    }

    /// The one JSON object on standard output.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}

/// A folder that goes away with the test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("elnath-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for temporary files");
        Self(path)
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, content).expect("a temporary file");
        path.display().to_string()
    }

    /// A path in it at which there is nothing yet.
    pub fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// The names of the files in it.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("the folder is there");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    pub fn as_path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A shipped model.
pub fn case(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/lts").join(name).display().to_string()
}

/// A model with its expected answer: a line of a file below `tests/cases`, `examples/fifo`, `examples/lotos` or `examples/classics`, as the head of `cases.rs` has it.
#[derive(Debug)]
pub struct Directive {
    pub model: PathBuf,
    /// The command and its options.
    pub options: Vec<String>,
    /// Fields of the JSON answer and their values.
    pub expected: Vec<(String, String)>,
}

impl Directive {
    /// The value that is expected of a field of the JSON answer.
    pub fn expects(&self, key: &str) -> Option<&str> {
        self.expected.iter().find(|(found, _)| found == key).map(|(_, value)| value.as_str())
    }
}

/// All of them.
pub fn directives() -> Vec<Directive> {
    let mut paths = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    files(&root.join("tests/cases"), &mut paths);
    files(&root.join("examples/fifo"), &mut paths);
    files(&root.join("examples/lotos"), &mut paths);
    files(&root.join("examples/petri"), &mut paths);
    files(&root.join("examples/estelle"), &mut paths);
    files(&root.join("examples/classics"), &mut paths);
    // Findings have rules of their own: see findings.rs.
    paths.retain(|path| !path.starts_with(root.join("tests/cases/findings")));
    of_files(paths)
}

/// Those of a folder.
pub fn directives_in(folder: &Path) -> Vec<Directive> {
    let mut paths = Vec::new();
    files(folder, &mut paths);
    of_files(paths)
}

fn of_files(paths: Vec<PathBuf>) -> Vec<Directive> {
    let mut directives = Vec::new();
    for path in paths {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let beside = path.extension().is_some_and(|ending| ending == "expect");
        let model = if beside { path.with_extension("") } else { path.clone() };
        for line in text.lines() {
            let line = if beside { Some(line) } else { line.strip_prefix("//! ") };
            let Some((options, expected)) = line.and_then(|line| line.rsplit_once(" => ")) else { continue };
            directives.push(Directive {
                model: model.clone(),
                options: options.split_whitespace().map(str::to_owned).collect(),
                expected: expected.split_whitespace().map(expectation).collect(),
            });
        }
    }
    directives
}

fn files(directory: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(directory)
        .expect("the cases are there")
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() { files(&path, out) } else { out.push(path) }
    }
}

fn expectation(word: &str) -> (String, String) {
    match word.split_once('=') {
        Some((key, value)) => (key.to_owned(), value.to_owned()),
        None => ("verdict".to_owned(), word.to_owned()),
    }
}

/// A line for those who read the output of tests (`--nocapture`).
#[expect(clippy::print_stderr, reason = "this is what it is for")]
pub fn note(text: &str) {
    eprintln!("note: {text}");
}

/// What is not tested here, and why. Unlike a note it is seen without `--nocapture`.
pub fn skipped(text: &str) {
    elnath_testkit::corpus::say(&format!("skipped: {text}"));
}

/// Copies a folder with everything in it.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("the examples are there") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).expect("a copy");
        }
    }
}
