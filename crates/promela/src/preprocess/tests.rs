use super::*;

/// The tokens that come out, joined by blanks, and the messages.
fn run_files(files: &[(&str, &str)], defines: &[&str]) -> (String, Vec<String>) {
    let mut loader: HashMap<String, String> =
        files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let defines: Vec<String> = defines.iter().map(|&define| define.to_owned()).collect();
    let mut sources = SourceMap::default();
    let options = Options { defines, memory: Some(0), ..Options::default() };
    let result = preprocess(&mut loader, &mut sources, files[0].0, &options);
    let text: Vec<String> = result.tokens[..result.tokens.len() - 1].iter().map(Token::spelling).collect();
    (text.join(" "), result.messages.iter().map(ToString::to_string).collect())
}

fn run(text: &str) -> (String, Vec<String>) {
    run_files(&[("m", text)], &[])
}

fn expands(text: &str, expected: &str) {
    assert_eq!(run(text), (expected.to_owned(), Vec::new()), "{text}");
}

fn complains(text: &str, expected: &str) {
    let messages = run(text).1;
    assert!(messages.iter().any(|message| message.contains(expected)), "{text}: {messages:?}");
}

#[test]
fn objects_functions_and_the_rule_against_recursion() {
    expands("#define N 3\nbyte a[N];", "byte a [ 3 ] ;");
    expands("#define f(x) (x + N)\n#define N 3\nf(f(1)) f", "( ( 1 + 3 ) + 3 ) f");
    expands("#define a a b\n#define b a\na", "a a");
    expands("#define f(x) x f\nf(1)(2)", "1 f ( 2 )");
    expands("#define f(x) <x>\n#define g f\ng(2)", "< 2 >");
    expands("#define f(x, y) x-y\nf((1,2), 3)", "( 1 , 2 ) - 3");
    expands("#define f() 7\nf( )", "7");
    expands("#define f(x) x\n f\n(\n4)", "4");
    expands("#define f (x)\nf", "( x )");
}

#[test]
fn pasting_and_stringizing() {
    expands("#define cat(a, b) a ## b\n#define x 1\ncat(x, 2) cat(=, =)", "x2 ==");
    expands("#define s(a) #a\ns(b + \"c\")", "\"b + \\\"c\\\"\"");
    expands("#define v x ## 1\nv", "x1");
    complains("#define cat(a, b) a ## b\ncat(;, ;)", "m:2:5: error: `##` makes `;;`");
    complains("#define b ## a\nb", "m:1:9: error: `##` needs");
}

#[test]
fn variadic_macros() {
    expands("#define f(...) g(__VA_ARGS__)\nf(1, 2) f() f((1, 2))", "g ( 1 , 2 ) g ( ) g ( ( 1 , 2 ) )");
    expands("#define s(_1, _2, name, ...) name\ns(a, b, c, d, e) s(a, b, c)", "c c");
    expands("#define f(x, rest...) x(rest)\nf(a, 1, 2)", "a ( 1 , 2 )");
    expands("#define p(x, ...) q(x, ## __VA_ARGS__)\np(1) p(1, 2, 3)", "q ( 1 ) q ( 1 , 2 , 3 )");
    expands("#define s(...) #__VA_ARGS__\ns(a, b)", "\"a, b\"");
    expands("#define a(...) b(__VA_ARGS__, z)\n#define b(x, y, z, ...) z\na(1, 2)", "z");
    complains("#define f(x, y, ...) x\nf(1)", "m:2:1: error: macro `f` takes at least 2 arguments, not 1");
    complains("#define f(..., x) x", "m:1:11: error: the parameters of a macro are names");
}

