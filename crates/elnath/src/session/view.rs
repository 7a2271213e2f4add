//! What a session shows, as values that can be printed, drawn and sent: everything here can be serialised. The fields are described in
//! docs/explorer.md.

use super::expression::full_name;
use super::tree::NodeId;
use super::truth::Truth;
use elnath_kernel::event::{Content, Disabled, Event, Field, Message, Place, element_name};
use serde::{Deserialize, Serialize};

/// Everything about one position.
#[derive(Clone, Debug, Serialize)]
pub struct View {
    /// Its number in the tree.
    pub node: NodeId,
    /// Where it was reached from.
    pub parent: Option<NodeId>,
    /// How many steps lie before it.
    pub depth: u32,
    /// The choices from the start that lead to it.
    pub position: Vec<u32>,
    /// The step that led to it; none at the start.
    pub step: Option<StepView>,
    /// The state on one line.
    pub text: String,
    /// The state.
    pub fields: Vec<Field>,
    /// What is different from the state before; nothing at the start.
    pub changes: Vec<FieldChange>,
    /// What can happen, and what cannot.
    pub moves: Moves,
    /// How a run that ends here has ended.
    pub ending: EndingView,
    /// The watched expressions with their values.
    pub watches: Vec<WatchView>,
    /// The breakpoints, and which of them hold here.
    pub breakpoints: Vec<WatchView>,
}

/// How a run has ended, or that it has not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EndingView {
    /// `deadlock`, `valid end`, `fault`, `invariant` or `open`.
    pub kind: &'static str,
    /// In words.
    pub text: String,
    /// Whether something is wrong.
    pub is_error: bool,
}

/// A step.
#[derive(Clone, Debug, Serialize)]
pub struct StepView {
    /// The position that it leads to.
    pub node: NodeId,
    /// Its number on the way there, from 1.
    pub number: u32,
    /// Which of the enabled moves it is, from 0.
    pub choice: u32,
    /// The step on one line.
    pub text: String,
    /// Its action: what `action(PATTERN)` matches.
    pub label: String,
    /// What happened, statement by statement.
    pub events: Vec<Event>,
    /// The fault that it ran into.
    pub fault: Option<String>,
}

/// A value that is different.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldChange {
    /// The owner of the field.
    pub owner: String,
    /// Its name; of an array, that of the element.
    pub name: String,
    /// The value before; none if the field is new.
    pub old: Option<Content>,
    /// The value now; none if the field is gone.
    pub new: Option<Content>,
}

/// What can happen at a position, by process, and what cannot.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Moves {
    /// The processes, in the order of their numbers; one without a name if the model has none.
    pub groups: Vec<MoveGroup>,
    /// How many enabled moves are not listed.
    pub more: u64,
}

/// The moves of a process.
#[derive(Clone, Debug, Serialize)]
pub struct MoveGroup {
    /// The process; empty if the model has none.
    pub actor: String,
    /// What it can begin.
    pub enabled: Vec<EnabledMove>,
    /// What it cannot do, with the reasons.
    pub disabled: Vec<Disabled>,
}

/// A move that is possible.
#[derive(Clone, Debug, Serialize)]
pub struct EnabledMove {
    /// Its number among all that are possible, from 0.
    pub choice: u32,
    /// Who else takes part.
    pub with: Vec<String>,
    /// The first statement.
    pub text: String,
    /// How many statements there are.
    pub statements: usize,
    /// Its action.
    pub label: String,
    /// Where the statement is written.
    pub place: Option<Place>,
    /// The message it sends or receives first.
    pub message: Option<Message>,
    /// Where it leads in the tree, if it was tried.
    pub node: Option<NodeId>,
    /// Whether the state it leads to was met before in this session.
    pub met: bool,
    /// The fault it runs into.
    pub fault: Option<String>,
}

impl Moves {
    /// All enabled moves that are listed, in the order of their numbers.
    pub fn enabled(&self) -> Vec<&EnabledMove> {
        let mut all: Vec<&EnabledMove> = self.groups.iter().flat_map(|group| &group.enabled).collect();
        all.sort_by_key(|one| one.choice);
        all
    }
}

/// A watched expression or a breakpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WatchView {
    /// The expression.
    pub text: String,
    /// Its value; none if it has none.
    pub value: Option<Content>,
    /// Whether it holds.
    pub holds: bool,
    /// Why it has no value.
    pub problem: Option<String>,
}

/// A formula along the current run.
#[derive(Clone, Debug, Serialize)]
pub struct FormulaView {
    /// Its name, if the model has one for it.
    pub name: Option<String>,
    /// The formula.
    pub text: String,
    /// The first position, counted in steps from the start, that is told.
    pub from: u32,
    /// The position where a cycle begins that the run repeats for ever; the last one if it stays there.
    pub loop_start: Option<u32>,
    /// Its subformulas, each after its own; the formula itself is the last.
    pub parts: Vec<FormulaPart>,
}

/// A subformula along a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FormulaPart {
    /// The subformula.
    pub text: String,
    /// Whether it holds at each position.
    pub truths: Vec<Truth>,
}

/// A part of the tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TreeEntry {
    /// The position.
    pub node: NodeId,
    /// Where it was reached from.
    pub parent: Option<NodeId>,
    /// The choice that led to it.
    pub choice: u32,
    /// How many steps lie before it.
    pub depth: u32,
    /// How many of its moves were tried.
    pub children: usize,
}

