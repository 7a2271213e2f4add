//! `elnath replay`, and the part of it that `elnath simulate --trail` shares.

use crate::Exit;
use crate::commands::check;
use crate::options::ReplayArgs;
use crate::output::Outputs;
use crate::report::story::Beside;
use crate::report::terminal::{Paint, Terminal};
use crate::report::{json, render, story};
use elnath::source::Message;
use elnath::trail::{Lost, Trail};
use elnath::{Ending, Loaded, Run, Story};
use serde_json::json;
use std::path::Path;

pub(crate) fn run(args: &ReplayArgs, terminal: &Terminal) -> Exit {
    let mut outputs = Outputs::beside([&args.file, &args.trail], args.force);
    let chart = args.chart.as_ref().and_then(|path| outputs.chart(path));
    if let Err(messages) = outputs.tried(terminal) {
        return terminal.bad_input(&messages, "replay");
    }
    let loaded = match elnath::load(&args.file, &check::load_options(&args.model)) {
        Ok(loaded) => loaded,
        Err(error) => return terminal.bad_input(&error.into_messages(), "replay"),
    };
    terminal.warnings(&loaded.warnings);
    let (run, loop_start) = match follow(&loaded, &args.file, &args.trail) {
        Ok(followed) => followed,
        Err(messages) => return terminal.bad_input(&messages, "replay"),
    };
    let system = &*loaded.system;
    let ending = Ending::of(system, &run);
    let (tale, why) = (Story::new(system, &run), ending.text(system));
    if let Some(output) = chart {
        story::draw(terminal, (&tale, loop_start), (&why, ending.is_error()), &output)
            .unwrap_or_else(|wrong| terminal.failed(wrong));
    }
    let steps = render::plural(run.steps.len() as u64, "step");
    if terminal.json {
        terminal.object(&json::object(
            "replay",
            json!({
                "model": args.file.display().to_string(),
                "trail": args.trail.display().to_string(),
                "ending": ending.name(),
                "text": why,
                "error": ending.is_error(),
                "length": run.steps.len(),
                "loop_start": loop_start,
                "initial": tale.initial(),
                "steps": story::json_steps(&tale),
            }),
        ));
    } else {
        story::tell(terminal, &tale, Beside { loop_start, truths: None });
        if ending == Ending::Deadlock {
            story::tell_waiting(terminal, &tale);
        }
        let (word, paint) =
            if ending.is_error() { ("error", Paint::Bad) } else { ("no error", Paint::Doubt) };
        terminal.say(&format!("{} after {steps}: {why}", terminal.paint(paint, word)));
    }
    if ending.is_error() { Exit::Fails } else { Exit::Holds }
}

/// The run that a trail describes, and where the cycle begins in which it goes on for ever, if it does.
pub(crate) fn follow(
    loaded: &Loaded,
    model: &Path,
    path: &Path,
) -> Result<(Run, Option<usize>), Vec<Message>> {
    let (program, table) = story::with_trails(loaded, model)?;
    let text = std::fs::read_to_string(path).map_err(|error| vec![render::file_error(path, &error)])?;
    let trail = Trail::parse(&path.display().to_string(), &text)?;
    trail.follow_lasso(program, table).map_err(|Lost { followed }| {
        let total = trail.entries.len();
        let text = format!(
            "{}: the model cannot do what line {} of {total} of this trail says",
            path.display(),
            followed + 1
        );
        let help = "was the trail made from this model, with the same -D definitions?";
        vec![Message::about_file(text).code(elnath::source::codes::FOREIGN_TRAIL).help(help)]
    })
}
