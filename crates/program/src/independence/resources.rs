//! What processes have in common, as bits: every thing that one process may do and another may mind.
//!
//! Bits are few so that a look at a state is cheap. Where a program has more things than there are bits, several share
//! one, which only makes the reduction smaller.

use super::anonymous::is_anonymous;
use super::sites::{Channel, Sites, Which};
use crate::analysis::variables::{constants, fixed_locals, for_each_observation_of};
use crate::analysis::{Observation, joins, placed};
use crate::ir::{Capacity, ChannelId, Init, Loc, ProcessId, Program};
use crate::layout::Layout;
use std::ops::{BitOr, BitOrAssign};

const WORDS: usize = 4;
const BITS: u32 = 64 * WORDS as u32;

/// A set of bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Set([u64; WORDS]);

impl Set {
    pub(super) const EMPTY: Set = Set([0; WORDS]);
    /// Somebody creates a process.
    pub(super) const RUN: Set = Set::bit(0);
    /// Somebody ends.
    pub(super) const EXIT: Set = Set::bit(1);
    /// Somebody counts the processes.
    pub(super) const COUNT: Set = Set::bit(2);
    /// The question looks at who is at an acceptance label.
    pub(super) const ACCEPT: Set = Set::bit(3);
    /// It looks at who is at a progress label.
    pub(super) const PROGRESS: Set = Set::bit(4);
    /// It looks at when faults happen.
    pub(super) const FAULT: Set = Set::bit(5);
    /// Always done by somebody: what minds this is never alone.
    pub(super) const NEVER: Set = Set::bit(6);
    /// Channels of processes come or go, and with them the numbers that name them.
    pub(super) const RENUMBER: Set = Set::bit(7);
    /// Somebody uses a number of which is not known whose channel it names.
    pub(super) const LOOSE: Set = Set::bit(8);
    const FIRST_FREE: u32 = 9;

    const fn bit(n: u32) -> Self {
        let mut words = [0; WORDS];
        words[(n / 64) as usize] = 1 << (n % 64);
        Self(words)
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::EMPTY
    }

    #[inline]
    pub(super) fn meets(&self, other: &Set) -> bool {
        self.0.iter().zip(&other.0).fold(0, |any, (a, b)| any | (a & b)) != 0
    }

    #[inline]
    pub(super) fn and(mut self, other: &Set) -> Set {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= b);
        self
    }
}

impl BitOr for Set {
    type Output = Set;

    #[inline]
    fn bitor(mut self, other: Set) -> Set {
        self |= other;
        self
    }
}

impl BitOrAssign for Set {
    #[inline]
    fn bitor_assign(&mut self, other: Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }
}

/// Reading and writing of a variable, or of a part of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bits {
    pub(super) read: Set,
    pub(super) write: Set,
}

/// What can be done with a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    pub(super) send: Set,
    pub(super) receive: Set,
    /// Seeing how many messages there are, or that there are too many or too few.
    pub(super) observe: Set,
}

impl Ends {
    const NONE: Ends = Ends { send: Set::EMPTY, receive: Set::EMPTY, observe: Set::EMPTY };
}

/// The bits of a program.
pub(super) struct Resources {
    /// By global: its first element among all of them, if it is ever written to and part of the state.
    globals: Vec<Option<(u32, u32)>>,
    /// By kind of process and local, if other processes look at it.
    remote: Vec<Vec<Option<u32>>>,
    /// By kind of process, if others look at where it is.
    watched: Vec<Option<u32>>,
    /// By kind of process, if others put it elsewhere: moving reads this, and putting it elsewhere writes it.
    placed: Vec<Option<u32>>,
    /// By kind of process: the sets of locations that others ask about.
    labels: Vec<Vec<Vec<Loc>>>,
    /// By kind of process and local: whether it keeps the value it begins with.
    fixed: Vec<Vec<bool>>,
    /// By global: whether it keeps its first value.
    constant: Vec<bool>,
    /// By global: the number of its first channel, if it is a channel variable that keeps its value.
    first_channel: Vec<Option<usize>>,
    channels: Vec<ChannelId>,
    capacities: Vec<Capacity>,
    /// The channels that processes make, and which of all channels their locals may name.
    pub(super) sites: Sites,
    /// Whether nobody can tell which number a process has, nor whether one that has come to its end is still there.
    pub(super) anonymous: bool,
    global_bits: u32,
    site_bits: u32,
    first_variable: u32,
    variable_bits: u32,
}

