import type { AccountRecord, KeyRecord } from "../keys/key-record.ts";
import { billingCycleAt, type BillingCycle } from "./billing-cycle.ts";
import type { Purchase, SpendRules } from "./spend-rules.ts";
import { createSpendSums, type SavedSums, type SpendSums } from "./spend-sums.ts";

export interface CapHit {
  readonly cap: "key-cap" | "account-cap";
  /** Milliseconds until the billing cycle resets. */
  readonly resetsInMs: number;
}

/** Money set aside for a request in flight. */
export interface SpendHold {
  readonly key: KeyRecord;
  readonly cycleId: string;
  readonly heldMicros: number;
}

/**
 * Monthly caps of keys and accounts in integer micro-dollars (spec, Spend caps). A cap is hard: the worst case of a request
 * is set aside when it is admitted and replaced by its cost when it ends, so that no interleaving can exceed the cap. A
 * request belongs to the billing month in which it was admitted. Free endpoints stay open, so that a cap can be raised.
 */
export interface SpendLedger {
  check(key: KeyRecord, account: AccountRecord, purchase: Purchase, nowMs: number): CapHit | null;
  hold(key: KeyRecord, purchase: Purchase, nowMs: number): SpendHold;
  settle(hold: SpendHold, costMicros: number, nowMs: number): void;
  /** Settled and held micro-dollars of the key in its current cycle. */
  keySpend(key: KeyRecord, nowMs: number): { readonly spentMicros: number; readonly heldMicros: number };
  save(): unknown;
  /** Money set aside is not part of the state. */
  load(saved: unknown): void;
}

export function createSpendLedger(rules: SpendRules): SpendLedger {
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
      return { key, cycleId, heldMicros };
    },
    settle: ({ key, cycleId, heldMicros }, costMicros, nowMs) => {
      if (heldMicros > 0) held.add(key, cycleId, -heldMicros);
      if (costMicros > 0) rules.charge(() => spent.add(key, cycleId, costMicros), nowMs);
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
