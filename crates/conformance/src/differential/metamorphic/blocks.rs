//! Something around statements that must not matter: braces, inlines, atomic and deterministic sequences of one
//! statement, sequences of their own kind within them, selections with one option.
//!
//! What each preserves follows from sections 1, 4 and 5 of `docs/promela-semantics.md`. Exceptions that sites avoid:
//! a jump at the beginning of a block is a step; a process rests at a block before a `do` and then at the `do` itself;
//! SPIN removes idle statements of options, but not of blocks in them; priorities of escapes depend on blocks.

use super::structure::{Item, ItemKind, Kind, Statement};
use super::text::{Site, Text};
use super::{Preserves, Rewriting, Source};
use std::collections::BTreeMap;

pub(super) const REWRITINGS: &[Rewriting] = &[
    Rewriting { name: "braces", preserves: Preserves::Figures, sites: |s| around(s, &movable, "{ ", " }") },
    Rewriting {
        name: "braces-twice",
        preserves: Preserves::Figures,
        sites: |s| around(s, &movable, "{ { ", " } }"),
    },
    Rewriting {
        name: "braces-around-two",
        preserves: Preserves::Figures,
        sites: |s| pairs(s, &movable, "{ ", " }"),
    },
    Rewriting { name: "inline", preserves: Preserves::Figures, sites: |s| inlines(s, 0, false, false) },
    Rewriting {
        name: "inline-parameters",
        preserves: Preserves::Figures,
        sites: |s| inlines(s, 3, false, false),
    },
    Rewriting {
        name: "inline-in-inline",
        preserves: Preserves::Figures,
        sites: |s| inlines(s, 0, true, false),
    },
    Rewriting {
        name: "call-for-block",
        preserves: Preserves::Figures,
        sites: |s| inlines(s, 0, false, true),
    },
    Rewriting { name: "macro-statement", preserves: Preserves::Figures, sites: macros },
    Rewriting {
        name: "atomic-in-atomic",
        preserves: Preserves::Figures,
        sites: |s| around(s, &within_atomic, "atomic { ", " }"),
    },
    Rewriting {
        name: "d_step-in-d_step",
        preserves: Preserves::Figures,
        sites: |s| around(s, &within_d_step, "d_step { ", " }"),
    },
    Rewriting {
        name: "two-d_step-in-d_step",
        preserves: Preserves::Figures,
        sites: |s| pairs(s, &within_d_step, "d_step { ", " }"),
    },
    Rewriting {
        name: "atomic-in-d_step",
        preserves: Preserves::Figures,
        sites: |s| around(s, &within_d_step, "atomic { ", " }"),
    },
    Rewriting {
        name: "braces-in-d_step",
        preserves: Preserves::Figures,
        sites: |s| around(s, &within_d_step, "{ ", " }"),
    },
    Rewriting {
        name: "d_step-of-one",
        preserves: Preserves::Figures,
        sites: |s| around(s, &local_step, "d_step { ", " }"),
    },
    Rewriting {
        name: "d_step-in-d_step-of-one",
        preserves: Preserves::Figures,
        sites: |s| around(s, &local_step, "d_step { d_step { ", " } }"),
    },
    Rewriting {
        name: "atomic-of-one",
        preserves: Preserves::Figures,
        sites: |s| around(s, &one_step, "atomic { ", " }"),
    },
    Rewriting {
        name: "if-of-one",
        preserves: Preserves::Figures,
        sites: |s| around(s, &optional, "if :: ", " fi"),
    },
    Rewriting {
        name: "if-true-in-sequence",
        preserves: Preserves::Figures,
        sites: |s| around(s, &inner, "if :: true -> ", " fi"),
    },
    Rewriting {
        name: "if-true",
        preserves: Preserves::Verdict,
        sites: |s| around(s, &delayed, "if :: true -> ", " fi"),
    },
    Rewriting {
        name: "skip-before",
        preserves: Preserves::Verdict,
        sites: |s| around(s, &delayed, "skip; ", ""),
    },
    Rewriting {
        name: "do-once",
        preserves: Preserves::Verdict,
        sites: |s| around(s, &delayed, "do :: ", "; break od"),
    },
    Rewriting {
        name: "unless-never",
        preserves: Preserves::Verdict,
        sites: |s| around(s, &delayed, "{ ", " } unless { false }"),
    },
    Rewriting { name: "for-as-do", preserves: Preserves::Figures, sites: for_as_do },
];

