//! Functions and procedures, in the body that uses them.

use super::{At, Checker, Entry};
use crate::ast::{Routine, Span};
use crate::tree::{RoutineDef, Ty, VarKind};
use elnath_source::codes;

impl<'a> Checker<'a> {
    /// The number of a routine in the current body, which is checked there if it was not yet. It sees the first `scopes` scopes.
    pub(super) fn routine(
        &mut self,
        routine: &'a Routine,
        scopes: usize,
        used: Option<&Span>,
    ) -> Option<usize> {
        let key = std::ptr::from_ref(routine).addr();
        match self.current().routines.get(&key) {
            Some(Some(number)) => return Some(*number),
            Some(None) => {
                if let Some(span) = used {
                    self.refuse("recursion", "the depth of calls must be known", span);
                }
                return None;
            }
            None => {}
        }
        let Some(block) = &routine.block else {
            let span = used.unwrap_or(&routine.name.span);
            self.refuse("a routine that is declared elsewhere", "what it does is not in this text", span);
            return None;
        };
        self.current().routines.insert(key, None);
        // The names of whoever calls it are not its own.
        let hidden = self.scopes.split_off(scopes.min(self.scopes.len()));
        let before = std::mem::replace(&mut self.current().at, At::Routine);
        self.open();
        let mut parameters = Vec::new();
        for parameter in &routine.parameters {
            let ty = self.ty(&parameter.ty);
            let kind = if parameter.by_reference { VarKind::Reference } else { VarKind::Local };
            for name in &parameter.names {
                let var = self.var(&name.text, ty.clone(), kind);
                self.declare(name, Entry::Var(var));
                parameters.push(var);
            }
        }
        let result = routine.result.as_ref().map(|result| {
            let ty = self.ty(result);
            if !ty.is_scalar() {
                self.error(codes::WRONG_USE, format!("a function cannot return {}", ty.name()), &result.span);
            }
            self.var(&routine.name.text, if ty.is_scalar() { ty } else { Ty::Bad }, VarKind::Local)
        });
        for declaration in &routine.declarations {
            self.declaration(declaration);
        }
        self.results.push((routine.name.key.clone(), result));
        let body = self.statements(block);
        self.results.pop();
        self.close();
        self.current().at = before;
        self.scopes.extend(hidden);
        self.current().def.routines.push(RoutineDef { parameters, result, body });
        let number = self.def().routines.len() - 1;
        self.current().routines.insert(key, Some(number));
        Some(number)
    }
}
