//! Other ways of writing the same statement.

use super::structure::{Kind, Statement};
use super::text::{Site, Sort};
use super::{Preserves, Rewriting, Source};

pub(super) const REWRITINGS: &[Rewriting] = &[
    Rewriting { name: "increments-as-sums", preserves: Preserves::Figures, sites: increments },
    Rewriting { name: "sums-as-increments", preserves: Preserves::Figures, sites: sums },
    Rewriting { name: "true-for-skip", preserves: Preserves::Figures, sites: |s| idle(s, "skip", "true") },
    Rewriting { name: "one-for-skip", preserves: Preserves::Figures, sites: |s| idle(s, "skip", "(1)") },
    Rewriting { name: "skip-for-true", preserves: Preserves::Figures, sites: |s| idle(s, "true", "skip") },
    Rewriting { name: "truth-as-numbers", preserves: Preserves::Figures, sites: truth },
    Rewriting { name: "parentheses-around-values", preserves: Preserves::Figures, sites: values },
    Rewriting { name: "parentheses-around-conditions", preserves: Preserves::Figures, sites: conditions },
    Rewriting { name: "parentheses-around-numbers", preserves: Preserves::Figures, sites: operands },
    Rewriting { name: "double-negation", preserves: Preserves::Figures, sites: negations },
    Rewriting { name: "zero-added", preserves: Preserves::Figures, sites: zeros },
    Rewriting { name: "message-form", preserves: Preserves::Figures, sites: messages },
    Rewriting { name: "active-one", preserves: Preserves::Figures, sites: active },
    Rewriting { name: "options-reversed", preserves: Preserves::Figures, sites: |s| options(s, true) },
    Rewriting { name: "options-rotated", preserves: Preserves::Figures, sites: |s| options(s, false) },
    Rewriting { name: "negation-for-else", preserves: Preserves::Figures, sites: negated_else },
    Rewriting { name: "assert-as-if", preserves: Preserves::Verdict, sites: asserts },
];

fn statements(source: &Source, kind: Kind) -> impl Iterator<Item = &Statement> {
    source.structure.statements.iter().filter(move |s| s.kind == kind && !source.has_directive(s))
}

fn bytes(source: &Source, first: usize, last: usize) -> std::ops::Range<usize> {
    source.text.tokens[first].range.start..source.text.tokens[last].range.end
}

fn increments(source: &Source) -> Vec<Site> {
    let mut sites = Vec::new();
    for s in statements(source, Kind::Assignment) {
        let operator = source.text.at(s.last);
        if s.last > s.first && matches!(operator, "++" | "--") {
            let place = source.text.between(s.first, s.last - 1);
            let sum = format!("{place} = {place} {} 1", &operator[..1]);
            sites.push(Site::default().replace(bytes(source, s.first, s.last), sum));
        }
    }
    sites
}

fn sums(source: &Source) -> Vec<Site> {
    let text = &source.text;
    let mut sites = Vec::new();
    for s in statements(source, Kind::Assignment) {
        // Only `x = x + 1`: an index would be computed twice, which does not matter, but is rarely written.
        let shape =
            s.last == s.first + 4 && text.at(s.first + 1) == "=" && text.at(s.first) == text.at(s.first + 2);
        if shape && text.at(s.last) == "1" && matches!(text.at(s.first + 3), "+" | "-") {
            let operator = text.at(s.first + 3).repeat(2);
            sites.push(Site::default().replace(bytes(source, s.first + 1, s.last), operator));
        }
    }
    sites
}

fn idle(source: &Source, from: &str, to: &str) -> Vec<Site> {
    let is = |s: &&Statement| s.first == s.last && source.text.at(s.first) == from;
    let found = statements(source, Kind::Idle).filter(is);
    found.map(|s| Site::default().replace(bytes(source, s.first, s.last), to)).collect()
}

