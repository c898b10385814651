import { mkdtempSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { Result } from "../../src/core/result/result.ts";
import { run } from "../../src/index.ts";
import { startReferenceService } from "../../src/reference/start-reference-service.ts";
import { shortProfile } from "../make/load/run-against.ts";
import { frontThatFails } from "./scope/front-that-fails.ts";

const outDir = mkdtempSync(join(tmpdir(), "assay-silent-"));
afterEach(() => rmSync(outDir, { recursive: true, force: true }));

/** A closed loop of one, whose gate bears the loss of one request. */
async function loadAgainst(fail: (response: ServerResponse) => void): Promise<Result> {
  const service = await startReferenceService({ latency: "instant" });
  const front = await frontThatFails(service.manifest.target.baseUrl, 12, fail);
  const profile = shortProfile({
    arrivals: { kind: "closed", concurrency: 1, thinkMs: 5 },
    durationSeconds: 3,
    timeoutSeconds: 3,
    gates: ["error_rate < 50%"],
  });
  const target = { ...service.manifest.target, baseUrl: front.url, timeoutMs: 700 };
  const manifest = { ...service.manifest, control: null, target };
  const { result } = await run({ manifest, stages: ["load"], profiles: [{ profile, trace: null }], outDir });
  await front.close();
  await service.close();
  return result;
}

it("a load during which the target stops answering for good is not valid, although few requests were lost", async () => {
  const { reason, verdict, exitCode, load } = await loadAgainst(() => {});
  expect(load?.profiles[0]?.outcomes["timed-out"]).toBe(1);
  expect([verdict, exitCode, reason]).toEqual([
    "invalid",
    3,
    expect.stringContaining("the target stopped answering during load test: http://127.0.0.1:"),
  ]);
});

it("a request that is lost to a target that answers again is what its gates say of it", async () => {
  let lost = 0;
  const { reason, load } = await loadAgainst((response) => {
    lost += 1;
    if (lost > 1) response.writeHead(200, { "content-type": "application/json" }).end('{"object":"list","data":[]}');
  });
  expect(load?.profiles[0]?.outcomes["timed-out"]).toBe(1);
  expect(reason).not.toContain("stopped answering");
});
