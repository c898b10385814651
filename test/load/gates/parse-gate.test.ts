import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseGate } from "../../../src/load/gates/parse-gate.ts";
import { observationIds } from "../../../src/load/profile/observation-ids.ts";

describe("parseGate", () => {
  it("knows every observation once", () => {
    expect(new Set(observationIds).size).toBe(observationIds.length);
    for (const id of observationIds) expect(parseGate(`observations.${id} == 0`).figure).toEqual({ kind: "observation", id });
  });

  it.each([
    ["ttft.p95 < 800ms", { bound: 800, unit: "ms", operator: "<", endpoint: null }],
    [
      "chat.ttft.p99.9 <= 2s",
      { bound: 2000, endpoint: "chat", figure: { kind: "percentile", metric: "ttft", percentile: 99.9 } },
    ],
    ["key-settings.user_latency.mean<1.5min", { bound: 90_000, endpoint: "key-settings" }],
    ["error_rate < 1%", { bound: 0.01, unit: "fraction" }],
    ["goodput > 0.95", { bound: 0.95, figure: { kind: "fraction", name: "goodput" } }],
    ["limits.over_admission == 0", { bound: 0, figure: { kind: "limits", name: "over_admission" } }],
    ["observations.buffered == 0", { figure: { kind: "observation", id: "buffered" } }],
    ["output_tokens_rate >= 1e3/s", { bound: 1000, unit: "/s" }],
  ])("reads %s", (text, wanted) => {
    expect(parseGate(text)).toMatchObject(wanted);
  });

  it.each([
    ["ttft < 800ms", /needs a statistic/],
    ["ttft.p95 < 800", /needs a unit \(us, ms, s, min\)/],
    ["ttft.p95 < 5%", /"%" does not fit/],
    ["error_rate < fast", /no number/],
    ["speed.p95 < 1s", /"speed" is no figure; known are dispatch_delay, ttfb/],
    ["constructor.p95 < 1s", /"constructor" is no figure/],
    ["ttft.p95 < 5valueOf", /"valueOf" does not fit/],
    ["ttft.p95 = 1s", /use "=="/],
    ["ttft.p95", /no figure, comparison and bound/],
    ["chat.limits.violations == 0", /belongs to the whole profile/],
    ["limits.x == 0", /limits knows over_admission and violations/],
    ["errors == 1s", /plain number/],
    ["ttft.p100 < 1s", /needs a statistic/],
    ["error_rate.p95 < 1%", /is no figure/],
    ["observations.fakee == 0", /observations knows buffered, fake, /],
    ["error_rate < 1", /1 may mean 1 % or 100 %: write 1%/],
    ["goodput > 1.5", /1.5 may mean 1.5 % or 150 %/],
    ["error_rate < 101%", /can never be missed: the figure lies between 0 % and 100 %/],
    ["error_rate <= 100%", /can never be missed/],
    ["error_rate < 0", /can never be met/],
    ["goodput > 100%", /can never be met/],
    ["goodput >= 0", /can never be missed/],
    ["goodput == 95%", /proves nothing/],
    ["error_rate != 0", /proves nothing/],
    ["ttft.p50 != 9ms", /proves nothing/],
    ["ttft.max == 9ms", /proves nothing/],
    ["ok_rate == 5/s", /proves nothing/],
    ["ttft.p95 < 0ms", /can never be met/],
    ["ttft.p95 >= 0ms", /can never be missed/],
    ["errors < 0", /can never be met/],
    ["requests >= 0", /can never be missed/],
    ["errors == 1.5", /can never be met: the figure is a whole number/],
    ["errors != 1.5", /can never be missed: the figure is a whole number/],
  ])("explains what is wrong with %s and shows the form", (text, message) => {
    expect(() => parseGate(text)).toThrow(message);
    expect(() => parseGate(text)).toThrow(/write \[endpoint.\]figure operator bound/);
  });

  it("never throws anything but a SyntaxError", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          parseGate(text);
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError);
        }
      }),
    );
  });
});
