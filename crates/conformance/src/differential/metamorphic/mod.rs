//! Metamorphic tests: a model and a rewriting of its text must have the same answer.
//!
//! Random models contain what their generator knows of. People's models contain more, but there are few of them, and
//! most have no expected answer. A rewriting makes many models out of one, and the model itself is the oracle: braces
//! around a statement, an inline in its place, another name for a variable must change neither the verdict nor, where
//! [`Preserves::Figures`] says so, the number of states, transitions and errors (Chen, Cheung, Yiu 1998; for model
//! checkers the relations follow from `docs/promela-semantics.md`, which says what SPIN counts).
//! Other rewritings ([`mutants`]) change a model on purpose; then SPIN is the oracle, and must change its answer in the
//! same way.
//!
//! Rewritings work on tokens ([`text`], [`structure`]), not on the syntax tree of the parser under test: a construct
//! that the parser or the lowering forgets would be missing in both models.
//!
//! A rewriting is applied at all its sites at once and at random halves of them. If the answers differ, sites are taken
//! away while they still differ, then parts of the model ([`reduce`]); what is left names the fault. Where SPIN is
//! installed it judges each difference: if its own answer changes in the same way, the rewriting did not preserve what
//! it claims there, and nothing is wrong with us.

mod blocks;
mod data;
pub mod judge;
mod layout;
mod mutants;
#[cfg(test)]
mod own;
pub mod reduce;
pub mod structure;
mod terms;
pub mod text;

use elnath_kernel::rng::Rng;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use structure::{Item, Statement, Structure};
use text::{Site, Text};

/// What a rewriting leaves as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preserves {
    /// States, transitions, errors and their kinds.
    Figures,
    /// Whether there is an error.
    Verdict,
    /// Nothing: SPIN must give the same answer as we do.
    Nothing,
}

/// A way of changing a text.
pub struct Rewriting {
    /// Its name.
    pub name: &'static str,
    /// What stays the same.
    pub preserves: Preserves,
    /// Where it can be applied.
    pub sites: fn(&Source) -> Vec<Site>,
}

/// All rewritings.
pub fn rewritings() -> impl Iterator<Item = &'static Rewriting> {
    [blocks::REWRITINGS, terms::REWRITINGS, data::REWRITINGS, layout::REWRITINGS, mutants::REWRITINGS]
        .into_iter()
        .flatten()
}

/// Some of the sites of a rewriting: all of them in round 0, then random halves. Where SPIN is the oracle it is always a
/// single one, since a model with many changes soon does nothing of interest. The same seed chooses the same sites.
pub fn chosen<'s>(
    rewriting: &Rewriting,
    model: &str,
    sites: &'s [Site],
    round: u64,
    seed: u64,
) -> Vec<&'s Site> {
    let single = rewriting.preserves == Preserves::Nothing;
    if round == 0 && !single {
        return sites.iter().collect();
    }
    let mut rng = Rng::new(hash(model, rewriting.name) ^ seed ^ (round << 32));
    if single {
        return vec![&sites[rng.below(sites.len() as u64) as usize]];
    }
    let half: Vec<&Site> = sites.iter().filter(|_| rng.below(2) == 0).collect();
    if half.is_empty() { vec![&sites[0]] } else { half }
}

/// A number for a model and a rewriting (FNV-1a), the same in every run.
pub fn hash(model: &str, rewriting: &str) -> u64 {
    let bytes = model.bytes().chain(rewriting.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A model's text with its structure.
pub struct Source {
    /// The tokens.
    pub text: Text,
    /// The statements.
    pub structure: Structure,
    /// Every word of the text: there are models of half a million tokens, and rewritings ask at every statement.
    words: HashSet<String>,
}

impl Source {
    /// Takes a text apart.
    pub fn new(text: String) -> Self {
        let text = Text::new(text);
        let words = (0..text.tokens.len()).map(|index| text.at(index).to_owned()).collect();
        let mut source = Source { structure: Structure::new(&text), text, words };
        // Who asks where a process is sees every element that is put around a statement.
        if source.mentions("pc_value") {
            source.structure.statements.clear();
        }
        source
    }

    /// Reads a file with all files it includes.
    ///
    /// # Errors
    /// If one of the files is not there.
    pub fn read(path: &Path) -> std::io::Result<Self> {
        Ok(Self::new(included(path, 0, &mut HashSet::new())?))
    }

    /// The characters of a statement.
    fn shown(&self, statement: &Statement) -> &str {
        self.text.between(statement.first, statement.last)
    }

    /// Whether a statement contains one of these tokens.
    fn contains(&self, statement: &Statement, words: &[&str]) -> bool {
        (statement.first..=statement.last).any(|index| words.contains(&self.text.at(index)))
    }

    /// Whether a preprocessor line lies within a statement.
    fn has_directive(&self, statement: &Statement) -> bool {
        self.text.tokens[statement.first + 1..=statement.last].iter().any(|token| token.after_directive)
    }

    /// Whether a preprocessor line lies within the head of a part of the text: where that begins is not sure then.
    fn begins_unclearly(&self, item: &Item) -> bool {
        let open = item.body.map_or(item.last, |(open, _)| open);
        self.text.tokens[item.first + 1..=open].iter().any(|token| token.after_directive)
    }

    /// Whether some token of the text is this word.
    fn mentions(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// The line of a place, from 1.
    pub fn line(&self, place: usize) -> usize {
        self.text.text[..place].matches('\n').count() + 1
    }
}

/// A file with the files it includes in their places, so that a rewriting may be written to another directory. A file with an
/// include guard is there once: without that, headers that include each other would grow to hundreds of megabytes.
fn included(path: &Path, depth: usize, guarded: &mut HashSet<PathBuf>) -> std::io::Result<String> {
    let text = String::from_utf8_lossy(&std::fs::read(path)?).replace("\r\n", "\n");
    if has_guard(&text) && !guarded.insert(path.canonicalize()?) {
        return Ok(String::new());
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let name = line.trim_start().strip_prefix('#').map(str::trim_start);
        let name = name.and_then(|rest| rest.strip_prefix("include")).map(str::trim_start);
        let name = name.and_then(|rest| rest.strip_prefix('"')).and_then(|rest| rest.split('"').next());
        match name {
            Some(name) if depth < 20 => {
                out.push_str(&included(&path.with_file_name(name), depth + 1, guarded)?);
                out.push('\n');
            }
            _ => out.push_str(line),
        }
    }
    Ok(out)
}

/// Whether the first directives are those of an include guard.
fn has_guard(text: &str) -> bool {
    let mut directives = text.lines().map(str::trim_start).filter(|line| line.starts_with('#'));
    let word = |line: Option<&str>, directive: &str| {
        let rest = line?.strip_prefix('#')?.trim_start().strip_prefix(directive)?;
        rest.split_whitespace().next().map(str::to_owned)
    };
    let tested = word(directives.next(), "ifndef");
    tested.is_some() && tested == word(directives.next(), "define")
}
