//! Reading HOA.

use super::acceptance::{Condition, translate};
use super::expression::Formula;
use super::lexer::{Kind, Token, tokens, unescaped};
use crate::automaton::{Automaton, Cube, Edge, Label, MOST_PROPOSITIONS, MOST_SETS, Marks, State};
use elnath_source::{Message, Place, Severity, SourceText, classified, codes};
use std::collections::HashMap;

/// An automaton that was read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The automaton.
    pub automaton: Automaton,
    /// What the file calls it.
    pub name: Option<String>,
    /// What is doubtful about the file.
    pub warnings: Vec<Message>,
}

/// How many automata the text holds, without those that were aborted.
pub fn count(source: &SourceText) -> usize {
    pieces(&tokens(source.text())).len()
}

/// Reads one automaton of a stream, the first being 0.
///
/// # Errors
/// All that is wrong with it, each with its place, up to a limit.
pub fn read(source: &SourceText, index: usize) -> Result<Loaded, Vec<Message>> {
    let tokens = tokens(source.text());
    let pieces = pieces(&tokens);
    let Some(&(tokens, ended)) = pieces.get(index) else {
        let held = match pieces.len() {
            0 => "there is no automaton in it".to_owned(),
            1 => "it holds 1 automaton".to_owned(),
            n => format!("it holds {n} automata"),
        };
        let text = format!("{}: no automaton number {index} (counted from 0): {held}", source.name());
        return Err(vec![Message::about_file(text).code(codes::MALFORMED_AUTOMATON)]);
    };
    let mut reader = Reader { source, tokens, at: 0, messages: Vec::new(), header: Header::default() };
    if !ended {
        let end = source.text().len();
        let message = Message::error("the automaton is not finished", source.place(end, end));
        reader.messages.push(message.help("an automaton ends with --END--"));
    }
    let loaded = reader.automaton();
    let messages = reader.messages;
    match loaded {
        Some(loaded) if messages.iter().all(|m| m.severity != Severity::Error) => {
            Ok(Loaded { warnings: messages, ..loaded })
        }
        _ => Err(classified(messages, codes::MALFORMED_AUTOMATON)),
    }
}

/// The tokens of each automaton, without its end, and whether it has one.
fn pieces(tokens: &[Token]) -> Vec<(&[Token], bool)> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for (i, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::End => pieces.push((&tokens[start..i], true)),
            Kind::Abort => {}
            _ => continue,
        }
        start = i + 1;
    }
    if start < tokens.len() {
        pieces.push((&tokens[start..], false));
    }
    pieces
}

/// After this many messages the rest is probably a consequence.
const MOST_MESSAGES: usize = 20;

/// It was complained about; go on with the next item.
pub(super) struct Refused;

pub(super) type Reading<T> = Result<T, Refused>;

/// What the header says.
#[derive(Default)]
pub(super) struct Header {
    states: Option<u32>,
    starts: Vec<u32>,
    pub(super) propositions: Vec<String>,
    pub(super) aliases: HashMap<String, Formula>,
    acceptance: Option<Acceptance>,
    name: Option<String>,
}

struct Acceptance {
    sets: u32,
    condition: Condition,
    /// Where the line begins.
    at: Option<Token>,
}

/// An edge of the body, before it is known whether labels are implicit.
struct Listed {
    label: Option<Label>,
    to: u32,
    marks: u64,
}

pub(super) struct Reader<'s> {
    source: &'s SourceText,
    tokens: &'s [Token],
    pub(super) at: usize,
    messages: Vec<Message>,
    pub(super) header: Header,
}

