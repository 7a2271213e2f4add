//! What a term can do: the rules of the standard (ISO 8807, 7.5), one arm each.
//!
//! A move has a gate and offers. An offer is a value, or any value of a sort: `?x` meets `!v` under a parallel operator, and `?x` with
//! `?y` stays open for the next operator further out. What is open at the top, or where the gate is hidden, is enumerated there. The
//! predicate of an action is tested as soon as all its values are known.
//!
//! Moves are kept for every term, so that a component of a system is looked at once for each of its own states.
//!
//! **Unguarded recursion** is a least fixpoint: a process that is met again, with the same gates and values, while it is
//! unfolded, adds nothing through choice, guards, `let` and `hide`. Through a parallel operator, `>>` or `[>` it would go on without end, and
//! a gate that was hidden on the way is another one although it has the same number: there we give up, which is reported as such.

use crate::Aliasing;
use crate::code::{CodeId, CodeKind, OfferCode, ProcessId, SyncCode};
use crate::data::{SortId, Term, Trouble, UNSET, Val};
use crate::term::{ENDED, Env, Gate, Node, NodeId, Nodes, STOP, outside};
use elnath_kernel::{Action, Names};
use std::rc::Rc;

/// Not gates, but labels of moves: the internal action, successful termination, and a fault.
pub(crate) const INTERNAL: Gate = Gate::MAX;
pub(crate) const EXIT: Gate = Gate::MAX - 1;
pub(crate) const FAULT: Gate = Gate::MAX - 2;

/// A value, or any of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offer {
    Value(Val),
    Any(SortId),
}

#[derive(Clone, Debug)]
pub(crate) struct Move {
    pub(crate) gate: Gate,
    pub(crate) offers: Rc<[Offer]>,
    pub(crate) target: Target,
    /// The actions in the text that take part.
    pub(crate) by: Rc<[CodeId]>,
    pub(crate) fault: Option<u32>,
}

impl Move {
    /// Whether some of its values are not known.
    fn is_open(&self) -> bool {
        self.offers.iter().any(|offer| matches!(offer, Offer::Any(_)))
    }
}

/// Where a move leads.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Known(NodeId),
    /// It depends on values that are not known yet.
    Open(Rc<Open>),
}

#[derive(Debug)]
pub(crate) enum Open {
    /// What follows this action.
    After(NodeId),
    Parallel(Rc<[Gate]>, Target, Target),
    Hide(Rc<[Gate]>, Target),
    Rename(Rc<[(Gate, Gate)]>, Target),
    /// Within the left side of this term.
    Enable(Target, NodeId),
    Disable(Target, NodeId),
}

/// A move of a state, of which everything is known.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) gate: Gate,
    pub(crate) values: Rc<[Offer]>,
    pub(crate) target: NodeId,
    pub(crate) by: Rc<[CodeId]>,
    pub(crate) fault: Option<u32>,
}

/// What is on the way from the term that is asked about.
enum Unfolding {
    Call(ProcessId, Vec<Gate>, Vec<Val>),
    /// An operator that stays around what is unfolded.
    Operator,
    Hide(Vec<Gate>),
}

/// How deep calls are unfolded and terms are nested.
const DEEPEST: usize = 400;
/// When so much is kept, it is forgotten.
const MOST: usize = 300_000;
/// How many moves open offers may make.
const MOST_OFFERS: usize = 1_000_000;

/// The faults that all workers have met; the lowest bit of a number says whether we gave up.
#[derive(Default)]
pub(crate) struct Faults {
    pub(crate) real: Names,
    pub(crate) given_up: Names,
}

impl Faults {
    fn number(&self, text: &str, gave_up: bool) -> u32 {
        let names = if gave_up { &self.given_up } else { &self.real };
        2 * names.intern(text).0 + u32::from(gave_up)
    }

    pub(crate) fn text(&self, number: u32) -> String {
        let names = if number % 2 == 1 { &self.given_up } else { &self.real };
        names.text(Action(number / 2))
    }
}

/// What one worker knows.
pub(crate) struct Engine<'a> {
    pub(crate) nodes: Nodes<'a>,
    faults: &'a Faults,
    known: Vec<Option<Rc<[Move]>>>,
    unfolding: Vec<Unfolding>,
    /// The terms whose moves are being found.
    open: Vec<NodeId>,
    /// How far down in `open` something was left out since it is being found.
    cut: usize,
    /// The innermost code that could not be unfolded since this was set to none.
    pub(crate) culprit: Option<CodeId>,
    nothing: Rc<[Offer]>,
    nobody: Rc<[CodeId]>,
    pub(crate) work: u64,
}

