//! Enumerates small Promela models from a grammar and compares elnath with SPIN on each.
//!
//! `--depth 2` is everything of depth 1 and 2; `--depth 3` is what depth 3 adds. With `--resume` the file keeps what has
//! been compared, and only differences are asked again.

use crate::differential::enumerate::derive::{self, Id};
use crate::differential::enumerate::grammar::{Grammar, Mode, PROMELA, Set};
use crate::differential::enumerate::judge::{Difference, Judge, Outcome};
use crate::differential::enumerate::known::{self, Entry};
use crate::differential::enumerate::matrix::Matrix;
use crate::differential::spin;
use crate::runner::say;
use crate::settings::{Settings, number};
use crate::tally::Tally;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub(super) const USAGE: &str = "\
spin-enumerate --depth N [--set NAME].. [--from N] [--to N] [--stride N | --models N] [--batch N]
               [--resume FILE] [--matrix FILE] [--cc COMPILER] [--time SECONDS] [--show ID]
  --depth N            how deep productions are nested: 2 is depth 1 and 2, from 3 on a depth alone
  --set NAME           only this set of models of the grammar; may be repeated
  --from N, --to N     only the models with these numbers (--seeds N..N is the same)
  --stride N           only every N-th model
  --models N           N models, spread evenly over each set
  --batch N            compiles N models at once (32)
  --resume FILE        remembers what was compared, and goes on there
  --matrix FILE        writes which productions were nested in which
  --cc COMPILER        compiles SPIN's verifiers: tcc (the default) or gcc
  --time SECONDS       begins no more models after that time
  --show ID            prints the model SET/DEPTH/NUMBER
";

/// A line about progress after so many seconds.
const PROGRESS: Duration = Duration::from_secs(10);

/// Of models on which the tools differ in acceptance for the same reason, so many are printed at once; the rest are
/// counted at the end.
const SHOWN: u64 = 5;

/// What is said of models that both accept.
const FIGURES: &str = "figures";

struct Options {
    depth: usize,
    sets: Vec<String>,
    from: u64,
    to: u64,
    stride: u64,
    models: Option<u64>,
    jobs: usize,
    batch: usize,
    resume: Option<PathBuf>,
    matrix: Option<PathBuf>,
    keep: PathBuf,
    compiler: String,
    time: Option<Duration>,
    show: Option<String>,
}

/// What has been found so far.
#[derive(Default)]
struct Found {
    outcomes: HashMap<Id, Outcome>,
    differences: BTreeMap<Id, Difference>,
    known: BTreeMap<String, u64>,
    /// How often the same was said.
    alike: BTreeMap<String, u64>,
    asked: u64,
    first: Option<Duration>,
    said: Option<Instant>,
}

pub(super) fn run(settings: &Settings) -> Result<Tally, String> {
    let options = options(settings)?;
    let grammar = Grammar::read(PROMELA)?;
    let entries = known::read(known::DIFFERENCES)?;
    if let Some(id) = &options.show {
        let id = read_id(&grammar, id).ok_or("--show SET/DEPTH/NUMBER")?;
        say(&derive::file(&grammar, &[&derive::model(&grammar, &id)]).0);
        return Ok(Tally::default());
    }
    if !spin::is_installed(&options.compiler) {
        return Err(format!("SPIN or {} is not installed", options.compiler));
    }
    // A panic of ours is a difference, reported with its model.
    std::panic::set_hook(Box::new(|_| {}));
    let start = Instant::now();
    let mut found = Found::default();
    if let Some(file) = &options.resume {
        resume(&grammar, file, &mut found)?;
    }
    let tasks = tasks(&grammar, &options, &found);
    let models: usize = tasks.iter().map(Vec::len).sum();
    say(&format!("{models} models to compare, {} compared before", found.outcomes.len()));
    let (next, found) = (AtomicUsize::new(0), Mutex::new(found));
    let failures: Vec<String> = std::thread::scope(|scope| {
        let jobs = (0..options.jobs).map(|job| {
            let (next, found, tasks, options) = (&next, &found, &tasks, &options);
            let (grammar, entries) = (&grammar, &entries);
            scope.spawn(move || {
                let directory = options.keep.join(format!("job-{job}"));
                let mut judge = Judge::new(grammar, directory, &options.compiler);
                while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let over = options.time.is_some_and(|time| start.elapsed() > time);
                    if over || settings.is_over() {
                        break;
                    }
                    one(grammar, entries, task, &mut judge, options, found, start)?;
                }
                lock(found).asked += judge.asked;
                Ok::<(), String>(())
            })
        });
        let jobs: Vec<_> = jobs.collect();
        jobs.into_iter().filter_map(|job| job.join().expect("a job does not panic").err()).collect()
    });
    if let Some(why) = failures.into_iter().next() {
        return Err(why);
    }
    let found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    report(&grammar, &options, &found, start)
}

