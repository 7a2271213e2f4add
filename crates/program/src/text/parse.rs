//! From text to data: declarations. One pass over the lines collects what is declared, so that names may be used before
//! they are; a second reads them in earnest. A mistake ends the line it is in and nothing else.

use super::is_keyword;
use super::lexer::{Spanned, Token, tokens};
use crate::ir::{
    Call, Capacity, ChannelId, ChannelType, Command, CommandId, Gate, GateId, Init, Loc, Location, ProcessId,
    ProcessType, Program, SymbolSet, SymbolsId, Type, Variable, Vector,
};
use elnath_source::{Message, SourceText};
use std::collections::BTreeMap;
use std::ops::Range;

/// Reads a program.
///
/// # Errors
/// Everything that is wrong with the text, in the order of the text. That the program makes sense is for
/// [`verify`](crate::verify::verify()) to say.
pub fn parse(source: &SourceText) -> Result<Program, Vec<Message>> {
    let mut parser = Parser::new(source);
    let lines = parser.lines();
    parser.declare(&lines);
    for line in lines {
        parser.start_line(line);
        if parser.line().is_ok() {
            let _ = parser.expect_end();
        }
    }
    parser.end_process();
    if parser.messages.is_empty() { Ok(parser.program) } else { Err(parser.messages) }
}

/// The complaint has been made; nothing more is to be said about the line.
pub(super) struct Reported;

pub(super) type Parsed<T> = Result<T, Reported>;

/// What the names of a program stand for, by position.
#[derive(Default)]
pub(super) struct Names {
    pub(super) symbols: Vec<String>,
    pub(super) channels: Vec<String>,
    pub(super) gates: Vec<String>,
    pub(super) globals: Vec<String>,
    pub(super) processes: Vec<String>,
    /// For each process.
    pub(super) locals: Vec<Vec<String>>,
    /// For each process, the labels of each location.
    pub(super) locations: Vec<Vec<Vec<String>>>,
}

pub(super) struct Parser<'a> {
    source: &'a SourceText,
    messages: Vec<Message>,
    pub(super) names: Names,
    program: Program,
    /// The process whose lines are being read.
    pub(super) process: Option<usize>,
    /// Its commands so far.
    commands: BTreeMap<u32, Command>,
    /// The number that the next command has by itself.
    next_command: u32,
    /// The references to its commands that stand by themselves.
    references: Vec<(u32, Range<usize>)>,
    /// Whether commands now belong to no location.
    unused: bool,
    line: Vec<Spanned>,
    at: usize,
    /// How deep the expression being read is nested.
    pub(super) depth: u32,
}

/// Commands are counted in 20 bits.
const MOST_COMMANDS: u32 = 1 << 20;

impl<'a> Parser<'a> {
    fn new(source: &'a SourceText) -> Self {
        let program = Program {
            name: String::new(),
            files: Vec::new(),
            calls: Vec::new(),
            symbols: Vec::new(),
            globals: Vec::new(),
            channels: Vec::new(),
            gates: Vec::new(),
            vectors: Vec::new(),
            processes: Vec::new(),
            initial: Vec::new(),
            propositions: Vec::new(),
            tracks_last: false,
            has_priorities: false,
        };
        Self {
            source,
            messages: Vec::new(),
            names: Names::default(),
            program,
            process: None,
            commands: BTreeMap::new(),
            next_command: 0,
            references: Vec::new(),
            unused: false,
            line: Vec::new(),
            at: 0,
            depth: 0,
        }
    }

    /// The lines that are not empty, as tokens.
    fn lines(&mut self) -> Vec<Vec<Spanned>> {
        let mut lines = Vec::new();
        let mut offset = 0;
        for line in self.source.text().split_inclusive('\n') {
            match tokens(line.trim_end(), offset) {
                Ok(tokens) if tokens.is_empty() => {}
                Ok(tokens) => lines.push(tokens),
                Err((text, span)) => {
                    let _: Parsed<()> = self.fail(text, span);
                }
            }
            offset += line.len();
        }
        lines
    }

