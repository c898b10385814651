import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { Sender } from "../../src/core/exchange/send-request.ts";
import type { Mutant } from "../../src/reference/switches/switch.ts";
import { needsMoney, recordSwitch, type LimitArea } from "../../test/limits/sockets/examine-switch.ts";

/**
 * Whether a switch changes no answer of a lawful service: the full exam with all its phases, over sockets and on a clock that is moved by
 * hand, is answered the same with and without it. No examiner that asks these questions could tell the two apart, so that
 * the switch is no defect there (windows of another length on a bucket). Everything in which two runs of one service agree is
 * compared: requests, status, header fields, bodies. `lawful` keeps what was recorded without a switch.
 */
export async function isUnobservable(
  area: LimitArea,
  mutant: Mutant,
  variants: readonly string[],
  lawful: Map<string, string>,
): Promise<boolean> {
  const isPaid = needsMoney(area, mutant);
  const record = async (one: Mutant | null): Promise<string> =>
    transcriptOf((await recordSwitch(area, one, { exam: "full", variants, isPaid })).exchanges);
  const id = JSON.stringify([area, isPaid, variants]);
  if (!lawful.has(id)) lawful.set(id, await record(null));
  return (await record(mutant)) === lawful.get(id);
}

/** Limiters of which nothing ends at the label: what it announces is that all has come back by then. */
const endsNothing: ReadonlySet<string> = new Set([
  "limits/sliding-counter",
  "limits/token-bucket",
  "limits/gcra",
  "limits/burst-below-limit",
  "limits/batch-refill",
]);

const daySeconds = 86_400;

const resetFields = ["x-ratelimit-reset-requests", "x-ratelimit-reset-tokens"] as const;

/** Its reset is when the oldest request leaves; another lawful log names when the newest does, and all has come back. */
const slidingLog = "limits/sliding-log";

/** Seeds that are tried: a label also decides which window an exam begins in, and only the same questions can be compared. */
const seeds = [1, 2, 3, 4];

/**
 * Whether a switch does nothing to a limiter that refills or slides but name a later reset: asked the same, it admits, refuses, counts and
 * makes wait as the lawful service, and each reset is that one's or a later one, a day ahead at most (RATE-010). By then all has come back, which is what a reset
 * announces, so that a lawful limiter could name it as well.
 */
export async function namesOnlyLaterResets(area: LimitArea, mutant: Mutant, variants: readonly string[]): Promise<boolean> {
  if (area !== "limits") return false;
  // The exam comes back to a log by its labels, so that only the same labels make it ask the same questions.
  if (variants.includes(slidingLog)) return answersAsRelabelled(mutant, variants);
  if (!variants.some((id) => endsNothing.has(id))) return false;
  for (const seed of seeds) {
    const record = async (one: Mutant | null): Promise<readonly Exchange[]> =>
      (await recordSwitch(area, one, { variants, time: "blind", seed })).exchanges;
    const [lawful, other] = [await record(null), await record(mutant)];
    if (transcriptOf(lawful.map(withoutTime)) !== transcriptOf(other.map(withoutTime))) continue;
    const isLater = resetFields.map((field) => {
      const [due, named] = [resetsOf(lawful, field), resetsOf(other, field)];
      return due.length === named.length && named.every((reset, index) => reset >= due[index]! && reset <= daySeconds);
    });
    return isLater.every(Boolean);
  }
  return false;
}

/**
 * Whether a switch does nothing else than name later resets: a lawful service whose resets are replaced, on their way to the exam, by those
 * that the defective one named in that place is asked the same at the same instants and answers the same, with every seed and in both
 * exams; and no reset is earlier than the one it replaced, or further ahead than a day (RATE-010).
 */
