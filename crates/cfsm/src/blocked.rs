//! Machines that cannot go on, and messages that nobody takes: what is wrong with a network whatever it is for.
//!
//! | property | what must not be |
//! |---|---|
//! | [deadlock](Blocked::Deadlock) | no transition is possible, and not every machine may end where it is |
//! | [unspecified reception](Blocked::UnspecifiedReception) | a machine can only receive, and what has arrived on every channel that it listens to is something else: it is blocked for ever, also if others go on |
//! | [orphan message](Blocked::OrphanMessage) | a message is in a channel from which no machine will receive again, or is left when all machines have ended |
//! | [full channel](Blocked::FullChannel) | no transition is possible because there is no room in a channel whose capacity the model does not state |
//!
//! (Brand, Zafiropulo 1983; Cécé, Finkel 2005; Lange, Yoshida 2019.) They are told apart: a state in which nothing is possible because
//! of an unspecified reception or a full channel is no deadlock.
//!
//! Each but the first becomes propositions of the program, so that every engine evaluates them. An unspecified reception, and a channel
//! from which nobody receives again, are *stable*: once there, they stay, whatever the others do. So it need not be observed when they
//! come about, and partial order reduction keeps them as it keeps deadlocks: every run of the system is, with its independent
//! steps in another order, the beginning of a run that is explored. The others are looked at only where nothing is possible
//! ([`When::AtEnds`]), and all such states are kept.
//!
//! Places of a fifo net are no channels between machines: tokens may stay in them, and only deadlocks and full places are asked about.

use crate::lower::{Options, holds_first, letter, load};
use crate::network::{Machine, Network, Transition};
use elnath_program::ir::{Binary, ChannelQuery, Expr, Loc, ProcessId, Unary};

/// A property of machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Blocked {
    /// Nothing is possible, and a machine waits.
    Deadlock,
    /// A machine can only receive what has not come, and something else has.
    UnspecifiedReception,
    /// A message that nobody will receive.
    OrphanMessage,
    /// Nothing is possible, since a channel has no more room than the user granted.
    FullChannel,
}

impl Blocked {
    /// All of them, in the order in which they are reported.
    pub const ALL: [Blocked; 4] =
        [Blocked::Deadlock, Blocked::UnspecifiedReception, Blocked::OrphanMessage, Blocked::FullChannel];

    /// What `--only` and `--json` call it.
    pub fn name(self) -> &'static str {
        match self {
            Blocked::Deadlock => "deadlock",
            Blocked::UnspecifiedReception => "unspecified-reception",
            Blocked::OrphanMessage => "orphan-message",
            Blocked::FullChannel => "full-channel",
        }
    }

    /// What people call it.
    pub fn text(self) -> &'static str {
        match self {
            Blocked::Deadlock => "deadlock",
            Blocked::UnspecifiedReception => "unspecified reception",
            Blocked::OrphanMessage => "orphan message",
            Blocked::FullChannel => "full channel",
        }
    }
}

/// Where a condition must be true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// In every state; once it is false, it stays so.
    Stable,
    /// In states without transitions.
    AtEnds,
}

/// A condition that must be true of a network, as a proposition of its program.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The property that fails where it is false.
    pub property: Blocked,
    /// Where it must be true.
    pub when: When,
    /// What it says.
    pub name: &'static str,
    /// It.
    pub expr: Expr,
}

/// What must be true of a network beside the absence of deadlocks. The properties that it has are those of the result and
/// [`Blocked::Deadlock`].
pub fn conditions(network: &Network, options: Options) -> Vec<Condition> {
    let mut conditions = Vec::new();
    let mut add = |property, when, name, expr: Expr| {
        conditions.push(Condition { property, when, name, expr });
    };
    let conditions_of = Conditions { network, options };
    if !network.is_net {
        let unspecified = conditions_of.unspecified();
        add(Blocked::UnspecifiedReception, When::Stable, "no unspecified reception", not(unspecified));
        let orphan = conditions_of.orphan();
        add(Blocked::OrphanMessage, When::Stable, "no orphan message", not(orphan));
        let left = all([conditions_of.all_may_end(), not(conditions_of.all_empty())]);
        add(Blocked::OrphanMessage, When::AtEnds, "no message left", not(left));
    }
    if options.capacity.is_some() && network.channels.iter().any(|channel| channel.capacity.is_none()) {
        // Whoever has an unspecified reception would not go on with more room either.
        let mut blocked = vec![not(conditions_of.all_may_end()), conditions_of.without_room()];
        if !network.is_net {
            blocked.push(not(conditions_of.unspecified()));
        }
        add(Blocked::FullChannel, When::AtEnds, "no full channel", not(all(blocked)));
    }
    conditions
}

