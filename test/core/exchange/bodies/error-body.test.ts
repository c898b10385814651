import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readErrorBody } from "../../../../src/core/exchange/bodies/error-body.ts";
import { readRateLimitHeaders } from "../../../../src/core/exchange/headers/rate-limit-headers.ts";
import { causeByLimits } from "../../../../src/core/exchange/reject-cause.ts";

describe("error bodies", () => {
  it("reads the shape with a code", () => {
    expect(readErrorBody({ error: { code: "validation_failed", message: "no", details: ["model"] } })).toEqual({
      shape: "coded",
      error: null,
      code: "validation_failed",
      message: "no",
      capType: null,
    });
  });

  it("reads the quota shape", () => {
    expect(readErrorBody({ error: "quota_exceeded", retry_after_ms: 5, cap_type: "monthly_spend" })).toEqual({
      shape: "quota",
      error: "quota_exceeded",
      code: null,
      message: null,
      capType: "monthly_spend",
    });
  });

  it.each([
    [{ error: { code: 401 } }, "coded", "401"],
    [{ error: { code: "" } }, "coded", ""],
    [{ error: { code: true } }, "coded", null],
    [{ error: { message: "x" } }, "coded", null],
    [{ error: { code: "x" }, cap_type: "monthly_spend" }, "mixed", "x"],
    [{ error: "quota_exceeded", code: "x" }, "mixed", null],
    [{ detail: "Not Found" }, "other", null],
    [{ error: null }, "other", null],
    [[], "other", null],
    [undefined, "other", null],
  ])("reads %j as %s with the code %s", (value, shape, code) => {
    expect(readErrorBody(value)).toMatchObject({ shape, code });
  });

  it("reads any JSON value without failing", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (error, other) => {
        expect(["coded", "quota", "mixed", "other"]).toContain(readErrorBody({ error, details: other, cap_type: other }).shape);
        expect(["coded", "quota", "mixed", "other"]).toContain(readErrorBody(error).shape);
      }),
    );
  });
});

describe("the cause of a reject", () => {
  const headers = (requests: number, tokens: number): readonly (readonly [string, string])[] => [
    ["x-ratelimit-remaining-requests", String(requests)],
    ["x-ratelimit-remaining-tokens", String(tokens)],
  ];
  it.each([
    ["spend", headers(5, 5), { error: "quota_exceeded", retry_after_ms: 1, cap_type: "monthly_spend" }],
    ["requests", headers(0, 5), { error: { code: "rate_limited" } }],
    ["tokens", headers(5, 0), { error: { code: "rate_limited" } }],
    ["burst", headers(5, 5), { error: { code: "rate_limited" } }],
    ["unknown", headers(0, 0), { error: { code: "rate_limited" } }],
    ["burst", [], { error: { code: "burst_limit_exceeded" } }],
    ["unknown", [], undefined],
  ])("is %s", (cause, fields, value) => {
    expect(causeByLimits(readRateLimitHeaders(fields, 1_790_000_000_000), readErrorBody(value))).toBe(cause);
  });
});
