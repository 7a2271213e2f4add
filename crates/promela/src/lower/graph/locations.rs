//! From elements to locations and commands.
//!
//! The elements at which a process can rest become locations, and the commands of a location are those of the first elements
//! it stands for. Two rules say where a step really leads and which elements are passed through: [`Builder::hop`] and
//! [`Builder::first_of_option`].

use super::{Builder, Element, ElementId, Kind};
use crate::lower::text;
use crate::model::LabelId;
use elnath_program::ir::{Command, CommandId, Guard, Loc, Location, Sync};
use std::collections::BTreeMap;

impl Builder<'_, '_> {
    /// Where an element that is passed through leads; nothing for all others.
    pub(super) fn passed_to(&self, id: ElementId) -> Option<ElementId> {
        match &self.get(id).kind {
            Kind::Goto(label) => self.labels.get(label).copied(),
            Kind::Break(target) => Some(*target),
            Kind::Join | Kind::BreakTarget => self.get(id).next,
            _ => None,
        }
    }

    /// The hop rule: where a step that leads to `target` ends. Jumps and joins are passed through, unless the step is
    /// atomic and passing through would leave the atomic sequence: then it is a step of its own.
    pub(super) fn hop(&self, target: ElementId, atomic: bool) -> ElementId {
        let mut at = target;
        // A goto that leads to itself must not keep us here for ever.
        for _ in 0..=self.elements.len() {
            // A process rests at an `unless` with a label, so that a jump its main part begins with is a step.
            if let Element { kind: Kind::Unless(main), labels, .. } = self.get(at)
                && labels.is_empty()
            {
                at = *main;
                continue;
            }
            match self.passed_to(at) {
                Some(next) if !atomic || self.get(next).atomic => at = next,
                _ => break,
            }
        }
        at
    }

    /// The option rule: at the beginning of an option or block only joins and `unless` are passed through.
    fn first_of_option(&self, first: ElementId) -> ElementId {
        let mut at = first;
        loop {
            at = match self.get(at).kind {
                Kind::Unless(main) => main,
                Kind::Join | Kind::BreakTarget => match self.get(at).next {
                    Some(next) => next,
                    None => return at,
                },
                _ => return at,
            }
        }
    }

    /// The elements whose commands a resting place stands for.
    fn leaders(&self, at: ElementId, depth: usize, found: &mut Vec<ElementId>) {
        // Blocks nest as deep as the text; anything deeper is a jump in circles.
        if depth > self.elements.len() {
            return;
        }
        match &self.get(at).kind {
            Kind::Selection(options) => {
                for &option in options {
                    let first = self.first_of_option(option);
                    if self.is_entered_unasked(first) {
                        found.push(first);
                    } else {
                        self.leaders(first, depth + 1, found);
                    }
                }
            }
            Kind::Block(first) | Kind::Unless(first) => {
                self.leaders(self.first_of_option(*first), depth + 1, found);
            }
            _ => found.push(at),
        }
    }

    /// Within a deterministic sequence, an option that begins with a block or a selection is taken without asking.
    fn is_entered_unasked(&self, first: ElementId) -> bool {
        let element = self.get(first);
        element.inside_d_step && matches!(element.kind, Kind::Block(_) | Kind::Selection(_))
    }

    /// The location of an element at which a process rests.
    pub(super) fn location(&mut self, id: ElementId) -> Loc {
        if let Some(&known) = self.locations.get(&id) {
            return known;
        }
        let loc = Loc(self.built.locations.len() as u32);
        self.locations.insert(id, loc);
        self.built.locations.push(Location::default());
        self.built.places.push(self.get(id).origin);
        self.queue.push(id);
        loc
    }

    /// Makes the commands of all locations that can be reached, and then names the locations.
    pub(super) fn finish(&mut self) {
        while let Some(id) = self.queue.pop() {
            let loc = self.locations[&id];
            let groups = self.groups(id);
            self.built.locations[loc.index()].groups = groups;
            self.built.locations[loc.index()].end |= matches!(self.get(id).kind, Kind::End);
        }
        self.name_locations();
    }

