//! A never claim as a Büchi automaton.
//!
//! A claim moves before every step of the system, on the state it finds, and it only looks. So each of its guards is a
//! proposition, each of its locations a state, and each command an edge: `else` is taken when no guard before it holds, and
//! an escape (`unless`) before all that it interrupts. An assertion that is false is an end as good as any. A location with an acceptance label accepts; when the claim has come
//! to its end, the run is bad whatever follows, so that is a state that accepts everything. As an automaton a claim can
//! be watched with any engine and any search.

use elnath_logic::Automaton;
use elnath_logic::automaton::{Cube, Edge, Label, Letter, MOST_PROPOSITIONS, Marks, State};
use elnath_logic::stutter;
use elnath_program::analysis::{Operation, Purpose, operations};
use elnath_program::ir::{Binary, Command, Expr, Guard, Loc, ProcessType, Unary};

/// Why a claim is not an automaton.
pub(super) enum NoAutomaton {
    /// It does something.
    Acts(String),
    /// It has more different guards than there can be propositions.
    Guards,
}

/// The claim as an automaton, with the expressions that its propositions stand for.
pub(super) fn automaton(claim: &ProcessType) -> Result<(Automaton, Vec<(String, Expr)>), NoAutomaton> {
    let mut guards = Guards(Vec::new());
    let mut edges = Vec::with_capacity(claim.locations.len() + 1);
    // Whoever reaches the claim's end stays here.
    let end = State(claim.locations.len() as u32);
    let ends = |at: Loc| claim.leaving(at).any(|(_, command)| command.guard == Guard::Exit);
    for location in &claim.locations {
        let marks = Marks(u64::from(location.accept));
        let mut leaving = Vec::new();
        // What must be false for a command of this group to be looked at.
        let mut earlier_groups = Some(Cube::TRUE);
        for group in &location.groups {
            let mut before = earlier_groups;
            for &id in group {
                let command = &claim.commands[id.index()];
                only_looks(command)?;
                let literal = guards.literal(command)?;
                let asserted = guards.asserted(command)?;
                let label = match (&command.guard, literal) {
                    (Guard::Else, _) => before,
                    (_, Literal::Never) => None,
                    (_, Literal::Always) => earlier_groups,
                    (_, Literal::When(bit)) => {
                        earlier_groups.and_then(|cube| cube.and(Cube { with: bit, without: 0 }))
                    }
                };
                let to = if ends(command.target) { end } else { State(command.target.0) };
                let mut edge = |cube: Option<Cube>, to: State| {
                    leaving.extend(cube.map(|cube| Edge { label: Label(vec![cube]), marks, to }));
                };
                match asserted {
                    Literal::Always => edge(label, to),
                    Literal::Never => edge(label, end),
                    Literal::When(bit) => {
                        edge(label.and_then(|cube| cube.and(Cube { with: bit, without: 0 })), to);
                        edge(label.and_then(|cube| cube.and(Cube { with: 0, without: bit })), end);
                    }
                }
                before = match literal {
                    Literal::Never => before,
                    Literal::Always => None,
                    Literal::When(bit) => before.and_then(|cube| cube.and(Cube { with: 0, without: bit })),
                };
            }
            earlier_groups = before;
        }
        edges.push(leaving);
    }
    edges.push(vec![Edge { label: Label::always(), marks: Marks(1), to: end }]);
    let initial = if ends(claim.entry) { end } else { State(claim.entry.0) };
    let propositions = guards.0.iter().map(|(name, _)| name.clone()).collect();
    Ok((Automaton { propositions, sets: 1, initial, edges }, guards.0))
}

/// The letters that there can be: guards are made of smaller conditions, and not all of them can be true together. If there are
/// too many of these to look at, all letters; nothing if there are too many guards.
pub(super) fn letters(guards: &[(String, Expr)]) -> Option<Vec<Letter>> {
    let mut atoms = Vec::new();
    guards.iter().for_each(|(_, guard)| find_atoms(guard, &mut atoms));
    if atoms.len() > stutter::MOST_PROPOSITIONS {
        return (guards.len() <= stutter::MOST_PROPOSITIONS).then(|| (0..1 << guards.len()).collect());
    }
    let letter = |values: u32| {
        let holds = |(bit, (_, guard)): (usize, &(String, Expr))| {
            Letter::from(evaluate(guard, &atoms, values)) << bit
        };
        guards.iter().enumerate().map(holds).fold(0, |letter, bit| letter | bit)
    };
    let mut letters: Vec<Letter> = (0..1 << atoms.len()).map(letter).collect();
    letters.sort_unstable();
    letters.dedup();
    Some(letters)
}

