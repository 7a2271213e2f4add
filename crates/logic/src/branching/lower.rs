//! From a formula to what is walked: an alternating automaton of *positions*.
//!
//! Operators of CTL are joined where a law allows it ([`super::rewrite`]). A formula is brought to positive form (negations move to the propositions, fixpoints and modalities become their duals), operators of
//! CTL become fixpoints and regular modalities automata ([`super::regular`]). What results is a graph of small positions: a
//! position is a conjunction or a disjunction of tests of the state, of other positions in the same state, and of positions in
//! its successors: those by all actions of a kind if it is a conjunction, by some if it is a disjunction. The position of a fixpoint
//! has a priority.
//!
//! **Blocks.** A strongly connected component of positions is a block: what is below it does not depend on it. A block without both kinds of
//! fixpoints is free of alternation, and is solved by reaching alone. **Priorities** are given from the outside: the outermost fixpoint of a
//! block decides for all cycles through it; without it the block falls apart, and each part begins one level further in if its
//! outermost fixpoint is of the other kind. The levels of a block are its alternation depth (Niwiński 1986; Emerson and Lei 1986 count the same
//! way that only fixpoints which depend on each other alternate). Odd priorities are least fixpoints, even ones greatest, and the largest on a
//! cycle decides.

use super::ast::{ActionId, CtlOperator, Fixpoint, MuFormulas, MuId, MuNode, Quantifier};
use super::regular::{Builder, Polarity};
use super::rewrite::rewritten;
use crate::branching::ast::ActionNode;
use std::collections::HashMap;

/// A test of one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateTest {
    /// What is tested.
    pub of: Tested,
    /// Whether it must hold; otherwise it must not.
    pub holds: bool,
}

/// What a [`StateTest`] tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tested {
    /// A proposition, by its number in the formula.
    Proposition(u32),
    /// Whether the state has no successor.
    Deadlock,
}

/// One position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Whether all parts must hold; otherwise one must.
    pub all: bool,
    /// Tests of the state.
    pub tests: Vec<StateTest>,
    /// Positions in the same state.
    pub here: Vec<u32>,
    /// Positions in successors by an action: by all such actions in a conjunction, by some in a disjunction.
    pub moves: Vec<(ActionId, u32)>,
    /// The priority of a fixpoint, odd for a least one; 0 if it is none.
    pub priority: u32,
    /// Its block; a position depends only on blocks with the same or smaller numbers.
    pub block: u32,
    /// The formula that it was made of and whether that is not negated; nothing within a regular formula.
    pub origin: Option<(MuId, bool)>,
}

/// A strongly connected component of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// How often the kind of fixpoint changes inwards, plus 1; 0 if nothing in it depends on itself.
    pub levels: u32,
    /// The kind of the outermost fixpoint.
    pub kind: Fixpoint,
    /// Which positions depend on others of the block: only conjunctions, only disjunctions, or both.
    pub choice: BlockChoice,
}

/// Which positions of a block depend on others of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockChoice {
    /// Conjunctions only, so that one false position makes all false that lead to it. What has one part beside tests of its state counts as either.
    Conjunctive,
    /// Disjunctions only, likewise.
    Disjunctive,
    /// Both.
    Mixed,
}

/// A formula as it is walked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Positions {
    /// The positions. That with number 0 is false, that with number 1 is true.
    pub positions: Vec<Position>,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// Where the formula begins.
    pub root: u32,
    /// The action formula `true`.
    pub any: ActionId,
}

impl Positions {
    /// The position that holds nowhere.
    pub const FALSE: u32 = 0;
    /// The position that holds everywhere.
    pub const TRUE: u32 = 1;

    /// The most levels of a block: 0 for formulas without fixpoints, 1 for those that do not alternate.
    pub fn alternation(&self) -> u32 {
        self.blocks.iter().map(|block| block.levels).max().unwrap_or(0)
    }

