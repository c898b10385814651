import type { CaseRequest } from "../../src/conformance/plan/case.ts";
import type { Intent } from "../../src/core/exchange/intent.ts";

const intent: Intent = { kind: "limit", policy: "requests", phase: "low-limit" };

/** Of a request with the key whose request limit is small; it is neither paced nor repeated. */
export const lowLimit: Pick<CaseRequest, "credential" | "intent"> = { credential: { kind: "bearer", key: "lowLimit" }, intent };

/** A fixture with a larger limit than this is not driven over it by a check; the limits stage does that. */
export const lowLimitAtMost = 12;
