import type { LimitOp } from "../history/op.ts";

/** The requests that a certificate cites, and all that are known. */
export interface CertificateEvidence {
  readonly ops: readonly LimitOp[];
  /** The requests that it cites, in its order. */
  readonly named: readonly LimitOp[];
  readonly first: LimitOp;
  readonly last: LimitOp;
  /** One of its parameters. */
  readonly number: (name: string) => number;
}

/** A request that is held waits for its turn; others that are sent so soon after it may have come before it, ms. */
const sentTogetherMs = 3000;
/** Requests before a change that show what a window counts. */
const usedAtLeast = 6;
/** A refill may be faster than its rate by so much. */
const fasterRefill = 1.01;

function isRefusedByBurst({ outcome, status, cause }: LimitOp): boolean {
  return outcome === "rejected" && status === 429 && (cause === "burst" || cause === "unknown" || cause === null);
}

/** Sent late and read late, an answer may have come earlier by twice as much as the thread was late. */
export function certainlyUnansweredUntil({ headersMs, lateMs }: LimitOp): number {
  return lateMs === null ? headersMs : headersMs - 2 * lateMs;
}

/** The span that the certificate states reaches back far enough, and holds fewer requests than the allowance. */
export function verifyBurstUnder({ ops, number, named, first }: CertificateEvidence): string | null {
  const [windowMs, cooldownMs] = [number("windowMs"), number("cooldownMs")];
  const isRefused = isRefusedByBurst(first);
  const isHeld =
    first.outcome === "admitted" && certainlyUnansweredUntil(first) - first.sentMs > Math.min(cooldownMs, windowMs) / 2;
  if (named.length !== 1 || (!isRefused && !isHeld)) return "it was served at once, or another limit refused it";
  const sinceMs = first.sentMs - windowMs - cooldownMs - number("granularityMs");
  const reachMs = isRefused ? first.headersMs : first.sentMs + sentTogetherMs;
  if (number("sinceMs") > sinceMs || number("reachMs") < reachMs) return "the span is shorter than a minute and a cooldown";
  const others = ops.filter((op) => op !== first && op.outcome !== "rejected" && op.headersMs >= sinceMs && op.sentMs <= reachMs);
  return others.length < number("burst") ? null : "enough requests to use up the allowance";
}

/**
 * A refusal beside the load of another key. A cooldown of which nobody knows is over after a silence as long, or when a request was served, which
 * the certificate cites before the refusal; refused attempts count.
 */
export function verifyBurstUnderProbe({ ops, number, named, first, last }: CertificateEvidence): string | null {
  if (!isRefusedByBurst(last)) return "the burst limit did not refuse it";
  const [windowMs, cooldownMs, granularityMs] = [number("windowMs"), number("cooldownMs"), number("granularityMs")];
  const isSilent = !ops.some((op) => op.sentMs < last.sentMs && op.headersMs > last.sentMs - cooldownMs - granularityMs);
  const isServed = named.length === 2 && first.outcome === "admitted" && first.headersMs <= last.sentMs;
  if (!isSilent && !isServed) return "attempts may have prolonged a cooldown";
  const servedMs = isSilent ? Number.POSITIVE_INFINITY : first.sentMs;
  const sinceMs = Math.min(last.sentMs - windowMs - cooldownMs, servedMs - windowMs) - granularityMs;
  const knownFromMs = ops.reduce((least, { sentMs }) => Math.min(least, sentMs), Number.POSITIVE_INFINITY);
  if (sinceMs < knownFromMs) return "requests from before the history may have used the allowance";
  const others = ops.filter((op) => op !== last && op.headersMs >= sinceMs && op.sentMs <= last.headersMs);
  return others.length < number("burst") ? null : "enough requests to use up the allowance";
}

/** Requests of one window up to a change of settings, and the reading after it. */
interface Emptied {
  readonly used: readonly LimitOp[];
  readonly read: LimitOp;
  readonly changeSentMs: number;
  readonly changeAnsweredMs: number;
}

/** Twice in a row a window was whole again after a change, with the label that it had before, and no other change left it counting. */
export function verifyEmptied({ ops, named, number }: CertificateEvidence): string | null {
  const place = named.findIndex(({ seq }) => seq === number("firstRead"));
  const [before, second] = [named[place], named.at(-1)];
  if (place < 0 || before === undefined || second === undefined || place === named.length - 1)
    return "it takes two changes in a row to show that a change emptied the window";
  const one = { used: named.slice(0, place), read: before, ...changeOf(number, "first") };
  const other = { used: named.slice(place + 1, -1), read: second, ...changeOf(number, "second") };
  for (const part of [one, other]) {
    const doubt = doubtEmptied(part, number("windowMs"));
    if (doubt !== null) return doubt;
  }
  const [next] = other.used;
  const follows = next !== undefined && next.sentMs >= before.headersMs && counts(before, next, 1);
  if (!follows) return "other requests came between the two changes";
  const goesOn = ops.some((read) => {
    if (read.phase !== "window-read" || read.outcome !== "admitted" || named.includes(read)) return false;
    const last = ops.findLast(({ phase, headersMs }) => phase === "window-used" && headersMs <= read.sentMs);
    return last !== undefined && isOneWindow(last, read) && (read.requests.remaining ?? 0) < (last.requests.remaining ?? 0);
  });
  return goesOn ? "after another change the window went on counting" : null;
}

function changeOf(
  number: CertificateEvidence["number"],
  which: "first" | "second",
): Pick<Emptied, "changeSentMs" | "changeAnsweredMs"> {
  return { changeSentMs: number(`${which}ChangeSentMs`), changeAnsweredMs: number(`${which}ChangeAnsweredMs`) };
}

function doubtEmptied({ used, read, changeSentMs, changeAnsweredMs }: Emptied, windowMs: number): string | null {
  const [first, last] = [used[0], used.at(-1)];
  if (first === undefined || last === undefined || used.length < usedAtLeast) return "too few requests came before a change";
  if (!used.every((op) => isOneWindow(op, read))) return "another window may have begun";
  if (!used.every((op, index) => index === 0 || counts(used[index - 1]!, op, 1))) return "the window did not count each of them";
  if (!(last.headersMs <= changeSentMs && changeSentMs <= changeAnsweredMs && changeAnsweredMs <= read.sentMs))
    return "no change of settings came between them and the reading";
  const limit = read.requests.limit ?? 0;
  const rise = (read.requests.remaining ?? 0) - (last.requests.remaining ?? 0);
  const refill = (limit / windowMs) * fasterRefill * (read.headersMs - first.sentMs) + 2;
  const isWhole = (read.requests.remaining ?? 0) >= limit - 1;
  return rise > refill && rise >= used.length - 1 && isWhole ? null : "a refill explains the rise";
}

/** Whether the later of two requests found so many fewer left. */
function counts(earlier: LimitOp, later: LimitOp, fewer: number): boolean {
  const [before, after] = [earlier.requests.remaining, later.requests.remaining];
  return before !== null && after !== null && before - after === fewer && earlier.sentMs <= later.sentMs;
}

/** Whether both answers speak of one window of one limit. */
function isOneWindow({ requests: one, outcome, cached }: LimitOp, read: LimitOp): boolean {
  const { requests: other } = read;
  const areServed = outcome === "admitted" && read.outcome === "admitted" && !cached && !read.cached;
  const areRead = one.remaining !== null && other.remaining !== null && one.limit !== null && one.resetMs !== null;
  return areServed && areRead && one.limit === other.limit && one.resetMs === other.resetMs;
}
