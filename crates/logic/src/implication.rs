//! What can be seen of formulas without building automata: which of them are pure eventualities or purely universal,
//! and which imply which.
//!
//! A formula is *eventual* if whatever precedes a word that satisfies it, the whole satisfies it (`F p`), and
//! *universal* if every suffix of a word that satisfies it does, too (`G p`): Etessami and Holzmann, CONCUR 2000. What is
//! both does not depend on any finite part of the word.
//!
//! The implication is that of Somenzi and Bloem, CAV 2000: a recursion over the two formulas that is sound and far from
//! complete, except that between Boolean formulas it is exact. All formulas here are read on infinite words and are in
//! the form that [`Formulas::infinite`] gives.

use crate::bdd::{Bdd, Bdds};
use crate::effort::{Limits, Out};
use crate::formula::{Formulas, Id, Node};
use crate::hash::Map;

/// Answers about formulas of one table, each found once.
#[derive(Default)]
pub(crate) struct Implications {
    eventual: Map<Id, bool>,
    universal: Map<Id, bool>,
    negations: Map<Id, Id>,
    implied: Map<(Id, Id), bool>,
    functions: Map<Id, Option<Bdd>>,
    bdds: Bdds,
}

impl Implications {
    /// Without any answer; where the limits are reached, nothing more is seen.
    pub(crate) fn within(limits: &Limits) -> Self {
        Self { bdds: Bdds::within(limits), ..Self::default() }
    }

    /// Whether something ran out.
    pub(crate) fn out(&mut self) -> Option<Out> {
        self.bdds.spend(0).err()
    }

    /// Whether `f` is a pure eventuality.
    pub(crate) fn eventual(&mut self, formulas: &Formulas, f: Id) -> bool {
        if let Some(&known) = self.eventual.get(&f) {
            return known;
        }
        let eventual = match formulas.node(f) {
            Node::True | Node::False | Node::Eventually(_) => true,
            Node::Proposition(_) | Node::Not(_) => false,
            Node::And(parts) | Node::Or(parts) => parts.iter().all(|&part| self.eventual(formulas, part)),
            Node::Next(g) | Node::StrongNext(g) | Node::Always(g) => self.eventual(formulas, *g),
            Node::Until(_, h) | Node::Release(_, h) | Node::StrongRelease(_, h) => {
                self.eventual(formulas, *h)
            }
            Node::WeakUntil(g, h) => self.eventual(formulas, *g) && self.eventual(formulas, *h),
        };
        self.eventual.insert(f, eventual);
        eventual
    }

    /// Whether `f` is purely universal.
    pub(crate) fn universal(&mut self, formulas: &Formulas, f: Id) -> bool {
        if let Some(&known) = self.universal.get(&f) {
            return known;
        }
        let universal = match formulas.node(f) {
            Node::True | Node::False | Node::Always(_) => true,
            Node::Proposition(_) | Node::Not(_) => false,
            Node::And(parts) | Node::Or(parts) => parts.iter().all(|&part| self.universal(formulas, part)),
            Node::Next(g) | Node::StrongNext(g) | Node::Eventually(g) => self.universal(formulas, *g),
            Node::Until(_, h) | Node::Release(_, h) | Node::WeakUntil(_, h) => self.universal(formulas, *h),
            Node::StrongRelease(g, h) => self.universal(formulas, *g) && self.universal(formulas, *h),
        };
        self.universal.insert(f, universal);
        universal
    }

    /// Whether `f` is both: it says something about the end of the word only.
    pub(crate) fn about_the_end(&mut self, formulas: &Formulas, f: Id) -> bool {
        self.eventual(formulas, f) && self.universal(formulas, f)
    }

