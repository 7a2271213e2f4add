//! Formulas of branching time by their definitions: sets of states of a small graph, computed globally.
//!
//! Nothing here is shared with the solvers: fixpoints are iterated from all states or none, regular formulas are relations between states,
//! and CTL is labelled with the usual algorithms on maximal runs. All of it takes time without measure.

use elnath_kernel::event::Operand;
use elnath_kernel::facets::Propositions;
use elnath_kernel::rng::Rng;
use elnath_kernel::{Action, Describe, Fault, Stepper, Successors, System, Terse, Transition};
use elnath_logic::branching::ast::{ActionNode, RegularNode};
use elnath_logic::branching::{
    ActionId, CtlOperator, Fixpoint, LabelTest, MuFormulas, MuId, MuNode, Quantifier, RegularId,
};
use std::collections::{BTreeSet, HashMap};

/// The labels of [`BranchGraph`]; the last is the internal action.
pub const BRANCH_LABELS: [&str; 3] = ["a", "b", "tau"];

/// A graph with labels on edges and propositions `p` and `q` on states. State 0 is the initial one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchGraph {
    /// By state, the edges: a label's place in [`BRANCH_LABELS`], and the state they lead to.
    pub edges: Vec<Vec<(u32, u32)>>,
    /// By state, the propositions that hold: bit 0 is `p`, bit 1 is `q`.
    pub colours: Vec<u64>,
    /// By state, whether it counts as one without successors: a part of a graph may have fewer edges than the whole.
    pub dead: Vec<bool>,
}

impl BranchGraph {
    /// A random graph.
    pub fn random(rng: &mut Rng, most_states: u64) -> Self {
        let count = 1 + rng.below(most_states);
        let edge = |rng: &mut Rng| (rng.below(BRANCH_LABELS.len() as u64) as u32, rng.below(count) as u32);
        let edges = |rng: &mut Rng| (0..rng.below(4)).map(|_| edge(rng)).collect();
        let edges: Vec<Vec<(u32, u32)>> = (0..count).map(|_| edges(rng)).collect();
        let colours = (0..count).map(|_| rng.below(4)).collect();
        let dead = edges.iter().map(Vec::is_empty).collect();
        Self { edges, colours, dead }
    }

    fn count(&self) -> usize {
        self.edges.len()
    }

    /// The state of some bytes.
    pub fn decode(state: &[u8]) -> u32 {
        u32::from_le_bytes(state.try_into().expect("four bytes"))
    }
}

impl System for BranchGraph {
    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(Walker(self))
    }

    fn describe(&self) -> &dyn Describe {
        self
    }

    fn bytes(&self) -> usize {
        0
    }
}

impl Terse for BranchGraph {
    fn state_text(&self, state: &[u8]) -> String {
        Self::decode(state).to_string()
    }

    fn action_text(&self, action: Action) -> String {
        BRANCH_LABELS[action.0 as usize].to_owned()
    }
}

struct Walker<'a>(&'a BranchGraph);

impl Walker<'_> {
    fn edge(&self, state: &[u8], t: Transition) -> (u32, u32) {
        self.0.edges[BranchGraph::decode(state) as usize][t.0 as usize]
    }
}

impl Stepper for Walker<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) {
        *out = 0u32.to_le_bytes().to_vec();
    }

    fn enabled(&mut self, state: &[u8], out: &mut Vec<Transition>) {
        out.clear();
        out.extend((0..self.0.edges[BranchGraph::decode(state) as usize].len() as u64).map(Transition));
    }

    fn fire(&mut self, state: &[u8], t: Transition, out: &mut Vec<u8>) -> Result<(), Fault> {
        *out = self.edge(state, t).1.to_le_bytes().to_vec();
        Ok(())
    }

    fn action(&mut self, state: &[u8], t: Transition) -> Action {
        Action(self.edge(state, t).0)
    }

    fn successors(&mut self, state: &[u8], out: &mut Successors) {
        out.fire_all(self, state);
    }

    fn may_end(&mut self, _state: &[u8]) -> bool {
        true
    }

    fn transition_bits(&self) -> u32 {
        8
    }

    elnath_kernel::facets! { mine: propositions; none: acceptance, processes, tally }
}

