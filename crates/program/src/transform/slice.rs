//! Slicing (the cone of influence): variables whose values can decide nothing are left out of the state.
//!
//! A counter that is only incremented, an array that is only written, a ghost variable that records what happened: each
//! makes states different that have the same future. SPIN leaves out variables that are only written. Here it is the
//! *cone of influence* of the question: the least set of variables that contains those that are *looked at* and, with
//! every variable, those that are read where it is assigned to. All others keep their first value. So `x = x + 1` alone
//! does not make `x` matter, and of two variables that are only assigned to each other neither does.
//!
//! **What is looked at.** Whatever decides what happens: guards, conditions of processes (`provided`), channels and
//! messages that are sent, patterns that must match, assertions, priorities, the propositions of the question, and whatever
//! decides whether an evaluation is a fault: divisors, indices, and the conditions before them. Truncation is no fault; storing
//! outside a [`Type::Range`] is one, so such variables always matter. What is printed does not: a run is shown as one of
//! the program as it was written, with all values.
//!
//! **What changes.** An assignment to a variable that does not matter becomes the evaluations in it that may be a fault (as
//! assertions that cannot fail), a message field or a value from a gate that would be stored there is thrown away, a parameter becomes 0. Every
//! command stays where it is and is possible when it was. What a variable that does not matter occupied in the state
//! shrinks to one byte.
//!
//! **Why nothing is lost.** Two states that agree on the variables that matter have the same transitions, by the same
//! commands, with the same faults, to states that again agree on them. So the sliced program and the one that was written are
//! bisimilar, also for formulas with X, for fairness, and after faults. A cycle of the sliced program is a sequence of
//! commands that can be repeated for ever in the one that was written, but a counter may have another value in every lap.
//!
//! **Loops in atomic sequences** are recognised by their states, and sequences that are too long are given up. So that
//! both are as they were, variables that such a loop writes to always matter.
//!
//! Not done: fields of messages are always looked at, even if no receiver stores them anywhere that matters; and arrays are one
//! variable.

use crate::analysis::control::inner;
use crate::analysis::faults::{Constants, evaluation_may_fail, is_in_range};
use crate::analysis::variables::{constants, initial_values};
use crate::analysis::{
    Observation, Operation, Purpose, StoredValue, for_each_observation, for_each_operation, for_each_written,
    operations,
};
use crate::ir::{
    Binary, Command, Effect, Expr, Guard, Init, Loc, Lvalue, Pattern, ProcessType, Program, Sync, Type,
    Variable, VariableRef,
};

/// Takes out of a program what cannot matter to its propositions, nor to deadlocks, faults and actions. Tells the
/// variables that had been written to and no longer are.
#[doc(alias = "cone of influence")]
pub fn slice(program: &mut Program) -> Vec<String> {
    let relevant = Cone::new(program).relevant();
    let numbers = Numbers::new(program);
    let mut written = vec![false; relevant.len()];
    let old = program.clone();
    let constant = constants(&old);
    for (number, kind) in program.processes.iter_mut().enumerate() {
        let mut slicing = Slicing {
            program: &old,
            constant: &constant,
            number,
            numbers: &numbers,
            relevant: &relevant,
            written: &mut written,
        };
        kind.commands.iter_mut().for_each(|command| slicing.command(command));
        for (local, variable) in kind.locals.iter_mut().enumerate() {
            let at = numbers.local(number, local as u32);
            if !relevant[at] && matches!(variable.init, Init::Value(_) | Init::List(_)) {
                variable.init = Init::Zero;
            }
        }
    }
    let gone = |at: usize| written[at] && !relevant[at];
    let mut names: Vec<String> = (program.globals.iter().enumerate())
        .filter(|&(global, _)| gone(global))
        .map(|(_, variable)| variable.name.clone())
        .collect();
    for (number, kind) in program.processes.iter().enumerate() {
        let locals = kind.locals.iter().enumerate();
        let locals = locals.filter(|&(local, _)| gone(numbers.local(number, local as u32)));
        names.extend(locals.map(|(_, variable)| format!("{}:{}", kind.name, variable.name)));
    }
    shrink(program, &numbers, &relevant);
    names
}

