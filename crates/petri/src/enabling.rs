//! Which transitions are enabled in a state of level 0, without looking at all of them, and what firing one changes.
//!
//! Each transition is listed under *one* of the places it consumes from, its trigger; only the transitions listed under marked places are
//! looked at. The trigger is the place that a random walk saw marked least often. With units one number says which place of a
//! unit is marked, so that a state is as many lookups as there are units. (To keep the set of enabled transitions with each state, changed by the step that led
//! there, would need less still; but a search hands over states only, and a set in each state would cost the memory that the layout saves.)
//!
//! A transition is a few comparisons of words with masks, and a few exclusive-ors: fields of one bit and units have a known value before and
//! after. Counters are compared and added to one by one.

use crate::layout::{BitField, MarkingLayout, Slot, set_word, word_at};
use crate::net::{PetriNet, PlaceId, TransitionId};
use crate::probe::Seen;
use std::ops::Range;

/// What a transition does to the fields of one word that have one bit, or are units.
#[derive(Clone, Copy, Debug, Default)]
struct WordChange {
    word: u32,
    /// The bits that enabledness depends on, and what they must be.
    test: u64,
    expect: u64,
    /// Bits of fields that must be empty for the result to fit.
    free: u64,
    /// The bits that change.
    flip: u64,
}

/// What it does to a counter.
#[derive(Clone, Copy, Debug)]
struct CounterChange {
    field: BitField,
    need: u64,
    add: i64,
}

/// A transition at level 0.
#[derive(Clone, Debug, Default)]
struct Compiled {
    words: Range<u32>,
    counters: Range<u32>,
    /// Whether what it puts never fits.
    escapes: bool,
    /// Whether it takes more than a state of level 0 ever has.
    impossible: bool,
}

/// The transitions that have a field as their trigger.
#[derive(Clone, Debug)]
enum Triggered {
    /// By the value that is marked.
    Unit(BitField, Vec<Range<u32>>),
    Counter(BitField, Range<u32>),
}

/// All transitions. See the [module](self).
#[derive(Debug)]
pub(crate) struct Enabling {
    compiled: Vec<Compiled>,
    words: Vec<WordChange>,
    counters: Vec<CounterChange>,
    /// Transitions by trigger.
    triggered: Vec<TransitionId>,
    /// Those that consume nothing, or only from places that never change.
    always: Range<u32>,
    /// For each word, its fields of one bit that are triggers; and the transitions of each bit.
    bits: Vec<(u64, u32)>,
    by_bit: Vec<Range<u32>>,
    others: Vec<Triggered>,
    /// The same by places, for states of other levels.
    by_place: Vec<Vec<TransitionId>>,
    without_place: Vec<TransitionId>,
}

impl Enabling {
    pub(crate) fn new(net: &PetriNet, layout: &MarkingLayout, seen: &Seen) -> Self {
        let (mut words, mut counters) = (Vec::new(), Vec::new());
        let compiled: Vec<Compiled> =
            (0..net.transitions.len()).map(|t| compile(net, layout, t, &mut words, &mut counters)).collect();
        let mut by_place: Vec<Vec<TransitionId>> = vec![Vec::new(); net.places.len()];
        let mut without_place = Vec::new();
        for t in 0..net.transitions.len() {
            let changing = net.consumes[t].iter().map(|(place, _)| *place);
            let changing = changing.filter(|&p| !matches!(layout.slots[p as usize], Slot::Constant(_)));
            let rarest = changing.min_by_key(|&p| (seen.marked[p as usize], by_place[p as usize].len()));
            // Of places that never change it is known now whether they let it pass.
            let passes = |&(p, weight): &(PlaceId, u32)| match layout.slots[p as usize] {
                Slot::Constant(tokens) => tokens >= weight,
                _ => true,
            };
            if !net.consumes[t].iter().all(passes) {
                continue;
            }
            match rarest {
                Some(place) => by_place[place as usize].push(t as TransitionId),
                None => without_place.push(t as TransitionId),
            }
        }
        let mut enabling = Self {
            compiled,
            words,
            counters,
            triggered: Vec::new(),
            always: 0..0,
            bits: vec![(0, 0); layout.words],
            by_bit: Vec::new(),
            others: Vec::new(),
            by_place,
            without_place,
        };
        enabling.index(net, layout);
        enabling
    }

