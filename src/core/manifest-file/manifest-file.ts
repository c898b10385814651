// The comments of this folder are the descriptions of schemas/config.schema.json, which scripts/config-schema.mjs makes of these types.
import type { BaselineFile } from "./baseline-file.ts";
import type { BudgetFile } from "./budget-file.ts";
import type { FeaturesFile } from "./features-file.ts";
import type { HeadersFile } from "./headers-file.ts";
import type { KeyFile } from "./key-file.ts";
import type { LimitsFile } from "./limits-file.ts";
import type { ModelsFile } from "./models-file.ts";
import type { PermissionsFile } from "./permissions-file.ts";
import type { PricesFile } from "./prices-file.ts";
import type { RestoreFile } from "./restore-file.ts";
import type { TargetFile } from "./target-file.ts";
import type { WaiverFile } from "./waiver-file.ts";

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
