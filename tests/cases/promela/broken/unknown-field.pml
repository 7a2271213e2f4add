/* expect error 4:10 "there is no field in type `point` called `z`" */
typedef point { byte x; byte y };
point p;
init { p.z = 1; p.x = p.y }
