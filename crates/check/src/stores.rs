//! The stores, in one visible list: name, meaning, what they can do ([`Capability`]), parameters, and how a plan becomes a store.
//! One more store is a file in `kernel/src/store`, and here a row of [`STORES`] and a variant of [`StorePlan`] with the stores that are
//! made of it. Searches ask for a store that can do what they need, and name none.

use crate::capability::Capability;
use crate::choice::StoreChoice;
use crate::plan::SearchPlan;
use crate::scout::Portfolio;
use elnath_kernel::rng::Rng;
use elnath_kernel::store::{
    Bitstate, Compact, Exact, Lossy, Marks, Numbered, Pair, Replacement, Replacing, Sleeps, Store, TwoMarks,
    TwoRetained,
};

/// A kind of store.
#[derive(Debug)]
pub struct StoreKind {
    /// The name used in reports and on the command line.
    pub name: &'static str,
    /// What it does, on one line.
    pub meaning: &'static str,
    /// What it can do.
    pub can: &'static [Capability],
    /// What can be chosen about it.
    pub parameters: &'static [Parameter],
    /// What choosing it looks like.
    pub example: &'static str,
    /// Whether a complete walk is a proof.
    pub proves: bool,
    /// What was chosen, as a plan for this much memory, which was named or is what there is.
    pub(crate) plan: fn(&StoreChoice, usize, bool) -> Result<StorePlan, String>,
}

/// All stores, from the one that keeps most.
pub const STORES: &[StoreKind] = &[EXACT, TREE, REPLACING, COMPACT, BITSTATE];

const EXACT: StoreKind = StoreKind {
    name: "exact",
    meaning: "Every state, byte for byte",
    can: &[
        Capability::Path,
        Capability::Retention,
        Capability::Sharing,
        Capability::TwoMarks,
        Capability::SleepSets,
        Capability::Numbers,
    ],
    parameters: &[],
    example: "",
    proves: true,
    plan: |_, _, _| Ok(StorePlan::Exact),
};
const TREE: StoreKind = StoreKind {
    name: "tree",
    meaning: "Tree compression: every state, as a tree that shares its parts with others, 8 to 16 bytes each; breadth first only",
    can: &[Capability::Retention, Capability::Sharing, Capability::Disk],
    parameters: &[],
    example: "",
    proves: true,
    plan: |_, _, _| Ok(StorePlan::Tree),
};
const REPLACING: StoreKind = StoreKind {
    name: "replacing",
    meaning: "State-space caching: forgets visited states when full; still a proof when it finishes; depth first only",
    can: &[Capability::Path, Capability::TwoMarks, Capability::SleepSets],
    parameters: OF_REPLACING,
    example: "cache=500k,policy=lru",
    proves: true,
    plan: |chosen, _, _| {
        Ok(StorePlan::Replacing {
            replacement: replacement(chosen)?,
            most: chosen.number("cache", 1..=u64::MAX)?.map_or(usize::MAX, |most| most as usize),
            thrashing: chosen.number("thrashing", 1..=u64::MAX)?.unwrap_or(Replacing::THRASHING),
        })
    },
};
const COMPACT: StoreKind = StoreKind {
    name: "compact",
    meaning: "Hash compaction: a fingerprint of 40 to 64 bits per state; not a proof",
    can: &[Capability::Path, Capability::Retention, Capability::TwoMarks],
    parameters: OF_COMPACT,
    example: "fingerprint=48",
    proves: false,
    plan: |chosen, _, _| {
        let bits = chosen.number("fingerprint", 40..=64)?.map_or(64, |bits| bits as u32);
        Ok(StorePlan::Compact { bits })
    },
};
const BITSTATE: StoreKind = StoreKind {
    name: "bitstate",
    meaning: "Bitstate hashing: a few bits per state; not a proof",
    can: &[Capability::Path, Capability::Retention, Capability::TwoMarks],
    parameters: OF_BITSTATE,
    example: "hashes=3",
    proves: false,
    plan: |chosen, memory, named| {
        // A quarter is left to the path.
        let room = memory / 4 * 3;
        let k = chosen.number("hashes", 1..=64)?.map_or(Bitstate::DEFAULT_K, |k| k as u32);
        Ok(StorePlan::Bitstate { bytes: if named { room } else { USUAL_BITS.min(room) }, k })
    },
};

/// A parameter of a store.
#[derive(Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it is, and its default.
    pub meaning: &'static str,
}

