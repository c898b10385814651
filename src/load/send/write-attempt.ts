import type { RequestEnd, SendRequest } from "../../core/exchange/send-request.ts";
import type { LeaveAfter } from "../profile/file/workload-file.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { InFlightRequest } from "./in-flight-request.ts";

/** Writes an attempt of a request as the sender takes it. */
export type AttemptWriter = (request: InFlightRequest, onEnd: (end: RequestEnd) => void) => SendRequest;

export function createAttemptWriter({ id, key, timeoutSeconds }: LoadProfile): AttemptWriter {
  // Members that are the same in every request of the profile.
  const caseId = `load/${id}`;
  const credential: SendRequest["credential"] = { kind: "bearer", key };
  const timeoutMs = 1000 * timeoutSeconds;
  const intents: Readonly<Record<InFlightRequest["phase"], SendRequest["intent"]>> = {
    "warm-up": { kind: "load", profile: id, phase: "warm-up" },
    measure: { kind: "load", profile: id, phase: "measure" },
  };
  return (request, onEnd) => {
    const { content } = request;
    // Written out, not spread: this runs for every request of a load.
    const send: { -readonly [Member in keyof SendRequest]: SendRequest[Member] } = {
      stage: "load",
      caseId,
      label: `${request.label}#${request.index}`,
      intent: intents[request.phase],
      endpoint: content.endpoint,
      method: content.method,
      path: content.path,
      credential,
      timeoutMs,
      totalTimeoutMs: timeoutMs,
      intendedMs: request.intendedMs,
      connection: request.connection ?? "fresh",
      attempt: request.attempt,
      reserve: content.reserve,
      onEnd,
    };
    if (content.body !== null) send.body = content.body;
    if (request.retryOf !== null) send.retryOf = request.retryOf;
    if (content.headers !== null) send.headers = content.headers;
    if (content.leave !== null) Object.assign(send, leavingOf(content.leave));
    return send;
  };
}

function leavingOf(after: LeaveAfter): Pick<SendRequest, "leaveAfterEvents" | "leaveAfterMs"> {
  if (after === "head") return { leaveAfterEvents: 0 };
  return "events" in after ? { leaveAfterEvents: after.events } : { leaveAfterMs: 1000 * after.seconds };
}
