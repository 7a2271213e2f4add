/* expect error 4:12 "`q` is a structure; one of its fields is needed here" */ /* expect error 4:8 "a structure cannot be assigned as a whole" */
typedef point { byte x };
point p, q;
init { p = q; q.x = p.x }
