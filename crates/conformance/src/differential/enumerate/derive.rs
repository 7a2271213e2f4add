//! From a number to a model: which productions, nested how.
//!
//! A *nest* of depth *d* is a production, a hole of it, a production in that hole, and so on, *d* productions in all;
//! whatever is beside the nest is filled plainly. So the number of models of depth *d* is that of the ways through the
//! grammar, not that of all derivations, and each says something about one pair, or triple, of productions. A
//! *combination* chooses one production for each symbol. Both are numbered from zero by counting, as positional systems
//! count, so that any range can be generated without what is before it.

use super::grammar::{Grammar, Mode, Piece, Set};
use std::collections::BTreeSet;

/// A mark in generated text, behind every name that must differ between the models of a batch.
const MARK: char = '\u{1}';

/// One model, its names not yet made different from those of others.
#[derive(Clone, Debug)]
pub struct Model {
    /// Where it comes from.
    pub id: Id,
    /// The productions of the nest from outside in, or those combined.
    pub productions: Vec<String>,
    /// For nests: the hole of each production but the last; there may be several for the same symbol.
    pub holes: Vec<usize>,
    /// Declarations and processes.
    text: String,
    /// The statement that starts its processes; a model without one stands alone.
    start: Option<String>,
}

/// The name of a model: the set, the depth and the number in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id {
    /// The index of the set.
    pub set: usize,
    /// The depth of the nest, or that of the set.
    pub depth: usize,
    /// From zero.
    pub number: u64,
}

/// How many models a set has at exactly this depth.
pub fn count(grammar: &Grammar, set: &Set, depth: usize) -> u64 {
    match &set.mode {
        Mode::Path(root) => nests(grammar, depth)[*root],
        Mode::Product(symbols) if set.depth == depth => {
            symbols.iter().map(|&symbol| grammar.symbols[symbol].productions.len() as u64).product()
        }
        Mode::Product(_) => 0,
    }
}

/// How many nests of this depth each symbol has.
fn nests(grammar: &Grammar, depth: usize) -> Vec<u64> {
    let mut counts = vec![1; grammar.symbols.len()];
    for level in 0..depth {
        let next = grammar.symbols.iter().map(|symbol| {
            let each = symbol.productions.iter();
            match level {
                0 => each.count() as u64,
                _ => each.flat_map(|production| production.holes()).map(|hole| counts[hole]).sum(),
            }
        });
        counts = next.collect();
    }
    counts
}

/// The model with this number.
///
/// # Panics
/// If there is no such model.
pub fn model(grammar: &Grammar, id: &Id) -> Model {
    let set = &grammar.sets[id.set];
    let mut writer = Writer { grammar, expansions: 0, outside: Vec::new() };
    let mut frame = String::new();
    let (mut productions, mut holes) = (Vec::new(), Vec::new());
    match &set.mode {
        Mode::Path(root) => {
            let path = nest(grammar, *root, id.depth, id.number);
            let mut symbol = *root;
            for (step, &(production, hole)) in path.iter().enumerate() {
                let production = &grammar.symbols[symbol].productions[production];
                productions.push(production.name.clone());
                if step + 1 < path.len() {
                    holes.push(hole);
                    symbol = production.holes().nth(hole).expect("the nest goes through it");
                }
            }
            writer.write(&set.frame, &Plan::Path(&path), 0, &mut 0, &mut frame);
        }
        Mode::Product(symbols) => {
            let mut chosen = vec![0; grammar.symbols.len()];
            let mut rest = id.number;
            for &symbol in symbols.iter().rev() {
                let productions = &grammar.symbols[symbol].productions;
                chosen[symbol] = (rest % productions.len() as u64) as usize;
                rest /= productions.len() as u64;
            }
            assert_eq!(rest, 0, "there is no such model");
            let names = symbols.iter().map(|&s| grammar.symbols[s].productions[chosen[s]].name.clone());
            productions.extend(names);
            writer.write(&set.frame, &Plan::Product(&chosen), 0, &mut 0, &mut frame);
        }
    }
    let outside = writer.outside.concat();
    let (text, start) = with_declarations(grammar, &(outside + &frame), set.start.as_deref());
    Model { id: id.clone(), productions, holes, text, start }
}

