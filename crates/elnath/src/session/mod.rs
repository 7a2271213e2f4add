//! A session: a model that a person walks through, in a terminal, in a browser, or from a Rust program.
//!
//! A *position* is the list of choices that lead to it from the initial state, each the number of one of the moves that are enabled
//! there. All positions that were tried are kept as a [tree](self::tree); the session is at one of them. Whatever is shown of a position
//! ([`View`]) is computed when it is asked for, so that a model of any size opens at once, and what a session occupies is what was
//! tried ([`SessionBudget`]).
//!
//! | module | what |
//! |---|---|
//! | [`tree`] | the history, within a budget |
//! | [`view`] | what is shown, as values that can be serialised |
//! | [`expression`] | watches, breakpoints, formulas: what they mean in each language |
//! | [`truth`] | formulas and their parts along a run |
//! | [`explore`] | runs by chance, searches from here, other continuations, the states around |
//! | [`runs`] | counterexamples, lassos and trails, and sessions that were recorded |
//!
//! Everything is confirmed on the system as it is written (for programs the interpreter): there is no reduction and no machine code
//! in between.
//!
//! ```
//! use elnath::session::Session;
//! use elnath::{Model, Property};
//!
//! struct Counter;
//! impl Model for Counter {
//!     type State = u8;
//!     type Action = &'static str;
//!     fn initial(&self) -> u8 {
//!         0
//!     }
//!     fn actions(&self, state: &u8, actions: &mut Vec<&'static str>) {
//!         if *state < 3 {
//!             actions.extend(["one", "two"]);
//!         }
//!     }
//!     fn next(&self, state: &u8, action: &&'static str) -> Option<u8> {
//!         Some(state + if *action == "one" { 1 } else { 2 })
//!     }
//!     fn properties(&self) -> Vec<Property<Self>> {
//!         vec![Property::always("never 3", |_, state| *state != 3)]
//!     }
//! }
//!
//! let mut session = Session::of_model(&Counter);
//! session.step(1).unwrap();
//! session.step(0).unwrap();
//! assert_eq!(session.view().ending.kind, "invariant");
//! session.back();
//! assert_eq!(session.view().text, "2");
//! assert_eq!(session.position(), [1]);
//! ```

mod explore;
mod expression;
mod language;
mod runs;
pub mod tree;
mod truth;
pub mod view;

pub use explore::{Effort, Interrupt, RandomRun, RandomStop, Search};
pub use runs::{RunView, state_atoms};
pub use tree::{NodeId, SessionBudget};
pub use truth::{After, Truth, truths};
pub use view::*;

use crate::Demand;
use crate::chart::Chart;
use crate::frontend::{FRONT_ENDS, LoadError, LoadOptions, Loaded, load};
use crate::model::{Model, ModelSystem};
use crate::property::Wanted;
use crate::simulation::Ending;
use crate::story::Story;
use elnath_kernel::event::{Content, Field, Place};
use elnath_kernel::{Run, Successors, System};
use elnath_program::Interpreter;
use elnath_promela::TrailTable;
use elnath_source::Message;
use expression::{Expression, Sight, is_true};
use language::Language;
use serde::Serialize;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use tree::Tree;

/// How many enabled moves are listed at a position.
const MOST_MOVES: usize = 1000;
/// How many small steps it may take to explain all enabled moves: where it takes more, only their labels are told.
const MOST_EXPLAINED: u64 = 1 << 20;
/// How many positions of a run the truth of a formula is told at.
const MOST_POSITIONS: usize = 10_000;

/// A model with the positions that were tried. See the [module](self).
pub struct Session<'a> {
    system: Arc<dyn System + 'a>,
    model: ModelView,
    language: Language,
    tree: Tree,
    here: NodeId,
    /// Where `forward` leads at each position that was left by `back`.
    last: Option<NodeId>,
    watches: Vec<Watch>,
    breakpoints: Vec<Expression>,
    formulas: Vec<NamedFormula>,
    runs: Vec<RunView>,
    /// How SPIN's trails are read, if they are.
    trail: Option<(Arc<Interpreter>, TrailTable)>,
    /// Its own text, if it came from standard input.
    input: Option<Arc<str>>,
}

