//! Transitions: clauses that groups share, and what they mean for each of them.
//!
//! Clauses nest. A group that begins with a clause of some kind replaces, of the clauses before it, the last one of that kind and all that
//! came after that one; `trans` begins anew. `provided otherwise` is true where the guards before it, in the place that it stands in, are
//! false; that there is none is a mistake, since it would always be true.

use super::expression::MOST_CHOICES;
use super::{At, Checker, Entry};
use crate::ast::{Block, Clause, ClauseKind, Group, Name, Span};
use crate::tree::{Base, K, Ordinal, TransitionDef, Ty, VarKind, When, X};
use elnath_source::codes;

/// A clause in force, and the guards before it in its place.
#[derive(Clone)]
struct InForce<'a> {
    clause: &'a Clause,
    /// For `provided`: those that stood here before.
    before: Vec<&'a crate::ast::Expr>,
}

impl<'a> Checker<'a> {
    pub(super) fn transitions(&mut self, block: &'a Block) {
        self.current().at = At::Initialize;
        let all = self.sections(std::slice::from_ref(&block.initialize));
        self.current().def.initialize = all;
        self.current().at = At::Transition;
        let all = self.sections(&block.transitions);
        self.current().def.transitions = all;
        self.current().at = At::Declarations;
        if !self.def().transitions.is_empty() && !self.def().modvars.is_empty() {
            let span = self.def().transitions[0].span.clone();
            self.refuse(
                "a module with both transitions and submodules",
                "only leaves of the tree are active",
                &span,
            );
        }
    }

    fn sections(&mut self, sections: &'a [Vec<Group>]) -> Vec<TransitionDef> {
        let mut all = Vec::new();
        for section in sections {
            let mut stack: Vec<InForce<'a>> = Vec::new();
            for group in section {
                for clause in &group.clauses {
                    let same = |known: &InForce<'_>| known.clause.kind.number() == clause.kind.number();
                    let mut before = Vec::new();
                    if let Some(at) = stack.iter().position(same) {
                        let old = stack[at].clone();
                        stack.truncate(at);
                        if let ClauseKind::Provided(guard) = &old.clause.kind {
                            before = old.before;
                            before.extend(guard);
                        }
                    }
                    stack.push(InForce { clause, before });
                }
                all.extend(self.transition(group, &stack));
            }
        }
        all
    }

