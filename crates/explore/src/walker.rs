//! A session in a thread of its own: requests come as closures, one after the other, so that a session needs no lock and a long search
//! in one model does not keep the other's tab waiting.

use crate::around;
use crate::wire::{self, Graph, Info, Refusal};
use elnath::event::{Content, Field};
use elnath::session::{Effort, NodeId, Search, Session};
use elnath::source::Message;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// How long a search for a place may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// The most steps of a run that are told at a time.
const MOST_STEPS: usize = 4000;
/// The most nodes of the tree that are told at a time: the newest.
const MOST_NODES: usize = 2000;
/// A longer text is not shown beside the model.
const LONGEST_SOURCE: usize = 1 << 20;
/// Formulas are told along the run up to this length.
const FORMULAS_UP_TO: u32 = 2000;

type Task = Box<dyn FnOnce(&mut Walker) + Send>;

/// The way to a session.
#[derive(Clone)]
pub(crate) struct Way {
    tasks: Sender<Task>,
}

impl Way {
    /// Starts the thread of a session.
    pub(crate) fn to(walker: Walker) -> Self {
        let (tasks, received) = channel::<Task>();
        let mut walker = walker;
        std::thread::spawn(move || {
            for task in received {
                // A request that fails for a reason of ours is answered with an error; the others go on.
                let _ = catch_unwind(AssertUnwindSafe(|| task(&mut walker)));
            }
        });
        Self { tasks }
    }

    /// Asks it something.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Walker) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let (answer, answered) = oneshot::channel();
        let task = Box::new(move |walker: &mut Walker| _ = answer.send(what(walker)));
        self.tasks.send(task).map_err(|_| Refusal::broken())?;
        answered.await.unwrap_or_else(|_| Err(Refusal::broken()))
    }

    /// The same, for threads that may wait.
    pub(crate) fn ask_now<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Walker) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let (answer, answered) = channel();
        let task = Box::new(move |walker: &mut Walker| _ = answer.send(what(walker)));
        self.tasks.send(task).map_err(|_| Refusal::broken())?;
        answered.recv().unwrap_or_else(|_| Err(Refusal::broken()))
    }
}

/// A session with what a page needs beside it.
pub(crate) struct Walker {
    pub(crate) session: Session<'static>,
    info: Info,
    /// What the picture of the state asks for.
    placeholders: Vec<String>,
    /// The expressions that the session watches now, and what is wrong with those that it cannot.
    watched: Vec<(String, Result<usize, String>)>,
    /// By node, the name of its state, as far as it was shown.
    names: HashMap<u32, u64>,
}

impl Walker {
    pub(crate) fn new(session: Session<'static>, info: Info) -> Self {
        let placeholders = info.picture.as_ref().map_or_else(Vec::new, |picture| picture.expressions.clone());
        let mut walker = Self { session, info, placeholders, watched: Vec::new(), names: HashMap::new() };
        walker.complete();
        walker
    }

    /// Fills in what the session knows.
    fn complete(&mut self) {
        let model = self.session.model();
        self.info.language.clone_from(&model.language);
        self.info.automata = model.automata.iter().map(wire::automaton).collect();
        if self.info.properties.is_empty() {
            self.info.properties = model.properties.iter().map(wire::property).collect();
        }
        let mut rest = LONGEST_SOURCE;
        for file in model.files.clone() {
            let large = std::fs::metadata(&file).is_ok_and(|it| it.len() > rest as u64);
            let text = if large { None } else { self.session.source(&file) };
            if let Some(text) = text.filter(|text| text.len() <= rest) {
                rest -= text.len();
                self.info.sources.push(wire::Source { file, text });
            }
        }
        let initial = self.session.state_of(NodeId::ROOT);
        self.info.processes = self.session.system().actors(&initial);
        self.info.expressions = expression(&self.session.system().fields(&initial));
    }

    /// What is known of the model, with its runs.
    pub(crate) fn info(&mut self) -> Info {
        let runs = self.session.runs().to_vec();
        let mut info = self.info.clone();
        info.runs = runs.iter().map(|run| self.run(run)).collect();
        // A counterexample is what one has come for: the page opens at its end.
        info.open = info.runs.first().and_then(|run| run.nodes.last().copied()).unwrap_or(0);
        info
    }

    /// A run as the page has it.
    pub(crate) fn run(&mut self, run: &elnath::session::RunView) -> wire::Run {
        let last = run.nodes.last().copied().unwrap_or(NodeId::ROOT);
        let start = run.loop_start.and_then(|start| run.nodes.get(start).copied());
        let closes = start.is_some_and(|start| self.session.state_of(start) == self.session.state_of(last));
        wire::Run {
            name: run.name.clone(),
            text: run.text.clone(),
            nodes: run.nodes.iter().map(|node| node.0).collect(),
            loop_start: run.loop_start,
            closes,
            error: true,
        }
    }

    /// The place in the tree, if there is one.
    pub(crate) fn at(&mut self, node: u32) -> Result<(), Refusal> {
        self.session.jump(NodeId(node)).map_err(|trouble| Refusal::wrong(trouble.to_string()))
    }

