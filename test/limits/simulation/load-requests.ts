import type { SendRequest } from "../../../src/core/exchange/send-request.ts";

/** Requests as a load profile sends them. */
export function loadRequests(count: number): readonly SendRequest[] {
  return Array.from({ length: count }, (_, index) => ({
    stage: "load" as const,
    caseId: "load/soak",
    label: String(index),
    intent: { kind: "load" as const, profile: "soak", phase: "measure" as const },
    endpoint: "models" as const,
    method: "GET",
    path: "/v1/models",
    credential: { kind: "bearer" as const, key: "load" },
  }));
}
