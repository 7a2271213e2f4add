//! Tokens to syntax tree, by recursive descent.
//!
//! The parser reports everything that is wrong, not only the first mistake: a rule that fails has already pushed its
//! message and returns `None`; the nearest list of things (statements, options, declarations, items) then skips to a
//! token where such a thing may begin and goes on. Two decisions need names to be known beforehand (`p:x` is a remote
//! variable if `p` is a proctype and a label otherwise; `T x` is a declaration if `T` is a typedef), so the tokens are
//! scanned for them first.
//!
//! Inlines are expanded here, as tokens, with the arguments' tokens put in for the parameters wherever those stand:
//! SPIN substitutes text, and models rely on it (`inline f(q) { q!m }` with `f(c[i])`). The parser then simply reads the
//! body in place of the call.
//!
//! Nesting is bounded, by `NESTING` for what is nested in the text and by `HEIGHT` for chains such as `a + b + c ..`
//! that are flat in the text but deep in the tree; so no later walk over the tree can run out of stack.
//!
//! The rules are spread by subject: items and declarations here, statements in `statement`, expressions in `expression`,
//! formulas in `formula`.

mod expression;
mod formula;
mod habits;
mod statement;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use elnath_source::{Message, codes};

use crate::ast::*;
use crate::lexer::{Bad, Kind, Punct, Token};
use crate::sources::{SourceMap, Span};

const NESTING: usize = 150;
const HEIGHT: u16 = 1000;
/// After so many mistakes the rest is noise.
const ENOUGH_MESSAGES: usize = 100;

/// Parses a preprocessed model; the tree holds whatever could be understood. Inlines may make `most_tokens` in all.
pub(crate) fn parse(
    sources: &mut SourceMap,
    tokens: Vec<Token>,
    propositions: Vec<Vec<Token>>,
    most_tokens: usize,
) -> (Module, Vec<Message>) {
    let mut parser = Parser::new(sources, tokens, most_tokens);
    let mut module = parser.module();
    for tokens in propositions {
        (parser.tokens, parser.at) = (tokens, 0);
        module.propositions.extend(parser.proposition());
    }
    (module, parser.messages)
}

/// An `inline` as it was defined.
struct InlineDef {
    name: Ident,
    parameters: Vec<Arc<str>>,
    /// The tokens between the braces, and the closing brace.
    body: Arc<[Token]>,
}

struct Parser<'a> {
    sources: &'a mut SourceMap,
    /// Ends with [`Kind::End`], on which `at` stops.
    tokens: Vec<Token>,
    at: usize,
    messages: Vec<Message>,
    nesting: usize,
    /// Open parentheses and brackets of the expression being read.
    brackets: usize,
    /// A limit was hit; the rest is not read.
    stopped: bool,
    budget: usize,
    inlines: HashMap<Arc<str>, InlineDef>,
    /// The inlines whose bodies are being read, innermost last, with the variable that takes their result.
    expanding: Vec<(Arc<str>, Option<Reference>)>,
    typedefs: HashSet<Arc<str>>,
    proctypes: HashSet<Arc<str>>,
    /// Those whose declaration has begun: before that, SPIN takes `p:` for a label.
    proctypes_met: HashSet<Arc<str>>,
    unnamed_claims: usize,
    /// Inlines anywhere in the text, for "used before its definition".
    later_inlines: HashSet<Arc<str>>,
}

/// Words that cannot be names of variables.
const KEYWORDS: &[&str] = &[
    "active",
    "assert",
    "atomic",
    "bit",
    "bool",
    "break",
    "byte",
    "c_code",
    "c_decl",
    "c_expr",
    "c_state",
    "c_track",
    "chan",
    "d_step",
    "D_proctype",
    "do",
    "else",
    "empty",
    "enabled",
    "eval",
    "false",
    "fi",
    "for",
    "full",
    "get_priority",
    "goto",
    "hidden",
    "if",
    "init",
    "inline",
    "int",
    "len",
    "local",
    "ltl",
    "mtype",
    "nempty",
    "never",
    "nfull",
    "notrace",
    "np_",
    "od",
    "of",
    "pc_value",
    "pid",
    "printf",
    "printm",
    "priority",
    "proctype",
    "provided",
    "return",
    "run",
    "select",
    "set_priority",
    "short",
    "show",
    "skip",
    "timeout",
    "trace",
    "true",
    "typedef",
    "unless",
    "unsigned",
    "xr",
    "xs",
];

