//! Statements: those of Pascal, those that send, and those that build the tree of modules.

use super::{At, Checker, Entry};
use crate::ast::{Access, Expr, Name, Selector, Span, Statement, StatementKind};
use crate::tree::{K, L, Ordinal, PointDef, PointRef, S, SK, Sel, Ty, X};
use elnath_source::{codes, nearest};

impl<'a> Checker<'a> {
    pub(super) fn statements(&mut self, all: &'a [Statement]) -> Vec<S> {
        let mut out = Vec::new();
        for statement in all {
            self.statement(statement, &mut out);
        }
        out
    }

    fn one(&mut self, statement: &'a Statement) -> Vec<S> {
        let mut out = Vec::new();
        self.statement(statement, &mut out);
        out
    }

    fn statement(&mut self, statement: &'a Statement, out: &mut Vec<S>) {
        let span = &statement.span;
        let kind = match &statement.kind {
            StatementKind::Empty => None,
            StatementKind::Compound(all) => {
                for statement in all {
                    self.statement(statement, out);
                }
                None
            }
            StatementKind::Assign(access, value) => self.assignment(access, value),
            StatementKind::Call(name, arguments) => self.call(name, arguments, span),
            StatementKind::If(condition, then, other) => {
                let condition = self.condition(condition);
                let then = self.one(then);
                let other = other.as_ref().map_or_else(Vec::new, |other| self.one(other));
                Some(SK::If(condition, then, other))
            }
            StatementKind::Case(value, arms, otherwise) => {
                let value = self.expr(value, None);
                if !matches!(value.ty, Ty::Ordinal(_) | Ty::Bad) {
                    let text = format!("`case` does not go with {}", value.ty.name());
                    self.error(codes::WRONG_USE, text, &value.span);
                }
                let mut all = Vec::new();
                let mut taken: Vec<(i32, i32)> = Vec::new();
                for (labels, body) in arms {
                    let mut ranges = Vec::new();
                    for (first, last) in labels {
                        let low = self.label(first, &value.ty);
                        let high = last.as_ref().map_or(low, |last| self.label(last, &value.ty));
                        let (Some(low), Some(high)) = (low, high) else { continue };
                        if taken.iter().any(|&(a, b)| low <= b && a <= high) {
                            self.error(
                                codes::DECLARED_TWICE,
                                "this value already has an option",
                                &first.span,
                            );
                        }
                        taken.push((low, high));
                        ranges.push((low, high));
                    }
                    let body = self.one(body);
                    all.push((ranges, body));
                }
                let otherwise = otherwise.as_ref().map(|otherwise| self.statements(otherwise));
                Some(SK::Case(value, all, otherwise))
            }
            StatementKind::While(condition, body) => {
                let condition = self.condition(condition);
                Some(SK::While(condition, self.one(body)))
            }
            StatementKind::Repeat(body, condition) => {
                let body = self.statements(body);
                Some(SK::Repeat(body, self.condition(condition)))
            }
            StatementKind::For { variable, from, to, down, body } => {
                let access =
                    Access { name: variable.clone(), selectors: Vec::new(), span: variable.span.clone() };
                let target = self.target(&access);
                let ty = match &target {
                    Some(target) if target.ty.ordinal().is_some() => target.ty.clone(),
                    Some(target) => {
                        let text = format!("a loop cannot count {}", target.ty.name());
                        self.error(codes::WRONG_USE, text, &variable.span);
                        Ty::Bad
                    }
                    None => Ty::Bad,
                };
                let (from, to) = (self.same_base(from, &ty), self.same_base(to, &ty));
                let body = self.one(body);
                target.map(|variable| SK::For { variable, from, to, down: *down, body })
            }
            StatementKind::With(records, body) => {
                self.with(records, body, out);
                None
            }
            StatementKind::Output { point, indices, message, arguments } => {
                self.output(point, indices, message, arguments)
            }
            StatementKind::All(names, ty, body) => {
                self.open();
                let vars = self.choices(names, ty);
                let body = self.one(body);
                self.close();
                Some(SK::All(vars, body))
            }
            StatementKind::ForOne { names, ty, such, body, otherwise } => {
                self.open();
                let vars = self.choices(names, ty);
                let such = self.condition(such);
                let body = self.one(body);
                self.close();
                let otherwise = otherwise.as_ref().map_or_else(Vec::new, |otherwise| self.one(otherwise));
                Some(SK::ForOne { vars, such, body, otherwise })
            }
            StatementKind::Init { variable, body, arguments } => self.init(variable, body, arguments, span),
            StatementKind::Bind(connect, ends) => self.bind(*connect, ends, span),
            StatementKind::Refused("goto") => {
                self.refuse("`goto`", "write `while`, `repeat` or `if` instead", span);
                None
            }
            StatementKind::Refused(what) => {
                self.refuse(&format!("`{what}`"), "the tree of modules does not change", span);
                None
            }
        };
        out.extend(kind.map(|kind| S { kind, span: span.clone() }));
    }

