//! A model in Rust in the explorer: two hands that go round and must never meet. `cargo run --release -p elnath-explore --example explore_clock`

use elnath::{Model, Property};
use elnath_explore::Explorer;

/// The hands of a clock, each at one of twelve hours.
struct Clock;

impl Model for Clock {
    type State = (u8, u8);
    type Action = &'static str;

    fn initial(&self) -> (u8, u8) {
        (0, 6)
    }

    fn actions(&self, _: &(u8, u8), actions: &mut Vec<&'static str>) {
        actions.extend(["the short hand moves by one", "the long hand moves by five"]);
    }

    fn next(&self, &(short, long): &(u8, u8), action: &&'static str) -> Option<(u8, u8)> {
        Some(if action.starts_with("the short") {
            ((short + 1) % 12, long)
        } else {
            (short, (long + 5) % 12)
        })
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("the hands are apart", |_, (short, long)| short != long)]
    }
}

#[allow(clippy::print_stdout)]
fn main() -> std::io::Result<()> {
    let server = Explorer::of_model("clock", Clock).bind(0)?;
    println!("{}", server.url());
    // Ctrl-C ends the process, and nothing is left.
    server.serve(&|| false)
}
