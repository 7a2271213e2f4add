//! Where numbers of processes are in a state, and exchanging two of them everywhere.

use super::pids::{Cell, Typing};
use crate::ir::{Program, Variable};
use crate::layout::{Layout, Tables, Width, read_length};
use std::cmp::Ordering;
use std::ops::{Deref, Range};

/// Where they are.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    limit: usize,
    globals: Vec<Held>,
    /// By kind of process.
    locals: Vec<Vec<Held>>,
    /// By kind of process: the bytes of such a process that have nothing to do with numbers.
    plain: Vec<Vec<Range<usize>>>,
    /// By kind of process: whether its processes stay where they are.
    still: Vec<bool>,
    /// By kind of channel: the fields of messages that hold numbers.
    fields: Vec<Vec<(usize, Width)>>,
}

/// A variable that holds numbers of processes, or has an element for each of them, or both.
#[derive(Clone, Debug)]
struct Held {
    offset: usize,
    width: Width,
    len: usize,
    numbers: bool,
    rows: Option<Rows>,
}

/// The elements for process i are, in each of `outer` parts, the `inner` ones from i times `inner` on.
#[derive(Clone, Copy, Debug)]
struct Rows {
    outer: usize,
    length: usize,
    inner: usize,
}

impl Numbers {
    pub(super) fn new(program: &Program, layout: &Layout, kinds: &[usize], typing: &Typing) -> Self {
        let locals: Vec<Vec<Held>> = program
            .processes
            .iter()
            .enumerate()
            .map(|(kind, process)| held(&process.locals, &layout.frames[kind].locals, &typing.locals[kind]))
            .collect();
        let plain = locals.iter().zip(&layout.frames).map(|(held, frame)| {
            let mut plain = Vec::new();
            let mut from = 0;
            for variable in held {
                plain.push(from..variable.offset);
                from = variable.offset + variable.len * variable.width.size();
            }
            plain.push(from..frame.size);
            plain
        });
        let plain = plain.collect();
        let fields = program.channels.iter().zip(&typing.fields).map(|(channel, numbers)| {
            let mut offset = 0;
            let mut fields = Vec::new();
            for (&ty, &numbers) in channel.fields.iter().zip(numbers) {
                if numbers {
                    fields.push((offset, Width::of(ty)));
                }
                offset += ty.size() as usize;
            }
            fields
        });
        Self {
            limit: typing.limit,
            globals: held(&program.globals, &layout.globals, &typing.globals),
            locals,
            plain,
            still: (0..program.processes.len()).map(|kind| !kinds.contains(&kind)).collect(),
            fields: fields.collect(),
        }
    }

    /// Processes with numbers from here on stay where they are.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// Whether what is a process's may hold numbers of others, in its variables or in the elements that are for it.
    pub(super) fn are_told(&self) -> bool {
        let of_each = |held: &Held| held.numbers && held.rows.is_some();
        let mut locals = self.locals.iter().zip(&self.still);
        self.globals.iter().any(of_each)
            || locals.any(|(held, &still)| if still { held.iter().any(of_each) } else { !held.is_empty() })
    }

    /// The order of two processes of one kind: by all that is theirs, and by where their numbers are. Of the numbers of others
    /// that are theirs only the `rank` counts: to look at the numbers would depend on the order that is to be found.
    /// Where all ranks are the same, some states of an orbit keep different representatives.
    pub(super) fn compare(
        &self,
        state: &[u8],
        tables: &Tables,
        layout: &Layout,
        rank: &dyn Fn(usize) -> i32,
        (a, b): (usize, usize),
    ) -> Ordering {
        let (base_a, base_b) = (tables.processes[a] as usize, tables.processes[b] as usize);
        let kind = usize::from(state[base_a]);
        for range in &self.plain[kind] {
            let part = |base: usize| &state[base + range.start..base + range.end];
            let order = part(base_a).cmp(part(base_b));
            if order != Ordering::Equal {
                return order;
            }
        }
        // A number that nobody is exchanged with, or the rank of the process, below all of these.
        let told = |number: i32| {
            let process = usize::try_from(number).ok().filter(|&pid| pid < self.limit);
            match process.and_then(|pid| Some((pid, tables.processes.get(pid)?))) {
                Some((pid, &base)) if !self.still[usize::from(state[base as usize])] => {
                    i64::from(i32::MIN) - 1 - i64::from(rank(pid))
                }
                _ => i64::from(number),
            }
        };
        for held in &self.locals[kind] {
            let order = held.compare(state, (base_a, a), (base_b, b), &told);
            if order != Ordering::Equal {
                return order;
            }
        }
        for held in &self.globals {
            let order = held.compare(state, (0, a), (0, b), &told);
            if order != Ordering::Equal {
                return order;
            }
        }
        for &base in &tables.processes {
            let base = base as usize;
            let kind = usize::from(state[base]);
            for held in self.locals[kind].iter().filter(|_| self.still[kind]) {
                let order = held.compare(state, (base, a), (base, b), &told);
                if order != Ordering::Equal {
                    return order;
                }
            }
        }
        let mut order = Ordering::Equal;
        self.for_each_sent(state, tables, layout, |state, at, width| {
            let value = width.read(state, at);
            order = order.then((value == a as i32).cmp(&(value == b as i32)));
        });
        order
    }

