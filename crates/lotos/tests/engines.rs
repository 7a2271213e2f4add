//! The engines step by step: in every state of a flattened specification, and of one as a program, its steps are those of the term that it stands for.

use elnath_kernel::{Describe, Successors, System};
use elnath_lotos::{Flattened, LotosSystem, NotFlat, Programmed, Range};
use elnath_source::SourceText;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Specifications of the repository.
fn specifications() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    for folder in ["examples/lotos", "tests/cases/lotos"] {
        let files = std::fs::read_dir(root.join(folder)).expect("it is there");
        all.extend(files.map(|file| file.expect("it can be listed").path()));
    }
    all.retain(|path| path.extension().is_some_and(|ending| ending == "lotos"));
    all.sort();
    all
}

/// The specification, with small ranges of the sorts that it has; none if its first state is a fault.
fn read(path: &Path) -> Option<Arc<LotosSystem>> {
    let text = std::fs::read_to_string(path).expect("it can be read");
    let small = |sort: &str| Range { sort: sort.to_owned(), least: 0, greatest: 4 };
    [vec![small("Msg")], vec![small("Nat")], Vec::new()].into_iter().find_map(|ranges| {
        let source = SourceText::new("model.lotos", &text);
        let (system, _) = elnath_lotos::read(source, &|_| None, &ranges).ok()?;
        Some(Arc::new(system))
    })
}

/// Labels, terms and faults of all steps of a state, in order.
fn steps(
    system: &dyn System,
    state: &[u8],
    term: &dyn Fn(&[u8]) -> Vec<u8>,
) -> Vec<(String, Option<Vec<u8>>)> {
    let mut stepper = system.stepper();
    let mut successors = Successors::default();
    stepper.successors(state, &mut successors);
    let mut all: Vec<_> = successors
        .iter()
        .map(|next| {
            let label = system.describe().action_name(stepper.action(state, next.transition));
            // After a fault nothing counts but that there is one.
            (label, next.fault.is_none().then(|| term(next.state)))
        })
        .collect();
    all.sort();
    // On terms, equal alternatives are one.
    all.dedup();
    all
}

/// Compares an engine with the rules on terms in all states, up to a limit; how many there were.
fn compare(name: &str, spec: &LotosSystem, engine: &dyn System, term: &dyn Fn(&[u8]) -> Vec<u8>) -> usize {
    let mut initial = Vec::new();
    engine.stepper().initial(&mut initial);
    let mut of_terms = Vec::new();
    spec.stepper().initial(&mut of_terms);
    assert_eq!(term(&initial), of_terms, "{name}");
    let mut seen = HashSet::from([initial.clone()]);
    let mut stack = vec![initial];
    while let Some(state) = stack.pop() {
        let own = term(&state);
        let shown = engine.describe().show_state(&state);
        assert_eq!(shown, spec.show_state(&own));
        assert_eq!(steps(engine, &state, term), steps(spec, &own, &<[u8]>::to_vec), "{name}: {shown}");
        assert_eq!(engine.stepper().may_end(&state), spec.stepper().may_end(&own), "{name}: {shown}");
        let mut successors = Successors::default();
        engine.stepper().successors(&state, &mut successors);
        for next in successors.iter().filter(|next| next.fault.is_none()) {
            if seen.len() < 400 && seen.insert(next.state.to_vec()) {
                stack.push(next.state.to_vec());
            }
        }
    }
    seen.len()
}

#[test]
fn every_step_of_a_flattened_specification_is_one_of_its_term() {
    let (mut compared, mut states) = (0, 0);
    for path in specifications() {
        let Some(spec) = read(&path) else { continue };
        let flat = Flattened::new(Arc::clone(&spec));
        compared += u64::from(NotFlat::of(&spec).is_none());
        states += compare(&path.display().to_string(), &spec, &flat, &|state| flat.term(state));
    }
    assert!(compared >= 12 && states >= 500, "{compared} specifications with {states} states");
}

#[test]
fn every_step_of_a_program_is_one_of_its_term() {
    let (mut compared, mut states, mut refused) = (0, 0, Vec::new());
    for path in specifications() {
        let Some(spec) = read(&path) else { continue };
        let name = path.display().to_string();
        match Programmed::new(Arc::clone(&spec)) {
            Ok(program) => {
                compared += 1;
                states += compare(&name, &spec, &program, &|state| program.term(state));
            }
            Err(why) => refused.push(format!("{name}: {why}")),
        }
    }
    let refused = refused.join("\n");
    assert!(compared >= 12 && states >= 500, "{compared} specifications with {states} states\n{refused}");
}

#[test]
fn what_grows_is_not_flattened() {
    let text = "specification Grows [a] : noexit behaviour P [a] where
        process P [a] : noexit := a; (P [a] ||| stop) endproc endspec";
    let (spec, _) =
        elnath_lotos::read(SourceText::new("grows.lotos", text), &|_| None, &[]).expect("it is read");
    assert_eq!(
        NotFlat::of(&spec),
        Some(NotFlat::Grows { process: "P".to_owned(), place: "grows.lotos:2".to_owned() })
    );
    let text = "specification Plain [a] : noexit behaviour a; stop endspec";
    let (spec, _) =
        elnath_lotos::read(SourceText::new("plain.lotos", text), &|_| None, &[]).expect("it is read");
    assert_eq!(NotFlat::of(&spec), Some(NotFlat::Sequential));
}
