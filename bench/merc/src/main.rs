//! How long elnath and MERC take to read a graph and to reduce it, strongly and by branching bisimulation.
//!
//! Both run in this process, one after the other for each task and round, and what counts is the time of processors, so
//! that a busy machine is unfair to neither; the table has medians and their ratio. Sizes of quotients must agree, or
//! there is no table; MERC keeps classes that cannot be reached, which are not counted.
//!
//! `elnath-versus-merc [--rounds N] FILE...`, or `--generate DIR` to write the large graphs of the results.
//! `elnath-versus-merc --apart LEFT RIGHT` reads, reduces and compares two graphs, each task in a process of its own, and has the
//! memory of each as well. `elnath-versus-merc --reorder|--late|--early SEED GRAPH OUT` writes the graph to compare with: the same in another order,
//! with one label changed far from the initial state, or near it.

use elnath_kernel::relation::Relation;
use elnath_kernel::rng::Rng;
use elnath_lts::aut::{Dialect, ReadOptions, read_file, write};
use elnath_lts::{Builder, Lts};
use elnath_versus_merc::apart::{self, cpu_time};
use elnath_versus_merc::disturb::{Change, disturb};
use elnath_versus_merc::{Merc, ours, theirs};
use merc_lts::{LTS, reachable_lts, read_aut};
use merc_reduction::Equivalence;
use std::fs::File;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

const TASKS: [(Relation, Equivalence); 2] =
    [(Relation::Strong, Equivalence::StrongBisim), (Relation::Branching, Equivalence::BranchingBisim)];

fn main() {
    let mut rounds = None;
    let mut files = Vec::new();
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--rounds") => {
                let number = arguments.next().and_then(|n| n.to_str()?.parse::<usize>().ok());
                rounds = Some(number.expect("--rounds takes a number"));
            }
            Some("--generate") => {
                return generate(Path::new(&arguments.next().expect("--generate takes a folder")));
            }
            Some(word @ ("--reorder" | "--late" | "--early")) => {
                let change = match word {
                    "--reorder" => Change::Nothing,
                    "--late" => Change::Late,
                    _ => Change::Early,
                };
                let words: Vec<_> = arguments.collect();
                let [seed, from, to] = &words[..] else { panic!("{word} takes a seed and two files") };
                let seed = seed.to_str().and_then(|seed| seed.parse().ok()).expect("a number is the seed");
                return disturb(change, seed, Path::new(from), Path::new(to));
            }
            Some("--apart") => return apart::table(&arguments.map(PathBuf::from).collect::<Vec<_>>()),
            Some("--task") => return apart::task(&arguments.collect::<Vec<_>>()),
            _ => files.push(PathBuf::from(argument)),
        }
    }
    println!("Milliseconds of processor time: ours, MERC's, and how many times ours go into theirs.\n");
    println!("| graph | states | transitions | load | strong | branching |");
    println!("|---|---:|---:|---:|---:|---:|");
    for file in files {
        compare(&file, rounds);
    }
}

/// Times of one task: ours and theirs.
#[derive(Default)]
struct Times([Vec<Duration>; 2]);

impl Times {
    fn push(&mut self, side: usize, begin: Duration) {
        self.0[side].push(cpu_time() - begin);
    }

    fn text(&mut self) -> String {
        let [ours, theirs] = &mut self.0;
        let [ours, theirs] = [median(ours), median(theirs)];
        format!("{:.2}, {:.2}: **{:.1}**", ours * 1e3, theirs * 1e3, theirs / ours)
    }
}

fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64()
}

fn compare(file: &Path, rounds: Option<usize>) {
    let load_ours = || read_file(file, &ReadOptions::default()).expect("a good file").lts;
    let load_theirs = || read_aut(File::open(file).expect("the file is there")).expect("a good file");
    let begin = cpu_time();
    let (lts, merc): (Lts, Merc) = (load_ours(), load_theirs());
    for (relation, equivalence) in TASKS {
        let (a, b) = (ours(&lts, relation).lts, reachable_lts(&theirs(merc.clone(), equivalence, false)));
        let sizes = |states: usize, transitions: usize| format!("{states}/{transitions}");
        assert_eq!(
            sizes(a.num_states(), a.num_transitions()),
            sizes(b.num_of_states(), b.num_of_transitions()),
            "{} of {}",
            relation.name(),
            file.display()
        );
    }
    // Small graphs take microseconds and are done often; ten-second ones are not.
    let rounds =
        rounds.unwrap_or_else(|| (10.0 / (cpu_time() - begin).as_secs_f64()).clamp(5.0, 101.0) as usize);
    let mut load = Times::default();
    let mut reductions = [Times::default(), Times::default()];
    for _ in 0..rounds {
        let begin = cpu_time();
        black_box(load_ours());
        load.push(0, begin);
        let begin = cpu_time();
        black_box(load_theirs());
        load.push(1, begin);
        for ((relation, equivalence), times) in TASKS.into_iter().zip(&mut reductions) {
            let begin = cpu_time();
            black_box(ours(&lts, relation));
            times.push(0, begin);
            let copy = merc.clone();
            let begin = cpu_time();
            black_box(theirs(copy, equivalence, false));
            times.push(1, begin);
        }
    }
    let [strong, branching] = &mut reductions;
    println!(
        "| {} | {} | {} | {} | {} | {} |",
        file.file_stem().unwrap_or_default().to_string_lossy(),
        lts.num_states(),
        lts.num_transitions(),
        load.text(),
        strong.text(),
        branching.text(),
    );
}

/// Graphs of a million states and five million transitions. `random`: each transition leads anywhere, and hardly any two
/// states are equivalent. `copies`: a hundred copies of a random graph of ten thousand states, each transition leading to
/// any copy of its target. `layers`: each transition leads a little forward, as in graphs that a program generates.
fn generate(folder: &Path) {
    const STATES: u64 = 1_000_000;
    for family in ["random", "copies", "layers"] {
        for internal in [0, 30, 90] {
            let mut rng = Rng::new(internal);
            let mut builder = Builder::new();
            let labels: Vec<u32> = ["a", "b", "c", "d", "e", "f"].map(|name| builder.label(name)).into();
            let tau = builder.label("i");
            // What the transition `k` of a state does depends on the state of which it is a copy.
            let small = STATES / 100;
            for from in 0..STATES {
                for k in 0..5 {
                    let mut chance = match family {
                        "copies" => Rng::new(internal << 32 | (from % small) << 3 | k),
                        _ => rng.clone(),
                    };
                    let silent = chance.below(100) < internal;
                    let label = if silent { tau } else { labels[chance.below(6) as usize] };
                    let target = chance.below(STATES);
                    let to = match family {
                        "random" => target,
                        "copies" => target % small + small * rng.below(100),
                        _ => (from + 1 + target % 1000).min(STATES - 1),
                    };
                    rng.next_u64();
                    rng = Rng::new(rng.next_u64());
                    builder.push(from as u32, label, to as u32);
                }
            }
            let path = folder.join(format!("{family}-{internal}.aut"));
            let out = File::create(&path).expect("a folder that can be written to");
            write(&builder.finish(0), Dialect::Cadp, out).expect("a folder that can be written to");
            println!("{}", path.display());
        }
    }
}
