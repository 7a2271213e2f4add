/** The page: what is where, and what keys do. */
import { render, type JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Chart } from "./chart";
import { CheckPane, WalkPane } from "./check";
import { save } from "./export";
import { GamePane } from "./game";
import { AutomataPane, GraphPane } from "./graph";
import { Icon } from "./icons";
import { Bar, Moves, Picture, SourcePane, State, Tree, Watches } from "./panes";
import { recording } from "./server";
import {
  type Pane, back, begin, busy, checking, current, failure, fire, forth, info, isSaved, keepSettings, line, model, moves, note, other, pane, position, random,
  selected, switchModel, theme, toEnd, toStart, tokenWrong, until, useToken, view,
} from "./store";

const PANES: { name: Pane; title: string; key: string }[] = [
  { name: "chart", title: "Chart", key: "c" },
  { name: "graph", title: "Graph", key: "g" },
  { name: "automata", title: "Automata", key: "a" },
  { name: "picture", title: "Picture", key: "p" },
  { name: "walk", title: "Walk", key: "w" },
  { name: "check", title: "Check", key: "v" },
  { name: "game", title: "Game", key: "m" },
];

const KEYS: [string, string][] = [
  ["j k", "next, previous move in the list"],
  ["Enter, 1 to 9", "fire the chosen move, or that one"],
  ["u, ←", "back one step"],
  ["r, →", "along the run that is shown; around the loop of a lasso"],
  ["0, $", "first, last position of the run"],
  ["x", "a random step; X: fifty"],
  ["o", "another continuation: a move that leads to a place not tried yet"],
  ["b", "run until an expression holds"],
  ["/", "filter moves and state"],
  ["c g a p w v m", "chart, graph, automata, picture, walk, checks, game"],
  ["t", "light, dark"],
  ["s", "save as one HTML file"],
  ["?", "this list"],
];

