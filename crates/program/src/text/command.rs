//! From text to data: commands.

use super::lexer::Token;
use super::parse::{Parsed, Parser};
use crate::ir::{Command, Effect, GateId, Guard, Loc, Pattern, Place, ProcessId, SymbolsId, Sync};

impl Parser<'_> {
    /// A command that stands at location `here`, beginning with token `from`.
    pub(super) fn command(&mut self, here: Loc, from: usize) -> Parsed<Command> {
        let guard = self.guard()?;
        let sync = self.sync()?;
        let mut effects = Vec::new();
        if self.eat_word("do") {
            effects.push(self.effect()?);
            while self.eat(";") {
                effects.push(self.effect()?);
            }
        }
        let written = self.written_since(from);
        let target = if self.eat("->") { self.location()? } else { here };
        let atomic = self.eat_word("atomic");
        let text = if matches!(self.peek(), Some(Token::Text(_))) { self.text()? } else { written };
        let place = if self.eat("@") { Some(self.place()?) } else { None };
        Ok(Command { guard, sync, effects, target, atomic, text, place })
    }

    /// What follows the `@`.
    pub(super) fn place(&mut self) -> Parsed<Place> {
        let file = self.number_up_to(i64::from(u32::MAX), "the number of a file")? as u32;
        self.punct(":")?;
        let line = self.number_up_to(i64::from(u32::MAX), "a line")? as u32;
        let call = if self.eat_word("in") {
            Some(self.number_up_to(i64::from(u32::MAX), "the number of a call")? as u32)
        } else {
            None
        };
        Ok(Place { file, line, call })
    }

    fn guard(&mut self) -> Parsed<Guard> {
        if self.eat_word("when") {
            return Ok(Guard::When(self.expr()?));
        }
        if self.eat_word("else") {
            return Ok(Guard::Else);
        }
        if self.eat_word("exit") {
            return Ok(Guard::Exit);
        }
        if self.eat_word("body") {
            let entry = self.location()?;
            self.word("to")?;
            return Ok(Guard::Body { entry, exit: self.location()? });
        }
        Ok(Guard::Always)
    }

    fn sync(&mut self) -> Parsed<Sync> {
        let sorted = self.eat_word("sorted");
        if sorted || matches!(self.peek(), Some(Token::Word(word)) if word == "send") {
            self.word("send")?;
            let channel = self.term()?;
            self.punct("(")?;
            return Ok(Sync::Send { channel, fields: self.exprs(")")?, sorted });
        }
        let random = self.eat_word("random");
        let copy = self.eat_word("copy");
        if random || copy || matches!(self.peek(), Some(Token::Word(word)) if word == "receive") {
            self.word("receive")?;
            let channel = self.term()?;
            return Ok(Sync::Receive { channel, patterns: self.patterns()?, random, copy });
        }
        if self.eat_word("meet") {
            let gate = GateId(self.gate_reference()?);
            let offers = self.patterns()?;
            let when = if self.eat_word("where") { Some(self.expr()?) } else { None };
            return Ok(Sync::Gate { gate, offers, when });
        }
        Ok(Sync::None)
    }

    pub(super) fn patterns(&mut self) -> Parsed<Vec<Pattern>> {
        self.punct("(")?;
        let mut patterns = Vec::new();
        if self.eat(")") {
            return Ok(patterns);
        }
        loop {
            patterns.push(if self.eat("?") {
                Pattern::Bind(self.lvalue()?)
            } else if self.eat_word("_") {
                Pattern::Any
            } else {
                Pattern::Match(self.expr()?)
            });
            if !self.eat(",") {
                self.punct(")")?;
                return Ok(patterns);
            }
        }
    }

    fn effect(&mut self) -> Parsed<Effect> {
        if self.eat_word("assert") {
            return Ok(Effect::Assert(self.expr()?));
        }
        if self.eat_word("print") {
            return self.print();
        }
        if self.eat_word("place") {
            let process = self.process_reference()?;
            self.word("at")?;
            let at = self.location_of(process as usize)?;
            self.punct("(")?;
            return Ok(Effect::Place { process: ProcessId(process), at, arguments: self.exprs(")")? });
        }
        if self.eat_word("priority") {
            self.punct("(")?;
            let process = self.expr()?;
            self.punct(")")?;
            self.punct("=")?;
            return Ok(Effect::SetPriority { process, priority: self.expr()? });
        }
        let mut result = None;
        if !self.eat_word("run") {
            let lvalue = self.lvalue()?;
            self.punct("=")?;
            if !self.eat_word("run") {
                return Ok(Effect::Assign(lvalue, self.expr()?));
            }
            result = Some(lvalue);
        }
        let process = ProcessId(self.process_reference()?);
        self.punct("(")?;
        let arguments = self.exprs(")")?;
        let priority = if self.eat_word("priority") { Some(self.expr()?) } else { None };
        Ok(Effect::Run { process, arguments, priority, result })
    }

    fn print(&mut self) -> Parsed<Effect> {
        let format = self.text()?;
        let mut arguments = Vec::new();
        while self.eat(",") {
            let expr = self.expr()?;
            let set = if self.eat_word("as") { Some(SymbolsId(self.symbols_reference()?)) } else { None };
            arguments.push((expr, set));
        }
        Ok(Effect::Print { format, arguments })
    }
}
