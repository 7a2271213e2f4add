// Where another process is and what its variables hold.
//! check --all-errors => fails states=32 transitions=39 errors=1
byte x;
active proctype watched() { byte v = 1; x = 1; here: v = 2; x = 3 }
active proctype watcher() { watched@here; x = 7; if :: watched[0]:v == 2 -> x = 8 :: watched[0]:v == 1 -> x = 9 fi }
