//! Networks on the fly against products that are made explicitly, operator by operator, on random components.

use elnath::compositional::{self, NetworkParts};
use elnath_check::relation::folded::Folded;
use elnath_check::relation::{
    Comparison, Difference, PairOrder, PairStore, RelationEngine, RelationQuestion, ask, lifted,
};
use elnath_kernel::relation::is_internal;
use elnath_kernel::rng::Rng;
use elnath_kernel::{Budget, Direction, Relation, Successors, System, Verdict};
use elnath_lts::quotient::{RELATIONS, reduce};
use elnath_lts::{Builder, Lts};
use elnath_net::{self as net, Built, NotLoaded, Pattern, Relabelled, Rules, build, parse};
use elnath_source::SourceText;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use super::Part;
use crate::trial::{Trial, counts};

pub(super) const PARTS: &[Part] = &[
    Part { name: "products", meaning: "networks against products made explicitly", run: products },
    Part {
        name: "congruence",
        meaning: "networks of reduced components against those of the components, by every relation",
        run: congruence,
    },
    Part {
        name: "minimised",
        meaning: "networks minimised part by part: bisimilar, and with the same verdicts and diagnoses of the network as written",
        run: minimised,
    },
    Part { name: "texts", meaning: "any text is a network, or is complained about", run: texts },
];

/// A graph as a list: from, label, to. The initial state is 0; the internal action is `i`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Plain(Vec<(usize, String, usize)>);

const LABELS: [&str; 7] = ["a", "b !1", "b !2", "c", "i", "tau", "d"];

impl Plain {
    fn random(rng: &mut Rng) -> Self {
        let states = 1 + rng.below(4);
        let edge = |rng: &mut Rng| {
            let label = LABELS[rng.below(LABELS.len() as u64) as usize];
            (rng.below(states) as usize, label.to_owned(), rng.below(states) as usize)
        };
        Plain((0..rng.below(9)).map(|_| edge(rng)).collect())
    }

    fn lts(&self) -> Lts {
        let mut builder = Builder::new();
        builder.at_least_states(1);
        self.0.iter().for_each(|(from, label, to)| builder.add(*from as u32, label, *to as u32));
        builder.finish(0)
    }

    fn normal(&self) -> Self {
        let label = |label: &String| if label == "tau" { "i".to_owned() } else { label.clone() };
        Plain(self.0.iter().map(|(from, l, to)| (*from, label(l), *to)).collect())
    }

    fn labels(&self) -> BTreeSet<String> {
        self.0.iter().map(|(_, label, _)| label.clone()).filter(|label| label != "i").collect()
    }

    fn leaving(&self) -> BTreeMap<usize, Vec<(String, usize)>> {
        let mut leaving = BTreeMap::<_, Vec<_>>::new();
        for (from, label, to) in &self.0 {
            leaving.entry(*from).or_default().push((label.clone(), *to));
        }
        leaving
    }

    /// All that can be reached, with labels in which both move.
    fn product(&self, other: &Plain, together: &dyn Fn(&str) -> bool) -> Plain {
        let mut numbers = BTreeMap::from([((0, 0), 0)]);
        let mut queue = vec![(0, 0)];
        let mut edges = Vec::new();
        let (leaving, other_leaving) = (self.leaving(), other.leaving());
        let none = Vec::new();
        while let Some((p, q)) = queue.pop() {
            let (mine, others) = (leaving.get(&p).unwrap_or(&none), other_leaving.get(&q).unwrap_or(&none));
            let from = numbers[&(p, q)];
            let mut steps = Vec::new();
            for (label, to) in mine {
                if label == "i" || !together(label) {
                    steps.push((label.clone(), (*to, q)));
                    continue;
                }
                let partners = others.iter().filter(|(other, _)| other == label);
                steps.extend(partners.map(|(_, right)| (label.clone(), (*to, *right))));
            }
            for (label, to) in others {
                if label == "i" || !together(label) {
                    steps.push((label.clone(), (p, *to)));
                }
            }
            for (label, pair) in steps {
                let next = numbers.len();
                let to = *numbers.entry(pair).or_insert_with(|| {
                    queue.push(pair);
                    next
                });
                edges.push((from, label, to));
            }
        }
        Plain(edges)
    }

