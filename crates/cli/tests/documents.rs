//! The documents are true: ARCHITECTURE's table of crates is the one that cargo has, files that comments and documents
//! cite exist, links lead to headings, papers that they cite are in the bibliography, and the glossary explains the terms of
//! the help texts.
//!
//! Each test collects everything that is wrong and fails once, with the place and what to do.

mod common;

use common::run;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn none(wrong: &[String], what_to_do: &str) {
    assert!(wrong.is_empty(), "{what_to_do}:\n  {}\n", wrong.join("\n  "));
}

/// The spans of a text between two marks: `a` and `c` in "xaybzcy" between "x" and "y" and so on.
fn between<'t>(text: &'t str, open: &str, close: &str) -> Vec<&'t str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(open) {
        let Some((inside, beyond)) = after.split_once(close) else { break };
        found.push(inside);
        rest = beyond;
    }
    found
}

// ARCHITECTURE's table of crates.

/// A package: its folder, and the packages of this repository that it depends on.
type Package = (String, BTreeSet<String>);

/// The packages of a workspace as cargo sees them, by name. Dependencies of tests and benchmarks are left out.
fn packages(manifest: &Path, root: &Path) -> BTreeMap<String, Package> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path"])
        .arg(manifest)
        .output()
        .expect("cargo can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let text = |value: &Value| value.as_str().expect("a string").to_owned();
    let of = |package: &Value| {
        let manifest = PathBuf::from(text(&package["manifest_path"]));
        let folder = manifest.parent().and_then(|path| path.strip_prefix(root).ok()).expect("a folder in it");
        let ours = package["dependencies"].as_array().expect("a list");
        let ours = ours.iter().filter(|it| it["path"].is_string() && it["kind"].is_null());
        let dependencies = ours.map(|it| text(&it["name"])).collect();
        (text(&package["name"]), (folder.to_string_lossy().into_owned(), dependencies))
    };
    metadata["packages"].as_array().expect("a list").iter().map(of).collect()
}

/// The rows of the table, from the first to the last: name, folder, dependencies. A row is
/// `` | `folder` (`name`) | what it holds | dependencies | ``, in which `kernel` is short for `elnath-kernel`.
fn rows(architecture: &str) -> Vec<(String, Package)> {
    let section = architecture.split("\n## ").find(|section| section.starts_with("Crates\n"));
    let section = section.expect("ARCHITECTURE.md has a section `## Crates`");
    let full = |short: &str| if short == "elnath" { short.to_owned() } else { format!("elnath-{short}") };
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [crate_, _, dependencies] = cells[..] else { panic!("not three columns: {line}") };
        let [folder, name] = between(crate_, "`", "`")[..] else { panic!("not `folder` (`name`): {line}") };
        let dependencies = dependencies.split(',').map(str::trim).filter(|it| !it.is_empty());
        (name.to_owned(), (folder.to_owned(), dependencies.map(full).collect()))
    };
    section.lines().filter(|line| line.starts_with("| `")).map(row).collect()
}

#[test]
fn the_table_of_crates_is_that_of_cargo() {
    let root = root();
    let mut packages_of_cargo = packages(&root.join("Cargo.toml"), &root);
    for outside in ["fuzz/Cargo.toml", "bench/merc/Cargo.toml"] {
        packages_of_cargo.extend(packages(&root.join(outside), &root));
    }
    let rows = rows(&read(&root.join("ARCHITECTURE.md")));
    let mut wrong = Vec::new();
    for (name, (folder, dependencies)) in &packages_of_cargo {
        match rows.iter().find(|row| row.0 == *name) {
            None => wrong.push(format!("{name} ({folder}) has no row")),
            Some((_, there)) if there != &(folder.clone(), dependencies.clone()) => {
                wrong.push(format!("{name}: cargo has {folder} {dependencies:?}, the table {there:?}"));
            }
            Some(_) => {}
        }
    }
    for (place, (name, (_, dependencies))) in rows.iter().enumerate() {
        if !packages_of_cargo.contains_key(name) {
            wrong.push(format!("{name} has a row, and cargo has no such package"));
        }
        let above = |dependency: &&String| rows[..place].iter().any(|row| row.0 == **dependency);
        wrong.extend(dependencies.iter().filter(above).map(|it| format!("{name} depends on {it}, above it")));
    }
    none(&wrong, "mend the table of crates in ARCHITECTURE.md");
}

