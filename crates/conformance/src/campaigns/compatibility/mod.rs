//! k-multiparty compatibility: random session automata, and those of the tool KMC, against the definitions; and the theorem by which a
//! verdict within a capacity is one without, against larger capacities.

mod oracle;
mod random;

use super::Part;
use super::boundedness::show;
use crate::trial::{Case, Compared, Trial, counts};
use elnath_cfsm::network::Network;
use elnath_cfsm::{Format, Options as Reading, lower};
use elnath_compatibility::machines::SessionMachines;
use elnath_compatibility::{Attempt, Breach, CompatibilityOptions, compatibility};
use elnath_kernel::rng::Rng;
use elnath_kernel::{Counters, Limit, Verdict, replay};
use elnath_program::ir::Program;
use elnath_source::SourceText;
use oracle::Oracle;
use std::path::Path;

pub(super) const PARTS: &[Part] = &[
    Part {
        name: "definitions",
        meaning: "random session automata with capacities 1 to 3 against the definitions, and larger capacities against the theorem",
        run: definitions,
    },
    Part {
        name: "kmc",
        meaning: "the inputs of the tool KMC (`cfsm/kmc` of the corpus) with capacities 1 to 3 against the definitions",
        run: inputs,
    },
];

counts! {
    struct Seen {
        compatible,
        incompatible,
        /// Compatible with a capacity that is not the least.
        later,
        /// Verdicts that the theorem makes ones about channels without bound.
        independent,
        not_output_independent,
        not_input_independent,
        /// Input bound independent, but not strongly so.
        chained,
        /// Compared with a larger capacity.
        larger,
    }
}

/// Larger systems are left out: the definitions are slow.
const MOST: usize = 150;

fn definitions(trial: &mut Trial<'_>) {
    let seen: Seen = trial.cases(0..2000, |case, seen| {
        let network = random::network(&mut Rng::new(case.seed));
        compare(&network, case, seen, MOST)
    });
    let tenth = trial.asked() / 10;
    trial.enough(seen.compatible > tenth && seen.incompatible > tenth, "verdicts of both kinds");
    trial.enough(seen.later > 5, "systems that need more than the least capacity");
    trial.enough(seen.not_output_independent > 5 && seen.not_input_independent > 5, "conditions that fail");
    trial.enough(seen.chained > 5 && seen.larger > tenth, "conditions that hold");
}

fn inputs(trial: &mut Trial<'_>) {
    let files: Vec<_> = trial
        .outside(&[("cfsm", &["txt"])])
        .into_iter()
        .filter(|path| path.components().any(|part| part.as_os_str() == "kmc"))
        .collect();
    trial.files::<Seen>(&files, 1, |path: &Path, case: &Case, seen| {
        let text = std::fs::read_to_string(path).expect("a file");
        let format = Format::guess("txt", &text);
        let (network, _) = elnath_cfsm::parse(&SourceText::new("kmc", text), format).expect("a network");
        compare(&network, case, seen, MOST)
    });
}

