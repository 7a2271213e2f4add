//! The tree of modules: initialisations are carried out, from the root on, and what is left are leaves and queues.
//!
//! "The restriction to static Estelle implies that the hierarchical structure is a tree of module instances in which only leaves are
//! active and thereby can be reduced to this set of active modules" (unbounded-fifo-channels-1990, 4.3.1). Interaction points are followed
//! through `attach` up, over `connect`, and through `attach` down again, to the queue where a message arrives.

use crate::ast::{Class, Queue, Span};
use crate::check::queue_of;
use crate::evaluate::{Builder, End, Evaluator, Failed, Value};
use crate::tree::{BodyDef, Checked, Ordinal};
use elnath_source::{Code, Message, SourceText, codes};
use std::collections::HashMap;

/// Modules within each other.
const MOST_DEPTH: usize = 60;
/// Modules in all.
const MOST_INSTANCES: usize = 2000;
/// Values of all variables of all modules.
const MOST_SCALARS: u64 = 1 << 20;

/// A module that exists.
#[derive(Debug)]
pub(crate) struct Instance {
    pub name: String,
    pub body: usize,
    pub class: Option<Class>,
    /// Of all variables of the body.
    pub values: Vec<Value>,
    pub state: usize,
    pub children: Vec<usize>,
    pub parent: Option<usize>,
}

/// An interaction point of an instance: the instance, its point, and which element.
pub(crate) type At = (usize, usize, usize);

/// The modules of a specification.
pub(crate) struct Instances {
    pub all: Vec<Instance>,
    /// The systems, in the order in which they were made.
    pub systems: Vec<usize>,
    /// Where a message goes that is sent at an interaction point.
    peers: HashMap<At, At>,
    queues: Vec<QueueOf>,
    by_point: HashMap<At, usize>,
}

/// A queue.
#[derive(Clone, Debug)]
pub(crate) struct QueueOf {
    pub instance: usize,
    pub name: String,
    pub common: bool,
    /// The interaction points that it belongs to.
    pub points: Vec<At>,
}

impl Instances {
    /// Where a message goes that is sent at an interaction point; nothing: it is lost.
    pub(crate) fn peer(&self, at: At) -> Option<At> {
        self.peers.get(&at).copied()
    }

    pub(crate) fn queues(&self) -> &[QueueOf] {
        &self.queues
    }

    /// The queue of an interaction point.
    pub(crate) fn queue(&self, at: At) -> Option<usize> {
        self.by_point.get(&at).copied()
    }
}

/// Which element of an array these indices name.
pub(crate) fn element(dims: &[Ordinal], indices: &[i32]) -> Option<usize> {
    let mut at = 0;
    for (dim, index) in dims.iter().zip(indices) {
        if !dim.values().contains(index) {
            return None;
        }
        at = at * dim.count() as usize + (index - dim.low) as usize;
    }
    Some(at)
}

/// How many elements an array of interaction points or modules has.
pub(crate) fn elements(dims: &[Ordinal]) -> usize {
    dims.iter().map(|dim| dim.count() as usize).product()
}

/// A name with the indices of an element, for people.
pub(crate) fn element_name(name: &str, dims: &[Ordinal], mut element: usize) -> String {
    if dims.is_empty() {
        return name.to_owned();
    }
    let mut shown = Vec::new();
    for dim in dims.iter().rev() {
        let count = dim.count() as usize;
        shown.push(dim.show(dim.low + (element % count) as i32));
        element /= count;
    }
    shown.reverse();
    format!("{name}[{}]", shown.join(","))
}

/// Carries out the initialisations.
pub(crate) fn instances(source: &SourceText, checked: &Checked) -> Result<Instances, Vec<Message>> {
    let mut tree = Tree {
        source,
        checked,
        all: Vec::new(),
        modules: HashMap::new(),
        connected: HashMap::new(),
        down: HashMap::new(),
        up: HashMap::new(),
        scalars: 0,
        code: codes::WRONG_USE,
    };
    let root = Made {
        body: checked.root,
        class: checked.class,
        parent: None,
        name: String::new(),
        arguments: Vec::new(),
    };
    let made = tree.make(root, &checked.bodies[checked.root].span);
    made.map_err(|failed| vec![tree.message(&failed)])?;
    tree.classes()?;
    Ok(tree.finish())
}

/// A module that is about to be made.
struct Made {
    body: usize,
    class: Option<Class>,
    parent: Option<usize>,
    name: String,
    arguments: Vec<Value>,
}

struct Tree<'a> {
    source: &'a SourceText,
    checked: &'a Checked,
    all: Vec<Instance>,
    /// By instance, module variable and element.
    modules: HashMap<At, usize>,
    connected: HashMap<At, At>,
    down: HashMap<At, At>,
    up: HashMap<At, At>,
    /// Values of the variables of the modules so far.
    scalars: u64,
    /// The kind of what goes wrong next.
    code: Code,
}