/// The nest with this number: productions, and which hole the next one fills.
fn nest(grammar: &Grammar, root: usize, depth: usize, number: u64) -> Vec<(usize, usize)> {
    let counts: Vec<Vec<u64>> = (0..depth).map(|depth| nests(grammar, depth)).collect();
    let (mut symbol, mut rest, mut path) = (root, number, Vec::new());
    for below in (1..depth).rev() {
        let productions = grammar.symbols[symbol].productions.iter().enumerate();
        let mut steps = productions.flat_map(|(p, production)| {
            production.holes().enumerate().map(move |(hole, symbol)| (p, hole, symbol))
        });
        let (production, hole, next) = steps
            .find(|&(_, _, next)| {
                let within = counts[below][next];
                if rest >= within {
                    rest -= within;
                    return false;
                }
                true
            })
            .expect("there is no such model");
        path.push((production, hole));
        symbol = next;
    }
    path.push((usize::try_from(rest).expect("a production"), 0));
    path
}

#[derive(Clone, Copy)]
enum Plan<'a> {
    /// Along this nest.
    Path(&'a [(usize, usize)]),
    /// The plain production.
    Plain,
    /// The production chosen for each symbol.
    Product(&'a [usize]),
}

struct Writer<'a> {
    grammar: &'a Grammar,
    expansions: usize,
    /// What goes outside all processes, inner things first.
    outside: Vec<String>,
}

impl Writer<'_> {
    /// Writes a text whose holes are filled by `plan`; `number` is that of the expansion, `hole` that of the next hole.
    fn write(&mut self, text: &[Piece], plan: &Plan<'_>, number: usize, hole: &mut usize, out: &mut String) {
        for piece in text {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Number => {
                    out.push_str(&letters(number));
                    out.push(MARK);
                }
                Piece::Hole { symbol, part } => {
                    // A nest starts in the only hole of the frame; further in, it goes on in one of several.
                    let inner = match plan {
                        Plan::Path(path) if number == 0 => Plan::Path(path),
                        Plan::Path(path) if path.len() > 1 && path[0].1 == *hole => Plan::Path(&path[1..]),
                        Plan::Path(_) | Plan::Plain => Plan::Plain,
                        Plan::Product(chosen) => Plan::Product(chosen),
                    };
                    *hole += 1;
                    self.expand(*symbol, *part, &inner, out);
                }
            }
        }
    }

    fn expand(&mut self, symbol: usize, part: usize, plan: &Plan<'_>, out: &mut String) {
        let grammar = self.grammar;
        let production = match plan {
            Plan::Path(path) => path[0].0,
            Plan::Plain => 0,
            Plan::Product(chosen) => chosen[symbol],
        };
        let production = &grammar.symbols[symbol].productions[production];
        self.expansions += 1;
        let number = self.expansions;
        let mut hole = 0;
        // Of several parts each is written where it is asked for; the numbers of holes go on through all.
        for earlier in production.parts.iter().take(part) {
            hole += earlier.iter().filter(|piece| matches!(piece, Piece::Hole { .. })).count();
        }
        if let Some(text) = production.parts.get(part) {
            self.write(text, plan, number, &mut hole, out);
        }
        if part == 0 && !production.outside.is_empty() {
            let mut outside = String::new();
            self.write(&production.outside, plan, number, &mut hole, &mut outside);
            self.outside.push(outside + "\n");
        }
    }
}

/// A number as letters: names that end in digits would clash with those of another model of the batch.
fn letters(number: usize) -> String {
    let letter = char::from(b'a' + (number % 26) as u8);
    if number < 26 { letter.to_string() } else { letters(number / 26 - 1) + &letter.to_string() }
}

/// Marks the names in a text, and puts the declarations of those it uses before it and the partner behind it.
fn with_declarations(grammar: &Grammar, text: &str, start: Option<&str>) -> (String, Option<String>) {
    let mut used = BTreeSet::new();
    let body = marked(grammar, text, &mut used);
    // Declarations use names, too; those are listed before them.
    let mut declarations = Vec::new();
    let mut partners = Vec::new();
    for (index, global) in grammar.globals.iter().enumerate().rev() {
        if used.contains(&index) {
            declarations.push(marked(grammar, &global.declaration, &mut used) + "\n");
            if let Some(partner) = &global.partner {
                partners.push(partner.as_str());
            }
        }
    }
    let mut out = String::new();
    let mut behind = String::new();
    if start.is_some() && !partners.is_empty() {
        partners.reverse();
        let partner = format!("proctype W() {{ end: do :: {} od }}\n", partners.join(" :: "));
        let mut more = BTreeSet::new();
        behind = marked(grammar, &partner, &mut more);
        for (index, global) in grammar.globals.iter().enumerate().rev() {
            if more.contains(&index) && !used.contains(&index) {
                declarations.push(marked(grammar, &global.declaration, &mut used) + "\n");
            }
        }
    }
    declarations.reverse();
    // A name that only the partner uses may be declared behind one that needs it no longer: nothing depends on that.
    out.push_str(&declarations.concat());
    out.push_str(&body);
    out.push_str(&behind);
    let start = start.map(|start| {
        let all = if behind.is_empty() { start.to_owned() } else { format!("{start}; run W()") };
        marked(grammar, &all, &mut BTreeSet::new())
    });
    (out, start)
}

