//! Properties of nets as the Model Checking Contest writes them: a file in XML with a formula for each identifier.
//!
//! | in the file | is |
//! |---|---|
//! | `exists-path`, `all-paths` | the path quantifiers E and A |
//! | `next`, `finally`, `globally`, `until` (with `before` and `reach`) | X, F, G, U |
//! | `negation`, `conjunction`, `disjunction`, `implication` | the connectives |
//! | `integer-le` (also `-lt`, `-ge`, `-gt`, `-eq`, `-ne`) | a comparison of sums |
//! | `tokens-count`, `integer-constant`, `integer-sum`, `integer-difference` | the tokens on some places together, a number, sums |
//! | `is-fireable` | one of these transitions is enabled |
//! | `deadlock`, `true`, `false` | no transition is enabled; constants |
//! | `place-bound` | not a formula: how many tokens can these places hold together? |
//!
//! A part of a formula that speaks of one marking only is one [`Predicate`], however large it is, since that is what has to be evaluated in
//! each state. Nothing here recurses: parents stand before their children, so that what is built from below goes through the elements
//! backwards.

use crate::net::PetriNet;
use crate::predicate::{AgainstZero, MarkingTest, Predicate, PredicateNode, TokenSum};
use crate::xml::Document;
use elnath_source::{Message, SourceText, codes, nearest};
use std::collections::HashMap;

/// A property of a file.
#[derive(Clone, Debug)]
pub struct ContestProperty {
    /// Its identifier.
    pub id: String,
    /// The line on which it begins, from 1.
    pub line: u32,
    /// What is asked.
    pub asks: ContestQuestion,
}

/// What a property asks.
#[derive(Clone, Debug)]
pub enum ContestQuestion {
    /// Whether a formula holds at the initial marking. Parents stand before their children, and the root is first.
    Formula(Vec<ContestNode>),
    /// The largest value of a sum of tokens.
    Bound(TokenSum),
}

/// A node of a formula.
#[derive(Clone, Debug)]
pub enum ContestNode {
    /// Something about one marking.
    State(Predicate),
    /// Negation.
    Not(usize),
    /// Conjunction.
    And(Vec<usize>),
    /// Disjunction.
    Or(Vec<usize>),
    /// After the next step.
    Next(usize),
    /// At some time.
    Finally(usize),
    /// At all times.
    Globally(usize),
    /// The second at some time, and the first until then.
    Until(usize, usize),
    /// On all runs from here.
    All(usize),
    /// On some run from here.
    Some(usize),
}

/// How a formula can be decided.
#[derive(Clone, Debug)]
pub enum ContestShape {
    /// By looking at the initial marking.
    Initial(Predicate),
    /// Whether a marking that satisfies this can be reached.
    Possibly(Predicate),
    /// Whether all markings that can be reached satisfy this.
    Invariantly(Predicate),
    /// It is `A` and a formula of LTL, whose root is this node.
    Linear(usize),
    /// It is one of CTL.
    Branching,
    /// It mixes path quantifiers and temporal operators as neither LTL nor CTL does.
    Mixed,
}

/// How a formula can be decided. `A X p` and the like are of both LTL and CTL, which disagree about what comes after a marking without
/// successors: there `linear` decides.
pub fn shape(nodes: &[ContestNode], linear: bool) -> ContestShape {
    // A conjunction or disjunction of one, and what is negated twice, is what it is made of.
    let plain = |mut node: usize| loop {
        match &nodes[node] {
            ContestNode::And(one) | ContestNode::Or(one) if one.len() == 1 => node = one[0],
            _ => return node,
        }
    };
    let state = |node: usize| match &nodes[plain(node)] {
        ContestNode::State(predicate) => Some(predicate.clone()),
        _ => None,
    };
    let root = plain(0);
    if let Some(predicate) = state(root) {
        return ContestShape::Initial(predicate);
    }
    let is_linear = |node: &ContestNode| !matches!(node, ContestNode::All(_) | ContestNode::Some(_));
    let path = match nodes[root] {
        ContestNode::All(path) | ContestNode::Some(path) => Some(plain(path)),
        _ => None,
    };
    if let Some(path) = path {
        match (&nodes[root], &nodes[path]) {
            (ContestNode::Some(_), &ContestNode::Finally(inner)) if let Some(predicate) = state(inner) => {
                return ContestShape::Possibly(predicate);
            }
            (ContestNode::All(_), &ContestNode::Globally(inner)) if let Some(predicate) = state(inner) => {
                return ContestShape::Invariantly(predicate);
            }
            _ => {}
        }
    }
    // Which nodes are directly under a path quantifier, and which speak of runs rather than markings.
    let mut quantified = vec![false; nodes.len()];
    for node in nodes {
        if let ContestNode::All(path) | ContestNode::Some(path) = node {
            quantified[plain(*path)] = true;
        }
    }
    let is_temporal = |node: &ContestNode| {
        matches!(
            node,
            ContestNode::Next(_)
                | ContestNode::Finally(_)
                | ContestNode::Globally(_)
                | ContestNode::Until(..)
        )
    };
    let alternates = nodes.iter().zip(&quantified).all(|(node, &quantified)| is_temporal(node) == quantified);
    let others = nodes.iter().enumerate().filter(|(number, _)| *number != root);
    match (&nodes[root], path) {
        _ if alternates && !linear => ContestShape::Branching,
        (ContestNode::All(_), Some(path)) if others.into_iter().all(|(_, node)| is_linear(node)) => {
            ContestShape::Linear(path)
        }
        _ if alternates => ContestShape::Branching,
        _ => ContestShape::Mixed,
    }
}

