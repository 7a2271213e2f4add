//! Which states can be busy inside for ever: from which a cycle of internal steps can be reached by internal steps.
//!
//! A depth-first search over internal steps, and what it has found is kept. An edge back into the path closes a cycle, so
//! that no state is ever left while its verdict hangs on one below it: components need not be known.

use super::super::meter::Meter;
use super::super::side::{Labels, Side, TAU};
use elnath_kernel::Limit;

/// What is known about the states of one side.
#[derive(Default)]
pub(crate) struct Divergence {
    known: Vec<Known>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Known {
    #[default]
    Nothing,
    OnPath,
    Ends,
    Diverges,
}

impl Divergence {
    /// Whether a state can.
    pub(crate) fn of(
        &mut self,
        side: &mut Side<'_>,
        start: u32,
        labels: &mut Labels<'_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<bool, Limit> {
        match self.known(start) {
            Known::Diverges => return Ok(true),
            Known::Ends => return Ok(false),
            Known::Nothing | Known::OnPath => {}
        }
        // Where the search is, and the next step to follow from there.
        let mut path: Vec<(u32, u32)> = Vec::new();
        let mut enter = Some(start);
        loop {
            if let Some(state) = enter.take() {
                side.open(state, labels, meter)?;
                self.set(state, Known::OnPath);
                path.push((state, side.challenges(state).start));
            }
            let Some((state, next)) = path.last_mut() else { return Ok(false) };
            let step = side.challenges(*state).range().contains(&(*next as usize)).then(|| side.step(*next));
            let Some(step) = step.filter(|step| step.label == TAU) else {
                self.known[*state as usize] = Known::Ends;
                path.pop();
                continue;
            };
            *next += 1;
            match self.known(step.target) {
                Known::Nothing => enter = Some(step.target),
                Known::Ends => {}
                Known::OnPath | Known::Diverges => {
                    path.iter().for_each(|&(state, _)| self.set(state, Known::Diverges));
                    return Ok(true);
                }
            }
        }
    }

    fn known(&self, state: u32) -> Known {
        self.known.get(state as usize).copied().unwrap_or_default()
    }

    fn set(&mut self, state: u32, known: Known) {
        if self.known.len() <= state as usize {
            self.known.resize(state as usize + 1, Known::Nothing);
        }
        self.known[state as usize] = known;
    }

    pub(crate) fn bytes(&self) -> usize {
        self.known.capacity()
    }
}
