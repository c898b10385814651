import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { run } from "../../../src/index.ts";
import { manifestFor, startTarget } from "../../make/load/load-target.ts";
import { shortProfile } from "../../make/load/run-against.ts";

const outDir = mkdtempSync(join(tmpdir(), "assay-refused-"));
afterAll(() => rmSync(outDir, { recursive: true, force: true }));

it("a profile that is refused asks no prompt before, neither for its template nor for a cache", async () => {
  const target = await startTarget((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  try {
    const manifest = manifestFor(target.baseUrl);
    const profile = shortProfile({ cacheAudit: true, workload: [{ endpoint: "chat", exactPrompts: true }] });
    const { result } = await run({
      stages: ["load"],
      manifest: { ...manifest, budget: { ...manifest.budget, maxRequests: 20 } },
      profiles: [{ profile, trace: null }],
      outDir,
    });
    expect(result.reason).toContain("it plans 40 requests, the budget holds 20");
    expect(target.seen.filter(({ path }) => path.includes("chat"))).toEqual([]);
  } finally {
    await target.close();
  }
});

it("a profile that is refused does not ask for the limit that sizes its bursts", async () => {
  const target = await startTarget((_request, response) => {
    response.writeHead(200, { "content-type": "application/json", "x-ratelimit-limit-requests": "60" }).end("{}");
  });
  try {
    const profile = shortProfile({
      arrivals: { kind: "bursts", bursts: [{ at: 0, size: "limit" }] },
      workload: [{ endpoint: "models" }],
      needs: ["exhaustLimits"],
    });
    const { result } = await run({
      stages: ["load"],
      manifest: manifestFor(target.baseUrl),
      profiles: [{ profile, trace: null }],
      outDir,
    });
    expect(result.reason).toContain("permissions.exhaustLimits is not granted");
    const asked = target.seen.length;
    const other = shortProfile({ workload: [{ endpoint: "models" }], needs: ["exhaustLimits"] });
    await run({
      stages: ["load"],
      manifest: manifestFor(target.baseUrl),
      profiles: [{ profile: other, trace: null }],
      outDir,
    });
    // Both look at the target once, and no more.
    expect(target.seen.length).toBe(2 * asked);
  } finally {
    await target.close();
  }
});
