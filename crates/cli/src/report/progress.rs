//! What is told while a search goes on: a line that is rewritten on a terminal, and otherwise a line every ten seconds, so that a
//! log shows that something is happening and how far it is. With `--quiet` nothing.
//!
//! What the line says is computed without a clock and without a terminal ([`Pace`]), so that tests can let the time pass.

use crate::limits::Listening;
use crate::report::render;
use crate::report::terminal::Terminal;
use elnath::{Counters, Limit};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write as _};
use std::time::{Duration, Instant};

/// How often the line on a terminal changes.
const REWRITTEN: Duration = Duration::from_millis(200);
/// How often there is a line elsewhere.
const LOGGED: Duration = Duration::from_secs(10);

/// When there is something to say, and what.
struct Pace {
    /// What is being done.
    phase: String,
    /// The bytes that were granted.
    granted: u64,
    every: Duration,
    last: Duration,
    /// How often the search has begun.
    walks: u32,
    insertions: u64,
    /// Smoothed states per second, once two figures of the same walk are known.
    rate: Option<f64>,
}

impl Pace {
    fn new(phase: String, granted: u64, every: Duration) -> Self {
        Self { phase, granted, every, last: Duration::ZERO, walks: 1, insertions: 0, rate: None }
    }

    /// The line that is due after `now`, if one is.
    fn line(&mut self, now: Duration, counters: &Counters) -> Option<String> {
        let since = now.saturating_sub(self.last);
        if since < self.every || since.is_zero() {
            return None;
        }
        match counters.insertions.checked_sub(self.insertions) {
            Some(new) => {
                let rate = new as f64 / since.as_secs_f64();
                self.rate = Some(self.rate.map_or(rate, |before| 0.7 * before + 0.3 * rate));
            }
            // Fewer than before: the search has begun again with another store, and how long ago is not known. (Workers that
            // count for themselves may be a little behind each other.)
            None => {
                self.walks += u32::from(counters.insertions < self.insertions / 2);
                self.rate = None;
            }
        }
        self.last = now;
        self.insertions = counters.insertions;
        let phase = match self.walks {
            1 => self.phase.clone(),
            walks => format!("{}, search {walks}", self.phase),
        };
        let mut parts = vec![format!("{} states", render::rounded(counters.states as f64))];
        parts.extend(self.rate.map(|rate| format!("{}/s", render::rounded(rate))));
        if counters.waiting > 0 {
            parts.push(format!("{} in the queue", render::rounded(f64::from(counters.waiting))));
        }
        parts.push(format!("depth {}", render::rounded(counters.depth as f64)));
        let bytes = (counters.store_bytes + counters.path_bytes) as u64;
        parts.push(format!("{} of {}", render::bytes(bytes), render::bytes(self.granted)));
        parts.extend(counters.fill.map(|fill| format!("store {:.0} % full", fill * 100.0)));
        if counters.disk_bytes > 0 {
            parts.push(format!("{} on disk", render::bytes(counters.disk_bytes)));
        }
        parts.push(format!("{} s", now.as_secs()));
        Some(format!("{phase}: {}", parts.join(", ")))
    }
}

/// Where lines go.
enum Shown {
    /// To a terminal, each in the place of the one before.
    Rewritten(ProgressBar),
    /// To standard error, one below the other.
    Logged,
    /// Nowhere.
    Nowhere,
}

pub(crate) struct Progress {
    shown: Shown,
    begin: Instant,
    pace: Pace,
}

impl Progress {
    /// Progress on standard error, unless silence was asked for.
    fn new(phase: &str, granted: u64, terminal: &Terminal) -> Self {
        let (shown, every) = if terminal.quiet {
            (Shown::Nowhere, Duration::MAX)
        } else if std::io::stderr().is_terminal() {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style =
                ProgressStyle::with_template("{spinner} {msg}").expect("a template of our own making");
            bar.set_style(style);
            (Shown::Rewritten(bar), REWRITTEN)
        } else {
            (Shown::Logged, LOGGED)
        };
        Self { shown, begin: Instant::now(), pace: Pace::new(phase.to_owned(), granted, every) }
    }

