//! `elnath bounded`.

use crate::Exit;
use crate::commands::check;
use crate::limits::{self, Listening};
use crate::options::{BoundedArgs, Relation, Walk};
use crate::report::progress::Progress;
use crate::report::terminal::{Paint, Terminal};
use crate::report::{json, plot, render, story};
use elnath::bounded::{Bounded, BoundedReport, ChannelAnswer, Flood, Options, PairSearch as Search, Reason};
use elnath::source::Message;
use elnath::{Counters, Limit, LoadOptions, Story, Verdict};
use serde_json::{Value, json};
use std::time::Instant;

/// Longer runs to where channels hold most are not told step by step.
const LONGEST: usize = 1000;
/// Rounds that are drawn, and whose contents are shown.
const ROUNDS: usize = 3;

pub(crate) fn run(args: &BoundedArgs, terminal: &Terminal) -> Exit {
    let begin = Instant::now();
    let options = LoadOptions { ..check::load_options(&args.model) };
    let loaded = match elnath::load(&args.file, &options) {
        Ok(loaded) => loaded,
        Err(error) => return terminal.bad_input(&error.into_messages(), "bounded"),
    };
    terminal.warnings(&loaded.warnings);
    let question = match Bounded::of(&loaded, args.channels.as_deref()) {
        Ok(question) => question,
        Err(messages) => {
            let named = |message: Message| Message {
                text: format!("{}: {}", args.file.display(), message.text),
                ..message
            };
            let messages: Vec<Message> = messages.into_iter().map(named).collect();
            return terminal.bad_input(&messages, "bounded");
        }
    };
    let report = ask(args, terminal, &question);
    let seconds = begin.elapsed().as_secs_f64();
    if let Err(messages) = draw(args, terminal, &report) {
        return terminal.bad_input(&messages, "bounded");
    }
    if terminal.json {
        terminal.object(&to_json(args, &report, seconds));
    } else {
        tell(args, terminal, &report, seconds);
    }
    match report.answer.verdict {
        Verdict::Holds(_) => Exit::Holds,
        Verdict::Fails(_) => Exit::Fails,
        Verdict::Unknown(_) => Exit::Unknown,
    }
}

fn ask(args: &BoundedArgs, terminal: &Terminal, question: &Bounded) -> BoundedReport {
    let whole = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let (listening, mut progress) = (Listening::new(), Progress::new(terminal));
    let end = args.time.map(|time| Instant::now() + time);
    let mut watch = move |counters: &Counters| {
        progress.update(counters);
        match end {
            _ if listening.interrupted() => Some(Limit::Interrupted),
            Some(end) if Instant::now() >= end => Some(Limit::Time),
            _ => None,
        }
    };
    let mut options = Options::new(&mut watch);
    options.0.relation = match args.relation {
        Relation::Th93 => elnath::bounded::PairCondition::Th93,
        Relation::Theta => elnath::bounded::PairCondition::Theta,
    };
    options.0.search = args.search.map(|search| match search {
        Walk::Dfs => Search::DepthFirst,
        Walk::Tree => Search::WithoutMemory,
        Walk::Backwards => Search::Backwards,
        Walk::Bfs => Search::BreadthFirst,
    });
    options.0.window = whole(args.window);
    options.0.statically = !args.no_static;
    options.0.depth = whole(args.depth);
    options.0.firings = args.firings;
    options.0.memory = whole(args.memory.unwrap_or_else(limits::default_memory));
    options.0.seed = args.seed;
    question.ask(&mut options)
}

