//! What a specification must be like to mean something, and to be static: names, types, roles and classes.
//!
//! Scopes nest as bodies do. Constants, types, channels, modules, bodies and routines of an enclosing body can be used; its variables,
//! states and interaction points cannot, since they belong to another module. A routine of an enclosing body is checked again for each body
//! that uses it, so that every body has all variables that its transitions need.
//!
//! What static Estelle leaves out (paper: unbounded-fifo-channels-1990, 4.3.1) is refused here by its name: modules that have both transitions
//! and submodules, changes of the module tree in transitions, pointers, integers without bounds, bodies that are elsewhere.

mod expression;
mod routine;
mod statement;
mod transition;
mod types;

use crate::ast::{self, Block, Declaration, Name, Queue, Span, Specification};
use crate::tree::{
    BodyDef, ChannelDef, Checked, L, MessageDef, ModVarDef, ModuleDef, Ordinal, PointDef, Ty, Var, VarKind,
};
use elnath_source::{Code, Message, SourceText, codes, nearest};
use std::collections::HashMap;

/// Interaction points of one array.
const MOST_POINTS: u64 = 256;

/// What a name stands for.
#[derive(Clone)]
enum Entry<'a> {
    Const(i32, Ty),
    Type(Ty),
    Var(usize),
    /// A field of a record that `with` opened.
    Part(L),
    Channel(usize),
    Module(usize),
    Body(usize),
    Point(usize),
    ModVar(usize),
    State(usize),
    StateSet(Vec<usize>),
    /// It, and how many scopes it sees.
    Routine(&'a ast::Routine, usize),
    /// Its declaration is broken.
    Broken,
}

impl Entry<'_> {
    fn name(&self) -> &'static str {
        match self {
            Entry::Const(..) => "a constant",
            Entry::Type(_) => "a type",
            Entry::Var(_) => "a variable",
            Entry::Part(_) => "a field",
            Entry::Channel(_) => "a channel",
            Entry::Module(_) => "a module",
            Entry::Body(_) => "a body",
            Entry::Point(_) => "an interaction point",
            Entry::ModVar(_) => "a module variable",
            Entry::State(_) => "a state",
            Entry::StateSet(_) => "a set of states",
            Entry::Routine(routine, _) if routine.result.is_some() => "a function",
            Entry::Routine(..) => "a procedure",
            Entry::Broken => "something broken",
        }
    }

    /// Whether it belongs to a module, so that modules within do not see it.
    fn is_private(&self) -> bool {
        matches!(
            self,
            Entry::Var(_)
                | Entry::Part(_)
                | Entry::Point(_)
                | Entry::ModVar(_)
                | Entry::State(_)
                | Entry::StateSet(_)
        )
    }
}

struct Scope<'a> {
    names: HashMap<String, (Entry<'a>, Option<Span>)>,
    /// How many bodies it is within.
    depth: usize,
}

struct Checker<'a> {
    source: &'a SourceText,
    /// The values of `integer`, if they are given.
    integers: Option<(i32, i32)>,
    messages: Vec<Message>,
    scopes: Vec<Scope<'a>>,
    out: Checked,
    /// The bodies that are being checked, the innermost last.
    bodies: Vec<Current>,
    /// The functions that are being checked: name and result.
    results: Vec<(String, Option<usize>)>,
}

#[derive(Default)]
struct Current {
    def: BodyDef,
    /// By address: the number of a routine in this body, none while it is being checked.
    routines: HashMap<usize, Option<usize>>,
    at: At,
}

/// What is being checked within a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    #[default]
    Declarations,
    Initialize,
    Transition,
    Routine,
}

