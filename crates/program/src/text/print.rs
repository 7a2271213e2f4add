//! From data to text. Everything gets its plainest form that is still unambiguous; texts of commands are always
//! written, since the parser would else invent them.

use super::is_keyword;
use super::lexer::{is_word, quote};
use crate::ir::{
    Binary, Capacity, ChannelQuery, Command, CommandId, Effect, Expr, GateId, Guard, Init, Loc, Lvalue,
    Pattern, Place, ProcessId, ProcessType, Program, SymbolsId, Sync, Type, Unary, Variable, VariableRef,
};
use std::collections::HashMap;
use std::fmt::Write;

/// The program as text.
pub fn print(program: &Program) -> String {
    let mut out = Printer { program, process: None, text: String::new() };
    out.program();
    out.text
}

/// An expression as it would be written in a process, or outside any.
pub(crate) fn print_expression(program: &Program, process: Option<&ProcessType>, expr: &Expr) -> String {
    let mut out = Printer { program, process, text: String::new() };
    out.expr(expr, 0);
    out.text
}

struct Printer<'a> {
    program: &'a Program,
    /// The process whose locals are meant.
    process: Option<&'a ProcessType>,
    text: String,
}

/// Writing to a string cannot fail.
macro_rules! put {
    ($out:expr, $($format:tt)*) => { let _ = write!($out.text, $($format)*); };
}

fn name(name: &str) -> String {
    if is_word(name) && !is_keyword(name) { name.to_owned() } else { quote(name, '\'') }
}

/// The name of item `index`, or if others have the same name, `kind#index`.
fn reference<'n>(names: impl Iterator<Item = &'n String> + Clone, index: usize, kind: &str) -> String {
    match names.clone().nth(index) {
        Some(wanted) if names.filter(|name| *name == wanted).count() == 1 => name(wanted),
        _ => format!("{kind}#{index}"),
    }
}

fn ty(program: &Program, ty: Type) -> String {
    match ty {
        Type::Unsigned(1) => "bit".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Unsigned(8) => "byte".to_owned(),
        Type::Unsigned(bits) => format!("u{bits}"),
        Type::Signed(16) => "short".to_owned(),
        Type::Signed(_) => "int".to_owned(),
        Type::Channel => "chan".to_owned(),
        Type::Symbol(set) => format!("symbol {}", symbols(program, set)),
        Type::Range(low, high) => format!("{low}..{high}"),
    }
}

fn symbols(program: &Program, set: SymbolsId) -> String {
    reference(program.symbols.iter().map(|set| &set.name), set.index(), "symbols")
}

