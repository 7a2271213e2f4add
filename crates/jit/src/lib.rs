//! Programs of guarded commands as machine code.
//!
//! The interpreter of `elnath-program` is the semantics; this is an optimisation that must agree with it state by state.
//! Three decisions keep it small and honest:
//!
//! * **Only what goes well is compiled.** Whatever the interpreter would report as a fault, and constructs that are
//!   rare, become a jump to a bail-out: the interpreter then expands that whole state. So every message, every fault and
//!   every dark corner has one implementation.
//! * **Enumerating and firing are one pass.** The code of a location tries its commands and makes the successors where
//!   they are to lie ([`elnath_kernel::Successors`]); transitions have the interpreter's numbers, so that a run found
//!   with machine code is replayed and told by the interpreter.
//! * **One function per location**, shared by all processes of a kind: compiling takes time in proportion to the program.
//!
//! Compiling takes 30 to 300 ms, in which the interpreter visits ten thousand states and more: many models are answered
//! by then. So a program can also be [compiled when that is worth it](Compiled::when_worth_it): walkers begin
//! with the interpreter and change over when they have been at it for a while.
//!
//! | module | what |
//! |---|---|
//! | `compile` | the program to functions, and what is needed to call them |
//! | `translate`, `expression` | commands and expressions to Cranelift's intermediate code |
//! | `channel`, `rendezvous`, `body` | the same for messages, meetings and deterministic sequences |
//! | `meeting` | the same for commands at gates |
//! | `facts` | what is known before the program runs: constants, channels at fixed places |
//! | `runtime` | the context of machine code and the functions it calls |
//! | `joint` | joint steps: which of the functions of `meeting` are called, in which order |
//! | `stepper` | walking with it |
//! | `tiered` | walking with the interpreter first |

mod body;
mod channel;
mod compile;
mod expression;
mod facts;
mod joint;
mod meeting;
mod rendezvous;
mod runtime;
mod stepper;
mod tiered;
mod translate;

pub use compile::NotCompiled;

use compile::Machine;
use elnath_kernel::{Stepper, System};
use elnath_program::Interpreter;
use elnath_program::layout::Layout;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// A program as a [`System`] whose successors are made by machine code.
pub struct Compiled {
    interpreter: Arc<Interpreter>,
    /// Nothing yet, or nothing at all if it turned out that there is no machine code for it.
    machine: OnceLock<Option<Machine>>,
    /// Whether walkers begin with the interpreter.
    tiered: bool,
    /// How many commands there are.
    commands: usize,
    /// Who counts compilations.
    compilations: Compilations,
}

/// How many programs were compiled: shared by all that are to be counted together. It shows that no program is compiled that is not
/// walked; nothing depends on it.
#[derive(Clone, Debug, Default)]
pub struct Compilations(Arc<AtomicU64>);

impl Compilations {
    /// How many there were so far.
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Compiled {
    /// Compiles a program.
    ///
    /// # Errors
    /// Why it has to be interpreted.
    pub fn new(interpreter: Arc<Interpreter>) -> Result<Self, NotCompiled> {
        let machine = compile::compile(&interpreter)?;
        Ok(Self { machine: OnceLock::from(Some(machine)), ..Self::uncompiled(interpreter, false) })
    }

    /// Compiles a program as soon as some walker has interpreted it for about as long as that takes.
    ///
    /// # Errors
    /// Why it has to be interpreted.
    pub fn when_worth_it(interpreter: Arc<Interpreter>) -> Result<Self, NotCompiled> {
        match compile::obstacle(&interpreter) {
            Some(obstacle) => Err(obstacle),
            None => Ok(Self::uncompiled(interpreter, true)),
        }
    }

    /// Compiles a program when its first walker is made.
    ///
    /// # Errors
    /// Why it has to be interpreted.
    pub fn when_walked(interpreter: Arc<Interpreter>) -> Result<Self, NotCompiled> {
        match compile::obstacle(&interpreter) {
            Some(obstacle) => Err(obstacle),
            None => Ok(Self::uncompiled(interpreter, false)),
        }
    }

    fn uncompiled(interpreter: Arc<Interpreter>, tiered: bool) -> Self {
        let commands = interpreter.program().processes.iter().map(|process| process.commands.len()).sum();
        let compilations = Compilations::default();
        Self { interpreter, machine: OnceLock::new(), tiered, commands, compilations }
    }

    /// The same, with its compilation counted here. What was compiled before is not.
    #[must_use]
    pub fn counted(self, compilations: &Compilations) -> Self {
        Self { compilations: compilations.clone(), ..self }
    }

    /// The machine code, which is made now if it is not there.
    fn machine(&self) -> Option<&Machine> {
        let compile = || {
            self.compilations.0.fetch_add(1, Ordering::Relaxed);
            compile::compile(&self.interpreter).ok()
        };
        self.machine.get_or_init(compile).as_ref()
    }

    fn interpreter_stepper(&self) -> Box<dyn Stepper + '_> {
        self.interpreter.stepper()
    }

    fn layout(&self) -> &Layout {
        self.interpreter.layout()
    }
}

impl System for Compiled {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        if self.tiered && self.machine.get().is_none() {
            return Box::new(tiered::Tiered::new(self));
        }
        match self.machine() {
            Some(machine) => Box::new(stepper::Walker::new(self, machine)),
            None => self.interpreter_stepper(),
        }
    }

    elnath_kernel::hand_on! { interpreter: describe, bytes }
}
