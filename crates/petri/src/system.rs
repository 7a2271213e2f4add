//! A net as a system to search: states are markings (`layout`), transitions are the net's (`enabling`), and their labels are their names.

use crate::enabling::Enabling;
use crate::layout::MarkingLayout;
use crate::net::{PetriNet, PlaceId, TransitionId};
use crate::predicate::{AskMarking, PlainMarking, Predicate, TokenSum};
use crate::probe::{Seen, probe};
use elnath_kernel::event::{Change, Content, Disabled, Field, Obstacle, Operand, Place, Scope, StatePart};
use elnath_kernel::{
    Action, Describe, Event, Fault, Propositions, Stepper, Successors, System, Tally, Transition,
};
use std::collections::HashMap;
use std::sync::Arc;

/// A net that can be walked. See the [module](self).
#[derive(Clone)]
pub struct PetriSystem {
    net: Arc<PetriNet>,
    layout: Arc<MarkingLayout>,
    enabling: Arc<Enabling>,
    /// The action of each transition, and the transition that first has each action: transitions with one name have one label.
    labels: Arc<(Vec<Action>, Vec<TransitionId>)>,
    /// The propositions, with their texts.
    propositions: Vec<(String, Arc<Predicate>)>,
}

/// The only fault: a place would hold more tokens than are counted.
const TOO_MANY: Fault = Fault(0);

impl PetriSystem {
    /// Makes a net ready to be walked.
    pub fn new(net: PetriNet) -> Self {
        let seen = probe(&net);
        Self::guessing(net, &seen)
    }

    /// The same with a guess of one's own about how many tokens each place holds at most: right or wrong, it changes the bytes of states
    /// and nothing else. For tests.
    pub fn with_guess(net: PetriNet, most: Vec<u32>) -> Self {
        let marked = vec![0; most.len()];
        Self::guessing(net, &Seen { most, marked })
    }

    fn guessing(net: PetriNet, seen: &Seen) -> Self {
        let layout = MarkingLayout::new(&net, &seen.most);
        let enabling = Enabling::new(&net, &layout, seen);
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let (mut actions, mut firsts) = (Vec::new(), Vec::new());
        for (t, transition) in net.transitions.iter().enumerate() {
            let number = *numbers.entry(&transition.name).or_insert_with(|| {
                firsts.push(t as TransitionId);
                firsts.len() as u32 - 1
            });
            actions.push(Action(number));
        }
        let labels = Arc::new((actions, firsts));
        let (layout, enabling) = (Arc::new(layout), Arc::new(enabling));
        Self { net: Arc::new(net), layout, enabling, labels, propositions: Vec::new() }
    }

    /// The same net with these propositions, at most 64.
    #[must_use]
    pub fn with_propositions(&self, propositions: Vec<(String, Predicate)>) -> Self {
        assert!(propositions.len() <= 64, "a valuation has 64 bits");
        let propositions =
            propositions.into_iter().map(|(text, predicate)| (text, Arc::new(predicate))).collect();
        Self { propositions, ..self.clone() }
    }

    /// The net.
    pub fn net(&self) -> &Arc<PetriNet> {
        &self.net
    }

    pub(crate) fn enabling(&self) -> &Enabling {
        &self.enabling
    }

    /// Bytes of a state, as long as the guess about its places is right.
    pub fn state_bytes(&self) -> usize {
        self.layout.narrow()
    }

    /// The labels of its steps.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.labels.1.iter().map(|&t| self.net.transitions[t as usize].name.as_str())
    }

    /// The tokens on each place in a state.
    pub fn marking(&self, state: &[u8]) -> Vec<u32> {
        let (mut words, mut marking) = (vec![0; 8 * self.layout.words], Vec::new());
        self.layout.decode(state, &mut words, &mut marking);
        marking
    }

    /// What tells sums of tokens in states.
    pub fn gauge(&self, sums: Vec<TokenSum>) -> TokenGauge<'_> {
        TokenGauge { system: self, sums, words: vec![0; 8 * self.layout.words], marking: Vec::new() }
    }

    fn walker(&self) -> Walker<'_> {
        Walker {
            system: self,
            words: vec![0; 8 * self.layout.words],
            scratch: vec![0; 8 * self.layout.words],
            marking: Vec::new(),
            next: Vec::new(),
            wide: Vec::new(),
            enabled: Vec::new(),
            fired: vec![false; self.net.transitions.len()],
        }
    }

    fn place_of(&self, t: TransitionId) -> Place {
        Place { file: self.net.file.clone(), line: self.net.transitions[t as usize].line }
    }
}