impl<'a> Parser<'a> {
    fn new(sources: &'a mut SourceMap, tokens: Vec<Token>, most_tokens: usize) -> Self {
        let named_after = |words: &[&str]| -> HashSet<Arc<str>> {
            tokens
                .windows(2)
                .filter(|pair| pair[0].name().is_some_and(|word| words.contains(&&**word)))
                .filter_map(|pair| pair[1].name().cloned())
                .collect()
        };
        let mut proctypes = named_after(&["proctype", "D_proctype"]);
        proctypes.insert("init".into());
        Parser {
            typedefs: named_after(&["typedef"]),
            later_inlines: named_after(&["inline"]),
            proctypes,
            proctypes_met: HashSet::from(["init".into()]),
            sources,
            tokens,
            at: 0,
            messages: Vec::new(),
            nesting: 0,
            brackets: 0,
            stopped: false,
            budget: most_tokens,
            inlines: HashMap::new(),
            expanding: Vec::new(),
            unnamed_claims: 0,
        }
    }

    // ---- looking at tokens -------------------------------------------------------------------------------------

    fn token(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn ahead(&self, by: usize) -> &Token {
        &self.tokens[(self.at + by).min(self.tokens.len() - 1)]
    }

    fn span(&self) -> Span {
        self.token().span
    }

    fn sees(&self, punct: Punct) -> bool {
        self.token().is(punct)
    }

    fn at_word(&self, word: &str) -> bool {
        self.token().name().is_some_and(|name| &**name == word)
    }

    fn at_any_word(&self, words: &[&str]) -> bool {
        self.token().name().is_some_and(|name| words.contains(&&**name))
    }

    fn at_end(&self) -> bool {
        self.token().kind == Kind::End
    }

    /// Goes on to the next token. The last one, which is the end, is never passed: an error may have led there.
    fn pass(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn advance(&mut self) {
        if let Kind::Bad(bad) = self.token().kind {
            let text = match bad {
                Bad::Comment => "this comment is never closed".to_owned(),
                Bad::String => "this string is not closed on its line".to_owned(),
                Bad::Char => "a character constant is one character between apostrophes".to_owned(),
                Bad::CommentEnd => "`*/` ends no comment".to_owned(),
                Bad::Character(c) => format!("`{}` has no meaning in Promela", c.escape_debug()),
            };
            let span = self.span();
            self.error(text, span);
        }
        if !self.at_end() {
            self.pass();
        }
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.sees(punct);
        if found {
            self.pass();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.pass();
        }
        found
    }

    /// The span from `start` to the token before this one.
    fn since(&self, start: Span) -> Span {
        match self.at.checked_sub(1) {
            Some(last) => self.sources.join(start, self.tokens[last].span),
            None => start,
        }
    }

    // ---- complaining -------------------------------------------------------------------------------------------

    fn error(&mut self, text: impl Into<String>, span: Span) {
        let message = self.sources.error(text, span);
        self.report(message);
    }

    fn report(&mut self, message: Message) {
        if self.stopped {
            return;
        }
        // A mistake in an inline shows up at each of its uses; once is enough. The same holds for a bad token.
        let known = |other: &Message| other.place == message.place && other.text == message.text;
        if self.messages.iter().any(known) {
            return;
        }
        self.messages.push(message);
        if self.messages.len() >= ENOUGH_MESSAGES {
            self.stop();
        }
    }

    /// Reads nothing more. Every rule sees the end of the file and returns.
    fn stop(&mut self) {
        self.stopped = true;
        self.at = self.tokens.len() - 1;
    }

    /// What stands here, for "expected .., found ..".
    fn found(&self) -> String {
        match &self.token().kind {
            Kind::End if self.expanding.is_empty() => "the end of the file".to_owned(),
            Kind::End => "the end of the inline".to_owned(),
            _ => format!("`{}`", self.token().spelling()),
        }
    }

    fn expected<T>(&mut self, what: &str) -> Option<T> {
        // A bad token is its own message, and a better one.
        if let Kind::Bad(_) = self.token().kind {
            self.advance();
            return None;
        }
        let text = format!("expected {what}, found {}", self.found());
        let message = self.sources.error(text, self.span());
        let message = match self.habit() {
            Some(help) => message.help(help),
            None => message,
        };
        self.report(message);
        None
    }

    fn expect(&mut self, punct: Punct) -> Option<()> {
        if self.eat(punct) { Some(()) } else { self.expected(&format!("`{}`", punct.text())) }
    }

    fn ident(&mut self, what: &str) -> Option<Ident> {
        let Some(name) = self.token().name().cloned() else {
            return self.expected(what);
        };
        if KEYWORDS.contains(&&*name) {
            let text = format!("expected {what}, but `{name}` is a word of the language");
            let span = self.span();
            self.error(text, span);
            return None;
        }
        let span = self.span();
        self.pass();
        Some(Ident { text: name, span })
    }

    /// Runs a rule one level deeper; too deep stops the parser.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.nesting >= NESTING {
            let span = self.span();
            self.error(format!("nested more than {NESTING} deep"), span);
            self.stop();
            return None;
        }
        self.nesting += 1;
        let result = rule(self);
        self.nesting -= 1;
        result
    }

