/* expect warning "no process runs: there is neither `init` nor an active proctype" */
byte x;
proctype p() { x = 1; assert(x) }
