//! Random specifications: all operators, nested up to five deep, with gates and variables that hide others of the same name.
//!
//! Most of them are finite. A process calls itself, or one before it, only where nothing stays around the call; within parallel operators, on the left of
//! `>>` and beside `[>` it calls only those after it.
//!
//! A rule of the semantics is tested only where something depends on it. Blind choices deadlock early, forget the values that they bind and never
//! reach `exit`; so the gate and the variable that were bound last are preferred, what binds a variable is often followed by an action that shows it, and `exit`
//! stands at every depth. How often a wrong engine is noticed was measured, rule by rule (docs/campaigns.md).

use super::behaviour::{Behaviour, Ends, Expr, Offer, Specification, Sync, values};
use elnath_kernel::rng::Rng;

/// What can be named, and how what is made may end.
#[derive(Clone)]
struct Scope {
    gates: Vec<String>,
    variables: Vec<(String, u8)>,
    /// The process that is made; none: the specification.
    process: Option<usize>,
    /// Nothing stays around it.
    tail: bool,
    ends: Ends,
    /// An action has come before.
    guarded: bool,
}

const PROCESSES: [Ends; 4] = [Ends::Never, Ends::Plainly, Ends::WithValue, Ends::Never];

pub(super) fn specification(rng: &mut Rng) -> Specification {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let ends = rng.pick(&[Ends::Never, Ends::Plainly, Ends::WithValue]);
    let scope = Scope {
        gates: names(&["a", "b", "c"]),
        variables: Vec::new(),
        process: None,
        tail: false,
        ends,
        guarded: false,
    };
    let depth = 2 + rng.below(4);
    let mut body = behaviour(rng, &scope, depth);
    // Small specifications have few states: most have several parts at the top.
    for _ in 0..rng.below(3) {
        let other = behaviour(rng, &scope, 3);
        body = Behaviour::Parallel(sync(rng, &scope), Box::new(other), Box::new(body));
    }
    let mut processes = Vec::new();
    for (number, &ends) in PROCESSES.iter().enumerate() {
        let scope = Scope {
            gates: names(&["x", "y"]),
            variables: vec![("v".to_owned(), 0)],
            process: Some(number),
            tail: true,
            ends,
            guarded: false,
        };
        let depth = 2 + rng.below(4);
        let mut body = behaviour(rng, &scope, depth);
        if rng.chance(25) {
            // Recursion without an action, perhaps with the gates exchanged.
            let gates = if rng.chance(50) { vec!["x", "y"] } else { vec!["y", "x"] };
            let again =
                Behaviour::Call(number, gates.into_iter().map(str::to_owned).collect(), expr(rng, &scope, 0));
            body = Behaviour::Choice(Box::new(again), Box::new(body));
        }
        processes.push((ends, body));
    }
    Specification { body, ends, processes, iso: false }
}

