//! What was covered: which production was nested in which, and what SPIN said to it.

use super::derive::Model;
use super::grammar::{Grammar, Mode};
use super::judge::Outcome;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// How often a pair of productions, one directly within the other, was generated and with which result.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cell {
    /// Models with it.
    pub generated: u64,
    /// Of those, models that SPIN accepted and that were compared.
    pub compared: u64,
    /// Of those, models with an unexplained difference.
    pub different: u64,
}

/// The matrix of pairs, and single productions.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    pairs: BTreeMap<(String, String), Cell>,
    productions: BTreeMap<String, Cell>,
}

impl Matrix {
    /// Enters one model.
    pub fn add(&mut self, grammar: &Grammar, model: &Model, outcome: Outcome) {
        let compared = match outcome {
            Outcome::Same
            | Outcome::SameButErrors
            | Outcome::SameError
            | Outcome::Different
            | Outcome::Known => 1,
            Outcome::BothRefuse | Outcome::TooLarge => 0,
        };
        let add = |cell: &mut Cell| {
            cell.generated += 1;
            cell.compared += compared;
            cell.different += u64::from(outcome == Outcome::Different);
        };
        for name in model.productions.iter().collect::<BTreeSet<_>>() {
            add(self.productions.entry(name.clone()).or_default());
        }
        let pairs: BTreeSet<(String, String)> = match &grammar.sets[model.id.set].mode {
            Mode::Path(_) => {
                model.productions.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect()
            }
            Mode::Product(_) => {
                let all = &model.productions;
                let two = all
                    .iter()
                    .enumerate()
                    .flat_map(|(at, one)| all[at + 1..].iter().map(move |two| (one, two)));
                two.map(|(one, two)| (one.clone(), two.clone())).collect()
            }
        };
        for pair in pairs {
            add(self.pairs.entry(pair).or_default());
        }
    }

    /// The pairs that the grammar allows: those nested in each other, and those combined.
    fn possible(grammar: &Grammar) -> BTreeSet<(String, String)> {
        let mut all = BTreeSet::new();
        let mut roots = Vec::new();
        for set in &grammar.sets {
            match &set.mode {
                Mode::Path(root) => roots.push(*root),
                Mode::Product(symbols) => {
                    for (at, &one) in symbols.iter().enumerate() {
                        for &two in &symbols[at + 1..] {
                            for first in &grammar.symbols[one].productions {
                                let second = grammar.symbols[two].productions.iter();
                                all.extend(second.map(|second| (first.name.clone(), second.name.clone())));
                            }
                        }
                    }
                }
            }
        }
        let mut seen = BTreeSet::new();
        while let Some(root) = roots.pop() {
            if !seen.insert(root) {
                continue;
            }
            for outer in &grammar.symbols[root].productions {
                for hole in outer.holes() {
                    roots.push(hole);
                    let inner = grammar.symbols[hole].productions.iter();
                    all.extend(inner.map(|inner| (outer.name.clone(), inner.name.clone())));
                }
            }
        }
        all
    }

    /// A summary, and what was never generated or never accepted by SPIN.
    pub fn summary(&self, grammar: &Grammar) -> String {
        let possible = Self::possible(grammar);
        let cell = |pair: &(String, String)| self.pairs.get(pair).copied().unwrap_or_default();
        let generated = possible.iter().filter(|pair| cell(pair).generated > 0).count();
        let compared = possible.iter().filter(|pair| cell(pair).compared > 0).count();
        let mut out = format!(
            "pairs of productions: {} in the grammar, {generated} generated, {compared} compared with SPIN\n",
            possible.len()
        );
        type Test = fn(&Cell) -> bool;
        let never = |test: Test| -> Vec<&str> {
            let names = grammar.symbols.iter().flat_map(|symbol| &symbol.productions);
            let names = names.map(|production| production.name.as_str());
            names.filter(|&name| test(&self.productions.get(name).copied().unwrap_or_default())).collect()
        };
        let lists: [(&str, Test); 2] = [
            ("never generated", |cell| cell.generated == 0),
            ("never accepted by SPIN", |cell| cell.generated > 0 && cell.compared == 0),
        ];
        for (what, test) in lists {
            let names = never(test);
            let _ = writeln!(
                out,
                "productions {what}: {}",
                if names.is_empty() { "none".to_owned() } else { names.join(" ") }
            );
        }
        out
    }

    /// The matrix as text: for each production with holes, what was nested in it, or combined with it.
    pub fn table(&self, grammar: &Grammar) -> String {
        let mut rows: BTreeMap<String, [Vec<String>; 4]> = BTreeMap::new();
        for pair in Self::possible(grammar) {
            let cell = self.pairs.get(&pair).copied().unwrap_or_default();
            let column = match cell {
                Cell { generated: 0, .. } => 3,
                Cell { different: 1.., .. } => 0,
                Cell { compared: 1.., .. } => 1,
                _ => 2,
            };
            let entry = match column {
                3 => pair.1,
                _ => format!("{} {}", pair.1, if column == 0 { cell.different } else { cell.generated }),
            };
            rows.entry(pair.0).or_default()[column].push(entry);
        }
        let mut out = String::new();
        for (outer, columns) in rows {
            let _ = writeln!(out, "{outer}");
            let names = ["different", "compared", "never accepted by SPIN", "never generated"];
            for (name, entries) in names.iter().zip(columns) {
                if !entries.is_empty() {
                    let _ = writeln!(out, "  {name}: {}", entries.join(", "));
                }
            }
        }
        out
    }
}
