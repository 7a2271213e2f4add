/* An elevator between four floors. Passengers press a button; the cabin goes to who has pressed, opens its door and closes it again.
 * It never moves with an open door, and who has pressed is served. Beside this file is a picture of its state: elnath explore shows it. */

#define FLOORS 4

bit wanted[FLOORS];                 /* the buttons */
byte floor;                         /* where the cabin is */
bool open;                          /* its door */
bool moving;

active proctype Cabin() {
    byte goal;
    do
    :: atomic {
           if
           :: wanted[0] -> goal = 0
           :: wanted[1] -> goal = 1
           :: wanted[2] -> goal = 2
           :: wanted[3] -> goal = 3
           fi;
           moving = (goal != floor)
       }
       do
       :: floor < goal -> floor++
       :: floor > goal -> floor--
       :: else -> break
       od;
       moving = false;
       d_step { open = true; wanted[goal] = 0 };
       open = false
    od
}

active proctype Passengers() {
    do
    :: !wanted[0] && floor != 0 -> wanted[0] = 1
    :: !wanted[1] && floor != 1 -> wanted[1] = 1
    :: !wanted[2] && floor != 2 -> wanted[2] = 1
    :: !wanted[3] && floor != 3 -> wanted[3] = 1
    od
}

ltl closed { [] !(open && moving) }
ltl served { [] (wanted[3] -> <> (floor == 3 && open)) }
