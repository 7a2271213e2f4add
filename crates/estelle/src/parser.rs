//! From words to the tree, for the whole grammar: also what is refused later is read here, so that messages can name it.
//!
//! A mistake costs what it stands in: the reader goes on at the next declaration, clause or statement, so that several mistakes are told
//! at once. Nothing follows from what could not be read, since a text with such mistakes is not looked at further.

use crate::ast::{
    Access, Block, Body, CaseArm, Channel, Class, Clause, ClauseKind, Declaration, Expr, ExprKind, Group,
    Interaction, Module, Name, Operator, Parameter, Point, Queue, Routine, Selector, Span, Specification,
    Statement, StatementKind, TypeExpr, TypeKind,
};
use crate::lexer::{Token, tokens};
use elnath_source::{Message, SourceText, codes, nearest};

/// What could not be read; the message is in the list.
struct Broken;

type Parsed<T> = Result<T, Broken>;

/// After so many messages the rest is not read.
const MOST_MESSAGES: usize = 30;
/// Expressions, statements and bodies within each other.
const MOST_DEPTH: usize = 120;
/// The height of an expression.
const MOST_HEIGHT: usize = 300;

/// Words that no identifier can be.
const RESERVED: &[&str] = &[
    "activity",
    "all",
    "and",
    "any",
    "array",
    "attach",
    "begin",
    "body",
    "by",
    "case",
    "channel",
    "common",
    "connect",
    "const",
    "default",
    "delay",
    "detach",
    "disconnect",
    "div",
    "do",
    "downto",
    "else",
    "end",
    "exist",
    "export",
    "for",
    "forone",
    "from",
    "function",
    "goto",
    "if",
    "in",
    "individual",
    "init",
    "initialize",
    "ip",
    "label",
    "mod",
    "module",
    "modvar",
    "name",
    "not",
    "of",
    "or",
    "otherwise",
    "output",
    "packed",
    "priority",
    "procedure",
    "process",
    "provided",
    "queue",
    "record",
    "release",
    "repeat",
    "set",
    "specification",
    "state",
    "stateset",
    "suchthat",
    "systemactivity",
    "systemprocess",
    "terminate",
    "then",
    "timescale",
    "to",
    "trans",
    "type",
    "until",
    "var",
    "when",
    "while",
    "with",
];

const DECLARES: &[&str] = &[
    "const",
    "type",
    "channel",
    "module",
    "body",
    "ip",
    "modvar",
    "var",
    "state",
    "stateset",
    "procedure",
    "function",
    "label",
    "pure",
];

/// Reads a specification; without messages it is complete.
pub(crate) fn parse(source: &SourceText) -> (Option<Specification>, Vec<Message>) {
    let (tokens, messages) = tokens(source);
    let mut parser = Parser { source, tokens, at: 0, messages, depth: 0 };
    let specification = parser.specification().ok();
    (specification, parser.messages)
}

struct Parser<'a> {
    source: &'a SourceText,
    tokens: Vec<(Token, Span)>,
    at: usize,
    messages: Vec<Message>,
    depth: usize,
}

