/* expect error 2:10 "`_pid` has a meaning only inside a process" */
byte x = _pid;
init { assert(x) }
