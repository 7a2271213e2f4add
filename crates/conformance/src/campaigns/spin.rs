//! Compares elnath with SPIN, live: random models from a range of seeds, and model files.
//!
//! Every difference is printed at once, with its seed, and its model kept. Compiling SPIN's verifiers takes most of the
//! time: `--cc tcc` is several times as fast as gcc.

use crate::differential::{Comparison, Limits, Ours, answer, compare, metamorphic, spin};
use crate::files::of_job;
use crate::runner::say;
use crate::settings::{Settings, number};
use crate::tally::Tally;
use elnath::LoadOptions;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Beyond this a model says nothing that a smaller one does not.
const MOST_STATES: u64 = 100_000;
const MOST_DEPTH: u32 = 200_000;
const MOST_TIME: Duration = Duration::from_secs(4);

pub(super) const USAGE: &str = "\
spin [--models N] [--generator NAME] [--cc COMPILER] [--smaller SECONDS] [--write] [--show-refused] [FILE..]
  --models N           N random models, from the first seed on
  --generator NAME     which random models: promela, the usual ones; rare, made of rare constructs, whose occurrences
                       are printed; corners, tandem and creation, made for tests of reductions
  --cc COMPILER        compiles SPIN's verifiers: gcc (the default) or tcc
  --smaller SECONDS    keeps a smaller model with the same difference, as far as that is found in so much time
  --write              only writes the random models to the directory that is kept
  --show-refused       prints what SPIN says of models that it refuses
";

/// A name, and the text for a seed.
type Generator = (&'static str, fn(u64) -> String);

/// The random models.
const GENERATORS: [Generator; 5] = [
    ("promela", elnath_testkit::random_promela),
    ("rare", elnath_testkit::random_rarities),
    ("corners", elnath_testkit::random_corners),
    ("tandem", elnath_testkit::random_tandem),
    ("creation", |seed| elnath_testkit::creation_model(seed % elnath_testkit::CREATION_MODELS)),
];

/// A line about progress after so many models.
const PROGRESS: u64 = 50;

struct Options {
    models: u64,
    seed: u64,
    generator: Generator,
    smaller: Duration,
    jobs: usize,
    keep: PathBuf,
    compiler: String,
    write: bool,
    show_refused: bool,
    files: Vec<PathBuf>,
}

enum Task {
    Seed(u64),
    File(PathBuf),
}

#[derive(Default)]
struct Sums {
    done: u64,
    counts: BTreeMap<&'static str, u64>,
    states: u64,
    with_errors: u64,
    differences: Vec<String>,
}

/// What counts as compared; everything else was not, for that reason.
const SAME: [&str; 4] = [
    "the same",
    "the same but for errors within a transition",
    "the same error, after which figures mean nothing",
    "other faults within one transition",
];

pub(super) fn run(settings: &Settings) -> Result<Tally, String> {
    let options = options(settings)?;
    if options.write {
        write_models(&options).map_err(|error| error.to_string())?;
        return Ok(Tally::default());
    }
    if !spin::is_installed(&options.compiler) {
        return Err(format!("SPIN or {} is not installed", options.compiler));
    }
    // A panic is a difference, reported with its model.
    std::panic::set_hook(Box::new(|_| {}));
    let start = Instant::now();
    let seeds = (options.seed..options.seed + options.models).map(Task::Seed);
    let tasks: Vec<Task> = options.files.iter().cloned().map(Task::File).chain(seeds).collect();
    let (next, tally) = (AtomicUsize::new(0), Mutex::new(Sums::default()));
    std::thread::scope(|scope| {
        for job in 0..options.jobs {
            let (next, tally, tasks, options) = (&next, &tally, &tasks, &options);
            scope.spawn(move || {
                while !settings.is_over()
                    && let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    if let Err(error) = one(task, job, options, tally) {
                        differs(task, &error.to_string(), &mut lock(tally));
                    }
                    progress(tally, start);
                }
            });
        }
    });
    let tally = tally.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut total = Tally { compared: tally.differences.len() as u64, ..Tally::default() };
    total.cases = total.compared;
    for (what, &count) in &tally.counts {
        say(&format!("{count:>6}  {what}"));
        if SAME.contains(what) {
            total.cases += count;
            total.compared += count;
        } else {
            total.skip_many(what, count);
        }
    }
    say(&format!("{:>6}  different", tally.differences.len()));
    if options.generator.0 == "rare" {
        tell_occurrences(&options);
    }
    say(&format!("{} states compared, {} models with errors", tally.states, tally.with_errors));
    total.differences = tally.differences;
    total.seeds = Some(options.seed..options.seed + options.models);
    Ok(total)
}

