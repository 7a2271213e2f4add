/* expect note 2:8 "the format asks for 2 values, 1 are given" */
init { printf("%d %d\n", 1) }
