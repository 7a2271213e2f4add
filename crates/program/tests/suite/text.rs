//! The text form: what is read, what is printed, and what is refused.

use elnath_program::ir::{Expr, Guard, Loc, Unary};
use elnath_program::text::{parse, print};
use elnath_source::SourceText;

fn messages(text: &str) -> Vec<String> {
    match parse(&SourceText::new("m", text)) {
        Ok(_) => Vec::new(),
        Err(messages) => messages.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn a_program_is_printed_as_it_would_be_written() {
    let text = "program \"mutex\"
file \"mutex.pml\"
tracks last
symbols mtype: ack = 1, nak = 2
channel c0: 2 of byte, symbol mtype
hidden global turn: byte = 1
global q[2]: chan = new c0
initial client, client
proposition \"mine\": turn == 0 && !empty(q[1])

process client
  parameter a: short
  local x: 0..7
  local 'v[].f'[3][2]: bit = {1, 0, 1}
  start 1
  priority 7
  provided turn < 3
  at 0 idle end:
    when turn == pid do turn = 1 - turn -> 1 atomic  \"turn\"
    receive q[0](?x, 1, _) -> 0  \"q?x,ack\" @0:12
    else -> 0  \"else\"
  at 1:
    #3: sorted send q[x](a, -1) do assert x < 3; x = run client(1) priority 2 -> 0  \"\"
    otherwise
    random copy receive q[1]() do print \"%d\\\\n\", x, a as mtype; priority(pid) = 3 -> 0  \"\"
  at 2 accept progress:
    #3
    body 0 to 1 do 'v[].f'[x][0] = client[last]::x + client::'v[].f'[1][1] -> 2  \"\"
    exit -> 2  \"-end-\"
";
    let program = parse(&SourceText::new("m", text)).expect("it can be read");
    assert_eq!(print(&program), text);
}

#[test]
fn what_is_not_written_is_filled_in() {
    let program = parse(&SourceText::new("m", "process p\n  at here:\n    when -1 < -(1) // a comment\n"))
        .expect("it can be read");
    let command = &program.processes[0].commands[0];
    assert_eq!((command.target, command.text.as_str()), (Loc(0), "when -1 < -(1)"));
    let Guard::When(Expr::Binary(_, operands)) = &command.guard else { panic!("{command:?}") };
    assert_eq!(**operands, [Expr::Const(-1), Expr::Unary(Unary::Neg, Box::new(Expr::Const(1)))]);
    assert_eq!(program.processes[0].locations[0].labels, ["here"]);
}

#[test]
fn operators_bind_as_in_c() {
    let shown = |expr: &str| {
        let text = format!("global a: byte\nglobal b: byte\nglobal c: byte\nproposition x: {expr}\n");
        let program = parse(&SourceText::new("m", text)).expect("it can be read");
        print(&program).lines().last().and_then(|line| line.split_once(": ")).map(|(_, expr)| expr.to_owned())
    };
    for (written, printed) in [
        ("a + b * c", "a + b * c"),
        ("(a + b) * c", "(a + b) * c"),
        ("(a - b) - c", "a - b - c"),
        ("a - (b - c)", "a - (b - c)"),
        ("(a & b) == c", "(a & b) == c"),
        ("a & (b == c)", "a & b == c"),
        ("!(a || b) && -c < 1", "!(a || b) && -c < 1"),
        ("a ? b : (c ? 1 : 2)", "a ? b : c ? 1 : 2"),
        ("(a ? b : c) ? 1 : 2", "(a ? b : c) ? 1 : 2"),
        ("(a << 1) < (b >> 2 | c)", "a << 1 < (b >> 2 | c)"),
        ("-2147483648", "-2147483648"),
    ] {
        assert_eq!(shown(written).as_deref(), Some(printed));
    }
}

#[test]
fn all_mistakes_are_told_with_their_places() {
    let text = "program mutex
global x: bite
global y: byte = z
channel c: 2 of byte extra
initial q
process p
  at 1:
    do x = -> 0
    when x == 1 -> nowhere
    do y = 99999999999 -> 0
    do y = 1 -> 0 \"text
  at 1 end:
    #7
    when $ -> 0
    otherwise please
    do x[1] = local#3 -> 0
";
    let expected = [
        "m:11:19: error: the quote is not closed on this line",
        "m:10:12: error: this number is too large",
        "m:14:10: error: '$' means nothing here",
        "m:1:9: error: a text in quotes is expected",
        "m:2:11: error: a type is expected: bit, bool, byte, short, int, u5, chan, symbol s, 0..7",
        "m:3:18: error: there is no variable 'z'",
        "m:4:22: error: the line should end here",
        "m:5:9: error: there is no process 'q'",
        "m:7:6: error: this is location 0",
        "m:8:12: error: a variable is expected",
        "m:9:20: error: there is no location 'nowhere'",
        "m:15:15: error: the line should end here",
        "m:16:15: error: there is no local#3",
    ];
    let mut found = messages(text);
    let mut expected = expected.map(str::to_owned).to_vec();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn names_that_mean_two_things_are_refused() {
    let text = "global x: byte\nglobal x: byte\nprocess p\n  at l:\n    do x = 1 -> 1\n  at l:\n    do global#1 = 1 -> l\n";
    assert_eq!(
        messages(text),
        [
            "m:5:8: error: several globals are named 'x'; global#number says which",
            "m:7:24: error: several locations are labelled 'l'; a number says which",
        ]
    );
    assert_eq!(messages("process p\n  at 0:\n    #4\n"), ["m:3:5: error: there is no command #4"]);
    assert_eq!(messages("process p\n  at 0:\n    #4: -> 0\n").len(), 1);
    assert_eq!(messages("-> 0\n"), ["m:1:1: error: a declaration, or a line of a process, is expected"]);
}

#[test]
fn deep_nesting_is_refused_and_rubbish_does_no_harm() {
    let deep = format!("proposition x: {}1{}\n", "(".repeat(100_000), ")".repeat(100_000));
    assert_eq!(messages(&deep).len(), 1);
    assert_eq!(messages(&format!("proposition x: {}1\n", "-".repeat(100_000))).len(), 1);
    // Every prefix, and every text with one character left out.
    let text = include_str!("../cases/handshakes.ir");
    for at in (0..text.len()).filter(|&at| text.is_char_boundary(at)) {
        let _ = messages(&text[..at]);
        let mut without = text.to_owned();
        without.remove(at);
        let _ = messages(&without);
    }
}
