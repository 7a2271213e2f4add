//! Formulas of branching time as they are written: a tree in an arena.
//!
//! A node has the operators of both logics, so that it can be printed back. A fixpoint variable has a number of its own: two
//! binders with the same name are two variables. Whoever makes formulas without a parser (the reader of the Model Checking
//! Contest's files, tests) calls the methods of [`MuFormulas`]; a node may be used several times then.

use std::collections::HashMap;
use std::ops::Range;

/// A formula of [`MuFormulas`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MuId(pub(crate) u32);

/// A regular formula of [`MuFormulas`]: a set of sequences of actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegularId(pub(crate) u32);

/// An action formula of [`MuFormulas`]: a set of actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ActionId(pub(crate) u32);

impl ActionId {
    /// Its place in [`MuFormulas::actions`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Which fixpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fixpoint {
    /// `mu`: reached after finitely many steps.
    Least,
    /// `nu`: kept for ever.
    Greatest,
}

impl Fixpoint {
    /// That of the negated formula.
    #[must_use]
    pub fn dual(self) -> Self {
        match self {
            Fixpoint::Least => Fixpoint::Greatest,
            Fixpoint::Greatest => Fixpoint::Least,
        }
    }
}

/// Over which runs an operator of CTL speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// `A`: every maximal run from here.
    All,
    /// `E`: some maximal run from here.
    Some,
}

/// A temporal operator of CTL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CtlOperator {
    /// `X p`.
    Next(MuId),
    /// `F p`.
    Finally(MuId),
    /// `G p`.
    Globally(MuId),
    /// `p U q`.
    Until(MuId, MuId),
    /// `p W q`: until, or `p` for ever.
    WeakUntil(MuId, MuId),
    /// `p R q`: `q` up to and with the state in which `p` holds, or for ever.
    Release(MuId, MuId),
}

/// What a formula is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MuNode {
    /// Holds everywhere.
    True,
    /// Holds nowhere.
    False,
    /// Holds in states without a successor.
    Deadlock,
    /// A proposition about states, by its number in [`MuFormulas::propositions`].
    Proposition(u32),
    /// A variable, by its number in [`MuFormulas::variables`].
    Variable(u32),
    /// Negation.
    Not(MuId),
    /// Conjunction.
    And(Box<[MuId]>),
    /// Disjunction.
    Or(Box<[MuId]>),
    /// Implication.
    Implies(MuId, MuId),
    /// Equivalence.
    Iff(MuId, MuId),
    /// `<R> p`: after some sequence of `R`.
    Diamond(RegularId, MuId),
    /// `[R] p`: after every sequence of `R`.
    Square(RegularId, MuId),
    /// `<R> @`: some infinite run is a concatenation of sequences of `R`.
    Forever(RegularId),
    /// `[R] -|`: none is.
    NotForever(RegularId),
    /// `mu X. p` or `nu X. p`.
    Fix(Fixpoint, u32, MuId),
    /// An operator of CTL.
    Ctl(Quantifier, CtlOperator),
}

/// What a regular formula is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RegularNode {
    /// `nil`: the empty sequence.
    Nil,
    /// One action.
    Step(ActionId),
    /// `R . S`.
    Sequence(Box<[RegularId]>),
    /// `R | S`.
    Choice(Box<[RegularId]>),
    /// `R*`.
    Star(RegularId),
    /// `R+`.
    Plus(RegularId),
    /// `R?`.
    Optional(RegularId),
}

/// What an action formula is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ActionNode {
    /// Every action.
    True,
    /// No action.
    False,
    /// The internal actions.
    Tau,
    /// The actions with a label such as this.
    Label(LabelTest),
    /// All others.
    Not(ActionId),
    /// Those of both.
    And(Box<[ActionId]>),
    /// Those of either.
    Or(Box<[ActionId]>),
}

/// A test of labels.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LabelTest {
    /// This label, or one with this gate: `GET` tests `GET`, `GET !1` and `GET(1)`.
    Name(String),
    /// This label, as mCRL2 means a name without arguments.
    Exactly(String),
    /// This label where white space does not count: `c(1, true)`.
    Call(String),
    /// A label in which `.*` stands for any text.
    Text(String),
    /// The labels that match a regular expression as a whole.
    Regex(String),
}

/// The arena.
#[derive(Clone, Debug, Default)]
pub struct MuFormulas {
    nodes: Vec<MuNode>,
    regulars: Vec<RegularNode>,
    actions: Vec<ActionNode>,
    action_numbers: HashMap<ActionNode, ActionId>,
    propositions: Vec<(String, Range<usize>)>,
    proposition_numbers: HashMap<String, u32>,
    variables: Vec<String>,
    /// Where labels are written.
    label_places: Vec<(ActionId, Range<usize>)>,
    /// Where variables occur.
    pub(super) variable_places: HashMap<MuId, Range<usize>>,
}

impl MuFormulas {
    /// An empty arena.
    pub fn new() -> Self {
        Self::default()
    }

    /// What a formula is made of.
    pub fn node(&self, f: MuId) -> &MuNode {
        &self.nodes[f.0 as usize]
    }

    /// What a regular formula is made of.
    pub fn regular(&self, r: RegularId) -> &RegularNode {
        &self.regulars[r.0 as usize]
    }

