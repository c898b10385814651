import { describe, expect, it } from "vitest";
import { completeManifest } from "../../../src/config/complete-manifest.ts";
import { planConformance } from "../../../src/conformance/plan/plan-conformance.ts";
import type { SuiteId } from "../../../src/core/result/requirement.ts";
import { allCases } from "../../../suites/all-cases.ts";

const manifest = completeManifest({
  target: { name: "t", baseUrl: "http://127.0.0.1:1" },
  keys: { primary: { secret: "sk" }, secondary: { secret: "sk2" } },
  models: { chat: "c", embedding: "e", transcription: "t" },
  permissions: { fetchImages: true },
  exclusive: true,
});

describe("an operation that the manifest declares absent", () => {
  it.each<[string, SuiteId]>([
    ["usage", "usage"],
    ["images", "images"],
    ["embeddings", "embeddings"],
    ["transcriptions", "audio"],
    ["models", "models"],
  ])("takes the whole suite about it out of the scope: %s", (feature, suite) => {
    const selection = { suites: [suite], cases: [] };
    expect(planConformance(allCases, manifest, selection).cases.length).toBeGreaterThan(0);
    const plan = planConformance(allCases, { ...manifest, features: { [feature]: false } }, selection);
    expect(plan.cases.map(({ id }) => id)).toEqual([]);
    const reasons = new Set([...plan.untested.values()].map(({ reason }) => reason));
    // Rows of this suite that others ask for were not selected.
    expect([...reasons].filter((reason) => reason !== "not-selected")).toEqual(["not-declared"]);
  });

  it("leaves cases that send to several operations", () => {
    const plan = planConformance(allCases, { ...manifest, features: { images: false } }, { suites: ["core"], cases: [] });
    expect(plan.cases.map(({ id }) => id)).toContain("core/no-credentials");
  });
});
