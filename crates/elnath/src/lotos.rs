//! LOTOS specifications as models: where their libraries come from, and what formulas about them can name.
//!
//! A specification is a system of labels, as a network is: it has no propositions about states, formulas name actions, and hiding and renaming
//! apply to the labels that it has.

use crate::engine::{Compilations, Engine};
use crate::frontend::{LoadError, LoadOptions, Loaded, read_decoded};
use crate::labels;
use crate::property::{self, actions::Actions};
use crate::subject::Subject;
use elnath_kernel::System;
use elnath_lotos::{Flattened, LotosSystem, NotFlat, Programmed};
use elnath_source::{Message, codes};
use std::path::Path;
use std::sync::Arc;

/// What computes the transitions, as reports name it.
const TERMS: &str = "terms";
const FLATTENED: &str = "flattened";
const PROGRAM: &str = "program";

/// The specification to search: flattened where control is static, unless the reference or a program is wanted. What is to be said
/// about it comes with it.
///
/// (Programs are not chosen by themselves: machine code makes their states as fast as units are made, but there are more of them; see
/// bench/RESULTS.md.)
fn engine(
    specification: &Arc<LotosSystem>,
    wanted: Engine,
    name: &str,
) -> (Subject<'static>, &'static str, Vec<Message>) {
    let terms = Subject::System(Arc::clone(specification) as Arc<dyn System>);
    if matches!(wanted, Engine::Terms | Engine::Interpreter) {
        return (terms, TERMS, Vec::new());
    }
    let mut notes = Vec::new();
    if wanted == Engine::Program {
        match Programmed::new(Arc::clone(specification)) {
            Ok(programmed) => return (programmed_subject(programmed, wanted), PROGRAM, notes),
            Err(why) => {
                let text = format!("{name}: it is not searched as a program: {why}");
                notes.push(Message::finding(codes::NO_PROGRAM, text, None));
            }
        }
    }
    match NotFlat::of(specification) {
        None => {
            let flattened = Flattened::new(Arc::clone(specification));
            (Subject::System(Arc::new(flattened)), FLATTENED, notes)
        }
        Some(why) => {
            notes.extend(terms_note(name, why));
            (terms, TERMS, notes)
        }
    }
}

/// A program with the engine that is wanted.
fn programmed_subject(programmed: Programmed<'static>, engine: Engine) -> Subject<'static> {
    let compilations = Compilations::default();
    let (walked, _) = engine.make(programmed.interpreter(), &compilations);
    let system = Arc::new(programmed.walked_by(walked));
    Subject::Specification { programmed: Arc::new(programmed), engine, system, compilations }
}

/// Why it is not flattened, if there is something to say about it.
fn terms_note(name: &str, why: NotFlat) -> Option<Message> {
    let NotFlat::Grows { process, place } = why else { return None };
    let text = format!(
        "{name}: states are terms, since control is not static: {process} is called again within an operator that stays ({place})"
    );
    Some(Message::finding(codes::ON_TERMS, text, None))
}

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
    let name = source.name().to_owned();
    let (specification, mut warnings) =
        elnath_lotos::read_as(source, &library, &options.ranges, options.aliasing, &options.defines)?;
    let specification = specification.with_identity(options.identity).map_err(|fault| vec![*fault])?;
    let specification = Arc::new(specification);
    let rules = options.rules.clone();
    let (plain, engine, notes) = engine(&specification, options.engine, &name);
    warnings.extend(notes);
    let system = labels::relabelled(plain.system(), rules.as_ref(), !options.observed);
    // With other labels it is any system.
    let subject = if rules.is_some() { Subject::System(Arc::clone(&system)) } else { plain };
    let internal = labels::internal(options.taus.clone(), true);
    let actions = Actions::of_network(None, internal);
    let mut loaded = Loaded {
        actions: Some(actions.clone()),
        subject,
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
        network: None,
        petri: None,
        estelle: None,
        warnings,
    };
    if let Some(wanted) = &options.property {
        property::of_actions(&mut loaded, &actions, wanted, &options.formulas)?;
    }
    Ok(loaded)
}
