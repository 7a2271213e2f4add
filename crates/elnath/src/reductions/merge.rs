//! Statement merging: see [`elnath_program::transform::merge`].

use super::dead::at_places;
use super::{Changed, Reduction, Stage};
use crate::asked::Asked;
use elnath_program::Interpreter;
use std::sync::Arc;

pub(super) const MERGE: Reduction = Reduction {
    name: "merge",
    title: "statement merging",
    meaning: "makes one step of consecutive local statements",
    usual: true,
    insists: false,
    sound: |asked| asked.allows_merging(),
    stage: Stage::Program(apply),
};

fn apply(program: &Arc<Interpreter>, asked: &Asked<'_>) -> Result<Changed, &'static str> {
    let (program, places) = program.merged(asked.keep())?;
    Ok(Changed { program, step_by_step: false, did: at_places(places) })
}
