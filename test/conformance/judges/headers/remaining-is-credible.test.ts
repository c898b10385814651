import { describe, expect, it } from "vitest";
import { remainingIsCredible } from "../../../../src/conformance/judges/headers/remaining-is-credible.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import { makeExchange, wallMs } from "../../../make/exchanges/make-exchange.ts";
import { printJudge } from "../print-occurrences.ts";

const reset = String(wallMs / 1000 + 30);
const series = (remaining: readonly number[], limit = 60): readonly Exchange[] =>
  remaining.map((value, index) =>
    makeExchange({
      seq: index + 1,
      endpoint: "chat",
      headers: [
        ["x-ratelimit-limit-requests", String(limit)],
        ["x-ratelimit-remaining-requests", String(value)],
        ["x-ratelimit-reset-requests", reset],
      ],
    }),
  );
const outcomes = (exclusive: boolean, ...remaining: readonly number[]): string =>
  printJudge(remainingIsCredible, series(remaining), { exclusive })[0]?.slice(0, 13) ?? "nothing";

describe("remaining-is-credible (RATE-043)", () => {
  it("passes numbers that fall, stay, are rounded or give a little back", () => {
    expect(outcomes(true, 59, 58, 57, 56)).toBe("RATE-043 pass");
    expect(outcomes(true, 50, 50, 50, 40)).toBe("RATE-043 pass");
    expect(outcomes(true, 57, 58, 58, 57, 58)).toBe("RATE-043 pass");
  });

  it("fails numbers that count upwards within one window", () => {
    expect(outcomes(true, 1, 2, 3, 4)).toBe("RATE-043 fail");
    expect(outcomes(true, 1, 2, 3)).toBe("nothing");
  });

  it("lets a log forget within a second what others sent, and no longer", () => {
    const rising = (everyMs: number): string => {
      const rows = series([1, 5, 9, 13]).map((one, index) => later(one, everyMs * index));
      return printJudge(remainingIsCredible, rows, { exclusive: false })[0]!.slice(0, 13);
    };
    expect([rising(100), rising(1000)]).toEqual(["RATE-043 pass", "RATE-043 fail"]);
  });

  it("lets a log forget what was sent a window before, refused requests among it", () => {
    const rows = (sentBefore: number): readonly Exchange[] => [
      ...series(Array.from({ length: sentBefore }, () => 20)).map((one, place) => ({
        ...sentAt(one, 10 * place),
        response: { ...one.response!, status: 422 },
      })),
      ...series([20, 24, 28, 32]).map((one, place) => sentAt({ ...one, seq: 100 + place }, 60_000 + 30 * place)),
    ];
    const verdict = (sentBefore: number): string =>
      printJudge(remainingIsCredible, rows(sentBefore), { exclusive: true })[0]!.slice(0, 13);
    expect([verdict(12), verdict(3)]).toEqual(["RATE-043 pass", "RATE-043 fail"]);
  });

  it("fails 0 at every answer where nobody else can have used the rest", () => {
    const zeros = (count: number, exclusive: boolean, limit = 120): string =>
      printJudge(
        remainingIsCredible,
        series(
          Array.from({ length: count }, () => 0),
          limit,
        ),
        { exclusive },
      )[0]!.slice(0, 13);
    expect(zeros(4, true)).toBe("RATE-043 fail");
    expect(zeros(4, false)).toBe("RATE-043 pass");
    expect(zeros(31, true)).toBe("RATE-043 pass");
    // Rounded down to tens by a bucket that holds less than its limit.
    expect(zeros(4, true, 60)).toBe("RATE-043 pass");
  });

  it("fails 0 of a small limit where more is served than rounding can hide", () => {
    const zeros = (count: number, exclusive: boolean): string => outcomes(exclusive, ...Array.from({ length: count }, () => 0));
    expect(zeros(40, true)).toBe("RATE-043 fail");
    expect(zeros(40, false)).toBe("RATE-043 pass");
    expect(zeros(30, true)).toBe("RATE-043 pass");
  });

  it("holds it to the window that the manifest declares, and a limit of 1 to nothing", () => {
    const said = (limit: number, remaining: number, windowSeconds: number): string => {
      const everySecond = series(
        Array.from({ length: 30 }, () => remaining),
        limit,
      ).map((one, index) => later(one, 1000 * index));
      return printJudge(remainingIsCredible, everySecond, { exclusive: true, features: { windowSeconds } })[0]!.slice(0, 13);
    };
    expect([said(5, 4, 60), said(5, 4, 5)]).toEqual(["RATE-043 fail", "RATE-043 pass"]);
    expect(said(1, 0, 60)).toBe("RATE-043 pass");
  });
});

function sentAt(exchange: Exchange, ms: number): Exchange {
  return later(exchange, ms - exchange.timing.sentMs);
}

function later(exchange: Exchange, byMs: number): Exchange {
  const { timing } = exchange;
  const at = (ms: number | null): number | null => (ms === null ? null : ms + byMs);
  return {
    ...exchange,
    timing: {
      ...timing,
      sentMs: timing.sentMs + byMs,
      headersMs: at(timing.headersMs),
      firstByteMs: at(timing.firstByteMs),
      endMs: timing.endMs + byMs,
      wallMs: timing.wallMs + byMs,
    },
  };
}
