//! Types become sorts and operations with identities, and what is visible under which name where.
//!
//! A type sees its own sorts and operations and those of the types that it imports, and nothing else; a behaviour sees those of
//! all types in scope that have no formal parts. A renamed type is a synonym: its sorts and operations are those of the old one under other names, as in
//! CADP. (In the standard they would be copies.) An actualised type is a copy of what depends on the formal sorts and operations, with
//! actual ones in their places.

use crate::ast::{Ident, Renaming, Signature, Type};
use crate::data::{Builtin, OpId, SortId, Term};
use crate::expression::{Scope, TypedCondition};
use crate::sources::{Sources, Span};
use elnath_source::{Message, codes, nearest};
use std::collections::HashMap;
use std::rc::Rc;

/// The sort of what has none, since something is wrong with it that was said.
pub(crate) const UNKNOWN: SortId = 0;

/// What can be named.
#[derive(Clone, Debug, Default)]
pub(crate) struct Visible {
    pub(crate) sorts: HashMap<Rc<str>, SortId>,
    pub(crate) ops: HashMap<Rc<str>, Vec<OpId>>,
}

impl Visible {
    fn add_op(&mut self, name: &Rc<str>, op: OpId) {
        let ops = self.ops.entry(Rc::clone(name)).or_default();
        if !ops.contains(&op) {
            ops.push(op);
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (name, &sort) in &other.sorts {
            self.sorts.entry(Rc::clone(name)).or_insert(sort);
        }
        for (name, ops) in &other.ops {
            ops.iter().for_each(|&op| self.add_op(name, op));
        }
    }
}

/// A sort as it was declared.
#[derive(Clone, Debug)]
pub(crate) struct DeclaredSort {
    pub(crate) name: Rc<str>,
    /// What makes it: one of our libraries.
    pub(crate) builtin: Option<Rc<str>>,
}

/// An operation as it was declared.
#[derive(Clone, Debug)]
pub(crate) struct DeclaredOp {
    pub(crate) name: Rc<str>,
    pub(crate) args: Vec<SortId>,
    pub(crate) result: SortId,
    pub(crate) constructor: bool,
    pub(crate) builtin: Option<Builtin>,
    pub(crate) span: Span,
}

/// An equation whose names are resolved.
#[derive(Clone, Debug)]
pub(crate) struct TypedEquation {
    pub(crate) premises: Vec<TypedCondition>,
    pub(crate) left: Term,
    pub(crate) right: Term,
    pub(crate) variables: usize,
    pub(crate) span: Span,
}

/// What a type brings.
#[derive(Clone, Debug, Default)]
struct TypeInfo {
    visible: Visible,
    formal_sorts: Vec<SortId>,
    formal_ops: Vec<OpId>,
    /// Those that are not formal, but depend on what is.
    generic_sorts: Vec<SortId>,
    generic_ops: Vec<OpId>,
    /// Indices of their equations.
    generic_equations: Vec<usize>,
}

impl TypeInfo {
    fn is_generic(&self) -> bool {
        !self.formal_sorts.is_empty() || !self.formal_ops.is_empty()
    }
}

/// The types of one block of definitions.
struct Block<'a> {
    parent: Option<usize>,
    types: HashMap<Rc<str>, usize>,
    all: Vec<&'a Type>,
}

/// All types, sorts and operations.
pub(crate) struct Types<'a> {
    sources: &'a Sources,
    blocks: Vec<Block<'a>>,
    /// Each type with its block.
    declared: Vec<(&'a Type, usize)>,
    infos: Vec<Option<Rc<TypeInfo>>>,
    open: Vec<usize>,
    pub(crate) sorts: Vec<DeclaredSort>,
    pub(crate) ops: Vec<DeclaredOp>,
    pub(crate) equations: Vec<TypedEquation>,
    pub(crate) messages: Vec<Message>,
}

impl<'a> Types<'a> {
    pub(crate) fn new(sources: &'a Sources) -> Self {
        Self {
            sources,
            blocks: Vec::new(),
            declared: Vec::new(),
            infos: Vec::new(),
            open: Vec::new(),
            sorts: vec![DeclaredSort { name: "?".into(), builtin: None }],
            ops: Vec::new(),
            equations: Vec::new(),
            messages: Vec::new(),
        }
    }

