//! What a violation is, in words: the line that says what is violated, where, and by which values; and a sentence that says
//! what happened.
//!
//! Both are made by rules from what the system tells of the last steps ([`Event`]), so that they are true of every run: nothing is
//! guessed about what the model means. The values are those that the violated expression reads in the moment in which it is
//! violated: operands of an assertion, variables of a proposition, conditions and channels that processes wait for.

use crate::report::{PropertyKind, Summary};
use crate::story::Story;
use crate::words::plural;
use elnath_check::Violation;
use elnath_kernel::event::{Event, MessageKind, Operand};
use elnath_kernel::{Run, System};

/// How many processes are named in one line.
const MOST_NAMED: usize = 4;

/// A violation in words.
pub(crate) fn in_words(
    violation: Violation,
    system: &dyn System,
    kind: PropertyKind,
    formula: &str,
) -> String {
    match violation {
        Violation::Deadlock => "deadlock: no transition is possible".to_owned(),
        Violation::Fault(fault) => system.fault_name(fault),
        Violation::Forbidden(action) => match system.action_place(action) {
            Some(place) => format!("forbidden action {} ({place})", system.action_name(action)),
            None => format!("forbidden action {}", system.action_name(action)),
        },
        Violation::Invariant(bit) => {
            format!("property \"{}\" is violated", system.propositions()[bit as usize])
        }
        Violation::FiniteRun => format!("this run does not satisfy {formula}"),
        Violation::BadRun => match kind {
            PropertyKind::Ltl => "the formula is violated".to_owned(),
            PropertyKind::Progress => "a cycle without progress".to_owned(),
            PropertyKind::Acceptance => "a cycle through an acceptance label".to_owned(),
            PropertyKind::Automaton => "a run that the automaton accepts".to_owned(),
            _ => "the claim is matched".to_owned(),
        },
    }
}

/// Which propositions of a formula hold where along a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truths {
    /// Their names, that of bit 0 first.
    pub names: Vec<String>,
    /// Those that are about actions, one bit each.
    pub actions: u64,
    /// Those that hold in each state, or match the step that is taken there.
    pub letters: Vec<u64>,
}

impl Truths {
    /// Those that hold after so many steps: in the state there, or of the step that led to it.
    pub fn after(&self, steps: usize) -> u64 {
        let letter = |at: Option<usize>| at.and_then(|at| self.letters.get(at)).copied().unwrap_or(0);
        letter(Some(steps)) & !self.actions | letter(steps.checked_sub(1)) & self.actions
    }
}

/// The values that a proposition, by its number, reads in a state.
pub(crate) type Operands<'o> = &'o dyn Fn(&[u8], usize) -> Vec<Operand>;

