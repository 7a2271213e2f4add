//! Models written in Rust.
//!
//! A [`Model`] has a typed state; the kernel wants bytes. Serde and postcard turn one into the other: postcard's
//! encoding is a function of the value, so equal states have equal bytes, provided that equal values serialise
//! equally. That is true of everything but hash maps and hash sets: use `BTreeMap` and `BTreeSet` in a state.

use elnath_kernel::event::Operand;
use elnath_kernel::{Action, Describe, Fault, Propositions, Stepper, Successors, System, Terse, Transition};
use serde::{Serialize, de::DeserializeOwned};
use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Mutex;

/// A transition system written in Rust.
pub trait Model: Send + Sync {
    /// A state. Hash maps and hash sets do not belong into it (see the [module](self)).
    type State: Serialize + DeserializeOwned + Debug;
    /// What can happen in a state.
    type Action: Debug;

    /// The initial state.
    fn initial(&self) -> Self::State;

    /// Adds what may happen in `state` to `actions`, always in the same order.
    fn actions(&self, state: &Self::State, actions: &mut Vec<Self::Action>);

    /// The state after `action`, or `None` if it is not possible after all.
    fn next(&self, state: &Self::State, action: &Self::Action) -> Option<Self::State>;

    /// What must be true; at most 64.
    fn properties(&self) -> Vec<Property<Self>> {
        Vec::new()
    }

    /// Whether a run may rightly end in `state`, so that it is no deadlock.
    fn may_end(&self, _state: &Self::State) -> bool {
        false
    }
}

/// Something that must be true in every reachable state.
pub struct Property<M: Model + ?Sized> {
    /// What reports call it.
    pub name: &'static str,
    /// Whether it is true in a state.
    pub holds: fn(&M, &M::State) -> bool,
}

impl<M: Model + ?Sized> Property<M> {
    /// `holds` must be true in every reachable state.
    pub fn always(name: &'static str, holds: fn(&M, &M::State) -> bool) -> Self {
        Self { name, holds }
    }
}

/// A [`Model`] as a [`System`].
pub struct ModelSystem<'m, M: Model> {
    model: &'m M,
    properties: Vec<Property<M>>,
    actions: Mutex<Names>,
}

/// The texts of the actions met so far, numbered.
#[derive(Default)]
struct Names {
    numbers: HashMap<String, u32>,
    texts: Vec<String>,
}

impl<'m, M: Model> ModelSystem<'m, M> {
    /// Wraps a model.
    ///
    /// # Panics
    /// If it has more than 64 properties.
    pub fn new(model: &'m M) -> Self {
        let properties = model.properties();
        assert!(properties.len() <= 64, "a model has at most 64 properties");
        Self { model, properties, actions: Mutex::default() }
    }
}

impl<M: Model> System for ModelSystem<'_, M> {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(ModelStepper { system: self, bytes: Vec::new(), current: None })
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    /// What a model in Rust occupies is not known.
    fn bytes(&self) -> usize {
        0
    }
}

impl<M: Model> Terse for ModelSystem<'_, M> {
    fn state_text(&self, state: &[u8]) -> String {
        format!("{:?}", decode::<M>(state))
    }

    fn action_text(&self, action: Action) -> String {
        self.actions.lock().expect("no one panics with it").texts[action.0 as usize].clone()
    }
}

/// A decoded state with its actions and where they lead.
type Expanded<M> = (<M as Model>::State, Vec<(<M as Model>::Action, <M as Model>::State)>);

struct ModelStepper<'a, 'm, M: Model> {
    system: &'a ModelSystem<'m, M>,
    bytes: Vec<u8>,
    /// The state in `bytes`, expanded: a search asks several things about one state in a row.
    current: Option<Expanded<M>>,
}

fn decode<M: Model>(state: &[u8]) -> M::State {
    postcard::from_bytes(state).expect("a state was made by serialising one")
}

fn expand<M: Model>(model: &M, state: &[u8]) -> Expanded<M> {
    let state = decode::<M>(state);
    let mut actions = Vec::new();
    model.actions(&state, &mut actions);
    let steps =
        actions.into_iter().filter_map(|action| model.next(&state, &action).map(|next| (action, next)));
    let steps = steps.collect();
    (state, steps)
}

fn encode(state: &impl Serialize, out: &mut Vec<u8>) {
    out.clear();
    let buffer = std::mem::take(out);
    *out = postcard::to_extend(state, buffer).expect("a state can be serialised");
}

impl<M: Model> ModelStepper<'_, '_, M> {
    fn at(&mut self, state: &[u8]) -> &Expanded<M> {
        if self.bytes != state || self.current.is_none() {
            self.bytes.clear();
            self.bytes.extend_from_slice(state);
            self.current = None;
        }
        self.current.get_or_insert_with(|| expand(self.system.model, state))
    }
}

impl<M: Model> Stepper for ModelStepper<'_, '_, M> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        encode(&self.system.model.initial(), out);
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        let steps = self.at(state).1.len() as u64;
        out.clear();
        out.extend((0..steps).map(Transition));
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        encode(&self.at(state).1[t.0 as usize].1, out);
        Ok(())
    }

    fn action(&mut self, state: &[u8], t: Transition) -> Action {
        let system = self.system;
        let text = format!("{:?}", self.at(state).1[t.0 as usize].0).trim_matches('"').to_owned();
        let names = &mut *system.actions.lock().expect("no one panics with it");
        let number = names.numbers.entry(text.clone()).or_insert_with(|| {
            names.texts.push(text);
            names.texts.len() as u32 - 1
        });
        Action(*number)
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        out.fire_all(self, state);
    }

    fn may_end(&mut self, state: &[u8]) -> bool {
        let system = self.system;
        system.model.may_end(&self.at(state).0)
    }

    fn transition_bits(&self) -> u32 {
        32
    }

    elnath_kernel::facets! { mine: propositions; none: acceptance, processes, tally }
}

impl<M: Model> Propositions for ModelStepper<'_, '_, M> {
    fn names(&mut self) -> Vec<String> {
        self.system.properties.iter().map(|property| property.name.to_owned()).collect()
    }

    fn fallible(&mut self) -> u64 {
        0
    }

    fn proposition_fault(&mut self, _state: &[u8], _number: u32) -> Option<Fault> {
        None
    }

    /// What a function in Rust looks at is not known: the whole state.
    fn operands(&mut self, state: &[u8], _number: u32) -> Vec<Operand> {
        vec![Operand { name: "state".to_owned(), value: self.system.show_state(state) }]
    }

    fn valuation(&mut self, state: &[u8]) -> u64 {
        let system = self.system;
        let state = &self.at(state).0;
        let holds = |property: &Property<M>| u64::from((property.holds)(system.model, state));
        system.properties.iter().enumerate().fold(0, |bits, (i, property)| bits | holds(property) << i)
    }
}