    pub(crate) fn sources(&self) -> &'a Sources {
        self.sources
    }

    /// Adds the types of a block of definitions, and gives its number.
    pub(crate) fn block(&mut self, types: &'a [Type], parent: Option<usize>) -> usize {
        let number = self.blocks.len();
        let mut block = Block { parent, types: HashMap::new(), all: Vec::new() };
        for one in types {
            let index = self.declared.len();
            if self.yields(one)
                && types.iter().any(|other| other.name.name == one.name.name && !self.yields(other))
            {
                continue;
            }
            if let Some(&first) = block.types.get(&one.name.name) {
                let first = self.sources.place(self.declared[first].0.name.span);
                let text = format!("the type `{}` is declared twice", self.sources.text(one.name.span));
                let message = self.sources.error(text, one.name.span).also(first, "first here");
                self.messages.push(message.code(codes::DECLARED_TWICE));
                continue;
            }
            block.types.insert(Rc::clone(&one.name.name), index);
            block.all.push(one);
            self.declared.push((one, number));
            self.infos.push(None);
        }
        self.blocks.push(block);
        number
    }

    /// Our libraries have types that are only other names, such as `Natural` for `NaturalNumber`. If the specification declares one of that name
    /// itself, that is meant.
    fn yields(&self, one: &Type) -> bool {
        let Type { name, imports, formal, own, renaming, actual } = one;
        let is_empty = |part: &Signature| {
            part.sorts.is_empty() && part.operations.is_empty() && part.equations.is_empty()
        };
        let is_name = imports.len() == 1 && renaming.is_none() && actual.is_none();
        is_name && is_empty(formal) && is_empty(own) && self.sources.is_ours(name.span)
    }

    /// Resolves the types of a block and gives what a behaviour in it can name.
    pub(crate) fn visible(&mut self, block: usize) -> Visible {
        let mut visible = Visible::default();
        let mut next = Some(block);
        while let Some(block) = next {
            let mut all: Vec<usize> = self.blocks[block].types.values().copied().collect();
            // In the order of the text: numbers of sorts and operations must not depend on a hash.
            all.sort_unstable();
            for index in all {
                let info = self.info(index);
                if !info.is_generic() {
                    visible.add(&info.visible);
                }
            }
            next = self.blocks[block].parent;
        }
        visible
    }

    fn find(&mut self, name: &Ident, block: usize) -> Option<Rc<TypeInfo>> {
        let mut next = Some(block);
        while let Some(at) = next {
            if let Some(&index) = self.blocks[at].types.get(&name.name) {
                return Some(self.info(index));
            }
            next = self.blocks[at].parent;
        }
        let known: Vec<String> =
            self.declared.iter().map(|(one, _)| self.sources.text(one.name.span).to_owned()).collect();
        let word = self.sources.text(name.span);
        let message = self.sources.error(format!("there is no type `{word}`"), name.span);
        let help = match nearest(word, known.iter().map(String::as_str)) {
            Some(near) => format!("is `{near}` meant?"),
            None => format!("define it, or include a library that does: `library {word} endlib`"),
        };
        self.messages.push(message.code(codes::UNKNOWN_NAME).help(help));
        None
    }

    fn info(&mut self, index: usize) -> Rc<TypeInfo> {
        if let Some(info) = &self.infos[index] {
            return Rc::clone(info);
        }
        let (one, block) = self.declared[index];
        if self.open.contains(&index) {
            let text = format!("the type `{}` imports itself", self.sources.text(one.name.span));
            self.messages.push(self.sources.error(text, one.name.span).code(codes::WRONG_USE));
            return Rc::default();
        }
        self.open.push(index);
        let info = Rc::new(self.resolve(one, block));
        self.open.pop();
        self.infos[index] = Some(Rc::clone(&info));
        info
    }

    fn resolve(&mut self, one: &'a Type, block: usize) -> TypeInfo {
        let imported: Vec<Rc<TypeInfo>> =
            one.imports.iter().filter_map(|import| self.find(import, block)).collect();
        let mut info = TypeInfo::default();
        for import in &imported {
            info.visible.add(&import.visible);
            merge(&mut info.formal_sorts, &import.formal_sorts);
            merge(&mut info.formal_ops, &import.formal_ops);
            merge(&mut info.generic_sorts, &import.generic_sorts);
            merge(&mut info.generic_ops, &import.generic_ops);
            merge(&mut info.generic_equations, &import.generic_equations);
        }
        if let (Some(actual), Some(renaming)) = (&one.actual, &one.renaming) {
            let mut given = Visible::default();
            for name in actual {
                if let Some(actual) = self.find(name, block) {
                    given.add(&actual.visible);
                }
            }
            self.actualise(one, &mut info, &given, renaming);
        } else if let Some(renaming) = &one.renaming {
            self.rename(&mut info.visible, renaming);
        }
        self.declare(one, &mut info);
        info
    }

    /// New names for old ones.
    fn rename(&mut self, visible: &mut Visible, renaming: &Renaming) {
        // All at once: two sorts may exchange their names.
        let old = visible.clone();
        for (_, name) in &renaming.sorts {
            visible.sorts.remove(&name.name);
        }
        for (new, name) in &renaming.sorts {
            match old.sorts.get(&name.name) {
                Some(&sort) => _ = visible.sorts.insert(Rc::clone(&new.name), sort),
                None => self.unknown_sort(name, &old),
            }
        }
        for (_, name) in &renaming.operations {
            visible.ops.remove(&name.name);
        }
        for (new, name) in &renaming.operations {
            match old.ops.get(&name.name) {
                Some(ops) => ops.iter().for_each(|&op| visible.add_op(&new.name, op)),
                None => self.unknown_op(name, &old),
            }
        }
    }

    /// Copies what depends on formal parts, with what is given in their places.
    fn actualise(&mut self, one: &Type, info: &mut TypeInfo, given: &Visible, renaming: &Renaming) {
        let new_sort =
            |old: &Rc<str>| renaming.sorts.iter().find(|(_, name)| name.name == *old).map(|(new, _)| new);
        let mut sorts: HashMap<SortId, SortId> = HashMap::new();
        for &formal in &info.formal_sorts {
            let old = Rc::clone(&self.sorts[formal as usize].name);
            let new = new_sort(&old).map_or(&old, |new| &new.name);
            match given.sorts.get(new) {
                Some(&actual) => _ = sorts.insert(formal, actual),
                None => {
                    let span = new_sort(&old).map_or(one.name.span, |new| new.span);
                    let text = format!(
                        "nothing takes the place of the formal sort `{old}`: there is no sort `{new}` in the actual types"
                    );
                    let help = format!("write `using sortnames SORT for {old}`");
                    self.messages.push(self.sources.error(text, span).code(codes::UNKNOWN_NAME).help(help));
                    sorts.insert(formal, formal);
                }
            }
        }
        let mut visible = given.clone();
        for &generic in &info.generic_sorts {
            let old = self.sorts[generic as usize].clone();
            let name = new_sort(&old.name).map_or(&old.name, |new| &new.name).clone();
            let copy = self.sorts.len() as SortId;
            self.sorts.push(DeclaredSort { name: Rc::clone(&name), ..old });
            sorts.insert(generic, copy);
            visible.sorts.insert(name, copy);
        }
        let mapped = |sort: &SortId| *sorts.get(sort).unwrap_or(sort);
        let mut ops: HashMap<OpId, OpId> = HashMap::new();
        let new_op = |old: &Rc<str>| {
            renaming.operations.iter().find(|(_, name)| name.name == *old).map(|(new, _)| new)
        };
        for &formal in &info.formal_ops {
            let DeclaredOp { name, args, result, .. } = self.ops[formal as usize].clone();
            let args: Vec<SortId> = args.iter().map(mapped).collect();
            let new = new_op(&name).map_or(&name, |new| &new.name);
            let fits = |op: &&OpId| {
                let op = &self.ops[**op as usize];
                op.args == args && op.result == mapped(&result)
            };
            match given.ops.get(new).and_then(|ops| ops.iter().find(fits)) {
                Some(&actual) => _ = ops.insert(formal, actual),
                None => {
                    let span = new_op(&name).map_or(one.name.span, |new| new.span);
                    let text = format!(
                        "nothing takes the place of the formal operation `{name}`: no operation `{new}` of the actual types has its sorts"
                    );
                    let help = format!("write `opnnames OPERATION for {name}`");
                    self.messages.push(self.sources.error(text, span).code(codes::UNKNOWN_NAME).help(help));
                }
            }
        }
        for &generic in &info.generic_ops {
            let old = self.ops[generic as usize].clone();
            let name = new_op(&old.name).map_or(&old.name, |new| &new.name).clone();
            let copy = self.ops.len() as OpId;
            let (args, result) = (old.args.iter().map(mapped).collect(), mapped(&old.result));
            self.ops.push(DeclaredOp { name: Rc::clone(&name), args, result, ..old });
            ops.insert(generic, copy);
            visible.add_op(&name, copy);
        }
        for &index in &info.generic_equations {
            let old = &self.equations[index];
            let term = |term: &Term| substitute(term, &sorts, &ops);
            let copy = TypedEquation {
                premises: old.premises.iter().map(|(left, right)| (term(left), term(right))).collect(),
                left: term(&old.left),
                right: term(&old.right),
                ..*old
            };
            self.equations.push(copy);
        }
        // What does not depend on formal parts stays as it is.
        for (name, &sort) in &info.visible.sorts {
            if !info.formal_sorts.contains(&sort) && !info.generic_sorts.contains(&sort) {
                visible.sorts.entry(Rc::clone(name)).or_insert(sort);
            }
        }
        for (name, all) in &info.visible.ops {
            for op in all {
                if !info.formal_ops.contains(op) && !info.generic_ops.contains(op) {
                    visible.add_op(name, *op);
                }
            }
        }
        *info = TypeInfo { visible, ..TypeInfo::default() };
    }

    /// The type's own sorts, operations and equations.
    fn declare(&mut self, one: &'a Type, info: &mut TypeInfo) {
        let generic = info.is_generic() || !one.formal.sorts.is_empty() || !one.formal.operations.is_empty();
        for (formal, part) in [(true, &one.formal), (false, &one.own)] {
            for (name, attributes) in &part.sorts {
                if attributes.external {
                    self.external("sort", name);
                }
                let sort = self.sorts.len() as SortId;
                let builtin = attributes.builtin.clone();
                self.sorts.push(DeclaredSort { name: Rc::clone(&name.name), builtin });
                let own = part.sorts.iter().filter(|(other, _)| other.name == name.name).count();
                if own > 1 && info.visible.sorts.get(&name.name).is_some_and(|&other| other + 1 == sort) {
                    let text = format!("the sort `{}` is declared twice", self.sources.text(name.span));
                    self.messages.push(self.sources.error(text, name.span).code(codes::DECLARED_TWICE));
                }
                info.visible.sorts.insert(Rc::clone(&name.name), sort);
                match (formal, generic) {
                    (true, _) => info.formal_sorts.push(sort),
                    (false, true) => info.generic_sorts.push(sort),
                    (false, false) => {}
                }
            }
        }
        for (formal, part) in [(true, &one.formal), (false, &one.own)] {
            for text in &part.operations {
                let sort = |name: &Ident, types: &mut Self| types.sort(name, &info.visible);
                let args: Option<Vec<SortId>> = text.args.iter().map(|name| sort(name, self)).collect();
                let (Some(args), Some(result)) = (args, sort(&text.result, self)) else { continue };
                let attributes = &text.attributes;
                let builtin = attributes.builtin.as_ref().and_then(|name| {
                    Builtin::NAMES.iter().find(|(other, _)| *other == &**name).map(|(_, builtin)| *builtin)
                });
                if attributes.external && builtin.is_none() {
                    self.external("operation", &text.name);
                }
                let same = |op: &&OpId| {
                    let op = &self.ops[**op as usize];
                    op.args == args && op.result == result
                };
                if let Some(&other) =
                    info.visible.ops.get(&text.name.name).and_then(|ops| ops.iter().find(same))
                {
                    let first = self.sources.place(self.ops[other as usize].span);
                    let name = self.sources.text(text.name.span);
                    let message = self.sources.error(
                        format!("the operation `{name}` is declared twice with these sorts"),
                        text.name.span,
                    );
                    self.messages.push(message.also(first, "first here").code(codes::DECLARED_TWICE));
                    continue;
                }
                let op = self.ops.len() as OpId;
                self.ops.push(DeclaredOp {
                    name: Rc::clone(&text.name.name),
                    args,
                    result,
                    constructor: attributes.constructor,
                    builtin,
                    span: text.name.span,
                });
                info.visible.add_op(&text.name.name, op);
                match (formal, generic) {
                    (true, _) => info.formal_ops.push(op),
                    (false, true) => info.generic_ops.push(op),
                    (false, false) => {}
                }
            }
        }
        // Formal equations are what an actual type should satisfy; they are no rules.
        for text in &one.own.equations {
            let mut variables = Vec::new();
            for variable in text.variables.iter() {
                let sort = self.sort(&variable.sort, &info.visible).unwrap_or(UNKNOWN);
                variables.push((Rc::clone(&variable.name.name), sort, variables.len() as u32));
            }
            let expected = match &text.sort {
                None => None,
                Some(name) => match self.sort(name, &info.visible) {
                    None => continue,
                    sort => sort,
                },
            };
            let count = variables.len();
            let mut scope = Scope {
                sources: self.sources,
                sorts: &self.sorts,
                ops: &self.ops,
                visible: &info.visible,
                variables: &variables,
                messages: &mut self.messages,
            };
            let premises: Option<Vec<TypedCondition>> =
                text.premises.iter().map(|premise| scope.condition(premise)).collect();
            let sides = scope.equal(&text.left, &text.right, expected);
            let (Some(premises), Some((left, right))) = (premises, sides) else { continue };
            let span = text.left.span.to(text.right.span);
            let equation = TypedEquation { premises, left, right, variables: count, span };
            if generic {
                info.generic_equations.push(self.equations.len());
            }
            self.equations.push(equation);
        }
    }

    fn external(&mut self, what: &str, name: &Ident) {
        let text = format!(
            "the {what} `{}` is external, which means C code, and none is executed here",
            self.sources.text(name.span)
        );
        let help = "define it by equations, or use one of our libraries (see docs/lotos.md)";
        self.messages.push(self.sources.error(text, name.span).code(codes::EMBEDDED_C).help(help));
    }

    pub(crate) fn sort(&mut self, name: &Ident, visible: &Visible) -> Option<SortId> {
        let sort = visible.sorts.get(&name.name).copied();
        if sort.is_none() {
            self.unknown_sort(name, visible);
        }
        sort
    }

    fn unknown_sort(&mut self, name: &Ident, visible: &Visible) {
        let word = self.sources.text(name.span);
        let mut message = self.sources.error(format!("there is no sort `{word}` here"), name.span);
        if let Some(near) = nearest(word, visible.sorts.keys().map(|name| &**name)) {
            message = message.help(format!("is `{near}` meant?"));
        } else if self.sorts.iter().any(|sort| sort.name == name.name) {
            message = message.help("the type that declares it must be imported here");
        }
        self.messages.push(message.code(codes::UNKNOWN_NAME));
    }

    fn unknown_op(&mut self, name: &Ident, visible: &Visible) {
        let word = self.sources.text(name.span);
        let mut message = self.sources.error(format!("there is no operation `{word}` here"), name.span);
        if let Some(near) = nearest(word, visible.ops.keys().map(|name| &**name)) {
            message = message.help(format!("is `{near}` meant?"));
        }
        self.messages.push(message.code(codes::UNKNOWN_NAME));
    }
}

fn merge<T: Copy + PartialEq>(into: &mut Vec<T>, from: &[T]) {
    for &one in from {
        if !into.contains(&one) {
            into.push(one);
        }
    }
}

fn substitute(term: &Term, sorts: &HashMap<SortId, SortId>, ops: &HashMap<OpId, OpId>) -> Term {
    match term {
        Term::Variable(slot) => Term::Variable(*slot),
        Term::Number(sort, number) => Term::Number(*sorts.get(sort).unwrap_or(sort), *number),
        Term::Apply(op, args) => {
            let args = args.iter().map(|arg| substitute(arg, sorts, ops)).collect();
            Term::Apply(*ops.get(op).unwrap_or(op), args)
        }
    }
}
