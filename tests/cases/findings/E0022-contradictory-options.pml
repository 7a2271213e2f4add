//! check --safety-only --fair weak => finding=E0022
active proctype P() { skip }
