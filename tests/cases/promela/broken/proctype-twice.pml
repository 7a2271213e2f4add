/* expect error 3:10 "proctype `p` is declared twice" */
active proctype p() { skip }
proctype p() { skip }
