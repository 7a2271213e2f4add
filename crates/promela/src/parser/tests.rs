use super::*;
use crate::lexer::lex;

fn parse_text(text: &str) -> (Module, Vec<String>) {
    let mut sources = SourceMap::default();
    let file = sources.add_file("m", text.to_owned());
    let tokens = lex(file, text);
    let (module, messages) = parse(&mut sources, tokens, Vec::new(), 1_000_000);
    (module, messages.iter().map(ToString::to_string).collect())
}

fn good(text: &str) -> Module {
    let (module, messages) = parse_text(text);
    assert!(messages.is_empty(), "{text}: {messages:?}");
    module
}

/// The tree of an expression as fully parenthesised text.
fn show(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Number(value) => value.to_string(),
        ExprKind::Reference(reference) => reference.parts[0].name.text.to_string(),
        ExprKind::Unary(operator, operand) => format!("{operator:?}({})", show(operand)),
        ExprKind::Binary(operator, a, b) => format!("{operator:?}({},{})", show(a), show(b)),
        ExprKind::Conditional(parts) => {
            format!("If({},{},{})", show(&parts.0), show(&parts.1), show(&parts.2))
        }
        other => format!("{other:?}").split([' ', '(', '{']).next().unwrap_or("").to_owned(),
    }
}

fn show_formula(formula: &Formula) -> String {
    match &formula.kind {
        FormulaKind::Atom(expr) => show(expr),
        FormulaKind::Not(f) => format!("!({})", show_formula(f)),
        FormulaKind::Next(f) => format!("X({})", show_formula(f)),
        FormulaKind::Always(f) => format!("[]({})", show_formula(f)),
        FormulaKind::Eventually(f) => format!("<>({})", show_formula(f)),
        FormulaKind::Binary(operator, a, b) => {
            format!("{operator:?}({},{})", show_formula(a), show_formula(b))
        }
    }
}

fn expression(text: &str) -> String {
    let module = good(&format!("init {{ assert({text}) }}"));
    let Item::Process(process) = &module.items[0] else { panic!("{text}") };
    let StmtKind::Assert(expr) = &process.body.statements[0].kind else { panic!("{text}") };
    show(expr)
}

fn formula(text: &str) -> String {
    let module = good(&format!("ltl f {{ {text} }}"));
    let Item::Ltl(ltl) = &module.items[0] else { panic!("{text}") };
    show_formula(ltl.formula.as_ref().expect("a formula"))
}

