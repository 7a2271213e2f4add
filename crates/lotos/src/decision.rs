//! The equations of an operation as a decision tree.
//!
//! Equations are tried in the order of the text, and the first whose left side matches and whose premises hold is taken: so `x eq x = true; x eq y =
//! false` means what it seems to. The tree asks each question about an argument once for all equations: it looks at what the first equation that is left
//! asks first, and keeps, for each answer, the equations that still can match (Maranget 2008: Compiling pattern matching to good decision trees, without
//! his heuristics: the first column is nearly always the right one here).
//!
//! Questions about constructors and numbers come first, since they have no effect. Then come variables that occur twice, constants that are defined by
//! equations, and premises, in this order, for one equation at a time: if one does not hold, the equations after it are tried, with all that is known by
//! then.
//!
//! Trees can be exponentially larger than their equations. Beyond [`LARGEST`] steps the equations that are left are tried one after another.
//!
//! A register holds an argument, a part of one, or a number less than one. The result and the premises name registers instead of the equation's
//! variables.

use crate::data::{Condition, Data, Equation, Meaning, OpId, Pattern, SortId, Term};

/// A place in [`Tree::steps`].
pub(crate) type StepId = u32;

/// How many steps a tree has before equations are tried one after another.
const LARGEST: usize = 2000;

/// What an operation does; the first step is the root.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) steps: Vec<Step>,
    /// How many registers it uses; the first are the arguments.
    pub(crate) registers: usize,
    /// Whether its results are worth remembering.
    pub(crate) is_remembered: bool,
}

#[derive(Debug)]
pub(crate) enum Step {
    /// By the constructor of a value, whose parts go to the registers from the first on. Cases are numbered as the constructors of the sort.
    Switch {
        register: u32,
        first: u32,
        cases: Box<[Option<StepId>]>,
        otherwise: StepId,
    },
    IsNumber {
        register: u32,
        number: i64,
        yes: StepId,
        no: StepId,
    },
    IsAtLeast {
        register: u32,
        number: i64,
        yes: StepId,
        no: StepId,
    },
    Subtract {
        register: u32,
        number: i64,
        to: u32,
        next: StepId,
    },
    AreEqual {
        one: u32,
        other: u32,
        yes: StepId,
        no: StepId,
    },
    Holds {
        condition: Condition,
        yes: StepId,
        no: StepId,
    },
    Result(Term),
    /// No equation applies.
    Nothing,
}

/// A number less than what a register holds, or that itself.
type Source = (u32, i64);

/// A question about a register.
#[derive(Clone, Debug)]
enum Test<'a> {
    Construct(OpId, &'a [Pattern]),
    IsNumber(i64),
    IsAtLeast(i64),
}

