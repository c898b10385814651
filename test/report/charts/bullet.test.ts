import { describe, expect, it } from "vitest";
import type { GateResult } from "../../../src/core/result/gate-result.ts";
import { markupOf } from "../../../src/report/escape/safe-html.ts";
import { drawBullet } from "../../../src/report/html/gates-section.ts";

const gate: GateResult = {
  id: "ttft-p95",
  expression: "ttft.p95 < 0.8s",
  bound: 800,
  unit: "ms",
  observed: 2.2621250000001965,
  low: null,
  high: null,
  margin: 0.997,
  verdict: "pass",
  reason: null,
};

describe("drawBullet", () => {
  it("reads a figure out rounded and with its unit, as the table beside it shows it", () => {
    expect(markupOf(drawBullet(gate))).toContain('aria-label="ttft.p95 &lt; 0.8s: observed 2.26 ms, bound 800 ms"');
  });

  it("reads a share out as a percentage", () => {
    const share = { ...gate, expression: "error_rate < 5%", unit: "fraction", observed: 0.012345678, bound: 0.05 };
    expect(markupOf(drawBullet(share))).toContain("observed 1.23 %, bound 5 %");
  });
});
