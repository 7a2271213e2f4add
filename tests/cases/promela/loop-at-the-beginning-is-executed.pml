//! check => holds never_executed=[]
/* The sequence begins with the loop, which has its commands twice then; whoever executes one of them has executed both. */
active proctype P() {
	byte i;
	atomic { do :: i < 3 -> i++ :: else -> break od };
	assert(i == 3)
}
