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
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// Texts and their numbers, shared by all workers.
#[derive(Default)]
pub struct Names(RwLock<Table>);

#[derive(Default)]
struct Table {
    numbers: HashMap<Arc<str>, u32>,
    texts: Vec<Arc<str>>,
    /// Of all texts together.
    length: usize,
}

impl Names {
    /// Without any.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of a text, which is added if it is new.
    pub fn intern(&self, text: &str) -> Action {
        if let Some(&number) = self.read().numbers.get(text) {
            return Action(number);
        }
        // What a worker that panicked was adding is either there or not.
        let mut table = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Another worker may have been faster.
        if let Some(&number) = table.numbers.get(text) {
            return Action(number);
        }
        let number = u32::try_from(table.texts.len()).expect("actions are numbered with 32 bits");
        let text: Arc<str> = text.into();
        table.length += text.len();
        table.texts.push(Arc::clone(&text));
        table.numbers.insert(text, number);
        Action(number)
    }

    /// The text with a number that [`Names::intern`] gave.
    pub fn text(&self, action: Action) -> Arc<str> {
        Arc::clone(&self.read().texts[action.0 as usize])
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.read().texts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory in use, about.
    pub fn bytes(&self) -> usize {
        /// Two pointers with lengths, a number, and the counters and the bookkeeping of one allocation.
        const EACH: usize = 2 * size_of::<Arc<str>>() + size_of::<u32>() + 40;
        let table = self.read();
        table.length + table.texts.capacity() * EACH
    }

    fn read(&self) -> RwLockReadGuard<'_, Table> {
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
                assert_eq!(&*names.text(action), format!("c!{}", n % 100));
            }
        }
        assert!(names.bytes() > 300);
    }
}
