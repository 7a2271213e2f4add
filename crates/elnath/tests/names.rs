//! One name, one meaning: no two public types of the kernel, the questions, boundedness, compatibility and the facade are called the same.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The crates whose public types are compared.
const CRATES: [&str; 5] = ["kernel", "check", "boundedness", "compatibility", "elnath"];

/// All Rust files below a folder.
fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, all);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            all.push(path);
        }
    }
}

/// The name of the public type that a line declares. Declarations within a module or function are indented, and public ones there
/// are found as well; what is `pub(crate)` may be called as it likes.
fn declared(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub ")?;
    let rest =
        ["struct ", "enum ", "trait ", "type ", "union "].iter().find_map(|kind| rest.strip_prefix(kind))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some(&rest[..end])
}

#[test]
fn no_two_public_types_have_one_name() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in CRATES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src");
        let mut all = Vec::new();
        files(&folder, &mut all);
        assert!(!all.is_empty(), "{} has sources", folder.display());
        for path in all {
            let text = fs::read_to_string(&path).expect("a text");
            for (number, line) in text.lines().enumerate() {
                if let Some(name) = declared(line) {
                    let place = format!("{}:{}", path.display(), number + 1);
                    places.entry(name.to_owned()).or_default().push(place);
                }
            }
        }
    }
    assert!(places.len() > 100, "the scan finds types: {}", places.len());
    let twice: Vec<String> = places
        .iter()
        .filter(|(_, places)| places.len() > 1)
        .map(|(name, places)| format!("{name}: {}", places.join(", ")))
        .collect();
    assert!(twice.is_empty(), "types with one name:\n{}", twice.join("\n"));
}

#[test]
fn declarations_are_recognised() {
    assert_eq!(declared("pub struct Plan {"), Some("Plan"));
    assert_eq!(declared("    pub enum Verdict<E = Diagnosis> {"), Some("Verdict"));
    assert_eq!(declared("pub type Watch<'a> = dyn Fn();"), Some("Watch"));
    assert_eq!(declared("pub(crate) struct Plan {"), None);
    assert_eq!(declared("pub fn plan() {"), None);
}
