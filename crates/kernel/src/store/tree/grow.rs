//! Tables that grow in place.

use crate::store::pages::advise_huge;

/// Makes a table longer by zeros. Its capacity doubles: what is not yet used costs no memory, only addresses, and a
/// large one that must move is moved by the system without being copied.
pub(super) fn lengthen<T: Default>(table: &mut Vec<T>, len: usize) {
    if table.capacity() < len {
        let wanted = len.max(table.capacity() * 2);
        table.reserve_exact(wanted - table.len());
        advise_huge(table);
    }
    table.resize_with(len, T::default);
}
