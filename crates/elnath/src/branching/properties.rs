//! Formulas of branching time as users write them: one on the command line, or several with names in a file.
//!
//! A file has one formula, or several that begin on lines of their own with `NAME:`. Which tool's it is, the ending of its name tells: `.mcf`
//! (mCRL2), `.mcl` (CADP), anything else is ours, with comments after `#` or `//` at the beginning of a line.

use super::labels::Matcher;
use crate::Loaded;
use crate::property::{Wanted, with_near};
use elnath_kernel::Describe as _;
use elnath_logic::automaton::MOST_PROPOSITIONS;
use elnath_logic::branching::{Door, LabelTest, MuFormulas, MuId, Positions, lower, parse_branching};
use elnath_source::{Message, SourceText, codes, nearest};
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Formulas that share their propositions.
pub struct BranchingProperties {
    source: SourceText,
    formulas: MuFormulas,
    list: Vec<BranchingProperty>,
}

/// One of them.
#[derive(Clone, Debug)]
pub struct BranchingProperty {
    /// Its name, where it has one.
    pub name: Option<String>,
    /// Its text.
    pub text: String,
    /// Where it is written, as `file:line`, if that is a file.
    pub place: Option<String>,
    /// The formula.
    pub formula: MuId,
    /// What it becomes.
    pub positions: Arc<Positions>,
}

/// Deeper alternation is refused: nobody means it, and solving it is exponential in the depth.
const DEEPEST_ALTERNATION: u32 = 500;

impl BranchingProperties {
    /// Reads a formula.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn parse(text: &str) -> Result<Arc<Self>, Vec<Message>> {
        Self::read(SourceText::new("formula", text), Door::Own, vec![(None, 0..text.len())])
    }

    /// Reads a file.
    ///
    /// # Errors
    /// The first thing that is wrong with each formula.
    pub fn load(path: &Path) -> Result<Arc<Self>, Vec<Message>> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| {
            vec![Message::about_file(format!("cannot read {name}: {error}")).code(codes::UNREADABLE)]
        })?;
        let door = match path.extension().and_then(|ending| ending.to_str()) {
            Some("mcf") => Door::Mcf,
            Some("mcl") => Door::Mcl,
            _ => Door::Own,
        };
        let text = if door == Door::Own { without_comments(&text) } else { text };
        let parts = parts(&text);
        Self::read(SourceText::new(name, text), door, parts)
    }

    /// Formulas that were made without a parser, with their names and texts.
    pub fn of_formulas(mut formulas: MuFormulas, list: Vec<(Option<String>, MuId)>) -> Arc<Self> {
        let property = |(name, formula): (Option<String>, MuId)| {
            let positions = Arc::new(lower(&mut formulas, formula));
            BranchingProperty { name, text: formulas.show(formula), place: None, formula, positions }
        };
        let list = list.into_iter().map(property).collect();
        Arc::new(Self { source: SourceText::new("formulas", ""), formulas, list })
    }

    fn read(
        source: SourceText,
        door: Door,
        parts: Vec<(Option<String>, Range<usize>)>,
    ) -> Result<Arc<Self>, Vec<Message>> {
        let (mut formulas, mut list, mut messages) = (MuFormulas::new(), Vec::new(), Vec::new());
        let in_file = source.name() != "formula";
        for (name, range) in parts {
            match parse_branching(&mut formulas, &source, range.clone(), door) {
                Ok(formula) => {
                    let positions = Arc::new(lower(&mut formulas, formula));
                    let text = source.text()[range.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
                    let start = range.start + leading(&source.text()[range.clone()]);
                    let place = source.place(start, start);
                    let place = in_file.then(|| format!("{}:{}", place.file, place.line));
                    if positions.alternation() > DEEPEST_ALTERNATION {
                        let depth = positions.alternation();
                        let text = format!(
                            "fixpoints alternate {depth} times, and more than {DEEPEST_ALTERNATION} are not decided"
                        );
                        messages.push(Message::about_file(text).code(codes::BEYOND_LIMIT));
                    }
                    list.push(BranchingProperty { name, text, place, formula, positions });
                }
                Err(message) => messages.push(*message),
            }
        }
        if formulas.propositions().len() > MOST_PROPOSITIONS {
            let text = format!(
                "the formulas have {} propositions, and at most {MOST_PROPOSITIONS} can be looked at",
                formulas.propositions().len()
            );
            messages.push(Message::about_file(text).code(codes::BEYOND_LIMIT));
        }
        if messages.is_empty() { Ok(Arc::new(Self { source, formulas, list })) } else { Err(messages) }
    }

    /// The same, for [`crate::LoadOptions`]: propositions are read together with the model.
    pub fn wanted(self: &Arc<Self>) -> Wanted {
        Wanted::Branching(Arc::clone(self))
    }

    /// The formulas.
    pub fn list(&self) -> &[BranchingProperty] {
        &self.list
    }

    /// What they are made of.
    pub fn formulas(&self) -> &MuFormulas {
        &self.formulas
    }

    /// Their text.
    pub fn source(&self) -> &SourceText {
        &self.source
    }

    /// The bits of a system's propositions that these names mean.
    pub(super) fn bind(&self, names: &[String], is_graph: bool) -> Result<Vec<u32>, Vec<Message>> {
        let bit = |(text, place): &(String, Range<usize>)| {
            if let Some(bit) = names.iter().position(|name| name == text) {
                return Ok(bit as u32);
            }
            let message = Message::error(
                format!("there is no proposition `{text}`"),
                self.source.place(place.start, place.end),
            );
            let message = message.code(codes::UNKNOWN_PROPOSITION);
            let variables = self.formulas.variables().iter().map(String::as_str);
            Err(Box::new(match nearest(text, names.iter().map(String::as_str).chain(variables)) {
                None if is_graph => message.help(format!(
                    "the states of a graph or network have no propositions: `<{text}> true` says that the action is possible"
                )),
                near => with_near(message, near),
            }))
        };
        let (mut bits, mut messages) = (Vec::new(), Vec::new());
        for proposition in self.formulas.propositions() {
            match bit(proposition) {
                Ok(bit) => bits.push(bit),
                Err(message) => messages.push(*message),
            }
        }
        if messages.is_empty() { Ok(bits) } else { Err(messages) }
    }

    /// Warnings about labels that no action has.
    pub(super) fn doubts(&self, loaded: &Loaded) -> Result<Vec<Message>, Vec<Message>> {
        let (mut warnings, mut errors) = (Vec::new(), Vec::new());
        let of_program: Option<Vec<String>> = match (&loaded.actions, &loaded.subject) {
            (None, crate::Subject::Program { program, .. }) => {
                Some(program.actions().map(|action| program.action_name(action)).collect())
            }
            _ => None,
        };
        for (test, place) in self.formulas.labels() {
            let place = self.source.place(place.start, place.end);
            let matcher = match Matcher::new(test) {
                Ok(matcher) => matcher,
                Err(text) => {
                    errors.push(Message::error(text, place).code(codes::BAD_PATTERN));
                    continue;
                }
            };
            let found = match (&loaded.actions, &of_program) {
                (Some(actions), _) => actions.any(&|label| matcher.matches(label)),
                (None, Some(names)) => Some(names.iter().any(|name| matcher.matches(name))),
                (None, None) => None,
            };
            if found == Some(false) {
                let text = format!("no transition is labelled {test}");
                let message = Message::error(text, place).code(codes::UNKNOWN_LABEL);
                let near = match (test, &loaded.actions) {
                    (
                        LabelTest::Name(name) | LabelTest::Exactly(name) | LabelTest::Text(name),
                        Some(actions),
                    ) => actions.near(name),
                    _ => None,
                };
                warnings.push(with_near(message, near));
            }
        }
        if errors.is_empty() { Ok(warnings) } else { Err(errors) }
    }
}

