//! Can a channel grow for ever? (unbounded-fifo-channels-1990; on-the-fly-verification-1993, 4.3)
//!
//! Unboundedness is undecidable, so the answer has three values, and several methods are tried, from the cheapest on:
//!
//! 1. the static test ([`static_bound`]): linear inequalities over how often what can happen, with a certificate;
//! 2. the same with channels as bags ([`bags`]): the tree of Karp and Miller, as far as it is small;
//! 3. what is known of two machines that take turns ([`classes`]), with the bounds that follow from it;
//! 4. if these bound every channel, a walk through the finitely many states tells how many messages each channel really
//!    holds at the most. Otherwise the search for a pair of states between which something can be repeated for ever
//!    ([`theta`]), which at the same time proves boundedness if it comes to an end;
//! 5. a search that runs into a limit says nothing: it may have fallen into a branch that grows without repeating itself,
//!    or its memory may have pruned the branch with the pair. So others are tried, without memory, in another order,
//!    breadth first, and then all again with more of everything, until what the user grants is used up.
//!
//! [`classes`] says for which systems the search would come to an end if it were given the time.
//!
//! The question is about the channels without bound of a program: those of communicating machines, and those of other
//! languages after their capacities have been [lifted](lift).

pub mod bags;
pub mod classes;
mod clock;
pub mod explore;
pub mod lift;
pub mod linear;
pub mod observe;
pub mod points;
pub mod pump;
pub mod skeleton;
pub mod static_bound;
pub mod stream;
pub mod theta;
pub mod view;

use classes::Class;
use elnath_kernel::{Counters, Coverage, Limit, Transition, Verdict, Watch};
use elnath_program::Interpreter;
use elnath_program::ir::{Capacity, Init};
use linear::Ratio;
use observe::observe;
use points::{Points, Site};
use pump::Pumped;
use skeleton::Skeleton;
use static_bound::StaticBound;
use std::collections::BTreeMap;
use theta::{Figures, Found, PairCondition, PairSearch, PairSearchPlan, Peaks};
use view::{Fifos, ProgramFifos, channel_name};

/// How the question is asked, and what the answer may cost.
pub struct BoundednessOptions<'a> {
    /// What is asked of a pair of states.
    pub relation: PairCondition,
    /// The only search that is made; by default all are tried.
    pub search: Option<PairSearch>,
    /// How many of the latest states of a branch a new one is compared with.
    pub window: usize,
    /// Whether the static methods are used.
    pub statically: bool,
    /// Longest branch.
    pub depth: usize,
    /// Most transitions fired, in all searches together.
    pub firings: u64,
    /// Bytes for states.
    pub memory: usize,
    /// The seed of everything random.
    pub seed: u64,
    /// Called now and then with the figures of the search that is running; a returned limit stops it.
    pub watch: &'a mut Watch<'a>,
}

/// The answer.
#[derive(Debug)]
pub struct BoundednessAnswer {
    /// Whether all channels are bounded, which is always a proof; what floods one, if not.
    pub verdict: Verdict<Box<Flood>>,
    /// Why they are bounded, if they are.
    pub reason: Option<Reason>,
    /// What is known of each channel without bound.
    pub channels: Vec<ChannelAnswer>,
    /// The class of the system, if it is one for which unboundedness is decided.
    pub class: Option<Class>,
    /// The searches that were made.
    pub stages: Vec<PairSearchReport>,
}

/// Why channels are bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// There is no channel without bound.
    NoChannels,
    /// All states were seen.
    Explored,
    /// By the static methods; not all states were seen.
    Static,
    /// By what is known of its class; not all states were seen.
    Class,
}

impl Reason {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Reason::NoChannels => "no channels",
            Reason::Explored => "explored",
            Reason::Static => "static",
            Reason::Class => "class",
        }
    }
}

/// How a channel grows.
#[derive(Clone, Debug)]
pub struct Flood {
    /// The run to where the repetition begins.
    pub prefix: Vec<Transition>,
    /// The repetition, as often as it was tried.
    pub pumped: Pumped,
    /// For each growing channel: its name, and its contents before the first round and after each, for people.
    pub growing: Vec<(String, Vec<String>)>,
}

