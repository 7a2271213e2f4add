//! Whether an automaton can tell how often a letter is repeated.
//!
//! Partial order reduction keeps runs up to repetitions of what they look like. So a property may be asked of the reduced
//! system if its language has, with a word, all words that differ from it in finite repetitions only: it is *invariant
//! under stuttering* (Lamport 1983). Formulas without X are; so are some with it, and most never claims and automata from
//! files, where there is no X to look for.
//!
//! Two words that differ in repetitions have one in common that repeats at least as often as either. So it is enough
//! that the language is closed under repeating letters and under leaving repetitions out. For each there is an automaton
//! of what comes about that way, and the question is whether the given automaton accepts all of it. That is *shown* by a game
//! (fair simulation: Henzinger, Kupferman, Rajamani 1997): one player takes the edges of that automaton, the other
//! answers with edges of the given one for the same letters, and must meet the acceptance set again and again if the first does. If the second
//! player can always win, it is so; if not, it may still be so, and we do not know. (Exact tests need the negation as well:
//! Michaud, Duret-Lutz, SPIN 2015. Of a claim there is none.)

use crate::automaton::{Automaton, Letter};
use crate::degeneralise::degeneralise;

/// At most so many propositions are looked at letter by letter.
pub const MOST_PROPOSITIONS: usize = 8;

/// At most so many pairs of a position of one player and one of the other.
const MOST_PAIRS: usize = 20_000;

/// Whether it is shown that the automaton cannot tell how often letters are repeated, on words of all letters that its
/// propositions allow.
pub fn is_invariant(automaton: &Automaton) -> bool {
    let count = automaton.propositions.len();
    count <= MOST_PROPOSITIONS && is_invariant_on(automaton, &(0..1 << count).collect::<Vec<Letter>>())
}

/// The same on words of these letters only.
pub fn is_invariant_on(automaton: &Automaton, letters: &[Letter]) -> bool {
    let with_one_set;
    let one = if automaton.sets > 1 {
        with_one_set = degeneralise(automaton);
        &with_one_set
    } else {
        automaton
    };
    let given = Player::new(one, letters);
    let pairs = given.moves.len() * given.moves.len() * (letters.len() + 1);
    pairs <= MOST_PAIRS
        && given.imitates(&given.leaving_out())
        && [false, true].into_iter().any(|before| given.imitates(&given.repeating(before)))
}

/// An automaton letter by letter.
struct Player {
    initial: usize,
    /// By state and letter.
    moves: Vec<Vec<Vec<Move>>>,
}

#[derive(Clone, Copy, PartialEq)]
struct Move {
    /// Whether it belongs to the acceptance set.
    accepts: bool,
    to: usize,
}

impl Player {
    fn new(automaton: &Automaton, letters: &[Letter]) -> Self {
        let of = |edges: &Vec<crate::automaton::Edge>, letter: Letter| {
            let taken = edges.iter().filter(|edge| edge.label.admits(letter));
            // Without a set every run is accepted.
            let accepts = |marks| automaton.sets == 0 || marks != 0;
            taken.map(|edge| Move { accepts: accepts(edge.marks.0), to: edge.to.index() }).collect()
        };
        let moves =
            automaton.edges.iter().map(|edges| letters.iter().map(|&letter| of(edges, letter)).collect());
        Self { initial: automaton.initial.index(), moves: moves.collect() }
    }

    /// What is accepted if letters may be repeated, but not for ever. Whoever has read a letter may read it again and stay
    /// where it went; or, `before` that, read it and stay where it was, as long as it goes with that letter in the end. Both accept
    /// the same words, but one may be easier to imitate than the other.
    fn repeating(&self, before: bool) -> Self {
        let letters = self.moves[0].len();
        // A state and the letter that may be repeated there; after these, the states as they are.
        let held = |state: usize, letter: usize| state * letters + letter;
        let free = |state: usize| self.moves.len() * letters + state;
        let moved = |state: usize, repeated: Option<usize>| -> Vec<Vec<Move>> {
            (0..letters)
                .map(|letter| {
                    if before && repeated.is_some_and(|repeated| repeated != letter) {
                        return Vec::new();
                    }
                    let own = self.moves[state][letter].iter();
                    let arrives = |to: usize| if before { free(to) } else { held(to, letter) };
                    let own = own.map(|&go| Move { to: arrives(go.to), ..go });
                    let again = Move { accepts: false, to: held(state, letter) };
                    let stays = repeated == Some(letter) || (before && own.len() > 0);
                    own.chain(stays.then_some(again)).collect()
                })
                .collect()
        };
        let states = || 0..self.moves.len();
        let all = states().flat_map(|state| (0..letters).map(move |letter| (state, Some(letter))));
        let all = all.chain(states().map(|state| (state, None)));
        let moves = all.map(|(state, repeated)| moved(state, repeated)).collect();
        Self { initial: free(self.initial), moves }
    }

    /// What is accepted if repetitions may be left out: several moves with one letter are one.
    fn leaving_out(&self) -> Self {
        let closed = |state: usize, letter: usize| {
            let mut found: Vec<Move> = self.moves[state][letter].clone();
            let mut next = 0;
            while let Some(&first) = found.get(next) {
                for second in &self.moves[first.to][letter] {
                    let both = Move { accepts: first.accepts || second.accepts, to: second.to };
                    if !found.contains(&both) {
                        found.push(both);
                    }
                }
                next += 1;
            }
            found
        };
        let letters = self.moves[0].len();
        let states = 0..self.moves.len();
        let moves = states.map(|state| (0..letters).map(|letter| closed(state, letter)).collect()).collect();
        Self { initial: self.initial, moves }
    }

    /// Whether this player can always answer the other, so that it accepts what the other accepts.
    ///
    /// A parity game: an accepting answer is best (2), an accepting move that is not answered so is bad (1) if it comes
    /// again and again without one, and anything else decides nothing (0). Three nested fixpoints, the outermost one the
    /// greatest.
    fn imitates(&self, other: &Self) -> bool {
        let all = vec![true; self.moves.len() * other.moves.len()];
        let none = vec![false; all.len()];
        let won = fixpoint(all.clone(), |again| {
            fixpoint(none.clone(), |sooner| {
                fixpoint(all.clone(), |ever| self.answers(other, [ever, sooner, again]))
            })
        });
        won[other.initial * self.moves.len() + self.initial]
    }

    /// The pairs at which every move can be answered so that the pair after it is in the set of its priority.
    fn answers(&self, other: &Self, sets: [&[bool]; 3]) -> Vec<bool> {
        let mut answered = Vec::with_capacity(sets[0].len());
        for asks in &other.moves {
            for own in &self.moves {
                answered.push(asks.iter().zip(own).all(|(asked, own)| {
                    asked.iter().all(|asked| {
                        own.iter().any(|answer| {
                            let priority = if answer.accepts { 2 } else { usize::from(asked.accepts) };
                            sets[priority][asked.to * self.moves.len() + answer.to]
                        })
                    })
                }));
            }
        }
        answered
    }
}

/// Repeats a step until it changes nothing.
fn fixpoint(mut set: Vec<bool>, step: impl Fn(&[bool]) -> Vec<bool>) -> Vec<bool> {
    loop {
        let next = step(&set);
        if next == set {
            return set;
        }
        set = next;
    }
}
