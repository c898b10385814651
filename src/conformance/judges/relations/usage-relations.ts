import { groupBy } from "../../../core/group-by.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import type { Comparison, Relation } from "./relation.ts";
import { nameReport, type ReportQuantity, reportQuantities, type ReportTotals, reportTotals } from "./usage-reports.ts";

interface Variation {
  readonly id: string;
  readonly varies: string;
  /** Whether two reports of one window differ in this respect and in no other. */
  readonly fits: (one: ReportTotals, other: ReportTotals) => boolean;
}

const keyOf = ({ report }: ReportTotals): string | null => report.exchange.keyName;
const spelling = ({ report: { query } }: ReportTotals): string => `${query.from} ${query.to}`;

function granularities(one: "hour" | "day", other: "day" | "month"): Variation {
  const wanted = new Set([one, other]);
  return {
    id: `${one}-and-${other}`,
    varies: `the granularity: ${one} or ${other}`,
    fits: (first, second) =>
      first.granularity !== second.granularity &&
      wanted.has(first.granularity as "hour") &&
      wanted.has(second.granularity as "hour") &&
      keyOf(first) === keyOf(second),
  };
}

const isAlike = (one: ReportTotals, other: ReportTotals): boolean => one.granularity === other.granularity;

const variations: readonly Variation[] = [
  granularities("hour", "day"),
  granularities("day", "month"),
  granularities("hour", "month"),
  {
    id: "notations",
    varies: "the notation of the two instants",
    fits: (one, other) => isAlike(one, other) && keyOf(one) === keyOf(other) && spelling(one) !== spelling(other),
  },
  { id: "keys", varies: "the key of the account", fits: (one, other) => isAlike(one, other) && keyOf(one) !== keyOf(other) },
  {
    id: "times",
    varies: "the time of asking",
    fits: (one, other) => isAlike(one, other) && keyOf(one) === keyOf(other) && spelling(one) === spelling(other),
  },
];

/** Reports that stand further apart in the record are not held against each other. */
const reachReports = 60;

/** Usage may show late, in each kind of report by itself: only reports that show the same tokens are about the same state. */
function sameTotal(variation: Variation, quantity: ReportQuantity): Relation {
  return {
    id: `usage/same-total/${variation.id}/${quantity.name}`,
    requirement: "USG-045",
    says: "two reports of one window with the same tokens disagree in kinds of tokens or in cost",
    held: "window, account and total_tokens of two usage reports",
    varies: variation.varies,
    agrees: `${quantity.name}, over all buckets`,
    *compare(record) {
      for (const reports of groupBy(reportTotals(record), ({ place }) => place).values()) {
        for (const [index, later] of reports.entries()) {
          const earlier = reports
            .slice(Math.max(0, index - reachReports), index)
            .findLast((one) => one.totalTokens === later.totalTokens && variation.fits(one, later));
          if (earlier !== undefined && later.totalTokens > 0) yield* agree(quantity, later, earlier);
        }
      }
    },
  };
}

function* agree(quantity: ReportQuantity, later: ReportTotals, earlier: ReportTotals): Iterable<Comparison> {
  const [one, other] = [quantity.read(earlier), quantity.read(later)];
  if (one === null || other === null) return;
  yield {
    exchanges: [later.report.exchange.seq, earlier.report.exchange.seq],
    isProven: true,
    holds: isAsBefore(one, other, { mayGrow: quantity.mayGrow, tolerance: quantity.tolerance(earlier, later) }),
    expected: `${quantity.name} ${quantity.mayGrow ? "of at least " : ""}${show(one)}, as ${nameReport(earlier)} says of the same window and the same ${later.totalTokens} tokens`,
    observed: `${quantity.name} ${show(other)} in ${nameReport(later)}`,
  };
}

/** A quantity that may grow shows a defect where it falls: of two forms that disagree, the one that states more is followed by the other one. */
function isAsBefore(before: number, after: number, { mayGrow, tolerance }: { mayGrow: boolean; tolerance: number }): boolean {
  return after >= before - tolerance && (mayGrow || after <= before + tolerance);
}