/// What is known of a channel.
#[derive(Clone, Debug)]
pub struct ChannelAnswer {
    /// Its name.
    pub name: String,
    /// The most messages it held, as far as was seen, also in the middle of a transition.
    pub longest: usize,
    /// A run at the end of which it held that many.
    pub run: Vec<Transition>,
    /// It never holds more than this.
    pub bound: Option<Bound>,
    /// It is among those that grow for ever.
    pub grows: bool,
    /// It is watched so closely that the prefix argument does not apply to it, by this.
    pub watched: Option<&'static str>,
}

/// A bound that was not found by walking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The most messages.
    pub most: u64,
    /// By which method.
    pub by: &'static str,
    /// The certificate of the static test: what has weight in it, and how much.
    pub weights: Vec<(String, Ratio)>,
}

/// A search that was made.
#[derive(Clone, Debug)]
pub struct PairSearchReport {
    /// Which.
    pub search: PairSearch,
    /// What it ran out of, if it did.
    pub limit: Option<Limit>,
    /// What it did.
    pub figures: Figures,
}

/// The transitions of the first searches; each next round of them has eight times as many.
const FIRST_FIRINGS: u64 = 10_000;
/// The longest branch of the first searches; each next round of them has four times that.
const FIRST_DEPTH: usize = 500;
/// The tree of bags is not made larger.
const MOST_BAGS: usize = 20_000;

/// Answers the question for a program. It should [keep all ways](Interpreter::keeping_all_ways) through its atomic
/// sequences apart.
pub fn boundedness(system: &Interpreter, options: &mut BoundednessOptions<'_>) -> BoundednessAnswer {
    let program = system.program();
    let points = Points::new(program);
    let observed = observe(program, &points);
    let (bounds, class) = static_answers(system, &points, options);
    let mut fifos = ProgramFifos::new(system, &observed);
    let mut walk = Stages { system, fifos: &mut fifos, options, peaks: Peaks::new(), stages: Vec::new() };
    let root = system.initial_state().to_vec();
    let unbounded_sites: Vec<Site> =
        points.sites().iter().copied().filter(|&site| is_unbounded(system, site)).collect();
    let bounded = unbounded_sites.iter().all(|site| bounds.contains_key(site));
    let found = if unbounded_sites.is_empty() {
        None
    } else if bounded {
        Some(walk.explore(&root))
    } else {
        Some(walk.search(&root))
    };
    let holds = |reason| (Verdict::Holds(Coverage::Exhaustive), Some(reason));
    let (verdict, reason) = match found {
        None => holds(Reason::NoChannels),
        Some(Found::Closed) => holds(Reason::Explored),
        Some(Found::Pair(pair)) => (Verdict::Fails(Box::new(flood(walk.fifos, *pair))), None),
        Some(Found::Limit(_)) if bounded => {
            let by_class = unbounded_sites.iter().any(|site| bounds[site].by == classes::HALF_DUPLEX);
            holds(if by_class { Reason::Class } else { Reason::Static })
        }
        Some(Found::Limit(limit)) => (Verdict::Unknown(limit), None),
    };
    let Stages { peaks, stages, .. } = walk;
    let growing: Vec<String> = match &verdict {
        Verdict::Fails(flood) => flood.growing.iter().map(|(name, _)| name.clone()).collect(),
        _ => Vec::new(),
    };
    let mut channels = Vec::new();
    for (number, peak) in peaks {
        let (state, site) = existing(system, &peak.state, &peak.run, number);
        let name = channel_name(system, &state, number);
        channels.push(ChannelAnswer {
            longest: peak.length,
            run: peak.run,
            bound: site.and_then(|site| bounds.get(&site).cloned()),
            grows: growing.contains(&name),
            watched: site.and_then(|site| observed.close.get(&site).copied()),
            name,
        });
    }
    // Where there is nothing to ask about there is nothing to decide.
    let class = class.filter(|_| !unbounded_sites.is_empty());
    BoundednessAnswer { verdict, reason, channels, class, stages }
}