/// A state of a network, taken apart.
pub struct Snapshot<'s> {
    /// The state of each machine.
    pub locations: &'s [Loc],
    /// The messages of each channel, as values of the program.
    pub contents: &'s [Vec<Vec<i32>>],
}

impl Snapshot<'_> {
    fn letters(&self, channel: usize) -> Vec<u32> {
        let messages = self.contents.get(channel).into_iter().flatten();
        messages.filter_map(|fields| letter(*fields.first()?)).collect()
    }

    fn state(&self, machine: usize) -> usize {
        self.locations[machine].index()
    }
}

/// What is wrong in a state in which a [condition](conditions) is false, in words: the first machine or channel of which it is.
pub fn explain(
    network: &Network,
    options: Options,
    property: Blocked,
    here: &Snapshot<'_>,
) -> Option<String> {
    let conditions = Conditions { network, options };
    let found = match property {
        Blocked::Deadlock => None,
        Blocked::UnspecifiedReception => conditions.told_unspecified(here),
        Blocked::OrphanMessage => conditions.told_orphan(here),
        Blocked::FullChannel => conditions.told_full(here),
    };
    found.map(|found| format!("{}: {found}", property.text()))
}

/// Who says how much a channel holds.
#[derive(Clone, Copy)]
enum Granted {
    ByModel,
    ByUser,
}

/// Expressions about the state of a network.
struct Conditions<'n> {
    network: &'n Network,
    options: Options,
}

impl Conditions<'_> {
    /// Some machine has an unspecified reception.
    fn unspecified(&self) -> Expr {
        let machines = self.network.machines.iter().enumerate();
        any(machines.flat_map(|(number, machine)| {
            (0..machine.states.len()).filter_map(move |state| {
                let blocked: Option<Vec<Expr>> = leaving(machine, state)
                    .map(|transition| self.wrong_message(number, transition))
                    .collect();
                let blocked = blocked.filter(|blocked| !blocked.is_empty())?;
                Some(all(blocked.into_iter().chain([at(number, [state])])))
            })
        }))
    }

    /// Something has arrived for a transition of this machine that it does not take. Nothing if that can never be, since it takes
    /// nothing from a channel that is this machine's alone.
    fn wrong_message(&self, machine: usize, transition: &Transition) -> Option<Expr> {
        let own = transition.receives.iter().filter(|(channel, _)| self.readers(*channel) == [machine]);
        let wrong: Vec<Expr> = own
            .flat_map(|(channel, word)| {
                word.iter().enumerate().map(|(ahead, &letter)| {
                    all([
                        compare(Binary::Gt, length(*channel), ahead as i32),
                        not(holds_first(*channel, letter, ahead)),
                    ])
                })
            })
            .collect();
        (!wrong.is_empty()).then(|| any(wrong))
    }

    /// The machines that receive from a channel.
    fn readers(&self, channel: usize) -> Vec<usize> {
        let machines = self.network.machines.iter().enumerate();
        machines
            .filter(|(_, machine)| machine.transitions.iter().any(|t| takes_from(t, channel)))
            .map(|(n, _)| n)
            .collect()
    }

    /// Some channel holds a message, and no machine will receive from it again.
    fn orphan(&self) -> Expr {
        any((0..self.network.channels.len()).map(|channel| {
            let done = self.readers(channel).into_iter().map(|reader| {
                let machine = &self.network.machines[reader];
                let receives = may_receive(machine, channel);
                at(reader, (0..machine.states.len()).filter(|&state| !receives[state]))
            });
            all(done.chain([compare(Binary::Gt, length(channel), 0)]))
        }))
    }

    fn all_may_end(&self) -> Expr {
        all(self.network.machines.iter().enumerate().map(|(number, machine)| {
            let ends = (0..machine.states.len()).filter(|&state| machine.states[state].end);
            at(number, ends)
        }))
    }

    fn all_empty(&self) -> Expr {
        all((0..self.network.channels.len()).map(|channel| compare(Binary::Eq, length(channel), 0)))
    }

    /// Some machine has received all that a transition takes, and waits only for room in channels whose capacity is the user's.
    fn without_room(&self) -> Expr {
        let machines = self.network.machines.iter().enumerate();
        any(machines.flat_map(|(number, machine)| {
            machine.transitions.iter().filter_map(move |transition| {
                let full = |whose| {
                    let room = self.room(transition, whose);
                    room.map(|(channel, room)| compare(Binary::Gt, length(channel), room as i32)).collect()
                };
                let (users, own): (Vec<Expr>, Vec<Expr>) = (full(Granted::ByUser), full(Granted::ByModel));
                let taken = transition.receives.iter().flat_map(|(channel, word)| {
                    word.iter().enumerate().map(|(ahead, &letter)| holds_first(*channel, letter, ahead))
                });
                let is_there = at(number, [transition.source]);
                (!users.is_empty()).then(|| all(taken.chain([is_there, not(any(own)), any(users)])))
            })
        }))
    }

    /// The channels that a transition sends on, as far as their capacity is granted by this one, with the most messages that they may
    /// hold for it to be possible.
    fn room(&self, transition: &Transition, by: Granted) -> impl Iterator<Item = (usize, i64)> {
        transition.sends.iter().filter_map(move |(channel, word)| {
            let of = &self.network.channels[*channel];
            let capacity = match by {
                Granted::ByModel => of.capacity,
                Granted::ByUser => self.options.capacity.filter(|_| of.capacity.is_none()),
            };
            let most = i64::from(capacity?).max(of.contents.len() as i64);
            let taken = transition.receives.iter().find(|(other, _)| other == channel);
            Some((*channel, most - word.len() as i64 + taken.map_or(0, |(_, word)| word.len() as i64)))
        })
    }
}

