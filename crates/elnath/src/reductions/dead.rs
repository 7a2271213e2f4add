//! Dead variables are forgotten: see [`elnath_program::transform::forget`].

use super::{Changed, Did, Figure, Reduction, Stage};
use crate::asked::Asked;
use crate::words::grouped;
use elnath_program::Interpreter;
use std::sync::Arc;

pub(super) const DEAD: Reduction = Reduction {
    name: "dead",
    title: "dead variables",
    meaning: "resets variables that will not be read again",
    usual: true,
    insists: false,
    sound: |asked| asked.allows_forgetting(),
    stage: Stage::Program(apply),
};

fn apply(program: &Arc<Interpreter>, _: &Asked<'_>) -> Result<Changed, &'static str> {
    let (program, places) = program.forgetful();
    Ok(Changed { program, step_by_step: false, did: at_places(places) })
}

/// What a reduction did that changed statements here and there.
pub(super) fn at_places(places: usize) -> Did {
    let places = places as u64;
    // What there is nothing of to forget or to merge is not worth a line.
    let words = (places > 0).then(|| format!(": at {} of the program's statements", grouped(places)));
    Did { figures: vec![("places", Figure::Count(places))], words }
}