    /// What an action formula is made of.
    pub fn action(&self, a: ActionId) -> &ActionNode {
        &self.actions[a.0 as usize]
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The texts of the propositions about states, and where each was first written.
    pub fn propositions(&self) -> &[(String, Range<usize>)] {
        &self.propositions
    }

    /// The names of the variables.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// The action formulas, in the order of their numbers.
    pub fn actions(&self) -> &[ActionNode] {
        &self.actions
    }

    /// The tests of labels with their places.
    pub fn labels(&self) -> impl Iterator<Item = (&LabelTest, &Range<usize>)> {
        self.label_places.iter().filter_map(|(action, place)| match self.action(*action) {
            ActionNode::Label(test) => Some((test, place)),
            _ => None,
        })
    }

    /// Adds a formula.
    pub fn add(&mut self, node: MuNode) -> MuId {
        self.nodes.push(node);
        MuId(u32::try_from(self.nodes.len() - 1).expect("a formula of four billion operators"))
    }

    /// Adds a regular formula.
    pub fn add_regular(&mut self, node: RegularNode) -> RegularId {
        self.regulars.push(node);
        RegularId(u32::try_from(self.regulars.len() - 1).expect("a formula of four billion operators"))
    }

    /// Adds an action formula; equal ones are one.
    pub fn add_action(&mut self, node: ActionNode) -> ActionId {
        if let Some(&known) = self.action_numbers.get(&node) {
            return known;
        }
        let id = ActionId(u32::try_from(self.actions.len()).expect("a formula of four billion operators"));
        self.actions.push(node.clone());
        self.action_numbers.insert(node, id);
        id
    }

    /// Adds a test of labels that is written at some place.
    pub fn add_label(&mut self, test: LabelTest, place: Range<usize>) -> ActionId {
        let id = self.add_action(ActionNode::Label(test));
        self.label_places.push((id, place));
        id
    }

    /// A proposition by its text, and where that is written.
    pub fn proposition_at(&mut self, text: &str, place: Range<usize>) -> MuId {
        let number = match self.proposition_numbers.get(text) {
            Some(&number) => number,
            None => {
                let number = self.propositions.len() as u32;
                self.propositions.push((text.to_owned(), place));
                self.proposition_numbers.insert(text.to_owned(), number);
                number
            }
        };
        self.add(MuNode::Proposition(number))
    }

    /// A proposition by its text.
    pub fn proposition(&mut self, text: &str) -> MuId {
        self.proposition_at(text, 0..0)
    }

    /// A new variable; [`MuNode::Fix`] binds it.
    pub fn variable(&mut self, name: &str) -> u32 {
        self.variables.push(name.to_owned());
        self.variables.len() as u32 - 1
    }

    /// A constant.
    pub fn constant(&mut self, value: bool) -> MuId {
        self.add(if value { MuNode::True } else { MuNode::False })
    }

    /// Negation.
    pub fn not(&mut self, f: MuId) -> MuId {
        self.add(MuNode::Not(f))
    }

    /// Conjunction.
    pub fn and(&mut self, parts: impl Into<Vec<MuId>>) -> MuId {
        self.add(MuNode::And(parts.into().into_boxed_slice()))
    }

    /// Disjunction.
    pub fn or(&mut self, parts: impl Into<Vec<MuId>>) -> MuId {
        self.add(MuNode::Or(parts.into().into_boxed_slice()))
    }

    /// `A` or `E` with an operator of CTL.
    pub fn ctl(&mut self, quantifier: Quantifier, operator: CtlOperator) -> MuId {
        self.add(MuNode::Ctl(quantifier, operator))
    }

    /// One action, as a regular formula.
    pub fn step(&mut self, action: ActionNode) -> RegularId {
        let action = self.add_action(action);
        self.add_regular(RegularNode::Step(action))
    }

    /// Whether a formula has no modality, fixpoint or operator of CTL: it is about one state.
    pub fn is_about_one_state(&self, f: MuId) -> bool {
        let mut todo = vec![f];
        while let Some(f) = todo.pop() {
            match self.node(f) {
                MuNode::True | MuNode::False | MuNode::Deadlock | MuNode::Proposition(_) => {}
                MuNode::Not(_) | MuNode::And(_) | MuNode::Or(_) | MuNode::Implies(..) | MuNode::Iff(..) => {
                    todo.extend(self.node(f).children());
                }
                _ => return false,
            }
        }
        true
    }
}

impl MuNode {
    /// The formulas that it is made of, in order.
    pub fn children(&self) -> Vec<MuId> {
        match self {
            MuNode::True
            | MuNode::False
            | MuNode::Deadlock
            | MuNode::Proposition(_)
            | MuNode::Variable(_)
            | MuNode::Forever(_)
            | MuNode::NotForever(_) => Vec::new(),
            MuNode::Not(f) | MuNode::Diamond(_, f) | MuNode::Square(_, f) | MuNode::Fix(_, _, f) => vec![*f],
            MuNode::And(parts) | MuNode::Or(parts) => parts.to_vec(),
            MuNode::Implies(f, g) | MuNode::Iff(f, g) => vec![*f, *g],
            MuNode::Ctl(_, operator) => match *operator {
                CtlOperator::Next(f) | CtlOperator::Finally(f) | CtlOperator::Globally(f) => vec![f],
                CtlOperator::Until(f, g) | CtlOperator::WeakUntil(f, g) | CtlOperator::Release(f, g) => {
                    vec![f, g]
                }
            },
        }
    }
}
