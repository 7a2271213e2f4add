//! What is asked of communicating machines where nobody names a property: see [`elnath_cfsm::blocked`], and for the modules of Estelle
//! [`elnath_estelle::blocked`].
//!
//! Each property has a verdict. One search looks for all of them: if it finds none, all hold. If it finds a violation, that property
//! fails, and the search is made again for those that are left, so that there is one search more than properties that fail.

use crate::Problem;
use crate::report::{CheckReport, PropertyReport, Report};
use elnath_cfsm::blocked::{Snapshot, When, conditions, explain};
use elnath_cfsm::{Blocked, Network, Options};
use elnath_check::Violation;
use elnath_estelle::{Names, blocked};
use elnath_kernel::{System, Verdict};
use elnath_program::Interpreter;
use elnath_program::ir::{Expr, Program};
use elnath_source::{Message, SourceText};
use std::ops::Range;

/// The properties of a network or a specification, as propositions of its program.
pub struct MachineSafety {
    model: Model,
    /// By number of the proposition: what its being false means, and where it is looked at.
    conditions: Vec<(Blocked, When)>,
}

/// Where the properties come from.
enum Model {
    Machines(Box<Network>, Options),
    Estelle(Names),
}

impl MachineSafety {
    /// Makes the properties of a specification in Estelle propositions of its program, which has none yet.
    pub(crate) fn of_estelle(names: Names, program: &mut Program) -> Self {
        debug_assert!(program.propositions.is_empty());
        let mut conditions = Vec::new();
        let mut add = |name: &str, kind, condition| {
            program.propositions.push((name.to_owned(), condition));
            conditions.push(kind);
        };
        for condition in blocked::conditions(&names) {
            add(blocked::NAME, (Blocked::UnspecifiedReception, When::Stable), condition);
        }
        if let Some(condition) = blocked::no_full_queue(&names) {
            add(blocked::FULL, (Blocked::FullChannel, When::AtEnds), condition);
        }
        Self { model: Model::Estelle(names), conditions }
    }

    /// Makes the properties of a network propositions of its program, which has none yet.
    pub(crate) fn of(network: Network, options: Options, program: &mut Program) -> Self {
        debug_assert!(program.propositions.is_empty());
        let found = conditions(&network, options);
        let kinds = found.iter().map(|condition| (condition.property, condition.when)).collect();
        let propositions = found.into_iter().map(|condition| (condition.name.to_owned(), condition.expr));
        program.propositions.extend(propositions);
        Self { model: Model::Machines(Box::new(network), options), conditions: kinds }
    }

    /// What a part of a text means as a proposition about states.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, with its place.
    pub(crate) fn proposition(&self, source: &SourceText, range: Range<usize>) -> Result<Expr, Vec<Message>> {
        match &self.model {
            Model::Machines(network, _) => elnath_cfsm::proposition(network, source, range),
            Model::Estelle(names) => elnath_estelle::proposition(names, source, range),
        }
    }

    /// The words that such propositions may begin with.
    pub(crate) fn words(&self) -> Vec<String> {
        match &self.model {
            Model::Machines(network, _) => elnath_cfsm::words(network).into_iter().collect(),
            Model::Estelle(names) => elnath_estelle::words(names),
        }
    }

    /// The properties that there are, in the order in which they are reported.
    pub fn properties(&self) -> Vec<Blocked> {
        let is_there = |property: &Blocked| {
            *property == Blocked::Deadlock || self.conditions.iter().any(|(other, _)| other == property)
        };
        Blocked::ALL.into_iter().filter(is_there).collect()
    }

    fn bits(&self, of: impl Fn(Blocked, When) -> bool) -> u64 {
        let numbered = self.conditions.iter().enumerate();
        numbered.filter(|(_, (property, when))| of(*property, *when)).fold(0, |bits, (at, _)| bits | 1 << at)
    }

    /// The propositions of these properties that must be true in every state, and those that must be in states without transitions.
    pub(crate) fn masks(&self, wanted: &[Blocked]) -> (u64, u64) {
        let of = |at: When| self.bits(|property, when| when == at && wanted.contains(&property));
        (of(When::Stable), of(When::AtEnds))
    }

    /// The propositions that tell why a state without transitions is no deadlock.
    pub(crate) fn excuses(&self) -> u64 {
        self.bits(|property, _| matches!(property, Blocked::UnspecifiedReception | Blocked::FullChannel))
    }

    /// All propositions: of none does it matter when it changes.
    pub(crate) fn timeless(&self) -> u64 {
        self.bits(|_, _| true)
    }

    /// The property that a violation is one of.
    pub(crate) fn violated(&self, violation: Violation) -> Option<Blocked> {
        match violation {
            Violation::Deadlock => Some(Blocked::Deadlock),
            Violation::Invariant(bit) => self.conditions.get(bit as usize).map(|(property, _)| *property),
            _ => None,
        }
    }

    /// What is wrong in a state of the program, in words.
    pub(crate) fn explain(&self, program: &Interpreter, state: &[u8], property: Blocked) -> Option<String> {
        let (locations, contents) = (program.locations(state), program.contents(state));
        match &self.model {
            Model::Machines(network, options) => {
                let here = Snapshot { locations: &locations, contents: &contents };
                explain(network, *options, property, &here)
            }
            Model::Estelle(names) if property == Blocked::UnspecifiedReception => {
                let mut stepper = program.stepper();
                let holds = stepper.propositions()?.valuation(state);
                names.explain(holds.trailing_ones() as usize, &locations, &contents)
            }
            Model::Estelle(_) => None,
        }
    }
}

/// What is demanded, in words.
pub(crate) fn text(property: Blocked) -> String {
    format!("no {}", property.text())
}

/// Asks about several properties: `ask` searches for a violation of any that it is given.
pub(crate) fn check_each<'a>(
    mut wanted: Vec<Blocked>,
    safety: &MachineSafety,
    mut ask: impl FnMut(&[Blocked]) -> Result<CheckReport<'a>, Problem>,
) -> Result<CheckReport<'a>, Problem> {
    let order = wanted.clone();
    let mut all: Option<CheckReport<'a>> = None;
    while !wanted.is_empty() {
        let mut report = ask(&wanted)?;
        let found = report.properties.pop().expect("a question has an answer");
        let failed = found.violation().and_then(|(violation, _)| safety.violated(violation));
        let decided: Vec<Blocked> = match (&found.verdict, failed) {
            // What is wrong is none of these: nothing is known of them.
            (Verdict::Fails(_), None) => return Ok(Report { properties: vec![found], ..report }),
            (_, Some(failed)) => vec![failed],
            (_, None) => wanted.clone(),
        };
        wanted.retain(|property| !decided.contains(property));
        let named = |&property: &Blocked| PropertyReport {
            name: Some(property.name().to_owned()),
            text: text(property),
            ..found.clone()
        };
        report.properties = decided.iter().map(named).collect();
        all = Some(match all {
            Some(all) => all.and(report),
            None => report,
        });
    }
    let mut all = all.expect("something was wanted");
    let rank =
        |name: &Option<String>| order.iter().position(|property| name.as_deref() == Some(property.name()));
    all.properties.sort_by_key(|property| rank(&property.name));
    Ok(all)
}