    // ---- items -------------------------------------------------------------------------------------------------

    fn module(&mut self) -> Module {
        let mut module = Module::default();
        while !self.at_end() {
            let before = self.at;
            if self.item(&mut module.items).is_none() {
                self.skip_to_item(before);
            }
        }
        module
    }

    fn skip_to_item(&mut self, before: usize) {
        if self.at == before {
            self.advance();
        }
        let mut braces = 0usize;
        while !self.at_end() {
            if braces == 0 {
                let starts = [
                    "proctype",
                    "D_proctype",
                    "active",
                    "init",
                    "never",
                    "ltl",
                    "inline",
                    "typedef",
                    "trace",
                    "notrace",
                    "mtype",
                    "chan",
                ];
                if self.at_any_word(&starts) || self.eat(Punct::Semi) {
                    return;
                }
            }
            if self.sees(Punct::OpenBrace) {
                braces += 1;
            } else if self.sees(Punct::CloseBrace) {
                braces = braces.saturating_sub(1);
                if braces == 0 {
                    self.advance();
                    return;
                }
            }
            self.advance();
        }
    }

    fn item(&mut self, items: &mut Vec<Item>) -> Option<()> {
        if self.eat(Punct::Semi) {
            return Some(());
        }
        let Some(word) = self.token().name().cloned() else {
            return self.expected("a declaration or a proctype");
        };
        match &*word {
            "proctype" | "D_proctype" | "active" => items.push(Item::Process(self.proctype()?.into())),
            "init" => items.push(Item::Process(self.init()?.into())),
            "never" | "trace" | "notrace" => items.push(Item::Process(self.claim()?.into())),
            "ltl" => items.push(Item::Ltl(self.ltl()?)),
            "inline" => self.inline_definition()?,
            "typedef" => {
                let typedef = self.typedef(items)?;
                items.push(Item::Typedef(typedef));
            }
            "mtype" if self.at_mtype_names() => items.push(Item::Mtype(self.mtype_names()?)),
            "c_decl" | "c_state" | "c_track" | "c_code" | "c_expr" => self.embedded_c(),
            _ if self.at_declaration() => {
                let decl = self.declaration()?;
                items.push(Item::Variables(decl));
                // SPIN does not ask for the semicolon either.
                self.eat(Punct::Semi);
            }
            _ => {
                let text = match self.ahead(1).name() {
                    Some(_) => format!("there is no type `{word}`"),
                    None => format!("expected a declaration or a proctype, found `{word}`"),
                };
                let span = self.span();
                self.error(text, span);
                return None;
            }
        }
        Some(())
    }

