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
        ("a b".to_owned(), vec!["m:2:1: warning: `*/` ends no comment and is ignored".to_owned()])
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
