//! Markings in few bytes.
//!
//! How many tokens a place can hold is not known before the net is explored, and to find a bound by linear algebra takes longer than
//! many an exploration. So the layout is a guess that need not be right:
//!
//! - *Level 0* gives each place the bits that a short random walk (`probe`) suggests: one bit for a place that was never seen to hold more
//!   than one token, none for a place that no transition changes. The places of a unit of a unit-safe nested-unit net share one
//!   small number that says which of them is marked (Garavel 2019, section 6).
//! - A marking that does not fit is written at *level* 1, 2 or 3, with one, two or four bytes per place.
//!
//! A marking is always written at the lowest level at which it fits, and each level has a length of its own, so that markings are
//! equal if and only if their bytes are. A wrong guess, or units that are not safe as declared, costs time and memory, never an answer.
//! (To restart with wider counters, as an exploration with fixed widths must, would lose what was explored.)
//!
//! No field of level 0 crosses a border between words of 64 bits: a word is read and written at once, and whether a transition is enabled is,
//! for all its places in one word that hold one token or are in units, one comparison with a mask.

use crate::net::{PetriNet, PlaceId};

/// Where a place is at level 0.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Slot {
    /// Nowhere: it always holds as many tokens.
    Constant(u32),
    /// A counter of its own.
    Counter(BitField),
    /// One of the values of the number that it shares with the other places of its unit.
    Member(BitField, u64),
}

/// Some bits of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BitField {
    pub(crate) word: u32,
    pub(crate) shift: u32,
    /// As wide as the field, at bit 0.
    pub(crate) mask: u64,
}

impl BitField {
    /// Its value.
    #[inline]
    pub(crate) fn get(self, words: &[u8]) -> u64 {
        word_at(words, self.word as usize) >> self.shift & self.mask
    }

    /// A value where it lies in the word.
    pub(crate) fn at(self, value: u64) -> u64 {
        value << self.shift
    }
}

/// A word of a buffer whose length is a multiple of eight.
#[inline]
pub(crate) fn word_at(words: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(words[8 * at..8 * at + 8].try_into().expect("eight bytes"))
}

/// Replaces a word.
#[inline]
pub(crate) fn set_word(words: &mut [u8], at: usize, word: u64) {
    words[8 * at..8 * at + 8].copy_from_slice(&word.to_le_bytes());
}

/// The bytes per place at the levels above 0.
const WIDE: [usize; 3] = [1, 2, 4];

/// How markings are written.
#[derive(Clone, Debug)]
pub(crate) struct MarkingLayout {
    pub(crate) slots: Vec<Slot>,
    /// The lengths of states at each level, ascending.
    lengths: [usize; 4],
    /// The number of words that hold a state of level 0.
    pub(crate) words: usize,
    /// The places that can change, which is what the levels above 0 write.
    changing: Vec<PlaceId>,
}

impl MarkingLayout {
    /// The layout for a net whose places were seen to hold at most so many tokens.
    pub(crate) fn new(net: &PetriNet, seen: &[u32]) -> Self {
        let mut changes = vec![false; net.places.len()];
        for t in 0..net.transitions.len() {
            net.effect(t as u32).iter().for_each(|&(place, _)| changes[place as usize] = true);
        }
        let mut slots: Vec<Slot> = net.initial.iter().map(|&tokens| Slot::Constant(tokens)).collect();
        // What shares a number, and how wide that is: widest first, so that what is left of words is filled.
        let mut fields: Vec<(u32, Vec<PlaceId>, bool)> = Vec::new();
        let mut in_unit = vec![false; net.places.len()];
        for unit in &net.units {
            let own: Vec<PlaceId> = unit.iter().copied().filter(|&place| changes[place as usize]).collect();
            let most = |&place: &PlaceId| seen[place as usize];
            // A unit that the walk has seen not to be safe is not one.
            if own.len() < 2 || own.iter().map(most).max() > Some(1) {
                continue;
            }
            own.iter().for_each(|&place| in_unit[place as usize] = true);
            fields.push((bits(own.len() as u64), own, true));
        }
        for place in 0..net.places.len() {
            if changes[place] && !in_unit[place] {
                let most = u64::from(seen[place]);
                // A little more than was seen, for a walk does not see the most.
                let width = if most <= 1 { 1 } else { bits(most + most / 2).min(32) };
                fields.push((width, vec![place as PlaceId], false));
            }
        }
        fields.sort_by_key(|(width, ..)| std::cmp::Reverse(*width));
        let mut words: Vec<u32> = Vec::new();
        // Words before this one are as good as full.
        let mut first = 0;
        for (width, places, shared) in fields {
            while first < words.len() && words[first] == 64 {
                first += 1;
            }
            let near = first..words.len().min(first + 8);
            let word = near.into_iter().find(|&word| words[word] + width <= 64).unwrap_or_else(|| {
                words.push(0);
                words.len() - 1
            });
            let field = BitField { word: word as u32, shift: words[word], mask: (1u64 << width) - 1 };
            words[word] += width;
            if shared {
                for (number, &place) in places.iter().enumerate() {
                    slots[place as usize] = Slot::Member(field, number as u64 + 1);
                }
            } else {
                slots[places[0] as usize] = Slot::Counter(field);
            }
        }
        let last = words.last().map_or(0, |&used| used.div_ceil(8) as usize);
        let narrow = (8 * words.len().saturating_sub(1) + last).max(1);
        let changing: Vec<PlaceId> =
            (0..net.places.len()).filter(|&p| changes[p]).map(|p| p as PlaceId).collect();
        let mut lengths = [narrow; 4];
        for (level, width) in WIDE.into_iter().enumerate() {
            lengths[level + 1] = (changing.len() * width).max(lengths[level] + 1);
        }
        Self { slots, lengths, words: words.len().max(1), changing }
    }

