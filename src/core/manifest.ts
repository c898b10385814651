import type { NamedSecret } from "./named-secret.ts";
/** Endpoints whose request limit an exam may use up: those that cost little or nothing. */
export type ExaminedEndpoint = "models" | "usage" | "chat" | "embeddings" | "transcriptions";

export const examinedEndpoints: readonly ExaminedEndpoint[] = ["models", "usage", "chat", "embeddings", "transcriptions"];

/**
 * The resolved manifest of a target (`assay.config.yaml`), environment references replaced. Members that are not declared are
 * null or absent: rows that need them are `untested`, never silently passed.
 */
export interface Manifest {
  readonly target: {
    readonly name: string;
    readonly baseUrl: string;
    readonly plan: "starter" | "pro" | null;
    /** Until the response head. */
    readonly timeoutMs: number;
    /** Bounds of bodies, see `bodyBounds` for what holds where they are absent. */
    readonly bodyIdleMs?: number;
    readonly bodyTotalMs?: number;
    readonly maxBodyBytes?: number;
    readonly maxEvents?: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly tls: { readonly rejectUnauthorized: boolean; readonly caFile: string | null };
    /** URL of the proxy that leads to it, with its credentials; absent or null: none. */
    readonly proxy?: string | null;
  };
  /** By name: primary, secondary, admin, readOnly, agentWrite, expired, revoked, rotated, replacement, pastDue, noCredit, exhausted, lowLimit, lowToken, queue, reject, fresh, sandbox ... */
  readonly keys: Readonly<Record<string, ManifestKey>>;
  readonly models: { readonly chat: string | null; readonly embedding: string | null; readonly transcription: string | null };
  /** Declared features; false leaves the rows untested(not-declared) and out of scope. Absent counts as true. */
  readonly features: Readonly<Record<string, boolean | number>>;
  readonly limits: {
    readonly requestsPerMinute: number | null;
    readonly tokensPerMinute: number | null;
    readonly algorithm: string | null;
    readonly queueing: "queue" | "reject" | "unknown";
    /** Endpoint whose request limit is examined in depth; absent: the list of models, which costs nothing. */
    readonly endpoint?: ExaminedEndpoint;
  };
  readonly permissions: {
    readonly patchSettings: boolean;
    readonly exhaustLimits: boolean;
    readonly spendUpToCents: number;
    readonly fetchImages: boolean;
    readonly createKeyProbe: boolean;
    readonly faultTriggers: boolean;
    /** The most requests per second; null: a handful, and any number on this machine. */
    readonly loadUpToRps: number | null;
  };
  readonly restore: {
    readonly keys: Readonly<Record<string, KeySettings>>;
    readonly account: { readonly account_spend_cap: number | null } | null;
  };
  /** How to make the target fail once, by status. */
  readonly faults: Readonly<Record<string, FaultTrigger>>;
  readonly foreignKeyId: string | null;
  readonly propagationSeconds: number;
  /** Nobody else uses these keys during the run: equality instead of lower bounds. */
  readonly exclusive: boolean;
  /** `maxMinutes`: of real time for all of a run; absent or null: two hours for all but load. */
  readonly budget: {
    readonly maxRequests: number | null;
    readonly maxTokens: number | null;
    readonly maxCostUsd: number | null;
    readonly maxMinutes?: number | null;
  };
  readonly prices: Prices;
  readonly baseline: readonly BaselineEntry[];
  /** The rows that have to be judged for exit code 0: `complete`, suites, or requirement ids with `*`. */
  readonly require: readonly string[];
  readonly waive: readonly Waiver[];
  /** Control plane of the reference service; absent on every other target. */
  readonly control: { readonly url: string; readonly token: string } | null;
  /** Values of the environment and of headers of faults, which are masked as keys are; absent: none. */
  readonly secrets?: readonly NamedSecret[];
}

export interface ManifestKey {
  readonly secret: string;
  /** `key_id` for PATCH /v1/keys/{key_id}. */
  readonly id: string | null;
  /** Unix milliseconds of creation, for a key that is still propagating. */
  readonly createdAtMs: number | null;
  /** The owner says that so short a key is no secret: nothing is masked for it. */
  readonly allowShort?: boolean;
}

/** The part of a manifest that judging reads; its secrets may be masked or not. */
export interface ManifestFacts extends Omit<Manifest, "keys" | "control" | "secrets"> {
  readonly keys: Readonly<Record<string, RedactedKey>>;
  readonly control: { readonly url: string } | null;
}

/**
 * The manifest without its secrets, for what is written or shown. A type of its own: where it is asked for, a manifest with
 * secrets does not compile.
 */
export interface RedactedManifest extends ManifestFacts {
  readonly redacted: true;
}

export type RedactedKey = Omit<ManifestKey, "secret">;

export interface KeySettings {
  readonly monthly_spend_cap?: number | null;
  readonly burst_limit?: number | null;
  readonly cooldown_seconds?: number | null;
}

export interface FaultTrigger {
  readonly headers: Readonly<Record<string, string>>;
  readonly path: string | null;
}

/** US dollars; used for budgets and worst cases, never for verdicts. */
export interface Prices {
  readonly perMillionPromptTokens: number;
  readonly perMillionCompletionTokens: number;
  readonly perImage: number;
  readonly perAudioMinute: number;
}

/** A known failure of this target; expired or now-passing entries are findings. */
export interface BaselineEntry {
  readonly id: string;
  readonly verdict: "fail" | "advisory";
  readonly reason: string;
  readonly expires: string | null;
}

/** Requirements that the target does not offer and that therefore need not be judged; never forgives a failure. */
export interface Waiver {
  /** A requirement id, or several with `*`. */
  readonly id: string;
  readonly reason: string;
  /** `2027-01-31`; afterwards the waiver counts no longer. */
  readonly expires: string | null;
}
