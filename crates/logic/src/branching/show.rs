//! Formula to text, which [`super::parse_branching`] reads back as the same formula; and positions to text.
//!
//! Operands that have operands of their own stand in parentheses, except after operators that bind tightest. The text is written with
//! a stack of what is still to be written.

use super::ast::{ActionId, ActionNode, CtlOperator, Fixpoint, LabelTest, MuFormulas, MuId, MuNode};
use super::ast::{Quantifier, RegularId, RegularNode};
use super::lower::{Position, Positions, StateTest, Tested};
use std::fmt::Write as _;

enum Item {
    Text(&'static str),
    Words(String),
    Formula(MuId),
    /// In parentheses, if it is joined by an operator between or a fixpoint.
    Operand(MuId),
    Regular(RegularId),
    RegularOperand(RegularId),
    Action(ActionId),
    ActionOperand(ActionId),
}

impl MuFormulas {
    /// A formula as text.
    pub fn show(&self, f: MuId) -> String {
        self.write(Item::Formula(f))
    }

    /// An action formula as text.
    pub fn show_action(&self, a: ActionId) -> String {
        self.write(Item::Action(a))
    }

    fn write(&self, item: Item) -> String {
        let (mut out, mut todo) = (String::new(), vec![item]);
        while let Some(item) = todo.pop() {
            let items = match item {
                Item::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Item::Words(words) => {
                    out.push_str(&words);
                    continue;
                }
                Item::Formula(f) => self.formula_items(f),
                Item::Operand(f) => match self.node(f) {
                    MuNode::And(_)
                    | MuNode::Or(_)
                    | MuNode::Implies(..)
                    | MuNode::Iff(..)
                    | MuNode::Fix(..) => {
                        vec![Item::Text("("), Item::Formula(f), Item::Text(")")]
                    }
                    _ => vec![Item::Formula(f)],
                },
                Item::Regular(r) => self.regular_items(r),
                Item::RegularOperand(r) => match self.regular(r) {
                    RegularNode::Step(a) => vec![Item::ActionOperand(*a)],
                    RegularNode::Nil => vec![Item::Text("nil")],
                    _ => vec![Item::Text("("), Item::Regular(r), Item::Text(")")],
                },
                Item::Action(a) => self.action_items(a),
                Item::ActionOperand(a) => match self.action(a) {
                    ActionNode::And(_) | ActionNode::Or(_) | ActionNode::Not(_) => {
                        vec![Item::Text("("), Item::Action(a), Item::Text(")")]
                    }
                    _ => vec![Item::Action(a)],
                },
            };
            todo.extend(items.into_iter().rev());
        }
        out
    }

    fn formula_items(&self, f: MuId) -> Vec<Item> {
        let between = |parts: &[MuId], operator: &'static str, none: &'static str| {
            let mut items = Vec::new();
            for (number, &part) in parts.iter().enumerate() {
                if number > 0 {
                    items.push(Item::Text(operator));
                }
                items.push(Item::Operand(part));
            }
            if items.is_empty() { vec![Item::Text(none)] } else { items }
        };
        match self.node(f) {
            MuNode::True => vec![Item::Text("true")],
            MuNode::False => vec![Item::Text("false")],
            MuNode::Deadlock => vec![Item::Text("deadlock")],
            MuNode::Proposition(number) => {
                vec![Item::Words(proposition_text(&self.propositions()[*number as usize].0))]
            }
            MuNode::Variable(number) => vec![Item::Words(self.variables()[*number as usize].clone())],
            MuNode::Not(g) => vec![Item::Text("!"), Item::Operand(*g)],
            MuNode::And(parts) => between(parts, " && ", "true"),
            MuNode::Or(parts) => between(parts, " || ", "false"),
            MuNode::Implies(g, h) => between(&[*g, *h], " -> ", ""),
            MuNode::Iff(g, h) => between(&[*g, *h], " <-> ", ""),
            MuNode::Diamond(r, g) => {
                vec![Item::Text("<"), Item::Regular(*r), Item::Text("> "), Item::Operand(*g)]
            }
            MuNode::Square(r, g) => {
                vec![Item::Text("["), Item::Regular(*r), Item::Text("] "), Item::Operand(*g)]
            }
            MuNode::Forever(r) => vec![Item::Text("<"), Item::Regular(*r), Item::Text("> @")],
            MuNode::NotForever(r) => vec![Item::Text("["), Item::Regular(*r), Item::Text("] -|")],
            MuNode::Fix(kind, variable, g) => {
                let word = match kind {
                    Fixpoint::Least => "mu",
                    Fixpoint::Greatest => "nu",
                };
                let name = &self.variables()[*variable as usize];
                vec![Item::Words(format!("{word} {name}. ")), Item::Formula(*g)]
            }
            MuNode::Ctl(quantifier, operator) => {
                let letter = match quantifier {
                    Quantifier::All => "A",
                    Quantifier::Some => "E",
                };
                let one = |operator: &'static str, g: MuId| {
                    vec![Item::Text(letter), Item::Text(operator), Item::Operand(g)]
                };
                let two = |g: MuId, operator: &'static str, h: MuId| {
                    let (open, close) = (Item::Text("["), Item::Text("]"));
                    vec![
                        Item::Text(letter),
                        open,
                        Item::Operand(g),
                        Item::Text(operator),
                        Item::Operand(h),
                        close,
                    ]
                };
                match *operator {
                    CtlOperator::Next(g) => one("X ", g),
                    CtlOperator::Finally(g) => one("F ", g),
                    CtlOperator::Globally(g) => one("G ", g),
                    CtlOperator::Until(g, h) => two(g, " U ", h),
                    CtlOperator::WeakUntil(g, h) => two(g, " W ", h),
                    CtlOperator::Release(g, h) => two(g, " R ", h),
                }
            }
        }
    }

    fn regular_items(&self, r: RegularId) -> Vec<Item> {
        let between = |parts: &[RegularId], operator: &'static str| {
            let mut items = Vec::new();
            for (number, &part) in parts.iter().enumerate() {
                if number > 0 {
                    items.push(Item::Text(operator));
                }
                items.push(Item::RegularOperand(part));
            }
            items
        };
        match self.regular(r) {
            RegularNode::Nil => vec![Item::Text("nil")],
            RegularNode::Step(a) => vec![Item::Action(*a)],
            RegularNode::Sequence(parts) => between(parts, " . "),
            RegularNode::Choice(parts) => between(parts, " | "),
            RegularNode::Star(body) => vec![Item::RegularOperand(*body), Item::Text("*")],
            RegularNode::Plus(body) => vec![Item::RegularOperand(*body), Item::Text("+")],
            RegularNode::Optional(body) => vec![Item::RegularOperand(*body), Item::Text("?")],
        }
    }

    fn action_items(&self, a: ActionId) -> Vec<Item> {
        let between = |parts: &[ActionId], operator: &'static str| {
            let mut items = Vec::new();
            for (number, &part) in parts.iter().enumerate() {
                if number > 0 {
                    items.push(Item::Text(operator));
                }
                items.push(Item::ActionOperand(part));
            }
            items
        };
        match self.action(a) {
            ActionNode::True => vec![Item::Text("true")],
            ActionNode::False => vec![Item::Text("false")],
            ActionNode::Tau => vec![Item::Text("tau")],
            ActionNode::Label(test) => vec![Item::Words(test.to_string())],
            ActionNode::Not(b) => vec![Item::Text("not "), Item::ActionOperand(*b)],
            ActionNode::And(parts) => between(parts, " and "),
            ActionNode::Or(parts) => between(parts, " or "),
        }
    }
}

