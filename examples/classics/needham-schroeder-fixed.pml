/* Authentication with public keys (Needham and Schroeder), as Lowe corrected it: the solution of needham-schroeder.pml. Message 2 names its
 * sender, so that Alice does not take a message of Bob's for one of Eve's:
 *
 *     1. Alice -> Bob    na and "Alice",         for Bob's key
 *     2. Bob -> Alice    na and nb and "Bob",    for Alice's key
 *     3. Alice -> Bob    nb,                     for Bob's key
 *
 * What "holds" means here: no attack by this Eve, who keeps one message at a time and meets one Alice and one Bob, each
 * for one conversation. A model answers what it was asked.
 *
 * Exercise: let Bob have two conversations (`active [2] proctype Bob`): there is an attack again. Is it a mistake of the
 * protocol or of the model? (What is a nonce?) */
//! check => holds

mtype = { alice, bob, eve, na, nb, ne, first, second, third };

/* Which message, for whose key, and three fields; from a sender to Eve, and from Eve to Alice or Bob. */
chan sent = [0] of { mtype, mtype, mtype, mtype, mtype };
chan delivered[2] = [0] of { mtype, mtype, mtype, mtype, mtype };
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
    sent!first(partner, na, alice, alice);
end2:
    TO_ALICE?second(alice, eval(na), nonce, eval(partner));
end3:
    sent!third(partner, nonce, nonce, nonce)
}

active proctype Bob() {
    mtype nonce, who;
end1:
    TO_BOB?first(bob, nonce, who, _);
end2:
    sent!second(who, nonce, nb, bob);
end3:
    TO_BOB?third(bob, eval(nb), _, _);
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
    mtype message, key, one, two, three;    /* what was overheard */
    mtype nonce, other, name;               /* what is made up */
end:
    do
    :: sent?message(key, one, two, three);
       if
       :: key == eve -> learn(one); learn(two)
       :: else
       fi
    :: key == alice ->
end1:
       TO_ALICE!message(key, one, two, three)
    :: key == bob ->
end2:
       TO_BOB!message(key, one, two, three)
    :: choose_nonce(nonce);
       choose_nonce(other);
       if
       :: name = alice
       :: name = bob
       :: name = eve
       fi;
end3:
       if
       :: TO_ALICE!second(alice, nonce, other, name)
       :: TO_BOB!first(bob, nonce, name, name)
       :: TO_BOB!third(bob, nonce, nonce, nonce)
       fi
    od
}
