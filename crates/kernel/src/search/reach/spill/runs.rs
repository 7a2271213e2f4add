//! Sorted runs of keys on disk: ascending, each once, as differences.
//!
//! A run is cut into blocks. The first key of each block is kept in memory with the place where the block lies, so that
//! a reader that looks for a key skips what is before it: a level of a thousand states is compared with a run of a
//! thousand million by reading a thousand blocks at most. Within a block a key is its difference to the one before, seven
//! bits to a byte. Root keys of trees are pairs of small numbers, so neighbours are near: a key takes one to three bytes.
//! General compression on top of that was considered and gains little on bytes that are differences already.

use crate::disk::{Disk, Scratch};
use std::io;
use std::sync::Arc;

/// Keys in a block.
const BLOCK: usize = 1 << 13;
/// Bytes written at a time.
const BUFFER: usize = 1 << 20;

/// A sorted run.
#[derive(Debug)]
pub(super) struct Run {
    file: Arc<Scratch>,
    blocks: Vec<Block>,
    /// Where the last block ends.
    end: u64,
    pub(super) count: u64,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    first: u64,
    at: u64,
}

impl Run {
    /// Bytes of memory for a run, wherever its keys are.
    pub(super) fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Block>() + size_of::<Self>() + 16
    }

    fn keys_in(&self, block: usize) -> usize {
        let full = self.blocks.len() - 1;
        if block < full { BLOCK } else { (self.count as usize) - full * BLOCK }
    }
}

/// Writes a run at the end of a file.
pub(super) struct Writer {
    run: Run,
    buffer: Vec<u8>,
    last: u64,
}

impl Writer {
    pub(super) fn new(file: Arc<Scratch>) -> Self {
        let end = file.len();
        Self { run: Run { file, blocks: Vec::new(), end, count: 0 }, buffer: Vec::new(), last: 0 }
    }

    /// Appends a key, which is larger than those before.
    pub(super) fn push(&mut self, key: u64) -> io::Result<()> {
        debug_assert!(self.run.count == 0 || key > self.last);
        if self.run.count.is_multiple_of(BLOCK as u64) {
            if self.buffer.len() >= BUFFER {
                self.flush()?;
            }
            self.run.blocks.push(Block { first: key, at: self.run.end + self.buffer.len() as u64 });
        } else {
            let mut delta = key - self.last;
            while delta >= 0x80 {
                self.buffer.push(delta as u8 | 0x80);
                delta >>= 7;
            }
            self.buffer.push(delta as u8);
        }
        self.last = key;
        self.run.count += 1;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.run.file.append(&self.buffer)?;
        self.run.end += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    pub(super) fn finish(mut self) -> io::Result<Arc<Run>> {
        self.flush()?;
        self.run.blocks.shrink_to_fit();
        Ok(Arc::new(self.run))
    }
}

/// Reads a run from its beginning to its end.
pub(super) struct Cursor {
    run: Arc<Run>,
    /// The block in the buffer.
    block: usize,
    buffer: Vec<u8>,
    at: usize,
    /// Keys of the block behind `key`.
    left: usize,
    key: Option<u64>,
}

impl Cursor {
    pub(super) fn new(run: &Arc<Run>) -> io::Result<Self> {
        let mut cursor =
            Self { run: Arc::clone(run), block: 0, buffer: Vec::new(), at: 0, left: 0, key: None };
        cursor.enter(0)?;
        Ok(cursor)
    }

    /// The key it stands at; `None` at the end.
    #[inline]
    pub(super) fn key(&self) -> Option<u64> {
        self.key
    }

    /// Goes to the next key.
    #[inline]
    pub(super) fn advance(&mut self) -> io::Result<()> {
        let Some(key) = self.key else { return Ok(()) };
        if self.left == 0 {
            return self.enter(self.block + 1);
        }
        let (mut delta, mut shift) = (0, 0);
        loop {
            let byte = self.buffer[self.at];
            self.at += 1;
            delta |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
            shift += 7;
        }
        self.left -= 1;
        self.key = Some(key + delta);
        Ok(())
    }

    /// Goes on to the first key that is not below this one.
    #[inline]
    pub(super) fn seek(&mut self, wanted: u64) -> io::Result<()> {
        if self.key.is_none_or(|key| key >= wanted) {
            return Ok(());
        }
        let blocks = &self.run.blocks;
        if blocks.get(self.block + 1).is_some_and(|next| next.first <= wanted) {
            let skipped = blocks[self.block + 1..].partition_point(|block| block.first <= wanted);
            self.enter(self.block + skipped)?;
        }
        while self.key.is_some_and(|key| key < wanted) {
            self.advance()?;
        }
        Ok(())
    }

    fn enter(&mut self, block: usize) -> io::Result<()> {
        self.block = block;
        self.key = None;
        let Some(&Block { first, at }) = self.run.blocks.get(block) else { return Ok(()) };
        let end = self.run.blocks.get(block + 1).map_or(self.run.end, |next| next.at);
        self.buffer.resize((end - at) as usize, 0);
        self.run.file.read(at, &mut self.buffer)?;
        (self.at, self.left, self.key) = (0, self.run.keys_in(block) - 1, Some(first));
        Ok(())
    }
}

/// Several runs as one: ascending, each key once.
pub(super) struct Merge(Vec<Cursor>);

impl Merge {
    pub(super) fn new(runs: &[Arc<Run>]) -> io::Result<Self> {
        Ok(Self(runs.iter().map(Cursor::new).collect::<io::Result<_>>()?))
    }