/// What is known of a session's model.
#[derive(Clone, Debug, Serialize)]
pub struct ModelView {
    /// Its name: the file.
    pub name: String,
    /// The language, or `system`.
    pub language: String,
    /// What it demands.
    pub properties: Vec<PropertyView>,
    /// Its process types as automata, where it has some.
    pub automata: Vec<AutomatonView>,
    /// The files that it is written in.
    pub files: Vec<String>,
}

/// A property of the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PropertyView {
    /// Its name, by which `--only` chooses it.
    pub name: String,
    /// The formula, if it is one.
    pub formula: Option<String>,
}

/// A process type as an automaton.
#[derive(Clone, Debug, Serialize)]
pub struct AutomatonView {
    /// The process type; an actor is called so, with a colon and its number.
    pub name: String,
    /// Where it begins.
    pub initial: u32,
    /// Its locations.
    pub locations: Vec<LocationView>,
    /// Its statements.
    pub edges: Vec<AutomatonEdge>,
}

/// A location of a process type.
#[derive(Clone, Debug, Serialize)]
pub struct LocationView {
    /// Its number, as in [`Content::Location`].
    pub number: u32,
    /// Its labels.
    pub labels: Vec<String>,
    /// Whether a run may end here.
    pub end: bool,
}

/// A statement of a process type.
#[derive(Clone, Debug, Serialize)]
pub struct AutomatonEdge {
    /// From this location.
    pub from: u32,
    /// To this one.
    pub to: u32,
    /// The statement.
    pub text: String,
    /// Where it is written.
    pub place: Option<Place>,
}

/// The states around a position.
#[derive(Clone, Debug, Serialize)]
pub struct Neighbourhood {
    /// The states, the one at the position first, in the order in which they are met.
    pub states: Vec<NeighbourState>,
    /// The steps between them.
    pub edges: Vec<NeighbourEdge>,
}

/// A state near a position.
#[derive(Clone, Debug, Serialize)]
pub struct NeighbourState {
    /// The state on one line.
    pub text: String,
    /// How many steps it is away.
    pub distance: u32,
    /// The choices that lead there from the position.
    pub choices: Vec<u32>,
    /// Whether its steps are all in the picture; else it is on the frontier.
    pub expanded: bool,
    /// Whether it was met in the session.
    pub met: bool,
    /// `deadlock`, `valid end`, `invariant` or `open`.
    pub ending: &'static str,
}

/// A step between two of them.
#[derive(Clone, Debug, Serialize)]
pub struct NeighbourEdge {
    /// From this state, by its number in the list.
    pub from: u32,
    /// To this one.
    pub to: u32,
    /// The action.
    pub label: String,
    /// Which of the moves it is.
    pub choice: u32,
    /// Whether it runs into a fault.
    pub fault: bool,
}

/// A session as a text that can be kept and loaded again: the tree of what was tried, and what is looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRecord {
    /// The version of this format: 1.
    pub version: u32,
    /// The model.
    pub model: String,
    /// The positions but the first, in the order in which they were tried: the number of the parent, and the choice made there.
    pub tree: Vec<(u32, u32)>,
    /// Where the user is.
    pub here: u32,
    /// The watched expressions.
    pub watches: Vec<String>,
    /// The breakpoints.
    pub breakpoints: Vec<String>,
    /// The formulas that were added.
    pub formulas: Vec<String>,
}

/// What is different between two states.
pub fn difference(old: &[Field], new: &[Field]) -> Vec<FieldChange> {
    let mut changes = Vec::new();
    let is_same = |a: &Field, b: &Field| a.owner == b.owner && a.name == b.name;
    for field in new {
        match old.iter().find(|before| is_same(before, field)) {
            Some(before) => compare(before, field, &mut changes),
            None => changes.push(change(field, None, Some(field.content.clone()))),
        }
    }
    let gone = old.iter().filter(|before| !new.iter().any(|field| is_same(before, field)));
    changes.extend(gone.map(|before| change(before, Some(before.content.clone()), None)));
    changes
}

fn change(field: &Field, old: Option<Content>, new: Option<Content>) -> FieldChange {
    FieldChange { owner: field.owner.clone(), name: field.name.clone(), old, new }
}

fn compare(before: &Field, field: &Field, changes: &mut Vec<FieldChange>) {
    if before.content == field.content {
        return;
    }
    match (&before.content, &field.content) {
        (Content::Array { dims, elements: old }, Content::Array { dims: same, elements: new })
            if dims == same =>
        {
            for (at, (old, new)) in old.iter().zip(new).enumerate().filter(|(_, (old, new))| old != new) {
                changes.push(FieldChange {
                    owner: field.owner.clone(),
                    name: element_name(&field.name, dims, at),
                    old: Some(old.clone()),
                    new: Some(new.clone()),
                });
            }
        }
        (old, new) => changes.push(change(field, Some(old.clone()), Some(new.clone()))),
    }
}

impl FieldChange {
    /// The full name of what has changed.
    pub fn full_name(&self) -> String {
        let (owner, name) = (self.owner.clone(), self.name.clone());
        full_name(&Field { owner, name, content: Content::Text { value: String::new() } })
    }
}
