/* expect error 4:8 "inline `set` takes 2 arguments, not 1" */
byte x;
inline set(v, w) { v = w }
init { set(x); assert(x) }
