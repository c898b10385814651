// The comments of this folder are the descriptions of schemas/config.schema.json, which scripts/config-schema.mjs makes of these types.
import type { FeaturesFile } from "./features-file.ts";
import type { KeyFile } from "./key-file.ts";
import type { TargetFile, HeadersFile } from "./target-file.ts";

/** a mapping that begins with `target:` */
export interface ManifestFile {
  /** address of this schema, for editors; assay does not read it */
  readonly $schema?: string;
  /** what is measured */
  readonly target: TargetFile;
  /**
   * at most 100 names with ${ENV} references
   * @maxProperties 100
   * @propertyNames {"pattern": "^[a-z][A-Za-z0-9]*$", "description": "a letter a to z, then letters and digits", "examples": ["primary", "secondary", "admin", "readOnly", "agentWrite", "expired", "revoked", "rotated", "replacement", "fresh", "pastDue", "noCredit", "exhausted", "lowLimit", "lowToken", "queue", "reject", "starter", "sandbox", "sandboxSecondary", "examSettings", "examRequests", "examRequestsTwin", "examTokens", "examBurst", "examBurstQueue", "examSpend", "spendA", "spendB", "spendAdmin", "load"]}
   */
  readonly keys?: Readonly<Record<string, KeyEntry>>;
  /** model ids by use */
  readonly models?: ModelsFile;
  /** what the target does not offer (false), or how it offers it */
  readonly features?: FeaturesFile;
  /** what the target declares about its rate limits */
  readonly limits?: LimitsFile;
  /** what assay may do to the target */
  readonly permissions?: PermissionsFile;
  /** settings to put back after a run */
  readonly restore?: RestoreFile;
  /**
   * how to make the target fail once, by status
   * @propertyNames {"enum": ["402", "500", "502", "503"]}
   */
  readonly faults?: Readonly<Record<string, FaultFile>>;
  /** a key_id of another workspace, or null */
  readonly foreignKeyId?: string | null;
  /**
   * seconds until a change of settings or a new key is known everywhere, 0 to 3600
   * @minimum 0
   * @maximum 3600
   */
  readonly propagationSeconds?: number;
  /** true when nobody else uses these keys during a run */
  readonly exclusive?: boolean;
  /** what a run may use up at most */
  readonly budget?: BudgetFile;
  /** US dollars, for budgets and worst cases */
  readonly prices?: PricesFile;
  /** a list of known failures */
  readonly baseline?: readonly BaselineFile[];
  /** what has to be judged for exit code 0: complete, suites, or requirement ids with * as wildcard */
  readonly require?: readonly RequireEntry[];
  /** a list of requirements that the target does not offer and that need not be judged */
  readonly waive?: readonly WaiverFile[];
  /** control plane of the reference service */
  readonly control?: ControlFile | null;
}

/**
 * a reference such as ${ASSAY_API_KEY}, or { secret: ${NAME}, id: key_id }
 * @comment The names that checks look for, and the state in which such a key has to be, are in src/core/key-roles.ts.
 */
type KeyEntry = Secret | KeyFile;

/** @minLength 1 */
type Secret = string;

/** headers and path */
export interface FaultFile {
  readonly headers?: HeadersFile;
  /** a path below the base URL that answers with the status, or null: the path of the case */
  readonly path?: string | null;
}

/**
 * complete, a suite, or a requirement id such as AUTH-0*
 * @minLength 1
 */
type RequireEntry = string;

export interface ControlFile {
  /**
   * a URL on this machine, such as http://127.0.0.1:8081
   * @pattern ^http://(127\.0\.0\.1|localhost|\[::1\]):\d+/?$
   */
  readonly url: string;
  /**
   * a reference such as ${ASSAY_CONTROL_TOKEN}
   * @minLength 1
   */
  readonly token: string;
}

/** id, reason and expires */
export interface BaselineFile {
  /**
   * a requirement, limit check, gate or finding id
   * @minLength 1
   */
  readonly id: string;
  /** fail or advisory: the verdict that is known */
  readonly verdict?: "fail" | "advisory";
  /**
   * why it is known
   * @minLength 1
   */
  readonly reason: string;
  readonly expires?: LastDay;
}

