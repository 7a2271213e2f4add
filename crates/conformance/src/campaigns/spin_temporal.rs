//! Compares the verdicts of elnath and SPIN about infinite runs, live: every formula, never claim, acceptance and progress
//! label of the models that are named, and random formulas about random models.
//!
//! Of a directory all files below it are looked at. A file `M.1.ltl` or the like beside a model `M` holds a never claim for
//! it, as SPIN takes them with `-N`. The answers about models in files are printed as a table; about random ones, only
//! what differs, and its model is kept.
//!
//! Half of the random models have no assertions: where one fails, the formula matters little.

use crate::differential::spin;
use crate::differential::temporal::{Answer, Limits, Question, Verifiers, ours, questions};
use crate::files::of_job;
use crate::runner::say;
use crate::settings::{Settings, number};
use crate::tally::Tally;
use elnath_testkit::random_promela_with_formula;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub(super) const USAGE: &str = "\
spin-temporal [--random N] [--time SECONDS] [--memory MB] [--depth STEPS] [--cc COMPILER] [FILE|DIRECTORY..]
  --random N           N random models, from the first seed on
  --time SECONDS       the time for one answer (60)
  --memory MB          the memory for one answer (2048)
  --depth STEPS        SPIN's depth (2000000)
  --cc COMPILER        compiles SPIN's verifiers: gcc (the default) or tcc
";

struct Options {
    random: u64,
    seed: u64,
    jobs: usize,
    limits: Limits,
    keep: PathBuf,
    compiler: String,
    files: Vec<PathBuf>,
}

enum Task {
    Seed(u64),
    /// A model, and a file with a claim for it.
    File(PathBuf, Option<PathBuf>),
}

#[derive(Default)]
struct Sums {
    counts: BTreeMap<String, u64>,
    differences: Vec<String>,
    questions: u64,
    models: u64,
    done: u64,
}

pub(super) fn run(settings: &Settings) -> Result<Tally, String> {
    let options = options(settings)?;
    if !spin::is_installed(&options.compiler) {
        return Err(format!("SPIN or {} is not installed", options.compiler));
    }
    // A panic is an answer, reported with its model.
    std::panic::set_hook(Box::new(|_| {}));
    let start = Instant::now();
    let tasks = tasks(&options);
    if !options.files.is_empty() {
        say("| model | asked | SPIN | elnath | |\n|---|---|---|---|---|");
    }
    let (next, tally) = (AtomicUsize::new(0), Mutex::new(Sums::default()));
    std::thread::scope(|scope| {
        for job in 0..options.jobs {
            let (next, tally, tasks, options) = (&next, &tally, &tasks, &options);
            scope.spawn(move || {
                while !settings.is_over()
                    && let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    if let Err(error) = one(task, job, options, tally) {
                        let told = format!("{}: {error}", name(task, options));
                        say(&told);
                        lock(tally).differences.push(told);
                    }
                    progress(tally, start);
                }
            });
        }
    });
    let tally = tally.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    say("");
    let mut total = Tally { compared: tally.differences.len() as u64, ..Tally::default() };
    total.cases = total.compared;
    for (what, &count) in &tally.counts {
        say(&format!("{count:>6}  {what}"));
        if what.starts_with("both: ") {
            total.cases += count;
            total.compared += count;
        } else {
            total.skip_many(what, count);
        }
    }
    say(&format!("{:>6}  different", tally.differences.len()));
    say(&format!("{} models, {} questions", tally.models, tally.questions));
    total.differences = tally.differences;
    total.seeds = Some(options.seed..options.seed + options.random);
    Ok(total)
}

