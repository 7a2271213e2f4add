//! The control skeleton of a program: who can go where, and what is taken and put on the way; nothing else.
//!
//! Static questions (how many messages can there be at most, does each sender repeat itself) are asked of this abstraction.
//! Guards, variables and the order of messages are forgotten, so that it can do whatever the program can, and more: a
//! bound for it is a bound for the program. Processes at the start are components of one token; those created later are
//! components that tokens enter when a process is created.
//!
//! A message is as much as is known of it: its first field where every send on the channel has a constant there, and
//! otherwise only that it is a message. A receive of anything is one move for each message. Where a channel is not known:
//! a send makes all bounds unknown, a receive takes nothing.
//!
//! It is *exact* when nothing is forgotten but the order of messages: then a program is a system of communicating machines
//! in the sense of the report, and the classes of [`crate::classes`] can be recognised.

use crate::points::{Channels, Points, Site};
use elnath_program::analysis::{Operation, created, joins, operations, received_from, sent_to};
use elnath_program::ir::{
    Binary, Capacity, ChannelId, Command, Expr, Guard, Init, Loc, Pattern, ProcessId, ProcessType, Program,
};
use std::collections::{BTreeMap, BTreeSet};

/// The skeleton of a program.
#[derive(Clone, Debug, Default)]
pub struct Skeleton {
    /// Processes.
    pub components: Vec<Component>,
    /// The channels that are not rendez-vous.
    pub channels: Vec<SkeletonChannel>,
    /// The messages of all channels: the channel, and what is known of the message.
    pub letters: Vec<(usize, Option<i32>)>,
    /// What can happen.
    pub moves: Vec<Move>,
    /// A send goes to a channel that is not known, or processes are put elsewhere: there may be anything anywhere.
    pub blind: bool,
    /// Nothing is forgotten but the order of messages.
    pub exact: bool,
}

/// A process, or all processes of a kind that are created later.
#[derive(Clone, Debug)]
pub struct Component {
    /// Its kind.
    pub process: ProcessId,
    /// Its name.
    pub name: String,
    /// The names of its locations.
    pub locations: Vec<String>,
    /// Where it begins.
    pub entry: usize,
    /// Whether there is one at the start.
    pub present: bool,
}

/// A channel.
#[derive(Clone, Debug)]
pub struct SkeletonChannel {
    /// Where it is made.
    pub site: Site,
    /// Its name.
    pub name: String,
    /// The most messages it holds.
    pub capacity: Option<u32>,
    /// What it holds at first, as letters.
    pub contents: Vec<usize>,
}

/// Something that a component can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Which component.
    pub component: usize,
    /// From where.
    pub from: usize,
    /// Where to; nowhere if the process ends.
    pub to: Option<usize>,
    /// The letters that are taken, in order.
    pub takes: Vec<usize>,
    /// The letters that are put, in order.
    pub puts: Vec<usize>,
    /// The components that a process is added to.
    pub starts: Vec<usize>,
}

impl Skeleton {
    /// The skeleton of a program.
    pub fn new(program: &Program, points: &Points<'_>) -> Self {
        let mut builder = Builder {
            program,
            points,
            made: Skeleton::default(),
            sites: BTreeMap::new(),
            plain: BTreeSet::new(),
        };
        builder.channels();
        builder.letters();
        builder.components();
        let mut made = builder.made;
        // A process that others put elsewhere goes where none of its moves lead.
        made.blind |= joins(program);
        made.exact = !made.blind && is_exact(program, &made);
        made
    }

    /// The number of the letter of a channel, if there is such a letter.
    fn letter(&self, channel: usize, value: Option<i32>) -> Option<usize> {
        self.letters.iter().position(|&letter| letter == (channel, value))
    }

    /// The letters of a channel.
    pub fn letters_of(&self, channel: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.letters.len()).filter(move |&letter| self.letters[letter].0 == channel)
    }
}

struct Builder<'a> {
    program: &'a Program,
    points: &'a Points<'a>,
    made: Skeleton,
    sites: BTreeMap<Site, usize>,
    /// Channels on which messages are not told apart.
    plain: BTreeSet<usize>,
}

/// Something on a channel.
#[derive(Clone, Debug)]
enum Exchange {
    /// One of these messages, as (channel, value); nothing means that it is not known where.
    Put(Vec<(usize, Option<i32>)>),
    /// One of these is taken.
    Take(Vec<(usize, Option<i32>)>),
}