impl<'a> Printer<'a> {
    fn program(&mut self) {
        let program = self.program;
        put!(self, "program {}\n", quote(&program.name, '"'));
        for file in &program.files {
            put!(self, "file {}\n", quote(file, '"'));
        }
        for call in &program.calls {
            put!(self, "call {}", quote(&call.name, '"'));
            self.place(call.place);
            self.text.push('\n');
        }
        if program.tracks_last {
            self.text.push_str("tracks last\n");
        }
        if program.has_priorities {
            self.text.push_str("priorities\n");
        }
        for set in &program.symbols {
            let members = set.members.iter().map(|(member, value)| format!("{} = {value}", name(member)));
            put!(self, "symbols {}: {}\n", name(&set.name), members.collect::<Vec<_>>().join(", "));
        }
        for (index, channel) in program.channels.iter().enumerate() {
            put!(self, "channel c{index}: ");
            match channel.capacity {
                Capacity::Rendezvous => self.text.push_str("rendezvous"),
                Capacity::Bounded(capacity) => {
                    put!(self, "{capacity}");
                }
                Capacity::Unbounded => self.text.push_str("unbounded"),
            }
            let fields: Vec<String> = channel.fields.iter().map(|&field| ty(program, field)).collect();
            let of = if fields.is_empty() { "" } else { " of " };
            put!(self, "{of}{}", fields.join(", "));
            for (index, message) in channel.contents.iter().enumerate() {
                let values: Vec<String> = message.iter().map(i32::to_string).collect();
                put!(self, "{}({})", if index > 0 { ", " } else { " holds " }, values.join(", "));
            }
            self.text.push('\n');
        }
        for gate in &program.gates {
            let offers: Vec<String> = gate.offers.iter().map(|&offer| ty(program, offer)).collect();
            let of = if offers.is_empty() { "" } else { " of " };
            put!(self, "gate {}{of}{}\n", name(&gate.name), offers.join(", "));
        }
        for vector in &program.vectors {
            let members = vector.members.iter();
            let members =
                members.map(|&(id, gate)| format!("{} {}", self.process_name(id), self.gate_name(gate)));
            put!(self, "vector {}", members.collect::<Vec<_>>().join(", "));
            if let Some(label) = &vector.label {
                put!(self, " as {}", quote(label, '"'));
            }
            self.text.push('\n');
        }
        for variable in &program.globals {
            self.text.push_str(if variable.hidden { "hidden global " } else { "global " });
            self.variable(variable);
        }
        if !program.initial.is_empty() {
            let initial: Vec<String> = program.initial.iter().map(|&id| self.process_name(id)).collect();
            put!(self, "initial {}\n", initial.join(", "));
        }
        for (name, expr) in &program.propositions {
            put!(self, "proposition {}: ", quote(name, '"'));
            self.expr(expr, 0);
            self.text.push('\n');
        }
        for process in &program.processes {
            self.text.push('\n');
            self.process = Some(process);
            self.process_type(process);
            self.process = None;
        }
    }

    fn variable(&mut self, variable: &Variable) {
        self.text.push_str(&name(&variable.name));
        for length in &variable.dims {
            put!(self, "[{length}]");
        }
        put!(self, ": {}", ty(self.program, variable.ty));
        match &variable.init {
            Init::Zero => {}
            Init::Value(expr) => {
                self.text.push_str(" = ");
                self.expr(expr, 0);
            }
            Init::List(exprs) => {
                self.text.push_str(" = {");
                self.exprs(exprs);
                self.text.push('}');
            }
            Init::Channel(channel) => {
                put!(self, " = new c{}", channel.0);
            }
        }
        self.text.push('\n');
    }

    fn process_type(&mut self, process: &ProcessType) {
        put!(self, "process {}\n", name(&process.name));
        for (index, local) in process.locals.iter().enumerate() {
            let parameter = index < process.parameters as usize;
            self.text.push_str(if parameter { "  parameter " } else { "  local " });
            self.variable(local);
        }
        if process.entry != Loc(0) {
            put!(self, "  start {}\n", process.entry.0);
        }
        if process.priority != 1 {
            put!(self, "  priority {}\n", process.priority);
        }
        if let Some(provided) = &process.provided {
            self.text.push_str("  provided ");
            self.expr(provided, 0);
            self.text.push('\n');
        }
        let mut numbering = Numbering::new(process);
        for (index, location) in process.locations.iter().enumerate() {
            put!(self, "  at {index}");
            for label in &location.labels {
                put!(self, " {}", name(label));
            }
            let flags = [("end", location.end), ("accept", location.accept), ("progress", location.progress)];
            for (flag, _) in flags.iter().filter(|(_, set)| *set) {
                put!(self, " {flag}");
            }
            self.text.push_str(":\n");
            for (number, group) in location.groups.iter().enumerate() {
                if number > 0 {
                    self.text.push_str("    otherwise\n");
                } else if group.is_empty() {
                    self.text.push_str("    nothing\n");
                }
                for &id in group {
                    self.numbered(process, id, &mut numbering);
                }
            }
        }
        let unused: Vec<CommandId> = numbering.unprinted().collect();
        if !unused.is_empty() {
            self.text.push_str("  unused:\n");
            for id in unused {
                self.numbered(process, id, &mut numbering);
            }
        }
    }

