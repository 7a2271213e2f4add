//! From measurements to ratios, and those to tables, a CSV file and the bars that were set.
//!
//! A ratio is formed of neighbours in time (ours and SPIN's of the same repetition), since the load of a machine changes
//! more slowly than that; what is shown is the median of these ratios. Larger is always better for us.

use crate::pan::Count;
use crate::sides::{Run, Variant};
use crate::table::Entry;
use elnath_bench::results::{grouped, markdown};
use elnath_bench::stats::{Spread, geometric_mean, spread};
use std::fmt::Write as _;

/// What our process may use besides the memory granted for the search; the bar for memory subtracts it.
const ALLOWANCE: f64 = (64 << 20) as f64;
/// `pan` tells hundredths of a second: below this a ratio would be mostly rounding.
const SHORTEST: f64 = 0.1;
/// The bars about cores and memory are for models with more states.
const LARGE: f64 = 1e6;
const MIB: f64 = (1 << 20) as f64;

/// Why `run` is not an answer to the same question, if it is not.
pub(crate) fn disagreement(entry: &Entry, run: &Run, spin: Option<&Run>) -> Option<String> {
    if let Some(property) = &entry.property {
        let said = if run.errors == 0 { "holds" } else { "fails" };
        return ((run.errors == 0) != property.holds)
            .then(|| format!("{}: the property {said}", run.variant.name()));
    }
    if entry.as_they_come {
        let wrong = spin.is_some_and(|other| (other.errors == 0) != (run.errors == 0));
        return wrong.then(|| format!("{}: another verdict, {} errors", run.variant.name(), run.errors));
    }
    let compare = |what: &str, got: Count, known: Option<u64>, other: Option<Count>| {
        let right = match (known, other) {
            (Some(known), _) => got.is(known),
            (None, Some(other)) => got.agrees(other),
            (None, None) => true,
        };
        let reference = known.map_or_else(|| other.map_or(0.0, |other| other.value), |known| known as f64);
        (!right).then(|| format!("{}: {} {what} instead of {reference}", run.variant.name(), got.value))
    };
    compare("states", run.states, entry.states, spin.map(|spin| spin.states)).or_else(|| {
        compare("transitions", run.transitions, entry.transitions, spin.map(|spin| spin.transitions))
    })
}

/// The ratios and medians of one model.
pub(crate) struct Summary {
    pub(crate) name: String,
    pub(crate) states: f64,
    /// SPIN's, ours.
    pub(crate) total_seconds: (f64, f64),
    search_seconds: (f64, f64),
    peaks: (f64, f64),
    pub(crate) total: Option<Spread>,
    pub(crate) total_cpu: Option<Spread>,
    /// From source to verdict, with both cores on our side, as the command does it if nothing is said.
    pub(crate) total_two: Option<Spread>,
    pub(crate) search: Option<Spread>,
    pub(crate) cpu: Option<Spread>,
    pub(crate) peak: Option<Spread>,
    pub(crate) threads: Option<Spread>,
    /// Whether the infinite runs are asked about.
    cycles: bool,
    /// States that SPIN has stored; beside ours they tell how different the two searches are.
    pub(crate) spin_states: f64,
    /// Peaks with compression: SPIN's, ours.
    compressed: (Option<f64>, Option<f64>),
    pub(crate) compression: Option<f64>,
}

