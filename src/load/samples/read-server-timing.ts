import { headerValues, type HeaderList } from "../../core/exchange/header-list.ts";
import { isNamed } from "../../core/is-named.ts";
import type { ServerTimings } from "./stream-progress.ts";

const fieldName = "server-timing";

/** Reads `Server-Timing: queue;dur=1.2, prefill;dur=80, decode;dur=300` (W3C Server Timing); null when nothing of it is there. */
export function readServerTiming(headers: HeaderList): ServerTimings | null {
  // Called for every response: the usual answer is that there is none.
  if (!headers.some(([name]) => isNamed(name, fieldName))) return null;
  const durations = new Map<string, number>();
  for (const value of headerValues(headers, fieldName)) {
    for (const metric of value.split(",")) {
      const [name = "", ...parameters] = metric.split(";").map((part) => part.trim());
      const duration = parameters.map((parameter) => /^dur\s*=\s*"?([0-9.]+)"?$/i.exec(parameter)?.[1]).find(Boolean);
      if (duration !== undefined && Number.isFinite(Number(duration))) durations.set(name.toLowerCase(), Number(duration));
    }
  }
  const queueMs = durations.get("queue") ?? null;
  const prefillMs = durations.get("prefill") ?? null;
  const decodeMs = durations.get("decode") ?? null;
  if (queueMs === null && prefillMs === null && decodeMs === null) return null;
  return { source: "server-timing", queueMs, prefillMs, decodeMs, decodedTokens: null };
}
