import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { factsOf } from "../../../src/core/exchange/exchange-facts.ts";
import type { Sender } from "../../../src/core/exchange/send-request.ts";
import { judgeLimits } from "../../../src/limits/exam/judge-limits.ts";
import { recordSwitch } from "../sockets/examine-switch.ts";

interface Stall {
  readonly through: (sender: Sender) => Sender;
  /** The record of a wire holds when the service answered; whoever sent the requests saw these. */
  readonly asSeen: (exchanges: readonly Exchange[]) => readonly Exchange[];
}

/** The whole service answers nobody for so long from this request on, and everybody then. */
function stallOf(lastsMs: number, begins: (exchange: Exchange) => boolean): Stall {
  let sinceMs: number | null = null;
  const late = new Map<number, Exchange>();
  const answer = (exchange: Exchange): Exchange => {
    const { timing } = exchange;
    if (sinceMs === null && begins(exchange)) sinceMs = timing.sentMs;
    if (sinceMs === null || timing.headersMs === null || timing.sentMs < sinceMs || timing.sentMs > sinceMs + lastsMs)
      return exchange;
    const byMs = sinceMs + lastsMs - timing.sentMs;
    const copy = JSON.parse(JSON.stringify(exchange)) as Exchange;
    const held = factsOf({
      ...copy,
      timing: { ...copy.timing, headersMs: timing.headersMs + byMs, endMs: timing.endMs + byMs },
    });
    late.set(exchange.seq, held);
    return held;
  };
  return {
    asSeen: (exchanges) => exchanges.map((exchange) => late.get(exchange.seq) ?? exchange),
    through: (sender) => ({
      send: async (request) => answer(await sender.send(request)),
      burst: async (requests) => (await sender.burst(requests)).map(answer),
    }),
  };
}

const isIn =
  (phase: string) =>
  ({ intent }: Exchange): boolean =>
    intent.kind === "limit" && intent.phase === phase;
/** The visit after which the other key is asked. */
const isBeforeOther = (exchange: Exchange): boolean => isIn("cooldown")(exchange) && exchange.endpoint !== "models";

/** The exam of one key, with a stall of the service in it: what its rows and its allowance come to. */
async function examineStalled(stall: Stall): Promise<{ readonly rounds: number; readonly rows: readonly string[] }> {
  const { exchanges, manifest } = await recordSwitch("burst", null, { ...stall, without: ["examBurstQueue", "queue"] });
  const { result, occurrences, findings } = judgeLimits({ exchanges: stall.asSeen(exchanges), manifest, strict: false });
  expect(findings).toEqual([]);
  const checks = result.policies.flatMap((policy) => policy.checks);
  const rows = occurrences.filter(({ requirement }) => requirement === "BURST-012");
  return {
    rounds: exchanges.filter(isIn("volley-again")).length,
    rows: [
      ...new Set(rows.map(({ requirement, outcome }) => `${requirement} ${outcome}`)),
      ...checks.filter(({ id }) => id === "burst.under-admission").map(({ id, verdict }) => `${id} ${verdict}`),
    ],
  };
}

describe("a stall of the whole service in an exam of a burst limit", () => {
  it("that meets another key is asked about once more", async () => {
    const { rounds, rows } = await examineStalled(stallOf(20_000, isBeforeOther));
    expect(rows).toEqual(["BURST-012 pass", "burst.under-admission pass"]);
    expect(rounds).toBeGreaterThan(0);
  });

  it("that meets the allowance is asked about once more", async () => {
    const { rounds, rows } = await examineStalled(stallOf(35_000, isIn("volley")));
    expect(rows).toEqual(["BURST-012 pass", "burst.under-admission pass"]);
    expect(rounds).toBeGreaterThan(0);
  });

  it("is the only cause for another round", async () => {
    const { rounds, rows } = await examineStalled(stallOf(0, () => false));
    expect(rows).toEqual(["BURST-012 pass", "burst.under-admission pass"]);
    expect(rounds).toBe(0);
  });
});
