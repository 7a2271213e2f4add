//! Variables that hold numbers of processes, and arrays with an element for each of them.
//!
//! A process may look at its own number if nothing can be learnt from it but whose it is. So expressions have one of two
//! types, as in Murphi's scalarsets (Ip, Dill 1996): numbers of processes, and all others. A number of a process may be
//! stored in variables and sent in messages that are for such numbers, compared for equality with another or with a
//! constant that is the number of none that can be exchanged, and used as an index. An array that has once been
//! indexed by such a number in some dimension is always indexed so there. With this, exchanging two processes everywhere, their parts, their
//! elements and their numbers, leads from a state to one with corresponding transitions.
//!
//! Which variables are for numbers of processes is found and not declared: those to which one is ever stored. Initial values need not be of
//! the type, because it does not matter which of the alike states the program begins in; except those of processes that are
//! created later, and of hidden variables, which come back.

use super::Leak;
use super::leaks::{At, MOST, Search};
use crate::analysis::variables::initial_values;
use crate::analysis::{Operation, Purpose, StoredValue, operations};
use crate::ir::{Binary, ChannelId, Command, Expr, Init, Lvalue, Pattern, Program, Type, VariableRef};

/// What is for numbers of processes.
#[derive(Clone, Debug, Default)]
pub(super) struct Typing {
    pub(super) globals: Vec<Cell>,
    /// By kind of process.
    pub(super) locals: Vec<Vec<Cell>>,
    /// By kind of channel.
    pub(super) fields: Vec<Vec<bool>>,
    /// Numbers from here on are not exchanged.
    pub(super) limit: usize,
}

/// What is known of a variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cell {
    /// Whether its elements are numbers of processes.
    pub(super) numbers: bool,
    /// The dimension that is indexed by such numbers.
    pub(super) dimension: Option<usize>,
}

/// What an expression is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// A number of a process that can be exchanged.
    Number,
    /// What can be taken for either.
    Either,
    Plain,
}

/// Finds what is for numbers of the processes of these kinds, which never end.
///
/// # Errors
/// What is done with such numbers that tells processes apart.
pub(super) fn infer(search: &Search<'_>, kinds: &[usize]) -> Result<Typing, Vec<Leak>> {
    let program = search.program();
    let mut symmetric = vec![false; program.processes.len()];
    kinds.iter().for_each(|&kind| symmetric[kind] = true);
    let typing = Typing {
        globals: vec![Cell::default(); program.globals.len()],
        locals: program.processes.iter().map(|process| vec![Cell::default(); process.locals.len()]).collect(),
        fields: program.channels.iter().map(|channel| vec![false; channel.fields.len()]).collect(),
        limit: MOST,
    };
    let positions = program.initial.iter().enumerate().filter(|(_, id)| symmetric[id.index()]);
    let positions = positions.map(|(pid, _)| pid as i32).collect();
    let created = kinds.iter().any(|&kind| search.is_created(kind));
    let lowest = kinds.iter().map(|&kind| search.lowest(kind)).min().unwrap_or(0);
    let any_created = (0..program.processes.len()).any(|kind| search.is_created(kind));
    let highest = if any_created { MOST as i32 - 1 } else { program.initial.len() as i32 - 1 };
    let mut inference = Inference {
        search,
        program,
        symmetric,
        typing,
        positions,
        created,
        lowest,
        highest,
        types: Vec::new(),
        leaks: Vec::new(),
        changed: false,
    };
    loop {
        inference.changed = false;
        inference.walk(Pass::Infer);
        if !inference.changed {
            break;
        }
    }
    inference.types = inference.types();
    inference.walk(Pass::Check);
    inference.check_declarations();
    if inference.leaks.is_empty() { Ok(inference.typing) } else { Err(inference.leaks) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// Finds what is for numbers.
    Infer,
    /// Finds where something else is done with them.
    Check,
}

struct Inference<'a> {
    search: &'a Search<'a>,
    program: &'a Program,
    /// By kind.
    symmetric: Vec<bool>,
    typing: Typing,
    /// The numbers of processes that exist at the start and can be exchanged.
    positions: Vec<i32>,
    /// Whether others are created later.
    created: bool,
    /// The lowest number of one that can be exchanged.
    lowest: i32,
    /// The highest number of any process.
    highest: i32,
    /// The types of all that is for numbers.
    types: Vec<Type>,
    leaks: Vec<Leak>,
    changed: bool,
}