    /// The action formulas that moves look at.
    pub fn actions(&self) -> Vec<ActionId> {
        let moves = self.positions.iter().flat_map(|position| &position.moves);
        let mut actions: Vec<ActionId> = moves.map(|&(action, _)| action).collect();
        actions.sort_unstable();
        actions.dedup();
        actions
    }

    /// Whether it does not matter by which action a state is left.
    pub fn ignores_actions(&self) -> bool {
        self.actions().iter().all(|action| *action == self.any)
    }

    /// The numbers of the propositions that are tested.
    pub fn propositions(&self) -> Vec<u32> {
        let tests = self.positions.iter().flat_map(|position| &position.tests);
        let mut numbers: Vec<u32> = tests
            .filter_map(|test| match test.of {
                Tested::Proposition(number) => Some(number),
                Tested::Deadlock => None,
            })
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// The block of a position.
    pub fn block_of(&self, position: u32) -> &Block {
        &self.blocks[self.positions[position as usize].block as usize]
    }
}

/// What a formula becomes before positions are cut out of it.
pub(super) struct Core {
    pub(super) op: Op,
    /// If it is a fixpoint: which, and how far out (outer ones have smaller numbers).
    pub(super) fix: Option<(Fixpoint, u32)>,
    /// The formula that became this, and whether it is not negated.
    pub(super) origin: Option<(MuId, bool)>,
}

#[derive(Clone)]
pub(super) enum Op {
    Constant(bool),
    Test(StateTest),
    And(Vec<u32>),
    Or(Vec<u32>),
    Diamond(ActionId, u32),
    Square(ActionId, u32),
    Same(u32),
}

#[derive(Default)]
pub(super) struct Cores {
    pub(super) nodes: Vec<Core>,
}

impl Cores {
    pub(super) fn add(&mut self, core: Core) -> u32 {
        self.nodes.push(core);
        self.nodes.len() as u32 - 1
    }

    /// A node that is filled later.
    pub(super) fn reserve(&mut self, fix: Option<(Fixpoint, u32)>) -> u32 {
        self.add(Core { op: Op::Constant(false), fix, origin: None })
    }

    pub(super) fn constant(&mut self, value: bool) -> u32 {
        self.add(Core { op: Op::Constant(value), fix: None, origin: None })
    }

    fn plain(&mut self, op: Op) -> u32 {
        self.add(Core { op, fix: None, origin: None })
    }
}

/// Makes positions of a formula.
///
/// # Panics
/// If a variable is free or negated, which [`super::parse_branching`] refuses.
pub fn lower(formulas: &mut MuFormulas, f: MuId) -> Positions {
    let any = formulas.add_action(ActionNode::True);
    let f = rewritten(formulas, f);
    let mut lowering = Lowering {
        formulas,
        cores: Cores::default(),
        any,
        done: HashMap::new(),
        variables: HashMap::new(),
        rank: 0,
    };
    let root = lowering.run(f);
    let (mut positions, root) = cut(&lowering.cores, root, any);
    set_steps_apart(&mut positions);
    with_blocks(positions, root, any)
}

struct Lowering<'a> {
    formulas: &'a MuFormulas,
    cores: Cores,
    any: ActionId,
    /// What formulas have become, as they are and negated.
    done: HashMap<(MuId, bool), u32>,
    variables: HashMap<(u32, bool), u32>,
    rank: u32,
}

enum Task {
    Enter(MuId, bool),
    Leave(MuId, bool, u32),
}

