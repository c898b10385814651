import type { Admission, Work, Ticket, Consumption } from "../admission.ts";
import type { GateAnswer } from "../burst/burst-gate.ts";
import type { KeyRecord } from "../keys/key-record.ts";
import { type RateCheck, counterName, type RateHold } from "../limiter/rate-op.ts";
import type { AdmissionParts } from "./admission-parts.ts";
import { purchaseOf, type Arrival, rateOpOf } from "./arrival.ts";
import { askCaps, askLimits, askRate, type Answer, type Refused } from "./ask-limits.ts";
import { noteArrival } from "./note-arrival.ts";
import type { QueuedRequest } from "../burst/cooldown-queue.ts";
import { rateHeaders } from "../limiter/header-rules.ts";
import type { SpendHold } from "../spend/spend-balance.ts";
import type { LimitCause, LimitRefusal, RefusalCode } from "../refusal.ts";
import type { RefusalFacts, RefusalFields, RefusalRules } from "../refusal-rules.ts";

function refuseArrival(parts: AdmissionParts, arrival: Arrival, { cause, waitMs, check }: Refused): Admission {
  const { clock, limiter, gate, seams } = parts;
  const nowMs = clock.wallMs();
  const admitsAtMs = cause === "requests" ? limiter.refuse(check, nowMs) : null;
  if (cause === "cooldown") gate.refuse(arrival.key, arrival.work.endpoint, nowMs);
  const facts = { cause, nowMs, waitMs: admitsAtMs === null ? waitMs : admitsAtMs - check.atMs };
  const refusal = renderLimitRefusal(facts, seams.refusal);
  const subject = { counter: counterName(check.op), counted: false, refused: cause === "requests" };
  const rate = rateHeaders(limiter.view(check, nowMs), subject, seams.headers);
  noteArrival(parts, arrival, "refused", rate, refusal.code);
  return { kind: "refused", refusal, rateHeaders: rate };
}

/** The rate limits are asked too: their headers belong to every answer. */
function refuseCooling(parts: AdmissionParts, arrival: Arrival, answer: GateAnswer): Admission {
  const { clock, limiter, gate, seams } = parts;
  const nowMs = clock.wallMs();
  const check = limiter.check(rateOpOf(arrival, seams.tokens), nowMs);
  const waitMs = gate.waitMs(arrival.key, answer, nowMs);
  return refuseArrival(parts, arrival, { kind: "refused", cause: "cooldown", waitMs, check });
}

const codes: Readonly<Record<LimitCause, RefusalCode>> = {
  cooldown: "burst_limit_exceeded",
  requests: "rate_limit_exceeded",
  tokens: "token_limit_exceeded",
  "key-cap": "quota_exceeded",
  "account-cap": "quota_exceeded",
};

const messages: Readonly<Record<LimitCause, string>> = {
  cooldown: "The burst allowance of this key is used up and its cooldown is running.",
  requests: "The request limit of this key on this endpoint is used up.",
  tokens: "The token limit of this key on this endpoint is used up.",
  "key-cap": "The monthly spend cap of this key is reached.",
  "account-cap": "The monthly spend cap of the account is reached.",
};

/**
 * Writes a 429. Rate and burst limits use the `error.code` shape with `retry-after` in header and body, caps the quota
 * shape with `retry_after_ms` (spec, Errors and Spend caps, 3; reading AMB-09).
 */
export function renderLimitRefusal(facts: RefusalFacts, rules: RefusalRules): LimitRefusal {
  const { cause } = facts;
  const fields =
    rules.shape(cause) === "quota"
      ? rules.quota(quotaFields(facts), facts)
      : rules.rate(rateFields(cause, rules.retryAfterSeconds(facts)), facts);
  return { status: rules.status(cause), code: codes[cause], message: messages[cause], cause, ...fields };
}

function quotaFields({ cause, waitMs }: RefusalFacts): RefusalFields {
  return {
    headers: {},
    body: {
      error: "quota_exceeded",
      retry_after_ms: Math.ceil(waitMs),
      cap_type: cause === "account-cap" ? "account_spend" : "monthly_spend",
    },
  };
}

function rateFields(cause: LimitCause, seconds: number): RefusalFields {
  return {
    headers: { "retry-after": String(seconds) },
    body: { error: { code: codes[cause], message: messages[cause] }, "retry-after": seconds },
  };
}

/** Asks every limit about one request, all in one turn of the event loop. */
export interface RequestAdmission {
  admit(key: KeyRecord, work: Work): Promise<Admission>;
  /** Leases given out so far settle into nothing. */
  voidLeases(): void;
}

type Admitting = Admission | Promise<Admission>;

