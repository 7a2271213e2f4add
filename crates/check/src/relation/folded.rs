//! A comparison by smaller systems that are bisimilar to those that are asked about: their quotients.
//!
//! Two systems are bisimilar if and only if their quotients are, and a state satisfies the formulas of its class. So the rounds of
//! [refinement](super::rounds) are made with the quotients, which are often much smaller, and only if these part are the systems themselves
//! explored, as far as the diagnosis is about them: its exchanges are between their states, and the round in which
//! two of these part is that of their classes.

use super::diagnosis;
use super::formula;
use super::game::{Game, Rules};
use super::meter::{Meter, Spender};
use super::rounds::{Fold, Rounds, Turn};
use super::side::Side;
use super::{Comparison, Decided, Difference, RelationQuestion};
use crate::refusal::Refusal;
use elnath_kernel::{Budget, Coverage, Limit, System, Verdict};
use std::cell::RefCell;

/// Systems that are bisimilar to the left one and to the right one, by the relation that is asked about or a finer one.
pub struct Folded<'a> {
    /// The systems.
    pub systems: [&'a dyn System; 2],
    /// Writes the state of a system that a state of the left one (0) or the right one (1) is bisimilar to, and that can be reached.
    pub class: &'a ClassOf<'a>,
}

/// Writes the state of a system that stands for one of the left system (0) or the right one (1).
pub type ClassOf<'a> = dyn Fn(usize, &[u8], &mut Vec<u8>) + 'a;

/// Asks whether two systems are bisimilar, by smaller ones.
///
/// # Errors
/// If the relation is no bisimulation, or if a diagnosis does not stand up.
pub fn ask(
    question: &RelationQuestion<'_>,
    folded: &Folded<'_>,
    budget: &mut Budget<'_>,
) -> Result<Comparison, Refusal> {
    let RelationQuestion { left, right, relation, direction, .. } = *question;
    let rules = Rules::of(relation, direction).ok_or(Refusal::NotHere(relation))?;
    let mut small = Game::beside(folded.systems, &rules, question.internal, 2);
    if !small.is_bisimulation() {
        return Err(Refusal::Engine(relation));
    }
    let mut meter = Meter::new(budget);
    let mut rounds = Rounds::new(small.style, false);
    let mut game = Game::new([left, right], &rules, question.internal);
    let verdict = match rounds.turn(&mut small, u64::MAX, &mut meter) {
        Err(limit) => Verdict::Unknown(limit),
        Ok(Turn::Same) => Verdict::Holds(Coverage::Exhaustive),
        Ok(Turn::Parted) => {
            // From now on labels have the numbers that they have in the rounds.
            std::mem::swap(&mut game.labels, &mut small.labels);
            let told = explained(
                &rounds,
                &Mapping { small: RefCell::new(small), folded },
                &mut game,
                question,
                &mut meter,
            )?;
            Verdict::Fails(told.unwrap_or_else(Difference::Untold))
        }
        Ok(Turn::Paused) => unreachable!("there is no limit to its work"),
    };
    let faults = [game.sides[0].faults, game.sides[1].faults];
    Ok(Comparison { verdict, peak_bytes: meter.peak(), faults, ..same() })
}

/// That the quotients are found to be the same.
pub fn same() -> Comparison {
    const WHY: &str = "both models are graphs, and many pairs showed no difference";
    Comparison {
        verdict: Verdict::Holds(Coverage::Exhaustive),
        decided: Decided { engine: "classes", why: WHY, passes: None, forgotten: 0 },
        pairs: 0,
        states: [0; 2],
        peak_bytes: 0,
        faults: [false; 2],
        explored: None,
    }
}

fn explained(
    rounds: &Rounds,
    mapping: &Mapping<'_, '_, '_>,
    game: &mut Game<'_, '_>,
    question: &RelationQuestion<'_>,
    meter: &mut Meter<'_, '_>,
) -> Result<Result<Difference, Limit>, Refusal> {
    let plan = match rounds.explain_folded(mapping, game, meter) {
        Ok(plan) => plan,
        Err(limit) => return Ok(Err(limit)),
    };
    let diagnosis = diagnosis::build(game, &plan, true);
    drop(plan);
    if let Err(limit) = meter.tick(Spender::Diagnosis, diagnosis.bytes(), 0) {
        return Ok(Err(limit));
    }
    match formula::confirmed(&diagnosis, [question.left, question.right], question.internal, meter) {
        Ok(true) => Ok(Ok(Difference::Game(Box::new(diagnosis)))),
        Ok(false) => Err(Refusal::NO_DIFFERENCE),
        Err(limit) => Ok(Err(limit)),
    }
}

struct Mapping<'x, 's, 'l> {
    /// To look a state up takes the stores of the sides.
    small: RefCell<Game<'s, 'l>>,
    folded: &'x Folded<'x>,
}

impl Fold for Mapping<'_, '_, '_> {
    fn node(&self, side: &Side<'_>, index: usize, node: u32) -> u32 {
        let (mut state, mut class) = (Vec::new(), Vec::new());
        side.read(node, &mut state);
        (self.folded.class)(index, &state, &mut class);
        self.small.borrow_mut().sides[index]
            .find(&class)
            .expect("every class can be reached, and was explored")
    }
}