/// An equation as far as it is not decided.
#[derive(Clone, Debug)]
struct Row<'a> {
    equation: &'a Equation,
    tests: Vec<(u32, Test<'a>)>,
    /// Where each variable is.
    variables: Vec<Option<Source>>,
    equal: Vec<(Source, Source)>,
    constants: Vec<(Source, &'a Term)>,
}

impl<'a> Row<'a> {
    /// A register must match a pattern.
    fn ask(&mut self, register: u32, pattern: &'a Pattern) {
        let (mut pattern, mut successors) = (pattern, 0);
        while let Pattern::Successor(inner) = pattern {
            (pattern, successors) = (inner, successors + 1);
        }
        let source = (register, successors);
        match pattern {
            Pattern::Number(number) => self.tests.push((register, Test::IsNumber(number + successors))),
            Pattern::Construct(op, parts) => self.tests.push((register, Test::Construct(*op, parts))),
            Pattern::Variable(_) | Pattern::Constant(_) if successors > 0 => {
                self.tests.push((register, Test::IsAtLeast(successors)));
            }
            _ => {}
        }
        match pattern {
            Pattern::Variable(slot) => match &mut self.variables[*slot as usize] {
                Some(known) => self.equal.push((*known, source)),
                unknown => *unknown = Some(source),
            },
            Pattern::Constant(term) => self.constants.push((source, term)),
            _ => {}
        }
    }

    /// The same row when a register holds this constructor with parts from `first` on; none if it does not match.
    fn constructed(&self, register: u32, op: OpId, first: u32) -> Option<Self> {
        let mut row = self.clone();
        let Some(at) = row.tests.iter().position(|(other, _)| *other == register) else { return Some(row) };
        let Test::Construct(wanted, parts) = row.tests.remove(at).1 else { unreachable!("sorts agree") };
        (wanted == op).then(|| {
            parts.iter().zip(first..).for_each(|(part, register)| row.ask(register, part));
            row
        })
    }

    /// The same row when what a question about a number asks is true of its register; or false.
    fn numbered(&self, register: u32, test: &Test<'_>, answer: bool) -> Option<Self> {
        let mut row = self.clone();
        let Some(at) = row.tests.iter().position(|(other, _)| *other == register) else { return Some(row) };
        // Whether it matches, if that is known already.
        let known = match (test, answer, &row.tests[at].1) {
            (Test::IsNumber(number), true, Test::IsNumber(own)) => Some(own == number),
            (Test::IsNumber(number), true, Test::IsAtLeast(own)) => Some(number >= own),
            (Test::IsNumber(number), false, Test::IsNumber(own)) if own == number => Some(false),
            (Test::IsAtLeast(number), true, Test::IsNumber(own)) if own < number => Some(false),
            (Test::IsAtLeast(number), true, Test::IsAtLeast(own)) if own <= number => Some(true),
            (Test::IsAtLeast(number), false, Test::IsNumber(own)) if own >= number => Some(false),
            (Test::IsAtLeast(number), false, Test::IsAtLeast(own)) if own >= number => Some(false),
            _ => None,
        };
        match known {
            Some(false) => None,
            Some(true) => {
                row.tests.remove(at);
                Some(row)
            }
            None => Some(row),
        }
    }

    /// Whether it may fail although all questions are answered.
    fn is_conditional(&self) -> bool {
        !self.equal.is_empty() || !self.constants.is_empty() || !self.equation.premises.is_empty()
    }
}

impl Tree {
    pub(crate) fn of(data: &Data, args: &[SortId], equations: &[Equation]) -> Self {
        let count = args.len() as u32;
        let rows: Vec<Row<'_>> = equations
            .iter()
            .map(|equation| {
                let mut row = Row {
                    equation,
                    tests: Vec::new(),
                    variables: vec![None; equation.variables],
                    equal: Vec::new(),
                    constants: Vec::new(),
                };
                equation.patterns.iter().zip(0..).for_each(|(pattern, register)| row.ask(register, pattern));
                row
            })
            .collect();
        let mut growing = Growing { data, steps: Vec::new(), registers: count };
        let root = growing.choose(&rows, count);
        let Growing { mut steps, registers, .. } = growing;
        // The root was made last, after what it leads to: it goes to the front, where evaluation begins.
        steps.reverse();
        let last = steps.len() as StepId - 1;
        steps.iter_mut().for_each(|step| step.lead(|next| last - next));
        debug_assert_eq!(last - root, 0, "the root is the last that is made");
        let is_defined = |term: &Term| applies_equations(data, term);
        let is_remembered = equations.iter().any(|equation| {
            let sides = |premise: &Condition| is_defined(&premise.left) || is_defined(&premise.right);
            is_defined(&equation.right) || equation.premises.iter().any(sides)
        });
        Self { steps, registers: registers as usize, is_remembered }
    }
}

impl Step {
    /// Other places of what comes next.
    fn lead(&mut self, place: impl Fn(StepId) -> StepId) {
        match self {
            Step::Switch { cases, otherwise, .. } => {
                cases.iter_mut().flatten().chain([otherwise]).for_each(|next| *next = place(*next));
            }
            Step::IsNumber { yes, no, .. }
            | Step::IsAtLeast { yes, no, .. }
            | Step::AreEqual { yes, no, .. }
            | Step::Holds { yes, no, .. } => (*yes, *no) = (place(*yes), place(*no)),
            Step::Subtract { next, .. } => *next = place(*next),
            Step::Result(_) | Step::Nothing => {}
        }
    }
}

/// Whether evaluating a term applies an operation that is defined by equations.
fn applies_equations(data: &Data, term: &Term) -> bool {
    let Term::Apply(op, args) = term else { return false };
    matches!(data.ops[*op as usize].meaning, Meaning::Equations(_))
        || args.iter().any(|arg| applies_equations(data, arg))
}

struct Growing<'a> {
    data: &'a Data,
    steps: Vec<Step>,
    /// The most that were in use.
    registers: u32,
}

