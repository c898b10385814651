import type { FamilyInput, FamilyOp, FamilyVerdict } from "./family.ts";

/** The requests between two silences in which a window may end. */
interface IdlePart {
  /** Longest time before it in which nothing can have been counted; infinite for the first. */
  readonly silentMs: number;
  /** By send instant. */
  readonly ops: readonly FamilyOp[];
}

/**
 * Parts of a history between which no request was decided for about a window, so that a limiter may have forgotten its grid of
 * windows. A request that was answered otherwise, or never, may have been counted on either side: it stands in both parts.
 */
function splitAtIdleWindows({ ops, windowMs, granularityMs, fuzzMs }: FamilyInput): readonly IdlePart[] {
  const parts: { silentMs: number; readonly ops: FamilyOp[] }[] = [];
  const undecided: FamilyOp[] = [];
  let endMs = Number.NEGATIVE_INFINITY;
  /** Latest instant at which a request so far may have been counted. */
  let countedMs = Number.NEGATIVE_INFINITY;
  let silentMs = 0;
  for (const op of ops) {
    silentMs = Math.max(silentMs, op.sentMs - countedMs);
    // One that was never answered may be counted at any time.
    countedMs = Math.max(countedMs, op.outcome === "lost" ? Number.POSITIVE_INFINITY : op.headersMs);
    if (op.outcome === "free" || op.outcome === "lost") {
      undecided.push(op);
      parts.at(-1)?.ops.push(op);
      continue;
    }
    const part = parts.at(-1);
    if (part === undefined || op.sentMs - endMs > windowMs - granularityMs - fuzzMs) {
      const sinceMs = Math.max(endMs, op.sentMs - 2 * windowMs);
      const shared = undecided.filter((one) => one.outcome === "lost" || one.headersMs >= sinceMs);
      parts.push({ silentMs, ops: [...shared, op] });
    } else {
      part.ops.push(op);
    }
    endMs = Math.max(endMs, op.headersMs);
    silentMs = 0;
  }
  return parts;
}

/** Two neighbouring parts as one. */
function mergeParts(first: readonly FamilyOp[], second: readonly FamilyOp[]): readonly FamilyOp[] {
  if (second.length === 0) return first;
  return [...new Set([...first, ...second])].sort((a, b) => a.sentMs - b.sentMs || a.seq - b.seq);
}

/**
 * The requests that a limiter may have counted between two idle windows, and the instant at which its first window may have
 * begun; null: any instant.
 */
export interface IdleStretch {
  readonly input: FamilyInput;
  readonly begins: readonly number[] | null;
}

/**
 * A family whose windows stand on a grid that goes on for ever or begins anew after idle windows. `search`: null where some phase of
 * the windows explains a stretch, else the first refutation.
 */
export function examineGrids(input: FamilyInput, search: (stretch: IdleStretch) => FamilyVerdict | null): FamilyVerdict {
  const parameters = { limit: input.limit, windowSeconds: input.windowMs / 1000, before: input.before === 1 };
  const whole = search({ input, begins: null });
  if (whole === null) return { possible: true, parameters };
  // A grid may go on over less than two silent windows; after two none carries anything over.
  const reachMs = 2 * input.windowMs + input.granularityMs + input.fuzzMs;
  const restarts = explainsInParts(input, reachMs, (stretch) => search(stretch) === null);
  return restarts ? { possible: true, parameters: { ...parameters, restarts: true } } : whole;
}

/**
 * Whether a limiter that begins a new grid of windows with the first request after idle ones explains the history: each part by
 * itself, or together with those before it from which something may be carried over. After a silence of `reachMs` nothing is.
 */
function explainsInParts(input: FamilyInput, reachMs: number, explains: (stretch: IdleStretch) => boolean): boolean {
  const parts = splitAtIdleWindows(input);
  if (parts.length < 2) return false;
  const explained: boolean[] = [];
  for (let last = 0; last < parts.length; last += 1) {
    let ops: readonly FamilyOp[] = [];
    let found = false;
    for (let first = last; first >= 0 && !found; first -= 1) {
      ops = mergeParts(parts[first]!.ops, ops);
      if (first > 0 && explained[first - 1] !== true) continue;
      found = explains({ input: { ...input, ops }, begins: first === 0 ? null : beginsOf(ops, input.windowMs) });
      if (parts[first]!.silentMs >= reachMs) break;
    }
    explained.push(found);
    if (!found && (parts[last + 1]?.silentMs ?? Number.POSITIVE_INFINITY) >= reachMs) return false;
  }
  return true;
}

/** Instants, half a second apart at most, at which the first request that was counted may have been decided. */
function beginsOf(ops: readonly FamilyOp[], windowMs: number): readonly number[] {
  const decided = ops.find((op) => op.outcome === "admitted" || op.outcome === "rejected");
  const lastMs = decided?.headersMs ?? Number.POSITIVE_INFINITY;
  const begins = new Set<number>();
  for (const op of ops) {
    if (op.sentMs > lastMs) break;
    const untilMs = Math.min(op.headersMs, lastMs, op.sentMs + windowMs);
    for (let atMs = op.sentMs; atMs < untilMs; atMs += 500) begins.add(atMs);
    begins.add(untilMs);
  }
  return [...begins];
}

/** Every phase of windows on the clock, a step apart, as instants of one window from the first request on. */
export function phasesOf({ ops, windowMs }: FamilyInput, stepMs: number): readonly number[] {
  const firstMs = ops[0]?.sentMs ?? 0;
  return Array.from({ length: Math.ceil(windowMs / stepMs) }, (_, index) => firstMs + index * stepMs);
}
