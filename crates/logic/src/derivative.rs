//! The automaton of a formula over finite words, made of its derivatives (on-line-model-checking-1989, section 3).
//!
//! The derivative of a formula by a letter holds on a word if and only if the formula holds on the letter followed by the
//! word. Derivatives are the states; a formula has finitely many up to Boolean equivalence. The paper derives by each
//! letter of a given alphabet and carries a formula *xi*, "one more letter follows", because `f U g` may hold on the empty
//! word. Here
//! - the letters are sets of propositions, and all derivatives of a formula can be had at once, as one decision diagram
//!   over them;
//! - *xi* becomes a bit outside the formula: a leaf of the diagram is the next formula and whether the word *may stop*
//!   there. `xi & g` is (g, no), `g | !xi` is (g, yes), and Boolean operators act on both parts.
//!
//! ```text
//! tr(p)      = p ? (true, yes) : (false, no)
//! tr(X f)    = (f, yes)
//! tr(f U g)  = tr(g) or (tr(f) and (f U g, no))
//! ```
//!
//! As in the paper, these two temporal operators and negation are all there is; the others are abbreviations, which
//! cost nothing since formulas are decision diagrams over *temporal atoms*, that is, formulas with `X` or `U` on top.
//! So two formulas that are equal by the laws of Boolean algebra are one state, which is the paper's `boolean_equivalent`
//! as it should be: the printed one misses cases (`docs/papers.md`, erratum 2 of this paper). States are not minimal, though; for that see
//! [`crate::finite`].
//!
//! Nothing is made before somebody asks: [`Derivatives::successor`], which derives by one letter as the paper does, is
//! what a search over the product with a system needs, and the automaton grows with the search. Its numbers of states
//! depend on the order of the questions; several workers who must agree on them take the whole automaton,
//! [`Derivatives::dfa`], which derives by all letters at once. Neither can replace the other: a conjunction of twenty
//! independent `F` has a diagram with millions of leaves, of which a search may need a hundred.

use crate::automaton::{Letter, MOST_PROPOSITIONS, State};
use crate::bdd::{Bdd, Bdds};
use crate::finite::Dfa;
use crate::formula::{Formulas, Id, Node};
use crate::hash::Map;
use crate::mtbdd::{Choice, Mtbdd, Mtbdds};
use std::fmt;
use std::sync::Arc;

/// Which letters there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alphabet {
    /// Every set of propositions.
    Sets,
    /// The paper's: propositions are actions, and a letter is one action. No proposition holds during an action that
    /// the formula does not name; if it names `tau` (or `τ`), these are called so, and exactly one proposition holds.
    Actions,
}

/// What is said of the word without letters, about which tools differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyWord {
    /// As the paper defines it: atoms and strong nexts are false, weak nexts true, `f U g` is `g`. So `F f` and `G f`
    /// are both `f`, and `G a` is false.
    ByDefinition,
    /// No formula holds on it, as in most tools for finite words.
    Rejected,
}

/// The formula has more than 64 propositions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyPropositions(pub usize);

impl fmt::Display for TooManyPropositions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the formula has {} propositions; at most {MOST_PROPOSITIONS} are supported", self.0)
    }
}

impl std::error::Error for TooManyPropositions {}

/// The deterministic automaton of a formula, as far as it was asked for.
#[derive(Clone)]
#[doc(alias = "TL-compiler")]
pub struct Derivatives {
    bdds: Bdds,
    diagrams: Mtbdds<Leaf>,
    /// By bit of a letter: the number of the proposition among the formulas', and its name.
    propositions: Vec<(u32, String)>,
    /// What the variables behind those of the propositions stand for.
    atoms: Vec<Temporal>,
    variables: Map<Temporal, Bdd>,
    /// The letters there are.
    letters: Alphabet,
    alphabet: Bdd,
    /// The derivatives of temporal atoms, and of functions that were derived already.
    derived_atoms: Vec<Mtbdd>,
    derived: Map<Bdd, Mtbdd>,
    /// The derivatives of temporal atoms by letters that were asked for.
    by_letter: Map<Letter, Arc<[Leaf]>>,
    states: Vec<Leaf>,
    numbers: Map<Leaf, State>,
    successors: Map<(State, Letter), State>,
}

