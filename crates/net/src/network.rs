//! Components side by side, as one system: the product of processes (memory-efficient-algorithms-1992, 2) and the parallel
//! operators of LOTOS, evaluated on the fly.
//!
//! A network is a tree of operators over components. Whatever is nested how, it is *one* system: its state is the states of
//! its components one behind the other, and the tree is only asked which of their moves go together. So a component is
//! expanded once for each of its own states in a row, not once for each state of the network; and a story can tell which
//! components moved.
//!
//! | operator | who moves |
//! |---|---|
//! | `P \|[g, h]\| Q` | both, with equal labels, on what is meant by g or h; one of them on anything else |
//! | `P \|\|\| Q` | one of them |
//! | `P \|\| Q` | both, with equal labels |
//! | `product(P, Q, ...)` | on a label, all that have it in their alphabets |
//! | `hide`, `rename` | as inside, and the label seen outside is another |
//!
//! The internal action is never synchronised, hidden or renamed, whatever the operator. What is synchronised may be
//! synchronised again further out, with the same label (so three partners can move together, as in LOTOS). There is no
//! termination label: a network may rightly end when all its components may, and a state in which nobody can move is a
//! deadlock otherwise.
//!
//! **Transitions** are numbered in the order in which they are found. Packing the components' own numbers would need more
//! bits than there are (programs use 49), and the order is a function of the state, which is all that is asked for.

use crate::INTERNAL;
use crate::pattern::Pattern;
use crate::rules::Rules;
use crate::stepper::Walker;
use elnath_kernel::event::{Change, Disabled, Field, Obstacle, Scope, StatePart};
use elnath_kernel::{Action, Describe, Event, Fault, Names, Stepper, System, Transition};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// A system made of systems. See the [module](self).
pub struct Network {
    pub(crate) components: Vec<Component>,
    pub(crate) root: Node,
    /// How many nodes remember what they found about labels.
    pub(crate) deciders: usize,
    pub(crate) names: Names,
    /// The faults of components, which are numbered on their own, and their numbers here.
    faults: Mutex<Faults>,
}

#[derive(Default)]
struct Faults {
    numbers: BTreeMap<(usize, u32), u32>,
    all: Vec<(usize, Fault)>,
}

/// A part of a network.
pub struct Component {
    /// What stories call it.
    pub name: String,
    /// The system.
    pub system: Arc<dyn System>,
    /// The length of its states, if they all have the same.
    pub length: Option<usize>,
}

/// How components are put together.
#[derive(Clone)]
pub enum Composition {
    /// A component, by its index.
    Component(usize),
    /// Two networks, which move together on some labels.
    Parallel(Box<Composition>, Box<Composition>, Arc<Together>),
    /// A network with other labels.
    Relabelled(Box<Composition>, Arc<Rules>),
}

/// On what two networks move together.
pub enum Together {
    /// Nothing: `|||`.
    Nothing,
    /// Every visible label: `||`.
    Everything,
    /// What is meant by one of these: `|[...]|`.
    These(Vec<Pattern>),
    /// What is in an alphabet of the left one and in one of the right one.
    Common(Vec<Alphabet>, Vec<Alphabet>),
}

/// The labels in which a network takes part.
#[derive(Clone)]
pub enum Alphabet {
    /// All of them.
    Labels(Arc<HashSet<String>>),
    /// As far as they are meant by these.
    Patterns(Arc<Vec<Pattern>>),
}

impl Alphabet {
    fn has(&self, label: &str) -> bool {
        match self {
            Alphabet::Labels(labels) => labels.contains(label),
            Alphabet::Patterns(patterns) => patterns.iter().any(|pattern| pattern.matches(label)),
        }
    }
}

impl Together {
    /// Whether both move on this label, which is not internal.
    pub fn includes(&self, label: &str) -> bool {
        match self {
            Together::Nothing => false,
            Together::Everything => true,
            Together::These(patterns) => patterns.iter().any(|pattern| pattern.matches(label)),
            Together::Common(left, right) => {
                left.iter().any(|alphabet| alphabet.has(label))
                    && right.iter().any(|alphabet| alphabet.has(label))
            }
        }
    }
}

