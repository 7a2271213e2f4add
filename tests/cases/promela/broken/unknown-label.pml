/* expect error 2:25 "there is no label `lop`" */
init { loop: skip; goto lop }
