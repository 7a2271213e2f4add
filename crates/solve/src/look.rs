//! A look around a vertex: breadth first, within its block, as far as so many vertices.
//!
//! What is found is a vertex that decides, or a cycle where cycles decide: then all vertices on the way have that value. If everything there is was seen and nothing of it decides, all of
//! it has the other value, unless cycles decide: of these only those are seen that lead back to the way by which they were met. Vertices of other blocks count as
//! far as they are known. A look keeps nothing but these values: what it has seen beside the way is looked at again by whoever needs it.

use crate::components::{Values, decisive};
use crate::table::mix;
use crate::{Game, Obligation};

/// What a look has found.
pub(crate) enum Seen {
    /// The value of the first vertex.
    Value,
    /// Nothing, and there is no more to be seen.
    Everything,
    /// Nothing so far.
    Nothing,
}

/// Room for looks, which follow each other.
#[derive(Default)]
pub(crate) struct Look {
    /// The vertices in the order in which they were met, each with the place of the one that led to it.
    met: Vec<(u32, u32)>,
    /// Which these are: a hash table of places, each with the number of the look that it belongs to.
    slots: Vec<(u32, u32)>,
    number: u32,
    obligations: Vec<Obligation>,
    /// How many vertices all looks have cost.
    pub(crate) spent: u64,
}

/// So far back a cycle is looked for.
const LONGEST_CYCLE: usize = 64;

impl Look {
    pub(crate) fn bytes(&self) -> usize {
        8 * (self.met.capacity() + self.slots.capacity())
    }

    /// Looks at up to `size` vertices, the first of which has no value. That is work, and not what is said to be looked at: they are looked at again.
    pub(crate) fn around<G: Game<Vertex = u32>>(
        &mut self,
        game: &mut G,
        values: &mut Values,
        root: u32,
        size: u32,
    ) -> Result<Seen, G::Stop> {
        let class = game.class(root);
        let (decisive, cycles_decide) = decisive(class.rule);
        self.begin(root);
        let (mut at, mut complete) = (0, true);
        // One of which a glance has told that it decides.
        let mut urgent: Option<u32> = None;
        while at < self.met.len() && at < size as usize {
            let place = urgent.take().unwrap_or_else(|| {
                at += 1;
                at as u32 - 1
            });
            let (vertex, _) = self.met[place as usize];
            self.spent += 1;
            game.work(1)?;
            game.obligations(vertex, decisive, &mut self.obligations)?;
            let obligation = match self.obligations[..] {
                [] => return Ok(self.found(values, place, decisive)),
                [obligation] => obligation,
                _ => unreachable!("in this block, one successor decides"),
            };
            for number in 0..obligation.len {
                let Some(candidate) = game.candidate(vertex, obligation, number) else { continue };
                let to = candidate.target;
                match values.value(to) {
                    Some(value) if value == decisive => return Ok(self.found(values, place, decisive)),
                    Some(_) => continue,
                    None => {}
                }
                if game.class(to).block != class.block {
                    complete = false;
                    continue;
                }
                let (other, new) = self.meet(to, place);
                if new {
                    if urgent.is_none() && game.glance(to)? == Some(decisive) {
                        urgent = Some(other);
                    }
                } else if cycles_decide && self.leads_to(other, place) {
                    return Ok(self.found(values, place, decisive));
                }
            }
        }
        if at < self.met.len() {
            return Ok(Seen::Nothing);
        }
        if cycles_decide || !complete {
            return Ok(Seen::Everything);
        }
        self.met.iter().for_each(|&(vertex, _)| values.decide(vertex, !decisive));
        Ok(Seen::Value)
    }

    fn begin(&mut self, root: u32) {
        self.met.clear();
        if self.number == u32::MAX {
            self.slots.fill((0, 0));
            self.number = 0;
        }
        self.number += 1;
        self.meet(root, 0);
    }

    /// The place of a vertex, and whether it is new.
    fn meet(&mut self, vertex: u32, from: u32) -> (u32, bool) {
        if self.met.len() * 2 >= self.slots.len() {
            let longer = (self.slots.len() * 2).max(64);
            self.slots.clear();
            self.slots.resize(longer, (0, 0));
            for (place, &(vertex, _)) in self.met.iter().enumerate() {
                let mut slot = mix(u64::from(vertex)) as usize & (longer - 1);
                while self.slots[slot].0 == self.number {
                    slot = (slot + 1) & (longer - 1);
                }
                self.slots[slot] = (self.number, place as u32);
            }
        }
        let mask = self.slots.len() - 1;
        let mut slot = mix(u64::from(vertex)) as usize & mask;
        while self.slots[slot].0 == self.number {
            let place = self.slots[slot].1;
            if self.met[place as usize].0 == vertex {
                return (place, false);
            }
            slot = (slot + 1) & mask;
        }
        let place = self.met.len() as u32;
        self.slots[slot] = (self.number, place);
        self.met.push((vertex, from));
        (place, true)
    }

    /// Whether a vertex is on the way to another, not too far back.
    fn leads_to(&self, first: u32, mut last: u32) -> bool {
        for _ in 0..LONGEST_CYCLE {
            if last == first {
                return true;
            }
            if last == 0 {
                return false;
            }
            last = self.met[last as usize].1;
        }
        false
    }

    /// All on the way to this place have a value: those on a cycle that ends here, and those before it.
    fn found(&self, values: &mut Values, mut place: u32, value: bool) -> Seen {
        loop {
            let (vertex, from) = self.met[place as usize];
            values.decide(vertex, value);
            if place == 0 {
                return Seen::Value;
            }
            place = from;
        }
    }
}