impl Lowering<'_> {
    fn run(&mut self, f: MuId) -> u32 {
        let mut tasks = vec![Task::Enter(f, true)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Enter(f, positive) => {
                    if self.done.contains_key(&(f, positive)) {
                        continue;
                    }
                    let rank = self.rank;
                    // A run for ever has a fixpoint around its loops.
                    self.rank += 2;
                    let node = self.formulas.node(f);
                    if let MuNode::Fix(kind, variable, _) = node {
                        let kind = if positive { *kind } else { kind.dual() };
                        let binder = self.cores.reserve(Some((kind, rank)));
                        self.variables.insert((*variable, positive), binder);
                        self.done.insert((f, positive), binder);
                    }
                    tasks.push(Task::Leave(f, positive, rank));
                    match node {
                        MuNode::Not(g) => tasks.push(Task::Enter(*g, !positive)),
                        MuNode::Implies(g, h) => {
                            tasks.extend([Task::Enter(*h, positive), Task::Enter(*g, !positive)]);
                        }
                        MuNode::Iff(g, h) => {
                            let both = |f: MuId| [Task::Enter(f, true), Task::Enter(f, false)];
                            tasks.extend(both(*h).into_iter().chain(both(*g)));
                        }
                        node => {
                            let children = node.children().into_iter().rev();
                            tasks.extend(children.map(|child| Task::Enter(child, positive)));
                        }
                    }
                }
                Task::Leave(f, positive, rank) => {
                    let made = self.leave(f, positive, rank);
                    if !matches!(self.formulas.node(f), MuNode::Variable(_)) {
                        self.cores.nodes[made as usize].origin.get_or_insert((f, positive));
                    }
                    self.done.insert((f, positive), made);
                }
            }
        }
        self.done[&(f, true)]
    }

    fn of(&self, f: MuId, positive: bool) -> u32 {
        self.done[&(f, positive)]
    }

    fn leave(&mut self, f: MuId, positive: bool, rank: u32) -> u32 {
        let joined = |all: bool, parts: Vec<u32>| if all { Op::And(parts) } else { Op::Or(parts) };
        let op = match self.formulas.node(f) {
            MuNode::True => Op::Constant(positive),
            MuNode::False => Op::Constant(!positive),
            MuNode::Deadlock => Op::Test(StateTest { of: Tested::Deadlock, holds: positive }),
            MuNode::Proposition(number) => {
                Op::Test(StateTest { of: Tested::Proposition(*number), holds: positive })
            }
            MuNode::Variable(variable) => {
                return *self
                    .variables
                    .get(&(*variable, positive))
                    .expect("variables are bound and not negated");
            }
            MuNode::Not(g) => return self.of(*g, !positive),
            MuNode::And(parts) => joined(positive, parts.iter().map(|&g| self.of(g, positive)).collect()),
            MuNode::Or(parts) => joined(!positive, parts.iter().map(|&g| self.of(g, positive)).collect()),
            MuNode::Implies(g, h) => joined(!positive, vec![self.of(*g, !positive), self.of(*h, positive)]),
            MuNode::Iff(g, h) => {
                let (g1, g0) = (self.of(*g, true), self.of(*g, false));
                let (h1, h0) = (self.of(*h, true), self.of(*h, false));
                let (same, other) = if positive { (h1, h0) } else { (h0, h1) };
                let first = self.cores.plain(Op::And(vec![g1, same]));
                let second = self.cores.plain(Op::And(vec![g0, other]));
                Op::Or(vec![first, second])
            }
            MuNode::Fix(_, variable, body) => {
                let (binder, body) = (self.variables[&(*variable, positive)], self.of(*body, positive));
                self.cores.nodes[binder as usize].op = Op::Same(body);
                return binder;
            }
            MuNode::Diamond(regular, g) => {
                let next = self.of(*g, positive);
                let polarity = if positive { Polarity::Some } else { Polarity::All };
                return self.builder(polarity, rank).enter(*regular, next);
            }
            MuNode::Square(regular, g) => {
                let next = self.of(*g, positive);
                let polarity = if positive { Polarity::All } else { Polarity::Some };
                return self.builder(polarity, rank).enter(*regular, next);
            }
            MuNode::Forever(regular) => {
                let polarity = if positive { Polarity::Some } else { Polarity::All };
                return self.builder(polarity, rank).forever(*regular);
            }
            MuNode::NotForever(regular) => {
                let polarity = if positive { Polarity::All } else { Polarity::Some };
                return self.builder(polarity, rank).forever(*regular);
            }
            MuNode::Ctl(quantifier, operator) => return self.ctl(*quantifier, *operator, positive, rank),
        };
        self.cores.plain(op)
    }

    fn builder(&mut self, polarity: Polarity, rank: u32) -> Builder<'_> {
        Builder { formulas: self.formulas, cores: &mut self.cores, polarity, rank }
    }

    /// An operator of CTL over maximal runs. Under a negation it is its dual: `!A[p U q]` is `E[!p R !q]` and so on.
    fn ctl(&mut self, quantifier: Quantifier, operator: CtlOperator, positive: bool, rank: u32) -> u32 {
        let all = (quantifier == Quantifier::All) == positive;
        let (always, never) = (self.cores.constant(true), self.cores.constant(false));
        let of = |f: MuId| self.done[&(f, positive)];
        // `stay` holds up to where `leave` does; whether that must come.
        let (stay, leave, must) = match operator {
            CtlOperator::Next(f) => {
                let f = of(f);
                return self.next(all, f);
            }
            CtlOperator::Finally(f) if positive => (always, of(f), true),
            CtlOperator::Finally(f) => (of(f), never, false),
            CtlOperator::Globally(f) if positive => (of(f), never, false),
            CtlOperator::Globally(f) => (always, of(f), true),
            CtlOperator::Until(f, g) if positive => (of(f), of(g), true),
            CtlOperator::WeakUntil(f, g) if positive => (of(f), of(g), false),
            // q & (p | next): up to and with the state in which p holds.
            CtlOperator::Release(f, g) if positive => {
                let (f, g) = (of(f), of(g));
                let both = self.cores.plain(Op::And(vec![f, g]));
                (g, both, false)
            }
            // !(p U q) = !q W (!p & !q), !(p W q) = !q U (!p & !q), !(p R q) = !p U !q.
            CtlOperator::Until(f, g) | CtlOperator::WeakUntil(f, g) => {
                let (f, g) = (of(f), of(g));
                let both = self.cores.plain(Op::And(vec![f, g]));
                (g, both, matches!(operator, CtlOperator::WeakUntil(..)))
            }
            CtlOperator::Release(f, g) => (of(f), of(g), true),
        };
        let kind = if must { Fixpoint::Least } else { Fixpoint::Greatest };
        let fix = self.cores.reserve(Some((kind, rank)));
        let next = self.next(all, fix);
        let test = |holds: bool| Op::Test(StateTest { of: Tested::Deadlock, holds });
        let go_on = match (all, must) {
            // A run that must get somewhere may not end before; one that need not may.
            (true, true) => {
                let alive = self.cores.plain(test(false));
                vec![stay, alive, next]
            }
            (false, false) => {
                let dead = self.cores.plain(test(true));
                let next = self.cores.plain(Op::Or(vec![dead, next]));
                vec![stay, next]
            }
            _ => vec![stay, next],
        };
        let go_on = self.cores.plain(Op::And(go_on));
        self.cores.nodes[fix as usize].op = Op::Or(vec![leave, go_on]);
        fix
    }

    fn next(&mut self, all: bool, f: u32) -> u32 {
        let op = if all { Op::Square(self.any, f) } else { Op::Diamond(self.any, f) };
        self.cores.plain(op)
    }
}