impl<'a> Inference<'a> {
    fn walk(&mut self, pass: Pass) {
        let program = self.program;
        for (name, expr) in &program.propositions {
            self.visit(At { kind: None, command: None, name }, expr, Sort::Plain, pass);
        }
        for (kind, process) in program.processes.iter().enumerate() {
            let nowhere = |name| At { kind: Some(kind), command: None, name };
            if let Some(expr) = &process.provided {
                self.visit(nowhere(&process.name), expr, Sort::Plain, pass);
            }
            for (local, variable) in process.locals.iter().enumerate() {
                let at = nowhere(&variable.name);
                for expr in initial_values(&variable.init) {
                    self.store(
                        at,
                        VariableRef::Local(local as u32),
                        expr,
                        self.search.is_created(kind),
                        pass,
                    );
                }
            }
            for command in &process.commands {
                let at = At { kind: Some(kind), command: Some(command), name: &command.text };
                self.command(at, command, pass);
            }
        }
    }

    fn command(&mut self, at: At<'a>, command: &'a Command, pass: Pass) {
        for operation in operations(command) {
            match operation {
                Operation::Evaluate(expr, purpose) => self.evaluate(at, expr, purpose, pass),
                Operation::Send { channel, fields, sorted } => {
                    self.send(at, channel, fields, sorted, pass);
                }
                Operation::Receive { channel, patterns, .. } => self.patterns(at, channel, patterns, pass),
                Operation::Store(to, StoredValue::NewProcess(process)) => {
                    let sort = if self.symmetric[process.index()] { Sort::Number } else { Sort::Either };
                    self.bind(at, to.variable, sort, pass);
                }
                // The value was looked at when it was evaluated, or with the patterns of a receive.
                Operation::Store(
                    _,
                    StoredValue::Expr(_) | StoredValue::Message { .. } | StoredValue::Offered { .. },
                )
                | Operation::Body { .. }
                | Operation::Create { .. }
                | Operation::Meet { .. }
                | Operation::Place { .. }
                | Operation::SetPriority
                | Operation::Print
                | Operation::End => {}
            }
        }
    }

    fn evaluate(&mut self, at: At<'a>, expr: &'a Expr, purpose: Purpose<'a>, pass: Pass) {
        match purpose {
            Purpose::Guard
            | Purpose::Channel
            | Purpose::Offered { .. }
            | Purpose::Asserted
            | Purpose::Priority => {
                self.visit(at, expr, Sort::Plain, pass);
            }
            Purpose::Index { of, dimension } => self.index(at, of, dimension, pass),
            Purpose::Stored(to) => self.store(at, to.variable, expr, true, pass),
            Purpose::Argument { process, parameter } => {
                let kind = &self.program.processes[process.index()];
                if parameter >= kind.parameters {
                    return;
                }
                let local = parameter as usize;
                let cell = self.typing.locals[process.index()][local];
                let sort = self.visit(at, expr, number(cell.numbers), pass);
                if sort == Sort::Number && !cell.numbers && pass == Pass::Infer {
                    self.typing.locals[process.index()][local].numbers = true;
                    self.changed = true;
                }
            }
            // Looked at with the message, whose channel tells what is expected.
            Purpose::Sent { .. } | Purpose::Matched { .. } => {}
            Purpose::Printed => {}
        }
    }

    /// Looks at an expression of which a certain sort is wanted; which it is.
    fn visit(&mut self, at: At<'a>, expr: &'a Expr, wanted: Sort, pass: Pass) -> Sort {
        let sort = self.sort(at, expr, wanted, pass);
        if pass == Pass::Check {
            match (wanted, sort) {
                (Sort::Plain, Sort::Number) => {
                    self.complain(at, "the number of a process is used as any other number", "_pid");
                }
                (Sort::Number, Sort::Plain) => {
                    self.complain(at, "this may be any number, and is used as that of a process (only `_pid`, copies of it and numbers of nobody may be)", "");
                }
                _ => {}
            }
        }
        sort
    }

