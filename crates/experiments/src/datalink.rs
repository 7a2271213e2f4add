//! The Datalink protocol and its service, with which the 1991 paper measures (section 5.2.1).
//!
//! The table is made from our texts in LOTOS ([`text`]). What is written here by hand is the same once more, so that each checks the other.
//!
//! The paper does not print the text it measured. This is an alternating bit protocol over one line that may lose what it
//! carries, with *n* different messages; GET and GIVE are what its users see, all else is internal:
//!
//! ```text
//! Transmitter(s) := GET ?d; Sending(s, d) >> Transmitter(1 - s)
//! Sending(s, d)  := Send !info !s !d; ( Receive !ack !(1 - s) !empty; exit  []  Timeout; Sending(s, d) )
//! Receiver(e)    := Receive !info ?r ?d; ( [r = e]     -> GIVE !d; Send !ack !(1 - r) !empty; Receiver(1 - e)
//!                                       [] [1 - r = e] -> Send !ack !(1 - r) !empty; Receiver(e) )
//! Line           := Send ?f ?s ?d; ( Receive !f !s !d; Line  []  i; Timeout; Line )
//! ```
//!
//! The numbers of states that the paper gives come out if variables keep their last value when they are no longer needed,
//! and if a call is a place of its own, where the parameters are still to be passed: as a compiler of 1990 would have it.
//! Then S1 has 16n² + 42n + 1 states and 24n² + 48n transitions.
//!
//! The faulty transmitter waits for the acknowledgement with its own bit, which is that of the message before.

pub mod table;
pub mod text;

use elnath_kernel::{Action, Describe, Fault, Stepper, Successors, System, Terse, Transition};
use std::fmt::Write;

/// The protocol, made only where it is looked at.
pub struct Datalink {
    /// How many different messages there are, at most [`Datalink::MOST`].
    pub messages: u16,
    /// Whether the transmitter takes the acknowledgement of the message before for that of this one.
    pub faulty: bool,
}

/// The service: what was got is given, before the next is got.
pub struct Service {
    /// How many different messages there are.
    pub messages: u16,
    /// Whether nothing was given at first, or the first message: 2n + 1 states or 2n. The paper has both.
    pub fresh: bool,
}

impl Datalink {
    /// The most messages; the numbers above stand for none.
    pub const MOST: u16 = UNDEFINED - 2;
}

const UNDEFINED: u16 = u16::MAX;
const EMPTY: u16 = u16::MAX - 1;
/// A bit that was never set.
const UNSET: u8 = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Sender {
    Start,
    Idle,
    /// About to send with the parameters still to be passed, or not.
    Calling,
    Sending,
    Waiting,
    Leaving,
}

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Taker {
    Start,
    /// After a new message, with the parameter still to be passed; after a repeated one.
    AfterNew,
    AfterOld,
    Got,
    Given,
}

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Wire {
    Free,
    Full,
    Lost,
}

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Frame {
    None,
    Info,
    Ack,
}

/// All variables, whether needed or not.
#[derive(Clone, Copy)]
struct State {
    sender: Sender,
    sender_bit: u8,
    sender_data: u16,
    /// The parameters of Sending.
    bit: u8,
    data: u16,
    taker: Taker,
    expected: u8,
    received: u8,
    taken: u16,
    wire: Wire,
    frame: Frame,
    wire_bit: u8,
    wire_data: u16,
}

const INTERNAL: u32 = 0;

fn get(message: u16) -> u32 {
    1 + 2 * u32::from(message)
}

fn give(message: u16) -> u32 {
    2 + 2 * u32::from(message)
}

fn name(action: Action) -> String {
    match action.0 {
        INTERNAL => "i".to_owned(),
        odd if odd % 2 == 1 => format!("GET !{}", odd / 2),
        even => format!("GIVE !{}", even / 2 - 1),
    }
}

impl State {
    const INITIAL: State = State {
        sender: Sender::Start,
        sender_bit: 0,
        sender_data: UNDEFINED,
        bit: UNSET,
        data: UNDEFINED,
        taker: Taker::Start,
        expected: 0,
        received: UNSET,
        taken: UNDEFINED,
        wire: Wire::Free,
        frame: Frame::None,
        wire_bit: UNSET,
        wire_data: UNDEFINED,
    };

