/** Small pictures for buttons: drawn, since not every machine has a font with these signs. */
import type { JSX } from "preact";

const PATHS = {
  first: "M4 3v10M13 3 6 8l7 5z",
  back: "M11 3 4 8l7 5z",
  forth: "M5 3l7 5-7 5z",
  last: "M3 3l7 5-7 5zM12 3v10",
  dice: "M3 3h10v10H3zM5.6 5.6h.01M10.4 5.6h.01M8 8h.01M5.6 10.4h.01M10.4 10.4h.01",
  other: "M8 14V9M8 9 4 5M8 9l4-4M4 8V4.6h3.2M12 8V4.6H8.8",
  link: "M6.5 9.5 9.5 6.5M7 4.5l1.3-1.3a3 3 0 0 1 4.3 4.3L11.3 9M9 11.5l-1.3 1.3a3 3 0 0 1-4.3-4.3L4.7 7",
  save: "M8 2v8M4.5 7 8 10.5 11.5 7M3 13.5h10",
  theme: "M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11",
  swords: "M3 3l8 8M13 3l-8 8M9.5 12.5l3-3M3.5 9.5l3 3M11.5 11.5l2 2M4.5 11.5l-2 2",
  shield: "M8 2l5 1.8v4c0 3-2.2 5-5 6.2-2.8-1.200-5-3.200-5-6.200v-4z",
  play: "M5 3.500l7 4.500-7 4.500z",
  stop: "M4 4h8v8H4z",
  star: "M8 1.500 9.500 6.500 14.500 8 9.500 9.500 8 14.500 6.500 9.500 1.500 8 6.500 6.500z",
};

export function Icon({ name }: { name: keyof typeof PATHS }): JSX.Element {
  const filled = ["back", "forth", "play", "stop", "star"].includes(name);
  return (
    <svg class={filled ? "icon filled" : "icon"} width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
      {name === "theme" ? <path class="half" d="M8 2.500a5.500 5.500 0 0 1 0 11z" /> : null}
    </svg>
  );
}
