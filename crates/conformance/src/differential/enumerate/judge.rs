//! Asks both tools about many small models, and finds those on which they differ.
//!
//! SPIN's verifier must be generated and compiled, which takes far longer than a search through twenty states. So models
//! come in *batches*: one file with all their processes under different names, whose `init` starts those of one of them.
//! States, transitions and errors of a batch are the sums of its models'. A batch that is equal says that all its models
//! are; one that is not is taken apart: first the model that SPIN's message points to, or those in which we find a fault
//! after which figures cannot be compared; then halves, down to a single model.
//!
//! Two mistakes of opposite sign within one batch would go unnoticed. The same model comes again in other batches when
//! the range or the stride changes.

use super::derive::{self, Model};
use super::grammar::Grammar;
use crate::differential::spin::{self, Spin};
use crate::differential::{Comparison, Limits, Ours, answer, compare};
use elnath::LoadOptions;
use std::path::PathBuf;
use std::time::Duration;

const MOST_STATES: u64 = 100_000;
const MOST_DEPTH: u32 = 200_000;
const MOST_TIME: Duration = Duration::from_secs(10);

/// What became of one model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// All figures are equal.
    Same,
    /// All but the number of errors within one transition.
    SameButErrors,
    /// The same error, after which SPIN stops or figures mean nothing.
    SameError,
    /// Refused by both.
    BothRefuse,
    /// Not compared: too large, or out of time.
    TooLarge,
    /// A difference that `docs/spin-differences.md` explains.
    Known,
    /// A difference that nothing explains.
    Different,
}

impl Outcome {
    /// All of them, with the letters that stand for them in the file of results.
    pub const ALL: [(Self, char, &'static str); 7] = [
        (Self::Same, '=', "the same"),
        (Self::SameButErrors, '~', "the same but for errors within a transition"),
        (Self::SameError, 'e', "the same error, after which figures mean nothing"),
        (Self::BothRefuse, 'r', "refused by both"),
        (Self::TooLarge, 't', "too large"),
        (Self::Known, 'k', "a known difference"),
        (Self::Different, '!', "different"),
    ];

    /// Its letter.
    pub fn letter(self) -> char {
        Self::ALL.iter().find(|row| row.0 == self).map_or('?', |row| row.1)
    }

    /// The outcome with this letter.
    pub fn of(letter: char) -> Option<Self> {
        Self::ALL.iter().find(|row| row.1 == letter).map(|row| row.0)
    }
}

/// A difference as it was seen.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Who accepts, or which figures.
    pub how: String,
    /// The text of the model.
    pub model: String,
}

/// Compares models, in a directory of its own.
pub struct Judge<'a> {
    grammar: &'a Grammar,
    directory: PathBuf,
    compiler: String,
    /// How many verifiers were made.
    pub asked: u64,
}

type Answer = (usize, Outcome, Option<Difference>);

impl<'a> Judge<'a> {
    /// A judge who works in `directory`.
    pub fn new(grammar: &'a Grammar, directory: PathBuf, compiler: &str) -> Self {
        Self { grammar, directory, compiler: compiler.to_owned(), asked: 0 }
    }

    /// Compares the models; one answer for each, in their order.
    ///
    /// # Errors
    /// If SPIN or the compiler cannot be started, or files cannot be written.
    pub fn judge(&mut self, models: &[Model]) -> std::io::Result<Vec<(Outcome, Option<Difference>)>> {
        let mut answers = Vec::new();
        let (alone, together): (Vec<usize>, Vec<usize>) =
            (0..models.len()).partition(|&index| models[index].stands_alone());
        for index in alone {
            answers.push(self.single(models, index)?);
        }
        self.batch(models, together, &mut answers)?;
        answers.sort_by_key(|answer| answer.0);
        assert_eq!(answers.len(), models.len(), "every model has its answer");
        Ok(answers.into_iter().map(|(_, outcome, difference)| (outcome, difference)).collect())
    }

