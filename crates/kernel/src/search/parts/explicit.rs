//! Part of the system as a small explicit graph, in which cycles can be analysed: one component of the SCC search, the
//! surroundings of a cycle that is to be shortened, or everything reachable.
//!
//! This is not on the hot path. An edge costs 24 bytes, a node 4 and what each algorithm adds.

use crate::lasso::Condition;
use crate::system::Transition;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct Arc {
    pub(in crate::search) to: u32,
    pub(in crate::search) by: Transition,
    pub(in crate::search) marks: u64,
}

/// Nodes are numbers from 0; their arcs lie one after the other.
#[derive(Debug, Default)]
pub(in crate::search) struct Explicit {
    /// By node: where its arcs end.
    ends: Vec<u32>,
    arcs: Vec<Arc>,
}

/// Some nodes that are strongly connected by the arcs without `forbidden` marks, and those arcs make an accepted run.
pub(in crate::search) struct Part {
    pub(in crate::search) nodes: Vec<u32>,
    pub(in crate::search) forbidden: u64,
}

impl Explicit {
    /// Adds an arc to the node that is not yet closed.
    pub(in crate::search) fn add(&mut self, arc: Arc) {
        self.arcs.push(arc);
    }

    /// The arcs added since the last node are those of the next one.
    pub(in crate::search) fn close_node(&mut self) {
        self.ends.push(u32::try_from(self.arcs.len()).expect("2^32 arcs are over 96 GiB"));
    }

    pub(in crate::search) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(in crate::search) fn bytes(&self) -> usize {
        self.arcs.len() * size_of::<Arc>() + self.ends.len() * 4
    }

    pub(in crate::search) fn arcs(&self, node: u32) -> &[Arc] {
        let start = if node == 0 { 0 } else { self.ends[node as usize - 1] };
        &self.arcs[start as usize..self.ends[node as usize] as usize]
    }

    /// A part on which some accepted run stays for ever, if there is one.
    ///
    /// A component whose marks are accepted is one. If only pairs are offended, no accepted run of the component takes
    /// their requests for ever, since there is no response: without those arcs the component falls into smaller ones,
    /// which are tried in turn. Each time at least one pair has no request left, so the depth is the number of pairs.
    pub(in crate::search) fn accepted(&self, condition: &Condition) -> Option<Part> {
        let mut group = vec![0; self.len()];
        let mut groups = 1;
        let mut left = vec![Part { nodes: (0..self.len() as u32).collect(), forbidden: 0 }];
        while let Some(Part { nodes, forbidden }) = left.pop() {
            for nodes in self.components(&nodes, forbidden, &mut group, &mut groups) {
                let Some(met) = self.marks_within(&nodes, forbidden, &group) else { continue };
                if condition.accepts(met) {
                    return Some(Part { nodes, forbidden });
                }
                if met & condition.sets == condition.sets {
                    left.push(Part { nodes, forbidden: forbidden | condition.offended(met) });
                }
            }
        }
        None
    }

    /// The nodes of all components that meet the sets of the condition, its pairs not considered.
    pub(in crate::search) fn candidates(&self, condition: &Condition) -> Vec<bool> {
        let (mut group, mut groups) = (vec![0; self.len()], 1);
        let all: Vec<u32> = (0..self.len() as u32).collect();
        let mut candidates = vec![false; self.len()];
        for nodes in self.components(&all, 0, &mut group, &mut groups) {
            let met = self.marks_within(&nodes, 0, &group);
            if met.is_some_and(|met| met & condition.sets == condition.sets) {
                nodes.iter().for_each(|&node| candidates[node as usize] = true);
            }
        }
        candidates
    }

    /// All marks on the arcs of a component, or `None` if it has no arc.
    fn marks_within(&self, nodes: &[u32], forbidden: u64, group: &[u32]) -> Option<u64> {
        let arcs = nodes.iter().flat_map(|&node| {
            let inner = move |arc: &&Arc| group[arc.to as usize] == group[node as usize];
            self.arcs(node).iter().filter(inner)
        });
        arcs.filter(|arc| arc.marks & forbidden == 0).map(|arc| arc.marks).reduce(|a, b| a | b)
    }

