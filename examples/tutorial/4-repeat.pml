mtype = { data, ack };

chan to_receiver = [1] of { mtype, byte };
chan to_sender   = [1] of { mtype };

active proctype Sender() {
    byte number = 0;
    do
    :: to_receiver!data(number);
       if
       :: to_sender?ack -> number = (number + 1) % 4
       :: timeout
       fi
    od
}

active proctype Receiver() {
    byte got, expected = 0;
    do
    :: to_receiver?data(got);
       assert(got == expected);
       expected = (expected + 1) % 4;
       to_sender!ack
    od
}

active proctype Loss() {
end:
    do
    :: to_receiver?_,_
    :: to_sender?_
    od
}