pub(crate) type Moves = Rc<[Move]>;

impl<'a> Engine<'a> {
    pub(crate) fn new(nodes: Nodes<'a>, faults: &'a Faults) -> Self {
        Self {
            nodes,
            faults,
            known: Vec::new(),
            unfolding: Vec::new(),
            open: Vec::new(),
            cut: usize::MAX,
            culprit: None,
            nothing: Rc::new([]),
            nobody: Rc::new([]),
            work: 0,
        }
    }

    /// The term of the specification.
    pub(crate) fn initial(&mut self) -> Result<NodeId, Trouble> {
        let spec = self.nodes.spec;
        let unset = spec.memory.as_ref().map(|memory| vec![UNSET; memory.sorts.len()]);
        let mut env = self.nodes.fresh_env(0, unset.unwrap_or_default());
        env.gates.iter_mut().zip(0..).for_each(|(gate, number)| *gate = number);
        self.unfold(spec.processes[0].body, &mut env)
    }

    /// All that can happen in a state.
    pub(crate) fn steps(&mut self, state: &[u8], out: &mut Vec<Step>) {
        let node = self.nodes.decode(state);
        self.steps_of(node, out);
    }

    /// Whether so much is kept that it is better forgotten.
    pub(crate) fn is_full(&self) -> bool {
        self.nodes.len() + self.nodes.values.len() > MOST
    }

    /// Forgets all terms and values.
    pub(crate) fn forget(&mut self) {
        self.nodes.clear();
        self.known.clear();
    }

    /// All that can happen to a term.
    pub(crate) fn steps_of(&mut self, node: NodeId, out: &mut Vec<Step>) {
        out.clear();
        // A search asks for the steps of a whole state once: they are not worth keeping.
        match self.known.get(node as usize) {
            Some(Some(moves)) => {
                let moves = Rc::clone(moves);
                moves.iter().for_each(|step| self.step_of(step.clone(), out));
            }
            _ if !self.nodes.is_split(node) => {
                let moves = self.moves(node);
                moves.iter().for_each(|step| self.step_of(step.clone(), out));
            }
            _ => {
                self.open.push(node);
                self.work += 1;
                let moves = self.find(node);
                self.open.pop();
                self.cut = usize::MAX;
                moves.into_iter().for_each(|step| self.step_of(step, out));
            }
        }
        debug_assert!(self.open.is_empty() && self.unfolding.is_empty());
    }

    /// A move of a whole state, with each of the values that it may have.
    fn step_of(&mut self, step: Move, out: &mut Vec<Step>) {
        if let Target::Known(target) = step.target
            && !step.is_open()
        {
            let Move { gate, offers: values, by, fault, .. } = step;
            out.push(Step { gate, values, target, by, fault });
            return;
        }
        let closed = self.enumerate(&step);
        out.extend(closed.into_iter().map(|(values, target, fault)| Step {
            gate: if values.is_empty() && fault.is_some() { FAULT } else { step.gate },
            values: values.into_iter().map(Offer::Value).collect(),
            target,
            by: Rc::clone(&step.by),
            fault,
        }));
    }

    pub(crate) fn moves(&mut self, node: NodeId) -> Moves {
        if let Some(Some(moves)) = self.known.get(node as usize) {
            return Rc::clone(moves);
        }
        if let Some(at) = self.open.iter().position(|&other| other == node) {
            self.cut = self.cut.min(at);
            let is_around = |&other: &NodeId| match self.nodes.get(other) {
                Node::Parallel(..) | Node::Enable { .. } | Node::Disable(..) => true,
                Node::Hide(own, _) => own.iter().any(|&gate| self.nodes.can_use(node, gate)),
                Node::Rename(pairs, _) => pairs.iter().any(|&(own, _)| self.nodes.can_use(node, own)),
                _ => false,
            };
            if self.open[at..].iter().any(is_around) {
                let text = "a choice recurses through a parallel operator, `>>`, `[>` or `hide` without an action before it";
                return self.only_fault(node, Trouble::gave_up(text.to_owned()));
            }
            return Rc::new([]);
        }
        if self.open.len() > DEEPEST {
            let text = format!("the behaviour is nested more than {DEEPEST} deep");
            self.cut = 0;
            return self.only_fault(node, Trouble::gave_up(text));
        }
        let depth = self.open.len();
        self.open.push(node);
        self.work += 1;
        let moves: Moves = self.find(node).into();
        self.open.pop();
        // What was left out for the sake of a term further out is known only there.
        if self.cut >= depth {
            self.cut = usize::MAX;
            let at = node as usize;
            if self.known.len() <= at {
                self.known.resize(at + 1, None);
            }
            self.known[at] = Some(Rc::clone(&moves));
        }
        moves
    }

