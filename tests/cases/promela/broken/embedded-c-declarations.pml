/* expect error 2:1 "`c_decl` is embedded C, which elnath does not run" */ /* expect error 3:1 "`c_state` is embedded C, which elnath does not run" */ /* expect error 4:8 "`c_expr` is embedded C, which elnath does not run" */
c_decl { typedef int t; }
c_state "t x" "Global"
init { c_expr { now.x } -> skip }
