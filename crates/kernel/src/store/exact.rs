//! The exact store: every state once, byte for byte, permanently.
//!
//! An arena holds the states one after the other, each after a four-byte header (its length, its status, and its
//! [second mark](super::TwoMarks)) and, if wanted, a number that a search gives it ([`Numbered`]); an open-addressing
//! hash table of 64-bit words points into it. A word is a fingerprint and an offset: 29 bits of the state's 64-bit hash
//! beside 35 bits of arena position (in units of four bytes: 128 GiB). The word's place in the table carries the hash's
//! upper bits, so the fingerprint is taken from the lower ones, and a word that matches belongs to another state with a
//! probability of about 2^-29: one look-up costs one cache miss in the table and, if the state is known, one in the
//! arena.
//!
//! Full 64-bit fingerprints beside a 64-bit offset were considered: they double the table to save one arena access in
//! 500 million. The table contains nothing that the arena does not, so it grows by being dropped and rebuilt from the
//! arena, in one sequential pass: unlike copying, this never needs two tables at once, so that a memory limit can be
//! kept.

use super::pages::{advise_huge, zeroes};
use super::{
    Known, Marks, Numbers, Ref, Retains, Room, Sleeps, States, Status, Store, Visit, hash64, prefetch_line,
    spread,
};
use crate::verdict::Limit;

/// A store that forgets nothing and confuses nothing. The head of its source file explains it.
pub struct Exact<const NUMBER: usize = 0> {
    /// 0 = free, else fingerprint << 35 | (arena offset / 4 + 1).
    table: Vec<u64>,
    /// header, bytes, padding to four; again and again.
    arena: Vec<u8>,
    len: u64,
    /// How many states have the second mark.
    pub(super) second: u64,
}

/// The exact store that also keeps a number for each state: four bytes more.
pub type Numbered = Exact<4>;

const OFFSET_BITS: u32 = 35;
const OFFSET_MASK: u64 = (1 << OFFSET_BITS) - 1;
/// A table is let fill to 3/4 before it grows; without room to grow, to 15/16 before the store is full.
const FIRST_SLOTS: usize = 1 << 10;
const SMALL_SLOTS: usize = 1 << 16;

impl<const NUMBER: usize> Default for Exact<NUMBER> {
    fn default() -> Self {
        Self { table: vec![0; FIRST_SLOTS], arena: Vec::new(), len: 0, second: 0 }
    }
}

impl Exact {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<const NUMBER: usize> Exact<NUMBER> {
    const HEADER: usize = 4 + NUMBER;

    fn word(hash: u64, offset: usize) -> u64 {
        (hash << OFFSET_BITS) | (offset as u64 / 4 + 1)
    }

    fn offset_of(word: u64) -> usize {
        ((word & OFFSET_MASK) as usize - 1) * 4
    }

    /// length << 4 | second mark << 2 | status
    fn header(&self, offset: usize) -> u32 {
        u32::from_le_bytes(self.arena[offset..offset + 4].try_into().expect("four bytes"))
    }

    fn bytes_at(&self, offset: usize) -> &[u8] {
        let len = (self.header(offset) >> 4) as usize;
        &self.arena[offset + Self::HEADER..offset + Self::HEADER + len]
    }

    fn entry_size(len: usize) -> usize {
        Self::HEADER + len.next_multiple_of(4)
    }

    /// Takes the second mark away from every state.
    pub(super) fn clear_second(&mut self) {
        let mut offset = 0;
        while offset < self.arena.len() {
            self.set_second_mark(Ref(offset as u64), 0);
            offset += Self::entry_size(self.bytes_at(offset).len());
        }
        self.second = 0;
    }

    /// Where a state lies.
    pub(super) fn place(&self, state: &[u8], hash: u64) -> Option<Ref> {
        let slot = self.slot(state, hash).ok()?;
        Some(Ref(Self::offset_of(self.table[slot]) as u64))
    }

    /// The two bits of the second mark, 0 if it was never set.
    pub(super) fn second_mark(&self, at: Ref) -> u8 {
        self.arena[at.0 as usize] >> 2 & 3
    }

    pub(super) fn set_second_mark(&mut self, at: Ref, mark: u8) {
        let first = &mut self.arena[at.0 as usize];
        *first = (*first & !0xc) | mark << 2;
    }

