//! What can be asked of a marking: sums of tokens compared with each other, transitions that are enabled, and boolean combinations.
//!
//! A predicate is evaluated in every state, so it is kept as a chain of tests: each says where to go on if it is true and if it is false
//! (short-circuit code). The chain is made of a tree by two passes without recursion: tests are numbered from left to right, so that the
//! first test of each subtree is known, and then every subtree is told where its two ends lead.

use crate::net::{PetriNet, PlaceId, TransitionId};

/// A sum of tokens, each place with a factor, and a number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenSum {
    /// The places.
    pub places: Vec<(PlaceId, i64)>,
    /// The number.
    pub constant: i64,
}

impl TokenSum {
    /// Its value.
    #[inline]
    pub fn value(&self, tokens: impl Fn(PlaceId) -> u32) -> i64 {
        self.places.iter().fold(self.constant, |sum, &(place, factor)| {
            sum.saturating_add(factor.saturating_mul(i64::from(tokens(place))))
        })
    }

    /// This with another, times a factor, added.
    #[must_use]
    pub fn plus(mut self, other: &Self, factor: i64) -> Self {
        for &(place, own) in &other.places {
            let added = own.saturating_mul(factor);
            match self.places.iter_mut().find(|(known, _)| *known == place) {
                Some((_, known)) => *known = known.saturating_add(added),
                None => self.places.push((place, added)),
            }
        }
        self.places.retain(|&(_, factor)| factor != 0);
        self.constant = self.constant.saturating_add(other.constant.saturating_mul(factor));
        self
    }
}

/// A comparison with zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgainstZero {
    /// At most 0.
    AtMost,
    /// Exactly 0.
    Equal,
    /// Anything but 0.
    Different,
}

/// A test of a marking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarkingTest {
    /// Always the same.
    Constant(bool),
    /// A sum compared with zero.
    Compare(TokenSum, AgainstZero),
    /// One of these transitions is enabled.
    Fireable(Vec<TransitionId>),
    /// No transition is enabled.
    Dead,
}

/// A node of a predicate's tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PredicateNode {
    /// A test.
    Test(MarkingTest),
    /// The child is false.
    Not(usize),
    /// All children are true.
    And(Vec<usize>),
    /// Some child is true.
    Or(Vec<usize>),
}

/// The end at which a predicate is true.
const TRUE: u32 = u32::MAX;
/// The end at which it is false.
const FALSE: u32 = u32::MAX - 1;

/// A predicate as a chain of tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// Each with where to go on if it is true, and if it is false.
    chain: Vec<(MarkingTest, u32, u32)>,
    first: u32,
}

impl Predicate {
    /// The predicate of a tree: children stand after their parents, and the root is first.
    ///
    /// # Panics
    /// If a child does not stand after its parent.
    pub fn of_tree(tree: &[PredicateNode]) -> Self {
        // Which nodes belong to the root, and in what order their tests come: an explicit stack, rightmost child first.
        let mut order = Vec::new();
        let mut stack = vec![0usize];
        while let Some(node) = stack.pop() {
            order.push(node);
            let mut push = |child: usize| {
                assert!(child > node, "children stand after their parents");
                stack.push(child);
            };
            match &tree[node] {
                PredicateNode::Test(_) => {}
                PredicateNode::Not(child) => push(*child),
                PredicateNode::And(all) | PredicateNode::Or(all) => all.iter().rev().copied().for_each(push),
            }
        }
        // The first test of each subtree. A connective without children is a constant.
        let mut chain = Vec::new();
        let mut first = vec![FALSE; tree.len()];
        for &node in &order {
            first[node] = chain.len() as u32;
            match &tree[node] {
                PredicateNode::Test(test) => chain.push((test.clone(), TRUE, FALSE)),
                PredicateNode::And(all) if all.is_empty() => {
                    chain.push((MarkingTest::Constant(true), TRUE, FALSE));
                }
                PredicateNode::Or(all) if all.is_empty() => {
                    chain.push((MarkingTest::Constant(false), TRUE, FALSE));
                }
                _ => {}
            }
        }
        let mut ends = vec![(TRUE, FALSE); tree.len()];
        for &node in &order {
            let (yes, no) = ends[node];
            match &tree[node] {
                PredicateNode::Not(child) => ends[*child] = (no, yes),
                PredicateNode::And(all) if !all.is_empty() => {
                    for (number, &child) in all.iter().enumerate() {
                        ends[child] = (all.get(number + 1).map_or(yes, |&next| first[next]), no);
                    }
                }
                PredicateNode::Or(all) if !all.is_empty() => {
                    for (number, &child) in all.iter().enumerate() {
                        ends[child] = (yes, all.get(number + 1).map_or(no, |&next| first[next]));
                    }
                }
                PredicateNode::Test(_) | PredicateNode::And(_) | PredicateNode::Or(_) => {
                    let (_, on_true, on_false) = &mut chain[first[node] as usize];
                    (*on_true, *on_false) = (yes, no);
                }
            }
        }
        Self { chain, first: 0 }
    }