/// Draws what floods, where the user wants it.
fn draw(args: &BoundedArgs, terminal: &Terminal, report: &BoundedReport) -> Result<(), Vec<Message>> {
    let Some((run, begins)) = report.flood_run(ROUNDS) else {
        if args.chart.is_some() || args.plot.is_some() {
            terminal.note("no channel was found to grow for ever, so nothing was drawn");
        }
        return Ok(());
    };
    let length = run.steps.len() - begins;
    let why = match (begins + 1, begins + length / ROUNDS) {
        (first, last) if first == last => format!("step {first} is one round of what can be repeated"),
        (first, last) => format!("steps {first} to {last} are one round of what can be repeated"),
    };
    if let Some(path) = &args.chart {
        story::draw(terminal, (&Story::new(&*report.system, &run), None), (&why, true), path)?;
    }
    if let Some(path) = &args.plot {
        let starts: Vec<f64> = (0..=ROUNDS).map(|round| (begins + round * length / ROUNDS) as f64).collect();
        let curves = report.lengths(&run).into_iter().map(|(name, points)| {
            let points = points.into_iter().map(|(step, length)| (step as f64, length as f64)).collect();
            (name, points)
        });
        let title = format!("{}: messages in the channels", args.file.display());
        story::write(path, &plot::along_run(&title, &curves.collect::<Vec<_>>(), &starts))?;
    }
    Ok(())
}

fn tell(args: &BoundedArgs, terminal: &Terminal, report: &BoundedReport, seconds: f64) {
    let answer = &report.answer;
    for stage in &answer.stages {
        let figures = &stage.figures;
        let end = match stage.limit {
            Some(Limit::States) => ", used up its transitions".to_owned(),
            Some(limit) => format!(", ran out of {}", limit.name()),
            None => String::new(),
        };
        let refuted = match figures.refuted {
            0 => String::new(),
            n => format!(", {} refuted by replay", render::plural(n, "pair")),
        };
        terminal.detail(&format!(
            "{}: {}, {}, depth {}, {} compared{refuted}{end}",
            stage.search.name(),
            render::plural(figures.states, "state"),
            render::plural(figures.fired, "transition"),
            render::grouped(figures.depth as u64),
            render::plural(figures.tested, "pair"),
        ));
    }
    let class = answer.class.map_or_else(String::new, |class| format!(", class: {}", class.name()));
    terminal.detail(&format!("{seconds:.2} s, seed {}{class}", args.seed));
    if !report.lifted.is_empty() {
        let lifted: Vec<String> =
            report.lifted.iter().map(|lifted| format!("{} ({})", lifted.name, lifted.capacity)).collect();
        terminal.detail(&format!(
            "lifted capacities: {}; a full channel no longer blocks, `full` is never true",
            lifted.join(", ")
        ));
    }
    let faults: u64 = answer.stages.iter().map(|stage| stage.figures.faults).max().unwrap_or(0);
    if faults > 0 {
        terminal.detail(&format!(
            "{} in a fault of the model, behind which nothing was looked at; elnath check shows it",
            if faults == 1 {
                "1 transition ends".to_owned()
            } else {
                format!("{} transitions end", render::grouped(faults))
            },
        ));
    }
    match &answer.verdict {
        Verdict::Fails(flood) => tell_flood(args, terminal, report, flood),
        Verdict::Holds(_) => tell_bounded(args, terminal, report, answer.reason.expect("a reason")),
        Verdict::Unknown(limit) => tell_unknown(args, terminal, report, *limit),
    }
}

fn tell_flood(args: &BoundedArgs, terminal: &Terminal, report: &BoundedReport, flood: &Flood) {
    let rounds = usize::from(args.rounds);
    if let Some((run, begins)) = report.flood_run(rounds) {
        story::tell_lasso(terminal, &Story::new(&*report.system, &run), Some(begins));
    }
    let width = flood.growing.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, contents) in &flood.growing {
        for (round, content) in contents.iter().enumerate().take(ROUNDS + 1) {
            let when = match round {
                0 => "before".to_owned(),
                1 => "after 1 round".to_owned(),
                n => format!("after {n} rounds"),
            };
            let name = if round == 0 { name.as_str() } else { "" };
            let content = if content.is_empty() { "nothing" } else { content.as_str() };
            terminal.detail(&format!("        {name:width$}  {when:<14}  {content}"));
        }
    }
    let others: Vec<&ChannelAnswer> =
        report.answer.channels.iter().filter(|channel| !channel.grows && channel.bound.is_some()).collect();
    for channel in others {
        bound_line(args, terminal, channel);
    }
    let names: Vec<String> = flood.growing.iter().map(|(name, _)| format!("`{name}`")).collect();
    let grow = if names.len() == 1 { "grows" } else { "grow" };
    terminal.say(&format!(
        "{}: {} {grow} for ever: after {}, {} can be repeated without end",
        terminal.paint(Paint::Bad, "unbounded"),
        names.join(" and "),
        render::plural(flood.prefix.len() as u64, "step"),
        render::plural(flood.pumped.rounds[0].len() as u64, "step"),
    ));
}

