//! Specifications in Estelle as models: programs of guarded commands, with what is said about how they were read.

use crate::engine::Compilations;
use crate::frontend::{LoadError, LoadOptions, Loaded, observe, read_text};
use crate::machines::MachineSafety;
use crate::property::{self, Vocabulary};
use crate::subject::Subject;
use elnath_estelle::{Delays, Stepping};
use elnath_program::Interpreter;
use elnath_source::{Message, codes};
use std::path::Path;
use std::sync::Arc;

/// Reads a specification.
pub(crate) fn load_estelle(path: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let (source, input) = read_text(path, options)?;
    let name = source.name().to_owned();
    let estelle = elnath_estelle::Options { capacity: options.capacity, ..options.estelle };
    let (lowered, mut warnings) = elnath_estelle::read(&source, estelle)?;
    let (mut program, names) = (lowered.program, lowered.names);
    if names.delays && options.estelle.delays == Delays::Untimed {
        let text = format!(
            "{name}: delays are untimed: a delayed transition may fire at any time while it is enabled"
        );
        let help = "that is more than the specification allows; --delays ticks counts time";
        warnings.push(Message::finding(codes::UNTIMED, text, None).help(help));
    }
    if names.priorities && options.estelle.stepping == Stepping::Atomic {
        let text = format!(
            "{name}: transitions are selected and executed in one step, and priorities see what has arrived by then"
        );
        let help = "in the standard, a transition that was selected before a message arrives is executed after it: --iso-select";
        warnings.push(Message::finding(codes::ATOMIC_STEPS, text, None).help(help));
    }
    let wanted = options.property.as_ref();
    let property = wanted
        .map(|wanted| {
            let vocabulary = Vocabulary::Estelle(&names);
            property::of_machines(vocabulary, &mut program, wanted, &options.formulas, &mut warnings)
        })
        .transpose()?;
    // Those who compare or compose models look at their labels only.
    let asked = options.property.is_none() && !options.observed;
    let machines = asked.then(|| Arc::new(MachineSafety::of_estelle(names.clone(), &mut program)));
    let interpreter = Interpreter::new(program).map_err(|fault| {
        vec![
            Message::about_file(format!("{name}: {} while the initial state is made", fault.cause.text()))
                .code(codes::FAULT_AT_START),
        ]
    })?;
    let observed = options.observed || options.rules.is_some();
    let interpreter = Arc::new(if observed { interpreter.keeping_all_ways() } else { interpreter });
    let compilations = Compilations::default();
    let (plain, engine) = options.engine.make(&interpreter, &compilations);
    let subject = if observed {
        observe(&interpreter, (plain, compilations), options)
    } else {
        let (program, engine) = (Arc::clone(&interpreter), options.engine);
        Subject::Program { program, engine, system: plain, compilations }
    };
    let system = subject.system();
    Ok(Loaded {
        subject,
        system,
        explicit: None,
        actions: None,
        program: Some(interpreter),
        trail: None,
        engine,
        claims: Vec::new(),
        formulas: Vec::new(),
        formula_texts: Vec::new(),
        unreadable: Vec::new(),
        input,
        machines,
        property: property.flatten(),
        together: Vec::new(),
        rules: options.rules.clone(),
        lotos: None,
        network: None,
        petri: None,
        estelle: Some(Arc::new(names)),
        warnings,
    })
}
