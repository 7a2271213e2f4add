//! Where circles, arrows and words go: a layered drawing, after Sugiyama, Tagawa and Toda 1981. It runs from left to
//! right, unless it gets so long that from top to bottom, where words take less of its length, is better to look at.
//!
//! 1. Arrows that close a cycle of a depth-first walk are turned round, and every circle is put as far right as the
//!    longest path to it.
//! 2. Between two layers of circles there is one for words: an arrow is a chain of *bends*, one for each layer it
//!    crosses, and its words are a bend with a size. So words never lie on circles or on each other.
//! 3. Within a layer the order is that of the mean place of the neighbours, in sweeps to and fro; the best order seen is
//!    kept.
//! 4. Heights are pulled towards those of the neighbours, as far as the order and the distances allow: the nearest such
//!    heights in the sense of least squares, found by pooling adjacent violators.
//!
//! A place is *along* the layers and *across* them; the header above speaks of the usual case, in which along is to the
//! right and across is down.
//!
//! This is what Graphviz does too, with less refinement: pictures of automata are small, and thirty states are about
//! what a reader can follow anyway.

use super::{Line, Picture, sets};

/// The radius of a circle.
pub(super) const RADIUS: f64 = 17.0;
/// The height of a line of words.
pub(super) const LINE: f64 = 16.0;
/// How far a loop rises above its circle.
pub(super) const LOOP: f64 = 24.0;
/// The width of a mark.
pub(super) const MARK: f64 = 15.0;
/// The width of a character, on average; words are set in 13 pixels.
const CHARACTER: f64 = 7.7;
/// Between two things in a layer.
const GAP: f64 = 14.0;
/// Between two layers, where arrows change their heights.
const CHANNEL: f64 = 38.0;

/// Where everything is. A place is how far it is along, then how far across.
pub(super) struct Layout {
    /// Whether it runs from top to bottom.
    pub(super) down: bool,
    /// By circle: its centre.
    pub(super) circles: Vec<(f64, f64)>,
    /// By circle: half the length of its layer, which may be more than its own because of the words at loops.
    pub(super) halves: Vec<f64>,
    /// By arrow: its bends from the circle in front to the one behind; a loop has none.
    pub(super) bends: Vec<Vec<Bend>>,
    pub(super) length: f64,
    pub(super) breadth: f64,
}

impl Layout {
    /// To the right and down.
    pub(super) fn xy(&self, (along, across): (f64, f64)) -> (f64, f64) {
        if self.down { (across, along) } else { (along, across) }
    }
}

/// A place that an arrow passes straight on, from `half` before to `half` behind.
#[derive(Clone, Copy)]
pub(super) struct Bend {
    pub(super) at: (f64, f64),
    pub(super) half: f64,
    /// Whether the words stand here.
    pub(super) words: bool,
}

/// Something that has a place in a layer.
#[derive(Clone)]
struct Item {
    layer: usize,
    /// Room on both sides, across, and its length.
    above: f64,
    below: f64,
    width: f64,
    /// Its neighbours in the layers before and after, and how much they pull.
    before: Vec<(usize, f64)>,
    after: Vec<(usize, f64)>,
    y: f64,
}

/// How wide a line is.
pub(super) fn width(line: &Line) -> f64 {
    line.words.chars().count() as f64 * CHARACTER + sets(line.marks).count() as f64 * MARK
}

/// Lays out a picture with at least one circle.
pub(super) fn layout(picture: &Picture) -> Layout {
    let layout = towards(picture, false);
    let long = layout.length > 1500.0 && layout.length > 2.5 * layout.breadth;
    if long { towards(picture, true) } else { layout }
}

fn towards(picture: &Picture, down: bool) -> Layout {
    let layers = layers(picture);
    let (mut items, chains) = items(picture, &layers, down);
    let mut order = ordered(&items);
    place(&mut items, &mut order);

    // By layer: its middle and half its length. All that passes a layer passes it straight on, so that no arrow cuts
    // through words.
    let mut columns = vec![(0.0, 0.0); order.len()];
    let mut end: f64 = 36.0;
    for (layer, column) in columns.iter_mut().enumerate() {
        let half = order[layer].iter().map(|&i| items[i].width).fold(0.0, f64::max) / 2.0;
        *column = (end + half, half);
        end += 2.0 * half + if down { CHANNEL / 2.0 } else { CHANNEL };
    }
    let top = items.iter().map(|item| item.y - item.above).fold(f64::INFINITY, f64::min) - GAP;
    let bottom = items.iter().map(|item| item.y + item.below).fold(f64::NEG_INFINITY, f64::max) + GAP;
    let at = |i: usize| (columns[items[i].layer].0, items[i].y - top);
    let bend = |&(i, words): &(usize, bool)| Bend { at: at(i), half: columns[items[i].layer].1, words };
    Layout {
        down,
        circles: (0..picture.circles.len()).map(at).collect(),
        halves: (0..picture.circles.len()).map(|i| columns[items[i].layer].1).collect(),
        bends: chains.iter().map(|chain| chain.iter().map(bend).collect()).collect(),
        length: end,
        breadth: bottom - top,
    }
}

