// Channels are passed as parameters and in messages.
//! check --all-errors => fails states=128 transitions=250 errors=26
chan post = [1] of { chan };
proctype client(byte n) { chan mine = [1] of { byte }; byte got; post!mine; mine?got; assert(got == n) }
active proctype server() { chan who; byte k = 1; do :: post?who -> who!k; k++ :: k == 3 -> break od }
init { atomic { run client(1); run client(2) } }