    /// How long a state of level 0 is.
    pub(crate) fn narrow(&self) -> usize {
        self.lengths[0]
    }

    /// Whether a state is one of level 0.
    #[inline]
    pub(crate) fn is_narrow(&self, state: &[u8]) -> bool {
        state.len() == self.lengths[0]
    }

    /// The tokens on a place in a state of level 0, of which `words` are the words.
    #[inline]
    pub(crate) fn tokens(&self, words: &[u8], place: PlaceId) -> u32 {
        match self.slots[place as usize] {
            Slot::Constant(tokens) => tokens,
            Slot::Counter(field) => field.get(words) as u32,
            Slot::Member(field, value) => u32::from(field.get(words) == value),
        }
    }

    /// Reads a marking; `words` is scratch space for it.
    pub(crate) fn decode(&self, state: &[u8], words: &mut [u8], marking: &mut Vec<u32>) {
        marking.clear();
        if self.is_narrow(state) {
            words[..state.len()].copy_from_slice(state);
            words[state.len()..].fill(0);
            marking.extend((0..self.slots.len()).map(|place| self.tokens(words, place as PlaceId)));
            return;
        }
        let level =
            self.lengths.iter().position(|&length| length == state.len()).expect("a state of the net");
        let width = WIDE[level - 1];
        marking.extend(self.slots.iter().map(|slot| match *slot {
            Slot::Constant(tokens) => tokens,
            _ => 0,
        }));
        for (number, &place) in self.changing.iter().enumerate() {
            let mut bytes = [0; 4];
            bytes[..width].copy_from_slice(&state[number * width..][..width]);
            marking[place as usize] = u32::from_le_bytes(bytes);
        }
    }

    /// Writes a marking, replacing what was in `out`; `words` is scratch space for it.
    pub(crate) fn encode(&self, marking: &[u32], words: &mut [u8], out: &mut Vec<u8>) {
        out.clear();
        if self.fill(marking, words) {
            out.extend_from_slice(&words[..self.lengths[0]]);
            return;
        }
        let most = self.changing.iter().map(|&place| marking[place as usize]).max().unwrap_or(0);
        let level = if most < 1 << 8 {
            1
        } else if most < 1 << 16 {
            2
        } else {
            3
        };
        let width = WIDE[level - 1];
        for &place in &self.changing {
            out.extend_from_slice(&marking[place as usize].to_le_bytes()[..width]);
        }
        out.resize(self.lengths[level], 0);
    }

    /// Writes a marking at level 0, if it fits.
    fn fill(&self, marking: &[u32], words: &mut [u8]) -> bool {
        words.fill(0);
        for (place, &tokens) in marking.iter().enumerate() {
            let tokens = u64::from(tokens);
            let (field, value) = match self.slots[place] {
                Slot::Constant(_) => continue,
                Slot::Counter(field) if tokens <= field.mask => (field, tokens),
                Slot::Member(field, value) if tokens == 1 && field.get(words) == 0 => (field, value),
                Slot::Member(..) if tokens == 0 => continue,
                Slot::Counter(_) | Slot::Member(..) => return false,
            };
            let word = word_at(words, field.word as usize);
            set_word(words, field.word as usize, word | field.at(value));
        }
        true
    }
}

/// The bits of the binary numbers from 0 to `most`.
fn bits(most: u64) -> u32 {
    (64 - most.leading_zeros()).max(1)
}