/// Longer arrays are one thing, shorter ones as many as they have elements.
const MOST_ELEMENTS: u32 = 16;
/// Channels that have bits of their own.
const MOST_CHANNELS: u32 = 40;
/// How many of these are for channels of processes, if there are any.
const MOST_OWNED: u32 = 24;
/// The channels that different processes of one kind make have different bits, if there are enough.
const BITS_PER_SITE: u32 = 4;

impl Resources {
    pub(super) fn new(program: &Program, layout: &Layout) -> Self {
        let constant = constants(program);
        let fixed = fixed_locals(program);
        let mut things = 0;
        let mut next = |count: u32| {
            things += count;
            things - count
        };
        let mut globals = Vec::new();
        for (variable, &constant) in program.globals.iter().zip(&constant) {
            let elements = if variable.len() > MOST_ELEMENTS { 1 } else { variable.len() };
            globals.push((!constant && !variable.hidden).then(|| (next(elements), elements)));
        }
        let mut remote: Vec<Vec<Option<u32>>> =
            program.processes.iter().map(|kind| vec![None; kind.locals.len()]).collect();
        let mut watched = vec![None; program.processes.len()];
        let mut labels = vec![Vec::new(); program.processes.len()];
        for_each_observation_of(program, &mut |observation| {
            let process = match observation {
                Observation::Remote { process, variable, .. } => {
                    let place = &mut remote[process.index()][variable as usize];
                    *place = place.or_else(|| Some(next(1)));
                    process
                }
                Observation::Position { process, locations, .. } => {
                    labels[process.index()].push(locations.to_vec());
                    process
                }
                _ => return,
            };
            let place = &mut watched[process.index()];
            *place = place.or_else(|| Some(next(1)));
        });
        let mut placed_things = vec![None; program.processes.len()];
        for kind in program.processes.iter().flat_map(|kind| &kind.commands).flat_map(placed) {
            let thing: &mut Option<u32> = &mut placed_things[kind.index()];
            *thing = thing.or_else(|| Some(next(1)));
        }
        let mut number = 1;
        let mut first_channel = Vec::new();
        for (variable, &constant) in program.globals.iter().zip(&constant) {
            let is_channel = matches!(variable.init, Init::Channel(_));
            first_channel.push((is_channel && constant).then_some(number));
            number += if is_channel { variable.len() as usize } else { 0 };
        }
        let channels = layout.global_channels.clone();
        let sites = Sites::new(program, layout, &fixed, &first_channel);
        // Whether the first process of a kind is still there makes a difference to who puts it elsewhere.
        let anonymous = !joins(program) && is_anonymous(program, layout, &sites, &first_channel);
        let site_bits = (BITS_PER_SITE * sites.len() as u32).min(MOST_OWNED);
        let global_bits = (channels.len() as u32).min(MOST_CHANNELS - site_bits);
        let first_variable = Set::FIRST_FREE + 3 * (global_bits + site_bits);
        let variable_bits = things.clamp(1, (BITS - first_variable) / 2);
        let capacities = program.channels.iter().map(|channel| channel.capacity).collect();
        Self {
            globals,
            remote,
            watched,
            placed: placed_things,
            labels,
            fixed,
            constant,
            first_channel,
            channels,
            capacities,
            anonymous,
            sites,
            global_bits,
            site_bits,
            first_variable,
            variable_bits,
        }
    }

    /// Whether a local keeps the value it begins with.
    pub(super) fn is_fixed(&self, process: ProcessId, local: u32) -> bool {
        self.fixed[process.index()][local as usize]
    }

