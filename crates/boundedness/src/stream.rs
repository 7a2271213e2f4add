//! A branch of the reachability tree, with everything that was ever put into each channel on it.
//!
//! On a branch a channel is one stream that only grows, what it holds at first included; a content is the window from what
//! was read so far to what was written so far. So a state costs two numbers per channel, and comparing contents is
//! comparing pieces of a stream, which takes constant time with hashes of its prefixes. Equal hashes are not taken on
//! trust: whoever reports something compares the letters.
//!
//! Channels come and go with processes. Where that happens on a branch, new streams begin ([`Branch::push`]); pairs across
//! such a place are not compared.

use crate::view::{Letter, Traffic};
use std::ops::Range;

/// Everything put into a channel, with hashes of all prefixes.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    letters: Vec<Letter>,
    hashes: Vec<u64>,
}

const PRIME: u64 = (1 << 61) - 1;
/// Any number will do that is not small.
const BASE: u64 = 0x0123_4567_89ab_cdef % PRIME;

fn times(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let folded = (product as u64 & PRIME) + (product >> 61) as u64;
    if folded >= PRIME { folded - PRIME } else { folded }
}

fn plus(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= PRIME { sum - PRIME } else { sum }
}

impl Stream {
    fn push(&mut self, letter: Letter) {
        let before = self.hashes.last().copied().unwrap_or(0);
        self.letters.push(letter);
        // Letters are small numbers: spread out, so that sums of few of them do not meet.
        let spread = letter.wrapping_mul(0x9e37_79b9_7f4a_7c15) % PRIME;
        self.hashes.push(plus(times(before, BASE), plus(spread, 1)));
    }

    fn truncate(&mut self, length: usize) {
        self.letters.truncate(length);
        self.hashes.truncate(length);
    }

    /// The letters of a piece.
    pub fn letters(&self, piece: Range<usize>) -> &[Letter] {
        &self.letters[piece]
    }

    fn prefix(&self, length: usize) -> u64 {
        if length == 0 { 0 } else { self.hashes[length - 1] }
    }

    fn hash(&self, piece: Range<usize>, powers: &[u64]) -> u64 {
        let shifted = times(self.prefix(piece.start), powers[piece.len()]);
        plus(self.prefix(piece.end), PRIME - shifted)
    }
}

/// A state of a branch.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Where its read and write marks begin.
    marks: usize,
    /// The stream of its first channel; the others follow.
    pub first_stream: usize,
    /// How many channels it has.
    pub channels: usize,
}

/// What was read and written on a channel when a state was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// So much of the stream had been taken.
    pub read: usize,
    /// And so much put.
    pub written: usize,
}

impl Mark {
    /// How many messages there are in between.
    pub fn length(self) -> usize {
        self.written - self.read
    }
}

/// A branch.
#[derive(Clone, Debug, Default)]
pub struct Branch {
    streams: Vec<Stream>,
    nodes: Vec<Node>,
    marks: Vec<Mark>,
    powers: Vec<u64>,
}

impl Branch {
    /// Begins with a state that has these contents.
    pub fn new(contents: &[Vec<Letter>]) -> Self {
        let mut branch = Self { powers: vec![1], ..Self::default() };
        branch.begin(contents);
        branch
    }

    /// How many states there are on it.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A state of it.
    pub fn node(&self, index: usize) -> Node {
        self.nodes[index]
    }

    /// What was read and written on a channel of a state.
    pub fn mark(&self, node: Node, channel: usize) -> Mark {
        self.marks[node.marks + channel]
    }

    /// The stream of a channel.
    pub fn stream(&self, node: Node, channel: usize) -> &Stream {
        &self.streams[node.first_stream + channel]
    }

    /// Whether two pieces of a stream are equal, as far as their hashes tell.
    pub fn alike(&self, node: Node, channel: usize, a: Range<usize>, b: Range<usize>) -> bool {
        let stream = self.stream(node, channel);
        debug_assert_eq!(a.len(), b.len(), "pieces of the same length");
        a.start == b.start || stream.hash(a, &self.powers) == stream.hash(b, &self.powers)
    }

