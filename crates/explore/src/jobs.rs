//! What takes long: checks and walks, in threads of their own, with progress and a way to stop them. What a job has said last is kept, so
//! that a page that was closed and opened again finds it.

use crate::wire::Refusal;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// So many may run at a time.
const RUNNING: usize = 4;
/// So many are remembered.
const KEPT: usize = 32;
/// Progress is told at most so often.
const BETWEEN: Duration = Duration::from_millis(120);

/// What a job says: the last of each kind, and whether it is over.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    pub(crate) events: Vec<(&'static str, Value)>,
    pub(crate) over: bool,
}

/// A job.
pub(crate) struct Job {
    stop: AtomicBool,
    said: watch::Sender<Said>,
    begun: Instant,
    told: Mutex<Instant>,
}

impl Job {
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    /// Says something that will be outdated soon; what comes too fast is left out.
    pub(crate) fn progress(&self, kind: &'static str, what: &dyn Fn() -> Value) {
        let now = Instant::now();
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if now.duration_since(*told) >= BETWEEN {
            *told = now;
            drop(told);
            self.say(kind, what());
        }
    }

    /// Says something that stays.
    pub(crate) fn say(&self, kind: &'static str, what: Value) {
        self.said.send_modify(|said| {
            said.events.retain(|(known, _)| *known != kind);
            said.events.push((kind, what));
        });
    }
}

/// All jobs.
#[derive(Default)]
pub(crate) struct Jobs {
    known: Mutex<BTreeMap<u64, Arc<Job>>>,
    count: AtomicUsize,
    running: Arc<AtomicUsize>,
}

impl Jobs {
    /// Starts one.
    pub(crate) fn start(
        &self,
        work: impl FnOnce(&Arc<Job>) -> Result<(), Refusal> + Send + 'static,
    ) -> Result<u64, Refusal> {
        if self.running.load(Ordering::Relaxed) >= RUNNING {
            return Err(Refusal::wrong(format!("{RUNNING} checks and walks are running: stop one first")));
        }
        let number = self.count.fetch_add(1, Ordering::Relaxed) as u64 + 1;
        let begun = Instant::now();
        let told = begun.checked_sub(BETWEEN).unwrap_or(begun);
        let (said, _) = watch::channel(Said::default());
        let job = Arc::new(Job { stop: AtomicBool::new(false), said, begun, told: Mutex::new(told) });
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(number, Arc::clone(&job));
        while known.len() > KEPT {
            known.pop_first();
        }
        drop(known);
        let running = Arc::clone(&self.running);
        running.fetch_add(1, Ordering::Relaxed);
        std::thread::spawn(move || {
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&job)));
            if let Err(refusal) = done.unwrap_or_else(|_| Err(Refusal::broken())) {
                job.say("failed", json!({ "error": refusal.text() }));
            }
            job.said.send_modify(|said| said.over = true);
            running.fetch_sub(1, Ordering::Relaxed);
        });
        Ok(number)
    }

    /// What a job says, from now on.
    pub(crate) fn listen(&self, number: u64) -> Result<watch::Receiver<Said>, Refusal> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let job = known.get(&number).ok_or_else(|| Refusal::unknown(format!("there is no job {number}")))?;
        let mut said = job.said.subscribe();
        said.mark_changed();
        Ok(said)
    }

    pub(crate) fn stop(&self, number: u64) -> Result<(), Refusal> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let job = known.get(&number).ok_or_else(|| Refusal::unknown(format!("there is no job {number}")))?;
        job.stop.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Ends all of them: nothing of them is left when the server ends.
    pub(crate) fn stop_all(&self) {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.values().for_each(|job| job.stop.store(true, Ordering::Relaxed));
    }
}

/// Figures of a search that runs.
#[derive(Serialize)]
pub(crate) struct Figures {
    pub(crate) states: u64,
    pub(crate) transitions: u64,
    pub(crate) depth: usize,
    pub(crate) bytes: usize,
    pub(crate) seconds: f64,
    pub(crate) what: String,
}