impl<'s> Reader<'s> {
    fn automaton(&mut self) -> Option<Loaded> {
        let body = self.tokens.iter().position(|t| t.kind == Kind::Body);
        let header_end = body.unwrap_or(self.tokens.len());
        let whole = self.tokens;
        self.tokens = &whole[..header_end];
        self.header();
        let Some(body) = body else {
            self.complain_here("there is no --BODY--");
            return None;
        };
        self.tokens = whole;
        self.at = body + 1;
        let edges = self.body();
        let acceptance = self.header.acceptance.take()?;
        if self.messages.iter().any(|m| m.severity == Severity::Error) {
            return None;
        }
        let Some(translated) = translate(&acceptance.condition, edges) else {
            let place = acceptance.at.map(|token| self.place(token));
            self.messages.extend(place.map(|place| {
                let message = Message::error("this acceptance condition is too large", place);
                message.help("its normal form may have 64 clauses (without Fin) or 64 terms (with Fin)")
            }));
            return None;
        };
        let mut edges = translated.edges;
        let initial = match *self.header.starts {
            [one] => State(one),
            // A new state that can do whatever one of the initial states can do; nothing, if there is none.
            ref several => {
                let all: Vec<Edge> = several.iter().flat_map(|&s| edges[s as usize].clone()).collect();
                edges.push(all);
                State(edges.len() as u32 - 1)
            }
        };
        let propositions = std::mem::take(&mut self.header.propositions);
        let automaton = Automaton { propositions, sets: translated.sets, initial, edges };
        Some(Loaded { automaton, name: self.header.name.take(), warnings: Vec::new() })
    }

    fn header(&mut self) {
        if self.peek_text() != Some("HOA:") {
            self.complain_here_with("an automaton begins with HOA: v1", "HOA: expected");
        } else {
            self.at += 1;
            match self.peek_text() {
                Some("v1" | "v1.1") => self.at += 1,
                _ => self.complain_here_with("unknown version of the format", "v1 or v1.1 expected"),
            }
        }
        // Items may come in any order, and some use others: numbers of propositions in aliases, of states in Start.
        let items = self.items();
        for wanted in ["AP:", "Acceptance:", "States:", "Alias:", "Start:", "name:"] {
            let mut earlier: Option<Token> = None;
            for &(name, start, end) in &items {
                if self.text(name) != wanted {
                    continue;
                }
                if let Some(first) = earlier.filter(|_| !matches!(wanted, "Alias:" | "Start:")) {
                    let message = Message::error(format!("{wanted} is given twice"), self.place(name));
                    let also = self.place(first);
                    self.push(message.also(also, "first here"));
                    continue;
                }
                earlier = Some(name);
                let all = self.tokens;
                (self.tokens, self.at) = (&all[..end], start);
                let done = self.item(wanted);
                if done.is_ok() && self.at < end {
                    self.complain_here(&format!("{wanted} is followed by more than it needs"));
                }
                self.tokens = all;
            }
        }
        if self.header.acceptance.is_none()
            && !items.iter().any(|(name, ..)| self.text(*name) == "Acceptance:")
        {
            self.at = self.tokens.len();
            self.complain_here("there is no Acceptance: line");
        }
        for (name, start, end) in items {
            self.check_other(name, start, end);
        }
    }

    /// The name of each item of the header and the range of its tokens.
    fn items(&mut self) -> Vec<(Token, usize, usize)> {
        let is_name = |i: &usize| self.tokens[*i].kind == Kind::Header;
        let names: Vec<usize> = (self.at..self.tokens.len()).filter(is_name).collect();
        let end = names.first().copied().unwrap_or(self.tokens.len());
        if self.at < end {
            self.complain_here_with("a header item begins with a name and a colon", "no header name");
        }
        let ends = names.iter().skip(1).copied().chain([self.tokens.len()]);
        names.iter().zip(ends).map(|(&i, end)| (self.tokens[i], i + 1, end)).collect()
    }

