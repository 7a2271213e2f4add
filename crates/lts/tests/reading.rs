//! What is accepted as an `.aut` file, and what is said about the rest: for every way to be wrong, its message.

use std::io::Write;
use std::path::Path;

use elnath_lts::Lts;
use elnath_lts::aut::{Failure, ReadOptions, read, read_file};
use elnath_source::{Message, Severity};

fn accept(text: &[u8]) -> Lts {
    let loaded = read("t.aut", text, &ReadOptions::default()).unwrap_or_else(|errors| panic!("{errors:#?}"));
    assert_eq!(loaded.warnings, []);
    loaded.lts
}

fn reject(text: &[u8]) -> Vec<Message> {
    read("t.aut", text, &ReadOptions::default())
        .map_err(Failure::into_messages)
        .expect_err("this is not a good file")
}

/// The one-line forms of all messages, followed by what is marked.
fn complaints(text: &[u8]) -> Vec<String> {
    let marked =
        |m: &Message| m.place.as_ref().map_or(String::new(), |p| format!(" [{}]", &p.text[p.start..p.end]));
    reject(text).iter().map(|m| format!("{m}{}", marked(m))).collect()
}

fn labels(lts: &Lts) -> Vec<&str> {
    lts.labels().iter().collect()
}

#[test]
fn the_superset_of_the_dialects_is_read() {
    let lts = accept(
        b"\xef\xbb\xbf \tdes\t( 2 ,8 ,\t4 )  \r\n\
          (0,   \"GET\\7\", 1)\r\n\
          \t( 0 , GET_7 , 3 )\t\r\n\
          \r\n\
          (0, \t\"PUT !true !CONS (A, CONS (B, NIL))\", 2)\n\
          ( 1,   i  ,  3)\n\
          (2, \"SAY !\"good\" !\"morning\"\", 3   )\n\
          (3,\"ODD ... \" ... \\\" ...\",0)\n\
          (3, *, 1)\n\
          (2, \"GET_7\", 0)",
    );
    assert_eq!((lts.initial(), lts.num_states(), lts.num_transitions()), (2, 4, 8));
    let expected = [
        "GET\\7",
        "GET_7",
        "PUT !true !CONS (A, CONS (B, NIL))",
        "i",
        "SAY !\"good\" !\"morning\"",
        "ODD ... \" ... \\\" ...",
        "*",
    ];
    assert_eq!(labels(&lts), expected);
    assert_eq!(lts.tau_labels().collect::<Vec<_>>(), ["i"]);
    let targets = |s| lts.edges(s).iter().map(|e| e.target).collect::<Vec<_>>();
    assert_eq!(
        [targets(0), targets(1), targets(2), targets(3)],
        [vec![1, 3, 2], vec![3], vec![3, 0], vec![0, 1]]
    );
}

#[test]
fn unquoted_labels_may_hold_commas_blanks_and_parentheses() {
    let lts = accept(b"des (0,3,2)\n(0, s(d1, d2), 1)\n(1, a b, 0)\n(1,\" a b \",0)\n");
    assert_eq!(labels(&lts), ["s(d1, d2)", "a b", " a b "]);
}

#[test]
fn counts_may_be_left_open() {
    let lts = accept(b"des (1, ?, ?)                    \n(0, a, 5)\n");
    assert_eq!((lts.initial(), lts.num_states(), lts.num_transitions()), (1, 6, 1));
    assert_eq!(accept(b"des (7, ?, ?)").num_states(), 8);
    assert_eq!(accept(b"des (0, 0, 1)\n").num_states(), 1);
}

#[test]
fn labels_of_any_length_up_to_the_limit() {
    let label = "x".repeat(1 << 20);
    let lts = accept(format!("des (0,1,1)\n(0,\"{label}\",0)\n").as_bytes());
    assert_eq!(labels(&lts), [label]);
}

#[test]
fn tau_is_what_the_user_says() {
    let text = b"des (0,3,1)\n(0,i,0)\n(0,tau,0)\n(0,a,0)\n";
    assert_eq!(accept(text).tau_labels().collect::<Vec<_>>(), ["i", "tau"]);
    let options = ReadOptions { taus: elnath_lts::Taus::new(["a"]), ..ReadOptions::default() };
    let lts = read("t.aut", &text[..], &options).expect("a good file").lts;
    assert_eq!(lts.tau_labels().collect::<Vec<_>>(), ["a"]);
}