impl System for PetriSystem {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(self.walker())
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    fn bytes(&self) -> usize {
        self.net.bytes() + self.enabling.bytes() + 24 * self.net.places.len()
    }
}

/// Sums of tokens in states.
pub struct TokenGauge<'a> {
    system: &'a PetriSystem,
    sums: Vec<TokenSum>,
    words: Vec<u8>,
    marking: Vec<u32>,
}

impl TokenGauge<'_> {
    /// Raises each of `most` to the sum of that number in `state`, if it is larger there.
    pub fn raise(&mut self, state: &[u8], most: &mut [i64]) {
        let layout = &self.system.layout;
        if layout.is_narrow(state) {
            self.words[..state.len()].copy_from_slice(state);
            for (sum, most) in self.sums.iter().zip(most) {
                *most = (*most).max(sum.value(|place| layout.tokens(&self.words, place)));
            }
            return;
        }
        layout.decode(state, &mut self.words, &mut self.marking);
        for (sum, most) in self.sums.iter().zip(most) {
            *most = (*most).max(sum.value(|place| self.marking[place as usize]));
        }
    }

    /// The tokens on each place.
    pub fn marking(&mut self, state: &[u8]) -> &[u32] {
        self.system.layout.decode(state, &mut self.words, &mut self.marking);
        &self.marking
    }
}

struct Walker<'a> {
    system: &'a PetriSystem,
    /// The words of the state that is looked at, if it is of level 0; zero after them.
    words: Vec<u8>,
    scratch: Vec<u8>,
    /// Its marking, if it is of another level, and what firing makes of one.
    marking: Vec<u32>,
    next: Vec<u32>,
    wide: Vec<u8>,
    enabled: Vec<TransitionId>,
    fired: Vec<bool>,
}

impl Walker<'_> {
    /// Reads a state; whether it is of level 0.
    #[inline]
    fn look_at(&mut self, state: &[u8]) -> bool {
        let narrow = self.system.layout.is_narrow(state);
        if narrow {
            self.words[..state.len()].copy_from_slice(state);
        } else {
            self.system.layout.decode(state, &mut self.scratch, &mut self.marking);
        }
        narrow
    }

    /// Fires a transition in `self.marking` and writes the result to `self.wide`.
    fn fire_wide(&mut self, t: TransitionId) -> Option<Fault> {
        let PetriSystem { net, layout, .. } = self.system;
        self.next.clone_from(&self.marking);
        let fired = net.fire(&mut self.next, t);
        layout.encode(&self.next, &mut self.scratch, &mut self.wide);
        fired.err().map(|_| TOO_MANY)
    }

    /// The same in a state of level 0 whose successor does not fit there.
    fn escape(&mut self, t: TransitionId) -> Option<Fault> {
        let PetriSystem { net, layout, .. } = self.system;
        let (words, places) = (&self.words, 0..net.places.len());
        self.marking.clear();
        self.marking.extend(places.map(|place| layout.tokens(words, place as PlaceId)));
        self.fire_wide(t)
    }
}

impl Stepper for Walker<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        let PetriSystem { net, layout, .. } = self.system;
        layout.encode(&net.initial, &mut self.scratch, out);
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        out.clear();
        let PetriSystem { net, enabling, .. } = self.system;
        let found = |t: TransitionId| out.push(Transition(u64::from(t)));
        if self.look_at(state) {
            enabling.each(&self.words, found);
        } else {
            enabling.each_in_marking(net, &self.marking, found);
        }
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        let number = t.0 as TransitionId;
        self.fired[t.0 as usize] = true;
        let narrow = self.look_at(state);
        out.clear();
        if narrow && self.system.enabling.fire(&mut self.words, number) {
            out.extend_from_slice(&self.words[..state.len()]);
            return Ok(());
        }
        let fault = if narrow { self.escape(number) } else { self.fire_wide(number) };
        out.extend_from_slice(&self.wide);
        fault.map_or(Ok(()), Err)
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        out.clear();
        let system = self.system;
        let (net, enabling) = (&*system.net, &*system.enabling);
        if !self.look_at(state) {
            let mut enabled = std::mem::take(&mut self.enabled);
            enabled.clear();
            enabling.each_in_marking(net, &self.marking, |t| enabled.push(t));
            for &t in &enabled {
                self.fired[t as usize] = true;
                let fault = self.fire_wide(t);
                out.push(Transition(u64::from(t)), &self.wide, fault);
            }
            self.enabled = enabled;
            return;
        }
        // The words are the state again after each transition, so that one buffer serves for all.
        self.scratch.copy_from_slice(&self.words);
        let mut scratch = std::mem::take(&mut self.scratch);
        let mut fits = true;
        enabling.each(&self.words, |t| {
            self.fired[t as usize] = true;
            if enabling.fire(&mut scratch, t) {
                out.push(Transition(u64::from(t)), &scratch[..state.len()], None);
                enabling.unfire(&mut scratch, t);
            } else {
                fits = false;
            }
        });
        self.scratch = scratch;
        if !fits {
            // Once more, in the same order, with those that do not fit among the others.
            out.clear();
            let mut enabled = std::mem::take(&mut self.enabled);
            enabled.clear();
            enabling.each(&self.words, |t| enabled.push(t));
            for &t in &enabled {
                let fault = self.escape(t);
                out.push(Transition(u64::from(t)), &self.wide, fault);
            }
            self.enabled = enabled;
        }
    }

    fn action(&mut self, _state: &[u8], t: Transition) -> Action {
        self.system.labels.0[t.0 as usize]
    }

    /// A net that stops is dead: nothing in it says that a run may end.
    fn may_end(&mut self, _state: &[u8]) -> bool {
        false
    }

    fn transition_bits(&self) -> u32 {
        (64 - (self.system.net.transitions.len() as u64).leading_zeros()).max(1)
    }

    elnath_kernel::facets! { mine: propositions, tally; none: acceptance, processes }
}

