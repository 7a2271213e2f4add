//! Classes of systems for which the search is a decision procedure: it comes to an end, if it is given the time.
//!
//! | class | what is looked at | why |
//! |---|---|---|
//! | one letter | every channel carries one message only | queues are counters: a Petri net, and th93 is the comparison of Karp and Miller |
//! | monogeneous | what is sent on a channel is a prefix of u.v.v.v... for one of finitely many u, v | theorem 4 of unbounded-fifo-channels-1990 |
//! | linear | ... of a1 a1 .. a2 a2 .. an an .. for letters a1 to an | the same |
//! | linear on words | ... of w1 w1 .. w2 w2 .. wn wn .. for words w1 to wn | the same |
//! | half-duplex | two machines, and never are both channels nonempty | Cécé and Finkel 2005: what is reachable is what is reachable synchronously, and then by sends of one machine |
//!
//! What is sent on a channel is taken from the machine that sends, alone: the prefixes of a regular language, which is of
//! the form w1* .. wn* exactly if in its deterministic automaton no state is on two cycles. That may be more than what is
//! ever sent, so that a system of a class may go unrecognised; one that is recognised is in it. A channel that is
//! statically bounded may carry anything: infinitely many states of a branch agree on it.

use crate::skeleton::Skeleton;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A class of systems for which unboundedness is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Every channel carries one message only.
    OneLetter,
    /// What is sent on each channel repeats one word from some point on.
    Monogeneous,
    /// What is sent on each channel repeats letters, one after the other.
    Linear,
    /// What is sent on each channel repeats words, one after the other.
    LinearOnWords,
    /// Two machines that take turns.
    HalfDuplex,
}

impl Class {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Class::OneLetter => "one letter",
            Class::Monogeneous => "monogeneous",
            Class::Linear => "linear",
            Class::LinearOnWords => "linear on words",
            Class::HalfDuplex => HALF_DUPLEX,
        }
    }
}

/// How bounds that are known of two machines that take turns are called.
pub const HALF_DUPLEX: &str = "half-duplex";

/// The class of a system, and the bounds that the class itself gives; `bounded` says which channels are statically.
pub fn classify(skeleton: &Skeleton, bounded: &[bool]) -> Option<(Class, Option<Vec<Option<u64>>>)> {
    if !skeleton.exact {
        return None;
    }
    let channels = 0..skeleton.channels.len();
    if channels.clone().all(|channel| skeleton.letters_of(channel).count() <= 1) {
        return Some((Class::OneLetter, None));
    }
    let half_duplex = half_duplex(skeleton);
    let mut shapes = channels.filter(|&channel| !bounded[channel]).map(|channel| shape(skeleton, channel));
    match shapes.try_fold(Shape::Monogeneous, |worst, shape| shape.map(|shape| worst.max(shape))) {
        Some(Shape::Monogeneous) => Some((Class::Monogeneous, half_duplex)),
        Some(Shape::Linear) => Some((Class::Linear, half_duplex)),
        Some(Shape::Words) => Some((Class::LinearOnWords, half_duplex)),
        None => half_duplex.map(|bounds| (Class::HalfDuplex, Some(bounds))),
    }
}

/// The language of what is sent on a channel, from the narrowest to the widest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shape {
    Monogeneous,
    Linear,
    Words,
}

/// A deterministic automaton all of whose states accept.
type Automaton = Vec<BTreeMap<usize, usize>>;

/// Larger automata are not made.
const MOST_STATES: usize = 2000;

