//! How answers are shown: as text, as JSON, as plots, and while there is none yet as progress.

mod advice;
pub(crate) mod bounded;
pub(crate) mod branching;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod compatible;
pub(crate) mod components;
pub(crate) mod json;
pub(crate) mod net_bounds;
pub(crate) mod nets;
pub(crate) mod plot;
pub(crate) mod progress;
pub(crate) mod properties;
pub(crate) mod reduce;
pub(crate) mod render;
pub(crate) mod story;
pub(crate) mod terminal;
