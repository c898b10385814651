import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { ServiceClock } from "../clock/service-clock.ts";
import type { Admission, Identification, RateHeaders, Work } from "./admission.ts";
import type { Journal } from "./journal.ts";
import type { KeyStore } from "./keys/key-store.ts";
import type { AccountRecord, KeyRecord } from "./keys/key-record.ts";
import type { LatencyModel } from "./latency/latency-model.ts";
import type { Refusal } from "./refusal.ts";
import type { AccountChange, AccountChangeOutcome, KeyChange, KeyChangeOutcome } from "./settings/settings-change.ts";
import type { UsageQuery, UsageReport } from "./usage/usage-report.ts";

/**
 * State and rules of the reference service, without HTTP. One request goes through it like this:
 *
 * 1. `identify(header)`; on refusal answer 401 with `unadmittedHeaders(null, endpoint)`;
 * 2. `authorize(key, endpoint)`; on refusal answer 402 or 403 with `unadmittedHeaders(key, endpoint, status)`;
 * 3. look up ids and validate; on failure answer 404 or 422 with `unadmittedHeaders(key, endpoint, status)`;
 * 4. `await admit(key, work)`; a refusal is a complete 429;
 * 5. do the work (`latency` paces it), `ticket.settle(...)`, write `ticket.rateHeaders()` with the response.
 *
 * Steps 1 to 3 are synchronous; the decision of step 4 is made within the call, before its first suspension.
 */
export interface Engine {
  readonly clock: ServiceClock;
  readonly keys: KeyStore;
  readonly latency: LatencyModel;
  readonly journal: Journal;

  /** Value of the Authorization header, undefined when there is none. Only `Bearer <key>` is understood. */
  identify(authorization: string | undefined): Identification;
  /** 402 before 403; null when the key may call the endpoint (spec, Authentication, 5; Errors). */
  authorize(key: KeyRecord, endpoint: EndpointId): Refusal | null;
  /**
   * Rate headers of a response that was not admitted: every status but 2xx, 429 and failures after admission. Such a
   * request may count (`LimiterRules`), so call it exactly once per response. `endpoint` null: unknown route.
   */
  unadmittedHeaders(key: KeyRecord | null, endpoint: EndpointId | null, status: number): RateHeaders;
  /** Asks every limit, in the order of `limitCauses`, and takes from all of them or from none. */
  admit(key: KeyRecord, work: Work): Promise<Admission>;

  changeKey(caller: KeyRecord, keyId: string, change: KeyChange): KeyChangeOutcome;
  changeAccount(caller: KeyRecord, change: AccountChange): AccountChangeOutcome;
  /** Usage of the caller's account; `toMs` may lie before `fromMs` (empty report). */
  usageReport(caller: KeyRecord, query: UsageQuery): UsageReport;

  /** Complete state as plain JSON. Requests in flight are not part of it. */
  snapshot(): EngineSnapshot;
  /** Leases given out before are void afterwards. The clock is not touched. */
  restore(snapshot: EngineSnapshot): void;
  /** Back to a new service at the clock's present; secrets and ids of keys stay. */
  reset(): void;
}

/** Complete state of the engine; survives JSON. */
export interface EngineSnapshot {
  readonly schemaVersion: 1;
  readonly keys: readonly KeyRecord[];
  readonly accounts: readonly AccountRecord[];
  /** State of each part by its name; opaque outside the engine. */
  readonly parts: Readonly<Record<string, unknown>>;
}
