/* expect error 3:11 "the capacity of a channel must be a constant" */ /* expect error 4:11 "a channel holds 0 to 65535 messages, not 70000" */
byte n;
chan q = [n + 1] of { byte };
chan r = [70000] of { byte };
init { n = 1; q!n; r!n }
