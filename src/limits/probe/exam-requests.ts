import type { Random } from "../../core/random.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";
import type { ExamRequest } from "./exam-request.ts";
import { markRequest, marksThatDiffer } from "./mark-request.ts";
import { requestOfProbe } from "./request-of-probe.ts";

interface ExamRequestOptions {
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** Makes the requests of one exam: each has a label and a mark of its own, but for those that are to be alike. */
export function createExamRequests({ random, signal }: ExamRequestOptions): (probe: ExamRequest) => SendRequest {
  let made = 0;
  // A run with another seed begins elsewhere, since a cache may still hold what this one asked for.
  const firstMark = random.fork("marks").integer(0, marksThatDiffer - 1);
  /** Marks that several requests have. */
  const shared = new Map<string, number>();
  const markOf = (name: string | undefined): number => {
    if (name === undefined) return made;
    const known = shared.get(name);
    if (known === undefined) shared.set(name, made);
    return known ?? made;
  };
  return (probe) => {
    made += 1;
    const request: SendRequest = {
      ...requestOfProbe(probe, probe.label ?? `${probe.phase}-${made}`),
      signal,
      ...(probe.leaveAfterBytes === undefined ? {} : { leaveAfterBytes: probe.leaveAfterBytes }),
      ...(probe.leaveUploadAfterBytes ? { leaveUploadAfterBytes: probe.leaveUploadAfterBytes } : {}),
      ...(probe.holdUploadMs ? { holdUploadMs: probe.holdUploadMs } : {}),
      ...(probe.connection ? { connection: probe.connection } : {}),
      ...(probe.headers ? { headers: probe.headers } : {}),
      ...(probe.timeoutMs ? { timeoutMs: probe.timeoutMs, totalTimeoutMs: probe.timeoutMs } : {}),
    };
    return markRequest(request, firstMark + markOf(probe.sameAs));
  };
}
