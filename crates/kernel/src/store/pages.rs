//! Huge pages, and reserved memory that grows in place, for tables that are probed at random.
//!
//! A table of a gigabyte has 262,144 small pages, and a processor caches the addresses of some two thousand of them, so
//! a probe waits for the page tables as well as for the memory. Where the system provides huge pages only on request
//! (Linux, `transparent_hugepage=madvise`, the usual setting), this module requests them. It also makes the first touch
//! of a large table cheap: one page fault per 2 MiB instead of 512. If the request is refused, only speed is lost.
//!
//! Memory that grows in place is [`Reserved`]: address space for the largest possible size, of which only touched pages
//! cost anything. So a table never moves and its pages are allocated once. Allocating them twice would take a quarter
//! of the time of a search through a few million states, since the system clears each page that it hands out.
//!
//! This module contains unsafe code (the README lists all places). Invariants: the advice given never changes what
//! memory contains; and memory handed out as atomics was zero-initialised, is aligned for atomics, and is owned by
//! whoever hands it out. Code that reads or writes it as bytes states why no other access can happen.

use super::sync::AtomicU64;

/// The usual size of a page.
#[cfg(target_os = "linux")]
const PAGE: usize = 4096;
/// Pages below this size are not worth a system call.
#[cfg_attr(loom, allow(dead_code))]
const HUGE: usize = 2 << 20;

