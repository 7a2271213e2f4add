//! Compositional minimisation: the components of a network are replaced by their quotients before the network is explored.
//!
//! A network of components with internal steps of their own has the product of their states, and most of these differ in nothing that can
//! be seen. If an equivalence is a *congruence* for the operators of networks (parallel composition, hiding, renaming), a component may be
//! replaced by an equivalent one, wherever it stands (Graf, Steffen, Lüttgen 1996). So each component is made, reduced, and put back; then
//! from the leaves of the tree of operators to its root, parts that were reduced are composed and reduced again, as long as that is small.
//!
//! # Which relations are congruences
//!
//! | relation | congruence | why, or a counterexample | components reduced by |
//! |---|---|---|---|
//! | strong | yes | pairs of related states of the operands are a bisimulation of the compositions; hiding and renaming act on labels alone | strong |
//! | simulation, ready-simulation | yes | the same with one side challenging; the labels that a composition offers are a function of those that its operands offer | strong |
//! | trace | yes | the traces of a composition are a function of those of its operands, internal steps counted | strong |
//! | branching, delay, weak | yes | internal steps never synchronise, so an answer `=> -a-> =>` of one operand is one of the composition; there is no choice operator, for which roots would matter | branching |
//! | divergence-branching | yes | as branching; an infinite internal run of a composition has one in an operand, or one that hiding has made of infinitely many steps, which are answered one by one | divergence-branching |
//! | safety, weak-simulation | yes | as weak, with one side challenging | branching |
//! | weak-trace | yes | as trace | branching |
//! | failures | yes | the stable failures model of CSP; a composition is stable if its operands are | divergence-branching |
//! | failures-divergences | yes | the failures-divergences model of CSP, of finite graphs | divergence-branching |
//! | tau-star-a | **no** | `a + tau.0` is equivalent to `a`, but `(a + tau.0) \|\|\| b` is not to `a \|\|\| b`: after `b` the first can be where nothing is possible, before any step that it must show | branching, which is finer and a congruence |
//!
//! Branching bisimulation is *not* used for failures: `tau*` without end is equivalent to a deadlock, one of which is stable.
//!
//! The last column holds bisimulations only, although weak simulation or traces would make some components smaller: their states have classes, so
//! that whatever is found in the small network can be followed in the network as written (`check/src/relation/lifted.rs`); traces can
//! also make a component exponentially larger. A campaign (`conformance networks`) compares random networks with those of their reduced components, by each
//! relation reduced by itself and by the one of the last column, and finds the counterexamples to tau-star-a.
//!
//! # Hiding inwards
//!
//! A label that meets no synchronisation on its way out and is hidden in the end is internal where it begins: hiding it there lets a
//! component become smaller before it is composed. So a label's way is followed outwards, through the operators and the rules of the command line.
//!
//! # What is not done
//!
//! The tree is composed as it is written, where n-ary operators are halved: neighbours meet first. Orders that look for the pair with
//! the most hidden labels (smart reduction: Crouzen, Lang 2011), interfaces that restrict a component to what its neighbours let it do, and components of networks within networks,
//! each of which counts as one component, would be the next steps. A component with faults stays as it is, and so does what does not fit.

use crate::frontend::Loaded;
use crate::generate::{Generated, generate_each};
use crate::labels;
use elnath_check::relation::lifted::finer_bisimulation;
use elnath_kernel::relation::is_internal;
use elnath_kernel::{Budget, Limit, Relation, System};
use elnath_lts::quotient::{self, Failure};
use elnath_lts::{Lts, Taus};
use elnath_net::{Component, Composition, INTERNAL, Network, Rules, Together};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// A network that was read, and what becomes of its labels outside.
#[derive(Clone)]
pub struct NetworkParts {
    /// The network.
    pub network: Arc<Network>,
    /// What becomes of its labels.
    pub rules: Option<Arc<Rules>>,
}

impl Loaded {
    /// The network, if it is one, for those who may minimise its components.
    pub fn parts(&self) -> Option<NetworkParts> {
        let network = Arc::clone(self.network.as_ref()?);
        Some(NetworkParts { network, rules: self.rules.clone() })
    }
}