    /// Collects the names. Whether the rest of a line is right is seen later.
    fn declare(&mut self, lines: &[Vec<Spanned>]) {
        for line in lines {
            let mut words = line.iter().map(|(token, _)| token);
            let Some(Token::Word(first)) = words.next() else { continue };
            let first = if first == "hidden" { words.next() } else { Some(&line[0].0) };
            let Some(Token::Word(first)) = first else { continue };
            let second = match words.next() {
                Some(Token::Word(name) | Token::Quoted(name)) => name.clone(),
                _ => String::new(),
            };
            match first.as_str() {
                "symbols" => self.names.symbols.push(second),
                "channel" => self.names.channels.push(second),
                "gate" => self.names.gates.push(second),
                "global" => self.names.globals.push(second),
                "process" => {
                    self.names.processes.push(second);
                    self.names.locals.push(Vec::new());
                    self.names.locations.push(Vec::new());
                }
                "parameter" | "local" => {
                    if let Some(locals) = self.names.locals.last_mut() {
                        locals.push(second);
                    }
                }
                "at" => {
                    let labels = line[1..].iter().filter_map(|(token, _)| match token {
                        Token::Word(label) if is_keyword(label) => None,
                        Token::Word(label) | Token::Quoted(label) => Some(label.clone()),
                        _ => None,
                    });
                    if let Some(locations) = self.names.locations.last_mut() {
                        locations.push(labels.collect());
                    }
                }
                _ => {}
            }
        }
    }

    fn line(&mut self) -> Parsed<()> {
        let keyword = match self.peek() {
            Some(Token::Word(word)) => word.clone(),
            _ => String::new(),
        };
        match keyword.as_str() {
            "program" => self.skip().text().map(|name| self.program.name = name),
            "file" => self.skip().text().map(|name| self.program.files.push(name)),
            "call" => {
                let name = self.skip().text()?;
                self.punct("@")?;
                let place = self.place()?;
                self.program.calls.push(Call { name, place });
                Ok(())
            }
            "priorities" => {
                self.skip().program.has_priorities = true;
                Ok(())
            }
            "tracks" => self.skip().word("last").map(|()| self.program.tracks_last = true),
            "symbols" => self.skip().symbols(),
            "channel" => self.skip().channel(),
            "gate" => self.skip().gate(),
            "vector" => self.skip().vector(),
            "hidden" => {
                self.skip().word("global")?;
                self.global(true)
            }
            "global" if !self.follows("#") => self.skip().global(false),
            "initial" => self.skip().initial(),
            "proposition" => self.skip().proposition(),
            "process" => {
                self.end_process();
                self.skip().process_header()
            }
            _ if self.process.is_none() => {
                self.fail_here("a declaration, or a line of a process, is expected")
            }
            "parameter" => self.skip().local(true),
            "local" if !self.follows("#") => self.skip().local(false),
            "start" => {
                let entry = self.skip().location()?;
                self.current().entry = entry;
                Ok(())
            }
            "priority" if !self.follows("(") => {
                let priority = self.skip().number_up_to(255, "a priority")?;
                self.current().priority = priority as u8;
                Ok(())
            }
            "provided" => {
                let expr = self.skip().expr()?;
                self.current().provided = Some(expr);
                Ok(())
            }
            "at" => self.skip().location_header(),
            "unused" => {
                self.unused = true;
                self.skip().punct(":")
            }
            _ if self.current().locations.is_empty() && !self.unused => {
                self.fail_here("a command stands after the location that it leaves: 'at' is expected")
            }
            "otherwise" => {
                let location = self.skip().current_location()?;
                if location.groups.is_empty() {
                    location.groups.push(Vec::new());
                }
                location.groups.push(Vec::new());
                Ok(())
            }
            "nothing" => self.skip().current_group().map(|_| ()),
            _ => self.numbered_command(),
        }
    }

