//! Macro expansion: rescanning with a stack of half-read token lists.
//!
//! The expansion of a macro is read again together with what follows it (so that `#define f g` and `f(1)` finds the
//! arguments of `g`), but a macro is not expanded within its own expansion. Both come out of one picture: the input is a
//! stack of frames, each the rest of some macro's replacement; a macro is *disabled* exactly while its frame is on the
//! stack, and a disabled name that is read is *painted* and stays as it is for good. Arguments are expanded on their own
//! first, except next to `#` and `##`.

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use super::{Macro, Preprocessor};
use crate::lexer::{Kind, Punct, Token, lex};
use crate::sources::{ExpansionId, ExpansionKind, Span};

/// Calls within arguments within arguments. More is a mistake, and each level costs stack.
const ARGUMENT_DEPTH: usize = 64;

/// The unread rest of a replacement, or of the text itself.
struct Frame {
    tokens: Rc<[Token]>,
    at: usize,
    /// The macro that is disabled while this is read.
    disables: Option<Arc<str>>,
}

struct Input {
    frames: Vec<Frame>,
    /// Macros disabled around this input (arguments of a call that stands in a replacement).
    disabled: HashSet<Arc<str>>,
    /// The last call was written on several lines: the next token of the text itself begins a line.
    line_ended: bool,
}

impl Input {
    fn next(&mut self) -> Option<Token> {
        while let Some(frame) = self.frames.last_mut() {
            if let Some(token) = frame.tokens.get(frame.at) {
                frame.at += 1;
                let mut token = token.clone();
                if self.in_text() {
                    token.line_start |= std::mem::take(&mut self.line_ended);
                }
                return Some(token);
            }
            self.frames.pop();
        }
        None
    }

    /// Whether the text itself is read, not some macro's replacement.
    fn in_text(&self) -> bool {
        self.frames.len() == 1
    }

    /// Whether a `(` comes next; frames that are read to their end do not hide it.
    fn call_follows(&self) -> bool {
        self.frames
            .iter()
            .rev()
            .find_map(|frame| frame.tokens.get(frame.at))
            .is_some_and(|token| token.is(Punct::Open))
    }

    fn is_disabled(&self, name: &Arc<str>) -> bool {
        self.disabled.contains(name) || self.frames.iter().any(|frame| frame.disables.as_ref() == Some(name))
    }

    fn all_disabled(&self) -> HashSet<Arc<str>> {
        self.frames
            .iter()
            .filter_map(|frame| frame.disables.clone())
            .chain(self.disabled.iter().cloned())
            .collect()
    }
}

