//! Random equations: decision trees against rewriting by the first equation that matches.
//!
//! Left sides overlap, name variables twice and have constants that are defined by equations; equations have premises and are missing. The oracle
//! knows nothing of trees, of numbers (they are constructors applied to one another) or of results that are remembered. It tries the equations of an
//! operation in the order of the text on trees of constructors, and its own terms are what the specification's text is written from.
//!
//! Evaluation ends: an operation applies itself only to a part of its first argument, and others only if they come before it.

use elnath_kernel::rng::Rng;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sort {
    E,
    N,
    T,
}

use Sort::{E, N, T};

struct Constructor {
    name: &'static str,
    args: &'static [Sort],
    result: Sort,
}

/// `N` is a sort of numbers for the engine, `E` an enumeration.
const CONSTRUCTORS: [Constructor; 9] = [
    Constructor { name: "a", args: &[], result: E },
    Constructor { name: "b", args: &[], result: E },
    Constructor { name: "c", args: &[], result: E },
    Constructor { name: "z", args: &[], result: N },
    Constructor { name: "s", args: &[N], result: N },
    Constructor { name: "nil", args: &[], result: T },
    Constructor { name: "one", args: &[E], result: T },
    Constructor { name: "pair", args: &[T, T], result: T },
    Constructor { name: "tag", args: &[N, E], result: T },
];

const ZERO: usize = 3;
const SUCCESSOR: usize = 4;

/// A term, a pattern or a value.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Term {
    Variable(usize),
    Construct(usize, Vec<Term>),
    Apply(usize, Vec<Term>),
}

struct Equation {
    sorts: Vec<Sort>,
    patterns: Vec<Term>,
    premises: Vec<(Term, Term)>,
    right: Term,
}

struct Operation {
    args: Vec<Sort>,
    result: Sort,
    equations: Vec<Equation>,
}

pub(super) struct System {
    operations: Vec<Operation>,
    asked: Vec<Term>,
}

/// Why there is no value.
#[derive(Debug)]
enum Nothing {
    /// No equation applies to this.
    Undefined(String),
    TooMuch,
}

/// What the terms of a system are: labels, and the applications that have no value.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Answers {
    pub(super) labels: Vec<String>,
    pub(super) undefined: Vec<String>,
}

/// The largest value and the most steps for one term.
const DEEPEST: usize = 60;
const LONGEST: usize = 20_000;

impl System {
    pub(super) fn random(rng: &mut Rng) -> Self {
        let mut system = Self { operations: Vec::new(), asked: Vec::new() };
        // Constants, which patterns may name.
        for result in [N, T] {
            let right = system.ground(rng, result, 2);
            let equation = Equation { sorts: Vec::new(), patterns: Vec::new(), premises: Vec::new(), right };
            system.operations.push(Operation { args: Vec::new(), result, equations: vec![equation] });
        }
        for _ in 0..4 {
            let wide = rng.chance(8);
            let count = if wide { 6 } else { 1 + rng.below(3) };
            let args: Vec<Sort> = (0..count).map(|_| rng.pick(&[E, N, T])).collect();
            let result = rng.pick(&[E, N, T]);
            let number = system.operations.len();
            system.operations.push(Operation { args, result, equations: Vec::new() });
            for _ in 0..1 + rng.below(if wide { 14 } else { 6 }) {
                let equation = system.equation(rng, number);
                system.operations[number].equations.push(equation);
            }
        }
        for _ in 0..16 {
            let op = 2 + rng.below(4) as usize;
            let args = system.operations[op].args.clone();
            let args = args.into_iter().map(|sort| system.ground(rng, sort, 3)).collect();
            system.asked.push(Term::Apply(op, args));
        }
        system
    }

