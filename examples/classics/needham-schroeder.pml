/* Authentication with public keys (the protocol of Needham and Schroeder): Alice and Bob show each other that they are who they claim
 * to be, by sending back a secret number (a nonce) that only the owner of a key can have read:
 *
 *     1. Alice -> Bob    na and "Alice",  for Bob's key
 *     2. Bob -> Alice    na and nb,       for Alice's key
 *     3. Alice -> Bob    nb,              for Bob's key
 *
 * Eve is the network: every message goes to her. She can pass it on, or keep it and send it later, or read it if it is
 * for her key, and make new messages out of what she has read. She is also somebody whom Alice may want to talk to.
 *
 * The assertion says: if Bob believes that he talks to Alice, then Alice wanted to talk to Bob. The protocol had
 * been known for seventeen years when Lowe found that this is not so. elnath needs less time.
 *
 * Exercise: read the run. Message 2 tells Alice too little: what could be added? Solution: needham-schroeder-fixed.pml. */
//! check => fails

mtype = { alice, bob, eve, na, nb, ne, first, second, third };

/* Which message, for whose key, and two fields; from a sender to Eve, and from Eve to Alice or Bob. */
chan sent = [0] of { mtype, mtype, mtype, mtype };
chan delivered[2] = [0] of { mtype, mtype, mtype, mtype };
#define TO_ALICE delivered[0]
#define TO_BOB delivered[1]

mtype partner;                              /* whom Alice wants to talk to */

active proctype Alice() {
    mtype nonce;
    if
    :: partner = bob
    :: partner = eve
    fi;
end1:
    sent!first(partner, na, alice);
end2:
    TO_ALICE?second(alice, eval(na), nonce);
end3:
    sent!third(partner, nonce, nonce)
}

active proctype Bob() {
    mtype nonce, who;
end1:
    TO_BOB?first(bob, nonce, who);
end2:
    sent!second(who, nonce, nb);
end3:
    TO_BOB?third(bob, eval(nb), _);
    assert(who != alice || partner == bob)
}

bool knows_na, knows_nb;                    /* what Eve has read */

inline learn(field) {
    if
    :: field == na -> knows_na = true
    :: field == nb -> knows_nb = true
    :: else
    fi
}

inline choose_nonce(field) {
    if
    :: field = ne
    :: knows_na -> field = na
    :: knows_nb -> field = nb
    fi
}

active proctype Eve() {
    mtype message, key, one, two;           /* what was overheard */
    mtype nonce, other, name;               /* what is made up */
end:
    do
    :: sent?message(key, one, two);
       if
       :: key == eve -> learn(one); learn(two)
       :: else
       fi
    :: key == alice ->
end1:
       TO_ALICE!message(key, one, two)
    :: key == bob ->
end2:
       TO_BOB!message(key, one, two)
    :: choose_nonce(nonce);
       choose_nonce(other);
       if
       :: name = alice
       :: name = bob
       :: name = eve
       fi;
end3:
       if
       :: TO_ALICE!second(alice, nonce, other)
       :: TO_BOB!first(bob, nonce, name)
       :: TO_BOB!third(bob, nonce, nonce)
       fi
    od
}
