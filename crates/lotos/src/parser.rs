//! From words to a syntax tree.
//!
//! Priorities, loosest first: `>>`, `[>`, the three parallel operators, `[]`, guards and prefixes; binary operators associate to
//! the right. `hide`, `let`, `choice` and `par` extend as far right as possible and are taken wherever a behaviour can begin, also after
//! `;`, where the standard wants parentheses.
//!
//! After a mistake the parser goes on with the next definition, so that each definition with a mistake is reported.

mod types;

use crate::ast::{
    Behaviour, Cond, ExitItem, Expr, ExprKind, Functionality, Ident, Kind, OfferText, Operator, Process,
    Specification, Type, Variable,
};
use crate::lexer::{Lexeme, Token};
use crate::sources::{Sources, Span};
use elnath_source::{Message, codes};

pub(crate) const KEYWORDS: [&str; 38] = [
    "specification",
    "endspec",
    "behaviour",
    "behavior",
    "process",
    "endproc",
    "where",
    "noexit",
    "exit",
    "stop",
    "hide",
    "in",
    "let",
    "choice",
    "par",
    "accept",
    "any",
    "of",
    "type",
    "endtype",
    "is",
    "sorts",
    "opns",
    "eqns",
    "forall",
    "ofsort",
    "formalsorts",
    "formalopns",
    "formaleqns",
    "renamedby",
    "actualizedby",
    "using",
    "sortnames",
    "opnnames",
    "for",
    "library",
    "endlib",
    "i",
];

/// Words of languages that come from LOTOS, where LOTOS has something else.
const FOREIGN: [(&str, &[&str]); 2] = [
    (
        "LNT and E-LOTOS",
        &[
            "case", "disrupt", "else", "elsif", "end", "endcase", "endif", "endloop", "endpar", "endvar",
            "endwhile", "function", "if", "is", "loop", "module", "null", "raise", "rename", "select",
            "suspend", "then", "trap", "var", "while",
        ],
    ),
    ("timed extensions of LOTOS", &["asap", "delay", "latency", "urgent", "wait"]),
];

/// What to say about a word of another language.
pub(crate) fn foreign(word: &str) -> Option<String> {
    let (language, _) = FOREIGN.iter().find(|(_, words)| words.contains(&word))?;
    Some(format!("`{word}` is a word of {language}, which are not read here"))
}

/// How deep behaviours and expressions may be nested.
const DEEPEST: usize = 300;

/// Something is wrong, and was said.
#[derive(Debug)]
pub(crate) struct Said;

pub(crate) type Parsed<T> = Result<T, Said>;

/// The specification, if there is one at all; what is wrong with it is in `messages`.
pub(crate) fn parse(
    sources: &Sources,
    words: Vec<Lexeme>,
    messages: &mut Vec<Message>,
) -> Option<Specification> {
    let mut parser = Parser { sources, words, at: 0, depth: 0, wrong: None, messages };
    parser.specification()
}

/// An expression that stands alone.
pub(crate) fn expression(sources: &Sources, words: Vec<Lexeme>, messages: &mut Vec<Message>) -> Option<Expr> {
    let mut parser = Parser { sources, words, at: 0, depth: 0, wrong: None, messages };
    let expr = parser.expr().ok()?;
    if parser.peek() != &Token::End {
        parser.expected("the end of the value").err();
        return None;
    }
    Some(expr)
}

pub(crate) struct Parser<'a> {
    sources: &'a Sources,
    words: Vec<Lexeme>,
    at: usize,
    depth: usize,
    /// The word that was complained about last: once is enough.
    wrong: Option<usize>,
    messages: &'a mut Vec<Message>,
}

