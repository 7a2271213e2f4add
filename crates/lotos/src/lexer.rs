//! The words of a LOTOS text.
//!
//! Two things are peculiar. `]|` ends a list of gates that `|[` began, but in `P[a]|[c]|Q` the first bracket ends a plain list: a
//! stack of open brackets tells them apart. And names of operations may be runs of signs, such as `{+}` or `<=`, among which only
//! `=`, `=>`, `->` and `>>` are reserved.
//!
//! Letters count the same in both cases: words are kept in lower case, and their places lead to the text as it was written.
//! Comments that begin with `(*!` carry meaning and are kept with the word before them; other comments are left out. The first `*)` ends a comment, also
//! where another `(*` stands in it; what follows up to one more `*)` could not be LOTOS, and is taken for the rest of the comment, with a warning.

use crate::sources::Span;
use elnath_source::{Message, SourceText, codes};
use std::rc::Rc;

/// A word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A name or a keyword, in lower case; a number is a name.
    Word(Rc<str>),
    /// The name of an operation, made of signs.
    Operator(Rc<str>),
    /// One of the signs of the language.
    Sign(&'static str),
    End,
}

/// A word with its place and the special comments behind it.
#[derive(Clone, Debug)]
pub(crate) struct Lexeme {
    pub(crate) token: Token,
    pub(crate) span: Span,
    pub(crate) special: Vec<Rc<str>>,
}

/// Longer ones first; `[`, `]` and `]|` depend on brackets.
const SIGNS: [&str; 13] = ["|||", "|[", "||", "[>", "[]", "!", "?", ";", ":=", ":", ",", "(", ")"];

/// Runs of signs that belong to the language.
const RESERVED: [&str; 4] = ["=", "=>", "->", ">>"];

fn is_operator(c: char) -> bool {
    "#%&*+-./<=>@\\^~{}".contains(c)
}

/// All words of a text; at the end there is [`Token::End`]. What cannot be read is reported and left out.
pub(crate) fn lex(source: &SourceText, file: u32, messages: &mut Vec<Message>) -> Vec<Lexeme> {
    let text = source.text();
    let span = |start: usize, end: usize| Span { file, start: start as u32, end: end as u32 };
    let mut words: Vec<Lexeme> = Vec::new();
    // True: opened by `|[`.
    let mut brackets: Vec<bool> = Vec::new();
    let mut at = 0;
    // After a comment with another in it: where it ended, and how much was known there.
    let mut nested: Option<(usize, usize, Vec<bool>, usize)> = None;
    let wrong =
        |from: usize, to: usize, what: &str| Message::error(what, source.place(from, to)).code(codes::SYNTAX);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let start = at;
        if c.is_whitespace() || c == '\u{feff}' {
            at += c.len_utf8();
            continue;
        }
        if let Some(comment) = rest.strip_prefix("(*") {
            let Some(length) = comment.find("*)") else {
                messages.push(wrong(at, at + 2, "this comment does not end"));
                break;
            };
            at += length + 4;
            if comment[..length].contains("(*") {
                nested = Some((at, words.len(), brackets.clone(), messages.len()));
            }
            if let (Some(inner), Some(last)) = (comment[..length].strip_prefix('!'), words.last_mut()) {
                last.special.push(inner.trim().to_ascii_lowercase().into());
            }
            continue;
        }
        if rest.starts_with("*)") {
            at += 2;
            let place = source.place(start, at);
            if let Some((end, count, open, said)) = nested.take() {
                words.truncate(count);
                messages.truncate(said);
                brackets = open;
                let text = "a comment stands within a comment; both end here";
                let message = Message::finding(codes::NESTED_COMMENT, text, Some(place));
                messages.push(message.also(source.place(end - 2, end), "the standard ends the comment here"));
            } else {
                messages.push(wrong(start, at, "this ends no comment"));
            }
            continue;
        }
        if let Some(length) = literal_length(rest) {
            at += length;
            let message = wrong(start, at, "LOTOS has no literals for strings and characters");
            messages.push(message.help("define a constant: `hello : -> Text`"));
            let token = Token::Word(text[start..at].into());
            words.push(Lexeme { token, span: span(start, at), special: Vec::new() });
            continue;
        }
        let token = if c.is_ascii_alphanumeric() {
            at += name_length(rest);
            Token::Word(text[start..at].to_ascii_lowercase().into())
        } else if is_operator(c) {
            at += rest.find(|c| !is_operator(c)).unwrap_or(rest.len());
            match RESERVED.iter().find(|reserved| **reserved == &text[start..at]) {
                Some(sign) => Token::Sign(sign),
                None => Token::Operator(text[start..at].into()),
            }
        } else if c == '_' {
            at += 1;
            Token::Sign("_")
        } else if c == ']' {
            let bars = brackets.pop().unwrap_or(false) && rest.starts_with("]|");
            at += if bars { 2 } else { 1 };
            Token::Sign(if bars { "]|" } else { "]" })
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            at += sign.len();
            if *sign == "|[" {
                brackets.push(true);
            }
            Token::Sign(sign)
        } else if c == '[' {
            at += 1;
            brackets.push(false);
            Token::Sign("[")
        } else {
            at += c.len_utf8();
            messages.push(wrong(start, at, &format!("`{}` means nothing in LOTOS", c.escape_debug())));
            continue;
        };
        words.push(Lexeme { token, span: span(start, at), special: Vec::new() });
    }
    words.push(Lexeme { token: Token::End, span: span(text.len(), text.len()), special: Vec::new() });
    words
}

