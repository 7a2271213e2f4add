//! A table of figures that SPIN gave for models by other people: one line per model and way of checking it.

use std::path::Path;

/// One line of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// The model, relative to the table.
    pub file: String,
    /// `ref` for the reference mode, `opt` for SPIN's reductions and the first error only; others are for cycles.
    pub config: String,
    /// The claim that was checked, if it was named.
    pub claim: Option<String>,
    /// `pass`, or `error: ` and the first error.
    pub verdict: String,
    /// The number of errors.
    pub errors: u64,
    /// States stored.
    pub states: u64,
    /// Transitions, with the arrival at the initial state.
    pub transitions: u64,
    /// Macro definitions.
    pub defines: Vec<String>,
    /// Whether end states were looked at.
    pub end_states: bool,
}

/// Reads `REFERENCE.tsv` in a directory; nothing if there is none. The columns with the flags may be missing.
pub fn rows(directory: &Path) -> Option<Vec<Row>> {
    let text = std::fs::read_to_string(directory.join("REFERENCE.tsv")).ok()?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next()?.split('\t').collect();
    let column = |name: &str| header.iter().position(|found| *found == name);
    let (file, config, verdict) = (column("file")?, column("config")?, column("verdict")?);
    let claim = column("claim")?;
    let (errors, states, transitions) = (column("errors")?, column("states")?, column("transitions")?);
    let (spin_flags, pan_flags) = (column("spin_flags"), column("pan_flags"));
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |index: usize| cells.get(index).copied().unwrap_or_default();
        let words = |column: Option<usize>| column.map(cell).unwrap_or_default().split_whitespace();
        let define = |flag: &str| flag.strip_prefix("-D").map(str::to_owned);
        Row {
            file: cell(file).to_owned(),
            config: cell(config).to_owned(),
            claim: Some(cell(claim).to_owned()).filter(|claim| !claim.is_empty()),
            verdict: cell(verdict).to_owned(),
            errors: cell(errors).parse().unwrap_or(0),
            states: cell(states).parse().unwrap_or(u64::MAX),
            transitions: cell(transitions).parse().unwrap_or(0),
            defines: words(spin_flags).filter_map(define).collect(),
            end_states: !words(pan_flags).any(|flag| flag == "-E"),
        }
    };
    Some(lines.map(row).collect())
}
