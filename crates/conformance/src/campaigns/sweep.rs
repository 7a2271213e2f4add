//! Models by other people of which SPIN says that they fail, with little memory and more: see [`crate::sweep`].

use crate::runner::say;
use crate::settings::{Settings, number};
use crate::sweep::{Asked, CYCLE_SEARCHES, MODES, SEARCHES, Seen, Sweep, grants, judge, memory};
use crate::tally::Tally;
use elnath::LoadOptions;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(super) const USAGE: &str = "\
sweep [--from N] [--binary FILE] [DIRECTORY..]
  DIRECTORY            has a table REFERENCE.tsv of SPIN's answers (default: promela and promela2 of the corpus)
  --from N             how many of the questions, which come in no particular order, were asked before
  --binary FILE        the build of elnath to be asked (default: the one beside this program)
  --states N           the most states of a model (100000)
";

pub(super) fn run(settings: &Settings) -> Result<Tally, String> {
    let beside = std::env::current_exe().map_err(|error| error.to_string())?.with_file_name("elnath");
    let (mut from, mut binary) = (0, beside);
    let directories = settings.options("sweep", |option, value| {
        match option {
            "--from" => from = number(&value()?)? as usize,
            "--binary" => binary = PathBuf::from(value()?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let mut directories: Vec<PathBuf> = directories.into_iter().map(PathBuf::from).collect();
    let absolute = |path: &PathBuf| std::path::absolute(path).map_err(|error| error.to_string());
    let binary = absolute(&binary)?;
    if !binary.exists() {
        return Err(format!(
            "there is no {}: cargo build --release -p elnath-cli makes it",
            binary.display()
        ));
    }
    if directories.is_empty() {
        directories.extend(["promela", "promela2"].iter().filter_map(|name| settings.corpus(name)));
    }
    if directories.is_empty() {
        return Err("which models are to be swept? see --help".to_owned());
    }
    let sweep = Sweep { binary, deadline: settings.deadline, jobs: settings.jobs.unwrap_or(2) };
    let most = settings.states.unwrap_or(100_000);
    let (mut asked, mut left_out) = (Vec::new(), [0; 3]);
    for directory in &directories {
        failing(&sweep, &absolute(directory)?, most, &mut asked, &mut left_out);
    }
    say(&format!("{} ways to ask", asked.len()));
    asked.sort_by_cached_key(|asked| {
        let mut hasher = DefaultHasher::new();
        asked.options.hash(&mut hasher);
        hasher.finish()
    });
    let swept = sweep.ask("people", &asked[from.min(asked.len())..], &grants(25), 3);
    swept.wrong.iter().for_each(|wrong| say(wrong));
    say(&format!("{} questions, {:?}", swept.questions, swept.seen));
    let runs = swept.runs() as u64;
    let mut tally = Tally { cases: runs, compared: runs, differences: swept.wrong, ..Tally::default() };
    let reasons = ["over the most states", "refused", "not answered with an error in time"];
    for (why, &count) in reasons.iter().zip(&left_out).filter(|(_, count)| **count > 0) {
        tally.skip_many(&format!("questions {why}"), count as u64);
    }
    Ok(tally)
}

/// The claim that SPIN checks if none is named, if the model has one.
fn first_claim(question: &Asked) -> Option<String> {
    let defines = question.options[2..].iter().map(|define| define["-D".len()..].to_owned()).collect();
    let options = LoadOptions { defines, ..LoadOptions::default() };
    let loaded = elnath::load(Path::new(&question.options[1]), &options).ok()?;
    loaded.claims.into_iter().chain(loaded.formulas).next()
}

/// The questions of a table that SPIN answers with an error and that we answer so too when there is room; the others are counted.
fn failing(sweep: &Sweep, directory: &Path, most: u64, asked: &mut Vec<Asked>, left_out: &mut [usize; 3]) {
    let table = std::fs::read_to_string(directory.join("REFERENCE.tsv")).expect("a table of SPIN's answers");
    let mut lines = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    let cell = |row: &[&str], name: &str| {
        let column = header.iter().position(|found| *found == name);
        column.and_then(|column| row.get(column)).map_or(String::new(), |&cell| cell.to_owned())
    };
    for row in lines {
        if !cell(&row, "verdict").starts_with("error") || cell(&row, "config") == "opt" {
            continue;
        }
        if cell(&row, "states").parse::<u64>().is_ok_and(|states| states > most) {
            left_out[0] += 1;
            continue;
        }
        let mut question = Asked::new("check", "fails");
        question.options.push(directory.join(cell(&row, "file")).display().to_string());
        let defines = cell(&row, "spin_flags");
        question
            .options
            .extend(defines.split_whitespace().filter(|flag| flag.starts_with("-D")).map(str::to_owned));
        let config = cell(&row, "config");
        let cycles = config != "ref";
        let named = Some(cell(&row, "claim")).filter(|name| !name.is_empty());
        let claim = if cycles { named.or_else(|| first_claim(&question)) } else { None };
        question.options.extend(match (config.trim_end_matches("fair"), claim) {
            ("np", _) => vec!["--non-progress".to_owned()],
            (_, Some(claim)) => vec!["--claim".to_owned(), claim],
            _ if cycles => vec!["--accept-cycles".to_owned()],
            _ if cell(&row, "pan_flags").contains("-E") => {
                ["--safety-only", "--end-states", "ignore"].map(str::to_owned).to_vec()
            }
            _ => vec!["--safety-only".to_owned()],
        });
        if config.ends_with("fair") {
            question.options.extend(["--fair".to_owned(), "weak".to_owned()]);
        }
        let ample = [memory(1 << 30), vec!["--time".to_owned(), "10s".to_owned()]].concat();
        // There is a model whose check keeps to neither limit: whatever takes longer is left out.
        let asking = sweep.command(&question, &ample, directory);
        let mut patient = Command::new("timeout");
        patient.arg("30").arg(asking.get_program()).args(asking.get_args()).stdin(Stdio::null());
        let output = patient.output().expect("elnath can be started");
        match judge(&question, &output) {
            Ok(Seen::Known) => {
                let (searches, modes) =
                    if cycles { (CYCLE_SEARCHES, &MODES[..1]) } else { (SEARCHES, MODES) };
                // Fair runs are another question.
                let searches: Vec<&str> =
                    searches.iter().copied().filter(|search| !search.contains("--fair")).collect();
                asked.extend(question.in_ways(&searches, modes));
            }
            Ok(Seen::Refused) => left_out[1] += 1,
            _ => left_out[2] += 1,
        }
    }
}
