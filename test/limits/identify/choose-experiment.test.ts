import { describe, expect, it } from "vitest";
import { chooseExperiment } from "../../../src/limits/identify/experiment.ts";
import { modelOfFamily } from "../../../src/limits/models/model-of-family.ts";
import { examine, simulatedManifest } from "../simulation/exam.ts";
import { lawfulLimiters } from "../simulation/lawful-limiters.ts";
import { serveRequests } from "../simulation/request-service.ts";

const limit = 60;
const windowMs = 60_000;
const survivor = (family: string): { family: string; parameters: Record<string, number> } => ({ family, parameters: {} });
const situation = { ops: [], limit, windowMs, nowMs: 1000 };
const families = ["fixed-window", "fixed-from-first", "sliding-log", "sliding-counter", "token-bucket"];
const pairs = families.flatMap((left, index) => families.slice(index + 1).map((right) => [left, right] as const));

describe("the experiment on which survivors disagree most", () => {
  it.each(pairs)("is not needed for %s alone, nor for %s", (left, right) => {
    for (const family of [left, right]) expect(chooseExperiment([survivor(family)], situation)).toBeNull();
  });

  it("leaves two names of one behaviour together", () => {
    const both = [survivor("token-bucket"), survivor("batch-refill")];
    expect(chooseExperiment(both, situation)).toBeNull();
  });

  it.each([
    ["fixed-from-first", "sliding-log"],
    ["fixed-from-first", "token-bucket"],
    ["sliding-log", "token-bucket"],
    ["fixed-window", "sliding-log"],
    ["fixed-window", "token-bucket"],
  ])("separates %s from %s by readings far apart", (left, right) => {
    const chosen = chooseExperiment([survivor(left), survivor(right)], situation)!;
    expect([chosen.separates, chosen.pairs]).toEqual([1, 1]);
    expect(chosen.spread.high - chosen.spread.low).toBeGreaterThanOrEqual(limit / 10);
  });

  it("separates most pairs when several survive", () => {
    const chosen = chooseExperiment(["fixed-from-first", "sliding-log", "token-bucket"].map(survivor), situation)!;
    expect([chosen.separates, chosen.pairs]).toEqual([3, 3]);
  });
});

describe("models of families", () => {
  const parameters = { limit, windowMs, phaseMs: 10_000, capacity: limit, restarts: false, weigh: "exact", batchMs: 0 } as const;

  it("renew what was used when their definition says so", () => {
    const left = (family: string): readonly number[] => {
      const limiter = modelOfFamily(family)!.init(parameters);
      let state = limiter.start;
      for (let count = 0; count < 20; count += 1) state = limiter.step(state, "take", 40_000);
      return [40_000, 55_000, 75_000, 99_999, 100_000].map((atMs) => limiter.left(limiter.step(state, "ask", atMs)));
    };
    expect(left("fixed-window")).toEqual([40, 40, 60, 60, 60]);
    expect(left("fixed-from-first")).toEqual([40, 40, 40, 40, 60]);
    expect(left("sliding-log")).toEqual([40, 40, 40, 40, 60]);
    expect(left("sliding-counter").map(Math.round)).toEqual([40, 40, 42, 50, 50]);
    expect(left("token-bucket").map(Math.round)).toEqual([40, 55, 60, 60, 60]);
    expect(modelOfFamily("spacing-queue")).toBeNull();
  });
});

describe("the full exam", () => {
  it.each(["fixed-aligned", "fixed-from-first", "sliding-log", "sliding-counter", "bucket-full", "bucket-batch-10s", "gcra"])(
    "leaves one class of algorithms for %s",
    async (id) => {
      const limiter = lawfulLimiters.find((one) => one.id === id)!;
      // Of these seeds the exam without experiments left a second family for every window, log and counter.
      const service = serveRequests(limiter.create(limit, windowMs));
      const judged = await examine({ seed: 201, service, manifest: simulatedManifest(limit), exam: "full" });
      const { survivors, nextProbe } = judged.result.policies[0]!.identification!;
      // A bucket that is filled in small batches is one that is filled continuously: no record separates the two names.
      const classes = new Set(survivors.map(({ family }) => family.replace("batch-refill", "token-bucket")));
      expect(classes.size).toBe(1);
      expect(nextProbe).toBeNull();
      expect(judged.findings.filter(({ verdict }) => verdict === "fail")).toEqual([]);
    },
  );
});
