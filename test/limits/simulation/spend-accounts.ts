/** Cents that the keys of one account spend, by billing cycle; instants in service milliseconds. */
export interface SpendAccount {
  /** Whether a request of this price is let in under the caps in force; it is held until it is settled. */
  admit(nowMs: number, key: string, priceCents: number, caps: Caps): boolean;
  /** The work of an admitted request is done. */
  settle(nowMs: number, key: string, priceCents: number): void;
  /** End of the cycle that refusals name. */
  cycleEndMs(nowMs: number): number;
  /** The spend that the usage report shows for a span, cents. */
  reportedCents(fromMs: number, toMs: number): number;
}

export interface Caps {
  readonly key: number | null;
  readonly account: number | null;
}

/** The spend before the exam, in this cycle. */
export interface Opening {
  readonly key: string;
  readonly keyCents: number;
  readonly othersCents: number;
  readonly atMs: number;
}

/** One lawful way to hold a cap: no order of requests gets past it, but for the one that crosses it (O11). */
export interface LawfulSpend {
  readonly id: string;
  create(opening: Opening, cycle: Cycle): SpendAccount;
  /** Free endpoints are refused as well while the key is at its cap. */
  readonly refusesFree?: boolean;
  /** Charged when the work is done, and no two requests of an account at work together. */
  readonly oneAtATime?: boolean;
}

/** Instants at which spend begins anew. */
export interface Cycle {
  readonly id: string;
  endMs(nowMs: number, firstMs: number): number;
}

const dayMs = 86_400_000;

export const cycles: readonly Cycle[] = [
  { id: "calendar month", endMs: (now) => monthAfter(now, 1) },
  { id: "month from the 15th", endMs: (now) => monthAfter(now, 15) },
  { id: "thirty days from any instant", endMs: (now, first) => first + 30 * dayMs * Math.ceil((now - first + 1) / (30 * dayMs)) },
  {
    // The cycle ends while the exam is under way, and the next one a month later.
    id: "cycle that ends meanwhile",
    endMs: (now, first) => (now < first + 40_000 ? first + 40_000 : first + 40_000 + 30 * dayMs),
  },
];

function monthAfter(now: number, day: number): number {
  const date = new Date(now);
  const here = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day);
  return here > now ? here : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, day);
}

interface BookOptions {
  /** A request that crosses the cap is let in. */
  readonly crossing: boolean;
  /** Set aside while the work is under way, as a share of the price. */
  readonly reserve: number;
  /** How the sum becomes that of the report. */
  readonly reports?: (cents: number) => number;
  /** The charge for a cost. */
  readonly charges?: (cents: number) => number;
  /** How the sum that is compared with a cap becomes whole cents. */
  readonly rounds?: (cents: number) => number;
}

const exact = (cents: number): number => cents;
const up = (cents: number): number => Math.ceil(cents - 1e-9);
const down = (cents: number): number => Math.floor(cents + 1e-9);

function createAccount({
  crossing,
  reserve,
  reports = exact,
  charges = exact,
  rounds = exact,
}: BookOptions): LawfulSpend["create"] {
  return (opening, cycle) => {
    const entries: { readonly key: string; readonly atMs: number; readonly cents: number }[] = [
      { key: opening.key, atMs: opening.atMs, cents: opening.keyCents },
      { key: "others", atMs: opening.atMs, cents: opening.othersCents },
    ];
    const held = new Map<string, number>();
    let sinceMs = Number.NEGATIVE_INFINITY;
    let endMs: number | null = null;
    let firstMs = 0;
    const roll = (now: number): void => {
      if (endMs === null) firstMs = now;
      else if (now >= endMs) sinceMs = endMs;
      if (endMs === null || now >= endMs) endMs = cycle.endMs(now, firstMs);
    };
    const spent = (key: string | null): number =>
      entries
        .filter((entry) => entry.atMs >= sinceMs && (key === null || entry.key === key))
        .reduce((sum, { cents }) => sum + cents, 0) +
      (key === null ? [...held.values()].reduce((sum, cents) => sum + cents, 0) : (held.get(key) ?? 0));
    const isBelow = (committed: number, price: number, cap: number | null): boolean =>
      cap === null || (crossing ? rounds(committed) < cap - 1e-9 : rounds(committed + price * reserve) <= cap + 1e-9);
    return {
      admit: (now, key, cost, caps) => {
        const price = charges(cost);
        roll(now);
        if (!isBelow(spent(key), price, caps.key) || !isBelow(spent(null), price, caps.account)) return false;
        held.set(key, (held.get(key) ?? 0) + price * reserve);
        return true;
      },
      settle: (atMs, key, cost) => {
        const cents = charges(cost);
        roll(atMs);
        held.set(key, Math.max(0, (held.get(key) ?? 0) - cents * reserve));
        entries.push({ key, atMs, cents });
      },
      cycleEndMs: (now) => {
        roll(now);
        return endMs!;
      },
      reportedCents: (fromMs, toMs) => {
        const cents = entries.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).reduce((sum, entry) => sum + entry.cents, 0);
        return reports(cents);
      },
    };
  };
}

export const lawfulSpends: readonly LawfulSpend[] = [
  { id: "crossing request let in", create: createAccount({ crossing: true, reserve: 1 }) },
  { id: "crossing request refused", create: createAccount({ crossing: false, reserve: 1 }) },
  { id: "half more set aside", create: createAccount({ crossing: false, reserve: 1.5 }) },
  { id: "free endpoints refused too", create: createAccount({ crossing: true, reserve: 1 }), refusesFree: true },
  { id: "report in whole cents", create: createAccount({ crossing: true, reserve: 1, reports: Math.round }) },
  { id: "sum rounded up", create: createAccount({ crossing: false, reserve: 1, rounds: up }) },
  { id: "sum rounded down", create: createAccount({ crossing: true, reserve: 1, rounds: down }) },
  {
    id: "twice as much set aside, sum rounded up, report rounded down",
    create: createAccount({ crossing: false, reserve: 2, rounds: up, reports: down }),
  },
  { id: "each charge rounded up", create: createAccount({ crossing: false, reserve: 1, charges: up }) },
  { id: "one at a time, charged at the end", create: createAccount({ crossing: true, reserve: 0 }), oneAtATime: true },
];