/// Gives what is mentioned nowhere any more the least room there is.
fn shrink(program: &mut Program, numbers: &Numbers, relevant: &[bool]) {
    let mut mentioned = relevant.to_vec();
    for (number, kind) in program.processes.iter().enumerate() {
        let mut note = |lvalue: &Lvalue| mentioned[numbers.of(number, lvalue.variable)] = true;
        for command in &kind.commands {
            for_each_written(command, &mut note);
            for_each_operation(command, &mut |operation| {
                if let Operation::Evaluate(expr, _) = operation {
                    for_each_loaded(expr, &mut note);
                }
            });
        }
        for variable in &kind.locals {
            initial_values(&variable.init).iter().for_each(|expr| for_each_loaded(expr, &mut note));
        }
    }
    // Initial values of globals may be made of other globals.
    let globals: Vec<usize> = (program.globals.iter())
        .flat_map(|variable| initial_values(&variable.init))
        .flat_map(|expr| numbers.read(0, expr))
        .collect();
    globals.into_iter().for_each(|global| mentioned[global] = true);
    let least = |variable: &mut Variable, mentioned: bool| {
        if !mentioned && !matches!(variable.init, Init::Channel(_)) {
            (variable.ty, variable.init) = (Type::Unsigned(1), Init::Zero);
            variable.dims.clear();
        }
    };
    for (global, variable) in program.globals.iter_mut().enumerate() {
        least(variable, mentioned[global]);
    }
    for (number, kind) in program.processes.iter_mut().enumerate() {
        for (local, variable) in kind.locals.iter_mut().enumerate() {
            least(variable, mentioned[numbers.local(number, local as u32)]);
        }
    }
}

fn for_each_loaded(expr: &Expr, visit: &mut dyn FnMut(&Lvalue)) {
    for_each_observation(expr, &mut |observation| {
        if let Observation::Variable(lvalue) = observation {
            visit(lvalue);
        }
    });
}

/// One number for each variable: the globals, then the locals of each kind of process.
struct Numbers {
    first_local: Vec<usize>,
    count: usize,
}

impl Numbers {
    fn new(program: &Program) -> Self {
        let mut count = program.globals.len();
        let mut first_local = Vec::new();
        for kind in &program.processes {
            first_local.push(count);
            count += kind.locals.len();
        }
        Self { first_local, count }
    }

    fn local(&self, kind: usize, local: u32) -> usize {
        self.first_local[kind] + local as usize
    }

    /// The number of a variable that a process of this kind names.
    fn of(&self, kind: usize, variable: VariableRef) -> usize {
        match variable {
            VariableRef::Global(global) => global as usize,
            VariableRef::Local(local) => self.local(kind, local),
        }
    }

    /// The variables whose values an expression depends on.
    fn read(&self, kind: usize, expr: &Expr) -> Vec<usize> {
        let mut read = Vec::new();
        for_each_observation(expr, &mut |observation| match observation {
            Observation::Variable(lvalue) => read.push(self.of(kind, lvalue.variable)),
            Observation::Remote { process, variable, .. } => {
                read.push(self.local(process.index(), variable));
            }
            _ => {}
        });
        read
    }
}

/// An evaluation that may be a fault.
enum Check {
    /// Of an expression all of whose variables decide whether it is.
    Value(Expr),
    /// Of an element of an array: of that the indices decide it, not what the array holds.
    Element(Lvalue),
}

impl Check {
    /// An effect that has this fault and no other.
    fn into_effect(self) -> Effect {
        let expr = match self {
            Check::Value(expr) => expr,
            Check::Element(lvalue) => Expr::Load(lvalue),
        };
        Effect::Assert(Expr::Binary(Binary::Or, Box::new([expr, Expr::Const(1)])))
    }
}

/// Finds the evaluations in expressions of one kind of process that may be faults.
#[derive(Clone, Copy)]
struct Checks<'a>(Constants<'a>);

impl<'a> Checks<'a> {
    fn new(program: &'a Program, kind: &'a ProcessType, constant: &'a [bool]) -> Self {
        Self(Constants { program, kind, constant })
    }

    /// Whether evaluating may be a fault.
    fn may_fail(self, expr: &Expr) -> bool {
        evaluation_may_fail(&self.0, expr)
    }

    fn is_in_range(self, lvalue: &Lvalue) -> bool {
        is_in_range(&self.0, lvalue)
    }

    /// What may be a fault when an expression is evaluated, in this order.
    fn of(self, expr: &Expr, found: &mut Vec<Check>) {
        match expr {
            _ if !self.may_fail(expr) => {}
            Expr::Load(lvalue) => self.of_lvalue(lvalue, found),
            Expr::Unary(_, operand) => self.of(operand, found),
            Expr::Binary(Binary::And | Binary::Or, operands) if !self.may_fail(&operands[1]) => {
                self.of(&operands[0], found);
            }
            Expr::Binary(operator @ (Binary::Div | Binary::Rem), operands) => {
                self.of(&operands[0], found);
                let divisor = operands[1].clone();
                let division = Expr::Binary(*operator, Box::new([Expr::Const(1), divisor]));
                if self.may_fail(&division) {
                    found.push(Check::Value(division));
                }
            }
            Expr::Binary(operator, operands) if !matches!(operator, Binary::And | Binary::Or) => {
                operands.iter().for_each(|operand| self.of(operand, found));
            }
            Expr::Cond(parts) if !self.may_fail(&parts[1]) && !self.may_fail(&parts[2]) => {
                self.of(&parts[0], found);
            }
            // What is evaluated depends on values, or it is about something else than variables.
            _ => found.push(Check::Value(expr.clone())),
        }
    }

