//! The systems of McScM (and of ReSCu): `.scm`.
//!
//! ```text
//! scm connection :
//! nb_channels = 2 ;
//! parameters : real o ; real c ; real d ;
//! automaton sender :
//! initial : 0
//! state 0 : to 1 : when true , 0 ! o ;
//! ```
//!
//! Channels are numbers, shared by all automata and empty at first; messages are parameters. A lossy channel is read as
//! one from whose front a machine of its own may take any message away: what remains is received in the same order.
//! Data (`with`, conditions other than `true`) are refused; `bad_states` is another question, which is left out with a
//! warning.

use crate::lexer::{Cursor, Parsed};
use crate::network::{Channels, Machine, Network, State, States};
use elnath_source::{Message, SourceText, codes, nearest};
use std::ops::Range;

pub(crate) fn parse(source: &SourceText) -> (Network, Vec<Message>) {
    let mut reader = Reader {
        cursor: Cursor::new(source, &["//"]),
        channels: Channels::default(),
        count: 0,
        lossy: Vec::new(),
        parameters: Vec::new(),
        machines: Vec::new(),
    };
    let name = reader.header().unwrap_or_default();
    while !reader.cursor.at_end() && !reader.cursor.has_too_many_messages() {
        if reader.item().is_err() {
            reader.cursor.skip_to(begins_item);
        }
    }
    reader.losses();
    let Reader { cursor, channels, machines, .. } = reader;
    let network =
        Network { name, file: source.name().to_owned(), channels: channels.all, machines, is_net: false };
    (network, cursor.messages)
}

fn begins_item(cursor: &Cursor) -> bool {
    ["automaton", "parameters", "lossy", "nb_channels", "bad_states"].iter().any(|word| cursor.is_word(word))
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    channels: Channels,
    count: u32,
    lossy: Vec<u32>,
    parameters: Vec<String>,
    machines: Vec<Machine>,
}

