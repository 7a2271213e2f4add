//! Petri nets: markings in bits against lists of numbers, with right and wrong guesses about how many tokens there are; properties and
//! bounds against their definitions on all markings; and the nets of the Model Checking Contest, whose answers are known.

mod naive;
mod random;

use super::Part;
use crate::trial::{Trial, counts};
use elnath::{LoadOptions, Loaded, NetBounds, NetProperties, NetReport, Verdict};
use elnath_kernel::rng::Rng;
use elnath_kernel::{Stepper, Successors, System, Transition};
use elnath_petri::predicate::PlainMarking;
use elnath_petri::{PetriNet, PetriSystem, pnml, proposition};
use elnath_source::SourceText;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

pub(super) const PARTS: &[Part] = &[
    Part {
        name: "markings",
        meaning: "states in bits, with right and wrong guesses, against markings as lists",
        run: markings,
    },
    Part {
        name: "properties",
        meaning: "random formulas of CTL and bounds, as files of the contest, against fixpoints of sets",
        run: properties,
    },
    Part {
        name: "coverability",
        meaning: "which places grow for ever, and the bounds of the others, against all markings",
        run: coverability,
    },
    Part { name: "texts", meaning: "any text is a net, or is complained about", run: texts },
    Part {
        name: "sample",
        meaning: "small nets of our own with all files and examinations of the contest (`tests/cases/contest`), with answers by definition",
        run: sample,
    },
    Part {
        name: "contest",
        meaning: "figures and answers of the nets of the Model Checking Contest (`mcc` of the corpus)",
        run: contest,
    },
];

/// Larger ones are left out.
const MOST: usize = 3000;

fn read(text: &str) -> PetriNet {
    let (net, _) = pnml::read(&SourceText::new("random.pnml", text)).unwrap_or_else(|messages| {
        panic!("{}\n{text}", messages.iter().map(|message| format!("{message}\n")).collect::<String>())
    });
    net
}

fn markings(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { states, escaped, with_units }
    }
    let seen = trial.cases(0..1500, |case, seen: &mut Seen| {
        let mut rng = Rng::new(case.seed);
        let made = random::net(&mut rng);
        let net = read(&case.keep(made.text));
        let Some(expected) = naive::explore(&net, MOST) else { return Err("too many markings") };
        // What a walk suggests, and a guess that is often wrong.
        let guess: Vec<u32> = net.places.iter().map(|_| rng.below(3) as u32).collect();
        seen.with_units += u64::from(!net.units.is_empty());
        for system in [PetriSystem::new(net.clone()), PetriSystem::with_guess(net.clone(), guess)] {
            seen.escaped += same_graph(&net, &system, &expected, &mut rng);
            seen.states += expected.all.len() as u64;
        }
        Ok(())
    });
    trial.enough(
        seen.escaped > 0 && seen.with_units > 0,
        "markings that do not fit into the guess, and units",
    );
}

