//! Sessions: what they show is what the systems are, in every language.

use elnath::event::{Content, Obstacle};
use elnath::session::{Effort, NodeId, Search, Session, SessionBudget, Trouble, Truth};
use elnath::{Check, Demand, LoadOptions, Model, Property, Rng, System, Transition, Verdict, Wanted, load};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};

/// All cases that can be read without options, with the folder that they are in.
fn cases() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases");
    let mut cases = Vec::new();
    for folder in ["promela", "lts", "net", "cfsm", "lotos", "petri"] {
        let mut files: Vec<PathBuf> = std::fs::read_dir(root.join(folder))
            .expect("the folder")
            .map(|file| file.expect("a file").path())
            .collect();
        files.sort();
        let ends = |file: &PathBuf| {
            let ending =
                file.extension().map(|ending| ending.to_string_lossy().into_owned()).unwrap_or_default();
            ["pml", "aut", "net", "fifo", "scm", "fsa", "lotos", "pnml"].contains(&ending.as_str())
        };
        cases.extend(files.into_iter().filter(ends).map(|file| (folder.to_owned(), file)));
    }
    cases
}

/// The models with formulas.
fn with_formulas() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["tests/cases/promela", "tests/cases/promela/temporal", "examples", "examples/classics"];
    let files = folders.iter().filter_map(|folder| std::fs::read_dir(root.join(folder)).ok()).flatten();
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.retain(|file| {
        file.extension().is_some_and(|ending| ending == "pml")
            && std::fs::read_to_string(file).is_ok_and(|text| text.contains("ltl "))
    });
    files.sort();
    files
}

fn promela(text: &str) -> Session<'static> {
    let options = LoadOptions {
        language: Some("promela".to_owned()),
        input: Some(text.into()),
        ..LoadOptions::default()
    };
    Session::open(Path::new("-"), &options).map_err(elnath::LoadError::into_messages).expect("a good model").0
}

fn walk_to(system: &dyn System, transitions: &[Transition]) -> Vec<u8> {
    elnath::replay(system, transitions).expect("a run").last().to_vec()
}

/// Random walks through every case: the moves are the system's successors, in its order; stepping leads where firing does; going back and
/// jumping restores the very state, also when no state is kept; and nothing that can happen is called disabled.
#[test]
fn a_session_is_the_system_in_every_language() {
    let mut read: BTreeMap<String, usize> = BTreeMap::new();
    for (folder, file) in cases() {
        let Ok((session, _)) = Session::open(&file, &LoadOptions::default()) else { continue };
        *read.entry(folder).or_default() += 1;
        // So small that nearly all states are made again.
        let mut session = session.budget(SessionBudget { nodes: 1 << 16, states: 300 });
        let mut rng = Rng::new(7);
        let mut expected: BTreeMap<NodeId, Vec<u8>> = BTreeMap::new();
        for walk in 0..3 {
            session.jump(NodeId::ROOT).unwrap();
            for _ in 0..12 {
                let here = session.here();
                let state = session.state_of(here);
                let view = session.view();
                let name = file.display();
                assert_eq!(view.text, session.system().show_state(&state), "{name}");
                // One atomic sequence with hundreds of thousands of outcomes is enough.
                if view.moves.more > 0 && walk > 0 {
                    break;
                }
                let successors: Vec<(Transition, Vec<u8>, bool)> = {
                    let mut stepper = session.system().stepper();
                    let mut enabled = Vec::new();
                    stepper.enabled(&state, &mut enabled);
                    let mut fire = |t: Transition| {
                        let mut next = Vec::new();
                        let fault = stepper.fire(&state, t, &mut next).is_err();
                        (t, next, fault)
                    };
                    enabled.into_iter().map(&mut fire).collect()
                };
                let moves = view.moves.enabled();
                assert_eq!(moves.len() + view.moves.more as usize, successors.len(), "{name}");
                for (number, one) in moves.iter().enumerate() {
                    let (t, _, fault) = &successors[number];
                    assert_eq!(one.choice as usize, number, "{name}");
                    let label = session.system().action_name(session.system().stepper().action(&state, *t));
                    assert_eq!((&one.label, one.fault.is_some()), (&label, *fault), "{name}");
                }
                assert_eq!(
                    view.ending.kind == "open",
                    !successors.is_empty() && !view.ending.is_error,
                    "{name}"
                );
                if successors.is_empty() {
                    break;
                }
                // The last walk goes where others went before, if it can.
                let known = session.children(here);
                match known.first() {
                    Some(&child) if walk == 2 => session.jump(child).unwrap(),
                    _ => {
                        let choice = rng.below(successors.len() as u64) as usize;
                        let node = session.step(choice as u32).unwrap();
                        let state = session.state_of(node);
                        assert_eq!(state, successors[choice].1, "{name}");
                        expected.insert(node, state);
                    }
                }
            }
        }
        for (&node, state) in expected.iter().rev() {
            session.jump(node).unwrap();
            assert_eq!(session.state_of(node), *state, "{}", file.display());
            let run = session.run_to(node).unwrap();
            assert_eq!((walk_to(session.system(), &run.steps), run.last()), (state.clone(), &state[..]));
            let position = session.position();
            assert!(session.back());
            assert!(session.forward());
            assert_eq!(session.here(), node, "forward undoes back: {}", file.display());
            assert_eq!(session.go(&position), Ok(node), "{}", file.display());
        }
    }
    for (folder, least) in
        [("promela", 100), ("lts", 5), ("net", 3), ("cfsm", 5), ("lotos", 30), ("petri", 3)]
    {
        assert!(read.get(folder).is_some_and(|&read| read >= least), "{folder}: {read:?}");
    }
}

