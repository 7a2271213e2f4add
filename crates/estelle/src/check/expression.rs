//! Expressions and variables.

use super::{At, Checker, Entry};
use crate::ast::{Access, Expr, ExprKind, Name, Operator, Selector, Span};
use crate::tree::{Arg, Base, K, L, Ordinal, Sel, Ty, VarKind, X};
use elnath_source::{codes, nearest};

/// Values that `any`, `all`, `exist` or `forone` go through.
pub(super) const MOST_CHOICES: u64 = 4096;

fn bad(span: &Span) -> X {
    X { kind: K::Const(0), ty: Ty::Bad, span: span.clone() }
}

fn whole(value: i32) -> Ty {
    Ty::Ordinal(Ordinal::int(value, value))
}

fn boolean() -> Ty {
    Ty::Ordinal(Ordinal::boolean())
}

/// What is known of the result of an operation on numbers.
fn number() -> Ty {
    Ty::Ordinal(Ordinal::int(i32::MIN, i32::MAX))
}

impl<'a> Checker<'a> {
    /// An expression; `expected` is the type of what takes it, where that helps to read a set.
    pub(super) fn expr(&mut self, expr: &Expr, expected: Option<&Ty>) -> X {
        let span = &expr.span;
        match &expr.kind {
            ExprKind::Number(value) => match i32::try_from(*value) {
                Ok(value) => X { kind: K::Const(value), ty: whole(value), span: span.clone() },
                Err(_) => {
                    let text = format!("numbers are at most {}", i32::MAX);
                    self.error(codes::BEYOND_LIMIT, text, span);
                    bad(span)
                }
            },
            ExprKind::Text(text) => {
                let mut characters = text.chars();
                match (characters.next(), characters.next()) {
                    (Some(c), None) if u32::from(c) < 256 => {
                        let ty = Ordinal { base: Base::Char, low: 0, high: 255 };
                        X { kind: K::Const(c as i32), ty: Ty::Ordinal(ty), span: span.clone() }
                    }
                    _ => {
                        self.error(codes::BEYOND_LIMIT, "only texts of one character are read here", span);
                        bad(span)
                    }
                }
            }
            ExprKind::Access(access) => self.value_of(access),
            ExprKind::Call(name, arguments) => self.call_value(name, arguments, span),
            ExprKind::Not(operand) => {
                let operand = self.condition(operand);
                let kind = match operand.kind {
                    K::Const(value) => K::Const(i32::from(value == 0)),
                    _ => K::Not(Box::new(operand)),
                };
                X { kind, ty: boolean(), span: span.clone() }
            }
            ExprKind::Minus(operand) => {
                let operand = self.integer(operand);
                match operand.kind {
                    K::Const(value) => {
                        let value = value.wrapping_neg();
                        X { kind: K::Const(value), ty: whole(value), span: span.clone() }
                    }
                    _ => X { kind: K::Minus(Box::new(operand)), ty: number(), span: span.clone() },
                }
            }
            ExprKind::Binary(operator, operands) => self.binary(*operator, operands, expected, span),
            ExprKind::Set(members) => self.set(members, expected, span),
            ExprKind::Exist(names, ty, such) => {
                self.open();
                let vars = self.choices(names, ty);
                let such = self.condition(such);
                self.close();
                X { kind: K::Exist(vars, Box::new(such)), ty: boolean(), span: span.clone() }
            }
            ExprKind::Refused(what) => {
                self.refuse(what, "it has no value that is known", span);
                bad(span)
            }
        }
    }