    fn renamed(&self, new: &dyn Fn(&str) -> String) -> Plain {
        let label = |label: &String| if label == "i" { label.clone() } else { new(label) };
        Plain(self.0.iter().map(|(from, l, to)| (*from, label(l), *to)).collect())
    }

    /// The reachable edges, states numbered in an order that depends on nothing but what can be seen from the initial
    /// state: breadth first, by label and by where the edge was listed.
    fn unfolded(&self) -> Vec<BTreeMap<String, usize>> {
        // How many edges with each label leave the states at each distance, for so many steps: enough to tell random
        // graphs apart, and independent of numbers.
        let mut now: BTreeMap<usize, u64> = BTreeMap::from([(0, 1)]);
        let mut levels = Vec::new();
        for _ in 0..8 {
            let (mut next, mut counts) = (BTreeMap::new(), BTreeMap::new());
            for (from, label, to) in &self.0 {
                let Some(&ways) = now.get(from) else { continue };
                *counts.entry(label.clone()).or_default() += ways as usize;
                *next.entry(*to).or_default() += ways;
            }
            levels.push(counts);
            now = next;
        }
        levels
    }
}

/// Whether a label is meant.
type Meant = fn(&str) -> bool;

/// A random network over three components A, B and C: its text, and what it is.
fn random(rng: &mut Rng, components: &[Plain; 3], depth: u64) -> (String, Plain) {
    if depth == 0 || rng.below(5) == 0 {
        let at = rng.below(3) as usize;
        return (["A", "B", "C"][at].to_owned(), components[at].normal());
    }
    match rng.below(7) {
        0 | 1 => {
            let sets: [(&str, Meant); 4] = [
                ("a, b", |l| l == "a" || l.starts_with("b ")),
                ("\"b !1\", c", |l| l == "b !1" || l == "c"),
                ("/[ad]|b.*1/", |l| l == "a" || l == "d" || l == "b !1"),
                ("", |_| false),
            ];
            let (text, set) = sets[rng.below(4) as usize];
            let (left, p) = random(rng, components, depth - 1);
            let (right, q) = random(rng, components, depth - 1);
            (format!("(({left}) |[{text}]| ({right}))"), p.product(&q, &set))
        }
        2 => {
            let (left, p) = random(rng, components, depth - 1);
            let (right, q) = random(rng, components, depth - 1);
            (format!("(({left}) ||| ({right}))"), p.product(&q, &|_| false))
        }
        3 => {
            let (left, p) = random(rng, components, depth - 1);
            let (right, q) = random(rng, components, depth - 1);
            (format!("(({left}) || ({right}))"), p.product(&q, &|_| true))
        }
        4 => {
            // The alphabets are those of the components, whatever of them can be reached.
            let mut at = || rng.below(3) as usize;
            let chosen = [at(), at(), at()];
            let [p, q, r] = chosen.map(|at| components[at].normal());
            let (on_p, on_q, on_r) = (p.labels(), q.labels(), r.labels());
            let pq = p.product(&q, &|l| on_p.contains(l) && on_q.contains(l));
            let pqr = pq.product(&r, &|l| (on_p.contains(l) || on_q.contains(l)) && on_r.contains(l));
            let names = chosen.map(|at| ["A", "B", "C"][at]);
            let with = if rng.below(2) == 0 { "" } else { "[/.*/]" };
            if with.is_empty() {
                (format!("product({})", names.join(", ")), pqr)
            } else {
                // Who takes part in everything synchronises on what any other has.
                let all = pq.product(&r, &|l| on_p.contains(l) || on_q.contains(l));
                (format!("product({}{with})", names.join(", ")), all)
            }
        }
        5 => {
            let (inner, p) = random(rng, components, depth - 1);
            if rng.below(2) == 0 {
                let hidden =
                    p.renamed(&|l| if l == "c" || l.starts_with('b') { "i".into() } else { l.into() });
                (format!("(hide b, c in {inner})"), hidden)
            } else {
                let hidden = p.renamed(&|l| if l == "a" || l == "b !2" { l.into() } else { "i".into() });
                (format!("(hide all but a, \"b !2\" in {inner})"), hidden)
            }
        }
        _ => {
            let (inner, p) = random(rng, components, depth - 1);
            let renamed = p.renamed(&|l| match l {
                "a" => "c".to_owned(),
                "c" => "i".to_owned(),
                _ => l.strip_prefix("b !").map_or_else(|| l.to_owned(), |value| format!("d !{value}")),
            });
            (format!("(rename a -> c, c -> i, b -> d in {inner})"), renamed)
        }
    }
}