fn tell_bounded(args: &BoundedArgs, terminal: &Terminal, report: &BoundedReport, reason: Reason) {
    let explored = reason == Reason::Explored;
    let width = report.answer.channels.iter().map(|channel| channel.name.chars().count()).max().unwrap_or(0);
    for channel in &report.answer.channels {
        let declared = report.lifted.iter().find(|lifted| lifted.name == base(&channel.name));
        let declared = declared.map_or_else(String::new, |lifted| format!(", declared {}", lifted.capacity));
        let least = match &channel.bound {
            _ if explored => channel.longest.to_string(),
            Some(bound) if bound.most == channel.longest as u64 => channel.longest.to_string(),
            Some(bound) => format!("{} to {}", channel.longest, bound.most),
            None => format!("at least {}", channel.longest),
        };
        let run = match channel.run.len() {
            0 => "held at first".to_owned(),
            n => format!("first held after {}", render::plural(n as u64, "step")),
        };
        terminal.detail(&format!("        {:width$}  needs {least}{declared}; {run}", channel.name));
        if args.certificates {
            bound_line(args, terminal, channel);
        }
    }
    let text = match reason {
        Reason::NoChannels => "there is no channel without bound to ask about".to_owned(),
        Reason::Explored => {
            let states = report.answer.stages.last().map_or(0, |stage| stage.figures.states);
            format!(
                "all {} were seen; with these capacities no send ever blocks",
                render::plural(states, "state")
            )
        }
        Reason::Static => {
            "proved without seeing all states: least capacities are known within limits".to_owned()
        }
        Reason::Class => "decided for its class without seeing all states".to_owned(),
    };
    terminal.say(&format!("{}: {text}", terminal.paint(Paint::Good, "bounded")));
}

fn tell_unknown(args: &BoundedArgs, terminal: &Terminal, report: &BoundedReport, limit: Limit) {
    for channel in &report.answer.channels {
        let watched = channel.watched.map_or_else(String::new, |by| {
            format!("; it is watched by {by}, so that no repetition of what makes it grow can be trusted")
        });
        terminal.detail(&format!("        {} held up to {}{watched}", channel.name, channel.longest));
        bound_line(args, terminal, channel);
    }
    let class = match report.answer.class {
        Some(class) => format!("; its class ({}) is decided, so larger limits will do", class.name()),
        None => String::new(),
    };
    let fired: u64 = report.answer.stages.iter().map(|stage| stage.figures.fired).sum();
    terminal.say(&format!(
        "{}: no pair of states and no end of them in {} ({}){class}",
        terminal.paint(Paint::Doubt, "unknown"),
        render::plural(fired, "transition"),
        match limit {
            Limit::States => "--firings",
            limit => limit.name(),
        },
    ));
}

/// What is statically known of a channel, with its certificate if that is wanted.
fn bound_line(args: &BoundedArgs, terminal: &Terminal, channel: &ChannelAnswer) {
    let Some(bound) = &channel.bound else { return };
    terminal
        .detail(&format!("        {} never holds more than {}, by {}", channel.name, bound.most, bound.by));
    if args.certificates && !bound.weights.is_empty() {
        let weights: Vec<String> =
            bound.weights.iter().map(|(about, weight)| format!("{weight} {about}")).collect();
        terminal.detail(&format!("          weights: {}", weights.join(", ")));
    }
}

