import { row } from "../verdict/check-occurrences.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import { accused, inconclusive, passed, type Check, type CheckHead, checkHead } from "../verdict/check.ts";
import type { LimitPhases } from "../../core/exchange/limit-phase.ts";
import type { Occurrence } from "../../core/result/occurrence.ts";
import type { LimitOp, OpOf } from "../history/op.ts";
import type { SpendView } from "../history/spend-view.ts";

const spec = "Limits > Spend caps; Errors";
const monthMs = 31 * 86_400_000;

interface Refusal {
  readonly op: OpOf<"spend">;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Phases in which the exam has set a cap below what it had bought: whatever is not served there is a refusal at that cap. */
const phasesAtCap: ReadonlySet<LimitPhases["spend"]> = new Set([
  "capped",
  "raced",
  "lowered",
  "lowered-at-once",
  "account",
  "cycle-early",
]);

/** Refusals of purchases at a cap: 429 and 402 wherever they came, any other status where the exam made sure that the cap is reached. */
function refusals(view: SpendView): readonly Refusal[] {
  const atCap = view.isExam ? view.purchases.filter(({ phase }) => phasesAtCap.has(phase)) : [];
  const failing = atCap.filter(({ status }) => status !== null && status >= 500);
  const failsElsewhere = view.purchases.some(
    ({ phase, status }) => (phase === "price" || phase === "twin") && status !== null && status >= 500,
  );
  // One failure may be an accident, and a service that fails elsewhere as well is simply failing.
  const provoked = failing.length > 1 && !failsElsewhere ? failing : [];
  const isRefusal = (op: OpOf<"spend">): boolean =>
    op.outcome === "rejected" || op.status === 402 || (op.outcome === "other" && atCap.includes(op)) || provoked.includes(op);
  return view.ops
    .filter((op) => op.phase !== "price" && isRefusal(op))
    .map((op) => {
      const exchange = view.bySeq.get(op.seq);
      return { op, body: (exchange && factsOf(exchange).responseObject) ?? {} };
    });
}

/**
 * A refusal that shows requests and tokens left was not the rate limit's: it must have the shape of a quota. One that says that a cap refused it is
 * that of the cap, whatever remains.
 */
function isRateLimit({ op }: Refusal): boolean {
  return op.cause !== "spend" && (op.requests.remaining === 0 || op.tokens.remaining === 0);
}

export function checkQuotaShape(view: SpendView): readonly Check[] {
  const shape: CheckHead = checkHead("spend.refusal-shape");
  const type: CheckHead = checkHead("spend.cap-type-missing");
  const judged = refusals(view).filter((refusal) => !isRateLimit(refusal));
  if (judged.length === 0) return [shape, type].map((own) => inconclusive(own, 0, "no request was refused by a cap"));
  const report = (own: CheckHead, op: LimitOp, message: string, expected: string, observed: string): Check =>
    accused(own, judged.length, "fail", {
      message,
      rule: "Spend caps answer 429 with error, retry_after_ms and cap_type.",
      spec,
      ops: [op],
      lawfulAlternative: expected,
      expected,
      observed,
    });
  const misshapen = judged.find(
    ({ op, body }) =>
      op.status !== 429 ||
      body["error"] !== "quota_exceeded" ||
      !Number.isInteger(body["retry_after_ms"]) ||
      Number(body["retry_after_ms"]) < 0,
  );
  const typeless = judged.find(({ body }) => typeof body["cap_type"] !== "string");
  const expected = '429 {"error":"quota_exceeded","retry_after_ms":integer,"cap_type":string}';
  const seen = ({ op, body }: Refusal): string => `${op.status} ${JSON.stringify(body).slice(0, 160)}`;
  return [
    misshapen
      ? report(
          shape,
          misshapen.op,
          `#${misshapen.op.seq} was refused at a cap with ${seen(misshapen)}. A correct service answers ${expected}`,
          expected,
          seen(misshapen),
        )
      : passed(shape, judged.length, `${judged.length} refusals have the quota shape`),
    typeless
      ? report(
          type,
          typeless.op,
          `#${typeless.op.seq} was refused at a cap with ${seen(typeless)}: cap_type, which says what cap it is, is missing. Correct would be: ${expected}`,
          expected,
          seen(typeless),
        )
      : passed(type, judged.length, `${judged.length} refusals name the cap`),
  ];
}

/** All refusals of one cap point to one instant, within a month: the end of the billing cycle; to two when it ends meanwhile. */
export function checkQuotaWait(view: SpendView): Check {
  const own: CheckHead = checkHead("spend.wait-untrue", 2);
  const judged = refusals(view).flatMap(({ op }) => {
    const waitMs = op.retry?.bodyMs?.waitMs ?? null;
    return waitMs === null || op.phase === "cycle-after"
      ? []
      : [{ op, waitMs, fromMs: op.sentMs + waitMs - 1000, toMs: op.headersMs + waitMs + 1000 }];
  });
  if (judged.length === 0) return inconclusive(own, 0, "no refusal named a wait");
  const report = (ops: readonly LimitOp[], message: string): Check =>
    accused(own, judged.length, "fail", {
      message,
      rule: "retry_after_ms is the time left until the billing cycle resets, in milliseconds.",
      spec,
      ops,
      parameters: { waitsMs: judged.map(({ waitMs }) => waitMs).join(" ") },
      lawfulAlternative: "a number of milliseconds that counts down to the end of the cycle",
      expected: "one instant, at most 31 days ahead",
      observed: ops.map((op) => `#${op.seq}: ${op.retry?.bodyMs?.waitMs} ms`).join(", "),
    });
  const far = judged.find(({ waitMs }) => waitMs > monthMs + 1000);
  if (far)
    return report(
      [far.op],
      `#${far.op.seq} was refused at a cap and says to wait ${days(far.waitMs)} days. A billing cycle of a month ends within 31: a correct service names a wait in milliseconds until then`,
    );
  const cycles = groupByCycle(judged);
  for (const cycle of cycles) {
    const earliest = cycle.reduce((least, one) => (one.toMs < least.toMs ? one : least));
    const latest = cycle.reduce((most, one) => (one.fromMs > most.fromMs ? one : most));
    const driftMs = latest.fromMs - earliest.toMs;
    if (driftMs > 2000)
      return report(
        [earliest.op, latest.op],
        `#${earliest.op.seq} was refused at a cap and says to wait ${earliest.waitMs} ms, #${latest.op.seq}, ${(Math.abs(latest.op.sentMs - earliest.op.sentMs) / 1000).toFixed(1)} s ${latest.op.sentMs >= earliest.op.sentMs ? "later" : "earlier"}, ${latest.waitMs} ms: the instants to which they lead lie ${(driftMs / 1000).toFixed(1)} s apart. In a correct service all waits of one cycle count down to its end`,
      );
  }
  const [first, second, third] = cycles;
  // A month ends once in an exam, if at all.
  if (first?.[0] && second?.[0] && third?.[0])
    return report(
      [first[0].op, second[0].op, third[0].op],
      `the waits lead to ${cycles.length} instants, of which each had passed when the next one was named`,
    );
  return passed(own, judged.length, `${judged.length} waits lead to ${second ? "the ends of two cycles" : "one instant"}`);
}

const days = (ms: number): string => (ms / 86_400_000).toFixed(1);

/** Refusals by the cycle that was under way: what was decided after the named instant may speak of the next cycle. */
function groupByCycle<Wait extends { readonly op: LimitOp; readonly fromMs: number; readonly toMs: number }>(
  waits: readonly Wait[],
): readonly (readonly Wait[])[] {
  const cycles: Wait[][] = [];
  for (const one of waits.toSorted((a, b) => a.op.headersMs - b.op.headersMs)) {
    const current = cycles.at(-1);
    const head = current?.[0];
    // Answers that came late leave a wide span.
    const sameInstant = head !== undefined && one.fromMs <= head.toMs + 2000 && one.toMs >= head.fromMs - 2000;
    if (current && head && (sameInstant || one.op.headersMs < head.fromMs)) current.push(one);
    else cycles.push([one]);
  }
  return cycles;
}

const exemptHead: CheckHead = checkHead("spend.endpoint-exempt");

/** Other requests that cost money, sent between refusals at the cap. */
export function checkExempt(view: SpendView): Check {
  const capped = view.purchases.find((op) => op.phase === "capped");
  const others = view.ops.filter(({ phase }) => phase === "capped-other");
  if (capped?.outcome !== "rejected") return inconclusive(exemptHead, 0, "the cap was not reached");
  if (others.length === 0) return inconclusive(exemptHead, 0, "the manifest names no model of another endpoint that costs money");
  const served = others.filter(({ outcome }) => outcome === "admitted");
  const first = served[0];
  const nameOf = ({ endpoint, streamed, seq }: LimitOp): string => `${endpoint}${streamed ? ", streamed," : ""} (#${seq})`;
  if (first === undefined) {
    const refused = others.filter(({ outcome }) => outcome === "rejected").length;
    return refused === others.length
      ? passed(exemptHead, refused, `${refused} requests to other endpoints were refused at the cap`)
      : inconclusive(exemptHead, refused, `${others.length - refused} of ${others.length} requests were answered otherwise`);
  }
  return accused(exemptHead, others.length, "fail", {
    kind: exemptHead.id,
    message: `${served.map(nameOf).join(" and ")} ${served.length === 1 ? "was" : "were"} served while key ${view.key} was refused at its cap (#${capped.seq}). A correct service refuses whatever costs money with 429`,
    rule: "The cap holds on every endpoint that costs money.",
    spec,
    ops: [capped, ...served],
    parameters: { served: served.length, sent: others.length },
    lawfulAlternative: "429",
    expected: "429",
    observed: String(first.status),
  });
}

/** Records what becomes of requests that cost nothing while the key is at its cap. */
export function freeEndpointRows(view: SpendView): readonly Occurrence[] {
  const capped = view.purchases.find((op) => op.phase === "capped");
  if (capped?.outcome !== "rejected") return [];
  return view.ops
    .filter(({ phase }) => phase === "capped-free")
    .map((op) => ({
      requirement: "SPEND-009",
      outcome: op.outcome === "rejected" || op.outcome === "admitted" ? "pass" : "inconclusive",
      exchanges: [op.seq],
      message: `a free endpoint answers ${op.status} at the cap`,
    }));
}

const lacking = { message: "a quota refusal lacks rate-limit headers", expected: "six headers", observed: "missing" } as const;

export function hintRows(view: SpendView): readonly Occurrence[] {
  return refusals(view)
    .filter((refusal) => !isRateLimit(refusal))
    .flatMap(({ op, body }): readonly Occurrence[] => {
      const missing = op.headerProblems.some((problem) => problem.kind === "missing");
      const header = op.retry?.header?.waitMs ?? null;
      const rows: Occurrence[] = [
        row("SPEND-017", op, missing ? lacking : null),
        {
          requirement: "SPEND-016",
          outcome: "observed",
          exchanges: [op.seq],
          message: "Retry-After on a quota refusal",
          answer: header === null ? "absent" : "present",
        },
      ];
      if (op.phase === "account")
        rows.push({
          requirement: "SPEND-007",
          outcome: "observed",
          exchanges: [op.seq],
          message: "cap_type of the account ceiling",
          answer: String(body["cap_type"]),
        });
      return rows;
    });
}
