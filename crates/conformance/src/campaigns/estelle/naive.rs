//! A naive interpreter of static specifications: a state is a structure, every rule is read literally, and nothing is shared with the lowering.

use super::model::{Kind, MESSAGES, Number, Specification, Statement, Transition, Truth};
use std::collections::{BTreeSet, HashMap, VecDeque};

/// A message in a queue: point, element, message, value.
type Message = (usize, usize, usize, i32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Module {
    state: usize,
    x: [i32; 3],
    flag: bool,
    array: [i32; 3],
    field: i32,
    set: [bool; 3],
    left: u32,
    /// What is selected: transition and value of `any`.
    selected: Option<(usize, i32)>,
    /// How long each delayed transition has waited.
    waited: Vec<u32>,
    /// By queue: the common one first, then one for each element of each point (those of common points stay empty).
    queues: Vec<VecDeque<Message>>,
}

type State = Vec<Module>;

/// How time and steps are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    pub select: bool,
    pub ticks: bool,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub states: usize,
    /// Distinct pairs of a state and another (or the same).
    pub steps: usize,
    pub ends: usize,
    pub faulty: usize,
    pub deadlock: bool,
    pub unspecified: bool,
}

/// A fault: a value outside its type.
struct Fault;

struct Values<'m> {
    module: &'m mut Module,
    parameter: i32,
    choice: i32,
    sent: Vec<(usize, usize, usize, i32)>,
}

pub(super) struct Naive<'s> {
    pub specification: &'s Specification,
    pub reading: Reading,
}

