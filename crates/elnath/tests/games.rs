//! Games of relations, move by move: who wins from the start is what `compare` answers, by another way; and from every place that can be
//! reached, the moves bear it out. A place that the attacker wins has an attack after which every answer leads to such a place again, and following these
//! the play ends; at a place that the defender wins, every attack has an answer that leads to such a place.

use elnath::compare::Compare;
use elnath::compare::play::{Answer, Arena, Sequel, Standing, Winner, begins_with_a_side};
use elnath::lts::{Builder, Lts};
use elnath::{Budget, Counters, Direction, Limit, Relation, Rng, System, Verdict};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

const WORK: u64 = 1 << 30;

fn granted<T>(act: impl FnOnce(&mut Budget<'_>) -> T) -> T {
    let mut watch = |_: &Counters| -> Option<Limit> { None };
    act(&mut Budget {
        memory: usize::MAX,
        depth: usize::MAX,
        states: u64::MAX,
        disk: None,
        watch: &mut watch,
    })
}

/// A small graph with internal steps, cycles and states without steps.
fn graph(rng: &mut Rng, states: u64) -> Lts {
    let mut builder = Builder::new();
    let labels = ["a", "b", "i", "i"];
    for from in 0..states as u32 {
        for _ in 0..rng.below(3) {
            let label = labels[rng.below(labels.len() as u64) as usize];
            builder.add(from, label, rng.below(states) as u32);
        }
    }
    builder.add(0, "a", (states - 1) as u32);
    builder.finish(0)
}

/// The places to which an answer leads: all of them must be good for the defender.
fn after(answer: &Answer) -> Vec<Standing> {
    match answer.then {
        Sequel::At(place) => vec![place],
        Sequel::Dispute { before, after } => vec![before, after],
        Sequel::Settled => Vec::new(),
    }
}

/// Looks at all places that can be reached; how many there are.
fn bear_out(arena: &mut Arena<'_, '_>, start: Standing, what: &str) -> usize {
    let mut winners = HashMap::new();
    let mut waiting = VecDeque::from([start]);
    // Of places that the attacker wins: those to which the defender can go after the winning attack.
    let mut goes = HashMap::new();
    while let Some(place) = waiting.pop_front() {
        if winners.contains_key(&place) {
            continue;
        }
        let winner = granted(|budget| arena.winner(place, WORK, budget));
        assert_ne!(winner, Winner::Unknown, "{what}: enough is granted");
        winners.insert(place, winner);
        let attacks = granted(|budget| arena.attacks(place, budget)).expect("enough is granted");
        let best = granted(|budget| arena.winning_attack(place, WORK, budget));
        assert_eq!(best.is_some(), winner == Winner::Attacker, "{what}");
        for (number, attack) in attacks.iter().enumerate() {
            let answers = granted(|budget| arena.answers(place, attack, budget)).expect("enough is granted");
            assert_eq!(answers.len() as u32, attack.answers, "{what}: {attack:?}");
            let mut good = false;
            let mut reached = Vec::new();
            for answer in &answers {
                let places = after(answer);
                let mut all = true;
                for &next in &places {
                    all &= granted(|budget| arena.winner(next, WORK, budget)) == Winner::Defender;
                    waiting.push_back(next);
                }
                good |= all;
                // The attacker goes on where it wins; if it does at both places, where that was found out first, since a refutation rests
                // on earlier ones.
                let wins: Vec<Standing> = places
                    .into_iter()
                    .filter(|&next| granted(|budget| arena.winner(next, WORK, budget)) == Winner::Attacker)
                    .collect();
                reached.extend(wins.into_iter().min_by_key(|&next| arena.stamp(next)));
            }
            match winner {
                Winner::Defender => assert!(good, "{what}: {attack:?} has an answer"),
                _ if best == Some(number) => {
                    assert!(!good, "{what}: {attack:?} has no answer");
                    goes.insert(place, reached);
                }
                _ => {}
            }
        }
        if winner == Winner::Attacker {
            let plan = granted(|budget| arena.plan(place, ["left", "right"], WORK, budget));
            assert!(
                plan.is_some_and(|plan| plan.rounds > 0 && !plan.lines.is_empty()),
                "{what}: there is a plan"
            );
        }
    }
    // Whoever follows the attacks comes to an end: the places can be taken away, each after those to which it leads.
    let mut left = goes;
    loop {
        let done: Vec<Standing> = left
            .iter()
            .filter(|(_, next)| next.iter().all(|next| !left.contains_key(next)))
            .map(|(&place, _)| place)
            .collect();
        if done.is_empty() {
            break;
        }
        done.iter().for_each(|place| _ = left.remove(place));
    }
    assert!(left.is_empty(), "{what}: a play along winning attacks ends");
    winners.len()
}

#[test]
fn games_are_won_by_whom_compare_says() {
    let mut rng = Rng::new(7);
    let (mut places, mut related, mut different) = (0, 0, 0);
    for round in 0..40 {
        let (few, many) = (2 + rng.below(4), 2 + rng.below(4));
        let left: Arc<dyn System> = Arc::new(graph(&mut rng, few));
        let right: Arc<dyn System> =
            if round % 3 == 0 { Arc::clone(&left) } else { Arc::new(graph(&mut rng, many)) };
        let internal = elnath::compare::internal_labels(None);
        for (name, relation) in Relation::NAMES {
            for direction in [Direction::Equivalence, Direction::Preorder] {
                let what = format!("round {round}, {name}, {direction:?}");
                let report = Compare::systems(Arc::clone(&left), Arc::clone(&right))
                    .relation(relation)
                    .direction(direction)
                    .run()
                    .expect("every relation is decided");
                let sides = if begins_with_a_side(relation, direction) { 2 } else { 1 };
                let mut attacker_wins = false;
                for side in 0..sides {
                    let mut arena = Arena::new([&*left, &*right], relation, direction, side, &internal);
                    let start = granted(|budget| arena.start(budget)).expect("enough is granted");
                    attacker_wins |= granted(|budget| arena.winner(start, WORK, budget)) == Winner::Attacker;
                    places += bear_out(&mut arena, start, &what);
                }
                match report.verdict() {
                    Verdict::Holds(_) => related += 1,
                    Verdict::Fails(_) => different += 1,
                    Verdict::Unknown(limit) => panic!("{what}: {limit:?}"),
                }
                assert_eq!(attacker_wins, matches!(report.verdict(), Verdict::Fails(_)), "{what}");
            }
        }
    }
    assert!(related > 200 && different > 200 && places > 4000, "{related} {different} {places}");
}

#[test]
fn the_formula_grows_with_the_play() {
    // a.(b + c) against a.b + a.c
    let (mut left, mut right) = (Builder::new(), Builder::new());
    for (from, label, to) in [(0, "a", 1), (1, "b", 2), (1, "c", 2)] {
        left.add(from, label, to);
    }
    for (from, label, to) in [(0, "a", 1), (0, "a", 2), (1, "b", 3), (2, "c", 3)] {
        right.add(from, label, to);
    }
    let (left, right) = (left.finish(0), right.finish(0));
    let internal = elnath::compare::internal_labels(None);
    let mut arena = Arena::new([&left, &right], Relation::Strong, Direction::Equivalence, 0, &internal);
    let mut place = granted(|budget| arena.start(budget)).expect("it begins");
    let mut played = Vec::new();
    let mut formulas = Vec::new();
    loop {
        let best = granted(|budget| arena.winning_attack(place, WORK, budget)).expect("the attacker wins");
        let attack = granted(|budget| arena.attacks(place, budget)).expect("attacks").swap_remove(best);
        let answers = granted(|budget| arena.answers(place, &attack, budget)).expect("answers");
        played.push(elnath::compare::play::Round { attack, before: false });
        formulas.push(arena.formula(&played, answers.is_empty()));
        let Some(answer) = answers.first() else { break };
        let Sequel::At(next) = answer.then else { panic!("nothing is disputed in strong bisimulation") };
        place = next;
    }
    assert_eq!(formulas.len(), 2, "{formulas:?}");
    assert!(formulas[0] == "<\"a\">…" || formulas[0] == "not <\"a\">…", "{formulas:?}");
    assert!(formulas[1].ends_with("true") && formulas[1].contains("<\"a\">"), "{formulas:?}");
}
