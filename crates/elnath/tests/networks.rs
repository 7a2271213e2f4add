//! Programs seen from outside and networks of files, compared with what they are to do.

use elnath::Verdict;
use elnath::compare::Difference;
use elnath::net::{Pattern, Relabelled, Rules};
use elnath::{Check, Compare, Direction, Engine, LoadError, LoadOptions, Relation, System, Wanted, load};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// A model as it is compared, with nothing visible but what the patterns mean.
fn seen(path: &Path, engine: Engine, visible: &str) -> Arc<dyn System> {
    let options = LoadOptions { observed: true, engine, ..LoadOptions::default() };
    let loaded = load(path, &options).unwrap_or_else(|error| panic!("{:?}", error.into_messages()));
    assert_eq!(loaded.warnings, []);
    let rules = Rules::new().hide_all_but(Pattern::regex(visible).expect("a regular expression"));
    Arc::new(Relabelled::new(loaded.system, Arc::new(rules)))
}

fn verdict(left: Arc<dyn System>, right: Arc<dyn System>, relation: Relation) -> Verdict<Difference> {
    let compared = Compare::systems(left, right).relation(relation).shortest().run();
    compared.unwrap_or_else(|refusal| panic!("{refusal}")).into_verdict()
}

const BISIMULATIONS: [Relation; 3] = [Relation::Branching, Relation::Weak, Relation::TauStarA];

#[test]
fn the_alternating_bit_protocol_is_a_buffer() {
    for engine in [Engine::Interpreter, Engine::Jit] {
        let service = seen(&example("buffer.aut"), engine, ".*");
        for relation in BISIMULATIONS {
            let protocol = seen(&example("abp.pml"), engine, "(put|get).*");
            let verdict = verdict(protocol, Arc::clone(&service), relation);
            assert!(matches!(verdict, Verdict::Holds(_)), "{relation:?}");
        }
        // Lines may lose everything for ever, which the buffer does not.
        let protocol = seen(&example("abp.pml"), engine, "(put|get).*");
        let verdict = verdict(protocol, service, Relation::DivergenceBranching);
        assert!(matches!(verdict, Verdict::Fails(_)));
    }
}

#[test]
fn the_broken_protocol_delivers_twice() {
    let service = seen(&example("buffer.aut"), Engine::Jit, ".*");
    for relation in BISIMULATIONS {
        let protocol = seen(&example("abp-broken.pml"), Engine::Jit, "(put|get).*");
        let Verdict::Fails(Difference::Game(diagnosis)) = verdict(protocol, Arc::clone(&service), relation)
        else {
            panic!("{relation:?}: it is broken");
        };
        if relation == Relation::TauStarA {
            let headline = diagnosis.headline(["abp-broken.pml", "buffer.aut"]);
            assert!(headline.ends_with("can do get!0, buffer.aut cannot"), "{headline}");
        }
    }
}

#[test]
fn a_network_of_graphs_is_a_buffer() {
    let service = || seen(&example("abp/service.aut"), Engine::Jit, ".*");
    for relation in BISIMULATIONS {
        let network = seen(&example("abp.net"), Engine::Jit, ".*");
        let verdict = verdict(network, service(), relation);
        assert!(matches!(verdict, Verdict::Holds(_)), "{relation:?}");
    }
    let network = seen(&example("abp.net"), Engine::Jit, ".*");
    let compared = Compare::systems(network, service()).relation(Relation::Strong);
    let compared =
        compared.direction(Direction::Preorder).run().unwrap_or_else(|refusal| panic!("{refusal}"));
    assert!(matches!(compared.verdict(), Verdict::Fails(_)), "the network has internal steps");
}

