//! Depth first by components, for blocks in which one successor decides.
//!
//! A component lies within one block, so that all its cycles have one value (Tarjan 1972). In a block of disjunctions one true successor decides, in one of
//! conjunctions one false; so of both a vertex is asked what it needs to have the value that *decides*, which is a single obligation (Mateescu and Sighireanu 2003 tell
//! these cases apart):
//!
//! | cycles | what is done |
//! |---|---|
//! | do not decide ("can be reached") | one vertex that decides does so for all unfinished ones of the block, since they lead to it |
//! | decide ("can go on for ever") | so does an edge back into the path |
//!
//! A component that is complete and undecided has the other value. So no dependencies are kept: a vertex has one byte, and its order while it is open. Blocks
//! with both kinds of vertices are left to [`crate::watched`]: their first vertex is handed out ([`Turn::Needs`]).
//!
//! **Near things first.** Depth first, a walk may go far where one step would do. So all successors of a vertex are glanced at before one of them is entered; and
//! where a walk has gone on from the first vertex of a block for a while, a [`Look`] around that vertex goes breadth first. If nothing is found, the walk goes
//! on as far, then there is another look twice as wide, and so on, as long as looks cost a small part of the walk: what is near is found soon whichever way the walk has taken, in linear time as before.

use crate::below::Turn;
use crate::look::{Look, Seen};
use crate::table::{Pages, Vertex};
use crate::{Class, Game, Obligation, Rule};

const NEW: u8 = 0;
const OPEN: u8 = 1;
const FALSE: u8 = 2;
const TRUE: u8 = 3;

/// What is known of vertices: shared by the walks that follow each other.
#[derive(Debug, Default)]
pub(crate) struct Values {
    status: Pages<u8>,
    /// In which order open vertices were met.
    order: Pages<u32>,
    met: u32,
}

impl Values {
    pub(crate) fn value(&self, vertex: u32) -> Option<bool> {
        match self.status.get(vertex) {
            FALSE => Some(false),
            TRUE => Some(true),
            _ => None,
        }
    }

    pub(crate) fn was_met(&self, vertex: u32) -> bool {
        self.status.get(vertex) != NEW
    }

    pub(crate) fn decide(&mut self, vertex: u32, value: bool) {
        self.status.set(vertex, if value { TRUE } else { FALSE });
    }

    /// The value of a vertex that nothing is known of, if it has one by itself or its successors tell it. The vectors are room for work.
    pub(crate) fn at_once<G: Game<Vertex = u32>>(
        &mut self,
        game: &mut G,
        vertex: u32,
        obligations: &mut Vec<Obligation>,
        targets: &mut Vec<u32>,
    ) -> Result<Option<bool>, G::Stop> {
        let (decisive, _) = decisive(game.class(vertex).rule);
        game.obligations(vertex, decisive, obligations)?;
        let value = match obligations[..] {
            [] => Some(decisive),
            [Obligation { len: 0, .. }] => Some(!decisive),
            [obligation] => {
                game.targets(vertex, obligation, targets);
                let decides = |&to: &u32| to != u32::NONE && self.value(to) == Some(decisive);
                if targets.iter().any(decides) { Some(decisive) } else { None }
            }
            _ => None,
        };
        if let Some(value) = value {
            self.decide(vertex, value);
        }
        Ok(value)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.status.bytes() + self.order.bytes()
    }

    fn open(&mut self, vertex: u32) -> u32 {
        self.status.set(vertex, OPEN);
        let order = self.met;
        self.order.set(vertex, order);
        self.met += 1;
        order
    }
}

/// A vertex of the path.
struct Frame {
    vertex: u32,
    block: u32,
    /// The value that decides, and whether cycles have it.
    decisive: bool,
    cycles_decide: bool,
    /// Whether all candidates were glanced at.
    glanced: bool,
    /// What it needs to have it, and the first candidate that may still decide.
    obligation: Obligation,
    next: u32,
    /// The first open vertex that it leads to.
    low: u32,
    /// Where it lies on the stack of open vertices.
    base: u32,
}

/// A block that the path has entered.
struct Entry {
    /// The place of its first vertex on the path.
    at: usize,
    /// How many vertices the next look around it may cost, and how many are to be looked at before it.
    size: u32,
    due: u64,
}

/// The value that decides in blocks with a rule, and whether cycles have it.
pub(crate) fn decisive(rule: Rule) -> (bool, bool) {
    match rule {
        Rule::SomeOf(cycle) => (true, cycle),
        Rule::AllOf(cycle) => (false, !cycle),
        _ => (true, false),
    }
}

