import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { run } from "../../src/index.ts";
import { testManifest } from "../make/test-manifest.ts";
import { onRequest, serveTcp } from "../wire/test-server.ts";

it("a run ends when its time is used up, says so, and is not valid", async () => {
  const busy = await serveTcp((socket) =>
    onRequest(socket, () => {
      setTimeout(() => socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"), 400);
    }),
  );
  const notes: string[] = [];
  const manifest = testManifest(busy.url, { budget: { maxMinutes: 0.05 } });
  const startedAtMs = performance.now();
  const { result } = await run({
    manifest,
    stages: ["conformance"],
    outDir: mkdtempSync(join(tmpdir(), "assay-time-")),
    onProgress: (event) => {
      if (event.kind === "note") notes.push(event.text);
    },
  });
  await busy.close();
  expect(performance.now() - startedAtMs).toBeLessThan(20_000);
  expect(notes).toContain("worst case of this run: 0.05 minutes (budget.maxMinutes), 8 s for one answer");
  expect(result.reason).toContain("the time of the run was used up after 0.05 minutes (budget.maxMinutes)");
  expect(result.exitCode).not.toBe(0);
}, 60_000);
