/* expect error 4:8 "a channel can only be created at the start of a process" */
init {
  skip;
  chan q = [1] of { byte };
  q!1
}
