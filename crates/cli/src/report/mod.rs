//! How answers are shown: as text, as JSON, as plots, and while there is none yet as progress.

pub(crate) mod json;
pub(crate) mod plot;
pub(crate) mod progress;
pub(crate) mod render;
pub(crate) mod story;
pub(crate) mod terminal;
