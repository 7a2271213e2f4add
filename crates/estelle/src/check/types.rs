//! Types and constants.

use super::{Checker, Entry};
use crate::ast::{Expr, Name, Span, TypeExpr, TypeKind};
use crate::tree::{Array, Base, Enumeration, K, Ordinal, Record, Ty};
use elnath_source::codes;
use std::sync::Arc;

/// Scalars of one variable.
const MOST_SCALARS: u64 = 1 << 16;
/// Values of the base of a set: they are bits of a number.
pub(super) const MOST_MEMBERS: u64 = 31;

impl<'a> Checker<'a> {
    pub(super) fn ty(&mut self, ty: &TypeExpr) -> Ty {
        let resolved = self.type_of(ty);
        if resolved.scalars() > MOST_SCALARS {
            let text = format!("a type has more than {MOST_SCALARS} elements");
            self.error(codes::BEYOND_LIMIT, text, &ty.span);
            return Ty::Bad;
        }
        resolved
    }

    fn type_of(&mut self, ty: &TypeExpr) -> Ty {
        match &ty.kind {
            TypeKind::Name(name) => self.named_type(name),
            TypeKind::Range(ends) => self.range(&ends[0], &ends[1], &ty.span),
            TypeKind::Enumeration(names) => {
                let values: Vec<String> = names.iter().map(|name| name.text.clone()).collect();
                if values.len() > 256 {
                    self.error(codes::BEYOND_LIMIT, "an enumeration has more than 256 values", &ty.span);
                    return Ty::Bad;
                }
                let high = values.len() as i32 - 1;
                let base = Base::Enumeration(Arc::new(Enumeration { values }));
                let ty = Ty::Ordinal(Ordinal { base, low: 0, high });
                for (value, name) in (0..).zip(names) {
                    self.declare(name, Entry::Const(value, ty.clone()));
                }
                ty
            }
            TypeKind::Array(indices, element) => {
                let element = self.ty(element);
                let indices: Vec<Option<Ordinal>> =
                    indices.iter().map(|index| self.index_type(index)).collect();
                if matches!(element, Ty::Bad) {
                    return Ty::Bad;
                }
                indices.into_iter().rev().fold(element, |element, index| match (element, index) {
                    (Ty::Bad, _) | (_, None) => Ty::Bad,
                    (element, Some(index)) => Ty::Array(Arc::new(Array { index, element })),
                })
            }
            TypeKind::Record(fields) => {
                let mut all: Vec<(String, String, Ty)> = Vec::new();
                for (names, ty) in fields {
                    let ty = self.ty(ty);
                    for name in names {
                        if all.iter().any(|(key, _, _)| *key == name.key) {
                            let text = format!("the record already has a field `{}`", name.text);
                            self.error(codes::DECLARED_TWICE, text, &name.span);
                        }
                        all.push((name.key.clone(), name.text.clone(), ty.clone()));
                    }
                }
                if all.is_empty() {
                    self.error(codes::WRONG_USE, "a record has no fields", &ty.span);
                    return Ty::Bad;
                }
                Ty::Record(Arc::new(Record { fields: all }))
            }
            TypeKind::Set(base) => match self.ty(base) {
                Ty::Ordinal(ordinal) if ordinal.count() <= MOST_MEMBERS => Ty::Set(ordinal),
                Ty::Ordinal(ordinal) => {
                    let text = format!("a set of {} values; {MOST_MEMBERS} are the most", ordinal.count());
                    self.error(codes::BEYOND_LIMIT, text, &base.span);
                    Ty::Bad
                }
                Ty::Bad => Ty::Bad,
                other => {
                    self.error(codes::WRONG_USE, format!("a set of {}", other.name()), &base.span).help =
                        Some("the members of a set are values of an enumeration or a range".to_owned());
                    Ty::Bad
                }
            },
            TypeKind::Refused(what) => {
                self.refuse(what, "the values of variables must be known and bounded", &ty.span);
                Ty::Bad
            }
        }
    }

    fn named_type(&mut self, name: &Name) -> Ty {
        let known = self.scopes.iter().any(|scope| scope.names.contains_key(&name.key));
        match name.key.as_str() {
            "integer" if !known => {
                self.refuse("an integer without bounds", "it has too many values for a search", &name.span);
                let message = self.messages.last_mut().expect("it was just pushed");
                message.help =
                    Some("write a range such as `0..7`, or give all integers one: --int 0..7".to_owned());
                return Ty::Bad;
            }
            "real" if !known => {
                self.refuse("a real number", "it has too many values for a search", &name.span);
                return Ty::Bad;
            }
            _ => {}
        }
        match self.find(name, "type") {
            Some(Entry::Type(ty)) => ty,
            Some(other) => {
                self.wrong(name, &other, "a type");
                Ty::Bad
            }
            None => Ty::Bad,
        }
    }

    fn range(&mut self, low: &Expr, high: &Expr, span: &Span) -> Ty {
        let (low, high) = (self.constant(low), self.constant(high));
        let (Some((low, low_ty)), Some((high, high_ty))) = (low, high) else { return Ty::Bad };
        let (Ty::Ordinal(low_ty), Ty::Ordinal(high_ty)) = (low_ty, high_ty) else { return Ty::Bad };
        if !low_ty.same_base(&high_ty) {
            self.error(codes::WRONG_USE, "the ends of a range have different types", span);
            return Ty::Bad;
        }
        if low > high {
            self.error(codes::WRONG_USE, format!("the range {low}..{high} is empty"), span);
            return Ty::Bad;
        }
        Ty::Ordinal(Ordinal { base: low_ty.base, low, high })
    }

    /// The index type of an array.
    pub(super) fn index_type(&mut self, ty: &TypeExpr) -> Option<Ordinal> {
        match self.ty(ty) {
            Ty::Ordinal(ordinal) if ordinal.count() <= MOST_SCALARS => Some(ordinal),
            Ty::Ordinal(_) => {
                self.error(
                    codes::BEYOND_LIMIT,
                    format!("an index has more than {MOST_SCALARS} values"),
                    &ty.span,
                );
                None
            }
            Ty::Bad => None,
            other => {
                self.error(codes::WRONG_USE, format!("an index cannot be {}", other.name()), &ty.span);
                None
            }
        }
    }

    /// The value and type of a constant expression.
    pub(super) fn constant(&mut self, expr: &Expr) -> Option<(i32, Ty)> {
        let value = self.expr(expr, None);
        if matches!(value.ty, Ty::Bad) {
            return None;
        }
        match value.kind {
            K::Const(number) => Some((number, value.ty)),
            _ => {
                self.error(codes::WRONG_USE, "this must be a constant", &expr.span);
                None
            }
        }
    }
}
