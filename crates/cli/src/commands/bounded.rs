//! `elnath bounded`: options to a question, and the answer to its two forms ([`crate::report::bounded`]).

use crate::commands::{check, explore};
use crate::options::{BoundedArgs, Relation, Walk};
use crate::output::{Output, Outputs};
use crate::report::bounded::{BoundedAnswer, ROUNDS};
use crate::report::net_bounds::NetBoundsAnswer;
use crate::report::terminal::Terminal;
use crate::report::{plot, progress, story};
use crate::{Exit, limits};
use elnath::bounded::{BoundedProperty, PairCondition, PairSearch};
use elnath::source::Message;
use elnath::{Bounded, Loaded, NetBounds, Story};
use elnath_explore::Explorer;
use std::time::Instant;

pub(crate) fn run(args: &BoundedArgs, terminal: &Terminal) -> Exit {
    answered(args, terminal).unwrap_or_else(|messages| terminal.bad_input(&messages, "bounded"))
}

/// Reads the model, asks, and shows the answer; or tells what is wrong with what was given.
fn answered(args: &BoundedArgs, terminal: &Terminal) -> Result<Exit, Vec<Message>> {
    let files = drawings(args, terminal)?;
    let begin = Instant::now();
    let loaded = elnath::load(&args.file, &check::load_options(&args.model))
        .map_err(elnath::LoadError::into_messages)?;
    terminal.warnings(&loaded.warnings);
    if let Some(question) = NetBounds::of(&loaded) {
        let exit = of_net(args, question, terminal)?;
        if args.then.explore {
            explore::of_file((&args.file, &check::load_options(&args.model)), &args.then, terminal)?;
        }
        return Ok(exit);
    }
    let named = |messages: Vec<Message>| messages.into_iter().map(|message| about(args, message)).collect();
    let report = question(args, &loaded, terminal).run();
    let report = report.map_err(|problem| -> Vec<Message> { named(super::wrong(problem)) })?;
    let (report, seconds) = (report, begin.elapsed().as_secs_f64());
    draw(args, files, terminal, report.worst()).unwrap_or_else(|wrong| terminal.failed(wrong));
    let file = args.file.display().to_string();
    let answer = BoundedAnswer {
        file: &file,
        report: &report,
        rounds: usize::from(args.rounds),
        certificates: args.certificates,
        seconds,
    };
    if terminal.json {
        terminal.object(&answer.json());
    } else {
        answer.text(terminal);
    }
    if args.then.explore {
        explore::then(&args.then, explorer(args, report.worst(), terminal), terminal)?;
    }
    Ok(Exit::of(&report.verdict()))
}

/// A page about the program that was walked, with the run that floods.
fn explorer(args: &BoundedArgs, property: &BoundedProperty, terminal: &Terminal) -> Explorer {
    let mut explorer = Explorer::of_program(&args.file, &property.figures.system);
    if let Some((run, begins)) = property.flood_run(ROUNDS) {
        let text = property.violation_text().unwrap_or_default();
        let shown = explorer.show_steps(("a channel that grows", text), &run.steps, Some(begins));
        if let Err(trouble) = shown {
            terminal.note(&format!("the run that floods is not in the page: {trouble}"));
        }
    }
    explorer
}

/// Asks about the places of a net.
fn of_net(args: &BoundedArgs, question: NetBounds<'_>, terminal: &Terminal) -> Result<Exit, Vec<Message>> {
    let begin = Instant::now();
    let memory = args.memory.unwrap_or_else(limits::default_memory);
    let watch = progress::watch("looking for growth", memory, args.time, terminal);
    let question =
        question.firings(args.firings).memory(usize::try_from(memory).unwrap_or(usize::MAX)).watch(watch);
    let report = question.run().map_err(super::wrong)?;
    let file = args.file.display().to_string();
    let answer = NetBoundsAnswer { file: &file, report: &report, seconds: begin.elapsed().as_secs_f64() };
    if terminal.json {
        terminal.object(&answer.json());
    } else {
        answer.text(terminal);
    }
    Ok(Exit::of(&report.verdict()))
}

/// A message with the name of the file.
fn about(args: &BoundedArgs, message: Message) -> Message {
    Message { text: format!("{}: {}", args.file.display(), message.text), ..message }
}

fn question(args: &BoundedArgs, loaded: &Loaded, terminal: &Terminal) -> Bounded<'static> {
    let whole = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let memory = args.memory.unwrap_or_else(limits::default_memory);
    let mut question = Bounded::of(loaded)
        .condition(match args.relation {
            Relation::Th93 => PairCondition::Th93,
            Relation::Theta => PairCondition::Theta,
        })
        .window(whole(args.window))
        .depth(whole(args.depth))
        .firings(args.firings)
        .memory(whole(memory))
        .seed(args.seed)
        .watch(progress::watch("looking for growth", memory, args.time, terminal));
    if let Some(channels) = &args.channels {
        question = question.channels(channels);
    }
    if args.no_static {
        question = question.without_static_methods();
    }
    match args.search {
        None => question,
        Some(Walk::Dfs) => question.search(PairSearch::DepthFirst),
        Some(Walk::Tree) => question.search(PairSearch::WithoutMemory),
        Some(Walk::Backwards) => question.search(PairSearch::Backwards),
        Some(Walk::Bfs) => question.search(PairSearch::BreadthFirst),
    }
}

/// Where the chart and the plot go.
fn drawings(args: &BoundedArgs, terminal: &Terminal) -> Result<[Option<Output>; 2], Vec<Message>> {
    let mut outputs = Outputs::beside([&args.file], args.force);
    let chart = args.chart.as_ref().and_then(|path| outputs.chart(path));
    let plot = args.plot.as_ref().and_then(|path| outputs.ending_in(path, "the plot", &["svg"]));
    outputs.tried(terminal)?;
    Ok([chart, plot])
}

/// Draws what floods, where the user wants it.
fn draw(
    args: &BoundedArgs,
    [chart, plot]: [Option<Output>; 2],
    terminal: &Terminal,
    property: &BoundedProperty,
) -> Result<(), Vec<Message>> {
    let Some((run, begins)) = property.flood_run(ROUNDS) else {
        if chart.is_some() || plot.is_some() {
            terminal.note("no channel was found to grow for ever, so nothing was drawn");
        }
        return Ok(());
    };
    let length = run.steps.len() - begins;
    let why = match (begins + 1, begins + length / ROUNDS) {
        (first, last) if first == last => format!("step {first} is one round of what can be repeated"),
        (first, last) => format!("steps {first} to {last} are one round of what can be repeated"),
    };
    if let Some(output) = chart {
        story::draw(terminal, (&Story::new(&*property.figures.system, &run), None), (&why, true), &output)?;
    }
    if let Some(output) = plot {
        let starts: Vec<f64> = (0..=ROUNDS).map(|round| (begins + round * length / ROUNDS) as f64).collect();
        let curves = property.figures.lengths(&run).into_iter().map(|(name, points)| {
            let points = points.into_iter().map(|(step, length)| (step as f64, length as f64)).collect();
            (name, points)
        });
        let title = format!("{}: messages in the channels", args.file.display());
        output.text(&plot::along_run(&title, &curves.collect::<Vec<_>>(), &starts))?;
    }
    Ok(())
}
