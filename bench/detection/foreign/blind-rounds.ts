import { blindRound1 } from "./blind-round-1/blind-round-1.ts";
import { blindRound2 } from "./blind-round-2/blind-round-2.ts";
import { blindRound3 } from "./blind-round-3/blind-round-3.ts";
import type { Twist } from "./twist.ts";

/** The mutants and lawful variants of blind authors, by the number of their round. */
export const blindRounds: ReadonlyMap<string, readonly Twist[]> = new Map([
  ["1", blindRound1],
  ["2", blindRound2],
  ["3", blindRound3],
]);
