import { describe, expect, it } from "vitest";
import { accusationsIn, examine, simulatedManifest } from "./simulation/exam.ts";
import { serveRequests } from "./simulation/request-service.ts";
import { createUnlikeWindows, unlikeWindows } from "./simulation/unlike-windows.ts";

const kinds = [
  { kind: "windows of the clock", fromFirst: false },
  { kind: "windows from the first request", fromFirst: true },
] as const;

describe("windows of which one is unlike the others", () => {
  it.each(unlikeWindows.flatMap((one) => kinds.map((kind) => ({ ...one, ...kind }))))("$id, $kind", async (one) => {
    const service = serveRequests(createUnlikeWindows(one, { limit: 60, windowMs: 60_000, fromFirst: one.fromFirst }));
    const judged = await examine({ seed: 3, service, manifest: simulatedManifest(60) });
    if (one.found === null) {
      expect(accusationsIn(judged)).toEqual([]);
      return;
    }
    const failed = judged.findings.filter(({ verdict }) => verdict === "fail").map(({ check }) => check);
    expect(one.found.some((id) => failed.some((check) => check === id))).toBe(true);
  });

  it("finds in real time, within the default exam, an allowance that grows in silence", async () => {
    for (const one of unlikeWindows.filter(({ id }) => /after a silent one holds twice|added to the next/u.test(id))) {
      const service = serveRequests(createUnlikeWindows(one, { limit: 60, windowMs: 60_000, fromFirst: false }));
      const manifest = simulatedManifest(60, { control: null });
      const { result, findings } = await examine({ seed: 3, service, manifest });
      const found = findings.find(({ check, verdict }) => check === "limits.over-admission" && verdict === "fail");
      expect(found?.message).toMatch(/: usage, after a silent window: /u);
      expect(result.spent.minutes).toBeLessThan(3);
    }
  });
});
