use std::collections::HashMap;

use crate::model::*;
use crate::{Options, parse};

fn model(text: &str) -> Model {
    let mut files = HashMap::from([("m".to_owned(), text.to_owned())]);
    match parse(&mut files, "m", &Options::default()) {
        Ok((model, _)) => model,
        Err(messages) => panic!("{text}: {}", messages[0]),
    }
}

fn names(model: &Model, ids: &[VarId]) -> Vec<String> {
    ids.iter().map(|id| model.variables[id.index()].name.to_string()).collect()
}

#[test]
fn only_declarations_at_the_start_are_no_steps() {
    let text = "byte g; chan q = [1] of { byte };\n\
                init { byte a = g; xr q; byte b; g = a; byte c = b, d; { byte e; g = c + d + e } }";
    let model = model(text);
    let init = &model.processes[0];
    assert_eq!(names(&model, &init.start), ["a", "b"]);
    let steps: Vec<&StmtKind> = init.body.statements.iter().map(|statement| &statement.kind).collect();
    assert!(matches!(
        steps.as_slice(),
        [
            StmtKind::Exclusive(..),
            StmtKind::Assign(..),
            StmtKind::Declare(_),
            StmtKind::Declare(_),
            StmtKind::Block(_)
        ]
    ));
    let StmtKind::Block(block) = steps[4] else { panic!() };
    assert!(matches!(block.statements[0].kind, StmtKind::Declare(_)));
    assert_eq!(model.locals(ProcessId(0)).count(), 5);
    assert_eq!(model.globals().count(), 2);
}

#[test]
fn a_block_at_the_start_is_not_the_start() {
    let model = model("init { { byte a; a = 1; assert(a) } }");
    assert!(model.processes[0].start.is_empty());
}

#[test]
fn symbolic_constants_are_numbered_as_in_spin() {
    let model =
        model("mtype = { a, b, c }; mtype = { d }; mtype:fruit = { e, f }; init { mtype m = a; assert(m) }");
    let values = |set: usize| model.mtypes[set].members.iter().map(|member| member.1).collect::<Vec<_>>();
    assert_eq!(values(0), [3, 2, 1, 4]);
    assert_eq!(values(1), [2, 1]);
}

#[test]
fn structures_in_messages_are_taken_apart() {
    let model = model(
        "typedef T { byte a; short b[2] }; chan q = [2] of { T, bit };\n\
         init { T v; q!v,1; q?v,_; assert(v.a + v.b[0]) }",
    );
    let Some(Initial::Channel(ty)) = &model.variables[0].init else { panic!() };
    assert_eq!(ty.fields, [Type::Byte, Type::Short, Type::Short, Type::Bit]);
    let statements = &model.processes[0].body.statements;
    let StmtKind::Send { fields, .. } = &statements[0].kind else { panic!() };
    assert_eq!(fields.len(), 4);
    let StmtKind::Receive { fields, .. } = &statements[1].kind else { panic!() };
    assert!(matches!(fields[2], Pattern::Bind(ref access) if access.fields[0].index.is_some()));
    assert!(matches!(fields[3], Pattern::Discard));
    assert_eq!(model.scalars(Type::Struct(TypedefId(0))).len(), 3);
}

#[test]
fn short_messages_stay_short() {
    let text = "chan q = [1] of { byte, byte }; chan r = [1] of { byte, byte };\n\
                init { byte x; q!1; q?x; r = q; r!1; assert(x) }";
    let model = model(text);
    let lengths: Vec<usize> = model.processes[0]
        .body
        .statements
        .iter()
        .filter_map(|statement| match &statement.kind {
            StmtKind::Send { fields, .. } => Some(fields.len()),
            StmtKind::Receive { fields, .. } => Some(fields.len()),
            _ => None,
        })
        .collect();
    assert_eq!(lengths, [1, 1, 1]);
}

