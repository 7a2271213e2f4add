//! Where the panes are, and the drawing.
//!
//! | size | panes |
//! |---|---|
//! | from 150 x 36 | all six, in three columns |
//! | from 110 x 22 | moves and state at the left, one more at the right |
//! | smaller | moves above, one more below |

use super::keys::KEYS;
use super::lines::{Lines, Styles};
use super::{Pane, Screen};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};

impl Screen<'_, '_> {
    pub(super) fn draw(&mut self, frame: &mut Frame<'_>) {
        let styles = Styles::new(self.colored);
        // A long message has as many lines as it needs.
        let width = frame.area().width.max(1) as usize;
        let lines =
            if self.asking.is_some() { 1 } else { self.message.chars().count().div_ceil(width).clamp(1, 4) };
        let heights = [Constraint::Length(1), Constraint::Min(0), Constraint::Length(lines as u16)];
        let [top, middle, bottom] = Layout::vertical(heights).areas(frame.area());
        self.head(frame, top, &styles);
        for (pane, area) in self.panes(middle) {
            self.pane(frame, pane, area, &styles);
        }
        self.foot(frame, bottom, &styles);
        if self.help {
            help(frame, &styles);
        }
    }

    fn head(&self, frame: &mut Frame<'_>, area: Rect, styles: &Styles) {
        let ending = &self.view.ending;
        let style = match (ending.is_error, ending.kind) {
            (true, _) => styles.bad,
            (false, "open") => styles.dim,
            _ => styles.good,
        };
        let name = self.session.model().name.rsplit('/').next().unwrap_or_default().to_owned();
        let run = self.run.map_or_else(String::new, |(run, step)| {
            let run = &self.session.runs()[run];
            let lasso = run
                .loop_start
                .map_or_else(String::new, |start| format!(", repeated from step {}", start + 1));
            format!("  run {} step {step} of {}{lasso}", run.name, run.nodes.len() - 1)
        });
        let tried = self.session.len() - 1;
        let line = Line::from(vec![
            Span::styled(format!(" {name} "), styles.selected),
            Span::styled(format!(" step {}", self.view.depth), styles.strong),
            Span::styled(format!("  {tried} tried{run}  "), styles.dim),
            Span::styled(if ending.kind == "open" { String::new() } else { ending.text.clone() }, style),
        ]);
        frame.render_widget(Paragraph::new(line), area);
    }

    fn foot(&self, frame: &mut Frame<'_>, area: Rect, styles: &Styles) {
        if let Some((ask, text)) = &self.asking {
            let label = format!("{}: ", ask.label());
            // The end of a long text is what is being written.
            let room = (area.width as usize).saturating_sub(label.chars().count() + 1);
            let skipped = text.chars().count().saturating_sub(room);
            let shown: String = text.chars().skip(skipped).collect();
            let column = label.chars().count() + shown.chars().count();
            let line = Line::from(vec![Span::styled(label, styles.strong), Span::raw(shown)]);
            frame.render_widget(Paragraph::new(line), area);
            let x = area.x + (column as u16).min(area.width.saturating_sub(1));
            frame.set_cursor_position(Position::new(x, area.y));
            return;
        }
        let line = if self.message.is_empty() {
            let keys = "Enter step  u back  f forward  r random  n another  g until  b break  w watch  Tab pane  ? help  q quit";
            Line::styled(keys, styles.dim)
        } else {
            Line::styled(self.message.clone(), styles.strong)
        };
        frame.render_widget(Paragraph::new(line).wrap(Wrap { trim: true }), area);
    }

    /// The panes that there is room for.
    fn panes(&self, area: Rect) -> Vec<(Pane, Rect)> {
        let split = |area: Rect, percent: u16| {
            let parts = [Constraint::Percentage(percent), Constraint::Min(0)];
            let [above, below] = Layout::vertical(parts).areas(area);
            [above, below]
        };
        if area.width >= 150 && area.height >= 34 {
            let thirds = [Constraint::Percentage(36), Constraint::Percentage(32), Constraint::Min(0)];
            let [left, middle, right] = Layout::horizontal(thirds).areas(area);
            let [source, watches] = split(left, 70);
            let [moves, state] = split(middle, 50);
            let [chart, tree] = split(right, 60);
            return vec![
                (Pane::Source, source),
                (Pane::Watches, watches),
                (Pane::Moves, moves),
                (Pane::State, state),
                (Pane::Chart, chart),
                (Pane::Tree, tree),
            ];
        }
        if area.width >= 110 && area.height >= 20 {
            let halves = [Constraint::Percentage(50), Constraint::Min(0)];
            let [left, right] = Layout::horizontal(halves).areas(area);
            let beside = if self.beside == Pane::State { Pane::Source } else { self.beside };
            let [moves, state] = split(left, 55);
            return vec![(Pane::Moves, moves), (Pane::State, state), (beside, right)];
        }
        let [moves, other] = split(area, 45);
        vec![(Pane::Moves, moves), (self.beside, other)]
    }

