//! LOTOS: the engine on terms, the flattened one and that of programs against a naive interpreter that was written apart from them, on random
//! specifications.
//!
//! The graphs are put side by side, and their initial states must be strongly bisimilar, where states that have ended are told from
//! deadlocks. The interpreter keeps no normal form, so that its graph is the larger one.

mod behaviour;
mod equations;
mod naive;
mod random;

use super::Part;
use crate::trial::{Trial, counts};
use behaviour::{Behaviour, KINDS};
use elnath_kernel::rng::Rng;
use elnath_kernel::{Successors, System};
use elnath_lotos::{Aliasing, Flattened, LotosSystem, NotFlat, Programmed};
use elnath_source::{SourceText, codes};
use equations::Answers;
use naive::Unknown;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex};

pub(super) const PARTS: &[Part] = &[
    Part {
        name: "behaviours",
        meaning: "random specifications against a naive interpreter",
        run: behaviours,
    },
    Part { name: "renaming", meaning: "the same with gates renamed as in the standard", run: renaming },
    Part {
        name: "equations",
        meaning: "random equations: decision trees against the first equation that matches",
        run: equations,
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
/// Terms are in a normal form, and the interpreter's are not.
const MOST_OF_TERMS: usize = 2 * MOST;
/// Units remember more than terms: what can no longer happen is in their states, too.
const MOST_OF_UNITS: usize = 100 * MOST;

fn behaviours(trial: &mut Trial<'_>) {
    compared(trial, Aliasing::Cadp);
}

fn renaming(trial: &mut Trial<'_>) {
    compared(trial, Aliasing::Iso);
}

/// The values of terms, and what has none.
fn equations(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { values, undefined, twice, premises, constants }
    }
    let seen = trial.cases(0..1500, |case, seen: &mut Seen| {
        let system = equations::System::random(&mut Rng::new(case.seed));
        let text = case.keep(system.text());
        let Some(expected) = system.answers() else { return Err("with a term that takes too much") };
        let terms = read(&text, Aliasing::Cadp).expect("nothing is evaluated at the start");
        let (describe, mut stepper) = (terms.describe(), terms.stepper());
        let (mut state, mut successors) = (Vec::new(), Successors::default());
        stepper.initial(&mut state);
        stepper.successors(&state, &mut successors);
        let mut found = Answers::default();
        for next in successors.iter() {
            match next.fault {
                None => found.labels.push(describe.action_name(stepper.action(&state, next.transition))),
                Some(fault) => {
                    let name = describe.fault_name(fault);
                    let call = name.split("no equation applies to ").nth(1);
                    found.undefined.push(call.unwrap_or(&name).to_owned());
                }
            }
        }
        found.labels.sort();
        found.undefined.sort();
        assert_eq!(found, expected, "seed {}\n{text}", case.seed);
        seen.values += expected.labels.len() as u64;
        seen.undefined += expected.undefined.len() as u64;
        let [twice, premises, constants] = system.has();
        seen.twice += u64::from(twice);
        seen.premises += u64::from(premises);
        seen.constants += u64::from(constants);
        Ok(())
    });
    trial.enough(seen.values > 0 && seen.undefined > 0, "terms with a value, and without one");
    trial.enough(
        seen.twice > 0 && seen.premises > 0 && seen.constants > 0,
        "variables that occur twice, premises, and constants on left sides",
    );
    let compared = trial.compared();
    trial.enough(compared * 10 >= trial.asked() * 8, format!("only {compared} systems were compared"));
}

fn compared(trial: &mut Trial<'_>, aliasing: Aliasing) {
    counts! {
        struct Seen {
            states, deadlocks, ended, recursive, endless, depth_five, aliased, flattened, flat_states, bounded, programs,
            program_states
        }
    }
    let matrix = Mutex::new(Matrix::default());
    let refused = Mutex::new(BTreeMap::<String, u64>::new());
    let seen = trial.cases(0..1500, |case, seen: &mut Seen| {
        let mut specification = random::specification(&mut Rng::new(case.seed));
        specification.iso = aliasing == Aliasing::Iso;
        let text = case.keep(specification.text());
        let expected = match naive::graph(&specification, MOST) {
            Ok(graph) => graph,
            Err(Unknown::TooLarge) => return Err("with too many states"),
            Err(Unknown::Endless) => {
                seen.endless += 1;
                assert!(
                    read(&text, aliasing).is_none_or(
                        |terms| walked(&*terms, &text, MOST_OF_TERMS).is_err_and(Cut::is_given_up)
                    ),
                    "seed {}: recursion without end\n{text}",
                    case.seed
                );
                return Ok(());
            }
        };
        let given_up = || {
            if aliasing == Aliasing::Iso {
                return Err(
                    "that recurse without an action through renamed gates, on which the engine gives up",
                );
            }
            panic!("seed {}: the engine gives up, and the naive interpreter does not\n{text}", case.seed);
        };
        let Some(terms) = read(&text, aliasing) else { return given_up() };
        // Where control is not static, units may multiply without end, and terms are what is searched.
        let is_static = NotFlat::of(&terms).is_none();
        let flattened = is_static.then(|| Flattened::new(Arc::clone(&terms)));
        // Without parallel operators there is one process.
        let is_bounded = !matches!(NotFlat::of(&terms), Some(NotFlat::Grows { .. }));
        seen.bounded += u64::from(is_bounded);
        let program = match Programmed::new(Arc::clone(&terms)) {
            Ok(program) => Some(program),
            Err(why) => {
                if is_bounded {
                    *refused
                        .lock()
                        .expect("nobody panics while it is locked")
                        .entry(why.to_string())
                        .or_default() += 1;
                }
                None
            }
        };
        let walks = [
            Some(walked(&*terms, &text, MOST_OF_TERMS)),
            flattened.as_ref().map(|flattened| walked(flattened, &text, MOST_OF_UNITS)),
            program.as_ref().map(|program| walked(program, &text, MOST_OF_UNITS)),
        ];
        let mut graphs = [const { None }; 3];
        for (at, walk) in walks.into_iter().enumerate() {
            let Some(walk) = walk else { continue };
            match walk {
                Ok(graph) => graphs[at] = Some(graph),
                Err(Cut::GivenUp) => return given_up(),
                Err(Cut::TooLarge) => {
                    panic!("seed {}: more states than the naive interpreter lets expect\n{text}", case.seed)
                }
            }
        }
        let [Some(found), flat, by_program] = &graphs else { unreachable!("terms can always be walked") };
        for (engine, found) in
            [("terms", Some(found)), ("flattened", flat.as_ref()), ("program", by_program.as_ref())]
        {
            let Some(found) = found else { continue };
            assert!(bisimilar(&expected, found), "seed {} ({engine}):\n{text}", case.seed);
        }
        if let Some(flat) = flat {
            assert!(flat.edges.len() >= found.edges.len(), "terms identify more, never less\n{text}");
            seen.flat_states += flat.edges.len() as u64;
        }
        if let Some(by_program) = by_program {
            seen.programs += 1;
            seen.program_states += by_program.edges.len() as u64;
        }
        seen.flattened += u64::from(is_static);
        if aliasing == Aliasing::Iso {
            let replaced = read(&text, Aliasing::Cadp)
                .and_then(|replaced| walked(&*replaced, &text, MOST_OF_UNITS).ok());
            seen.aliased += u64::from(replaced.is_some_and(|replaced| !bisimilar(&replaced, found)));
        }
        seen.states += found.edges.len() as u64;
        let stuck =
            found.edges.iter().zip(&found.ended).filter(|(edges, ended)| edges.is_empty() && !**ended);
        seen.deadlocks += u64::from(stuck.count() > 0);
        seen.ended += u64::from(found.ended.contains(&true));
        seen.recursive += u64::from(specification.is_recursive());
        let behaviours = specification.behaviours();
        seen.depth_five += u64::from(behaviours.iter().any(|one| one.depth() >= 5));
        let mut matrix = matrix.lock().expect("nobody panics while it is locked");
        behaviours.into_iter().for_each(|one| matrix.count(one));
        Ok(())
    });
    trial.enough(seen.deadlocks > 0 && seen.ended > 0, "specifications with deadlocks, and that end");
    trial.enough(seen.flattened > 0, "specifications with static control");
    trial.enough(
        seen.recursive > 0 && seen.depth_five > 0,
        "recursive processes, and operators nested five deep",
    );
    trial.enough(
        aliasing == Aliasing::Cadp || seen.aliased > 0,
        "specifications that mean another thing in CADP",
    );
    // An engine that gave up on everything would otherwise never be wrong.
    let compared = trial.compared();
    trial.enough(compared * 10 >= trial.asked() * 9, format!("only {compared} specifications were compared"));
    let (programs, bounded) = (seen.programs, seen.bounded);
    trial.say(&format!("{programs} of {bounded} specifications with static control became programs"));
    for (why, count) in refused.into_inner().expect("nobody panicked") {
        trial.say(&format!("{count:6} no program: {why}"));
    }
    trial.enough(aliasing == Aliasing::Iso || 3 * programs >= bounded, "specifications that become programs");
    let matrix = matrix.into_inner().expect("nobody panicked");
    trial.say(&matrix.to_string());
    let missing = matrix.missing();
    trial.enough(missing.is_empty(), format!("every operator in every other: {}", missing.join(", ")));
}

/// The text of a random specification.
pub(crate) fn random_text(seed: u64) -> String {
    random::specification(&mut Rng::new(seed)).text()
}

/// How often each operator was an operand of each other one, in specifications that were compared.
#[derive(Default)]
struct Matrix(BTreeMap<(&'static str, &'static str), u64>);

impl Matrix {
    fn count(&mut self, behaviour: &Behaviour) {
        for inner in behaviour.operands() {
            *self.0.entry((behaviour.kind(), inner.kind())).or_default() += 1;
            self.count(inner);
        }
    }

    fn cell(&self, outer: &'static str, inner: &'static str) -> u64 {
        self.0.get(&(outer, inner)).copied().unwrap_or(0)
    }

    fn outer() -> impl Iterator<Item = &'static str> {
        KINDS.into_iter().filter(|kind| behaviour::has_operands(kind))
    }

    /// The pairs that never occurred.
    fn missing(&self) -> Vec<String> {
        let pairs = Self::outer().flat_map(|outer| KINDS.into_iter().map(move |inner| (outer, inner)));
        let never = pairs.filter(|(outer, inner)| self.cell(outer, inner) == 0);
        never.map(|(outer, inner)| format!("no `{inner}` in `{outer}`")).collect()
    }
}

