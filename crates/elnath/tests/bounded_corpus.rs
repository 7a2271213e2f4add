//! The verdicts on public models of communicating machines, which are models from outside (`elnath_testkit::corpus`): none
//! may crash, and none may contradict an independent program.

use elnath::Verdict;
use elnath::bounded::Bounded;
use elnath_testkit::corpus::folder_for;

#[test]
fn verdicts_on_public_models_agree() {
    let Some(corpus) = folder_for("the tests of boundedness on public models", "cfsm") else { return };
    let results = std::fs::read_to_string(corpus.join("RESULTS.tsv")).expect("the table of results");
    let mut counts = [0, 0, 0];
    for line in results.lines().filter(|line| !line.starts_with('#')) {
        let mut columns = line.split('\t');
        let (file, theirs) = (columns.next().unwrap_or_default(), columns.next().unwrap_or_default());
        let loaded = elnath::load(&corpus.join(file), &elnath::LoadOptions::default())
            .unwrap_or_else(|error| panic!("{file}: {:?}", error.into_messages()));
        let report = Bounded::of(&loaded).firings(5000).run().expect("machines have channels");
        let ours = match report.verdict() {
            Verdict::Holds(_) => {
                counts[0] += 1;
                "bounded"
            }
            Verdict::Fails(_) => {
                counts[1] += 1;
                let (run, begins) = report.first().flood_run(3).expect("it floods");
                assert!(run.steps.len() > begins, "{file}");
                "unbounded"
            }
            Verdict::Unknown(_) => {
                counts[2] += 1;
                "unknown"
            }
        };
        if matches!(theirs, "bounded" | "unbounded") && ours != "unknown" {
            assert_eq!(ours, theirs, "{file}");
        }
    }
    assert_eq!(counts, [86, 28, 0], "bounded, unbounded, unknown");
}
