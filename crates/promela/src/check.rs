//! Syntax tree to checked model: names, types, sizes, arities, jumps.
//!
//! The module is walked twice. Some questions cannot be answered on the way: `q:x` may name a local of a process that
//! comes later, and whether a channel variable always holds the channel it was declared with depends on every assignment.
//! Deferring each of them would leave holes in the tree, so instead the first walk only collects [`Facts`] (its
//! messages and its tree are thrown away) and the second, which visits everything in the same order and hands out the
//! same ids, has them. A model is small; the walk costs microseconds.
//!
//! As in SPIN, a variable or symbolic constant must be declared before it is used, process types need not. Each `{ }` is a
//! scope, an option of `if` and `do` is not. Where SPIN refuses something harmless (shadowing) we warn; where it accepts
//! something dubious (short messages) we warn and do as SPIN does.
//!
//! Mistakes leave a harmless placeholder in the tree: with a single error there will be no [`Model`], so nobody sees it.

mod expression;
mod flow;
mod scope;
mod statement;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use elnath_source::{Code, Message, Severity, classified, codes};

use crate::ast;
use crate::model::*;
use crate::sources::{SourceMap, Span};
use flow::LabelTable;

/// Elements of an array, and scalars of a structure: beyond this it is a mistake, and a danger to memory.
const LARGEST: u64 = 1_000_000;
/// Scalar fields of a message.
const LONGEST_MESSAGE: usize = 10_000;
/// Messages in a channel.
const MOST_MESSAGES: i32 = 65_535;
/// Bytes in a channel, which is part of every state.
const LARGEST_CHANNEL: u64 = 1 << 24;
/// After so many mistakes the rest is noise.
const ENOUGH_MESSAGES: usize = 100;

/// Checks a module; the messages may contain errors, then the tables are not to be used.
pub(crate) fn check(sources: &SourceMap, module: &ast::Module) -> (Checked, Vec<Message>) {
    let first = Checker::new(sources, module, Facts::default()).run(module);
    let facts = first.into_facts();
    let second = Checker::new(sources, module, facts).run(module);
    second.finish()
}

/// The tables of a [`Model`].
pub(crate) struct Checked {
    pub(crate) mtypes: Vec<MtypeSet>,
    pub(crate) typedefs: Vec<Typedef>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) processes: Vec<Process>,
    pub(crate) formulas: Vec<Ltl>,
    pub(crate) unreadable: Vec<Unreadable>,
    pub(crate) propositions: Vec<Expr>,
}

/// What the first walk found out about the whole model.
#[derive(Default)]
struct Facts {
    /// False during the first walk.
    complete: bool,
    variables: Vec<Variable>,
    /// Per variable.
    uses: Vec<Uses>,
    /// Per process.
    labels: Vec<LabelTable>,
}

/// How a variable is used.
#[derive(Clone, Copy, Default)]
struct Uses {
    read: bool,
    written: bool,
}

/// The process being checked.
struct Current {
    id: ProcessId,
    name: Arc<str>,
    kind: ProcessKind,
    labels: LabelTable,
    start: Vec<VarId>,
    /// Still among the declarations at the start of the body.
    at_start: bool,
    flow: flow::Position,
}

struct Checker<'a> {
    sources: &'a SourceMap,
    facts: Facts,
    messages: Vec<Message>,
    mtypes: Vec<MtypeSet>,
    symbols: HashMap<Arc<str>, (MtypeId, i32, Span)>,
    typedefs: Vec<Typedef>,
    /// Scalars in each of `typedefs`.
    typedef_sizes: Vec<u64>,
    typedef_names: HashMap<Arc<str>, TypedefId>,
    variables: Vec<Variable>,
    uses: Vec<Uses>,
    /// The innermost last; the first is global.
    scopes: Vec<HashMap<Arc<str>, VarId>>,
    process_names: HashMap<Arc<str>, (ProcessId, &'a ast::ProcessDecl)>,
    processes: Vec<Process>,
    labels: Vec<LabelTable>,
    formulas: Vec<Ltl>,
    unreadable: Vec<Unreadable>,
    unnamed_formulas: usize,
    propositions: Vec<Expr>,
    current: Option<Current>,
    /// Labels that something jumps to or looks at, by their process.
    used_labels: HashSet<(Arc<str>, Arc<str>)>,
    /// References to a process by its type only.
    by_type: Vec<(Arc<str>, Span)>,
    /// The types of processes that `run` starts, once for each place.
    runs: Vec<Arc<str>>,
}

