//! Rewritings that change what a model does. SPIN says how: states, transitions, errors and their kinds of both must be
//! the same after the change, too.
//!
//! They are one small step away from what somebody wrote, so that they reach corners that neither people (whose models
//! work) nor generators (which do not know what people write) reach: a statement that goes missing in an atomic
//! sequence, a channel that holds one message more, an `else` where none was.

use super::blocks::{around, movable, one_step, pairs};
use super::structure::{ItemKind, Kind, Statement};
use super::text::{Site, Sort};
use super::{Preserves, Rewriting, Source};

pub(super) const REWRITINGS: &[Rewriting] = &[
    Rewriting {
        name: "made-atomic",
        preserves: Preserves::Nothing,
        sites: |s| pairs(s, &sequential, "atomic { ", " }"),
    },
    Rewriting {
        name: "body-made-atomic",
        preserves: Preserves::Nothing,
        sites: |s| bodies(s, "atomic { ", " }"),
    },
    Rewriting {
        name: "made-deterministic",
        preserves: Preserves::Nothing,
        sites: |s| pairs(s, &sequential, "d_step { ", " }"),
    },
    Rewriting {
        name: "d_step-for-atomic",
        preserves: Preserves::Nothing,
        sites: |s| keyword(s, "atomic", "d_step"),
    },
    Rewriting {
        name: "atomic-for-d_step",
        preserves: Preserves::Nothing,
        sites: |s| keyword(s, "d_step", "atomic"),
    },
    Rewriting {
        name: "block-for-atomic",
        preserves: Preserves::Nothing,
        sites: |s| keyword(s, "atomic", ""),
    },
    Rewriting {
        name: "capacity-increased",
        preserves: Preserves::Nothing,
        sites: |s| capacity(s, |n| n + 1),
    },
    Rewriting {
        name: "capacity-decreased",
        preserves: Preserves::Nothing,
        sites: |s| capacity(s, |n| n.saturating_sub(1)),
    },
    Rewriting { name: "process-added", preserves: Preserves::Nothing, sites: process },
    Rewriting {
        name: "statement-removed",
        preserves: Preserves::Nothing,
        sites: |s| replaced(s, |_| "skip".to_owned()),
    },
    Rewriting {
        name: "statement-doubled",
        preserves: Preserves::Nothing,
        sites: |s| replaced(s, |text| format!("{text}; {text}")),
    },
    Rewriting {
        name: "blocked",
        preserves: Preserves::Nothing,
        sites: |s| replaced(s, |_| "false".to_owned()),
    },
    Rewriting {
        name: "made-optional",
        preserves: Preserves::Nothing,
        sites: |s| around(s, &one_step, "if :: ", " :: skip fi"),
    },
    Rewriting {
        name: "else-added",
        preserves: Preserves::Nothing,
        sites: |s| around(s, &one_step, "if :: ", " :: else fi"),
    },
    Rewriting { name: "else-removed", preserves: Preserves::Nothing, sites: without_else },
    Rewriting {
        name: "loop-made",
        preserves: Preserves::Nothing,
        sites: |s| around(s, &one_step, "do :: ", " :: break od"),
    },
    Rewriting {
        name: "escape-added",
        preserves: Preserves::Nothing,
        sites: |s| around(s, &movable, "{ ", " } unless { timeout }"),
    },
    Rewriting {
        name: "escape-to-pid",
        preserves: Preserves::Nothing,
        sites: |s| around(s, &movable, "{ ", " } unless { _nr_pr == 1 }"),
    },
    Rewriting {
        name: "waits-for-timeout",
        preserves: Preserves::Nothing,
        sites: |s| around(s, &one_step, "timeout; ", ""),
    },
    Rewriting { name: "number-changed", preserves: Preserves::Nothing, sites: numbers },
    Rewriting { name: "operator-changed", preserves: Preserves::Nothing, sites: operators },
    Rewriting {
        name: "narrower",
        preserves: Preserves::Nothing,
        sites: |s| types(s, &[("int", "byte"), ("byte", "bit"), ("short", "byte")]),
    },
    Rewriting {
        name: "wider",
        preserves: Preserves::Nothing,
        sites: |s| types(s, &[("bit", "byte"), ("bool", "short"), ("byte", "int")]),
    },
    Rewriting { name: "unreceived", preserves: Preserves::Nothing, sites: |s| channel(s, "?", "??") },
    Rewriting { name: "sorted", preserves: Preserves::Nothing, sites: |s| channel(s, "!", "!!") },
    Rewriting { name: "two-instances", preserves: Preserves::Nothing, sites: instances },
    Rewriting { name: "priority-added", preserves: Preserves::Nothing, sites: |s| header(s, " priority 2 ") },
    Rewriting {
        name: "provided-added",
        preserves: Preserves::Nothing,
        sites: |s| header(s, " provided (_nr_pr < 3) "),
    },
    Rewriting { name: "label-added", preserves: Preserves::Nothing, sites: labels },
];

/// A statement that can be part of a sequence of any kind.
fn sequential(source: &Source, s: &Statement) -> bool {
    let jumps = source.contains(s, &["goto", "break", ":"]);
    movable(source, s) && !(jumps && s.kind != Kind::For) && !s.around.d_step
}

fn bodies(source: &Source, before: &str, after: &str) -> Vec<Site> {
    let mut sites = Vec::new();
    for s in source.structure.statements.iter().filter(|s| matches!(s.kind, Kind::If | Kind::Do | Kind::For))
    {
        if !source.has_directive(s) && !s.around.d_step && !s.labelled {
            sites.push(Site::default().wrap(&source.text, s.first, s.last, before, after));
        }
    }
    sites
}

