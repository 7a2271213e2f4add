//! One part of a campaign while it runs: which cases there are, and what becomes of a panic.

use crate::files::models_in;
use crate::settings::Settings;
use crate::tally::Tally;
use elnath_testkit::corpus;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Figures that the cases of a part add up: see `counts!`.
pub trait Counts: Default + Send {
    /// Adds those of other cases.
    fn add(&mut self, other: &Self);
    /// The figures, by name.
    fn list(&self) -> Vec<(&'static str, u64)>;
}

impl Counts for () {
    fn add(&mut self, (): &Self) {}

    fn list(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}

/// A struct of figures that can be added up, all of type `u64`.
macro_rules! counts {
    ($(#[$of_all:meta])* struct $name:ident { $($(#[$of_one:meta])* $field:ident),* $(,)? }) => {
        $(#[$of_all])*
        #[derive(Debug, Default)]
        struct $name { $($(#[$of_one])* $field: u64),* }

        impl crate::trial::Counts for $name {
            fn add(&mut self, other: &Self) {
                $(self.$field += other.$field;)*
            }

            fn list(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($field), self.$field)),*]
            }
        }
    };
}
pub(crate) use counts;

/// One case of a part.
#[derive(Debug)]
pub struct Case {
    /// The seed, or the number of a model from a file.
    pub seed: u64,
    model: RefCell<Option<String>>,
}

impl Case {
    /// Remembers the text of the model, which is written to a file if there is a difference; gives it back.
    pub fn keep(&self, model: String) -> String {
        *self.model.borrow_mut() = Some(model.clone());
        model
    }
}

/// What a case says: nothing more than that it was compared, or why it was not.
pub type Compared = Result<(), &'static str>;

/// A part of a campaign while it runs.
#[derive(Debug)]
pub struct Trial<'a> {
    settings: &'a Settings,
    /// The campaign and its part.
    name: String,
    tally: Tally,
    figures: Vec<(&'static str, u64)>,
    /// How many cases there were in the last loop.
    asked: u64,
    /// Whether these were at least as many as in the tests.
    as_usual: bool,
}

impl<'a> Trial<'a> {
    pub(crate) fn new(settings: &'a Settings, name: String) -> Self {
        Self { settings, name, tally: Tally::default(), figures: Vec::new(), asked: 0, as_usual: false }
    }

    /// Compares each case: of the seeds that were asked for, or of the usual ones.
    pub fn cases<C: Counts>(
        &mut self,
        usual: impl IntoIterator<Item = u64>,
        compare: impl Fn(&Case, &mut C) -> Compared + Sync,
    ) -> C {
        let usual: Vec<u64> = usual.into_iter().collect();
        let least = usual.len();
        let seeds = self.settings.seeds.clone().map_or(usual, Iterator::collect);
        self.each(&seeds, least, |seed| format!("seed {seed}"), |_, case, counts| compare(case, counts))
    }

    /// Compares each model in files: our own ones, and those from outside in the folder of this name (with such endings). The
    /// tests take every so many of them, a campaign all that have numbers in the range of seeds.
    pub fn models<C: Counts>(
        &mut self,
        folders: &[(&str, &[&str])],
        every: usize,
        compare: impl Fn(&Path, &Case, &mut C) -> Compared + Sync,
    ) -> C {
        let mut models = crate::files::own_models();
        models.extend(self.outside(folders));
        self.files(&models, every, compare)
    }

    /// The models from outside; those that are not here are counted as skipped.
    pub(crate) fn outside(&mut self, folders: &[(&str, &[&str])]) -> Vec<PathBuf> {
        let mut models = Vec::new();
        for (name, endings) in folders {
            if let Some(folder) = self.corpus(name) {
                models_in(&folder, endings, &mut models);
            }
        }
        models
    }

    /// A folder of models from outside; if it is not here, its models are counted as skipped.
    pub(crate) fn corpus(&mut self, name: &str) -> Option<PathBuf> {
        let found = self.settings.corpus(name);
        if found.is_none() {
            corpus::say_skipped(&self.name, name);
            self.tally.skip_many("models from outside that are not here", corpus::size(name));
        }
        found
    }

    /// Compares each of these models.
    pub(crate) fn files<C: Counts>(
        &mut self,
        models: &[PathBuf],
        every: usize,
        compare: impl Fn(&Path, &Case, &mut C) -> Compared + Sync,
    ) -> C {
        let name = |path: &PathBuf| path.display().to_string();
        self.items(models, every, name, |path, case, counts| compare(path, case, counts))
    }

    /// Compares each of these things, which are numbered; in the tests one in so many.
    pub(crate) fn items<T: Sync, C: Counts>(
        &mut self,
        items: &[T],
        every: usize,
        name: impl Fn(&T) -> String + Sync,
        compare: impl Fn(&T, &Case, &mut C) -> Compared + Sync,
    ) -> C {
        let every = if self.settings.thorough { 1 } else { every };
        let chosen = self.settings.seeds.clone().unwrap_or(0..u64::MAX);
        let all = (0..items.len() as u64).filter(|number| chosen.contains(number));
        let numbers: Vec<u64> = all.step_by(every).collect();
        let least = items.len().div_ceil(every);
        let item = |number: u64| &items[number as usize];
        let name = |number: u64| format!("number {number}, {}", name(item(number)));
        self.each(&numbers, least, name, |number, case, counts| compare(item(number), case, counts))
    }

    fn each<C: Counts>(
        &mut self,
        seeds: &[u64],
        least: usize,
        name: impl Fn(u64) -> String + Sync,
        compare: impl Fn(u64, &Case, &mut C) -> Compared + Sync,
    ) -> C {
        let next = AtomicUsize::new(0);
        let all = Mutex::new((C::default(), Tally::default()));
        let settings = self.settings;
        let work = || {
            let (mut counts, mut tally) = (C::default(), Tally::default());
            while !settings.is_over()
                && let Some(&seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed))
            {
                let case = Case { seed, model: RefCell::default() };
                match catch_unwind(AssertUnwindSafe(|| compare(seed, &case, &mut counts))) {
                    Ok(Ok(())) => {
                        tally.cases += 1;
                        tally.compared += 1;
                    }
                    Ok(Err(why)) => tally.skip(why),
                    Err(panic) => {
                        tally.cases += 1;
                        tally.compared += 1;
                        let told = format!("{}, {}: {}", self.name, name(seed), message(&*panic));
                        if settings.thorough {
                            crate::runner::say(&format!("different: {told}"));
                        }
                        self.write(seed, &case);
                        tally.differences.push(told);
                    }
                }
            }
            let mut all = all.lock().expect("nobody panics while it is locked");
            all.0.add(&counts);
            all.1.merge(tally);
        };
        match settings.jobs.unwrap_or(1) {
            1 => work(),
            jobs => std::thread::scope(|scope| {
                for _ in 0..jobs {
                    scope.spawn(work);
                }
            }),
        }
        let (counts, tally) = all.into_inner().expect("nobody panicked");
        self.asked = tally.cases;
        self.as_usual = self.asked >= least as u64;
        self.tally.merge(tally);
        self.figures.extend(counts.list());
        counts
    }

    /// Writes the model of a difference to the directory that is kept.
    fn write(&self, seed: u64, case: &Case) {
        let (Some(keep), Some(model)) = (&self.settings.keep, &*case.model.borrow()) else { return };
        let path = keep.join(format!("{}-{seed}.pml", self.name.replace(' ', "-")));
        if let Err(error) = std::fs::create_dir_all(keep).and_then(|()| std::fs::write(&path, model)) {
            crate::runner::say(&format!("{}: {error}", path.display()));
        }
    }

    /// How many cases there were in the last loop: what [`Self::enough`] is compared with.
    pub fn asked(&self) -> u64 {
        self.asked
    }

    /// How many of all cases were compared so far.
    pub fn compared(&self) -> u64 {
        self.tally.compared
    }

    /// Prints something about the cases, where it is wanted.
    pub(crate) fn say(&self, text: &str) {
        if self.settings.thorough {
            crate::runner::say(text);
        }
    }

    /// Whether all of what a campaign looks at is wanted, or a sample for the tests.
    pub fn is_thorough(&self) -> bool {
        self.settings.thorough
    }

    /// The most states of a model: as the user says, or else so many.
    pub fn states(&self, usual: u64) -> u64 {
        self.settings.states.unwrap_or(usual)
    }

    /// What must be so for the comparison to mean something. It is not asked of fewer cases than the tests have.
    #[track_caller]
    pub fn enough(&mut self, enough: bool, what: impl std::fmt::Display) {
        if self.as_usual && !enough {
            let place = std::panic::Location::caller();
            let told = format!("{}, {place}: too little was seen: {what}", self.name);
            self.tally.differences.push(told);
        }
    }

    /// What was found, and the figures of the part.
    pub(crate) fn finish(self) -> (Tally, Vec<(&'static str, u64)>) {
        (self.tally, self.figures)
    }
}

/// The text of a panic.
fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Case, Settings, Trial};

    counts! {
        struct Seen { even, odd }
    }

    fn compare(case: &Case, seen: &mut Seen) -> Result<(), &'static str> {
        if case.seed == 6 {
            return Err("six");
        }
        assert_ne!(case.seed, 7, "seven differs");
        seen.even += u64::from(case.seed.is_multiple_of(2));
        seen.odd += u64::from(!case.seed.is_multiple_of(2));
        Ok(())
    }