impl Propositions for Walker<'_> {
    fn names(&mut self) -> Vec<String> {
        vec!["p".to_owned(), "q".to_owned()]
    }

    fn fallible(&mut self) -> u64 {
        0
    }

    fn valuation(&mut self, state: &[u8]) -> u64 {
        self.0.colours[BranchGraph::decode(state) as usize]
    }

    fn proposition_fault(&mut self, _state: &[u8], _number: u32) -> Option<Fault> {
        None
    }

    fn operands(&mut self, _state: &[u8], _number: u32) -> Vec<Operand> {
        Vec::new()
    }
}

/// Whether a label satisfies an action formula.
pub fn action_matches(formulas: &MuFormulas, action: ActionId, label: &str) -> bool {
    match formulas.action(action) {
        ActionNode::True => true,
        ActionNode::False => false,
        ActionNode::Tau => label == "tau",
        ActionNode::Label(LabelTest::Name(name) | LabelTest::Exactly(name)) => label == name,
        ActionNode::Label(test) => panic!("{test} is for people"),
        ActionNode::Not(other) => !action_matches(formulas, *other, label),
        ActionNode::And(parts) => parts.iter().all(|&part| action_matches(formulas, part, label)),
        ActionNode::Or(parts) => parts.iter().any(|&part| action_matches(formulas, part, label)),
    }
}

type Set = Vec<bool>;
/// From where to where, and whether there was a step.
type Relation = BTreeSet<(usize, usize, bool)>;

/// The states in which a formula holds.
pub fn satisfying(graph: &BranchGraph, formulas: &MuFormulas, f: MuId) -> Set {
    Definition { graph, formulas, values: HashMap::new() }.states(f)
}

struct Definition<'a> {
    graph: &'a BranchGraph,
    formulas: &'a MuFormulas,
    values: HashMap<u32, Set>,
}

