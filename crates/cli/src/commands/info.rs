//! `elnath info`.

use crate::Exit;
use crate::commands::check;
use crate::options::InfoArgs;
use crate::report::terminal::Terminal;
use crate::report::{json, render};
use elnath::LoadOptions;
use elnath::LotosSystem;
use elnath::PetriSystem;
use elnath::System as _;
use elnath::lts::{Info, Lts};
use elnath::net::Rules;
use elnath::program::ir::{Capacity, Init, Program, Variable};
use elnath::source::Message;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::time::Instant;

/// What there is to be said to those who hide or rename labels that nobody knows yet.
const UNEXPLORED: &str = "note: the labels of this model are not known before it is explored, so that --hide, --hide-all-but and \
                          --rename change nothing here (elnath convert with these options writes its graph)";

pub(crate) fn run(args: &InfoArgs, terminal: &Terminal) -> Exit {
    let begin = Instant::now();
    let is_network = match &args.model.language {
        Some(language) => language == "network",
        None => args.file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("net")),
    };
    let rules = match args.labels.rules() {
        Ok(rules) => rules,
        Err(messages) => return terminal.bad_input(&messages, "info"),
    };
    if is_network {
        return network(args, rules.as_deref(), terminal);
    }
    let options = LoadOptions { observed: rules.is_some(), rules, ..check::load_options(&args.model) };
    let loaded = match elnath::load(&args.file, &options) {
        Ok(loaded) => loaded,
        Err(error) => return terminal.bad_input(&error.into_messages(), "info"),
    };
    terminal.warnings(&loaded.warnings);
    terminal.warnings(&check::unmet_taus(&args.model, std::slice::from_ref(&loaded)));
    terminal.warnings(
        &loaded.label_warnings(true).into_iter().filter(|_| loaded.explicit.is_some()).collect::<Vec<_>>(),
    );
    if let Some(program) = &loaded.program {
        if loaded.rules.is_some() {
            terminal.note(UNEXPLORED);
        }
        return of_program(args, terminal, program.program(), loaded.engine, begin.elapsed().as_secs_f64());
    }
    if let Some(specification) = &loaded.lotos {
        if loaded.rules.is_some() {
            terminal.note(UNEXPLORED);
        }
        return of_lotos(args, terminal, specification, loaded.engine);
    }
    if let Some(net) = &loaded.petri {
        return of_net(args, terminal, net, loaded.engine);
    }
    let engine = loaded.engine;
    let Some(lts) = loaded.into_graph(args.model.tau.clone()) else {
        let message = format!("{}: info works on explicit transition systems only", args.file.display());
        return terminal.bad_input(&[Message::about_file(message)], "info");
    };
    let info = Info::new(&lts);
    let seconds = begin.elapsed().as_secs_f64();
    let file = args.file.display().to_string();
    if terminal.json {
        terminal.object(&object(&file, &lts, &info, engine, seconds));
    } else {
        tell(terminal, &lts, &info, seconds);
    }
    Exit::Holds
}

/// The facts for machines.
fn object(file: &str, lts: &Lts, info: &Info, engine: &str, seconds: f64) -> Value {
    json::object(
        "info",
        json!({
            "model": file,
            "states": info.states,
            "transitions": info.transitions,
            "reachable_states": info.reachable_states,
            "distinct_reachable_transitions": info.distinct_reachable_transitions,
            "labels": info.labels,
            "tau_transitions": info.tau_transitions,
            "tau_labels": info.tau_labels,
            "deadlocks": info.deadlock_states,
            "components": info.components,
            "nontrivial_components": info.nontrivial_components,
            "largest_component": info.largest_component,
            "livelock": info.livelock(),
            "livelocked_states": info.livelocked_states,
            "deterministic": info.deterministic,
            "bytes": lts.bytes(),
            "seconds": seconds,
            "engine": engine,
        }),
    )
}

