import type { Pace } from "../engine/latency/latency-model.ts";
import type { Call } from "./call.ts";

/**
 * The truth about this response in milliseconds of the service clock: waiting for a slot, until the first token, decoding. The
 * figures of a measuring client can be compared with it.
 */
export function serverTimingHeader(call: Call, pace: Pace): Readonly<Record<string, string>> {
  if (!call.service.serverTiming) return {};
  const firstMs = pace.tokenAtMs(0) - pace.startedAtMs;
  const decodeMs = pace.endAtMs() - pace.tokenAtMs(0);
  return {
    "server-timing": `queue;dur=${pace.queuedMs.toFixed(3)}, prefill;dur=${firstMs.toFixed(3)}, decode;dur=${decodeMs.toFixed(3)}`,
  };
}
