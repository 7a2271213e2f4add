//! What is wrong with communicating machines, against the definitions read literally on every configuration of random networks: no
//! expression, no reduction, no engine. Two facts are checked beside the verdicts, on which partial order reduction relies: a machine
//! with an unspecified reception never moves again, and an orphan message is never received.

use super::Part;
use crate::trial::{Trial, counts};
use elnath::{Blocked, Check, Engine, LoadOptions, Reductions, Verdict, load};
use elnath_cfsm::network::Transition;
use elnath_cfsm::{Format, Network};
use elnath_kernel::rng::Rng;
use elnath_source::SourceText;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

pub(super) const PARTS: &[Part] = &[Part {
    name: "blocked",
    meaning: "deadlocks, unspecified receptions, orphan messages and full channels of random machines, against their definitions",
    run: blocked,
}];

/// Larger networks are not compared.
const MOST: usize = 3_000;

counts! {
    /// What the definitions found.
    struct Seen { networks, states, deadlock, unspecified, orphan, full, none, reduced }
}

fn blocked(trial: &mut Trial<'_>) {
    let sums = trial.cases(0..400, |case, sums: &mut Seen| {
        let mut rng = Rng::new(case.seed);
        let capacity = [None, Some(1), Some(2)][rng.below(3) as usize];
        let text = case.keep(random_machines(&mut rng));
        let (network, _) =
            elnath_cfsm::parse(&SourceText::new("random.fifo", text.clone()), Format::Language)
                .map_err(|_| "refused")?;
        let naive = Naive { network: &network, capacity };
        let Some((states, expected)) = naive.explore() else { return Err("too large") };
        let engine = if rng.below(2) == 0 { Engine::Jit } else { Engine::Interpreter };
        let options = LoadOptions {
            language: Some("machines".to_owned()),
            input: Some(Arc::from(text.as_str())),
            engine,
            capacity,
            ..LoadOptions::default()
        };
        let loaded = load(Path::new("-"), &options).map_err(|_| "refused")?;
        for reductions in [Reductions::USUAL, Reductions::NONE] {
            let threads = 1 + rng.below(2) as usize;
            let report = Check::loaded(&loaded).reductions(reductions).threads(threads).run();
            let report = report.unwrap_or_else(|problem| panic!("seed {}: {problem}\n{text}", case.seed));
            let found: BTreeSet<String> = report
                .properties
                .iter()
                .filter(|property| matches!(property.verdict, Verdict::Fails(_)))
                .filter_map(|property| property.name.clone())
                .collect();
            let wanted: BTreeSet<String> =
                expected.iter().map(|property| property.name().to_owned()).collect();
            assert_eq!(found, wanted, "seed {}, capacity {capacity:?}, {reductions:?}\n{text}", case.seed);
            let walked = report.properties.iter().map(|property| property.figures.counters.states).max();
            sums.reduced += u64::from(walked < Some(states as u64));
        }
        sums.networks += 1;
        sums.states += states as u64;
        let has = |property| u64::from(expected.contains(&property));
        sums.deadlock += has(Blocked::Deadlock);
        sums.unspecified += has(Blocked::UnspecifiedReception);
        sums.orphan += has(Blocked::OrphanMessage);
        sums.full += has(Blocked::FullChannel);
        sums.none += u64::from(expected.is_empty());
        Ok(())
    });
    let kinds = [sums.deadlock, sums.unspecified, sums.orphan, sums.full, sums.none, sums.reduced];
    trial.enough(kinds.iter().all(|&kind| kind > trial.asked() / 100), "kinds of violations");
}