#[test]
fn calls_on_several_lines() {
    let starts = |text: &str| -> Vec<String> {
        let mut sources = SourceMap::default();
        let mut loader = HashMap::from([("m".to_owned(), text.to_owned())]);
        let result = preprocess(&mut loader, &mut sources, "m", &Options::default());
        assert!(result.messages.is_empty(), "{text}");
        let begin = |token: &&Token| token.line_start && token.kind != Kind::End;
        result.tokens.iter().filter(begin).map(Token::spelling).collect()
    };
    // As gcc writes it: the call becomes one line, and what follows it another.
    assert_eq!(starts("#define f(x, y) x = y\nf(a,\n b) c\n d"), ["a", "c", "d"]);
    assert_eq!(starts("#define f(x, y) x = y\nf(a,b) c\n d"), ["a", "d"]);
    assert_eq!(starts("#define e\ne a\nb"), ["a", "b"]);
    expands("#define f(x, y) x + y\nf(1,\n#ifdef N\n2\n#else\n3\n#endif\n) 4", "1 + 3 4");
    complains(
        "#define f(x, y) x + y\nf(1,\n#ifdef N\n",
        "m:2:1: error: the arguments of macro `f` are not closed",
    );
    assert_eq!(
        run("a\n*/ b"),
        ("a b".to_owned(), vec!["m:2:1: note: `*/` ends no comment and is ignored".to_owned()])
    );
}

#[test]
fn conditions() {
    expands("#define A\n#ifdef A\n1\n#else\n2\n#endif", "1");
    expands("#ifndef A\n1\n#elif 1\n2\n#else\n3\n#endif", "1");
    expands("#if 0\n1 'unclosed\n#elif defined(A) || !defined B && 2*3 == 0x6\n2\n#else\n3\n#endif", "2");
    expands("#if 0\n#if 1\n1\n#endif\n#else\n2\n#endif", "2");
    expands("#define N 4\n#if N > 3 ? N % 3 == 1 : 0\nyes\n#endif", "yes");
    expands("#if 0 && 1/0\n#else\nno\n#endif", "no");
    expands("#define d defined(A)\n#if d\n1\n#else\n2\n#endif", "2");
    complains("#if 1/0\n#endif", "m:1:7: error: division by zero");
    complains("#if\n#endif", "the condition ends too early");
    complains("#if 1 +\n#endif", "the condition ends too early");
    complains("#if 1\n", "m:1:1: error: this conditional is never closed");
    complains("#endif\n", "m:1:2: error: `#endif` without `#if`");
    complains("#if 1\n#else\n#else\n#endif", "`#else` after `#else`");
}

#[test]
fn includes_and_definitions_from_the_command_line() {
    let files = [("d/m", "#include \"h\"\nX Y"), ("d/h", "#define X 1 + Z\n")];
    assert_eq!(run_files(&files, &["Y=2", "Z"]), ("1 + 1 2".to_owned(), vec![]));
    let circle = [("m", "#include \"n\""), ("n", "#include \"m\"")];
    assert!(run_files(&circle, &[]).1[0].contains("includes itself"));
    assert_eq!(run("#include \"nothing\"").1, ["m:1:10: error: cannot read `nothing`: no such file"]);
    complains("#include <stdio.h>", "only `#include \"file\"`");
}

#[test]
fn messages_have_places() {
    complains("x\n/* y", "m:2:1: error: this comment is never closed");
    complains("#define f(x) x\nf(1, 2)", "m:2:1: error: macro `f` takes 1 argument, not 2");
    complains("#define f(x) x\n\n f(1", "m:3:2: error: the arguments of macro `f` are not closed");
    complains("#define f(x, x) x", "m:1:14: error: `x` is a parameter twice");
    complains("#define 3 x", "m:1:9: error: `#define` needs a name, not `3`");
    complains("#error too old", "m:1:1: error: #error too old");
    complains("#warning too old", "m:1:1: warning: #warning too old");
    complains("#nonsense", "m:1:2: error: there is no directive");
    complains("#define A 1\n#define A 2", "m:2:9: warning: macro `A` is defined differently");
    complains("# 12 \"other\"\n#error here", "other:12:1: error: #error here");
    complains("#line 30\n#error here", "m:30:1: error");
}

