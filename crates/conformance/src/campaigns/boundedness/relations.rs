//! The relations on streams against their definitions on words, and against what can really be repeated.

use super::{global, interpreter, machines};
use crate::trial::{Trial, counts};
use elnath_boundedness::observe;
use elnath_boundedness::points::Points;
use elnath_boundedness::pump::pump_rounds;
use elnath_boundedness::stream::Branch;
use elnath_boundedness::theta::{th93, theta};
use elnath_boundedness::view::{Effect, Fifos, Letter, Parts, ProgramFifos, Traffic};
use elnath_kernel::Transition;
use elnath_kernel::rng::Rng;

/// A state of a random branch, and everything sent and taken until then.
struct Point {
    parts: Parts,
    sent: Vec<Vec<Letter>>,
    taken: Vec<Vec<Letter>>,
}

fn is_prefix(a: &[Letter], b: &[Letter]) -> bool {
    b.starts_with(a)
}

fn longer(a: &Point, b: &Point) -> bool {
    let contents = || a.parts.contents.iter().zip(&b.parts.contents);
    contents().all(|(a, b)| is_prefix(a, b)) && contents().any(|(a, b)| a.len() < b.len())
}

fn phi(a: &Point, b: &Point, f: usize) -> Vec<Letter> {
    b.sent[f][a.sent[f].len()..].to_vec()
}

fn psi(a: &Point, b: &Point, f: usize) -> Vec<Letter> {
    b.taken[f][a.taken[f].len()..].to_vec()
}

fn naive_th93(points: &[Point], i: usize, j: usize) -> bool {
    let (s, t) = (&points[i], &points[j]);
    longer(s, t)
        && (0..s.sent.len()).all(|f| {
            let w = phi(s, t, f);
            is_prefix(&[&s.parts.contents[f][..], &w].concat(), &[&t.parts.contents[f][..], &w].concat())
        })
}

fn naive_theta(points: &[Point], i: usize, j: usize) -> bool {
    let (s, t) = (&points[i], &points[j]);
    longer(s, t)
        && (0..s.sent.len()).all(|f| {
            let (w, taken) = (phi(s, t, f), psi(s, t, f));
            s.parts.contents[f].len() == t.parts.contents[f].len()
                || taken.is_empty()
                || (0..=i).any(|d| {
                    let (v, v_taken) = (phi(&points[d], s, f), psi(&points[d], s, f));
                    !v.is_empty()
                        && [&v[..], &w].concat() == [&w[..], &v].concat()
                        && taken.ends_with(&v_taken)
                })
        })
}

counts! {
    struct Seen { pairs, th93, theta }
}

pub(super) fn relations(trial: &mut Trial<'_>) {
    let seen: Seen = trial.cases(0..120, |case, seen| {
        check(case.seed, seen);
        Ok(())
    });
    let Seen { pairs, th93, theta } = seen;
    trial.enough(pairs > 1_000 && th93 > 200 && theta > 200, "pairs that are related and pairs that are not");
    trial.enough(theta < th93, "pairs of th93 that theta lacks: the old relation comes later");
}

fn check(seed: u64, seen: &mut Seen) {
    let mut rng = Rng::new(seed ^ 0x5eed);
    let mut network = machines::random(&mut rng);
    // Only where proposition 3 of the report holds do the relations speak for themselves.
    network.machines.iter_mut().flat_map(|machine| &mut machine.transitions).for_each(|t| t.priority = 0);
    let system = interpreter(&network);
    let points_to = Points::new(system.program());
    let mut fifos = ProgramFifos::new(&system, &observe::observe(system.program(), &points_to));
    let context = format!("seed {seed}\n{}", machines::show(&network));
    let mut parts = Parts::default();
    let mut state = system.initial_state().to_vec();
    fifos.split(&state, &mut parts);
    let none = vec![Vec::new(); parts.contents.len()];
    let mut branch = Branch::new(&parts.contents);
    let mut points = vec![Point { parts: parts.clone(), sent: none.clone(), taken: none }];
    let (mut states, mut run): (Vec<Vec<u8>>, Vec<Transition>) = (vec![state.clone()], Vec::new());
    let (mut enabled, mut next, mut effect) = (Vec::new(), Vec::new(), Effect::default());
    for _ in 0..16 {
        fifos.enabled(&state, &mut enabled);
        if enabled.is_empty() {
            break;
        }
        let t = enabled[rng.below(enabled.len() as u64) as usize];
        fifos.fire(&state, t, &mut next, &mut effect).unwrap();
        fifos.split(&next, &mut parts);
        branch.push(&effect.traffic, &parts.contents);
        let last = &points[points.len() - 1];
        let (mut sent, mut taken) = (last.sent.clone(), last.taken.clone());
        let mut contents = last.parts.contents.clone();
        for &Traffic { channel, sent: letter } in &effect.traffic {
            match letter {
                Some(letter) => {
                    contents[channel].push(letter);
                    sent[channel].push(letter);
                }
                None => taken[channel].push(contents[channel].remove(0)),
            }
        }
        assert_eq!(contents, parts.contents, "traffic tells the contents\n{context}");
        points.push(Point { parts: parts.clone(), sent, taken });
        run.push(t);
        std::mem::swap(&mut state, &mut next);
        states.push(state.clone());
        let j = points.len() - 1;
        for i in 0..j {
            if points[i].parts.control != points[j].parts.control {
                continue;
            }
            seen.pairs += 1;
            let (exact, old) = (naive_th93(&points, i, j), naive_theta(&points, i, j));
            assert_eq!(th93(&branch, i, j), exact, "th93 {i} {j}\n{context}");
            assert_eq!(theta(&branch, i, j), old, "theta {i} {j}\n{context}");
            assert!(!old || exact, "theta implies th93\n{context}");
            // Exactly those can be repeated: tried for longer than any content can hide.
            let repeated = pump_rounds(&mut fifos, &states[i], &run[i..], 20, &mut |_| true).is_some();
            assert_eq!(repeated, exact, "{i} {j} repeated\n{context}");
            seen.th93 += u64::from(exact);
            seen.theta += u64::from(old);
        }
    }
    let known = global(&system, &mut fifos, &state);
    assert_eq!(known.1.len(), network.channels.len());
}
