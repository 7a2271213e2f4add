//! Which channels an expression may name: a small analysis that looks at assignments, not at their order.
//!
//! Channels are values. Most models declare them as globals and name them directly; many pass them to processes as
//! arguments. So the channels that a variable may hold are found by following initial values, assignments and arguments
//! to a fixed point. A channel that came out of a message may be any.

use elnath_program::analysis::variables::initial_values;
use elnath_program::analysis::{Operation, Purpose, StoredValue, operations};
use elnath_program::ir::{Expr, Init, Lvalue, ProcessId, Program, Type, Variable, VariableRef};
use std::collections::{BTreeSet, HashMap};

/// A place in the program where channels are made: an element of a variable, in the globals or in a kind of process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// The kind of process that has the variable; none for a global.
    pub owner: Option<ProcessId>,
    /// Its number there.
    pub variable: u32,
    /// Which element.
    pub element: u32,
}

/// The channels that something may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Channels {
    /// One of these.
    Known(BTreeSet<Site>),
    /// Any.
    Any,
}

type Key = (Option<ProcessId>, u32);

/// What each channel variable of a program may hold.
pub struct Points<'a> {
    program: &'a Program,
    holds: HashMap<Key, Channels>,
    /// Variables that are stored to after they came into being.
    assigned: BTreeSet<(Option<u32>, u32)>,
    sites: Vec<Site>,
}

impl<'a> Points<'a> {
    /// Analyses a program.
    pub fn new(program: &'a Program) -> Self {
        let mut points =
            Self { program, holds: HashMap::new(), assigned: BTreeSet::new(), sites: Vec::new() };
        points.initial();
        while points.spread() {}
        points
    }

    /// All places where channels are made; those of globals first, in the order of the channels' numbers.
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// The channels that an expression in a process of this kind may name.
    pub fn of(&self, process: Option<ProcessId>, expr: &Expr) -> Channels {
        let Expr::Load(lvalue) = expr else {
            return match expr {
                Expr::Cond(parts) => union(self.of(process, &parts[1]), &self.of(process, &parts[2])),
                Expr::Const(0) => Channels::Known(BTreeSet::new()),
                _ => Channels::Any,
            };
        };
        let (key, variable) = self.variable(process, lvalue);
        // A number of a channel may be kept in any variable; those are not followed.
        if variable.ty != Type::Channel {
            return Channels::Any;
        }
        if let (Init::Channel(_), false) = (&variable.init, self.assigned.contains(&flat(key)))
            && let Some(element) = constant_element(variable, &lvalue.indices)
        {
            return Channels::Known(BTreeSet::from([Site { owner: key.0, variable: key.1, element }]));
        }
        self.holds.get(&key).cloned().unwrap_or(Channels::Known(BTreeSet::new()))
    }

    fn variable(&self, process: Option<ProcessId>, lvalue: &Lvalue) -> (Key, &'a Variable) {
        match (lvalue.variable, process) {
            (VariableRef::Local(index), Some(process)) => {
                ((Some(process), index), &self.program.processes[process.index()].locals[index as usize])
            }
            (VariableRef::Global(index) | VariableRef::Local(index), _) => {
                ((None, index), &self.program.globals[index as usize])
            }
        }
    }

    fn initial(&mut self) {
        let program = self.program;
        let mut declared = |owner: Option<ProcessId>, variables: &[Variable]| {
            for (index, variable) in variables.iter().enumerate() {
                if variable.ty != Type::Channel {
                    continue;
                }
                let mut held = BTreeSet::new();
                if let Init::Channel(_) = variable.init {
                    for element in 0..variable.len() {
                        let site = Site { owner, variable: index as u32, element };
                        self.sites.push(site);
                        held.insert(site);
                    }
                }
                self.holds.insert((owner, index as u32), Channels::Known(held));
            }
        };
        declared(None, &program.globals);
        for (id, process) in program.processes.iter().enumerate() {
            declared(Some(ProcessId(id as u32)), &process.locals);
        }
    }

    /// Follows every flow once; whether anything changed.
    fn spread(&mut self) -> bool {
        let program = self.program;
        let mut changed = self.initial_values(None, &program.globals);
        for (id, process) in program.processes.iter().enumerate() {
            let own = Some(ProcessId(id as u32));
            changed |= self.initial_values(own, &process.locals);
            for operation in process.commands.iter().flat_map(operations) {
                changed |= match operation {
                    Operation::Store(to, StoredValue::Expr(expr)) => {
                        let value = self.of(own, expr);
                        self.store(own, to, &value)
                    }
                    Operation::Store(to, StoredValue::Message { .. } | StoredValue::NewProcess(_)) => {
                        self.store(own, to, &Channels::Any)
                    }
                    Operation::Evaluate(argument, Purpose::Argument { process, parameter }) => {
                        let value = self.of(own, argument);
                        self.add((Some(process), parameter), &value)
                    }
                    _ => false,
                };
            }
        }
        changed
    }

    fn initial_values(&mut self, own: Option<ProcessId>, variables: &[Variable]) -> bool {
        let mut changed = false;
        for (index, variable) in variables.iter().enumerate() {
            for value in initial_values(&variable.init).iter().filter(|_| variable.ty == Type::Channel) {
                let held = self.of(own, value);
                changed |= self.add((own, index as u32), &held);
            }
        }
        changed
    }

    fn store(&mut self, process: Option<ProcessId>, lvalue: &Lvalue, value: &Channels) -> bool {
        let (key, variable) = self.variable(process, lvalue);
        if variable.ty != Type::Channel {
            return false;
        }
        let first = self.assigned.insert(flat(key));
        self.add(key, value) || first
    }

    fn add(&mut self, key: Key, value: &Channels) -> bool {
        let Some(held) = self.holds.get_mut(&key) else { return false };
        let more = union(held.clone(), value);
        let changed = more != *held;
        *held = more;
        changed
    }
}

fn flat(key: Key) -> (Option<u32>, u32) {
    (key.0.map(|process| process.0), key.1)
}

fn union(a: Channels, b: &Channels) -> Channels {
    match (a, b) {
        (Channels::Known(mut a), Channels::Known(b)) => {
            a.extend(b);
            Channels::Known(a)
        }
        _ => Channels::Any,
    }
}

/// The element that constant indices name; that of a scalar is 0.
fn constant_element(variable: &Variable, indices: &[Expr]) -> Option<u32> {
    let mut element = 0;
    for (index, &length) in indices.iter().zip(&variable.dims) {
        let Expr::Const(index) = index else { return None };
        let index = u32::try_from(*index).ok().filter(|&index| index < length)?;
        element = element * length + index;
    }
    Some(element)
}