    /// Calls `step` with each step that is possible.
    fn steps(self, model: &Datalink, mut step: impl FnMut(u32, State)) {
        let sends = |frame: Frame, bit: u8, data: u16, next: State| {
            let full = State { wire: Wire::Full, frame, wire_bit: bit, wire_data: data, ..next };
            (self.wire == Wire::Free).then_some(full)
        };
        match self.sender {
            Sender::Start | Sender::Idle => {
                let sender_bit =
                    if self.sender == Sender::Idle { 1 - self.sender_bit } else { self.sender_bit };
                for sender_data in 0..model.messages {
                    step(
                        get(sender_data),
                        State { sender: Sender::Calling, sender_bit, sender_data, ..self },
                    );
                }
            }
            Sender::Calling | Sender::Sending => {
                let (bit, data) = match self.sender {
                    Sender::Calling => (self.sender_bit, self.sender_data),
                    _ => (self.bit, self.data),
                };
                let next = State { sender: Sender::Waiting, bit, data, ..self };
                sends(Frame::Info, bit, data, next).into_iter().for_each(|next| step(INTERNAL, next));
            }
            Sender::Waiting => {
                let expected = if model.faulty { self.bit } else { 1 - self.bit };
                let carried = (self.wire, self.frame, self.wire_bit, self.wire_data);
                if carried == (Wire::Full, Frame::Ack, expected, EMPTY) {
                    step(INTERNAL, State { sender: Sender::Leaving, wire: Wire::Free, ..self });
                }
                if self.wire == Wire::Lost {
                    step(INTERNAL, State { sender: Sender::Sending, wire: Wire::Free, ..self });
                }
            }
            Sender::Leaving => step(INTERNAL, State { sender: Sender::Idle, ..self }),
        }
        match self.taker {
            Taker::Start | Taker::AfterNew | Taker::AfterOld => {
                let expected = if self.taker == Taker::AfterNew { 1 - self.expected } else { self.expected };
                if self.wire == Wire::Full && self.frame == Frame::Info {
                    let (received, taken) = (self.wire_bit, self.wire_data);
                    let next =
                        State { taker: Taker::Got, expected, received, taken, wire: Wire::Free, ..self };
                    step(INTERNAL, next);
                }
            }
            Taker::Got if self.received == self.expected => {
                step(give(self.taken), State { taker: Taker::Given, ..self });
            }
            Taker::Got | Taker::Given => {
                let taker = if self.taker == Taker::Got { Taker::AfterOld } else { Taker::AfterNew };
                let next = State { taker, ..self };
                let sent = sends(Frame::Ack, 1 - self.received, EMPTY, next);
                sent.into_iter().for_each(|next| step(INTERNAL, next));
            }
        }
        if self.wire == Wire::Full {
            step(INTERNAL, State { wire: Wire::Lost, ..self });
        }
    }

    fn write(self, out: &mut Vec<u8>) {
        out.clear();
        out.push(self.sender as u8 | self.sender_bit << 3 | self.bit << 4);
        out.push(self.taker as u8 | self.expected << 3 | self.received << 4);
        out.push(self.wire as u8 | (self.frame as u8) << 2 | self.wire_bit << 4);
        for data in [self.sender_data, self.data, self.taken, self.wire_data] {
            out.extend_from_slice(&data.to_le_bytes());
        }
    }

    fn read(bytes: &[u8]) -> State {
        const SENDERS: [Sender; 6] =
            [Sender::Start, Sender::Idle, Sender::Calling, Sender::Sending, Sender::Waiting, Sender::Leaving];
        const TAKERS: [Taker; 5] = [Taker::Start, Taker::AfterNew, Taker::AfterOld, Taker::Got, Taker::Given];
        const WIRES: [Wire; 3] = [Wire::Free, Wire::Full, Wire::Lost];
        const FRAMES: [Frame; 3] = [Frame::None, Frame::Info, Frame::Ack];
        let data = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        State {
            sender: SENDERS[usize::from(bytes[0] & 7)],
            sender_bit: bytes[0] >> 3 & 1,
            bit: bytes[0] >> 4,
            taker: TAKERS[usize::from(bytes[1] & 7)],
            expected: bytes[1] >> 3 & 1,
            received: bytes[1] >> 4,
            wire: WIRES[usize::from(bytes[2] & 3)],
            frame: FRAMES[usize::from(bytes[2] >> 2 & 3)],
            wire_bit: bytes[2] >> 4,
            sender_data: data(3),
            data: data(5),
            taken: data(7),
            wire_data: data(9),
        }
    }
}

impl System for Datalink {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(Steps(self))
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    fn bytes(&self) -> usize {
        0
    }
}

