//! Static semantics of behaviours: names, sorts, functionality; and their code.
//!
//! Functionality says with which sorts a behaviour may end: `noexit` is neutral in a choice and under `[>`, and a parallel
//! composition ends only if both sides do. A behaviour that may end must be in a process that says so.
//!
//! Gates are substituted for gates before anything is synchronised, as in CADP. In the standard they are renamed afterwards; the two
//! differ only where one gate is given for two, which is warned of unless the standard's meaning was asked for.

use crate::ast::{Behaviour, Cond, ExitItem, Ident, Kind, OfferText, Operator, Process, Variable};
use crate::code::{Code, CodeId, CodeKind, Compiled, OfferCode, ProcessCode, ProcessId, SyncCode};
use crate::data::{Condition, Data, SortId, Term};
use crate::expression::Scope;
use crate::parser::foreign;
use crate::rules::{rules, variables};
use crate::sources::{Sources, Span};
use crate::types::{Types, UNKNOWN, Visible};
use crate::{Aliasing, Range};
use elnath_source::{Message, Severity, codes, nearest};
use std::collections::HashMap;
use std::rc::Rc;

/// With which sorts a behaviour may end; none if it does not.
type Ends = Option<Vec<SortId>>;

/// The code of a specification, with warnings.
///
/// # Errors
/// All that is wrong with it.
pub(crate) fn lower(
    root: &Process,
    sources: Sources,
    ranges: &[Range],
    aliasing: Aliasing,
    mut messages: Vec<Message>,
) -> Result<(Compiled, Vec<Message>), Vec<Message>> {
    let mut declared = Declared { types: Types::new(&sources), processes: Vec::new() };
    declared.process(root, None, None);
    let visible: Vec<Visible> = {
        let blocks: Vec<usize> = declared.processes.iter().map(|process| process.block).collect();
        blocks.into_iter().map(|block| declared.types.visible(block)).collect()
    };
    let Declared { mut types, processes } = declared;
    messages.append(&mut types.messages);
    let data = rules(&types, &sources, ranges, &mut messages);
    let heads: Vec<Head> = processes
        .iter()
        .zip(&visible)
        .map(|(process, visible)| {
            let text = process.text;
            let sort = |name: &Ident, types: &mut Types<'_>| types.sort(name, visible);
            let params = text.params.iter().map(|param| sort(&param.sort, &mut types)).collect();
            let ends = text
                .functionality
                .sorts
                .as_ref()
                .map(|sorts| sorts.iter().filter_map(|name| sort(name, &mut types)).collect());
            Head { gates: text.gates.len(), params, ends }
        })
        .collect();
    messages.append(&mut types.messages);
    let mut lowering = Lowering {
        sources: &sources,
        types: &types,
        data: &data,
        processes: &processes,
        heads: &heads,
        aliasing,
        codes: Vec::new(),
        messages,
    };
    let mut made = Vec::new();
    for (number, process) in processes.iter().enumerate() {
        made.push(lowering.process(number, process, &visible[number]));
    }
    let Lowering { codes, mut messages, .. } = lowering;
    if !root.params.is_empty() {
        let names: Vec<&str> = root.params.iter().map(|param| sources.text(param.name.span)).collect();
        let text = match names.as_slice() {
            [name] => format!("the parameter `{name}` of the specification has no value"),
            names => format!("the parameters `{}` of the specification have no values", names.join("`, `")),
        };
        let message = sources.error(text, root.params[0].name.span).code(codes::WRONG_USE);
        messages.push(message.help(format!("give a value to each: `-D {}=VALUE`", names[0])));
    }
    if messages.iter().any(|message| message.severity == Severity::Error) {
        return Err(messages);
    }
    let top_gates = root.gates.len() as u32;
    Ok((Compiled { top_gates, data, codes, processes: made, sources, memory: None, aliasing }, messages))
}

/// A process and where it is.
struct DeclaredProcess<'a> {
    text: &'a Process,
    block: usize,
    parent: Option<usize>,
    /// Those that it defines.
    inner: HashMap<Rc<str>, usize>,
}