/// What is disabled is really not possible: no transition begins with that statement of that process, and none takes part in it.
#[test]
fn what_is_disabled_cannot_happen() {
    let mut told = 0;
    for (folder, file) in cases() {
        let Ok((mut session, _)) = Session::open(&file, &LoadOptions::default()) else { continue };
        if folder == "petri" {
            continue;
        }
        let mut rng = Rng::new(3);
        for _ in 0..15 {
            let view = session.view();
            let state = session.state_of(session.here());
            let mut possible: HashSet<(String, String, Option<u32>)> = HashSet::new();
            let mut enabled = Vec::new();
            session.system().stepper().enabled(&state, &mut enabled);
            let told_by_label = |one: &elnath::session::EnabledMove| one.statements == 0;
            if view.moves.enabled().iter().any(|one| told_by_label(one)) {
                break;
            }
            for &t in &enabled {
                // Of a transition of several statements the first is the one that is possible here; at a rendez-vous, both halves.
                for event in session.system().events(&state, t).into_iter().take(1) {
                    let line = event.place.map(|place| place.line);
                    possible.insert((event.actor, event.text, line));
                    if let Some(elnath::event::MessageKind::HandedOver { receiver, place, text }) =
                        event.message.map(|message| message.kind)
                    {
                        possible.insert((receiver, text, place.map(|place| place.line)));
                    }
                }
            }
            for disabled in view.moves.groups.iter().flat_map(|group| &group.disabled) {
                told += 1;
                let key =
                    (disabled.actor.clone(), disabled.text.clone(), disabled.place.as_ref().map(|p| p.line));
                // Commands that are copies of each other are told apart by what is in their way only.
                let copies = view.moves.groups.iter().flat_map(|group| &group.disabled);
                let same =
                    copies.filter(|other| other.text == disabled.text && other.actor == disabled.actor);
                assert!(
                    !possible.contains(&key) || same.count() > 1 || folder != "promela",
                    "{}: {key:?} ({}) is possible",
                    file.display(),
                    disabled.why.text()
                );
            }
            if enabled.is_empty() {
                break;
            }
            session.step(rng.below(enabled.len() as u64) as u32).unwrap();
        }
    }
    assert!(told > 1000, "{told} were told");
}

