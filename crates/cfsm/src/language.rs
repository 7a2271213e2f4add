//! The language for people: machines, channels and fifo nets, a line for each transition.
//!
//! ```text
//! // The connection protocol.
//! channel f1 from P1 to P2 of a, b
//! channel f2 from P2 to P1 of c
//!
//! machine P1 {
//!     0 -> 1: f1!a
//!     1 -> 0: f1!b
//!     1 -> 0: f2?c
//! }
//! ```
//!
//! * `channel f, g from P to Q of a, b holds a.b capacity 3`: everything after the names may be left out. Without `of`
//!   a channel carries what is sent and received on it; without `capacity` it holds any number of messages.
//! * `machine P { start 0  end 2, 3  0 -> 1: ACTIONS priority 2 }`: the first state mentioned is the start unless another
//!   is named. States that nothing leaves are ends anyway.
//! * An action is `f!a` or `f?a`; `f!a.b` sends a word, `f?a.b` takes one from the front, all or nothing. A transition
//!   may have several, `f?a, g!b.c`; it takes first and sends then. `Q!a` means the channel to the machine `Q`, which
//!   need not be declared, and `!a` the only channel of the machine that carries `a`. No action at all is `tau`.
//! * Of the transitions of a machine that are possible in a state, only those of the highest priority are taken.
//! * `net N { place q of a, b holds a   t: q?a -> q!b.b, r!a }`: a fifo net. Places are queues, what is left of the
//!   arrow is taken and what is right of it is put.
//!
//! The syntax tree here is what was written, with places; [`crate::resolve`] finds what the names mean.

use crate::lexer::{Cursor, Parsed, Token};
use elnath_source::{Message, SourceText};
use std::ops::Range;

/// A name and where it is written.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Range<usize>,
}

#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) name: Option<String>,
    pub(crate) channels: Vec<ChannelTree>,
    pub(crate) machines: Vec<MachineTree>,
}

#[derive(Debug)]
pub(crate) struct ChannelTree {
    pub(crate) name: Name,
    pub(crate) from: Option<Name>,
    pub(crate) to: Option<Name>,
    /// What it carries, if that was said.
    pub(crate) of: Option<Vec<Name>>,
    pub(crate) holds: Vec<Name>,
    pub(crate) capacity: Option<(u32, Range<usize>)>,
}

#[derive(Debug)]
pub(crate) struct MachineTree {
    pub(crate) name: Name,
    pub(crate) net: bool,
    pub(crate) start: Option<Name>,
    pub(crate) ends: Vec<Name>,
    pub(crate) transitions: Vec<TransitionTree>,
}

#[derive(Debug)]
pub(crate) struct TransitionTree {
    pub(crate) source: Name,
    pub(crate) target: Name,
    pub(crate) actions: Vec<ActionTree>,
    pub(crate) priority: u32,
    /// The actions as written.
    pub(crate) text: String,
}

#[derive(Debug)]
pub(crate) struct ActionTree {
    /// A channel or a machine.
    pub(crate) on: Option<Name>,
    pub(crate) send: bool,
    pub(crate) word: Vec<Name>,
    pub(crate) span: Range<usize>,
}

/// Reads a text; what could not be read is left out of the tree, with a message.
pub(crate) fn parse(source: &SourceText) -> (Tree, Vec<Message>) {
    let mut cursor = Cursor::new(source, &["//", "--"]);
    let mut tree = Tree::default();
    while !cursor.at_end() && !cursor.has_too_many_messages() {
        if item(&mut cursor, &mut tree).is_err() {
            cursor.skip_to(begins_item);
        }
    }
    (tree, cursor.messages)
}

const ITEMS: [&str; 4] = ["system", "channel", "machine", "net"];

fn begins_item(cursor: &Cursor) -> bool {
    ITEMS.iter().any(|item| cursor.is_word(item))
}

