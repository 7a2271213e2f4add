//! SPIN's trails: writing a run as one, and finding the run that one describes.
//!
//! A trail has a line `depth:process:statement` per executed statement, where a rendez-vous has two (the sender's first)
//! and a `d_step` has one; [`TrailTable`] knows the numbers of the statements. Lines with a negative depth are remarks:
//! `-2` says that a claim takes part (then process 0 is the claim, and all others are one higher), `-4` that SPIN
//! merged statements, `-1` that a cycle begins.
//!
//! **Reading** is a search, because a transition of ours is a whole atomic sequence, and because merging leaves lines
//! out: of several statements in a row that concern nobody but their process (or are in one atomic sequence), only the
//! first is written. We do not rebuild SPIN's rules for that. A statement without communication may be executed without a line if this is needed to
//! come to the next line, and if the trail ends before the error does, such statements are tried until one shows.
//! Statements that were left out are executed later here than in SPIN, which makes no difference to anybody but their own
//! process.

use elnath_kernel::{Fault, Run, Stepper, System, Transition, replay};
use elnath_program::analysis::{Observation, Operation, observes, operations};
use elnath_program::interpreter::Micro;
use elnath_program::ir::{CommandId, ProcessId, Sync, VariableRef};
use elnath_source::{Message, codes};
use std::collections::HashSet;
use std::fmt::Write;

pub use elnath_program::Interpreter;
pub use elnath_promela::TrailTable;

/// How many statements may be executed without a line, over all, before a trail counts as lost.
const MOST_UNWRITTEN: usize = 200_000;
/// How far after the end of a trail an error is looked for.
const MOST_STATES_AFTER: usize = 2_000;

/// The remark that a cycle begins.
const CYCLE: &str = "-1:-1:-1\n";

/// A trail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    /// The statements, claims left out.
    pub entries: Vec<Entry>,
    /// Whether statements were merged.
    pub merged: bool,
    /// Whether a claim took part.
    pub has_claim: bool,
    /// The entry with which a cycle begins.
    pub cycle: Option<usize>,
}

/// One executed statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The number of the process, without counting a claim.
    pub pid: usize,
    /// SPIN's number of the statement.
    pub id: u32,
}

/// Where a trail and the model part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// How many entries could be followed.
    pub followed: usize,
}

impl Trail {
    /// Reads a trail.
    ///
    /// # Errors
    /// The lines that are none of a trail.
    pub fn parse(name: &str, text: &str) -> Result<Self, Vec<Message>> {
        let (mut trail, mut messages) = (Trail::default(), Vec::new());
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            let fields: Option<Vec<i64>> = line.split(':').map(|field| field.trim().parse().ok()).collect();
            let complaint = match fields.as_deref() {
                Some([-1, ..]) => {
                    trail.cycle = Some(trail.entries.len());
                    None
                }
                Some([-2, ..]) => {
                    trail.has_claim = true;
                    None
                }
                Some([-4, ..]) => {
                    trail.merged = true;
                    None
                }
                Some([..=-5, ..]) => {
                    Some("was written by a search in permuted order, which is not supported")
                }
                Some(&[depth, pid, id]) if depth >= 0 => trail.add(pid, id),
                _ => Some("is not `depth:process:statement`"),
            };
            if let Some(complaint) = complaint {
                messages.push(
                    Message::about_file(format!("{name}:{}: `{line}` {complaint}", number + 1))
                        .code(codes::FOREIGN_TRAIL),
                );
            }
            if messages.len() >= 20 {
                break;
            }
        }
        if messages.is_empty() { Ok(trail) } else { Err(messages) }
    }

    fn add(&mut self, pid: i64, id: i64) -> Option<&'static str> {
        let pid = if self.has_claim { pid - 1 } else { pid };
        match (usize::try_from(pid), u32::try_from(id)) {
            _ if pid == -1 && self.has_claim => {}
            (Ok(pid), Ok(id)) if pid < 256 => self.entries.push(Entry { pid, id }),
            _ => return Some("names no process or no statement"),
        }
        None
    }

    /// The trail of a run.
    pub fn of_run(program: &Interpreter, table: &TrailTable, run: &Run) -> Self {
        Self::of_lasso(program, table, run, None)
    }

    /// The trail of a run whose steps from `loop_start` on are repeated for ever.
    pub fn of_lasso(program: &Interpreter, table: &TrailTable, run: &Run, loop_start: Option<usize>) -> Self {
        let mut trail = Trail::default();
        for (step, (state, &t)) in run.states.iter().zip(&run.steps).enumerate() {
            if loop_start == Some(step) {
                trail.cycle = Some(trail.entries.len());
            }
            for micro in program.explain(state, t) {
                trail.entries.extend(entries_of(table, &micro));
            }
        }
        trail
    }

    /// As SPIN reads it.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (depth, entry) in self.entries.iter().enumerate() {
            if self.cycle == Some(depth) {
                text.push_str(CYCLE);
            }
            let _ = writeln!(text, "{}:{}:{}", depth + 1, entry.pid, entry.id);
        }
        // Nothing happens any more, for ever.
        if self.cycle == Some(self.entries.len()) {
            text.push_str(CYCLE);
        }
        text
    }

    /// The run that the trail describes, replayed.
    ///
    /// # Errors
    /// Where the model cannot do what the trail says.
    pub fn follow(&self, program: &Interpreter, table: &TrailTable) -> Result<Run, Lost> {
        self.follow_lasso(program, table).map(|(run, _)| run)
    }

    /// The same, with the step, from 0, to which it goes back after the last one, if it does. A cycle in which nothing
    /// happens is none.
    ///
    /// # Errors
    /// Where the model cannot do what the trail says.
    pub fn follow_lasso(
        &self,
        program: &Interpreter,
        table: &TrailTable,
    ) -> Result<(Run, Option<usize>), Lost> {
        let (steps, before) =
            Follower { program, table, trail: self, stepper: program.stepper() }.follow()?;
        let run = replay(program, &steps).expect("every step was enabled when it was found");
        let begins = |cycle: usize| before.iter().take(steps.len()).position(|&entries| entries >= cycle);
        Ok((run, self.cycle.and_then(begins)))
    }
}

