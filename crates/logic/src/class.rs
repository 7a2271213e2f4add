//! Where a property stands in the hierarchy of Manna and Pnueli (PODC 1990): safety, guarantee, obligation, recurrence,
//! persistence, reactivity.
//!
//! [`syntactic`] reads it off the operators (the grammar of Černá and Pelánek, MFCS 2003), and so tells of how a formula
//! is written. [`classify`] also looks at the language. For safety, guarantee and obligation the answer is then exact as
//! long as the deterministic automaton stays within the limits given: an obligation is what has a weak deterministic
//! automaton, and the smallest one shows whether it is closed or open. That a language is a recurrence is seen when its
//! automaton came out deterministic or that of the negation weak, and dually for persistence; where neither happens the
//! answer may be a larger class than the true one.

use crate::automaton::Automaton;
use crate::bdd::{Bdd, Bdds};
use crate::effort::Limits;
use crate::formula::{Formulas, Id, Node};
use crate::hash::Map;
use crate::scc::{Strength, symbolic_strength};
use crate::symbolic::Symbolic;
use crate::translate::{Both, Options, Refusal, Work};

/// The classes to which a property is known to belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Classes {
    /// Every violation shows after finitely many steps.
    pub safety: bool,
    /// Every satisfaction shows after finitely many steps.
    pub guarantee: bool,
    /// A Boolean combination of the two.
    pub obligation: bool,
    /// Something good infinitely often: what deterministic Büchi automata accept.
    pub recurrence: bool,
    /// Something bad finitely often: the negation of a recurrence.
    pub persistence: bool,
}

impl Classes {
    const ALL: Classes =
        Classes { safety: true, guarantee: true, obligation: true, recurrence: true, persistence: true };
    const NONE: Classes =
        Classes { safety: false, guarantee: false, obligation: false, recurrence: false, persistence: false };

    /// The smallest class, in a word or three.
    pub fn name(self) -> &'static str {
        match self {
            Classes { safety: true, guarantee: true, .. } => "safety and guarantee",
            Classes { safety: true, .. } => "safety",
            Classes { guarantee: true, .. } => "guarantee",
            Classes { obligation: true, .. } => "obligation",
            Classes { recurrence: true, persistence: true, .. } => "obligation",
            Classes { recurrence: true, .. } => "recurrence",
            Classes { persistence: true, .. } => "persistence",
            _ => "reactivity",
        }
    }

    /// With the larger classes that follow: what is both a recurrence and a persistence is an obligation.
    fn closed(mut self) -> Self {
        self.obligation |= self.safety || self.guarantee || self.recurrence && self.persistence;
        self.recurrence |= self.obligation;
        self.persistence |= self.obligation;
        self
    }

    fn both(self, other: Self) -> Self {
        Self {
            safety: self.safety && other.safety,
            guarantee: self.guarantee && other.guarantee,
            obligation: self.obligation && other.obligation,
            recurrence: self.recurrence && other.recurrence,
            persistence: self.persistence && other.persistence,
        }
    }
}

/// The classes that the operators of `f` show.
pub fn syntactic(formulas: &Formulas, f: Id) -> Classes {
    let mut formulas = formulas.clone();
    let f = formulas.infinite(f);
    written(&formulas, f)[&f]
}

/// The classes that the operators show of `f`, in the form for infinite words, and of all its subformulas.
pub(crate) fn written(formulas: &Formulas, f: Id) -> Map<Id, Classes> {
    let mut known: Map<Id, Classes> = Map::default();
    for g in formulas.subformulas(f) {
        let of = |h: &Id| known[h];
        let classes = match formulas.node(g) {
            Node::True | Node::False | Node::Proposition(_) | Node::Not(_) => Classes::ALL,
            Node::And(parts) | Node::Or(parts) => {
                parts.iter().fold(Classes::ALL, |all, part| all.both(of(part)))
            }
            Node::Next(h) | Node::StrongNext(h) => of(h),
            Node::Eventually(h) => until(Classes::ALL, of(h)),
            Node::Always(h) => release(Classes::ALL, of(h)),
            Node::Until(a, b) => until(of(a), of(b)),
            Node::Release(a, b) => release(of(a), of(b)),
            Node::WeakUntil(a, b) => weak_until(of(a), of(b)),
            Node::StrongRelease(a, b) => strong_release(of(a), of(b)),
        };
        known.insert(g, classes.closed());
    }
    known
}

