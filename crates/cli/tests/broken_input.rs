//! Broken input: one clear message with its place, exit code 2, and nothing else.

mod common;

use common::{Folder, run, skipped};
use std::io::Write;

/// Every command that reads a model says exactly one thing about this file, beginning with `text`, at `place`.
fn refused(file: &str, text: &str, place: Option<(u64, u64)>) {
    for command in [&["check"][..], &["info"], &["convert"]] {
        let output = if command[0] == "convert" { vec!["/dev/null"] } else { vec![] };
        let arguments = || command.iter().copied().chain([file]).chain(output.iter().copied());
        let plain = run(arguments());
        assert_eq!(plain.code, Some(2), "{plain:#?}");
        assert_eq!(plain.out, "", "{plain:#?}");
        assert_eq!(plain.err.matches("error[E").count(), 1, "{plain:#?}");
        let (code, rest) = plain.err.split_once("]: ").expect("a code before the text");
        assert!(code.len() == "error[E0000".len() && code.starts_with("error[E"), "{plain:#?}");
        assert!(rest.starts_with(text), "{text}: {plain:#?}");
        assert!(plain.err.len() < 2000, "{plain:#?}");

        let json = run(arguments().chain(["--json"])).json();
        let messages = json["messages"].as_array().expect("messages");
        assert_eq!(messages.len(), 1, "{json:#}");
        assert!(messages[0]["text"].as_str().is_some_and(|found| found.starts_with(text)), "{json:#}");
        let found = messages[0]["line"].as_u64().zip(messages[0]["column"].as_u64());
        assert_eq!(found, place, "{json:#}");
        if let Some((line, column)) = place {
            let shown = format!("{file}:{line}:{column}");
            assert!(plain.err.contains(&shown), "{shown}: {plain:#?}");
            assert!(plain.err.contains('^'), "{plain:#?}");
        }
    }
}

/// A file's name, what is in it, how the message begins, and the line and column it points to.
type Case = (&'static str, &'static [u8], &'static str, Option<(u64, u64)>);

#[test]
fn broken_files_give_one_message_each() {
    let folder = Folder::new("broken");
    let cases: &[Case] = &[
        ("empty.aut", b"", "`", None),
        ("cut-line.aut", b"des (0, 3, 2)\n(0, a, 1)\n(1, b", "the file is truncated", Some((3, 1))),
        (
            "cut-file.aut",
            b"des (0, 3, 2)\n(0, a, 1)\n",
            "the header declares 3 transitions, but the file ends",
            Some((1, 9)),
        ),
        (
            "too-many.aut",
            b"des (0, 1, 2)\n(0, a, 1)\n(1, b, 0)\n",
            "the header declares 1 transitions, but there are 2",
            Some((1, 9)),
        ),
        ("negative.aut", b"des (0, 1, 2)\n(-1, a, 1)\n", "", Some((2, 2))),
        ("negative-count.aut", b"des (0, -1, 2)\n", "", Some((1, 9))),
        ("out-of-range.aut", b"des (0, 1, 2)\n(0, a, 7)\n", "state 7 is out of range", Some((2, 8))),
        ("initial.aut", b"des (5, 0, 2)\n", "the initial state 5 is out of range", Some((1, 6))),
        (
            "binary.aut",
            b"\x7fELF\x02\x01\x01\x00\x00\x00\xff\xfe\x80",
            "not a .aut file: it holds binary data",
            Some((1, 1)),
        ),
        (
            "binary-inside.aut",
            b"des (0, 2, 2)\n(0, a, 1)\n(1, \x00\x01, 0)\n",
            "not a .aut file: it holds binary data",
            Some((3, 5)),
        ),
        ("no-header.aut", b"(0, a, 1)\n", "", Some((1, 1))),
        ("gzip.aut", b"\x1f\x8b\x08\x00garbage that is no deflate stream", "`", None),
        (
            "liar.aut",
            b"des (0, 1, 4000000000)\n(0, a, 1)\n",
            "there are 4000000000 states but only 1 transitions",
            Some((1, 1)),
        ),
    ];
    for (name, content, text, place) in cases {
        refused(&folder.file(name, content), text, *place);
    }
}

/// All that is wrong is said, not only the first thing.
#[test]
fn several_mistakes_give_several_messages() {
    let folder = Folder::new("several");
    let file = folder.file("many.aut", "des (0, 4, 2)\n(0, a, 9)\n(x, a, 1)\n(0, a)\n(0, a, 1)\n");
    let ran = run(["check", &file]);
    assert_eq!((ran.code, ran.err.matches("error[E0015]: ").count()), (Some(2), 3), "{ran:#?}");
    assert!(ran.err.ends_with("3 errors\n"), "{ran:#?}");
}

#[test]
fn a_line_of_100_megabytes_is_refused() {
    let folder = Folder::new("long-line");
    let path = folder.path("long.aut");
    let mut file = std::fs::File::create(&path).expect("a temporary file");
    file.write_all(b"des (0, 1, 2)\n(0, \"").expect("room for 100 MB");
    let chunk = vec![b'x'; 1_000_000];
    (0..100).for_each(|_| file.write_all(&chunk).expect("room for 100 MB"));
    file.write_all(b"\", 1)\n").expect("room for 100 MB");
    drop(file);
    refused(&path, "this line is longer than 16777216 bytes", Some((2, 1)));
}

#[test]
fn what_is_no_file_is_refused() {
    let folder = Folder::new("no-file");
    refused(&folder.path("missing.aut"), "there is no file `", None);
    refused(&folder.as_path().display().to_string(), "`", None);
    let dot = folder.file("graph.dot", "digraph {}");
    refused(&dot, &format!("{dot}: I do not know the language of a .dot file"), None);
}

#[cfg(unix)]
#[test]
fn a_file_without_permission_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("permission");
    let file = folder.file("secret.aut", "des (0, 0, 1)\n");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o000)).expect("our own file");
    if std::fs::read(&file).is_ok() {
        skipped("running as root, to whom nothing is forbidden: permission not tested");
        return;
    }
    refused(&file, "no permission to read `", None);
}

#[test]
fn wrong_usage_is_refused() {
    let vending = common::case("vending.aut");
    let cases: &[&[&str]] = &[
        &[],
        &["chek", "x.aut"],
        &["check"],
        &["check", &vending, "--store", "magic"],
        &["check", &vending, "--memory", "lots"],
        &["check", &vending, "--time", "soon"],
        &["check", &vending, "--forbid", "("],
        &["check", &vending, "--fingerprint", "39"],
        &["check", &vending, "--search", "bfs", "--store", "replacing"],
        &["check", &vending, "--nonsense"],
        &["convert", &vending, "x.png"],
        &["random", "--degree", "0"],
        &["random", "--json"],
        &["convert", &vending, "-", "--format", "dot", "--json"],
        &["completions", "cmd"],
    ];
    for arguments in cases {
        let ran = run(*arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {ran:#?}");
        assert!(!ran.err.is_empty(), "{arguments:?}");
    }
    let typo = run(["chek", "x.aut"]);
    assert!(typo.err.contains("'check'"), "a hint: {typo:#?}");
}
