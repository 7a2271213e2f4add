//! Binary decision diagrams with one shared table.
//!
//! What the translations need of them: a canonical form for a Boolean function over propositions and over "temporal
//! atoms", so that two states of an automaton under construction are compared by comparing two numbers; conjunction,
//! negation and quantification of the labels of edges; and a small sum of products, from which edges are read.
//!
//! The package is deliberately plain: no complement edges, no reordering, no collection of garbage, one thread. A
//! formula has a dozen variables; what the diagrams are good for here is not capacity but canonicity. Crates that do
//! more were considered: those with a shared table know no irredundant sum of products, and those with one keep a table
//! for each diagram, which is of no use for keys of states.
//!
//! Variables are numbers, the smallest nearest to the root. Recursion is as deep as there are variables.

use crate::effort::{Limits, Out};
use crate::hash::Map;

/// A Boolean function: a node of its [`Bdds`]. Equal functions are equal nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bdd(u32);

impl Bdd {
    /// The function that is nowhere true.
    pub const FALSE: Bdd = Bdd(0);
    /// The function that is everywhere true.
    pub const TRUE: Bdd = Bdd(1);

    /// Whether it is one of the two constants.
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }
}

/// The variable of the two leaves: below every other.
const LEAF: u32 = u32::MAX;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Branch {
    variable: u32,
    low: Bdd,
    high: Bdd,
}

/// A product of literals: variables with their sign, ascending.
pub type Product = Vec<(u32, bool)>;

/// The table.
#[derive(Clone)]
pub struct Bdds {
    nodes: Vec<Branch>,
    unique: Map<Branch, Bdd>,
    ites: Map<(Bdd, Bdd, Bdd), Bdd>,
    work: u64,
    /// When [`Out::Work`] happens, and when to look at the limits next.
    most_work: u64,
    next_look: u64,
    limits: Limits,
    out: Option<Out>,
}

/// How much work there is between two looks at the limits: a millisecond or so.
const LOOK: u64 = 1 << 13;

impl Default for Bdds {
    fn default() -> Self {
        Self::new()
    }
}

impl Bdds {
    /// A table of the two constants.
    pub fn new() -> Self {
        let leaf = |value| Branch { variable: LEAF, low: value, high: value };
        Self {
            nodes: vec![leaf(Bdd::FALSE), leaf(Bdd::TRUE)],
            unique: Map::default(),
            ites: Map::default(),
            work: 0,
            most_work: u64::MAX,
            next_look: LOOK,
            limits: Limits::NONE,
            out: None,
        }
    }

    /// An empty table that stops at these limits.
    pub(crate) fn within(limits: &Limits) -> Self {
        Self { limits: limits.clone(), ..Self::new() }
    }

    /// Allows this much work from now on; work that ran out is forgiven.
    pub(crate) fn allow(&mut self, work: u64) {
        self.most_work = self.work.saturating_add(work);
        if self.out == Some(Out::Work) {
            self.out = None;
        }
    }

    /// The limits.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How much work is left of what was allowed.
    pub(crate) fn allowance(&self) -> u64 {
        self.most_work.saturating_sub(self.work)
    }

    /// The same function in another table, where the variables have the same numbers; `done` has what was copied before.
    pub(crate) fn copied_to(&self, other: &mut Bdds, f: Bdd, done: &mut Map<Bdd, Bdd>) -> Bdd {
        if f.is_constant() {
            return f;
        }
        if let Some(&known) = done.get(&f) {
            return known;
        }
        let Branch { variable, low, high } = self.node(f);
        let (low, high) = (self.copied_to(other, low, done), self.copied_to(other, high, done));
        let copy = other.branch(variable, low, high);
        done.insert(f, copy);
        copy
    }

    /// Counts the work of a table that had an allowance of its own.
    pub(crate) fn count(&mut self, work: u64) {
        self.work = self.work.saturating_add(work);
        self.most_work = self.most_work.saturating_add(work);
    }

    /// Counts work done elsewhere, and says whether anything ran out, here or in an operation since the last time.
    pub(crate) fn spend(&mut self, work: u64) -> Result<(), Out> {
        self.work = self.work.saturating_add(work);
        self.look();
        self.out.map_or(Ok(()), Err)
    }

    /// The same for bytes that are about to be used beside the table for a while.
    pub(crate) fn afford(&mut self, bytes: usize) -> Result<(), Out> {
        if self.bytes().saturating_add(bytes) > self.limits.memory {
            self.out = Some(Out::Memory);
        }
        self.spend(0)
    }

