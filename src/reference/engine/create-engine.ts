import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { ServiceClock } from "../clock/service-clock.ts";
import type { RateHeaders, Identification } from "./admission.ts";
import type { AdmissionParts } from "./admission/admission-parts.ts";
import { createRequestAdmission } from "./admission/request-admission.ts";
import { createBurstGate } from "./burst/burst-gate.ts";
import { createCooldownQueue } from "./burst/cooldown-queue.ts";
import type { Engine } from "./engine.ts";
import { type EngineSeams, lawfulEngineSeams } from "./engine-seams.ts";
import { createJournal } from "./journal.ts";
import { createFixtures } from "./keys/fixtures.ts";
import {
  type KeyRecord,
  planLimits,
  rateLimitsOf,
  type AccountRecord,
  type KeyState,
  keyStateAt,
  type Scope,
} from "./keys/key-record.ts";
import { createKeyStore, type KeyStore } from "./keys/key-store.ts";
import { createLatencyModel } from "./latency/latency-model.ts";
import { type LatencyPreset, latencyPresets } from "./latency/latency-preset.ts";
import { rateHeaders } from "./limiter/header-rules.ts";
import { RateLimiter } from "./limiter/rate-limiter.ts";
import { counterName, type RateOp } from "./limiter/rate-op.ts";
import { createSettingsStore } from "./settings/settings-store.ts";
import type { EngineSnapshot } from "./engine.ts";
import { createSpendBalance } from "./spend/spend-balance.ts";
import { createUsageStore } from "./usage/usage-store.ts";
import type { Refusal, RefusalCode } from "./refusal.ts";

/**
 * Reads `Bearer <key>`: the word as written here, one space, a key without spaces (spec, Authentication, 1). Unknown and
 * revoked keys get the same answer, so that nobody learns which exist.
 */
function identifyKey(keys: KeyStore, authorization: string | undefined, nowMs: number): Identification {
  if (authorization === undefined) return refused("missing_api_key", "No API key was sent.");
  const secret = /^Bearer (\S+)$/.exec(authorization)?.[1];
  if (secret === undefined)
    return refused("malformed_authorization", "The Authorization header must read: Bearer, a space, the key.");
  const key = keys.bySecret(secret);
  const state: KeyState = key === undefined ? "revoked" : keyStateAt(key, nowMs);
  if (key !== undefined && state === "active") return { kind: "known", key };
  return state === "expired"
    ? refused("expired_api_key", "The API key has expired.")
    : refused("invalid_api_key", "The API key is not valid.");
}

function refused(code: RefusalCode, message: string): Identification {
  return { kind: "refused", refusal: { status: 401, code, message } };
}

/** Payment before scope: an account that may not buy learns nothing else. */
function authorizeKey(key: KeyRecord, account: AccountRecord, endpoint: EndpointId): Refusal | null {
  if (account.standing !== "good") {
    const why = account.standing === "past-due" ? "The subscription is past due." : "The credit of the account is used up.";
    return { status: 402, code: "payment_required", message: why };
  }
  if (acceptedScopes[endpoint].some((scope) => key.scopes.includes(scope))) return null;
  return { status: 403, code: "insufficient_scope", message: "The API key lacks a scope that this endpoint needs." };
}

/**
 * Scopes of which a key needs one. Reading and listing take `read`, inference `write`; settings are for `admin`, agents for
 * `agent:write` and `admin` (spec, Authentication, 5; which scope the rest needs is open, reading AMB-21).
 */
const acceptedScopes: Readonly<Record<EndpointId, readonly Scope[]>> = {
  chat: ["write", "admin"],
  embeddings: ["write", "admin"],
  images: ["write", "admin"],
  transcriptions: ["write", "admin"],
  models: ["read", "write", "agent:write", "admin"],
  usage: ["read", "write", "admin"],
  "key-settings": ["admin"],
  "account-settings": ["admin"],
  agents: ["agent:write", "admin"],
  workspaces: ["read", "write", "admin"],
  verify: ["read", "write", "agent:write", "admin"],
};

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
