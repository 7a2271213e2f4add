// So is one with more fields.
// After this SPIN stops or goes on with overwritten memory: only the verdict can be compared.
//! check --all-errors => fails
chan one = [1] of { byte };
chan two = [1] of { byte, byte };
proctype s(chan c) { c!5,6 }
init { run s(two); run s(one) }
