import { describe, expect, it } from "vitest";
import { askLimiter } from "../../../src/limits/exam/ask-limiter.ts";
import { stagesOfPolicy } from "../../../src/limits/probe/exam-stages.ts";
import { planLimits } from "../../../src/limits/exam/plan-limits.ts";
import type { ExamDepth } from "../../../src/limits/probe/probe-tools.ts";
import { sampleOf, sampleTitle } from "../../make/runner/sample.ts";
import { serveAccount } from "../simulation/account-service.ts";
import { examine, simulatedManifest } from "../simulation/exam.ts";
import { accountManifest, lawfulAccounts, type AccountKind } from "../simulation/lawful-accounts.ts";
import { lawfulLimiters } from "../simulation/lawful-limiters.ts";
import { serveRequests } from "../simulation/request-service.ts";
import { createSimulation, type SimService } from "../simulation/simulator.ts";

const depths: readonly ExamDepth[] = ["short", "full"];

describe("the plan says what the exams will cost", () => {
  it.each(depths)("%s exam of a request limit, on average over windows and algorithms", async (exam) => {
    const manifest = { ...simulatedManifest(60), control: null };
    const limiters = ["fixed-aligned", "fixed-from-first", "sliding-log", "bucket-full"];
    const spent = [];
    for (const [index, id] of limiters.entries()) {
      const limiter = lawfulLimiters.find((one) => one.id === id)!;
      const judged = await examine({ seed: index + 1, service: serveRequests(limiter.create(60, 60_000)), manifest, exam });
      spent.push(judged.result.spent);
    }
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    const [planned] = (await planLimits(manifest, exam)).exams;
    expect(Math.abs(mean(spent.map(({ requests }) => requests)) / planned!.requests - 1)).toBeLessThan(0.2);
    expect(Math.abs(mean(spent.map(({ minutes }) => minutes)) / planned!.minutes - 1)).toBeLessThan(0.2);
  });

  it("leaves out the policies that nobody asked about, with what the manifest lacks for them", async () => {
    const manifest = { ...simulatedManifest(60), control: null };
    const whole = await planLimits(manifest, "short");
    const { exams, notJudged, requests } = await planLimits(manifest, "short", { stages: new Set(stagesOfPolicy("spend")) });
    expect([exams, requests]).toEqual([[], 0]);
    expect(notJudged.map(({ policy }) => policy)).toEqual(["spend caps"]);
    expect(whole.exams.length).toBeGreaterThan(0);
  });

  it.each([
    ["fixed-window", "fixed-from-first"],
    ["sliding-log", "sliding-log"],
    ["token-bucket", "bucket-full"],
  ] as const)("each request limit by itself where the manifest declares how it counts (%s)", async (algorithm, id) => {
    const simulated = simulatedManifest(60);
    const manifest = { ...simulated, control: null, limits: { ...simulated.limits, algorithm } };
    const limiter = lawfulLimiters.find((one) => one.id === id)!;
    const { result } = await examine({ seed: 3, service: serveRequests(limiter.create(60, 60_000)), manifest });
    const { requests, minutes } = (await planLimits(manifest, "short")).exams[0]!;
    expect(Math.abs(result.spent.requests / requests - 1)).toBeLessThan(0.2);
    expect(Math.abs(result.spent.minutes / minutes - 1)).toBeLessThan(0.2);
  });

  // Empty at the start, ten seconds' worth at once, readings rounded to tens or up: two answers do not show that.
  const hidden = new Set(["bucket-starts-empty", "bucket-batch-10s", "fixed-rounded", "bucket-rounds-up"]);
  const shown = lawfulLimiters.filter(({ id }) => !hidden.has(id));
  it.each(sampleOf(shown, 2).map((one) => [one.id, one] as const))(
    `where two answers show how %s counts, and nothing is declared (${sampleTitle})`,
    async (_, limiter) => {
      const simulated = simulatedManifest(60);
      const manifest = { ...simulated, control: null, limits: { ...simulated.limits, requestsPerMinute: null } };
      const service = (): SimService => serveRequests(limiter.create(60, 60_000));
      const { sender, clock } = createSimulation(3, service());
      const seen = await askLimiter(manifest, { sender, clock, signal: new AbortController().signal });
      const refills = limiter.family === "token-bucket" || limiter.family === "batch-refill";
      expect([seen?.limit, seen?.counts.kind]).toEqual([60, refills ? "bucket" : "windows"]);
      const { requests, minutes } = await planLimits(manifest, "short", { seen });
      const { result } = await examine({ seed: 3, service: service(), manifest });
      expect(Math.abs(requests / result.spent.requests - 1)).toBeLessThan(0.2);
      expect(Math.abs(minutes / result.spent.minutes - 1)).toBeLessThan(0.2);
    },
  );

  it("the range holds what each way to count takes, and a bucket that holds less than the limit", async () => {
    const manifest = { ...simulatedManifest(60), control: null };
    const { requests, range } = await planLimits(manifest, "short");
    const small = lawfulLimiters.find(({ id }) => id === "bucket-half-burst")!;
    const { result } = await examine({ seed: 3, service: serveRequests(small.create(60, 60_000)), manifest });
    expect(range.requests[0]).toBeLessThanOrEqual(requests);
    expect(range.requests[1]).toBeGreaterThanOrEqual(requests);
    expect(result.spent.requests).toBeGreaterThan(0.8 * range.requests[0]);
    expect(result.spent.requests).toBeLessThan(1.2 * range.requests[1]);
  });

  const titles: Readonly<Record<AccountKind, string>> = {
    burst: "Burst and cooldown",
    tokens: "Token limit",
    spend: "Spend caps",
  };
  const kinds: readonly AccountKind[] = ["burst", "spend"];
  it.each(kinds.flatMap((kind) => depths.map((exam) => [kind, exam] as const)))("%s, %s exam", async (kind, exam) => {
    const manifest = accountManifest(kind);
    const account = lawfulAccounts.find((one) => one.kind === kind)!;
    // With a seed in which nobody has spent before: otherwise the exam searches for the spend of the key first.
    const { result } = await examine({ seed: 5, service: serveAccount(account.create(5)), manifest, exam });
    const planned = (await planLimits(manifest, exam)).exams.find(({ title }) => title === titles[kind])!;
    expect(Math.abs(result.spent.requests / planned.requests - 1)).toBeLessThan(0.2);
    expect(Math.abs(result.spent.minutes / planned.minutes - 1)).toBeLessThan(0.1);
  });
});
