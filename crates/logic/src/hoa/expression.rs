//! The two languages of expressions in HOA: labels over propositions, and acceptance conditions over sets.

use super::acceptance::{Condition, Literal};
use super::lexer::Kind;
use super::read::{Reader, Reading};
use crate::automaton::{Cube, Label};
use crate::label::MOST_CUBES;

/// How deep parentheses and negations may nest.
const MOST_DEPTH: u32 = 200;

/// A label and its complement. Both are kept, each if it is not too large, because an alias may be used under a
/// negation, and the complement of a sum of cubes is dear while that of an expression is not.
#[derive(Clone)]
pub(super) struct Formula {
    yes: Option<Label>,
    no: Option<Label>,
}

impl Formula {
    fn constant(value: bool) -> Formula {
        let (yes, no) = (Some(Label::always()), Some(Label::never()));
        if value { Formula { yes, no } } else { Formula { yes: no, no: yes } }
    }

    fn not(self) -> Formula {
        Formula { yes: self.no, no: self.yes }
    }

    fn and(&self, other: &Formula) -> Formula {
        Formula {
            yes: self.yes.as_ref().zip(other.yes.as_ref()).and_then(|(a, b)| a.and(b)),
            no: self.no.as_ref().zip(other.no.as_ref()).and_then(|(a, b)| a.or(b)),
        }
    }
}

impl Reader<'_> {
    /// `[ expression ]`, if it is there.
    pub(super) fn label(&mut self) -> Reading<Option<Label>> {
        let open = self.peek();
        if !self.sign(b'[') {
            return Ok(None);
        }
        let formula = self.disjunction(0)?;
        if !self.sign(b']') {
            return self.refuse("] is missing here");
        }
        match formula.yes {
            Some(label) => Ok(Some(label.tidy())),
            None => {
                let text = format!(
                    "this label is too large: as a sum of products it has more than {MOST_CUBES} terms"
                );
                self.refuse_token(open, &text)
            }
        }
    }

    pub(super) fn disjunction(&mut self, depth: u32) -> Reading<Formula> {
        let mut formula = self.conjunction(depth)?;
        while self.sign(b'|') {
            // a | b is !(!a & !b), and negation costs nothing.
            let other = self.conjunction(depth)?;
            formula = formula.not().and(&other.not()).not();
        }
        Ok(formula)
    }

    fn conjunction(&mut self, depth: u32) -> Reading<Formula> {
        let mut formula = self.factor(depth)?;
        while self.sign(b'&') {
            formula = formula.and(&self.factor(depth)?);
        }
        Ok(formula)
    }

    fn factor(&mut self, depth: u32) -> Reading<Formula> {
        if depth > MOST_DEPTH {
            return self.refuse("this is nested too deeply");
        }
        if self.sign(b'!') {
            return Ok(self.factor(depth + 1)?.not());
        }
        if self.sign(b'(') {
            let formula = self.disjunction(depth + 1)?;
            if !self.sign(b')') {
                return self.refuse(") is missing here");
            }
            return Ok(formula);
        }
        let Some(token) = self.peek() else { return self.refuse("a label is missing") };
        let formula = match (token.kind, self.text(token)) {
            (Kind::Word, "t") => Formula::constant(true),
            (Kind::Word, "f") => Formula::constant(false),
            (Kind::Int(n), _) if (n as usize) < self.header.propositions.len() => {
                let literal = |holds| Some(Label(vec![Cube::literal(n as usize, holds)]));
                Formula { yes: literal(true), no: literal(false) }
            }
            (Kind::Int(n), _) => {
                let declared = self.header.propositions.len();
                return self.refuse(&format!("there is no proposition {n}: {declared} are declared"));
            }
            (Kind::Alias, name) => match self.header.aliases.get(name) {
                Some(formula) => formula.clone(),
                None => return self.refuse("this alias is not defined (before here)"),
            },
            _ => {
                return self
                    .refuse("a label is made of numbers of propositions, aliases, t, f, !, &, | and ( )");
            }
        };
        self.at += 1;
        Ok(formula)
    }

    /// An acceptance condition.
    pub(super) fn any_of(&mut self, sets: u32, depth: u32) -> Reading<Condition> {
        let mut parts = vec![self.all_of(sets, depth)?];
        while self.sign(b'|') {
            parts.push(self.all_of(sets, depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Condition::Or(parts) })
    }

    fn all_of(&mut self, sets: u32, depth: u32) -> Reading<Condition> {
        let mut parts = vec![self.acceptance_atom(sets, depth)?];
        while self.sign(b'&') {
            parts.push(self.acceptance_atom(sets, depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Condition::And(parts) })
    }

    fn acceptance_atom(&mut self, sets: u32, depth: u32) -> Reading<Condition> {
        if depth > MOST_DEPTH {
            return self.refuse("this is nested too deeply");
        }
        if self.sign(b'(') {
            let condition = self.any_of(sets, depth + 1)?;
            if !self.sign(b')') {
                return self.refuse(") is missing here");
            }
            return Ok(condition);
        }
        let word = self.peek_text().unwrap_or_default();
        match word {
            "t" => {
                self.at += 1;
                Ok(Condition::And(Vec::new()))
            }
            "f" => {
                self.at += 1;
                Ok(Condition::Or(Vec::new()))
            }
            "Inf" | "Fin" => {
                self.at += 1;
                if !self.sign(b'(') {
                    return self.refuse("( is missing here");
                }
                let complement = self.sign(b'!');
                let token = self.peek();
                let set = self.number("the number of an acceptance set")?;
                if set >= sets {
                    let text = format!("there is no acceptance set {set}: {sets} are declared");
                    return self.refuse_token(token, &text);
                }
                if !self.sign(b')') {
                    return self.refuse(") is missing here");
                }
                let literal = Literal { set, complement };
                Ok(if word == "Inf" { Condition::Inf(literal) } else { Condition::Fin(literal) })
            }
            _ => self.refuse("a condition is made of Inf(..), Fin(..), t, f, &, | and ( )"),
        }
    }
}
