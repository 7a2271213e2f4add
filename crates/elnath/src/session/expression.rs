//! Expressions over states and steps, for watches, breakpoints and formulas.
//!
//! Each language has its own, and they are read as `--ltl` reads them: those of Promela in the scope of the model with its macros, those
//! of communicating machines, of markings, the names of properties of a model in Rust. Where a language has none, and for everything
//! else that a state shows, there is a small one over [fields](elnath_kernel::event::Field):
//!
//! | written | means |
//! |---|---|
//! | `x`, `P:1.x`, `a[2]`, `Alice.state` | the value of a field, as the state shows it, with its owner |
//! | `x == 3`, also `!=` `<` `<=` `>` `>=` | numbers compare as numbers, everything else as text (`==` and `!=`) |
//! | `len(q) > 2` | the number of messages in a queue |
//! | `action(PATTERN)` | the label of the step, in every language |

use super::language::Language;
use elnath_kernel::event::{Content, Field, element_name};
use elnath_kernel::{Stepper, System};
use elnath_logic::formula::Node;
use elnath_logic::parse::{Dialect, Syntax, parse};
use elnath_logic::{Atom, Formulas, Id, Spelling};
use elnath_program::Interpreter;
use elnath_program::ir::{Binary, ChannelQuery, Expr, Type, Unary, VariableRef};
use elnath_source::{Message, SourceText, codes};
use std::sync::Arc;

/// A test of labels.
pub(super) type Matches = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// Something that can be looked at in a state or a step.
#[derive(Clone)]
pub(super) enum Sight {
    /// An expression of a program.
    Program(Arc<Interpreter>, Arc<Expr>),
    /// The proposition, with this number, of this system, which has the states of the session's.
    Proposition(Arc<dyn System>, u32),
    /// The proposition with this number of the system itself.
    Own(u32),
    /// How many tokens a place holds.
    Tokens(Arc<elnath_petri::PetriSystem>, u32),
    /// What fields say.
    Fields(FieldTest),
    /// Whether the label of a step matches.
    Label(Matches),
}

/// What is asked of fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FieldTest {
    left: Operand,
    test: Option<(&'static str, Operand)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Operand {
    Number(i64),
    Field(String),
    Length(String),
}

impl Sight {
    /// The value in a state; in words why there is none. A step's label has none.
    pub(super) fn value(&self, system: &dyn System, state: &[u8]) -> Result<Content, String> {
        match self {
            Sight::Program(program, expr) => {
                let value = program.evaluate(state, expr).map_err(|cause| cause.text().to_owned())?;
                Ok(typed(program, expr, value))
            }
            Sight::Proposition(other, number) => proposition(&mut *other.stepper(), &**other, state, *number),
            Sight::Own(number) => proposition(&mut *system.stepper(), system, state, *number),
            Sight::Tokens(net, place) => {
                Ok(Content::Tokens { count: u64::from(net.marking(state)[*place as usize]) })
            }
            Sight::Fields(test) => test.value(&system.fields(state)),
            Sight::Label(_) => Err("this is about steps".to_owned()),
        }
    }

    /// Whether it holds in a state; false if it has no value there.
    pub(super) fn holds(&self, system: &dyn System, state: &[u8]) -> bool {
        self.value(system, state).is_ok_and(|value| is_true(&value))
    }
}

fn proposition(
    stepper: &mut dyn Stepper,
    system: &dyn System,
    state: &[u8],
    number: u32,
) -> Result<Content, String> {
    match stepper.proposition_fault(state, number) {
        Some(fault) => Err(system.fault_name(fault)),
        None => Ok(Content::Truth { value: stepper.valuation(state) >> number & 1 == 1 }),
    }
}

/// Whether a value counts as true.
pub(super) fn is_true(value: &Content) -> bool {
    match value {
        Content::Truth { value } => *value,
        Content::Number { value } => *value != 0,
        Content::Tokens { count } => *count != 0,
        Content::Text { value } => !matches!(value.as_str(), "" | "0" | "false"),
        _ => true,
    }
}

