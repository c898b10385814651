import { fork } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../../src/core/clock.ts";
import type { RecordedEvent } from "../../../src/core/exchange/exchange.ts";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";
import { createWire } from "../../../src/wire/client/wire.ts";
import { testManifest } from "../../make/test-manifest.ts";
import { modelsRequest } from "../../make/wire/wire-to.ts";

const stream: SendRequest = { ...modelsRequest, stage: "load", path: "/spread", credential: { kind: "none" } };

interface Stamped {
  readonly event: RecordedEvent;
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** Instants between which the server wrote each event but the last, on the run clock. */
function readStamps(events: readonly RecordedEvent[], zeroNs: number): readonly Stamped[] {
  const toMs = (text = ""): number => (Number(text) - zeroNs) / 1e6;
  return events.slice(0, -1).map((event, index) => {
    const [before] = event.data.split(" ");
    const after = events[index + 1]?.data.split(" ")[1];
    return { event, beforeMs: toMs(before), afterMs: toMs(after) };
  });
}

/** Nanoseconds of the machine's monotonic clock at the zero of the run clock: the least disturbed of some readings. */
function findZeroNs(clock: Clock): number {
  let [zeroNs, narrowestMs] = [0, Number.POSITIVE_INFINITY];
  for (let turn = 0; turn < 50; turn += 1) {
    const beforeMs = clock.nowMs();
    const nowNs = Number(process.hrtime.bigint());
    const widthMs = clock.nowMs() - beforeMs;
    if (widthMs < narrowestMs) [zeroNs, narrowestMs] = [nowNs - (beforeMs + widthMs / 2) * 1e6, widthMs];
  }
  return zeroNs;
}

describe("the interval of an arrival", () => {
  it("never ends before the event was sent, and hardly ever begins after it arrived", async () => {
    const server = fork(new URL("../stamping-server.mjs", import.meta.url));
    const [port] = (await once(server, "message")) as [number];
    const clock = createRealClock();
    const wire = createWire({ manifest: testManifest(`http://127.0.0.1:${port}`, { timeoutMs: 10_000 }), clock });
    const zeroNs = findZeroNs(clock);
    try {
      for (const path of ["/spread", "/aligned"]) {
        const exchanges = await Promise.all(
          Array.from({ length: 60 }, (_, slot) => wire.send({ ...stream, path, connection: slot })),
        );
        const stamps = exchanges.flatMap(({ response }) => readStamps(response?.stream?.events ?? [], zeroNs));
        expect(stamps).toHaveLength(60 * 40);
        expect(stamps.filter(({ event, beforeMs }) => event.latestMs! < beforeMs - 0.01)).toEqual([]);
        const sound = stamps.filter(({ event, afterMs }) => event.earliestMs <= afterMs + 0.05);
        expect(sound.length / stamps.length).toBeGreaterThan(0.95);
        // The interval says something: while the loop is not starved it is shorter than the time between events.
        expect(Math.min(...stamps.map(({ event }) => event.latestMs! - event.earliestMs))).toBeLessThan(25);
      }
    } finally {
      await wire.close();
      server.disconnect();
      await once(server, "exit");
    }
  });
});
