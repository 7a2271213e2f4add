//! Propositions about a specification, for temporal formulas.
//!
//! | written | true when |
//! |---|---|
//! | `m@s` | the module `m` is in state `s` |
//! | `m.x > 2`, `m.a[1].f == red` | a comparison of a variable (`<`, `<=`, `>`, `>=`, `==`, `!=`) with a value or another variable |
//! | `m.b` | the boolean variable `b` is true |
//! | `len(q) > 2` | the queue `q` holds more than two messages |
//! | `empty(q)`, `nempty(q)` | it holds none, or some |
//! | `first(q) == a` | `a` is at its head; `first(q) != a` also when it is empty |
//!
//! Names are written as states are printed: `station[1].left`, with the interaction point before a message of a common queue,
//! `first(r.queue) == U.Req`. Capitals do not matter.

use crate::lower::{Names, VariableInfo};
use crate::tree::{Base, Ordinal};
use elnath_program::ir::{Binary, ChannelQuery, Expr, Lvalue, Pattern, Unary, VariableRef};
use elnath_source::{Message, SourceText, codes, nearest};
use std::ops::Range;

type Read<T> = Result<T, Box<Message>>;

/// Reads the proposition at `range` of a text.
///
/// # Errors
/// What is wrong with it.
pub fn proposition(names: &Names, source: &SourceText, range: Range<usize>) -> Result<Expr, Vec<Message>> {
    let mut reader = Reader { names, source, at: range.start, end: range.end };
    let read = reader.whole();
    read.map_err(|message| vec![*message])
}

/// The words that mean something in propositions about a specification.
pub fn words(names: &Names) -> Vec<String> {
    let mut words: Vec<String> =
        ["len", "empty", "nempty", "first", "true", "false"].map(str::to_owned).to_vec();
    let mut add = |name: &str| {
        let parts = name.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|part| !part.is_empty());
        words.extend(parts.map(str::to_owned));
    };
    for module in &names.modules {
        add(&module.name);
        module.states.iter().for_each(|(state, _)| add(state));
    }
    for queue in &names.queues {
        add(&queue.name);
        queue.messages.iter().for_each(|(message, _)| add(message));
    }
    for variable in &names.variables {
        add(&variable.name);
        if let Some(Ordinal { base: Base::Enumeration(all), .. }) = &variable.ordinal {
            all.values.iter().for_each(|value| add(value));
        }
    }
    words
}

struct Reader<'r> {
    names: &'r Names,
    source: &'r SourceText,
    at: usize,
    end: usize,
}

/// A side of a comparison.
enum Operand {
    Value(Expr, Option<Ordinal>),
    /// A name that is no variable: perhaps a value of an enumeration.
    Name(String, Range<usize>),
    /// The head of a queue.
    Head(usize),
}

