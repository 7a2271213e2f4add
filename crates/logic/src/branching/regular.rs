//! Regular modalities as positions: the automaton of `R`, built from its end (Thompson 1968, with what follows as a continuation).
//!
//! `<R> p` is entered at the result of [`Builder::enter`] with `p` as the continuation. A step is one position that moves; a
//! choice branches without moving; a star is one least fixpoint between its body and what follows. So there are as many positions
//! as `R` has operators, however they are nested. For `[R] p` everything is the other way round, which the caller's
//! [`Polarity`] says.
//!
//! `<R> @` demands that each round makes a step, or `<a*> @` would hold by doing nothing. So `R` is entered by a second copy in which
//! nothing has happened yet: its steps lead into the first copy, and its end is a dead end.

use super::ast::{Fixpoint, MuFormulas, RegularId, RegularNode};
use super::lower::{Core, Cores, Op};

/// Whether a modality is `<R>` or `[R]`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Polarity {
    Some,
    All,
}

enum Task {
    Enter(RegularId),
    Push(u32),
    /// Joins what is on top of the stack, this many, as alternatives.
    Join(usize),
    /// Ends a star: the loop, and what follows it.
    Star(u32, u32),
    /// The same where the body comes first.
    Plus(u32, u32),
}

/// Makes the positions of one modality.
pub(super) struct Builder<'a> {
    pub(super) formulas: &'a MuFormulas,
    pub(super) cores: &'a mut Cores,
    pub(super) polarity: Polarity,
    /// That of its loops.
    pub(super) rank: u32,
}

impl Builder<'_> {
    /// The position from which `regular` leads to `next`.
    pub(super) fn enter(&mut self, regular: RegularId, next: u32) -> u32 {
        self.build(regular, next, &mut |_, next| next)
    }

    /// The position of a run that follows `regular` again and again, or of its refutation.
    pub(super) fn forever(&mut self, regular: RegularId) -> u32 {
        let kind = match self.polarity {
            Polarity::Some => Fixpoint::Greatest,
            Polarity::All => Fixpoint::Least,
        };
        let again = self.cores.reserve(Some((kind, self.rank)));
        self.rank += 1;
        let mut moved = Vec::new();
        self.build(regular, again, &mut |step, next| {
            assert_eq!(step, moved.len(), "steps are met in order");
            moved.push(next);
            next
        });
        let dead_end = self.cores.constant(self.polarity == Polarity::All);
        let first = self.build(regular, dead_end, &mut |step, _| moved[step]);
        self.cores.nodes[again as usize].op = Op::Same(first);
        again
    }

    /// Builds; `after` says where the step with a number leads that would lead to the second.
    fn build(&mut self, regular: RegularId, next: u32, after: &mut dyn FnMut(usize, u32) -> u32) -> u32 {
        let kind = match self.polarity {
            Polarity::Some => Fixpoint::Least,
            Polarity::All => Fixpoint::Greatest,
        };
        let (mut values, mut tasks, mut steps) = (vec![next], vec![Task::Enter(regular)], 0);
        while let Some(task) = tasks.pop() {
            match task {
                Task::Push(value) => values.push(value),
                Task::Join(count) => {
                    let parts = values.split_off(values.len() - count);
                    values.push(self.either(parts));
                }
                Task::Star(star, next) => {
                    let body = values.pop().expect("the body was built");
                    self.cores.nodes[star as usize].op = self.either_op(vec![next, body]);
                    values.push(star);
                }
                Task::Plus(again, next) => {
                    let body = *values.last().expect("the body was built");
                    self.cores.nodes[again as usize].op = self.either_op(vec![next, body]);
                }
                Task::Enter(regular) => {
                    let next = values.pop().expect("there is something that follows");
                    match self.formulas.regular(regular) {
                        RegularNode::Nil => values.push(next),
                        RegularNode::Step(action) => {
                            let next = after(steps, next);
                            steps += 1;
                            let op = match self.polarity {
                                Polarity::Some => Op::Diamond(*action, next),
                                Polarity::All => Op::Square(*action, next),
                            };
                            values.push(self.cores.add(Core { op, fix: None, origin: None }));
                        }
                        RegularNode::Sequence(parts) => {
                            values.push(next);
                            tasks.extend(parts.iter().map(|&part| Task::Enter(part)));
                        }
                        RegularNode::Choice(parts) => {
                            tasks.push(Task::Join(parts.len()));
                            tasks.extend(
                                parts.iter().rev().flat_map(|&part| [Task::Enter(part), Task::Push(next)]),
                            );
                        }
                        RegularNode::Star(body) => {
                            let star = self.cores.reserve(Some((kind, self.rank)));
                            tasks.extend([Task::Star(star, next), Task::Enter(*body), Task::Push(star)]);
                        }
                        RegularNode::Plus(body) => {
                            let again = self.cores.reserve(Some((kind, self.rank)));
                            tasks.extend([Task::Plus(again, next), Task::Enter(*body), Task::Push(again)]);
                        }
                        RegularNode::Optional(body) => {
                            tasks.extend([Task::Join(2), Task::Enter(*body), Task::Push(next)]);
                            values.push(next);
                        }
                    }
                }
            }
        }
        values.pop().expect("the modality was built")
    }

    fn either_op(&self, parts: Vec<u32>) -> Op {
        match self.polarity {
            Polarity::Some => Op::Or(parts),
            Polarity::All => Op::And(parts),
        }
    }

    fn either(&mut self, parts: Vec<u32>) -> u32 {
        let op = self.either_op(parts);
        self.cores.add(Core { op, fix: None, origin: None })
    }
}