impl Terse for Datalink {
    fn state_text(&self, state: &[u8]) -> String {
        let State { sender, sender_bit, taker, expected, wire, frame, wire_bit, .. } = State::read(state);
        let sender = match sender {
            Sender::Start | Sender::Idle => "idle",
            Sender::Calling | Sender::Sending => "sending",
            Sender::Waiting => "waiting",
            Sender::Leaving => "done",
        };
        let taker = match taker {
            Taker::Got => "got",
            Taker::Given => "given",
            Taker::Start | Taker::AfterNew | Taker::AfterOld => "ready",
        };
        let mut text = format!("transmitter {sender} ({sender_bit}), receiver {taker} ({expected}), line ");
        let frame = if frame == Frame::Info { "message" } else { "acknowledgement" };
        let _ = match wire {
            Wire::Free => write!(text, "free"),
            Wire::Full => write!(text, "with {frame} {wire_bit}"),
            Wire::Lost => write!(text, "has lost {frame} {wire_bit}"),
        };
        text
    }

    fn action_text(&self, action: Action) -> String {
        name(action)
    }
}

struct Steps<'a>(&'a Datalink);

/// A transition is its action and, in the low bits, which of those with this action.
const ALIKE: u64 = 3;

impl Stepper for Steps<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        State::INITIAL.write(out);
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        out.clear();
        State::read(state).steps(self.0, |action, _| {
            let first = u64::from(action) << ALIKE;
            // Only internal steps can be alike.
            let alike = if action == INTERNAL {
                out.iter().filter(|t| t.0 >> ALIKE == u64::from(INTERNAL)).count() as u64
            } else {
                0
            };
            out.push(Transition(first | alike));
        });
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        let state = State::read(state);
        let action = (t.0 >> ALIKE) as u32;
        if action % 2 == 1 {
            // The next message: no need to go through all of them.
            let sender_bit =
                if state.sender == Sender::Idle { 1 - state.sender_bit } else { state.sender_bit };
            let sender_data = (action / 2) as u16;
            State { sender: Sender::Calling, sender_bit, sender_data, ..state }.write(out);
            return Ok(());
        }
        let mut left = t.0 & ((1 << ALIKE) - 1);
        let mut found = None;
        state.steps(self.0, |this, next| {
            if this == action {
                if left == 0 && found.is_none() {
                    found = Some(next);
                }
                left = left.saturating_sub(1);
            }
        });
        found.expect("the transition is enabled").write(out);
        Ok(())
    }

    fn action(&mut self, _state: &[u8], t: Transition) -> Action {
        Action((t.0 >> ALIKE) as u32)
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        out.fire_all(self, state);
    }

    fn may_end(&mut self, _state: &[u8]) -> bool {
        false
    }

    fn transition_bits(&self) -> u32 {
        32
    }

    elnath_kernel::facets! { none: propositions, acceptance, processes, tally }
}

impl System for Service {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(Serves(self))
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    fn bytes(&self) -> usize {
        0
    }
}

impl Terse for Service {
    fn state_text(&self, state: &[u8]) -> String {
        match (state[0], u16::from_le_bytes([state[1], state[2]])) {
            (_, UNDEFINED) => "nothing given yet".to_owned(),
            (0, message) => format!("gave {message}"),
            (_, message) => format!("has {message}"),
        }
    }

    fn action_text(&self, action: Action) -> String {
        name(action)
    }
}

/// A state is whether a message is there, and which one is or was the last.
struct Serves<'a>(&'a Service);

impl Stepper for Serves<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        out.clear();
        out.push(0);
        out.extend_from_slice(&if self.0.fresh { UNDEFINED } else { 0 }.to_le_bytes());
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        out.clear();
        if state[0] == 1 {
            let message = u16::from_le_bytes([state[1], state[2]]);
            out.push(Transition(u64::from(give(message))));
        } else {
            out.extend((0..self.0.messages).map(|message| Transition(u64::from(get(message)))));
        }
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        let message = ((t.0 - 1) / 2) as u16;
        out.clear();
        out.push(1 - state[0]);
        out.extend_from_slice(&message.to_le_bytes());
        Ok(())
    }

    fn action(&mut self, _state: &[u8], t: Transition) -> Action {
        Action(t.0 as u32)
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        out.fire_all(self, state);
    }

    fn may_end(&mut self, _state: &[u8]) -> bool {
        false
    }

    fn transition_bits(&self) -> u32 {
        32
    }

    elnath_kernel::facets! { none: propositions, acceptance, processes, tally }
}
