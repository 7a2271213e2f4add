/* expect error 3:8 "inline `set` is used before its definition" */
byte x;
init { set(1); assert(x) }
inline set(v) { x = v }
