//! Variables, types and expressions.
//!
//! A structure becomes one variable per scalar field, named `v.f`; an array of structures one array per field, with a
//! dimension for every index on the way (`v[].f[]`, the marks saying which parts of the name carry them).

use super::is_proctype;
use super::trail::{Numbers, Origin};
use crate::model::{
    Access, BinaryOp, ChannelOp, ChannelType, Expr, ExprKind, Initial, LabelId, Model, Owner, Pattern,
    Process, ProcessId, Type, UnaryOp, VarId, Visibility,
};
use crate::sources::{ExpansionId, Span};
use elnath_program::ir::{
    self, Capacity, ChannelId, ChannelQuery, Init, Loc, Lvalue, Program, SymbolSet, SymbolsId, VariableRef,
};
use elnath_source::Message;
use std::collections::{HashMap, HashSet};

/// What a field path of a variable became.
type Leaves = HashMap<(VarId, Vec<u32>), VariableRef>;

pub(super) struct Data<'m> {
    pub(super) model: &'m Model,
    leaves: Leaves,
    channels: Vec<ir::ChannelType>,
    /// The kinds of processes that are not claims, as the program numbers them.
    processes: HashMap<ProcessId, ir::ProcessId>,
    files: Vec<String>,
    /// The numbers of the uses of inlines.
    calls: HashMap<ExpansionId, u32>,
    /// Where the labels of each process ended up, and the label tests that wait for it.
    labels: HashMap<(ProcessId, LabelId), Vec<Loc>>,
    label_tests: Vec<(ProcessId, LabelId)>,
    /// `_last` occurs, if only in code that nobody reaches: SPIN keeps it in the state then.
    asks_last: bool,
    /// What `pc_value` is at the locations of each process, in the order of [`Self::processes`].
    places: Vec<Vec<u32>>,
    messages: Vec<Message>,
    /// The process being lowered.
    current: Option<ProcessId>,
    /// The labels that some expression of the model, claims and formulas included, refers to.
    pub(super) remote_labels: HashSet<(ProcessId, LabelId)>,
}

/// Locations of labels are known only when all processes are built; until then a test names its label by this.
const UNRESOLVED: u32 = 1 << 31;

impl<'m> Data<'m> {
    pub(super) fn new(model: &'m Model) -> Self {
        let proctypes = model.processes.iter().enumerate().filter(|(_, process)| is_proctype(process));
        let processes = proctypes
            .enumerate()
            .map(|(number, (index, _))| (ProcessId(index as u32), ir::ProcessId(number as u32)))
            .collect();
        Self {
            model,
            leaves: HashMap::new(),
            channels: Vec::new(),
            processes,
            files: model.sources.names().map(str::to_owned).collect(),
            calls: model.sources.calls().zip(0..).map(|((id, _), number)| (id, number)).collect(),
            labels: HashMap::new(),
            label_tests: Vec::new(),
            asks_last: false,
            places: Vec::new(),
            messages: Vec::new(),
            current: None,
            remote_labels: super::remote::labels(model),
        }
    }

    pub(super) fn proctypes(&self) -> Vec<(ProcessId, &'m Process)> {
        let all = self.model.processes.iter().enumerate();
        all.filter(|(_, process)| is_proctype(process))
            .map(|(i, process)| (ProcessId(i as u32), process))
            .collect()
    }

    pub(super) fn process(&self, id: ProcessId) -> ir::ProcessId {
        self.processes[&id]
    }

    pub(super) fn files(&self) -> Vec<String> {
        self.files.clone()
    }

    pub(super) fn symbols(&self) -> Vec<SymbolSet> {
        let sets = self.model.mtypes.iter();
        sets.map(|set| SymbolSet {
            name: set.name.as_deref().unwrap_or("mtype").to_owned(),
            members: set.members.iter().map(|(name, value, _)| (name.to_string(), *value)).collect(),
        })
        .collect()
    }

