//! Slicing to the cone of influence: see [`elnath_program::transform::slice`].

use super::{Changed, Did, Figure, Reduction, Stage};
use crate::asked::Asked;
use crate::words::{plural, some_of};
use elnath_program::Interpreter;
use std::sync::Arc;

pub(super) const SLICE: Reduction = Reduction {
    name: "slice",
    title: "cone of influence",
    meaning: "leaves variables that cannot influence the verdict out of the state",
    usual: true,
    insists: false,
    sound: |asked| asked.allows_forgetting(),
    stage: Stage::Program(apply),
};

fn apply(program: &Arc<Interpreter>, _: &Asked<'_>) -> Result<Changed, &'static str> {
    let (program, variables) = program.sliced();
    let words = (!variables.is_empty()).then(|| {
        let count = plural(variables.len() as u64, "variable");
        format!(": {count} left out of the state: {}", some_of(&variables))
    });
    let did = Did { figures: vec![("variables", Figure::Names(variables))], words };
    Ok(Changed { program, step_by_step: true, did })
}