/// A watched expression.
#[derive(Clone)]
struct Watch {
    text: String,
    expression: Expression,
}

/// A formula with the name that the model has for it.
#[derive(Clone)]
struct NamedFormula {
    name: Option<String>,
    expression: Expression,
}

/// Why a session cannot do what is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Trouble {
    /// There is no move with this number.
    NoMove {
        /// The number.
        choice: u32,
        /// How many moves there are.
        moves: usize,
    },
    /// There is no such position.
    NoNode {
        /// Its number.
        node: NodeId,
    },
    /// The tree is as large as it may become.
    Full,
    /// The model cannot do what a run says.
    NotARun {
        /// The step, from 0, at which it cannot be followed.
        step: usize,
    },
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::NoMove { moves: 0, .. } => f.write_str("nothing is possible here"),
            Trouble::NoMove { choice, moves } => {
                write!(f, "there is no move {}: there are {moves}", u64::from(*choice) + 1)
            }
            Trouble::NoNode { node } => write!(f, "there is no position {}", node.0),
            Trouble::Full => f.write_str("the history is full: forget the other branches to go on"),
            Trouble::NotARun { step } => write!(f, "the model cannot do step {} of this run", step + 1),
        }
    }
}

impl std::error::Error for Trouble {}

impl Session<'static> {
    /// Reads a model. The formulas that it contains are shown along the run.
    ///
    /// # Errors
    /// All that is wrong with the file, or that it is too large.
    pub fn open(path: &Path, options: &LoadOptions) -> Result<(Self, Vec<Message>), LoadError> {
        let mut options = LoadOptions { property: None, together: Vec::new(), ..options.clone() };
        let mut loaded = load(path, &options)?;
        options.input.clone_from(&loaded.input);
        if !loaded.formula_texts.is_empty() && loaded.trail.is_some() {
            let named = options.looks_at.len();
            for text in &loaded.formula_texts {
                options.looks_at.extend(state_atoms(text));
            }
            match load(path, &options) {
                Ok(again) => loaded = again,
                // A formula that is written with macros for temporal operators, for example: it is not shown.
                Err(_) => options.looks_at.truncate(named),
            }
        }
        let warnings = std::mem::take(&mut loaded.warnings);
        Ok((Self::of_loaded(path, &options, &loaded), warnings))
    }

    /// A session with a model that was read with these options.
    pub fn of_loaded(path: &Path, options: &LoadOptions, loaded: &Loaded) -> Self {
        let system = loaded.subject.as_written();
        let name = path.display().to_string();
        let language = Language::of_loaded(&name, options, loaded, &*system);
        let mut session = Self::new(system, language, name.clone());
        session.trail = loaded.program.clone().zip(loaded.trail.clone());
        session.input.clone_from(&loaded.input);
        session.model.language = language_name(path, options);
        session.model.properties = properties(loaded);
        session.model.files = match &loaded.program {
            // An expression from outside the model is a text of its own, and no file.
            Some(program) => {
                let files = program.program().files.iter();
                files.filter(|file| loaded.input.is_some() || Path::new(file).exists()).cloned().collect()
            }
            None => vec![name],
        };
        session.model.automata = loaded.program.as_ref().map_or_else(Vec::new, |program| automata(program));
        for (name, text) in loaded.formulas.iter().zip(&loaded.formula_texts) {
            if let Ok(expression) = Expression::parse(text, &session.language) {
                session.formulas.push(NamedFormula { name: Some(name.clone()), expression });
            }
        }
        session
    }
}

impl Session<'static> {
    /// A session with a program that was made of a model in this file: one with other capacities, for example.
    pub fn of_program(name: &str, program: &Arc<Interpreter>) -> Self {
        let system: Arc<dyn System> = Arc::clone(program) as Arc<dyn System>;
        let language = Language::of_system(&*system);
        let mut session = Self::new(system, language, name.to_owned());
        session.model.files.clone_from(&program.program().files);
        session.model.automata = automata(program);
        session
    }
}

impl<'a> Session<'a> {
    /// A session with a model written in Rust.
    pub fn of_model<M: Model>(model: &'a M) -> Self {
        Self::of_system(Arc::new(ModelSystem::new(model)))
    }

