//! Values, each kept once, so that equal values have equal numbers ([`Val`]).
//!
//! Numbers of small sorts and constant constructors (the values of enumerations) have numbers of their own from the start: they are computed, and nothing is
//! looked up. Other values, a constructor with its parts, are found by a hash of these; the parts of all values stand in one array.
//!
//! A worker forgets its values when they become many. What it keeps meanwhile has no sort-specific representation: a list of bits takes as much as a list of
//! records.

use crate::data::{Data, OpId, Sort, SortId, SortKind, Trouble, UNSET, Val, read_varint, write_varint};
use crate::rewriting::Memo;
use std::collections::HashMap;
use std::rc::Rc;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Datum {
    Number(SortId, i64),
    /// A constructor; its parts are elsewhere.
    Construct(OpId),
}

#[derive(Clone, Copy, Debug)]
struct Kept {
    datum: Datum,
    /// Where its parts begin, and how many they are.
    first: u32,
    count: u32,
    /// How deep it is nested.
    depth: u32,
}

/// How many values of a sort are enumerated.
const MOST: usize = 100_000;
/// Numbers of larger sorts are looked up like other values.
const SMALL: i64 = 4096;

/// The values that one worker knows.
#[derive(Debug)]
pub(crate) struct Values {
    kept: Vec<Kept>,
    parts: Vec<Val>,
    /// Open addressing: where nothing is, [`UNSET`].
    table: Vec<Val>,
    looked_up: usize,
    /// How many values were there from the start.
    own: usize,
    /// The value of each constant constructor, by operation.
    constants: Vec<Val>,
    /// The value of the least number of each small sort of numbers.
    numbers: Vec<Val>,
    enumerated: HashMap<SortId, Rc<[Val]>>,
    /// Rewriting steps so far, and when they are too many.
    pub(crate) steps: u64,
    pub(crate) until: u64,
    /// Variables and arguments of what is being evaluated.
    pub(crate) stack: Vec<Val>,
    pub(crate) memo: Memo,
}

impl Values {
    pub(crate) fn new(data: &Data) -> Self {
        let mut values = Self {
            kept: Vec::new(),
            parts: Vec::new(),
            table: vec![UNSET; 64],
            looked_up: 0,
            own: 0,
            constants: vec![UNSET; data.ops.len()],
            numbers: vec![UNSET; data.sorts.len()],
            enumerated: HashMap::new(),
            steps: 0,
            until: 0,
            stack: Vec::new(),
            memo: Memo::default(),
        };
        for (number, sort) in data.sorts.iter().enumerate() {
            match sort.kind {
                SortKind::Numbers(least, greatest) if greatest.saturating_sub(least) < SMALL => {
                    values.numbers[number] = values.kept.len() as Val;
                    (least..=greatest).for_each(|own| {
                        values.push(Datum::Number(number as SortId, own), &[]);
                    });
                }
                SortKind::Numbers(..) => {}
                SortKind::Constructed => {
                    for &op in &sort.constructors {
                        if data.ops[op as usize].args.is_empty() {
                            values.constants[op as usize] = values.push(Datum::Construct(op), &[]);
                        }
                    }
                }
            }
        }
        values.own = values.kept.len();
        values
    }

    pub(crate) fn get(&self, value: Val) -> Datum {
        self.kept[value as usize].datum
    }

    /// What a constructor was applied to.
    pub(crate) fn parts(&self, value: Val) -> &[Val] {
        let Kept { first, count, .. } = self.kept[value as usize];
        &self.parts[first as usize..(first + count) as usize]
    }

    pub(crate) fn depth(&self, value: Val) -> u32 {
        self.kept[value as usize].depth
    }

    /// How many there are beyond those that are always there.
    pub(crate) fn len(&self) -> usize {
        self.kept.len() - self.own
    }

    /// Forgets all values but those that are always there.
    pub(crate) fn clear(&mut self) {
        self.kept.truncate(self.own);
        self.parts.clear();
        self.table.clear();
        self.table.resize(64, UNSET);
        self.looked_up = 0;
        self.enumerated.clear();
        self.memo.clear();
    }

    fn push(&mut self, datum: Datum, parts: &[Val]) -> Val {
        let value = self.kept.len() as Val;
        let depth = parts.iter().map(|&part| self.depth(part) + 1).max().unwrap_or(0);
        let (first, count) = (self.parts.len() as u32, parts.len() as u32);
        self.parts.extend_from_slice(parts);
        self.kept.push(Kept { datum, first, count, depth });
        value
    }

    /// A number of a sort, which may be beyond its range.
    pub(crate) fn number(&mut self, data: &Data, sort: SortId, number: i64) -> Val {
        let first = self.numbers[sort as usize];
        if let (true, SortKind::Numbers(least, greatest)) = (first != UNSET, data.sorts[sort as usize].kind)
            && (least..=greatest).contains(&number)
        {
            return first + (number - least) as Val;
        }
        self.find(Datum::Number(sort, number), &[])
    }

    /// A constructor with its parts.
    pub(crate) fn construct(&mut self, op: OpId, parts: &[Val]) -> Val {
        let constant = self.constants[op as usize];
        if constant != UNSET { constant } else { self.find(Datum::Construct(op), parts) }
    }

    /// The same; the parts are on the stack, from here on.
    pub(crate) fn construct_from_stack(&mut self, op: OpId, base: usize) -> Val {
        let stack = std::mem::take(&mut self.stack);
        let value = self.construct(op, &stack[base..]);
        self.stack = stack;
        value
    }