/// Walks a net in bits beside its markings as lists; how many states did not fit into the guess.
fn same_graph(net: &PetriNet, system: &PetriSystem, expected: &naive::Markings, rng: &mut Rng) -> u64 {
    // Propositions are looked at in each state, too.
    let place = |rng: &mut Rng| format!("tokens(p{})", rng.below(net.places.len() as u64));
    let texts = [
        format!(
            "{} + {} {} {}",
            place(rng),
            place(rng),
            rng.pick(&["<", "<=", ">", ">=", "==", "!="]),
            rng.below(4)
        ),
        format!("2 * {} - 1 {} {}", place(rng), rng.pick(&["<", "<=", ">", ">=", "==", "!="]), place(rng)),
        format!("fireable(t{})", rng.below(net.transitions.len() as u64)),
        "deadlock".to_owned(),
    ];
    let predicates = texts.map(|text| {
        let source = SourceText::new("proposition", text.as_str());
        let predicate =
            proposition(net, &source, 0..text.len()).unwrap_or_else(|message| panic!("{message}"));
        (text, predicate)
    });
    let system = system.with_propositions(predicates.to_vec());
    // States are made by one stepper and looked at by another, which knows nothing but their bytes.
    let mut steppers = [system.stepper(), system.stepper()];
    let mut state = Vec::new();
    steppers[0].initial(&mut state);
    let mut numbers: HashMap<Vec<u8>, usize> = HashMap::from([(state.clone(), 0)]);
    let mut bytes = vec![Some(state)];
    bytes.resize(expected.all.len(), None);
    let (mut successors, mut enabled, mut fired, mut escaped) =
        (Successors::default(), Vec::new(), Vec::new(), 0);
    for number in 0..expected.all.len() {
        // Breadth first, so that each is known when its turn comes.
        let state = bytes[number].clone().expect("it was reached");
        let marking = &expected.all[number];
        assert_eq!(system.marking(&state), *marking, "a state is the marking that it was made of");
        escaped += u64::from(state.len() != system.state_bytes());
        let [makes, looks] = &mut steppers;
        makes.successors(&state, &mut successors);
        looks.enabled(&state, &mut enabled);
        let order: Vec<Transition> = successors.iter().map(|successor| successor.transition).collect();
        assert_eq!(order, enabled, "the same transitions in the same order");
        let mut found: Vec<(u32, Vec<u8>)> = Vec::new();
        for successor in successors.iter() {
            looks.fire(&state, successor.transition, &mut fired).expect("few tokens");
            assert_eq!(fired, successor.state, "one by one as all at once");
            found.push((successor.transition.0 as u32, successor.state.to_vec()));
        }
        found.sort();
        assert_eq!(found.len(), expected.edges[number].len(), "as many transitions in {marking:?}");
        for ((t, to), (own, target)) in found.into_iter().zip(&expected.edges[number]) {
            assert_eq!(t, *own, "the same transitions in {marking:?}");
            let known = numbers.entry(to.clone()).or_insert(*target);
            assert_eq!(known, target, "equal bytes are equal markings");
            let before = bytes[*target].get_or_insert_with(|| to.clone());
            assert_eq!(*before, to, "equal markings are equal bytes");
        }
        let valuation = valuation(&mut **looks, &state);
        for (bit, (text, predicate)) in predicates.iter().enumerate() {
            let holds = predicate.holds(&PlainMarking(net, marking));
            assert_eq!(valuation >> bit & 1 == 1, holds, "{text} in {marking:?}");
        }
    }
    escaped
}

fn valuation(stepper: &mut dyn Stepper, state: &[u8]) -> u64 {
    stepper.propositions().expect("a net has propositions").valuation(state)
}

/// A folder of this process for files that the library reads.
struct Scratch(PathBuf);