    fn find(&mut self, node: NodeId) -> Vec<Move> {
        match self.nodes.get(node).clone() {
            Node::Stop | Node::Ended => Vec::new(),
            Node::Leaf { code, gates, values } => {
                let mut env = self.nodes.env(code, &gates, &values);
                self.leaf(node, code, &mut env).unwrap_or_else(|trouble| vec![self.faulty(code, trouble)])
            }
            Node::Choice(all) => {
                let mut moves = Vec::new();
                for &one in &all {
                    moves.extend_from_slice(&self.moves(one));
                }
                moves
            }
            Node::Parallel(sync, left, right) => self.parallel(&sync, left, right),
            Node::Hide(own, body) => self.hide(&own, body),
            Node::Rename(pairs, body) => {
                let mut moves = Vec::new();
                for step in self.moves(body).iter() {
                    let target = match &step.target {
                        &Target::Known(body) => Target::Known(self.nodes.renamed(&pairs, body)),
                        open => Target::Open(Rc::new(Open::Rename(Rc::clone(&pairs), open.clone()))),
                    };
                    moves.push(Move { gate: outside(&pairs, step.gate), target, ..step.clone() });
                }
                moves
            }
            Node::Enable { left, code, gates, values } => {
                let mut moves = Vec::new();
                for step in self.moves(left).iter() {
                    if step.gate == EXIT {
                        self.enable(step, left, (code, &gates, &values), &mut moves);
                    } else {
                        let target = match &step.target {
                            &Target::Known(left) => {
                                Target::Known(self.nodes.enable(left, code, gates.clone(), values.clone()))
                            }
                            open => Target::Open(Rc::new(Open::Enable(open.clone(), node))),
                        };
                        moves.push(Move { target, ..step.clone() });
                    }
                }
                moves
            }
            Node::Disable(left, right) => {
                let mut moves = Vec::new();
                for step in self.moves(left).iter() {
                    let target = match &step.target {
                        // What has ended cannot be disabled any more.
                        target if step.gate == EXIT => target.clone(),
                        &Target::Known(left) => Target::Known(self.nodes.disable(left, right)),
                        open => Target::Open(Rc::new(Open::Disable(open.clone(), right))),
                    };
                    moves.push(Move { target, ..step.clone() });
                }
                moves.extend_from_slice(&self.moves(right));
                moves
            }
        }
    }

    fn leaf(&mut self, node: NodeId, code: CodeId, env: &mut Env) -> Result<Vec<Move>, Trouble> {
        let spec = self.nodes.spec;
        match &spec.codes[code as usize].kind {
            CodeKind::Exit(offers) => {
                let offers = self.offers(offers, env)?;
                let target = Target::Known(ENDED);
                Ok(vec![Move { gate: EXIT, offers, target, by: Rc::new([code]), fault: None }])
            }
            CodeKind::Prefix { gate: None, next, .. } => {
                let target = Target::Known(self.unfold(*next, env)?);
                let offers = Rc::clone(&self.nothing);
                Ok(vec![Move { gate: INTERNAL, offers, target, by: Rc::new([code]), fault: None }])
            }
            CodeKind::Prefix { gate: Some(slot), offers, .. } => {
                let gate = env.gates[*slot as usize];
                let offers = self.offers(offers, env)?;
                let target = Target::Open(Rc::new(Open::After(node)));
                let step = Move { gate, offers, target, by: Rc::new([code]), fault: None };
                Ok(self.settled(step).into_iter().collect())
            }
            CodeKind::ChoiceValues(slots, body) => {
                let mut moves = Vec::new();
                let mut domains = Vec::new();
                for &slot in slots {
                    domains.push(self.nodes.values.all(&spec.data, spec.sort_of(code, slot))?);
                }
                let within = |count: usize, domain: &Rc<[Val]>| {
                    count.checked_mul(domain.len()).filter(|&count| count <= MOST_OFFERS)
                };
                if domains.iter().try_fold(1, within).is_none() {
                    let text = "the values of a choice are enumerated here, and there are too many of them";
                    return Err(Trouble::gave_up(text.to_owned()));
                }
                for_each_combination(&domains, |values| {
                    slots.iter().zip(values).for_each(|(&slot, &value)| env.values[slot as usize] = value);
                    // A fault of one value is one of the choice; the others are still there.
                    let unfolded = self.unfold(*body, &mut env.clone());
                    match unfolded {
                        Ok(node) => moves.extend_from_slice(&self.moves(node)),
                        Err(trouble) => moves.push(self.faulty(code, trouble)),
                    }
                });
                Ok(moves)
            }
            CodeKind::Call(process, gates, values) => {
                let node = self.pass(code, *process, gates, values, env)?;
                Ok(self.moves(node).to_vec())
            }
            _ => unreachable!("other code is unfolded"),
        }
    }