impl Preprocessor<'_> {
    /// Expands all macros in a stretch of text.
    pub(super) fn expand(&mut self, tokens: &[Token]) -> Vec<Token> {
        self.expand_within(tokens, HashSet::new(), 0)
    }

    /// As `expand`, but if a directive follows, a macro call that is not closed is left in `interrupted`, to be read again
    /// with what comes behind the directive.
    pub(super) fn expand_text(&mut self, tokens: &[Token], directive: bool) -> Vec<Token> {
        self.expand_input(tokens, HashSet::new(), 0, directive)
    }

    fn expand_within(&mut self, tokens: &[Token], disabled: HashSet<Arc<str>>, depth: usize) -> Vec<Token> {
        self.expand_input(tokens, disabled, depth, false)
    }

    fn expand_input(
        &mut self,
        tokens: &[Token],
        disabled: HashSet<Arc<str>>,
        depth: usize,
        directive: bool,
    ) -> Vec<Token> {
        let mut out = Vec::with_capacity(tokens.len());
        let frames = vec![Frame { tokens: tokens.into(), at: 0, disables: None }];
        let mut input = Input { frames, disabled, line_ended: false };
        // A macro at the start of a line passes that on to what it becomes, or, becoming nothing, to what follows: the
        // parser separates statements at line ends.
        let mut line_start = false;
        while let Some(mut token) = input.next() {
            token.line_start |= std::mem::take(&mut line_start);
            if !self.spend(1, token.span) {
                break;
            }
            let Some(name) = token.name().filter(|_| !token.painted).cloned() else {
                out.push(token);
                continue;
            };
            if &*name == "__LINE__" {
                let line = self.sources.physical_line(token.span).to_string();
                token.kind = Kind::Number(line.as_str().into());
                out.push(token);
                continue;
            }
            if &*name == "__FILE__" {
                token.kind = Kind::Text(self.sources.name(token.span.file).into());
                out.push(token);
                continue;
            }
            let Some(definition) = self.macros.get(&name).cloned() else {
                out.push(token);
                continue;
            };
            if input.is_disabled(&name) {
                token.painted = true;
                out.push(token);
                continue;
            }
            if definition.parameters.is_some() && !input.call_follows() {
                out.push(token);
                continue;
            }
            if directive && definition.parameters.is_some() && input.in_text() {
                let behind = input.frames[0].at;
                if !closes(&tokens[behind..]) {
                    self.interrupted = tokens[behind - 1..].to_vec();
                    break;
                }
            }
            let Some(replacement) = self.replacement(&definition, &token, &mut input, depth) else {
                // The call was wrong and has been reported: something must stand there, lest the parser complain again.
                token.kind = Kind::Number("0".into());
                out.push(token);
                continue;
            };
            line_start = token.line_start;
            input.frames.push(Frame { tokens: replacement, at: 0, disables: Some(name) });
        }
        out
    }

    fn replacement(
        &mut self,
        definition: &Macro,
        usage: &Token,
        input: &mut Input,
        depth: usize,
    ) -> Option<Rc<[Token]>> {
        let arguments = match &definition.parameters {
            Some(parameters) => Some(self.arguments(definition, parameters.len(), usage, input)?),
            None => None,
        };
        if depth >= ARGUMENT_DEPTH {
            self.error("macro calls are nested too deeply", usage.span);
            return None;
        }
        let id =
            self.sources.add_expansion(ExpansionKind::Macro, &definition.name, usage.span, definition.span);
        let replacement = match &arguments {
            Some(arguments) => self.substitute(definition, arguments, id, &input.all_disabled(), depth)?,
            None => paste_body(self, definition, id)?,
        };
        self.spend(replacement.len(), usage.span).then(|| replacement.into())
    }

    /// Reads `( a, b, .. )`, commas inside parentheses not counted.
    fn arguments(
        &mut self,
        definition: &Macro,
        expected: usize,
        usage: &Token,
        input: &mut Input,
    ) -> Option<Vec<Vec<Token>>> {
        let mut arguments = vec![Vec::new()];
        let mut nested = 0usize;
        let mut several_lines = false;
        let open = input.next();
        several_lines |= open.is_some_and(|token| token.line_start);
        loop {
            let Some(token) = input.next() else {
                self.error(
                    format!("the arguments of macro `{}` are not closed by `)`", definition.name),
                    usage.span,
                );
                return None;
            };
            if !self.spend(1, token.span) {
                return None;
            }
            several_lines |= token.line_start;
            let in_the_last = definition.variadic && arguments.len() == expected;
            match token.kind {
                Kind::Punct(Punct::Close) if nested == 0 => break,
                Kind::Punct(Punct::Comma) if nested == 0 && !in_the_last => {
                    arguments.push(Vec::new());
                    continue;
                }
                Kind::Punct(Punct::Open) => nested += 1,
                Kind::Punct(Punct::Close) => nested -= 1,
                _ => {}
            }
            if let Some(last) = arguments.last_mut() {
                // A disabled name in an argument is painted now, because it leaves its frame here.
                let paint = token.name().is_some_and(|name| input.is_disabled(name));
                last.push(Token { painted: token.painted || paint, line_start: false, ..token });
            }
        }
        input.line_ended |= several_lines;
        if expected == 0 && arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        if definition.variadic && arguments.len() + 1 == expected {
            arguments.push(Vec::new());
        }
        if arguments.len() != expected {
            let text = format!(
                "macro `{}` takes {}{} argument{}, not {}",
                definition.name,
                if definition.variadic { "at least " } else { "" },
                if definition.variadic { expected - 1 } else { expected },
                if expected == 1 + usize::from(definition.variadic) { "" } else { "s" },
                arguments.len()
            );
            let message = self
                .sources
                .error(text, usage.span)
                .also(self.sources.place(definition.span), "defined here");
            self.messages.push(message);
            return None;
        }
        Some(arguments)
    }

    fn substitute(
        &mut self,
        definition: &Macro,
        arguments: &[Vec<Token>],
        id: ExpansionId,
        disabled: &HashSet<Arc<str>>,
        depth: usize,
    ) -> Option<Vec<Token>> {
        let parameters = definition.parameters.as_deref().unwrap_or(&[]);
        let argument_of = |token: &Token| {
            token.name().and_then(|name| parameters.iter().position(|parameter| parameter == name))
        };
        let mut expanded: Vec<Option<Vec<Token>>> = vec![None; arguments.len()];
        let mut out: Vec<Token> = Vec::new();
        let body = &definition.body;
        let mut at = 0;
        while at < body.len() {
            let token = &body[at];
            if token.is(Punct::HashHash) && at + 1 < body.len() {
                let right = argument_of(&body[at + 1]);
                // gcc's `, ## __VA_ARGS__`: the comma goes if there are no such arguments; nothing is joined.
                let rest = definition.variadic && right == Some(parameters.len() - 1);
                if rest && out.last().is_some_and(|token| token.is(Punct::Comma)) {
                    if arguments[parameters.len() - 1].is_empty() {
                        out.pop();
                    }
                    at += 1;
                    continue;
                }
                let right = match right {
                    Some(index) => arguments[index].clone(),
                    None => vec![from(id, &body[at + 1])],
                };
                self.paste(&mut out, right);
                at += 2;
                continue;
            }
            if token.is(Punct::Hash)
                && let Some(index) = body.get(at + 1).and_then(argument_of)
            {
                out.push(Token { kind: Kind::Text(stringize(&arguments[index]).into()), ..from(id, token) });
                at += 2;
                continue;
            }
            match argument_of(token) {
                Some(index) if body.get(at + 1).is_some_and(|next| next.is(Punct::HashHash)) => {
                    out.extend(arguments[index].iter().cloned());
                }
                Some(index) => {
                    if expanded[index].is_none() {
                        expanded[index] =
                            Some(self.expand_within(&arguments[index], disabled.clone(), depth + 1));
                    }
                    let tokens = expanded[index].as_deref().unwrap_or(&[]);
                    out.extend(tokens.iter().cloned());
                }
                None => out.push(from(id, token)),
            }
            if !self.spend(1, token.span) || out.len() > self.budget {
                self.budget = self.budget.min(1);
                self.spend(1, token.span);
                return None;
            }
            at += 1;
        }
        Some(out)
    }

    /// Joins the last token of `out` with the first of `right`.
    fn paste(&mut self, out: &mut Vec<Token>, right: Vec<Token>) {
        let mut right = right.into_iter();
        let Some(second) = right.next() else { return };
        let Some(first) = out.pop() else {
            out.push(second);
            out.extend(right);
            return;
        };
        let text = format!("{}{}", first.spelling(), second.spelling());
        let pasted = lex(first.span.file, &text);
        match pasted.as_slice() {
            [one, end] if end.kind == Kind::End => {
                out.push(Token { kind: one.kind.clone(), painted: false, ..first });
            }
            _ => {
                self.error(format!("`##` makes `{text}`, which is not one token"), first.span);
                out.push(first);
                out.push(second);
            }
        }
        out.extend(right);
    }
}