async function answersAsRelabelled(mutant: Mutant, variants: readonly string[]): Promise<boolean> {
  for (const exam of ["short", "full"] as const) {
    for (const seed of seeds) {
      const settings = { variants, time: "blind", exam, seed } as const;
      const other = (await recordSwitch("limits", mutant, settings)).exchanges;
      const named = new Map(other.map((exchange) => [exchange.seq, exchange]));
      let isLawful = true;
      const relabel = (exchange: Exchange): Exchange => {
        const { response } = exchange;
        const instead = named.get(exchange.seq)?.response?.headers ?? [];
        if (response === null) return exchange;
        const headers = response.headers.map(([name, value]): readonly [string, string] => {
          const reset = isReset(name) ? instead.find(([one]) => one.toLowerCase() === name.toLowerCase()) : undefined;
          if (reset === undefined) return [name, value];
          const seconds = Number(reset[1]);
          isLawful &&= seconds >= Number(value) && seconds - exchange.timing.wallMs / 1000 <= daySeconds;
          return [name, reset[1]];
        });
        // The recorder keeps the object that it handed out.
        return Object.assign(exchange, { response: { ...response, headers } });
      };
      const through = (sender: Sender): Sender => ({
        send: async (request) => relabel(await sender.send(request)),
        burst: async (requests) => (await sender.burst(requests)).map(relabel),
      });
      const lawful = (await recordSwitch("limits", null, { ...settings, through })).exchanges;
      if (!isLawful || timedTranscriptOf(lawful) !== timedTranscriptOf(other)) return false;
    }
  }
  return true;
}

function isReset(name: string): boolean {
  return resetFields.some((field) => field === name.toLowerCase());
}

/** With the instants of sending, which decide what a limiter has to answer. */
function timedTranscriptOf(exchanges: readonly Exchange[]): string {
  const instants = exchanges.map(({ timing }) => timing.sentMs.toFixed(1)).toSorted();
  return [...instants, transcriptOf(exchanges)].join("\n");
}

function withoutTime(exchange: Exchange): Exchange {
  const { response } = exchange;
  if (response === null) return exchange;
  return {
    ...exchange,
    response: { ...response, headers: response.headers.filter(([name]) => !isOfTime(name)) },
  };
}

function isOfTime(name: string): boolean {
  // A later label may be waited for before the exam begins, which shows in Date.
  return name.toLowerCase() === "date" || isReset(name);
}

/** Seconds from the request to the reset, in the order of sending; of simultaneous requests in the order of their resets. */
function resetsOf(exchanges: readonly Exchange[], wanted: (typeof resetFields)[number]): readonly number[] {
  const named = exchanges.flatMap(({ timing, response }) => {
    const field = response?.headers.find(([name]) => name.toLowerCase() === wanted);
    return field === undefined ? [] : [{ sentMs: timing.sentMs, reset: Number(field[1]) - Math.floor(timing.wallMs / 1000) }];
  });
  return named
    .toSorted((a, b) => (Math.abs(a.sentMs - b.sentMs) < 1 ? a.reset - b.reset : a.sentMs - b.sentMs))
    .map(({ reset }) => reset);
}

/** The requests and answers, in order; simultaneous requests have none, and ids are counted up in the order of arrival. */
function transcriptOf(exchanges: readonly Exchange[]): string {
  const inOrder = [...exchanges].sort((a, b) => a.timing.sentMs - b.timing.sentMs);
  const groups: string[][] = [];
  let untilMs = Number.NEGATIVE_INFINITY;
  for (const exchange of inOrder) {
    const { sentMs, endMs } = exchange.timing;
    if (sentMs > untilMs) groups.push([]);
    groups.at(-1)!.push(lineOf(exchange));
    untilMs = Math.max(untilMs, endMs);
  }
  return groups.map((lines) => lines.sort().join("\n")).join("\n\n");
}

function lineOf({ keyName, request, response, failure }: Exchange): string {
  const headers = response?.headers.filter(([name]) => name.toLowerCase() !== "x-request-id");
  const body = response?.stream?.events.map(({ data }) => data) ?? response?.body?.text;
  const text = JSON.stringify([keyName, request.method, request.path, failure?.kind, response?.status, headers, body]);
  return text.replace(/\b(req_|chatcmpl-)[a-z0-9]+/g, "$1").replace(/127\.0\.0\.1:\d+/g, "");
}