// What comments and documents cite.

/// A path is cited if its last part ends in one of these.
const ENDINGS: &[&str] = &[
    "aut", "csv", "expect", "fifo", "fsa", "grammar", "hoa", "md", "net", "pml", "py", "rs", "scm", "svg",
    "toml", "tsv",
];

/// Where something is cited that is rightly not here: the citing file, how the cited path begins, and why.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    ("CHANGELOG.md", "", "tells of versions in which files had other names"),
    ("bench/RESULTS.md", "", "recorded runs, of models by other people too"),
    ("docs/campaigns.md", "spin/", "models that come with SPIN"),
    ("docs/experiments/boundedness.md", "scm/", "models by other people"),
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && name != "node_modules" && !name.starts_with('.') {
                files(&path, found);
            }
        } else {
            found.push(path);
        }
    }
}

/// The part of a line in which something may be cited: all of a document, the comment of anything else.
fn prose<'l>(file: &Path, line: &'l str) -> &'l str {
    let mark = match file.extension().and_then(|it| it.to_str()) {
        Some("md") => return line,
        Some("rs" | "pml" | "fifo" | "net") => "//",
        Some("toml") => "#",
        _ => return "",
    };
    line.find(mark).map_or("", |at| &line[at..])
}

/// Whether this is written like a path to a file: parts with slashes between them, the last with a known ending.
fn like_a_path(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    let ending = text.rsplit_once('.').map_or("", |(_, ending)| ending);
    text.contains('/') && text.chars().all(plain) && ENDINGS.contains(&ending)
}

/// Whether this is written like a path to a folder of ours: parts with slashes between them, the first of them a crate or
/// something at the root.
fn like_a_folder(root: &Path, text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-/".contains(c);
    let first = text.split_once('/').map_or("", |(first, _)| first);
    let is_ours = || root.join(first).is_dir() || root.join("crates").join(first).is_dir();
    !first.is_empty() && text.chars().all(plain) && is_ours()
}

/// What a line cites: words of comments and code spans of documents that are like paths, code spans of documents that are
/// like folders, and targets of links that are not addresses. Text in code blocks of documents is no code span; it is what somebody types or sees.
fn cited<'l>(root: &Path, file: &Path, line: &'l str) -> Vec<&'l str> {
    let prose = prose(file, line);
    let is_document = file.extension().is_some_and(|it| it == "md");
    let mut found: Vec<&str> = if is_document {
        between(prose, "`", "`")
    } else {
        let outside = |c: char| c.is_whitespace() || "`()[]{},;:\"'<>".contains(c);
        prose.split(outside).map(|word| word.trim_end_matches('.')).collect()
    };
    found.retain(|it| like_a_path(it) && !it.starts_with('/') || is_document && like_a_folder(root, it));
    if is_document {
        let links = between(prose, "](", ")").into_iter().filter(|it| !it.contains("://"));
        found.extend(links.map(|it| it.split('#').next().unwrap_or(it)).filter(|it| !it.is_empty()));
    }
    found
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => _ = plain.pop(),
            part => plain.push(part),
        }
    }
    plain
}

/// Whether the cited path is there: seen from the root, from `crates`, from the folder of the citing file, or from a
/// folder above that (as the root of its crate is).
fn is_there(root: &Path, citing: &Path, path: &str) -> bool {
    let above = citing.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
    let mut bases = above.map(Path::to_path_buf).chain([root.join("crates")]);
    bases.any(|base| plain(&base.join(path)).exists())
}

#[test]
fn what_is_cited_exists() {
    let root = root();
    let mut all = Vec::new();
    files(&root, &mut all);
    all.sort();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for file in &all {
        let short =
            file.strip_prefix(&root).expect("a file of the repository").to_string_lossy().into_owned();
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        for (number, line) in text.lines().enumerate() {
            for path in cited(&root, file, line) {
                let elsewhere = |it: &&(&str, &str, &str)| it.0 == short && path.starts_with(it.1);
                if ELSEWHERE.iter().find(elsewhere).is_some() {
                    continue;
                }
                count += 1;
                if !is_there(&root, file, path) {
                    wrong.push(format!("{short}:{}: {path}", number + 1));
                }
            }
        }
    }
    none(&wrong, "these cite files that do not exist in the repository");
    assert!(count > 300, "only {count} citations found: does the rule still find them?");
}

