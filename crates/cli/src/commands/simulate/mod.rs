//! `elnath simulate`: one run, told while it happens; by chance, after a trail, or chosen by a person, who has a [screen] at a terminal
//! and a [prompt] elsewhere.

mod prompt;
mod screen;

use crate::Exit;
use crate::commands::{check, replay};
use crate::options::{Show, SimulateArgs};
use crate::output::{Output, Outputs};
use crate::report::story::{Columns, Shown};
use crate::report::terminal::{Paint, Terminal};
use crate::report::{json, render, story};
use elnath::session::{Session, SessionRecord};
use elnath::source::{Message, codes};
use elnath::{Ending, Rng, Run, Simulation, Story, System, Transition};
use serde_json::json;
use std::io::IsTerminal as _;
use std::path::Path;

/// How many steps a run by chance takes, unless another number is given.
const STEPS: u64 = 200;

pub(crate) fn run(args: &SimulateArgs, terminal: &Terminal) -> Exit {
    let inputs = [Some(&args.file), args.trail.as_ref(), args.replay.as_ref()].into_iter().flatten();
    let mut outputs = Outputs::beside(inputs, args.force);
    let chart = args.chart.as_ref().and_then(|path| outputs.chart(path));
    let record = args.record.as_ref().and_then(|path| outputs.ending_in(path, "the record", &["json"]));
    if let Err(messages) = outputs.tried(terminal) {
        return terminal.bad_input(&messages, "simulate");
    }
    if let Some(how) = by_hand(args, terminal) {
        return person(args, terminal, how, (chart, record));
    }
    let loaded = match elnath::load(&args.file, &check::load_options(&args.model)) {
        Ok(loaded) => loaded,
        Err(error) => return terminal.bad_input(&error.into_messages(), "simulate"),
    };
    terminal.warnings(&loaded.warnings);
    let mut choices = match choices(args, &loaded) {
        Ok(choices) => choices,
        Err(messages) => return terminal.bad_input(&messages, "simulate"),
    };
    let system = &*loaded.system;
    let mut walk = Simulation::new(system);
    let shown = shown(&args.show);
    if !terminal.quiet && !terminal.json && shown.globals {
        terminal.detail(&format!(
            "        {}",
            terminal.paint(Paint::Dim, &Story::new(system, walk.run()).initial())
        ));
    }
    let steps = args.steps.unwrap_or(STEPS);
    let mut used_up = false;
    let (ending, stopped) = loop {
        let ending = walk.ending();
        if ending != Ending::Open {
            break (ending, false);
        }
        if walk.run().steps.len() as u64 >= steps && args.trail.is_none() {
            used_up = true;
            break (ending, true);
        }
        let Some(t) = choices.next(&walk) else { break (ending, true) };
        walk.fire(t);
        let story = Story::new(system, walk.run());
        if !terminal.quiet && !terminal.json {
            let step = story.step(story.len() - 1);
            story::lines(terminal, &step, Columns::DEFAULT, shown, "")
                .iter()
                .for_each(|line| terminal.detail(line));
        }
    };
    let why = match (ending, &choices) {
        _ if used_up => format!("the {} granted are used up", render::plural(steps, "step")),
        (Ending::Open, Choices::Trail(_)) if stopped => "the trail ends here; the run could go on".to_owned(),
        (Ending::Open, _) => "stopped; the run could go on".to_owned(),
        _ => ending.text(system),
    };
    if let Some(output) = chart {
        let tale = Story::new(system, walk.run());
        story::draw(terminal, (&tale, None), (&why, ending.is_error()), &output)
            .unwrap_or_else(|wrong| terminal.failed(wrong));
    }
    finish(args, terminal, system, walk.run(), ending, &why)
}

/// What a person chooses with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hand {
    Prompt,
    Screen,
}

/// Whether a person chooses, and with what: at a terminal, unless something is asked for that only a run by itself has.
fn by_hand(args: &SimulateArgs, terminal: &Terminal) -> Option<Hand> {
    let at_terminal = std::io::stdin().is_terminal()
        && std::io::stdout().is_terminal()
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    let for_screen = at_terminal && !args.plain && !terminal.json && !terminal.quiet && args.chart.is_none();
    let with_session = args.interactive || args.record.is_some() || args.replay.is_some();
    let looks = !args.watches.is_empty() || !args.breakpoints.is_empty();
    if for_screen && args.show.is_empty() && args.steps.is_none() {
        return Some(Hand::Screen);
    }
    (with_session || looks).then_some(Hand::Prompt)
}

/// A session with a person.
fn person(
    args: &SimulateArgs,
    terminal: &Terminal,
    hand: Hand,
    (chart, record): (Option<Output>, Option<Output>),
) -> Exit {
    let mut session = match session(args, terminal) {
        Ok(session) => session,
        Err(messages) => return terminal.bad_input(&messages, "simulate"),
    };
    let refused = match hand {
        Hand::Prompt => {
            prompt::run(args, terminal, &mut session);
            None
        }
        Hand::Screen => screen::run(args, &mut session, terminal.is_colored()).err(),
    };
    if let Some(error) = refused {
        let text = format!("the terminal cannot be used: {error}");
        let message = Message::about_file(text).code(codes::UNWRITABLE).help("--plain asks line by line");
        return terminal.bad_input(&[message], "simulate");
    }
    if let Some(output) = record {
        output.text(&recorded(&session)).unwrap_or_else(|wrong| terminal.failed(wrong));
    }
    let run = session.run_to(session.here()).expect("the session is there");
    let ending = Ending::of(session.system(), &run);
    let why = match ending {
        Ending::Open => "stopped; the run could go on".to_owned(),
        _ => ending.text(session.system()),
    };
    if let Some(output) = chart {
        let tale = Story::new(session.system(), &run);
        story::draw(terminal, (&tale, None), (&why, ending.is_error()), &output)
            .unwrap_or_else(|wrong| terminal.failed(wrong));
    }
    finish(args, terminal, session.system(), &run, ending, &why)
}