/// The bounds that the static methods give, by where channels are made, and the class.
fn static_answers(
    system: &Interpreter,
    points: &Points<'_>,
    options: &mut BoundednessOptions<'_>,
) -> (BTreeMap<Site, Bound>, Option<Class>) {
    let skeleton = Skeleton::new(system.program(), points);
    let wanted = options.statically;
    // When the time is over this ends, and the search that comes next says so.
    let mut go_on = || wanted && (options.watch)(&Counters::default()).is_none();
    let linear: Vec<Option<StaticBound>> = static_bound::static_bounds(&skeleton, &mut go_on);
    let mut bounds: Vec<Option<Bound>> = linear
        .into_iter()
        .map(|bound| {
            bound.map(|StaticBound { most, weights }| Bound { most, by: "linear inequalities", weights })
        })
        .collect();
    let add = |bounds: &mut Vec<Option<Bound>>, more: Option<Vec<Option<u64>>>, by: &'static str| {
        for (bound, more) in bounds.iter_mut().zip(more.unwrap_or_default()) {
            if let (None, Some(most)) = (&bound, more) {
                *bound = Some(Bound { most, by, weights: Vec::new() });
            }
        }
    };
    if wanted && bounds.iter().any(Option::is_none) {
        add(&mut bounds, bags::bag_bounds(&skeleton, MOST_BAGS, &mut go_on), "bags");
    }
    let bounded: Vec<bool> = bounds.iter().map(Option::is_some).collect();
    let class = classes::classify(&skeleton, &bounded).map(|(class, own)| {
        add(&mut bounds, own, classes::HALF_DUPLEX);
        class
    });
    let by_site = skeleton.channels.iter().zip(bounds);
    (by_site.filter_map(|(channel, bound)| Some((channel.site, bound?))).collect(), class)
}

fn is_unbounded(system: &Interpreter, site: Site) -> bool {
    let program = system.program();
    let variables = match site.owner {
        Some(process) => &program.processes[process.index()].locals,
        None => &program.globals,
    };
    match variables[site.variable as usize].init {
        Init::Channel(kind) => program.channels[kind.index()].capacity == Capacity::Unbounded,
        _ => false,
    }
}

/// A state in which the channel with this number exists, and where it is made: the state in which the run's last
/// transition began, or the one that it led to.
fn existing(
    system: &Interpreter,
    state: &[u8],
    run: &[Transition],
    number: usize,
) -> (Vec<u8>, Option<Site>) {
    if let Some(site) = site_of(system, state, number) {
        return (state.to_vec(), Some(site));
    }
    let (mut next, mut events) = (Vec::new(), Vec::new());
    if let Some(&last) = run.last() {
        let _ = system.recorder().fire(state, last, &mut next, &mut events);
    }
    let site = site_of(system, &next, number);
    (if site.is_some() { next } else { state.to_vec() }, site)
}

/// Where the channel with this number was made.
fn site_of(system: &Interpreter, state: &[u8], number: usize) -> Option<Site> {
    let program = system.program();
    let mut left = number;
    let mut find = |owner, variables: &[elnath_program::ir::Variable]| {
        for (index, variable) in variables.iter().enumerate() {
            let Init::Channel(_) = variable.init else { continue };
            let count = variable.len() as usize;
            if left < count {
                return Some(Site { owner, variable: index as u32, element: left as u32 });
            }
            left -= count;
        }
        None
    };
    if let Some(site) = find(None, &program.globals) {
        return Some(site);
    }
    if state.is_empty() {
        return None;
    }
    let mut tables = elnath_program::layout::Tables::default();
    tables.read(system.layout(), state);
    tables.processes.iter().find_map(|&at| {
        let kind = state[at as usize];
        let owner = Some(elnath_program::ir::ProcessId(u32::from(kind)));
        find(owner, &program.processes[kind as usize].locals)
    })
}