impl Tally for Walker<'_> {
    fn work(&self) -> u64 {
        0
    }

    /// The labels of which no transition was fired.
    fn unfired(&self) -> Vec<Action> {
        let (actions, firsts) = &*self.system.labels;
        let mut unfired = vec![true; firsts.len()];
        for (action, _) in actions.iter().zip(&self.fired).filter(|(_, fired)| **fired) {
            unfired[action.0 as usize] = false;
        }
        (0..firsts.len() as u32).filter(|&action| unfired[action as usize]).map(Action).collect()
    }
}

/// A state of level 0, which answers predicates.
struct Narrow<'a>(&'a PetriSystem, &'a [u8]);

impl AskMarking for Narrow<'_> {
    #[inline]
    fn tokens(&self, place: PlaceId) -> u32 {
        self.0.layout.tokens(self.1, place)
    }

    fn is_fireable(&self, t: TransitionId) -> bool {
        self.0.enabling.is_fireable(&self.0.net, &self.0.layout, self.1, t)
    }

    fn is_dead(&self) -> bool {
        let mut dead = true;
        self.0.enabling.each(self.1, |_| dead = false);
        dead
    }
}

impl Propositions for Walker<'_> {
    fn names(&mut self) -> Vec<String> {
        self.system.propositions.iter().map(|(text, _)| text.clone()).collect()
    }

    /// A predicate always has a value.
    fn fallible(&mut self) -> u64 {
        0
    }

    fn valuation(&mut self, state: &[u8]) -> u64 {
        if self.system.propositions.is_empty() {
            return 0;
        }
        let narrow = self.look_at(state);
        let bits = self.system.propositions.iter().enumerate().map(|(number, (_, predicate))| {
            let holds = if narrow {
                predicate.holds(&Narrow(self.system, &self.words))
            } else {
                predicate.holds(&PlainMarking(&self.system.net, &self.marking))
            };
            u64::from(holds) << number
        });
        bits.fold(0, |all, bit| all | bit)
    }

    fn proposition_fault(&mut self, _state: &[u8], _number: u32) -> Option<Fault> {
        None
    }

    fn operands(&mut self, state: &[u8], number: u32) -> Vec<Operand> {
        let marking = self.system.marking(state);
        let places = self.system.propositions[number as usize].1.places();
        let operand = |place: PlaceId| Operand {
            name: format!("tokens({})", self.system.net.places[place as usize].name),
            value: marking[place as usize].to_string(),
        };
        places.into_iter().map(operand).collect()
    }
}

impl Describe for PetriSystem {
    /// Places with how many tokens they hold, where these are not one; those without tokens are left out.
    fn show_state(&self, state: &[u8]) -> String {
        let marking = self.marking(state);
        let marked = self.net.places.iter().zip(&marking).filter(|(_, tokens)| **tokens > 0);
        let parts: Vec<String> = marked
            .map(|(place, &tokens)| match tokens {
                1 => place.name.clone(),
                many => format!("{}={many}", place.name),
            })
            .collect();
        if parts.is_empty() { "no tokens".to_owned() } else { parts.join(" ") }
    }

