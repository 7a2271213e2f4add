//! Nets in PNML (ISO/IEC 15909-2), the type of place/transition nets: weighted arcs, initial markings, pages, reference nodes; and
//! of what tools add, the units of nested-unit nets (Garavel 2019), which tell how markings can be written in fewer bits.
//!
//! What a net of another type means is not guessed: coloured nets, inhibitor arcs and the like are refused by name. Positions, colours
//! and other graphics are skipped.

use crate::net::{PetriNet, PlaceId, TransitionId};
use crate::xml::Document;
use elnath_source::{Code, Message, Severity, SourceText, codes, nearest};
use std::collections::{HashMap, HashSet};

/// The endings of the types that are read.
const TYPES: &[&str] = &["/ptnet", "ptNet", "/ptnet.pntd", "P/T net"];

/// Reads a net; what is doubtful about it comes with it.
///
/// # Errors
/// All that is wrong with it.
pub fn read(source: &SourceText) -> Result<(PetriNet, Vec<Message>), Vec<Message>> {
    let document = Document::read(source)?;
    let mut reader = Reader {
        document: &document,
        net: PetriNet::of_file(source.name()),
        nodes: HashMap::new(),
        references: HashMap::new(),
        arcs: Vec::new(),
        tools: Vec::new(),
        messages: Vec::new(),
    };
    reader.file();
    let Reader { net, messages, .. } = reader;
    if messages.iter().any(|message| message.severity == Severity::Error) {
        return Err(messages);
    }
    Ok((net, messages))
}

/// What an id stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Place(PlaceId),
    Transition(TransitionId),
}

struct Reader<'d> {
    document: &'d Document<'d>,
    net: PetriNet,
    /// Places and transitions by id, with the element that declares each.
    nodes: HashMap<&'d str, (Kind, usize)>,
    /// Reference nodes by id: the element, and whether it stands for a place.
    references: HashMap<&'d str, (usize, bool)>,
    arcs: Vec<usize>,
    /// What tools have added.
    tools: Vec<usize>,
    messages: Vec<Message>,
}

impl<'d> Reader<'d> {
    fn error(&mut self, about: usize, text: impl Into<String>) {
        self.messages.push(self.document.error(about, text).code(codes::BROKEN_NET));
    }

    fn unsupported(&mut self, about: usize, text: String, help: &str) {
        let message = self.document.error(about, text).code(codes::UNSUPPORTED_NET);
        self.messages.push(message.help(help));
    }

    fn warning(&mut self, about: usize, code: Code, text: String) {
        self.messages.push(self.document.error(about, text).code(code));
    }

    fn file(&mut self) {
        let document = self.document;
        let root = &document.elements[0];
        if root.name != "pnml" {
            let text = format!("this is <{}>, and a net begins with <pnml>", root.name);
            return self.error(0, text);
        }
        let nets: Vec<usize> = document.named(0, "net").collect();
        let Some(&net) = nets.first() else { return self.error(0, "the file has no net") };
        if let Some(&second) = nets.get(1) {
            let text = format!("only the first of {} nets is read", nets.len());
            self.warning(second, codes::NET_PART_IGNORED, text);
        }
        let accepted = match document.attribute(net, "type") {
            None => {
                let text = "the type of the net is missing: it is read as a place/transition net".to_owned();
                self.warning(net, codes::NET_PART_IGNORED, text);
                true
            }
            Some(kind) => {
                let read = TYPES.iter().any(|ending| kind.ends_with(ending));
                if !read {
                    let text = format!("a net of the type {kind} ({}) is not read", meaning(kind));
                    let help = "place/transition nets are read: http://www.pnml.org/version-2009/grammar/ptnet; \
                                a coloured net must be unfolded first";
                    self.unsupported(net, text, help);
                }
                read
            }
        };
        // What follows would be misunderstood.
        if !accepted {
            return;
        }
        let name = document.label(net, "name").map(|(name, _)| name).or(document.attribute(net, "id"));
        self.net.name = name.unwrap_or_default().to_owned();
        // Pages within pages.
        let mut pages = vec![net];
        while let Some(page) = pages.pop() {
            for child in document.children(page) {
                match document.elements[child].name.as_str() {
                    "page" => pages.push(child),
                    "place" | "transition" => self.node(child),
                    "referencePlace" | "referenceTransition" => self.reference(child),
                    "arc" => self.arcs.push(child),
                    "toolspecific" => self.tools.push(child),
                    "name" | "graphics" => {}
                    "declaration" => {
                        let help = "declarations of sorts and variables belong to coloured nets";
                        self.unsupported(
                            child,
                            "a place/transition net has no declarations".to_owned(),
                            help,
                        );
                    }
                    other => {
                        let text = format!("<{other}> is not part of a place/transition net");
                        self.unsupported(
                            child,
                            text,
                            "places, transitions, arcs, pages and reference nodes are read",
                        );
                    }
                }
            }
        }
        let arcs = std::mem::take(&mut self.arcs);
        arcs.into_iter().for_each(|arc| self.arc(arc));
        if self.net.transitions.is_empty() && self.net.places.is_empty() {
            self.error(net, "the net has no places and no transitions");
        }
        for tool in std::mem::take(&mut self.tools) {
            if document.attribute(tool, "tool") == Some("nupn") {
                self.units(tool);
            }
        }
    }

