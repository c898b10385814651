import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { ServiceClock } from "../clock/service-clock.ts";
import type { RateHeaders } from "./admission.ts";
import type { AdmissionParts } from "./admission/admission-parts.ts";
import { createRequestAdmission } from "./admission/request-admission.ts";
import { authorizeKey, identifyKey } from "./authentication.ts";
import { createBurstGate } from "./burst/burst-gate.ts";
import { createCooldownQueue } from "./burst/cooldown-queue.ts";
import type { Engine } from "./engine.ts";
import { type EngineSeams, lawfulEngineSeams } from "./engine-seams.ts";
import { createJournal } from "./journal.ts";
import { createFixtures } from "./keys/fixtures.ts";
import { type KeyRecord, planLimits, rateLimitsOf } from "./keys/key-record.ts";
import { createKeyStore } from "./keys/key-store.ts";
import { createLatencyModel } from "./latency/latency-model.ts";
import { type LatencyPreset, latencyPresets } from "./latency/latency-preset.ts";
import { rateHeaders } from "./limiter/header-rules.ts";
import { RateLimiter } from "./limiter/rate-limiter.ts";
import { counterName, type RateOp } from "./limiter/rate-op.ts";
import { createSettingsStore } from "./settings/settings-store.ts";
import type { EngineSnapshot } from "./engine.ts";
import { createSpendBalance } from "./spend/spend-balance.ts";
import { createUsageStore } from "./usage/usage-store.ts";

export interface EngineOptions {
  readonly clock: ServiceClock;
  /** Default: lawful. */
  readonly seams?: EngineSeams;
  /** Decides secrets. Default 1. */
  readonly seed?: number;
  /** Default: instant. */
  readonly latency?: LatencyPreset;
  /** Entries that the journal keeps. */
  readonly journalCapacity?: number;
  /** Requests that may wait for the end of one key's cooldown. */
  readonly queueCapacity?: number;
}

export function createEngine(options: EngineOptions): Engine {
  const { clock, seams = lawfulEngineSeams, seed = 1 } = options;
  const keys = createKeyStore([], []);
  const journal = createJournal(options.journalCapacity ?? 2000);
  const latency = createLatencyModel(clock, options.latency ?? latencyPresets.instant);
  const limiter = new RateLimiter(seams.limiter);
  const gate = createBurstGate(seams.burst);
  const queue = createCooldownQueue(clock, seams.queue, options.queueCapacity ?? 32);
  const ledger = createSpendBalance(seams.spend);
  const usage = createUsageStore(seams.usage);
  const settings = createSettingsStore(clock, keys, seams.settings, (key) => queue.drain(key.id));
  const parts: AdmissionParts = { clock, seams, keys, journal, limiter, gate, queue, ledger, usage };
  const admission = createRequestAdmission(parts);

  const load = (snapshot: EngineSnapshot): void => {
    admission.voidLeases();
    queue.clear();
    seams.headers.forget();
    journal.clear();
    keys.load(snapshot.keys, snapshot.accounts);
    limiter.load(snapshot.parts["limiter"]);
    gate.load(snapshot.parts["burst"]);
    ledger.load(snapshot.parts["spend"]);
    usage.load(snapshot.parts["usage"]);
  };

  const snapshot = (): EngineSnapshot => ({
    schemaVersion: 1,
    keys: keys.list(),
    accounts: keys.accounts(),
    parts: { limiter: limiter.save(), burst: gate.save(), spend: ledger.save(), usage: usage.save() },
  });

  /** As new: the fixtures of the present, so that the fresh key is fresh again and the exhausted one exhausted. */
  const start = (): void => {
    const fixtures = createFixtures(seed, clock.wallMs(), seams.fixtures.plan());
    load({ ...snapshot(), keys: fixtures.keys, accounts: fixtures.accounts, parts: nothing });
    for (const { keyId, micros } of fixtures.spent) billEarlier(parts, keyId, micros);
  };
  start();

  const unadmittedHeaders = (key: KeyRecord | null, endpoint: EndpointId | null, status: number): RateHeaders => {
    const nowMs = clock.wallMs();
    const op: RateOp = { ...anonymousOp, ...(key === null ? {} : { keyId: key.id, limits: rateLimitsOf(key) }), endpoint };
    if (key !== null && status >= 400 && status < 500) limiter.countUnadmitted(op, nowMs);
    const view = limiter.viewUnchecked(op, nowMs);
    const rate = rateHeaders(view, { counter: counterName(op), counted: false, refused: false }, seams.headers);
    const spend = key === null ? null : ledger.keySpend(key, nowMs);
    journal.record({
      atMs: nowMs,
      key: key?.name ?? null,
      endpoint,
      event: "unadmitted",
      code: null,
      rate,
      spentMicros: spend?.spentMicros ?? null,
      heldMicros: spend?.heldMicros ?? null,
    });
    return rate;
  };

  return {
    clock,
    keys,
    latency,
    journal,
    identify: (authorization) => identifyKey(keys, authorization, clock.wallMs()),
    authorize: (key, endpoint) => authorizeKey(key, keys.account(key.account), endpoint),
    unadmittedHeaders,
    admit: (key, work) => admission.admit(key, work),
    changeKey: (caller, keyId, change) => settings.changeKey(caller, keyId, change),
    changeAccount: (caller, change) => settings.changeAccount(caller, change),
    usageReport: (caller, query) => usage.report(caller, query, clock.wallMs()),
    snapshot: () => structuredClone(snapshot()),
    restore: (saved) => load(structuredClone(saved)),
    reset: start,
  };
}

const nothing: EngineSnapshot["parts"] = {
  limiter: [],
  burst: [],
  spend: [],
  usage: [],
};

/** Callers without a valid key see a starter allowance that nobody uses up. */
const anonymousOp: RateOp = {
  keyId: "anonymous",
  endpoint: null,
  rawUrl: "",
  fields: {},
  streaming: false,
  limits: planLimits.starter,
  holdTokens: 0,
};

/** Money that a key spent on images before the service started. */
function billEarlier({ clock, keys, ledger, usage }: AdmissionParts, keyId: string, micros: number): void {
  const key = keys.byId(keyId);
  if (key === undefined) throw new Error(`no key ${keyId}`);
  const atMs = clock.wallMs();
  ledger.settle(ledger.hold(key, { endpoint: "images", streaming: false, maxCostMicros: micros }, atMs), micros, atMs);
  usage.record({
    atMs: Math.floor(atMs) - 1,
    account: key.account,
    keyId,
    endpoint: "images",
    streaming: false,
    aborted: false,
    items: 1,
    promptTokens: 0,
    completionTokens: 0,
    costMicros: micros,
  });
}