impl Builder<'_> {
    fn channels(&mut self) {
        for &site in self.points.sites() {
            let variables = match site.owner {
                Some(process) => &self.program.processes[process.index()].locals,
                None => &self.program.globals,
            };
            let variable = &variables[site.variable as usize];
            let Init::Channel(kind) = variable.init else { continue };
            let capacity = match self.program.channels[kind.index()].capacity {
                Capacity::Rendezvous => continue,
                Capacity::Bounded(most) => Some(most),
                Capacity::Unbounded => None,
            };
            let index = if variable.dims.is_empty() { String::new() } else { format!("[{}]", site.element) };
            let owner = site.owner.map_or_else(String::new, |process| {
                format!("{}.", self.program.processes[process.index()].name)
            });
            let name = format!("{owner}{}{index}", variable.name);
            self.sites.insert(site, self.made.channels.len());
            self.made.channels.push(SkeletonChannel { site, name, capacity, contents: Vec::new() });
        }
    }

    fn kind(&self, channel: usize) -> ChannelId {
        let site = self.made.channels[channel].site;
        let variables = match site.owner {
            Some(process) => &self.program.processes[process.index()].locals,
            None => &self.program.globals,
        };
        match variables[site.variable as usize].init {
            Init::Channel(kind) => kind,
            _ => unreachable!("a site makes channels"),
        }
    }

    /// The channels that an expression may name; `None` if any. Rendez-vous channels are not among them.
    fn named(&self, process: ProcessId, channel: &Expr) -> Option<Vec<usize>> {
        match self.points.of(Some(process), channel) {
            Channels::Known(sites) => {
                Some(sites.iter().filter_map(|site| self.sites.get(site).copied()).collect())
            }
            Channels::Any => None,
        }
    }

    /// Finds out on which channels messages can be told apart, and collects them.
    fn letters(&mut self) {
        let mut letters: BTreeSet<(usize, i32)> = BTreeSet::new();
        for (id, process) in self.program.processes.iter().enumerate() {
            for operation in process.commands.iter().flat_map(operations) {
                let Operation::Send { channel, fields, .. } = operation else { continue };
                let Some(channels) = self.named(ProcessId(id as u32), channel) else {
                    self.made.blind = true;
                    continue;
                };
                for channel in channels {
                    let ty = self.program.channels[self.kind(channel).index()].fields.first().copied();
                    match (fields.first(), ty) {
                        (Some(Expr::Const(value)), Some(ty)) => match ty.store(*value) {
                            Some(value) => drop(letters.insert((channel, value))),
                            None => drop(self.plain.insert(channel)),
                        },
                        _ => drop(self.plain.insert(channel)),
                    }
                }
            }
        }
        for channel in 0..self.made.channels.len() {
            let held = self.program.channels[self.kind(channel).index()].contents.clone();
            for message in &held {
                match message.first() {
                    Some(&value) => drop(letters.insert((channel, value))),
                    None => drop(self.plain.insert(channel)),
                }
            }
            if self.plain.contains(&channel) {
                self.made.letters.push((channel, None));
            } else {
                let own = letters.range((channel, i32::MIN)..=(channel, i32::MAX));
                self.made.letters.extend(own.map(|&(channel, value)| (channel, Some(value))));
            }
            for message in &held {
                let value = if self.plain.contains(&channel) { None } else { message.first().copied() };
                let letter = self.made.letter(channel, value).expect("it was just made");
                self.made.channels[channel].contents.push(letter);
            }
        }
    }

    fn components(&mut self) {
        let program = self.program;
        let created: BTreeSet<ProcessId> =
            program.processes.iter().flat_map(|process| &process.commands).flat_map(created).collect();
        let initial = program.initial.iter().map(|&id| (id, true));
        for (number, (id, present)) in initial.chain(created.iter().map(|&id| (id, false))).enumerate() {
            let process = &program.processes[id.index()];
            let location = |(number, location): (usize, &elnath_program::ir::Location)| {
                location.labels.first().cloned().unwrap_or_else(|| number.to_string())
            };
            let locations = process.locations.iter().enumerate().map(location).collect();
            let twice = program.initial.iter().filter(|&&other| other == id).count() > 1;
            let name =
                if present && twice { format!("{}:{number}", process.name) } else { process.name.clone() };
            let entry = process.entry.index();
            self.made.components.push(Component { process: id, name, locations, entry, present });
        }
        for number in 0..self.made.components.len() {
            let id = self.made.components[number].process;
            self.moves(number, id, &program.processes[id.index()]);
        }
    }

    fn moves(&mut self, component: usize, id: ProcessId, process: &ProcessType) {
        for (from, location) in process.locations.iter().enumerate() {
            for command in location.groups.iter().flatten() {
                let command = &process.commands[command.index()];
                let target = if command.guard == Guard::Exit { None } else { Some(command.target.index()) };
                if let Guard::Body { entry, exit } = command.guard {
                    if let Some(steps) = chain(process, entry, exit) {
                        let steps: Vec<&Command> = std::iter::once(command).chain(steps).collect();
                        if self.is_orderly(&steps) {
                            self.add(component, id, (from, target), &steps);
                            continue;
                        }
                    }
                    // Step by step.
                    self.add(component, id, (from, Some(entry.index())), &[command]);
                    self.add(component, id, (exit.index(), target), &[]);
                } else {
                    self.add(component, id, (from, target), &[command]);
                }
            }
        }
    }

    /// Whether everything is taken before anything is put, so that no channel holds more on the way than at the end.
    fn is_orderly(&self, steps: &[&Command]) -> bool {
        steps
            .iter()
            .skip_while(|command| sent_to(command).is_none())
            .all(|command| received_from(command).is_none())
    }

    /// Adds the moves of steps that are made together: one for every choice of channels and messages.
    fn add(
        &mut self,
        component: usize,
        id: ProcessId,
        (from, to): (usize, Option<usize>),
        steps: &[&Command],
    ) {
        let starts: Vec<usize> = steps
            .iter()
            .flat_map(|command| created(command))
            .filter_map(|process| {
                let created = |other: &Component| other.process == process && !other.present;
                self.made.components.iter().position(created)
            })
            .collect();
        let mut made = vec![Move { component, from, to, takes: Vec::new(), puts: Vec::new(), starts }];
        for command in steps {
            let Some(exchange) = self.exchange(id, command) else { continue };
            let (choices, put) = match &exchange {
                Exchange::Put(choices) => (choices, true),
                Exchange::Take(choices) => (choices, false),
            };
            let letters: Vec<usize> =
                choices.iter().filter_map(|&(channel, value)| self.made.letter(channel, value)).collect();
            // A receive of what nobody sends is never possible.
            let mut next = Vec::new();
            for before in &made {
                for &letter in &letters {
                    let mut one = before.clone();
                    if put {
                        one.puts.push(letter);
                    } else {
                        one.takes.push(letter);
                    }
                    next.push(one);
                }
            }
            made = next;
            if made.len() > MOST_CHOICES {
                self.made.blind = true;
                return;
            }
        }
        self.made.moves.extend(made);
    }

    /// What a command does on a channel that is not rendez-vous.
    fn exchange(&self, id: ProcessId, command: &Command) -> Option<Exchange> {
        let first = |channel: usize, value: Option<i32>| {
            (channel, if self.plain.contains(&channel) { None } else { value })
        };
        operations(command).into_iter().find_map(|operation| match operation {
            Operation::Send { channel, fields, .. } => {
                let channels = self.named(id, channel)?;
                let value = match fields.first() {
                    Some(Expr::Const(value)) => Some(*value),
                    _ => None,
                };
                let stored = |channel: usize| {
                    let ty = self.program.channels[self.kind(channel).index()].fields.first();
                    first(channel, value.and_then(|value| ty.and_then(|ty| ty.store(value))))
                };
                let choices: Vec<_> = channels.into_iter().map(stored).collect();
                // A send that can only be a rendez-vous.
                if choices.is_empty() { None } else { Some(Exchange::Put(choices)) }
            }
            Operation::Receive { channel, patterns, copy: false, .. } => {
                let channels = self.named(id, channel)?;
                if channels.is_empty() {
                    return None;
                }
                let mut choices = Vec::new();
                for channel in channels {
                    match patterns.first() {
                        Some(Pattern::Match(Expr::Const(value))) => {
                            choices.push(first(channel, Some(*value)));
                        }
                        _ => choices.extend(self.made.letters.iter().filter(|letter| letter.0 == channel)),
                    }
                }
                choices.dedup();
                Some(Exchange::Take(choices))
            }
            _ => None,
        })
    }
}