    fn of_lvalue(self, lvalue: &Lvalue, found: &mut Vec<Check>) {
        if !self.is_in_range(lvalue) {
            found.push(Check::Element(lvalue.clone()));
        }
    }

    /// What may be a fault in an assignment, besides what the type of the variable forbids.
    fn of_assignment(self, to: &Lvalue, value: &Expr) -> Vec<Check> {
        let mut found = Vec::new();
        self.of(value, &mut found);
        self.of_lvalue(to, &mut found);
        found
    }
}

/// The variables that matter: those that are looked at, and whatever flows into them.
struct Cone<'a> {
    program: &'a Program,
    constant: Vec<bool>,
    numbers: Numbers,
    relevant: Vec<bool>,
    /// By variable: those that are read where it is assigned to.
    flows: Vec<Vec<usize>>,
}

impl<'a> Cone<'a> {
    fn new(program: &'a Program) -> Self {
        let numbers = Numbers::new(program);
        let (relevant, flows) = (vec![false; numbers.count], vec![Vec::new(); numbers.count]);
        let mut cone = Self { program, constant: constants(program), numbers, relevant, flows };
        for (global, variable) in program.globals.iter().enumerate() {
            cone.relevant[global] |= matches!(variable.ty, Type::Range(..));
        }
        // Propositions have no locals.
        program.propositions.iter().for_each(|(_, expr)| cone.look_at(0, expr));
        for (number, kind) in program.processes.iter().enumerate() {
            kind.provided.iter().for_each(|expr| cone.look_at(number, expr));
            cone.locals(number, kind);
            kind.commands.iter().for_each(|command| cone.command(number, kind, command));
            cone.atomic_loops(number, kind);
        }
        cone
    }

    /// Closes the set of what is looked at under what flows into it.
    fn relevant(mut self) -> Vec<bool> {
        let mut todo: Vec<usize> = (0..self.relevant.len()).filter(|&at| self.relevant[at]).collect();
        while let Some(at) = todo.pop() {
            for from in std::mem::take(&mut self.flows[at]) {
                if !std::mem::replace(&mut self.relevant[from], true) {
                    todo.push(from);
                }
            }
        }
        self.relevant
    }

    fn look_at(&mut self, kind: usize, expr: &Expr) {
        for variable in self.numbers.read(kind, expr) {
            self.relevant[variable] = true;
        }
    }

    fn flow(&mut self, kind: usize, expr: &Expr, into: usize) {
        let read = self.numbers.read(kind, expr);
        self.flows[into].extend(read);
    }

    /// What decides whether storing is a fault.
    fn look_at_checks(&mut self, kind: usize, checks: &[Check]) {
        for check in checks {
            match check {
                Check::Value(expr) => self.look_at(kind, expr),
                Check::Element(lvalue) => lvalue.indices.iter().for_each(|index| self.look_at(kind, index)),
            }
        }
    }

    /// Initial values, and types that cannot hold everything.
    fn locals(&mut self, number: usize, kind: &ProcessType) {
        for (local, variable) in kind.locals.iter().enumerate() {
            let at = self.numbers.local(number, local as u32);
            self.relevant[at] |= matches!(variable.ty, Type::Range(..));
            for expr in initial_values(&variable.init) {
                self.relevant[at] |= self.checks(kind).may_fail(expr);
                self.flow(number, expr, at);
            }
        }
    }

    fn checks<'c>(&'c self, kind: &'c ProcessType) -> Checks<'c> {
        Checks::new(self.program, kind, &self.constant)
    }

    fn command(&mut self, number: usize, kind: &ProcessType, command: &Command) {
        for operation in operations(command) {
            match operation {
                Operation::Evaluate(expr, purpose) => self.evaluation(number, kind, expr, purpose),
                Operation::Store(to, StoredValue::Expr(value)) => {
                    let checks = self.checks(kind).of_assignment(to, value);
                    self.look_at_checks(number, &checks);
                }
                Operation::Store(
                    to,
                    StoredValue::Message { .. } | StoredValue::Offered { .. } | StoredValue::NewProcess(_),
                ) => {
                    self.store(number, kind, to);
                }
                Operation::Body { .. }
                | Operation::Send { .. }
                | Operation::Receive { .. }
                | Operation::Create { .. }
                | Operation::Meet { .. }
                | Operation::Place { .. }
                | Operation::SetPriority
                | Operation::Print
                | Operation::End => {}
            }
        }
    }

