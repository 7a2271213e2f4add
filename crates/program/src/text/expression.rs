//! From text to data: expressions.

use super::lexer::Token;
use super::parse::{Found, Parsed, Parser, find};
use super::print::{CONDITIONAL, OPERATORS};
use crate::ir::{ChannelQuery, Expr, Lvalue, ProcessId, Unary, VariableRef};

/// Expressions nested deeper than this are refused, before they exhaust the stack.
const DEEPEST: u32 = 200;

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.conditional()
    }

    /// Expressions up to a closing bracket, which is eaten.
    pub(super) fn exprs(&mut self, close: &str) -> Parsed<Vec<Expr>> {
        let mut exprs = Vec::new();
        if self.eat(close) {
            return Ok(exprs);
        }
        loop {
            exprs.push(self.expr()?);
            if !self.eat(",") {
                self.punct(close)?;
                return Ok(exprs);
            }
        }
    }

    fn conditional(&mut self) -> Parsed<Expr> {
        self.nested(|parser| {
            let condition = parser.binary(CONDITIONAL + 1)?;
            if !parser.eat("?") {
                return Ok(condition);
            }
            let yes = parser.expr()?;
            parser.punct(":")?;
            let no = parser.conditional()?;
            Ok(Expr::Cond(Box::new([condition, yes, no])))
        })
    }

    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            return self.fail_here("this expression is nested too deeply");
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Operations that bind at least as strongly as `least`, by precedence climbing.
    fn binary(&mut self, least: u8) -> Parsed<Expr> {
        let mut left = self.unary()?;
        while let Some(Token::Punct(sign)) = self.peek() {
            let Some(&(operator, _, strength)) = OPERATORS.iter().find(|(_, text, _)| text == sign) else {
                break;
            };
            if strength < least {
                break;
            }
            self.skip();
            let right = self.nested(|parser| parser.binary(strength + 1))?;
            left = Expr::Binary(operator, Box::new([left, right]));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let operator = match self.peek() {
            Some(Token::Punct("!")) => Unary::Not,
            Some(Token::Punct("-")) => Unary::Neg,
            Some(Token::Punct("~")) => Unary::Complement,
            _ => return self.term(),
        };
        self.skip();
        if let (Unary::Neg, Some(&Token::Number(number))) = (operator, self.peek()) {
            let span = self.span();
            self.skip();
            return Ok(Expr::Const(self.int(-number, span)?));
        }
        let operand = self.nested(Self::unary)?;
        Ok(Expr::Unary(operator, Box::new(operand)))
    }

    pub(super) fn term(&mut self) -> Parsed<Expr> {
        let word = match self.peek() {
            Some(&Token::Number(number)) => {
                let span = self.span();
                self.skip();
                return Ok(Expr::Const(self.int(number, span)?));
            }
            Some(Token::Punct("(")) => {
                let expr = self.skip().expr()?;
                self.punct(")")?;
                return Ok(expr);
            }
            Some(Token::Word(word)) => word.clone(),
            _ => String::new(),
        };
        let simple = match word.as_str() {
            "pid" => Expr::Pid,
            "processes" => Expr::ProcessCount,
            "last" => Expr::Last,
            "timeout" => Expr::Timeout,
            "nonprogress" => Expr::NonProgress,
            "len" => return self.query(ChannelQuery::Len),
            "empty" => return self.query(ChannelQuery::Empty),
            "nonempty" => return self.query(ChannelQuery::NotEmpty),
            "full" => return self.query(ChannelQuery::Full),
            "nonfull" => return self.query(ChannelQuery::NotFull),
            "location" => return Ok(Expr::Location(self.argument()?)),
            "enabled" => return Ok(Expr::Enabled(self.argument()?)),
            "priority" => return Ok(Expr::Priority(self.argument()?)),
            "poll" | "random" => {
                let random = self.eat_word("random");
                self.word("poll")?;
                let ahead = if self.eat_word("ahead") {
                    self.number_up_to(i64::from(u32::MAX), "a number of messages")? as u32
                } else {
                    0
                };
                let channel = Box::new(self.nested(Self::term)?);
                return Ok(Expr::Poll { channel, patterns: self.patterns()?, random, ahead });
            }
            _ if self.is_remote() => return self.remote(),
            _ => return Ok(Expr::Load(self.lvalue()?)),
        };
        self.skip();
        Ok(simple)
    }

    fn query(&mut self, query: ChannelQuery) -> Parsed<Expr> {
        Ok(Expr::Channel(query, self.argument()?))
    }

    /// The one argument in parentheses behind the next word.
    fn argument(&mut self) -> Parsed<Box<Expr>> {
        self.skip().punct("(")?;
        let expr = self.expr()?;
        self.punct(")")?;
        Ok(Box::new(expr))
    }

    /// Whether what follows is the name of a process and not of a variable.
    fn is_remote(&self) -> bool {
        match self.peek() {
            Some(Token::Word(word)) if word == "process" => true,
            Some(Token::Word(name) | Token::Quoted(name)) => {
                self.follows("::")
                    || self.follows("@")
                    || self.follows("[")
                        && !self.is_variable(name)
                        && !matches!(self.find_process(name), Found::Not)
            }
            _ => false,
        }
    }

    fn find_process(&self, name: &str) -> Found {
        find(&self.names.processes, name)
    }

    fn is_variable(&self, name: &str) -> bool {
        !matches!(find(self.visible_locals(), name), Found::Not)
            || !matches!(find(&self.names.globals, name), Found::Not)
    }

    fn visible_locals(&self) -> &[String] {
        self.process.and_then(|process| self.names.locals.get(process)).map_or(&[], Vec::as_slice)
    }

    fn remote(&mut self) -> Parsed<Expr> {
        let process = self.process_reference()?;
        let mut pid = None;
        if self.eat("[") {
            pid = Some(Box::new(self.expr()?));
            self.punct("]")?;
        }
        let id = ProcessId(process);
        if self.eat("@") {
            let mut locations = Vec::new();
            if self.eat("(") {
                while !self.eat(")") {
                    locations.push(self.location_of(id.index())?);
                    if !self.eat(",") {
                        self.punct(")")?;
                        break;
                    }
                }
            } else {
                locations.push(self.location_of(id.index())?);
            }
            return Ok(Expr::At { process: id, pid, locations });
        }
        self.punct("::")?;
        let variable = self.reference("local", "a local variable", |names| &names.locals[id.index()])?;
        Ok(Expr::Remote { process: id, pid, variable, indices: self.indices()? })
    }

    pub(super) fn lvalue(&mut self) -> Parsed<Lvalue> {
        let variable = self.variable_reference()?;
        Ok(Lvalue { variable, indices: self.indices()? })
    }

    fn variable_reference(&mut self) -> Parsed<VariableRef> {
        let span = self.span();
        match self.peek() {
            Some(Token::Word(word)) if word == "global" => {
                let index = self.reference("global", "a variable", |names| &names.globals)?;
                return Ok(VariableRef::Global(index));
            }
            Some(Token::Word(word)) if word == "local" => {
                let Some(process) = self.process else { return self.fail_here("there are no locals here") };
                let index = self.reference("local", "a variable", |names| &names.locals[process])?;
                return Ok(VariableRef::Local(index));
            }
            _ => {}
        }
        let name = self.name("a variable")?;
        match (find(self.visible_locals(), &name), find(&self.names.globals, &name)) {
            (Found::Once(index), _) => Ok(VariableRef::Local(index)),
            (Found::Not, Found::Once(index)) => Ok(VariableRef::Global(index)),
            (Found::Not, Found::Not) => self.fail(format!("there is no variable '{name}'"), span),
            (Found::Several, _) => {
                self.fail(format!("several locals are named '{name}'; local#number says which"), span)
            }
            _ => self.fail(format!("several globals are named '{name}'; global#number says which"), span),
        }
    }

    fn indices(&mut self) -> Parsed<Vec<Expr>> {
        let mut indices = Vec::new();
        while self.eat("[") {
            indices.push(self.expr()?);
            self.punct("]")?;
        }
        Ok(indices)
    }
}