    fn proctype(&mut self) -> Option<ProcessDecl> {
        let start = self.span();
        let mut active = None;
        if self.eat_word("active") {
            active = Some(None);
            if self.eat(Punct::OpenBracket) {
                active = Some(Some(self.expression()?));
                self.expect(Punct::CloseBracket)?;
            }
        }
        if !self.eat_word("proctype") && !self.eat_word("D_proctype") {
            return self.expected("`proctype`");
        }
        let name = self.ident("the name of the proctype")?;
        self.proctypes_met.insert(name.text.clone());
        let span = self.since(start);
        self.expect(Punct::Open)?;
        let parameters = self.parameters()?;
        self.expect(Punct::Close)?;
        self.process(ProcessKind::Proctype, name, active, parameters, span)
    }

    fn parameters(&mut self) -> Option<Vec<Decl>> {
        let mut parameters = Vec::new();
        while !self.sees(Punct::Close) && !self.at_end() {
            if self.eat(Punct::Semi) {
                continue;
            }
            parameters.push(self.declaration()?);
            if self.sees(Punct::Comma) {
                let message = self
                    .sources
                    .error("parameters of different types are separated by `;`", self.span())
                    .help("write `byte a; byte b`, or `byte a, b`");
                self.report(message);
                self.pass();
            }
        }
        Some(parameters)
    }

    fn init(&mut self) -> Option<ProcessDecl> {
        let span = self.span();
        self.pass();
        let name = Ident { text: "init".into(), span };
        self.process(ProcessKind::Init, name, Some(None), Vec::new(), span)
    }

    fn claim(&mut self) -> Option<ProcessDecl> {
        let span = self.span();
        let word: Arc<str> = self.token().name()?.clone();
        self.pass();
        let kind = match &*word {
            "never" => ProcessKind::Never,
            "trace" => ProcessKind::Trace,
            _ => ProcessKind::NoTrace,
        };
        let name = if self.sees(Punct::OpenBrace) {
            // SPIN numbers claims without a name; ours keep the plain word as long as there is one of them.
            let text = match self.unnamed_claims {
                0 => word,
                number => format!("{word}_{number}").into(),
            };
            self.unnamed_claims += usize::from(kind == ProcessKind::Never);
            Ident { text, span }
        } else {
            self.ident("the name of the claim or `{`")?
        };
        self.process(kind, name, None, Vec::new(), span)
    }

    fn process(
        &mut self,
        kind: ProcessKind,
        name: Ident,
        active: Option<Option<Expr>>,
        parameters: Vec<Decl>,
        span: Span,
    ) -> Option<ProcessDecl> {
        let mut priority = None;
        let mut provided = None;
        loop {
            if self.eat_word("priority") {
                priority = Some(self.primary()?);
            } else if self.eat_word("provided") {
                self.expect(Punct::Open)?;
                provided = Some(self.expression()?);
                self.expect(Punct::Close)?;
            } else {
                break;
            }
        }
        let body = self.braced_sequence()?;
        Some(ProcessDecl { kind, name, active, parameters, priority, provided, body, span })
    }

    fn typedef(&mut self, items: &mut Vec<Item>) -> Option<TypedefDecl> {
        self.pass();
        let name = self.ident("the name of the type")?;
        self.expect(Punct::OpenBrace)?;
        let mut fields = Vec::new();
        while !self.sees(Punct::CloseBrace) {
            if self.at_end() {
                return self.expected("`}`");
            }
            if self.eat(Punct::Semi) || self.eat(Punct::Comma) {
                continue;
            }
            // Its names are global, as in SPIN.
            if self.at_word("mtype") && self.at_mtype_names() {
                items.push(Item::Mtype(self.mtype_names()?));
                continue;
            }
            if !self.at_declaration() {
                return self.expected("a field");
            }
            fields.push(self.declaration()?);
        }
        self.expect(Punct::CloseBrace)?;
        Some(TypedefDecl { name, fields })
    }