impl std::fmt::Display for LabelTest {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LabelTest::Name(name) => out.write_str(name),
            LabelTest::Call(text) => out.write_str(text),
            LabelTest::Exactly(text) | LabelTest::Text(text) => out.write_str(&quoted(text)),
            LabelTest::Regex(text) => write!(out, "~{}", quoted(text)),
        }
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        if c == '"' || c == '\\' {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

/// Quotes are left out around a plain word that is no operator.
fn proposition_text(text: &str) -> String {
    const WORDS: &[&str] = &[
        "true", "false", "deadlock", "not", "and", "or", "mu", "nu", "min", "max", "A", "E", "U", "W", "R",
        "V", "AX", "AF", "AG", "EX", "EF", "EG", "implies", "imply", "iff", "equ", "until", "release",
        "forall", "exists",
    ];
    let mut chars = text.chars();
    let plain = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain && !WORDS.contains(&text) { text.to_owned() } else { quoted(text) }
}

impl Positions {
    /// The positions as equations, one line each: what a formula has become.
    pub fn show(&self, formulas: &MuFormulas) -> Vec<String> {
        const CONSTANTS: usize = 2;
        let numbered = self.positions.iter().enumerate().skip(CONSTANTS);
        numbered.map(|(number, position)| self.equation(formulas, number, position)).collect()
    }

    fn equation(&self, formulas: &MuFormulas, number: usize, position: &Position) -> String {
        let sign = match position.priority {
            0 => "=",
            priority if priority % 2 == 1 => "=mu",
            _ => "=nu",
        };
        let test = |test: &StateTest| {
            let text = match test.of {
                Tested::Proposition(number) => proposition_text(&formulas.propositions()[number as usize].0),
                Tested::Deadlock => "deadlock".to_owned(),
            };
            if test.holds { text } else { format!("!{text}") }
        };
        let step = |&(action, to): &(ActionId, u32)| {
            let action = formulas.show_action(action);
            let to = place_name(to);
            if position.all { format!("[{action}] {to}") } else { format!("<{action}> {to}") }
        };
        let mut parts: Vec<String> = position.tests.iter().map(test).collect();
        parts.extend(position.here.iter().map(|&to| place_name(to)));
        parts.extend(position.moves.iter().map(step));
        let (joint, none) = if position.all { (" && ", "true") } else { (" || ", "false") };
        let body = if parts.is_empty() { none.to_owned() } else { parts.join(joint) };
        let mut line = format!("{} {sign} {body}", place_name(number as u32));
        if position.priority > 0 && self.block_of(number as u32).levels > 1 {
            let _ = write!(line, "  (priority {})", position.priority);
        }
        line
    }
}

fn place_name(number: u32) -> String {
    match number {
        Positions::FALSE => "false".to_owned(),
        Positions::TRUE => "true".to_owned(),
        number => format!("P{}", number - 1),
    }
}