/// Cuts positions out of what a formula has become, and returns them with that of the formula.
fn cut(cores: &Cores, root: u32, any: ActionId) -> (Vec<Position>, u32) {
    let (cores, root) = simplified(cores, root, any);
    let mut references = vec![0u32; cores.len()];
    for core in &cores {
        match &core.op {
            Op::And(parts) | Op::Or(parts) => parts.iter().for_each(|&part| references[part as usize] += 1),
            Op::Diamond(_, to) | Op::Square(_, to) | Op::Same(to) => references[*to as usize] += 1,
            Op::Constant(_) | Op::Test(_) => {}
        }
    }
    let constant = |all| Position {
        all,
        tests: vec![],
        here: vec![],
        moves: vec![],
        priority: 0,
        block: 0,
        origin: None,
    };
    let mut positions = vec![constant(false), constant(true)];
    let mut ranks: Vec<Option<(Fixpoint, u32)>> = vec![None, None];
    let mut numbers: HashMap<u32, u32> = HashMap::new();
    let mut waiting: Vec<(u32, u32)> = Vec::new();
    // The position of a node: it is made when it is needed first.
    let position_of = |node: u32,
                       positions: &mut Vec<Position>,
                       ranks: &mut Vec<Option<(Fixpoint, u32)>>,
                       waiting: &mut Vec<(u32, u32)>,
                       numbers: &mut HashMap<u32, u32>| {
        if let Op::Constant(value) = cores[node as usize].op {
            return u32::from(value);
        }
        *numbers.entry(node).or_insert_with(|| {
            positions.push(constant(true));
            ranks.push(cores[node as usize].fix);
            let number = positions.len() as u32 - 1;
            waiting.push((node, number));
            number
        })
    };
    let root = position_of(root, &mut positions, &mut ranks, &mut waiting, &mut numbers);
    while let Some((node, number)) = waiting.pop() {
        let mut at = node;
        let body = loop {
            match &cores[at as usize].op {
                Op::Same(body) if cores[*body as usize].fix.is_none() => at = *body,
                op => break op,
            }
        };
        let all = matches!(body, Op::And(_) | Op::Square(..));
        let mut position = constant(all);
        // A position for this would be its own.
        let mut todo: Vec<u32> = match body {
            Op::And(parts) | Op::Or(parts) => parts.iter().rev().copied().collect(),
            Op::Same(to) => vec![*to],
            _ => vec![at],
        };
        let whole = at;
        while let Some(part) = todo.pop() {
            let core = &cores[part as usize];
            let own = core.fix.is_none() || part == whole;
            match &core.op {
                Op::Constant(value) if *value == all => {}
                Op::Constant(value) => {
                    position = constant(*value);
                    break;
                }
                Op::Test(test) if own => position.tests.push(*test),
                Op::Square(action, to) if own && all => {
                    let to = position_of(*to, &mut positions, &mut ranks, &mut waiting, &mut numbers);
                    position.moves.push((*action, to));
                }
                Op::Diamond(action, to) if own && !all => {
                    let to = position_of(*to, &mut positions, &mut ranks, &mut waiting, &mut numbers);
                    position.moves.push((*action, to));
                }
                Op::And(parts) if own && all && references[part as usize] <= 1 => {
                    todo.extend(parts.iter().rev());
                }
                Op::Or(parts) if own && !all && references[part as usize] <= 1 => {
                    todo.extend(parts.iter().rev());
                }
                _ => {
                    let to = position_of(part, &mut positions, &mut ranks, &mut waiting, &mut numbers);
                    position.here.push(to);
                }
            }
        }
        position.origin = cores[node as usize].origin;
        position.tests.sort_unstable();
        position.tests.dedup();
        let mut seen = std::collections::HashSet::new();
        position.here.retain(|&to| seen.insert(to));
        let mut seen = std::collections::HashSet::new();
        position.moves.retain(|&to| seen.insert(to));
        positions[number as usize] = position;
    }
    // Ranks travel in the priorities until the blocks are known.
    for (position, rank) in positions.iter_mut().zip(ranks) {
        position.priority =
            rank.map_or(0, |(kind, rank)| 2 * (rank + 1) + u32::from(kind == Fixpoint::Greatest));
    }
    (positions, root)
}

