//! The values that an expression reads: why an assertion is false, what a process waits for.
//!
//! A variable is told under the name that the expression has for it, an element of an array with the indices that are meant
//! there (`a[2]` where the text says `a[i]`, followed by `i` itself), a channel by its contents. Each is told once, in the order of the text.
//! What has no value is told by what is wrong with it: of an index that is out of range, how many elements there are.

use super::eval::View;
use super::show::{channel, element_name, scalar};
use super::{Cause, Interpreter};
use crate::ir::{Command, Effect, Expr, Guard, Lvalue, Pattern, Program, Sync, Type, Variable, VariableRef};
use crate::layout::read_scalar;
use elnath_kernel::event::Operand;

/// What the expressions read.
pub(super) fn operands<'e>(view: &View<'_>, expressions: impl IntoIterator<Item = &'e Expr>) -> Vec<Operand> {
    let mut reader = Reader { view, found: Vec::new() };
    expressions.into_iter().for_each(|expr| reader.read(expr));
    reader.found
}

/// What a command reads that fails because of this.
pub(super) fn of_fault(view: &View<'_>, command: &Command, cause: Cause) -> Vec<Operand> {
    let mut reader = Reader { view, found: Vec::new() };
    reader.command(command, cause == Cause::Assertion);
    reader.found
}

/// What decides whether a command can be executed: its condition, and the channel that it waits for.
pub(super) fn of_waiting(view: &View<'_>, command: &Command) -> Vec<Operand> {
    let mut reader = Reader { view, found: Vec::new() };
    if let Guard::When(expr) = &command.guard {
        reader.read(expr);
    }
    match &command.sync {
        Sync::None => {}
        Sync::Send { channel, .. } => reader.read(channel),
        Sync::Receive { channel, patterns, .. } => {
            reader.read(channel);
            reader.patterns(patterns);
        }
        Sync::Gate { offers, .. } => reader.patterns(offers),
    }
    reader.found
}

/// The value of an expression; a question mark if it has none.
fn value(view: &View<'_>, expr: &Expr) -> String {
    view.eval(expr).map_or_else(|_| "?".to_owned(), |value| value.to_string())
}

/// The same of one that is true or false.
fn truth(view: &View<'_>, expr: &Expr) -> String {
    view.eval(expr).map_or("?", |value| if value != 0 { "true" } else { "false" }).to_owned()
}

struct Reader<'v, 'a> {
    view: &'v View<'a>,
    found: Vec<Operand>,
}

impl Reader<'_, '_> {
    fn tell(&mut self, name: String, value: String) {
        if self.found.iter().all(|operand| operand.name != name) {
            self.found.push(Operand { name, value });
        }
    }

    fn read(&mut self, expr: &Expr) {
        match expr {
            Expr::Load(lvalue) => self.variable(lvalue),
            Expr::Pid => self.tell("_pid".to_owned(), value(self.view, expr)),
            Expr::ProcessCount => self.tell("_nr_pr".to_owned(), value(self.view, expr)),
            Expr::Last => self.tell("_last".to_owned(), value(self.view, expr)),
            Expr::Remote { process, pid, variable, indices } => {
                let kind = &self.view.program.processes[process.index()];
                let declared = &kind.locals[*variable as usize];
                let who = self.who(&kind.name, pid.as_deref());
                let name = format!("{who}:{}", self.element(declared, indices));
                let value = self.view.eval(expr).map(|value| self.shown(declared.ty, value));
                self.tell(name, value.unwrap_or_else(|_| "?".to_owned()));
            }
            Expr::At { process, pid, locations } => {
                let kind = &self.view.program.processes[process.index()];
                let label = locations.first().and_then(|at| kind.locations[at.index()].labels.first());
                let who = self.who(&kind.name, pid.as_deref());
                let name = format!("{who}@{}", label.map_or("?", String::as_str));
                self.tell(name, truth(self.view, expr));
            }
            Expr::Timeout => self.tell("timeout".to_owned(), truth(self.view, expr)),
            Expr::NonProgress => self.tell("np_".to_owned(), truth(self.view, expr)),
            Expr::Enabled(pid) => {
                self.tell(format!("enabled({})", value(self.view, pid)), truth(self.view, expr));
            }
            Expr::Priority(pid) => {
                self.tell(format!("get_priority({})", value(self.view, pid)), value(self.view, expr));
            }
            Expr::Location(pid) => {
                self.tell(format!("pc_value({})", value(self.view, pid)), value(self.view, expr));
            }
            Expr::Const(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Cond(_)
            | Expr::Channel(..)
            | Expr::Poll { .. } => {}
        }
        expr.for_each_operand(|operand| self.read(operand));
    }

    /// A process that an expression names.
    fn who(&self, kind: &str, pid: Option<&Expr>) -> String {
        match pid.and_then(|pid| self.view.eval(pid).ok()) {
            Some(pid) => format!("{kind}[{pid}]"),
            None => kind.to_owned(),
        }
    }

    fn variable(&mut self, lvalue: &Lvalue) {
        let Some(declared) = self.declared(lvalue.variable) else { return };
        match self.view.address(lvalue) {
            Ok((at, _)) => {
                let name = self.element(declared, &lvalue.indices);
                let value = self.shown(declared.ty, read_scalar(self.view.state, at, declared.ty));
                self.tell(name, value);
            }
            Err(Cause::Index) => {
                let sizes: Vec<String> = declared.dims.iter().map(ToString::to_string).collect();
                let name = format!("{}.length", declared.name.replace("[]", ""));
                self.tell(name, sizes.join(" x "));
            }
            Err(_) => {}
        }
    }

    fn declared(&self, variable: VariableRef) -> Option<&'_ Variable> {
        let program: &Program = self.view.program;
        match variable {
            VariableRef::Global(global) => program.globals.get(global as usize),
            VariableRef::Local(local) => {
                self.view.tables.processes.get(self.view.pid)?;
                self.view.process(self.view.pid).locals.get(local as usize)
            }
        }
    }

