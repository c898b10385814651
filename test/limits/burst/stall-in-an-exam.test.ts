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

interface Stalls {
  readonly lastsMs: number;
  /** So long after the request with which a stall begins. Default 0. */
  readonly afterMs?: number;
  /** Default 1. */
  readonly count?: number;
}

/** The whole service answers nobody for so long from such a request on, and everybody then. */
function stallOf({ lastsMs, afterMs = 0, count = 1 }: Stalls, begins: (exchange: Exchange) => boolean): Stall {
  const fromMs: number[] = [];
  const late = new Map<number, Exchange>();
  const answer = (exchange: Exchange): Exchange => {
    const { timing } = exchange;
    const { sentMs, headersMs } = timing;
    const lastMs = fromMs.at(-1) ?? Number.NEGATIVE_INFINITY;
    if (fromMs.length < count && sentMs > lastMs + lastsMs && begins(exchange)) fromMs.push(sentMs + afterMs);
    const sinceMs = fromMs.find((atMs) => headersMs !== null && headersMs >= atMs && headersMs <= atMs + lastsMs);
    if (sinceMs === undefined || headersMs === null) return exchange;
    const byMs = sinceMs + lastsMs - headersMs;
    const copy = JSON.parse(JSON.stringify(exchange)) as Exchange;
    const held = factsOf({ ...copy, timing: { ...copy.timing, headersMs: headersMs + byMs, endMs: timing.endMs + byMs } });
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
    const { rounds, rows } = await examineStalled(stallOf({ lastsMs: 20_000 }, isBeforeOther));
    expect(rows).toEqual(["BURST-012 pass", "burst.under-admission pass"]);
    expect(rounds).toBeGreaterThan(0);
  });

  it("that meets the allowance is asked about once more", async () => {
    const { rounds, rows } = await examineStalled(stallOf({ lastsMs: 35_000 }, isIn("volley")));
    expect(rows).toEqual(["BURST-012 pass", "burst.under-admission pass"]);
    expect(rounds).toBeGreaterThan(0);
  });

  it("is the only cause for another round", async () => {
    const { rounds, rows } = await examineStalled(stallOf({ lastsMs: 0 }, () => false));
    expect(rows).toEqual(["BURST-012 pass", "burst.under-admission pass"]);
    expect(rounds).toBe(0);
  });
});

/** The exam of a key whose requests queue: the phases that were asked, and the verdicts of the checks of its queue. */
async function examineQueue(stall: Stall): Promise<{ readonly calm: number; readonly checks: readonly string[] }> {
  const without = ["examBurst", "examSettings", "primary"];
  const { exchanges, manifest } = await recordSwitch("burst", null, { ...stall, without });
  const { result, findings } = judgeLimits({ exchanges: stall.asSeen(exchanges), manifest, strict: false });
  expect(findings).toEqual([]);
  const checks = result.policies.flatMap((policy) => policy.checks).filter(({ id }) => id.startsWith("queue."));
  return {
    calm: exchanges.filter(isIn("volley-calm")).length,
    checks: checks.map(({ id, verdict }) => `${id} ${verdict}`),
  };
}

describe("a stall of the whole service in an exam of a queue", () => {
  const met = [
    "queue.request-lost pass",
    "queue.released-late pass",
    "queue.released-at-once pass",
    "queue.mixed-with-refusals pass",
    "queue.out-of-order pass",
  ];

  it.each([30_000, 60_000])("that begins after %i ms of a cooldown is asked about once more", async (afterMs) => {
    const { calm, checks } = await examineQueue(stallOf({ lastsMs: 120_000, afterMs }, isIn("volley")));
    expect(checks).toEqual(met);
    expect(calm).toBeGreaterThan(0);
  });

  it("is the only cause for other rounds, which are not held a third time", async () => {
    expect(await examineQueue(stallOf({ lastsMs: 0 }, () => false))).toEqual({ calm: 0, checks: met });
    const always = (exchange: Exchange): boolean => isIn("volley")(exchange) || isIn("volley-calm")(exchange);
    const twice = await examineQueue(stallOf({ lastsMs: 120_000, afterMs: 60_000, count: 9 }, always));
    expect(twice.checks).toContain("queue.request-lost inconclusive");
  });
});

describe("a stall of the whole service where a burst limit is raised", () => {
  it.each([
    { count: 2, asked: 3, verdict: "pass" },
    { count: 9, asked: 3, verdict: "inconclusive" },
  ])("is asked about once more, $count stalls", async ({ count, asked, verdict }) => {
    const stall = stallOf({ lastsMs: 35_000, count }, isIn("window-used"));
    const options = { ...stall, exam: "full", without: ["examBurstQueue", "queue"] } as const;
    const { exchanges, manifest } = await recordSwitch("burst", null, options);
    const { result, findings } = judgeLimits({ exchanges: stall.asSeen(exchanges), manifest, strict: false });
    expect(findings).toEqual([]);
    const checks = result.policies.flatMap((policy) => policy.checks);
    expect(checks.find(({ id }) => id === "burst.raise-ignored")?.verdict).toBe(verdict);
    const used = exchanges.filter(isIn("window-used")).map(({ timing }) => timing.sentMs);
    expect(used.filter((atMs, index) => index === 0 || atMs > used[index - 1]! + 60_000)).toHaveLength(asked);
  });
});