    fn numbered(&mut self, process: &ProcessType, id: CommandId, numbering: &mut Numbering) {
        if numbering.printed[id.index()] {
            put!(self, "    #{}\n", id.0);
            return;
        }
        numbering.printed[id.index()] = true;
        self.text.push_str("    ");
        if numbering.next != id.0 || numbering.uses[&id] > 1 {
            put!(self, "#{}: ", id.0);
        }
        numbering.next = id.0 + 1;
        self.command(&process.commands[id.index()]);
        self.text.push('\n');
    }

    fn command(&mut self, command: &Command) {
        match &command.guard {
            Guard::Always => {}
            Guard::When(expr) => {
                self.text.push_str("when ");
                self.expr(expr, 0);
                self.text.push(' ');
            }
            Guard::Else => self.text.push_str("else "),
            Guard::Body { entry, exit } => {
                put!(self, "body {} to {} ", entry.0, exit.0);
            }
            Guard::Exit => self.text.push_str("exit "),
        }
        match &command.sync {
            Sync::None => {}
            Sync::Send { channel, fields, sorted } => {
                self.text.push_str(if *sorted { "sorted send " } else { "send " });
                self.expr(channel, TERM);
                self.text.push('(');
                self.exprs(fields);
                self.text.push_str(") ");
            }
            Sync::Receive { channel, patterns, random, copy } => {
                self.text.push_str(if *random { "random " } else { "" });
                self.text.push_str(if *copy { "copy " } else { "" });
                self.text.push_str("receive ");
                self.expr(channel, TERM);
                self.patterns(patterns);
                self.text.push(' ');
            }
            Sync::Gate { gate, offers, when } => {
                put!(self, "meet {}", self.gate_name(*gate));
                self.patterns(offers);
                self.text.push(' ');
                if let Some(when) = when {
                    self.text.push_str("where ");
                    self.expr(when, 0);
                    self.text.push(' ');
                }
            }
        }
        for (index, effect) in command.effects.iter().enumerate() {
            self.text.push_str(if index == 0 { "do " } else { "; " });
            self.effect(effect);
        }
        if !command.effects.is_empty() {
            self.text.push(' ');
        }
        put!(self, "-> {}", command.target.0);
        if command.atomic {
            self.text.push_str(" atomic");
        }
        put!(self, "  {}", quote(&command.text, '"'));
        if let Some(place) = command.place {
            self.place(place);
        }
    }

    fn place(&mut self, place: Place) {
        put!(self, " @{}:{}", place.file, place.line);
        if let Some(call) = place.call {
            put!(self, " in {call}");
        }
    }

    fn effect(&mut self, effect: &Effect) {
        match effect {
            Effect::Assign(lvalue, expr) => {
                self.lvalue(lvalue);
                self.text.push_str(" = ");
                self.expr(expr, 0);
            }
            Effect::Run { process, arguments, priority, result } => {
                if let Some(lvalue) = result {
                    self.lvalue(lvalue);
                    self.text.push_str(" = ");
                }
                put!(self, "run {}(", self.process_name(*process));
                self.exprs(arguments);
                self.text.push(')');
                if let Some(priority) = priority {
                    self.text.push_str(" priority ");
                    self.expr(priority, 0);
                }
            }
            Effect::Assert(expr) => {
                self.text.push_str("assert ");
                self.expr(expr, 0);
            }
            Effect::Print { format, arguments } => {
                put!(self, "print {}", quote(format, '"'));
                for (expr, set) in arguments {
                    self.text.push_str(", ");
                    self.expr(expr, 0);
                    if let Some(set) = set {
                        put!(self, " as {}", symbols(self.program, *set));
                    }
                }
            }
            Effect::SetPriority { process, priority } => {
                self.call("priority", process);
                self.text.push_str(" = ");
                self.expr(priority, 0);
            }
            Effect::Place { process, at, arguments } => {
                put!(self, "place {} at {} (", self.process_name(*process), at.0);
                self.exprs(arguments);
                self.text.push(')');
            }
        }
    }

    fn gate_name(&self, id: GateId) -> String {
        reference(self.program.gates.iter().map(|gate| &gate.name), id.index(), "gate")
    }