/// Reads a file of properties of a net.
///
/// # Errors
/// All that is wrong with it.
pub fn read(net: &PetriNet, source: &SourceText) -> Result<Vec<ContestProperty>, Vec<Message>> {
    let document = Document::read(source)?;
    let mut reader = Reader { net, document: &document, messages: Vec::new() };
    let root = &document.elements[0];
    if root.name != "property-set" {
        let text = format!("this is <{}>, and a file of properties begins with <property-set>", root.name);
        return Err(vec![document.error(0, text).code(codes::SYNTAX)]);
    }
    let properties: Vec<ContestProperty> =
        document.named(0, "property").filter_map(|element| reader.property(element)).collect();
    if properties.is_empty() && reader.messages.is_empty() {
        reader.error(0, "the file has no property");
    }
    if reader.messages.is_empty() { Ok(properties) } else { Err(reader.messages) }
}

struct Reader<'d> {
    net: &'d PetriNet,
    document: &'d Document<'d>,
    messages: Vec<Message>,
}

impl Reader<'_> {
    fn error(&mut self, about: usize, text: impl Into<String>) {
        self.messages.push(self.document.error(about, text).code(codes::FORMULA_SYNTAX));
    }

    fn property(&mut self, element: usize) -> Option<ContestProperty> {
        let document = self.document;
        let id = document.named(element, "id").next().map(|id| document.elements[id].text.trim().to_owned());
        let Some(id) = id.filter(|id| !id.is_empty()) else {
            self.error(element, "the property has no id");
            return None;
        };
        let formulas: Vec<usize> =
            document.named(element, "formula").flat_map(|formula| document.children(formula)).collect();
        let &[formula] = &formulas[..] else {
            self.error(
                element,
                format!("the property `{id}` has {} formulas, and must have one", formulas.len()),
            );
            return None;
        };
        let asks = if document.elements[formula].name == "place-bound" {
            ContestQuestion::Bound(self.tokens(formula)?)
        } else {
            ContestQuestion::Formula(self.formula(formula)?)
        };
        Some(ContestProperty { id, line: document.line(element), asks })
    }

    /// The sum of the tokens on the places that an element lists.
    fn tokens(&mut self, element: usize) -> Option<TokenSum> {
        let document = self.document;
        let mut factors: HashMap<u32, i64> = HashMap::new();
        for place in document.children(element) {
            let word = document.elements[place].text.trim();
            let Some(number) = self.net.place(word) else {
                let near = nearest(word, self.net.places.iter().map(|place| place.id.as_str()));
                self.unknown(place, format!("the net has no place `{word}`"), near);
                return None;
            };
            *factors.entry(number).or_default() += 1;
        }
        let mut places: Vec<(u32, i64)> = factors.into_iter().collect();
        places.sort_unstable();
        Some(TokenSum { places, constant: 0 })
    }

    fn unknown(&mut self, about: usize, text: String, near: Option<String>) {
        let message = self.document.error(about, text).code(codes::UNKNOWN_PROPOSITION);
        self.messages.push(match near {
            Some(near) => message.help(format!("did you mean `{near}`?")),
            None => message,
        });
    }

    /// The elements of a subtree, parents first.
    fn subtree(&self, root: usize) -> Vec<usize> {
        let mut order = vec![root];
        let mut next = 0;
        while let Some(&element) = order.get(next) {
            order.extend(self.document.children(element));
            next += 1;
        }
        order
    }

    fn formula(&mut self, root: usize) -> Option<Vec<ContestNode>> {
        let document = self.document;
        let order = self.subtree(root);
        // From below: sums, tests, and what is about one marking.
        let mut sums: HashMap<usize, TokenSum> = HashMap::new();
        let mut tests: HashMap<usize, MarkingTest> = HashMap::new();
        let mut temporal: HashMap<usize, bool> = HashMap::new();
        let before = self.messages.len();
        for &element in order.iter().rev() {
            let own = &document.elements[element];
            let children = &own.children;
            let count = |reader: &mut Self, wanted: usize| {
                let fits = children.len() == wanted;
                if !fits {
                    reader.error(
                        element,
                        format!("<{}> has {} parts, and must have {wanted}", own.name, children.len()),
                    );
                }
                fits
            };
            let of_children = children.iter().any(|child| temporal.get(child) == Some(&true));
            match own.name.as_str() {
                "place" | "transition" => {}
                "integer-constant" => match own.text.trim().parse::<i64>() {
                    Ok(constant) => _ = sums.insert(element, TokenSum { places: Vec::new(), constant }),
                    Err(_) => self.error(element, format!("`{}` is no whole number", own.text.trim())),
                },
                "tokens-count" => {
                    if let Some(sum) = self.tokens(element) {
                        sums.insert(element, sum);
                    }
                }
                "integer-sum" | "integer-difference" => {
                    let mut sum = TokenSum::default();
                    for (number, child) in children.iter().enumerate() {
                        let sign = if number > 0 && own.name == "integer-difference" { -1 } else { 1 };
                        match sums.remove(child) {
                            Some(part) => sum = sum.plus(&part, sign),
                            None => self.no_number(*child),
                        }
                    }
                    sums.insert(element, sum);
                }
                "integer-le" | "integer-lt" | "integer-ge" | "integer-gt" | "integer-eq" | "integer-ne" => {
                    if !count(self, 2) {
                        continue;
                    }
                    let (left, right) = (sums.remove(&children[0]), sums.remove(&children[1]));
                    let (Some(left), Some(right)) = (left, right) else {
                        children
                            .iter()
                            .filter(|child| !sums.contains_key(child))
                            .for_each(|&child| self.no_number(child));
                        continue;
                    };
                    let (sign, added, against) = match own.name.as_str() {
                        "integer-le" => (1, 0, AgainstZero::AtMost),
                        "integer-lt" => (1, 1, AgainstZero::AtMost),
                        "integer-ge" => (-1, 0, AgainstZero::AtMost),
                        "integer-gt" => (-1, 1, AgainstZero::AtMost),
                        "integer-ne" => (1, 0, AgainstZero::Different),
                        _ => (1, 0, AgainstZero::Equal),
                    };
                    let start = TokenSum { places: Vec::new(), constant: added };
                    let sum = start.plus(&left, sign).plus(&right, -sign);
                    tests.insert(element, MarkingTest::Compare(sum, against));
                    temporal.insert(element, false);
                }
                "is-fireable" => {
                    let mut all = Vec::new();
                    for &child in children {
                        let word = document.elements[child].text.trim();
                        match self.net.transition(word) {
                            Some(t) => all.push(t),
                            None => {
                                let near = nearest(word, self.net.transitions.iter().map(|t| t.id.as_str()));
                                self.unknown(child, format!("the net has no transition `{word}`"), near);
                            }
                        }
                    }
                    tests.insert(element, MarkingTest::Fireable(all));
                    temporal.insert(element, false);
                }
                "deadlock" | "true" | "false" => {
                    let test = match own.name.as_str() {
                        "deadlock" => MarkingTest::Dead,
                        name => MarkingTest::Constant(name == "true"),
                    };
                    tests.insert(element, test);
                    temporal.insert(element, false);
                }
                "conjunction" | "disjunction" => _ = temporal.insert(element, of_children),
                "negation" => {
                    count(self, 1);
                    temporal.insert(element, of_children);
                }
                "implication" => {
                    count(self, 2);
                    temporal.insert(element, of_children);
                }
                "before" | "reach" => {
                    count(self, 1);
                    temporal.insert(element, of_children);
                }
                "next" | "finally" | "globally" | "all-paths" | "exists-path" => {
                    count(self, 1);
                    temporal.insert(element, true);
                }
                "until" => {
                    count(self, 2);
                    let names: Vec<&str> =
                        children.iter().map(|&child| document.elements[child].name.as_str()).collect();
                    if names != ["before", "reach"] {
                        self.error(element, "<until> has a <before> and then a <reach>");
                    }
                    temporal.insert(element, true);
                }
                other => self.error(element, format!("<{other}> is not read in formulas")),
            }
        }
        // What a connective or an operator joins are formulas.
        for &element in &order {
            let own = &document.elements[element];
            let joins = temporal.contains_key(&element) && !tests.contains_key(&element);
            for &child in own.children.iter().filter(|child| joins && !temporal.contains_key(child)) {
                if self.messages.len() == before {
                    self.error(child, "this is not a formula");
                }
            }
        }
        if !temporal.contains_key(&root) && self.messages.len() == before {
            self.error(root, "this is not a formula");
        }
        if self.messages.len() > before {
            return None;
        }
        Some(self.assemble(root, &tests, &temporal))
    }

    fn no_number(&mut self, element: usize) {
        let name = &self.document.elements[element].name;
        // What is wrong within it was told.
        if !matches!(
            name.as_str(),
            "integer-constant" | "tokens-count" | "integer-sum" | "integer-difference"
        ) {
            let text = format!("<{name}> is no number");
            self.error(element, text);
        }
    }

    /// The nodes of a formula in which nothing is wrong, parents first.
    fn assemble(
        &self,
        root: usize,
        tests: &HashMap<usize, MarkingTest>,
        temporal: &HashMap<usize, bool>,
    ) -> Vec<ContestNode> {
        let document = self.document;
        let mut nodes: Vec<ContestNode> = Vec::new();
        // Elements whose nodes are to be made, in the order of the nodes' numbers.
        let mut todo = vec![(root, false)];
        let mut next = 0;
        while let Some(&(element, opposite)) = todo.get(next) {
            next += 1;
            let own = &document.elements[element];
            let first = todo.len();
            let mut child = |at: usize, opposite: bool| {
                todo.push((own.children[at], opposite));
                todo.len() - 1
            };
            if opposite {
                todo.push((element, false));
                nodes.push(ContestNode::Not(first));
                continue;
            }
            if !temporal[&element] {
                nodes.push(ContestNode::State(Predicate::of_tree(&self.predicate(element, tests))));
                continue;
            }
            nodes.push(match own.name.as_str() {
                "negation" => ContestNode::Not(child(0, false)),
                "conjunction" => {
                    ContestNode::And((0..own.children.len()).map(|at| child(at, false)).collect())
                }
                "disjunction" => {
                    ContestNode::Or((0..own.children.len()).map(|at| child(at, false)).collect())
                }
                "implication" => ContestNode::Or(vec![child(0, true), child(1, false)]),
                "next" => ContestNode::Next(child(0, false)),
                "finally" => ContestNode::Finally(child(0, false)),
                "globally" => ContestNode::Globally(child(0, false)),
                "until" => ContestNode::Until(child(0, false), child(1, false)),
                "all-paths" => ContestNode::All(child(0, false)),
                "exists-path" => ContestNode::Some(child(0, false)),
                // They stand for what is in them: a conjunction of one.
                "before" | "reach" => ContestNode::And(vec![child(0, false)]),
                other => unreachable!("<{other}> was refused"),
            });
        }
        nodes
    }

    /// The tree of a part that is about one marking.
    fn predicate(&self, root: usize, tests: &HashMap<usize, MarkingTest>) -> Vec<PredicateNode> {
        let mut nodes = Vec::new();
        let mut todo = vec![(root, false)];
        let mut next = 0;
        while let Some(&(element, opposite)) = todo.get(next) {
            next += 1;
            let first = todo.len();
            if opposite {
                todo.push((element, false));
                nodes.push(PredicateNode::Not(first));
                continue;
            }
            if let Some(test) = tests.get(&element) {
                nodes.push(PredicateNode::Test(test.clone()));
                continue;
            }
            let own = &self.document.elements[element];
            let children: Vec<usize> = (first..first + own.children.len()).collect();
            let is_implication = own.name == "implication";
            todo.extend(
                own.children.iter().enumerate().map(|(at, &child)| (child, is_implication && at == 0)),
            );
            nodes.push(match own.name.as_str() {
                "negation" => PredicateNode::Not(first),
                "disjunction" | "implication" => PredicateNode::Or(children),
                _ => PredicateNode::And(children),
            });
        }
        nodes
    }
}