/// The value of an expression, with its type as far as the expression shows it.
fn typed(program: &Interpreter, expr: &Expr, value: i32) -> Content {
    let number = Content::Number { value: i64::from(value) };
    match expr {
        Expr::Binary(
            Binary::Eq
            | Binary::Ne
            | Binary::Lt
            | Binary::Le
            | Binary::Gt
            | Binary::Ge
            | Binary::And
            | Binary::Or,
            _,
        )
        | Expr::Unary(Unary::Not, _)
        | Expr::Timeout
        | Expr::NonProgress
        | Expr::Poll { .. }
        | Expr::At { .. }
        | Expr::Enabled(_) => Content::Truth { value: value != 0 },
        Expr::Channel(query, _) if *query != ChannelQuery::Len => Content::Truth { value: value != 0 },
        Expr::Load(lvalue) => {
            let VariableRef::Global(global) = lvalue.variable else { return number };
            match program.program().globals.get(global as usize).map(|variable| variable.ty) {
                Some(Type::Bool) => Content::Truth { value: value != 0 },
                Some(Type::Symbol(set)) => {
                    Content::Symbol { name: program.program().symbol(Some(set), value) }
                }
                _ => number,
            }
        }
        _ => number,
    }
}

impl FieldTest {
    /// Reads a test; `None` if it is no such text.
    pub(super) fn parse(text: &str) -> Option<Self> {
        // The longer operators first.
        const OPERATORS: [&str; 6] = ["==", "!=", "<=", ">=", "<", ">"];
        let text = text.trim();
        let at = |operator: &'static str| Some((text.find(operator)?, operator));
        let found =
            OPERATORS.iter().filter_map(|operator| at(operator)).min_by_key(|&(at, op)| (at, 2 - op.len()));
        let Some((at, operator)) = found else {
            return Some(Self { left: Operand::parse(text)?, test: None });
        };
        let (left, right) = (&text[..at], &text[at + operator.len()..]);
        Some(Self { left: Operand::parse(left)?, test: Some((operator, Operand::parse(right)?)) })
    }

    /// Whether it compares something, so that it cannot be a label.
    pub(super) fn compares(&self) -> bool {
        self.test.is_some() || matches!(self.left, Operand::Length(_))
    }

    /// The names of fields in it.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let operands = std::iter::once(&self.left).chain(self.test.iter().map(|(_, right)| right));
        operands.filter_map(|operand| match operand {
            Operand::Field(name) | Operand::Length(name) => Some(name.as_str()),
            Operand::Number(_) => None,
        })
    }

    fn value(&self, fields: &[Field]) -> Result<Content, String> {
        let left = self.left.value(fields);
        let Some((operator, right)) = &self.test else { return left };
        // A word that is no field stands for itself: `Alice.state == idle`.
        let word = |operand: &Operand, value: Result<Content, String>| match (operand, value) {
            (Operand::Field(name), Err(_)) => Ok(Content::Text { value: name.clone() }),
            (_, value) => value,
        };
        let (left, right) = (left?, word(right, right.value(fields))?);
        let order = match (number(&left), number(&right)) {
            (Some(left), Some(right)) => Some(left.cmp(&right)),
            _ if left.text() == right.text() => Some(std::cmp::Ordering::Equal),
            _ => None,
        };
        let value = match (*operator, order) {
            ("==", order) => order == Some(std::cmp::Ordering::Equal),
            ("!=", order) => order != Some(std::cmp::Ordering::Equal),
            (_, None) => return Err("only numbers are ordered".to_owned()),
            ("<", Some(order)) => order.is_lt(),
            ("<=", Some(order)) => order.is_le(),
            (">", Some(order)) => order.is_gt(),
            (_, Some(order)) => order.is_ge(),
        };
        Ok(Content::Truth { value })
    }
}

fn number(value: &Content) -> Option<i64> {
    match value {
        Content::Number { value } => Some(*value),
        Content::Truth { value } => Some(i64::from(*value)),
        Content::Tokens { count } => i64::try_from(*count).ok(),
        Content::Text { value } | Content::Symbol { name: value } => value.parse().ok(),
        _ => None,
    }
}

impl Operand {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        if let Ok(number) = text.parse() {
            return Some(Operand::Number(number));
        }
        let name = |text: &str| text.trim().trim_matches('"').to_owned();
        if let Some(inner) = text.strip_prefix("len(").and_then(|rest| rest.strip_suffix(')')) {
            return Some(Operand::Length(name(inner)));
        }
        Some(Operand::Field(name(text)))
    }

    fn value(&self, fields: &[Field]) -> Result<Content, String> {
        let unknown = |name: &str| format!("the state has no field `{name}`");
        match self {
            Operand::Number(value) => Ok(Content::Number { value: *value }),
            Operand::Field(name) => find(fields, name).ok_or_else(|| unknown(name)),
            Operand::Length(name) => match find(fields, name).ok_or_else(|| unknown(name))? {
                Content::Queue { messages, .. } => Ok(Content::Number { value: messages.len() as i64 }),
                Content::Array { elements, .. } => Ok(Content::Number { value: elements.len() as i64 }),
                _ => Err(format!("`{name}` is no queue")),
            },
        }
    }
}