    /// Variables that stand for every value of a type, one after the other.
    pub(super) fn choices(&mut self, names: &[Name], ty: &crate::ast::TypeExpr) -> Vec<usize> {
        let resolved = match self.ty(ty) {
            resolved @ (Ty::Ordinal(_) | Ty::Bad) => resolved,
            other => {
                let text = format!("the values of {} cannot be gone through", other.name());
                self.error(codes::WRONG_USE, text, &ty.span);
                Ty::Bad
            }
        };
        let count = resolved.ordinal().map_or(1, Ordinal::count);
        let all = names.iter().fold(1u64, |all, _| all.saturating_mul(count));
        let resolved = if all > MOST_CHOICES {
            let text = format!("there are more than {MOST_CHOICES} combinations of values to go through");
            self.error(codes::BEYOND_LIMIT, text, &ty.span);
            Ty::Bad
        } else {
            resolved
        };
        let mut vars = Vec::new();
        for name in names {
            let var = self.var(&name.text, resolved.clone(), VarKind::Choice);
            self.declare(name, Entry::Var(var));
            vars.push(var);
        }
        vars
    }

    /// An expression that is true or false.
    pub(super) fn condition(&mut self, expr: &Expr) -> X {
        let value = self.expr(expr, None);
        match &value.ty {
            Ty::Bad => {}
            Ty::Ordinal(ordinal) if matches!(ordinal.base, Base::Bool) => {}
            other => {
                let text = format!("a condition is expected here, and this is {}", other.name());
                self.error(codes::WRONG_USE, text, &expr.span);
            }
        }
        value
    }

    pub(super) fn integer(&mut self, expr: &Expr) -> X {
        let value = self.expr(expr, None);
        match &value.ty {
            Ty::Bad => {}
            Ty::Ordinal(ordinal) if matches!(ordinal.base, Base::Int) => {}
            other => {
                let text = format!("a number is expected here, and this is {}", other.name());
                self.error(codes::WRONG_USE, text, &expr.span);
            }
        }
        value
    }

    /// An expression that is stored in something of this type.
    pub(super) fn fitting(&mut self, expr: &Expr, ty: &Ty) -> X {
        let value = self.expr(expr, Some(ty));
        if !ty.takes(&value.ty) {
            let text = format!("{} is expected here, and this is {}", ty.name(), value.ty.name());
            self.error(codes::WRONG_USE, text, &expr.span);
        } else if let (K::Const(number), Ty::Ordinal(ordinal)) = (&value.kind, ty)
            && !matches!(value.ty, Ty::Bad)
            && !ordinal.values().contains(number)
        {
            let text = format!("{} is not among {}", ordinal.show(*number), ordinal.name());
            self.error(codes::WRONG_USE, text, &expr.span);
        }
        value
    }

    fn binary(&mut self, operator: Operator, operands: &[Expr; 2], expected: Option<&Ty>, span: &Span) -> X {
        use Operator::{Add, And, Div, Eq, Ge, Gt, In, Le, Lt, Mod, Mul, Ne, Or, Quotient, Sub};
        match operator {
            And | Or => {
                let (left, right) = (self.condition(&operands[0]), self.condition(&operands[1]));
                self.folded(operator, left, right, boolean(), span)
            }
            Quotient => {
                self.expr(&operands[0], None);
                self.expr(&operands[1], None);
                self.refuse("the division `/`", "its result is a real number", span);
                self.messages.last_mut().expect("it was just pushed").help = Some("write `div`".to_owned());
                bad(span)
            }
            Div | Mod => {
                let (left, right) = (self.integer(&operands[0]), self.integer(&operands[1]));
                if let (K::Const(0), Ty::Ordinal(_)) = (&right.kind, &right.ty) {
                    self.error(codes::WRONG_USE, "a division by zero", span);
                    return bad(span);
                }
                self.folded(operator, left, right, number(), span)
            }
            In => self.among(operands, span),
            Add | Sub | Mul | Eq | Ne | Lt | Le | Gt | Ge => {
                let is_set = |expr: &Expr| matches!(expr.kind, ExprKind::Set(_));
                let sets = matches!(operator, Add | Sub | Mul);
                let (left, right) = if is_set(&operands[0]) && !is_set(&operands[1]) {
                    let right = self.expr(&operands[1], expected.filter(|_| sets));
                    (self.expr(&operands[0], Some(&right.ty)), right)
                } else {
                    let left = self.expr(&operands[0], expected.filter(|_| sets));
                    let ty = left.ty.clone();
                    (left, self.expr(&operands[1], Some(&ty)))
                };
                self.arithmetic(operator, left, right, span)
            }
        }
    }