    /// About how many bytes the table takes; half as much again while a part of it grows.
    pub(crate) fn bytes(&self) -> usize {
        let tables = self.unique.capacity() * (size_of::<Branch>() + size_of::<Bdd>() + 1)
            + self.ites.capacity() * (4 * size_of::<Bdd>() + 1);
        (self.nodes.capacity() * size_of::<Branch>() + tables * 8 / 7) * 3 / 2
    }

    fn look(&mut self) {
        if self.work > self.most_work && self.out.is_none() {
            self.out = Some(Out::Work);
        }
        if self.work >= self.next_look {
            self.next_look = self.work + LOOK;
            if self.limits.stop.as_ref().is_some_and(|stop| stop()) {
                self.out = Some(Out::Time);
            } else if self.bytes() > self.limits.memory {
                self.out = Some(Out::Memory);
            }
        }
    }

    /// How many nodes were made so far: a measure of the memory used.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// How much was computed so far: a count of steps, the same on every machine, for those who must stop in time.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Never: the constants are always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    fn node(&self, f: Bdd) -> Branch {
        self.nodes[f.0 as usize]
    }

    /// The variable at the root of a function that is not constant.
    pub fn root(&self, f: Bdd) -> Option<u32> {
        (!f.is_constant()).then(|| self.node(f).variable)
    }

    /// The root of a function that is not constant: its variable, and what is left if that is false and if it is true.
    pub fn decision(&self, f: Bdd) -> Option<(u32, Bdd, Bdd)> {
        let Branch { variable, low, high } = self.node(f);
        (!f.is_constant()).then_some((variable, low, high))
    }

    fn branch(&mut self, variable: u32, low: Bdd, high: Bdd) -> Bdd {
        if low == high {
            return low;
        }
        debug_assert!(variable < self.node(low).variable && variable < self.node(high).variable);
        let branch = Branch { variable, low, high };
        if let Some(&known) = self.unique.get(&branch) {
            return known;
        }
        let new = Bdd(u32::try_from(self.nodes.len()).expect("fewer than 2^32 nodes"));
        self.nodes.push(branch);
        self.unique.insert(branch, new);
        new
    }

    /// A constant.
    pub fn constant(&self, value: bool) -> Bdd {
        if value { Bdd::TRUE } else { Bdd::FALSE }
    }

    /// The function that is the value of a variable.
    pub fn variable(&mut self, variable: u32) -> Bdd {
        assert!(variable < LEAF, "a variable must leave room for the leaves");
        self.branch(variable, Bdd::FALSE, Bdd::TRUE)
    }

    /// A variable or its negation.
    pub fn literal(&mut self, variable: u32, sign: bool) -> Bdd {
        if sign { self.variable(variable) } else { self.branch(variable, Bdd::TRUE, Bdd::FALSE) }
    }

    /// The two functions that are left when the variable is false and when it is true; it must not be below the root.
    fn split(&self, f: Bdd, variable: u32) -> (Bdd, Bdd) {
        let node = self.node(f);
        if node.variable == variable { (node.low, node.high) } else { (f, f) }
    }

    /// If `f` then `g` else `h`: the operation from which the others are made.
    pub fn ite(&mut self, f: Bdd, g: Bdd, h: Bdd) -> Bdd {
        match (f, g, h) {
            (Bdd::TRUE, ..) => return g,
            (Bdd::FALSE, ..) => return h,
            (_, Bdd::TRUE, Bdd::FALSE) => return f,
            _ if g == h => return g,
            _ => {}
        }
        // "f or h" is "h or f" and so on: one order, one entry.
        let (f, g, h) = match (f, g, h) {
            (f, g, Bdd::FALSE) if g < f => (g, f, Bdd::FALSE),
            (f, Bdd::TRUE, h) if h < f => (h, Bdd::TRUE, f),
            other => other,
        };
        if let Some(&known) = self.ites.get(&(f, g, h)) {
            return known;
        }
        self.work += 1;
        self.look();
        if self.out.is_some() {
            return Bdd::FALSE;
        }
        let variable = self.node(f).variable.min(self.node(g).variable).min(self.node(h).variable);
        let ((f0, f1), (g0, g1), (h0, h1)) =
            (self.split(f, variable), self.split(g, variable), self.split(h, variable));
        let low = self.ite(f0, g0, h0);
        let high = self.ite(f1, g1, h1);
        if self.out.is_some() {
            // One of the two is nonsense, and must not be remembered.
            return Bdd::FALSE;
        }
        let result = self.branch(variable, low, high);
        self.ites.insert((f, g, h), result);
        result
    }

    /// Conjunction.
    pub fn and(&mut self, f: Bdd, g: Bdd) -> Bdd {
        self.ite(f, g, Bdd::FALSE)
    }

    /// Disjunction.
    pub fn or(&mut self, f: Bdd, g: Bdd) -> Bdd {
        self.ite(f, Bdd::TRUE, g)
    }

    /// Negation.
    pub fn not(&mut self, f: Bdd) -> Bdd {
        self.ite(f, Bdd::FALSE, Bdd::TRUE)
    }

    /// Exclusive or.
    pub fn xor(&mut self, f: Bdd, g: Bdd) -> Bdd {
        let not_g = self.not(g);
        self.ite(f, not_g, g)
    }

    /// `f` and not `g`.
    pub fn without(&mut self, f: Bdd, g: Bdd) -> Bdd {
        self.ite(g, Bdd::FALSE, f)
    }

    /// Whether `g` is true wherever `f` is.
    pub fn implies(&mut self, f: Bdd, g: Bdd) -> bool {
        self.without(f, g) == Bdd::FALSE
    }

    /// The value at a point.
    pub fn at(&self, mut f: Bdd, point: impl Fn(u32) -> bool) -> bool {
        while !f.is_constant() {
            let node = self.node(f);
            f = if point(node.variable) { node.high } else { node.low };
        }
        f == Bdd::TRUE
    }

    /// The variables, as bits, of a point where `f` is true; all others are false there. `f` is not false, and depends
    /// on the first 64 variables only.
    pub fn some_letter(&self, mut f: Bdd) -> u64 {
        assert!(f != Bdd::FALSE, "no letter satisfies false");
        let mut letter = 0;
        while !f.is_constant() {
            let node = self.node(f);
            f = if node.low == Bdd::FALSE {
                letter |= 1 << node.variable;
                node.high
            } else {
                node.low
            };
        }
        letter
    }

    /// Whether some choice of the variables for which `quantified` holds makes `f` true.
    pub fn exists(&mut self, f: Bdd, quantified: impl Fn(u32) -> bool) -> Bdd {
        self.exists_below(f, &quantified, &mut Map::default())
    }

    fn exists_below(&mut self, f: Bdd, quantified: &impl Fn(u32) -> bool, done: &mut Map<Bdd, Bdd>) -> Bdd {
        if f.is_constant() {
            return f;
        }
        if let Some(&known) = done.get(&f) {
            return known;
        }
        let Branch { variable, low, high } = self.node(f);
        let low = self.exists_below(low, quantified, done);
        let high = self.exists_below(high, quantified, done);
        let result = if quantified(variable) { self.or(low, high) } else { self.branch(variable, low, high) };
        done.insert(f, result);
        result
    }

    /// `f` with a function in place of each variable.
    pub fn substitute(&mut self, f: Bdd, mut replacement: impl FnMut(&mut Bdds, u32) -> Bdd) -> Bdd {
        self.substitute_below(f, &mut replacement, &mut Map::default())
    }

    fn substitute_below(
        &mut self,
        f: Bdd,
        replacement: &mut impl FnMut(&mut Bdds, u32) -> Bdd,
        done: &mut Map<Bdd, Bdd>,
    ) -> Bdd {
        if f.is_constant() {
            return f;
        }
        if let Some(&known) = done.get(&f) {
            return known;
        }
        let Branch { variable, low, high } = self.node(f);
        let low = self.substitute_below(low, replacement, done);
        let high = self.substitute_below(high, replacement, done);
        let test = replacement(self, variable);
        let result = self.ite(test, high, low);
        done.insert(f, result);
        result
    }

    /// The variables on which `f` depends, ascending.
    pub fn support(&self, f: Bdd) -> Vec<u32> {
        let mut seen = std::collections::HashSet::new();
        let mut todo = vec![f];
        let mut variables = Vec::new();
        while let Some(f) = todo.pop() {
            if !f.is_constant() && seen.insert(f) {
                let Branch { variable, low, high } = self.node(f);
                variables.push(variable);
                todo.extend([low, high]);
            }
        }
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    /// The different functions that are left of `f` when the variables below `bound` are given values, each with the
    /// function of those variables that says when it is left. The conditions are disjoint and cover everything. `None` if
    /// something runs out on the way.
    pub fn cofactors(&mut self, f: Bdd, bound: u32) -> Option<Vec<(Bdd, Bdd)>> {
        // The conditions flow down from the root: a node is complete once all nodes above it were expanded, that is,
        // in the order of their variables.
        let mut conditions: Map<Bdd, Bdd> = Map::from_iter([(f, Bdd::TRUE)]);
        let mut above: std::collections::BTreeSet<(u32, Bdd)> = std::collections::BTreeSet::new();
        let mut rest: Vec<Bdd> = Vec::new();
        let place = |table: &Bdds, g: Bdd, above: &mut std::collections::BTreeSet<_>, rest: &mut Vec<Bdd>| {
            let variable = table.node(g).variable;
            if variable < bound {
                above.insert((variable, g));
            } else {
                rest.push(g);
            }
        };
        place(self, f, &mut above, &mut rest);
        while let Some((variable, g)) = above.pop_first() {
            self.spend(1).ok()?;
            let condition = conditions[&g];
            let Branch { low, high, .. } = self.node(g);
            for (child, sign) in [(low, false), (high, true)] {
                let literal = self.literal(variable, sign);
                let via = self.and(condition, literal);
                match conditions.get(&child) {
                    Some(&known) => {
                        let both = self.or(known, via);
                        conditions.insert(child, both);
                    }
                    None => {
                        conditions.insert(child, via);
                        place(self, child, &mut above, &mut rest);
                    }
                }
            }
        }
        Some(rest.into_iter().map(|g| (conditions[&g], g)).collect())
    }

    /// An irredundant sum of products for `f`: no product and no literal can be left out. Minato 1993, after Morreale.
    #[doc(alias = "isop")]
    pub fn sum_of_products(&mut self, f: Bdd) -> Vec<Product> {
        self.sum_of_products_within(f).expect("there is no limit")
    }

    /// The same; `None` if something runs out on the way. There may be exponentially many products.
    pub fn sum_of_products_within(&mut self, f: Bdd) -> Option<Vec<Product>> {
        let mut held = 0;
        let (mut products, cover) = self.isop(f, f, &mut held, &mut Map::default())?;
        self.spend(0).ok()?;
        debug_assert!(cover == f);
        products.iter_mut().for_each(|product| product.reverse());
        Some(products)
    }

    /// A sum between `lower` and `upper`, with the function that it is; literals from the leaves to the root. `held` counts the bytes of the
    /// products that are remembered.
    fn isop(
        &mut self,
        lower: Bdd,
        upper: Bdd,
        held: &mut usize,
        done: &mut Covers,
    ) -> Option<(Vec<Product>, Bdd)> {
        if lower == Bdd::FALSE {
            return Some((Vec::new(), Bdd::FALSE));
        }
        if upper == Bdd::TRUE {
            return Some((vec![Vec::new()], Bdd::TRUE));
        }
        if let Some(known) = done.get(&(lower, upper)) {
            return Some(known.clone());
        }
        self.afford(*held).ok()?;
        let variable = self.node(lower).variable.min(self.node(upper).variable);
        let ((l0, l1), (u0, u1)) = (self.split(lower, variable), self.split(upper, variable));
        // What only a product with the negated variable, or only one with the variable, can cover.
        let only0 = self.without(l0, u1);
        let only1 = self.without(l1, u0);
        let (mut low, low_cover) = self.isop(only0, u0, held, done)?;
        let (mut high, high_cover) = self.isop(only1, u1, held, done)?;
        // What is left is covered without the variable.
        let rest0 = self.without(l0, low_cover);
        let rest1 = self.without(l1, high_cover);
        let rest = self.or(rest0, rest1);
        let shared = self.and(u0, u1);
        let (mut products, both_cover) = self.isop(rest, shared, held, done)?;
        low.iter_mut().for_each(|product| product.push((variable, false)));
        high.iter_mut().for_each(|product| product.push((variable, true)));
        products.append(&mut low);
        products.append(&mut high);
        let literals: usize = products.iter().map(Vec::capacity).sum();
        // Twice: what is remembered, and what is returned.
        *held += 2 * (literals * size_of::<(u32, bool)>() + products.capacity() * size_of::<Product>());
        self.spend(products.len() as u64).ok()?;
        let low_total = self.or(low_cover, both_cover);
        let high_total = self.or(high_cover, both_cover);
        let cover = self.branch(variable, low_total, high_total);
        done.insert((lower, upper), (products.clone(), cover));
        Some((products, cover))
    }
}

