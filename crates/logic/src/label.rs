//! Labels: sums of cubes, and what can be done with them without a decision diagram.
//!
//! The labels in files are small. A product of sums can nevertheless explode, and what is read from a file must not be
//! able to make us busy for hours; so [`Label::and`] gives up beyond [`MOST_CUBES`].

use crate::automaton::{Cube, Label, Letter};
use std::collections::HashSet;

/// The largest number of cubes that a product may have.
pub const MOST_CUBES: usize = 1024;

/// The largest number of pairs of cubes that a product looks at.
const MOST_PAIRS: usize = 1 << 16;

impl Cube {
    /// The cube of one proposition, or of its negation.
    pub fn literal(proposition: usize, holds: bool) -> Cube {
        let bit = 1 << proposition;
        if holds { Cube { with: bit, without: 0 } } else { Cube { with: 0, without: bit } }
    }

    /// The cube that only `letter` satisfies, among the letters over `propositions` propositions.
    pub fn letter(letter: Letter, propositions: usize) -> Cube {
        let all = if propositions == 64 { u64::MAX } else { (1 << propositions) - 1 };
        Cube { with: letter & all, without: !letter & all }
    }

    /// The letters of both cubes, if there are any.
    pub fn and(self, other: Cube) -> Option<Cube> {
        let both = Cube { with: self.with | other.with, without: self.without | other.without };
        (both.with & both.without == 0).then_some(both)
    }

    /// For people to read: `p & !q`. Names that are more than a word are put in quotes.
    pub fn show(self, propositions: &[String]) -> String {
        let word = |name: &str| name.chars().all(|c| c.is_alphanumeric() || "_@.[]()".contains(c));
        let literal = |(i, name): (usize, &String)| {
            let name = if word(name) { name.clone() } else { format!("\"{name}\"") };
            match (self.with >> i & 1, self.without >> i & 1) {
                (0, 0) => None,
                (0, _) => Some(format!("!{name}")),
                _ => Some(name),
            }
        };
        let literals: Vec<String> = propositions.iter().enumerate().filter_map(literal).collect();
        if literals.is_empty() { "true".into() } else { literals.join(" & ") }
    }

    /// Whether it admits all the letters that `other` admits.
    pub fn covers(self, other: Cube) -> bool {
        self.with & !other.with == 0 && self.without & !other.without == 0
    }
}

impl Label {
    /// The label that no letter satisfies.
    pub fn never() -> Label {
        Label(Vec::new())
    }

