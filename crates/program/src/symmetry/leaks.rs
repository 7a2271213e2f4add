//! Where a program tells apart processes of one kind.
//!
//! The processes of a kind can stand for each other unless
//!
//! * somebody looks at one of them: at its place or its variables (`P[1]@here`, `P:x`);
//! * it owns channels: these have numbers;
//! * its number (`_pid`, `n = run P()`) is used otherwise than to print it or to say whose something is ([`super::pids`]);
//! * and none can if the program looks at who moved last, at priorities, or at what a process with a certain number can do.
//!
//! If processes of the kind end, there is more (see the [module](super)): nobody may notice that a process has gone early,
//! be it one of these or one that was created before them. A command that looks at nothing but constants and the number of processes may still ask
//! whether so few are left that all of the kind have gone: `_nr_pr == 1`.

use super::pids::{self, Typing};
use super::{Leak, Notices};
use crate::analysis::control::reachable;
use crate::analysis::joins;
use crate::analysis::variables::initial_values;
use crate::analysis::{
    Observation, Operation, ProcessQuery, Purpose, created, for_each_observation, for_each_written,
    operations,
};
use crate::ir::{Binary, Command, Expr, Guard, Init, Loc, Location, Lvalue, ProcessType, Program};

/// There are at most so many processes.
pub(super) const MOST: usize = 255;

/// What can be exchanged.
pub(super) struct Found {
    /// The kinds whose processes can stand for each other.
    pub(super) kinds: Vec<usize>,
    /// By kind of process: at which locations one has come to its end. Nothing if it makes a difference, or never happens.
    pub(super) finished: Vec<Vec<bool>>,
    /// Whether processes of one of these kinds end.
    pub(super) ends: bool,
    /// Where their numbers are, if somebody looks at them.
    pub(super) typing: Option<Typing>,
}

/// Finds the kinds of which there may be several processes, and which nothing tells apart.
pub(super) fn find(program: &Program, notices: Notices) -> Result<Found, Vec<Leak>> {
    let search = Search::new(program);
    let candidates: Vec<usize> =
        (0..program.processes.len()).filter(|&kind| search.may_be_several(kind)).collect();
    if candidates.is_empty() {
        return Err(vec![Leak::of_all("no kind of process has more than one instance")]);
    }
    let hopeless = search.hopeless();
    if !hopeless.is_empty() {
        return Err(hopeless);
    }
    let (mut kinds, mut leaks) = (Vec::new(), Vec::new());
    for &kind in &candidates {
        let found = search.leaks(kind, notices);
        if found.is_empty() {
            kinds.push(kind);
        }
        leaks.extend(found);
    }
    // Those whose numbers matter, if they can be dealt with, or else only the others.
    let named: Vec<usize> = kinds.iter().copied().filter(|&kind| !search.numbers(kind).is_empty()).collect();
    let mut typing = None;
    if !named.is_empty() {
        let inferred = if let Some(&ending) = kinds.iter().find(|&&kind| search.ends(kind)) {
            // A number could outlive its process, and be given to another.
            let ending = &program.processes[ending].name;
            let found = named.iter().flat_map(|&kind| search.numbers(kind));
            let because =
                |leak: Leak| Leak { text: format!("{}, and `{ending}` may end", leak.text), ..leak };
            Err(found.map(because).collect())
        } else {
            pids::infer(&search, &kinds)
        };
        match inferred {
            Ok(inferred) => typing = Some(inferred),
            Err(found) => {
                leaks.extend(found);
                kinds.retain(|kind| !named.contains(kind));
            }
        }
    }
    if kinds.is_empty() {
        let mut once: Vec<Leak> = Vec::new();
        for leak in leaks {
            if !once.contains(&leak) {
                once.push(leak);
            }
        }
        return Err(once);
    }
    // Where one of these ends, nobody else's end is noticed either.
    let ends = kinds.iter().any(|&kind| search.ends(kind));
    let finished = program.processes.iter().map(|kind| {
        let last = |location: &Location| is_last(kind, location);
        if ends { kind.locations.iter().map(last).collect() } else { Vec::new() }
    });
    Ok(Found { kinds, finished: finished.collect(), ends, typing })
}

/// Where an expression is.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    /// The kind of process that evaluates it; none for propositions.
    pub(super) kind: Option<usize>,
    pub(super) command: Option<&'a Command>,
    /// The text, or what has no line of its own: the name of a proposition or variable.
    pub(super) name: &'a str,
}

