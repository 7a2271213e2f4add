//! Declarations, lookup by name, and what was never used.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Checker, Uses};
use crate::ast;
use crate::model::*;
use crate::sources::Span;
use elnath_source::codes;

impl Checker<'_> {
    /// Declares all variables of a declaration in the innermost scope.
    pub(super) fn declare(&mut self, decl: &ast::Decl, owner: Owner) -> Vec<VarId> {
        let mut ids = Vec::with_capacity(decl.declarators.len());
        for declarator in &decl.declarators {
            let ty = self.resolve_type(&decl.ty, declarator.width.as_ref());
            let size = self.array_size(declarator.size.as_ref(), ty);
            let total = self.size_of(ty).saturating_mul(u64::from(size.unwrap_or(1)));
            if total > super::LARGEST {
                self.error(
                    format!("`{}` has more than {} elements", declarator.name.text, super::LARGEST),
                    declarator.span,
                );
            }
            // The initialiser does not see the variable itself.
            let init = declarator.init.as_ref().and_then(|init| self.initial(init, ty, size));
            if let (Owner::Parameter(_), Some(_)) = (owner, size) {
                self.error("a parameter cannot be an array", declarator.span);
            }
            if owner != Owner::Global && decl.visibility == Visibility::Hidden {
                self.error("only a global variable can be `hidden`", declarator.name.span);
            }
            ids.push(self.declare_one(&declarator.name, ty, size, owner, decl.visibility, init));
        }
        ids
    }

    fn declare_one(
        &mut self,
        name: &ast::Ident,
        ty: Type,
        size: Option<u32>,
        owner: Owner,
        visibility: Visibility,
        init: Option<Initial>,
    ) -> VarId {
        self.name_is_free(name);
        let span = name.span;
        let id =
            self.add_variable(Variable { name: name.text.clone(), ty, size, owner, visibility, init, span });
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.text.clone(), id);
        }
        id
    }

    /// A variable that no name leads to.
    pub(super) fn add_variable(&mut self, variable: Variable) -> VarId {
        self.variables.push(variable);
        self.uses.push(Uses::default());
        VarId(self.variables.len() as u32 - 1)
    }

    fn name_is_free(&mut self, name: &ast::Ident) {
        if name.text.starts_with('_')
            && matches!(&*name.text, "_" | "_pid" | "_nr_pr" | "_last" | "_priority")
        {
            return self.error(format!("`{}` is predefined", name.text), name.span);
        }
        if let Some(&(_, _, first)) = self.symbols.get(&name.text) {
            return self.twice("name", name, first);
        }
        if self.scopes.len() == 1
            && let Some(&(_, process)) = self.process_names.get(&name.text)
        {
            return self.twice("name", name, process.name.span);
        }
        let depth = self.scopes.iter().rposition(|scope| scope.contains_key(&name.text));
        let Some(depth) = depth else { return };
        let first = self.variables[self.scopes[depth][&name.text].index()].span;
        if depth + 1 == self.scopes.len() {
            return self.twice("variable", name, first);
        }
        let message = self
            .sources
            .warning(format!("`{}` hides another variable of that name", name.text), name.span)
            .code(codes::SHADOWED)
            .also(self.sources.place(first), "this one")
            .help("SPIN 6.5 refuses this");
        self.report(message);
    }

    /// Runs `inside` in a scope of its own.
    pub(super) fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(HashMap::new());
        let result = inside(self);
        self.scopes.pop();
        result
    }

    pub(super) fn lookup(&self, name: &Arc<str>) -> Option<VarId> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name).copied())
    }

    /// Reports an undeclared name, with the most similar one that exists.
    pub(super) fn unknown(&mut self, what: &str, name: &str, span: Span, candidates: Vec<Arc<str>>) {
        let message = self.sources.error(format!("there is no {what} `{name}`"), span);
        let message = message.code(codes::UNKNOWN_NAME);
        let message = match elnath_source::nearest(name, candidates) {
            Some(similar) => message.help(format!("did you mean `{similar}`?")),
            None => message,
        };
        self.report(message);
    }

    pub(super) fn unknown_variable(&mut self, name: &ast::Ident) {
        let small = name.text.to_lowercase();
        if matches!(&*small, "true" | "false") {
            let text = format!("there is no variable `{}`", name.text);
            let message = self.sources.error(text, name.span).code(codes::UNKNOWN_NAME);
            return self.report(message.help(format!("the truth values are written `{small}`")));
        }
        let visible = self.scopes.iter().flat_map(|scope| scope.keys().cloned());
        let candidates: Vec<Arc<str>> = visible.chain(self.symbols.keys().cloned()).collect();
        self.unknown("variable", &name.text, name.span, candidates);
    }

    pub(super) fn warn_about_unused(&mut self) {
        self.warn_about_labels();
        self.warn_about_instances();
        for index in 0..self.variables.len() {
            let variable = &self.variables[index];
            let written = self.uses[index].written;
            let read = self.uses[index].read || self.facts.uses[index].read;
            let parameter = matches!(variable.owner, Owner::Parameter(_));
            let structure = matches!(variable.ty, Type::Struct(_));
            let what = if parameter { "parameter" } else { "variable" };
            let (name, span) = (variable.name.clone(), variable.span);
            let never_set = variable.init.is_none() && !parameter && !structure;
            if !read && !written {
                self.warn(codes::UNUSED_VARIABLE, format!("{what} `{name}` is never used"), span);
            } else if !read {
                self.warn(codes::NEVER_READ, format!("{what} `{name}` is written but never read"), span);
            } else if !written && never_set && &*name == "STDIN" && variable.ty == Type::Chan {
                // SPIN's verifier, too, finds no channel there.
                let text = "`STDIN` is the keyboard only when SPIN simulates; here it is no channel";
                self.warn(codes::NO_KEYBOARD, text, span);
            } else if !written && never_set {
                let value = if variable.ty == Type::Chan { "no channel" } else { "always 0" };
                let text = format!("{what} `{name}` is never written: it is {value}");
                self.warn(codes::NEVER_WRITTEN, text, span);
            }
        }
    }

    /// Labels that nothing jumps to or looks at, and that have a meaning in other letters: `End`, `ACCEPT`. Others may be there for
    /// readers, or for a formula that comes later.
    fn warn_about_labels(&mut self) {
        const MEANT: [&str; 3] = ["end", "accept", "progress"];
        let mut idle = Vec::new();
        for process in &self.processes {
            let is_idle = |label: &&Label| {
                let used = |used: &(Arc<str>, Arc<str>)| used.0 == process.name && used.1 == label.name;
                let begins = |name: &str| MEANT.iter().any(|word| name.starts_with(word));
                let looks_so = !begins(&label.name) && begins(&label.name.to_lowercase());
                looks_so && !self.used_labels.iter().any(used)
            };
            let labels = process.labels.iter().filter(is_idle);
            idle.extend(labels.map(|label| (label.name.clone(), label.span)));
        }
        for (name, span) in idle {
            let text =
                format!("label `{name}` is not used, and means nothing: only small letters make it special");
            self.warn(codes::UNUSED_LABEL, text, span);
        }
    }

    /// References to a process by its type where there are several of that type.
    fn warn_about_instances(&mut self) {
        for (name, span) in std::mem::take(&mut self.by_type) {
            let declared = self.processes.iter().find(|process| process.name == name);
            let active = declared.map_or(0, |process| process.active as usize);
            let runs = self.runs.iter().filter(|run| **run == name).count();
            if active + runs > 1 {
                let several = if active > 1 { "there are several" } else { "there can be several" };
                let text = format!("`{name}` is meant without a number, and {several} such processes");
                let message = self.sources.warning(text, span).code(codes::AMBIGUOUS_PROCESS);
                let help =
                    format!("one of them is looked at: write `{name}[N]` with the number that `run` gives");
                self.report(message.help(help));
            }
        }
    }
}