fn made(text: &str, components: &[Plain; 3], lengths_known: bool) -> Built {
    made_of(text, &components.each_ref().map(Plain::lts), lengths_known)
}

fn made_of(text: &str, components: &[Lts; 3], lengths_known: bool) -> Built {
    let text = format!("let A = \"A.aut\"\nlet B = \"B.aut\" -- the second\nlet C = \"x/C.aut\"\n{text}\n");
    let source = SourceText::new("random.net", text);
    let file = parse(&source).unwrap_or_else(|messages| panic!("{messages:?}"));
    let mut load = |name: &str| {
        let at = ["A.aut", "B.aut", "x/C.aut"].iter().position(|other| *other == name).expect("a component");
        let lts = components[at].clone();
        let labels: HashSet<String> = lts.labels().iter().map(str::to_owned).collect();
        let length = lengths_known.then_some(4);
        Ok::<_, NotLoaded>(net::Part { system: Arc::new(lts), labels: Some(Arc::new(labels)), length })
    };
    build(&source, &file, &mut load).unwrap_or_else(|messages| panic!("{messages:?}"))
}

/// The network, walked; every way of asking must give the same.
fn walked(system: &dyn System) -> Plain {
    let (mut stepper, mut other) = (system.stepper(), system.stepper());
    let mut initial = Vec::new();
    stepper.initial(&mut initial);
    let mut numbers = BTreeMap::from([(initial.clone(), 0)]);
    let mut queue = vec![initial];
    let mut edges = Vec::new();
    while let Some(state) = queue.pop() {
        let (mut successors, mut one_by_one) = (Successors::default(), Successors::default());
        stepper.successors(&state, &mut successors);
        one_by_one.fire_all(other.as_mut(), &state);
        assert_eq!(successors.len(), one_by_one.len());
        for (next, again) in successors.iter().zip(one_by_one.iter()) {
            assert_eq!((next.transition, next.state), (again.transition, again.state));
            let label = system.action_name(stepper.action(&state, next.transition));
            let movers = stepper.movers(&state, next.transition);
            assert!(movers != 0);
            if edges.len() < 20 {
                assert_eq!(system.events(&state, next.transition).len() as u32, movers.count_ones());
            }
            let number = numbers.len();
            let to = *numbers.entry(next.state.to_vec()).or_insert_with(|| {
                queue.push(next.state.to_vec());
                number
            });
            edges.push((numbers[&state], label, to));
        }
    }
    Plain(edges)
}

fn products(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { large }
    }
    let seen = trial.cases(0..3000, |case, seen: &mut Seen| {
        let seed = case.seed;
        let mut rng = Rng::new(seed);
        let components = [Plain::random(&mut rng), Plain::random(&mut rng), Plain::random(&mut rng)];
        let (text, expected) = random(&mut rng, &components, 1 + seed % 2);
        let found = walked(&made(&text, &components, seed % 2 == 0).network);
        let told = || format!("seed {seed}: {text}\n{components:?}");
        assert_eq!(found.0.len(), reachable(&expected), "{}", told());
        assert_eq!(found.unfolded(), expected.unfolded(), "{}", told());
        seen.large += u64::from(found.0.len() > 500);
        Ok(())
    });
    trial.enough(seen.large > 0, "networks with more than 500 transitions");
}

