//! The C preprocessor, as far as models use it, on tokens.
//!
//! SPIN runs the system's `cpp` and so reports places in a text its user never saw. Here every token keeps its [`Span`],
//! so that a message can point at the use of a macro and name its definition. Directives are handled in this file, the
//! expansion of macros in `expand`, and the conditions of `#if` in `condition`.
//!
//! Two things bound the work, since a model may be hostile: nesting of includes, and one budget for all tokens that are
//! read or produced during expansion (sixty lines of `#define a b b` ask for more tokens than there is memory). It comes
//! from the memory that is granted.
//!
//! The ends of lines matter to the parser, which separates statements there. As with gcc's preprocessor, a macro and its
//! arguments stand on one line, whatever lines they were written on, and what follows a call that is written on several
//! lines begins a new one.
//!
//! Not done: `#include <..>` (there is no system directory), `#pragma` (ignored), `__VA_OPT__`.

mod condition;
mod expand;

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use elnath_source::{Message, codes};

use crate::lexer::{Bad, Kind, Punct, Token, lex};
use crate::sources::{FileId, Loader, SourceMap, Span, include_path};
use crate::{Options, Snippet};

const INCLUDE_DEPTH: usize = 60;

/// A `#define`.
#[derive(Clone, Debug)]
struct Macro {
    name: Arc<str>,
    /// Where its name stands in the definition.
    span: Span,
    /// `None`: object-like.
    parameters: Option<Vec<Arc<str>>>,
    /// The last parameter takes all further arguments and the commas between them.
    variadic: bool,
    body: Rc<[Token]>,
}

/// What the preprocessor hands to the parser.
pub(crate) struct Preprocessed {
    /// Always closed by a [`Kind::End`].
    pub(crate) tokens: Vec<Token>,
    /// The propositions from outside the model, each closed in the same way.
    pub(crate) snippets: Vec<Vec<Token>>,
    pub(crate) messages: Vec<Message>,
}

/// Runs the preprocessor on `main`, and then, with the macros it leaves behind, on the propositions.
pub(crate) fn preprocess(
    loader: &mut dyn Loader,
    sources: &mut SourceMap,
    main: &str,
    options: &Options,
) -> Preprocessed {
    let mut preprocessor = Preprocessor {
        loader,
        sources,
        macros: HashMap::new(),
        out: Vec::new(),
        messages: Vec::new(),
        include_stack: Vec::new(),
        budget: options.most_tokens(),
        most: options.most_tokens(),
        interrupted: Vec::new(),
    };
    preprocessor.command_line(&options.defines);
    let end = match preprocessor.load(main) {
        Ok(file) => preprocessor.file(file),
        Err(reason) => {
            let text = format!("cannot read {main}: {reason}");
            preprocessor.messages.push(Message::about_file(text).code(codes::UNREADABLE));
            let file = preprocessor.sources.add_file(main, String::new());
            lex(file, "").remove(0)
        }
    };
    preprocessor.out.push(end);
    let snippets = options.propositions.iter().map(|snippet| preprocessor.snippet(snippet)).collect();
    Preprocessed { tokens: preprocessor.out, snippets, messages: preprocessor.messages }
}

struct Preprocessor<'a> {
    loader: &'a mut dyn Loader,
    sources: &'a mut SourceMap,
    macros: HashMap<Arc<str>, Macro>,
    out: Vec<Token>,
    messages: Vec<Message>,
    include_stack: Vec<String>,
    /// Tokens that may still be read or made, of `most`.
    budget: usize,
    most: usize,
    /// A macro call that a directive interrupts: what was written of it before.
    interrupted: Vec<Token>,
}

/// One open `#if`.
struct Conditional {
    opened: Span,
    /// The text around it is kept.
    outer: bool,
    /// The branch we are in is kept.
    active: bool,
    /// Some branch was kept already.
    taken: bool,
    seen_else: bool,
}

