//! What computes the transitions of programs.

pub use elnath_jit::Compilations;
use elnath_jit::Compiled;
use elnath_kernel::System;
use elnath_program::Interpreter;
use std::sync::Arc;

/// What computes the transitions of programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// The interpreter, which is the semantics.
    Interpreter,
    /// Machine code, where the program can be compiled.
    Jit,
    /// The interpreter first, and machine code as soon as it is worth compiling: the same answers, and sooner where there is
    /// little to do.
    #[default]
    Auto,
    /// Of specifications in LOTOS: the rules on terms, which are the semantics, where they would be flattened otherwise. Of programs: the
    /// interpreter.
    Terms,
    /// Of specifications in LOTOS: units, the fastest engine, which `Auto` takes where control is static. Of programs: as `Auto`.
    Units,
    /// Of specifications in LOTOS: a program whose processes meet at gates, where they can be translated to one. Of programs: as `Auto`.
    Program,
}

/// The name of the interpreter in reports.
pub(crate) const INTERPRETER: &str = "interpreter";

impl Engine {
    /// The program as a system with this engine, or with the one that is possible, and the name of that one. Nothing is compiled
    /// before the system is walked; if
    /// it is, that is counted.
    pub(crate) fn make(
        self,
        program: &Arc<Interpreter>,
        compilations: &Compilations,
    ) -> (Arc<dyn System>, &'static str) {
        let compiled = match self {
            Engine::Interpreter | Engine::Terms => None,
            Engine::Jit => Compiled::when_walked(Arc::clone(program)).ok(),
            Engine::Auto | Engine::Units | Engine::Program => {
                Compiled::when_worth_it(Arc::clone(program)).ok()
            }
        };
        match compiled {
            Some(compiled) => (Arc::new(compiled.counted(compilations)), "jit"),
            None => (Arc::clone(program) as Arc<dyn System>, INTERPRETER),
        }
    }
}
