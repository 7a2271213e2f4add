/* The alternating bit protocol of abp.pml with a receiver that does not look at the mark: it takes a repetition for the
 * next item. The assertion-free model has no error of its own; compared with the service it must fail:
 *
 *     elnath compare examples/abp-broken.pml examples/buffer.aut --relation branching --hide-all-but '(put|get).*'
 */

chan put = [0] of { bit };
chan get = [0] of { bit };
chan to_receiver = [1] of { bit, bit };
chan to_sender   = [1] of { bit };

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
       :: to_receiver!item,mark
       :: to_sender?answer ->
          if
          :: answer == mark -> break
          :: else
          fi
       od;
       mark = 1 - mark
    od
}

active proctype Receiver() {
    bit item, mark;
    do
    :: to_receiver?item,mark ->
       get!item;                            /* whatever the mark */
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