#[test]
fn packed_files_are_recognised_by_their_bytes() {
    let text = b"des (0,1,2)\n(0,a,1)\n";
    let (gzip, zstd) = (gzip(text), zstd::encode_all(&text[..], 3).expect("memory does not fail"));
    assert_eq!(accept(&gzip), accept(text));
    assert_eq!(accept(&zstd), accept(text));
    assert_eq!(accept(&[&gzip[..], &gzip_of_nothing()].concat()), accept(text), "several members");
}

#[test]
fn broken_archives_give_one_message() {
    let text =
        format!("des (0,2000,2000)\n{}", (0..2000).map(|i| format!("({i},a{i},0)\n")).collect::<String>());
    let gzip = gzip(text.as_bytes());
    // With the checksum that the zstd program adds; without one a changed byte may well go unnoticed.
    let mut encoder = zstd::Encoder::new(Vec::new(), 3).expect("a good level");
    let zstd = (|| {
        encoder.include_checksum(true)?;
        encoder.write_all(text.as_bytes())?;
        encoder.finish()
    })()
    .expect("memory does not fail");
    for whole in [gzip, zstd] {
        let cut = complaints(&whole[..whole.len() / 2]);
        assert_eq!(cut.len(), 1);
        assert!(cut[0].contains("truncated") || cut[0].contains("corrupt"), "{cut:?}");
        let mut broken = whole.clone();
        for byte in &mut broken[whole.len() / 3..][..40] {
            *byte ^= 0x55;
        }
        let broken = complaints(&broken);
        assert_eq!(broken.len(), 1, "{broken:?}");
        assert!(broken[0].contains("corrupt") || broken[0].contains("truncated"), "{broken:?}");
    }
}

#[test]
fn wrong_counts_are_errors() {
    assert_eq!(
        complaints(b"des (0, 3, 2)\n(0,a,1)\n(1,a,0)\n"),
        ["t.aut:1:9: error: the header declares 3 transitions, but the file ends after 2 [3]"]
    );
    let more = reject(b"des (0, 1, 2)\n(0,a,1)\n(1,a,0)\n(1,b,0)\n");
    assert_eq!(more[0].to_string(), "t.aut:1:9: error: the header declares 1 transitions, but there are 3");
    assert_eq!((more.len(), more[0].also[0].0.line), (1, 3));
}

#[test]
fn wrong_counts_are_warnings_if_the_user_says_so() {
    let options = ReadOptions { lenient_counts: true, ..ReadOptions::default() };
    let loaded = read("t.aut", &b"des (0, 1, 2)\n(0,a,1)\n(1,a,0)\n"[..], &options).expect("only a warning");
    assert_eq!(loaded.lts.num_transitions(), 2);
    assert_eq!(loaded.warnings.len(), 1);
    assert_eq!(loaded.warnings[0].severity, Severity::Warning);
}

#[test]
fn a_truncated_file_is_called_truncated_once() {
    let cut = "error: the file is truncated: it ends within this line, after 1 of 3 transitions";
    for end in ["(1", "(1, \"G", "(1, a, 0", "(1, \"\u{e4}"] {
        let text = format!("des (0, 3, 2)\n(0,a,1)\n{end}");
        assert_eq!(complaints(text.as_bytes()), [format!("t.aut:3:1: {cut} [{end}]")]);
    }
    assert_eq!(complaints(b"des (0, 3, 2)\n(0,a,1)\n(1, \"\xc3").len(), 1);
}