impl Parser<'_> {
    // Tokens.

    fn is(&self, punct: &str) -> bool {
        matches!(self.tokens.get(self.at), Some((Token::Punct(found), _)) if *found == punct)
    }

    fn is_word(&self, word: &str) -> bool {
        self.word_ahead(0) == Some(word)
    }

    fn word_ahead(&self, ahead: usize) -> Option<&str> {
        match self.tokens.get(self.at + ahead) {
            Some((Token::Word(word), _)) => Some(word),
            _ => None,
        }
    }

    fn is_any(&self, words: &[&str]) -> bool {
        self.word_ahead(0).is_some_and(|word| words.contains(&word))
    }

    fn eat(&mut self, punct: &str) -> bool {
        let found = self.is(punct);
        self.at += usize::from(found);
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn punct(&mut self, punct: &str) -> Parsed<()> {
        if self.eat(punct) { Ok(()) } else { Err(self.expected(&format!("`{punct}`"))) }
    }

    fn word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    fn span(&self) -> Span {
        let end = self.source.text().trim_end().len();
        self.tokens.get(self.at).map_or(end..end, |(_, span)| span.clone())
    }

    /// From here to the token that was read last.
    fn since(&self, start: usize) -> Span {
        let end =
            self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(start, |(_, span)| span.end);
        start..end.max(start)
    }

    fn expected(&mut self, what: &str) -> Broken {
        let span = self.span();
        // That the text ends is seldom the mistake, if there is another.
        if self.at_end() && !self.messages.is_empty() {
            return Broken;
        }
        let found = match self.source.text()[span.clone()].trim() {
            "" => "the text ends here".to_owned(),
            text if RESERVED.contains(&text.to_lowercase().as_str()) => {
                format!("`{text}` is a reserved word")
            }
            text => format!("this is `{text}`"),
        };
        let message = Message::error(format!("expected {what}"), self.source.place(span.start, span.end));
        self.messages.push(message.label(found));
        Broken
    }

    fn error(&mut self, text: impl Into<String>, span: &Span) -> &mut Message {
        self.messages.push(Message::error(text, self.source.place(span.start, span.end)));
        self.messages.last_mut().expect("it was just pushed")
    }

    fn too_many(&self) -> bool {
        self.messages.len() >= MOST_MESSAGES
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        match self.tokens.get(self.at) {
            Some((Token::Word(word), span)) if !RESERVED.contains(&word.as_str()) => {
                let (key, span) = (word.clone(), span.clone());
                self.at += 1;
                Ok(Name { text: self.source.text()[span.clone()].to_owned(), key, span })
            }
            _ => Err(self.expected(what)),
        }
    }

    fn names(&mut self, what: &str) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name(what)?];
        while self.eat(",") {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MOST_DEPTH {
            let span = self.span();
            self.error(format!("this is nested more than {MOST_DEPTH} deep"), &span).code =
                Some(codes::BEYOND_LIMIT);
            // The rest would say the same again.
            self.at = self.tokens.len();
            return Err(Broken);
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// Goes on after the next semicolon, or at a word that begins or ends something larger.
    fn recover(&mut self, stops: &[&str]) {
        while !self.at_end() && !self.too_many() {
            if self.is_any(stops) {
                return;
            }
            let semicolon = self.is(";");
            self.at += 1;
            if semicolon {
                return;
            }
        }
    }

    // Declarations.

    fn specification(&mut self) -> Parsed<Specification> {
        if !self.eat_word("specification") {
            let broken = self.expected("`specification`");
            return Err(broken);
        }
        let name = self.name("the name of the specification")?;
        let class = self.class();
        self.punct(";")?;
        let (mut default, mut times) = (None, 0);
        while self.is_any(&["default", "timescale"]) && times < 4 {
            times += 1;
            if self.eat_word("default") {
                default = self.queue();
                if default.is_none() {
                    self.expected("`common queue` or `individual queue`");
                }
            } else {
                self.at += 1;
                self.name("a unit of time")?;
            }
            self.punct(";")?;
        }
        let body = self.block();
        self.word("end")?;
        self.punct(".")?;
        if !self.at_end() {
            let span = self.span();
            self.error("this is after the end of the specification", &span);
        }
        Ok(Specification { name, class, default, body })
    }

    fn class(&mut self) -> Option<Class> {
        let all = [Class::SystemProcess, Class::SystemActivity, Class::Process, Class::Activity];
        let class = all.into_iter().find(|class| self.is_word(class.name()))?;
        self.at += 1;
        Some(class)
    }

    fn queue(&mut self) -> Option<Queue> {
        let queue = match self.word_ahead(0)? {
            "common" => Queue::Common,
            "individual" => Queue::Individual,
            _ => return None,
        };
        if self.word_ahead(1) != Some("queue") {
            return None;
        }
        self.at += 2;
        Some(queue)
    }

    /// Declarations, the initialisation, and transitions, up to `end`.
    fn block(&mut self) -> Block {
        const STOPS: &[&str] =
            &["initialize", "trans", "end", "channel", "module", "body", "ip", "modvar", "state", "stateset"];
        let mut block = Block::default();
        while !self.at_end() && !self.too_many() {
            if self.is_any(DECLARES) {
                let before = self.at;
                if self.deeper(|parser| parser.declaration(&mut block.declarations)).is_err() {
                    self.recover(STOPS);
                    // The word where a declaration begins must be behind us, or we stay here for ever.
                    self.at = self.at.max(before + 1);
                }
            } else if self.is_word("initialize") {
                self.at += 1;
                let mut groups = Vec::new();
                self.groups(&mut groups);
                block.initialize.append(&mut groups);
            } else if self.is_word("trans") {
                self.at += 1;
                let mut groups = Vec::new();
                self.groups(&mut groups);
                block.transitions.push(groups);
            } else if self.is_word("end") {
                break;
            } else {
                self.expected("a declaration, `initialize`, `trans` or `end`");
                let before = self.at;
                self.recover(STOPS);
                self.at = self.at.max(before + 1);
            }
        }
        block
    }

    fn declaration(&mut self, out: &mut Vec<Declaration>) -> Parsed<()> {
        let word = self.word_ahead(0).unwrap_or_default().to_owned();
        match word.as_str() {
            "const" => {
                self.at += 1;
                self.each_named(
                    |parser, name| {
                        parser.punct("=")?;
                        Ok(Declaration::Const(name, parser.constant()?))
                    },
                    out,
                )
            }
            "type" => {
                self.at += 1;
                self.each_named(
                    |parser, name| {
                        parser.punct("=")?;
                        Ok(Declaration::Type(name, parser.ty()?))
                    },
                    out,
                )
            }
            "var" | "modvar" => {
                self.at += 1;
                loop {
                    let names = self.names("the name of a variable")?;
                    self.punct(":")?;
                    let ty = self.ty()?;
                    self.punct(";")?;
                    out.push(if word == "var" {
                        Declaration::Var(names, ty)
                    } else {
                        Declaration::ModVar(names, ty)
                    });
                    if !self.another() {
                        return Ok(());
                    }
                }
            }
            "ip" => {
                self.at += 1;
                out.push(Declaration::Points(self.points()?));
                Ok(())
            }
            "state" => {
                self.at += 1;
                let names = self.names("the name of a state")?;
                self.punct(";")?;
                out.push(Declaration::States(names));
                Ok(())
            }
            "stateset" => {
                self.at += 1;
                self.each_named(
                    |parser, name| {
                        parser.punct("=")?;
                        parser.punct("[")?;
                        let states = parser.names("a state")?;
                        parser.punct("]")?;
                        Ok(Declaration::StateSet(name, states))
                    },
                    out,
                )
            }
            "channel" => {
                self.at += 1;
                let channel = self.channel()?;
                out.push(Declaration::Channel(channel));
                Ok(())
            }
            "module" => {
                self.at += 1;
                let module = self.module()?;
                out.push(Declaration::Module(module));
                Ok(())
            }
            "body" => {
                self.at += 1;
                let body = self.body()?;
                out.push(Declaration::Body(body));
                Ok(())
            }
            "label" => {
                let span = self.span();
                self.error("labels and `goto` are not read here", &span).help =
                    Some("write `while`, `repeat` or `if` instead".to_owned());
                Err(Broken)
            }
            _ => {
                let routine = self.routine()?;
                out.push(Declaration::Routine(Box::new(routine)));
                Ok(())
            }
        }
    }

    /// Whether another declaration of the same kind follows.
    fn another(&self) -> bool {
        matches!(self.tokens.get(self.at), Some((Token::Word(word), _)) if !RESERVED.contains(&word.as_str()) && word != "pure")
    }

    fn each_named(
        &mut self,
        mut read: impl FnMut(&mut Self, Name) -> Parsed<Declaration>,
        out: &mut Vec<Declaration>,
    ) -> Parsed<()> {
        loop {
            let name = self.name("a name")?;
            out.push(read(self, name)?);
            self.punct(";")?;
            if !self.another() {
                return Ok(());
            }
        }
    }

    fn channel(&mut self) -> Parsed<Channel> {
        let name = self.name("the name of a channel")?;
        self.punct("(")?;
        let first = self.name("a role")?;
        self.punct(",")?;
        let roles = [first, self.name("a role")?];
        self.punct(")")?;
        self.punct(";")?;
        let mut groups = Vec::new();
        while self.eat_word("by") {
            let by = self.names("a role")?;
            self.punct(":")?;
            let mut messages = Vec::new();
            while self.another() {
                let name = self.name("an interaction")?;
                let parameters = if self.eat("(") { self.typed_names()? } else { Vec::new() };
                self.punct(";")?;
                messages.push(Interaction { name, parameters });
            }
            groups.push((by, messages));
        }
        Ok(Channel { name, roles, groups })
    }

    /// Names with types up to the closing parenthesis, which is read too.
    fn typed_names(&mut self) -> Parsed<Vec<(Vec<Name>, TypeExpr)>> {
        let mut all = Vec::new();
        loop {
            let names = self.names("a parameter")?;
            self.punct(":")?;
            all.push((names, self.ty()?));
            if !self.eat(";") {
                break;
            }
        }
        self.punct(")")?;
        Ok(all)
    }

    fn module(&mut self) -> Parsed<Module> {
        let name = self.name("the name of a module")?;
        let class = self.class();
        let parameters = if self.eat("(") { self.typed_names()? } else { Vec::new() };
        self.punct(";")?;
        let points = if self.eat_word("ip") { self.points()? } else { Vec::new() };
        if self.is_word("export") {
            self.at += 1;
            loop {
                self.names("the name of a variable")?;
                self.punct(":")?;
                self.ty()?;
                self.punct(";")?;
                if !self.another() {
                    break;
                }
            }
        }
        self.word("end")?;
        self.punct(";")?;
        Ok(Module { name, class, parameters, points })
    }

    fn points(&mut self) -> Parsed<Vec<Point>> {
        let mut points = Vec::new();
        loop {
            let names = self.names("the name of an interaction point")?;
            self.punct(":")?;
            let mut dims = Vec::new();
            if self.eat_word("array") {
                self.punct("[")?;
                loop {
                    dims.push(self.ty()?);
                    if !self.eat(",") {
                        break;
                    }
                }
                self.punct("]")?;
                self.word("of")?;
            }
            let channel = self.name("a channel")?;
            self.punct("(")?;
            let role = self.name("a role")?;
            self.punct(")")?;
            let queue = self.queue();
            self.punct(";")?;
            points.push(Point { names, dims, channel, role, queue });
            if !self.another() {
                return Ok(points);
            }
        }
    }

    fn body(&mut self) -> Parsed<Body> {
        let name = self.name("the name of a body")?;
        self.word("for")?;
        let module = self.name("the name of a module")?;
        self.punct(";")?;
        if self.eat_word("external") {
            self.punct(";")?;
            return Ok(Body { name, module, block: None });
        }
        let block = self.block();
        self.word("end")?;
        self.punct(";")?;
        Ok(Body { name, module, block: Some(block) })
    }

    fn routine(&mut self) -> Parsed<Routine> {
        self.eat_word("pure");
        let is_function = self.is_word("function");
        if !is_function && !self.is_word("procedure") {
            return Err(self.expected("`function` or `procedure`"));
        }
        self.at += 1;
        let name = self.name("a name")?;
        let mut parameters = Vec::new();
        if self.eat("(") {
            loop {
                let by_reference = self.eat_word("var");
                let names = self.names("a parameter")?;
                self.punct(":")?;
                let ty = self.ty()?;
                parameters.push(Parameter { names, by_reference, ty });
                if !self.eat(";") {
                    break;
                }
            }
            self.punct(")")?;
        }
        let result = if is_function {
            self.punct(":")?;
            Some(self.ty()?)
        } else {
            None
        };
        self.punct(";")?;
        if self.is_any(&["primitive", "external", "forward"]) {
            self.at += 1;
            self.punct(";")?;
            return Ok(Routine { name, parameters, result, declarations: Vec::new(), block: None });
        }
        let mut declarations = Vec::new();
        while self.is_any(DECLARES) {
            self.deeper(|parser| parser.declaration(&mut declarations))?;
        }
        let block = Some(self.compound()?);
        self.punct(";")?;
        Ok(Routine { name, parameters, result, declarations, block })
    }

    // Transitions.

    /// Transitions up to a word that begins something else.
    fn groups(&mut self, out: &mut Vec<Group>) {
        const STOPS: &[&str] =
            &["from", "when", "provided", "priority", "delay", "begin", "trans", "initialize", "end"];
        while !self.at_end() && !self.too_many() {
            let begins =
                self.is_any(&ClauseKind::WORDS) || self.is_any(&["begin", "name"]) || self.is_any(DECLARES);
            // After a transition a body declares nothing more, so that what is declared here is the transition's; but some texts do.
            let ends = self.is_any(&["channel", "module", "body", "ip", "modvar", "state", "stateset"]);
            if !begins || ends {
                return;
            }
            let before = self.at;
            match self.deeper(Self::group) {
                Ok(group) => out.push(group),
                Err(Broken) => {
                    self.recover(STOPS);
                    self.at = self.at.max(before + 1);
                    // Whatever `end` this is, it is that of what could not be read.
                    while self.is_word("end")
                        && matches!(self.tokens.get(self.at + 1), Some((Token::Punct(";"), _)))
                        && self.follows_transition(2)
                    {
                        self.at += 2;
                    }
                }
            }
        }
    }

    /// Whether what comes so many tokens ahead is again a transition, or the end of the body.
    fn follows_transition(&self, ahead: usize) -> bool {
        self.word_ahead(ahead).is_some_and(|word| {
            ClauseKind::WORDS.contains(&word) || ["begin", "name", "trans", "end"].contains(&word)
        })
    }

    fn group(&mut self) -> Parsed<Group> {
        let start = self.span().start;
        let mut clauses: Vec<Clause> = Vec::new();
        while self.is_any(&ClauseKind::WORDS) {
            let start = self.span().start;
            let kind = self.clause()?;
            clauses.push(Clause { kind, span: self.since(start) });
        }
        let (mut declarations, mut name) = (Vec::new(), None);
        // The name stands before or after what the transition declares.
        while self.is_any(&["const", "type", "var", "procedure", "function", "pure"])
            || name.is_none() && self.is_word("name")
        {
            if self.eat_word("name") {
                name = Some(self.name("the name of the transition")?);
                self.punct(":")?;
            } else {
                self.declaration(&mut declarations)?;
            }
        }
        let span = self.since(start);
        let begin = self.span();
        let span = if span.start < span.end { span } else { begin };
        let block = self.compound()?;
        self.punct(";")?;
        Ok(Group { clauses, declarations, name, block, span })
    }

    fn clause(&mut self) -> Parsed<ClauseKind> {
        let word = self.word_ahead(0).unwrap_or_default().to_owned();
        self.at += 1;
        Ok(match word.as_str() {
            "from" => ClauseKind::From(self.names("a state or a set of states")?),
            "to" => {
                let name = self.name("a state or `same`")?;
                ClauseKind::To((name.key != "same").then_some(name))
            }
            "when" => {
                let (point, indices, message) = self.interaction()?;
                let parameters = if self.eat("(") {
                    let names = self.names("a parameter")?;
                    self.punct(")")?;
                    Some(names)
                } else {
                    None
                };
                ClauseKind::When { point, indices, message, parameters }
            }
            "provided" if self.eat_word("otherwise") => ClauseKind::Provided(None),
            "provided" => ClauseKind::Provided(Some(self.expr()?)),
            "priority" => ClauseKind::Priority(self.constant()?),
            "delay" => {
                self.punct("(")?;
                let least = self.expr()?;
                let most = if !self.eat(",") {
                    None
                } else if self.eat("*") {
                    Some(None)
                } else {
                    Some(Some(self.expr()?))
                };
                self.punct(")")?;
                ClauseKind::Delay(least, most)
            }
            _ => {
                let mut all = Vec::new();
                loop {
                    let names = self.names("a variable")?;
                    self.punct(":")?;
                    all.push((names, self.ty()?));
                    if !self.eat(";") {
                        break;
                    }
                }
                self.word("do")?;
                ClauseKind::Any(all)
            }
        })
    }

    /// A message of an interaction point, `p[i].m`.
    fn interaction(&mut self) -> Parsed<(Name, Vec<Expr>, Name)> {
        let point = self.name("an interaction point")?;
        let indices = if self.is("[") { self.indices()? } else { Vec::new() };
        self.punct(".")?;
        Ok((point, indices, self.name("an interaction")?))
    }

    fn indices(&mut self) -> Parsed<Vec<Expr>> {
        self.punct("[")?;
        let mut all = vec![self.expr()?];
        while self.eat(",") {
            all.push(self.expr()?);
        }
        self.punct("]")?;
        Ok(all)
    }

    // Types.

    fn ty(&mut self) -> Parsed<TypeExpr> {
        self.deeper(Self::type_expr)
    }

    fn type_expr(&mut self) -> Parsed<TypeExpr> {
        let start = self.span().start;
        let kind = self.type_kind()?;
        Ok(TypeExpr { kind, span: self.since(start) })
    }

    fn type_kind(&mut self) -> Parsed<TypeKind> {
        self.eat_word("packed");
        if self.eat("...") {
            return Ok(TypeKind::Refused("a type left open (`...`)"));
        }
        if self.eat("^") || self.eat("@") {
            self.name("a type")?;
            return Ok(TypeKind::Refused("a pointer"));
        }
        if self.eat("(") {
            let names = self.names("a value")?;
            self.punct(")")?;
            return Ok(TypeKind::Enumeration(names));
        }
        match self.word_ahead(0) {
            Some("array") => {
                self.at += 1;
                self.punct("[")?;
                let mut dims = vec![self.ty()?];
                while self.eat(",") {
                    dims.push(self.ty()?);
                }
                self.punct("]")?;
                self.word("of")?;
                return Ok(TypeKind::Array(dims, Box::new(self.ty()?)));
            }
            Some("record") => {
                self.at += 1;
                return self.record();
            }
            Some("set") => {
                self.at += 1;
                self.word("of")?;
                return Ok(TypeKind::Set(Box::new(self.ty()?)));
            }
            Some("file") if self.word_ahead(1) == Some("of") => {
                self.at += 2;
                self.ty()?;
                return Ok(TypeKind::Refused("a file"));
            }
            _ => {}
        }
        // A name alone is a type; everything else is a range.
        let alone = !matches!(self.tokens.get(self.at + 1), Some((Token::Punct(".." | "+" | "-" | "*"), _)))
            && !matches!(self.word_ahead(1), Some("div" | "mod"));
        if alone && self.another() {
            return Ok(TypeKind::Name(self.name("a type")?));
        }
        let low = self.constant()?;
        self.punct("..")?;
        Ok(TypeKind::Range(Box::new([low, self.constant()?])))
    }

    fn record(&mut self) -> Parsed<TypeKind> {
        let mut fields = Vec::new();
        while !self.is_word("end") {
            if self.is_word("case") {
                let span = self.span();
                self.error("records with variants are not read here", &span);
                return Err(Broken);
            }
            let names = self.names("a field")?;
            self.punct(":")?;
            fields.push((names, self.ty()?));
            if !self.eat(";") {
                break;
            }
        }
        self.word("end")?;
        Ok(TypeKind::Record(fields))
    }

    // Expressions.

    /// An expression that is a constant: no comparison, so that `=` ends it.
    fn constant(&mut self) -> Parsed<Expr> {
        if self.is_word("any") {
            let start = self.span().start;
            self.at += 1;
            self.ty()?;
            let kind = ExprKind::Refused("a constant left open (`any`)");
            return Ok(Expr::new(kind, self.since(start)));
        }
        self.deeper(Self::sum)
    }

    fn expr(&mut self) -> Parsed<Expr> {
        self.deeper(Self::relation)
    }

    fn relation(&mut self) -> Parsed<Expr> {
        let start = self.span().start;
        let left = self.sum()?;
        let operators = [
            ("=", Operator::Eq),
            ("<>", Operator::Ne),
            ("<=", Operator::Le),
            (">=", Operator::Ge),
            ("<", Operator::Lt),
            (">", Operator::Gt),
        ];
        let found = operators.iter().find(|(text, _)| self.is(text)).map(|&(_, operator)| operator);
        let found = found.or(self.is_word("in").then_some(Operator::In));
        let Some(operator) = found else { return Ok(left) };
        self.at += 1;
        let right = self.sum()?;
        Ok(self.binary(operator, left, right, start))
    }

    fn binary(&self, operator: Operator, left: Expr, right: Expr, start: usize) -> Expr {
        Expr::new(ExprKind::Binary(operator, Box::new([left, right])), self.since(start))
    }

    fn sum(&mut self) -> Parsed<Expr> {
        let start = self.span().start;
        let negative = self.is("-");
        if negative || self.is("+") {
            self.at += 1;
        }
        let mut left = self.product()?;
        if negative {
            left = Expr::new(ExprKind::Minus(Box::new(left)), self.since(start));
        }
        loop {
            let operator = if self.eat("+") {
                Operator::Add
            } else if self.eat("-") {
                Operator::Sub
            } else if self.eat_word("or") {
                Operator::Or
            } else {
                return Ok(left);
            };
            let right = self.product()?;
            left = self.binary(operator, left, right, start);
            self.bounded(left.height)?;
        }
    }

    /// A long chain is a deep tree, too.
    fn bounded(&mut self, height: usize) -> Parsed<()> {
        if height <= MOST_HEIGHT {
            return Ok(());
        }
        let span = self.span();
        let text = format!("more than {MOST_HEIGHT} expressions are within each other");
        self.error(text, &span).code = Some(codes::BEYOND_LIMIT);
        self.at = self.tokens.len();
        Err(Broken)
    }

    fn product(&mut self) -> Parsed<Expr> {
        let start = self.span().start;
        let mut left = self.factor()?;
        loop {
            let operator = if self.eat("*") {
                Operator::Mul
            } else if self.eat("/") {
                Operator::Quotient
            } else if self.eat_word("div") {
                Operator::Div
            } else if self.eat_word("mod") {
                Operator::Mod
            } else if self.eat_word("and") {
                Operator::And
            } else {
                return Ok(left);
            };
            let right = self.factor()?;
            left = self.binary(operator, left, right, start);
            self.bounded(left.height)?;
        }
    }

    fn factor(&mut self) -> Parsed<Expr> {
        self.deeper(Self::factor_here)
    }

    fn factor_here(&mut self) -> Parsed<Expr> {
        let start = self.span().start;
        let kind = match self.tokens.get(self.at).map(|(token, _)| token.clone()) {
            Some(Token::Number(number)) => {
                self.at += 1;
                ExprKind::Number(number)
            }
            Some(Token::Real) => {
                self.at += 1;
                ExprKind::Refused("a real number")
            }
            Some(Token::Text(text)) => {
                self.at += 1;
                ExprKind::Text(text)
            }
            Some(Token::Punct("(")) => {
                self.at += 1;
                let inner = self.expr()?;
                self.punct(")")?;
                return Ok(Expr { span: self.since(start), ..inner });
            }
            Some(Token::Punct("[")) => {
                self.at += 1;
                let mut members = Vec::new();
                if !self.is("]") {
                    loop {
                        let first = self.expr()?;
                        let last = if self.eat("..") { Some(self.expr()?) } else { None };
                        members.push((first, last));
                        if !self.eat(",") {
                            break;
                        }
                    }
                }
                self.punct("]")?;
                ExprKind::Set(members)
            }
            Some(Token::Word(word)) if word == "not" => {
                self.at += 1;
                ExprKind::Not(Box::new(self.factor()?))
            }
            Some(Token::Word(word)) if word == "exist" => {
                self.at += 1;
                let names = self.names("a variable")?;
                self.punct(":")?;
                let ty = self.ty()?;
                self.word("suchthat")?;
                ExprKind::Exist(names, ty, Box::new(self.expr()?))
            }
            Some(Token::Word(_)) => {
                let name = self.name("an expression")?;
                if self.eat("(") {
                    ExprKind::Call(name, self.arguments()?)
                } else {
                    ExprKind::Access(self.access(name)?)
                }
            }
            _ => return Err(self.expected("an expression")),
        };
        Ok(Expr::new(kind, self.since(start)))
    }

    /// Arguments after the opening parenthesis, and the closing one.
    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut all = Vec::new();
        if !self.is(")") {
            loop {
                all.push(self.expr()?);
                if !self.eat(",") {
                    break;
                }
            }
        }
        self.punct(")")?;
        Ok(all)
    }

    fn access(&mut self, name: Name) -> Parsed<Access> {
        let mut selectors = Vec::new();
        loop {
            if self.is("[") {
                selectors.push(Selector::Index(self.indices()?));
            } else if self.eat(".") {
                selectors.push(Selector::Field(self.name("a field")?));
            } else if self.is("^") || self.is("@") {
                selectors.push(Selector::Pointer(self.span()));
                self.at += 1;
            } else {
                break;
            }
        }
        let span = self.since(name.span.start);
        Ok(Access { name, selectors, span })
    }

    // Statements.

    fn compound(&mut self) -> Parsed<Vec<Statement>> {
        self.word("begin")?;
        let all = self.statements(&["end"]);
        self.word("end")?;
        Ok(all)
    }

    /// Statements with semicolons between them, up to one of these words.
    fn statements(&mut self, ends: &[&str]) -> Vec<Statement> {
        const STOPS: &[&str] =
            &["end", "until", "otherwise", "begin", "trans", "body", "when", "provided", "from"];
        let mut all = Vec::new();
        while !self.at_end() && !self.too_many() {
            if self.eat(";") {
                continue;
            }
            if self.is_any(ends) {
                break;
            }
            let before = self.at;
            match self.statement() {
                Ok(statement) => {
                    all.push(statement);
                    if !self.is(";") && !self.is_any(ends) {
                        self.expected(&format!("`;` or `{}`", ends[0]));
                        self.recover(STOPS);
                        if !self.is_any(ends) && self.is_any(STOPS) {
                            break;
                        }
                    }
                }
                Err(Broken) => {
                    self.recover(STOPS);
                    if self.at == before || self.is_any(STOPS) && !self.is_any(ends) {
                        break;
                    }
                }
            }
        }
        all
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let start = self.span().start;
        let kind = self.deeper(Self::statement_kind)?;
        Ok(Statement { kind, span: self.since(start) })
    }

    fn boxed(&mut self) -> Parsed<Box<Statement>> {
        Ok(Box::new(self.statement()?))
    }

    fn statement_kind(&mut self) -> Parsed<StatementKind> {
        let Some(word) = self.word_ahead(0).map(str::to_owned) else {
            if self.is(";") {
                return Ok(StatementKind::Empty);
            }
            return Err(self.expected("a statement"));
        };
        if !RESERVED.contains(&word.as_str()) {
            return self.assignment_or_call();
        }
        match word.as_str() {
            "end" | "until" | "else" | "otherwise" => Ok(StatementKind::Empty),
            "begin" => Ok(StatementKind::Compound(self.compound()?)),
            "if" => {
                self.at += 1;
                let condition = self.expr()?;
                self.word("then")?;
                let then = self.boxed()?;
                let other = if self.eat_word("else") { Some(self.boxed()?) } else { None };
                Ok(StatementKind::If(condition, then, other))
            }
            "case" => self.case(),
            "while" => {
                self.at += 1;
                let condition = self.expr()?;
                self.word("do")?;
                Ok(StatementKind::While(condition, self.boxed()?))
            }
            "repeat" => {
                self.at += 1;
                let body = self.statements(&["until"]);
                self.word("until")?;
                Ok(StatementKind::Repeat(body, self.expr()?))
            }
            "for" => {
                self.at += 1;
                let variable = self.name("a variable")?;
                self.punct(":=")?;
                let from = self.expr()?;
                let down = self.eat_word("downto");
                if !down {
                    self.word("to")?;
                }
                let to = self.expr()?;
                self.word("do")?;
                Ok(StatementKind::For { variable, from, to, down, body: self.boxed()? })
            }
            "with" => {
                self.at += 1;
                let mut all = Vec::new();
                loop {
                    let name = self.name("a record")?;
                    all.push(self.access(name)?);
                    if !self.eat(",") {
                        break;
                    }
                }
                self.word("do")?;
                Ok(StatementKind::With(all, self.boxed()?))
            }
            "output" => {
                self.at += 1;
                let (point, indices, message) = self.interaction()?;
                let arguments = if self.eat("(") { self.arguments()? } else { Vec::new() };
                Ok(StatementKind::Output { point, indices, message, arguments })
            }
            "init" => {
                self.at += 1;
                let variable = self.module_access()?;
                self.word("with")?;
                let body = self.name("a body")?;
                let arguments = if self.eat("(") { self.arguments()? } else { Vec::new() };
                Ok(StatementKind::Init { variable, body, arguments })
            }
            "connect" | "attach" => {
                self.at += 1;
                let first = self.module_access()?;
                self.word("to")?;
                Ok(StatementKind::Bind(word == "connect", Box::new([first, self.module_access()?])))
            }
            "disconnect" | "detach" | "release" | "terminate" => {
                self.at += 1;
                self.module_access()?;
                Ok(StatementKind::Refused(match word.as_str() {
                    "disconnect" => "disconnect",
                    "detach" => "detach",
                    "release" => "release",
                    _ => "terminate",
                }))
            }
            "all" => {
                self.at += 1;
                let names = self.names("a variable")?;
                self.punct(":")?;
                let ty = self.ty()?;
                self.word("do")?;
                Ok(StatementKind::All(names, ty, self.boxed()?))
            }
            "forone" => {
                self.at += 1;
                let names = self.names("a variable")?;
                self.punct(":")?;
                let ty = self.ty()?;
                self.word("suchthat")?;
                let such = self.expr()?;
                self.word("do")?;
                let body = self.boxed()?;
                let otherwise = if self.eat_word("otherwise") { Some(self.boxed()?) } else { None };
                Ok(StatementKind::ForOne { names, ty, such, body, otherwise })
            }
            "goto" => {
                self.at += 1;
                if matches!(self.tokens.get(self.at), Some((Token::Number(_) | Token::Word(_), _))) {
                    self.at += 1;
                }
                Ok(StatementKind::Refused("goto"))
            }
            _ => Err(self.expected("a statement")),
        }
    }

    fn module_access(&mut self) -> Parsed<Access> {
        let name = self.name("a module variable or an interaction point")?;
        self.access(name)
    }

    fn case(&mut self) -> Parsed<StatementKind> {
        self.at += 1;
        let value = self.expr()?;
        self.word("of")?;
        let (mut arms, mut otherwise): (Vec<CaseArm>, _) = (Vec::new(), None);
        while !self.is_word("end") {
            if self.eat(";") {
                continue;
            }
            if self.is_any(&["otherwise", "else"]) {
                self.at += 1;
                self.eat(":");
                otherwise = Some(self.statements(&["end"]));
                break;
            }
            let mut labels = Vec::new();
            loop {
                let first = self.constant()?;
                let last = if self.eat("..") { Some(self.constant()?) } else { None };
                labels.push((first, last));
                if !self.eat(",") {
                    break;
                }
            }
            self.punct(":")?;
            arms.push((labels, self.statement()?));
            if !self.is(";") && !self.is_word("end") {
                return Err(self.expected("`;` or `end`"));
            }
        }
        self.word("end")?;
        Ok(StatementKind::Case(value, arms, otherwise))
    }

    fn assignment_or_call(&mut self) -> Parsed<StatementKind> {
        let name = self.name("a statement")?;
        if self.eat("(") {
            return Ok(StatementKind::Call(name, self.arguments()?));
        }
        let access = self.access(name)?;
        if self.eat(":=") {
            return Ok(StatementKind::Assign(access, self.expr()?));
        }
        let plain = access.selectors.is_empty();
        if plain && (self.is(";") || self.is_any(&["end", "until", "else", "otherwise"])) {
            return Ok(StatementKind::Call(access.name, Vec::new()));
        }
        let near = nearest(&access.name.key, RESERVED.iter().copied());
        let broken = self.expected("`:=`");
        if let (Some(near), Some(message)) = (near, self.messages.last_mut()) {
            message.help = Some(format!("did you mean `{near}`?"));
        }
        Err(broken)
    }
}
