//! `elnath simulate`: one run, told while it happens.

use crate::Exit;
use crate::commands::{check, replay};
use crate::options::{Show, SimulateArgs};
use crate::output::Outputs;
use crate::report::story::{Columns, Shown};
use crate::report::terminal::{Paint, Terminal};
use crate::report::{json, render, story};
use elnath::source::Message;
use elnath::{Ending, Rng, Simulation, Story, System, Transition};
use serde_json::json;
use std::io::BufRead;

pub(crate) fn run(args: &SimulateArgs, terminal: &Terminal) -> Exit {
    let inputs = [Some(&args.file), args.trail.as_ref()].into_iter().flatten();
    let mut outputs = Outputs::beside(inputs, args.force);
    let chart = args.chart.as_ref().and_then(|path| outputs.chart(path));
    if let Err(messages) = outputs.tried(terminal) {
        return terminal.bad_input(&messages, "simulate");
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
    let mut used_up = false;
    let (ending, stopped) = loop {
        let ending = walk.ending();
        if ending != Ending::Open {
            break (ending, false);
        }
        if walk.run().steps.len() as u64 >= args.steps && args.trail.is_none() {
            used_up = true;
            break (ending, true);
        }
        let Some(t) = choices.next(system, &walk, terminal) else { break (ending, true) };
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
        _ if used_up => format!("the {} granted are used up", render::plural(args.steps, "step")),
        (Ending::Open, Choices::Trail(_)) if stopped => "the trail ends here; the run could go on".to_owned(),
        (Ending::Open, _) => "stopped; the run could go on".to_owned(),
        _ => ending.text(system),
    };
    if let Some(output) = chart {
        let tale = Story::new(system, walk.run());
        story::draw(terminal, (&tale, None), (&why, ending.is_error()), &output)
            .unwrap_or_else(|wrong| terminal.failed(wrong));
    }
    finish(args, terminal, system, &walk, ending, &why)
}

fn finish(
    args: &SimulateArgs,
    terminal: &Terminal,
    system: &dyn System,
    walk: &Simulation<'_>,
    ending: Ending,
    why: &str,
) -> Exit {
    let tale = Story::new(system, walk.run());
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
        let seed = if args.interactive || args.trail.is_some() {
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
    Person,
    /// The transitions still to be fired, the next one last.
    Trail(Vec<Transition>),
}

fn choices(args: &SimulateArgs, loaded: &elnath::Loaded) -> Result<Choices, Vec<Message>> {
    if let Some(path) = &args.trail {
        let mut steps = replay::follow(loaded, &args.file, path)?.0.steps;
        steps.reverse();
        return Ok(Choices::Trail(steps));
    }
    Ok(if args.interactive { Choices::Person } else { Choices::Chance(Rng::new(args.seed)) })
}

impl Choices {
    fn next(
        &mut self,
        system: &dyn System,
        walk: &Simulation<'_>,
        terminal: &Terminal,
    ) -> Option<Transition> {
        let enabled = walk.enabled();
        match self {
            Choices::Chance(rng) => Some(enabled[rng.below(enabled.len() as u64) as usize]),
            Choices::Trail(steps) => steps.pop(),
            Choices::Person => ask(system, walk, terminal),
        }
    }
}

/// Offers the transitions by number. Questions go to standard error, so that they are seen next to `--json` too and are no
/// part of the answer.
fn ask(system: &dyn System, walk: &Simulation<'_>, terminal: &Terminal) -> Option<Transition> {
    let enabled = walk.enabled();
    for (i, &t) in enabled.iter().enumerate() {
        terminal.ask(&format!("  [{}] {}", i + 1, system.show_transition(walk.run().last(), t)));
    }
    let mut line = String::new();
    loop {
        terminal.ask(&format!("choose 1 to {}, or q to quit:", enabled.len()));
        line.clear();
        match std::io::stdin().lock().read_line(&mut line) {
            Ok(0) | Err(_) => return None,
            Ok(_) => {}
        }
        match line.trim() {
            "q" | "quit" => return None,
            word => match word.parse::<usize>() {
                Ok(number) if (1..=enabled.len()).contains(&number) => return Some(enabled[number - 1]),
                _ => terminal.ask(&format!("`{word}` is none of the choices")),
            },
        }
    }
}