    /// A session with any system. Its propositions are invariants, as with [`crate::Simulation`].
    pub fn of_system(system: Arc<dyn System + 'a>) -> Self {
        let language = Language::of_system(&*system);
        Self::new(system, language, String::new())
    }

    fn new(system: Arc<dyn System + 'a>, language: Language, name: String) -> Self {
        let mut initial = Vec::new();
        system.stepper().initial(&mut initial);
        let tree = Tree::new(&initial, SessionBudget::default());
        let (properties, automata, files) = (Vec::new(), Vec::new(), Vec::new());
        let model = ModelView { name, language: "system".to_owned(), properties, automata, files };
        Self {
            system,
            model,
            language,
            tree,
            here: NodeId::ROOT,
            last: None,
            watches: Vec::new(),
            breakpoints: Vec::new(),
            formulas: Vec::new(),
            runs: Vec::new(),
            trail: None,
            input: None,
        }
    }

    /// The same with another budget, before anything is tried.
    ///
    /// # Panics
    /// If something was tried.
    #[must_use]
    pub fn budget(mut self, budget: SessionBudget) -> Self {
        assert_eq!(self.tree.len(), 1, "the budget is given at the start");
        let state = self.state_of(NodeId::ROOT);
        self.tree = Tree::new(&state, budget);
        self
    }

    /// The system that is walked.
    pub fn system(&self) -> &(dyn System + 'a) {
        &*self.system
    }

    /// What is known of the model.
    pub fn model(&self) -> &ModelView {
        &self.model
    }

    /// The text of one of the model's files.
    pub fn source(&self, file: &str) -> Option<String> {
        if !self.model.files.iter().any(|known| known == file) {
            return None;
        }
        match &self.input {
            Some(text) => Some(text.to_string()),
            None => std::fs::read_to_string(file).ok(),
        }
    }

    /// Where the session is.
    pub fn here(&self) -> NodeId {
        self.here
    }

    /// The choices from the start that lead to where the session is.
    pub fn position(&self) -> Vec<u32> {
        self.position_of(self.here)
    }

    /// The choices from the start that lead to a position.
    ///
    /// # Panics
    /// If there is none with this number.
    pub fn position_of(&self, node: NodeId) -> Vec<u32> {
        self.tree.path(node)[1..].iter().map(|&node| self.tree.choice(node)).collect()
    }

    /// The positions from the start to where the session is.
    pub fn path(&self) -> Vec<NodeId> {
        self.tree.path(self.here)
    }

    /// Bytes that the history occupies, about.
    pub fn bytes(&self) -> usize {
        self.tree.bytes()
    }

    /// Takes one of the enabled moves, by its number from 0.
    ///
    /// # Errors
    /// If there is no such move, or the tree is full.
    pub fn step(&mut self, choice: u32) -> Result<NodeId, Trouble> {
        if let Some(child) = self.tree.child(self.here, choice) {
            self.here = child;
            return Ok(child);
        }
        let system = self.shared();
        let mut stepper = system.stepper();
        let state = self.tree.state(&mut *stepper, self.here);
        let (mut enabled, mut next) = (Vec::new(), Vec::new());
        stepper.enabled(&state, &mut enabled);
        let moves = enabled.len();
        let &t = enabled.get(choice as usize).ok_or(Trouble::NoMove { choice, moves })?;
        let fault = stepper.fire(&state, t, &mut next).err();
        let node = self.tree.add(self.here, choice, t, (&next, fault)).ok_or(Trouble::Full)?;
        self.here = node;
        Ok(node)
    }

    /// Goes to the position before; false at the start.
    pub fn back(&mut self) -> bool {
        let Some(parent) = self.tree.parent(self.here) else { return false };
        self.last = Some(self.last.filter(|&last| self.is_before(self.here, last)).unwrap_or(self.here));
        self.here = parent;
        true
    }

    /// Goes forward again after [`back`](Self::back), or else to the newest position that was tried from here; false if there is none.
    pub fn forward(&mut self) -> bool {
        let towards = self.last.filter(|&last| last != self.here && self.is_before(self.here, last));
        let next = match towards {
            Some(last) => self.tree.path(last).get(self.tree.depth(self.here) as usize + 1).copied(),
            None => self.tree.children(self.here).next(),
        };
        self.here = next.unwrap_or(self.here);
        next.is_some()
    }

