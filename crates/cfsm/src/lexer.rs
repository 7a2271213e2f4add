//! Words and punctuation with their places: enough for all the languages of this crate.

use elnath_source::{Code, Message, SourceText};
use std::ops::Range;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// Letters, digits and underscores; or anything between quotation marks.
    Word(String),
    /// A character that stands for itself, or `->`.
    Punct(&'static str),
}

/// A token and where it is.
pub(crate) type Spanned = (Token, Range<usize>);

const PUNCTUATION: &[&str] = &[
    "->", ":", ";", ",", ".", "{", "}", "(", ")", "[", "]", "!", "?", "=", "<", ">", "^", "*", "+", "#", "|",
    "-", "/", "&", "@",
];

/// Takes a text apart. A comment begins with one of `comments` and goes to the end of the line, or is between `/*` and
/// `*/`.
pub(crate) fn tokens(source: &SourceText, comments: &[&str]) -> (Vec<Spanned>, Vec<Message>) {
    let text = source.text();
    let (mut tokens, mut messages) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c.is_whitespace() {
            at += c.len_utf8();
        } else if comments.iter().any(|comment| rest.starts_with(comment)) {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            match rest.find("*/") {
                Some(end) => at += end + 2,
                None => {
                    messages.push(Message::error("this comment does not end", source.place(at, at + 2)));
                    at = text.len();
                }
            }
        } else if c == '"' {
            let line = rest.find('\n').unwrap_or(rest.len());
            match rest[1..line].find('"') {
                Some(end) => {
                    tokens.push((Token::Word(rest[1..=end].to_owned()), at..at + end + 2));
                    at += end + 2;
                }
                None => {
                    let place = source.place(at, at + line);
                    messages.push(Message::error("this name in quotation marks does not end", place));
                    at += line;
                }
            }
        } else if is_word(c) {
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            tokens.push((Token::Word(rest[..end].to_owned()), at..at + end));
            at += end;
        } else if let Some(punct) = PUNCTUATION.iter().find(|punct| rest.starts_with(**punct)) {
            tokens.push((Token::Punct(punct), at..at + punct.len()));
            at += punct.len();
        } else {
            let end = at + c.len_utf8();
            let text = format!("the character `{}` means nothing here", c.escape_default());
            messages.push(Message::error(text, source.place(at, end)));
            at = end;
        }
    }
    (tokens, messages)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\''
}

/// Reads tokens one after the other and collects what is wrong.
pub(crate) struct Cursor<'a> {
    pub(crate) source: &'a SourceText,
    pub(crate) tokens: Vec<Spanned>,
    pub(crate) at: usize,
    pub(crate) messages: Vec<Message>,
}

/// What could not be read; the message is in the list.
#[derive(Debug)]
pub(crate) struct Broken;

pub(crate) type Parsed<T> = Result<T, Broken>;

/// After so many messages the rest is not read.
pub(crate) const MOST_MESSAGES: usize = 20;

impl<'a> Cursor<'a> {
    pub(crate) fn new(source: &'a SourceText, comments: &[&str]) -> Self {
        let (tokens, messages) = tokens(source, comments);
        Self { source, tokens, at: 0, messages }
    }

    pub(crate) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    pub(crate) fn peek_second(&self) -> Option<&Token> {
        self.tokens.get(self.at + 1).map(|(token, _)| token)
    }

    pub(crate) fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Where the next token is, or the end of the text.
    pub(crate) fn span(&self) -> Range<usize> {
        let end = self.source.text().trim_end().len();
        self.tokens.get(self.at).map_or(end..end, |(_, span)| span.clone())
    }

    /// Where the token just read is.
    pub(crate) fn last_span(&self) -> Range<usize> {
        self.tokens[self.at - 1].1.clone()
    }

    pub(crate) fn line(&self) -> usize {
        self.source.line_of(self.span().start)
    }

    pub(crate) fn is(&self, punct: &str) -> bool {
        matches!(self.peek(), Some(Token::Punct(found)) if *found == punct)
    }

    pub(crate) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Word(found)) if found == word)
            && self.source.text()[self.span()].starts_with(|c| c != '"')
    }

    pub(crate) fn eat(&mut self, punct: &str) -> bool {
        let found = self.is(punct);
        self.at += usize::from(found);
        found
    }

    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    pub(crate) fn punct(&mut self, punct: &str) -> Parsed<()> {
        if self.eat(punct) { Ok(()) } else { Err(self.expected(&format!("`{punct}`"))) }
    }

    pub(crate) fn keyword(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    /// A word and where it is; `what` says in messages what it should be.
    pub(crate) fn word(&mut self, what: &str) -> Parsed<(String, Range<usize>)> {
        match self.tokens.get(self.at) {
            Some((Token::Word(word), span)) => {
                self.at += 1;
                Ok((word.clone(), span.clone()))
            }
            _ => Err(self.expected(what)),
        }
    }

    pub(crate) fn number(&mut self, what: &str) -> Parsed<(u32, Range<usize>)> {
        match self.tokens.get(self.at) {
            Some((Token::Word(word), span)) if word.parse::<u32>().is_ok() => {
                self.at += 1;
                Ok((word.parse().unwrap_or(0), span.clone()))
            }
            Some((Token::Word(word), _)) if word.bytes().all(|byte| byte.is_ascii_digit()) => {
                Err(self.expected(&format!("{what} of at most {}", u32::MAX)))
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Complains that something else was expected here.
    pub(crate) fn expected(&mut self, what: &str) -> Broken {
        let span = self.span();
        let found = match self.source.text()[span.clone()].trim() {
            "" => "the text ends".to_owned(),
            text => format!("this is `{text}`"),
        };
        let message = Message::error(format!("expected {what}"), self.source.place(span.start, span.end));
        self.messages.push(message.label(found));
        Broken
    }

    pub(crate) fn error(&mut self, text: impl Into<String>, span: &Range<usize>) -> &mut Message {
        self.messages.push(Message::error(text, self.source.place(span.start, span.end)));
        self.messages.last_mut().expect("it was just pushed")
    }

    pub(crate) fn warning(&mut self, code: Code, text: &str, span: &Range<usize>) -> &mut Message {
        let place = self.source.place(span.start, span.end);
        self.messages.push(Message::finding(code, text, Some(place)));
        self.messages.last_mut().expect("it was just pushed")
    }

    /// Goes on behind what could not be read, at the next of these.
    pub(crate) fn skip_to(&mut self, stop: impl Fn(&Self) -> bool) {
        while !self.at_end() && !stop(self) {
            self.at += 1;
        }
    }

    pub(crate) fn has_too_many_messages(&self) -> bool {
        self.messages.len() >= MOST_MESSAGES
    }
}
