/* The alternating bit protocol: every message carries a bit, and so does its acknowledgement. Messages and
 * acknowledgements may be lost, but none is taken twice and none is skipped. */

mtype = { data, ack }

chan to_receiver = [1] of { mtype, byte, bit };
chan to_sender   = [1] of { mtype, bit };

active proctype Sender() {
    byte number = 0;
    bit mark = 0, answer;
    do
    :: if
       :: to_receiver!data(number, mark)
       :: skip /* lost */
       fi;
       if
       :: to_sender?ack(answer) ->
          if
          :: answer == mark -> number = (number + 1) % 4; mark = 1 - mark
          :: else
          fi
       :: timeout
       fi
    od
}

active proctype Receiver() {
    byte got, expected = 0;
    bit mark, wanted = 0;
    end: do
    :: to_receiver?data(got, mark) ->
       if
       :: mark == wanted ->
          assert(got == expected);
          expected = (expected + 1) % 4;
          wanted = 1 - wanted
       :: else /* a repetition */
       fi;
       if
       :: to_sender!ack(mark)
       :: skip /* lost */
       fi
    od
}
