//! From what is written in a `.net` file to a [`Network`].
//!
//! Where components come from is somebody else's business: they are asked for by the name that is written. All that is
//! wrong is told at once, with the place. Where the labels of both sides are known beforehand (graphs have a list of
//! them), gates that cannot be meant are told too: a misspelt gate in `|[...]|` or `hide` is not an error, it only makes
//! another network than was meant.

use crate::ast::{Expr, File, Kind, Labels, Renaming, Span, Synchronised};
use crate::network::{Alphabet, Component, Composition, Network, Together};
use crate::pattern::Pattern;
use crate::rules::Rules;
use elnath_kernel::System;
use elnath_kernel::relation::is_internal;
use elnath_source::{Message, Place, SourceText, codes, nearest};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A component that was loaded.
#[derive(Clone)]
pub struct Part {
    /// The system.
    pub system: Arc<dyn System>,
    /// All its labels, if they are known beforehand.
    pub labels: Option<Arc<HashSet<String>>>,
    /// The length of its states, if they all have the same.
    pub length: Option<usize>,
}

/// Why a component was not loaded.
pub enum NotLoaded {
    /// There is no such file; perhaps another one was meant.
    Missing(Option<String>),
    /// It is one of the networks that are being read: these, from that one on.
    Within(Vec<String>),
    /// All that is wrong with it.
    Broken(Vec<Message>),
}

/// A network that was made, and what is doubtful about it.
pub struct Built {
    /// The network.
    pub network: Network,
    /// All its labels, if they are known beforehand.
    pub labels: Option<Arc<HashSet<String>>>,
    /// What is doubtful.
    pub warnings: Vec<Message>,
}

/// A network with more components than this was not meant to be written.
const MOST_COMPONENTS: usize = 4096;
/// How deep operators may be nested, through names too: the tree is walked by recursion.
const DEEPEST: usize = 1000;
/// Labels that are looked through for one that was meant.
const LOOKED_THROUGH: usize = 10_000;

/// Makes a network of what is written, with the components that `load` finds.
///
/// # Errors
/// All that is wrong.
pub fn build(
    source: &SourceText,
    file: &File,
    load: &mut dyn FnMut(&str) -> Result<Part, NotLoaded>,
) -> Result<Built, Vec<Message>> {
    let mut builder = Builder {
        source,
        file,
        load,
        loaded: HashMap::new(),
        components: Vec::new(),
        used: HashSet::new(),
        told: HashSet::new(),
        depth: 0,
        errors: Vec::new(),
        warnings: Vec::new(),
    };
    builder.check_names();
    let root = builder.compose(&file.network, file.lets.len(), None);
    builder.look_at_unused();
    let Builder { mut components, errors, warnings, .. } = builder;
    match root {
        Some(root) if errors.is_empty() => {
            tell_apart(&mut components);
            let network = Network::new(components, root.composition);
            Ok(Built { network, labels: root.labels, warnings })
        }
        _ => Err(errors),
    }
}

struct Builder<'a> {
    source: &'a SourceText,
    file: &'a File,
    load: &'a mut dyn FnMut(&str) -> Result<Part, NotLoaded>,
    /// Files that were asked for, and those of them that are there.
    loaded: HashMap<String, Option<Part>>,
    components: Vec<Component>,
    /// The names that were used.
    used: HashSet<usize>,
    /// Where something was told already: a name that is used twice is composed twice.
    told: HashSet<(usize, usize)>,
    depth: usize,
    errors: Vec<Message>,
    warnings: Vec<Message>,
}

/// A part of the network in the making.
struct Composed {
    composition: Composition,
    labels: Option<Arc<HashSet<String>>>,
}