fn behaviour(rng: &mut Rng, scope: &Scope, depth: u64) -> Behaviour {
    if depth == 0 {
        return match rng.below(6) {
            0 => Behaviour::Stop,
            1..=3 => exit(rng, scope),
            _ => call(rng, scope).unwrap_or_else(|| exit(rng, scope)),
        };
    }
    let below = |rng: &mut Rng, scope: &Scope| Box::new(behaviour(rng, scope, depth - 1));
    let within = Scope { tail: false, ..scope.clone() };
    match rng.below(27) {
        0..=8 => action(rng, scope, depth),
        9 => {
            let (left, right) = condition(rng, scope);
            Behaviour::Guard(left, right, below(rng, scope))
        }
        10 | 11 => Behaviour::Choice(below(rng, scope), below(rng, scope)),
        12 if depth > 1 => meeting(rng, &within, depth),
        12 | 13 => Behaviour::Parallel(sync(rng, scope), below(rng, &within), below(rng, &within)),
        14 | 15 => {
            let gates =
                if rng.chance(30) { vec![gate_name(rng), "h".to_owned()] } else { vec![gate_name(rng)] };
            let mut inner = scope.clone();
            inner.gates.extend(gates.iter().cloned());
            let body = match rng.below(4) {
                // What it can still do keeps the gates hidden where it may end.
                0 => Box::new(Behaviour::Choice(
                    Box::new(exit(rng, &inner)),
                    Box::new(action(rng, &inner, depth)),
                )),
                // Nobody says which value is received.
                1 => {
                    let (name, sort) = variable(rng);
                    let next = shown(rng, &Scope { guarded: true, ..inner }, &name, sort, depth);
                    let receive = vec![Offer::Receive(name, sort)];
                    Box::new(Behaviour::Action(Some(gates[0].clone()), receive, None, next))
                }
                _ => below(rng, &inner),
            };
            Behaviour::Hide(gates, body)
        }
        16 => {
            let (name, sort) = variable(rng);
            let value = expr(rng, scope, sort);
            Behaviour::Let(name.clone(), sort, value, shown(rng, scope, &name, sort, depth))
        }
        17 => {
            let (name, sort) = variable(rng);
            Behaviour::ChoiceValue(name.clone(), sort, shown(rng, scope, &name, sort, depth))
        }
        18 | 19 => {
            let (name, count) = (gate_name(rng), 1 + rng.below(2));
            let among = (0..count).map(|_| rng.pick(&scope.gates)).collect();
            let choice = rng.chance(60);
            let mut inner = if choice { scope.clone() } else { within };
            inner.gates.push(name.clone());
            let sync = sync(rng, scope);
            let body = below(rng, &inner);
            if choice {
                Behaviour::ChoiceGate(name, among, body)
            } else {
                Behaviour::ParGate(name, among, sync, body)
            }
        }
        20 | 21 => {
            let with_value = rng.chance(60);
            let ends = if with_value { Ends::WithValue } else { Ends::Plainly };
            // What is large ends rarely.
            let small = (depth - 1).min(1 + rng.below(3));
            let left = Box::new(behaviour(rng, &Scope { ends, ..within }, small));
            let after = Scope { guarded: true, ..scope.clone() };
            if with_value {
                let (name, _) = variable(rng);
                let right = shown(rng, &after, &name, 0, depth);
                Behaviour::Enable(left, Some(name), right)
            } else {
                Behaviour::Enable(left, None, below(rng, &after))
            }
        }
        22 | 23 => Behaviour::Disable(below(rng, &within), below(rng, &within)),
        24 => call(rng, scope).unwrap_or_else(|| action(rng, scope, depth)),
        _ => exit(rng, scope),
    }
}

/// What follows where a variable is bound: most often an action that shows its value.
fn shown(rng: &mut Rng, scope: &Scope, name: &str, sort: u8, depth: u64) -> Box<Behaviour> {
    let inner = with(scope, name.to_owned(), sort);
    if rng.chance(40) {
        return Box::new(behaviour(rng, &inner, depth - 1));
    }
    let offers = vec![Offer::Send(Expr::Variable(name.to_owned()))];
    let after = Scope { guarded: true, ..inner };
    let next = behaviour(rng, &after, depth - 1);
    Box::new(Behaviour::Action(Some(gate(rng, scope)), offers, None, Box::new(next)))
}

/// Two sides that begin with an action on one gate, with an offer each that may or may not agree.
fn meeting(rng: &mut Rng, scope: &Scope, depth: u64) -> Behaviour {
    let common = gate(rng, scope);
    let side = |rng: &mut Rng| {
        let (name, sort) = variable(rng);
        let guarded = Scope { guarded: true, ..scope.clone() };
        let (offer, next) = if rng.chance(50) {
            (Offer::Send(expr(rng, scope, sort)), Box::new(behaviour(rng, &guarded, depth - 2)))
        } else {
            let next = shown(rng, &guarded, &name, sort, depth - 1);
            (Offer::Receive(name, sort), next)
        };
        Box::new(Behaviour::Action(Some(common.clone()), vec![offer], None, next))
    };
    let (left, right) = (side(rng), side(rng));
    let sync = if rng.chance(70) { Some(vec![common]) } else { sync(rng, scope) };
    Behaviour::Parallel(sync, left, right)
}

fn action(rng: &mut Rng, scope: &Scope, depth: u64) -> Behaviour {
    let mut inner = Scope { guarded: true, ..scope.clone() };
    if rng.chance(15) {
        return Behaviour::Action(None, Vec::new(), None, Box::new(behaviour(rng, &inner, depth - 1)));
    }
    let mut offers = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for _ in 0..[0, 0, 1, 1, 1, 2][rng.below(6) as usize] {
        let (name, sort) = variable(rng);
        if rng.chance(50) || names.contains(&name) {
            offers.push(Offer::Send(expr(rng, scope, sort)));
        } else {
            names.push(name.clone());
            inner.variables.push((name.clone(), sort));
            offers.push(Offer::Receive(name, sort));
        }
    }
    let guard = rng.chance(20).then(|| condition(rng, &inner));
    let next = match inner.variables.last().filter(|_| !names.is_empty()) {
        Some((name, sort)) if depth > 1 => {
            let (name, sort) = (name.clone(), *sort);
            shown(rng, &inner, &name, sort, depth)
        }
        _ => Box::new(behaviour(rng, &inner, depth - 1)),
    };
    Behaviour::Action(Some(gate(rng, scope)), offers, guard, next)
}