    fn equation(&self, rng: &mut Rng, op: usize) -> Equation {
        let mut sorts = Vec::new();
        let args = self.operations[op].args.clone();
        let patterns: Vec<Term> = args.iter().map(|&sort| self.pattern(rng, sort, 2, &mut sorts)).collect();
        // What is smaller than the first argument.
        let mut parts = Vec::new();
        if let Term::Construct(_, inner) = &patterns[0] {
            inner.iter().for_each(|part| variables(part, &mut parts));
        }
        parts.retain(|&variable| sorts[variable] == args[0]);
        let mut premises = Vec::new();
        while rng.chance(20) {
            let sort = rng.pick(&[E, N, T]);
            premises
                .push((self.term(rng, sort, 2, op, &[], &sorts), self.term(rng, sort, 1, op, &[], &sorts)));
        }
        let right = self.term(rng, self.operations[op].result, 3, op, &parts, &sorts);
        Equation { sorts, patterns, premises, right }
    }

    fn pattern(&self, rng: &mut Rng, sort: Sort, depth: u64, sorts: &mut Vec<Sort>) -> Term {
        if rng.chance(8)
            && let Some(constant) = (0..2).find(|&op| self.operations[op].result == sort)
        {
            return Term::Apply(constant, Vec::new());
        }
        if depth == 0 || rng.chance(40) {
            let known: Vec<usize> = (0..sorts.len()).filter(|&variable| sorts[variable] == sort).collect();
            if !known.is_empty() && rng.chance(30) {
                return Term::Variable(rng.pick(&known));
            }
            sorts.push(sort);
            return Term::Variable(sorts.len() - 1);
        }
        let number = constructor(rng, sort);
        let args = CONSTRUCTORS[number].args;
        Term::Construct(number, args.iter().map(|&sort| self.pattern(rng, sort, depth - 1, sorts)).collect())
    }

    /// A term over these variables and the operations before `op`, or that itself on `parts`.
    fn term(
        &self,
        rng: &mut Rng,
        sort: Sort,
        depth: u64,
        op: usize,
        parts: &[usize],
        sorts: &[Sort],
    ) -> Term {
        let known: Vec<usize> = (0..sorts.len()).filter(|&variable| sorts[variable] == sort).collect();
        if !known.is_empty() && (depth == 0 || rng.chance(40)) {
            return Term::Variable(rng.pick(&known));
        }
        if depth > 0 && rng.chance(50) {
            if !parts.is_empty() && self.operations[op].result == sort && rng.chance(60) {
                let mut args = vec![Term::Variable(rng.pick(parts))];
                for &sort in &self.operations[op].args[1..] {
                    args.push(self.term(rng, sort, depth - 1, op, &[], sorts));
                }
                return Term::Apply(op, args);
            }
            let before: Vec<usize> = (0..op).filter(|&other| self.operations[other].result == sort).collect();
            if !before.is_empty() {
                let other = rng.pick(&before);
                let args = &self.operations[other].args;
                let args =
                    args.iter().map(|&sort| self.term(rng, sort, depth - 1, op, parts, sorts)).collect();
                return Term::Apply(other, args);
            }
        }
        let number = if depth == 0 { leaf(rng, sort) } else { constructor(rng, sort) };
        let args = CONSTRUCTORS[number].args;
        let depth = depth.saturating_sub(1);
        Term::Construct(
            number,
            args.iter().map(|&sort| self.term(rng, sort, depth, op, parts, sorts)).collect(),
        )
    }

    fn ground(&self, rng: &mut Rng, sort: Sort, depth: u64) -> Term {
        let number = if depth == 0 { leaf(rng, sort) } else { constructor(rng, sort) };
        let args = CONSTRUCTORS[number].args;
        let depth = depth.saturating_sub(1);
        Term::Construct(number, args.iter().map(|&sort| self.ground(rng, sort, depth)).collect())
    }

