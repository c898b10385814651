import { describe, expect, it } from "vitest";
import { workKind, workOfExchange } from "../../../src/conformance/send/case-forecast.ts";
import { startReferenceService } from "../../../src/reference/start-reference-service.ts";
import { applyProgress, initialProgress } from "../../../src/report/terminal/progress-state.ts";
import { remainingMs } from "../../../src/report/terminal/remaining-ms.ts";
import { allCases } from "../../../suites/all-cases.ts";
import { createHandClock } from "../../limits/sockets/hand-clock.ts";
import { examineTarget } from "../../make/examine-target.ts";
import { isWhole } from "../../make/runner/sample.ts";
import { workingDayMs } from "../../make/working-day.ts";
import { keep } from "../../make/keep.ts";

describe("the time that the cases still take", () => {
  it.each(isWhole ? ["realistic", "h100-8b"] : ["realistic"])(
    "is right within 20 % of the whole from its middle on, for answers of %s",
    async (latency) => {
      const service = keep(await startReferenceService({ clock: { kind: "manual", startMs: workingDayMs }, seed: 1, latency }));
      const clock = createHandClock(service.engine.clock);
      let state = initialProgress(0);
      const foreseen: { readonly atMs: number; readonly endMs: number }[] = [];
      const { exchanges } = await examineTarget({
        // The manifest of a newcomer: one ordinary key, and time that has to be waited for.
        manifest: { ...service.manifest, keys: { primary: service.manifest.keys["primary"]! }, control: null },
        clock,
        through: (sender) => clock.watch(sender),
        onProgress: (event) => {
          const atMs = clock.nowMs();
          state = applyProgress(state, event, atMs);
          const { stageMs } = remainingMs(state, atMs);
          if (stageMs !== null) foreseen.push({ atMs, endMs: atMs + stageMs });
        },
      });
      const long = exchanges.filter((one) => one.retryOf === null && workOfExchange(one) === workKind("chat", "long"));
      const announced = new Map(allCases.map(({ id, cost }) => [id, cost.long?.chat ?? 0]));
      expect(
        long.filter(({ caseId }) => long.filter((one) => one.caseId === caseId).length > (announced.get(caseId) ?? 0)),
      ).toEqual([]);
      expect(long.length).toBeGreaterThan(5);
      const wholeMs = foreseen.at(-1)!.atMs;
      const late = foreseen.filter(({ atMs }) => atMs > wholeMs / 2);
      expect(late.length).toBeGreaterThan(50);
      expect(Math.max(...late.map(({ endMs }) => Math.abs(endMs - wholeMs) / wholeMs))).toBeLessThan(0.2);
    },
  );
});