fn item(cursor: &mut Cursor, tree: &mut Tree) -> Parsed<()> {
    if cursor.eat_word("system") {
        tree.name = Some(cursor.word("the name of the system")?.0);
        return Ok(());
    }
    if cursor.eat_word("channel") {
        return channel(cursor, tree, "the name of a channel");
    }
    let net = cursor.is_word("net");
    if net || cursor.is_word("machine") {
        cursor.at += 1;
        return machine(cursor, tree, net);
    }
    let span = cursor.span();
    let broken = cursor.expected("`channel`, `machine` or `net`");
    let near = elnath_source::nearest(&cursor.source.text()[span], ITEMS);
    if let (Some(near), Some(message)) = (near, cursor.messages.last_mut()) {
        message.help = Some(format!("did you mean `{near}`?"));
    }
    cursor.at += 1;
    Err(broken)
}

fn name(cursor: &mut Cursor, what: &str) -> Parsed<Name> {
    // Something is missing if the next item begins here. In quotation marks these words are names, too.
    if begins_item(cursor) {
        return Err(cursor.expected(what));
    }
    let (text, span) = cursor.word(what)?;
    Ok(Name { text, span })
}

fn names(cursor: &mut Cursor, what: &str) -> Parsed<Vec<Name>> {
    let mut names = vec![name(cursor, what)?];
    while cursor.eat(",") {
        names.push(name(cursor, what)?);
    }
    Ok(names)
}

fn word(cursor: &mut Cursor) -> Parsed<Vec<Name>> {
    let mut letters = vec![name(cursor, "a message")?];
    while cursor.eat(".") {
        letters.push(name(cursor, "a message")?);
    }
    Ok(letters)
}

fn channel(cursor: &mut Cursor, tree: &mut Tree, what: &str) -> Parsed<()> {
    let channels = names(cursor, what)?;
    let (mut from, mut to, mut of, mut holds, mut capacity) = (None, None, None, Vec::new(), None);
    loop {
        if cursor.eat_word("from") {
            from = Some(name(cursor, "the machine that sends")?);
        } else if cursor.eat_word("to") {
            to = Some(name(cursor, "the machine that receives")?);
        } else if cursor.eat_word("of") {
            of = Some(names(cursor, "a message")?);
        } else if cursor.eat_word("holds") {
            holds = word(cursor)?;
        } else if cursor.eat_word("capacity") {
            capacity = Some(cursor.number("a number of messages")?);
        } else {
            break;
        }
    }
    cursor.eat(";");
    for name in channels {
        let (from, to, of, holds) = (from.clone(), to.clone(), of.clone(), holds.clone());
        tree.channels.push(ChannelTree { name, from, to, of, holds, capacity: capacity.clone() });
    }
    Ok(())
}

fn machine(cursor: &mut Cursor, tree: &mut Tree, net: bool) -> Parsed<()> {
    let name = name(cursor, if net { "the name of the net" } else { "the name of a machine" })?;
    let mut made = MachineTree { name, net, start: None, ends: Vec::new(), transitions: Vec::new() };
    cursor.punct("{")?;
    while !cursor.eat("}") {
        if cursor.at_end() || begins_item(cursor) && !is_transition(cursor) {
            cursor.expected("`}`");
            break;
        }
        if cursor.has_too_many_messages() {
            break;
        }
        let before = cursor.at;
        let read = if net { net_item(cursor, tree, &mut made) } else { machine_item(cursor, &mut made) };
        if read.is_err() {
            // What is wrong with one line says nothing about the next.
            let line = cursor.source.line_of(cursor.tokens.get(before).map_or(0, |(_, span)| span.start));
            cursor.at = cursor.at.max(before + 1);
            cursor.skip_to(|cursor| cursor.line() > line || cursor.is("}"));
        }
    }
    tree.machines.push(made);
    Ok(())
}

/// Whether the next word is a state: it has an arrow behind it.
fn is_transition(cursor: &Cursor) -> bool {
    matches!(cursor.peek_second(), Some(Token::Punct("->" | ":")))
}

