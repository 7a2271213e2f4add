//! Joint steps at gates: who takes part, on which values they agree, and the successor.
//!
//! Machine code looks at one process at a time; this goes through the participants, in the order in which the interpreter does: vector by vector,
//! kind by kind, the youngest process first, command by command, and then through the values that nobody gives. For each
//! command at a gate there are up to four functions: whether the process offers it, with values that agree with those given so far; storing
//! the values; the predicate; and the effects. (To emit one function for each combination of commands of a vector was considered: their number is a
//! product, and a call costs about as much as the branches that it saves.)
//!
//! A step that cannot be made leaves nothing behind: the copy of the state lies where the next one will be.
//!
//! The rules of [`crate::runtime`] hold here, too.

#![allow(unsafe_code)]

use crate::runtime::{Code, Context, Kind, MOST_VALUES, Tables, bail, commit, copy};
use elnath_program::layout::LOCATION;

/// A command at a gate.
pub(crate) struct GateCommand {
    /// The gate.
    pub(crate) gate: u32,
    /// Its number among all commands.
    pub(crate) number: u32,
    /// Where it leads.
    pub(crate) target: u32,
    /// The vectors in which it comes first.
    pub(crate) begins: Vec<u32>,
    /// Tells whether it can take part with the values given so far, and gives its own; if that is not always so.
    pub(crate) offer: Option<Code>,
    /// Stores values.
    pub(crate) take: Option<Code>,
    /// Tells whether the predicate is true, if there is one.
    pub(crate) when: Option<Code>,
    /// What else it does.
    pub(crate) effects: Option<Code>,
}

/// A participant.
#[derive(Clone, Copy)]
pub(crate) struct Member {
    pid: usize,
    base: usize,
    wide: bool,
    command: *const GateCommand,
}

impl Member {
    /// Nobody.
    pub(crate) const NONE: Member = Member { pid: 0, base: 0, wide: false, command: std::ptr::null() };
}

/// A joint step that is being looked for.
#[derive(Clone, Copy)]
struct Search<'a> {
    tables: &'a Tables,
    state: *const u8,
    len: usize,
    tag: u64,
    /// The participants besides the first that the vector asks for.
    wanted: &'a [(u32, u32)],
    /// The values of each offer.
    domains: &'a [Vec<i32>],
}

/// Makes all joint steps that a process begins with a command whose guard is true and whose values are given already; counts them.
pub(crate) unsafe extern "C" fn meet(
    cx: *mut Context,
    state: *const u8,
    len: usize,
    pid: usize,
    tag: u64,
    command: usize,
) -> u64 {
    // SAFETY: the context is valid (module header of `runtime`), and its tables are those of the state. `members` has room for every
    // process, and a vector names no kind twice.
    unsafe {
        let tables = &*(*cx).tables;
        let kind = &**(*cx).kinds.add(pid);
        let Some(Some(own)) = kind.gates.get(command) else { return 0 };
        let base = *(*cx).processes.add(pid) as usize;
        (*cx).members.write(Member { pid, base, wide: kind.wide, command: own });
        let domains = &tables.domains[own.gate as usize][..];
        let mut moves = 0;
        for &vector in &own.begins {
            let wanted = &tables.vectors[vector as usize][..];
            moves += gather(cx, Search { tables, state, len, tag, wanted, domains }, 1);
            if (*cx).bail != bail::NONE {
                break;
            }
        }
        moves
    }
}

/// Adds the participants that are still missing, in every way there is; counts the steps made.
///
/// # Safety
/// As for [`meet`]; the first `found` members are there.
unsafe fn gather(cx: *mut Context, search: Search<'_>, found: usize) -> u64 {
    // SAFETY: as the caller says. There are never more members than processes.
    unsafe {
        let Some(&(wanted, gate)) = search.wanted.get(found - 1) else { return agree(cx, search, found) };
        let count = (*cx).process_count as usize;
        let kind = &search.tables.kinds[wanted as usize];
        let mut moves = 0;
        match &search.tables.numbers {
            Some(numbers) => {
                for &pid in numbers[wanted as usize].iter().filter(|&&pid| pid < count) {
                    moves += join(cx, search, found, pid, kind, gate);
                }
            }
            None => {
                for pid in (0..count).rev().filter(|&pid| std::ptr::eq(*(*cx).kinds.add(pid), kind)) {
                    moves += join(cx, search, found, pid, kind, gate);
                }
            }
        }
        moves
    }
}