/// `true` and `false` are numbers, outside formulas and messages (where names may stand for themselves).
fn truth(source: &Source) -> Vec<Site> {
    let mut sites = Vec::new();
    let is_simple = |s: &&Statement| matches!(s.kind, Kind::Assignment | Kind::Condition | Kind::Assert);
    for s in source.structure.statements.iter().filter(is_simple) {
        for index in s.first..=s.last {
            let number = match source.text.at(index) {
                "true" => "1",
                "false" => "0",
                _ => continue,
            };
            sites.push(Site::default().replace(bytes(source, index, index), number));
        }
    }
    sites
}

/// The tokens of the value that is assigned.
fn assigned(source: &Source, s: &Statement) -> Option<(usize, usize)> {
    let equals = (s.first..=s.last).find(|&index| source.text.at(index) == "=")?;
    let known = equals < s.last && source.text.at(equals + 1) != "run" && source.text.at(equals + 1) != "{";
    known.then_some((equals + 1, s.last))
}

fn values(source: &Source) -> Vec<Site> {
    let found = statements(source, Kind::Assignment).filter_map(|s| assigned(source, s));
    found.map(|(first, last)| Site::default().wrap(&source.text, first, last, "(", ")")).collect()
}

/// Polls and the like may not be within parentheses everywhere, so that only conditions without them are taken.
fn pure(source: &Source, first: usize, last: usize) -> bool {
    let special =
        ["?", "??", "!!", "timeout", "run", "empty", "full", "nempty", "nfull", "_last", "np_", "enabled"];
    (first..=last).all(|index| !special.contains(&source.text.at(index)))
}

fn conditions(source: &Source) -> Vec<Site> {
    let found = statements(source, Kind::Condition).filter(|s| pure(source, s.first, s.last));
    found.map(|s| Site::default().wrap(&source.text, s.first, s.last, "(", ")")).collect()
}

fn negations(source: &Source) -> Vec<Site> {
    let found = statements(source, Kind::Condition).filter(|s| pure(source, s.first, s.last));
    found.map(|s| Site::default().wrap(&source.text, s.first, s.last, "!(!(", "))")).collect()
}

/// Numbers in statements, but not in `select`, which looks at the form of its bounds.
fn number_tokens(source: &Source) -> Vec<usize> {
    let simple = source.structure.statements.iter().filter(|s| {
        matches!(s.kind, Kind::Assignment | Kind::Condition | Kind::Assert)
            && !source.has_directive(s)
            && pure(source, s.first, s.last)
    });
    simple
        .flat_map(|s| (s.first..=s.last).filter(move |_| s.first != s.last))
        .filter(|&index| source.text.sort(index) == Some(Sort::Number))
        .collect()
}

fn operands(source: &Source) -> Vec<Site> {
    let wrap = |index: usize| Site::default().wrap(&source.text, index, index, "(", ")");
    number_tokens(source).into_iter().map(wrap).collect()
}

fn zeros(source: &Source) -> Vec<Site> {
    let wrap = |index: usize| Site::default().wrap(&source.text, index, index, "(0 + ", ")");
    number_tokens(source).into_iter().map(wrap).collect()
}

/// `q!a,b` and `q!a(b)`, and the same with receives.
fn messages(source: &Source) -> Vec<Site> {
    let text = &source.text;
    let mut sites = Vec::new();
    for s in statements(source, Kind::Send).chain(statements(source, Kind::Receive)) {
        let operator =
            (s.first + 1..=s.last).find(|&index| matches!(text.at(index), "!" | "!!" | "?" | "??"));
        let Some(operator) = operator else { continue };
        let plain = text.is_name(operator + 1) && text.at(operator + 2) == "," && operator + 3 <= s.last;
        let closed = (operator + 3..=s.last).all(|index| text.at(index) != ">");
        if plain && closed {
            let comma = bytes(source, operator + 2, operator + 2);
            let end = text.tokens[s.last].range.end;
            sites.push(Site::default().replace(comma, "(").replace(end..end, ")"));
        }
    }
    sites
}