/// The facts for people.
fn tell(terminal: &Terminal, lts: &Lts, info: &Info, seconds: f64) {
    let row = |name: &str, value: String| terminal.say(&format!("{name:<24}{value}"));
    let unreachable = info.states as u64 - info.reachable_states as u64;
    // With unreachable states, the difference is not only made of repetitions.
    let repeated =
        if unreachable > 0 { 0 } else { (info.transitions - info.distinct_reachable_transitions) as u64 };
    row("states", with_note(info.states as u64, unreachable, "unreachable"));
    row("transitions", with_note(info.transitions as u64, repeated, "repeated"));
    row("labels", render::grouped(info.labels as u64));
    let taus = &info.tau_labels;
    let tau = if taus.is_empty() { String::new() } else { format!(" ({})", taus.join(", ")) };
    row("internal transitions", format!("{}{tau}", render::grouped(info.tau_transitions as u64)));
    row("deadlocks", render::grouped(info.deadlock_states as u64));
    row(
        "components",
        format!(
            "{} strongly connected, {} of them cyclic, the largest of {}",
            render::grouped(info.components as u64),
            render::grouped(info.nontrivial_components as u64),
            render::plural(info.largest_component as u64, "state"),
        ),
    );
    row(
        "livelock",
        if info.livelock() {
            format!("yes, {} on internal cycles", render::plural(info.livelocked_states as u64, "state"))
        } else {
            "no".to_owned()
        },
    );
    row("deterministic", if info.deterministic { "yes" } else { "no" }.to_owned());
    row(
        "memory",
        format!(
            "{} ({:.1} bytes per transition), read in {seconds:.2} s",
            render::bytes(lts.bytes() as u64),
            lts.bytes() as f64 / info.transitions.max(1) as f64
        ),
    );
}

/// What can be said about a network without exploring it.
fn network(args: &InfoArgs, rules: Option<&Rules>, terminal: &Terminal) -> Exit {
    let loaded = match elnath::load_network(&args.file, &check::load_options(&args.model)) {
        Ok(loaded) => loaded,
        Err(error) => return terminal.bad_input(&error.into_messages(), "info"),
    };
    terminal.warnings(&loaded.warnings);
    let components = loaded.network.components();
    let names: Vec<&str> = components.iter().map(|component| component.name.as_str()).collect();
    let labels = loaded.labels.map(|labels| match rules {
        Some(rules) => {
            let new: HashSet<_> = labels.iter().map(|label| rules.apply(label)).collect();
            terminal.warnings(&rules.warnings(true));
            new.len()
        }
        None => labels.len(),
    });
    if labels.is_none() && rules.is_some() {
        terminal.note(UNEXPLORED);
    }
    let bytes = loaded.network.bytes();
    if terminal.json {
        terminal.object(&json::object(
            "info",
            json!({
                "model": args.file.display().to_string(),
                "components": names,
                "labels": labels,
                "bytes": bytes,
                "engine": "network",
            }),
        ));
        return Exit::Holds;
    }
    let row = |name: &str, value: String| terminal.say(&format!("{name:<24}{value}"));
    row("components", format!("{}: {}", render::grouped(names.len() as u64), names.join(", ")));
    row(
        "labels",
        match labels {
            Some(labels) => format!("{} at most", render::grouped(labels as u64)),
            None => "not known before it is explored".to_owned(),
        },
    );
    row("memory", render::bytes(bytes as u64));
    Exit::Holds
}

/// What a specification in LOTOS consists of.
fn of_lotos(args: &InfoArgs, terminal: &Terminal, specification: &LotosSystem, engine: &str) -> Exit {
    let (gates, processes, bytes) = (specification.gates(), specification.processes(), specification.bytes());
    if terminal.json {
        let model = args.file.display().to_string();
        let fields = json!({ "model": model, "gates": gates, "processes": processes, "bytes": bytes, "engine": engine });
        terminal.object(&json::object("info", fields));
        return Exit::Holds;
    }
    let row = |name: &str, value: String| terminal.say(&format!("{name:<24}{value}"));
    let list = |names: String, count: usize| format!("{}: {names}", render::grouped(count as u64));
    row("gates", list(gates.join(", "), gates.len()));
    row("processes", list(processes.join(", "), processes.len()));
    row("labels", "not known before it is explored".to_owned());
    row("memory", render::bytes(bytes as u64));
    Exit::Holds
}

