//! Every engine on random games, beside the definition: fixpoints iterated over all vertices. What an engine gives as evidence is checked by code that shares nothing
//! with it.

mod games;

use elnath_kernel::rng::Rng;
use elnath_solve::below::{Turn, Whole};
use elnath_solve::blocks::Blocks;
use elnath_solve::conjunctive::{Conjunctive, Marked, by_marks};
use elnath_solve::growing::Growing;
use elnath_solve::proof::{Flaw, Proof, find};
use elnath_solve::restart::Restart;
use elnath_solve::shortest::Shortest;
use elnath_solve::watched::Watched;
use elnath_solve::{Account, Needs, Order, Refutations, Rule, of_one_block, of_plain};
use games::{Flat, General, Name, Plain, Spent};
use std::collections::{BTreeMap, HashSet};

const SEEDS: u64 = 4_000;

/// Whether a refutation stands: every refuted vertex has a failed obligation, all of whose candidates have a vertex that was refuted before.
fn stands(game: &General, root: Name, refutations: &impl Refutations<Name>) -> bool {
    let (mut todo, mut seen) = (vec![root], HashSet::new());
    while let Some(vertex) = todo.pop() {
        if !seen.insert(vertex) {
            continue;
        }
        let Some(why) = refutations.refuted(vertex) else { return false };
        let Some(failed) = game.obligations.get(&(vertex, why.code)) else { return false };
        for candidate in failed.iter().flatten() {
            let earlier = |met: &Name| refutations.refuted(*met).is_some_and(|other| other.stamp < why.stamp);
            let Some(met) = candidate.vertices().find(earlier) else { return false };
            todo.push(met);
        }
    }
    true
}

/// After how many exchanges a refutation is over.
fn depth(game: &General, root: Name, refutations: &impl Refutations<Name>) -> u32 {
    let why = refutations.refuted(root).expect("it is refuted");
    let of_candidate = |candidate: &elnath_solve::Candidate<Name>| {
        let earlier = |met: &Name| refutations.refuted(*met).is_some_and(|other| other.stamp < why.stamp);
        candidate
            .vertices()
            .filter(earlier)
            .map(|met| depth(game, met, refutations))
            .min()
            .expect("it stands")
    };
    1 + game.obligations[&(root, why.code)].iter().flatten().map(of_candidate).max().unwrap_or(0)
}

#[test]
fn games_of_one_block_have_the_value_of_the_fixpoint() {
    let (mut refuted, mut held, mut gave_up, mut chains) = (0, 0, 0, 0);
    for seed in 0..SEEDS {
        let mut game = General::random(&mut Rng::new(seed));
        let (cycle, ranks) = (game.cycle, game.ranks());
        let root = game.vertices[0];
        let wanted = !ranks.contains_key(&root);
        for engine in of_one_block::<General>() {
            let Ok(found) = (engine.solve)(&mut game, root);
            match found {
                Some(value) => assert_eq!(value == cycle, wanted, "{}, seed {seed}: {game:?}", engine.name),
                None => {
                    assert_eq!(engine.needs, Needs::NoChoice, "seed {seed}");
                    gave_up += 1;
                }
            }
        }
        for order in [Order::ShallowFirst, Order::DepthFirst, Order::BreadthFirst] {
            let mut solver = Watched::new(cycle, order);
            // In turns as short as there are.
            let turn = loop {
                let until = game.spent() + 1;
                let Ok(turn) = solver.solve(&mut game, &Whole, root, until);
                if turn != Turn::Paused {
                    break turn;
                }
            };
            assert_eq!(turn.holds(), Some(wanted), "watched {order:?}, seed {seed}: {game:?}");
            for &vertex in &game.vertices {
                if let Some(value) = solver.value(vertex) {
                    assert_eq!(
                        value == cycle,
                        !ranks.contains_key(&vertex),
                        "{order:?}, seed {seed}: {game:?}"
                    );
                }
            }
            assert!(wanted || stands(&game, root, &solver), "watched {order:?}, seed {seed}: {game:?}");
        }
        let mut shortest = Shortest::new(cycle, None);
        let Ok(_) = shortest.solve(&mut game, root, u64::MAX);
        let mut cache = Restart::new(cycle, Some(16));
        let Ok(holds) = cache.solve(&mut game, root);
        assert_eq!(holds, wanted, "restart with a cache, seed {seed}: {game:?}");
        if wanted {
            held += 1;
        } else {
            refuted += 1;
            assert!(stands(&game, root, &shortest) && stands(&game, root, &cache), "seed {seed}: {game:?}");
            assert_eq!(depth(&game, root, &shortest), ranks[&root], "seed {seed}: {game:?}");
            let mut within = Shortest::new(cycle, Some(&cache));
            let Ok(turn) = within.solve(&mut game, root, u64::MAX);
            assert!(turn == Turn::Refuted && stands(&game, root, &within), "seed {seed}: {game:?}");
        }
        let mut walk = Conjunctive::new(cycle, Order::BreadthFirst);
        let Ok(turn) = walk.solve(&mut game, &Whole, root, u64::MAX);
        let mut marks = HashSet::new();
        let Ok((marked, _)) = by_marks(&mut game, root, cycle, |vertex| Ok(marks.insert(vertex)), 0);
        match (turn, marked) {
            // Depth first the choice may be met where breadth first a failing vertex is, and the other way round.
            (Turn::Choice, _) | (_, Marked::Choice) => {}
            (Turn::Refuted, Marked::Refuted(chain)) => {
                assert!(stands(&game, root, &chain), "seed {seed}: {game:?}");
                chains += 1;
            }
            (Turn::Holds, Marked::Holds) => {}
            (turn, _) => panic!("with a table {turn:?}, with marks otherwise, seed {seed}: {game:?}"),
        }
        if let Some(chain) = walk.chain() {
            assert!(stands(&game, root, &chain), "seed {seed}: {game:?}");
        }
    }
    assert!(refuted > SEEDS / 8 && held > SEEDS / 8 && gave_up > SEEDS / 8 && chains > SEEDS / 50);
}

