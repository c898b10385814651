import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { judgeLimits } from "../../../src/limits/exam/judge-limits.ts";
import { findSwitch } from "../../../src/reference/switches/switchboard.ts";
import { recordSwitch } from "../sockets/examine-switch.ts";

/** Bursts and cooldowns are judged by our own clock: a service that sends no Date, or a wrong one, is judged alike. */
describe("a burst allowance without a usable Date", () => {
  it.each([
    [null, []],
    ["burst/over-admit-one", ["burst.over-admission"]],
    ["burst/cooldown-double", ["burst.cooldown-too-long"]],
  ] as const)("of %s is judged by what was admitted and when", async (id, failing) => {
    const { exchanges, manifest } = await recordSwitch("burst", id === null ? null : findSwitch(id), { time: "blind" });
    const changed: readonly (readonly Exchange[])[] = [exchanges.map(withoutDate), exchanges.map(withDateAhead)];
    for (const record of changed) {
      const { result } = judgeLimits({ exchanges: record, manifest, strict: false });
      // The key that refuses beyond its allowance; another one queues.
      const burst = result.policies.find(({ kind }) => kind === "burst")!;
      expect(burst.verdict).toBe(id === null ? "pass" : "fail");
      expect(burst.checks.filter(({ verdict }) => verdict === "fail").map((check) => check.id)).toEqual(failing);
    }
  });
});

type Header = readonly [name: string, value: string];

function withHeaders(exchange: Exchange, change: (headers: readonly Header[]) => readonly Header[]): Exchange {
  if (exchange.response === null) return exchange;
  return { ...exchange, response: { ...exchange.response, headers: change(exchange.response.headers) } };
}

function isDate([name]: Header): boolean {
  return name.toLowerCase() === "date";
}

function withoutDate(exchange: Exchange): Exchange {
  return withHeaders(exchange, (headers) => headers.filter((one) => !isDate(one)));
}

function withDateAhead(exchange: Exchange): Exchange {
  const later = (value: string): string => new Date(Date.parse(value) + 90_000).toUTCString();
  return withHeaders(exchange, (headers) => headers.map((one) => (isDate(one) ? ([one[0], later(one[1])] as const) : one)));
}