    fn arithmetic(&mut self, operator: Operator, left: X, right: X, span: &Span) -> X {
        use Operator::{Add, Gt, Lt, Mul, Sub};
        if matches!(left.ty, Ty::Bad) || matches!(right.ty, Ty::Bad) {
            return bad(span);
        }
        let result = matches!(operator, Add | Sub | Mul);
        let fits = match (&left.ty, &right.ty) {
            (Ty::Set(a), Ty::Set(b)) => {
                a.same_base(b) && (a.low, a.high) == (b.low, b.high) && !matches!(operator, Lt | Gt)
            }
            (Ty::Ordinal(a), Ty::Ordinal(b)) => a.same_base(b) && (!result || matches!(a.base, Base::Int)),
            _ => false,
        };
        if !fits {
            let text = format!("this operator does not go with {} and {}", left.ty.name(), right.ty.name());
            self.error(codes::WRONG_USE, text, span);
            return bad(span);
        }
        let ty = match (&left.ty, result) {
            (Ty::Set(_), true) => left.ty.clone(),
            (_, true) => number(),
            (_, false) => boolean(),
        };
        self.folded(operator, left, right, ty, span)
    }

    /// An operation, computed if both operands are constants.
    fn folded(&mut self, operator: Operator, left: X, right: X, ty: Ty, span: &Span) -> X {
        let known = matches!(left.ty, Ty::Ordinal(_)) && matches!(right.ty, Ty::Ordinal(_));
        if let (K::Const(a), K::Const(b), true) = (&left.kind, &right.kind, known) {
            match apply(operator, *a, *b) {
                Some(value) => {
                    let ty = match ty {
                        Ty::Ordinal(Ordinal { base: Base::Int, .. }) => whole(value),
                        ty => ty,
                    };
                    return X { kind: K::Const(value), ty, span: span.clone() };
                }
                None => {
                    self.error(codes::BEYOND_LIMIT, "this constant is too large", span);
                    return bad(span);
                }
            }
        }
        let ty = if matches!(left.ty, Ty::Bad) || matches!(right.ty, Ty::Bad) { Ty::Bad } else { ty };
        X { kind: K::Binary(operator, Box::new([left, right])), ty, span: span.clone() }
    }

    fn among(&mut self, operands: &[Expr; 2], span: &Span) -> X {
        let value = self.expr(&operands[0], None);
        let result = |kind| X { kind, ty: boolean(), span: span.clone() };
        if let ExprKind::Set(members) = &operands[1].kind {
            let mut all = Vec::new();
            for (first, last) in members {
                let first = self.fitting_base(first, &value.ty);
                let last = last.as_ref().map(|last| self.fitting_base(last, &value.ty));
                all.push((first, last));
            }
            return result(K::Among(Box::new(value), all));
        }
        let set = self.expr(&operands[1], None);
        match (&value.ty, &set.ty) {
            (Ty::Bad, _) | (_, Ty::Bad) => bad(span),
            (Ty::Ordinal(a), Ty::Set(b)) if a.same_base(b) => {
                result(K::Binary(Operator::In, Box::new([value, set])))
            }
            _ => {
                let text = format!("{} cannot be in {}", value.ty.name(), set.ty.name());
                self.error(codes::WRONG_USE, text, span);
                bad(span)
            }
        }
    }

    /// A value with the same base type, of whatever range.
    fn fitting_base(&mut self, expr: &Expr, ty: &Ty) -> X {
        let value = self.expr(expr, None);
        if !ty.takes(&value.ty) {
            let text = format!("{} is expected here, and this is {}", ty.name(), value.ty.name());
            self.error(codes::WRONG_USE, text, &expr.span);
        }
        value
    }

