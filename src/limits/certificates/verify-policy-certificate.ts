import type { LimitCheckId } from "../../core/result/checks/limit-check.ts";
import {
  certainlyUnansweredUntil,
  type CertificateEvidence,
  verifyBurstUnder,
  verifyBurstUnderProbe,
  verifyEmptied,
} from "./verify-burst-rules.ts";
import type { Certificate, PolicyCertificateKind } from "../verdict/certificate-kind.ts";
import type { Check } from "../verdict/check.ts";
import type { LimitOp } from "../history/op.ts";

/**
 * As verify-certificate.ts, for bursts, tokens and caps: re-checks an accusation from its certificate and the raw requests.
 * `ops`: everything that the policy may have counted.
 */
export function verifyPolicyChecks(checks: readonly Check[], ops: readonly LimitOp[]): readonly Check[] {
  return checks.map((check) => {
    if (check.certificate === null || check.verdict !== "fail") return check;
    const doubt = verifyPolicyCertificate(check.certificate, ops);
    if (doubt === null) return check;
    const message = `the certificate did not verify: ${doubt}`;
    return { ...check, tier: "inconclusive", verdict: "inconclusive", message, certificate: null, withheld: true };
  });
}

/** The requests that a certificate cites, and the facts that it is checked against. */
interface Evidence extends CertificateEvidence {
  /** Cents that were certainly spent before a request was sent: with one key, or with any. */
  readonly bought: (op: LimitOp, key: string | null) => number;
}

/** null when the certificate proves what it says, else the reason of the doubt. */
type Rule = (evidence: Evidence) => string | null;

function verifyPolicyCertificate({ kind, ...certificate }: Certificate, ops: readonly LimitOp[]): string | null {
  const bySeq = new Map(ops.map((op) => [op.seq, op]));
  const named = certificate.ops.map((view) => bySeq.get(view.seq)).filter((op) => op !== undefined);
  const missing = new Set<string>();
  const number = (name: string): number => {
    const value = Number(certificate.parameters[name]);
    // Every comparison with it would be false, and a rule that counts what it excludes would hold.
    if (Number.isNaN(value)) missing.add(name);
    return value;
  };
  const [first] = named;
  const last = named.at(-1);
  if (!first || !last || named.length !== certificate.ops.length) return "it cites a request that is not in the history";
  const bought = (op: LimitOp, key: string | null): number =>
    ops.filter((other) => isBought(other) && other !== op && other.endMs <= op.sentMs && (key === null || other.key === key))
      .length * number("priceCents");
  const doubt = (ruleOf.get(kind) ?? citesRefusal)({ ops, named, first, last, number, bought });
  return missing.size === 0 ? doubt : `it states no number for ${[...missing].join(", ")}`;
}

/** Shapes and waits are read off one response: what is cited is the evidence. */
const citesRefusal: Rule = ({ last }) => (last.status !== null && last.status >= 400 ? null : "no refusal is cited");

const waitedInVain: Rule = ({ ops, first, last }) => {
  const others = ops.some((op) => op !== first && op !== last && op.headersMs >= first.sentMs && op.sentMs <= last.headersMs);
  const waited = last.sentMs - first.headersMs >= (first.retry?.seconds ?? Number.POSITIVE_INFINITY) * 1000;
  return waited && !others && last.status === 429 ? null : "the wait was not over, or another request came in between";
};

const admittedAtCap: Rule = ({ number, last, bought }) =>
  isBought(last) && bought(last, last.key) >= number("capCents") ? null : "the cap was not certainly reached";

const refused: Rule = ({ last }) => (last.outcome === "rejected" ? null : "it was not refused");

