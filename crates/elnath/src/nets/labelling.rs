//! Formulas of CTL by labelling (Clarke, Emerson, Sistla 1986): the graph is recorded once for many formulas, and each operator labels
//! all its states in time linear in the graph.
//!
//! Every state is looked at, also where a few would do: whoever wants less asks on the fly.

use super::{NetAnswer, NetEvidence, Teller};
use elnath_check::temporal::together::{NotRecorded, Recording, record};
use elnath_kernel::{Counters, Limit, Verdict};
use elnath_petri::Predicate;
use elnath_petri::contest::ContestNode;

const LABELLING: &str = "labelling of the recorded graph";

/// The most propositions of a recording.
const MOST: usize = 64;

impl Teller<'_, '_> {
    /// Whether formulas of CTL hold at the initial marking, with the numbers they came with.
    pub(super) fn branching(&mut self, formulas: &[(usize, &[ContestNode])]) -> Vec<(usize, NetAnswer)> {
        let mut answers = Vec::new();
        let mut rest = formulas;
        while !rest.is_empty() {
            // As many formulas as have room for their predicates in one recording.
            let mut predicates: Vec<Predicate> = Vec::new();
            let mut taken = 0;
            for (_, nodes) in rest {
                let before = predicates.len();
                for node in *nodes {
                    if let ContestNode::State(predicate) = node
                        && !predicates.contains(predicate)
                    {
                        predicates.push(predicate.clone());
                    }
                }
                if predicates.len() > MOST {
                    predicates.truncate(before);
                    break;
                }
                taken += 1;
            }
            if taken == 0 {
                let beyond =
                    NetAnswer::plain(Verdict::Unknown(Limit::Formula), LABELLING, Counters::default());
                answers.push((rest[0].0, beyond));
                rest = &rest[1..];
                continue;
            }
            let (chunk, others) = rest.split_at(taken);
            answers.extend(self.label(chunk, &predicates));
            rest = others;
        }
        answers
    }

    fn label(
        &mut self,
        chunk: &[(usize, &[ContestNode])],
        predicates: &[Predicate],
    ) -> Vec<(usize, NetAnswer)> {
        let named = predicates.iter().enumerate().map(|(number, own)| (format!("p{number}"), own.clone()));
        let net = self.net.with_propositions(named.collect());
        let memory = self.limits.memory;
        let recording = match record(&net, &mut self.limits.budget(memory)) {
            Ok(recording) => recording,
            Err(why) => {
                let limit = match why {
                    NotRecorded::Limit(limit) => limit,
                    // The only fault of a net is that tokens are no longer counted.
                    NotRecorded::Faults => Limit::Sequence,
                };
                let unknown = || NetAnswer::plain(Verdict::Unknown(limit), LABELLING, Counters::default());
                return chunk.iter().map(|(number, _)| (*number, unknown())).collect();
            }
        };
        let graph = Graph::new(&recording);
        let answer = |(number, nodes): &(usize, &[ContestNode])| {
            let holds = graph.holds(nodes, predicates);
            (*number, NetAnswer::decided(holds, NetEvidence::default(), LABELLING, recording.counters))
        };
        chunk.iter().map(answer).collect()
    }
}

/// A set of states.
type Labels = Vec<bool>;

/// A recording with its edges backwards.
struct Graph<'r> {
    recording: &'r Recording,
    /// The predecessors of state *s* are `sources[starts[s]..starts[s + 1]]`.
    starts: Vec<u32>,
    sources: Vec<u32>,
}

impl<'r> Graph<'r> {
    fn new(recording: &'r Recording) -> Self {
        let states = recording.states() as u32;
        let mut starts = vec![0u32; states as usize + 1];
        for state in 0..states {
            recording.successors(state).iter().for_each(|&to| starts[to as usize + 1] += 1);
        }
        for state in 0..states as usize {
            starts[state + 1] += starts[state];
        }
        let mut next = starts.clone();
        let mut sources = vec![0; starts[states as usize] as usize];
        for state in 0..states {
            for &to in recording.successors(state) {
                sources[next[to as usize] as usize] = state;
                next[to as usize] += 1;
            }
        }
        Self { recording, starts, sources }
    }

    fn states(&self) -> std::ops::Range<u32> {
        0..self.recording.states() as u32
    }

    fn predecessors(&self, state: u32) -> &[u32] {
        &self.sources[self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize]
    }

