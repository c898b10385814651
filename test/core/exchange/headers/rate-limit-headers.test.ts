import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rateLimitHeaderNames, readRateLimitHeaders } from "../../../../src/core/exchange/headers/rate-limit-headers.ts";
import { readResetTime, resetUnixMs } from "../../../../src/core/exchange/headers/reset-time.ts";

const nowMs = 1_790_000_000_000;

function spec(changes: Readonly<Record<string, string>> = {}): readonly (readonly [string, string])[] {
  const fields = {
    "x-ratelimit-limit-requests": "60",
    "x-ratelimit-remaining-requests": "59",
    "x-ratelimit-reset-requests": "1790000030",
    "x-ratelimit-limit-tokens": "10000",
    "x-ratelimit-remaining-tokens": "9990",
    "x-ratelimit-reset-tokens": "1790000030",
    ...changes,
  };
  return Object.entries(fields);
}

describe("rate-limit headers", () => {
  it("reads the six fields of the specification, names in any case", () => {
    const headers = spec().map(([name, value]) => [name.toUpperCase(), value] as const);
    expect(readRateLimitHeaders(headers, nowMs)).toEqual({
      requests: {
        limit: 60,
        remaining: 59,
        reset: { kind: "instant", format: "unix-seconds", unixMs: 1_790_000_030_000, raw: "1790000030" },
      },
      tokens: {
        limit: 10_000,
        remaining: 9990,
        reset: { kind: "instant", format: "unix-seconds", unixMs: 1_790_000_030_000, raw: "1790000030" },
      },
      problems: [],
    });
  });

  it("names each field that is missing", () => {
    const { problems } = readRateLimitHeaders([], nowMs);
    expect(problems.map(({ header }) => header)).toEqual(rateLimitHeaderNames);
    expect(new Set(problems.map(({ kind }) => kind))).toEqual(new Set(["missing"]));
  });

  it.each([
    ["-1", "negative", null],
    ["", "empty", null],
    ["59.5", "not-an-integer", 59],
    ["many", "not-a-number", null],
    ["59, 59;w=60", "not-a-number", 59],
    ["61", "remaining-above-limit", 61],
  ])("reads a remaining of %j as %s", (value, kind, remaining) => {
    const read = readRateLimitHeaders(spec({ "x-ratelimit-remaining-requests": value }), nowMs);
    expect(read.requests.remaining).toBe(remaining);
    expect(read.problems.map((problem) => [problem.member, problem.kind])).toEqual([["remaining", kind]]);
  });

  it.each([
    ["30", "delta-seconds", 30_000],
    ["1790000030000", "unix-milliseconds", 30_000],
    ["1790000030.25", "unix-seconds-fraction", 30_250],
    ["6m0s", "duration", 360_000],
    ["2m59.56s", "duration", 179_560],
    ["12ms", "duration", 12],
    ["2026-09-21T14:13:50Z", "rfc3339", 30_000],
    ["2026-09-21T16:13:50.5+02:00", "rfc3339", 30_500],
    ["Mon, 21 Sep 2026 14:13:50 GMT", "http-date", 30_000],
    ["0", "delta-seconds", 0],
  ])("understands a reset of %j as %s and names the format as a problem", (value, format, waitMs) => {
    const read = readRateLimitHeaders(spec({ "x-ratelimit-reset-requests": value }), nowMs);
    expect(read.requests.reset?.format).toBe(format);
    expect(resetUnixMs(read.requests.reset!, nowMs) - nowMs).toBeCloseTo(waitMs, 3);
    expect(read.problems).toEqual([
      { header: "x-ratelimit-reset-requests", unit: "requests", member: "reset", kind: "reset-format", raw: value, format },
    ]);
  });

  it.each([
    ["anthropic-ratelimit-requests-remaining", "x-ratelimit-remaining-requests"],
    ["x-rate-limit-reset-tokens", "x-ratelimit-reset-tokens"],
    ["x-ratelimit-limit", "x-ratelimit-limit-requests"],
  ])("finds %s in place of %s and says so", (found, wanted) => {
    const headers = spec().map(([name, value]) => [name === wanted ? found : name, value] as const);
    const { problems } = readRateLimitHeaders(headers, nowMs);
    expect(problems.map(({ header, kind, foundAs }) => [header, kind, foundAs])).toEqual([[wanted, "other-name", found]]);
  });

  it("reports repeated fields", () => {
    const { problems } = readRateLimitHeaders([...spec(), ["X-RateLimit-Limit-Tokens", "5"]], nowMs);
    expect(problems).toMatchObject([{ kind: "repeated", raw: "10000 | 5" }]);
  });

  it("accepts whatever a correct service sends and survives whatever a broken one sends", () => {
    fc.assert(
      fc.property(fc.nat(1e6), fc.nat(1e6), fc.integer({ min: 0, max: 86_400 }), (limit, used, wait) => {
        const headers = spec({
          "x-ratelimit-limit-requests": String(limit),
          "x-ratelimit-remaining-requests": String(Math.max(0, limit - used)),
          "x-ratelimit-reset-requests": String(nowMs / 1000 + wait),
        });
        const read = readRateLimitHeaders(headers, nowMs);
        expect(read.problems).toEqual([]);
        expect(read.requests).toMatchObject({ limit, remaining: Math.max(0, limit - used), reset: { kind: "instant" } });
      }),
    );
    fc.assert(
      fc.property(fc.string(), (value) => {
        const read = readRateLimitHeaders(spec({ "x-ratelimit-reset-tokens": value, "x-ratelimit-limit-tokens": value }), nowMs);
        expect(read.tokens.limit === null || (Number.isInteger(read.tokens.limit) && read.tokens.limit >= 0)).toBe(true);
        const reset = readResetTime(value, nowMs);
        expect(reset === null || Number.isFinite(resetUnixMs(reset, nowMs))).toBe(true);
      }),
    );
  });
});
