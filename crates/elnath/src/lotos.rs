//! LOTOS specifications as models: where their libraries come from, and what formulas about them can name.
//!
//! A specification is a system of labels, as a network is: it has no propositions about states, formulas name actions, and hiding and renaming
//! apply to the labels that it has.

use crate::engine::Engine;
use crate::frontend::{LoadError, LoadOptions, Loaded, read_text};
use crate::labels;
use crate::property::{self, actions::Actions};
use crate::subject::Subject;
use elnath_kernel::System;
use elnath_lotos::{Flattened, LotosSystem, NotFlat};
use elnath_source::{Message, codes};
use std::path::Path;
use std::sync::Arc;

/// What computes the transitions, as reports name it.
const TERMS: &str = "terms";
const FLATTENED: &str = "flattened";

/// The specification as a system to search: flattened where control is static, unless the reference is wanted.
fn engine(
    specification: &Arc<LotosSystem>,
    wanted: Engine,
) -> (Arc<dyn System>, &'static str, Option<NotFlat>) {
    let terms = Arc::clone(specification) as Arc<dyn System>;
    if matches!(wanted, Engine::Terms | Engine::Interpreter) {
        return (terms, TERMS, None);
    }
    match NotFlat::of(specification) {
        None => (Arc::new(Flattened::new(Arc::clone(specification))), FLATTENED, None),
        why => (terms, TERMS, why),
    }
}

/// Why it is not flattened, if there is something to say about it.
fn terms_note(name: &str, why: NotFlat) -> Option<Message> {
    let NotFlat::Grows { process, place } = why else { return None };
    let text = format!(
        "{name}: states are terms, since control is not static: {process} is called again within an operator that stays ({place})"
    );
    Some(Message::finding(codes::ON_TERMS, text, None))
}

/// Reads a specification.
pub(crate) fn load_lotos(path: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let (source, input) = read_text(path, options)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let library = |name: &str| {
        let capitals = format!("{}.lib", name.to_uppercase());
        [capitals, format!("{name}.lib")].into_iter().find_map(|file| {
            let path = folder.join(file);
            let text = std::fs::read_to_string(&path).ok()?;
            Some((path.display().to_string(), text))
        })
    };
    let name = source.name().to_owned();
    let (specification, mut warnings) = elnath_lotos::read(source, &library, &options.ranges)?;
    let specification = specification.with_identity(options.identity).map_err(|fault| {
        let text = format!("{name}: {fault} while the initial state is made");
        vec![Message::about_file(text).code(codes::FAULT_AT_START)]
    })?;
    let specification = Arc::new(specification);
    let rules = options.rules.clone();
    let (plain, engine, not_flat) = engine(&specification, options.engine);
    warnings.extend(not_flat.and_then(|why| terms_note(&name, why)));
    let system = labels::relabelled(plain, rules.as_ref(), !options.observed);
    let internal = labels::internal(options.taus.clone(), true);
    let actions = Actions::of_network(None, internal);
    let mut loaded = Loaded {
        actions: Some(actions.clone()),
        subject: Subject::System(Arc::clone(&system)),
        system,
        explicit: None,
        program: None,
        trail: None,
        engine,
        claims: Vec::new(),
        formulas: Vec::new(),
        unreadable: Vec::new(),
        input,
        machines: None,
        property: None,
        together: Vec::new(),
        rules,
        lotos: Some(specification),
        warnings,
    };
    if let Some(wanted) = &options.property {
        property::of_actions(&mut loaded, &actions, wanted)?;
    }
    Ok(loaded)
}