    #[test]
    fn a_panic_is_a_difference_and_ends_its_case_only() {
        for jobs in [1, 3] {
            let settings = Settings { jobs: Some(jobs), ..Settings::default() };
            let mut trial = Trial::new(&settings, "numbers".to_owned());
            let seen: Seen = trial.cases(0..10, compare);
            assert_eq!((seen.even, seen.odd, trial.asked()), (4, 4, 10));
            let (tally, figures) = trial.finish();
            assert_eq!(figures, [("even", 4), ("odd", 4)]);
            let expected = "10 cases, 9 compared, 1 skipped (1 six), 1 difference";
            assert_eq!(tally.to_string(), expected);
            assert!(tally.differences[0].starts_with("numbers, seed 7: "), "{:?}", tally.differences);
        }
    }

    #[test]
    fn too_little_is_a_difference_unless_fewer_seeds_were_asked_for() {
        let differences = |seeds| {
            let settings = Settings { seeds, ..Settings::default() };
            let mut trial = Trial::new(&settings, "numbers".to_owned());
            let seen: Seen = trial.cases(0..5, compare);
            trial.enough(seen.even > 10, "even numbers");
            trial.finish().0.differences.len()
        };
        assert_eq!((differences(None), differences(Some(0..2)), differences(Some(0..6))), (1, 0, 1));
    }

    #[test]
    fn the_model_of_a_difference_is_kept() {
        let keep = std::env::temp_dir().join(format!("elnath-keep-{}", std::process::id()));
        let settings = Settings { keep: Some(keep.clone()), ..Settings::default() };
        let mut trial = Trial::new(&settings, "numbers all".to_owned());
        let (): () = trial.cases(3..5, |case, ()| {
            let text = case.keep(format!("model {}", case.seed));
            assert_eq!(text, "model 3");
            Ok(())
        });
        let kept = std::fs::read_to_string(keep.join("numbers-all-4.pml")).expect("it was written");
        assert_eq!(kept, "model 4");
        assert_eq!(std::fs::read_dir(&keep).expect("a folder").count(), 1);
        std::fs::remove_dir_all(&keep).expect("it was there");
    }
}
