//! Formulas of LTL about a net: the temporal operators become a formula whose propositions are predicates of markings, and then it is asked as
//! any other.

use super::{NetAnswer, NetEvidence, Teller};
use crate::check::Check;
use crate::problem::Problem;
use crate::property::of_states;
use crate::subject::Subject;
use elnath_check::SearchChoice;
use elnath_kernel::{Counters, Limit, System, Verdict};
use elnath_logic::parse::DEEPEST;
use elnath_logic::{Formulas, Id};
use elnath_petri::Predicate;
use elnath_petri::contest::ContestNode;
use std::sync::Arc;

/// The most propositions about states.
const MOST: usize = 64;

impl Teller<'_, '_> {
    /// Whether all runs satisfy the formula of a node.
    pub(super) fn linear(
        &mut self,
        id: &str,
        nodes: &[ContestNode],
        root: usize,
    ) -> Result<NetAnswer, Problem> {
        const AUTOMATON: &str = "automaton of the bad runs";
        let beyond = || NetAnswer::plain(Verdict::Unknown(Limit::Formula), AUTOMATON, Counters::default());
        let mut formulas = Formulas::new();
        let mut predicates: Vec<Predicate> = Vec::new();
        let Some(formula) = formula(nodes, root, &mut formulas, &mut predicates) else { return Ok(beyond()) };
        let Ok(property) = of_states(formulas, formula, (id.to_owned(), id)) else { return Ok(beyond()) };
        let propositions =
            predicates.into_iter().enumerate().map(|(number, own)| (name(number), own)).collect();
        let net: Arc<dyn System> = Arc::new(self.net.with_propositions(propositions));
        let memory = self.limits.memory;
        // What was chosen for the walk need not serve for a search for cycles.
        let choice = SearchChoice { store: None, search: None, ..self.choice.clone() };
        let watch = &mut self.limits.watch;
        let check = Check::subject(Subject::System(net)).choice(choice).property(property).memory(memory);
        let report = check.states(self.limits.states).watch(|counters| watch(counters)).run()?;
        let property = report.properties.into_iter().next().expect("one was asked about");
        let (method, counters) = (property.figures.search_name(), property.figures.counters);
        let verdict = property.verdict.map(|shown| {
            let (run, loop_start) = shown.alone.unwrap_or((shown.run, shown.loop_start));
            NetEvidence { run: Some(run), loop_start, part: None }
        });
        Ok(NetAnswer::plain(verdict, method, counters))
    }
}

fn name(number: usize) -> String {
    format!("p{number}")
}

/// The formula of a node; nothing if it is too deep, or has too many propositions. Children stand after their parents, so that
/// going backwards their formulas are known.
fn formula(
    nodes: &[ContestNode],
    root: usize,
    formulas: &mut Formulas,
    predicates: &mut Vec<Predicate>,
) -> Option<Id> {
    let mut made: Vec<Option<(Id, usize)>> = vec![None; nodes.len()];
    for (number, node) in nodes.iter().enumerate().skip(root).rev() {
        let of = |child: &usize| made[*child].expect("children stand after their parents");
        let own = match node {
            ContestNode::State(predicate) => {
                let known = predicates.iter().position(|other| other == predicate);
                let at = known.unwrap_or_else(|| {
                    predicates.push(predicate.clone());
                    predicates.len() - 1
                });
                (formulas.proposition(&name(at)), 0)
            }
            ContestNode::Not(child) => (formulas.not(of(child).0), of(child).1 + 1),
            ContestNode::And(all) | ContestNode::Or(all) => {
                let parts: Vec<Id> = all.iter().map(|child| of(child).0).collect();
                let depth = all.iter().map(|child| of(child).1).max().unwrap_or(0) + 1;
                match node {
                    ContestNode::And(_) => (formulas.conjunction(parts), depth),
                    _ => (formulas.disjunction(parts), depth),
                }
            }
            ContestNode::Next(child) => (formulas.next(of(child).0), of(child).1 + 1),
            ContestNode::Finally(child) => (formulas.eventually(of(child).0), of(child).1 + 1),
            ContestNode::Globally(child) => (formulas.always(of(child).0), of(child).1 + 1),
            ContestNode::Until(before, reach) => {
                let depth = of(before).1.max(of(reach).1) + 1;
                (formulas.until(of(before).0, of(reach).0), depth)
            }
            ContestNode::All(_) | ContestNode::Some(_) => unreachable!("LTL has no path quantifiers within"),
        };
        if own.1 > DEEPEST {
            return None;
        }
        made[number] = Some(own);
    }
    // The bits of valuations are in the order of the formula's atoms, which is that in which they were made.
    (predicates.len() <= MOST).then(|| made[root].expect("the root was made").0)
}
