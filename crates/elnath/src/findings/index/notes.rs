//! Notes: worth knowing; the verdict is what it seems to be.

use super::IndexEntry;
use elnath_source::codes::*;

pub(super) const LIST: &[IndexEntry] = &[
    IndexEntry {
        code: UNUSED_VARIABLE,
        title: "a variable or parameter is never used",
        explanation: r#"
Nothing reads or writes it. It makes states larger, and no reader wiser.

    byte unused;

Remove it.
"#,
    },
    IndexEntry {
        code: NEVER_READ,
        title: "a variable is written and never read",
        explanation: r#"
Its value influences nothing. Without reductions, states that differ only in it are different states; slicing
(`--reductions slice`, usual) leaves such variables out. Variables that only a formula or a reader of runs looks at are fine.

    active proctype P() { byte n; do :: n = 1 od }

Remove it, or declare it `hidden` if it is there for people.
"#,
    },
    IndexEntry {
        code: UNUSED_DEFINITION,
        title: "a definition of a network is not used",
        explanation: r#"
A `let` that the network does not mention is read, and is no part of the system.

    let spare = cell.aut
    cell.aut ||| cell.aut
"#,
    },
    IndexEntry {
        code: UNUSED_LABEL,
        title: "a label looks like `end`, `accept` or `progress`, but for capital letters",
        explanation: r#"
Labels that begin with `end`, `accept` or `progress` have a meaning: a process may stop there, a cycle through it is an error, a cycle
that avoids it is one. The names are in small letters. This label is not, nothing jumps to it and no formula names it.

    active proctype P() { End: q ? x }       // a deadlock: `End` is no end state

Write the label in small letters, if it is meant to be special.
"#,
    },
    IndexEntry {
        code: FORMAT_ARGUMENTS,
        title: "a printf has the wrong number of values",
        explanation: r#"
The format asks for another number of values than are given. What is printed is wrong; the behaviour is not.

    printf("%d %d\n", x)
"#,
    },
    IndexEntry {
        code: STRAY_COMMENT_END,
        title: "an end of a comment ends no comment",
        explanation: r#"
`*/` outside a comment is ignored. Comments of Promela do not nest, so a comment inside a comment ends both, and the text after it is
part of the model.

    /* outer /* inner */ still here? */
"#,
    },
    IndexEntry {
        code: NEVER_EXECUTED,
        title: "statements are never executed",
        explanation: r#"
After a complete search it is known that no run executes them: they could be removed without changing the verdict. In a model of a
protocol that usually means that a case cannot occur, or that a guard is wrong.

    if :: x > 3 -> assert(false) :: else fi  // x never exceeds 3
"#,
    },
    IndexEntry {
        code: NEVER_FULL,
        title: "a channel is never full",
        explanation: r#"
No reachable state has as many messages in the channel as there is room for, so that no process ever waits for room in it, and a
smaller capacity would do. It is said of models with few states only, since all of them are looked at without reductions.

    chan q = [4] of { byte };                // never holds more than 1

If full channels were to be tested (a sender that blocks, or loses messages), they are not.
"#,
    },
    IndexEntry {
        code: ON_TERMS,
        title: "a specification in LOTOS is not flattened",
        explanation: r#"
A specification is searched faster when it is flattened: its parallel processes become units with few states of their own. That needs static control: no
process may call itself from an operand of a parallel operator or of `hide`, or from the left side of `>>` or `[>`. Otherwise states are terms,
and the answers are the same.

    process Server [req] : noexit := req; (Server [req] ||| Client [req]) endproc
"#,
    },
    IndexEntry {
        code: EVIDENCE_TOO_LARGE,
        title: "what shows a verdict on a formula of branching time is too large to be shown",
        explanation: r#"
A verdict on `--mu` or `--ctl` comes with the part of the model that shows it: a run where one run does, else a graph. That `AG EF p` holds is
shown by the whole graph, and nobody reads that. The verdict itself does not depend on it.

    elnath check model.pml --ctl 'AG EF p'           # holds, and the evidence is everything

Ask for the negation of a part to see a smaller one: `EF p` is shown by one run.
"#,
    },
    IndexEntry {
        code: NO_PROGRAM,
        title: "a specification in LOTOS is not translated to a program",
        explanation: r#"
With `--engine program`, a specification is searched as a program of guarded commands whose processes meet at gates. That needs static control, sorts
with few values, an action before every recursive call, and no parallel operator below a choice of values. The note has the reason. Otherwise units or
terms are searched, with the same answers.

    process Stack [push] (s : List) : noexit := push ?x : Nat; Stack [push] (cons (x, s)) endproc   (* lists have no bound *)
"#,
    },
    IndexEntry {
        code: ATOMIC_STEPS,
        title: "priorities of a specification in Estelle are read at the moment a transition fires",
        explanation: r#"
By default the transitions of a system are selected and executed in one step, which gives all interleavings of transitions. In the standard, a system
first selects, and other systems may send before what was selected is executed. With priorities the two differ: a transition of low priority that
was selected before a message arrived is executed after it.

    from IDLE when U.Stop priority 1 begin end;
    from IDLE priority 2 begin output U.More end;   { with --iso-select also when Stop is already there }

`--iso-select` steps as the standard does; states are more, since what is selected belongs to them.
"#,
    },
    IndexEntry {
        code: ONE_WORKER,
        title: "the search ran with one thread although more were asked for",
        explanation: r#"
Some searches and stores are for one worker only: depth-first search, replacing stores, searches for shortest cycles. `--threads`
has no effect then; the report says why.
"#,
    },
    IndexEntry {
        code: REDUCTION_UNUSED,
        title: "a reduction that was named was not used",
        explanation: r#"
Each reduction is used where it keeps the verdict of the question. One that was named and is not sound here, or finds nothing to
do, is left out; the message says why.

    elnath check abp.pml --ltl 'X p' --reductions por   // a formula with X may see the order of steps
"#,
    },
    IndexEntry {
        code: TREE_STORE,
        title: "the exact store ran out of memory, and the search began again with the tree store",
        explanation: r#"
Without `--store`, states are stored as they are until the memory is used up; then the search begins again with the tree store, which
needs a few bytes for each. The verdict is as certain.

`--store tree` saves the first attempt.
"#,
    },
    IndexEntry {
        code: IDLE_AUTOMATON,
        title: "the automaton of the property never left its first state",
        explanation: r#"
The automaton of the bad runs waits for the first step of a violation, for example `F (a && F b)` for `a`. After a complete search it
is known that no run ever makes that step: the property holds because what it is about never begins.

Look at the propositions: is the first one ever true?
"#,
    },
    IndexEntry {
        code: NO_RUN_WRITTEN,
        title: "there is no run to be written",
        explanation: r#"
`--trail` and `--chart` write the run to a violation. There is no violation, or its run is not known, so the file was not written; an
older file of that name is left as it was.
"#,
    },
    IndexEntry {
        code: OLD_SPELLING,
        title: "an option has a new name",
        explanation: r#"
The old name works until the next release.

    elnath check abp.pml --cache 500k        // now --store replacing:cache=500k
"#,
    },
    IndexEntry {
        code: UNBOUNDED_CHANNELS,
        title: "channels without bound may make infinitely many states",
        explanation: r#"
Channels of communicating machines have no bound unless the model or `--capacity` gives one. If messages can pile up, there is no end
of states, and a search ends only at a limit.

`elnath bounded FILE` tells whether a channel can grow for ever; `--capacity N` gives each N places.
"#,
    },
    IndexEntry {
        code: MORE_AUTOMATA,
        title: "a file has several automata, of which one was read",
        explanation: r#"
The HOA format allows several automata in one file. The first is read, or the one that `--index` names.
"#,
    },
];
