//! Errors: what is wrong with the input or the command line, so that there is no answer.

use super::IndexEntry;
use elnath_source::codes::*;

pub(super) const LIST: &[IndexEntry] = &[
    IndexEntry {
        code: SYNTAX,
        title: "the text does not follow the grammar of its language",
        explanation: r#"
The message names what was expected and marks the place where the reader gave up. It then goes on after the next statement or
declaration, so that one run reports several independent mistakes; later ones may be consequences of the first.

    active proctype P() { x = 1 y = 2 }      // `;` is missing after `x = 1`

Correct the first message and try again. `docs/promela-semantics.md` says which dialect of Promela is read.
"#,
    },
    IndexEntry {
        code: PREPROCESSOR,
        title: "a preprocessor directive or macro cannot be processed",
        explanation: r#"
Promela models are preprocessed as with a C preprocessor: `#define`, `#undef`, `#include`, `#if`, `#ifdef`, `#ifndef`, `#elif`,
`#else`, `#endif`, `#error`, and definitions given by `-D`. The finding is about a directive that is misspelt or not closed, a
file that is not there, or a macro with the wrong number of arguments.

    #ifdef SAFE
    ...                                      // `#endif` is missing

The place is that of the directive; in a macro it is the place of use.
"#,
    },
    IndexEntry {
        code: EMBEDDED_C,
        title: "the model contains embedded C",
        explanation: r#"
SPIN copies `c_code`, `c_expr`, `c_decl`, `c_state` and `c_track` into the verifier that it generates. elnath generates no C and
runs none, because what such code does to a state cannot be known.

    c_code { now.x = random(); }

Write the computation in Promela: an `inline` or a macro for a function, `select (x : 0 .. 3)` for a random value.
"#,
    },
    IndexEntry {
        code: UNKNOWN_NAME,
        title: "a name is used that is not declared",
        explanation: r#"
The model uses a variable, process type, label, message, channel or machine that nothing declares where the name is used. If a
declared name is similar, the message proposes it.

    byte count;
    active proctype P() { cuont++ }          // did you mean `count`?

Promela is read from top to bottom: a declaration must precede its use.
"#,
    },
    IndexEntry {
        code: DECLARED_TWICE,
        title: "a name is declared twice in the same scope",
        explanation: r#"
Two declarations of one name in one scope cannot both be meant. The message shows both places.

    byte x;
    int x;

Rename one, or move it into a process: a variable of an inner scope may have the name of a global one (W0210).
"#,
    },
    IndexEntry {
        code: WRONG_USE,
        title: "a name, value or statement is used where it has no meaning",
        explanation: r#"
The text follows the grammar and all names are known, but they do not fit together: an index on a variable that is no array, a
message sent to something that is no channel, an assignment to a constant, `break` outside a loop, a jump into a `d_step`.

    byte x;
    active proctype P() { x ! 1 }            // `x` is not a channel

The message says which rule is broken.
"#,
    },
    IndexEntry {
        code: BEYOND_LIMIT,
        title: "a number exceeds a limit of the language",
        explanation: r#"
Promela has at most 255 processes and 255 symbolic constants of a set; arrays, messages and the expansion of macros and inlines have
limits too. Where SPIN would go on with a number that was cut off, elnath refuses.

    active [300] proctype P() { skip }

Choose a smaller number. Most errors of protocols show with two or three processes of a type.
"#,
    },
    IndexEntry {
        code: UNREADABLE,
        title: "a file cannot be read",
        explanation: r#"
The file does not exist, is a directory, may not be read, is not text in UTF-8, or is compressed in a way that is not known (`.gz`
and `.zst` are).

    elnath check nosuch.pml

Check the path. `-` stands for standard input.
"#,
    },
    IndexEntry {
        code: UNKNOWN_LANGUAGE,
        title: "the language of a file is not known",
        explanation: r#"
elnath tells the language of a model by the ending of its name: `.pml` and others are Promela, `.aut` is a graph, `.net` a network,
`.fifo`, `.scm` and `.fsa` are communicating machines.

    elnath check model.xml

Rename the file, or name the language: `--language promela`.
"#,
    },
    IndexEntry {
        code: USAGE,
        title: "the command line cannot be read",
        explanation: r#"
An option does not exist, lacks its value, has a value that it does not know, or excludes another one that was given.

    elnath check abp.pml --store exakt

`elnath check --help` lists the options with their values.
"#,
    },
    IndexEntry {
        code: UNKNOWN_PROPERTY,
        title: "the model has no property of this name",
        explanation: r#"
`--claim NAME` and `--only NAME` choose an `ltl` block or never claim of the model by its name. Blocks without a name are called
`ltl_0`, `ltl_1` and so on, a claim without one `never`.

    elnath check abp.pml --claim respones    // did you mean `response`?

`elnath check FILE` without either checks all of them and prints their names.
"#,
    },
    IndexEntry {
        code: FORMULA_SYNTAX,
        title: "a temporal formula does not follow the grammar",
        explanation: r#"
Formulas are written with `G F X U R W M` or `[] <> V`, `! && || -> <->`, parentheses and propositions. In Promela models a
proposition is an expression of the model; where it would be misread, put it in braces or quotation marks.

    elnath check abp.pml --ltl '[] (sent -> <> )'

`elnath ltl FORMULA` reads a formula without a model and prints its automaton.
"#,
    },
    IndexEntry {
        code: UNKNOWN_PROPOSITION,
        title: "a formula uses a proposition that the model does not have",
        explanation: r#"
The propositions of a Rust model are its properties, by their names; those of communicating machines are built of their states and
channels. What is neither is refused, because a formula about it would mean nothing.

    elnath check ring.fifo --ltl 'G !(A@Done)'   // machine A has no state Done

In graphs and networks propositions are labels, and one that does not occur is a warning (W0101): its absence may be the point.
"#,
    },
    IndexEntry {
        code: BAD_PATTERN,
        title: "a pattern is not a regular expression",
        explanation: r#"
`action(PATTERN)`, `--hide`, `--rename`, `--forbid` and networks take regular expressions as the Rust crate `regex` reads them.
Parentheses and brackets that are meant literally need a backslash.

    elnath check lift.aut --forbid 'OPEN(1'  // the group is not closed
"#,
    },
    IndexEntry {
        code: MALFORMED_GRAPH,
        title: "a graph in the .aut format is malformed",
        explanation: r#"
The header `des (INITIAL, TRANSITIONS, STATES)` or a line `(FROM, LABEL, TO)` cannot be read, a state number is not below the
number of states, or the number of transitions differs from the header. A graph that was cut off while it was written shows the last
of these.

    des (0, 2, 2)
    (0, a, 1)                                // the header declares 2 transitions
"#,
    },
    IndexEntry {
        code: EMPTY_MODEL,
        title: "the file contains no model",
        explanation: r#"
A file of machines without a machine, or of a network without a network, cannot be asked about. (A Promela model without a process is
the warning W0111, since SPIN accepts it.)

Check that the file is the one you mean, and that its language is (`--language`).
"#,
    },
    IndexEntry {
        code: UNFIT_CHOICE,
        title: "the chosen search or store cannot answer the question",
        explanation: r#"
Some searches answer only some questions: breadth-first search finds no cycles, a nested search needs a store that does not
forget, fairness needs the search by components. What was chosen is refused instead of replaced, because a different search would
be reported under the name of the chosen one.

    elnath check abp.pml --ltl '[]<> sent' --search bfs

The message says what is missing. Without `--search` and `--store` a combination that fits is chosen.
"#,
    },
    IndexEntry {
        code: REFUSED_REDUCTION,
        title: "a reduction was insisted on and is not sound here",
        explanation: r#"
Most reductions are left out silently where they are not sound. `symmetry` is used only where it is named, and is refused where the
model tells its processes apart: by comparing process numbers, or by using one as an index.

    active [3] proctype P() { _pid == 0 -> x = 1 }   // process 0 is treated specially

The message shows the places. Rewrite them, or leave out `--reductions symmetry`.
"#,
    },
    IndexEntry {
        code: FOREIGN_TRAIL,
        title: "a trail does not describe a run of this model",
        explanation: r#"
A trail is a list of steps by number. If the model was changed after the trail was written, or was preprocessed with other
definitions (`-D`), the numbers mean other statements, and at some step the trail names one that is not executable.

    elnath replay changed.pml original.pml.trail

Write the trail again with `elnath check FILE --trail FILE.trail`.
"#,
    },
    IndexEntry {
        code: MALFORMED_AUTOMATON,
        title: "an automaton in the HOA format is malformed or of an unknown kind",
        explanation: r#"
`--automaton` and `elnath ltl --automaton` read automata over infinite words in the Hanoi Omega-Automata format: one initial state,
no universal branching, and an acceptance condition that is, or can be made, generalised Büchi.

    HOA: v1
    States: 2
    Acceptance: 1 Inf(0)                     // Start: and --BODY-- are missing
"#,
    },
    IndexEntry {
        code: ACTING_CLAIM,
        title: "a never claim changes the system",
        explanation: r#"
A never claim observes the runs of a system. One that assigns to a variable, sends, receives or starts a process would change the
runs that it observes.

    never { do :: x = 1 od }                 // assignment in a claim

Use conditions only; let a process of the model do the rest.
"#,
    },
    IndexEntry {
        code: IDLE_OPTIONS,
        title: "options exclude each other or have nothing to apply to",
        explanation: r#"
An option about infinite runs (`--fair`, `--finite-runs`, `--faults`) without a property of infinite runs, `--end-states only`
together with a property, a search for cycles without a property that forbids any: one of the two is a mistake, and guessing which
would answer another question than the one that was asked.

    elnath check abp.pml --safety-only --fair weak
"#,
    },
    IndexEntry {
        code: FAULT_AT_START,
        title: "the initial state cannot be made",
        explanation: r#"
The initial value of a variable divides by zero, or more processes are active than there can be. There is no initial state, so
there are no runs.

    int x = 1 / 0;
"#,
    },
    IndexEntry {
        code: UNWRITABLE,
        title: "an output file cannot be written",
        explanation: r#"
The directory does not exist, may not be written to, or the file exists already and `--force` was not given: no command
overwrites a file unasked.

    elnath random --states 10 -o existing.aut
"#,
    },
    IndexEntry {
        code: NOT_SESSION_AUTOMATA,
        title: "the machines are not session automata",
        explanation: r#"
`elnath compatible` decides k-multiparty compatibility, whose theory is about machines of one shape: every transition sends one
message or receives one, no state does both (no mixed choice), no state has two transitions with the same action that lead to
different states, and a channel leads from one machine to another.

    machine P { 0 -> 1: f!a    0 -> 2: g?b }     // state 0 both sends and receives

The message names the transition. Split the state (send first, or receive first), or ask `elnath check` and `elnath bounded`, which
take any machines.
"#,
    },
    IndexEntry {
        code: UNSUPPORTED_NET,
        title: "the net is not a place/transition net",
        explanation: r#"
PNML describes several types of nets. Read are place/transition nets: weighted arcs, initial markings, pages and reference nodes. Coloured
(symmetric, high-level) nets, inhibitor, reset and test arcs, time and probabilities would mean something else if they were ignored, so they
are refused by name.

    <net id="n" type="http://www.pnml.org/version-2009/grammar/symmetricnet">

A coloured net with finite colours can be unfolded into a place/transition net by the tool that made it.
"#,
    },
    IndexEntry {
        code: BROKEN_NET,
        title: "the net does not make sense",
        explanation: r#"
The file is XML, but no net: an arc leads to a node that does not exist, or from a place to a place; an id is used twice; a marking or a
weight is no number; a reference node refers to itself.

    <arc id="a" source="p1" target="p2"/>          // both are places

The message has the line; if a name is nearly right, it says which one may have been meant.
"#,
    },
    IndexEntry {
        code: FORMULA_LIMIT,
        title: "a limit was reached while the automaton of a formula was made",
        explanation: r#"
An automaton may be exponentially larger than its formula, and the time or the memory that was allowed was not enough for it; the message
says what was being done. The answer is `unknown`, not that the formula is wrong.

    elnath ltl 'F a & F b & F c & F d' --time 1us

Allow more `--time` or `--memory`. A conjunction may be checked as several formulas, each of which has a small automaton.
"#,
    },
];
