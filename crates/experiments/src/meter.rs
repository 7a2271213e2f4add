//! What measuring needs of the world outside.

use elnath::{Check, Limit, StoreChoice, StorePlan, System};
use std::sync::Arc;
use std::time::Duration;

/// A clock, and whether somebody wants to stop.
#[derive(Clone, Copy)]
pub struct Meter<'a> {
    /// The time since some moment: only differences count.
    pub clock: &'a dyn Fn() -> Duration,
    /// Whether the experiment is to be interrupted.
    pub interrupted: &'a dyn Fn() -> bool,
}

impl Meter<'_> {
    pub(crate) fn now(&self) -> Duration {
        (self.clock)()
    }

    /// The seconds since then.
    pub(crate) fn since(&self, begin: Duration) -> f64 {
        self.now().saturating_sub(begin).as_secs_f64()
    }

    /// What a search that has been interrupted ends with.
    pub(crate) fn limit(&self) -> Option<Limit> {
        (self.interrupted)().then_some(Limit::Interrupted)
    }
}

/// Means over the runs that ended, and the median of their times, which are easily disturbed.
#[derive(Default)]
pub(crate) struct Means {
    pub(crate) ended: u32,
    sums: [f64; 3],
    times: Vec<f64>,
}

impl Means {
    pub(crate) fn add(&mut self, figures: [f64; 3], seconds: f64) {
        self.ended += 1;
        self.sums.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure);
        self.times.push(seconds);
    }

    pub(crate) fn means(&self) -> [f64; 3] {
        self.sums.map(|sum| sum / f64::from(self.ended.max(1)))
    }

    /// The median of the times; 0 if no run ended.
    pub(crate) fn seconds(self) -> f64 {
        median(self.times).unwrap_or(0.0)
    }
}

/// The chosen store with room for so many states.
pub(crate) fn with_cache(store: &StoreChoice, states: u64) -> StorePlan {
    let mut store = store.clone();
    store.set("cache", &states.to_string()).expect("the replacing store has this parameter");
    store.plan(usize::MAX, false).expect("its parameters make sense")
}

pub(crate) fn median(mut times: Vec<f64>) -> Option<f64> {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}

/// The number of reachable states R, found by the usual search.
pub fn states(system: &Arc<dyn System>) -> u64 {
    let check = Check::system(Arc::clone(system)).ignore_deadlocks();
    check.run().expect("the default plan is suitable").first().figures.counters.states
}
