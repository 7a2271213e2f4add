/** The game of a relation: one attacks, the other defends, both models are side by side, and the formula grows. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Icon } from "./icons";
import { server } from "./server";
import { attempt, game, info, isSaved } from "./store";
import { Shown } from "./values";
import type { Game, Part } from "./wire";

export function GamePane(): JSX.Element {
  const compared = info.value?.compared;
  const now = game.value;
  const [relation, setRelation] = useState(compared?.relation ?? "strong");
  const [direction, setDirection] = useState<string>(compared?.direction ?? "equivalence");
  if (!compared) return <p class="empty">A game needs two models: elnath compare LEFT RIGHT --relation R --explore</p>;
  const begin = (attacker: string): void => {
    void attempt(async () => {
      game.value = await server.startGame(relation, direction, attacker, null, null);
    });
  };
  const play = (move: number | "undo" | "hint" | "strategy"): void => {
    if (!now) return;
    void attempt(async () => {
      game.value = await server.play(now.id, move);
    });
  };
  return (
    <div class="pane game" aria-label="Game">
      <div class="form">
        <label>
          relation{" "}
          <select aria-label="Relation" value={relation} onChange={(e) => setRelation(e.currentTarget.value)}>
            {compared.relations.map((it) => (
              <option key={it}>{it}</option>
            ))}
          </select>
        </label>
        <label>
          as{" "}
          <select aria-label="Direction" value={direction} onChange={(e) => setDirection(e.currentTarget.value)}>
            <option value="equivalence">equivalence</option>
            <option value="preorder">preorder</option>
          </select>
        </label>
        <button class={now?.attacker === "you" ? "main" : ""} disabled={isSaved} data-act="attack" onClick={() => begin("you")}>
          <Icon name="swords" /> I attack
        </button>
        <button class={now?.attacker === "elnath" ? "main" : ""} disabled={isSaved} data-act="defend" onClick={() => begin("elnath")}>
          <Icon name="shield" /> I defend
        </button>
        <span class="grow" />
        {now ? (
          <>
            <button disabled={now.rounds.length === 0} onClick={() => play("undo")}>undo</button>
            <button disabled={now.turn !== "you"} data-act="hint" onClick={() => play("hint")}>hint</button>
            <button data-act="strategy" onClick={() => play("strategy")}>strategy</button>
          </>
        ) : null}
      </div>
      {now ? <Board now={now} play={play} /> : <Rules names={compared.names} />}
    </div>
  );
}

function Rules({ names }: { names: [string, string] }): JSX.Element {
  return (
    <div class="rules">
      <p>
        The <b>attacker</b> claims that {names[0]} and {names[1]} are not related: in each round it makes a step in one model. The <b>defender</b> answers with the same label in
        the other model. Who cannot answer loses; a position that comes back, or an attacker without a step, is won by the defender.
      </p>
      <p>Choose a relation and a side. elnath plays the other one, from the solved game where it can be solved, and shows its strategy when you are stuck.</p>
    </div>
  );
}

function Side({ title, text, parts, mark }: { title: string; text: string; parts: Part[]; mark: boolean }): JSX.Element {
  return (
    <section class={mark ? "side active" : "side"} aria-label={title}>
      <h3>{title}</h3>
      {parts.length ? (
        <table class="parts">
          <tbody>
            {parts.map((part, at) => (
              <tr key={at} class={part.changed ? "changed" : ""}>
                <th scope="row">{part.owner && part.name ? `${part.owner} ${part.name}` : part.owner || part.name}</th>
                <td>
                  <Shown value={part.value} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <p class="statetext">
          <code>{text}</code>
        </p>
      )}
    </section>
  );
}

function Board({ now, play }: { now: Game; play: (move: number) => void }): JSX.Element {
  const you = now.attacker === "you" ? "attacker" : "defender";
  const mine = now.turn === "you";
  const sides = new Set(now.moves.map((move) => move.side));
  return (
    <>
      <p class={`status ${now.winner === "you" ? "won" : now.winner === "elnath" ? "lost" : ""}`} role="status" aria-live="polite" data-winner={now.winner ?? ""}>
        {now.winner ? (
          <b>{now.winner === "you" ? "You win" : "elnath wins"}: {now.why}</b>
        ) : (
          <>
            You are the <b>{you}</b>; {mine ? <b>your move</b> : "elnath moves"}.{" "}
            <span class="quiet">
              {now.wins === null
                ? "Who can win is not known: the game is too large to be solved in the time."
                : now.wins === "attacker"
                  ? `The attacker can win${now.within !== null ? ` in ${now.within} round${now.within === 1 ? "" : "s"}` : ""}.`
                  : "The defender can always answer."}{" "}
              {now.why}
            </span>
          </>
        )}
      </p>
      <div class="boards">
        <Side title={now.names[0]} text={now.states[0]} parts={now.parts[0]} mark={mine && sides.has(0)} />
        <Side title={now.names[1]} text={now.states[1]} parts={now.parts[1]} mark={mine && sides.has(1)} />
      </div>
      <p class="formula" aria-label="The formula so far">
        <span class="quiet">shown so far</span> <code>{now.formula}</code>
      </p>
      <div class="columns">
        <section aria-label="Your moves">
          <h3>{now.winner ? "The game is over" : now.phase === "answer" ? "Answers" : now.phase === "dispute" ? "What is disputed" : now.phase === "begin" ? "Who attacks" : "Attacks"}</h3>
          {[0, 1].map((side) => {
            const list = now.moves.filter((move) => move.side === side);
            if (!list.length) return null;
            return (
              <div class="group" key={side}>
                <h4>{now.names[side]}</h4>
                {list.map((move) => (
                  <button
                    key={move.number}
                    class={`move${now.hint === move.number ? " hinted" : ""}`}
                    data-play={move.number}
                    data-label={move.label}
                    disabled={!mine}
                    onClick={() => play(move.number)}
                    title={move.text}
                  >
                    <code>{move.label}</code> <span class="to">{move.text}</span>
                    {move.note ? <span class="why">{move.note}</span> : null}
                  </button>
                ))}
              </div>
            );
          })}
          {now.strategy.length ? (
            <div class="strategy" aria-label="Strategy">
              <h3>Strategy</h3>
              <ol>
                {now.strategy.map((text, at) => (
                  <li key={at}>{text}</li>
                ))}
              </ol>
            </div>
          ) : null}
        </section>
        <section aria-label="Rounds">
          <h3>Rounds</h3>
          <ol class="rounds">
            {now.rounds.map((round, at) => (
              <li key={at} class={round.by}>
                <b>{round.who}</b> ({round.by}): {round.text}
              </li>
            ))}
          </ol>
        </section>
      </div>
    </>
  );
}