/// A composition whose deciding nodes have numbers.
pub(crate) enum Node {
    Component(usize),
    Parallel(Box<Node>, Box<Node>, Arc<Together>, usize),
    Relabelled(Box<Node>, Arc<Rules>, usize),
}

impl Node {
    /// The composition that this was made of.
    fn composition(&self) -> Composition {
        match self {
            Node::Component(at) => Composition::Component(*at),
            Node::Parallel(left, right, together, _) => {
                let (left, right) = (Box::new(left.composition()), Box::new(right.composition()));
                Composition::Parallel(left, right, Arc::clone(together))
            }
            Node::Relabelled(inner, rules, _) => {
                Composition::Relabelled(Box::new(inner.composition()), Arc::clone(rules))
            }
        }
    }

    /// What a label of a component is called outside, if the component is in here.
    fn outside(&self, component: usize, label: &str) -> Option<String> {
        match self {
            Node::Component(at) => (*at == component).then(|| label.to_owned()),
            Node::Parallel(left, right, ..) => {
                left.outside(component, label).or_else(|| right.outside(component, label))
            }
            Node::Relabelled(inner, rules, _) => {
                inner.outside(component, label).map(|label| rules.apply(&label).into_owned())
            }
        }
    }
}

/// Who would have to go along with a step of a component.
enum Partners {
    /// Nobody, or somebody who is ready; and the label outside.
    Met(String),
    /// One of these components, on this label.
    Lacking(String, Vec<usize>),
}

impl Node {
    /// Whether a component that can do `label` finds those whom it needs, where the components can do `steps`; none if it is not in
    /// here. The innermost operator at which somebody is missing is told.
    fn partners(
        &self,
        component: usize,
        label: &str,
        steps: &[Vec<(Transition, String)>],
    ) -> Option<Partners> {
        match self {
            Node::Component(at) => (*at == component).then(|| Partners::Met(label.to_owned())),
            Node::Relabelled(inner, rules, _) => Some(match inner.partners(component, label, steps)? {
                Partners::Met(label) => Partners::Met(rules.apply(&label).into_owned()),
                lacking @ Partners::Lacking(..) => lacking,
            }),
            Node::Parallel(left, right, together, _) => {
                let of_left = left.partners(component, label, steps);
                let other = if of_left.is_some() { right } else { left };
                let label = match of_left.or_else(|| right.partners(component, label, steps))? {
                    Partners::Met(label) => label,
                    lacking @ Partners::Lacking(..) => return Some(lacking),
                };
                let alone = label == INTERNAL || !together.includes(&label);
                if alone || other.offers(steps).contains(&label) {
                    return Some(Partners::Met(label));
                }
                let mut lacking = Vec::new();
                other.members(&mut lacking);
                Some(Partners::Lacking(label, lacking))
            }
        }
    }

    /// The labels that are possible in here.
    fn offers(&self, steps: &[Vec<(Transition, String)>]) -> BTreeSet<String> {
        match self {
            Node::Component(at) => steps[*at].iter().map(|(_, label)| label.clone()).collect(),
            Node::Relabelled(inner, rules, _) => {
                inner.offers(steps).iter().map(|label| rules.apply(label).into_owned()).collect()
            }
            Node::Parallel(left, right, together, _) => {
                let (left, right) = (left.offers(steps), right.offers(steps));
                let joins = |label: &String| *label != INTERNAL && together.includes(label);
                let both = left.union(&right);
                both.filter(|label| !joins(label) || left.contains(*label) && right.contains(*label))
                    .cloned()
                    .collect()
            }
        }
    }

    /// The components in here.
    fn members(&self, out: &mut Vec<usize>) {
        match self {
            Node::Component(at) => out.push(*at),
            Node::Relabelled(inner, ..) => inner.members(out),
            Node::Parallel(left, right, ..) => {
                left.members(out);
                right.members(out);
            }
        }
    }
}