impl Definition<'_> {
    fn every(&self, value: impl Fn(usize) -> bool) -> Set {
        (0..self.graph.count()).map(value).collect()
    }

    fn states(&mut self, f: MuId) -> Set {
        match self.formulas.node(f) {
            MuNode::True => self.every(|_| true),
            MuNode::False => self.every(|_| false),
            MuNode::Deadlock => self.graph.dead.clone(),
            MuNode::Proposition(number) => {
                let bit = u32::from(self.formulas.propositions()[*number as usize].0 == "q");
                self.every(|at| self.graph.colours[at] >> bit & 1 == 1)
            }
            MuNode::Variable(variable) => self.values[variable].clone(),
            MuNode::Not(g) => negated(&self.states(*g)),
            MuNode::And(parts) => {
                let parts: Vec<Set> = parts.iter().map(|&part| self.states(part)).collect();
                self.every(|at| parts.iter().all(|part| part[at]))
            }
            MuNode::Or(parts) => {
                let parts: Vec<Set> = parts.iter().map(|&part| self.states(part)).collect();
                self.every(|at| parts.iter().any(|part| part[at]))
            }
            MuNode::Implies(g, h) => {
                let (g, h) = (self.states(*g), self.states(*h));
                self.every(|at| !g[at] || h[at])
            }
            MuNode::Iff(g, h) => {
                let (g, h) = (self.states(*g), self.states(*h));
                self.every(|at| g[at] == h[at])
            }
            MuNode::Diamond(regular, g) => {
                let (relation, g) = (self.relation(*regular), self.states(*g));
                self.every(|at| relation.iter().any(|&(from, to, _)| from == at && g[to]))
            }
            MuNode::Square(regular, g) => {
                let (relation, g) = (self.relation(*regular), self.states(*g));
                self.every(|at| relation.iter().all(|&(from, to, _)| from != at || g[to]))
            }
            MuNode::Forever(regular) => self.forever(*regular),
            MuNode::NotForever(regular) => negated(&self.forever(*regular)),
            MuNode::Fix(kind, variable, g) => {
                let mut value = self.every(|_| *kind == Fixpoint::Greatest);
                loop {
                    self.values.insert(*variable, value.clone());
                    let next = self.states(*g);
                    if next == value {
                        return value;
                    }
                    value = next;
                }
            }
            MuNode::Ctl(quantifier, operator) => self.ctl(*quantifier, *operator),
        }
    }

    fn forever(&self, regular: RegularId) -> Set {
        let relation = self.relation(regular);
        let mut value = self.every(|_| true);
        loop {
            let next =
                self.every(|at| relation.iter().any(|&(from, to, moved)| from == at && moved && value[to]));
            if next == value {
                return value;
            }
            value = next;
        }
    }

    fn relation(&self, regular: RegularId) -> Relation {
        let stay = || (0..self.graph.count()).map(|at| (at, at, false)).collect::<Relation>();
        match self.formulas.regular(regular) {
            RegularNode::Nil => stay(),
            RegularNode::Step(action) => {
                let leaving = self.graph.edges.iter().enumerate();
                let edges = leaving.flat_map(|(from, edges)| edges.iter().map(move |edge| (from, *edge)));
                let matching = edges.filter(|(_, (label, _))| {
                    action_matches(self.formulas, *action, BRANCH_LABELS[*label as usize])
                });
                matching.map(|(from, (_, to))| (from, to as usize, true)).collect()
            }
            RegularNode::Sequence(parts) => {
                let parts = parts.iter().map(|&part| self.relation(part));
                parts.fold(stay(), |before, part| joined(&before, &part))
            }
            RegularNode::Choice(parts) => parts.iter().flat_map(|&part| self.relation(part)).collect(),
            RegularNode::Star(body) => closure(stay(), &self.relation(*body)),
            RegularNode::Plus(body) => {
                let body = self.relation(*body);
                closure(body.clone(), &body)
            }
            RegularNode::Optional(body) => {
                let mut all = stay();
                all.extend(self.relation(*body));
                all
            }
        }
    }

    fn ctl(&mut self, quantifier: Quantifier, operator: CtlOperator) -> Set {
        let all = quantifier == Quantifier::All;
        let (f, g) = match operator {
            CtlOperator::Next(f) | CtlOperator::Finally(f) | CtlOperator::Globally(f) => {
                let f = self.states(f);
                (f.clone(), f)
            }
            CtlOperator::Until(f, g) | CtlOperator::WeakUntil(f, g) | CtlOperator::Release(f, g) => {
                (self.states(f), self.states(g))
            }
        };
        let (nf, ng) = (negated(&f), negated(&g));
        let truth = self.every(|_| true);
        let and = |x: &Set, y: &Set| x.iter().zip(y).map(|(x, y)| *x && *y).collect::<Set>();
        let or = |x: &Set, y: &Set| x.iter().zip(y).map(|(x, y)| *x || *y).collect::<Set>();
        match (operator, all) {
            (CtlOperator::Next(_), false) => self.before(&f),
            (CtlOperator::Next(_), true) => negated(&self.before(&nf)),
            (CtlOperator::Finally(_), false) => self.until(&truth, &f),
            (CtlOperator::Finally(_), true) => negated(&self.globally(&nf)),
            (CtlOperator::Globally(_), false) => self.globally(&f),
            (CtlOperator::Globally(_), true) => negated(&self.until(&truth, &nf)),
            (CtlOperator::Until(..), false) => self.until(&f, &g),
            (CtlOperator::Until(..), true) => {
                negated(&or(&self.until(&ng, &and(&nf, &ng)), &self.globally(&ng)))
            }
            (CtlOperator::WeakUntil(..), false) => or(&self.until(&f, &g), &self.globally(&f)),
            (CtlOperator::WeakUntil(..), true) => negated(&self.until(&ng, &and(&nf, &ng))),
            (CtlOperator::Release(..), false) => or(&self.until(&g, &and(&f, &g)), &self.globally(&g)),
            (CtlOperator::Release(..), true) => negated(&self.until(&nf, &ng)),
        }
    }

    fn before(&self, f: &Set) -> Set {
        self.every(|at| self.graph.edges[at].iter().any(|&(_, to)| f[to as usize]))
    }

    /// E[f U g], by walking backwards.
    fn until(&self, f: &Set, g: &Set) -> Set {
        let mut found = g.clone();
        loop {
            let before = self.before(&found);
            let next = self.every(|at| found[at] || (f[at] && before[at]));
            if next == found {
                return found;
            }
            found = next;
        }
    }

    /// EG f: within the states of f, one can get to a state without successors or to a cycle.
    fn globally(&self, f: &Set) -> Set {
        let on_cycle = |start: usize| {
            let (mut seen, mut todo) = (self.every(|_| false), vec![start]);
            while let Some(at) = todo.pop() {
                for &(_, to) in &self.graph.edges[at] {
                    let to = to as usize;
                    if to == start {
                        return true;
                    }
                    if f[to] && !std::mem::replace(&mut seen[to], true) {
                        todo.push(to);
                    }
                }
            }
            false
        };
        let ends = self.every(|at| f[at] && (self.graph.dead[at] || on_cycle(at)));
        self.until(f, &ends)
    }
}

