/* expect error 3:8 "this is not a channel" */ /* expect error 3:13 "this is not a channel" */
byte q;
init { q!1; q?q }
