//! One run at a time: choosing transitions by chance, by hand or after a trail, and saying how the run ended.

use elnath_kernel::{Fault, Run, Stepper, System, Transition};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// No transition is possible, and the run may not end here.
    Deadlock,
    /// No transition is possible, and the run may end here.
    ValidEnd,
    /// The last transition ran into a fault.
    Fault(Fault),
    /// The proposition with this number is false in the last state.
    Invariant(u32),
    /// It could go on.
    Open,
}

impl Ending {
    /// How a replayed run ended.
    pub fn of(system: &dyn System, run: &Run) -> Self {
        Self::at(system, &mut *system.stepper(), run.last(), run.fault)
    }

    /// How a run ended that came to this state, by a step with this fault if there was one.
    pub fn at(system: &dyn System, stepper: &mut dyn Stepper, state: &[u8], fault: Option<Fault>) -> Self {
        if let Some(fault) = fault {
            return Ending::Fault(fault);
        }
        let propositions = system.propositions().len() as u32;
        let valuation = stepper.valuation(state);
        if let Some(bit) = (0..propositions).find(|bit| valuation >> bit & 1 == 0) {
            return Ending::Invariant(bit);
        }
        let mut enabled = Vec::new();
        stepper.enabled(state, &mut enabled);
        if !enabled.is_empty() {
            Ending::Open
        } else if stepper.may_end(state) {
            Ending::ValidEnd
        } else {
            Ending::Deadlock
        }
    }

    /// Whether something is wrong.
    pub fn is_error(self) -> bool {
        matches!(self, Ending::Deadlock | Ending::Fault(_) | Ending::Invariant(_))
    }

    /// One word for machines.
    pub fn name(self) -> &'static str {
        match self {
            Ending::Deadlock => "deadlock",
            Ending::ValidEnd => "valid end",
            Ending::Fault(_) => "fault",
            Ending::Invariant(_) => "invariant",
            Ending::Open => "open",
        }
    }

    /// In words.
    pub fn text(self, system: &dyn System) -> String {
        match self {
            Ending::Deadlock => {
                "deadlock: no transition is possible, and the run may not end here".to_owned()
            }
            Ending::ValidEnd => "valid end: no transition is possible, and the run may end here".to_owned(),
            Ending::Fault(fault) => system.fault_name(fault),
            Ending::Invariant(bit) => {
                format!("property \"{}\" is violated", system.propositions()[bit as usize])
            }
            Ending::Open => "the run could go on".to_owned(),
        }
    }
}

/// A run that is being made.
#[doc(alias = "walk")]
pub struct Simulation<'a> {
    system: &'a dyn System,
    stepper: Box<dyn Stepper + 'a>,
    enabled: Vec<Transition>,
    run: Run,
}

impl<'a> Simulation<'a> {
    /// Begins in the initial state.
    pub fn new(system: &'a dyn System) -> Self {
        let mut stepper = system.stepper();
        let (mut state, mut enabled) = (Vec::new(), Vec::new());
        stepper.initial(&mut state);
        stepper.enabled(&state, &mut enabled);
        let run = Run { states: vec![state], steps: Vec::new(), fault: None };
        Self { system, stepper, enabled, run }
    }

    /// The transitions possible now.
    pub fn enabled(&self) -> &[Transition] {
        &self.enabled
    }

    /// The run so far.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Fires one of the transitions that are possible now.
    ///
    /// # Panics
    /// If it is not possible.
    pub fn fire(&mut self, t: Transition) {
        assert!(self.enabled.contains(&t), "a transition is fired only where it is enabled");
        let mut next = Vec::new();
        self.run.fault = self.stepper.fire(self.run.last(), t, &mut next).err();
        self.stepper.enabled(&next, &mut self.enabled);
        self.run.steps.push(t);
        self.run.states.push(next);
    }

    /// How the run would have ended if it ended now.
    pub fn ending(&mut self) -> Ending {
        Ending::at(self.system, &mut *self.stepper, self.run.last(), self.run.fault)
    }
}
