//! What is asked of all markings that can be reached: one walk for many such questions ([`elnath_check::survey`]).

use super::{NetAnswer, NetEvidence, Sought, Teller};
use crate::generate::{Generated, generate};
use crate::problem::Problem;
use elnath_check::StorePlan;
use elnath_check::survey::{Gauge, SurveyAnswer, survey};
use elnath_kernel::{Counters, Coverage, Limit, Successors, Verdict};
use elnath_lts::Taus;
use elnath_lts::scc::components;
use elnath_petri::predicate::{AgainstZero, MarkingTest, PredicateNode, TokenSum};
use elnath_petri::system::TokenGauge;
use elnath_petri::{PetriSystem, Predicate};
use std::collections::HashSet;

const WALK: &str = "one walk";

/// Propositions of a walk.
const MOST: usize = 64;

/// That each of these places holds at most one token.
pub(super) fn at_most_one(places: Vec<u32>) -> Predicate {
    let test = |place: u32| {
        let sum = TokenSum { places: vec![(place, 1)], constant: -1 };
        PredicateNode::Test(MarkingTest::Compare(sum, AgainstZero::AtMost))
    };
    let mut tree = vec![PredicateNode::And((1..=places.len()).collect())];
    tree.extend(places.into_iter().map(test));
    Predicate::of_tree(&tree)
}

/// What is measured of markings.
struct NetGauge<'n> {
    tokens: TokenGauge<'n>,
    most: Vec<i64>,
    /// By transition, whether it was fired, if that is asked.
    fired: Option<Vec<bool>>,
    /// By place, the tokens on it, as long as these are the same in all markings, if that is asked.
    stable: Option<Vec<Option<u32>>>,
}

impl<'n> NetGauge<'n> {
    fn of(net: &'n PetriSystem, sums: &[TokenSum]) -> Self {
        let most = vec![i64::MIN; sums.len()];
        Self { tokens: net.gauge(sums.to_vec()), most, fired: None, stable: None }
    }
}

impl Gauge for NetGauge<'_> {
    fn look(&mut self, state: &[u8], successors: &Successors) {
        if !self.most.is_empty() {
            self.tokens.raise(state, &mut self.most);
        }
        if let Some(fired) = &mut self.fired {
            successors.iter().for_each(|successor| fired[successor.transition.0 as usize] = true);
        }
        if let Some(stable) = &mut self.stable {
            for (known, &tokens) in stable.iter_mut().zip(self.tokens.marking(state)) {
                *known = known.filter(|&known| known == tokens);
            }
        }
    }

    fn is_active(&self) -> bool {
        !self.most.is_empty() || self.fired.is_some() || self.stable.is_some()
    }
}

impl Teller<'_, '_> {
    /// Answers questions about all markings, in their order, with the numbers they came with.
    pub(super) fn survey(
        &mut self,
        sought: Vec<(usize, Sought)>,
    ) -> Result<Vec<(usize, NetAnswer)>, Problem> {
        let mut answers = Vec::new();
        let mut rest = sought.into_iter().peekable();
        while rest.peek().is_some() {
            // As many as fit into a valuation; bounds need no place there.
            let (mut chunk, mut propositions) = (Vec::new(), 0);
            while let Some(next) =
                rest.next_if(|(_, next)| matches!(next, Sought::Most(_)) || propositions < MOST)
            {
                propositions += usize::from(!matches!(next.1, Sought::Most(_)));
                chunk.push(next);
            }
            answers.extend(self.one_walk(&chunk)?);
        }
        Ok(answers)
    }

    fn one_walk(&mut self, chunk: &[(usize, Sought)]) -> Result<Vec<(usize, NetAnswer)>, Problem> {
        let propositions = chunk.iter().filter_map(|(number, sought)| match sought {
            Sought::Possibly(predicate) => Some((format!("{number}"), predicate.clone())),
            Sought::Invariantly(predicate) => Some((format!("{number}"), predicate.clone().negated())),
            Sought::Most(_) => None,
        });
        let propositions: Vec<(String, Predicate)> = propositions.collect();
        let sums: Vec<TokenSum> = chunk
            .iter()
            .filter_map(|(_, sought)| if let Sought::Most(sum) = sought { Some(sum.clone()) } else { None })
            .collect();
        let bits = u64::MAX.checked_shr(64 - propositions.len() as u32).unwrap_or(0);
        let net = self.net.with_propositions(propositions);
        let answer = self.walk(&net, bits, || NetGauge::of(&net, &sums))?;
        let SurveyAnswer { mut met, true_ones, gauges, counters, limit, complete, .. } = answer;
        let most = |number: usize| gauges.iter().map(|gauge| gauge.most[number]).max().unwrap_or(0).max(0);
        let (mut bit, mut sum) = (0, 0);
        let mut answers = Vec::new();
        for (number, sought) in chunk {
            // What is not known because of this.
            let unknown =
                || NetAnswer::plain(Verdict::Unknown(limit.unwrap_or(Limit::Witness)), WALK, counters);
            let answer = match sought {
                Sought::Most(_) => {
                    let value = most(sum);
                    sum += 1;
                    if complete {
                        let holds = Verdict::Holds(Coverage::Exhaustive);
                        NetAnswer { value: Some(value), ..NetAnswer::plain(holds, WALK, counters) }
                    } else {
                        NetAnswer { at_least: Some(value), ..unknown() }
                    }
                }
                Sought::Possibly(_) | Sought::Invariantly(_) => {
                    let run = met[bit].take();
                    let is_met = true_ones >> bit & 1 == 1;
                    bit += 1;
                    let good = matches!(sought, Sought::Possibly(_)) == is_met;
                    match run {
                        // What was met was replayed; what was not met, and all was seen, is nowhere.
                        Some(_) => NetAnswer::decided(
                            good,
                            NetEvidence { run, ..NetEvidence::default() },
                            WALK,
                            counters,
                        ),
                        None if is_met => NetAnswer::plain(Verdict::Unknown(Limit::Witness), WALK, counters),
                        None if complete => NetAnswer::decided(good, NetEvidence::default(), WALK, counters),
                        None => unknown(),
                    }
                }
            };
            answers.push((*number, answer));
        }
        Ok(answers)
    }