/// The text with a mark behind each name of the grammar, which are noted in `used`.
fn marked(grammar: &Grammar, text: &str, used: &mut BTreeSet<usize>) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let mut rest = text;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    while let Some(first) = rest.chars().next() {
        if first == '"' {
            let end = rest[1..].find('"').map_or(rest.len(), |at| at + 2);
            out.push_str(&rest[..end]);
            rest = &rest[end..];
        } else if is_name(first) {
            let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            let name = &rest[..end];
            // A field of a structure is not a name of ours.
            let field = out.ends_with('.') && !out.ends_with("..");
            out.push_str(name);
            rest = &rest[end..];
            if !field && !rest.starts_with(MARK) {
                let global = grammar.globals.iter().position(|global| global.name == name);
                used.extend(global);
                if global.is_some() || grammar.names.iter().any(|other| other == name) {
                    out.push(MARK);
                }
            }
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

/// The text of a file with these models, any one of which is run, and the last line of each but `init`.
pub fn file(grammar: &Grammar, models: &[&Model]) -> (String, Vec<usize>) {
    let mut text = grammar.preamble.clone();
    let mut lines = text.lines().count();
    let mut ends = Vec::new();
    let mut starts = String::new();
    for (index, model) in models.iter().enumerate() {
        let suffix = if models.len() == 1 { String::new() } else { (index + 1).to_string() };
        let own = model.text.replace(MARK, &suffix);
        lines += own.matches('\n').count();
        ends.push(lines);
        text.push_str(&own);
        if let Some(start) = &model.start {
            starts.push_str(&format!(":: atomic {{ {} }}\n", start.replace(MARK, &suffix)));
        }
    }
    if !starts.is_empty() {
        text.push_str(&format!("init {{ if\n{starts}fi }}\n"));
    }
    (text, ends)
}

impl Model {
    /// Whether it must be alone in its file.
    pub fn stands_alone(&self) -> bool {
        self.start.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::{Id, count, file, model};
    use crate::differential::enumerate::grammar::{Grammar, PROMELA};
    use std::collections::HashSet;

    fn grammar() -> Grammar {
        Grammar::read(PROMELA).expect("the grammar is well formed")
    }

    #[test]
    fn every_number_is_another_nest() {
        let grammar = grammar();
        let set = grammar.sets.iter().position(|set| set.name == "statements").expect("a set");
        let all = count(&grammar, &grammar.sets[set], 2);
        let nests: HashSet<_> = (0..all)
            .map(|number| {
                let model = model(&grammar, &Id { set, depth: 2, number });
                assert_eq!(model.productions.len(), 2);
                (model.productions, model.holes)
            })
            .collect();
        assert_eq!(nests.len() as u64, all);
    }

    #[test]
    fn a_nest_is_written_as_the_grammar_says() {
        let grammar = grammar();
        let set = grammar.sets.iter().position(|set| set.name == "statements").expect("a set");
        let wanted = ["d_step_first", "d_step"];
        let found = (0..count(&grammar, &grammar.sets[set], 2)).find_map(|number| {
            let model = model(&grammar, &Id { set, depth: 2, number });
            (model.productions == wanted).then_some(model)
        });
        let text = file(&grammar, &[&found.expect("a d_step within a d_step")]).0;
        assert!(text.contains("d_step { d_step { x = 1 }; y = 1 }"), "{text}");
    }

    #[test]
    fn models_of_a_batch_share_no_name() {
        let grammar = grammar();
        let set = grammar.sets.iter().position(|set| set.name == "statements").expect("a set");
        let models: Vec<_> = (0..3).map(|number| model(&grammar, &Id { set, depth: 1, number })).collect();
        let (text, ends) = file(&grammar, &models.iter().collect::<Vec<_>>());
        for name in ["byte x1;", "byte x2;", "byte x3;", "proctype P3()", ":: atomic { run P2(); run O2() }"]
        {
            assert!(text.contains(name), "no {name} in {text}");
        }
        let second = text.lines().nth(ends[0]).expect("a line of the second model");
        assert_eq!(second, "byte x2;");
    }

    #[test]
    fn combinations_take_every_production() {
        let grammar = grammar();
        for (set, one) in grammar.sets.iter().enumerate() {
            let all = count(&grammar, one, one.depth.max(1));
            let last = model(&grammar, &Id { set, depth: one.depth.max(1), number: all - 1 });
            assert!(!last.productions.is_empty());
        }
    }
}
