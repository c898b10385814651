import { afterAll, beforeAll, describe, it } from "vitest";
import type { RunRequest } from "../../run/request/run-request.ts";
import type { Audit } from "./audit.ts";
import { audits } from "./audits.ts";

export interface DescribeTargetRequest extends RunRequest {
  /** Milliseconds after which the run is ended and judged as far as it got; default one hour. */
  readonly timeoutMs?: number;
}

/** A run that is ended still drains what is in flight and writes its reports. */
const graceMs = 120_000;

/**
 * Defines the tests of a target in a vitest file: a suite a group, a test a requirement, limit policy and gate, and one named
 * `complete`. The run happens in `beforeAll`: collecting, listing and filtering all tests away send nothing.
 */
export function describeTarget({ timeoutMs = 3_600_000, ...request }: DescribeTargetRequest = {}): void {
  const ended = new AbortController();
  const signal = request.signal === undefined ? ended.signal : AbortSignal.any([request.signal, ended.signal]);
  const list = audits({ ...request, signal });
  const complete = list.find(({ id }) => id === "complete");
  describe(`assay ${request.baseUrl ?? request.manifest?.target.name ?? ""}`.trim(), () => {
    beforeAll(async () => {
      const timer = setTimeout(() => ended.abort(new Error(`the run took longer than ${timeoutMs} ms`)), timeoutMs);
      try {
        // Its own test shows what is wrong with it; here it only has the run come to its end.
        await complete?.run().catch(() => {});
      } finally {
        clearTimeout(timer);
      }
    }, timeoutMs + graceMs);
    afterAll(() => ended.abort());
    for (const suite of new Set(list.map((audit) => audit.suite))) {
      describe(suite, () => {
        for (const audit of list.filter((each) => each.suite === suite)) {
          it(nameOf(audit), async ({ skip }) => {
            const settled = await audit.run();
            if (settled.outcome === "skipped") skip(settled.reason);
          });
        }
      });
    }
  });
}

function nameOf({ id, suite, title }: Audit): string {
  const name = id.slice(suite.length + 1);
  return id === title || name === title ? title : `${name} ${title}`;
}
