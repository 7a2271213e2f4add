//! Formulas of linear temporal logic, hash-consed.
//!
//! A formula is an [`Id`] into a table, [`Formulas`]: equal formulas have equal identifiers, so that comparing and
//! memoising cost nothing, which is what the tableau and the derivatives need most. The table only grows; formulas are
//! tiny against state spaces.
//!
//! The same table serves infinite and finite words. The only operator on which the two readings differ in kind is the
//! next: [`Node::Next`] is *weak*, true at the last position of a finite word, and [`Node::StrongNext`] is false there.
//! Every rewriting done while a formula is built is an equivalence under both readings, and also on the empty word as
//! the 1989 paper reads it (atoms false, weak next true, strong next false, `f U g` as `g`); rewriting that holds on
//! infinite words only lives in [`crate::simplify`], and [`Formulas::infinite`] is the door to it.
//!
//! `W` (weak until) and `M` (strong release) are kept as nodes, never expanded: writing `f W g` as `(f U g) | G f`
//! doubles `f` and the automaton with it. Implication, equivalence and exclusive or are gone once a formula is built.

use std::collections::HashMap;
use std::sync::Arc;

pub use crate::show::Spelling;
use crate::show::action_text;

/// A formula: an index into its [`Formulas`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(u32);

impl Id {
    /// True.
    pub const TRUE: Id = Id(0);
    /// False.
    pub const FALSE: Id = Id(1);

    /// As an index, for tables with one entry for each formula.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether it is one of the two constants.
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }
}

/// What a formula is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// Holds always.
    True,
    /// Holds never.
    False,
    /// A proposition, by its number.
    Proposition(u32),
    /// A negation.
    Not(Id),
    /// A conjunction of at least two different formulas, sorted, none of which is a conjunction.
    And(Arc<[Id]>),
    /// A disjunction of at least two different formulas, sorted, none of which is a disjunction.
    Or(Arc<[Id]>),
    /// `X f`: if there is a next position, `f` holds there.
    Next(Id),
    /// `X[!] f`: there is a next position, and `f` holds there.
    StrongNext(Id),
    /// `F f`: `f` holds now or later.
    #[doc(alias = "finally")]
    Eventually(Id),
    /// `G f`: `f` holds now and for ever.
    #[doc(alias = "globally")]
    Always(Id),
    /// `f U g`: `g` holds now or later, and `f` at every position before.
    Until(Id, Id),
    /// `f R g`: `g` holds up to and including the first position where `f` does; for ever, if there is none.
    Release(Id, Id),
    /// `f W g`: as until, or `f` for ever.
    WeakUntil(Id, Id),
    /// `f M g`: as release, and `f` does hold one day.
    StrongRelease(Id, Id),
}

/// What a proposition is about. The text is that of the formula; the language of the model parses it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// An expression over the state, in the language of the model.
    State(String),
    /// A pattern over the label of the step that is taken.
    Action(String),
}

impl Atom {
    /// The name that automata carry: the text, or `action(PATTERN)`.
    pub fn name(&self) -> String {
        match self {
            Atom::State(text) => text.clone(),
            Atom::Action(pattern) => action_text(pattern),
        }
    }
}

/// The table of formulas and of their propositions.
#[derive(Clone, Debug)]
pub struct Formulas {
    nodes: Vec<Node>,
    ids: HashMap<Node, Id>,
    atoms: Vec<Atom>,
    numbers: HashMap<Atom, u32>,
    /// The left sides of the implications that were made.
    antecedents: Vec<Id>,
}

impl Default for Formulas {
    fn default() -> Self {
        Self::new()
    }
}

impl Formulas {
    /// An empty table.
    pub fn new() -> Self {
        let mut formulas = Self {
            nodes: Vec::new(),
            ids: HashMap::new(),
            atoms: Vec::new(),
            numbers: HashMap::new(),
            antecedents: Vec::new(),
        };
        formulas.intern(Node::True);
        formulas.intern(Node::False);
        formulas
    }

    /// What `f` is made of.
    pub fn node(&self, f: Id) -> &Node {
        &self.nodes[f.index()]
    }

    /// How many different formulas there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: the constants are always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The propositions, by number.
    pub fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    fn intern(&mut self, node: Node) -> Id {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = Id(u32::try_from(self.nodes.len()).expect("fewer than 2^32 formulas"));
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }

    /// The number of an atom, a new one if need be.
    pub fn number(&mut self, atom: Atom) -> u32 {
        if let Some(&number) = self.numbers.get(&atom) {
            return number;
        }
        let number = u32::try_from(self.atoms.len()).expect("fewer than 2^32 propositions");
        self.atoms.push(atom.clone());
        self.numbers.insert(atom, number);
        number
    }

    /// The proposition of an atom.
    pub fn atom(&mut self, atom: Atom) -> Id {
        let number = self.number(atom);
        self.intern(Node::Proposition(number))
    }

    /// The proposition called `name`, about the state.
    pub fn proposition(&mut self, name: &str) -> Id {
        self.atom(Atom::State(name.to_owned()))
    }

    /// True or false.
    pub fn constant(&self, value: bool) -> Id {
        if value { Id::TRUE } else { Id::FALSE }
    }

    /// `!f`. The negation stays where it is; see [`Formulas::negative`].
    pub fn not(&mut self, f: Id) -> Id {
        match *self.node(f) {
            Node::True => Id::FALSE,
            Node::False => Id::TRUE,
            Node::Not(g) => g,
            _ => self.intern(Node::Not(f)),
        }
    }

    /// The conjunction of two formulas.
    pub fn and(&mut self, f: Id, g: Id) -> Id {
        self.conjunction([f, g])
    }

    /// The disjunction of two formulas.
    pub fn or(&mut self, f: Id, g: Id) -> Id {
        self.disjunction([f, g])
    }

    /// The conjunction of any number of formulas; true of none.
    pub fn conjunction(&mut self, parts: impl IntoIterator<Item = Id>) -> Id {
        self.junction(parts.into_iter().collect(), true)
    }

    /// The disjunction of any number of formulas; false of none.
    pub fn disjunction(&mut self, parts: impl IntoIterator<Item = Id>) -> Id {
        self.junction(parts.into_iter().collect(), false)
    }