/// Checks a specification. It is complete if no message is an error.
pub(crate) fn check(
    source: &SourceText,
    specification: &Specification,
    integers: Option<(i32, i32)>,
) -> (Checked, Vec<Message>) {
    let mut checker = Checker {
        source,
        integers,
        messages: Vec::new(),
        scopes: Vec::new(),
        out: Checked::default(),
        bodies: Vec::new(),
        results: Vec::new(),
    };
    checker.predeclare();
    checker.out.name.clone_from(&specification.name.text);
    checker.out.class = specification.class;
    checker.out.default = specification.default;
    if let Some(class) = specification.class
        && !class.is_system()
    {
        let text = format!("a specification cannot be `{}`", class.name());
        checker.error(codes::WRONG_USE, text, &specification.name.span).help =
            Some("a specification is `systemprocess`, `systemactivity`, or neither".to_owned());
    }
    let def = BodyDef { span: specification.name.span.clone(), ..BodyDef::default() };
    checker.out.root = checker.body(def, &specification.body);
    // What a group of transitions shares is checked for each of them.
    let mut seen: Vec<(String, Option<(u64, usize)>)> = Vec::new();
    checker.messages.retain(|message| {
        let key =
            (message.text.clone(), message.place.as_ref().map(|place| (place.line, place.cut + place.start)));
        let new = !seen.contains(&key);
        if new {
            seen.push(key);
        }
        new
    });
    checker
        .messages
        .sort_by_key(|message| message.place.as_ref().map(|place| (place.line, place.cut + place.start)));
    (checker.out, checker.messages)
}

impl<'a> Checker<'a> {
    fn error(&mut self, code: Code, text: impl Into<String>, span: &Span) -> &mut Message {
        let place = self.source.place(span.start, span.end);
        self.messages.push(Message::finding(code, text, Some(place)));
        self.messages.last_mut().expect("it was just pushed")
    }

    /// Complains about something that static Estelle does not have.
    fn refuse(&mut self, what: &str, why: &str, span: &Span) {
        let text = format!("{what} is outside static Estelle");
        self.error(codes::BEYOND_LIMIT, text, span).label = why.to_owned();
    }

    fn current(&mut self) -> &mut Current {
        self.bodies.last_mut().expect("a body is being checked")
    }

    fn def(&self) -> &BodyDef {
        &self.bodies.last().expect("a body is being checked").def
    }

    fn at(&self) -> At {
        self.bodies.last().map_or(At::Declarations, |body| body.at)
    }

    fn var(&mut self, name: &str, ty: Ty, kind: VarKind) -> usize {
        let vars = &mut self.current().def.vars;
        vars.push(Var { name: name.to_owned(), ty, kind, changes: false });
        vars.len() - 1
    }

    // Scopes.

    fn open(&mut self) {
        let depth = self.bodies.len();
        self.scopes.push(Scope { names: HashMap::new(), depth });
    }

    fn close(&mut self) {
        self.scopes.pop();
    }

    fn predeclare(&mut self) {
        self.scopes.push(Scope { names: HashMap::new(), depth: 0 });
        let boolean = Ty::Ordinal(Ordinal::boolean());
        let mut add = |name: &str, entry| {
            self.scopes[0].names.insert(name.to_owned(), (entry, None));
        };
        add("boolean", Entry::Type(boolean.clone()));
        add("false", Entry::Const(0, boolean.clone()));
        add("true", Entry::Const(1, boolean));
        add("char", Entry::Type(Ty::Ordinal(Ordinal { base: crate::tree::Base::Char, low: 0, high: 255 })));
        if let Some((low, high)) = self.integers {
            add("integer", Entry::Type(Ty::Ordinal(Ordinal::int(low, high))));
            add("maxint", Entry::Const(high, Ty::Ordinal(Ordinal::int(high, high))));
        }
    }

    fn declare(&mut self, name: &Name, entry: Entry<'a>) {
        let scope = self.scopes.last_mut().expect("a scope is open");
        if let Some((_, first)) = scope.names.get(&name.key) {
            let first = first.clone();
            let source = self.source;
            let message =
                self.error(codes::DECLARED_TWICE, format!("`{}` is declared twice", name.text), &name.span);
            if let Some(first) = first {
                message.also.push((source.place(first.start, first.end), "first declared here".to_owned()));
            }
            return;
        }
        scope.names.insert(name.key.clone(), (entry, Some(name.span.clone())));
    }

