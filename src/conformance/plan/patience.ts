import { awayAtMostMs, createAbsences } from "../../core/ends/absences.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import { statedAbsenceMs } from "../../core/exchange/stated-absence.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";

/** Bounds how long a stage waits in vain: what never answers, or refuses after each wait that it asked for, is not asked for ever. */
export interface Patience {
  /** Whether requests of this form were left without an answer, or refused after the wait, too often to send another one. */
  isOver(request: PatientRequest): boolean;
  reason(request: PatientRequest): string;
  /** `keptMs`: the wait before this attempt, which the refusal before it had asked for; null where it is no such repetition. */
  learn(request: PatientRequest, exchange: Exchange, keptMs: number | null): void;
}

type PatientRequest = Pick<SendRequest, "endpoint" | "path" | "body" | "credential">;

/** Ends a case: the form that it needs does not answer in time. The answers so far are judged. */
export class OutOfPatience extends Error {
  override readonly name = "OutOfPatience";
}

/** Enough for a finding with its repetitions; each costs the whole time that is allowed for an answer. */
export const timeoutsAtMost = 6;
/** Two requests with their repetitions, or one where it took minutes: a finding, and more would say the same. */
const refusalsAtMost = 4;

interface Vain {
  count: number;
  waitedMs: number;
}

export function createPatience(): Patience {
  const timeouts = new Map<string, number>();
  const refusals = new Map<string, Vain>();
  const absences = createAbsences();
  const isSilent = (request: PatientRequest): boolean => (timeouts.get(formOf(request)) ?? 0) >= timeoutsAtMost;
  const isRefused = (request: PatientRequest): boolean => {
    const { count, waitedMs } = refusals.get(callerOf(request)) ?? { count: 0, waitedMs: 0 };
    if (count >= refusalsAtMost || (count > 1 && waitedMs >= awayAtMostMs)) return true;
    return absences.isOver(callerOf(request));
  };
  const isOver = (request: PatientRequest): boolean => isSilent(request) || isRefused(request);
  return {
    isOver,
    reason: (request) =>
      isSilent(request)
        ? `${formOf(request)} did not answer in time ${timeoutsAtMost} times in a row and was not asked again`
        : `${callerOf(request)} was refused again and again after the waits that were asked for, and not asked again`,
    learn: (request, exchange, keptMs) => {
      const { failure, response, timing } = exchange;
      const form = formOf(request);
      const isTimeout = failure?.kind === "timeout" || failure?.kind === "stream-timeout";
      if (isTimeout) timeouts.set(form, (timeouts.get(form) ?? 0) + 1);
      else if (failure === null && !isOver(request)) timeouts.delete(form);
      const caller = callerOf(request);
      const isAway = response?.status === 503 || statedAbsenceMs(factsOf(exchange)) !== null;
      if (isAway) absences.learn(caller, { sentMs: timing.sentMs, isAway, keptMs });
      else if (response?.status !== 429) {
        if (failure !== null || isOver(request)) return;
        refusals.delete(caller);
        absences.learn(caller, { sentMs: timing.sentMs, isAway, keptMs });
      } else if (keptMs !== null) {
        const { count, waitedMs } = refusals.get(caller) ?? { count: 0, waitedMs: 0 };
        refusals.set(caller, { count: count + 1, waitedMs: waitedMs + keptMs });
      }
    },
  };
}

/** Streams and whole answers of one operation take different ways through a service. */
function formOf({ endpoint, path, body }: PatientRequest): string {
  const value = body?.kind === "json" ? body.value : null;
  const isStream = typeof value === "object" && value !== null && (value as { readonly stream?: unknown }).stream === true;
  return `${endpoint ?? path}${isStream ? " with stream" : ""}`;
}

/** Limits are those of a key and an operation. */
function callerOf({ endpoint, path, credential }: PatientRequest): string {
  return `${endpoint ?? path} with ${credential.kind === "bearer" ? `the key ${credential.key}` : "no key"}`;
}