/// A program, as it is searched for what tells processes apart.
pub(super) struct Search<'a> {
    program: &'a Program,
    /// Every expression that is evaluated and may matter.
    expressions: Vec<(At<'a>, &'a Expr)>,
    /// By kind: whether such processes are created later.
    created: Vec<bool>,
    /// By kind: whether a process of it may come to its end.
    ends: Vec<bool>,
}

impl<'a> Search<'a> {
    fn new(program: &'a Program) -> Self {
        let mut is_created = vec![false; program.processes.len()];
        for process in program.processes.iter().flat_map(|kind| &kind.commands).flat_map(created) {
            is_created[process.index()] = true;
        }
        let ends = program.processes.iter().map(may_end).collect();
        Self { program, expressions: expressions(program), created: is_created, ends }
    }

    pub(super) fn program(&self) -> &'a Program {
        self.program
    }

    /// Whether processes of a kind are created later.
    pub(super) fn is_created(&self, kind: usize) -> bool {
        self.created[kind]
    }

    /// Whether something is stored to a variable for which this holds, which is told what is stored to and the kind of
    /// process that does.
    pub(super) fn is_written(&self, is: impl Fn(&Lvalue, usize) -> bool) -> bool {
        let mut found = false;
        for (kind, process) in self.program.processes.iter().enumerate() {
            for command in &process.commands {
                for_each_written(command, &mut |lvalue| found |= is(lvalue, kind));
            }
        }
        found
    }

    fn may_be_several(&self, kind: usize) -> bool {
        self.created[kind] || self.program.initial.iter().filter(|id| id.index() == kind).count() > 1
    }

    fn ends(&self, kind: usize) -> bool {
        self.ends[kind]
    }

    /// What tells all processes apart.
    fn hopeless(&self) -> Vec<Leak> {
        let mut leaks = Vec::new();
        for (at, root) in &self.expressions {
            for_each_observation(root, &mut |observation| {
                let (mark, text) = match observation {
                    Observation::Last => ("_last", "the model asks which process moved last"),
                    Observation::Process(ProcessQuery::Location) => {
                        ("pc_value", "the model asks where the process with a certain number is")
                    }
                    Observation::Process(ProcessQuery::Enabled) => {
                        ("enabled", "the model asks whether the process with a certain number can move")
                    }
                    Observation::Process(ProcessQuery::Priority) => {
                        ("get_priority", "the model asks for the priority of a process")
                    }
                    _ => return,
                };
                leaks.push(self.leak(*at, text.to_owned(), mark));
            });
        }
        for (at, operation) in all_operations(self.program) {
            if matches!(operation, Operation::SetPriority) {
                leaks.push(self.leak(
                    at,
                    "the model changes the priority of a process".to_owned(),
                    "set_priority",
                ));
            }
        }
        if leaks.is_empty() && joins(self.program) {
            leaks.push(Leak::of_all("processes meet at gates"));
        }
        if leaks.is_empty() && self.program.tracks_last {
            leaks.push(Leak::of_all("the model asks which process moved last"));
        }
        if leaks.is_empty() && self.program.has_priorities {
            leaks.push(Leak::of_all("processes have priorities"));
        }
        leaks
    }

    /// What tells apart the processes of a kind.
    fn leaks(&self, kind: usize, notices: Notices) -> Vec<Leak> {
        let process = &self.program.processes[kind];
        let name = &process.name;
        let mut leaks = Vec::new();
        for &(at, root) in &self.expressions {
            for_each_observation(root, &mut |observation| {
                if let Observation::Remote { process, .. } | Observation::Position { process, .. } =
                    observation
                    && process.index() == kind
                {
                    leaks.push(self.leak(at, format!("one process of `{name}` is looked at"), name));
                }
            });
        }
        let own = process.locals.iter().filter(|local| matches!(local.init, Init::Channel(_)));
        leaks.extend(own.map(|local| {
            Leak::of_all(format!("each process of `{name}` has a channel of its own, `{}`", local.name))
        }));
        if self.ends(kind) {
            leaks.extend(self.leaks_by_ending(kind, notices));
        }
        leaks
    }

    /// Where the numbers of processes of a kind are used.
    fn numbers(&self, kind: usize) -> Vec<Leak> {
        let name = &self.program.processes[kind].name;
        let mut found = Vec::new();
        for &(at, root) in &self.expressions {
            for_each_observation(root, &mut |observation| {
                if matches!(observation, Observation::Pid) && at.kind == Some(kind) {
                    found.push(self.leak(
                        at,
                        format!("a process of `{name}` looks at its own number"),
                        "_pid",
                    ));
                }
            });
        }
        for (at, operation) in all_operations(self.program) {
            if let Operation::Create { process, kept: true, .. } = operation
                && process.index() == kind
            {
                found.push(self.leak(at, format!("the number of a new process of `{name}` is kept"), "run"));
            }
        }
        found
    }

    /// What notices that processes have gone early.
    fn leaks_by_ending(&self, kind: usize, notices: Notices) -> Vec<Leak> {
        let name = &self.program.processes[kind].name;
        let because = format!("processes of `{name}` end, the youngest first, and");
        let mut leaks = Vec::new();
        if notices.every_step {
            let text = format!("{because} the question may count the steps in which they do");
            leaks.push(Leak::of_all(text));
        }
        if notices.past_faults && !self.have_room() {
            let text = format!("{because} the question goes on where there is no room for more");
            leaks.push(Leak::of_all(text));
        }
        let lowest = self.lowest(kind);
        for &(at, root) in &self.expressions {
            for_each_observation(root, &mut |observation| match observation {
                Observation::Timeout => {
                    leaks.push(self.leak(
                        at,
                        format!("{because} a timeout waits until they have"),
                        "timeout",
                    ));
                }
                Observation::Pid if at.kind.is_some_and(|other| other != kind && self.created[other]) => {
                    leaks.push(self.leak(
                        at,
                        format!("{because} a later process looks at its number"),
                        "_pid",
                    ));
                }
                Observation::Remote { process, pid, .. } | Observation::Position { process, pid, .. }
                    if process.index() != kind
                        && (self.ends[process.index()] || pid.is_some() && self.created[process.index()]) =>
                {
                    let other = &self.program.processes[process.index()].name;
                    leaks.push(self.leak(
                        at,
                        format!("{because} a process of `{other}` is looked at"),
                        other,
                    ));
                }
                _ => {}
            });
            if counts(root, lowest) {
                leaks.push(self.leak(at, format!("{because} the model counts processes"), "_nr_pr"));
            }
        }
        for (at, operation) in all_operations(self.program) {
            if let Operation::Create { process, kept: true, .. } = operation
                && process.index() != kind
            {
                leaks.push(self.leak(at, format!("{because} the number of a later process is kept"), "run"));
            }
        }
        for (other, process) in
            self.program.processes.iter().enumerate().filter(|(other, _)| self.ends[*other])
        {
            let owns =
                other != kind && process.locals.iter().any(|local| matches!(local.init, Init::Channel(_)));
            if owns || process.provided.is_some() || !ends_plainly(process) {
                leaks.push(Leak::of_all(format!("{because} the end of `{}` may be noticed", process.name)));
            }
        }
        leaks
    }

    /// Whether there is room for all processes that are ever created, even if none of them ends.
    fn have_room(&self) -> bool {
        let kinds = self.program.processes.len();
        let mut most = vec![0; kinds];
        // Whoever is created by somebody who is created by ... is counted after as many rounds as there are kinds, unless
        // it is created by itself.
        for _ in 0..=kinds {
            let mut next = vec![0; kinds];
            self.program.initial.iter().for_each(|id| next[id.index()] += 1);
            for (creator, process) in self.program.processes.iter().enumerate() {
                for (created, again) in creations(process) {
                    next[created] += if again && most[creator] > 0 { MOST } else { most[creator] };
                    next[created] = next[created].min(MOST);
                }
            }
            if next == most {
                return most.iter().sum::<usize>() <= MOST;
            }
            most = next;
        }
        false
    }

    /// The lowest number that a process of a kind can have.
    pub(super) fn lowest(&self, kind: usize) -> i32 {
        let first = self.program.initial.iter().position(|id| id.index() == kind);
        // One that is created has at least its creator below it.
        let created = if self.created[kind] { Some(1) } else { None };
        first.into_iter().chain(created).min().unwrap_or(0) as i32
    }

    pub(super) fn leak(&self, at: At<'_>, text: String, mark: &str) -> Leak {
        let place = at.command.and_then(|command| command.place);
        let text = match (at.command, at.kind) {
            (Some(_), _) => text,
            (None, Some(_)) => format!("{text} (in `{}`)", at.name),
            (None, None) => format!("{text} (in the property `{}`)", at.name),
        };
        let place = place.map(|place| (self.program.files[place.file as usize].clone(), place.line));
        Leak { text, place, mark: mark.to_owned() }
    }
}