fn options(settings: &Settings) -> Result<Options, String> {
    let seeds = settings.seeds.clone().unwrap_or(0..u64::MAX);
    let mut options = Options {
        depth: 0,
        sets: Vec::new(),
        from: seeds.start,
        to: seeds.end,
        stride: 1,
        models: None,
        jobs: settings.jobs.unwrap_or(1),
        batch: 32,
        resume: None,
        matrix: None,
        keep: settings.keep.clone().unwrap_or_else(|| std::env::temp_dir().join("elnath-spin-enumerate")),
        compiler: "tcc".to_owned(),
        time: None,
        show: None,
    };
    let others = settings.options("spin-enumerate", |option, value| {
        match option {
            "--depth" => options.depth = number(&value()?)?.clamp(1, 5) as usize,
            "--set" => options.sets.push(value()?),
            "--from" => options.from = number(&value()?)?,
            "--to" => options.to = number(&value()?)?,
            "--stride" => options.stride = number(&value()?)?.max(1),
            "--models" => options.models = Some(number(&value()?)?.max(1)),
            "--batch" => options.batch = number(&value()?)?.clamp(1, 60) as usize,
            "--resume" => options.resume = Some(value()?.into()),
            "--matrix" => options.matrix = Some(value()?.into()),
            "--cc" => options.compiler = value()?,
            "--time" => options.time = Some(Duration::from_secs(number(&value()?)?)),
            "--show" => options.show = Some(value()?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if let Some(other) = others.first() {
        return Err(format!("{other} is no option of spin-enumerate; see --help"));
    }
    if options.depth == 0 && options.show.is_none() {
        return Err("--depth N says how deep productions are nested; see --help".to_owned());
    }
    std::fs::create_dir_all(&options.keep).map_err(|error| error.to_string())?;
    Ok(options)
}

/// The models to compare, in batches of neighbours.
fn tasks(grammar: &Grammar, options: &Options, found: &Found) -> Vec<Vec<Id>> {
    let depths = if options.depth <= 2 { 1..=options.depth } else { options.depth..=options.depth };
    let mut tasks = Vec::new();
    // Nests first: what is wrong with the way statements are put together is worse than a wrong limit.
    let nests = |set: &&(usize, &Set)| matches!(set.1.mode, Mode::Path(_));
    let sets: Vec<(usize, &Set)> = grammar.sets.iter().enumerate().collect();
    let (nested, combined): (Vec<_>, Vec<_>) = sets.iter().partition(nests);
    for (index, set) in nested.into_iter().chain(combined) {
        for depth in depths.clone() {
            let count = derive::count(grammar, set, depth);
            if count == 0 || !options.sets.is_empty() && !options.sets.contains(&set.name) {
                continue;
            }
            let stride = options.models.map_or(options.stride, |models| spread(count, models));
            let numbers = (options.from..count.min(options.to)).step_by(stride as usize);
            let ids = numbers.map(|number| Id { set: index, depth, number });
            let ids: Vec<Id> = ids.filter(|id| !found.outcomes.contains_key(id)).collect();
            say(&format!("{} {depth}: {count} models, {} of them to compare", set.name, ids.len()));
            tasks.extend(ids.chunks(options.batch).map(<[Id]>::to_vec));
        }
    }
    tasks
}

/// A stride that takes at most `models` of `count` and, being prime, does not always meet the same production.
fn spread(count: u64, models: u64) -> u64 {
    let is_prime = |n: u64| n > 1 && (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d));
    match count.div_ceil(models) {
        1 => 1,
        least => (least..).find(|&n| is_prime(n)).unwrap_or(least),
    }
}

fn one(
    grammar: &Grammar,
    entries: &[Entry],
    task: &[Id],
    judge: &mut Judge<'_>,
    options: &Options,
    found: &Mutex<Found>,
    start: Instant,
) -> Result<(), String> {
    let models: Vec<_> = task.iter().map(|id| derive::model(grammar, id)).collect();
    let answers = judge.judge(&models).map_err(|error| error.to_string())?;
    let mut found = lock(found);
    let mut line = String::new();
    for ((id, model), (mut outcome, difference)) in task.iter().zip(&models).zip(answers) {
        if let Some(difference) = difference {
            if let Some(entry) = entries.iter().find(|entry| entry.covers(model, &difference)) {
                outcome = Outcome::Known;
                *found.known.entry(entry.name.clone()).or_default() += 1;
            } else {
                found.first.get_or_insert(start.elapsed());
                let name = name(grammar, id);
                let kept = options.keep.join(format!("{}.pml", name.replace('/', "-")));
                std::fs::write(&kept, &difference.model).map_err(|error| error.to_string())?;
                let how = difference.how.replace('\n', " ");
                let alike = found.alike.entry(signature(&difference)).or_default();
                *alike += 1;
                if *alike <= SHOWN || signature(&difference) == FIGURES {
                    say(&format!("{name} {}: {how}", model.productions.join(" > ")));
                }
                found.differences.insert(id.clone(), difference);
            }
        }
        line.push_str(&format!("{}{} ", id.number, outcome.letter()));
        found.outcomes.insert(id.clone(), outcome);
    }
    if let (Some(file), Some(id)) = (&options.resume, task.first()) {
        let opened = std::fs::OpenOptions::new().create(true).append(true).open(file);
        let line = format!("{} {} {}\n", grammar.sets[id.set].name, id.depth, line.trim_end());
        opened.and_then(|mut file| file.write_all(line.as_bytes())).map_err(|error| error.to_string())?;
    }
    if found.said.is_none_or(|said| said.elapsed() > PROGRESS) {
        found.said = Some(Instant::now());
        let (done, different) = (found.outcomes.len(), found.differences.len());
        let set = &grammar.sets[task[0].set].name;
        say(&format!(
            "  {done} models, {different} different, at {set} {}, {:.0} s",
            task[0].depth,
            start.elapsed().as_secs_f64()
        ));
    }
    Ok(())
}

/// Reads what was compared before; differences are asked again, since code and explanations change.
fn resume(grammar: &Grammar, file: &PathBuf, found: &mut Found) -> Result<(), String> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return std::fs::write(file, heading() + "\n").map_err(|error| error.to_string());
        }
        Err(error) => return Err(format!("{}: {error}", file.display())),
    };
    if text.lines().next() != Some(heading().as_str()) {
        return Err(format!("{} belongs to another grammar: its numbers mean other models", file.display()));
    }
    for line in text.lines().skip(1) {
        let mut words = line.split_whitespace();
        let set = words.next().and_then(|name| grammar.sets.iter().position(|set| set.name == name));
        let depth = words.next().and_then(|depth| depth.parse().ok());
        let (Some(set), Some(depth)) = (set, depth) else { continue };
        for word in words {
            let Some(letter) = word.chars().last() else { continue };
            let number = word[..word.len() - letter.len_utf8()].parse();
            let (Ok(number), Some(outcome)) = (number, Outcome::of(letter)) else { continue };
            let id = Id { set, depth, number };
            match outcome {
                Outcome::Different | Outcome::Known => found.outcomes.remove(&id),
                _ => found.outcomes.insert(id, outcome),
            };
        }
    }
    Ok(())
}