impl Summary {
    /// Of runs that agree; none unless both sides are among them.
    pub(crate) fn of(name: &str, cycles: bool, runs: &[Run]) -> Option<Summary> {
        let of = |variant| runs.iter().filter(move |run| run.variant == variant);
        let median = |variant, value: fn(&Run) -> f64| spread(of(variant).map(value)).map(|all| all.median);
        let both = |value| Some((median(Variant::Spin, value)?, median(Variant::Ours, value)?));
        // The median decides whether a search was long enough: to drop single short runs would favour the slow ones.
        let ratio = |over: Variant, under: Variant, value: fn(&Run) -> f64, least: f64| {
            median(over, value).filter(|median| *median >= least)?;
            spread(of(over).filter_map(|over| {
                let under = of(under).find(|under| under.repetition == over.repetition)?;
                (value(under) > 0.0).then(|| value(over) / value(under))
            }))
        };
        let against = |value, least| ratio(Variant::Spin, Variant::Ours, value, least);
        let peak: fn(&Run) -> f64 = |run| run.peak as f64;
        let compressed = (median(Variant::Collapse, peak), median(Variant::Tree, peak));
        Some(Summary {
            name: name.to_owned(),
            states: median(Variant::Ours, |run| run.states.value)?,
            total_seconds: both(|run| run.total)?,
            search_seconds: both(|run| run.search)?,
            peaks: both(peak)?,
            total: against(|run| run.total, 0.0),
            total_cpu: against(|run| run.total_cpu, 0.0),
            total_two: ratio(Variant::Spin, Variant::Threads, |run| run.total, 0.0),
            search: against(|run| run.search, SHORTEST),
            cpu: against(|run| run.cpu, SHORTEST),
            peak: against(peak, 0.0),
            threads: ratio(Variant::Ours, Variant::Threads, |run| run.search, SHORTEST),
            cycles,
            spin_states: median(Variant::Spin, |run| run.states.value)?,
            compressed,
            compression: compressed.0.zip(compressed.1).map(|(spin, ours)| spin / ours),
        })
    }

    /// The bar's bytes per state of ours: 64 MiB subtracted, nothing if it never came to that.
    fn net(&self, peak: f64) -> f64 {
        (peak - ALLOWANCE).max(0.0) / self.states
    }
}

/// All tables, in Markdown that can be read on a terminal.
pub(crate) fn tables(summaries: &[Summary]) -> String {
    let mut text = String::new();
    if summaries.is_empty() {
        return text;
    }
    let mean = |value: fn(&Summary) -> Option<f64>| ratio(geometric_mean(summaries.iter().filter_map(value)));
    text.push_str(
        "Seconds are medians; a ratio is the median of the repetitions' own ratios, in brackets the least and the \
         largest; above 1 elnath is better. *Total*: from source to verdict, for SPIN `spin -a`, `gcc` and `pan`. \
         *Search*: as the tools themselves report it, wall clock (`-` below 0.1 s, which `pan` cannot tell). *CPU*: \
         processor time instead, of all programs or of the one that searches; ours includes reading and compiling.\n\n",
    );
    let mut rows = vec![
        [
            "model",
            "states",
            "SPIN s",
            "ours s",
            "total",
            "total CPU",
            "SPIN s",
            "ours s",
            "search",
            "search CPU",
        ]
        .map(str::to_owned),
    ];
    for one in summaries {
        rows.push([
            one.name.clone(),
            grouped(one.states),
            seconds(one.total_seconds.0),
            seconds(one.total_seconds.1),
            ranged(one.total),
            ranged(one.total_cpu),
            seconds(one.search_seconds.0),
            seconds(one.search_seconds.1),
            ranged(one.search),
            ranged(one.cpu),
        ]);
    }
    let blank = String::new;
    let mut differ = String::new();
    for one in summaries.iter().filter(|one| one.cycles) {
        let _ = write!(
            differ,
            "{}{} {}",
            if differ.is_empty() { "" } else { ", " },
            one.name,
            grouped(one.spin_states)
        );
    }
    rows.push([
        "geometric mean".to_owned(),
        blank(),
        blank(),
        blank(),
        mean(|one| middle(one.total)),
        mean(|one| middle(one.total_cpu)),
        blank(),
        blank(),
        mean(|one| middle(one.search)),
        mean(|one| middle(one.cpu)),
    ]);
    text.push_str(&markdown(&rows));
    if !differ.is_empty() {
        let _ = write!(
            text,
            "\nStates are pairs of a state of the model and one of the automaton, which is not the same for both. SPIN \
             stored: {differ}.\n"
        );
    }

    text.push_str(
        "\nStates per second of the search, in thousands. Memory is the peak resident size of the process that \
         searches. SPIN's contains a hash table and a stack of the sizes that the table's `-w` and `-m` fix, which is \
         most of it on small models, so there the ratio says little. *Net* bytes per state of ours are after 64 MiB \
         were subtracted (0 if it never held as much).\n\n",
    );
    let mut rows = vec![
        [
            "model",
            "SPIN k/s",
            "ours k/s",
            "SPIN MiB",
            "ours MiB",
            "less",
            "SPIN B/state",
            "ours B/state",
            "ours net",
        ]
        .map(str::to_owned),
    ];
    for one in summaries {
        let rate = |seconds: f64, least| {
            if seconds < least { "-".to_owned() } else { grouped(one.states / seconds / 1e3) }
        };
        rows.push([
            one.name.clone(),
            rate(one.search_seconds.0, SHORTEST),
            rate(one.search_seconds.1, 0.001),
            format!("{:.1}", one.peaks.0 / MIB),
            format!("{:.1}", one.peaks.1 / MIB),
            ratio(middle(one.peak)),
            format!("{:.1}", one.peaks.0 / one.states),
            format!("{:.1}", one.peaks.1 / one.states),
            format!("{:.1}", one.net(one.peaks.1)),
        ]);
    }
    let mut last: [String; 9] = Default::default();
    last[0] = "geometric mean".to_owned();
    last[5] = mean(|one| middle(one.peak));
    rows.push(last);
    text.push_str(&markdown(&rows));

    let extra = |one: &Summary| one.threads.is_some() || one.compressed.0.or(one.compressed.1).is_some();
    if summaries.iter().any(extra) {
        text.push_str(
            "\nTwo threads over one (search time, wall clock), SPIN's time from source to verdict over ours with two \
             threads, and compression: `--store tree` against `-DCOLLAPSE`, peak resident sizes.\n\n",
        );
        let mut rows = vec![
            [
                "model",
                "2 threads",
                "total",
                "COLLAPSE MiB",
                "tree MiB",
                "less",
                "COLLAPSE B/state",
                "tree B/state",
                "tree net",
            ]
            .map(str::to_owned),
        ];
        for one in summaries.iter().filter(|one| extra(one)) {
            let (spin, ours) = one.compressed;
            let tenths = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1}"));
            rows.push([
                one.name.clone(),
                ranged(one.threads),
                ranged(one.total_two),
                tenths(spin.map(|peak| peak / MIB)),
                tenths(ours.map(|peak| peak / MIB)),
                ratio(one.compression),
                tenths(spin.map(|peak| peak / one.states)),
                tenths(ours.map(|peak| peak / one.states)),
                tenths(ours.map(|peak| one.net(peak))),
            ]);
        }
        let mut last: [String; 9] = Default::default();
        last[0] = "geometric mean".to_owned();
        last[1] = mean(|one| middle(one.threads));
        last[2] = mean(|one| middle(one.total_two));
        last[5] = mean(|one| one.compression);
        rows.push(last);
        text.push_str(&markdown(&rows));
    }
    text.push_str("\nWhat was asked for, and what these figures say:\n\n");
    text.push_str(&bars(summaries));
    text
}