// Links between documents.

/// What a link to a heading says after `#`: as the usual hosts make it of the heading's text.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The anchors of a document's headings. Lines of code blocks are none.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut inside = false;
    let mut found = BTreeSet::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside && line.starts_with('#') {
            found.insert(anchor(line.trim_start_matches('#')));
        }
    }
    found
}

#[test]
fn links_between_documents_lead_to_a_heading() {
    let root = root();
    let mut documents = Vec::new();
    files(&root, &mut documents);
    documents.retain(|path| path.extension().is_some_and(|it| it == "md"));
    let (mut wrong, mut links) = (Vec::new(), 0);
    for document in &documents {
        for link in between(&read(document), "](", ")") {
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            if path.contains("://") {
                continue;
            }
            links += 1;
            let target = if path.is_empty() {
                document.clone()
            } else {
                document.parent().expect("a folder").join(path)
            };
            if !target.exists() {
                wrong.push(format!("{}: there is no {path}", document.display()));
            } else if !heading.is_empty() && !anchors(&read(&target)).contains(heading) {
                wrong.push(format!("{}: {link}: there is no such heading", document.display()));
            }
        }
    }
    assert!(links > 30, "{links} links found: does the rule still find them?");
    none(&wrong, "mend these links");
}

// The bibliography.

/// Words before a year, or before a figure that looks like one, that are no author and no venue.
const NOT_CITED: &[&str] = &["The", "December", "Book", "KiB"];

/// Documents that are not searched for years: they record what was done on which day.
const RECORDS: &[&str] =
    &["CHANGELOG.md", "bench/RESULTS.md", "bench/RESULTS-reduce.md", "docs/campaigns.md"];

/// The citations of a text, such as ("Couvreur", "1999") in "(Couvreur 1999)" or "Couvreur (1999)": a word with a
/// capital, and directly after it a year.
fn citations(text: &str) -> BTreeSet<(String, String)> {
    let words: Vec<&str> = text.split(|c: char| !(c.is_alphanumeric() || c == '-')).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let is_year = |word: &str| word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    let is_year = |word: &str| is_year(word) && word.chars().all(|c| c.is_ascii_digit());
    let is_name =
        |word: &str| word.len() > 1 && word.starts_with(char::is_uppercase) && !NOT_CITED.contains(&word);
    let pairs = words.windows(2).filter(|pair| is_name(pair[0]) && is_year(pair[1]));
    pairs.map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect()
}

#[test]
fn the_bibliography_has_what_is_cited() {
    let root = root();
    let papers = read(&root.join("docs/papers.md"));
    let entries: Vec<&str> = papers.lines().filter(|line| line.starts_with("| ")).collect();
    let has =
        |(name, year): &(String, String)| entries.iter().any(|it| it.contains(name) && it.contains(year));
    let mut all = Vec::new();
    files(&root, &mut all);
    let (mut wrong, mut count) = (BTreeSet::new(), 0);
    for file in all {
        let short =
            file.strip_prefix(&root).expect("a file of the repository").to_string_lossy().into_owned();
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        if RECORDS.contains(&short.as_str()) {
            continue;
        }
        let prose: Vec<&str> = text.lines().map(|line| prose(&file, line)).collect();
        let cited = citations(&prose.join("\n"));
        count += cited.len();
        let missing = cited.into_iter().filter(|it| !has(it));
        wrong.extend(missing.map(|(name, year)| format!("{name} {year} ({short})")));
    }
    none(&wrong.into_iter().collect::<Vec<_>>(), "docs/papers.md does not list");
    assert!(count > 100, "only {count} citations found: does the rule still find them?");
}

/// The tests that the errata name: code spans after "Kept by" or "kept by" that are written like names of functions.
fn named_tests(papers: &str) -> BTreeSet<&str> {
    let is_name =
        |span: &&str| span.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let (mut found, mut kept) = (BTreeSet::new(), false);
    for line in papers.lines() {
        // An item begins with its number, a section is over at an empty line.
        kept &= !line.is_empty() && !line.starts_with(|c: char| c.is_ascii_digit());
        let after = line.split_once("ept by").map(|(_, after)| after);
        let text = after.or(kept.then_some(line)).unwrap_or_default();
        kept |= after.is_some();
        found.extend(between(text, "`", "`").into_iter().filter(is_name).filter(|name| name.contains('_')));
    }
    found
}