impl<'a> Checker<'a> {
    fn new(sources: &'a SourceMap, module: &'a ast::Module, facts: Facts) -> Self {
        let mut process_names = HashMap::new();
        let declared = module.items.iter().filter_map(|item| match item {
            ast::Item::Process(process) => Some(&**process),
            _ => None,
        });
        for (index, process) in declared.enumerate() {
            process_names.entry(process.name.text.clone()).or_insert((ProcessId(index as u32), process));
        }
        Checker {
            sources,
            facts,
            messages: Vec::new(),
            mtypes: vec![MtypeSet { name: None, members: Vec::new() }],
            symbols: HashMap::new(),
            typedefs: Vec::new(),
            typedef_sizes: Vec::new(),
            typedef_names: HashMap::new(),
            variables: Vec::new(),
            uses: Vec::new(),
            scopes: vec![HashMap::new()],
            process_names,
            processes: Vec::new(),
            labels: Vec::new(),
            formulas: Vec::new(),
            unreadable: Vec::new(),
            unnamed_formulas: 0,
            propositions: Vec::new(),
            current: None,
            used_labels: HashSet::new(),
            by_type: Vec::new(),
            runs: Vec::new(),
        }
    }

    fn run(mut self, module: &'a ast::Module) -> Self {
        for item in &module.items {
            match item {
                ast::Item::Mtype(mtype) => self.mtype(mtype),
                ast::Item::Typedef(typedef) => self.typedef(typedef),
                ast::Item::Variables(decl) => {
                    self.declare(decl, Owner::Global);
                }
                ast::Item::Process(process) => self.process(process),
                ast::Item::Ltl(_) => {}
            }
        }
        // A formula may speak of everything, wherever it stands.
        for item in &module.items {
            if let ast::Item::Ltl(ltl) = item {
                self.ltl(ltl);
            }
        }
        self.propositions = module.propositions.iter().map(|expr| self.expr(expr)).collect();
        self
    }

    fn into_facts(self) -> Facts {
        Facts { complete: true, variables: self.variables, uses: self.uses, labels: self.labels }
    }

    fn finish(mut self) -> (Checked, Vec<Message>) {
        // After a mistake these would mostly be its consequences.
        if self.messages.iter().all(|message| message.severity != Severity::Error) {
            self.warn_about_unused();
        }
        if !self.processes.iter().any(|process| process.active > 0) {
            let text = "no process runs: there is neither `init` nor an active proctype";
            self.messages.push(Message::finding(codes::NO_PROCESS, text, None));
        }
        let checked = Checked {
            mtypes: self.mtypes,
            typedefs: self.typedefs,
            variables: self.variables,
            processes: self.processes,
            formulas: self.formulas,
            unreadable: self.unreadable,
            propositions: self.propositions,
        };
        (checked, self.messages)
    }

    // ---- complaining -------------------------------------------------------------------------------------------

    fn error(&mut self, text: impl Into<String>, span: Span) {
        let message = self.sources.error(text, span);
        self.report(message);
    }

    fn beyond(&mut self, text: impl Into<String>, span: Span) {
        let message = self.sources.error(text, span).code(codes::BEYOND_LIMIT);
        self.report(message);
    }

    fn warn(&mut self, code: Code, text: impl Into<String>, span: Span) {
        let message = self.sources.warning(text, span).code(code);
        self.report(message);
    }

