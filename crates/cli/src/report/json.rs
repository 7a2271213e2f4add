//! The machine-readable form of answers. The schema is described in docs/json.md: fields are added, never renamed.

use crate::commands::check;
use crate::limits;
use crate::report::story;
use elnath::reductions::Figure;
use elnath::source::{Message, Severity};
use elnath::{
    Counters, Coverage, Fairness, Plan, Reading, Report, Scouted, Story, Swarmed, Temporal, Verdict,
    Violation,
};
use serde_json::{Map, Value, json};

/// The version of the schema; it changes only if a field changes its meaning.
const SCHEMA: u32 = 1;

/// The fields that every object has; those about which a command has nothing to say are null.
const COMMON: [&str; 13] = [
    "verdict",
    "states",
    "transitions",
    "insertions",
    "depth",
    "seconds",
    "peak_bytes",
    "bytes_per_state",
    "coverage",
    "engine",
    "store",
    "reductions",
    "seed",
];

/// An object with the fields that every command's answer has.
pub(crate) fn object(command: &str, fields: Value) -> Value {
    let mut object = Map::new();
    object.insert("schema".into(), SCHEMA.into());
    object.insert("elnath".into(), env!("CARGO_PKG_VERSION").into());
    object.insert("command".into(), command.into());
    object.extend(COMMON.map(|field| (field.to_owned(), Value::Null)));
    object.insert("peak_bytes".into(), limits::peak_bytes().into());
    if let Value::Object(fields) = fields {
        object.extend(fields);
    }
    Value::Object(object)
}

/// The answer to a check.
pub(crate) fn check(file: &str, engine: &str, report: &Report<'_>, seconds: f64) -> Value {
    let Counters { states, states_exact, insertions, generated, transitions, depth, replacements, .. } =
        report.counters;
    let (verdict, reason) = match &report.verdict {
        Verdict::Holds(_) => ("holds", None),
        Verdict::Fails(_) => ("fails", None),
        Verdict::Unknown(limit) => ("unknown", Some(limit.name())),
    };
    let violation = report.violation.as_ref().map(|(violation, run)| {
        json!({
            "kind": match violation {
                Violation::Deadlock => "deadlock",
                Violation::Fault(_) => "fault",
                Violation::Forbidden(_) => "forbidden",
                Violation::Invariant(_) => "invariant",
                Violation::FiniteRun => "formula",
                Violation::BadRun => "run",
            },
            "text": report.violation_text(),
            "length": run.steps.len(),
            "loop_start": report.temporal.as_ref().and_then(|temporal| temporal.loop_start),
            "initial": report.system.show_state(&run.states[0]),
            "steps": story::json_steps(&Story::new(&*report.system, run)),
            "waiting": match violation {
                Violation::Deadlock => story::json_waiting(&Story::new(&*report.system, run)),
                _ => Vec::new(),
            },
        })
    });
    let mut answer = object(
        "check",
        json!({
            "model": file,
            "verdict": verdict,
            "reason": reason,
            "violation": violation,
            "errors": report.errors.total(),
            "error_kinds": {
                "deadlock": report.errors.deadlocks,
                "fault": report.errors.faults,
                "forbidden": report.errors.forbidden,
                "invariant": report.errors.invariants,
                "formula": report.errors.formula,
            },
            "finite": report.finite.as_ref().map(|property| json!({
                "formula": property.formula(),
                "reading": match property.which() { Reading::Prefix => "prefix", Reading::Maximal => "maximal" },
                "asked": property.words(),
                "vacuous": check::vacuous(report),
            })),
            "states": states,
            "states_exact": states_exact,
            "transitions": transitions,
            "insertions": insertions,
            "generated": generated,
            "replacements": replacements,
            "depth": depth,
            "seconds": seconds,
            "store_bytes": report.counters.store_bytes,
            "path_bytes": report.counters.path_bytes,
            "disk_bytes": report.counters.disk_bytes,
            "exact_ran_out_at": report.before.map(|before| before.states),
            "model_bytes": report.system.bytes(),
            "bytes_per_state": report.counters.bytes_per_state(),
            "coverage": coverage(report),
            "never_executed": report.dead_parts().iter().map(|(place, text)| json!({
                "place": place,
                "text": text,
            })).collect::<Vec<_>>(),
            "engine": engine,
            "search": match &report.temporal {
                Some(temporal) => temporal.method.name(),
                None => report.plan.search.name(),
            },
            "property": report.temporal.as_ref().map(property),
            "threads": report.workers(),
            "one_thread_because": report.one_worker(),
            "store": report.plan.store.name(),
            "reductions": used(report),
            "compilations": report.compilations,
            "seed": report.plan.seed,
            "swarm": report.swarm.as_ref().map(swarm),
            "scouts": report.scouted.as_ref().map(scouts),
        }),
    );
    if let Value::Object(fields) = &mut answer {
        fields.extend(stages(report));
    }
    answer
}

