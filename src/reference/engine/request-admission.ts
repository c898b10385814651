import type { ServiceClock } from "../clock/service-clock.ts";
import type { Switchboard } from "../defects/switch.ts";
import type { Admission, Lease, Outcome, RateHeaders, Work } from "./admission.ts";
import type { BurstGate, GateAnswer } from "./burst/burst-gate.ts";
import type { CooldownQueue, QueuedRequest } from "./burst/cooldown-queue.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import { rateLimitsOf, type KeyRecord } from "./keys/key-record.ts";
import type { KeyStore } from "./keys/key-store.ts";
import { renderLimitRefusal } from "./limit-refusal.ts";
import type { HeaderWriter } from "./limiter/rate-headers.ts";
import type { RateCheck, RateHold, RateLimiter, RateOp, RateView } from "./limiter/rate-limiter.ts";
import { racingLimits } from "./limiter/simulated-limiter.ts";
import type { LimitCause, RefusalCode } from "./refusal.ts";
import type { CapHit, Purchase, SpendHold, SpendLedger } from "./spend/spend-ledger.ts";
import { tokensToCharge, tokensToHold } from "./token-charge.ts";
import type { UsageStore } from "./usage/usage-store.ts";

export interface RequestAdmissionParts {
  readonly clock: ServiceClock;
  readonly switches: Switchboard;
  readonly keys: KeyStore;
  readonly journal: Journal;
  readonly limiter: RateLimiter;
  readonly headers: HeaderWriter;
  readonly gate: BurstGate;
  readonly queue: CooldownQueue;
  readonly ledger: SpendLedger;
  readonly usage: UsageStore;
  readonly storeDelay: () => Promise<void>;
}

/** Where every limit is asked about one request, all in one turn of the event loop. */
export interface RequestAdmission {
  admit(key: KeyRecord, work: Work): Promise<Admission>;
  /** Leases given out so far settle into nothing. */
  voidLeases(): void;
  /** Money that was spent before the service started. */
  billEarlier(keyId: string, micros: number): void;
}

type Decision =
  | { readonly kind: "fits"; readonly check: RateCheck }
  | { readonly kind: "refused"; readonly cause: LimitCause; readonly waitMs: number; readonly check: RateCheck };

/** Shown where no wait helps: the request alone exceeds the limit. */
const hopelessWaitMs = 60_000;
/** Store latencies between the check of a cap and the work, where the two are apart. */
const storeTurns = 4;

