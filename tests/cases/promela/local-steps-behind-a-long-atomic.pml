//! check --end-states ignore --store exact => holds
/* The atomic sequence has 60,001 outcomes. Were the local steps behind it made part of it, it would be given up. */
int x;
active proctype A() {
	int i; byte y;
	atomic { do :: i < 60000 -> i++ :: break od };
	y = 1; y = 2; y = 3; y = 4; y = 5; y = 6; y = 7; y = 8; y = 9;
	x = i + y
}