struct Stages<'s, 'o, 'w> {
    system: &'s Interpreter,
    fifos: &'s mut dyn Fifos,
    options: &'o mut BoundednessOptions<'w>,
    peaks: Peaks,
    stages: Vec<PairSearchReport>,
}

impl Stages<'_, '_, '_> {
    /// Walks through the states of a system that is known to be bounded.
    fn explore(&mut self, root: &[u8]) -> Found {
        if let Some(search) = self.options.search {
            return self.stage(root, search, self.options.depth, self.options.firings);
        }
        let mut limits = explore::Limits {
            depth: self.options.depth,
            firings: self.options.firings,
            memory: self.options.memory,
            watch: &mut *self.options.watch,
        };
        let (limit, figures) = explore::explore(self.fifos, root, &mut limits, &mut self.peaks);
        self.stages.push(PairSearchReport { search: PairSearch::BreadthFirst, limit, figures });
        match limit {
            None => Found::Closed,
            // Depth first can forget.
            Some(Limit::Memory) => {
                self.stage(root, PairSearch::DepthFirst, self.options.depth, self.options.firings)
            }
            Some(limit) => Found::Limit(limit),
        }
    }

    /// One search after the other.
    fn search(&mut self, root: &[u8]) -> Found {
        if let Some(search) = self.options.search {
            return self.stage(root, search, self.options.depth, self.options.firings);
        }
        let (mut firings, mut depth) = (FIRST_FIRINGS, FIRST_DEPTH);
        loop {
            let depth_now = depth.min(self.options.depth);
            for search in [
                PairSearch::DepthFirst,
                PairSearch::WithoutMemory,
                PairSearch::Backwards,
                PairSearch::BreadthFirst,
            ] {
                let share = if search == PairSearch::WithoutMemory { firings / 4 } else { firings };
                let left = self.options.firings.saturating_sub(self.fired());
                let found = self.stage(root, search, depth_now, share.min(left));
                let over = match &found {
                    Found::Closed | Found::Pair(_) => true,
                    Found::Limit(Limit::Depth | Limit::States) => self.fired() >= self.options.firings,
                    // Another search may need less memory.
                    Found::Limit(Limit::Memory) => search == PairSearch::BreadthFirst,
                    Found::Limit(_) => true,
                };
                if over {
                    return found;
                }
            }
            // Every search was stopped by the user's own limit on depth.
            let last = &self.stages[self.stages.len() - 4..];
            if depth_now == self.options.depth && last.iter().all(|stage| stage.limit == Some(Limit::Depth)) {
                return Found::Limit(Limit::Depth);
            }
            firings = firings.saturating_mul(8);
            depth = depth.saturating_mul(4);
        }
    }

    fn fired(&self) -> u64 {
        self.stages.iter().map(|stage| stage.figures.fired).sum()
    }

    fn stage(&mut self, root: &[u8], search: PairSearch, depth: usize, firings: u64) -> Found {
        let mut plan = PairSearchPlan {
            search,
            relation: self.options.relation,
            window: self.options.window,
            depth,
            firings,
            memory: self.options.memory,
            seed: self.options.seed,
            watch: &mut *self.options.watch,
        };
        let (found, figures) = theta::search(self.fifos, root, &mut plan, &mut self.peaks);
        let limit = if let Found::Limit(limit) = found { Some(limit) } else { None };
        self.stages.push(PairSearchReport { search, limit, figures });
        debug_assert_eq!(root, self.system.initial_state(), "searches begin at the beginning");
        found
    }
}

/// The pair for people.
fn flood(fifos: &dyn Fifos, (prefix, pumped): (Vec<Transition>, Pumped)) -> Flood {
    let state = &pumped.states[0];
    let growing = pumped.growing.iter().map(|&channel| {
        let name = fifos.name(state, fifos.number(state, channel));
        let shown = pumped.contents.iter().take(4);
        let contents =
            shown.map(|contents| theta::show_content(fifos, state, channel, &contents[channel])).collect();
        (name, contents)
    });
    let growing = growing.collect();
    Flood { prefix, pumped, growing }
}
