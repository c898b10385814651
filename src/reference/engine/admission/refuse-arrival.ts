import type { Admission } from "../admission.ts";
import type { GateAnswer } from "../burst/burst-gate.ts";
import { renderLimitRefusal } from "../limit-refusal.ts";
import { rateHeaders } from "../limiter/header-rules.ts";
import { counterName } from "../limiter/rate-op.ts";
import type { AdmissionParts } from "./admission-parts.ts";
import { rateOpOf, type Arrival } from "./arrival.ts";
import type { Refused } from "./ask-limits.ts";
import { noteArrival } from "./note-arrival.ts";

export function refuseArrival(parts: AdmissionParts, arrival: Arrival, { cause, waitMs, check }: Refused): Admission {
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
export function refuseCooling(parts: AdmissionParts, arrival: Arrival, answer: GateAnswer): Admission {
  const { clock, limiter, gate, seams } = parts;
  const nowMs = clock.wallMs();
  const check = limiter.check(rateOpOf(arrival, seams.tokens), nowMs);
  const waitMs = gate.waitMs(arrival.key, answer, nowMs);
  return refuseArrival(parts, arrival, { kind: "refused", cause: "cooldown", waitMs, check });
}
