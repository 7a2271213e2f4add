//! Symmetry: one state for all that differ only in which of several alike processes is which.
//!
//! n processes of one kind can be at the same places in up to n! ways, and if nothing in the program tells them apart, all
//! of these are the same state under other names. So every state is replaced by one that stands for its orbit: the parts
//! of the state that belong to the processes of a kind are sorted ([`canonical`]). The quotient that is walked
//! ([`Symmetric`]) is a [`elnath_kernel::System`] over any engine of the program, so that searches, stores and products
//! know nothing of it (Ip, Dill 1996; Clarke, Enders, Filkorn, Jha 1996; Emerson, Sistla 1996).
//!
//! **Why it is sound.** Let π exchange the parts of processes of the same kind, so that who was process i is process π(i).
//! If nobody's number is looked at ([`leaks`] makes sure of that and says where it is not so), what process i can do in s,
//! process π(i) can do in π(s), with the same action, fault and valuation, and the results correspond by π again: creating
//! a process appends it to both. So s and π(s) are bisimilar, and the graph of representatives is bisimilar to the graph of
//! all states. It does not matter with which arguments the processes were created, nor whether they exist from the
//! beginning: what differs is in their parts, which are compared. Nor need the initial state be symmetric.
//!
//! **Numbers.** Where a number only says whose something is, as in `turn = _pid` and `flag[_pid]`, processes can still stand for each
//! other, if what is theirs goes with them ([`pids`]): the elements of arrays, and their number wherever it is kept
//! ([`numbers`]).
//!
//! **Processes that end** are the exception, because only the youngest can: exchanged with an older one, a process that has come
//! to its end may cease to exist or no longer. If a kind ends, its finished processes are sorted first, where they stay
//! until all of the kind are finished, and their variables, which nobody looks at any more, are cleared. Staying is no loss: no
//! process *must* cease to exist. What is lost is that one may have gone early, so it has to be made sure that nobody
//! notices: nobody counts the processes (except to see whether all are gone), nobody looks at one that may have ended, no
//! number is given again, no `timeout` waits for the last step to be taken. Then the steps by which processes go are
//! invisible and always possible some time, and the quotient is the same up to where these steps are in a run. A
//! question that counts steps (a formula with X, a shortest run) is refused where such a kind is. And one that goes on behind
//! faults, unless only so many processes are ever created that there is room for all of them: those that stay may take up the
//! room of others. Where the fault itself is looked for nothing is lost, since in the program, too, they may stay.
//!
//! **Together with partial order reduction** the choice is made in the representative, and stands for the
//! choice in all states of the orbit that corresponds to it by π; each of these fulfils C0, C1 and C2 as π is an automorphism (Emerson, Jha,
//! Peled 1997). A cycle of the quotient is, followed up to as many times as π takes to come back, a cycle of the program in which each process
//! that moves goes round a cycle of its own locations; so it meets one at which it is never alone, and C3 holds as without
//! symmetry, because it was arranged by locations and not by states. Where numbers are exchanged the two do not go together,
//! since what is known of a process at a location then depends on its number.
//!
//! **Runs.** A run of representatives is in general no run of the program. For a diagnosis it is followed in the program
//! itself, by transitions to states that [correspond](Symmetric::essence) to those of the run ([`elnath_kernel::lift()`]).

mod canonical;
mod leaks;
mod numbers;
mod pids;
mod quotient;

pub use quotient::Symmetric;

use crate::ir::{Command, Guard, Program};
use crate::layout::Layout;
use numbers::Numbers;

/// What symmetry reduction did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchanges {
    /// The kinds of processes that can stand for each other.
    pub kinds: Vec<String>,
    /// Whether their numbers, where they are kept, are exchanged too.
    pub numbers: bool,
    /// How many successors were made.
    pub made: u64,
    /// How many of them were replaced by another state, which stands for them.
    pub exchanged: u64,
}

/// What a question may notice that not every quotient keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notices {
    /// At which places of a run processes cease to exist.
    pub every_step: bool,
    /// What comes behind a fault, such as that there is no room for another process.
    pub past_faults: bool,
}

/// Something by which processes of one kind can be told apart, so that they cannot stand for each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leak {
    /// What it is, in one sentence without a full stop.
    pub text: String,
    /// The file and the line, from 1, where it is written, if that is known.
    pub place: Option<(String, u32)>,
    /// The words of that line that it is about, as far as they can be guessed.
    pub mark: String,
}

impl Leak {
    /// One that is nowhere in particular.
    pub fn of_all(text: impl Into<String>) -> Self {
        Self { text: text.into(), place: None, mark: String::new() }
    }
}

/// Which processes of a program can stand for each other. See the [module](self).
#[derive(Clone, Debug)]
pub struct Symmetry {
    layout: Layout,
    /// The kinds whose processes can.
    kinds: Vec<Kind>,
    /// By kind of process: at which locations one has come to its end, if these are to make no difference.
    finished: Vec<Vec<bool>>,
    /// The numbers of the commands with which processes cease to exist, if these are to make no difference: in the
    /// quotient some may never be executed that the program executes.
    exits: Vec<u32>,
    /// Where numbers of processes are, if somebody looks at them.
    numbers: Option<Numbers>,
}

#[derive(Clone, Debug)]
struct Kind {
    name: String,
    id: u8,
    /// Bytes of such a process.
    size: usize,
    /// Where its variables begin.
    locals: usize,
}

impl Symmetry {
    /// Finds out what can be exchanged in a program, for a question that notices this.
    ///
    /// # Errors
    /// If that is nothing, everything by which processes of one kind can be told apart.
    pub fn new(program: &Program, layout: &Layout, notices: Notices) -> Result<Self, Vec<Leak>> {
        let found = leaks::find(program, notices)?;
        let kind = |&id: &usize| {
            let frame = &layout.frames[id];
            debug_assert!(
                frame.channels.is_empty() && frame.priority.is_none(),
                "these tell processes apart"
            );
            let locals = crate::layout::LOCATION + if frame.wide_location { 2 } else { 1 };
            Kind { name: program.processes[id].name.clone(), id: id as u8, size: frame.size, locals }
        };
        let kinds = found.kinds.iter().map(kind).collect();
        let commands = program.processes.iter().flat_map(|process| &process.commands);
        let is_exit = |(command, _): &(&Command, u32)| found.ends && command.guard == Guard::Exit;
        let exits = commands.zip(0..).filter(is_exit).map(|(_, number)| number).collect();
        let numbers = found.typing.map(|typing| Numbers::new(program, layout, &found.kinds, &typing));
        Ok(Self { layout: layout.clone(), kinds, finished: found.finished, exits, numbers })
    }

    /// Whether numbers of processes are exchanged with them.
    pub fn exchanges_numbers(&self) -> bool {
        self.numbers.is_some()
    }

    /// The names of the kinds of processes that can stand for each other.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.kinds.iter().map(|kind| kind.name.as_str())
    }
}
