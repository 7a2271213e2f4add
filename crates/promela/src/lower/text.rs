//! Statements in words where the text of the model does not have them: the parts of `for` and `select`, declarations, and
//! statements that were put together from an inline and its arguments.

use super::data::Data;
use elnath_program::ir::{Binary, Effect, Expr, Guard, Lvalue, Pattern, Sync, Unary};

/// Whether a piece of text is a statement and not a part of one.
pub(super) fn is_whole(text: &str) -> bool {
    let mut depth = 0;
    for c in text.chars() {
        depth += match c {
            '(' | '[' | '{' => 1,
            ')' | ']' | '}' => -1,
            _ => 0,
        };
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

/// An assignment, a condition, an assertion or a send; nothing for what is not worth the trouble.
pub(super) fn of(data: &Data<'_>, guard: &Guard, sync: &Sync, effects: &[Effect]) -> Option<String> {
    let text = match (guard, sync, effects) {
        (Guard::When(expr), Sync::None, []) => show(data, expr, 0)?,
        (Guard::Always, Sync::None, []) => "(1)".to_owned(),
        (Guard::Always, Sync::None, [Effect::Assign(to, expr)]) => {
            let (to, value) = (lvalue(data, to)?, show(data, expr, 0)?);
            if value == format!("{to} + 1") { format!("{to}++") } else { format!("{to} = {value}") }
        }
        (Guard::Always, Sync::None, [Effect::Assert(expr)]) => format!("assert({})", show(data, expr, 0)?),
        (Guard::Always, Sync::Send { channel, fields, sorted }, []) => {
            let fields: Option<Vec<String>> = fields.iter().map(|field| show(data, field, 0)).collect();
            let sign = if *sorted { "!!" } else { "!" };
            format!("{}{sign}{}", show(data, channel, 9)?, fields?.join(","))
        }
        (Guard::Always, Sync::Receive { channel, patterns, random, copy }, []) => {
            let patterns: Option<Vec<String>> = patterns.iter().map(|field| pattern(data, field)).collect();
            let (sign, patterns) = (if *random { "??" } else { "?" }, patterns?.join(","));
            let patterns = if *copy { format!("<{patterns}>") } else { patterns };
            format!("{}{sign}{patterns}", show(data, channel, 9)?)
        }
        _ => return None,
    };
    Some(text)
}

fn pattern(data: &Data<'_>, pattern: &Pattern) -> Option<String> {
    Some(match pattern {
        Pattern::Bind(to) => lvalue(data, to)?,
        Pattern::Match(expr @ Expr::Const(_)) => show(data, expr, 0)?,
        Pattern::Match(expr) => format!("eval({})", show(data, expr, 0)?),
        Pattern::Any => "_".to_owned(),
    })
}

fn lvalue(data: &Data<'_>, to: &Lvalue) -> Option<String> {
    let mut text = data.variable_name(to.variable)?;
    for index in &to.indices {
        text += &format!("[{}]", show(data, index, 0)?);
    }
    Some(text)
}

/// With parentheses where an operator binds less than `around`.
fn show(data: &Data<'_>, expr: &Expr, around: u8) -> Option<String> {
    Some(match expr {
        Expr::Const(value) => value.to_string(),
        Expr::Load(from) => lvalue(data, from)?,
        Expr::Pid => "_pid".to_owned(),
        Expr::Unary(operator, operand) => {
            let sign = match operator {
                Unary::Not => '!',
                Unary::Neg => '-',
                Unary::Complement => '~',
            };
            format!("{sign}{}", show(data, operand, 11)?)
        }
        Expr::Binary(operator, operands) => {
            let (sign, binds) = sign(*operator);
            let [left, right] = &**operands;
            let text = format!("{} {sign} {}", show(data, left, binds)?, show(data, right, binds + 1)?);
            if binds < around { format!("({text})") } else { text }
        }
        Expr::Channel(query, channel) => {
            let name = format!("{query:?}").to_lowercase().replace("not", "n");
            format!("{name}({})", show(data, channel, 0)?)
        }
        _ => return None,
    })
}

fn sign(operator: Binary) -> (&'static str, u8) {
    match operator {
        Binary::Or => ("||", 1),
        Binary::And => ("&&", 2),
        Binary::BitOr => ("|", 3),
        Binary::BitXor => ("^", 4),
        Binary::BitAnd => ("&", 5),
        Binary::Eq => ("==", 6),
        Binary::Ne => ("!=", 6),
        Binary::Lt => ("<", 7),
        Binary::Le => ("<=", 7),
        Binary::Gt => (">", 7),
        Binary::Ge => (">=", 7),
        Binary::Shl => ("<<", 8),
        Binary::Shr => (">>", 8),
        Binary::Add => ("+", 9),
        Binary::Sub => ("-", 9),
        Binary::Mul => ("*", 10),
        Binary::Div => ("/", 10),
        Binary::Rem => ("%", 10),
    }
}
