//! Programs as they are seen from outside, with both engines below, against what counterexamples tell of the same
//! transitions, which is found in another way.

use super::Part;
use crate::trial::{Trial, counts};
use elnath_jit::Compiled;
use elnath_kernel::event::MessageKind;
use elnath_kernel::{Describe, Stepper, Successors, System, Transition};
#[cfg(test)]
use elnath_program::ir::Capacity;
use elnath_program::ir::Guard;
use elnath_program::{Interpreter, Observed};
use elnath_testkit::{random_program, random_promela};
#[cfg(test)]
use std::collections::BTreeSet;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

pub(super) const PARTS: &[Part] = &[Part {
    name: "labels",
    meaning: "labels of transitions against what counterexamples tell",
    run: labels,
}];

fn interpreter(text: &str) -> Option<Interpreter> {
    let mut files = HashMap::from([("model.pml".to_owned(), text.to_owned())]);
    let (model, _) =
        elnath_promela::parse(&mut files, "model.pml", &elnath_promela::Options::default()).ok()?;
    let lowered = elnath_promela::lower(&model, "model.pml").ok()?;
    Interpreter::new(lowered.program).ok()
}

/// The program seen by way of the interpreter, and by way of machine code where that is possible.
fn observed(interpreter: Interpreter) -> (Arc<Interpreter>, Vec<Observed>) {
    let program = Arc::new(interpreter.keeping_all_ways());
    let mut engines: Vec<Arc<dyn System>> = vec![Arc::clone(&program) as _];
    if let Ok(compiled) = Compiled::new(Arc::clone(&program)) {
        engines.push(Arc::new(compiled));
    }
    let observed = engines.into_iter().map(|engine| Observed::new(Arc::clone(&program), engine)).collect();
    (program, observed)
}

/// The labels of a transition by what is told about it; `None` if not all of it is told.
fn told(program: &Interpreter, state: &[u8], t: Transition) -> Option<Vec<String>> {
    let mut labels = Vec::new();
    for (micro, event) in program.explain(state, t).iter().zip(program.events(state, t)) {
        let command = &program.program().processes[micro.process.index()].commands[micro.command.index()];
        let received_in_body = micro.partner.is_some_and(|partner| {
            let received =
                &program.program().processes[partner.process.index()].commands[partner.command.index()];
            matches!(received.guard, Guard::Body { .. })
        });
        if matches!(command.guard, Guard::Body { .. }) || received_in_body {
            return None;
        }
        if let Some(message) = event.message {
            let sign = match message.kind {
                MessageKind::Sent | MessageKind::HandedOver { .. } => '!',
                MessageKind::Received | MessageKind::Copied => '?',
            };
            labels.push(format!("{}{sign}{}", message.channel, message.values));
        }
        let words = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        labels.extend(event.output.iter().map(words).filter(|text| !text.is_empty()));
    }
    Some(labels)
}

/// The labels from here to the next state of the program, and that state.
fn heard(
    system: &Observed,
    stepper: &mut dyn Stepper,
    state: &[u8],
    t: Transition,
) -> (Vec<String>, Vec<u8>) {
    let mut labels = vec![system.action_name(stepper.action(state, t))];
    let mut at = Vec::new();
    let _ = stepper.fire(state, t, &mut at);
    while system.show_state(&at).contains("still to be seen") {
        let (mut enabled, mut next) = (Vec::new(), Vec::new());
        stepper.enabled(&at, &mut enabled);
        assert_eq!(enabled.len(), 1, "nothing else happens in the middle");
        assert!(!stepper.may_end(&at));
        labels.push(system.action_name(stepper.action(&at, enabled[0])));
        stepper.fire(&at, enabled[0], &mut next).expect("faults come with the first label");
        at = next;
    }
    (labels, at)
}

counts! {
    struct Compared { transitions, visible, several, untold }
}

/// Whether atomic sequences have few ways through them. Random ones may have hundreds of thousands, and looking at each
/// of them takes minutes.
fn is_quick(interpreter: &Interpreter, most: usize) -> bool {
    const MOST_WORK: u64 = 1000;
    let (mut stepper, mut successors) = (interpreter.stepper(), Successors::default());
    let mut seen = HashSet::from([interpreter.initial_state().to_vec()]);
    let mut queue = vec![interpreter.initial_state().to_vec()];
    while let Some(state) = queue.pop() {
        let before = stepper.work();
        stepper.successors(&state, &mut successors);
        if stepper.work() - before > MOST_WORK {
            return false;
        }
        for next in successors.iter() {
            if seen.len() < most && seen.insert(next.state.to_vec()) {
                queue.push(next.state.to_vec());
            }
        }
    }
    true
}

/// What is looked at of one program: telling a story takes its time.
const MOST_TRANSITIONS: u64 = 500;

