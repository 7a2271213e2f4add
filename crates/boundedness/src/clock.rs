//! When to look at the clock: a transition may be made of very many small steps, and then some of them are too many.

use elnath_kernel::budget::WATCH_WORK;

/// Transitions between two looks.
const WATCH: u64 = 256;

/// Counts what was done since the last look.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    fired: u64,
    work: u64,
}

impl Clock {
    /// Whether it is time, before a transition is fired, when so much [work](crate::view::Fifos::work) was done so far.
    pub(super) fn is_due(&mut self, work: u64) -> bool {
        let due = self.fired.is_multiple_of(WATCH) || work - self.work >= WATCH_WORK;
        self.fired += 1;
        if due {
            self.work = work;
        }
        due
    }
}
