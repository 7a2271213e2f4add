/* expect error 4:11 "there is no variable `y`" */
byte x;
inline twice(v) {
  v = v * y
}
init { twice(x); assert(x) }
