//! Programs with the capacities of their channels taken away, so that one can ask which they need.
//!
//! A full channel blocks whoever sends to it. Without its capacity it never does, so that the lifted program can do all
//! that the program can and usually more: what waited for room no longer waits, `full` is never true, `nfull` always is,
//! and a `timeout` or `else` that relied on a blocked send may not come. If a lifted channel never holds more than n
//! messages, then with capacity n no send to it ever blocks; with less, some send can. That is the answer to "which
//! capacity is enough", not to "does the program with its capacity work".

use elnath_program::ir::{Capacity, Init, Program, Variable};
use elnath_source::{Message, nearest};

/// A channel whose capacity was lifted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lifted {
    /// Its name; `process.channel` if it belongs to a process.
    pub name: String,
    /// What its capacity was.
    pub capacity: u32,
}

/// Lifts the capacities of these channels, by name, or of all. Rendez-vous stay what they are.
///
/// # Errors
/// That there is no such channel, for each that there is not.
pub fn lift(program: &mut Program, only: Option<&[String]>) -> Result<Vec<Lifted>, Vec<Message>> {
    let mut lifted = Vec::new();
    let mut names = Vec::new();
    let mut channels = std::mem::take(&mut program.channels);
    let mut of = |owner: Option<&str>, variables: &mut Vec<Variable>| {
        for variable in variables {
            let Init::Channel(kind) = variable.init else { continue };
            let full =
                owner.map_or_else(|| variable.name.clone(), |owner| format!("{owner}.{}", variable.name));
            let wanted =
                only.is_none_or(|only| only.iter().any(|name| *name == full || *name == variable.name));
            names.push(full.clone());
            let Capacity::Bounded(capacity) = channels[kind.index()].capacity else { continue };
            if !wanted {
                continue;
            }
            let mut kind = channels[kind.index()].clone();
            kind.capacity = Capacity::Unbounded;
            // Kinds are shared by variables of which only some may be lifted.
            let known = channels.iter().position(|other| *other == kind).unwrap_or_else(|| {
                channels.push(kind);
                channels.len() - 1
            });
            variable.init = Init::Channel(elnath_program::ir::ChannelId(known as u32));
            lifted.push(Lifted { name: full, capacity });
        }
    };
    of(None, &mut program.globals);
    for process in &mut program.processes {
        let name = process.name.clone();
        of(Some(&name), &mut process.locals);
    }
    program.channels = channels;
    let unknown = only.into_iter().flatten().filter(|name| {
        !names.iter().any(|known| known == *name || known.rsplit('.').next() == Some(name.as_str()))
    });
    let messages: Vec<Message> = unknown
        .map(|name| {
            let mut message = Message::about_file(format!("the model has no channel `{name}`"));
            message.help = match nearest(name, &names) {
                Some(near) => Some(format!("did you mean `{near}`?")),
                None if names.is_empty() => Some("it has no channels".to_owned()),
                None => Some(format!("there are: {}", names.join(", "))),
            };
            message
        })
        .collect();
    if messages.is_empty() { Ok(lifted) } else { Err(messages) }
}