/// The one that was bound last, or any.
fn gate(rng: &mut Rng, scope: &Scope) -> String {
    match scope.gates.last() {
        Some(last) if rng.chance(30) => last.clone(),
        _ => rng.pick(&scope.gates),
    }
}

fn exit(rng: &mut Rng, scope: &Scope) -> Behaviour {
    match scope.ends {
        Ends::Never => Behaviour::Stop,
        Ends::Plainly => Behaviour::Exit(Vec::new()),
        Ends::WithValue if rng.chance(30) => Behaviour::Exit(vec![Err(0)]),
        Ends::WithValue => Behaviour::Exit(vec![Ok(expr(rng, scope, 0))]),
    }
}

fn call(rng: &mut Rng, scope: &Scope) -> Option<Behaviour> {
    let fits = |process: &usize| PROCESSES[*process] == Ends::Never || PROCESSES[*process] == scope.ends;
    let first = match (scope.process, scope.tail) {
        (None, _) | (Some(_), true) => 0,
        (Some(own), false) => own + 1,
    };
    // Within an operator that stays, the next ones only, so that there is an end.
    let first = if scope.tail {
        scope.process.map_or(0, |own| if rng.chance(70) { own } else { 0 }.max(first))
    } else {
        first
    };
    let able: Vec<usize> =
        (first..PROCESSES.len()).filter(fits).filter(|process| may_call(scope, *process)).collect();
    if able.is_empty() || (!scope.guarded && scope.process.is_some() && rng.chance(50)) {
        return None;
    }
    let process = rng.pick(&able);
    let gates = vec![rng.pick(&scope.gates), rng.pick(&scope.gates)];
    Some(Behaviour::Call(process, gates, expr(rng, scope, 0)))
}

/// Layers: a process calls itself and those after it; so that what stays around a call is there a bounded number of times.
fn may_call(scope: &Scope, process: usize) -> bool {
    scope.process.is_none_or(|own| process > own || (scope.tail && process == own))
}

fn sync(rng: &mut Rng, scope: &Scope) -> Sync {
    match rng.below(4) {
        0 => None,
        1 => Some(Vec::new()),
        _ => Some((0..1 + rng.below(2)).map(|_| rng.pick(&scope.gates)).collect()),
    }
}

fn condition(rng: &mut Rng, scope: &Scope) -> (Expr, Expr) {
    let sort = rng.below(2) as u8;
    (expr(rng, scope, sort), expr(rng, scope, sort))
}

/// Of a few names, so that some hide others.
fn variable(rng: &mut Rng) -> (String, u8) {
    let name = ["v", "w", "u"][rng.below(3) as usize].to_owned();
    (name, u8::from(rng.chance(30)))
}

fn gate_name(rng: &mut Rng) -> String {
    ["a", "g", "x"][rng.below(3) as usize].to_owned()
}

fn with(scope: &Scope, name: String, sort: u8) -> Scope {
    let mut inner = scope.clone();
    inner.variables.push((name, sort));
    inner
}

fn expr(rng: &mut Rng, scope: &Scope, sort: u8) -> Expr {
    // Only those that no inner one of another sort hides.
    let visible = |(name, own): &&(String, u8)| {
        let last = scope.variables.iter().rev().find(|(other, _)| other == name);
        *own == sort && last.is_some_and(|(_, last)| *last == sort)
    };
    let able: Vec<&String> = scope.variables.iter().filter(visible).map(|(name, _)| name).collect();
    match rng.below(8) {
        0 => Expr::Next(Box::new(expr(rng, scope, sort))),
        1 if sort == 0 => Expr::Pick(Box::new((expr(rng, scope, 0), expr(rng, scope, 0)))),
        2..=4 if !able.is_empty() => Expr::Variable(able[rng.below(able.len() as u64) as usize].clone()),
        5 if !able.is_empty() => Expr::Variable(able[able.len() - 1].clone()),
        _ => Expr::Value((sort, rng.below(u64::from(values(sort))) as u8)),
    }
}