    fn batch(
        &mut self,
        models: &[Model],
        mut which: Vec<usize>,
        answers: &mut Vec<Answer>,
    ) -> std::io::Result<()> {
        // What we refuse, or find a fault in, goes alone: after most faults SPIN's figures mean nothing.
        let mut sifted = false;
        loop {
            match which[..] {
                [] => return Ok(()),
                [index] => {
                    answers.push(self.single(models, index)?);
                    return Ok(());
                }
                _ => {}
            }
            let (text, ends) =
                derive::file(self.grammar, &which.iter().map(|&i| &models[i]).collect::<Vec<_>>());
            let ours = self.ours(&text)?;
            let clean =
                matches!(&ours, Ours::Done(figures) if figures.kinds.iter().all(|kind| kind.is_harmless()));
            if !clean && !sifted {
                sifted = true;
                let mut rest = Vec::new();
                for index in which {
                    let text = derive::file(self.grammar, &[&models[index]]).0;
                    match self.ours(&text)? {
                        Ours::Done(figures) if figures.kinds.iter().all(|kind| kind.is_harmless()) => {
                            rest.push(index);
                        }
                        _ => answers.push(self.single(models, index)?),
                    }
                }
                which = rest;
                continue;
            }
            let theirs = self.spin()?;
            if let Spin::Refused(message) = &theirs
                && let Some(line) = line_of(message)
                && let Some(at) = ends.iter().position(|&end| line <= end)
            {
                let blamed = self.single(models, which.remove(at))?;
                let refused = is_refused(&blamed);
                answers.push(blamed);
                // SPIN's parser looks ahead: the message may name the line behind the model's last.
                if !refused && at > 0 {
                    answers.push(self.single(models, which.remove(at - 1))?);
                }
                continue;
            }
            match compare(&ours, &theirs, MOST_STATES) {
                Comparison::Same => {
                    answers.extend(which.into_iter().map(|index| (index, Outcome::Same, None)));
                    return Ok(());
                }
                _ => {
                    let upper = which.split_off(which.len() / 2);
                    self.batch(models, which, answers)?;
                    return self.batch(models, upper, answers);
                }
            }
        }
    }

    fn single(&mut self, models: &[Model], index: usize) -> std::io::Result<Answer> {
        let text = derive::file(self.grammar, &[&models[index]]).0;
        let ours = self.ours(&text)?;
        let theirs = self.spin()?;
        let different =
            |how: String| (index, Outcome::Different, Some(Difference { how, model: text.clone() }));
        Ok(match (&ours, &theirs) {
            (Ours::Refused(_), Spin::Refused(_)) => (index, Outcome::BothRefuse, None),
            (Ours::Broken(_), _) | (_, Spin::Done(_) | Spin::Stopped(_) | Spin::TooLarge) => {
                match compare(&ours, &theirs, MOST_STATES) {
                    Comparison::Same => (index, Outcome::Same, None),
                    Comparison::SameButErrors => (index, Outcome::SameButErrors, None),
                    Comparison::SameError => (index, Outcome::SameError, None),
                    Comparison::Skipped(_) => (index, Outcome::TooLarge, None),
                    Comparison::Different(how) | Comparison::OtherFaults(how) => different(how),
                }
            }
            (_, Spin::Refused(message)) => {
                different(format!("accepted by elnath, refused by SPIN: {}", message_of(message)))
            }
        })
    }

    /// Writes the model and asks us.
    fn ours(&self, text: &str) -> std::io::Result<Ours> {
        std::fs::create_dir_all(&self.directory)?;
        let path = self.directory.join("model.pml");
        std::fs::write(&path, text)?;
        let limits = Limits { states: MOST_STATES, time: MOST_TIME };
        Ok(answer(&path, &LoadOptions::default(), false, true, limits))
    }

    /// Asks SPIN about the model that was written last.
    fn spin(&mut self) -> std::io::Result<Spin> {
        self.asked += 1;
        for file in ["pan", "pan.c"] {
            let old = self.directory.join(file);
            if old.exists() {
                std::fs::remove_file(old)?;
            }
        }
        let limits = spin::Limits { depth: MOST_DEPTH, time: MOST_TIME };
        spin::answer(&self.directory, "model.pml", &[], true, &self.compiler, limits)
    }
}

fn is_refused(answer: &Answer) -> bool {
    let by_spin = |difference: &Difference| difference.how.contains("refused by SPIN");
    answer.1 == Outcome::BothRefuse || answer.2.as_ref().is_some_and(by_spin)
}

/// The line that SPIN's first error message points to.
fn line_of(message: &str) -> Option<usize> {
    message.lines().find_map(|line| {
        let rest = line.split_once("model.pml:")?.1;
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    })
}

/// What SPIN says is wrong, without the place.
fn message_of(message: &str) -> String {
    let said = message.lines().find(|line| line.contains("rror") || line.contains("bad"));
    let said = said.or_else(|| message.lines().find(|line| !line.trim().is_empty())).unwrap_or("nothing");
    said.rsplit_once("Error:").map_or(said, |(_, text)| text).trim().chars().take(160).collect()
}

#[cfg(test)]
mod tests {
    use super::{line_of, message_of};

    #[test]
    fn the_place_and_the_reason_are_read() {
        let said = "spin: model.pml:12, Error: syntax error\tsaw 'token: ::'\n1 error";
        assert_eq!(line_of(said), Some(12));
        assert_eq!(message_of(said), "syntax error\tsaw 'token: ::'");
    }
}
