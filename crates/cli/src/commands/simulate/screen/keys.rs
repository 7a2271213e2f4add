//! What the keys do. The table of [`KEYS`] is the help.

use super::{Ask, Long, Pane, Screen};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The keys, as the help shows them.
pub(super) const KEYS: &[(&str, &str)] = &[
    ("j k, arrows", "select a move (or a line of the focused pane)"),
    ("Enter, l", "take the selected move; in History, go there"),
    ("1 .. 9, #", "take a move by its number"),
    ("u, h, Backspace", "one step back"),
    ("f", "forward again"),
    ("0, $", "to the start; forward to the end of what was tried"),
    ("n", "another continuation: a move to a state not met yet"),
    ("r, R", "steps by chance: how many; 20 of them"),
    ("g", "run until an expression holds, on a shortest way"),
    ("b, G", "add a breakpoint; go to the nearest one"),
    ("e", "go to the nearest error"),
    ("w, F, x", "watch an expression; show a formula; remove one"),
    ("[ ], { }", "a step (ten steps) back and on in a loaded run"),
    ("Tab, Shift-Tab", "next, previous pane"),
    ("m s o c t v", "go to Moves, State, Source, Chart, History, Watches"),
    ("PgUp PgDn", "scroll the focused pane"),
    ("S, X", "save the session; forget the other branches"),
    ("?, q", "this help; quit"),
];

impl Screen<'_, '_> {
    /// Does what a key says. What may take a while is left to the caller.
    pub(super) fn key(&mut self, key: KeyEvent) -> Option<Long> {
        if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
            self.quit = true;
            return None;
        }
        if self.asking.is_some() {
            return self.write(key);
        }
        if self.help {
            self.help = false;
            return None;
        }
        let moves = self.view.moves.enabled().len();
        match key.code {
            KeyCode::Char('q') => self.quit = true,
            KeyCode::Char('?') => self.help = true,
            KeyCode::Char('j') | KeyCode::Down => self.select(1),
            KeyCode::Char('k') | KeyCode::Up => self.select(-1),
            KeyCode::Enter | KeyCode::Char('l') | KeyCode::Right => match self.focus {
                Pane::Tree => {
                    if let Some(node) = self.tree.get(self.tree_at).map(|line| line.node) {
                        let gone = self.session.jump(node);
                        self.went(gone.is_ok(), "this position was forgotten");
                    }
                }
                _ if moves == 0 => self.message = self.view.ending.text.clone(),
                _ => self.take(self.selected as u32),
            },
            KeyCode::Char('u' | 'h') | KeyCode::Left | KeyCode::Backspace => {
                let gone = self.session.back();
                self.went(gone, "this is the start");
            }
            KeyCode::Char('f') => {
                let gone = self.session.forward();
                self.went(gone, "nothing was tried from here");
            }
            KeyCode::Char('0') | KeyCode::Home => {
                while self.session.back() {}
                self.went(true, "");
            }
            KeyCode::Char('$') | KeyCode::End => {
                while self.session.forward() {}
                self.went(true, "");
            }
            KeyCode::Char('n') => match self.session.another() {
                Ok(Some(_)) => self.went(true, ""),
                Ok(None) => {
                    self.message = "every move on the way here leads to a state met before".to_owned();
                }
                Err(trouble) => self.message = trouble.to_string(),
            },
            KeyCode::Char(digit @ '1'..='9') => {
                let number = digit as u32 - '0' as u32;
                self.take(number - 1);
            }
            KeyCode::Char('#') => self.ask(Ask::Number, ""),
            KeyCode::Char('r') => self.ask(Ask::Random, "20"),
            KeyCode::Char('R') => return Some(Long::Random(20)),
            KeyCode::Char('g') => self.ask(Ask::Until, ""),
            KeyCode::Char('b') => self.ask(Ask::Break, ""),
            KeyCode::Char('G') if self.view.breakpoints.is_empty() => {
                self.message = "there is no breakpoint; b adds one".to_owned();
            }
            KeyCode::Char('G') => return Some(Long::Breakpoint),
            KeyCode::Char('e') => return Some(Long::Error),
            KeyCode::Char('w') => self.ask(Ask::Watch, ""),
            KeyCode::Char('F') => self.ask(Ask::Formula, ""),
            KeyCode::Char('x') => self.ask(Ask::Remove, ""),
            KeyCode::Char('S') => self.ask(Ask::Save, "session.json"),
            KeyCode::Char('X') => {
                self.session.forget_others();
                self.run = None;
                self.went(true, "");
                self.message = "the other branches are forgotten".to_owned();
            }
            KeyCode::Char('[') => self.scrub(-1),
            KeyCode::Char(']') => self.scrub(1),
            KeyCode::Char('{') => self.scrub(-10),
            KeyCode::Char('}') => self.scrub(10),
            KeyCode::Char('m') => self.show(Pane::Moves),
            KeyCode::Char('s') => self.show(Pane::State),
            KeyCode::Char('o') => self.show(Pane::Source),
            KeyCode::Char('c') => self.show(Pane::Chart),
            KeyCode::Char('t') => self.show(Pane::Tree),
            KeyCode::Char('v') => self.show(Pane::Watches),
            KeyCode::Tab => self.turn(1),
            KeyCode::BackTab => self.turn(Pane::ALL.len() - 1),
            KeyCode::PageDown => *self.scroll.entry(self.focus).or_default() += 10,
            KeyCode::PageUp => *self.scroll.entry(self.focus).or_default() -= 10,
            _ => {}
        }
        None
    }

    /// A key while a line is written.
    fn write(&mut self, key: KeyEvent) -> Option<Long> {
        let (ask, mut text) = self.asking.take()?;
        match key.code {
            KeyCode::Esc => return None,
            KeyCode::Enter => return self.answer(ask, &text),
            KeyCode::Backspace => {
                text.pop();
            }
            KeyCode::Char('u') if key.modifiers.contains(KeyModifiers::CONTROL) => text.clear(),
            KeyCode::Char(c) => text.push(c),
            _ => {}
        }
        self.asking = Some((ask, text));
        None
    }

    fn ask(&mut self, ask: Ask, text: &str) {
        self.message.clear();
        self.asking = Some((ask, text.to_owned()));
    }

    fn turn(&mut self, by: usize) {
        let at = Pane::ALL.iter().position(|&pane| pane == self.focus).unwrap_or(0);
        self.show(Pane::ALL[(at + by) % Pane::ALL.len()]);
    }

    fn select(&mut self, by: isize) {
        let within = |at: usize, length: usize| at.saturating_add_signed(by).min(length.saturating_sub(1));
        match self.focus {
            Pane::Moves | Pane::State | Pane::Watches => {
                self.selected = within(self.selected, self.view.moves.enabled().len());
            }
            Pane::Tree => self.tree_at = within(self.tree_at, self.tree.len()),
            Pane::Source | Pane::Chart => *self.scroll.entry(self.focus).or_default() += by as i32,
        }
    }

    /// After going somewhere, or not.
    fn went(&mut self, gone: bool, otherwise: &str) {
        if gone {
            self.run = None;
            self.refresh();
            self.message.clear();
        } else {
            self.message = otherwise.to_owned();
        }
    }
}