/// Two or three machines in the language of `.fifo` files: mostly channels between two of them, some that all share, words,
/// priorities, capacities, ends that can be left.
fn random_machines(rng: &mut Rng) -> String {
    let machines = 2 + rng.below(2) as usize;
    let channels = 1 + rng.below(3) as usize;
    let mut text = String::new();
    // Sender and receiver of each; the same is the number of machines: everybody.
    let mut ends = Vec::new();
    for channel in 0..channels {
        let from = rng.below(machines as u64) as usize;
        let to = (from + 1 + rng.below(machines as u64 - 1) as usize) % machines;
        let shared = rng.below(5) == 0;
        ends.push(if shared { (machines, machines) } else { (from, to) });
        let between = if shared { String::new() } else { format!(" from M{from} to M{to}") };
        let capacity =
            if rng.below(6) == 0 { format!(" capacity {}", 1 + rng.below(2)) } else { String::new() };
        text += &format!("channel f{channel}{between} of a, b{capacity}\n");
    }
    for machine in 0..machines {
        let states = 2 + rng.below(3);
        text += &format!("machine M{machine} {{\n    start 0\n");
        if rng.below(4) == 0 {
            text += &format!("    end {}\n", rng.below(states));
        }
        for number in 0..2 + rng.below(states + 1) {
            // The first leaves the start, so that there is one.
            let source = if number == 0 { 0 } else { rng.below(states) };
            let mut actions = Vec::new();
            for _ in 0..1 + u64::from(rng.below(6) == 0) {
                let channel = rng.below(channels as u64) as usize;
                let (from, to) = ends[channel];
                let sign = match (from == machine, to == machine) {
                    _ if from == machines => ["!", "?"][rng.below(2) as usize],
                    (true, _) => "!",
                    (_, true) => "?",
                    _ => continue,
                };
                let letter = |rng: &mut Rng| ["a", "a", "b"][rng.below(3) as usize];
                let mut word = letter(rng).to_owned();
                if rng.below(8) == 0 {
                    word += &format!(".{}", letter(rng));
                }
                actions.push(format!("f{channel}{sign}{word}"));
            }
            if actions.is_empty() && rng.below(3) > 0 {
                actions.push("tau".to_owned());
            }
            let actions = actions.into_iter().filter(|action| action != "tau").collect::<Vec<_>>().join(", ");
            let colon = if actions.is_empty() { String::new() } else { format!(": {actions}") };
            let priority = if rng.below(10) == 0 && !colon.is_empty() {
                " priority 1".to_owned()
            } else {
                String::new()
            };
            text += &format!("    {source} -> {}{colon}{priority}\n", rng.below(states));
        }
        text += "}\n";
    }
    text
}

/// Where the machines are, and what the channels hold.
type Configuration = (Vec<usize>, Vec<Vec<u32>>);

struct Naive<'n> {
    network: &'n Network,
    capacity: Option<u32>,
}

