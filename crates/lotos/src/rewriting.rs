//! Evaluation: rewriting, innermost, by the decision trees of the operations (see `decision`).
//!
//! Arguments and variables stand on one stack, so that an evaluation allocates nothing but the values that it makes. What an operation gave is remembered in a
//! table of fixed size, where a newer result takes the place of an older one: so its memory is known before the search begins ([`Memo::BYTES`]).
//! An operation whose equations apply no other defined operation is computed faster than it is looked up.
//!
//! No equation that applies, or a number outside the range of its sort, is a fault ([`Trouble`]), never a value and never a deadlock.
//! An evaluation that takes too long is given up: this is no fault of the model, but nothing is known then.

use crate::data::{
    Builtin, Condition, Data, Meaning, Op, OpId, Sort, SortId, SortKind, Term, Trouble, UNSET, Val,
};
use crate::decision::Step;
use crate::values::{Datum, Values};

/// How deep evaluations may be nested: what a thread's stack holds, with a good margin.
const DEEPEST: u32 = 1500;
/// How many rewriting steps one evaluation may take.
const LONGEST: u64 = 2_000_000;

/// What operations of up to four arguments gave.
#[derive(Debug, Default)]
pub(crate) struct Memo(Vec<Remembered>);

#[derive(Clone, Copy, Debug)]
struct Remembered {
    op: OpId,
    args: [Val; Memo::ARGUMENTS],
    value: Val,
}

impl Memo {
    const ARGUMENTS: usize = 4;
    const ENTRIES: usize = 4096;
    const FREE: Remembered = Remembered { op: OpId::MAX, args: [UNSET; Self::ARGUMENTS], value: UNSET };
    /// What it takes, if there is an operation whose results it keeps.
    pub(crate) const BYTES: usize = Self::ENTRIES * size_of::<Remembered>();

    pub(crate) fn clear(&mut self) {
        self.0.fill(Self::FREE);
    }

    fn place(op: OpId, args: &[Val; Self::ARGUMENTS]) -> usize {
        let mix = |hash: u64, &word: &u32| {
            (hash.rotate_left(7) ^ u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        };
        (args.iter().fold(mix(0, &op), mix) >> 40) as usize % Self::ENTRIES
    }

    fn get(&self, op: OpId, args: &[Val; Self::ARGUMENTS]) -> Option<Val> {
        let found = self.0.get(Self::place(op, args))?;
        (found.op == op && found.args == *args).then_some(found.value)
    }

    fn set(&mut self, op: OpId, args: [Val; Self::ARGUMENTS], value: Val) {
        if self.0.is_empty() {
            self.0 = vec![Self::FREE; Self::ENTRIES];
        }
        self.0[Self::place(op, &args)] = Remembered { op, args, value };
    }
}

impl Values {
    /// The value of a term.
    pub(crate) fn eval(&mut self, data: &Data, term: &Term, env: &[Val]) -> Result<Val, Trouble> {
        if let Term::Variable(slot) = term {
            return Ok(env[*slot as usize]);
        }
        self.begin(env);
        self.term(data, term, 0, 0)
    }

    pub(crate) fn holds(&mut self, data: &Data, condition: &Condition, env: &[Val]) -> Result<bool, Trouble> {
        self.begin(env);
        self.condition(data, condition, 0, 0)
    }

    fn begin(&mut self, env: &[Val]) {
        self.until = self.steps + LONGEST;
        // An evaluation that ended in a fault has left something there.
        self.stack.clear();
        self.stack.extend_from_slice(env);
    }

    fn condition(
        &mut self,
        data: &Data,
        condition: &Condition,
        base: usize,
        depth: u32,
    ) -> Result<bool, Trouble> {
        let left = self.term(data, &condition.left, base, depth)?;
        Ok(left == self.term(data, &condition.right, base, depth)?)
    }

