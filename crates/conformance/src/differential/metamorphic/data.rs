//! Other names and other places for the same values.

use super::blocks::definition_place;
use super::structure::ItemKind;
use super::text::{Site, Sort};
use super::{Preserves, Rewriting, Source};

pub(super) const REWRITINGS: &[Rewriting] = &[
    Rewriting { name: "rename", preserves: Preserves::Figures, sites: rename },
    Rewriting { name: "numbers-as-macros", preserves: Preserves::Figures, sites: numbers },
    Rewriting { name: "variable-as-field", preserves: Preserves::Figures, sites: |s| moved(s, true) },
    Rewriting { name: "variable-as-element", preserves: Preserves::Figures, sites: |s| moved(s, false) },
    Rewriting { name: "hidden", preserves: Preserves::Verdict, sites: hidden },
    Rewriting { name: "not-hidden", preserves: Preserves::Verdict, sites: not_hidden },
    Rewriting { name: "declarations-split", preserves: Preserves::Figures, sites: split },
    Rewriting {
        name: "constant-added",
        preserves: Preserves::Figures,
        sites: |s| added(s, "byte mmc = 7; hidden int mmh;\n"),
    },
    Rewriting { name: "dead-proctype", preserves: Preserves::Figures, sites: |s| appended(s, DEAD) },
    Rewriting {
        name: "unused-inline",
        preserves: Preserves::Figures,
        sites: |s| added(s, "inline mmu(a, b) { a = b; if :: a > b -> goto mmL :: else fi; mmL: skip }\n"),
    },
    Rewriting {
        name: "unused-structure",
        preserves: Preserves::Figures,
        sites: |s| added(s, "typedef mmT { byte a[2]; chan c = [2] of { byte } };\n"),
    },
];

/// A proctype that nobody runs.
const DEAD: &str = "proctype mmDead(byte mma) { byte mmb; d_step { mmb = mma; if :: mmb > 3 -> mmb = 0 :: else fi }; \
                    do :: false -> assert(false) :: mmb < 2 -> mmb++ :: else -> break od; run mmDead(mmb) }";

/// Words of the language, with those that have a meaning in formulas only.
pub(super) const KEYWORDS: &[&str] = &[
    "active",
    "always",
    "assert",
    "atomic",
    "bit",
    "bool",
    "break",
    "byte",
    "chan",
    "d_step",
    "D_proctype",
    "do",
    "else",
    "empty",
    "enabled",
    "equivalent",
    "eval",
    "eventually",
    "false",
    "fi",
    "for",
    "full",
    "get_priority",
    "goto",
    "hidden",
    "if",
    "implies",
    "in",
    "init",
    "inline",
    "int",
    "len",
    "local",
    "ltl",
    "mtype",
    "nempty",
    "never",
    "next",
    "nfull",
    "notrace",
    "np_",
    "od",
    "of",
    "pc_value",
    "pid",
    "printf",
    "printm",
    "priority",
    "proctype",
    "provided",
    "release",
    "return",
    "run",
    "select",
    "set_priority",
    "short",
    "show",
    "skip",
    "stronguntil",
    "timeout",
    "trace",
    "true",
    "typedef",
    "unless",
    "unsigned",
    "until",
    "weakuntil",
    "xr",
    "xs",
    "U",
    "V",
    "W",
    "X",
    "R",
    "_",
    "_pid",
    "_nr_pr",
    "_last",
    "_priority",
    "STDIN",
    "defined",
    "__LINE__",
    "__FILE__",
    "__VA_ARGS__",
    "c_code",
    "c_expr",
    "c_decl",
    "c_state",
    "c_track",
    "define",
    "include",
    "ifdef",
    "ifndef",
    "undef",
    "elif",
    "endif",
    "line",
    "pragma",
    "error",
    "warning",
];

/// Every name becomes another one, in preprocessor lines too. The new part comes last, since the beginning of a label
/// has a meaning, and has no `_`, since SPIN reads `select` otherwise where the name has one.
fn rename(source: &Source) -> Vec<Site> {
    let text = &source.text;
    let tokens = text.tokens.iter().cloned().chain(text.tokens_of_directives());
    let mut site = Site::default();
    let mut renamed = 0;
    for token in tokens.filter(|token| token.sort == Sort::Name) {
        let word = &text.text[token.range.clone()];
        if !KEYWORDS.contains(&word) {
            let end = token.range.end;
            site = site.replace(end..end, "mm7");
            renamed += 1;
        }
    }
    // What is pasted together, or made into a string, has another name then.
    let pasted = text.directives.iter().any(|range| {
        let line = text.text[range.clone()].trim_start_matches('#');
        line.contains('#') || line.trim_start().starts_with("include")
    });
    if renamed == 0 || pasted { Vec::new() } else { vec![site] }
}

/// Macros for numbers.
fn numbers(source: &Source) -> Vec<Site> {
    let text = &source.text;
    let mut sites = Vec::new();
    // A byte order mark stays the first character.
    let begin = if text.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    for (index, token) in text.tokens.iter().enumerate().filter(|(_, token)| token.sort == Sort::Number) {
        let word = text.at(index);
        let definition = format!("#define mmn{index} {word}\n");
        sites.push(
            Site::default()
                .replace(begin..begin, definition)
                .replace(token.range.clone(), format!("mmn{index}")),
        );
    }
    sites
}

