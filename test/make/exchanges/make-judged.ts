import type { Judged } from "../../../src/run/verdict/decide-verdict.ts";

/** A run that judged nothing, less what the test changes. */
export function makeJudged(changes: Partial<Judged> = {}): Judged {
  return {
    findings: [],
    strict: false,
    interrupted: null,
    internalError: null,
    invalidBecause: [],
    unsent: null,
    scope: null,
    lost: [],
    conformance: null,
    limits: null,
    load: null,
    ...changes,
  };
}