    fn evaluation(&mut self, number: usize, kind: &ProcessType, expr: &Expr, purpose: Purpose<'_>) {
        match purpose {
            Purpose::Guard
            | Purpose::Channel
            | Purpose::Sent { .. }
            | Purpose::Matched { .. }
            | Purpose::Offered { .. }
            | Purpose::Asserted
            | Purpose::Priority => self.look_at(number, expr),
            Purpose::Index { of: to, .. } | Purpose::Stored(to) => {
                self.flow(number, expr, self.numbers.of(number, to.variable));
            }
            Purpose::Argument { process, parameter } => {
                let at = self.numbers.local(process.index(), parameter);
                self.flow(number, expr, at);
                self.relevant[at] |= self.checks(kind).may_fail(expr);
            }
            Purpose::Printed => {}
        }
    }

    /// Something is stored that comes from no variable. Where this may be a fault, it is done as ever.
    fn store(&mut self, number: usize, kind: &ProcessType, to: &Lvalue) {
        if !self.checks(kind).is_in_range(to) {
            self.relevant[self.numbers.of(number, to.variable)] = true;
            to.indices.iter().for_each(|index| self.look_at(number, index));
        }
    }

    /// Whatever a loop in an atomic sequence writes to.
    fn atomic_loops(&mut self, number: usize, kind: &ProcessType) {
        let mut found = Vec::new();
        let mut note = |command: &Command| {
            for_each_written(command, &mut |lvalue| found.push(lvalue.variable));
        };
        for at in (0..kind.locations.len() as u32).map(Loc) {
            for (_, command) in kind.leaving(at).filter(|(_, command)| command.atomic) {
                if !goes_on_to(kind, command.target, at) {
                    continue;
                }
                note(command);
                if let Guard::Body { entry, exit } = command.guard {
                    let within = inner(kind, entry, exit);
                    within.iter().flat_map(|&at| kind.leaving(at)).for_each(|(_, command)| note(command));
                }
            }
        }
        for variable in found {
            self.relevant[self.numbers.of(number, variable)] = true;
        }
    }
}

/// Whether a process goes on from one location to the other alone.
fn goes_on_to(kind: &ProcessType, from: Loc, to: Loc) -> bool {
    let (mut seen, mut todo) = (vec![false; kind.locations.len()], vec![from]);
    while let Some(at) = todo.pop() {
        if at == to {
            return true;
        }
        if !std::mem::replace(&mut seen[at.index()], true) {
            let atomic = kind.leaving(at).filter(|(_, command)| command.atomic);
            todo.extend(atomic.map(|(_, command)| command.target));
        }
    }
    false
}

/// Changes the commands of one kind of process.
struct Slicing<'a> {
    /// As it was.
    program: &'a Program,
    constant: &'a [bool],
    /// The kind of process.
    number: usize,
    numbers: &'a Numbers,
    relevant: &'a [bool],
    /// The variables that were written to.
    written: &'a mut [bool],
}

impl Slicing<'_> {
    fn command(&mut self, command: &mut Command) {
        if let Sync::Receive { patterns, .. } | Sync::Gate { offers: patterns, .. } = &mut command.sync {
            for pattern in patterns {
                if let Pattern::Bind(to) = pattern
                    && !self.matters(to.variable)
                {
                    *pattern = Pattern::Any;
                }
            }
        }
        let effects = std::mem::take(&mut command.effects);
        effects.into_iter().for_each(|effect| self.effect(effect, &mut command.effects));
    }

    /// Whether a variable that is written to here matters.
    fn matters(&mut self, variable: VariableRef) -> bool {
        let at = self.numbers.of(self.number, variable);
        self.written[at] = true;
        self.relevant[at]
    }

    fn effect(&mut self, effect: Effect, into: &mut Vec<Effect>) {
        match effect {
            Effect::Assign(to, value) if !self.matters(to.variable) => {
                let kind = &self.program.processes[self.number];
                let checks = Checks::new(self.program, kind, self.constant);
                into.extend(checks.of_assignment(&to, &value).into_iter().map(Check::into_effect));
            }
            Effect::Run { process, mut arguments, priority, result } => {
                for (parameter, argument) in arguments.iter_mut().enumerate() {
                    let at = self.numbers.local(process.index(), parameter as u32);
                    self.written[at] = true;
                    if !self.relevant[at] {
                        *argument = Expr::Const(0);
                    }
                }
                let result = result.filter(|to| self.matters(to.variable));
                into.push(Effect::Run { process, arguments, priority, result });
            }
            Effect::Place { process, at, mut arguments } => {
                for (parameter, argument) in arguments.iter_mut().enumerate() {
                    let number = self.numbers.local(process.index(), parameter as u32);
                    self.written[number] = true;
                    if !self.relevant[number] {
                        *argument = Expr::Const(0);
                    }
                }
                into.push(Effect::Place { process, at, arguments });
            }
            Effect::Print { .. } => {}
            other => into.push(other),
        }
    }
}