    /// The value of a term whose variables stand on the stack from `base` on.
    fn term(&mut self, data: &Data, term: &Term, base: usize, depth: u32) -> Result<Val, Trouble> {
        match term {
            Term::Variable(slot) => {
                let value = self.stack[base + *slot as usize];
                debug_assert_ne!(value, UNSET, "static checks bind every variable");
                Ok(value)
            }
            Term::Number(sort, number) => self.within_range(data, *sort, *number),
            Term::Apply(op, args) => {
                let operation = &data.ops[*op as usize];
                let here = self.stack.len();
                for (number, arg) in args.iter().enumerate() {
                    let value = self.term(data, arg, base, depth + 1)?;
                    if number == 0
                        && let Meaning::Builtin(builtin) = operation.meaning
                        && let Some(truth) = decided(builtin, || self.is_true(data, value))
                    {
                        return Ok(self.truth(data, operation.result, truth));
                    }
                    self.stack.push(value);
                }
                let value = self.apply(data, *op, here, depth)?;
                self.stack.truncate(here);
                Ok(value)
            }
        }
    }

    /// A number, if it is one of its sort.
    fn within_range(&mut self, data: &Data, sort: SortId, number: i64) -> Result<Val, Trouble> {
        let Sort { name, kind: SortKind::Numbers(least, greatest), .. } = &data.sorts[sort as usize] else {
            unreachable!("a sort of numbers")
        };
        if !(*least..=*greatest).contains(&number) {
            let text = format!("{number} is outside the range of the sort {name} ({least}..{greatest})");
            return Err(Trouble::fault(text));
        }
        Ok(self.number(data, sort, number))
    }

    /// An operation whose arguments stand on the stack from `base` on.
    fn apply(&mut self, data: &Data, op: OpId, base: usize, depth: u32) -> Result<Val, Trouble> {
        let operation = &data.ops[op as usize];
        let tree = match &operation.meaning {
            Meaning::Constructor => {
                let value = self.construct_from_stack(op, base);
                if self.depth(value) > DEEPEST {
                    let name = &operation.name;
                    let text = format!(
                        "a value of {name} is nested more than {DEEPEST} deep; it seems to grow for ever"
                    );
                    return Err(Trouble::gave_up(text));
                }
                return Ok(value);
            }
            Meaning::Zero => return self.within_range(data, operation.result, 0),
            Meaning::Successor => {
                let number = self.as_number(self.stack[base]);
                return self.within_range(data, operation.result, number + 1);
            }
            Meaning::Builtin(builtin) => return self.compute(data, operation, *builtin, base),
            Meaning::Equations(tree) => tree,
        };
        let count = operation.args.len();
        if !tree.is_remembered {
            return self.rewrite(data, op, &tree.steps, tree.registers, base, depth);
        }
        let mut key = [UNSET; Memo::ARGUMENTS];
        if count <= Memo::ARGUMENTS {
            key[..count].copy_from_slice(&self.stack[base..]);
        } else {
            // Many arguments are kept once, like those of a constructor.
            key[0] = self.construct_from_stack(op, base);
        }
        if let Some(value) = self.memo.get(op, &key) {
            return Ok(value);
        }
        let value = self.rewrite(data, op, &tree.steps, tree.registers, base, depth)?;
        self.memo.set(op, key, value);
        Ok(value)
    }