#[test]
fn numbers_must_be_states() {
    assert_eq!(
        complaints(b"des (0,1,2)\n(-1,a,0)\n"),
        ["t.aut:2:2: error: a state number cannot be negative [-1]"]
    );
    assert_eq!(
        complaints(b"des (0,1,2)\n(1,a,-12)\n"),
        ["t.aut:2:6: error: a state number cannot be negative [-12]"]
    );
    assert_eq!(
        complaints(b"des (0,1,2)\n(1,a,x)\n"),
        ["t.aut:2:6: error: expected a state number, found `x` [x]"]
    );
    assert_eq!(
        complaints(b"des (0,1,2)\n(1,a,00000000000000000000000000000000004294967295)\n"),
        ["t.aut:2:6: error: a state number cannot be larger than 4294967294 \
          [00000000000000000000000000000000004294967295]"]
    );
    assert_eq!(
        complaints(b"des (0,1,2)\n(2,a,7)\n"),
        ["t.aut:2:2: error: state 2 is out of range [2]", "t.aut:2:6: error: state 7 is out of range [7]"]
    );
}

#[test]
fn headers_must_make_sense() {
    let cases: [(&[u8], &str); 11] = [
        (
            b"(0,0,0)\n(0,\"a\",0)",
            "t.aut:1:1: error: not a .aut file: the first line is not a header [(0,0,0)]",
        ),
        (b"des (-1,0,1)\n", "t.aut:1:6: error: a state number cannot be negative [-1]"),
        (b"des (0,-4,1)\n", "t.aut:1:8: error: the number of transitions cannot be negative [-4]"),
        (b"des (0,0,-1)\n", "t.aut:1:10: error: the number of states cannot be negative [-1]"),
        (b"des (0,0,0)\n", "t.aut:1:10: error: the header declares no states [0]"),
        (b"des (3,0,3)\n", "t.aut:1:6: error: the initial state 3 is out of range [3]"),
        (b"des (0,0)\n", "t.aut:1:9: error: expected `,`, found `)` [)]"),
        (b"des (0,0,1", "t.aut:1:11: error: expected `)`, but the line ends []"),
        (b"des (0,0,1) x\n", "t.aut:1:13: error: there is something after the header [x]"),
        (
            b"des (0,0,5000000000)\n",
            "t.aut:1:10: error: the number of states cannot be larger than 4294967295 [5000000000]",
        ),
        (b"digraph {\n}\n", "t.aut:1:1: error: not a .aut file: the first line is not a header [digraph {]"),
    ];
    for (text, expected) in cases {
        assert_eq!(complaints(text), [expected]);
    }
}

#[test]
fn lines_must_be_transitions() {
    let cases: [(&str, &str); 9] = [
        ("0,a,1)", "1: error: expected `(`, found `0` [0]"),
        ("(0 a,1)", "4: error: expected `,`, found `a` [a]"),
        ("(0,1)", "4: error: a transition has three parts [1]"),
        ("(0, ,1)", "5: error: the label is missing []"),
        ("(0,\"a,1)", "4: error: the closing quote of this label is missing [\"a]"),
        ("(0,a\"b\",1)", "4: error: a label without quotes cannot hold `\"` [a\"b\"]"),
        ("(0,a\\6,1)", "4: error: a label without quotes cannot hold `\\` [a\\6]"),
        ("(0,a,1) -- comment", "8: error: there is something after the transition [ -- comment]"),
        ("(0,a,1 1/2 0)", "7: error: the target is not one state [ 1/2 0]"),
    ];
    for (line, expected) in cases {
        let text = format!("des (0,1,2)\n{line}\n");
        assert_eq!(complaints(text.as_bytes()), [format!("t.aut:2:{expected}")]);
    }
    assert_eq!(
        complaints(b"des (0,1,2)\n(0,a,1\n"),
        ["t.aut:2:7: error: the transition does not end with `)` []"]
    );
}

#[test]
fn all_errors_are_told_but_not_thousands() {
    let text = format!("des (0,50,2)\n{}", "(0,a,9)\n".repeat(50));
    let messages = complaints(text.as_bytes());
    assert_eq!(messages.len(), 21);
    assert_eq!(messages[19], "t.aut:21:6: error: state 9 is out of range [9]");
    assert_eq!(messages[20], "error: ... and 30 more errors in `t.aut`");
}

