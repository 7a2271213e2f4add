//! k-multiparty compatibility: which capacity of channels loses no behaviour, and is every message received then?
//!
//! Lange, Yoshida, *Verifying Asynchronous Interactions via Communicating Session Automata* (CAV 2019), and their tool KMC. For
//! a capacity k all states within it are recorded ([`graph`]) and three things are demanded of each ([`duties`]): that sends get room (the
//! system is *k-exhaustive*), that messages are received and that machines that wait go on (it is *k-safe*). Both together are k-multiparty
//! compatibility, k-MC for short.
//!
//! A verdict about capacity k is one about channels without bound in two cases. If no send was ever without room, the walk has
//! seen all states that the system has without bounds. Otherwise a theorem helps, whose conditions are checked ([`conditions`]).
//! Its argument, because we changed a condition: let a state within k be left by a run w of the system without bounds. *Claim*: w
//! can be prolonged by some v such that w v has, machine by machine, the steps of a run u within k. By induction on the length of
//! w; let l be its last step, by p, and v, u those of the rest.
//!
//! * If p does not move in v, it is in the same state after v. A reception l is then still possible, and a send l is possible
//!   after some more steps without p, since the system is k-exhaustive. Move l to the front: nobody misses it.
//! * If l is p's first step in v, then move it to the front.
//! * If p's first step in v is another send l': where u makes l', it could make l as well (output bound independence). Take u up to
//!   there, then l, then what u has not yet made of w, which is a shorter run from a state within k, by induction.
//! * If it is another reception l', then from another channel. Where u makes l', the message of l is there too, or is sent later in u and then
//!   depends on l' (input bound independence). But it does not: in w v it is sent before l', and both runs have the same causal order.
//!
//! So no behaviour is lost. If a message is first in its channel, or p waits, then after v either it was received (p went on), or that is still
//! so in a state within k, where k-safety helps. The converse is as short: if a reception is possible without bounds, then it is in some u
//! within k. Hence under these conditions k-safe and safe are the same, and a breach of k-safety is one of the system without bounds.
//!
//! KMC walks a reduced graph (partial order reduction); here the whole of it is walked, so that breaches have shortest runs.

mod conditions;
mod duties;
mod flaw;
mod graph;
pub mod machines;

pub use flaw::{Breach, Flaw};

use conditions::Found;
use elnath_kernel::{Counters, Coverage, Limit, Verdict, Watch};
use elnath_program::Interpreter;
use elnath_program::ir::Program;
use graph::CapacityGraph;
use machines::SessionMachines;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Which capacities are tried, and what that may cost.
pub struct CompatibilityOptions<'a> {
    /// From the least on, until one settles it.
    pub capacities: RangeInclusive<u32>,
    /// Bytes for one recording and what is asked of it.
    pub memory: usize,
    /// Called now and then; a returned limit stops it.
    pub watch: &'a mut Watch<'a>,
}

/// What is known of one capacity.
pub struct Attempt {
    /// The capacity.
    pub k: u32,
    /// The program with channels of this capacity.
    pub system: Arc<Interpreter>,
    /// Whether every send gets room on some run without its machine.
    pub exhaustive: Verdict<Breach>,
    /// Whether every first message of a channel is received on some run.
    pub reception: Verdict<Breach>,
    /// Whether every machine that waits goes on on some run.
    pub progress: Verdict<Breach>,
    /// Whether no send was ever without room.
    pub never_full: bool,
    /// Whether the capacity makes nobody's choices; nothing if that does not matter.
    pub output: Option<Verdict<Breach>>,
    /// Whether the order of messages makes nobody's choices; nothing if that does not matter.
    pub input: Option<Verdict<Breach>>,
    /// What the walk did.
    pub counters: Counters,
}

/// For which channels a verdict is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarantee {
    /// All: no send was ever without room.
    NeverFull,
    /// All, since every state of every machine uses one channel.
    Directed,
    /// All, since choices depend neither on the capacity nor on the order of messages.
    Independent,
    /// Those of this capacity only.
    Capacity,
}

impl Guarantee {
    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Guarantee::NeverFull => "never full",
            Guarantee::Directed => "directed",
            Guarantee::Independent => "independent",
            Guarantee::Capacity => "capacity",
        }
    }

    /// Whether it is also one about channels without bound.
    pub fn is_unbounded(self) -> bool {
        self != Guarantee::Capacity
    }
}

impl Attempt {
    /// The worst of the three verdicts.
    pub fn verdict(&self) -> Verdict<&Breach> {
        self.exhaustive.as_ref().worse(self.reception.as_ref()).worse(self.progress.as_ref())
    }

    /// Whether the system is k-multiparty compatible.
    pub fn is_compatible(&self) -> bool {
        matches!(self.verdict(), Verdict::Holds(_))
    }