    /// Exchanges the numbers of two processes, and what there is for each of them, wherever they are; but not the processes.
    pub(super) fn exchange(
        &self,
        state: &mut [u8],
        tables: &Tables,
        layout: &Layout,
        (a, b): (usize, usize),
    ) {
        for held in &self.globals {
            held.exchange(state, 0, (a, b));
        }
        for &base in &tables.processes {
            let base = base as usize;
            for held in &self.locals[usize::from(state[base])] {
                held.exchange(state, base, (a, b));
            }
        }
        self.for_each_sent(state, tables, layout, |state, at, width| rename(state, at, width, (a, b)));
    }

    /// Calls `found` with each number in a message, and with the state.
    fn for_each_sent<S: Deref<Target = [u8]>>(
        &self,
        mut state: S,
        tables: &Tables,
        layout: &Layout,
        mut found: impl FnMut(&mut S, usize, Width),
    ) {
        for &(at, kind) in &tables.channels {
            let fields = &self.fields[kind.index()];
            if fields.is_empty() {
                continue;
            }
            let block = layout.block(kind);
            for message in 0..read_length(&state, at as usize, block) {
                let at = at as usize + block.header + message * block.message;
                fields.iter().for_each(|&(offset, width)| found(&mut state, at + offset, width));
            }
        }
    }
}

impl Held {
    /// What there is here for two processes, each with where the variable's owner lies.
    fn compare(
        &self,
        state: &[u8],
        (base_a, a): (usize, usize),
        (base_b, b): (usize, usize),
        told: &dyn Fn(i32) -> i64,
    ) -> Ordering {
        let size = self.width.size();
        // Its own number, or what is told of another.
        let seen = |at: usize, pid: usize| {
            let number = self.width.read(state, at);
            (number == pid as i32, told(number))
        };
        let elements = |at_a: usize, at_b: usize, len: usize| {
            let places = (0..len).map(|element| element * size);
            let mut orders = places.map(|place| seen(at_a + place, a).cmp(&seen(at_b + place, b)));
            orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        };
        let Some(rows) = self.rows else {
            return elements(base_a + self.offset, base_b + self.offset, self.len);
        };
        let mut orders = (0..rows.outer).map(|outer| {
            let (at_a, at_b) = (base_a + self.row(rows, outer, a), base_b + self.row(rows, outer, b));
            if self.numbers {
                elements(at_a, at_b, rows.inner)
            } else {
                let length = rows.inner * size;
                state[at_a..at_a + length].cmp(&state[at_b..at_b + length])
            }
        });
        orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    fn exchange(&self, state: &mut [u8], base: usize, (a, b): (usize, usize)) {
        let size = self.width.size();
        if let Some(rows) = self.rows {
            for outer in 0..rows.outer {
                let (from, to) = (base + self.row(rows, outer, a), base + self.row(rows, outer, b));
                let (before, behind) = state.split_at_mut(to);
                before[from..from + rows.inner * size].swap_with_slice(&mut behind[..rows.inner * size]);
            }
        }
        if self.numbers {
            for element in 0..self.len {
                rename(state, base + self.offset + element * size, self.width, (a, b));
            }
        }
    }

    fn row(&self, rows: Rows, outer: usize, pid: usize) -> usize {
        self.offset + (outer * rows.length + pid) * rows.inner * self.width.size()
    }
}

/// Makes a the number b and the other way round.
fn rename(state: &mut [u8], at: usize, width: Width, (a, b): (usize, usize)) {
    let value = width.read(state, at);
    if value == a as i32 {
        width.write(state, at, b as i32);
    } else if value == b as i32 {
        width.write(state, at, a as i32);
    }
}

/// Those of the variables, which lie at these offsets, that have to do with numbers.
fn held(variables: &[Variable], offsets: &[usize], cells: &[Cell]) -> Vec<Held> {
    let mut held = Vec::new();
    for ((variable, &offset), cell) in variables.iter().zip(offsets).zip(cells) {
        if *cell == Cell::default() {
            continue;
        }
        let product = |dims: &[u32]| dims.iter().map(|&length| length as usize).product();
        let rows = cell.dimension.map(|dimension| Rows {
            outer: product(&variable.dims[..dimension]),
            length: variable.dims[dimension] as usize,
            inner: product(&variable.dims[dimension + 1..]),
        });
        let (width, len) = (Width::of(variable.ty), variable.len() as usize);
        held.push(Held { offset, width, len, numbers: cell.numbers, rows });
    }
    held
}