    fn offers(&mut self, offers: &[OfferCode], env: &Env) -> Result<Rc<[Offer]>, Trouble> {
        if offers.is_empty() {
            return Ok(Rc::clone(&self.nothing));
        }
        let data = &self.nodes.spec.data;
        let mut offer = |offer: &OfferCode| match offer {
            OfferCode::Send(term) => Ok(Offer::Value(self.nodes.values.eval(data, term, &env.values)?)),
            OfferCode::Receive(_, sort) => Ok(Offer::Any(*sort)),
        };
        offers.iter().map(&mut offer).collect()
    }

    /// A move whose values may all be known: then it leads somewhere, or its predicate does not hold.
    fn settled(&mut self, step: Move) -> Option<Move> {
        let is_value = |offer: &Offer| match offer {
            Offer::Value(value) => Some(*value),
            Offer::Any(_) => None,
        };
        let Some(values) = step.offers.iter().map(is_value).collect::<Option<Vec<Val>>>() else {
            return Some(step);
        };
        match self.close(&step.target, &values) {
            Ok(target) => Some(Move { target: Target::Known(target?), ..step }),
            Err(trouble) => {
                let fault = Some(self.fault(step.by.first().copied(), trouble));
                Some(Move { target: Target::Known(ENDED), fault, ..step })
            }
        }
    }

    /// Where a move leads with these values; nowhere if a predicate does not hold.
    pub(crate) fn close(&mut self, target: &Target, values: &[Val]) -> Result<Option<NodeId>, Trouble> {
        let open = match target {
            Target::Known(node) => return Ok(Some(*node)),
            Target::Open(open) => open,
        };
        let close = |engine: &mut Self, target: &Target| engine.close(target, values);
        Ok(match &**open {
            Open::After(leaf) => {
                let Node::Leaf { code, gates, values: own } = self.nodes.get(*leaf).clone() else {
                    unreachable!("an action is a leaf")
                };
                let spec = self.nodes.spec;
                let CodeKind::Prefix { offers, guard, next, .. } = &spec.codes[code as usize].kind else {
                    unreachable!("only actions are open")
                };
                let mut env = self.nodes.env(code, &gates, &own);
                for (offer, &value) in offers.iter().zip(values) {
                    if let OfferCode::Receive(Some(slot), _) = offer {
                        env.values[*slot as usize] = value;
                    }
                }
                if let Some(guard) = guard
                    && !self.nodes.values.holds(&spec.data, guard, &env.values)?
                {
                    return Ok(None);
                }
                Some(self.unfold(*next, &mut env)?)
            }
            Open::Parallel(sync, left, right) => {
                let (Some(left), Some(right)) = (close(self, left)?, close(self, right)?) else {
                    return Ok(None);
                };
                Some(self.nodes.parallel(Some(sync), left, right))
            }
            Open::Hide(own, body) => close(self, body)?.map(|body| self.nodes.hide(own, body)),
            Open::Rename(pairs, body) => close(self, body)?.map(|body| self.nodes.renamed(pairs, body)),
            Open::Enable(left, whole) => {
                let Some(left) = close(self, left)? else { return Ok(None) };
                let Node::Enable { code, gates, values, .. } = self.nodes.get(*whole).clone() else {
                    unreachable!("this is a `>>`")
                };
                Some(self.nodes.enable(left, code, gates, values))
            }
            Open::Disable(left, right) => close(self, left)?.map(|left| self.nodes.disable(left, *right)),
        })
    }

