/* With --hide, --hide-all-but and --rename the labels of a program are its messages and prints. Both prints of the atomic
   sequence are labels; the assertion and the deadlock are found whatever becomes of them. */
chan c = [0] of { byte };
byte x;

active proctype sender() {
	do
	:: x < 3 -> atomic { x++; printf("begin\n"); printf("end %d\n", x) }; c!x
	:: x == 3 -> break
	od;
	assert(x < 3)
}

active proctype receiver() {
	byte y;
	do
	:: c?y
	od
}