/// Puts text around every statement that is chosen.
pub(super) fn around(
    source: &Source,
    chosen: &dyn Fn(&Source, &Statement) -> bool,
    before: &str,
    after: &str,
) -> Vec<Site> {
    let statements = source.structure.statements.iter().filter(|statement| chosen(source, statement));
    statements.map(|s| Site::default().wrap(&source.text, s.first, s.last, before, after)).collect()
}

/// The same around every two statements in a row; no two pairs share a statement.
pub(super) fn pairs(
    source: &Source,
    chosen: &dyn Fn(&Source, &Statement) -> bool,
    before: &str,
    after: &str,
) -> Vec<Site> {
    let mut sequences: BTreeMap<usize, Vec<&Statement>> = BTreeMap::new();
    for statement in &source.structure.statements {
        sequences.entry(statement.sequence).or_default().push(statement);
    }
    let mut sites = Vec::new();
    for statements in sequences.values() {
        for pair in statements.chunks_exact(2) {
            let whole = Statement { last: pair[1].last, ..pair[0].clone() };
            if pair.iter().all(|s| chosen(source, s)) && !source.has_directive(&whole) {
                sites.push(Site::default().wrap(&source.text, whole.first, whole.last, before, after));
            }
        }
    }
    sites
}

/// A statement that may be put into a block without another place to rest.
pub(super) fn movable(source: &Source, s: &Statement) -> bool {
    use Kind::{Atomic, Block, DStep, For, Idle, If};
    let kind = s.kind.is_basic()
        || matches!(s.kind, If | Atomic | DStep | Block | For)
        || (s.kind == Idle && !s.around.option);
    kind && !s.labelled && !s.around.unless && !source.has_directive(s) && !may_block_in_d_step(source, s)
}

/// SPIN enters a block or selection within a deterministic sequence without asking whether its first statement can be
/// executed, and goes on behind the ones that cannot: around what may block, nothing may be put there.
fn may_block_in_d_step(source: &Source, s: &Statement) -> bool {
    let inside = s.around.d_step || (s.around.inline && source.mentions("d_step"));
    inside && !matches!(s.kind, Kind::Assignment | Kind::Assert)
}

/// A step that may be put into a block: what follows it does so in the same way.
pub(super) fn one_step(source: &Source, s: &Statement) -> bool {
    movable(source, s) && (s.kind.is_basic() || s.kind == Kind::Idle) && !s.around.d_step
}

/// A step that needs no other process.
fn local_step(source: &Source, s: &Statement) -> bool {
    one_step(source, s)
        && !matches!(s.kind, Kind::Send | Kind::Receive | Kind::Run)
        && !source.contains(s, &["timeout", "else", "?", "??"])
}

/// A rendez-vous hands on control before the join that ends a selection is reached.
fn optional(source: &Source, s: &Statement) -> bool {
    let hands_on = matches!(s.kind, Kind::Send | Kind::Receive) && (s.around.atomic || s.around.inline);
    one_step(source, s) && s.kind != Kind::Idle && !hands_on
}

fn within_atomic(source: &Source, s: &Statement) -> bool {
    movable(source, s) && s.around.atomic && !s.around.d_step
}

fn within_d_step(source: &Source, s: &Statement) -> bool {
    s.around.d_step && movable(source, s) && !jumps_away(source, s)
}

/// Whether a statement may lead somewhere else than behind itself.
fn jumps_away(source: &Source, s: &Statement) -> bool {
    let breaks = source.contains(s, &["break"]) && !matches!(s.kind, Kind::Do | Kind::For);
    breaks || source.contains(s, &["goto", "return", ":"])
}

