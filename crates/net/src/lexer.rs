//! The words of a `.net` file.

use crate::ast::Span;
use elnath_source::{Message, SourceText};

/// A word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A name, or a keyword.
    Word(String),
    /// Between double quotes.
    Text(String),
    /// Between slashes.
    Regex(String),
    /// One of [`SIGNS`].
    Sign(&'static str),
    End,
}

impl Token {
    /// In words, for messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            Token::Word(word) => format!("`{word}`"),
            Token::Text(text) => format!("\"{text}\""),
            Token::Regex(regex) => format!("/{regex}/"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end of the file".to_owned(),
        }
    }
}

/// Longer ones first.
const SIGNS: [&str; 11] = ["|||", "|[", "]|", "||", "->", "=", ",", "(", ")", "[", "]"];

/// All words with their places; at the end there is [`Token::End`]. What cannot be read is complained about and left out.
pub(crate) fn lex(source: &SourceText, messages: &mut Vec<Message>) -> Vec<(Token, Span)> {
    let text = source.text();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c.is_whitespace() {
            at += c.len_utf8();
        } else if rest.starts_with("--") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            tokens.push((Token::Sign(sign), Span { start: at, end: at + sign.len() }));
            at += sign.len();
        } else if c.is_alphabetic() || c == '_' {
            let length = rest.find(|c: char| !is_part_of_name(c)).unwrap_or(rest.len());
            tokens.push((Token::Word(rest[..length].to_owned()), Span { start: at, end: at + length }));
            at += length;
        } else if c == '"' || c == '/' {
            let (content, length, closed) = quoted(rest, c);
            let span = Span { start: at, end: at + length };
            if !closed {
                let what = if c == '"' { "text" } else { "regular expression" };
                let place = source.place(span.start, span.end);
                let message = Message::error(format!("this {what} does not end on its line"), place);
                messages.push(message.label("begins here"));
            }
            let token = if c == '"' { Token::Text(content) } else { Token::Regex(content) };
            tokens.push((token, span));
            at += length;
        } else {
            let end = at + c.len_utf8();
            let place = source.place(at, end);
            let message = Message::error(format!("`{}` means nothing here", c.escape_debug()), place);
            messages.push(if rest.starts_with('#') || rest.starts_with('%') {
                message.help("a comment begins with `--`")
            } else {
                message
            });
            at = end;
        }
    }
    tokens.push((Token::End, Span { start: text.len(), end: text.len() }));
    tokens
}

fn is_part_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '\'')
}

/// What stands between two quotes, how long that is with them, and whether there is a second one. In a regular expression
/// `\/` is a slash; otherwise backslashes are no business of ours.
fn quoted(text: &str, quote: char) -> (String, usize, bool) {
    let mut content = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\n' => return (content.trim_end_matches('\r').to_owned(), at, false),
            c if c == quote => return (content, at + 1, true),
            '\\' if quote == '/' && chars.peek().is_some_and(|(_, next)| *next == '/') => {
                content.push('/');
                chars.next();
            }
            // A backslash goes with what it escapes: `\\` is not the beginning of `\/`.
            '\\' if quote == '/' => {
                content.push('\\');
                content.extend(chars.next_if(|(_, next)| *next != '\n').map(|(_, next)| next));
            }
            c => content.push(c),
        }
    }
    (content, text.len(), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> (Vec<Token>, Vec<String>) {
        let mut messages = Vec::new();
        let tokens = lex(&SourceText::new("a.net", text), &mut messages);
        let tokens = tokens.into_iter().map(|(token, _)| token).collect();
        (tokens, messages.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn words_texts_and_signs() {
        let word = |text: &str| Token::Word(text.to_owned());
        let (tokens, messages) = tokens("let A'=\"a b\" |||B|[g.x,/a\\/\\\\/]|C -- |[\n->");
        let expected = [
            word("let"),
            word("A'"),
            Token::Sign("="),
            Token::Text("a b".to_owned()),
            Token::Sign("|||"),
            word("B"),
            Token::Sign("|["),
            word("g.x"),
            Token::Sign(","),
            Token::Regex("a/\\\\".to_owned()),
            Token::Sign("]|"),
            word("C"),
            Token::Sign("->"),
            Token::End,
        ];
        assert_eq!(tokens, expected);
        assert_eq!(messages, Vec::<String>::new());
    }

    #[test]
    fn what_cannot_be_read_is_told_once_each() {
        let (_, messages) = tokens("A # B\n\"open\r\n/open\n\u{7}");
        assert_eq!(
            messages,
            [
                "a.net:1:3: error: `#` means nothing here",
                "a.net:2:1: error: this text does not end on its line",
                "a.net:3:1: error: this regular expression does not end on its line",
                "a.net:4:1: error: `\\u{7}` means nothing here",
            ]
        );
    }
}
