//! The `.aut` format: a header `des (initial, transitions, states)`, then one line `(from, label, to)` per transition.
//!
//! Two tools define the format and differ: CADP (tau is `i`, the initial state is 0, a quoted label may hold raw
//! quotes) and mCRL2 (tau is `tau`, any initial state, a quoted label ends at the next quote). The reader accepts the
//! union, which is unambiguous if a line is read from both its ends: the source is what stands before the *first*
//! comma, the target what stands after the *last*, and the label all between, without its outermost quotes. So `X` and
//! `"X"` are the same label, and `"SEND !"hello""` is one too. Blanks may stand between tokens and lines may be empty;
//! lines may end with CR LF; the last may have no ending; `?` in the header leaves a count open, as generators do
//! which patch it later. The writers keep to one dialect each.
//!
//! Not read: mCRL2's probabilistic targets, several systems in one stream, and CADP's "label parsing", which makes
//! `PUT!false` and `PUT !FALSE` the same: here labels are equal if their texts are.
//!
//! A file is an untrusted thing, so nothing is allocated because a header says so: memory grows with the lines that
//! were really there, and not beyond [`ReadOptions::memory`]. While loading it holds the table under construction (see [`Builder`]), the labels, and a buffer of
//! 256 KiB or the longest line.

mod complaints;
mod input;
mod lines;
mod syntax;
mod write;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use elnath_source::{Message, Place, Severity, classified, codes};

use crate::builder::Builder;
use crate::labels::{NotText, Taus, as_text};
use crate::lts::{Lts, most_states};
use complaints::{Complaints, place};
use input::Packing;
use lines::{Line, LineError, Lines};
use syntax::{Header, Number};

pub use write::{Dialect, write};

/// How to read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// Which labels are the internal action.
    pub taus: Taus,
    /// Whether a wrong number of transitions in the header is only worth a warning.
    pub lenient_counts: bool,
    /// The longest line that is accepted, in bytes: more is not a label any more, but a file of another kind.
    pub longest_line: usize,
    /// The most bytes that the system may take, also while it is built.
    pub memory: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { taus: Taus::default(), lenient_counts: false, longest_line: 16 << 20, memory: usize::MAX }
    }
}

/// What was read, and what is doubtful about it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The system.
    pub lts: Lts,
    /// Warnings.
    pub warnings: Vec<Message>,
}

/// Why there is no system.
#[derive(Clone, Debug)]
pub enum Failure {
    /// All that is wrong with the file.
    Broken(Vec<Message>),
    /// Nothing is wrong so far, but the system does not fit into the memory granted for it.
    TooLarge {
        /// How many transitions did fit.
        transitions: u64,
    },
}

impl Failure {
    /// What is wrong; for callers to whom a system that is too large is just unusable.
    pub fn into_messages(self) -> Vec<Message> {
        match self {
            Failure::Broken(messages) => messages,
            Failure::TooLarge { transitions } => {
                let text = format!("only {transitions} transitions fit into the memory granted");
                vec![Message::about_file(text)]
            }
        }
    }
}

/// Reads a file: plain, gzip or zstd, whatever it is called.
///
/// # Errors
/// All that is wrong with it, or that it is too large.
pub fn read_file(path: &Path, options: &ReadOptions) -> Result<Loaded, Failure> {
    let name = path.display().to_string();
    let cannot = |error: &io::Error| {
        let text = input::cannot_open(&name, error);
        Failure::Broken(vec![Message::about_file(text).code(codes::UNREADABLE)])
    };
    let file = File::open(path).map_err(|e| cannot(&e))?;
    if file.metadata().map_err(|e| cannot(&e))?.is_dir() {
        let text = format!("`{name}` is a directory, not a file");
        return Err(Failure::Broken(vec![Message::about_file(text).code(codes::UNREADABLE)]));
    }
    read(&name, file, options)
}