    /// What ran out before the conditions were decided.
    fn undecided(&self) -> Option<Limit> {
        [&self.output, &self.input].into_iter().flatten().find_map(Verdict::limit)
    }

    /// For which channels this is so; of machines that are [directed](SessionMachines::are_directed) or not.
    pub fn scope(&self, directed: bool) -> Guarantee {
        let holds = |condition: &Option<Verdict<Breach>>| matches!(condition, Some(Verdict::Holds(_)));
        match self.exhaustive {
            Verdict::Holds(_) if self.never_full => Guarantee::NeverFull,
            Verdict::Holds(_) if directed => Guarantee::Directed,
            Verdict::Holds(_) if holds(&self.output) && holds(&self.input) => Guarantee::Independent,
            _ => Guarantee::Capacity,
        }
    }
}

/// The answer.
pub struct CompatibilityAnswer {
    /// What was tried, in the order of capacities: at least one.
    pub attempts: Vec<Attempt>,
    /// The attempt that counts.
    pub decisive: usize,
    /// What ran out before one of several capacities settled it: then nothing is known.
    pub stopped: Option<Limit>,
}

/// Tries one capacity after the other. The first one counts for which the verdict is one about channels without bound; if there is none,
/// the first that is compatible; else the last. Where something runs out on the way the last one counts: with more of it, a larger
/// capacity might settle it otherwise.
///
/// # Panics
/// If there is no initial state, or no capacity to try.
pub fn compatibility(
    program: &Program,
    machines: &SessionMachines,
    options: &mut CompatibilityOptions<'_>,
) -> CompatibilityAnswer {
    let directed = machines.are_directed();
    let mut attempts: Vec<Attempt> = Vec::new();
    let (mut settled, mut stopped) = (false, None);
    let several = options.capacities.start() < options.capacities.end();
    for k in options.capacities.clone() {
        let system = Interpreter::new(SessionMachines::with_capacity(program, k));
        let system = Arc::new(system.unwrap_or_else(|fault| panic!("{} at the start", fault.cause.text())));
        let attempt = attempt(k, system, machines, options);
        settled = attempt.scope(directed).is_unbounded();
        stopped = attempt.verdict().limit().or(attempt.undecided().filter(|_| several && !settled));
        attempts.push(attempt);
        if settled || stopped.is_some() {
            break;
        }
    }
    let last = attempts.len().checked_sub(1).expect("there is a capacity to try");
    let compatible = attempts.iter().position(Attempt::is_compatible);
    let decisive = if settled || stopped.is_some() { last } else { compatible.unwrap_or(last) };
    CompatibilityAnswer { attempts, decisive, stopped }
}

fn attempt(
    k: u32,
    system: Arc<Interpreter>,
    machines: &SessionMachines,
    options: &mut CompatibilityOptions<'_>,
) -> Attempt {
    let unknown = |limit| Verdict::Unknown(limit);
    let graph = match CapacityGraph::record(&system, options.memory, options.watch) {
        Ok(graph) => graph,
        Err((limit, counters)) => {
            let [exhaustive, reception, progress] = [limit; 3].map(unknown);
            let (never_full, output, input) = (false, None, None);
            return Attempt {
                k,
                system,
                exhaustive,
                reception,
                progress,
                never_full,
                output,
                input,
                counters,
            };
        }
    };
    // What was found becomes a run of the program.
    let verdict = |found: Result<Found, Limit>| match found {
        Ok(None) => Verdict::Holds(Coverage::Exhaustive),
        Ok(Some((flaw, steps))) => {
            Verdict::Fails(Breach { flaw, steps: graph::transitions(&system, machines, &steps) })
        }
        Err(limit) => unknown(limit),
    };
    // A list of marks is what a walk backwards needs.
    let fits = graph.bytes() + graph.len() as usize <= options.memory;
    let watch = &mut *options.watch;
    let watch = &mut |counters: &Counters| if fits { watch(counters) } else { Some(Limit::Memory) };
    let never_full = !duties::is_ever_full(&graph, machines);
    let exhaustive = verdict(duties::no_room(&graph, machines, watch));
    let reception = verdict(duties::orphan(&graph, machines, watch));
    let progress = verdict(duties::stuck(&graph, machines, watch));
    // If it is not exhaustive, or all was seen, the conditions make no difference.
    let matters = matches!(exhaustive, Verdict::Holds(_)) && !never_full;
    let output = matters.then(|| verdict(Ok(conditions::output_choice(&graph, machines))));
    let input = matters.then(|| verdict(conditions::input_choice(&graph, machines, options.memory, watch)));
    let counters = graph.counters();
    Attempt { k, system, exhaustive, reception, progress, never_full, output, input, counters }
}
