//! The machines of GMC, ChorGram and k-MC: blocks of lines, one for each machine.
//!
//! ```text
//! .outputs A
//! .state graph
//! q0 1 ! hello q1
//! q1 1 ? world q0
//! .marking q0
//! .end
//! ```
//!
//! A transition is a source, a partner, `!` or `?`, a message and a target. The partner is the number of a machine,
//! counted from 0, or its name after `.outputs`. There is a channel for each ordered pair. Comments are `--` to the end
//! of the line and `/* */`.

use crate::lexer::MOST_MESSAGES;
use crate::network::{Channels, Machine, Network, States};
use elnath_source::{Message, SourceText, codes, nearest};
use std::ops::Range;

/// Whether a text looks like this.
pub(crate) fn is_meant(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with(".outputs") || line.trim() == ".state graph")
}

pub(crate) fn parse(source: &SourceText) -> (Network, Vec<Message>) {
    let mut messages = Vec::new();
    let blocks = blocks(source, &mut messages);
    let names: Vec<String> = blocks
        .iter()
        .enumerate()
        .map(|(number, block)| {
            block.name.as_ref().map_or_else(|| number.to_string(), |(name, _)| name.clone())
        })
        .collect();
    let mut channels = Channels::default();
    let mut machines = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        let machine = machine(source, &names, number, block, &mut channels, &mut messages);
        machines.push(machine);
    }
    messages.truncate(MOST_MESSAGES);
    let name = source.name().rsplit('/').next().unwrap_or_default().to_owned();
    (
        Network { name, file: source.name().to_owned(), channels: channels.all, machines, is_net: false },
        messages,
    )
}

type Piece = (String, Range<usize>);

#[derive(Default)]
struct Block {
    name: Option<Piece>,
    /// The words of each line with a transition.
    lines: Vec<Vec<Piece>>,
    marking: Option<Piece>,
    begin: Range<usize>,
}

fn blocks(source: &SourceText, messages: &mut Vec<Message>) -> Vec<Block> {
    let error = |messages: &mut Vec<Message>, text: &str, span: &Range<usize>| {
        messages.push(Message::error(text, source.place(span.start, span.end)));
    };
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    for words in lines(source) {
        let (first, span) = words[0].clone();
        match first.as_str() {
            ".outputs" => {
                if open {
                    error(messages, "the machine before this has no `.end`", &span);
                }
                open = true;
                blocks.push(Block { name: words.get(1).cloned(), begin: span, ..Block::default() });
            }
            ".inputs" | ".state" => {}
            ".end" => open = false,
            _ if !open => error(messages, "this is in no machine: `.outputs` begins one", &span),
            ".marking" => {
                let block = blocks.last_mut().expect("a block is open");
                match words.get(1) {
                    Some(state) => block.marking = Some(state.clone()),
                    None => error(messages, "expected the initial state behind `.marking`", &span),
                }
            }
            word if word.starts_with('.') => {
                let known = [".outputs", ".inputs", ".state", ".marking", ".end"];
                let place = source.place(span.start, span.end);
                let mut message = Message::error(format!("I do not know `{word}`"), place);
                message.help = nearest(word, known).map(|near| format!("did you mean `{near}`?"));
                messages.push(message);
            }
            _ => blocks.last_mut().expect("a block is open").lines.push(words),
        }
    }
    if blocks.is_empty() {
        let text = format!("{}: there is no machine in it", source.name());
        messages.push(Message::about_file(text).code(codes::EMPTY_MODEL));
    }
    blocks
}

/// The words of every line that has some, without comments.
fn lines(source: &SourceText) -> Vec<Vec<Piece>> {
    let text = source.text();
    let mut lines = Vec::new();
    let mut comment = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let mut words: Vec<Piece> = Vec::new();
        let mut inside = false;
        let mut offset = 0;
        while let Some(c) = line[offset..].chars().next() {
            let rest = &line[offset..];
            if comment {
                comment = !rest.starts_with("*/");
                offset += if comment { c.len_utf8() } else { 2 };
                inside = false;
            } else if rest.starts_with("--") {
                break;
            } else if rest.starts_with("/*") {
                comment = true;
                offset += 2;
            } else if c.is_whitespace() {
                inside = false;
                offset += c.len_utf8();
            } else {
                let begin = at + offset;
                offset += c.len_utf8();
                match words.last_mut() {
                    Some((word, span)) if inside => {
                        word.push(c);
                        span.end = at + offset;
                    }
                    _ => words.push((c.to_string(), begin..at + offset)),
                }
                inside = true;
            }
        }
        if !words.is_empty() {
            lines.push(words);
        }
        at += line.len();
    }
    lines
}

fn machine(
    source: &SourceText,
    names: &[String],
    number: usize,
    block: &Block,
    channels: &mut Channels,
    messages: &mut Vec<Message>,
) -> Machine {
    let mut states = States::default();
    let mut transitions = Vec::new();
    let mut error = |text: String, span: &Range<usize>, help: Option<String>| {
        let mut message = Message::error(text, source.place(span.start, span.end));
        message.help = help;
        messages.push(message);
    };
    for words in &block.lines {
        let [(from, _), (partner, partner_span), (kind, kind_span), (message, _), (to, _)] = &words[..]
        else {
            let span = words[0].1.start..words[words.len() - 1].1.end;
            let help = "a transition is a source, a partner, `!` or `?`, a message and a target";
            error(format!("expected five words and found {}", words.len()), &span, Some(help.to_owned()));
            continue;
        };
        let found = names.iter().position(|name| name == partner);
        let found = found.or_else(|| partner.parse().ok().filter(|&number: &usize| number < names.len()));
        let Some(other) = found else {
            let near = nearest(partner, names).map(|near| format!("did you mean `{near}`?"));
            let count = names.len();
            error(format!("there is no machine `{partner}`; there are {count}"), partner_span, near);
            continue;
        };
        let (from_state, to_state) = (states.number(from), states.number(to));
        let line = source.line_of(words[0].1.start);
        let send = match kind.as_str() {
            "!" => true,
            "?" => false,
            "tau" => {
                transitions.push(channels.transition((from_state, to_state), None, line));
                continue;
            }
            _ => {
                error(format!("expected `!` or `?`, and this is `{kind}`"), kind_span, None);
                continue;
            }
        };
        let (sender, receiver) = if send { (number, other) } else { (other, number) };
        let channel = format!("{}>{}", names[sender], names[receiver]);
        let action = Some((channel.as_str(), send, message.as_str()));
        transitions.push(channels.transition((from_state, to_state), action, line));
    }
    let initial = match &block.marking {
        None => {
            error(
                "this machine has no initial state".to_owned(),
                &block.begin,
                Some("write `.marking`".to_owned()),
            );
            0
        }
        Some((state, span)) if states.find(state).is_none() && !transitions.is_empty() => {
            let near = nearest(state, states.all.iter().map(|state| &state.name));
            let help = near.map(|near| format!("did you mean `{near}`?"));
            error(format!("no transition mentions a state `{state}`"), span, help);
            0
        }
        Some((state, _)) => states.number(state),
    };
    if states.all.is_empty() {
        states.number("0");
    }
    let mut machine = Machine { name: names[number].clone(), states: states.all, initial, transitions };
    machine.end_where_nothing_leaves();
    machine
}
