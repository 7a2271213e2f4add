//! A finite parity game, solved with strategies (Zielonka 1998), one component after the other.
//!
//! Without the components the recursion takes exponential time even on games of one player, which formulas of linear time make
//! (Gazda and Willemse 2013). So the game is decomposed at every level of the recursion, components that others lead to come first, and what
//! they decide is attracted before the next is looked at. The recursion is as deep as there are priorities.
//!
//! Conjunctions belong to the player who wants the vertex to be false, disjunctions to the other. Who cannot move loses. On a run for ever, the
//! largest priority that is met again and again decides: odd is false, even is true.

/// A finite game.
#[derive(Clone, Debug, Default)]
pub struct ParityGame {
    /// The successors of vertex *v* are `targets[starts[v]..starts[v + 1]]`.
    pub starts: Vec<u32>,
    /// See `starts`.
    pub targets: Vec<u32>,
    /// Whether a vertex is a conjunction.
    pub all: Vec<bool>,
    /// The priorities.
    pub priorities: Vec<u32>,
    /// Vertices whose value is known.
    pub known: Vec<Option<bool>>,
}

/// Who wins, and how.
pub struct Solution {
    /// The value of each vertex.
    pub values: Vec<bool>,
    /// For a vertex that belongs to its winner: the successor that keeps winning. `u32::MAX` where there is no choice to make.
    pub strategy: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl ParityGame {
    /// How many vertices there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Adds a vertex; those before are complete.
    pub fn push(&mut self, all: bool, priority: u32, known: Option<bool>, successors: &[u32]) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        self.targets.extend_from_slice(successors);
        self.starts.push(self.targets.len() as u32);
        self.all.push(all);
        self.priorities.push(priority);
        self.known.push(known);
    }

    /// The successors of a vertex.
    pub fn successors(&self, vertex: u32) -> &[u32] {
        let at = vertex as usize;
        &self.targets[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Who wins from each vertex.
    pub fn solve(&self) -> Solution {
        let mut solver = Zielonka::new(self);
        let everything: Vec<u32> = (0..self.len() as u32).collect();
        let region = solver.region(&everything);
        let mut settled: [Vec<u32>; 2] = Default::default();
        for &vertex in &everything {
            let known = self.known[vertex as usize];
            let stuck = self.successors(vertex).is_empty().then(|| self.all[vertex as usize]);
            if let Some(value) = known.or(stuck) {
                settled[usize::from(value)].push(vertex);
            }
        }
        let [lost, won] = settled;
        solver.win(region, false, &lost);
        solver.win(region, true, &won);
        let rest: Vec<u32> =
            everything.into_iter().filter(|&vertex| solver.inside[vertex as usize] == region).collect();
        solver.decompose(region, &rest);
        Solution { values: solver.values, strategy: solver.strategy }
    }
}

struct Zielonka<'a> {
    game: &'a ParityGame,
    /// Who leads to a vertex.
    before: Vec<u32>,
    before_starts: Vec<u32>,
    /// The region that a vertex is in, innermost; 0 if it is solved or set aside.
    inside: Vec<u32>,
    regions: u32,
    values: Vec<bool>,
    strategy: Vec<u32>,
    /// Successors that are not attracted, plus 1, where that was counted.
    left: Vec<u32>,
    /// The last attractor that took a vertex.
    taken: Vec<u32>,
    attractors: u32,
    /// For components; 0 where nothing is known.
    order: Vec<u32>,
    low: Vec<u32>,
}

impl<'a> Zielonka<'a> {
    fn new(game: &'a ParityGame) -> Self {
        let count = game.len();
        let mut before_starts = vec![0u32; count + 1];
        game.targets.iter().for_each(|&to| before_starts[to as usize + 1] += 1);
        (0..count).for_each(|at| before_starts[at + 1] += before_starts[at]);
        let mut place = before_starts.clone();
        let mut before = vec![0; game.targets.len()];
        for vertex in 0..count as u32 {
            for &to in game.successors(vertex) {
                before[place[to as usize] as usize] = vertex;
                place[to as usize] += 1;
            }
        }
        Self {
            game,
            before,
            before_starts,
            inside: vec![0; count],
            regions: 0,
            values: vec![false; count],
            strategy: vec![NONE; count],
            left: vec![0; count],
            taken: vec![0; count],
            attractors: 0,
            order: vec![0; count],
            low: vec![0; count],
        }
    }

    /// Makes these vertices a region of their own.
    fn region(&mut self, vertices: &[u32]) -> u32 {
        self.regions += 1;
        vertices.iter().for_each(|&vertex| self.inside[vertex as usize] = self.regions);
        self.regions
    }

    /// Whether a vertex belongs to the player who wants this value.
    fn belongs(&self, vertex: u32, value: bool) -> bool {
        self.game.all[vertex as usize] != value
    }

