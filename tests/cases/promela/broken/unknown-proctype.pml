/* expect error 3:12 "there is no proctype `cleint`" */
proctype client() { skip }
init { run cleint() }
