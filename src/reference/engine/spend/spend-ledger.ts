import type { EndpointId } from "../../../core/exchange/endpoint.ts";
import { endpoints } from "../../../core/exchange/endpoint.ts";
import type { Switchboard } from "../../defects/switch.ts";
import type { AccountRecord, KeyRecord } from "../keys/key-record.ts";
import { billingCycleAt, type BillingCycle } from "./billing-cycle.ts";

/** What is about to be bought, at most. */
export interface Purchase {
  readonly endpoint: EndpointId;
  readonly streaming: boolean;
  readonly maxCostMicros: number;
}

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

interface SavedLedger {
  readonly spent: SavedSums;
  readonly late: readonly LateCharge[];
}

type SavedSums = readonly (readonly [cycleId: string, owner: string, micros: number])[];

/** Micro-dollars by cycle, and in it by key and by account. */
interface Sums {
  add(key: KeyRecord, cycleId: string, micros: number): void;
  of(cycleId: string, owner: string): number;
  save(): SavedSums;
  load(saved: SavedSums): void;
}

interface LateCharge {
  readonly visibleAtMs: number;
  readonly key: KeyRecord;
  readonly cycleId: string;
  readonly costMicros: number;
}

/** Cycle of services that never reset. */
const forever = "forever";
const microsPerCent = 10_000;
/** Delay after which a charge is seen where charging is asynchronous. */
const chargeLagMs = 4000;
/** How long a refusal lasts where it is kept in a cache that forgets. */
const recoveryMs = 5000;
/** How long the whole account is refused where one key's cap is taken for the account's. */
const accountBlockMs = 1000;