    /// Adds a state that the last one leads to.
    pub fn push(&mut self, traffic: &[Traffic], contents: &[Vec<Letter>]) {
        let channels = contents.len();
        let last = self.nodes[self.nodes.len() - 1];
        let from = self.marks.len();
        self.marks.extend_from_within(last.marks..last.marks + last.channels);
        for event in traffic {
            let mark = &mut self.marks[from + event.channel];
            match event.sent {
                Some(letter) => {
                    self.streams[last.first_stream + event.channel].push(letter);
                    mark.written += 1;
                }
                None => mark.read += 1,
            }
        }
        // Whatever else happened (a process ended, and its channels with it), a content is a window of its stream, or new
        // streams begin.
        let is_window = |(channel, mark): (usize, &Mark)| {
            let stream = &self.streams[last.first_stream + channel];
            mark.read <= mark.written && stream.letters(mark.read..mark.written) == contents[channel]
        };
        let same = channels == last.channels && self.marks[from..].iter().enumerate().all(is_window);
        if same {
            self.nodes.push(Node { marks: from, ..last });
            let longest = self.marks[from..].iter().map(|mark| mark.written).max().unwrap_or(0);
            self.reserve_powers(longest);
            return;
        }
        self.marks.truncate(from);
        for event in traffic.iter().filter(|event| event.sent.is_some()) {
            let stream = &mut self.streams[last.first_stream + event.channel];
            stream.truncate(stream.letters.len() - 1);
        }
        self.begin(contents);
    }

    /// Removes the last state.
    pub fn pop(&mut self) {
        let Some(gone) = self.nodes.pop() else { return };
        self.marks.truncate(gone.marks);
        let Some(&last) = self.nodes.last() else { return };
        self.streams.truncate(last.first_stream + last.channels);
        for channel in 0..last.channels {
            let written = self.marks[last.marks + channel].written;
            self.streams[last.first_stream + channel].truncate(written);
        }
    }

    /// Bytes that it occupies.
    pub fn bytes(&self) -> usize {
        let letters: usize = self.streams.iter().map(|stream| stream.letters.len()).sum();
        letters * 16 + self.nodes.len() * size_of::<Node>() + self.marks.len() * size_of::<Mark>()
    }

    fn begin(&mut self, contents: &[Vec<Letter>]) {
        let first_stream = self.streams.len();
        let marks = self.marks.len();
        for content in contents {
            let mut stream = Stream::default();
            content.iter().for_each(|&letter| stream.push(letter));
            self.marks.push(Mark { read: 0, written: content.len() });
            self.streams.push(stream);
        }
        self.nodes.push(Node { marks, first_stream, channels: contents.len() });
        self.reserve_powers(contents.iter().map(Vec::len).max().unwrap_or(0));
    }

    fn reserve_powers(&mut self, length: usize) {
        while self.powers.len() <= length {
            let last = self.powers[self.powers.len() - 1];
            self.powers.push(times(last, BASE));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_alike_when_they_are_equal() {
        let mut branch = Branch::new(&[vec![1, 2, 1, 2, 1, 3]]);
        let node = branch.node(0);
        for (a, b) in (0..6).flat_map(|a| (0..6).map(move |b| (a, b))) {
            for length in 0..=6 - a.max(b) {
                let equal = branch.stream(node, 0).letters(a..a + length).to_vec()
                    == branch.stream(node, 0).letters(b..b + length);
                assert_eq!(branch.alike(node, 0, a..a + length, b..b + length), equal, "{a} {b} {length}");
            }
        }
        branch.push(&[Traffic { channel: 0, sent: None }], &[vec![2, 1, 2, 1, 3]]);
        assert_eq!(branch.mark(branch.node(1), 0), Mark { read: 1, written: 6 });
        // A channel more: another epoch.
        branch.push(&[], &[vec![2, 1, 2, 1, 3], vec![]]);
        assert_ne!(branch.node(2).first_stream, branch.node(1).first_stream);
        branch.pop();
        branch.push(&[Traffic { channel: 0, sent: Some(9) }], &[vec![2, 1, 2, 1, 3, 9]]);
        assert_eq!(branch.node(2).first_stream, branch.node(1).first_stream);
        branch.pop();
        branch.pop();
        assert_eq!(branch.stream(branch.node(0), 0).letters(0..6), [1, 2, 1, 2, 1, 3]);
    }
}