#[test]
fn bombs_are_defused() {
    let mut bomb = String::from("#define a0 x x\n");
    for level in 1..60 {
        bomb += &format!("#define a{level} a{} a{}\n", level - 1, level - 1);
    }
    complains(&format!("{bomb}a59"), "tokens");
    // The same, producing nothing at all.
    complains(&format!("#define x\n{bomb}a59"), "tokens");
    // Arguments that double.
    complains(&format!("#define d(x) x x\n{}1{}", "d(".repeat(40), ")".repeat(40)), "tokens");
    complains(&format!("#define d(x) x\n{}1{}", "d(".repeat(400), ")".repeat(400)), "nested too deeply");
}

#[test]
fn macros_are_forgotten() {
    expands("#define A 1\nA\n#undef A\nA", "1 A");
    expands("#undef A\nA", "A");
    // Defined differently, but not a second time.
    expands("#define A 1\n#undef A\n#define A 2\nA", "2");
    expands("#define f(x) x + 1\n#define f(x) x + 1\nf(2)", "2 + 1");
    complains("#undef 3", "m:1:2: error: `#undef` needs the name of a macro");
    complains("#define f(x) x\n#define f(y) y", "m:2:9: warning: macro `f` is defined differently");
    complains("#define f(x) x\n#define f(x...) x", "m:2:9: warning: macro `f` is defined differently");
    complains("#define f(x, y) 1\n#define f(y, x) 1", "m:2:9: warning: macro `f` is defined differently");
    complains("#define f x\n#define f x x", "m:2:9: warning: macro `f` is defined differently");
}

#[test]
fn directives_that_do_nothing() {
    expands("a\n#\nb\n#pragma once\nc\n#ident \"x\"\nd", "a b c d");
    expands("  #  define A 1\nA", "1");
    expands("#define A /* one */ 1 // and two\nA", "1");
    expands("#define A 1 \\\n + 2\nA\n3", "1 + 2 3");
    expands("a # b", "a # b");
    complains("# \"x\"", "m:1:3: error: a name of a directive must follow `#`");
    complains("#define", "m:1:2: error: `#define` needs a name");
    complains("#define f(x\n", "m:1:9: error: the parameters of `f` are not closed by `)`");
    complains("#define f(x,) x", "m:1:12: error: the parameters of a macro are names");
    complains("#define f(x y) x", "m:1:13: error: the parameters of a macro are names");
}

#[test]
fn what_is_left_out_is_not_looked_at() {
    let left_out =
        "#nonsense\n#define A 1\n#undef\n#include \"nothing\"\n#error no\n# \"x\"\n# x\n#line x\n# 7";
    expands(&format!("#if 0\n{left_out}\n'\n#endif\nA"), "A");
    // Neither are the conditions of branches that cannot be taken any more.
    expands("#if 1\n1\n#elif 1/0\n2\n#else\n3\n#endif", "1");
    expands("#if 0\n#if 1/0\n1\n#elif 1/0\n2\n#else\n3\n#endif\n#endif", "");
    expands("#if 0\n#elif 0\n1\n#elif 1\n2\n#elif 1\n3\n#else\n4\n#endif", "2");
    complains("#if 0\n# 70\n#endif\n#error here", "m:4:1: error: #error here");
    complains("#if 0\n/* x\n#endif", "m:2:1: error: this comment is never closed");
    complains("#ifdef\n#endif", "m:1:2: error: `#ifdef` needs the name of a macro");
    complains("#ifndef 3\n#endif", "m:1:2: error: `#ifndef` needs the name of a macro");
    complains("#else\n", "m:1:2: error: `#else` without `#if`");
    complains("#if 1\n#else\n#elif 1\n#endif", "m:3:2: error: `#elif` after `#else`");
    // Neither branch of a condition that is not understood, but the last.
    assert_eq!(run("#if )\n1\n#else\n2\n#endif").0, "2");
}

