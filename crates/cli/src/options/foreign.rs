//! Command lines as people write them who come from other tools, as ours: `elnath m.pml` checks, and options of SPIN become those
//! of `check`. What they are is in the library ([`elnath::foreign`]).

use super::Args;
use clap::CommandFactory;
use elnath::foreign::{Instead, PAN, PAN_MACROS, is_model};
use std::ffi::OsString;
use std::path::Path;

/// A command line that clap can read, and what there is to say about the way to it.
pub(crate) struct Understood {
    pub(crate) words: Vec<OsString>,
    pub(crate) notes: Vec<String>,
}

/// The words of the command line, the program's name first.
///
/// # Errors
/// What to write instead of a word that means nothing here.
pub(crate) fn understood(words: Vec<OsString>) -> Result<Understood, String> {
    let texts: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let given = texts.get(1..).unwrap_or_default();
    let is_ours = given.first().is_some_and(|first| Args::command().find_subcommand(first).is_some());
    let checks = given.first().is_some_and(|first| first == "check");
    let mut notes = Vec::new();
    let mut new: Vec<OsString> = words.iter().take(1).cloned().collect();
    if !is_ours && means_check(given) {
        new.push("check".into());
    } else if !checks {
        return Ok(Understood { words, notes });
    }
    let mut literal = false;
    for (text, word) in texts.iter().zip(&words).skip(1) {
        literal |= text == "--";
        let instead = if literal { None } else { of_pan(text) };
        match instead {
            None => new.push(word.clone()),
            Some((_, Instead::Words(ours))) => {
                notes.push(format!("note: {text} of SPIN is {}", ours.join(" ")));
                new.extend(ours.iter().map(OsString::from));
            }
            Some((rest, Instead::With(ours))) => {
                notes.push(format!("note: {text} of SPIN is {} {rest}", ours.join(" ")));
                new.extend(ours.iter().map(OsString::from));
                new.push(rest.into());
            }
            Some((_, Instead::Anyway(why))) => {
                notes.push(format!("note: {text} of SPIN is not needed: {why}"));
            }
            Some((_, Instead::Answer(answer))) => {
                return Err(format!("{text} is an option of SPIN: {answer}"));
            }
        }
        let macro_name = text.strip_prefix("-D").map(|define| define.split('=').next().unwrap_or(define));
        let known = PAN_MACROS.iter().find(|(name, _)| !literal && Some(*name) == macro_name);
        notes.extend(known.map(|(name, ours)| {
            format!("note: {name} is for the compiler of SPIN's verifier, and only a macro of the model here; instead: {ours}")
        }));
    }
    Ok(Understood { words: new, notes })
}

/// Whether a command line without a command names a model.
fn means_check(given: &[String]) -> bool {
    let known = |word: &String| Args::command().find_subcommand(word).is_some() || word == "help";
    let is_file = |word: &String| word == "-" || is_model(word) || Path::new(word).is_file();
    match given.first() {
        None => false,
        // Options first: `elnath -a m.pml`, `elnath --language promela -`.
        Some(first) if first.starts_with('-') && first != "-" => {
            !given.iter().any(known) && given.iter().any(is_file)
        }
        Some(first) => is_file(first),
    }
}

/// The row of an option of SPIN, with what follows its name.
fn of_pan(text: &str) -> Option<(&str, &'static Instead)> {
    let row = PAN.iter().find(|(name, instead)| match instead {
        Instead::With(_) | Instead::Answer(_) if *name != "-t" => text
            .strip_prefix(name)
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit())),
        _ => text == *name,
    })?;
    Some((&text[row.0.len()..], &row.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<(String, usize), String> {
        let words = line.split_whitespace().map(OsString::from).collect();
        let understood = understood(words)?;
        let words: Vec<String> =
            understood.words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        Ok((words.join(" "), understood.notes.len()))
    }

    #[test]
    fn command_lines_of_spin_become_ours() {
        for (theirs, ours, notes) in [
            ("elnath m.pml", "elnath check m.pml", 0),
            ("elnath -run -a m.pml", "elnath check m.pml", 2),
            ("elnath -search -a -f -m10000 m.pml", "elnath check --fair weak --depth 10000 m.pml", 4),
            ("elnath check m.pml -m500 -i", "elnath check m.pml --depth 500 --shortest", 2),
            ("elnath check m.pml -DNFAIR=3 -DN=2", "elnath check m.pml -DNFAIR=3 -DN=2", 1),
            ("elnath --language promela -", "elnath check --language promela -", 0),
            ("elnath - --language promela", "elnath check - --language promela", 0),
            // Other commands, and words that are no files, are left to the parser.
            ("elnath info m.pml -m500", "elnath info m.pml -m500", 0),
            ("elnath chek m.pml", "elnath chek m.pml", 0),
            ("elnath --help", "elnath --help", 0),
            ("elnath", "elnath", 0),
            ("elnath check -- -a", "elnath check -- -a", 0),
        ] {
            assert_eq!(read(theirs), Ok((ours.to_owned(), notes)), "{theirs}");
        }
        assert!(read("elnath -w28 m.pml").is_err_and(|answer| answer.contains("--memory")));
        assert!(read("elnath -t m.pml").is_err_and(|answer| answer.contains("elnath replay")));
    }
}
