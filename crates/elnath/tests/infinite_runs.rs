//! Formulas over the infinite runs of models written in Rust.

use elnath::{Check, Model, Property, Verdict, ViolatingRun};

/// A lamp that somebody may switch; switched off twice it is broken for ever.
struct Lamp;

impl Model for Lamp {
    type State = (bool, u8);
    type Action = &'static str;

    fn initial(&self) -> (bool, u8) {
        (false, 0)
    }
    fn actions(&self, state: &(bool, u8), actions: &mut Vec<&'static str>) {
        if state.1 < 2 {
            actions.push("switch");
        }
    }
    fn next(&self, state: &(bool, u8), _: &&'static str) -> Option<(bool, u8)> {
        Some((!state.0, state.1 + u8::from(state.0)))
    }
    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("lit", |_, state: &(bool, u8)| state.0),
            Property::always("broken", |_, state: &(bool, u8)| state.1 == 2),
        ]
    }
}

fn verdict(formula: &str) -> Verdict<ViolatingRun> {
    let check = Check::model(&Lamp).ltl(formula).unwrap_or_else(|messages| panic!("{}", messages[0]));
    check.run().expect("an answer").into_verdict()
}

#[test]
fn propositions_are_the_models_properties() {
    assert!(matches!(verdict("F broken"), Verdict::Holds(_)));
    assert!(matches!(verdict("G(lit -> X !lit)"), Verdict::Holds(_)));
    assert!(matches!(verdict("G F lit"), Verdict::Fails(_)), "the last state lasts for ever");
    assert!(matches!(verdict("G(action(switch) -> X lit)"), Verdict::Fails(_)));
    assert!(matches!(verdict("action(switch) && X lit"), Verdict::Holds(_)));
}

#[test]
fn the_lasso_is_in_the_report() {
    let report = Check::model(&Lamp).ltl("G F lit").expect("a good formula").run().expect("an answer");
    let temporal = report.first().figures.temporal.as_ref().expect("it was a temporal question");
    assert_eq!(report.first().verdict.evidence().and_then(|shown| shown.loop_start), Some(4));
    assert_eq!(report.story().len(), 5);
    assert_eq!(temporal.reading(), "all runs; the last state of a run that ends lasts for ever");
    let ignoring = temporal.property.clone().stutter(false);
    let report = Check::model(&Lamp).property(ignoring).run().expect("an answer");
    assert!(matches!(report.verdict(), Verdict::Holds(_)), "there is no infinite run");
}

#[test]
fn unknown_propositions_are_named() {
    let Err(messages) = Check::model(&Lamp).ltl("G(lit -> F brokne)") else { panic!("there is no brokne") };
    assert_eq!(messages[0].help.as_deref(), Some("did you mean `broken`?"));
    let place = messages[0].place.as_ref().map(elnath::source::Place::column);
    assert_eq!(place, Some(12));
}