    /// Conjunction and disjunction are written once: `unit` is the constant that changes nothing.
    fn junction(&mut self, parts: Vec<Id>, conjunction: bool) -> Id {
        let unit = self.constant(conjunction);
        let zero = self.constant(!conjunction);
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match self.node(part) {
                Node::And(inner) if conjunction => flat.extend_from_slice(inner),
                Node::Or(inner) if !conjunction => flat.extend_from_slice(inner),
                _ if part == unit => {}
                _ if part == zero => return zero,
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        if flat.iter().any(|&f| self.negation_is_among(f, &flat)) {
            return zero;
        }
        // Absorption: f & (f | g) is f. A part that is the dual junction goes if one of its own parts stands beside it.
        let kept: Vec<Id> = flat.iter().copied().filter(|&f| !self.absorbed(f, &flat, conjunction)).collect();
        match kept[..] {
            [] => unit,
            [only] => only,
            _ if conjunction => self.intern(Node::And(kept.into())),
            _ => self.intern(Node::Or(kept.into())),
        }
    }

    fn negation_is_among(&self, f: Id, sorted: &[Id]) -> bool {
        matches!(*self.node(f), Node::Not(g) if sorted.binary_search(&g).is_ok())
    }

    fn absorbed(&self, f: Id, sorted: &[Id], conjunction: bool) -> bool {
        match self.node(f) {
            Node::Or(inner) if conjunction => inner.iter().any(|g| sorted.binary_search(g).is_ok()),
            Node::And(inner) if !conjunction => inner.iter().any(|g| sorted.binary_search(g).is_ok()),
            _ => false,
        }
    }

    /// `f -> g`.
    pub fn implies(&mut self, f: Id, g: Id) -> Id {
        if !f.is_constant() && !self.antecedents.contains(&f) {
            self.antecedents.push(f);
        }
        let not_f = self.not(f);
        self.or(not_f, g)
    }

    /// The left sides of the implications that were made so far: an implication is a disjunction, and does not show which of its
    /// parts somebody has written as its condition.
    pub fn antecedents(&self) -> &[Id] {
        &self.antecedents
    }

    /// Whether a formula without temporal operators holds of a letter, in which `holds` tells the propositions by their numbers.
    pub fn evaluate(&self, f: Id, holds: &dyn Fn(u32) -> bool) -> bool {
        match self.node(f) {
            Node::True => true,
            Node::Proposition(number) => holds(*number),
            Node::Not(g) => !self.evaluate(*g, holds),
            Node::And(parts) => parts.iter().all(|&part| self.evaluate(part, holds)),
            Node::Or(parts) => parts.iter().any(|&part| self.evaluate(part, holds)),
            _ => false,
        }
    }

    /// `f <-> g`, as `(f & g) | (!f & !g)`.
    pub fn iff(&mut self, f: Id, g: Id) -> Id {
        let (not_f, not_g) = (self.not(f), self.not(g));
        let both = self.and(f, g);
        let neither = self.and(not_f, not_g);
        self.or(both, neither)
    }

    /// `f xor g`.
    pub fn xor(&mut self, f: Id, g: Id) -> Id {
        let not_g = self.not(g);
        self.iff(f, not_g)
    }

    /// `X f`, weak.
    pub fn next(&mut self, f: Id) -> Id {
        // X false is not false: it says that this position is the last.
        if f == Id::TRUE { f } else { self.intern(Node::Next(f)) }
    }

    /// `X[!] f`, strong.
    pub fn strong_next(&mut self, f: Id) -> Id {
        if f == Id::FALSE { f } else { self.intern(Node::StrongNext(f)) }
    }

    /// `F f`.
    pub fn eventually(&mut self, f: Id) -> Id {
        match *self.node(f) {
            Node::True | Node::False | Node::Eventually(_) => f,
            Node::Until(_, g) => self.eventually(g),
            Node::StrongRelease(g, h) => {
                let both = self.and(g, h);
                self.eventually(both)
            }
            // F G F f: on finite words, too, it says what G F f says, that f holds at the last position.
            Node::Always(g) if matches!(*self.node(g), Node::Eventually(_)) => f,
            _ => self.intern(Node::Eventually(f)),
        }
    }

    /// `G f`.
    pub fn always(&mut self, f: Id) -> Id {
        match *self.node(f) {
            Node::True | Node::False | Node::Always(_) => f,
            Node::Release(_, g) => self.always(g),
            Node::WeakUntil(g, h) => {
                let either = self.or(g, h);
                self.always(either)
            }
            Node::Eventually(g) if matches!(*self.node(g), Node::Always(_)) => f,
            _ => self.intern(Node::Always(f)),
        }
    }

    /// `f U g`.
    pub fn until(&mut self, f: Id, g: Id) -> Id {
        match (f, g) {
            _ if g.is_constant() || f == g || f == Id::FALSE => g,
            (Id::TRUE, _) => self.eventually(g),
            _ => match *self.node(g) {
                Node::Until(h, _) if h == f => g,
                Node::Eventually(_) => g,
                _ => self.intern(Node::Until(f, g)),
            },
        }
    }

    /// `f R g`.
    pub fn release(&mut self, f: Id, g: Id) -> Id {
        match (f, g) {
            _ if g.is_constant() || f == g || f == Id::TRUE => g,
            (Id::FALSE, _) => self.always(g),
            _ => match *self.node(g) {
                Node::Release(h, _) if h == f => g,
                Node::Always(_) => g,
                _ => self.intern(Node::Release(f, g)),
            },
        }
    }

    /// `f W g`.
    pub fn weak_until(&mut self, f: Id, g: Id) -> Id {
        match (f, g) {
            (Id::TRUE, _) | (_, Id::TRUE) => Id::TRUE,
            (Id::FALSE, _) => g,
            (_, Id::FALSE) => self.always(f),
            _ if f == g => f,
            _ => match *self.node(g) {
                Node::WeakUntil(h, _) if h == f => g,
                _ => self.intern(Node::WeakUntil(f, g)),
            },
        }
    }

    /// `f M g`.
    pub fn strong_release(&mut self, f: Id, g: Id) -> Id {
        match (f, g) {
            (Id::FALSE, _) | (_, Id::FALSE) => Id::FALSE,
            (Id::TRUE, _) => g,
            (_, Id::TRUE) => self.eventually(f),
            _ if f == g => f,
            _ => match *self.node(g) {
                Node::StrongRelease(h, _) if h == f => g,
                _ => self.intern(Node::StrongRelease(f, g)),
            },
        }
    }

    /// The direct subformulas.
    pub fn children(&self, f: Id) -> Vec<Id> {
        match self.node(f) {
            Node::True | Node::False | Node::Proposition(_) => Vec::new(),
            Node::Not(g) | Node::Next(g) | Node::StrongNext(g) | Node::Eventually(g) | Node::Always(g) => {
                vec![*g]
            }
            Node::And(parts) | Node::Or(parts) => parts.to_vec(),
            Node::Until(g, h) | Node::Release(g, h) | Node::WeakUntil(g, h) | Node::StrongRelease(g, h) => {
                vec![*g, *h]
            }
        }
    }

    /// The formula with the operator of `f` over `children`, as many as `f` has.
    pub fn rebuild(&mut self, f: Id, children: &[Id]) -> Id {
        match *self.node(f) {
            Node::True | Node::False | Node::Proposition(_) => f,
            Node::Not(_) => self.not(children[0]),
            Node::And(_) => self.conjunction(children.iter().copied()),
            Node::Or(_) => self.disjunction(children.iter().copied()),
            Node::Next(_) => self.next(children[0]),
            Node::StrongNext(_) => self.strong_next(children[0]),
            Node::Eventually(_) => self.eventually(children[0]),
            Node::Always(_) => self.always(children[0]),
            Node::Until(..) => self.until(children[0], children[1]),
            Node::Release(..) => self.release(children[0], children[1]),
            Node::WeakUntil(..) => self.weak_until(children[0], children[1]),
            Node::StrongRelease(..) => self.strong_release(children[0], children[1]),
        }
    }

    /// `f` in negation normal form: negations on propositions only.
    #[doc(alias = "nnf")]
    pub fn positive(&mut self, f: Id) -> Id {
        self.polarised(f, false, &mut HashMap::new())
    }

    /// The negation of `f` in negation normal form.
    pub fn negative(&mut self, f: Id) -> Id {
        self.polarised(f, true, &mut HashMap::new())
    }

    fn polarised(&mut self, f: Id, negated: bool, done: &mut HashMap<(Id, bool), Id>) -> Id {
        if let Some(&g) = done.get(&(f, negated)) {
            return g;
        }
        let node = self.node(f).clone();
        let result = match node {
            Node::True | Node::False | Node::Proposition(_) => {
                if negated {
                    self.not(f)
                } else {
                    f
                }
            }
            Node::Not(g) => self.polarised(g, !negated, done),
            _ => {
                let children: Vec<Id> = (self.children(f).into_iter())
                    .map(|child| self.polarised(child, negated, done))
                    .collect();
                if negated { self.dual(&node, &children) } else { self.rebuild(f, &children) }
            }
        };
        done.insert((f, negated), result);
        result
    }

    /// The operator dual to `node` over `children`.
    pub(crate) fn dual(&mut self, node: &Node, children: &[Id]) -> Id {
        match node {
            Node::True | Node::False | Node::Proposition(_) | Node::Not(_) => {
                unreachable!("has no dual operator")
            }
            Node::And(_) => self.disjunction(children.iter().copied()),
            Node::Or(_) => self.conjunction(children.iter().copied()),
            Node::Next(_) => self.strong_next(children[0]),
            Node::StrongNext(_) => self.next(children[0]),
            Node::Eventually(_) => self.always(children[0]),
            Node::Always(_) => self.eventually(children[0]),
            Node::Until(..) => self.release(children[0], children[1]),
            Node::Release(..) => self.until(children[0], children[1]),
            Node::WeakUntil(..) => self.strong_release(children[0], children[1]),
            Node::StrongRelease(..) => self.weak_until(children[0], children[1]),
        }
    }

    /// `f` as read on infinite words: negation normal form with one kind of next, `X false` being false.
    pub fn infinite(&mut self, f: Id) -> Id {
        let f = self.positive(f);
        self.infinite_positive(f, &mut HashMap::new())
    }

    fn infinite_positive(&mut self, f: Id, done: &mut HashMap<Id, Id>) -> Id {
        if let Some(&g) = done.get(&f) {
            return g;
        }
        let children: Vec<Id> =
            self.children(f).into_iter().map(|child| self.infinite_positive(child, done)).collect();
        let result = match *self.node(f) {
            Node::Next(_) | Node::StrongNext(_) if children[0] == Id::FALSE => Id::FALSE,
            Node::StrongNext(_) => self.next(children[0]),
            _ => self.rebuild(f, &children),
        };
        done.insert(f, result);
        result
    }

    /// Every subformula of `f`, once, each after its own subformulas; `f` is the last.
    pub fn subformulas(&self, f: Id) -> Vec<Id> {
        let mut seen = vec![false; self.nodes.len()];
        let mut order = Vec::new();
        self.visit(f, &mut seen, &mut order);
        order
    }

    fn visit(&self, f: Id, seen: &mut [bool], order: &mut Vec<Id>) {
        if std::mem::replace(&mut seen[f.index()], true) {
            return;
        }
        for child in self.children(f) {
            self.visit(child, seen, order);
        }
        order.push(f);
    }

    /// The numbers of the propositions of `f`, ascending.
    pub fn propositions(&self, f: Id) -> Vec<u32> {
        let mut numbers: Vec<u32> = (self.subformulas(f).into_iter())
            .filter_map(|g| if let Node::Proposition(p) = *self.node(g) { Some(p) } else { None })
            .collect();
        numbers.sort_unstable();
        numbers
    }

    /// Whether `f` has no temporal operator.
    pub fn is_boolean(&self, f: Id) -> bool {
        match self.node(f) {
            Node::True | Node::False | Node::Proposition(_) => true,
            Node::Not(g) => self.is_boolean(*g),
            Node::And(parts) | Node::Or(parts) => parts.iter().all(|&part| self.is_boolean(part)),
            _ => false,
        }
    }

    /// Whether `f` has a next. A formula without one cannot tell words that differ in stuttering only, so that
    /// reductions which need stutter invariance may be used with it.
    pub fn has_next(&self, f: Id) -> bool {
        self.subformulas(f).into_iter().any(|g| matches!(self.node(g), Node::Next(_) | Node::StrongNext(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> (Formulas, Id, Id) {
        let mut f = Formulas::new();
        let (a, b) = (f.proposition("a"), f.proposition("b"));
        (f, a, b)
    }

    #[test]
    fn equal_formulas_are_one_formula() {
        let (mut f, a, b) = two();
        let ab = f.and(a, b);
        assert_eq!(ab, f.and(b, a));
        let nested = f.and(ab, a);
        assert_eq!(ab, nested);
        let not_a = f.not(a);
        assert_eq!(f.conjunction([a, b, not_a]), Id::FALSE);
        assert_eq!(f.disjunction([a, b, not_a]), Id::TRUE);
        let either = f.or(a, b);
        assert_eq!(f.and(a, either), a);
    }

    #[test]
    fn negation_moves_to_the_propositions() {
        let (mut f, a, b) = two();
        let until = f.until(a, b);
        let next = f.next(until);
        let n = f.negative(next);
        assert_eq!(f.show(n, Spelling::Spot), "X[!](!a R !b)");
        let back = f.negative(n);
        assert_eq!(back, next);
        let infinite = f.infinite(n);
        assert_eq!(f.show(infinite, Spelling::Spin), "X(!a V !b)");
    }

    #[test]
    fn the_last_position_is_not_a_constant() {
        let (mut f, ..) = two();
        let last = f.next(Id::FALSE);
        assert_ne!(last, Id::FALSE);
        assert_eq!(f.infinite(last), Id::FALSE);
        assert_eq!(f.negative(last), f.strong_next(Id::TRUE));
    }

    #[test]
    fn propositions_are_quoted_where_they_must_be() {
        let mut f = Formulas::new();
        let p = f.proposition("x > 3");
        let q = f.atom(Atom::Action("SEND !1".into()));
        let both = f.until(p, q);
        assert_eq!(f.show(both, Spelling::Spot), r#""x > 3" U action("SEND !1")"#);
        assert_eq!(f.show(both, Spelling::Spin), r#"(x > 3) U action("SEND !1")"#);
        let g = f.proposition("Gate");
        assert_eq!(f.show(g, Spelling::Spot), "\"Gate\"");
    }
}