    fn at_mtype_names(&self) -> bool {
        let after = if self.ahead(1).is(Punct::Colon) { 3 } else { 1 };
        self.ahead(after).is(Punct::Assign) || self.ahead(after).is(Punct::OpenBrace)
    }

    fn mtype_names(&mut self) -> Option<MtypeDecl> {
        self.pass();
        let set = if self.eat(Punct::Colon) { Some(self.ident("the name of the set")?) } else { None };
        self.eat(Punct::Assign);
        self.expect(Punct::OpenBrace)?;
        let mut names = Vec::new();
        while !self.eat(Punct::CloseBrace) {
            names.push(self.ident("a name or `}`")?);
            // SPIN asks for no comma, and minds no second one.
            while self.eat(Punct::Comma) {}
        }
        Some(MtypeDecl { set, names })
    }

    fn inline_definition(&mut self) -> Option<()> {
        self.pass();
        let name = self.ident("the name of the inline")?;
        self.expect(Punct::Open)?;
        let mut parameters = Vec::new();
        while !self.eat(Punct::Close) {
            parameters.push(self.ident("a parameter or `)`")?.text);
            if !self.sees(Punct::Close) {
                self.expect(Punct::Comma)?;
            }
        }
        let open = self.span();
        self.expect(Punct::OpenBrace)?;
        let from = self.at;
        if self.skip_braces().is_none() {
            self.error("this `{` is never closed", open);
            return None;
        }
        let body = self.tokens[from..self.at].into();
        if let Some(first) = self.inlines.get(&name.text) {
            let message = self
                .sources
                .error(format!("inline `{}` is defined twice", name.text), name.span)
                .code(codes::DECLARED_TWICE)
                .also(self.sources.place(first.name.span), "first defined here");
            self.report(message);
        }
        self.inlines.insert(name.text.clone(), InlineDef { name, parameters, body });
        Some(())
    }

    /// Behind an opening brace: skips to behind its closing brace, reporting nothing. `None` if there is none.
    fn skip_braces(&mut self) -> Option<()> {
        let mut depth = 1usize;
        while depth > 0 {
            match self.token().kind {
                Kind::End => return None,
                Kind::Punct(Punct::OpenBrace) => depth += 1,
                Kind::Punct(Punct::CloseBrace) => depth -= 1,
                _ => {}
            }
            self.pass();
        }
        Some(())
    }

    /// At `c_code` and its kin: one refusal, then its text is skipped.
    fn embedded_c(&mut self) {
        let word = self.token().spelling();
        let span = self.span();
        let message = self
            .sources
            .error(format!("`{word}` is embedded C, which elnath does not run"), span)
            .code(codes::EMBEDDED_C)
            .help("express it in Promela, or check this model with SPIN");
        self.report(message);
        self.pass();
        if self.eat(Punct::OpenBracket) {
            while !self.at_end() && !self.eat(Punct::CloseBracket) {
                self.pass();
            }
        }
        if self.eat(Punct::OpenBrace) {
            self.skip_braces();
        } else {
            // `c_state "type name" "scope" "init"`, `c_track "address" "size" "how"`.
            while matches!(self.token().kind, Kind::Text(_)) {
                self.pass();
            }
        }
    }

    // ---- declarations ------------------------------------------------------------------------------------------

    /// Whether a declaration begins here.
    fn at_declaration(&self) -> bool {
        let types = [
            "bit", "bool", "byte", "pid", "short", "int", "unsigned", "chan", "mtype", "hidden", "local",
            "show",
        ];
        self.at_any_word(&types) || (self.at_typedef_name() && self.ahead(1).name().is_some())
    }

