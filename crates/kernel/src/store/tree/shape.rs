//! How the bytes of a state are cut into the leaves of a complete binary tree.
//!
//! A state of n bytes gets the least power of two of leaves that makes them at most eight bytes wide, and then leaves
//! that are as narrow as possible: 33 bytes are seven leaves of five, not four of eight and one of one. The two halves
//! under the root then have equal length, and the number of distinct halves stays near the square root of the number of
//! states; cut into words of eight bytes, the left half of a state of nine bytes would have nearly as many values as
//! there are states, and the tree would cost more than the states do.
//!
//! The order of the leaves in the tree is a separate question: see [`arrangement`](super::arrangement).
//!
//! The *class* says how the leaves are put together again, in eight bits: up to 128 bytes it is the length; above, it
//! is the number and width of the leaves, and the length itself is stored after the state, in the last leaf. Both are
//! functions of the length alone, so there is no registry that could overflow.

/// States of at most this many bytes need no tree: they are their own key.
pub(super) const INLINE: usize = 7;
/// Up to here the class is the length.
const PLAIN: usize = 128;
/// Longer states are refused, as by the exact store.
const LONGEST: usize = 1 << 30;
/// Bytes of the length behind a long state.
const TRAILER: usize = 4;

/// How states of one class lie in their leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) class: u8,
    /// The tree has 2^height leaves; 0 for states without a tree.
    pub(super) height: u32,
    /// Bytes in a leaf.
    pub(super) width: usize,
}

impl Shape {
    /// The shape of the states of this many bytes; `None` if they are too long.
    #[inline]
    pub(super) fn of_len(len: usize) -> Option<Self> {
        if len <= INLINE {
            return Some(Self { class: len as u8, height: 0, width: 0 });
        }
        if len <= PLAIN {
            let (height, width) = cut(len);
            return Some(Self { class: len as u8, height, width });
        }
        if len > LONGEST {
            return None;
        }
        let (height, width) = cut(len + TRAILER);
        let class = PLAIN + 1 + (height as usize - 5) * 4 + (width - 5);
        Some(Self { class: class as u8, height, width })
    }

    /// The shape of this class.
    pub(super) fn of_class(class: u8) -> Self {
        let long = usize::from(class).checked_sub(PLAIN + 1);
        match long {
            None => Self::of_len(usize::from(class)).expect("short"),
            Some(long) => Self { class, height: 5 + (long / 4) as u32, width: 5 + long % 4 },
        }
    }

    pub(super) fn leaves(self) -> usize {
        1 << self.height
    }

    /// Bytes in all leaves.
    pub(super) fn bytes(self) -> usize {
        self.leaves() * self.width
    }

    fn is_long(self) -> bool {
        usize::from(self.class) > PLAIN
    }

    /// The length of the state that lies in these bytes.
    pub(super) fn len(self, bytes: &[u8]) -> usize {
        if !self.is_long() {
            return usize::from(self.class);
        }
        let trailer = bytes[self.bytes() - TRAILER..self.bytes()].try_into().expect("four bytes");
        u32::from_le_bytes(trailer) as usize
    }

    /// The bits of a leaf that are its own.
    #[inline]
    pub(super) fn mask(self) -> u64 {
        u64::MAX >> (64 - 8 * self.width)
    }

    /// The leaf with this index of a state of this shape.
    #[inline]
    pub(super) fn leaf(self, state: &[u8], index: usize) -> u64 {
        let start = index * self.width;
        match state.get(start..start + 8) {
            Some(eight) => u64::from_le_bytes(eight.try_into().expect("eight bytes")) & self.mask(),
            None => self.last_leaf(state, index),
        }
    }

    /// A leaf that may reach over the end of the state.
    fn last_leaf(self, state: &[u8], index: usize) -> u64 {
        let mut eight = [0; 8];
        let start = index * self.width;
        let end = state.len().min(start + self.width);
        if start < end {
            eight[..end - start].copy_from_slice(&state[start..end]);
        }
        if self.is_long() && index + 1 == self.leaves() {
            eight[self.width - TRAILER..self.width].copy_from_slice(&(state.len() as u32).to_le_bytes());
        }
        u64::from_le_bytes(eight)
    }
}

/// The height of the tree and the width of its leaves for so many bytes, at least two leaves.
#[inline]
fn cut(bytes: usize) -> (u32, usize) {
    let height = bytes.div_ceil(8).next_power_of_two().trailing_zeros().max(1);
    (height, bytes.div_ceil(1 << height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_has_a_shape_that_holds_it() {
        for len in (0..5000).chain([1 << 20, (1 << 20) + 1, LONGEST - 1, LONGEST]) {
            let shape = Shape::of_len(len).expect("not too long");
            assert_eq!(Shape::of_class(shape.class), shape, "{len}");
            if len > INLINE {
                let room = if len > PLAIN { shape.bytes() - TRAILER } else { shape.bytes() };
                assert!(shape.width <= 8 && shape.height >= 1 && room >= len, "{len}: {shape:?}");
                assert!(shape.bytes() < len + TRAILER + shape.leaves(), "{len}: {shape:?}");
            }
        }
        assert_eq!(Shape::of_len(LONGEST + 1), None);
    }

    /// Leaves beside each other are the state, for every length: nothing overlaps and nothing is left out.
    #[test]
    fn leaves_are_the_state() {
        for len in INLINE + 1..700 {
            let state: Vec<u8> = (0..len).map(|i| (i * 7 + len) as u8 | 1).collect();
            let shape = Shape::of_len(len).expect("not too long");
            let leaf = |i| shape.leaf(&state, i).to_le_bytes()[..shape.width].to_vec();
            let bytes: Vec<u8> = (0..shape.leaves()).flat_map(leaf).collect();
            assert_eq!((shape.len(&bytes), &bytes[..len]), (len, &state[..]));
        }
    }
}
