//! check => fails finding=W0113
byte eating;
ltl p { [] !(Phil@eat) }
active [3] proctype Phil() { eat: eating++; eating-- }
