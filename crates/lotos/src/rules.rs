//! Declared operations and typed equations become rules that can be executed.
//!
//! Constructors are those that are marked `(*! constructor *)`; where no operation of a sort is marked, those that no equation
//! defines. The left side of an equation is an operation over constructors and variables.

use crate::Range;
use crate::data::{Condition, Data, Equation, Meaning, Op, OpId, Pattern, Sort, SortId, SortKind, Term};
use crate::decision::Tree;
use crate::expression::TypedCondition;
use crate::sources::Sources;
use crate::types::{DeclaredOp, TypedEquation, Types};
use elnath_source::{Message, codes, nearest};

/// The values of a sort of numbers unless the user says otherwise, as in CADP.
const NATURALS: (i64, i64) = (0, 255);
const INTEGERS: (i64, i64) = (-128, 127);

pub(crate) fn rules(
    types: &Types<'_>,
    sources: &Sources,
    ranges: &[Range],
    messages: &mut Vec<Message>,
) -> Data {
    let Types { sorts, ops, equations, .. } = types;
    let mut defined = vec![false; ops.len()];
    for equation in equations {
        if let Term::Apply(op, _) = equation.left {
            defined[op as usize] = true;
        }
    }
    let mut marked = vec![false; sorts.len()];
    ops.iter().filter(|op| op.constructor).for_each(|op| marked[op.result as usize] = true);
    let is_constructor = |index: usize| {
        let DeclaredOp { constructor, builtin, result, .. } = &ops[index];
        builtin.is_none() && if marked[*result as usize] { *constructor } else { !defined[index] }
    };
    let mut data = Data::default();
    for sort in sorts {
        let (name, constructors) = ((*sort.name).into(), Vec::new());
        data.sorts.push(Sort { name, kind: SortKind::Constructed, constructors });
    }
    for (index, op) in ops.iter().enumerate() {
        let constructors = &mut data.sorts[op.result as usize].constructors;
        let ordinal = constructors.len() as u32;
        let meaning = match op.builtin {
            Some(builtin) => Meaning::Builtin(builtin),
            None if is_constructor(index) => {
                constructors.push(index as OpId);
                Meaning::Constructor
            }
            None => Meaning::Equations(Tree::default()),
        };
        let (name, args) = ((*op.name).into(), op.args.clone());
        data.ops.push(Op { name, args, result: op.result, meaning, ordinal });
    }
    for (sort, declared) in sorts.iter().enumerate() {
        numbers(&mut data, sort as SortId, declared.builtin.as_deref() == Some("integer"));
    }
    apply_ranges(&mut data, ranges, messages);
    let mut rules: Vec<Vec<Equation>> = ops.iter().map(|_| Vec::new()).collect();
    for equation in equations {
        let Term::Apply(op, args) = &equation.left else {
            let text = "the left side of an equation is an operation";
            messages.push(sources.error(text, equation.span).code(codes::WRONG_USE));
            continue;
        };
        if !matches!(data.ops[*op as usize].meaning, Meaning::Equations(_)) {
            let name = sources.text(ops[*op as usize].span);
            let text = format!(
                "`{name}` is a constructor (or one of our library's operations), and no equation can define it"
            );
            messages.push(sources.error(text, equation.span).code(codes::WRONG_USE));
            continue;
        }
        let made = rule(&data, ops, sources, equation, args);
        match made {
            Ok(rule) => rules[*op as usize].push(rule),
            Err(message) => messages.push(*message),
        }
    }
    for (op, rules) in rules.iter().enumerate() {
        if matches!(data.ops[op].meaning, Meaning::Equations(_)) {
            data.ops[op].meaning = Meaning::Equations(Tree::of(&data, &data.ops[op].args, rules));
        }
    }
    data
}

