//! What expressions mean to the naive interpreter: looking at a state, which changes nothing.

use super::{Naive, NaiveChannel, NaiveProcess, NaiveState, Who};
use elnath_program::interpreter::Cause;
use elnath_program::ir::{
    Binary, Capacity, ChannelQuery, Expr, Lvalue, Pattern, ProcessId, Type, Variable, VariableRef,
};

impl Naive<'_> {
    pub(super) fn element(
        &self,
        state: &NaiveState,
        who: Who,
        variable: &Variable,
        indices: &[Expr],
    ) -> Result<usize, Cause> {
        let mut element = 0;
        for (index, length) in indices.iter().zip(&variable.dims) {
            let index = self.eval(state, who, index)?;
            if !(0..i64::from(*length)).contains(&i64::from(index)) {
                return Err(Cause::Index);
            }
            element = element * *length as usize + index as usize;
        }
        Ok(element)
    }

    pub(super) fn channel<'s>(
        &self,
        state: &'s NaiveState,
        who: Who,
        expr: &Expr,
    ) -> Result<&'s NaiveChannel, Cause> {
        let number = self.eval(state, who, expr)?;
        let mut all =
            state.channels.iter().chain(state.processes.iter().flat_map(|process| &process.channels));
        if number < 1 { None } else { all.nth(number as usize - 1) }.ok_or(Cause::NoChannel)
    }

    pub(super) fn message(
        &self,
        state: &NaiveState,
        who: Who,
        kind: usize,
        fields: &[Expr],
    ) -> Result<Vec<i32>, Cause> {
        let types: &[Type] = &self.0.channels[kind].fields;
        if fields.len() > types.len() {
            return Err(Cause::Arity);
        }
        let mut message = vec![0; types.len()];
        for (index, field) in fields.iter().enumerate() {
            message[index] = types[index].store(self.eval(state, who, field)?).ok_or(Cause::Range)?;
        }
        Ok(message)
    }

    /// Which message matches.
    pub(super) fn position(
        &self,
        state: &NaiveState,
        who: Who,
        channel: &NaiveChannel,
        patterns: &[Pattern],
        random: bool,
    ) -> Result<Option<usize>, Cause> {
        let too_many = patterns.len() > self.0.channels[channel.kind].fields.len();
        let candidates = channel.messages.iter().take(if random { usize::MAX } else { 1 });
        for (index, message) in candidates.enumerate() {
            let mut matches = true;
            for (pattern, value) in patterns.iter().zip(message) {
                if let Pattern::Match(expr) = pattern
                    && self.eval(state, who, expr)? != *value
                {
                    matches = false;
                }
            }
            if matches && too_many {
                return Err(Cause::Arity);
            }
            if matches {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    pub(super) fn existing(&self, state: &NaiveState, who: Who, pid: &Expr) -> Result<Option<usize>, Cause> {
        let pid = self.eval(state, who, pid)?;
        Ok(if pid >= 0 && (pid as usize) < state.processes.len() { Some(pid as usize) } else { None })
    }

    pub(super) fn remote(
        &self,
        state: &NaiveState,
        who: Who,
        process: ProcessId,
        pid: Option<&Expr>,
    ) -> Result<Option<usize>, Cause> {
        let is_kind = |pid: &usize| state.processes[*pid].kind == process.index();
        match pid {
            Some(pid) => Ok(self.existing(state, who, pid)?.filter(is_kind)),
            None => Ok((0..state.processes.len()).find(is_kind)),
        }
    }

    pub(super) fn eval(&self, state: &NaiveState, who: Who, expr: &Expr) -> Result<i32, Cause> {
        let truth = i32::from;
        Ok(match expr {
            Expr::Const(value) => *value,
            Expr::Load(Lvalue { variable: VariableRef::Global(index), indices }) => {
                let element = self.element(state, who, &self.0.globals[*index as usize], indices)?;
                state.globals[*index as usize][element]
            }
            Expr::Load(Lvalue { variable: VariableRef::Local(index), indices }) => {
                let variable = &self.kind(state, who.pid).locals[*index as usize];
                let element = self.element(state, who, variable, indices)?;
                state.processes[who.pid].locals[*index as usize][element]
            }
            Expr::Unary(operator, a) => operator.apply(self.eval(state, who, a)?),
            Expr::Binary(operator, ab) => {
                let a = self.eval(state, who, &ab[0])?;
                match (operator, a) {
                    (Binary::And, 0) => return Ok(0),
                    (Binary::Or, a) if a != 0 => return Ok(1),
                    _ => {}
                }
                operator.apply(a, self.eval(state, who, &ab[1])?).ok_or(Cause::DivisionByZero)?
            }
            Expr::Cond(parts) if self.eval(state, who, &parts[0])? != 0 => {
                self.eval(state, who, &parts[1])?
            }
            Expr::Cond(parts) => self.eval(state, who, &parts[2])?,
            Expr::Pid => who.pid as i32,
            Expr::ProcessCount => state.processes.len() as i32,
            Expr::Last => state.last,
            Expr::Timeout => truth(who.timeout),
            Expr::Channel(query, channel) => {
                let channel = self.channel(state, who, channel)?;
                let length = channel.messages.len();
                let full = match self.0.channels[channel.kind].capacity {
                    Capacity::Bounded(most) => length >= most as usize,
                    Capacity::Rendezvous | Capacity::Unbounded => false,
                };
                match query {
                    ChannelQuery::Len => length as i32,
                    ChannelQuery::Empty => truth(length == 0),
                    ChannelQuery::NotEmpty => truth(length != 0),
                    ChannelQuery::Full => truth(full),
                    ChannelQuery::NotFull => truth(!full),
                }
            }
            Expr::Poll { channel, patterns, random, ahead } => {
                let channel = self.channel(state, who, channel)?;
                if self.0.channels[channel.kind].capacity == Capacity::Rendezvous {
                    return Err(Cause::PollRendezvous);
                }
                let messages = channel.messages.iter().skip(*ahead as usize).cloned().collect();
                let rest = NaiveChannel { messages, ..channel.clone() };
                truth(self.position(state, who, &rest, patterns, *random)?.is_some())
            }
            Expr::Remote { process, pid, variable, indices } => {
                let Some(pid) = self.remote(state, who, *process, pid.as_deref())? else { return Ok(0) };
                let local = &self.0.processes[process.index()].locals[*variable as usize];
                let element = self.element(state, who, local, indices)?;
                state.processes[pid].locals[*variable as usize][element]
            }
            Expr::At { process, pid, locations } => {
                let Some(pid) = self.remote(state, who, *process, pid.as_deref())? else { return Ok(0) };
                truth(locations.contains(&state.processes[pid].location))
            }
            Expr::Location(pid) => match self.existing(state, who, pid)? {
                Some(pid) => state.processes[pid].location.0 as i32,
                None => 0,
            },
            Expr::Enabled(pid) => match self.existing(state, who, pid)? {
                Some(pid) if !who.asking => {
                    truth(!self.ways(state, Who { pid, asking: true, ..who }).is_empty())
                }
                _ => 0,
            },
            Expr::NonProgress => {
                let progress = |process: &NaiveProcess| {
                    self.0.processes[process.kind].locations[process.location.index()].progress
                };
                truth(!state.processes.iter().any(progress))
            }
            Expr::Priority(pid) => match self.existing(state, who, pid)? {
                Some(pid) => state.processes[pid].priority,
                None => 0,
            },
        })
    }
}