/// The session that the options describe.
fn session(args: &SimulateArgs, terminal: &Terminal) -> Result<Session<'static>, Vec<Message>> {
    let mut options = check::load_options(&args.model);
    // What is looked at belongs to the states of a Promela model; a watch may be any expression, a breakpoint is made of several.
    let is_of_states = |text: &&String| !text.contains("action(");
    options.looks_at.extend(args.watches.iter().filter(is_of_states).cloned());
    options.looks_at.extend(args.breakpoints.iter().flat_map(|text| elnath::session::state_atoms(text)));
    let (mut session, warnings) =
        Session::open(&args.file, &options).map_err(elnath::LoadError::into_messages)?;
    terminal.warnings(&warnings);
    let read =
        |path: &Path| std::fs::read_to_string(path).map_err(|error| vec![render::file_error(path, &error)]);
    if let Some(path) = &args.replay {
        let record: SessionRecord = serde_json::from_str(&read(path)?).map_err(|error| {
            let text = format!("{}: this is no record of a session: {error}", path.display());
            vec![Message::about_file(text).code(codes::FOREIGN_TRAIL)]
        })?;
        session.replay(&record)?;
    }
    if let Some(path) = &args.trail {
        let name = path.display().to_string();
        let run = session.load_trail(&name, &read(path)?)?;
        let last = session.runs()[run].nodes.len() - 1;
        session.scrub(run, last).expect("the run has this step");
    }
    for text in &args.watches {
        session.watch(text)?;
    }
    for text in &args.breakpoints {
        session.add_breakpoint(text)?;
    }
    Ok(session)
}

/// A session as the text of a file.
fn recorded(session: &Session<'_>) -> String {
    let record = serde_json::to_string(&session.record()).expect("JSON of our own making");
    record + "\n"
}

/// Writes a session to a file that was named in the middle of it.
fn save(session: &Session<'_>, path: &Path, args: &SimulateArgs) -> Result<(), Vec<Message>> {
    let inputs = [Some(&args.file), args.trail.as_ref()].into_iter().flatten();
    let mut outputs = Outputs::beside(inputs, args.force);
    let output = outputs.ending_in(path, "the record", &["json"]);
    outputs.wrong_so_far()?;
    output.map_or(Ok(()), |output| output.text(&recorded(session)))
}

fn finish(
    args: &SimulateArgs,
    terminal: &Terminal,
    system: &dyn System,
    run: &Run,
    ending: Ending,
    why: &str,
) -> Exit {
    let tale = Story::new(system, run);
    if terminal.json {
        terminal.object(&json::object(
            "simulate",
            json!({
                "model": args.file.display().to_string(),
                "seed": args.seed,
                "ending": ending.name(),
                "text": why,
                "error": ending.is_error(),
                "length": tale.len(),
                "initial": tale.initial(),
                "steps": story::json_steps(&tale),
            }),
        ));
    } else {
        if ending == Ending::Deadlock {
            story::tell_waiting(terminal, &tale);
        }
        let (word, paint) = match ending {
            Ending::Open => ("stopped", Paint::Doubt),
            Ending::ValidEnd => ("ended", Paint::Good),
            _ => ("error", Paint::Bad),
        };
        let seed = if by_hand(args, terminal).is_some() || args.trail.is_some() {
            String::new()
        } else {
            format!(" (seed {})", args.seed)
        };
        let steps = render::plural(tale.len() as u64, "step");
        terminal.say(&format!("{} after {steps}{seed}: {why}", terminal.paint(paint, word)));
    }
    if ending.is_error() { Exit::Fails } else { Exit::Holds }
}

fn shown(show: &[Show]) -> Shown {
    if show.is_empty() {
        return Shown { sends: false, receives: false, ..Shown::ALL };
    }
    Shown {
        statements: show.contains(&Show::Statements),
        globals: show.contains(&Show::Globals),
        locals: show.contains(&Show::Locals),
        sends: show.contains(&Show::Sends),
        receives: show.contains(&Show::Receives),
    }
}

/// Who says what happens next.
enum Choices {
    Chance(Rng),
    /// The transitions still to be fired, the next one last.
    Trail(Vec<Transition>),
}

fn choices(args: &SimulateArgs, loaded: &elnath::Loaded) -> Result<Choices, Vec<Message>> {
    if let Some(path) = &args.trail {
        let mut steps = replay::follow(loaded, &args.file, path)?.0.steps;
        steps.reverse();
        return Ok(Choices::Trail(steps));
    }
    Ok(Choices::Chance(Rng::new(args.seed)))
}

impl Choices {
    fn next(&mut self, walk: &Simulation<'_>) -> Option<Transition> {
        let enabled = walk.enabled();
        match self {
            Choices::Chance(rng) => Some(enabled[rng.below(enabled.len() as u64) as usize]),
            Choices::Trail(steps) => steps.pop(),
        }
    }
}
