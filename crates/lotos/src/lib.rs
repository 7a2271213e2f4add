//! LOTOS (ISO 8807) with ACT ONE data, executed on the fly.
//!
//! | module | what |
//! |---|---|
//! | `lexer`, `library`, `parser`, `ast` | from text to a syntax tree; `library` clauses, our own libraries |
//! | `parameters` | the values of a specification's parameters |
//! | `types`, `expression`, `rules` | sorts, operations and equations: visibility, overloading, renaming, actualisation |
//! | `lower`, `code` | behaviours: names, sorts, functionality; and their code |
//! | `data`, `decision` | sorts and operations; their equations as decision trees |
//! | `values`, `rewriting` | values, each kept once, and their evaluation |
//! | `term`, `moves` | behaviours as terms in normal form, and the rules by which they move |
//! | [`system`] | that as a system to search: the reference |
//! | `control`, `skeleton`, [`flat`] | specifications with static control as units that meet: the fast engine |
//! | [`program`] | specifications with static control and few values as programs of guarded commands that meet at gates |
//! | `identity` | which values belong to a state |

mod ast;
mod code;
mod control;
mod data;
mod decision;
mod expression;
pub mod flat;
mod identity;
mod lexer;
mod library;
mod lower;
mod moves;
mod parameters;
mod parser;
pub mod program;
mod rewriting;
mod rules;
mod skeleton;
mod sources;
pub mod system;
mod term;
mod types;
mod values;

pub use flat::{Flattened, NotFlat};
pub use identity::StateIdentity;
pub use library::FindLibrary;
pub use program::{NotLowered, Programmed};
pub use system::LotosSystem;

use elnath_source::{Message, Severity, SourceText, codes};

/// The values of a sort of numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The sort's name.
    pub sort: String,
    /// Its least value.
    pub least: i64,
    /// Its greatest value.
    pub greatest: i64,
}

impl Range {
    /// Reads `SORT=LEAST..GREATEST`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no range: write SORT=LEAST..GREATEST, such as Nat=0..7");
        let (sort, range) = text.split_once('=').ok_or_else(wrong)?;
        let (least, greatest) = range.split_once("..").ok_or_else(wrong)?;
        let number = |text: &str| text.trim().parse::<i32>().map(i64::from).map_err(|_| wrong());
        let (least, greatest) = (number(least)?, number(greatest)?);
        if least > greatest {
            return Err(format!("the range of `{text}` has no value"));
        }
        Ok(Self { sort: sort.trim().to_owned(), least, greatest })
    }
}

/// What it means that one gate is given for two formal ones, as in `P [c, c]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aliasing {
    /// Gates are replaced before actions are synchronised, as CADP does it.
    #[default]
    Cadp,
    /// Gates are renamed after actions were synchronised, as the standard has it (ISO 8807).
    Iso,
}

impl Aliasing {
    /// All, by name.
    pub const NAMES: [(&'static str, Self); 2] = [("cadp", Self::Cadp), ("iso", Self::Iso)];
}

/// Reads a specification; what is doubtful about it comes with it. Gates are replaced as in CADP.
///
/// # Errors
/// All that is wrong with it.
pub fn read(
    source: SourceText,
    libraries: &FindLibrary<'_>,
    ranges: &[Range],
) -> Result<(LotosSystem, Vec<Message>), Vec<Message>> {
    read_as(source, libraries, ranges, Aliasing::Cadp, &[])
}

/// The same, with a choice of what gates mean, and with values for the specification's parameters: `NAME=VALUE`, where the value is an expression.
///
/// # Errors
/// All that is wrong with it.
pub fn read_as(
    source: SourceText,
    libraries: &FindLibrary<'_>,
    ranges: &[Range],
    aliasing: Aliasing,
    values: &[String],
) -> Result<(LotosSystem, Vec<Message>), Vec<Message>> {
    let mut messages = Vec::new();
    let (mut sources, words) = library::expand(source, libraries, &mut messages);
    let mut specification = parser::parse(&sources, words, &mut messages);
    if let Some(specification) = &mut specification {
        parameters::give(specification, values, &mut sources, &mut messages);
    }
    let broken = messages.iter().any(|message| message.severity == Severity::Error);
    let Some(specification) = specification else {
        return Err(messages);
    };
    let (compiled, warnings) = match lower::lower(&specification.root, sources, ranges, aliasing, messages) {
        Ok(lowered) => lowered,
        // After a syntax error what is missing may only be unreadable, so that it is not said to be missing.
        Err(messages) if broken => {
            return Err(messages
                .into_iter()
                .filter(|message| message.code != Some(codes::UNKNOWN_NAME))
                .collect());
        }
        Err(messages) => return Err(messages),
    };
    let system = LotosSystem::new(compiled).map_err(|message| vec![*message])?;
    Ok((system, warnings))
}