    fn at_typedef_name(&self) -> bool {
        self.token().name().is_some_and(|name| self.typedefs.contains(name))
    }

    fn declaration(&mut self) -> Option<Decl> {
        let start = self.span();
        let visibility = match self.token().name().map(|name| &**name) {
            Some("hidden") => Visibility::Hidden,
            Some("local") => Visibility::Local,
            Some("show") => Visibility::Show,
            _ => Visibility::Plain,
        };
        if visibility != Visibility::Plain {
            self.pass();
        }
        let ty = self.type_name()?;
        let mut declarators = vec![self.declarator()?];
        while self.sees(Punct::Comma) && !self.type_begins_after_comma() {
            self.pass();
            declarators.push(self.declarator()?);
        }
        Some(Decl { visibility, ty, declarators, span: self.since(start) })
    }

    /// `byte a, byte b` among parameters: the comma is the mistake, not the second `byte`.
    fn type_begins_after_comma(&self) -> bool {
        let types = ["bit", "bool", "byte", "pid", "short", "int", "unsigned", "chan", "mtype"];
        self.ahead(1).name().is_some_and(|name| types.contains(&&**name))
    }

    fn type_name(&mut self) -> Option<TypeName> {
        let span = self.span();
        let Some(word) = self.token().name().cloned() else {
            return self.expected("a type");
        };
        let kind = match &*word {
            "bit" => TypeKind::Bit,
            "bool" => TypeKind::Bool,
            "byte" => TypeKind::Byte,
            "pid" => TypeKind::Pid,
            "short" => TypeKind::Short,
            "int" => TypeKind::Int,
            "unsigned" => TypeKind::Unsigned,
            "chan" => TypeKind::Chan,
            "mtype" => {
                self.pass();
                let set =
                    if self.eat(Punct::Colon) { Some(self.ident("the name of the set")?) } else { None };
                return Some(TypeName { kind: TypeKind::Mtype(set), span: self.since(span) });
            }
            _ => {
                let name = self.ident("a type")?;
                return Some(TypeName { kind: TypeKind::Named(name), span });
            }
        };
        self.pass();
        Some(TypeName { kind, span })
    }

    fn declarator(&mut self) -> Option<Declarator> {
        let name = self.ident("the name of a variable")?;
        let start = name.span;
        let width = if self.eat(Punct::Colon) { Some(self.primary()?) } else { None };
        let size = if self.eat(Punct::OpenBracket) {
            let size = self.expression()?;
            self.expect(Punct::CloseBracket)?;
            Some(size)
        } else {
            None
        };
        if self.sees(Punct::EqEq) {
            let help = "write `=` for the initial value; `==` compares";
            let message = self.sources.error("an initial value follows one `=`", self.span()).help(help);
            self.report(message);
            return None;
        }
        let init = if self.eat(Punct::Assign) { Some(self.initialiser()?) } else { None };
        Some(Declarator { name, width, size, init, span: self.since(start) })
    }

    fn initialiser(&mut self) -> Option<Init> {
        let start = self.span();
        if self.eat(Punct::OpenBrace) {
            let mut values = vec![self.expression()?];
            while self.eat(Punct::Comma) {
                values.push(self.expression()?);
            }
            self.expect(Punct::CloseBrace)?;
            return Some(Init::List(values, self.since(start)));
        }
        if !self.eat(Punct::OpenBracket) {
            return Some(Init::Value(self.expression()?));
        }
        let capacity = self.expression()?;
        self.expect(Punct::CloseBracket)?;
        if !self.eat_word("of") {
            return self.expected("`of`");
        }
        self.expect(Punct::OpenBrace)?;
        let mut fields = vec![self.type_name()?];
        while self.eat(Punct::Comma) {
            fields.push(self.type_name()?);
        }
        self.expect(Punct::CloseBrace)?;
        Some(Init::Channel(ChannelInit { capacity, fields, span: self.since(start) }))
    }
}

#[cfg(test)]
mod tests;