impl Naive<'_> {
    /// How many configurations there are, and what is wrong in some of them; nothing if there are too many.
    fn explore(&self) -> Option<(usize, BTreeSet<Blocked>)> {
        let initial = (
            self.network.machines.iter().map(|machine| machine.initial).collect(),
            self.network.channels.iter().map(|channel| channel.contents.clone()).collect(),
        );
        let mut graph: HashMap<Configuration, Vec<(usize, &Transition, Configuration)>> = HashMap::new();
        let mut queue = vec![initial];
        while let Some(here) = queue.pop() {
            if graph.contains_key(&here) {
                continue;
            }
            let moves = self.moves(&here);
            queue.extend(moves.iter().map(|(_, _, next)| next.clone()));
            graph.insert(here, moves);
            if graph.len() > MOST {
                return None;
            }
        }
        let mut wrong = BTreeSet::new();
        for (here, moves) in &graph {
            let unspecified: Vec<usize> = (0..self.network.machines.len())
                .filter(|&machine| self.is_unspecified(here, machine))
                .collect();
            let orphaned: Vec<usize> =
                (0..self.network.channels.len()).filter(|&channel| self.is_orphaned(here, channel)).collect();
            for (machine, transition, next) in moves {
                assert!(!unspecified.contains(machine), "a blocked machine moves");
                assert!(unspecified.iter().all(|&machine| self.is_unspecified(next, machine)));
                let takes = |channel: &usize| transition.receives.iter().any(|(other, _)| other == channel);
                assert!(!orphaned.iter().any(takes), "an orphan message is received");
                assert!(orphaned.iter().all(|&channel| self.is_orphaned(next, channel)));
            }
            let may_end =
                here.0.iter().zip(&self.network.machines).all(|(&state, machine)| machine.states[state].end);
            let left = here.1.iter().any(|contents| !contents.is_empty());
            if !unspecified.is_empty() {
                wrong.insert(Blocked::UnspecifiedReception);
            }
            if !orphaned.is_empty() || moves.is_empty() && may_end && left {
                wrong.insert(Blocked::OrphanMessage);
            }
            if moves.is_empty() && !may_end && unspecified.is_empty() {
                let full = self.waits_for_room(here);
                wrong.insert(if full { Blocked::FullChannel } else { Blocked::Deadlock });
            }
        }
        Some((graph.len(), wrong))
    }

    fn moves(&self, here: &Configuration) -> Vec<(usize, &Transition, Configuration)> {
        let mut moves = Vec::new();
        for (number, machine) in self.network.machines.iter().enumerate() {
            let possible =
                machine.transitions.iter().filter(|transition| transition.source == here.0[number]);
            let possible: Vec<_> = possible
                .filter_map(|transition| Some((transition, self.fire(here, number, transition)?)))
                .collect();
            let highest = possible.iter().map(|(transition, _)| transition.priority).max();
            let taken = possible.into_iter().filter(|(transition, _)| Some(transition.priority) == highest);
            moves.extend(taken.map(|(transition, next)| (number, transition, next)));
        }
        moves
    }

    fn fire(&self, here: &Configuration, machine: usize, transition: &Transition) -> Option<Configuration> {
        let mut next = here.clone();
        for (channel, word) in &transition.receives {
            next.1[*channel] = next.1[*channel].strip_prefix(&word[..])?.to_vec();
        }
        for (channel, word) in &transition.sends {
            next.1[*channel].extend(word);
            let of = &self.network.channels[*channel];
            let most = of.capacity.or(self.capacity).map(|most| (most as usize).max(of.contents.len()));
            if most.is_some_and(|most| next.1[*channel].len() > most) {
                return None;
            }
        }
        next.0[machine] = transition.target;
        Some(next)
    }

    fn readers(&self, channel: usize) -> Vec<usize> {
        let reads = |transition: &Transition| transition.receives.iter().any(|(other, _)| *other == channel);
        let machines = self.network.machines.iter().enumerate();
        machines
            .filter(|(_, machine)| machine.transitions.iter().any(reads))
            .map(|(number, _)| number)
            .collect()
    }

    /// Every transition from here takes a word that does not agree with what has arrived on a channel of this machine alone.
    fn is_unspecified(&self, here: &Configuration, machine: usize) -> bool {
        let transitions = &self.network.machines[machine].transitions;
        let mut leaving =
            transitions.iter().filter(|transition| transition.source == here.0[machine]).peekable();
        let refused = |transition: &Transition| {
            transition.receives.iter().any(|(channel, word)| {
                let mut pairs = word.iter().zip(&here.1[*channel]);
                self.readers(*channel) == [machine] && pairs.any(|(wanted, arrived)| wanted != arrived)
            })
        };
        leaving.peek().is_some() && leaving.all(refused)
    }

    /// The channel holds something, and whoever receives from it cannot come to do so again.
    fn is_orphaned(&self, here: &Configuration, channel: usize) -> bool {
        let comes_to_receive = |machine: usize| {
            let transitions = &self.network.machines[machine].transitions;
            let mut reached = vec![here.0[machine]];
            let mut at = 0;
            while at < reached.len() {
                let from = reached[at];
                for transition in transitions.iter().filter(|transition| transition.source == from) {
                    if transition.receives.iter().any(|(other, _)| *other == channel) {
                        return true;
                    }
                    if !reached.contains(&transition.target) {
                        reached.push(transition.target);
                    }
                }
                at += 1;
            }
            false
        };
        !here.1[channel].is_empty() && !self.readers(channel).into_iter().any(comes_to_receive)
    }

    /// With one more place, or a few, in the channels whose capacity is the user's, something would be possible.
    fn waits_for_room(&self, here: &Configuration) -> bool {
        // A word has at most four letters here.
        let roomier = Naive { network: self.network, capacity: self.capacity.map(|capacity| capacity + 100) };
        self.capacity.is_some() && !roomier.moves(here).is_empty()
    }
}