    /// Whether a global keeps its first value.
    pub(super) fn is_constant(&self, global: u32) -> bool {
        self.constant[global as usize]
    }

    pub(super) fn first_channel(&self, global: u32) -> Option<usize> {
        self.first_channel[global as usize]
    }

    /// The kind of a global channel, by its number.
    pub(super) fn kind_of(&self, number: usize) -> Option<ChannelId> {
        self.channels.get(number.checked_sub(1)?).copied()
    }

    /// What kind of channel it is.
    pub(super) fn kind_of_channel(&self, channel: Channel) -> Option<ChannelId> {
        match channel {
            Channel::Global(number) => self.kind_of(number),
            Channel::Owned { site, .. } => Some(self.sites.kind(site)),
        }
    }

    /// The capacity of a channel.
    pub(super) fn capacity(&self, channel: Channel) -> Option<Capacity> {
        self.kind_of_channel(channel).map(|kind| self.capacities[kind.index()])
    }

    fn access(&self, thing: u32) -> Bits {
        let at = self.first_variable + 2 * (thing % self.variable_bits);
        Bits { read: Set::bit(at), write: Set::bit(at + 1) }
    }

    /// A global, or one element of it; `None` if nobody changes it.
    pub(super) fn global(&self, global: u32, element: Option<u32>) -> Option<Bits> {
        let (first, elements) = self.globals[global as usize]?;
        Some(match element {
            Some(element) if element < elements => self.access(first + element),
            _ => (first..first + elements).map(|thing| self.access(thing)).fold(
                Bits { read: Set::EMPTY, write: Set::EMPTY },
                |all, one| Bits { read: all.read | one.read, write: all.write | one.write },
            ),
        })
    }

    /// A local that other processes look at.
    pub(super) fn remote(&self, process: ProcessId, local: u32) -> Option<Bits> {
        self.remote[process.index()][local as usize].map(|thing| self.access(thing))
    }

    /// Where processes of a kind are, if others look at that.
    pub(super) fn whereabouts(&self, process: ProcessId) -> Option<Bits> {
        self.watched[process.index()].map(|thing| self.access(thing))
    }

    /// The processes of a kind, if others put them elsewhere.
    pub(super) fn placed(&self, process: ProcessId) -> Option<Bits> {
        self.placed[process.index()].map(|thing| self.access(thing))
    }

    /// Whether those who look see a difference between two locations.
    pub(super) fn differ(&self, process: ProcessId, from: Loc, to: Loc) -> bool {
        self.labels[process.index()].iter().any(|set| set.contains(&from) != set.contains(&to))
    }

    fn ends_of(&self, index: u32) -> Ends {
        let at = Set::FIRST_FREE + 3 * index;
        Ends { send: Set::bit(at), receive: Set::bit(at + 1), observe: Set::bit(at + 2) }
    }

    pub(super) fn ends(&self, which: &Which) -> Ends {
        let join = |all: Ends, index: u32| {
            let one = self.ends_of(index);
            Ends {
                send: all.send | one.send,
                receive: all.receive | one.receive,
                observe: all.observe | one.observe,
            }
        };
        match which {
            Which::Known(channels) => {
                channels.iter().flat_map(|&channel| self.bits_of(channel)).fold(Ends::NONE, join)
            }
            Which::Any => (0..self.global_bits + self.site_bits).fold(Ends::NONE, join),
        }
    }

    /// The bits of a channel, or of all that it may be.
    fn bits_of(&self, channel: Channel) -> impl Iterator<Item = u32> + use<> {
        let (first, count) = match channel {
            Channel::Global(number) => ((number as u32 - 1) % self.global_bits, 1),
            Channel::Owned { site, number } => {
                let width = (self.site_bits / self.sites.len() as u32).max(1);
                let first = site * width % self.site_bits;
                match number {
                    Some(number) => (self.global_bits + first + number as u32 % width, 1),
                    None => (self.global_bits + first, width),
                }
            }
        };
        first..first + count
    }
}