    fn state_parts(&self, state: &[u8]) -> Vec<StatePart> {
        let marking = self.marking(state);
        let marked = self.net.places.iter().zip(&marking).filter(|(_, tokens)| **tokens > 0);
        let part = |place: &str, tokens: u32| StatePart {
            owner: String::new(),
            name: place.to_owned(),
            value: tokens.to_string(),
        };
        marked.map(|(place, &tokens)| part(&place.name, tokens)).collect()
    }

    fn fields(&self, state: &[u8]) -> Vec<Field> {
        let marking = self.marking(state);
        let marked = self.net.places.iter().zip(&marking).filter(|(_, tokens)| **tokens > 0);
        let field = |place: &str, tokens: u32| Field {
            owner: String::new(),
            name: place.to_owned(),
            content: Content::Tokens { count: u64::from(tokens) },
        };
        marked.map(|(place, &tokens)| field(&place.name, tokens)).collect()
    }

    fn show_transition(&self, _state: &[u8], t: Transition) -> String {
        self.net.transitions[t.0 as usize].name.clone()
    }

    fn events(&self, state: &[u8], t: Transition) -> Vec<Event> {
        let number = t.0 as TransitionId;
        let before = self.marking(state);
        let change = |(place, added): (PlaceId, i64)| Change {
            scope: Scope::Global,
            name: self.net.places[place as usize].name.clone(),
            value: (i64::from(before[place as usize]) + added).to_string(),
        };
        let changes = Some(self.net.effect(number).into_iter().map(change).collect());
        vec![Event { changes, ..Event::plain(self.show_transition(state, t)) }]
    }

    fn actors(&self, _state: &[u8]) -> Vec<String> {
        Vec::new()
    }

    /// The transitions that lack the fewest places, with what they lack.
    fn waiting(&self, state: &[u8]) -> Vec<Event> {
        const MOST: usize = 8;
        let marking = self.marking(state);
        let lacks = |t: usize| {
            let arcs = self.net.consumes[t].iter();
            arcs.filter(|&&(place, weight)| marking[place as usize] < weight).collect::<Vec<_>>()
        };
        let mut waiting: Vec<(usize, usize)> = (0..self.net.transitions.len())
            .map(|t| (lacks(t).len(), t))
            .filter(|(lacking, _)| *lacking > 0)
            .collect();
        waiting.sort_unstable();
        let event = |(_, t): (usize, usize)| {
            let operand = |&(place, weight): &(PlaceId, u32)| Operand {
                name: self.net.places[place as usize].name.clone(),
                value: format!("{} of {weight}", marking[place as usize]),
            };
            let operands = lacks(t).into_iter().map(operand).collect();
            Event { operands, ..Event::plain(self.net.transitions[t].name.clone()) }
        };
        waiting.into_iter().take(MOST).map(event).collect()
    }

    /// The transitions that are closest to being enabled: those that lack the fewest places first.
    fn disabled(&self, state: &[u8]) -> Vec<Disabled> {
        const MOST: usize = 64;
        let marking = self.marking(state);
        let lacks = |t: usize| {
            self.net.consumes[t].iter().filter(|&&(place, weight)| marking[place as usize] < weight)
        };
        let mut closest: Vec<(usize, usize)> = (0..self.net.transitions.len())
            .map(|t| (lacks(t).count(), t))
            .filter(|(lacking, _)| *lacking > 0)
            .collect();
        closest.sort_unstable();
        let disabled = |(_, t): (usize, usize)| {
            let &(place, weight) = lacks(t).next().expect("it lacks one");
            let why = Obstacle::Tokens {
                place: self.net.places[place as usize].name.clone(),
                has: u64::from(marking[place as usize]),
                needs: u64::from(weight),
            };
            let (text, place) = (self.net.transitions[t].name.clone(), self.place_of(t as TransitionId));
            Disabled { actor: String::new(), text, place: Some(place), why }
        };
        closest.into_iter().take(MOST).map(disabled).collect()
    }

    fn action_name(&self, action: Action) -> String {
        self.net.transitions[self.labels.1[action.0 as usize] as usize].name.clone()
    }

    fn action_place(&self, action: Action) -> Option<String> {
        let Place { file, line } = self.place_of(self.labels.1[action.0 as usize]);
        Some(format!("{file}:{line}"))
    }

    fn fault_name(&self, _fault: Fault) -> String {
        "a place would hold more than 4,294,967,295 tokens".to_owned()
    }

    /// The net is not wrong: it is the counting that ends.
    fn gave_up(&self, _fault: Fault) -> bool {
        true
    }
}
