//! What the names of a [`Tree`] mean: channels, machines, states and messages.

use crate::language::{ActionTree, ChannelTree, MachineTree, Name, Tree};
use crate::network::{Channel, Machine, Network, States, Transition};
use elnath_source::{Message, SourceText, codes, nearest};
use std::collections::HashMap;

/// The network of a tree, as far as it can be made out, and what is wrong with it.
pub(crate) fn resolve(source: &SourceText, tree: &Tree) -> (Network, Vec<Message>) {
    let mut resolver = Resolver {
        source,
        tree,
        messages: Vec::new(),
        channels: Vec::new(),
        by_name: HashMap::new(),
        machines: HashMap::new(),
        received: Vec::new(),
    };
    resolver.declare();
    let machines = (0..tree.machines.len()).map(|number| resolver.machine(number)).collect();
    let stem = source.name().rsplit('/').next().unwrap_or_default();
    let stem = stem.split('.').next().unwrap_or_default();
    let mut network = Network {
        name: tree.name.clone().unwrap_or_else(|| stem.to_owned()),
        file: source.name().to_owned(),
        channels: resolver.channels,
        machines,
        is_net: tree.machines.iter().any(|machine| machine.net),
    };
    let mut messages = resolver.messages;
    if messages.is_empty() {
        never_sent(source, &network, &resolver.received, &mut messages);
    }
    for (channel, tree) in network.channels.iter_mut().zip(&tree.channels) {
        channel.capacity = tree.capacity.as_ref().map(|&(capacity, _)| capacity);
    }
    (network, messages)
}

struct Resolver<'a> {
    source: &'a SourceText,
    tree: &'a Tree,
    messages: Vec<Message>,
    /// Those of the tree first, then those between pairs of machines that were not declared.
    channels: Vec<Channel>,
    by_name: HashMap<String, usize>,
    machines: HashMap<String, usize>,
    /// Channel, letter and place of every receive, for the warning that nothing sends what it waits for.
    received: Vec<(usize, u32, Name)>,
}

/// Channels and the words taken from them, or put into them.
type Words = Vec<(usize, Vec<u32>)>;

