//! Communicating machines and specifications in Estelle, and their properties: propositions are read by `elnath_cfsm::proposition` and
//! `elnath_estelle::proposition`.

use super::formula::{action_of, parse_formula};
use super::promela::{name_propositions, of_automaton, of_formula};
use super::{TemporalProperty, Wanted, actions, read_automaton};
use elnath_cfsm::Network;
use elnath_check::temporal::Fairness;
use elnath_estelle::Names;
use elnath_logic::parse::Dialect;
use elnath_logic::{Atom, Limits};
use elnath_lts::Taus;
use elnath_program::ir::{Expr, Program};
use elnath_source::{Message, SourceText, classified, codes};
use std::ops::Range;

/// What formulas can name.
#[derive(Clone, Copy)]
pub(crate) enum Vocabulary<'v> {
    Machines(&'v Network),
    Estelle(&'v Names),
}

impl Vocabulary<'_> {
    fn words(self) -> Vec<String> {
        match self {
            Vocabulary::Machines(network) => elnath_cfsm::words(network),
            Vocabulary::Estelle(names) => elnath_estelle::words(names),
        }
    }

    fn proposition(self, source: &SourceText, range: Range<usize>) -> Result<Expr, Vec<Message>> {
        match self {
            Vocabulary::Machines(network) => elnath_cfsm::proposition(network, source, range),
            Vocabulary::Estelle(names) => elnath_estelle::proposition(names, source, range),
        }
    }

    fn unknown(self) -> &'static str {
        match self {
            Vocabulary::Machines(_) => "communicating machines have",
            Vocabulary::Estelle(_) => "specifications in Estelle have",
        }
    }
}

/// The property that is wanted of a network or a specification, whose propositions become part of its program.
pub(crate) fn of_machines(
    network: Vocabulary<'_>,
    program: &mut Program,
    wanted: &Wanted,
    limits: &Limits,
    warnings: &mut Vec<Message>,
) -> Result<Option<TemporalProperty>, Vec<Message>> {
    read(network, program, wanted, limits, warnings)
        .map_err(|messages| classified(messages, codes::UNKNOWN_PROPOSITION))
}

fn read(
    network: Vocabulary<'_>,
    program: &mut Program,
    wanted: &Wanted,
    limits: &Limits,
    warnings: &mut Vec<Message>,
) -> Result<Option<TemporalProperty>, Vec<Message>> {
    match wanted {
        Wanted::Ltl(text) | Wanted::Ltlf(text) => {
            let words = network.words();
            let parsed = parse_formula(text, Dialect::Spin, &|word| words.iter().any(|known| known == word))?;
            parsed.check_patterns()?;
            let mut messages = Vec::new();
            for (atom, range) in parsed.formulas.atoms().iter().zip(&parsed.places) {
                if let Atom::State(name) = atom {
                    match network.proposition(&parsed.source, range.clone()) {
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
                match network.proposition(properties.source(), range.clone()) {
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
                program.propositions.push((text.clone(), network.proposition(&source, 0..text.len())?));
            }
            let text = format!("no run is accepted by {}", path.display());
            Ok(Some(of_automaton(automaton, name, text, program)))
        }
        Wanted::EventualReception => {
            let Vocabulary::Machines(machines) = network else {
                let text = "eventual reception is asked of communicating machines only";
                let help =
                    "ask about a queue: --fair weak --ltl '[] (nempty(m.p) -> <> action(\".*m[.]p[?].*\"))'";
                return Err(vec![Message::about_file(text).code(codes::UNKNOWN_PROPERTY).help(help)]);
            };
            let formula = eventual_reception(machines)?;
            let property = read(network, program, &Wanted::Ltl(formula), limits, warnings)?;
            let named = |property: TemporalProperty| TemporalProperty {
                name: Some("eventual-reception".to_owned()),
                ..property.fair(Fairness::Weak)
            };
            Ok(property.map(named))
        }
        Wanted::Claim(_) | Wanted::NonProgress | Wanted::AcceptanceCycles => Err(vec![
            Message::about_file(format!(
                "{} no claims and no progress or acceptance labels",
                network.unknown()
            ))
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
