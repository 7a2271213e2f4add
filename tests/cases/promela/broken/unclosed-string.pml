/* expect error 3:10 "this string is not closed on its line" */
init {
  printf("hello);
  skip
}
