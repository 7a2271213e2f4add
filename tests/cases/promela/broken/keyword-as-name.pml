/* expect error 2:6 "expected the name of a variable, but `len` is a word of the language" */
byte len;
init { skip }
