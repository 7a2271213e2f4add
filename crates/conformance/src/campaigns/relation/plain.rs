//! Small graphs written down, and questions about them.

use elnath_check::Refusal;
use elnath_check::relation::{Comparison, PairOrder, PairStore, RelationEngine, RelationQuestion, ask};
use elnath_kernel::Verdict;
use elnath_kernel::relation::is_internal;
use elnath_kernel::rng::Rng;
use elnath_kernel::{Budget, Direction, Relation};
use elnath_lts::{Builder, Lts};

/// Per state its transitions; state 0 is the initial one, and label 0 is the internal action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plain(pub(crate) Vec<Vec<(u8, usize)>>);

pub(crate) const TAU: u8 = 0;

impl Plain {
    /// From lines such as `0 a 1, 0 tau 2`.
    #[cfg(test)]
    pub(crate) fn new(text: &str) -> Self {
        let mut edges = Vec::new();
        for edge in text.split(',').map(str::trim).filter(|edge| !edge.is_empty()) {
            let words: Vec<&str> = edge.split_whitespace().collect();
            let [from, label, to] = words[..] else { panic!("{edge}") };
            let label = if label == "tau" { TAU } else { label.as_bytes()[0] - b'a' + 1 };
            edges.push((from.parse().unwrap(), label, to.parse().unwrap()));
        }
        let states =
            edges.iter().map(|&(from, _, to): &(usize, u8, usize)| from.max(to) + 1).max().unwrap_or(1);
        let mut plain = Plain(vec![Vec::new(); states]);
        edges.iter().for_each(|&(from, label, to)| plain.0[from].push((label, to)));
        plain
    }

    pub(crate) fn random(rng: &mut Rng, states: u64, labels: u64, degree: u64) -> Self {
        let states = 1 + rng.below(states);
        let edge = |rng: &mut Rng| (rng.below(labels) as u8, rng.below(states) as usize);
        let node = |rng: &mut Rng| (0..rng.below(degree + 1)).map(|_| edge(rng)).collect();
        Plain((0..states).map(|_| node(rng)).collect())
    }

    /// A little different: a state doubled, an edge added, taken away or turned aside.
    pub(crate) fn mutated(&self, rng: &mut Rng, labels: u64) -> Self {
        let mut new = self.clone();
        let states = new.0.len() as u64;
        let at = rng.below(states) as usize;
        match rng.below(4) {
            0 => {
                // A copy of a state, which some edges now lead to: related by every relation.
                let copy = new.0[at].clone();
                new.0.push(copy);
                let copy = new.0.len() - 1;
                for (_, to) in new.0.iter_mut().flatten() {
                    if *to == at && rng.below(2) == 0 {
                        *to = copy;
                    }
                }
            }
            1 => {
                let edge = (rng.below(labels) as u8, rng.below(states) as usize);
                new.0[at].push(edge);
            }
            2 => {
                let edges = new.0[at].len() as u64;
                if edges > 0 {
                    new.0[at].swap_remove(rng.below(edges) as usize);
                }
            }
            _ => {
                // An internal step before a state.
                let before = new.0.len();
                new.0.push(vec![(TAU, at)]);
                for (_, to) in new.0[..before].iter_mut().flatten() {
                    if *to == at && rng.below(2) == 0 {
                        *to = before;
                    }
                }
            }
        }
        new
    }

    pub(crate) fn lts(&self) -> Lts {
        let mut builder = Builder::new();
        builder.at_least_states(self.0.len() as u32);
        for (from, edges) in self.0.iter().enumerate() {
            for &(label, to) in edges {
                // Both names of the internal action.
                let name = match label {
                    TAU if from % 2 == 0 => "i".to_owned(),
                    TAU => "tau".to_owned(),
                    label => char::from(b'a' + label - 1).to_string(),
                };
                builder.add(from as u32, &name, to as u32);
            }
        }
        builder.finish(0)
    }
}

/// A way to decide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) engine: RelationEngine,
    pub(crate) order: PairOrder,
    pub(crate) shortest: bool,
    pub(crate) store: PairStore,
}

impl Way {
    pub(crate) const fn of(engine: RelationEngine) -> Self {
        Way { engine, order: PairOrder::ShallowFirst, shortest: false, store: PairStore::Exact }
    }

    pub(crate) const ALL: [Way; 12] = [
        Way::of(RelationEngine::Local),
        Way { order: PairOrder::DepthFirst, ..Way::of(RelationEngine::Local) },
        Way { order: PairOrder::BreadthFirst, ..Way::of(RelationEngine::Local) },
        Way { shortest: true, ..Way::of(RelationEngine::Local) },
        Way::of(RelationEngine::Auto),
        Way { shortest: true, ..Way::of(RelationEngine::Auto) },
        Way::of(RelationEngine::Conjunctive),
        Way::of(RelationEngine::Classes),
        Way { shortest: true, ..Way::of(RelationEngine::Classes) },
        Way::of(RelationEngine::Restart),
        Way { store: PairStore::Replacing { bytes: 16 }, ..Way::of(RelationEngine::Restart) },
        Way { store: PairStore::Bitstate { bytes: 1 << 14, k: 3 }, ..Way::of(RelationEngine::Auto) },
    ];
}

pub(crate) fn compare(
    left: &Plain,
    right: &Plain,
    relation: Relation,
    direction: Direction,
    way: Way,
) -> Result<Comparison, Refusal> {
    let (left, right) = (left.lts(), right.lts());
    let question = RelationQuestion {
        left: &left,
        right: &right,
        relation,
        direction,
        engine: way.engine,
        order: way.order,
        shortest: way.shortest,
        store: way.store,
        patience: None,
        internal: &is_internal,
    };
    let mut watch = |_: &_| None;
    let mut budget =
        Budget { memory: 1 << 30, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut watch };
    ask(&question, &mut budget)
}

/// Whether they are related, by the default engine.
pub(crate) fn related(left: &Plain, right: &Plain, relation: Relation, direction: Direction) -> bool {
    match compare(left, right, relation, direction, Way::of(RelationEngine::Auto)).unwrap().verdict {
        Verdict::Holds(_) => true,
        Verdict::Fails(_) => false,
        Verdict::Unknown(limit) => panic!("{limit:?}"),
    }
}