    fn label(&mut self, label: &Expr, ty: &Ty) -> Option<i32> {
        let (value, found) = self.constant(label)?;
        if !ty.takes(&found) {
            let text = format!("{} is expected here, and this is {}", ty.name(), found.name());
            self.error(codes::WRONG_USE, text, &label.span);
            return None;
        }
        Some(value)
    }

    fn same_base(&mut self, expr: &Expr, ty: &Ty) -> X {
        let value = self.expr(expr, None);
        if !ty.takes(&value.ty) {
            let text = format!("{} is expected here, and this is {}", ty.name(), value.ty.name());
            self.error(codes::WRONG_USE, text, &expr.span);
        }
        value
    }

    fn assignment(&mut self, access: &Access, value: &Expr) -> Option<SK> {
        // Within a function, its name is its result.
        if access.selectors.is_empty()
            && let Some((name, Some(result))) = self.results.last()
            && *name == access.name.key
        {
            let result = *result;
            let ty = self.def().vars[result].ty.clone();
            let value = self.fitting(value, &ty);
            return Some(SK::Assign(L { var: result, path: Vec::new(), ty }, value));
        }
        let target = self.target(access);
        let ty = target.as_ref().map_or(Ty::Bad, |target| target.ty.clone());
        let value = self.fitting(value, &ty);
        Some(SK::Assign(target?, value))
    }

    fn call(&mut self, name: &Name, arguments: &[Expr], span: &Span) -> Option<SK> {
        match self.find(name, "procedure")? {
            Entry::Routine(routine, scopes) => {
                match self.call_routine(routine, scopes, arguments, span, false).kind {
                    K::Call(number, arguments) => Some(SK::Call(number, arguments)),
                    _ => None,
                }
            }
            other => {
                self.wrong(name, &other, "a procedure");
                None
            }
        }
    }

    /// The fields of the records are names in the body.
    fn with(&mut self, records: &[Access], body: &'a Statement, out: &mut Vec<S>) {
        let depth = self.scopes.len();
        for access in records {
            let Some(place) = self.place(access) else { continue };
            let Ty::Record(record) = &place.ty else {
                let text = format!("{} has no fields", place.ty.name());
                self.error(codes::WRONG_USE, text, &access.span);
                continue;
            };
            // Pascal finds the record once, at the beginning; an index that is a constant is the same later.
            let fixed = |sel: &Sel| match sel {
                Sel::Field(_) => true,
                Sel::Index(X { kind: K::Const(_), .. }, _) => true,
                Sel::Index(X { kind: K::Load(place), .. }, _) => {
                    self.def().vars[place.var].kind == crate::tree::VarKind::Choice
                }
                Sel::Index(..) => false,
            };
            if !place.path.iter().all(fixed) {
                self.error(codes::BEYOND_LIMIT, "`with` goes with constant indices only", &access.span);
                continue;
            }
            // Storing to a field stores to the record.
            self.stored(&place);
            self.open();
            for (number, (key, _, ty)) in record.fields.iter().enumerate() {
                let mut path = place.path.clone();
                path.push(Sel::Field(number));
                let part = Entry::Part(L { var: place.var, path, ty: ty.clone() });
                self.scopes.last_mut().expect("it was just opened").names.insert(key.clone(), (part, None));
            }
        }
        self.statement(body, out);
        self.scopes.truncate(depth);
    }