    /// What a name stands for here; complains if it is unknown or belongs to an enclosing module.
    fn find(&mut self, name: &Name, what: &str) -> Option<Entry<'a>> {
        let depth = self.bodies.len();
        let found = self
            .scopes
            .iter()
            .rev()
            .find_map(|scope| scope.names.get(&name.key).map(|(entry, _)| (entry.clone(), scope.depth)));
        match found {
            Some((Entry::Broken, _)) => None,
            Some((entry, at)) if entry.is_private() && at != depth => {
                let text = format!("`{}` belongs to an enclosing module", name.text);
                self.error(codes::WRONG_USE, text, &name.span).label =
                    format!("{} of another module cannot be used here", entry.name());
                None
            }
            Some((entry, _)) => Some(entry),
            None => {
                let text = format!("there is no {what} `{}`", name.text);
                let near = nearest(&name.key, self.scopes.iter().rev().flat_map(|scope| scope.names.keys()));
                let message = self.error(codes::UNKNOWN_NAME, text, &name.span);
                message.help = match name.key.as_str() {
                    "integer" | "maxint" => None,
                    _ => near.map(|near| format!("did you mean `{near}`?")),
                };
                None
            }
        }
    }

    fn wrong(&mut self, name: &Name, entry: &Entry<'_>, wanted: &str) {
        let text = format!("`{}` is {}, not {wanted}", name.text, entry.name());
        self.error(codes::WRONG_USE, text, &name.span);
    }

    // Bodies.

    fn body(&mut self, def: BodyDef, block: &'a Block) -> usize {
        self.bodies.push(Current { def, ..Current::default() });
        self.open();
        if let Some(module) = self.def().module {
            let parameters = self.out.modules[module].parameters.clone();
            for (key, name, ty) in parameters {
                let var = self.var(&name, ty, VarKind::Parameter);
                self.scopes
                    .last_mut()
                    .expect("it was just opened")
                    .names
                    .insert(key, (Entry::Var(var), None));
            }
            let points = self.out.modules[module].points.clone();
            for (number, point) in points.iter().enumerate() {
                let scope = self.scopes.last_mut().expect("it was just opened");
                scope.names.insert(point.key.clone(), (Entry::Point(number), None));
            }
            for key in self.out.modules[module].broken.clone() {
                let scope = self.scopes.last_mut().expect("it was just opened");
                scope.names.insert(key, (Entry::Broken, None));
            }
            self.current().def.points = points;
        }
        for declaration in &block.declarations {
            self.declaration(declaration);
        }
        self.transitions(block);
        self.close();
        let mut def = self.bodies.pop().expect("it was pushed").def;
        if def.states.is_empty() {
            def.states.push(String::new());
        }
        self.out.bodies.push(def);
        self.out.bodies.len() - 1
    }

    fn declaration(&mut self, declaration: &'a Declaration) {
        match declaration {
            Declaration::Const(name, value) => {
                let entry = self.constant(value).map_or(Entry::Broken, |(value, ty)| Entry::Const(value, ty));
                self.declare(name, entry);
            }
            Declaration::Type(name, ty) => {
                let ty = self.ty(ty);
                self.declare(name, Entry::Type(ty));
            }
            Declaration::Channel(channel) => self.channel(channel),
            Declaration::Module(module) => self.module(module),
            Declaration::Body(body) => self.module_body(body),
            Declaration::Points(points) => {
                let points = self.points(points);
                for (name, point) in points {
                    self.current().def.points.push(point);
                    let number = self.def().points.len() - 1;
                    self.declare(name, Entry::Point(number));
                }
            }
            Declaration::ModVar(names, ty) => self.module_variable(names, ty),
            Declaration::Var(names, ty) => {
                let ty = self.ty(ty);
                let kind = if self.at() == At::Declarations { VarKind::Module } else { VarKind::Local };
                for name in names {
                    let var = self.var(&name.text, ty.clone(), kind);
                    self.declare(name, Entry::Var(var));
                }
            }
            Declaration::States(names) => {
                for name in names {
                    self.current().def.states.push(name.text.clone());
                    let number = self.def().states.len() - 1;
                    self.declare(name, Entry::State(number));
                }
            }
            Declaration::StateSet(name, states) => {
                let states = self.states(states);
                self.declare(name, Entry::StateSet(states));
            }
            Declaration::Routine(routine) => {
                self.declare(&routine.name, Entry::Routine(routine, self.scopes.len()));
                self.routine(routine, self.scopes.len(), None);
            }
        }
    }

    /// States and sets of states.
    fn states(&mut self, names: &[Name]) -> Vec<usize> {
        let mut states: Vec<usize> = Vec::new();
        for name in names {
            match self.find(name, "state") {
                Some(Entry::State(state)) => states.push(state),
                Some(Entry::StateSet(more)) => states.extend(more),
                Some(other) => self.wrong(name, &other, "a state"),
                None => {}
            }
        }
        states.sort_unstable();
        states.dedup();
        states
    }

    fn channel(&mut self, channel: &ast::Channel) {
        if channel.roles[0].key == channel.roles[1].key {
            self.error(
                codes::DECLARED_TWICE,
                "the two roles of a channel have one name",
                &channel.roles[1].span,
            );
        }
        let mut messages: Vec<MessageDef> = Vec::new();
        for (by, interactions) in &channel.groups {
            let mut sends = [false; 2];
            for role in by {
                match channel.roles.iter().position(|known| known.key == role.key) {
                    Some(number) => sends[number] = true,
                    None => {
                        let text = format!("`{}` is no role of `{}`", role.text, channel.name.text);
                        let help = format!(
                            "its roles are `{}` and `{}`",
                            channel.roles[0].text, channel.roles[1].text
                        );
                        self.error(codes::UNKNOWN_NAME, text, &role.span).help = Some(help);
                    }
                }
            }
            for interaction in interactions {
                let mut parameters = Vec::new();
                for (names, ty) in &interaction.parameters {
                    let ty = self.ty(ty);
                    for name in names {
                        if parameters.iter().any(|(key, _, _)| *key == name.key) {
                            let text = format!("`{}` is declared twice", name.text);
                            self.error(codes::DECLARED_TWICE, text, &name.span);
                        }
                        parameters.push((name.key.clone(), name.text.clone(), ty.clone()));
                    }
                }
                if messages.iter().any(|known| known.key == interaction.name.key) {
                    let text = format!("the channel already has an interaction `{}`", interaction.name.text);
                    self.error(codes::DECLARED_TWICE, text, &interaction.name.span).help =
                        Some("if both roles send it, write `by A, B:`".to_owned());
                    continue;
                }
                let name = interaction.name.text.clone();
                messages.push(MessageDef { key: interaction.name.key.clone(), name, parameters, by: sends });
            }
        }
        self.out
            .channels
            .push(ChannelDef { roles: channel.roles.clone().map(|role| (role.key, role.text)), messages });
        self.declare(&channel.name, Entry::Channel(self.out.channels.len() - 1));
    }

    fn points<'t>(&mut self, points: &'t [ast::Point]) -> Vec<(&'t Name, PointDef)> {
        let mut all = Vec::new();
        for point in points {
            let dims: Vec<Ordinal> = point.dims.iter().filter_map(|dim| self.index_type(dim)).collect();
            if dims.iter().fold(1u64, |all, dim| all.saturating_mul(dim.count())) > MOST_POINTS {
                let text = format!("an array has more than {MOST_POINTS} interaction points");
                self.error(codes::BEYOND_LIMIT, text, &point.names[0].span);
                self.broken(&point.names);
                continue;
            }
            let channel = match self.find(&point.channel, "channel") {
                Some(Entry::Channel(channel)) => channel,
                Some(other) => {
                    self.wrong(&point.channel, &other, "a channel");
                    self.broken(&point.names);
                    continue;
                }
                None => {
                    self.broken(&point.names);
                    continue;
                }
            };
            let roles = &self.out.channels[channel].roles;
            let Some(role) = roles.iter().position(|(key, _)| *key == point.role.key) else {
                let help = format!("its roles are `{}` and `{}`", roles[0].1, roles[1].1);
                let text = format!("`{}` is no role of `{}`", point.role.text, point.channel.text);
                self.error(codes::UNKNOWN_NAME, text, &point.role.span).help = Some(help);
                self.broken(&point.names);
                continue;
            };
            all.extend(point.names.iter().map(|name| {
                let (key, text) = (name.key.clone(), name.text.clone());
                (name, PointDef { key, name: text, dims: dims.clone(), channel, role, queue: point.queue })
            }));
        }
        all
    }

    fn broken(&mut self, names: &[Name]) {
        for name in names {
            self.declare(name, Entry::Broken);
        }
    }

    fn module(&mut self, module: &ast::Module) {
        let mut parameters = Vec::new();
        for (names, ty) in &module.parameters {
            let ty = self.ty(ty);
            parameters.extend(names.iter().map(|name| (name.key.clone(), name.text.clone(), ty.clone())));
        }
        // The points are in scope in its bodies only.
        self.open();
        let points = self.points(&module.points);
        let points: Vec<PointDef> = points
            .into_iter()
            .map(|(name, point)| {
                self.declare(name, Entry::Broken);
                point
            })
            .collect();
        self.close();
        let names = module.points.iter().flat_map(|point| &point.names).map(|name| name.key.clone());
        let broken = names.filter(|key| !points.iter().any(|point| point.key == *key)).collect();
        self.out.modules.push(ModuleDef {
            name: module.name.text.clone(),
            class: module.class,
            parameters,
            points,
            broken,
        });
        self.declare(&module.name, Entry::Module(self.out.modules.len() - 1));
    }

    fn module_body(&mut self, body: &'a ast::Body) {
        let module = match self.find(&body.module, "module") {
            Some(Entry::Module(module)) => Some(module),
            Some(other) => {
                self.wrong(&body.module, &other, "a module");
                None
            }
            None => None,
        };
        let external = body.block.is_none();
        let def = BodyDef { module, span: body.name.span.clone(), ..BodyDef::default() };
        let known = module.is_some();
        let number = match &body.block {
            // Without its module nothing is known of its interaction points.
            Some(block) if known => self.body(def, block),
            _ => {
                self.out.bodies.push(def);
                self.out.bodies.len() - 1
            }
        };
        if external {
            self.refuse("an external body", "what it does is not in this text", &body.name.span);
        }
        self.declare(&body.name, if known { Entry::Body(number) } else { Entry::Broken });
    }

    fn module_variable(&mut self, names: &'a [Name], ty: &'a ast::TypeExpr) {
        let (mut dims, mut at) = (Vec::new(), ty);
        while let ast::TypeKind::Array(indices, element) = &at.kind {
            dims.extend(indices.iter().filter_map(|index| self.index_type(index)));
            at = element;
        }
        let module = match &at.kind {
            ast::TypeKind::Name(name) => match self.find(name, "module") {
                Some(Entry::Module(module)) => Some(module),
                Some(other) => {
                    self.wrong(name, &other, "a module");
                    None
                }
                None => None,
            },
            _ => {
                self.error(codes::WRONG_USE, "this is not a module", &at.span);
                None
            }
        };
        for name in names {
            let entry = match module {
                Some(module) => {
                    self.current().def.modvars.push(ModVarDef {
                        name: name.text.clone(),
                        dims: dims.clone(),
                        module,
                    });
                    Entry::ModVar(self.def().modvars.len() - 1)
                }
                None => Entry::Broken,
            };
            self.declare(name, entry);
        }
    }
}

/// The queue of an interaction point.
pub(crate) fn queue_of(point: &PointDef, default: Option<Queue>) -> Queue {
    point.queue.or(default).unwrap_or(Queue::Individual)
}
