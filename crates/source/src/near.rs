//! The name that somebody may have meant.

/// The name most like this one, if one is like it at all; of several, the first in the order of names.
pub fn nearest<N: AsRef<str>>(name: &str, names: impl IntoIterator<Item = N>) -> Option<String> {
    let length = name.chars().count();
    let allowed = 1 + length / 4;
    let near = names.into_iter().filter_map(|other| {
        let other = other.as_ref();
        if other.len().max(name.len()) > LONGEST {
            return None;
        }
        let distance = distance(name, other);
        (distance <= allowed && distance < length).then(|| (distance, other.to_owned()))
    });
    near.min().map(|(_, name)| name)
}

/// Names longer than a line are not compared.
const LONGEST: usize = 80;

/// Levenshtein's, one row at a time, with capitals as good as small letters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.to_lowercase().chars().enumerate() {
        let mut corner = i;
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let changed = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        let names = ["send", "receive", "Open", "x"];
        assert_eq!(nearest("sned", names), Some("send".to_owned()));
        assert_eq!(nearest("OPEN", names), Some("Open".to_owned()));
        assert_eq!(nearest("close", names), None);
        assert_eq!(nearest("y", names), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