impl Reader<'_> {
    fn rest(&mut self) -> &str {
        let text = &self.source.text()[self.at..self.end];
        self.at += text.len() - text.trim_start().len();
        &self.source.text()[self.at..self.end]
    }

    fn eat(&mut self, sign: &str) -> bool {
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    fn error(&self, text: impl Into<String>, span: Range<usize>, near: Option<String>) -> Box<Message> {
        let message =
            Message::error(text, self.source.place(span.start, span.end)).code(codes::UNKNOWN_PROPOSITION);
        Box::new(match near {
            Some(near) => message.help(format!("did you mean `{near}`?")),
            None => message,
        })
    }

    fn expected(&mut self, what: &str) -> Box<Message> {
        let at = self.at;
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        let at = at.max(self.at);
        self.error(format!("expected {what}"), at..at + length, None)
    }

    /// A name with points and indices, without blanks and in small letters.
    fn name(&mut self) -> Option<(String, Range<usize>)> {
        let quoted = self.eat("\"");
        let rest = self.rest().to_owned();
        let start = self.at;
        let mut length = 0;
        let mut inside = false;
        for c in rest.chars() {
            let part = c.is_alphanumeric() || c == '_' || c == '.' || c == '\'';
            let goes_on = match c {
                '"' => false,
                _ if quoted => true,
                '[' => {
                    inside = length > 0;
                    inside
                }
                ']' => {
                    let was = inside;
                    inside = false;
                    was
                }
                _ => part || inside,
            };
            if !goes_on {
                break;
            }
            length += c.len_utf8();
        }
        if length == 0 {
            return None;
        }
        self.at += length;
        let name: String = rest[..length].chars().filter(|c| !c.is_whitespace()).collect();
        let span = start..self.at;
        if quoted {
            self.eat("\"");
        }
        Some((name.to_lowercase(), span))
    }

    fn whole(&mut self) -> Read<Expr> {
        let expr = self.comparison()?;
        if !self.rest().is_empty() {
            return Err(self.expected("the end of the proposition"));
        }
        Ok(expr)
    }

    fn comparison(&mut self) -> Read<Expr> {
        let begin = self.at;
        if self.eat("(") {
            let expr = self.comparison()?;
            return if self.eat(")") { Ok(expr) } else { Err(self.expected("`)`")) };
        }
        for (word, query) in [("empty", ChannelQuery::Empty), ("nempty", ChannelQuery::NotEmpty)] {
            if self.calls(word) {
                let queue = self.queue()?;
                return Ok(Expr::Channel(query, Box::new(channel(queue))));
            }
        }
        if let Some(at) = self.state()? {
            return Ok(at);
        }
        let left = self.operand()?;
        let operators = [
            ("==", Binary::Eq),
            ("!=", Binary::Ne),
            ("<>", Binary::Ne),
            ("<=", Binary::Le),
            (">=", Binary::Ge),
            ("<", Binary::Lt),
            (">", Binary::Gt),
            ("=", Binary::Eq),
        ];
        let Some((_, operator)) = operators.into_iter().find(|(sign, _)| self.eat(sign)) else {
            return match left {
                Operand::Value(expr, Some(ordinal)) if matches!(ordinal.base, Base::Bool) => Ok(expr),
                Operand::Name(name, span) => Err(self.unknown(&name, span)),
                _ => Err(self.expected("a comparison")),
            };
        };
        let right = self.operand()?;
        let span = begin..self.at;
        match (left, right) {
            (Operand::Head(queue), Operand::Name(name, place)) => {
                let messages = &self.names.queues[queue].messages;
                let Some((_, tag)) = messages.iter().find(|(known, _)| known.to_lowercase() == name) else {
                    let near = nearest(&name, messages.iter().map(|(known, _)| known));
                    let text = format!("`{}` does not carry `{name}`", self.names.queues[queue].name);
                    return Err(self.error(text, place, near));
                };
                let mut patterns = vec![Pattern::Any; self.names.queues[queue].fields];
                patterns[0] = Pattern::Match(Expr::Const(*tag));
                let channel = Box::new(channel(queue));
                let poll = Expr::Poll { channel, patterns, random: false, ahead: 0 };
                match operator {
                    Binary::Eq => Ok(poll),
                    Binary::Ne => Ok(Expr::Unary(Unary::Not, Box::new(poll))),
                    _ => Err(self.error("messages are equal or not", span, None)),
                }
            }
            (Operand::Value(a, ordinal), Operand::Name(name, place)) => {
                let b = self.value_named(&name, ordinal.as_ref(), place)?;
                Ok(Expr::Binary(operator, Box::new([a, b])))
            }
            (Operand::Name(name, place), Operand::Value(b, ordinal)) => {
                let a = self.value_named(&name, ordinal.as_ref(), place)?;
                Ok(Expr::Binary(operator, Box::new([a, b])))
            }
            (Operand::Value(a, _), Operand::Value(b, _)) => Ok(Expr::Binary(operator, Box::new([a, b]))),
            (Operand::Name(name, place), _) => Err(self.unknown(&name, place)),
            _ => Err(self.error("a queue's head is compared with a message", span, None)),
        }
    }

    /// Whether a word with an opening parenthesis comes next.
    fn calls(&mut self, word: &str) -> bool {
        let rest = self.rest();
        let found = rest.strip_prefix(word).is_some_and(|rest| rest.trim_start().starts_with('('));
        if found {
            self.at += word.len();
            self.eat("(");
        }
        found
    }

    /// The queue in parentheses.
    fn queue(&mut self) -> Read<usize> {
        let Some((name, span)) = self.name() else { return Err(self.expected("a queue")) };
        let queues = &self.names.queues;
        let Some(queue) = queues.iter().position(|queue| queue.name.to_lowercase() == name) else {
            let near = nearest(&name, queues.iter().map(|queue| &queue.name));
            return Err(self.error(format!("there is no queue `{name}`"), span, near));
        };
        if self.eat(")") { Ok(queue) } else { Err(self.expected("`)`")) }
    }

    /// `m@s`.
    fn state(&mut self) -> Read<Option<Expr>> {
        let before = self.at;
        let Some((name, span)) = self.name() else { return Ok(None) };
        if !self.eat("@") {
            self.at = before;
            return Ok(None);
        }
        let modules = &self.names.modules;
        let Some(module) = modules.iter().find(|module| module.name.to_lowercase() == name) else {
            let near = nearest(&name, modules.iter().map(|module| &module.name));
            return Err(self.error(format!("there is no active module `{name}`"), span, near));
        };
        let Some((state, span)) = self.name() else { return Err(self.expected("a state")) };
        let Some((_, locations)) = module.states.iter().find(|(known, _)| known.to_lowercase() == state)
        else {
            let near = nearest(&state, module.states.iter().map(|(state, _)| state));
            return Err(self.error(format!("`{}` has no state `{state}`", module.name), span, near));
        };
        Ok(Some(Expr::At { process: module.process, pid: None, locations: locations.clone() }))
    }

    fn operand(&mut self) -> Read<Operand> {
        if self.calls("len") {
            let queue = self.queue()?;
            let length = Expr::Channel(ChannelQuery::Len, Box::new(channel(queue)));
            return Ok(Operand::Value(length, Some(Ordinal::int(0, i32::MAX))));
        }
        if self.calls("first") {
            return Ok(Operand::Head(self.queue()?));
        }
        let negative = self.eat("-");
        let digits: String = self.rest().chars().take_while(char::is_ascii_digit).collect();
        if !digits.is_empty() {
            let start = self.at;
            self.at += digits.len();
            let Ok(value) = digits.parse::<i32>() else {
                return Err(self.error("this number is too large", start..self.at, None));
            };
            return Ok(Operand::Value(Expr::Const(if negative { -value } else { value }), None));
        }
        let Some((name, span)) = self.name() else {
            return Err(
                self.expected("`m@s`, a variable, a number, `len(q)`, `empty(q)`, `nempty(q)` or `first(q)`")
            );
        };
        match name.as_str() {
            "true" => return Ok(Operand::Value(Expr::Const(1), Some(Ordinal::boolean()))),
            "false" => return Ok(Operand::Value(Expr::Const(0), Some(Ordinal::boolean()))),
            _ => {}
        }
        match self.variable(&name, &span)? {
            Some((expr, ordinal)) => Ok(Operand::Value(expr, ordinal)),
            None => Ok(Operand::Name(name, span)),
        }
    }

    fn value_named(&self, name: &str, ordinal: Option<&Ordinal>, span: Range<usize>) -> Read<Expr> {
        value_in(name, ordinal).map(Expr::Const).ok_or_else(|| self.unknown(name, span))
    }

    fn unknown(&self, name: &str, span: Range<usize>) -> Box<Message> {
        let variables = self.names.variables.iter().map(full_name);
        let modules = self.names.modules.iter().map(|module| module.name.clone());
        let near = nearest(name, variables.chain(modules));
        self.error(format!("there is no variable or value `{name}`"), span, near)
    }

    /// A variable, with constant indices.
    fn variable(&self, name: &str, span: &Range<usize>) -> Read<Option<(Expr, Option<Ordinal>)>> {
        for variable in &self.names.variables {
            let module = variable.module.to_lowercase();
            let rest = if module.is_empty() {
                name
            } else {
                match name.strip_prefix(&module).and_then(|rest| rest.strip_prefix('.')) {
                    Some(rest) => rest,
                    None => continue,
                }
            };
            let (plain, indices) = without_indices(rest);
            if plain != variable.name.to_lowercase() {
                continue;
            }
            if indices.len() != variable.dims.len() {
                let text =
                    format!("`{name}` has {} indices, and gets {}", variable.dims.len(), indices.len());
                return Err(self.error(text, span.clone(), None));
            }
            let mut at = Vec::new();
            for (index, dim) in indices.iter().zip(&variable.dims) {
                let value = index.parse().ok().or_else(|| value_in(index, Some(dim)));
                match value.filter(|value| dim.values().contains(value)) {
                    Some(value) => at.push(value - dim.low),
                    None => {
                        let text = format!("`{index}` is not among {}", dim.name());
                        return Err(self.error(text, span.clone(), None));
                    }
                }
            }
            let expr = match &variable.place {
                Ok(global) => Expr::Load(Lvalue {
                    variable: VariableRef::Global(*global as u32),
                    indices: at.into_iter().map(Expr::Const).collect(),
                }),
                Err(values) => {
                    let element = at
                        .iter()
                        .zip(&variable.dims)
                        .fold(0, |n, (&at, dim)| n * dim.count() as usize + at as usize);
                    Expr::Const(values[element])
                }
            };
            return Ok(Some((expr, variable.ordinal.clone())));
        }
        Ok(None)
    }
}

