/* expect error 4:7 "expected an expression, found `;`" */ /* expect error 6:9 "expected an expression, found `)`" */ /* expect error 7:12 "expected an expression, found `;`" */
byte x;
init {
  x = ;
  x = 2;
  do :: ) od;
  x = (x + ;
  assert(x)
}