/// Compares within a limit of pairs and memory.
fn compared(question: &RelationQuestion<'_>, smaller: Option<&Folded<'_>>) -> Comparison {
    let mut budget =
        Budget { memory: 1 << 28, depth: usize::MAX, states: 200_000, disk: None, watch: &mut |_| None };
    let compared = match smaller {
        None => ask(question, &mut budget),
        Some(smaller) => lifted::ask(question, smaller, &mut budget),
    };
    compared.unwrap_or_else(|why| panic!("{:?}: {why}", question.relation))
}

fn question<'a>(
    systems: [&'a dyn System; 2],
    relation: Relation,
    direction: Direction,
) -> RelationQuestion<'a> {
    RelationQuestion {
        patience: None,
        left: systems[0],
        right: systems[1],
        relation,
        direction,
        engine: RelationEngine::Auto,
        order: PairOrder::default(),
        shortest: false,
        store: PairStore::Exact,
        internal: &is_internal,
    }
}

/// Whether the systems are related; nothing, if that was not found out.
fn related(comparison: &Comparison) -> Option<bool> {
    match &comparison.verdict {
        Verdict::Holds(_) => Some(true),
        Verdict::Fails(_) => Some(false),
        Verdict::Unknown(_) => None,
    }
}

/// Of each relation, whether it is a congruence for the operators: all but tau*.a are, and of that one this must find out that it is none.
fn congruence(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { compared, smaller, no_congruence, unknown }
    }
    let seen = trial.cases(0..400, |case, seen: &mut Seen| {
        let mut rng = Rng::new(case.seed ^ 0x636f_6e67);
        let components = [Plain::random(&mut rng), Plain::random(&mut rng), Plain::random(&mut rng)];
        let (text, _) = random(&mut rng, &components, 1 + case.seed % 3);
        let graphs = components.each_ref().map(Plain::lts);
        let network = made_of(&text, &graphs, true).network;
        for relation in RELATIONS {
            let reduced = graphs.each_ref().map(|graph| {
                let mut budget =
                    Budget { memory: 1 << 28, depth: 0, states: u64::MAX, disk: None, watch: &mut |_| None };
                reduce(graph, relation, &mut budget).expect("there is room").lts
            });
            let fewer = |(a, b): (&Lts, &Lts)| a.num_states() < b.num_states();
            seen.smaller += u64::from(reduced.iter().zip(&graphs).any(fewer));
            let small = made_of(&text, &reduced, true).network;
            let comparison = compared(&question([&network, &small], relation, Direction::Equivalence), None);
            seen.compared += 1;
            match related(&comparison) {
                None => seen.unknown += 1,
                Some(true) => {}
                Some(false) if relation == Relation::TauStarA => seen.no_congruence += 1,
                Some(false) => {
                    panic!("{relation:?} is no congruence: seed {}: {text}\n{components:?}", case.seed)
                }
            }
        }
        Ok(())
    });
    trial.enough(seen.smaller > 1000 && seen.no_congruence > 0, "networks that tau-star-a tells apart");
}

/// A component with one transition turned aside, taken away or given another label.
fn mutated(plain: &Plain, rng: &mut Rng) -> Plain {
    let mut new = plain.clone();
    if new.0.is_empty() {
        return new;
    }
    let at = rng.below(new.0.len() as u64) as usize;
    match rng.below(3) {
        0 => drop(new.0.remove(at)),
        1 => new.0[at].1 = LABELS[rng.below(LABELS.len() as u64) as usize].to_owned(),
        _ => new.0[at].2 = 0,
    }
    new
}