impl<'a> Tree<'a> {
    fn message(&self, failed: &Failed) -> Message {
        let place = self.source.place(failed.span.start, failed.span.end);
        Message::finding(self.code, failed.text.clone(), Some(place))
    }

    fn body(&self, instance: usize) -> &'a BodyDef {
        &self.checked.bodies[self.all[instance].body]
    }

    fn depth(&self, mut instance: usize) -> usize {
        let mut depth = 0;
        while let Some(parent) = self.all[instance].parent {
            instance = parent;
            depth += 1;
        }
        depth
    }

    fn make(&mut self, made: Made, span: &Span) -> Result<usize, Failed> {
        let checked = self.checked;
        let body = &checked.bodies[made.body];
        let number = self.all.len();
        if number >= MOST_INSTANCES || made.parent.is_some_and(|parent| self.depth(parent) >= MOST_DEPTH) {
            self.code = codes::BEYOND_LIMIT;
            let text =
                format!("there are more than {MOST_INSTANCES} modules, or {MOST_DEPTH} within each other");
            return Err(Failed { text, span: span.clone() });
        }
        self.scalars += body.vars.iter().map(|var| var.ty.scalars()).sum::<u64>();
        if self.scalars > MOST_SCALARS {
            self.code = codes::BEYOND_LIMIT;
            let text = format!("the variables of all modules hold more than {MOST_SCALARS} values");
            return Err(Failed { text, span: span.clone() });
        }
        let mut evaluator = Evaluator::new(body);
        for (at, argument) in made.arguments.into_iter().enumerate() {
            evaluator.values[at] = argument;
        }
        self.all.push(Instance {
            name: made.name,
            body: made.body,
            class: made.class,
            values: Vec::new(),
            state: 0,
            children: Vec::new(),
            parent: made.parent,
        });
        if let Some(parent) = made.parent {
            self.all[parent].children.push(number);
        }
        let mut chosen = Vec::new();
        for alternative in &body.initialize {
            let possible = alternative.provided.as_ref().map_or(Ok(1), |guard| evaluator.value(guard))?;
            if possible != 0 {
                chosen.push(alternative);
            }
        }
        match chosen[..] {
            [] if !body.initialize.is_empty() => {
                let text = "no alternative of this initialisation is possible";
                return Err(Failed { text: text.to_owned(), span: body.initialize[0].span.clone() });
            }
            [] => {}
            [only] => {
                self.all[number].state = only.to.unwrap_or(0);
                evaluator.run(&only.body, &mut Here { tree: self, instance: number })?;
            }
            [_, second, ..] => {
                self.code = codes::BEYOND_LIMIT;
                let text =
                    "several alternatives of an initialisation are possible, which is outside static Estelle";
                return Err(Failed { text: text.to_owned(), span: second.span.clone() });
            }
        }
        self.all[number].values = evaluator.values;
        Ok(number)
    }

    fn at(&self, instance: usize, end: &End, span: &Span) -> Result<At, Failed> {
        let wrong = |text: String| Failed { text, span: span.clone() };
        let (instance, dims) = match &end.module {
            None => (instance, &self.body(instance).points[end.point].dims),
            Some((modvar, indices)) => {
                let def = &self.body(instance).modvars[*modvar];
                let at = element(&def.dims, indices)
                    .ok_or_else(|| wrong("an index is out of range".to_owned()))?;
                let child = self.modules.get(&(instance, *modvar, at)).copied();
                let child = child.ok_or_else(|| {
                    wrong(format!("`{}` has no module yet", element_name(&def.name, &def.dims, at)))
                })?;
                (child, &self.checked.modules[def.module].points[end.point].dims)
            }
        };
        let at = element(dims, &end.indices).ok_or_else(|| wrong("an index is out of range".to_owned()))?;
        Ok((instance, end.point, at))
    }

    /// Which classes may be within which: systems not within systems, everything else within one, and activities hold activities.
    fn classes(&self) -> Result<(), Vec<Message>> {
        let mut messages = Vec::new();
        let mut wrong = |body: &BodyDef, text: String, help: &str| {
            let place = self.source.place(body.span.start, body.span.end);
            let message = Message::finding(codes::WRONG_USE, text, Some(place)).help(help);
            if !messages.contains(&message) {
                messages.push(message);
            }
        };
        for (number, instance) in self.all.iter().enumerate() {
            let body = self.body(number);
            let (mut above, mut at) = (None, instance.parent);
            while let (None, Some(parent)) = (above, at) {
                above = self.all[parent].class;
                at = self.all[parent].parent;
            }
            match (above, instance.class) {
                (Some(_), Some(class)) if class.is_system() => {
                    let text = format!("a `{}` within another system", class.name());
                    wrong(body, text, "declare the module as `process` or `activity`");
                }
                (None, Some(class)) if !class.is_system() => {
                    let text = format!("a `{}` outside a system", class.name());
                    wrong(body, text, "declare the module as `systemprocess` or `systemactivity`");
                }
                (Some(above), Some(Class::Process)) if above.alternates() => {
                    let text = format!("a `process` within a `{}`", above.name());
                    wrong(body, text, "activities hold activities only");
                }
                (Some(_), None) => {
                    let text = "a module within a system has no class".to_owned();
                    wrong(body, text, "declare the module as `process` or `activity`");
                }
                (None, None) if !body.transitions.is_empty() => {
                    let text = "a module with transitions has no class".to_owned();
                    wrong(body, text, "declare it as `systemprocess` or `systemactivity`");
                }
                _ => {}
            }
        }
        if messages.is_empty() { Ok(()) } else { Err(messages) }
    }

    fn finish(self) -> Instances {
        let mut queues: Vec<QueueOf> = Vec::new();
        let (mut peers, mut by_point) = (HashMap::new(), HashMap::new());
        for number in 0..self.all.len() {
            for (point, def) in self.body(number).points.iter().enumerate() {
                for element in 0..elements(&def.dims) {
                    let at = (number, point, element);
                    if let Some(to) = self.arrival(at) {
                        peers.insert(at, to);
                    }
                }
            }
        }
        // A queue exists where messages can arrive, and where they are waited for.
        let mut reached: Vec<At> = peers.values().copied().collect();
        for (number, instance) in self.all.iter().enumerate() {
            let body = &self.checked.bodies[instance.body];
            if !body.transitions.is_empty() {
                for (point, def) in body.points.iter().enumerate() {
                    reached.extend((0..elements(&def.dims)).map(|element| (number, point, element)));
                }
            }
        }
        reached.sort_unstable();
        reached.dedup();
        for at in reached {
            let (instance, point, element) = at;
            let def = &self.body(instance).points[point];
            let common = queue_of(def, self.checked.default) == Queue::Common;
            let known = queues.iter().position(|queue| queue.common && common && queue.instance == instance);
            let prefix = &self.all[instance].name;
            let name = if common { "queue".to_owned() } else { element_name(&def.name, &def.dims, element) };
            let name = if prefix.is_empty() { name } else { format!("{prefix}.{name}") };
            let number = known.unwrap_or_else(|| {
                queues.push(QueueOf { instance, name, common, points: Vec::new() });
                queues.len() - 1
            });
            queues[number].points.push(at);
            by_point.insert(at, number);
        }
        let systems =
            (0..self.all.len()).filter(|&number| self.all[number].class.is_some_and(Class::is_system));
        let systems = systems.collect();
        Instances { all: self.all, systems, peers, queues, by_point }
    }

    /// Where a message goes that is sent at an interaction point.
    fn arrival(&self, mut at: At) -> Option<At> {
        while let Some(&above) = self.up.get(&at) {
            at = above;
        }
        let mut to = *self.connected.get(&at)?;
        while let Some(&below) = self.down.get(&to) {
            to = below;
        }
        Some(to)
    }
}

