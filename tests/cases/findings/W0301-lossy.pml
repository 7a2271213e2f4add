//! check --store bitstate --memory 8MiB => holds finding=W0301
//! check --store exact => holds without=W0301
active proctype P() { skip }