#[test]
fn a_network_is_checked_like_any_model() {
    let wanted = |text: &str| Some(Wanted::Ltl(text.to_owned()));
    let holds = |text: &str| {
        let options = LoadOptions { property: wanted(text), ..LoadOptions::default() };
        let loaded =
            load(&example("abp.net"), &options).unwrap_or_else(|error| panic!("{:?}", error.into_messages()));
        assert_eq!(loaded.warnings, []);
        let property = loaded.property.expect("it was wanted");
        let report = Check::system(loaded.system).property(property).run().expect("it can be asked");
        matches!(report.verdict(), Verdict::Holds(_))
    };
    assert!(holds("G (put -> X (!put W get))"));
    assert!(holds("!get W action(p.t)"));
    assert!(!holds("G (put -> F get)"), "lines may lose everything for ever");
    let loaded = load(&example("abp.net"), &LoadOptions::default()).unwrap_or_else(|_| panic!("it is there"));
    let report = Check::system(loaded.system).run().expect("it can be asked");
    assert!(matches!(report.verdict(), Verdict::Holds(_)), "there is no deadlock");
}

/// Files in a folder that is gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let path = std::env::temp_dir().join(format!("elnath-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder can be made");
        files
            .iter()
            .for_each(|(name, text)| std::fs::write(path.join(name), text).expect("it can be written"));
        Self(path)
    }

    /// All that is wrong with one of them; the folder is left out.
    fn complaints(&self, file: &str) -> Vec<String> {
        let loaded = load(&self.0.join(file), &LoadOptions::default());
        let messages = loaded.map(|_| ()).expect_err("it is broken").into_messages();
        let folder = format!("{}/", self.0.display());
        messages.iter().map(|message| message.to_string().replace(&folder, "")).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn what_is_wrong_with_components_is_told_at_once() {
    let folder = Folder::new(
        "networks",
        &[
            ("a.net", "\"b.net\" ||| \"./b.net\" ||| \"c.aut\""),
            ("b.net", "\"c.aut\" |[x]| \"a.net\""),
            ("c.aut", "des (0, 1, 1)\n(0, x, 0)\n"),
            ("d.net", "\"d.aut\" ||| \"e.pml\"\n||| \"c.pml\""),
            ("d.aut", "des (0, 1, 1)\n(0, x)\n"),
            ("e.pml", "active proctype P() { y = 1 }"),
        ],
    );
    let complaints = folder.complaints("a.net");
    assert_eq!(complaints[1], "b.net:1:15: error: this network contains itself: a.net -> b.net -> a.net");
    let complaints = folder.complaints("d.net");
    let errors: Vec<&str> = complaints.iter().map(|text| text.split(": ").next().unwrap_or("")).collect();
    assert_eq!(errors, ["d.net:1:1", "d.aut:2:5", "d.net:1:13", "e.pml:1:23", "d.net:2:5"], "{complaints:?}");
    assert_eq!(complaints[4], "d.net:2:5: error: there is no file c.pml");
}

#[test]
fn a_component_that_is_too_large_is_no_error() {
    let options = LoadOptions { memory: Some(64), ..LoadOptions::default() };
    let loaded = load(&example("abp.net"), &options);
    assert!(matches!(loaded.map(|_| ()), Err(LoadError::TooLarge { .. })));
}

#[test]
fn programs_and_graphs_work_together() {
    let folder = Folder::new(
        "mixed",
        &[
            ("user.pml", "chan ask = [0] of { byte }; active proctype U() { byte x; ask!7; printf(\"GET !%d\", 3); end: ask!9 }
              active proctype S() { byte x; end: do :: ask?x od }"),
            ("server.aut", "des (0, 3, 3)\n(0, \"GET !1\", 1)\n(0, \"GET !3\", 2)\n(2, \"done\", 2)\n"),
            ("all.net", "let User = \"user.pml\"\nhide ask in User |[GET]| \"server.aut\"\n"),
        ],
    );
    let loaded = load(&folder.0.join("all.net"), &LoadOptions::default());
    let loaded = loaded.unwrap_or_else(|error| panic!("{:?}", error.into_messages()));
    let mut walk = elnath::Simulation::new(&*loaded.system);
    let mut labels = Vec::new();
    for _ in 0..3 {
        let t = walk.enabled()[0];
        let mut stepper = loaded.system.stepper();
        labels.push(loaded.system.action_name(stepper.action(walk.run().last(), t)));
        walk.fire(t);
    }
    assert_eq!(labels, ["i", "GET !3", "i"]);
}