/// A condition taken apart.
enum Parts<'a> {
    Not(&'a Expr),
    And(&'a [Expr; 2]),
    Or(&'a [Expr; 2]),
    Const(bool),
    Atom(&'a Expr),
}

impl<'a> Parts<'a> {
    fn of(expr: &'a Expr) -> Self {
        match expr {
            Expr::Unary(Unary::Not, inner) => Self::Not(inner),
            Expr::Binary(Binary::And, parts) => Self::And(parts),
            Expr::Binary(Binary::Or, parts) => Self::Or(parts),
            Expr::Const(value) => Self::Const(*value != 0),
            _ => Self::Atom(expr),
        }
    }
}

fn find_atoms<'a>(expr: &'a Expr, atoms: &mut Vec<&'a Expr>) {
    match Parts::of(expr) {
        Parts::Not(inner) => find_atoms(inner, atoms),
        Parts::And(parts) | Parts::Or(parts) => parts.iter().for_each(|part| find_atoms(part, atoms)),
        Parts::Const(_) => {}
        Parts::Atom(atom) if atoms.contains(&atom) => {}
        Parts::Atom(atom) => atoms.push(atom),
    }
}

fn evaluate(expr: &Expr, atoms: &[&Expr], values: u32) -> bool {
    match Parts::of(expr) {
        Parts::Not(inner) => !evaluate(inner, atoms, values),
        Parts::And(parts) => parts.iter().all(|part| evaluate(part, atoms, values)),
        Parts::Or(parts) => parts.iter().any(|part| evaluate(part, atoms, values)),
        Parts::Const(value) => value,
        Parts::Atom(atom) => {
            atoms.iter().position(|other| *other == atom).is_some_and(|bit| values >> bit & 1 == 1)
        }
    }
}

fn only_looks(command: &Command) -> Result<(), NoAutomaton> {
    let looks = |operation: &Operation<'_>| match operation {
        Operation::Evaluate(_, purpose) => {
            matches!(purpose, Purpose::Guard | Purpose::Asserted | Purpose::Printed)
        }
        Operation::Print | Operation::End => true,
        _ => false,
    };
    if operations(command).iter().all(looks) { Ok(()) } else { Err(NoAutomaton::Acts(command.text.clone())) }
}

/// The guards so far: the text and the expression of each.
struct Guards(Vec<(String, Expr)>);

/// When a guard holds.
#[derive(Clone, Copy)]
enum Literal {
    Never,
    Always,
    When(u64),
}

impl Guards {
    fn literal(&mut self, command: &Command) -> Result<Literal, NoAutomaton> {
        let expr = match &command.guard {
            Guard::Always => return Ok(Literal::Always),
            Guard::Exit | Guard::Else | Guard::Body { .. } => return Ok(Literal::Never),
            Guard::When(expr) => expr,
        };
        self.of_expr(expr, &command.text)
    }

    /// Whether what a command asserts is true; a command asserts one thing at most.
    fn asserted(&mut self, command: &Command) -> Result<Literal, NoAutomaton> {
        let asserted = operations(command).into_iter().find_map(|operation| match operation {
            Operation::Evaluate(expr, Purpose::Asserted) => Some(expr),
            _ => None,
        });
        asserted.map_or(Ok(Literal::Always), |expr| self.of_expr(expr, &command.text))
    }

    fn of_expr(&mut self, expr: &Expr, text: &str) -> Result<Literal, NoAutomaton> {
        match expr {
            Expr::Const(0) => return Ok(Literal::Never),
            Expr::Const(_) => return Ok(Literal::Always),
            _ => {}
        }
        let known = self.0.iter().position(|(_, other)| other == expr);
        let number = known.unwrap_or_else(|| {
            let mut name = text.to_owned();
            while self.0.iter().any(|(other, _)| *other == name) {
                name.push('\'');
            }
            self.0.push((name, expr.clone()));
            self.0.len() - 1
        });
        if number >= MOST_PROPOSITIONS { Err(NoAutomaton::Guards) } else { Ok(Literal::When(1 << number)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elnath_logic::lasso::accepts;
    use elnath_promela::{Options, lower, parse};
    use std::collections::HashMap;

    fn claim(body: &str) -> (Automaton, Vec<String>) {
        let (automaton, guards) = claim_with_guards(body);
        (automaton, guards.into_iter().map(|(name, _)| name).collect())
    }

    fn claim_with_guards(body: &str) -> (Automaton, Vec<(String, Expr)>) {
        let text = format!("bool p, q, r; active proctype P() {{ p = q; q = r; r = p }} never {{ {body} }}");
        let mut files = HashMap::from([("m".to_owned(), text)]);
        let (model, _) = parse(&mut files, "m", &Options::default()).expect("a good model");
        let lowered = lower(&model, "m").expect("it can be lowered");
        let Ok(found) = automaton(&lowered.claims[0]) else { panic!("it only looks") };
        found
    }

    #[test]
    fn response_is_the_automaton_we_know() {
        let (automaton, guards) = claim("do :: p && !q -> goto accept :: true od; accept: do :: !q od");
        assert_eq!(guards.len(), 2);
        let pending = 0b11;
        assert!(accepts(&automaton, &[0], &[pending]));
        assert!(!accepts(&automaton, &[pending], &[0]), "q comes in the end");
    }

    #[test]
    fn conditions_of_guards_are_known() {
        let (automaton, guards) =
            claim_with_guards("do :: p && !q -> goto accept :: true od; accept: do :: !q od");
        let letters = letters(&guards).expect("two conditions");
        assert_eq!(letters, [0b00, 0b10, 0b11], "p && !q implies !q");
        assert!(stutter::is_invariant_on(&automaton, &letters));
        let (automaton, guards) = claim_with_guards("p; p; accept: do :: !p od");
        let letters = super::letters(&guards).expect("one condition");
        assert!(!stutter::is_invariant_on(&automaton, &letters), "p twice is not p once");
    }

    #[test]
    fn a_false_assertion_is_an_end() {
        let (automaton, guards) = claim("do :: assert(p || q) od");
        assert_eq!(guards.len(), 1);
        assert!(accepts(&automaton, &[1, 0], &[1]));
        assert!(!accepts(&automaton, &[], &[1]));
    }

    #[test]
    fn else_is_none_of_the_others_and_the_end_accepts_everything() {
        let (automaton, guards) = claim("do :: p -> skip :: q -> skip :: else -> break od");
        assert_eq!(guards.len(), 2);
        assert!(accepts(&automaton, &[0b01, 0b10, 0b00], &[0b11]));
        assert!(!accepts(&automaton, &[], &[0b10, 0b01]));
    }
}