/// What a Petri net consists of.
fn of_net(args: &InfoArgs, terminal: &Terminal, system: &PetriSystem, engine: &str) -> Exit {
    let (net, labels) = (system.net(), system.labels().count());
    let tokens: u64 = net.initial.iter().map(|&tokens| u64::from(tokens)).sum();
    let weights = net.consumes.iter().chain(&net.produces).flatten();
    let heaviest = weights.map(|(_, weight)| *weight).max().unwrap_or(0);
    if terminal.json {
        let fields = json!({
            "model": args.file.display().to_string(),
            "net": net.name,
            "places": net.places.len(),
            "net_transitions": net.transitions.len(),
            "arcs": net.arcs(),
            "heaviest_arc": heaviest,
            "units": net.units.len(),
            "initial_tokens": tokens,
            "labels": labels,
            "state_bytes": system.state_bytes(),
            "bytes": system.bytes(),
            "engine": engine,
        });
        terminal.object(&json::object("info", fields));
        return Exit::Holds;
    }
    let row = |name: &str, value: String| terminal.say(&format!("{name:<24}{value}"));
    row("net", net.name.clone());
    row("places", render::grouped(net.places.len() as u64));
    row("transitions", render::grouped(net.transitions.len() as u64));
    row("arcs", format!("{}, the heaviest of weight {heaviest}", render::grouped(net.arcs() as u64)));
    row("units", render::grouped(net.units.len() as u64));
    row("tokens at the start", render::grouped(tokens));
    row("labels", render::grouped(labels as u64));
    row("bytes of a marking", render::grouped(system.state_bytes() as u64));
    row("memory", render::bytes(system.bytes() as u64));
    Exit::Holds
}

/// What can be said of a program without walking it.
fn of_program(args: &InfoArgs, terminal: &Terminal, program: &Program, engine: &str, seconds: f64) -> Exit {
    let locations: usize = program.processes.iter().map(|process| process.locations.len()).sum();
    let commands: usize = program.processes.iter().map(|process| process.commands.len()).sum();
    let of = |variables: &[Variable]| -> usize {
        let made = variables.iter().filter(|variable| matches!(variable.init, Init::Channel(_)));
        made.map(|variable| variable.len() as usize).sum()
    };
    let channels = of(&program.globals);
    let own: usize = program.processes.iter().map(|process| of(&process.locals)).sum();
    let unbounded = program.channels.iter().any(|channel| channel.capacity == Capacity::Unbounded);
    if terminal.json {
        let fields = json!({
            "model": args.file.display().to_string(),
            "process_types": program.processes.len(),
            "initial_processes": program.initial.len(),
            "locations": locations,
            "commands": commands,
            "variables": program.globals.len(),
            "channels": channels,
            "channels_of_processes": own,
            "unbounded_channels": unbounded,
            "seconds": seconds,
            "engine": engine,
        });
        terminal.object(&json::object("info", fields));
        return Exit::Holds;
    }
    let row = |name: &str, value: String| terminal.say(&format!("{name:<24}{value}"));
    let kinds: Vec<&str> = program.processes.iter().map(|process| process.name.as_str()).collect();
    row("kinds of processes", format!("{} ({})", kinds.len(), kinds.join(", ")));
    row("processes at the start", program.initial.len().to_string());
    row("locations", render::grouped(locations as u64));
    row("commands", render::grouped(commands as u64));
    row("global variables", render::grouped(program.globals.len() as u64));
    let bound = if unbounded { ", some without bound" } else { "" };
    row("channels", format!("{channels} global, {own} of processes{bound}"));
    Exit::Holds
}

fn with_note(number: u64, part: u64, what: &str) -> String {
    let total = render::grouped(number);
    if part == 0 { total } else { format!("{total} ({} {what})", render::grouped(part)) }
}
