import { describe, expect, it } from "vitest";
import { isWhole } from "../make/runner/sample.ts";
import { examine, simulatedManifest } from "./simulation/exam.ts";
import { faultyLimiters } from "./simulation/faulty-limiters.ts";
import { serveRequests } from "./simulation/request-service.ts";

/**
 * The checks that the short exam must report for each defect; `?`: it may lawfully stay below a failure,
 * docs/measurements/limits.md says why.
 */
const expected: Readonly<Record<string, readonly string[]>> = {
  "limit-plus-one": ["limits.over-admission", "limits.lost-updates"],
  "limit-minus-one": ["limits.remaining-not-granted"],
  "get-then-set": ["limits.lost-updates"],
  "check-then-increment": ["limits.over-admission"],
  "bucket-race": ["limits.over-admission"],
  "three-instances": ["limits.lost-updates"],
  "instances-with-a-third": ["limits.lost-updates", "limits.phantom-consumption"],
  "two-bucket-instances": ["limits.over-admission"],
  "lost-increments": ["limits.over-admission", "limits.lost-updates"],
  "double-count": ["limits.phantom-consumption"],
  "first-free": ["limits.over-admission"],
  "fail-open": ["limits.over-admission", "limits.lost-updates"],
  "never-resets": ["limits.retry-after-too-short"],
  "window-50s": ["limits.early-renewal"],
  "window-75s": ["limits.retry-after-too-short"],
  "double-burst": ["limits.over-admission"],
  "stale-remaining": ["limits.lost-updates"],
  "constant-remaining": ["limits.lost-updates"],
  "reset-delta": ["limits.reset-format"],
  "reset-duration": ["limits.reset-format"],
  "reset-milliseconds": ["limits.reset-format"],
  "reset-is-start": ["limits.reset-past"],
  "reset-30s-late": ["limits.early-renewal"],
  "reset-moves": ["limits.early-renewal"],
  "retry-floor": ["limits.retry-after-too-short"],
  "retry-zero": ["limits.retry-after-too-short"],
  "retry-milliseconds": ["limits.retry-after-unit"],
  "retry-negative": ["limits.retry-after-form"],
  "retry-header-body-differ": ["limits.retry-after-disagrees"],
  "retry-missing": ["limits.retry-after-form"],
  "one-counter-for-all-keys": ["limits.keys-share-counter"],
  "one-counter-for-all-endpoints": ["limits.endpoints-share-counter"],
  "bypass-by-query": ["limits.path-bypass"],
  "negative-cache": ["limits.retry-after-too-short"],
  "rejections-extend-log": ["limits.retry-after-too-short"],
};

/** Defects of chance may hide in one of three short histories; how often they do not is asked in `npm run test:all`. */
const seeds = [3, 4, 5];
const enough = isWhole ? 2 : 1;

describe("faulty limiters are found by the short exam", () => {
  it.each(Object.entries(expected))("%s", async (id, checks) => {
    const mutant = faultyLimiters.find((limiter) => limiter.id === id)!;
    let found = 0;
    for (const seed of seeds) {
      if (found === enough) break;
      const judged = await examine({ seed, service: serveRequests(mutant.create(60, 60_000)), manifest: simulatedManifest(60) });
      const failed = judged.findings.filter((finding) => finding.verdict === "fail").map((finding) => finding.check);
      if (failed.some((check) => checks.includes(check))) found += 1;
    }
    expect(found).toBe(enough);
  });

  it("reports an unexplained history when no algorithm explains it, and fails it where one is declared", async () => {
    const mutant = faultyLimiters.find((limiter) => limiter.id === "slow-refill")!;
    const service = (): ReturnType<typeof serveRequests> => serveRequests(mutant.create(60, 60_000));
    const base = simulatedManifest(60);
    const open = await examine({ seed: 3, service: service(), manifest: base, exam: "full" });
    expect(open.findings.filter((finding) => finding.check === "limits.algorithm").map((finding) => finding.verdict)).toEqual([
      "advisory",
    ]);
    const declared = { ...base, limits: { ...base.limits, algorithm: "fixed-window" as const } };
    const closed = await examine({ seed: 3, service: service(), manifest: declared, exam: "full" });
    expect(closed.findings.filter((finding) => finding.check === "limits.algorithm").map((finding) => finding.verdict)).toEqual([
      "fail",
    ]);
    const family = open.result.policies[0]?.identification;
    expect(family?.survivors).toEqual([]);
    expect(family?.refuted.length).toBeGreaterThanOrEqual(6);
    expect(family?.refuted.every((one) => one.certificate !== null)).toBe(true);
  });
});
