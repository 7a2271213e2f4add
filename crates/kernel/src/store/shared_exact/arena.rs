//! The arena of the shared exact store. A record is one word with the length and the position of the parent, then the
//! words that searches attach to a state ([`Noted`](crate::store::Noted); most searches have none), and then the state.
//!
//! The arena is one piece of address space. Each worker fills chunks of it that no other worker writes, taken one by
//! one within what [`Arena::grow`] has granted; so writing needs no synchronisation, and nothing is allocated while
//! workers run.
//!
//! States are copied and compared as bytes, not as atomic words, which took twice as many instructions. That is
//! `unsafe`, and the argument is always the same: a record is written in a chunk that only its worker has, before its
//! position is published, and never again; a worker that knows a position got it from the table, with an acquiring
//! load, or has written the record itself, or received it from a worker that knew it.

use crate::store::pages::Reserved;
use crate::store::sync::{AtomicU64, AtomicUsize, Ordering};
use crate::store::{Full, Ref, prefetch_line};
use std::ops::Range;
use std::sync::Mutex;

use super::table::POSITION_BITS;

const POSITION_MASK: u64 = (1 << POSITION_BITS) - 1;
/// Addresses for as many words as a position can tell apart.
const RESERVED: usize = if cfg!(loom) { 256 } else { 1 << POSITION_BITS };
/// The least that is granted at a time, and the most, for each worker.
const LEAST_GRANT: usize = if cfg!(loom) { 16 } else { 1 << 9 };
const MOST_GRANT: usize = 1 << 22;
/// The largest piece that a worker takes unless it has a larger record: few huge pages.
const MOST_PIECE: usize = 1 << 19;
/// How many words before the next record memory is fetched.
const AHEAD: usize = 64;
/// Beyond this state length the header's field would overflow.
const LONGEST_STATE: usize = (1 << (64 - POSITION_BITS)) - 2;

pub(super) struct Arena<const NOTES: usize> {
    words: Reserved,
    /// How many words workers may take in all, and have taken.
    granted: usize,
    taken: AtomicUsize,
    /// The words of the longest record that found no room.
    wanted: AtomicUsize,
    /// What was taken, for whoever wants to see all records.
    pieces: Mutex<Vec<Range<usize>>>,
    threads: usize,
}

/// A worker's piece: where its next record begins, and where the piece ends.
#[derive(Default)]
pub(super) struct Piece {
    next: usize,
    end: usize,
}

impl<const NOTES: usize> Arena<NOTES> {
    /// Words before the state.
    const HEAD: usize = 1 + NOTES;

