//! The rules of the standard, on syntax trees, by substitution. Every `?x` is as many actions as its sort has values, so that nothing is ever
//! open; a state is the whole tree. Only a `hide` whose gates are not used any more is left out: with it, recursion through `hide`
//! would have no end.

use super::Graph;
use super::behaviour::{Behaviour as B, Expr, Offer, Specification, Sync, Value, values};
use std::collections::HashMap;

/// A gate with values; `i` and `exit` are gates here.
type Label = (String, Vec<Value>);

/// A process while it is unfolded, with its gates and value; or gates that are hidden or renamed on the way.
#[derive(PartialEq)]
enum Unfolding {
    Call(usize, Vec<Outside>, Value),
    Hide(Vec<String>),
    Relabel(Vec<(String, String)>),
}

/// What a gate is beyond all renamings, and which `hide` it belongs to.
type Outside = (String, Option<usize>);

fn outside(gate: &str, open: &[Unfolding]) -> Outside {
    let mut gate = gate.to_owned();
    for (at, one) in open.iter().enumerate().rev() {
        match one {
            Unfolding::Relabel(pairs) => gate = relabel(pairs, &gate),
            Unfolding::Hide(own) if own.contains(&gate) => return (gate, Some(at)),
            _ => {}
        }
    }
    (gate, None)
}

fn relabel(pairs: &[(String, String)], gate: &str) -> String {
    pairs.iter().find(|(own, _)| own == gate).map_or_else(|| gate.to_owned(), |(_, outside)| outside.clone())
}

/// Why there is no graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    TooLarge,
    /// A process calls itself without an action, with a gate that is hidden on the way: each unfolding is another process.
    Endless,
}

/// All states with their edges.
pub(super) fn graph(specification: &Specification, most: usize) -> Result<Graph, Unknown> {
    let mut numbers = HashMap::from([(specification.body.clone(), 0)]);
    let mut states = vec![specification.body.clone()];
    let mut graph = Graph::default();
    let mut at = 0;
    while at < states.len() {
        let moves = moves(specification, &states[at], &mut Vec::new())?;
        graph.ended.push(has_ended(&states[at]));
        let mut edges = Vec::new();
        for (label, next) in moves {
            let number = states.len();
            let to = *numbers.entry(next.clone()).or_insert_with(|| {
                states.push(next);
                number
            });
            edges.push((shown(&label), to));
        }
        graph.edges.push(edges);
        if states.len() > most {
            return Err(Unknown::TooLarge);
        }
        at += 1;
    }
    Ok(graph)
}

fn shown((gate, values): &Label) -> String {
    let gate = if gate == "i" || gate == "exit" { gate.clone() } else { gate.to_uppercase() };
    values
        .iter()
        .fold(gate, |text, (sort, number)| format!("{text} !{}{number}", ["E", "F"][usize::from(*sort)]))
}

fn has_ended(behaviour: &B) -> bool {
    match behaviour {
        B::Ended => true,
        B::Parallel(_, left, right) => has_ended(left) && has_ended(right),
        B::Hide(_, body) | B::Relabel(_, body) => has_ended(body),
        _ => false,
    }
}

type Moves = Vec<(Label, B)>;