    /// Whether no letter satisfies it.
    pub fn is_never(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether some letter satisfies both.
    pub fn meets(&self, other: &Label) -> bool {
        self.0.iter().any(|a| other.0.iter().any(|b| a.and(*b).is_some()))
    }

    /// Adds the letters of a cube.
    pub fn add(&mut self, cube: Cube) {
        if !self.0.iter().any(|known| known.covers(cube)) {
            self.0.retain(|known| !cube.covers(*known));
            self.0.push(cube);
        }
    }

    /// The letters of either; `None` if there are too many cubes.
    pub fn or(&self, other: &Label) -> Option<Label> {
        let mut sum = self.clone();
        for &cube in &other.0 {
            sum.add(cube);
        }
        (sum.0.len() <= MOST_CUBES).then_some(sum)
    }

    /// The letters of both; `None` if there are too many cubes.
    pub fn and(&self, other: &Label) -> Option<Label> {
        if self.0.len().saturating_mul(other.0.len()) > MOST_PAIRS {
            return None;
        }
        let mut product = Label::never();
        for a in &self.0 {
            for cube in other.0.iter().filter_map(|b| a.and(*b)) {
                product.add(cube);
            }
            if product.0.len() > MOST_CUBES {
                return None;
            }
        }
        Some(product)
    }

    /// For people to read: `p & !q | r`.
    pub fn show(&self, propositions: &[String]) -> String {
        self.terms(propositions).join(" | ")
    }

    /// Its cubes for people to read, one by one; `false` if there are none.
    pub fn terms(&self, propositions: &[String]) -> Vec<String> {
        if self.is_never() {
            return vec!["false".into()];
        }
        self.0.iter().map(|cube| cube.show(propositions)).collect()
    }

    /// The same letters in fewer cubes, where that is easy: `x & p | x & !p` becomes `x`. The result is sorted, so that
    /// the same label is written in the same way.
    #[must_use]
    pub fn tidy(&self) -> Label {
        let mut label = self.clone();
        loop {
            let before = label.0.len();
            label = label.merged();
            if label.0.len() == before {
                // Nothing was merged, and the order is a matter of the cubes: a tidy label stays as it is.
                return label.merged();
            }
        }
    }

    fn merged(&self) -> Label {
        let mut cubes: HashSet<Cube> = self.0.iter().copied().collect();
        let mut bits = cubes.iter().fold(0, |bits, cube| bits | cube.with | cube.without);
        while bits != 0 {
            let bit = bits & bits.wrapping_neg();
            bits &= bits - 1;
            let halves: Vec<Cube> = cubes
                .iter()
                .copied()
                .filter(|c| {
                    c.with & bit != 0
                        && cubes.contains(&Cube { with: c.with & !bit, without: c.without | bit })
                })
                .collect();
            for half in halves {
                let rest = Cube { with: half.with & !bit, without: half.without };
                cubes.remove(&half);
                cubes.remove(&Cube { without: rest.without | bit, ..rest });
                cubes.insert(rest);
            }
        }
        let mut cubes: Vec<Cube> = cubes.into_iter().collect();
        // Few literals first: what covers comes before what it covers.
        cubes.sort_unstable_by_key(|c| ((c.with | c.without).count_ones(), c.with | c.without, c.without));
        if cubes.len() > MOST_CUBES {
            // The letters of an implicit label, which no two cubes share.
            return Label(cubes);
        }
        let mut label = Label::never();
        for cube in cubes {
            label.add(cube);
        }
        label
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn label() -> impl Strategy<Value = Label> {
        let cube = (0u64..16, 0u64..16).prop_map(|(a, b)| Cube { with: a & !b, without: b & !a });
        proptest::collection::vec(cube, 0..6).prop_map(Label)
    }

    proptest! {
        /// Letter by letter, the operations are those on sets.
        #[test]
        fn operations_are_those_of_sets(a in label(), b in label()) {
            let (and, or, tidy) = (a.and(&b).unwrap(), a.or(&b).unwrap(), a.tidy());
            for letter in 0..16 {
                let (in_a, in_b) = (a.admits(letter), b.admits(letter));
                prop_assert_eq!(and.admits(letter), in_a && in_b);
                prop_assert_eq!(or.admits(letter), in_a || in_b);
                prop_assert_eq!(tidy.admits(letter), in_a);
                prop_assert_eq!(Label(vec![Cube::letter(letter, 4)]).meets(&a), in_a);
            }
            prop_assert!(tidy.0.len() <= a.0.len());
            prop_assert_eq!(a.meets(&b), !and.is_never());
            prop_assert_eq!(tidy.tidy(), tidy);
        }
    }

    #[test]
    fn labels_can_be_read() {
        let names = ["p".to_owned(), "x > 3".to_owned()];
        let cube = Cube { with: 1, without: 2 };
        assert_eq!(Label(vec![cube, Cube::literal(1, true)]).show(&names), "p & !\"x > 3\" | \"x > 3\"");
        assert_eq!(
            (Label::always().show(&names), Label::never().show(&names)),
            ("true".into(), "false".into())
        );
    }

    #[test]
    fn letters_melt_into_cubes() {
        let all = Label((0..1 << 12).map(|letter| Cube::letter(letter, 12)).collect());
        assert_eq!(all.tidy(), Label::always());
        let p = Label((0..16).filter(|l| l & 4 != 0).map(|letter| Cube::letter(letter, 4)).collect());
        assert_eq!(p.tidy(), Label(vec![Cube::literal(2, true)]));
    }

    #[test]
    fn an_exploding_product_is_given_up() {
        let pair = |i: usize| Label(vec![Cube::literal(2 * i, true), Cube::literal(2 * i + 1, true)]);
        let mut product = Some(Label::always());
        for i in 0..32 {
            product = product.and_then(|p| p.and(&pair(i)));
        }
        assert_eq!(product, None);
        let ten = (0..10).try_fold(Label::always(), |p, i| p.and(&pair(i)));
        assert_eq!(ten.map(|p| p.0.len()), Some(1024));
    }
}