/// Whether an arrow runs against the layers.
pub(super) fn is_reversed(layout: &Layout, from: usize, to: usize) -> bool {
    layout.circles[from].0 > layout.circles[to].0
}

/// By circle: its layer; all are even.
fn layers(picture: &Picture) -> Vec<usize> {
    let n = picture.circles.len();
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); n];
    for arrow in picture.arrows.iter().filter(|arrow| arrow.from != arrow.to) {
        leaving[arrow.from].push(arrow.to);
    }
    // A depth-first walk without recursion: the order in which circles are finished, and the arrows that close a cycle.
    let (mut on_path, mut seen) = (vec![false; n], vec![false; n]);
    let mut finished = Vec::new();
    let mut forward: Vec<(usize, usize)> = Vec::new();
    for root in std::iter::once(picture.initial).chain(0..n) {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        on_path[root] = true;
        let mut path = vec![(root, 0)];
        while let Some((circle, next)) = path.last_mut() {
            let from = *circle;
            if let Some(&to) = leaving[from].get(*next) {
                *next += 1;
                forward.push(if on_path[to] { (to, from) } else { (from, to) });
                if !std::mem::replace(&mut seen[to], true) {
                    on_path[to] = true;
                    path.push((to, 0));
                }
            } else {
                on_path[from] = false;
                finished.push(from);
                path.pop();
            }
        }
    }
    // What finishes last comes first, whichever way arrows were turned.
    let mut layer = vec![0; n];
    for &circle in finished.iter().rev() {
        for &(_, to) in forward.iter().filter(|(from, _)| *from == circle) {
            layer[to] = layer[to].max(layer[circle] + 2);
        }
    }
    layer
}

/// By arrow: the items of its bends, and whether the words stand there.
type Chains = Vec<Vec<(usize, bool)>>;

/// The circles, then the bends.
fn items(picture: &Picture, layers: &[usize], down: bool) -> (Vec<Item>, Chains) {
    let item = |layer, above, below, width| Item {
        layer,
        above,
        below,
        width,
        before: Vec::new(),
        after: Vec::new(),
        y: 0.0,
    };
    let mut items: Vec<Item> = (layers.iter().zip(&picture.circles))
        .map(|(&layer, circle)| {
            // Marks stand below a circle, or on its left.
            let marks = sets(circle.marks).count() as f64 * MARK;
            if down {
                item(layer, RADIUS + marks, RADIUS, 2.0 * RADIUS)
            } else {
                let below = RADIUS + if marks > 0.0 { MARK + 2.0 } else { 0.0 };
                item(layer, RADIUS, below, marks.max(2.0 * RADIUS))
            }
        })
        .collect();
    let mut chains = Vec::new();
    for arrow in &picture.arrows {
        let room = arrow.lines.len() as f64 * LINE;
        let widest = arrow.lines.iter().map(width).fold(0.0, f64::max);
        let (first, last) =
            (layers[arrow.from].min(layers[arrow.to]), layers[arrow.from].max(layers[arrow.to]));
        if arrow.from == arrow.to {
            // A loop is above its circle, or on its right.
            let circle = &mut items[arrow.from];
            if down {
                circle.below = RADIUS + LOOP + 4.0 + widest;
                circle.width = circle.width.max(room + 8.0);
            } else {
                circle.above = RADIUS + LOOP + 2.0 + room;
                circle.width = circle.width.max(widest + 8.0);
            }
            chains.push(Vec::new());
            continue;
        }
        let (left, right) = if layers[arrow.from] < layers[arrow.to] {
            (arrow.from, arrow.to)
        } else {
            (arrow.to, arrow.from)
        };
        // The words stand in the middle, in a layer that is theirs.
        let middle = ((first + last) / 2) | 1;
        let mut chain = Vec::new();
        let mut previous = left;
        for layer in first + 1..last {
            let words = layer == middle;
            let new = items.len();
            items.push(match words {
                // Words stand on the line, or on its right.
                true if down => item(layer, 6.0, widest + 8.0, room),
                true => item(layer, room + 4.0, 6.0, widest),
                false => item(layer, 6.0, 6.0, 0.0),
            });
            connect(&mut items, previous, new, if previous == left { 2.0 } else { 8.0 });
            chain.push((new, words));
            previous = new;
        }
        connect(&mut items, previous, right, 2.0);
        chains.push(chain);
    }
    (items, chains)
}