    /// Everything about a node.
    pub(crate) fn view(&mut self, node: u32, watches: &[String]) -> Result<wire::View, Refusal> {
        self.watch(watches);
        self.at(node)?;
        let view = self.session.view();
        let state = self.session.state_of(NodeId(node));
        let name = self.name(node, &state);
        let again = self.again(node, name, &state);
        let before = match view.parent {
            Some(parent) => self.session.fields(parent).unwrap_or_default(),
            None => Vec::new(),
        };
        let earlier = view.parent.map(|parent| self.session.watches_at(parent).unwrap_or_default());
        let placed = wire::Placed { state: format!("{name:016x}"), again, before: &before };
        let mut shown = placed.view(&view, &self.info);
        shown.watches = self.watches(&view.watches, earlier.as_deref());
        shown.truths = self.truths(&state, view.parent, view.depth);
        Ok(shown)
    }

    /// Has the session watch these expressions and those of the picture.
    fn watch(&mut self, watches: &[String]) {
        let wanted = || watches.iter().chain(&self.placeholders);
        if self.watched.iter().map(|(text, _)| text).eq(wanted()) {
            return;
        }
        let wanted: Vec<String> = wanted().cloned().collect();
        while self.session.unwatch(0) {}
        self.watched.clear();
        for text in wanted {
            let known = self.session.watch(&text);
            let known = known.map_err(|messages| wire::told(&messages));
            self.watched.push((text, known));
        }
    }

    fn watches(
        &self,
        now: &[elnath::session::WatchView],
        before: Option<&[elnath::session::WatchView]>,
    ) -> Vec<wire::Watch> {
        let one = |(text, known): &(String, Result<usize, String>)| {
            let text = text.clone();
            let number = match known {
                Ok(number) => *number,
                Err(wrong) => {
                    return wire::Watch { text, value: None, before: None, wrong: Some(wrong.clone()) };
                }
            };
            let value = |views: &[elnath::session::WatchView]| {
                views.get(number).and_then(|view| view.value.as_ref().map(Content::text))
            };
            let wrong = now.get(number).and_then(|view| view.problem.clone());
            wire::Watch { text, value: value(now), before: before.and_then(value), wrong }
        };
        self.watched.iter().map(one).collect()
    }

    /// The propositions of the system and the parts of its formulas.
    fn truths(&mut self, state: &[u8], parent: Option<NodeId>, depth: u32) -> Vec<wire::Truth> {
        let earlier = parent.map(|parent| self.session.state_of(parent));
        let mut truths = Vec::new();
        {
            let system = self.session.system();
            let names = system.propositions();
            let mut stepper = system.stepper();
            let old = earlier.as_deref().map(|state| stepper.valuation(state));
            let now = stepper.valuation(state);
            for (number, text) in (0..).zip(names) {
                let fault = stepper.proposition_fault(state, number);
                let operands = stepper.operands(state, number);
                let values: Vec<String> =
                    operands.iter().map(|it| format!("{} = {}", it.name, it.value)).collect();
                let why = fault.map_or_else(|| values.join(", "), |fault| system.fault_name(fault));
                truths.push(wire::Truth {
                    text,
                    holds: fault.is_none().then_some(now >> number & 1 == 1),
                    before: old.map(|old| old >> number & 1 == 1),
                    why,
                });
            }
        }
        if depth > FORMULAS_UP_TO {
            return truths;
        }
        for formula in self.session.formulas() {
            let at = |depth: u32| depth.checked_sub(formula.from).map(|at| at as usize);
            let value = |part: &elnath::session::FormulaPart, depth: u32| {
                let last = part.truths.len().checked_sub(1)?;
                // The last position of a run that repeats itself is the first of its loop again.
                let number = match (at(depth)?, formula.loop_start) {
                    (number, Some(start)) if number > last => at(start)?,
                    (number, _) => number,
                };
                wire::truth(*part.truths.get(number)?)
            };
            for (number, part) in formula.parts.iter().enumerate().rev() {
                let whole = number + 1 == formula.parts.len();
                let name = formula.name.as_ref().filter(|_| whole).map(|name| format!("{name}: "));
                truths.push(wire::Truth {
                    text: format!("{}{}", name.unwrap_or_default(), part.text),
                    holds: value(part, depth),
                    before: depth.checked_sub(1).and_then(|before| value(part, before)),
                    why: String::new(),
                });
            }
        }
        truths
    }

    /// A name of a state, and notes it.
    fn name(&mut self, node: u32, state: &[u8]) -> u64 {
        let name = name_of(state);
        self.names.insert(node, name);
        name
    }

    /// The node on the way to this one with the same state.
    fn again(&mut self, node: u32, name: u64, state: &[u8]) -> Option<u32> {
        let path = self.session.path();
        let alike = path.iter().map(|node| node.0).filter(|other| *other != node);
        let alike: Vec<u32> = alike.filter(|other| self.names.get(other) == Some(&name)).collect();
        alike.into_iter().find(|&other| self.session.state_of(NodeId(other)) == state)
    }