    // Interaction points.

    /// One of the module's own interaction points, with its indices.
    pub(super) fn point(&mut self, name: &Name, indices: &[Expr]) -> Option<(usize, Vec<X>)> {
        let point = match self.find(name, "interaction point")? {
            Entry::Point(point) => point,
            other => {
                self.wrong(name, &other, "an interaction point");
                return None;
            }
        };
        let dims = self.def().points[point].dims.clone();
        let indices = self.indices(&dims, indices, &name.text, &name.span)?;
        Some((point, indices))
    }

    fn indices(&mut self, dims: &[Ordinal], indices: &[Expr], name: &str, span: &Span) -> Option<Vec<X>> {
        let values: Vec<X> = if dims.len() == indices.len() {
            let all = dims.iter().zip(indices);
            all.map(|(dim, index)| self.fitting(index, &Ty::Ordinal(dim.clone()))).collect()
        } else {
            let text = format!("`{name}` has {} indices, and gets {}", dims.len(), indices.len());
            self.error(codes::WRONG_USE, text, span);
            return None;
        };
        Some(values)
    }

    /// An interaction of a channel.
    pub(super) fn interaction(&mut self, channel: usize, message: &Name) -> Option<usize> {
        let messages = &self.out.channels[channel].messages;
        let found = messages.iter().position(|known| known.key == message.key);
        if found.is_none() {
            let near = nearest(&message.key, messages.iter().map(|known| &known.key));
            let text = format!("the channel has no interaction `{}`", message.text);
            self.error(codes::UNKNOWN_NAME, text, &message.span).help =
                near.map(|near| format!("did you mean `{near}`?"));
        }
        found
    }

    fn output(&mut self, point: &Name, indices: &[Expr], message: &Name, arguments: &[Expr]) -> Option<SK> {
        if self.at() == At::Initialize {
            self.refuse(
                "an output of an initialisation",
                "whether it arrives depends on which modules are connected by then",
                &point.span,
            );
        }
        let (point, indices) = self.point(point, indices)?;
        let PointDef { channel, role, name: point_name, .. } = self.def().points[point].clone();
        let number = self.interaction(channel, message)?;
        let def = &self.out.channels[channel].messages[number];
        let (by, types): (_, Vec<Ty>) =
            (def.by, def.parameters.iter().map(|(_, _, ty)| ty.clone()).collect());
        if !by[role] {
            let text = format!("`{}` is not sent by this role of the channel", message.text);
            let role = &self.out.channels[channel].roles[role].1;
            let label = format!("`{point_name}` has the role `{role}`");
            self.error(codes::WRONG_USE, text, &message.span).label = label;
        }
        if types.len() != arguments.len() {
            let text =
                format!("`{}` has {} parameters, and gets {}", message.text, types.len(), arguments.len());
            self.error(codes::WRONG_USE, text, &message.span);
            return None;
        }
        let arguments =
            arguments.iter().zip(&types).map(|(argument, ty)| self.fitting(argument, ty)).collect();
        Some(SK::Output { point, indices, message: number, arguments })
    }

    // The tree of modules.

    /// Whether the tree may be built here.
    fn builds(&mut self, what: &str, span: &Span) -> bool {
        let builds = self.at() == At::Initialize;
        if !builds {
            self.refuse(
                &format!("{what} after the initialisation"),
                "the tree of modules does not change",
                span,
            );
        }
        builds
    }

    /// A module variable and its indices.
    fn module_indices(&mut self, name: &Name, indices: &[Expr]) -> Option<(usize, Vec<X>)> {
        let modvar = match self.find(name, "module variable")? {
            Entry::ModVar(modvar) => modvar,
            other => {
                self.wrong(name, &other, "a module variable");
                return None;
            }
        };
        let dims = self.def().modvars[modvar].dims.clone();
        let indices = self.indices(&dims, indices, &name.text, &name.span)?;
        Some((modvar, indices))
    }

