import { expect, it } from "vitest";
import { completeManifest } from "../../src/config/complete-manifest.ts";
import type { EndpointId } from "../../src/core/exchange/endpoint.ts";
import { suiteIds } from "../../src/core/result/requirement.ts";
import { runSuites } from "./run-suites.ts";

const absent: readonly EndpointId[] = ["embeddings", "images", "transcriptions", "usage", "agents", "workspaces", "verify"];

it("sends nothing to an operation that the manifest declares absent, in any suite, and asks for no row on it", async () => {
  const features = Object.fromEntries(absent.map((id) => [id, false]));
  const { exchanges, result } = await runSuites(suiteIds, {}, (manifest) => ({
    ...manifest,
    // As a manifest file is read: what is declared absent has no model.
    models: completeManifest({ target: manifest.target, features, models: manifest.models }).models,
    features: { ...manifest.features, ...features },
  }));
  expect(exchanges.some(({ endpoint }) => endpoint === "chat")).toBe(true);
  const sent = exchanges.filter(({ endpoint }) => endpoint !== null && absent.includes(endpoint));
  expect([...new Set(sent.map(({ caseId, label, endpoint }) => `${caseId} ${label}: ${endpoint}`))]).toEqual([]);
  const about = new Set(["usage", "images", "embeddings", "audio"]);
  const asked = result.requirements.filter(
    ({ suite, verdict }) => verdict === "fail" || (about.has(suite) && verdict === "inconclusive"),
  );
  expect(asked.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
  // Its case runs all the same, for the rows that need no report.
  expect(result.requirements.find(({ id }) => id === "USG-032")?.verdict).toBe("untested");
});