    /// The negation of `f`.
    pub(crate) fn negation(&mut self, formulas: &mut Formulas, f: Id) -> Id {
        if let Some(&known) = self.negations.get(&f) {
            return known;
        }
        // By parts, each once: all subformulas of a large formula are negated, one after the other.
        let node = formulas.node(f).clone();
        let parts: Vec<Id> = match node {
            Node::Not(_) => Vec::new(),
            _ => formulas.children(f).into_iter().map(|part| self.negation(formulas, part)).collect(),
        };
        let negation = match node {
            Node::True | Node::False | Node::Proposition(_) | Node::Not(_) => formulas.not(f),
            Node::Next(_) | Node::StrongNext(_) if parts[0] == Id::FALSE => Id::FALSE,
            Node::Next(_) | Node::StrongNext(_) => formulas.next(parts[0]),
            _ => formulas.dual(&node, &parts),
        };
        self.negations.insert(f, negation);
        negation
    }

    /// The function of a Boolean formula.
    pub(crate) fn function(&mut self, formulas: &Formulas, f: Id) -> Option<Bdd> {
        if let Some(&known) = self.functions.get(&f) {
            return known;
        }
        let function = match formulas.node(f) {
            Node::True => Some(Bdd::TRUE),
            Node::False => Some(Bdd::FALSE),
            Node::Proposition(p) => Some(self.bdds.variable(*p)),
            Node::Not(g) => self.function(formulas, *g).map(|g| self.bdds.not(g)),
            Node::And(parts) => parts.iter().try_fold(Bdd::TRUE, |all, &part| {
                let part = self.function(formulas, part)?;
                Some(self.bdds.and(all, part))
            }),
            Node::Or(parts) => parts.iter().try_fold(Bdd::FALSE, |any, &part| {
                let part = self.function(formulas, part)?;
                Some(self.bdds.or(any, part))
            }),
            _ => None,
        };
        // A function that ran out is no function of anything.
        let function = if self.bdds.spend(0).is_ok() { function } else { None };
        self.functions.insert(f, function);
        function
    }

    /// Whether `f` is seen to imply the negation of `g`: they never hold together.
    pub(crate) fn excludes(&mut self, formulas: &mut Formulas, f: Id, g: Id) -> bool {
        let not_g = self.negation(formulas, g);
        self.implies(formulas, f, not_g)
    }

    /// Whether `f` or `g` is seen to hold always.
    pub(crate) fn covers(&mut self, formulas: &mut Formulas, f: Id, g: Id) -> bool {
        let not_f = self.negation(formulas, f);
        self.implies(formulas, not_f, g)
    }

    /// Whether `f` is seen to imply `g`.
    pub(crate) fn implies(&mut self, formulas: &Formulas, f: Id, g: Id) -> bool {
        if f == g || f == Id::FALSE || g == Id::TRUE {
            return true;
        }
        if let (Some(a), Some(b)) = (self.function(formulas, f), self.function(formulas, g)) {
            let implied = self.bdds.implies(a, b);
            return implied && self.bdds.spend(0).is_ok();
        }
        if let Some(&known) = self.implied.get(&(f, g)) {
            return known;
        }
        // Whoever ran out knows nothing more.
        let held = self.implied.capacity() * size_of::<(Id, Id, bool)>();
        if self.bdds.spend(1).is_err() || self.bdds.afford(held).is_err() {
            return false;
        }
        let implied = self.by_parts(formulas, f, g)
            || self.by_the_left(formulas, f, g)
            || self.by_the_right(formulas, f, g);
        self.implied.insert((f, g), implied);
        implied
    }

    /// Conjunctions and disjunctions.
    fn by_parts(&mut self, formulas: &Formulas, f: Id, g: Id) -> bool {
        let splits = match (formulas.node(f), formulas.node(g)) {
            (_, Node::And(parts)) => parts.iter().all(|&part| self.implies(formulas, f, part)),
            (Node::Or(parts), _) => parts.iter().all(|&part| self.implies(formulas, part, g)),
            _ => false,
        };
        splits
            || matches!(formulas.node(f), Node::And(parts) if parts.iter().any(|&part| self.implies(formulas, part, g)))
            || matches!(formulas.node(g), Node::Or(parts) if parts.iter().any(|&part| self.implies(formulas, f, part)))
    }

