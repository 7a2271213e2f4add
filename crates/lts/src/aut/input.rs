//! Where the text comes from: plain, gzip or zstd, told apart by the first bytes and not by the name, because standard
//! input has no name and people rename files.

use std::io::{self, Cursor, Read};

use flate2::read::MultiGzDecoder;

/// How the input was packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    Plain,
    Gzip,
    Zstd,
}

/// Looks at the first bytes and unpacks if they say so.
pub(super) fn unpack<'a>(mut input: impl Read + 'a) -> io::Result<(Packing, Box<dyn Read + 'a>)> {
    let mut magic = Vec::with_capacity(4);
    input.by_ref().take(4).read_to_end(&mut magic)?;
    let packing = match magic[..] {
        [0x1f, 0x8b, ..] => Packing::Gzip,
        // The second is a frame to be skipped, with which parallel compressors begin.
        [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18] => Packing::Zstd,
        _ => Packing::Plain,
    };
    let whole = Cursor::new(magic).chain(input);
    let text: Box<dyn Read + 'a> = match packing {
        Packing::Plain => Box::new(whole),
        Packing::Gzip => Box::new(MultiGzDecoder::new(whole)),
        Packing::Zstd => Box::new(zstd::Decoder::new(whole)?),
    };
    Ok((packing, text))
}

impl Packing {
    /// The message when reading failed halfway.
    pub(super) fn cannot_read(self, name: &str, error: &io::Error) -> String {
        let archive = match self {
            Packing::Plain => return cannot_open(name, error),
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
        };
        if error.kind() == io::ErrorKind::UnexpectedEof {
            return format!("`{name}` is truncated: its {archive} data ends too early");
        }
        format!("`{name}` is corrupt: its {archive} data cannot be unpacked ({error})")
    }
}

/// The message when a file cannot be read at all.
pub(super) fn cannot_open(name: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => format!("there is no file `{name}`"),
        io::ErrorKind::PermissionDenied => format!("no permission to read `{name}`"),
        io::ErrorKind::IsADirectory => format!("`{name}` is a directory, not a file"),
        _ => format!("cannot read `{name}`: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests may run as root, to whom nothing is forbidden, so this looks at the words only.
    #[test]
    fn a_refusal_is_said_in_plain_words() {
        let refused = io::Error::from(io::ErrorKind::PermissionDenied);
        assert_eq!(cannot_open("a.aut", &refused), "no permission to read `a.aut`");
        assert_eq!(Packing::Plain.cannot_read("a.aut", &refused), "no permission to read `a.aut`");
    }
}