    fn symbols(&mut self) -> Parsed<()> {
        let name = self.name("a name")?;
        self.punct(":")?;
        let mut members = Vec::new();
        while self.peek().is_some() {
            let member = self.name("the name of a value")?;
            self.punct("=")?;
            members.push((member, self.signed()?));
            if !self.eat(",") {
                break;
            }
        }
        self.program.symbols.push(SymbolSet { name, members });
        Ok(())
    }

    fn channel(&mut self) -> Parsed<()> {
        self.name("a name")?;
        self.punct(":")?;
        let capacity = if self.eat_word("rendezvous") {
            Capacity::Rendezvous
        } else if self.eat_word("unbounded") {
            Capacity::Unbounded
        } else {
            Capacity::Bounded(
                self.number_up_to(i64::from(u32::MAX), "a capacity, 'rendezvous' or 'unbounded'")? as u32,
            )
        };
        let mut fields = Vec::new();
        if self.eat_word("of") {
            fields.push(self.ty()?);
            while self.eat(",") {
                fields.push(self.ty()?);
            }
        }
        let mut contents = Vec::new();
        if self.eat_word("holds") {
            contents.push(self.message()?);
            while self.eat(",") {
                contents.push(self.message()?);
            }
        }
        self.program.channels.push(ChannelType { capacity, fields, contents });
        Ok(())
    }

    fn gate(&mut self) -> Parsed<()> {
        let name = self.name("a name")?;
        let mut offers = Vec::new();
        if self.eat_word("of") {
            offers.push(self.ty()?);
            while self.eat(",") {
                offers.push(self.ty()?);
            }
        }
        self.program.gates.push(Gate { name, offers });
        Ok(())
    }

    fn vector(&mut self) -> Parsed<()> {
        let mut members = Vec::new();
        loop {
            let process = ProcessId(self.process_reference()?);
            members.push((process, GateId(self.gate_reference()?)));
            if !self.eat(",") {
                break;
            }
        }
        let label = if self.eat_word("as") { Some(self.text()?) } else { None };
        self.program.vectors.push(Vector { members, label });
        Ok(())
    }

    /// A message that a new channel holds: a value for each field.
    fn message(&mut self) -> Parsed<Vec<i32>> {
        self.punct("(")?;
        let mut values = Vec::new();
        while !self.eat(")") {
            if !values.is_empty() {
                self.punct(",")?;
            }
            values.push(self.signed()?);
        }
        Ok(values)
    }

    fn global(&mut self, hidden: bool) -> Parsed<()> {
        // Globals see no locals, wherever their line stands.
        let process = self.process.take();
        let variable = self.variable(hidden);
        self.process = process;
        variable.map(|variable| self.program.globals.push(variable))
    }

    fn local(&mut self, parameter: bool) -> Parsed<()> {
        if parameter && self.current().parameters as usize != self.current().locals.len() {
            return self.fail_here("parameters come before other locals");
        }
        let variable = self.variable(false)?;
        let process = self.current();
        process.locals.push(variable);
        process.parameters += u32::from(parameter);
        Ok(())
    }

    fn variable(&mut self, hidden: bool) -> Parsed<Variable> {
        let name = self.name("the name of a variable")?;
        let mut dims = Vec::new();
        while self.eat("[") {
            dims.push(self.number_up_to(i64::from(u32::MAX), "a length")? as u32);
            self.punct("]")?;
        }
        self.punct(":")?;
        let ty = self.ty()?;
        let init = if !self.eat("=") {
            Init::Zero
        } else if self.eat("{") {
            Init::List(self.exprs("}")?)
        } else if self.eat_word("new") {
            Init::Channel(ChannelId(self.reference("channel", "a kind of channel", |names| &names.channels)?))
        } else {
            Init::Value(self.expr()?)
        };
        Ok(Variable { name, ty, dims, init, hidden })
    }