    /// What the terms that are asked about are; none if one of them takes too much.
    pub(super) fn answers(&self) -> Option<Answers> {
        let mut answers = Answers::default();
        for (number, term) in self.asked.iter().enumerate() {
            let mut steps = 0;
            match self.value(term, &[], &mut steps) {
                Ok(value) => answers.labels.push(format!("G !K{number} !{}", show(&value))),
                Err(Nothing::Undefined(call)) => answers.undefined.push(call),
                Err(Nothing::TooMuch) => return None,
            }
        }
        answers.labels.sort();
        answers.undefined.sort();
        Some(answers)
    }

    fn value(&self, term: &Term, env: &[Option<Term>], steps: &mut usize) -> Result<Term, Nothing> {
        match term {
            Term::Variable(variable) => Ok(env[*variable].clone().expect("the left side binds it")),
            Term::Construct(number, args) => {
                let args: Result<Vec<Term>, Nothing> =
                    args.iter().map(|arg| self.value(arg, env, steps)).collect();
                let value = Term::Construct(*number, args?);
                if depth(&value) > DEEPEST { Err(Nothing::TooMuch) } else { Ok(value) }
            }
            Term::Apply(op, args) => {
                let args: Result<Vec<Term>, Nothing> =
                    args.iter().map(|arg| self.value(arg, env, steps)).collect();
                self.apply(*op, &args?, steps)
            }
        }
    }