impl Naive<'_> {
    fn initial(&self) -> State {
        let all = self.specification.modules.iter();
        all.map(|module| {
            let elements: usize = module.points.iter().map(|(elements, _)| elements).sum();
            Module {
                state: module.initial,
                x: [0; 3],
                flag: false,
                array: [0; 3],
                field: 0,
                set: [false; 3],
                left: module.budget,
                selected: None,
                waited: vec![0; 2 * module.transitions.len()],
                queues: vec![VecDeque::new(); 1 + elements],
            }
        })
        .collect()
    }

    fn queue(&self, module: usize, point: usize, element: usize) -> usize {
        let points = &self.specification.modules[module].points;
        if points[point].1 {
            return 0;
        }
        1 + points[..point].iter().map(|(elements, _)| elements).sum::<usize>() + element
    }

    fn transition(&self, module: usize, number: usize) -> &Transition {
        &self.specification.modules[module].transitions[number]
    }

    fn head<'q>(
        &self,
        state: &'q State,
        module: usize,
        transition: &Transition,
    ) -> Option<Option<&'q Message>> {
        let (point, element, _) = transition.when?;
        Some(state[module].queues[self.queue(module, point, element)].front())
    }

    fn enabled(&self, state: &State, module: usize, (number, choice): (usize, i32)) -> bool {
        let transition = self.transition(module, number);
        if !transition.from.contains(&state[module].state) {
            return false;
        }
        let mut parameter = 0;
        if let (Some((point, element, message)), Some(head)) =
            (transition.when, self.head(state, module, transition))
        {
            match head {
                Some(&(p, e, m, value)) if (p, e, m) == (point, element, message) => parameter = value,
                _ => return false,
            }
        }
        let mut copy = state[module].clone();
        let values = Values { module: &mut copy, parameter, choice, sent: Vec::new() };
        values.truth(&transition.guard)
    }

    /// All transitions of a module with their values of `any`.
    fn all(&self, module: usize) -> Vec<(usize, i32)> {
        let transitions = self.specification.modules[module].transitions.iter().enumerate();
        transitions
            .flat_map(|(number, transition)| (0..1 + i32::from(transition.any)).map(move |i| (number, i)))
            .collect()
    }

    fn ripe(&self, state: &State, module: usize, (number, choice): (usize, i32)) -> bool {
        match self.transition(module, number).delay {
            Some((least, _)) if self.reading.ticks => {
                state[module].waited[2 * number + choice as usize] >= least
            }
            _ => true,
        }
    }

    /// What a module may select.
    fn fireable(&self, state: &State, module: usize) -> Vec<(usize, i32)> {
        let enabled =
            |&step: &(usize, i32)| self.enabled(state, module, step) && self.ripe(state, module, step);
        let all: Vec<(usize, i32)> = self.all(module).into_iter().filter(enabled).collect();
        let rank = |step: &(usize, i32)| self.transition(module, step.0).priority.unwrap_or(u32::MAX);
        // A delayed transition may not have waited long enough, so that it keeps no other from firing, unless time is counted.
        let counts =
            |step: &&(usize, i32)| self.reading.ticks || self.transition(module, step.0).delay.is_none();
        let best = all.iter().filter(counts).map(rank).min();
        all.iter().copied().filter(|step| best.is_none_or(|best| rank(step) <= best)).collect()
    }

    /// Carries a transition out.
    fn execute(&self, state: &State, module: usize, (number, choice): (usize, i32)) -> Result<State, Fault> {
        let transition = self.transition(module, number);
        let mut next = state.clone();
        let mut parameter = 0;
        if let Some((point, element, _)) = transition.when {
            let queue = self.queue(module, point, element);
            let (_, _, _, value) = next[module].queues[queue].pop_front().expect("it was selected");
            parameter = value;
        }
        let mut values = Values { module: &mut next[module], parameter, choice, sent: Vec::new() };
        values.all(&transition.body)?;
        let sent = values.sent;
        next[module].state = transition.to.unwrap_or(state[module].state);
        next[module].selected = None;
        for (point, element, message, value) in sent {
            let to = self.specification.peers.iter().find(|(from, _)| *from == (module, point, element));
            if let Some((_, (other, point, element))) = to {
                let queue = self.queue(*other, *point, *element);
                next[*other].queues[queue].push_back((*point, *element, message, value));
            }
        }
        if self.reading.ticks {
            for step in self.all(module) {
                let delayed = self.transition(module, step.0).delay.is_some();
                let stays = delayed && step != (number, choice) && self.enabled(&next, module, step);
                if !stays {
                    next[module].waited[2 * step.0 + step.1 as usize] = 0;
                }
            }
        }
        Ok(next)
    }

    /// The modules of each system that select together: of each list one selects.
    fn systems(&self) -> Vec<Vec<Vec<usize>>> {
        let mut first = 0;
        let mut all = Vec::new();
        for &(kind, size) in &self.specification.systems {
            let modules: Vec<usize> = (first..first + size).collect();
            first += size;
            all.push(match kind {
                Kind::Single | Kind::Activity => vec![modules],
                Kind::Process => modules.into_iter().map(|module| vec![module]).collect(),
                Kind::Mixed => vec![modules[..2].to_vec(), vec![modules[2]]],
            });
        }
        all
    }

    /// What a system may select: for each unit a choice, if it has one.
    fn selections(&self, state: &State, units: &[Vec<usize>]) -> Vec<Vec<(usize, (usize, i32))>> {
        let mut all = vec![Vec::new()];
        for unit in units {
            let choices: Vec<(usize, (usize, i32))> = unit
                .iter()
                .flat_map(|&module| self.fireable(state, module).into_iter().map(move |step| (module, step)))
                .collect();
            if choices.is_empty() {
                continue;
            }
            let with = |before: &Vec<(usize, (usize, i32))>, choice: (usize, (usize, i32))| {
                before.iter().copied().chain([choice]).collect::<Vec<_>>()
            };
            all = all
                .iter()
                .flat_map(|before| choices.iter().map(move |&choice| with(before, choice)))
                .collect();
        }
        all.retain(|selection| !selection.is_empty());
        all
    }

    /// Executes all that is left, in every order.
    fn orders(&self, state: &State, left: &[(usize, (usize, i32))], out: &mut Vec<Result<State, Fault>>) {
        if left.is_empty() {
            out.push(Ok(state.clone()));
        }
        for (at, &(module, step)) in left.iter().enumerate() {
            let mut rest = left.to_vec();
            rest.remove(at);
            match self.execute(state, module, step) {
                Ok(next) => self.orders(&next, &rest, out),
                Err(fault) => out.push(Err(fault)),
            }
        }
    }

    fn successors(&self, state: &State) -> Vec<Result<State, Fault>> {
        let mut out = Vec::new();
        for units in self.systems() {
            let modules = units.concat();
            let selected: Vec<usize> =
                modules.iter().copied().filter(|&module| state[module].selected.is_some()).collect();
            for &module in &selected {
                let step = state[module].selected.expect("it was asked for");
                out.push(self.execute(state, module, step));
            }
            if !selected.is_empty() {
                continue;
            }
            for selection in self.selections(state, &units) {
                if self.reading.select {
                    let mut next = state.clone();
                    for (module, step) in selection {
                        next[module].selected = Some(step);
                    }
                    out.push(Ok(next));
                } else {
                    self.orders(state, &selection, &mut out);
                }
            }
        }
        out.extend(self.tick(state).map(Ok));
        out
    }

    /// Lets time pass.
    fn tick(&self, state: &State) -> Option<State> {
        if !self.reading.ticks || state.iter().any(|module| module.selected.is_some()) {
            return None;
        }
        let mut next = state.clone();
        let mut advanced = false;
        for module in 0..state.len() {
            for step in self.all(module) {
                let enabled = self.enabled(state, module, step);
                let waited = state[module].waited[2 * step.0 + step.1 as usize];
                let to = &mut next[module].waited[2 * step.0 + step.1 as usize];
                match (self.transition(module, step.0).delay, enabled) {
                    (None, true) => return None,
                    (Some((_, Some(most))), true) if waited >= most => return None,
                    (Some((least, most)), true) => {
                        if waited < most.unwrap_or(least) {
                            *to = waited + 1;
                            advanced = true;
                        }
                    }
                    (Some(_), false) => *to = 0,
                    (None, false) => {}
                }
            }
        }
        advanced.then_some(next)
    }

    fn may_end(&self, state: &State, module: usize) -> bool {
        let all = &self.specification.modules[module].transitions;
        state[module].selected.is_none()
            && !all.iter().any(|transition| transition.from.contains(&state[module].state))
    }

    /// Whether a module has something in every queue that it waits for, and nothing is enabled.
    fn is_blocked(&self, state: &State, module: usize) -> bool {
        let here = |transition: &&Transition| transition.from.contains(&state[module].state);
        let leaving: Vec<&Transition> =
            self.specification.modules[module].transitions.iter().filter(here).collect();
        let mut heads =
            leaving.iter().filter_map(|transition| self.head(state, module, transition)).peekable();
        state[module].selected.is_none()
            && heads.peek().is_some()
            && heads.all(|head| head.is_some())
            && !self.all(module).into_iter().any(|step| self.enabled(state, module, step))
    }

    /// Explores everything; nothing if there are more states than that.
    pub(super) fn explore(&self, most: usize) -> Option<Found> {
        let initial = self.initial();
        let mut numbers: HashMap<State, usize> = HashMap::from([(initial.clone(), 0)]);
        let mut todo = vec![initial];
        let mut found = Found::default();
        let mut at = 0;
        while at < todo.len() {
            let state = todo[at].clone();
            at += 1;
            found.states += 1;
            let mut targets = BTreeSet::new();
            let successors = self.successors(&state);
            let blocked = (0..state.len()).any(|module| self.is_blocked(&state, module));
            found.unspecified |= blocked;
            if successors.is_empty() {
                found.ends += 1;
                let all_may_end = (0..state.len()).all(|module| self.may_end(&state, module));
                found.deadlock |= !all_may_end && !blocked;
            }
            let mut faulty = false;
            for next in successors {
                let Ok(next) = next else {
                    faulty = true;
                    continue;
                };
                let fresh = numbers.len();
                let number = *numbers.entry(next.clone()).or_insert_with(|| {
                    todo.push(next);
                    fresh
                });
                targets.insert(number);
            }
            found.faulty += usize::from(faulty);
            found.steps += targets.len();
            if numbers.len() > most {
                return None;
            }
        }
        Some(found)
    }
}