    /// The steps of a location: those of the escapes, then its own.
    ///
    /// SPIN goes through the elements in the order in which it made them and puts copies of the escapes' steps before
    /// each element's own, the innermost first, so that the outermost ends up in front. What an escape begins with may
    /// itself be under an outer escape, whose steps are copied along if that has been done already, that is, for
    /// elements made after the escape: blocks and selections with an `unless` in them, and the main part of an `unless`
    /// if that is not a plain block. Then the outer escape competes with the inner one instead of going before it.
    fn steps(&self, id: ElementId) -> Vec<Vec<ElementId>> {
        let mut leaders = Vec::new();
        self.leaders(id, 0, &mut leaders);
        let mut known = leaders.clone();
        let mut groups = vec![leaders.clone()];
        // A selection whose options are all gone (`if :: false fi`) can be escaped from all the same.
        if leaders.is_empty() {
            leaders.push(id);
        }
        for leader in leaders {
            // SPIN gives a join no escapes.
            if matches!(self.get(leader).kind, Kind::Join) {
                continue;
            }
            for &escape in self.get(leader).escapes.iter().rev() {
                // The jump at the beginning of an escape is no step, unless it leaves an atomic sequence: what it leads to
                // is what the escape begins with.
                let first = self.hop(escape, self.get(escape).inside_atomic);
                let mut steps = Vec::new();
                if self.get(first).made < self.get(id).made {
                    steps.extend(self.steps(first).into_iter().flatten());
                } else {
                    self.leaders(first, 0, &mut steps);
                }
                steps.retain(|step| !known.contains(step));
                if !steps.is_empty() {
                    known.extend(&steps);
                    groups.insert(0, steps);
                }
            }
        }
        groups
    }

    fn groups(&mut self, id: ElementId) -> Vec<Vec<CommandId>> {
        let mut leaders = Vec::new();
        self.leaders(id, 0, &mut leaders);
        self.account.resting.extend(leaders);
        let groups = self.steps(id);
        let groups: Vec<Vec<ElementId>> =
            groups.into_iter().map(|group| self.without_second_else(group)).collect();
        let groups: Vec<Vec<CommandId>> = groups
            .into_iter()
            .map(|group| group.into_iter().filter_map(|id| self.command(id)).collect())
            .collect();
        for group in &groups {
            let otherwise = |id: &&CommandId| self.built.commands[id.index()].guard == Guard::Else;
            if group.iter().filter(otherwise).count() > 1 {
                let span = self.get(id).span;
                self.data.complain("two `else` compete here", span);
            }
        }
        groups
    }

    /// The `else` of a deterministic sequence may meet another one, of which then only the first can ever be executed. (Two
    /// that are statements of their own are refused, as SPIN does.)
    fn without_second_else(&mut self, mut group: Vec<ElementId>) -> Vec<ElementId> {
        let is_else = |id: &ElementId| match &self.get(*id).kind {
            Kind::DeterministicElse => true,
            Kind::Step { guard, .. } => *guard == Guard::Else,
            _ => false,
        };
        let all: Vec<ElementId> = group.iter().copied().filter(is_else).collect();
        let plain = all.iter().filter(|id| !matches!(self.get(**id).kind, Kind::DeterministicElse)).count();
        if let ([_, lost @ ..], true) = (&all[..], plain <= 1) {
            group.retain(|id| !lost.contains(id));
            self.account.dead.extend(lost);
        }
        group
    }

