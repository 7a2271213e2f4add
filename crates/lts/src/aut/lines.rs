//! Lines out of a stream, in place: a line is a slice of the buffer, and only a line that crosses the end of the buffer
//! is ever moved. The buffer grows for a long line up to a limit, so that a file without line breaks cannot take all
//! memory. (`BufRead::read_until` would copy every line and has no limit.)

use std::io::{self, Read};

use memchr::memchr;

const BUFFER: usize = 256 << 10;

/// One line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// Its bytes without the line ending.
    pub(super) text: &'a [u8],
    /// Its number, from 1.
    pub(super) number: u64,
    /// Whether there was a line ending; only the last line may have none.
    pub(super) ended: bool,
}

/// Why there is no next line.
#[derive(Debug)]
pub(super) enum LineError<'a> {
    Io(io::Error),
    /// The beginning of a line that exceeds the limit, and its number.
    TooLong {
        start: &'a [u8],
        number: u64,
    },
}

/// A reader of lines.
pub(super) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    /// What is left to deliver: `buffer[start..end]`.
    start: usize,
    end: usize,
    number: u64,
    longest: usize,
    at_end: bool,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(input: R, longest: usize) -> Self {
        Self { input, buffer: vec![0; BUFFER], start: 0, end: 0, number: 0, longest, at_end: false }
    }

    /// The next line.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<Line<'_>>, LineError<'_>> {
        // Bytes of this line that are known to hold no line break.
        let mut searched = 0;
        let length = loop {
            match memchr(b'\n', &self.buffer[self.start + searched..self.end]) {
                Some(at) => break searched + at,
                None => searched = self.end - self.start,
            }
            if searched > self.longest {
                let start = &self.buffer[self.start..self.end];
                return Err(LineError::TooLong { start, number: self.number + 1 });
            }
            if self.at_end {
                break searched;
            }
            self.fill().map_err(LineError::Io)?;
        };
        let line = &self.buffer[self.start..self.start + length];
        let ended = self.start + length < self.end;
        if !ended && line.is_empty() {
            return Ok(None);
        }
        self.start += length + usize::from(ended);
        self.number += 1;
        if length > self.longest {
            return Err(LineError::TooLong { start: line, number: self.number });
        }
        let text = line.strip_suffix(b"\r").unwrap_or(line);
        Ok(Some(Line { text, number: self.number, ended }))
    }

    /// Reads more behind what is left, after moving that to the front and making room.
    #[cold]
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        if self.end == self.buffer.len() {
            let longer = (2 * self.buffer.len()).min((self.longest + 1).max(self.end + BUFFER));
            self.buffer.resize(longer, 0);
        }
        loop {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.at_end = true,
                Ok(read) => self.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Delivers a few bytes at a time, as a pipe may.
    struct Drip<'a>(&'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let n = self.0.len().min(out.len()).min(3);
            out[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    #[test]
    fn lines_come_whole_however_the_stream_delivers_them() {
        let mut lines = Lines::new(Drip(b"first\r\n\nthird line\nlast"), 100);
        let mut got = Vec::new();
        while let Some(line) = lines.next().expect("short lines") {
            got.push((line.number, String::from_utf8_lossy(line.text).into_owned(), line.ended));
        }
        let expected = [(1, "first", true), (2, "", true), (3, "third line", true), (4, "last", false)];
        assert_eq!(got, expected.map(|(n, text, ended)| (n, text.to_owned(), ended)));
    }

    #[test]
    fn a_long_line_is_refused_before_it_is_read_to_its_end() {
        let mut lines = Lines::new(io::repeat(b'x'), 1 << 20);
        assert!(matches!(lines.next(), Err(LineError::TooLong { number: 1, .. })));
        assert!(lines.buffer.len() < 3 << 20);
        let text = [&vec![b'x'; 300_000][..], b"\ny"].concat();
        let mut lines = Lines::new(&text[..], 300_000);
        assert_eq!(lines.next().expect("fits").expect("there").text.len(), 300_000);
        assert_eq!(lines.next().expect("fits").expect("there").text, b"y");
        assert!(lines.next().expect("fits").is_none());
        let mut lines = Lines::new(&text[..], 299_999);
        assert!(matches!(lines.next(), Err(LineError::TooLong { .. })));
    }
}
