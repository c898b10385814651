import type { Finding } from "../../../src/core/result/finding.ts";

/** A failure of a requirement in conformance, less what the test changes. */
export function makeFinding(changes: Partial<Finding> = {}): Finding {
  return {
    id: "F001",
    stage: "conformance",
    requirement: "CHAT-021",
    also: [],
    check: "rejects-as-stated",
    level: "must",
    verdict: "fail",
    message: "m",
    spec: null,
    sent: null,
    expected: "e",
    observed: "o",
    forms: [],
    exchanges: [1],
    more: 0,
    curl: null,
    baselined: false,
    ...changes,
  };
}