#[test]
fn binary_data_gives_one_message() {
    let noise: Vec<u8> =
        (0..100_000u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
    for text in [noise.clone(), vec![0; 40 << 20], [b"des (0,9,9)\n(0,a,1)\n", &noise[..]].concat()] {
        let messages = complaints(&text);
        assert_eq!(messages.len(), 1, "{messages:?}");
        assert!(messages[0].contains("not a .aut file"), "{messages:?}");
    }
    assert!(
        complaints(b"des (0,1,1)\n(0,\"a\x1b[2J\",0)\n")[0].starts_with("t.aut:2:6: error: not a .aut file")
    );
    assert_eq!(
        reject(b"\xff\xfed\0e\0s\0")[0].help.as_deref(),
        Some("it looks like UTF-16; convert it to UTF-8")
    );
}

#[test]
fn an_endless_line_gives_one_message() {
    let start = b"des (0,1,1)\n(0,\"";
    let endless = std::io::Read::chain(&start[..], std::io::repeat(b'x'));
    let messages = read("t.aut", endless, &ReadOptions::default()).expect_err("too long").into_messages();
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0].to_string(), "t.aut:2:1: error: this line is longer than 16777216 bytes");
}

#[test]
fn an_empty_file_gives_one_message() {
    for text in ["", "\n", " \r\n\n"] {
        assert_eq!(complaints(text.as_bytes()), ["error: `t.aut` is empty: not a .aut file"]);
    }
}

/// None of these may allocate what it speaks of.
#[test]
fn headers_are_not_believed() {
    let short = complaints(b"des (0, 4000000000, 4000000000)\n");
    assert_eq!(short.len(), 1);
    assert!(short[0].contains("ends after 0"));
    for text in [
        &b"des (0, 1, 4000000000)\n(0,a,1)\n"[..],
        b"des (0, 1, ?)\n(0,a,4000000000)\n",
        b"des (0, 1, ?)\n(4000000000,a,0)\n",
        b"des (4000000000, 0, ?)\n",
    ] {
        let messages = complaints(text);
        assert_eq!(messages.len(), 1);
        assert!(messages[0].contains("states but only"), "{messages:?}");
    }
}

/// What fits is what the finished system takes if the transitions come sorted, and more if they must be sorted first;
/// running out says how far it came, and never comes before a complaint.
#[test]
fn a_system_larger_than_the_memory_granted_is_not_an_error() {
    let n = 100_000;
    let text = |from: fn(u32) -> u32| {
        let mut text = format!("des (0, {n}, {n})\n");
        (0..n).for_each(|i| text += &format!("({}, a, {i})\n", from(i)));
        text
    };
    let (sorted, reversed) = (text(|i| i), text(|i| 99_999 - i));
    let read = |text: &str, memory| {
        read("t.aut", text.as_bytes(), &ReadOptions { memory, ..ReadOptions::default() })
    };
    let needed = 12 * n as usize + 1000;
    assert!(read(&sorted, needed).expect("it fits").lts.bytes() <= needed);
    let Err(Failure::TooLarge { transitions }) = read(&sorted, needed / 2) else { panic!("too large") };
    assert!((30_000..70_000).contains(&transitions), "{transitions}");
    assert!(matches!(read(&reversed, needed), Err(Failure::TooLarge { .. })));
    assert!(read(&reversed, 2 * needed).is_ok());
    assert!(matches!(read("des (0, 2, 1)\n", 0), Err(Failure::Broken(_))));
    let broken = format!("des (0, {n}, {n})\n(nonsense)\n{}", &sorted[20..]);
    assert!(matches!(read(&broken, 100), Err(Failure::Broken(_))));
}

#[test]
fn what_is_not_a_file_gives_one_message() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let errors =
        |path: &Path| read_file(path, &ReadOptions::default()).expect_err("not a file").into_messages();
    let missing = errors(&folder.join("no-such.aut"));
    assert_eq!(missing.len(), 1);
    assert!(missing[0].text.starts_with("there is no file `") && missing[0].text.ends_with("no-such.aut`"));
    let directory = errors(folder);
    assert_eq!(directory.len(), 1);
    assert!(directory[0].text.ends_with("is a directory, not a file"));
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).and_then(|()| encoder.finish()).expect("memory does not fail")
}

fn gzip_of_nothing() -> Vec<u8> {
    gzip(b"")
}