impl Resolver<'_> {
    fn declare(&mut self) {
        let tree = self.tree;
        for (number, machine) in tree.machines.iter().enumerate() {
            if let Some(&first) = self.machines.get(&machine.name.text) {
                self.twice("machine", &tree.machines[first].name, &machine.name);
            } else {
                self.machines.insert(machine.name.text.clone(), number);
            }
        }
        for (number, channel) in tree.channels.iter().enumerate() {
            if let Some(&first) = self.by_name.get(&channel.name.text) {
                self.twice("channel", &tree.channels[first].name, &channel.name);
            } else if let Some(&machine) = self.machines.get(&channel.name.text) {
                self.twice("machine", &tree.machines[machine].name, &channel.name);
            } else {
                self.by_name.insert(channel.name.text.clone(), number);
            }
            self.channels.push(self.declared(channel));
            for end in [&channel.from, &channel.to].into_iter().flatten() {
                if !self.machines.contains_key(&end.text) {
                    let near = nearest(&end.text, self.machines.keys());
                    self.error(format!("there is no machine `{}`", end.text), end, near);
                }
            }
            if let Some(of) = &channel.of {
                for letter in &channel.holds {
                    self.carried(channel, of, letter);
                }
            }
            match &channel.capacity {
                Some((0, span)) => {
                    let name = Name { text: "0".to_owned(), span: span.clone() };
                    self.error("a channel without room passes nothing on".to_owned(), &name, None);
                }
                Some((capacity, _)) if channel.holds.len() > *capacity as usize => {
                    let held = channel.holds.len();
                    let text = format!("it has room for {capacity} and holds {held} at first");
                    self.error(text, &channel.name, None);
                }
                _ => {}
            }
        }
    }

    fn declared(&self, tree: &ChannelTree) -> Channel {
        let mut channel = Channel { name: tree.name.text.clone(), ..Channel::default() };
        for message in tree.of.iter().flatten() {
            channel.letter(&message.text);
        }
        channel.contents = tree.holds.iter().map(|message| channel.letter(&message.text)).collect();
        channel
    }

    fn machine(&mut self, number: usize) -> Machine {
        let tree = &self.tree.machines[number];
        let mut states = States::default();
        if tree.net {
            states.number("net");
        }
        let mut transitions = Vec::new();
        for transition in &tree.transitions {
            let (source, target) = if tree.net {
                (0, 0)
            } else {
                (states.number(&transition.source.text), states.number(&transition.target.text))
            };
            let (mut receives, mut sends): (Words, Words) = (Vec::new(), Vec::new());
            for action in &transition.actions {
                let Some(channel) = self.channel_of(tree, action) else { continue };
                let word = self.letters(channel, action);
                let side = if action.send { &mut sends } else { &mut receives };
                match side.iter_mut().find(|(known, _)| *known == channel) {
                    Some((_, letters)) => letters.extend(word),
                    None => side.push((channel, word)),
                }
            }
            let line = self.source.line_of(transition.source.span.start) as u32;
            let (priority, text) = (transition.priority, transition.text.clone());
            transitions.push(Transition { source, target, receives, sends, priority, text, line });
        }
        let initial = match &tree.start {
            Some(start) if states.find(&start.text).is_none() && !transitions.is_empty() => {
                let near = nearest(&start.text, states.all.iter().map(|state| &state.name));
                self.error(format!("no transition mentions a state `{}`", start.text), start, near);
                0
            }
            Some(start) => states.number(&start.text),
            None => 0,
        };
        if states.all.is_empty() {
            states.number("0");
        }
        let mut ends = Vec::new();
        for end in &tree.ends {
            match states.find(&end.text) {
                Some(state) => ends.push(state),
                None => {
                    let near = nearest(&end.text, states.all.iter().map(|state| &state.name));
                    self.error(format!("no transition mentions a state `{}`", end.text), end, near);
                }
            }
        }
        let mut machine = Machine { name: tree.name.text.clone(), states: states.all, initial, transitions };
        machine.end_where_nothing_leaves();
        for end in ends {
            machine.states[end].end = true;
        }
        machine
    }

    /// The channel that an action is about.
    fn channel_of(&mut self, machine: &MachineTree, action: &ActionTree) -> Option<usize> {
        let Some(on) = &action.on else { return self.only_channel(machine, action) };
        if let Some(&channel) = self.by_name.get(&on.text) {
            self.check_direction(machine, action, channel);
            return Some(channel);
        }
        if self.machines.contains_key(&on.text) {
            return self.channel_between(machine, action, on);
        }
        let names = self.by_name.keys().chain(self.machines.keys());
        let near = nearest(&on.text, names);
        self.error(format!("there is no channel or machine `{}`", on.text), on, near);
        None
    }

    fn check_direction(&mut self, machine: &MachineTree, action: &ActionTree, channel: usize) {
        let Some(tree) = self.tree.channels.get(channel) else { return };
        let (end, does) = if action.send { (&tree.from, "sends") } else { (&tree.to, "receives") };
        if let (Some(end), Some(on)) = (end, &action.on)
            && end.text != machine.name.text
        {
            let text = format!("only `{}` {does} on `{}`", end.text, tree.name.text);
            let place = self.source.place(on.span.start, on.span.end);
            let declared = self.source.place(end.span.start, end.span.end);
            self.messages.push(Message::error(text, place).also(declared, "declared here"));
        }
    }

    /// The channel between this machine and another: one that was declared, or that of the pair.
    fn channel_between(&mut self, machine: &MachineTree, action: &ActionTree, other: &Name) -> Option<usize> {
        let (own, other_name) = (machine.name.text.as_str(), other.text.as_str());
        let (from, to) = if action.send { (own, other_name) } else { (other_name, own) };
        let is = |end: &Option<Name>, name: &str| end.as_ref().is_some_and(|end| end.text == name);
        let between = |channel: &&ChannelTree| is(&channel.from, from) && is(&channel.to, to);
        let declared: Vec<&ChannelTree> = self.tree.channels.iter().filter(between).collect();
        match declared[..] {
            [] => {
                let pair = format!("{from}>{to}");
                let next = self.channels.len();
                let number = *self.by_name.entry(pair.clone()).or_insert(next);
                if number == next {
                    self.channels.push(Channel { name: pair, ..Channel::default() });
                }
                Some(number)
            }
            [one] => self.by_name.get(&one.name.text).copied(),
            [one, two, ..] => {
                let text = format!(
                    "`{}` and `{}` both go from `{from}` to `{to}`: which one is meant?",
                    one.name.text, two.name.text
                );
                self.error(text, other, None);
                None
            }
        }
    }

    /// The only channel of the machine that carries the message.
    fn only_channel(&mut self, machine: &MachineTree, action: &ActionTree) -> Option<usize> {
        let letter = &action.word[0];
        let fits = |channel: &&ChannelTree| {
            let end = if action.send { &channel.from } else { &channel.to };
            end.as_ref().is_none_or(|end| end.text == machine.name.text)
                && channel.of.iter().flatten().any(|message| message.text == letter.text)
        };
        let fitting: Vec<&ChannelTree> = self.tree.channels.iter().filter(fits).collect();
        match fitting[..] {
            [one] => self.by_name.get(&one.name.text).copied(),
            [] => {
                let text = format!("no channel that `{}` can use is of `{}`", machine.name.text, letter.text);
                let messages = self.tree.channels.iter().flat_map(|channel| channel.of.iter().flatten());
                let near = nearest(&letter.text, messages.map(|message| &message.text));
                self.error(text, letter, near);
                None
            }
            [one, two, ..] => {
                let text = format!(
                    "both `{}` and `{}` carry `{}`: which one is meant?",
                    one.name.text, two.name.text, letter.text
                );
                self.error(text, letter, None);
                None
            }
        }
    }

    fn letters(&mut self, channel: usize, action: &ActionTree) -> Vec<u32> {
        let mut word = Vec::new();
        for letter in &action.word {
            if let Some(declared) = self.tree.channels.get(channel)
                && let Some(of) = &declared.of
                && !self.carried(declared, of, letter)
            {
                continue;
            }
            let number = self.channels[channel].letter(&letter.text);
            if !action.send {
                self.received.push((channel, number, letter.clone()));
            }
            word.push(number);
        }
        word
    }

    /// Whether a channel carries a message; if not, that is an error.
    fn carried(&mut self, channel: &ChannelTree, of: &[Name], letter: &Name) -> bool {
        if of.iter().any(|message| message.text == letter.text) {
            return true;
        }
        let place = self.source.place(letter.span.start, letter.span.end);
        let declared = self.source.place(channel.name.span.start, channel.name.span.end);
        let text = format!("`{}` does not carry `{}`", channel.name.text, letter.text);
        let mut message = Message::error(text, place).also(declared, "declared here");
        if let Some(near) = nearest(&letter.text, of.iter().map(|message| &message.text)) {
            message = message.help(format!("did you mean `{near}`?"));
        }
        self.messages.push(message);
        false
    }

    fn twice(&mut self, what: &str, first: &Name, second: &Name) {
        let place = self.source.place(second.span.start, second.span.end);
        let earlier = self.source.place(first.span.start, first.span.end);
        let text = format!("there is already a {what} `{}`", second.text);
        let message = Message::error(text, place).code(codes::DECLARED_TWICE);
        self.messages.push(message.also(earlier, "declared here"));
    }

    fn error(&mut self, text: String, name: &Name, near: Option<String>) {
        let place = self.source.place(name.span.start, name.span.end);
        let mut message = Message::error(text, place).code(codes::UNKNOWN_NAME);
        if let Some(near) = near {
            message = message.help(format!("did you mean `{near}`?"));
        }
        self.messages.push(message);
    }
}

/// Warns of receives that nothing can ever satisfy, once for each message of a channel.
fn never_sent(
    source: &SourceText,
    network: &Network,
    received: &[(usize, u32, Name)],
    messages: &mut Vec<Message>,
) {
    let mut sent: Vec<(usize, u32)> = Vec::new();
    for transition in network.machines.iter().flat_map(|machine| &machine.transitions) {
        sent.extend(transition.sends.iter().flat_map(|(channel, word)| word.iter().map(|&m| (*channel, m))));
    }
    for (number, channel) in network.channels.iter().enumerate() {
        sent.extend(channel.contents.iter().map(|&message| (number, message)));
    }
    for (channel, message, name) in received {
        if !sent.contains(&(*channel, *message)) {
            let text = format!("nothing ever sends `{}` on `{}`", name.text, network.channels[*channel].name);
            let place = source.place(name.span.start, name.span.end);
            messages.push(Message::warning(text, place).code(codes::NEVER_SENT));
            sent.push((*channel, *message));
        }
    }
}
