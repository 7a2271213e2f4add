/* expect warning 7:6 "this statement cannot be reached" */ /* expect warning 9:3 "this statement cannot be reached" */
byte x;
init {
  do
  :: x++;
     goto done;
     x = 3
  od;
  x = 4;
done: assert(x)
}
