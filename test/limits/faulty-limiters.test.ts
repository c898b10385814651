import { describe, expect, it } from "vitest";
import { examine, simulatedManifest } from "./simulation/exam.ts";
import { faultyLimiters } from "./simulation/faulty-limiters.ts";
import { serveRequests } from "./simulation/request-service.ts";

/** What the short exam must tell of each defect; `?`: it may lawfully stay below a failure, docs/limits.md says why. */
const expected: Readonly<Record<string, readonly string[]>> = {
  "limit-plus-one": ["u.over", "r2.lost"],
  "limit-minus-one": ["claim"],
  "get-then-set": ["r2.lost"],
  "check-then-increment": ["u.over"],
  "bucket-race": ["u.over"],
  "three-instances": ["r2.lost"],
  "instances-with-a-third": ["r2.lost", "r2.phantom"],
  "two-bucket-instances": ["u.over"],
  "lost-increments": ["u.over", "r2.lost"],
  "double-count": ["r2.phantom"],
  "first-free": ["u.over"],
  "fail-open": ["u.over", "r2.lost"],
  "never-resets": ["ra.short"],
  "window-50s": ["r2.rise"],
  "window-75s": ["ra.short"],
  "double-burst": ["u.over"],
  "stale-remaining": ["r2.lost"],
  "constant-remaining": ["r2.lost"],
  "reset-delta": ["reset.format"],
  "reset-duration": ["reset.format"],
  "reset-milliseconds": ["reset.format"],
  "reset-is-start": ["reset.past"],
  "reset-30s-late": ["r2.rise"],
  "reset-moves": ["r2.rise"],
  "retry-floor": ["ra.short"],
  "retry-zero": ["ra.short"],
  "retry-milliseconds": ["ra.unit"],
  "retry-negative": ["ra.form"],
  "retry-header-body-differ": ["ra.agree"],
  "retry-missing": ["ra.form"],
  "one-counter-for-all-keys": ["iso.key"],
  "one-counter-for-all-endpoints": ["iso.endpoint"],
  "bypass-by-query": ["iso.bypass"],
  "negative-cache": ["ra.short"],
  "rejections-extend-log": ["ra.short"],
};

const seeds = [3, 4, 5];

describe("faulty limiters are found by the short exam", () => {
  it.each(Object.entries(expected))("%s", async (id, checks) => {
    const mutant = faultyLimiters.find((limiter) => limiter.id === id)!;
    let found = 0;
    for (const seed of seeds) {
      const judged = await examine({ seed, service: serveRequests(mutant.create(60, 60_000)), manifest: simulatedManifest(60) });
      const failed = judged.findings.filter((finding) => finding.verdict === "fail").map((finding) => finding.check);
      if (failed.some((check) => checks.includes(check))) found += 1;
    }
    // Defects of chance may hide in one of three short histories.
    expect(found).toBeGreaterThanOrEqual(2);
  });

  it("tells an unexplained history when no algorithm explains it, and fails it where one is declared", async () => {
    const mutant = faultyLimiters.find((limiter) => limiter.id === "fail-closed")!;
    const service = (): ReturnType<typeof serveRequests> => serveRequests(mutant.create(60, 60_000));
    const base = simulatedManifest(60);
    const open = await examine({ seed: 7, service: service(), manifest: base });
    expect(open.findings.filter((finding) => finding.check === "family").map((finding) => finding.verdict)).toEqual(["advisory"]);
    const declared = { ...base, limits: { ...base.limits, algorithm: "fixed-window" } };
    const closed = await examine({ seed: 7, service: service(), manifest: declared });
    expect(closed.findings.filter((finding) => finding.check === "family").map((finding) => finding.verdict)).toEqual(["fail"]);
    const family = open.result.policies[0]?.identification;
    expect(family?.survivors).toEqual([]);
    expect(family?.refuted.length).toBeGreaterThanOrEqual(6);
    expect(family?.refuted.every((one) => one.certificate !== null)).toBe(true);
  });
});
