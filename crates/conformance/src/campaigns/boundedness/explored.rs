//! Every "unbounded" pumps, every "bounded" closes its state space, every static bound holds.

use crate::naive::{self, Global};
use elnath_boundedness::points::Points;
use elnath_boundedness::pump::{growing, pump_rounds};
use elnath_boundedness::theta::{Relation, Search};
use elnath_boundedness::view::{Fifos, Parts, ProgramFifos};
use elnath_boundedness::{Options, Reason, Verdict, boundedness, observe};
use elnath_cfsm::network::Network;
use elnath_cfsm::{Options as Reading, lower};
use elnath_kernel::replay;
use elnath_kernel::rng::Rng;
use elnath_program::Interpreter;
use elnath_program::layout::{LOCATION, Tables};

pub(crate) fn interpreter(network: &Network) -> Interpreter {
    let program = lower(network, Reading::default()).expect("a small network");
    Interpreter::new(program).expect("an initial state").keeping_all_ways()
}

/// The state that the naive explorer would call this one.
pub(crate) fn global(system: &Interpreter, fifos: &mut dyn Fifos, state: &[u8]) -> Global {
    let mut tables = Tables::default();
    tables.read(system.layout(), state);
    let at = tables.processes.iter().map(|&at| state[at as usize + LOCATION] as usize).collect();
    let mut parts = Parts::default();
    fifos.split(state, &mut parts);
    // The values of letters begin with 1.
    let contents =
        parts.contents.iter().map(|content| content.iter().map(|&letter| letter as u32 - 1).collect());
    (at, contents.collect())
}

fn check(seed: u64, counts: &mut [u64; 4]) {
    let mut rng = Rng::new(seed);
    let network = naive::random(&mut rng);
    let system = interpreter(&network);
    let context = || format!("seed {seed}\n{}", naive::show(&network));
    let searches = [
        None,
        Some(Search::DepthFirst),
        Some(Search::WithoutMemory),
        Some(Search::Backwards),
        Some(Search::BreadthFirst),
    ];
    let mut watch = |_: &elnath_kernel::Counters| None;
    let mut options = Options {
        relation: if rng.below(3) == 0 { Relation::Theta } else { Relation::Th93 },
        search: searches[rng.below(5) as usize],
        window: if rng.below(3) == 0 { 1 + rng.below(5) as usize } else { usize::MAX },
        statically: rng.below(2) == 0,
        depth: 60,
        firings: 1500,
        // Sometimes so little that the search forgets.
        memory: if rng.below(3) == 0 { 20_000 } else { 1 << 24 },
        seed,
        watch: &mut watch,
    };
    let answer = boundedness(&system, &mut options);
    let (closed, _, longest) = naive::explore(&network, 1500);
    let points = Points::new(system.program());
    let mut fifos = ProgramFifos::new(&system, &observe::observe(system.program(), &points));
    for (channel, longest) in answer.channels.iter().zip(&longest) {
        if let Some(bound) = &channel.bound {
            assert!(
                *longest as u64 <= bound.most,
                "{} holds {longest} > {bound:?}\n{}",
                channel.name,
                context()
            );
        }
    }
    match &answer.verdict {
        Verdict::Unbounded(flood) => {
            counts[0] += 1;
            assert!(!closed, "finitely many states, but unbounded\n{}", context());
            let steps: Vec<_> =
                flood.prefix.iter().chain(flood.pumped.rounds.iter().flatten()).copied().collect();
            let run = replay(&system, &steps).unwrap_or_else(|error| panic!("{error}\n{}", context()));
            for pair in run.states.windows(2) {
                let [from, to] = [&pair[0], &pair[1]].map(|state| global(&system, &mut fifos, state));
                let known = naive::successors(&network, &from).iter().any(|(_, next)| *next == to);
                assert!(known, "{from:?} does not lead to {to:?}\n{}", context());
            }
            let begin = &run.states[flood.prefix.len()];
            let w = &flood.pumped.rounds[0];
            let pumped = pump_rounds(&mut fifos, begin, w, 6, &mut |_| true);
            let pumped = pumped.unwrap_or_else(|| panic!("it does not pump\n{}", context()));
            for pair in pumped.contents.windows(2) {
                assert_eq!(growing(&pair[0], &pair[1]).as_ref(), Some(&pumped.growing), "{}", context());
            }
            assert!(!pumped.growing.is_empty() && pumped.contents.len() == 7);
        }
        Verdict::Bounded(reason) => {
            counts[1] += 1;
            let found: Vec<usize> = answer.channels.iter().map(|channel| channel.longest).collect();
            if *reason == Reason::Explored {
                assert!(closed, "bounded, but there are more than 1500 states\n{}", context());
                assert_eq!(found, longest, "{}", context());
                for channel in &answer.channels {
                    let run = replay(&system, &channel.run)
                        .unwrap_or_else(|error| panic!("{error}\n{}", context()));
                    let number =
                        network.channels.iter().position(|known| known.name == channel.name).unwrap();
                    let held = global(&system, &mut fifos, run.last()).1[number].len();
                    assert_eq!(held, channel.longest, "the run to the most\n{}", context());
                }
            }
        }
        Verdict::Unknown(_) => {
            counts[2] += 1;
            counts[3] += u64::from(answer.class.is_some());
        }
    }
}

#[test]
fn random_systems_agree_with_a_naive_explorer() {
    let systems = std::env::var("ELNATH_BOUNDEDNESS").ok().and_then(|text| text.parse().ok()).unwrap_or(700);
    let mut counts = [0; 4];
    for seed in 0..systems {
        check(seed, &mut counts);
    }
    let [unbounded, bounded, unknown, of_class] = counts;
    let figures = format!(
        "{systems} systems: {unbounded} unbounded, {bounded} bounded, {unknown} unknown ({of_class} of them in a class)"
    );
    assert!(unbounded > systems / 10 && bounded > systems / 10 && unknown < systems / 4, "{figures}");
    if systems > 700 {
        std::fs::write(std::env::temp_dir().join("elnath-boundedness-campaign"), figures).expect("a file");
    }
}