    fn update(&mut self, counters: &Counters) {
        if matches!(self.shown, Shown::Nowhere) {
            return;
        }
        let Some(line) = self.pace.line(self.begin.elapsed(), counters) else { return };
        match &self.shown {
            Shown::Rewritten(bar) => {
                bar.tick();
                bar.set_message(line);
            }
            // A log that takes no more is no reason to stop searching.
            Shown::Logged => drop(writeln!(std::io::stderr(), "{line}")),
            Shown::Nowhere => {}
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Shown::Rewritten(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

/// Shows progress of what `phase` says, with so many bytes granted, and stops at a time limit or when interrupted.
pub(crate) fn watch(
    phase: &str,
    granted: u64,
    time: Option<Duration>,
    terminal: &Terminal,
) -> impl FnMut(&Counters) -> Option<Limit> + 'static {
    let deadline = time.and_then(|time| Instant::now().checked_add(time));
    let mut progress = Progress::new(phase, granted, terminal);
    let listening = Listening::new();
    move |counters| {
        progress.update(counters);
        if listening.interrupted() {
            return Some(Limit::Interrupted);
        }
        deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Limit::Time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(states: u64) -> Counters {
        Counters {
            states,
            insertions: states,
            depth: 12,
            waiting: states as u32 / 4,
            store_bytes: 512 << 10,
            path_bytes: 512 << 10,
            ..Counters::default()
        }
    }

    fn at(tenths: u64) -> Duration {
        Duration::from_millis(100 * tenths)
    }

    #[test]
    fn a_line_tells_phase_rate_queue_and_memory_against_the_grant() {
        let mut pace = Pace::new("safety".to_owned(), 64 << 20, LOGGED);
        assert_eq!(pace.line(at(99), &seen(1000)), None);
        let line = pace.line(at(100), &seen(20_000)).expect("it is due");
        let expected =
            "safety: 20.0 k states, 2.0 k/s, 5.0 k in the queue, depth 12, 1.0 MiB of 64.0 MiB, 10 s";
        assert_eq!(line, expected);
        assert_eq!(pace.line(at(101), &seen(30_000)), None);
        assert_eq!(pace.line(at(199), &seen(30_000)), None);
        // Smoothed: 0.7 of 2,000 and 0.3 of 4,000.
        let line = pace.line(at(200), &seen(60_000)).expect("it is due");
        assert!(line.contains("2.6 k/s"), "{line}");
        let path = Counters { waiting: 0, fill: Some(0.25), disk_bytes: 2048, ..seen(60_000) };
        let line = pace.line(at(300), &path).expect("it is due");
        assert!(
            line.ends_with("depth 12, 1.0 MiB of 64.0 MiB, store 25 % full, 2.0 KiB on disk, 30 s"),
            "{line}"
        );
    }

    #[test]
    fn a_search_that_begins_again_has_no_rate_until_it_is_known() {
        let mut pace = Pace::new("p1".to_owned(), 1 << 30, REWRITTEN);
        pace.line(at(10), &seen(5_000_000)).expect("it is due");
        // The store ran out of memory, and another one begins with the first state.
        let line = pace.line(at(12), &seen(1000)).expect("it is due");
        assert!(line.starts_with("p1, search 2: 1.0 k states, 250 in the queue"), "{line}");
        let line = pace.line(at(14), &seen(2000)).expect("it is due");
        assert!(line.starts_with("p1, search 2: 2.0 k states, 5.0 k/s, "), "{line}");
    }

    #[test]
    fn no_figures_make_nonsense() {
        let mut pace = Pace::new("x".to_owned(), 0, REWRITTEN);
        let (mut now, mut state) = (0, 7_u64);
        for _ in 0..10_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            now += state >> 60;
            let states = state >> 20 & 0xff_ffff;
            let Some(line) = pace.line(at(now), &seen(states)) else { continue };
            // At most 17 million states in at least a fifth of a second.
            assert!(!line.contains(" G/s") && !line.contains("NaN") && !line.contains("inf"), "{line}");
        }
    }

    #[test]
    fn workers_a_little_behind_each_other_do_not_begin_again() {
        let mut pace = Pace::new("safety".to_owned(), 1 << 30, REWRITTEN);
        pace.line(at(10), &seen(5_000_000)).expect("it is due");
        let line = pace.line(at(12), &seen(4_900_000)).expect("it is due");
        assert!(line.starts_with("safety: 4.9 M states, 1.2 M in the queue"), "{line}");
    }
}
