//! The grammar file: symbols with named productions, global names with their declarations, and sets of models.
//!
//! The file is data, and is written from SPIN's manual and the language reference, never from our parser: a construct
//! that the parser forgets, or a position in which the lowering loses one, is then still generated. Its syntax is that of
//! `grammar/promela.grammar`, whose head explains it.

use std::collections::HashMap;

/// A piece of a production's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Promela, as it stands.
    Text(String),
    /// `$` behind a name: the number of this expansion, so that a production nested in itself does not clash.
    Number,
    /// `$symbol` or `$symbol.2`: a hole, and which part of the production goes there.
    Hole {
        /// The symbol that fills it.
        symbol: usize,
        /// The part of its production, from zero.
        part: usize,
    },
}

/// One alternative of a symbol.
#[derive(Clone, Debug)]
pub struct Production {
    /// Unique within the grammar.
    pub name: String,
    /// What stands where the symbol is used; several parts where it is used in several places.
    pub parts: Vec<Vec<Piece>>,
    /// What stands outside all processes (behind `where`), for instance the definition of an inline.
    pub outside: Vec<Piece>,
}

impl Production {
    /// The symbols of its holes, in order.
    pub fn holes(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().flatten().chain(&self.outside).filter_map(|piece| match piece {
            Piece::Hole { symbol, .. } => Some(*symbol),
            _ => None,
        })
    }
}

/// A symbol: its first production is the plain one that fills holes nobody asks about.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its name, without `$`.
    pub name: String,
    /// The alternatives.
    pub productions: Vec<Production>,
}

/// A name that a model may use; its declaration is added to those that do.
#[derive(Clone, Debug)]
pub struct Global {
    /// The name.
    pub name: String,
    /// Its declaration.
    pub declaration: String,
    /// What the partner process offers to those who use it: the other end of a channel.
    pub partner: Option<String>,
}

/// How the holes of a set's models vary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// One nest of productions under this symbol, everything beside it plain.
    Path(usize),
    /// All combinations of the productions of these symbols; a symbol used twice is the same production twice.
    Product(Vec<usize>),
}

/// A set of models.
#[derive(Clone, Debug)]
pub struct Set {
    /// Its name.
    pub name: String,
    /// How its models vary.
    pub mode: Mode,
    /// The depth to which a set of combinations belongs.
    pub depth: usize,
    /// The model around the holes.
    pub frame: Vec<Piece>,
    /// The statement that starts its processes; without one the model stands alone, as it is.
    pub start: Option<String>,
}

/// The whole file.
#[derive(Clone, Debug, Default)]
pub struct Grammar {
    /// The symbols.
    pub symbols: Vec<Symbol>,
    /// The names.
    pub globals: Vec<Global>,
    /// Names that are made different in each model of a batch, without a declaration of their own.
    pub names: Vec<String>,
    /// The sets.
    pub sets: Vec<Set>,
    /// What every file of models begins with.
    pub preamble: String,
}

/// The grammar in the repository.
pub const PROMELA: &str = include_str!("../../../grammar/promela.grammar");

