//! The index of findings: what each code means, with an example and what to do. `elnath explain` prints it, and `docs/findings.md`
//! is made of it. To add a kind: a code in `elnath_source::codes`, a row in one of the three lists here, and a case in
//! `tests/cases/findings`.

mod errors;
mod notes;
mod warnings;

use elnath_source::{Code, codes};
use std::fmt::Write as _;

/// What is to be known about a kind of finding.
pub struct IndexEntry {
    /// Its code.
    pub code: Code,
    /// What is found, in one line.
    pub title: &'static str,
    /// What it means, an example (indented by four spaces) and what to do.
    explanation: &'static str,
}

impl IndexEntry {
    /// What it means, an example and what to do.
    pub fn explanation(&self) -> &'static str {
        self.explanation.trim()
    }
}

/// The index, by severity and number.
pub fn entries() -> impl Iterator<Item = &'static IndexEntry> {
    [errors::LIST, warnings::LIST, notes::LIST].into_iter().flatten()
}

/// What is to be known about this kind.
///
/// # Panics
/// If the index lacks a code, which a test excludes.
pub fn explanation(code: Code) -> &'static IndexEntry {
    entries().find(|entry| entry.code == code).expect("every code is in the index")
}

/// The page with all findings, in Markdown.
pub fn page() -> String {
    let mut page = format!(
        "# Findings\n\nWhat elnath says about a model, a command line or an answer has a code, of which there are {}.\n\
         `elnath explain CODE` prints the explanation that is here; `--deny CODE`, `--deny NAME` or `--deny warnings` makes\n\
         a finding an error (exit code 2). E are errors, W warnings (they bear on the verdict, or the model probably does\n\
         not say what its author means; `--quiet` shows them), N notes. With `--json` they are in `findings`.\n\n\
         This page is made by `elnath explain --markdown`.\n\n| code | name | |\n|---|---|---|\n",
        codes::ALL.len()
    );
    for IndexEntry { code, title, .. } in entries() {
        let name = code.name();
        let anchor = format!("{}-{name}", code.text().to_lowercase());
        let _ = writeln!(page, "| [{code}](#{anchor}) | `{name}` | {title} |");
    }
    page += "\n## Groups\n\n`--deny` also takes the name of a group.\n\n| group | meaning | codes |\n|---|---|---|\n";
    for group in codes::GROUPS {
        let members: Vec<&str> = match group.name {
            "warnings" => vec!["all that begin with W"],
            _ => codes::ALL.iter().filter(|code| (group.has)(**code)).map(|code| code.text()).collect(),
        };
        let _ = writeln!(page, "| `{}` | {} | {} |", group.name, group.meaning, members.join(" "));
    }
    for entry in entries() {
        let IndexEntry { code, title, .. } = entry;
        let (first, rest) = title.split_at(1);
        let (name, text) = (code.name(), entry.explanation());
        let _ = write!(page, "\n## {code} {name}\n\n{}{rest}.\n\n{text}\n", first.to_uppercase());
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_explains_every_code_once_and_in_order() {
        let explained: Vec<Code> = entries().map(|entry| entry.code).collect();
        assert_eq!(explained, codes::ALL);
        for entry in entries() {
            let IndexEntry { code, title, .. } = entry;
            assert!(!title.ends_with('.') && title.is_char_boundary(1) && !title.contains('|'), "{code}");
            assert!(entry.explanation().len() > 80, "{code} is explained");
        }
    }
}
