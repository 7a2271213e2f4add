//! Huge pages for tables that are probed at random.
//!
//! A table of a gigabyte has 262,144 small pages and a processor remembers where some two thousand of them are, so a
//! probe waits for the page tables as well as for the memory. Where the system hands out huge pages only to those who
//! ask (Linux, `transparent_hugepage=madvise`, the usual setting), this asks. It also makes the first touch of a large
//! table cheap: one page fault per 2 MiB instead of 512. A refusal changes nothing but the speed.
//!
//! This is one of the project's rooms with unsafe code (the README lists them). Invariants: only whole huge pages
//! inside memory that is borrowed for the call are named; the advice given never changes what that memory contains; and
//! memory handed out as atomics was made as zeroes of the same size and alignment (only the system gives zeroes that
//! cost nothing until they are touched, and only as plain numbers).

use super::sync::AtomicU64;

/// Pages below this size are not worth a system call.
#[cfg(target_os = "linux")]
const HUGE: usize = 2 << 20;

/// Asks for huge pages for all the memory that the vector has, in use or not. To be called before it is first touched.
pub(super) fn advise_huge<T>(memory: &mut Vec<T>) {
    #[cfg(target_os = "linux")]
    {
        let start = memory.as_mut_ptr().addr();
        let end = start + memory.capacity() * size_of::<T>();
        let (first, last) = (start.next_multiple_of(HUGE), end / HUGE * HUGE);
        if first < last {
            #[allow(unsafe_code)]
            // SAFETY: the range lies within the allocation of `memory`, which is borrowed mutably, and its bounds are
            // multiples of the page size. MADV_HUGEPAGE changes how the range is mapped but not what it contains, and
            // a failure (there may be no such kernel feature) leaves everything as it was.
            unsafe {
                libc::madvise(
                    memory.as_mut_ptr().cast::<u8>().add(first - start).cast(),
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

/// `slots` atomic zeroes in huge pages.
#[cfg(not(loom))]
pub(super) fn atomic_zeroes(slots: usize) -> Vec<AtomicU64> {
    let mut zeroes = std::mem::ManuallyDrop::new(zeroes(slots));
    #[allow(unsafe_code)]
    // SAFETY: the parts are those of a vector that is never used or dropped again, and an AtomicU64 is documented to have
    // the size and bit validity of a u64; its alignment is that of a u64 too, which the assertion below checks.
    unsafe {
        Vec::from_raw_parts(zeroes.as_mut_ptr().cast::<AtomicU64>(), zeroes.len(), zeroes.capacity())
    }
}

#[cfg(not(loom))]
const _: () = assert!(align_of::<AtomicU64>() == align_of::<u64>());

/// Loom's atomics are objects of its own.
#[cfg(loom)]
pub(super) fn atomic_zeroes(slots: usize) -> Vec<AtomicU64> {
    (0..slots).map(|_| AtomicU64::new(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
