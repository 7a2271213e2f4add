// A d_step that begins with a send waits for room in the channel.
//! check --all-errors => holds states=7 transitions=6 errors=0
chan q = [1] of { bit };
byte x;
active proctype p() { d_step { q!1; x = 1 }; d_step { q!0; x = 2 } }
active proctype r() { q?1; q?0 }
