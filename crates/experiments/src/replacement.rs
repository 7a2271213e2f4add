//! How little memory depth-first search with replacement needs: figures 1 and 2 of on-the-fly-verification-1993, section 2.3.

use crate::meter::{Means, Meter, with_cache};
use elnath::{Check, Limit, SearchPlan, StoreChoice, System, Verdict};
use std::sync::Arc;

/// What is done with each memory size.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The replacing store: which visited state is forgotten, and when a size is given up. The sweep sets its `cache`.
    pub store: StoreChoice,
    /// Runs per size, with seeds from `seed` on.
    pub runs: u32,
    /// The first seed.
    pub seed: u64,
}

/// One memory size: the means over the runs that ended, and the median of their times.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Room for so many states.
    pub memory: u64,
    /// How many runs ended.
    pub ended: u32,
    /// The paper's R_ins.
    pub insertions: f64,
    /// States generated.
    pub generated: f64,
    /// The longest path.
    pub depth: f64,
    /// The median.
    pub seconds: f64,
    /// Why the runs that did not end were given up.
    pub given_up: Option<Limit>,
}

impl Sweep {
    /// From all states down in steps of 5 %, then of 1 %, until no run ends any more. `each` is called with every row when it
    /// is known. `None` if the user interrupts.
    pub fn run(
        &self,
        system: &Arc<dyn System>,
        states: u64,
        meter: Meter<'_>,
        each: &mut dyn FnMut(&Row),
    ) -> Option<Vec<Row>> {
        let percents = (4..=20).rev().map(|n| n * 5).chain((1..20).rev());
        let mut rows: Vec<Row> = Vec::new();
        for percent in percents {
            let memory = (states * percent).div_ceil(100).max(1);
            if rows.last().is_some_and(|last| last.memory == memory) {
                continue;
            }
            let row = self.measure(system, memory, meter)?;
            each(&row);
            let done = row.ended == 0;
            rows.push(row);
            if done {
                break;
            }
        }
        Some(rows)
    }

    /// Walks the system with room for `memory` states, once per seed.
    fn measure(&self, system: &Arc<dyn System>, memory: u64, meter: Meter<'_>) -> Option<Row> {
        let store = with_cache(&self.store, memory);
        let mut means = Means::default();
        let mut given_up = None;
        for run in 0..self.runs {
            let begin = meter.now();
            let report = Check::system(Arc::clone(system))
                .ignore_deadlocks()
                .search(SearchPlan::DepthFirst)
                .store(store)
                .seed(self.seed.wrapping_add(u64::from(run)))
                .watch(|_| meter.limit())
                .run()
                .expect("depth-first search may use the replacing store");
            match report.verdict() {
                Verdict::Unknown(Limit::Interrupted) => return None,
                Verdict::Unknown(limit) => given_up = Some(limit),
                _ => {
                    let counters = report.first().figures.counters;
                    let figures = [counters.insertions, counters.generated, counters.depth as u64];
                    means.add(figures.map(|figure| figure as f64), meter.since(begin));
                }
            }
        }
        let ([insertions, generated, depth], ended) = (means.means(), means.ended);
        Some(Row { memory, ended, insertions, generated, depth, seconds: means.seconds(), given_up })
    }
}
