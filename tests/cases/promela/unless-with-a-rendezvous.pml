// An escape that sends counts only when somebody receives.
//! check --all-errors => fails states=21 transitions=28 errors=1
chan r = [0] of { bit };
byte x;
active proctype p() { { x = 1; x = 2; x = 3 } unless { r!1 -> x = 9 } }
active proctype q() { byte z; z = 1; r?_ ; z = 2 }
