/** Checks that run while one looks, the walk over all states, and what they found. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Icon } from "./icons";
import { follow, server } from "./server";
import { attempt, checked, checking, current, failure, isSaved, model, runs, shownRun, showRun, walk, walking } from "./store";
import { hue } from "./values";
import type { CheckDone, Run } from "./wire";

const grouped = (count: number): string => count.toLocaleString("en").replaceAll(",", " ");
const size = (bytes: number): string => (bytes >= 1 << 20 ? `${(bytes / (1 << 20)).toFixed(1)} MiB` : `${(bytes / 1024).toFixed(0)} KiB`);

async function start(what: string, asked: { properties?: string[]; ltl?: string; seconds: number }): Promise<void> {
  const of = model.value;
  const started = await attempt(() => server.startCheck(of, asked));
  if (!started) return;
  checking.value = { job: started.job, progress: null, what };
  await follow(started.job, {
    progress: (progress) => {
      if (checking.value) checking.value = { ...checking.value, progress };
    },
    done: (done) => {
      checked.value = [done, ...checked.value];
      const found = done.verdicts.map((it) => it.run).filter((it): it is Run => it !== null);
      if (found.length) {
        runs.value = runs.value.map((list, at) => (at === of ? [...list, ...found] : list));
      }
    },
    failed: (why) => {
      failure.value = { text: why.error, ...(why.help ? { help: why.help } : {}) };
    },
  });
  checking.value = null;
}

export function CheckPane(): JSX.Element {
  const it = current.value;
  const [formula, setFormula] = useState("");
  const [seconds, setSeconds] = useState(60);
  const running = checking.value;
  if (!it || isSaved) return <Results />;
  return (
    <div class="pane check" aria-label="Checks">
      <div class="form">
        <button class="main" disabled={running !== null} data-act="check" onClick={() => void start("everything that the model demands", { seconds })}>
          <Icon name="play" /> check what the model demands
        </button>
        {it.properties.length > 1
          ? it.properties.map((property) => (
              <button key={property.name} disabled={running !== null} title={property.text} onClick={() => void start(property.name, { properties: [property.name], seconds })}>
                {property.name}
              </button>
            ))
          : null}
        <label>
          at most{" "}
          <input type="number" min={1} max={86400} value={seconds} onInput={(e) => setSeconds(Math.max(1, Number(e.currentTarget.value)))} /> s
        </label>
      </div>
      {it.formulas ? (
        <form
          class="inline"
          onSubmit={(e) => {
            e.preventDefault();
            if (formula.trim()) void start(formula, { ltl: formula, seconds });
          }}
        >
          <input aria-label="A formula of linear time" placeholder="LTL: G (p -> F q), with expressions of the model" value={formula} onInput={(e) => setFormula(e.currentTarget.value)} />
          <button type="submit" disabled={running !== null}>
            check formula
          </button>
        </form>
      ) : null}
      {running ? (
        <div class="running" role="status" aria-live="polite">
          <span class="spinner" aria-hidden="true" />
          <b>{running.what}</b>
          {running.progress ? (
            <span>
              {grouped(running.progress.states)} states, {grouped(running.progress.transitions)} transitions, depth {grouped(running.progress.depth)},{" "}
              {size(running.progress.bytes)}, {running.progress.seconds.toFixed(1)} s
            </span>
          ) : (
            <span>starting …</span>
          )}
          <button data-act="stop" onClick={() => void attempt(() => server.stop(running.job))}>
            <Icon name="stop" /> stop
          </button>
        </div>
      ) : null}
      <Results />
    </div>
  );
}

function Results(): JSX.Element {
  return (
    <div class="results">
      {checked.value.map((done, at) => (
        <Result key={checked.value.length - at} done={done} />
      ))}
      {checked.value.length === 0 ? <p class="empty">Nothing was checked here yet.</p> : null}
    </div>
  );
}

function Result({ done }: { done: CheckDone }): JSX.Element {
  return (
    <section class="result">
      {done.messages.map((text, at) => (
        <p key={at} class="wrong">
          {text}
        </p>
      ))}
      {done.verdicts.map((it, at) => (
        <div key={at} class="one">
          <span class={`verdict ${it.verdict}`}>{it.verdict}</span>
          <span class="what">
            <b>{it.name || it.kind}</b> {it.summary || it.text} <span class="quiet">{it.coverage}</span>
          </span>
          {it.run ? (
            <button data-act="show-run" class={shownRun.value === it.run ? "chosen" : ""} onClick={() => it.run && void showRun(it.run)}>
              show the run ({it.run.nodes.length - 1} steps{it.run.loop !== null ? ", a lasso" : ""})
            </button>
          ) : null}
        </div>
      ))}
      <p class="quiet">
        {done.stopped ? "stopped: what was found until then is kept; " : ""}
        {grouped(done.states)} states, {grouped(done.transitions)} transitions, depth {grouped(done.depth)}, {done.seconds.toFixed(2)} s
      </p>
    </section>
  );
}

export function WalkPane(): JSX.Element {
  const now = walk.value;
  const [most, setMost] = useState(200000);
  const begin = async (): Promise<void> => {
    const started = await attempt(() => server.startWalk(model.value, most));
    if (!started) return;
    walking.value = started.job;
    await follow(started.job, {
      walk: (got) => {
        walk.value = got;
      },
      failed: (why) => {
        failure.value = { text: why.error };
      },
    });
    walking.value = null;
  };
  const largest = Math.max(1, ...(now?.levels ?? []));
  const names = current.value?.processes ?? [];
  const levels = now?.levels ?? [];
  const bar = Math.max(2, Math.min(26, 900 / Math.max(1, levels.length)));
  return (
    <div class="pane walk" aria-label="Overview of the walk">
      <div class="form">
        {walking.value === null ? (
          <button class="main" disabled={isSaved} data-act="walk" onClick={() => void begin()}>
            <Icon name="play" /> walk breadth first
          </button>
        ) : (
          <button data-act="stop-walk" onClick={() => walking.value !== null && void attempt(() => server.stop(walking.value ?? 0))}>
            <Icon name="stop" /> stop
          </button>
        )}
        <label>
          at most{" "}
          <select value={String(most)} onChange={(e) => setMost(Number(e.currentTarget.value))}>
            {[10000, 200000, 1000000].map((it) => (
              <option key={it} value={String(it)}>
                {grouped(it)}
              </option>
            ))}
          </select>{" "}
          states
        </label>
        {now ? (
          <span class="quiet" role="status">
            {grouped(now.states)} states, {grouped(now.transitions)} transitions, {levels.length} levels, {now.seconds.toFixed(1)} s{now.done ? `: ${now.why}` : " …"}
          </span>
        ) : null}
      </div>
      {now ? (
        <>
          <h3>States per level</h3>
          <svg class="levels" width={Math.max(200, levels.length * (bar + 1) + 50)} height={170} role="img" aria-label={`states per level: ${levels.slice(0, 40).join(", ")}`}>
            {levels.map((count, level) => (
              <g key={level}>
                <title>{`level ${level}: ${grouped(count)} states`}</title>
                <rect x={40 + level * (bar + 1)} y={140 - (count / largest) * 130} width={bar} height={Math.max(1, (count / largest) * 130)} />
                {level % Math.ceil(levels.length / 15 || 1) === 0 ? (
                  <text x={40 + level * (bar + 1) + bar / 2} y={156} text-anchor="middle">
                    {level}
                  </text>
                ) : null}
              </g>
            ))}
            <text x={34} y={16} text-anchor="end">
              {largest >= 10000 ? `${Math.round(largest / 1000)}k` : largest}
            </text>
            <line x1={38} x2={40 + levels.length * (bar + 1)} y1={141} y2={141} />
          </svg>
          <h3>First level at which each action fired ({now.actions.length})</h3>
          <table class="actions">
            <tbody>
              {now.actions.map((it, at) => (
                <tr key={at}>
                  <td class="level">{it.level}</td>
                  <td>
                    <span class="dotted" style={`--hue:${hue(it.process, names)}`} />
                    <code>{it.text}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      ) : (
        <p class="empty">A walk over all states, level by level: how wide the state space is, and how deep each action lies.</p>
      )}
    </div>
  );
}