    fn parallel(&mut self, sync: &Rc<[Gate]>, left: NodeId, right: NodeId) -> Vec<Move> {
        let (lefts, rights) = (self.moves(left), self.moves(right));
        let together = |gate: Gate| gate == EXIT || sync.binary_search(&gate).is_ok();
        let mut moves = Vec::new();
        for step in lefts.iter().filter(|step| !together(step.gate)) {
            let target = match &step.target {
                &Target::Known(left) => Target::Known(self.nodes.parallel(Some(sync), left, right)),
                open => {
                    Target::Open(Rc::new(Open::Parallel(Rc::clone(sync), open.clone(), Target::Known(right))))
                }
            };
            moves.push(Move { target, ..step.clone() });
        }
        for step in rights.iter().filter(|step| !together(step.gate)) {
            let target = match &step.target {
                &Target::Known(right) => Target::Known(self.nodes.parallel(Some(sync), left, right)),
                open => {
                    Target::Open(Rc::new(Open::Parallel(Rc::clone(sync), Target::Known(left), open.clone())))
                }
            };
            moves.push(Move { target, ..step.clone() });
        }
        for one in lefts.iter().filter(|step| together(step.gate)) {
            for other in rights.iter().filter(|step| step.gate == one.gate) {
                let Some(offers) = self.agreed(&one.offers, &other.offers) else { continue };
                let by = one.by.iter().chain(other.by.iter()).copied().collect();
                let fault = one.fault.or(other.fault);
                if let (&Target::Known(left), &Target::Known(right), None) =
                    (&one.target, &other.target, fault)
                {
                    let target = Target::Known(self.nodes.parallel(Some(sync), left, right));
                    moves.push(Move { gate: one.gate, offers, target, by, fault });
                    continue;
                }
                let (left, right) = (one.target.clone(), other.target.clone());
                let target = Target::Open(Rc::new(Open::Parallel(Rc::clone(sync), left, right)));
                if fault.is_some() {
                    moves.push(Move { gate: one.gate, offers, target: Target::Known(ENDED), by, fault });
                    continue;
                }
                moves.extend(self.settled(Move { gate: one.gate, offers, target, by, fault }));
            }
        }
        moves
    }

    /// What two offers have in common.
    fn agreed(&self, one: &Rc<[Offer]>, other: &Rc<[Offer]>) -> Option<Rc<[Offer]>> {
        if one.len() != other.len() {
            return None;
        }
        if one == other {
            return Some(Rc::clone(one));
        }
        one.iter().zip(other.iter()).map(|(&one, &other)| self.agree(one, other)).collect()
    }

    /// What two offers of one place have in common.
    pub(crate) fn agree(&self, one: Offer, other: Offer) -> Option<Offer> {
        match (one, other) {
            _ if one == other => Some(one),
            (Offer::Value(value), Offer::Any(sort)) | (Offer::Any(sort), Offer::Value(value)) => {
                (self.nodes.values.sort(&self.nodes.spec.data, value) == sort).then_some(Offer::Value(value))
            }
            _ => None,
        }
    }

    fn hide(&mut self, own: &Rc<[Gate]>, body: NodeId) -> Vec<Move> {
        let mut moves = Vec::new();
        for step in self.moves(body).iter() {
            if own.binary_search(&step.gate).is_ok() {
                let offers = Rc::clone(&self.nothing);
                // Nearly always all is known, and there is nothing to enumerate.
                if let Target::Known(body) = step.target
                    && !step.is_open()
                {
                    let target = Target::Known(self.nodes.hide(own, body));
                    moves.push(Move {
                        gate: INTERNAL,
                        offers,
                        target,
                        by: Rc::clone(&step.by),
                        fault: step.fault,
                    });
                    continue;
                }
                for (_, target, fault) in self.enumerate(step) {
                    let target = Target::Known(self.nodes.hide(own, target));
                    let (offers, by) = (Rc::clone(&offers), Rc::clone(&step.by));
                    moves.push(Move { gate: INTERNAL, offers, target, by, fault });
                }
                continue;
            }
            let target = match &step.target {
                &Target::Known(body) => Target::Known(self.nodes.hide(own, body)),
                open => Target::Open(Rc::new(Open::Hide(Rc::clone(own), open.clone()))),
            };
            moves.push(Move { target, ..step.clone() });
        }
        moves
    }

    /// The left side of `>>` has ended: the right side begins, with an internal action unless the text says `atomic`.
    fn enable(
        &mut self,
        step: &Move,
        left: NodeId,
        (code, gates, values): (CodeId, &[Gate], &[Val]),
        moves: &mut Vec<Move>,
    ) {
        let spec = self.nodes.spec;
        let CodeKind::Enable { accept, right, atomic, .. } = &spec.codes[code as usize].kind else {
            unreachable!("this is the code of `>>`")
        };
        for (results, _, fault) in self.enumerate(step) {
            let mut env = self.nodes.env_after(left, code, gates, values);
            accept.iter().zip(&results).for_each(|(&slot, &value)| env.values[slot as usize] = value);
            let next = match fault {
                Some(_) => Ok(ENDED),
                None => self.unfold(*right, &mut env),
            };
            match next {
                Ok(next) if *atomic && fault.is_none() => moves.extend_from_slice(&self.moves(next)),
                Ok(next) => moves.push(Move {
                    gate: INTERNAL,
                    offers: Rc::clone(&self.nothing),
                    target: Target::Known(next),
                    by: Rc::clone(&step.by),
                    fault,
                }),
                Err(trouble) => moves.push(self.faulty(code, trouble)),
            }
        }
    }

