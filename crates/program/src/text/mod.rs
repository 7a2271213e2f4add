//! Programs as text, to be read in a dump and written by hand in a test.
//!
//! The form is line-oriented: a line is a declaration or a command, and a line with a mistake does not spoil the next,
//! so that [`parse`] can complain about all of them. Names may be used before the line that declares them. Everything
//! the data has is in the text: [`parse`] of [`print()`] is the program again, down to the numbers of commands.
//! (A printer for `Debug` and a serialisation format were considered: nobody writes the first by hand or reads the
//! second.)
//!
//! ```text
//! program "mutex"
//! file "mutex.pml"
//! symbols mtype: ack = 1, nak = 2
//! channel wire: 2 of byte, symbol mtype
//! global turn: byte = 1
//! global q: chan = new wire
//! initial client, client
//!
//! process client
//!   local x: 0..7
//!   at 0 idle end:
//!     when turn == pid do turn = 1 - turn -> crit atomic
//!     receive q(?x, ack) -> idle  "q?x,ack" @0:12
//!     else -> idle
//!   at 1 crit:
//!     do x = x + 1; assert x < 3 -> idle
//! ```
//!
//! # Grammar
//! `{x}` is any number of x, `[x]` at most one, `x,..` a list with commas. Comments begin with `//`.
//!
//! ```text
//! line      = "program" TEXT | "file" TEXT | "call" TEXT place | "priorities" | "tracks" "last"
//!           | "symbols" name ":" [name "=" number,..]
//!           | "channel" name ":" ("rendezvous" | number | "unbounded") ["of" type,..] ["holds" message,..]
//!           | "gate" name ["of" type,..]
//!           | "vector" (process gate),.. ["as" TEXT]           the label; none: hidden
//!           | ["hidden"] "global" variable
//!           | "initial" process,..
//!           | "proposition" (name | TEXT) ":" expr
//!           | "process" name                                what follows belongs to it
//!           | ("parameter" | "local") variable
//!           | "start" location                              0 if there is no such line
//!           | "priority" number                             1 if there is no such line
//!           | "provided" expr
//!           | "at" [number] {label | "end" | "accept" | "progress"} ":"
//!           | command | "#" number                          the second: a command that stands elsewhere
//!           | "otherwise" | "nothing"                       the next group begins; an empty group
//!           | "unused" ":"                                  before commands of no location
//! message   = "(" [number,..] ")"
//! variable  = name {"[" number "]"} ":" type ["=" (expr | "{" expr,.. "}" | "new" channel)]
//! type      = "bit" | "bool" | "byte" | "short" | "int" | "u" bits | "chan" | "symbol" name | number ".." number
//! command   = ["#" number ":"] [guard] [sync] ["do" effect;..] ["->" location] ["atomic"] [TEXT] [place]
//! place     = "@" file ":" line ["in" number of a call]
//! guard     = "when" expr | "else" | "exit" | "body" location "to" location
//! sync      = ["sorted"] "send" term "(" [expr,..] ")"
//!           | ["random"] ["copy"] "receive" term "(" [pattern,..] ")"
//!           | "meet" gate "(" [pattern,..] ")" ["where" expr]
//! pattern   = "?" lvalue | "_" | expr
//! effect    = lvalue "=" expr | "assert" expr | "print" TEXT {"," expr ["as" symbols]}
//!           | [lvalue "="] "run" process "(" [expr,..] ")" ["priority" expr]
//!           | "priority" "(" expr ")" "=" expr
//!           | "place" process "at" location of it "(" [expr,..] ")"
//! expr      = C's operators and "?:" over terms
//! term      = number | lvalue | "(" expr ")" | "pid" | "processes" | "last" | "timeout" | "nonprogress"
//!           | ("len" | "empty" | "nonempty" | "full" | "nonfull") "(" expr ")"
//!           | ["random"] "poll" ["ahead" number] term "(" [pattern,..] ")"
//!           | ("location" | "enabled" | "priority") "(" expr ")"
//!           | process ["[" expr "]"] "::" name {"[" expr "]"}
//!           | process ["[" expr "]"] "@" (location | "(" location,.. ")")
//! lvalue    = (name | "local" "#" number | "global" "#" number) {"[" expr "]"}
//! process   = name | "process" "#" number                   likewise symbols, gate
//! location  = number | label
//! name      = an identifier, with dots, that is no keyword; or anything in single quotes
//! ```
//!
//! Locations are numbered as they stand; a number behind `at` is for the reader, and checked. Commands are numbered as
//! they stand too, unless one says otherwise, after which numbering goes on from there. A name that means two things is
//! refused; then a number behind `#` says which. Without a TEXT, a command's text is what is written before the arrow,
//! and without an arrow it leads back to where it stands.

mod command;
mod expression;
mod lexer;
mod parse;
mod print;

pub use parse::parse;
pub use print::print;
pub(crate) use print::print_expression;

/// Words that are no names unless they are quoted.
const KEYWORDS: &[&str] = &[
    "_",
    "accept",
    "as",
    "assert",
    "at",
    "atomic",
    "bit",
    "body",
    "bool",
    "byte",
    "call",
    "chan",
    "channel",
    "copy",
    "do",
    "else",
    "empty",
    "enabled",
    "end",
    "exit",
    "file",
    "full",
    "gate",
    "global",
    "hidden",
    "initial",
    "int",
    "last",
    "len",
    "local",
    "location",
    "meet",
    "new",
    "nonempty",
    "nonfull",
    "nonprogress",
    "nothing",
    "of",
    "otherwise",
    "parameter",
    "pid",
    "place",
    "poll",
    "print",
    "priorities",
    "priority",
    "process",
    "processes",
    "program",
    "progress",
    "proposition",
    "provided",
    "random",
    "receive",
    "rendezvous",
    "run",
    "send",
    "short",
    "sorted",
    "start",
    "symbol",
    "symbols",
    "timeout",
    "to",
    "tracks",
    "unbounded",
    "unused",
    "vector",
    "when",
    "where",
];

fn is_keyword(word: &str) -> bool {
    KEYWORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_sorted() {
        assert!(KEYWORDS.is_sorted());
    }
}
