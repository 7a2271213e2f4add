/* expect error 3:25 "there is no variable in `p` called `w`" */
active proctype p() { byte v; v = 1 }
active proctype q() { p:w == 1; p[0]:v == 1 }