#[test]
fn each_expansion_of_an_inline_has_its_own_labels_and_variables() {
    let text = "byte x; inline f(v) { byte t; t = v; again: if :: t < x -> t++; goto again :: else fi }\n\
                init { f(1); f(2); goto again; again: skip }";
    let model = model(text);
    let init = &model.processes[0];
    assert_eq!(init.labels.len(), 3);
    assert_eq!(model.locals(ProcessId(0)).count(), 2);
    let targets: Vec<u32> = init
        .body
        .statements
        .iter()
        .filter_map(|statement| match &statement.kind {
            StmtKind::Inline(_, body) => {
                let StmtKind::If(options) = &body.statements[2].kind else { panic!() };
                assert_eq!(body.statements[2].labels.len(), 1);
                match options[0].statements[2].kind {
                    StmtKind::Goto(label) => Some(label.0),
                    _ => None,
                }
            }
            StmtKind::Goto(label) => Some(label.0),
            _ => None,
        })
        .collect();
    assert_eq!(targets, [0, 1, 2]);
}

#[test]
fn remote_references_reach_processes_that_come_later() {
    let text = "init { (p[1]:v == 3 && p@here) -> skip }\nactive proctype p() { byte v; v = 1; here: skip }";
    let model = model(text);
    let StmtKind::Expr(expr) = &model.processes[0].body.statements[0].kind else { panic!() };
    let ExprKind::Binary(BinaryOp::And, left, right) = &expr.kind else { panic!() };
    let ExprKind::Binary(BinaryOp::Eq, left, _) = &left.kind else { panic!() };
    let ExprKind::RemoteVariable { process, variable, .. } = &left.kind else { panic!() };
    assert_eq!((process.0, &*model.variables[variable.variable.index()].name), (1, "v"));
    assert!(matches!(right.kind, ExprKind::RemoteLabel { label: LabelId(0), pid: None, .. }));
}

#[test]
fn loops_over_arrays_and_channels() {
    let text = "typedef T { byte a }; chan q = [2] of { T }; byte a[3]; byte i, n = 3;\n\
                init { T m; for (i in a) { a[i] = i } for (m in q) { assert(m.a) }\n\
                select (i : 0 .. 3); select (i : 0 .. n); select (i : (0) .. 3) }";
    let model = model(text);
    let kinds: Vec<&StmtKind> =
        model.processes[0].body.statements.iter().map(|statement| &statement.kind).collect();
    let StmtKind::For { from, to, .. } = kinds[0] else { panic!() };
    assert_eq!((from.constant(), to.constant()), (Some(0), Some(2)));
    let StmtKind::ForMessages { counter, fields, .. } = kinds[1] else { panic!() };
    assert_eq!(model.variables[counter.index()].ty, Type::Int);
    assert_eq!(fields.len(), 1);
    let literal: Vec<bool> =
        kinds[2..].iter().map(|kind| matches!(kind, StmtKind::Select { literal: true, .. })).collect();
    assert_eq!(literal, [true, false, false]);
}

#[test]
fn numbers_are_truncated_as_in_c() {
    assert_eq!(Type::Byte.truncate(300), 44);
    assert_eq!(Type::Short.truncate(65_537), 1);
    assert_eq!(Type::Short.truncate(40_000), -25_536);
    assert_eq!(Type::Unsigned(3).truncate(15), 7);
    assert_eq!(Type::Bool.truncate(2), 0);
    assert_eq!(Type::Mtype(MtypeId(0)).truncate(-1), 255);
    assert_eq!(BinaryOp::Div.apply(-7, 2), Some(-3));
    assert_eq!(BinaryOp::Rem.apply(1, 0), None);
    assert_eq!(BinaryOp::Div.apply(i32::MIN, -1), Some(i32::MIN));
}

#[test]
fn a_macro_is_pointed_at_where_it_is_used() {
    let text = "#define LIMIT (max + 1)\nbyte x;\ninit {\n  x = LIMIT;\n  assert(x)\n}\n";
    let mut files = HashMap::from([("m".to_owned(), text.to_owned())]);
    let messages = parse(&mut files, "m", &Options::default()).map(|_| ()).unwrap_err();
    assert_eq!(messages[0].to_string(), "m:4:7: error: there is no variable `max`");
    assert_eq!(messages[0].also[0].0.line, 1);
    assert_eq!(messages[0].also[0].1, "in the expansion of macro `LIMIT` defined here");
}
