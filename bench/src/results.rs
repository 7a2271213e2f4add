//! How results are kept: a section of RESULTS.md for each command, rewritten by that command alone, with a drawing and all
//! measurements beside it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Puts the result where it is kept: the tables into RESULTS.md, chart and measurements beside it.
pub fn record(bench: &Path, out: &Path, files: &str, text: &str, drawing: &str) -> std::io::Result<()> {
    for name in [format!("{files}.svg"), format!("{files}.csv")] {
        fs::copy(out.join(&name), bench.join(&name))?;
    }
    let links = format!("\n![{drawing}]({files}.svg)\n\n[All measurements]({files}.csv).\n");
    let results = bench.join("RESULTS.md");
    let old = fs::read_to_string(&results)?;
    fs::write(&results, with_section(&old, files, &format!("{text}{links}")))
}

/// `text` with what stands between the marks replaced by `section`; at the end if there are no marks yet. What people
/// wrote around it stays.
pub fn with_section(text: &str, name: &str, section: &str) -> String {
    let begin_mark = format!("<!-- {name}: written by the command, up to the end mark -->");
    let end_mark = format!("<!-- {name}: end -->");
    let (before, after) = match (text.find(&begin_mark), text.find(&end_mark)) {
        (Some(begin), Some(end)) if begin < end => (&text[..begin], &text[end + end_mark.len()..]),
        _ => (text, ""),
    };
    let mut new = before.trim_end().to_owned();
    if !new.is_empty() {
        new.push_str("\n\n");
    }
    let _ = write!(new, "{begin_mark}\n\n{}\n\n{end_mark}\n", section.trim_end());
    let after = after.trim_start_matches('\n');
    if !after.is_empty() {
        new.push('\n');
        new.push_str(after);
    }
    new
}

/// A number with its digits in groups of three.
pub fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A table with its columns aligned; the first row is the header, the first column is text.
pub fn markdown<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0).max(3);
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        for (column, cell) in row.iter().enumerate() {
            let width = width(column);
            let _ = if column == 0 {
                write!(text, "| {cell:width$} ")
            } else {
                write!(text, "| {cell:>width$} ")
            };
        }
        text.push_str("|\n");
        if index == 0 {
            for column in 0..N {
                let dashes = "-".repeat(width(column));
                let _ = if column == 0 {
                    write!(text, "| {dashes} ")
                } else {
                    write!(text, "| {}: ", &dashes[1..])
                };
            }
            text.push_str("|\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_wrote_survives() {
        let first = with_section("# How fast\n\nBy hand.\n", "versus-spin", "one");
        assert!(first.starts_with("# How fast\n\nBy hand.\n\n<!-- versus-spin"), "{first}");
        let second = with_section(&format!("{first}\nAfter.\n"), "versus-spin", "two");
        assert!(second.contains("By hand.") && second.contains("After.") && second.contains("\ntwo\n"));
        assert!(!second.contains("one"), "{second}");
        let third = with_section(&second, "other", "three");
        assert!(third.starts_with(second.trim_end()) && third.contains("\nthree\n"), "{third}");
        assert_eq!(with_section(&second, "versus-spin", "two"), second, "again changes nothing");
    }
}