    fn is_before(&self, node: NodeId, other: NodeId) -> bool {
        let mut at = Some(other);
        while let Some(one) = at.filter(|&one| self.tree.depth(one) >= self.tree.depth(node)) {
            if one == node {
                return true;
            }
            at = self.tree.parent(one);
        }
        false
    }

    /// Goes to a position that was tried before.
    ///
    /// # Errors
    /// If there is none with this number.
    pub fn jump(&mut self, node: NodeId) -> Result<(), Trouble> {
        self.known(node)?;
        self.here = node;
        Ok(())
    }

    /// Goes where these choices lead from the start. If one of them is not possible, the session stays where it is.
    ///
    /// # Errors
    /// If one of them is not possible, or the tree is full.
    pub fn go(&mut self, choices: &[u32]) -> Result<NodeId, Trouble> {
        let before = std::mem::replace(&mut self.here, NodeId::ROOT);
        for &choice in choices {
            if let Err(trouble) = self.step(choice) {
                self.here = before;
                return Err(trouble);
            }
        }
        Ok(self.here)
    }

    /// The positions that were tried, each after the one it was reached from.
    pub fn tree(&self) -> Vec<TreeEntry> {
        (0..self.tree.len() as u32).map(|number| self.entry(NodeId(number))).collect()
    }

    /// A position in the tree.
    ///
    /// # Panics
    /// If there is none with this number.
    pub fn entry(&self, node: NodeId) -> TreeEntry {
        TreeEntry {
            node,
            parent: self.tree.parent(node),
            choice: self.tree.choice(node),
            depth: self.tree.depth(node),
            children: self.tree.children(node).count(),
        }
    }

    /// The positions that were tried from one, the newest first.
    ///
    /// # Panics
    /// If there is none with this number.
    pub fn children(&self, node: NodeId) -> Vec<NodeId> {
        self.tree.children(node).collect()
    }

    /// How many positions were tried, the initial one included.
    pub fn len(&self) -> usize {
        self.tree.len()
    }

    /// Never: there is at least the initial position.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Forgets all positions that are neither on the way to where the session is nor after it. Positions get other numbers, and runs
    /// that were loaded are forgotten if they are not on that way.
    pub fn forget_others(&mut self) {
        let numbers = self.tree.keep_only(self.here);
        self.here = numbers[&self.here];
        self.last = self.last.and_then(|last| numbers.get(&last).copied());
        self.runs.retain_mut(|run| {
            let nodes: Option<Vec<NodeId>> =
                run.nodes.iter().map(|node| numbers.get(node).copied()).collect();
            nodes.map(|nodes| run.nodes = nodes).is_some()
        });
    }

    /// The state at a position, as the system has it.
    ///
    /// # Panics
    /// If there is no such position.
    pub fn state_of(&mut self, node: NodeId) -> Vec<u8> {
        let system = self.shared();
        self.tree.state(&mut *system.stepper(), node)
    }

    /// The state at a position, taken apart.
    ///
    /// # Errors
    /// If there is no such position.
    pub fn fields(&mut self, node: NodeId) -> Result<Vec<Field>, Trouble> {
        self.known(node)?;
        let state = self.state_of(node);
        Ok(self.system.fields(&state))
    }

    /// Everything about where the session is.
    pub fn view(&mut self) -> View {
        self.view_of(self.here).expect("the session is at a position")
    }

    /// Everything about a position.
    ///
    /// # Errors
    /// If there is no such position.
    pub fn view_of(&mut self, node: NodeId) -> Result<View, Trouble> {
        self.known(node)?;
        let state = self.state_of(node);
        let system = self.shared();
        let fields = system.fields(&state);
        let parent = self.tree.parent(node);
        let changes = match parent {
            Some(parent) => difference(&system.fields(&self.state_of(parent)), &fields),
            None => Vec::new(),
        };
        let ending = Ending::at(&*system, &mut *system.stepper(), &state, self.tree.fault(node));
        let ending =
            EndingView { kind: ending.name(), text: ending.text(&*system), is_error: ending.is_error() };
        Ok(View {
            node,
            parent,
            depth: self.tree.depth(node),
            position: self.position_of(node),
            step: self.step_view(node),
            text: system.show_state(&state),
            fields,
            changes,
            moves: self.moves_of(node)?,
            ending,
            watches: self.watches_at(node)?,
            breakpoints: self.breakpoints_at(node)?,
        })
    }