fn keyword(source: &Source, from: &str, to: &str) -> Vec<Site> {
    let text = &source.text;
    let is = |index: &usize| text.at(*index) == from;
    let replace = |index: usize| Site::default().replace(text.tokens[index].range.clone(), to);
    (0..text.tokens.len()).filter(is).map(replace).collect()
}

fn capacity(source: &Source, change: fn(u32) -> u32) -> Vec<Site> {
    let text = &source.text;
    let mut sites = Vec::new();
    for index in 2..text.tokens.len() {
        if text.at(index) != "of" || text.sort(index - 2) != Some(Sort::Number) {
            continue;
        }
        let Ok(value) = text.at(index - 2).parse::<u32>() else { continue };
        if change(value) != value {
            sites.push(
                Site::default().replace(text.tokens[index - 2].range.clone(), change(value).to_string()),
            );
        }
    }
    sites
}

fn process(source: &Source) -> Vec<Site> {
    let end = source.text.text.len();
    let text = "\nactive proctype mmP() { byte mmx; mmx = 1; atomic { mmx = 2; mmx == 2; mmx = 0 } }\n";
    vec![Site::default().replace(end..end, text)]
}

fn replaced(source: &Source, with: fn(&str) -> String) -> Vec<Site> {
    let found = source.structure.statements.iter().filter(|s| s.kind.is_basic() && !source.has_directive(s));
    let range = |s: &Statement| source.text.tokens[s.first].range.start..source.text.tokens[s.last].range.end;
    found.map(|s| Site::default().replace(range(s), with(source.shown(s)))).collect()
}

fn without_else(source: &Source) -> Vec<Site> {
    let text = &source.text;
    let mut sites = Vec::new();
    for s in source.structure.statements.iter().filter(|s| s.options.len() > 1 && !source.has_directive(s)) {
        for &(first, last) in s.options.iter().filter(|(first, _)| text.at(first + 1) == "else") {
            sites.push(
                Site::default().replace(text.tokens[first].range.start..text.tokens[last].range.end, ""),
            );
        }
    }
    sites
}

fn numbers(source: &Source) -> Vec<Site> {
    let text = &source.text;
    let mut sites = Vec::new();
    for index in 0..text.tokens.len() {
        if text.sort(index) == Some(Sort::Number)
            && let Ok(value) = text.at(index).parse::<i64>()
        {
            let other = if value > 1 { value - 1 } else { value + 1 };
            sites.push(Site::default().replace(text.tokens[index].range.clone(), other.to_string()));
        }
    }
    sites
}

fn operators(source: &Source) -> Vec<Site> {
    let text = &source.text;
    let others = [
        ("==", "!="),
        ("!=", "=="),
        ("<", "<="),
        ("<=", "<"),
        (">", ">="),
        (">=", ">"),
        ("&&", "||"),
        ("||", "&&"),
        ("+", "-"),
        ("-", "+"),
        ("*", "/"),
        ("%", "/"),
        ("++", "--"),
        ("--", "++"),
        ("/", "%"),
        ("&", "|"),
    ];
    let other = |index: usize| others.iter().find(|(from, _)| *from == text.at(index));
    (0..text.tokens.len())
        .filter_map(|index| Some((index, other(index)?)))
        .map(|(index, (_, to))| Site::default().replace(text.tokens[index].range.clone(), *to))
        .collect()
}

fn types(source: &Source, changes: &[(&str, &str)]) -> Vec<Site> {
    let text = &source.text;
    let other = |index: usize| changes.iter().find(|(from, _)| *from == text.at(index));
    (0..text.tokens.len())
        .filter_map(|index| Some((index, other(index)?)))
        .map(|(index, (_, to))| Site::default().replace(text.tokens[index].range.clone(), *to))
        .collect()
}

fn channel(source: &Source, from: &str, to: &str) -> Vec<Site> {
    let text = &source.text;
    let mut sites = Vec::new();
    for s in source.structure.statements.iter().filter(|s| matches!(s.kind, Kind::Send | Kind::Receive)) {
        let mut places = (s.first..=s.last).filter(|&index| text.at(index) == from);
        if let Some(index) = places.next() {
            sites.push(Site::default().replace(text.tokens[index].range.clone(), to));
        }
    }
    sites
}

fn instances(source: &Source) -> Vec<Site> {
    let text = &source.text;
    let plain = |index: &usize| text.at(*index) == "active" && text.at(index + 1) == "proctype";
    let replace = |index: usize| Site::default().replace(text.tokens[index].range.clone(), "active [2]");
    (0..text.tokens.len()).filter(plain).map(replace).collect()
}

/// Something before the body of a proctype.
fn header(source: &Source, with: &str) -> Vec<Site> {
    let text = &source.text;
    let mut sites = Vec::new();
    for item in source.structure.items.iter().filter(|item| item.kind == ItemKind::Process) {
        let Some((open, _)) = item.body else { continue };
        let named = (item.first..open).any(|index| matches!(text.at(index), "proctype" | "D_proctype"));
        let plain = text.at(open - 1) == ")" && (item.first..open).all(|index| text.at(index) != "provided");
        if named && plain {
            sites.push(Site::default().before(text, open, with));
        }
    }
    sites
}

/// Labels that say that a process may end there.
fn labels(source: &Source) -> Vec<Site> {
    let mut sites = Vec::new();
    for (number, s) in source.structure.statements.iter().enumerate() {
        let jump = matches!(s.kind, Kind::Declaration | Kind::Else | Kind::Call | Kind::Unless);
        if !jump && !s.labelled && !s.leads && !source.has_directive(s) && !s.around.inline {
            sites.push(Site::default().before(&source.text, s.first, format!("endmm{number}: ")));
        }
    }
    sites
}
