import { ascending, countBelow } from "../../core/sorted.ts";
import { groupBy } from "../../core/group-by.ts";
import type { EndpointId } from "../../core/exchange/endpoint.ts";
import { accused, inconclusive, passed, type Check, type CheckHead, checkHead } from "../verdict/check.ts";
import type { LimitOp } from "../history/op.ts";
import type { Tolerances } from "../history/tolerances.ts";

const head: CheckHead = checkHead("tokens.phantom-consumption", 2);

/** Endpoints that use no tokens. */
const tokenFree: ReadonlySet<EndpointId | null> = new Set(["models", "usage", "images", "key-settings", "account-settings"]);
/** A service may frame a prompt with tokens of its own, estimate it by its bytes and round the charge up. */
const factor = 2;
const frame = 64;

interface PhantomTerms {
  readonly tolerances: Tolerances;
  readonly exclusive: boolean;
  /** How long after the end of its answer a request may be charged, ms. */
  readonly delayMs: number;
  /** Before this instant requests of the key may be missing. */
  readonly knownFromMs: number;
}

/**
 * The remaining tokens fell by more than all requests of the key can have cost that can have been charged in between, at the price of the
 * dearest. Refills, sliding and ends of windows meanwhile only raise it. `ops`: everything that the key sent; O(n log n).
 */
export function checkPhantomTokens(ops: readonly LimitOp[], terms: PhantomTerms): Check {
  const { exclusive } = terms;
  if (!exclusive) return inconclusive(head, 0, "the key is not declared exclusive: others may have used its tokens");
  const dear = ops.filter(({ endpoint }) => !tokenFree.has(endpoint));
  const readings = ops.filter(
    (op) => op.outcome === "admitted" && !op.cached && op.tokens.remaining !== null && op.tokens.limit !== null,
  );
  if (readings.length < 2) return inconclusive(head, readings.length, "fewer than two readings of the remaining tokens");
  const most = mostOf(dear);
  if (most === null) return inconclusive(head, 0, "nothing bounds the tokens that its requests use");
  const each = factor * most + frame;
  const sent = ascending(dear.map(({ sentMs }) => sentMs));
  const ended = ascending(dear.map(({ endMs }) => endMs));
  let considered = 0;
  for (const own of groupBy(readings, ({ endpoint, tokens }) => `${endpoint ?? ""} ${tokens.limit}`).values()) {
    const step = stepOf(own);
    const byEnd = own
      .filter(({ sentMs }) => sentMs - terms.delayMs >= terms.knownFromMs)
      .sort((a, b) => a.headersMs - b.headersMs);
    let next = 0;
    let best: Start | null = null;
    for (const late of own.toSorted((a, b) => a.sentMs - b.sentMs)) {
      for (let op = byEnd[next]; op !== undefined && op.headersMs + terms.tolerances.fuzzMs < late.sentMs; op = byEnd[next]) {
        const over = countBelow(ended, op.sentMs - terms.delayMs);
        const value = op.tokens.remaining! + each * over;
        if (best === null || value >= best.value) best = { op, over, value };
        next += 1;
      }
      // A reading of an older window, from an instance whose clock lags.
      if (best === null || (late.tokens.resetMs ?? Infinity) < (best.op.tokens.resetMs ?? -Infinity)) continue;
      const { op, over } = best;
      const count = countBelow(sent, late.headersMs) - over;
      const bound = each * count + step;
      const fell = op.tokens.remaining! - late.tokens.remaining!;
      // With so little left more could not be taken.
      if (op.tokens.remaining! > bound) considered += 1;
      if (fell > bound) return accuse(ops, { first: op, late, count, each, step, fell, considered, ...terms });
    }
  }
  const isStill = readings.every(({ tokens }) => tokens.remaining === readings[0]?.tokens.remaining);
  if (isStill) return inconclusive(head, 0, `all ${readings.length} readings show the same number of tokens`);
  return considered === 0
    ? inconclusive(head, 0, "no two readings show more tokens than its own requests can have used in between")
    : passed(
        head,
        considered,
        `${considered} readings: the remaining tokens never fell by more than its own requests can have used`,
      );
}

/** A reading that later ones are compared with: requests whose charge was over by then, and its tokens with theirs. */
interface Start {
  readonly op: LimitOp;
  readonly over: number;
  readonly value: number;
}

/** Tokens of the dearest of these requests, whatever became of it; null: nothing says it. */
function mostOf(dear: readonly LimitOp[]): number | null {
  const reported = dear.filter(({ usedTokens }) => usedTokens !== null);
  if (dear.length > 0 && reported.length === 0) return null;
  const prompt = Math.max(0, ...reported.map(({ promptTokens, usedTokens }) => promptTokens ?? usedTokens ?? 0));
  const isBounded = dear.every(({ usedTokens, maxTokens }) => usedTokens !== null || maxTokens !== null);
  return isBounded
    ? Math.max(0, ...dear.map(({ usedTokens, maxTokens }) => Math.max(usedTokens ?? 0, prompt + (maxTokens ?? 0))))
    : null;
}

/** Readings may be rounded to what all of them have in common, 0 where that is one. */
function stepOf(readings: readonly LimitOp[]): number {
  const common = readings.reduce(
    (step, { tokens }) => greatestDivisor(step, tokens.remaining ?? 0),
    readings[0]?.tokens.limit ?? 0,
  );
  return common === 1 ? 0 : common;
}

function greatestDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestDivisor(other, one % other);
}

interface Drop extends Pick<PhantomTerms, "delayMs"> {
  readonly first: LimitOp;
  readonly late: LimitOp;
  readonly count: number;
  readonly each: number;
  readonly step: number;
  readonly fell: number;
  readonly considered: number;
}

function accuse(ops: readonly LimitOp[], drop: Drop): Check {
  const { first, late, count, each, step, fell, considered, delayMs } = drop;
  const bound = each * count + step;
  const seconds = ((late.headersMs - first.sentMs) / 1000).toFixed(1);
  const charged = ops.filter(
    (op) => op.endMs >= first.sentMs - delayMs && op.sentMs <= late.headersMs && !tokenFree.has(op.endpoint),
  );
  return accused(head, considered, "fail", {
    kind: "token-phantom",
    message: `#${first.seq} shows ${first.tokens.remaining} tokens remaining and #${late.seq}, ${seconds} s later, ${late.tokens.remaining}: ${fell} less. The key sent ${count} requests that can have been charged in between, of which none can have cost more than ${each} tokens, estimates and rounding included: tokens of others, or of nobody, were taken off`,
    rule: "The remaining tokens of a key fall by what its own requests use.",
    spec: "Limits > Rate limits (per key; x-ratelimit-remaining-tokens)",
    ops: [first, ...charged.filter((op) => op !== first && op !== late), late],
    parameters: { fell, count, each, step, delayMs },
    correct: `remaining tokens lower by ${bound} at most`,
    expected: `at most ${bound}`,
    observed: String(fell),
  });
}
