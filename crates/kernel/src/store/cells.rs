//! A hash table of states that supports removal: shared by the replacing store and the irreplaceable part of a lossy
//! one.
//!
//! States lie in cells of one size; a longer state takes a chain of cells, so that freeing one never leaves a hole that
//! fits nothing. A cell that begins a state has a header with the links of its hash bucket: separate chaining, because
//! removal then needs neither tombstones nor the hashes of the neighbours.

use super::prefetch_line;

/// Index of a cell.
pub(super) type Cell = u32;
/// No cell.
pub(super) const NIL: Cell = Cell::MAX;

#[derive(Clone, Copy)]
pub(super) struct Header {
    /// Next state of the same bucket, or next free cell.
    next: Cell,
    /// Where the state goes on, for states longer than a cell.
    more: Cell,
    hash: u32,
    /// Length of the state.
    len: u32,
    /// Two words for the owner of the table, such as list links.
    pub(super) links: [u32; 2],
    /// A byte for the owner, such as the status.
    pub(super) tag: u8,
    /// Three more, which would otherwise be padding.
    pub(super) small: [u8; 3],
}

pub(super) struct Cells {
    heads: Vec<Cell>,
    headers: Vec<Header>,
    payload: Vec<u8>,
    cell: usize,
    free: Cell,
    len: usize,
}

impl Cells {
    /// A table whose cells hold `typical` bytes: the length of most states.
    pub(super) fn new(typical: usize) -> Self {
        Self {
            heads: vec![NIL; 64],
            headers: Vec::new(),
            payload: Vec::new(),
            cell: typical.clamp(4, 1 << 16).next_multiple_of(4),
            free: NIL,
            len: 0,
        }
    }