/// A statement in the middle of an atomic or deterministic sequence, where another step before it is not seen.
fn inner(source: &Source, s: &Statement) -> bool {
    let inside = s.around.atomic || s.around.d_step;
    s.kind.is_basic()
        && inside
        && !may_block_in_d_step(source, s)
        && !matches!(s.kind, Kind::Send | Kind::Receive)
        && !s.leads
        && !s.labelled
        && !s.around.unless
        && !source.has_directive(s)
}

/// A statement before which another step changes only when things happen. Rendez-vous are left out, since an `else`
/// somewhere else may see whether a process waits for one; and so are models in which the order of steps is seen.
fn delayed(source: &Source, s: &Statement) -> bool {
    let seen = ["_last", "enabled", "pc_value", "priority", "set_priority", "provided", "full", "unless"];
    let begins_atomic = s.leads && s.around.atomic;
    let in_d_step = s.around.d_step || (s.around.inline && source.mentions("d_step"));
    s.kind.is_basic()
        && !matches!(s.kind, Kind::Send | Kind::Receive)
        && !s.guards
        && !begins_atomic
        && !in_d_step
        && !s.labelled
        && !source.has_directive(s)
        && !source.contains(s, &["timeout"])
        && !seen.iter().any(|word| source.mentions(word))
}

fn item_of<'s>(source: &'s Source, s: &Statement) -> &'s Item {
    &source.structure.items[s.item]
}

/// Where a definition may be put that a statement uses: before the part of the text that contains it.
pub(super) fn definition_place(text: &Text, item: &Item) -> usize {
    text.tokens[item.first].range.start
}

fn may_be_inlined(source: &Source, s: &Statement, within_inlines: bool) -> bool {
    // Labels and jumps belong to an expansion; and `select` in an inline is another loop.
    let bound = ["goto", "break", ":", "return", "select"];
    movable(source, s)
        && !source.begins_unclearly(item_of(source, s))
        && !source.contains(s, &bound)
        && (item_of(source, s).kind == ItemKind::Inline) == within_inlines
        && source.text.tokens[s.first..=s.last].iter().all(|token| !token.after_directive)
}

/// An inline with up to `most` parameters in the place of each statement; with `bare`, only where a block is replaced and
/// the call is then followed by another statement without a separator between, which SPIN accepts.
fn inlines(source: &Source, most: usize, within_inlines: bool, bare: bool) -> Vec<Site> {
    let text = &source.text;
    let mut sites = Vec::new();
    for (number, s) in source.structure.statements.iter().enumerate() {
        if !may_be_inlined(source, s, within_inlines) {
            continue;
        }
        // Inside an inline, its own parameters must be handed on: they are replaced as text.
        let own = own_parameters(source, s);
        let arguments = if within_inlines { own } else { arguments(source, s, most) };
        if (most > 0 && arguments.is_empty()) || (bare && separator(source, s).is_empty()) {
            continue;
        }
        let range = text.tokens[s.first].range.start..text.tokens[s.last].range.end;
        let body = substituted(text, s, &arguments);
        let parameters: Vec<String> = (0..arguments.len()).map(|index| format!("mmp{index}")).collect();
        let separator = if bare { "" } else { separator(source, s) };
        let definition = format!("inline mmi{number}({}) {{ {body} }}\n", parameters.join(", "));
        let place = definition_place(text, item_of(source, s));
        sites.push(
            Site::default()
                .replace(place..place, definition)
                .replace(range, format!("mmi{number}({}){separator}", arguments.join(", "))),
        );
    }
    sites
}

fn own_parameters(source: &Source, s: &Statement) -> Vec<String> {
    let item = item_of(source, s);
    let Some((open, _)) = item.body else { return Vec::new() };
    let names = (item.first + 2..open).filter(|&index| source.text.is_name(index));
    let names: Vec<String> = names.map(|index| source.text.at(index).to_owned()).collect();
    names.into_iter().filter(|name| source.contains(s, &[name])).collect()
}

/// A block needs no separator after it; what takes its place may need one.
fn separator(source: &Source, s: &Statement) -> &'static str {
    let follows = ["", ";", "->", "}", "fi", "od", "::", "unless"];
    if source.text.at(s.last) == "}" && !follows.contains(&source.text.at(s.last + 1)) { ";" } else { "" }
}