fn obstacle(session: &mut Session<'_>, actor: &str, text: &str) -> Obstacle {
    let view = session.view();
    let all = view.moves.groups.iter().flat_map(|group| &group.disabled);
    let found = all.clone().find(|one| one.actor == actor && one.text.contains(text));
    found
        .map(|one| one.why.clone())
        .unwrap_or_else(|| panic!("no {actor} {text} in {:?}", all.collect::<Vec<_>>()))
}

#[test]
fn the_reason_is_the_first_thing_in_the_way() {
    let mut session = promela(
        "byte x = 3, y; chan q = [1] of { byte }; chan r = [0] of { byte }; chan one = [1] of { byte };\n\
         active proctype A() { x < 5 && y > 1 && x == 9 -> skip }\n\
         active proctype B() { q?y }\n\
         active proctype C() { byte z; r?z }\n\
         active proctype D() { one!1; one!2 }\n\
         active proctype E() { if :: x == 3 -> skip :: else -> y = 1 fi }\n\
         active proctype F() { q!4; q!5 }\n\
         active proctype G() { byte k = 7; one?eval(k) }\n\
         active proctype H() provided (y == 2) { x = 1 }",
    );
    let Obstacle::False { part, values } = obstacle(&mut session, "A:0", "x < 5") else { panic!() };
    let values: Vec<String> =
        values.into_iter().map(|value| format!("{}={}", value.name, value.value)).collect();
    assert_eq!((part.as_str(), values), ("y > 1", vec!["y=0".to_owned()]));
    assert_eq!(obstacle(&mut session, "B:1", "q?"), Obstacle::Empty { channel: "q".to_owned() });
    let nobody = Obstacle::NoPartner { at: "r".to_owned(), missing: Vec::new() };
    assert_eq!(obstacle(&mut session, "C:2", "r?"), nobody);
    assert_eq!(obstacle(&mut session, "E:4", "else"), Obstacle::Otherwise);
    let Obstacle::False { part, .. } = obstacle(&mut session, "H:7", "x =") else { panic!() };
    assert_eq!(part, "y == 2");
    // D sends: its channel is full, and G does not want what is in it.
    let choice = session.view().moves.enabled().iter().find(|one| one.text.contains("one!1")).unwrap().choice;
    session.step(choice).unwrap();
    let full = Obstacle::Full { channel: "one".to_owned(), capacity: 1 };
    assert_eq!(obstacle(&mut session, "D:3", "one!2"), full);
    let Obstacle::Mismatch { channel, first, .. } = obstacle(&mut session, "G:6", "one?") else { panic!() };
    assert_eq!((channel.as_str(), first.as_str()), ("one", "1"));
}

#[test]
fn escapes_and_ends_say_what_they_wait_for() {
    let mut session = promela(
        "byte x; active proctype A() { { x = 1; x = 2 } unless { x == 0 } }\nactive proctype B() { x = 5 }",
    );
    assert_eq!(obstacle(&mut session, "A:0", "x = 1"), Obstacle::Overtaken);
    let mut session = promela("byte x; active proctype A() { skip }\nactive proctype B() { x == 1 }");
    let choice = session.view().moves.enabled()[0].choice;
    session.step(choice).unwrap();
    assert_eq!(obstacle(&mut session, "A:0", "-end-"), Obstacle::Younger);
}

/// Nets say which tokens lack, networks which component.
#[test]
fn nets_and_networks_say_who_is_missing() {
    let mut seen = (0, 0);
    for (folder, file) in cases().into_iter().filter(|(folder, _)| folder == "petri" || folder == "net") {
        let Ok((mut session, _)) = Session::open(&file, &LoadOptions::default()) else { continue };
        for one in session.view().moves.groups.iter().flat_map(|group| &group.disabled) {
            match (&*folder, &one.why) {
                ("petri", Obstacle::Tokens { has, needs, .. }) => {
                    assert!(has < needs, "{}", file.display());
                    seen.0 += 1;
                }
                ("petri", other) => panic!("{}: {other:?}", file.display()),
                ("net", Obstacle::NoPartner { missing, .. }) => seen.1 += usize::from(!missing.is_empty()),
                _ => {}
            }
        }
    }
    assert!(seen.0 > 0 && seen.1 > 0, "{seen:?}");
}

