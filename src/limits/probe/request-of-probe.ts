import { endpoints } from "../../core/exchange/endpoint.ts";
import type { LimitPurpose } from "../../core/exchange/limit-phase.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";
import type { ExamRequest } from "./exam-request.ts";

/** A request of an exam as it is sent to a target, or to the model of one. */
export function requestOfProbe(probe: ExamRequest, label: string): SendRequest {
  const { policy, key, endpoint, distortion, body } = probe;
  const { method, path } = endpoints[endpoint];
  return {
    stage: "limits",
    caseId: `limits/${policy}`,
    label,
    intent: { kind: "limit", ...purposeOf(probe) },
    endpoint,
    method,
    path: probe.path ?? path,
    credential: distortion ? { kind: "distorted", key, how: distortion } : { kind: "bearer", key },
    ...(body ? { body } : {}),
  };
}

/** Policy and phase of one kind, which the types of a spread request keep together. */
function purposeOf({ policy, phase }: ExamRequest): LimitPurpose {
  return { policy, phase } as LimitPurpose;
}
