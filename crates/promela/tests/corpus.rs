//! Models by other people, where they are at hand, and mutilations of them and of our own.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use elnath_promela::{FileSystem, Options, parse};
use elnath_testkit::corpus::folder_for;

fn corpus(test: &str) -> Option<PathBuf> {
    folder_for(test, "promela")
}

/// The models SPIN has reference figures for.
fn reference_models(folder: &Path) -> Vec<PathBuf> {
    let table = std::fs::read_to_string(folder.join("REFERENCE.tsv")).expect("the table");
    let names: BTreeSet<&str> = table.lines().skip(1).filter_map(|line| line.split('\t').next()).collect();
    names.into_iter().map(|name| folder.join(name)).collect()
}

#[test]
fn every_reference_model_is_accepted() {
    let Some(folder) = corpus("the parser, which accepts them") else { return };
    let models = reference_models(&folder);
    assert!(models.len() > 100);
    let mut refused = Vec::new();
    for model in models {
        match parse(&mut FileSystem, &model.to_string_lossy(), &Options::default()) {
            Ok((model, _)) => assert!(!model.processes.is_empty()),
            Err(messages) => refused.extend(messages.iter().map(ToString::to_string)),
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

/// Splitmix64: the mutations are the same in every run.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// Cuts, doubles, exchanges or replaces a piece of a text.
fn mutate(text: &str, rng: &mut Rng) -> String {
    let pieces = [
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ";",
        "->",
        "::",
        "if",
        "fi",
        "do",
        "od",
        "#",
        "##",
        "\n#define a a(\n",
        "\"",
        "'",
        "/*",
        "inline f(x) { f(x) }",
        "unless",
        "else",
        "typedef T { T x }",
        "-1",
        "99999999999",
        "\\",
        "é",
        "ltl { [] }",
        "@",
        ".",
        "\n#if 1\n",
        "\n#endif\n",
        "goto",
        "L:",
        "atomic {",
        "d_step {",
        "chan q = [",
        "mtype",
        "!",
        "?",
        "..",
        "run",
    ];
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=rng.below(3) {
        let (a, b) = (rng.below(bytes.len() + 1), rng.below(bytes.len() + 1));
        let (from, to) = (a.min(b), a.max(b));
        match rng.below(5) {
            0 => bytes.truncate(to),
            1 => drop(bytes.drain(from..to.min(from + 40))),
            2 => {
                let copy = bytes[from..to.min(from + 200)].to_vec();
                bytes.splice(to..to, copy);
            }
            3 if !bytes.is_empty() => {
                let (i, j) = (rng.below(bytes.len()), rng.below(bytes.len()));
                bytes.swap(i, j);
            }
            _ => {
                let piece = pieces[rng.below(pieces.len())];
                bytes.splice(from..from, piece.bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn mutilated_models_neither_panic_nor_hang() {
    let broken = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/promela/broken");
    let ours = std::fs::read_dir(broken).expect("our models").map(|entry| entry.expect("an entry").path());
    let theirs = corpus("the parser, which gets them mutilated")
        .map(|folder| reference_models(&folder))
        .unwrap_or_default();
    let mut models: Vec<PathBuf> = ours.chain(theirs.into_iter().step_by(8)).collect();
    models.sort();
    let mut rng = Rng(7);
    for path in models {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        if text.len() > 30_000 {
            continue;
        }
        for _ in 0..25 {
            let mutated = mutate(&text, &mut rng);
            let mut files = HashMap::from([("m".to_owned(), mutated)]);
            let start = std::time::Instant::now();
            let result = parse(&mut files, "m", &Options::default());
            assert!(start.elapsed().as_secs() < 20, "{}", files["m"]);
            if let Err(messages) = result {
                assert!(!messages.is_empty());
            }
        }
    }
}

/// The first message about a text, or nothing.
fn first_message(text: String) -> Option<String> {
    let mut files = HashMap::from([("m".to_owned(), text)]);
    parse(&mut files, "m", &Options::default()).err().map(|messages| messages[0].text.clone())
}

#[test]
fn hostile_models_are_refused_in_bounded_time_and_memory() {
    let refused = |text: String, part: &str| {
        let message = first_message(text).unwrap_or_default();
        assert!(message.contains(part), "{part}: {message}");
    };
    // Inlines that double, forty times.
    let mut doubling = String::from("inline f0() { skip }\n");
    for level in 1..40 {
        doubling += &format!("inline f{level}() {{ f{0}(); f{0}() }}\n", level - 1);
    }
    refused(format!("{doubling}init {{ f39() }}"), "expand to too many tokens");
    // Structures that multiply.
    let mut structures = String::from("typedef T0 { byte x[1000] };\n");
    for level in 1..10 {
        structures += &format!("typedef T{level} {{ T{} x[1000] }};\n", level - 1);
    }
    refused(format!("{structures}T9 v; init {{ skip }}"), "fields in all");
    // A long chain of macros, each a use in the one before.
    let mut chain = String::from("#define m0 x\n");
    for level in 1..900 {
        chain += &format!("#define m{level} m{}\n", level - 1);
    }
    refused(format!("{chain}init {{ y = {} }}", vec!["m899"; 500].join(" + ")), "there is no variable");
    refused("byte x[2000000000]; init { skip }".to_owned(), "elements");
    refused("typedef T { byte a[9999] }; chan q = [1] of { T, T }; init { skip }".to_owned(), "fields");
    refused("typedef T { T x }; init { skip }".to_owned(), "there is no type");
    refused(format!("init {{ skip{} }}", " -> (x".repeat(100_000)), "nested more than");
}

#[test]
fn long_chains_within_the_limits_need_no_deep_stack() {
    let chain = |operator: &str| vec!["x"; 900].join(operator);
    assert_eq!(first_message(format!("int x; init {{ x = {} }}", chain(" + "))), None);
    assert_eq!(
        first_message(format!("int x; init {{ x = 1; assert(x) }}\nltl f {{ {} }}", chain(" && "))),
        None
    );
    assert_eq!(
        first_message(format!("int x; init {{ x = 1; assert(x) }}\nltl f {{ {} }}", chain(" U "))),
        None
    );
    let nested = format!("int x; init {{ {}x = 1{}; assert(x) }}", "if :: ".repeat(50), " fi".repeat(50));
    assert_eq!(first_message(nested), None);
}
