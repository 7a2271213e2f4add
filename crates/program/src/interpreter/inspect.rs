//! A state taken apart, for those who explain what is wrong with it.

use super::{Cause, Interpreter};
use crate::ir::{Expr, Loc};
use crate::layout::{Tables, read_length, read_scalar};

impl Interpreter {
    /// The value of an expression over globals.
    ///
    /// # Errors
    /// Why it has none.
    pub fn evaluate(&self, state: &[u8], expr: &Expr) -> Result<i32, Cause> {
        let mut tables = Tables::default();
        tables.read(&self.layout, state);
        self.view(state, &tables, usize::MAX, false).eval(expr)
    }

    /// Where each process is, by its number.
    pub fn locations(&self, state: &[u8]) -> Vec<Loc> {
        let mut tables = Tables::default();
        tables.read(&self.layout, state);
        (0..tables.processes.len()).map(|pid| self.view(state, &tables, pid, false).location(pid)).collect()
    }

    /// The messages of each channel, by its number less one: those that come first first.
    pub fn contents(&self, state: &[u8]) -> Vec<Vec<Vec<i32>>> {
        let mut tables = Tables::default();
        tables.read(&self.layout, state);
        let channel = |&(at, kind): &(u32, crate::ir::ChannelId)| {
            let block = self.layout.block(kind);
            let fields = &self.program.channels[kind.index()].fields;
            let message = |number: usize| {
                let mut at = at as usize + block.header + number * block.message;
                let field = |ty: &crate::ir::Type| {
                    let value = read_scalar(state, at, *ty);
                    at += ty.size() as usize;
                    value
                };
                fields.iter().map(field).collect()
            };
            let length = if block.capacity == Some(0) { 0 } else { read_length(state, at as usize, block) };
            (0..length).map(message).collect()
        };
        tables.channels.iter().map(channel).collect()
    }
}
