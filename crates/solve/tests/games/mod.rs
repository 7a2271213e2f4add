//! Random games, and their values by definition.

use elnath_kernel::rng::Rng;
use elnath_solve::proof::Proof;
use elnath_solve::table::{Hashed, mix};
use elnath_solve::{Account, Candidate, Class, Game, Obligation, Refutations, Rule, Vertex};
use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;

/// The name of a vertex that is no small number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Name(pub(crate) u64);

impl Vertex for Name {
    type Table = Hashed<Self>;

    const NONE: Self = Name(u64::MAX);

    fn mixed(self) -> u64 {
        mix(self.0)
    }
}

/// The account of a game that counts what is spent and never runs out.
macro_rules! counts_only {
    ($game:ty) => {
        impl Account for $game {
            type Stop = Infallible;

            fn work(&mut self, amount: usize) -> Result<(), Infallible> {
                self.spent += amount as u64;
                Ok(())
            }

            fn occupy(&mut self, _: usize, _: u64) -> Result<(), Infallible> {
                self.work(1)
            }

            fn spent(&self) -> u64 {
                self.spent
            }
        }
    };
}

counts_only!(General);
counts_only!(Plain);

/// A game of one block, of which each vertex is a conjunction of disjunctions of one or two vertices. It is only asked about the value of cycles.
#[derive(Clone, Debug)]
pub(crate) struct General {
    pub(crate) cycle: bool,
    pub(crate) vertices: Vec<Name>,
    /// By vertex and code, the candidates; some numbers stand for none.
    pub(crate) obligations: BTreeMap<(Name, u32), Vec<Option<Candidate<Name>>>>,
    spent: u64,
}

impl General {
    pub(crate) fn random(rng: &mut Rng) -> Self {
        let count = 1 + rng.below(12);
        let vertices: Vec<Name> = (0..count).map(|at| Name(at << 40 | at)).collect();
        // Without a choice in every other game.
        let (most, several) = (1 + rng.below(4), rng.below(2));
        let mut obligations = BTreeMap::new();
        for &vertex in &vertices {
            for code in 0..rng.below(4) as u32 {
                let candidate = |rng: &mut Rng| {
                    let target = rng.pick(&vertices);
                    let also = rng.chance(20).then(|| rng.pick(&vertices));
                    rng.chance(92).then_some(Candidate { target, also })
                };
                let len = if rng.chance(6) { 0 } else { 1 + several * rng.below(most) };
                obligations.insert((vertex, 7 * code), (0..len).map(|_| candidate(rng)).collect());
            }
        }
        Self { cycle: rng.chance(50), vertices, obligations, spent: 0 }
    }

    /// The vertices that do not have the value of cycles, each with the round that says so.
    pub(crate) fn ranks(&self) -> BTreeMap<Name, u32> {
        let mut ranks = BTreeMap::new();
        for round in 1.. {
            let fails = |((vertex, _), candidates): (&(Name, u32), &Vec<Option<Candidate<Name>>>)| {
                let down =
                    |candidate: &Candidate<Name>| candidate.vertices().any(|met| ranks.contains_key(&met));
                candidates.iter().flatten().all(down).then_some(*vertex)
            };
            let fallen: Vec<Name> = self
                .obligations
                .iter()
                .filter_map(fails)
                .filter(|vertex| !ranks.contains_key(vertex))
                .collect();
            if fallen.is_empty() {
                break;
            }
            ranks.extend(fallen.into_iter().map(|vertex| (vertex, round)));
        }
        ranks
    }
}

impl Game for General {
    type Vertex = Name;

    const GLANCES: bool = true;

    /// A third of those that fail by themselves are seen to.
    fn glance(&mut self, vertex: Name) -> Result<Option<bool>, Infallible> {
        let mut own = self.obligations.range((vertex, 0)..=(vertex, u32::MAX));
        let fails = own.any(|(_, list)| list.is_empty());
        Ok((fails && vertex.mixed().is_multiple_of(3)).then_some(!self.cycle))
    }