    /// How a run that ends at a position has ended.
    ///
    /// # Errors
    /// If there is no such position.
    pub fn ending_of(&mut self, node: NodeId) -> Result<EndingView, Trouble> {
        self.known(node)?;
        let state = self.state_of(node);
        let system = self.shared();
        let ending = Ending::at(&*system, &mut *system.stepper(), &state, self.tree.fault(node));
        Ok(EndingView { kind: ending.name(), text: ending.text(&*system), is_error: ending.is_error() })
    }

    /// What can happen at a position, and what cannot.
    ///
    /// # Errors
    /// If there is no such position.
    pub fn moves_of(&mut self, node: NodeId) -> Result<Moves, Trouble> {
        self.known(node)?;
        let system = self.shared();
        let (mut stepper, mut walker) = (system.stepper(), system.stepper());
        let state = self.tree.state(&mut *stepper, node);
        let mut successors = Successors::default();
        let before = stepper.work();
        stepper.successors(&state, &mut successors);
        // To explain one of the outcomes of an atomic sequence, all are computed again.
        let listed = successors.len().min(MOST_MOVES) as u64;
        let explained = (stepper.work() - before).max(listed).saturating_mul(listed) <= MOST_EXPLAINED;
        let group = |actor: String| MoveGroup { actor, enabled: Vec::new(), disabled: Vec::new() };
        let actors = system.actors(&state);
        let mut groups: Vec<MoveGroup> = actors.iter().cloned().map(group).collect();
        let of = |groups: &mut Vec<MoveGroup>, actor: &str| match groups.iter().position(|g| g.actor == actor)
        {
            Some(at) => at,
            None => {
                groups.push(group(actor.to_owned()));
                groups.len() - 1
            }
        };
        for (choice, successor) in (0..).zip(successors.iter().take(MOST_MOVES)) {
            let t = successor.transition;
            let mut events = if explained { system.events(&state, t) } else { Vec::new() }.into_iter();
            let first = events.next();
            let begins =
                || stepper.mover(t).and_then(|pid| actors.get(pid as usize)).cloned().unwrap_or_default();
            let actor = first.as_ref().map_or_else(begins, |event| event.actor.clone());
            let mut with: Vec<String> = Vec::new();
            let receiver = first.as_ref().and_then(|event| match &event.message.as_ref()?.kind {
                elnath_kernel::event::MessageKind::HandedOver { receiver, .. } => Some(receiver.clone()),
                _ => None,
            });
            let statements = usize::from(first.is_some()) + events.len();
            for other in receiver.into_iter().chain(events.map(|event| event.actor)) {
                if other != actor && !with.contains(&other) {
                    with.push(other);
                }
            }
            let label = system.action_name(stepper.action(&state, t));
            let text = first.as_ref().map_or_else(|| label.clone(), |event| event.text.clone());
            let at = of(&mut groups, &actor);
            groups[at].enabled.push(EnabledMove {
                choice,
                with,
                text,
                statements,
                label,
                place: first.as_ref().and_then(|event| event.place.clone()),
                message: first.and_then(|event| event.message),
                node: self.tree.child(node, choice),
                met: self.tree.has_state(&mut *walker, successor.state),
                fault: successor.fault.map(|fault| system.fault_name(fault)),
            });
        }
        for disabled in system.disabled(&state) {
            let at = of(&mut groups, &disabled.actor);
            groups[at].disabled.push(disabled);
        }
        Ok(Moves { groups, more: successors.len().saturating_sub(MOST_MOVES) as u64 })
    }

    /// The step that leads to a position; none at the start.
    ///
    /// # Errors
    /// If there is no such position.
    pub fn step_to(&mut self, node: NodeId) -> Result<Option<StepView>, Trouble> {
        self.known(node)?;
        Ok(self.step_view(node))
    }

