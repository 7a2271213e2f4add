// The names of an mtype that is declared within a typedef are global.
//! check => holds states=4 transitions=3
typedef Op { mtype = { GET, PUT }; mtype t; byte b }
Op o;
active proctype A() { o.t = PUT; assert(o.t != GET) }