    /// The command of an element that is a step (or is entered by one); copies for several locations are separate commands.
    fn command(&mut self, id: ElementId) -> Option<CommandId> {
        let element = self.get(id);
        let entered = self.is_entered_unasked(id);
        // From the `else` before a deterministic sequence, the process goes on to the sequence.
        let atomic = element.atomic || matches!(element.kind, Kind::DeterministicElse);
        let (span, next) = (element.span, element.next);
        let text = element.text.map(str::to_owned);
        let event = match &element.kind {
            Kind::Event(event) => Some(event.clone()),
            _ => None,
        };
        let (guard, sync, effects) = match &element.kind {
            Kind::Step { guard, sync, effects } => (guard.clone(), sync.clone(), effects.clone()),
            Kind::Event(_) | Kind::Goto(_) | Kind::Break(_) | Kind::Join | Kind::BreakTarget => {
                (Guard::Always, Sync::None, Vec::new())
            }
            Kind::Deterministic(first, end) => {
                let (first, end) = (*first, *end);
                let entry = self.hop(first, false);
                let (entry, exit) = (self.location(entry), self.location(end));
                (Guard::Body { entry, exit }, Sync::None, Vec::new())
            }
            Kind::DeterministicElse => (Guard::Else, Sync::None, Vec::new()),
            Kind::End => (Guard::Exit, Sync::None, Vec::new()),
            Kind::Selection(_) | Kind::Block(_) if entered => (Guard::Always, Sync::None, Vec::new()),
            Kind::DeterministicEnd | Kind::Selection(_) | Kind::Block(_) | Kind::Unless(_) => return None,
        };
        self.account.commanded.insert(id);
        let text = match (text, &guard) {
            (_, Guard::Exit) => "-end-".to_owned(),
            _ if entered => ".(goto)".to_owned(),
            (Some(text), _) => text,
            (None, _) => {
                let written = self.data.text(span);
                let made_up = || text::of(self.data, &guard, &sync, &effects);
                if self.get(id).generated || !text::is_whole(&written) {
                    made_up().unwrap_or(written)
                } else {
                    written
                }
            }
        };
        let target = match self.passed_to(id).or(next) {
            Some(target) if !entered => {
                let target = self.hop(target, atomic);
                self.location(target)
            }
            _ => self.location(id),
        };
        let place = Some(self.data.place(span));
        self.built.events.push(event);
        self.built.origins.push(self.get(id).origin);
        self.built.commands.push(Command { guard, sync, effects, target, atomic, text, place });
        Some(CommandId(self.built.commands.len() as u32 - 1))
    }

    /// Gives locations the names and the meaning of labels. A label on the first statement of a block names the place before
    /// the block too. One on the first statement of an option names nothing, since nobody rests there: SPIN lets it end,
    /// accept or progress behind that statement, but no one is ever seen at it.
    pub(super) fn name_locations(&mut self) {
        let mut named: Vec<(LabelId, ElementId)> =
            self.labels.iter().map(|(&label, &id)| (label, id)).collect();
        for &at in self.locations.keys() {
            for inner in self.begun_with(at) {
                named.extend(self.get(inner).labels.iter().map(|&label| (label, at)));
            }
        }
        named.sort_by_key(|(label, id)| (*label, id.0));
        let mut places: BTreeMap<LabelId, Vec<Loc>> = BTreeMap::new();
        for (label, id) in named {
            // A label before an `unless` or a join names what is behind it.
            let id = if matches!(self.get(id).kind, Kind::Unless(_)) { self.hop(id, false) } else { id };
            let Some(&loc) = self.locations.get(&id) else { continue };
            places.entry(label).or_default().push(loc);
            let name = self.process.labels[label.index()].name.to_string();
            self.built.locations[loc.index()].labels.push(name);
            self.mark(loc, label);
        }
        for (label, places) in places {
            self.data.labels_at(label, places);
        }
        for (label, first) in std::mem::take(&mut self.moved_labels) {
            let element = self.get(first);
            if let Some(target) = self.passed_to(first).or(element.next)
                && let Some(&loc) = self.locations.get(&self.hop(target, element.atomic))
            {
                self.mark(loc, label);
            }
        }
    }

    /// The elements that whoever rests at `at` is about to begin with, other than by a choice.
    fn begun_with(&self, at: ElementId) -> Vec<ElementId> {
        let (mut at, mut found) = (at, Vec::new());
        while let Kind::Block(first) | Kind::Deterministic(first, _) = self.get(at).kind
            && found.len() <= self.elements.len()
        {
            at = self.first_of_option(first);
            found.push(at);
        }
        found
    }

    /// What a label means for who rests at a location.
    fn mark(&mut self, loc: Loc, label: LabelId) {
        let label = &self.process.labels[label.index()];
        let location = &mut self.built.locations[loc.index()];
        location.end |= label.is_end();
        location.accept |= label.is_accept();
        location.progress |= label.is_progress();
    }
}