/// The same in words.
impl Conditions<'_> {
    fn told_unspecified(&self, here: &Snapshot<'_>) -> Option<String> {
        (0..self.network.machines.len()).find_map(|number| {
            let machine = &self.network.machines[number];
            let wrong = |transition: &Transition| {
                let own =
                    transition.receives.iter().filter(|(channel, _)| self.readers(*channel) == [number]);
                own.map(|(channel, word)| (*channel, word, here.letters(*channel)))
                    .find(|(_, word, there)| word.iter().zip(there).any(|(wanted, found)| wanted != found))
                    .map(|(channel, _, there)| (channel, there[0]))
            };
            let state = here.state(number);
            let all: Option<Vec<(usize, u32)>> = leaving(machine, state).map(wrong).collect();
            let mut all = all.filter(|all| !all.is_empty())?;
            all.sort_unstable();
            all.dedup();
            let first = |&(channel, letter): &(usize, u32)| {
                let channel = &self.network.channels[channel];
                format!("the first message in {} is {}", channel.name, channel.messages[letter as usize])
            };
            let first: Vec<String> = all.iter().map(first).collect();
            let expected: Vec<&str> =
                leaving(machine, state).map(|transition| transition.text.as_str()).collect();
            let (place, waits) = (self.place(leaving(machine, state).next()), expected.join(" or "));
            let state = &machine.states[state].name;
            Some(format!(
                "{} in state {state}{place} waits for {waits}, and {}",
                machine.name,
                first.join(", ")
            ))
        })
    }

    fn told_orphan(&self, here: &Snapshot<'_>) -> Option<String> {
        let done = |reader: usize, channel: usize| {
            !may_receive(&self.network.machines[reader], channel)[here.state(reader)]
        };
        let holding =
            || (0..self.network.channels.len()).filter(|&channel| !here.letters(channel).is_empty());
        let orphaned =
            |&channel: &usize| self.readers(channel).into_iter().all(|reader| done(reader, channel));
        let at_an_end = || holding().next();
        let channel = holding().find(orphaned).or_else(at_an_end)?;
        let named = |reader: usize| {
            let machine = &self.network.machines[reader];
            format!("{} in state {}", machine.name, machine.states[here.state(reader)].name)
        };
        let readers = self.readers(channel);
        let who: Vec<String> = readers.iter().map(|&reader| named(reader)).collect();
        let why = match who.is_empty() {
            true => "no machine receives from it".to_owned(),
            false if orphaned(&channel) => format!("{} never receives from it again", who.join(" and ")),
            false => {
                format!("nothing is possible any more, and all machines may end ({})", who.join(" and "))
            }
        };
        let there = here.letters(channel);
        let channel = &self.network.channels[channel];
        let messages: Vec<&str> =
            there.iter().map(|&letter| channel.messages[letter as usize].as_str()).collect();
        Some(format!("{} in {}: {why}", messages.join(", "), channel.name))
    }

    fn told_full(&self, here: &Snapshot<'_>) -> Option<String> {
        let capacity = self.options.capacity?;
        (0..self.network.machines.len()).find_map(|number| {
            let machine = &self.network.machines[number];
            let state = here.state(number);
            // The channel without room, if this transition waits for it.
            let waits_for = |transition: &Transition| {
                let taken = |(channel, word): &(usize, Vec<u32>)| here.letters(*channel).starts_with(word);
                let full = |(channel, room): &(usize, i64)| here.letters(*channel).len() as i64 > *room;
                let own = self.room(transition, Granted::ByModel).any(|channel| full(&channel));
                let (full, _) = self.room(transition, Granted::ByUser).find(full)?;
                (!own && transition.receives.iter().all(taken)).then_some(full)
            };
            let (channel, transition) =
                leaving(machine, state).find_map(|transition| Some((waits_for(transition)?, transition)))?;
            let (state, channel) = (&machine.states[state].name, &self.network.channels[channel].name);
            let place = self.place(Some(transition));
            Some(format!(
                "{} in state {state}{place} waits for room in {channel} for {}: --capacity {capacity} is too little",
                machine.name, transition.text
            ))
        })
    }

    fn place(&self, transition: Option<&Transition>) -> String {
        transition
            .map_or_else(String::new, |transition| format!(" ({}:{})", self.network.file, transition.line))
    }
}

