//! Partial order reduction: see [`elnath_program::independence`].

use super::{Below, Did, Figure, Over, Reduction, Refused, Stage};
use crate::asked::Asked;
use crate::words::grouped;
use elnath_kernel::System;
use elnath_program::independence::{Reduced, Savings};
use elnath_program::symmetry::Symmetry;
use std::sync::Arc;

pub(super) const POR: Reduction = Reduction {
    name: "por",
    title: "partial order reduction",
    meaning: "explores one order of independent steps instead of all",
    usual: true,
    insists: false,
    sound: |asked| asked.ignores_orders(),
    stage: Stage::System(apply),
};

fn apply<'a>(below: &Below<'a>, asked: &Asked<'_>) -> Result<Over<'a>, Refused> {
    let program = &below.program;
    let mut reduced = Reduced::of(Arc::clone(&below.system), program, asked.keep())?;
    if asked.wanted.has("symmetry") {
        let symmetry = Symmetry::new(program.program(), program.layout(), asked.notices());
        if symmetry.is_ok_and(|symmetry| symmetry.exchanges_numbers()) {
            return Err("symmetry exchanges numbers of processes, on which it depends".into());
        }
        reduced = reduced.with_exchanges();
    }
    let reduced = Arc::new(reduced);
    let system = Arc::clone(&reduced) as Arc<dyn System + 'a>;
    let did = Box::new(move || did(reduced.savings()));
    Ok(Over { system, back: None, exchanges: false, did })
}

fn did(Savings { expanded, reduced }: Savings) -> Did {
    let words = format!(
        ": one process stood for all in {} of {} states expanded",
        grouped(reduced),
        grouped(expanded)
    );
    let figures = vec![("expanded", Figure::Count(expanded)), ("reduced", Figure::Count(reduced))];
    Did { figures, words: Some(words) }
}
