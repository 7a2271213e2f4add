//! A program to machine code: one small function per location, so that compiling takes time in proportion to the
//! program.

#![allow(unsafe_code)]

use crate::facts::Facts;
use crate::joint::{self, GateCommand};
use crate::runtime::{self, ChannelEntry, Code, InitCode, Kind, MOST_VALUES, Receiver, Tables, Template};
use crate::translate::{Helpers, Translator};
use cranelift_codegen::ir::{AbiParam, FuncRef, Function, Signature, Type as ClType, UserFuncName, types};
use cranelift_codegen::settings::{self, Configurable as _};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module as _};
use elnath_program::Interpreter;
use elnath_program::analysis::{Observation, created, meets, observes};
use elnath_program::ir::{
    self, Capacity, Command, CommandId, Effect, Expr, Guard, Init, Loc, Pattern, ProcessId, ProcessType,
    Program, Type, VariableRef, Vector,
};
use elnath_program::layout::{LOCATION, Width};

/// Machine code, and what it needs to be called. The code stays where it is until this is dropped.
pub(crate) struct Machine {
    module: Option<JITModule>,
    pub(crate) tables: Tables,
    /// The code that tells which propositions hold, if machine code can tell: instead of moves, their bits.
    pub(crate) propositions: Option<Code>,
    /// The code holds addresses into it.
    _facts: Facts,
}

// SAFETY: once it is made, the module is only kept to be freed; the code does not change, and the tables are plain data
// and pointers to it.
unsafe impl Send for Machine {}
// SAFETY: see above; nothing is changed through a shared reference.
unsafe impl Sync for Machine {}

impl Drop for Machine {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: all walkers borrow the system that owns this, so nobody executes the code any more.
            unsafe { module.free_memory() };
        }
    }
}

/// Why a program is not compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotCompiled {
    /// Processes have priorities.
    Priorities,
    /// A channel has no bound.
    UnboundedChannels,
    /// Cranelift has no code for this kind of processor, or failed.
    Processor,
}

impl NotCompiled {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            NotCompiled::Priorities => "the model uses priorities",
            NotCompiled::UnboundedChannels => "the model has channels without bound",
            NotCompiled::Processor => "there is no compiler for this processor",
        }
    }
}

/// Why a program cannot be compiled, as far as can be told without trying.
pub(crate) fn obstacle(system: &Interpreter) -> Option<NotCompiled> {
    let program = system.program();
    if program.has_priorities {
        return Some(NotCompiled::Priorities);
    }
    if program.channels.iter().any(|channel| channel.capacity == Capacity::Unbounded) {
        return Some(NotCompiled::UnboundedChannels);
    }
    cranelift_native::builder().is_err().then_some(NotCompiled::Processor)
}

pub(crate) fn compile(system: &Interpreter) -> Result<Machine, NotCompiled> {
    if let Some(obstacle) = obstacle(system) {
        return Err(obstacle);
    }
    let program = system.program();
    let facts = Facts::new(system);
    let compiler = Compiler::new(system, &facts).ok_or(NotCompiled::Processor)?;
    let (module, kinds, propositions) = compiler.run().map_err(|Failed| NotCompiled::Processor)?;
    let initial = system.initial_state();
    let hidden = system.hidden().iter().map(|range| (range.start, initial[range.clone()].to_vec()));
    let commands = program.processes.iter().flat_map(|process| &process.commands);
    let count_tells_kinds = commands.flat_map(created).next().is_none();
    let others = |vector: &Vector| {
        vector.members[1..].iter().map(|(kind, gate)| (kind.0, gate.0)).collect::<Vec<(u32, u32)>>()
    };
    let values = |ty: &Type| ty.values(program).unwrap_or_default();
    let domains = program.gates.iter().map(|gate| gate.offers.iter().map(values).collect());
    let numbers = |kind: usize| {
        let all = program.initial.iter().enumerate().rev();
        all.filter(|(_, initial)| initial.index() == kind).map(|(pid, _)| pid).collect()
    };
    let tables = Tables {
        kinds,
        count_at: facts.count_at,
        count_tells_kinds,
        hidden: hidden.collect(),
        last: system.layout().last,
        vectors: program.vectors.iter().map(others).collect(),
        domains: domains.collect(),
        numbers: count_tells_kinds.then(|| (0..program.processes.len()).map(numbers).collect()),
    };
    Ok(Machine { module: Some(module), tables, propositions, _facts: facts })
}