fn moves(spec: &Specification, behaviour: &B, open: &mut Vec<Unfolding>) -> Result<Moves, Unknown> {
    let internal = || ("i".to_owned(), Vec::new());
    Ok(match behaviour {
        B::Stop | B::Ended => Vec::new(),
        B::Exit(results) => {
            let domains = results.iter().map(|result| match result {
                Ok(expr) => vec![value(expr)],
                Err(sort) => all(*sort),
            });
            combinations(domains.collect())
                .into_iter()
                .map(|values| (("exit".to_owned(), values), B::Ended))
                .collect()
        }
        B::Action(None, _, _, next) => vec![(internal(), (**next).clone())],
        B::Action(Some(gate), offers, guard, next) => {
            let domains = offers.iter().map(|offer| match offer {
                Offer::Send(expr) => vec![value(expr)],
                Offer::Receive(_, sort) => all(*sort),
            });
            let mut moves = Vec::new();
            for values in combinations(domains.collect()) {
                let bind = |expr: &Expr| {
                    offers.iter().zip(&values).fold(expr.clone(), |expr, (offer, value)| match offer {
                        Offer::Receive(name, _) => put_expr(&expr, name, *value),
                        Offer::Send(_) => expr,
                    })
                };
                if guard.as_ref().is_some_and(|(left, right)| value(&bind(left)) != value(&bind(right))) {
                    continue;
                }
                let next =
                    offers.iter().zip(&values).fold((**next).clone(), |next, (offer, value)| match offer {
                        Offer::Receive(name, _) => put(&next, name, *value),
                        Offer::Send(_) => next,
                    });
                moves.push(((gate.clone(), values), next));
            }
            moves
        }
        B::Guard(left, right, next) if value(left) == value(right) => moves(spec, next, open)?,
        B::Guard(..) => Vec::new(),
        B::Choice(left, right) => {
            let mut all = moves(spec, left, open)?;
            all.extend(moves(spec, right, open)?);
            all
        }
        B::Parallel(sync, left, right) => {
            let (lefts, rights) = (moves(spec, left, open)?, moves(spec, right, open)?);
            let together = |label: &Label| {
                label.0 == "exit"
                    || (label.0 != "i" && sync.as_ref().is_none_or(|gates| gates.contains(&label.0)))
            };
            let both = |left: B, right: B| B::Parallel(sync.clone(), Box::new(left), Box::new(right));
            let mut all = Vec::new();
            for (label, next) in &lefts {
                if together(label) {
                    let partners = rights.iter().filter(|(other, _)| other == label);
                    all.extend(partners.map(|(_, right)| (label.clone(), both(next.clone(), right.clone()))));
                } else {
                    all.push((label.clone(), both(next.clone(), (**right).clone())));
                }
            }
            for (label, next) in rights {
                if !together(&label) {
                    all.push((label, both((**left).clone(), next)));
                }
            }
            all
        }
        B::Hide(gates, body) => {
            let hidden = |(label, next): (Label, B)| {
                let label = if gates.contains(&label.0) { internal() } else { label };
                let used = gates.iter().any(|gate| uses(&next, gate));
                (label, if used { B::Hide(gates.clone(), Box::new(next)) } else { next })
            };
            open.push(Unfolding::Hide(gates.clone()));
            let found = moves(spec, body, open);
            open.pop();
            found?.into_iter().map(hidden).collect()
        }
        B::Let(name, _, expr, body) => moves(spec, &put(body, name, value(expr)), open)?,
        B::ChoiceValue(name, sort, body) => {
            let mut found = Vec::new();
            for value in all(*sort) {
                found.extend(moves(spec, &put(body, name, value), open)?);
            }
            found
        }
        B::ChoiceGate(name, gates, body) => {
            let mut found = Vec::new();
            for gate in gates {
                found.extend(moves(spec, &given(spec, body, name, gate), open)?);
            }
            found
        }
        // The definition of the standard, with nothing but names: no gate is replaced by another.
        B::Relabel(pairs, body) => {
            let renamed = |((gate, values), next): (Label, B)| {
                let used = pairs.iter().any(|(own, _)| uses(&next, own));
                let next = if used { B::Relabel(pairs.clone(), Box::new(next)) } else { next };
                ((relabel(pairs, &gate), values), next)
            };
            open.push(Unfolding::Relabel(pairs.clone()));
            let found = moves(spec, body, open);
            open.pop();
            found?.into_iter().map(renamed).collect()
        }
        B::ParGate(name, gates, sync, body) => {
            let mut copies = gates.iter().rev().map(|gate| given(spec, body, name, gate));
            let last = copies.next().expect("a list of gates is not empty");
            let all =
                copies.fold(last, |right, left| B::Parallel(sync.clone(), Box::new(left), Box::new(right)));
            moves(spec, &all, open)?
        }
        B::Call(process, gates, expr) => {
            let value = value(expr);
            let own: Vec<Outside> = gates
                .iter()
                .map(|gate| if spec.iso { outside(gate, open) } else { (gate.clone(), None) })
                .collect();
            let call = Unfolding::Call(*process, own, value);
            // What is being unfolded adds nothing to itself; but what was hidden on the way only has the same name.
            if let Some(at) = open.iter().position(|other| *other == call) {
                let is_other = |one: &Unfolding| matches!(one, Unfolding::Hide(own) if !spec.iso && own.iter().any(|gate| gates.contains(gate)));
                return if open[at..].iter().any(is_other) { Err(Unknown::Endless) } else { Ok(Vec::new()) };
            }
            if open.len() > 30 {
                return Err(Unknown::TooLarge);
            }
            let body = put(&spec.processes[*process].1, "v", value);
            let map = vec![("x".to_owned(), gates[0].clone()), ("y".to_owned(), gates[1].clone())];
            let body = if spec.iso { B::Relabel(map, Box::new(body)) } else { rename(&body, &map) };
            open.push(call);
            let found = moves(spec, &body, open);
            open.pop();
            found?
        }
        B::Enable(left, accept, right) => {
            let after = |(label, next): (Label, B)| {
                if label.0 != "exit" {
                    return (label, B::Enable(Box::new(next), accept.clone(), right.clone()));
                }
                let right = match accept {
                    Some(name) => put(right, name, label.1[0]),
                    None => (**right).clone(),
                };
                (internal(), right)
            };
            moves(spec, left, open)?.into_iter().map(after).collect()
        }
        B::Disable(left, right) => {
            let during = |(label, next): (Label, B)| match label.0.as_str() {
                "exit" => (label, next),
                _ => (label, B::Disable(Box::new(next), right.clone())),
            };
            let mut all: Vec<(Label, B)> = moves(spec, left, open)?.into_iter().map(during).collect();
            all.extend(moves(spec, right, open)?);
            all
        }
    })
}

