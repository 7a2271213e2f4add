//! The control structure of one kind of process: its locations as a graph.

use crate::ir::{Command, CommandId, Guard, Loc, ProcessType};

/// A step of a process from one location to another.
#[derive(Clone, Copy)]
pub struct Step {
    /// From where.
    pub from: usize,
    /// Where to.
    pub to: usize,
    /// By which command.
    pub command: CommandId,
}

/// The locations of a deterministic sequence.
pub fn inner(kind: &ProcessType, entry: Loc, exit: Loc) -> Vec<Loc> {
    let (mut found, mut todo) = (Vec::new(), vec![entry]);
    while let Some(at) = todo.pop() {
        if at != exit && !found.contains(&at) {
            found.push(at);
            todo.extend(kind.leaving(at).map(|(_, command)| command.target));
        }
    }
    found
}

/// Which locations are within deterministic sequences.
pub fn inner_locations(kind: &ProcessType) -> Vec<bool> {
    let mut within = vec![false; kind.locations.len()];
    for command in &kind.commands {
        if let Guard::Body { entry, exit } = command.guard {
            for at in inner(kind, entry, exit) {
                within[at.index()] = true;
            }
        }
    }
    within
}

/// Which locations are entered in the middle of atomic sequences.
pub fn entered_behind(process: &ProcessType) -> Vec<bool> {
    let mut entered = vec![false; process.locations.len()];
    for command in process.commands.iter().filter(|command| command.atomic) {
        entered[command.target.index()] = true;
    }
    entered
}

/// The locations at which a process may be.
pub fn reachable(process: &ProcessType) -> Vec<usize> {
    let mut found = vec![process.entry.index()];
    let mut met = vec![false; process.locations.len()];
    met[process.entry.index()] = true;
    let mut next = 0;
    while let Some(&from) = found.get(next) {
        for (_, command) in process.leaving(Loc(from as u32)) {
            let to = command.target.index();
            if !std::mem::replace(&mut met[to], true) {
                found.push(to);
            }
        }
        next += 1;
    }
    found
}

/// By command: whether a process may execute it more than once. Deterministic sequences are passed through.
pub fn on_cycles(kind: &ProcessType) -> Vec<bool> {
    let mut steps: Vec<Step> = Vec::new();
    for from in 0..kind.locations.len() {
        for (command, Command { target, guard, .. }) in kind.leaving(Loc(from as u32)) {
            let to = target.index();
            steps.push(Step { from, to, command });
            if let Guard::Body { entry, exit } = guard {
                steps.push(Step { from, to: entry.index(), command });
                steps.push(Step { from: exit.index(), to, command });
            }
        }
    }
    let component = components(kind.locations.len(), &steps);
    let mut found = vec![false; kind.commands.len()];
    for step in steps {
        found[step.command.index()] |= component[step.from] == component[step.to];
    }
    found
}

/// The strongly connected component of each location, by the number of one of its members.
pub fn components(locations: usize, steps: &[Step]) -> Vec<usize> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); locations];
    steps.iter().for_each(|step| next[step.from].push(step.to));
    let (mut component, mut index) = (vec![usize::MAX; locations], vec![usize::MAX; locations]);
    let (mut low, mut stack, mut count) = (vec![0; locations], Vec::new(), 0);
    for root in 0..locations {
        let mut path = vec![(root, 0)];
        while let Some(&mut (at, ref mut child)) = path.last_mut() {
            if *child == 0 {
                if index[at] != usize::MAX {
                    path.pop();
                    continue;
                }
                (index[at], low[at]) = (count, count);
                count += 1;
                stack.push(at);
            }
            if let Some(&to) = next[at].get(*child) {
                *child += 1;
                if index[to] == usize::MAX {
                    path.push((to, 0));
                } else if component[to] == usize::MAX {
                    low[at] = low[at].min(index[to]);
                }
                continue;
            }
            path.pop();
            if low[at] == index[at] {
                while let Some(member) = stack.pop() {
                    component[member] = at;
                    if member == at {
                        break;
                    }
                }
            }
            if let Some(&(parent, _)) = path.last()
                && component[at] == usize::MAX
            {
                low[parent] = low[parent].min(low[at]);
            }
        }
    }
    component
}
