//! Acceptance conditions of HOA, and the generalised Büchi automaton that means the same.
//!
//! A condition is a positive Boolean combination of `Inf(S)` and `Fin(S)`. Without `Fin` the structure stays as it is:
//! in conjunctive normal form a clause `Inf(A) | Inf(B)` is one set, the union of A and B, since a run that meets a
//! union again and again meets one of its finitely many parts again and again. So `Inf(0) | Inf(1)`, `t`, `f` and
//! complements cost nothing.
//!
//! With `Fin` (co-Büchi, Rabin, Streett, parity) a generalised Büchi automaton has to guess, which it may, since it need
//! not be deterministic: the condition is put in disjunctive normal form, and for each term there is a copy of the
//! states without the edges that the term wants only finitely often. A run begins in the original, where nothing is
//! accepted, and goes over to the copy of the term that it will satisfy, once the last unwanted edge is behind it. The
//! result has one more copy than there are terms, and is not deterministic even if what was read is; who needs to
//! complement an automaton should not do so after this.

use crate::automaton::{Edge, MOST_SETS, Marks, State};

/// A condition as it is written.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    Inf(Literal),
    Fin(Literal),
    /// All of them; `t` if there are none.
    And(Vec<Condition>),
    /// One of them; `f` if there are none.
    Or(Vec<Condition>),
}

/// A set, or its complement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Literal {
    pub(super) set: u32,
    pub(super) complement: bool,
}

/// The number of sets, and the edges with marks for them.
pub(super) struct Translated {
    pub(super) sets: u32,
    pub(super) edges: Vec<Vec<Edge>>,
}

/// The most terms or clauses that a normal form may have on the way.
const MOST_TERMS: usize = 1024;

/// The most copies that are made.
const MOST_COPIES: usize = 64;

/// Edges whose marks are to be read under `condition`, made into edges of a generalised Büchi automaton. States keep
/// their numbers. `None` if the condition is too large.
pub(super) fn translate(condition: &Condition, edges: Vec<Vec<Edge>>) -> Option<Translated> {
    if has_fin(condition) { guess(&terms(condition)?, &edges) } else { keep(&clauses(condition)?, edges) }
}

/// Some sets and some complements: of a clause, one of them is met again and again; of a term, all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sets {
    plain: u64,
    complements: u64,
}

impl Sets {
    fn of(literal: Literal) -> Sets {
        let bit = 1 << literal.set;
        if literal.complement {
            Sets { plain: 0, complements: bit }
        } else {
            Sets { plain: bit, complements: 0 }
        }
    }

    fn union(self, other: Sets) -> Sets {
        Sets { plain: self.plain | other.plain, complements: self.complements | other.complements }
    }

    fn within(self, other: Sets) -> bool {
        self.union(other) == other
    }

    /// Whether an edge with these marks is in one of them.
    fn met_by(self, marks: u64) -> bool {
        marks & self.plain != 0 || !marks & self.complements != 0
    }

    fn literals(self) -> impl Iterator<Item = Sets> {
        let plain = (0..64).map(|i| Sets { plain: 1 << i, complements: 0 });
        let complements = (0..64).map(|i| Sets { plain: 0, complements: 1 << i });
        plain.chain(complements).filter(move |literal| literal.within(self))
    }
}

/// A conjunction: all of `inf` again and again, none of `fin`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Term {
    inf: Sets,
    fin: Sets,
}

impl Term {
    fn and(self, other: Term) -> Term {
        Term { inf: self.inf.union(other.inf), fin: self.fin.union(other.fin) }
    }

    fn within(self, other: Term) -> bool {
        self.inf.within(other.inf) && self.fin.within(other.fin)
    }
}

fn has_fin(condition: &Condition) -> bool {
    match condition {
        Condition::Inf(_) => false,
        Condition::Fin(_) => true,
        Condition::And(parts) | Condition::Or(parts) => parts.iter().any(has_fin),
    }
}

/// The conjunctive normal form of a condition without `Fin`. A clause is a `Sets`, read as a disjunction.
fn clauses(condition: &Condition) -> Option<Vec<Sets>> {
    let clauses = match condition {
        Condition::Inf(literal) => vec![Sets::of(*literal)],
        Condition::Fin(_) => return None,
        Condition::And(parts) => join(parts.iter().map(clauses), Sets::within)?,
        Condition::Or(parts) => cross(parts.iter().map(clauses), Sets::default(), Sets::union, Sets::within)?,
    };
    Some(clauses)
}

