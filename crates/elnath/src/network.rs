//! Networks of components from `.net` files: where the components come from.
//!
//! A component is any model in any language, found by its name relative to the network's file. Programs are seen from
//! outside, so that their labels are messages with values; a network in a network is a component like others. The labels
//! of graphs are known beforehand, and so are those of networks of graphs.

use crate::frontend::{LoadError, LoadOptions, Loaded, load};
use crate::labels;
use crate::property::{self, actions::Actions};
use crate::subject::Subject;
use elnath_kernel::System;
use elnath_net::{Built, Network, NotLoaded, Part, build, parse};
use elnath_source::{Message, SourceText, codes, nearest};
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A network that was read.
pub struct LoadedNetwork {
    /// The network.
    pub network: Arc<Network>,
    /// All labels that it may have, if they are known beforehand; without regard to [`LoadOptions::rules`].
    pub labels: Option<Arc<HashSet<String>>>,
    /// What is doubtful about it or its components.
    pub warnings: Vec<Message>,
}

/// Reads a network and its components.
///
/// # Errors
/// All that is wrong with any of the files, or that a component is too large.
pub fn load_network(path: &Path, options: &LoadOptions) -> Result<LoadedNetwork, LoadError> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| {
        vec![Message::about_file(format!("cannot read {name}: {error}")).code(codes::UNREADABLE)]
    })?;
    let source = SourceText::new(name, text);
    let file = parse(&source)?;
    let mut within = options.within.clone();
    within.push(identity(path));
    // A language that was named is the network's; its components have their own. Rules are for the labels of the network.
    let mut options = LoadOptions {
        language: None,
        property: None,
        observed: true,
        rules: None,
        within,
        ..options.clone()
    };
    let mut warnings = Vec::new();
    // Running out of memory is no error of the file: it is passed on as it is.
    let mut too_large = None;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut component = |name: &str| {
        let path = folder.join(name);
        if !path.is_file() {
            return Err(NotLoaded::Missing(near(&path, name)));
        }
        if let Some(at) = options.within.iter().position(|other| *other == identity(&path)) {
            let names = options.within[at..].iter().chain([&options.within[at]]);
            let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            return Err(NotLoaded::Within(names.map(name).collect()));
        }
        let loaded = part(&path, &options).map_err(|error| match error {
            LoadError::Broken(messages) => NotLoaded::Broken(messages),
            LoadError::TooLarge { transitions } => {
                too_large = Some(transitions);
                NotLoaded::Broken(Vec::new())
            }
        })?;
        let (part, doubtful) = loaded;
        warnings.extend(doubtful);
        options.memory = options.memory.map(|memory| memory.saturating_sub(part.system.bytes()));
        Ok(part)
    };
    let built = build(&source, &file, &mut component);
    if let Some(transitions) = too_large {
        return Err(LoadError::TooLarge { transitions });
    }
    let Built { network, labels, warnings: doubtful } = built?;
    warnings.extend(doubtful);
    Ok(LoadedNetwork { network: Arc::new(network), labels, warnings })
}

/// Reads a network as a model.
pub(crate) fn load_net(path: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let LoadedNetwork { network, labels, warnings } = load_network(path, options)?;
    let rules = options.rules.clone();
    let whole = Arc::clone(&network);
    let system = labels::relabelled(network, rules.as_ref(), !options.observed);
    let new = |labels: Arc<HashSet<String>>| -> BTreeSet<String> {
        match &rules {
            Some(rules) => labels::all_of(labels.iter().map(String::as_str), rules),
            None => labels.iter().cloned().collect(),
        }
    };
    let internal = labels::internal(options.taus.clone(), true);
    let actions = Actions::of_network(labels.map(new), internal);
    let mut loaded = Loaded {
        actions: Some(actions.clone()),
        subject: Subject::System(Arc::clone(&system)),
        system,
        explicit: None,
        program: None,
        trail: None,
        engine: "network",
        claims: Vec::new(),
        formulas: Vec::new(),
        formula_texts: Vec::new(),
        unreadable: Vec::new(),
        input: None,
        machines: None,
        property: None,
        together: Vec::new(),
        rules,
        lotos: None,
        network: Some(whole),
        petri: None,
        estelle: None,
        warnings,
    };
    if let Some(wanted) = &options.property {
        property::of_actions(&mut loaded, &actions, wanted, &options.formulas)?;
    }
    Ok(loaded)
}

/// One component, and what is doubtful about it.
fn part(path: &Path, options: &LoadOptions) -> Result<(Part, Vec<Message>), LoadError> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("net")) {
        let LoadedNetwork { network, labels, warnings } = load_network(path, options)?;
        return Ok((Part { system: network, labels, length: None }, warnings));
    }
    let Loaded { system, explicit, warnings, .. } = load(path, options)?;
    let part = match explicit {
        Some(lts) => {
            let labels = lts.labels().iter().map(str::to_owned).collect();
            // The number of a state.
            let length = Some(size_of::<u32>());
            Part { system: lts as Arc<dyn System>, labels: Some(Arc::new(labels)), length }
        }
        None => Part { system, labels: None, length: None },
    };
    Ok((part, warnings))
}

/// The same for two names of one file.
fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The name of a file in the same folder that may have been meant.
fn near(path: &Path, name: &str) -> Option<String> {
    let wanted = path.file_name()?.to_string_lossy().into_owned();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let files = std::fs::read_dir(folder).ok()?.flatten();
    let found = nearest(&wanted, files.map(|file| file.file_name().to_string_lossy().into_owned()))?;
    let folder = &name[..name.len() - wanted.len().min(name.len())];
    Some(format!("{folder}{found}"))
}