    /// The predicate that is one test.
    pub fn test(test: MarkingTest) -> Self {
        Self { chain: vec![(test, TRUE, FALSE)], first: 0 }
    }

    /// The opposite.
    #[must_use]
    pub fn negated(mut self) -> Self {
        let swap = |end: u32| match end {
            TRUE => FALSE,
            FALSE => TRUE,
            other => other,
        };
        for (_, yes, no) in &mut self.chain {
            (*yes, *no) = (swap(*yes), swap(*no));
        }
        self
    }

    /// Whether it is true of a marking that answers the tests of places and transitions.
    #[inline]
    pub fn holds(&self, marking: &impl AskMarking) -> bool {
        let mut at = self.first;
        loop {
            let (test, yes, no) = &self.chain[at as usize];
            let value = match test {
                MarkingTest::Constant(value) => *value,
                MarkingTest::Compare(sum, against) => {
                    let value = sum.value(|place| marking.tokens(place));
                    match against {
                        AgainstZero::AtMost => value <= 0,
                        AgainstZero::Equal => value == 0,
                        AgainstZero::Different => value != 0,
                    }
                }
                MarkingTest::Fireable(transitions) => transitions.iter().any(|&t| marking.is_fireable(t)),
                MarkingTest::Dead => marking.is_dead(),
            };
            match if value { *yes } else { *no } {
                TRUE => return true,
                FALSE => return false,
                next => at = next,
            }
        }
    }

    /// The value that it has whatever the tests of which nothing is known are, if there is one.
    pub fn constant(&self, known: impl Fn(&MarkingTest) -> Option<bool>) -> Option<bool> {
        let mut possible = vec![false; self.chain.len()];
        possible[self.first as usize] = true;
        let (mut may_hold, mut may_fail) = (false, false);
        // Ways lead forwards.
        for at in self.first as usize..self.chain.len() {
            if !possible[at] {
                continue;
            }
            let (test, yes, no) = &self.chain[at];
            let value = known(test);
            for (end, excluded) in [(*yes, Some(false)), (*no, Some(true))] {
                match end {
                    _ if value == excluded => {}
                    TRUE => may_hold = true,
                    FALSE => may_fail = true,
                    next => possible[next as usize] = true,
                }
            }
        }
        (may_hold != may_fail).then_some(may_hold)
    }

    /// The places whose tokens it counts, in ascending order.
    pub fn places(&self) -> Vec<PlaceId> {
        let mut places: Vec<PlaceId> = Vec::new();
        for (test, ..) in &self.chain {
            if let MarkingTest::Compare(sum, _) = test {
                places.extend(sum.places.iter().map(|(place, _)| *place));
            }
        }
        places.sort_unstable();
        places.dedup();
        places
    }
}

/// What a predicate asks.
pub trait AskMarking {
    /// The tokens on a place.
    fn tokens(&self, place: PlaceId) -> u32;
    /// Whether a transition is enabled.
    fn is_fireable(&self, transition: TransitionId) -> bool;
    /// Whether none is.
    fn is_dead(&self) -> bool;
}

/// A marking as a list, asked by the definition.
pub struct PlainMarking<'a>(pub &'a PetriNet, pub &'a [u32]);

impl AskMarking for PlainMarking<'_> {
    fn tokens(&self, place: PlaceId) -> u32 {
        self.1[place as usize]
    }

    fn is_fireable(&self, transition: TransitionId) -> bool {
        self.0.is_enabled(self.1, transition)
    }

    fn is_dead(&self) -> bool {
        !(0..self.0.transitions.len() as TransitionId).any(|t| self.is_fireable(t))
    }
}
