//! Every "unbounded" pumps, every "bounded" closes its state space, every static bound holds.

use super::{global, interpreter, machines};
use crate::trial::{Trial, counts};
use elnath_boundedness::points::Points;
use elnath_boundedness::pump::{growing, pump_rounds};
use elnath_boundedness::theta::{PairCondition, PairSearch};
use elnath_boundedness::view::ProgramFifos;
use elnath_boundedness::{BoundednessOptions, Reason, boundedness, observe};
use elnath_kernel::Verdict;
use elnath_kernel::replay;
use elnath_kernel::rng::Rng;

counts! {
    struct Seen {
        unbounded,
        bounded,
        unknown,
        /// Unknown, but in a class for which more time would do.
        of_a_class,
    }
}

pub(super) fn explored(trial: &mut Trial<'_>) {
    let seen: Seen = trial.cases(0..700, |case, seen| {
        check(case.seed, seen);
        Ok(())
    });
    let tenth = trial.asked() / 10;
    trial.enough(seen.unbounded > tenth && seen.bounded > tenth, "verdicts of both kinds");
    trial.enough(seen.unknown < trial.asked() / 4, "systems that were settled");
}

fn check(seed: u64, seen: &mut Seen) {
    let mut rng = Rng::new(seed);
    let network = machines::random(&mut rng);
    let system = interpreter(&network);
    let context = || format!("seed {seed}\n{}", machines::show(&network));
    let searches = [
        None,
        Some(PairSearch::DepthFirst),
        Some(PairSearch::WithoutMemory),
        Some(PairSearch::Backwards),
        Some(PairSearch::BreadthFirst),
    ];
    let mut watch = |_: &elnath_kernel::Counters| None;
    let mut options = BoundednessOptions {
        relation: if rng.below(3) == 0 { PairCondition::Theta } else { PairCondition::Th93 },
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
    let (closed, _, longest) = machines::explore(&network, 1500);
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
        Verdict::Fails(flood) => {
            seen.unbounded += 1;
            assert!(!closed, "finitely many states, but unbounded\n{}", context());
            let steps: Vec<_> =
                flood.prefix.iter().chain(flood.pumped.rounds.iter().flatten()).copied().collect();
            let run = replay(&system, &steps).unwrap_or_else(|error| panic!("{error}\n{}", context()));
            for pair in run.states.windows(2) {
                let [from, to] = [&pair[0], &pair[1]].map(|state| global(&system, &mut fifos, state));
                let known = machines::successors(&network, &from).iter().any(|(_, next)| *next == to);
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
        Verdict::Holds(_) => {
            seen.bounded += 1;
            let found: Vec<usize> = answer.channels.iter().map(|channel| channel.longest).collect();
            if answer.reason == Some(Reason::Explored) {
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
            seen.unknown += 1;
            seen.of_a_class += u64::from(answer.class.is_some());
        }
    }
}