/// The full name of a field: its owner's, a dot and its own.
pub(super) fn full_name(field: &Field) -> String {
    match (field.owner.as_str(), field.name.as_str()) {
        ("", name) => name.to_owned(),
        (owner, "") => owner.to_owned(),
        (owner, name) => format!("{owner}.{name}"),
    }
}

fn find(fields: &[Field], wanted: &str) -> Option<Content> {
    for field in fields {
        let name = full_name(field);
        if name.replace("[]", "") == wanted {
            return Some(field.content.clone());
        }
        if let Content::Array { dims, elements } = &field.content {
            let element = (0..elements.len()).find(|&at| element_name(&name, dims, at) == wanted);
            if let Some(at) = element {
                return Some(elements[at].clone());
            }
        }
    }
    None
}

/// An expression: a formula over sights, without temporal operators if it is a condition.
#[derive(Clone)]
pub(super) struct Expression {
    pub(super) text: String,
    pub(super) formulas: Formulas,
    pub(super) formula: Id,
    /// One for each atom.
    pub(super) sights: Vec<Sight>,
}

impl Expression {
    /// Reads a formula.
    pub(super) fn parse(text: &str, language: &Language) -> Result<Self, Vec<Message>> {
        let source = SourceText::new("formula", text);
        let mut formulas = Formulas::new();
        let known = |word: &str| language.knows(word);
        let syntax = Syntax { dialect: language.dialect(), known: &known };
        let parsed =
            parse(&mut formulas, &source, 0..text.len(), syntax).map_err(|message| vec![*message])?;
        let atoms: Vec<Atom> = formulas.atoms().to_vec();
        let sights = language.sights(&source, &atoms, &parsed.occurrences)?;
        Ok(Self { text: text.to_owned(), formulas, formula: parsed.formula, sights })
    }

    /// Reads an expression that has a value: the whole text as one expression of the language, or else a condition.
    pub(super) fn value(text: &str, language: &Language) -> Result<Self, Vec<Message>> {
        let source = SourceText::new("expression", text);
        let mut formulas = Formulas::new();
        let formula = formulas.atom(Atom::State(text.trim().to_owned()));
        let atoms: Vec<Atom> = formulas.atoms().to_vec();
        match language.sights(&source, &atoms, &[(0, 0..text.len())]) {
            Ok(sights) if !text.contains("action(") => {
                Ok(Self { text: text.to_owned(), formulas, formula, sights })
            }
            Ok(_) => Self::condition(text, language),
            Err(wrong) => Self::condition(text, language).map_err(|_| wrong),
        }
    }

    /// Whether it is one expression, so that it may have a value that is neither true nor false.
    pub(super) fn is_one_value(&self) -> bool {
        matches!(self.formulas.node(self.formula), Node::Proposition(_))
    }

    /// Reads a condition: a formula without temporal operators.
    pub(super) fn condition(text: &str, language: &Language) -> Result<Self, Vec<Message>> {
        let expression = Self::parse(text, language)?;
        if expression.formulas.is_boolean(expression.formula) {
            return Ok(expression);
        }
        let text = format!("`{text}` has temporal operators, and a breakpoint is about one state or step");
        Err(vec![Message::about_file(text).code(codes::IDLE_OPTIONS).help("add it as a formula instead")])
    }

    /// Whether a condition holds in a state that was reached by a step with this label.
    pub(super) fn holds(&self, system: &dyn System, state: &[u8], label: Option<&str>) -> bool {
        self.formulas.evaluate(self.formula, &|number| match &self.sights[number as usize] {
            Sight::Label(matches) => label.is_some_and(|label| matches(label)),
            sight => sight.holds(system, state),
        })
    }

    /// Whether it looks at labels of steps.
    pub(super) fn looks_at_labels(&self) -> bool {
        self.sights.iter().any(|sight| matches!(sight, Sight::Label(_)))
    }

    /// The subformulas, each after its own, with their texts.
    pub(super) fn parts(&self) -> Vec<(Id, String)> {
        let spelling = Spelling::Spin;
        let ids = self.formulas.subformulas(self.formula);
        let is_constant = |f: &Id| matches!(self.formulas.node(*f), Node::True | Node::False);
        ids.into_iter().filter(|f| !is_constant(f)).map(|f| (f, self.formulas.show(f, spelling))).collect()
    }
}

/// What formulas are read like.
pub(super) fn dialect(is_spin: bool) -> Dialect {
    if is_spin { Dialect::Spin } else { Dialect::Spot }
}
