//! A run as something to tell: for each transition its statements, in the terms of the model.
//!
//! Steps are explained when they are asked for, because a depth-first search may come back with a run of a million
//! steps of which nobody reads more than the ends.

use elnath_kernel::event::StatePart;
use elnath_kernel::{Event, Run, System};

/// A run of a system.
#[derive(Clone, Copy)]
pub struct Story<'a> {
    system: &'a dyn System,
    run: &'a Run,
}

/// One transition of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its number, from 1.
    pub number: usize,
    /// The transition on one line.
    pub action: String,
    /// What happened, statement by statement.
    pub events: Vec<Event>,
    /// The state after it.
    pub state: String,
}

impl<'a> Story<'a> {
    /// The story of a run.
    pub fn new(system: &'a dyn System, run: &'a Run) -> Self {
        Self { system, run }
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.run.steps.len()
    }

    /// Whether nothing happened.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The state in which it begins.
    pub fn initial(&self) -> String {
        self.system.show_state(&self.run.states[0])
    }

    /// The state in which it begins, as a table.
    pub fn initial_parts(&self) -> Vec<StatePart> {
        self.system.state_parts(&self.run.states[0])
    }

    /// The state in which it ends, as a table.
    pub fn final_parts(&self) -> Vec<StatePart> {
        self.system.state_parts(self.run.last())
    }

    /// The actors at the beginning of a step, from 0.
    pub fn actors(&self, step: usize) -> Vec<String> {
        self.system.actors(&self.run.states[step])
    }

    /// A step, from 0.
    pub fn step(&self, step: usize) -> Step {
        let (state, t) = (&self.run.states[step], self.run.steps[step]);
        Step {
            number: step + 1,
            action: self.system.show_transition(state, t),
            events: self.system.events(state, t),
            state: self.system.show_state(&self.run.states[step + 1]),
        }
    }

    /// What each actor waits for at the end.
    pub fn waiting(&self) -> Vec<Event> {
        self.system.waiting(self.run.last())
    }

    /// All steps.
    pub fn steps(&self) -> impl Iterator<Item = Step> + 'a {
        let story = *self;
        (0..self.len()).map(move |step| story.step(step))
    }
}
