//! LOTOS specifications as models: where their libraries come from, and what formulas about them can name.
//!
//! A specification is a system of labels, as a network is: it has no propositions about states, formulas name actions, and hiding and renaming
//! apply to the labels that it has.

use crate::frontend::{LoadError, LoadOptions, Loaded, read_text};
use crate::labels;
use crate::property::{self, actions::Actions};
use crate::subject::Subject;
use elnath_kernel::System;
use std::path::Path;
use std::sync::Arc;

/// What computes the transitions, as reports name it.
const TERMS: &str = "terms";

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
    let (specification, warnings) = elnath_lotos::read(source, &library, &options.ranges)?;
    let specification = Arc::new(specification);
    let rules = options.rules.clone();
    let plain = Arc::clone(&specification) as Arc<dyn System>;
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
        engine: TERMS,
        claims: Vec::new(),
        formulas: Vec::new(),
        unreadable: Vec::new(),
        input,
        machines: None,
        property: None,
        together: Vec::new(),
        rules,
        lotos: Some(specification),
        petri: None,
        warnings,
    };
    if let Some(wanted) = &options.property {
        property::of_actions(&mut loaded, &actions, wanted)?;
    }
    Ok(loaded)
}
