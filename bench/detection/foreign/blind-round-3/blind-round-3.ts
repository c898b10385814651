import type { Twist } from "../twist.ts";
import { chatTwists } from "./chat-twists.ts";
import { keyTwists } from "./key-twists.ts";
import { lawfulTwists } from "./lawful-twists.ts";
import { limitTwists } from "./limit-twists.ts";
import { moneyTwists } from "./money-twists.ts";
import { workTwists } from "./work-twists.ts";

/** Written from the specification and this service alone, by an author who had read neither cases nor judges. */
export const blindRound3: readonly Twist[] = [
  ...[...chatTwists, ...workTwists, ...keyTwists, ...limitTwists, ...moneyTwists].map((one): Twist => ({
    ...one,
    isLawful: false,
  })),
  ...lawfulTwists.map((one): Twist => ({ ...one, isLawful: true })),
];
