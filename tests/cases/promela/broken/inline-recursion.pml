/* expect error 3:25 "inline `down` uses itself" */
byte x;
inline down(n) { x = n; down(n - 1) }
init { down(3); assert(x) }