    /// The slot of the state, or the free slot where it belongs.
    fn slot(&self, state: &[u8], hash: u64) -> Result<usize, usize> {
        let mut slot = spread(hash, self.table.len());
        loop {
            let word = self.table[slot];
            if word == 0 {
                return Err(slot);
            }
            if (word ^ (hash << OFFSET_BITS)) >> OFFSET_BITS == 0
                && self.bytes_at(Self::offset_of(word)) == state
            {
                return Ok(slot);
            }
            slot += 1;
            if slot == self.table.len() {
                slot = 0;
            }
        }
    }

    /// Makes room for one more state of `len` bytes, or says why there is none.
    fn make_room(&mut self, len: usize, room: Room) -> Result<(), Limit> {
        let needed = Self::entry_size(len);
        let slots = self.table.len();
        let arena = self.arena.len() + needed;
        let used = self.len as usize + 1;
        if len >= 1 << 28 || arena / 4 >= OFFSET_MASK as usize {
            return Err(Limit::Memory);
        }
        if used * 4 > slots * 3 {
            // A small table grows faster: its memory is nothing, and each pass over the states costs time.
            let grown = if slots < SMALL_SLOTS { slots * 4 } else { slots * 2 };
            if arena + grown * 8 <= room.bytes {
                self.rebuild(grown);
            } else {
                // No room to double. Take what there is, but leave the arena its share: as many more states as there
                // is room for, each with its bytes and a slot. And only if it is worth a pass.
                let state_bytes = self.arena.len().div_ceil(self.len.max(1) as usize);
                let free = room.bytes.saturating_sub(arena + used * 9);
                let modest = (used + free / (state_bytes + 9)) * 16 / 15;
                if modest > slots + slots / 16 && arena + modest * 8 <= room.bytes {
                    self.rebuild(modest);
                }
            }
        }
        if used * 16 > self.table.len() * 15 || arena + self.table.len() * 8 > room.bytes {
            return Err(Limit::Memory);
        }
        Ok(())
    }

    fn rebuild(&mut self, slots: usize) {
        // The old table goes before the new one comes: see the module header.
        self.table = Vec::new();
        self.table = zeroes(slots);
        let mut offset = 0;
        // The states come one after the other out of the arena but go anywhere in the table: a batch of places is
        // asked for before the first is needed, or every state would wait for memory.
        let mut batch = [(0, 0); 16];
        while offset < self.arena.len() {
            let mut n = 0;
            while n < batch.len() && offset < self.arena.len() {
                let state = self.bytes_at(offset);
                let hash = hash64(state);
                batch[n] = (hash, offset);
                prefetch_line(&self.table, spread(hash, slots));
                offset += Self::entry_size(state.len());
                n += 1;
            }
            for &(hash, offset) in &batch[..n] {
                let mut slot = spread(hash, slots);
                while self.table[slot] != 0 {
                    slot = if slot + 1 == slots { 0 } else { slot + 1 };
                }
                self.table[slot] = Self::word(hash, offset);
            }
        }
    }

    #[inline]
    fn push(&mut self, state: &[u8], status: Status) -> usize {
        let offset = self.arena.len();
        let size = Self::entry_size(state.len());
        if self.arena.capacity() - offset < size {
            self.lengthen(size);
        }
        let header = (state.len() as u32) << 4 | status as u32;
        self.arena.extend_from_slice(&header.to_le_bytes());
        self.arena.extend_from_slice(&[0; NUMBER]);
        self.arena.extend_from_slice(state);
        if self.arena.len() < offset + size {
            self.arena.resize(offset + size, 0);
        }
        self.len += 1;
        offset
    }

    /// Doubles the arena's capacity. What is not yet used costs no memory, only addresses.
    #[cold]
    fn lengthen(&mut self, size: usize) {
        self.arena.reserve(size);
        advise_huge(&mut self.arena);
    }

    fn find_or_insert(
        &mut self,
        state: &[u8],
        hash: u64,
        status: Status,
        room: Room,
    ) -> Result<Visit, Limit> {
        let mut slot = match self.slot(state, hash) {
            Ok(slot) => return Ok(Visit::Known(self.known(slot))),
            Err(free) => free,
        };
        let slots = self.table.len();
        self.make_room(state.len(), room)?;
        if self.table.len() != slots {
            slot = self.slot(state, hash).expect_err("the state is not there yet");
        }
        let offset = self.push(state, status);
        self.table[slot] = Self::word(hash, offset);
        Ok(Visit::New(Ref(offset as u64)))
    }