#[test]
fn operators_of_conditions() {
    for condition in [
        "1 | 0",
        "(6 ^ 3) == 5",
        "(6 & 3) == 2",
        "(1 << 3) == 8 && (8 >> 2) == 2",
        "7 - 2 - 1 == 4",
        "7 / 2 == 3 && 7 % 4 == 3",
        "2 + 3 * 4 == 14",
        "(2 + 3) * 4 == 20",
        "-1 < 0 && +1 > 0 && ~0 == -1",
        "!0 && !!5 && !!5 == 1 && !5 == 0",
        "1 <= 1 && 2 >= 2 && !(1 < 1) && !(2 > 2) && 1 != 2",
        "'a' == 97",
        "010 == 8 && 0x1F == 31 && 0XfuL == 15 && 7UL == 7 && 0 == 00",
        "0 ? 1/0 : 1",
        "1 ? 2 : 1/0",
        "(0 ? 1 : 0 ? 2 : 3) == 3",
        "1 || 1/0",
        "unknown == 0",
        "1 | 2 == 3",
        "(4 | 1 ^ 1 & 3) == 4",
        "0 || 1 && 1",
        "1 || 0 && 0",
    ] {
        expands(&format!("#if {condition}\nyes\n#else\nno\n#endif"), "yes");
    }
    expands("#define X 0\n#if defined X && defined(X) && !X\nyes\n#endif", "yes");
    for (condition, expected) in [
        ("(1", "m:1:6: error: expected `)` in the condition"),
        ("1 ? 2", "m:1:9: error: expected `:` in the condition"),
        ("1 2", "m:1:7: error: unexpected `2` in the condition"),
        ("1 + ;", "m:1:9: error: unexpected `;` in the condition"),
        ("1 % 0", "m:1:9: error: division by zero in the condition"),
        ("08", "error: `08` is not a number"),
        ("defined", "no error"),
    ] {
        let text = format!("#if {condition}\n#endif");
        if expected == "no error" {
            // As a name that no macro has.
            expands(&text, "");
        } else {
            complains(&text, expected);
        }
    }
    complains(&format!("#if {}1{}\n#endif", "(".repeat(200), ")".repeat(200)), "nested too deeply");
    complains(&format!("#if {}1\n#endif", "1 ? 1 : ".repeat(200)), "nested too deeply");
    complains(&format!("#if {}1\n#endif", "!".repeat(401)), "nested too deeply");
}

#[test]
fn arguments_are_expanded_first_but_not_beside_operators() {
    expands("#define cat(a, b) a ## b\ncat(, 2) cat(x, ) cat(,)", "2 x");
    expands("#define cat(a, b, c) a ## b ## c\ncat(x, y, z)", "xyz");
    expands("#define N 3\n#define s(a) #a a\ns(N)", "\"N\" 3");
    expands("#define N 3\n#define cat(a, b) a ## b\n#define x3 y\ncat(x, N) cat(x, 3)", "xN y");
    expands("#define s(a) #a\ns(a  +\n b) s(\"x\\n\") s()", "\"a + b\" \"\\\"x\\\\n\\\"\" \"\"");
    expands("#define h # x\nh", "# x");
    expands("#define f(x) g(x)\n#define g(x) f(x) + x\nf(1)", "f ( 1 ) + 1");
    // A name that was not expanded because its macro was being read stays as it is.
    expands("#define f(x) x\n#define a f(a) b\nf(a)", "a b");
    expands("#define f(x) x\n#define a a b\nf(a)", "a b");
    expands("#define f(x) x\n#define a f(a\na )", "a");
    expands("#define f(x) x\n#define b a\n#define a f(b)\na", "a");
    expands("#define f(x, y) y\nf(,) f((,), 1)", "1");
    complains("#define f(x, y) y\nf(1)", "m:2:1: error: macro `f` takes 2 arguments, not 1");
    complains("#define f() y\nf(1)", "m:2:1: error: macro `f` takes 0 arguments, not 1");
}

