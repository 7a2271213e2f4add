//! Communicating machines and their properties: propositions are read by `elnath_cfsm::proposition`.

use super::formula::{action_of, parse_formula};
use super::promela::{name_propositions, of_automaton, of_formula};
use super::{TemporalProperty, Wanted, actions, read_automaton};
use elnath_cfsm::{Network, proposition};
use elnath_logic::Atom;
use elnath_logic::parse::Dialect;
use elnath_lts::Taus;
use elnath_program::ir::Program;
use elnath_source::{Message, SourceText, classified, codes};

/// The property that is wanted of a network, whose propositions become part of its program.
pub(crate) fn of_machines(
    network: &Network,
    program: &mut Program,
    wanted: &Wanted,
    warnings: &mut Vec<Message>,
) -> Result<Option<TemporalProperty>, Vec<Message>> {
    read(network, program, wanted, warnings)
        .map_err(|messages| classified(messages, codes::UNKNOWN_PROPOSITION))
}

fn read(
    network: &Network,
    program: &mut Program,
    wanted: &Wanted,
    warnings: &mut Vec<Message>,
) -> Result<Option<TemporalProperty>, Vec<Message>> {
    match wanted {
        Wanted::Ltl(text) | Wanted::Ltlf(text) => {
            let words = elnath_cfsm::words(network);
            let parsed = parse_formula(text, Dialect::Spin, &|word| words.iter().any(|known| known == word))?;
            parsed.check_patterns()?;
            let mut messages = Vec::new();
            for (atom, range) in parsed.formulas.atoms().iter().zip(&parsed.places) {
                if let Atom::State(name) = atom {
                    match proposition(network, &parsed.source, range.clone()) {
                        Ok(expr) => program.propositions.push((name.clone(), expr)),
                        Err(more) => messages.extend(more),
                    }
                }
            }
            if !messages.is_empty() {
                return Err(messages);
            }
            if let Wanted::Ltlf(_) = wanted {
                name_propositions(&parsed, program)?;
                return Ok(None);
            }
            of_formula(parsed, program).map(Some)
        }
        Wanted::Automaton(path) => {
            let (automaton, name) = read_automaton(path, warnings)?;
            for text in &automaton.propositions {
                if let Some(pattern) = action_of(text) {
                    actions::matching(&pattern, &Taus::default()).map_err(|text| {
                        vec![
                            Message::about_file(format!("{}: {text}", path.display()))
                                .code(codes::UNKNOWN_PROPOSITION),
                        ]
                    })?;
                    continue;
                }
                let source = SourceText::new(format!("proposition of {}", path.display()), text.clone());
                program.propositions.push((text.clone(), proposition(network, &source, 0..text.len())?));
            }
            let text = format!("no run is accepted by {}", path.display());
            Ok(Some(of_automaton(automaton, name, text, program)))
        }
        Wanted::Claim(_) | Wanted::NonProgress | Wanted::AcceptanceCycles => Err(vec![
            Message::about_file("communicating machines have no claims and no progress or acceptance labels")
                .code(codes::UNKNOWN_PROPERTY),
        ]),
    }
}