impl Network {
    /// Puts components together.
    ///
    /// # Panics
    /// If the composition speaks of a component that is not there.
    pub fn new(components: Vec<Component>, composition: Composition) -> Self {
        let mut deciders = 0;
        let root = number(composition, components.len(), &mut deciders);
        let names = Names::new();
        names.intern(INTERNAL);
        Self { components, root, deciders, names, faults: Mutex::default() }
    }

    /// The parts.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// How they are put together.
    pub fn composition(&self) -> Composition {
        self.root.composition()
    }

    /// The states of the components in a state of the network.
    pub fn component_states<'s>(&self, state: &'s [u8]) -> Vec<&'s [u8]> {
        let mut states = Vec::with_capacity(self.components.len());
        self.split(state, |_, own| states.push(own));
        states
    }

    /// The state of the network in which its components are in these states.
    pub fn state_of(&self, states: &[Vec<u8>], out: &mut Vec<u8>) {
        out.clear();
        states.iter().enumerate().for_each(|(at, own)| self.join(at, own, out));
    }

    /// The number of a component's fault.
    pub(crate) fn fault(&self, component: usize, fault: Fault) -> Fault {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        let next = faults.all.len() as u32;
        let number = *faults.numbers.entry((component, fault.0)).or_insert(next);
        if number == next {
            faults.all.push((component, fault));
        }
        Fault(number)
    }

    fn fault_of(&self, fault: Fault) -> (usize, Fault) {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).all[fault.0 as usize]
    }

    /// The states of the components.
    pub(crate) fn split<'s>(&self, mut state: &'s [u8], mut each: impl FnMut(usize, &'s [u8])) {
        let last = self.components.len().saturating_sub(1);
        for (at, component) in self.components.iter().enumerate() {
            let length = match component.length {
                _ if at == last => state.len(),
                Some(length) => length,
                None => read_length(&mut state),
            };
            let (own, rest) = state.split_at(length);
            each(at, own);
            state = rest;
        }
    }

    /// Appends the state of a component, as [`Network::split`] wants it.
    pub(crate) fn join(&self, at: usize, own: &[u8], out: &mut Vec<u8>) {
        match self.components[at].length {
            _ if at + 1 == self.components.len() => {}
            Some(length) => debug_assert_eq!(length, own.len(), "its states have the same length"),
            None => write_length(own.len(), out),
        }
        out.extend_from_slice(own);
    }

    /// What somebody in a component is called.
    fn actor(&self, component: usize, inner: &str) -> String {
        let name = &self.components[component].name;
        if inner.is_empty() { name.clone() } else { format!("{name}.{inner}") }
    }
}

fn number(composition: Composition, components: usize, deciders: &mut usize) -> Node {
    let mut next = || {
        *deciders += 1;
        *deciders - 1
    };
    match composition {
        Composition::Component(at) => {
            assert!(at < components, "there are {components} components");
            Node::Component(at)
        }
        Composition::Parallel(left, right, together) => {
            let decider = next();
            let left = Box::new(number(*left, components, deciders));
            let right = Box::new(number(*right, components, deciders));
            Node::Parallel(left, right, together, decider)
        }
        Composition::Relabelled(inner, rules) => {
            let decider = next();
            Node::Relabelled(Box::new(number(*inner, components, deciders)), rules, decider)
        }
    }
}

/// Seven bits per byte, the last byte below 128.
fn write_length(mut length: usize, out: &mut Vec<u8>) {
    while length >= 128 {
        out.push(length as u8 | 128);
        length >>= 7;
    }
    out.push(length as u8);
}

fn read_length(state: &mut &[u8]) -> usize {
    let (mut length, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = state.split_first().expect("a length ends");
        *state = rest;
        length |= usize::from(byte & 127) << shift;
        if byte < 128 {
            return length;
        }
        shift += 7;
    }
}

impl System for Network {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(Walker::new(self))
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    fn bytes(&self) -> usize {
        // A component that is there several times is one system.
        let mut seen = HashSet::new();
        let address = |component: &Component| Arc::as_ptr(&component.system).cast::<()>();
        let first = self.components.iter().filter(|component| seen.insert(address(component)));
        first.map(|component| component.system.bytes()).sum::<usize>() + self.names.bytes()
    }
}