/// So many nodes the diagrams over letters may have together, some hundred megabytes.
const MOST_NODES: usize = 1 << 21;

/// So many steps an operation on them may take; a formula of which one derivative is larger has hardly a small automaton.
const MOST_STEPS: usize = 1 << 17;

/// So many letters are remembered with the derivatives of all atoms; when there are more, all are forgotten.
const MOST_LETTERS: usize = 1 << 12;

/// A state: the formula that what follows must satisfy, and whether nothing may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Leaf {
    formula: Bdd,
    stop: bool,
}

/// A temporal atom. Keyed by functions, not by formulas, so that `!(a U b)` and `!a R !b` are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Temporal {
    /// Weak.
    Next(Bdd),
    Until(Bdd, Bdd),
}

impl Derivatives {
    /// The automaton of `f`, of which nothing is known but the initial state.
    ///
    /// # Errors
    /// If there are too many propositions.
    pub fn new(
        formulas: &Formulas,
        f: Id,
        alphabet: Alphabet,
        empty: EmptyWord,
    ) -> Result<Derivatives, TooManyPropositions> {
        let numbers = formulas.propositions(f);
        if numbers.len() > MOST_PROPOSITIONS {
            return Err(TooManyPropositions(numbers.len()));
        }
        let named = |number: u32| (number, formulas.atoms()[number as usize].name());
        let mut automaton = Derivatives {
            bdds: Bdds::new(),
            diagrams: Mtbdds::new(),
            propositions: numbers.into_iter().map(named).collect(),
            atoms: Vec::new(),
            variables: Map::default(),
            letters: alphabet,
            alphabet: Bdd::TRUE,
            derived_atoms: Vec::new(),
            derived: Map::default(),
            by_letter: Map::default(),
            states: Vec::new(),
            numbers: Map::default(),
            successors: Map::default(),
        };
        if alphabet == Alphabet::Actions {
            automaton.alphabet = automaton.one_action();
        }
        let function = automaton.function(formulas, f);
        let stop = match empty {
            EmptyWord::ByDefinition => automaton.holds_on_nothing(function),
            EmptyWord::Rejected => false,
        };
        let formula = automaton.bdds.and(function, automaton.alphabet);
        automaton.number(Leaf { formula, stop });
        Ok(automaton)
    }

    /// Where every word begins.
    pub fn initial(&self) -> State {
        State(0)
    }

    /// Whether a word that leads to `state` satisfies the formula.
    #[doc(alias = "terminal")]
    pub fn accepting(&self, state: State) -> bool {
        self.states[state.index()].stop
    }

    /// Whether it is known that no continuation satisfies the formula: `false` is left. A state from which nothing is
    /// accepted may still be another one; only the whole automaton tells.
    pub fn hopeless(&self, state: State) -> bool {
        self.states[state.index()].formula == Bdd::FALSE
    }

    /// The state after one more letter, which must be of the alphabet.
    pub fn successor(&mut self, state: State, letter: Letter) -> State {
        if let Some(&known) = self.successors.get(&(state, letter)) {
            return known;
        }
        let atoms = self.atoms_by(letter);
        let leaf = self.derive_by(letter, &atoms, self.states[state.index()].formula);
        let formula = self.bdds.and(leaf.formula, self.alphabet);
        let next = self.number(Leaf { formula, ..leaf });
        self.successors.insert((state, letter), next);
        next
    }

    /// How many states are known.
    pub fn states(&self) -> usize {
        self.states.len()
    }