/// A component, or some that were composed, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinimisedPart {
    /// The components in it.
    pub names: Vec<String>,
    /// Its states, where it is composed those of the composition of minimised components.
    pub before: u64,
    /// The states of its quotient.
    pub after: u64,
}

/// What was made of the components of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinimisedParts {
    /// The relation by which they were minimised.
    pub relation: Relation,
    /// What was minimised, in the order in which it was.
    pub parts: Vec<MinimisedPart>,
    /// The components of the network as written, and those of the small one.
    pub components: [usize; 2],
}

/// A network whose components are minimised.
pub struct Minimised {
    /// It, with the labels that the rules make.
    pub system: Arc<dyn System>,
    /// What was minimised.
    pub told: MinimisedParts,
    /// Bytes that it occupies beside the network as written.
    pub bytes: usize,
    original: Arc<Network>,
    small: Arc<Network>,
    leaves: Vec<Leaf>,
}

/// Minimises what is not too large; none if that makes nothing smaller.
///
/// # Errors
/// That time is up, or that the caller wants no more. What does not fit into the memory stays as it is.
pub fn minimised(
    parts: &NetworkParts,
    relation: Relation,
    internal: &dyn Fn(&str) -> bool,
    budget: &mut Budget<'_>,
) -> Result<Option<Minimised>, Limit> {
    let NetworkParts { network, rules } = parts;
    let relation = finer_bisimulation(relation);
    let mut maker = Maker {
        network,
        relation,
        internal,
        made: HashMap::new(),
        blocks: HashMap::new(),
        parts: Vec::new(),
        taken: 0,
        budget,
    };
    let mut outside: Vec<Outside> = rules.iter().cloned().map(Outside::Relabelled).collect();
    let piece = maker.piece(&network.composition(), &mut outside)?;
    let Maker { parts, taken, .. } = maker;
    if parts.iter().all(|part| part.after == part.before) {
        return Ok(None);
    }
    let mut leaves = Vec::new();
    let composition = piece.flattened(&mut leaves);
    let components = leaves.iter().map(|leaf| leaf.component(network)).collect();
    let small = Arc::new(Network::new(components, composition));
    let system = labels::relabelled(Arc::clone(&small) as Arc<dyn System>, rules.as_ref(), false);
    let components = [network.components().len(), leaves.len()];
    let told = MinimisedParts { relation, parts, components };
    Ok(Some(Minimised { system, told, bytes: taken, original: Arc::clone(network), small, leaves }))
}

impl Minimised {
    /// Writes the state of the small network that stands for a state of the network as written.
    pub fn class(&self, state: &[u8], out: &mut Vec<u8>) {
        let states = self.original.component_states(state);
        let small: Vec<Vec<u8>> = self.leaves.iter().map(|leaf| leaf.state(&states)).collect();
        self.small.state_of(&small, out);
    }
}

/// Components and compositions with more states stay as they are: to find that out must not take longer than to do without.
const MOST_STATES: u64 = 100_000;

/// A quotient, and the class of each state that it was made of.
struct Block {
    lts: Arc<Lts>,
    classes: HashMap<Box<[u8]>, u32>,
}

/// What stands where a component of the small network will be.
#[derive(Clone)]
enum Leaf {
    /// A component, as it is.
    Kept(usize),
    /// The quotient of a component.
    One(usize, Arc<Block>),
    /// The quotient of a composition of quotients.
    Several(Vec<Leaf>, Arc<Block>),
}

impl Leaf {
    fn block(&self) -> Option<&Arc<Block>> {
        match self {
            Leaf::Kept(_) => None,
            Leaf::One(_, block) | Leaf::Several(_, block) => Some(block),
        }
    }

    fn component(&self, network: &Network) -> Component {
        let names = self.names(network).join(", ");
        match self {
            Leaf::Kept(at) => {
                let Component { name, system, length } = &network.components()[*at];
                Component { name: name.clone(), system: Arc::clone(system), length: *length }
            }
            Leaf::One(_, block) | Leaf::Several(_, block) => {
                let system = Arc::clone(&block.lts) as Arc<dyn System>;
                Component { name: names, system, length: Some(size_of::<u32>()) }
            }
        }
    }

    fn names(&self, network: &Network) -> Vec<String> {
        match self {
            Leaf::Kept(at) | Leaf::One(at, _) => vec![network.components()[*at].name.clone()],
            Leaf::Several(inner, _) => inner.iter().flat_map(|leaf| leaf.names(network)).collect(),
        }
    }

