import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { boundTime } from "../../src/run/bound-time.ts";
import { run } from "../../src/index.ts";
import type { RunOptions } from "../../src/run/run-options.ts";
import { shortProfile } from "../make/load/run-against.ts";
import { testManifest } from "../make/test-manifest.ts";
import { serveAnswers } from "../make/wire/test-server.ts";

afterEach(() => void vi.useRealTimers());

it("load ends when it takes longer than its profiles may, and not before", () => {
  vi.useFakeTimers();
  const manifest = testManifest("http://127.0.0.1:1");
  const asked = {
    stages: ["load"],
    profiles: [{ profile: shortProfile({ durationSeconds: 3 }), trace: null }],
    signal: new AbortController().signal,
    manifest,
  } as unknown as RunOptions;
  const time = boundTime(asked, manifest);
  const stated = Number(/(\d+) s of load/.exec(time.words)?.[1]);
  time.beginLoad();
  vi.advanceTimersByTime(1000 * stated - 1);
  expect([time.options.signal.aborted, time.exceeded()]).toEqual([false, null]);
  vi.advanceTimersByTime(1);
  expect([time.options.signal.aborted, time.exceeded()]).toEqual([
    true,
    `load was ended after ${stated} s, the most that its profiles take`,
  ]);
});

it("load that is cut at the bound of its run is not valid, and says what cut it", async () => {
  const quick = await serveAnswers((socket) =>
    socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"),
  );
  const profile = shortProfile({ durationSeconds: 600, arrivals: { kind: "constant", ratePerSecond: 2 } });
  const { result } = await run({
    manifest: testManifest(quick.url, { budget: { maxMinutes: 0.05 } }),
    stages: ["load"],
    profiles: [{ profile, trace: null }],
    outDir: mkdtempSync(join(tmpdir(), "assay-time-")),
  });
  expect(result.reason).toContain("the time of the run was used up after 0.05 minutes (budget.maxMinutes)");
  expect(result.exitCode).not.toBe(0);
});

it("a run ends when its time is used up, says so, and is not valid", async () => {
  const busy = await serveAnswers((socket) => {
    setTimeout(() => socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"), 400);
  });
  const notes: string[] = [];
  const manifest = testManifest(busy.url, { timeoutMs: 2000, budget: { maxMinutes: 0.05 } });
  const startedAtMs = performance.now();
  const { result } = await run({
    manifest,
    stages: ["conformance"],
    outDir: mkdtempSync(join(tmpdir(), "assay-time-")),
    onProgress: (event) => {
      if (event.kind === "note") notes.push(event.text);
    },
  });
  // All of its cases would take minutes.
  expect(performance.now() - startedAtMs).toBeLessThan(120_000);
  expect(notes).toContainEqual(
    expect.stringMatching(/^worst case of this run: \d+ requests, 0\.05 minutes \(budget\.maxMinutes\), 8 s for one answer$/),
  );
  expect(result.reason).toContain("the time of the run was used up after 0.05 minutes (budget.maxMinutes)");
  expect(result.exitCode).not.toBe(0);
});