export function createSpendLedger(switches: Switchboard): SpendLedger {
  const spent = createSums();
  const held = createSums();
  let present: BillingCycle | null = null;
  let blockedAccount: { readonly account: string; readonly untilMs: number } | null = null;
  let late: LateCharge[] = [];
  /** First refusal of each key at its present cap, micro-dollars and Unix ms. */
  const refusedSince = new Map<string, { readonly cap: number; readonly atMs: number }>();

  const cycleAt = (nowMs: number, owner: "key" | "account"): BillingCycle => {
    const anchorDay = switches.on("spend/anniversary-cycle") ? 15 : 1;
    // Calendar arithmetic is dear and the month rarely changes.
    const current = present !== null && present.anchorDay === anchorDay && nowMs >= present.startMs && nowMs < present.endMs;
    const cycle = current && present !== null ? present : (present = billingCycleAt(nowMs, anchorDay));
    const endless = switches.on(owner === "key" ? "spend/no-cycle-reset" : "spend/account-no-cycle-reset");
    if (endless) return { ...cycle, id: forever };
    return switches.on("spend/cycle-resets-daily") ? { ...cycle, id: new Date(nowMs).toISOString().slice(0, 10) } : cycle;
  };

  const post = (nowMs: number): void => {
    if (late.length === 0) return;
    const due = late.filter((charge) => charge.visibleAtMs <= nowMs);
    if (due.length > 0) late = late.filter((charge) => charge.visibleAtMs > nowMs);
    for (const charge of due) spent.add(charge.key, charge.cycleId, charge.costMicros);
  };

  const holdsNothing = (): boolean =>
    switches.on("spend/check-then-charge") || switches.on("spend/charged-late") || switches.on("spend/never-charged");

  const reaches = (owner: string, cycleId: string, capMicros: number, costMicros: number): boolean => {
    const total = spent.of(cycleId, owner) + held.of(cycleId, owner);
    if (total >= capMicros) return true;
    const crossing = switches.on("spend/after-crossing") || holdsNothing();
    return !crossing && total + costMicros > capMicros;
  };

  const capMicros = (cents: number | null): number | null => {
    if (cents === null || (cents === 0 && switches.on("spend/zero-is-unlimited"))) return null;
    return cents * microsPerCent * (switches.on("spend/cap-in-dollars") ? 100 : 1);
  };

  const isExempt = (purchase: Purchase): boolean => {
    if (switches.on("spend/streams-exempt") && purchase.streaming) return true;
    if (switches.on("spend/embeddings-exempt") && purchase.endpoint === "embeddings") return true;
    if (switches.on("spend/images-exempt") && purchase.endpoint === "images") return true;
    if (switches.on("spend/transcriptions-exempt") && purchase.endpoint === "transcriptions") return true;
    const { billable, method } = endpoints[purchase.endpoint];
    return !billable && !(switches.on("spend/all-endpoints-refused") && method !== "PATCH");
  };

  /** A refusal that is kept for some seconds only, such as an entry of a cache that nobody renews. */
  const isForgotten = (key: KeyRecord, cap: number, nowMs: number): boolean => {
    if (!switches.on("spend/recovers")) return false;
    const known = refusedSince.get(key.id);
    if (known?.cap !== cap) refusedSince.set(key.id, { cap, atMs: nowMs });
    return known?.cap === cap && nowMs - known.atMs > recoveryMs;
  };

  return {
    check: (key, account, purchase, nowMs) => {
      post(nowMs);
      if (isExempt(purchase)) return null;
      let keyCap = capMicros(key.settings.monthly_spend_cap);
      let accountCap = switches.on("spend/account-cap-ignored") ? null : capMicros(account.account_spend_cap);
      if (switches.on("spend/larger-cap-wins") && keyCap !== null && accountCap !== null) {
        keyCap = Math.max(keyCap, accountCap);
        accountCap = null;
      }
      const cycle = cycleAt(nowMs, "key");
      const blocked = blockedAccount !== null && blockedAccount.account === key.account && nowMs < blockedAccount.untilMs;
      const reached =
        keyCap !== null && reaches(key.id, cycle.id, keyCap, purchase.maxCostMicros) && !isForgotten(key, keyCap, nowMs);
      if (reached && switches.on("spend/key-cap-hits-account")) {
        blockedAccount = { account: key.account, untilMs: nowMs + accountBlockMs };
      }
      if (reached || blocked) {
        return { cap: "key-cap", resetsInMs: cycle.endMs - Math.floor(nowMs) };
      }
      const accountCycle = cycleAt(nowMs, "account");
      const accountOwner = switches.on("spend/account-cap-per-key") ? key.id : key.account;
      if (accountCap !== null && reaches(accountOwner, accountCycle.id, accountCap, purchase.maxCostMicros)) {
        return { cap: "account-cap", resetsInMs: accountCycle.endMs - Math.floor(nowMs) };
      }
      return null;
    },
    hold: (key, purchase, nowMs) => {
      const heldMicros = holdsNothing() ? 0 : purchase.maxCostMicros;
      const cycleId = cycleAt(nowMs, "key").id;
      const month = cycleId === forever ? billingCycleAt(nowMs).id : cycleId;
      if (heldMicros > 0) held.add(key, month, heldMicros);
      return { key, cycleId: month, heldMicros };
    },
    settle: (hold, costMicros, nowMs) => {
      if (hold.heldMicros > 0) held.add(hold.key, hold.cycleId, -hold.heldMicros);
      if (costMicros === 0 || switches.on("spend/never-charged")) return;
      if (!switches.on("spend/charged-late")) return spent.add(hold.key, hold.cycleId, costMicros);
      late.push({ visibleAtMs: nowMs + chargeLagMs, key: hold.key, cycleId: hold.cycleId, costMicros });
    },
    keySpend: (key, nowMs) => {
      post(nowMs);
      const { id } = cycleAt(nowMs, "key");
      return { spentMicros: spent.of(id, key.id), heldMicros: held.of(id, key.id) };
    },
    save: (): SavedLedger => ({ spent: spent.save(), late }),
    load: (saved) => {
      const state = saved as SavedLedger;
      spent.load(state.spent);
      held.load([]);
      blockedAccount = null;
      late = [...state.late];
    },
  };
}

function createSums(): Sums {
  const cycles = new Map<string, Map<string, number>>();
  const sumsOf = (cycleId: string): Map<string, number> => {
    const known = cycles.get(cycleId) ?? new Map<string, number>();
    cycles.set(cycleId, known);
    return known;
  };
  const post = (cycleId: string, owner: string, micros: number): void => {
    const sums = sumsOf(cycleId);
    sums.set(owner, (sums.get(owner) ?? 0) + micros);
  };
  return {
    add: (key, cycleId, micros) => {
      // `forever` is kept beside the month, so that its switch works from the first request on.
      for (const id of [cycleId, forever]) {
        post(id, key.id, micros);
        post(id, key.account, micros);
      }
    },
    of: (cycleId, owner) => cycles.get(cycleId)?.get(owner) ?? 0,
    save: () => [...cycles].flatMap(([cycleId, sums]) => [...sums].map(([owner, micros]) => [cycleId, owner, micros] as const)),
    load: (saved) => {
      cycles.clear();
      for (const [cycleId, owner, micros] of saved) post(cycleId, owner, micros);
    },
  };
}
