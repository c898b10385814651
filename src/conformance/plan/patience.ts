import type { Exchange } from "../../core/exchange/exchange.ts";
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
const refusedForMs = 120_000;

interface Vain {
  count: number;
  waitedMs: number;
}

/** How long a service was away for one caller: requests side by side wait at the same time. */
interface Away {
  waitedMs: number;
  untilMs: number;
}

export function createPatience(): Patience {
  const timeouts = new Map<string, number>();
  const refusals = new Map<string, Vain>();
  const absences = new Map<string, Away>();
  const isSilent = (request: PatientRequest): boolean => (timeouts.get(formOf(request)) ?? 0) >= timeoutsAtMost;
  const isRefused = (request: PatientRequest): boolean => {
    const { count, waitedMs } = refusals.get(callerOf(request)) ?? { count: 0, waitedMs: 0 };
    if (count >= refusalsAtMost || (count > 1 && waitedMs >= refusedForMs)) return true;
    return (absences.get(callerOf(request))?.waitedMs ?? 0) >= refusedForMs;
  };
  const isOver = (request: PatientRequest): boolean => isSilent(request) || isRefused(request);
  return {
    isOver,
    reason: (request) =>
      isSilent(request)
        ? `${formOf(request)} did not answer in time ${timeoutsAtMost} times in a row and was not asked again`
        : `${callerOf(request)} was refused again and again after the waits that were asked for, and not asked again`,
    learn: (request, { failure, response, timing }, keptMs) => {
      const form = formOf(request);
      const isTimeout = failure?.kind === "timeout" || failure?.kind === "stream-timeout";
      if (isTimeout) timeouts.set(form, (timeouts.get(form) ?? 0) + 1);
      else if (failure === null && !isOver(request)) timeouts.delete(form);
      const caller = callerOf(request);
      if (response?.status !== 429 && response?.status !== 503) {
        if (failure === null && !isOver(request)) {
          refusals.delete(caller);
          absences.delete(caller);
        }
      } else if (keptMs !== null && response.status === 503) {
        const { waitedMs, untilMs } = absences.get(caller) ?? { waitedMs: 0, untilMs: Number.NEGATIVE_INFINITY };
        const ownMs = Math.max(0, Math.min(keptMs, timing.sentMs - untilMs));
        absences.set(caller, { waitedMs: waitedMs + ownMs, untilMs: Math.max(untilMs, timing.sentMs) });
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