#[test]
fn lines_and_files_have_names() {
    expands("a\n__LINE__ __FILE__", "a 2 \"m\"");
    // As with gcc: the line of the outermost use, but in arguments their own.
    expands("#define here __LINE__\n#define f(x) here + x\n\nhere f(1)", "4 4 + 1");
    expands("#define f(x) __LINE__ + x\nf(\n__LINE__)", "2 + 3");
    complains("#define N 30\n#line N \"o\"\n#error here", "o:30:1: error: #error here");
    complains("#line x", "m:1:1: error: a line number must follow `#line`");
    complains("# 5\n#error here", "m:5:1: error: #error here");
}

#[test]
fn includes_by_macros_and_calls_across_files() {
    let files = [
        ("d/m", "#define H \"e/h\"\n#include H\nX"),
        ("d/e/h", "#include \"i\"\n"),
        ("d/e/i", "#define X 4\n"),
    ];
    assert_eq!(run_files(&files, &[]), ("4".to_owned(), vec![]));
    // As with gcc, a call does not go on in another file.
    let files = [("m", "#define f(x, y) x + y\nf(1,\n#include \"h\"\n)"), ("h", "2")];
    let told = run_files(&files, &[]).1;
    assert!(told[0].contains("m:2:1: error: the arguments of macro `f` are not closed"), "{told:?}");
    // Another file's conditionals are its own.
    let files = [("m", "#if 1\n#include \"h\"\nx\n#endif"), ("h", "#endif\ny")];
    let (text, messages) = run_files(&files, &[]);
    assert_eq!((&text[..], &messages[..]), ("y x", &["h:1:2: error: `#endif` without `#if`".to_owned()][..]));
    let files = [("m", "#include \"h\"\nx"), ("h", "#if 1\ny")];
    let (text, messages) = run_files(&files, &[]);
    assert_eq!(text, "y x");
    assert!(messages[0].contains("h:1:1: error: this conditional is never closed"), "{messages:?}");
    let deep: Vec<(String, String)> =
        (0..70).map(|n| (format!("f{n}"), format!("#include \"f{}\"\n", n + 1))).collect();
    let deep: Vec<(&str, &str)> = deep.iter().map(|(name, text)| (&name[..], &text[..])).collect();
    assert!(run_files(&deep, &[]).1[0].contains("includes are nested more than 60 deep"));
    assert_eq!(run_files(&[("m", "x")], &["A=", "B=(1, 2)", "C"]).0, "x");
    assert_eq!(run_files(&[("m", "A B C")], &["A=", "B=(1, 2)", "C"]).0, "( 1 , 2 ) 1");
}

#[test]
fn a_file_that_is_not_there() {
    let mut loader: HashMap<String, String> = HashMap::new();
    let mut sources = SourceMap::default();
    let result = preprocess(&mut loader, &mut sources, "m", &Options::default());
    assert_eq!(result.tokens.len(), 1);
    let messages: Vec<String> = result.messages.iter().map(ToString::to_string).collect();
    assert!(messages[0].contains("cannot read m: no such file"), "{messages:?}");
}

#[test]
fn propositions_use_the_macros_of_the_model() {
    let mut loader =
        HashMap::from([("m".to_owned(), "#define N 3\n#define f(x) (x > N)\nbyte g;".to_owned())]);
    let mut sources = SourceMap::default();
    let snippet = |text: &str, range| Snippet { name: "--ltl".to_owned(), text: text.to_owned(), range };
    let propositions = vec![snippet("[] f(g)", 3..7), snippet("N", 0..1), snippet("g */ 1 /*", 0..9)];
    let options = Options { propositions, ..Options::default() };
    let result = preprocess(&mut loader, &mut sources, "m", &options);
    let told: Vec<String> = result
        .snippets
        .iter()
        .map(|tokens| tokens[..tokens.len() - 1].iter().map(Token::spelling).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(told, ["( g > 3 )", "3", "g 1"]);
    let messages: Vec<String> = result.messages.iter().map(ToString::to_string).collect();
    assert!(messages.iter().any(|message| message.contains("this comment is never closed")), "{messages:?}");
    assert!(messages.iter().any(|message| message.contains("`*/` ends no comment")), "{messages:?}");
}