fn connect(items: &mut [Item], left: usize, right: usize, pull: f64) {
    items[left].after.push((right, pull));
    items[right].before.push((left, pull));
}

/// By layer: its items, in an order with few crossings.
fn ordered(items: &[Item]) -> Vec<Vec<usize>> {
    let count = items.iter().map(|item| item.layer + 1).max().unwrap_or(0);
    let mut order: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (i, item) in items.iter().enumerate() {
        order[item.layer].push(i);
    }
    let mut position = vec![0.0; items.len()];
    let mut best = (crossings(items, &order), order.clone());
    for sweep in 0..16 {
        let forwards = sweep % 2 == 0;
        let layers: Vec<usize> = if forwards { (0..count).collect() } else { (0..count).rev().collect() };
        for layer in layers {
            for (at, &i) in order[layer].iter().enumerate() {
                position[i] = at as f64;
            }
            let wish = |i: usize| {
                let near = if forwards { &items[i].before } else { &items[i].after };
                let sum: f64 = near.iter().map(|&(j, _)| position[j]).sum();
                if near.is_empty() { position[i] } else { sum / near.len() as f64 }
            };
            let mut wishes: Vec<(f64, usize)> = order[layer].iter().map(|&i| (wish(i), i)).collect();
            wishes.sort_by(|a, b| a.0.total_cmp(&b.0));
            order[layer] = wishes.iter().map(|&(_, i)| i).collect();
            for (at, &i) in order[layer].iter().enumerate() {
                position[i] = at as f64;
            }
        }
        let found = crossings(items, &order);
        if found < best.0 {
            best = (found, order.clone());
        }
    }
    best.1
}

fn crossings(items: &[Item], order: &[Vec<usize>]) -> usize {
    let mut position = vec![0; items.len()];
    for layer in order {
        for (at, &i) in layer.iter().enumerate() {
            position[i] = at;
        }
    }
    let mut count = 0;
    for layer in order {
        let pairs: Vec<(usize, usize)> = layer
            .iter()
            .flat_map(|&i| items[i].after.iter().map(move |&(j, _)| (i, j)))
            .map(|(i, j)| (position[i], position[j]))
            .collect();
        for (k, a) in pairs.iter().enumerate() {
            count += pairs[k + 1..]
                .iter()
                .filter(|b| (a.0 < b.0 && a.1 > b.1) || (a.0 > b.0 && a.1 < b.1))
                .count();
        }
    }
    count
}

/// Gives every item a height.
fn place(items: &mut [Item], order: &mut [Vec<usize>]) {
    for layer in order.iter() {
        let mut y = 0.0;
        for &i in layer {
            y += items[i].above;
            items[i].y = y;
            y += items[i].below + GAP;
        }
    }
    for round in 0..60 {
        let layers: Vec<usize> =
            if round % 2 == 0 { (0..order.len()).collect() } else { (0..order.len()).rev().collect() };
        for layer in layers {
            let wishes: Vec<f64> = order[layer].iter().map(|&i| wish(items, i)).collect();
            settle(items, &order[layer], &wishes);
        }
    }
}

/// The mean height of the neighbours.
fn wish(items: &[Item], i: usize) -> f64 {
    let near = items[i].before.iter().chain(&items[i].after);
    let (sum, weight) =
        near.fold((0.0, 0.0), |(sum, weight), &(j, pull)| (sum + pull * items[j].y, weight + pull));
    if weight == 0.0 { items[i].y } else { sum / weight }
}

/// The heights nearest to the wishes that keep the order and the distances.
fn settle(items: &mut [Item], layer: &[usize], wishes: &[f64]) {
    // Without the distances that must be kept, heights need only not decrease.
    let mut offset = 0.0;
    let mut offsets = Vec::with_capacity(layer.len());
    for (k, &i) in layer.iter().enumerate() {
        if k > 0 {
            offset += items[layer[k - 1]].below + GAP + items[i].above;
        }
        offsets.push(offset);
    }
    // Each pool: the sum of its wishes and how many they are.
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (wish, offset) in wishes.iter().zip(&offsets) {
        let mut pool = (wish - offset, 1);
        while let Some(&(sum, size)) = pools.last() {
            if sum / size as f64 <= pool.0 / pool.1 as f64 {
                break;
            }
            pool = (pool.0 + sum, pool.1 + size);
            pools.pop();
        }
        pools.push(pool);
    }
    let heights = pools.iter().flat_map(|&(sum, size)| std::iter::repeat_n(sum / size as f64, size));
    for ((&i, height), offset) in layer.iter().zip(heights).zip(offsets) {
        items[i].y = height + offset;
    }
}
