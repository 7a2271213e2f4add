//! Definitions of types.

use super::{Parsed, Parser, Said};
use crate::ast::{Attributes, Cond, EquationText, Ident, OperationText, Renaming, Signature, Type, Variable};
use crate::lexer::Token;
use elnath_source::codes;
use std::rc::Rc;

/// What ends a part of a type.
const PARTS: [&str; 15] = [
    "with",
    "formalsorts",
    "formalopns",
    "formaleqns",
    "sorts",
    "opns",
    "eqns",
    "endtype",
    "renamedby",
    "actualizedby",
    "using",
    "type",
    "process",
    "endspec",
    "behaviour",
];

impl Parser<'_> {
    /// All types that stand here.
    pub(super) fn types(&mut self, types: &mut Vec<Type>) {
        while self.eat("type") {
            match self.type_() {
                Ok(one) => types.push(one),
                Err(Said) => {
                    self.skip_to(&["endtype", "type", "process", "endspec", "behaviour", "behavior"]);
                    self.eat("endtype");
                }
            }
        }
    }

    fn type_(&mut self) -> Parsed<Type> {
        let name = self.name("the name of a type")?;
        self.keyword("is")?;
        let mut imports = Vec::new();
        if matches!(self.peek(), Token::Word(word) if !PARTS.contains(&&**word)) {
            imports = self.names("a type")?;
        }
        // Drafts of the standard had this word before what is added to the imports.
        self.eat("with");
        let mut one = Type {
            name,
            imports,
            formal: Signature::default(),
            own: Signature::default(),
            renaming: None,
            actual: None,
        };
        loop {
            let word = match self.peek() {
                Token::Word(word) => word.clone(),
                _ => return Err(self.unexpected("`sorts`, `opns`, `eqns` or `endtype`")),
            };
            match &*word {
                "endtype" => {
                    self.at += 1;
                    return Ok(one);
                }
                "formalsorts" | "sorts" => {
                    self.at += 1;
                    let sorts = self.sorts()?;
                    let formal = &*word == "formalsorts";
                    if formal { &mut one.formal } else { &mut one.own }.sorts.extend(sorts);
                }
                "formalopns" | "opns" => {
                    self.at += 1;
                    let formal = &*word == "formalopns";
                    self.operations(if formal { &mut one.formal } else { &mut one.own });
                }
                "formaleqns" | "eqns" => {
                    self.at += 1;
                    let formal = &*word == "formaleqns";
                    self.equations(if formal { &mut one.formal } else { &mut one.own });
                }
                "renamedby" => {
                    self.at += 1;
                    one.renaming = Some(self.renaming()?);
                }
                "actualizedby" | "actualisedby" => {
                    self.at += 1;
                    one.actual = Some(self.names("a type")?);
                    one.renaming =
                        Some(if self.eat("using") { self.renaming()? } else { Renaming::default() });
                }
                _ => return Err(self.unexpected("`sorts`, `opns`, `eqns` or `endtype`")),
            }
        }
    }

    fn sorts(&mut self) -> Parsed<Vec<(Ident, Attributes)>> {
        let mut sorts = Vec::new();
        loop {
            let sort = self.name("a sort")?;
            sorts.push((sort, self.attributes(self.at - 1)));
            // Commas are optional in old texts.
            self.eat_sign(",");
            if !matches!(self.peek(), Token::Word(word) if !PARTS.contains(&&**word)) {
                return Ok(sorts);
            }
        }
    }

    /// What the special comments behind this word say.
    fn attributes(&self, at: usize) -> Attributes {
        let mut attributes = Attributes::default();
        for comment in &self.words[at].special {
            let mut words = comment.split_whitespace();
            while let Some(word) = words.next() {
                match word {
                    "constructor" => attributes.constructor = true,
                    "external" => attributes.external = true,
                    "builtin" => attributes.builtin = words.next().map(Rc::from),
                    // How C functions are to be called is no matter here.
                    _ => {}
                }
            }
        }
        attributes
    }

    /// Until something else begins. After a mistake, what stands before the next part of the type is skipped.
    fn operations(&mut self, into: &mut Signature) {
        while !PARTS.iter().any(|part| self.is(part)) && self.peek() != &Token::End {
            if self.operation(into).is_err() {
                self.skip_to(&PARTS);
            }
        }
    }

    fn operation(&mut self, into: &mut Signature) -> Parsed<()> {
        let names = self.list(|parser| {
            let before = parser.at;
            let infix = parser.eat_sign("_");
            let name = parser.operation_name()?;
            if infix {
                parser.sign("_")?;
            }
            let mut attributes = Attributes::default();
            for at in before..parser.at {
                let more = parser.attributes(at);
                attributes.constructor |= more.constructor;
                attributes.external |= more.external;
                attributes.builtin = attributes.builtin.or(more.builtin);
            }
            Ok((name, attributes))
        })?;
        self.sign(":")?;
        let mut args = Vec::new();
        if self.peek() != &Token::Sign("->") {
            args = self.names("a sort")?;
        }
        self.sign("->")?;
        let result = self.name("a sort")?;
        let behind = self.attributes(self.at - 1);
        for (name, mut attributes) in names {
            attributes.constructor |= behind.constructor;
            attributes.external |= behind.external;
            attributes.builtin = attributes.builtin.or_else(|| behind.builtin.clone());
            let operation = OperationText { name, args: args.clone(), result: result.clone(), attributes };
            into.operations.push(operation);
        }
        Ok(())
    }

    fn equations(&mut self, into: &mut Signature) {
        let mut outer: Vec<Variable> = Vec::new();
        let mut all: Rc<Vec<Variable>> = Rc::default();
        let mut sort = None;
        loop {
            if PARTS.iter().any(|part| self.is(part)) || self.peek() == &Token::End {
                return;
            }
            let result = if self.eat("forall") {
                self.variables().map(|variables| {
                    // Before `ofsort` they are for all that follows, after it for its equations.
                    if sort.is_none() {
                        outer.extend(variables);
                        all = Rc::new(outer.clone());
                    } else {
                        all = Rc::new(outer.iter().cloned().chain(variables).collect());
                    }
                })
            } else if self.eat("ofsort") {
                all = Rc::new(outer.clone());
                self.name("a sort").map(|name| sort = Some(name))
            } else {
                self.equation(sort.as_ref(), &all).map(|equation| into.equations.push(equation))
            };
            if result.is_err() {
                while !matches!(self.peek(), Token::Sign(";") | Token::End)
                    && !PARTS.iter().any(|part| self.is(part))
                    && !self.is("ofsort")
                {
                    self.at += 1;
                }
                self.eat_sign(";");
            }
        }
    }

    fn equation(&mut self, sort: Option<&Ident>, variables: &Rc<Vec<Variable>>) -> Parsed<EquationText> {
        let mut conds: Vec<Cond> = self.list(Self::cond)?;
        let premises = if self.eat_sign("=>") {
            let left = std::mem::take(&mut conds);
            conds = vec![self.cond()?];
            left
        } else {
            Vec::new()
        };
        let (Some(Cond { left, right: Some(right) }), true) = (conds.pop(), conds.is_empty()) else {
            return Err(self.unexpected("`=` or `=>`"));
        };
        // The last one may do without.
        if !self.eat_sign(";") && !PARTS.iter().any(|part| self.is(part)) && !self.is("ofsort") {
            self.expected("`;`")?;
        }
        Ok(EquationText { variables: Rc::clone(variables), sort: sort.cloned(), premises, left, right })
    }

    fn renaming(&mut self) -> Parsed<Renaming> {
        let mut renaming = Renaming::default();
        let mut seen = false;
        loop {
            let sorts = self.is("sortnames");
            if !sorts && !self.is("opnnames") {
                break;
            }
            seen = true;
            self.at += 1;
            loop {
                let new = if sorts { self.name("a sort")? } else { self.renamed_operation()? };
                self.keyword("for")?;
                let old = if sorts { self.name("a sort")? } else { self.renamed_operation()? };
                if sorts { &mut renaming.sorts } else { &mut renaming.operations }.push((new, old));
                self.eat_sign(",");
                let ends = self.is("sortnames") || self.is("opnnames") || self.is("endtype");
                if ends || self.peek() == &Token::End {
                    break;
                }
            }
        }
        if !seen {
            let message = self.sources.error("expected `sortnames` or `opnnames`", self.span());
            self.messages.push(message.code(codes::SYNTAX));
            return Err(Said);
        }
        Ok(renaming)
    }

    fn renamed_operation(&mut self) -> Parsed<Ident> {
        let infix = self.eat_sign("_");
        let name = self.operation_name()?;
        if infix {
            self.sign("_")?;
        }
        Ok(name)
    }
}