    fn report(&mut self, message: Message) {
        let limit = self.messages.len() >= ENOUGH_MESSAGES && message.severity != Severity::Error;
        let known = |other: &Message| other.place == message.place && other.text == message.text;
        // A mistake in an inline is met at each of its uses.
        if limit || self.messages.len() >= 2 * ENOUGH_MESSAGES || self.messages.iter().any(known) {
            return;
        }
        self.messages.push(message);
    }

    // ---- types -------------------------------------------------------------------------------------------------

    fn mtype(&mut self, decl: &ast::MtypeDecl) {
        let set = match &decl.set {
            None => MtypeId(0),
            Some(name) => self.mtype_set(name),
        };
        // SPIN numbers the last name of a declaration lowest, and a second declaration above the first.
        let base = self.mtypes[set.index()].members.len();
        for (index, name) in decl.names.iter().enumerate() {
            let value = (base + decl.names.len() - index) as i32;
            if value == 256 {
                self.beyond("a set of symbolic constants has at most 255 of them", name.span);
            }
            if let Some(&(_, _, first)) = self.symbols.get(&name.text) {
                self.twice("symbolic constant", name, first);
                continue;
            }
            if let Some(&variable) = self.scopes[0].get(&name.text) {
                let first = self.variables[variable.index()].span;
                self.twice("name", name, first);
            }
            self.symbols.insert(name.text.clone(), (set, value, name.span));
            self.mtypes[set.index()].members.push((name.text.clone(), value, name.span));
        }
    }

    fn mtype_set(&mut self, name: &ast::Ident) -> MtypeId {
        let known = self.mtypes.iter().position(|set| set.name.as_ref() == Some(&name.text));
        let index = known.unwrap_or_else(|| {
            self.mtypes.push(MtypeSet { name: Some(name.text.clone()), members: Vec::new() });
            self.mtypes.len() - 1
        });
        MtypeId(index as u32)
    }

    fn twice(&mut self, what: &str, name: &ast::Ident, first: Span) {
        let message = self
            .sources
            .error(format!("{what} `{}` is declared twice", name.text), name.span)
            .code(codes::DECLARED_TWICE)
            .also(self.sources.place(first), "first declared here");
        self.report(message);
    }

    fn typedef(&mut self, decl: &ast::TypedefDecl) {
        let name = &decl.name;
        if let Some(&first) = self.typedef_names.get(&name.text) {
            let first = self.typedefs[first.index()].span;
            return self.twice("type", name, first);
        }
        let mut fields: Vec<Field> = Vec::new();
        let mut total = 0u64;
        for decl in &decl.fields {
            for declarator in &decl.declarators {
                if let Some(first) = fields.iter().find(|field| field.name == declarator.name.text) {
                    let first = first.span;
                    self.twice("field", &declarator.name, first);
                    continue;
                }
                let ty = self.resolve_type(&decl.ty, declarator.width.as_ref());
                let size = self.array_size(declarator.size.as_ref(), ty);
                let init = declarator.init.as_ref().and_then(|init| self.initial(init, ty, size));
                total = total.saturating_add(self.size_of(ty).saturating_mul(u64::from(size.unwrap_or(1))));
                let span = declarator.name.span;
                fields.push(Field { name: declarator.name.text.clone(), ty, size, init, span });
            }
        }
        if total > LARGEST {
            self.beyond(format!("type `{}` has more than {LARGEST} fields in all", name.text), name.span);
            fields.clear();
            total = 0;
        }
        self.typedef_names.insert(name.text.clone(), TypedefId(self.typedefs.len() as u32));
        self.typedefs.push(Typedef { name: name.text.clone(), fields, span: name.span });
        self.typedef_sizes.push(total);
    }

    fn size_of(&self, ty: Type) -> u64 {
        match ty {
            Type::Struct(id) => self.typedef_sizes[id.index()],
            _ => 1,
        }
    }

