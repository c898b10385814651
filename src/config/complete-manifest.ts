import type { EndpointId } from "../core/exchange/endpoint.ts";
import { isOperationDeclared } from "../core/is-operation-declared.ts";
import type { ManifestFile, PricesFile } from "../core/manifest-file/manifest-file.ts";
import type { Manifest, ManifestKey } from "../core/manifest.ts";

/** Fills in defaults; every permission is denied unless it is given. */
export function completeManifest(document: ManifestFile): Manifest {
  const { target } = document;
  return {
    target: {
      name: target.name ?? (URL.canParse(target.baseUrl) ? new URL(target.baseUrl).host : target.baseUrl),
      baseUrl: target.baseUrl,
      plan: target.plan ?? null,
      timeoutMs: target.timeoutMs ?? 30_000,
      ...(target.bodyIdleMs === undefined ? {} : { bodyIdleMs: target.bodyIdleMs }),
      ...(target.bodyTotalMs === undefined ? {} : { bodyTotalMs: target.bodyTotalMs }),
      ...(target.maxBodyBytes === undefined ? {} : { maxBodyBytes: target.maxBodyBytes }),
      ...(target.maxEvents === undefined ? {} : { maxEvents: target.maxEvents }),
      headers: target.headers ?? {},
      tls: { rejectUnauthorized: target.tls?.rejectUnauthorized ?? true, caFile: target.tls?.caFile ?? null },
      ...(target.proxy === undefined ? {} : { proxy: target.proxy }),
    },
    keys: Object.fromEntries(Object.entries(document.keys ?? {}).map(([name, entry]) => [name, completeKey(entry)])),
    models: completeModels(document),
    features: { ...document.features },
    limits: { requestsPerMinute: null, tokensPerMinute: null, algorithm: null, queueing: "unknown", ...document.limits },
    permissions: {
      patchSettings: false,
      exhaustLimits: false,
      spendUpToCents: 0,
      fetchImages: false,
      createKeyProbe: false,
      faultTriggers: false,
      loadUpToRps: null,
      ...document.permissions,
    },
    restore: { keys: document.restore?.keys ?? {}, account: document.restore?.account ?? null },
    faults: Object.fromEntries(
      Object.entries(document.faults ?? {}).map(([status, fault]) => [
        status,
        { headers: fault.headers ?? {}, path: fault.path ?? null },
      ]),
    ),
    foreignKeyId: document.foreignKeyId ?? null,
    propagationSeconds: document.propagationSeconds ?? 60,
    exclusive: document.exclusive ?? false,
    budget: { maxRequests: null, maxTokens: null, maxCostUsd: null, ...document.budget },
    // Of the order of hosted models in 2026; a worst case must not be guessed too low.
    prices: {
      perMillionPromptTokens: 5,
      perMillionCompletionTokens: 20,
      perImage: 0.12,
      perAudioMinute: 0.01,
      ...document.prices,
    },
    declaredPrices: statedPrices(document.prices ?? {}),
    baseline: (document.baseline ?? []).map((entry) => ({ verdict: "fail", expires: null, ...entry })),
    require: document.require ?? [],
    waive: (document.waive ?? []).map((entry) => ({ expires: null, ...entry })),
    control: document.control ?? null,
  };
}

function statedPrices(prices: PricesFile): readonly (keyof PricesFile)[] {
  return (Object.keys(prices) as (keyof PricesFile)[]).filter((name) => (prices[name] ?? 0) > 0);
}

/** An operation that is declared absent has no model. */
function completeModels({ models, features }: ManifestFile): Manifest["models"] {
  const isDeclared = (endpoint: EndpointId): boolean => isOperationDeclared(endpoint, { features: { ...features } });
  return {
    chat: models?.chat ?? null,
    embedding: isDeclared("embeddings") ? (models?.embedding ?? null) : null,
    transcription: isDeclared("transcriptions") ? (models?.transcription ?? null) : null,
  };
}

function completeKey(entry: NonNullable<ManifestFile["keys"]>[string]): ManifestKey {
  if (typeof entry === "string") return { secret: entry, id: null, createdAtMs: null };
  const createdAtMs = entry.createdAt == null ? null : Date.parse(entry.createdAt);
  const allowShort = entry.allowShort === true ? { allowShort: true } : {};
  return { secret: entry.secret, id: entry.id ?? null, createdAtMs, ...allowShort };
}