/// The same without constants below operators, as far as that can be seen without following a cycle; whether some step is possible is a
/// test of the state.
fn simplified(cores: &Cores, root: u32, any: ActionId) -> (Vec<Core>, u32) {
    let mut nodes: Vec<Core> = cores.nodes.iter().map(|core| Core { op: core.op.clone(), ..*core }).collect();
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
    for (number, core) in nodes.iter().enumerate() {
        match &core.op {
            Op::And(parts) | Op::Or(parts) => {
                parts.iter().for_each(|&part| users[part as usize].push(number as u32));
            }
            Op::Diamond(_, to) | Op::Square(_, to) | Op::Same(to) => users[*to as usize].push(number as u32),
            Op::Constant(_) | Op::Test(_) => {}
        }
    }
    let mut todo: Vec<u32> = (0..nodes.len() as u32).collect();
    while let Some(number) = todo.pop() {
        let value = |part: u32, nodes: &[Core]| match nodes[part as usize].op {
            Op::Constant(value) => Some(value),
            _ => None,
        };
        let folded = match &nodes[number as usize].op {
            Op::And(parts) if parts.iter().any(|&part| value(part, &nodes) == Some(false)) => Some(false),
            Op::And(parts) if parts.iter().all(|&part| value(part, &nodes) == Some(true)) => Some(true),
            Op::Or(parts) if parts.iter().any(|&part| value(part, &nodes) == Some(true)) => Some(true),
            Op::Or(parts) if parts.iter().all(|&part| value(part, &nodes) == Some(false)) => Some(false),
            Op::Diamond(_, to) if value(*to, &nodes) == Some(false) => Some(false),
            Op::Square(_, to) if value(*to, &nodes) == Some(true) => Some(true),
            Op::Same(to) => value(*to, &nodes),
            _ => None,
        };
        let has_successor = match nodes[number as usize].op {
            Op::Diamond(action, to) if action == any && value(to, &nodes) == Some(true) => Some(true),
            Op::Square(action, to) if action == any && value(to, &nodes) == Some(false) => Some(false),
            _ => None,
        };
        if let Some(has) = has_successor {
            nodes[number as usize].op = Op::Test(StateTest { of: Tested::Deadlock, holds: !has });
        }
        if let Some(value) = folded {
            nodes[number as usize] = Core { op: Op::Constant(value), fix: None, origin: None };
            todo.append(&mut users[number as usize]);
        }
    }
    // What has one part left is that part, and who refers to it refers to that.
    let constant = |part: u32, nodes: &[Core]| matches!(nodes[part as usize].op, Op::Constant(_));
    for number in 0..nodes.len() {
        if let Op::And(parts) | Op::Or(parts) = &nodes[number].op {
            let left: Vec<u32> = parts.iter().copied().filter(|&part| !constant(part, &nodes)).collect();
            if let [only] = left[..] {
                nodes[number].op = Op::Same(only);
            }
        }
    }
    let meant: Vec<u32> = (0..nodes.len() as u32)
        .map(|mut at| {
            while let Core { op: Op::Same(to), fix: None, .. } = &nodes[at as usize] {
                at = *to;
            }
            at
        })
        .collect();
    for node in &mut nodes {
        match &mut node.op {
            Op::And(parts) | Op::Or(parts) => parts.iter_mut().for_each(|part| *part = meant[*part as usize]),
            Op::Diamond(_, to) | Op::Square(_, to) | Op::Same(to) => *to = meant[*to as usize],
            Op::Constant(_) | Op::Test(_) => {}
        }
    }
    (nodes, meant[root as usize])
}

