// A label may have the name of a proctype that is declared later.
//! check => holds states=13 transitions=18
byte x;
active proctype p() { if :: goto Done :: skip fi; Done: x = 1 }
active proctype Done() { x = 2 }