struct Declared<'a> {
    types: Types<'a>,
    processes: Vec<DeclaredProcess<'a>>,
}

impl<'a> Declared<'a> {
    fn process(&mut self, text: &'a Process, block: Option<usize>, parent: Option<usize>) -> usize {
        let block = self.types.block(&text.types, block);
        let number = self.processes.len();
        self.processes.push(DeclaredProcess { text, block, parent, inner: HashMap::new() });
        for inner in &text.processes {
            let index = self.process(inner, Some(block), Some(number));
            if let Some(first) = self.processes[number].inner.insert(Rc::clone(&inner.name.name), index) {
                let first = self.processes[first].text.name.span;
                let sources = self.types.sources();
                let name = sources.text(inner.name.span);
                let message =
                    sources.error(format!("the process `{name}` is defined twice"), inner.name.span);
                let message = message.also(sources.place(first), "first here").code(codes::DECLARED_TWICE);
                self.types.messages.push(message);
            }
        }
        number
    }
}

/// What a call must know about a process.
struct Head {
    gates: usize,
    params: Vec<Option<SortId>>,
    ends: Ends,
}

struct Lowering<'a> {
    sources: &'a Sources,
    types: &'a Types<'a>,
    data: &'a Data,
    processes: &'a [DeclaredProcess<'a>],
    heads: &'a [Head],
    aliasing: Aliasing,
    codes: Vec<Code>,
    messages: Vec<Message>,
}

/// The process that is worked on.
struct Frame<'a> {
    number: usize,
    visible: &'a Visible,
    gates: Vec<Box<str>>,
    variables: Vec<(Box<str>, SortId)>,
    /// The gates and variables that can be named here, the innermost last.
    gates_here: Vec<(Rc<str>, u32)>,
    variables_here: Vec<(Rc<str>, SortId, u32)>,
}

impl Frame<'_> {
    fn bind_gate(&mut self, name: &Ident) -> u32 {
        let slot = self.gates.len() as u32;
        self.gates.push((*name.name).into());
        self.gates_here.push((Rc::clone(&name.name), slot));
        slot
    }

    fn bind_variable(&mut self, name: &Rc<str>, sort: SortId) -> u32 {
        let slot = self.variables.len() as u32;
        self.variables.push(((**name).into(), sort));
        self.variables_here.push((Rc::clone(name), sort, slot));
        slot
    }
}

impl<'a> Lowering<'a> {
    fn process(&mut self, number: usize, process: &DeclaredProcess<'a>, visible: &Visible) -> ProcessCode {
        let text = process.text;
        let mut frame = Frame {
            number,
            visible,
            gates: Vec::new(),
            variables: Vec::new(),
            gates_here: Vec::new(),
            variables_here: Vec::new(),
        };
        self.distinct(text.gates.iter(), "gate");
        self.distinct(text.params.iter().map(|param| &param.name), "parameter");
        for gate in &text.gates {
            frame.bind_gate(gate);
        }
        for (param, sort) in text.params.iter().zip(&self.heads[number].params) {
            frame.bind_variable(&param.name.name, sort.unwrap_or(UNKNOWN));
        }
        let before = self.messages.len();
        let (body, ends) = self.behaviour(&text.body, &mut frame);
        self.explain(before, number);
        let declared = &self.heads[number].ends;
        if let (Some(sorts), true) = (&ends, ends != *declared)
            && !sorts.contains(&UNKNOWN)
        {
            let found = self.exit_of(sorts);
            let text_ = match declared {
                None => format!("this process is declared `noexit`, and its body may end with `{found}`"),
                Some(sorts) => format!(
                    "this process is declared `{}`, and its body may end with `{found}`",
                    self.exit_of(sorts)
                ),
            };
            let message = self.sources.error(text_, text.functionality.span).code(codes::WRONG_USE);
            self.messages.push(message.help(format!("declare it `{found}`")));
        }
        let name = self.sources.text(text.name.span).to_uppercase().into();
        ProcessCode { name, gates: frame.gates, variables: frame.variables, body }
    }

