/* expect error 6:1 "expected `}`, found `init`" */
byte x;
proctype p() {
  x = 1;

init { run p(); assert(x) }