/// Gives the steps of a position that also looks at others in the same state a position of their own, which is looked at after those: the
/// successors of a state need not be made if one of the others decides.
fn set_steps_apart(positions: &mut Vec<Position>) {
    for number in 0..positions.len() {
        let position = &mut positions[number];
        if position.here.is_empty() || position.moves.is_empty() {
            continue;
        }
        let (all, origin, moves) = (position.all, position.origin, std::mem::take(&mut position.moves));
        let steps = positions.len() as u32;
        positions[number].here.push(steps);
        positions.push(Position { all, tests: vec![], here: vec![], moves, priority: 0, block: 0, origin });
    }
}

/// Puts what is looked at in one state in order: what is cheap first, what belongs to the same block last.
fn set_in_order(positions: &mut [Position], blocks: &[Block], components: &[Vec<u32>]) {
    // Roughly how far one has to look: a step is 1, a fixpoint more than many steps.
    const FIXPOINT: u64 = 1 << 20;
    let mut costs = vec![0u64; positions.len()];
    for (block, component) in blocks.iter().zip(components) {
        let mut most = 0;
        for &number in component {
            let position = &positions[number as usize];
            let below = |to: u32| costs[to as usize];
            let here = position.here.iter().map(|&to| below(to));
            let moves = position.moves.iter().map(|&(_, to)| below(to) + 1);
            most = here.chain(moves).fold(most, u64::max);
        }
        let own = if block.levels > 0 { FIXPOINT } else { 0 };
        component.iter().for_each(|&number| costs[number as usize] = most.saturating_add(own));
    }
    for number in 0..positions.len() {
        let block = positions[number].block;
        let mut here = std::mem::take(&mut positions[number].here);
        here.sort_by_key(|&to| (positions[to as usize].block == block, costs[to as usize]));
        positions[number].here = here;
    }
}

