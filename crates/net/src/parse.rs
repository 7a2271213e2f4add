//! A `.net` file as a tree.
//!
//! ```text
//! file     = { "let" NAME "=" network } network
//! network  = "hide" [ "all" "but" ] labels "in" network
//!          | "rename" renaming { "," renaming } "in" network
//!          | operand { operator operand }
//! operator = "|||" | "||" | "|[" [ labels ] "]|"
//! operand  = NAME | "FILE" | "(" network ")" | "product" "(" factor { "," factor } ")"
//! factor   = network [ "[" labels "]" ]
//! labels   = label { "," label }
//! label    = NAME | "LABEL" | /REGULAR EXPRESSION/
//! renaming = label "->" ( NAME | "LABEL" )
//! ```
//!
//! Between several operands stands the same operator, or there are parentheses: which of two different ones goes first
//! is something that LOTOS and CSP do not agree on, and few remember. After an error the next `let` is read all the same,
//! so that a file is complained about once.

use crate::ast::{Expr, File, Kind, Labels, Let, Meant, Renaming, Span, Synchronised};
use crate::lexer::{Token, lex};
use crate::pattern::Pattern;
use crate::rules::Rules;
use elnath_source::{Message, SourceText, codes};

/// Words that are no names.
const KEYWORDS: [&str; 7] = ["let", "hide", "all", "but", "in", "rename", "product"];
/// How deep networks may be nested: the tree is walked by recursion.
const DEEPEST: usize = 200;

/// Reads a file.
///
/// # Errors
/// All that is wrong with its form.
pub fn parse(source: &SourceText) -> Result<File, Vec<Message>> {
    let mut messages = Vec::new();
    let tokens = lex(source, &mut messages);
    let mut parser = Parser { source, tokens, at: 0, depth: 0, messages };
    let file = parser.file();
    let Parser { messages, .. } = parser;
    match file {
        Some(file) if messages.is_empty() => Ok(file),
        _ => Err(messages),
    }
}

struct Parser<'a> {
    source: &'a SourceText,
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: usize,
    messages: Vec<Message>,
}

