//! The protocol and its service from their texts in LOTOS, which are examples for users too.
//!
//! With [`StateIdentity::Caesar90`] a state has the values that the paper's compiler kept, and the numbers of states and
//! transitions are the paper's.

use elnath::{LoadOptions, Range, StateIdentity, System};
use std::path::Path;
use std::sync::Arc;

/// Which text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatalinkText {
    /// The protocol.
    Protocol,
    /// The protocol whose transmitter waits for the wrong acknowledgement.
    Faulty,
    /// The service.
    Service,
}

impl DatalinkText {
    fn source(self) -> (&'static str, &'static str) {
        match self {
            Self::Protocol => ("datalink.lotos", include_str!("../../../../examples/lotos/datalink.lotos")),
            Self::Faulty => {
                ("datalink-faulty.lotos", include_str!("../../../../examples/lotos/datalink-faulty.lotos"))
            }
            Self::Service => {
                ("datalink-service.lotos", include_str!("../../../../examples/lotos/datalink-service.lotos"))
            }
        }
    }

    /// The system of this text with so many messages.
    pub fn system(self, messages: u16, identity: StateIdentity) -> Arc<dyn System> {
        let (name, text) = self.source();
        let range = Range { sort: "Msg".to_owned(), least: 0, greatest: i64::from(messages) - 1 };
        let options =
            LoadOptions { input: Some(text.into()), ranges: vec![range], identity, ..LoadOptions::default() };
        match elnath::load(Path::new(name), &options) {
            Ok(loaded) => loaded.system,
            Err(error) => unreachable!("our own text is well formed: {error:?}"),
        }
    }
}
