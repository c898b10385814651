import type {
  ControlFile,
  FaultFile,
  BaselineFile,
  BudgetFile,
  LimitsFile,
  ModelsFile,
  PermissionsFile,
  PricesFile,
  RestoreFile,
  WaiverFile,
} from "./manifest-file/manifest-file.ts";
import type { TargetFile, TlsFile } from "./manifest-file/target-file.ts";
import type { NamedSecret } from "./named-secret.ts";

/** Endpoints whose request limit an exam may use up: those that cost little or nothing. */
export type ExaminedEndpoint = NonNullable<LimitsFile["endpoint"]>;

export const examinedEndpoints: readonly ExaminedEndpoint[] = ["models", "usage", "chat", "embeddings", "transcriptions"];

/** A mapping of the file with its defaults; members without a default stay as they are written. */
type Filled<File, Undefaulted extends keyof File> = Required<Omit<File, Undefaulted>> & Pick<File, Undefaulted>;

/** Bounds of bodies: see `bodyBounds` for what holds where they are absent. */
type BodyBound = "bodyIdleMs" | "bodyTotalMs" | "maxBodyBytes" | "maxEvents";

/**
 * The resolved manifest of a target (`assay.config.yaml`), environment references replaced; the types of `manifest-file/` say what each
 * member means. Members that are not declared are null or absent: rows that need them are `untested`, never silently passed.
 */
export interface Manifest {
  readonly target: Filled<Omit<TargetFile, "tls">, BodyBound | "proxy"> & { readonly tls: Required<TlsFile> };
  /** By name: primary, secondary, admin, readOnly, agentWrite, expired, revoked, rotated, replacement, pastDue, noCredit, exhausted, lowLimit, lowToken, queue, reject, fresh, sandbox ... */
  readonly keys: Readonly<Record<string, ManifestKey>>;
  readonly models: Required<ModelsFile>;
  /** Declared features; false leaves the rows untested(not-declared) and out of scope. Absent counts as true. */
  readonly features: Readonly<Record<string, boolean | number>>;
  /** Without `endpoint` the list of models is examined in depth, which costs nothing. */
  readonly limits: Filled<LimitsFile, "endpoint">;
  readonly permissions: Required<PermissionsFile>;
  readonly restore: Required<RestoreFile>;
  /** How to make the target fail once, by status. */
  readonly faults: Readonly<Record<string, FaultTrigger>>;
  readonly foreignKeyId: string | null;
  readonly propagationSeconds: number;
  /** Nobody else uses these keys during the run: equality instead of lower bounds. */
  readonly exclusive: boolean;
  /** Without `maxMinutes` two hours of real time for all of a run but load. */
  readonly budget: Filled<BudgetFile, "maxMinutes">;
  readonly prices: Prices;
  /** Those that the owner states, and that are above zero: work that has to cost something. Absent: none. */
  readonly declaredPrices?: readonly (keyof Prices)[];
  readonly baseline: readonly BaselineEntry[];
  /** The rows that have to be judged for exit code 0: `complete`, suites, or requirement ids with `*`. */
  readonly require: readonly string[];
  readonly waive: readonly Waiver[];
  /** Control plane of the reference service; absent on every other target. */
  readonly control: ControlFile | null;
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

export type KeySettings = Required<RestoreFile>["keys"][string];

export type FaultTrigger = Required<FaultFile>;

/** Used for budgets and worst cases; no verdict rests on an amount. */
export type Prices = Required<PricesFile>;

/** A known failure of this target; expired or now-passing entries are findings. */
export type BaselineEntry = Required<BaselineFile>;

/** Requirements that the target does not offer and that therefore need not be judged; never forgives a failure. */
export type Waiver = Required<WaiverFile>;