/// Reads from anything, such as standard input; `name` is what messages call it.
///
/// # Errors
/// All that is wrong with it, or that it is too large.
pub fn read(name: &str, input: impl Read, options: &ReadOptions) -> Result<Loaded, Failure> {
    let broken = |text: String| Failure::Broken(vec![Message::about_file(text).code(codes::UNREADABLE)]);
    let (packing, mut text) = match input::unpack(input) {
        Ok(unpacked) => unpacked,
        Err(error) => return Err(broken(input::cannot_open(name, &error))),
    };
    let mut reader = Reader::new(name, options);
    let mut end = reader.read_all(&mut Lines::new(&mut text, options.longest_line));
    // What a broken archive unpacks to is noise, and often its checksum, at the end, is the first to notice. So before
    // complaining about the text see whether it is one.
    if matches!(end, Err(Stop::Reported)) && packing != Packing::Plain {
        end = io::copy(&mut text, &mut io::sink()).map_or_else(|error| Err(Stop::Io(error)), |_| end);
    }
    match end {
        Ok(()) => reader.finish(),
        Err(Stop::Reported) => Err(Failure::Broken(malformed(reader.complaints.into_messages(name)))),
        Err(Stop::TooLarge) => Err(reader.too_large()),
        Err(Stop::Io(error)) => Err(broken(packing.cannot_read(name, &error))),
    }
}

/// After how many transitions it is looked whether they still fit: at most 320 KiB too late.
const MEMORY_CHECK: u64 = 1 << 14;

/// Why the rest of a file is not looked at.
enum Stop {
    /// A complaint that makes all others pointless has been added.
    Reported,
    /// The memory granted for the system is used up.
    TooLarge,
    /// The input itself failed.
    Io(io::Error),
}

/// The state of reading one file.
struct Reader<'a> {
    name: &'a str,
    options: &'a ReadOptions,
    complaints: Complaints,
    builder: Builder,
    declared: Option<Declared>,
    /// Transition lines so far, good or bad.
    seen: u64,
    /// The first line beyond the number that the header declares.
    surplus: Option<Place>,
    /// Whether the last line was cut short, which explains a missing count.
    cut: bool,
}

/// What the header says, and where.
struct Declared {
    header: Header,
    /// The whole header.
    place: Place,
    transitions_place: Place,
    states_place: Place,
    /// States must be below this.
    bound: u32,
}

impl<'a> Reader<'a> {
    fn new(name: &'a str, options: &'a ReadOptions) -> Self {
        let mut builder = Builder::new();
        builder.taus(options.taus.clone());
        Self {
            name,
            options,
            complaints: Complaints::default(),
            builder,
            declared: None,
            seen: 0,
            surplus: None,
            cut: false,
        }
    }

    fn read_all(&mut self, lines: &mut Lines<impl Read>) -> Result<(), Stop> {
        let bound = loop {
            let Some(line) = self.next(lines)? else {
                let text = format!("`{}` is empty: not a .aut file", self.name);
                self.complaints.add(|| Message::about_file(text).help(syntax::HEADER_HELP));
                return Err(Stop::Reported);
            };
            if !syntax::is_blank(line.text) {
                break self.header(&line)?;
            }
        };
        while let Some(line) = self.next(lines)? {
            match syntax::transition(line.text) {
                Ok(t) => {
                    let label = match self.builder.labels_mut().intern_bytes(t.label) {
                        Ok(label) => label,
                        Err(_) => return Err(self.not_text(line.text, line.number)),
                    };
                    self.count(&line)?;
                    if t.from.value < bound && t.to.value < bound {
                        if self.seen.is_multiple_of(MEMORY_CHECK) || !self.builder.keeps_order(t.from.value) {
                            self.check_memory(t.from.value)?;
                        }
                        self.builder.push(t.from.value, label, t.to.value);
                    } else {
                        self.out_of_range(&line, &[t.from, t.to]);
                    }
                }
                Err(_) if syntax::is_blank(line.text) => {}
                Err(problem) => {
                    match as_text(line.text) {
                        // A file that is cut within a character is still a text file.
                        Err(NotText(at)) if !(is_cut(&line) && at + 4 > line.text.len()) => {
                            return Err(self.not_text(line.text, line.number));
                        }
                        _ => {}
                    }
                    self.count(&line)?;
                    self.bad_line(&line, *problem);
                }
            }
        }
        Ok(())
    }