fn minimised(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { related, not_related, unknown, smaller, composed, untold }
    }
    let seen = trial.cases(0..400, |case, seen: &mut Seen| {
        let mut rng = Rng::new(case.seed ^ 0x6d69_6e69);
        let components = [Plain::random(&mut rng), Plain::random(&mut rng), Plain::random(&mut rng)];
        let (text, _) = random(&mut rng, &components, 1 + case.seed % 4);
        let mut others = components.clone();
        let at = rng.below(3) as usize;
        others[at] = mutated(&others[at], &mut rng);
        let rules = || Some(Arc::new(Rules::new().hide(Pattern::gate("a"))));
        let rules = if case.seed % 3 == 0 { rules() } else { None };
        let networks = [&components, &others].map(|components| NetworkParts {
            network: Arc::new(made(&text, components, case.seed % 2 == 0).network),
            rules: rules.clone(),
        });
        let outside = |parts: &NetworkParts| -> Arc<dyn System> {
            let network = Arc::clone(&parts.network) as Arc<dyn System>;
            match &parts.rules {
                None => network,
                Some(rules) => Arc::new(Relabelled::new(network, Arc::clone(rules))),
            }
        };
        let written = networks.each_ref().map(outside);
        for (name, relation) in Relation::NAMES {
            let told = || format!("{name}, seed {}: {text}\n{components:?}\n{others:?}", case.seed);
            let small = networks.each_ref().map(|parts| {
                let mut budget =
                    Budget { memory: 1 << 28, depth: 0, states: u64::MAX, disk: None, watch: &mut |_| None };
                compositional::minimised(parts, relation, &is_internal, &mut budget)
                    .expect("nothing runs out")
            });
            seen.composed += small
                .iter()
                .flatten()
                .flat_map(|small| &small.told.parts)
                .filter(|part| part.names.len() > 1)
                .count() as u64;
            let systems: [&dyn System; 2] = [0, 1].map(|side| match &small[side] {
                Some(small) => &*small.system,
                None => &*written[side],
            });
            for side in [0, 1] {
                if small[side].is_some() {
                    seen.smaller += 1;
                    let finer = lifted::finer_bisimulation(relation);
                    let pair = [&*written[side], systems[side]];
                    let same = compared(&question(pair, finer, Direction::Equivalence), None);
                    assert_ne!(related(&same), Some(false), "not bisimilar: {}", told());
                }
            }
            let class = |side: usize, state: &[u8], out: &mut Vec<u8>| match &small[side] {
                Some(small) => small.class(state, out),
                None => {
                    out.clear();
                    out.extend_from_slice(state);
                }
            };
            let direction = if rng.below(2) == 0 { Direction::Preorder } else { Direction::Equivalence };
            let question = question([&*written[0], &*written[1]], relation, direction);
            let direct = compared(&question, None);
            let lifted = compared(&question, Some(&Folded { systems, class: &class }));
            match (related(&direct), related(&lifted)) {
                (Some(a), Some(b)) => {
                    assert_eq!(a, b, "{}", told());
                    if a { seen.related += 1 } else { seen.not_related += 1 }
                }
                _ => seen.unknown += 1,
            }
            seen.untold += u64::from(matches!(lifted.verdict, Verdict::Fails(Difference::Untold(_))));
        }
        Ok(())
    });
    let enough = seen.related > 100 && seen.not_related > 100 && seen.composed > 100;
    trial.enough(enough && seen.untold == 0, "both kinds, and differences that were told");
}

/// The number of edges that can be reached.
fn reachable(plain: &Plain) -> usize {
    let mut reached = BTreeSet::from([0]);
    loop {
        let next: BTreeSet<usize> =
            plain.0.iter().filter(|(from, ..)| reached.contains(from)).map(|(_, _, to)| *to).collect();
        if next.is_subset(&reached) {
            return plain.0.iter().filter(|(from, ..)| reached.contains(from)).count();
        }
        reached.extend(next);
    }
}

fn plain(edges: &[(usize, &str, usize)]) -> Plain {
    Plain(edges.iter().map(|&(from, label, to)| (from, label.to_owned(), to)).collect())
}