/// Lets one process take part with each of its commands that can; counts the steps made.
///
/// # Safety
/// As for [`gather`]; there is such a process of this kind.
unsafe fn join(
    cx: *mut Context,
    search: Search<'_>,
    found: usize,
    pid: usize,
    kind: &Kind,
    gate: u32,
) -> u64 {
    // SAFETY: as the caller says.
    unsafe {
        if kind.at_gates.is_empty() {
            return 0;
        }
        let base = *(*cx).processes.add(pid) as usize;
        let mut moves = 0;
        for &command in &kind.at_gates[kind.location(search.state.add(base))] {
            let Some(own) = &kind.gates[command] else { continue };
            if own.gate != gate || (*cx).bail != bail::NONE {
                continue;
            }
            // What it gives is forgotten when it is its next command's turn; but it may overwrite nothing that others gave.
            let given = (*cx).given;
            let offers = match own.offer {
                Some(offer) => offer(cx, search.state, search.len, base, pid) != 0,
                None => true,
            };
            if offers && (*cx).bail == bail::NONE {
                (*cx).members.add(found).write(Member { pid, base, wide: kind.wide, command: own });
                moves += gather(cx, search, found + 1);
            }
            (*cx).given = given;
        }
        moves
    }
}

/// Goes through the values that nobody gives; counts the steps made.
///
/// # Safety
/// As for [`gather`]; all members are there.
unsafe fn agree(cx: *mut Context, search: Search<'_>, members: usize) -> u64 {
    // SAFETY: as the caller says.
    unsafe {
        let given = (*cx).given;
        let is_open = |offer: usize| given >> offer & 1 == 0;
        let offers = search.domains.len();
        if (0..offers).all(|offer| !is_open(offer)) {
            return step(cx, search, members);
        }
        let mut at = [0_usize; MOST_VALUES];
        let mut moves = 0;
        if (0..offers).any(|offer| is_open(offer) && search.domains[offer].is_empty()) {
            return 0;
        }
        loop {
            for offer in (0..offers).filter(|&offer| is_open(offer)) {
                (*cx).offered[offer] = search.domains[offer][at[offer]];
            }
            moves += step(cx, search, members);
            if (*cx).bail != bail::NONE {
                return moves;
            }
            // The last open offer changes first.
            let next = (0..offers).rev().filter(|&offer| is_open(offer)).find(|&offer| {
                at[offer] = (at[offer] + 1) % search.domains[offer].len();
                at[offer] != 0
            });
            if next.is_none() {
                return moves;
            }
        }
    }
}

/// Makes one joint step, if all predicates are true; counts it.
///
/// # Safety
/// As for [`agree`]; all values are there.
unsafe fn step(cx: *mut Context, search: Search<'_>, members: usize) -> u64 {
    // SAFETY: as the caller says. The copy has the length of the state, and its processes are where they were.
    unsafe {
        let Search { tables, state, len, tag, .. } = search;
        let new = copy(cx, state, len, tag);
        if new.is_null() {
            return 0;
        }
        let members = std::slice::from_raw_parts((*cx).members, members);
        for &Member { pid, base, command, .. } in members {
            if let Some(take) = (*command).take {
                take(cx, new, len, base, pid);
            }
        }
        let mut wanted = true;
        for &Member { pid, base, command, .. } in members {
            if let Some(when) = (*command).when {
                wanted &= when(cx, new, len, base, pid) != 0;
            }
        }
        if !wanted || (*cx).bail != bail::NONE {
            return 0;
        }
        for &Member { base, wide, command, .. } in members {
            let GateCommand { target, number, .. } = *command;
            *new.add(base + LOCATION) = target as u8;
            if wide {
                *new.add(base + LOCATION + 1) = (target >> 8) as u8;
            }
            *(*cx).executed.add(number as usize) = 1;
        }
        for &Member { pid, base, command, .. } in members {
            if let Some(effects) = (*command).effects {
                effects(cx, new, len, base, pid);
            }
        }
        if (*cx).bail != bail::NONE {
            return 0;
        }
        if let Some(last) = tables.last {
            *new.add(last) = members[0].pid as u8;
        }
        commit(cx, new, len);
        1
    }
}