fn negated(set: &Set) -> Set {
    set.iter().map(|value| !value).collect()
}

fn joined(first: &Relation, second: &Relation) -> Relation {
    let after = |&(from, middle, moved): &(usize, usize, bool)| {
        let next = second.iter().filter(move |&&(at, ..)| at == middle);
        next.map(move |&(_, to, more)| (from, to, moved || more))
    };
    first.iter().flat_map(after).collect()
}

fn closure(start: Relation, body: &Relation) -> Relation {
    let mut all = start;
    loop {
        let more = joined(&all, body);
        let before = all.len();
        all.extend(more);
        if all.len() == before {
            return all;
        }
    }
}

/// A random formula of the mu-calculus, in which fixpoints depend on each other often.
pub fn random_mu(rng: &mut Rng, formulas: &mut MuFormulas, depth: u32) -> MuId {
    random_formula(rng, formulas, depth, &mut Vec::new(), false)
}

/// A random formula whose fixpoints alternate so often: a chain of fixpoints of alternating kinds, each of whose variables stands in the innermost body behind a
/// modality, with other formulas beside them on every level. Whether that is the formula's alternation depth is for the automaton to say: a constant
/// beside a variable may remove it.
pub fn random_alternating_mu(rng: &mut Rng, formulas: &mut MuFormulas, alternation: u32) -> MuId {
    let mut kind = if rng.chance(50) { Fixpoint::Least } else { Fixpoint::Greatest };
    let mut scope = Vec::new();
    let chain: Vec<(Fixpoint, u32)> = (0..alternation)
        .map(|_| {
            let variable = formulas.variable(&format!("X{}", formulas.variables().len()));
            scope.push((variable, false));
            kind = if kind == Fixpoint::Least { Fixpoint::Greatest } else { Fixpoint::Least };
            (kind, variable)
        })
        .collect();
    // The innermost body, with the variables in any order.
    let mut variables: Vec<u32> = chain.iter().map(|&(_, variable)| variable).collect();
    let mut body = random_formula(rng, formulas, 1, &mut Vec::new(), false);
    while !variables.is_empty() {
        let at = rng.below(variables.len() as u64) as usize;
        let variable = formulas.add(MuNode::Variable(variables.swap_remove(at)));
        let part = random_modality(rng, formulas, variable);
        body = random_junction(rng, formulas, body, part);
    }
    for (kind, variable) in chain.into_iter().rev() {
        if rng.chance(30) {
            body = random_modality(rng, formulas, body);
        }
        if rng.chance(40) {
            let beside = random_formula(rng, formulas, 2, &mut scope, false);
            body = random_junction(rng, formulas, body, beside);
        }
        scope.pop();
        body = formulas.add(MuNode::Fix(kind, variable, body));
    }
    if rng.chance(30) { formulas.not(body) } else { body }
}

fn random_junction(rng: &mut Rng, formulas: &mut MuFormulas, left: MuId, right: MuId) -> MuId {
    let parts = if rng.chance(50) { [left, right] } else { [right, left] };
    if rng.chance(50) { formulas.and(parts) } else { formulas.or(parts) }
}

fn random_modality(rng: &mut Rng, formulas: &mut MuFormulas, body: MuId) -> MuId {
    let regular = if rng.chance(80) { 0 } else { 1 };
    let regular = random_regular(rng, formulas, regular);
    let square = rng.chance(50);
    formulas.add(if square { MuNode::Square(regular, body) } else { MuNode::Diamond(regular, body) })
}