    pub(super) fn new(threads: usize) -> Self {
        Self {
            words: Reserved::new(RESERVED),
            granted: 0,
            taken: AtomicUsize::new(0),
            wanted: AtomicUsize::new(0),
            pieces: Mutex::default(),
            threads,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.granted * 8
    }

    #[inline]
    pub(super) fn prefetch(&self, at: u64) {
        prefetch_line(&self.words, at as usize);
        prefetch_line(&self.words, at as usize + 8);
    }

    #[inline]
    pub(super) fn read(&self, at: u64, out: &mut Vec<u8>) {
        let at = at as usize;
        let len = length(self.words[at].load(Ordering::Relaxed));
        #[allow(unsafe_code)]
        // SAFETY: the record was complete before its position was known to anybody, and does not change.
        let state = unsafe { self.words.bytes(at + Self::HEAD, len) };
        out.clear();
        out.extend_from_slice(state.as_ref());
    }

    /// The state of a record, where it lies.
    #[cfg(not(loom))]
    #[inline]
    pub(super) fn state(&self, at: u64) -> &[u8] {
        let at = at as usize;
        let len = length(self.words[at].load(Ordering::Relaxed));
        #[allow(unsafe_code)]
        // SAFETY: the record was complete before its position was known to anybody, and does not change.
        unsafe {
            self.words.bytes(at + Self::HEAD, len)
        }
    }

    /// A word beside the state of a record; 0 at first, and the only part of a record that changes.
    #[inline]
    pub(super) fn note(&self, at: u64, which: usize) -> &AtomicU64 {
        debug_assert!(which < NOTES, "there is no such note");
        &self.words[at as usize + 1 + which]
    }

    pub(super) fn parent(&self, at: u64) -> Option<Ref> {
        let parent = self.words[at as usize].load(Ordering::Relaxed) & POSITION_MASK;
        (parent != POSITION_MASK).then_some(Ref(parent))
    }

    #[inline]
    pub(super) fn equals(&self, at: u64, state: &[u8]) -> bool {
        let at = at as usize;
        if length(self.words[at].load(Ordering::Relaxed)) != state.len() {
            return false;
        }
        #[allow(unsafe_code)]
        // SAFETY: the record was complete before its position was known to anybody, and does not change.
        let known = unsafe { self.words.bytes(at + Self::HEAD, state.len()) };
        same(known, state)
    }

    /// Writes a record where the worker's next one belongs, without keeping it.
    #[inline]
    pub(super) fn write(&self, piece: &mut Piece, state: &[u8], from: Ref) -> Result<u64, Full> {
        let size = Self::HEAD + words_of(state.len());
        if piece.end - piece.next < size {
            self.take(piece, size)?;
        }
        self.words[piece.next].store(header(state.len(), from), Ordering::Relaxed);
        #[allow(unsafe_code)]
        // SAFETY: only this worker has the piece, and nobody knows of the record yet.
        unsafe {
            self.words.write_bytes(piece.next + Self::HEAD, state);
        }
        Ok(piece.next as u64)
    }

    /// Keeps the record just written, of a state of this length.
    #[inline]
    pub(super) fn keep(&self, piece: &mut Piece, len: usize) {
        piece.next += Self::HEAD + words_of(len);
        // An exchange waits until all that was written before is in the cache. So the lines of records to come are
        // fetched now.
        prefetch_line(&self.words, piece.next + AHEAD);
        prefetch_line(&self.words, piece.next + AHEAD + 8);
    }

    /// Takes back the record just written: whoever walks over the arena must find zeroes behind the last record.
    #[cold]
    pub(super) fn erase(&self, at: u64, len: usize) {
        for word in &self.words[at as usize..][..Self::HEAD + words_of(len)] {
            word.store(0, Ordering::Relaxed);
        }
    }

    /// Gives the worker a piece with room for `size` words. What was left of the old one stays empty.
    #[cold]
    fn take(&self, piece: &mut Piece, size: usize) -> Result<(), Full> {
        let usual = (self.granted / (8 * self.threads)).clamp(LEAST_GRANT, MOST_PIECE);
        let end = |start: usize| self.granted.min(start + usual.max(size));
        let fits = |start: usize| (self.granted - start >= size).then(|| end(start));
        let fits = |start: usize| if size > LONGEST_STATE / 8 { None } else { fits(start) };
        match self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits) {
            Ok(start) => {
                *piece = Piece { next: start, end: end(start) };
                self.pieces.lock().expect("nobody panics with it").push(start..end(start));
                Ok(())
            }
            Err(_) => {
                self.wanted.fetch_max(size, Ordering::Relaxed);
                Err(Full)
            }
        }
    }

    /// Grants more, up to so many bytes in all, unless enough is left; whether what was asked for in vain is there now.
    pub(super) fn grow(&mut self, bytes: usize) -> bool {
        let wanted = self.wanted.swap(0, Ordering::Relaxed);
        let taken = self.taken.load(Ordering::Relaxed);
        if wanted > LONGEST_STATE / 8 {
            return false;
        }
        // In proportion to what there is, so that growing is rare and little lies idle.
        let more =
            (self.granted / 4).clamp(LEAST_GRANT * self.threads, MOST_GRANT * self.threads).max(wanted * 2);
        if self.granted - taken < more / 2 || self.granted - taken < wanted {
            self.granted = (self.granted + more).min(bytes / 8).min(self.words.len()).max(self.granted);
        }
        self.granted - taken >= wanted
    }

    /// The position of every record, and its state in a buffer for the caller to look at.
    pub(super) fn for_each(&self, mut tell: impl FnMut(u64, &[u8])) {
        let mut state = Vec::new();
        for piece in &*self.pieces.lock().expect("nobody panics with it") {
            let mut at = piece.start;
            while at < piece.end {
                let header = self.words[at].load(Ordering::Relaxed);
                if header == 0 {
                    break;
                }
                self.read(at as u64, &mut state);
                tell(at as u64, &state);
                at += Self::HEAD + words_of(state.len());
            }
        }
    }
}

/// Never 0, so that zeroes in the arena are no record.
#[inline]
fn header(len: usize, from: Ref) -> u64 {
    (len as u64 + 1) << POSITION_BITS | (from.0 & POSITION_MASK)
}

#[inline]
fn length(header: u64) -> usize {
    (header >> POSITION_BITS) as usize - 1
}

/// Whether two states of one length are the same. They mostly are, and short: a call of the system's function, which is
/// made for long ones, costs as much as comparing.
#[inline]
fn same(a: impl AsRef<[u8]>, b: &[u8]) -> bool {
    let a = a.as_ref();
    let (Some(a_last), Some(b_last)) = (a.last_chunk::<16>(), b.last_chunk::<16>()) else { return a == b };
    a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0).all(|(a, b)| a == b) && a_last == b_last
}

#[inline]
fn words_of(len: usize) -> usize {
    len.div_ceil(8)
}
