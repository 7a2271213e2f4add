//! Communicating machines and their properties: propositions are read by `elnath_cfsm::proposition`.

use super::formula::{action_of, parse_formula};
use super::promela::{name_propositions, of_automaton, of_formula};
use super::{TemporalProperty, Wanted, actions, read_automaton};
use elnath_cfsm::{Network, proposition};
use elnath_check::temporal::Fairness;
use elnath_logic::parse::Dialect;
use elnath_logic::{Atom, Limits};
use elnath_lts::Taus;
use elnath_program::ir::Program;
use elnath_source::{Message, SourceText, classified, codes};

/// The property that is wanted of a network, whose propositions become part of its program.
pub(crate) fn of_machines(
    network: &Network,
    program: &mut Program,
    wanted: &Wanted,
    limits: &Limits,
    warnings: &mut Vec<Message>,
) -> Result<Option<TemporalProperty>, Vec<Message>> {
    read(network, program, wanted, limits, warnings)
        .map_err(|messages| classified(messages, codes::UNKNOWN_PROPOSITION))
}

fn read(
    network: &Network,
    program: &mut Program,
    wanted: &Wanted,
    limits: &Limits,
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
            of_formula(parsed, program, limits).map(Some)
        }
        Wanted::Branching(properties) => {
            let mut messages = Vec::new();
            for (name, range) in properties.formulas().propositions() {
                match proposition(network, properties.source(), range.clone()) {
                    Ok(expr) => program.propositions.push((name.clone(), expr)),
                    Err(more) => messages.extend(more),
                }
            }
            if messages.is_empty() { Ok(None) } else { Err(messages) }
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
        Wanted::EventualReception => {
            let formula = eventual_reception(network)?;
            let property = read(network, program, &Wanted::Ltl(formula), limits, warnings)?;
            let named = |property: TemporalProperty| TemporalProperty {
                name: Some("eventual-reception".to_owned()),
                ..property.fair(Fairness::Weak)
            };
            Ok(property.map(named))
        }
        Wanted::Claim(_) | Wanted::NonProgress | Wanted::AcceptanceCycles => Err(vec![
            Message::about_file("communicating machines have no claims and no progress or acceptance labels")
                .code(codes::UNKNOWN_PROPERTY),
        ]),
    }
}

/// That what is in a channel is received in the end, for every channel that messages are sent on.
fn eventual_reception(network: &Network) -> Result<String, Vec<Message>> {
    /// Two propositions each, of which there are 64.
    const MOST: usize = 31;
    let sent = |&channel: &usize| {
        let mut transitions = network.machines.iter().flat_map(|machine| &machine.transitions);
        transitions.any(|transition| transition.sends.iter().any(|(other, _)| *other == channel))
    };
    let channels: Vec<usize> = (0..network.channels.len()).filter(sent).collect();
    if channels.is_empty() || channels.len() > MOST {
        let text = format!(
            "eventual reception: the model sends on {} channels, and it can be asked about 1 to {MOST}",
            channels.len()
        );
        let help = "ask about one: --fair weak --ltl '[] (nempty(A>B) -> <> action(\".* A>B[?].*\"))'";
        return Err(vec![Message::about_file(text).code(codes::UNKNOWN_PROPERTY).help(help)]);
    }
    let of_channel = |channel: usize| {
        let name = &network.channels[channel].name;
        // In a class of its own no character means anything but itself.
        let class = |c: char| if c == '^' { "\\^".to_owned() } else { format!("[{c}]") };
        let literal = |c: char| if c.is_alphanumeric() || c == '_' { c.to_string() } else { class(c) };
        let pattern: String = name.chars().map(literal).collect();
        format!("[] (nempty(\"{name}\") -> <> action(\".*[ ,]{pattern}[?].*\"))")
    };
    let parts: Vec<String> =
        channels.into_iter().map(|channel| format!("({})", of_channel(channel))).collect();
    Ok(parts.join(" && "))
}