/// A sort with one constant and one unary constructor is a sort of numbers.
fn numbers(data: &mut Data, sort: SortId, integers: bool) {
    let info = &data.sorts[sort as usize];
    if integers {
        data.sorts[sort as usize].kind = SortKind::Numbers(INTEGERS.0, INTEGERS.1);
        return;
    }
    let [one, other] = info.constructors[..] else { return };
    let is_zero = |op: OpId| data.ops[op as usize].args.is_empty();
    let is_successor = |op: OpId| data.ops[op as usize].args == [sort];
    let (zero, successor) = if is_zero(one) { (one, other) } else { (other, one) };
    if is_zero(zero) && is_successor(successor) {
        data.ops[zero as usize].meaning = Meaning::Zero;
        data.ops[successor as usize].meaning = Meaning::Successor;
        data.sorts[sort as usize].kind = SortKind::Numbers(NATURALS.0, NATURALS.1);
    }
}

fn apply_ranges(data: &mut Data, ranges: &[Range], messages: &mut Vec<Message>) {
    for range in ranges {
        let mut found = false;
        for sort in data.sorts.iter_mut().filter(|sort| sort.name.eq_ignore_ascii_case(&range.sort)) {
            if let SortKind::Numbers(least, _) = sort.kind
                && (least < 0 || range.least >= 0)
            {
                sort.kind = SortKind::Numbers(range.least, range.greatest);
                found = true;
            }
        }
        if !found {
            let Range { sort, least, greatest } = range;
            let text =
                format!("there is no sort `{sort}` of numbers that could have the range {least}..{greatest}");
            let message = Message::about_file(text).code(codes::USAGE);
            let numbers = data.sorts.iter().filter(|sort| matches!(sort.kind, SortKind::Numbers(..)));
            messages.push(match nearest(sort, numbers.map(|sort| &*sort.name)) {
                Some(near) => message.help(format!("is `{near}` meant?")),
                None => message.help("a sort of numbers has one constant and one unary constructor"),
            });
        }
    }
}

fn rule(
    data: &Data,
    ops: &[DeclaredOp],
    sources: &Sources,
    equation: &TypedEquation,
    args: &[Term],
) -> Result<Equation, Box<Message>> {
    let wrong = |text: String| Box::new(sources.error(text, equation.span).code(codes::WRONG_USE));
    let mut bound = vec![false; equation.variables];
    let patterns = args
        .iter()
        .map(|arg| pattern(data, arg, &mut bound))
        .collect::<Result<Vec<Pattern>, OpId>>()
        .map_err(|op| {
            let name = sources.text(ops[op as usize].span).to_owned();
            wrong(format!("the left side uses `{name}`, which is no constructor"))
        })?;
    let all_bound = |term: &Term| variables(term).iter().all(|&slot| bound[slot as usize]);
    let in_premises = |(left, right): &TypedCondition| all_bound(left) && all_bound(right);
    if !all_bound(&equation.right) || !equation.premises.iter().all(in_premises) {
        return Err(wrong("this equation uses a variable that its left side does not have".to_owned()));
    }
    let premises = equation.premises.iter().cloned().map(|(left, right)| Condition { left, right }).collect();
    Ok(Equation { patterns, premises, right: equation.right.clone(), variables: equation.variables })
}

fn pattern(data: &Data, term: &Term, bound: &mut [bool]) -> Result<Pattern, OpId> {
    match term {
        Term::Variable(slot) => {
            bound[*slot as usize] = true;
            Ok(Pattern::Variable(*slot))
        }
        Term::Number(_, number) => Ok(Pattern::Number(*number)),
        Term::Apply(op, args) => match data.ops[*op as usize].meaning {
            Meaning::Zero => Ok(Pattern::Number(0)),
            Meaning::Successor => Ok(Pattern::Successor(pattern(data, &args[0], bound)?.into())),
            Meaning::Constructor => {
                let args: Result<Vec<Pattern>, OpId> =
                    args.iter().map(|arg| pattern(data, arg, bound)).collect();
                Ok(Pattern::Construct(*op, args?))
            }
            _ if variables(term).is_empty() => Ok(Pattern::Constant(term.clone())),
            _ => Err(*op),
        },
    }
}

/// The variables of a term.
pub(crate) fn variables(term: &Term) -> Vec<u32> {
    match term {
        Term::Variable(slot) => vec![*slot],
        Term::Number(..) => Vec::new(),
        Term::Apply(_, args) => args.iter().flat_map(variables).collect(),
    }
}