/// The bars that the project set itself. Those about cores and memory are for models over a million states.
fn bars(summaries: &[Summary]) -> String {
    let cycles = summaries.iter().any(|one| one.cycles);
    let mut rows = vec![["bar", "asked", "measured", "models", "met"].map(str::to_owned)];
    let mut add = |bar: &str, asked: f64, at_least: bool, count: usize, measured: Option<f64>| {
        let met = measured.map(|value| if at_least { value >= asked } else { value <= asked });
        rows.push([
            bar.to_owned(),
            format!("{} {asked}", if at_least { "at least" } else { "at most" }),
            measured.map_or("-".to_owned(), |value| format!("{value:.2}")),
            count.to_string(),
            met.map_or("not measured", |met| if met { "yes" } else { "no" }).to_owned(),
        ]);
    };
    let large = |one: &&Summary| one.states > LARGE;
    let all = |value: fn(&Summary) -> Option<f64>| summaries.iter().filter_map(value).collect::<Vec<f64>>();
    let of_large = |value: fn(&Summary) -> Option<f64>| {
        summaries.iter().filter(large).filter_map(value).collect::<Vec<f64>>()
    };
    let mean = |values: &[f64]| geometric_mean(values.iter().copied());
    let (search, cpu) = (all(|one| middle(one.search)), all(|one| middle(one.cpu)));
    let total = all(|one| middle(one.total));
    add("search time, geometric mean", 3.0, true, search.len(), mean(&search));
    if cycles {
        add("same in processor time", 3.0, true, cpu.len(), mean(&cpu));
        let threads = all(|one| middle(one.threads));
        add("two threads over one, geometric mean", 1.5, true, threads.len(), mean(&threads));
        return markdown(&rows);
    }
    add("search time, worst model", 1.2, true, search.len(), search.iter().copied().reduce(f64::min));
    add("same in processor time, geometric mean", 3.0, true, cpu.len(), mean(&cpu));
    add("same in processor time, worst model", 1.2, true, cpu.len(), cpu.iter().copied().reduce(f64::min));
    let total_two = all(|one| middle(one.total_two));
    add("source to verdict, one thread, geometric mean", 8.0, true, total.len(), mean(&total));
    add("same with two threads, the default here", 8.0, true, total_two.len(), mean(&total_two));
    let threads = of_large(|one| middle(one.threads));
    add("two threads over one, geometric mean", 1.7, true, threads.len(), mean(&threads));
    let tree = of_large(|one| Some(one.net(one.compressed.1?)));
    add(
        "net bytes per state with tree, worst model",
        16.0,
        false,
        tree.len(),
        tree.iter().copied().reduce(f64::max),
    );
    let compression = of_large(|one| one.compression);
    add("COLLAPSE over tree, nothing subtracted", 4.0, true, compression.len(), mean(&compression));
    // Where ours never reached 64 MiB there is no ratio; such models, our best, are left out.
    let net = of_large(|one| {
        let ours = one.compressed.1? - ALLOWANCE;
        (ours > 0.0).then_some(one.compressed.0? / ours)
    });
    add("COLLAPSE over tree, 64 MiB subtracted from ours", 4.0, true, net.len(), mean(&net));
    markdown(&rows)
}

