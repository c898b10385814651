import type { LoopLevels } from "./arrival-kind.ts";
import { closedLoop } from "./closed.ts";

/** Levels of a search that are requests in flight. */
export const loopLevels: LoopLevels = {
  of: "concurrency",
  loop: ({ level }) => closedLoop({ kind: "closed", concurrency: level, thinkMs: 0 }),
};
