// A formula looks at states, so that a hidden variable it reads is part of them.
//! check --ltl [](v==0) => fails
//! check --ltl [](v!=7) => holds
hidden byte v;
active proctype p() { v = 3; v = 0 }