fn full_name(variable: &VariableInfo) -> String {
    if variable.module.is_empty() {
        variable.name.clone()
    } else {
        format!("{}.{}", variable.module, variable.name)
    }
}

fn channel(queue: usize) -> Expr {
    Expr::Load(Lvalue { variable: VariableRef::Global(queue as u32), indices: Vec::new() })
}

/// A value by its name.
fn value_in(name: &str, ordinal: Option<&Ordinal>) -> Option<i32> {
    match &ordinal?.base {
        Base::Enumeration(all) => {
            all.values.iter().position(|value| value.to_lowercase() == name).map(|at| at as i32)
        }
        Base::Bool => ["false", "true"].iter().position(|value| *value == name).map(|at| at as i32),
        Base::Char => {
            let mut inside = name.strip_prefix('\'')?.strip_suffix('\'')?.chars();
            let c = inside.next()?;
            inside.next().is_none().then_some(c as i32)
        }
        Base::Int => None,
    }
}

/// `a[1].f[2,3]` as `a.f` and its indices.
fn without_indices(name: &str) -> (String, Vec<String>) {
    let (mut plain, mut indices) = (String::new(), Vec::new());
    let mut inside = None::<String>;
    for c in name.chars() {
        match (&mut inside, c) {
            (None, '[') => inside = Some(String::new()),
            (None, c) => plain.push(c),
            (Some(text), ']') => {
                indices.extend(text.split(',').map(str::to_owned));
                inside = None;
            }
            (Some(text), c) => text.push(c),
        }
    }
    (plain, indices)
}