/// The disjunctive normal form.
fn terms(condition: &Condition) -> Option<Vec<Term>> {
    let terms = match condition {
        Condition::Inf(literal) => vec![Term { inf: Sets::of(*literal), ..Term::default() }],
        Condition::Fin(literal) => vec![Term { fin: Sets::of(*literal), ..Term::default() }],
        Condition::Or(parts) => join(parts.iter().map(terms), Term::within)?,
        Condition::And(parts) => cross(parts.iter().map(terms), Term::default(), Term::and, Term::within)?,
    };
    Some(terms)
}

/// The lists one behind the other, without what another covers.
fn join<T: Copy>(
    lists: impl Iterator<Item = Option<Vec<T>>>,
    within: impl Fn(T, T) -> bool,
) -> Option<Vec<T>> {
    let mut all: Vec<T> = Vec::new();
    for list in lists {
        for item in list? {
            add(&mut all, item, &within)?;
        }
    }
    Some(all)
}

/// Every way to take one of each list, without what another covers.
fn cross<T: Copy>(
    lists: impl Iterator<Item = Option<Vec<T>>>,
    nothing: T,
    both: impl Fn(T, T) -> T,
    within: impl Fn(T, T) -> bool,
) -> Option<Vec<T>> {
    let mut all = vec![nothing];
    for list in lists {
        let list = list?;
        let mut next = Vec::new();
        for &a in &all {
            for &b in &list {
                add(&mut next, both(a, b), &within)?;
            }
        }
        all = next;
    }
    Some(all)
}

fn add<T: Copy>(all: &mut Vec<T>, item: T, within: &impl Fn(T, T) -> bool) -> Option<()> {
    if !all.iter().any(|&known| within(known, item)) {
        all.retain(|&known| !within(item, known));
        all.push(item);
    }
    (all.len() <= MOST_TERMS).then_some(())
}

/// One set for each clause.
fn keep(clauses: &[Sets], mut edges: Vec<Vec<Edge>>) -> Option<Translated> {
    if clauses.len() > MOST_SETS as usize {
        return None;
    }
    for edge in edges.iter_mut().flatten() {
        let met = (0..).zip(clauses).filter(|(_, clause)| clause.met_by(edge.marks.0));
        edge.marks = Marks(met.fold(0, |marks, (i, _)| marks | 1 << i));
    }
    Some(Translated { sets: clauses.len() as u32, edges })
}

/// One copy for each term, behind the original.
fn guess(terms: &[Term], original: &[Vec<Edge>]) -> Option<Translated> {
    // Whoever is asked for what it is forbidden accepts nothing.
    let possible = |term: &&Term| {
        term.inf.plain & term.fin.plain == 0 && term.inf.complements & term.fin.complements == 0
    };
    let terms: Vec<&Term> = terms.iter().filter(possible).collect();
    let wanted: Vec<Vec<Sets>> = terms.iter().map(|term| term.inf.literals().collect()).collect();
    // With at least one set, the original, which has no marks, accepts nothing.
    let sets = wanted.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let states = original.len();
    if terms.len() > MOST_COPIES || sets > MOST_SETS as usize || states * (terms.len() + 1) > 1 << 31 {
        return None;
    }
    let all = if sets == 64 { u64::MAX } else { (1 << sets) - 1 };
    let into = |to: State, copy: usize| State((to.index() + states * copy) as u32);

    let mut edges: Vec<Vec<Edge>> = Vec::with_capacity(states * (terms.len() + 1));
    for leaving in original {
        let goes = |copy| {
            leaving.iter().map(move |e| Edge {
                label: e.label.clone(),
                marks: Marks(0),
                to: into(e.to, copy),
            })
        };
        edges.push((0..=terms.len()).flat_map(goes).collect());
    }
    for (i, (term, wanted)) in terms.iter().zip(&wanted).enumerate() {
        for leaving in original {
            let allowed = leaving.iter().filter(|edge| !term.fin.met_by(edge.marks.0));
            edges.push(
                allowed
                    .map(|edge| {
                        // A term that wants fewer sets than another has the rest for nothing.
                        let met =
                            (0..sets).filter(|&j| wanted.get(j).is_none_or(|set| set.met_by(edge.marks.0)));
                        let marks = met.fold(0, |marks, j| marks | 1 << j) & all;
                        Edge { label: edge.label.clone(), marks: Marks(marks), to: into(edge.to, i + 1) }
                    })
                    .collect(),
            );
        }
    }
    Some(Translated { sets: sets as u32, edges })
}
