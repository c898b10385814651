import { endpoints } from "../../../core/exchange/endpoint.ts";
import { billingCycleAt } from "../../engine/spend/billing-cycle.ts";
import { lawfulSpendRules, type Caps, type SpendRules } from "../../engine/spend/spend-rules.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";

/** Delay after which a charge is seen where charging is asynchronous. */
const chargeLagMs = 4000;
const microsPerCent = 10_000;
/** How long a refusal lasts where it is kept in a cache that forgets. */
const recoveryMs = 5000;
/** How long the whole account is refused where one key's cap is taken for the account's. */
const accountBlockMs = 1000;

interface LateCharge {
  readonly dueMs: number;
  readonly write: () => void;
}

export function patchSpendRules(switches: Switchboard): SpendRules {
  const lawful = lawfulSpendRules;
  let late: readonly LateCharge[] = [];
  let blocked: { readonly account: string; readonly untilMs: number } | null = null;
  /** First refusal of each key at its present cap. */
  const refusedSince = new Map<string, { readonly capMicros: number; readonly atMs: number }>();

  const holdsNothing = (): boolean =>
    switches.on("spend/check-then-charge") || switches.on("spend/charged-late") || switches.on("spend/never-charged");

  const capMicros = (micros: number | null): number | null => {
    if (micros === null || (micros === 0 && switches.on("spend/zero-is-unlimited"))) return null;
    return micros * (switches.on("spend/cap-in-dollars") ? 100 : 1);
  };

  /** A refusal that is kept for some seconds only, such as an entry of a cache that nobody renews. */
  const isForgotten = (keyId: string, cap: number, nowMs: number): boolean => {
    if (!switches.on("spend/recovers")) return false;
    const known = refusedSince.get(keyId);
    if (known?.capMicros !== cap) refusedSince.set(keyId, { capMicros: cap, atMs: nowMs });
    return known?.capMicros === cap && nowMs - known.atMs > recoveryMs;
  };

  return {
    caps: (key, account): Caps => {
      const meant = lawful.caps(key, account);
      const caps = {
        key: capMicros(meant.key),
        account: switches.on("spend/account-cap-ignored") ? null : capMicros(meant.account),
      };
      if (!switches.on("spend/larger-cap-wins") || caps.key === null || caps.account === null) return caps;
      return { key: Math.max(caps.key, caps.account), account: null };
    },
    isExempt: (purchase) => {
      const { endpoint, streaming } = purchase;
      if (streaming && switches.on("spend/streams-exempt")) return true;
      if (endpoint === "embeddings" && switches.on("spend/embeddings-exempt")) return true;
      if (endpoint === "images" && switches.on("spend/images-exempt")) return true;
      if (endpoint === "transcriptions" && switches.on("spend/transcriptions-exempt")) return true;
      const refusesAll = switches.on("spend/all-endpoints-refused") && endpoints[endpoint].method !== "PATCH";
      return !refusesAll && lawful.isExempt(purchase);
    },
    cycle: (month, nowMs) => {
      const cycle = switches.on("spend/anniversary-cycle") ? billingCycleAt(nowMs, 15) : month;
      return switches.on("spend/cycle-resets-daily") ? { ...cycle, id: new Date(nowMs).toISOString().slice(0, 10) } : cycle;
    },
    startsAnew: (cap) => !switches.on(cap === "key" ? "spend/no-cycle-reset" : "spend/account-no-cycle-reset"),
    accountOwner: (key) => (switches.on("spend/account-cap-per-key") ? key.id : lawful.accountOwner(key)),
    stops: (spentMicros, costMicros, cap) =>
      switches.on("spend/after-crossing") || holdsNothing() ? spentMicros >= cap : lawful.stops(spentMicros, costMicros, cap),
    keyStops: (stops, key, cap, nowMs) => {
      const refused = stops && cap !== null && !isForgotten(key.id, cap, nowMs);
      if (refused && switches.on("spend/key-cap-hits-account")) {
        blocked = { account: key.account, untilMs: nowMs + accountBlockMs };
      }
      return refused || (blocked !== null && blocked.account === key.account && nowMs < blocked.untilMs);
    },
    accountFirst: () => switches.on("spend/account-first") || lawful.accountFirst(),
    toHold: (purchase) => (holdsNothing() ? 0 : lawful.toHold(purchase)),
    counted: firstChange(switches, lawful.counted, {
      "spend/costs-cut-to-cents": (micros) => Math.floor(micros / microsPerCent) * microsPerCent,
      "spend/costs-rounded-up": (micros) => Math.ceil(micros / microsPerCent) * microsPerCent,
      "spend/streams-uncounted": (micros, { streaming }) => (streaming ? 0 : micros),
      "spend/streams-counted-twice": (micros, { streaming }) => (streaming ? 2 * micros : micros),
      "spend/embeddings-uncounted": (micros, { endpoint }) => (endpoint === "embeddings" ? 0 : micros),
    }),
    charge: firstChange(switches, lawful.charge, {
      "spend/never-charged": () => undefined,
      "spend/charged-late": (write, nowMs) => {
        late = [...late, { dueMs: nowMs + chargeLagMs, write }];
      },
    }),
    beforeRead: (nowMs) => {
      const due = late.filter(({ dueMs }) => dueMs <= nowMs);
      if (due.length > 0) late = late.filter(({ dueMs }) => dueMs > nowMs);
      for (const { write } of due) write();
    },
    forget: () => {
      late = [];
      blocked = null;
    },
  };
}
