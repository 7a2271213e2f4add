//! Petri nets and their properties: propositions are read by `elnath_petri::proposition`.

use super::formula::{action_of, parse_formula};
use super::{Wanted, read_automaton};
use elnath_logic::Atom;
use elnath_logic::parse::Dialect;
use elnath_petri::proposition::WORDS;
use elnath_petri::{PetriNet, Predicate, is_proposition, proposition};
use elnath_source::{Message, SourceText, codes};

/// The most propositions about states.
const MOST: usize = 64;

/// The propositions about markings that occur in a property, by their texts.
pub(crate) fn of_markings(net: &PetriNet, wanted: &Wanted) -> Result<Vec<(String, Predicate)>, Vec<Message>> {
    let (mut propositions, mut messages) = (Vec::new(), Vec::new());
    let mut read = |name: &str, predicate: Result<Predicate, Box<Message>>| match predicate {
        Ok(predicate) => propositions.push((name.to_owned(), predicate)),
        Err(message) => messages.push(*message),
    };
    match wanted {
        Wanted::Ltl(text) | Wanted::Ltlf(text) => {
            let known = |word: &str| is_word(net, word);
            let parsed = parse_formula(text, Dialect::Spot, &known)?;
            for (atom, range) in parsed.formulas.atoms().iter().zip(&parsed.places) {
                if let Atom::State(name) = atom
                    && is_proposition(name)
                {
                    read(name, proposition(net, &parsed.source, range.clone()));
                }
            }
        }
        Wanted::Branching(properties) => {
            // What is no proposition is told when the formula is bound.
            let all = properties.formulas().propositions().iter().filter(|(name, _)| is_proposition(name));
            for (name, range) in all {
                read(name, proposition(net, properties.source(), range.clone()));
            }
        }
        Wanted::Automaton(path) => {
            let (automaton, _) = read_automaton(path, &mut Vec::new())?;
            for name in
                automaton.propositions.iter().filter(|name| action_of(name).is_none() && is_proposition(name))
            {
                let source = SourceText::new(format!("proposition of {}", path.display()), name.clone());
                read(name, proposition(net, &source, 0..name.len()));
            }
        }
        _ => {}
    }
    if propositions.len() > MOST {
        let text = format!(
            "the formula has {} propositions about markings, and may have {MOST}",
            propositions.len()
        );
        messages.push(Message::about_file(text).code(codes::BEYOND_LIMIT));
    }
    if messages.is_empty() { Ok(propositions) } else { Err(messages) }
}

/// Whether a word is one of propositions about nets, or the id or name of a transition.
pub(crate) fn is_word(net: &PetriNet, word: &str) -> bool {
    WORDS.contains(&word) || !net.transitions_named(word).is_empty() || net.place(word).is_some()
}