    fn init(&mut self, variable: &Access, body: &Name, arguments: &[Expr], span: &Span) -> Option<SK> {
        if !self.builds("`init`", span) {
            return None;
        }
        let indices: Vec<Expr> = indices_of(&variable.selectors);
        let (modvar, indices) = self.module_indices(&variable.name, &indices)?;
        let module = self.def().modvars[modvar].module;
        let number = match self.find(body, "body")? {
            Entry::Body(number) => number,
            other => {
                self.wrong(body, &other, "a body");
                return None;
            }
        };
        if self.out.bodies[number].module != Some(module) {
            let text = format!("`{}` is no body for `{}`", body.text, self.out.modules[module].name);
            self.error(codes::WRONG_USE, text, &body.span);
            return None;
        }
        let types: Vec<Ty> =
            self.out.modules[module].parameters.iter().map(|(_, _, ty)| ty.clone()).collect();
        if types.len() != arguments.len() {
            let text =
                format!("`{}` has {} parameters, and gets {}", body.text, types.len(), arguments.len());
            self.error(codes::WRONG_USE, text, &body.span);
            return None;
        }
        let arguments =
            arguments.iter().zip(&types).map(|(argument, ty)| self.fitting(argument, ty)).collect();
        Some(SK::Init { modvar, indices, body: number, arguments })
    }

    fn bind(&mut self, connect: bool, ends: &[Access; 2], span: &Span) -> Option<SK> {
        if !self.builds(if connect { "`connect`" } else { "`attach`" }, span) {
            return None;
        }
        let (first, second) = (self.point_ref(&ends[0]), self.point_ref(&ends[1]));
        let ((first, a), (second, b)) = (first?, second?);
        if a.channel != b.channel {
            self.error(codes::WRONG_USE, "the two interaction points have different channels", span);
            return None;
        }
        if (a.role == b.role) == connect {
            let (text, help) = if connect {
                ("the two interaction points have the same role", "`connect` joins opposite roles")
            } else {
                ("the two interaction points have opposite roles", "`attach` hands on the same role")
            };
            self.error(codes::WRONG_USE, text, span).help = Some(help.to_owned());
            return None;
        }
        if !connect && (first.module.is_some() || second.module.is_none()) {
            self.error(
                codes::WRONG_USE,
                "`attach` hands an own interaction point on to that of a submodule",
                span,
            );
            return None;
        }
        Some(SK::Bind { connect, ends: Box::new([first, second]) })
    }

    /// `p`, `p[i]`, `m.p`, `m[i].p[j]`.
    fn point_ref(&mut self, access: &Access) -> Option<(PointRef, PointDef)> {
        let field = access.selectors.iter().position(|selector| matches!(selector, Selector::Field(_)));
        let Some(at) = field else {
            let (point, indices) = self.point(&access.name, &indices_of(&access.selectors))?;
            let def = self.def().points[point].clone();
            return Some((PointRef { module: None, point, indices }, def));
        };
        let (modvar, outer) = self.module_indices(&access.name, &indices_of(&access.selectors[..at]))?;
        let Selector::Field(name) = &access.selectors[at] else { return None };
        let module = self.def().modvars[modvar].module;
        let points = &self.out.modules[module].points;
        let Some(point) = points.iter().position(|point| point.key == name.key) else {
            let near = nearest(&name.key, points.iter().map(|point| &point.key));
            let text =
                format!("`{}` has no interaction point `{}`", self.out.modules[module].name, name.text);
            self.error(codes::UNKNOWN_NAME, text, &name.span).help =
                near.map(|near| format!("did you mean `{near}`?"));
            return None;
        };
        let def = points[point].clone();
        let indices =
            self.indices(&def.dims, &indices_of(&access.selectors[at + 1..]), &name.text, &name.span)?;
        Some((PointRef { module: Some((modvar, outer)), point, indices }, def))
    }
}

/// All indices, `[i][j]` and `[i, j]` alike.
fn indices_of(selectors: &[Selector]) -> Vec<Expr> {
    let all = selectors.iter().filter_map(|selector| match selector {
        Selector::Index(indices) => Some(indices.clone()),
        Selector::Field(_) | Selector::Pointer(_) => None,
    });
    all.flatten().collect()
}
