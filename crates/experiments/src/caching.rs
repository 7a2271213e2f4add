//! What sleep sets do for a store that forgets (Godefroid, Holzmann, Pirottin 1992), beside the 1993 paper's random graphs,
//! which have none.

use crate::meter::{Meter, with_cache};
use elnath::lts::Lts;
use elnath::random::RandomGraph;
use elnath::{Check, Limit, Reductions, SearchPlan, StoreChoice, System, Verdict};
use std::sync::Arc;

/// In percent of all states.
const SIZES: [u64; 4] = [100, 50, 25, 10];

/// What is done with each model and size.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The replacing store: which visited state is forgotten, and when a size is given up. The sweep sets its `cache`.
    pub store: StoreChoice,
    /// The seed.
    pub seed: u64,
}

/// One search.
#[derive(Clone, Debug)]
pub struct Row {
    /// What was searched.
    pub model: String,
    /// Whether with sleep sets.
    pub sleep: bool,
    /// The memory, in percent of all states.
    pub percent: u64,
    /// All states.
    pub states: u64,
    /// States inserted, again and again.
    pub insertions: u64,
    /// Transitions followed, which is all but those asleep.
    pub followed: u64,
    /// The longest path.
    pub depth: usize,
    /// How long it took.
    pub seconds: f64,
    /// Why it was given up, if it was.
    pub given_up: Option<Limit>,
}

/// The random graph of the 1993 paper's figure 1 as it is told in docs/experiments/replacement.md.
pub fn random_graph() -> Lts {
    let graph = RandomGraph { states: 300, degree: 3, labels: 4, seed: 3_372_947 };
    graph.generate().expect("this seed gives a graph").lts
}

impl Sweep {
    /// Without sleep sets and with them, from memory for all `states` down to where the search is given up. `each` is called
    /// with every row when it is known, and with the one for all memory. `None` if the user interrupts.
    pub fn run(
        &self,
        system: &Arc<dyn System>,
        (name, states): (&str, u64),
        meter: Meter<'_>,
        each: &mut dyn FnMut(&Row, &Row),
    ) -> Option<Vec<Row>> {
        let mut rows: Vec<Row> = Vec::new();
        for sleep in [false, true] {
            for percent in SIZES {
                let row = self.measure(system, (name, states), (sleep, percent), meter)?;
                let full = rows.iter().find(|all| all.sleep == sleep && all.percent == 100).unwrap_or(&row);
                each(&row, full);
                let given_up = row.given_up.is_some();
                rows.push(row);
                if given_up {
                    break;
                }
            }
        }
        Some(rows)
    }

    fn measure(
        &self,
        system: &Arc<dyn System>,
        (name, states): (&str, u64),
        (sleep, percent): (bool, u64),
        meter: Meter<'_>,
    ) -> Option<Row> {
        let begin = meter.now();
        let report = Check::system(Arc::clone(system))
            .ignore_deadlocks()
            .reductions(if sleep { Reductions::NONE.with("sleep") } else { Reductions::NONE })
            .search(SearchPlan::DepthFirst)
            .store(with_cache(&self.store, (states * percent).div_ceil(100).max(1)))
            .seed(self.seed)
            .watch(|_| meter.limit())
            .run()
            .expect("depth-first search may use the replacing store");
        let seconds = meter.since(begin);
        let given_up = match report.verdict() {
            Verdict::Unknown(Limit::Interrupted) => return None,
            Verdict::Unknown(limit) => Some(limit),
            _ => None,
        };
        let counters = report.first().figures.counters;
        Some(Row {
            model: name.to_owned(),
            sleep,
            percent,
            states,
            insertions: counters.insertions,
            followed: counters.transitions - counters.asleep,
            depth: counters.depth,
            seconds,
            given_up,
        })
    }
}
