mtype = { data, ack };

chan to_receiver = [1] of { mtype, byte, bit };
chan to_sender   = [1] of { mtype };

active proctype Sender() {
    byte number = 0;
    bit mark = 0;
    do
    :: to_receiver!data(number, mark);
       if
       :: to_sender?ack ->
          number = (number + 1) % 4;
          mark = 1 - mark
       :: timeout
       fi
    od
}

active proctype Receiver() {
    byte got, expected = 0;
    bit mark, wanted = 0;
    do
    :: to_receiver?data(got, mark);
       if
       :: mark == wanted ->
          assert(got == expected);
          expected = (expected + 1) % 4;
          wanted = 1 - wanted
       :: else
       fi;
       to_sender!ack
    od
}

active proctype Loss() {
end:
    do
    :: to_receiver?_,_,_
    :: to_sender?_
    od
}
