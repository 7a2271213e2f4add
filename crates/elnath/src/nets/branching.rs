//! Formulas of CTL about a net: the same question as `--ctl`, asked of the game of markings and positions. Only what the answer needs is walked,
//! and what one formula of a file has walked is there for the others.
//!
//! A part of a formula that is about one marking is one proposition, however large it is. What [`facts`](super::facts) knows of all markings is put in
//! for such a part before anything is walked, and may decide the formula by itself.

use super::facts::NetFacts;
use super::{NetAnswer, NetEvidence, Teller};
use crate::problem::Problem;
use elnath_check::branching::{BranchingEngine, BranchingFormula};
use elnath_check::branching::{StateGraph, WantedProof, ask_over};
use elnath_kernel::{Counters, Limit, Verdict, replay};
use elnath_logic::branching::lower::lower;
use elnath_logic::branching::{CtlOperator, MuFormulas, MuId, Quantifier};
use elnath_petri::Predicate;
use elnath_petri::contest::ContestNode;
use std::sync::Arc;

/// The most propositions of a formula.
const MOST: usize = 64;
/// Proofs of more pairs are not looked for: a file has many formulas, and what proves one is told in a few words.
const LARGEST_PROOF: usize = 10_000;

impl Teller<'_, '_> {
    /// Whether formulas of CTL hold at the initial marking, with the numbers they came with.
    pub(super) fn branching(
        &mut self,
        asked: &[(usize, &[ContestNode])],
    ) -> Result<Vec<(usize, NetAnswer)>, Problem> {
        let mut explored = StateGraph::default();
        let facts = (!asked.is_empty()).then(|| NetFacts::of(self.net.net()));
        let mut answers = Vec::with_capacity(asked.len());
        for &(number, nodes) in asked {
            let facts = facts.as_ref().expect("there is a formula");
            answers.push((number, self.branching_one(&mut explored, facts, nodes)?));
        }
        Ok(answers)
    }

    fn branching_one(
        &mut self,
        explored: &mut StateGraph,
        facts: &NetFacts,
        nodes: &[ContestNode],
    ) -> Result<NetAnswer, Problem> {
        let method = BranchingEngine::Local.name();
        let mut formulas = MuFormulas::new();
        let mut predicates: Vec<Predicate> = Vec::new();
        let formula = formula(nodes, facts, &mut formulas, &mut predicates);
        let positions = lower(&mut formulas, formula);
        // Simplifying may have left out some.
        let used = positions.propositions();
        if used.len() > MOST {
            let unknown = Verdict::Unknown(Limit::Formula);
            return Ok(NetAnswer::plain(unknown, method, Counters::default()));
        }
        let mut bits = vec![u32::MAX; predicates.len()];
        used.iter().enumerate().for_each(|(bit, &number)| bits[number as usize] = bit as u32);
        let named = used.iter().map(|&number| (name(number as usize), predicates[number as usize].clone()));
        let net = self.net.with_propositions(named.collect());
        let actions = positions.actions().len();
        let matches = move |_: &str| vec![true; actions];
        let asked = BranchingFormula { positions: &positions, propositions: &bits, matches: &matches };
        let memory = self.limits.memory;
        let answer = ask_over(
            explored,
            (&net, &net),
            &asked,
            BranchingEngine::Local,
            WantedProof { largest: LARGEST_PROOF, shortest: false },
            &mut self.limits.budget(memory),
        )?;
        let expanded = Some(answer.expanded);
        let value = match answer.value {
            Ok(value) => value,
            Err(limit) => {
                let unknown = NetAnswer::plain(Verdict::Unknown(limit), method, answer.counters);
                return Ok(NetAnswer { expanded, ..unknown });
            }
        };
        let mut evidence = NetEvidence::default();
        if let Some(shown) = answer.evidence {
            if let Some((steps, loop_start)) = shown.run() {
                evidence.run = replay(&net, &steps).ok();
                evidence.loop_start = loop_start;
            }
            evidence.part = Some(Arc::new(shown));
        }
        Ok(NetAnswer { expanded, ..NetAnswer::decided(value, evidence, method, answer.counters) })
    }
}

fn name(number: usize) -> String {
    format!("p{number}")
}

/// The formula of a tree. Children stand after their parents, so that going backwards their formulas are known.
fn formula(
    nodes: &[ContestNode],
    facts: &NetFacts,
    formulas: &mut MuFormulas,
    predicates: &mut Vec<Predicate>,
) -> MuId {
    let mut made: Vec<Option<MuId>> = vec![None; nodes.len()];
    for (number, node) in nodes.iter().enumerate().rev() {
        let of = |child: usize| made[child].expect("a formula about states");
        let own = match node {
            ContestNode::State(predicate) => match facts.value(predicate) {
                Some(value) => formulas.constant(value),
                None => {
                    let known = predicates.iter().position(|other| other == predicate);
                    let at = known.unwrap_or_else(|| {
                        predicates.push(predicate.clone());
                        predicates.len() - 1
                    });
                    // A proposition's number is the place of its predicate.
                    formulas.proposition(&name(at))
                }
            },
            // Around an operator of runs it is one of one part: the quantifier looks through it.
            ContestNode::And(all) | ContestNode::Or(all)
                if all.iter().any(|&child| made[child].is_none()) =>
            {
                continue;
            }
            ContestNode::Not(child) => match made[*child] {
                Some(child) => formulas.not(child),
                None => continue,
            },
            ContestNode::And(all) => {
                let parts: Vec<MuId> = all.iter().map(|&child| of(child)).collect();
                formulas.and(parts)
            }
            ContestNode::Or(all) => {
                let parts: Vec<MuId> = all.iter().map(|&child| of(child)).collect();
                formulas.or(parts)
            }
            ContestNode::Next(_)
            | ContestNode::Finally(_)
            | ContestNode::Globally(_)
            | ContestNode::Until(..) => continue,
            ContestNode::All(path) | ContestNode::Some(path) => {
                let mut path = *path;
                while let ContestNode::And(one) | ContestNode::Or(one) = &nodes[path] {
                    path = one[0];
                }
                let operator = match nodes[path] {
                    ContestNode::Next(f) => CtlOperator::Next(of(f)),
                    ContestNode::Finally(f) => CtlOperator::Finally(of(f)),
                    ContestNode::Globally(f) => CtlOperator::Globally(of(f)),
                    ContestNode::Until(f, g) => CtlOperator::Until(of(f), of(g)),
                    _ => unreachable!("a quantifier stands before an operator of runs"),
                };
                let all = matches!(node, ContestNode::All(_));
                formulas.ctl(if all { Quantifier::All } else { Quantifier::Some }, operator)
            }
        };
        made[number] = Some(own);
    }
    made[0].expect("the root is about a marking")
}