    fn resolve_type(&mut self, ty: &ast::TypeName, width: Option<&ast::Expr>) -> Type {
        if let Some(width) = width
            && !matches!(ty.kind, ast::TypeKind::Unsigned)
        {
            self.error("only `unsigned` variables have a width", width.span);
        }
        match &ty.kind {
            ast::TypeKind::Bit => Type::Bit,
            ast::TypeKind::Bool => Type::Bool,
            ast::TypeKind::Byte => Type::Byte,
            ast::TypeKind::Pid => Type::Pid,
            ast::TypeKind::Short => Type::Short,
            ast::TypeKind::Int => Type::Int,
            ast::TypeKind::Chan => Type::Chan,
            ast::TypeKind::Unsigned => Type::Unsigned(self.width(ty.span, width)),
            ast::TypeKind::Mtype(None) => Type::Mtype(MtypeId(0)),
            ast::TypeKind::Mtype(Some(set)) => Type::Mtype(self.mtype_set(set)),
            ast::TypeKind::Named(name) => match self.typedef_names.get(&name.text) {
                Some(&id) => Type::Struct(id),
                None => {
                    let names = self.typedef_names.keys().cloned().collect();
                    self.unknown("type", &name.text, name.span, names);
                    Type::Int
                }
            },
        }
    }

    fn width(&mut self, span: Span, width: Option<&ast::Expr>) -> u8 {
        let Some(width) = width else {
            self.error("an `unsigned` variable needs a width: `unsigned x : 4`", span);
            return 1;
        };
        let value = self.constant(width, "a width");
        if !(1..=32).contains(&value) {
            self.error("the width of an `unsigned` variable is 1 to 32 bits", width.span);
            return 1;
        }
        value as u8
    }

    fn array_size(&mut self, size: Option<&ast::Expr>, ty: Type) -> Option<u32> {
        let size = size?;
        if let Type::Unsigned(_) = ty {
            self.error("an array cannot be `unsigned`", size.span);
        }
        let value = self.constant(size, "the size of an array");
        if value < 1 || value as u64 > LARGEST {
            self.beyond(format!("an array has 1 to {LARGEST} elements, not {value}"), size.span);
            return Some(1);
        }
        Some(value as u32)
    }

    /// A number known at compile time. SPIN also takes the initial value of a variable, with a warning; so do we.
    fn constant(&mut self, expr: &ast::Expr, what: &str) -> i32 {
        let resolved = self.expr(expr);
        if let Some(value) = resolved.constant() {
            return value;
        }
        if let ExprKind::Load(access) = &resolved.kind
            && access.fields.is_empty()
            && access.index.is_none()
        {
            let variable = &self.variables[access.variable.index()];
            let initial = match &variable.init {
                None => Some(0),
                Some(Initial::Value(value)) => value.constant(),
                Some(_) => None,
            };
            if let Some(value) = initial {
                let text = format!("{what} is taken from the initial value of `{}`, {value}", variable.name);
                self.warn(codes::VARIABLE_AS_CONSTANT, text, expr.span);
                return value;
            }
        }
        self.error(format!("{what} must be a constant"), expr.span);
        1
    }

    /// The initial value of a variable. SPIN reads that of a structure and ignores it; so do we.
    fn initial(&mut self, init: &ast::Init, ty: Type, size: Option<u32>) -> Option<Initial> {
        if let (Type::Struct(_), ast::Init::Value(ast::Expr { span, .. }) | ast::Init::List(_, span)) =
            (ty, init)
        {
            let message = self
                .sources
                .warning("the initial value of a structure is ignored, as in SPIN", *span)
                .code(codes::INITIAL_VALUES)
                .help("give initial values to the fields in the `typedef`");
            self.report(message);
            return None;
        }
        Some(match init {
            ast::Init::Value(expr) => {
                let value = self.expr(expr);
                self.fits(if size.is_some() { ty.element() } else { ty }, &value);
                Initial::Value(value)
            }
            ast::Init::List(values, span) => {
                let length = size.unwrap_or(0) as usize;
                if size.is_none() {
                    self.error("a list of initial values needs an array", *span);
                } else if values.len() > length {
                    let text = format!("{} initial values for {length} elements", values.len());
                    self.warn(codes::INITIAL_VALUES, text, *span);
                }
                let mut values = values.iter().map(|value| self.expr(value)).collect::<Vec<_>>();
                values.truncate(length);
                for value in &values {
                    self.fits(ty.element(), value);
                }
                Initial::List(values)
            }
            ast::Init::Channel(channel) => {
                if ty != Type::Chan {
                    self.error("only a `chan` can be initialised with a channel", channel.span);
                }
                Initial::Channel(self.channel_type(channel))
            }
        })
    }

