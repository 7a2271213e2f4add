//! Other white space, comments and separators between the same tokens.

use super::structure::Kind;
use super::text::{Site, Token};
use super::{Preserves, Rewriting, Source};

pub(super) const REWRITINGS: &[Rewriting] = &[
    Rewriting {
        name: "comments-inserted",
        preserves: Preserves::Figures,
        sites: |s| between_tokens(s, " /* ; */ "),
    },
    Rewriting { name: "comments-removed", preserves: Preserves::Figures, sites: without_comments },
    Rewriting { name: "lines-broken", preserves: Preserves::Figures, sites: broken },
    Rewriting { name: "lines-joined", preserves: Preserves::Figures, sites: joined },
    Rewriting { name: "spaces-removed", preserves: Preserves::Figures, sites: dense },
    Rewriting {
        name: "arrows-for-semicolons",
        preserves: Preserves::Figures,
        sites: |s| separators(s, ";", " ->"),
    },
    Rewriting {
        name: "semicolons-for-arrows",
        preserves: Preserves::Figures,
        sites: |s| separators(s, "->", ";"),
    },
    Rewriting {
        name: "semicolons-doubled",
        preserves: Preserves::Figures,
        sites: |s| separators(s, ";", ";;"),
    },
    Rewriting { name: "breaks-for-semicolons", preserves: Preserves::Figures, sites: breaks_for_semicolons },
];

/// Something after every token. Two marks that stand side by side (`a - -1`) stay two.
fn between_tokens(source: &Source, with: &str) -> Vec<Site> {
    let text = &source.text;
    // A stray end of a comment is two marks, too.
    let stray = |pair: &[Token]| &text.text[pair[0].range.start..pair[1].range.end] == "*/";
    let places = text.tokens.windows(2).filter(|pair| !pair[1].after_directive && !stray(pair));
    places.map(|pair| Site::default().replace(pair[0].range.end..pair[0].range.end, with)).collect()
}

fn without_comments(source: &Source) -> Vec<Site> {
    let text = &source.text;
    let blank = |range: &std::ops::Range<usize>| {
        let breaks = text.text[range.clone()].matches('\n').count();
        Site::default().replace(range.clone(), if breaks == 0 { " ".to_owned() } else { "\n".repeat(breaks) })
    };
    text.comments.iter().map(blank).collect()
}

/// No statement ends with these, so that a line break after them separates nothing.
fn goes_on(word: &str) -> bool {
    let marks = [
        ";", "->", "::", "{", "(", "[", ",", "=", "==", "!=", "<", ">", "<=", ">=", "&&", "||", "+", "-",
        "*", "/", "%", "&", "|", "^", "<<", ">>", ":",
    ];
    marks.contains(&word)
}

fn broken(source: &Source) -> Vec<Site> {
    let text = &source.text;
    let places = (1..text.tokens.len()).filter(|&index| goes_on(text.at(index - 1)));
    let stray = |index: usize| text.between(index - 1, index) == "*/";
    let places = places.filter(|&index| !text.tokens[index].after_directive && !stray(index));
    // SPIN reads a `select` over several lines as another loop.
    let places = places.filter(|_| !source.mentions("select"));
    let end = |index: usize| text.tokens[index - 1].range.end;
    places.map(|index| Site::default().replace(end(index)..end(index), "\n")).collect()
}

/// Lines end where a separator is anyway, and outside the arguments of macros, of which line breaks are a part. Comments up to the end of a line would swallow the next one.
fn joined(source: &Source) -> Vec<Site> {
    let text = &source.text;
    let mut sites = Vec::new();
    for index in 1..text.tokens.len() {
        let token = &text.tokens[index];
        let gap = text.tokens[index - 1].range.end..token.range.start;
        let blank = text.text[gap.clone()].chars().all(char::is_whitespace);
        let separated = matches!(text.at(index - 1), ";" | "->" | "::" | "{");
        if token.after_break && !token.after_directive && blank && separated {
            sites.push(Site::default().replace(gap, " "));
        }
    }
    sites
}

/// White space within lines goes where it separates no two words and no two marks that would become another one.
fn dense(source: &Source) -> Vec<Site> {
    let text = &source.text;
    let mut sites = Vec::new();
    for index in 1..text.tokens.len() {
        let gap = text.tokens[index - 1].range.end..text.tokens[index].range.start;
        let between = &text.text[gap.clone()];
        let blank = !between.is_empty() && between.chars().all(|c| c == ' ' || c == '\t');
        let word = |index: usize| text.sort(index) != Some(super::text::Sort::Mark);
        let bracket = |index: usize| matches!(text.at(index), "(" | ")" | "{" | "}" | ";" | "," | "[" | "]");
        let apart = (word(index - 1) != word(index) && !word(index)) || bracket(index - 1) || bracket(index);
        if blank && apart {
            sites.push(Site::default().replace(gap, ""));
        }
    }
    sites
}

/// The separators between two statements of a sequence.
fn separators(source: &Source, from: &str, to: &str) -> Vec<Site> {
    let text = &source.text;
    let mut sites = Vec::new();
    for s in &source.structure.statements {
        let begins =
            |index: usize| source.structure.statements.iter().any(|s| s.first == index && !s.labelled);
        let place = s.last + 1;
        let between = text.at(place) == from && begins(place + 1);
        if between
            && s.kind != Kind::Declaration
            && !text.tokens[place + 1].after_directive
            && s.kind != Kind::Call
        {
            sites.push(Site::default().replace(text.tokens[place].range.clone(), to));
        }
    }
    sites
}

/// A line break in the place of a `;` separates statements as well, after a token that can end one.
fn breaks_for_semicolons(source: &Source) -> Vec<Site> {
    let text = &source.text;
    let mut sites = Vec::new();
    for s in &source.structure.statements {
        let place = s.last + 1;
        let next = source.structure.statements.iter().any(|s| s.first == place + 1);
        let plain = matches!(s.kind, Kind::Assignment | Kind::Assert | Kind::Send | Kind::If | Kind::Do);
        if plain && text.at(place) == ";" && next && text.is_name(place + 1) && !s.around.inline {
            sites.push(Site::default().replace(text.tokens[place].range.clone(), "\n"));
        }
    }
    sites
}