/// More ways than this of resolving what a command does are not followed.
const MOST_CHOICES: usize = 4096;
/// A deterministic sequence that is longer is not taken as one move.
const LONGEST_CHAIN: usize = 256;

/// The commands of a deterministic sequence without choices.
fn chain(process: &ProcessType, entry: Loc, exit: Loc) -> Option<Vec<&Command>> {
    let (mut at, mut steps) = (entry, Vec::new());
    while at != exit {
        let mut leaving = process.leaving(at);
        let (_, command) = leaving.next()?;
        if leaving.next().is_some() || steps.len() > LONGEST_CHAIN {
            return None;
        }
        steps.push(command);
        at = command.target;
    }
    Some(steps)
}

/// Whether a program is nothing but machines that take and put constant messages.
fn is_exact(program: &Program, skeleton: &Skeleton) -> bool {
    let only_channels = program
        .globals
        .iter()
        .all(|variable| matches!(variable.init, Init::Channel(_)) && variable.dims.is_empty());
    let unbounded = program
        .channels
        .iter()
        .all(|channel| channel.capacity == Capacity::Unbounded && channel.fields.len() == 1);
    only_channels
        && unbounded
        && !program.has_priorities
        && skeleton.letters.iter().all(|(_, value)| value.is_some())
        && program.processes.iter().all(|process| is_machine(process, program))
}

