//! The live line on a terminal: states, states per second, depth, memory, how full the store is.

use crate::limits::Listening;
use crate::report::render;
use crate::report::terminal::Terminal;
use elnath::{Counters, Limit};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

pub(crate) struct Progress {
    bar: ProgressBar,
    begin: Instant,
    last: Instant,
    /// Smoothed states per second.
    rate: f64,
    insertions: u64,
}

impl Progress {
    /// A line on standard error, or nothing if that is not a terminal or silence was asked for.
    pub(crate) fn new(terminal: &Terminal) -> Self {
        let visible = std::io::stderr().is_terminal() && !terminal.quiet;
        let target = if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        bar.set_style(ProgressStyle::with_template("{spinner} {msg}").expect("a template of our own making"));
        let now = Instant::now();
        Self { bar, begin: now, last: now, rate: 0.0, insertions: 0 }
    }

    pub(crate) fn update(&mut self, counters: &Counters) {
        let since = self.last.elapsed();
        if self.bar.is_hidden() || since < Duration::from_millis(200) {
            return;
        }
        let rate = (counters.insertions - self.insertions) as f64 / since.as_secs_f64();
        self.rate = if self.insertions == 0 { rate } else { 0.7 * self.rate + 0.3 * rate };
        self.last = Instant::now();
        self.insertions = counters.insertions;
        let fill =
            counters.fill.map(|fill| format!(", store {:.0} % full", fill * 100.0)).unwrap_or_default();
        self.bar.tick();
        self.bar.set_message(format!(
            "{} states, {}/s, depth {}, {}{fill}, {} s",
            render::rounded(counters.states as f64),
            render::rounded(self.rate),
            render::rounded(counters.depth as f64),
            render::bytes((counters.store_bytes + counters.path_bytes) as u64),
            self.begin.elapsed().as_secs(),
        ));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Shows progress, and stops at a time limit or when interrupted.
pub(crate) fn watch(
    time: Option<Duration>,
    terminal: &Terminal,
) -> impl FnMut(&Counters) -> Option<Limit> + 'static {
    let deadline = time.and_then(|time| Instant::now().checked_add(time));
    let mut progress = Progress::new(terminal);
    let listening = Listening::new();
    move |counters| {
        progress.update(counters);
        if listening.interrupted() {
            return Some(Limit::Interrupted);
        }
        deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Limit::Time)
    }
}