    /// Its state, where the components of the network as written are in these.
    fn state(&self, states: &[&[u8]]) -> Vec<u8> {
        let (key, block) = match self {
            Leaf::Kept(at) => return states[*at].to_vec(),
            Leaf::One(at, block) => (states[*at].to_vec(), block),
            Leaf::Several(inner, block) => {
                (inner.iter().flat_map(|leaf| leaf.state(states)).collect(), block)
            }
        };
        block.classes[&*key].to_le_bytes().to_vec()
    }
}

/// A part of the small network in the making.
enum Piece {
    Leaf(Leaf),
    Parallel(Box<Piece>, Box<Piece>, Arc<Together>),
    Relabelled(Box<Piece>, Arc<Rules>),
}

impl Piece {
    /// The same as a composition of leaves, which are appended.
    fn flattened(&self, leaves: &mut Vec<Leaf>) -> Composition {
        match self {
            Piece::Leaf(leaf) => {
                leaves.push(leaf.clone());
                Composition::Component(leaves.len() - 1)
            }
            Piece::Parallel(left, right, together) => {
                let (left, right) = (left.flattened(leaves), right.flattened(leaves));
                Composition::Parallel(Box::new(left), Box::new(right), Arc::clone(together))
            }
            Piece::Relabelled(inner, rules) => {
                Composition::Relabelled(Box::new(inner.flattened(leaves)), Arc::clone(rules))
            }
        }
    }
}

/// What a label meets on its way out.
enum Outside {
    Parallel(Arc<Together>),
    Relabelled(Arc<Rules>),
}

/// A graph that was generated, with the bytes of its states.
struct Made {
    lts: Lts,
    states: Vec<Box<[u8]>>,
}

/// A system, by its address, and which of its labels are hidden.
type Hidden = (*const (), Vec<bool>);

struct Maker<'a, 'b> {
    network: &'a Network,
    relation: Relation,
    internal: &'a dyn Fn(&str) -> bool,
    /// By the address of a component's system: its graph, if it is not too large. One model may be many components.
    made: HashMap<*const (), Option<Arc<Made>>>,
    blocks: HashMap<Hidden, Option<Arc<Block>>>,
    parts: Vec<MinimisedPart>,
    taken: usize,
    budget: &'a mut Budget<'b>,
}

impl Maker<'_, '_> {
    fn piece(&mut self, composition: &Composition, outside: &mut Vec<Outside>) -> Result<Piece, Limit> {
        let piece = match composition {
            Composition::Component(at) => return Ok(Piece::Leaf(self.component(*at, outside)?)),
            Composition::Parallel(left, right, together) => {
                outside.push(Outside::Parallel(Arc::clone(together)));
                let left = self.piece(left, outside)?;
                let right = self.piece(right, outside)?;
                outside.pop();
                Piece::Parallel(Box::new(left), Box::new(right), Arc::clone(together))
            }
            Composition::Relabelled(inner, rules) => {
                outside.push(Outside::Relabelled(Arc::clone(rules)));
                let inner = self.piece(inner, outside)?;
                outside.pop();
                Piece::Relabelled(Box::new(inner), Arc::clone(rules))
            }
        };
        self.composed(piece, outside)
    }

    fn component(&mut self, at: usize, outside: &[Outside]) -> Result<Leaf, Limit> {
        let component = &self.network.components()[at];
        let address = Arc::as_ptr(&component.system).cast::<()>();
        if !self.made.contains_key(&address) {
            let made = self.generated(&*component.system)?.map(Arc::new);
            self.made.insert(address, made);
        }
        let Some(made) = self.made[&address].clone() else { return Ok(Leaf::Kept(at)) };
        let hidden: Vec<bool> =
            made.lts.labels().iter().map(|label| self.is_hidden(label, outside)).collect();
        let key = (address, hidden);
        if !self.blocks.contains_key(&key) {
            let block = self.block(&made, outside)?;
            self.blocks.insert(key.clone(), block);
        }
        let Some(block) = self.blocks[&key].clone() else { return Ok(Leaf::Kept(at)) };
        self.tell(vec![component.name.clone()], &made, &block);
        Ok(Leaf::One(at, block))
    }