/// The body of an object-like macro; it is shared unless it contains `##`, but each use has spans of its own.
fn paste_body(
    preprocessor: &mut Preprocessor<'_>,
    definition: &Macro,
    id: ExpansionId,
) -> Option<Vec<Token>> {
    let mut out: Vec<Token> = Vec::with_capacity(definition.body.len());
    let mut at = 0;
    while let Some(token) = definition.body.get(at) {
        match definition.body.get(at + 1) {
            Some(next) if token.is(Punct::HashHash) => {
                preprocessor.paste(&mut out, vec![from(id, next)]);
                at += 2;
            }
            _ => {
                out.push(from(id, token));
                at += 1;
            }
        }
    }
    Some(out)
}

/// Whether the parenthesis that opens here is closed in the same text.
fn closes(tokens: &[Token]) -> bool {
    let mut nested = 0usize;
    for token in tokens {
        match token.kind {
            Kind::Punct(Punct::Open) => nested += 1,
            Kind::Punct(Punct::Close) if nested == 1 => return true,
            Kind::Punct(Punct::Close) => nested -= 1,
            _ => {}
        }
    }
    false
}

fn from(id: ExpansionId, token: &Token) -> Token {
    Token { span: Span { from: Some(id), ..token.span }, line_start: false, ..token.clone() }
}

fn stringize(tokens: &[Token]) -> String {
    let mut text = String::new();
    for (index, token) in tokens.iter().enumerate() {
        if index > 0 && token.space_before {
            text.push(' ');
        }
        let spelling = token.spelling();
        match token.kind {
            Kind::Text(_) => text.push_str(&spelling.replace('\\', "\\\\").replace('"', "\\\"")),
            _ => text.push_str(&spelling),
        }
    }
    text
}
