//! LOTOS: the engine on terms and the flattened one against a naive interpreter that was written apart from both, on random specifications.
//!
//! The graphs are put side by side, and their initial states must be strongly bisimilar, where states that have ended are told from
//! deadlocks. The interpreter keeps no normal form, so that its graph is the larger one.

mod behaviour;
mod naive;
mod random;

use super::Part;
use crate::trial::{Trial, counts};
use behaviour::{Behaviour, KINDS};
use elnath_kernel::rng::Rng;
use elnath_kernel::{Successors, System};
use elnath_lotos::{Flattened, LotosSystem, NotFlat};
use elnath_source::{SourceText, codes};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

pub(super) const PARTS: &[Part] = &[
    Part {
        name: "behaviours",
        meaning: "random specifications against a naive interpreter",
        run: behaviours,
    },
    Part { name: "texts", meaning: "any text is a specification, or is complained about", run: texts },
];

/// States with their edges; the first is the initial one.
#[derive(Default)]
pub(crate) struct Graph {
    pub(crate) edges: Vec<Vec<(String, usize)>>,
    /// Whether each has ended.
    pub(crate) ended: Vec<bool>,
}

/// Larger ones are left out.
const MOST: usize = 600;

fn behaviours(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { states, deadlocks, ended, recursive, flattened, flat_states }
    }
    let seen = trial.cases(0..600, |case, seen: &mut Seen| {
        let specification = random::specification(&mut Rng::new(case.seed));
        let text = case.keep(specification.text());
        let Some(expected) = naive::graph(&specification, MOST) else {
            return Err("the naive interpreter finds too many states, or endless recursion");
        };
        let Some(terms) = read(&text) else {
            return Err("the first state is given up");
        };
        let flattened = Flattened::new(Arc::clone(&terms));
        let (Some(found), Some(flat)) = (walked(&*terms, &text), walked(&flattened, &text)) else {
            return Err("the engine gives up on recursion without an action");
        };
        for (engine, found) in [("terms", &found), ("flattened", &flat)] {
            assert!(
                found.edges.len() <= 2 * MOST,
                "seed {}: more states than the naive interpreter finds ({engine})\n{text}",
                case.seed
            );
            assert!(bisimilar(&expected, found), "seed {} ({engine}):\n{text}", case.seed);
        }
        assert!(flat.edges.len() >= found.edges.len(), "terms identify more, never less\n{text}");
        seen.flattened += u64::from(NotFlat::of(&terms).is_none());
        seen.flat_states += flat.edges.len() as u64;
        seen.states += found.edges.len() as u64;
        let stuck =
            found.edges.iter().zip(&found.ended).filter(|(edges, ended)| edges.is_empty() && !**ended);
        seen.deadlocks += u64::from(stuck.count() > 0);
        seen.ended += u64::from(found.ended.contains(&true));
        seen.recursive += u64::from(specification.is_recursive());
        Ok(())
    });
    trial.enough(seen.deadlocks > 0 && seen.ended > 0, "specifications with deadlocks, and that end");
    trial.enough(seen.recursive > 0, "recursive processes");
    trial.enough(seen.flattened > 0, "specifications with static control");
    let matrix = matrix(0..600);
    let missing: Vec<String> = KINDS
        .iter()
        .flat_map(|outer| KINDS.iter().map(move |inner| (*outer, *inner)))
        .filter(|(outer, inner)| behaviour::has_operands(outer) && !matrix.contains_key(&(*outer, *inner)))
        .map(|(outer, inner)| format!("{inner} in {outer}"))
        .collect();
    trial.enough(
        missing.is_empty(),
        format!("every operator within every other (missing: {})", missing.join(", ")),
    );
}

/// How often each operator stands within each other.
fn matrix(seeds: std::ops::Range<u64>) -> BTreeMap<(&'static str, &'static str), u64> {
    let mut matrix = BTreeMap::new();
    for seed in seeds {
        for behaviour in random::specification(&mut Rng::new(seed)).behaviours() {
            count_pairs(behaviour, &mut matrix);
        }
    }
    matrix
}

fn count_pairs(behaviour: &Behaviour, matrix: &mut BTreeMap<(&'static str, &'static str), u64>) {
    for inner in behaviour.operands() {
        *matrix.entry((behaviour.kind(), inner.kind())).or_default() += 1;
        count_pairs(inner, matrix);
    }
}

/// A specification; none if its first state is given up.
fn read(text: &str) -> Option<Arc<LotosSystem>> {
    match elnath_lotos::read(SourceText::new("random.lotos", text), &|_| None, &[]) {
        Ok((system, _)) => Some(Arc::new(system)),
        Err(messages) if messages.iter().all(|message| message.code == Some(codes::FAULT_AT_START)) => None,
        Err(messages) => {
            panic!("{}\n{text}", messages.iter().map(|message| format!("{message}\n")).collect::<String>())
        }
    }
}

