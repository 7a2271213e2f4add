//! Agreement with an independent program, where it is at hand (`elnath_testkit::corpus`): `theta_reference.py`.
//!
//! It is started once for so many seeds: starting it takes longer than most of its answers.

use super::{interpreter, machines};
use crate::files::File;
use crate::trial::{Trial, counts};
use elnath_boundedness::theta::{PairCondition, PairSearch};
use elnath_boundedness::{BoundednessOptions, boundedness};
use elnath_cfsm::network::Network;
use elnath_kernel::Verdict;
use elnath_kernel::rng::Rng;
use elnath_testkit::corpus;
use std::collections::HashMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

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
    let mut network = machines::random(rng);
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

/// What the other program is asked. Its own limits are generous, so that a few of the systems take it long.
const SCRIPT: &str = "import sys; sys.path.insert(0, sys.argv[1]); import theta_reference as t\n\
    for p in sys.argv[2:]: print(t.dfs(t.read(p), t.th93, max_depth=60, max_fired=600).verdict)";
/// The seeds of which it is asked at once.
const BLOCK: u64 = 50;

counts! {
    struct Seen { settled }
}

pub(super) fn independent(trial: &mut Trial<'_>) {
    let Some(folder) = trial.corpus(corpus::ORACLES) else { return };
    let python = Command::new("python3").arg("--version").output().is_ok();
    if !python {
        corpus::say("skipped: there is no python3 for the independent program about boundedness");
    }
    let program = Program { folder, verdicts: Mutex::default() };
    let seen = trial.cases(0..150, |case, seen: &mut Seen| {
        if !python {
            return Err("without python3 for the independent program");
        }
        let network = simple(&mut Rng::new(case.seed));
        let (ours, theirs) = (ours(&network), program.verdict(case.seed));
        if ours == SATURATED || theirs == SATURATED {
            return Err("not settled by both");
        }
        seen.settled += 1;
        assert_eq!(ours, theirs, "{}", machines::show(&network));
        Ok(())
    });
    trial.enough(!python || seen.settled > trial.asked() / 2, "systems that both have settled");
}

/// The search ran out of what it was granted.
const SATURATED: &str = "saturated";

fn ours(network: &Network) -> &'static str {
    let mut watch = |_: &elnath_kernel::Counters| None;
    let mut options = BoundednessOptions {
        relation: PairCondition::Th93,
        search: Some(PairSearch::DepthFirst),
        window: usize::MAX,
        statically: false,
        depth: 200,
        firings: 20_000,
        memory: 1 << 26,
        seed: 1,
        watch: &mut watch,
    };
    match boundedness(&interpreter(network), &mut options).verdict {
        Verdict::Holds(_) => "bounded",
        Verdict::Fails(_) => "unbounded",
        Verdict::Unknown(_) => SATURATED,
    }
}

/// The other program, and what it has said of blocks of seeds.
struct Program {
    folder: PathBuf,
    verdicts: Mutex<HashMap<u64, Arc<OnceLock<Vec<String>>>>>,
}

impl Program {
    fn verdict(&self, seed: u64) -> String {
        let mut verdicts = self.verdicts.lock().unwrap_or_else(PoisonError::into_inner);
        let block = Arc::clone(verdicts.entry(seed / BLOCK).or_default());
        drop(verdicts);
        block.get_or_init(|| self.ask(seed / BLOCK * BLOCK))[(seed % BLOCK) as usize].clone()
    }

    /// Its verdicts about the block of seeds that begins here.
    fn ask(&self, first: u64) -> Vec<String> {
        let file = |seed| File::with_ending("boundedness", "scm", &scm(&simple(&mut Rng::new(seed))));
        let files: Vec<File> = (first..first + BLOCK).map(file).collect();
        let mut command = Command::new("python3");
        command.arg("-c").arg(SCRIPT).arg(&self.folder).args(files.iter().map(File::path));
        let output = command.output().expect("python3 was there before");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let verdicts: Vec<String> =
            String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
        assert_eq!(verdicts.len(), files.len(), "a verdict for each");
        verdicts
    }
}