    fn set(&mut self, members: &[(Expr, Option<Expr>)], expected: Option<&Ty>, span: &Span) -> X {
        let base = match expected {
            Some(Ty::Set(base)) => base.clone(),
            Some(Ty::Bad) => return bad(span),
            _ => {
                self.error(codes::WRONG_USE, "the type of this set is not known", span).help =
                    Some("assign it to a variable first".to_owned());
                return bad(span);
            }
        };
        let member = Ty::Ordinal(base.clone());
        let mut all = Vec::new();
        for (first, last) in members {
            let first = self.fitting(first, &member);
            all.push((first, last.as_ref().map(|last| self.fitting(last, &member))));
        }
        X { kind: K::SetOf(all), ty: Ty::Set(base), span: span.clone() }
    }

    // Variables.

    fn value_of(&mut self, access: &Access) -> X {
        let span = &access.span;
        match self.find(&access.name, "variable, constant or function") {
            Some(Entry::Const(value, ty)) => {
                if !access.selectors.is_empty() {
                    self.error(codes::WRONG_USE, "a constant has no parts", span);
                }
                let ty = match ty {
                    Ty::Ordinal(Ordinal { base: Base::Int, .. }) => whole(value),
                    ty => ty,
                };
                X { kind: K::Const(value), ty, span: span.clone() }
            }
            Some(Entry::Routine(routine, scopes))
                if routine.result.is_some() && access.selectors.is_empty() =>
            {
                self.call_routine(routine, scopes, &[], span, true)
            }
            Some(entry @ (Entry::Var(_) | Entry::Part(_))) => match self.selected(entry, &access.selectors) {
                Some(place) => X { ty: place.ty.clone(), kind: K::Load(place), span: span.clone() },
                None => bad(span),
            },
            Some(Entry::ModVar(_)) => {
                self.refuse("an exported variable", "modules see their own variables only", span);
                bad(span)
            }
            Some(other) => {
                self.wrong(&access.name, &other, "a value");
                bad(span)
            }
            None => bad(span),
        }
    }

    /// A variable or a part of one.
    pub(super) fn place(&mut self, access: &Access) -> Option<L> {
        match self.find(&access.name, "variable")? {
            entry @ (Entry::Var(_) | Entry::Part(_)) => self.selected(entry, &access.selectors),
            other => {
                self.wrong(&access.name, &other, "a variable");
                None
            }
        }
    }

    /// One that is stored to.
    pub(super) fn target(&mut self, access: &Access) -> Option<L> {
        let place = self.place(access)?;
        let kind = self.def().vars[place.var].kind;
        if kind == VarKind::Choice || matches!(kind, VarKind::Message(_)) {
            let text = format!("`{}` cannot be stored to", access.name.text);
            let what = if kind == VarKind::Choice {
                "it stands for a value"
            } else {
                "it is a parameter of the message"
            };
            self.error(codes::WRONG_USE, text, &access.span).label = what.to_owned();
            return None;
        }
        self.stored(&place);
        Some(place)
    }

    /// Notes that something is stored to a variable.
    pub(super) fn stored(&mut self, place: &L) {
        if matches!(self.at(), At::Transition | At::Routine) {
            self.current().def.vars[place.var].changes = true;
        }
    }

