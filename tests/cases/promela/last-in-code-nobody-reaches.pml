// SPIN keeps _last in the state wherever it occurs, even in an option that is left out.
//! check => holds states=9 transitions=10
byte g;
active proctype P() { if :: (2 == 1) -> g = _last :: else fi }
active proctype Q() { g = 1 }