/// Rows are the outer operators, columns the inner ones.
impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:8}", "")?;
        KINDS.iter().try_for_each(|inner| write!(f, " {inner:>8}"))?;
        for outer in Self::outer() {
            write!(f, "\n{outer:8}")?;
            KINDS.into_iter().try_for_each(|inner| write!(f, " {:>8}", self.cell(outer, inner)))?;
        }
        Ok(())
    }
}

/// A specification; none if its first state is given up.
fn read(text: &str, aliasing: Aliasing) -> Option<Arc<LotosSystem>> {
    let source = SourceText::new("random.lotos", text);
    match elnath_lotos::read_as(source, &|_| None, &[], aliasing, &[]) {
        Ok((system, _)) => Some(Arc::new(system)),
        Err(messages) if messages.iter().all(|message| message.code == Some(codes::FAULT_AT_START)) => None,
        Err(messages) => {
            panic!("{}\n{text}", messages.iter().map(|message| format!("{message}\n")).collect::<String>())
        }
    }
}

/// Why a walk did not come to its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    GivenUp,
    TooLarge,
}

impl Cut {
    fn is_given_up(self) -> bool {
        self == Cut::GivenUp
    }
}

/// The graph that an engine finds, or a part of it that is too large; none if it gives up.
fn walked(system: &dyn System, text: &str, most: usize) -> Result<Graph, Cut> {
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
        if states.len() > most {
            return Err(Cut::TooLarge);
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
                return Err(Cut::GivenUp);
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
    Ok(graph)
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

/// Specifications of our own, which texts are made of besides random ones.
const SEEDS: [&str; 9] = [
    include_str!("../../../../../examples/lotos/alternating-bit.lotos"),
    include_str!("../../../../../examples/lotos/datalink.lotos"),
    include_str!("../../../../../examples/lotos/multicast.lotos"),
    include_str!("../../../../../examples/lotos/stack.lotos"),
    include_str!("../../../../../examples/lotos/token-ring.lotos"),
    include_str!("../../../../../tests/cases/lotos/actualised-type.lotos"),
    include_str!("../../../../../tests/cases/lotos/renamed-type.lotos"),
    include_str!("../../../../../tests/cases/lotos/integers.lotos"),
    include_str!("../../../../../tests/cases/lotos/local-definitions.lotos"),
];

/// Words and signs that change how a text is read.
const WORDS: [&str; 22] = [
    "(*",
    "*)",
    "(*! constructor *)",
    "(*! external *)",
    "[",
    "]|",
    "|[",
    "(",
    ")",
    ">>",
    "[>",
    "=>",
    "endtype",
    "endproc",
    "where",
    "library",
    "endlib",
    "is",
    "of",
    "\u{e9}",
    "\"",
    "\0",
];

/// A text that is one of ours with small changes: words and bytes are left out, doubled, exchanged and taken from another.
fn changed(rng: &mut Rng) -> String {
    let pick = |rng: &mut Rng| {
        if rng.chance(50) { random::specification(rng).text() } else { rng.pick(&SEEDS).to_owned() }
    };
    let (text, other) = (pick(rng), pick(rng));
    let split = [' ', '\n', ';', '[', ']', '(', ')', ','];
    let mut words: Vec<&str> = text.split_inclusive(split).collect();
    let others: Vec<&str> = other.split_inclusive(split).collect();
    let most = rng.pick(&[1, 1, 6]);
    for _ in 0..1 + rng.below(most) {
        let at = rng.below(words.len() as u64) as usize;
        let second = rng.below(words.len() as u64) as usize;
        let foreign = rng.below(others.len() as u64) as usize;
        match rng.below(9) {
            0 if words.len() > 1 => _ = words.remove(at),
            0 | 1 => words.insert(at, words[second]),
            2 => words.swap(at, second),
            3 => words.insert(at, others[foreign]),
            4 => words.insert(at, WORDS[rng.below(WORDS.len() as u64) as usize]),
            5 => {
                let end = (foreign + 1 + rng.below(30) as usize).min(others.len());
                words.splice(at..at, others[foreign..end].iter().copied());
            }
            6 => {
                let end = (at + 1 + rng.below(20) as usize).min(words.len());
                words.drain(at..end);
                words.push(" ");
            }
            7 => words.truncate(at + 1),
            _ => (0..rng.below(400)).for_each(|_| words.insert(at, "(")),
        }
    }
    let mut text = words.concat();
    for _ in 0..rng.below(3) {
        let at = rng.below(text.len() as u64 + 1) as usize;
        if text.is_char_boundary(at) {
            text.insert(at, char::from(32 + rng.below(95) as u8));
        }
    }
    text
}

/// Any text must be read, and then it can be walked, or complained about with places.
fn texts(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { read, broken }
    }
    let seen = trial.cases(0..600, |case, seen: &mut Seen| {
        let mut rng = Rng::new(case.seed);
        let text = case.keep(changed(&mut rng));
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