impl Values<'_> {
    fn number(&self, number: &Number) -> i32 {
        match number {
            Number::Const(value) => *value,
            Number::Var(var) => self.module.x[*var],
            Number::Element(index) => self.module.array[self.number(index) as usize],
            Number::Field => self.module.field,
            Number::Parameter => self.parameter,
            Number::Choice => self.choice,
            Number::Sum(a, b) => (self.number(a) + self.number(b)) % 3,
            Number::Twice(a) => self.number(a) * 2 % 3,
        }
    }

    fn truth(&self, truth: &Truth) -> bool {
        match truth {
            Truth::Const(value) => *value,
            Truth::Flag => self.module.flag,
            Truth::Less(a, b) => self.number(a) < self.number(b),
            Truth::Equal(a, b) => self.number(a) == self.number(b),
            Truth::Not(a) => !self.truth(a),
            Truth::And(a, b) => self.truth(a) && self.truth(b),
            Truth::Or(a, b) => self.truth(a) || self.truth(b),
            Truth::In(a) => self.module.set[self.number(a) as usize],
            Truth::Among(a, one, least) => {
                let value = self.number(a);
                value == *one || (*least..=2).contains(&value)
            }
            Truth::Exist(a) => self.module.array.contains(&self.number(a)),
            Truth::Large(a) => self.number(a) > 1,
        }
    }

    fn all(&mut self, body: &[Statement]) -> Result<(), Fault> {
        body.iter().try_for_each(|statement| self.one(statement))
    }

    fn one(&mut self, statement: &Statement) -> Result<(), Fault> {
        match statement {
            Statement::Assign(var, value) => self.module.x[*var] = self.number(value),
            Statement::Element(index, value) => {
                let value = self.number(value);
                let index = self.number(index);
                self.module.array[index as usize] = value;
            }
            Statement::Field(value) => self.module.field = self.number(value),
            Statement::Flag(value) => self.module.flag = self.truth(value),
            Statement::Set(put, value) => {
                let value = self.number(value);
                self.module.set[value as usize] = *put;
            }
            Statement::Output(point, element, message, value) => {
                if self.module.left > 0 {
                    self.module.left -= 1;
                    let value = match MESSAGES[*message] {
                        (_, false) => 0,
                        ("m", _) => self.number(value) % 2,
                        _ => self.number(value),
                    };
                    self.sent.push((*point, *element, *message, value));
                }
            }
            Statement::If(condition, then, other) => {
                return if self.truth(condition) { self.all(then) } else { self.all(other) };
            }
            Statement::For(last, body) => {
                for t in 0..=self.number(last) {
                    self.module.x[2] = t;
                    self.all(body)?;
                }
                self.module.x[2] = 0;
            }
            Statement::While(value) => {
                while self.module.x[0] < self.number(value) {
                    self.module.x[0] += 1;
                }
            }
            Statement::Case(value, zero, other) => {
                return if self.number(value) == 0 { self.all(zero) } else { self.all(other) };
            }
            Statement::Add(var, value) => {
                self.module.x[*var] = (self.module.x[*var] + self.number(value)) % 3;
            }
            Statement::Increment => {
                if self.module.x[0] == 2 {
                    return Err(Fault);
                }
                self.module.x[0] += 1;
            }
        }
        Ok(())
    }
}