    fn transition(&mut self, group: &'a Group, clauses: &[InForce<'a>]) -> Option<TransitionDef> {
        self.open();
        let mut made = TransitionDef {
            name: group.name.as_ref().map(|name| name.text.clone()),
            from: Vec::new(),
            to: None,
            when: None,
            provided: None,
            priority: None,
            delay: None,
            any: Vec::new(),
            body: Vec::new(),
            span: group.span.clone(),
        };
        let starts = self.at() == At::Initialize;
        let mut complete = true;
        // What the others may name comes first.
        for InForce { clause, .. } in clauses {
            if let ClauseKind::Any(all) = &clause.kind {
                for (names, ty) in all {
                    let vars = self.choices(names, ty);
                    complete &= vars.iter().all(|&var| !matches!(self.def().vars[var].ty, Ty::Bad));
                    made.any.extend(vars);
                }
            }
        }
        let counts = made.any.iter().map(|&var| self.def().vars[var].ty.ordinal().map_or(1, Ordinal::count));
        if counts.fold(1u64, u64::saturating_mul) > MOST_CHOICES {
            let text = format!("there are more than {MOST_CHOICES} combinations of values to go through");
            self.error(codes::BEYOND_LIMIT, text, &made.span);
            complete = false;
        }
        for InForce { clause, .. } in clauses {
            match &clause.kind {
                ClauseKind::When { point, indices, message, parameters } => {
                    let when = self.when(point, indices, message, parameters.as_deref());
                    complete &= when.is_some();
                    made.when = when;
                }
                ClauseKind::From(names) => {
                    made.from = self.states(names);
                    complete &= !made.from.is_empty();
                }
                ClauseKind::To(Some(name)) => match self.find(name, "state") {
                    Some(Entry::State(state)) => made.to = Some(state),
                    Some(other) => self.wrong(name, &other, "a state"),
                    None => {}
                },
                _ => {}
            }
            let number = clause.kind.number();
            if starts && !matches!(clause.kind, ClauseKind::To(Some(_)) | ClauseKind::Provided(_)) {
                let text = format!("an initialisation has no `{}`", ClauseKind::WORDS[number]);
                self.error(codes::WRONG_USE, text, &clause.span);
                complete = false;
            }
        }
        for InForce { clause, before } in clauses {
            match &clause.kind {
                ClauseKind::Provided(guard) => {
                    made.provided = self.guard(guard.as_ref(), before, &clause.span);
                }
                ClauseKind::Priority(value) => {
                    if let Some((number, ty)) = self.constant(value) {
                        let counts = ty.ordinal().is_some_and(|ordinal| matches!(ordinal.base, Base::Int));
                        if !counts || number < 0 {
                            self.error(codes::WRONG_USE, "a priority is a number from 0 on", &value.span);
                        }
                        made.priority = Some(number);
                    }
                }
                ClauseKind::Delay(least, most) => {
                    if clauses.iter().any(|other| matches!(other.clause.kind, ClauseKind::When { .. })) {
                        let text = "a transition with `when` has no `delay`";
                        self.error(codes::WRONG_USE, text, &clause.span);
                        complete = false;
                    }
                    let least = self.integer(least);
                    let most = match most {
                        None => Some(least.clone()),
                        Some(most) => most.as_ref().map(|most| self.integer(most)),
                    };
                    made.delay = Some((least, most));
                }
                _ => {}
            }
        }
        for declaration in &group.declarations {
            // What is declared here is the transition's.
            let at = std::mem::replace(&mut self.current().at, At::Routine);
            self.declaration(declaration);
            self.current().at = at;
        }
        made.body = self.statements(&group.block);
        self.close();
        complete.then_some(made)
    }

    fn when(
        &mut self,
        point: &Name,
        indices: &[crate::ast::Expr],
        message: &Name,
        names: Option<&[Name]>,
    ) -> Option<When> {
        let (point, indices) = self.point(point, indices)?;
        let (channel, role) = (self.def().points[point].channel, self.def().points[point].role);
        let number = self.interaction(channel, message)?;
        let def = &self.out.channels[channel].messages[number];
        let (by, declared) = (def.by, def.parameters.clone());
        if !by[1 - role] {
            let text = format!("`{}` never arrives here", message.text);
            let other = self.out.channels[channel].roles[1 - role].1.clone();
            self.error(codes::WRONG_USE, text, &message.span).label =
                format!("the role `{other}` does not send it");
        }
        if let Some(names) = names
            && names.len() != declared.len()
        {
            let text =
                format!("`{}` has {} parameters, and gets {}", message.text, declared.len(), names.len());
            self.error(codes::WRONG_USE, text, &message.span);
            return None;
        }
        let mut parameters = Vec::new();
        for (number, (key, name, ty)) in declared.into_iter().enumerate() {
            match names {
                Some(names) => {
                    let var = self.var(&names[number].text, ty, VarKind::Message(number));
                    self.declare(&names[number], Entry::Var(var));
                    parameters.push(var);
                }
                None => {
                    let var = self.var(&name, ty, VarKind::Message(number));
                    let scope = self.scopes.last_mut().expect("a scope is open");
                    scope.names.insert(key, (Entry::Var(var), None));
                    parameters.push(var);
                }
            }
        }
        Some(When { point, indices, message: number, parameters })
    }

    fn guard(
        &mut self,
        guard: Option<&crate::ast::Expr>,
        before: &[&crate::ast::Expr],
        span: &Span,
    ) -> Option<X> {
        if let Some(guard) = guard {
            return Some(self.condition(guard));
        }
        if before.is_empty() {
            let text = "`otherwise` follows no other guard in its place";
            self.error(codes::WRONG_USE, text, span).help = Some(
                "a clause that is written again ends the place of those after it: write `provided` before them".to_owned(),
            );
            return None;
        }
        let ty = Ty::Ordinal(Ordinal::boolean());
        let make = |kind| X { kind, ty: ty.clone(), span: span.clone() };
        let mut all: Option<X> = None;
        for guard in before {
            let guard = self.condition(guard);
            all = Some(match all {
                None => guard,
                Some(all) => make(K::Binary(crate::ast::Operator::Or, Box::new([all, guard]))),
            });
        }
        all.map(|all| make(K::Not(Box::new(all))))
    }
}
