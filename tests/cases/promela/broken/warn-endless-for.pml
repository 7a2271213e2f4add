/* expect warning 3:22 "the loop never ends: its variable cannot exceed 255" */
byte i;
init { for (i : 0 .. 255) { skip } }