/// A naive search for the distance, of at least one step, to a state of which `wanted` is true.
fn distance(system: &dyn System, wanted: impl Fn(&[u8]) -> bool, most: usize) -> Option<Result<u64, usize>> {
    let mut stepper = system.stepper();
    let mut initial = Vec::new();
    stepper.initial(&mut initial);
    let (mut seen, mut queue) = (HashSet::from([initial.clone()]), VecDeque::from([(initial, 0)]));
    while let Some((state, depth)) = queue.pop_front() {
        let (mut enabled, mut next) = (Vec::new(), Vec::new());
        stepper.enabled(&state, &mut enabled);
        for &t in &enabled {
            let fault = stepper.fire(&state, t, &mut next).is_err();
            if wanted(&next) {
                return Some(Ok(depth + 1));
            }
            if !fault && seen.insert(next.clone()) {
                queue.push_back((next.clone(), depth + 1));
            }
        }
        if seen.len() > most {
            return None;
        }
    }
    Some(Err(seen.len()))
}

/// Breakpoints on the values that random walks come across: the way to them is as long as a naive search says.
#[test]
fn searches_find_the_nearest_state() {
    let (mut found, mut nowhere) = (0, 0);
    for (_, file) in cases().into_iter().filter(|(folder, _)| folder == "promela") {
        let Ok((mut session, _)) = Session::open(&file, &LoadOptions::default()) else { continue };
        session.random(11, 25, &mut |_| false);
        let fields = session.view().fields;
        let number = |field: &&elnath::event::Field| {
            field.owner.is_empty()
                && matches!(field.content, Content::Number { .. })
                && !field.name.contains('[')
        };
        for field in fields.iter().filter(number).take(2) {
            let Content::Number { value } = field.content else { unreachable!() };
            for value in [value, value + 100] {
                let text = format!("{} == {value}", field.name);
                session.jump(NodeId::ROOT).unwrap();
                let holds = |state: &[u8]| {
                    let fields = session.system().fields(state);
                    fields.iter().any(|other| {
                        (&other.owner, &other.name) == (&field.owner, &field.name)
                            && other.content == Content::Number { value }
                    })
                };
                let Some(expected) = distance(session.system(), holds, 3000) else { continue };
                match session.until(&text, Effort::default(), &mut |_| false).expect("an expression") {
                    Search::Found { node, steps, .. } => {
                        assert_eq!(Ok(steps), expected, "{} {text}", file.display());
                        assert_eq!((session.here(), session.position().len() as u64), (node, steps));
                        found += 1;
                    }
                    Search::Nowhere { states } => {
                        assert_eq!(Err(states as usize), expected, "{} {text}", file.display());
                        nowhere += 1;
                    }
                    Search::Unknown { limit, .. } => panic!("{limit}"),
                }
            }
        }
    }
    assert!(found > 40 && nowhere > 20, "{found} {nowhere}");
}

#[test]
fn searches_can_be_bounded_and_interrupted() {
    let text = "int x; active proctype P() { do :: x++ :: x = x + 2 od }";
    let mut session = promela(text);
    let effort = Effort { states: 1000, memory: 1 << 20 };
    let search = session.until("x < 0", effort, &mut |_| false).unwrap();
    assert_eq!(search, Search::Unknown { limit: "states".to_owned(), states: 1000 });
    assert_eq!(session.position(), []);
    let search = session.until("x < 0", Effort::default(), &mut |states| states > 500).unwrap();
    assert!(matches!(&search, Search::Unknown { limit, .. } if limit == "interrupted"), "{search:?}");
    let few = Effort { memory: 10_000, ..Effort::default() };
    let search = session.until("x < 0", few, &mut |_| false).unwrap();
    assert!(matches!(&search, Search::Unknown { limit, .. } if limit == "memory"), "{search:?}");
    // By chance, to a breakpoint.
    session.add_breakpoint("x > 20 && x < 30").unwrap();
    let run = session.random(1, 1000, &mut |_| false);
    assert!(matches!(run.stopped, elnath::session::RandomStop::Breakpoint { number: 0, .. }), "{run:?}");
    assert!(session.view().breakpoints[0].holds);
    assert!(session.add_breakpoint("[] (x > 20)").is_err());
    assert!(session.add_breakpoint("nothing > 20").is_err());
}