    /// The first equation that matches.
    fn apply(&self, op: usize, args: &[Term], steps: &mut usize) -> Result<Term, Nothing> {
        *steps += 1;
        if *steps > LONGEST {
            return Err(Nothing::TooMuch);
        }
        'equations: for equation in &self.operations[op].equations {
            let mut env = vec![None; equation.sorts.len()];
            for (pattern, arg) in equation.patterns.iter().zip(args) {
                if !self.matches(pattern, arg, &mut env, steps)? {
                    continue 'equations;
                }
            }
            for (left, right) in &equation.premises {
                if self.value(left, &env, steps)? != self.value(right, &env, steps)? {
                    continue 'equations;
                }
            }
            return self.value(&equation.right, &env, steps);
        }
        Err(Nothing::Undefined(shown(&format!("F{op}"), args)))
    }

    fn matches(
        &self,
        pattern: &Term,
        value: &Term,
        env: &mut [Option<Term>],
        steps: &mut usize,
    ) -> Result<bool, Nothing> {
        match (pattern, value) {
            (Term::Variable(variable), _) => Ok(env[*variable].get_or_insert_with(|| value.clone()) == value),
            (Term::Construct(number, inner), Term::Construct(other, parts)) => {
                if number != other {
                    return Ok(false);
                }
                for (pattern, part) in inner.iter().zip(parts) {
                    if !self.matches(pattern, part, env, steps)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (constant, _) => Ok(self.value(constant, &[], steps)? == *value),
        }
    }

    /// How much of what matters there is: equations that name a variable twice, have premises, or a constant on the left.
    pub(super) fn has(&self) -> [bool; 3] {
        let any = |has: &dyn Fn(&Equation) -> bool| {
            self.operations.iter().flat_map(|operation| &operation.equations).any(has)
        };
        let twice = |equation: &Equation| {
            let mut all = Vec::new();
            equation.patterns.iter().for_each(|pattern| variables(pattern, &mut all));
            all.len() > equation.sorts.len()
        };
        let constant = |equation: &Equation| equation.patterns.iter().any(applies);
        [any(&twice), any(&|equation| !equation.premises.is_empty()), any(&constant)]
    }

    pub(super) fn text(&self) -> String {
        let sort = |sort: &Sort| format!("{sort:?}");
        let sorts = |sorts: &[Sort]| sorts.iter().map(sort).collect::<Vec<_>>().join(", ");
        let mut text =
            "specification Equations [g] : noexit\ntype Data is\n  sorts E, N, T, K\n  opns\n".to_owned();
        for Constructor { name, args, result } in &CONSTRUCTORS {
            text += &format!("    {name} (*! constructor *) : {} -> {result:?}\n", sorts(args));
        }
        let keys: Vec<String> = (0..self.asked.len()).map(|number| format!("k{number}")).collect();
        text += &format!("    {} : -> K\n", keys.join(", "));
        for (number, Operation { args, result, .. }) in self.operations.iter().enumerate() {
            text += &format!("    f{number} : {} -> {result:?}\n", sorts(args));
        }
        text += "  eqns\n";
        for (number, Operation { result, equations, .. }) in self.operations.iter().enumerate() {
            for Equation { sorts, patterns, premises, right } in equations {
                text += &format!("    ofsort {result:?}");
                let variables: Vec<String> =
                    sorts.iter().enumerate().map(|(number, sort)| format!("v{number} : {sort:?}")).collect();
                if !variables.is_empty() {
                    text += &format!(" forall {}", variables.join(", "));
                }
                let premises: Vec<String> = premises
                    .iter()
                    .map(|(left, right)| format!("{} = {}", write(left), write(right)))
                    .collect();
                let arrow = if premises.is_empty() { "" } else { " => " };
                let left = write(&Term::Apply(number, patterns.clone()));
                text += &format!(" {}{arrow}{left} = {};\n", premises.join(", "), write(right));
            }
        }
        text += "endtype\nbehaviour\n";
        let offers = self
            .asked
            .iter()
            .enumerate()
            .map(|(number, term)| format!("g !k{number} !{}; stop", write(term)));
        text + &offers.collect::<Vec<_>>().join("\n[] ") + "\nendspec\n"
    }
}

fn constructor(rng: &mut Rng, sort: Sort) -> usize {
    let of: Vec<usize> = (0..CONSTRUCTORS.len()).filter(|&at| CONSTRUCTORS[at].result == sort).collect();
    rng.pick(&of)
}

fn leaf(rng: &mut Rng, sort: Sort) -> usize {
    let is_leaf = |&at: &usize| CONSTRUCTORS[at].result == sort && CONSTRUCTORS[at].args.is_empty();
    rng.pick(&(0..CONSTRUCTORS.len()).filter(is_leaf).collect::<Vec<_>>())
}

fn variables(term: &Term, out: &mut Vec<usize>) {
    match term {
        Term::Variable(variable) => out.push(*variable),
        Term::Construct(_, args) | Term::Apply(_, args) => args.iter().for_each(|arg| variables(arg, out)),
    }
}

fn applies(term: &Term) -> bool {
    match term {
        Term::Variable(_) => false,
        Term::Construct(_, args) => args.iter().any(applies),
        Term::Apply(..) => true,
    }
}

fn depth(term: &Term) -> usize {
    match term {
        Term::Variable(_) => 0,
        Term::Construct(_, args) | Term::Apply(_, args) => 1 + args.iter().map(depth).max().unwrap_or(0),
    }
}

/// A term as a specification has it.
fn write(term: &Term) -> String {
    let (name, args) = match term {
        Term::Variable(variable) => return format!("v{variable}"),
        Term::Construct(number, args) => (CONSTRUCTORS[*number].name.to_owned(), args),
        Term::Apply(op, args) => (format!("f{op}"), args),
    };
    let args: Vec<String> = args.iter().map(write).collect();
    if args.is_empty() { name } else { format!("{name} ({})", args.join(", ")) }
}

/// A value as labels have it.
fn show(value: &Term) -> String {
    match value {
        Term::Construct(ZERO | SUCCESSOR, _) => (depth(value) - 1).to_string(),
        Term::Construct(number, args) => shown(&CONSTRUCTORS[*number].name.to_uppercase(), args),
        _ => unreachable!("values are made of constructors"),
    }
}

fn shown(name: &str, args: &[Term]) -> String {
    let args: Vec<String> = args.iter().map(show).collect();
    if args.is_empty() { name.to_owned() } else { format!("{name} ({})", args.join(", ")) }
}