impl Scratch {
    fn new(seed: u64, what: &str) -> Self {
        let path = std::env::temp_dir().join(format!("elnath-petri-{what}-{}-{seed}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for temporary files");
        Self(path)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("a temporary file");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn load(path: &Path) -> Loaded {
    elnath::load(path, &LoadOptions::default()).unwrap_or_else(|error| panic!("{:?}", error.into_messages()))
}

fn asked(loaded: &Loaded, file: &Path) -> NetReport {
    let question = NetProperties::of(loaded, file).unwrap_or_else(|messages| panic!("{messages:?}"));
    question.run().unwrap_or_else(|problem| panic!("{problem}"))
}

fn properties(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { hold, fail, bounds, runs }
    }
    let seen = trial.cases(0..400, |case, seen: &mut Seen| {
        let mut rng = Rng::new(case.seed);
        let made = random::net(&mut rng);
        let net = read(&made.text);
        let Some(expected) = naive::explore(&net, MOST) else { return Err("too many markings") };
        let formulas: Vec<random::Ctl> = (0..6).map(|_| random::formula(&mut rng, &made, 3)).collect();
        let mut text = String::from("<property-set>\n");
        let mut property = |id: String, formula: &str| {
            text += &format!("<property><id>{id}</id><formula>{formula}</formula></property>\n");
        };
        for (number, formula) in formulas.iter().enumerate() {
            let mut xml = String::new();
            formula.xml(&mut xml);
            property(format!("CTL-{number}"), &xml);
        }
        for place in 0..made.places {
            let bound = format!("<place-bound><place>p{place}</place><place>p0</place></place-bound>");
            property(format!("bound-{place}"), &bound);
        }
        text += "</property-set>\n";
        case.keep(format!("{}\n{text}", made.text));
        let folder = Scratch::new(case.seed, "properties");
        let loaded = load(&folder.file("net.pnml", &made.text));
        let report = asked(&loaded, &folder.file("properties.xml", &text));
        let (of_formulas, of_places) = report.properties.split_at(formulas.len());
        for (formula, answer) in formulas.iter().zip(of_formulas) {
            let holds = expected.satisfying(formula)[0];
            assert_eq!(matches!(answer.verdict, Verdict::Holds(_)), holds, "{:?}: {formula:?}", answer.name);
            assert!(answer.limit().is_none(), "{:?} is decided", answer.name);
            *if holds { &mut seen.hold } else { &mut seen.fail } += 1;
            let shown = answer.verdict.evidence().or(answer.figures.witness.as_ref());
            seen.runs += u64::from(shown.is_some_and(|shown| shown.run.is_some()));
        }
        for (place, answer) in of_places.iter().enumerate() {
            let sum = |marking: &Vec<u32>| i64::from(marking[place]) + i64::from(marking[0]);
            let most = expected.all.iter().map(sum).max();
            assert_eq!(answer.figures.value, most, "the bound of p{place} and p0");
            seen.bounds += 1;
        }
        Ok(())
    });
    trial.enough(
        seen.hold > 0 && seen.fail > 0 && seen.runs > 0,
        "formulas that hold and that fail, and runs",
    );
}

fn coverability(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { bounded, unbounded }
    }
    let seen = trial.cases(0..1500, |case, seen: &mut Seen| {
        let made = random::net(&mut Rng::new(case.seed));
        let net = read(&case.keep(made.text.clone()));
        let folder = Scratch::new(case.seed, "bounds");
        let loaded = load(&folder.file("net.pnml", &made.text));
        let question = NetBounds::of(&loaded).expect("a net").firings(50_000);
        let report = question.run().unwrap_or_else(|problem| panic!("{problem}"));
        let figures = &report.first().figures;
        let expected = naive::explore_some(&net, 4 * MOST);
        let complete = expected.edges.len() == expected.all.len();
        let met: Vec<Option<u32>> = (0..net.places.len())
            .map(|place| expected.all.iter().map(|marking| marking[place]).max())
            .collect();
        match &report.first().verdict {
            // That its run can be repeated was replayed.
            Verdict::Fails(_) => {
                assert!(!complete, "there are finitely many markings");
                assert!(figures.most.iter().any(Option::is_none), "some place grows");
                for (place, (most, met)) in figures.most.iter().zip(&met).enumerate() {
                    let within = most.is_none() || !figures.complete || met <= most;
                    assert!(within, "p{place} holds {met:?}, and is said to hold {most:?}");
                }
                seen.unbounded += 1;
            }
            Verdict::Holds(_) if complete => {
                assert_eq!(figures.most, met, "the bounds");
                seen.bounded += 1;
            }
            Verdict::Holds(_) if figures.counters.states > MOST as u64 => return Err("many markings"),
            Verdict::Holds(_) => panic!("there are more markings than were seen"),
            Verdict::Unknown(_) => return Err("not decided within the limit"),
        }
        Ok(())
    });
    trial.enough(seen.bounded > 0 && seen.unbounded > 0, "nets with and without bounds");
}

fn texts(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { read, complained }
    }
    let seen = trial.cases(0..1500, |case, seen: &mut Seen| {
        let mut rng = Rng::new(case.seed);
        let mut text = random::net(&mut rng).text.into_bytes();
        for _ in 0..1 + rng.below(3) {
            let at = rng.below(text.len() as u64) as usize;
            let other = rng.below(text.len() as u64) as usize;
            match rng.below(4) {
                0 => text[at] = rng.pick(b"<>/\"&;=p0 "),
                1 => _ = text.remove(at),
                2 => text.drain(at.min(other)..at.max(other)).for_each(drop),
                _ => text.insert(at, text[other]),
            }
            if text.is_empty() {
                text.push(b' ');
            }
        }
        let text = case.keep(String::from_utf8(text).expect("the texts are ASCII"));
        match pnml::read(&SourceText::new("changed.pnml", text)) {
            Ok((net, _)) => {
                let system = PetriSystem::new(net);
                let (mut state, mut successors) = (Vec::new(), Successors::default());
                let mut stepper = system.stepper();
                stepper.initial(&mut state);
                stepper.successors(&state, &mut successors);
                seen.read += 1;
            }
            Err(messages) => {
                assert!(
                    !messages.is_empty() && messages.iter().all(|message| message.code.is_some()),
                    "{messages:?}"
                );
                seen.complained += 1;
            }
        }
        Ok(())
    });
    trial.enough(seen.read > 0 && seen.complained > 0, "texts that are nets, and that are not");
}