    fn selected(&mut self, entry: Entry<'a>, selectors: &[Selector]) -> Option<L> {
        let mut place = match entry {
            Entry::Var(var) => L { var, path: Vec::new(), ty: self.def().vars[var].ty.clone() },
            Entry::Part(place) => place,
            _ => return None,
        };
        for selector in selectors {
            place.ty = match (selector, place.ty) {
                (_, Ty::Bad) => return None,
                (Selector::Field(field), Ty::Record(record)) => {
                    let Some(at) = record.fields.iter().position(|(key, _, _)| *key == field.key) else {
                        let near = nearest(&field.key, record.fields.iter().map(|(key, _, _)| key));
                        let text = format!("the record has no field `{}`", field.text);
                        self.error(codes::UNKNOWN_NAME, text, &field.span).help =
                            near.map(|near| format!("did you mean `{near}`?"));
                        return None;
                    };
                    place.path.push(Sel::Field(at));
                    record.fields[at].2.clone()
                }
                (Selector::Index(indices), mut ty) => {
                    for index in indices {
                        let Ty::Array(array) = ty else {
                            let text = format!("{} has no elements", ty.name());
                            self.error(codes::WRONG_USE, text, &index.span);
                            return None;
                        };
                        let index = self.fitting(index, &Ty::Ordinal(array.index.clone()));
                        place.path.push(Sel::Index(index, array.index.clone()));
                        ty = array.element.clone();
                    }
                    ty
                }
                (Selector::Field(field), other) => {
                    let text = format!("{} has no fields", other.name());
                    self.error(codes::WRONG_USE, text, &field.span);
                    return None;
                }
                (Selector::Pointer(span), _) => {
                    self.refuse("a pointer", "the values of variables must be known and bounded", span);
                    return None;
                }
            };
        }
        if matches!(place.ty, Ty::Bad) {
            return None;
        }
        Some(place)
    }

    // Calls.

    fn call_value(&mut self, name: &Name, arguments: &[Expr], span: &Span) -> X {
        let known = self.scopes.iter().any(|scope| scope.names.contains_key(&name.key));
        if !known && let Some(value) = self.builtin(name, arguments, span) {
            return value;
        }
        match self.find(name, "function") {
            Some(Entry::Routine(routine, scopes)) => {
                self.call_routine(routine, scopes, arguments, span, true)
            }
            Some(other) => {
                self.wrong(name, &other, "a function");
                bad(span)
            }
            None => bad(span),
        }
    }

    /// The functions that every Pascal has.
    fn builtin(&mut self, name: &Name, arguments: &[Expr], span: &Span) -> Option<X> {
        let known = ["odd", "abs", "sqr", "ord", "chr", "succ", "pred"];
        if !known.contains(&name.key.as_str()) {
            return None;
        }
        let [argument] = arguments else {
            self.error(codes::WRONG_USE, format!("`{}` takes one argument", name.text), span);
            return Some(bad(span));
        };
        let takes_number = matches!(name.key.as_str(), "odd" | "abs" | "sqr" | "chr");
        let value = if takes_number { self.integer(argument) } else { self.expr(argument, None) };
        let Ty::Ordinal(ordinal) = value.ty.clone() else {
            if !matches!(value.ty, Ty::Bad) {
                let text = format!("`{}` does not go with {}", name.text, value.ty.name());
                self.error(codes::WRONG_USE, text, span);
            }
            return Some(bad(span));
        };
        let one = |base: &Base| X {
            kind: K::Const(1),
            ty: Ty::Ordinal(Ordinal { base: base.clone(), low: 1, high: 1 }),
            span: span.clone(),
        };
        let constant = match value.kind {
            K::Const(value) => Some(value),
            _ => None,
        };
        let full = |ordinal: &Ordinal| {
            let (low, high) = match &ordinal.base {
                Base::Int => (i32::MIN, i32::MAX),
                Base::Bool => (0, 1),
                Base::Char => (0, 255),
                Base::Enumeration(all) => (0, all.values.len() as i32 - 1),
            };
            Ty::Ordinal(Ordinal { base: ordinal.base.clone(), low, high })
        };
        let (kind, ty) = match name.key.as_str() {
            "odd" => {
                (constant.map_or_else(|| K::Odd(Box::new(value)), |value| K::Const(value & 1)), boolean())
            }
            "abs" => (
                constant.map_or_else(|| K::Abs(Box::new(value)), |value| K::Const(value.wrapping_abs())),
                number(),
            ),
            "sqr" => (K::Binary(Operator::Mul, Box::new([value.clone(), value])), number()),
            "ord" => (value.kind, Ty::Ordinal(Ordinal::int(ordinal.low, ordinal.high))),
            "chr" => (value.kind, Ty::Ordinal(Ordinal { base: Base::Char, low: 0, high: 255 })),
            word => {
                let operator = if word == "succ" { Operator::Add } else { Operator::Sub };
                let ty = full(&ordinal);
                match constant.and_then(|value| apply(operator, value, 1)) {
                    Some(next) if ty.ordinal().is_some_and(|all| !all.values().contains(&next)) => {
                        self.error(
                            codes::WRONG_USE,
                            format!("there is no `{}` of this value", name.text),
                            span,
                        );
                        return Some(bad(span));
                    }
                    Some(next) => (K::Const(next), ty),
                    None => (K::Binary(operator, Box::new([value, one(&ordinal.base)])), ty),
                }
            }
        };
        Some(X { kind, ty, span: span.clone() })
    }

