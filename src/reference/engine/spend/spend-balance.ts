import type { AccountRecord, KeyRecord } from "../keys/key-record.ts";
import { type BillingCycle, billingCycleAt } from "./billing-cycle.ts";
import type { Purchase, SpendRules } from "./spend-rules.ts";

export interface CapHit {
  readonly cap: "key-cap" | "account-cap";
  /** Milliseconds until the billing cycle resets. */
  readonly resetsInMs: number;
}

/** Money set aside for a request in flight. */
export interface SpendHold {
  readonly key: KeyRecord;
  readonly purchase: Purchase;
  readonly cycleId: string;
  readonly heldMicros: number;
}

/**
 * Monthly caps of keys and accounts in integer micro-dollars (spec, Spend caps). A cap is hard: the worst case of a request
 * is set aside when it is admitted and replaced by its cost when it ends, so that no interleaving can exceed the cap. A
 * request belongs to the billing month in which it was admitted. Free endpoints stay open, so that a cap can be raised.
 */
export interface SpendBalance {
  check(key: KeyRecord, account: AccountRecord, purchase: Purchase, nowMs: number): CapHit | null;
  hold(key: KeyRecord, purchase: Purchase, nowMs: number): SpendHold;
  settle(hold: SpendHold, costMicros: number, nowMs: number): void;
  /** Settled and held micro-dollars of the key in its current cycle. */
  keySpend(key: KeyRecord, nowMs: number): { readonly spentMicros: number; readonly heldMicros: number };
  save(): unknown;
  /** Money set aside is not part of the state. */
  load(saved: unknown): void;
}

export function createSpendBalance(rules: SpendRules): SpendBalance {
  const spent = createSpendSums();
  const held = createSpendSums();
  let present: BillingCycle | null = null;

  const cycleAt = (nowMs: number): BillingCycle => {
    // Calendar arithmetic is dear and the month rarely changes.
    if (present === null || nowMs < present.startMs || nowMs >= present.endMs) present = billingCycleAt(nowMs);
    return rules.cycle(present, nowMs);
  };

  const sumOf = (sums: SpendSums, owner: string, cap: "key" | "account", cycle: BillingCycle): number =>
    rules.startsAnew(cap) ? sums.of(owner, cycle.id) : sums.ofAllCycles(owner);

  return {
    check: (key, account, purchase, nowMs) => {
      rules.beforeRead(nowMs);
      if (rules.isExempt(purchase)) return null;
      const cycle = cycleAt(nowMs);
      const resetsInMs = cycle.endMs - Math.floor(nowMs);
      const caps = rules.caps(key, account);
      const stops = (owner: string, cap: "key" | "account"): boolean => {
        const capMicros = caps[cap];
        if (capMicros === null) return false;
        const total = sumOf(spent, owner, cap, cycle) + sumOf(held, owner, cap, cycle);
        return rules.stops(total, purchase.maxCostMicros, capMicros);
      };
      const ofKey = rules.keyStops(stops(key.id, "key"), key, caps.key, nowMs);
      const ofAccount = (!ofKey || rules.accountFirst()) && stops(rules.accountOwner(key), "account");
      if (ofAccount) return { cap: "account-cap", resetsInMs };
      return ofKey ? { cap: "key-cap", resetsInMs } : null;
    },
    hold: (key, purchase, nowMs) => {
      const heldMicros = rules.toHold(purchase);
      const cycleId = cycleAt(nowMs).id;
      if (heldMicros > 0) held.add(key, cycleId, heldMicros);
      return { key, purchase, cycleId, heldMicros };
    },
    settle: ({ key, purchase, cycleId, heldMicros }, costMicros, nowMs) => {
      if (heldMicros > 0) held.add(key, cycleId, -heldMicros);
      const counted = rules.counted(costMicros, purchase);
      if (counted > 0) rules.charge(() => spent.add(key, cycleId, counted), nowMs);
    },
    keySpend: (key, nowMs) => {
      rules.beforeRead(nowMs);
      const cycle = cycleAt(nowMs);
      return { spentMicros: sumOf(spent, key.id, "key", cycle), heldMicros: sumOf(held, key.id, "key", cycle) };
    },
    save: () => spent.save(),
    load: (saved) => {
      spent.load(saved as SavedSums);
      held.load([]);
      rules.forget();
    },
  };
}

type SavedSums = readonly (readonly [cycleId: string, owner: string, micros: number])[];

/** Micro-dollars by cycle, and in it by key and by account. */
interface SpendSums {
  add(key: KeyRecord, cycleId: string, micros: number): void;
  /** `owner` is the id of a key or of an account. */
  of(owner: string, cycleId: string): number;
  ofAllCycles(owner: string): number;
  save(): SavedSums;
  load(saved: SavedSums): void;
}

function createSpendSums(): SpendSums {
  const cycles = new Map<string, Map<string, number>>();
  const post = (cycleId: string, owner: string, micros: number): void => {
    const sums = cycles.get(cycleId) ?? new Map<string, number>();
    cycles.set(cycleId, sums);
    sums.set(owner, (sums.get(owner) ?? 0) + micros);
  };
  return {
    add: (key, cycleId, micros) => {
      post(cycleId, key.id, micros);
      post(cycleId, key.account, micros);
    },
    of: (owner, cycleId) => cycles.get(cycleId)?.get(owner) ?? 0,
    ofAllCycles: (owner) => [...cycles.values()].reduce((total, sums) => total + (sums.get(owner) ?? 0), 0),
    save: () => [...cycles].flatMap(([cycleId, sums]) => [...sums].map(([owner, micros]) => [cycleId, owner, micros] as const)),
    load: (saved) => {
      cycles.clear();
      for (const [cycleId, owner, micros] of saved) post(cycleId, owner, micros);
    },
  };
}