/// Some names in a statement that stand for values or variables.
fn arguments(source: &Source, s: &Statement, most: usize) -> Vec<String> {
    let text = &source.text;
    let mut found: Vec<String> = Vec::new();
    for index in s.first..=s.last {
        let word = text.at(index);
        let bound = index > 0 && matches!(text.at(index - 1), "." | "run" | "goto" | "@");
        let plain = text.is_name(index)
            && !super::data::KEYWORDS.contains(&word)
            && text.at(index + 1) != "("
            && !bound
            && !source.structure.all_macros.contains(word)
            && !source.structure.structures.contains(word)
            && !source.structure.inlines.contains(word);
        if plain && found.len() < most && !found.iter().any(|name| name == word) {
            found.push(word.to_owned());
        }
    }
    found
}

/// The text of a statement with parameters in the places of arguments.
fn substituted(text: &Text, s: &Statement, arguments: &[String]) -> String {
    let mut out = String::new();
    let mut at = text.tokens[s.first].range.start;
    for index in s.first..=s.last {
        let token = &text.tokens[index];
        let field = index > 0 && text.at(index - 1) == ".";
        let parameter = arguments.iter().position(|name| name == text.at(index)).filter(|_| !field);
        if let Some(parameter) = parameter {
            out.push_str(&text.text[at..token.range.start]);
            out.push_str(&format!("mmp{parameter}"));
            at = token.range.end;
        }
    }
    out.push_str(&text.text[at..text.tokens[s.last].range.end]);
    out
}

/// A macro in the place of each statement that is written on one line.
fn macros(source: &Source) -> Vec<Site> {
    let text = &source.text;
    let mut sites = Vec::new();
    for (number, s) in source.structure.statements.iter().enumerate() {
        let shown = source.shown(s);
        let quoted = (s.first..=s.last).any(|index| text.sort(index) == Some(super::text::Sort::Quoted));
        let clear = !shown.contains('\n') && !shown.contains("//") && !quoted;
        let unclear = source.begins_unclearly(item_of(source, s));
        if !clear
            || unclear
            || s.labelled
            || source.has_directive(s)
            || !(s.kind.is_basic() || s.kind == Kind::If)
        {
            continue;
        }
        let place = definition_place(text, item_of(source, s));
        let range = text.tokens[s.first].range.start..text.tokens[s.last].range.end;
        let definition = format!("\n#define mms{number} {shown}\n");
        sites.push(Site::default().replace(place..place, definition).replace(range, format!("mms{number}")));
    }
    sites
}

/// `for (i : a .. b) { S }` is `i = a; do :: i <= b -> S; i++ :: else -> break od`.
fn for_as_do(source: &Source) -> Vec<Site> {
    let text = &source.text;
    let mut sites = Vec::new();
    for s in source.structure.statements.iter().filter(|s| s.kind == Kind::For && !s.labelled) {
        let Some((open, close)) = s.body else { continue };
        let head = s.first + 2..open - 1;
        let colon = head.clone().find(|&index| text.at(index) == ":");
        let dots = head.clone().find(|&index| text.at(index) == "..");
        let (Some(colon), Some(dots)) = (colon, dots) else { continue };
        let inside = |inner: &&Statement| inner.first > open && inner.last < close;
        // Idle statements of a loop's option may be removed; a declaration needs a scope.
        let unlike = |inner: &Statement| matches!(inner.kind, Kind::Idle | Kind::Declaration | Kind::Call);
        if source.structure.statements.iter().filter(inside).any(unlike)
            || source.has_directive(s)
            || s.around.unless
        {
            continue;
        }
        let variable = text.between(head.start, colon - 1);
        let (from, to) = (text.between(colon + 1, dots - 1), text.between(dots + 1, head.end - 1));
        let begin = text.tokens[s.first].range.start..text.tokens[open].range.end;
        let end = text.tokens[close].range.clone();
        let head = format!("{variable} = {from}; do :: {variable} <= {to} -> ");
        sites.push(
            Site::default()
                .replace(begin, head)
                .replace(end, format!("; {variable}++ :: else -> break od{}", separator(source, s))),
        );
    }
    sites
}
