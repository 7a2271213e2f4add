//! k-multiparty compatibility of the inputs of the tool KMC, which are models from outside (`elnath_testkit::corpus`). Every verdict is
//! recorded here; `conformance compatibility --part kmc` compares them with the definitions.

use elnath::{Compatible, LoadOptions, Loaded, Verdict};
use elnath_testkit::corpus::folder_for;
use std::path::Path;

/// The greatest capacity that is tried here.
const MOST: u32 = 5;

/// Name, verdict, the capacity that counts, and for which channels the verdict is one.
const VERDICTS: &str = "\
4pgame compatible 1 directed
async-paper-ext-rev compatible 1 directed
async-paper-ext compatible 1 directed
async-paper compatible 1 directed
autotest1 compatible 2 directed
basic compatible 1 never full
bounds-n compatible 5 directed
bounds-norec-3 compatible 3 directed
bounds-norec compatible 5 directed
bounds compatible 5 directed
ce-proj-rcv compatible 1 directed
ce-reduced-obi-norec-rcv incompatible 2 never full
ce-reduced-obi-norec incompatible 2 never full
ce-reduced-obi incompatible 5 capacity
ce-rts-finite-mini compatible 1 directed
ce-rts-finite compatible 1 directed
classicbadglobal incompatible 1 never full
com1 incompatible 2 never full
concur18ce-fsm incompatible 1 directed
concur18ce incompatible 1 directed
cycle incompatible 5 capacity
desai-figure9 incompatible 5 capacity
double-buffer2 compatible 2 directed
ex-benchmark compatible 3 never full
ex2-2-1 compatible 2 directed
ex3-2-1 compatible 2 directed
fibo compatible 1 never full
fig3-3 compatible 1 directed
forall compatible 1 never full
game compatible 1 directed
guessing compatible 1 directed
http-fsm compatible 1 directed
infinite incompatible 5 capacity
infsndad incompatible 5 capacity
ininite incompatible 5 capacity
init1 compatible 1 never full
initkn compatible 3 directed
july1 compatible 1 directed
july2 compatible 1 never full
july3 incompatible 5 capacity
kexist-not-exh-2 compatible 1 directed
kexist-not-kexh incompatible 5 capacity
kinput compatible 1 never full
kraceindep incompatible 2 never full
lmcs compatible 1 directed
lmcs2 compatible 1 never full
lmcs3 incompatible 5 capacity
lmcs4 incompatible 1 never full
loop compatible 1 directed
loops compatible 1 directed
need-for-reduction compatible 1 never full
negotiate compatible 1 never full
non-dir-rcv compatible 2 never full
non-dir-send compatible 1 never full
nondirpor compatible 1 never full
nonsink-loop compatible 1 directed
nonstable compatible 2 directed
not-infinite compatible 1 directed
notexistbounded incompatible 2 directed
notksynk compatible 1 directed
notrecvbisim compatible 1 directed
opt-1 incompatible 2 directed
origin compatible 1 never full
partialordercycle compatible 1 directed
partialorderdoublecycle compatible 1 directed
philo-bad-directed-simp incompatible 1 never full
philo-bad-directed incompatible 1 independent
philo-bad incompatible 2 never full
philo-nondet incompatible 1 never full
philo incompatible 1 never full
pl-test compatible 1 directed
por-opt1 compatible 1 never full
por-opt2 compatible 1 never full
por-opt3 incompatible 1 never full
por-opt4 incompatible 1 never full
porchoice compatible 1 never full
pretty-game-v2 compatible 1 directed
pretty-game-v3 compatible 1 directed
pretty-game-v4 compatible 1 directed
pretty-game compatible 1 directed
rcv-p-mixed compatible 2 never full
recv-bisim-k compatible 4 never full
recv-bisim-result compatible 1 never full
recv-bisim compatible 1 never full
reducedcibi incompatible 2 never full
rock-paper-scissor-rec compatible 1 independent
rock-paper-scissor-simp compatible 1 never full
rock-paper-scissor compatible 1 never full
running-example compatible 1 directed
selfloops compatible 1 never full
send-proj-notcsa compatible 1 never full
sendprojnotkexh incompatible 1 never full
sendprojnotsafe incompatible 1 never full
sendshuffle compatible 1 never full
sh compatible 1 directed
smtp compatible 1 directed
snd-proj-eq-1 compatible 1 never full
sndprojnocommute compatible 1 never full
sndprojnocommute2-res incompatible 2 never full
sndprojnocommute2 compatible 1 directed
sndprojnotcsa compatible 1 never full
stable compatible 3 directed
test compatible 1 directed
trace-1 compatible 1 directed
trace-2 incompatible 1 directed
trace-3 incompatible 1 directed
trace-4 incompatible 1 directed
travel-agency compatible 1 directed
twoexhnotonexh compatible 2 directed
worsecase compatible 1 directed";

