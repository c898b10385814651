import type { LoadProfile } from "../profile/load-profile.ts";
import type { PlannedSend } from "../profile/planned-send.ts";
import type { ArrivalKind, ArrivalsOf, ArrivalShape, ScheduleInput, TraceFile } from "./arrival-kind.ts";
import { plannedSend } from "../profile/planned-send.ts";
import { readTrace } from "./read-trace.ts";
import type { TraceEntry } from "./traces/trace-entry.ts";

type Trace = ArrivalsOf<"trace">;

export const traceKind: ArrivalKind<"trace"> = {
  defaults: { speed: 1 },
  shape(arrivals): ArrivalShape {
    const common = {
      endsEarly: true,
      trace: fileOf(arrivals),
      describe: (window: string) => describe(arrivals, window),
      contradictions: () =>
        arrivals.timeUnit !== undefined && arrivals.format !== "mooncake"
          ? [{ path: ["arrivals", "timeUnit"], message: "only the times of a Mooncake trace have a unit to state" }]
          : [],
      schedule: (input: ScheduleInput) => schedule(arrivals, input),
    } as const;
    const conversations = arrivals.rows?.conversations ?? 0;
    if (conversations === 0) return { name: "open", ...common };
    return { name: "conversations", thinkSeconds: { kind: "fixed", value: 0 }, mostPerSecond: 0, ...common };
  },
};

function fileOf(arrivals: Trace): TraceFile {
  const { format, blockTokens, timeUnit, speed } = arrivals;
  return {
    path: arrivals.file,
    read: (text) =>
      readTrace(text, format, {
        ...(blockTokens === undefined ? {} : { blockTokens }),
        ...(timeUnit === undefined ? {} : { timeUnit }),
      }),
    lengthMs: (trace) => (trace.at(-1)?.atMs ?? 0) / speed,
    fit(trace, totalMs, workload) {
      const labels = [...new Set(trace.flatMap(({ label }) => label ?? []))];
      const isKnown = labels.some((label) => workload.some((item) => item.label === label));
      const sessions = new Set(trace.flatMap(({ session }) => session ?? []));
      return {
        ...arrivals,
        rows: {
          total: trace.length,
          leftOut: trace.filter((entry) => entry.atMs / speed >= totalMs).length,
          ...(sessions.size === 0 ? {} : { conversations: sessions.size }),
          ...countOf("raised", trace.filter((entry) => entry.promptTokens === 0 || entry.outputTokens === 0).length),
          ...(isKnown || labels.length < 2 ? {} : { merged: labels }),
        },
      };
    },
  };
}

function countOf(name: "raised", count: number): { readonly raised?: number } {
  return count === 0 ? {} : { [name]: count };
}

function describe({ file, speed, rows }: Trace, window: string): string {
  const pace = speed === 1 ? "" : ` at ${speed} times its speed`;
  if (rows === undefined) return `replay of ${file}${pace}`;
  const notes = [
    rows.conversations === undefined ? null : `${rows.conversations} conversations`,
    rows.leftOut === 0 ? null : `${rows.leftOut} of ${rows.total} rows fall due later and are left out`,
    rows.raised === undefined ? null : `a length of 0 tokens in ${rows.raised} of ${rows.total} rows is sent as 1`,
    rows.merged === undefined
      ? null
      : `its models ${rows.merged.join(", ")} are sent alike, as no entry of the workload has such a label`,
  ].filter((note) => note !== null);
  return [`replay of ${file}${pace}${window}`, ...notes].join("; ");
}

/** Rows on their own, and conversations by their first row, which carries the later ones. */
function schedule({ speed }: Trace, { trace, durationSeconds, warmUpSeconds }: ScheduleInput): readonly PlannedSend[] {
  const totalMs = 1000 * (durationSeconds + warmUpSeconds);
  const sends: { readonly first: PlannedSend; readonly later: PlannedSend[] }[] = [];
  const open = new Map<string, { readonly number: number; readonly later: PlannedSend[] }>();
  for (const entry of trace) {
    const { session, atMs, afterMs, ...rest } = entry;
    const at = atMs / speed;
    if (at >= totalMs) continue;
    const known = session === undefined ? undefined : open.get(session);
    if (known !== undefined) {
      known.later.push(plannedSend(at, { ...rest, session: known.number, afterMs: (afterMs ?? 0) / speed }));
    } else {
      const later: PlannedSend[] = [];
      const number = session === undefined ? null : open.size;
      sends.push({ first: plannedSend(at, { ...rest, session: number }), later });
      if (session !== undefined && number !== null) open.set(session, { number, later });
    }
  }
  return sends.map(({ first, later }) => (later.length === 0 ? first : { ...first, later, turns: 1 + later.length }));
}

/** Labels of a trace of which some have an entry of the workload and others have none. */
export function strayLabels(trace: readonly TraceEntry[], workload: LoadProfile["workload"]): readonly string[] {
  const labels = [...new Set(trace.flatMap(({ label }) => label ?? []))];
  const stray = labels.filter((label) => !workload.some((item) => item.label === label));
  return stray.length === labels.length ? [] : stray;
}
