//! check --claim never => holds states=15
byte x;
active [2] proctype p() { x++; here: x++ }
/* Labels and places in a claim: once both have been at the label, they go on in step. SPIN counts the same states. */
never { do :: true :: p[0]@here && p[1]@here -> goto b od; b: do :: pc_value(0) == pc_value(1) od }