struct Compiler<'a> {
    system: &'a Interpreter,
    facts: &'a Facts,
    module: JITModule,
    imports: Vec<FuncId>,
    location: Signature,
    init: Signature,
}

/// The functions made for a kind of process.
struct Made {
    locations: Vec<Option<FuncId>>,
    receivers: Vec<Option<FuncId>>,
    init: Option<FuncId>,
    gates: Vec<Option<MadeAtGate>>,
}

/// The functions made for a command at a gate.
struct MadeAtGate {
    offer: Option<FuncId>,
    take: Option<FuncId>,
    when: Option<FuncId>,
    effects: Option<FuncId>,
}

/// Cranelift could not do it, which happens only where it has a gap: nobody wants to know the details.
struct Failed;

const WORD: ClType = types::I64;

/// The functions that machine code calls: name, address, parameters, whether it returns something.
fn helpers() -> [(&'static str, *const u8, usize, bool); 10] {
    [
        ("copy", runtime::copy as *const u8, 4, true),
        ("successor", runtime::successor as *const u8, 4, true),
        ("commit", runtime::commit as *const u8, 3, false),
        ("chain", runtime::chain as *const u8, 4, false),
        ("rendezvous", runtime::rendezvous as *const u8, 5, true),
        ("create", runtime::create as *const u8, 4, true),
        ("sorted_position", runtime::sorted_position as *const u8, 4, true),
        ("shift", runtime::shift as *const u8, 3, false),
        ("first_of", runtime::first_of as *const u8, 3, true),
        ("meet", joint::meet as *const u8, 6, true),
    ]
}

impl<'a> Compiler<'a> {
    fn new(system: &'a Interpreter, facts: &'a Facts) -> Option<Self> {
        let mut flags = settings::builder();
        for (name, value) in [
            ("opt_level", "speed"),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
            ("enable_probestack", "false"),
            ("unwind_info", "false"),
        ] {
            flags.set(name, value).ok()?;
        }
        let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
        if isa.pointer_type() != WORD {
            return None;
        }
        let mut builder = JITBuilder::with_isa(isa, cranelift_module::default_libcall_names());
        for (name, address, ..) in helpers() {
            builder.symbol(name, address);
        }
        let mut module = JITModule::new(builder);
        let signature = |module: &JITModule, parameters: usize, returns: bool| {
            let mut signature = module.make_signature();
            signature.params.extend(std::iter::repeat_n(AbiParam::new(WORD), parameters));
            signature.returns.extend(returns.then_some(AbiParam::new(WORD)));
            signature
        };
        let mut imports = Vec::new();
        for (name, _, parameters, returns) in helpers() {
            let signature = signature(&module, parameters, returns);
            imports.push(module.declare_function(name, Linkage::Import, &signature).ok()?);
        }
        let location = signature(&module, 5, true);
        let init = signature(&module, 4, false);
        Some(Self { system, facts, module, imports, location, init })
    }

    fn run(mut self) -> Result<(JITModule, Vec<Kind>, Option<Code>), Failed> {
        let processes = 0..self.system.program().processes.len() as u32;
        let made =
            processes.map(|process| self.process(ProcessId(process))).collect::<Result<Vec<Made>, _>>()?;
        let propositions = self.propositions()?;
        self.module.finalize_definitions().map_err(|_| Failed)?;
        let kinds = made.iter().enumerate().map(|(index, made)| self.kind(index, made)).collect();
        let propositions = self.code(propositions);
        Ok((self.module, kinds, propositions))
    }

    /// The function that tells which propositions hold. It looks at the state from outside all processes, but has the
    /// parameters of the others, so that there is one kind.
    fn propositions(&mut self) -> Result<Option<FuncId>, Failed> {
        let program = self.system.program();
        let left_to_interpreter = |observation: Observation<'_>| {
            matches!(observation, Observation::Process(_) | Observation::NonProgress)
        };
        let mut compiled = !program.propositions.is_empty() && !program.processes.is_empty();
        for (_, expr) in &program.propositions {
            compiled &= !observes(expr, left_to_interpreter);
        }
        if !compiled {
            return Ok(None);
        }
        let emit = |translator: &mut Translator<'_, '_>, given| translator.propositions(given);
        self.location(ProcessId(0), emit).map(Some)
    }

    fn process(&mut self, process: ProcessId) -> Result<Made, Failed> {
        let system = self.system;
        let program = system.program();
        let kind = &program.processes[process.index()];
        let inner = inner_locations(program, process);
        let (mut locations, mut receivers) = (Vec::new(), Vec::new());
        for (index, &inner) in inner.iter().enumerate() {
            let at = Loc(index as u32);
            let rests = !inner;
            // Where a process only waits to be met nothing is called: in models of processes that wait most of the time
            // those calls were a tenth of all instructions.
            let mut commands = kind.leaving(at).map(|(_, command)| command);
            let waits = |command| {
                self.facts.only_meets(program, command)
                    || self.facts.only_takes_part(program, process, command)
            };
            let moves = rests && !commands.all(waits);
            let meets =
                rests && kind.leaving(at).any(|(_, command)| self.facts.may_meet(program, kind, command));
            locations.push(match moves {
                true => Some(self.location(process, |translator, given| translator.location(given, at))?),
                false => None,
            });
            receivers.push(match meets {
                true => Some(self.location(process, |translator, given| translator.receiver(given, at))?),
                false => None,
            });
        }
        let init = match needs_code(kind) {
            true => Some(self.init(process)?),
            false => None,
        };
        let mut gates = Vec::new();
        for command in &kind.commands {
            gates.push(self.at_gate(process, command)?);
        }
        Ok(Made { locations, receivers, init, gates })
    }

    /// The functions of a command at a gate, where there is something to do.
    fn at_gate(&mut self, process: ProcessId, command: &Command) -> Result<Option<MadeAtGate>, Failed> {
        let ir::Sync::Gate { offers, when, .. } = &command.sync else { return Ok(None) };
        let provided = self.system.program().processes[process.index()].provided.is_some();
        let gives = offers.iter().any(|offer| matches!(offer, Pattern::Match(_)));
        let binds = offers.iter().any(|offer| matches!(offer, Pattern::Bind(_)));
        let asks = provided || gives || command.guard != Guard::Always || offers.len() > MOST_VALUES;
        let offer = match asks {
            true => Some(self.location(process, |translator, given| translator.takes_part(given, command))?),
            false => None,
        };
        let take = match binds {
            true => Some(self.location(process, |translator, given| translator.takes_values(given, offers))?),
            false => None,
        };
        let when = match when {
            Some(when) => {
                Some(self.location(process, |translator, given| translator.predicate(given, when))?)
            }
            None => None,
        };
        let effects = match &command.effects[..] {
            [] => None,
            effects => {
                Some(self.location(process, |translator, given| translator.joint_effects(given, effects))?)
            }
        };
        Ok(Some(MadeAtGate { offer, take, when, effects }))
    }

    fn location(
        &mut self,
        process: ProcessId,
        emit: impl FnOnce(&mut Translator<'_, '_>, crate::translate::Parameters),
    ) -> Result<FuncId, Failed> {
        let signature = self.location.clone();
        let (system, facts) = (self.system, self.facts);
        self.define(signature, |builder, helpers| {
            let (mut translator, given) = Translator::location_function(
                system.program(),
                system.layout(),
                facts,
                builder,
                helpers,
                process,
            );
            emit(&mut translator, given);
            translator.finish();
        })
    }

    fn init(&mut self, process: ProcessId) -> Result<FuncId, Failed> {
        let (system, facts) = (self.system, self.facts);
        self.define(self.init.clone(), |builder, helpers| {
            Translator::init_function(system.program(), system.layout(), facts, builder, helpers, process);
        })
    }

    fn define(
        &mut self,
        signature: Signature,
        emit: impl FnOnce(FunctionBuilder<'_>, Helpers),
    ) -> Result<FuncId, Failed> {
        let id = self.module.declare_anonymous_function(&signature).map_err(|_| Failed)?;
        let name = UserFuncName::user(0, id.as_u32());
        let mut context = self.module.make_context();
        context.func = Function::with_name_signature(name, signature);
        let mut scratch = FunctionBuilderContext::new();
        let mut refs = [FuncRef::from_u32(0); 10];
        for (reference, &import) in refs.iter_mut().zip(&self.imports) {
            *reference = self.module.declare_func_in_func(import, &mut context.func);
        }
        let [copy, successor, commit, chain, rendezvous, create, sorted_position, shift, first_of, meet] =
            refs;
        let helpers = Helpers {
            copy,
            successor,
            commit,
            chain,
            rendezvous,
            create,
            sorted_position,
            shift,
            first_of,
            meet,
        };
        emit(FunctionBuilder::new(&mut context.func, &mut scratch), helpers);
        self.module.define_function(id, &mut context).map_err(|_| Failed)?;
        Ok(id)
    }

    fn code(&self, id: Option<FuncId>) -> Option<Code> {
        id.map(|id| {
            let address = self.module.get_finalized_function(id);
            // SAFETY: the function was defined with the signature of `Code`.
            unsafe { std::mem::transmute::<*const u8, Code>(address) }
        })
    }

    fn kind(&self, index: usize, made: &Made) -> Kind {
        let code = |id: &Option<FuncId>| self.code(*id);
        let init = made.init.map(|id| {
            let address = self.module.get_finalized_function(id);
            // SAFETY: the function was defined with the signature of `InitCode`.
            unsafe { std::mem::transmute::<*const u8, InitCode>(address) }
        });
        let program = self.system.program();
        let receives = made.receivers.iter().any(Option::is_some);
        let receivers = made.receivers.iter().enumerate().map(|(at, id)| Receiver {
            code: self.code(*id),
            channels: self.facts.received_at(program, &program.processes[index], Loc(at as u32)),
        });
        let own = &program.processes[index];
        let at_gates = |at: usize| {
            let leaving = own.leaving(Loc(at as u32));
            leaving.filter(|(_, command)| meets(command)).map(|(id, _)| id.index()).collect()
        };
        let has_gates = own.commands.iter().any(meets);
        Kind {
            at_gates: (0..own.locations.len()).map(at_gates).filter(|_| has_gates).collect(),
            gates: (0..own.commands.len()).map(|id| self.gate_command(index, id, made)).collect(),
            wide: self.system.layout().frames[index].wide_location,
            locations: made.locations.iter().map(code).collect(),
            receivers: receivers.filter(|_| receives).collect(),
            template: self.template(index, init),
        }
    }

    /// What is needed of a command at a gate.
    fn gate_command(&self, kind: usize, id: usize, made: &Made) -> Option<GateCommand> {
        let program = self.system.program();
        let command = &program.processes[kind].commands[id];
        let (ir::Sync::Gate { gate, .. }, Some(made)) = (&command.sync, &made.gates[id]) else { return None };
        let process = ProcessId(kind as u32);
        let begins = |(_, vector): &(u32, &Vector)| vector.members.first() == Some(&(process, *gate));
        Some(GateCommand {
            gate: gate.0,
            number: self.system.command_number(process, CommandId(id as u32)),
            target: command.target.0,
            begins: (0..).zip(&program.vectors).filter(begins).map(|(number, _)| number).collect(),
            offer: self.code(made.offer),
            take: self.code(made.take),
            when: self.code(made.when),
            effects: self.code(made.effects),
        })
    }

    /// A new process of this kind.
    fn template(&self, index: usize, init: Option<InitCode>) -> Option<Template> {
        let layout = self.system.layout();
        let kind = &self.system.program().processes[index];
        let frame = &layout.frames[index];
        if reads_ahead(kind) || kind.parameters as usize > MOST_VALUES {
            return None;
        }
        let mut bytes = vec![0; frame.size];
        bytes[0] = index as u8;
        let width = if frame.wide_location { Width::Short } else { Width::Byte };
        width.write(&mut bytes, LOCATION, kind.entry.0 as i32);
        let mut channel_variables = Vec::new();
        for (variable, slot) in kind.locals.iter().zip(&frame.slots).skip(kind.parameters as usize) {
            for element in 0..variable.len() as usize {
                let at = slot.offset + element * slot.width.size();
                let value = match &variable.init {
                    Init::Channel(_) => {
                        channel_variables.push(at);
                        continue;
                    }
                    Init::Value(Expr::Const(value)) => *value,
                    Init::List(values) => match values.get(element) {
                        Some(Expr::Const(value)) => *value,
                        _ => continue,
                    },
                    Init::Zero | Init::Value(_) => continue,
                };
                slot.width.write(&mut bytes, at, slot.ty.store(value)?);
            }
        }
        let mut channels = Vec::new();
        for &kind in &frame.channels {
            if !self.system.program().channels[kind.index()].contents.is_empty() {
                return None;
            }
            channels.push(ChannelEntry { at: bytes.len() as u32, kind: kind.0 });
            bytes.resize(bytes.len() + layout.empty_size(kind), 0);
        }
        let parameters = frame.slots[..kind.parameters as usize].iter().map(|slot| (slot.offset, slot.ty));
        Some(Template { bytes, channel_variables, channels, parameters: parameters.collect(), init })
    }
}

/// The locations in which no process rests: those within deterministic sequences.
fn inner_locations(program: &Program, process: ProcessId) -> Vec<bool> {
    let kind = &program.processes[process.index()];
    let mut rests = vec![false; kind.locations.len()];
    let mut todo = vec![kind.entry];
    let commands = program.processes.iter().flat_map(|kind| &kind.commands);
    todo.extend(commands.flat_map(|command| &command.effects).filter_map(|effect| match effect {
        Effect::Place { process: put, at, .. } if *put == process => Some(*at),
        _ => None,
    }));
    while let Some(at) = todo.pop() {
        if !std::mem::replace(&mut rests[at.index()], true) {
            todo.extend(kind.leaving(at).map(|(_, command)| command.target));
        }
    }
    rests.into_iter().map(|rests| !rests).collect()
}

fn initial_values(kind: &ProcessType) -> impl Iterator<Item = (usize, &Expr)> {
    let own = kind.locals.iter().enumerate().skip(kind.parameters as usize);
    own.flat_map(|(index, variable)| {
        let exprs = match &variable.init {
            Init::Value(expr) => std::slice::from_ref(expr),
            Init::List(exprs) => exprs,
            Init::Zero | Init::Channel(_) => &[],
        };
        exprs.iter().map(move |expr| (index, expr))
    })
}

/// Whether some initial value is not a constant.
fn needs_code(kind: &ProcessType) -> bool {
    initial_values(kind).any(|(_, expr)| !matches!(expr, Expr::Const(_)))
}

/// Whether an initial value looks at a variable that has not yet got its own, or at things the context does not know of
/// yet. This happens in no sane model, and is left to the interpreter.
fn reads_ahead(kind: &ProcessType) -> bool {
    initial_values(kind).any(|(index, expr)| {
        observes(expr, |observation| match observation {
            Observation::Variable(lvalue) => {
                matches!(lvalue.variable, VariableRef::Local(local) if local as usize >= index)
            }
            Observation::Remote { .. }
            | Observation::Position { .. }
            | Observation::Messages { .. }
            | Observation::Length { .. } => true,
            _ => false,
        })
    })
}