    /// Takes everything out. The memory stays.
    pub(super) fn clear(&mut self) {
        self.heads.fill(NIL);
        self.free = NIL;
        self.len = 0;
        for at in (0..self.headers.len() as Cell).rev() {
            self.release(at);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn bytes(&self) -> usize {
        self.heads.len() * 4 + self.headers.len() * size_of::<Header>() + self.payload.len()
    }

    /// Bytes by which the table would grow if a state of `len` bytes were put in now.
    pub(super) fn growth(&self, len: usize) -> usize {
        let mut cells = self.cells_for(len);
        let mut free = self.free;
        while cells > 0 && free != NIL {
            free = self.headers[free as usize].next;
            cells -= 1;
        }
        let heads = if self.len >= self.heads.len() { self.heads.len() * 4 } else { 0 };
        cells * (self.cell + size_of::<Header>()) + heads
    }

    pub(super) fn header(&self, at: Cell) -> &Header {
        &self.headers[at as usize]
    }

    pub(super) fn header_mut(&mut self, at: Cell) -> &mut Header {
        &mut self.headers[at as usize]
    }

    pub(super) fn bucket(&self, hash: u32) -> usize {
        hash as usize & (self.heads.len() - 1)
    }

    pub(super) fn heads(&self) -> &[Cell] {
        &self.heads
    }

    /// Asks for the first state of a bucket, header and bytes.
    pub(super) fn prefetch_first(&self, hash: u32) {
        let at = self.heads[self.bucket(hash)];
        if at != NIL {
            prefetch_line(&self.headers, at as usize);
            prefetch_line(&self.payload, at as usize * self.cell);
        }
    }

    pub(super) fn find(&self, state: &[u8], hash: u32) -> Option<Cell> {
        let mut at = self.heads[self.bucket(hash)];
        while at != NIL {
            let header = &self.headers[at as usize];
            if header.hash == hash && self.equals(at, header, state) {
                return Some(at);
            }
            at = header.next;
        }
        None
    }

    /// Puts in a state that is not there; `None` when the table can hold no more cells, or no state of this length.
    pub(super) fn insert(&mut self, state: &[u8], hash: u32, tag: u8) -> Option<Cell> {
        let len = u32::try_from(state.len()).ok()?;
        if self.headers.len() + self.cells_for(state.len()) >= NIL as usize {
            return None;
        }
        if self.len >= self.heads.len() {
            self.double_heads();
        }
        let mut more = NIL;
        let mut chunks = state.chunks(self.cell).rev();
        // The last chunk first, so that each cell knows its successor when it is filled.
        let first = chunks.len().saturating_sub(1);
        for chunk in chunks.by_ref().take(first) {
            let at = self.allocate();
            self.fill(at, chunk);
            self.headers[at as usize].more = more;
            more = at;
        }
        let at = self.allocate();
        if let Some(chunk) = chunks.next() {
            self.fill(at, chunk);
        }
        let bucket = self.bucket(hash);
        self.headers[at as usize] =
            Header { next: self.heads[bucket], more, hash, len, links: [NIL; 2], tag, small: [0; 3] };
        self.heads[bucket] = at;
        self.len += 1;
        Some(at)
    }

    /// Takes the state that begins at `at` out.
    pub(super) fn remove(&mut self, at: Cell) {
        let Header { next, mut more, hash, .. } = self.headers[at as usize];
        let bucket = self.bucket(hash);
        if self.heads[bucket] == at {
            self.heads[bucket] = next;
        } else {
            let mut before = self.heads[bucket];
            while self.headers[before as usize].next != at {
                before = self.headers[before as usize].next;
            }
            self.headers[before as usize].next = next;
        }
        self.release(at);
        while more != NIL {
            let after = self.headers[more as usize].more;
            self.release(more);
            more = after;
        }
        self.len -= 1;
    }

    pub(super) fn read(&self, at: Cell, out: &mut Vec<u8>) {
        out.clear();
        let (mut at, mut left) = (at, self.headers[at as usize].len as usize);
        loop {
            let here = left.min(self.cell);
            let start = at as usize * self.cell;
            out.extend_from_slice(&self.payload[start..start + here]);
            left -= here;
            if left == 0 {
                return;
            }
            at = self.headers[at as usize].more;
        }
    }

    fn equals(&self, at: Cell, header: &Header, state: &[u8]) -> bool {
        if header.len as usize != state.len() {
            return false;
        }
        let mut at = at;
        for chunk in state.chunks(self.cell) {
            let start = at as usize * self.cell;
            if &self.payload[start..start + chunk.len()] != chunk {
                return false;
            }
            at = self.headers[at as usize].more;
        }
        true
    }

    fn cells_for(&self, len: usize) -> usize {
        len.div_ceil(self.cell).max(1)
    }

    fn allocate(&mut self) -> Cell {
        if self.free != NIL {
            let at = self.free;
            self.free = self.headers[at as usize].next;
            return at;
        }
        let at = self.headers.len() as Cell;
        self.headers.push(Header {
            next: NIL,
            more: NIL,
            hash: 0,
            len: 0,
            links: [NIL; 2],
            tag: 0,
            small: [0; 3],
        });
        self.payload.resize(self.payload.len() + self.cell, 0);
        at
    }

    fn release(&mut self, at: Cell) {
        self.headers[at as usize].next = self.free;
        self.free = at;
    }

    fn fill(&mut self, at: Cell, chunk: &[u8]) {
        let start = at as usize * self.cell;
        self.payload[start..start + chunk.len()].copy_from_slice(chunk);
    }

    /// Doubles the buckets in place: the states of bucket b go to b and to b + n, so that no second array is needed.
    fn double_heads(&mut self) {
        let n = self.heads.len();
        self.heads.resize(2 * n, NIL);
        for bucket in 0..n {
            let mut at = std::mem::replace(&mut self.heads[bucket], NIL);
            while at != NIL {
                let Header { next, hash, .. } = self.headers[at as usize];
                let bucket = self.bucket(hash);
                self.headers[at as usize].next = self.heads[bucket];
                self.heads[bucket] = at;
                at = next;
            }
        }
    }
}
