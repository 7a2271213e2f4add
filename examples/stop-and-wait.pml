/* Stop and wait, without sequence numbers: the sender repeats a message whose acknowledgement does not come, and the
 * receiver cannot tell a repetition from the next message. `elnath check` shows how that goes wrong;
 * alternating-bit.pml is the remedy. */

mtype = { data, ack }

chan to_receiver = [1] of { mtype, byte };
chan to_sender   = [1] of { mtype };

active proctype Sender() {
    byte number = 0;
    do
    :: to_receiver!data(number);
       if
       :: to_sender?ack -> number = (number + 1) % 4
       :: timeout /* nothing came back: send it again */
       fi
    od
}

active proctype Receiver() {
    byte got, expected = 0;
    end: do
    :: to_receiver?data(got) ->
       assert(got == expected);
       expected = (expected + 1) % 4;
       if
       :: to_sender!ack
       :: skip /* the acknowledgement is lost */
       fi
    od
}
