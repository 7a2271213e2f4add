//! check --claim heard --fair weak => holds
//! check --claim heard => fails
//! check --claim unheard --fair weak => fails
chan c = [0] of { bit };
byte n;
active proctype speaker() { do :: c!1 od }
active proctype listener() { do :: c?1; n = 1 - n od }
active proctype idler() { bit z; do :: z = 1 - z od }
ltl heard { [] <> (n == 1) }
ltl unheard { <> [] (n == 1) }
