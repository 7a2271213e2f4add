//! `elnath random`.

use crate::Exit;
use crate::commands::convert;
use crate::options::{GraphArgs, RandomArgs};
use crate::report::terminal::Terminal;
use crate::report::{json, render};
use elnath::random::{RandomGraph, RandomLts};
use elnath::source::Message;
use serde_json::json;

pub(crate) fn run(args: &RandomArgs, terminal: &Terminal) -> Exit {
    let planned = convert::format_of(&args.output).and_then(|format| {
        convert::graph_output(&args.output, &[], args.force, terminal).map(|output| (format, output))
    });
    let (format, output) = match planned {
        Ok(planned) => planned,
        Err(messages) => return terminal.bad_input(&messages, "random"),
    };
    let RandomLts { lts, seed } = match generate(&args.graph) {
        Ok(generated) => generated,
        Err(messages) => return terminal.bad_input(&messages, "random"),
    };
    if let Err(messages) = convert::write(&lts, format, &output) {
        return terminal.bad_input(&messages, "random");
    }
    if terminal.json {
        terminal.object(&json::object(
            "random",
            json!({
                "output": args.output.display().to_string(),
                "states": lts.num_states(),
                "transitions": lts.num_transitions(),
                "seed": seed,
            }),
        ));
    } else {
        terminal.note(&format!(
            "{}, {}, seed {seed}",
            render::plural(lts.num_states() as u64, "state"),
            render::plural(lts.num_transitions() as u64, "transition")
        ));
    }
    Exit::Holds
}

/// A random graph of the wanted size.
pub(crate) fn generate(args: &GraphArgs) -> Result<RandomLts, Vec<Message>> {
    let graph =
        RandomGraph { states: args.states, degree: args.degree, labels: args.labels, seed: args.seed };
    graph.generate().ok_or_else(|| {
        let GraphArgs { states, degree, .. } = args;
        vec![
            Message::about_file(format!("no random graph of degree {degree} comes near {states} states"))
                .help(
                    "with a degree of 3 or less graphs die out early; take a larger degree or fewer states",
                ),
        ]
    })
}