/// A net of the contest with what is known of it.
struct Known {
    name: String,
    folder: PathBuf,
    /// States, transitions, most tokens in a place, and in a marking.
    figures: [i64; 4],
    /// Examination, formula, answer.
    answers: Vec<[String; 3]>,
}

fn known(folder: &Path) -> Vec<Known> {
    let rows = |name: &str| -> Vec<Vec<String>> {
        let text = std::fs::read_to_string(folder.join(name)).expect("a table of the contest");
        text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
    };
    let mut answers: HashMap<String, Vec<[String; 3]>> = HashMap::new();
    for row in rows("ANSWERS.tsv") {
        let [net, examination, formula, answer] = row.try_into().expect("four columns");
        answers.entry(net).or_default().push([examination, formula, answer]);
    }
    let net = |row: Vec<String>| {
        let number = |at: usize| row[at].parse().expect("a figure");
        let figures = [number(1), number(2), number(3), number(4)];
        let answers = answers.get(&row[0]).cloned().unwrap_or_default();
        Known { folder: folder.join(&row[0]), name: row[0].clone(), figures, answers }
    };
    rows("NETS.tsv").into_iter().map(net).collect()
}

counts! {
    /// Answers that are the same; of these, those of which the whole file, or the question without one, was answered within ten seconds; unknown
    /// ones; and states of the nets.
    struct Answered { answers, within_ten_seconds, unknown, states }
}

fn contest(trial: &mut Trial<'_>) {
    if let Some(folder) = trial.corpus("mcc") {
        answers(trial, &folder, 11);
    }
}

fn sample(trial: &mut Trial<'_>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/contest");
    let seen = answers(trial, &folder, 1);
    trial.enough(seen.answers == 207 && seen.unknown == 0, "all answers");
}