    fn obligations(
        &mut self,
        vertex: Name,
        value: bool,
        out: &mut Vec<Obligation>,
    ) -> Result<(), Infallible> {
        assert_eq!(value, self.cycle, "nothing else is asked of such a game");
        let own = self.obligations.range((vertex, 0)..=(vertex, u32::MAX));
        out.clear();
        out.extend(own.map(|((_, code), list)| Obligation { code: *code, first: 0, len: list.len() as u32 }));
        if let Some(&failing) = out.iter().find(|obligation| obligation.len == 0) {
            *out = vec![failing];
        }
        Ok(())
    }

    fn candidate(&self, vertex: Name, obligation: Obligation, number: u32) -> Option<Candidate<Name>> {
        self.obligations[&(vertex, obligation.code)][number as usize]
    }

    fn class(&self, _: Name) -> Class {
        Class { block: 0, rule: Rule::Mixed(self.cycle), priority: if self.cycle { 2 } else { 1 } }
    }
}

/// A vertex of a plain game.
#[derive(Clone, Debug)]
pub(crate) enum PlainVertex {
    Value(bool),
    /// All successors, or some; among a disjunction's there are numbers that stand for none.
    Of {
        all: bool,
        to: Vec<Option<u32>>,
    },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Layer {
    pub(crate) rule: Rule,
}

/// A game in which each vertex is a conjunction or a disjunction of vertices of its own layer and of those below.
#[derive(Clone, Debug)]
pub(crate) struct Plain {
    pub(crate) vertices: Vec<PlainVertex>,
    pub(crate) layers: Vec<Layer>,
    /// By vertex: its layer and its priority.
    place: Vec<(usize, u32)>,
    spent: u64,
}

impl Plain {
    /// With at most so many vertices in a layer.
    pub(crate) fn random(rng: &mut Rng, most: u64) -> Self {
        let layers: Vec<Layer> = (0..1 + rng.below(4))
            .map(|_| {
                let cycle = rng.chance(50);
                let rule = match rng.below(7) {
                    0 => Rule::Once,
                    1 | 2 => Rule::SomeOf(cycle),
                    3 | 4 => Rule::AllOf(cycle),
                    5 => Rule::Mixed(cycle),
                    _ => Rule::Alternating,
                };
                Layer { rule }
            })
            .collect();
        let sizes: Vec<u64> = layers.iter().map(|_| 1 + rng.below(most)).collect();
        let place: Vec<(usize, u32)> = sizes
            .iter()
            .enumerate()
            .flat_map(|(layer, &size)| (0..size).map(move |_| layer))
            .map(|layer| (layer, Self::priority(rng, layers[layer].rule)))
            .collect();
        let vertex = |rng: &mut Rng, own: usize| {
            if rng.below(2 * most) == 0 {
                return PlainVertex::Value(rng.chance(50));
            }
            let all = match layers[own].rule {
                Rule::SomeOf(_) => false,
                Rule::AllOf(_) => true,
                _ => rng.chance(50),
            };
            let usable = |layer: usize| layer < own || layer == own && layers[own].rule != Rule::Once;
            let targets: Vec<u32> =
                (0..place.len() as u32).filter(|&to| usable(place[to as usize].0)).collect();
            let some = |rng: &mut Rng| (!targets.is_empty()).then(|| rng.pick(&targets));
            // Large games have few dead ends, or little of them would be reached.
            let least = 2 * u64::from(most > 5);
            let to = (0..least + rng.below(4)).map(|_| if !all && rng.chance(10) { None } else { some(rng) });
            PlainVertex::Of { all, to: to.filter(|to| to.is_some() || !all).collect() }
        };
        let vertices = place.iter().map(|&(layer, _)| vertex(rng, layer)).collect();
        Self { vertices, layers, place, spent: 0 }
    }

    fn priority(rng: &mut Rng, rule: Rule) -> u32 {
        match rule {
            Rule::Once => 0,
            Rule::SomeOf(cycle) | Rule::AllOf(cycle) | Rule::Mixed(cycle) => 1 + u32::from(cycle),
            Rule::Alternating => 1 + rng.below(4) as u32,
        }
    }