/// The lines of a statement: one, or two for a rendez-vous.
fn entries_of(table: &TrailTable, micro: &Micro) -> Vec<Entry> {
    let entry = |pid: usize, process: ProcessId, command: CommandId| {
        Some(Entry { pid, id: table.id(process.index(), command.index())? })
    };
    let own = entry(micro.pid, micro.process, micro.command);
    let partner = micro.partner.and_then(|partner| entry(partner.pid, partner.process, partner.command));
    own.into_iter().chain(partner).collect()
}

struct Follower<'a> {
    program: &'a Interpreter,
    table: &'a TrailTable,
    trail: &'a Trail,
    stepper: Box<dyn Stepper + 'a>,
}

/// A state on the way, with what is still to be tried there.
struct Place {
    state: Vec<u8>,
    fault: Option<Fault>,
    /// How many entries lie behind.
    at: usize,
    /// What leads on, the best last: the transition and how many entries it accounts for.
    candidates: Vec<(Transition, usize)>,
}

impl Follower<'_> {
    /// A depth-first search for transitions that account for all entries, and how many entries lie before each.
    fn follow(mut self) -> Result<(Vec<Transition>, Vec<usize>), Lost> {
        let mut state = Vec::new();
        self.stepper.initial(&mut state);
        let candidates = self.candidates(&state, 0);
        let mut path = vec![Place { state, fault: None, at: 0, candidates }];
        let mut steps: Vec<Transition> = Vec::new();
        let (mut furthest, mut unwritten) = (0, 0);
        // A process that goes round in circles without a line comes nowhere.
        let mut tried = HashSet::new();
        while let Some(place) = path.last_mut() {
            furthest = furthest.max(place.at);
            if place.at == self.trail.entries.len() {
                let (state, fault) = (place.state.clone(), place.fault);
                let before = path.iter().map(|place| place.at).take(steps.len()).collect();
                steps.extend(self.beyond(&state, fault));
                return Ok((steps, before));
            }
            let Some((t, accounted)) = place.candidates.pop() else {
                path.pop();
                steps.pop();
                continue;
            };
            let (at, mut next) = (place.at + accounted, Vec::new());
            let fault = self.stepper.fire(&place.state, t, &mut next).err();
            if accounted == 0 {
                unwritten += 1;
                if unwritten > MOST_UNWRITTEN || !tried.insert((at, next.clone())) {
                    continue;
                }
            }
            let candidates = self.candidates(&next, at);
            path.push(Place { state: next, fault, at, candidates });
            steps.push(t);
        }
        Err(Lost { followed: furthest })
    }

    /// The transitions that the trail may mean, the most likely one last.
    fn candidates(&mut self, state: &[u8], at: usize) -> Vec<(Transition, usize)> {
        let entries = &self.trail.entries[at..];
        if entries.is_empty() {
            return Vec::new();
        }
        let mut enabled = Vec::new();
        self.stepper.enabled(state, &mut enabled);
        let mut found: Vec<(usize, Transition, usize)> = Vec::new();
        for t in enabled {
            if let Some((accounted, left_out)) = self.accounts_for(&self.program.explain(state, t), entries) {
                found.push((left_out, t, accounted));
            }
        }
        found.sort_by_key(|&(left_out, _, accounted)| (std::cmp::Reverse(left_out), accounted));
        found.into_iter().map(|(_, t, accounted)| (t, accounted)).collect()
    }

    /// How many entries the statements of a transition account for, and how many of them have no entry; nothing if they
    /// do not fit. A trail may end within an atomic sequence.
    fn accounts_for(&self, micros: &[Micro], entries: &[Entry]) -> Option<(usize, usize)> {
        let (mut accounted, mut left_out) = (0, 0);
        for micro in micros {
            let own = entries_of(self.table, micro);
            let rest = &entries[accounted..];
            if rest.is_empty() {
                break;
            } else if !own.is_empty() && rest.starts_with(&own) {
                accounted += own.len();
            } else if own.is_empty() {
                // A command that is no statement of SPIN's, such as the `else` before a `d_step` that begins with one.
                continue;
            } else if self.trail.merged
                && self.is_silent(micro)
                && (accounted > 0 || micro.pid == rest[0].pid)
            {
                // The receiver of a rendez-vous may go on within an atomic sequence of its own.
                left_out += 1;
            } else {
                return None;
            }
        }
        Some((accounted, left_out))
    }

    /// Whether SPIN may have merged a statement with the one before it.
    fn is_silent(&self, micro: &Micro) -> bool {
        let process = &self.program.program().processes[micro.process.index()];
        process.commands[micro.command.index()].sync == Sync::None
    }

    /// Whether a statement concerns nobody but its process, so that SPIN may have executed it without a line.
    fn is_local(&self, micro: &Micro) -> bool {
        let command =
            &self.program.program().processes[micro.process.index()].commands[micro.command.index()];
        let is_local = |variable| matches!(variable, VariableRef::Local(_));
        let looks_outside = |observation: Observation<'_>| match observation {
            Observation::Variable(from) => !is_local(from.variable),
            Observation::Pid => false,
            _ => true,
        };
        self.is_silent(micro)
            && operations(command).iter().all(|operation| match operation {
                Operation::Evaluate(expr, _) => !observes(expr, looks_outside),
                Operation::Store(to, _) => is_local(to.variable),
                Operation::Body { .. } | Operation::Print => true,
                Operation::Send { .. }
                | Operation::Receive { .. }
                | Operation::Create { .. }
                | Operation::Meet { .. }
                | Operation::Place { .. }
                | Operation::SetPriority
                | Operation::End => false,
            })
    }

    /// The statements between the last line of a trail and the error, if they were merged.
    fn beyond(&mut self, state: &[u8], fault: Option<Fault>) -> Vec<Transition> {
        if fault.is_some() || !self.trail.merged {
            return Vec::new();
        }
        let mut queue: Vec<(Vec<u8>, usize, Option<Transition>)> = vec![(state.to_vec(), 0, None)];
        let mut seen = HashSet::from([state.to_vec()]);
        let (mut next, mut enabled) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < queue.len() && queue.len() < MOST_STATES_AFTER {
            let state = queue[at].0.clone();
            self.stepper.enabled(&state, &mut enabled);
            if enabled.is_empty() && !self.stepper.may_end(&state) {
                return way_to(&queue, at, None);
            }
            for &t in &enabled {
                if !self.program.explain(&state, t).iter().all(|micro| self.is_local(micro)) {
                    continue;
                }
                if self.stepper.fire(&state, t, &mut next).is_err() {
                    return way_to(&queue, at, Some(t));
                }
                if seen.insert(next.clone()) {
                    queue.push((next.clone(), at, Some(t)));
                }
            }
            at += 1;
        }
        Vec::new()
    }
}

/// The transitions that lead to an entry of the queue, and one more.
fn way_to(
    queue: &[(Vec<u8>, usize, Option<Transition>)],
    to: usize,
    last: Option<Transition>,
) -> Vec<Transition> {
    let mut steps: Vec<Transition> = last.into_iter().collect();
    let mut at = to;
    while let (_, before, Some(t)) = queue[at] {
        steps.push(t);
        at = before;
    }
    steps.reverse();
    steps
}