    fn pane(&mut self, frame: &mut Frame<'_>, pane: Pane, area: Rect, styles: &Styles) {
        let Lines { lines, sight } = self.lines(pane, area.width.saturating_sub(2) as usize, styles);
        let height = area.height.saturating_sub(2) as usize;
        let longest = lines.len().saturating_sub(height);
        // What must be in sight is in the middle, or at the end in what grows downwards.
        let start = sight.map_or(0, |line| match pane {
            Pane::Moves => (line + 1).saturating_sub(height),
            _ => line.saturating_sub(height / 2),
        });
        let start = start.min(longest);
        let scroll = self.scroll.entry(pane).or_default();
        let at = (start as i32 + *scroll).clamp(0, longest as i32);
        *scroll = at - start as i32;
        let hidden = lines.len().saturating_sub(at as usize + height);
        let focused = self.focus == pane;
        let style = if focused { styles.focus } else { styles.dim };
        let mut block =
            Block::bordered().border_style(style).title(Line::styled(format!(" {} ", pane.title()), style));
        if hidden > 0 && height > 0 {
            block = block.title_bottom(Line::styled(format!(" {hidden} more "), styles.dim).right_aligned());
        }
        let shown: Vec<Line<'_>> = lines.into_iter().skip(at as usize).take(height).collect();
        frame.render_widget(Paragraph::new(shown).block(block), area);
    }
}

fn help(frame: &mut Frame<'_>, styles: &Styles) {
    let area = frame.area();
    let (width, height) = (72.min(area.width), (KEYS.len() as u16 + 2).min(area.height));
    let (x, y) = ((area.width - width) / 2, (area.height - height) / 2);
    let area = Rect::new(area.x + x, area.y + y, width, height);
    let line = |(keys, what): &(&'static str, &'static str)| {
        Line::from(vec![Span::styled(format!(" {keys:<18}"), styles.strong), Span::raw(*what)])
    };
    let lines: Vec<Line<'_>> = KEYS.iter().map(line).collect();
    let block = Block::bordered().border_style(styles.focus).title(" Keys (any key closes this) ");
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

#[cfg(test)]
mod tests {
    use super::*;
    use elnath::LoadOptions;
    use elnath::session::Session;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
    use std::path::Path;

    const MODEL: &str = "mtype = { ping, pong };\nbyte x; byte a[3]; chan q = [2] of { mtype, byte };\nltl p { [] (x < 3) }\n\
        active proctype Sender() {\n  do :: x < 2 -> x++; a[x] = x :: q!ping(x) :: q?pong(_) od\n}\n\
        active proctype Receiver() {\n  byte n;\n  do :: q?ping(n) -> printf(\"got %d\\n\", n) :: n > 7 -> q!pong(n) od\n}\n";

    fn screen_test(test: impl FnOnce(&mut Screen<'_, '_>)) {
        let options = LoadOptions {
            language: Some("promela".to_owned()),
            input: Some(MODEL.into()),
            ..LoadOptions::default()
        };
        let opened = Session::open(Path::new("-"), &options).map_err(elnath::LoadError::into_messages);
        let (mut session, _) = opened.expect("a good model");
        let args = crate::options::read(["elnath", "simulate", "m.pml"].map(Into::into).to_vec());
        let Ok(crate::options::Args { command: crate::options::Command::Simulate(args), .. }) = args else {
            panic!("these are its options")
        };
        test(&mut Screen::new(&args, &mut session, true));
    }

    fn press(screen: &mut Screen<'_, '_>, keys: &str) {
        for key in keys.chars() {
            let code = match key {
                '\n' => KeyCode::Enter,
                '\t' => KeyCode::Tab,
                key => KeyCode::Char(key),
            };
            if let Some(long) = screen.key(KeyEvent::new(code, KeyModifiers::NONE)) {
                screen.work(long);
            }
        }
    }

    fn shown(screen: &mut Screen<'_, '_>, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("memory");
        terminal.draw(|frame| screen.draw(frame)).expect("memory");
        let buffer = terminal.backend().buffer().clone();
        let row = |y: u16| (0..width).map(|x| buffer[(x, y)].symbol().to_owned()).collect::<String>();
        (0..height).map(|y| row(y) + "\n").collect()
    }

    /// Every size, however small, shows every pane without harm.
    #[test]
    fn every_size_can_be_drawn() {
        screen_test(|screen| {
            press(screen, "\n\nuR?");
            for width in [1, 2, 5, 12, 40, 79, 80, 109, 110, 149, 150, 200, 250] {
                for height in [1, 2, 3, 4, 7, 20, 23, 24, 36, 60] {
                    for _ in 0..Pane::ALL.len() {
                        shown(screen, width, height);
                        press(screen, "\t");
                    }
                }
            }
        });
    }

    #[test]
    fn steps_are_taken_undone_and_shown() {
        screen_test(|screen| {
            let text = shown(screen, 200, 60);
            for part in
                ["Moves", "State", "Source", "Chart", "History", "Watches", "not possible:", "q is empty"]
            {
                assert!(text.contains(part), "{part} in\n{text}");
            }
            press(screen, "#1\n");
            assert_eq!(screen.view.depth, 1);
            press(screen, "u");
            assert_eq!(screen.view.depth, 0);
            press(screen, "f");
            assert_eq!(screen.view.depth, 1);
            // The formula of the model, and a watch.
            press(screen, "wx * 2\n");
            let text = shown(screen, 200, 60);
            assert!(text.contains("x * 2 = ") && text.contains("p: [] (x < 3)"), "{text}");
            press(screen, "bx == 2\n0G");
            let text = shown(screen, 200, 60);
            assert!(text.contains("break x == 2  holds here"), "{text}");
            assert!(text.contains("x = 2  was 1"), "{text}");
            press(screen, "gx == 7\n");
            assert!(screen.message.contains("x == 7 holds nowhere"), "{}", screen.message);
            press(screen, "gy == 7\n");
            assert!(screen.message.contains("y"), "{}", screen.message);
            press(screen, "q");
            assert!(screen.quit);
        });
    }
}