    /// The name of an element.
    fn element(&self, declared: &Variable, indices: &[Expr]) -> String {
        let mut element = 0;
        for (index, &length) in indices.iter().zip(&declared.dims) {
            let index = self.view.eval(index).ok().and_then(|index| usize::try_from(index).ok());
            element = element * length as usize + index.unwrap_or(0);
        }
        element_name(declared, element)
    }

    fn shown(&self, ty: Type, value: i32) -> String {
        let View { program, layout, state, tables, .. } = *self.view;
        match ty {
            Type::Channel => channel(program, layout, state, tables, value),
            ty => scalar(program, ty, value),
        }
    }

    fn patterns(&mut self, patterns: &[Pattern]) {
        for pattern in patterns {
            match pattern {
                Pattern::Match(expr) => self.read(expr),
                Pattern::Bind(lvalue) => self.stored(lvalue),
                Pattern::Any => {}
            }
        }
    }

    /// What says which element is stored to, and whether there is one.
    fn stored(&mut self, lvalue: &Lvalue) {
        lvalue.indices.iter().for_each(|index| self.read(index));
        if matches!(self.view.address(lvalue), Err(Cause::Index)) {
            self.variable(lvalue);
        }
    }

    fn command(&mut self, command: &Command, only_asserted: bool) {
        if !only_asserted {
            if let Guard::When(expr) = &command.guard {
                self.read(expr);
            }
            match &command.sync {
                Sync::None => {}
                Sync::Send { channel, fields, .. } => {
                    self.read(channel);
                    fields.iter().for_each(|field| self.read(field));
                }
                Sync::Receive { channel, patterns, .. } => {
                    self.read(channel);
                    self.patterns(patterns);
                }
                Sync::Gate { offers, when, .. } => {
                    self.patterns(offers);
                    when.iter().for_each(|when| self.read(when));
                }
            }
        }
        for effect in &command.effects {
            match effect {
                Effect::Assert(expr) if only_asserted => {
                    if self.view.is_true(expr) != Ok(true) {
                        self.read(expr);
                    }
                }
                _ if only_asserted => {}
                Effect::Assign(lvalue, expr) => {
                    self.stored(lvalue);
                    self.read(expr);
                }
                Effect::Assert(expr) => self.read(expr),
                Effect::Run { arguments, .. } => arguments.iter().for_each(|argument| self.read(argument)),
                Effect::Print { .. } => {}
                Effect::SetPriority { process, priority } => {
                    self.read(process);
                    self.read(priority);
                }
                Effect::Place { arguments, .. } => arguments.iter().for_each(|argument| self.read(argument)),
            }
        }
    }
}

impl Interpreter {
    /// What a proposition reads in a state.
    pub(super) fn operands_of_proposition(&self, state: &[u8], number: u32) -> Vec<Operand> {
        let mut tables = crate::layout::Tables::default();
        tables.read(&self.layout, state);
        let view = self.view(state, &tables, usize::MAX, false);
        self.program
            .propositions
            .get(number as usize)
            .map_or_else(Vec::new, |(_, expr)| operands(&view, [expr]))
    }
}
