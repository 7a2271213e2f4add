//! What is sent: the schema that docs/explorer.md describes, as values. The page has the same as types (page/src/wire.ts).

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use elnath::event::{Content, Event as Happened, Field, MessageKind, Place as InText, element_name};
use elnath::session;
use elnath::source::Message;
use serde::Serialize;
use std::collections::BTreeMap;

/// The version of the schema.
pub(crate) const SCHEMA: u32 = 1;

/// Why a request is not answered.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    error: String,
    help: Option<String>,
}

impl Refusal {
    pub(crate) fn wrong(error: impl Into<String>) -> Self {
        Self { status: StatusCode::UNPROCESSABLE_ENTITY, error: error.into(), help: None }
    }

    pub(crate) fn unknown(error: impl Into<String>) -> Self {
        Self { status: StatusCode::NOT_FOUND, error: error.into(), help: None }
    }

    /// A mistake of ours: the request could not be answered, and the others can.
    pub(crate) fn broken() -> Self {
        let error = "elnath could not answer this, which is a bug of elnath".to_owned();
        Self { status: StatusCode::INTERNAL_SERVER_ERROR, error, help: None }
    }

    pub(crate) fn messages(messages: &[Message]) -> Self {
        let help = messages.iter().find_map(|message| message.help.clone());
        Self { status: StatusCode::UNPROCESSABLE_ENTITY, error: told(messages), help }
    }

    pub(crate) fn text(&self) -> &str {
        &self.error
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let body = serde_json::json!({ "error": self.error, "help": self.help });
        (self.status, axum::Json(body)).into_response()
    }
}

/// Messages as one text.
pub(crate) fn told(messages: &[Message]) -> String {
    messages.iter().map(|message| message.text.as_str()).collect::<Vec<_>>().join("; ")
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Value {
    Plain { text: String },
    Queue { items: Vec<String>, capacity: Option<u32> },
    List { items: Vec<Value> },
}

impl Value {
    fn of(content: &Content) -> Self {
        match content {
            Content::Queue { capacity, messages, .. } if *capacity != Some(0) => {
                let item =
                    |fields: &Vec<Content>| fields.iter().map(Content::text).collect::<Vec<_>>().join(",");
                Value::Queue { items: messages.iter().map(item).collect(), capacity: *capacity }
            }
            Content::Array { elements, .. } => {
                Value::List { items: elements.iter().map(Value::of).collect() }
            }
            other => Value::Plain { text: other.text() },
        }
    }
}

/// A part of a state.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Wire {
    pub(crate) owner: String,
    pub(crate) name: String,
    pub(crate) value: Value,
    pub(crate) before: Option<Value>,
    pub(crate) changed: bool,
}

/// The parts of a state, and what they were before.
pub(crate) fn parts(fields: &[Field], before: &[Field], compare: bool) -> Vec<Wire> {
    /// An array of more elements is told as those that have changed.
    const MANY: usize = 64;
    let mut parts = Vec::new();
    // A rendez-vous holds nothing, so that there is nothing to show.
    let holds = |field: &&Field| !matches!(field.content, Content::Queue { capacity: Some(0), .. });
    for field in fields.iter().filter(holds) {
        let old = before.iter().find(|old| old.owner == field.owner && old.name == field.name);
        let changed = compare && old.is_none_or(|old| old.content != field.content);
        let name = field.name.replace("[]", "");
        match &field.content {
            Content::Array { dims, elements } if elements.len() > MANY => {
                let earlier = old.and_then(|old| match &old.content {
                    Content::Array { elements, .. } => Some(elements),
                    _ => None,
                });
                for (at, element) in elements.iter().enumerate() {
                    let old = earlier.and_then(|earlier| earlier.get(at));
                    let differs = compare && old.is_some_and(|old| old != element);
                    if differs || at < MANY {
                        parts.push(Wire {
                            owner: field.owner.clone(),
                            name: element_name(&field.name, dims, at),
                            value: Value::of(element),
                            before: old.filter(|_| differs).map(Value::of),
                            changed: differs,
                        });
                    }
                }
            }
            content => parts.push(Wire {
                owner: field.owner.clone(),
                name: if name.is_empty() { "at".to_owned() } else { name },
                value: Value::of(content),
                before: old.filter(|_| changed).map(|old| Value::of(&old.content)),
                changed,
            }),
        }
    }
    parts
}

