//! check => holds finding=W0217 at=2:1
#warning "N > 5 takes hours"
active proctype P() { skip }
