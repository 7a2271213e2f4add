/* expect error 3:17 "there is no label in `p` called `there`" */
active proctype p() { here: skip }
never { do :: p@there :: else od }
