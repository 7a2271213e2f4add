//! Rewritings of Promela models, compared with the models themselves and with SPIN.
//!
//! With a compiler SPIN judges differences, and rewritings that change a model are compared with it. Differences are written
//! to the directory that is kept, as small as a few seconds can make them.

use crate::differential::metamorphic::judge::{Judge, Outcome};
use crate::differential::metamorphic::text::{Site, apply};
use crate::differential::metamorphic::{Preserves, Rewriting, Source, chosen, hash, reduce, rewritings};
use crate::differential::{Limits, Ours, spin};
use crate::runner::say;
use crate::settings::{Settings, number};
use crate::tally::Tally;
use std::collections::{BTreeMap, HashSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub(super) const USAGE: &str = "\
metamorphic [--rounds N] [--mutants N] [--share PERCENT] [--large] [--cc COMPILER] [--only NAME,..] [--except NAME,..]
            [--time SECONDS] [--log FILE] [--show-not-preserved] [--list] FILE|DIRECTORY..
  --rounds N           random halves of the sites of a rewriting, beside all of them at once (2)
  --cc COMPILER        SPIN judges differences, and rewritings that change a model are compared with it
  --mutants N          of these so many of each sort per model (1), on --share percent of the models (100)
  --large              also reads rewritings of models with too many states, to see whether they are accepted
  --only, --except     only, or all but, these rewritings
  --time SECONDS       begins no more models after that time
  --log FILE           remembers what was compared, and goes on there
  --show-not-preserved shows where SPIN changes its answer, too
  --list               lists the rewritings
";

/// How long a check of one text may take.
const MOST_TIME: Duration = Duration::from_secs(3);
/// How long a difference may be made smaller.
const MOST_REDUCTION: Duration = Duration::from_secs(20);
/// Differences of one rewriting that are made smaller; further ones are only named.
const MOST_REDUCED: u64 = 4;

struct Options {
    states: u64,
    rounds: u64,
    mutants: u64,
    share: u64,
    large: bool,
    seed: u64,
    compiler: Option<String>,
    only: Vec<String>,
    except: Vec<String>,
    time: Duration,
    log: Option<PathBuf>,
    show_not_preserved: bool,
    keep: PathBuf,
    paths: Vec<PathBuf>,
}

#[derive(Default)]
struct Sums {
    models: u64,
    sites: u64,
    outcomes: BTreeMap<String, u64>,
    different: u64,
}

struct Campaign {
    options: Options,
    judge: Judge,
    log: Option<std::fs::File>,
    done: HashSet<String>,
    tallies: BTreeMap<&'static str, Sums>,
    models: BTreeMap<&'static str, u64>,
    differences: Vec<String>,
    start: Instant,
}

pub(super) fn run(settings: &Settings) -> Result<Tally, String> {
    if settings.rest == ["--list"] {
        rewritings().for_each(|one| say(&format!("{:30} {:?}", one.name, one.preserves)));
        return Ok(Tally::default());
    }
    campaign(options(settings)?, settings).map_err(|error| error.to_string())
}

fn options(settings: &Settings) -> Result<Options, String> {
    let mut options = Options {
        states: settings.states.unwrap_or(50_000),
        rounds: 2,
        mutants: 1,
        share: 100,
        large: false,
        seed: settings.seeds.as_ref().map_or(1, |seeds| seeds.start),
        compiler: None,
        only: Vec::new(),
        except: Vec::new(),
        time: Duration::from_secs(u64::MAX / 4),
        log: None,
        show_not_preserved: false,
        keep: settings.keep.clone().unwrap_or_else(|| std::env::temp_dir().join("elnath-metamorphic")),
        paths: Vec::new(),
    };
    let paths = settings.options("metamorphic", |option, value| {
        match option {
            "--rounds" => options.rounds = number(&value()?)?,
            "--mutants" => options.mutants = number(&value()?)?,
            "--large" => options.large = true,
            "--share" => options.share = number(&value()?)?,
            "--cc" => options.compiler = Some(value()?),
            "--only" => options.only = value()?.split(',').map(str::to_owned).collect(),
            "--except" => options.except = value()?.split(',').map(str::to_owned).collect(),
            "--time" => options.time = Duration::from_secs(number(&value()?)?),
            "--log" => options.log = Some(value()?.into()),
            "--show-not-preserved" => options.show_not_preserved = true,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    options.paths = paths.into_iter().map(PathBuf::from).collect();
    if options.paths.is_empty() {
        return Err("which models are to be rewritten? see --help".to_owned());
    }
    if let Some(compiler) = options.compiler.as_ref().filter(|compiler| !spin::is_installed(compiler)) {
        return Err(format!("SPIN or {compiler} is not installed"));
    }
    Ok(options)
}

/// All files with Promela in them, in a fixed order.
fn files(path: &Path, out: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        out.push(path.to_owned());
        return Ok(());
    }
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    entries.sort();
    for entry in entries {
        let endings = ["pml", "pm", "prom", "pr", "prm", "spin", "promela", "SPIN"];
        let ending = entry.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if entry.is_dir() {
            files(&entry, out)?;
        } else if endings.contains(&ending) {
            out.push(entry);
        }
    }
    Ok(())
}

fn campaign(options: Options, settings: &Settings) -> std::io::Result<Tally> {
    let directory = options.keep.join(format!("run-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    let limits = Limits { states: options.states, time: MOST_TIME };
    let judge = Judge { directory: directory.clone(), limits, compiler: options.compiler.clone() };
    let (mut done, mut log) = (HashSet::new(), None);
    if let Some(path) = &options.log {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        done.extend(text.lines().filter_map(|line| Some(line.rsplit_once('\t')?.0.to_owned())));
        log = Some(std::fs::OpenOptions::new().create(true).append(true).open(path)?);
    }
    let mut all = Vec::new();
    for path in &options.paths {
        files(path, &mut all)?;
    }
    // A panic is a difference, reported with its model.
    std::panic::set_hook(Box::new(|_| {}));
    say(&format!("{} files, seed {}", all.len(), options.seed));
    let mut campaign = Campaign {
        options,
        judge,
        log,
        done,
        tallies: BTreeMap::new(),
        models: BTreeMap::new(),
        differences: Vec::new(),
        start: Instant::now(),
    };
    for (number, path) in all.iter().enumerate() {
        if campaign.start.elapsed() > campaign.options.time || settings.is_over() {
            say(&format!("time is over after {number} files; --log makes it possible to go on"));
            break;
        }
        campaign.model(path)?;
    }
    std::fs::remove_dir_all(directory)?;
    Ok(campaign.report())
}

impl Campaign {
    fn model(&mut self, path: &Path) -> std::io::Result<()> {
        let mut count = |what: &'static str| *self.models.entry(what).or_default() += 1;
        let Ok(source) = Source::read(path) else {
            count("a file that it includes is missing");
            return Ok(());
        };
        let before = self.judge.ours(&source.text.text, false);
        match &before {
            Ours::Done(_) => count("compared"),
            Ours::Refused(_) => count("refused by elnath"),
            Ours::TooLarge | Ours::OutOfTime => count("too large"),
            Ours::Broken(_) => count("broken"),
        }
        if let Ours::Broken(why) = &before {
            say(&format!("{}: {why}", path.display()));
        }
        let large = matches!(before, Ours::TooLarge | Ours::OutOfTime) && !self.options.large;
        if large || matches!(before, Ours::Refused(_) | Ours::Broken(_)) {
            return Ok(());
        }
        if !source.structure.complete {
            *self.models.entry("of these without structure").or_default() += 1;
        }
        let mut agrees = None;
        for rewriting in rewritings() {
            let Options { only, except, .. } = &self.options;
            let named = |names: &[String]| names.iter().any(|name| name == rewriting.name);
            if (!only.is_empty() && !named(only)) || named(except) {
                continue;
            }
            if rewriting.preserves == Preserves::Nothing {
                if !matches!(before, Ours::Done(_)) || self.options.compiler.is_none() {
                    continue;
                }
                if self.options.mutants == 0 {
                    continue;
                }
                // A model with a difference of its own says nothing about its mutants.
                let known =
                    *agrees.get_or_insert_with(|| self.judge.with_spin(&source.text.text) == Outcome::Same);
                if !known {
                    continue;
                }
                let share = hash(&path.to_string_lossy(), rewriting.name).wrapping_add(self.options.seed);
                if (share >> 8) % 100 >= self.options.share {
                    continue;
                }
            }
            if self.start.elapsed() > self.options.time {
                break;
            }
            self.rewriting(path, &source, &before, rewriting)?;
        }
        if agrees == Some(false) {
            *self.models.entry("of these different from SPIN as they are").or_default() += 1;
        }
        Ok(())
    }

    fn rewriting(
        &mut self,
        path: &Path,
        source: &Source,
        before: &Ours,
        rewriting: &'static Rewriting,
    ) -> std::io::Result<()> {
        let sites = (rewriting.sites)(source);
        let tally = self.tallies.entry(rewriting.name).or_default();
        if sites.is_empty() {
            return Ok(());
        }
        tally.models += 1;
        for round in 0..=self.rounds(rewriting, sites.len()) {
            let key = format!("{}\t{}\t{round}\t{}", path.display(), rewriting.name, self.options.seed);
            if self.done.contains(&key) {
                continue;
            }
            let model = path.to_string_lossy();
            let chosen = chosen(rewriting, &model, &sites, round, self.options.seed);
            let (after, applied) = apply(&source.text.text, &chosen);
            let outcome = self.compare(before, rewriting, &after);
            let tally = self.tallies.entry(rewriting.name).or_default();
            tally.sites += applied as u64;
            let what = match &outcome {
                Outcome::Same => "same".to_owned(),
                Outcome::Skipped(why) => (*why).to_owned(),
                Outcome::NotPreserved => "SPIN changes its answer too".to_owned(),
                Outcome::Different(_) => "DIFFERENT".to_owned(),
            };
            *tally.outcomes.entry(what.clone()).or_default() += 1;
            if let Some(log) = &mut self.log {
                writeln!(log, "{key}\t{what}")?;
            }
            if outcome == Outcome::NotPreserved && self.options.show_not_preserved {
                self.localise(path, source, rewriting, &chosen, &outcome)?;
            }
            if let Outcome::Different(how) = &outcome {
                let seconds = self.start.elapsed().as_secs_f64();
                self.differences.push(format!("{}: {}: {how}", path.display(), rewriting.name));
                say(&format!("{}: {} ({seconds:.1} s)\n    {how}", path.display(), rewriting.name));
                self.localise(path, source, rewriting, &chosen, &outcome)?;
                break;
            }
        }
        Ok(())
    }

    /// For models that are too large only whether the rewriting is accepted.
    fn compare(&self, before: &Ours, rewriting: &Rewriting, after: &str) -> Outcome {
        if matches!(before, Ours::Done(_)) {
            return self.judge.compare(before, rewriting, after);
        }
        let limits = Limits { states: 1, ..self.judge.limits };
        let glance = Judge { limits, directory: self.judge.directory.clone(), compiler: None };
        match glance.ours(after, false) {
            Ours::Refused(why) => match self.judge.spin(after) {
                Some(spin::Spin::Refused(_)) => Outcome::Skipped("refused by SPIN"),
                _ => Outcome::Different(format!("refused: {why}")),
            },
            Ours::Broken(why) => Outcome::Different(why),
            _ => Outcome::Skipped("accepted, not compared"),
        }
    }

    fn rounds(&self, rewriting: &Rewriting, sites: usize) -> u64 {
        match rewriting.preserves {
            _ if sites == 1 || self.options.rounds == 0 => 0,
            Preserves::Nothing => self.options.mutants.saturating_sub(1),
            _ => self.options.rounds,
        }
    }

    /// Which sites it takes, and a smaller model.
    fn localise(
        &mut self,
        path: &Path,
        source: &Source,
        rewriting: &'static Rewriting,
        chosen: &[&Site],
        outcome: &Outcome,
    ) -> std::io::Result<()> {
        let tally = self.tallies.entry(rewriting.name).or_default();
        tally.different += u64::from(matches!(outcome, Outcome::Different(_)));
        if tally.different > MOST_REDUCED {
            return Ok(());
        }
        let alike = |found: &Outcome| std::mem::discriminant(found) == std::mem::discriminant(outcome);
        let judge = &self.judge;
        let differs = |text: &str, sites: &[&Site]| {
            let before = judge.ours(text, false);
            let fit = matches!(before, Ours::Done(_) | Ours::TooLarge);
            fit && alike(&judge.compare(&before, rewriting, &apply(text, sites).0))
        };
        let text = &source.text.text;
        let few = reduce::fewest(chosen, MOST_REDUCTION, |some| differs(text, some));
        let lines: Vec<String> = few.iter().map(|site| source.line(site.start()).to_string()).collect();
        say(&format!("    at line {}", lines.join(", ")));
        // In the smaller model the rewriting is applied everywhere, or, if that is too much, at one place.
        let whole = |source: &Source| {
            let sites = (rewriting.sites)(source);
            let all: Vec<&Site> = sites.iter().collect();
            let text = &source.text.text;
            if !sites.is_empty() && differs(text, &all) {
                return Some(apply(text, &all).0);
            }
            let one = sites.iter().take(5).find(|site| differs(text, &[site]));
            one.map(|site| apply(text, &[site]).0)
        };
        let smaller = reduce::smaller(text, MOST_REDUCTION, |source| whole(source).is_some());
        let stem = path.file_stem().map_or_else(|| "model".into(), |stem| stem.to_string_lossy());
        let name = format!("{stem}.{}", rewriting.name);
        let kept = self.options.keep.join(format!("{name}.before.pml"));
        std::fs::write(&kept, &smaller)?;
        if let Some(after) = whole(&Source::new(smaller)) {
            std::fs::write(self.options.keep.join(format!("{name}.after.pml")), after)?;
        }
        say(&format!("    {}", kept.display()));
        Ok(())
    }

    /// What was found, by rewriting.
    fn report(self) -> Tally {
        say("");
        for (what, count) in &self.models {
            say(&format!("{count:>7}  models {what}"));
        }
        let total =
            |what: &str| self.tallies.values().filter_map(|tally| tally.outcomes.get(what)).sum::<u64>();
        say(&format!("\n{:30} {:>6} {:>8}  outcomes", "rewriting", "models", "sites"));
        for (name, tally) in self.tallies.iter().filter(|(_, tally)| tally.models > 0) {
            let outcomes: Vec<String> =
                tally.outcomes.iter().map(|(what, count)| format!("{count} {what}")).collect();
            say(&format!("{name:30} {:>6} {:>8}  {}", tally.models, tally.sites, outcomes.join(", ")));
        }
        let never: Vec<&str> =
            self.tallies.iter().filter(|(_, tally)| tally.models == 0).map(|(name, _)| *name).collect();
        say(&format!(
            "\nnever applicable: {}",
            if never.is_empty() { "none".to_owned() } else { never.join(", ") }
        ));
        let rewritten: u64 = self.tallies.values().flat_map(|tally| tally.outcomes.values()).sum();
        say(&format!(
            "{rewritten} rewritten models, {} the same, {} DIFFERENT, {:.0} s",
            total("same"),
            total("DIFFERENT"),
            self.start.elapsed().as_secs_f64()
        ));
        let mut tally = Tally {
            seeds: Some(self.options.seed..self.options.seed + 1),
            differences: self.differences,
            ..Tally::default()
        };
        for (what, &count) in self.tallies.values().flat_map(|sums| &sums.outcomes) {
            if matches!(what.as_str(), "same" | "DIFFERENT") {
                tally.cases += count;
                tally.compared += count;
            } else {
                tally.skip_many(what, count);
            }
        }
        tally
    }
}