/// Asks everything that is known of the nets in a folder.
fn answers(trial: &mut Trial<'_>, folder: &Path, every: usize) -> Answered {
    let nets = known(folder);
    let shares: Mutex<Vec<Share>> = Mutex::default();
    let seen = trial.items(
        &nets,
        every,
        |net| net.name.clone(),
        |net, _, seen: &mut Answered| {
            let loaded = load(&net.folder.join("model.pnml"));
            let mut wrong = Vec::new();
            let space = asked(&loaded, Path::new("StateSpace"));
            let found: Vec<Option<i64>> =
                space.properties.iter().map(|figure| figure.figures.value).collect();
            if found != net.figures.map(Some) {
                wrong.push(format!("figures {found:?}, expected {:?}", net.figures));
            }
            seen.states += net.figures[0] as u64;
            let mut examinations: Vec<&String> =
                net.answers.iter().map(|[examination, ..]| examination).collect();
            examinations.dedup();
            for examination in examinations {
                let file = net.folder.join(format!("{examination}.xml"));
                let file = if file.exists() { file } else { PathBuf::from(examination) };
                let begin = Instant::now();
                let report = asked(&loaded, &file);
                let quick = begin.elapsed().as_secs_f64() <= 10.0;
                if examination.starts_with("CTL") {
                    let share = |property: &elnath::nets::NetProperty| {
                        property.figures.expanded.map_or(1.0, |count| count as f64 / net.figures[0] as f64)
                    };
                    let own = report.properties.iter().map(|property| Share {
                        net: net.name.clone(),
                        markings: net.figures[0],
                        expanded: share(property),
                    });
                    shares.lock().expect("nobody panics while it is locked").extend(own);
                }
                let answer = |formula: &str| {
                    let name = if formula == "-" { examination } else { formula };
                    let property =
                        report.properties.iter().find(|property| property.name.as_deref() == Some(name));
                    let property = property.unwrap_or_else(|| panic!("{name} is answered"));
                    match (&property.verdict, property.figures.value) {
                        (Verdict::Unknown(_), _) => None,
                        (_, Some(value)) => Some(value.to_string()),
                        (Verdict::Holds(_), None) => Some("TRUE".to_owned()),
                        (Verdict::Fails(_), None) => Some("FALSE".to_owned()),
                    }
                };
                for [_, formula, expected] in net.answers.iter().filter(|[own, ..]| own == examination) {
                    match answer(formula) {
                        None => seen.unknown += 1,
                        Some(found) if found == *expected => {
                            seen.answers += 1;
                            seen.within_ten_seconds += u64::from(quick);
                        }
                        Some(found) => {
                            wrong.push(format!("{examination} {formula}: {found}, expected {expected}"));
                        }
                    }
                }
            }
            assert!(wrong.is_empty(), "{}", wrong.join("\n"));
            Ok(())
        },
    );
    trial.say(&laziness(shares.into_inner().expect("nobody panicked")));
    seen
}

/// Which part of the markings of a net a formula of CTL has asked for their successors.
struct Share {
    net: String,
    markings: i64,
    expanded: f64,
}

/// How much of the graph formulas of CTL looked at: a row for all, one for nets of each size, and one for each family of nets.
fn laziness(mut shares: Vec<Share>) -> String {
    shares.sort_by(|one, other| one.expanded.total_cmp(&other.expanded));
    let family = |name: &str| name.split("-PT-").next().unwrap_or(name).to_owned();
    // With a blank before it, a size comes before all names.
    let size = |markings: i64| match markings {
        ..=2_900 => " at most 2,900 markings",
        2_901..=30_000 => " at most 30,000 markings",
        _ => " more markings",
    };
    let mut rows: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for Share { net, markings, expanded } in &shares {
        for row in [String::new(), size(*markings).to_owned(), family(net)] {
            rows.entry(row).or_default().push(*expanded);
        }
    }
    let mut text = String::from(
        "| family | formulas | lower quartile | median | upper quartile | all of it |\n|---|--:|--:|--:|--:|--:|\n",
    );
    for (family, shares) in &rows {
        let at = |quarter: usize| 100.0 * shares[(shares.len() - 1) * quarter / 4];
        let all = shares.iter().filter(|share| **share > 0.999).count();
        let name = if family.is_empty() { "all" } else { family };
        let (low, middle, high) = (at(1), at(2), at(3));
        text +=
            &format!("| {name} | {} | {low:.2} % | {middle:.2} % | {high:.2} % | {all} |\n", shares.len());
    }
    text
}
