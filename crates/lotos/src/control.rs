//! Whether control is static: whether the operators that are active in a state are bounded by the text.
//!
//! This is the condition under which CAESAR compiles a specification (Garavel, Sifakis 1990): no process calls itself, directly or through
//! others, from an operand of a parallel operator, from the left side of `>>` or from the left side of `[>`. What is called from the right sides takes
//! the place of what was there, and so does what is called after an action, within a choice, a guard or `let`. CAESAR also allows calls
//! within `hide`; here each of them would be one more `hide` around what follows, which terms in normal form drop and units do not.

use crate::code::{CodeId, CodeKind, Compiled, ProcessId};

/// Why a specification is not flattened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Growth {
    /// This call is made within an operator that stays, in a process that is called again by it.
    Call(CodeId),
    /// No parallel operator is ever active: there is one unit, and it is the whole.
    Sequential,
}

/// A call: who is called, where, and whether something stays around it.
struct CallSite {
    process: ProcessId,
    code: CodeId,
    within: bool,
}

/// What stands against flattening.
pub(crate) fn growth(spec: &Compiled) -> Option<Growth> {
    let mut calls: Vec<Vec<CallSite>> = Vec::new();
    let mut parallel = false;
    for process in &spec.processes {
        let mut sites = Vec::new();
        collect(spec, process.body, false, &mut sites, &mut parallel);
        calls.push(sites);
    }
    let reached = |from: usize| {
        let mut seen = vec![false; calls.len()];
        let mut todo = vec![from];
        while let Some(process) = todo.pop() {
            if !std::mem::replace(&mut seen[process], true) {
                todo.extend(calls[process].iter().map(|site| site.process as usize));
            }
        }
        seen
    };
    for (process, sites) in calls.iter().enumerate() {
        let grows = |site: &&CallSite| site.within && reached(site.process as usize)[process];
        if let Some(site) = sites.iter().find(grows) {
            return Some(Growth::Call(site.code));
        }
    }
    (!parallel).then_some(Growth::Sequential)
}

fn collect(spec: &Compiled, code: CodeId, within: bool, sites: &mut Vec<CallSite>, parallel: &mut bool) {
    let mut go = |code: CodeId, within: bool| collect(spec, code, within, sites, parallel);
    match &spec.codes[code as usize].kind {
        CodeKind::Stop | CodeKind::Exit(_) => {}
        CodeKind::Prefix { next, .. } | CodeKind::Guard(_, next) => go(*next, within),
        CodeKind::Let(_, next) | CodeKind::ChoiceValues(_, next) => go(*next, within),
        CodeKind::Hide(_, next) => go(*next, true),
        CodeKind::ChoiceGates(_, _, next) => go(*next, within),
        CodeKind::Choice(all) => all.iter().for_each(|&one| go(one, within)),
        CodeKind::Parallel(_, left, right) => {
            go(*left, true);
            go(*right, true);
            *parallel = true;
        }
        CodeKind::ParGates(_, among, _, body) => {
            go(*body, true);
            *parallel |= among.len() > 1;
        }
        CodeKind::Enable { left, right, .. } | CodeKind::Disable(left, right) => {
            go(*left, true);
            go(*right, within);
        }
        CodeKind::Call(process, ..) => sites.push(CallSite { process: *process, code, within }),
    }
}