fn options(settings: &Settings) -> Result<Options, String> {
    let seeds = settings.seeds.clone().unwrap_or(1..1);
    let mut options = Options {
        random: seeds.end.saturating_sub(seeds.start),
        seed: seeds.start,
        jobs: settings.jobs.unwrap_or(1),
        limits: Limits { time: Duration::from_secs(60), memory: 2048 << 20, depth: 2_000_000 },
        keep: settings.keep.clone().unwrap_or_else(|| std::env::temp_dir().join("elnath-spin-temporal")),
        compiler: "gcc".to_owned(),
        files: Vec::new(),
    };
    let files = settings.options("spin-temporal", |option, value| {
        match option {
            "--random" => options.random = number(&value()?)?,
            "--time" => options.limits.time = Duration::from_secs(number(&value()?)?),
            "--memory" => options.limits.memory = (number(&value()?)? as usize) << 20,
            "--depth" => options.limits.depth = u32::try_from(number(&value()?)?).unwrap_or(u32::MAX),
            "--cc" => options.compiler = value()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    options.files = files.into_iter().map(PathBuf::from).collect();
    Ok(options)
}

fn tasks(options: &Options) -> Vec<Task> {
    let mut paths = Vec::new();
    options.files.iter().for_each(|path| below(path, &mut paths));
    let ends = |path: &Path, endings: &[&str]| {
        path.extension().is_some_and(|found| endings.iter().any(|ending| found == *ending))
    };
    let models: Vec<&PathBuf> = paths
        .iter()
        .filter(|path| !ends(path, &["h", "txt", "tsv", "ltl", "md", "trail", "expect"]))
        .collect();
    let claims = paths.iter().filter(|path| ends(path, &["ltl"])).filter_map(|claim| {
        let text = claim.to_string_lossy();
        let fits = |model: &&&PathBuf| text.starts_with(&*model.to_string_lossy());
        let model = models.iter().filter(fits).max_by_key(|model| model.as_os_str().len())?;
        Some(Task::File((*model).clone(), Some(claim.clone())))
    });
    let claims: Vec<Task> = claims.collect();
    let alone = models.iter().map(|model| Task::File((*model).clone(), None));
    let seeds = (options.seed..options.seed + options.random).map(Task::Seed);
    alone.chain(claims).chain(seeds).collect()
}

fn below(path: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(path) else {
        out.push(path.to_owned());
        return;
    };
    let mut entries: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    entries.iter().for_each(|entry| below(entry, out));
}

/// Apart from the table, which may go to a file.
#[expect(clippy::print_stderr, reason = "a command for developers")]
fn progress_line(line: &str) {
    eprintln!("{line}");
}

/// A line about progress after so many models.
const PROGRESS: u64 = 50;

fn progress(tally: &Mutex<Sums>, start: Instant) {
    let mut tally = lock(tally);
    tally.done += 1;
    if tally.done.is_multiple_of(PROGRESS) {
        let (Sums { done, questions, differences, .. }, seconds) = (&*tally, start.elapsed().as_secs());
        let different = differences.len();
        progress_line(&format!("{done} models, {questions} questions, {different} different, {seconds} s"));
    }
}

fn name(task: &Task, options: &Options) -> String {
    let relative = |path: &Path| {
        let mut roots = options.files.iter().filter_map(|root| path.strip_prefix(root).ok());
        let short = roots.find(|path| !path.as_os_str().is_empty()).map(Path::to_owned);
        short.unwrap_or_else(|| path.to_owned()).display().to_string()
    };
    match task {
        Task::Seed(seed) => format!("seed {seed}"),
        Task::File(model, None) => relative(model),
        Task::File(_, Some(claim)) => relative(claim),
    }
}

fn lock(tally: &Mutex<Sums>) -> std::sync::MutexGuard<'_, Sums> {
    tally.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Compares all questions about one model, in a directory that belongs to this job.
fn one(task: &Task, job: usize, options: &Options, tally: &Mutex<Sums>) -> std::io::Result<()> {
    let directory = of_job(&options.keep, job)?;
    let model = directory.join("model.pml");
    let text = text(task, &directory)?;
    std::fs::write(&model, &text)?;
    let questions = match questions(&model) {
        Ok(mut questions) => {
            // SPIN takes a process that waits for one of higher priority for able to move.
            let ranks = matches!(task, Task::Seed(_)) && text.contains("priority");
            questions.retain(|question| !question.fair || !ranks);
            questions
        }
        Err(why) => {
            if matches!(task, Task::File(..)) && mentions_properties(&text) {
                say(&format!("| {} | | | refused: {why} | |", name(task, options)));
                *lock(tally).counts.entry("not a model for elnath".to_owned()).or_default() += 1;
            }
            return Ok(());
        }
    };
    if questions.is_empty() {
        return Ok(());
    }
    lock(tally).models += 1;
    let claims = questions.iter().filter(|asked| !asked.fair && is_claim(asked)).count();
    let random = matches!(task, Task::Seed(_));
    if random {
        std::fs::write(directory.join("claimed.pml"), text.replace("_nr_pr", "(_nr_pr - 1)"))?;
    }
    let models = ("model.pml", if random { "claimed.pml" } else { "model.pml" });
    let mut verifiers = Verifiers::new(&directory, models, &options.compiler, claims);
    for question in &questions {
        let ours = ours(&model, question, options.limits);
        let theirs = verifiers.answer(question, options.limits)?;
        let mut tally = lock(tally);
        tally.questions += 1;
        // SPIN overlooks some of these, see docs/spin-differences.md; without fairness it must not.
        let overlooked = question.fair && matches!((&theirs, &ours), (Answer::Holds, Answer::FailsAtEnd(_)));
        // An end that SPIN takes for accepting under fairness only, though fairness can only take runs away.
        let invented = question.fair && theirs == Answer::Fails("accept stutter".to_owned());
        let verdict = match theirs.agrees(&ours) {
            Some(true) => "same",
            Some(false) if overlooked => "a fair run that ends",
            Some(false) if invented => "an end under fairness",
            Some(false) => "**different**",
            None => "",
        };
        let what = match (&theirs, &ours) {
            _ if verdict == "**different**" => {
                let (asked, theirs, ours) = (question.options(), shown(&theirs), shown(&ours));
                let told = format!("{}, {asked}: SPIN {theirs}, elnath {ours}", name(task, options));
                tally.differences.push(told);
                if let Task::Seed(seed) = task {
                    std::fs::copy(&model, options.keep.join(format!("seed-{seed}.pml")))?;
                }
                None
            }
            _ if overlooked => Some("a fair run that ends, overlooked by SPIN".to_owned()),
            (_, Answer::Holds) if invented => Some("an end that only SPIN sees under fairness".to_owned()),
            (Answer::Holds, Answer::Holds) => Some("both: holds".to_owned()),
            (Answer::Fails(_), Answer::Fails(_) | Answer::FailsAtEnd(_)) => Some("both: fails".to_owned()),
            (Answer::Refused(_), _) => Some("refused by SPIN".to_owned()),
            (_, Answer::Refused(_)) => Some("refused by elnath".to_owned()),
            (Answer::Unknown(why), Answer::Unknown(_)) => Some(format!("unknown to both, SPIN: {why}")),
            (Answer::Unknown(why), _) => Some(format!("unknown to SPIN: {why}")),
            (_, Answer::Unknown(why)) => Some(format!("unknown to elnath: {why}")),
            (Answer::Holds, _) | (_, Answer::Holds) | (Answer::FailsAtEnd(_), _) => None,
        };
        if let Some(what) = what {
            *tally.counts.entry(what).or_default() += 1;
        }
        drop(tally);
        let worth_a_line = verdict == "**different**" || matches!(ours, Answer::Refused(_));
        if matches!(task, Task::File(..)) || worth_a_line {
            say(&format!(
                "| {} | `{}` | {} | {} | {verdict} |",
                name(task, options),
                question.options(),
                shown(&theirs),
                shown(&ours)
            ));
        }
    }
    Ok(())
}

fn is_claim(question: &Question) -> bool {
    matches!(question.wanted, elnath::Wanted::Claim(_))
}

fn mentions_properties(text: &str) -> bool {
    ["ltl ", "never", "accept", "progress"].iter().any(|word| text.contains(word))
}

fn shown(answer: &Answer) -> String {
    match answer {
        Answer::Holds => "holds".to_owned(),
        Answer::Fails(why) | Answer::FailsAtEnd(why) => format!("fails: {why}"),
        Answer::Unknown(why) => format!("unknown: {why}"),
        Answer::Refused(why) => format!("refused: {why}"),
    }
}

/// The model's text; what it includes is copied beside it.
fn text(task: &Task, directory: &Path) -> std::io::Result<String> {
    let (model, claim) = match task {
        Task::Seed(seed) => return Ok(random_promela_with_formula(*seed)),
        Task::File(model, claim) => (model, claim),
    };
    let read =
        |path: &Path| Ok::<_, std::io::Error>(String::from_utf8_lossy(&std::fs::read(path)?).into_owned());
    let mut text = read(model)?;
    if let Some(claim) = claim {
        text = format!("{text}\n{}", read(claim)?);
    }
    if let (true, Some(folder)) = (text.contains("#include"), model.parent()) {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if let (true, Some(name)) = (path.is_file(), path.file_name()) {
                std::fs::copy(&path, directory.join(name))?;
            }
        }
    }
    Ok(text)
}
