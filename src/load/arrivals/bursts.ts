import type { Random } from "../../core/random.ts";
import type { PlannedSend } from "../profile/planned-send.ts";
import type { ArrivalKind, ArrivalsOf, ScheduleInput } from "./arrival-kind.ts";
import { plannedSend } from "../profile/planned-send.ts";

export const burstsKind: ArrivalKind<"bursts"> = {
  defaults: { spreadMs: 0, edgeMs: null },
  shape: (arrivals) => ({
    name: "open",
    endsEarly: true,
    hasSilences: true,
    learnsLimit: true,
    describe() {
      const { bursts, edgeMs } = arrivals;
      const edges = edgeMs === null ? "" : `, then one request ${edgeMs} ms before and one after the minute`;
      return `bursts of ${bursts.map(({ at, size }) => `${size} at ${at} s`).join(", ")}${edges}`;
    },
    contradictions: () =>
      arrivals.bursts.some(({ at }, index) => at < (arrivals.bursts[index - 1]?.at ?? 0))
        ? [{ path: ["arrivals", "bursts"], message: "the instants of the bursts (at) must rise" }]
        : [],
    schedule: (input) => burstSends(arrivals, input),
  }),
};

const windowMs = 60_000;

function burstSends(arrivals: ArrivalsOf<"bursts">, input: ScheduleInput): readonly PlannedSend[] {
  const totalMs = 1000 * (input.durationSeconds + input.warmUpSeconds);
  const result: PlannedSend[] = [];
  let lastMs = 0;
  for (const [step, burst] of arrivals.bursts.entries()) {
    const atMs = 1000 * burst.at;
    if (atMs >= totalMs) break;
    const size = burstSize(burst.size, input);
    const offsets = size === 1 ? [0] : spread(size, arrivals.spreadMs, input.random);
    for (const offset of offsets) result.push(plannedSend(atMs + offset, { step }));
    lastMs = atMs;
  }
  // A window that began with the burst, or that slides, ends a minute after it (spec, section "Rate limits").
  const edges = arrivals.edgeMs === null ? [] : [lastMs + windowMs - arrivals.edgeMs, lastMs + windowMs + arrivals.edgeMs];
  for (const atMs of edges) if (atMs < totalMs) result.push(plannedSend(atMs, { step: arrivals.bursts.length }));
  return result;
}

function spread(size: number, spreadMs: number, random: Random): readonly number[] {
  return Array.from({ length: size }, () => random.next() * spreadMs).sort((a, b) => a - b);
}

/** The limits that a target states never decide how much is sent: gateways say "unlimited" by 2147483647. */
const largestBurst = 20_000;

/** `limit`, `limit+1`, `limit-1`, `2*limit+1`, the same of `burst`, or a number. */
function burstSize(size: number | string, { requestLimit, burstLimit }: ScheduleInput): number {
  if (typeof size === "number") return size;
  const match = /^(?:(\d)\*)?(limit|burst)(?:([+-])(\d+))?$/.exec(size);
  if (match === null) throw new RangeError(`burst size "${size}" is neither a number nor limit, limit+N, limit-N or 2*limit+N`);
  const bound = match[2] === "limit" ? requestLimit : burstLimit;
  if (bound === null) {
    const source = match[2] === "limit" ? "limits.requestsPerMinute or a plan" : "burst_limit of the key below restore.keys";
    throw new RangeError(`burst size "${size}" needs ${source} in the manifest`);
  }
  const base = Number(match[1] ?? 1) * bound;
  if (base > largestBurst) {
    throw new RangeError(
      `burst size "${size}" is unreachable: the ${match[2]} is ${bound}, and at most ${largestBurst} are sent at once`,
    );
  }
  const offset = Number(match[4] ?? 0);
  return Math.max(0, match[3] === "-" ? base - offset : base + offset);
}
