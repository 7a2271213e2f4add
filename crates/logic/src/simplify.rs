//! Smaller formulas with the same infinite words.
//!
//! The size of an automaton depends on how its formula is written. The rules here are those of Etessami and Holzmann
//! (eventual and universal formulas), Somenzi and Bloem (implication between subformulas), and the usual ones that join
//! two temporal operators into one. They are written once for disjunction, `F`, `U`, `M` and `X`; conjunction, `G`, `R`
//! and `W` are done by negating, applying the rule of the dual operator, and negating back.
//!
//! A formula is rewritten from the inside out until nothing changes. The rules do not all make a formula shorter, but
//! none of them undoes another; a bound on the number of rounds is kept all the same.

use std::collections::HashMap;

use crate::effort::Limits;
use crate::formula::{Formulas, Id, Node};
use crate::implication::Implications;

const ROUNDS: usize = 20;

/// A formula with the same infinite words, usually smaller, in the form of [`Formulas::infinite`].
pub fn simplify(formulas: &mut Formulas, f: Id) -> Id {
    Simplifier::default().simplify(formulas, f)
}

/// Where a part goes that is about the end of the word only, such as `G F p`: nothing that happens before matters to
/// it, so that it may stand inside or outside of another eventuality. Which is better depends on the formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ends {
    /// `F f | e` becomes `F(f | e)`: the choice between the two is put off.
    #[default]
    Inside,
    /// `F(f | e)` becomes `F f | e`: the choice comes first, and each side is simple.
    Outside,
}

/// Rewrites formulas of one table, each once.
#[derive(Default)]
pub(crate) struct Simplifier {
    seen: Implications,
    done: HashMap<Id, Id>,
    ends: Ends,
}

impl Simplifier {
    pub(crate) fn new(ends: Ends, limits: &Limits) -> Self {
        Self { ends, seen: Implications::within(limits), ..Self::default() }
    }

    /// What is seen of formulas.
    pub(crate) fn seen(&mut self) -> &mut Implications {
        &mut self.seen
    }

    pub(crate) fn simplify(&mut self, formulas: &mut Formulas, f: Id) -> Id {
        let mut f = formulas.infinite(f);
        for _ in 0..ROUNDS {
            let g = self.pass(formulas, f);
            if g == f || self.seen.out().is_some() {
                break;
            }
            f = g;
        }
        f
    }

    fn pass(&mut self, formulas: &mut Formulas, f: Id) -> Id {
        if let Some(&known) = self.done.get(&f) {
            return known;
        }
        let children: Vec<Id> =
            formulas.children(f).into_iter().map(|child| self.pass(formulas, child)).collect();
        let rebuilt = formulas.rebuild(f, &children);
        let result = self.step(formulas, rebuilt);
        self.done.insert(f, result);
        result
    }

    /// One rule, if one applies.
    fn step(&mut self, formulas: &mut Formulas, f: Id) -> Id {
        if let Some(function) = self.seen.function(formulas, f) {
            return match function {
                crate::bdd::Bdd::TRUE => Id::TRUE,
                crate::bdd::Bdd::FALSE => Id::FALSE,
                _ => self.dual_or_not(formulas, f),
            };
        }
        self.dual_or_not(formulas, f)
    }

    fn dual_or_not(&mut self, formulas: &mut Formulas, f: Id) -> Id {
        match formulas.node(f) {
            Node::And(_) | Node::Always(_) | Node::Release(..) | Node::WeakUntil(..) => {
                let negated = self.seen.negation(formulas, f);
                match self.rule(formulas, negated) {
                    Some(g) if g != negated => self.seen.negation(formulas, g),
                    _ => f,
                }
            }
            _ => self.rule(formulas, f).unwrap_or(f),
        }
    }

    fn rule(&mut self, formulas: &mut Formulas, f: Id) -> Option<Id> {
        match formulas.node(f).clone() {
            Node::Or(parts) => self.or(formulas, &parts),
            Node::Next(g) => self.next(formulas, g),
            Node::Eventually(g) => self.eventually(formulas, g),
            Node::Until(g, h) => self.until(formulas, g, h),
            Node::StrongRelease(g, h) => self.strong_release(formulas, g, h),
            _ => None,
        }
    }

