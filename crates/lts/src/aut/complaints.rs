//! The list of what is wrong: all of it, but no longer than anybody reads.

use elnath_source::{Message, Place};

/// After so many messages the rest is only counted.
const MOST: usize = 20;

/// Errors found so far.
#[derive(Default)]
pub(super) struct Complaints {
    messages: Vec<Message>,
    more: u64,
}

impl Complaints {
    /// Adds an error. It is made only if there is room: a file of ten million bad lines costs no more than twenty.
    pub(super) fn add(&mut self, make: impl FnOnce() -> Message) {
        if self.messages.len() < MOST {
            self.messages.push(make());
        } else {
            self.more += 1;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    pub(super) fn into_messages(mut self, file: &str) -> Vec<Message> {
        if self.more > 0 {
            let s = if self.more == 1 { "" } else { "s" };
            self.messages
                .push(Message::about_file(format!("... and {} more error{s} in `{file}`", self.more)));
        }
        self.messages
    }
}

/// The bytes `start..end` of a line as a place.
///
/// The line comes from a file of any kind and its text goes to a terminal, so whatever is not text is shown as U+FFFD;
/// and only a window of a long line is looked at, which may have megabytes.
pub(super) fn place(file: &str, number: u64, line: &[u8], start: usize, end: usize) -> Place {
    const BEFORE: usize = 100;
    const WIDTH: usize = 240;
    let cut = if line.len() <= WIDTH { 0 } else { start.saturating_sub(BEFORE) };
    let to = line.len().min(cut + WIDTH);
    let (start, end) = (start.clamp(cut, to), end.clamp(cut, to));
    let mut text = printable(&line[cut..start]);
    let shown_start = text.len();
    text += &printable(&line[start..end]);
    let shown_end = text.len();
    text += &printable(&line[end..to]);
    Place { file: file.to_owned(), line: number, text, cut, start: shown_start, end: shown_end }
}

fn printable(bytes: &[u8]) -> String {
    let shown = |c: char| if c.is_control() && c != '\t' { char::REPLACEMENT_CHARACTER } else { c };
    String::from_utf8_lossy(bytes).chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_printable_and_short() {
        let mut line = vec![b'x'; 10_000];
        line[5000] = 0x1b;
        line[5001] = 0xff;
        let place = place("f", 3, &line, 5000, 5001);
        assert_eq!(&place.text[place.start..place.end], "\u{fffd}");
        assert_eq!((place.line, place.column()), (3, 5001));
        assert!(place.text.chars().count() <= 240);
    }
}
