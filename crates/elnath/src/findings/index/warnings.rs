//! Warnings: they bear on the verdict, or the model probably does not say what its author means.

use super::IndexEntry;
use elnath_source::codes::*;

pub(super) const LIST: &[IndexEntry] = &[
    IndexEntry {
        code: UNKNOWN_LABEL,
        title: "a property names an action that the model does not have",
        explanation: r#"
In a graph or network the propositions of a formula are labels, and `action(PATTERN)` is a pattern of whole labels. If no label
is meant, the proposition is false in every step: `G !a` holds, and says nothing about the model.

    elnath check lift.aut --ltl 'G(CALL -> F OPEN)'     // the label is `CALL 1`

If a similar label exists, the message proposes it; `action(CALL.*)` matches all that begin with CALL. In a network a label exists
if the composed system can do it: a gate that is synchronised with a partner that lacks it never happens. If the absence is what you
want to check, the verdict is right.
"#,
    },
    IndexEntry {
        code: ANTECEDENT,
        title: "the antecedent of an implication is false wherever the formula looks at it",
        explanation: r#"
An implication `a -> b` is true wherever `a` is false. After a complete search it is known that `a` is false in every reachable
state in which it was looked at, so the formula holds whatever `b` says: it checks nothing.

    ltl p { [] (REQ -> <> ACK) }             // no run ever makes REQ true

Check the condition: a misspelt constant, a variable that nothing sets, a label that is passed inside an `atomic`. If the absence of
`a` is what you want to know, ask for it: `[] !REQ`.
"#,
    },
    IndexEntry {
        code: ALWAYS_TRUE,
        title: "a formula is true of every run, whatever the model",
        explanation: r#"
The negated formula has an automaton that accepts nothing, so no model can violate the formula and nothing was searched.

    elnath check abp.pml --ltl '[] p || <> !p'

Often the parentheses are not where they should be, or `->` is used for `&&`.
"#,
    },
    IndexEntry {
        code: NEVER_TRUE,
        title: "a formula is false of every run, whatever the model",
        explanation: r#"
The formula contradicts itself, so every model with a run violates it, and the counterexample says nothing about this one.

    elnath check abp.pml --ltl '<> (p && !p)'

Often the parentheses are not where they should be, or two conditions that exclude each other are joined by `&&`.
"#,
    },
    IndexEntry {
        code: UNCHECKED,
        title: "properties of the model are not checked with these options",
        explanation: r#"
`elnath check FILE` checks everything that the model demands. Some options restrict it to safety: `--safety-only`, `--ltlf`,
`--all-errors`, `--swarm`, `--end-states only`; and a property that is named on the command line is checked alone. The verdict says
nothing about the properties that the message lists.

    elnath check abp.pml --all-errors        // the ltl blocks are not checked

`--only NAME` or `--claim NAME` checks one of them.
"#,
    },
    IndexEntry {
        code: FORMULA_LEFT_OUT,
        title: "an ltl block has a mistake and is not checked",
        explanation: r#"
The rest of the model can be checked, so the mistake in the formula is a warning until somebody asks for the formula, by
`--claim NAME` or by checking all that the model demands; then it is an error.

    ltl p { [] (cuont < 3) }                 // there is no variable `cuont`
"#,
    },
    IndexEntry {
        code: CLAIM_FOLLOWED,
        title: "acceptance cycles of a never claim are not looked for",
        explanation: r#"
A never claim becomes an automaton over its guards, of which there can be 64. A claim with more different guards is followed beside
the system instead: that finds runs which take the claim to its end, and not those that pass an acceptance label again and again.

Write the claim as an `ltl` formula, or give common subexpressions one guard.
"#,
    },
    IndexEntry {
        code: NO_ACCEPT_LABELS,
        title: "acceptance cycles are asked for, and no process has an acceptance label",
        explanation: r#"
`--accept-cycles` looks for runs that pass a label beginning with `accept` again and again. No process of the model has such a
label, so there is no such run.

Add a label, such as `accept_wait:`, or ask for something else.
"#,
    },
    IndexEntry {
        code: NO_PROGRESS_LABELS,
        title: "non-progress cycles are asked for, and no process has a progress label",
        explanation: r#"
`--non-progress` looks for runs that pass labels beginning with `progress` only finitely often. Without any such label every
infinite run is one.

Add a label, such as `progress_delivered:`, where something useful happens.
"#,
    },
    IndexEntry {
        code: FAIRNESS_UNUSED,
        title: "fairness has no effect: the model has at most one process",
        explanation: r#"
Weak and strong fairness forbid that a process that could move is passed over by others. A model with one process has no others, so
the verdict is the same without `--fair`.
"#,
    },
    IndexEntry {
        code: NO_PROCESS,
        title: "no process runs",
        explanation: r#"
A Promela model runs the processes that are declared `active`, and `init`. A `proctype` that is never run does nothing, so a
model of proctypes only has one state, without errors.

    proctype P() { assert(false) }           // holds: P never runs

Write `active proctype P()`, or `init { run P() }`.
"#,
    },
    IndexEntry {
        code: NO_RUN_ENDS,
        title: "a formula about runs that end holds because no run ends",
        explanation: r#"
`--ltlf FORMULA --finite maximal` asks about the runs that end in a state without transitions. After a complete search there is no
such state, so the formula holds whatever it says.

Ask about all finite computations: `--finite prefix`.
"#,
    },
    IndexEntry {
        code: AMBIGUOUS_PROCESS,
        title: "a remote reference does not say which of several processes it means",
        explanation: r#"
`P@label` and `P:x` look at a process of type P. If there are several, one of them is looked at and the others are not: a formula
that should be about all of them is about one.

    active [3] proctype Phil() { .. eat: .. }
    ltl p { [] !(Phil@eat) }                 // about one philosopher

Write `Phil[0]@eat && Phil[1]@eat`, with the numbers of the processes, or count in a variable.
"#,
    },
    IndexEntry {
        code: IMPLICATION_CHAIN,
        title: "a chain of implications is read from the left",
        explanation: r#"
`p -> q -> r` is read as `(p -> q) -> r`, as SPIN does; most logics read `p -> (q -> r)`. The two differ where p and r are false.

Write the parentheses.
"#,
    },
    IndexEntry {
        code: COMPARISON_OPERAND,
        title: "a comparison follows the operand of a temporal operator",
        explanation: r#"
`[] x == 1` is read as `[] (x == 1)`. SPIN reads `([] x) == 1` and compares the number of an internal token, so that it may
answer differently.

Write the parentheses.
"#,
    },
    IndexEntry {
        code: FAULTS_IGNORED,
        title: "runs with a fault of the model were met and ignored",
        explanation: r#"
With `--faults ignore` a failed assertion or another fault of the model is no error, and the run goes on. The search met at least
one.

Check the model without a property, or with `--safety-only`, which shows a run to it.
"#,
    },
    IndexEntry {
        code: UNMATCHED_PATTERN,
        title: "a pattern matches no label",
        explanation: r#"
A pattern of `--hide`, `--hide-all-but`, `--rename`, `--tau`, or of a network, matches no label, so the option or operator does
nothing. Patterns match whole labels: `OPEN` does not match `OPEN !1`, `OPEN.*` does.

    elnath check lift.aut --hide OPN         // did you mean `OPEN`?

If the search ended early, the label may exist further on; the message says so.
"#,
    },
    IndexEntry {
        code: TRACE_IGNORED,
        title: "a trace assertion is not checked",
        explanation: r#"
`compare`, `convert`, `reduce` and networks see a model from outside: messages and what is printed. The `trace` or `notrace`
assertion of the model is about statements, which they do not see.

Check it with `elnath check`.
"#,
    },
    IndexEntry {
        code: TRUNCATED,
        title: "a constant does not fit into its variable",
        explanation: r#"
Variables of Promela keep the low bits of what is assigned: 256 in a `byte` is 0, 300 is 44. The message shows the value that the
variable gets, which is SPIN's.

    byte b = 256;                            // b == 0

Use a larger type (`short`, `int`), or write the value that you mean.
"#,
    },
    IndexEntry {
        code: DIVISION_BY_ZERO,
        title: "a divisor is the constant 0",
        explanation: r#"
It is an error of the model when the expression is evaluated, and only then: `x > 3 && y / 0 == 1` need not be.

    x = y / N                                // with -D N=0

Guard the division, or correct the constant.
"#,
    },
    IndexEntry {
        code: INDEX_OUT_OF_RANGE,
        title: "an index is a constant outside its array",
        explanation: r#"
An array of n elements has the indices 0 to n - 1. It is an error of the model when the expression is evaluated, and only then;
macros and inlines produce such code where it is never executed.

    byte a[3];
    active proctype P() { a[3] = 1 }
"#,
    },
    IndexEntry {
        code: UNREACHABLE,
        title: "a statement can never be reached",
        explanation: r#"
The statement follows a `goto`, a `break`, or a loop without a way out, and no label leads to it. It is not part of the behaviour
that was checked.

    do :: x++ od; assert(x == 0)             // the loop has no break
"#,
    },
    IndexEntry {
        code: MISPLACED_ELSE,
        title: "an else does not begin an option",
        explanation: r#"
`else` is executable if no other option of its `if` or `do` is. Outside an option there are no others, so it is always
executable and does nothing.

    x == 1; else; y = 1                      // is not an alternative to x == 1

Put both into an `if`: `if :: x == 1 -> .. :: else -> .. fi`.
"#,
    },
    IndexEntry {
        code: EMPTY_RANGE,
        title: "a range contains no value",
        explanation: r#"
`select (x : 3 .. 1)` chooses among no values, so its process blocks or, as in SPIN, takes the first.

Exchange the bounds.
"#,
    },
    IndexEntry {
        code: MESSAGE_LENGTH,
        title: "a message has fewer or more fields than its channel",
        explanation: r#"
A channel declared `chan q = [1] of { byte, byte }` carries messages of two fields. Receiving with another number, or
sending fewer, is an error of the model when the statement is executed, as in SPIN.

    q ? x                                    // one of two fields

Receive all fields; `_` takes one that is not needed.
"#,
    },
    IndexEntry {
        code: MISSING_ARGUMENTS,
        title: "a process is run with fewer arguments than it has parameters",
        explanation: r#"
SPIN passes 0 for the parameters that are missing, and so does elnath.

    proctype P(byte id; byte n) { .. }
    init { run P(1) }                        // n == 0
"#,
    },
    IndexEntry {
        code: INITIAL_VALUES,
        title: "initial values are ignored or cut off",
        explanation: r#"
A list with more values than the array has elements is cut off; the initial value of a structure is ignored, as in SPIN.

    byte a[2] = { 1, 2, 3 };

Give the fields of a structure their values in the `typedef`.
"#,
    },
    IndexEntry {
        code: SHADOWED,
        title: "a variable hides another of the same name",
        explanation: r#"
The inner variable is meant until its block ends; assignments there do not change the outer one. SPIN 6.5 refuses such models.

    byte x;
    active proctype P() { byte x; x = 1 }    // the global x stays 0

Rename one of them.
"#,
    },
    IndexEntry {
        code: NEVER_WRITTEN,
        title: "a variable is read and never written",
        explanation: r#"
It has its initial value in every state: 0, or no channel for a `chan` without one. Sending to no channel is an error of the
model.

    bool done;
    active proctype P() { done -> assert(false) }       // never executed

Perhaps another variable was meant where it should be written; if not, use a constant.
"#,
    },
    IndexEntry {
        code: ENDLESS_LOOP,
        title: "a for loop never ends",
        explanation: r#"
`for (i : 0 .. 255)` with a `byte` counts past 255 to 0 and begins again, as in SPIN.

Use a larger type for the counter.
"#,
    },
    IndexEntry {
        code: ESCAPE_NEVER_TAKEN,
        title: "the escape of an unless is never taken",
        explanation: r#"
Nothing interrupts a `d_step`, so an `unless` around a statement inside it has no effect.

Put the `unless` around the whole `d_step`.
"#,
    },
    IndexEntry {
        code: REVERSED_ARROW,
        title: "a comparison with a negative number looks like an arrow",
        explanation: r#"
`q <- 1` is read as `q < -1`, a condition, as in SPIN. As a statement it blocks until it is true.

    q <- 1                                   // neither sends nor assigns

Write `q ! 1` to send, `q = 1` to assign, `q < -1` to compare.
"#,
    },
    IndexEntry {
        code: MACRO_REDEFINED,
        title: "a macro is defined differently a second time",
        explanation: r#"
The second definition replaces the first from there on. A value given by `-D` is replaced by a `#define` in the model, so that the
option has no effect.

    #define N 3                              // with -D N=5: N is 3

Enclose the definition in `#ifndef N` and `#endif`.
"#,
    },
    IndexEntry {
        code: NO_KEYBOARD,
        title: "STDIN is read in a verification",
        explanation: r#"
SPIN's simulator reads the keyboard from the channel `STDIN`. In a verification, SPIN's and ours, it is no channel, and receiving from
it is an error of the model.

Let a process send the possible inputs.
"#,
    },
    IndexEntry {
        code: USER_WARNING,
        title: "the model contains a #warning",
        explanation: r#"
The author of the model put the directive there, usually for a combination of definitions that does not work.

    #if N > 5
    #warning "N > 5 takes hours"
    #endif
"#,
    },
    IndexEntry {
        code: NEVER_SENT,
        title: "a message is received that nothing sends",
        explanation: r#"
No machine ever sends this message on this channel, and the channel does not begin with it, so the transition that receives it
is never taken.

    A: s0 -> s1 : q ? akc                    // B sends `ack`

Often a misspelt message.
"#,
    },
    IndexEntry {
        code: ONE_SIDED,
        title: "a synchronised label is missing on one side",
        explanation: r#"
Components that synchronise on a label do it together or not at all. One of them never can, so the label never happens.

    cell.aut |[GET, PTU]| cell.aut           // only one side has such a label

Check the spelling, or leave the label out of the synchronisation so that each side does it alone.
"#,
    },
    IndexEntry {
        code: UNDESCRIBED_STATE,
        title: "a state of an automaton is not described",
        explanation: r#"
The header declares more states than the body of the HOA file describes. Those that are missing are taken to have no edges: no run
that enters one is accepted.

The file may have been cut off.
"#,
    },
    IndexEntry {
        code: VARIABLE_AS_CONSTANT,
        title: "a variable stands where a constant is needed",
        explanation: r#"
The size of an array, the capacity of a channel and the number of active processes are constants. SPIN takes the initial value of a
variable there, and so does elnath; what is assigned to it later changes nothing.

    byte n = 3;
    chan q = [n] of { byte };

Write `#define N 3`.
"#,
    },
    IndexEntry {
        code: BAD_STATES,
        title: "the bad states of an .scm file are not looked at",
        explanation: r#"
Files of McScM may name states that must not be reached. elnath reads the machines and checks what it checks of all machines, not
this list.

Ask about the states with a formula: `--ltl 'G !(A@3)'`.
"#,
    },
    IndexEntry {
        code: GATE_ALIASING,
        title: "a process gets one gate twice",
        explanation: r#"
In LOTOS, a call that gives one gate for two formal gates may mean two things. elnath replaces gates before actions are synchronised, as CADP
does; the standard (ISO 8807) renames them afterwards.

    process P [a, b] : noexit := a; stop || b; stop endproc
    P [c, c]                    (* as CADP: `c` happens; in the standard nothing does *)

Give different gates, make sure that the process does not synchronise on these two, or choose the standard's meaning: `--aliasing iso`.
"#,
    },
    IndexEntry {
        code: NESTED_COMMENT,
        title: "a comment stands within a comment",
        explanation: r#"
In LOTOS the first `*)` ends a comment, also where another `(*` stands in it. What follows up to one more `*)` cannot be LOTOS, so elnath takes it for
the rest of the comment, as languages with nested comments do.

    (* a; b; (* and then *) stop *)

Other tools refuse such a text. Take the inner signs away.
"#,
    },
    IndexEntry {
        code: UNITS_IGNORED,
        title: "the units of a nested-unit net are ignored",
        explanation: r#"
The tool-specific part of a net names units (NUPN), of whose places at most one is marked: then one small number says which. Here a unit names
a place that does not exist, or that another unit has too. The net is read without units: nothing changes but the memory that a marking takes.

    <unit id="u1"><places>p1 p2 p9</places><subunits/></unit>          // there is no p9
"#,
    },
    IndexEntry {
        code: NET_PART_IGNORED,
        title: "a part of the file with the net is not what is checked",
        explanation: r#"
The file has several nets, of which the first is read; or the net has no type, and is read as a place/transition net.

    <pnml> <net id="first" ..> .. </net> <net id="second" ..> .. </net> </pnml>

Put the other nets into files of their own; add the type `http://www.pnml.org/version-2009/grammar/ptnet`.
"#,
    },
    IndexEntry {
        code: FAULTS_AS_STEPS,
        title: "steps that run into a fault count like others in a formula of branching time",
        explanation: r#"
The model has steps that fail an assertion, divide by zero or the like. A formula of branching time (`--mu`, `--ctl`) is about the graph of the
model, and in it such a step leads to the state that the model is left in, like any other.

    assert(x < 3);                           // fails for x == 3, and the walk goes on

Check the model without a formula first: `elnath check model.pml` reports the fault and a run to it.
"#,
    },
    IndexEntry {
        code: UNDEFINED_AS_FALSE,
        title: "a proposition of a formula of branching time has no value in some states",
        explanation: r#"
An expression in the formula cannot be evaluated in some reachable state: it divides by zero, or has an index out of range. It counts as
false there, and its negation as true.

    --ctl 'AG (10 / x > 2)'                  // x is 0 in the initial state

Guard it: `AG (x != 0 -> 10 / x > 2)` is no help, since both sides are evaluated; ask about the expression in the model, with a variable that
has a value in every state.
"#,
    },
    IndexEntry {
        code: UNTIMED,
        title: "the delays of a specification in Estelle are not counted",
        explanation: r#"
A transition with `delay (least, most)` fires when it has been enabled for at least `least` units of time, and at most `most`. By default no time is
counted: the transition may fire whenever it is enabled, and it keeps no other transition from firing. That is more behaviour than the
specification has: what holds of it holds of the specification, and a violation may need a timer that runs out too early.

    from WAIT to SEND delay (10, 20) begin retransmit end;

`--delays ticks` counts time in ticks: it passes when no transition without delay is enabled. States have a counter for each delayed transition.
"#,
    },
    IndexEntry {
        code: LOSSY,
        title: "the store may have missed states",
        explanation: r#"
Bitstate hashing and hash compaction remember fingerprints of states. A new state whose fingerprint is known is taken for visited, and
what follows it is not searched. No violation found is not a proof; the report has the expected number of states that were missed.

    elnath check big.pml --store bitstate

`--store exact` or `--store tree` proves it, if the memory is enough.
"#,
    },
    IndexEntry {
        code: NO_EFFECT,
        title: "an option has no effect on this model or question",
        explanation: r#"
The option concerns another language or another question: `--capacity` is for communicating machines and Estelle, `-D` for Promela, `--range` for LOTOS, `--tau`
for graphs and networks, `--fair` for models with processes. The answer is that without it.

    elnath check lift.aut -D N=3
"#,
    },
    IndexEntry {
        code: USUAL_SEARCH,
        title: "the chosen search cannot check a property, so the usual one did",
        explanation: r#"
All properties of the model are checked, and the search or store that was chosen cannot answer the question about this one. It was
answered by the search that is used when nothing is chosen.

    elnath check abp.pml --search bfs        // bfs finds no cycles

`--only NAME` checks a property alone, and refuses a choice that does not fit.
"#,
    },
    IndexEntry {
        code: GROWS,
        title: "a channel grows for ever, so that the search cannot end",
        explanation: r#"
A sequence of steps was found that can be repeated without end and leaves more messages in a channel each time. There are infinitely
many states: `check` can find a violation among them, but never that there is none. It is said when a search has taken a second, or
has ended at a limit.

    channel q from A to B of m
    machine A { 0 -> 0: q!m }                // nothing keeps A from sending on
    machine B { 0 -> 0: q?m }

`elnath bounded FILE` shows the sequence. `--capacity N` gives each channel N places; then `full-channel` tells where that is too
little.
"#,
    },
    IndexEntry {
        code: GIVEN_UP,
        title: "a step of a specification was not computed to its end",
        explanation: r#"
The equations of a value seem to go round in a circle, a value grows for ever, a process calls itself without an action before it, or the
values of a sort without bound are to be enumerated (LOTOS). The step is left out, so that nothing is proved.

    f (x) = f (x);
    process P [a] : noexit := a; stop ||| P [a] endproc

The message says which it is, and where.
"#,
    },
];
