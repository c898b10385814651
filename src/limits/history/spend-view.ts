import type { LimitPhases } from "../../core/exchange/limit-phase.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { SettingChange } from "./burst-settings.ts";
import type { History } from "./history.ts";
import { isPurchase } from "./is-purchase.ts";
import { opsOf, type LimitOp, type OpOf } from "./op.ts";
import { possibleCycleEnds, type CycleEnd } from "./cycle-ends.ts";
import { boundPrice, type PriceBounds } from "./price-bounds.ts";
import { readTotalCents } from "./usage-total.ts";

export interface UsageReport {
  readonly seq: number;
  /** null: sent for another purpose. */
  readonly phase: LimitPhases["spend"] | null;
  readonly sentMs: number;
  readonly atMs: number;
  readonly cents: number;
}

export interface SpendView {
  readonly key: string;
  readonly twin: string | null;
  /** Cost of one purchase by the usage report, cents. */
  readonly priceCents: number;
  /** Purchases and requests of the exam in the order of sending, both keys. */
  readonly ops: readonly OpOf<"spend">[];
  readonly purchases: readonly OpOf<"spend">[];
  readonly bySeq: ReadonlyMap<number, Exchange>;
  readonly usage: readonly UsageReport[];
  /** Requests that cost a fraction of a cent each, and the reports around them, every one of these. */
  readonly cheap: readonly OpOf<"spend">[];
  readonly cheapUsage: readonly UsageReport[];
  readonly changes: readonly SettingChange[];
  readonly settleMs: number;
  /** The purchases are those of the exam, whose phases say which cap was set; under load others may fail for other reasons. */
  readonly isExam: boolean;
}

const usagePhases: ReadonlySet<LimitPhases["spend"]> = new Set(["usage-before", "usage-after", "usage-raise", "usage-race"]);

/** null when no exam measured a price. */
export function viewSpend(
  history: Pick<History, "ops">,
  bySeq: ReadonlyMap<number, Exchange>,
  changes: readonly SettingChange[],
  settleMs: number,
): SpendView | null {
  const all = opsOf(history.ops, "spend");
  const priced = all.find((op) => op.phase === "price");
  if (!priced) return null;
  // If a report was asked for until it had caught up, the last one counts.
  const reports = all.filter(({ phase, cached }) => usagePhases.has(phase) && !cached);
  const readAll = (some: readonly OpOf<"spend">[]): readonly UsageReport[] =>
    some.flatMap((op) => {
      const exchange = bySeq.get(op.seq);
      const cents = exchange ? readTotalCents(exchange) : null;
      return cents === null ? [] : [{ seq: op.seq, phase: op.phase, sentMs: op.sentMs, atMs: op.headersMs, cents }];
    });
  const usage = readAll(
    reports.filter(
      (op) => !reports.some((later) => later.phase === op.phase && later.sentMs > op.sentMs && readsCents(bySeq, later)),
    ),
  );
  const before = usage.find(({ phase }) => phase === "usage-before");
  // Purchases before it were of another ware or size.
  const sinceMs = before?.sentMs ?? Number.NEGATIVE_INFINITY;
  const after = usage.find(({ phase }) => phase === "usage-after");
  // A purchase that a limit of requests or tokens refused says nothing of caps: it is sent again, or left out.
  const ops = all.filter(
    ({ phase, cause, sentMs }) =>
      sentMs >= sinceMs && !usagePhases.has(phase) && phase !== "usage-cheap" && cause !== "requests" && cause !== "tokens",
  );
  const paid = ops.filter(({ phase, outcome }) => phase === "price" && outcome === "admitted");
  return {
    key: priced.key,
    twin: ops.find((op) => op.key !== priced.key)?.key ?? null,
    priceCents: before && after && paid.length > 0 ? (after.cents - before.cents) / paid.length : 0,
    ops,
    purchases: ops.filter(isPurchase),
    bySeq,
    usage,
    cheap: ops.filter(({ phase }) => phase === "cheap-chat" || phase === "cheap-stream" || phase === "cheap-embedding"),
    cheapUsage: readAll(all.filter(({ phase, cached }) => phase === "usage-cheap" && !cached)),
    changes,
    settleMs,
    isExam: true,
  };
}

function readsCents(bySeq: ReadonlyMap<number, Exchange>, { seq }: { readonly seq: number }): boolean {
  const exchange = bySeq.get(seq);
  return exchange !== undefined && readTotalCents(exchange) !== null;
}

/** The cap in force for a request: the last change that had settled, if none was under way. Cents; undefined: not known. */
export function capAt(view: SpendView, subject: string, member: string, op: LimitOp): number | null | undefined {
  let cap: number | null | undefined;
  for (const change of view.changes) {
    if (change.subject !== subject || !(member in change.settings)) continue;
    if (change.sentMs >= op.headersMs) break;
    cap = change.answeredMs + view.settleMs <= op.sentMs ? change.settings[member] : undefined;
  }
  return cap;
}

/**
 * The facts that the exam records beside its requests: bounds of the price, and the places at which a billing cycle may have
 * ended.
 */
export interface SpendFacts {
  readonly price: PriceBounds;
  readonly cycleEnds: readonly CycleEnd[];
}

export function spendFactsOf(view: SpendView, offsetMs: number | null): SpendFacts {
  return {
    price: boundPrice(
      view.usage.map(({ sentMs, atMs, cents }) => ({ sentMs, headersMs: atMs, cents })),
      view.purchases,
    ),
    cycleEnds: possibleCycleEnds(view.ops, offsetMs),
  };
}

/**
 * The sum that this exam alone had certainly bought before a request was sent, cents; with a cycle that ended meanwhile, since
 * then if the request may be of the new one.
 */
export function boughtBefore(
  view: SpendView,
  { price }: SpendFacts,
  op: LimitOp,
  key: string | null,
  cycleEnd: CycleEnd | null,
): number {
  const sinceMs = cycleEnd === null || op.headersMs <= cycleEnd.fromMs ? Number.NEGATIVE_INFINITY : cycleEnd.toMs;
  const count = view.purchases.filter(
    (other) =>
      other !== op &&
      other.outcome === "admitted" &&
      other.sentMs > sinceMs &&
      other.endMs <= op.sentMs &&
      (key === null || other.key === key),
  ).length;
  return count * price.lowCents;
}