type Covers = Map<(Bdd, Bdd), (Vec<Product>, Bdd)>;

#[cfg(test)]
mod tests {
    use super::*;

    /// A function of six variables as a table of 64 bits, and an expression that gives it.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0
        }
    }

    const VARIABLES: u32 = 6;

    fn column(variable: u32) -> u64 {
        (0..64u64).filter(|row| row >> variable & 1 == 1).fold(0, |table, row| table | 1 << row)
    }

    fn table(bdds: &Bdds, f: Bdd) -> u64 {
        (0..64u64).filter(|row| bdds.at(f, |v| row >> v & 1 == 1)).fold(0, |table, row| table | 1 << row)
    }

    fn of_table(bdds: &mut Bdds, table: u64) -> Bdd {
        (0..64u64).filter(|row| table >> row & 1 == 1).fold(Bdd::FALSE, |sum, row| {
            let mut product = Bdd::TRUE;
            for v in 0..VARIABLES {
                let literal = bdds.literal(v, row >> v & 1 == 1);
                product = bdds.and(product, literal);
            }
            bdds.or(sum, product)
        })
    }

    #[test]
    fn operations_agree_with_truth_tables() {
        let mut random = Random(0x1234_5678_9abc_def1);
        let mut bdds = Bdds::new();
        for _ in 0..200 {
            let (a, b, c) = (random.next(), random.next() & random.next(), random.next() | random.next());
            let (f, g, h) = (of_table(&mut bdds, a), of_table(&mut bdds, b), of_table(&mut bdds, c));
            assert_eq!(table(&bdds, f), a);
            let result = bdds.ite(f, g, h);
            assert_eq!(table(&bdds, result), a & b | !a & c);
            let result = bdds.xor(f, g);
            assert_eq!(result, of_table(&mut bdds, a ^ b));
            assert_eq!(bdds.implies(g, h), b & !c == 0);
            let v = (random.next() % 6) as u32;
            let some = bdds.exists(f, |u| u == v);
            let shift = 1 << v;
            let (with, without) = (a & column(v), a & !column(v));
            assert_eq!(table(&bdds, some), with | with >> shift | without | without << shift);
            let replaced = bdds.substitute(f, |table, u| if u == v { g } else { table.variable(u) });
            let (high, low) = (with | with >> shift, without | without << shift);
            assert_eq!(table(&bdds, replaced), b & high | !b & low);
        }
    }

    #[test]
    fn sums_of_products_are_exact_and_irredundant() {
        let mut random = Random(99);
        let mut bdds = Bdds::new();
        let of_product = |product: &Product| {
            product.iter().fold(u64::MAX, |t, &(v, sign)| t & if sign { column(v) } else { !column(v) })
        };
        for _ in 0..200 {
            let wanted = random.next() & random.next() | random.next() & random.next();
            let f = of_table(&mut bdds, wanted);
            let sum = bdds.sum_of_products(f);
            let tables: Vec<u64> = sum.iter().map(of_product).collect();
            assert_eq!(tables.iter().fold(0, |t, &p| t | p), wanted);
            for skipped in 0..tables.len() {
                let others =
                    tables.iter().enumerate().filter(|&(i, _)| i != skipped).fold(0, |t, (_, &p)| t | p);
                assert_ne!(others, wanted, "product {skipped} of {sum:?} is redundant");
            }
            assert!(sum.iter().all(|product| product.is_sorted()));
        }
    }

    #[test]
    fn cofactors_partition_the_points() {
        let mut random = Random(7);
        let mut bdds = Bdds::new();
        for _ in 0..100 {
            let f = {
                let t = random.next();
                of_table(&mut bdds, t)
            };
            let parts = bdds.cofactors(f, 3).expect("no limit");
            let mut whole = Bdd::FALSE;
            let mut covered = Bdd::FALSE;
            for &(condition, rest) in &parts {
                assert_eq!(bdds.and(covered, condition), Bdd::FALSE);
                covered = bdds.or(covered, condition);
                assert!(bdds.support(condition).iter().all(|&v| v < 3));
                assert!(bdds.support(rest).iter().all(|&v| v >= 3));
                let both = bdds.and(condition, rest);
                whole = bdds.or(whole, both);
            }
            assert_eq!(covered, Bdd::TRUE);
            assert_eq!(whole, f);
        }
    }
}
