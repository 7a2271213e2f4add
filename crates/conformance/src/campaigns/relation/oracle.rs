//! The definitions, word for word, as iterations over all pairs of states: no components, no lists, no sharing.

use super::plain::{Plain, TAU};
use elnath_kernel::{Direction, Relation};

/// All relations decided by comparing states.
pub(crate) const RELATIONS: [Relation; 10] = [
    Relation::Strong,
    Relation::DivergenceBranching,
    Relation::Branching,
    Relation::Delay,
    Relation::Weak,
    Relation::TauStarA,
    Relation::Safety,
    Relation::Simulation,
    Relation::WeakSimulation,
    Relation::ReadySimulation,
];

/// The label of a loop at states on internal cycles.
const DIVERGES: u8 = 255;

/// A graph with what can be reached inside.
struct Saturated {
    edges: Vec<Vec<(u8, usize)>>,
    inside: Vec<Vec<usize>>,
}

impl Saturated {
    fn new(plain: &Plain, divergence: bool) -> Self {
        let n = plain.0.len();
        let mut reach = vec![vec![false; n]; n];
        for (from, edges) in plain.0.iter().enumerate() {
            for &(_, to) in edges.iter().filter(|&&(label, _)| label == TAU) {
                reach[from][to] = true;
            }
        }
        for mid in 0..n {
            for from in 0..n {
                for to in 0..n {
                    reach[from][to] |= reach[from][mid] && reach[mid][to];
                }
            }
        }
        let mut edges = plain.0.clone();
        for (state, leaving) in edges.iter_mut().enumerate() {
            if divergence && reach[state][state] {
                leaving.push((DIVERGES, state));
            }
        }
        let inside = |from: usize| (0..n).filter(|&to| to == from || reach[from][to]).collect();
        Self { edges, inside: (0..n).map(inside).collect() }
    }

    /// `from -label-> to`
    fn steps(&self, from: usize, label: u8) -> Vec<usize> {
        self.edges[from].iter().filter(|&&(l, _)| l == label).map(|&(_, to)| to).collect()
    }

    /// `from => -label-> to`, with the state before the label.
    fn delayed(&self, from: usize, label: u8) -> Vec<(usize, usize)> {
        let from_mid =
            |&mid: &usize| self.steps(mid, label).into_iter().map(move |to| (mid, to)).collect::<Vec<_>>();
        self.inside[from].iter().flat_map(from_mid).collect()
    }

    /// `from => -label-> => to`
    fn weakly(&self, from: usize, label: u8) -> Vec<usize> {
        self.delayed(from, label).iter().flat_map(|&(_, to)| self.inside[to].clone()).collect()
    }
}

/// Whether `p` of `left` is matched by `q` of `right` if the pairs of `r` are related.
fn matched(
    relation: Relation,
    left: &Saturated,
    right: &Saturated,
    p: usize,
    q: usize,
    r: &dyn Fn(usize, usize) -> bool,
) -> bool {
    let tau_star = |graph: &Saturated, from: usize| -> Vec<(u8, usize)> {
        let from_mid = |&mid: &usize| {
            graph.edges[mid].iter().copied().filter(|&(label, _)| label != TAU).collect::<Vec<_>>()
        };
        graph.inside[from].iter().flat_map(from_mid).collect()
    };
    match relation {
        Relation::Strong | Relation::Simulation | Relation::ReadySimulation => {
            left.edges[p].iter().all(|&(a, p2)| right.steps(q, a).iter().any(|&q2| r(p2, q2)))
        }
        Relation::TauStarA | Relation::Safety => tau_star(left, p)
            .iter()
            .all(|&(a, p2)| tau_star(right, q).iter().any(|&(b, q2)| a == b && r(p2, q2))),
        Relation::Weak | Relation::WeakSimulation => left.edges[p].iter().all(|&(a, p2)| {
            let answers = if a == TAU { right.inside[q].clone() } else { right.weakly(q, a) };
            answers.iter().any(|&q2| r(p2, q2))
        }),
        Relation::Delay => left.edges[p]
            .iter()
            .all(|&(a, p2)| (a == TAU && r(p2, q)) || right.delayed(q, a).iter().any(|&(_, q2)| r(p2, q2))),
        Relation::Branching | Relation::DivergenceBranching => left.edges[p].iter().all(|&(a, p2)| {
            (a == TAU && r(p2, q)) || right.delayed(q, a).iter().any(|&(mid, q2)| r(p, mid) && r(p2, q2))
        }),
        _ => unreachable!("not decided by comparing states"),
    }
}

