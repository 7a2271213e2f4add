//! Vertices under numbers, and a set of vertices that forgets.
//!
//! Solvers keep what they know of a vertex in arrays, by the number under which they met it. Names that are numbers already are
//! looked up in an array of pages ([`Dense`]), others in an open-addressing hash table ([`Hashed`]).

use std::fmt::Debug;

/// What a vertex is called.
pub trait Vertex: Copy + Eq + Ord + std::hash::Hash + Debug {
    /// The table that suits it.
    type Table: Table<Self>;

    /// A name that no vertex has.
    const NONE: Self;

    /// A hash whose low bits and whose high bits are both good.
    fn mixed(self) -> u64;
}

impl Vertex for u32 {
    type Table = Dense;

    const NONE: Self = u32::MAX;

    fn mixed(self) -> u64 {
        mix(u64::from(self))
    }
}

/// Two multiplications (as in SplitMix64): names are often small numbers, close together.
pub fn mix(name: u64) -> u64 {
    let mut z = name.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 32).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z ^ z >> 29
}

/// Vertices, numbered in the order in which they came.
pub trait Table<V> {
    /// An empty one.
    fn new() -> Self;

    /// The number of a vertex, and whether it is new.
    fn insert(&mut self, vertex: V) -> (u32, bool);

    /// The number of a vertex, if it has one.
    fn find(&self, vertex: V) -> Option<u32>;

    /// The vertex with this number.
    fn vertex(&self, number: u32) -> V;

    /// How many there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that it occupies.
    fn bytes(&self) -> usize;
}

fn next_number(count: usize) -> u32 {
    u32::try_from(count).expect("fewer vertices than 2^32 fit into memory")
}

/// A table for any names.
#[derive(Debug)]
pub struct Hashed<V> {
    vertices: Vec<V>,
    /// A number + 1, or 0.
    slots: Vec<u32>,
}

impl<V: Vertex> Hashed<V> {
    fn slot(&self, vertex: V) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = vertex.mixed() as usize & mask;
        loop {
            match self.slots[slot] {
                0 => return Err(slot),
                number if self.vertices[number as usize - 1] == vertex => return Ok(number - 1),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        let slots = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(slots, 0);
        let mask = slots - 1;
        for (number, &vertex) in (1..).zip(&self.vertices) {
            let mut slot = vertex.mixed() as usize & mask;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = number;
        }
    }
}

impl<V: Vertex> Table<V> for Hashed<V> {
    fn new() -> Self {
        Self { vertices: Vec::new(), slots: vec![0; 64] }
    }

    fn insert(&mut self, vertex: V) -> (u32, bool) {
        if self.vertices.len() * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        match self.slot(vertex) {
            Ok(number) => (number, false),
            Err(slot) => {
                let number = next_number(self.vertices.len());
                self.vertices.push(vertex);
                self.slots[slot] = number + 1;
                (number, true)
            }
        }
    }

    fn find(&self, vertex: V) -> Option<u32> {
        self.slot(vertex).ok()
    }

    fn vertex(&self, number: u32) -> V {
        self.vertices[number as usize]
    }

    fn len(&self) -> usize {
        self.vertices.len()
    }

    fn bytes(&self) -> usize {
        self.vertices.capacity() * size_of::<V>() + self.slots.capacity() * 4
    }
}

/// Numbers by name, 0 where nothing was set: an array in pages, of which only those exist that something was set on. So names need not lie close together, nothing
/// is copied when it grows, and there are never two of it.
#[derive(Debug)]
pub struct Pages<T> {
    directory: Vec<Option<Box<[T]>>>,
    pages: usize,
}

/// A page has 2 to the power of this many places.
pub const PAGE_BITS: u32 = 14;
const PAGE: usize = 1 << PAGE_BITS;

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Self { directory: Vec::new(), pages: 0 }
    }
}

impl<T: Copy + Default> Pages<T> {
    /// What was set, or 0.
    #[inline]
    pub fn get(&self, at: u32) -> T {
        match self.directory.get((at >> PAGE_BITS) as usize) {
            Some(Some(page)) => page[at as usize % PAGE],
            _ => T::default(),
        }
    }

