//! The table of equivalences-on-the-fly-1991, section 5.2.1: the paper's figures, and ours.

use super::Service;
use super::text::DatalinkText;
use crate::meter::{Meter, median};
use elnath::Verdict;
use elnath::compare::RelationEngine;
use elnath::{Check, Compare, Relation, StateIdentity, System};
use std::sync::Arc;

/// A row of the paper.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// N, the number of messages.
    pub messages: u16,
    /// n1 and m1, the states and transitions of the protocol.
    pub left: (u64, u64),
    /// n2 and m2, those of the service.
    pub right: (u64, u64),
    /// n, the pairs analysed.
    pub pairs: u64,
    /// t2, the seconds of its algorithm on a SUN 3-80.
    pub seconds: u32,
}

const fn row(messages: u16, left: (u64, u64), right: (u64, u64), pairs: u64, seconds: u32) -> Paper {
    Paper { messages, left, right, pairs, seconds }
}

/// The whole table of the paper.
pub const PAPER: [Paper; 7] = [
    row(20, (7241, 10_560), (41, 440), 1661, 19),
    row(30, (15_661, 23_040), (60, 930), 3691, 55),
    row(40, (27_281, 40_320), (80, 1640), 6521, 105),
    row(50, (42_101, 62_400), (101, 2600), 10_151, 147),
    row(60, (60_121, 89_280), (121, 3720), 14_581, 222),
    row(70, (81_341, 120_960), (140, 4970), 19_811, 402),
    row(80, (105_761, 157_440), (161, 6560), 25_841, 563),
];

/// The paper's row for this number of messages, if it has one.
pub fn paper(messages: u16) -> Option<Paper> {
    PAPER.into_iter().find(|row| row.messages == messages)
}

/// The paper's numbers of messages, and larger ones.
pub fn usual_sizes() -> Vec<u16> {
    PAPER.iter().map(|row| row.messages).chain([160, 320, 640]).collect()
}

/// One number of messages.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// How many messages.
    pub messages: u16,
    /// States and transitions of the protocol.
    pub left: (u64, u64),
    /// States and transitions of the service.
    pub right: (u64, u64),
    /// Pairs analysed.
    pub pairs: u64,
    /// States of the protocol seen while doing so.
    pub seen: u64,
    /// Whether the two are related.
    pub related: bool,
    /// What decided.
    pub engine: &'static str,
    /// The median of the comparisons.
    pub seconds: f64,
    /// How long it takes to generate the protocol alone.
    pub generating: f64,
    /// The memory of the comparison.
    pub bytes: usize,
}

/// Compares the protocol with its service, `runs` times. `None` if the user interrupts.
pub fn measure(messages: u16, relation: Relation, runs: u32, meter: Meter<'_>) -> Option<Row> {
    // The paper's service has 2N states for some N and 2N + 1 for others: the numbers are its, the comparison is not
    // influenced.
    let fresh = paper(messages).is_none_or(|row| row.right.0 % 2 == 1);
    let left = DatalinkText::Protocol.system(messages, StateIdentity::Caesar90);
    let right: Arc<dyn System> = Arc::new(Service { messages, fresh });
    let size = |system: &Arc<dyn System>| {
        let begin = meter.now();
        let check = Check::system(Arc::clone(system)).ignore_deadlocks();
        let report = check.watch(|_| meter.limit()).run().expect("the default plan is suitable");
        let complete = matches!(report.verdict(), Verdict::Holds(_));
        let counters = report.first().figures.counters;
        let size = (counters.states, counters.transitions);
        complete.then_some((size, meter.since(begin)))
    };
    let ((left_size, generating), (right_size, _)) = (size(&left)?, size(&right)?);
    let compared_with = DatalinkText::Service.system(messages, StateIdentity::Caesar90);
    let mut times = Vec::new();
    let mut row = None;
    for _ in 0..runs {
        let begin = meter.now();
        let compared = Compare::systems(Arc::clone(&left), Arc::clone(&compared_with))
            .relation(relation)
            // The paper's search: the game alone.
            .engine(RelationEngine::Local)
            .watch(|_| meter.limit())
            .run()
            .expect("this engine plays every game");
        times.push(meter.since(begin));
        let property = compared.first();
        let comparison = &property.figures;
        if matches!(property.verdict, Verdict::Unknown(_)) {
            return None;
        }
        row = Some(Row {
            messages,
            left: left_size,
            right: right_size,
            pairs: comparison.pairs,
            seen: comparison.states[0],
            related: matches!(property.verdict, Verdict::Holds(_)),
            engine: comparison.decided.engine,
            seconds: 0.0,
            generating,
            bytes: comparison.peak_bytes,
        });
    }
    row.map(|row| Row { seconds: median(times).unwrap_or(0.0), ..row })
}
