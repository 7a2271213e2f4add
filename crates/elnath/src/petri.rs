//! Petri nets as models: what formulas about them can name.
//!
//! A net is a system of labels, the names of its transitions, and of propositions about its markings: see [`elnath_petri::proposition`]. A name in a
//! formula that is no proposition is a label, as in a graph.

use crate::frontend::{LoadError, LoadOptions, Loaded, read_text};
use crate::labels;
use crate::property::{self, actions::Actions};
use crate::subject::Subject;
use elnath_kernel::System;
use elnath_petri::PetriSystem;
use std::path::Path;
use std::sync::Arc;

/// What computes the transitions, as reports name it.
const MARKINGS: &str = "markings";

/// Reads a net.
pub(crate) fn load_petri(path: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let (source, input) = read_text(path, options)?;
    let (net, warnings) = elnath_petri::pnml::read(&source)?;
    let mut net = PetriSystem::new(net);
    let rules = options.rules.clone();
    if let Some(wanted) = &options.property {
        net = net.with_propositions(property::of_markings(net.net(), wanted)?);
    }
    let net = Arc::new(net);
    let all = match &rules {
        Some(rules) => labels::all_of(net.labels(), rules),
        None => net.labels().map(str::to_owned).collect(),
    };
    let plain = Arc::clone(&net) as Arc<dyn System>;
    let system = labels::relabelled(plain, rules.as_ref(), !options.observed);
    let internal = labels::internal(options.taus.clone(), rules.is_some());
    let actions = Actions::of_network(Some(all), internal);
    let mut loaded = Loaded {
        actions: Some(actions.clone()),
        subject: Subject::System(Arc::clone(&system)),
        system,
        explicit: None,
        program: None,
        trail: None,
        engine: MARKINGS,
        claims: Vec::new(),
        formulas: Vec::new(),
        formula_texts: Vec::new(),
        unreadable: Vec::new(),
        input,
        machines: None,
        property: None,
        together: Vec::new(),
        rules,
        lotos: None,
        network: None,
        petri: Some(net),
        estelle: None,
        warnings,
    };
    if let Some(wanted) = &options.property {
        property::of_actions(&mut loaded, &actions, wanted, &options.formulas)?;
    }
    Ok(loaded)
}
