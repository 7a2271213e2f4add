//! Where the statements of a text are: as much of Promela's grammar as rewritings need, read anew.
//!
//! This is no parser: nothing is checked, and a text it does not understand (macros that stand for half a statement,
//! say) has no structure, so that only rewritings of its layout and its names apply. It is written apart from the
//! parser under test on purpose. Expressions are never looked into; a statement is the tokens up to the next separator,
//! which is `;`, `->`, or a line break between two tokens that cannot stand side by side.

use super::text::{Sort, Text};
use std::collections::HashSet;

/// A part of the text outside all others.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Its first token.
    pub first: usize,
    /// Its last token.
    pub last: usize,
    /// The braces of its body.
    pub body: Option<(usize, usize)>,
}

/// What a part of the text declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// A proctype or `init`.
    Process,
    /// An `inline`.
    Inline,
    /// `never`, `ltl`, `trace`, `notrace`.
    Watcher,
    /// A `typedef` or an `mtype`.
    Type,
    /// Variables.
    Variables,
    /// Something else.
    Other,
}

/// What a statement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An assignment, also `++` and `--`.
    Assignment,
    /// A condition.
    Condition,
    /// A send.
    Send,
    /// A receive.
    Receive,
    /// `assert`.
    Assert,
    /// `run`.
    Run,
    /// `skip` or `printf`, which SPIN removes from some options.
    Idle,
    /// `else`.
    Else,
    /// `goto` or `break`.
    Jump,
    /// Declarations, `xr` and `xs`.
    Declaration,
    /// `if`.
    If,
    /// `do`.
    Do,
    /// `for` over numbers.
    For,
    /// `select`.
    Select,
    /// A block.
    Block,
    /// An atomic sequence.
    Atomic,
    /// A deterministic sequence.
    DStep,
    /// A statement with escapes, whatever else it is.
    Unless,
    /// A call of an inline or macro, or what is not understood.
    Call,
}

impl Kind {
    /// Whether it is one step that does not depend on its surroundings.
    pub fn is_basic(self) -> bool {
        use Kind::{Assert, Assignment, Condition, Receive, Run, Send};
        matches!(self, Assignment | Condition | Send | Receive | Assert | Run)
    }
}

/// What is around a statement.
#[derive(Clone, Copy, Debug, Default)]
pub struct Around {
    /// Within an atomic sequence.
    pub atomic: bool,
    /// Within a deterministic sequence.
    pub d_step: bool,
    /// Within an inline: where it is called is not known.
    pub inline: bool,
    /// Within a statement with escapes, or an escape.
    pub unless: bool,
    /// Within an option of `if` or `do`, without another block between.
    pub option: bool,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it is.
    pub kind: Kind,
    /// Its first token, labels left out.
    pub first: usize,
    /// Its last token, separators left out.
    pub last: usize,
    /// Whether a label stands before it.
    pub labelled: bool,
    /// What is around it.
    pub around: Around,
    /// Whether it is the first statement of its sequence.
    pub leads: bool,
    /// Whether it is the first statement of an option.
    pub guards: bool,
    /// The braces of its body, for blocks and loops over numbers.
    pub body: Option<(usize, usize)>,
    /// The options: from the `::` to the last token of the option.
    pub options: Vec<(usize, usize)>,
    /// The sequence it is in, by number.
    pub sequence: usize,
    /// The item it is in.
    pub item: usize,
}

/// The parts of a text and the statements in them.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// Everything outside all braces.
    pub items: Vec<Item>,
    /// All statements, outer before inner.
    pub statements: Vec<Statement>,
    /// Whether the text was understood; otherwise there are no statements.
    pub complete: bool,
    /// The names of inlines.
    pub inlines: HashSet<String>,
    /// The names of macros whose text is more than an expression.
    pub macros: HashSet<String>,
    /// All names of macros.
    pub all_macros: HashSet<String>,
    /// The names of structures.
    pub structures: HashSet<String>,
}

const TYPES: &[&str] =
    &["bit", "bool", "byte", "pid", "short", "int", "unsigned", "chan", "mtype", "hidden", "show", "local"];

/// Functions of the language.
const FUNCTIONS: &[&str] = &[
    "len",
    "empty",
    "full",
    "nempty",
    "nfull",
    "eval",
    "enabled",
    "pc_value",
    "get_priority",
    "assert",
    "printf",
    "printm",
    "set_priority",
];

/// Whether a statement may end with this token; before a line break it then does.
fn may_end(text: &Text, index: usize) -> bool {
    let word = text.at(index);
    match text.sort(index) {
        Some(Sort::Mark) => matches!(word, ")" | "]" | "++" | "--" | "}"),
        Some(Sort::Name) => {
            !(TYPES.contains(&word)
                || matches!(word, "run" | "goto" | "of" | "atomic" | "d_step" | "in" | "priority"))
        }
        _ => true,
    }
}

