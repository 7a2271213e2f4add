//! Games that are played against elnath: the rules and the winner come from [`elnath::compare::play`], and here is who plays, what elnath does, and
//! when a play is over.
//!
//! elnath plays as well as it knows: it attacks along a refutation where there is one, and answers so that what is compared then is
//! related. Where it loses, it chooses what was refuted last, which is about what takes longest; where it does not know, it plays on and says so.
//! A play ends when someone cannot move, when a position comes back (then it could go on for ever, which is the defender's), or when the attacker has
//! tried everything. A game lives in a thread, which owns the part of the systems that was looked at.

use crate::wire::{self, Refusal};
use elnath::compare::play::{
    Answer, Arena, Attack, Deed, Round, Sequel, Standing, Winner, begins_with_a_side,
};
use elnath::event::Content;
use elnath::session::{FieldChange, difference};
use elnath::{Budget, Counters, Direction, Limit, Relation, System};
use serde::Serialize;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// What solving may take for a move: work, time and memory.
const WORK: u64 = 1 << 22;
const TIME: Duration = Duration::from_secs(4);
const MEMORY: usize = 512 << 20;
/// The most moves that are listed.
const MOST_MOVES: usize = 400;
/// A play of more rounds is given to the defender.
const MOST_ROUNDS: usize = 200;

/// Who plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Player {
    You,
    Elnath,
}

impl Player {
    fn other(self) -> Self {
        match self {
            Player::You => Player::Elnath,
            Player::Elnath => Player::You,
        }
    }
}

/// What is played.
pub(crate) struct Setting {
    pub(crate) systems: [Arc<dyn System>; 2],
    pub(crate) names: [String; 2],
    pub(crate) internal: Arc<dyn Fn(&str) -> bool + Send + Sync>,
    pub(crate) relation: Relation,
    pub(crate) direction: Direction,
    pub(crate) attacker: Player,
}

/// What the user does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Look,
    Move(usize),
    Undo,
    Hint,
    Strategy,
}

/// A game as it is shown.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Shown {
    pub(crate) id: u64,
    relation: &'static str,
    direction: &'static str,
    attacker: Player,
    turn: Option<Player>,
    phase: &'static str,
    names: [String; 2],
    states: [String; 2],
    parts: [Vec<wire::Wire>; 2],
    moves: Vec<ShownMove>,
    rounds: Vec<ShownRound>,
    formula: String,
    wins: Option<&'static str>,
    within: Option<u32>,
    winner: Option<Player>,
    why: String,
    hint: Option<usize>,
    strategy: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
struct ShownMove {
    number: usize,
    side: usize,
    label: String,
    text: String,
    note: String,
}

#[derive(Clone, Debug, Serialize)]
struct ShownRound {
    by: &'static str,
    who: Player,
    text: String,
    states: [String; 2],
}

/// The way to a game.
pub(crate) struct Handle {
    commands: Sender<(Command, oneshot::Sender<Result<Shown, Refusal>>)>,
}

impl Handle {
    /// Sets up the pieces.
    pub(crate) fn new(id: u64, setting: Setting) -> Self {
        let (commands, received) = channel();
        std::thread::spawn(move || host(id, &setting, &received));
        Self { commands }
    }

    /// Hands a command over; what it leads to comes from the receiver.
    pub(crate) fn give(
        &self,
        command: Command,
    ) -> Result<oneshot::Receiver<Result<Shown, Refusal>>, Refusal> {
        let (answer, answered) = oneshot::channel();
        self.commands.send((command, answer)).map_err(|_| Refusal::broken())?;
        Ok(answered)
    }
}

type Commands = Receiver<(Command, oneshot::Sender<Result<Shown, Refusal>>)>;

/// Plays until nobody is there any more.
fn host(id: u64, setting: &Setting, commands: &Commands) {
    let internal = |label: &str| (setting.internal)(label);
    let mut game = Game {
        id,
        setting,
        internal: &internal,
        arenas: [None, None],
        now: Now {
            phase: Phase::Begin,
            side: 0,
            rounds: Vec::new(),
            played: Vec::new(),
            met: HashSet::new(),
            tried: HashSet::new(),
        },
        before: Vec::new(),
        hint: None,
        strategy: Vec::new(),
    };
    let mut ready = game.begin();
    for (command, answer) in commands {
        let done = match std::mem::replace(&mut ready, Ok(())) {
            Ok(()) => game.run(command),
            Err(refusal) => Err(refusal),
        };
        // Whoever has asked may have closed the page meanwhile.
        let _ = answer.send(done.and_then(|()| game.show()));
    }
}