    fn item(&mut self, name: &str) -> Reading<()> {
        match name {
            "States:" => {
                let token = self.peek();
                let states = self.number("the number of states")?;
                self.affordable(states, token)?;
                self.header.states = Some(states);
            }
            "Start:" => {
                let token = self.peek();
                let state = self.state("Start:")?;
                self.known_state(state, token)?;
                self.header.starts.push(state);
            }
            "AP:" => self.propositions()?,
            "Alias:" => {
                let Some(token) = self.peek().filter(|t| t.kind == Kind::Alias) else {
                    return self.refuse("an alias begins with @");
                };
                self.at += 1;
                let formula = self.disjunction(0)?;
                let name = self.text(token).to_owned();
                if self.header.aliases.insert(name, formula).is_some() {
                    return self.refuse_at(token, "this alias is defined twice");
                }
            }
            "Acceptance:" => {
                let token = self.peek();
                let sets = self.number("the number of acceptance sets")?;
                if sets > MOST_SETS {
                    let text =
                        format!("{sets} acceptance sets are too many: at most {MOST_SETS} are supported");
                    return self.refuse_token(token, &text);
                }
                let condition = self.any_of(sets, 0)?;
                self.header.acceptance = Some(Acceptance { sets, condition, at: token });
            }
            _ => {
                let Some(token) = self.peek().filter(|t| t.kind == Kind::Text) else {
                    return self.refuse("the name is a string");
                };
                self.at += 1;
                self.header.name = Some(unescaped(self.text(token)));
            }
        }
        Ok(())
    }

    fn propositions(&mut self) -> Reading<()> {
        let number = self.peek();
        let expected = self.number("the number of propositions")? as usize;
        if expected > MOST_PROPOSITIONS {
            let text =
                format!("{expected} propositions are too many: at most {MOST_PROPOSITIONS} are supported");
            return self.refuse_token(number, &text);
        }
        while let Some(token) = self.peek().filter(|t| t.kind == Kind::Text) {
            self.at += 1;
            let name = unescaped(self.text(token));
            if self.header.propositions.contains(&name) {
                return self.refuse_at(token, "this proposition is listed twice");
            }
            self.header.propositions.push(name);
        }
        let found = self.header.propositions.len();
        if found != expected {
            // Numbers below the larger one are not worth a second message.
            self.header.propositions.resize(expected.max(found).min(MOST_PROPOSITIONS), String::new());
            let text = format!("{expected} propositions are announced and {found} are named");
            return self.refuse_token(number, &text);
        }
        Ok(())
    }

    /// Items that we skip, refuse, or have not looked at yet for broken tokens.
    fn check_other(&mut self, name: Token, start: usize, end: usize) {
        let text = self.text(name);
        let known = ["AP:", "Acceptance:", "States:", "Alias:", "Start:", "name:"].contains(&text);
        if known {
            return;
        }
        if text == "HOA:" || text == "State:" {
            self.push(Message::error(format!("{text} does not belong here"), self.place(name)));
        } else if text == "Finite-words:" {
            self.push(Message::error("this automaton is over finite words", self.place(name)));
        } else if text.starts_with(|c: char| c.is_ascii_uppercase()) {
            let message = Message::error(format!("unknown header {text}"), self.place(name));
            self.push(
                message
                    .label("may change what the automaton means")
                    .help("the format says that only headers which begin with a small letter may be skipped"),
            );
        }
        for i in start..end {
            if let Kind::Bad(why) = self.tokens[i].kind {
                self.push(Message::error(why, self.place(self.tokens[i])));
            }
        }
    }