/// Counterexamples of formulas: the formula is false at their start, and each of its parts is what the evaluation says; with the same
/// seed the same run.
#[test]
fn a_counterexample_makes_its_formula_false() {
    let mut seen = 0;
    for file in with_formulas() {
        let Ok(plain) = load(&file, &LoadOptions::default()) else { continue };
        for demand in plain.demands() {
            let Demand::Infinite(Wanted::Claim(name)) = demand else { continue };
            if !plain.formulas.contains(&name) {
                continue;
            }
            let options =
                LoadOptions { property: Some(Wanted::Claim(name.clone())), ..LoadOptions::default() };
            let Ok(checked) = load(&file, &options) else { continue };
            let Ok(report) = Check::loaded(&checked).run() else { continue };
            let Verdict::Fails(shown) = report.verdict() else { continue };
            if report.first().is_fault() {
                continue;
            }
            let (mut session, _) = Session::open(&file, &LoadOptions::default()).expect("it was read before");
            let run = match session.load_violation(("counterexample", "it fails"), shown, Some(&checked)) {
                Ok(run) => run,
                Err(trouble) => panic!("{} {name}: {trouble}", file.display()),
            };
            let Some(formula) =
                session.formulas().into_iter().find(|one| one.name.as_deref() == Some(&*name))
            else {
                continue;
            };
            let whole = formula.parts.last().expect("the formula itself");
            assert_eq!(whole.truths[0], Truth::False, "{} {name}: {formula:?}", file.display());
            let length = session.runs()[run].nodes.len();
            for step in 0..length {
                session.scrub(run, step).unwrap();
                assert_eq!(session.position().len(), step);
            }
            seen += 1;
        }
    }
    assert!(seen >= 5, "{seen} counterexamples");
}

/// A lasso is gone round and round.
#[test]
fn a_lasso_goes_round() {
    let text = "byte x; ltl p { <> (x == 2) } active proctype P() { x = 1; do :: x == 1 -> x = 3 :: x == 3 -> x = 1 od }";
    let options = |property| LoadOptions {
        language: Some("promela".to_owned()),
        input: Some(text.into()),
        property,
        ..LoadOptions::default()
    };
    let Ok(checked) = load(Path::new("-"), &options(Some(Wanted::Claim("p".to_owned())))) else {
        panic!("a good model")
    };
    let report = Check::loaded(&checked).run().unwrap();
    let Verdict::Fails(shown) = report.verdict() else { panic!("it never is 2") };
    let mut session = promela(text);
    let run = session.load_violation(("p", "fails"), shown, Some(&checked)).unwrap();
    let RunShape { length, start } = shape(&session, run);
    let around = length - start;
    for step in start..length + 2 * around {
        session.scrub(run, step).unwrap();
        let state = session.state_of(session.here());
        session.scrub(run, step + around).unwrap();
        assert_eq!(session.state_of(session.here()), state, "step {step}");
    }
    assert_eq!(session.formulas()[0].parts.last().unwrap().truths[0], Truth::False);
}

struct RunShape {
    length: usize,
    start: usize,
}

fn shape(session: &Session<'_>, run: usize) -> RunShape {
    let run = &session.runs()[run];
    RunShape { length: run.nodes.len() - 1, start: run.loop_start.expect("it goes round") }
}

struct Doors;

impl Model for Doors {
    type State = (u8, u8);
    type Action = String;

    fn initial(&self) -> (u8, u8) {
        (0, 0)
    }