fn options(settings: &Settings) -> Result<Options, String> {
    let seeds = settings.seeds.clone().unwrap_or(1..1);
    let mut options = Options {
        models: seeds.end.saturating_sub(seeds.start),
        seed: seeds.start,
        generator: GENERATORS[0],
        smaller: Duration::ZERO,
        jobs: settings.jobs.unwrap_or(2),
        keep: settings.keep.clone().unwrap_or_else(|| std::env::temp_dir().join("elnath-spin")),
        compiler: "gcc".to_owned(),
        write: false,
        show_refused: false,
        files: Vec::new(),
    };
    let files = settings.options("spin", |option, value| {
        match option {
            "--models" => options.models = number(&value()?)?,
            "--generator" => {
                let name = value()?;
                let known = GENERATORS.iter().find(|known| known.0 == name);
                options.generator = *known.ok_or(format!("there is no generator `{name}`"))?;
            }
            "--smaller" => options.smaller = Duration::from_secs(number(&value()?)?),
            "--cc" => options.compiler = value()?,
            "--write" => options.write = true,
            "--show-refused" => options.show_refused = true,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    options.files = files.into_iter().map(PathBuf::from).collect();
    Ok(options)
}

/// How often each construct occurs in the models that were asked about.
fn tell_occurrences(options: &Options) {
    let mut all = elnath_testkit::Occurrences::new();
    for seed in options.seed..options.seed + options.models {
        for (construct, times) in elnath_testkit::counted_rarities(seed).1 {
            *all.entry(construct).or_default() += times;
        }
    }
    let told: Vec<String> = elnath_testkit::RARITIES
        .iter()
        .map(|construct| format!("{construct} {}", all.get(construct).copied().unwrap_or(0)))
        .collect();
    say(&format!("constructs: {}", told.join(", ")));
}

fn write_models(options: &Options) -> std::io::Result<()> {
    std::fs::create_dir_all(&options.keep)?;
    for seed in options.seed..options.seed + options.models {
        let path = options.keep.join(format!("seed-{seed}.pml"));
        std::fs::write(path, options.generator.1(seed))?;
    }
    Ok(())
}

/// Says what differs, at once.
fn differs(task: &Task, how: &str, tally: &mut Sums) {
    let told = format!("{}: {how}", name(task));
    say(&told);
    tally.differences.push(told);
}

fn progress(tally: &Mutex<Sums>, start: Instant) {
    let mut tally = lock(tally);
    tally.done += 1;
    if tally.done.is_multiple_of(PROGRESS) {
        let (done, different) = (tally.done, tally.differences.len());
        drop(tally);
        say(&format!("{done} models, {different} different, {:.0} s", start.elapsed().as_secs_f64()));
    }
}

fn name(task: &Task) -> String {
    match task {
        Task::Seed(seed) => format!("seed {seed}"),
        Task::File(path) => path.display().to_string(),
    }
}

fn lock(tally: &Mutex<Sums>) -> std::sync::MutexGuard<'_, Sums> {
    tally.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Compares one model, in a directory that belongs to this job.
fn one(task: &Task, job: usize, options: &Options, tally: &Mutex<Sums>) -> std::io::Result<()> {
    let directory = of_job(&options.keep, job)?;
    let model = directory.join("model.pml");
    match task {
        Task::Seed(seed) => std::fs::write(&model, options.generator.1(*seed))?,
        Task::File(path) => {
            std::fs::copy(path, &model)?;
        }
    }
    let (comparison, ours, theirs) = both(&directory, &options.compiler)?;
    let mut tally = lock(tally);
    let what = match &comparison {
        Comparison::Same => "the same",
        Comparison::SameButErrors => "the same but for errors within a transition",
        Comparison::SameError => "the same error, after which figures mean nothing",
        Comparison::OtherFaults(_) => "other faults within one transition",
        Comparison::Skipped(why) => why,
        Comparison::Different(how) => {
            let kept = keep(task, &model, &options.keep)?;
            if !options.smaller.is_zero() {
                std::fs::write(&kept, smaller(&directory, &model, options)?)?;
            }
            differs(task, &format!("{how}\n    {}", kept.display()), &mut tally);
            return Ok(());
        }
    };
    if let (Comparison::Same | Comparison::SameButErrors, Ours::Done(figures)) = (&comparison, &ours) {
        tally.states += figures.states;
        tally.with_errors += u64::from(figures.errors > 0);
    }
    if what == "refused by SPIN" && options.show_refused {
        say(&format!("{}: {theirs:?}", name(task)));
    }
    *tally.counts.entry(what).or_default() += 1;
    Ok(())
}

/// What both say of the model in a directory.
fn both(directory: &Path, compiler: &str) -> std::io::Result<(Comparison, Ours, spin::Spin)> {
    let limits = Limits { states: MOST_STATES, time: MOST_TIME };
    let ours = answer(&directory.join("model.pml"), &LoadOptions::default(), false, true, limits);
    for file in ["pan", "pan.c"] {
        let old = directory.join(file);
        if old.exists() {
            std::fs::remove_file(old)?;
        }
    }
    let limits = spin::Limits { depth: MOST_DEPTH, time: MOST_TIME };
    let mut theirs = spin::answer(directory, "model.pml", &[], true, compiler, limits)?;
    if let spin::Spin::Refused(said) = &theirs
        && spin::is_only_dubious(said)
        && directory.join("pan.c").exists()
    {
        theirs = spin::verify(directory, String::new(), true, compiler, limits)?;
    }
    Ok((compare(&ours, &theirs, MOST_STATES), ours, theirs))
}

/// A smaller model on which they differ in the same sort of way.
fn smaller(directory: &Path, model: &Path, options: &Options) -> std::io::Result<String> {
    // What we refuse, or break on, must not become a difference in figures, nor these one in the kinds of errors.
    let sort = |how: &str| {
        let first = how.split([':', ' ']).next().unwrap_or_default();
        (first.to_owned(), how.contains("SPIN: errors"))
    };
    let ask = |text: &str| -> std::io::Result<Option<(String, bool)>> {
        std::fs::write(model, text)?;
        Ok(match both(directory, &options.compiler)?.0 {
            Comparison::Different(how) => Some(sort(&how)),
            _ => None,
        })
    };
    let text = std::fs::read_to_string(model)?;
    let first = ask(&text)?;
    let small = metamorphic::reduce::smaller(&text, options.smaller, |source| {
        ask(&source.text.text).is_ok_and(|found| found.is_some() && found == first)
    });
    std::fs::write(model, &small)?;
    let told = match both(directory, &options.compiler)?.0 {
        Comparison::Different(how) => how,
        _ => "not different when asked again".to_owned(),
    };
    Ok(format!("/* {told} */\n{small}"))
}

fn keep(task: &Task, model: &Path, directory: &Path) -> std::io::Result<PathBuf> {
    match task {
        Task::Seed(seed) => {
            let kept = directory.join(format!("seed-{seed}.pml"));
            std::fs::copy(model, &kept)?;
            Ok(kept)
        }
        Task::File(path) => Ok(path.clone()),
    }
}