    pub(super) fn next(&mut self) -> io::Result<Option<u64>> {
        // Runs are few, so a look at all of them is as fast as a heap.
        let Some(least) = self.0.iter().filter_map(Cursor::key).min() else { return Ok(None) };
        for cursor in &mut self.0 {
            if cursor.key() == Some(least) {
                cursor.advance()?;
            }
        }
        Ok(Some(least))
    }
}

/// The runs of all visited states: few, whatever the number of levels, because the last ones are made one when they have
/// become too many.
#[derive(Default)]
pub(super) struct Visited(Vec<Arc<Run>>);

impl Visited {
    /// How many runs may be.
    const MOST: usize = 12;
    /// How many are made one at a time.
    const ARITY: usize = 16;

    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(|run| run.bytes()).sum()
    }

    pub(super) fn add(&mut self, run: Arc<Run>, disk: &Disk) -> io::Result<()> {
        self.0.push(run);
        if self.0.len() <= Self::MOST {
            return Ok(());
        }
        // The last ones, as far back as they are not larger than what is merged with them: so a key is copied a few
        // times in all, and not at every level.
        let mut first = self.0.len() - 4;
        let mut sum: u64 = self.0[first..].iter().map(|run| run.count).sum();
        while first > 0 && self.0.len() - first < Self::ARITY && self.0[first - 1].count <= sum {
            first -= 1;
            sum += self.0[first].count;
        }
        let mut merge = Merge::new(&self.0[first..])?;
        let mut writer = Writer::new(Arc::new(disk.scratch()?));
        while let Some(key) = merge.next()? {
            writer.push(key)?;
        }
        self.0.truncate(first);
        self.0.push(writer.finish()?);
        Ok(())
    }

    /// For looking up keys in ascending order.
    pub(super) fn lookup(&self) -> io::Result<Lookup> {
        Ok(Lookup(self.0.iter().map(Cursor::new).collect::<io::Result<_>>()?))
    }
}

pub(super) struct Lookup(Vec<Cursor>);

impl Lookup {
    /// Whether the key, which is not below the one asked for before, is in one of the runs.
    pub(super) fn contains(&mut self, key: u64) -> io::Result<bool> {
        for cursor in &mut self.0 {
            cursor.seek(key)?;
            if cursor.key() == Some(key) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::collections::BTreeSet;

    fn write(disk: &Disk, keys: &BTreeSet<u64>) -> Arc<Run> {
        let mut writer = Writer::new(Arc::new(disk.scratch().expect("a file")));
        keys.iter().for_each(|&key| writer.push(key).expect("room"));
        writer.finish().expect("room")
    }

    fn random_keys(rng: &mut Rng) -> BTreeSet<u64> {
        let (n, bits) = (rng.below(40_000), 16 + rng.below(48));
        (0..n).map(|_| rng.next_u64() >> (64 - bits)).collect()
    }

    #[test]
    fn merged_runs_are_the_union() {
        let directory = std::env::temp_dir();
        let disk = Disk::new(&directory, u64::MAX).expect("a directory");
        for seed in 0..20 {
            let mut rng = Rng::new(seed);
            let sets: Vec<BTreeSet<u64>> = (0..rng.below(6)).map(|_| random_keys(&mut rng)).collect();
            let runs: Vec<_> = sets.iter().map(|set| write(&disk, set)).collect();
            let mut merge = Merge::new(&runs).expect("readable");
            let mut merged = Vec::new();
            while let Some(key) = merge.next().expect("readable") {
                merged.push(key);
            }
            let union: BTreeSet<u64> = sets.into_iter().flatten().collect();
            assert!(merged.iter().eq(&union), "seed {seed}");
        }
        assert_eq!(disk.used(), 0, "files are given back");
    }

    #[test]
    fn many_runs_are_looked_up_as_one_set() {
        let disk = Disk::new(&std::env::temp_dir(), u64::MAX).expect("a directory");
        for seed in 0..5 {
            let mut rng = Rng::new(seed);
            let (mut visited, mut model) = (Visited::default(), BTreeSet::new());
            for _ in 0..60 {
                let mut keys = random_keys(&mut rng);
                keys.retain(|&key| model.insert(key));
                visited.add(write(&disk, &keys), &disk).expect("room");
                assert!(visited.0.len() <= Visited::MOST);
            }
            let asked: BTreeSet<u64> = model
                .iter()
                .flat_map(|&key| [key.wrapping_add(1), key])
                .filter(|_| rng.below(50) == 0)
                .collect();
            let mut lookup = visited.lookup().expect("readable");
            for key in asked {
                assert_eq!(lookup.contains(key).expect("readable"), model.contains(&key), "seed {seed}");
            }
        }
    }

    #[test]
    fn a_spent_budget_is_an_error_and_not_more() {
        let disk = Disk::new(&std::env::temp_dir(), 1000).expect("a directory");
        let mut writer = Writer::new(Arc::new(disk.scratch().expect("a file")));
        let full = (0..100_000).try_for_each(|key| writer.push(key * 1000)).and_then(|()| writer.finish());
        assert!(full.is_err());
        assert!(disk.peak() <= 1000 && disk.trouble().is_some());
    }
}