/// Asks for huge pages for all the memory that the vector has, in use or not. To be called before it is first touched.
pub(super) fn advise_huge<T>(memory: &mut Vec<T>) {
    #[cfg(target_os = "linux")]
    {
        let start = memory.as_mut_ptr().addr();
        let end = start + memory.capacity() * size_of::<T>();
        // All pages that the memory lies in, and not only whole huge ones: pages with different advice are different mappings,
        // and memory in several mappings is copied when it has to grow, where in one it would only be mapped elsewhere. For a
        // while there would be two of it.
        let (first, last) = (start / PAGE * PAGE, end.next_multiple_of(PAGE));
        if end - start >= HUGE {
            #[allow(unsafe_code)]
            // SAFETY: MADV_HUGEPAGE changes how the range is mapped but not what it contains, so that it does not matter that
            // the first and the last page may hold something of others; and a failure (there may be no such kernel feature,
            // or pages may be larger) leaves everything as it was.
            unsafe {
                libc::madvise(
                    memory.as_mut_ptr().cast::<u8>().wrapping_sub(start - first).cast(),
                    last - first,
                    libc::MADV_HUGEPAGE,
                );
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

/// `slots` zeroes in huge pages.
pub(super) fn zeroes(slots: usize) -> Vec<u64> {
    // From the system such a vector comes untouched, so the advice is in time.
    let mut zeroes = vec![0; slots];
    advise_huge(&mut zeroes);
    zeroes
}

/// Zeroes that cost nothing until they are touched, as many as there are addresses for.
#[cfg(not(loom))]
pub(super) struct Reserved {
    start: std::ptr::NonNull<AtomicU64>,
    len: usize,
    /// What `start` points into.
    _map: memmap2::MmapMut,
}

#[cfg(not(loom))]
#[allow(unsafe_code)]
// SAFETY: the memory belongs to the value alone and stays where it is, whichever thread has it, and is only ever handed out
// as atomics.
unsafe impl Send for Reserved {}

#[cfg(not(loom))]
#[allow(unsafe_code)]
// SAFETY: as above.
unsafe impl Sync for Reserved {}

#[cfg(not(loom))]
impl Reserved {
    /// Addresses for `most` words; fewer if the system does not give as many, as it may be told not to (`ulimit -v`).
    ///
    /// # Panics
    /// If it gives none at all.
    pub(super) fn new(most: usize) -> Self {
        let mut len = most;
        let mut map = loop {
            // Room to begin at a huge page.
            let bytes = len * 8 + HUGE;
            match memmap2::MmapOptions::new().len(bytes).no_reserve_swap().map_anon() {
                Ok(map) => break map,
                Err(error) => assert!(len > 1, "no memory: {error}"),
            }
            len /= 2;
        };
        let skipped = map.as_ptr().align_offset(HUGE);
        // The first huge page stays small pages: most searches never need more.
        #[cfg(target_os = "linux")]
        if len * 8 > HUGE {
            // A refusal changes nothing but the speed.
            let _ = map.advise_range(memmap2::Advice::HugePage, skipped + HUGE, len * 8 - HUGE);
        }
        let start = map[skipped..].as_mut_ptr().cast::<AtomicU64>();
        Self { start: std::ptr::NonNull::new(start).expect("a slice is somewhere"), len, _map: map }
    }
}

/// Bytes instead of words, not atomic: several at a time, which atomics cannot be.
#[cfg(not(loom))]
#[allow(unsafe_code)]
impl Reserved {
    /// Writes `bytes` to the words from `at` on.
    ///
    /// # Safety
    /// Nobody else may look at these words meanwhile, or write to them.
    #[inline]
    pub(super) unsafe fn write_bytes(&self, at: usize, bytes: &[u8]) {
        let to = &self[at..][..bytes.len().div_ceil(8)];
        // SAFETY: there are as many bytes at `to`, which is atomics, so that writing through a shared reference is fine;
        // the caller says that nobody else is there.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.as_ptr().cast_mut().cast::<u8>(), bytes.len());
        }
    }

    /// The first `len` bytes of the words from `at` on.
    ///
    /// # Safety
    /// Whoever wrote these words must have done so before, and nobody may write to them as long as the slice is used.
    #[inline]
    pub(super) unsafe fn bytes(&self, at: usize, len: usize) -> &[u8] {
        let from = &self[at..][..len.div_ceil(8)];
        // SAFETY: there are as many bytes, all initialised; the caller says that they do not change.
        unsafe { std::slice::from_raw_parts(from.as_ptr().cast::<u8>(), len) }
    }
}

#[cfg(not(loom))]
impl std::ops::Deref for Reserved {
    type Target = [AtomicU64];

    #[inline]
    fn deref(&self) -> &[AtomicU64] {
        #[allow(unsafe_code)]
        // SAFETY: the mapping has `len` words from `start` on, which is a multiple of the size of a huge page; it is zero
        // where it has not been written, lives as long as `self`, and nobody has another reference to it but as atomics.
        unsafe {
            std::slice::from_raw_parts(self.start.as_ptr(), self.len)
        }
    }
}

/// Loom's atomics are objects of its own, and cost something each.
#[cfg(loom)]
pub(super) struct Reserved(Vec<AtomicU64>);

#[cfg(loom)]
impl Reserved {
    pub(super) fn new(most: usize) -> Self {
        Self((0..most).map(|_| AtomicU64::new(0)).collect())
    }
}

/// With loom's atomics, so that it notices who looks at a record that may not be complete.
#[cfg(loom)]
#[allow(unsafe_code)]
impl Reserved {
    pub(super) unsafe fn write_bytes(&self, at: usize, bytes: &[u8]) {
        for (chunk, word) in bytes.chunks(8).zip(&self.0[at..]) {
            let mut padded = [0; 8];
            padded[..chunk.len()].copy_from_slice(chunk);
            word.store(u64::from_le_bytes(padded), super::sync::Ordering::Relaxed);
        }
    }

    pub(super) unsafe fn bytes(&self, at: usize, len: usize) -> Vec<u8> {
        let words = self.0[at..][..len.div_ceil(8)].iter();
        let mut bytes: Vec<u8> =
            words.flat_map(|word| word.load(super::sync::Ordering::Relaxed).to_le_bytes()).collect();
        bytes.truncate(len);
        bytes
    }
}

#[cfg(loom)]
impl std::ops::Deref for Reserved {
    type Target = [AtomicU64];

    fn deref(&self) -> &[AtomicU64] {
        &self.0
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::store::sync::Ordering;

    #[test]
    fn what_is_reserved_is_zero_and_holds_what_is_written() {
        let words = Reserved::new(1 << 34);
        assert!(words.len() >= 1 << 20);
        for at in [0, 1, (1 << 18) - 1, 1 << 18, words.len() / 2, words.len() - 1] {
            assert_eq!(words[at].load(Ordering::Relaxed), 0);
            words[at].store(at as u64 + 1, Ordering::Relaxed);
            assert_eq!(words[at].load(Ordering::Relaxed), at as u64 + 1);
        }
    }

    #[test]
    fn advice_changes_nothing() {
        for slots in [0, 1, 1000, 1 << 19, (1 << 20) + 77] {
            let mut memory = zeroes(slots);
            assert_eq!(memory.len(), slots);
            assert!(memory.iter().all(|&word| word == 0));
            memory.fill(7);
            advise_huge(&mut memory);
            assert!(memory.iter().all(|&word| word == 7));
        }
    }
}