impl Describe for Network {
    fn show_state(&self, state: &[u8]) -> String {
        let states = self.component_states(state);
        let parts = self.components.iter().zip(states);
        let parts: Vec<String> = parts
            .map(|(component, own)| format!("{}: {}", component.name, component.system.show_state(own)))
            .collect();
        parts.join("; ")
    }

    fn state_parts(&self, state: &[u8]) -> Vec<StatePart> {
        let mut parts = Vec::new();
        for (component, own) in self.components.iter().zip(self.component_states(state)) {
            let (system, owner) = (&component.system, component.name.to_string());
            let inner = system.state_parts(own);
            if inner.is_empty() {
                parts.push(StatePart { owner, name: "state".to_owned(), value: system.show_state(own) });
            } else {
                let join = |inside: &str| {
                    if inside.is_empty() { owner.clone() } else { format!("{owner}.{inside}") }
                };
                parts.extend(inner.into_iter().map(|part| StatePart { owner: join(&part.owner), ..part }));
            }
        }
        parts
    }

    fn fields(&self, state: &[u8]) -> Vec<Field> {
        let mut fields = Vec::new();
        for (at, own) in self.component_states(state).into_iter().enumerate() {
            let inner = self.components[at].system.fields(own);
            fields.extend(
                inner.into_iter().map(|field| Field { owner: self.actor(at, &field.owner), ..field }),
            );
        }
        fields
    }

    fn show_transition(&self, state: &[u8], t: Transition) -> String {
        let mut walker = Walker::new(self);
        let label = self.action_name(walker.action(state, t));
        let movers: Vec<&str> = walker.movers_of(state, t).map(|at| &*self.components[at].name).collect();
        format!("{label} ({})", movers.join(", "))
    }

    fn events(&self, state: &[u8], t: Transition) -> Vec<Event> {
        let mut walker = Walker::new(self);
        let label = self.action_name(walker.action(state, t));
        let mut next = Vec::new();
        // What is told of a step that runs into a fault is where it leads all the same.
        let _ = walker.fire(state, t, &mut next);
        let (before, after) = (self.component_states(state), self.component_states(&next));
        let mut events = Vec::new();
        for (component, own) in walker.steps_of(state, t) {
            let system = &self.components[component].system;
            let inner = system.action_name(system.stepper().action(before[component], own));
            for mut event in system.events(before[component], own) {
                event.actor = self.actor(component, &event.actor);
                event.created.iter_mut().for_each(|created| *created = self.actor(component, created));
                // A component of which only labels are known is told with the label that is seen outside.
                if event.text == inner && label != inner {
                    event.text = format!("{label} ({inner})");
                }
                match &mut event.changes {
                    Some(changes) => {
                        let name = &self.components[component].name;
                        changes.iter_mut().for_each(|change| change.name = format!("{name}.{}", change.name));
                    }
                    None => {
                        let name = self.components[component].name.clone();
                        let value = system.show_state(after[component]);
                        event.changes = Some(vec![Change { scope: Scope::Local, name, value }]);
                    }
                }
                events.push(event);
            }
        }
        events
    }

    fn actors(&self, state: &[u8]) -> Vec<String> {
        let mut actors = Vec::new();
        for (at, own) in self.component_states(state).into_iter().enumerate() {
            let inner = self.components[at].system.actors(own);
            if inner.is_empty() {
                actors.push(self.actor(at, ""));
            }
            actors.extend(inner.iter().map(|inner| self.actor(at, inner)));
        }
        actors
    }

