//! The tokens of HOA.
//!
//! Lines mean nothing in this format; comments nest. What is not a token becomes [`Kind::Bad`], and is complained about
//! only when an automaton that holds it is wanted, since a stream may hold automata that nobody asked for.

/// What a token is; its text is in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier with a colon right behind it.
    Header,
    /// An identifier; `t` and `f` too.
    Word,
    /// A number below 2^31.
    Int(u32),
    /// A string in double quotes, its escapes not yet undone.
    Text,
    /// `@` and a name.
    Alias,
    /// One of `!&|()[]{}`.
    Sign(u8),
    /// `--BODY--`
    Body,
    /// `--END--`
    End,
    /// `--ABORT--`
    Abort,
    /// Not a token, and why.
    Bad(&'static str),
}

/// A token and the bytes it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// All tokens of a text.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let kind = match bytes[at] {
            b' ' | b'\t' | b'\n' | b'\r' => {
                at += 1;
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => match comment(bytes, at) {
                Some(end) => {
                    at = end;
                    continue;
                }
                None => {
                    at += 2;
                    Kind::Bad("this comment is never closed (comments nest here)")
                }
            },
            b'"' => match string(bytes, at) {
                Some(end) => {
                    at = end;
                    Kind::Text
                }
                None => {
                    at += 1;
                    Kind::Bad("this string is never closed")
                }
            },
            b'0'..=b'9' => {
                at = run(bytes, at, |b| b.is_ascii_digit());
                number(&text[start..at])
            }
            b'@' => {
                at = run(bytes, at + 1, in_name);
                if at == start + 1 { Kind::Bad("an alias needs a name behind the @") } else { Kind::Alias }
            }
            b if b.is_ascii_alphabetic() || b == b'_' => {
                at = run(bytes, at, in_name);
                // Version 1.1 puts a point into its own name and into those of headers, such as spot.highlight.states.
                let dotted = run(bytes, at, |b| in_name(b) || b == b'.');
                let version = matches!(tokens.last(), Some(Token { kind: Kind::Header, start, end }) if &text[*start..*end] == "HOA:");
                if version {
                    at = dotted;
                    Kind::Word
                } else if bytes.get(dotted) == Some(&b':') {
                    at = dotted + 1;
                    Kind::Header
                } else {
                    Kind::Word
                }
            }
            b'-' => match MARKERS.iter().find(|(word, _)| text[at..].starts_with(word)) {
                Some((word, kind)) => {
                    at += word.len();
                    *kind
                }
                None => {
                    at += 1;
                    Kind::Bad("a dash begins only --BODY--, --END-- and --ABORT--")
                }
            },
            sign @ (b'!' | b'&' | b'|' | b'(' | b')' | b'[' | b']' | b'{' | b'}') => {
                at += 1;
                Kind::Sign(sign)
            }
            _ => {
                at += text[at..].chars().next().map_or(1, char::len_utf8);
                Kind::Bad("no token begins with this character")
            }
        };
        tokens.push(Token { kind, start, end: at });
    }
    tokens
}

/// What a string token says: a backslash makes the character behind it an ordinary one.
pub(super) fn unescaped(quoted: &str) -> String {
    let mut said = String::new();
    let mut characters = quoted[1..quoted.len() - 1].chars();
    while let Some(c) = characters.next() {
        said.extend(if c == '\\' { characters.next() } else { Some(c) });
    }
    said
}

/// The other way round.
pub(super) fn escaped(said: &str) -> String {
    said.replace('\\', "\\\\").replace('"', "\\\"")
}

const MARKERS: [(&str, Kind); 3] =
    [("--BODY--", Kind::Body), ("--END--", Kind::End), ("--ABORT--", Kind::Abort)];

fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn run(bytes: &[u8], from: usize, inside: impl Fn(u8) -> bool) -> usize {
    bytes[from..].iter().position(|&b| !inside(b)).map_or(bytes.len(), |n| from + n)
}

fn number(digits: &str) -> Kind {
    if digits.len() > 1 && digits.starts_with('0') {
        return Kind::Bad("numbers are written without leading zeros");
    }
    match digits.parse::<u32>() {
        Ok(n) if n < 1 << 31 => Kind::Int(n),
        _ => Kind::Bad("numbers are below 2147483648"),
    }
}

/// Where the comment that begins at `at` ends.
fn comment(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0u32;
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Where the string that begins at `at` ends.
fn string(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        tokens(text).iter().map(|t| (t.kind, &text[t.start..t.end])).collect()
    }

    #[test]
    fn words_headers_and_the_marker_that_a_word_swallows() {
        let text = "HOA: v1.1 foo--ABORT-- t: t --ABORT-- a.b: a.b";
        let expected = [
            (Kind::Header, "HOA:"),
            (Kind::Word, "v1.1"),
            (Kind::Word, "foo--ABORT--"),
            (Kind::Header, "t:"),
            (Kind::Word, "t"),
            (Kind::Abort, "--ABORT--"),
            (Kind::Header, "a.b:"),
            (Kind::Word, "a"),
            (Kind::Bad("no token begins with this character"), "."),
            (Kind::Word, "b"),
        ];
        assert_eq!(kinds(text), expected);
    }

    #[test]
    fn comments_nest_and_strings_escape() {
        assert_eq!(
            kinds(r#"/*a/*b*/c*/ 12"a\"\\" @x-1 /**/ 0"#),
            [(Kind::Int(12), "12"), (Kind::Text, r#""a\"\\""#), (Kind::Alias, "@x-1"), (Kind::Int(0), "0")]
        );
        assert_eq!(unescaped(r#""a\"\\é\n""#), "a\"\\én");
        assert_eq!(unescaped(&format!("\"{}\"", escaped("a\"\\"))), "a\"\\");
    }

    #[test]
    fn broken_tokens_do_not_hide_what_follows() {
        let bad = |text: &str| matches!(tokens(text)[0].kind, Kind::Bad(_));
        for text in ["/* /* */", "\"abc\\", "\"abc\\\"", "01", "2147483648", "@", "-", "é", "\\", "--BODY-"]
        {
            assert!(bad(text), "{text}");
        }
        assert_eq!(kinds("é 1")[1], (Kind::Int(1), "1"));
    }
}