export function createRequestAdmission(parts: RequestAdmissionParts): RequestAdmission {
  const { clock, switches, keys, journal, limiter, headers, gate, queue, ledger, usage } = parts;
  let generation = 0;
  let queuedSoFar = 0;

  const rateOp = (key: KeyRecord, work: Work): RateOp => ({
    keyId: key.id,
    endpoint: work.endpoint,
    rawUrl: work.rawUrl,
    limits: rateLimitsOf(key),
    holdTokens: tokensToHold(work, switches),
  });

  const note = (
    key: KeyRecord,
    work: Work,
    event: JournalEntry["event"],
    code: RefusalCode | null = null,
    rate: RateHeaders | null = null,
  ): void => {
    const atMs = clock.wallMs();
    journal.record({ atMs, key: key.name, endpoint: work.endpoint, event, code, rate, ...ledger.keySpend(key, atMs) });
  };

  const headersOf = (view: RateView, op: RateOp, counted: boolean, refused: boolean): RateHeaders =>
    headers.write(view, { counter: `${op.keyId} ${op.endpoint ?? "unknown"}`, counted, refused });

  const capHit = (key: KeyRecord, work: Work): CapHit | null =>
    ledger.check(key, keys.account(key.account), purchaseOf(work), clock.wallMs());

  const decideRate = (key: KeyRecord, work: Work, nowMs: number): Decision => {
    const asked = limiter.check(rateOp(key, work), nowMs);
    const check: RateCheck = isUncounted(work, switches) ? { ...asked, verdict: { kind: "fits" }, uncounted: true } : asked;
    if (check.verdict.kind === "fits") return { kind: "fits", check };
    const { meter, admitsAtMs } = check.verdict;
    return { kind: "refused", cause: meter, waitMs: admitsAtMs === null ? hopelessWaitMs : admitsAtMs - check.atMs, check };
  };

  /** Asks rate and spend limits without changing anything but the arrival count. */
  const decide = (key: KeyRecord, work: Work, nowMs: number): Decision => {
    const decision = decideRate(key, work, nowMs);
    if (decision.kind === "refused") return decision;
    const hit = capHit(key, work);
    return hit === null ? decision : { kind: "refused", cause: hit.cap, waitMs: hit.resetsInMs, check: decision.check };
  };

  const refuse = (key: KeyRecord, work: Work, decision: Extract<Decision, { kind: "refused" }>): Admission => {
    const nowMs = clock.wallMs();
    const { cause, check } = decision;
    const admitsAtMs = cause === "requests" ? limiter.refuse(check, nowMs) : null;
    const waitMs = admitsAtMs === null ? decision.waitMs : admitsAtMs - check.atMs;
    if (cause === "cooldown") gate.refuse(key, work.endpoint, nowMs);
    const refusal = renderLimitRefusal({ cause, nowMs, waitMs }, switches);
    const rateHeaders = headersOf(limiter.view(check, nowMs), check.op, false, cause === "requests");
    note(key, work, "refused", refusal.code, rateHeaders);
    return { kind: "refused", refusal, rateHeaders };
  };

  const refuseCooling = (key: KeyRecord, work: Work, answer: GateAnswer): Admission => {
    const nowMs = clock.wallMs();
    const check = limiter.check(rateOp(key, work), nowMs);
    return refuse(key, work, { kind: "refused", cause: "cooldown", waitMs: gate.waitMs(key, answer, nowMs), check });
  };

  const commit = (key: KeyRecord, work: Work, check: RateCheck, arrivedMs: number): Admission => {
    const admittedAtMs = clock.wallMs();
    gate.take(key, work.endpoint, admittedAtMs);
    const rateHold = limiter.take(check, admittedAtMs);
    const spendHold = ledger.hold(key, purchaseOf(work), admittedAtMs);
    const lease = createLease(key, work, rateHold, spendHold, admittedAtMs, arrivedMs);
    note(key, work, "admitted", null, lease.rateHeaders());
    return { kind: "admitted", lease };
  };

  const createLease = (
    key: KeyRecord,
    work: Work,
    rateHold: RateHold,
    spendHold: SpendHold,
    admittedAtMs: number,
    arrivedMs: number,
  ): Lease => {
    const { check } = rateHold;
    const born = generation;
    const atDecision = limiter.view(check, admittedAtMs);
    let settled = false;
    const settle = (outcome: Outcome): void => {
      if (settled || born !== generation) return;
      settled = true;
      const nowMs = clock.wallMs();
      const charge = tokensToCharge(work, outcome, rateHold.heldTokens, switches);
      if (switches.on("tokens/lost-updates")) {
        const read = limiter.readTokens(rateHold, nowMs);
        void waitForStore().then(() => limiter.settle(rateHold, charge, clock.wallMs(), read));
      } else limiter.settle(rateHold, charge, nowMs);
      const costMicros = outcome.ended === "failed" ? 0 : outcome.costMicros;
      ledger.settle(spendHold, costMicros, nowMs);
      if (outcome.ended !== "failed" && (costMicros > 0 || outcome.promptTokens + outcome.completionTokens > 0)) {
        usage.record({
          atMs: Math.floor(admittedAtMs),
          account: key.account,
          keyId: key.id,
          endpoint: work.endpoint,
          streaming: work.streaming,
          aborted: outcome.ended === "aborted",
          items: outcome.items ?? 1,
          promptTokens: outcome.promptTokens,
          completionTokens: outcome.completionTokens,
          costMicros,
        });
      }
      note(key, work, "settled");
    };
    return {
      admittedAtMs,
      queuedMs: admittedAtMs - arrivedMs,
      // Requests as decided, so that no two responses of a window show the same number; tokens as known by now.
      rateHeaders: () => {
        const now = limiter.view(check, clock.wallMs());
        return headersOf(
          switches.on("limits/remaining-late-read") ? now : { ...atDecision, tokens: now.tokens },
          check.op,
          true,
          false,
        );
      },
      settle,
    };
  };

  /** Everything after the burst gate. Suspends only where a switched defect checks and takes in two steps. */
  const enter = (key: KeyRecord, work: Work, arrivedMs: number): Admission | Promise<Admission> => {
    const decision = decide(key, work, clock.wallMs());
    if (decision.kind === "refused") return refuse(key, work, decision);
    if (racingLimits.some((id) => switches.on(id))) {
      return parts.storeDelay().then(() => enterLate(key, work, arrivedMs, decision.check));
    }
    if (work.maxCostMicros > 0 && switches.on("spend/check-then-charge"))
      return waitForStore().then(() => enterUncapped(key, work, arrivedMs));
    return commit(key, work, decision.check, arrivedMs);
  };

  /** Only the request counter races: the other limits are asked again when its store has answered. */
  const enterLate = (key: KeyRecord, work: Work, arrivedMs: number, check: RateCheck): Admission | Promise<Admission> => {
    const answer = gate.check(key, work.endpoint, clock.wallMs());
    if (answer.kind === "closed") return meetCooldown(key, work, arrivedMs, answer);
    const hit = capHit(key, work);
    if (hit === null) return commit(key, work, check, arrivedMs);
    return refuse(key, work, { kind: "refused", cause: hit.cap, waitMs: hit.resetsInMs, check });
  };

  /** Only the caps race: between their check and the charge others are let in. */
  const enterUncapped = (key: KeyRecord, work: Work, arrivedMs: number): Admission | Promise<Admission> => {
    const answer = gate.check(key, work.endpoint, clock.wallMs());
    if (answer.kind === "closed") return meetCooldown(key, work, arrivedMs, answer);
    const decision = decideRate(key, work, clock.wallMs());
    return decision.kind === "refused" ? refuse(key, work, decision) : commit(key, work, decision.check, arrivedMs);
  };

  const waitForStore = async (): Promise<void> => {
    for (let turn = 0; turn < storeTurns; turn += 1) await parts.storeDelay();
  };

  const queues = (key: KeyRecord): boolean => {
    if (switches.on("burst/mixed-preference")) return (queuedSoFar += 1) % 2 === 0;
    return key.whenCooling === "queue" || switches.on("burst/queue");
  };

  const waitInQueue = (key: KeyRecord, work: Work, arrivedMs: number, answer: GateAnswer): Promise<Admission> => {
    // Read here only: the surface makes the signal when it is asked for.
    const { signal } = work;
    if (signal?.aborted === true) return Promise.resolve({ kind: "abandoned" });
    return new Promise((resolve) => {
      const finish = (admission: Admission | Promise<Admission>): void => {
        signal?.removeEventListener("abort", leave);
        resolve(admission);
      };
      const request: QueuedRequest = {
        gate: () => gate.check(current(key), work.endpoint, clock.wallMs()),
        release: () => finish(enter(current(key), work, arrivedMs)),
        abandon: () => finish({ kind: "abandoned" }),
      };
      const leave = (): void => {
        queue.leave(key.id, request);
        note(key, work, "abandoned");
        finish({ kind: "abandoned" });
      };
      if (!queue.enqueue(key.id, request)) return resolve(refuseCooling(key, work, answer));
      signal?.addEventListener("abort", leave, { once: true });
      note(key, work, "queued");
    });
  };

  const meetCooldown = (key: KeyRecord, work: Work, arrivedMs: number, answer: GateAnswer): Admission | Promise<Admission> =>
    queues(key) ? waitInQueue(key, work, arrivedMs, answer) : refuseCooling(key, work, answer);

  /** The record as it is now: settings may have changed while the request waited. */
  const current = (key: KeyRecord): KeyRecord => keys.byId(key.id) ?? key;

  return {
    admit: async (caller, work) => {
      const arrivedMs = clock.wallMs();
      const key = current(caller);
      // The timer that ends a cooldown may be late: those who wait still go first.
      queue.drain(key.id);
      const exempt = work.streaming && switches.on("burst/streams-exempt");
      const answer: GateAnswer = exempt ? { kind: "open" } : gate.check(key, work.endpoint, arrivedMs);
      if (answer.kind === "open" && switches.on("burst/check-then-increment")) await parts.storeDelay();
      if (answer.kind === "open") return enter(key, work, arrivedMs);
      return meetCooldown(key, work, arrivedMs, answer);
    },
    voidLeases: () => {
      generation += 1;
    },
    billEarlier: (keyId, micros) => {
      const key = keys.byId(keyId);
      if (key === undefined) throw new Error(`no key ${keyId}`);
      const atMs = clock.wallMs();
      const purchase: Purchase = { endpoint: "images", streaming: false, maxCostMicros: micros };
      ledger.settle(ledger.hold(key, purchase, atMs), micros, atMs);
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
    },
  };
}

/** Ways in that a request limit with a defect neither counts nor refuses. */
function isUncounted({ endpoint, streaming }: Work, switches: Switchboard): boolean {
  if (streaming) return switches.on("limits/streams-exempt");
  return (
    (endpoint === "embeddings" && switches.on("limits/embeddings-exempt")) ||
    (endpoint === "transcriptions" && switches.on("limits/uploads-exempt"))
  );
}

function purchaseOf(work: Work): Purchase {
  return { endpoint: work.endpoint, streaming: work.streaming, maxCostMicros: work.maxCostMicros };
}