    /// About how many bytes it takes, for those who account for memory.
    pub fn bytes(&self) -> usize {
        // A node of a decision diagram is in an array, in the table of all nodes, and in a few results that are
        // remembered.
        const NODE: usize = 100;
        let atoms = self.by_letter.len() * self.atoms.len() * size_of::<Leaf>();
        let states = self.states.len() * 4 * size_of::<Leaf>();
        (self.bdds.len() + self.diagrams.len()) * NODE + atoms + states + self.successors.capacity() * 24
    }

    /// By bit of a letter: the number of the proposition, as in [`Formulas::atoms`].
    pub fn propositions(&self) -> impl Iterator<Item = u32> {
        self.propositions.iter().map(|(number, _)| *number)
    }

    /// The whole automaton, states in the order in which a breadth-first walk meets them; `None` if there are more
    /// than `most`, or if the diagrams get too large. The automaton has edges for the letters of the alphabet only.
    /// Formulas that differ, but not in their derivatives, are one state here.
    pub fn dfa(&mut self, most: usize) -> Option<Dfa> {
        // An atom comes after those within it, so that none of these calls is deeper than one diagram.
        for at in self.derived_atoms.len()..self.atoms.len() {
            let row = self.derive_temporal(at)?;
            self.derived_atoms.push(row);
        }
        let mut whole = Whole::default();
        let alphabet = letters(&self.bdds, &mut whole.table, self.alphabet, &mut Map::default());
        let mut rows = Vec::new();
        whole.state(self, self.states[0])?;
        while let Some(&(row, _)) = whole.order.get(rows.len()) {
            let row = whole.row(self, row, &mut Map::default())?;
            rows.push(whole.table.apply(row, alphabet, |to, letter| letter.and(to)));
            if whole.order.len() > most || whole.table.len().max(self.diagrams.len()) > MOST_NODES {
                return None;
            }
        }
        let accepting = whole.order.iter().map(|&(_, stop)| stop).collect();
        let propositions = self.propositions.iter().map(|(_, name)| name.clone()).collect();
        Some(Dfa::new(self.letters, propositions, whole.table, rows, accepting))
    }

    /// What is left to satisfy in `state`, for people to read.
    pub fn show(&mut self, state: State) -> String {
        let formula = self.states[state.index()].formula;
        // Within the alphabet it is the same function, and a shorter text.
        let outside = self.bdds.not(self.alphabet);
        let formula = if self.bdds.or(formula, outside) == Bdd::TRUE { Bdd::TRUE } else { formula };
        self.text(formula, &mut 200)
    }

    fn number(&mut self, leaf: Leaf) -> State {
        *self.numbers.entry(leaf).or_insert_with(|| {
            self.states.push(leaf);
            State(self.states.len() as u32 - 1)
        })
    }

    /// The paper's D with a letter: every atom is replaced by its derivative, in both parts.
    fn derive_by(&mut self, letter: Letter, atoms: &[Leaf], function: Bdd) -> Leaf {
        let propositions = self.propositions.len();
        let value = |variable: u32| match (variable as usize).checked_sub(propositions) {
            Some(at) => atoms[at],
            None => constant(letter >> variable & 1 == 1),
        };
        Leaf {
            stop: self.bdds.at(function, |variable| value(variable).stop),
            formula: self.bdds.substitute(function, |_, variable| value(variable).formula),
        }
    }

    /// The derivatives of all temporal atoms by a letter.
    fn atoms_by(&mut self, letter: Letter) -> Arc<[Leaf]> {
        if let Some(known) = self.by_letter.get(&letter) {
            return known.clone();
        }
        let mut done: Vec<Leaf> = Vec::with_capacity(self.atoms.len());
        for at in 0..self.atoms.len() {
            let leaf = match self.atoms[at] {
                Temporal::Next(f) => Leaf { formula: f, stop: true },
                Temporal::Until(f, g) => {
                    let (f, g) = (self.derive_by(letter, &done, f), self.derive_by(letter, &done, g));
                    let again = self.bdds.variable((self.propositions.len() + at) as u32);
                    let later = self.bdds.and(f.formula, again);
                    Leaf { formula: self.bdds.or(g.formula, later), stop: g.stop }
                }
            };
            done.push(leaf);
        }
        if self.by_letter.len() >= MOST_LETTERS {
            self.by_letter.clear();
        }
        let done: Arc<[Leaf]> = done.into();
        self.by_letter.insert(letter, done.clone());
        done
    }

