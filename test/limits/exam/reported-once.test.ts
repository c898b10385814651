import { expect, it } from "vitest";
import { findLimitCheck } from "../../../src/core/result/checks/limit-checks.ts";
import { examine, simulatedManifest } from "../simulation/exam.ts";
import { faultyLimiters } from "../simulation/faulty-limiters.ts";
import { serveRequests } from "../simulation/request-service.ts";

it("what a check says of a requirement names each finding that reports it", async () => {
  const counts = new Set<number>();
  for (const id of ["limit-plus-one", "first-free", "double-burst"]) {
    const limiter = faultyLimiters.find((limiter) => limiter.id === id)!;
    const { occurrences, findings } = await examine({
      seed: 3,
      service: serveRequests(limiter.create(60, 60_000)),
      manifest: simulatedManifest(60),
    });
    for (const finding of findings) {
      for (const row of [finding.requirement, ...finding.also]) {
        for (const occurrence of occurrences.filter(({ requirement }) => requirement === row))
          expect(occurrence.findings).toContain(finding.id);
      }
    }
    for (const { findings: own } of occurrences) counts.add(own?.length ?? 0);
  }
  // None, one, and several of one row.
  expect([0, 1, 2].filter((count) => !counts.has(count))).toEqual([]);
});

it("a finding has the level that the list of checks gives its check", async () => {
  const levels = new Set<string>();
  for (const id of ["limit-plus-one", "limit-minus-one"]) {
    const limiter = faultyLimiters.find((one) => one.id === id)!;
    const service = serveRequests(limiter.create(60, 60_000));
    const { findings } = await examine({ seed: 3, service, manifest: simulatedManifest(60) });
    for (const { level, check } of findings) {
      expect(level).toBe(findLimitCheck(check)?.level);
      levels.add(level!);
    }
  }
  expect([...levels].sort()).toEqual(["implied", "must", "should"]);
});
