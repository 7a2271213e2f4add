/* expect error 3:8 "`p` has 1 parameter, not 2" */ /* expect warning 3:21 "`p` has 1 parameter, not 0" */
proctype p(byte a) { assert(a) }
init { run p(1, 2); run p() }
