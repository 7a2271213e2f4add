//! Which values belong to a state.
//!
//! Usually those that can still be used. The compiler that the 1991 paper measured with (CAESAR before version 4.3; Garavel, Sifakis 1990) made of each
//! sequential part of a specification a net with variables of its own. Two things differ, and both are needed to find the paper's
//! numbers of states:
//!
//! * a variable keeps its value when it is no longer used, until it is set again;
//! * a call with values is a place of its own, where the parameters are still to be passed.
//!
//! So a leaf of a term carries the variables of all processes here, set or not, as the *memory* of its part. Where a parallel operator begins, each
//! operand goes on with a copy; where one ends under `>>`, what its operands had set is forgotten, as since version 4.3. All states that these rules
//! tell apart and the usual ones do not are strongly bisimilar.

use crate::code::{ProcessCode, ProcessId};
use crate::data::SortId;
use std::ops::Range;

/// Which values belong to a state of a specification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StateIdentity {
    /// Those that can still be used.
    #[default]
    Live,
    /// Those that variables were last set to, and calls are places, as in the tables of 1991.
    Caesar90,
}

/// The variables of all processes, in one row.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) sorts: Vec<SortId>,
    /// Where those of each process begin, and where the last ones end.
    first: Vec<usize>,
}

impl Memory {
    pub(crate) fn of(processes: &[ProcessCode]) -> Self {
        let (mut sorts, mut first) = (Vec::new(), vec![0]);
        for process in processes {
            sorts.extend(process.variables.iter().map(|(_, sort)| *sort));
            first.push(sorts.len());
        }
        Self { sorts, first }
    }

    /// Where the variables of a process are.
    pub(crate) fn range(&self, process: ProcessId) -> Range<usize> {
        self.first[process as usize]..self.first[process as usize + 1]
    }
}
