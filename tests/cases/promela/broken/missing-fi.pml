/* expect error 7:1 "expected `::` or `fi`, found `}`" */
byte x;
init {
  if
  :: x == 1 -> x = 2
  :: else -> skip
}