    /// Fires a move.
    pub(crate) fn step(&mut self, node: u32, choice: u32) -> Result<u32, Refusal> {
        self.at(node)?;
        self.session.step(choice).map(|node| node.0).map_err(|trouble| Refusal::wrong(trouble.to_string()))
    }

    /// Follows choices from a node.
    pub(crate) fn follow(&mut self, node: u32, choices: &[u32]) -> Result<u32, Refusal> {
        self.at(node)?;
        for (number, &choice) in choices.iter().enumerate() {
            self.session.step(choice).map_err(|trouble| {
                Refusal::wrong(format!("step {} of {} of this link: {trouble}", number + 1, choices.len()))
            })?;
        }
        Ok(self.session.here().0)
    }

    /// Steps by chance.
    pub(crate) fn random(&mut self, node: u32, steps: u64, seed: u64) -> Result<u32, Refusal> {
        self.at(node)?;
        let begun = Instant::now();
        Ok(self.session.random(seed, steps.min(10_000), &mut |_| begun.elapsed() > PATIENCE).node.0)
    }

    /// Another continuation than those that were tried.
    pub(crate) fn other(&mut self, node: u32) -> Result<u32, Refusal> {
        self.at(node)?;
        match self.session.another() {
            Ok(Some(node)) => Ok(node.0),
            Ok(None) => Err(Refusal::wrong("there is no move on this run that leads to a new state")),
            Err(trouble) => Err(Refusal::wrong(trouble.to_string())),
        }
    }

    /// The nearest place where an expression holds, and what was found out.
    pub(crate) fn until(&mut self, node: u32, text: &str) -> Result<(u32, String), Refusal> {
        self.at(node)?;
        let begun = Instant::now();
        let found = self.session.until(text, Effort::default(), &mut |_| begun.elapsed() > PATIENCE);
        match found.map_err(|messages: Vec<Message>| Refusal::messages(&messages))? {
            Search::Found { node, steps, states } => Ok((
                node.0,
                format!("{text} holds after {steps} steps, a shortest way; {states} states were looked at"),
            )),
            Search::Nowhere { states } => Err(Refusal::wrong(format!(
                "{text} holds in none of the {states} states that can be reached from here"
            ))),
            Search::Unknown { limit, states } => Err(Refusal::wrong(format!(
                "{text} was not found in {states} states; the search was ended by its limit ({limit})"
            ))),
        }
    }

    /// The steps to a node, at most the last thousands.
    pub(crate) fn line(&mut self, node: u32) -> Result<wire::Line, Refusal> {
        self.at(node)?;
        let steps = self.session.steps_to(NodeId(node), MOST_STEPS);
        let steps = steps.map_err(|trouble| Refusal::wrong(trouble.to_string()))?;
        let first = steps.first().map_or(0, |step| step.number.saturating_sub(1));
        let steps = steps.iter().map(wire::step).collect();
        Ok(wire::Line { first, actors: self.info.processes.clone(), steps })
    }

    /// The newest nodes of the tree.
    pub(crate) fn tree(&mut self) -> Result<wire::Tree, Refusal> {
        let total = self.session.len();
        let from = total.saturating_sub(MOST_NODES) as u32;
        let mut nodes = Vec::new();
        for number in from..total as u32 {
            let node = NodeId(number);
            let entry = self.session.entry(node);
            let step = self.session.steps_to(node, 1).unwrap_or_default().pop();
            let process = step.as_ref().and_then(|step| step.events.first()).map(|event| event.actor.clone());
            let ending = self.session.ending_of(node).map_or("open", |ending| ending.kind);
            nodes.push(wire::TreeNode {
                node: number,
                parent: entry.parent.map(|parent| parent.0),
                number: entry.depth,
                text: step.map_or_else(|| "initial state".to_owned(), |step| step.text),
                process: process.unwrap_or_default(),
                ending,
            });
        }
        Ok(wire::Tree { nodes, total })
    }

    /// The graph around a node.
    pub(crate) fn graph(&mut self, node: u32, most: usize) -> Result<Graph, Refusal> {
        self.at(node)?;
        let start = self.session.state_of(NodeId(node));
        let visited: HashMap<u64, u32> = self.names.iter().map(|(&node, &name)| (name, node)).collect();
        let initial = self.session.state_of(NodeId::ROOT);
        Ok(around::graph(self.session.system(), (node, &start, &initial), most, &visited))
    }
}

/// A name of a state: states with different names differ.
pub(crate) fn name_of(state: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    state.hash(&mut hasher);
    hasher.finish()
}

/// What an expression may look like: one about the first value there is.
fn expression(fields: &[Field]) -> Option<String> {
    let full = |field: &Field| match field.owner.as_str() {
        "" => field.name.clone(),
        owner => format!("{owner}.{}", field.name),
    };
    let text = |field: &Field| match &field.content {
        Content::Number { .. } | Content::Tokens { .. } => Some(format!("{} > 0", full(field))),
        Content::Queue { .. } => Some(format!("len({}) > 0", full(field))),
        _ => None,
    };
    fields.iter().find_map(text).or_else(|| fields.first().map(full))
}
