//! Models from outside: texts by other people that are not ours to distribute, and with which tests compare where they are
//! at hand.
//!
//! They are in the directory that the environment variable `ELNATH_CORPUS` names, or else in `shared/corpus` beside the
//! checkout. It is the one variable of the tests. A test whose models are not there passes, but must not be silent about
//! it: [`say_skipped`] says how many models were skipped, and is seen without `--nocapture`.

use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The folder of programs that were written apart from ours and answer the same questions; it is beside the others.
pub const ORACLES: &str = "../oracles";

/// The folders: their names, what is in them, and how many of that when they are complete.
const FOLDERS: [(&str, &str, u64); 7] = [
    ("aut", "graphs", 19),
    ("cfsm", "models", 115),
    ("ltl", "formulas", 114),
    ("mcc", "nets", 67),
    ("promela", "models", 367),
    ("promela2", "models", 1005),
    (ORACLES, "programs", 2),
];

/// A folder with models from outside, if it is there.
pub fn folder(name: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let corpus = std::env::var_os("ELNATH_CORPUS").map_or_else(beside, PathBuf::from);
    Some(corpus.join(name)).filter(|folder| folder.is_dir())
}

/// The same; if it is not there, this is said, with the name of the test.
pub fn folder_for(test: &str, name: &str) -> Option<PathBuf> {
    let found = folder(name);
    if found.is_none() {
        say_skipped(test, name);
    }
    found
}

/// How many models there are in a complete folder of this name.
///
/// # Panics
///
/// If there is no such folder.
pub fn size(name: &str) -> u64 {
    entry(name).2
}

fn entry(name: &str) -> (&'static str, &'static str, u64) {
    let found = FOLDERS.into_iter().find(|folder| folder.0 == name);
    found.unwrap_or_else(|| panic!("there is no folder {name} of models from outside"))
}

/// Says that a test has skipped the models of a folder.
pub fn say_skipped(test: &str, name: &str) {
    let (_, what, count) = entry(name);
    say(&format!("skipped: {count} {what} from outside are not here (ELNATH_CORPUS): {test}"));
}

/// Writes a line past the harness, which would keep it to itself unless the test fails.
pub fn say(line: &str) {
    // If nobody reads it, nobody is to be told.
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}