/// The parameters of the replacing store.
pub(crate) const OF_REPLACING: &[Parameter] = &[
    Parameter { name: "cache", meaning: "most states kept [as many as the memory holds]" },
    Parameter {
        name: "policy",
        meaning: "which visited state is replaced: random, lru or stratified [random]",
    },
    Parameter { name: "strata", meaning: "stratified replacement spares every N-th level [4]" },
    Parameter {
        name: "thrashing",
        meaning: "give up after this many insertions for each distinct state [50]",
    },
];
/// The parameters of the bitstate store.
pub(crate) const OF_BITSTATE: &[Parameter] =
    &[Parameter { name: "hashes", meaning: "bits for each state [3]" }];
/// The parameters of the compact store.
pub(crate) const OF_COMPACT: &[Parameter] =
    &[Parameter { name: "fingerprint", meaning: "bits of a fingerprint, 40 to 64 [64]" }];

/// The bit array of the bitstate store if no memory was named: 2^30 bits. More would only cost page faults.
const USUAL_BITS: usize = 128 << 20;
/// The levels of which stratified replacement spares one.
const USUAL_STRATA: u32 = 4;

/// How states are remembered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StorePlan {
    /// All of them, byte for byte.
    Exact,
    /// All of them, exactly, as trees that share their parts; on disk too if the budget has one.
    Tree,
    /// As many as there is room for; visited ones are replaced.
    Replacing {
        /// Which visited state goes.
        replacement: Replacement,
        /// At most this many states, and no more than the memory allows.
        most: usize,
        /// How many insertions per distinct state are taken for thrashing.
        thrashing: u64,
    },
    /// A few bits each.
    Bitstate {
        /// Size of the bit array.
        bytes: usize,
        /// Bits per state.
        k: u32,
    },
    /// A fingerprint each.
    Compact {
        /// Bits of the fingerprint, 40 to 64.
        bits: u32,
    },
}

impl StorePlan {
    /// What kind of store it is.
    pub fn kind(self) -> &'static StoreKind {
        match self {
            StorePlan::Exact => &EXACT,
            StorePlan::Tree => &TREE,
            StorePlan::Replacing { .. } => &REPLACING,
            StorePlan::Bitstate { .. } => &BITSTATE,
            StorePlan::Compact { .. } => &COMPACT,
        }
    }

    /// The name used in reports and on the command line.
    pub fn name(self) -> &'static str {
        self.kind().name
    }

    /// Whether it can do something.
    pub fn can(self, what: Capability) -> bool {
        self.kind().can(what)
    }
}

impl StorePlan {
    /// The search that goes with it unless another is wanted: breadth first, by all workers, with scouts, where the store can
    /// be shared.
    pub fn usual_search(self) -> SearchPlan {
        if self.can(Capability::Sharing) {
            SearchPlan::Portfolio(Portfolio::USUAL)
        } else {
            SearchPlan::DepthFirst
        }
    }
}

impl StoreKind {
    /// Whether it can do something.
    pub fn can(&self, what: Capability) -> bool {
        self.can.contains(&what)
    }
}

/// Two kinds are the same if their names are.
impl PartialEq for StoreKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for StoreKind {}

/// What the parameters of the replacing store say of replacement.
fn replacement(chosen: &StoreChoice) -> Result<Replacement, String> {
    let strata = chosen.number("strata", 1..=u64::from(u32::MAX))?;
    let stratified = chosen.value("policy") == Some("stratified");
    if strata.is_some() && !stratified {
        return Err("`strata` has a meaning only with policy=stratified".to_owned());
    }
    match chosen.value("policy") {
        None | Some("random") => Ok(Replacement::Random),
        Some("lru") => Ok(Replacement::LeastRecentlyUsed),
        Some("stratified") => {
            Ok(Replacement::Stratified { period: strata.map_or(USUAL_STRATA, |period| period as u32) })
        }
        Some(other) => {
            Err(format!("there is no replacement `{other}`; there are random, lru and stratified"))
        }
    }
}

/// Wants a store that knows which states are on the path.
pub(crate) trait UsePath: Sized {
    /// What comes of it.
    type Out;
    /// Uses the store.
    fn with(self, store: impl Store) -> Self::Out;
}

/// Wants a store that never forgets, to walk breadth first.
pub(crate) trait UseMarks: Sized {
    /// What comes of it.
    type Out;
    /// Uses the store.
    fn with(self, marks: impl Marks) -> Self::Out;
}

