import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { factsOf } from "../../../../src/core/exchange/exchange-facts.ts";
import { parseHttpDate, parseRfc3339 } from "../../../../src/core/exchange/headers/http-date.ts";
import { longestWaitMs, readRetryHints } from "../../../../src/core/exchange/headers/retry-hints.ts";
import { makeExchange, wallMs } from "../../../make/exchanges/make-exchange.ts";
import { runsOf } from "../../../make/runner/sample.ts";

const instants = { dateMs: null, receivedMs: 1_790_000_000_000 };

describe("retry hints", () => {
  it("reads header, body seconds, body milliseconds and the header in milliseconds apart", () => {
    const hints = readRetryHints(
      [
        ["Retry-After", "3"],
        ["retry-after-ms", "2500"],
      ],
      { "retry-after": 4, retry_after_ms: 4500 },
      instants,
    );
    expect(hints.header).toEqual({ raw: "3", format: "delay-seconds", waitMs: 3000 });
    expect([hints.bodySeconds?.waitMs, hints.bodyMs?.waitMs, hints.headerMs?.waitMs]).toEqual([4000, 4500, 2500]);
    expect(hints.problems).toEqual([]);
    expect(longestWaitMs(hints)).toBe(4500);
  });

  it("counts a date from the Date field of the response, whatever the local clock says", () => {
    const retryAt = new Date(wallMs + 30_000).toUTCString();
    const answer = makeExchange({ status: 429, headers: [["retry-after", retryAt]] });
    const hints = factsOf({ ...answer, timing: { ...answer.timing, wallMs: wallMs + 3_600_000 } }).retryHints;
    expect(hints.header).toMatchObject({ format: "http-date", waitMs: 30_000 });
  });

  it("says nothing where nothing is said", () => {
    for (const value of [undefined, null, [], "x", {}]) {
      const hints = readRetryHints([], value, instants);
      expect(longestWaitMs(hints)).toBeNull();
      expect(hints.problems).toEqual([]);
    }
  });

  it.each([
    ["-5", "negative", null],
    ["1.5", "fraction", 1500],
    ["soon", "not-a-number", null],
    ["", "empty", null],
    ["Mon, 21 Foo 2026 14:13:50 GMT", "invalid-date", null],
    ["99999999999", "too-large", null],
  ])("reads a Retry-After of %j as %s", (raw, kind, waitMs) => {
    const hints = readRetryHints([["retry-after", raw]], undefined, instants);
    expect(hints.header?.waitMs).toBe(waitMs);
    expect(hints.problems).toEqual([{ hint: "Retry-After", kind, raw }]);
  });

  it.each([
    ["4", "number-in-string", 4000],
    ["soon", "not-a-number", null],
    [-1, "negative", null],
    [null, "not-a-number", null],
    [{}, "not-a-number", null],
  ])("reads a body member of %j as %s", (raw, kind, waitMs) => {
    const hints = readRetryHints([], { "retry-after": raw }, instants);
    expect(hints.bodySeconds?.waitMs).toBe(waitMs);
    expect(hints.problems.map((problem) => problem.kind)).toEqual([kind]);
  });
});

describe("dates", () => {
  it("agree with the platform for every second of four centuries, in all three forms", () => {
    const second = fc.integer({ min: Date.UTC(1900, 0, 1) / 1000, max: Date.UTC(2300, 0, 1) / 1000 });
    fc.assert(
      fc.property(second, (unixSeconds) => {
        const unixMs = unixSeconds * 1000;
        const fixed = new Date(unixMs).toUTCString();
        expect(parseHttpDate(fixed, unixMs)).toBe(unixMs);
        const [, day, month, year, time] = /, (\d+) (\w+) (\d+) ([\d:]+)/.exec(fixed)!;
        expect(parseHttpDate(`Sunday, ${day}-${month}-${year!.slice(2)} ${time} GMT`, unixMs)).toBe(unixMs);
        expect(parseHttpDate(`Sun ${month} ${day!.replace(/^0/, " ")} ${time} ${year}`, unixMs)).toBe(unixMs);
        expect(parseRfc3339(new Date(unixMs).toISOString())).toBe(unixMs);
      }),
      { numRuns: runsOf(2000) },
    );
  });

  it("refuse days that do not exist", () => {
    expect(parseHttpDate("Sun, 29 Feb 2026 00:00:00 GMT", instants.receivedMs)).toBeNull();
    expect(parseHttpDate("Sun, 31 Apr 2026 00:00:00 GMT", instants.receivedMs)).toBeNull();
    expect(parseHttpDate("Sun, 28 Feb 2026 24:00:00 GMT", instants.receivedMs)).toBeNull();
    expect(parseRfc3339("2026-13-01T00:00:00Z")).toBeNull();
    expect(parseRfc3339("2026-01-01T00:00:00")).toBeNull();
    expect(parseRfc3339("2026-01-01T00:00:00-01:30")).toBe(Date.UTC(2026, 0, 1, 1, 30));
  });
});
