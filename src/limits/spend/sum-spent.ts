import { isPurchase } from "../history/is-purchase.ts";
import { reportStepCents, type PriceBounds } from "../history/price-bounds.ts";
import { capAt, type SpendFacts, type SpendView, type UsageReport } from "../history/spend-view.ts";
import { roomForOne } from "./purchases-together.ts";
import { type CheapPhase, cheapPhases } from "./cheap-kinds.ts";

/** The requests of one kind, and what they cost by the usage reports around them, cents. */
export interface KindCost {
  readonly phase: CheapPhase;
  readonly count: number;
  readonly cents: number;
  /** Of one request. */
  readonly price: PriceBounds;
}

/** All that a key has spent by the usage report when its cheap requests were charged. */
export interface SpentSum {
  readonly kinds: readonly KindCost[];
  /** Certainly spent by it in this exam, cents. */
  readonly lowCents: number;
  /** It has not spent more, cents. */
  readonly highCents: number;
  /** Purchases of the exam of caps, by it. */
  readonly purchases: number;
}

/** The room above the sum in which a correct service serves one more request of any of its kinds, cents. */
export function roomAbove({ kinds }: SpentSum): number {
  return roomForOne(Math.max(...kinds.map(({ price }) => price.highCents)));
}

/** Requests of one kind between two reports, and how much those grew. */
interface Series {
  readonly phase: CheapPhase;
  readonly count: number;
  readonly cents: number;
}

/** Answers of one model to alike prompts may differ by some tokens. */
const sameShare = 0.1;

/** null: reports lag, somebody else of the account spends as well, or a request was not answered, so that no sum is known. */
export function sumSpent(view: SpendView, { price }: SpendFacts): SpentSum | null {
  const first = view.cheapUsage[0];
  const last = view.cheapUsage.at(-1);
  const series = seriesOf(view);
  const [begin] = view.usage;
  if (!first || !last || !begin || series === null || series.length === 0) return null;
  const step = reportStepCents([...view.usage, ...view.cheapUsage].map(({ cents }) => cents));
  if (!Number.isFinite(price.highCents) || price.highCents - price.lowCents > sameShare * price.highCents + 2 * step) return null;
  const kinds: KindCost[] = [];
  for (const phase of cheapPhases) {
    const own = series.filter((one) => one.phase === phase);
    if (own.length === 0) continue;
    const [most, least] = [
      Math.max(...own.map(({ count, cents }) => (cents - step) / count)),
      Math.min(...own.map(({ count, cents }) => (cents + step) / count)),
    ];
    if (most - least > sameShare * Math.abs(most)) return null;
    const count = own.reduce((total, one) => total + one.count, 0);
    const cents = own.reduce((total, one) => total + one.cents, 0);
    kinds.push({ phase, count, cents, price: { lowCents: (cents - step) / count, highCents: (cents + step) / count } });
  }
  const bought = view.purchases.filter(({ outcome, sentMs }) => outcome === "admitted" && sentMs < last.sentMs);
  const purchases = bought.filter(({ key }) => key === view.key).length;
  const twins = bought.length - purchases;
  const byRequests = purchases * price.lowCents + kinds.reduce((sum, kind) => sum + kind.count * kind.price.lowCents, 0);
  const byReports = last.cents - begin.cents - step - twins * price.highCents;
  return {
    kinds,
    lowCents: Math.max(0, Math.min(byRequests, byReports)),
    // Others of the account may have spent before: what the key was served at says more of it alone.
    highCents: Math.min(last.cents + step - twins * price.lowCents, mostByCaps(view, { price, kinds, untilMs: last.sentMs })),
    purchases,
  };
}

interface Costs {
  readonly price: PriceBounds;
  readonly kinds: readonly KindCost[];
  readonly untilMs: number;
}

/** A key that is served has spent less than its cap: with all that it bought since, the most that it has spent, cents; infinite: no cap was known. */
function mostByCaps(view: SpendView, { price, kinds, untilMs }: Costs): number {
  const costly = view.ops.filter(
    ({ key, sentMs, outcome }) => key === view.key && sentMs < untilMs && (outcome === "admitted" || outcome === "maybe"),
  );
  const costOf = (op: SpendView["ops"][number]): number => {
    const { endpoint, phase } = op;
    if (isPurchase(op)) return price.highCents;
    if (endpoint === "models") return 0;
    return kinds.find((kind) => kind.phase === phase)?.price.highCents ?? Number.POSITIVE_INFINITY;
  };
  return costly.reduce((least, op) => {
    const cap = op.outcome === "admitted" ? capAt(view, `key:${view.key}`, "monthly_spend_cap", op) : null;
    // Free requests are served at any cap, and the meaning of zero is not stated (AMB-19).
    if (typeof cap !== "number" || cap === 0 || costOf(op) === 0) return least;
    const since = costly.filter(({ endMs }) => endMs >= op.sentMs).reduce((sum, other) => sum + costOf(other), 0);
    return Math.min(least, cap + since);
  }, Number.POSITIVE_INFINITY);
}

/** A report that grew while nothing was bought came late: what it grew by belongs to the requests before it. */
function seriesOf({ cheap, cheapUsage }: SpendView): readonly Series[] | null {
  const series: Series[] = [];
  for (const [index, later] of cheapUsage.entries()) {
    const earlier = cheapUsage[index - 1];
    if (earlier === undefined) continue;
    const cents = later.cents - earlier.cents;
    const own = cheap.filter(({ sentMs }) => sentMs >= earlier.sentMs && sentMs < later.sentMs);
    const [one] = own;
    if (one === undefined) {
      const before = series.pop();
      if (before === undefined) continue;
      series.push({ ...before, cents: before.cents + cents });
      continue;
    }
    if (own.some((op) => op.outcome === "maybe" || op.phase !== one.phase || !isBetween(op, earlier, later))) return null;
    const count = own.filter(({ outcome }) => outcome === "admitted").length;
    if (count > 0) series.push({ phase: one.phase as CheapPhase, count, cents });
  }
  return series;
}

function isBetween(op: { readonly sentMs: number; readonly endMs: number }, earlier: UsageReport, later: UsageReport): boolean {
  return op.sentMs >= earlier.atMs && op.endMs <= later.sentMs;
}
