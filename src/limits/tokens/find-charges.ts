import type { LimitPhases } from "../../core/exchange/limit-phase.ts";
import { certainlyCharged } from "../history/certainly-charged.ts";
import type { LimitOp, OpOf } from "../history/op.ts";
import type { Tolerances } from "../history/tolerances.ts";
import { chargeDelayMs } from "./charge-delay.ts";

type ChargePhase = Extract<LimitPhases["tokens"], `charge-${string}`>;

/** The words for each of these requests in messages. */
export const chargeWords: Readonly<Record<ChargePhase, string>> = {
  "charge-prompt": "prompt",
  "charge-answer": "answer",
  "charge-stream-prompt": "stream-prompt",
  "charge-stream-answer": "stream-answer",
  "charge-left": "stream that its client left",
  "charge-embedding": "embedding",
};

/** Streams, and the request of the same prompt whose answer comes whole. */
const wholeTwins: Readonly<Partial<Record<ChargePhase, ChargePhase>>> = {
  "charge-stream-prompt": "charge-prompt",
  "charge-stream-answer": "charge-answer",
};

function isCharge(op: OpOf<"tokens">): op is Charge["charged"] {
  return op.phase in chargeWords;
}

/** One charge between two equal readings. */
export interface Charge {
  readonly before: LimitOp;
  readonly charged: OpOf<"tokens"> & { readonly phase: ChargePhase };
  readonly after: LimitOp;
  /** Readings that were taken again: only the last one counts. */
  readonly between: readonly LimitOp[];
}

/**
 * A stream need not report its usage: its twin of the same prompt shows what it used at least. One that its client left may be charged
 * whole or as far as it was delivered; its prompt was read in either case.
 */
export function usedBy(op: Charge["charged"], charges: readonly Charge[]): UsedTokens {
  if (op.usedTokens !== null) return { total: op.usedTokens, least: certainlyCharged(op) };
  const phase = op.phase === "charge-left" ? "charge-prompt" : wholeTwins[op.phase];
  const twin = charges.find(({ charged }) => charged.phase === phase)?.charged;
  const total = (op.phase === "charge-left" ? twin?.promptTokens : twin?.usedTokens) ?? null;
  // The prompt of a stream is its own, and that of the twin is not: nothing of it can be held.
  return { total, least: total ?? 0 };
}

/** Tokens that a request used at least, null where nothing says it, and those of them that are charged everywhere. */
interface UsedTokens {
  readonly total: number | null;
  readonly least: number;
}

export function findCharges(ops: readonly OpOf<"tokens">[], tolerances: Tolerances): readonly Charge[] {
  const charges: Charge[] = [];
  ops.forEach((charged, index) => {
    const before = ops[index - 1];
    const next = ops.findIndex((op, at) => at > index && op.phase !== "reading");
    const readings = ops.slice(index + 1, next < 0 ? ops.length : next);
    // The readings right after the charge; one after a pause is for the question whether tokens refill, as are all that follow it.
    const pause = readings.findIndex((op, at) => at > 0 && op.sentMs - readings[at - 1]!.headersMs >= 2 * chargeDelayMs);
    const own = pause < 0 ? readings : readings.slice(0, pause);
    const after = own.at(-1);
    if (!isCharge(charged) || before?.phase !== "reading" || !after) return;
    const complete = [before, charged, ...own].every((op) => op.outcome === "admitted" && Number.isFinite(op.endMs));
    const quiet = before.endMs <= charged.sentMs && charged.endMs <= own[0]!.sentMs;
    const read = before.tokens.remaining !== null && after.tokens.remaining !== null;
    // A request that was never answered may be charged at any time after it.
    if (ops.slice(0, index).some((op) => !Number.isFinite(op.endMs) && op.sentMs > before.sentMs - tolerances.windowMs)) return;
    if (complete && quiet && read) charges.push({ before, charged, after, between: own.slice(0, -1) });
  });
  return charges;
}