fn active(source: &Source) -> Vec<Site> {
    let text = &source.text;
    let plain = |index: &usize| text.at(*index) == "active" && text.at(index + 1) == "proctype";
    (0..text.tokens.len())
        .filter(plain)
        .map(|index| Site::default().replace(bytes(source, index, index), "active [1]"))
        .collect()
}

/// The options of a selection in another order. In a deterministic sequence the first possible one is taken, so that
/// those are left out; and an `else` within the first statement of an option is possible if nothing before it is.
fn options(source: &Source, reversed: bool) -> Vec<Site> {
    let text = &source.text;
    let mut sites = Vec::new();
    let deterministic =
        source.mentions("d_step") || source.mentions("D_proctype") || source.mentions("unless");
    for s in source.structure.statements.iter().filter(|s| matches!(s.kind, Kind::If | Kind::Do)) {
        let nested = |&(first, _): &(usize, usize)| {
            matches!(text.at(first + 1), "if" | "do" | "{" | "atomic" | "d_step")
        };
        let unclear = |&(first, _): &(usize, usize)| {
            source
                .structure
                .statements
                .iter()
                .any(|inner| inner.first == first + 1 && inner.kind == Kind::Call)
        };
        if s.around.d_step
            || (s.around.inline && deterministic)
            || s.around.unless
            || s.options.len() < 2
            || s.options.iter().any(|option| nested(option) || unclear(option))
            || source.has_directive(s)
        {
            continue;
        }
        let mut order: Vec<usize> = (0..s.options.len()).collect();
        if reversed {
            order.reverse();
        } else {
            order.rotate_left(1);
        }
        let whole = bytes(source, s.options[0].0, s.options[s.options.len() - 1].1);
        let shown: Vec<&str> =
            order.iter().map(|&index| text.between(s.options[index].0, s.options[index].1)).collect();
        sites.push(Site::default().replace(whole, shown.join("\n")));
    }
    sites
}

/// With two options, one of them `else`, the other begins with a condition: its negation says the same.
fn negated_else(source: &Source) -> Vec<Site> {
    let text = &source.text;
    let mut sites = Vec::new();
    for s in source.structure.statements.iter().filter(|s| matches!(s.kind, Kind::If | Kind::Do)) {
        let [a, b] = s.options[..] else { continue };
        let (condition, otherwise) = if text.at(b.0 + 1) == "else" { (a, b) } else { (b, a) };
        let guard = source.structure.statements.iter().find(|inner| inner.first == condition.0 + 1);
        let Some(guard) = guard.filter(|guard| guard.kind == Kind::Condition && !guard.labelled) else {
            continue;
        };
        // A fault in the condition would be met twice.
        let faultless = !source.contains(guard, &["/", "%", "["]);
        let clear = text.at(otherwise.0 + 1) == "else" && pure(source, guard.first, guard.last) && faultless;
        if clear && !source.has_directive(s) && !s.around.unless && !s.guards {
            let negated = format!("!({}) ->", text.between(guard.first, guard.last));
            sites.push(Site::default().replace(bytes(source, otherwise.0 + 1, otherwise.0 + 1), negated));
        }
    }
    sites
}

fn asserts(source: &Source) -> Vec<Site> {
    let text = &source.text;
    let mut sites = Vec::new();
    for s in statements(source, Kind::Assert).filter(|s| !s.guards && !s.labelled) {
        if text.at(s.first + 1) == "("
            && text.closing(s.first + 1) == Some(s.last)
            && !source.mentions("unless")
        {
            let condition = text.between(s.first + 1, s.last);
            let whole = format!("if :: {condition} -> skip :: else -> assert(false) fi");
            sites.push(Site::default().replace(bytes(source, s.first, s.last), whole));
        }
    }
    sites
}