    /// D with all letters at once; `None` if the diagrams get too large.
    fn derive(&mut self, function: Bdd) -> Option<Mtbdd> {
        if let Some(&known) = self.derived.get(&function) {
            return Some(known);
        }
        let Some((variable, low, high)) = self.bdds.decision(function) else {
            return Some(self.diagrams.leaf(constant(function == Bdd::TRUE)));
        };
        // If the atom then `high` else `low`, with derivatives for all three.
        let atom = self.derive_atom(variable);
        let (low, high) = (self.derive(low)?, self.derive(high)?);
        let then = self.both(atom, high)?;
        let not_atom = self.negated(atom);
        let or_else = self.both(not_atom, low)?;
        let whole = self.either(then, or_else)?;
        // Only what happens on letters of the alphabet counts, so there is one formula for all that agree there.
        let (bdds, alphabet) = (&mut self.bdds, self.alphabet);
        let whole = self
            .diagrams
            .map(whole, |leaf| Leaf { formula: bdds.and(leaf.formula, alphabet), stop: leaf.stop });
        self.derived.insert(function, whole);
        Some(whole)
    }

    fn derive_atom(&mut self, variable: u32) -> Mtbdd {
        if let Some(at) = (variable as usize).checked_sub(self.propositions.len()) {
            return self.derived_atoms[at];
        }
        let (no, yes) = (self.diagrams.leaf(constant(false)), self.diagrams.leaf(constant(true)));
        self.diagrams.branch(variable, no, yes)
    }

    fn derive_temporal(&mut self, at: usize) -> Option<Mtbdd> {
        match self.atoms[at] {
            Temporal::Next(f) => Some(self.diagrams.leaf(Leaf { formula: f, stop: true })),
            Temporal::Until(f, g) => {
                let again = self.bdds.variable((self.propositions.len() + at) as u32);
                let again = self.diagrams.leaf(Leaf { formula: again, stop: false });
                let (f, g) = (self.derive(f)?, self.derive(g)?);
                let later = self.both(f, again)?;
                self.either(g, later)
            }
        }
    }

    fn both(&mut self, a: Mtbdd, b: Mtbdd) -> Option<Mtbdd> {
        let bdds = &mut self.bdds;
        self.diagrams.apply_within(a, b, MOST_STEPS, |a, b| Leaf {
            formula: bdds.and(a.formula, b.formula),
            stop: a.stop && b.stop,
        })
    }

    fn either(&mut self, a: Mtbdd, b: Mtbdd) -> Option<Mtbdd> {
        let bdds = &mut self.bdds;
        self.diagrams.apply_within(a, b, MOST_STEPS, |a, b| Leaf {
            formula: bdds.or(a.formula, b.formula),
            stop: a.stop || b.stop,
        })
    }

    fn negated(&mut self, a: Mtbdd) -> Mtbdd {
        let bdds = &mut self.bdds;
        self.diagrams.map(a, |a| Leaf { formula: bdds.not(a.formula), stop: !a.stop })
    }