    /// The id of an element, which is said to be there.
    fn id(&mut self, of: usize) -> Option<&'d str> {
        let document = self.document;
        let id = document.attribute(of, "id");
        if id.is_none() {
            let name = &document.elements[of].name;
            self.error(of, format!("<{name}> has no id"));
        }
        id
    }

    fn node(&mut self, element: usize) {
        let document = self.document;
        let Some(id) = self.id(element) else { return };
        let name = document.label(element, "name").map_or(id, |(name, _)| name);
        let name = if name.is_empty() { id } else { name };
        let line = document.line(element);
        self.declared_once(id, element);
        for foreign in ["hlinitialMarking", "type", "condition", "structure"] {
            if let Some(child) = document.named(element, foreign).next() {
                let help = "a coloured net must be unfolded into a place/transition net first";
                self.unsupported(child, format!("<{foreign}> belongs to coloured nets"), help);
            }
        }
        let kind = if document.elements[element].name == "place" {
            let tokens = document.label(element, "initialMarking").map_or(Ok(0), |(text, at)| {
                // Some tools write how many of the default colour there are.
                let text = text.strip_prefix("Default,").unwrap_or(text);
                if text.is_empty() { Ok(0) } else { text.parse::<u32>().map_err(|_| (text, at)) }
            });
            let tokens = tokens.unwrap_or_else(|(text, at)| {
                self.error(
                    at,
                    format!("`{text}` is no initial marking: a whole number from 0 to 4294967295 is"),
                );
                0
            });
            Kind::Place(self.net.add_place(id, name, line, tokens))
        } else {
            Kind::Transition(self.net.add_transition(id, name, line))
        };
        self.nodes.insert(id, (kind, element));
    }

    fn declared_once(&mut self, id: &str, element: usize) {
        let node = self.nodes.get(id).map(|(_, first)| *first);
        let Some(first) = node.or_else(|| self.references.get(id).map(|(first, _)| *first)) else { return };
        let at = &self.document.elements[first].at;
        let first = self.document.source.place(at.start, at.end);
        let message = self.document.error(element, format!("the id `{id}` is used twice"));
        self.messages.push(message.code(codes::BROKEN_NET).also(first, "first declared here"));
    }

    fn reference(&mut self, element: usize) {
        let Some(id) = self.id(element) else { return };
        self.declared_once(id, element);
        let is_place = self.document.elements[element].name == "referencePlace";
        self.references.insert(id, (element, is_place));
    }

    /// What an id at an arc or a reference node stands for, through reference nodes.
    fn resolve(&mut self, id: &'d str, used_by: usize) -> Option<Kind> {
        let (mut id, mut at) = (id, used_by);
        let mut met = HashSet::new();
        let mut as_place = None;
        loop {
            if let Some(&(kind, _)) = self.nodes.get(id) {
                let is_place = matches!(kind, Kind::Place(_));
                if as_place.is_some_and(|wanted| wanted != is_place) {
                    let what = if is_place { "a place" } else { "a transition" };
                    self.error(at, format!("`{id}` is {what}, and the reference node stands for the other"));
                    return None;
                }
                return Some(kind);
            }
            let Some(&(element, is_place)) = self.references.get(id) else {
                let near = nearest(id, self.nodes.keys().copied());
                let message = self.document.error(at, format!("there is no place or transition `{id}`"));
                let message = message.code(codes::BROKEN_NET);
                self.messages.push(match near {
                    Some(near) => message.help(format!("did you mean `{near}`?")),
                    None => message,
                });
                return None;
            };
            if !met.insert(element) {
                self.error(element, format!("the reference node `{id}` refers to itself"));
                return None;
            }
            (as_place, at) = (Some(is_place), element);
            let Some(next) = self.document.attribute(element, "ref") else {
                self.error(element, "a reference node has no ref");
                return None;
            };
            id = next;
        }
    }

    fn arc(&mut self, element: usize) {
        let document = self.document;
        // Arc types are written in several ways, all of which say by name what they are.
        for typed in ["type", "arctype", "arcType"] {
            let Some(child) = document.named(element, typed).next() else { continue };
            let value =
                document.attribute(child, "value").or_else(|| document.label(element, typed).map(|l| l.0));
            let value = value.unwrap_or(document.elements[child].text.trim());
            if !matches!(value, "normal" | "") {
                let help = "inhibitor, reset, read and test arcs are not part of place/transition nets";
                return self.unsupported(child, format!("an arc of the type `{value}` is not read"), help);
            }
        }
        if let Some(child) = document.named(element, "hlinscription").next() {
            let help = "a coloured net must be unfolded into a place/transition net first";
            return self.unsupported(child, "<hlinscription> belongs to coloured nets".to_owned(), help);
        }
        let end = |reader: &mut Self, name: &str| {
            let id = document.attribute(element, name);
            if id.is_none() {
                reader.error(element, format!("the arc has no {name}"));
            }
            id.and_then(|id| reader.resolve(id, element))
        };
        let (source, target) = (end(self, "source"), end(self, "target"));
        let weight = match document.label(element, "inscription") {
            None | Some(("", _)) => 1,
            Some((text, at)) => match text.strip_prefix("Default,").unwrap_or(text).parse::<u32>() {
                Ok(weight) => weight,
                Err(_) => {
                    return self
                        .error(at, format!("`{text}` is no weight: a whole number from 0 to 4294967295 is"));
                }
            },
        };
        let (Some(source), Some(target)) = (source, target) else { return };
        let added = match (source, target) {
            // An arc of weight 0 says nothing.
            _ if weight == 0 => Ok(()),
            (Kind::Place(place), Kind::Transition(t)) => self.net.add_arc(place, t, true, weight),
            (Kind::Transition(t), Kind::Place(place)) => self.net.add_arc(place, t, false, weight),
            (Kind::Place(_), Kind::Place(_)) => Err("the arc leads from a place to a place".to_owned()),
            (Kind::Transition(_), Kind::Transition(_)) => {
                Err("the arc leads from a transition to a transition".to_owned())
            }
        };
        if let Err(text) = added {
            self.error(element, text);
        }
    }

    /// The units of a nested-unit net that is declared unit-safe. They only save memory: markings that do not fit are still right (see
    /// `layout`), and units that make no sense are left out with a warning.
    fn units(&mut self, tool: usize) {
        let document = self.document;
        let Some(structure) = document.named(tool, "structure").next() else { return };
        if document.attribute(structure, "safe") != Some("true") {
            return;
        }
        let mut units = Vec::new();
        let mut met = HashSet::new();
        for unit in document.named(structure, "unit") {
            let words = document
                .named(unit, "places")
                .flat_map(|places| document.elements[places].text.split_whitespace());
            let mut own = Vec::new();
            for word in words {
                match self.nodes.get(word) {
                    Some(&(Kind::Place(place), _)) if met.insert(place) => own.push(place),
                    Some((Kind::Place(_), _)) => {
                        let text = format!("the units are ignored: the place `{word}` is in two of them");
                        return self.warning(unit, codes::UNITS_IGNORED, text);
                    }
                    _ => {
                        let text = format!("the units are ignored: there is no place `{word}`");
                        return self.warning(unit, codes::UNITS_IGNORED, text);
                    }
                }
            }
            if !own.is_empty() {
                units.push(own);
            }
        }
        self.net.units = units;
    }
}

/// What a net of another type is.
fn meaning(kind: &str) -> &'static str {
    const KNOWN: &[(&str, &str)] = &[
        ("symmetricnet", "a symmetric, that is a coloured net"),
        ("pt-hlpng", "a place/transition net in high-level notation"),
        ("highlevelnet", "a high-level, that is a coloured net"),
        ("hlcorestructure", "a high-level, that is a coloured net"),
        ("pnmlcoremodel", "the core model, which has no markings and no weights"),
        ("stochastic", "a stochastic net"),
        ("time", "a net with time"),
    ];
    let kind = kind.to_ascii_lowercase();
    KNOWN.iter().find(|(part, _)| kind.contains(part)).map_or("which is unknown here", |(_, meaning)| meaning)
}