/// Pairs of a relation are no plain vertices; with a vertex for each obligation and each candidate they are, and then parity games and proofs
/// are about them too.
#[test]
fn games_of_one_block_are_parity_games() {
    let mut proved = 0;
    for seed in 0..SEEDS {
        let mut game = General::random(&mut Rng::new(seed));
        let (cycle, root) = (game.cycle, game.vertices[0]);
        let wanted = game.ranks().contains_key(&root) != cycle;
        let mut flat = Flat::of(&game);
        let root_of_flat = flat.root;
        for engine in of_plain::<Plain>() {
            let Ok(found) = (engine.solve)(&mut flat.game, root_of_flat);
            assert_eq!(found, Some(wanted), "{}, seed {seed}: {game:?}", engine.name);
        }
        let mut solver = Watched::new(cycle, Order::default());
        let Ok(turn) = solver.solve(&mut game, &Whole, root, u64::MAX);
        if turn == Turn::Refuted {
            let proof = flat.proof(&game, root, &solver);
            let Ok(checked) = proof.check(&mut flat.game);
            assert_eq!(checked, Ok(()), "seed {seed}: {game:?}");
            proved += 1;
        }
    }
    assert!(proved > SEEDS / 8, "{proved} refutations are proofs");
}

#[test]
fn plain_games_have_the_value_of_the_fixpoint() {
    let (mut by_rule, mut alternating, mut changed) = (BTreeMap::<String, u64>::new(), 0, 0);
    for seed in 0..SEEDS {
        let mut rng = Rng::new(seed);
        let mut game = Plain::random(&mut rng, 5);
        let (wanted, count) = (game.values(), game.vertices.len() as u32);
        let alternates = game.layers.iter().any(|layer| layer.rule == Rule::Alternating);
        alternating += u64::from(alternates);
        for layer in &game.layers {
            *by_rule.entry(format!("{:?}", layer.rule)).or_default() += 1;
        }
        let mut blocks = Blocks::default();
        // The same solver is asked for one vertex after the other, in any order.
        let first = rng.below(u64::from(count)) as u32;
        for root in (0..count).map(|at| (at + first) % count) {
            let value = wanted[root as usize];
            for engine in of_plain::<Plain>() {
                if engine.needs == Needs::NoAlternation && alternates {
                    continue;
                }
                let Ok(found) = (engine.solve)(&mut game, root);
                assert_eq!(found, Some(value), "{}, vertex {root}, seed {seed}: {game:?}", engine.name);
            }
            if let [layer] = game.layers[..]
                && !matches!(layer.rule, Rule::Once | Rule::Alternating)
            {
                for engine in of_one_block::<Plain>() {
                    let Ok(found) = (engine.solve)(&mut game, root);
                    assert!(
                        found.is_none_or(|found| found == value),
                        "{}, seed {seed}: {game:?}",
                        engine.name
                    );
                }
            }
            if !alternates {
                let Ok(found) = blocks.solve(&mut game, root);
                assert_eq!(found, value, "blocks, vertex {root}, seed {seed}: {game:?}");
                for vertex in 0..count {
                    let known = blocks.value(&game, vertex);
                    assert!(
                        known.is_none_or(|known| known == wanted[vertex as usize]),
                        "seed {seed}: {game:?}"
                    );
                }
                let made = |game: &Plain, vertex: u32| blocks.was_met(game, vertex);
                changed += u64::from(proved(&mut game, root, value, made, &mut rng, seed));
            }
            let mut growing = Growing::default();
            let Ok(found) = growing.solve(&mut game, root);
            assert_eq!(found, value, "growing, vertex {root}, seed {seed}: {game:?}");
            let made = |_: &Plain, vertex: u32| growing.was_made(vertex);
            changed += u64::from(proved(&mut game, root, value, made, &mut rng, seed));
        }
    }
    assert!(by_rule.len() == 8 && by_rule.values().all(|&count| count > SEEDS / 20), "{by_rule:?}");
    assert!(alternating > SEEDS / 8 && changed > SEEDS);
}

