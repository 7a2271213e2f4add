//! Numbers for actions whose texts are not known before they happen.
//!
//! A graph has a table of its labels, and a program a list of its commands: there an [`Action`] is an index. A system that
//! makes labels while it is walked (with the values of a message in them, or renamed) gives each new text the next number,
//! here, and all workers share the table. They ask for texts they know far more often than for new ones, and each keeps
//! what it has learned in a table of its own, so that a lock that many can read is enough.
//!
//! Which text gets which number depends on which worker is first. That is no matter: within one run a text keeps its
//! number, and reports show texts.

use crate::system::Action;
use crate::texts::Texts;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// Texts and their numbers, shared by all workers.
#[derive(Default)]
pub struct Names(RwLock<Texts>);

impl Names {
    /// Without any.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of a text, which is added if it is new.
    pub fn intern(&self, text: &str) -> Action {
        if let Some(number) = self.read().find(text) {
            return Action(number);
        }
        // What a worker that panicked was adding is either there or not; and another worker may have been faster.
        Action(self.0.write().unwrap_or_else(PoisonError::into_inner).intern(text))
    }

    /// The text with a number that [`Names::intern`] gave.
    pub fn text(&self, action: Action) -> String {
        self.read().get(action.0).to_owned()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.read().len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.read().bytes()
    }

    fn read(&self) -> RwLockReadGuard<'_, Texts> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_keeps_its_number_whoever_asks() {
        let names = Names::new();
        let numbers: Vec<Vec<Action>> = std::thread::scope(|scope| {
            let worker = || (0..500).map(|n| names.intern(&format!("c!{}", n % 100))).collect();
            let workers: Vec<_> = (0..4).map(|_| scope.spawn(worker)).collect();
            workers.into_iter().map(|worker| worker.join().expect("it does not panic")).collect()
        });
        assert_eq!(names.len(), 100);
        for numbers in numbers {
            for (n, action) in numbers.into_iter().enumerate() {
                assert_eq!(names.text(action), format!("c!{}", n % 100));
            }
        }
        assert!(names.bytes() > 300);
    }
}