/// A place in a file.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Place {
    file: String,
    line: u32,
}

fn place(place: Option<&InText>) -> Option<Place> {
    place.map(|place| Place { file: place.file.clone(), line: place.line })
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Sent {
    channel: String,
    values: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    receiver: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Operand {
    name: String,
    value: String,
}

/// A statement of a step.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Event {
    actor: String,
    text: String,
    place: Option<Place>,
    messages: Vec<Sent>,
    output: Vec<String>,
    created: Vec<String>,
    ended: bool,
    operands: Vec<Operand>,
}

fn event(event: &Happened) -> Event {
    let sent = |message: &elnath::event::Message| {
        let (kind, receiver) = match &message.kind {
            MessageKind::Sent => ("sent", None),
            MessageKind::Received => ("received", None),
            MessageKind::Copied => ("copied", None),
            MessageKind::HandedOver { receiver, .. } => ("handed over", Some(receiver.clone())),
        };
        Sent { channel: message.channel.clone(), values: message.values.clone(), kind, receiver }
    };
    // A statement that is several things at once has all of its messages inside.
    let messages: Vec<Sent> = match event.inside.as_slice() {
        [] => event.message.iter().map(sent).collect(),
        inside => inside.iter().map(sent).collect(),
    };
    let operand = |it: &elnath::event::Operand| Operand { name: it.name.clone(), value: it.value.clone() };
    Event {
        actor: event.actor.clone(),
        text: event.text.clone(),
        place: place(event.place.as_ref()),
        messages,
        output: event.output.clone(),
        created: event.created.clone(),
        ended: event.ended,
        operands: event.operands.iter().map(operand).collect(),
    }
}

/// A step of a run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Step {
    node: u32,
    number: u32,
    text: String,
    events: Vec<Event>,
    fault: Option<String>,
}

pub(crate) fn step(step: &session::StepView) -> Step {
    Step {
        node: step.node.0,
        number: step.number,
        text: step.text.clone(),
        events: step.events.iter().map(event).collect(),
        fault: step.fault.clone(),
    }
}