/// A global variable becomes a field of a structure, or the only element of an array.
fn moved(source: &Source, field: bool) -> Vec<Site> {
    let text = &source.text;
    let mut sites = Vec::new();
    // Arrays of bits are arrays of bytes, so that another value may be stored in them.
    let types: &[&str] = if field {
        &["bit", "bool", "byte", "short", "int", "pid"]
    } else {
        &["byte", "short", "int", "pid"]
    };
    for item in source.structure.items.iter().filter(|item| item.kind == ItemKind::Variables) {
        let (ty, name, next) = (text.at(item.first), text.at(item.first + 1), text.at(item.first + 2));
        // An initial value of a field is a constant; another variable may not be there yet.
        let plain = item.last == item.first + 1
            || (item.last == item.first + 3 && next == "=" && text.sort(item.last) == Some(Sort::Number));
        if !types.contains(&ty) || !plain || !is_only_variable(source, name, item.first + 1) {
            continue;
        }
        let range = text.tokens[item.first].range.start..text.tokens[item.last].range.end;
        let declared = text.between(item.first + 1, item.last);
        let (declaration, place) = if field {
            (
                format!("typedef mmT{name} {{ {ty} {declared} }};\nmmT{name} mms{name}"),
                format!("mms{name}.{name}"),
            )
        } else {
            let value = declared.strip_prefix(name).unwrap_or_default();
            (format!("{ty} mma{name}[1]{value}"), format!("mma{name}[0]"))
        };
        let mut site = Site::default().replace(range, declaration);
        for (index, token) in text.tokens.iter().enumerate() {
            if text.at(index) == name && index > item.last {
                site = site.replace(token.range.clone(), place.clone());
            }
        }
        sites.push(site);
    }
    sites
}

/// Whether a name always means the variable declared there: it is declared once, is no field, no parameter, no label, no
/// counter of a loop (SPIN takes only plain names there), and no macro speaks of it.
fn is_only_variable(source: &Source, name: &str, declared: usize) -> bool {
    let text = &source.text;
    let types = ["bit", "bool", "byte", "short", "int", "pid", "chan", "mtype", "unsigned"];
    let in_directive = text.tokens_of_directives().into_iter().any(|token| text.text[token.range] == *name);
    let declares = |at: usize| {
        // Back to what begins the list of declarators.
        let mut index = at;
        while index > 0 && matches!(text.at(index - 1), "," | "]" | "[" | "=") {
            index = index.saturating_sub(2);
        }
        index > 0
            && (types.contains(&text.at(index - 1))
                || source.structure.structures.contains(text.at(index - 1)))
    };
    let used = |at: usize| {
        let before = if at == 0 { "" } else { text.at(at - 1) };
        let loops = before == "(" && matches!(text.at(at - 2), "for" | "select");
        let label = text.at(at + 1) == ":" && matches!(before, ";" | "}" | "{" | "->" | "::");
        let remote = before == ":" && text.at(at.saturating_sub(2)) == "]";
        before == "." || loops || label || remote || declares(at) || matches!(text.at(at + 1), "@" | ":")
    };
    let inline_parameter = source.structure.items.iter().any(|item| {
        let head = item.body.map_or(item.first..item.first, |(open, _)| item.first..open);
        matches!(item.kind, ItemKind::Inline | ItemKind::Process)
            && head.into_iter().any(|at| text.at(at) == name)
    });
    !in_directive
        && !inline_parameter
        && !source.mentions("ltl")
        && (0..text.tokens.len()).filter(|&at| text.at(at) == name && at != declared).all(|at| !used(at))
}

/// `byte a, b` becomes `byte a; byte b`, where declarations are no statements.
fn split(source: &Source) -> Vec<Site> {
    let text = &source.text;
    let mut sites = Vec::new();
    for item in source.structure.items.iter().filter(|item| item.kind == ItemKind::Variables) {
        let ty = text.at(item.first);
        if matches!(ty, "hidden" | "show" | "local" | "unsigned") || text.at(item.first + 1) == ":" {
            continue;
        }
        let mut site = Site::default();
        let mut at = item.first;
        let mut found = false;
        while at <= item.last {
            match text.at(at) {
                "(" | "[" | "{" => at = text.closing(at).unwrap_or(item.last),
                "," => {
                    site = site.replace(text.tokens[at].range.clone(), format!("; {ty}"));
                    found = true;
                }
                _ => {}
            }
            at += 1;
        }
        if found {
            sites.push(site);
        }
    }
    sites
}

/// A global becomes `hidden`: whoever reads it still finds what was written.
fn hidden(source: &Source) -> Vec<Site> {
    let text = &source.text;
    let plain =
        |at: usize| matches!(text.at(at), "bit" | "bool" | "byte" | "short" | "int" | "pid" | "mtype");
    source
        .structure
        .items
        .iter()
        .filter(|item| {
            item.kind == ItemKind::Variables
                && plain(item.first)
                && !matches!(text.at(item.first + 1), "=" | ":")
        })
        .map(|item| Site::default().before(text, item.first, "hidden "))
        .collect()
}

/// The reverse.
fn not_hidden(source: &Source) -> Vec<Site> {
    let text = &source.text;
    let items = source.structure.items.iter().filter(|item| item.kind == ItemKind::Variables);
    items
        .filter(|item| text.at(item.first) == "hidden")
        .map(|item| Site::default().replace(text.tokens[item.first].range.clone(), ""))
        .collect()
}

/// A declaration before the first process.
fn added(source: &Source, declaration: &str) -> Vec<Site> {
    let process = source.structure.items.iter().find(|item| item.kind == ItemKind::Process);
    let place = process.map(|item| definition_place(&source.text, item));
    place.map(|place| Site::default().replace(place..place, declaration)).into_iter().collect()
}

fn appended(source: &Source, declaration: &str) -> Vec<Site> {
    let end = source.text.text.len();
    let process = source.structure.items.iter().any(|item| item.kind == ItemKind::Process);
    if process { vec![Site::default().replace(end..end, format!("\n{declaration}\n"))] } else { Vec::new() }
}