    /// The values by definition: a fixpoint for each priority, the larger ones outside, all of them begun anew whenever one further out has changed.
    pub(crate) fn values(&self) -> Vec<bool> {
        let most = self.place.iter().map(|&(_, priority)| priority).max().unwrap_or(0) as usize;
        let mut sets = vec![Vec::new(); most + 1];
        self.fixpoint(most, &mut sets)
    }

    fn fixpoint(&self, priority: usize, sets: &mut Vec<Vec<bool>>) -> Vec<bool> {
        sets[priority] = vec![priority.is_multiple_of(2); self.vertices.len()];
        loop {
            let next = match priority {
                0 => self.once(sets),
                _ => self.fixpoint(priority - 1, sets),
            };
            if next == sets[priority] {
                return next;
            }
            sets[priority] = next;
        }
    }

    fn once(&self, sets: &[Vec<bool>]) -> Vec<bool> {
        let value = |&to: &u32| sets[self.place[to as usize].1 as usize][to as usize];
        let of = |vertex: &PlainVertex| match vertex {
            PlainVertex::Value(value) => *value,
            PlainVertex::Of { all: true, to } => to.iter().flatten().all(value),
            PlainVertex::Of { all: false, to } => to.iter().flatten().any(value),
        };
        self.vertices.iter().map(of).collect()
    }
}

impl Game for Plain {
    type Vertex = u32;

    const GLANCES: bool = true;

    /// A third of those that have a value by themselves show it, and so do some that have successors of which one shows it and decides.
    fn glance(&mut self, vertex: u32) -> Result<Option<bool>, Infallible> {
        let shows = |at: u32| match self.vertices[at as usize] {
            PlainVertex::Value(value) if at.is_multiple_of(3) => Some(value),
            _ => None,
        };
        Ok(match &self.vertices[vertex as usize] {
            PlainVertex::Value(_) => shows(vertex),
            PlainVertex::Of { all, to } if vertex.is_multiple_of(2) => {
                to.iter().flatten().any(|&to| shows(to) == Some(!all)).then_some(!all)
            }
            PlainVertex::Of { .. } => None,
        })
    }

    fn obligations(&mut self, vertex: u32, value: bool, out: &mut Vec<Obligation>) -> Result<(), Infallible> {
        out.clear();
        let one = |first: u32, len: u32| Obligation { code: first, first, len };
        match &self.vertices[vertex as usize] {
            PlainVertex::Value(known) if *known == value => {}
            PlainVertex::Value(_) => out.push(one(0, 0)),
            PlainVertex::Of { all, to } if *all == value => {
                let some = |at: &u32| to[*at as usize].is_some();
                out.extend((0..to.len() as u32).filter(some).map(|first| one(first, 1)));
            }
            PlainVertex::Of { to, .. } => out.push(one(0, to.len() as u32)),
        }
        Ok(())
    }

    fn candidate(&self, vertex: u32, obligation: Obligation, number: u32) -> Option<Candidate<u32>> {
        let PlainVertex::Of { to, .. } = &self.vertices[vertex as usize] else {
            panic!("it has no candidates");
        };
        to[(obligation.first + number) as usize].map(Candidate::one)
    }