fn leaving(machine: &Machine, state: usize) -> impl Iterator<Item = &Transition> {
    machine.transitions.iter().filter(move |transition| transition.source == state)
}

fn takes_from(transition: &Transition, channel: usize) -> bool {
    transition.receives.iter().any(|(other, _)| *other == channel)
}

/// By state: whether a transition that receives from the channel can be reached, as far as the machine alone decides.
fn may_receive(machine: &Machine, channel: usize) -> Vec<bool> {
    let mut may = vec![false; machine.states.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for transition in &machine.transitions {
            if !may[transition.source] && (takes_from(transition, channel) || may[transition.target]) {
                may[transition.source] = true;
                changed = true;
            }
        }
    }
    may
}

fn at(machine: usize, states: impl IntoIterator<Item = usize>) -> Expr {
    let locations: Vec<Loc> = states.into_iter().map(|state| Loc(state as u32)).collect();
    if locations.is_empty() {
        return Expr::Const(0);
    }
    Expr::At { process: ProcessId(machine as u32), pid: None, locations }
}

fn length(channel: usize) -> Expr {
    Expr::Channel(ChannelQuery::Len, Box::new(load(channel)))
}

fn compare(operator: Binary, left: Expr, right: i32) -> Expr {
    Expr::Binary(operator, Box::new([left, Expr::Const(right)]))
}

fn not(expr: Expr) -> Expr {
    Expr::Unary(Unary::Not, Box::new(expr))
}

fn all(parts: impl IntoIterator<Item = Expr>) -> Expr {
    balanced(parts.into_iter().collect(), Binary::And).unwrap_or(Expr::Const(1))
}

fn any(parts: impl IntoIterator<Item = Expr>) -> Expr {
    balanced(parts.into_iter().collect(), Binary::Or).unwrap_or(Expr::Const(0))
}

/// A tree of little depth: there may be thousands of parts.
fn balanced(mut parts: Vec<Expr>, operator: Binary) -> Option<Expr> {
    if parts.len() <= 1 {
        return parts.pop();
    }
    let right = balanced(parts.split_off(parts.len() / 2), operator)?;
    let left = balanced(parts, operator)?;
    Some(Expr::Binary(operator, Box::new([left, right])))
}
