// A `*/` that ends no comment is ignored.
//! check --all-errors => holds states=5 transitions=4 errors=0
byte x;
/* a /* b */ */
active proctype p() { x = 1 */ ; x = 2 */* a product */ 3; assert(x == 6) }
