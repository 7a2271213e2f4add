/* The alternating bit protocol as a service sees it: what is put in at one end comes out at the other, once, although
 * messages and acknowledgements may be lost on the way. Everything between `put` and `get` is nobody else's business:
 *
 *     elnath compare examples/abp.pml examples/buffer.aut --relation branching --hide-all-but '(put|get).*'
 */

chan put = [0] of { bit };                  /* the ends, where the protocol meets its users */
chan get = [0] of { bit };
chan to_receiver = [1] of { bit, bit };     /* an item and its mark */
chan to_sender   = [1] of { bit };          /* the mark of what has arrived */

active proctype Producer() {
    do
    :: put!0
    :: put!1
    od
}

active proctype Sender() {
    bit item, mark = 0, answer;
    do
    :: put?item;
       do
       :: to_receiver!item,mark             /* as often as it takes */
       :: to_sender?answer ->
          if
          :: answer == mark -> break
          :: else                           /* about an item long delivered */
          fi
       od;
       mark = 1 - mark
    od
}

active proctype Receiver() {
    bit item, mark, wanted = 0;
    do
    :: to_receiver?item,mark ->
       if
       :: mark == wanted -> get!item; wanted = 1 - wanted
       :: else                              /* a repetition */
       fi;
       to_sender!mark
    od
}

active proctype Consumer() {
    do
    :: get?_
    od
}

active proctype Loss() {
    do
    :: to_receiver?_,_
    :: to_sender?_
    od
}