    fn process_name(&self, id: ProcessId) -> String {
        reference(self.program.processes.iter().map(|process| &process.name), id.index(), "process")
    }

    fn lvalue(&mut self, lvalue: &Lvalue) {
        let globals = self.program.globals.iter().map(|variable| &variable.name);
        let locals = self.process.iter().flat_map(|process| &process.locals).map(|variable| &variable.name);
        let text = match lvalue.variable {
            VariableRef::Local(index) => reference(locals, index as usize, "local"),
            VariableRef::Global(index) => match self.program.globals.get(index as usize) {
                Some(variable) if locals.clone().any(|local| *local == variable.name) => {
                    format!("global#{index}")
                }
                _ => reference(globals, index as usize, "global"),
            },
        };
        self.text.push_str(&text);
        self.indices(&lvalue.indices);
    }

    fn indices(&mut self, indices: &[Expr]) {
        for index in indices {
            self.text.push('[');
            self.expr(index, 0);
            self.text.push(']');
        }
    }

    fn exprs(&mut self, exprs: &[Expr]) {
        for (index, expr) in exprs.iter().enumerate() {
            self.text.push_str(if index > 0 { ", " } else { "" });
            self.expr(expr, 0);
        }
    }

    fn patterns(&mut self, patterns: &[Pattern]) {
        for (index, pattern) in patterns.iter().enumerate() {
            self.text.push_str(if index > 0 { ", " } else { "(" });
            match pattern {
                Pattern::Bind(lvalue) => {
                    self.text.push('?');
                    self.lvalue(lvalue);
                }
                Pattern::Match(expr) => self.expr(expr, 0),
                Pattern::Any => self.text.push('_'),
            }
        }
        self.text.push_str(if patterns.is_empty() { "()" } else { ")" });
    }

    fn call(&mut self, function: &str, argument: &Expr) {
        put!(self, "{function}(");
        self.expr(argument, 0);
        self.text.push(')');
    }

    /// An expression as part of an operation that binds as strongly as `context`.
    fn expr(&mut self, expr: &Expr, context: u8) {
        let strength = strength(expr);
        if strength < context {
            self.text.push('(');
        }
        match expr {
            Expr::Const(value) => {
                put!(self, "{value}");
            }
            Expr::Load(lvalue) => self.lvalue(lvalue),
            Expr::Unary(operator, a) => {
                self.text.push(match operator {
                    Unary::Not => '!',
                    Unary::Neg => '-',
                    Unary::Complement => '~',
                });
                // A minus before a number would be part of the number.
                let number = matches!(**a, Expr::Const(_));
                self.expr(a, if number { TERM + 1 } else { UNARY });
            }
            Expr::Binary(operator, ab) => {
                let (sign, strength) = operator_text(*operator);
                self.expr(&ab[0], strength);
                put!(self, " {sign} ");
                self.expr(&ab[1], strength + 1);
            }
            Expr::Cond(parts) => {
                self.expr(&parts[0], CONDITIONAL + 1);
                self.text.push_str(" ? ");
                self.expr(&parts[1], 0);
                self.text.push_str(" : ");
                self.expr(&parts[2], CONDITIONAL);
            }
            Expr::Pid => self.text.push_str("pid"),
            Expr::ProcessCount => self.text.push_str("processes"),
            Expr::Last => self.text.push_str("last"),
            Expr::Timeout => self.text.push_str("timeout"),
            Expr::NonProgress => self.text.push_str("nonprogress"),
            Expr::Channel(query, channel) => self.call(query_text(*query), channel),
            Expr::Location(pid) => self.call("location", pid),
            Expr::Enabled(pid) => self.call("enabled", pid),
            Expr::Priority(pid) => self.call("priority", pid),
            Expr::Poll { channel, patterns, random, ahead } => {
                self.text.push_str(if *random { "random poll " } else { "poll " });
                if *ahead > 0 {
                    put!(self, "ahead {ahead} ");
                }
                self.expr(channel, TERM);
                self.patterns(patterns);
            }
            Expr::Remote { process, pid, variable, indices } => {
                self.remote(*process, pid.as_deref());
                let locals = self.program.processes[process.index()].locals.iter();
                let text = reference(locals.map(|local| &local.name), *variable as usize, "local");
                put!(self, "::{text}");
                self.indices(indices);
            }
            Expr::At { process, pid, locations } => {
                self.remote(*process, pid.as_deref());
                match locations[..] {
                    [location] => {
                        put!(self, "@{}", location.0);
                    }
                    _ => {
                        let all: Vec<String> =
                            locations.iter().map(|location| location.0.to_string()).collect();
                        put!(self, "@({})", all.join(", "));
                    }
                }
            }
        }
        if strength < context {
            self.text.push(')');
        }
    }