    /// Lists the transitions that are possible at level 0 by the fields of their triggers.
    fn index(&mut self, net: &PetriNet, layout: &MarkingLayout) {
        let always = self.without_place.clone();
        self.always = self.list(&always);
        let mut units: Vec<(BitField, Vec<Range<u32>>)> = Vec::new();
        let mut single: Vec<Option<Range<u32>>> = vec![None; 64 * layout.words];
        for place in 0..net.places.len() {
            let own = std::mem::take(&mut self.by_place[place]);
            let range = self.list(&own);
            self.by_place[place] = own;
            if range.is_empty() {
                continue;
            }
            match layout.slots[place] {
                Slot::Constant(_) => unreachable!("a trigger changes"),
                Slot::Counter(field) if field.mask == 1 => {
                    single[64 * field.word as usize + field.shift as usize] = Some(range);
                }
                Slot::Counter(field) => self.others.push(Triggered::Counter(field, range)),
                Slot::Member(field, value) => {
                    let at = units.iter().rposition(|(other, _)| *other == field).unwrap_or_else(|| {
                        units.push((field, Vec::new()));
                        units.len() - 1
                    });
                    let values = &mut units[at].1;
                    values.resize(values.len().max(value as usize + 1), 0..0);
                    values[value as usize] = range;
                }
            }
        }
        self.others.extend(units.into_iter().map(|(field, mut values)| {
            // Every value of the field has an entry.
            values.resize(field.mask as usize + 1, 0..0);
            Triggered::Unit(field, values)
        }));
        // Counters first, then units, each in the order of memory.
        for (word, bits) in self.bits.iter_mut().enumerate() {
            bits.1 = self.by_bit.len() as u32;
            for bit in 0..64 {
                if let Some(range) = single[64 * word + bit].take() {
                    bits.0 |= 1 << bit;
                    self.by_bit.push(range);
                }
            }
        }
    }

    fn list(&mut self, transitions: &[TransitionId]) -> Range<u32> {
        let start = self.triggered.len() as u32;
        let possible = transitions.iter().copied().filter(|&t| !self.compiled[t as usize].impossible);
        self.triggered.extend(possible);
        start..self.triggered.len() as u32
    }

    /// Calls `found` with each transition that is enabled in the state of level 0 with these words.
    #[inline]
    pub(crate) fn each(&self, words: &[u8], mut found: impl FnMut(TransitionId)) {
        let mut look = |range: &Range<u32>| {
            for &t in &self.triggered[range.start as usize..range.end as usize] {
                if self.is_enabled(words, t) {
                    found(t);
                }
            }
        };
        look(&self.always);
        for (word, &(triggers, first)) in self.bits.iter().enumerate() {
            let mut marked = if triggers == 0 { 0 } else { word_at(words, word) & triggers };
            while marked != 0 {
                let before = (marked & marked.wrapping_neg()) - 1;
                look(&self.by_bit[first as usize + (triggers & before).count_ones() as usize]);
                marked &= marked - 1;
            }
        }
        for other in &self.others {
            match other {
                Triggered::Unit(field, values) => look(&values[field.get(words) as usize]),
                Triggered::Counter(field, range) => {
                    if field.get(words) > 0 {
                        look(range);
                    }
                }
            }
        }
    }

    /// Calls `found` with each transition that is enabled in a marking.
    pub(crate) fn each_in_marking(
        &self,
        net: &PetriNet,
        marking: &[u32],
        mut found: impl FnMut(TransitionId),
    ) {
        let marked = marking.iter().zip(&self.by_place).filter(|(tokens, _)| **tokens > 0);
        let looked_at = self.without_place.iter().chain(marked.flat_map(|(_, own)| own));
        looked_at.copied().filter(|&t| net.is_enabled(marking, t)).for_each(&mut found);
    }

    /// Whether a transition is enabled in the state of level 0 with these words; what it takes from places that never change is left out.
    #[inline]
    fn is_enabled(&self, words: &[u8], t: TransitionId) -> bool {
        let Compiled { words: range, counters, .. } = &self.compiled[t as usize];
        let changes = &self.words[range.start as usize..range.end as usize];
        changes.iter().all(|change| word_at(words, change.word as usize) & change.test == change.expect)
            && self.counters[counters.start as usize..counters.end as usize]
                .iter()
                .all(|change| change.field.get(words) >= change.need)
    }

    /// Whether a transition is enabled, also if nothing is known of places that never change.
    pub(crate) fn is_fireable(
        &self,
        net: &PetriNet,
        layout: &MarkingLayout,
        words: &[u8],
        t: TransitionId,
    ) -> bool {
        let constant = |&(place, weight): &(PlaceId, u32)| match layout.slots[place as usize] {
            Slot::Constant(tokens) => tokens >= weight,
            _ => true,
        };
        !self.compiled[t as usize].impossible
            && self.is_enabled(words, t)
            && net.consumes[t as usize].iter().all(constant)
    }

    /// Fires an enabled transition in the words of a state of level 0, if the result fits.
    #[inline]
    pub(crate) fn fire(&self, words: &mut [u8], t: TransitionId) -> bool {
        let Compiled { words: range, counters, escapes, .. } = &self.compiled[t as usize];
        let changes = &self.words[range.start as usize..range.end as usize];
        let counters = &self.counters[counters.start as usize..counters.end as usize];
        let fits = !escapes
            && changes.iter().all(|change| word_at(words, change.word as usize) & change.free == 0)
            && counters
                .iter()
                .all(|change| change.field.get(words).wrapping_add_signed(change.add) <= change.field.mask);
        if fits {
            for change in changes {
                let word = change.word as usize;
                set_word(words, word, word_at(words, word) ^ change.flip);
            }
            for change in counters {
                let word = change.field.word as usize;
                let added = (change.add as u64) << change.field.shift;
                set_word(words, word, word_at(words, word).wrapping_add(added));
            }
        }
        fits
    }