impl Grammar {
    /// Reads a grammar.
    ///
    /// # Errors
    /// The first line that is not understood, and why.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut grammar = Self::default();
        let mut numbers = HashMap::new();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("symbol ") {
                let name = rest.split_whitespace().next().unwrap_or_default().to_owned();
                if numbers.insert(name.clone(), grammar.symbols.len()).is_some() {
                    return Err(format!("symbol {name} is there twice"));
                }
                grammar.symbols.push(Symbol { name, productions: Vec::new() });
            }
        }
        let mut within = Within::Nothing;
        for (number, line) in text.lines().enumerate() {
            let read = grammar.read_line(line, &mut within, &numbers);
            read.map_err(|why| format!("line {}: {why}: {line}", number + 1))?;
        }
        grammar.finish()?;
        Ok(grammar)
    }

    fn read_line(
        &mut self,
        line: &str,
        within: &mut Within,
        numbers: &HashMap<String, usize>,
    ) -> Result<(), String> {
        if line.trim().is_empty() || line.starts_with('#') {
            return Ok(());
        }
        let symbol = |name: &str| numbers.get(name).copied().ok_or_else(|| format!("no symbol {name}"));
        if let Some(rest) = line.strip_prefix("  ") {
            return match *within {
                Within::Symbol(symbol) => {
                    let production = production(rest, numbers)?;
                    self.symbols[symbol].productions.push(production);
                    Ok(())
                }
                Within::Set => {
                    let set = self.sets.last_mut().ok_or("no set yet")?;
                    if let Some(start) = rest.strip_prefix("start ") {
                        set.start = Some(start.to_owned());
                    } else {
                        let mut pieces = pieces(rest, numbers)?;
                        set.frame.append(&mut pieces);
                        set.frame.push(Piece::Text("\n".to_owned()));
                    }
                    Ok(())
                }
                Within::Nothing => Err("belongs to nothing".to_owned()),
            };
        }
        let (kind, rest) = line.split_once(' ').ok_or("not a rule")?;
        let mut words = rest.split_whitespace();
        match kind {
            "symbol" => {
                let own = symbol(words.next().unwrap_or_default())?;
                *within = Within::Symbol(own);
                if let (Some("like"), Some(other)) = (words.next(), words.next()) {
                    let other = symbol(other)?;
                    let name = self.symbols[own].name.clone();
                    let copied = self.symbols[other].productions.iter().cloned().map(|mut production| {
                        production.name = format!("{name}_{}", production.name);
                        production
                    });
                    let copied: Vec<Production> = copied.collect();
                    self.symbols[own].productions.extend(copied);
                }
            }
            "global" | "partner" => {
                let (name, text) = rest.split_once(" : ").ok_or("needs ` : `")?;
                let (name, text) = (name.trim(), text.trim().to_owned());
                if kind == "global" {
                    self.globals.push(Global { name: name.to_owned(), declaration: text, partner: None });
                } else {
                    let global = self.globals.iter_mut().find(|global| global.name == name);
                    global.ok_or("no such global")?.partner = Some(text);
                }
            }
            "names" => self.names.extend(words.map(str::to_owned)),
            "preamble" => self.preamble = self.preamble.clone() + rest + "\n",
            "set" => {
                let name = words.next().unwrap_or_default().to_owned();
                let mode = match (words.next(), words.next()) {
                    (Some("nests"), Some(root)) => (Mode::Path(symbol(root)?), 0),
                    (Some("combines"), Some(depth)) => {
                        (Mode::Product(Vec::new()), depth.parse().map_err(|_| "no depth")?)
                    }
                    _ => return Err("a set `nests SYMBOL` or `combines DEPTH`".to_owned()),
                };
                self.sets.push(Set { name, mode: mode.0, depth: mode.1, frame: Vec::new(), start: None });
                *within = Within::Set;
            }
            _ => return Err("unknown rule".to_owned()),
        }
        Ok(())
    }

    /// Names are unique, plain productions end, and sets of combinations know their symbols.
    fn finish(&mut self) -> Result<(), String> {
        let mut names = std::collections::HashSet::new();
        for symbol in &self.symbols {
            if symbol.productions.is_empty() {
                return Err(format!("symbol {} has no production", symbol.name));
            }
            for production in &symbol.productions {
                if !names.insert(production.name.as_str()) {
                    return Err(format!("production {} is there twice", production.name));
                }
            }
        }
        for symbol in 0..self.symbols.len() {
            self.ends(symbol, 0)?;
        }
        let reached: Vec<Vec<usize>> = self.sets.iter().map(|set| self.reached(&set.frame)).collect();
        for (set, reached) in self.sets.iter_mut().zip(reached) {
            if let Mode::Product(symbols) = &mut set.mode {
                *symbols = reached;
            }
        }
        Ok(())
    }

    fn ends(&self, symbol: usize, depth: usize) -> Result<(), String> {
        if depth > 20 {
            return Err(format!("the plain production of {} does not end", self.symbols[symbol].name));
        }
        self.symbols[symbol].productions[0].holes().try_for_each(|hole| self.ends(hole, depth + 1))
    }

    /// The symbols that a text can contain, in order of appearance.
    fn reached(&self, text: &[Piece]) -> Vec<usize> {
        let mut found = Vec::new();
        let holes = |text: &[Piece]| -> Vec<usize> {
            let symbols = text.iter().filter_map(|piece| match piece {
                Piece::Hole { symbol, .. } => Some(*symbol),
                _ => None,
            });
            symbols.collect()
        };
        let mut ahead = holes(text);
        ahead.reverse();
        while let Some(symbol) = ahead.pop() {
            if !found.contains(&symbol) {
                found.push(symbol);
                ahead.extend(self.symbols[symbol].productions.iter().flat_map(Production::holes));
            }
        }
        found
    }
}

/// What the lines with an indent belong to.
enum Within {
    Nothing,
    Symbol(usize),
    Set,
}

fn production(line: &str, numbers: &HashMap<String, usize>) -> Result<Production, String> {
    let line = format!("{line} ");
    let (name, text) = line.split_once(" : ").ok_or("a production needs ` : `")?;
    let (text, outside) = text.split_once(" where ").unwrap_or((text, ""));
    let text = format!(" {text} ");
    let parts = text.split(" ### ").map(|part| pieces(part.trim(), numbers));
    Ok(Production {
        name: name.trim().to_owned(),
        parts: parts.collect::<Result<_, _>>()?,
        outside: pieces(outside.trim(), numbers)?,
    })
}

/// Splits a text at its holes. `\n` is a line break: some mistakes are made only there.
fn pieces(text: &str, numbers: &HashMap<String, usize>) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let text = text.replace("\\n", "\n").replace("\\\n", "\\n");
    let mut parts = text.split('$');
    pieces.push(Piece::Text(parts.next().unwrap_or_default().to_owned()));
    for part in parts {
        let length = part.find(|c: char| !c.is_ascii_lowercase() && c != '_').unwrap_or(part.len());
        let (name, mut rest) = part.split_at(length);
        if name.is_empty() {
            pieces.push(Piece::Number);
        } else {
            let symbol = *numbers.get(name).ok_or_else(|| format!("no symbol {name}"))?;
            let mut number = 0;
            if let Some(digit) = rest.strip_prefix('.').and_then(|rest| rest.chars().next())
                && let Some(digit @ 1..) = digit.to_digit(10)
            {
                number = digit as usize - 1;
                rest = &rest[2..];
            }
            pieces.push(Piece::Hole { symbol, part: number });
        }
        pieces.push(Piece::Text(rest.to_owned()));
    }
    pieces.retain(|piece| *piece != Piece::Text(String::new()));
    Ok(pieces)
}
