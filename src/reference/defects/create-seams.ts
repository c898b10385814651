import type { Seams } from "../seams.ts";
import { patchEngine, type DefectSurroundings } from "./patches/patch-engine.ts";
import { patchHttp } from "./patches/patch-http.ts";
import type { Switchboard } from "./switch.ts";

/** Every seam with its patches: each asks the switches at every call, because they may change while the service runs. */
export function createSeams(switches: Switchboard, surroundings?: DefectSurroundings): Seams {
  return { engine: patchEngine(switches, surroundings), http: patchHttp(switches) };
}