    /// What each component could do if the others went along.
    fn waiting(&self, state: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        for (at, own) in self.component_states(state).into_iter().enumerate() {
            let system = &self.components[at].system;
            let inner = system.waiting(own);
            if !inner.is_empty() {
                let named = |event: Event| Event { actor: self.actor(at, &event.actor), ..event };
                events.extend(inner.into_iter().map(named));
                continue;
            }
            let (mut stepper, mut enabled) = (system.stepper(), Vec::new());
            stepper.enabled(own, &mut enabled);
            let mut label = |t| {
                let inside = system.action_name(stepper.action(own, t));
                match self.root.outside(at, &inside) {
                    Some(outside) if outside != inside => format!("{outside} ({inside})"),
                    _ => inside,
                }
            };
            let mut labels: Vec<String> = enabled.iter().map(|&t| label(t)).collect();
            labels.sort();
            labels.dedup();
            let actor = self.actor(at, "");
            events
                .extend(labels.into_iter().map(|text| Event { actor: actor.clone(), ..Event::plain(text) }));
        }
        events
    }

    /// What components could do alone and cannot do here, for want of a partner, and what they cannot do even alone.
    fn disabled(&self, state: &[u8]) -> Vec<Disabled> {
        let states = self.component_states(state);
        let mut walker = Walker::new(self);
        let mut enabled = Vec::new();
        walker.enabled(state, &mut enabled);
        let moving: HashSet<(usize, Transition)> =
            enabled.iter().flat_map(|&t| walker.steps_of(state, t)).collect();
        let own_steps = |at: usize| {
            let (system, own): (&dyn System, &[u8]) = (&*self.components[at].system, states[at]);
            let (mut stepper, mut enabled) = (system.stepper(), Vec::new());
            stepper.enabled(own, &mut enabled);
            let label = |t: Transition| (t, system.action_name(stepper.action(own, t)));
            enabled.into_iter().map(label).collect::<Vec<_>>()
        };
        let steps: Vec<Vec<(Transition, String)>> = (0..states.len()).map(own_steps).collect();
        let mut disabled = Vec::new();
        for (at, own) in states.iter().enumerate() {
            let mut told = BTreeSet::new();
            for (t, label) in steps[at].iter().filter(|(t, _)| !moving.contains(&(at, *t))) {
                if !told.insert(label) {
                    continue;
                }
                let events = self.components[at].system.events(own, *t);
                let place = events.first().and_then(|event| event.place.clone());
                let actor = events.first().map_or_else(String::new, |event| event.actor.clone());
                let (at_label, lacking) = match self.root.partners(at, label, &steps) {
                    Some(Partners::Lacking(label, lacking)) => (label, lacking),
                    Some(Partners::Met(label)) => (label, Vec::new()),
                    None => (label.clone(), Vec::new()),
                };
                // Which of them it is depends on how they are put together: any of several may do.
                let names: Vec<&str> = lacking.iter().map(|&other| &*self.components[other].name).collect();
                let missing = if names.is_empty() { Vec::new() } else { vec![names.join(" or ")] };
                disabled.push(Disabled {
                    actor: self.actor(at, &actor),
                    text: label.clone(),
                    place,
                    why: Obstacle::NoPartner { at: at_label, missing },
                });
            }
            let inner = self.components[at].system.disabled(own);
            disabled.extend(
                inner.into_iter().map(|inner| Disabled { actor: self.actor(at, &inner.actor), ..inner }),
            );
        }
        disabled
    }

    fn action_name(&self, action: Action) -> String {
        self.names.text(action)
    }

    /// Several components may take part in an action.
    fn action_place(&self, _action: Action) -> Option<String> {
        None
    }

    fn fault_name(&self, fault: Fault) -> String {
        let (component, fault) = self.fault_of(fault);
        let Component { name, system, .. } = &self.components[component];
        format!("{name}: {}", system.fault_name(fault))
    }

    fn gave_up(&self, fault: Fault) -> bool {
        let (component, fault) = self.fault_of(fault);
        self.components[component].system.gave_up(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_as_they_were_written() {
        for length in [0, 1, 127, 128, 300, 1 << 14, 1 << 20] {
            let mut bytes = Vec::new();
            write_length(length, &mut bytes);
            bytes.push(7);
            let mut rest = bytes.as_slice();
            assert_eq!(read_length(&mut rest), length);
            assert_eq!(rest, [7]);
        }
    }
}
