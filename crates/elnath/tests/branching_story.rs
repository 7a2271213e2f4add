//! What is said of the evidence of a formula of branching time, in one line.

use elnath::branching::{Branching, BranchingProperties};

/// A door that may be opened and shut, and jams.
const DOOR: &str = "des (0, 5, 4)\n(0, \"open\", 1)\n(1, \"close\", 0)\n(1, \"jam\", 2)\n(2, \"knock\", 2)\n(0, \"paint\", 3)\n";

fn story(name: &str, graph: &str, formula: &str) -> String {
    let folder = std::env::temp_dir().join(format!("elnath-story-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, graph).unwrap();
    let properties = BranchingProperties::parse(formula).unwrap();
    let options = elnath::LoadOptions { property: Some(properties.wanted()), ..Default::default() };
    let loaded = elnath::load(&path, &options).map_err(|_| ()).unwrap();
    let report = Branching::of(&loaded, properties).unwrap().run().unwrap();
    report.properties[0].figures.story_in_short().unwrap_or_default()
}

#[test]
fn a_story_names_the_way_and_what_can_never_happen_after_it() {
    for (formula, told) in [
        ("AG EF <close> true", "after paint, no step is possible"),
        (
            "[true* . jam] <true* . close> true",
            "after open, jam, whatever happens next, `close` is never possible",
        ),
        ("AF <jam> true", "after paint, no step is possible"),
        ("EF <knock> true", "after open, jam, `knock` is possible"),
        ("<true* . (knock*)> @", "after open, jam, knock again and again"),
        ("AG EX true", "after paint, no step is possible"),
        ("[close] false", "`close` is not possible"),
        ("nu X. X", "`nu X. X` holds"),
    ] {
        assert_eq!(story("door.aut", DOOR, formula), told, "{formula}");
    }
}

#[test]
fn what_is_inevitable_is_told_with_the_most_steps_that_it_takes() {
    let tree =
        "des (0, 5, 5)\n(0, \"a\", 1)\n(0, \"b\", 2)\n(1, \"c\", 3)\n(2, \"goal\", 4)\n(3, \"goal\", 4)\n";
    assert_eq!(
        story("tree.aut", tree, "AF <goal> true"),
        "whatever happens next, after at most 2 steps `goal` is possible"
    );
    assert_eq!(story("tree.aut", tree, "AG EF <goal> true"), "after b, goal, no step is possible");
}