/// The name that a channel was declared with.
fn base(name: &str) -> String {
    let name = name.split('[').next().unwrap_or(name);
    // A process has a number behind its name.
    match name.split_once(':') {
        Some((process, rest)) => match rest.split_once('.') {
            Some((_, channel)) => format!("{process}.{channel}"),
            None => name.to_owned(),
        },
        None => name.to_owned(),
    }
}

fn to_json(args: &BoundedArgs, report: &BoundedReport, seconds: f64) -> Value {
    let answer = &report.answer;
    let explored = answer.reason == Some(Reason::Explored);
    let (verdict, reason) = match &answer.verdict {
        Verdict::Holds(_) => ("bounded", answer.reason.map(Reason::name)),
        Verdict::Fails(_) => ("unbounded", None),
        Verdict::Unknown(limit) => ("unknown", Some(limit.name())),
    };
    let channels: Vec<Value> = answer
        .channels
        .iter()
        .map(|channel| {
            let settled = channel.bound.as_ref().is_some_and(|bound| bound.most == channel.longest as u64);
            json!({
                "name": channel.name,
                "declared": report.lifted.iter().find(|lifted| lifted.name == base(&channel.name))
                    .map(|lifted| lifted.capacity),
                "longest": channel.longest,
                "capacity": if explored || settled { Some(channel.longest) } else { None },
                "bound": channel.bound.as_ref().map(|bound| json!({
                    "most": bound.most,
                    "by": bound.by,
                    "weights": bound.weights.iter()
                        .map(|(about, weight)| json!([about, weight.to_string()])).collect::<Vec<_>>(),
                })),
                "grows": channel.grows,
                "watched": channel.watched,
                "run_length": channel.run.len(),
                "run": if channel.run.len() > LONGEST { None } else {
                    Some(story::json_steps(&Story::new(&*report.system, &report.peak_run(channel))))
                },
            })
        })
        .collect();
    let flood = match &answer.verdict {
        Verdict::Fails(flood) => report.flood_run(ROUNDS).map(|(run, begins)| {
            let growing: Vec<Value> = flood
                .growing
                .iter()
                .map(|(name, contents)| json!({ "channel": name, "contents": contents }))
                .collect();
            json!({
                "prefix": flood.prefix.len(),
                "length": flood.pumped.rounds[0].len(),
                "rounds": flood.pumped.rounds.len(),
                "loop_start": begins,
                "growing": growing,
                "initial": elnath::Describe::show_state(&*report.system, &run.states[0]),
                "steps": story::json_steps(&Story::new(&*report.system, &run)),
            })
        }),
        _ => None,
    };
    let stages: Vec<Value> = answer
        .stages
        .iter()
        .map(|stage| {
            let figures = &stage.figures;
            json!({
                "search": stage.search.name(),
                "limit": stage.limit.map(Limit::name),
                "states": figures.states,
                "fired": figures.fired,
                "depth": figures.depth,
                "compared": figures.tested,
                "refuted": figures.refuted,
                "replaced": figures.replaced,
                "faults": figures.faults,
                "bytes": figures.bytes,
            })
        })
        .collect();
    let last = answer.stages.last().map(|stage| &stage.figures);
    json::object(
        "bounded",
        json!({
            "model": args.file.display().to_string(),
            "verdict": verdict,
            "reason": reason,
            "class": answer.class.map(elnath::bounded::Class::name),
            "relation": match args.relation { Relation::Th93 => "th93", Relation::Theta => "theta" },
            "channels": channels,
            "flood": flood,
            "lifted": report.lifted.iter()
                .map(|lifted| json!({ "name": lifted.name, "capacity": lifted.capacity })).collect::<Vec<_>>(),
            "searches": stages,
            "states": last.map(|figures| figures.states),
            "transitions": last.map(|figures| figures.fired),
            "depth": last.map(|figures| figures.depth),
            "seconds": seconds,
            "engine": "interpreter",
            "seed": args.seed,
        }),
    )
}
