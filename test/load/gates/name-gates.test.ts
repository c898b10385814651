import { describe, expect, it } from "vitest";
import type { GateResult } from "../../../src/core/result/gate-result.ts";
import type { LoadResult } from "../../../src/core/result/load-result.ts";
import { parseFigure } from "../../../src/load/gates/parse-gate.ts";
import { findMissedGates } from "../../../src/run/verdict/find-missed-gates.ts";
import { runAgainst, shortProfile } from "../../make/load/run-against.ts";

const idsOf = (...gates: readonly string[]): readonly string[] => shortProfile({ gates }).gates.map(({ id }) => id);

describe("gates of one figure", () => {
  it("have ids of their own, which hold the bound where it is all that they differ in", () => {
    expect(idsOf("ttft.p95 < 800ms", "ttft.p95 < 900ms")).toEqual(["ttft.p95[<800ms]", "ttft.p95[<900ms]"]);
    expect(idsOf("ttft.p95 < 800ms", "ttft.p95 > 1ms")).toEqual(["ttft.p95[<800ms]", "ttft.p95[>1ms]"]);
    expect(idsOf("ttft.p95 < 800ms", "ttft.p95 < 800ms where prompt < 9")).toEqual(["ttft.p95", "ttft.p95[prompt<9]"]);
    expect(idsOf("ttft.p95 < 1s where prompt < 9", "ttft.p95 < 2s where prompt < 9")).toEqual([
      "ttft.p95[prompt<9, <1s]",
      "ttft.p95[prompt<9, <2s]",
    ]);
    expect(parseFigure("ttft.p95[prompt<9, <1s]")).toEqual(parseFigure("ttft.p95"));
  });

  it("keep the id of the figure where they are alone, whatever the bound, and are one where they are the same", () => {
    expect(idsOf("ttft.p95 < 800ms", "error_rate < 1%")).toEqual(["ttft.p95", "error_rate"]);
    expect(idsOf("ttft.p95 < 800ms", "ttft.p95  <  800ms", "ttft.p95 < 0.8s")).toEqual(["ttft.p95"]);
    expect(idsOf("goodput > 90%", "goodput > 0.9", "goodput > 0.5")).toEqual(["goodput[>90%]", "goodput[>0.5]"]);
  });

  it("are two lines of findings, and of every report", async () => {
    const profile = await runAgainst((_, response) => void response.end("{}"), {
      gates: ["error_rate > 98%", "error_rate > 99%"],
      workload: [{ endpoint: "chat" }],
    });
    const ids = profile.gates.map(({ id }: GateResult) => id);
    expect(ids).toEqual(["error_rate[>98%]", "error_rate[>99%]"]);
    const load: LoadResult = { profiles: [profile], calibration: null };
    const found = findMissedGates(load).map(({ id }) => id);
    expect(new Set(found).size).toBe(2);
  });
});