    pub(super) fn take_channels(&mut self) -> Vec<ir::ChannelType> {
        std::mem::take(&mut self.channels)
    }

    pub(super) fn take_messages(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.messages)
    }

    pub(super) fn complain(&mut self, text: impl Into<String>, span: Span) {
        self.messages.push(self.model.sources.error(text, span));
    }

    pub(super) fn complain_at_first_process(&mut self, text: &str) {
        let span = self.proctypes()[0].1.span;
        self.complain(text, span);
    }

    /// Where a statement was written.
    pub(super) fn place(&self, span: Span) -> ir::Place {
        let sources = &self.model.sources;
        let place = sources.place(span);
        let file = self.files.iter().position(|name| *name == place.file).unwrap_or(0);
        let call = sources.call(span).map(|id| self.calls[&id]);
        ir::Place { file: file as u32, line: place.line as u32, call }
    }

    /// The uses of inlines; those that lie in others come after them.
    pub(super) fn calls(&self) -> Vec<ir::Call> {
        let calls = self.model.sources.calls();
        calls
            .map(|(_, call)| ir::Call { name: call.name.to_string(), place: self.place(call.usage) })
            .collect()
    }

    /// A statement as written, on one line; only its beginning if it is very long. (The text of a `d_step` contains its whole body:
    /// with nested sequences the texts together would grow with the square of the model.)
    pub(super) fn text(&self, span: Span) -> String {
        const LONGEST: usize = 400;
        let mut text = String::new();
        for word in self.model.sources.snippet(span).split_whitespace() {
            if text.len() > LONGEST {
                return text + " ...";
            }
            if !text.is_empty() {
                text.push(' ');
            }
            text += word;
        }
        text
    }

    pub(super) fn globals(&mut self) -> Vec<ir::Variable> {
        let mut out = Vec::new();
        let globals: Vec<_> = self.model.globals().collect();
        for (id, _) in globals {
            self.add_variable(id, true, VariableRef::Global, &mut out);
        }
        out
    }

    /// From now on, this process is being lowered.
    pub(super) fn begin(&mut self, process: ProcessId) {
        self.current = Some(process);
    }

    /// What is lowered from now on belongs to no process.
    pub(super) fn end(&mut self) {
        self.current = None;
    }

    /// The number of parameters, and all locals, of a process.
    pub(super) fn locals(&mut self, id: ProcessId, process: &Process) -> (u32, Vec<ir::Variable>) {
        let mut out = Vec::new();
        for &parameter in &process.parameters {
            self.add_parameter(parameter, &mut out);
        }
        let parameters = out.len() as u32;
        if out.iter().any(|parameter| !parameter.dims.is_empty()) {
            self.complain("a structure with arrays cannot be a parameter", process.span);
        }
        // Those declared at the start of the body begin with their initial value; the others get it from a statement.
        let later = self.model.locals(id).filter(|(var, variable)| {
            !matches!(variable.owner, Owner::Parameter(_)) && !process.start.contains(var)
        });
        let later: Vec<VarId> = later.map(|(var, _)| var).collect();
        for &var in &process.start {
            self.add_variable(var, true, VariableRef::Local, &mut out);
        }
        for var in later {
            self.add_variable(var, false, VariableRef::Local, &mut out);
        }
        (parameters, out)
    }

    /// A parameter gets its value from `run`. That goes for the fields of a structure, too: the initial values in its
    /// typedef are not for them, or a new channel would be created for each where one is passed.
    fn add_parameter(&mut self, id: VarId, out: &mut Vec<ir::Variable>) {
        let first = out.len();
        self.add_variable(id, false, VariableRef::Local, out);
        out[first..].iter_mut().for_each(|variable| variable.init = Init::Zero);
    }

    fn add_variable(
        &mut self,
        id: VarId,
        initialised: bool,
        reference: fn(u32) -> VariableRef,
        out: &mut Vec<ir::Variable>,
    ) {
        let variable = &self.model.variables[id.index()];
        let init = if initialised { variable.init.as_ref() } else { None };
        let hidden = variable.visibility == Visibility::Hidden;
        let name = variable.name.to_string();
        let dims = variable.size.into_iter().collect();
        let leaf = Leaf { id, path: Vec::new(), name, dims, hidden };
        self.add_leaves(&leaf, variable.ty, variable.size.is_some(), init, reference, out);
    }

    fn add_leaves(
        &mut self,
        leaf: &Leaf,
        ty: Type,
        is_array: bool,
        init: Option<&'m Initial>,
        reference: fn(u32) -> VariableRef,
        out: &mut Vec<ir::Variable>,
    ) {
        let Type::Struct(structure) = ty else {
            let ty = self.ty(if is_array { ty.element() } else { ty });
            let mut init = self.init(init);
            // SPIN gives what a list leaves out the list's last value.
            if let (Init::List(values), Some(&length)) = (&mut init, leaf.dims.last())
                && let Some(last) = values.last().cloned()
            {
                values.resize(values.len().max(length as usize), last);
            }
            self.leaves.insert((leaf.id, leaf.path.clone()), reference(out.len() as u32));
            let (name, dims) = (leaf.name.clone(), leaf.dims.clone());
            out.push(ir::Variable { name, ty, dims, init, hidden: leaf.hidden });
            return;
        };
        let model = self.model;
        for (index, field) in model.typedefs[structure.index()].fields.iter().enumerate() {
            let mut inner = leaf.clone();
            if is_array {
                inner.name += "[]";
            }
            inner.name += ".";
            inner.name += &field.name;
            inner.path.push(index as u32);
            inner.dims.extend(field.size);
            self.add_leaves(&inner, field.ty, field.size.is_some(), field.init.as_ref(), reference, out);
        }
    }

    fn init(&mut self, init: Option<&Initial>) -> Init {
        match init {
            None => Init::Zero,
            Some(Initial::Value(expr)) => Init::Value(self.expr(expr)),
            Some(Initial::List(values)) => Init::List(values.iter().map(|value| self.expr(value)).collect()),
            Some(Initial::Channel(channel)) => Init::Channel(self.channel_type(channel)),
        }
    }

    fn channel_type(&mut self, channel: &ChannelType) -> ChannelId {
        let capacity = match channel.capacity {
            0 => Capacity::Rendezvous,
            n => Capacity::Bounded(n),
        };
        let mut fields: Vec<ir::Type> = channel.fields.iter().map(|&ty| self.ty(ty)).collect();
        // SPIN keeps bits as bits only where there are several fields.
        if matches!(fields[..], [ir::Type::Unsigned(1) | ir::Type::Bool]) {
            fields = vec![ir::Type::Unsigned(8)];
        }
        let ty = ir::ChannelType { capacity, fields, contents: Vec::new() };
        let found = self.channels.iter().position(|known| *known == ty);
        ChannelId(found.unwrap_or_else(|| {
            self.channels.push(ty);
            self.channels.len() - 1
        }) as u32)
    }

    pub(super) fn ty(&self, ty: Type) -> ir::Type {
        match ty {
            Type::Bit => ir::Type::Unsigned(1),
            Type::Bool => ir::Type::Bool,
            Type::Byte | Type::Pid => ir::Type::Unsigned(8),
            Type::Short => ir::Type::Signed(16),
            Type::Int => ir::Type::Signed(32),
            Type::Unsigned(bits) => ir::Type::Unsigned(bits),
            Type::Chan => ir::Type::Channel,
            Type::Mtype(set) => ir::Type::Symbol(SymbolsId(set.0)),
            Type::Struct(_) => unreachable!("structures are taken apart"),
        }
    }

    pub(super) fn lvalue(&mut self, access: &Access) -> Lvalue {
        let path: Vec<u32> = access.fields.iter().map(|field| field.field).collect();
        let indices =
            access.index.iter().chain(access.fields.iter().filter_map(|field| field.index.as_ref()));
        let indices = indices.map(|index| self.expr(index)).collect();
        let Some(&variable) = self.leaves.get(&(access.variable, path)) else {
            self.complain("a whole structure cannot be used here", access.span);
            return Lvalue { variable: VariableRef::Global(0), indices: Vec::new() };
        };
        Lvalue { variable, indices }
    }

    /// The name of a global, or of a local of the process being lowered, that is not part of a structure.
    pub(super) fn variable_name(&self, wanted: VariableRef) -> Option<String> {
        let found = self.leaves.iter().find(|&((id, path), &reference)| {
            let owner = self.model.variables[id.index()].owner;
            let is_ours = match owner {
                Owner::Global => true,
                Owner::Parameter(process) | Owner::Local(process) => self.current == Some(process),
            };
            is_ours && path.is_empty() && reference == wanted
        });
        found.map(|((id, _), _)| self.model.variables[id.index()].name.to_string())
    }

    /// The lvalue of a declared variable; of an array, its first element.
    pub(super) fn declared(&self, id: VarId) -> Option<Lvalue> {
        let variable = *self.leaves.get(&(id, Vec::new()))?;
        let indices = self.model.variables[id.index()].size.map(|_| ir::Expr::Const(0)).into_iter().collect();
        Some(Lvalue { variable, indices })
    }

    pub(super) fn load(&mut self, access: &Access) -> ir::Expr {
        ir::Expr::Load(self.lvalue(access))
    }

    pub(super) fn pattern(&mut self, pattern: &Pattern) -> ir::Pattern {
        match pattern {
            Pattern::Bind(access) => ir::Pattern::Bind(self.lvalue(access)),
            Pattern::Match(expr) => ir::Pattern::Match(self.expr(expr)),
            Pattern::Discard => ir::Pattern::Any,
        }
    }

    /// The arguments of `run`, structures taken apart.
    pub(super) fn arguments(&mut self, arguments: &[Expr]) -> Vec<ir::Expr> {
        let mut out = Vec::new();
        for argument in arguments {
            match &argument.kind {
                ExprKind::Load(access) if matches!(access.ty, Type::Struct(_)) => {
                    self.whole(access, &mut out);
                }
                _ => out.push(self.expr(argument)),
            }
        }
        out
    }

    /// The scalars of a whole structure.
    fn whole(&mut self, access: &Access, out: &mut Vec<ir::Expr>) {
        let Type::Struct(structure) = access.ty else {
            out.push(self.load(access));
            return;
        };
        let model = self.model;
        for (index, field) in model.typedefs[structure.index()].fields.iter().enumerate() {
            if field.size.is_some() {
                self.complain("a structure with arrays cannot be an argument", access.span);
                return;
            }
            let mut inner = access.clone();
            inner.fields.push(crate::model::FieldAccess { field: index as u32, index: None });
            inner.ty = field.ty;
            self.whole(&inner, out);
        }
    }

    pub(super) fn expr(&mut self, expr: &Expr) -> ir::Expr {
        match &expr.kind {
            ExprKind::Number(value) | ExprKind::Symbol(_, value) => ir::Expr::Const(*value),
            ExprKind::Load(access) => self.load(access),
            ExprKind::Pid => ir::Expr::Pid,
            ExprKind::ProcessCount => ir::Expr::ProcessCount,
            ExprKind::Last => {
                self.asks_last = true;
                ir::Expr::Last
            }
            ExprKind::Unary(operator, operand) => {
                let operator = match operator {
                    UnaryOp::Not => ir::Unary::Not,
                    UnaryOp::Minus => ir::Unary::Neg,
                    UnaryOp::Complement => ir::Unary::Complement,
                };
                match (operator, self.expr(operand)) {
                    // Analyses know constants when they see them, such as a -1 that stands for nobody.
                    (ir::Unary::Neg, ir::Expr::Const(value)) => ir::Expr::Const(value.wrapping_neg()),
                    (operator, operand) => ir::Expr::Unary(operator, Box::new(operand)),
                }
            }
            ExprKind::Binary(operator, left, right) => {
                let operands = Box::new([self.expr(left), self.expr(right)]);
                ir::Expr::Binary(binary(*operator), operands)
            }
            ExprKind::Conditional(parts) => {
                let (condition, yes, no) = &**parts;
                ir::Expr::Cond(Box::new([self.expr(condition), self.expr(yes), self.expr(no)]))
            }
            ExprKind::Run { .. } => {
                self.complain("`run` can only stand alone or on the right of an assignment", expr.span);
                ir::Expr::Const(0)
            }
            ExprKind::Channel(question, channel) => {
                let question = match question {
                    ChannelOp::Len => ChannelQuery::Len,
                    ChannelOp::Empty => ChannelQuery::Empty,
                    ChannelOp::NotEmpty => ChannelQuery::NotEmpty,
                    ChannelOp::Full => ChannelQuery::Full,
                    ChannelOp::NotFull => ChannelQuery::NotFull,
                };
                ir::Expr::Channel(question, Box::new(self.load(channel)))
            }
            ExprKind::Poll { channel, random, fields } => ir::Expr::Poll {
                channel: Box::new(self.load(channel)),
                patterns: fields.iter().map(|field| self.pattern(field)).collect(),
                random: *random,
                ahead: 0,
            },
            ExprKind::Timeout => ir::Expr::Timeout,
            ExprKind::NonProgress => ir::Expr::NonProgress,
            ExprKind::Enabled(pid) => ir::Expr::Enabled(Box::new(self.expr(pid))),
            ExprKind::PcValue(pid) => ir::Expr::Location(Box::new(self.expr(pid))),
            ExprKind::GetPriority(pid) => ir::Expr::Priority(Box::new(self.expr(pid))),
            ExprKind::RemoteLabel { process, pid, label } => {
                let test = self.label_tests.len() as u32;
                self.label_tests.push((*process, *label));
                ir::Expr::At {
                    process: self.process(*process),
                    pid: pid.as_ref().map(|pid| Box::new(self.expr(pid))),
                    locations: vec![Loc(UNRESOLVED | test)],
                }
            }
            ExprKind::RemoteVariable { process, pid, variable } => {
                let pid = pid.as_ref().map(|pid| Box::new(self.expr(pid)));
                let Lvalue { variable, indices } = self.lvalue(variable);
                let VariableRef::Local(variable) = variable else {
                    self.complain("only a local variable can be referred to like this", expr.span);
                    return ir::Expr::Const(0);
                };
                ir::Expr::Remote { process: self.process(*process), pid, variable, indices }
            }
        }
    }

    /// Whether `_last` occurs in what was lowered.
    pub(super) fn asks_last(&self) -> bool {
        self.asks_last
    }

    /// Whether somebody refers to this label of the process being lowered.
    pub(super) fn is_remote(&self, label: LabelId) -> bool {
        self.current.is_some_and(|process| self.remote_labels.contains(&(process, label)))
    }

    /// The names that `%e` prints an expression's value with.
    pub(super) fn symbols_of(&self, expr: &Expr) -> Option<SymbolsId> {
        match &expr.kind {
            ExprKind::Symbol(set, _) => Some(SymbolsId(set.0)),
            ExprKind::Load(Access { ty: Type::Mtype(set), .. }) => Some(SymbolsId(set.0)),
            _ => None,
        }
    }

    /// A process has been built: its labels are at these locations.
    pub(super) fn labels_at(&mut self, label: LabelId, locations: Vec<Loc>) {
        let process = self.current.expect("a process is being lowered");
        self.labels.insert((process, label), locations);
    }

    /// Fills in the locations of labels that other processes ask about.
    pub(super) fn resolve_labels(&mut self, program: &mut Program, claims: &mut [ir::ProcessType]) {
        let mut resolve = |expr: &mut ir::Expr| {
            if let ir::Expr::At { locations, .. } = expr
                && let [Loc(number)] = locations[..]
                && number & UNRESOLVED != 0
            {
                let test = self.label_tests[(number & !UNRESOLVED) as usize];
                *locations = self.labels.get(&test).cloned().unwrap_or_default();
            }
        };
        program.for_each_expr_mut(&mut resolve);
        for command in claims.iter_mut().flat_map(|claim| &mut claim.commands) {
            command.for_each_expr_mut(&mut resolve);
        }
    }

    /// A process has been built: where its locations are for `pc_value`.
    pub(super) fn places_at(&mut self, places: &[Origin], numbers: &Numbers<'_>) {
        self.places.push(places.iter().map(|&place| numbers.within_process(place).unwrap_or(0)).collect());
    }

    /// `pc_value(p)` is SPIN's number of the element at which `p` is, and not that of the location: the sum of the numbers
    /// of all elements, each times whether `p` is there. Only few models ask, so the IR knows nothing about it.
    pub(super) fn resolve_places(&mut self, program: &mut Program, claims: &mut [ir::ProcessType]) {
        let places = &self.places;
        let mut resolve = |expr: &mut ir::Expr| {
            let ir::Expr::Location(pid) = expr else { return };
            let kinds = places.iter().enumerate().flat_map(|(kind, numbers)| {
                let number = |(loc, number): (usize, &u32)| (ir::ProcessId(kind as u32), loc, *number);
                numbers.iter().enumerate().map(number).collect::<Vec<_>>()
            });
            let mut terms: Vec<ir::Expr> = kinds
                .map(|(process, loc, number)| {
                    let locations = vec![Loc(loc as u32)];
                    let at = ir::Expr::At { process, pid: Some(pid.clone()), locations };
                    ir::Expr::Binary(ir::Binary::Mul, Box::new([at, ir::Expr::Const(number as i32)]))
                })
                .collect();
            // In pairs, so that the tree stays low.
            while terms.len() > 1 {
                let mut pairs = terms.into_iter();
                let mut sums = Vec::new();
                while let Some(left) = pairs.next() {
                    sums.push(match pairs.next() {
                        Some(right) => ir::Expr::Binary(ir::Binary::Add, Box::new([left, right])),
                        None => left,
                    });
                }
                terms = sums;
            }
            *expr = terms.pop().unwrap_or(ir::Expr::Const(0));
        };
        program.for_each_expr_mut(&mut resolve);
        for command in claims.iter_mut().flat_map(|claim| &mut claim.commands) {
            command.for_each_expr_mut(&mut resolve);
        }
    }
}

