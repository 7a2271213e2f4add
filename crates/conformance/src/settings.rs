//! The options that all campaigns have in common.

use std::ops::Range;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What is asked of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The seeds; without them each part takes its usual ones, which are those of the tests.
    pub seeds: Option<Range<u64>>,
    /// When no more cases are begun.
    pub deadline: Option<Instant>,
    /// How many cases are compared at once.
    pub jobs: Option<usize>,
    /// Where the models from outside are; see `elnath_testkit::corpus`.
    pub corpus: Option<PathBuf>,
    /// Where the models of differences are kept.
    pub keep: Option<PathBuf>,
    /// The most states of a model.
    pub states: Option<u64>,
    /// The parts that are wanted; all of them if none is named.
    pub parts: Vec<String>,
    /// Models from files: all of them, also the larger ones. The tests take a sample.
    pub thorough: bool,
    /// What is not an option of all campaigns.
    pub rest: Vec<String>,
}

/// The help for these options.
pub(crate) const HELP: &str = "  \
  --seeds A..B     the seeds from A to B, without B; models from files are numbered, too
  --seed N         the seed N alone
  --part NAME,..   only these parts of the campaign
  --minutes N      begins no more cases after N minutes, of which each part gets its share
  --jobs N         compares N cases at once (1)
  --corpus DIR     where the models from outside are (default: the variable ELNATH_CORPUS)
  --keep DIR       writes the models of differences to this directory
  --states N       leaves out models with more states, where a campaign takes them from files";

impl Settings {
    /// Reads the common options; what is not one of them goes to `rest`, in its order.
    ///
    /// # Errors
    ///
    /// What is wrong with an option.
    pub fn read(arguments: Vec<String>) -> Result<Self, String> {
        let mut settings = Self { thorough: true, ..Self::default() };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--seeds" => settings.seeds = Some(range(&value()?)?),
                "--seed" => settings.seeds = Some(number(&value()?).map(|seed| seed..seed + 1)?),
                "--minutes" => {
                    let time = Duration::from_secs(60 * number(&value()?)?);
                    settings.deadline = Instant::now().checked_add(time);
                }
                "--jobs" => settings.jobs = Some(number(&value()?)?.clamp(1, 64) as usize),
                "--corpus" => settings.corpus = Some(absolute(&value()?)?),
                "--keep" => settings.keep = Some(absolute(&value()?)?),
                "--states" => settings.states = Some(number(&value()?)?),
                "--part" => settings.parts.extend(value()?.split(',').map(str::to_owned)),
                _ => settings.rest.push(argument),
            }
        }
        Ok(settings)
    }

    /// Reads the options of one campaign: `option` is called with each that begins with a dash, and asks for its value if it
    /// has one; it says whether there is such an option. What does not begin with a dash is given back, in its order.
    pub(crate) fn options(
        &self,
        campaign: &str,
        mut option: impl FnMut(&str, &mut dyn FnMut() -> Result<String, String>) -> Result<bool, String>,
    ) -> Result<Vec<String>, String> {
        let mut others = Vec::new();
        let mut arguments = self.rest.iter();
        while let Some(argument) = arguments.next() {
            if !argument.starts_with('-') {
                others.push(argument.clone());
                continue;
            }
            let mut value = || arguments.next().cloned().ok_or_else(|| format!("{argument} needs a value"));
            if !option(argument, &mut value)? {
                return Err(format!("{argument} is no option of {campaign}; see --help"));
            }
        }
        Ok(others)
    }

    /// Whether no more cases are to be begun.
    pub(crate) fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The folder with the models from outside that has this name, if it is there.
    pub(crate) fn corpus(&self, name: &str) -> Option<PathBuf> {
        match &self.corpus {
            Some(corpus) => Some(corpus.join(name)).filter(|folder| folder.is_dir()),
            None => elnath_testkit::corpus::folder(name),
        }
    }
}

pub(crate) fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text} is not a number"))
}

fn range(text: &str) -> Result<Range<u64>, String> {
    let (from, to) = text.split_once("..").ok_or_else(|| format!("{text} is not a range like 0..1000"))?;
    Ok(number(from)?..number(to)?)
}

/// Campaigns start programs in other directories.
fn absolute(path: &str) -> Result<PathBuf, String> {
    std::path::absolute(path).map_err(|error| format!("{path}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::Settings;

    fn read(text: &str) -> Result<Settings, String> {
        Settings::read(text.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn options_of_all_campaigns_are_read_and_others_left() {
        let settings = read("--seeds 3..7 --cc tcc --jobs 2 --part a,b x.pml --states 9").expect("good ones");
        assert_eq!(settings.seeds, Some(3..7));
        assert_eq!((settings.jobs, settings.states), (Some(2), Some(9)));
        assert_eq!(settings.parts, ["a", "b"]);
        assert_eq!(settings.rest, ["--cc", "tcc", "x.pml"]);
        assert_eq!(read("--seed 5").expect("good ones").seeds, Some(5..6));
    }

    #[test]
    fn options_of_one_campaign_are_read_and_files_given_back() {
        let options = |text: &str| {
            let mut found = Vec::new();
            let files = read(text).expect("good ones").options("this", |option, value| {
                match option {
                    "--cc" => found.push(value()?),
                    "--write" => found.push(option.to_owned()),
                    _ => return Ok(false),
                }
                Ok(true)
            })?;
            Ok::<_, String>((found, files))
        };
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        let expected = (words(&["tcc", "--write"]), words(&["x.pml", "y.pml"]));
        assert_eq!(options("--cc tcc x.pml --write --jobs 2 y.pml"), Ok(expected));
        assert_eq!(options("x.pml --other 3"), Err("--other is no option of this; see --help".to_owned()));
        assert_eq!(options("--cc"), Err("--cc needs a value".to_owned()));
    }

    #[test]
    fn what_is_wrong_with_an_option_is_told() {
        let wrong = |text: &str| read(text).expect_err("a bad option");
        assert_eq!(wrong("--seeds 7"), "7 is not a range like 0..1000");
        assert_eq!(wrong("--seeds 1..x"), "x is not a number");
        assert_eq!(wrong("--jobs"), "--jobs needs a value");
    }
}