/// Gives positions their blocks and priorities.
fn with_blocks(mut positions: Vec<Position>, root: u32, any: ActionId) -> Positions {
    let everything: Vec<u32> = (0..positions.len() as u32).collect();
    let rank_of = |position: &Position| (position.priority > 0).then_some(position.priority / 2);
    let kind_of = |position: &Position| {
        if position.priority % 2 == 1 { Fixpoint::Greatest } else { Fixpoint::Least }
    };
    let mut tarjan = Tarjan::new(positions.len());
    let mut member = vec![true; positions.len()];
    let components = tarjan.components(&positions, &everything, &member);
    member.fill(false);
    let mut blocks = Vec::with_capacity(components.len());
    let mut priorities = vec![0u32; positions.len()];
    for (number, component) in components.iter().enumerate() {
        for &position in component {
            positions[position as usize].block = number as u32;
        }
        // From the outside in: the level of each fixpoint.
        let mut levels: Vec<(u32, u32)> = Vec::new();
        let mut inside = vec![(component.clone(), None::<(Fixpoint, u32)>)];
        let mut outermost = None;
        while let Some((part, around)) = inside.pop() {
            if !depends_on_itself(&positions, &part) {
                continue;
            }
            let fixpoints = || part.iter().map(|&p| &positions[p as usize]).filter(|p| rank_of(p).is_some());
            let first = fixpoints().min_by_key(|p| rank_of(p)).expect("a cycle goes through a fixpoint");
            let kind = kind_of(first);
            // Those of the same kind inside have the same level, as far out as the first of the other kind: taken out one by one, ten thousand
            // least fixpoints in each other would take quadratic time.
            let other =
                fixpoints().filter(|p| kind_of(p) != kind).filter_map(rank_of).min().unwrap_or(u32::MAX);
            let is_outer = |&&p: &&u32| rank_of(&positions[p as usize]).is_some_and(|rank| rank < other);
            let outer: Vec<u32> = part.iter().filter(is_outer).copied().collect();
            outermost = outermost.or(Some(kind));
            let level = match around {
                None => 0,
                Some((same, level)) if same == kind => level,
                Some((_, level)) => level + 1,
            };
            levels.extend(outer.iter().map(|&p| (p, level)));
            part.iter().for_each(|&p| member[p as usize] = true);
            outer.iter().for_each(|&p| member[p as usize] = false);
            let rest: Vec<u32> = part.iter().filter(|&&p| member[p as usize]).copied().collect();
            let parts = tarjan.components(&positions, &rest, &member);
            rest.iter().for_each(|&p| member[p as usize] = false);
            inside.extend(parts.into_iter().map(|part| (part, Some((kind, level)))));
        }
        let count = levels.iter().map(|&(_, level)| level + 1).max().unwrap_or(0);
        let kind = outermost.unwrap_or(Fixpoint::Least);
        // The outermost is the largest, and its parity tells its kind; the innermost is not 0.
        let odd = kind == Fixpoint::Least;
        let mut top = count.max(1);
        top += u32::from((top % 2 == 1) != odd);
        for (position, level) in levels {
            priorities[position as usize] = top - level;
        }
        let choice = choice(&positions, component);
        blocks.push(Block { levels: count, kind, choice });
    }
    for (position, priority) in positions.iter_mut().zip(priorities) {
        position.priority = priority;
    }
    set_in_order(&mut positions, &blocks, &components);
    Positions { positions, blocks, root, any }
}