/// The initialisation of one module.
struct Here<'t, 'a> {
    tree: &'t mut Tree<'a>,
    instance: usize,
}

impl Builder for Here<'_, '_> {
    fn init(
        &mut self,
        modvar: usize,
        indices: &[i32],
        body: usize,
        arguments: Vec<Value>,
        span: &Span,
    ) -> Result<(), Failed> {
        let tree = &mut *self.tree;
        let def = &tree.body(self.instance).modvars[modvar];
        let Some(at) = element(&def.dims, indices) else {
            return Err(Failed { text: "an index is out of range".to_owned(), span: span.clone() });
        };
        let own = element_name(&def.name, &def.dims, at);
        if tree.modules.contains_key(&(self.instance, modvar, at)) {
            return Err(Failed { text: format!("`{own}` has a module already"), span: span.clone() });
        }
        let prefix = &tree.all[self.instance].name;
        let name = if prefix.is_empty() { own } else { format!("{prefix}.{own}") };
        let class = tree.checked.modules[def.module].class;
        let made = tree.make(Made { body, class, parent: Some(self.instance), name, arguments }, span)?;
        tree.modules.insert((self.instance, modvar, at), made);
        Ok(())
    }

    fn bind(&mut self, connect: bool, ends: [End; 2], span: &Span) -> Result<(), Failed> {
        let tree = &mut *self.tree;
        let first = tree.at(self.instance, &ends[0], span)?;
        let second = tree.at(self.instance, &ends[1], span)?;
        let twice = |text: &str| Failed { text: text.to_owned(), span: span.clone() };
        if first == second {
            return Err(twice("an interaction point cannot be connected to itself"));
        }
        if connect {
            if tree.connected.contains_key(&first) || tree.connected.contains_key(&second) {
                return Err(twice("one of the interaction points is connected already"));
            }
            tree.connected.insert(first, second);
            tree.connected.insert(second, first);
        } else {
            if tree.down.contains_key(&first) || tree.up.contains_key(&second) {
                return Err(twice("one of the interaction points is attached already"));
            }
            tree.down.insert(first, second);
            tree.up.insert(second, first);
        }
        Ok(())
    }
}