    fn step_view(&mut self, node: NodeId) -> Option<StepView> {
        let parent = self.tree.parent(node)?;
        let (state, t) = (self.state_of(parent), self.tree.transition(node));
        let system = &self.system;
        Some(StepView {
            node,
            number: self.tree.depth(node),
            choice: self.tree.choice(node),
            text: system.show_transition(&state, t),
            label: system.action_name(system.stepper().action(&state, t)),
            events: system.events(&state, t),
            fault: self.tree.fault(node).map(|fault| system.fault_name(fault)),
        })
    }

    /// The last steps of the way to a position, at most so many.
    ///
    /// # Errors
    /// If there is no such position.
    pub fn steps_to(&mut self, node: NodeId, most: usize) -> Result<Vec<StepView>, Trouble> {
        self.known(node)?;
        let path = self.tree.path(node);
        let from = path.len().saturating_sub(most).max(1);
        Ok(path[from..].iter().filter_map(|&node| self.step_view(node)).collect())
    }

    /// The run to a position, for a [`crate::Story`] or a [`crate::chart::Chart`].
    ///
    /// # Errors
    /// If there is no such position.
    pub fn run_to(&mut self, node: NodeId) -> Result<Run, Trouble> {
        self.known(node)?;
        Ok(self.end_of_run(node, usize::MAX))
    }

    /// The last steps of the run to a position, at most so many.
    fn end_of_run(&mut self, node: NodeId, most: usize) -> Run {
        let path = self.tree.path(node);
        let path = &path[(path.len() - 1).saturating_sub(most)..];
        let system = self.shared();
        let mut stepper = system.stepper();
        let mut states = vec![self.tree.state(&mut *stepper, path[0])];
        let steps: Vec<_> = path[1..].iter().map(|&node| self.tree.transition(node)).collect();
        for &t in &steps {
            let mut next = Vec::new();
            // The faults are in the tree.
            let _ = stepper.fire(states.last().expect("there is one"), t, &mut next);
            states.push(next);
        }
        Run { states, steps, fault: self.tree.fault(node) }
    }

    /// The message sequence chart of the last steps to a position, at most so many.
    ///
    /// # Errors
    /// If there is no such position.
    pub fn chart_to(&mut self, node: NodeId, most: usize) -> Result<Chart, Trouble> {
        self.known(node)?;
        let run = self.end_of_run(node, most);
        let ending = Ending::at(&*self.system, &mut *self.system.stepper(), run.last(), run.fault);
        let story = Story::new(&*self.system, &run);
        let before = self.tree.depth(node) as usize - run.steps.len();
        Ok(Chart::of_end(&story, before, &ending.text(&*self.system), ending.is_error()))
    }

