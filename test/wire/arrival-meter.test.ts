import { fork } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import type { SendRequest } from "../../src/core/send-request.ts";
import { createRealClock } from "../../src/wire/real-clock.ts";
import { createWire } from "../../src/wire/wire.ts";
import { testManifest } from "./test-manifest.ts";

const stream: SendRequest = {
  stage: "load",
  caseId: "load/stamps",
  label: "stream",
  intent: { kind: "load", profile: "stamps", phase: "measure" },
  endpoint: "chat",
  method: "GET",
  path: "/spread",
  credential: { kind: "none" },
};

describe("the interval of an arrival", () => {
  it("never ends before the event was sent, and hardly ever begins after it arrived", async () => {
    const server = fork(new URL("stamping-server.mjs", import.meta.url));
    const [port] = (await once(server, "message")) as [number];
    const clock = createRealClock();
    const wire = createWire({ manifest: testManifest(`http://127.0.0.1:${port}`, { timeoutMs: 10_000 }), clock });
    /** Nanoseconds of the monotonic clock at the zero of the run clock. */
    const zeroNs = Number(process.hrtime.bigint()) - clock.nowMs() * 1e6;
    try {
      for (const path of ["/spread", "/aligned"]) {
        const exchanges = await Promise.all(
          Array.from({ length: 60 }, (_, lane) => wire.send({ ...stream, path, connection: lane })),
        );
        const events = exchanges.flatMap(({ response }) => response?.stream?.events ?? []);
        expect(events).toHaveLength(60 * 40);
        const sentMs = events.map(({ data }) => (Number(data) - zeroNs) / 1e6);
        expect(events.filter(({ latestMs }, index) => latestMs! < sentMs[index]!)).toEqual([]);
        // A sender that loses its processor between stamping and writing looks like a begin that is too late: a few may.
        const early = events.filter(({ earliestMs }, index) => earliestMs <= sentMs[index]! + 0.1);
        expect(early.length / events.length).toBeGreaterThan(0.95);
        // The interval says something: it is far shorter than the time between events.
        const widths = events.map(({ earliestMs, latestMs }) => latestMs! - earliestMs).toSorted((a, b) => a - b);
        expect(widths[Math.floor(widths.length / 2)]).toBeLessThan(3);
      }
    } finally {
      await wire.close();
      server.disconnect();
      await once(server, "exit");
    }
  });
});