    /// What follows when the left side of this `>>` ends with these results; none if its internal action is left out, since then the
    /// first actions of what follows come at once.
    pub(crate) fn continued(&mut self, whole: NodeId, results: &[Offer]) -> Option<Vec<Move>> {
        let Node::Enable { code, gates, values, .. } = self.nodes.get(whole).clone() else {
            unreachable!("this is a `>>`")
        };
        if matches!(self.nodes.spec.codes[code as usize].kind, CodeKind::Enable { atomic: true, .. }) {
            return None;
        }
        let (offers, by) = (results.into(), Rc::clone(&self.nobody));
        let step = Move { gate: EXIT, offers, target: Target::Known(ENDED), by, fault: None };
        let mut moves = Vec::new();
        self.enable(&step, ENDED, (code, &gates, &values), &mut moves);
        Some(moves)
    }

    /// A move with each of the values that its open offers may have.
    fn enumerate(&mut self, step: &Move) -> Vec<(Vec<Val>, NodeId, Option<u32>)> {
        let domains = match self.domains(&step.offers) {
            Ok(domains) => domains,
            Err(trouble) => {
                let fault = self.fault(step.by.first().copied(), trouble);
                return vec![(Vec::new(), ENDED, Some(fault))];
            }
        };
        let mut closed = Vec::new();
        for_each_combination(&domains, |values| match self.close(&step.target, values) {
            Ok(Some(target)) => closed.push((values.to_vec(), target, step.fault)),
            Ok(None) => {}
            Err(trouble) => {
                let fault = self.fault(step.by.first().copied(), trouble);
                closed.push((values.to_vec(), ENDED, Some(fault)));
            }
        });
        closed
    }

    /// The values that each of some offers may have.
    pub(crate) fn domains(&mut self, offers: &[Offer]) -> Result<Vec<Rc<[Val]>>, Trouble> {
        let mut domains: Vec<Rc<[Val]>> = Vec::new();
        let mut count = 1_usize;
        for offer in offers {
            let domain = match *offer {
                Offer::Value(value) => Rc::from([value]),
                Offer::Any(sort) => self.nodes.values.all(&self.nodes.spec.data, sort)?,
            };
            count = count.saturating_mul(domain.len());
            domains.push(domain);
            if count > MOST_OFFERS {
                let text = "the values of an action are enumerated here, and there are too many of them";
                return Err(Trouble::gave_up(text.to_owned()));
            }
        }
        Ok(domains)
    }

    /// The normal form of code with the gates and values that it uses.
    pub(crate) fn resumed(
        &mut self,
        code: CodeId,
        gates: &[Gate],
        values: &[Val],
    ) -> Result<NodeId, Trouble> {
        let mut env = self.nodes.env(code, gates, values);
        self.unfold(code, &mut env)
    }

    /// The normal form of code in an environment.
    fn unfold(&mut self, code: CodeId, env: &mut Env) -> Result<NodeId, Trouble> {
        let unfolded = self.unfold_here(code, env);
        if unfolded.is_err() {
            self.culprit.get_or_insert(code);
        }
        unfolded
    }