fn shape(skeleton: &Skeleton, channel: usize) -> Option<Shape> {
    let sends = |moves: &crate::skeleton::Move| {
        moves.puts.iter().any(|&letter| skeleton.letters[letter].0 == channel)
    };
    let senders: BTreeSet<usize> =
        skeleton.moves.iter().filter(|made| sends(made)).map(|made| made.component).collect();
    if skeleton.letters_of(channel).count() <= 1 {
        return Some(Shape::Monogeneous);
    }
    let mut senders = senders.into_iter();
    let (sender, more) = (senders.next(), senders.next());
    if more.is_some() {
        return None;
    }
    let Some(sender) = sender else { return Some(Shape::Monogeneous) };
    let automaton = automaton(skeleton, sender, channel)?;
    let edges: Vec<Vec<usize>> = automaton.iter().map(|edges| edges.values().copied().collect()).collect();
    let component = components(&edges);
    let mut cyclic: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (state, edges) in automaton.iter().enumerate() {
        let inner: Vec<usize> = edges
            .iter()
            .filter(|(_, to)| component[**to] == component[state])
            .map(|(&letter, _)| letter)
            .collect();
        match inner[..] {
            [] => {}
            [letter] => drop(cyclic.entry(component[state]).or_default().insert(letter)),
            _ => return None,
        }
    }
    let monogeneous = cyclic.keys().all(|&from| {
        let begin = (0..automaton.len()).find(|&state| component[state] == from).expect("it has states");
        let reached = reachable(&edges, [begin]);
        (0..automaton.len()).all(|state| {
            !reached[state] || component[state] == from || !cyclic.contains_key(&component[state])
        })
    });
    Some(match monogeneous {
        true => Shape::Monogeneous,
        false if cyclic.values().all(|letters| letters.len() == 1) => Shape::Linear,
        false => Shape::Words,
    })
}

/// What a component sends on a channel, whatever else it does.
fn automaton(skeleton: &Skeleton, component: usize, channel: usize) -> Option<Automaton> {
    let mut edges: Vec<Vec<(Option<usize>, usize)>> =
        vec![Vec::new(); skeleton.components[component].locations.len()];
    for made in skeleton.moves.iter().filter(|made| made.component == component) {
        let Some(to) = made.to else { continue };
        let word: Vec<usize> =
            made.puts.iter().copied().filter(|&letter| skeleton.letters[letter].0 == channel).collect();
        let mut at = made.from;
        for (index, &letter) in word.iter().enumerate() {
            let next = if index + 1 == word.len() { to } else { edges.len() };
            if next == edges.len() {
                edges.push(Vec::new());
            }
            edges[at].push((Some(letter), next));
            at = next;
        }
        if word.is_empty() {
            edges[at].push((None, to));
        }
    }
    let close = |mut set: BTreeSet<usize>| {
        let mut todo: Vec<usize> = set.iter().copied().collect();
        while let Some(state) = todo.pop() {
            let silent = edges[state].iter().filter(|(letter, _)| letter.is_none()).map(|&(_, to)| to);
            todo.extend(silent.filter(|&to| set.insert(to)));
        }
        set
    };
    let begin = close(BTreeSet::from([skeleton.components[component].entry]));
    let mut numbers: HashMap<BTreeSet<usize>, usize> = HashMap::from([(begin.clone(), 0)]);
    let (mut sets, mut made) = (vec![begin], Automaton::new());
    while made.len() < sets.len() {
        let mut targets: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for &state in &sets[made.len()] {
            for &(letter, to) in &edges[state] {
                if let Some(letter) = letter {
                    targets.entry(letter).or_default().insert(to);
                }
            }
        }
        let mut row = BTreeMap::new();
        for (letter, set) in targets {
            let set = close(set);
            let number = *numbers.entry(set.clone()).or_insert_with(|| {
                sets.push(set);
                sets.len() - 1
            });
            row.insert(letter, number);
        }
        made.push(row);
        if sets.len() > MOST_STATES {
            return None;
        }
    }
    Some(made)
}

/// The strongly connected component of each state of a small graph, as a number.
fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    let forward: Vec<Vec<bool>> = (0..edges.len()).map(|state| reachable(edges, [state])).collect();
    let representative = |state: usize| {
        (0..edges.len())
            .find(|&other| forward[state][other] && forward[other][state])
            .expect("itself at least")
    };
    (0..edges.len()).map(representative).collect()
}

fn reachable(edges: &[Vec<usize>], from: impl IntoIterator<Item = usize>) -> Vec<bool> {
    let mut seen = vec![false; edges.len()];
    let mut todo: Vec<usize> = from.into_iter().collect();
    while let Some(state) = todo.pop() {
        if !std::mem::replace(&mut seen[state], true) {
            todo.extend(edges[state].iter().copied());
        }
    }
    seen
}

