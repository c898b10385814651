import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import type { Intent } from "../../core/exchange/intent.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { Random } from "../../core/random.ts";
import type { SuiteId } from "../../core/result/requirement.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";
import type { Supply } from "../../core/result/supply.ts";
import type { Seen } from "./lookout.ts";

/** A case only sends labelled requests; it never asserts. Judges decide later, from the record. */
export interface Case {
  /** `chat/temperature-above-max` */
  readonly id: string;
  readonly suite: SuiteId;
  readonly title: string;
  /** Requirements whose judging needs this case; when it cannot run they inherit its reason. */
  readonly covers: readonly string[];
  readonly needs: readonly Need[];
  /** Further needs of single rows: the case runs without them, and shows nothing of these rows. */
  readonly needsOfRows?: Readonly<Record<string, readonly Need[]>>;
  /** The most that one run of the case sends; feeds pacing, budget and `--plan`. */
  readonly cost: CaseCost;
  /** Cases that share a resource never overlap: `settings`, `key:secondary` ... */
  readonly resource?: string;
  /** Runs after all others, while nothing else is in flight: what it counts or compares must be its own. */
  readonly alone?: boolean;
  run(tools: CaseTools): Promise<void>;
}

export interface CaseCost {
  readonly requests: Readonly<Partial<Record<EndpointId | "other", number>>>;
  readonly tokens: number;
  readonly images?: number;
  readonly audioSeconds?: number;
  /** How long it lets a correct target wait, beside the wait for windows. */
  readonly waitSeconds?: number;
}

/**
 * The supply or feature that the manifest must offer before a case may run. A feature is there unless the manifest says that it
 * is not.
 */
export type Need = Supply | { readonly kind: "feature"; readonly name: string };

export interface CaseTools {
  readonly manifest: Manifest;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Paced on the target's own rate-limit headers; unplanned 429 and 5xx are retried within bounds. */
  readonly send: (request: CaseRequest) => Promise<ExchangeFacts>;
  /**
   * All of them in flight together: each has a connection of its own, opened before, and they leave in one go, so that they
   * meet on a fast service too. Spoiled requests are repeated alone, within the same bounds. Answers in the order of requests.
   */
  readonly sendAtOnce: (requests: readonly CaseRequest[]) => Promise<readonly ExchangeFacts[]>;
  /**
   * Runs `body`, which may change the named settings, and puts the manifest's declared values back afterwards, also when it
   * throws or the run is aborted. Settings that are to be restored are journalled before `body` starts.
   */
  readonly restoring: (subject: SettingsSubject, body: () => Promise<void>) => Promise<void>;
  /** Looks at once, and again for so long until all is seen; gives up early on what this target has never shown. */
  readonly lookUntil: (longestMs: number, look: (round: number) => Promise<Seen>) => Promise<void>;
  /** The longest that it took so far until all was seen that was looked for; 0: all was there at once, or nothing came. */
  readonly seenAfterMs: () => number;
  /** Waits on the run clock. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Wall clock of the run, Unix milliseconds (timestamps in queries). */
  readonly wallMs: () => number;
}

/** The owner of the settings that a case changes; `key` is a name in the manifest. */
export type SettingsSubject = { readonly kind: "key"; readonly key: string } | { readonly kind: "account" };

/** A SendRequest less what the runner fills in; `credential` defaults to the primary key, `intent` to valid. */
export type CaseRequest = Omit<SendRequest, "stage" | "caseId" | "credential" | "intent" | "method" | "path"> & {
  readonly endpoint: EndpointId | null;
  readonly method?: string;
  readonly path?: string;
  readonly credential?: SendRequest["credential"];
  readonly intent?: Intent | undefined;
  /** false: a 429 or 5xx is the answer that is looked for and is not retried. */
  readonly retry?: boolean;
};