impl Structure {
    /// Finds the parts of a text.
    pub fn new(text: &Text) -> Self {
        let mut reader = Reader { text, found: Self::default(), item: 0, sequences: 0 };
        // A macro may use one that is defined after it.
        (0..3).for_each(|_| reader.macros());
        reader.found.complete = reader.items().is_some() && reader.bodies().is_some();
        if !reader.found.complete {
            reader.found.statements.clear();
        }
        reader.found
    }
}

struct Reader<'t> {
    text: &'t Text,
    found: Structure,
    item: usize,
    sequences: usize,
}

impl Reader<'_> {
    /// Which macros there are, and which of them are more than expressions.
    fn macros(&mut self) {
        for range in &self.text.directives {
            let line = &self.text.text[range.clone()];
            let Some(rest) = line.trim_start_matches('#').trim_start().strip_prefix("define") else {
                continue;
            };
            let body = Text::new(rest.replace("\\\n", " "));
            self.found.all_macros.insert(body.at(0).to_owned());
            let beyond = |word: &str| {
                let marks = [";", "->", "::", "{", "}", "=", "!", "!!", "?", "??", "++", "--", "##"];
                let words = [
                    "if", "fi", "do", "od", "goto", "break", "skip", "else", "atomic", "d_step", "printf",
                    "assert",
                ];
                let more = ["for", "select", "proctype", "inline", "init", "active", "run", "unless", "chan"];
                marks.contains(&word)
                    || words.contains(&word)
                    || more.contains(&word)
                    || TYPES.contains(&word)
            };
            let uses = |index: usize| {
                let word = body.at(index);
                beyond(word) || self.found.macros.contains(word) || self.found.inlines.contains(word)
            };
            if body.tokens.len() == 1 || (1..body.tokens.len()).any(uses) {
                self.found.macros.insert(body.at(0).to_owned());
            }
        }
    }

    fn items(&mut self) -> Option<()> {
        let (text, mut at) = (self.text, 0);
        while at < text.tokens.len() {
            if text.at(at) == ";" {
                at += 1;
                continue;
            }
            let first = at;
            let mut kind = ItemKind::Other;
            let mut body = None;
            let mut after_assignment = false;
            // An item ends with its body's closing brace or with a `;`.
            let last = loop {
                let word = text.at(at);
                let fresh = kind == ItemKind::Other;
                match word {
                    "" => break at - 1,
                    "proctype" | "D_proctype" | "init" if fresh => kind = ItemKind::Process,
                    "inline" if fresh => {
                        kind = ItemKind::Inline;
                        self.found.inlines.insert(text.at(at + 1).to_owned());
                    }
                    "never" | "ltl" | "trace" | "notrace" if fresh => kind = ItemKind::Watcher,
                    "typedef" if fresh => {
                        kind = ItemKind::Type;
                        self.found.structures.insert(text.at(at + 1).to_owned());
                    }
                    "mtype" if fresh && matches!(text.at(at + 1), "=" | "{") => kind = ItemKind::Type,
                    "c_code" | "c_decl" | "c_state" | "c_track" => return None,
                    _ if fresh && (TYPES.contains(&word) || self.found.structures.contains(word)) => {
                        kind = ItemKind::Variables;
                    }
                    _ => {}
                }
                match word {
                    ";" => break at - 1,
                    "=" => after_assignment = true,
                    "(" | "[" => at = text.closing(at)?,
                    "{" => {
                        let close = text.closing(at)?;
                        body = Some((at, close));
                        at = close;
                        if !(kind == ItemKind::Variables && after_assignment) {
                            break at;
                        }
                    }
                    "}" | ")" | "]" => return None,
                    _ => {}
                }
                let next_begins =
                    text.tokens.get(at + 1).is_some_and(|next| next.after_break && next.sort == Sort::Name);
                if kind == ItemKind::Variables && next_begins && may_end(text, at) {
                    break at;
                }
                at += 1;
            };
            at = last + 1;
            self.found.items.push(Item { kind, first, last, body });
        }
        Some(())
    }

    fn bodies(&mut self) -> Option<()> {
        for index in 0..self.found.items.len() {
            let item = self.found.items[index].clone();
            if !matches!(item.kind, ItemKind::Process | ItemKind::Inline) {
                continue;
            }
            let (open, close) = item.body?;
            self.item = index;
            let around = Around { inline: item.kind == ItemKind::Inline, ..Around::default() };
            if self.sequence(open + 1, around)? != close {
                return None;
            }
        }
        Some(())
    }

    /// The statements from a token on; the token after them.
    fn sequence(&mut self, mut at: usize, around: Around) -> Option<usize> {
        let sequence = self.sequences;
        self.sequences += 1;
        let mut leads = true;
        loop {
            match self.text.at(at) {
                ";" | "->" => at += 1,
                "" => return None,
                "}" | "fi" | "od" | "::" => return Some(at),
                _ => {
                    at = self.statement(at, sequence, leads, around)?;
                    leads = false;
                }
            }
        }
    }

    fn statement(&mut self, mut at: usize, sequence: usize, leads: bool, around: Around) -> Option<usize> {
        let text = self.text;
        let mut labelled = false;
        while text.is_name(at) && text.at(at + 1) == ":" {
            labelled = true;
            at += 2;
        }
        if matches!(text.at(at), "}" | "fi" | "od" | "::" | ";" | "->") {
            return Some(at);
        }
        let index = self.found.statements.len();
        self.found.statements.push(Statement {
            kind: Kind::Call,
            first: at,
            last: at,
            labelled,
            around,
            leads,
            guards: leads && around.option,
            body: None,
            options: Vec::new(),
            sequence,
            item: self.item,
        });
        let mut end = self.part(at, index, around)?;
        if text.at(end) == "unless" {
            let around = Around { unless: true, ..around };
            for inner in &mut self.found.statements[index + 1..] {
                inner.around.unless = true;
            }
            self.found.statements[index].kind = Kind::Unless;
            self.found.statements[index].body = None;
            self.found.statements[index].options.clear();
            let escape = end + 1;
            let inner = self.found.statements.len();
            let placeholder = Statement { first: escape, ..self.found.statements[index].clone() };
            self.found.statements.push(placeholder);
            end = self.part(escape, inner, around)?;
            self.found.statements[inner].last = end - 1;
            self.found.statements[inner].kind = Kind::Unless;
        }
        self.found.statements[index].last = end - 1;
        Some(end)
    }

    /// One statement without escapes; the token after it.
    fn part(&mut self, at: usize, index: usize, around: Around) -> Option<usize> {
        let text = self.text;
        let word = text.at(at);
        let braces = |from: usize| (text.at(from) == "{").then_some(from);
        let block = Around { option: false, ..around };
        match word {
            "if" | "do" => {
                let mut options = Vec::new();
                let mut next = at + 1;
                while text.at(next) == "::" {
                    let end = self.sequence(next + 1, Around { option: true, ..around })?;
                    options.push((next, end - 1));
                    next = end;
                }
                let (kind, close) = if word == "if" { (Kind::If, "fi") } else { (Kind::Do, "od") };
                if text.at(next) != close || options.is_empty() {
                    return None;
                }
                let statement = &mut self.found.statements[index];
                (statement.kind, statement.options) = (kind, options);
                Some(next + 1)
            }
            "atomic" | "d_step" | "{" | "for" => {
                let (kind, open) = match word {
                    "atomic" => (Kind::Atomic, braces(at + 1)?),
                    "d_step" => (Kind::DStep, braces(at + 1)?),
                    "for" => (Kind::For, braces(text.closing(at + 1)? + 1)?),
                    _ => (Kind::Block, at),
                };
                let inside = Around {
                    atomic: block.atomic || kind == Kind::Atomic,
                    d_step: block.d_step || kind == Kind::DStep,
                    ..block
                };
                let close = self.sequence(open + 1, inside)?;
                if text.at(close) != "}" {
                    return None;
                }
                let statement = &mut self.found.statements[index];
                (statement.kind, statement.body) = (kind, Some((open, close)));
                Some(close + 1)
            }
            "else" => {
                self.found.statements[index].kind = Kind::Else;
                Some(at + 1)
            }
            "c_code" | "c_expr" | "c_decl" => None,
            _ => {
                let (end, clear) = self.simple(at)?;
                let kind = if clear { self.classify(at, end - 1) } else { Kind::Call };
                self.found.statements[index].kind = kind;
                Some(end)
            }
        }
    }

    /// The end of a statement without statements within, and whether it is clear that it ends there.
    fn simple(&self, first: usize) -> Option<(usize, bool)> {
        let text = self.text;
        let (mut at, mut clear) = (first, true);
        loop {
            match text.at(at) {
                // SPIN reads this as `-` and `->`; whoever wrote it meant an arrow.
                "" | "-->" => return None,
                ";" | "->" | "}" | "fi" | "od" | "::" | "unless" => return Some((at, clear)),
                "if" | "do" | "atomic" | "d_step" | "for" => return Some((at, false)),
                "(" | "[" => {
                    let close = text.closing(at)?;
                    clear &= !(at + 1..=close).any(|inner| text.tokens[inner].after_directive);
                    at = close;
                }
                "{" if matches!(text.at(at - 1), "=" | "of") => at = text.closing(at)?,
                "{" => return Some((at, false)),
                _ => {}
            }
            let next = text.tokens.get(at + 1)?;
            if next.after_directive {
                clear = false;
            }
            if next.after_break && may_end(text, at) {
                match (next.sort, text.at(at + 1)) {
                    (Sort::Name | Sort::Number, word) if word != "unless" => return Some((at + 1, clear)),
                    (Sort::Mark, "(" | "{" | "-" | "!" | "~") => clear = false,
                    _ => {}
                }
            }
            at += 1;
        }
    }

    fn classify(&self, first: usize, last: usize) -> Kind {
        let text = self.text;
        let word = text.at(first);
        let structure = self.found.structures.contains(word);
        if TYPES.contains(&word) || structure || matches!(word, "xr" | "xs") {
            return Kind::Declaration;
        }
        if text.is_name(first) && text.is_name(first + 1) && first < last && !matches!(word, "run" | "goto") {
            return Kind::Declaration;
        }
        if (first..=last).any(|index| self.found.macros.contains(text.at(index))) {
            return Kind::Call;
        }
        match word {
            "goto" | "break" => return Kind::Jump,
            "skip" | "printf" | "printm" => return Kind::Idle,
            "assert" => return Kind::Assert,
            "select" => return Kind::Select,
            "return" | "set_priority" => return Kind::Call,
            _ => {}
        }
        let alone = (first..=last).all(|index| matches!(text.at(index), "(" | ")" | "1" | "true"));
        if alone || (first == last && self.found.all_macros.contains(word)) {
            return Kind::Idle;
        }
        let mut kind = Kind::Condition;
        let mut at = first;
        while at <= last {
            let binary = at > first && (matches!(text.at(at - 1), ")" | "]") || text.is_name(at - 1));
            match text.at(at) {
                "=" => kind = Kind::Assignment,
                "++" | "--" if at == last => kind = Kind::Assignment,
                "!" | "!!" if binary => kind = Kind::Send,
                "?" | "??" if binary && text.at(at + 1) != "[" => kind = Kind::Receive,
                _ => {}
            }
            if text.at(at) == "run" && kind == Kind::Condition {
                kind = Kind::Run;
            }
            let call = text.is_name(at) && text.at(at + 1) == "(" && at < last;
            let known = FUNCTIONS.contains(&text.at(at))
                || (at > first && text.at(at - 1) == "run")
                || matches!(kind, Kind::Send | Kind::Receive)
                || (self.found.all_macros.contains(text.at(at)) && !self.found.macros.contains(text.at(at)))
                || text.at(at) == "run";
            if call && !known {
                return Kind::Call;
            }
            if matches!(text.at(at), "(" | "[") && !matches!(kind, Kind::Send | Kind::Receive) {
                // Operators within brackets belong to expressions, but a call of an inline may be there too.
                let Some(close) = text.closing(at) else { return Kind::Call };
                let unknown = |index: usize| {
                    let word = text.at(index);
                    text.is_name(index)
                        && text.at(index + 1) == "("
                        && !FUNCTIONS.contains(&word)
                        && (!self.found.all_macros.contains(word) || self.found.macros.contains(word))
                };
                if (at..close).any(unknown) && kind != Kind::Run {
                    return Kind::Call;
                }
                at = close;
            }
            at += 1;
        }
        kind
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, String)> {
        let text = Text::new(text.to_owned());
        let structure = Structure::new(&text);
        assert!(structure.complete, "not understood");
        structure.statements.iter().map(|s| (s.kind, text.between(s.first, s.last).to_owned())).collect()
    }

    #[test]
    fn statements_end_at_separators_and_lines() {
        let found = kinds(
            "byte x\nchan q = [1] of { byte }\ninline f(a) { a = 1 }\nactive proctype p() {\n byte y = 2\n\
             x = 1\n q!x,1; f(x)\n if :: q?eval(x) -> x++ :: else fi;\n L: (x == 1 -> 2 : 3) }",
        );
        let shown: Vec<(Kind, &str)> = found.iter().map(|(kind, text)| (*kind, text.as_str())).collect();
        let wanted = [
            (Kind::Assignment, "a = 1"),
            (Kind::Declaration, "byte y = 2"),
            (Kind::Assignment, "x = 1"),
            (Kind::Send, "q!x,1"),
            (Kind::Call, "f(x)"),
            (Kind::If, "if :: q?eval(x) -> x++ :: else fi"),
            (Kind::Receive, "q?eval(x)"),
            (Kind::Assignment, "x++"),
            (Kind::Else, "else"),
            (Kind::Condition, "(x == 1 -> 2 : 3)"),
        ];
        assert_eq!(shown, wanted);
    }

    #[test]
    fn half_statements_have_no_structure() {
        let text = Text::new("active proctype p() { if :: true }".to_owned());
        assert!(!Structure::new(&text).complete);
    }
}
