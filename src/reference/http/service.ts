import type { Engine } from "../engine/engine.ts";
import type { FaultRules } from "./fault-rules.ts";
import type { HttpSeams } from "./http-seams.ts";

/** The parts that every route of the reference service works with. */
export interface Service {
  readonly engine: Engine;
  readonly seams: HttpSeams;
  /** Decides all generated content. */
  readonly seed: number;
  readonly faults: FaultRules;
  /** Adds `server-timing` with the truth about queue, first token and decoding. */
  readonly serverTiming: boolean;
  /** Called for every failure that nobody foresaw; the client only gets a 500. */
  onCrash(error: unknown): void;
  /** `http://127.0.0.1:port`, under which generated images are found. */
  publicUrl(): string;
  /** Never repeats within a run, and is the same for the same order of requests: `chatcmpl-9f2c...`. */
  nextId(prefix: string): string;
}

/** Whole Unix seconds of the service clock. */
export function unixSeconds(service: Service): number {
  return Math.floor(service.engine.clock.wallMs() / 1000);
}
