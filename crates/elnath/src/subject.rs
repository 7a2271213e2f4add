//! What a question is about: a program, which reductions can change before anything is walked; the labels of a program, which they
//! would not keep; or any other system.

use crate::engine::{Compilations, Engine};
use elnath_kernel::System;
use elnath_lotos::Programmed;
use elnath_program::{Interpreter, Observed};
use std::sync::Arc;

/// What a question is about.
#[derive(Clone)]
pub enum Subject<'a> {
    /// A program of guarded commands. Its engine is made once, of the program that is walked in the end.
    Program {
        /// By the interpreter, which is its semantics.
        program: Arc<Interpreter>,
        /// What is to walk it, or what is made of it.
        engine: Engine,
        /// It, walked by that engine; nothing is compiled before that.
        system: Arc<dyn System>,
        /// Counts what is compiled of it, and of what is made of it.
        compilations: Compilations,
    },
    /// A program as it is seen from outside, which is walked as it is.
    Observed {
        /// It.
        observed: Arc<Observed>,
        /// It, with the labels that are asked about.
        system: Arc<dyn System>,
        /// Counts what is compiled of it.
        compilations: Compilations,
    },
    /// A specification in LOTOS as a program whose processes meet at gates: its labels and faults are those of the specification.
    Specification {
        /// By the interpreter.
        programmed: Arc<Programmed<'static>>,
        /// What is to walk it.
        engine: Engine,
        /// It, walked by that engine; nothing is compiled before that.
        system: Arc<dyn System>,
        /// Counts what is compiled of it.
        compilations: Compilations,
    },
    /// Any other system, which is walked as it is.
    System(Arc<dyn System + 'a>),
}

impl<'a> Subject<'a> {
    /// The program, if it is one.
    pub fn program(&self) -> Option<&Arc<Interpreter>> {
        match self {
            Subject::Program { program, .. } => Some(program),
            Subject::Observed { .. } | Subject::Specification { .. } | Subject::System(_) => None,
        }
    }

    /// Why there is no program that could be reduced, in words that follow "because".
    pub(crate) fn no_program(&self) -> &'static str {
        match self {
            Subject::Observed { .. } => {
                "reductions do not keep the labels of a program (--hide, --hide-all-but, --rename)"
            }
            Subject::Specification { .. } => {
                "of specifications in LOTOS nothing but the orders of steps is reduced"
            }
            _ => "only programs are reduced, without a claim or trace beside them",
        }
    }

    /// The model as it was written, by the engine that is its semantics: what every answer is confirmed on.
    pub fn as_written(&self) -> Arc<dyn System + 'a> {
        match self {
            Subject::Program { program, .. } => Arc::clone(program) as Arc<dyn System>,
            Subject::Observed { system, .. } => Arc::clone(system) as Arc<dyn System>,
            Subject::Specification { programmed, .. } => Arc::clone(programmed) as Arc<dyn System>,
            Subject::System(system) => Arc::clone(system),
        }
    }

    /// The model as it was written, by the engine that is wanted: where much of it is to be walked.
    pub fn system(&self) -> Arc<dyn System + 'a> {
        match self {
            Subject::Program { system, .. }
            | Subject::Observed { system, .. }
            | Subject::Specification { system, .. } => Arc::clone(system) as Arc<dyn System>,
            Subject::System(system) => Arc::clone(system),
        }
    }

    /// How many programs were compiled so far of this one, and of what was made of it.
    pub(crate) fn compilations(&self) -> u64 {
        match self {
            Subject::Program { compilations, .. }
            | Subject::Observed { compilations, .. }
            | Subject::Specification { compilations, .. } => compilations.count(),
            Subject::System(_) => 0,
        }
    }

    /// The same by the engine that is wanted, with another program made of this one.
    pub(crate) fn walking(&self, changed: &Option<Arc<Interpreter>>) -> Arc<dyn System + 'a> {
        match (self, changed) {
            (Subject::Program { program, engine, compilations, .. }, Some(changed))
                if !Arc::ptr_eq(program, changed) =>
            {
                engine.make(changed, compilations).0
            }
            _ => self.system(),
        }
    }
}

impl<'a> From<Arc<dyn System + 'a>> for Subject<'a> {
    fn from(system: Arc<dyn System + 'a>) -> Self {
        Subject::System(system)
    }
}