impl Parser<'_> {
    fn specification(&mut self) -> Option<Specification> {
        // Types before the specification are legal only in libraries, and harmless.
        let mut types = Vec::new();
        self.types(&mut types);
        if self.is("module") {
            self.another_language("LNT or E-LOTOS", "begins with `module`");
            return None;
        }
        self.keyword("specification").ok()?;
        if matches!(self.words.get(self.at + 1), Some(word) if word.token == Token::Word("is".into())) {
            self.another_language("E-LOTOS", "has `is` after its name");
            return None;
        }
        let head = self.head().ok()?;
        let (name, gates, params, functionality) = head;
        self.types(&mut types);
        let body = if self.eat("behaviour") || self.eat("behavior") {
            self.body_or_skip()
        } else {
            self.expected("`behaviour`").err();
            self.skip_to(&["where", "process", "endspec"]);
            None
        };
        let processes = self.definitions(&mut types);
        if !self.eat("endspec") {
            self.expected("`endspec`").err();
        } else if self.peek() != &Token::End {
            let message = self.sources.error("the specification has ended before this", self.span());
            self.messages.push(message.code(codes::SYNTAX));
        }
        let body = body.unwrap_or(Behaviour { kind: Kind::Stop, span: name.span });
        Some(Specification { root: Process { name, gates, params, functionality, body, types, processes } })
    }

    /// Nothing else that is wrong with the text matters then.
    fn another_language(&mut self, language: &str, why: &str) {
        let text = format!("this is {language} and not LOTOS: it {why}");
        let message = self.sources.error(text, self.span()).code(codes::UNKNOWN_LANGUAGE);
        self.messages.clear();
        self.messages.push(message.help("let CADP make a graph of it (.aut), which is read here"));
    }

    /// A body; after a mistake in it, the words up to the next definition are skipped.
    fn body_or_skip(&mut self) -> Option<Behaviour> {
        let body = self.behaviour();
        let ends = ["where", "process", "type", "endproc", "endspec"];
        match body {
            Ok(body) if ends.iter().any(|end| self.is(end)) => Some(body),
            Ok(body) => {
                self.expected("an operator, `where` or the end of the definition").err();
                self.skip_to(&ends);
                Some(body)
            }
            Err(Said) => {
                self.skip_to(&ends);
                None
            }
        }
    }

    /// `where` and what follows it, up to `endproc` or `endspec`.
    fn definitions(&mut self, types: &mut Vec<Type>) -> Vec<Process> {
        let mut processes = Vec::new();
        self.eat("where");
        loop {
            // A second `where` is often written, and says nothing new.
            self.eat("where");
            if self.is("type") {
                self.types(types);
            } else if self.eat("process") {
                match self.process() {
                    Ok(process) => processes.push(process),
                    Err(Said) => {
                        self.skip_to(&["process", "type", "endproc", "endspec"]);
                        self.eat("endproc");
                    }
                }
            } else if self.is("endproc") || self.is("endspec") || self.peek() == &Token::End {
                return processes;
            } else {
                self.expected("`process`, `type` or the end of the definitions").err();
                self.at += 1;
                self.skip_to(&["process", "type", "endproc", "endspec"]);
            }
        }
    }

    fn process(&mut self) -> Parsed<Process> {
        let (name, gates, params, functionality) = self.head()?;
        self.sign(":=")?;
        let body = self.body_or_skip();
        let mut types = Vec::new();
        let processes = if self.is("where") || self.is("type") || self.is("process") {
            self.definitions(&mut types)
        } else {
            Vec::new()
        };
        if !self.eat("endproc") {
            self.expected("`endproc`")?;
        }
        let body = body.unwrap_or(Behaviour { kind: Kind::Stop, span: name.span });
        Ok(Process { name, gates, params, functionality, body, types, processes })
    }

    /// `NAME [gates] (params) : functionality`.
    fn head(&mut self) -> Parsed<(Ident, Vec<Ident>, Vec<Variable>, Functionality)> {
        let name = self.name("a name")?;
        let gates = self.optional_gates()?;
        let mut params = Vec::new();
        if self.eat_sign("(") {
            params = self.variables()?;
            self.sign(")")?;
        }
        self.sign(":")?;
        let span = self.span();
        let sorts = if self.eat("noexit") {
            None
        } else if self.eat("exit") {
            let mut sorts = Vec::new();
            if self.eat_sign("(") {
                sorts = self.names("a sort")?;
                self.sign(")")?;
            }
            Some(sorts)
        } else {
            self.expected("`exit` or `noexit`")?;
            None
        };
        Ok((name, gates, params, Functionality { sorts, span }))
    }

    fn behaviour(&mut self) -> Parsed<Behaviour> {
        self.deeper(|parser| {
            let left = parser.disabling()?;
            if !parser.eat_sign(">>") {
                return Ok(left);
            }
            let atomic = parser.said_before("atomic");
            let mut accept = Vec::new();
            if parser.eat("accept") {
                accept = parser.variables()?;
                parser.keyword("in")?;
            }
            let right = parser.behaviour()?;
            let span = left.span.to(right.span);
            Ok(Behaviour {
                kind: Kind::Enable { left: left.into(), accept, right: right.into(), atomic },
                span,
            })
        })
    }

    fn disabling(&mut self) -> Parsed<Behaviour> {
        self.binary("[>", Self::parallel, Kind::Disable)
    }

    fn parallel(&mut self) -> Parsed<Behaviour> {
        self.deeper(|parser| {
            let left = parser.choice()?;
            let Some(operator) = parser.operator()? else { return Ok(left) };
            let right = parser.parallel()?;
            let span = left.span.to(right.span);
            Ok(Behaviour { kind: Kind::Parallel(operator, left.into(), right.into()), span })
        })
    }

    fn operator(&mut self) -> Parsed<Option<Operator>> {
        if self.eat_sign("||") {
            return Ok(Some(Operator::All));
        }
        if self.eat_sign("|||") {
            return Ok(Some(Operator::None));
        }
        if !self.eat_sign("|[") {
            return Ok(None);
        }
        if self.eat_sign("]|") {
            return Ok(Some(Operator::None));
        }
        let gates = self.names("a gate")?;
        self.sign("]|")?;
        Ok(Some(Operator::Gates(gates)))
    }

    fn choice(&mut self) -> Parsed<Behaviour> {
        self.binary("[]", Self::guarded, Kind::Choice)
    }

    /// A chain of one operator. Long chains are no nesting: they are read in a loop, and associated to the right afterwards.
    fn binary(
        &mut self,
        sign: &str,
        operand: fn(&mut Self) -> Parsed<Behaviour>,
        kind: fn(Box<Behaviour>, Box<Behaviour>) -> Kind,
    ) -> Parsed<Behaviour> {
        let mut operands = vec![operand(self)?];
        while self.eat_sign(sign) {
            operands.push(operand(self)?);
            self.not_too_many(operands.len())?;
        }
        let mut all = operands.pop().expect("there is one");
        while let Some(left) = operands.pop() {
            let span = left.span.to(all.span);
            all = Behaviour { kind: kind(left.into(), all.into()), span };
        }
        Ok(all)
    }

    fn guarded(&mut self) -> Parsed<Behaviour> {
        self.deeper(Self::guarded_here)
    }

    fn guarded_here(&mut self) -> Parsed<Behaviour> {
        let begin = self.span();
        if self.eat_sign("[") {
            let cond = self.cond()?;
            self.sign("]")?;
            self.sign("->")?;
            let next = self.guarded()?;
            let span = begin.to(next.span);
            return Ok(Behaviour { kind: Kind::Guard(cond, next.into()), span });
        }
        if self.eat_sign("(") {
            let inner = self.behaviour()?;
            self.sign(")")?;
            return Ok(inner);
        }
        let keyword = match self.peek() {
            Token::Word(word) => word.clone(),
            _ => return Err(self.unexpected("a behaviour")),
        };
        let kind = match &*keyword {
            "stop" => {
                self.at += 1;
                Kind::Stop
            }
            "exit" => {
                self.at += 1;
                let mut items = Vec::new();
                if self.eat_sign("(") {
                    items = self.list(|parser| {
                        if parser.eat("any") {
                            return Ok(ExitItem::Any(parser.name("a sort")?));
                        }
                        Ok(ExitItem::Value(parser.expr()?))
                    })?;
                    self.sign(")")?;
                }
                Kind::Exit(items)
            }
            "i" => {
                self.at += 1;
                self.sign(";")?;
                let next = self.guarded()?;
                Kind::Prefix { gate: None, offers: Vec::new(), guard: None, next: next.into() }
            }
            "hide" => {
                self.at += 1;
                let gates = self.names("a gate")?;
                self.keyword("in")?;
                Kind::Hide(gates, self.behaviour()?.into())
            }
            "let" => {
                self.at += 1;
                let bindings = self.list(|parser| {
                    let names = parser.names("a variable")?;
                    parser.sign(":")?;
                    let sort = parser.name("a sort")?;
                    parser.sign("=")?;
                    if names.len() > 1 {
                        let message = parser
                            .sources
                            .error("a `let` gives a value to one variable at a time", names[1].span);
                        parser.messages.push(message.code(codes::SYNTAX));
                    }
                    let name = names[0].clone();
                    Ok((Variable { name, sort }, parser.expr()?))
                })?;
                self.keyword("in")?;
                Kind::Let(bindings, self.behaviour()?.into())
            }
            "choice" => {
                self.at += 1;
                return self.choice_of(begin);
            }
            "par" => {
                self.at += 1;
                return self.par_of(begin);
            }
            word if KEYWORDS.contains(&word) => return Err(self.unexpected("a behaviour")),
            _ => return self.action_or_call(),
        };
        Ok(Behaviour { kind, span: begin.to(self.before()) })
    }

    /// What follows `choice`: several domains are several choices.
    fn choice_of(&mut self, begin: Span) -> Parsed<Behaviour> {
        enum Domain {
            Values(Vec<Variable>),
            Gates(Vec<Ident>, Vec<Ident>),
        }
        let domains = self.list(|parser| {
            let names = parser.names("a variable or a gate")?;
            if parser.eat("in") {
                return Ok(Domain::Gates(names, parser.gates()?));
            }
            parser.sign(":")?;
            let sort = parser.name("a sort")?;
            let variable = |name| Variable { name, sort: sort.clone() };
            Ok(Domain::Values(names.into_iter().map(variable).collect()))
        })?;
        self.sign("[]")?;
        let mut body = self.behaviour()?;
        let span = begin.to(body.span);
        for domain in domains.into_iter().rev() {
            match domain {
                Domain::Values(variables) => {
                    body = Behaviour { kind: Kind::ChoiceValues(variables, body.into()), span };
                }
                Domain::Gates(names, gates) => {
                    for name in names.into_iter().rev() {
                        let kind = Kind::ChoiceGates(name, gates.clone(), body.into());
                        body = Behaviour { kind, span };
                    }
                }
            }
        }
        Ok(body)
    }

    fn par_of(&mut self, begin: Span) -> Parsed<Behaviour> {
        let domains = self.list(|parser| {
            let names = parser.names("a gate")?;
            parser.keyword("in")?;
            Ok((names, parser.gates()?))
        })?;
        let Some(operator) = self.operator()? else { return Err(self.unexpected("a parallel operator")) };
        let mut body = self.behaviour()?;
        let span = begin.to(body.span);
        for (names, gates) in domains.into_iter().rev() {
            for name in names.into_iter().rev() {
                let kind = Kind::ParGates(name, gates.clone(), operator.clone(), body.into());
                body = Behaviour { kind, span };
            }
        }
        Ok(body)
    }

    /// `g !v ?x:s [cond]; B` or `P [gates] (values)`.
    fn action_or_call(&mut self) -> Parsed<Behaviour> {
        let name = self.name("a gate or a process")?;
        let is_action = match self.peek() {
            Token::Sign("!" | "?" | ";") => true,
            // `g [cond]; B` or `P [gates]`.
            Token::Sign("[") => self.after_bracket() == Some(&Token::Sign(";")),
            _ => false,
        };
        if !is_action {
            let gates = self.optional_gates()?;
            let mut values = Vec::new();
            if self.eat_sign("(") {
                values = self.list(Self::expr)?;
                self.sign(")")?;
            }
            let span = name.span.to(self.before());
            return Ok(Behaviour { kind: Kind::Call(name, gates, values), span });
        }
        let mut offers = Vec::new();
        loop {
            if self.eat_sign("!") {
                offers.push(OfferText::Send(self.expr()?));
            } else if self.eat_sign("?") {
                let names = self.names("a variable")?;
                self.sign(":")?;
                let sort = self.name("a sort")?;
                let variable = |name| OfferText::Receive(Variable { name, sort: sort.clone() });
                offers.extend(names.into_iter().map(variable));
            } else {
                break;
            }
        }
        let mut guard = None;
        if self.eat_sign("[") {
            guard = Some(self.cond()?);
            self.sign("]")?;
        }
        let span = name.span.to(self.before());
        self.sign(";")?;
        let next = self.guarded()?.into();
        Ok(Behaviour { kind: Kind::Prefix { gate: Some(name), offers, guard, next }, span })
    }

    /// The word after the bracket that closes the one that is next.
    fn after_bracket(&self) -> Option<&Token> {
        let mut open = 0;
        for (at, word) in self.words[self.at..].iter().enumerate() {
            match word.token {
                Token::Sign("[") => open += 1,
                Token::Sign("]") => open -= 1,
                Token::End => return None,
                _ => {}
            }
            if open == 0 {
                return self.words.get(self.at + at + 1).map(|word| &word.token);
            }
        }
        None
    }

    fn cond(&mut self) -> Parsed<Cond> {
        let left = self.expr()?;
        let right = if self.eat_sign("=") { Some(self.expr()?) } else { None };
        Ok(Cond { left, right })
    }

    /// Infix operations have one priority and go from left to right.
    fn expr(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| {
            let mut left = parser.simple()?;
            for count in 0.. {
                parser.not_too_many(count)?;
                let name = match parser.peek() {
                    Token::Word(word) if !KEYWORDS.contains(&&**word) => word.clone(),
                    Token::Operator(operator) => operator.clone(),
                    _ => break,
                };
                let name = Ident { name, span: parser.span() };
                parser.at += 1;
                let right = parser.simple()?;
                let span = left.span.to(right.span);
                left = Expr { kind: ExprKind::Apply(name, vec![left, right]), span };
            }
            Ok(left)
        })
    }

    fn simple(&mut self) -> Parsed<Expr> {
        let begin = self.span();
        let mut expr = if self.eat_sign("(") {
            let inner = self.expr()?;
            self.sign(")")?;
            inner
        } else {
            let name = self.operation_name()?;
            let mut args = Vec::new();
            if self.eat_sign("(") {
                args = self.list(Self::expr)?;
                self.sign(")")?;
            }
            Expr { kind: ExprKind::Apply(name, args), span: begin.to(self.before()) }
        };
        while self.eat("of") {
            let sort = self.name("a sort")?;
            let span = begin.to(sort.span);
            expr = Expr { kind: ExprKind::Of(expr.into(), sort), span };
        }
        Ok(expr)
    }

    /// A name, or a run of signs.
    fn operation_name(&mut self) -> Parsed<Ident> {
        if let Token::Operator(name) = self.peek() {
            let name = Ident { name: name.clone(), span: self.span() };
            self.at += 1;
            return Ok(name);
        }
        self.name("a value")
    }

    fn optional_gates(&mut self) -> Parsed<Vec<Ident>> {
        // `P []` is an empty list here, since nothing else could follow.
        if self.peek() == &Token::Sign("[") { self.gates() } else { Ok(Vec::new()) }
    }

    fn gates(&mut self) -> Parsed<Vec<Ident>> {
        self.sign("[")?;
        let mut typed = false;
        let gates = self.list(|parser| {
            let gate = parser.name("a gate")?;
            if parser.peek() == &Token::Sign(":") {
                // Once is enough.
                if !std::mem::replace(&mut typed, true) {
                    let message = parser.sources.error("a gate has no type in LOTOS", parser.span());
                    let message = message.code(codes::SYNTAX);
                    parser.messages.push(message.help("LNT and E-LOTOS have typed gates; write `[a, b]`"));
                }
                parser.at += 1;
                parser.name("a type")?;
            }
            Ok(gate)
        })?;
        self.sign("]")?;
        Ok(gates)
    }

    /// `x, y: s, z: t`.
    fn variables(&mut self) -> Parsed<Vec<Variable>> {
        let groups = self.list(|parser| {
            let names = parser.names("a variable")?;
            parser.sign(":")?;
            let sort = parser.name("a sort")?;
            Ok(names.into_iter().map(|name| Variable { name, sort: sort.clone() }).collect::<Vec<_>>())
        })?;
        Ok(groups.into_iter().flatten().collect())
    }

    fn names(&mut self, what: &str) -> Parsed<Vec<Ident>> {
        self.list(|parser| parser.name(what))
    }

    fn list<T>(&mut self, mut element: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut all = vec![element(self)?];
        while self.eat_sign(",") {
            all.push(element(self)?);
        }
        Ok(all)
    }

    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        // Parentheses count several times, since they are read by several functions.
        self.not_too_many(self.depth / 2)?;
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// What follows recurses over the tree, so that it must not be too deep.
    fn not_too_many(&mut self, count: usize) -> Parsed<()> {
        if count <= DEEPEST {
            return Ok(());
        }
        let message = self.sources.error(format!("this is nested more than {DEEPEST} deep"), self.span());
        self.messages
            .push(message.code(codes::BEYOND_LIMIT).help("put a part of it into a process of its own"));
        Err(Said)
    }

    fn peek(&self) -> &Token {
        &self.words[self.at].token
    }

    fn span(&self) -> Span {
        self.words[self.at].span
    }

    /// The place of the word before.
    fn before(&self) -> Span {
        self.words[self.at.saturating_sub(1)].span
    }

    /// Whether a special comment behind the word before has this word.
    fn said_before(&self, word: &str) -> bool {
        let special = &self.words[self.at.saturating_sub(1)].special;
        special.iter().any(|comment| comment.split_whitespace().any(|other| other == word))
    }

    fn is(&self, keyword: &str) -> bool {
        matches!(self.peek(), Token::Word(word) if &**word == keyword)
    }

    fn eat(&mut self, keyword: &str) -> bool {
        let is = self.is(keyword);
        self.at += usize::from(is);
        is
    }

    fn eat_sign(&mut self, sign: &str) -> bool {
        let is = matches!(self.peek(), Token::Sign(other) if *other == sign);
        self.at += usize::from(is);
        is
    }

    fn keyword(&mut self, keyword: &str) -> Parsed<()> {
        if self.eat(keyword) { Ok(()) } else { self.expected(&format!("`{keyword}`")) }
    }

    fn sign(&mut self, sign: &str) -> Parsed<()> {
        if self.eat_sign(sign) { Ok(()) } else { self.expected(&format!("`{sign}`")) }
    }

    fn name(&mut self, what: &str) -> Parsed<Ident> {
        match self.peek() {
            Token::Word(word) if !KEYWORDS.contains(&&**word) => {
                let name = Ident { name: word.clone(), span: self.span() };
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.unexpected(what)),
        }
    }

    fn expected(&mut self, what: &str) -> Parsed<()> {
        Err(self.unexpected(what))
    }

    fn unexpected(&mut self, what: &str) -> Said {
        if self.wrong.replace(self.at) == Some(self.at) {
            return Said;
        }
        let found = match self.peek() {
            Token::End => "the end of the file".to_owned(),
            _ => format!("`{}`", self.sources.text(self.span())),
        };
        let mut message =
            self.sources.error(format!("expected {what}, found {found}"), self.span()).code(codes::SYNTAX);
        if let Token::Word(word) = self.peek()
            && let Some(help) = foreign(word)
        {
            message = message.help(help);
        }
        self.messages.push(message);
        Said
    }

    /// Goes on at one of these keywords, or at the end.
    fn skip_to(&mut self, keywords: &[&str]) {
        while self.peek() != &Token::End && !keywords.iter().any(|keyword| self.is(keyword)) {
            self.at += 1;
        }
    }
}
