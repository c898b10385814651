import type { Clock } from "../../core/clock.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { LimitPhases } from "../../core/exchange/limit-phase.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { OnProgress } from "../../core/progress.ts";
import type { Sender, SendRequest } from "../../core/exchange/send-request.ts";
import { adminFor } from "../../limits/probe/exam-keys.ts";
import { readOp } from "../../limits/history/history.ts";
import type { LimitDecision } from "../../limits/history/op.ts";
import { askTheService } from "../../limits/probe/mark-request.ts";
import { mayChange } from "../../limits/probe/settings.ts";
import { settleMs } from "../../limits/spend/crossing-checks.ts";
import { mostSearching, searchSpend } from "../../limits/spend/search-spend.ts";
import { readTotalCents, usagePath } from "../../limits/history/usage-total.ts";
import type { LoadProfile } from "../../load/profile/load-profile.ts";
import type { LoadPlan } from "../../load/plan/plan-load.ts";
import { loadKeyName } from "../../load/profile/load-key-name.ts";
import { profileBlockers } from "../../load/plan/profile-blockers.ts";
import { changeSettings } from "../../settings/change-settings.ts";
import { settingsRoute } from "../../settings/settings-address.ts";
import type { SettingsJournal } from "../../settings/settings-journal.ts";

export interface SpendRoomTools {
  readonly profile: LoadProfile;
  readonly manifest: Manifest;
  readonly plan: LoadPlan;
  readonly sender: Pick<Sender, "send">;
  readonly clock: Clock;
  readonly journal: SettingsJournal;
  readonly onProgress: OnProgress;
  readonly onExchange: (exchange: Exchange) => void;
  readonly signal: AbortSignal;
}

type ImagesItem = Extract<LoadProfile["workload"][number], { readonly endpoint: "images" }>;

/** Purchases between two usage reports: these may be rounded, and show the price the better the more there are. */
const pricing = 3;
const mostPreparing = pricing + 1 + mostSearching;
/** Prices that fit between what the key has spent at most and the cap that the profile begins with. */
const roomPrices = 4.5;

/**
 * Gives the key of the profile a cap a few purchases above what it has spent, runs `during`, and puts the declared cap back,
 * whatever happens. No report states the spend of the key: the search asks for a cap that refuses it with nothing under way.
 * Throws RangeError where the manifest does not permit it or the target names no price.
 */
export async function withSpendRoom<Result>(tools: SpendRoomTools, during: () => Promise<Result>): Promise<Result> {
  const { profile, manifest, plan, clock, signal } = tools;
  // Reasons against the profile are reported by the code that runs it.
  if (profileBlockers(profile, manifest, plan).length > 0) return during();
  const key = loadKeyName(profile.key, manifest);
  const subject = `key:${key}`;
  const refuse = (why: string): RangeError => new RangeError(`profile ${profile.id} cannot run: ${why}`);
  if (!mayChange({ manifest }, subject, ["monthly_spend_cap"]))
    throw refuse(`restore.keys.${key}.monthly_spend_cap, the id of the key and permissions.patchSettings are needed`);
  const purchases = plan.sends.length + mostPreparing;
  const allow = (cents: number): void => {
    const allowed = manifest.permissions.spendUpToCents;
    if (cents * purchases > allowed)
      throw refuse(`${purchases} purchases at ${cents.toFixed(2)} cents may be needed, permissions.spendUpToCents is ${allowed}`);
  };
  const [item] = profile.workload;
  if (item?.endpoint !== "images") throw refuse("it buys no pictures");
  allow(item.n * manifest.prices.perImage * 100);

  const shop = openShop(tools, key, item);
  const before = await shop.spentCents();
  for (let count = 0; count < pricing; count += 1) await shop.buy("price");
  await clock.sleep(settleMs, signal).catch(() => undefined);
  const after = await shop.spentCents();
  if (signal.aborted) return during();
  if (before === null || after === null) throw refuse("a usage report could not be read, or came from a cache");
  const price = (after - before) / pricing;
  if (price < 2)
    throw refuse(
      `the usage report shows ${price.toFixed(2)} cents for one purchase, at least 2 are needed to distinguish purchases`,
    );
  allow(price);

  const by = adminFor(manifest, key);
  const setCap = async (cents: number): Promise<void> => {
    const status = await shop.setCap(subject, by, cents);
    if (signal.aborted) return;
    if (status === null || status < 200 || status > 299) throw refuse(`a change of the cap was answered ${status ?? "nothing"}`);
    await clock.sleep(manifest.propagationSeconds * 1000 + 500, signal).catch(() => undefined);
  };
  const results: Result[] = [];
  const restoring = { ...tools, stage: "load", caseId: `load/${profile.id}` } as const;
  await changeSettings({ subject, by, members: ["monthly_spend_cap"] }, restoring, async () => {
    // High first: that a lower cap replaces it is seen by the next refusal.
    await setCap(Math.ceil(after + 1000 * price));
    const reachedCents = Math.max(1, Math.floor(price / 2));
    const most = await searchSpend({ buy: (phase) => shop.buy(phase), setCap, price, reachedCents, reported: after });
    await setCap(Math.floor(most + roomPrices * price));
    results.push(await during());
  });
  const [result] = results;
  if (result === undefined) throw new Error("a cap was changed and nothing measured");
  return result;
}

