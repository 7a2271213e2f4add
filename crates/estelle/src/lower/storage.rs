//! Where variables are: records become one variable per field, arrays of records one array per field.

use crate::evaluate::Value;
use crate::tree::{Base, Ordinal, Ty};
use elnath_program::ir::{Expr, Init, SymbolSet, SymbolsId, Type, Variable};
use std::sync::Arc;

/// A scalar or an array of scalars that a variable is made of.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// The fields that lead to it, whatever indices are between them.
    pub fields: Vec<usize>,
    /// How it is written after the name of the variable.
    pub suffix: String,
    pub dims: Vec<Ordinal>,
    pub ty: Ty,
}

/// What a type is made of, in order.
pub(super) fn pieces(ty: &Ty) -> Vec<Piece> {
    match ty {
        Ty::Ordinal(_) | Ty::Set(_) | Ty::Bad => {
            vec![Piece { fields: Vec::new(), suffix: String::new(), dims: Vec::new(), ty: ty.clone() }]
        }
        Ty::Record(record) => {
            let mut all = Vec::new();
            for (number, (_, name, ty)) in record.fields.iter().enumerate() {
                all.extend(pieces(ty).into_iter().map(|mut piece| {
                    piece.fields.insert(0, number);
                    piece.suffix.insert_str(0, &format!(".{name}"));
                    piece
                }));
            }
            all
        }
        Ty::Array(array) => {
            let mut all = pieces(&array.element);
            for piece in &mut all {
                piece.dims.insert(0, array.index.clone());
            }
            all
        }
    }
}

/// The values of a piece of a value, element by element.
pub(super) fn values(value: &Value, fields: &[usize], out: &mut Vec<i32>, ty: &Ty) {
    match (value, ty) {
        (Value::Scalar(value), _) => out.push(*value),
        (Value::Parts(parts), Ty::Record(record)) => {
            if let Some((&first, rest)) = fields.split_first() {
                values(&parts[first], rest, out, &record.fields[first].2);
            }
        }
        (Value::Parts(parts), Ty::Array(array)) => {
            for part in parts {
                values(part, fields, out, &array.element);
            }
        }
        (Value::Parts(_), _) => {}
    }
}

/// Enumerations of the specification as sets of symbols of the program.
#[derive(Default)]
pub(super) struct Symbols {
    pub sets: Vec<SymbolSet>,
    known: Vec<(*const (), SymbolsId)>,
}

impl Symbols {
    pub(super) fn add(&mut self, name: String, members: Vec<(String, i32)>) -> SymbolsId {
        self.sets.push(SymbolSet { name, members });
        SymbolsId(self.sets.len() as u32 - 1)
    }

    /// The type of a scalar.
    pub(super) fn ty(&mut self, ty: &Ty) -> Type {
        match ty {
            Ty::Set(base) => Type::Unsigned(base.count().clamp(1, 31) as u8),
            Ty::Ordinal(ordinal) => match &ordinal.base {
                Base::Bool => Type::Bool,
                Base::Int if ordinal.low == i32::MIN && ordinal.high == i32::MAX => Type::Signed(32),
                Base::Int | Base::Char => Type::Range(ordinal.low, ordinal.high),
                Base::Enumeration(all) => {
                    let key = Arc::as_ptr(all).cast::<()>();
                    if let Some((_, id)) = self.known.iter().find(|(known, _)| *known == key) {
                        return Type::Symbol(*id);
                    }
                    let members = all.values.iter().cloned().zip(0..).collect();
                    let id = self.add(format!("({})", all.values.join(", ")), members);
                    self.known.push((key, id));
                    Type::Symbol(id)
                }
            },
            Ty::Record(_) | Ty::Array(_) | Ty::Bad => Type::Signed(32),
        }
    }

    /// A variable for a piece, with initial values.
    pub(super) fn variable(&mut self, name: String, piece: &Piece, init: &[i32], hidden: bool) -> Variable {
        let ty = self.ty(&piece.ty);
        let dims = piece.dims.iter().map(|dim| dim.count() as u32).collect();
        let init = match init {
            _ if init.iter().all(|&value| value == 0) => Init::Zero,
            [first, rest @ ..] if rest.iter().all(|value| value == first) => Init::Value(Expr::Const(*first)),
            all => Init::List(all.iter().map(|&value| Expr::Const(value)).collect()),
        };
        Variable { name, ty, dims, init, hidden }
    }
}