#[test]
fn what_happens_is_told_with_who_moved() {
    let components = [plain(&[(0, "a !1", 1)]), plain(&[(0, "a !1", 1), (1, "b", 0)]), plain(&[])];
    let built = made("(hide a in A |[a]| B) ||| A ||| C", &components, false);
    let system: &dyn System = &built.network;
    let names: Vec<&str> = built.network.components().iter().map(|component| &*component.name).collect();
    assert_eq!(names, ["A:1", "B", "A:2", "C"]);
    let mut stepper = system.stepper();
    let (mut state, mut enabled, mut next) = (Vec::new(), Vec::new(), Vec::new());
    stepper.initial(&mut state);
    stepper.enabled(&state, &mut enabled);
    let mut shown: Vec<String> = enabled.iter().map(|&t| system.show_transition(&state, t)).collect();
    shown.sort();
    assert_eq!(shown, ["a !1 (A:2)", "i (A:1, B)"]);
    let hidden =
        enabled.iter().copied().find(|&t| system.show_transition(&state, t).starts_with('i')).expect("one");
    let told: Vec<_> =
        system.events(&state, hidden).into_iter().map(|event| (event.actor, event.text)).collect();
    let event = |actor: &str| (actor.to_owned(), "i (a !1)".to_owned());
    assert_eq!(told, [event("A:1"), event("B")]);
    stepper.fire(&state, hidden, &mut next).expect("graphs have no faults");
    assert_eq!(system.show_state(&next), "A:1: state 1; B: state 1; A:2: state 0; C: state 0");
    let waiting: Vec<_> = system.waiting(&next).into_iter().map(|event| (event.actor, event.text)).collect();
    assert_eq!(waiting, [("B".to_owned(), "b".to_owned()), ("A:2".to_owned(), "a !1".to_owned())]);
    let blocked = made("hide a in A || C", &components, true);
    let mut initial = Vec::new();
    blocked.network.stepper().initial(&mut initial);
    let waiting: Vec<_> =
        blocked.network.describe().waiting(&initial).into_iter().map(|event| event.text).collect();
    assert_eq!(waiting, ["i (a !1)"]);
    assert!(!stepper.may_end(&next), "a graph does not say where it may end");
    assert!(built.warnings.is_empty());
}

/// All that is wrong with a file, and all that is doubtful.
fn complaints(text: &str) -> Vec<String> {
    let source = SourceText::new("x.net", text);
    let graph = plain(&[(0, "GET !1", 0), (0, "PUT", 0)]).lts();
    let labels: HashSet<String> = graph.labels().iter().map(str::to_owned).collect();
    let (system, labels) = (Arc::new(graph), Arc::new(labels));
    let mut load = |name: &str| match name {
        "a.aut" => {
            let labels = Some(Arc::clone(&labels));
            Ok(net::Part { system: Arc::clone(&system) as Arc<dyn System>, labels, length: Some(4) })
        }
        "a.pml" => {
            Ok(net::Part { system: Arc::clone(&system) as Arc<dyn System>, labels: None, length: None })
        }
        "x.net" => Err(NotLoaded::Within(vec!["x.net".to_owned(), "x.net".to_owned()])),
        _ => Err(NotLoaded::Missing(Some("a.aut".to_owned()))),
    };
    let messages = match parse(&source).and_then(|file| build(&source, &file, &mut load)) {
        Ok(built) => built.warnings,
        Err(messages) => messages,
    };
    let told = |message: &elnath_source::Message| match &message.help {
        Some(help) => format!("{message} ({help})"),
        None => message.to_string(),
    };
    messages.iter().map(told).collect()
}

