//! check --end-states ignore => holds finding=W0211
bool done;
active proctype P() { done -> assert(false) }
