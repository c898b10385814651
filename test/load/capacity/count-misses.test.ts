import { describe, expect, it } from "vitest";
import { allowedMisses } from "../../../src/load/gates/allowed-misses.ts";
import { countMisses } from "../../../src/load/gates/count-misses.ts";
import { leadingGates } from "../../../src/load/gates/leading-gates.ts";
import { parseGate } from "../../../src/load/gates/parse-gate.ts";
import { readProfile } from "../../../src/load/plan/read-profile.ts";
import { ProfileError } from "../../../src/load/profile/profile-error.ts";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { measureExchange } from "../../../src/load/samples/measure-exchange.ts";
import { context, delta, streamed } from "../../make/load/exchange-fixture.ts";

function record(change: object): LoadRecord {
  const events = [delta(300, { content: "x" }), delta(900, { content: "x" })];
  const slo = { ttftMs: null, tpotMs: null, userLatencyMs: null };
  return { ...measureExchange(streamed(events), { ...context, slo }).record, ...answered, ...change };
}

const answered = {
  firstTokenMs: 300,
  sentMs: 100,
  intendedMs: 100,
  endMs: 900,
  answeredMs: 900,
  outcome: "ok" as const,
  attempt: 1,
};

describe("the share of requests that a gate allows to miss it", () => {
  it.each([
    ["ttft.p95 < 800ms", 0.05],
    ["user_latency.p50 <= 2s", 0.5],
    ["tokens_per_second.p5 > 20", 0.05],
    ["goodput > 0.9", 0.1],
    ["error_rate < 1%", 0.01],
    ["ttft.mean < 1s", null],
    ["inter_chunk.p99 < 50ms", null],
    ["errors == 0", null],
    ["error_rate == 0", null],
    ["ok_rate > 5/s", null],
  ])("%s: %s", (gate, allowed) => {
    const found = allowedMisses(parseGate(gate));
    if (allowed === null) expect(found).toBeNull();
    else expect(found).toBeCloseTo(allowed, 12);
  });
});

describe("requests that miss a gate", () => {
  const count = (gate: string, ...records: readonly object[]): number =>
    countMisses(
      parseGate(gate),
      records.map((change) => record(change)),
    ).missed;

  it("are those beyond its bound, and those that no answer came of", () => {
    expect(count("ttft.p95 < 250ms", {}, {})).toBe(0);
    expect(count("ttft.p95 < 150ms", {}, {})).toBe(2);
    expect(
      count("ttft.p95 < 250ms", {}, { outcome: "server-error", status: 500 }, { outcome: "rate-limited", status: 429 }),
    ).toBe(2);
    expect(count("ttft.p95 < 250ms", { outcome: "not-sent", notSent: "max-in-flight" })).toBe(1);
    expect(count("error_rate < 1%", {}, { outcome: "server-error", status: 500 }, { outcome: "rate-limited", status: 429 })).toBe(
      1,
    );
  });

  it("are counted once where a request was sent again, and not at all where we cut it off", () => {
    const again = countMisses(parseGate("ttft.p95 < 150ms"), [record({ attempt: 2 })]);
    expect(again.counted).toBe(0);
    expect(countMisses(parseGate("ttft.p95 < 150ms"), [record({ outcome: "interrupted" })]).counted).toBe(0);
  });
});

describe("a profile that searches for capacity", () => {
  const read = (change: object) =>
    readProfile(
      JSON.stringify({
        id: "c",
        title: "C",
        arrivals: { kind: "capacity-search", of: "rate" },
        workload: [{ endpoint: "chat" }],
        ...change,
      }),
      "c",
    );

  it("is led by its gates, and by 95 % of good answers where it has a service level", () => {
    const names = (change: object): readonly string[] | undefined =>
      leadingGates(read(change))?.map(({ expression }) => expression);
    expect(names({ gates: ["ttft.p95 < 1s", "capacity > 3"] })).toEqual(["ttft.p95 < 1s"]);
    expect(names({ slo: { ttftMs: 900 } })).toEqual(["goodput >= 95%"]);
    expect(names({ slo: { ttftMs: 900 }, gates: ["goodput > 0.9"] })).toEqual(["goodput > 0.9"]);
    expect(leadingGates({ ...read({ gates: ["ttft.p95 < 1s"] }), arrivals: { kind: "poisson", ratePerSecond: 1 } })).toBeNull();
  });

  it.each([
    [{}, /needs a gate/],
    [{ gates: ["ttft.mean < 1s"] }, /led by percentiles/],
    [{ gates: ["ttft.p95 < 1s"], arrivals: { kind: "capacity-search", of: "rate", from: 9, to: 3 } }, /from must be below to/],
    [{ gates: ["ttft.p95 < 1s"], arrivals: { kind: "capacity-search", of: "concurrency", from: 1.5, to: 3 } }, /whole numbers/],
    [
      { gates: ["ttft.p95 < 1s"], arrivals: { kind: "capacity-search", of: "rate", from: 1, maxSeconds: 60 } },
      /the first trial, 200 requests at 1 a second, takes 200 s; all trials may take 60 s/,
    ],
    [
      { gates: ["ttft.p95 < 1s"], arrivals: { kind: "capacity-search", of: "concurrency", maxRequests: 100 } },
      /the first trial has 200 requests; all trials may have 100/,
    ],
    [{ gates: ["capacity > 3"], arrivals: { kind: "poisson", ratePerSecond: 1 } }, /only a search/],
  ])("is refused with %j", (change, message) => {
    const problems = (): string => {
      try {
        read(change);
        return "";
      } catch (error) {
        return error instanceof ProfileError ? error.message : String(error);
      }
    };
    expect(problems()).toMatch(message);
  });
});
