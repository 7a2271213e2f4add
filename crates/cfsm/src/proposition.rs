//! Propositions about a network, for temporal formulas.
//!
//! | written | true when |
//! |---|---|
//! | `P@q` | the machine `P` is in state `q` |
//! | `len(f) > 2` | the channel `f` holds more than two messages; also `<`, `<=`, `>=`, `==`, `!=` |
//! | `empty(f)`, `nempty(f)` | it holds none, or some |
//! | `first(f) == a` | `a` is at its front; `first(f) != a` also when it is empty |
//!
//! The name of a channel is written as reports print it, `len(A>B) > 2`, or in quotation marks, `len("A>B") > 2`; a name of a
//! machine, state or message that is not a word needs quotation marks.

use crate::lexer::{Cursor, Parsed};
use crate::lower::load;
use crate::network::Network;
use elnath_program::ir::{Binary, ChannelQuery, Expr, Loc, Pattern, ProcessId, Unary};
use elnath_source::{Message, SourceText, nearest};
use std::ops::Range;

/// Reads the proposition at `range` of a text.
///
/// # Errors
/// What is wrong with it.
pub fn proposition(
    network: &Network,
    source: &SourceText,
    range: Range<usize>,
) -> Result<Expr, Vec<Message>> {
    // Places are those of the whole text.
    let mut cursor = Cursor::new(source, &[]);
    cursor.tokens.retain(|(_, span)| range.start <= span.start && span.end <= range.end);
    cursor.messages.clear();
    let read = Reader { network, cursor: &mut cursor }.expression();
    if read.is_ok() && !cursor.at_end() {
        cursor.expected("the end of the proposition");
    }
    match read {
        Ok(expr) if cursor.messages.is_empty() => Ok(expr),
        _ => Err(cursor.messages),
    }
}

/// The words that mean something in propositions about a network.
pub fn words(network: &Network) -> Vec<String> {
    let mut words: Vec<String> = ["len", "empty", "nempty", "first"].map(str::to_owned).to_vec();
    for machine in &network.machines {
        words.push(machine.name.clone());
        words.extend(machine.states.iter().map(|state| state.name.clone()));
    }
    for channel in &network.channels {
        words.push(channel.name.clone());
        words.extend(channel.messages.iter().cloned());
    }
    words
}

struct Reader<'r, 'c> {
    network: &'r Network,
    cursor: &'r mut Cursor<'c>,
}

impl Reader<'_, '_> {
    fn expression(&mut self) -> Parsed<Expr> {
        for (word, query) in
            [("len", ChannelQuery::Len), ("empty", ChannelQuery::Empty), ("nempty", ChannelQuery::NotEmpty)]
        {
            if self.cursor.eat_word(word) {
                let (channel, _) = self.channel()?;
                let value = Expr::Channel(query, Box::new(load(channel)));
                if query != ChannelQuery::Len {
                    return Ok(value);
                }
                let operator = self.operator()?;
                let (number, _) = self.cursor.number("a number")?;
                return Ok(Expr::Binary(operator, Box::new([value, Expr::Const(number as i32)])));
            }
        }
        if self.cursor.eat_word("first") {
            return self.first();
        }
        let (name, span) =
            self.cursor.word("`P@q`, `len(f) > 2`, `empty(f)`, `nempty(f)` or `first(f) == a`")?;
        let Some(process) = self.network.machines.iter().position(|machine| machine.name == name) else {
            let near = nearest(&name, self.network.machines.iter().map(|machine| &machine.name));
            let message = self.cursor.error(format!("there is no machine `{name}`"), &span);
            message.help = near.map(|near| format!("did you mean `{near}`?"));
            return Err(crate::lexer::Broken);
        };
        self.cursor.punct("@")?;
        let (state, span) = self.cursor.word("a state")?;
        let states = &self.network.machines[process].states;
        let Some(at) = states.iter().position(|known| known.name == state) else {
            let near = nearest(&state, states.iter().map(|state| &state.name));
            let message = self.cursor.error(format!("`{name}` has no state `{state}`"), &span);
            message.help = near.map(|near| format!("did you mean `{near}`?"));
            return Err(crate::lexer::Broken);
        };
        Ok(Expr::At { process: ProcessId(process as u32), pid: None, locations: vec![Loc(at as u32)] })
    }

    fn channel(&mut self) -> Parsed<(usize, String)> {
        self.cursor.punct("(")?;
        let (name, span) = self.name_in_parentheses()?;
        let Some(channel) = self.network.channels.iter().position(|channel| channel.name == name) else {
            let near = nearest(&name, self.network.channels.iter().map(|channel| &channel.name));
            let message = self.cursor.error(format!("there is no channel `{name}`"), &span);
            message.help = near.map(|near| format!("did you mean `{near}`?"));
            return Err(crate::lexer::Broken);
        };
        self.cursor.punct(")")?;
        Ok((channel, name))
    }

    /// The name of a channel up to the closing parenthesis: a word, or as states are printed, such as `A>B`.
    fn name_in_parentheses(&mut self) -> Parsed<(String, Range<usize>)> {
        let (word, mut span) = self.cursor.word("a channel")?;
        if self.cursor.is(")") {
            return Ok((word, span));
        }
        while !self.cursor.at_end() && !self.cursor.is(")") {
            span.end = self.cursor.span().end;
            self.cursor.at += 1;
        }
        Ok((self.cursor.source.text()[span.clone()].to_owned(), span))
    }

    fn operator(&mut self) -> Parsed<Binary> {
        let equal = |cursor: &mut Cursor| cursor.eat("=");
        Ok(if self.cursor.eat("<") {
            if equal(self.cursor) { Binary::Le } else { Binary::Lt }
        } else if self.cursor.eat(">") {
            if equal(self.cursor) { Binary::Ge } else { Binary::Gt }
        } else if self.cursor.eat("!") {
            self.cursor.punct("=")?;
            Binary::Ne
        } else if self.cursor.eat("=") {
            self.cursor.punct("=")?;
            Binary::Eq
        } else {
            return Err(self.cursor.expected("a comparison"));
        })
    }

    fn first(&mut self) -> Parsed<Expr> {
        let (channel, name) = self.channel()?;
        let span = self.cursor.span();
        let operator = self.operator()?;
        if !matches!(operator, Binary::Eq | Binary::Ne) {
            self.cursor.error("messages are equal or not", &span);
        }
        let (message, span) = self.cursor.word("a message")?;
        let messages = &self.network.channels[channel].messages;
        let Some(letter) = messages.iter().position(|known| *known == message) else {
            let near = nearest(&message, messages);
            let complaint = self.cursor.error(format!("`{name}` does not carry `{message}`"), &span);
            complaint.help = near.map(|near| format!("did you mean `{near}`?"));
            return Err(crate::lexer::Broken);
        };
        let poll = Expr::Poll {
            channel: Box::new(load(channel)),
            patterns: vec![Pattern::Match(Expr::Const(letter as i32 + 1))],
            random: false,
            ahead: 0,
        };
        Ok(if operator == Binary::Ne { Expr::Unary(Unary::Not, Box::new(poll)) } else { poll })
    }
}