function App(): JSX.Element {
  const [filter, setFilter] = useState("");
  const [help, setHelp] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  const breakpoint = useRef<HTMLInputElement>(null);
  const [expression, setExpression] = useState("");

  useEffect(() => {
    const key = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (event.key === "Escape") {
        setHelp(false);
        setFilter("");
        target.blur();
        return;
      }
      // A slider and a box to tick take no letters.
      const kind = target instanceof HTMLInputElement ? target.type : "";
      const writes = target instanceof HTMLInputElement ? kind !== "range" && kind !== "checkbox" : ["SELECT", "TEXTAREA"].includes(target.tagName);
      if (writes || (kind === "range" && event.key.startsWith("Arrow")) || event.ctrlKey || event.metaKey || event.altKey) return;
      const many = moves.value.length;
      const act = (what: () => void): void => {
        event.preventDefault();
        what();
      };
      switch (event.key) {
        case "j":
          return act(() => (selected.value = many ? (selected.value + 1) % many : 0));
        case "k":
          return act(() => (selected.value = many ? (selected.value + many - 1) % many : 0));
        case "Enter": {
          if (target.tagName === "BUTTON" || target.getAttribute("role") === "button") return;
          const move = moves.value[selected.value];
          if (move) act(() => void fire(move.number));
          return;
        }
        case "u":
        case "ArrowLeft":
          return act(() => void back());
        case "r":
        case "ArrowRight":
          return act(() => void forth());
        case "0":
          return act(() => void toStart());
        case "$":
          return act(() => void toEnd());
        case "x":
          return act(() => void random(1));
        case "X":
          return act(() => void random(50));
        case "o":
          return act(() => void other());
        case "b":
          return act(() => breakpoint.current?.focus());
        case "/":
          return act(() => search.current?.focus());
        case "t":
          return act(turnTheme);
        case "s":
          return act(() => void save());
        case "?":
          return act(() => setHelp(!help));
        default: {
          const number = Number(event.key);
          const move = number >= 1 && number <= 9 ? moves.value[number - 1] : undefined;
          if (move) return act(() => void fire(move.number));
          const found = PANES.find((it) => it.key === event.key);
          if (found) act(() => (pane.value = found.name));
        }
      }
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, [help]);

  const known = info.value;
  if (tokenWrong.value) return <Locked />;
  if (!known)
    return (
      <main class="alone">
        <p>{failure.value ? failure.value.text : "…"}</p>
        {failure.value?.help ? <p class="quiet">{failure.value.help}</p> : null}
      </main>
    );
  const panes = PANES.filter((it) => {
    if (it.name === "game") return known.compared !== null;
    if (it.name === "picture") return current.value?.picture !== null && current.value?.picture !== undefined;
    if (it.name === "automata") return (current.value?.automata.length ?? 0) > 0;
    return true;
  });
  const now = view.value;
  return (
    <>
      <header class="top">
        <span class="brand" title={`elnath ${known.elnath}`}>
          <Icon name="star" />
        </span>
        <h1 title={current.value?.file}>{current.value?.name}</h1>
        {known.models.length > 1 ? (
          <select aria-label="Model" value={String(model.value)} onChange={(e) => void switchModel(Number(e.currentTarget.value))}>
            {known.models.map((it, at) => (
              <option key={at} value={String(at)}>
                {at === 0 ? "left" : "right"}: {it.name}
              </option>
            ))}
          </select>
        ) : null}
        <span class="language">{current.value?.language}</span>
        <div class="buttons" role="toolbar" aria-label="Walk">
          <button title="first position (0)" aria-label="first position" onClick={() => void toStart()}><Icon name="first" /></button>
          <button title="back (u)" aria-label="back" data-act="back" disabled={now?.parent === null} onClick={() => void back()}><Icon name="back" /></button>
          <output class="position" aria-label="position">{position.value}</output>
          <button title="forth (r)" aria-label="forth" data-act="forth" onClick={() => void forth()}><Icon name="forth" /></button>
          <button title="last position ($)" aria-label="last position" onClick={() => void toEnd()}><Icon name="last" /></button>
          <button title="a random step (x); fifty: X" aria-label="random step" disabled={isSaved} onClick={() => void random(1)}><Icon name="dice" /></button>
          <button title="another continuation (o)" aria-label="another continuation" data-act="other" disabled={isSaved} onClick={() => void other()}><Icon name="other" /></button>
        </div>
        {!isSaved ? (
          <form
            class="until"
            onSubmit={(e) => {
              e.preventDefault();
              if (expression.trim()) void until(expression);
              breakpoint.current?.blur();
            }}
          >
            <input ref={breakpoint} aria-label="Run until this holds" placeholder="run until … (b)" value={expression} onInput={(e) => setExpression(e.currentTarget.value)} />
          </form>
        ) : (
          <span class="quiet">saved {recording?.saved.slice(0, 10)}: steps that were taken</span>
        )}
        <span class="grow" />
        {checking.value ? <span class="spinner" title="a check is running" /> : null}
        <input ref={search} class="search" type="search" aria-label="Filter moves and state" placeholder="filter (/)" value={filter} onInput={(e) => setFilter(e.currentTarget.value)} />
        <button title="copy a link to this position" aria-label="copy a link" disabled={isSaved} onClick={() => void navigator.clipboard?.writeText(location.href).then(() => (note.value = "the link is copied"))}><Icon name="link" /></button>
        <button title="save as one HTML file (s)" aria-label="save as one HTML file" data-act="save" disabled={isSaved} onClick={() => void save()}><Icon name="save" /></button>
        <button title="light or dark (t)" aria-label="light or dark" data-act="theme" onClick={turnTheme}><Icon name="theme" /></button>
        <button title="keys (?)" aria-label="keys" onClick={() => setHelp(!help)}>?</button>
      </header>
      {failure.value ? (
        <div class="failure" role="alert">
          <span>
            {failure.value.text}
            {failure.value.help ? <span class="quiet"> {failure.value.help}</span> : null}
          </span>
          <button aria-label="close" onClick={() => (failure.value = null)}>×</button>
        </div>
      ) : null}
      {note.value ? <div class="note" role="status">{note.value}</div> : null}
      <Bar />
      {pane.value === "game" && known.compared ? (
        <main class="wide">
          <Tabs panes={panes} />
          <GamePane />
        </main>
      ) : (
        <main class={`${busy.value ? "busy" : ""}${current.value?.sources.length ? "" : " nosource"}`}>
          <div class="column left">
            <Moves filter={filter} />
            <Tree />
          </div>
          <div class="column middle">
            <section class="panel centre" aria-label="Views">
              <Tabs panes={panes} />
              {pane.value === "graph" ? <GraphPane /> : null}
              {pane.value === "automata" ? <AutomataPane /> : null}
              {pane.value === "walk" ? <WalkPane /> : null}
              {pane.value === "check" ? <CheckPane /> : null}
              {pane.value === "picture" ? <Picture /> : null}
              {pane.value === "chart" || (pane.value === "game" && !known.compared) ? <Chart /> : null}
            </section>
          </div>
          {current.value?.sources.length ? (
            <div class="column source-column">
              <SourcePane />
            </div>
          ) : null}
          <div class="column right">
            <State filter={filter} />
            <Watches />
          </div>
        </main>
      )}
      {help ? (
        <div class="help" role="dialog" aria-label="Keys" onClick={() => setHelp(false)}>
          <table>
            <tbody>
              {KEYS.map(([keys, meaning]) => (
                <tr key={keys}>
                  <th scope="row">
                    <kbd>{keys}</kbd>
                  </th>
                  <td>{meaning}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
    </>
  );
}

function Tabs({ panes }: { panes: typeof PANES }): JSX.Element {
  return (
    <nav class="tabs" role="tablist" aria-label="Views">
      {panes.map((it) => (
        <button key={it.name} role="tab" aria-selected={pane.value === it.name} data-pane={it.name} title={`key ${it.key}`} onClick={() => (pane.value = it.name)}>
          {it.title}
        </button>
      ))}
      <span class="grow" />
      {line.value.steps.length > position.value - line.value.first && pane.value === "chart" ? <span class="quiet">faded steps lie beyond the position</span> : null}
    </nav>
  );
}

function turnTheme(): void {
  theme.value = document.documentElement.dataset["theme"] === "dark" ? "light" : "dark";
}

function Locked(): JSX.Element {
  const [text, setText] = useState("");
  return (
    <main class="alone">
      <h1>elnath</h1>
      <p>This link belongs to another run of elnath: each has a token of its own.</p>
      <form
        class="inline"
        onSubmit={(e) => {
          e.preventDefault();
          tokenWrong.value = false;
          void useToken(text);
        }}
      >
        <input aria-label="Token" placeholder="the address that elnath has printed" value={text} onInput={(e) => setText(e.currentTarget.value)} />
        <button type="submit">open</button>
      </form>
      <p class="quiet">The position in the link is kept.</p>
    </main>
  );
}

keepSettings();
const root = document.getElementById("app");
if (root) render(<App />, root);
void begin();