    fn channel_type(&mut self, channel: &ast::ChannelInit) -> ChannelType {
        let capacity = self.constant(&channel.capacity, "the capacity of a channel");
        if !(0..=MOST_MESSAGES).contains(&capacity) {
            let text = format!("a channel holds 0 to {MOST_MESSAGES} messages, not {capacity}");
            self.error(text, channel.capacity.span);
        }
        let mut fields = Vec::new();
        for field in &channel.fields {
            if let ast::TypeKind::Unsigned = field.kind {
                self.error("a field of a message cannot be `unsigned`", field.span);
                continue;
            }
            let ty = self.resolve_type(field, None);
            if self.size_of(ty) as usize + fields.len() > LONGEST_MESSAGE {
                self.beyond(format!("a message has at most {LONGEST_MESSAGE} fields"), field.span);
                break;
            }
            fields.extend(self.scalars(ty));
        }
        // Four bytes for each field are never too few.
        let capacity = capacity.clamp(0, MOST_MESSAGES) as u32;
        if u64::from(capacity) * 4 * fields.len() as u64 > LARGEST_CHANNEL {
            let text = "this channel is too large: a full one has more than 16 MiB of messages";
            self.error(text, channel.span);
        }
        ChannelType { capacity, fields }
    }

    /// As [`Model::scalars`], before there is a model.
    fn scalars(&self, ty: Type) -> Vec<Type> {
        let Type::Struct(id) = ty else { return vec![ty] };
        let mut scalars = Vec::new();
        for field in &self.typedefs[id.index()].fields {
            let one = self.scalars(field.ty);
            for _ in 0..field.size.unwrap_or(1) {
                scalars.extend_from_slice(&one);
            }
        }
        scalars
    }

    /// Warns when a constant does not survive an assignment to `ty`.
    fn fits(&mut self, ty: Type, value: &Expr) {
        let (Some(constant), Some((least, greatest))) = (value.constant(), ty.range()) else { return };
        if i64::from(constant) < least || i64::from(constant) > greatest {
            let becomes = ty.truncate(constant);
            let text = format!("{constant} does not fit ({least} to {greatest}) and becomes {becomes}");
            self.warn(codes::TRUNCATED, text, value.span);
        }
    }

    // ---- processes and formulas --------------------------------------------------------------------------------