    fn body(&mut self) -> Vec<Vec<Edge>> {
        let mut states: Vec<Option<Vec<Edge>>> = vec![None; self.header.states.unwrap_or(0) as usize];
        let mut highest = self.header.starts.iter().copied().max().map_or(0, |s| s as usize + 1);
        while self.at < self.tokens.len() && self.messages.len() < MOST_MESSAGES {
            let begin = self.at;
            match self.one_state(&mut highest) {
                Ok((token, state, edges)) => {
                    if states.len() <= state as usize {
                        states.resize(state as usize + 1, None);
                    }
                    if states[state as usize].replace(edges).is_some() {
                        let text = format!("state {state} is described twice");
                        self.push(Message::error(text, self.place(token)));
                    }
                }
                Err(Refused) => {
                    self.at = self.at.max(begin + 1);
                    while self.peek().is_some_and(|t| self.text(t) != "State:") {
                        self.at += 1;
                    }
                }
            }
        }
        let count = states.len().max(highest);
        states.resize(count, None);
        let missing = states.iter().filter(|s| s.is_none()).count();
        if missing > 0 && self.messages.is_empty() {
            let first = states.iter().position(Option::is_none).unwrap_or(0);
            let place = self.tokens.iter().find(|t| t.kind == Kind::Body).map(|t| self.place(*t));
            let others =
                if missing == 1 { String::new() } else { format!(" (nor are {} others)", missing - 1) };
            let text = format!("state {first} is not described{others}: it is taken to have no edges");
            self.messages.push(Message::finding(codes::UNDESCRIBED_STATE, text, place));
        }
        states.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// `State:` and its edges.
    fn one_state(&mut self, highest: &mut usize) -> Reading<(Token, u32, Vec<Edge>)> {
        if self.peek_text() != Some("State:") {
            return self.refuse("a state begins with State:");
        }
        self.at += 1;
        let state_label = self.label()?;
        let Some(token) = self.peek() else { return self.refuse("the number of a state is missing") };
        let state = self.number("the number of a state")?;
        self.known_state(state, Some(token))?;
        if self.peek().is_some_and(|t| t.kind == Kind::Text) {
            self.at += 1;
        }
        let state_marks = self.marks()?;
        let mut listed: Vec<Listed> = Vec::new();
        while self.peek().is_some_and(|t| t.kind != Kind::Header) {
            let first = self.peek();
            let label = self.label()?;
            if label.is_some() && state_label.is_some() {
                return self.refuse_token(first, "the state has a label, so that its edges cannot have one");
            }
            if listed.last().is_some_and(|l| l.label.is_some() != label.is_some()) {
                return self.refuse_token(first, "either all edges of a state have a label, or none");
            }
            let token = self.peek();
            let to = self.state("an edge")?;
            self.known_state(to, token)?;
            *highest = (*highest).max(to as usize + 1);
            listed.push(Listed { label, to, marks: state_marks | self.marks()? });
        }
        let implicit = state_label.is_none() && listed.first().is_some_and(|l| l.label.is_none());
        let edges =
            if implicit { self.implicit(token, &listed)? } else { explicit(state_label.as_ref(), listed) };
        Ok((token, state, edges))
    }

    /// Edges whose labels are their position: the letters in order.
    fn implicit(&mut self, state: Token, listed: &[Listed]) -> Reading<Vec<Edge>> {
        let propositions = self.header.propositions.len();
        if 1usize.checked_shl(propositions as u32) != Some(listed.len()) {
            let text = format!(
                "without labels there is one edge for each of the 2^{propositions} letters, and here are {}",
                listed.len()
            );
            return self.refuse_at(state, &text);
        }
        let mut groups: Vec<Edge> = Vec::new();
        let mut known: HashMap<(u32, u64), usize> = HashMap::new();
        for (letter, l) in (0..).zip(listed) {
            let group = *known.entry((l.to, l.marks)).or_insert_with(|| {
                groups.push(Edge { label: Label::never(), marks: Marks(l.marks), to: State(l.to) });
                groups.len() - 1
            });
            groups[group].label.0.push(Cube::letter(letter, propositions));
        }
        for edge in &mut groups {
            edge.label = edge.label.tidy();
        }
        Ok(groups)
    }

    /// `{ 0 2 }`, if it is there.
    fn marks(&mut self) -> Reading<u64> {
        if !self.sign(b'{') {
            return Ok(0);
        }
        let mut marks = 0;
        while !self.sign(b'}') {
            let token = self.peek();
            let set = self.number("the number of an acceptance set, or }")?;
            self.known_set(set, token)?;
            marks |= 1 << set;
        }
        Ok(marks)
    }

    fn known_set(&mut self, set: u32, token: Option<Token>) -> Reading<()> {
        let sets = self.header.acceptance.as_ref().map_or(MOST_SETS, |a| a.sets);
        if set < sets {
            return Ok(());
        }
        self.refuse_token(token, &format!("there is no acceptance set {set}: {sets} are declared"))
    }

    /// The number of a state that is no conjunction.
    fn state(&mut self, where_: &str) -> Reading<u32> {
        let state = self.number("the number of a state")?;
        if let Some(token) = self.peek().filter(|t| t.kind == Kind::Sign(b'&')) {
            let message = Message::error("alternating automata are not supported", self.place(token));
            let label = format!("{where_} leads to several states at once");
            self.push(message.label(label).help(
                "other tools can remove universal branching, for example: autfilt --remove-alternation",
            ));
            return Err(Refused);
        }
        Ok(state)
    }

    fn known_state(&mut self, state: u32, token: Option<Token>) -> Reading<()> {
        match self.header.states {
            Some(states) if state >= states => {
                let text = format!("there is no state {state}: {states} are declared");
                self.refuse_token(token, &text)
            }
            _ => self.affordable(state, token),
        }
    }

    /// A state takes more than a byte of text, so a file cannot have more states than bytes.
    fn affordable(&mut self, states: u32, token: Option<Token>) -> Reading<()> {
        if states as usize <= self.source.text().len() {
            return Ok(());
        }
        self.refuse_token(token, "this number of states is larger than the whole file")
    }

    pub(super) fn number(&mut self, what: &str) -> Reading<u32> {
        match self.peek().map(|t| t.kind) {
            Some(Kind::Int(n)) => {
                self.at += 1;
                Ok(n)
            }
            _ => self.refuse(&format!("{what} is expected here")),
        }
    }

    /// Whether the next token is `sign`, which is then taken.
    pub(super) fn sign(&mut self, sign: u8) -> bool {
        let found = self.peek().is_some_and(|t| t.kind == Kind::Sign(sign));
        self.at += usize::from(found);
        found
    }

    pub(super) fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).copied()
    }

    pub(super) fn peek_text(&self) -> Option<&'s str> {
        self.peek().map(|t| self.text(t))
    }

    pub(super) fn text(&self, token: Token) -> &'s str {
        &self.source.text()[token.start..token.end]
    }

    fn place(&self, token: Token) -> Place {
        self.source.place(token.start, token.end)
    }

    /// Complains about the next token; a broken one has its own complaint.
    pub(super) fn refuse<T>(&mut self, text: &str) -> Reading<T> {
        self.complain_here(text);
        Err(Refused)
    }

    fn refuse_at<T>(&mut self, token: Token, text: &str) -> Reading<T> {
        self.push(Message::error(text, self.place(token)));
        Err(Refused)
    }

    pub(super) fn refuse_token<T>(&mut self, token: Option<Token>, text: &str) -> Reading<T> {
        match token {
            Some(token) => self.refuse_at(token, text),
            None => self.refuse(text),
        }
    }

    fn complain_here(&mut self, text: &str) {
        self.complain_here_with(text, "");
    }

    fn complain_here_with(&mut self, text: &str, label: &str) {
        let message = match self.peek() {
            Some(Token { kind: Kind::Bad(why), start, end }) => {
                Message::error(why, self.source.place(start, end))
            }
            Some(token) => Message::error(text, self.place(token)).label(label),
            None => {
                // Behind the last token there is.
                let end = self.tokens.last().map_or(0, |t| t.end);
                Message::error(text, self.source.place(end, end)).label(label)
            }
        };
        self.push(message);
    }

    fn push(&mut self, message: Message) {
        if self.messages.len() < MOST_MESSAGES {
            self.messages.push(message);
        }
    }
}

fn explicit(state_label: Option<&Label>, listed: Vec<Listed>) -> Vec<Edge> {
    let labelled = listed.into_iter().filter_map(|l| {
        let label = l.label.or_else(|| state_label.cloned())?;
        // An edge that no letter allows is no edge.
        (!label.is_never()).then_some(Edge { label, marks: Marks(l.marks), to: State(l.to) })
    });
    labelled.collect()
}
