//! Words and punctuation of Estelle, which are Pascal's.

use crate::ast::Span;
use elnath_source::{Message, SourceText};

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A word, in small letters.
    Word(String),
    Number(i64),
    /// What is between apostrophes.
    Text(String),
    Punct(&'static str),
    /// A number with a fraction: read, and refused.
    Real,
}

const PUNCTUATION: &[&str] = &[
    "...", ":=", "..", "<=", ">=", "<>", "(", ")", "[", "]", "+", "-", "*", "/", "=", "<", ">", ",", ";",
    ":", ".", "^", "@",
];

/// Takes a text apart.
pub(crate) fn tokens(source: &SourceText) -> (Vec<(Token, Span)>, Vec<Message>) {
    let text = source.text();
    let (mut tokens, mut messages) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c.is_whitespace() {
            at += c.len_utf8();
        } else if c == '{' || rest.starts_with("(*") {
            // The two spellings are one: each may end what the other began.
            let begin = if c == '{' { 1 } else { 2 };
            let ends = [("}", 1), ("*)", 2)].into_iter();
            let end = ends
                .filter_map(|(end, size)| rest[begin..].find(end).map(|found| begin + found + size))
                .min();
            if end.is_none() {
                messages.push(Message::error("this comment does not end", source.place(at, at + begin)));
            }
            at += end.unwrap_or(rest.len());
        } else if c == '\'' {
            let line = rest.find('\n').unwrap_or(rest.len());
            let (mut value, mut length) = (String::new(), 1);
            loop {
                let Some(found) = rest[length..line].find('\'') else {
                    messages.push(Message::error("this text does not end", source.place(at, at + line)));
                    length = line;
                    break;
                };
                value.push_str(&rest[length..length + found]);
                length += found + 1;
                // Two apostrophes stand for one.
                if !rest[length..].starts_with('\'') {
                    break;
                }
                value.push('\'');
                length += 1;
            }
            tokens.push((Token::Text(value), at..at + length));
            at += length;
        } else if c.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let fraction =
                rest[end..].strip_prefix('.').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
            if let Some(fraction) = fraction {
                let digits = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
                tokens.push((Token::Real, at..at + end + 1 + digits));
                at += end + 1 + digits;
                continue;
            }
            // What does not fit is far from any range, and says so there.
            tokens.push((Token::Number(rest[..end].parse().unwrap_or(i64::MAX)), at..at + end));
            at += end;
        } else if c.is_alphabetic() || c == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            tokens.push((Token::Word(rest[..end].to_lowercase()), at..at + end));
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