    /// Takes back what [`Enabling::fire`] has done.
    #[inline]
    pub(crate) fn unfire(&self, words: &mut [u8], t: TransitionId) {
        let Compiled { words: range, counters, .. } = &self.compiled[t as usize];
        for change in &self.words[range.start as usize..range.end as usize] {
            let word = change.word as usize;
            set_word(words, word, word_at(words, word) ^ change.flip);
        }
        for change in &self.counters[counters.start as usize..counters.end as usize] {
            let word = change.field.word as usize;
            let added = (change.add as u64) << change.field.shift;
            set_word(words, word, word_at(words, word).wrapping_sub(added));
        }
    }

    /// Bytes that it occupies, about.
    pub(crate) fn bytes(&self) -> usize {
        let compiled = self.compiled.len() * size_of::<Compiled>();
        let changes =
            self.words.len() * size_of::<WordChange>() + self.counters.len() * size_of::<CounterChange>();
        compiled + changes + 16 * self.compiled.len() + 32 * self.by_place.len()
    }
}

/// A unit, and its values before and after with what is taken and put.
type UnitChange = (BitField, Vec<(u64, u64, u64)>);

/// A transition as changes of words and counters.
fn compile(
    net: &PetriNet,
    layout: &MarkingLayout,
    t: usize,
    words: &mut Vec<WordChange>,
    counters: &mut Vec<CounterChange>,
) -> Compiled {
    let (first_word, first_counter) = (words.len() as u32, counters.len() as u32);
    let mut compiled = Compiled::default();
    let weight = |arcs: &[(PlaceId, u32)], place: PlaceId| {
        arcs.binary_search_by_key(&place, |arc| arc.0).map_or(0, |at| u64::from(arcs[at].1))
    };
    let (consumes, produces) = (&net.consumes[t], &net.produces[t]);
    let mut touched: Vec<PlaceId> = consumes.iter().chain(produces).map(|arc| arc.0).collect();
    touched.sort_unstable();
    touched.dedup();
    // Units: the value before, if it must be one, and the value after; and how much is taken and put.
    let mut units: Vec<UnitChange> = Vec::new();
    let mut changes: Vec<WordChange> = Vec::new();
    let mut change = |word: u32, test: u64, expect: u64, free: u64, flip: u64| {
        let at = changes.iter().position(|change| change.word == word).unwrap_or_else(|| {
            changes.push(WordChange { word, ..WordChange::default() });
            changes.len() - 1
        });
        let own = &mut changes[at];
        own.test |= test;
        own.expect |= expect;
        own.free |= free;
        own.flip |= flip;
    };
    for place in touched {
        let (takes, puts) = (weight(consumes, place), weight(produces, place));
        match layout.slots[place as usize] {
            Slot::Constant(_) => {}
            Slot::Counter(field) if field.mask == 1 => {
                let bit = field.at(1);
                compiled.impossible |= takes > 1;
                compiled.escapes |= puts > 1;
                let (test, flip) = (if takes == 1 { bit } else { 0 }, if takes == puts { 0 } else { bit });
                let free = if takes == 0 && puts == 1 { bit } else { 0 };
                change(field.word, test, test, free, flip);
            }
            Slot::Counter(field) => {
                compiled.impossible |= takes > field.mask;
                counters.push(CounterChange { field, need: takes, add: puts as i64 - takes as i64 });
            }
            Slot::Member(field, value) => {
                let at = units.iter().position(|(other, _)| *other == field).unwrap_or_else(|| {
                    units.push((field, Vec::new()));
                    units.len() - 1
                });
                units[at].1.push((value, takes, puts));
            }
        }
    }
    for (field, places) in units {
        let taken: u64 = places.iter().map(|(_, takes, _)| takes).sum();
        let put: u64 = places.iter().map(|(.., puts)| puts).sum();
        compiled.impossible |= taken > 1;
        compiled.escapes |= put > 1;
        let value_of = |has: fn(&(u64, u64, u64)) -> u64| {
            places.iter().find(|place| has(place) > 0).map_or(0, |(value, ..)| *value)
        };
        let (before, after) = (value_of(|place| place.1), value_of(|place| place.2));
        let whole = field.at(field.mask);
        if taken > 0 {
            change(field.word, whole, field.at(before), 0, field.at(before ^ after));
        } else {
            change(field.word, 0, 0, whole, field.at(after));
        }
    }
    // What is needed least often is compared first: words that only change come last.
    changes.sort_by_key(|change| change.test == 0);
    words.extend(changes);
    compiled.words = first_word..words.len() as u32;
    compiled.counters = first_counter..counters.len() as u32;
    compiled
}