fn statements(text: &str) -> Vec<Stmt> {
    let mut module = good(&format!("init {{ {text} }}"));
    match module.items.pop() {
        Some(Item::Process(process)) => process.body.statements,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn precedences_of_expressions() {
    assert_eq!(expression("a || b && c | d"), "Or(a,And(b,BitOr(c,d)))");
    assert_eq!(expression("a == b < c << d + e * f"), "Eq(a,Lt(b,Shl(c,Add(d,Mul(e,f)))))");
    assert_eq!(expression("!a == b"), "Eq(Not(a),b)");
    assert_eq!(expression("-a - -1"), "Sub(Minus(a),Minus(1))");
    assert_eq!(expression("a - b - c"), "Sub(Sub(a,b),c)");
    assert_eq!(expression("(a -> b : (c -> 1 : 2))"), "If(a,b,If(c,1,2))");
    assert_eq!(expression("a & b ^ c"), "BitXor(BitAnd(a,b),c)");
    assert_eq!(expression("q?[a, 3] && len(q) > 2 && timeout"), "And(And(Poll,Gt(Channel,2)),Timeout)");
    assert_eq!(expression("'a' + true"), "Add(97,1)");
}

#[test]
fn formulas() {
    assert_eq!(formula("[] (p -> <> q)"), "[](Implies(p,<>(q)))");
    assert_eq!(formula("p U q U r"), "Until(Until(p,q),r)");
    assert_eq!(formula("! p U q && r"), "And(Until(Not(p),q),r)");
    assert_eq!(formula("[]<>(x == 1) || !<>p"), "Or([](<>(Eq(x,1))),!(<>(p)))");
    assert_eq!(formula("x == 1 U y + 1 == 2"), "Until(Eq(x,1),Eq(Add(y,1),2))");
    assert_eq!(formula("always (p implies eventually q)"), "[](Implies(p,<>(q)))");
    assert_eq!(formula("p <-> q"), "Equivalent(p,q)");
    assert_eq!(formula("p W q V r"), "Release(WeakUntil(p,q),r)");
    assert_eq!(formula("p \\/ X q /\\ r"), "Or(p,And(X(q),r))");
    assert_eq!(formula("(a + b) * 2 == c && p"), "And(Eq(Mul(Add(a,b),2),c),p)");
    assert_eq!(formula("!(p) == q"), "Eq(Not(p),q)");
    let compared = |text: &str| {
        let (module, messages) = parse_text(&format!("ltl {{ {text} }}"));
        assert!(messages.iter().all(|message| message.contains("warning: `==` is read as part")), "{text}");
        let Item::Ltl(ltl) = &module.items[0] else { panic!("{text}") };
        (show_formula(ltl.formula.as_ref().expect("a formula")), messages.len())
    };
    assert_eq!(compared("[] x == 1"), ("[](Eq(x,1))".to_owned(), 1));
    assert_eq!(
        compared("[]<> _last == 1 && <> (x) == 2"),
        ("And([](<>(Eq(_last,1))),<>(Eq(x,2)))".to_owned(), 2)
    );
    assert_eq!(compared("<> x == 1 -> ! <> y == 1"), ("Implies(<>(Eq(x,1)),!(<>(Eq(y,1))))".to_owned(), 2));
    assert_eq!(compared("! x == 1 U <> ! x == 1"), ("Until(Eq(Not(x),1),<>(Eq(Not(x),1)))".to_owned(), 0));
    // What is wrong with a formula stays with it.
    let (module, messages) = parse_text("ltl f { ([] x) == 1 } ltl g { [] (x -> ) } byte y;");
    assert_eq!((messages.len(), module.items.len()), (0, 3));
    let Item::Ltl(ltl) = &module.items[0] else { panic!() };
    let faults = ltl.formula.as_ref().expect_err("a fault");
    assert_eq!(faults[0].to_string(), "m:1:16: error: the operand of `==` is a temporal formula");
    assert!(parse_text("ltl { p -> q -> r }").1[0].contains("warning: a chain of implications"));
}

#[test]
fn separators() {
    assert_eq!(statements("a = 1;; b = 2 -> c = 3;").len(), 3);
    assert_eq!(statements("{ a = 1 } b = 2").len(), 2);
    assert_eq!(statements("if :: a -> b = 1; :: else c = 1 fi; d++").len(), 2);
    assert_eq!(statements("a == 1\n b = 2\n !c\n -d\n (a\n - b)\n goto L\n L: skip").len(), 7);
    assert_eq!(statements("a = 1 --> b = 2").len(), 2);
    assert_eq!(parse_text("init { a = 1 b = 2 }").1, ["m:1:14: error: `;` or `->` is missing before `b`"]);
}

#[test]
fn sends_and_receives() {
    let all = "q!1,2; q!!m(a); q?x,_; q??<x,3>; q?m(x,-1); q?eval(x),y; q?<x>; x = q?[m]; q?(a,b)";
    assert_eq!(statements(all).len(), 9);
    let StmtKind::Receive { fields, .. } = &statements("q?m(a,b)")[0].kind else { panic!() };
    assert_eq!(fields.len(), 3);
}

#[test]
fn labels_and_remote_references() {
    let text = "proctype p() { byte x; L: skip }\ninit { M: p[1]@L; N: p:x == 1; O: p@L; E: }";
    let module = good(text);
    let Item::Process(init) = &module.items[1] else { panic!() };
    assert!(init.body.statements.iter().all(|statement| statement.labels.len() == 1));
}

#[test]
fn inlines_are_text() {
    let text = "inline put(q, v) { q!v; L: if :: v > 0 -> goto L :: else fi }\n\
                inline twice(x) { put(c[x], x + 1); put(d, x) }\n\
                init { twice(i - 1) }";
    let module = good(text);
    let Item::Process(init) = &module.items[0] else { panic!() };
    let StmtKind::Inline { body, .. } = &init.body.statements[0].kind else { panic!() };
    let StmtKind::Inline { body, .. } = &body.statements[0].kind else { panic!() };
    let StmtKind::Send { channel, fields, .. } = &body.statements[0].kind else { panic!() };
    assert_eq!(&*channel.parts[0].name.text, "c");
    assert_eq!(show(&fields[0]), "Add(Sub(i,1),1)");
    // SPIN's lexer supplies a `;` at a line end before a parameter, and after a call.
    let text = "inline f(x) { if :: a fi\n x = 1\n x = 2 }\ninit { f(b) f(\nc) d++ }";
    let Item::Process(init) = &good(text).items[0] else { panic!() };
    assert_eq!(init.body.statements.len(), 3);
    let StmtKind::Inline { body, .. } = &init.body.statements[1].kind else { panic!() };
    assert_eq!(body.statements.len(), 3);
    let recursive = "inline f() { g() }\ninline g() { f() }\ninit { f() }";
    assert_eq!(parse_text(recursive).1, ["m:2:14: error: inline `f` uses itself"]);
    assert_eq!(
        parse_text("init { f() }\ninline f() { skip }").1,
        ["m:1:8: error: inline `f` is used before its definition"]
    );
    let recursive = "inline f(x) { f(x) }\ninit { f(1) }";
    assert_eq!(parse_text(recursive).1, ["m:1:15: error: inline `f` uses itself"]);
    assert_eq!(
        parse_text("inline f(x) { x }\ninit { f(1, 2) }").1[0],
        "m:2:8: error: inline `f` takes 1 argument, not 2"
    );
    let returned = "byte x; inline f(a) { return a + 1 }\ninit { x = f(3) }";
    good(returned);
}

#[test]
fn all_mistakes_are_reported() {
    let text = "byte x;\ninit {\n x = ;\n if :: x -> ) fi;\n x = 3 +\n}\nproctype p( { skip }\nbyte 3;\nproctype q() { x = = }";
    let messages = parse_text(text).1;
    let lines: Vec<&str> = messages.iter().map(|message| message.split(':').nth(1).unwrap_or("")).collect();
    assert_eq!(lines, ["3", "4", "6", "7", "8", "9"], "{messages:#?}");
}

#[test]
fn embedded_c_is_refused_by_name() {
    let text =
        "c_decl { int x; }\nc_state \"int y\" \"Global\"\ninit { c_code { x = '; }; c_expr { x } -> skip }";
    let messages = parse_text(text).1;
    assert_eq!(messages.len(), 4, "{messages:?}");
    assert!(messages[2].starts_with("m:3:8: error: `c_code` is embedded C"));
}

#[test]
fn depth_is_bounded() {
    for (open, close) in [("(", ")"), ("!", ""), ("a[", "]"), ("-", "")] {
        let text = format!("init {{ assert({}a{}) }}", open.repeat(50_000), close.repeat(50_000));
        assert!(parse_text(&text).1.iter().any(|message| message.contains("nested more than")), "{open}");
    }
    let text = format!("init {{ {}skip{} }}", "{".repeat(50_000), "}".repeat(50_000));
    assert!(parse_text(&text).1[0].contains("nested more than"));
    let text = format!("init {{ {}skip{} }}", "if :: ".repeat(50_000), " fi".repeat(50_000));
    assert!(parse_text(&text).1[0].contains("nested more than"));
    let text = format!("init {{ assert(a{}) }}", " + a".repeat(50_000));
    assert!(parse_text(&text).1[0].contains("operators in a row"));
    let text = format!("init {{ skip{} }}", " unless skip".repeat(50_000));
    assert!(!parse_text(&text).1.is_empty());
}

#[test]
fn those_who_write_another_language_are_told_how_it_is_written_here() {
    let cases = [
        ("byte x; init { x += 1 }", "there is no `+=`: write `x = x + ..`"),
        ("byte x; init { while (x < 3) { x++ } }", "`do :: condition -> statements :: else -> break od`"),
        ("byte i; init { for (i = 0; i < 3; i++) { skip } }", "`for (i : 0 .. 9) { .. }`"),
        ("int a[2][2]; init { skip }", "arrays have one dimension"),
        ("byte x, c; init { x = c ? 1 : 2 }", "`(condition -> a : b)`"),
        ("byte x; init { assert(x => 0) }", "`>=`"),
        ("byte x; init { assert(x = 0) }", "`==`"),
        ("active proctype[2] p() { skip }", "`active [2] proctype p() { .. }`"),
        ("proctype q() { skip } init { q() }", "`run q(..)`"),
    ];
    for (text, advice) in cases {
        let mut sources = SourceMap::default();
        let file = sources.add_file("m", text.to_owned());
        let tokens = lex(file, text);
        let (_, messages) = parse(&mut sources, tokens, Vec::new(), 1_000_000);
        let help = messages[0].help.as_deref().unwrap_or_default();
        assert!(help.contains(advice), "{text}: {:?}", messages[0]);
    }
}
