//! Whether each variable stands under an even number of negations below its binder, so that its fixpoint exists.
//!
//! One pass over the tree with the number of negations so far. An equivalence has each side both ways, so that a variable inside of
//! it that is bound outside is always wrong.

use super::ast::{MuFormulas, MuId, MuNode};
use std::ops::Range;

/// A variable that is negated.
pub(super) struct Negated {
    pub(super) name: String,
    pub(super) place: Range<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Above {
    odd: bool,
    equivalences: u32,
}

pub(super) fn variables(formulas: &MuFormulas, f: MuId) -> Result<(), Negated> {
    if formulas.variables().is_empty() {
        // Formulas that were not parsed may share parts, and then have no tree.
        return Ok(());
    }
    let mut bound: Vec<Option<Above>> = vec![None; formulas.variables().len()];
    let mut todo = vec![(f, Above { odd: false, equivalences: 0 })];
    while let Some((f, above)) = todo.pop() {
        let negated = Above { odd: !above.odd, ..above };
        match formulas.node(f) {
            MuNode::Variable(variable) => {
                if bound[*variable as usize] != Some(above) {
                    let name = formulas.variables()[*variable as usize].clone();
                    let place = formulas.variable_places.get(&f).cloned().unwrap_or(0..0);
                    return Err(Negated { name, place });
                }
            }
            MuNode::Fix(_, variable, body) => {
                bound[*variable as usize] = Some(above);
                todo.push((*body, above));
            }
            MuNode::Not(g) => todo.push((*g, negated)),
            MuNode::Implies(g, h) => todo.extend([(*h, above), (*g, negated)]),
            MuNode::Iff(g, h) => {
                let both = Above { equivalences: above.equivalences + 1, ..above };
                todo.extend([(*h, both), (*g, both)]);
            }
            node => todo.extend(node.children().into_iter().rev().map(|child| (child, above))),
        }
    }
    Ok(())
}