    fn known(&self, slot: usize) -> Known {
        let offset = Self::offset_of(self.table[slot]);
        Known { status: Status::from_bits(self.header(offset)), at: Ref(offset as u64) }
    }
}

impl<const NUMBER: usize> States for Exact<NUMBER> {
    type Hash = u64;

    fn hash(&self, state: &[u8]) -> u64 {
        hash64(state)
    }

    fn prefetch(&self, hash: u64) {
        prefetch_line(&self.table, spread(hash, self.table.len()));
    }

    fn prefetch_bytes(&self, hash: u64, len: usize) {
        // Further on than that it seldom is, and this must be cheaper than what it saves.
        for &word in self.table[spread(hash, self.table.len())..].iter().take(4) {
            if word == 0 {
                return;
            }
            if (word ^ (hash << OFFSET_BITS)) >> OFFSET_BITS == 0 {
                let offset = Self::offset_of(word);
                prefetch_line(&self.arena, offset);
                prefetch_line(&self.arena, offset + Self::HEADER + len);
                return;
            }
        }
    }

    fn hint(&self, hash: u64) -> u32 {
        (hash >> 32) as u32
    }

    fn prefetch_hint(&self, hint: u32) {
        prefetch_line(&self.table, spread(u64::from(hint) << 32, self.table.len()));
    }

    /// The hint has no fingerprint, but most states lie in the slot where they belong.
    fn prefetch_hint_bytes(&self, hint: u32) {
        let word = self.table[spread(u64::from(hint) << 32, self.table.len())];
        if word != 0 {
            prefetch_line(&self.arena, Self::offset_of(word));
            prefetch_line(&self.arena, Self::offset_of(word) + 63);
        }
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn bytes(&self) -> usize {
        self.table.len() * 8 + self.arena.len()
    }

    fn insertions(&self) -> u64 {
        self.len
    }

    fn clear(&mut self) {
        self.table.fill(0);
        self.arena.clear();
        (self.len, self.second) = (0, 0);
    }
}

impl<const NUMBER: usize> Store for Exact<NUMBER> {
    fn find(&mut self, state: &[u8], hash: u64) -> Option<Known> {
        self.slot(state, hash).ok().map(|slot| self.known(slot))
    }

    fn visit(&mut self, state: &[u8], hash: u64, room: Room) -> Result<Visit, Limit> {
        self.find_or_insert(state, hash, Status::Path, room)
    }

    fn set_status(&mut self, at: Ref, status: Status) {
        let first = &mut self.arena[at.0 as usize];
        *first = (*first & !3) | status as u8;
    }

    fn read(&self, at: Ref, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(self.bytes_at(at.0 as usize));
    }
}

impl<const NUMBER: usize> Retains for Exact<NUMBER> {}

impl Numbers for Numbered {
    fn number(&self, at: Ref) -> u32 {
        let offset = at.0 as usize + 4;
        u32::from_le_bytes(self.arena[offset..offset + 4].try_into().expect("four bytes"))
    }

    fn set_number(&mut self, at: Ref, number: u32) {
        let offset = at.0 as usize + 4;
        self.arena[offset..offset + 4].copy_from_slice(&number.to_le_bytes());
    }
}

impl Sleeps for Numbered {
    const PROCESSES: u32 = u32::MAX;

    fn asleep(&self, at: Ref) -> u32 {
        self.number(at)
    }

    fn set_asleep(&mut self, at: Ref, processes: u32) {
        self.set_number(at, processes);
    }

    fn reopen(&mut self, at: Ref) {
        self.set_status(at, Status::Path);
    }
}

impl<const NUMBER: usize> Marks for Exact<NUMBER> {
    fn is_marked(&self, state: &[u8], hash: u64) -> bool {
        self.slot(state, hash).is_ok()
    }

    fn mark(&mut self, state: &[u8], hash: u64, room: Room) -> Result<bool, Limit> {
        Ok(matches!(self.find_or_insert(state, hash, Status::Visited, room)?, Visit::New(_)))
    }
}