    fn process(&mut self, decl: &ast::ProcessDecl) {
        let id = ProcessId(self.processes.len() as u32);
        let (first, first_decl) = self.process_names[&decl.name.text];
        // SPIN runs every `init` that there is.
        if first != id && decl.kind != ProcessKind::Init {
            let what = if decl.kind == ProcessKind::Proctype { "proctype" } else { "claim" };
            let span = first_decl.name.span;
            self.twice(what, &decl.name, span);
        }
        let active = match (&decl.active, decl.kind) {
            (None, _) => 0,
            (Some(None), _) => 1,
            (Some(Some(count)), _) => {
                let value = self.constant(count, "the number of processes");
                if !(0..=255).contains(&value) {
                    self.beyond(format!("there are at most 255 processes, not {value}"), count.span);
                }
                value.clamp(0, 255) as u32
            }
        };
        self.scopes.push(HashMap::new());
        let mut parameters = Vec::new();
        for parameter in &decl.parameters {
            parameters.extend(self.declare(parameter, Owner::Parameter(id)));
        }
        let priority = decl.priority.as_ref().map(|priority| self.constant(priority, "a priority"));
        self.current = Some(Current {
            id,
            name: decl.name.text.clone(),
            kind: decl.kind,
            labels: LabelTable::collect(&decl.body),
            start: Vec::new(),
            at_start: true,
            flow: flow::Position::default(),
        });
        self.duplicate_labels();
        let provided = decl.provided.as_ref().map(|provided| self.expr(provided));
        let body = self.sequence(&decl.body);
        self.scopes.pop();
        let Some(current) = self.current.take() else { return };
        self.processes.push(Process {
            kind: decl.kind,
            name: decl.name.text.clone(),
            active,
            parameters,
            start: current.start,
            labels: current.labels.labels(),
            priority,
            provided,
            body,
            span: decl.span,
        });
        self.labels.push(current.labels);
    }

    fn duplicate_labels(&mut self) {
        let Some(current) = &self.current else { return };
        for (name, second, first) in current.labels.duplicates() {
            let message = self
                .sources
                .error(format!("label `{name}` is declared twice"), second)
                .code(codes::DECLARED_TWICE)
                .also(self.sources.place(first), "first declared here");
            self.report(message);
        }
    }

    fn ltl(&mut self, decl: &ast::LtlDecl) {
        let name = match &decl.name {
            Some(name) => name.text.clone(),
            None => {
                self.unnamed_formulas += 1;
                format!("ltl_{}", self.unnamed_formulas - 1).into()
            }
        };
        if let (Some(ident), Some(first)) = (&decl.name, self.formulas.iter().find(|ltl| ltl.name == name)) {
            let first = first.span;
            self.twice("formula", ident, first);
        }
        let before = std::mem::take(&mut self.messages);
        let formula = decl.formula.as_ref().map(|formula| self.formula(formula));
        let mut faults = std::mem::replace(&mut self.messages, before);
        faults.extend(decl.formula.as_ref().err().into_iter().flatten().cloned());
        match formula {
            Ok(formula) if faults.iter().all(|fault| fault.severity != Severity::Error) => {
                faults.into_iter().for_each(|warning| self.report(warning));
                self.formulas.push(Ltl { name, formula, span: decl.span });
            }
            _ => {
                for fault in &faults {
                    self.report(left_out(&name, fault));
                }
                let messages = classified(faults, codes::WRONG_USE);
                self.unreadable.push(Unreadable { name, messages });
            }
        }
    }

    fn formula(&mut self, formula: &ast::Formula) -> Formula {
        let kind = match &formula.kind {
            ast::FormulaKind::Atom(expr) => FormulaKind::Atom(self.expr(expr)),
            ast::FormulaKind::Not(f) => FormulaKind::Not(self.formula(f).into()),
            ast::FormulaKind::Next(f) => FormulaKind::Next(self.formula(f).into()),
            ast::FormulaKind::Always(f) => FormulaKind::Always(self.formula(f).into()),
            ast::FormulaKind::Eventually(f) => FormulaKind::Eventually(self.formula(f).into()),
            ast::FormulaKind::Binary(operator, a, b) => {
                FormulaKind::Binary(*operator, self.formula(a).into(), self.formula(b).into())
            }
        };
        Formula { kind, span: formula.span }
    }
}

/// What is wrong with a formula, said as a warning: whoever does not ask for the formula does not need it.
fn left_out(name: &str, fault: &Message) -> Message {
    if fault.severity != Severity::Error {
        return fault.clone();
    }
    let text = format!("formula `{name}` cannot be checked: {}", fault.text);
    Message { text, ..fault.clone() }.code(codes::FORMULA_LEFT_OUT)
}

#[cfg(test)]
mod tests;