/// Games that are solved several times while they grow, before they are complete.
#[test]
fn large_games_have_the_value_of_the_fixpoint() {
    let (mut partly, mut held) = (0, 0);
    for seed in 0..200 {
        let mut game = Plain::random(&mut Rng::new(seed), 500);
        let wanted = game.values();
        let count = game.vertices.len();
        let alternates = game.layers.iter().any(|layer| layer.rule == Rule::Alternating);
        for root in [count as u32 - 1, count as u32 / 2] {
            let value = wanted[root as usize];
            let mut growing = Growing::default();
            let Ok(found) = growing.solve(&mut game, root);
            assert_eq!(found, value, "growing, vertex {root}, seed {seed}");
            partly += u64::from(growing.solved > 1);
            held += u64::from(value);
            if !alternates {
                let Ok(found) = Blocks::default().solve(&mut game, root);
                assert_eq!(found, value, "blocks, vertex {root}, seed {seed}");
            }
        }
    }
    assert!(partly > 80 && (40..360).contains(&held), "{partly} solved more than once, {held} hold");
}

/// Finds a proof among what was made, checks it, and has a changed one checked. Whether one was changed.
fn proved(
    game: &mut Plain,
    root: u32,
    value: bool,
    made: impl Fn(&Plain, u32) -> bool,
    rng: &mut Rng,
    seed: u64,
) -> bool {
    // What was made of a block that was walked breadth first is the way, and what it rests on: the whole game has a proof in any case.
    let everything = |_: &Plain, _: u32| true;
    let Ok(found) = match made(game, root) && rng.chance(50) {
        true if game.layers.iter().all(|layer| layer.rule == Rule::Alternating) => {
            find(game, root, value, made, 100)
        }
        _ => find(game, root, value, everything, 100),
    };
    let proof = found.expect("there are fewer vertices");
    let Ok(checked) = proof.check(game);
    assert_eq!(checked, Ok(()), "vertex {root}, seed {seed}: {game:?}");
    // The other value is not proved by the same vertices.
    let other = Proof { value: !proof.value, ..proof.clone() };
    let Ok(checked) = other.check(game);
    assert!(
        matches!(checked, Err(Flaw::Value(_) | Flaw::Missing(_) | Flaw::Cycle(_))),
        "seed {seed}: {game:?}"
    );
    // Nor is anything proved if a vertex is left out.
    let mut less = proof.clone();
    if less.vertices.len() < 2 {
        return false;
    }
    let at = 1 + rng.below(less.vertices.len() as u64 - 1) as usize;
    less.vertices.remove(at);
    let Ok(checked) = less.check(game);
    assert!(matches!(checked, Err(Flaw::Missing(_))), "seed {seed}: {game:?}");
    true
}

/// An engine stops where its account is empty, and says so.
#[test]
fn an_empty_account_stops_every_engine() {
    let mut stopped = 0;
    for seed in 0..200 {
        let mut game = games::Limited { game: Plain::random(&mut Rng::new(seed), 5), left: 0 };
        let alternates = game.game.layers.iter().any(|layer| layer.rule == Rule::Alternating);
        for engine in of_plain::<games::Limited>() {
            if engine.needs == Needs::NoAlternation && alternates {
                continue;
            }
            let unlimited = game.game.values()[0];
            for left in 0..40 {
                game.left = left;
                match (engine.solve)(&mut game, 0) {
                    Ok(found) => assert_eq!(found, Some(unlimited), "{}, seed {seed}", engine.name),
                    Err(Spent) => stopped += 1,
                }
            }
        }
    }
    assert!(stopped > 200, "{stopped}");
}
