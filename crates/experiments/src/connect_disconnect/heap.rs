//! Figure 8 of on-line-model-checking-1989: generated states over the size of the heap.

use super::with_heap;
use crate::meter::{Means, Meter};
use elnath_kernel::{End, Limit};
use elnath_lts::Lts;

/// What is done with each size of the heap.
#[derive(Clone, Copy, Debug)]
pub struct Sweep {
    /// A size is given up after this many generated states for each state.
    pub thrashing: u64,
    /// Runs per size, with seeds from `seed` on.
    pub runs: u32,
    /// The first seed.
    pub seed: u64,
}

/// One size of the heap: the means over the runs that ended, and the median of their times.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Room for so many states beside the stack.
    pub heap: u64,
    /// How many runs ended.
    pub ended: u32,
    /// The paper's NGS.
    pub generated: f64,
    /// The deepest stack.
    pub depth: f64,
    /// The median.
    pub seconds: f64,
    /// Why the runs that did not end were given up.
    pub given_up: Option<Limit>,
}

impl Sweep {
    /// From a heap for all states down to none, until no run ends any more. `each` is called with every row when it is known.
    /// `None` if the user interrupts.
    pub fn run(&self, lts: &Lts, meter: Meter<'_>, each: &mut dyn FnMut(&Row)) -> Option<Vec<Row>> {
        let mut rows: Vec<Row> = Vec::new();
        for heap in sizes(lts.num_states() as u64) {
            let row = self.measure(lts, heap, meter)?;
            each(&row);
            let done = row.ended == 0;
            rows.push(row);
            if done {
                break;
            }
        }
        Some(rows)
    }

    fn measure(&self, lts: &Lts, heap: u64, meter: Meter<'_>) -> Option<Row> {
        let most = (lts.num_states() as u64).saturating_mul(self.thrashing);
        let mut means = Means::default();
        let mut given_up = None;
        for run in 0..self.runs {
            let seed = self.seed.wrapping_add(u64::from(run));
            let begin = meter.now();
            let (end, counters) = with_heap(lts, heap as usize, seed, &mut |counters| {
                meter.limit().or_else(|| (counters.insertions > most).then_some(Limit::Thrashing))
            });
            match end {
                End::Limited(Limit::Interrupted) => return None,
                End::Limited(limit) => given_up = Some(limit),
                End::Complete | End::Stopped => {
                    let figures = [counters.insertions as f64, counters.depth as f64, 0.0];
                    means.add(figures, meter.since(begin));
                }
            }
        }
        let ([generated, depth, _], ended) = (means.means(), means.ended);
        Some(Row { heap, ended, generated, depth, seconds: means.seconds(), given_up })
    }
}

/// The sizes of the heap: tenths of D, hundredths below D/10, and none. Among them are D/2, D/4, D/10 and D/20.
fn sizes(states: u64) -> Vec<u64> {
    let percents = (2..=10).rev().map(|n| n * 10).chain([25, 15]).chain((1..=10).rev());
    let mut sizes: Vec<u64> = percents.map(|percent| states * percent / 100).chain([0]).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes.dedup();
    sizes
}