    fn sort(&mut self, at: At<'a>, expr: &'a Expr, wanted: Sort, pass: Pass) -> Sort {
        match expr {
            Expr::Const(value) => {
                if wanted == Sort::Number && pass == Pass::Check {
                    self.constant(at, *value);
                }
                Sort::Either
            }
            Expr::Pid => match at.kind {
                Some(kind) if self.symmetric[kind] => Sort::Number,
                _ => Sort::Either,
            },
            Expr::Load(lvalue) => {
                self.indices(at, lvalue, pass);
                number(self.cell(at, lvalue.variable).numbers)
            }
            Expr::Binary(Binary::Eq | Binary::Ne, ab) => {
                let first = self.peek(at, &ab[0]);
                let both = if first == Sort::Number { first } else { self.peek(at, &ab[1]) };
                let both = if both == Sort::Number { both } else { Sort::Plain };
                self.visit(at, &ab[0], both, pass);
                self.visit(at, &ab[1], both, pass);
                Sort::Plain
            }
            Expr::Cond(parts) => {
                self.visit(at, &parts[0], Sort::Plain, pass);
                let numbers = parts[1..].iter().any(|part| self.peek(at, part) == Sort::Number);
                let wanted = if numbers { Sort::Number } else { wanted };
                let sorts = [1, 2].map(|part| self.visit(at, &parts[part], wanted, pass));
                if numbers {
                    Sort::Number
                } else if sorts == [Sort::Either; 2] {
                    Sort::Either
                } else {
                    Sort::Plain
                }
            }
            Expr::Poll { channel, patterns, .. } => {
                self.visit(at, channel, Sort::Plain, pass);
                self.patterns(at, channel, patterns, pass);
                Sort::Plain
            }
            Expr::Remote { process, pid, variable, indices } => {
                pid.iter().for_each(|pid| {
                    self.visit(at, pid, Sort::Plain, pass);
                });
                let kind = process.index();
                for index in indices.iter().enumerate() {
                    self.index_of(at, (Some(kind), *variable as usize), index, pass);
                }
                number(self.typing.locals[kind][*variable as usize].numbers)
            }
            // What is computed from operands is no number of a process, nor may they be.
            _ => {
                expr.for_each_operand(|operand| {
                    self.visit(at, operand, Sort::Plain, pass);
                });
                Sort::Plain
            }
        }
    }

    /// The sort of an expression, without looking further.
    fn peek(&self, at: At<'_>, expr: &Expr) -> Sort {
        match expr {
            Expr::Const(_) => Sort::Either,
            Expr::Pid if at.kind.is_some_and(|kind| self.symmetric[kind]) => Sort::Number,
            Expr::Pid => Sort::Either,
            Expr::Load(lvalue) => number(self.cell(at, lvalue.variable).numbers),
            Expr::Remote { process, variable, .. } => {
                number(self.typing.locals[process.index()][*variable as usize].numbers)
            }
            Expr::Cond(parts) if parts[1..].iter().any(|part| self.peek(at, part) == Sort::Number) => {
                Sort::Number
            }
            _ => Sort::Plain,
        }
    }

    /// An expression that is stored. If not `always`, constants may be any.
    fn store(&mut self, at: At<'a>, variable: VariableRef, expr: &'a Expr, always: bool, pass: Pass) {
        let cell = self.cell(at, variable);
        let harmless = !always && matches!(expr, Expr::Const(_));
        let sort = self.visit(at, expr, if harmless { Sort::Either } else { number(cell.numbers) }, pass);
        if pass == Pass::Infer && sort == Sort::Number {
            self.bind(at, variable, sort, pass);
        }
    }

    /// Something of a certain sort is stored.
    fn bind(&mut self, at: At<'a>, variable: VariableRef, sort: Sort, pass: Pass) {
        let numbers = self.cell(at, variable).numbers;
        match (pass, sort) {
            (Pass::Infer, Sort::Number) if !numbers => {
                self.cell_mut(at, variable).numbers = true;
                self.changed = true;
            }
            (Pass::Check, Sort::Plain) if numbers => {
                self.complain(at, "this may be any number, and is used as that of a process (only `_pid`, copies of it and numbers of nobody may be)", "");
            }
            _ => {}
        }
    }

    fn indices(&mut self, at: At<'a>, lvalue: &'a Lvalue, pass: Pass) {
        (0..lvalue.indices.len()).for_each(|dimension| self.index(at, lvalue, dimension, pass));
    }

    fn index(&mut self, at: At<'a>, of: &'a Lvalue, dimension: usize, pass: Pass) {
        let variable = match of.variable {
            VariableRef::Global(global) => (None, global as usize),
            VariableRef::Local(local) => (at.kind, local as usize),
        };
        self.index_of(at, variable, (dimension, &of.indices[dimension]), pass);
    }