/// The graph that an engine finds, or a part of it that is too large; none if it gives up.
fn walked(system: &dyn System, text: &str) -> Option<Graph> {
    let describe = system.describe();
    // Every state is made by one stepper and expanded by another, which knows nothing but its bytes.
    let mut steppers = [system.stepper(), system.stepper()];
    let mut initial = Vec::new();
    steppers[0].initial(&mut initial);
    let mut numbers = HashMap::from([(initial.clone(), 0)]);
    let mut states = vec![initial];
    let mut graph = Graph::default();
    let (mut successors, mut again) = (Successors::default(), Successors::default());
    let mut at = 0;
    while at < states.len() {
        if states.len() > 2 * MOST {
            break;
        }
        let state = states[at].clone();
        let [first, second] = &mut steppers;
        let stepper = if at % 2 == 0 { second } else { first };
        stepper.successors(&state, &mut successors);
        again.fire_all(stepper.as_mut(), &state);
        let mut edges = Vec::new();
        for (next, other) in successors.iter().zip(again.iter()) {
            assert_eq!((next.transition, next.state), (other.transition, other.state));
            if next.fault.is_some_and(|fault| describe.gave_up(fault)) {
                return None;
            }
            assert!(next.fault.is_none(), "{:?}\n{text}", next.fault.map(|fault| describe.fault_name(fault)));
            let label = describe.action_name(stepper.action(&state, next.transition));
            let number = states.len();
            let to = *numbers.entry(next.state.to_vec()).or_insert_with(|| {
                states.push(next.state.to_vec());
                number
            });
            edges.push((label, to));
        }
        assert!(!describe.show_state(&state).is_empty());
        graph.ended.push(stepper.may_end(&state));
        graph.edges.push(edges);
        at += 1;
    }
    Some(graph)
}

/// The labels of edges with the colours of the states that they lead to.
type Seen<'a> = BTreeSet<(&'a str, usize)>;

/// Whether the initial states of two graphs are strongly bisimilar: colours are refined until they stay.
fn bisimilar(one: &Graph, other: &Graph) -> bool {
    let first = one.edges.len();
    let edges: Vec<Vec<(&str, usize)>> = one
        .edges
        .iter()
        .map(|edges| edges.iter().map(|(label, to)| (label.as_str(), *to)).collect())
        .chain(
            other
                .edges
                .iter()
                .map(|edges| edges.iter().map(|(label, to)| (label.as_str(), first + to)).collect()),
        )
        .collect();
    let mut colours: Vec<usize> =
        one.ended.iter().chain(&other.ended).map(|&ended| usize::from(ended)).collect();
    let mut count = 0;
    loop {
        let mut known: HashMap<(usize, Seen<'_>), usize> = HashMap::new();
        let next: Vec<usize> = edges
            .iter()
            .zip(&colours)
            .map(|(edges, &colour)| {
                let seen = edges.iter().map(|&(label, to)| (label, colours[to])).collect();
                let new = known.len();
                *known.entry((colour, seen)).or_insert(new)
            })
            .collect();
        colours = next;
        if known.len() == count {
            return colours[0] == colours[first];
        }
        count = known.len();
    }
}

/// Words are left out, doubled and exchanged; what is read must walk, and what is not must be complained about with places.
fn texts(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { read, broken }
    }
    let seen = trial.cases(0..600, |case, seen: &mut Seen| {
        let mut rng = Rng::new(case.seed);
        let text = random::specification(&mut rng).text();
        let mut words: Vec<&str> = text.split_inclusive([' ', '\n', ';', '[', ']', '(', ')']).collect();
        for _ in 0..1 + rng.below(3) {
            let at = rng.below(words.len() as u64) as usize;
            let other = rng.below(words.len() as u64) as usize;
            match rng.below(3) {
                0 => _ = words.remove(at),
                1 => words.insert(at, words[other]),
                _ => words.swap(at, other),
            }
        }
        let text = case.keep(words.concat());
        match elnath_lotos::read(SourceText::new("random.lotos", &text), &|_| None, &[]) {
            Ok((system, _)) => {
                seen.read += 1;
                let system: &dyn System = &system;
                let (mut stepper, mut state, mut successors) =
                    (system.stepper(), Vec::new(), Successors::default());
                stepper.initial(&mut state);
                for _ in 0..20 {
                    stepper.successors(&state, &mut successors);
                    if successors.is_empty() {
                        break;
                    }
                    state = successors.get(rng.below(successors.len() as u64) as usize).state.to_vec();
                }
            }
            Err(messages) => {
                seen.broken += 1;
                assert!(!messages.is_empty(), "{text}");
                for message in messages {
                    let without = message.code == Some(codes::FAULT_AT_START);
                    assert!(
                        message.code.is_some() && (without || message.place.is_some()),
                        "{message}\n{text}"
                    );
                }
            }
        }
        Ok(())
    });
    trial.enough(seen.read > 0 && seen.broken > 0, "texts that are read, and texts that are not");
}
