/* expect error 2:1 "there is no type `msg`" */
msg x;
init { skip }