    fn ty(&mut self) -> Parsed<Type> {
        let word = match self.peek() {
            Some(Token::Word(word)) => word.clone(),
            _ => {
                let low = self.signed()?;
                self.punct("..")?;
                return Ok(Type::Range(low, self.signed()?));
            }
        };
        let bits = word.strip_prefix('u').and_then(|bits| bits.parse().ok());
        let ty = match (word.as_str(), bits) {
            ("bit", _) => Type::Unsigned(1),
            ("bool", _) => Type::Bool,
            ("byte", _) => Type::Unsigned(8),
            ("short", _) => Type::Signed(16),
            ("int", _) => Type::Signed(32),
            ("chan", _) => Type::Channel,
            ("symbol", _) => {
                self.skip();
                return Ok(Type::Symbol(SymbolsId(self.symbols_reference()?)));
            }
            (_, Some(bits)) => Type::Unsigned(bits),
            _ => {
                return self
                    .fail_here("a type is expected: bit, bool, byte, short, int, u5, chan, symbol s, 0..7");
            }
        };
        self.skip();
        Ok(ty)
    }

    fn initial(&mut self) -> Parsed<()> {
        loop {
            let process = self.process_reference()?;
            self.program.initial.push(ProcessId(process));
            if !self.eat(",") {
                return Ok(());
            }
        }
    }

    fn proposition(&mut self) -> Parsed<()> {
        let name = match self.peek() {
            Some(Token::Text(_)) => self.text()?,
            _ => self.name("a name")?,
        };
        self.punct(":")?;
        let process = self.process.take();
        let expr = self.expr();
        self.process = process;
        expr.map(|expr| self.program.propositions.push((name, expr)))
    }

    fn process_header(&mut self) -> Parsed<()> {
        self.process = Some(self.program.processes.len());
        self.next_command = 0;
        self.unused = false;
        self.program.processes.push(ProcessType {
            name: String::new(),
            parameters: 0,
            locals: Vec::new(),
            locations: Vec::new(),
            commands: Vec::new(),
            entry: Loc(0),
            provided: None,
            priority: 1,
        });
        self.current().name = self.name("the name of a process")?;
        Ok(())
    }

    fn location_header(&mut self) -> Parsed<()> {
        self.unused = false;
        let number = self.current().locations.len() as i64;
        self.current().locations.push(Location::default());
        if let Some(&Token::Number(written)) = self.peek() {
            if written != number {
                return self.fail_here(format!("this is location {number}"));
            }
            self.skip();
        }
        let mut location = Location::default();
        while !self.eat(":") {
            match self.peek() {
                Some(Token::Word(word)) if word == "end" => location.end = true,
                Some(Token::Word(word)) if word == "accept" => location.accept = true,
                Some(Token::Word(word)) if word == "progress" => location.progress = true,
                _ => {
                    location.labels.push(self.name("a label, 'end', 'accept', 'progress' or ':'")?);
                    continue;
                }
            }
            self.skip();
        }
        *self.current_location()? = location;
        Ok(())
    }

    fn numbered_command(&mut self) -> Parsed<()> {
        let span = self.span();
        let mut number = self.next_command;
        if self.eat("#") {
            number = self.number_up_to(i64::from(MOST_COMMANDS), "the number of a command")? as u32;
            if !self.eat(":") {
                self.references.push((number, span));
                self.current_group()?.push(CommandId(number));
                return Ok(());
            }
        }
        let from = self.at;
        if !self.unused {
            self.current_group()?.push(CommandId(number));
        }
        // Counting goes on even if the command is broken, or the next one would be blamed for it.
        self.next_command = number + 1;
        let here = Loc(self.current().locations.len().saturating_sub(1) as u32);
        let command = self.command(here, from)?;
        if self.commands.insert(number, command).is_some() {
            return self.fail(format!("there is another command #{number}"), span);
        }
        Ok(())
    }

    /// Puts the commands of the process into their table.
    fn end_process(&mut self) {
        let commands = std::mem::take(&mut self.commands);
        let references = std::mem::take(&mut self.references);
        if self.process.is_none() {
            return;
        }
        for (number, span) in references {
            if !commands.contains_key(&number) && self.messages.is_empty() {
                let _: Parsed<()> = self.fail(format!("there is no command #{number}"), span);
            }
        }
        let missing = commands.keys().zip(0..).find(|(number, index)| **number != *index);
        if let (Some((_, index)), true) = (missing, self.messages.is_empty()) {
            let name = &self.current().name;
            let text = format!("process {name} has no command #{index}, but commands with higher numbers");
            self.messages.push(Message::about_file(text));
        }
        self.current().commands = commands.into_values().collect();
        self.process = None;
    }

