//! A hash for small keys made of numbers, which is what all tables here have: a multiplication and a rotation for each.
//! The standard hash resists chosen collisions and costs several times as much; these keys are numbers that we gave out.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A table whose order is never looked at.
pub(crate) type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;

#[derive(Default)]
pub(crate) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        // The table takes its place from the low bits and its tag from the high ones.
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
}
