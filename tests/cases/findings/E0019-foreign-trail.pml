//! replay E0019-foreign-trail.trail => finding=E0019
byte x;
active proctype P() { x = 1 }