    /// An index of a variable: a global, or a local of a kind.
    fn index_of(
        &mut self,
        at: At<'a>,
        of: (Option<usize>, usize),
        (dimension, index): (usize, &'a Expr),
        pass: Pass,
    ) {
        let cell = match of {
            (None, global) => self.typing.globals[global],
            (Some(kind), local) => self.typing.locals[kind][local],
        };
        let sort = self.visit(at, index, number(cell.dimension == Some(dimension)), pass);
        if sort == Sort::Number && cell.dimension.is_none() && pass == Pass::Infer {
            let cell = match of {
                (None, global) => &mut self.typing.globals[global],
                (Some(kind), local) => &mut self.typing.locals[kind][local],
            };
            cell.dimension = Some(dimension);
            self.changed = true;
        }
    }

    /// The kinds of channels that an expression may stand for.
    fn channels(&self, at: At<'_>, channel: &Expr) -> Vec<usize> {
        if let Expr::Load(lvalue) = channel {
            let (variable, stored) = match lvalue.variable {
                VariableRef::Global(global) => {
                    let is = |written: &Lvalue, _| written.variable == VariableRef::Global(global);
                    (&self.program.globals[global as usize], self.search.is_written(is))
                }
                VariableRef::Local(local) => {
                    let kind = at.kind.expect("only processes have locals");
                    let is =
                        |written: &Lvalue, by| by == kind && written.variable == VariableRef::Local(local);
                    (&self.program.processes[kind].locals[local as usize], self.search.is_written(is))
                }
            };
            if let Init::Channel(ChannelId(kind)) = variable.init
                && !stored
            {
                return vec![kind as usize];
            }
        }
        (0..self.program.channels.len()).collect()
    }

    fn send(&mut self, at: At<'a>, channel: &'a Expr, fields: &'a [Expr], sorted: bool, pass: Pass) {
        for kind in self.channels(at, channel) {
            for field in 0..self.typing.fields[kind].len() {
                let numbers = self.typing.fields[kind][field];
                let Some(expr) = fields.get(field) else {
                    if numbers && pass == Pass::Check {
                        self.complain(at, "the number of a process is not sent where one is expected", "!");
                    }
                    continue;
                };
                let sort = self.visit(at, expr, number(numbers), pass);
                if sort == Sort::Number && !numbers && pass == Pass::Infer {
                    self.typing.fields[kind][field] = true;
                    self.changed = true;
                }
                if numbers && sorted && pass == Pass::Check {
                    self.complain(at, "messages are sorted by the number of a process", "!!");
                }
            }
        }
    }

    fn patterns(&mut self, at: At<'a>, channel: &'a Expr, patterns: &'a [Pattern], pass: Pass) {
        for kind in self.channels(at, channel) {
            for (field, pattern) in patterns.iter().enumerate().take(self.typing.fields[kind].len()) {
                let numbers = self.typing.fields[kind][field];
                match pattern {
                    Pattern::Bind(lvalue) => self.bind(at, lvalue.variable, number(numbers), pass),
                    Pattern::Match(expr) => {
                        self.visit(at, expr, number(numbers), pass);
                    }
                    Pattern::Any => {}
                }
            }
        }
    }

    /// The types of what is for numbers.
    fn types(&self) -> Vec<Type> {
        let variables =
            self.program.processes.iter().map(|process| &process.locals).chain([&self.program.globals]);
        let cells = self.typing.locals.iter().chain([&self.typing.globals]);
        let declared = variables.zip(cells).flat_map(|(variables, cells)| variables.iter().zip(cells));
        let mut types: Vec<Type> =
            declared.filter(|(_, cell)| cell.numbers).map(|(variable, _)| variable.ty).collect();
        for (channel, fields) in self.program.channels.iter().zip(&self.typing.fields) {
            let numbers = channel.fields.iter().zip(fields).filter(|(_, numbers)| **numbers);
            types.extend(numbers.map(|(&ty, _)| ty));
        }
        types.dedup();
        types
    }

    /// A constant that is compared with, or stored as, the number of a process: it must not be that of one that can be
    /// exchanged, and must not become one when it is stored.
    fn constant(&mut self, at: At<'a>, value: i32) {
        self.value(at, value);
        for index in 0..self.types.len() {
            if let Some(stored) = self.types[index].store(value).filter(|&stored| stored != value) {
                self.value(at, stored);
            }
        }
    }

    /// A value that must not be the number of a process that can be exchanged. Which those are can be helped.
    fn value(&mut self, at: At<'a>, value: i32) {
        let never = value < self.lowest || value >= MOST as i32;
        if never || !self.created && !self.positions.contains(&value) {
            return;
        }
        if self.created && self.positions.iter().all(|&pid| pid < value) && value > self.lowest + 1 {
            self.typing.limit = self.typing.limit.min(value as usize);
            return;
        }
        let text = format!("{value} is the number of a process that is to stand for others");
        self.complain(at, &text, &value.to_string());
    }

    /// Whether what is for numbers of processes has room for them, and begins as it must.
    fn check_declarations(&mut self) {
        let program = self.program;
        let (mut wrong, mut unclear) = (Vec::new(), Vec::new());
        let highest = self.highest;
        let mut declared = |name: &str, ty: Type, dims: &[u32], cell: Cell, limit: &mut usize| {
            if cell.numbers && !(0..=highest).all(|pid| ty.store(pid) == Some(pid)) {
                wrong.push(format!("`{name}` has no room for the numbers of all processes"));
            }
            if cell.numbers && matches!(ty, Type::Channel | Type::Symbol(_)) {
                wrong.push(format!("`{name}` is not for numbers"));
            }
            if let Some(dimension) = cell.dimension {
                *limit = (*limit).min(dims[dimension] as usize);
            }
        };
        let mut limit = self.typing.limit;
        for (variable, cell) in program.globals.iter().zip(&self.typing.globals) {
            declared(&variable.name, variable.ty, &variable.dims, *cell, &mut limit);
        }
        for (process, cells) in program.processes.iter().zip(&self.typing.locals) {
            for (variable, cell) in process.locals.iter().zip(cells) {
                declared(&variable.name, variable.ty, &variable.dims, *cell, &mut limit);
            }
        }
        for (channel, fields) in program.channels.iter().zip(&self.typing.fields) {
            for (&ty, &numbers) in channel.fields.iter().zip(fields) {
                let cell = Cell { numbers, dimension: None };
                declared("a message", ty, &[], cell, &mut limit);
            }
            if fields.contains(&true) && !channel.contents.is_empty() {
                unclear.push("channels begin with messages that hold some".to_owned());
            }
        }
        for (variable, cell) in program.globals.iter().zip(&self.typing.globals) {
            if variable.hidden && *cell != Cell::default() {
                wrong.push(format!("`{}` is hidden", variable.name));
            }
        }
        for (kind, (process, cells)) in program.processes.iter().zip(&self.typing.locals).enumerate() {
            for (variable, cell) in process.locals.iter().zip(cells) {
                let created = self.search.is_created(kind);
                if created && cell.dimension.is_some() && matches!(variable.init, Init::List(_)) {
                    wrong.push(format!("`{}` does not begin alike for all of them", variable.name));
                }
                let zero = matches!(variable.init, Init::Zero | Init::List(_));
                if created && cell.numbers && zero && self.lowest == 0 {
                    wrong
                        .push(format!("`{}` begins with 0, which is the number of a process", variable.name));
                }
            }
        }
        wrong.append(&mut unclear);
        self.typing.limit = limit;
        let leak = |text: String| Leak::of_all(format!("numbers of processes are stored, but {text}"));
        self.leaks.extend(wrong.into_iter().map(leak));
    }

    fn cell(&self, at: At<'_>, variable: VariableRef) -> Cell {
        match variable {
            VariableRef::Global(global) => self.typing.globals[global as usize],
            VariableRef::Local(local) => {
                self.typing.locals[at.kind.expect("only processes have locals")][local as usize]
            }
        }
    }

    fn cell_mut(&mut self, at: At<'_>, variable: VariableRef) -> &mut Cell {
        match variable {
            VariableRef::Global(global) => &mut self.typing.globals[global as usize],
            VariableRef::Local(local) => {
                &mut self.typing.locals[at.kind.expect("only processes have locals")][local as usize]
            }
        }
    }

    fn complain(&mut self, at: At<'_>, text: &str, mark: &str) {
        let leak = self.search.leak(at, text.to_owned(), mark);
        if !self.leaks.contains(&leak) {
            self.leaks.push(leak);
        }
    }
}

fn number(numbers: bool) -> Sort {
    if numbers { Sort::Number } else { Sort::Plain }
}
