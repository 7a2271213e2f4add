//! What the random branches of the campaign `boundedness` (`crates/conformance`) rarely show of the relations on streams.

use elnath_boundedness::stream::Branch;
use elnath_boundedness::theta::th93;
use elnath_boundedness::view::Traffic;

/// Random branches rarely have what only the second comparison of th93 refuses: the stream has the period of what is
/// taken, but what is sent does not go on where it ends. Here `ab` becomes `aba`, and a second round would take `ab` from
/// `aba` and leave `a` before `aba`.
#[test]
fn a_period_alone_is_not_enough() {
    let taken = Traffic { channel: 0, sent: None };
    let sent = |letter| Traffic { channel: 0, sent: Some(letter) };
    let mut branch = Branch::new(&[vec![1, 2]]);
    branch.push(&[taken, taken, sent(1), sent(2), sent(1)], &[vec![1, 2, 1]]);
    assert!(!th93(&branch, 0, 1));
    branch.pop();
    branch.push(&[taken, taken, sent(1), sent(2), sent(1), sent(2)], &[vec![1, 2, 1, 2]]);
    assert!(th93(&branch, 0, 1));
}