/// If two machines never fill both channels at once: the bound of each channel, where it has one.
///
/// Then every reachable state is one reached synchronously, each message taken as soon as it is put, followed by sends of
/// one machine. So the property fails exactly if both can send in a state reached synchronously; and a channel has no
/// bound exactly if its sender can go around a cycle of sends (and silent moves) from such a state.
fn half_duplex(skeleton: &Skeleton) -> Option<Vec<Option<u64>>> {
    if skeleton.components.len() != 2
        || skeleton.channels.len() > 2
        || skeleton.channels.iter().any(|channel| !channel.contents.is_empty())
        || skeleton.moves.iter().any(|made| made.takes.len() + made.puts.len() > 1)
    {
        return None;
    }
    // Each channel has one sender, and one receiver who is the other.
    let mut sender = vec![None; skeleton.channels.len()];
    for made in &skeleton.moves {
        for (&letter, who) in made
            .puts
            .iter()
            .map(|letter| (letter, made.component))
            .chain(made.takes.iter().map(|letter| (letter, 1 - made.component)))
        {
            let channel = skeleton.letters[letter].0;
            if *sender[channel].get_or_insert(who) != who {
                return None;
            }
        }
    }
    if sender.len() == 2 && sender[0].is_some() && sender[0] == sender[1] {
        return None;
    }
    let mut stable: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut todo = vec![(skeleton.components[0].entry, skeleton.components[1].entry)];
    while let Some(pair) = todo.pop() {
        if !stable.insert(pair) {
            continue;
        }
        let here = [pair.0, pair.1];
        let from = |component: usize| {
            skeleton
                .moves
                .iter()
                .filter(move |made| made.component == component && made.from == here[component])
        };
        let can_send = |component: usize| from(component).any(|made| !made.puts.is_empty());
        if can_send(0) && can_send(1) {
            return None;
        }
        for component in 0..2 {
            for made in from(component) {
                let to = made.to?;
                let moved =
                    |one: usize, other: usize| if component == 0 { (one, other) } else { (other, one) };
                if let Some(letter) = made.puts.first() {
                    let taking = from(1 - component).filter(|taken| taken.takes.first() == Some(letter));
                    todo.extend(taking.filter_map(|taken| taken.to).map(|other| moved(to, other)));
                } else if made.takes.is_empty() {
                    todo.push(moved(to, here[1 - component]));
                }
            }
        }
    }
    let bound = |(channel, sender): (usize, &Option<usize>)| {
        let Some(sender) = *sender else { return Some(0) };
        let begin = stable.iter().map(|pair| if sender == 0 { pair.0 } else { pair.1 });
        longest_sending(skeleton, sender, channel, &begin.collect())
    };
    Some(sender.iter().enumerate().map(bound).collect())
}

/// The most sends in a row from one of these locations; `None` if there is no most.
fn longest_sending(
    skeleton: &Skeleton,
    sender: usize,
    channel: usize,
    begin: &BTreeSet<usize>,
) -> Option<u64> {
    let count = skeleton.components[sender].locations.len();
    let mut edges: Vec<Vec<(usize, u64)>> = vec![Vec::new(); count];
    for made in skeleton.moves.iter().filter(|made| made.component == sender && made.takes.is_empty()) {
        let on = made.puts.iter().filter(|&&letter| skeleton.letters[letter].0 == channel).count() as u64;
        edges[made.from].extend(made.to.map(|to| (to, on)));
    }
    // Relaxation: after as many passes as there are locations, only a cycle that sends still changes something.
    let mut longest: Vec<Option<u64>> = (0..count).map(|at| begin.contains(&at).then_some(0)).collect();
    for pass in 0..=count {
        let mut changed = false;
        for from in 0..count {
            let Some(sent) = longest[from] else { continue };
            for &(to, on) in &edges[from] {
                if longest[to].is_none_or(|known| known < sent + on) {
                    longest[to] = Some(sent + on);
                    changed = true;
                }
            }
        }
        if !changed {
            return Some(longest.into_iter().flatten().max().unwrap_or(0));
        }
        if pass == count {
            return None;
        }
    }
    None
}
