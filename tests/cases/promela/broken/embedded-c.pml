/* expect error 3:3 "`c_code` is embedded C, which elnath does not run" */
init {
  c_code { now.x = 1; };
  skip
}
