import { describe, expect, it } from "vitest";
import { outcomesAsStated } from "../../../src/conformance/judges/outcomes/outcomes-as-stated.ts";
import { judgeExchanges } from "../../../src/conformance/verdict/judge-exchanges.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { factsOf } from "../../../src/core/exchange/exchange-facts.ts";
import type { Sender } from "../../../src/core/exchange/send-request.ts";
import { openJudgeContext } from "../../../src/run/judge-context.ts";
import { recordSwitch } from "../sockets/examine-switch.ts";

interface Overload {
  readonly through: (sender: Sender) => Sender;
  /** The record of the wire holds what the service said; the exam saw these. */
  readonly asSeen: (exchanges: readonly Exchange[]) => readonly Exchange[];
}

const emptyBody = { bytes: 0, sha256: "", text: "", truncated: false };

/** Overloaded from the first request of this phase on, for as long as it lasts. */
function overloaded(phase: string, lastsMs: number, retryAfter: string): Overload {
  let sinceMs: number | null = null;
  const spoilt = new Map<number, Exchange>();
  const answer = (exchange: Exchange): Exchange => {
    const { intent, response, timing } = exchange;
    if (response === null || intent.kind !== "limit" || intent.phase !== phase) return exchange;
    sinceMs ??= timing.sentMs;
    if (timing.sentMs - sinceMs >= lastsMs) return exchange;
    const refused = factsOf({
      ...(JSON.parse(JSON.stringify(exchange)) as Exchange),
      response: { ...response, status: 503, headers: [...response.headers, ["retry-after", retryAfter]], body: emptyBody },
    });
    spoilt.set(exchange.seq, refused);
    return refused;
  };
  return {
    asSeen: (exchanges) => exchanges.map((exchange) => spoilt.get(exchange.seq) ?? exchange),
    through: (sender) => ({
      send: async (request) => answer(await sender.send(request)),
      burst: async (requests) => (await sender.burst(requests)).map(answer),
    }),
  };
}

/** Waits between a request of the phase and its repetition, seconds. */
function pauses(exchanges: readonly Exchange[], phase: string): readonly number[] {
  const own = exchanges.filter(({ intent }) => intent.kind === "limit" && intent.phase === phase);
  return own
    .filter(({ retryOf }) => retryOf !== null)
    .map(({ retryOf, timing }) => Math.round((timing.sentMs - own.find(({ seq }) => seq === retryOf)!.timing.endMs) / 1000));
}

describe("an odd end that asks for a wait", () => {
  it("is repeated after it: an overload that passes is no finding", async () => {
    const overload = overloaded("capped-other", 20_000, "20");
    const { exchanges, manifest } = await recordSwitch("spend", null, overload);
    expect(pauses(exchanges, "capped-other")).toEqual([20]);
    const said = judgeExchanges(overload.asSeen(exchanges), [outcomesAsStated], openJudgeContext(manifest));
    const odd = said.filter(({ outcome }) => outcome !== "pass");
    expect(odd).toEqual([]);
    expect(said.map(({ requirement }) => requirement)).toContain("RATE-045");
  });

  it("is not waited for longer than two minutes by one key and operation, nor five in all", async () => {
    const { exchanges } = await recordSwitch("tokens", null, overloaded("reading", Number.POSITIVE_INFINITY, "3600"));
    const waited = pauses(exchanges, "reading");
    expect(Math.max(...waited)).toBe(120);
    expect(waited.reduce((sum, seconds) => sum + seconds, 0)).toBeLessThanOrEqual(420);
  });

  it("is repeated at once in a cooldown, which would be over after the wait", async () => {
    const { exchanges } = await recordSwitch("burst", null, overloaded("cooldown", Number.POSITIVE_INFINITY, "30"));
    const waited = pauses(exchanges, "cooldown");
    expect(waited.length).toBeGreaterThan(0);
    expect(waited.filter((seconds) => seconds > 0)).toEqual([]);
  });
});