/** Of checks whose certificates have no kind of their own: those that are proven by more than a refusal. */
const rules: Readonly<Record<PolicyCertificateKind, Rule> & Partial<Record<LimitCheckId, Rule>>> = {
  "burst-over": ({ ops, named, number }) =>
    verifyBurstOver(named, ops, number("burst") + number("refill"), number("burst"), number("cooldownMs")),
  "burst-long": ({ number, last }) =>
    last.status === 429 && last.sentMs - number("latestMs") > number("cooldownMs") ? null : "the cooldown may have been running",
  "burst-held": ({ ops, number, last }) => {
    const heldMs = certainlyUnansweredUntil(last) - Math.max(last.sentMs, number("lastAttemptMs"));
    const others = ops.filter(
      (op) => op !== last && op.key === last.key && op.headersMs < last.headersMs && op.sentMs < last.sentMs,
    );
    const isFirst = !others.some((op) => op.headersMs > last.sentMs + number("cooldownMs") / 2 && op.outcome === "admitted");
    return last.outcome === "admitted" && heldMs > number("cooldownMs") && isFirst
      ? null
      : "a queue or a later attempt explains it";
  },
  "burst-under": verifyBurstUnder,
  "burst-under-probe": verifyBurstUnderProbe,
  "cooldown-promise": ({ number, first, last }) => {
    const dueMs = first.headersMs + (first.retry?.seconds ?? Number.POSITIVE_INFINITY) * 1000;
    const within = last.headersMs < number("earliestMs") + number("cooldownMs");
    return last.sentMs > dueMs && within && last.status === 429 ? null : "the wait was not over, or the cooldown was";
  },
  "burst.retry-after-too-short": waitedInVain,
  "tokens.retry-after-too-short": waitedInVain,
  "token-charge": ({ named, number, first, last }) => {
    // Each reading counts itself or not, the same way both times; what was read in between counts as well.
    const fell = (first.tokens.remaining ?? 0) - (last.tokens.remaining ?? 0);
    const most = Math.max(first.usedTokens ?? 4, last.usedTokens ?? 4);
    const fewest = Math.min(leastCharge(first, 4), leastCharge(last, 4));
    const slack = 2 + most - fewest + number("step");
    const charged = named[1];
    const used = charged?.usedTokens ?? null;
    const least = charged === undefined || used === null ? number("least") / 2 : leastCharge(charged, 0) + fewest;
    const tooLittle = fell < least - slack - number("refill");
    const tooMuch = used !== null && fell > used + most + number("further") + slack;
    return (tooLittle || tooMuch) && first.endMs <= last.sentMs ? null : "the charge is as reported";
  },
  "left-charge": ({ named, number, first, last }) => {
    // The prompts alone: nothing is known of what was delivered.
    const used = Math.min(first.tokens.remaining ?? 0, named.slice(1, -1).filter(isServed).length * number("each"));
    const fell = (first.tokens.remaining ?? 0) - (last.tokens.remaining ?? 0);
    return fell < used - number("slack") && first.endMs <= last.sentMs ? null : "the prompts may have been charged";
  },
  "left-count": ({ named, first, last }) => {
    const served = Math.min(named.slice(1, -1).filter(isServed).length, first.requests.remaining ?? 0);
    const fell = (first.requests.remaining ?? 0) - (last.requests.remaining ?? 0);
    const isOneWindow = first.requests.resetMs !== null && first.requests.resetMs === last.requests.resetMs;
    return isOneWindow && fell < served - 1 ? null : "they may have been counted";
  },
  "left-slots": ({ ops, number, last }) => {
    const fromMs = last.sentMs - number("windowMs");
    const isSilent = !ops.some((op) => op !== last && op.sentMs < last.sentMs && op.sentMs >= fromMs);
    return isSilent && last.outcome !== "admitted" && last.outcome !== "other" ? null : "another request came in between";
  },
  "token-limit": ({ named, number, last }) => {
    const used = named.slice(0, -1).reduce((sum, op) => sum + leastCharge(op, 0), 0);
    return last.outcome === "admitted" && used >= number("limit") ? null : "tokens were left";
  },
  "spend.admitted-at-cap": admittedAtCap,
  "spend.lower-ignored": admittedAtCap,
  "spend.account-cap-ignored": ({ number, last, bought }) =>
    isBought(last) && bought(last, null) >= number("capCents") ? null : "the account cap was not certainly reached",
  "spend.sum-unlike-report": ({ ops, last, number, bought }) => {
    if (last.outcome === "rejected") return null;
    const served = (phase: LimitOp["phase"]): readonly LimitOp[] =>
      ops.filter((op) => op.phase === phase && op.key === last.key && op.outcome === "admitted" && op.endMs <= last.sentMs);
    const cheap = (["cheap-chat", "cheap-stream", "cheap-embedding"] as const).map((phase) => {
      const { length } = served(phase);
      return length === 0 ? 0 : length * number(phase);
    });
    const sum = cheap.reduce((total, cents) => total + cents, bought(last, last.key));
    return last.outcome === "admitted" && sum >= number("capCents") ? null : "the report does not show that the cap was reached";
  },
  "spend.overshoot": ({ named, number }) => {
    const admitted = named.filter(isBought).length;
    return admitted * number("priceCents") >= number("raiseCents") + number("priceCents") - 1e-6
      ? null
      : "an order of decisions explains it";
  },
  "burst.raise-ignored": ({ ops, named, number, first }) => {
    const others = ops.filter(
      (op) => op !== first && op.outcome !== "rejected" && op.headersMs >= number("sinceMs") && op.sentMs <= number("reachMs"),
    );
    const areServed = named.length > 1 && named.slice(1).every(isServed);
    const cooldownMs = number("cooldownMs");
    const isHeld = isServed(first) && certainlyUnansweredUntil(first) - first.sentMs > cooldownMs - 4000;
    const waitMs = first.outcome === "rejected" ? 1000 * (first.retry?.seconds ?? 0) : 0;
    const isRefused = waitMs > cooldownMs - 4000 && waitMs < cooldownMs + 4000;
    return areServed && (isHeld || isRefused) && others.length < number("burst")
      ? null
      : "the allowance may be used up, or a cooldown ran";
  },
  "burst.change-empties-window": verifyEmptied,
  "queue.released-late": ({ ops, number, last }) => {
    const openedMs = number("openedMs");
    const cooldownMs = number("cooldownMs");
    const own = ops.filter((op) => op !== last && op.key === last.key);
    const after = own.filter((op) => op.headersMs > last.sentMs + cooldownMs / 2 && op.sentMs < last.headersMs);
    const isHeld = (op: LimitOp): boolean =>
      op.outcome === "admitted" && certainlyUnansweredUntil(op) - op.sentMs > cooldownMs / 4;
    const wasOpened = after.some((op) => isHeld(op) && op.headersMs <= openedMs);
    const isSilent = !own.some(({ sentMs }) => sentMs > openedMs - cooldownMs && sentMs < openedMs);
    const served = after.filter(
      ({ outcome, status, headersMs }) => outcome !== "rejected" && (status === null || headersMs < last.headersMs),
    );
    const untilMs = certainlyUnansweredUntil(last);
    const waited = last.outcome === "admitted" && untilMs - last.sentMs > cooldownMs && untilMs > openedMs;
    return waited && (wasOpened || isSilent) && served.length < number("burst") ? null : "the allowance explains the wait";
  },
  "queue-lost": ({ named }) => (named.every((op) => op.status === null) ? null : "it was answered"),
  "token-sum": ({ named, number, first, last }) => {
    const sum = named.slice(1, -1).reduce((total, op) => total + leastCharge(op, 0), 0);
    const used = Math.min(sum, first.tokens.remaining ?? 0);
    const fell = (first.tokens.remaining ?? 0) - (last.tokens.remaining ?? 0);
    return fell < used - number("refill") ? null : "remaining fell by enough";
  },
  "token-overcharge": ({ ops, number, first, last }) => {
    const since = ops.filter((op) => op.endMs >= first.sentMs && op.sentMs <= last.headersMs);
    const used = since.reduce((total, op) => total + (op.usedTokens ?? Number.POSITIVE_INFINITY), 0);
    const fell = (first.tokens.remaining ?? 0) - (last.tokens.remaining ?? 0);
    return fell > used + number("slack") ? null : "the requests in between explain it";
  },
  "token-phantom": ({ ops, number, first, last }) => {
    const since = ops.filter((op) => op.endMs >= first.sentMs - number("delayMs") && op.sentMs <= last.headersMs);
    const costly = since.filter(({ usedTokens, maxTokens }) => usedTokens !== null || maxTokens !== null);
    const prompt = ops.reduce((most, op) => Math.max(most, op.promptTokens ?? op.usedTokens ?? 0), 0);
    const dearest = ops.reduce((most, op) => Math.max(most, op.usedTokens ?? 0, prompt + (op.maxTokens ?? 0)), 0);
    const fell = (first.tokens.remaining ?? 0) - (last.tokens.remaining ?? 0);
    const isOneCount =
      first.endpoint === last.endpoint && first.tokens.limit === last.tokens.limit && first.headersMs < last.sentMs;
    return isOneCount && fell > costly.length * dearest + number("step") ? null : "its own requests explain it";
  },
  "spend.endpoint-exempt": ({ named, first }) => {
    const spends = named.slice(1).every((op) => op.outcome === "admitted" && op.key === first.key && op.sentMs > first.headersMs);
    return isPurchase(first) && first.outcome === "rejected" && spends ? null : "the cap was not reached before it";
  },
  "spend.cycle-early": ({ last }) => (last.outcome === "admitted" ? null : "it was refused"),
  "spend.raise-ignored": refused,
  "spend.keys-share-cap": refused,
  "spend.cycle-not-reset": refused,
  "queue-order": citesRefusal,
  "queue-mixed": citesRefusal,
};
const ruleOf: ReadonlyMap<string, Rule> = new Map(Object.entries(rules));