fn until(a: Classes, b: Classes) -> Classes {
    Classes {
        guarantee: a.guarantee && b.guarantee,
        obligation: a.obligation && b.guarantee,
        recurrence: a.recurrence && b.guarantee,
        persistence: a.persistence && b.persistence,
        ..Classes::NONE
    }
}

fn release(a: Classes, b: Classes) -> Classes {
    Classes {
        safety: a.safety && b.safety,
        obligation: a.obligation && b.safety,
        recurrence: a.recurrence && b.recurrence,
        persistence: a.persistence && b.safety,
        ..Classes::NONE
    }
}

fn weak_until(a: Classes, b: Classes) -> Classes {
    Classes {
        safety: a.safety && b.safety,
        obligation: a.safety && b.obligation,
        recurrence: a.recurrence && b.recurrence,
        persistence: a.safety && b.persistence,
        ..Classes::NONE
    }
}

fn strong_release(a: Classes, b: Classes) -> Classes {
    Classes {
        guarantee: a.guarantee && b.guarantee,
        obligation: a.guarantee && b.obligation,
        recurrence: a.guarantee && b.recurrence,
        persistence: a.persistence && b.persistence,
        ..Classes::NONE
    }
}

/// The classes of the language of `f`, as far as they are seen; see the header.
///
/// # Errors
///
/// If the formula is too large for an automaton within the options.
pub fn classify(formulas: &Formulas, f: Id, options: Options) -> Result<Classes, Refusal> {
    let mut work = Work::new(formulas, f, options, &Limits::default())?;
    let both = work.both(f)?;
    Ok(of_language(&mut work, formulas, f, &both))
}

/// The automaton of `f`, as [`crate::translate_within`] makes it, with the classes of its language: both for the price of one.
///
/// # Errors
///
/// If the formula is too large for an automaton within the options, or a limit is reached.
pub fn classified(
    formulas: &Formulas,
    f: Id,
    options: Options,
    limits: &Limits,
) -> Result<(Automaton, Classes), Refusal> {
    let mut work = Work::new(formulas, f, options, limits)?;
    let both = work.both(f)?;
    let classes = of_language(&mut work, formulas, f, &both);
    Ok((work.finish(&both.automaton)?, classes))
}

fn of_language(work: &mut Work, formulas: &Formulas, f: Id, both: &Both) -> Classes {
    let mut classes = syntactic(formulas, f);
    if let Some(weak) = &both.weak {
        classes.obligation = true;
        classes.safety = weak.is_closed(false);
        classes.guarantee = weak.is_closed(true);
        return classes.closed();
    }
    let bdds = work.bdds();
    classes.recurrence |= deterministic(bdds, &both.automaton);
    classes.persistence |= symbolic_strength(bdds, &both.automaton) <= Strength::Weak;
    if let Some(negation) = &both.negation {
        classes.persistence |= deterministic(bdds, negation);
        classes.recurrence |= symbolic_strength(bdds, negation) <= Strength::Weak;
    }
    classes.closed()
}

/// Whether no letter is on two edges of one state.
pub fn is_deterministic(automaton: &Automaton) -> bool {
    let mut bdds = Bdds::new();
    let symbolic = Symbolic::from_automaton(&mut bdds, automaton);
    deterministic(&mut bdds, &symbolic)
}

fn deterministic(bdds: &mut Bdds, automaton: &Symbolic) -> bool {
    automaton.arrows.iter().all(|arrows| {
        let mut met = Bdd::FALSE;
        arrows.iter().all(|arrow| {
            let fresh = bdds.and(met, arrow.label) == Bdd::FALSE;
            met = bdds.or(met, arrow.label);
            fresh
        })
    })
}