fn random_formula(
    rng: &mut Rng,
    formulas: &mut MuFormulas,
    depth: u32,
    scope: &mut Vec<(u32, bool)>,
    negated: bool,
) -> MuId {
    if depth == 0 || rng.chance(8) {
        let usable: Vec<u32> =
            scope.iter().filter(|(_, sign)| *sign == negated).map(|(variable, _)| *variable).collect();
        if !usable.is_empty() && rng.chance(70) {
            let variable = rng.pick(&usable);
            return formulas.add(MuNode::Variable(variable));
        }
        return match rng.below(8) {
            0 => formulas.constant(true),
            1 => formulas.constant(false),
            2 => formulas.add(MuNode::Deadlock),
            3 | 4 => formulas.proposition("p"),
            _ => formulas.proposition("q"),
        };
    }
    let kind = if rng.chance(50) { Fixpoint::Least } else { Fixpoint::Greatest };
    match rng.below(16) {
        0..=4 => {
            let variable = formulas.variable(&format!("X{}", formulas.variables().len()));
            scope.push((variable, negated));
            let body = random_formula(rng, formulas, depth - 1, scope, negated);
            scope.pop();
            formulas.add(MuNode::Fix(kind, variable, body))
        }
        5 | 6 => {
            let parts = [(); 2].map(|()| random_formula(rng, formulas, depth - 1, scope, negated));
            formulas.and(parts)
        }
        7 | 8 => {
            let parts = [(); 2].map(|()| random_formula(rng, formulas, depth - 1, scope, negated));
            formulas.or(parts)
        }
        9 => {
            let body = random_formula(rng, formulas, depth - 1, scope, !negated);
            formulas.not(body)
        }
        10 => {
            let left = random_formula(rng, formulas, depth - 1, scope, !negated);
            let right = random_formula(rng, formulas, depth - 1, scope, negated);
            formulas.add(MuNode::Implies(left, right))
        }
        11 => {
            let mut none = Vec::new();
            let parts = [(); 2].map(|()| random_formula(rng, formulas, depth - 1, &mut none, false));
            formulas.add(MuNode::Iff(parts[0], parts[1]))
        }
        12 => {
            let regular = random_regular(rng, formulas, 2);
            formulas.add(if rng.chance(50) { MuNode::Forever(regular) } else { MuNode::NotForever(regular) })
        }
        _ => {
            let regular = if rng.chance(70) { 0 } else { 2 };
            let regular = random_regular(rng, formulas, regular);
            let body = random_formula(rng, formulas, depth - 1, scope, negated);
            let square = rng.chance(50);
            formulas.add(if square { MuNode::Square(regular, body) } else { MuNode::Diamond(regular, body) })
        }
    }
}

fn random_regular(rng: &mut Rng, formulas: &mut MuFormulas, depth: u32) -> RegularId {
    if depth == 0 || rng.chance(20) {
        let name = |name: &str| ActionNode::Label(LabelTest::Name(name.to_owned()));
        let action = match rng.below(7) {
            0 | 1 => ActionNode::True,
            2 => ActionNode::Tau,
            3 | 4 => name("a"),
            5 => name("b"),
            _ => {
                let a = formulas.add_action(name("a"));
                ActionNode::Not(a)
            }
        };
        return formulas.step(action);
    }
    let mut one = |rng: &mut Rng| random_regular(rng, formulas, depth - 1);
    let node = match rng.below(7) {
        0 | 1 => RegularNode::Sequence([one(rng), one(rng)].into()),
        2 => RegularNode::Choice([one(rng), one(rng)].into()),
        3 | 4 => RegularNode::Star(one(rng)),
        5 => RegularNode::Plus(one(rng)),
        _ => RegularNode::Optional(one(rng)),
    };
    formulas.add_regular(node)
}

/// A random formula of CTL.
pub fn random_ctl(rng: &mut Rng, formulas: &mut MuFormulas, depth: u32) -> MuId {
    if depth == 0 || rng.chance(8) {
        return match rng.below(6) {
            0 => formulas.add(MuNode::Deadlock),
            1 => formulas.constant(rng.chance(50)),
            2 | 3 => formulas.proposition("p"),
            _ => formulas.proposition("q"),
        };
    }
    let one = |rng: &mut Rng, formulas: &mut MuFormulas| random_ctl(rng, formulas, depth - 1);
    let f = one(rng, formulas);
    let quantifier = if rng.chance(50) { Quantifier::All } else { Quantifier::Some };
    match rng.below(10) {
        0 => formulas.not(f),
        1 => {
            let g = one(rng, formulas);
            formulas.and([f, g])
        }
        2 => {
            let g = one(rng, formulas);
            formulas.or([f, g])
        }
        3 => {
            let g = one(rng, formulas);
            formulas.add(MuNode::Iff(f, g))
        }
        4 => formulas.ctl(quantifier, CtlOperator::Next(f)),
        5 => formulas.ctl(quantifier, CtlOperator::Finally(f)),
        6 => formulas.ctl(quantifier, CtlOperator::Globally(f)),
        7 => {
            let g = one(rng, formulas);
            formulas.ctl(quantifier, CtlOperator::Until(f, g))
        }
        8 => {
            let g = one(rng, formulas);
            formulas.ctl(quantifier, CtlOperator::WeakUntil(f, g))
        }
        _ => {
            let g = one(rng, formulas);
            formulas.ctl(quantifier, CtlOperator::Release(f, g))
        }
    }
}
