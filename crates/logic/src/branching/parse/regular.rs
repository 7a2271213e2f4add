//! What stands within the brackets of a modality: regular formulas over action formulas.

use super::{Door, Parser, Read};
use crate::branching::ast::{ActionId, ActionNode, LabelTest, RegularId, RegularNode};
use crate::scan::{Kind, Token, Unclosed};

/// What waits inside a regular formula.
enum Waiting {
    Not,
    Binary { left: RegularId, operator: Joins },
    Open { at: usize },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Joins {
    Choice,
    Sequence,
    Implies,
    Or,
    And,
}

impl Joins {
    fn level(self) -> u8 {
        match self {
            Joins::Choice => 1,
            Joins::Sequence => 2,
            Joins::Implies => 4,
            Joins::Or => 5,
            Joins::And => 6,
        }
    }
}

/// Operators after a regular formula bind more tightly than those between, and more loosely than those of action formulas.
const AFTER: u8 = 3;

impl Parser<'_> {
    /// Reads up to the bracket that closes the modality which `open` opens.
    pub(super) fn regular_formula(&mut self, open: Token, close: &str) -> Read<RegularId> {
        let mut stack: Vec<Waiting> = Vec::new();
        let mut opened = 0usize;
        if self.token().is(close) {
            return Err(self
                .error(open.start, self.token().end, "a modality without an action")
                .label("nothing between these")
                .help("`true` is every action")
                .into());
        }
        loop {
            let Some(mut value) = self.regular_operand(&mut stack, open)? else {
                opened += usize::from(matches!(stack.last(), Some(Waiting::Open { .. })));
                continue;
            };
            loop {
                let token = self.token();
                if token.is(close) && opened == 0 {
                    value = self.reduce_regular(&mut stack, value, 0, token)?;
                    self.at = token.end;
                    return Ok(value);
                }
                if let Some((operator, end)) = self.joins(token) {
                    value = self.reduce_regular(&mut stack, value, operator.level(), token)?;
                    self.at = end;
                    stack.push(Waiting::Binary { left: value, operator });
                    break;
                }
                let node: Option<fn(RegularId) -> RegularNode> = match token.kind {
                    Kind::Sign("*") => Some(RegularNode::Star),
                    Kind::Sign("+") => Some(RegularNode::Plus),
                    Kind::Sign("?") => Some(RegularNode::Optional),
                    _ => None,
                };
                if let Some(node) = node {
                    value = self.reduce_regular(&mut stack, value, AFTER, token)?;
                    self.at = token.end;
                    value = self.formulas.add_regular(node(value));
                    continue;
                }
                match token.kind {
                    Kind::Sign(")") => {
                        value = self.reduce_regular(&mut stack, value, 0, token)?;
                        match stack.pop() {
                            Some(Waiting::Open { .. }) => {
                                self.at = token.end;
                                opened -= 1;
                            }
                            _ => {
                                let text = "this `)` closes nothing";
                                return Err(self.error(token.start, token.end, text).into());
                            }
                        }
                    }
                    Kind::End => return Err(self.unclosed(Unclosed::Open(self.innermost(&stack, open)))),
                    Kind::Sign("{") => {
                        return Err(self.refused(token, "how often something is repeated, in braces,"));
                    }
                    _ => {
                        let text = format!("`{}` does not go on a regular formula", self.words(token));
                        let help = "actions are joined by `.` (then), `|` (or), `*`, `+`, `?`, `and`, `or`, `not`; a label with other signs stands \
                                    in double quotes";
                        return Err(self
                            .error(token.start, token.end, text)
                            .label(format!("expected an operator or `{close}`"))
                            .help(help)
                            .into());
                    }
                }
            }
        }
    }

    fn innermost(&self, stack: &[Waiting], open: Token) -> usize {
        let opened = stack.iter().rev().find_map(|waiting| match waiting {
            Waiting::Open { at } => Some(*at),
            _ => None,
        });
        opened.unwrap_or(open.start)
    }

    fn reduce_regular(
        &mut self,
        stack: &mut Vec<Waiting>,
        mut value: RegularId,
        level: u8,
        token: Token,
    ) -> Read<RegularId> {
        loop {
            let tighter = match stack.last() {
                None | Some(Waiting::Open { .. }) => false,
                Some(Waiting::Not) => true,
                Some(Waiting::Binary { operator, .. }) => operator.level() >= level,
            };
            if !tighter {
                return Ok(value);
            }
            value = match stack.pop().expect("it was looked at") {
                Waiting::Not => {
                    let action = self.only_action(value, token)?;
                    let not = self.formulas.add_action(ActionNode::Not(action));
                    self.formulas.add_regular(RegularNode::Step(not))
                }
                Waiting::Binary { left, operator } => self.join_regular(left, operator, value, token)?,
                Waiting::Open { .. } => unreachable!(),
            };
        }
    }