/// Everything that commands do, with where it is.
fn all_operations(program: &Program) -> impl Iterator<Item = (At<'_>, Operation<'_>)> {
    program.processes.iter().enumerate().flat_map(|(kind, process)| {
        process.commands.iter().flat_map(move |command| {
            let at = At { kind: Some(kind), command: Some(command), name: &command.text };
            operations(command).into_iter().map(move |operation| (at, operation))
        })
    })
}

/// All expressions that are evaluated, except those that are only printed and the initial values of globals.
fn expressions(program: &Program) -> Vec<(At<'_>, &Expr)> {
    let mut found = Vec::new();
    for (name, expr) in &program.propositions {
        found.push((At { kind: None, command: None, name }, expr));
    }
    for (kind, process) in program.processes.iter().enumerate() {
        let kind = Some(kind);
        found.extend(
            process.provided.iter().map(|expr| (At { kind, command: None, name: &process.name }, expr)),
        );
        for local in &process.locals {
            let at = At { kind, command: None, name: &local.name };
            found.extend(initial_values(&local.init).iter().map(|expr| (at, expr)));
        }
        for command in &process.commands {
            let at = At { kind, command: Some(command), name: &command.text };
            found.extend(operations(command).into_iter().filter_map(|operation| match operation {
                Operation::Evaluate(_, Purpose::Printed) => None,
                Operation::Evaluate(expr, _) => Some((at, expr)),
                _ => None,
            }));
        }
    }
    found
}