#[test]
fn the_tests_that_keep_errata_exist() {
    let root = root();
    let papers = read(&root.join("docs/papers.md"));
    let named = named_tests(&papers);
    assert!(named.len() > 25, "only {} tests are named: does the rule still find them?", named.len());
    let mut all = Vec::new();
    files(&root.join("crates"), &mut all);
    let is_test = |path: &&PathBuf| {
        path.extension().is_some_and(|it| it == "rs")
            && path.iter().any(|it| it == "tests" || it == "conformance")
    };
    let texts: Vec<String> = all.iter().filter(is_test).map(|path| read(path)).collect();
    let exists = |name: &str| texts.iter().any(|text| text.contains(&format!("fn {name}()")));
    let wrong: Vec<String> = named.into_iter().filter(|name| !exists(name)).map(str::to_owned).collect();
    none(&wrong, "docs/papers.md names tests that do not exist");
}

// The glossary.

/// Options whose values need no explanation: colours, shells, and which lines are printed.
const PLAIN_OPTIONS: &[&str] = &["--color", "<SHELL>", "--show"];

/// Technical words. Where a help text or the README uses one of them, the glossary must explain it.
const TERMS: &[&str] = &[
    "acceptance set",
    "alternating bit protocol",
    "antichain",
    "assertion",
    "atomic",
    "automaton",
    "bfs",
    "bisimilar",
    "breadth first",
    "breadth-first",
    "certificate",
    "channel",
    "communicating machines",
    "component",
    "cone of influence",
    "counterexample",
    "dead variables",
    "deadlock",
    "depth first",
    "depth-first",
    "deterministic",
    "divergence",
    "end state",
    "equivalence",
    "exhaustive",
    "expected omissions",
    "fairness",
    "failures",
    "fifo net",
    "fingerprint",
    "guarantee",
    "invariant",
    "jit",
    "lasso",
    "livelock",
    "liveness",
    "machine code",
    "message sequence chart",
    "minimal automaton",
    "model",
    "network",
    "never claim",
    "non-progress",
    "on the fly",
    "partial order reduction",
    "portfolio",
    "preorder",
    "progress",
    "proposition",
    "quotient",
    "rendez-vous",
    "replacement",
    "replacing store",
    "safety",
    "scouts",
    "seed",
    "simulation",
    "sleep sets",
    "slice",
    "space-time",
    "state space",
    "statement merging",
    "strong fairness",
    "strongly connected components",
    "stutter",
    "swarm",
    "symmetry",
    "temporal",
    "trace",
    "trail",
    "transition system",
    "weak fairness",
];

/// What the glossary explains: of each entry, `- **term**, **another** (`--option value`): explanation`, the bold
/// terms in small letters and the code spans before the first colon.
struct Glossary {
    /// The first term of each entry, in order.
    first: Vec<String>,
    names: BTreeSet<String>,
}

impl Glossary {
    fn read(text: &str) -> Self {
        let (mut first, mut names) = (Vec::new(), BTreeSet::new());
        for line in text.lines().filter(|line| line.starts_with("- **")) {
            let head = line.split_once(": ").unwrap_or_else(|| panic!("no explanation: {line}")).0;
            let terms =
                between(head, "**", "**").into_iter().map(|term| term.replace('`', "").to_lowercase());
            let terms: Vec<String> = terms.collect();
            first.push(terms[0].clone());
            names.extend(terms);
            names.extend(between(head, "`", "`").into_iter().map(str::to_owned));
        }
        Self { first, names }
    }

    fn explains(&self, term: &str) -> bool {
        self.names.contains(term) || self.names.contains(&term.to_lowercase())
    }
}

/// The help texts of the command and of all its subcommands, each with the arguments that show it.
fn helps() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut pending = vec![Vec::<String>::new()];
    while let Some(command) = pending.pop() {
        let ran = run(command.iter().map(String::as_str).chain(["--help"]));
        assert_eq!(ran.code, Some(0), "{ran:#?}");
        let commands = ran.out.lines().skip_while(|line| *line != "Commands:").skip(1);
        for line in commands.take_while(|line| !line.is_empty()) {
            let name = line.strip_prefix("  ").and_then(|line| line.split(' ').next()).unwrap_or_default();
            if !name.is_empty() && name != "help" {
                pending.push(command.iter().cloned().chain([name.to_owned()]).collect());
            }
        }
        found.push((format!("elnath {}", command.join(" ")).trim_end().to_owned(), ran.out));
    }
    found
}