    fn join_regular(
        &mut self,
        left: RegularId,
        operator: Joins,
        right: RegularId,
        token: Token,
    ) -> Read<RegularId> {
        match operator {
            Joins::Sequence => Ok(self.formulas.add_regular(RegularNode::Sequence([left, right].into()))),
            Joins::Choice => Ok(self.formulas.add_regular(RegularNode::Choice([left, right].into()))),
            Joins::And | Joins::Or | Joins::Implies => {
                let a = self.only_action(left, token)?;
                let b = self.only_action(right, token)?;
                let action = match operator {
                    Joins::And => ActionNode::And([a, b].into()),
                    Joins::Or => ActionNode::Or([a, b].into()),
                    _ => {
                        let not = self.formulas.add_action(ActionNode::Not(a));
                        ActionNode::Or([not, b].into())
                    }
                };
                Ok(self.formulas.step(action))
            }
        }
    }

    /// The action formula that a regular formula is.
    fn only_action(&self, regular: RegularId, token: Token) -> Read<ActionId> {
        match self.formulas.regular(regular) {
            RegularNode::Step(action) => Ok(*action),
            _ => Err(self
                .error(token.start, token.end, "`not`, `and` and `or` join actions, not sequences of actions")
                .label("before here")
                .help("`|` is either of two sequences; a sequence has no negation")
                .into()),
        }
    }

    /// The operator between two regular formulas that `token` begins.
    fn joins(&self, token: Token) -> Option<(Joins, usize)> {
        let next = self.scanner.token(token.end);
        let begins = matches!(next.kind, Kind::Word | Kind::Quote | Kind::Other('\'' | 'τ'))
            || matches!(next.kind, Kind::Sign("(" | "!" | "~" | "{"));
        let operator = match token.kind {
            Kind::Sign(".") => Joins::Sequence,
            Kind::Sign("|") => Joins::Choice,
            Kind::Sign("+") if begins => Joins::Choice,
            Kind::Sign("&&" | "&" | "/\\") => Joins::And,
            Kind::Sign("||" | "\\/") => Joins::Or,
            Kind::Sign("->" | "=>") => Joins::Implies,
            Kind::Word => match self.words(token) {
                "and" => Joins::And,
                "or" => Joins::Or,
                "implies" => Joins::Implies,
                _ => return None,
            },
            _ => return None,
        };
        Some((operator, token.end))
    }

    fn regular_operand(&mut self, stack: &mut Vec<Waiting>, open: Token) -> Read<Option<RegularId>> {
        let token = self.token();
        let action = match token.kind {
            Kind::Sign("~") if self.scanner.token(token.end).kind == Kind::Quote => {
                let quote = self.scanner.token(token.end);
                let (text, end) = self.string(quote)?;
                self.at = end;
                self.formulas.add_label(LabelTest::Regex(text), quote.start..end)
            }
            Kind::Sign("!" | "~") => {
                self.at = token.end;
                stack.push(Waiting::Not);
                return Ok(None);
            }
            Kind::Sign("(") => {
                self.at = token.end;
                stack.push(Waiting::Open { at: token.start });
                return Ok(None);
            }
            Kind::Quote => self.quoted_label(token)?,
            Kind::Other('\'') => {
                let rest = self.scanner.slice(token.end, self.scanner.end());
                let Some(length) = rest.find('\'') else {
                    return Err(self.unclosed(Unclosed::Open(token.start)));
                };
                let text = rest[..length].to_owned();
                self.at = token.end + length + 1;
                self.formulas.add_label(LabelTest::Regex(text), token.start..self.at)
            }
            Kind::Sign("{") => self.label_in_braces(token)?,
            Kind::Word => match self.action_word(stack, token)? {
                Some(regular) => return Ok(Some(regular)),
                None => return Ok(None),
            },
            Kind::End => return Err(self.unclosed(Unclosed::Open(self.innermost(stack, open)))),
            _ => {
                let text = format!("`{}` where an action should begin", self.words(token));
                let help =
                    "an action is a label, a text in double quotes, `true`, `tau` or a formula of such";
                return Err(self.error(token.start, token.end, text).label("no action").help(help).into());
            }
        };
        Ok(Some(self.formulas.add_regular(RegularNode::Step(action))))
    }