/// `"..."` or `'.'`, as other languages have them.
fn literal_length(text: &str) -> Option<usize> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let end = text[1..].find([quote, '\n'])?;
    text[1 + end..].starts_with(quote).then_some(end + 2)
}

/// Letters and digits, with underscores inside: `_eq_` is three words, `new_line` is one. So is `send__Station`, which the
/// standard does not allow (one underscore at a time) and generators of LOTOS write: read as several words it would mean nothing.
fn name_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        while bytes.get(at).is_some_and(u8::is_ascii_alphanumeric) {
            at += 1;
        }
        let underscores = bytes[at..].iter().take_while(|byte| **byte == b'_').count();
        if underscores == 0 || !bytes.get(at + underscores).is_some_and(u8::is_ascii_alphanumeric) {
            return at;
        }
        at += underscores;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut messages = Vec::new();
        let words = lex(&SourceText::new("a.lotos", text), 0, &mut messages);
        assert!(messages.is_empty(), "{messages:?}");
        let shown = |word: Lexeme| match word.token {
            Token::Word(text) | Token::Operator(text) => text.to_string(),
            Token::Sign(sign) => sign.to_owned(),
            Token::End => String::new(),
        };
        words.into_iter().map(shown).filter(|word| !word.is_empty()).collect()
    }

    #[test]
    fn brackets_are_told_apart() {
        assert_eq!(words("P[a,b]|[c]|Q").join(" "), "p [ a , b ] |[ c ]| q");
        assert_eq!(words("P[a]||Q[b]|||R").join(" "), "p [ a ] || q [ b ] ||| r");
        assert_eq!(words("[x>0]->stop[]a[>b").join(" "), "[ x > 0 ] -> stop [] a [> b");
    }

    #[test]
    fn operations_may_be_signs() {
        assert_eq!(words("_eq_, {+} : ->Nat x=>y==z").join(" "), "_ eq _ , {+} : -> nat x => y == z");
        assert_eq!(words("new_line A__b").join(" "), "new_line a__b");
        assert_eq!(words("_eq__").join(" "), "_ eq _ _");
    }

    #[test]
    fn nested_comments_are_one_with_a_warning() {
        let lexed = |text: &str| {
            let mut messages = Vec::new();
            let words = lex(&SourceText::new("a.lotos", text), 0, &mut messages);
            let codes: Vec<&str> =
                messages.iter().filter_map(|message| message.code).map(|code| code.text()).collect();
            (words.len() - 1, codes)
        };
        assert_eq!(lexed("a (* b (* c *) ' d [ $ *) e]|[f"), (5, vec!["W0226"]));
        assert_eq!(lexed("a (* b (* c *) d"), (2, vec![]));
        assert_eq!(lexed("a *) b"), (2, vec!["E0001"]));
        assert_eq!(lexed("a !\"b c\" 'd' 'e"), (5, vec!["E0001", "E0001", "E0001"]));
    }

    #[test]
    fn special_comments_stay_with_the_word_before() {
        let mut messages = Vec::new();
        let text = "0 (*! Constructor *) (* no *) : -> Nat";
        let words = lex(&SourceText::new("a.lotos", text), 0, &mut messages);
        assert_eq!(&*words[0].special[0], "constructor");
        assert!(words[1..].iter().all(|word| word.special.is_empty()));
    }
}