    /// Walks down the decision tree of an operation.
    fn rewrite(
        &mut self,
        data: &Data,
        op: OpId,
        steps: &[Step],
        registers: usize,
        base: usize,
        depth: u32,
    ) -> Result<Val, Trouble> {
        let count = self.stack.len() - base;
        self.steps += 1;
        if depth > DEEPEST || self.steps > self.until {
            let call = self.show_call(data, op, &self.stack[base..]);
            let how = if depth > DEEPEST {
                format!("is nested more than {DEEPEST} deep")
            } else {
                format!("takes more than {LONGEST} steps")
            };
            return Err(Trouble::gave_up(format!(
                "the evaluation of {call} {how}; perhaps its equations go round in a circle"
            )));
        }
        self.stack.resize(base + registers, UNSET);
        let mut at = 0;
        loop {
            let holds = |holds: bool, yes: u32, no: u32| if holds { yes } else { no };
            at = match &steps[at as usize] {
                Step::Switch { register, first, cases, otherwise } => {
                    let value = self.stack[base + *register as usize];
                    let Datum::Construct(constructor) = self.get(value) else { unreachable!("sorts agree") };
                    let next = cases[data.ops[constructor as usize].ordinal as usize];
                    match next {
                        Some(next) => {
                            let count = data.ops[constructor as usize].args.len();
                            let to = base + *first as usize;
                            for part in 0..count {
                                self.stack[to + part] = self.parts(value)[part];
                            }
                            next
                        }
                        None => *otherwise,
                    }
                }
                Step::IsNumber { register, number, yes, no } => {
                    holds(self.as_number(self.stack[base + *register as usize]) == *number, *yes, *no)
                }
                Step::IsAtLeast { register, number, yes, no } => {
                    holds(self.as_number(self.stack[base + *register as usize]) >= *number, *yes, *no)
                }
                Step::Subtract { register, number, to, next } => {
                    let Datum::Number(sort, minuend) = self.get(self.stack[base + *register as usize]) else {
                        unreachable!("sorts agree")
                    };
                    self.stack[base + *to as usize] = self.number(data, sort, minuend - number);
                    *next
                }
                Step::AreEqual { one, other, yes, no } => {
                    holds(self.stack[base + *one as usize] == self.stack[base + *other as usize], *yes, *no)
                }
                Step::Holds { condition, yes, no } => {
                    holds(self.condition(data, condition, base, depth + 1)?, *yes, *no)
                }
                Step::Result(term) => return self.term(data, term, base, depth + 1),
                Step::Nothing => {
                    let call = self.show_call(data, op, &self.stack[base..base + count]);
                    return Err(Trouble::fault(format!("no equation applies to {call}")));
                }
            };
        }
    }

    fn as_number(&self, value: Val) -> i64 {
        match self.get(value) {
            Datum::Number(_, number) => number,
            Datum::Construct(..) => unreachable!("sorts agree"),
        }
    }

    fn compute(
        &mut self,
        data: &Data,
        operation: &Op,
        builtin: Builtin,
        base: usize,
    ) -> Result<Val, Trouble> {
        use Builtin as B;
        self.steps += 1;
        let (one, other) = (self.stack[base], self.stack.get(base + 1).copied());
        match builtin {
            B::Equal | B::Unequal => {
                let truth = (Some(one) == other) == (builtin == B::Equal);
                return Ok(self.truth(data, operation.result, truth));
            }
            // The first operand has not decided.
            B::And | B::Or | B::Implies => return Ok(other.expect("it has two operands")),
            _ => {}
        }
        let left = self.as_number(one);
        let right = other.map_or(0, |other| self.as_number(other));
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
            Some(number) => self.within_range(data, operation.result, number),
            None => {
                let sort = &data.sorts[operation.result as usize].name;
                Err(Trouble::fault(format!("a number of the sort {sort} has more than 64 bits")))
            }
        }
    }

    /// `false` is the first constructor of its sort in our library, `true` the second.
    fn truth(&mut self, data: &Data, sort: SortId, truth: bool) -> Val {
        let op = data.sorts[sort as usize].constructors[usize::from(truth)];
        self.construct(op, &[])
    }

    fn is_true(&self, data: &Data, value: Val) -> bool {
        let Datum::Construct(op) = self.get(value) else { unreachable!("sorts agree") };
        data.ops[op as usize].ordinal == 1
    }
}

/// What the first operand decides.
fn decided(builtin: Builtin, first: impl Fn() -> bool) -> Option<bool> {
    match builtin {
        Builtin::And => (!first()).then_some(false),
        Builtin::Or => first().then_some(true),
        Builtin::Implies => (!first()).then_some(true),
        _ => None,
    }
}