/// What a finite run to a violation shows.
pub(crate) fn of_finite_run(
    violation: Violation,
    system: &dyn System,
    run: &Run,
    text: String,
    truths: Option<(&Truths, Operands<'_>)>,
) -> Summary {
    let story = Story::new(system, run);
    let last = story.len().checked_sub(1).map(|last| story.step(last));
    let mut values = match violation {
        Violation::Invariant(bit) => system.stepper().operands(run.last(), bit),
        Violation::Fault(_) => {
            let mut events = last.iter().flat_map(|step| &step.events);
            let failed = events.rfind(|event| !event.operands.is_empty());
            failed.map_or_else(Vec::new, |event| event.operands.clone())
        }
        _ => Vec::new(),
    };
    let headline = match violation {
        Violation::Deadlock => {
            let after = plural(story.len() as u64, "step");
            let waiting = waiting(&story.waiting());
            let waiting = if waiting.is_empty() {
                format!("no transition of state {}", system.show_state(run.last()))
            } else {
                waiting
            };
            format!("deadlock after {after}: {waiting}")
        }
        Violation::FiniteRun => {
            let (details, read) = truths.map_or_else(Default::default, |truths| in_the_end(truths, run));
            values = read;
            if details.is_empty() { text.clone() } else { format!("{text}: {details}") }
        }
        _ if values.is_empty() => text.clone(),
        _ => format!("{text}: {}", listed(&values)),
    };
    let sentence = what_happened(violation, &story);
    Summary {
        kind: violation.name(),
        text,
        headline,
        values,
        sentence,
        length: run.steps.len(),
        loop_start: None,
    }
}

/// What a run that violates a temporal property shows.
pub(crate) fn of_infinite_run(
    (kind, asked): (PropertyKind, String),
    system: &dyn System,
    (run, loop_start): (&Run, Option<usize>),
    text: String,
    truths: (&Truths, Operands<'_>),
) -> Summary {
    let story = Story::new(system, run);
    let by_labels = matches!(kind, PropertyKind::Progress | PropertyKind::Acceptance);
    let (details, values) = match loop_start {
        None => in_the_end(truths, run),
        Some(start) if !by_labels && !truths.0.names.is_empty() => in_cycle(truths, run, start),
        Some(start) => (format!("the cycle executes {}", executed(&story, start)), Vec::new()),
    };
    // That a formula is violated need not be said beside `fails`.
    let headline = match (details.is_empty(), kind) {
        (true, _) => format!("{asked} ({text})"),
        (false, PropertyKind::Ltl) => format!("{asked}: {details}"),
        (false, _) => format!("{asked}: {text}: {details}"),
    };
    let sentence = match loop_start {
        None => what_happened(Violation::BadRun, &story),
        Some(start) => repeated(&story, start),
    };
    Summary {
        kind: Violation::BadRun.name(),
        text,
        headline,
        values,
        sentence,
        length: run.steps.len(),
        loop_start,
    }
}

/// Where a violation is, as `file:line`: the statement that fails or is forbidden, or where each process waits. A fault is where the
/// last statement of its run is.
pub(crate) fn place(violation: Violation, system: &dyn System, run: Option<&Run>) -> Option<String> {
    let written = |event: &Event| event.place.as_ref().map(|place| format!("{}:{}", place.file, place.line));
    match violation {
        Violation::Forbidden(action) => system.action_place(action),
        Violation::Fault(_) => {
            let story = Story::new(system, run?);
            let last = story.step(story.len().checked_sub(1)?);
            last.events.last().and_then(written)
        }
        Violation::Deadlock => {
            let waiting = system.waiting(run?.last());
            let mut places: Vec<String> = waiting
                .iter()
                .filter(|event| !event.ended)
                .filter_map(|event| Some(format!("{} {}", event.actor, written(event)?)))
                .collect();
            places.dedup();
            (!places.is_empty()).then(|| places.join(", "))
        }
        Violation::Invariant(_) | Violation::FiniteRun | Violation::BadRun => None,
    }
}

/// Values with their names.
pub fn listed(values: &[Operand]) -> String {
    let parts: Vec<String> =
        values.iter().map(|Operand { name, value }| format!("{name} = {value}")).collect();
    parts.join(", ")
}

/// What each process waits for, as far as it has room on one line.
fn waiting(events: &[Event]) -> String {
    let mut actors: Vec<&str> = Vec::new();
    for event in events.iter().filter(|event| !event.ended && !event.actor.is_empty()) {
        if !actors.contains(&event.actor.as_str()) {
            actors.push(&event.actor);
        }
    }
    let wait = |actor: &&str| {
        let own: Vec<&Event> = events.iter().filter(|event| event.actor == **actor && !event.ended).collect();
        let place = own[0]
            .place
            .as_ref()
            .map_or_else(String::new, |place| format!(" ({}:{})", place.file, place.line));
        let operands: Vec<Operand> = own.iter().flat_map(|event| event.operands.clone()).collect();
        let values = if operands.is_empty() {
            String::new()
        } else {
            format!(" with {}", listed(&without_repetition(operands)))
        };
        let texts: Vec<&str> = own.iter().map(|event| event.text.as_str()).collect();
        format!("{actor} waits for {}{place}{values}", texts.join(" or "))
    };
    let mut parts: Vec<String> = actors.iter().take(MOST_NAMED).map(wait).collect();
    if actors.len() > MOST_NAMED {
        parts.push(format!("{} more wait", actors.len() - MOST_NAMED));
    }
    parts.join("; ")
}

fn without_repetition(operands: Vec<Operand>) -> Vec<Operand> {
    let mut once: Vec<Operand> = Vec::new();
    for operand in operands {
        if !once.contains(&operand) {
            once.push(operand);
        }
    }
    once
}

/// What the propositions are at the end of a run: those about states in the last state, those about actions in the last step.
fn in_the_end((truths, operands): (&Truths, Operands<'_>), run: &Run) -> (String, Vec<Operand>) {
    let (mut parts, mut values) = (Vec::new(), Vec::new());
    let steps = run.steps.len();
    for (number, name) in truths.names.iter().enumerate() {
        let at = if truths.actions >> number & 1 == 1 { steps.checked_sub(1) } else { Some(steps) };
        let Some((at, letter)) = at.and_then(|at| Some((at, truths.letters.get(at)?))) else { continue };
        let truth = if letter >> number & 1 == 1 { "true" } else { "false" };
        let mut operands = operands(&run.states[at], number);
        operands.retain(|operand| operand.name != bare(name));
        let shown = if operands.is_empty() { String::new() } else { format!(" ({})", listed(&operands)) };
        parts.push(format!("{} is {truth}{shown}", bare(name)));
        values.extend(operands);
    }
    if parts.is_empty() {
        return (String::new(), values);
    }
    (format!("after {}, {}", plural(steps as u64, "step"), parts.join(", ")), without_repetition(values))
}

/// What the propositions are throughout a cycle.
fn in_cycle((truths, read): (&Truths, Operands<'_>), run: &Run, start: usize) -> (String, Vec<Operand>) {
    let (mut parts, mut values) = (Vec::new(), Vec::new());
    let letters = &truths.letters[start..run.steps.len()];
    for (number, name) in truths.names.iter().enumerate() {
        let holds = |letter: &u64| letter >> number & 1 == 1;
        let truth = match (letters.iter().any(holds), letters.iter().all(holds)) {
            (false, _) => "never true",
            (_, true) => "always true",
            _ => "sometimes true",
        };
        // Values that are the same all along are told.
        let read = |at: usize| {
            let mut operands = read(&run.states[at], number);
            operands.retain(|operand| operand.name != bare(name));
            operands
        };
        let operands = read(start);
        let constant = !operands.is_empty() && (start..run.steps.len()).all(|at| read(at) == operands);
        let shown = if constant { format!(" ({})", listed(&operands)) } else { String::new() };
        parts.push(format!("{} is {truth}{shown}", bare(name)));
        if constant {
            values.extend(operands);
        }
    }
    let steps = plural((run.steps.len() - start) as u64, "step");
    (format!("in the cycle of {steps}, {}", parts.join(", ")), without_repetition(values))
}

/// The statements of a cycle, by process: their lines.
fn executed(story: &Story<'_>, start: usize) -> String {
    let mut by_actor: Vec<(String, Vec<String>)> = Vec::new();
    for event in (start..story.len()).flat_map(|step| story.step(step).events) {
        let what = match &event.place {
            Some(place) => format!("{}:{}", place.file, place.line),
            None => event.text.clone(),
        };
        let at = match by_actor.iter().position(|(actor, _)| *actor == event.actor) {
            Some(at) => at,
            None => {
                by_actor.push((event.actor.clone(), Vec::new()));
                by_actor.len() - 1
            }
        };
        if !by_actor[at].1.contains(&what) {
            by_actor[at].1.push(what);
        }
    }
    let more = by_actor.len().saturating_sub(MOST_NAMED);
    let shown = by_actor.into_iter().take(MOST_NAMED).map(|(actor, places)| {
        let cut = if places.len() > MOST_NAMED { ", ..." } else { "" };
        let places = format!("{}{cut}", places[..places.len().min(MOST_NAMED)].join(", "));
        if actor.is_empty() { places } else { format!("{actor} ({places})") }
    });
    let mut parts: Vec<String> = shown.collect();
    if more > 0 {
        parts.push(format!("{more} more processes"));
    }
    parts.join(", ")
}

/// What the last step did, and what the process that did it had received before.
fn what_happened(violation: Violation, story: &Story<'_>) -> String {
    let Some(last) = story.len().checked_sub(1) else {
        return "No step is needed: the initial state shows it.".to_owned();
    };
    let step = story.step(last);
    // Where a statement failed, it is the last that was executed.
    let Some(event) = step.events.last() else { return String::new() };
    let mut text = format!("In step {}, {}", step.number, did(event));
    if let Some((number, received)) = received_before(story, last, &event.actor) {
        text += &format!(", after receiving {received} in step {number}");
    }
    match violation {
        Violation::Deadlock => text + "; after it nothing is possible.",
        _ => text + ".",
    }
}

/// Who did what.
fn did(event: &Event) -> String {
    let called: String = event
        .calls
        .iter()
        .map(|call| format!(", in {} called at line {}", call.name, call.place.line))
        .collect();
    let line =
        event.place.as_ref().map_or_else(String::new, |place| format!(" (line {}{called})", place.line));
    match (event.actor.as_str(), event.ended) {
        ("", _) => format!("{} happens", event.text),
        (actor, true) => format!("{actor} ends{line}"),
        (actor, false) => format!("{actor} executes {}{line}", event.text),
    }
}

/// What a process received last, before the end of a run: the step and the message.
fn received_before(story: &Story<'_>, last: usize, actor: &str) -> Option<(usize, String)> {
    /// So far back it explains nothing any more.
    const NEAR: usize = 12;
    if actor.is_empty() {
        return None;
    }
    for at in (last.saturating_sub(NEAR)..=last).rev() {
        let step = story.step(at);
        let events = if at == last { &step.events[..step.events.len() - 1] } else { &step.events[..] };
        for event in events.iter().rev() {
            let Some(message) = &event.message else { continue };
            let got = match &message.kind {
                MessageKind::Received | MessageKind::Copied => event.actor == actor,
                MessageKind::HandedOver { receiver, .. } => receiver == actor,
                MessageKind::Sent => false,
            };
            if got {
                return Some((step.number, format!("{} from {}", message.values, message.channel)));
            }
        }
    }
    None
}

/// What is repeated, and who moves.
fn repeated(story: &Story<'_>, start: usize) -> String {
    let mut actors: Vec<String> = Vec::new();
    for event in (start..story.len()).flat_map(|step| story.step(step).events) {
        if !event.actor.is_empty() && !actors.contains(&event.actor) {
            actors.push(event.actor);
        }
    }
    let steps = match (start + 1, story.len()) {
        (first, last) if first == last => format!("Step {first} is repeated for ever"),
        (first, last) => format!("Steps {first} to {last} are repeated for ever"),
    };
    let all = story.actors(start).len();
    match actors.len() {
        0 => format!("{steps}."),
        n if n == all => format!("{steps}; all processes move in them."),
        n if n <= MOST_NAMED => {
            format!("{steps}; only {} {} in them.", actors.join(", "), if n == 1 { "moves" } else { "move" })
        }
        n => format!("{steps}; {n} of {all} processes move in them."),
    }
}

/// A proposition without parentheses around all of it.
fn bare(name: &str) -> &str {
    let Some(inner) = name.strip_prefix('(').and_then(|name| name.strip_suffix(')')) else { return name };
    let mut depth = 0;
    for c in inner.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth < 0 {
            return name;
        }
    }
    bare(inner.trim())
}
