//! LOTOS specifications as models: where their libraries come from, and what formulas about them can name.
//!
//! A specification is a system of labels, as a network is: it has no propositions about states, formulas name actions, and hiding and renaming
//! apply to the labels that it has.

use crate::frontend::{LoadError, LoadOptions, Loaded, read_decoded};
use crate::labels;
use crate::property::{self, actions::Actions};
use crate::subject::Subject;
use elnath_kernel::System;
use std::path::Path;
use std::sync::Arc;

/// What computes the transitions, as reports name it.
const TERMS: &str = "terms";

/// Old texts have comments in Latin-1, in which every byte is a character.
fn decode(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect())
}

/// Reads a specification.
pub(crate) fn load_lotos(path: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let (source, input) = read_decoded(path, options, |bytes| Some(decode(bytes)))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let library = |name: &str| {
        // In capitals as CADP has it, or as the specification writes it.
        [name.to_uppercase(), name.to_owned(), name.to_lowercase()].into_iter().find_map(|name| {
            let path = folder.join(format!("{name}.lib"));
            let text = std::fs::read(&path).ok()?;
            Some((path.display().to_string(), decode(text)))
        })
    };
    let (specification, warnings) =
        elnath_lotos::read_as(source, &library, &options.ranges, options.aliasing)?;
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
        warnings,
    };
    if let Some(wanted) = &options.property {
        property::of_actions(&mut loaded, &actions, wanted)?;
    }
    Ok(loaded)
}