/** Tokens of a prompt that a cache held are free at many services; `unreported`: of an answer that does not report its usage. */
function leastCharge({ usedTokens, cachedTokens }: LimitOp, unreported: number): number {
  return usedTokens === null ? unreported : Math.max(0, usedTokens - (cachedTokens ?? 0));
}

function isServed({ outcome }: LimitOp): boolean {
  return outcome === "admitted";
}

function isBought(op: LimitOp): boolean {
  return isPurchase(op) && op.outcome === "admitted";
}

// prettier-ignore
const phasesOfPurchases: ReadonlySet<string> = new Set([
  "price", "capped", "twin", "zero", "raised", "race", "raced", "lowered", "lowered-at-once", "account", "cycle-before", "cycle-early",
  "cycle-after", "search",
]);

function isPurchase({ policy, phase, endpoint }: LimitOp): boolean {
  return endpoint === "images" || (policy === "spend" && phasesOfPurchases.has(phase));
}

function verifyBurstOver(
  named: readonly LimitOp[],
  ops: readonly LimitOp[],
  allowed: number,
  burst: number,
  cooldownMs: number,
): string | null {
  const fromMs = Math.min(...named.map((op) => op.sentMs));
  const admitted = ops.filter((op) => op.outcome === "admitted" && op.sentMs >= fromMs).map((op) => op.sentMs);
  const exhaustedMs = admitted.sort((a, b) => a - b)[burst - 1];
  if (exhaustedMs === undefined) return "the allowance was not used up";
  const early = named.filter((op) => op.outcome === "admitted" && op.headersMs < exhaustedMs + cooldownMs);
  return early.length > allowed ? null : "the allowance or the end of the cooldown explains them";
}