    fn next(&mut self, formulas: &mut Formulas, g: Id) -> Option<Id> {
        if self.seen.about_the_end(formulas, g) {
            return Some(g);
        }
        // What is about the end of the word comes out: X(f & e) is X f & e, and the same with a disjunction.
        let (parts, and) = match formulas.node(g).clone() {
            Node::And(parts) => (parts, true),
            Node::Or(parts) => (parts, false),
            _ => return None,
        };
        let (out, inside): (Vec<Id>, Vec<Id>) =
            parts.iter().partition(|&&part| self.seen.about_the_end(formulas, part));
        if out.is_empty() {
            return None;
        }
        let rest = if and { formulas.conjunction(inside) } else { formulas.disjunction(inside) };
        let rest = formulas.next(rest);
        let all = out.into_iter().chain([rest]);
        Some(if and { formulas.conjunction(all) } else { formulas.disjunction(all) })
    }

    fn eventually(&mut self, formulas: &mut Formulas, g: Id) -> Option<Id> {
        if self.seen.eventual(formulas, g) {
            return Some(g);
        }
        match formulas.node(g).clone() {
            Node::Next(h) => {
                let h = formulas.eventually(h);
                Some(formulas.next(h))
            }
            Node::Or(parts) => {
                let ready: Vec<Id> = parts.iter().map(|&part| self.one_day(formulas, part)).collect();
                if ready[..] != parts[..] {
                    let ready = formulas.disjunction(ready);
                    return Some(formulas.eventually(ready));
                }
                let stays = |seen: &mut Implications, formulas: &Formulas, part: Id| {
                    !seen.eventual(formulas, part)
                        || self.ends == Ends::Inside && seen.universal(formulas, part)
                };
                let (inside, out): (Vec<Id>, Vec<Id>) =
                    parts.iter().partition(|&&part| stays(&mut self.seen, formulas, part));
                if out.is_empty() {
                    return None;
                }
                let rest = formulas.disjunction(inside);
                let rest = formulas.eventually(rest);
                Some(formulas.disjunction(out.into_iter().chain([rest])))
            }
            Node::And(parts) => {
                let (out, inside): (Vec<Id>, Vec<Id>) =
                    parts.iter().partition(|&&part| self.seen.about_the_end(formulas, part));
                if out.is_empty() {
                    return None;
                }
                let rest = formulas.conjunction(inside);
                let rest = formulas.eventually(rest);
                Some(formulas.conjunction(out.into_iter().chain([rest])))
            }
            Node::Always(_) => {
                let ready = self.one_day(formulas, g);
                (ready != g).then(|| formulas.eventually(ready))
            }
            _ => None,
        }
    }

    /// A part of a disjunction under `F`, by what `F` of it says: `F X u` is `F u` for a universal u, and `F G(f | u)`
    /// is `F(G f | u)`.
    fn one_day(&mut self, formulas: &mut Formulas, part: Id) -> Id {
        match formulas.node(part).clone() {
            Node::Next(u) if self.seen.universal(formulas, u) => u,
            Node::Always(h) => {
                let Node::Or(parts) = formulas.node(h).clone() else { return part };
                let (out, inside): (Vec<Id>, Vec<Id>) =
                    parts.iter().partition(|&&part| self.seen.universal(formulas, part));
                if out.is_empty() {
                    return part;
                }
                let rest = formulas.disjunction(inside);
                let rest = formulas.always(rest);
                formulas.disjunction(out.into_iter().chain([rest]))
            }
            _ => part,
        }
    }

