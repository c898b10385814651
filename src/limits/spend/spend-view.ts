import type { Exchange } from "../../core/exchange.ts";
import type { SettingChange } from "../burst-settings.ts";
import type { History } from "../history.ts";
import type { LimitOp } from "../op.ts";
import { readTotalCents } from "./usage-total.ts";

export interface SpendView {
  readonly key: string;
  readonly twin: string | null;
  /** Cost of one purchase by the usage report, cents. */
  readonly priceCents: number;
  /** Purchases and requests of the exam in the order of sending, both keys. */
  readonly ops: readonly LimitOp[];
  readonly purchases: readonly LimitOp[];
  readonly bySeq: ReadonlyMap<number, Exchange>;
  readonly usage: readonly { readonly seq: number; readonly phase: string; readonly atMs: number; readonly cents: number }[];
  readonly changes: readonly SettingChange[];
  readonly settleMs: number;
}

/** null when no exam measured a price. */
export function viewSpend(
  history: History,
  exchanges: readonly Exchange[],
  changes: readonly SettingChange[],
  settleMs: number,
): SpendView | null {
  const all = history.ops.filter((op) => op.policy === "spend");
  const priced = all.find((op) => op.phase === "price");
  if (!priced) return null;
  const bySeq = new Map(exchanges.map((exchange) => [exchange.seq, exchange]));
  const usage = all
    .filter((op) => op.phase.startsWith("usage-"))
    .flatMap((op) => {
      const exchange = bySeq.get(op.seq);
      const cents = exchange ? readTotalCents(exchange) : null;
      return cents === null ? [] : [{ seq: op.seq, phase: op.phase, atMs: op.headersMs, cents }];
    });
  const before = usage.find(({ phase }) => phase === "usage-before");
  const after = usage.find(({ phase }) => phase === "usage-after");
  const ops = all.filter((op) => !op.phase.startsWith("usage-"));
  return {
    key: priced.key,
    twin: ops.find((op) => op.key !== priced.key)?.key ?? null,
    priceCents: before && after ? after.cents - before.cents : 0,
    ops,
    purchases: ops.filter((op) => op.endpoint === "images"),
    bySeq,
    usage,
    changes,
    settleMs,
  };
}

/** The cap in force for a request: the last change that had settled, if none was under way. Cents; undefined: not known. */
export function capAt(view: SpendView, subject: string, member: string, op: LimitOp): number | null | undefined {
  let cap: number | null | undefined;
  for (const change of view.changes) {
    if (change.subject !== subject || !(member in change.settings)) continue;
    if (change.sentMs > op.headersMs) break;
    cap = change.answeredMs + view.settleMs <= op.sentMs ? change.settings[member] : undefined;
  }
  return cap;
}

/** What this exam alone had certainly bought before a request was sent, cents. */
export function boughtBefore(view: SpendView, op: LimitOp, key: string | null): number {
  const count = view.purchases.filter(
    (other) => other.outcome === "admitted" && other.endMs < op.sentMs && (key === null || other.key === key),
  ).length;
  return count * view.priceCents;
}
