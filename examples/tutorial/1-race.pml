byte n, finished;

active [2] proctype Adder() {
    byte copy;
    copy = n;
    n = copy + 1;
    finished++;
    if
    :: finished == 2 -> assert(n == 2)
    :: else
    fi
}
