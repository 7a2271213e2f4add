//! One line at a time into tokens.

use std::ops::Range;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A keyword or an identifier with dots.
    Word(String),
    /// A name in single quotes.
    Quoted(String),
    /// A text in double quotes.
    Text(String),
    Number(i64),
    Punct(&'static str),
}

/// A token and where it stands in the whole text.
pub(super) type Spanned = (Token, Range<usize>);

/// Longer ones first, where one begins another.
const PUNCTUATION: &[&str] = &[
    "::", "..", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "(", ")", "[", "]", "{", "}", ",", ";",
    ":", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "!", "~", "?", "@", "#",
];

/// The tokens of a line that begins at `offset`, up to its end or a comment.
///
/// # Errors
/// What is wrong with the first character that begins no token.
pub(super) fn tokens(line: &str, offset: usize) -> Result<Vec<Spanned>, (String, Range<usize>)> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(first) = line[at..].chars().next() {
        let rest = &line[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("//") {
            break;
        }
        let (token, length) = token(rest, first).map_err(|text| {
            let end = if first == '"' || first == '\'' { line.len() } else { at + first.len_utf8() };
            (text, offset + at..offset + end)
        })?;
        out.push((token, offset + at..offset + at + length));
        at += length;
    }
    Ok(out)
}

fn token(rest: &str, first: char) -> Result<(Token, usize), String> {
    if first.is_ascii_digit() {
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = rest[..length].parse().ok().filter(|&number| number <= 1 << 32);
        return number
            .map(|number| (Token::Number(number), length))
            .ok_or("this number is too large".to_owned());
    }
    if is_name_start(first) {
        let length = word_length(rest);
        return Ok((Token::Word(rest[..length].to_owned()), length));
    }
    if first == '"' || first == '\'' {
        let (text, length) = quoted(rest, first)?;
        return Ok((if first == '"' { Token::Text(text) } else { Token::Quoted(text) }, length));
    }
    match PUNCTUATION.iter().find(|punct| rest.starts_with(**punct)) {
        Some(punct) => Ok((Token::Punct(punct), punct.len())),
        None => Err(format!("{first:?} means nothing here")),
    }
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// How much of `text` is an identifier: parts joined by single dots.
fn word_length(text: &str) -> usize {
    let part = |text: &str| text.bytes().take_while(|&b| b.is_ascii_alphanumeric() || b == b'_').count();
    let mut length = part(text);
    while text[length..].starts_with('.') && text[length + 1..].starts_with(is_name_start) {
        length += 1 + part(&text[length + 1..]);
    }
    length
}

/// Whether a name can be written as it is.
pub(super) fn is_word(name: &str) -> bool {
    name.starts_with(is_name_start) && word_length(name) == name.len()
}

fn quoted(rest: &str, quote: char) -> Result<(String, usize), String> {
    let mut out = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next().map(|(_, c)| c) {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                Some(c) if c == quote || c == '\\' => out.push(c),
                _ => return Err("a backslash is followed by n, t, r, the quote or a backslash".to_owned()),
            },
            c if c == quote => return Ok((out, at + 1)),
            c => out.push(c),
        }
    }
    Err("the quote is not closed on this line".to_owned())
}

/// The text in quotes, such that [`tokens`] reads it again.
pub(super) fn quote(text: &str, quote: char) -> String {
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c == quote || c == '\\' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}