/// One walk, from a vertex without a value.
#[derive(Default)]
pub(crate) struct Walk {
    enter: Option<u32>,
    path: Vec<Frame>,
    /// The open vertices, in the order in which they were met.
    open: Vec<u32>,
    obligations: Vec<Obligation>,
    targets: Vec<u32>,
    entries: Vec<Entry>,
    look: Look,
    /// How many vertices of the root's block were on the path.
    of_first_block: usize,
}

/// How wide the first look around a vertex is, and how far the walk goes before it: to look at once cost more in the nets of the contest than it saved.
const FIRST_LOOK: u32 = 64;
/// All looks together may cost so many vertices, and this part of what the walks have looked at.
const FREE_LOOKS: u64 = 1 << 16;
const SHARE_OF_LOOKS: u64 = 8;

impl Walk {
    pub(crate) fn begin(&mut self, root: u32) {
        debug_assert!(self.path.is_empty() && self.open.is_empty() && self.entries.is_empty());
        self.enter = Some(root);
        self.of_first_block = 0;
    }

    /// How many vertices of the root's block were on the path: the root depends on all of them, if it has not the value that decides.
    pub(crate) fn of_first_block(&self) -> usize {
        self.of_first_block
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<Frame>() * self.path.capacity() + 4 * self.open.capacity() + self.look.bytes()
    }

    /// Goes on until the root has a value, or the value of a vertex of another kind of block is needed. `others` says who
    /// looks at a vertex that was not met: that of the second class, which one of the first leads to.
    pub(crate) fn go<G: Game<Vertex = u32>>(
        &mut self,
        game: &mut G,
        values: &mut Values,
        looked_at: &mut u64,
        beside: usize,
        others: impl Fn(&Class, &Class, u32) -> Other,
    ) -> Result<Turn<u32>, G::Stop> {
        loop {
            if let Some(vertex) = self.enter.take() {
                *looked_at += 1;
                game.occupy(values.bytes() + self.bytes() + beside, *looked_at)?;
                self.look_at(game, values, vertex, *looked_at)?;
                if self.entries.last().is_some_and(|entry| *looked_at >= entry.due) {
                    self.look_around(game, values, *looked_at)?;
                }
            }
            let Some(frame) = self.path.last_mut() else { return Ok(Turn::Holds) };
            if !frame.glanced {
                match glance(game, values, frame, &mut self.targets)? {
                    Glance::Decides => {
                        self.overwhelm(values);
                        continue;
                    }
                    // When its value is known, there is another glance.
                    Glance::Promises(number) => frame.next = number,
                    Glance::BeginsAt(number) => (frame.next, frame.glanced) = (number, true),
                }
            }
            if frame.next == frame.obligation.len {
                self.finish(values);
                continue;
            }
            // A candidate stays the next one until it has a value, or is seen to be open.
            let Some(candidate) = game.candidate(frame.vertex, frame.obligation, frame.next) else {
                frame.next += 1;
                continue;
            };
            let to = candidate.target;
            match values.status.get(to) {
                OPEN if frame.cycles_decide => self.overwhelm(values),
                OPEN => {
                    frame.low = frame.low.min(values.order.get(to));
                    frame.next += 1;
                }
                NEW => {
                    let class = game.class(to);
                    match others(&game.class(frame.vertex), &class, to) {
                        Other::Mine => self.enter = Some(to),
                        Other::Known(value) if value == frame.decisive => self.overwhelm(values),
                        Other::Known(_) => frame.next += 1,
                        Other::Needed => return Ok(Turn::Needs(to)),
                    }
                }
                known if (known == TRUE) == frame.decisive => self.overwhelm(values),
                _ => frame.next += 1,
            }
        }
    }

    /// A vertex joins the path, unless it has a value by itself: then whoever led to it sees that value.
    fn look_at<G: Game<Vertex = u32>>(
        &mut self,
        game: &mut G,
        values: &mut Values,
        vertex: u32,
        looked_at: u64,
    ) -> Result<(), G::Stop> {
        let Class { block, rule, .. } = game.class(vertex);
        let (mut decisive, cycles_decide) = decisive(rule);
        game.obligations(vertex, decisive, &mut self.obligations)?;
        if self.obligations.len() > 1 {
            // A conjunction, which nothing depends on in a circle.
            decisive = false;
            game.obligations(vertex, decisive, &mut self.obligations)?;
        }
        let obligation = match self.obligations[..] {
            [] => {
                values.decide(vertex, decisive);
                return Ok(());
            }
            [Obligation { len: 0, .. }] => {
                values.decide(vertex, !decisive);
                return Ok(());
            }
            [obligation] => obligation,
            _ => unreachable!("a vertex is a conjunction or a disjunction"),
        };
        let low = values.open(vertex);
        let base = self.open.len() as u32;
        self.open.push(vertex);
        let begins = self.path.last().is_none_or(|below| below.block != block);
        if begins && matches!(rule, Rule::SomeOf(_) | Rule::AllOf(_)) {
            self.entries.push(Entry {
                at: self.path.len(),
                size: FIRST_LOOK,
                due: looked_at + u64::from(FIRST_LOOK),
            });
        }
        self.of_first_block += usize::from(self.path.first().is_none_or(|first| first.block == block));
        let (glanced, next) = (false, 0);
        self.path.push(Frame {
            vertex,
            block,
            decisive,
            cycles_decide,
            glanced,
            obligation,
            next,
            low,
            base,
        });
        Ok(())
    }

