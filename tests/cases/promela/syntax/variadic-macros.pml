// Macros with any number of arguments, also named, also none, on one line or several.
//! check --all-errors => holds states=17 transitions=19 errors=0
#define start(...) run q(__VA_ARGS__)
#define pick(_1, _2, name, ...) name
#define add(...) pick(__VA_ARGS__, three, two)(__VA_ARGS__)
#define two(a, b) x = (a) + (b)
#define three(a, b) x = 9
#define say(text, rest...) printf(text, ## rest)
byte x;
proctype q(byte a, b) { add(a, b); say("done\n"); say("%d\n", x) }
init { start(1,
             2) x++ }