/// The steps of a run, after the first ones.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Line {
    pub(crate) first: u32,
    pub(crate) actors: Vec<String>,
    pub(crate) steps: Vec<Step>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Move {
    number: u32,
    text: String,
    place: Option<Place>,
    tried: Option<u32>,
    fault: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Disabled {
    text: String,
    place: Option<Place>,
    why: String,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Group {
    process: String,
    moves: Vec<Move>,
    disabled: Vec<Disabled>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Watch {
    pub(crate) text: String,
    pub(crate) value: Option<String>,
    pub(crate) before: Option<String>,
    pub(crate) wrong: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Truth {
    pub(crate) text: String,
    pub(crate) holds: Option<bool>,
    pub(crate) before: Option<bool>,
    pub(crate) why: String,
}

/// A truth, if it is known.
pub(crate) fn truth(truth: session::Truth) -> Option<bool> {
    match truth {
        session::Truth::True => Some(true),
        session::Truth::False => Some(false),
        session::Truth::Open => None,
    }
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Ending {
    kind: &'static str,
    text: String,
    error: bool,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Location {
    process: String,
    place: Option<Place>,
    automaton: Option<usize>,
    at: Option<u32>,
}

/// Everything about a position.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct View {
    node: u32,
    parent: Option<u32>,
    length: u32,
    path: String,
    state: String,
    step: Option<Step>,
    parts: Vec<Wire>,
    locations: Vec<Location>,
    groups: Vec<Group>,
    pub(crate) watches: Vec<Watch>,
    pub(crate) truths: Vec<Truth>,
    ending: Ending,
    again: Option<u32>,
    /// What was found out on the way here, if it was looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
}

/// What a view is beside what the session says.
pub(crate) struct Placed<'b> {
    pub(crate) state: String,
    pub(crate) again: Option<u32>,
    pub(crate) before: &'b [Field],
}

impl Placed<'_> {
    pub(crate) fn view(self, view: &session::View, info: &Info) -> View {
        let group = |group: &session::MoveGroup| Group {
            process: group.actor.clone(),
            moves: group.enabled.iter().map(one_move).collect(),
            disabled: group
                .disabled
                .iter()
                .map(|it| Disabled {
                    text: it.text.clone(),
                    place: place(it.place.as_ref()),
                    why: it.why.text(),
                })
                .collect(),
        };
        View {
            node: view.node.0,
            parent: view.parent.map(|parent| parent.0),
            length: view.depth,
            path: path(&view.position),
            state: self.state,
            step: view.step.as_ref().map(step),
            parts: parts(&view.fields, self.before, view.parent.is_some()),
            locations: locations(&view.fields, info),
            groups: view.moves.groups.iter().map(group).collect(),
            watches: Vec::new(),
            truths: Vec::new(),
            ending: Ending {
                kind: view.ending.kind,
                text: view.ending.text.clone(),
                error: view.ending.is_error,
            },
            again: self.again,
            note: None,
        }
    }
}

fn one_move(it: &session::EnabledMove) -> Move {
    let mut text = it.text.clone();
    if it.statements > 1 {
        text.push_str(&format!("  (and {} more)", it.statements - 1));
    }
    if !it.with.is_empty() {
        text.push_str(&format!("  with {}", it.with.join(", ")));
    }
    Move {
        number: it.choice,
        text,
        place: place(it.place.as_ref()),
        tried: it.node.map(|node| node.0),
        fault: it.fault.clone(),
    }
}

/// Where the processes are.
fn locations(fields: &[Field], info: &Info) -> Vec<Location> {
    let of = |field: &Field| match &field.content {
        Content::Location { number, place: written, .. } => {
            let kind = field.owner.split(':').next().unwrap_or(&field.owner);
            Some(Location {
                process: field.owner.clone(),
                place: place(written.as_ref()),
                automaton: info.automata.iter().position(|it| it.name == kind),
                at: Some(*number),
            })
        }
        _ => None,
    };
    fields.iter().filter_map(of).collect()
}

/// Choices as a text for a URL: numbers with dots between them, `n*k` for one that is repeated.
pub(crate) fn path(choices: &[u32]) -> String {
    let mut text = String::new();
    for run in choices.chunk_by(|a, b| a == b) {
        if !text.is_empty() {
            text.push('.');
        }
        text.push_str(&run[0].to_string());
        if run.len() > 1 {
            text.push_str(&format!("*{}", run.len()));
        }
    }
    text
}

/// Choices from such a text.
///
/// # Errors
/// If it is none, or too long.
pub(crate) fn choices(path: &str) -> Result<Vec<u32>, Refusal> {
    /// What is longer nobody has clicked.
    const MOST: usize = 1 << 20;
    let wrong = || Refusal::wrong("this is no list of choices");
    let mut choices = Vec::new();
    for part in path.split('.').filter(|part| !part.is_empty()) {
        let (number, times) = part.split_once('*').unwrap_or((part, "1"));
        let number: u32 = number.parse().map_err(|_| wrong())?;
        let times: usize = times.parse().map_err(|_| wrong())?;
        if choices.len() + times > MOST {
            return Err(Refusal::wrong("this list of choices is too long"));
        }
        choices.extend(std::iter::repeat_n(number, times));
    }
    Ok(choices)
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct TreeNode {
    pub(crate) node: u32,
    pub(crate) parent: Option<u32>,
    pub(crate) number: u32,
    pub(crate) text: String,
    pub(crate) process: String,
    pub(crate) ending: &'static str,
}

/// The newest nodes of the tree, and how many there are.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<TreeNode>,
    pub(crate) total: usize,
}

/// A run with a name.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Run {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) nodes: Vec<u32>,
    #[serde(rename = "loop")]
    pub(crate) loop_start: Option<usize>,
    pub(crate) closes: bool,
    pub(crate) error: bool,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Source {
    pub(crate) file: String,
    pub(crate) text: String,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct State {
    id: u32,
    label: String,
    line: Option<u32>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Edge {
    from: u32,
    to: u32,
    text: String,
    line: Option<u32>,
}

/// A process type.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Automaton {
    pub(crate) name: String,
    states: Vec<State>,
    edges: Vec<Edge>,
    initial: u32,
}

pub(crate) fn automaton(view: &session::AutomatonView) -> Automaton {
    let line = |edge: &session::AutomatonEdge| edge.place.as_ref().map(|place| place.line);
    let state = |location: &session::LocationView| {
        let line = view.edges.iter().filter(|edge| edge.from == location.number).find_map(line);
        let label = match (location.labels.first(), line) {
            (Some(label), Some(line)) => format!("{label} ({line})"),
            (Some(label), None) => label.clone(),
            (None, Some(line)) => line.to_string(),
            (None, None) => "end".to_owned(),
        };
        State { id: location.number, label, line }
    };
    let edge = |edge: &session::AutomatonEdge| Edge {
        from: edge.from,
        to: edge.to,
        text: edge.text.clone(),
        line: line(edge),
    };
    // Locations that no statement leads to or from are not drawn.
    let used = |number: u32| {
        number == view.initial || view.edges.iter().any(|edge| edge.from == number || edge.to == number)
    };
    Automaton {
        name: view.name.clone(),
        states: view.locations.iter().filter(|it| used(it.number)).map(state).collect(),
        edges: view.edges.iter().map(edge).collect(),
        initial: view.initial,
    }
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Property {
    pub(crate) name: String,
    pub(crate) text: String,
}

pub(crate) fn property(view: &session::PropertyView) -> Property {
    let text = view.formula.clone().unwrap_or_else(|| view.name.clone());
    Property { name: view.name.clone(), text }
}

/// A picture of the state, with what is to be filled in.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Picture {
    pub(crate) svg: String,
    pub(crate) expressions: Vec<String>,
}

/// What is known of a model.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Info {
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) language: String,
    pub(crate) sources: Vec<Source>,
    pub(crate) processes: Vec<String>,
    pub(crate) properties: Vec<Property>,
    pub(crate) formulas: bool,
    pub(crate) automata: Vec<Automaton>,
    pub(crate) picture: Option<Picture>,
    pub(crate) runs: Vec<Run>,
    pub(crate) open: u32,
    pub(crate) expressions: Option<String>,
}

/// What is compared.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Compared {
    pub(crate) names: [String; 2],
    pub(crate) relation: &'static str,
    pub(crate) direction: &'static str,
    pub(crate) relations: Vec<&'static str>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct GraphNode {
    pub(crate) id: u32,
    pub(crate) state: String,
    pub(crate) label: String,
    pub(crate) lines: Vec<String>,
    pub(crate) path: Vec<u32>,
    pub(crate) explored: bool,
    pub(crate) ending: &'static str,
    pub(crate) initial: bool,
    pub(crate) keys: BTreeMap<String, String>,
    pub(crate) tree: Option<u32>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct GraphEdge {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) label: String,
    pub(crate) process: String,
    pub(crate) fault: bool,
}

/// The graph around a position.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Graph {
    pub(crate) centre: u32,
    pub(crate) nodes: Vec<GraphNode>,
    pub(crate) edges: Vec<GraphEdge>,
    pub(crate) more: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_as_it_was_written() {
        for wanted in [&[][..], &[0], &[3, 3, 3], &[0, 1, 1, 0, 12, 12]] {
            assert_eq!(choices(&path(wanted)).expect("a path"), wanted);
        }
        assert_eq!(path(&[0, 1, 1, 0, 12, 12]), "0.1*2.0.12*2");
    }

    #[test]
    fn a_path_that_is_none_is_refused() {
        for text in ["x", "1.-2", "1*x", "0*99999999"] {
            assert!(choices(text).is_err(), "{text}");
        }
    }
}