    fn unfold_here(&mut self, code: CodeId, env: &mut Env) -> Result<NodeId, Trouble> {
        let spec = self.nodes.spec;
        self.work += 1;
        Ok(match &spec.codes[code as usize].kind {
            CodeKind::Stop => STOP,
            CodeKind::Exit(_) | CodeKind::Prefix { .. } | CodeKind::ChoiceValues(..) => {
                self.nodes.leaf(code, env)
            }
            CodeKind::Guard(cond, next) => {
                if self.nodes.values.holds(&spec.data, cond, &env.values)? {
                    self.unfold(*next, env)?
                } else {
                    STOP
                }
            }
            CodeKind::Choice(all) => {
                let all = all.iter().map(|&one| self.unfold(one, env)).collect::<Result<Vec<_>, _>>()?;
                self.nodes.choice(all)
            }
            CodeKind::Parallel(sync, left, right) => {
                let sync = gates_of(sync, env);
                let (left, right) = (self.unfold_within(*left, env)?, self.unfold_within(*right, env)?);
                self.nodes.parallel(sync.as_deref(), left, right)
            }
            CodeKind::Hide(slots, body) => {
                let used = &spec.codes[code as usize].gates;
                // Beyond those in use: a gate keeps its place among the others when these are forgotten.
                let first = used.iter().map(|&slot| env.gates[slot as usize] + 1).max().unwrap_or(0);
                let own: Vec<Gate> = (first.max(spec.gates())..).take(slots.len()).collect();
                slots.iter().zip(&own).for_each(|(&slot, &gate)| env.gates[slot as usize] = gate);
                self.unfolding.push(Unfolding::Hide(own.clone()));
                let body = self.unfold(*body, env);
                self.unfolding.pop();
                self.nodes.hide(&own, body?)
            }
            CodeKind::Let(bindings, body) => {
                for (slot, term) in bindings {
                    env.values[*slot as usize] = self.nodes.values.eval(&spec.data, term, &env.values)?;
                }
                self.unfold(*body, env)?
            }
            CodeKind::ChoiceGates(slot, among, body) => {
                let mut all = Vec::new();
                for &gate in among {
                    all.push(self.with_gate(*slot, gate, *body, env)?);
                }
                self.nodes.choice(all)
            }
            CodeKind::ParGates(slot, among, sync, body) => {
                let sync = gates_of(sync, env);
                let mut all = Vec::new();
                for &gate in among {
                    all.push(self.within(|engine| engine.with_gate(*slot, gate, *body, env))?);
                }
                let last = all.pop().expect("a list of gates is not empty");
                all.into_iter()
                    .rev()
                    .fold(last, |right, left| self.nodes.parallel(sync.as_deref(), left, right))
            }
            // Where values are remembered, they are passed with the first action of what is called.
            CodeKind::Call(_, _, values) if spec.memory.is_some() && !values.is_empty() => {
                self.nodes.leaf(code, env)
            }
            CodeKind::Call(process, gates, values) => self.pass(code, *process, gates, values, env)?,
            CodeKind::Enable { left, .. } => {
                let left = self.unfold_within(*left, env)?;
                let (gates, slots) = spec.continuation(code);
                let gates = gates.iter().map(|&slot| env.gates[slot as usize]).collect();
                let values = slots.iter().map(|&slot| env.values[slot as usize]).collect();
                self.nodes.enable(left, code, gates, values)
            }
            CodeKind::Disable(left, right) => {
                let (left, right) = (self.unfold_within(*left, env)?, self.unfold_within(*right, env)?);
                self.nodes.disable(left, right)
            }
        })
    }

    /// What is unfolded with one gate for another, of a choice or `par` of gates.
    fn with_gate(&mut self, slot: u32, gate: u32, body: CodeId, env: &mut Env) -> Result<NodeId, Trouble> {
        let used = self.nodes.spec.codes[body as usize].gates.iter().filter(|&&other| other != slot);
        let mut known: Vec<Gate> = used.map(|&other| env.gates[other as usize]).collect();
        known.push(env.gates[gate as usize]);
        let (known, pairs) = self.distinct(known);
        env.gates[slot as usize] = *known.last().expect("it was pushed");
        self.renaming(&pairs, |engine| engine.unfold(body, env))
    }

    /// In the standard, formal gates are different inside a process: a gate that was given before gets another number, and is renamed
    /// outside. (What is given first is what it is.)
    fn distinct(&self, mut gates: Vec<Gate>) -> (Vec<Gate>, Vec<(Gate, Gate)>) {
        let mut pairs = Vec::new();
        if self.nodes.spec.aliasing == Aliasing::Iso {
            let mut next = gates.iter().map(|&gate| gate + 1).max().unwrap_or(0).max(self.nodes.spec.gates());
            for at in 1..gates.len() {
                if gates[..at].contains(&gates[at]) {
                    pairs.push((next, gates[at]));
                    gates[at] = next;
                    next += 1;
                }
            }
        }
        (gates, pairs)
    }

    fn renaming(
        &mut self,
        pairs: &[(Gate, Gate)],
        unfold: impl FnOnce(&mut Self) -> Result<NodeId, Trouble>,
    ) -> Result<NodeId, Trouble> {
        if pairs.is_empty() {
            return unfold(self);
        }
        // As with `hide`, the next unfolding gets other gates with the same numbers.
        self.unfolding.push(Unfolding::Hide(pairs.iter().map(|&(own, _)| own).collect()));
        let body = unfold(self);
        self.unfolding.pop();
        Ok(self.nodes.renamed(pairs, body?))
    }

    /// What is unfolded below an operator that stays around it.
    fn unfold_within(&mut self, code: CodeId, env: &mut Env) -> Result<NodeId, Trouble> {
        self.within(|engine| engine.unfold(code, env))
    }

    fn within(
        &mut self,
        unfold: impl FnOnce(&mut Self) -> Result<NodeId, Trouble>,
    ) -> Result<NodeId, Trouble> {
        self.unfolding.push(Unfolding::Operator);
        let node = unfold(self);
        self.unfolding.pop();
        node
    }