/// Models that only we were asked about.
pub(crate) fn large(runs: &[(String, Run)]) -> String {
    let mut rows = vec![["model", "states", "s", "k/s", "peak MiB", "B/state"].map(str::to_owned)];
    for (name, run) in runs {
        rows.push([
            name.clone(),
            grouped(run.states.value),
            seconds(run.total),
            grouped(run.states.value / run.search / 1e3),
            format!("{:.0}", run.peak as f64 / MIB),
            format!("{:.1}", run.peak as f64 / run.states.value),
        ]);
    }
    markdown(&rows)
}

/// The header of the CSV file.
pub(crate) const CSV_COLUMNS: &str = "model,repetition,variant,engine,states,transitions,errors,total_s,total_cpu_s,\
                                      search_s,search_cpu_s,peak_rss_bytes,own_bytes_per_state,load,agrees\n";

/// One line of the CSV file.
pub(crate) fn csv(name: &str, run: &Run, agrees: bool) -> String {
    format!(
        "{name},{},{},{},{},{},{},{:.4},{:.4},{:.4},{:.4},{},{:.2},{},{agrees}\n",
        run.repetition,
        run.variant.name(),
        run.engine,
        run.states.value,
        run.transitions.value,
        run.errors,
        run.total,
        run.total_cpu,
        run.search,
        run.cpu,
        run.peak,
        run.own_bytes,
        run.load.split(' ').next().unwrap_or_default(),
    )
}

pub(crate) fn middle(spread: Option<Spread>) -> Option<f64> {
    spread.map(|spread| spread.median)
}

pub(crate) fn seconds(value: f64) -> String {
    format!("{value:.2}")
}

pub(crate) fn ratio(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.2}"))
}

