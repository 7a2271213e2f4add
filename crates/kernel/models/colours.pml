/* The colours of nested depth-first search by several workers (src/search/multicore/cndfs.rs), as the workers play it.
 *
 * The graph has two ways from the initial node 0 to a cycle of three: by node 1, which leads to the last of them, and to
 * the first of them directly. To that come any one edge more and any accepting nodes. WORKERS workers search it, each
 * taking successors in any order. Blue and red are everybody's, cyan and pink a worker's own.
 *
 * Checked: a cycle is reported if and only if there is one; and nobody waits for ever, which would be a deadlock.
 * -DNO_WAIT breaks it (what a red search has met becomes red when it ends, the accepting nodes of others or not), and
 * -DRED_AT_ONCE too (it becomes red when it is met): both must fail. */

#ifndef WORKERS
#define WORKERS 2
#endif
#define NODES 5
#define HAS(set, node) (((set) >> (node)) & 1)
#define WITH(set, node) ((set) | (1 << (node)))
#define WITHOUT(set, node) ((set) & ~(1 << (node)))

byte edges[NODES];           /* by node: the set of its successors */
byte accepting;              /* sets of nodes */
byte blue, red;
bool found;                  /* somebody has reported a cycle: everybody stops */
byte done;

/* Each step looks at one shared set or changes it; what is between is the worker's own affair. */
proctype worker(byte me) {
  byte path[NODES], left[NODES], length;       /* the blue path, and the successors yet to be seen to of its nodes */
  byte red_path[NODES], red_left[NODES], red_length;
  byte cyan, pink, all_red, node, next;   /* all_red: the nodes on the path whose successors so far are red */

  if
  :: atomic { !HAS(blue, 0) -> length = 1; left[0] = edges[0]; cyan = 1; all_red = 1 }
  :: HAS(blue, 0)
  fi;
  do
  :: found -> break
  :: !found && length == 0 -> break
  :: !found && length > 0 && left[length - 1] != 0 ->
     atomic {
       node = path[length - 1];
       next = 0;
       do :: !HAS(left[length - 1], next) -> next++ :: HAS(left[length - 1], next) -> break
          :: HAS(left[length - 1], next) && (left[length - 1] >> (next + 1)) != 0 -> next++ od;
       left[length - 1] = WITHOUT(left[length - 1], next);
       if
       :: HAS(cyan, next) ->
          all_red = WITHOUT(all_red, node);
          if :: HAS(accepting, node) || HAS(accepting, next) -> found = true :: else fi
       :: !HAS(cyan, next) && HAS(blue, next) ->
          if :: !HAS(red, next) -> all_red = WITHOUT(all_red, node) :: else fi
       :: !HAS(cyan, next) && !HAS(blue, next) ->
          path[length] = next; left[length] = edges[next]; length++;
          cyan = WITH(cyan, next); all_red = WITH(all_red, next)
       fi;
       next = 0; node = 0
     }
  :: !found && length > 0 && left[length - 1] == 0 ->
     atomic {
       node = path[length - 1];
       blue = WITH(blue, node);
       if :: HAS(all_red, node) -> red = WITH(red, node) :: else fi
     }
     if
     :: !HAS(all_red, node) && HAS(accepting, node) ->
        atomic { red_path[0] = node; red_left[0] = edges[node]; red_length = 1; pink = WITH(0, node) }
        do
        :: found -> goto stop
        :: !found && red_length == 0 -> break
        :: !found && red_length > 0 && red_left[red_length - 1] == 0 ->
           atomic { red_length--; red_path[red_length] = 0 }
        :: !found && red_length > 0 && red_left[red_length - 1] != 0 ->
           atomic {
             next = 0;
             do :: !HAS(red_left[red_length - 1], next) -> next++ :: else -> break od;
             red_left[red_length - 1] = WITHOUT(red_left[red_length - 1], next);
             if
             :: HAS(cyan, next) -> found = true
             :: !HAS(cyan, next) && (HAS(pink, next) || HAS(red, next))
             :: !HAS(cyan, next) && !HAS(pink, next) && !HAS(red, next) ->
                red_path[red_length] = next; red_left[red_length] = edges[next]; red_length++;
                pink = WITH(pink, next)
#ifdef RED_AT_ONCE
                ; red = WITH(red, next)
#endif
             fi;
             next = 0
           }
        od;
#ifndef NO_WAIT
        /* Every accepting node that was met, but the seed, must have become red by its own search. */
        found || (pink & accepting & ~(1 << node) & ~red) == 0;
        if :: found -> goto stop :: else fi;
#endif
        do
        :: pink != 0 ->
           atomic {
             next = 0;
             do :: !HAS(pink, next) -> next++ :: else -> break od;
             red = WITH(red, next); pink = WITHOUT(pink, next); next = 0
           }
        :: else -> break
        od
     :: else
     fi;
     atomic {
       cyan = WITHOUT(cyan, node); all_red = WITHOUT(all_red, node);
       length--; path[length] = 0;
       if
       :: length > 0 && !HAS(red, node) -> all_red = WITHOUT(all_red, path[length - 1])
       :: else
       fi;
       node = 0
     }
  od;
stop:
  atomic { done++; length = 0; cyan = 0; pink = 0; node = 0; next = 0 }
}

/* The nodes that a node leads to, by at least one edge. */
inline close(from, to) {
  to = edges[from];
  k = 0;
  do
  :: k < NODES ->
     j = 0;
     do :: j < NODES -> if :: HAS(to, j) -> to = to | edges[j] :: else fi; j++ :: else -> break od;
     k++
  :: else -> break
  od
}

init {
  byte i, j, k, reached, beyond;
  bool expected;
  atomic {
    edges[0] = WITH(WITH(0, 1), 2);
    edges[1] = WITH(0, 4);
    edges[2] = WITH(0, 3);
    edges[3] = WITH(0, 4);
    edges[4] = WITH(0, 2);
    select(i : 0 .. NODES - 1);
    select(j : 0 .. NODES - 1);
    edges[i] = WITH(edges[i], j);
    select(j : 0 .. (1 << NODES) - 1);
    accepting = j;
    i = 0; j = 0
  }
  d_step {
    close(0, reached);
    reached = reached | 1;
    do
    :: i < NODES ->
       if
       :: HAS(reached, i) && HAS(accepting, i) ->
          close(i, beyond);
          if :: HAS(beyond, i) -> expected = true :: else fi
       :: else
       fi;
       i++
    :: else -> break
    od;
    i = 0; j = 0; k = 0; beyond = 0
  }
  atomic { do :: i < WORKERS -> run worker(i); i++ :: else -> break od }
  done == WORKERS;
  assert(found == expected)
}