    fn current(&mut self) -> &mut ProcessType {
        let process = self.process.expect("lines of a process are read within one");
        &mut self.program.processes[process]
    }

    fn current_location(&mut self) -> Parsed<&mut Location> {
        if self.unused || self.current().locations.is_empty() {
            return self.fail_here("this stands in no location");
        }
        Ok(self.current().locations.last_mut().expect("there is one"))
    }

    fn current_group(&mut self) -> Parsed<&mut Vec<CommandId>> {
        let groups = &mut self.current_location()?.groups;
        if groups.is_empty() {
            groups.push(Vec::new());
        }
        Ok(groups.last_mut().expect("there is one"))
    }
}

/// The tokens of a line, one after the other.
impl Parser<'_> {
    fn start_line(&mut self, line: Vec<Spanned>) {
        self.line = line;
        self.at = 0;
        self.depth = 0;
    }

    pub(super) fn peek(&self) -> Option<&Token> {
        self.line.get(self.at).map(|(token, _)| token)
    }

    /// Where the next token stands; behind the last one, where the line ends.
    pub(super) fn span(&self) -> Range<usize> {
        match self.line.get(self.at) {
            Some((_, span)) => span.clone(),
            None => self.line.last().map_or(0..0, |(_, span)| span.end..span.end),
        }
    }

    pub(super) fn skip(&mut self) -> &mut Self {
        self.at += 1;
        self
    }

    /// What stands from token `from` up to here.
    pub(super) fn written_since(&self, from: usize) -> String {
        let tokens = self.line.get(from..self.at).unwrap_or_default();
        match (tokens.first(), tokens.last()) {
            (Some((_, first)), Some((_, last))) => self.source.text()[first.start..last.end].to_owned(),
            _ => String::new(),
        }
    }

    pub(super) fn fail<T>(&mut self, text: impl Into<String>, span: Range<usize>) -> Parsed<T> {
        self.messages.push(Message::error(text, self.source.place(span.start, span.end)));
        Err(Reported)
    }

    pub(super) fn fail_here<T>(&mut self, text: impl Into<String>) -> Parsed<T> {
        self.fail(text, self.span())
    }

    fn expect_end(&mut self) -> Parsed<()> {
        if self.peek().is_some() { self.fail_here("the line should end here") } else { Ok(()) }
    }

    pub(super) fn is(&self, punct: &str) -> bool {
        matches!(self.peek(), Some(Token::Punct(found)) if *found == punct)
    }

    /// Whether the token after the next is this.
    pub(super) fn follows(&self, punct: &str) -> bool {
        matches!(self.line.get(self.at + 1), Some((Token::Punct(found), _)) if *found == punct)
    }

    pub(super) fn eat(&mut self, punct: &str) -> bool {
        let found = self.is(punct);
        if found {
            self.at += 1;
        }
        found
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(found)) if found == word);
        if found {
            self.at += 1;
        }
        found
    }

    pub(super) fn punct(&mut self, punct: &str) -> Parsed<()> {
        if self.eat(punct) { Ok(()) } else { self.fail_here(format!("'{punct}' is expected")) }
    }

    pub(super) fn word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { self.fail_here(format!("'{word}' is expected")) }
    }

    pub(super) fn text(&mut self) -> Parsed<String> {
        let Some(Token::Text(text)) = self.peek() else {
            return self.fail_here("a text in quotes is expected");
        };
        let text = text.clone();
        self.skip();
        Ok(text)
    }

    pub(super) fn name(&mut self, what: &str) -> Parsed<String> {
        let name = match self.peek() {
            Some(Token::Word(word)) if is_keyword(word) => {
                let text = format!("{what} is expected, and '{word}' is a keyword: quote it");
                return self.fail_here(text);
            }
            Some(Token::Word(name) | Token::Quoted(name)) => name.clone(),
            _ => return self.fail_here(format!("{what} is expected")),
        };
        self.skip();
        Ok(name)
    }

    pub(super) fn number_up_to(&mut self, most: i64, what: &str) -> Parsed<i64> {
        match self.peek() {
            Some(&Token::Number(number)) if number <= most => {
                self.skip();
                Ok(number)
            }
            Some(Token::Number(_)) => self.fail_here(format!("{what} is at most {most}")),
            _ => self.fail_here(format!("{what} is expected")),
        }
    }

    /// A number with or without a minus.
    fn signed(&mut self) -> Parsed<i32> {
        let minus = self.eat("-");
        let span = self.span();
        let number = self.number_up_to(1 << 32, "a number")?;
        self.int(if minus { -number } else { number }, span)
    }

    pub(super) fn int(&mut self, number: i64, span: Range<usize>) -> Parsed<i32> {
        match i32::try_from(number) {
            Ok(number) => Ok(number),
            Err(_) => self.fail("numbers have 32 bits", span),
        }
    }

    pub(super) fn process_reference(&mut self) -> Parsed<u32> {
        self.reference("process", "a process", |names| &names.processes)
    }

    pub(super) fn gate_reference(&mut self) -> Parsed<u32> {
        self.reference("gate", "a gate", |names| &names.gates)
    }

    pub(super) fn symbols_reference(&mut self) -> Parsed<u32> {
        self.reference("symbols", "a set of symbols", |names| &names.symbols)
    }

    /// A name, or `kind#number`.
    pub(super) fn reference(
        &mut self,
        kind: &str,
        what: &str,
        table: impl Fn(&Names) -> &Vec<String>,
    ) -> Parsed<u32> {
        let span = self.span();
        if matches!(self.peek(), Some(Token::Word(word)) if word == kind) && self.follows("#") {
            self.skip().skip();
            let number = self.number_up_to(i64::from(u32::MAX), "a number")? as usize;
            if number >= table(&self.names).len() {
                return self.fail(format!("there is no {kind}#{number}"), span);
            }
            return Ok(number as u32);
        }
        let name = self.name(what)?;
        match find(table(&self.names), &name) {
            Found::Once(index) => Ok(index),
            Found::Not => self.fail(format!("there is no {kind} '{name}'"), span),
            Found::Several => self.fail(format!("'{name}' may mean several; {kind}#number says which"), span),
        }
    }

    /// A location of the process whose lines are being read.
    pub(super) fn location(&mut self) -> Parsed<Loc> {
        let process = self.process.unwrap_or(usize::MAX);
        self.location_of(process)
    }

    pub(super) fn location_of(&mut self, process: usize) -> Parsed<Loc> {
        let span = self.span();
        let count = self.names.locations.get(process).map_or(0, Vec::len);
        if let Some(&Token::Number(number)) = self.peek() {
            if number >= count as i64 {
                return self.fail_here(format!("there is no location {number}"));
            }
            self.skip();
            return Ok(Loc(number as u32));
        }
        let label = self.name("a location")?;
        let labelled = |(_, labels): &(usize, &Vec<String>)| labels.contains(&label);
        let mut found = self.names.locations.get(process).into_iter().flatten().enumerate().filter(labelled);
        match (found.next(), found.next()) {
            (Some((index, _)), None) => Ok(Loc(index as u32)),
            (None, _) => self.fail(format!("there is no location '{label}'"), span),
            _ => self.fail(format!("several locations are labelled '{label}'; a number says which"), span),
        }
    }
}

pub(super) enum Found {
    Not,
    Once(u32),
    Several,
}

pub(super) fn find(names: &[String], name: &str) -> Found {
    let mut found = names.iter().enumerate().filter(|(_, candidate)| *candidate == name);
    match (found.next(), found.next()) {
        (None, _) => Found::Not,
        (Some((index, _)), None) => Found::Once(index as u32),
        _ => Found::Several,
    }
}
