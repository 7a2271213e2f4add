//! check => holds finding=W0201 at=3:10
// 255 fits, 256 becomes 0.
byte b = 256;
byte c = 255;
active proctype P() { assert(b == 0 && c == 255) }
