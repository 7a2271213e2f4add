//! `library F, G endlib`: textual inclusion, wherever it stands.
//!
//! A library is looked for beside the specification first (`F.lib`, in capitals as CADP writes it or as it is written), and then
//! among our own. One that begins with `type` or `library` is included once, however often it is named: its types would be declared
//! twice otherwise. Any other is a piece of a behaviour, and is included wherever it is named.

use crate::lexer::{Lexeme, Token, lex};
use crate::sources::Sources;
use elnath_source::{Message, SourceText, codes, nearest};
use std::collections::HashSet;
use std::rc::Rc;

/// Our own libraries: the names under which they can be included, and their texts. Names are those of the standard (annex A) and of CADP.
const OWN: [(&[&str], &str); 15] = [
    (&["boolean", "x_boolean"], include_str!("../lib/boolean.lib")),
    (&["bit", "x_bit"], include_str!("../lib/bit.lib")),
    (&["natural", "naturalnumber", "basicnaturalnumber", "x_natural"], include_str!("../lib/natural.lib")),
    (&["integer", "x_integer"], include_str!("../lib/integer.lib")),
    (&["octet", "x_octet"], include_str!("../lib/octet.lib")),
    (&["element", "fboolean"], include_str!("../lib/element.lib")),
    (&["string"], include_str!("../lib/string.lib")),
    (
        &["nonemptystring", "basicnonemptystring", "richernonemptystring"],
        include_str!("../lib/nonemptystring.lib"),
    ),
    (&["set"], include_str!("../lib/set.lib")),
    (&["octetstring"], include_str!("../lib/octetstring.lib")),
    (&["bitstring", "bitnatrepr"], include_str!("../lib/bitstring.lib")),
    (&["octstring", "octdigit", "octnatrepr"], include_str!("../lib/octstring.lib")),
    (&["decstring", "decdigit", "decnatrepr"], include_str!("../lib/decstring.lib")),
    (&["hexstring", "hexdigit", "hexnatrepr"], include_str!("../lib/hexstring.lib")),
    (&["natrepresentations"], include_str!("../lib/natrepresentations.lib")),
];

/// Libraries of CADP whose sorts are C types.
const IN_C: [&str; 8] =
    ["action", "character", "real", "x_action", "x_character", "x_real", "x_string", "x_character_string"];

/// Finds the text of a library beside the specification: the name of the file and its text.
pub type FindLibrary<'a> = dyn Fn(&str) -> Option<(String, String)> + 'a;

/// The words of a specification with those of its libraries in their places.
pub(crate) fn expand(
    source: SourceText,
    find: &FindLibrary<'_>,
    messages: &mut Vec<Message>,
) -> (Sources, Vec<Lexeme>) {
    let words = lex(&source, 0, messages);
    let mut including = Including {
        sources: Sources(vec![source], Vec::new()),
        find,
        included: HashSet::new(),
        open: Vec::new(),
        words: Vec::new(),
        messages,
    };
    including.add(words);
    (including.sources, including.words)
}

struct Including<'a> {
    sources: Sources,
    find: &'a FindLibrary<'a>,
    /// Those that are included once, by what they are called in [`OWN`] or by their names.
    included: HashSet<String>,
    /// Those that are being included.
    open: Vec<String>,
    words: Vec<Lexeme>,
    messages: &'a mut Vec<Message>,
}

/// Libraries within libraries; more are a mistake.
const NESTED: usize = 50;

impl Including<'_> {
    fn add(&mut self, words: Vec<Lexeme>) {
        let within = self.sources.0.len() > 1 && !self.open.is_empty();
        let mut words = words.into_iter().peekable();
        while let Some(word) = words.next() {
            if word.token != Token::Word(Rc::from("library")) {
                // Only the specification itself ends.
                if word.token != Token::End || !within {
                    self.words.push(word);
                }
                continue;
            }
            let end = Token::Word(Rc::from("endlib"));
            loop {
                match words.peek().map(|word| word.token.clone()) {
                    Some(token) if token == end => {
                        words.next();
                        break;
                    }
                    Some(Token::Word(name)) => {
                        let word = words.next().expect("it was seen");
                        self.include(&name, &word);
                    }
                    Some(Token::Sign(",")) => _ = words.next(),
                    _ => {
                        let message = self.sources.error("this library clause does not end", word.span);
                        self.messages
                            .push(message.code(codes::SYNTAX).help("write `endlib` after the names"));
                        break;
                    }
                }
            }
        }
    }

    fn include(&mut self, name: &str, word: &Lexeme) {
        let written = self.sources.text(word.span).to_owned();
        let (key, file, text, ours) = if let Some((file, text)) = (self.find)(&written) {
            (name.to_owned(), file, text, false)
        } else if let Some((names, text)) = OWN.iter().find(|(names, _)| names.contains(&name)) {
            (names[0].to_owned(), format!("{}.lib", names[0].to_uppercase()), (*text).to_owned(), true)
        } else if IN_C.contains(&name) {
            let text = format!("the library `{written}` of CADP is C code, and none is executed here");
            let help = "declare what the specification needs of it as a type with equations".to_owned();
            self.messages.push(self.sources.error(text, word.span).code(codes::EMBEDDED_C).help(help));
            return;
        } else {
            let message = self.sources.error(format!("there is no library `{written}`"), word.span);
            let own = OWN.iter().flat_map(|(names, _)| names.iter().copied());
            let help = match nearest(name, own) {
                Some(near) => format!("is `{near}` meant?"),
                None => {
                    let own: Vec<&str> = OWN.iter().map(|(names, _)| names[0]).collect();
                    let (capitals, own) = (name.to_uppercase(), own.join(", "));
                    format!("put {capitals}.lib beside the specification; our own libraries are {own}")
                }
            };
            self.messages.push(message.code(codes::UNREADABLE).help(help));
            return;
        };
        if self.included.contains(&key) {
            return;
        }
        if self.open.contains(&key) || self.open.len() >= NESTED {
            let message = self.sources.error(format!("the library `{name}` includes itself"), word.span);
            self.messages.push(message.code(codes::WRONG_USE));
            return;
        }
        let source = SourceText::new(file, text);
        let number = self.sources.0.len() as u32;
        let words = lex(&source, number, self.messages);
        self.sources.0.push(source);
        if ours {
            self.sources.1.push(number);
        }
        let first = words.first().map(|word| &word.token);
        if matches!(first, Some(Token::Word(word)) if matches!(&**word, "type" | "library")) {
            self.included.insert(key.clone());
        }
        self.open.push(key);
        self.add(words);
        self.open.pop();
    }
}