/// The reductions that were used.
fn used(report: &Report<'_>) -> Vec<&'static str> {
    report.stages.iter().filter(|stage| stage.outcome.is_ok()).map(|stage| stage.name).collect()
}

/// What became of each reduction, under its name; null if it was not wanted.
fn stages(report: &Report<'_>) -> impl Iterator<Item = (String, Value)> {
    elnath::REDUCTIONS.iter().map(|reduction| {
        let outcome = report.stage(reduction.name).map(|stage| &stage.outcome);
        let value = match outcome {
            None => Value::Null,
            Some(Err(why)) => json!({ "left": why }),
            Some(Ok(did)) => {
                let figures = did.figures.iter().map(|(name, figure)| match figure {
                    Figure::Count(count) => ((*name).to_owned(), json!(count)),
                    Figure::Names(names) => ((*name).to_owned(), json!(names)),
                });
                figures.chain([("left".to_owned(), Value::Null)]).collect()
            }
        };
        (reduction.name.to_owned(), value)
    })
}

/// What a swarm did.
fn swarm(swarm: &Swarmed) -> Value {
    json!({
        "searches": swarm.searches,
        "complete": swarm.complete,
        "cut": swarm.cut,
        "distinct_states": swarm.distinct,
        "expected_omissions_of_the_best": match swarm.best {
            Some(Coverage::Lossy { expected_omissions, .. }) => Some(expected_omissions),
            _ => None,
        },
        "found_by": swarm.found_by.map(|member| json!({
            "seed": member.seed,
            "hashes": member.k,
            "order": member.order.name(),
            "depth": (member.depth != usize::MAX).then_some(member.depth),
        })),
    })
}

/// What scouts did.
fn scouts(scouted: &Scouted) -> Value {
    json!({
        "states": scouted.states,
        "transitions": scouted.transitions,
        "found": scouted.find.as_ref().map(|find| json!({
            "by": find.by.name(),
            "seed": find.seed,
            "length": find.length,
            "shortened": find.shortened,
        })),
    })
}

/// What was asked about infinite runs.
fn property(temporal: &Temporal) -> Value {
    let Temporal { property, strength, size, faults, .. } = temporal;
    json!({
        "kind": property.kind,
        "name": property.name,
        "text": property.text,
        "automaton": {
            "states": size.states,
            "edges": size.edges,
            "acceptance_sets": size.sets,
            "strength": strength.name(),
        },
        "fairness": match property.question.fairness {
            Fairness::None => None,
            Fairness::Weak => Some("weak"),
            Fairness::Strong => Some("strong"),
            Fairness::Live => Some("live"),
        },
        "finite_runs": if property.question.stutter { "extend" } else { "ignore" },
        "model_faults": if property.question.faults { "check" } else { "ignore" },
        "reading": temporal.reading(),
        "faults": faults,
    })
}

/// The answer when the model alone does not fit: nothing was searched.
pub(crate) fn too_large(file: &str, plan: &Plan, transitions_read: u64, seconds: f64) -> Value {
    object(
        "check",
        json!({
            "model": file,
            "verdict": "unknown",
            "reason": "memory",
            "violation": null,
            "errors": 0,
            "states": 0,
            "states_exact": true,
            "transitions": 0,
            "transitions_read": transitions_read,
            "insertions": 0,
            "generated": 0,
            "replacements": 0,
            "depth": 0,
            "seconds": seconds,
            "store_bytes": 0,
            "path_bytes": 0,
            "bytes_per_state": 0,
            "coverage": { "kind": "partial" },
            "search": plan.search.name(),
            "threads": plan.workers(),
            "store": plan.store.name(),
            "reductions": [],
            "seed": plan.seed,
        }),
    )
}

fn coverage(report: &Report<'_>) -> Value {
    let kind = match (report.end, report.coverage) {
        (elnath::End::Complete, Coverage::Exhaustive) => "exhaustive",
        (elnath::End::Complete, Coverage::Lossy { .. }) => "lossy",
        _ => "partial",
    };
    match report.coverage {
        Coverage::Exhaustive => json!({ "kind": kind }),
        Coverage::Lossy { expected_omissions, omission_probability } => json!({
            "kind": kind,
            "expected_omissions": expected_omissions,
            "omission_probability": omission_probability,
        }),
    }
}

/// Broken input.
pub(crate) fn bad_input(command: &str, messages: &[Message]) -> Value {
    object(command, json!({ "messages": messages.iter().map(message).collect::<Vec<_>>() }))
}

fn message(message: &Message) -> Value {
    let place = message.place.as_ref();
    json!({
        "severity": match message.severity { Severity::Error => "error", Severity::Warning => "warning" },
        "text": message.text,
        "file": place.map(|place| &place.file),
        "line": place.map(|place| place.line),
        "column": place.map(elnath::source::Place::column),
        "help": message.help,
    })
}