impl Builder<'_> {
    fn check_names(&mut self) {
        let mut first: HashMap<&str, Span> = HashMap::new();
        for definition in &self.file.lets {
            if let Some(&before) = first.get(definition.name.as_str()) {
                let text = format!("`{}` is defined twice", definition.name);
                let message = Message::error(text, self.place(definition.span));
                self.errors.push(message.also(self.place(before), "first defined here"));
            }
            first.entry(&definition.name).or_insert(definition.span);
        }
    }

    fn look_at_unused(&mut self) {
        let file = self.file;
        let unused: Vec<usize> = (0..file.lets.len()).filter(|at| !self.used.contains(at)).collect();
        for at in unused {
            let definition = &file.lets[at];
            // What is wrong inside is wrong all the same; but it is no part of the network.
            let components = self.components.len();
            self.compose(&definition.expr, at, Some(&definition.name));
            self.components.truncate(components);
            let text = format!("`{}` is not used", definition.name);
            let message = Message::warning(text, self.place(definition.span));
            self.warnings.push(message.code(codes::UNUSED_DEFINITION));
        }
    }

    /// Makes a part; it sees the first `visible` names, and is called `name`.
    fn compose(&mut self, expr: &Expr, visible: usize, name: Option<&str>) -> Option<Composed> {
        if self.depth == DEEPEST {
            self.error(expr.span, "this is nested too deep");
            return None;
        }
        self.depth += 1;
        let composed = self.compose_here(expr, visible, name);
        self.depth -= 1;
        composed
    }

    fn compose_here(&mut self, expr: &Expr, visible: usize, name: Option<&str>) -> Option<Composed> {
        match &expr.kind {
            Kind::File(file) => self.component(file, expr.span, name),
            Kind::Name(own) => {
                let file = self.file;
                let Some(at) = file.lets[..visible].iter().rposition(|other| other.name == *own) else {
                    self.unknown_name(own, expr.span, visible);
                    return None;
                };
                self.used.insert(at);
                // What is defined as something renamed has the new name in stories.
                self.compose(&file.lets[at].expr, at, name.or(Some(own)))
            }
            Kind::Parallel(operands, synchronised) => {
                let parts: Vec<Option<Composed>> =
                    operands.iter().map(|operand| self.compose(operand, visible, None)).collect();
                let parts: Vec<Composed> = parts.into_iter().collect::<Option<_>>()?;
                if let Synchronised::These(labels) = synchronised {
                    self.look_at_gates(labels, &parts);
                }
                let together = || match synchronised {
                    Synchronised::Nothing => Together::Nothing,
                    Synchronised::Everything => Together::Everything,
                    Synchronised::These(labels) => Together::These(patterns(labels)),
                };
                Some(parallel(parts, &together))
            }
            Kind::Product(factors) => {
                let parts: Vec<Option<_>> = factors
                    .iter()
                    .map(|(factor, labels)| {
                        let part = self.compose(factor, visible, None)?;
                        let alphabet = match (labels, &part.labels) {
                            (Some(labels), _) => Alphabet::Patterns(Arc::new(patterns(labels))),
                            (None, Some(labels)) => Alphabet::Labels(Arc::clone(labels)),
                            (None, None) => {
                                let text = "the labels of this part are not known before it is explored";
                                let help = "say in which it takes part: product(..., PART[GET, PUT])";
                                let message = Message::error(text, self.place(factor.span));
                                self.errors.push(message.help(help));
                                return None;
                            }
                        };
                        Some((part, vec![alphabet]))
                    })
                    .collect();
                let parts: Vec<_> = parts.into_iter().collect::<Option<_>>()?;
                Some(product(parts))
            }
            Kind::Hide(labels, inner) => {
                let inner = self.compose(inner, visible, name)?;
                self.look_at_gates(labels, std::slice::from_ref(&inner));
                let rules = patterns(labels).into_iter().fold(Rules::new(), Rules::hide);
                Some(relabelled(inner, rules))
            }
            Kind::HideAllBut(labels, inner) => {
                let inner = self.compose(inner, visible, name)?;
                self.look_at_gates(labels, std::slice::from_ref(&inner));
                let rules = patterns(labels).into_iter().fold(Rules::new(), Rules::hide_all_but);
                Some(relabelled(inner, rules))
            }
            Kind::Rename(renamings, inner) => {
                let inner = self.compose(inner, visible, name)?;
                let labels: Labels =
                    renamings.iter().map(|renaming| (renaming.from.clone(), renaming.span)).collect();
                self.look_at_gates(&labels, std::slice::from_ref(&inner));
                let add = |rules: Rules, renaming: &Renaming| {
                    rules.rename(renaming.from.pattern(), &renaming.to).expect("the parser has looked at it")
                };
                Some(relabelled(inner, renamings.iter().fold(Rules::new(), add)))
            }
        }
    }

    fn component(&mut self, file: &str, span: Span, name: Option<&str>) -> Option<Composed> {
        if self.components.len() == MOST_COMPONENTS {
            self.error(span, &format!("this network has more than {MOST_COMPONENTS} components"));
            return None;
        }
        if !self.loaded.contains_key(file) {
            let part = match (self.load)(file) {
                Ok(part) => Some(part),
                Err(why) => {
                    self.not_loaded(file, span, why);
                    None
                }
            };
            self.loaded.insert(file.to_owned(), part);
        }
        let Part { system, labels, length } = self.loaded[file].clone()?;
        let name = name.map_or_else(|| stem(file).to_owned(), str::to_owned);
        self.components.push(Component { name, system, length });
        let composition = Composition::Component(self.components.len() - 1);
        let labels = labels.map(|labels| {
            if labels.iter().any(|label| is_internal(label)) {
                Arc::new(labels.iter().filter(|label| !is_internal(label)).cloned().collect())
            } else {
                labels
            }
        });
        Some(Composed { composition, labels })
    }

    fn not_loaded(&mut self, file: &str, span: Span, why: NotLoaded) {
        let place = self.place(span);
        match why {
            NotLoaded::Missing(near) => {
                let message =
                    Message::error(format!("there is no file {file}"), place).code(codes::UNREADABLE);
                self.errors.push(match near {
                    Some(near) => message.help(format!("did you mean \"{near}\"?")),
                    None => message.help("names of files are relative to this one"),
                });
            }
            NotLoaded::Within(names) => {
                let text = format!("this network contains itself: {}", names.join(" -> "));
                self.errors.push(Message::error(text, place));
            }
            NotLoaded::Broken(messages) => {
                self.errors.push(Message::error(format!("{file} cannot be used"), place));
                self.errors.extend(messages);
            }
        }
    }

    fn unknown_name(&mut self, name: &str, span: Span, visible: usize) {
        if !self.told.insert((span.start, span.end)) {
            return;
        }
        let message = Message::error(format!("nothing is called `{name}`"), self.place(span));
        let message = message.code(codes::UNKNOWN_NAME);
        let later = self.file.lets[visible..].iter().find(|other| other.name == name);
        let near = nearest(name, self.file.lets[..visible].iter().map(|other| &other.name));
        self.errors.push(match (later, near) {
            (Some(later), _) => message.also(self.place(later.span), "a name is known from here on"),
            (None, Some(near)) => message.help(format!("did you mean `{near}`?")),
            (None, None) => message.help(format!("define it with `let {name} = ...`, or quote a file name")),
        });
    }

    /// Tells of gates that are not there, if all labels are known.
    fn look_at_gates(&mut self, labels: &Labels, parts: &[Composed]) {
        let known: Option<Vec<&HashSet<String>>> = parts.iter().map(|part| part.labels.as_deref()).collect();
        let Some(known) = known else { return };
        for (meant, span) in labels {
            let pattern = meant.pattern();
            let has = |labels: &&&HashSet<String>| labels.iter().any(|label| pattern.matches(label));
            let having = known.iter().filter(has).count();
            if having == known.len() || !self.told.insert((span.start, span.end)) {
                continue;
            }
            let place = self.place(*span);
            if having > 0 {
                let text =
                    format!("not all sides have a label that `{}` means: it never happens", pattern.text());
                self.warnings.push(Message::warning(text, place).code(codes::ONE_SIDED));
                continue;
            }
            let text = format!("no label here is meant by `{}`", pattern.text());
            let message = Message::warning(text, place).code(codes::UNMATCHED_PATTERN);
            let all = known.iter().flat_map(|labels| labels.iter()).take(LOOKED_THROUGH);
            let gates = all
                .flat_map(|label| [label.as_str(), label.split([' ', '!', '?', '(']).next().unwrap_or("")]);
            self.warnings.push(match nearest(pattern.text().trim_matches('"'), gates) {
                Some(near) => message.help(format!("did you mean `{near}`?")),
                None => message,
            });
        }
    }

    fn error(&mut self, span: Span, text: &str) {
        if self.told.insert((span.start, span.end)) {
            let place = self.place(span);
            self.errors.push(Message::error(text, place));
        }
    }

    fn place(&self, span: Span) -> Place {
        self.source.place(span.start, span.end)
    }
}

