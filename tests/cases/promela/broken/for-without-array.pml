/* expect error 3:18 "`for (.. in ..)` needs the name of an array, or a channel" */
byte a, i;
init { for (i in a) { skip } assert(a) }