pub(crate) fn ranged(value: Option<Spread>) -> String {
    value.map_or("-".to_owned(), |all| match all.least == all.most {
        true => format!("{:.2}", all.median),
        false => format!("{:.2} [{:.2}, {:.2}]", all.median, all.least, all.most),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(variant: Variant, repetition: u32, search: f64, peak: u64) -> Run {
        Run {
            variant,
            repetition,
            load: "0.5 1 2".to_owned(),
            states: Count::exact(2_000_000),
            transitions: Count::exact(5_000_001),
            errors: 0,
            total: search + 0.5,
            total_cpu: search + 0.5,
            search,
            cpu: search,
            peak,
            own_bytes: 20.0,
            engine: "test".to_owned(),
        }
    }

    fn entry(states: Option<u64>) -> Entry {
        let table = "# spin -a; gcc -O2\nname\tfile\tpan_flags\nm\tm.pml\t-c0\n";
        let mut table = crate::table::read(table, std::path::Path::new("")).unwrap();
        Entry { states, ..table.models.remove(0) }
    }

    #[test]
    fn ratios_are_of_neighbours() {
        // The machine was three times as slow in the second repetition, for both.
        let runs = [
            run(Variant::Ours, 1, 1.0, 100 << 20),
            run(Variant::Spin, 1, 3.0, 400 << 20),
            run(Variant::Spin, 2, 9.0, 400 << 20),
            run(Variant::Ours, 2, 3.0, 100 << 20),
            run(Variant::Threads, 1, 0.5, 100 << 20),
            run(Variant::Tree, 1, 2.0, 80 << 20),
            run(Variant::Collapse, 1, 4.0, 320 << 20),
        ];
        let summary = Summary::of("m", false, &runs).unwrap();
        assert_eq!(summary.search, spread([3.0, 3.0]));
        assert_eq!(middle(summary.peak), Some(4.0));
        assert_eq!(middle(summary.threads), Some(2.0));
        assert_eq!(summary.compression, Some(4.0));
        assert_eq!(summary.net(80.0 * MIB), 16.0 * MIB / 2e6);
        assert_eq!(summary.net(60.0 * MIB), 0.0);
        assert!(Summary::of("m", false, &runs[..1]).is_none(), "one side alone is no comparison");
        let text = tables(&[summary]);
        assert!(text.contains("| search time, geometric mean "), "{text}");
        assert!(text.contains("2,000,000"), "{text}");
    }

    #[test]
    fn searches_too_short_to_tell_have_no_ratio() {
        let runs = [run(Variant::Ours, 1, 0.001, 1), run(Variant::Spin, 1, 0.03, 1)];
        let summary = Summary::of("m", false, &runs).unwrap();
        assert!(summary.search.is_none() && summary.total.is_some());
    }

    #[test]
    fn wrong_counts_are_refused() {
        let ours = run(Variant::Ours, 1, 1.0, 1);
        assert_eq!(disagreement(&entry(Some(2_000_000)), &ours, None), None);
        assert!(disagreement(&entry(Some(2_000_001)), &ours, None).is_some());
        let mut spin = run(Variant::Spin, 1, 1.0, 1);
        assert_eq!(disagreement(&entry(None), &ours, Some(&spin)), None);
        spin.transitions = Count::exact(5_000_000);
        assert_eq!(
            disagreement(&entry(None), &ours, Some(&spin)).unwrap(),
            "elnath: 5000001 transitions instead of 5000000"
        );
    }

    #[test]
    fn wrong_verdicts_are_refused() {
        let property = Some(crate::table::Property { formula: "<> x".to_owned(), holds: false });
        let entry = Entry { property, ..entry(None) };
        let mut run = run(Variant::Ours, 1, 1.0, 1);
        assert_eq!(disagreement(&entry, &run, None).unwrap(), "elnath: the property holds");
        run.errors = 1;
        assert_eq!(disagreement(&entry, &run, None), None);
    }

    #[test]
    fn tools_as_they_come_agree_on_the_verdict() {
        let entry = Entry { as_they_come: true, ..entry(Some(7)) };
        let (ours, mut spin) = (run(Variant::Ours, 1, 1.0, 1), run(Variant::Spin, 1, 6.0, 1));
        assert_eq!(disagreement(&entry, &ours, Some(&spin)), None);
        spin.states = Count::exact(1_000_000);
        let text =
            crate::defaults::tables(&[Summary::of("m", false, &[ours.clone(), spin.clone()]).unwrap()]);
        let says = |bar: &str, what: &str| {
            let line = text.lines().find(|line| line.contains(bar)).unwrap();
            let cells: Vec<&str> = line.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect();
            assert_eq!(cells[2..].join(" "), what, "{text}");
        };
        says("states, geometric mean", "2.00 no");
        says("one thread, geometric mean", "4.33 yes");
        spin.errors = 1;
        assert!(disagreement(&entry, &ours, Some(&spin)).is_some());
    }

    #[test]
    fn lines_of_the_csv_file_have_all_columns() {
        let line = csv("m", &run(Variant::Spin, 1, 1.0, 1), true);
        assert_eq!(line.split(',').count(), CSV_COLUMNS.split(',').count(), "{line}");
    }
}
