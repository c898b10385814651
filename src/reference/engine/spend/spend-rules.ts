import type { EndpointId } from "../../../core/exchange/endpoint.ts";
import { endpoints } from "../../../core/exchange/endpoint.ts";
import type { AccountRecord, KeyRecord } from "../keys/key-record.ts";
import type { BillingCycle } from "./billing-cycle.ts";

/** The most that a request is about to buy. */
export interface Purchase {
  readonly endpoint: EndpointId;
  readonly streaming: boolean;
  readonly maxCostMicros: number;
}

/** Micro-dollars; null: no cap. */
export interface Caps {
  readonly key: number | null;
  readonly account: number | null;
}

/** The rules of caps: the spend that they count, and the point at which they refuse. */
export interface SpendRules {
  readonly caps: (key: KeyRecord, account: AccountRecord) => Caps;
  /** Whether a purchase is refused by no cap. */
  readonly isExempt: (purchase: Purchase) => boolean;
  /** The cycle by which a cap counts; `month` is the calendar month. */
  readonly cycle: (month: BillingCycle, nowMs: number) => BillingCycle;
  /** Whether a cap counts each cycle from zero. */
  readonly startsAnew: (cap: "key" | "account") => boolean;
  /** The account whose spend the cap counts. */
  readonly accountOwner: (key: KeyRecord) => string;
  /** Whether a cap stops a purchase; `spentMicros` with what is set aside for others. */
  readonly stops: (spentMicros: number, costMicros: number, capMicros: number) => boolean;
  /** The answer of a key's cap; `capMicros` null: it has none. */
  readonly keyStops: (stops: boolean, key: KeyRecord, capMicros: number | null, nowMs: number) => boolean;
  /** Micro-dollars set aside for a request in flight. */
  readonly toHold: (purchase: Purchase) => number;
  /** Whether the cap of the account is asked before that of the key. */
  readonly accountFirst: () => boolean;
  /** The micro-dollars that a cap counts of a cost. */
  readonly counted: (costMicros: number, purchase: Purchase) => number;
  /** Writes a charge down. */
  readonly charge: (write: () => void, nowMs: number) => void;
  /** Called before what was spent is read. */
  readonly beforeRead: (nowMs: number) => void;
  /** Called when all that was spent is replaced: what was kept of it is void. */
  readonly forget: () => void;
}

const microsPerCent = 10_000;

/** Caps are hard and in cents; free endpoints stay open, so that a cap can be raised. */
export const lawfulSpendRules: SpendRules = {
  caps: (key, account) => ({ key: micros(key.settings.monthly_spend_cap), account: micros(account.account_spend_cap) }),
  isExempt: ({ endpoint }) => !endpoints[endpoint].billable,
  cycle: (month) => month,
  startsAnew: () => true,
  accountOwner: (key) => key.account,
  stops: (spentMicros, costMicros, capMicros) => spentMicros >= capMicros || spentMicros + costMicros > capMicros,
  keyStops: (stops) => stops,
  toHold: (purchase) => purchase.maxCostMicros,
  accountFirst: () => false,
  counted: (costMicros) => costMicros,
  charge: (write) => write(),
  beforeRead: () => undefined,
  forget: () => undefined,
};

function micros(cents: number | null): number | null {
  return cents === null ? null : cents * microsPerCent;
}