impl Parser<'_> {
    fn file(&mut self) -> Option<File> {
        let mut lets = Vec::new();
        let mut broken = false;
        while self.is_word("let") {
            match self.definition() {
                Some(definition) => lets.push(definition),
                None => {
                    broken = true;
                    self.skip_to_let();
                }
            }
        }
        if *self.token() == Token::End {
            if !broken {
                let message = Message::error("there is no network in this file", self.place(self.span()));
                let message = message.code(codes::EMPTY_MODEL);
                self.messages.push(message.help(match lets.last() {
                    Some(last) => {
                        format!(
                            "after the definitions, write what they make together, such as `{}`",
                            last.name
                        )
                    }
                    None => "write for example \"a.aut\" |[GET, PUT]| \"b.aut\"".to_owned(),
                }));
            }
            return None;
        }
        let network = self.network()?;
        if *self.token() != Token::End {
            self.unexpected("an operator, or the end of the file");
            // What follows may be wrong too.
            while *self.token() != Token::End {
                self.skip_to_let();
                if self.is_word("let") && self.definition().is_none() {
                    continue;
                }
            }
            return None;
        }
        Some(File { lets, network })
    }

    fn definition(&mut self) -> Option<Let> {
        self.advance();
        let (name, span) = self.name("a name for the part")?;
        self.sign("=")?;
        let expr = self.network()?;
        if !self.is_word("let") && !self.begins_network() && *self.token() != Token::End {
            self.unexpected("an operator, the next `let`, or the network");
            return None;
        }
        Some(Let { name, span, expr })
    }

    fn network(&mut self) -> Option<Expr> {
        if self.depth == DEEPEST {
            let message = Message::error("this is nested too deep", self.place(self.span()));
            self.messages.push(message.help("give inner parts a name with `let`"));
            return None;
        }
        self.depth += 1;
        let network = self.network_here();
        self.depth -= 1;
        network
    }

    fn network_here(&mut self) -> Option<Expr> {
        let start = self.span();
        if self.is_word("hide") {
            self.advance();
            let all_but = self.is_word("all");
            if all_but {
                self.advance();
                self.word("but")?;
            }
            let labels = self.labels()?;
            self.word("in")?;
            let inner = Box::new(self.network()?);
            let span = start.to(inner.span);
            let kind = if all_but { Kind::HideAllBut(labels, inner) } else { Kind::Hide(labels, inner) };
            return Some(Expr { kind, span });
        }
        if self.is_word("rename") {
            self.advance();
            let mut renamings = vec![self.renaming()?];
            while self.is_sign(",") {
                self.advance();
                renamings.push(self.renaming()?);
            }
            self.word("in")?;
            let inner = Box::new(self.network()?);
            let span = start.to(inner.span);
            return Some(Expr { kind: Kind::Rename(renamings, inner), span });
        }
        self.parallel()
    }

    fn parallel(&mut self) -> Option<Expr> {
        let first = self.operand()?;
        let start = first.span;
        let Some((synchronised, place)) = self.operator()? else { return Some(first) };
        let mut operands = vec![first, self.last_operand()?];
        while let Some((next, here)) = self.operator()? {
            if !same(&synchronised, &next) {
                let message = Message::error("which of these operators goes first?", self.place(here));
                let message = message.label("another operator").also(self.place(place), "the first one");
                self.messages.push(message.help("put parentheses around one of them"));
                return None;
            }
            operands.push(self.last_operand()?);
        }
        let span = start.to(operands.last().expect("there are two").span);
        Some(Expr { kind: Kind::Parallel(operands, synchronised), span })
    }

    /// An operand behind an operator: it may be `hide` or `rename`, which then take all that follows.
    fn last_operand(&mut self) -> Option<Expr> {
        if self.is_word("hide") || self.is_word("rename") { self.network() } else { self.operand() }
    }

    /// An operator, if there is one here; `None` if it is broken.
    #[allow(clippy::option_option)] // The outer one is for what is wrong, as everywhere here.
    fn operator(&mut self) -> Option<Option<(Synchronised, Span)>> {
        let start = self.span();
        let Token::Sign(sign) = *self.token() else { return Some(None) };
        match sign {
            "|||" => {
                self.advance();
                Some(Some((Synchronised::Nothing, start)))
            }
            "||" => {
                self.advance();
                Some(Some((Synchronised::Everything, start)))
            }
            "|[" => {
                self.advance();
                let labels = if self.is_sign("]|") { Vec::new() } else { self.labels()? };
                let end = self.span();
                self.sign("]|")?;
                Some(Some((Synchronised::These(labels), start.to(end))))
            }
            _ => Some(None),
        }
    }

    fn operand(&mut self) -> Option<Expr> {
        let span = self.span();
        match self.token().clone() {
            Token::Text(file) => {
                self.advance();
                Some(Expr { kind: Kind::File(file), span })
            }
            Token::Sign("(") => {
                self.advance();
                let inner = self.network()?;
                let end = self.span();
                self.sign(")")?;
                Some(Expr { kind: inner.kind, span: span.to(end) })
            }
            Token::Word(word) if word == "product" => {
                self.advance();
                self.sign("(")?;
                let mut factors = vec![self.factor()?];
                while self.is_sign(",") {
                    self.advance();
                    factors.push(self.factor()?);
                }
                let end = self.span();
                self.sign(")")?;
                Some(Expr { kind: Kind::Product(factors), span: span.to(end) })
            }
            Token::Word(word) if !KEYWORDS.contains(&word.as_str()) => {
                self.advance();
                Some(Expr { kind: Kind::Name(word), span })
            }
            _ => {
                self.unexpected("a component: a name, a file in quotes, or something in parentheses");
                None
            }
        }
    }

    fn factor(&mut self) -> Option<(Expr, Option<Labels>)> {
        let network = self.network()?;
        if !self.is_sign("[") {
            return Some((network, None));
        }
        self.advance();
        let labels = if self.is_sign("]") { Vec::new() } else { self.labels()? };
        self.sign("]")?;
        Some((network, Some(labels)))
    }

    fn labels(&mut self) -> Option<Labels> {
        let mut labels = vec![self.label()?];
        while self.is_sign(",") {
            self.advance();
            labels.push(self.label()?);
        }
        Some(labels)
    }

    fn label(&mut self) -> Option<(Meant, Span)> {
        let span = self.span();
        let meant = match self.token().clone() {
            Token::Word(word) if !KEYWORDS.contains(&word.as_str()) => Meant::Gate(word),
            Token::Text(text) => Meant::Label(text),
            Token::Regex(regex) => {
                if let Err(error) = Pattern::regex(&regex) {
                    self.messages.push(Message::error(error.text, self.place(span)));
                }
                Meant::Regex(regex)
            }
            _ => {
                self.unexpected("a label: a gate, a label in quotes, or /a regular expression/");
                return None;
            }
        };
        if matches!(&meant, Meant::Gate(name) | Meant::Label(name) if elnath_kernel::relation::is_internal(name))
        {
            let text = "this is the internal action, which is never synchronised, hidden or renamed";
            self.messages.push(Message::error(text, self.place(span)));
        }
        self.advance();
        Some((meant, span))
    }

    fn renaming(&mut self) -> Option<Renaming> {
        let before = self.messages.len();
        let (from, start) = self.label()?;
        self.sign("->")?;
        let end = self.span();
        let to = match self.token().clone() {
            Token::Word(word) if !KEYWORDS.contains(&word.as_str()) => word,
            Token::Text(text) => text,
            _ => {
                self.unexpected("the new label: a name, or a text in quotes");
                return None;
            }
        };
        self.advance();
        // Whatever is wrong with the pattern has been told.
        if self.messages.len() == before
            && let Err(error) = Rules::new().rename(from.pattern(), &to)
        {
            let message = Message::error(error.text, self.place(end));
            self.messages.push(match error.help {
                Some(help) => message.help(help),
                None => message,
            });
        }
        Some(Renaming { from, to, span: start.to(end) })
    }

    fn name(&mut self, expected: &str) -> Option<(String, Span)> {
        let span = self.span();
        match self.token().clone() {
            Token::Word(word) if !KEYWORDS.contains(&word.as_str()) => {
                self.advance();
                Some((word, span))
            }
            _ => {
                self.unexpected(expected);
                None
            }
        }
    }

    fn word(&mut self, word: &str) -> Option<()> {
        if self.is_word(word) {
            self.advance();
            return Some(());
        }
        self.unexpected(&format!("`{word}`"));
        None
    }

    fn sign(&mut self, sign: &str) -> Option<()> {
        if self.is_sign(sign) {
            self.advance();
            return Some(());
        }
        self.unexpected(&format!("`{sign}`"));
        None
    }

    fn unexpected(&mut self, expected: &str) {
        let found = self.token().describe();
        let message = Message::error(format!("expected {expected}, found {found}"), self.place(self.span()));
        let is_keyword = matches!(self.token(), Token::Word(word) if KEYWORDS.contains(&word.as_str()));
        self.messages.push(if is_keyword && !expected.contains('`') {
            message.label("this is a keyword").help("a gate with such a name can be written /in( .*)?/")
        } else {
            message
        });
    }

    fn skip_to_let(&mut self) {
        while !self.is_word("let") && *self.token() != Token::End {
            self.advance();
        }
    }

    fn begins_network(&self) -> bool {
        match self.token() {
            Token::Text(_) | Token::Sign("(") => true,
            Token::Word(word) => !["all", "but", "in", "let"].contains(&word.as_str()),
            _ => false,
        }
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.token(), Token::Word(other) if other == word)
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.token(), Token::Sign(other) if *other == sign)
    }

    fn token(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn place(&self, span: Span) -> elnath_source::Place {
        self.source.place(span.start, span.end)
    }

    fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }
}

/// Whether two operators are the same, so that it does not matter which goes first.
fn same(a: &Synchronised, b: &Synchronised) -> bool {
    match (a, b) {
        (Synchronised::Nothing, Synchronised::Nothing)
        | (Synchronised::Everything, Synchronised::Everything) => true,
        (Synchronised::These(a), Synchronised::These(b)) => {
            let includes = |a: &Labels, b: &Labels| a.iter().all(|(x, _)| b.iter().any(|(y, _)| x == y));
            includes(a, b) && includes(b, a)
        }
        _ => false,
    }
}