    fn until(&mut self, formulas: &mut Formulas, f: Id, g: Id) -> Option<Id> {
        if self.seen.eventual(formulas, g) || self.seen.implies(formulas, f, g) {
            return Some(g);
        }
        if self.seen.covers(formulas, f, g) {
            return Some(formulas.eventually(g));
        }
        if let (Node::Next(a), Node::Next(b)) = (formulas.node(f).clone(), formulas.node(g).clone()) {
            let inside = formulas.until(a, b);
            return Some(formulas.next(inside));
        }
        match formulas.node(f).clone() {
            // Before g holds, what implies g does not hold and what !g implies does.
            Node::Or(parts) => {
                let kept: Vec<Id> =
                    parts.iter().copied().filter(|&part| !self.seen.implies(formulas, part, g)).collect();
                if kept.len() < parts.len() {
                    let left = formulas.disjunction(kept);
                    return Some(formulas.until(left, g));
                }
            }
            Node::And(parts) => {
                let kept: Vec<Id> =
                    parts.iter().copied().filter(|&part| !self.seen.covers(formulas, g, part)).collect();
                if kept.len() < parts.len() {
                    let left = formulas.conjunction(kept);
                    return Some(formulas.until(left, g));
                }
            }
            Node::Until(_, b) if b == g => return Some(f),
            _ => {}
        }
        match formulas.node(g).clone() {
            Node::Until(a, _) if self.seen.implies(formulas, f, a) => Some(g),
            Node::Or(parts) => {
                let (out, inside): (Vec<Id>, Vec<Id>) =
                    parts.iter().partition(|&&part| self.seen.eventual(formulas, part));
                if !out.is_empty() {
                    let rest = formulas.disjunction(inside);
                    let rest = formulas.until(f, rest);
                    return Some(formulas.disjunction(out.into_iter().chain([rest])));
                }
                // f U (g | (f U h)) is f U (g | h).
                let flat: Vec<Id> = (parts.iter())
                    .map(|&part| match *formulas.node(part) {
                        Node::Until(a, b) if a == f => b,
                        _ => part,
                    })
                    .collect();
                if flat[..] == parts[..] {
                    return None;
                }
                let right = formulas.disjunction(flat);
                Some(formulas.until(f, right))
            }
            Node::And(parts) => {
                let (out, inside): (Vec<Id>, Vec<Id>) =
                    parts.iter().partition(|&&part| self.seen.about_the_end(formulas, part));
                if out.is_empty() {
                    return None;
                }
                let rest = formulas.conjunction(inside);
                let rest = formulas.until(f, rest);
                Some(formulas.conjunction(out.into_iter().chain([rest])))
            }
            _ => None,
        }
    }

    fn strong_release(&mut self, formulas: &mut Formulas, f: Id, g: Id) -> Option<Id> {
        if self.seen.implies(formulas, g, f) {
            return Some(g);
        }
        if self.seen.excludes(formulas, f, g) {
            return Some(Id::FALSE);
        }
        if self.seen.eventual(formulas, f) {
            return Some(formulas.and(f, g));
        }
        if self.seen.universal(formulas, g) {
            let one_day = formulas.eventually(f);
            return Some(formulas.and(one_day, g));
        }
        if self.seen.implies(formulas, f, g) {
            return Some(formulas.until(g, f));
        }
        if let (Node::Next(a), Node::Next(b)) = (formulas.node(f).clone(), formulas.node(g).clone()) {
            let inside = formulas.strong_release(a, b);
            return Some(formulas.next(inside));
        }
        let Node::And(parts) = formulas.node(f).clone() else { return None };
        let kept: Vec<Id> =
            parts.iter().copied().filter(|&part| !self.seen.implies(formulas, g, part)).collect();
        if kept.len() < parts.len() {
            let left = formulas.conjunction(kept);
            return Some(formulas.strong_release(left, g));
        }
        let (out, inside): (Vec<Id>, Vec<Id>) =
            parts.iter().partition(|&&part| self.seen.about_the_end(formulas, part));
        if out.is_empty() {
            return None;
        }
        let rest = formulas.conjunction(inside);
        let rest = formulas.strong_release(rest, g);
        Some(formulas.conjunction(out.into_iter().chain([rest])))
    }

    fn or(&mut self, formulas: &mut Formulas, parts: &[Id]) -> Option<Id> {
        let mut kept = parts.to_vec();
        for &part in parts {
            if kept.iter().any(|&other| other != part && self.seen.implies(formulas, part, other)) {
                kept.retain(|&k| k != part);
            }
        }
        for (i, &one) in kept.iter().enumerate() {
            for &other in &kept[i + 1..] {
                if self.seen.covers(formulas, one, other) {
                    return Some(Id::TRUE);
                }
            }
        }
        if kept.len() < parts.len() {
            return Some(formulas.disjunction(kept));
        }
        for (i, &one) in parts.iter().enumerate() {
            for (j, &other) in parts.iter().enumerate() {
                if i == j {
                    continue;
                }
                if let Some(joined) = self.joined(formulas, one, other) {
                    let rest: Vec<Id> = (parts.iter().enumerate())
                        .filter(|&(k, _)| k != i && k != j)
                        .map(|(_, &part)| part)
                        .chain([joined])
                        .collect();
                    return Some(formulas.disjunction(rest));
                }
            }
        }
        None
    }