    /// The call of a routine; a function's result is a value.
    pub(super) fn call_routine(
        &mut self,
        routine: &'a crate::ast::Routine,
        scopes: usize,
        arguments: &[Expr],
        span: &Span,
        as_value: bool,
    ) -> X {
        let Some(number) = self.routine(routine, scopes, Some(span)) else { return bad(span) };
        if as_value != routine.result.is_some() {
            let text = if as_value {
                format!("`{}` is a procedure, and has no value", routine.name.text)
            } else {
                format!("`{}` is a function, and its value is not used", routine.name.text)
            };
            self.error(codes::WRONG_USE, text, span);
            return bad(span);
        }
        let def = &self.def().routines[number];
        let (parameters, result) = (def.parameters.clone(), def.result);
        if parameters.len() != arguments.len() {
            let text = format!(
                "`{}` takes {} arguments, and gets {}",
                routine.name.text,
                parameters.len(),
                arguments.len()
            );
            self.error(codes::WRONG_USE, text, span);
            return bad(span);
        }
        let mut all = Vec::new();
        for (&parameter, argument) in parameters.iter().zip(arguments) {
            let var = self.def().vars[parameter].clone();
            if var.kind != VarKind::Reference {
                all.push(Arg::Value(self.fitting(argument, &var.ty)));
                continue;
            }
            let ExprKind::Access(access) = &argument.kind else {
                self.error(codes::WRONG_USE, "a variable is expected here", &argument.span).label =
                    "the parameter is declared with `var`".to_owned();
                return bad(span);
            };
            let Some(place) = self.target(access) else { return bad(span) };
            if !var.ty.takes(&place.ty) {
                let text = format!("{} is expected here, and this is {}", var.ty.name(), place.ty.name());
                self.error(codes::WRONG_USE, text, &argument.span);
            }
            all.push(Arg::Reference(place));
        }
        let ty = result.map_or(Ty::Bad, |result| self.def().vars[result].ty.clone());
        let ty = if as_value { ty } else { Ty::Ordinal(Ordinal::boolean()) };
        X { kind: K::Call(number, all), ty, span: span.clone() }
    }
}

/// An operation on constants.
fn apply(operator: Operator, a: i32, b: i32) -> Option<i32> {
    use Operator::{Add, And, Div, Eq, Ge, Gt, In, Le, Lt, Mod, Mul, Ne, Or, Quotient, Sub};
    Some(match operator {
        Add => a.checked_add(b)?,
        Sub => a.checked_sub(b)?,
        Mul => a.checked_mul(b)?,
        Div => a.checked_div(b)?,
        Mod => a.checked_rem_euclid(b)?,
        And => a & b,
        Or => a | b,
        Eq => i32::from(a == b),
        Ne => i32::from(a != b),
        Lt => i32::from(a < b),
        Le => i32::from(a <= b),
        Gt => i32::from(a > b),
        Ge => i32::from(a >= b),
        In | Quotient => return None,
    })
}