fn compare(network: &Network, case: &Case, seen: &mut Seen, most: usize) -> Compared {
    let context = || format!("{}\n{}", case.seed, show(network));
    let program = lower(network, Reading::default()).expect("a small network");
    let Ok(machines) = SessionMachines::of(&program) else { return Err("not session automata") };
    let mut compared = false;
    let mut settled: Option<bool> = None;
    for k in 1..=3 {
        let Some(oracle) = Oracle::new(network, k as usize, most) else { break };
        compared = true;
        let attempt = &asked(&program, &machines, k, usize::MAX);
        assert_eq!(attempt.counters.states as usize, oracle.len(), "k = {k}, {}", context());
        let same = |what: &str, verdict: &Verdict<Breach>, nearest: Option<usize>| {
            let found = verdict.evidence().map(|breach| breach.steps.len());
            assert_eq!(found, nearest, "{what}, k = {k}, {}", context());
            confirm(attempt, &machines, verdict, what, &context);
        };
        same("exhaustive", &attempt.exhaustive, oracle.not_exhaustive());
        same("eventual reception", &attempt.reception, oracle.not_received());
        same("progress", &attempt.progress, oracle.no_progress());
        assert_eq!(attempt.never_full, !oracle.is_ever_full(), "k = {k}, {}", context());
        conditions(attempt, &oracle, &machines, seen, &context);
        // Once a verdict is one about channels without bound, it stays the same.
        if let Some(compatible) = settled {
            seen.larger += 1;
            assert_eq!(attempt.is_compatible(), compatible, "k = {k} after a smaller one, {}", context());
            assert!(matches!(attempt.exhaustive, Verdict::Holds(_)), "k = {k}, {}", context());
        } else if attempt.scope(machines.are_directed()).is_unbounded() {
            settled = Some(attempt.is_compatible());
            seen.later += u64::from(k > 1 && attempt.is_compatible());
        }
        little_memory(&program, &machines, attempt, &context);
    }
    match settled {
        Some(true) => seen.compatible += 1,
        _ => seen.incompatible += 1,
    }
    if compared { Ok(()) } else { Err("too many configurations") }
}

fn conditions(
    attempt: &Attempt,
    oracle: &Oracle<'_>,
    machines: &SessionMachines,
    seen: &mut Seen,
    context: &dyn Fn() -> String,
) {
    let (Some(output), Some(input)) = (&attempt.output, &attempt.input) else { return };
    let holds = |verdict: &Verdict<Breach>| matches!(verdict, Verdict::Holds(_));
    let (strong, chained) =
        (oracle.strongly_input_bound_independent(), oracle.chained_input_bound_independent());
    assert!(chained || !strong, "strong is stronger, {}", context());
    assert_eq!(holds(output), oracle.output_bound_independent(), "output, {}", context());
    assert_eq!(holds(input), chained, "input, {}", context());
    assert!(!machines.are_directed() || holds(output) && holds(input), "directed, {}", context());
    confirm(attempt, machines, output, "output", context);
    confirm(attempt, machines, input, "input", context);
    seen.not_output_independent += u64::from(!holds(output));
    seen.not_input_independent += u64::from(!holds(input));
    seen.chained += u64::from(chained && !strong);
    seen.independent += u64::from(holds(output) && holds(input));
}

/// What is wrong at the end of a run is so, by a walk forwards from there.
fn confirm(
    attempt: &Attempt,
    machines: &SessionMachines,
    verdict: &Verdict<Breach>,
    what: &str,
    context: &dyn Fn() -> String,
) {
    let Some(breach) = verdict.evidence() else { return };
    let run = replay(&*attempt.system, &breach.steps).expect("a run");
    assert!(breach.flaw.is_real(&attempt.system, machines, &run), "{what}: {breach:?}, {}", context());
    assert!(!breach.flaw.text(machines).is_empty(), "{what}");
}

/// With little memory the answer is the same, or that memory ran out.
fn little_memory(
    program: &Program,
    machines: &SessionMachines,
    whole: &Attempt,
    context: &dyn Fn() -> String,
) {
    for part in [2, 4] {
        let less = asked(program, machines, whole.k, whole.counters.store_bytes / part);
        let verdict = less.verdict().as_ref().map(|breach| breach.steps.len());
        match verdict {
            Verdict::Unknown(limit) => assert_eq!(limit, Limit::Memory, "{}", context()),
            verdict => assert_eq!(verdict, whole.verdict().map(|breach| breach.steps.len()), "{}", context()),
        }
    }
}

/// What is known of one capacity.
fn asked(program: &Program, machines: &SessionMachines, k: u32, memory: usize) -> Attempt {
    let mut watch = |_: &Counters| None;
    let mut options = CompatibilityOptions { capacities: k..=k, memory, watch: &mut watch };
    compatibility(program, machines, &mut options).attempts.remove(0)
}