    /// A part whose leaves are all quotients is composed and reduced, if that is small and makes it smaller.
    fn composed(&mut self, piece: Piece, outside: &[Outside]) -> Result<Piece, Limit> {
        let mut leaves = Vec::new();
        let composition = piece.flattened(&mut leaves);
        if leaves.iter().any(|leaf| leaf.block().is_none()) {
            return Ok(piece);
        }
        let components = leaves.iter().map(|leaf| leaf.component(self.network)).collect();
        let network = Network::new(components, composition);
        let Some(made) = self.generated(&network)? else { return Ok(piece) };
        let Some(block) = self.block(&made, outside)? else { return Ok(piece) };
        if leaves.len() > 1 && block.lts.num_states() == made.states.len() {
            return Ok(piece);
        }
        let unchanged = leaves.len() == 1 && block.lts.num_states() == made.states.len();
        let leaf = Leaf::Several(leaves, Arc::clone(&block));
        if !unchanged {
            self.tell(leaf.names(self.network), &made, &block);
        }
        Ok(Piece::Leaf(leaf))
    }

    fn tell(&mut self, names: Vec<String>, made: &Made, block: &Block) {
        let (before, after) = (made.states.len() as u64, block.lts.num_states() as u64);
        self.parts.push(MinimisedPart { names, before, after });
    }

    /// The graph of a system, if it fits and has no faults.
    fn generated(&mut self, system: &dyn System) -> Result<Option<Made>, Limit> {
        let mut states: Vec<Box<[u8]>> = Vec::new();
        let mut budget = rest_of(self.budget, self.taken);
        budget.states = MOST_STATES;
        let generated = generate_each(system, Taus::default(), &mut budget, &mut |state: &[u8]| {
            states.push(state.into());
        });
        match generated {
            Ok(Generated { lts, faults: 0 }) => Ok(Some(Made { lts, states })),
            Ok(_) | Err((Limit::Memory | Limit::States, _)) => Ok(None),
            Err((limit, _)) => Err(limit),
        }
    }

    /// The quotient of a graph, with what is hidden outside hidden already; none if it does not fit.
    fn block(&mut self, made: &Made, outside: &[Outside]) -> Result<Option<Arc<Block>>, Limit> {
        let mut lts = made.lts.clone();
        let new =
            |label: &str| if self.is_hidden(label, outside) { INTERNAL.to_owned() } else { label.to_owned() };
        lts.relabel(new, &Taus::default());
        match quotient::reduce(&lts, self.relation, &mut rest_of(self.budget, self.taken)) {
            Ok(quotient) => {
                let classes = quotient.classes.expect("bisimulations have classes");
                let classes = made.states.iter().cloned().zip(classes).collect();
                let block = Arc::new(Block { lts: Arc::new(quotient.lts), classes });
                self.taken += bytes_of(&block);
                Ok(Some(block))
            }
            Err(Failure::Stopped { limit: Limit::Memory, .. } | Failure::NotOffered(_)) => Ok(None),
            Err(Failure::Stopped { limit, .. }) => Err(limit),
        }
    }

    /// Whether a label is hidden in the end, and nobody synchronises on it before.
    fn is_hidden(&self, label: &str, outside: &[Outside]) -> bool {
        let mut label = Cow::Borrowed(label);
        for next in outside.iter().rev() {
            if is_internal(&label) {
                return true;
            }
            match next {
                Outside::Parallel(together) if together.includes(&label) => return false,
                Outside::Parallel(_) => {}
                Outside::Relabelled(rules) => label = Cow::Owned(rules.apply(&label).into_owned()),
            }
        }
        (self.internal)(&label)
    }
}

fn bytes_of(block: &Block) -> usize {
    let states: usize = block.classes.keys().map(|state| state.len() + 48).sum();
    block.lts.bytes() + states
}

/// Half of what is left of a budget when so many bytes are taken: what a graph took is free again when its quotient is there.
fn rest_of<'b>(budget: &'b mut Budget<'_>, taken: usize) -> Budget<'b> {
    let memory = budget.memory.saturating_sub(taken) / 2;
    Budget { memory, depth: budget.depth, states: u64::MAX, disk: None, watch: &mut *budget.watch }
}
