import { describe, expect, it } from "vitest";
import type { LoadLimitCheck } from "../../../src/core/result/gate-result.ts";
import { withholdPasses } from "../../../src/limits/traffic/withhold-passes.ts";

const check = (verdict: LoadLimitCheck["verdict"]): LoadLimitCheck => ({
  policy: "requests/primary/chat",
  kind: "requests",
  id: "limits.over-admission",
  title: "t",
  verdict,
  considered: 100,
  needed: 1,
  message: "m",
});
const said = (violations: number) => ({
  figures: { over_admission: violations, violations },
  checks: [check("pass"), check("fail"), check("advisory")],
});

describe("what limit checks say of clocks that are known badly", () => {
  it("stands as long as they are known well", () => {
    expect(withholdPasses(said(0), 20)).toEqual(said(0));
  });

  it("passes nothing beyond, and takes no accusation back", () => {
    const { figures, checks } = withholdPasses(said(0), 20.5);
    expect(figures).toEqual({ over_admission: null, violations: null });
    expect(checks.map(({ verdict }) => verdict)).toEqual(["inconclusive", "fail", "advisory"]);
    expect(checks[0]!.message).toBe("clocks of agents are known within 21 ms, which may hide what 20 ms would show");
    expect(withholdPasses(said(3), 250).figures).toEqual({ over_admission: 3, violations: 3 });
  });
});