/// The values that a help text lists, as `--option value`: in `[possible values: a, b]`, below `Possible values:`, and
/// the relations, which stand in a sentence of their own at the end.
fn values(help: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let (mut option, mut listing) = ("", false);
    for line in help.lines() {
        let text = line.trim();
        let is_option = text.starts_with('-') && !text.starts_with("- ") && line.len() - text.len() <= 6;
        if is_option || text.starts_with('<') {
            let long = text.split([' ', ',', '[', '=']).find(|word| word.starts_with("--"));
            option = long.unwrap_or_else(|| text.split(' ').next().unwrap_or_default());
            listing = false;
        } else if text == "Possible values:" {
            listing = true;
        } else if let Some(list) = text.strip_prefix("[possible values: ") {
            let list = list.trim_end_matches(']').split(", ");
            found.extend(list.map(|value| format!("{option} {value}")));
        } else if let Some(value) = text.strip_prefix("- ").filter(|_| listing) {
            let value = value.split(':').next().unwrap_or(value);
            found.insert(format!("{option} {value}"));
        } else if text.is_empty() {
            listing = listing && option.is_empty();
        }
    }
    if let Some((_, list)) = help.split_once("\nRelations") {
        let list = list.split_once(": ").expect("a list").1.split('.').next().unwrap_or_default();
        let words = list.split(|c: char| c.is_whitespace() || ",;".contains(c));
        let words = words.filter(|word| !["", "then", "and"].contains(word));
        found.extend(words.map(|word| format!("--relation {word}")));
    }
    found.retain(|value| !PLAIN_OPTIONS.iter().any(|plain| value.split(' ').next() == Some(plain)));
    found
}

/// Capitals in help texts that stand for something that the user chooses.
const PLACEHOLDERS: &[&str] = &["NAME"];

/// Abbreviations: words of at least two capitals, except names of arguments and what stands in quotes.
fn abbreviations(help: &str) -> BTreeSet<String> {
    let help = help.split("\nExamples:").next().unwrap_or_default();
    let words = help.split(|c: char| !(c.is_alphanumeric() || "_-<>[]`'\"=^".contains(c)));
    let is_one = |word: &&str| {
        word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase()) && !PLACEHOLDERS.contains(word)
    };
    words.filter(is_one).map(str::to_owned).collect()
}

/// Whether the text has these words, with no letter before or after; a plural `s` may follow.
fn uses(text: &str, term: &str) -> bool {
    text.match_indices(term).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + term.len()..]);
        let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '-');
        !letter(before.chars().next_back())
            && !letter(after.strip_prefix('s').unwrap_or(after).chars().next())
    })
}

#[test]
fn the_glossary_explains_the_help() {
    let root = root();
    let glossary = Glossary::read(&read(&root.join("docs/glossary.md")));
    let mut wrong = BTreeSet::new();
    let mut texts = helps();
    assert!(texts.len() > 15, "{} help texts found", texts.len());
    let mut listed = 0;
    for (command, help) in &texts {
        let values = values(help);
        listed += values.len();
        for term in values.iter().chain(&abbreviations(help)) {
            if !glossary.explains(term) {
                wrong.insert(format!("`{term}` (`{command} --help`)"));
            }
        }
    }
    assert!(listed > 100, "only {listed} values of options found: does the rule still find them?");
    texts.push(("README.md".to_owned(), read(&root.join("README.md"))));
    for (place, text) in &texts {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let used = TERMS.iter().filter(|term| uses(&text, term));
        wrong.extend(used.filter(|term| !glossary.explains(term)).map(|term| format!("{term} ({place})")));
    }
    none(&wrong.into_iter().collect::<Vec<_>>(), "docs/glossary.md has no entry for");

    let sorted = |pair: &&[String]| pair[0] > pair[1];
    let unsorted =
        glossary.first.windows(2).filter(sorted).map(|pair| format!("{} before {}", pair[0], pair[1]));
    none(&unsorted.collect::<Vec<_>>(), "the entries of docs/glossary.md are not in alphabetical order");
}