    /// Sets it.
    #[inline]
    pub fn set(&mut self, at: u32, value: T) {
        let page = (at >> PAGE_BITS) as usize;
        if !matches!(self.directory.get(page), Some(Some(_))) {
            self.add(page);
        }
        if let Some(Some(page)) = self.directory.get_mut(page) {
            page[at as usize % PAGE] = value;
        }
    }

    #[cold]
    fn add(&mut self, page: usize) {
        if page >= self.directory.len() {
            let length = (page + 1).max(self.directory.len() * 2);
            self.directory.resize_with(length, || None);
        }
        self.directory[page] = Some(vec![T::default(); PAGE].into_boxed_slice());
        self.pages += 1;
    }

    /// The places on pages that exist, with what is set there.
    pub fn iter(&self) -> impl Iterator<Item = (u32, T)> + '_ {
        let pages = (0u32..).zip(&self.directory).filter_map(|(at, page)| Some((at, page.as_ref()?)));
        pages.flat_map(|(at, page)| (at << PAGE_BITS..).zip(page.iter().copied()))
    }

    /// Bytes that it occupies.
    pub fn bytes(&self) -> usize {
        self.pages * PAGE * size_of::<T>() + 16 * self.directory.len()
    }
}

/// A table for names that are numbers.
#[derive(Debug)]
pub struct Dense {
    vertices: Vec<u32>,
    /// By vertex: its number + 1, or 0.
    numbers: Pages<u32>,
}

impl Table<u32> for Dense {
    fn new() -> Self {
        Self { vertices: Vec::new(), numbers: Pages::default() }
    }

    fn insert(&mut self, vertex: u32) -> (u32, bool) {
        let known = self.numbers.get(vertex);
        if known != 0 {
            return (known - 1, false);
        }
        let number = next_number(self.vertices.len());
        self.vertices.push(vertex);
        self.numbers.set(vertex, number + 1);
        (number, true)
    }

    fn find(&self, vertex: u32) -> Option<u32> {
        self.numbers.get(vertex).checked_sub(1)
    }

    fn vertex(&self, number: u32) -> u32 {
        self.vertices[number as usize]
    }

    fn len(&self) -> usize {
        self.vertices.len()
    }

    fn bytes(&self) -> usize {
        4 * self.vertices.capacity() + self.numbers.bytes()
    }
}

/// A set of vertices of bounded size that never invents one, and forgets one where another has the same place: the papers'
/// hash-based cache. It begins small and doubles while it is half full, so that few vertices take little memory.
#[derive(Debug)]
pub struct Cache<V> {
    slots: Vec<V>,
    held: usize,
    /// The most slots.
    most: usize,
    /// How often one was forgotten.
    pub forgotten: u64,
}

impl<V: Vertex> Cache<V> {
    const FIRST: usize = 1 << 16;

    /// A cache that takes at most about so many bytes.
    pub fn new(bytes: usize) -> Self {
        let most = (bytes / size_of::<V>()).max(16);
        Self { slots: vec![V::NONE; most.min(Self::FIRST)], held: 0, most, forgotten: 0 }
    }

    fn place(&self, vertex: V) -> usize {
        ((u128::from(vertex.mixed()) * self.slots.len() as u128) >> 64) as usize
    }

    /// Whether it is there.
    pub fn contains(&self, vertex: V) -> bool {
        self.slots[self.place(vertex)] == vertex
    }

    /// Adds one.
    pub fn insert(&mut self, vertex: V) {
        // While it grows, the old slots are there beside the new ones: together they are less than the most.
        if self.held * 2 > self.slots.len() && self.slots.len() < self.most {
            let longer = if self.slots.len() * 3 <= self.most { self.slots.len() * 2 } else { self.most };
            let old = std::mem::replace(&mut self.slots, vec![V::NONE; longer]);
            self.held = 0;
            old.into_iter().filter(|&vertex| vertex != V::NONE).for_each(|vertex| self.put(vertex));
        }
        self.put(vertex);
    }

    fn put(&mut self, vertex: V) {
        let place = self.place(vertex);
        match self.slots[place] {
            other if other == vertex => return,
            other if other == V::NONE => self.held += 1,
            _ => self.forgotten += 1,
        }
        self.slots[place] = vertex;
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.slots.fill(V::NONE);
        self.held = 0;
    }

    /// Bytes that it occupies.
    pub fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<V>()
    }
}