    /// Watches an expression; its number in the list.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn watch(&mut self, text: &str) -> Result<usize, Vec<Message>> {
        let expression = Expression::value(text, &self.language)?;
        self.watches.push(Watch { text: text.to_owned(), expression });
        Ok(self.watches.len() - 1)
    }

    /// Watches an expression no longer; false if there is none with this number.
    pub fn unwatch(&mut self, number: usize) -> bool {
        let there = number < self.watches.len();
        if there {
            self.watches.remove(number);
        }
        there
    }

    /// The watched expressions with their values at a position.
    ///
    /// # Errors
    /// If there is no such position.
    pub fn watches_at(&mut self, node: NodeId) -> Result<Vec<WatchView>, Trouble> {
        self.known(node)?;
        let state = self.state_of(node);
        let label = self.label_of(node);
        let of = |watch: &Watch| watch.expression.shown(&watch.text, &*self.system, &state, label.as_deref());
        Ok(self.watches.iter().map(of).collect())
    }

    /// The value of a watched expression at each of the last positions on the way to one, at most so many.
    ///
    /// # Errors
    /// If there is no such position.
    pub fn watch_history(
        &mut self,
        number: usize,
        node: NodeId,
        most: usize,
    ) -> Result<Vec<WatchView>, Trouble> {
        self.known(node)?;
        let Some(watch) = self.watches.get(number).cloned() else { return Ok(Vec::new()) };
        let path = self.tree.path(node);
        let mut values = Vec::new();
        for &node in &path[path.len().saturating_sub(most)..] {
            let (state, label) = (self.state_of(node), self.label_of(node));
            values.push(watch.expression.shown(&watch.text, &*self.system, &state, label.as_deref()));
        }
        Ok(values)
    }

    /// Adds a breakpoint: a condition about a state, or about the step to it with `action(PATTERN)`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn add_breakpoint(&mut self, text: &str) -> Result<usize, Vec<Message>> {
        self.breakpoints.push(Expression::condition(text, &self.language)?);
        Ok(self.breakpoints.len() - 1)
    }

    /// Removes a breakpoint; false if there is none with this number.
    pub fn remove_breakpoint(&mut self, number: usize) -> bool {
        let there = number < self.breakpoints.len();
        if there {
            self.breakpoints.remove(number);
        }
        there
    }

    /// The breakpoints, and which of them hold at a position.
    ///
    /// # Errors
    /// If there is no such position.
    pub fn breakpoints_at(&mut self, node: NodeId) -> Result<Vec<WatchView>, Trouble> {
        self.known(node)?;
        let (state, label) = (self.state_of(node), self.label_of(node));
        let of = |one: &Expression| {
            let holds = one.holds(&*self.system, &state, label.as_deref());
            WatchView {
                text: one.text.clone(),
                value: Some(Content::Truth { value: holds }),
                holds,
                problem: None,
            }
        };
        Ok(self.breakpoints.iter().map(of).collect())
    }

    /// Adds a formula whose truth is shown along the run; its number in the list.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn add_formula(&mut self, text: &str) -> Result<usize, Vec<Message>> {
        let expression = Expression::parse(text, &self.language)?;
        self.formulas.push(NamedFormula { name: None, expression });
        Ok(self.formulas.len() - 1)
    }

    /// Removes a formula; false if there is none with this number.
    pub fn remove_formula(&mut self, number: usize) -> bool {
        let there = number < self.formulas.len();
        if there {
            self.formulas.remove(number);
        }
        there
    }

    /// The formulas with the truth of each of their parts at every position of the current run: of one that was loaded, if the session
    /// is on it, else of the way to where the session is. Of a long one, the last positions.
    pub fn formulas(&mut self) -> Vec<FormulaView> {
        let formulas = self.formulas.clone();
        formulas.iter().map(|formula| self.formula_view(formula)).collect()
    }

    fn formula_view(&mut self, formula: &NamedFormula) -> FormulaView {
        let on_run = self.runs.iter().rev().find(|run| run.nodes.contains(&self.here));
        let (path, loop_start) = match on_run {
            Some(run) => (run.nodes.clone(), run.loop_start),
            None => (self.path(), None),
        };
        let system = self.shared();
        let mut stepper = system.stepper();
        let last = *path.last().expect("a run has a first position");
        let ended = self.tree.fault(last).is_none() && {
            let (state, mut enabled) = (self.state_of(last), Vec::new());
            stepper.enabled(&state, &mut enabled);
            enabled.is_empty()
        };
        // A run that repeats steps n to the end comes back to the state before step n: its last state is that state again.
        let (path, back, closing) = match loop_start {
            Some(start) if start + 1 < path.len() => {
                (path[..path.len() - 1].to_vec(), Some(start), Some(last))
            }
            Some(_) => {
                let back = path.len() - 1;
                (path, Some(back), None)
            }
            None if ended => {
                let back = path.len() - 1;
                (path, Some(back), None)
            }
            None => (path, None, None),
        };
        let skipped = path.len().saturating_sub(MOST_POSITIONS).min(back.unwrap_or(usize::MAX));
        let expression = &formula.expression;
        let mut letters = Vec::new();
        for (at, &node) in path.iter().enumerate().skip(skipped) {
            let state = self.tree.state(&mut *stepper, node);
            // A step belongs to the position where it is taken.
            let taken = path.get(at + 1).copied().or(closing);
            let label =
                taken.map(|next| system.action_name(stepper.action(&state, self.tree.transition(next))));
            let letter = expression.sights.iter().map(|sight| match (sight, &label) {
                (Sight::Label(matches), Some(label)) => matches(label).into(),
                (Sight::Label(_), None) if back.is_some() => Truth::False,
                (Sight::Label(_), None) => Truth::Open,
                (sight, _) => sight.holds(&*system, &state).into(),
            });
            letters.push(letter.collect());
        }
        let parts = expression.parts();
        let ids: Vec<_> = parts.iter().map(|(id, _)| *id).collect();
        let after = back.map_or(After::Open, |back| After::Back(back - skipped));
        let values = truths(&expression.formulas, &ids, &letters, after);
        let parts = parts.into_iter().zip(values);
        FormulaView {
            name: formula.name.clone(),
            text: expression.text.clone(),
            from: skipped as u32,
            loop_start: back.map(|back| back as u32),
            parts: parts.map(|((_, text), truths)| FormulaPart { text, truths }).collect(),
        }
    }

    /// The label of the step to a position.
    fn label_of(&mut self, node: NodeId) -> Option<String> {
        let parent = self.tree.parent(node)?;
        let (state, t) = (self.state_of(parent), self.tree.transition(node));
        Some(self.system.action_name(self.system.stepper().action(&state, t)))
    }

    fn known(&self, node: NodeId) -> Result<(), Trouble> {
        if self.tree.has(node) { Ok(()) } else { Err(Trouble::NoNode { node }) }
    }

    /// The system that is walked, to be kept.
    pub fn shared(&self) -> Arc<dyn System + 'a> {
        Arc::clone(&self.system)
    }
}

