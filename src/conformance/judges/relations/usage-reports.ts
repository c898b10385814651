import { accountKeys } from "../../judging/account-keys.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { bySending } from "../../../core/exchange/moments.ts";
import { amountTolerance } from "../usage/usage-sums.ts";
import { granularityOf, readUsageReport, type UsageBucket, type UsageReport, windowOf } from "../usage/usage-report.ts";

/** A report with what it says of its whole window, each kind by itself. */
export interface ReportTotals {
  readonly report: UsageReport;
  /** Ends of the window and the account whose key asks: reports of one place are about the same. */
  readonly place: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly granularity: string;
  readonly totalTokens: number;
  readonly buckets: readonly UsageBucket[];
}

/** A quantity of a window, as reports state it. */
export interface ReportQuantity {
  readonly name: string;
  /** null: the report does not say. */
  readonly read: (totals: ReportTotals) => number | null;
  /** The difference that rounding explains. */
  readonly tolerance: (one: ReportTotals, other: ReportTotals) => number;
  /** It may have grown between two reports that show the same tokens: images and recordings cost money and use none. */
  readonly mayGrow: boolean;
}

const exact = (): number => 0;

function sum(buckets: readonly UsageBucket[], member: "promptTokens" | "completionTokens" | "costUsd"): number | null {
  return buckets.reduce<number | null>((total, bucket) => {
    const value = bucket[member];
    return total === null || value === null ? null : total + value;
  }, 0);
}

function roundingOf(one: ReportTotals, other: ReportTotals): number {
  return (
    amountTolerance(one.buckets, one.report.totalCostUsd ?? 0) + amountTolerance(other.buckets, other.report.totalCostUsd ?? 0)
  );
}

export const reportQuantities: readonly ReportQuantity[] = [
  { name: "prompt_tokens", read: ({ buckets }) => sum(buckets, "promptTokens"), tolerance: exact, mayGrow: false },
  { name: "completion_tokens", read: ({ buckets }) => sum(buckets, "completionTokens"), tolerance: exact, mayGrow: false },
  { name: "cost_usd", read: ({ buckets }) => sum(buckets, "costUsd"), tolerance: roundingOf, mayGrow: true },
  { name: "aggregate.total_cost_usd", read: ({ report }) => report.totalCostUsd, tolerance: roundingOf, mayGrow: true },
];

/**
 * Reports that state their totals, in order of time. Those whose buckets do not add up to their aggregate, because an edge of the
 * window cuts one or because they are wrong in themselves, are left out: rows on sums are about them.
 */
export function reportTotals(record: readonly ExchangeFacts[]): readonly ReportTotals[] {
  return record
    .map(readUsageReport)
    .flatMap((report) => (report === null ? [] : totalsOf(report)))
    .toSorted((one, other) => bySending(one.report.exchange, other.report.exchange));
}

function totalsOf(report: UsageReport): readonly ReportTotals[] {
  const { totalTokens, buckets, query, exchange } = report;
  const window = windowOf(query);
  const granularity = granularityOf(query);
  if (window === null || granularity === null || totalTokens === null || buckets === null) return [];
  if (buckets.reduce((total, bucket) => total + (bucket.totalTokens ?? Number.NaN), 0) !== totalTokens) return [];
  // Kinds that do not add up are wrong in themselves, or were read while they changed.
  const isWhole = ({ promptTokens, completionTokens, totalTokens: all }: UsageBucket): boolean =>
    (promptTokens ?? Number.NaN) + (completionTokens ?? Number.NaN) === all;
  if (!buckets.every(isWhole)) return [];
  const key = exchange.keyName ?? "";
  const account = accountKeys.has(key) ? "account" : key;
  return [{ report, place: `${account} ${window.fromMs} ${window.toMs}`, ...window, granularity, totalTokens, buckets }];
}

/** `the report #12 by hour with the key primary` */
export function nameReport({ report: { exchange }, granularity }: ReportTotals): string {
  return `the report #${exchange.seq} by ${granularity} with the key ${exchange.keyName}`;
}