    /// Whether a formula holds at the initial state. Children stand after their parents.
    fn holds(&self, nodes: &[ContestNode], predicates: &[Predicate]) -> bool {
        let mut labels: Vec<Option<Labels>> = nodes.iter().map(|_| None).collect();
        for number in (0..nodes.len()).rev() {
            let own = match &nodes[number] {
                ContestNode::State(predicate) => {
                    let bit = predicates.iter().position(|other| other == predicate).expect("it is recorded");
                    self.states().map(|state| self.recording.valuation(state) >> bit & 1 == 1).collect()
                }
                ContestNode::Not(child) => match labels[*child].take() {
                    Some(child) => not(child),
                    None => continue,
                },
                // Around an operator of runs it is one of one part: the quantifier looks through it.
                ContestNode::And(all) | ContestNode::Or(all)
                    if all.iter().any(|&child| labels[child].is_none()) =>
                {
                    continue;
                }
                ContestNode::And(all) => join(all, &mut labels, self.recording.states(), true),
                ContestNode::Or(all) => join(all, &mut labels, self.recording.states(), false),
                ContestNode::Next(_)
                | ContestNode::Finally(_)
                | ContestNode::Globally(_)
                | ContestNode::Until(..) => {
                    continue;
                }
                ContestNode::All(path) => self.quantified(nodes, *path, &mut labels, true),
                ContestNode::Some(path) => self.quantified(nodes, *path, &mut labels, false),
            };
            labels[number] = Some(own);
        }
        labels[0].as_ref().expect("the root is labelled")[0]
    }

    /// The states from which all runs, or some, satisfy an operator.
    fn quantified(
        &self,
        nodes: &[ContestNode],
        mut path: usize,
        labels: &mut [Option<Labels>],
        all: bool,
    ) -> Labels {
        while let ContestNode::And(one) | ContestNode::Or(one) = &nodes[path] {
            path = one[0];
        }
        let mut of = |child: usize| labels[child].take().expect("a formula about states");
        let anywhere = || vec![true; self.recording.states()];
        match (&nodes[path], all) {
            (ContestNode::Next(f), _) => {
                let f = of(*f);
                let holds = |&to: &u32| f[to as usize];
                let next = |state: u32| {
                    let mut successors = self.recording.successors(state).iter();
                    if all { successors.all(holds) } else { successors.any(holds) }
                };
                self.states().map(next).collect()
            }
            (ContestNode::Finally(f), false) => self.some_until(&anywhere(), of(*f)),
            (ContestNode::Finally(f), true) => not(self.some_globally(not(of(*f)))),
            (ContestNode::Globally(f), false) => self.some_globally(of(*f)),
            (ContestNode::Globally(f), true) => not(self.some_until(&anywhere(), not(of(*f)))),
            (ContestNode::Until(f, g), false) => {
                let f = of(*f);
                self.some_until(&f, of(*g))
            }
            (ContestNode::Until(f, g), true) => {
                // Not: before g both fail at once, or g never comes.
                let (f, g) = (of(*f), of(*g));
                let neither = f.iter().zip(&g).map(|(f, g)| !f && !g).collect();
                let without = not(g);
                let fails = self.some_until(&without, neither);
                let never = self.some_globally(without);
                fails.iter().zip(never).map(|(fails, never)| !fails && !never).collect()
            }
            _ => unreachable!("a quantifier stands before an operator of runs"),
        }
    }

    /// E[f U g]: backwards from g through f.
    fn some_until(&self, f: &[bool], mut g: Labels) -> Labels {
        let mut todo: Vec<u32> = self.states().filter(|&state| g[state as usize]).collect();
        while let Some(state) = todo.pop() {
            for &from in self.predecessors(state) {
                if f[from as usize] && !g[from as usize] {
                    g[from as usize] = true;
                    todo.push(from);
                }
            }
        }
        g
    }

    /// EG f: without the states of f from which all steps lead out, again and again. A state without successors stays.
    fn some_globally(&self, mut f: Labels) -> Labels {
        let within = |state: u32| {
            let successors = self.recording.successors(state);
            if successors.is_empty() {
                u32::MAX
            } else {
                successors.iter().filter(|&&to| f[to as usize]).count() as u32
            }
        };
        let mut left: Vec<u32> = self.states().map(within).collect();
        let mut todo: Vec<u32> =
            self.states().filter(|&state| f[state as usize] && left[state as usize] == 0).collect();
        while let Some(state) = todo.pop() {
            f[state as usize] = false;
            for &from in self.predecessors(state) {
                left[from as usize] -= 1;
                if f[from as usize] && left[from as usize] == 0 {
                    todo.push(from);
                }
            }
        }
        f
    }
}

fn not(labels: Labels) -> Labels {
    labels.into_iter().map(|holds| !holds).collect()
}

fn join(all: &[usize], labels: &mut [Option<Labels>], states: usize, conjunction: bool) -> Labels {
    let mut joined = vec![conjunction; states];
    for &child in all {
        let child = labels[child].take().expect("a formula about states");
        for (joined, own) in joined.iter_mut().zip(child) {
            *joined = if conjunction { *joined && own } else { *joined || own };
        }
    }
    joined
}