    /// A formula as a function of propositions and temporal atoms.
    fn function(&mut self, formulas: &Formulas, f: Id) -> Bdd {
        let mut done: Map<Id, Bdd> = Map::default();
        for g in formulas.subformulas(f) {
            let of = |f: &Id| done[f];
            let function = match formulas.node(g) {
                Node::True => Bdd::TRUE,
                Node::False => Bdd::FALSE,
                Node::Proposition(number) => {
                    let bit = self.propositions.iter().position(|(n, _)| n == number);
                    self.bdds.variable(bit.expect("a proposition of the formula") as u32)
                }
                Node::Not(f) => {
                    let f = of(f);
                    self.bdds.not(f)
                }
                Node::And(parts) => {
                    parts.iter().map(of).fold(Bdd::TRUE, |all, part| self.bdds.and(all, part))
                }
                Node::Or(parts) => parts.iter().map(of).fold(Bdd::FALSE, |all, part| self.bdds.or(all, part)),
                Node::Next(f) => self.atom(Temporal::Next(of(f))),
                // X[!] f is !X !f.
                Node::StrongNext(f) => {
                    let not_f = self.bdds.not(of(f));
                    let next = self.atom(Temporal::Next(not_f));
                    self.bdds.not(next)
                }
                Node::Eventually(f) => self.atom(Temporal::Until(Bdd::TRUE, of(f))),
                Node::Until(f, g) => self.atom(Temporal::Until(of(f), of(g))),
                Node::Always(f) => self.released(Bdd::FALSE, of(f)),
                Node::Release(f, g) => self.released(of(f), of(g)),
                // f W g is g R (f | g): either holds up to and including the first g.
                Node::WeakUntil(f, g) => {
                    let (f, g) = (of(f), of(g));
                    let either = self.bdds.or(f, g);
                    self.released(g, either)
                }
                // f M g is g U (f & g).
                Node::StrongRelease(f, g) => {
                    let (f, g) = (of(f), of(g));
                    let both = self.bdds.and(f, g);
                    self.atom(Temporal::Until(g, both))
                }
            };
            done.insert(g, function);
        }
        done[&f]
    }

    /// `f R g`, that is, `!(!f U !g)`.
    fn released(&mut self, f: Bdd, g: Bdd) -> Bdd {
        let (not_f, not_g) = (self.bdds.not(f), self.bdds.not(g));
        let until = self.atom(Temporal::Until(not_f, not_g));
        self.bdds.not(until)
    }

    /// The variable of a temporal atom.
    fn atom(&mut self, atom: Temporal) -> Bdd {
        if let Some(&known) = self.variables.get(&atom) {
            return known;
        }
        let variable = (self.propositions.len() + self.atoms.len()) as u32;
        self.atoms.push(atom);
        let function = self.bdds.variable(variable);
        self.variables.insert(atom, function);
        function
    }

    /// The value on the empty word.
    fn holds_on_nothing(&self, function: Bdd) -> bool {
        let mut values: Vec<bool> = Vec::with_capacity(self.atoms.len());
        let value = |function: Bdd, values: &[bool]| {
            self.bdds.at(function, |variable| {
                (variable as usize).checked_sub(self.propositions.len()).is_some_and(|at| values[at])
            })
        };
        for atom in &self.atoms {
            values.push(match *atom {
                Temporal::Next(_) => true,
                Temporal::Until(_, g) => value(g, &values),
            });
        }
        value(function, &values)
    }

    /// The letters of [`Alphabet::Actions`].
    fn one_action(&mut self) -> Bdd {
        let count = self.propositions.len() as u32;
        let mut none = Bdd::TRUE;
        let mut one = Bdd::FALSE;
        for variable in (0..count).rev() {
            let (yes, no) = (self.bdds.variable(variable), self.bdds.literal(variable, false));
            let this = self.bdds.and(yes, none);
            let another = self.bdds.and(no, one);
            one = self.bdds.or(this, another);
            none = self.bdds.and(no, none);
        }
        let names_tau = |name: &String| matches!(&**name, "tau" | "τ" | "action(tau)" | "action(\"τ\")");
        if self.propositions.iter().any(|(_, name)| names_tau(name)) { one } else { self.bdds.or(one, none) }
    }