#[test]
fn broken_networks_are_told_why() {
    let said = |text: &str, expected: &[&str]| assert_eq!(complaints(text), expected, "{text}");
    said("let A = \"a.aut\"\nA ||| A", &[]);
    said(
        "",
        &[
            "x.net:1:1: error: there is no network in this file (write for example \"a.aut\" |[GET, PUT]| \"b.aut\")",
        ],
    );
    said(
        "let A = \"a.aut\" |[GET |[\nlet B = ,\nA |||",
        &[
            "x.net:1:23: error: expected `]|`, found `|[`",
            "x.net:2:9: error: expected a component: a name, a file in quotes, or something in parentheses, found `,`",
        ],
    );
    said(
        "\"a.aut\" ||| \"a.aut\" || \"a.aut\"",
        &["x.net:1:21: error: which of these operators goes first? (put parentheses around one of them)"],
    );
    said(
        "let Sender = \"a.aut\"\nlet Sender = \"b.aut\"\nSendr ||| \"x.net\" ||| Sender",
        &[
            "x.net:2:5: error: `Sender` is defined twice",
            "x.net:3:1: error: nothing is called `Sendr` (did you mean `Sender`?)",
            "x.net:3:11: error: this network contains itself: x.net -> x.net",
            "x.net:2:14: error: there is no file b.aut (did you mean \"a.aut\"?)",
        ],
    );
    said("let A = A\nA", &["x.net:1:9: error: nothing is called `A`"]);
    said(
        "rename /(/ -> a, GET -> \"\\1\" in hide i in \"a.aut\"",
        &[
            "x.net:1:8: error: `(` is not a regular expression: unclosed group",
            "x.net:1:25: error: \\1 stands for nothing: `GET` has no group in parentheses",
            "x.net:1:38: error: this is the internal action, which is never synchronised, hidden or renamed",
        ],
    );
    said(
        "product(\"a.aut\", \"a.pml\", \"a.pml\"[GET])",
        &[
            "x.net:1:18: error: the labels of this part are not known before it is explored (say in which it takes part: product(..., PART[GET, PUT]))",
        ],
    );
    said(
        "hide in in \"a.aut\"",
        &[
            "x.net:1:6: error: expected a label: a gate, a label in quotes, or /a regular expression/, found `in` (a gate with such a name can be written /in( .*)?/)",
        ],
    );
}

#[test]
fn doubtful_networks_are_told_why() {
    let said = |text: &str, expected: &[&str]| assert_eq!(complaints(text), expected, "{text}");
    said(
        "let A = \"a.aut\"\nlet B = A\nhide GEX in A |[PUT, put, \"GET\"]| (rename PUT -> SEND in A)",
        &[
            "x.net:3:17: warning: not all sides have a label that `PUT` means: it never happens",
            "x.net:3:22: warning: no label here is meant by `put` (did you mean `PUT`?)",
            "x.net:3:27: warning: no label here is meant by `\"GET\"` (did you mean `GET`?)",
            "x.net:3:6: warning: no label here is meant by `GEX` (did you mean `GET`?)",
            "x.net:2:5: note: `B` is not used",
        ],
    );
    said("hide GTE in \"a.pml\"", &[]);
}

/// Whatever is written, there is an answer: a network, or messages with places.
fn texts(trial: &mut Trial<'_>) {
    counts! {
        struct Seen { read }
    }
    const WORDS: [&str; 26] = [
        "let ",
        "hide ",
        "all ",
        "but ",
        "in ",
        "rename ",
        "product",
        "A",
        "B",
        "GET",
        "\"a.aut\"",
        "\"x\"",
        "/a(b)*/",
        "/(/",
        "\"",
        "/",
        "|||",
        "||",
        "|[",
        "]|",
        "->",
        "=",
        ",",
        "(",
        ")",
        "\n",
    ];
    let seen = trial.cases(0..20_000, |case, seen: &mut Seen| {
        let seed = case.seed;
        let mut rng = Rng::new(seed);
        let words = (0..rng.below(14)).map(|_| WORDS[rng.below(WORDS.len() as u64) as usize]);
        // Half of them are nearly right.
        let begin = if seed % 2 == 0 { "let A = \"a.aut\"\nlet B = \"a.aut\"\nA " } else { "" };
        let text = format!("{begin}{}", words.collect::<String>());
        let source = SourceText::new("x.net", text.as_str());
        match parse(&source) {
            Ok(_) => seen.read += 1,
            Err(messages) => assert!(
                !messages.is_empty() && messages.iter().all(|message| message.place.is_some()),
                "seed {seed}: {text}"
            ),
        }
        complaints(&text);
        Ok(())
    });
    trial.enough(seen.read > 100, "texts that are networks");
}