    /// Walks; if an exact store has no room for all states, once more with the tree store.
    fn walk<G: Gauge>(
        &mut self,
        net: &PetriSystem,
        sought: u64,
        gauge: impl Fn() -> G,
    ) -> Result<SurveyAnswer<G>, Problem> {
        let memory = self.limits.memory;
        let mut plan = self.plan;
        let answer = survey(net, sought, &gauge, &plan, &mut self.limits.budget(memory))?;
        if answer.limit != Some(Limit::Memory) || plan.store != StorePlan::Exact || !self.choice.or_tree() {
            return Ok(answer);
        }
        plan.store = StorePlan::Tree;
        Ok(survey(net, sought, &gauge, &plan, &mut self.limits.budget(memory))?)
    }

    /// Whether each transition can be fired.
    pub(super) fn quasi_liveness(&mut self) -> Result<NetAnswer, Problem> {
        let net = PetriSystem::clone(self.net);
        let transitions = net.net().transitions.len();
        let gauge = || NetGauge { fired: Some(vec![false; transitions]), ..NetGauge::of(&net, &[]) };
        let SurveyAnswer { gauges, counters, limit, .. } = self.walk(&net, 0, gauge)?;
        let fired = |t: usize| gauges.iter().any(|gauge| gauge.fired.as_ref().is_some_and(|fired| fired[t]));
        let all = (0..transitions).all(fired);
        Ok(measured(all, limit, all, counters))
    }

    /// Whether some place always holds as many tokens.
    pub(super) fn stable_marking(&mut self) -> Result<NetAnswer, Problem> {
        let net = PetriSystem::clone(self.net);
        let initial: Vec<Option<u32>> = net.net().initial.iter().copied().map(Some).collect();
        let gauge = || NetGauge { stable: Some(initial.clone()), ..NetGauge::of(&net, &[]) };
        let SurveyAnswer { gauges, counters, limit, .. } = self.walk(&net, 0, gauge)?;
        let stays = |place: usize| {
            gauges.iter().all(|gauge| gauge.stable.as_ref().is_some_and(|stable| stable[place].is_some()))
        };
        let some = (0..initial.len()).any(stays);
        Ok(measured(some, limit, !some, counters))
    }

    /// Whether each transition can always be fired again: in every component of the graph that no step leaves, all occur.
    pub(super) fn liveness(&mut self) -> NetAnswer {
        const GRAPH: &str = "components of the graph";
        // Transitions with one name are told apart here.
        let mut net = (**self.net.net()).clone();
        net.transitions.iter_mut().for_each(|transition| transition.name.clone_from(&transition.id));
        let transitions = net.transitions.len();
        let memory = self.limits.memory;
        let none = Taus::new(std::iter::empty::<String>());
        let generated = generate(&PetriSystem::new(net), none, &mut self.limits.budget(memory));
        let Generated { lts, faults } = match generated {
            Ok(generated) => generated,
            Err((limit, counters)) => return NetAnswer::plain(Verdict::Unknown(limit), GRAPH, counters),
        };
        let counters = Counters {
            states: lts.num_states() as u64,
            transitions: lts.num_transitions() as u64,
            states_exact: true,
            ..Counters::default()
        };
        if faults > 0 {
            return NetAnswer::plain(Verdict::Unknown(Limit::Sequence), GRAPH, counters);
        }
        let parts = components(&lts, [0], |_| true);
        let mut closed = vec![true; parts.len()];
        let mut labels: Vec<HashSet<u32>> = vec![HashSet::new(); parts.len()];
        for state in lts.states() {
            let own = parts.of(state) as usize;
            for edge in lts.edges(state) {
                closed[own] &= parts.of(edge.target) as usize == own;
                if closed[own] {
                    labels[own].insert(edge.label);
                } else {
                    labels[own].clear();
                }
            }
        }
        let live = closed.iter().zip(&labels).all(|(&closed, labels)| !closed || labels.len() == transitions);
        NetAnswer::decided(live, NetEvidence::default(), GRAPH, counters)
    }
}

/// The answer to a question of which `known` tells whether it is answered before all was seen.
fn measured(holds: bool, limit: Option<Limit>, known: bool, counters: Counters) -> NetAnswer {
    match limit {
        Some(limit) if !known => NetAnswer::plain(Verdict::Unknown(limit), WALK, counters),
        _ => NetAnswer::decided(holds, NetEvidence::default(), WALK, counters),
    }
}
