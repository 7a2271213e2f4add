//! Advice for those who write another language by habit: what they have written is no Promela, and this is how it is said there.

use super::Parser;
use crate::lexer::{Punct, Token};

impl Parser<'_> {
    /// Advice on the token that was not expected.
    pub(super) fn habit(&self) -> Option<String> {
        let before = |by: usize| self.at.checked_sub(by).map(|at| &self.tokens[at]);
        let word_before = |by: usize| before(by).and_then(Token::name).map_or("", |name| name);
        let operator = before(1).map(Token::spelling).unwrap_or_default();
        if self.sees(Punct::Assign) {
            if self.ahead(1).is(Punct::Greater) {
                return Some("\"at least\" is written `>=`".to_owned());
            }
            if before(3).is_some_and(|token| token.is(Punct::Open)) && word_before(4) == "for"
                || before(2).is_some_and(|token| token.is(Punct::Open)) && word_before(3) == "for"
            {
                return Some("a counting loop is written `for (i : 0 .. 9) { .. }`".to_owned());
            }
            if ["+", "-", "*", "/", "%", "&", "|", "^"].contains(&&*operator) {
                let name = match word_before(2) {
                    "" => "x",
                    name => name,
                };
                return Some(format!("there is no `{operator}=`: write `{name} = {name} {operator} ..`"));
            }
            return Some("values are compared with `==`".to_owned());
        }
        if self.sees(Punct::Query) {
            return Some("a value that depends on a condition is written `(condition -> a : b)`".to_owned());
        }
        if self.sees(Punct::OpenBracket) {
            if matches!(word_before(1), "proctype" | "D_proctype") {
                return Some(
                    "several processes are started with `active [2] proctype p() { .. }`".to_owned(),
                );
            }
            if operator == "]" {
                return Some(
                    "arrays have one dimension: declare a `typedef` with an array in it, and an array of that"
                        .to_owned(),
                );
            }
        }
        if self.sees(Punct::Open) {
            match word_before(1) {
                "G" => return Some("\"always\" is written `[]` or `always`".to_owned()),
                "F" => return Some("\"eventually\" is written `<>` or `eventually`".to_owned()),
                _ => {}
            }
        }
        None
    }

    /// Advice on the name of an inline that there is not.
    pub(super) fn habit_of_call(&self, name: &str) -> Option<String> {
        match name {
            "while" => Some("a loop is written `do :: condition -> .. :: else -> break od`".to_owned()),
            "switch" => Some("a choice is written `if :: x == 1 -> .. :: else -> .. fi`".to_owned()),
            _ if self.proctypes.contains(name) => {
                Some(format!("`{name}` is a proctype: a process is started with `run {name}(..)`"))
            }
            _ => None,
        }
    }
}