fn patterns(labels: &Labels) -> Vec<Pattern> {
    labels.iter().map(|(meant, _)| meant.pattern()).collect()
}

/// Several parts with the same operator between them. It is associative, so that the tree can be as flat as possible.
fn parallel(mut parts: Vec<Composed>, together: &dyn Fn() -> Together) -> Composed {
    if parts.len() == 1 {
        return parts.pop().expect("there is one");
    }
    let right = parallel(parts.split_off(parts.len() / 2), together);
    let left = parallel(parts, together);
    join(left, right, together())
}

/// Several parts with alphabets: those of a few together are those of each.
fn product(parts: Vec<(Composed, Vec<Alphabet>)>) -> Composed {
    fn halves(mut parts: Vec<(Composed, Vec<Alphabet>)>) -> (Composed, Vec<Alphabet>) {
        if parts.len() == 1 {
            return parts.pop().expect("there is one");
        }
        let (right, on_right) = halves(parts.split_off(parts.len() / 2));
        let (left, on_left) = halves(parts);
        let joined = join(left, right, Together::Common(on_left.clone(), on_right.clone()));
        (joined, [on_left, on_right].concat())
    }
    halves(parts).0
}

fn join(left: Composed, right: Composed, together: Together) -> Composed {
    let labels = match (left.labels, right.labels) {
        (Some(left), Some(right)) if Arc::ptr_eq(&left, &right) => Some(left),
        (Some(left), Some(right)) => Some(Arc::new(left.union(&right).cloned().collect())),
        _ => None,
    };
    let (left, right) = (Box::new(left.composition), Box::new(right.composition));
    Composed { composition: Composition::Parallel(left, right, Arc::new(together)), labels }
}

fn relabelled(inner: Composed, rules: Rules) -> Composed {
    let labels = inner.labels.map(|labels| {
        let new = labels.iter().map(|label| rules.apply(label).into_owned());
        Arc::new(new.filter(|label| !is_internal(label)).collect())
    });
    Composed { composition: Composition::Relabelled(Box::new(inner.composition), Arc::new(rules)), labels }
}

/// A file's name without folders and ending.
fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(name)
}

/// Numbers components with the same name.
fn tell_apart(components: &mut [Component]) {
    let mut counts: HashMap<String, (usize, usize)> = HashMap::new();
    for component in components.iter() {
        counts.entry(component.name.clone()).or_default().0 += 1;
    }
    for component in components {
        let (all, seen) = counts.get_mut(&component.name).expect("it was counted");
        *seen += 1;
        if *all > 1 {
            component.name = format!("{}:{seen}", component.name);
        }
    }
}