fn load(folder: &Path, name: &str) -> Loaded {
    let path = folder.join("kmc").join(format!("{name}.txt"));
    elnath::load(&path, &LoadOptions::default())
        .unwrap_or_else(|error| panic!("{name}: {:?}", error.into_messages()))
}

fn word<E>(verdict: &Verdict<E>) -> &'static str {
    match verdict {
        Verdict::Holds(_) => "compatible",
        Verdict::Fails(_) => "incompatible",
        Verdict::Unknown(_) => "unknown",
    }
}

#[test]
fn verdicts_on_the_inputs_of_kmc_are_as_recorded() {
    let Some(corpus) = folder_for("k-multiparty compatibility of KMC's inputs", "cfsm") else { return };
    let mut found = String::new();
    let mut names: Vec<String> = std::fs::read_dir(corpus.join("kmc"))
        .expect("a folder")
        .map(|entry| {
            entry.expect("an entry").path().file_stem().expect("a name").to_string_lossy().into_owned()
        })
        .collect();
    names.sort();
    for name in names {
        let loaded = load(&corpus, &name);
        let report =
            Compatible::of(&loaded).max_k(MOST).run().unwrap_or_else(|problem| panic!("{name}: {problem}"));
        let figures = &report.first().figures;
        found += &format!(
            "{name} {} {} {}\n",
            word(&report.verdict()),
            figures.decisive().k,
            figures.scope().name()
        );
    }
    let (mut expected, mut found): (Vec<&str>, Vec<&str>) =
        (VERDICTS.lines().collect(), found.lines().collect());
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
}

/// What the documentation of KMC says: `ex-benchmark` is not 1-MC and not 2-MC but 3-MC, `running-example` is directed and 3-MC; systems made by
/// its generator with a batch of n, such as `ex2-2-1` (n = 2), are n-MC and for no smaller bound. And what the names of its tests say.
#[test]
fn verdicts_are_those_that_kmc_states() {
    let Some(corpus) = folder_for("what KMC states of its inputs", "cfsm") else { return };
    for (name, compatible) in [
        ("ex-benchmark", [false, false, true]),
        ("running-example", [true, true, true]),
        ("ex2-2-1", [false, true, true]),
        ("ex3-2-1", [false, true, true]),
        ("bounds-norec-3", [false, false, true]),
        ("twoexhnotonexh", [false, true, true]),
        ("kexist-not-kexh", [false, false, false]),
        ("notexistbounded", [false, false, false]),
    ] {
        let loaded = load(&corpus, name);
        for (k, expected) in (1..).zip(compatible) {
            let report = Compatible::of(&loaded).k(k).run().expect("session automata");
            assert_eq!(matches!(report.verdict(), Verdict::Holds(_)), expected, "{name}, k = {k}");
            let figures = &report.first().figures;
            assert!(name != "running-example" || figures.directed, "{name} is basic");
        }
    }
}
