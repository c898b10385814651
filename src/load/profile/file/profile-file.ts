// The comments of this folder are the descriptions of schemas/profile.schema.json, which scripts/profile-schema.mjs makes of these types.
import type { ArrivalsFile } from "./arrivals-file.ts";
import type { ProbeAsk } from "../../../core/result/probe-result.ts";
import type { WorkloadFile } from "./workload-file.ts";

/** One file of suites/profiles or of a user. Instants are relative, lengths of time carry their unit in the name. */
export interface ProfileFile {
  /** address of this schema, for editors; assay does not read it */
  readonly $schema?: string;
  /**
   * name of the profile in reports and on the command line: lower-case letters, digits, hyphens
   * @pattern ^[a-z0-9][a-z0-9-]*$
   */
  readonly id: string;
  /**
   * one line about the profile
   * @minLength 1
   */
  readonly title: string;
  /** the purpose of the profile */
  readonly description?: string;
  /** when requests are sent: see Arrivals */
  readonly arrivals: ArrivalsFile;
  /**
   * seconds of the measured window; a trace without it takes as long as it is
   * @exclusiveMinimum 0
   * @maximum 604800
   */
  readonly durationSeconds?: number;
  /**
   * seconds of load before the measured window; sent but not counted
   * @minimum 0
   * @maximum 3600
   */
  readonly warmUpSeconds?: number;
  /**
   * the kinds of requests that are sent, chosen by weight
   * @minItems 1
   */
  readonly workload: readonly WorkloadFile[];
  /**
   * name of the key in the manifest; primary if there is no key named load
   * @minLength 1
   */
  readonly key?: string;
  /** assay; or autocannon, a closed loop of one free endpoint as a second measurement */
  readonly engine?: "assay" | "autocannon";
  /** worker threads that send it, 1 to 16, or auto: as many as the plan needs */
  readonly workers?: Threads | "auto";
  /**
   * time after which a request without a complete answer is given up
   * @exclusiveMinimum 0
   * @maximum 3600
   */
  readonly timeoutSeconds?: number;
  /**
   * requests in flight at most; planned ones beyond it are not sent
   * @asType integer
   * @minimum 1
   * @maximum 20000
   */
  readonly maxInFlight?: number;
  /** the attempts after a refusal or a server error */
  readonly retry?: RetryFile;
  /** service level: a good answer is complete and meets every bound that is set */
  readonly slo?: ServiceLevelFile;
  /** bounds that the profile must meet, such as ttft.p95 < 800ms */
  readonly gates?: readonly Expression[];
  /** when the profile ends early */
  readonly abort?: AbortFile;
  /**
   * nine short requests before the load name a target that answers from a cache of responses
   */
  readonly cacheAudit?: boolean;
  /**
   * a second key asks meanwhile: its answers are held to the specification and its limits are watched; it is in no figure of the load
   */
  readonly probe?: ProbeFile;
  /**
   * the limit that the profile is about, which is watched beside the request limit; only spend-cap changes and crosses a cap; default request-limit if needs holds exhaustLimits, else none
   */
  readonly limitScenario?: LimitScenario;
  /** permissions without which the profile is not run */
  readonly needs?: readonly ProfileNeed[];
}

/** Attempts after the first. */
export interface RetryFile {
  /**
   * further attempts after a 429, 500, 502 or 503
   * @asType integer
   * @minimum 0
   * @maximum 10
   */
  readonly max?: number;
  /** obey: send nothing with this key before the wait of a refusal is over; ignore: keep to the schedule */
  readonly retryAfter?: "obey" | "ignore";
}

/** Bounds of a good answer. */
export interface ServiceLevelFile {
  /**
   * most milliseconds to the first token
   * @exclusiveMinimum 0
   */
  readonly ttftMs?: number;
  /**
   * most milliseconds per output token
   * @exclusiveMinimum 0
   */
  readonly tpotMs?: number;
  /**
   * most milliseconds from the planned instant to the end
   * @exclusiveMinimum 0
   */
  readonly userLatencyMs?: number;
}

/** Conditions of an early end. */
export interface AbortFile {
  /**
   * fraction of errors among the answers of the last windowSeconds that ends the profile
   * @minimum 0
   * @maximum 1
   */
  readonly errorRate?: number;
  /**
   * seconds over which errors are counted
   * @exclusiveMinimum 0
   */
  readonly windowSeconds?: number;
  /**
   * answers in that time before the fraction counts
   * @asType integer
   * @minimum 1
   */
  readonly minimum?: number;
  /** true: the profile ends as soon as a gate cannot be met any more */
  readonly hopeless?: boolean;
}

/** A second key that asks a little. */
export interface ProbeFile {
  /**
   * name of its key in the manifest, another one than that of the load; default probe, else secondary
   * @minLength 1
   */
  readonly key?: string;
  /**
   * seconds between two of its requests, default 2; 1000 requests at most
   * @minimum 0.5
   * @maximum 3600
   */
  readonly everySeconds?: number;
  /**
   * the requests that it sends by turns: a list of models, a short chat, the same as a stream, and a chat without messages, which must be refused; default all four
   * @minItems 1
   * @maxItems 20
   */
  readonly ask?: readonly ProbeAsk[];
}

/** A limit that a profile is about. */
export type LimitScenario = "request-limit" | "cooldown" | "spend-cap";

/** permissions that the manifest must give before the profile may run. */
export type ProfileNeed = "exhaustLimits" | "patchSettings" | "spend";

/** @minLength 1 */
type Expression = string;

/**
 * @asType integer
 * @minimum 1
 * @maximum 16
 */
type Threads = number;