/// A scalar on the way to becoming a variable.
#[derive(Clone)]
struct Leaf {
    id: VarId,
    path: Vec<u32>,
    name: String,
    dims: Vec<u32>,
    hidden: bool,
}

fn binary(operator: BinaryOp) -> ir::Binary {
    match operator {
        BinaryOp::Add => ir::Binary::Add,
        BinaryOp::Sub => ir::Binary::Sub,
        BinaryOp::Mul => ir::Binary::Mul,
        BinaryOp::Div => ir::Binary::Div,
        BinaryOp::Rem => ir::Binary::Rem,
        BinaryOp::BitAnd => ir::Binary::BitAnd,
        BinaryOp::BitOr => ir::Binary::BitOr,
        BinaryOp::BitXor => ir::Binary::BitXor,
        BinaryOp::Shl => ir::Binary::Shl,
        BinaryOp::Shr => ir::Binary::Shr,
        BinaryOp::Eq => ir::Binary::Eq,
        BinaryOp::Ne => ir::Binary::Ne,
        BinaryOp::Lt => ir::Binary::Lt,
        BinaryOp::Le => ir::Binary::Le,
        BinaryOp::Gt => ir::Binary::Gt,
        BinaryOp::Ge => ir::Binary::Ge,
        BinaryOp::And => ir::Binary::And,
        BinaryOp::Or => ir::Binary::Or,
    }
}
