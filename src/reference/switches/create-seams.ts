import type { Seams } from "../seams.ts";
import type { Operator } from "./broken/operators/operators.ts";
import { operateHttp } from "./broken/operators/operate-http.ts";
import { patchEngine, type DefectSurroundings } from "./patches/patch-engine.ts";
import { patchHttp } from "./patches/patch-http.ts";
import { createRequestsUnderWay } from "./patches/requests-under-way.ts";
import type { Switchboard } from "./switch.ts";

export interface SeamOptions extends Omit<DefectSurroundings, "underWay"> {
  /** Operators that are on. Default: none. */
  readonly operators?: () => readonly Operator[];
}

/** Every seam with its patches: each asks the switches at every call, because they may change while the service runs. */
export function createSeams(switches: Switchboard, { operators = () => [], ...surroundings }: SeamOptions = {}): Seams {
  const underWay = createRequestsUnderWay();
  const engine = patchEngine(switches, { ...surroundings, underWay });
  return { engine, http: operateHttp(patchHttp(switches, underWay), operators) };
}