    /// What follows from `f` by what it says about now.
    fn by_the_left(&mut self, formulas: &Formulas, f: Id, g: Id) -> bool {
        match *formulas.node(f) {
            Node::Always(a) => self.implies(formulas, a, g),
            // Now one of the two holds.
            Node::Until(a, b) | Node::WeakUntil(a, b) => {
                self.implies(formulas, a, g) && self.implies(formulas, b, g)
                    || matches!(formulas.node(f), Node::Until(..))
                        && self.eventual(formulas, g)
                        && self.implies(formulas, b, g)
            }
            Node::Release(_, b) => self.implies(formulas, b, g),
            Node::StrongRelease(a, b) => {
                self.implies(formulas, b, g) || self.eventual(formulas, g) && self.implies(formulas, a, g)
            }
            // What is eventual now was so one step later.
            Node::Next(a) | Node::Eventually(a) => self.eventual(formulas, g) && self.implies(formulas, a, g),
            _ => false,
        }
    }

    /// What makes `g` true.
    fn by_the_right(&mut self, formulas: &Formulas, f: Id, g: Id) -> bool {
        let left = formulas.node(f).clone();
        match *formulas.node(g) {
            Node::Eventually(b) => self.implies(formulas, f, b),
            Node::Always(b) => self.universal(formulas, f) && self.implies(formulas, f, b),
            Node::Next(b) => {
                matches!(left, Node::Next(a) if self.implies(formulas, a, b))
                    || self.universal(formulas, f) && self.implies(formulas, f, b)
            }
            Node::Until(c, d) => {
                self.implies(formulas, f, d)
                    || match left {
                        Node::Until(a, b) => self.implies(formulas, a, c) && self.implies(formulas, b, d),
                        Node::StrongRelease(a, b) => {
                            self.implies(formulas, b, c)
                                && (self.implies(formulas, a, d) || self.implies(formulas, b, d))
                        }
                        _ => false,
                    }
            }
            Node::WeakUntil(c, d) => {
                self.implies(formulas, f, d)
                    || self.universal(formulas, f) && self.implies(formulas, f, c)
                    || match left {
                        Node::Until(a, b) | Node::WeakUntil(a, b) => {
                            self.implies(formulas, a, c) && self.implies(formulas, b, d)
                        }
                        Node::Release(a, b) | Node::StrongRelease(a, b) => {
                            self.implies(formulas, b, c)
                                && (self.implies(formulas, a, d) || self.implies(formulas, b, d))
                        }
                        _ => false,
                    }
            }
            Node::Release(c, d) => {
                self.implies(formulas, f, c) && self.implies(formulas, f, d)
                    || self.universal(formulas, f) && self.implies(formulas, f, d)
                    || match left {
                        Node::Release(a, b) | Node::StrongRelease(a, b) => {
                            self.implies(formulas, a, c) && self.implies(formulas, b, d)
                        }
                        Node::Until(a, b) | Node::WeakUntil(a, b) => {
                            self.implies(formulas, a, d)
                                && self.implies(formulas, b, c)
                                && self.implies(formulas, b, d)
                        }
                        _ => false,
                    }
            }
            Node::StrongRelease(c, d) => {
                self.implies(formulas, f, c) && self.implies(formulas, f, d)
                    || match left {
                        Node::StrongRelease(a, b) => {
                            self.implies(formulas, a, c) && self.implies(formulas, b, d)
                        }
                        Node::Until(a, b) => {
                            self.implies(formulas, a, d)
                                && self.implies(formulas, b, c)
                                && self.implies(formulas, b, d)
                        }
                        _ => false,
                    }
            }
            _ => false,
        }
    }
}
