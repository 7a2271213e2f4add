//! The states of one level, as references, in chunks that are reused; workers claim them a few dozen at a time.

use crate::store::Ref;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many references a piece holds.
const PIECE: usize = 1024;
/// The bytes of a piece.
pub(super) const PIECE_BYTES: usize = PIECE * size_of::<Ref>();

pub(super) type Piece = Vec<Ref>;

/// A level being made: the last piece has room.
#[derive(Default)]
pub(super) struct NextLevel {
    pub(super) pieces: Vec<Piece>,
}

impl NextLevel {
    /// Adds a reference, unless a piece is needed first.
    #[inline]
    pub(super) fn push(&mut self, at: Ref) -> bool {
        match self.pieces.last_mut() {
            Some(piece) if piece.len() < PIECE => {
                piece.push(at);
                true
            }
            _ => false,
        }
    }
}

/// A new, empty piece.
pub(super) fn piece() -> Piece {
    Vec::with_capacity(PIECE)
}

/// A level being expanded.
///
/// What a worker has found lies in its lane, and is probably still in its cache: so it claims from there first, and then
/// helps the others with theirs.
pub(super) struct Level {
    lanes: Vec<Lane>,
    len: usize,
    /// How many are claimed at a time.
    step: usize,
}

/// What one worker has found, alone on its cache lines.
#[derive(Default)]
#[repr(align(128))]
struct Lane {
    claimed: AtomicUsize,
    pieces: Vec<Piece>,
    /// How many states lie before each piece.
    starts: Vec<usize>,
    len: usize,
}

impl Level {
    /// An empty level for so many workers.
    pub(super) fn new(workers: usize) -> Self {
        Self { lanes: (0..workers).map(|_| Lane::default()).collect(), len: 0, step: 0 }
    }

    /// Makes what each worker has found the level; the old pieces are handed back, empty.
    pub(super) fn replace<'p>(&mut self, found: impl Iterator<Item = &'p mut Vec<Piece>>) {
        self.len = 0;
        for (lane, pieces) in self.lanes.iter_mut().zip(found) {
            lane.replace(pieces);
            self.len += lane.len;
        }
        // Few enough for all workers to end together, many enough to claim seldom.
        let workers = self.lanes.len();
        self.step = if workers == 1 { 256 } else { (self.len / (workers * 8)).clamp(16, 256) };
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Writes states that nobody else has claimed to `out`, replacing what was there; false if none is left.
    pub(super) fn claim(&self, worker: usize, out: &mut Vec<Ref>) -> bool {
        out.clear();
        let (before, from_own) = self.lanes.split_at(worker);
        from_own.iter().chain(before).any(|lane| lane.claim(self.step, out))
    }
}

impl Lane {
    fn replace(&mut self, pieces: &mut Vec<Piece>) {
        std::mem::swap(&mut self.pieces, pieces);
        pieces.iter_mut().for_each(Vec::clear);
        self.starts.clear();
        self.len = 0;
        for piece in &self.pieces {
            self.starts.push(self.len);
            self.len += piece.len();
        }
        *self.claimed.get_mut() = 0;
    }

    fn claim(&self, step: usize, out: &mut Vec<Ref>) -> bool {
        // A lane that is empty for others is not to be written to by everybody.
        if self.claimed.load(Ordering::Relaxed) >= self.len {
            return false;
        }
        let mut from = self.claimed.fetch_add(step, Ordering::Relaxed);
        let to = self.len.min(from.saturating_add(step));
        if from >= to {
            return false;
        }
        let mut number = self.starts.partition_point(|&start| start <= from) - 1;
        while from < to {
            let (piece, start) = (&self.pieces[number], self.starts[number]);
            let end = to.min(start + piece.len());
            out.extend_from_slice(&piece[from - start..end - start]);
            from = end;
            number += 1;
        }
        true
    }
}