    /// `left` counts how many more literals are written, because formulas share their parts and texts do not.
    fn text(&mut self, function: Bdd, left: &mut usize) -> String {
        let products = self.bdds.sum_of_products(function);
        let alone = products.len() == 1;
        let mut terms = Vec::new();
        for product in products {
            let mut literals = Vec::new();
            for (variable, sign) in product {
                if *left == 0 {
                    literals.push("...".into());
                    break;
                }
                *left -= 1;
                literals.push(self.literal_text(variable, sign, left));
            }
            terms.push(match literals.len() {
                0 => return "true".into(),
                1 => literals.concat(),
                _ if alone => literals.join(" & "),
                _ => format!("({})", literals.join(" & ")),
            });
            if *left == 0 {
                break;
            }
        }
        if terms.is_empty() { "false".into() } else { terms.join(" | ") }
    }

    fn literal_text(&mut self, variable: u32, sign: bool, left: &mut usize) -> String {
        let Some(at) = (variable as usize).checked_sub(self.propositions.len()) else {
            let name = &self.propositions[variable as usize].1;
            return if sign { name.clone() } else { format!("!{name}") };
        };
        let atom = self.atoms[at];
        // A negated operator is shown as its dual.
        let mut inner = |f: Bdd| {
            let f = if sign { f } else { self.bdds.not(f) };
            let several = self.bdds.sum_of_products(f).iter().map(Vec::len).sum::<usize>() > 1;
            let text = self.text(f, left);
            // An until has its own parentheses.
            if several { format!("({text})") } else { text }
        };
        match atom {
            Temporal::Next(f) if sign => format!("X {}", inner(f)),
            Temporal::Next(f) => format!("X[!] {}", inner(f)),
            Temporal::Until(Bdd::TRUE, g) if sign => format!("F {}", inner(g)),
            Temporal::Until(Bdd::TRUE, g) => format!("G {}", inner(g)),
            Temporal::Until(f, g) => {
                format!("({} {} {})", inner(f), if sign { "U" } else { "R" }, inner(g))
            }
        }
    }
}

fn constant(value: bool) -> Leaf {
    Leaf { formula: if value { Bdd::TRUE } else { Bdd::FALSE }, stop: value }
}

/// The whole automaton in the making.
#[derive(Default)]
struct Whole {
    table: Mtbdds<Option<State>>,
    /// By state: its derivatives and whether it accepts.
    order: Vec<(Mtbdd, bool)>,
    place: Map<(Mtbdd, bool), State>,
}

impl Whole {
    fn state(&mut self, automaton: &mut Derivatives, leaf: Leaf) -> Option<State> {
        let key = (automaton.derive(leaf.formula)?, leaf.stop);
        Some(*self.place.entry(key).or_insert_with(|| {
            self.order.push(key);
            State(self.order.len() as u32 - 1)
        }))
    }

    /// A diagram with states in place of formulas.
    fn row(
        &mut self,
        automaton: &mut Derivatives,
        row: Mtbdd,
        done: &mut Map<Mtbdd, Mtbdd>,
    ) -> Option<Mtbdd> {
        if let Some(&known) = done.get(&row) {
            return Some(known);
        }
        let result = match automaton.diagrams.choice(row) {
            Choice::Leaf(leaf) => {
                let to = self.state(automaton, leaf)?;
                self.table.leaf(Some(to))
            }
            Choice::Branch { proposition, low, high } => {
                let low = self.row(automaton, low, done)?;
                let high = self.row(automaton, high, done)?;
                self.table.branch(proposition, low, high)
            }
        };
        done.insert(row, result);
        Some(result)
    }
}

/// The letters of a set as a diagram: a state, which one does not matter, or nothing.
fn letters(bdds: &Bdds, table: &mut Mtbdds<Option<State>>, set: Bdd, done: &mut Map<Bdd, Mtbdd>) -> Mtbdd {
    if let Some(&known) = done.get(&set) {
        return known;
    }
    let result = match bdds.decision(set) {
        None => table.leaf((set == Bdd::TRUE).then_some(State(0))),
        Some((variable, low, high)) => {
            let low = letters(bdds, table, low, done);
            let high = letters(bdds, table, high, done);
            table.branch(variable, low, high)
        }
    };
    done.insert(set, result);
    result
}
