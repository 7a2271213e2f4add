//! Local session types, as the k-MC checker reads them: one line for each role.
//!
//! ```text
//! A: rec x . { B!data; x, B!stop; B?ok; end }
//! B: rec x . { A?data; x, A?stop; A!ok; end }
//! ```
//!
//! `B!m; T` sends `m` to `B` and goes on as `T`; braces hold alternatives, `rec x .` names a place to come back to.
//! There is a channel for each ordered pair of roles. Comments are `--` to the end of the line and `/* */`.

use crate::lexer::{Cursor, Parsed, Token};
use crate::network::{Channels, Machine, Network, State, States, Transition};
use elnath_source::{Message, SourceText, nearest};
use std::ops::Range;

pub(crate) fn parse(source: &SourceText) -> (Network, Vec<Message>) {
    let mut reader = Reader {
        cursor: Cursor::new(source, &["--"]),
        channels: Channels::default(),
        partners: Vec::new(),
        role: String::new(),
        steps: Vec::new(),
        states: 0,
        same: Vec::new(),
    };
    let mut machines: Vec<Machine> = Vec::new();
    while !reader.cursor.at_end() && !reader.cursor.has_too_many_messages() {
        match reader.role() {
            Ok(machine) => machines.push(machine),
            Err(_) => reader.cursor.skip_to(begins_role),
        }
    }
    let Reader { mut cursor, channels, partners, .. } = reader;
    for (partner, span) in partners {
        if !machines.iter().any(|machine| machine.name == partner) {
            let near = nearest(&partner, machines.iter().map(|machine| &machine.name));
            let message = cursor.error(format!("there is no role `{partner}`"), &span);
            message.help = near.map(|near| format!("did you mean `{near}`?"));
        }
    }
    if machines.is_empty() && cursor.messages.is_empty() {
        cursor.expected("a role, such as `A: B!m; end`");
    }
    let name = source.name().rsplit('/').next().unwrap_or_default().to_owned();
    let network =
        Network { name, file: source.name().to_owned(), channels: channels.all, machines, is_net: false };
    (network, cursor.messages)
}

/// A role begins with its name and a colon.
fn begins_role(cursor: &Cursor) -> bool {
    matches!((cursor.peek(), cursor.peek_second()), (Some(Token::Word(_)), Some(Token::Punct(":"))))
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    channels: Channels,
    /// Who is spoken to, and where.
    partners: Vec<(String, Range<usize>)>,
    role: String,
    steps: Vec<Transition>,
    states: usize,
    /// A state that is only another name of an earlier one, made where a variable of `rec` is used.
    same: Vec<(usize, usize)>,
}

/// The variables of `rec` that are visible, innermost last, and the states they mean.
type Bound = Vec<(String, usize)>;

impl Reader<'_> {
    fn role(&mut self) -> Parsed<Machine> {
        self.role = self.cursor.word("the name of a role")?.0;
        self.cursor.punct(":")?;
        (self.steps, self.same, self.states) = (Vec::new(), Vec::new(), 1);
        self.local_type(0, &mut Vec::new())?;
        let resolve = |mut state: usize| {
            while let Some(&(_, other)) = self.same.iter().find(|(alias, _)| *alias == state) {
                state = other;
            }
            state
        };
        let mut names = States::default();
        let mut number = |state: usize| names.number(&format!("q{}", resolve(state)));
        let initial = number(0);
        let mut transitions = std::mem::take(&mut self.steps);
        for transition in &mut transitions {
            (transition.source, transition.target) = (number(transition.source), number(transition.target));
        }
        let states: Vec<State> = names.all;
        let mut machine = Machine { name: self.role.clone(), states, initial, transitions };
        machine.end_where_nothing_leaves();
        Ok(machine)
    }

    /// Reads what happens from `state` on.
    fn local_type(&mut self, mut state: usize, bound: &mut Bound) -> Parsed<()> {
        let visible = bound.len();
        loop {
            if self.cursor.eat_word("rec") {
                let (variable, _) = self.cursor.word("a variable")?;
                self.cursor.punct(".")?;
                bound.push((variable, state));
            } else if self.cursor.eat("{") {
                loop {
                    self.local_type(state, bound)?;
                    if !self.cursor.eat(",") {
                        break;
                    }
                }
                self.cursor.punct("}")?;
                break;
            } else if self.cursor.eat_word("end") {
                break;
            } else if matches!(self.cursor.peek_second(), Some(Token::Punct("!" | "?"))) {
                state = self.step(state)?;
            } else {
                let (variable, span) = self.cursor.word("an action such as `B!m`, `rec`, `{`, `end`")?;
                match bound.iter().rev().find(|(name, _)| *name == variable) {
                    Some(&(_, target)) if target == state => {
                        self.cursor.error(format!("`{variable}` means itself here, and nothing else"), &span);
                    }
                    Some(&(_, target)) => self.same.push((state, target)),
                    None => {
                        let near = nearest(&variable, bound.iter().map(|(name, _)| name));
                        let text = format!("no `rec` binds `{variable}` here");
                        let message = self.cursor.error(text, &span);
                        message.help = near.map(|near| format!("did you mean `{near}`?"));
                    }
                }
                break;
            }
        }
        bound.truncate(visible);
        Ok(())
    }

    /// One message.
    fn step(&mut self, source: usize) -> Parsed<usize> {
        let line = self.cursor.line();
        let (partner, span) = self.cursor.word("a role")?;
        let send = self.cursor.eat("!");
        if !send {
            self.cursor.punct("?")?;
        }
        let (mut message, _) = self.cursor.word("a message")?;
        if self.cursor.eat("<") {
            let (ty, _) = self.cursor.word("a type")?;
            self.cursor.punct(">")?;
            message = format!("{message}<{ty}>");
        }
        self.cursor.punct(";")?;
        let channel =
            if send { format!("{}>{partner}", self.role) } else { format!("{partner}>{}", self.role) };
        let target = self.states;
        self.states += 1;
        let step = self.channels.transition((source, target), Some((&channel, send, &message)), line);
        self.steps.push(step);
        self.partners.push((partner, span));
        Ok(target)
    }
}