    fn actions(&self, state: &(u8, u8), actions: &mut Vec<String>) {
        if state.0 < 3 {
            actions.extend(["left", "right", "nothing"].map(str::to_owned));
        }
    }

    fn next(&self, state: &(u8, u8), action: &String) -> Option<(u8, u8)> {
        Some(match action.as_str() {
            "left" => (state.0 + 1, state.1),
            "right" => (state.0, (state.1 + 1) % 3),
            _ => *state,
        })
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("few", |_, state: &(u8, u8)| state.0 + state.1 < 5)]
    }
}

/// Other continuations lead to states that were not met, until there are none.
#[test]
fn another_continuation_reaches_another_place() {
    let mut session = Session::of_model(&Doors);
    let mut met: HashSet<Vec<u8>> = HashSet::from([session.state_of(NodeId::ROOT)]);
    while let Some(node) = session.another().unwrap() {
        assert!(met.insert(session.state_of(node)), "it was there before");
    }
    assert_eq!(met.len(), 12, "all states");
    session.jump(NodeId::ROOT).unwrap();
    assert!(matches!(
        session.until("!few", Effort::default(), &mut |_| false),
        Ok(Search::Found { steps: 5, .. })
    ));
    assert_eq!(session.view().ending.kind, "invariant");
}

/// A record does the same again, and the tree is the same.
#[test]
fn a_record_is_replayed() {
    let text = "byte x; chan q = [2] of { byte }; active proctype P() { do :: x++ :: q!x :: q?x od }";
    let mut session = promela(text);
    session.random(5, 20, &mut |_| false);
    session.jump(NodeId(7)).unwrap();
    session.random(6, 10, &mut |_| false);
    session.watch("x + 1").unwrap();
    session.watch("len(q)").unwrap();
    session.add_breakpoint("x == 200").unwrap();
    session.add_formula("<> (x == 1)").unwrap();
    session.back();
    let record = session.record();
    let mut other = promela(text);
    other.replay(&record).unwrap();
    assert_eq!(other.record(), record);
    assert_eq!((other.tree(), other.position()), (session.tree(), session.position()));
    let (view, again) = (session.view(), other.view());
    assert_eq!((&view.watches, view.text), (&again.watches, again.text));
    let x = view.fields.iter().find(|field| field.name == "x").map(|field| field.content.clone());
    let Some(Content::Number { value }) = x else { panic!() };
    assert_eq!(view.watches[0].value, Some(Content::Number { value: value + 1 }));
    let strange = elnath::session::SessionRecord { tree: vec![(0, 900)], ..record };
    assert!(promela(text).replay(&strange).is_err());
}

/// Ten thousand clicks: what is kept of states stays within the budget, and a full tree says so.
#[test]
fn the_memory_of_a_session_is_bounded() {
    let text = "int x; int a[200]; active proctype P() { do :: x++ :: a[x % 200] = x od }";
    let budget = SessionBudget { nodes: 11_000, states: 1 << 16 };
    let mut session = promela(text).budget(budget);
    let mut rng = Rng::new(1);
    for click in 0..10_000 {
        session.step(rng.below(2) as u32).unwrap();
        if click % 100 == 99 {
            session.jump(NodeId(rng.below(session.len() as u64) as u32)).unwrap();
        }
    }
    let most = (1 << 16) + 11_000 * 160;
    assert!(session.bytes() < most, "{} bytes of at most {most}", session.bytes());
    let run = session.random(3, 10_000, &mut |_| false);
    assert_eq!(run.stopped, elnath::session::RandomStop::Full);
    assert_eq!(session.step(0), session.step(0).and(Err(Trouble::Full)));
    session.forget_others();
    assert!(session.step(0).is_ok());
}

/// A server keeps sessions and hands them from thread to thread.
#[test]
fn sessions_can_be_sent() {
    fn is_send<T: Send>(_: &T) {}
    let session = promela("active proctype P() { skip }");
    is_send(&session);
    is_send(&Session::of_model(&Doors));
}
