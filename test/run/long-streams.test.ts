import { mkdtempSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { Result } from "../../src/core/result/result.ts";
import { run } from "../../src/index.ts";
import { chunkEvent, manifestFor, startTarget } from "../make/load/load-target.ts";
import { shortProfile } from "../make/load/run-against.ts";

const outDir = mkdtempSync(join(tmpdir(), "assay-long-"));
afterEach(() => rmSync(outDir, { recursive: true, force: true }));

/** A stream whose words come until its client is gone: lawful, and longer than any time-out. */
function streamOn(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(chunkEvent({ role: "assistant", content: "" }));
  const timer = setInterval(() => response.write(chunkEvent({ content: "word " })), 50);
  response.on("close", () => clearInterval(timer));
}

/** A profile that gives up after a second, in the time that the manifest allows for silence. */
async function giveUp(gates: readonly string[]): Promise<Result> {
  const target = await startTarget(({ path }, response) => {
    if (path.startsWith("/v1/chat/completions")) streamOn(response);
    else response.writeHead(200, { "content-type": "application/json" }).end('{"object":"list","data":[]}');
  });
  const profile = shortProfile({
    arrivals: { kind: "constant", ratePerSecond: 10 },
    durationSeconds: 2,
    timeoutSeconds: 1,
    abort: { errorRate: 1 },
    workload: [{ endpoint: "chat", promptTokens: 16, outputTokens: 40 }],
    gates,
  });
  const { result } = await run({
    manifest: manifestFor(target.baseUrl),
    stages: ["load"],
    profiles: [{ profile, trace: null }],
    outDir,
    env: {},
  });
  await target.close();
  return result;
}

it("lawful streams that are longer than the time-out of a profile are an outcome of its client, and accuse nobody", async () => {
  const { load, findings } = await giveUp(["errors == 0"]);
  const [profile] = load!.profiles;
  expect(profile!.outcomes).toEqual({ "timed-out": 20 });
  expect(findings.filter(({ requirement }) => requirement?.startsWith("STRM"))).toEqual([]);
  expect(profile!.gates.map(({ verdict }) => verdict)).toEqual(["inconclusive"]);
});