    fn class(&self, vertex: u32) -> Class {
        let (layer, priority) = self.place[vertex as usize];
        Class { block: layer as u32, rule: self.layers[layer].rule, priority }
    }
}

/// A general game with a vertex for each vertex, obligation and candidate.
pub(crate) struct Flat {
    pub(crate) game: Plain,
    pub(crate) root: u32,
    numbers: HashMap<Part, u32>,
}

/// A vertex of a general game, an obligation of it, or a candidate of that.
type Part = (Name, Option<(u32, Option<usize>)>);

impl Flat {
    pub(crate) fn of(general: &General) -> Self {
        let mut parts: Vec<Part> = general.vertices.iter().map(|&vertex| (vertex, None)).collect();
        for (&(vertex, code), candidates) in &general.obligations {
            parts.push((vertex, Some((code, None))));
            let there = candidates.iter().enumerate().filter(|(_, candidate)| candidate.is_some());
            parts.extend(there.map(|(at, _)| (vertex, Some((code, Some(at))))));
        }
        let numbers: HashMap<Part, u32> = (0..).zip(&parts).map(|(number, part)| (*part, number)).collect();
        let cycle = general.cycle;
        let below = |at: usize| {
            let (vertex, inner) = parts[at];
            let is_part = |&&other: &&Part| match (inner, other.1) {
                (None, Some((_, None))) => other.0 == vertex,
                (Some((code, None)), Some((of, Some(_)))) => other.0 == vertex && of == code,
                _ => false,
            };
            match inner {
                Some((code, Some(at))) => {
                    let candidate = general.obligations[&(vertex, code)][at].expect("it is there");
                    candidate.vertices().map(|met| Some(numbers[&(met, None)])).collect()
                }
                _ => parts.iter().filter(is_part).map(|part| Some(numbers[part])).collect(),
            }
        };
        // To have the value of cycles: a vertex needs all its obligations, an obligation some candidate, a candidate all its vertices.
        let all = |at: usize| matches!(parts[at].1, Some((_, None))) != cycle;
        let vertices = (0..parts.len()).map(|at| PlainVertex::Of { all: all(at), to: below(at) }).collect();
        let place = vec![(0, 1 + u32::from(cycle)); parts.len()];
        let game = Plain { vertices, layers: vec![Layer { rule: Rule::Mixed(cycle) }], place, spent: 0 };
        Self { game, root: 0, numbers }
    }

    /// A refutation as a proof.
    pub(crate) fn proof(&self, general: &General, root: Name, refutations: &impl Refutations<Name>) -> Proof {
        let mut vertices: Vec<(u32, Vec<u32>)> = Vec::new();
        let (mut todo, mut seen) = (vec![root], vec![root]);
        while let Some(vertex) = todo.pop() {
            let why = refutations.refuted(vertex).expect("it is refuted");
            let obligation = self.numbers[&(vertex, Some((why.code, None)))];
            vertices.push((self.numbers[&(vertex, None)], vec![obligation]));
            let mut candidates = Vec::new();
            for (at, candidate) in general.obligations[&(vertex, why.code)].iter().enumerate() {
                let Some(candidate) = candidate else { continue };
                let earlier =
                    |met: &Name| refutations.refuted(*met).is_some_and(|other| other.stamp < why.stamp);
                let met = candidate.vertices().find(earlier).expect("it was refuted before");
                let number = self.numbers[&(vertex, Some((why.code, Some(at))))];
                candidates.push((number, vec![self.numbers[&(met, None)]]));
                if !seen.contains(&met) {
                    seen.push(met);
                    todo.push(met);
                }
            }
            vertices.push((obligation, candidates.iter().map(|(number, _)| *number).collect()));
            vertices.extend(candidates);
        }
        Proof { value: !general.cycle, vertices }
    }
}

/// Nothing is left.
#[derive(Debug)]
pub(crate) struct Spent;

/// A game with an account of so many vertices.
pub(crate) struct Limited {
    pub(crate) game: Plain,
    pub(crate) left: u64,
}

impl Account for Limited {
    type Stop = Spent;

    fn work(&mut self, _: usize) -> Result<(), Spent> {
        Ok(())
    }

    fn occupy(&mut self, _: usize, _: u64) -> Result<(), Spent> {
        self.left = self.left.checked_sub(1).ok_or(Spent)?;
        Ok(())
    }

    fn spent(&self) -> u64 {
        0
    }
}

impl Game for Limited {
    type Vertex = u32;

    const GLANCES: bool = true;

    fn glance(&mut self, vertex: u32) -> Result<Option<bool>, Spent> {
        let Ok(told) = self.game.glance(vertex);
        Ok(told)
    }

    fn obligations(&mut self, vertex: u32, value: bool, out: &mut Vec<Obligation>) -> Result<(), Spent> {
        let Ok(()) = self.game.obligations(vertex, value, out);
        Ok(())
    }

    fn candidate(&self, vertex: u32, obligation: Obligation, number: u32) -> Option<Candidate<u32>> {
        self.game.candidate(vertex, obligation, number)
    }

    fn class(&self, vertex: u32) -> Class {
        self.game.class(vertex)
    }
}