impl Expression {
    /// An expression with its value after a step with this label.
    fn shown(&self, text: &str, system: &dyn System, state: &[u8], label: Option<&str>) -> WatchView {
        let text = text.to_owned();
        let value = match &self.sights[..] {
            [sight] if self.is_one_value() && !self.looks_at_labels() => sight.value(system, state),
            _ => Ok(Content::Truth { value: self.holds(system, state, label) }),
        };
        match value {
            Ok(value) => WatchView { text, holds: is_true(&value), value: Some(value), problem: None },
            Err(problem) => WatchView { text, value: None, holds: false, problem: Some(problem) },
        }
    }
}

fn language_name(path: &Path, options: &LoadOptions) -> String {
    if let Some(language) = &options.language {
        return language.clone();
    }
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let endings =
        FRONT_ENDS.iter().flat_map(|one| one.extensions.iter().map(move |ending| (one.name, ending)));
    let fits = endings.filter(|(_, ending)| name.ends_with(&format!(".{ending}")));
    fits.max_by_key(|(_, ending)| ending.len()).map_or("aut", |(name, _)| name).to_owned()
}

fn properties(loaded: &Loaded) -> Vec<PropertyView> {
    let view = |demand: Demand| {
        let name = demand.name().to_owned();
        let formula = match &demand {
            Demand::Infinite(Wanted::Claim(name)) => {
                let at = loaded.formulas.iter().position(|known| known == name);
                at.and_then(|at| loaded.formula_texts.get(at).cloned())
            }
            _ => None,
        };
        PropertyView { name, formula }
    };
    loaded.demands().into_iter().map(view).collect()
}

fn automata(program: &Interpreter) -> Vec<AutomatonView> {
    let program = program.program();
    let place = |place: elnath_program::ir::Place| Place {
        file: program.files[place.file as usize].clone(),
        line: place.line,
    };
    let of = |process: &elnath_program::ir::ProcessType| {
        let locations = process.locations.iter().zip(0..).map(|(location, number)| LocationView {
            number,
            labels: location.labels.clone(),
            end: location.end,
        });
        let edges = (0..process.locations.len() as u32).flat_map(|from| {
            process.leaving(elnath_program::ir::Loc(from)).map(move |(_, command)| (from, command))
        });
        let edges = edges.map(|(from, command)| AutomatonEdge {
            from,
            to: command.target.0,
            text: command.text.clone(),
            place: command.place.map(place),
        });
        AutomatonView {
            name: process.name.clone(),
            initial: process.entry.0,
            locations: locations.collect(),
            edges: edges.collect(),
        }
    };
    program.processes.iter().map(of).collect()
}