    /// Two formulas of a disjunction as one.
    fn joined(&mut self, formulas: &mut Formulas, one: Id, other: Id) -> Option<Id> {
        let (left, right) = (formulas.node(one).clone(), formulas.node(other).clone());
        match (left, right) {
            (Node::Eventually(a), Node::Eventually(b)) => {
                let either = formulas.or(a, b);
                Some(formulas.eventually(either))
            }
            (Node::Eventually(a), _)
                if self.ends == Ends::Inside && self.seen.about_the_end(formulas, other) =>
            {
                let either = formulas.or(a, other);
                Some(formulas.eventually(either))
            }
            (Node::Next(a), Node::Next(b)) => {
                let either = formulas.or(a, b);
                Some(formulas.next(either))
            }
            (Node::Until(a, b), Node::Until(c, d)) if a == c => {
                let either = formulas.or(b, d);
                Some(formulas.until(a, either))
            }
            (Node::WeakUntil(a, b), Node::WeakUntil(c, d)) if a == c => {
                let either = formulas.or(b, d);
                Some(formulas.weak_until(a, either))
            }
            (Node::WeakUntil(a, b), Node::Until(c, d)) if a == c => {
                let either = formulas.or(b, d);
                Some(formulas.weak_until(a, either))
            }
            (Node::Release(a, b), Node::Release(c, d)) if b == d => {
                let either = formulas.or(a, c);
                Some(formulas.release(either, b))
            }
            (Node::Release(a, b), Node::StrongRelease(c, d)) if b == d => {
                let either = formulas.or(a, c);
                Some(formulas.release(either, b))
            }
            (Node::StrongRelease(a, b), Node::StrongRelease(c, d)) if b == d => {
                let either = formulas.or(a, c);
                Some(formulas.strong_release(either, b))
            }
            (Node::Until(a, b), Node::Always(c)) if a == c => Some(formulas.weak_until(a, b)),
            (Node::Release(a, b), Node::Until(c, d)) => self.first_chance(formulas, (a, b), (c, d)),
            (Node::Always(b), Node::Until(c, d)) => self.first_chance(formulas, (Id::FALSE, b), (c, d)),
            (Node::Release(a, b), Node::Eventually(d)) => self.first_chance(formulas, (a, b), (Id::TRUE, d)),
            (Node::Always(b), Node::Eventually(d)) => {
                self.first_chance(formulas, (Id::FALSE, b), (Id::TRUE, d))
            }
            (Node::StrongRelease(a, b), Node::Always(c)) if b == c => Some(formulas.release(a, b)),
            // G F a | G F b: one of the two infinitely often.
            (Node::Always(a), Node::Always(b))
                if self.seen.eventual(formulas, a) && self.seen.eventual(formulas, b) =>
            {
                let either = formulas.or(a, b);
                Some(formulas.always(either))
            }
            (_, Node::Next(next)) => match *formulas.node(next) {
                // b | X F b
                Node::Eventually(b) if b == one => Some(next),
                _ => None,
            },
            (_, Node::And(parts)) => self.unfolded(formulas, one, &parts),
            _ => None,
        }
    }

    /// `(a R b) | (!a U (!b & e))` for an eventual e: the first position without b decides, since e holds there if it
    /// holds at a later one; so this is `b W ((a & b) | (!b & e))`. Nothing is left to guess.
    fn first_chance(&mut self, formulas: &mut Formulas, (a, b): (Id, Id), (c, d): (Id, Id)) -> Option<Id> {
        let Node::And(parts) = formulas.node(d).clone() else { return None };
        let (eventual, rest): (Vec<Id>, Vec<Id>) =
            parts.iter().partition(|&&part| self.seen.eventual(formulas, part));
        let rest = formulas.conjunction(rest);
        if eventual.is_empty()
            || self.seen.negation(formulas, a) != c
            || self.seen.negation(formulas, b) != rest
        {
            return None;
        }
        let safe = formulas.and(a, b);
        let end = formulas.or(safe, d);
        Some(formulas.weak_until(b, end))
    }

    /// `b | (a & X(a U b))` is `a U b`, also for the weak until; and of `b | (c & d)` a part that `!b` implies can go.
    fn unfolded(&mut self, formulas: &mut Formulas, b: Id, parts: &[Id]) -> Option<Id> {
        for &part in parts {
            let Node::Next(next) = *formulas.node(part) else { continue };
            let (Node::Until(a, c) | Node::WeakUntil(a, c)) = *formulas.node(next) else { continue };
            let others = formulas.conjunction(parts.iter().copied().filter(|&p| p != part));
            if c == b && others == a {
                return Some(next);
            }
        }
        let kept: Vec<Id> =
            parts.iter().copied().filter(|&part| !self.seen.covers(formulas, b, part)).collect();
        if kept.len() == parts.len() {
            return None;
        }
        let rest = formulas.conjunction(kept);
        Some(formulas.or(b, rest))
    }
}