/** Each bucket of two equal questions, so that nothing moves from one hour to another either. */
function sameBuckets(member: "promptTokens" | "completionTokens" | "costUsd", name: string): Relation {
  const rule = { mayGrow: member === "costUsd", tolerance: 1e-9 };
  return {
    id: `usage/same-buckets/${name}`,
    requirement: "USG-045",
    says: "two reports of one window with the same tokens disagree in kinds of tokens or in cost",
    held: "window, granularity, account and total_tokens of two usage reports",
    varies: "the time of asking, the key, the notation",
    agrees: `${name} of each bucket`,
    *compare(record) {
      const alike = groupBy(reportTotals(record), ({ place, granularity }) => `${place} ${granularity}`);
      for (const reports of alike.values()) {
        for (const [index, later] of reports.entries()) {
          const earlier = reports[index - 1];
          if (earlier === undefined || earlier.totalTokens !== later.totalTokens || later.totalTokens === 0) continue;
          const before = new Map(earlier.buckets.map((bucket) => [bucket.start?.unixMs, bucket[member] ?? 0]));
          const wrong = later.buckets.find(
            ({ start, [member]: value }) => !isAsBefore(before.get(start?.unixMs) ?? 0, value ?? 0, rule),
          );
          const startMs = wrong?.start?.unixMs;
          yield {
            exchanges: [later.report.exchange.seq, earlier.report.exchange.seq],
            isProven: true,
            holds: wrong === undefined,
            expected: `${name} ${show(before.get(startMs) ?? 0)} in the bucket of ${instant(startMs)}, as ${nameReport(earlier)} says`,
            observed: show(wrong?.[member] ?? 0),
          };
        }
      }
    },
  };
}

/** Two windows that share an edge, and their union, where their tokens add up: nobody used anything between the three. */
function adjacent(quantity: ReportQuantity): Relation {
  return {
    id: `usage/adjacent-windows/${quantity.name}`,
    requirement: "USG-031",
    says: "the kinds of tokens or the cost of two adjacent windows do not add up to their union",
    held: "account of three usage reports, of two windows that share an edge and of their union, whose tokens add up",
    varies: "the window",
    agrees: `${quantity.name} of the parts adds up to that of the union`,
    *compare(record) {
      for (const [left, right, whole] of partsAndWholes(record)) {
        const [one, other, union] = [quantity.read(left), quantity.read(right), quantity.read(whole)];
        if (one === null || other === null || union === null) continue;
        const tolerance = quantity.tolerance(left, whole) + quantity.tolerance(right, whole);
        const parts = one + other;
        const order = orderOf(whole, [left, right]);
        if (quantity.mayGrow && order === "between") continue;
        const mayBeLess = quantity.mayGrow && order === "after";
        const mayBeMore = quantity.mayGrow && order === "before";
        yield {
          exchanges: [whole, right, left].map(({ report }) => report.exchange.seq),
          isProven: true,
          holds: (mayBeLess || parts >= union - tolerance) && (mayBeMore || parts <= union + tolerance),
          expected: `${quantity.name} ${show(union)}, as ${nameReport(whole)} says of the union`,
          observed: `${show(one)} and ${show(other)} in ${nameReport(left)} and ${nameReport(right)}`,
        };
      }
    },
  };
}

/** The first and the last union whose tokens are those of the parts: what grows meanwhile lies between them. */
function alike(wholes: readonly ReportTotals[], tokens: number): readonly ReportTotals[] {
  const same = wholes.filter(({ totalTokens }) => totalTokens > 0 && totalTokens === tokens);
  return [...new Set([...same.slice(0, 1), ...same.slice(-1)])];
}

/** When the union was asked for, beside its parts. */
function orderOf(whole: ReportTotals, parts: readonly ReportTotals[]): "before" | "between" | "after" {
  const place = ({ report }: ReportTotals): number => report.exchange.seq;
  if (parts.every((part) => place(part) > place(whole))) return "before";
  return parts.every((part) => place(part) < place(whole)) ? "after" : "between";
}

function* partsAndWholes(record: readonly ExchangeFacts[]): Iterable<readonly [ReportTotals, ReportTotals, ReportTotals]> {
  const reports = reportTotals(record);
  const accountOf = ({ place }: ReportTotals): string => place.split(" ")[0] ?? "";
  const byWindow = groupBy(reports, ({ place }) => place);
  for (const left of reports) {
    for (const right of reports) {
      if (left.toMs !== right.fromMs || accountOf(left) !== accountOf(right)) continue;
      const wholes = byWindow.get(`${accountOf(left)} ${left.fromMs} ${right.toMs}`) ?? [];
      for (const whole of alike(wholes, left.totalTokens + right.totalTokens)) yield [left, right, whole];
    }
  }
}

function show(value: number): string {
  return String(Number(value.toFixed(9)));
}

function instant(unixMs: number | undefined): string {
  return unixMs === undefined ? "an unknown instant" : new Date(unixMs).toISOString();
}

export const usageRelations: readonly Relation[] = [
  ...variations.flatMap((variation) => reportQuantities.map((quantity) => sameTotal(variation, quantity))),
  sameBuckets("promptTokens", "prompt_tokens"),
  sameBuckets("completionTokens", "completion_tokens"),
  sameBuckets("costUsd", "cost_usd"),
  ...reportQuantities.map(adjacent),
];
