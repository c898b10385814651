import type { Attack } from "./attack.ts";
import { bodyAttacks } from "./attacks/bodies.ts";
import { framingAttacks } from "./attacks/framings.ts";
import { limitAttacks } from "./attacks/limits.ts";
import { streamAttacks } from "./attacks/streams.ts";
import { textAttacks } from "./attacks/texts.ts";

export const attacks: readonly Attack[] = [...bodyAttacks, ...streamAttacks, ...framingAttacks, ...limitAttacks, ...textAttacks];

/** Those that together touch every bound, and end within seconds each. */
export const quickAttacks: readonly string[] = [
  "JSON nested 100,000 deep",
  "gzip bomb in events",
  "tiny events without end",
  "one event without end",
  "a chunk size that drips",
  "limit 2147483647",
  "terminal, page, sheet and log in texts",
];