    /// A process knows nothing of those around it but their types and processes: whoever uses their gates or parameters is told so.
    fn explain(&mut self, from: usize, number: usize) {
        let mut around = self.processes[number].parent;
        while let Some(at) = around {
            let outer = self.processes[at].text;
            let name = self.sources.text(outer.name.span);
            let gates = outer.gates.iter().map(|gate| (gate, "gate", "there is no gate"));
            let params = outer.params.iter().map(|param| (&param.name, "parameter", "there is no value"));
            for (own, what, said) in gates.chain(params) {
                for message in &mut self.messages[from..] {
                    let text = message.text.to_lowercase();
                    if message.help.is_none() && text == format!("{said} `{}` here", own.name) {
                        let own = self.sources.text(own.span);
                        let help = format!(
                            "it is a {what} of `{name}`, which this process does not see: add a {what} `{own}` here, and give it in calls"
                        );
                        *message = message.clone().help(help);
                    }
                }
            }
            around = self.processes[at].parent;
        }
    }

    fn distinct<'n>(&mut self, names: impl Iterator<Item = &'n Ident>, what: &str) {
        let mut seen: Vec<&Ident> = Vec::new();
        for name in names {
            if let Some(first) = seen.iter().find(|other| other.name == name.name) {
                let text = format!("the {what} `{}` is declared twice", self.sources.text(name.span));
                let message =
                    self.sources.error(text, name.span).also(self.sources.place(first.span), "first here");
                self.messages.push(message.code(codes::DECLARED_TWICE));
            }
            seen.push(name);
        }
    }

    fn exit_of(&self, sorts: &[SortId]) -> String {
        if sorts.is_empty() {
            return "exit".to_owned();
        }
        let names: Vec<&str> = sorts.iter().map(|&sort| &*self.data.sorts[sort as usize].name).collect();
        format!("exit ({})", names.join(", "))
    }

    fn behaviour(&mut self, text: &Behaviour, frame: &mut Frame<'_>) -> (CodeId, Ends) {
        let (gates, variables) = (frame.gates_here.len(), frame.variables_here.len());
        let made = self.behaviour_here(text, frame);
        frame.gates_here.truncate(gates);
        frame.variables_here.truncate(variables);
        made
    }

    fn behaviour_here(&mut self, text: &Behaviour, frame: &mut Frame<'_>) -> (CodeId, Ends) {
        let span = text.span;
        let (kind, ends) = match &text.kind {
            Kind::Stop => (CodeKind::Stop, None),
            Kind::Exit(items) => {
                let mut offers = Vec::new();
                let mut sorts = Vec::new();
                for item in items {
                    match item {
                        ExitItem::Any(name) => {
                            let sort = self.sort(name, frame).unwrap_or(UNKNOWN);
                            offers.push(OfferCode::Receive(None, sort));
                            sorts.push(sort);
                        }
                        ExitItem::Value(expr) => {
                            let value = self.scope(frame).any_value(expr);
                            let (term, sort) = value.unwrap_or((Term::Variable(0), UNKNOWN));
                            offers.push(OfferCode::Send(term));
                            sorts.push(sort);
                        }
                    }
                }
                (CodeKind::Exit(offers), Some(sorts))
            }
            Kind::Prefix { gate, offers, guard, next } => {
                let gate = gate.as_ref().map(|gate| self.gate(gate, frame));
                // Values are those before the action; its variables are known to its guard.
                let mut made = Vec::new();
                let before = self.messages.len();
                let mut received: Vec<(&Variable, SortId, usize)> = Vec::new();
                for offer in offers {
                    match offer {
                        OfferText::Send(expr) => {
                            let value = self.scope(frame).any_value(expr);
                            made.push(OfferCode::Send(value.map_or(Term::Variable(0), |(term, _)| term)));
                        }
                        OfferText::Receive(variable) => {
                            let sort = self.sort(&variable.sort, frame).unwrap_or(UNKNOWN);
                            received.push((variable, sort, made.len()));
                            made.push(OfferCode::Receive(None, sort));
                        }
                    }
                }
                for message in &mut self.messages[before..] {
                    let text = message.text.to_lowercase();
                    let is_received = |(variable, ..): &(&Variable, SortId, usize)| {
                        text == format!("there is no value `{}` here", variable.name.name)
                    };
                    if received.iter().any(is_received) {
                        let help = "a variable that an action receives is known in its predicate and after it: write `?y : SORT [y = ...]`";
                        *message = message.clone().help(help);
                    }
                }
                self.distinct(received.iter().map(|(variable, ..)| &variable.name), "variable");
                for (variable, sort, at) in received {
                    made[at] = OfferCode::Receive(Some(frame.bind_variable(&variable.name.name, sort)), sort);
                }
                let guard = guard.as_ref().and_then(|guard| self.condition(guard, frame));
                let (next, ends) = self.behaviour(next, frame);
                (CodeKind::Prefix { gate, offers: made, guard, next }, ends)
            }
            Kind::Guard(cond, next) => {
                let cond = self.condition(cond, frame);
                let (next, ends) = self.behaviour(next, frame);
                match cond {
                    Some(cond) => (CodeKind::Guard(cond, next), ends),
                    None => return (next, ends),
                }
            }
            Kind::Choice(..) => {
                let (mut all, mut ends) = (Vec::new(), None);
                let mut rest = text;
                loop {
                    let (one, more) = match &rest.kind {
                        Kind::Choice(left, right) => (&**left, Some(&**right)),
                        _ => (rest, None),
                    };
                    let (code, its) = self.behaviour(one, frame);
                    all.push(code);
                    ends = self.join(ends, its, one.span);
                    match more {
                        Some(right) => rest = right,
                        None => break,
                    }
                }
                (CodeKind::Choice(all), ends)
            }
            Kind::Parallel(operator, left, right) => {
                let sync = self.sync(operator, frame);
                let (left, one) = self.behaviour(left, frame);
                let (right, other) = self.behaviour(right, frame);
                (CodeKind::Parallel(sync, left, right), self.meet(one, other, span))
            }
            Kind::Hide(names, body) => {
                self.distinct(names.iter(), "gate");
                let gates = names.iter().map(|name| frame.bind_gate(name)).collect();
                let (body, ends) = self.behaviour(body, frame);
                (CodeKind::Hide(gates, body), ends)
            }
            Kind::Let(bindings, body) => {
                self.distinct(bindings.iter().map(|(variable, _)| &variable.name), "variable");
                // All values are those before the first of them.
                let mut values = Vec::new();
                for (variable, expr) in bindings {
                    let sort = self.sort(&variable.sort, frame);
                    let term = sort.and_then(|sort| self.scope(frame).value(expr, sort));
                    values.push((
                        &variable.name.name,
                        sort.unwrap_or(UNKNOWN),
                        term.unwrap_or(Term::Variable(0)),
                    ));
                }
                let bound = values
                    .into_iter()
                    .map(|(name, sort, term)| (frame.bind_variable(name, sort), term))
                    .collect();
                let (body, ends) = self.behaviour(body, frame);
                (CodeKind::Let(bound, body), ends)
            }
            Kind::ChoiceValues(variables, body) => {
                self.distinct(variables.iter().map(|variable| &variable.name), "variable");
                let slots = self.bind_all(variables, frame).into_iter().map(|(slot, _)| slot).collect();
                let (body, ends) = self.behaviour(body, frame);
                (CodeKind::ChoiceValues(slots, body), ends)
            }
            Kind::ChoiceGates(name, among, body) => {
                let among = among.iter().map(|gate| self.gate(gate, frame)).collect();
                let slot = frame.bind_gate(name);
                let (body, ends) = self.behaviour(body, frame);
                (CodeKind::ChoiceGates(slot, among, body), ends)
            }
            Kind::ParGates(name, among, operator, body) => {
                let sync = self.sync(operator, frame);
                let among: Vec<u32> = among.iter().map(|gate| self.gate(gate, frame)).collect();
                let slot = frame.bind_gate(name);
                let (body, ends) = self.behaviour(body, frame);
                (CodeKind::ParGates(slot, among, sync, body), ends)
            }
            Kind::Call(name, gates, values) => match self.call(name, gates, values, frame) {
                Some(made) => made,
                None => (CodeKind::Stop, None),
            },
            Kind::Enable { left, accept, right, atomic } => {
                let (left_code, left_ends) = self.behaviour(left, frame);
                self.distinct(accept.iter().map(|variable| &variable.name), "variable");
                let bound = self.bind_all(accept, frame);
                let sorts: Vec<SortId> = bound.iter().map(|&(_, sort)| sort).collect();
                if let Some(given) = left_ends
                    .filter(|given| *given != sorts && ![&given[..], &sorts].concat().contains(&UNKNOWN))
                {
                    let text = format!(
                        "what stands before `>>` ends with `{}`, and what follows accepts `{}`",
                        self.exit_of(&given),
                        self.exit_of(&sorts)
                    );
                    self.messages.push(self.sources.error(text, left.span).code(codes::WRONG_USE));
                }
                let accept = bound.into_iter().map(|(slot, _)| slot).collect();
                let (right, ends) = self.behaviour(right, frame);
                (CodeKind::Enable { left: left_code, accept, right, atomic: *atomic }, ends)
            }
            Kind::Disable(left, right) => {
                let (left, one) = self.behaviour(left, frame);
                let (right, other) = self.behaviour(right, frame);
                (CodeKind::Disable(left, right), self.join(one, other, span))
            }
        };
        (self.add(kind, frame.number as ProcessId, span), ends)
    }

    fn call(
        &mut self,
        name: &Ident,
        gates: &[Ident],
        values: &[crate::ast::Expr],
        frame: &mut Frame<'_>,
    ) -> Option<(CodeKind, Ends)> {
        let mut at = Some(frame.number);
        let mut known: Vec<Rc<str>> = Vec::new();
        let found = loop {
            let Some(number) = at else { break None };
            let process = &self.processes[number];
            if process.text.name.name == name.name {
                break Some(number);
            }
            if let Some(&inner) = process.inner.get(&name.name) {
                break Some(inner);
            }
            known.extend(process.inner.keys().cloned());
            at = process.parent;
        };
        let actual: Vec<u32> = gates.iter().map(|gate| self.gate(gate, frame)).collect();
        let word = self.sources.text(name.span).to_owned();
        let Some(process) = found else {
            let mut message = self.sources.error(format!("there is no process `{word}` here"), name.span);
            if let Some(help) = foreign(&name.name) {
                message = message.help(help);
            } else if let Some(near) = nearest(&name.name, known.iter().map(|name| &**name)) {
                message = message.help(format!("is `{near}` meant?"));
            } else if frame.gates_here.iter().any(|(gate, _)| *gate == name.name) {
                message = message.help("an action is followed by `;` and a behaviour, such as `stop`");
            }
            self.messages.push(message.code(codes::UNKNOWN_NAME));
            return None;
        };
        let (heads, processes) = (self.heads, self.processes);
        let head = &heads[process];
        for (what, given, wanted) in
            [("gate", gates.len(), head.gates), ("value", values.len(), head.params.len())]
        {
            if given != wanted {
                let plural = if wanted == 1 { "" } else { "s" };
                let text =
                    format!("the process `{word}` needs {wanted} {what}{plural}, and {given} are given");
                let first = self.sources.place(processes[process].text.name.span);
                let message = self.sources.error(text, name.span).also(first, "it is defined here");
                self.messages.push(message.code(codes::WRONG_USE));
                return None;
            }
        }
        let warned = if self.aliasing == Aliasing::Cadp { gates } else { &[] };
        for (number, gate) in warned.iter().enumerate() {
            if let Some(first) = gates[..number].iter().find(|other| other.name == gate.name) {
                let text = format!("the gate `{}` is given to `{word}` twice", self.sources.text(gate.span));
                let message =
                    Message::finding(codes::GATE_ALIASING, text, Some(self.sources.place(gate.span)));
                let message = message.also(self.sources.place(first.span), "first here");
                self.messages.push(
                    message.help(
                        "gates are replaced before actions are synchronised, as CADP does it; `--aliasing iso` renames them afterwards",
                    ),
                );
                break;
            }
        }
        let mut terms = Vec::new();
        for (expr, sort) in values.iter().zip(&head.params) {
            let term = sort.and_then(|sort| self.scope(frame).value(expr, sort));
            terms.push(term.unwrap_or(Term::Variable(0)));
        }
        Some((CodeKind::Call(process as ProcessId, actual, terms), head.ends.clone()))
    }

    fn bind_all(&mut self, variables: &[Variable], frame: &mut Frame<'_>) -> Vec<(u32, SortId)> {
        let mut bound = Vec::new();
        for variable in variables {
            let sort = self.sort(&variable.sort, frame).unwrap_or(UNKNOWN);
            bound.push((frame.bind_variable(&variable.name.name, sort), sort));
        }
        bound
    }

    /// In a choice, what does not end is neutral.
    fn join(&mut self, one: Ends, other: Ends, span: Span) -> Ends {
        match (one, other) {
            (None, ends) | (ends, None) => ends,
            (Some(one), Some(other)) => self.same(one, &other, span),
        }
    }

    /// In parallel, both must end.
    fn meet(&mut self, one: Ends, other: Ends, span: Span) -> Ends {
        match (one, other) {
            (None, _) | (_, None) => None,
            (Some(one), Some(other)) => self.same(one, &other, span),
        }
    }

    fn same(&mut self, one: Vec<SortId>, other: &[SortId], span: Span) -> Ends {
        if one != other && ![&one[..], other].concat().contains(&UNKNOWN) {
            let text = format!(
                "one side ends with `{}`, the other with `{}`",
                self.exit_of(&one),
                self.exit_of(other)
            );
            self.messages.push(self.sources.error(text, span).code(codes::WRONG_USE));
        }
        Some(one)
    }

    fn sync(&mut self, operator: &Operator, frame: &Frame<'_>) -> SyncCode {
        match operator {
            Operator::All => SyncCode::All,
            Operator::None => SyncCode::Gates(Vec::new()),
            Operator::Gates(gates) => {
                SyncCode::Gates(gates.iter().map(|gate| self.gate(gate, frame)).collect())
            }
        }
    }

    fn gate(&mut self, name: &Ident, frame: &Frame<'_>) -> u32 {
        let found = frame.gates_here.iter().rev().find(|(other, _)| *other == name.name);
        found.map(|&(_, slot)| slot).unwrap_or_else(|| {
            let word = self.sources.text(name.span);
            let mut message = self.sources.error(format!("there is no gate `{word}` here"), name.span);
            if let Some(near) = nearest(&name.name, frame.gates_here.iter().map(|(name, _)| &**name)) {
                message = message.help(format!("is `{near}` meant?"));
            }
            self.messages.push(message.code(codes::UNKNOWN_NAME));
            0
        })
    }

    fn sort(&mut self, name: &Ident, frame: &Frame<'_>) -> Option<SortId> {
        let sort = frame.visible.sorts.get(&name.name).copied();
        if sort.is_none() {
            let word = self.sources.text(name.span);
            let mut message = self.sources.error(format!("there is no sort `{word}` here"), name.span);
            if let Some(near) = nearest(&name.name, frame.visible.sorts.keys().map(|name| &**name)) {
                message = message.help(format!("is `{near}` meant?"));
            }
            self.messages.push(message.code(codes::UNKNOWN_NAME));
        }
        sort
    }

    fn scope<'s>(&'s mut self, frame: &'s Frame<'_>) -> Scope<'s> {
        Scope {
            sources: self.sources,
            sorts: &self.types.sorts,
            ops: &self.types.ops,
            visible: frame.visible,
            variables: &frame.variables_here,
            messages: &mut self.messages,
        }
    }

    fn condition(&mut self, cond: &Cond, frame: &Frame<'_>) -> Option<Condition> {
        self.scope(frame).condition(cond).map(|(left, right)| Condition { left, right })
    }

    /// Adds a piece of code, with what it uses.
    fn add(&mut self, kind: CodeKind, process: ProcessId, span: Span) -> CodeId {
        let (mut gates, mut slots): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        let codes = &self.codes;
        let below = |code: CodeId, gates: &mut Vec<u32>, slots: &mut Vec<u32>| {
            gates.extend(&codes[code as usize].gates);
            slots.extend(&codes[code as usize].variables);
        };
        // What is bound is taken away from what the inner code uses, before the rest is added.
        match &kind {
            CodeKind::Stop => {}
            CodeKind::Exit(offers) => {
                slots.extend(offers.iter().flat_map(offered));
            }
            CodeKind::Prefix { gate, offers, guard, next } => {
                below(*next, &mut gates, &mut slots);
                slots.extend(guard.iter().flat_map(of_condition));
                let is_bound = |slot: &u32| {
                    offers
                        .iter()
                        .any(|offer| matches!(offer, OfferCode::Receive(Some(own), _) if own == slot))
                };
                slots.retain(|slot| !is_bound(slot));
                slots.extend(offers.iter().flat_map(offered));
                gates.extend(gate);
            }
            CodeKind::Guard(cond, next) => {
                below(*next, &mut gates, &mut slots);
                slots.extend(of_condition(cond));
            }
            CodeKind::Choice(all) => all.iter().for_each(|&one| below(one, &mut gates, &mut slots)),
            CodeKind::Parallel(sync, left, right) => {
                below(*left, &mut gates, &mut slots);
                below(*right, &mut gates, &mut slots);
                if let SyncCode::Gates(own) = sync {
                    gates.extend(own);
                }
            }
            CodeKind::Hide(own, body) => {
                below(*body, &mut gates, &mut slots);
                gates.retain(|gate| !own.contains(gate));
            }
            CodeKind::Let(bindings, body) => {
                below(*body, &mut gates, &mut slots);
                slots.retain(|slot| !bindings.iter().any(|(own, _)| own == slot));
                slots.extend(bindings.iter().flat_map(|(_, term)| variables(term)));
            }
            CodeKind::ChoiceValues(own, body) => {
                below(*body, &mut gates, &mut slots);
                slots.retain(|slot| !own.contains(slot));
            }
            CodeKind::ChoiceGates(own, among, body) | CodeKind::ParGates(own, among, _, body) => {
                below(*body, &mut gates, &mut slots);
                gates.retain(|gate| gate != own);
                gates.extend(among);
                if let CodeKind::ParGates(_, _, SyncCode::Gates(sync), _) = &kind {
                    gates.extend(sync);
                }
            }
            CodeKind::Call(_, actual, values) => {
                gates.extend(actual);
                slots.extend(values.iter().flat_map(variables));
            }
            CodeKind::Enable { left, accept, right, .. } => {
                below(*right, &mut gates, &mut slots);
                slots.retain(|slot| !accept.contains(slot));
                below(*left, &mut gates, &mut slots);
            }
            CodeKind::Disable(left, right) => {
                below(*left, &mut gates, &mut slots);
                below(*right, &mut gates, &mut slots);
            }
        }
        for used in [&mut gates, &mut slots] {
            used.sort_unstable();
            used.dedup();
        }
        let number = self.codes.len() as CodeId;
        self.codes.push(Code { kind, process, span, gates: gates.into(), variables: slots.into() });
        number
    }
}

fn offered(offer: &OfferCode) -> Vec<u32> {
    match offer {
        OfferCode::Send(term) => variables(term),
        OfferCode::Receive(..) => Vec::new(),
    }
}

fn of_condition(condition: &Condition) -> Vec<u32> {
    [variables(&condition.left), variables(&condition.right)].concat()
}