fn same_actions(left: &Saturated, right: &Saturated, p: usize, q: usize) -> bool {
    let has =
        |graph: &Saturated, state: usize, label: u8| graph.edges[state].iter().any(|&(l, _)| l == label);
    left.edges[p].iter().all(|&(a, _)| has(right, q, a))
        && right.edges[q].iter().all(|&(a, _)| has(left, p, a))
}

/// The round in which the initial pair is refuted, from 1, if ever; in one comparison, both challenging or only the left.
fn round(left: &Plain, right: &Plain, relation: Relation, both: bool) -> Option<u32> {
    let divergence = relation == Relation::DivergenceBranching;
    let (left, right) = (Saturated::new(left, divergence), Saturated::new(right, divergence));
    let (n, m) = (left.edges.len(), right.edges.len());
    let mut r = vec![vec![true; m]; n];
    for round in 1.. {
        let mut next = r.clone();
        for p in 0..n {
            for q in 0..m {
                let forth = matched(relation, &left, &right, p, q, &|p, q| r[p][q]);
                let back = !both || matched(relation, &right, &left, q, p, &|q, p| r[p][q]);
                let ready = relation != Relation::ReadySimulation || same_actions(&left, &right, p, q);
                next[p][q] = r[p][q] && forth && back && ready;
            }
        }
        if !next[0][0] {
            return Some(round);
        }
        if next == r {
            return None;
        }
        r = next;
    }
    unreachable!("there are finitely many pairs")
}

/// Whether the initial states are related, and if not, in which round this comes out; the first comparison of two counts
/// if it fails.
pub(crate) fn refuted_in(
    left: &Plain,
    right: &Plain,
    relation: Relation,
    direction: Direction,
) -> Option<u32> {
    let simulation = matches!(
        relation,
        Relation::Safety | Relation::Simulation | Relation::WeakSimulation | Relation::ReadySimulation
    );
    match (direction, simulation) {
        (Direction::Preorder, _) => round(left, right, relation, false),
        (Direction::Equivalence, false) => round(left, right, relation, true),
        (Direction::Equivalence, true) => {
            round(left, right, relation, false).or_else(|| round(right, left, relation, false))
        }
    }
}

/// The least depth of a formula that is true of one initial state and false of the other, in the logic of a bisimulation: like
/// the rounds of the definition, but whoever challenges may do so after internal steps, as the modalities of the logic may.
pub(crate) fn least_depth(left: &Plain, right: &Plain, relation: Relation) -> Option<u32> {
    let divergence = relation == Relation::DivergenceBranching;
    let moves = |plain: &Plain| -> Vec<Vec<Step>> {
        let graph = Saturated::new(plain, divergence);
        (0..graph.edges.len()).map(|state| modal_steps(&graph, relation, state)).collect()
    };
    let (left, right) = (moves(left), moves(right));
    let mut r = vec![vec![true; right.len()]; left.len()];
    for round in 1.. {
        let mut next = r.clone();
        for (p, mine) in left.iter().enumerate() {
            for (q, others) in right.iter().enumerate() {
                let alike = |&(a, m, t): &Step, &(b, n, u): &Step| a == b && r[m][n] && r[t][u];
                next[p][q] = r[p][q]
                    && mine.iter().all(|x| others.iter().any(|y| alike(x, y)))
                    && others.iter().all(|y| mine.iter().any(|x| alike(x, y)));
            }
        }
        if !next[0][0] {
            return Some(round);
        }
        if next == r {
            return None;
        }
        r = next;
    }
    unreachable!("there are finitely many pairs")
}

/// A label, the state just before it, where that counts, and the state it leads to.
type Step = (u8, usize, usize);

fn modal_steps(graph: &Saturated, relation: Relation, state: usize) -> Vec<Step> {
    let branching = matches!(relation, Relation::Branching | Relation::DivergenceBranching);
    let mut steps = Vec::new();
    for &mid in &graph.inside[state] {
        for &(label, to) in &graph.edges[mid] {
            match relation {
                Relation::Strong if mid == state => steps.push((label, to, to)),
                Relation::Strong => {}
                _ if branching => steps.push((label, mid, to)),
                _ if label == TAU => {}
                Relation::Weak => steps.extend(graph.inside[to].iter().map(|&to| (label, to, to))),
                _ => steps.push((label, to, to)),
            }
        }
        if branching || matches!(relation, Relation::Weak | Relation::Delay) {
            steps.push((TAU, mid, mid));
        }
    }
    steps.sort_unstable();
    steps.dedup();
    steps
}
