import { describe, expect, it } from "vitest";
import { announcedWaits } from "../../../src/conformance/judges/limits/announced-waits.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { makeExchange, wallMs } from "../../make/exchanges/make-exchange.ts";
import { printJudge } from "./print-occurrences.ts";

const nowSeconds = Math.floor(wallMs / 1000);

function answer(seq: number, sentMs: number, waitSeconds: number | null, resetInSeconds = 30): Exchange {
  return makeExchange({
    seq,
    endpoint: "models",
    status: waitSeconds === null ? 200 : 429,
    headers: [
      ["Date", new Date(nowSeconds * 1000).toUTCString()],
      ["x-ratelimit-limit-requests", "5"],
      ["x-ratelimit-remaining-requests", "0"],
      ["x-ratelimit-reset-requests", String(nowSeconds + resetInSeconds)],
      ...(waitSeconds === null ? [] : ([["Retry-After", String(waitSeconds)]] as const)),
    ],
    received:
      waitSeconds === null
        ? { object: "list", data: [] }
        : { error: { code: "rate_limit_exceeded" }, "retry-after": waitSeconds },
    sentMs,
    endMs: sentMs + 2,
  });
}

const verdicts = (...exchanges: readonly Exchange[]): readonly string[] =>
  printJudge(announcedWaits, exchanges).map((line) => line.split(":")[0]?.split(" #")[0] ?? "");

describe("announced-waits (RATE-044)", () => {
  it.each([0, 30, 90, 380])("lets a refusal announce %i s, thirty seconds before its reset", (seconds) => {
    expect(verdicts(answer(1, 0, seconds))).toEqual(["RATE-044 pass"]);
  });

  it.each([3630, 30_000])("fails for %i s", (seconds) => {
    expect(verdicts(answer(1, 0, seconds))).toEqual(["RATE-044 fail"]);
  });

  it("takes the longest time to a reset that was seen for the window", () => {
    expect(verdicts(answer(1, 0, null, 3600), answer(2, 10, 3630))).toEqual(["RATE-044 pass"]);
  });

  it("fails for no wait at all where the limit refuses again, later than rounding explains", () => {
    expect(verdicts(answer(1, 0, 0), answer(2, 1500, 0))).toContain("RATE-044 fail");
    expect(verdicts(answer(1, 0, 0), answer(2, 500, 0))).not.toContain("RATE-044 fail");
    expect(verdicts(answer(1, 0, 0), answer(2, 1500, null))).not.toContain("RATE-044 fail");
  });

  it("reads a date against the receipt as well, where the clock in the field Date is ahead", () => {
    const limit = { endpoint: "models", status: 429, received: { error: { code: "rate_limit_exceeded" } } } as const;
    const dated = (seq: number, sentMs: number, secondsLeft: number): Exchange => {
      const plain = makeExchange({ ...limit, seq, sentMs, endMs: sentMs + 2 });
      const headers = [
        ["Date", new Date(wallMs + 90_000).toUTCString()],
        ["Retry-After", new Date(wallMs + 1000 * secondsLeft).toUTCString()],
      ] as const;
      return plain.response === null ? plain : { ...plain, response: { ...plain.response, headers } };
    };
    const twice = (secondsLeft: number): readonly string[] => verdicts(dated(1, 0, secondsLeft), dated(2, 1500, secondsLeft));
    expect(twice(12)).not.toContain("RATE-044 fail");
    expect(twice(0)).toContain("RATE-044 fail");
  });
});