    /// The vertices of a region from which a player can force the game into `targets`, with those, and how, in the order in which they were
    /// found.
    fn attractor(&mut self, region: u32, value: bool, targets: &[u32]) -> Vec<(u32, u32)> {
        let mut found: Vec<(u32, u32)> = targets.iter().map(|&vertex| (vertex, NONE)).collect();
        self.attractors += 1;
        let own = self.attractors;
        targets.iter().for_each(|&vertex| self.taken[vertex as usize] = own);
        let mut counted: Vec<u32> = Vec::new();
        let mut at = 0;
        while at < found.len() {
            let (to, _) = found[at];
            at += 1;
            let range =
                self.before_starts[to as usize] as usize..self.before_starts[to as usize + 1] as usize;
            for index in range {
                let from = self.before[index];
                if self.inside[from as usize] != region || self.taken[from as usize] == own {
                    continue;
                }
                if self.belongs(from, value) {
                    self.taken[from as usize] = own;
                    found.push((from, to));
                    continue;
                }
                if self.left[from as usize] == 0 {
                    let inside = |to: &&u32| self.inside[**to as usize] == region;
                    let count = self.game.successors(from).iter().filter(inside).count();
                    self.left[from as usize] = count as u32 + 1;
                    counted.push(from);
                }
                self.left[from as usize] -= 1;
                if self.left[from as usize] == 1 {
                    self.taken[from as usize] = own;
                    found.push((from, NONE));
                }
            }
        }
        counted.into_iter().for_each(|vertex| self.left[vertex as usize] = 0);
        found
    }

    /// A player wins in a region from these, and from where they can be forced.
    fn win(&mut self, region: u32, value: bool, targets: &[u32]) {
        for (vertex, to) in self.attractor(region, value, targets) {
            self.inside[vertex as usize] = 0;
            self.values[vertex as usize] = value;
            if to != NONE {
                self.strategy[vertex as usize] = to;
            }
        }
    }

    /// Solves a region, in which every vertex has a successor; `vertices` are what it consists of. Afterwards it is empty.
    fn decompose(&mut self, region: u32, vertices: &[u32]) {
        for component in self.components(region, vertices) {
            let rest: Vec<u32> =
                component.into_iter().filter(|&vertex| self.inside[vertex as usize] == region).collect();
            if rest.is_empty() {
                continue;
            }
            let own = self.region(&rest);
            self.component(own, &rest);
            rest.iter().for_each(|&vertex| self.inside[vertex as usize] = region);
            let (won, lost): (Vec<u32>, Vec<u32>) =
                rest.iter().partition(|&&vertex| self.values[vertex as usize]);
            self.win(region, false, &lost);
            self.win(region, true, &won);
        }
    }

    /// Solves one component, which is a region.
    fn component(&mut self, region: u32, vertices: &[u32]) {
        let mut rest = vertices.to_vec();
        while !rest.is_empty() {
            let priority = |vertex: u32| self.game.priorities[vertex as usize];
            let top = rest.iter().map(|&vertex| priority(vertex)).max().expect("it is not empty");
            let value = top % 2 == 0;
            let tops: Vec<u32> = rest.iter().copied().filter(|&vertex| priority(vertex) == top).collect();
            let attracted = self.attractor(region, value, &tops);
            attracted.iter().for_each(|&(vertex, _)| self.inside[vertex as usize] = 0);
            let inner: Vec<u32> =
                rest.iter().copied().filter(|&vertex| self.inside[vertex as usize] == region).collect();
            let own = self.region(&inner);
            self.decompose(own, &inner);
            let other: Vec<u32> =
                inner.into_iter().filter(|&vertex| self.values[vertex as usize] != value).collect();
            rest.iter().for_each(|&vertex| self.inside[vertex as usize] = region);
            if other.is_empty() {
                for &(vertex, to) in &attracted {
                    self.values[vertex as usize] = value;
                    let strategy = if to != NONE || !self.belongs(vertex, value) {
                        to
                    } else {
                        let inside = |to: &&u32| self.inside[**to as usize] == region;
                        *self.game.successors(vertex).iter().find(inside).expect("the game goes on inside")
                    };
                    self.strategy[vertex as usize] = strategy;
                }
                rest.iter().for_each(|&vertex| self.inside[vertex as usize] = 0);
                return;
            }
            self.win(region, !value, &other);
            rest.retain(|&vertex| self.inside[vertex as usize] == region);
        }
    }

    /// The strongly connected components of a region, each after those that it leads to (Tarjan 1972).
    fn components(&mut self, region: u32, vertices: &[u32]) -> Vec<Vec<u32>> {
        const DONE: u32 = u32::MAX;
        let (mut stack, mut result, mut met) = (Vec::new(), Vec::new(), 1u32);
        let mut path: Vec<(u32, u32)> = Vec::new();
        for &start in vertices {
            if self.order[start as usize] != 0 {
                continue;
            }
            path.push((start, 0));
            while let Some((vertex, next)) = path.last_mut() {
                let (vertex, at) = (*vertex, *vertex as usize);
                if *next == 0 {
                    (self.order[at], self.low[at]) = (met, met);
                    met += 1;
                    stack.push(vertex);
                }
                if let Some(&to) = self.game.successors(vertex).get(*next as usize) {
                    *next += 1;
                    let to_at = to as usize;
                    if self.inside[to_at] != region || self.order[to_at] == DONE {
                        continue;
                    }
                    if self.order[to_at] == 0 {
                        path.push((to, 0));
                    } else {
                        self.low[at] = self.low[at].min(self.order[to_at]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(above, _)) = path.last() {
                    self.low[above as usize] = self.low[above as usize].min(self.low[at]);
                }
                if self.low[at] == self.order[at] {
                    let from = stack.iter().rposition(|&member| member == vertex).expect("it is there");
                    let component = stack.split_off(from);
                    component.iter().for_each(|&member| self.order[member as usize] = DONE);
                    result.push(component);
                }
            }
        }
        vertices.iter().for_each(|&vertex| self.order[vertex as usize] = 0);
        result
    }
}