export function createRequestAdmission(parts: AdmissionParts): RequestAdmission {
  const { clock, keys, limiter, gate, queue, ledger } = parts;
  const rules = parts.seams.admission;
  let generation = 0;

  /** With the settings as they are now: they may have changed while the request waited. */
  const present = (arrival: Arrival): Arrival => ({ ...arrival, key: keys.byId(arrival.key.id) ?? arrival.key });

  const askGate = ({ key, work }: Arrival): GateAnswer => gate.check(key, work.endpoint, clock.wallMs());

  const meetCooldown = (arrival: Arrival, answer: GateAnswer): Admitting => {
    const refuse = (): Admission => refuseCooling(parts, arrival, answer);
    if (!rules.queues(arrival.key)) return refuse();
    const ask = (): GateAnswer => askGate(present(arrival));
    return waitForCooldown(parts, arrival, { ask, enter: () => enter(present(arrival)), refuse });
  };

  /** Everything after the burst gate. */
  const enter = (arrival: Arrival): Admitting => {
    const answer = askLimits(parts, arrival);
    const pause = answer.kind === "fits" ? rules.betweenCheckAndTake(arrival.work) : null;
    if (pause === null) return act(arrival, answer);
    return pause.over.then(() => {
      const gateAnswer = askGate(arrival);
      if (gateAnswer.kind === "closed") return meetCooldown(arrival, gateAnswer);
      return act(arrival, pause.stale === "rate" ? askCaps(parts, arrival, answer.check) : askRate(parts, arrival));
    });
  };

  const act = (arrival: Arrival, answer: Answer): Admission =>
    answer.kind === "refused" ? refuseArrival(parts, arrival, answer) : take(arrival, answer.check);

  /** Takes from every limit. */
  const take = (arrival: Arrival, check: RateCheck): Admission => {
    const { key, work } = arrival;
    const admittedAtMs = clock.wallMs();
    gate.take(key, work.endpoint, admittedAtMs);
    const rate = limiter.take(check, admittedAtMs);
    const spend = ledger.hold(key, purchaseOf(arrival), admittedAtMs);
    const born = generation;
    const ticket = createTicket(parts, arrival, { admittedAtMs, rate, spend }, () => born !== generation);
    noteArrival(parts, arrival, "admitted", ticket.rateHeaders());
    return { kind: "admitted", ticket };
  };

  return {
    admit: async (caller, work) => {
      const arrival = present({ key: caller, work, arrivedMs: clock.wallMs() });
      // The timer that ends a cooldown may be late: those who wait still go first.
      queue.drain(arrival.key.id);
      const answer: GateAnswer = rules.skipsGate(work) ? { kind: "open" } : askGate(arrival);
      if (answer.kind === "closed") return meetCooldown(arrival, answer);
      const pause = rules.afterGate();
      if (pause !== null) await pause;
      return enter(arrival);
    },
    voidLeases: () => {
      generation += 1;
    },
  };
}

/** A request that waits. */
interface Waiting {
  /** The present answer of the gate. */
  ask(): GateAnswer;
  /** Goes on when the gate is open. */
  enter(): Admission | Promise<Admission>;
  /** The queue is full. */
  refuse(): Admission;
}

function waitForCooldown(parts: AdmissionParts, arrival: Arrival, waiting: Waiting): Promise<Admission> {
  const { queue } = parts;
  const { key, work } = arrival;
  // Read here only: the surface makes the signal when it is asked for.
  const { signal } = work;
  if (signal?.aborted === true) return Promise.resolve({ kind: "abandoned" });
  return new Promise((resolve) => {
    const finish = (admission: Admission | Promise<Admission>): void => {
      signal?.removeEventListener("abort", leave);
      resolve(admission);
    };
    const request: QueuedRequest = {
      gate: () => waiting.ask(),
      release: () => finish(waiting.enter()),
      abandon: () => finish({ kind: "abandoned" }),
    };
    const leave = (): void => {
      queue.leave(key.id, request);
      noteArrival(parts, arrival, "abandoned");
      finish({ kind: "abandoned" });
    };
    if (!queue.enqueue(key.id, request)) return resolve(waiting.refuse());
    signal?.addEventListener("abort", leave, { once: true });
    noteArrival(parts, arrival, "queued");
  });
}

/** The amounts that were taken for a request that was let in. */
interface Taken {
  readonly admittedAtMs: number;
  readonly rate: RateHold;
  readonly spend: SpendHold;
}

/** `isVoid`: the engine has been set to another state since. */
function createTicket(parts: AdmissionParts, arrival: Arrival, taken: Taken, isVoid: () => boolean): Ticket {
  const { clock, limiter, seams } = parts;
  const { check } = taken.rate;
  const atDecision = limiter.view(check, taken.admittedAtMs);
  let settled = false;
  return {
    admittedAtMs: taken.admittedAtMs,
    queuedMs: taken.admittedAtMs - arrival.arrivedMs,
    // Requests as decided, so that no two responses of a window show the same number; tokens as known by now.
    rateHeaders: () => {
      const now = limiter.view(check, clock.wallMs());
      const view = seams.headers.readsLate() ? now : { ...atDecision, tokens: now.tokens };
      return rateHeaders(view, { counter: counterName(check.op), counted: true, refused: false }, seams.headers);
    },
    settle: (outcome) => {
      if (settled || isVoid()) return;
      settled = true;
      settle(parts, arrival, taken, outcome);
    },
  };
}

/** Replaces what was held by what was used, in every counter. */
function settle(parts: AdmissionParts, arrival: Arrival, taken: Taken, outcome: Consumption): void {
  const { clock, limiter, ledger, usage, seams } = parts;
  const { key, work } = arrival;
  const charge = seams.tokens.toCharge(work, outcome, taken.rate.heldTokens);
  seams.admission.settleTokens(
    () => limiter.settle(taken.rate, charge, clock.wallMs()),
    () => limiter.tokenCounter(taken.rate, clock.wallMs()),
    clock,
  );
  if (!seams.admission.keepsCount(outcome.ended)) limiter.uncount(taken.rate, clock.wallMs());
  const costMicros = outcome.ended === "failed" ? 0 : outcome.costMicros;
  ledger.settle(taken.spend, costMicros, clock.wallMs());
  if (outcome.ended !== "failed" && (costMicros > 0 || outcome.promptTokens + outcome.completionTokens > 0)) {
    usage.record({
      atMs: Math.floor(taken.admittedAtMs),
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
  noteArrival(parts, arrival, "settled");
}
