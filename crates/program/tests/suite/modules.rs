//! The order of modules that the header of the library gives is the one that the source keeps.

use std::path::{Path, PathBuf};

/// The modules, in the order of the header.
fn listed(header: &str) -> Vec<&str> {
    let list = header.split("A module uses only those before it").nth(1).expect("the header has a list");
    let list = list.split(':').nth(1).expect("a list").split('.').next().expect("a full stop");
    list.split('`').skip(1).step_by(2).collect()
}

fn sources(at: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(at).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// The modules that a line of code uses. What the library exports again is in the module that has it.
fn used(line: &str) -> Vec<&str> {
    let names = line.split("crate::").skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        match &rest[..end] {
            "Program" => "ir",
            "Keep" => "keep",
            name if name.starts_with(char::is_uppercase) => "interpreter",
            name => name,
        }
    });
    names.collect()
}

#[test]
fn no_module_uses_a_later_one() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let library = std::fs::read_to_string(source.join("lib.rs")).expect("the library");
    let order = listed(&library);
    let position = |module: &str| order.iter().position(|&listed| listed == module);
    let declared = library
        .lines()
        .filter_map(|line| line.strip_prefix("pub ").unwrap_or(line).strip_prefix("mod ")?.strip_suffix(';'));
    assert_eq!(
        declared.filter(|module| position(module).is_none()).collect::<Vec<_>>(),
        [""; 0],
        "not listed"
    );
    let mut files = Vec::new();
    sources(&source, &mut files);
    let mut looked_at = 0;
    for file in files {
        let within = file.strip_prefix(&source).expect("it is there");
        let module =
            within.iter().next().and_then(|part| part.to_str()).expect("a name").trim_end_matches(".rs");
        let Some(own) = position(module) else { continue };
        let text = std::fs::read_to_string(&file).expect("a source");
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            for other in used(line) {
                let other_at =
                    position(other).unwrap_or_else(|| panic!("{}: what is {other}?", within.display()));
                assert!(other_at <= own, "{} uses {other}, which is later: {line}", within.display());
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 20, "{looked_at} uses were found, which is too few to be all");
}
