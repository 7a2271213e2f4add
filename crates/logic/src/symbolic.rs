//! The automaton that reductions work on: labels are decision diagrams.
//!
//! Comparing labels, splitting and joining them is what every reduction does all the time; with sums of cubes, as in
//! [`Automaton`], each of these is a small search, with diagrams a number or a look-up. Propositions are variables
//! `0..n` of a table that several automata share, so that the labels of a formula's automaton and of its negation's can
//! be compared.

use std::collections::BTreeMap;

use crate::automaton::{Automaton, Cube, Edge, Label, Marks, State};
use crate::bdd::{Bdd, Bdds};
use crate::effort::Out;

/// An edge, kept with its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Arrow {
    pub(crate) to: u32,
    pub(crate) marks: u64,
    pub(crate) label: Bdd,
}

/// A transition-based generalised Büchi automaton with diagrams for labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Symbolic {
    pub(crate) sets: u32,
    pub(crate) initial: u32,
    pub(crate) arrows: Vec<Vec<Arrow>>,
}

impl Symbolic {
    /// The automaton that accepts nothing: one state, no edge.
    pub(crate) fn nothing() -> Self {
        Self { sets: 0, initial: 0, arrows: vec![Vec::new()] }
    }

    pub(crate) fn states(&self) -> usize {
        self.arrows.len()
    }

    /// What "smaller" means: states first, then edges, then acceptance sets.
    pub(crate) fn size(&self) -> (usize, usize, u32) {
        (self.arrows.len(), self.arrows.iter().map(Vec::len).sum(), self.sets)
    }

    /// All acceptance sets.
    pub(crate) fn all(&self) -> u64 {
        all_sets(self.sets)
    }

    /// The targets of each state, as the search for components wants them.
    pub(crate) fn successors(&self) -> Vec<Vec<u32>> {
        self.arrows.iter().map(|arrows| arrows.iter().map(|a| a.to).collect()).collect()
    }

    /// One edge for each target and set of marks, in a fixed order, and none that no letter takes.
    pub(crate) fn join_arrows(&mut self, bdds: &mut Bdds) {
        for arrows in &mut self.arrows {
            let mut joined: BTreeMap<(u32, u64), Bdd> = BTreeMap::new();
            for arrow in arrows.iter() {
                let label = joined.entry((arrow.to, arrow.marks)).or_insert(Bdd::FALSE);
                *label = bdds.or(*label, arrow.label);
            }
            *arrows = (joined.into_iter())
                .filter(|&(_, label)| label != Bdd::FALSE)
                .map(|((to, marks), label)| Arrow { to, marks, label })
                .collect();
        }
    }

    /// Renumbers the states that can be reached in the order in which a breadth-first search meets them, the initial
    /// state as 0, and forgets the others.
    pub(crate) fn compact(&mut self) {
        let mut number = vec![u32::MAX; self.arrows.len()];
        let mut order = vec![self.initial];
        number[self.initial as usize] = 0;
        let mut next = 0;
        while next < order.len() {
            for arrow in &self.arrows[order[next] as usize] {
                if number[arrow.to as usize] == u32::MAX {
                    number[arrow.to as usize] = order.len() as u32;
                    order.push(arrow.to);
                }
            }
            next += 1;
        }
        self.arrows = (order.iter())
            .map(|&s| {
                let renamed = |a: &Arrow| Arrow { to: number[a.to as usize], ..*a };
                self.arrows[s as usize].iter().map(renamed).collect()
            })
            .collect();
        self.initial = 0;
    }

    /// From an automaton whose propositions are variables `0..n`.
    pub(crate) fn from_automaton(bdds: &mut Bdds, automaton: &Automaton) -> Self {
        let identity: Vec<u32> = (0..automaton.propositions.len() as u32).collect();
        Self::from_renamed(bdds, automaton, &identity)
    }

    /// From an automaton whose proposition *i* is the variable `variables[i]`.
    pub(crate) fn from_renamed(bdds: &mut Bdds, automaton: &Automaton, variables: &[u32]) -> Self {
        let mut arrows = Vec::with_capacity(automaton.states());
        for edges in &automaton.edges {
            let mut leaving = Vec::with_capacity(edges.len());
            for edge in edges {
                let label = of_label(bdds, &edge.label, variables);
                leaving.push(Arrow { to: edge.to.0, marks: edge.marks.0, label });
            }
            arrows.push(leaving);
        }
        Self { sets: automaton.sets, initial: automaton.initial.0, arrows }
    }

    /// To an automaton; the variables of labels are indices into `propositions`.
    pub(crate) fn to_automaton(&self, bdds: &mut Bdds, propositions: Vec<String>) -> Automaton {
        self.to_automaton_within(bdds, propositions).expect("labels that were sums of products are so again")
    }

    /// The same.
    ///
    /// # Errors
    /// If a label is a sum of too many products.
    pub(crate) fn to_automaton_within(
        &self,
        bdds: &mut Bdds,
        propositions: Vec<String>,
    ) -> Result<Automaton, Out> {
        let mut edges = Vec::with_capacity(self.states());
        let mut held = 0;
        for arrows in &self.arrows {
            let mut leaving = Vec::with_capacity(arrows.len());
            for arrow in arrows {
                let label = to_label(bdds, arrow.label)?;
                held += label.0.capacity() * size_of::<Cube>() + size_of::<Edge>();
                bdds.afford(held)?;
                leaving.push(Edge { label, marks: Marks(arrow.marks), to: State(arrow.to) });
            }
            edges.push(leaving);
        }
        Ok(Automaton { propositions, sets: self.sets, initial: State(self.initial), edges })
    }
}

/// The set of the acceptance sets `0..sets`.
pub(crate) fn all_sets(sets: u32) -> u64 {
    if sets >= 64 { u64::MAX } else { (1 << sets) - 1 }
}

fn of_label(bdds: &mut Bdds, label: &Label, variables: &[u32]) -> Bdd {
    let mut sum = Bdd::FALSE;
    for cube in &label.0 {
        let mut product = Bdd::TRUE;
        for (bit, &variable) in variables.iter().enumerate() {
            for (literals, sign) in [(cube.with, true), (cube.without, false)] {
                if literals >> bit & 1 == 1 {
                    let literal = bdds.literal(variable, sign);
                    product = bdds.and(product, literal);
                }
            }
        }
        sum = bdds.or(sum, product);
    }
    sum
}

fn to_label(bdds: &mut Bdds, label: Bdd) -> Result<Label, Out> {
    let cube = |product: Vec<(u32, bool)>| {
        product.into_iter().fold(Cube::TRUE, |cube, (variable, sign)| match sign {
            true => Cube { with: cube.with | 1 << variable, ..cube },
            false => Cube { without: cube.without | 1 << variable, ..cube },
        })
    };
    let Some(products) = bdds.sum_of_products_within(label) else {
        return Err(bdds.spend(0).expect_err("nothing else ends an operation early"));
    };
    let mut cubes: Vec<Cube> = products.into_iter().map(cube).collect();
    cubes.sort_unstable();
    Ok(Label(cubes))
}