interface Shop {
  buy(phase: LimitPhases["spend"]): Promise<LimitDecision | null>;
  spentCents(): Promise<number | null>;
  /** Status of the answer. */
  setCap(subject: string, by: string, cents: number): Promise<number | null>;
}

type ShopRequest = Pick<SendRequest, "label" | "endpoint" | "method" | "path" | "body" | "intent" | "reserve" | "headers">;

/** How often a refusal by another limit is waited for, and how long. */
const mostAttempts = 4;
const longestWaitMs = 65_000;

function openShop(tools: SpendRoomTools, key: string, item: ImagesItem): Shop {
  const { profile, manifest, sender, clock, onExchange, signal } = tools;
  const send = async (request: ShopRequest, by = key): Promise<Exchange> => {
    for (let attempt = 1; ; attempt += 1) {
      const credential = { kind: "bearer", key: by } as const;
      const exchange = await sender.send({
        stage: "load",
        caseId: `load/${profile.id}`,
        credential,
        signal,
        attempt,
        ...request,
      });
      onExchange(exchange);
      const op = readOp(exchange);
      const waitMs = op?.outcome === "rejected" && op.cause !== "spend" ? 1000 * (op.retry?.seconds ?? 1) : null;
      if (waitMs === null || waitMs > longestWaitMs || attempt === mostAttempts || signal.aborted) return exchange;
      await clock.sleep(waitMs + 500, signal).catch(() => undefined);
    }
  };
  const housekeeping = (purpose: string): SendRequest["intent"] => ({ kind: "housekeeping", purpose });
  return {
    async buy(phase) {
      const { n, size, quality } = item;
      const exchange = await send({
        label: phase,
        intent: { kind: "limit", policy: "spend", phase },
        endpoint: "images",
        method: "POST",
        path: "/v1/images/generations",
        body: { kind: "json", value: { prompt: "A grey square", n, size, quality } },
        reserve: { tokens: 0, costUsd: n * manifest.prices.perImage },
      });
      return readOp(exchange)?.outcome ?? null;
    },
    async spentCents() {
      const path = usagePath(clock.wallMs());
      const intent = housekeeping("what was spent");
      const headers = askTheService;
      return readTotalCents(await send({ label: "usage", intent, endpoint: "usage", method: "GET", path, headers }));
    },
    async setCap(subject, by, cents) {
      const route = settingsRoute(manifest, subject);
      if (route === null) throw new Error(`the manifest holds no id for ${subject}`);
      const body = { kind: "json", value: { monthly_spend_cap: cents } } as const;
      const { response } = await send({ ...route, label: `cap ${cents}`, intent: housekeeping("change the cap"), body }, by);
      return response?.status ?? null;
    },
  };
}