fn edges(position: &Position) -> impl Iterator<Item = u32> {
    position.here.iter().copied().chain(position.moves.iter().map(|&(_, to)| to))
}

fn depends_on_itself(positions: &[Position], part: &[u32]) -> bool {
    part.len() > 1 || edges(&positions[part[0] as usize]).any(|to| to == part[0])
}

fn choice(positions: &[Position], component: &[u32]) -> BlockChoice {
    let block = positions[component[0] as usize].block;
    let (mut all, mut some) = (false, false);
    for &number in component {
        let position = &positions[number as usize];
        // What has one part beside tests is that part, if no test decides: a conjunction as well as a disjunction.
        let has_one_part = position.here.len() == 1 && position.moves.is_empty();
        if !has_one_part && edges(position).any(|to| positions[to as usize].block == block && to > 1) {
            all |= position.all;
            some |= !position.all;
        }
    }
    match (all, some) {
        (true, true) => BlockChoice::Mixed,
        (true, false) => BlockChoice::Conjunctive,
        (false, _) => BlockChoice::Disjunctive,
    }
}

/// Finds components again and again, of ever smaller parts: its tables are made once.
struct Tarjan {
    /// By position: when it was met, from 1; 0 for not yet.
    order: Vec<u32>,
    low: Vec<u32>,
    /// Whether its component is known.
    finished: Vec<bool>,
}

impl Tarjan {
    fn new(positions: usize) -> Self {
        Self { order: vec![0; positions], low: vec![0; positions], finished: vec![false; positions] }
    }

    /// The strongly connected components of the positions `of`, which are those that `member` has, each after those that it leads to (Tarjan
    /// 1972).
    fn components(&mut self, positions: &[Position], of: &[u32], member: &[bool]) -> Vec<Vec<u32>> {
        for &position in of {
            (self.order[position as usize], self.finished[position as usize]) = (0, false);
        }
        let (mut stack, mut result, mut count) = (Vec::new(), Vec::new(), 0);
        for &start in of {
            if self.order[start as usize] != 0 {
                continue;
            }
            let mut path: Vec<(u32, Vec<u32>)> = Vec::new();
            let mut enter = Some(start);
            loop {
                if let Some(at) = enter.take() {
                    count += 1;
                    (self.order[at as usize], self.low[at as usize]) = (count, count);
                    stack.push(at);
                    let next = edges(&positions[at as usize]).filter(|&to| member[to as usize]).collect();
                    path.push((at, next));
                }
                let Some((at, next)) = path.last_mut() else { break };
                let at = *at as usize;
                if let Some(to) = next.pop() {
                    match self.order[to as usize] {
                        0 => enter = Some(to),
                        order if !self.finished[to as usize] => self.low[at] = self.low[at].min(order),
                        _ => {}
                    }
                    continue;
                }
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    self.low[parent as usize] = self.low[parent as usize].min(self.low[at]);
                }
                if self.order[at] == self.low[at] {
                    let from = stack.iter().rposition(|&p| p as usize == at).expect("it is on the stack");
                    let component = stack.split_off(from);
                    component.iter().for_each(|&p| self.finished[p as usize] = true);
                    result.push(component);
                }
            }
        }
        result
    }
}