    /// The strongly connected components of some nodes of one group; each becomes a group of its own. Gabow's
    /// algorithm, not recursive.
    fn components(
        &self,
        nodes: &[u32],
        forbidden: u64,
        group: &mut [u32],
        groups: &mut u32,
    ) -> Vec<Vec<u32>> {
        const NEW: u32 = u32::MAX;
        let here = nodes.first().map_or(0, |&node| group[node as usize]);
        let (mut components, mut live, mut roots, mut path) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        // By node: its place among the live ones.
        let mut place: HashMap<u32, u32> = nodes.iter().map(|&node| (node, NEW)).collect();
        for &start in nodes {
            if place[&start] != NEW {
                continue;
            }
            path.push((start, 0));
            while let Some((node, next)) = path.last_mut() {
                if *next == 0 {
                    place.insert(*node, live.len() as u32);
                    roots.push(live.len() as u32);
                    live.push(*node);
                }
                if let Some(arc) = self.arcs(*node).get(*next) {
                    *next += 1;
                    if arc.marks & forbidden != 0 || group[arc.to as usize] != here {
                        continue;
                    }
                    match place[&arc.to] {
                        NEW => path.push((arc.to, 0)),
                        at => {
                            while roots.last().is_some_and(|&root| root > at) {
                                roots.pop();
                            }
                        }
                    }
                    continue;
                }
                let root = place[node];
                // A node without arcs comes here at once; any other has been made live before.
                if roots.last() == Some(&root) {
                    roots.pop();
                    let component = live.split_off(root as usize);
                    component.iter().for_each(|&node| group[node as usize] = *groups);
                    *groups += 1;
                    components.push(component);
                }
                path.pop();
            }
        }
        components
    }

    /// A cycle through `start` within a part, accepted but not the shortest: always to the nearest arc that helps, and
    /// home when no more help is needed.
    pub(in crate::search) fn cycle(&self, part: &Part, condition: &Condition, start: u32) -> Vec<Transition> {
        let mut inside = vec![false; self.len()];
        part.nodes.iter().for_each(|&node| inside[node as usize] = true);
        let allowed = |arc: &Arc| arc.marks & part.forbidden == 0 && inside[arc.to as usize];
        let (mut cycle, mut at, mut met) = (Vec::new(), start, 0);
        loop {
            let done = condition.accepts(met);
            if done && at == start && !cycle.is_empty() {
                return cycle;
            }
            let helps = |arc: &Arc| {
                if done {
                    return arc.to == start;
                }
                let pairs =
                    condition.pairs.iter().filter(|pair| pair.request & met != 0 && pair.response & met == 0);
                let wanted = pairs.fold(condition.sets & !met, |bits, pair| bits | pair.response);
                arc.marks & wanted != 0
            };
            let steps = self.nearest(at, allowed, helps).expect("a part is strongly connected and accepted");
            for arc in steps {
                met |= arc.marks;
                cycle.push(arc.by);
                at = arc.to;
            }
        }
    }

    /// The shortest sequence of allowed arcs from a node whose last one is `wanted`.
    pub(in crate::search) fn nearest(
        &self,
        from: u32,
        allowed: impl Fn(&Arc) -> bool,
        wanted: impl Fn(&Arc) -> bool,
    ) -> Option<Vec<Arc>> {
        let mut came: HashMap<u32, (u32, Arc)> = HashMap::new();
        let mut queue = vec![from];
        let mut head = 0;
        while let Some(&node) = queue.get(head) {
            head += 1;
            for &arc in self.arcs(node).iter().filter(|arc| allowed(arc)) {
                if wanted(&arc) {
                    let mut steps = vec![arc];
                    let mut at = node;
                    while at != from {
                        let (before, arc) = came[&at];
                        steps.push(arc);
                        at = before;
                    }
                    steps.reverse();
                    return Some(steps);
                }
                if arc.to != from
                    && let Entry::Vacant(entry) = came.entry(arc.to)
                {
                    entry.insert((node, arc));
                    queue.push(arc.to);
                }
            }
        }
        None
    }

    /// A shortest accepted cycle through `start` of at most `longest` arcs, through `allowed` nodes: breadth first over
    /// pairs of a node and the marks met so far, so at most as many steps as there are nodes times subsets of the marks
    /// that matter. `work` counts down with the steps; at 0 the search gives up.
    pub(in crate::search) fn shortest_cycle(
        &self,
        start: u32,
        condition: &Condition,
        longest: usize,
        allowed: &[bool],
        work: &mut u64,
    ) -> Option<Vec<Transition>> {
        let bits = condition.bits();
        // Index of the predecessor in the queue, the node, the marks met, the transition.
        let mut queue = vec![(0usize, start, 0u64, Transition(0))];
        let mut seen = std::collections::HashSet::new();
        let (mut head, mut level_end, mut length) = (0, 1, 0);
        while head < queue.len() {
            if head == level_end {
                (level_end, length) = (queue.len(), length + 1);
            }
            if length >= longest {
                return None;
            }
            let (_, node, met, _) = queue[head];
            for arc in self.arcs(node).iter().filter(|arc| allowed[arc.to as usize]) {
                *work = work.checked_sub(1)?;
                let met = (met | arc.marks) & bits;
                if arc.to == start && condition.accepts(met) {
                    let mut cycle = vec![arc.by];
                    let mut at = head;
                    while at != 0 {
                        cycle.push(queue[at].3);
                        at = queue[at].0;
                    }
                    cycle.reverse();
                    return Some(cycle);
                }
                if seen.insert((arc.to, met)) {
                    queue.push((head, arc.to, met, arc.by));
                }
            }
            head += 1;
        }
        None
    }
}