    fn find(&mut self, datum: Datum, parts: &[Val]) -> Val {
        let seed = match datum {
            Datum::Number(sort, number) => mix(u64::from(sort) << 32, number as u64),
            Datum::Construct(op) => u64::from(op) + 1,
        };
        let hash = parts.iter().fold(mix(0, seed), |hash, &part| mix(hash, part.into()));
        let mask = self.table.len() - 1;
        let mut at = (hash >> 32) as usize & mask;
        loop {
            let value = self.table[at];
            if value == UNSET {
                break;
            }
            if self.get(value) == datum && self.parts(value) == parts {
                return value;
            }
            at = (at + 1) & mask;
        }
        let value = self.push(datum, parts);
        self.table[at] = value;
        self.looked_up += 1;
        if 2 * self.looked_up > self.table.len() {
            self.grow();
        }
        value
    }

    fn grow(&mut self) {
        let size = 2 * self.table.len();
        let old = std::mem::replace(&mut self.table, vec![UNSET; size]);
        for value in old.into_iter().filter(|&value| value != UNSET) {
            let seed = match self.get(value) {
                Datum::Number(sort, number) => mix(u64::from(sort) << 32, number as u64),
                Datum::Construct(op) => u64::from(op) + 1,
            };
            let hash = self.parts(value).iter().fold(mix(0, seed), |hash, &part| mix(hash, part.into()));
            let mut at = (hash >> 32) as usize & (size - 1);
            while self.table[at] != UNSET {
                at = (at + 1) & (size - 1);
            }
            self.table[at] = value;
        }
    }

    pub(crate) fn sort(&self, data: &Data, value: Val) -> SortId {
        match self.get(value) {
            Datum::Number(sort, _) => sort,
            Datum::Construct(op) => data.ops[op as usize].result,
        }
    }

    /// All values of a sort, in order.
    pub(crate) fn all(&mut self, data: &Data, sort: SortId) -> Result<Rc<[Val]>, Trouble> {
        self.all_within(data, sort, &mut Vec::new())
    }

    fn all_within(
        &mut self,
        data: &Data,
        sort: SortId,
        open: &mut Vec<SortId>,
    ) -> Result<Rc<[Val]>, Trouble> {
        if let Some(all) = self.enumerated.get(&sort) {
            return Ok(Rc::clone(all));
        }
        let Sort { name, kind, constructors } = &data.sorts[sort as usize];
        let too_many = || {
            let text =
                format!("the values of the sort {name} are enumerated here, and there are too many of them");
            Trouble::gave_up(text)
        };
        if open.contains(&sort) {
            return Err(too_many());
        }
        let mut all = Vec::new();
        match *kind {
            SortKind::Numbers(least, greatest) => {
                if greatest.saturating_sub(least) >= MOST as i64 {
                    return Err(too_many());
                }
                all.extend((least..=greatest).map(|number| self.number(data, sort, number)));
            }
            SortKind::Constructed => {
                open.push(sort);
                for &op in constructors {
                    let mut made: Vec<Vec<Val>> = vec![Vec::new()];
                    for &arg in &data.ops[op as usize].args {
                        let values = self.all_within(data, arg, open)?;
                        if made.len() * values.len() > MOST {
                            return Err(too_many());
                        }
                        let longer = |args: &Vec<Val>| {
                            let args = args.clone();
                            let with = move |&value| [&args[..], &[value]].concat();
                            values.iter().map(with).collect::<Vec<_>>()
                        };
                        made = made.iter().flat_map(longer).collect();
                    }
                    all.extend(made.into_iter().map(|args| self.construct(op, &args)));
                    if all.len() > MOST {
                        return Err(too_many());
                    }
                }
                open.pop();
            }
        }
        let all: Rc<[Val]> = all.into();
        self.enumerated.insert(sort, Rc::clone(&all));
        Ok(all)
    }

    /// As CAESAR prints it.
    pub(crate) fn show(&self, data: &Data, value: Val, out: &mut String) {
        match self.get(value) {
            Datum::Number(_, number) => out.push_str(&number.to_string()),
            Datum::Construct(op) => self.show_applied(data, op, self.parts(value), out),
        }
    }

    fn show_applied(&self, data: &Data, op: OpId, args: &[Val], out: &mut String) {
        out.push_str(&data.ops[op as usize].name.to_uppercase());
        for (number, &arg) in args.iter().enumerate() {
            out.push_str(if number == 0 { " (" } else { ", " });
            self.show(data, arg, out);
        }
        if !args.is_empty() {
            out.push(')');
        }
    }

    /// An operation with its arguments.
    pub(crate) fn show_call(&self, data: &Data, op: OpId, args: &[Val]) -> String {
        let mut out = String::new();
        self.show_applied(data, op, args, &mut out);
        out
    }

    /// The bytes of a value, which say where they end; its sort is known.
    pub(crate) fn encode(&self, value: Val, out: &mut Vec<u8>) {
        match self.get(value) {
            Datum::Number(_, number) => write_varint(((number << 1) ^ (number >> 63)) as u64, out),
            Datum::Construct(op) => {
                write_varint(u64::from(op), out);
                self.parts(value).iter().for_each(|&part| self.encode(part, out));
            }
        }
    }

    pub(crate) fn decode(&mut self, data: &Data, sort: SortId, bytes: &mut &[u8]) -> Val {
        let number = read_varint(bytes);
        match data.sorts[sort as usize].kind {
            SortKind::Numbers(..) => self.number(data, sort, (number >> 1) as i64 ^ -((number & 1) as i64)),
            SortKind::Constructed => {
                let op = number as OpId;
                let base = self.stack.len();
                for &arg in &data.ops[op as usize].args {
                    let part = self.decode(data, arg, bytes);
                    self.stack.push(part);
                }
                let value = self.construct_from_stack(op, base);
                self.stack.truncate(base);
                value
            }
        }
    }
}

fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
}
