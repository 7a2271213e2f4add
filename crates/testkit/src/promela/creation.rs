//! All small models of one shape: `init` creates processes outside of atomic sequences, these communicate, look at what the
//! creation of another changes, and end.
//!
//! Creating and ending are steps that reductions would like to put into one order, and each way to notice the order is a
//! way to get that wrong: the numbers of processes and of their channels, how many there are, whether a partner waits
//! already, whether a channel is gone. So these models are enumerated and not drawn: every statement of the list in every
//! place, with each kind of channel.

/// What a process may do. `c` is a channel, `g` a global.
const BODIES: [&str; 22] = [
    "skip",
    "g = g + 1",
    "x = g; g = x + 1",
    "c?x; g = x",
    "c!1",
    "end: c?x; assert(g == 0)",
    "do :: c?x :: g > 1 -> break od",
    "if :: c!1 :: else -> g = 2 fi",
    "if :: c?x :: else -> g = 2 fi",
    "g == 1; g = 2",
    "g = _nr_pr",
    "assert(_nr_pr < 4)",
    "g = _pid",
    "timeout -> g = 3",
    "atomic { g = 1; c?x }; g = 2",
    "run D(GIVEN); g = 1",
    "x = run D(GIVEN); g = x",
    "d_step { g = 1; run D(GIVEN) }",
    "chan own = [0] of { byte }; run E(own); own!1",
    "chan own = [1] of { byte }; k!own; end: own?x; g = x + 1",
    "chan own = [1] of { byte }; k!own",
    "chan z; k?z; z!1; z?x; g = x",
];

/// What `init` may do. `A(GIVEN)` and `B(GIVEN)` are processes of the two kinds.
const STARTS: [&str; 9] = [
    "run A(GIVEN); run B(GIVEN)",
    "run A(GIVEN); run B(GIVEN); run A(GIVEN)",
    "run A(GIVEN); g = 1; run B(GIVEN)",
    "run A(GIVEN); c!1; run B(GIVEN)",
    "run A(GIVEN); run B(GIVEN); c?x; g = x",
    "run A(GIVEN); _nr_pr == 1; run B(GIVEN)",
    "atomic { run A(GIVEN); run B(GIVEN) }; g = 1",
    "x = run A(GIVEN); run B(GIVEN); g = x",
    "run A(GIVEN); run B(GIVEN); timeout -> g = 4",
];

/// How the channel is declared, where it is given to processes, and its capacity.
const CHANNELS: [(bool, u8); 4] = [(false, 0), (false, 1), (true, 0), (true, 1)];

/// How many models there are.
pub const CREATION_MODELS: u64 = (BODIES.len() * BODIES.len() * STARTS.len() * CHANNELS.len()) as u64;

/// The text of one of them.
pub fn creation_model(number: u64) -> String {
    assert!(number < CREATION_MODELS, "there are only {CREATION_MODELS} models");
    let mut rest = number as usize;
    let mut take = |count: usize| {
        let index = rest % count;
        rest /= count;
        index
    };
    let (given, capacity) = CHANNELS[take(CHANNELS.len())];
    let (start, a, b) = (STARTS[take(STARTS.len())], BODIES[take(BODIES.len())], BODIES[take(BODIES.len())]);
    let declared = format!("chan c = [{capacity}] of {{ byte }};");
    let (global, local) = if given { ("", &declared[..]) } else { (&declared[..], "") };
    let (parameter, argument) = if given { ("chan c", "c") } else { ("byte n", "0") };
    let text = format!(
        "byte g; chan k = [1] of {{ chan }}; {global}\n\
         proctype D({parameter}) {{ g = g + 2 }}\n\
         proctype E(chan e) {{ byte y; e?y; g = y + 1 }}\n\
         proctype A({parameter}) {{ byte x; {a} }}\n\
         proctype B({parameter}) {{ byte x; {b} }}\n\
         init {{ byte x; {local} {start} }}\n"
    );
    text.replace("GIVEN", argument)
}