#[derive(Clone)]
enum Phase {
    /// The attacker chooses a side.
    Begin,
    Attack(Standing),
    Answer(Standing, Attack),
    /// The attacker chooses where the play goes on.
    Dispute {
        before: Standing,
        after: Standing,
        attack: Attack,
    },
    Over(Player, String),
}

/// What undo brings back.
#[derive(Clone)]
struct Now {
    phase: Phase,
    side: usize,
    rounds: Vec<ShownRound>,
    played: Vec<Round>,
    met: HashSet<Standing>,
    /// Attacks of elnath's that were made without hope.
    tried: HashSet<(Standing, String)>,
}

struct Game<'s> {
    id: u64,
    setting: &'s Setting,
    internal: &'s dyn Fn(&str) -> bool,
    /// The game that the left side begins, and the other one, if that is another.
    arenas: [Option<Arena<'s, 's>>; 2],
    now: Now,
    /// Before each of the user's moves.
    before: Vec<Now>,
    hint: Option<usize>,
    strategy: Vec<String>,
}

/// A budget for one move.
fn granted<T>(act: impl FnOnce(&mut Budget<'_>) -> T) -> T {
    let begun = Instant::now();
    let mut watch = move |_: &Counters| (begun.elapsed() > TIME).then_some(Limit::Time);
    act(&mut Budget { memory: MEMORY, depth: usize::MAX, states: u64::MAX, disk: None, watch: &mut watch })
}

fn limit(limit: Limit) -> Refusal {
    Refusal::wrong(format!("this move needs more than is granted ({})", limit.name()))
}

impl<'s> Game<'s> {
    fn defender(&self) -> Player {
        self.setting.attacker.other()
    }

    fn arena(&mut self) -> &mut Arena<'s, 's> {
        let Setting { systems, relation, direction, .. } = self.setting;
        let side = self.now.side;
        self.arenas[side].get_or_insert_with(|| {
            Arena::new([&*systems[0], &*systems[1]], *relation, *direction, side, self.internal)
        })
    }

    fn begin(&mut self) -> Result<(), Refusal> {
        if !begins_with_a_side(self.setting.relation, self.setting.direction) {
            let start = granted(|budget| self.arena().start(budget)).map_err(limit)?;
            self.arrive(start);
        }
        self.let_elnath_play()
    }

    fn run(&mut self, command: Command) -> Result<(), Refusal> {
        match command {
            Command::Look => Ok(()),
            Command::Move(number) => {
                self.hint = None;
                self.strategy.clear();
                if self.turn() != Some(Player::You) {
                    return Err(Refusal::wrong("it is not your move"));
                }
                let before = self.now.clone();
                self.play(number, Player::You)?;
                self.before.push(before);
                self.let_elnath_play()
            }
            Command::Undo => {
                self.hint = None;
                self.strategy.clear();
                self.now = self.before.pop().ok_or_else(|| Refusal::wrong("there is nothing to undo"))?;
                Ok(())
            }
            Command::Hint => {
                self.hint = self.best()?;
                Ok(())
            }
            Command::Strategy => {
                self.strategy = self.told_strategy()?;
                Ok(())
            }
        }
    }

    fn turn(&self) -> Option<Player> {
        match self.now.phase {
            Phase::Begin | Phase::Attack(_) | Phase::Dispute { .. } => Some(self.setting.attacker),
            Phase::Answer(..) => Some(self.defender()),
            Phase::Over(..) => None,
        }
    }

    fn let_elnath_play(&mut self) -> Result<(), Refusal> {
        while self.turn() == Some(Player::Elnath) {
            let Some(number) = self.best()? else {
                let why = "elnath has no attack left that it has not tried".to_owned();
                self.now.phase = Phase::Over(self.defender(), why);
                return Ok(());
            };
            self.play(number, Player::Elnath)?;
        }
        Ok(())
    }

    /// A new place, at which the attacker is to move.
    fn arrive(&mut self, place: Standing) {
        self.now.phase = Phase::Attack(place);
        if !self.now.met.insert(place) {
            let why = "this position was there before, so that the defender can go on for ever".to_owned();
            self.now.phase = Phase::Over(self.defender(), why);
        } else if self.now.met.len() > MOST_ROUNDS {
            let why = format!("after {MOST_ROUNDS} rounds nothing is shown");
            self.now.phase = Phase::Over(self.defender(), why);
        } else if self.attacks(place).is_ok_and(|attacks| attacks.is_empty()) {
            let why = "the attacker has nothing to attack with".to_owned();
            self.now.phase = Phase::Over(self.defender(), why);
        }
    }

    fn attacks(&mut self, place: Standing) -> Result<Vec<Attack>, Refusal> {
        let mut attacks = granted(|budget| self.arena().attacks(place, budget)).map_err(limit)?;
        attacks.truncate(MOST_MOVES);
        Ok(attacks)
    }

    fn answers(&mut self, place: Standing, attack: &Attack) -> Result<Vec<Answer>, Refusal> {
        let mut answers = granted(|budget| self.arena().answers(place, attack, budget)).map_err(limit)?;
        answers.truncate(MOST_MOVES);
        Ok(answers)
    }

    fn winner(&mut self, place: Standing) -> Winner {
        granted(|budget| self.arena().winner(place, WORK, budget))
    }

    /// Who wins after an answer.
    fn winner_after(&mut self, answer: &Answer) -> Winner {
        match answer.then {
            Sequel::Settled => Winner::Defender,
            Sequel::At(place) => self.winner(place),
            Sequel::Dispute { before, after } => match (self.winner(before), self.winner(after)) {
                (Winner::Attacker, _) | (_, Winner::Attacker) => Winner::Attacker,
                (Winner::Defender, Winner::Defender) => Winner::Defender,
                _ => Winner::Unknown,
            },
        }
    }

    /// The number of the best move of whoever is to move; none, if an attacker has tried everything.
    fn best(&mut self) -> Result<Option<usize>, Refusal> {
        match self.now.phase.clone() {
            Phase::Over(..) => Ok(None),
            Phase::Begin => {
                let own = self.now.side;
                for side in 0..2 {
                    self.now.side = side;
                    let start = granted(|budget| self.arena().start(budget)).map_err(limit);
                    let wins = start.is_ok_and(|start| self.winner(start) == Winner::Attacker);
                    self.now.side = own;
                    if wins {
                        return Ok(Some(side));
                    }
                }
                Ok(Some(0))
            }
            Phase::Attack(place) => {
                if let Some(number) = granted(|budget| self.arena().winning_attack(place, WORK, budget)) {
                    return Ok(Some(number));
                }
                let attacks = self.attacks(place)?;
                let new = |attack: &Attack| !self.now.tried.contains(&(place, key(attack)));
                // A claim that is not so ends the play at once: it comes last.
                let step =
                    attacks.iter().position(|attack| matches!(attack.what, Deed::Step(_)) && new(attack));
                Ok(step.or_else(|| attacks.iter().position(new)))
            }
            Phase::Answer(place, attack) => {
                let answers = self.answers(place, &attack)?;
                let (mut best, mut value) = (None, None);
                for (number, answer) in answers.iter().enumerate() {
                    let worth = match self.winner_after(answer) {
                        Winner::Defender => (2, u32::MAX),
                        Winner::Unknown => (1, u32::MAX),
                        Winner::Attacker => (0, self.lasts(answer)),
                    };
                    if Some(worth) > value {
                        (best, value) = (Some(number), Some(worth));
                    }
                }
                Ok(best)
            }
            Phase::Dispute { before, after, .. } => {
                let wins = [before, after].map(|place| self.winner(place) == Winner::Attacker);
                let [early, late] =
                    [before, after].map(|place| self.arena().stamp(place).unwrap_or(u32::MAX));
                Ok(Some(match wins {
                    [true, true] => usize::from(late < early),
                    [true, false] => 0,
                    _ => 1,
                }))
            }
        }
    }

    /// How long the attacker may take after an answer that loses, about.
    fn lasts(&mut self, answer: &Answer) -> u32 {
        let arena = self.arena();
        let stamp = |place: Standing| arena.stamp(place).unwrap_or(u32::MAX - 1);
        match answer.then {
            Sequel::Settled => u32::MAX,
            Sequel::At(place) => stamp(place),
            Sequel::Dispute { before, after } => stamp(before).min(stamp(after)),
        }
    }

    /// Does what is move `number` of those that are possible.
    fn play(&mut self, number: usize, who: Player) -> Result<(), Refusal> {
        let none = || Refusal::wrong(format!("there is no move {number}"));
        match self.now.phase.clone() {
            Phase::Over(..) => Err(Refusal::wrong("the game is over")),
            Phase::Begin => {
                if number > 1 {
                    return Err(none());
                }
                self.now.side = number;
                let start = granted(|budget| self.arena().start(budget)).map_err(limit)?;
                let text = format!("attacks with {}", self.setting.names[number]);
                self.note("attacker", who, text, start);
                self.arrive(start);
                Ok(())
            }
            Phase::Attack(place) => {
                let attack = self.attacks(place)?.into_iter().nth(number).ok_or_else(none)?;
                let answers = self.answers(place, &attack)?;
                self.now.tried.insert((place, key(&attack)));
                let name = &self.setting.names[attack.mover];
                let text = match attack.what {
                    Deed::Step(_) => format!("{name} does {}", attack.label),
                    Deed::Offer => format!("{name} offers {}", attack.label),
                    Deed::Stop | Deed::Diverge => format!("{name} {}", attack.label),
                };
                self.note("attacker", who, text, place);
                if answers.is_empty() {
                    let other = &self.setting.names[1 - attack.mover];
                    let what = match attack.what {
                        Deed::Step(_) | Deed::Offer => attack.label.clone(),
                        Deed::Stop => "refuse all that".to_owned(),
                        Deed::Diverge => "be busy for ever".to_owned(),
                    };
                    let why = format!(
                        "{other} cannot {}{what}",
                        if matches!(attack.what, Deed::Step(_) | Deed::Offer) { "do " } else { "" }
                    );
                    self.now.played.push(Round { attack, before: false });
                    self.now.phase = Phase::Over(self.setting.attacker, why);
                } else {
                    self.now.phase = Phase::Answer(place, attack);
                }
                Ok(())
            }
            Phase::Answer(place, attack) => {
                let answer = self.answers(place, &attack)?.into_iter().nth(number).ok_or_else(none)?;
                let text = self.answered(&attack, &answer);
                match answer.then {
                    Sequel::Settled => {
                        self.note("defender", who, text, place);
                        let why = "what the attacker claimed is not so".to_owned();
                        self.now.phase = Phase::Over(self.defender(), why);
                    }
                    Sequel::At(next) => {
                        self.note("defender", who, text, next);
                        self.now.played.push(Round { attack, before: false });
                        self.arrive(next);
                    }
                    Sequel::Dispute { before, after } => {
                        self.note("defender", who, text, after);
                        self.now.phase = Phase::Dispute { before, after, attack };
                    }
                }
                Ok(())
            }
            Phase::Dispute { before, after, attack } => {
                let (next, early) = match number {
                    0 => (before, true),
                    1 => (after, false),
                    _ => return Err(none()),
                };
                let text = if early {
                    "disputes the states before the last step"
                } else {
                    "goes on after the last step"
                };
                self.note("attacker", who, text.to_owned(), next);
                self.now.played.push(Round { attack, before: early });
                self.arrive(next);
                Ok(())
            }
        }
    }

    fn answered(&self, attack: &Attack, answer: &Answer) -> String {
        let other = 1 - attack.mover;
        let name = &self.setting.names[other];
        match answer.then {
            Sequel::Settled => format!("{name} may do so, too"),
            _ => {
                let more = if answer.to.len() > 1 {
                    format!(" and may be in {} states", answer.to.len())
                } else {
                    String::new()
                };
                format!("{name} answers {}{more}", attack.label)
            }
        }
    }

    fn note(&mut self, by: &'static str, who: Player, text: String, place: Standing) {
        let states = [0, 1].map(|side| self.state_text(place, side));
        self.now.rounds.push(ShownRound { by, who, text, states });
    }

    fn state_text(&mut self, place: Standing, side: usize) -> String {
        let states = self.arena().states(place, side);
        self.texts(&states, side)
    }

    fn texts(&self, states: &[Vec<u8>], side: usize) -> String {
        /// The states of a set that are told.
        const FEW: usize = 6;
        let text = |state: &Vec<u8>| self.setting.systems[side].show_state(state);
        let mut texts: Vec<String> = states.iter().take(FEW).map(text).collect();
        if states.len() > FEW {
            texts.push(format!("and {} more", states.len() - FEW));
        }
        texts.join("  or  ")
    }

    /// Where a step leads, as what is different then, if that is shorter.
    fn moved(&self, here: &[Vec<u8>], to: &[u8], side: usize) -> String {
        /// So many differences are told.
        const FEW: usize = 6;
        let system = &self.setting.systems[side];
        let [here] = here else { return system.show_state(to) };
        let changes = difference(&system.fields(here), &system.fields(to));
        let whole = changes.iter().any(|change| matches!(change.new, Some(Content::Text { .. })));
        match changes.len() {
            0 => "the state stays".to_owned(),
            _ if whole => system.show_state(to),
            many => {
                let value = |change: &FieldChange| {
                    change.new.as_ref().map_or_else(|| "gone".to_owned(), Content::text)
                };
                let one = |change: &FieldChange| match (change.full_name(), value(change)) {
                    (name, value) if change.name.is_empty() => format!("{name} {value}"),
                    (name, value) => format!("{name} = {value}"),
                };
                let mut texts: Vec<String> = changes.iter().take(FEW).map(one).collect();
                if many > FEW {
                    texts.push(format!("and {} more", many - FEW));
                }
                texts.join(", ")
            }
        }
    }

    /// The place that is shown.
    fn place(&mut self) -> Option<Standing> {
        match &self.now.phase {
            Phase::Attack(place) | Phase::Answer(place, _) | Phase::Dispute { after: place, .. } => {
                Some(*place)
            }
            Phase::Begin => granted(|budget| self.arena().start(budget)).ok(),
            Phase::Over(..) => None,
        }
    }

    fn moves(&mut self) -> Result<Vec<ShownMove>, Refusal> {
        let names = self.setting.names.clone();
        Ok(match self.now.phase.clone() {
            Phase::Over(..) => Vec::new(),
            Phase::Begin => (0..2)
                .map(|side| ShownMove {
                    number: side,
                    side,
                    label: format!("attack with {}", names[side]),
                    text: format!("show that {} cannot do what it does", names[1 - side]),
                    note: String::new(),
                })
                .collect(),
            Phase::Attack(place) => {
                let attacks = self.attacks(place)?;
                let here = [0, 1].map(|side| self.arena().states(place, side));
                let shown = |(number, attack): (usize, &Attack)| ShownMove {
                    number,
                    side: attack.mover,
                    label: attack.label.clone(),
                    text: attack
                        .to
                        .as_ref()
                        .map_or_else(String::new, |to| self.moved(&here[attack.mover], to, attack.mover)),
                    note: if attack.what == Deed::Offer {
                        "the other does not offer this".to_owned()
                    } else {
                        String::new()
                    },
                };
                attacks.iter().enumerate().map(shown).collect()
            }
            Phase::Answer(place, attack) => {
                let answers = self.answers(place, &attack)?;
                let side = 1 - attack.mover;
                let here = self.arena().states(place, side);
                let shown = |(number, answer): (usize, &Answer)| ShownMove {
                    number,
                    side,
                    label: attack.label.clone(),
                    text: match answer.to.as_slice() {
                        [to] => self.moved(&here, to, side),
                        many => self.texts(many, side),
                    },
                    note: match &answer.before {
                        Some(before) => {
                            format!("by way of: {}", self.moved(&here, before, side))
                        }
                        None => String::new(),
                    },
                };
                answers.iter().enumerate().map(shown).collect()
            }
            Phase::Dispute { before, after, attack } => {
                let one = |game: &mut Self, number: usize, place: Standing, label: &str| ShownMove {
                    number,
                    side: attack.mover,
                    label: label.to_owned(),
                    text: format!("{}   against   {}", game.state_text(place, 0), game.state_text(place, 1)),
                    note: String::new(),
                };
                vec![one(self, 0, before, "before the last step"), one(self, 1, after, "after it")]
            }
        })
    }

    /// Who wins from here.
    fn outcome(&mut self) -> Winner {
        match self.now.phase.clone() {
            Phase::Over(winner, _) if winner == self.setting.attacker => Winner::Attacker,
            Phase::Over(..) => Winner::Defender,
            Phase::Attack(place) => self.winner(place),
            Phase::Begin => {
                let own = self.now.side;
                let mut values = Vec::new();
                for side in 0..2 {
                    self.now.side = side;
                    let start = granted(|budget| self.arena().start(budget));
                    values.push(start.map_or(Winner::Unknown, |start| self.winner(start)));
                }
                self.now.side = own;
                best_for(Winner::Attacker, &values)
            }
            Phase::Answer(place, attack) => {
                let answers = self.answers(place, &attack).unwrap_or_default();
                let values: Vec<Winner> = answers.iter().map(|answer| self.winner_after(answer)).collect();
                best_for(Winner::Defender, &values)
            }
            Phase::Dispute { before, after, .. } => {
                let values = [self.winner(before), self.winner(after)];
                best_for(Winner::Attacker, &values)
            }
        }
    }

    /// What each should do from here, in words.
    fn told_strategy(&mut self) -> Result<Vec<String>, Refusal> {
        let names = self.setting.names.clone();
        let Some(place) = self.place() else { return Ok(vec!["the game is over".to_owned()]) };
        if self.winner(place) == Winner::Attacker {
            let plan = granted(|budget| self.arena().plan(place, [&names[0], &names[1]], WORK, budget));
            if let Some(plan) = plan {
                let mut lines = vec![format!("The attacker wins in at most {} rounds:", plan.rounds)];
                lines.extend(plan.lines);
                let formula = plan.formula.iter().map(|(name, formula)| format!("{name} = {formula}"));
                lines.extend(formula);
                return Ok(lines);
            }
        }
        let mut lines = Vec::new();
        for attack in self.attacks(place)? {
            let name = &names[attack.mover];
            let answers = self.answers(place, &attack)?;
            let mut good = None;
            for answer in &answers {
                if self.winner_after(answer) == Winner::Defender {
                    good = Some(self.texts(&answer.to, 1 - attack.mover));
                    break;
                }
            }
            lines.push(match good {
                Some(to) => format!(
                    "If {name} does {}, answer so that {} is in {to}.",
                    attack.label,
                    names[1 - attack.mover]
                ),
                None => format!("What to answer if {name} does {} is not known.", attack.label),
            });
        }
        Ok(lines)
    }

    fn show(&mut self) -> Result<Shown, Refusal> {
        let outcome = self.outcome();
        let place = self.place();
        let within = match (place, outcome) {
            (Some(place), Winner::Attacker) if matches!(self.now.phase, Phase::Attack(_)) => {
                let names = self.setting.names.clone();
                granted(|budget| self.arena().plan(place, [&names[0], &names[1]], WORK, budget))
                    .map(|plan| plan.rounds)
            }
            _ => None,
        };
        let last = || self.now.rounds.last().map(|round| round.states.clone());
        let (states, parts) = match place {
            Some(place) => {
                let shown = [0, 1].map(|side| self.arena().states(place, side));
                let texts = [0, 1].map(|side| self.texts(&shown[side], side));
                let parts = [0, 1].map(|side| match shown[side].as_slice() {
                    [one] => wire::parts(&self.setting.systems[side].fields(one), &[], false),
                    _ => Vec::new(),
                });
                (texts, parts)
            }
            None => (last().unwrap_or_default(), [Vec::new(), Vec::new()]),
        };
        let (winner, why) = match &self.now.phase {
            Phase::Over(winner, why) => (Some(*winner), why.clone()),
            _ => (None, String::new()),
        };
        let decided = winner == Some(self.setting.attacker);
        let mut played = self.now.played.clone();
        if let Phase::Answer(_, attack) | Phase::Dispute { attack, .. } = &self.now.phase {
            played.push(Round { attack: attack.clone(), before: false });
        }
        let formula = self.arena().formula(&played, decided);
        Ok(Shown {
            id: self.id,
            relation: self.setting.relation.name(),
            direction: direction(self.setting.direction),
            attacker: self.setting.attacker,
            turn: self.turn(),
            phase: match self.now.phase {
                Phase::Begin => "begin",
                Phase::Attack(_) => "attack",
                Phase::Answer(..) => "answer",
                Phase::Dispute { .. } => "dispute",
                Phase::Over(..) => "over",
            },
            names: self.setting.names.clone(),
            states,
            parts,
            moves: self.moves()?,
            rounds: self.now.rounds.clone(),
            formula,
            wins: match outcome {
                Winner::Attacker => Some("attacker"),
                Winner::Defender => Some("defender"),
                Winner::Unknown => None,
            },
            within,
            winner,
            why,
            hint: self.hint,
            strategy: self.strategy.clone(),
        })
    }
}

/// What tells attacks at one place apart.
fn key(attack: &Attack) -> String {
    format!("{} {:?} {} {:?}", attack.mover, attack.what, attack.label, attack.to)
}

/// The value of a choice for who chooses.
fn best_for(who: Winner, values: &[Winner]) -> Winner {
    let other = if who == Winner::Attacker { Winner::Defender } else { Winner::Attacker };
    if values.contains(&who) {
        who
    } else if values.iter().all(|value| *value == other) {
        other
    } else {
        Winner::Unknown
    }
}

/// The name of a direction.
pub(crate) fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Equivalence => "equivalence",
        Direction::Preorder => "preorder",
    }
}