impl Reader<'_> {
    fn header(&mut self) -> Parsed<String> {
        self.cursor.keyword("scm")?;
        let (name, _) = self.cursor.word("the name of the system")?;
        self.cursor.punct(":")?;
        Ok(name)
    }

    fn item(&mut self) -> Parsed<()> {
        if self.cursor.eat_word("nb_channels") {
            self.cursor.punct("=")?;
            let (count, span) = self.cursor.number("a number of channels")?;
            if count > 255 {
                self.cursor.error("there are at most 255 channels", &span);
            }
            self.count = count.min(255);
            for number in 0..self.count {
                self.channels.number(&number.to_string());
            }
            return self.cursor.punct(";");
        }
        if self.cursor.eat_word("lossy") {
            self.cursor.punct(":")?;
            loop {
                let number = self.channel()?;
                self.lossy.push(number);
                if !self.cursor.eat(",") {
                    break;
                }
            }
            self.cursor.eat(";");
            return Ok(());
        }
        if self.cursor.eat_word("parameters") {
            self.cursor.punct(":")?;
            while self.cursor.eat_word("real") || self.cursor.eat_word("int") {
                let (name, _) = self.cursor.word("the name of a message")?;
                self.parameters.push(name);
                if self.cursor.eat("=") {
                    self.cursor.skip_to(|cursor| cursor.is(";"));
                }
                self.cursor.punct(";")?;
            }
            return Ok(());
        }
        if self.cursor.eat_word("automaton") {
            return self.automaton();
        }
        if self.cursor.is_word("bad_states") {
            let span = self.cursor.span();
            let text = "what is said here about bad states is not looked at";
            self.cursor.warning(codes::BAD_STATES, text, &span);
            self.cursor.at = self.cursor.tokens.len();
            return Ok(());
        }
        let broken =
            self.cursor.expected("`nb_channels`, `lossy`, `parameters`, `automaton` or `bad_states`");
        self.cursor.at += 1;
        Err(broken)
    }

    /// The number of a channel that exists.
    fn channel(&mut self) -> Parsed<u32> {
        let (number, span) = self.cursor.number("the number of a channel")?;
        if number >= self.count {
            let (count, last) = (self.count, self.count.saturating_sub(1));
            let text = format!("there is no channel {number}");
            let help = if count == 0 {
                "`nb_channels` says how many there are".to_owned()
            } else {
                format!("`nb_channels` says that there are {count}, from 0 to {last}")
            };
            self.cursor.error(text, &span).help = Some(help);
            return Ok(0);
        }
        Ok(number)
    }

    fn automaton(&mut self) -> Parsed<()> {
        let (name, _) = self.cursor.word("the name of an automaton")?;
        self.cursor.punct(":")?;
        self.cursor.keyword("initial")?;
        self.cursor.punct(":")?;
        let (initial, initial_span) = self.cursor.word("a state")?;
        let mut states = States::default();
        let mut machine = Machine { name, initial: states.number(&initial), ..Machine::default() };
        while self.cursor.eat(",") {
            let (_, span) = self.cursor.word("a state")?;
            self.cursor.error("several initial states are not read", &span);
        }
        let mut declared = Vec::new();
        while self.cursor.eat_word("state") {
            let (state, _) = self.cursor.word("a state")?;
            self.cursor.punct(":")?;
            declared.push(state.clone());
            let source = states.number(&state);
            while self.cursor.is_word("to") {
                if self.transition(source, &mut states, &mut machine).is_err() {
                    self.cursor
                        .skip_to(|cursor| cursor.is(";") || begins_item(cursor) || cursor.is_word("state"));
                    self.cursor.eat(";");
                }
            }
        }
        if !declared.contains(&initial) {
            let near = nearest(&initial, &declared);
            let message = self.cursor.error(format!("there is no state `{initial}`"), &initial_span);
            message.help = near.map(|near| format!("did you mean `{near}`?"));
        }
        machine.states = states.all;
        machine.end_where_nothing_leaves();
        self.machines.push(machine);
        Ok(())
    }

    /// `to 1 : when true , 0 ! o ;`
    fn transition(&mut self, source: usize, states: &mut States, machine: &mut Machine) -> Parsed<()> {
        let line = self.cursor.line();
        self.cursor.keyword("to")?;
        let (target, _) = self.cursor.word("the state it leads to")?;
        let target = states.number(&target);
        self.cursor.punct(":")?;
        self.cursor.keyword("when")?;
        if !self.cursor.eat_word("true") {
            let begin = self.cursor.span();
            self.cursor.skip_to(|cursor| cursor.is(",") || cursor.is(";"));
            self.data("conditions on data", begin.start);
        }
        let mut action = None;
        if self.cursor.eat(",") {
            let channel = self.channel()?;
            let send = self.cursor.eat("!");
            if !send {
                self.cursor.punct("?")?;
            }
            let (message, span) = self.cursor.word("a message")?;
            if !self.parameters.contains(&message) {
                let near = nearest(&message, &self.parameters);
                let complaint = self.cursor.error(format!("`{message}` is not among the parameters"), &span);
                complaint.help = near.map(|near| format!("did you mean `{near}`?"));
            }
            action = Some((channel.to_string(), send, message));
        }
        if self.cursor.is_word("with") {
            let begin = self.cursor.span();
            self.cursor.skip_to(|cursor| cursor.is(";"));
            self.data("assignments", begin.start);
        }
        self.cursor.punct(";")?;
        let action =
            action.as_ref().map(|(channel, send, message)| (channel.as_str(), *send, message.as_str()));
        machine.transitions.push(self.channels.transition((source, target), action, line));
        Ok(())
    }

    fn data(&mut self, what: &str, begin: usize) {
        let span: Range<usize> = begin..self.cursor.last_span().end.max(begin);
        self.cursor.error(format!("{what} are not read"), &span);
    }

    /// A machine that takes messages away from the front of lossy channels.
    fn losses(&mut self) {
        let mut transitions = Vec::new();
        for number in &self.lossy {
            let name = number.to_string();
            let channel = self.channels.number(&name);
            for message in self.channels.all[channel].messages.clone() {
                let mut lost = self.channels.transition((0, 0), Some((&name, false, &message)), 1);
                lost.text = format!("{name} loses {message}");
                transitions.push(lost);
            }
        }
        if !transitions.is_empty() {
            let states = vec![State { name: "0".to_owned(), end: true }];
            self.machines.push(Machine { name: "losses".to_owned(), states, initial: 0, transitions });
        }
    }
}