export interface BudgetFile {
  /** a positive integer: requests of a run, or null: no bound */
  readonly maxRequests?: PositiveInteger | null;
  /** a positive integer: tokens of a run, or null: no bound */
  readonly maxTokens?: PositiveInteger | null;
  /**
   * minutes of real time, or null: 120 for all stages but load; exams of limits leave out by name what takes longer
   * @exclusiveMinimum 0
   * @maximum 10080
   */
  readonly maxMinutes?: number | null;
  /**
   * US dollars of a run in the worst case, at the given prices, or null: no bound
   * @minimum 0
   */
  readonly maxCostUsd?: number | null;
}

export interface LimitsFile {
  /** a positive integer: requests per minute that the target declares, or null: read from its headers */
  readonly requestsPerMinute?: PositiveInteger | null;
  /** a positive integer: tokens per minute that the target declares, or null: read from its headers */
  readonly tokensPerMinute?: PositiveInteger | null;
  /** fixed-window, sliding-log, sliding-counter, token-bucket, batch-refill or null: how the request limit counts */
  readonly algorithm?: "fixed-window" | "sliding-log" | "sliding-counter" | "token-bucket" | "batch-refill" | null;
  /** queue, reject or unknown: what happens to requests during a cooldown */
  readonly queueing?: "queue" | "reject" | "unknown";
  /** models, usage, chat, embeddings or transcriptions: the endpoint whose request limit is examined in depth */
  readonly endpoint?: "models" | "usage" | "chat" | "embeddings" | "transcriptions";
}

export interface ModelsFile {
  /** a model id for chat, or null: chosen from GET /v1/models */
  readonly chat?: string | null;
  /** a model id for embeddings, or null: chosen from GET /v1/models */
  readonly embedding?: string | null;
  /** a model id for transcriptions, or null: chosen from GET /v1/models */
  readonly transcription?: string | null;
}

export interface PermissionsFile {
  /** true or false; true: settings of keys that have an id and a restore entry are changed and put back */
  readonly patchSettings?: boolean;
  /** true or false; true: a key is driven over its request limit */
  readonly exhaustLimits?: boolean;
  /**
   * US cents, 0 or more, that reaching spend caps may cost
   * @minimum 0
   */
  readonly spendUpToCents?: number;
  /** true or false; true: generated images are fetched from the URLs in responses */
  readonly fetchImages?: boolean;
  /** true or false; true: one POST /v1/keys is sent, to see that keys cannot be created */
  readonly createKeyProbe?: boolean;
  /** true or false; true: the entries of faults are used to make the target fail once */
  readonly faultTriggers?: boolean;
  /**
   * requests per second, the most that the target is sent, or null: a handful, and any number on this machine
   * @exclusiveMinimum 0
   */
  readonly loadUpToRps?: number | null;
}

export interface PricesFile {
  /**
   * US dollars for a million prompt tokens
   * @minimum 0
   */
  readonly perMillionPromptTokens?: number;
  /**
   * US dollars for a million completion tokens
   * @minimum 0
   */
  readonly perMillionCompletionTokens?: number;
  /**
   * US dollars for an image
   * @minimum 0
   */
  readonly perImage?: number;
  /**
   * US dollars for a minute of audio
   * @minimum 0
   */
  readonly perAudioMinute?: number;
}

export interface RestoreFile {
  /** key names with their settings */
  readonly keys?: Readonly<Record<string, KeySettings>>;
  /** account_spend_cap */
  readonly account?: AccountSettings | null;
}

/** monthly_spend_cap, burst_limit, cooldown_seconds */
interface KeySettings {
  /** cents, the monthly spend cap, or null: no cap */
  readonly monthly_spend_cap?: Count | null;
  /** requests per minute, the burst limit, or null: none */
  readonly burst_limit?: Count | null;
  /** seconds of the cooldown, or null: none */
  readonly cooldown_seconds?: Count | null;
}

interface AccountSettings {
  /** cents, the spend cap of the account, or null: no cap */
  readonly account_spend_cap: Count | null;
}

/**
 * @asType integer
 * @minimum 0
 */
type Count = number;

/** id, reason and expires */
export interface WaiverFile {
  /**
   * a requirement id, or several with * as wildcard
   * @minLength 1
   */
  readonly id: string;
  /**
   * why it is not offered
   * @minLength 1
   */
  readonly reason: string;
  readonly expires?: LastDay;
}

/**
 * a date such as 2027-01-31, the last day on which the entry counts, or null: no end
 * @format date
 */
type LastDay = string | null;

/**
 * @asType integer
 * @minimum 1
 */
type PositiveInteger = number;