/// Wants a store that keeps sleep sets.
pub(crate) trait UseSleeps: Sized {
    /// What comes of it.
    type Out;
    /// Uses the store.
    fn with(self, store: impl Sleeps) -> Self::Out;
}

/// Wants a store that marks states for two searches.
pub(crate) trait UseTwoMarks: Sized {
    /// What comes of it.
    type Out;
    /// Uses the store.
    fn with(self, memory: impl TwoMarks) -> Self::Out;
}

/// Wants a store that marks states for two searches and never forgets.
pub(crate) trait UseTwoRetained: Sized {
    /// What comes of it.
    type Out;
    /// Uses the store.
    fn with(self, memory: impl TwoRetained) -> Self::Out;
}

const REFUSED: &str = "what the store cannot do was refused";

/// The stores themselves, each for those who need what it can do; `typical` is the length of a typical state.
impl StorePlan {
    /// A store that knows which states are on the path.
    pub(crate) fn on_path<U: UsePath>(self, typical: usize, seed: u64, user: U) -> U::Out {
        match self {
            StorePlan::Exact => user.with(Exact::new()),
            StorePlan::Replacing { .. } => user.with(self.replacing(typical, seed)),
            StorePlan::Bitstate { bytes, k } => user.with(Lossy::new(Bitstate::new(bytes, k), typical)),
            StorePlan::Compact { bits } => user.with(Lossy::new(Compact::new(bits), typical)),
            StorePlan::Tree => unreachable!("{REFUSED}"),
        }
    }

    /// A store that never forgets, for one worker. (Stores that can be shared are made for many.)
    pub(crate) fn of_marks<U: UseMarks>(self, user: U) -> U::Out {
        match self {
            StorePlan::Bitstate { bytes, k } => user.with(Bitstate::new(bytes, k)),
            StorePlan::Compact { bits } => user.with(Compact::new(bits)),
            StorePlan::Exact | StorePlan::Tree | StorePlan::Replacing { .. } => unreachable!("{REFUSED}"),
        }
    }

    /// A store that keeps sleep sets.
    pub(crate) fn of_sleeps<U: UseSleeps>(self, typical: usize, seed: u64, user: U) -> U::Out {
        match self {
            StorePlan::Exact => user.with(Numbered::default()),
            StorePlan::Replacing { .. } => user.with(self.replacing(typical, seed)),
            _ => unreachable!("{REFUSED}"),
        }
    }

    /// A store that marks states for two searches.
    pub(crate) fn of_two_marks<U: UseTwoMarks>(self, typical: usize, seed: u64, user: U) -> U::Out {
        match self {
            StorePlan::Exact => user.with(Exact::new()),
            StorePlan::Replacing { .. } => {
                let [first, second] = [seed, seed.wrapping_add(1)].map(|seed| self.replacing(typical, seed));
                user.with(Pair { first, second })
            }
            StorePlan::Bitstate { .. } | StorePlan::Compact { .. } => {
                self.of_two_retained(typical, AsTwoMarks(user))
            }
            StorePlan::Tree => unreachable!("{REFUSED}"),
        }
    }

    /// The same, which never forgets.
    pub(crate) fn of_two_retained<U: UseTwoRetained>(self, typical: usize, user: U) -> U::Out {
        match self {
            StorePlan::Exact => user.with(Exact::new()),
            StorePlan::Bitstate { bytes, k } => {
                let half = || Lossy::new(Bitstate::new(bytes / 2, k), typical);
                user.with(Pair { first: half(), second: half() })
            }
            StorePlan::Compact { bits } => {
                let one = || Lossy::new(Compact::new(bits), typical);
                user.with(Pair { first: one(), second: one() })
            }
            StorePlan::Replacing { .. } | StorePlan::Tree => unreachable!("{REFUSED}"),
        }
    }

    fn replacing(self, typical: usize, seed: u64) -> Replacing {
        let StorePlan::Replacing { replacement, most, thrashing } = self else { unreachable!("{REFUSED}") };
        Replacing::new(replacement, typical, most, Rng::new(seed)).with_thrashing_factor(thrashing)
    }
}

/// Who wants two marks takes a store that never forgets as well.
struct AsTwoMarks<U>(U);

impl<U: UseTwoMarks> UseTwoRetained for AsTwoMarks<U> {
    type Out = U::Out;
    fn with(self, memory: impl TwoRetained) -> U::Out {
        self.0.with(memory)
    }
}
