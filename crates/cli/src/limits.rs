//! Where the outside world comes in: the clock, Ctrl-C, and how much memory there is.

use elnath::logic::Limits;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// How many searches are running that look at `INTERRUPTED` themselves.
static LISTENING: AtomicU32 = AtomicU32::new(0);

/// Makes Ctrl-C end a search with the figures so far. The second one, or one outside a search, ends the process.
pub(crate) fn catch_interrupts() {
    // Without a handler Ctrl-C still ends the process, only less politely: nothing to report.
    let _ = ctrlc::set_handler(|| {
        let again = INTERRUPTED.swap(true, Ordering::SeqCst);
        if again || LISTENING.load(Ordering::SeqCst) == 0 {
            let _ = writeln!(std::io::stderr(), "interrupted");
            crate::output::discard_partial();
            std::process::exit(crate::Exit::Unknown as i32);
        }
    });
}

/// While this exists, Ctrl-C is only noted.
pub(crate) struct Listening(());

impl Listening {
    pub(crate) fn new() -> Self {
        LISTENING.fetch_add(1, Ordering::SeqCst);
        Self(())
    }

    pub(crate) fn interrupted(&self) -> bool {
        INTERRUPTED.load(Ordering::Relaxed)
    }

    /// The same, and whether the command goes on: the next Ctrl-C is a new one.
    pub(crate) fn take_interrupt(&self) -> bool {
        INTERRUPTED.swap(false, Ordering::SeqCst)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        LISTENING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The most memory this process has used so far, in bytes, where the system tells.
pub(crate) fn peak_bytes() -> Option<u64> {
    proc_value("/proc/self/status", "VmHWM:")
}

/// How long this thread has had a processor so far, where the system tells.
pub(crate) fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// Three quarters of the memory that is free, and of what the container allows; 2 GiB where no one tells.
pub(crate) fn default_memory() -> u64 {
    let free = proc_value("/proc/meminfo", "MemAvailable:").unwrap_or(8 << 30) / 4 * 3;
    let container = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let container = container.and_then(|text| text.trim().parse::<u64>().ok()).unwrap_or(u64::MAX);
    free.min(container / 4 * 3)
}

/// What the translation of a formula may spend. Ctrl-C ends the command there, so that only the clock needs to be looked at.
pub(crate) fn of_formulas(memory: usize, time: Option<Duration>) -> Limits {
    let deadline = time.and_then(|time| Instant::now().checked_add(time));
    let stop = move || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    Limits { memory, stop: Some(Arc::new(stop)) }
}

/// A line such as `VmHWM:    1234 kB` of a file of the proc file system, in bytes.
fn proc_value(file: &str, key: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}
