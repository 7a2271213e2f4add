//! The command: which campaign, with which options, and what it says in the end.

use crate::campaigns::{CAMPAIGNS, Campaign, Part, Work};
use crate::settings::{HELP, Settings};
use crate::tally::Tally;
use crate::trial::Trial;
use std::io::Write as _;
use std::ops::Range;
use std::process::ExitCode;
use std::time::Instant;

/// Runs the campaign that the arguments name. The exit code is 0 if nothing differs, 1 if something does, and 2 if the
/// arguments are wrong.
pub fn main(arguments: Vec<String>) -> ExitCode {
    let mut arguments = arguments.into_iter();
    let name = arguments.next().unwrap_or_else(|| "--help".to_owned());
    if matches!(name.as_str(), "list" | "help" | "--help" | "-h") {
        say(&help());
        return ExitCode::SUCCESS;
    }
    let Some(campaign) = CAMPAIGNS.iter().find(|campaign| campaign.name == name) else {
        say(&format!("there is no campaign `{name}`; `list` shows all"));
        return ExitCode::from(2);
    };
    let arguments: Vec<String> = arguments.collect();
    if arguments.iter().any(|argument| argument == "--help") {
        say(&help_of(campaign));
        return ExitCode::SUCCESS;
    }
    match Settings::read(arguments).and_then(|settings| run(campaign, &settings)) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(why) => {
            say(&why);
            ExitCode::from(2)
        }
    }
}

/// Runs one part of a campaign with its usual seeds, and panics if something differs: what a test does.
///
/// # Panics
///
/// If something differs, or there is no such part.
pub fn test(campaign: &str, part: &str) {
    let parts = CAMPAIGNS.iter().find(|known| known.name == campaign).map(Campaign::parts);
    let found = parts.into_iter().flatten().find(|known| known.name == part);
    let part = found.unwrap_or_else(|| panic!("there is no part {part} of {campaign}"));
    let settings = Settings::default();
    let mut trial = Trial::new(&settings, format!("{campaign} {}", part.name));
    (part.run)(&mut trial);
    let (tally, figures) = trial.finish();
    // Shown with --nocapture, and where the test fails.
    note(&line(&format!("{campaign} {}", part.name), &tally, &figures));
    let shown: Vec<&str> = tally.differences.iter().take(10).map(String::as_str).collect();
    assert!(tally.differences.is_empty(), "{tally}\n{}", shown.join("\n"));
    assert!(tally.cases > 0, "no case at all: {tally}");
}

/// Runs a campaign; how many differences there are.
fn run(campaign: &Campaign, settings: &Settings) -> Result<usize, String> {
    let start = Instant::now();
    let tally = match campaign.work {
        Work::Parts(_) => parts(campaign, settings)?,
        Work::Command { run, .. } => run(settings)?,
    };
    let seeds = tally.seeds.as_ref().or(settings.seeds.as_ref());
    let seeds = match (seeds, &campaign.work) {
        (Some(Range { start, end: u64::MAX }), _) => format!(" seeds {start}..:"),
        (Some(Range { start, end }), _) => format!(" seeds {start}..{end}:"),
        (None, Work::Parts(_)) => " seeds as in the tests:".to_owned(),
        (None, Work::Command { .. }) => String::new(),
    };
    let over = if settings.is_over() { ", time is over" } else { "" };
    let seconds = start.elapsed().as_secs_f64();
    say(&format!("{}:{seeds} {tally}{over}, {seconds:.0} s", campaign.name));
    Ok(tally.differences.len())
}

fn parts(campaign: &Campaign, settings: &Settings) -> Result<Tally, String> {
    if let Some(unknown) = settings.rest.first() {
        return Err(format!("{unknown} is no option of {}; see --help", campaign.name));
    }
    if let Some(unknown) = settings.parts.iter().find(|name| campaign.parts().all(|part| part.name != **name))
    {
        return Err(format!("{} has no part `{unknown}`; see --help", campaign.name));
    }
    // A panic is a difference, and said with its seed.
    std::panic::set_hook(Box::new(|_| {}));
    let mut all = Tally::default();
    let wanted =
        |part: &&Part| settings.parts.is_empty() || settings.parts.iter().any(|name| name == part.name);
    let parts: Vec<&Part> = campaign.parts().filter(wanted).collect();
    for (number, part) in parts.iter().enumerate() {
        // Each gets its share of the time that is left.
        let now = Instant::now();
        let share = |end: Instant| now + end.saturating_duration_since(now) / (parts.len() - number) as u32;
        let settings = Settings { deadline: settings.deadline.map(share), ..settings.clone() };
        let mut trial = Trial::new(&settings, format!("{} {}", campaign.name, part.name));
        (part.run)(&mut trial);
        let (tally, figures) = trial.finish();
        say(&line(&format!("  {}", part.name), &tally, &figures));
        all.merge(tally);
    }
    Ok(all)
}

fn line(name: &str, tally: &Tally, figures: &[(&str, u64)]) -> String {
    let figures: Vec<String> =
        figures.iter().map(|(name, figure)| format!("{} {figure}", name.replace('_', " "))).collect();
    let figures = if figures.is_empty() { String::new() } else { format!("; {}", figures.join(", ")) };
    format!("{name}: {tally}{figures}")
}

fn help() -> String {
    let mut text = "Compares engines, stores, searches, reductions and tools.\n\n".to_owned();
    text += "usage: elnath-conformance CAMPAIGN [OPTION..]\n       elnath-conformance list\n\ncampaigns:\n";
    for campaign in CAMPAIGNS {
        text += &format!("  {:16} {}\n", campaign.name, campaign.meaning);
    }
    text + "\noptions:\n" + HELP + "\n  --help           what a campaign consists of, and its own options"
}

fn help_of(campaign: &Campaign) -> String {
    let mut text = format!("{}: {}\n\n", campaign.name, campaign.meaning);
    match campaign.work {
        Work::Parts(_) => {
            text += "parts:\n";
            for part in campaign.parts() {
                text += &format!("  {:16} {}\n", part.name, part.meaning);
            }
        }
        Work::Command { usage, .. } => text += usage,
    }
    text + "\noptions of all campaigns:\n" + HELP
}

/// Prints a line at once, also where the output is a file: a long run is looked at while it goes on.
pub(crate) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    // If nobody reads it, nobody is to be told.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

#[expect(clippy::print_stderr, reason = "figures of a test, for those who want them")]
fn note(line: &str) {
    eprintln!("{line}");
}