impl Growing<'_> {
    fn add(&mut self, step: Step) -> StepId {
        self.steps.push(step);
        self.steps.len() as StepId - 1
    }

    /// The tree of these rows; registers from `free` on are not in use.
    fn choose(&mut self, rows: &[Row<'_>], free: u32) -> StepId {
        let Some((row, rest)) = rows.split_first() else { return self.add(Step::Nothing) };
        let Some((register, test)) = row.tests.first().cloned() else {
            let otherwise = if row.is_conditional() { Some(self.choose(rest, free)) } else { None };
            return self.conclude(row, otherwise, free);
        };
        // Beyond the limit this row is decided alone.
        let asked = if self.steps.len() > LARGEST { 1 } else { rows.len() };
        let after = (asked < rows.len()).then(|| self.choose(rest, free));
        match test {
            Test::Construct(..) => self.switch(&rows[..asked], register, after, free),
            _ => {
                let mut kept = |answer: bool| {
                    let kept: Vec<Row<'_>> = rows[..asked]
                        .iter()
                        .filter_map(|row| row.numbered(register, &test, answer))
                        .collect();
                    self.choose_or(&kept, after, free)
                };
                let (yes, no) = (kept(true), kept(false));
                self.add(match test {
                    Test::IsNumber(number) => Step::IsNumber { register, number, yes, no },
                    Test::IsAtLeast(number) => Step::IsAtLeast { register, number, yes, no },
                    Test::Construct(..) => unreachable!("it was handled"),
                })
            }
        }
    }

    /// The same, where something comes after the rows.
    fn choose_or(&mut self, rows: &[Row<'_>], after: Option<StepId>, free: u32) -> StepId {
        let Some(after) = after else { return self.choose(rows, free) };
        let [row] = rows else { return after };
        let Some((register, test)) = row.tests.first().cloned() else {
            return self.conclude(row, Some(after), free);
        };
        match test {
            Test::Construct(..) => self.switch(rows, register, Some(after), free),
            Test::IsNumber(number) | Test::IsAtLeast(number) => {
                let kept: Vec<Row<'_>> = row.numbered(register, &test, true).into_iter().collect();
                let (yes, no) = (self.choose_or(&kept, Some(after), free), after);
                self.add(match test {
                    Test::IsNumber(_) => Step::IsNumber { register, number, yes, no },
                    _ => Step::IsAtLeast { register, number, yes, no },
                })
            }
        }
    }

    fn switch(&mut self, rows: &[Row<'_>], register: u32, after: Option<StepId>, free: u32) -> StepId {
        let mut constructors: Vec<OpId> = Vec::new();
        for (_, test) in rows.iter().flat_map(|row| &row.tests).filter(|(other, _)| *other == register) {
            if let Test::Construct(op, _) = test
                && !constructors.contains(op)
            {
                constructors.push(*op);
            }
        }
        let sort = self.data.ops[constructors[0] as usize].result;
        let all = self.data.sorts[sort as usize].constructors.len();
        let mut cases = vec![None; all];
        for &op in &constructors {
            let kept: Vec<Row<'_>> =
                rows.iter().filter_map(|row| row.constructed(register, op, free)).collect();
            let beyond = free + self.data.ops[op as usize].args.len() as u32;
            self.registers = self.registers.max(beyond);
            cases[self.data.ops[op as usize].ordinal as usize] = Some(self.choose_or(&kept, after, beyond));
        }
        let others: Vec<Row<'_>> = rows
            .iter()
            .filter(|row| row.tests.iter().all(|(other, _)| *other != register))
            .cloned()
            .collect();
        let otherwise = if constructors.len() == all {
            // It is never reached.
            cases.iter().flatten().copied().next().expect("there is a constructor")
        } else {
            self.choose_or(&others, after, free)
        };
        self.add(Step::Switch { register, first: free, cases: cases.into(), otherwise })
    }

    /// An equation whose left side matches, but for what its conditions say.
    fn conclude(&mut self, row: &Row<'_>, otherwise: Option<StepId>, free: u32) -> StepId {
        let mut free = free;
        // Numbers less than those in registers get registers of their own.
        let mut differences: Vec<(Source, u32)> = Vec::new();
        let mut register = |source: Source| {
            if source.1 == 0 {
                return source.0;
            }
            if let Some((_, register)) = differences.iter().find(|(other, _)| *other == source) {
                return *register;
            }
            differences.push((source, free));
            free += 1;
            free - 1
        };
        let equal: Vec<(u32, u32)> =
            row.equal.iter().map(|&(one, other)| (register(one), register(other))).collect();
        let constants: Vec<(u32, &Term)> =
            row.constants.iter().map(|&(source, term)| (register(source), term)).collect();
        let variables: Vec<u32> =
            row.variables.iter().map(|source| source.map_or(u32::MAX, &mut register)).collect();
        self.registers = self.registers.max(free);
        let no = otherwise.unwrap_or(0);
        let mut next = self.add(Step::Result(with_registers(&row.equation.right, &variables)));
        for Condition { left, right } in row.equation.premises.iter().rev() {
            let (left, right) = (with_registers(left, &variables), with_registers(right, &variables));
            next = self.add(Step::Holds { condition: Condition { left, right }, yes: next, no });
        }
        for (register, term) in constants.into_iter().rev() {
            let condition = Condition { left: Term::Variable(register), right: term.clone() };
            next = self.add(Step::Holds { condition, yes: next, no });
        }
        for (one, other) in equal.into_iter().rev() {
            next = self.add(Step::AreEqual { one, other, yes: next, no });
        }
        for ((register, number), to) in differences.into_iter().rev() {
            next = self.add(Step::Subtract { register, number, to, next });
        }
        next
    }
}

/// A term whose variables are registers.
fn with_registers(term: &Term, registers: &[u32]) -> Term {
    match term {
        Term::Variable(slot) => Term::Variable(registers[*slot as usize]),
        Term::Number(sort, number) => Term::Number(*sort, *number),
        Term::Apply(op, args) => {
            Term::Apply(*op, args.iter().map(|arg| with_registers(arg, registers)).collect())
        }
    }
}
