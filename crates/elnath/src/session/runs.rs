//! Runs that are loaded into a session, to be gone through step by step: counterexamples, lassos, SPIN's trails; and whole sessions
//! that were recorded.
//!
//! A counterexample of a formula may have been found on a program that differs from the session's in its labels: what a formula looks
//! at is part of the program. Then its steps are followed statement by statement, as a trail is.

use super::tree::NodeId;
use super::view::SessionRecord;
use super::{Session, Trouble};
use crate::frontend::Loaded;
use crate::report::ViolatingRun;
use crate::trail::{Lost, Trail};
use elnath_kernel::Transition;
use elnath_logic::parse::{Dialect, Syntax, parse};
use elnath_logic::{Atom, Formulas};
use elnath_source::{Message, SourceText, codes};
use serde::Serialize;

/// A run that was loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunView {
    /// What it is called.
    pub name: String,
    /// What it shows, in words.
    pub text: String,
    /// Its positions, the initial one first.
    pub nodes: Vec<NodeId>,
    /// The step, from 0, from which on the steps are repeated for ever.
    pub loop_start: Option<usize>,
}

impl Session<'_> {
    /// The runs that were loaded.
    pub fn runs(&self) -> &[RunView] {
        &self.runs
    }

    /// Loads a run of this system by its transitions; its number in the list. The session goes to its start.
    ///
    /// # Errors
    /// If the system cannot do it, or the tree is full.
    pub fn load_steps(
        &mut self,
        (name, text): (&str, &str),
        steps: &[Transition],
        loop_start: Option<usize>,
    ) -> Result<usize, Trouble> {
        let system = self.shared();
        let mut stepper = system.stepper();
        let (mut enabled, mut next) = (Vec::new(), Vec::new());
        let mut nodes = vec![NodeId::ROOT];
        let mut state = self.tree.state(&mut *stepper, NodeId::ROOT);
        for (step, &t) in steps.iter().enumerate() {
            stepper.enabled(&state, &mut enabled);
            let choice = enabled.iter().position(|&other| other == t).ok_or(Trouble::NotARun { step })?;
            let fault = stepper.fire(&state, t, &mut next).err();
            let from = nodes[step];
            nodes.push(self.tree.add(from, choice as u32, t, (&next, fault)).ok_or(Trouble::Full)?);
            std::mem::swap(&mut state, &mut next);
        }
        self.here = NodeId::ROOT;
        self.last = nodes.last().copied();
        self.runs.push(RunView { name: name.to_owned(), text: text.to_owned(), nodes, loop_start });
        Ok(self.runs.len() - 1)
    }

    /// Loads the run that shows a violation, as [`crate::Check`] reports it; `checked` is the model that was checked, if that was
    /// another reading of the same file.
    ///
    /// # Errors
    /// If the system cannot do it, or the tree is full.
    pub fn load_violation(
        &mut self,
        (name, text): (&str, &str),
        shown: &ViolatingRun,
        checked: Option<&Loaded>,
    ) -> Result<usize, Trouble> {
        // With an automaton beside the system, the run of the system alone.
        let (run, loop_start) = match &shown.alone {
            Some((run, loop_start)) => (run, *loop_start),
            None => (&shown.run, shown.loop_start),
        };
        let direct = self.load_steps((name, text), &run.steps, loop_start);
        if let Ok(number) = direct {
            let last = *self.runs[number].nodes.last().expect("a run has a first position");
            if self.state_of(last) == run.last() {
                return Ok(number);
            }
            self.runs.pop();
        }
        let ours = self.trail.as_ref().map(|(program, table)| (program.clone(), table.clone()));
        let theirs = checked.and_then(|loaded| loaded.program.as_ref().zip(loaded.trail.as_ref()));
        let (Some((program, table)), Some((other, other_table))) = (ours, theirs) else { return direct };
        let trail = Trail::of_lasso(other, other_table, run, loop_start);
        let (run, loop_start) = trail
            .follow_lasso(&program, &table)
            .map_err(|Lost { followed }| Trouble::NotARun { step: followed })?;
        self.load_steps((name, text), &run.steps, loop_start)
    }

    /// Loads one of SPIN's trails; the number of the run.
    ///
    /// # Errors
    /// What is wrong with the trail, or where the model cannot do what it says.
    pub fn load_trail(&mut self, name: &str, text: &str) -> Result<usize, Vec<Message>> {
        let wrong = |text: String| vec![Message::about_file(text).code(codes::FOREIGN_TRAIL)];
        let Some((program, table)) = self.trail.clone() else {
            return Err(wrong(format!("{name}: only Promela models have trails")));
        };
        let trail = Trail::parse(name, text)?;
        let (run, loop_start) = trail.follow_lasso(&program, &table).map_err(|Lost { followed }| {
            let total = trail.entries.len();
            wrong(format!(
                "{name}: the model cannot do what line {} of {total} of this trail says",
                followed + 1
            ))
        })?;
        self.load_steps((name, "a trail"), &run.steps, loop_start)
            .map_err(|trouble| wrong(format!("{name}: {trouble}")))
    }

    /// Loads a run by the labels of its steps, as comparisons tell them: the first run, in the order of the moves, that has them. Of
    /// runs with equal labels, that need not be the one that was meant; its labels are.
    ///
    /// # Errors
    /// If no run has them, or the tree is full.
    pub fn load_labels(&mut self, (name, text): (&str, &str), labels: &[String]) -> Result<usize, Trouble> {
        let system = self.shared();
        let mut stepper = system.stepper();
        let mut state = Vec::new();
        stepper.initial(&mut state);
        // Sets of states after so many labels, each with a step that leads to it: a label can be tried in all of them at once.
        let mut layers: Vec<Vec<(Vec<u8>, usize, Transition)>> = vec![vec![(state, 0, Transition(0))]];
        let (mut enabled, mut next) = (Vec::new(), Vec::new());
        for (step, label) in labels.iter().enumerate() {
            let mut layer: Vec<(Vec<u8>, usize, Transition)> = Vec::new();
            let mut seen = std::collections::HashSet::new();
            for (from, (state, ..)) in layers[step].iter().enumerate() {
                stepper.enabled(state, &mut enabled);
                for &t in &enabled {
                    if system.action_name(stepper.action(state, t)) == *label {
                        let _ = stepper.fire(state, t, &mut next);
                        if seen.insert(next.clone()) {
                            layer.push((next.clone(), from, t));
                        }
                    }
                }
            }
            if layer.is_empty() {
                return Err(Trouble::NotARun { step });
            }
            layers.push(layer);
        }
        let (mut steps, mut at) = (Vec::new(), 0);
        for layer in layers[1..].iter().rev() {
            let (_, from, t) = &layer[at];
            steps.push(*t);
            at = *from;
        }
        steps.reverse();
        self.load_steps((name, text), &steps, None)
    }

    /// Loads a run by its choices; its number in the list.
    ///
    /// # Errors
    /// If one is not possible, or the tree is full.
    pub fn load_choices(
        &mut self,
        (name, text): (&str, &str),
        choices: &[u32],
        loop_start: Option<usize>,
    ) -> Result<usize, Trouble> {
        self.go(choices)?;
        let nodes = self.path();
        self.last = nodes.last().copied();
        self.here = NodeId::ROOT;
        self.runs.push(RunView { name: name.to_owned(), text: text.to_owned(), nodes, loop_start });
        Ok(self.runs.len() - 1)
    }

    /// Goes to a step of a run, counted in steps from its start. In a run that repeats its end, numbers beyond it go round.
    ///
    /// # Errors
    /// If there is no such run or step.
    pub fn scrub(&mut self, run: usize, step: usize) -> Result<NodeId, Trouble> {
        let found = self.runs.get(run).and_then(|run| {
            let last = run.nodes.len() - 1;
            match run.loop_start {
                Some(start) if step > last && last > start => {
                    Some(run.nodes[start + (step - start) % (last - start)])
                }
                _ => run.nodes.get(step).copied(),
            }
        });
        self.here = found.ok_or(Trouble::NotARun { step })?;
        Ok(self.here)
    }

    /// The session as it is, to be kept.
    pub fn record(&self) -> SessionRecord {
        let entries = self.tree();
        let texts =
            |expressions: &[super::Expression]| expressions.iter().map(|one| one.text.clone()).collect();
        let added = self.formulas.iter().filter(|formula| formula.name.is_none());
        SessionRecord {
            version: 1,
            model: self.model.name.clone(),
            tree: entries[1..]
                .iter()
                .map(|entry| (entry.parent.map_or(0, |parent| parent.0), entry.choice))
                .collect(),
            here: self.here.0,
            watches: self.watches.iter().map(|watch| watch.text.clone()).collect(),
            breakpoints: texts(&self.breakpoints),
            formulas: added.map(|formula| formula.expression.text.clone()).collect(),
        }
    }

    /// Does again what a record says, in a session in which nothing was tried.
    ///
    /// # Errors
    /// What the model cannot do, or does not understand.
    pub fn replay(&mut self, record: &SessionRecord) -> Result<(), Vec<Message>> {
        let wrong = |text: String| vec![Message::about_file(text).code(codes::FOREIGN_TRAIL)];
        if record.version != 1 {
            return Err(wrong(format!("a record of version {} is not read here", record.version)));
        }
        for &(parent, choice) in &record.tree {
            let stepped = self.jump(NodeId(parent)).and_then(|()| self.step(choice));
            stepped.map_err(|trouble| wrong(format!("the record does not fit the model: {trouble}")))?;
        }
        self.jump(NodeId(record.here)).map_err(|trouble| wrong(trouble.to_string()))?;
        for text in &record.watches {
            self.watch(text)?;
        }
        for text in &record.breakpoints {
            self.add_breakpoint(text)?;
        }
        for text in &record.formulas {
            self.add_formula(text)?;
        }
        Ok(())
    }
}

/// The texts of a formula's propositions about states, in the spelling of SPIN; none if it cannot be read. They are what a model has to be
/// [read with](crate::LoadOptions::looks_at) for the formula to be asked about.
pub fn state_atoms(text: &str) -> Vec<String> {
    let source = SourceText::new("formula", text);
    let mut formulas = Formulas::new();
    let syntax = Syntax { dialect: Dialect::Spin, known: &|_| true };
    if parse(&mut formulas, &source, 0..text.len(), syntax).is_err() {
        return Vec::new();
    }
    let states = formulas.atoms().iter().filter_map(|atom| match atom {
        Atom::State(text) => Some(text.clone()),
        Atom::Action(_) => None,
    });
    states.collect()
}
