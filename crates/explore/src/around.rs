//! The graph around a position: the nearest states, breadth first, with what a picture needs of each.

use crate::walker::name_of;
use crate::wire::{Graph, GraphEdge, GraphNode};
use elnath::event::{Content, Field};
use elnath::{Ending, Successors, System};
use std::collections::{BTreeMap, HashMap};

/// The most states that are drawn: more cannot be read.
pub(crate) const MOST: usize = 300;
/// Lines of a state in its tooltip.
const LINES: usize = 24;

/// The graph around a state, at most so many states. `visited` says which node of the tree has a state with this name.
pub(crate) fn graph(
    system: &dyn System,
    (centre, start, initial): (u32, &[u8], &[u8]),
    most: usize,
    visited: &HashMap<u64, u32>,
) -> Graph {
    let most = most.clamp(1, MOST);
    let mut stepper = system.stepper();
    let mut numbers: HashMap<Vec<u8>, u32> = HashMap::from([(start.to_vec(), 0)]);
    let mut found: Vec<(Vec<u8>, Vec<u32>)> = vec![(start.to_vec(), Vec::new())];
    let mut graph = Graph { centre, nodes: Vec::new(), edges: Vec::new(), more: false };
    let mut successors = Successors::default();
    let mut at = 0;
    while at < found.len() {
        let (state, path) = found[at].clone();
        stepper.successors(&state, &mut successors);
        let mut explored = true;
        for (choice, successor) in (0..).zip(successors.iter()) {
            let to = match numbers.get(successor.state) {
                Some(&to) => to,
                None if found.len() >= most => {
                    (explored, graph.more) = (false, true);
                    continue;
                }
                None => {
                    let to = found.len() as u32;
                    numbers.insert(successor.state.to_vec(), to);
                    found.push((successor.state.to_vec(), [&path[..], &[choice]].concat()));
                    to
                }
            };
            let action = stepper.action(&state, successor.transition);
            let events = system.events(&state, successor.transition);
            graph.edges.push(GraphEdge {
                from: at as u32,
                to,
                label: system.action_name(action),
                process: events.into_iter().next().map_or_else(String::new, |event| event.actor),
                fault: successor.fault.is_some(),
            });
        }
        let fields = system.fields(&state);
        let ending = Ending::at(system, &mut *stepper, &state, None);
        let name = name_of(&state);
        let mut keys = BTreeMap::new();
        // Where a process is tells more than its variables, so that it comes first.
        let is_place = |field: &&Field| matches!(field.content, Content::Location { .. });
        let (places, variables): (Vec<&Field>, Vec<&Field>) = fields.iter().partition(is_place);
        for field in places.into_iter().chain(variables).filter(|field| !field.owner.is_empty()) {
            let key: &mut String = keys.entry(field.owner.clone()).or_default();
            if !key.is_empty() {
                key.push_str(", ");
            }
            if !field.name.is_empty() {
                key.push_str(&field.name);
                key.push_str(" = ");
            }
            key.push_str(&field.content.text());
        }
        graph.nodes.push(GraphNode {
            id: at as u32,
            state: format!("{name:016x}"),
            label: label(at, &system.show_state(&state), &fields),
            lines: fields.iter().take(LINES).map(line).collect(),
            path,
            explored,
            ending: ending.name(),
            initial: state == initial,
            keys,
            tree: visited.get(&name).copied(),
        });
        at += 1;
    }
    graph
}

fn line(field: &Field) -> String {
    let value = field.content.text();
    match (field.owner.as_str(), field.name.as_str()) {
        ("", name) => format!("{name} = {value}"),
        (owner, "") => format!("{owner} {value}"),
        (owner, name) => format!("{owner} {name} = {value}"),
    }
}

/// A few letters that tell states apart: a short text as it is, otherwise where the processes are, otherwise a number.
fn label(number: usize, text: &str, fields: &[Field]) -> String {
    const SHORT: usize = 22;
    if text.chars().count() <= SHORT {
        return text.to_owned();
    }
    let places = fields.iter().filter_map(|field| match &field.content {
        Content::Location { number, label, place } => {
            let line = place.as_ref().map(|place| place.line.to_string());
            Some(label.clone().or(line).unwrap_or_else(|| number.to_string()))
        }
        _ => None,
    });
    let places: Vec<String> = places.collect();
    let joined = places.join("·");
    if places.is_empty() || joined.chars().count() > SHORT { format!("#{number}") } else { joined }
}
