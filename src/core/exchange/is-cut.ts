import type { TransportFailure } from "./exchange.ts";

const cuts: ReadonlySet<TransportFailure["kind"]> = new Set(["connection-closed", "incomplete-body"]);

/** Whether the connection was closed before the answer was whole. */
export function isCut(failure: TransportFailure): boolean {
  return cuts.has(failure.kind);
}