impl PartialEq for BranchingProperties {
    fn eq(&self, other: &Self) -> bool {
        self.source.text() == other.source.text() && self.list.len() == other.list.len()
    }
}

impl Eq for BranchingProperties {}

impl fmt::Debug for BranchingProperties {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = self.list.iter().map(|property| &property.text);
        out.debug_list().entries(texts).finish()
    }
}

/// How many bytes of white space a text begins with.
fn leading(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// The same text with blanks where lines are comments.
fn without_comments(text: &str) -> String {
    let line = |line: &str| {
        let is_comment = ["#", "//"].iter().any(|sign| line.trim_start().starts_with(sign));
        if is_comment {
            " ".repeat(line.trim_end_matches('\n').len()) + &line[line.trim_end_matches('\n').len()..]
        } else {
            line.to_owned()
        }
    };
    text.split_inclusive('\n').map(line).collect()
}

/// The formulas of a file: what begins with `NAME:` on a line of its own, or all of it.
fn parts(text: &str) -> Vec<(Option<String>, Range<usize>)> {
    let mut found: Vec<(Option<String>, Range<usize>)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some((name, rest)) = named(line) {
            if let Some(last) = found.last_mut() {
                last.1.end = at;
            }
            found.push((Some(name), at + rest..text.len()));
        }
        at += line.len();
    }
    if found.is_empty() {
        found.push((None, 0..text.len()));
    }
    // A semicolon may end a formula.
    for (_, range) in &mut found {
        let inside = text[range.clone()].trim_end();
        let inside = inside.strip_suffix(';').unwrap_or(inside);
        range.end = range.start + inside.len();
        // mCRL2 lets a formula begin with this word, where declarations may stand before it.
        let start = range.start + leading(inside);
        if inside.trim_start().strip_prefix("form").is_some_and(|rest| rest.starts_with(char::is_whitespace))
        {
            range.start = start + "form".len();
        }
    }
    found
}

/// The name that a line begins with, and where its formula begins.
fn named(line: &str) -> Option<(String, usize)> {
    let start = leading(line);
    let rest = &line[start..];
    let (name, after) = match rest.strip_prefix('"') {
        Some(quoted) => {
            let end = quoted.find('"')?;
            (&quoted[..end], start + end + 2)
        }
        None => {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || "_-.".contains(c))).unwrap_or(rest.len());
            (&rest[..end], start + end)
        }
    };
    let colon = line[after..].strip_prefix(':')?;
    let begins = name.chars().next().is_some_and(|c| c.is_alphanumeric() || c == '_');
    (begins && colon.chars().next().is_none_or(char::is_whitespace)).then(|| (name.to_owned(), after + 1))
}