fn is_machine(process: &ProcessType, program: &Program) -> bool {
    let one_group = |location: &elnath_program::ir::Location| location.groups.len() <= 1;
    process.locals.is_empty()
        && process.provided.is_none()
        && process.locations.iter().all(one_group)
        && process.commands.iter().all(|command| {
            let plain = command.effects.is_empty() && !command.atomic && is_constant(command, program);
            plain
                && match &command.guard {
                    Guard::Always => true,
                    Guard::Body { entry, exit } => {
                        chain(process, *entry, *exit).is_some_and(|steps| looks_only(&steps))
                    }
                    // Only at the beginning of a sequence, where it is looked at with the sequence.
                    Guard::When(expr) => conjuncts(expr).iter().all(|part| matches!(part, Expr::Poll { .. })),
                    Guard::Else | Guard::Exit => false,
                }
        })
}

/// Whether a command takes or puts a constant, on a channel that never changes.
fn is_constant(command: &Command, program: &Program) -> bool {
    let fixed = |channel: &Expr| match channel {
        Expr::Load(lvalue) => match lvalue.variable {
            elnath_program::ir::VariableRef::Global(index) => (index as usize) < program.globals.len(),
            elnath_program::ir::VariableRef::Local(_) => false,
        },
        _ => false,
    };
    operations(command).iter().all(|operation| match *operation {
        Operation::Send { channel, fields, sorted } => {
            fixed(channel) && !sorted && matches!(fields, [Expr::Const(_)])
        }
        Operation::Receive { channel, patterns, random, copy } => {
            fixed(channel) && !random && !copy && matches!(patterns, [Pattern::Match(Expr::Const(_))])
        }
        _ => true,
    })
}

/// Whether a sequence looks at exactly the letters that it then takes, and at nothing else.
fn looks_only(steps: &[&Command]) -> bool {
    let mut taken: Vec<(&Expr, &Expr, u32)> = Vec::new();
    for operation in steps.iter().flat_map(|command| operations(command)) {
        if let Operation::Receive { channel, patterns: [Pattern::Match(value)], .. } = operation {
            let before = taken.iter().filter(|(other, ..)| *other == channel).count();
            taken.push((channel, value, before as u32));
        }
    }
    let mut looked: Vec<(&Expr, &Expr, u32)> = Vec::new();
    for (index, command) in steps.iter().enumerate() {
        let Guard::When(expr) = &command.guard else { continue };
        if index > 0 {
            return false;
        }
        for part in conjuncts(expr) {
            match part {
                Expr::Poll { channel, patterns, random: false, ahead } => match &patterns[..] {
                    [Pattern::Match(value)] => looked.push((&**channel, value, *ahead)),
                    _ => return false,
                },
                _ => return false,
            }
        }
    }
    // Without guards the first step alone is looked at.
    let all_looked = taken.iter().enumerate().all(|(index, letter)| index == 0 || looked.contains(letter));
    all_looked && looked.iter().all(|letter| taken.contains(letter))
}

fn conjuncts(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Binary(Binary::And, sides) => sides.iter().flat_map(conjuncts).collect(),
        other => vec![other],
    }
}