/// The body of a choice or `par` of gates, with one of them.
fn given(spec: &Specification, body: &B, name: &str, gate: &str) -> B {
    let map = vec![(name.to_owned(), gate.to_owned())];
    if spec.iso { B::Relabel(map, Box::new(body.clone())) } else { rename(body, &map) }
}

fn value(expr: &Expr) -> Value {
    match expr {
        Expr::Value(value) => *value,
        Expr::Variable(name) => panic!("{name} has a value before it is used"),
        Expr::Next(inner) => {
            let (sort, number) = value(inner);
            (sort, (number + 1) % values(sort))
        }
        Expr::Pick(both) => {
            let (one, other) = (value(&both.0), value(&both.1));
            if one == other { value(&Expr::Next(Box::new(Expr::Value(one)))) } else { other }
        }
    }
}

fn all(sort: u8) -> Vec<Value> {
    (0..values(sort)).map(|number| (sort, number)).collect()
}

fn combinations(domains: Vec<Vec<Value>>) -> Vec<Vec<Value>> {
    domains.into_iter().fold(vec![Vec::new()], |all, domain| {
        let with = |values: &Vec<Value>| {
            let values = values.clone();
            domain.iter().map(move |value| [&values[..], &[*value]].concat()).collect::<Vec<_>>()
        };
        all.iter().flat_map(with).collect()
    })
}

fn put_expr(expr: &Expr, name: &str, value: Value) -> Expr {
    match expr {
        Expr::Variable(own) if own == name => Expr::Value(value),
        Expr::Next(inner) => Expr::Next(Box::new(put_expr(inner, name, value))),
        Expr::Pick(both) => {
            Expr::Pick(Box::new((put_expr(&both.0, name, value), put_expr(&both.1, name, value))))
        }
        _ => expr.clone(),
    }
}

/// A value for a variable, up to where another of the same name is bound.
fn put(behaviour: &B, name: &str, value: Value) -> B {
    let expr = |own: &Expr| put_expr(own, name, value);
    let inner = |inner: &B| Box::new(put(inner, name, value));
    let unless = |bound: bool, body: &B| if bound { Box::new(body.clone()) } else { inner(body) };
    match behaviour {
        B::Stop => B::Stop,
        B::Ended => B::Ended,
        B::Exit(results) => {
            B::Exit(results.iter().map(|result| result.as_ref().map(expr).map_err(|sort| *sort)).collect())
        }
        B::Action(gate, offers, guard, next) => {
            let is_bound = offers.iter().any(|offer| matches!(offer, Offer::Receive(own, _) if own == name));
            let put_offer = |offer: &Offer| match offer {
                Offer::Send(own) => Offer::Send(expr(own)),
                other @ Offer::Receive(..) => other.clone(),
            };
            let guard = guard.as_ref().map(|(left, right)| {
                if is_bound { (left.clone(), right.clone()) } else { (expr(left), expr(right)) }
            });
            B::Action(gate.clone(), offers.iter().map(put_offer).collect(), guard, unless(is_bound, next))
        }
        B::Guard(left, right, next) => B::Guard(expr(left), expr(right), inner(next)),
        B::Choice(left, right) => B::Choice(inner(left), inner(right)),
        B::Parallel(sync, left, right) => B::Parallel(sync.clone(), inner(left), inner(right)),
        B::Hide(gates, body) => B::Hide(gates.clone(), inner(body)),
        B::Relabel(pairs, body) => B::Relabel(pairs.clone(), inner(body)),
        B::Let(own, sort, value, body) => B::Let(own.clone(), *sort, expr(value), unless(own == name, body)),
        B::ChoiceValue(own, sort, body) => B::ChoiceValue(own.clone(), *sort, unless(own == name, body)),
        B::ChoiceGate(own, gates, body) => B::ChoiceGate(own.clone(), gates.clone(), inner(body)),
        B::ParGate(own, gates, sync, body) => {
            B::ParGate(own.clone(), gates.clone(), sync.clone(), inner(body))
        }
        B::Call(process, gates, value) => B::Call(*process, gates.clone(), expr(value)),
        B::Enable(left, accept, right) => {
            B::Enable(inner(left), accept.clone(), unless(accept.as_deref() == Some(name), right))
        }
        B::Disable(left, right) => B::Disable(inner(left), inner(right)),
    }
}