    /// Stops when one more batch of transitions would not fit.
    #[cold]
    fn check_memory(&mut self, from: u32) -> Result<(), Stop> {
        let (builder, limit) = (&self.builder, self.options.memory);
        let bytes = if builder.keeps_order(from) { builder.bytes() } else { builder.bytes_if_out_of_order() };
        if bytes > limit { Err(Stop::TooLarge) } else { Ok(()) }
    }

    /// The file was good so far, or so it seems: what is broken is said first.
    fn too_large(self) -> Failure {
        if self.complaints.is_empty() {
            Failure::TooLarge { transitions: self.builder.num_transitions() as u64 }
        } else {
            Failure::Broken(self.complaints.into_messages(self.name))
        }
    }

    fn next<'l>(&mut self, lines: &'l mut Lines<impl Read>) -> Result<Option<Line<'l>>, Stop> {
        match lines.next() {
            Ok(line) => Ok(line),
            Err(LineError::Io(error)) => Err(Stop::Io(error)),
            Err(LineError::TooLong { start, number }) => {
                // The beginning may end within a character, which proves nothing.
                if as_text(start).is_err_and(|NotText(at)| at + 4 < start.len()) {
                    return Err(self.not_text(start, number));
                }
                let limit = self.options.longest_line;
                let place = place(self.name, number, start, 0, start.len());
                self.complaints.add(|| {
                    Message::error(format!("this line is longer than {limit} bytes"), place)
                        .label("too long for a transition")
                });
                Err(Stop::Reported)
            }
        }
    }

    /// Reads the header and gives the bound on states; without a header nothing else makes sense.
    fn header(&mut self, line: &Line<'_>) -> Result<u32, Stop> {
        let name = self.name;
        let at = |number: Number| place(name, line.number, line.text, number.start, number.end);
        let header = match syntax::header(line.text) {
            Ok(header) => header,
            Err(_) if as_text(line.text).is_err() => return Err(self.not_text(line.text, line.number)),
            Err(problem) => {
                self.complaints.add(|| problem.message(name, line));
                return Err(Stop::Reported);
            }
        };
        let (initial, states) = (header.initial, header.states);
        let bound = match states {
            Some(Number { value: 0, .. }) => {
                self.complaints.add(|| {
                    Message::error("the header declares no states", at(header.states_token))
                        .label("at least 1")
                        .help("every system has an initial state")
                });
                u32::MAX
            }
            Some(states) => {
                if initial.value >= states.value {
                    self.complaints.add(|| {
                        let text = format!("the initial state {} is out of range", initial.value);
                        Message::error(text, at(initial))
                            .label(format!("states are numbered from 0 to {}", states.value - 1))
                    });
                }
                states.value
            }
            None => u32::MAX,
        };
        self.declared = Some(Declared {
            place: place(self.name, line.number, line.text, 0, line.text.len()),
            transitions_place: at(header.transitions_token),
            states_place: at(header.states_token),
            header,
            bound,
        });
        Ok(bound)
    }

    /// Counts a transition line.
    #[inline]
    fn count(&mut self, line: &Line<'_>) -> Result<(), Stop> {
        let declared = self.declared.as_ref().and_then(|d| d.header.transitions);
        if declared == Some(self.seen) {
            self.surplus = Some(place(self.name, line.number, line.text, 0, line.text.len()));
        }
        if self.seen == u64::from(u32::MAX) {
            let place = place(self.name, line.number, line.text, 0, line.text.len());
            let text = format!("there are more than {} transitions", u32::MAX);
            self.complaints.add(|| Message::error(text, place).label("one too many for 32 bits"));
            return Err(Stop::Reported);
        }
        self.seen += 1;
        Ok(())
    }

    #[cold]
    fn bad_line(&mut self, line: &Line<'_>, problem: syntax::Problem) {
        let declared = self.declared.as_ref().and_then(|d| d.header.transitions);
        if let Some(declared) = declared.filter(|&n| self.seen <= n && is_cut(line)) {
            self.cut = true;
            let good = self.seen - 1;
            let place = place(self.name, line.number, line.text, 0, line.text.len());
            self.complaints.add(|| {
                let text = format!(
                    "the file is truncated: it ends within this line, after {good} of {declared} transitions"
                );
                Message::error(text, place).label("the rest is missing")
            });
            return;
        }
        self.complaints.add(|| problem.message(self.name, line));
    }

    #[cold]
    fn out_of_range(&mut self, line: &Line<'_>, states: &[Number]) {
        let declared = self.declared.as_ref().expect("transitions come after the header");
        for &state in states.iter().filter(|state| state.value >= declared.bound) {
            self.complaints.add(|| {
                let place = place(self.name, line.number, line.text, state.start, state.end);
                Message::error(format!("state {} is out of range", state.value), place)
                    .label(format!("states are numbered from 0 to {}", declared.bound - 1))
                    .also(declared.states_place.clone(), "the number of states is declared here")
            });
        }
    }

    /// Binary data: everything after it would be misread too, so this is the end; and what was wrong before it was
    /// most likely binary data that looked like text, so this is the only message.
    #[cold]
    fn not_text(&mut self, line: &[u8], number: u64) -> Stop {
        let NotText(at) = as_text(line).expect_err("this was found not to be text");
        self.complaints = Complaints::default();
        self.complaints.add(|| {
            let message = Message::error(
                "not a .aut file: it holds binary data",
                place(self.name, number, line, at, at + 1),
            )
            .label(format!("byte 0x{:02x}", line[at]));
            match line {
                [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                    message.help("it looks like UTF-16; convert it to UTF-8")
                }
                _ if line[at] == 4 => {
                    message.help("several systems in one stream are not read; split them first")
                }
                _ => message,
            }
        });
        Stop::Reported
    }

    /// What can only be judged at the end: the counts, and whether the number of states is credible.
    fn finish(mut self) -> Result<Loaded, Failure> {
        let mut warnings = Vec::new();
        let declared = self.declared.as_ref().expect("a file without a header is not read to its end");
        let transitions = declared.header.transitions;
        if let Some(expected) = transitions.filter(|&n| n != self.seen && !self.cut) {
            let message = wrong_count(declared, expected, self.seen, self.surplus.take());
            if self.options.lenient_counts {
                warnings.push(Message { severity: Severity::Warning, ..message });
            } else {
                self.complaints.add(|| message);
            }
        }
        let initial = declared.header.initial.value;
        if let Some(states) = declared.header.states {
            self.builder.at_least_states(states.value);
        }
        let states = self.builder.num_states().max(u64::from(initial) + 1);
        if self.complaints.is_empty() && states > most_states(self.builder.num_transitions()) {
            self.complaints.add(|| {
                let n = self.builder.num_transitions();
                Message::error(
                    format!("there are {states} states but only {n} transitions"),
                    declared.place.clone(),
                )
                .label(format!("at most {} states are believed", most_states(n)))
                .help("nearly all states are unreachable; number those that are used from 0 on without gaps")
            });
        }
        if !self.complaints.is_empty() {
            return Err(Failure::Broken(malformed(self.complaints.into_messages(self.name))));
        }
        if self.builder.bytes() > self.options.memory {
            return Err(self.too_large());
        }
        Ok(Loaded { lts: self.builder.finish(initial), warnings })
    }
}

/// A line that the end of the file interrupted: it has no line ending and does not even close its parenthesis.
fn is_cut(line: &Line<'_>) -> bool {
    !line.ended && !line.text.trim_ascii_end().ends_with(b")")
}

fn malformed(messages: Vec<Message>) -> Vec<Message> {
    classified(messages, codes::MALFORMED_GRAPH)
}

fn wrong_count(declared: &Declared, expected: u64, seen: u64, surplus: Option<Place>) -> Message {
    let place = declared.transitions_place.clone();
    match surplus {
        Some(line) => {
            let text = format!("the header declares {expected} transitions, but there are {seen}");
            Message::error(text, place).label("declared here").also(line, "the first one too many")
        }
        None => {
            let text = format!("the header declares {expected} transitions, but the file ends after {seen}");
            Message::error(text, place)
                .label("declared here")
                .help("the file may be truncated; if it is the header that is wrong, a `?` there leaves the count open")
        }
    }
}
