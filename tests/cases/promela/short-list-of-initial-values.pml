// What a list of initial values leaves out has the list's last value.
//! check --all-errors => holds states=3 transitions=2 errors=0
byte g[3] = { 1, 2 };
active proctype p() { byte v[4] = { 4, 5 }; assert(v[2] == 5 && v[3] == 5 && g[2] == 2) }