/// Whether an expression depends on how many processes there are while one with a number of at least `lowest` is among
/// them.
fn counts(root: &Expr, lowest: i32) -> bool {
    let same = |operator: Binary, value: &dyn Fn(i32) -> (i32, i32)| {
        let mut values = (lowest + 1..=MOST as i32).map(|count| {
            let (a, b) = value(count);
            operator.apply(a, b)
        });
        let first = values.next();
        values.all(|value| Some(value) == first)
    };
    let (mut all, mut harmless) = (0, 0);
    root.for_each(&mut |expr| match expr {
        Expr::ProcessCount => all += 1,
        Expr::Binary(operator, ab) => {
            harmless += u32::from(match &**ab {
                [Expr::ProcessCount, Expr::Const(k)] => same(*operator, &|count| (count, *k)),
                [Expr::Const(k), Expr::ProcessCount] => same(*operator, &|count| (*k, count)),
                _ => false,
            });
        }
        _ => {}
    });
    all > harmless
}

/// What a process may create, and whether it may do that again and again.
fn creations(process: &ProcessType) -> Vec<(usize, bool)> {
    let mut edges = vec![Vec::new(); process.locations.len()];
    let commands = || {
        let leaving = |at| process.leaving(Loc(at as u32)).map(move |(_, command)| (at, command));
        (0..process.locations.len()).flat_map(leaving)
    };
    for (at, command) in commands() {
        edges[at].push(command.target.index());
        if let Guard::Body { entry, exit } = command.guard {
            edges[at].push(entry.index());
            edges[exit.index()].push(command.target.index());
        }
    }
    let comes_back = |at: usize, to: usize| {
        let (mut seen, mut todo) = (vec![false; edges.len()], vec![to]);
        while let Some(next) = todo.pop() {
            if !std::mem::replace(&mut seen[next], true) {
                todo.extend(&edges[next]);
            }
        }
        seen[at]
    };
    let mut found = Vec::new();
    for (at, command) in commands() {
        for process in created(command) {
            found.push((process.index(), comes_back(at, command.target.index())));
        }
    }
    found
}

/// Whether a process can come to its end.
fn may_end(process: &ProcessType) -> bool {
    let mut ways = reachable(process).into_iter().flat_map(|at| process.leaving(Loc(at as u32)));
    ways.any(|(_, command)| command.guard == Guard::Exit)
}

/// Whether processes at this location can only cease to exist.
fn is_last(process: &ProcessType, location: &Location) -> bool {
    let mut leaving = location.groups.iter().flatten().map(|id| &process.commands[id.index()]);
    leaving.next().is_some_and(|command| command.guard == Guard::Exit) && leaving.next().is_none()
}

/// Whether a process that has come to its end can do nothing but cease to exist, is in nobody's way, and never gets there
/// and away in one step.
fn ends_plainly(process: &ProcessType) -> bool {
    let exits = |location: &Location| {
        let mut leaving = location.groups.iter().flatten().map(|id| &process.commands[id.index()]);
        leaving.any(|command| command.guard == Guard::Exit)
    };
    let plainly = |location: &Location| {
        !exits(location)
            || is_last(process, location) && location.end && !location.accept && !location.progress
    };
    let at_once = |command: &Command| {
        let Loc(target) = command.target;
        command.atomic && exits(&process.locations[target as usize])
    };
    process.locations.iter().all(plainly) && !process.commands.iter().any(at_once)
}
