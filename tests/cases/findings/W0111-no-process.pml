//! check => holds finding=W0111
proctype P() { assert(false) }