    /// Looks around the first vertex of the block that the path has entered last. If that has a value then, the path ends before it.
    fn look_around<G: Game<Vertex = u32>>(
        &mut self,
        game: &mut G,
        values: &mut Values,
        looked_at: u64,
    ) -> Result<(), G::Stop> {
        let entry = self.entries.last_mut().expect("it is due");
        if self.look.spent + u64::from(entry.size) > FREE_LOOKS + looked_at / SHARE_OF_LOOKS {
            entry.due = looked_at + u64::from(entry.size);
            return Ok(());
        }
        let root = self.path[entry.at].vertex;
        match self.look.around(game, values, root, entry.size)? {
            Seen::Value => {
                let entry = self.entries.pop().expect("it is there");
                let base = self.path[entry.at].base as usize;
                self.path.truncate(entry.at);
                for &vertex in &self.open[base..] {
                    if values.status.get(vertex) == OPEN {
                        values.status.set(vertex, NEW);
                    }
                }
                self.open.truncate(base);
            }
            Seen::Everything => entry.due = u64::MAX,
            Seen::Nothing => {
                entry.size = entry.size.saturating_mul(2);
                entry.due = looked_at + u64::from(entry.size);
            }
        }
        Ok(())
    }

    /// The last vertex of the path has the value that decides, and so have all open ones of its block: they lead to it.
    fn overwhelm(&mut self, values: &mut Values) {
        let last = self.path.last().expect("it has a successor");
        let (block, decisive) = (last.block, last.decisive);
        while self.path.last().is_some_and(|frame| frame.block == block) {
            let frame = self.path.pop().expect("it is there");
            for &vertex in &self.open[frame.base as usize..] {
                values.decide(vertex, decisive);
            }
            self.open.truncate(frame.base as usize);
        }
        self.leave_blocks();
    }

    /// The last vertex of the path has no successor that decides.
    fn finish(&mut self, values: &mut Values) {
        let frame = self.path.pop().expect("it is there");
        let order = values.order.get(frame.vertex);
        if frame.low < order {
            // Part of a larger component, whose first vertex is further down.
            let below = self.path.last_mut().expect("the first one of the component");
            below.low = below.low.min(frame.low);
            return;
        }
        for &vertex in &self.open[frame.base as usize..] {
            values.decide(vertex, !frame.decisive);
        }
        self.open.truncate(frame.base as usize);
        self.leave_blocks();
    }

    /// Forgets the blocks that the path has left.
    fn leave_blocks(&mut self) {
        while self.entries.last().is_some_and(|entry| entry.at >= self.path.len()) {
            self.entries.pop();
        }
    }
}

/// What a glance at all candidates of a vertex tells.
enum Glance {
    Decides,
    /// A candidate that was not met, and will decide.
    Promises(u32),
    /// The first candidate that may decide.
    BeginsAt(u32),
}

/// Glances at all candidates before one of them is entered: one that decides is the next.
fn glance<G: Game<Vertex = u32>>(
    game: &mut G,
    values: &Values,
    frame: &mut Frame,
    targets: &mut Vec<u32>,
) -> Result<Glance, G::Stop> {
    let mut first = frame.obligation.len;
    game.targets(frame.vertex, frame.obligation, targets);
    for (number, &to) in (0..).zip(&*targets) {
        if to == u32::NONE {
            continue;
        }
        match values.status.get(to) {
            OPEN if frame.cycles_decide => return Ok(Glance::Decides),
            OPEN => frame.low = frame.low.min(values.order.get(to)),
            NEW => {
                if game.glance(to)? == Some(frame.decisive) {
                    return Ok(Glance::Promises(number));
                }
                first = first.min(number);
            }
            known if (known == TRUE) == frame.decisive => return Ok(Glance::Decides),
            _ => {}
        }
    }
    Ok(Glance::BeginsAt(first))
}

/// What a walk is told of a vertex that it has not met.
pub(crate) enum Other {
    /// It is for the walk to look at.
    Mine,
    Known(bool),
    /// Somebody else has to find its value first.
    Needed,
}
