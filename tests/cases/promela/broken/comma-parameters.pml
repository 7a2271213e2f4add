/* expect error 2:18 "parameters of different types are separated by `;`" */
proctype p(byte a, byte b) { assert(a == b) }
init { run p(1, 2) }
