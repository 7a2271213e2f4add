//! Agreement with an independent program, where it is at hand (`elnath_testkit::corpus`): `theta_reference.py`.

use crate::campaign::interpreter;
use crate::naive;
use elnath_boundedness::theta::{Relation, Search};
use elnath_boundedness::{Options, Verdict, boundedness};
use elnath_cfsm::network::Network;
use elnath_kernel::rng::Rng;
use elnath_testkit::corpus;
use std::fmt::Write;
use std::process::Command;

/// A system in the format of McScM, which the other program reads.
fn scm(network: &Network) -> String {
    let mut text = format!("scm random :\nnb_channels = {} ;\nparameters :\n", network.channels.len());
    for message in ["m0", "m1"] {
        let _ = writeln!(text, "real {message} ;");
    }
    for machine in &network.machines {
        let _ = writeln!(text, "automaton {} :\ninitial : {}", machine.name, machine.initial);
        for state in 0..machine.states.len() {
            let _ = writeln!(text, "state {state} :");
            for transition in machine.transitions.iter().filter(|transition| transition.source == state) {
                let action = transition
                    .receives
                    .first()
                    .map(|word| (word, '?'))
                    .or_else(|| transition.sends.first().map(|word| (word, '!')));
                let action = action
                    .map_or_else(String::new, |((f, word), sign)| format!(" , {f} {sign} m{}", word[0]));
                let _ = writeln!(text, "to {} : when true{action} ;", transition.target);
            }
        }
    }
    text
}

/// A random system of machines that do one thing at a time, with empty channels, and nothing else.
fn simple(rng: &mut Rng) -> Network {
    let mut network = naive::random(rng);
    network.channels.iter_mut().for_each(|channel| channel.contents.clear());
    for transition in network.machines.iter_mut().flat_map(|machine| &mut machine.transitions) {
        transition.priority = 0;
        if !transition.receives.is_empty() {
            transition.sends.clear();
        }
        transition.receives.iter_mut().chain(&mut transition.sends).for_each(|(_, word)| word.truncate(1));
    }
    network
}

#[test]
fn an_independent_program_agrees() {
    let test = "boundedness against an independent program";
    let Some(folder) = corpus::folder_for(test, corpus::ORACLES) else { return };
    let long = std::env::var("ELNATH_BOUNDEDNESS").is_ok();
    let directory = std::env::temp_dir().join(format!("elnath-reference-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let networks: Vec<Network> =
        (0..if long { 3000 } else { 150 }).map(|seed| simple(&mut Rng::new(seed))).collect();
    let paths: Vec<_> = networks
        .iter()
        .enumerate()
        .map(|(number, network)| {
            let path = directory.join(format!("{number}.scm"));
            std::fs::write(&path, scm(network)).expect("a file");
            path
        })
        .collect();
    // Its own limits are generous, so that a few of the systems take it long: it is asked in small groups.
    let script = "import sys; sys.path.insert(0, sys.argv[1]); import theta_reference as t\n\
        for p in sys.argv[2:]: print(t.dfs(t.read(p), t.th93, max_depth=60, max_fired=600).verdict)";
    let mut verdicts = Vec::new();
    for group in paths.chunks(50) {
        let output = Command::new("python3").arg("-c").arg(script).arg(&folder).args(group).output();
        let Ok(output) = output else {
            corpus::say("skipped: there is no python3 for the independent program");
            return;
        };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        verdicts.extend(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned));
    }
    std::fs::remove_dir_all(&directory).expect("it was ours");
    assert_eq!(verdicts.len(), networks.len());
    let mut settled = 0;
    for (seed, (network, theirs)) in networks.iter().zip(&verdicts).enumerate() {
        let mut watch = |_: &elnath_kernel::Counters| None;
        let mut options = Options {
            relation: Relation::Th93,
            search: Some(Search::DepthFirst),
            window: usize::MAX,
            statically: false,
            depth: 200,
            firings: 20_000,
            memory: 1 << 26,
            seed: 1,
            watch: &mut watch,
        };
        let answer = boundedness(&interpreter(network), &mut options);
        let ours = match answer.verdict {
            Verdict::Bounded(_) => "bounded",
            Verdict::Unbounded(_) => "unbounded",
            Verdict::Unknown(_) => "saturated",
        };
        if theirs != "saturated" && ours != "saturated" {
            settled += 1;
            assert_eq!(ours, theirs, "seed {seed}\n{}", naive::show(network));
        }
    }
    assert!(settled > networks.len() / 2, "only {settled} of {} were settled", networks.len());
}
