/* expect error 2:9 "division by zero in the condition" */
#if 1 / 0
#endif
init { skip }
