//! Data: values and their evaluation.
//!
//! A value is a number, if its sort has one constant and one unary constructor, or a constructor with values; each is kept once, so
//! that equal values have equal numbers ([`Val`]). An operation is rewritten innermost, with its equations in the order of the text:
//! the first whose left side matches and whose premises hold is taken. So `x eq x = true; x eq y = false` means what it seems to.
//! What an operation gave is remembered.
//!
//! No equation that applies, or a number outside the range of its sort, is a fault ([`Trouble`]), never a value and never a deadlock.
//! An evaluation that takes too long is given up: this is no fault of the model, but nothing is known then.

use std::collections::HashMap;
use std::rc::Rc;

/// Numbers of sorts, operations, and the values of one worker.
pub(crate) type SortId = u32;
pub(crate) type OpId = u32;
pub(crate) type Val = u32;

/// A value that is not set.
pub(crate) const UNSET: Val = Val::MAX;

/// All sorts and operations.
#[derive(Debug, Default)]
pub(crate) struct Data {
    pub(crate) sorts: Vec<Sort>,
    pub(crate) ops: Vec<Op>,
}

#[derive(Debug)]
pub(crate) struct Sort {
    pub(crate) name: Box<str>,
    pub(crate) kind: SortKind,
    /// The constructors, in the order of the text.
    pub(crate) constructors: Vec<OpId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SortKind {
    /// Numbers from the first to the second.
    Numbers(i64, i64),
    /// What the constructors make.
    Constructed,
}

#[derive(Debug)]
pub(crate) struct Op {
    pub(crate) name: Box<str>,
    pub(crate) args: Vec<SortId>,
    pub(crate) result: SortId,
    pub(crate) meaning: Meaning,
}

#[derive(Debug)]
pub(crate) enum Meaning {
    Constructor,
    /// The constant of a sort of numbers.
    Zero,
    /// Its unary constructor.
    Successor,
    Builtin(Builtin),
    Equations(Vec<Equation>),
}

/// Operations of our own libraries that are computed, since rewriting numbers one by one takes long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Power,
    Minimum,
    Maximum,
    Negate,
    Absolute,
    /// A number of one sort as one of another.
    Convert,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Builtin {
    pub(crate) const NAMES: [(&'static str, Self); 17] = [
        ("add", Self::Add),
        ("subtract", Self::Subtract),
        ("multiply", Self::Multiply),
        ("divide", Self::Divide),
        ("modulo", Self::Modulo),
        ("power", Self::Power),
        ("minimum", Self::Minimum),
        ("maximum", Self::Maximum),
        ("negate", Self::Negate),
        ("absolute", Self::Absolute),
        ("convert", Self::Convert),
        ("equal", Self::Equal),
        ("unequal", Self::Unequal),
        ("less", Self::Less),
        ("less-equal", Self::LessEqual),
        ("greater", Self::Greater),
        ("greater-equal", Self::GreaterEqual),
    ];
}

/// A value to be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Term {
    Variable(u32),
    Number(SortId, i64),
    Apply(OpId, Box<[Term]>),
}

/// Two terms that must be equal.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub(crate) left: Term,
    pub(crate) right: Term,
}

#[derive(Debug)]
pub(crate) struct Equation {
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) premises: Vec<Condition>,
    pub(crate) right: Term,
    pub(crate) variables: usize,
}

#[derive(Debug)]
pub(crate) enum Pattern {
    /// If the variable has a value already, it must be the same.
    Variable(u32),
    Number(i64),
    Successor(Box<Pattern>),
    Construct(OpId, Vec<Pattern>),
    /// A constant that is defined by an equation.
    Constant(Term),
}

/// Why there is no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trouble {
    pub(crate) text: String,
    /// We gave up, and nothing is known.
    pub(crate) gave_up: bool,
}

impl Trouble {
    pub(crate) fn fault(text: String) -> Self {
        Self { text, gave_up: false }
    }