    fn remote(&mut self, process: ProcessId, pid: Option<&Expr>) {
        let name = &self.program.processes[process.index()].name;
        let locals = self.process.iter().flat_map(|process| &process.locals);
        // `p[1]` would be read as an element of a variable of that name.
        if self.program.globals.iter().chain(locals).any(|variable| variable.name == *name) {
            put!(self, "process#{}", process.0);
        } else {
            put!(self, "{}", self.process_name(process));
        }
        if let Some(pid) = pid {
            self.indices(std::slice::from_ref(pid));
        }
    }
}

/// Which commands have been written, and the number that the next one has by itself.
struct Numbering {
    printed: Vec<bool>,
    uses: HashMap<CommandId, usize>,
    next: u32,
}

impl Numbering {
    fn new(process: &ProcessType) -> Self {
        let mut uses: HashMap<CommandId, usize> =
            (0..process.commands.len() as u32).map(|id| (CommandId(id), 0)).collect();
        for id in process.locations.iter().flat_map(|location| location.groups.iter().flatten()) {
            *uses.entry(*id).or_default() += 1;
        }
        Self { printed: vec![false; process.commands.len()], uses, next: 0 }
    }

    fn unprinted(&self) -> impl Iterator<Item = CommandId> {
        let unprinted = self.printed.iter().enumerate().filter(|(_, printed)| !**printed);
        unprinted.map(|(index, _)| CommandId(index as u32))
    }
}

pub(super) const CONDITIONAL: u8 = 1;
pub(super) const UNARY: u8 = 12;
const TERM: u8 = 13;

fn strength(expr: &Expr) -> u8 {
    match expr {
        Expr::Cond(_) => CONDITIONAL,
        Expr::Binary(operator, _) => operator_text(*operator).1,
        Expr::Unary(..) => UNARY,
        Expr::Const(value) if *value < 0 => UNARY,
        _ => TERM,
    }
}

/// All operators with two operands: how they are written and how strongly they bind.
pub(super) const OPERATORS: [(Binary, &str, u8); 18] = [
    (Binary::Or, "||", 2),
    (Binary::And, "&&", 3),
    (Binary::BitOr, "|", 4),
    (Binary::BitXor, "^", 5),
    (Binary::BitAnd, "&", 6),
    (Binary::Eq, "==", 7),
    (Binary::Ne, "!=", 7),
    (Binary::Lt, "<", 8),
    (Binary::Le, "<=", 8),
    (Binary::Gt, ">", 8),
    (Binary::Ge, ">=", 8),
    (Binary::Shl, "<<", 9),
    (Binary::Shr, ">>", 9),
    (Binary::Add, "+", 10),
    (Binary::Sub, "-", 10),
    (Binary::Mul, "*", 11),
    (Binary::Div, "/", 11),
    (Binary::Rem, "%", 11),
];

fn operator_text(operator: Binary) -> (&'static str, u8) {
    let found = OPERATORS.iter().find(|(candidate, ..)| *candidate == operator);
    found.map(|&(_, text, strength)| (text, strength)).expect("all operators are listed")
}

fn query_text(query: ChannelQuery) -> &'static str {
    match query {
        ChannelQuery::Len => "len",
        ChannelQuery::Empty => "empty",
        ChannelQuery::NotEmpty => "nonempty",
        ChannelQuery::Full => "full",
        ChannelQuery::NotFull => "nonfull",
    }
}