/// The first line of a file of results names the grammar: after a change of it numbers mean other models.
fn heading() -> String {
    const PRIME: u64 = 0x0100_0000_01b3;
    let hash = PROMELA
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME));
    format!("grammar {hash:016x}")
}

fn report(grammar: &Grammar, options: &Options, found: &Found, start: Instant) -> Result<Tally, String> {
    let mut matrix = Matrix::default();
    for (id, &outcome) in &found.outcomes {
        matrix.add(grammar, &derive::model(grammar, id), outcome);
    }
    say("");
    groups(grammar, found);
    let mut tally = Tally::default();
    for (outcome, _, what) in Outcome::ALL {
        let count = found.outcomes.values().filter(|&&other| other == outcome).count() as u64;
        say(&format!("{count:>7}  {what}"));
        match outcome {
            Outcome::BothRefuse | Outcome::TooLarge | Outcome::Known if count > 0 => {
                tally.skip_many(what, count);
            }
            _ => {
                tally.cases += count;
                tally.compared += count;
            }
        }
    }
    for (name, count) in &found.known {
        say(&format!("{count:>7}  known: {name}"));
    }
    say(matrix.summary(grammar).trim_end());
    if let Some(file) = &options.matrix {
        std::fs::write(file, matrix.table(grammar)).map_err(|error| error.to_string())?;
    }
    let first = found
        .first
        .map_or(String::new(), |time| format!(", first difference after {:.0} s", time.as_secs_f64()));
    say(&format!("{} verifiers, {:.0} s{first}", found.asked, start.elapsed().as_secs_f64()));
    let differs = |(id, difference): (&Id, &Difference)| format!("{}: {}", name(grammar, id), difference.how);
    tally.differences = found.differences.iter().map(differs).collect();
    tally.seeds = Some(options.from..options.to);
    Ok(tally)
}