    fn string(&self, quote: Token) -> Read<(String, usize)> {
        self.scanner.quoted(quote.start).ok_or_else(|| self.unclosed(Unclosed::Open(quote.start)))
    }

    /// A label in double quotes. `"SEND".*`, which some write for every label that begins so, is one too.
    fn quoted_label(&mut self, quote: Token) -> Read<ActionId> {
        let (mut text, mut end) = self.string(quote)?;
        let dot = self.scanner.token(end);
        let star = self.scanner.token(dot.end);
        let mut any = self.door == Door::Own;
        if dot.is(".") && star.is("*") && dot.start == end && star.start == dot.end {
            text.push_str(".*");
            (end, any) = (star.end, true);
        }
        self.at = end;
        let test = if any { LabelTest::Text(text) } else { LabelTest::Exactly(text) };
        Ok(self.formulas.add_label(test, quote.start..end))
    }

    /// `{SEND !1 !true}`: the label of a gate with values. What binds a value or tests it is outside the language.
    fn label_in_braces(&mut self, open: Token) -> Read<ActionId> {
        let rest = self.scanner.slice(open.end, self.scanner.end());
        let Some(length) = rest.find('}') else { return Err(self.unclosed(Unclosed::Open(open.start))) };
        let inside = &rest[..length];
        if self.door == Door::Mcf || !inside.trim_start().starts_with(|c: char| c.is_alphanumeric()) {
            return Err(self.refused(open, "a label with values in braces"));
        }
        if inside.contains('?') {
            return Err(self.refused(open, "a label that binds values (`?`)"));
        }
        if inside.contains("...") || inside.split_whitespace().any(|word| word == "where") {
            return Err(self.refused(open, "a test of a label's values (`where`, `...`)"));
        }
        let text = inside.split('!').map(str::trim).collect::<Vec<_>>().join(" !");
        let end = open.end + length + 1;
        self.at = end;
        Ok(self.formulas.add_label(LabelTest::Exactly(text), open.start..end))
    }

    fn action_word(&mut self, stack: &mut Vec<Waiting>, token: Token) -> Read<Option<RegularId>> {
        let word = self.words(token).to_owned();
        let after = self.scanner.token(token.end);
        self.at = token.end;
        let node = match word.as_str() {
            "not" => {
                stack.push(Waiting::Not);
                return Ok(None);
            }
            "true" | "any" => ActionNode::True,
            "false" => ActionNode::False,
            "tau" | "i" | "τ" => ActionNode::Tau,
            "nil" => return Ok(Some(self.formulas.add_regular(RegularNode::Nil))),
            "forall" | "exists" if after.kind == Kind::Word => {
                return Err(self.refused(token, &format!("`{word}` over data")));
            }
            "val" if after.is("(") => return Err(self.refused(token, "a data expression `val(..)`")),
            "for" | "while" | "repeat" | "if" | "case" | "let" if after.kind == Kind::Word => {
                return Err(self.refused(token, &format!("`{word}`")));
            }
            _ => {
                let mut end = token.end;
                let call = after.is("(") && after.start == token.end;
                if call {
                    end = self.scanner.closing(after.start).map_err(|why| self.unclosed(why))?;
                }
                let time = self.scanner.token(end);
                if time.is("@") {
                    return Err(self.refused(time, "a time after `@`"));
                }
                let mut text = self.scanner.slice(token.start, end).to_owned();
                let mut calls = call;
                if self.door == Door::Mcf {
                    // A multi-action: its label is that of its actions, joined.
                    let mut parts = vec![text.clone()];
                    loop {
                        let bar = self.scanner.token(end);
                        let name = self.scanner.token(bar.end);
                        if !bar.is("|") || name.kind != Kind::Word {
                            break;
                        }
                        let open = self.scanner.token(name.end);
                        end = name.end;
                        if open.is("(") && open.start == name.end {
                            calls = true;
                            end = self.scanner.closing(open.start).map_err(|why| self.unclosed(why))?;
                        }
                        parts.push(self.scanner.slice(name.start, end).to_owned());
                    }
                    parts.sort();
                    text = parts.join("|");
                }
                self.at = end;
                let test = match (calls, self.door) {
                    (true, _) => LabelTest::Call(text.split_whitespace().collect()),
                    (false, Door::Mcf) => LabelTest::Exactly(text),
                    (false, _) => LabelTest::Name(text),
                };
                let action = self.formulas.add_label(test, token.start..end);
                return Ok(Some(self.formulas.add_regular(RegularNode::Step(action))));
            }
        };
        let action = self.formulas.add_action(node);
        Ok(Some(self.formulas.add_regular(RegularNode::Step(action))))
    }
}