impl Preprocessor<'_> {
    fn error(&mut self, text: impl Into<String>, span: Span) {
        self.messages.push(self.sources.error(text, span));
    }

    fn load(&mut self, name: &str) -> Result<FileId, String> {
        let text = self.loader.load(name)?;
        if text.len() >= u32::MAX as usize {
            return Err("the file is larger than 4 GB".to_owned());
        }
        Ok(self.sources.add_file(name, text))
    }

    fn command_line(&mut self, defines: &[String]) {
        let text: String = defines
            .iter()
            .map(|define| {
                let (name, value) = define.split_once('=').unwrap_or((define, "1"));
                format!("#define {name} {value}\n")
            })
            .collect();
        let file = self.sources.add_file("<command line>", text);
        self.file(file);
    }

    /// The tokens of a proposition, with their places in the text it stands in.
    fn snippet(&mut self, snippet: &Snippet) -> Vec<Token> {
        let Snippet { name, text, range } = snippet;
        let file = self.sources.add_file(name, text.clone());
        let blank = |part: &str| " ".repeat(part.len());
        let alone = blank(&text[..range.start]) + &text[range.clone()] + &blank(&text[range.end..]);
        let tokens = lex(file, &alone);
        let Some((end, tokens)) = tokens.split_last() else { return Vec::new() };
        self.unterminated_comment(tokens);
        let mut expanded = self.expand(tokens);
        self.drop_comment_marks(&mut expanded);
        expanded.push(end.clone());
        expanded
    }

    /// Processes one file; the returned token is its end.
    fn file(&mut self, file: FileId) -> Token {
        let name = self.sources.name(file).to_owned();
        let tokens = lex(file, self.sources.text(file));
        self.include_stack.push(name);
        let mut open: Vec<Conditional> = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let from = at;
            if is_directive(&tokens[at]) {
                at += 1;
                while at < tokens.len() && !tokens[at].line_start && tokens[at].kind != Kind::End {
                    at += 1;
                }
                self.directive(file, &tokens[from..at], &mut open);
                continue;
            }
            while at < tokens.len() && !is_directive(&tokens[at]) {
                at += 1;
            }
            let segment = &tokens[from..at];
            let (segment, ends) = match segment.split_last() {
                Some((last, rest)) if last.kind == Kind::End => (rest, true),
                _ => (segment, false),
            };
            self.unterminated_comment(segment);
            if open.last().is_none_or(|innermost| innermost.active) {
                self.text(segment, !ends);
            } else if ends {
                self.text(&[], false);
            }
            if self.budget == 0 {
                break;
            }
        }
        for conditional in open {
            self.error("this conditional is never closed by `#endif`", conditional.opened);
        }
        self.include_stack.pop();
        tokens.last().cloned().unwrap_or_else(|| lex(file, "").remove(0))
    }

    /// `directive`: one follows, which a macro call may go on behind.
    fn text(&mut self, segment: &[Token], directive: bool) {
        let mut expanded = if self.interrupted.is_empty() {
            self.expand_text(segment, directive)
        } else {
            let mut whole = std::mem::take(&mut self.interrupted);
            whole.extend_from_slice(segment);
            self.expand_text(&whole, directive)
        };
        self.drop_comment_marks(&mut expanded);
        self.out.append(&mut expanded);
    }

    /// Takes out what stands for a comment that is never closed, which has been reported, and for a `*/` without one. What
    /// follows them on their line then begins it.
    fn drop_comment_marks(&mut self, tokens: &mut Vec<Token>) {
        let mut line_start = false;
        let sources = &*self.sources;
        let messages = &mut self.messages;
        tokens.retain_mut(|token| {
            token.line_start |= std::mem::take(&mut line_start);
            let Kind::Bad(bad @ (Bad::Comment | Bad::CommentEnd)) = token.kind else { return true };
            if bad == Bad::CommentEnd {
                let message = sources.warning("`*/` ends no comment and is ignored", token.span);
                messages.push(message.code(codes::STRAY_COMMENT_END));
            }
            line_start = token.line_start;
            false
        });
    }

    /// A comment that is never closed swallows the rest of the file, even where nothing is kept.
    fn unterminated_comment(&mut self, segment: &[Token]) {
        if let Some(token) = segment.iter().find(|token| token.kind == Kind::Bad(Bad::Comment)) {
            self.error("this comment is never closed", token.span);
        }
    }

    /// `line` is the directive from its `#` to the end of its line.
    fn directive(&mut self, file: FileId, line: &[Token], open: &mut Vec<Conditional>) {
        let hash = line[0].span;
        let active = open.last().is_none_or(|innermost| innermost.active);
        self.unterminated_comment(line);
        let Some(word) = line.get(1) else { return };
        if let Kind::Number(_) = word.kind {
            if active {
                self.line_marker(file, hash, &line[1..]);
            }
            return;
        }
        let Some(name) = word.name().cloned() else {
            if active {
                self.error("a name of a directive must follow `#`", word.span);
            }
            return;
        };
        let rest = &line[2..];
        match &*name {
            "if" | "ifdef" | "ifndef" => {
                let holds = active && self.condition_of(&name, word.span, rest);
                open.push(Conditional {
                    opened: self.sources.join(hash, word.span),
                    outer: active,
                    active: holds,
                    taken: holds,
                    seen_else: false,
                });
            }
            "elif" | "else" | "endif" => self.branch(&name, word.span, rest, open),
            _ if !active => {}
            "define" => self.define(word.span, rest),
            "undef" => match rest.first().and_then(Token::name) {
                Some(name) => {
                    self.macros.remove(name);
                }
                None => self.error("`#undef` needs the name of a macro", word.span),
            },
            "include" => self.include(file, word.span, rest),
            "error" | "warning" => {
                let span = self.sources.join(hash, line[line.len() - 1].span);
                let text = self.sources.snippet(span);
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let message = if &*name == "error" {
                    self.sources.error(text, span)
                } else {
                    self.sources.warning(text, span).code(codes::USER_WARNING)
                };
                self.messages.push(message);
            }
            "line" => {
                let rest = self.expand(rest);
                self.line_marker(file, hash, &rest);
            }
            "pragma" | "ident" => {}
            other => {
                let message = self.sources.error(format!("there is no directive `#{other}`"), word.span);
                self.messages.push(message);
            }
        }
    }

    fn condition_of(&mut self, directive: &str, at: Span, rest: &[Token]) -> bool {
        if directive == "if" {
            return self.condition(at, rest);
        }
        let Some(name) = rest.first().and_then(Token::name) else {
            self.error(format!("`#{directive}` needs the name of a macro"), at);
            return false;
        };
        self.macros.contains_key(name) == (directive == "ifdef")
    }

    fn branch(&mut self, directive: &str, at: Span, rest: &[Token], open: &mut Vec<Conditional>) {
        let Some(mut innermost) = open.pop() else {
            return self.error(format!("`#{directive}` without `#if`"), at);
        };
        if directive == "endif" {
            return;
        }
        if innermost.seen_else {
            let message = self
                .sources
                .error(format!("`#{directive}` after `#else`"), at)
                .also(self.sources.place(innermost.opened), "the conditional begins here");
            self.messages.push(message);
        }
        let may_hold = innermost.outer && !innermost.taken;
        innermost.active = match directive {
            "else" => may_hold,
            _ => may_hold && self.condition(at, rest),
        };
        innermost.taken |= innermost.active;
        innermost.seen_else |= directive == "else";
        open.push(innermost);
    }

    fn define(&mut self, at: Span, rest: &[Token]) {
        let Some(head) = rest.first() else {
            return self.error("`#define` needs a name", at);
        };
        let Some(name) = head.name().cloned() else {
            return self.error(format!("`#define` needs a name, not `{}`", head.spelling()), head.span);
        };
        let mut body = &rest[1..];
        let (mut parameters, mut variadic) = (None, false);
        if body.first().is_some_and(|token| token.is(Punct::Open) && !token.space_before) {
            let Some(close) = body.iter().position(|token| token.is(Punct::Close)) else {
                return self.error(format!("the parameters of `{name}` are not closed by `)`"), head.span);
            };
            let Some((names, open)) = self.parameters(&body[1..close]) else { return };
            (parameters, variadic) = (Some(names), open);
            body = &body[close + 1..];
        }
        if let Some(end) = body.iter().find(|token| token.is(Punct::HashHash)).map(|_| body)
            && (end[0].is(Punct::HashHash) || end[end.len() - 1].is(Punct::HashHash))
        {
            return self.error("`##` needs a token on either side", head.span);
        }
        let new = Macro { name: name.clone(), span: head.span, parameters, variadic, body: body.into() };
        if let Some(old) = self.macros.get(&name)
            && !same_definition(old, &new)
        {
            let message = self
                .sources
                .warning(format!("macro `{name}` is defined differently a second time"), head.span)
                .code(codes::MACRO_REDEFINED)
                .also(self.sources.place(old.span), "first defined here");
            self.messages.push(message);
        }
        self.macros.insert(name, new);
    }

    /// `a, b`, `a, ...` or `a, b...`; the flag says that the last one takes any number of arguments.
    fn parameters(&mut self, tokens: &[Token]) -> Option<(Vec<Arc<str>>, bool)> {
        let (tokens, variadic) = match tokens {
            [rest @ .., two, one] if two.is(Punct::DotDot) && one.is(Punct::Dot) => (rest, true),
            _ => (tokens, false),
        };
        let mut names: Vec<Arc<str>> = Vec::new();
        for (index, token) in tokens.iter().enumerate() {
            let right = if index % 2 == 0 { token.name() } else { None };
            let more = index + 1 < tokens.len() || variadic;
            match right {
                Some(name) if names.contains(name) => {
                    self.error(format!("`{name}` is a parameter twice"), token.span);
                    return None;
                }
                Some(name) => names.push(name.clone()),
                None if index % 2 == 1 && token.is(Punct::Comma) && more => {}
                None => {
                    self.error("the parameters of a macro are names separated by commas", token.span);
                    return None;
                }
            }
        }
        // Behind a comma, or alone, `...` is the parameter `__VA_ARGS__`; behind a name it makes that one take the rest.
        if variadic && tokens.len() % 2 == 0 {
            names.push("__VA_ARGS__".into());
        }
        Some((names, variadic))
    }

    fn include(&mut self, file: FileId, at: Span, rest: &[Token]) {
        let rest = self.expand(rest);
        let Some(Token { kind: Kind::Text(included), span, .. }) = rest.first() else {
            let text = "only `#include \"file\"` is supported: there is no system directory to search";
            return self.error(text, at);
        };
        let name = include_path(self.sources.name(file), included);
        if self.include_stack.len() >= INCLUDE_DEPTH {
            let text = if self.include_stack.contains(&name) {
                format!("`{name}` includes itself")
            } else {
                format!("includes are nested more than {INCLUDE_DEPTH} deep")
            };
            return self.error(text, *span);
        }
        match self.load(&name) {
            Ok(included) => {
                self.file(included);
            }
            Err(reason) => self.error(format!("cannot read `{name}`: {reason}"), *span),
        }
    }

    /// `rest` is `n "file" ..` or `n`.
    fn line_marker(&mut self, file: FileId, hash: Span, rest: &[Token]) {
        let line = match rest.first().map(|token| &token.kind) {
            Some(Kind::Number(text)) => text.parse::<u64>().ok(),
            _ => None,
        };
        let Some(line) = line else {
            return self.error("a line number must follow `#line`", hash);
        };
        let name = match rest.get(1).map(|token| &token.kind) {
            Some(Kind::Text(name)) => Some(name.to_string()),
            _ => None,
        };
        self.sources.mark_line(file, hash.start, line, name);
    }

    /// Takes `tokens` from the budget; false when it is used up (reported once).
    fn spend(&mut self, tokens: usize, at: Span) -> bool {
        if self.budget == 0 {
            return false;
        }
        self.budget = self.budget.saturating_sub(tokens);
        if self.budget == 0 {
            let message = self
                .sources
                .error(format!("the macros of this model expand to more than {} tokens", self.most), at)
                .code(codes::BEYOND_LIMIT)
                .help("these do not fit into the memory that is granted; `--memory` raises it");
            self.messages.push(message);
            return false;
        }
        true
    }
}

fn is_directive(token: &Token) -> bool {
    token.line_start && token.is(Punct::Hash)
}

fn same_definition(old: &Macro, new: &Macro) -> bool {
    old.parameters == new.parameters
        && old.variadic == new.variadic
        && old.body.len() == new.body.len()
        && old.body.iter().zip(new.body.iter()).all(|(a, b)| a.kind == b.kind)
}

#[cfg(test)]
mod tests;