    /// A call: its gates and values are passed, and what is called is unfolded.
    fn pass(
        &mut self,
        code: CodeId,
        process: ProcessId,
        gates: &[u32],
        values: &[Term],
        env: &Env,
    ) -> Result<NodeId, Trouble> {
        let spec = self.nodes.spec;
        let actual: Vec<Gate> = gates.iter().map(|&slot| env.gates[slot as usize]).collect();
        let mut given = Vec::new();
        for value in values {
            given.push(self.nodes.values.eval(&spec.data, value, &env.values)?);
        }
        let memory = self.nodes.remember(code, env);
        let (actual, pairs) = self.distinct(actual);
        self.renaming(&pairs, |engine| engine.call(process, actual, given, memory))
    }

    fn call(
        &mut self,
        process: ProcessId,
        gates: Vec<Gate>,
        values: Vec<Val>,
        memory: Vec<Val>,
    ) -> Result<NodeId, Trouble> {
        let called = &self.nodes.spec.processes[process as usize];
        let is_same = |one: &Unfolding| matches!(one, Unfolding::Call(other, its, own) if *other == process && *its == gates && *own == values);
        if let Some(at) = self.unfolding.iter().position(is_same) {
            let is_around = |one: &Unfolding| match one {
                Unfolding::Call(..) => false,
                Unfolding::Operator => true,
                Unfolding::Hide(own) => gates.iter().any(|gate| own.contains(gate)),
            };
            if self.unfolding[at..].iter().any(is_around) {
                let name = &called.name;
                let text = format!(
                    "{name} calls itself through a parallel operator, `>>`, `[>` or with a hidden gate, without an action before it"
                );
                return Err(Trouble::gave_up(text));
            }
            return Ok(STOP);
        }
        if self.unfolding.len() > DEEPEST {
            let text =
                format!("{} is unfolded more than {DEEPEST} times without an action in between", called.name);
            return Err(Trouble::gave_up(text));
        }
        let mut env = self.nodes.fresh_env(process, memory);
        env.gates[..gates.len()].copy_from_slice(&gates);
        env.values[..values.len()].copy_from_slice(&values);
        let body = called.body;
        self.unfolding.push(Unfolding::Call(process, gates, values));
        let node = self.unfold(body, &mut env);
        self.unfolding.pop();
        node
    }

    /// A move that is nothing but a fault: it happens whatever the operators around it are.
    fn faulty(&mut self, code: CodeId, trouble: Trouble) -> Move {
        let fault = Some(self.fault(Some(code), trouble));
        let (offers, by) = (Rc::clone(&self.nothing), Rc::new([code]));
        Move { gate: FAULT, offers, target: Target::Known(ENDED), by, fault }
    }

    fn only_fault(&mut self, node: NodeId, trouble: Trouble) -> Moves {
        let fault = match self.nodes.get(node) {
            Node::Leaf { code, .. } => self.fault(Some(*code), trouble),
            _ => self.fault(None, trouble),
        };
        let (offers, by) = (Rc::clone(&self.nothing), Rc::clone(&self.nobody));
        Rc::new([Move { gate: FAULT, offers, target: Target::Known(ENDED), by, fault: Some(fault) }])
    }

    pub(crate) fn fault(&mut self, code: Option<CodeId>, trouble: Trouble) -> u32 {
        let spec = self.nodes.spec;
        let text = match code {
            Some(code) => {
                let (file, line) = spec.sources.line(spec.codes[code as usize].span);
                format!("{file}:{line}: {}", trouble.text)
            }
            None => trouble.text,
        };
        self.faults.number(&text, trouble.gave_up)
    }
}

fn gates_of(sync: &SyncCode, env: &Env) -> Option<Vec<Gate>> {
    match sync {
        SyncCode::All => None,
        SyncCode::Gates(slots) => Some(slots.iter().map(|&slot| env.gates[slot as usize]).collect()),
    }
}

/// All ways to take one of each, in order.
pub(crate) fn for_each_combination(domains: &[Rc<[Val]>], mut each: impl FnMut(&[Val])) {
    if domains.iter().any(|domain| domain.is_empty()) {
        return;
    }
    let mut at = vec![0; domains.len()];
    let mut values: Vec<Val> = domains.iter().map(|domain| domain[0]).collect();
    loop {
        each(&values);
        let mut last = domains.len();
        loop {
            if last == 0 {
                return;
            }
            last -= 1;
            at[last] += 1;
            if at[last] < domains[last].len() {
                values[last] = domains[last][at[last]];
                break;
            }
            at[last] = 0;
            values[last] = domains[last][0];
        }
    }
}
