//! The differences that are explained: each entry of `grammar/known-differences` points to a row of
//! `docs/spin-differences.md`, and says exactly which differences it covers. Whatever no entry covers is unexplained.

use super::derive::Model;
use super::judge::Difference;

/// The list in the repository.
pub const DIFFERENCES: &str = include_str!("../../../grammar/known-differences");

/// One entry. Everything it asks for must be there.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// The first cell of the row that explains it.
    pub row: String,
    /// What the difference must contain.
    how: Vec<String>,
    /// What the model's text must contain.
    text: Vec<String>,
    /// Productions it must be made of.
    productions: Vec<String>,
    /// It explains other kinds of errors too; without that, figures may differ and nothing else.
    errors: bool,
}

/// Reads the list.
///
/// # Errors
/// The line that is not understood.
pub fn read(list: &str) -> Result<Vec<Entry>, String> {
    let mut entries: Vec<Entry> = Vec::new();
    for (number, line) in list.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let (kind, rest) = line.trim().split_once(' ').ok_or(format!("line {}: {line}", number + 1))?;
        let rest = rest.trim().to_owned();
        if kind == "known" {
            entries.push(Entry { name: rest, ..Entry::default() });
            continue;
        }
        let entry = entries.last_mut().ok_or(format!("line {}: no entry yet", number + 1))?;
        match kind {
            "row" => entry.row = rest,
            "how" => entry.how.push(rest),
            "text" => entry.text.push(rest),
            "made" => entry.productions.push(rest),
            "errors" if rest == "other" => entry.errors = true,
            _ => return Err(format!("line {}: {line}", number + 1)),
        }
    }
    Ok(entries)
}

impl Entry {
    /// Whether it covers this difference.
    pub fn covers(&self, model: &Model, difference: &Difference) -> bool {
        let any = |wanted: &String, all: &dyn Fn(&str) -> bool| wanted.split(" or ").any(all);
        (self.errors || !has_other_errors(&difference.how))
            && self.how.iter().all(|part| any(part, &|part| difference.how.contains(part)))
            && self.text.iter().all(|part| any(part, &|part| difference.model.contains(part)))
            && self
                .productions
                .iter()
                .all(|name| any(name, &|name| model.productions.iter().any(|production| production == name)))
    }
}

/// Whether both have an answer and report different kinds of errors.
fn has_other_errors(how: &str) -> bool {
    let kinds = |answer: &str| {
        let (_, kinds) = answer.split_once(" {").or_else(|| answer.split_once("errors {"))?;
        Some(kinds.split_once('}')?.0.to_owned())
    };
    let Some((ours, spins)) = how.split_once("; SPIN:") else { return false };
    matches!((kinds(ours), kinds(spins)), (Some(ours), Some(spins)) if ours != spins)
}

#[cfg(test)]
mod tests {
    #[test]
    fn entries_about_figures_explain_no_other_verdict() {
        let how = "elnath: 23 states, 35 transitions, 0 errors {}; SPIN: 9 states, 12 transitions, 1 errors {EndState}";
        assert!(super::has_other_errors(how));
        assert!(super::has_other_errors(
            "elnath: 2 states, 1 transitions, 3 errors {Index}; SPIN: errors {Division}"
        ));
        assert!(!super::has_other_errors(
            "elnath: 2 states, 1 transitions, 0 errors {}; SPIN: 3 states, 2 transitions, 0 errors {}"
        ));
        assert!(!super::has_other_errors("accepted by elnath, refused by SPIN: syntax error"));
    }

    #[test]
    fn every_entry_points_to_a_row() {
        let rows = include_str!("../../../../../docs/spin-differences.md");
        let entries = super::read(super::DIFFERENCES).expect("the list is well formed");
        assert!(!entries.is_empty());
        for entry in entries {
            assert!(rows.contains(&format!("| {} |", entry.row)), "no row for {}: {}", entry.name, entry.row);
            assert!(!entry.how.is_empty(), "{} would cover every difference", entry.name);
        }
    }
}