fn compare(name: &str, interpreter: Interpreter, most: usize, compared: &mut Compared) {
    if !is_quick(&interpreter, most) {
        return;
    }
    let (program, systems) = observed(interpreter);
    let reference = &systems[0];
    let mut steppers: Vec<_> = systems.iter().map(|system| system.stepper()).collect();
    let mut below = program.stepper();
    let (mut initial, mut program_initial) = (Vec::new(), Vec::new());
    steppers[0].initial(&mut initial);
    below.initial(&mut program_initial);
    let behind = initial.len() - program_initial.len();
    let mut seen = HashSet::from([initial.clone()]);
    let mut queue = vec![initial];
    let begin = compared.transitions;
    while let Some(state) = queue.pop() {
        if compared.transitions - begin > MOST_TRANSITIONS {
            return;
        }
        let edges: Vec<Vec<_>> = std::iter::zip(&systems, &mut steppers)
            .map(|(system, stepper)| {
                let mut successors = Successors::default();
                stepper.successors(&state, &mut successors);
                let edge = |next: elnath_kernel::Successor<'_>| {
                    let label = system.action_name(stepper.action(&state, next.transition));
                    (next.transition, label, next.state.len(), next.fault)
                };
                successors.iter().map(edge).collect()
            })
            .collect();
        // The bytes of states in the middle hold numbers of labels, which may differ from system to system.
        assert!(edges.iter().all(|others| *others == edges[0]), "{name}: {edges:?}");
        let resting = !reference.show_state(&state).contains("still to be seen");
        let mut next = Vec::new();
        for (t, label, _, fault) in &edges[0] {
            let _ = steppers[0].fire(&state, *t, &mut next);
            if seen.len() < most && seen.insert(next.clone()) {
                queue.push(next.clone());
            }
            compared.transitions += 1;
            compared.visible += u64::from(label != "i");
            if !resting {
                continue;
            }
            let inner = &state[..state.len() - behind];
            let (labels, end) = heard(reference, steppers[0].as_mut(), &state, *t);
            let _ = below.fire(inner, *t, &mut next);
            assert_eq!(&end[..end.len() - behind], next, "{name}");
            compared.several += u64::from(labels.len() > 1);
            // A statement that runs into a fault may not come to its message, of which stories tell nevertheless.
            match told(&program, inner, *t).filter(|_| fault.is_none()) {
                Some(told) if told.is_empty() => assert_eq!(labels, ["i"], "{name}"),
                // Where a program stores one channel over another, a story names it by the first variable that has it.
                Some(told) if name.starts_with("program") => {
                    let message = |label: &String| label[label.find(['!', '?']).unwrap_or(0)..].to_owned();
                    let messages = |labels: &[String]| labels.iter().map(message).collect::<Vec<_>>();
                    assert_eq!(messages(&labels), messages(&told), "{name}");
                }
                Some(told) => assert_eq!(labels, told, "{name}"),
                None => compared.untold += 1,
            }
        }
    }
}

fn labels(trial: &mut Trial<'_>) {
    let compared = trial.cases(0..150, |case, compared: &mut Compared| {
        let seed = case.seed;
        if let Some(interpreter) = interpreter(&case.keep(random_promela(seed))) {
            compare(&format!("model {seed}"), interpreter, 200, compared);
        }
        if let Ok(interpreter) = Interpreter::new(random_program(seed)) {
            compare(&format!("program {seed}"), interpreter, 100, compared);
        }
        Ok(())
    });
    let (asked, Compared { transitions, visible, several, untold }) = (trial.asked(), compared);
    trial.enough(visible > asked && several > asked, "labels");
    trial.enough(transitions - untold > 50 * asked, "transitions");
}

/// All sequences of at most so many visible labels.
#[cfg(test)]
fn traces(system: &Observed, most: usize) -> BTreeSet<Vec<String>> {
    let mut stepper = system.stepper();
    let mut initial = Vec::new();
    stepper.initial(&mut initial);
    let mut seen = HashSet::from([(initial.clone(), Vec::new())]);
    let mut open = vec![(initial, Vec::new())];
    while let Some((state, trace)) = open.pop() {
        let mut successors = Successors::default();
        stepper.successors(&state, &mut successors);
        for next in successors.iter() {
            let label = system.action_name(stepper.action(&state, next.transition));
            let mut trace: Vec<String> = trace.clone();
            trace.extend(Some(label).filter(|label| label != "i"));
            let next = (next.state.to_vec(), trace);
            if next.1.len() <= most && seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    seen.into_iter().map(|(_, trace)| trace).collect()
}

#[test]
fn an_observer_sees_messages_and_texts() {
    let text = r#"
        mtype = { data, ack };
        chan c = [0] of { mtype, byte };
        chan d[2] = [2] of { byte };
        byte hidden_work;
        active proctype P() { c!data(3); hidden_work = 1; d[1]!7; d[1]!8 }
        active proctype Q() {
            mtype m; byte x;
            c?m(x);
            atomic { d[1]?x; printf("GET  !%d\n", x); hidden_work = 2; d[1]?<x> };
            d_step { d[1]?x; printf("%e %d", m, x); printf("\n") }
        }"#;
    let (_, systems) = observed(interpreter(text).expect("a model"));
    assert_eq!(systems.len(), 2);
    for system in &systems {
        let traces = traces(system, 9);
        let longest: Vec<_> =
            traces.iter().filter(|trace| trace.len() == 8).map(|trace| trace.join(" ")).collect();
        assert_eq!(
            longest,
            [
                "c!data,3 d[1]!7 d[1]!8 d[1]?7 GET !7 d[1]?8 d[1]?8 data 8",
                "c!data,3 d[1]!7 d[1]?7 GET !7 d[1]!8 d[1]?8 d[1]?8 data 8",
            ]
        );
        assert!(traces.iter().all(|trace| trace.len() < 9));
    }
}

#[test]
fn a_program_that_is_heard_once_at_a_time_has_its_own_states() {
    let text = "chan c = [0] of { byte }; byte n;
        active proctype P() { do :: c!n; d_step { n = (n + 1) % 4; n = n + 0 } od }
        active proctype Q() { byte x; do :: c?x :: atomic { x > 2; x = 0 } od }";
    let interpreter = interpreter(text).expect("a model");
    let size = interpreter.initial_state().len();
    assert!(interpreter.program().channels.iter().all(|channel| channel.capacity == Capacity::Rendezvous));
    let (_, systems) = observed(interpreter);
    for system in &systems {
        let mut initial = Vec::new();
        system.stepper().initial(&mut initial);
        assert_eq!(initial.len(), size);
    }
}
