import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readErrorBody } from "../../src/core/exchange/error-body.ts";
import { readRateLimitHeaders } from "../../src/core/exchange/rate-limit-headers.ts";
import { causeByLimits } from "../../src/core/exchange/reject-cause.ts";

describe("error bodies", () => {
  it("reads the shape with a code and its details", () => {
    const details = [
      { field: "temperature", expected: "a number from 0 to 2" },
      { loc: ["body", "messages", 0], msg: "required" },
      "model",
      7,
    ];
    expect(readErrorBody({ error: { code: "validation_failed", message: "no", details } })).toEqual({
      shape: "coded",
      code: "validation_failed",
      message: "no",
      details: [
        { field: "temperature", expected: "a number from 0 to 2" },
        { field: "body.messages.0", expected: "required" },
        { field: "model", expected: null },
        { field: null, expected: null },
      ],
      error: null,
      capType: null,
      problem: null,
    });
  });

  it("reads the quota shape", () => {
    expect(readErrorBody({ error: "quota_exceeded", retry_after_ms: 5, cap_type: "monthly_spend" })).toMatchObject({
      shape: "quota",
      error: "quota_exceeded",
      capType: "monthly_spend",
      problem: null,
    });
  });

  it.each([
    [{ error: { code: 401 } }, "coded", "error.code is of type number"],
    [{ error: { code: "" } }, "coded", "error.code is empty"],
    [{ error: { message: "x" } }, "coded", "error.code is missing"],
    [{ error: { code: "x" }, cap_type: "monthly_spend" }, "mixed", null],
    [{ error: "quota_exceeded", code: "x" }, "mixed", "error is a string beside code or details"],
    [{ detail: "Not Found" }, "other", "there is no member error"],
    [{ error: null }, "other", "error is neither an object nor a string"],
    [[], "other", "the body is not a JSON object"],
    [undefined, "other", "the body is not JSON"],
  ])("reads %j as %s", (value, shape, problem) => {
    expect(readErrorBody(value)).toMatchObject({ shape, problem });
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