    pub(crate) fn gave_up(text: String) -> Self {
        Self { text, gave_up: true }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Datum {
    Number(SortId, i64),
    Construct(OpId, Box<[Val]>),
}

/// How deep evaluations may be nested: what a thread's stack holds, with a good margin.
const DEEPEST: u32 = 1500;
/// How many rewriting steps one evaluation may take.
const LONGEST: u64 = 2_000_000;
/// How many values of a sort are enumerated.
const MOST: usize = 100_000;

/// The values that one worker knows.
#[derive(Debug, Default)]
pub(crate) struct Values {
    data: Vec<Datum>,
    /// How deep each is nested.
    depths: Vec<u32>,
    numbers: HashMap<Datum, Val>,
    results: HashMap<(OpId, Box<[Val]>), Val>,
    enumerated: HashMap<SortId, Rc<[Val]>>,
    /// Rewriting steps so far.
    pub(crate) steps: u64,
    until: u64,
}

impl Values {
    pub(crate) fn get(&self, value: Val) -> &Datum {
        &self.data[value as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.data.len() + self.results.len()
    }

    /// Forgets all values.
    pub(crate) fn clear(&mut self) {
        *self = Self { steps: self.steps, ..Self::default() };
    }

    pub(crate) fn intern(&mut self, datum: Datum) -> Val {
        if let Some(&value) = self.numbers.get(&datum) {
            return value;
        }
        let value = self.data.len() as Val;
        let depth = match &datum {
            Datum::Number(..) => 0,
            Datum::Construct(_, args) => {
                args.iter().map(|&arg| self.depths[arg as usize] + 1).max().unwrap_or(0)
            }
        };
        self.depths.push(depth);
        self.data.push(datum.clone());
        self.numbers.insert(datum, value);
        value
    }

    pub(crate) fn sort(&self, data: &Data, value: Val) -> SortId {
        match self.get(value) {
            Datum::Number(sort, _) => *sort,
            Datum::Construct(op, _) => data.ops[*op as usize].result,
        }
    }

    /// The value of a term.
    pub(crate) fn eval(&mut self, data: &Data, term: &Term, env: &[Val]) -> Result<Val, Trouble> {
        self.until = self.steps + LONGEST;
        self.term(data, term, env, 0)
    }

    pub(crate) fn holds(&mut self, data: &Data, condition: &Condition, env: &[Val]) -> Result<bool, Trouble> {
        self.until = self.steps + LONGEST;
        self.condition(data, condition, env, 0)
    }

    fn condition(
        &mut self,
        data: &Data,
        condition: &Condition,
        env: &[Val],
        depth: u32,
    ) -> Result<bool, Trouble> {
        let left = self.term(data, &condition.left, env, depth)?;
        Ok(left == self.term(data, &condition.right, env, depth)?)
    }

    fn term(&mut self, data: &Data, term: &Term, env: &[Val], depth: u32) -> Result<Val, Trouble> {
        match term {
            Term::Variable(slot) => {
                debug_assert_ne!(env[*slot as usize], UNSET, "static checks bind every variable");
                Ok(env[*slot as usize])
            }
            Term::Number(sort, number) => self.number(data, *sort, *number),
            Term::Apply(op, args) => {
                let args = args
                    .iter()
                    .map(|arg| self.term(data, arg, env, depth + 1))
                    .collect::<Result<Box<[Val]>, Trouble>>()?;
                self.apply(data, *op, args, depth)
            }
        }
    }

    /// A number, if it is one of its sort.
    fn number(&mut self, data: &Data, sort: SortId, number: i64) -> Result<Val, Trouble> {
        let Sort { name, kind: SortKind::Numbers(least, greatest), .. } = &data.sorts[sort as usize] else {
            unreachable!("a sort of numbers")
        };
        if !(*least..=*greatest).contains(&number) {
            let text = format!("{number} is outside the range of the sort {name} ({least}..{greatest})");
            return Err(Trouble::fault(text));
        }
        Ok(self.intern(Datum::Number(sort, number)))
    }

    fn apply(&mut self, data: &Data, op: OpId, args: Box<[Val]>, depth: u32) -> Result<Val, Trouble> {
        let operation = &data.ops[op as usize];
        match &operation.meaning {
            Meaning::Constructor => {
                let value = self.intern(Datum::Construct(op, args));
                if self.depths[value as usize] > DEEPEST {
                    let name = &operation.name;
                    let text = format!(
                        "a value of {name} is nested more than {DEEPEST} deep; it seems to grow for ever"
                    );
                    return Err(Trouble::gave_up(text));
                }
                return Ok(value);
            }
            Meaning::Zero => return self.number(data, operation.result, 0),
            Meaning::Successor => {
                let number = self.as_number(args[0]);
                return self.number(data, operation.result, number + 1);
            }
            Meaning::Builtin(builtin) => return self.compute(data, operation, *builtin, &args),
            Meaning::Equations(_) => {}
        }
        if let Some(&value) = self.results.get(&(op, args.clone())) {
            return Ok(value);
        }
        let value = self.rewrite(data, op, &args, depth)?;
        self.results.insert((op, args), value);
        Ok(value)
    }

    fn rewrite(&mut self, data: &Data, op: OpId, args: &[Val], depth: u32) -> Result<Val, Trouble> {
        let operation = &data.ops[op as usize];
        let Meaning::Equations(equations) = &operation.meaning else { unreachable!("it is rewritten") };
        self.steps += 1;
        if depth > DEEPEST || self.steps > self.until {
            let call = self.show_call(data, op, args);
            let how = if depth > DEEPEST {
                format!("is nested more than {DEEPEST} deep")
            } else {
                format!("takes more than {LONGEST} steps")
            };
            return Err(Trouble::gave_up(format!(
                "the evaluation of {call} {how}; perhaps its equations go round in a circle"
            )));
        }
        let mut env = Vec::new();
        'equations: for equation in equations {
            env.clear();
            env.resize(equation.variables, UNSET);
            for (pattern, &arg) in equation.patterns.iter().zip(args) {
                if !self.matches(data, pattern, arg, &mut env, depth)? {
                    continue 'equations;
                }
            }
            for premise in &equation.premises {
                if !self.condition(data, premise, &env, depth + 1)? {
                    continue 'equations;
                }
            }
            return self.term(data, &equation.right, &env, depth + 1);
        }
        Err(Trouble::fault(format!("no equation applies to {}", self.show_call(data, op, args))))
    }

    fn matches(
        &mut self,
        data: &Data,
        pattern: &Pattern,
        value: Val,
        env: &mut [Val],
        depth: u32,
    ) -> Result<bool, Trouble> {
        match pattern {
            Pattern::Variable(slot) => {
                let known = &mut env[*slot as usize];
                if *known == UNSET {
                    *known = value;
                }
                Ok(*known == value)
            }
            Pattern::Number(number) => Ok(self.as_number(value) == *number),
            Pattern::Successor(inner) => {
                let Datum::Number(sort, number) = *self.get(value) else { unreachable!("sorts agree") };
                if number < 1 {
                    return Ok(false);
                }
                let before = self.intern(Datum::Number(sort, number - 1));
                self.matches(data, inner, before, env, depth)
            }
            Pattern::Construct(op, inner) => {
                let Datum::Construct(other, parts) = self.get(value) else { unreachable!("sorts agree") };
                if other != op {
                    return Ok(false);
                }
                let parts = parts.clone();
                for (pattern, &part) in inner.iter().zip(&parts) {
                    if !self.matches(data, pattern, part, env, depth)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Pattern::Constant(term) => Ok(self.term(data, term, &[], depth + 1)? == value),
        }
    }

    fn as_number(&self, value: Val) -> i64 {
        match self.get(value) {
            Datum::Number(_, number) => *number,
            Datum::Construct(..) => unreachable!("sorts agree"),
        }
    }

    fn compute(
        &mut self,
        data: &Data,
        operation: &Op,
        builtin: Builtin,
        args: &[Val],
    ) -> Result<Val, Trouble> {
        use Builtin as B;
        self.steps += 1;
        if matches!(builtin, B::Equal | B::Unequal) {
            return Ok(self.truth(data, operation.result, (args[0] == args[1]) == (builtin == B::Equal)));
        }
        let left = self.as_number(args[0]);
        let right = args.get(1).map_or(0, |&arg| self.as_number(arg));
        let truth = match builtin {
            B::Less => Some(left < right),
            B::LessEqual => Some(left <= right),
            B::Greater => Some(left > right),
            B::GreaterEqual => Some(left >= right),
            _ => None,
        };
        if let Some(truth) = truth {
            return Ok(self.truth(data, operation.result, truth));
        }
        if matches!(builtin, B::Divide | B::Modulo) && right == 0 {
            return Err(Trouble::fault(format!("{left} is divided by 0")));
        }
        let number = match builtin {
            B::Add => left.checked_add(right),
            B::Subtract => left.checked_sub(right),
            B::Multiply => left.checked_mul(right),
            B::Divide => left.checked_div(right),
            B::Modulo => left.checked_rem_euclid(right),
            B::Power => u32::try_from(right).ok().and_then(|right| left.checked_pow(right)),
            B::Minimum => Some(left.min(right)),
            B::Maximum => Some(left.max(right)),
            B::Negate => left.checked_neg(),
            B::Absolute => left.checked_abs(),
            _ => Some(left),
        };
        match number {
            Some(number) => self.number(data, operation.result, number),
            None => {
                let sort = &data.sorts[operation.result as usize].name;
                Err(Trouble::fault(format!("a number of the sort {sort} has more than 64 bits")))
            }
        }
    }

    /// `false` is the first constructor of its sort in our library, `true` the second.
    fn truth(&mut self, data: &Data, sort: SortId, truth: bool) -> Val {
        let op = data.sorts[sort as usize].constructors[usize::from(truth)];
        self.intern(Datum::Construct(op, Box::default()))
    }

    /// All values of a sort, in order.
    pub(crate) fn all(&mut self, data: &Data, sort: SortId) -> Result<Rc<[Val]>, Trouble> {
        self.all_within(data, sort, &mut Vec::new())
    }

    fn all_within(
        &mut self,
        data: &Data,
        sort: SortId,
        open: &mut Vec<SortId>,
    ) -> Result<Rc<[Val]>, Trouble> {
        if let Some(all) = self.enumerated.get(&sort) {
            return Ok(Rc::clone(all));
        }
        let Sort { name, kind, constructors } = &data.sorts[sort as usize];
        let too_many = || {
            let text =
                format!("the values of the sort {name} are enumerated here, and there are too many of them");
            Trouble::gave_up(text)
        };
        if open.contains(&sort) {
            return Err(too_many());
        }
        let mut all = Vec::new();
        match *kind {
            SortKind::Numbers(least, greatest) => {
                if greatest.saturating_sub(least) >= MOST as i64 {
                    return Err(too_many());
                }
                all.extend((least..=greatest).map(|number| self.intern(Datum::Number(sort, number))));
            }
            SortKind::Constructed => {
                open.push(sort);
                for &op in constructors {
                    let mut made: Vec<Vec<Val>> = vec![Vec::new()];
                    for &arg in &data.ops[op as usize].args {
                        let values = self.all_within(data, arg, open)?;
                        if made.len() * values.len() > MOST {
                            return Err(too_many());
                        }
                        let longer = |args: &Vec<Val>| {
                            let args = args.clone();
                            let with = move |&value| [&args[..], &[value]].concat();
                            values.iter().map(with).collect::<Vec<_>>()
                        };
                        made = made.iter().flat_map(longer).collect();
                    }
                    all.extend(made.into_iter().map(|args| self.intern(Datum::Construct(op, args.into()))));
                    if all.len() > MOST {
                        return Err(too_many());
                    }
                }
                open.pop();
            }
        }
        let all: Rc<[Val]> = all.into();
        self.enumerated.insert(sort, Rc::clone(&all));
        Ok(all)
    }

    /// As CAESAR prints it.
    pub(crate) fn show(&self, data: &Data, value: Val, out: &mut String) {
        match self.get(value) {
            Datum::Number(_, number) => out.push_str(&number.to_string()),
            Datum::Construct(op, args) => self.show_applied(data, *op, args, out),
        }
    }

    fn show_applied(&self, data: &Data, op: OpId, args: &[Val], out: &mut String) {
        out.push_str(&data.ops[op as usize].name.to_uppercase());
        for (number, &arg) in args.iter().enumerate() {
            out.push_str(if number == 0 { " (" } else { ", " });
            self.show(data, arg, out);
        }
        if !args.is_empty() {
            out.push(')');
        }
    }

    fn show_call(&self, data: &Data, op: OpId, args: &[Val]) -> String {
        let mut out = String::new();
        self.show_applied(data, op, args, &mut out);
        out
    }

    /// The bytes of a value, which say where they end; its sort is known.
    pub(crate) fn encode(&self, value: Val, out: &mut Vec<u8>) {
        match self.get(value) {
            Datum::Number(_, number) => write_varint(((number << 1) ^ (number >> 63)) as u64, out),
            Datum::Construct(op, args) => {
                write_varint(u64::from(*op), out);
                args.iter().for_each(|&arg| self.encode(arg, out));
            }
        }
    }

    pub(crate) fn decode(&mut self, data: &Data, sort: SortId, bytes: &mut &[u8]) -> Val {
        let number = read_varint(bytes);
        match data.sorts[sort as usize].kind {
            SortKind::Numbers(..) => {
                self.intern(Datum::Number(sort, (number >> 1) as i64 ^ -((number & 1) as i64)))
            }
            SortKind::Constructed => {
                let args = &data.ops[number as usize].args;
                let args = args.iter().map(|&arg| self.decode(data, arg, bytes)).collect();
                self.intern(Datum::Construct(number as OpId, args))
            }
        }
    }
}

pub(crate) fn write_varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

pub(crate) fn read_varint(bytes: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first().expect("a state that this model has made");
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return number;
        }
        shift += 7;
    }
}
