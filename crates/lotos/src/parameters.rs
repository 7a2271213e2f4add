//! Values for the parameters of a specification: `specification Window [send] (size : Nat) : noexit` with `size=2`.
//!
//! The standard leaves them open: a specification stands for one system for each of their values. Here they are said when a specification is read, as expressions
//! over its own types, and mean `let size : Nat = 2 in` around its behaviour.

use crate::ast::{Behaviour, Expr, Kind, Specification, Variable};
use crate::lexer::lex;
use crate::parser;
use crate::sources::Sources;
use elnath_source::{Message, SourceText, codes, nearest};

/// Puts values in the places of parameters. Parameters without one stay, and are complained about later.
pub(crate) fn give(
    specification: &mut Specification,
    values: &[String],
    sources: &mut Sources,
    messages: &mut Vec<Message>,
) {
    let root = &mut specification.root;
    let mut bindings: Vec<(Variable, Expr)> = Vec::new();
    for value in values {
        let (name, text) = value.split_once('=').unwrap_or((value, ""));
        let name = name.trim().to_lowercase();
        let Some(at) = root.params.iter().position(|param| *param.name.name == *name) else {
            let text = format!("the specification has no parameter `{name}` that could have a value");
            let message = Message::about_file(text).code(codes::USAGE);
            let known = root.params.iter().map(|param| &*param.name.name);
            messages.push(match nearest(&name, known) {
                Some(near) => message.help(format!("is `{near}` meant?")),
                None => message,
            });
            continue;
        };
        let source = SourceText::new(format!("-D {name}"), text);
        let words = lex(&source, sources.0.len() as u32, messages);
        sources.0.push(source);
        // Whoever uses one with a broken value is not told that it has none.
        let param = root.params.remove(at);
        bindings.extend(parser::expression(sources, words, messages).map(|expr| (param, expr)));
    }
    if !bindings.is_empty() {
        let span = root.body.span;
        let body = std::mem::replace(&mut root.body, Behaviour { kind: Kind::Stop, span });
        root.body = Behaviour { kind: Kind::Let(bindings, body.into()), span };
    }
}
