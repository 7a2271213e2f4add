/* expect error 2:8 "`_pid` cannot be assigned to" */ /* expect error 2:18 "`_nr_pr` cannot be assigned to" */ /* expect error 2:43 "`_` can only be written" */
init { _pid = 3; _nr_pr = 2; printf("%d", _) }
