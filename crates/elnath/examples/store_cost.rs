//! What the tree store costs on the states of a real model: `store_cost FILE..` walks each breadth first with the tree
//! store and prints bytes per state, then walks it again only to compute keys, to tell the time of the store from the
//! time of the engine.

#![allow(clippy::print_stdout, clippy::print_stderr)] // It is a tool for the terminal.

use elnath::LoadOptions;
use elnath_kernel::store::{Full, Ref, Shared, Tree};
use elnath_kernel::{Successors, System};
use std::time::Instant;

fn main() {
    for file in std::env::args().skip(1) {
        let loaded = match elnath::load(file.as_ref(), &LoadOptions::default()) {
            Ok(loaded) => loaded,
            Err(error) => {
                error.into_messages().iter().for_each(|message| eprintln!("{message}"));
                std::process::exit(2);
            }
        };
        measure(&file, &*loaded.system);
    }
}

fn measure(file: &str, system: &dyn System) {
    let mut tree = Tree::new();
    let mut worker = tree.worker();
    let mut stepper = system.stepper();
    let (mut state, mut successors) = (Vec::new(), Successors::default());
    stepper.initial(&mut state);
    let mut queue: Vec<Ref> = put(&mut tree, &mut worker, &state).into_iter().collect();
    let (length, start) = (state.len(), Instant::now());
    let (mut at, mut transitions) = (0, 0);
    while at < queue.len() {
        tree.read(&mut worker, queue[at], &mut state);
        stepper.successors(&state, &mut successors);
        for next in successors.iter() {
            transitions += 1;
            queue.extend(put(&mut tree, &mut worker, next.state));
        }
        at += 1;
    }
    let with = start.elapsed();
    let start = Instant::now();
    for &at in &queue {
        tree.read(&mut worker, at, &mut state);
        stepper.successors(&state, &mut successors);
    }
    let without = start.elapsed();
    let states = queue.len() as f64;
    println!(
        "{file}: {} states of {length} bytes, {transitions} transitions; {:.2} bytes per state, of which parts {:.2}; \
         {:.0} ns per transition, {:.0} without looking up",
        queue.len(),
        tree.bytes() as f64 / states,
        tree.node_bytes() as f64 / states,
        with.as_nanos() as f64 / f64::from(transitions),
        without.as_nanos() as f64 / f64::from(transitions),
    );
}

fn put(tree: &mut Tree, worker: &mut <Tree as Shared>::Worker, state: &[u8]) -> Option<Ref> {
    loop {
        match tree.key(worker, state).and_then(|key| tree.insert(worker, state, key, Ref::NONE)) {
            Ok(at) => {
                if tree.wants_growth() {
                    tree.grow(usize::MAX).expect("no limit");
                }
                return at;
            }
            Err(Full) => tree.grow(usize::MAX).expect("no limit"),
        }
    }
}