/// The unexplained differences, grouped by what is said and by the production, or pair, that explains most of them.
fn groups(grammar: &Grammar, found: &Found) {
    let mut kinds: BTreeMap<String, Vec<&Id>> = BTreeMap::new();
    for (id, difference) in &found.differences {
        kinds.entry(signature(difference)).or_default().push(id);
    }
    for (said, mut ids) in kinds {
        say(&format!("{} models: {said}", ids.len()));
        while !ids.is_empty() {
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            for id in &ids {
                for name in names(&derive::model(grammar, id).productions) {
                    *counts.entry(name).or_default() += 1;
                }
            }
            let Some((best, _)) = counts.into_iter().max_by_key(|(_, count)| *count) else { break };
            let (with, without): (Vec<&Id>, Vec<&Id>) =
                ids.iter().partition(|id| names(&derive::model(grammar, id).productions).contains(&best));
            let example =
                with.iter().min_by_key(|id| found.differences[id].model.len()).expect("at least one");
            say(&format!("  {:>5} with {best}, e.g. {}", with.len(), name(grammar, example)));
            say(&format!("        {}", derive::model(grammar, example).productions.join(" > ")));
            say(&format!("        {}", found.differences[example].how.replace('\n', " ")));
            ids = without;
        }
    }
}

/// What is said of a difference, without the figures.
fn signature(difference: &Difference) -> String {
    let first = difference.how.lines().next().unwrap_or_default();
    let said = if first.contains("SPIN: ") && first.contains(" states, ") { FIGURES } else { first };
    let mut said: String = said.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
    while said.contains("99") {
        said = said.replace("99", "9");
    }
    said
}

fn names(productions: &[String]) -> BTreeSet<String> {
    productions.iter().cloned().collect()
}

fn name(grammar: &Grammar, id: &Id) -> String {
    format!("{}/{}/{}", grammar.sets[id.set].name, id.depth, id.number)
}

fn read_id(grammar: &Grammar, text: &str) -> Option<Id> {
    let mut parts = text.split('/');
    let name = parts.next()?;
    let set = grammar.sets.iter().position(|set| set.name == name)?;
    let (depth, number) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    (number < derive::count(grammar, &grammar.sets[set], depth)).then_some(Id { set, depth, number })
}

fn lock(found: &Mutex<Found>) -> std::sync::MutexGuard<'_, Found> {
    found.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