fn machine_item(cursor: &mut Cursor, machine: &mut MachineTree) -> Parsed<()> {
    if !is_transition(cursor) {
        if cursor.eat_word("start") {
            machine.start = Some(name(cursor, "a state")?);
            cursor.eat(";");
            return Ok(());
        }
        if cursor.eat_word("end") {
            machine.ends.extend(names(cursor, "a state")?);
            cursor.eat(";");
            return Ok(());
        }
    }
    let source = name(cursor, "a state, `start`, `end` or `}`")?;
    cursor.punct("->")?;
    let target = name(cursor, "the state it leads to")?;
    let colon = cursor.eat(":");
    if !colon && begins_action(cursor) {
        let span = cursor.span();
        cursor.error("what a transition does stands behind a `:`", &span);
    }
    let actions = if colon || begins_action(cursor) { actions(cursor, None)? } else { Vec::new() };
    finish(cursor, machine, (source, target), actions)
}

/// Whether an action begins here, and not the next transition.
fn begins_action(cursor: &Cursor) -> bool {
    cursor.is("!") || cursor.is("?") || matches!(cursor.peek_second(), Some(Token::Punct("!" | "?")))
}

fn net_item(cursor: &mut Cursor, tree: &mut Tree, net: &mut MachineTree) -> Parsed<()> {
    if !is_transition(cursor) && cursor.eat_word("place") {
        return channel(cursor, tree, "the name of a place");
    }
    let name = name(cursor, "`place`, the name of a transition or `}`")?;
    cursor.punct(":")?;
    let mut all = if cursor.is("->") { Vec::new() } else { actions(cursor, Some(false))? };
    if cursor.eat("->") {
        all.extend(actions(cursor, Some(true))?);
    }
    finish(cursor, net, (name.clone(), name), all)
}

/// The end of a transition.
fn finish(
    cursor: &mut Cursor,
    machine: &mut MachineTree,
    (source, target): (Name, Name),
    actions: Vec<ActionTree>,
) -> Parsed<()> {
    let priority = if cursor.eat_word("priority") { cursor.number("a number")?.0 } else { 0 };
    cursor.eat(";");
    let text = match (actions.first(), actions.last()) {
        (Some(first), Some(last)) => cursor.source.text()[first.span.start..last.span.end].to_owned(),
        _ => "tau".to_owned(),
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = if machine.net { format!("{}: {text}", source.text) } else { text };
    machine.transitions.push(TransitionTree { source, target, actions, priority, text });
    Ok(())
}

/// Actions, separated by commas; in a net the side of the arrow says which they must be.
fn actions(cursor: &mut Cursor, side: Option<bool>) -> Parsed<Vec<ActionTree>> {
    if cursor.is_word("tau") && !matches!(cursor.peek_second(), Some(Token::Punct("!" | "?"))) {
        cursor.at += 1;
        return Ok(Vec::new());
    }
    let mut actions = vec![action(cursor)?];
    while cursor.eat(",") {
        actions.push(action(cursor)?);
    }
    for action in &actions {
        match side {
            Some(false) if action.send => {
                cursor.error("what is left of the arrow is taken: write `?`", &action.span);
            }
            Some(true) if !action.send => {
                cursor.error("what is right of the arrow is put: write `!`", &action.span);
            }
            _ => {}
        }
    }
    Ok(actions)
}

fn action(cursor: &mut Cursor) -> Parsed<ActionTree> {
    let begin = cursor.span().start;
    let bare = cursor.is("!") || cursor.is("?");
    let on = if bare { None } else { Some(name(cursor, "an action, such as `f!a` or `f?a`")?) };
    let send = cursor.eat("!");
    if !send && !cursor.eat("?") {
        return Err(cursor.expected("`!` or `?`"));
    }
    let word = word(cursor)?;
    Ok(ActionTree { on, send, word, span: begin..cursor.last_span().end })
}
