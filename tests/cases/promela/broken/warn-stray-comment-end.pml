/* expect note 2:9 "ends no comment and is ignored" */
byte x; */
init { assert(x == 0); x = 1 }