/// Gates for gates, all at once. Where a bound gate has the name of one that comes in, it gets another.
fn rename(behaviour: &B, map: &[(String, String)]) -> B {
    let gate = |own: &String| {
        map.iter().find(|(old, _)| old == own).map_or_else(|| own.clone(), |(_, new)| new.clone())
    };
    let gates = |all: &[String]| all.iter().map(gate).collect::<Vec<String>>();
    let sync = |sync: &Sync| sync.as_ref().map(|all| gates(all));
    let inner = |inner: &B| Box::new(rename(inner, map));
    match behaviour {
        B::Stop | B::Ended | B::Exit(_) => behaviour.clone(),
        B::Action(own, offers, guard, next) => {
            B::Action(own.as_ref().map(gate), offers.clone(), guard.clone(), inner(next))
        }
        B::Guard(left, right, next) => B::Guard(left.clone(), right.clone(), inner(next)),
        B::Choice(left, right) => B::Choice(inner(left), inner(right)),
        B::Parallel(own, left, right) => B::Parallel(sync(own), inner(left), inner(right)),
        B::Hide(own, body) => {
            let (own, body) = rename_below(own, body, map);
            B::Hide(own, Box::new(body))
        }
        B::Relabel(..) => unreachable!("nothing is replaced where gates are renamed"),
        B::Let(name, sort, value, body) => B::Let(name.clone(), *sort, value.clone(), inner(body)),
        B::ChoiceValue(name, sort, body) => B::ChoiceValue(name.clone(), *sort, inner(body)),
        B::ChoiceGate(name, among, body) => {
            let (own, body) = rename_below(std::slice::from_ref(name), body, map);
            B::ChoiceGate(own[0].clone(), gates(among), Box::new(body))
        }
        B::ParGate(name, among, own, body) => {
            let (bound, body) = rename_below(std::slice::from_ref(name), body, map);
            B::ParGate(bound[0].clone(), gates(among), sync(own), Box::new(body))
        }
        B::Call(process, own, value) => B::Call(*process, gates(own), value.clone()),
        B::Enable(left, accept, right) => B::Enable(inner(left), accept.clone(), inner(right)),
        B::Disable(left, right) => B::Disable(inner(left), inner(right)),
    }
}

fn rename_below(own: &[String], body: &B, map: &[(String, String)]) -> (Vec<String>, B) {
    let outer: Vec<(String, String)> = map.iter().filter(|(old, _)| !own.contains(old)).cloned().collect();
    let mut fresh = own.to_vec();
    for at in 0..fresh.len() {
        while outer.iter().any(|(old, new)| *new == fresh[at] && uses(body, old))
            || (fresh[at] != own[at] && uses(body, &fresh[at]))
        {
            fresh[at].push('\'');
        }
    }
    let inner: Vec<(String, String)> =
        outer.into_iter().chain(own.iter().cloned().zip(fresh.iter().cloned())).collect();
    (fresh, rename(body, &inner))
}

/// Whether a gate is used, and not bound.
fn uses(behaviour: &B, gate: &str) -> bool {
    let among = |gates: &[String]| gates.iter().any(|own| own == gate);
    match behaviour {
        B::Action(Some(own), _, _, _) if own == gate => true,
        B::Call(_, gates, _) => among(gates),
        B::Hide(own, body) => !among(own) && uses(body, gate),
        B::Relabel(pairs, body) => {
            pairs.iter().any(|(own, outside)| outside == gate && uses(body, own))
                || (pairs.iter().all(|(own, _)| own != gate) && uses(body, gate))
        }
        B::ChoiceGate(own, gates, body) => among(gates) || (own != gate && uses(body, gate)),
        B::ParGate(own, gates, sync, body) => {
            among(gates) || sync.as_ref().is_some_and(|sync| among(sync)) || (own != gate && uses(body, gate))
        }
        B::Parallel(Some(sync), ..) if among(sync) => true,
        _ => behaviour.operands().iter().any(|inner| uses(inner, gate)),
    }
}
