import { describe, expect, it } from "vitest";
import { createRequestPacer } from "../../../src/conformance/send/request-pacer.ts";
import { createWaitAccount } from "../../../src/conformance/plan/wait-account.ts";
import type { Clock } from "../../../src/core/clock.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { makeExchange, wallMs } from "../../make/exchanges/make-exchange.ts";

const epochSeconds = Math.floor(wallMs / 1000);

interface Said {
  readonly status?: number;
  readonly limit: string;
  readonly remaining: string;
  readonly reset?: string;
  /** The headers for tokens, if they differ. */
  readonly tokens?: Omit<Said, "tokens" | "status" | "received">;
  readonly received?: unknown;
}

/** A hundred requests, eight at a time, to a target that answers at once; time passes only where somebody waits. */
async function pace(answer: (nowSeconds: number) => Said, { requests = 100, tokens = 50, longestMs = 2_400_000 } = {}) {
  let nowMs = 0;
  let refused = 0;
  const distrusted: string[] = [];
  const clock: Clock = {
    nowMs: () => nowMs,
    wallMs: () => wallMs + nowMs,
    sleep: async (ms) => {
      const until = nowMs + ms;
      await Promise.resolve();
      nowMs = Math.max(nowMs, until);
    },
  };
  const waits = createWaitAccount(clock, longestMs);
  const pacer = createRequestPacer({ clock, waits, onWait: () => {}, onDistrust: (name) => distrusted.push(name) });
  const signal = new AbortController().signal;
  let left = requests;
  const errors: string[] = [];
  const loop = async (): Promise<void> => {
    while (left > 0 && errors.length === 0) {
      left -= 1;
      try {
        await pacer.admit("chat", tokens, signal);
      } catch (error) {
        errors.push((error as Error).message);
        return;
      }
      const nowSeconds = epochSeconds + Math.floor(nowMs / 1000);
      const said = answer(nowSeconds);
      const { status = 200, received = {} } = said;
      const headers = (["requests", "tokens"] as const).flatMap((kind): [string, string][] => {
        const { limit, remaining, reset = String(nowSeconds + 60) } = kind === "tokens" ? (said.tokens ?? said) : said;
        return [
          [`x-ratelimit-limit-${kind}`, limit],
          [`x-ratelimit-remaining-${kind}`, remaining],
          [`x-ratelimit-reset-${kind}`, reset],
        ];
      });
      if (status === 429) refused += 1;
      const exchange = makeExchange({ status, headers, received, sentMs: nowMs });
      await Promise.resolve();
      pacer.settle("chat", tokens, exchange);
    }
  };
  await Promise.all(Array.from({ length: 8 }, loop));
  return { waitedMs: nowMs, refused, distrusted, errors };
}

/** Fixed windows of a minute, as it says. */
function honest(limit: number) {
  let [window, used] = [0, 0];
  return (nowSeconds: number): Said => {
    const current = Math.floor(nowSeconds / 60);
    if (current !== window) [window, used] = [current, 0];
    const isRefused = used >= limit;
    if (!isRefused) used += 1;
    const reset = String(60 * (current + 1));
    return { status: isRefused ? 429 : 200, limit: String(limit), remaining: String(limit - used), reset };
  };
}

let counted = 0;

describe("a target whose numbers cannot be true", () => {
  it.each<readonly [string, (nowSeconds: number) => Said]>([
    ["60, and nothing remains", () => ({ limit: "60", remaining: "0" })],
    ["5, and nothing remains", () => ({ limit: "5", remaining: "0" })],
    ["3, and nothing remains", () => ({ limit: "3", remaining: "0" })],
    ["1, and nothing remains", () => ({ limit: "1", remaining: "0" })],
    ["1, and one remains", () => ({ limit: "1", remaining: "1" })],
    ["0", () => ({ limit: "0", remaining: "0" })],
    ["60, until next year", () => ({ limit: "60", remaining: "0", reset: String(epochSeconds + 31_536_000) })],
    ["60, until 400 digits have passed", () => ({ limit: "60", remaining: "0", reset: "9".repeat(400) })],
    ["60, and what remains counts up", () => ({ limit: "60", remaining: String((counted += 1)) })],
  ])("is not waited for: a limit of %s", async (_name, answer) => {
    const { waitedMs, errors } = await pace(answer);
    expect([waitedMs, errors]).toEqual([0, []]);
  });

  it("is reported as soon as it serves what it said was used up", async () => {
    const { distrusted } = await pace(() => ({ limit: "60", remaining: "0" }));
    expect(distrusted).toEqual(["chat"]);
  });

  it("is not waited for at another operation where it did not mean what it said at one", async () => {
    const saying = (remaining: number): Exchange =>
      makeExchange({
        headers: [
          ["x-ratelimit-limit-requests", "60"],
          ["x-ratelimit-remaining-requests", String(remaining)],
          ["x-ratelimit-reset-requests", String(epochSeconds + 60)],
        ],
        sentMs: 0,
      });
    const clock: Clock = { nowMs: () => 0, wallMs: () => wallMs, sleep: () => Promise.reject(new Error("it waited")) };
    const waits = createWaitAccount(clock, 1e9);
    const pacer = createRequestPacer({ clock, waits, onWait: () => {}, onDistrust: () => {} });
    const send = async (operation: string, remaining: number): Promise<void> => {
      await pacer.admit(operation, 0, new AbortController().signal);
      pacer.settle(operation, 0, saying(remaining));
    };
    // As much is left as was not sent; then nothing is, which would be waited for.
    for (let left = 59; left >= 1; left -= 1) await send("models", left);
    await expect(send("models", 0)).rejects.toThrow("it waited");
    for (let sent = 0; sent < 6; sent += 1) await send("chat", 0);
    await send("models", 0);
  });

  it("is not waited for where a request is worth more tokens than the whole limit", async () => {
    const answer = (): Said => ({ limit: "40", remaining: "39" });
    expect(await pace(answer, { requests: 30 })).toMatchObject({ waitedMs: 0, refused: 0, errors: [] });
  });
});

describe("a target that means what it says", () => {
  it.each([5, 7, 20, 60])("with a limit of %i refuses nothing", async (limit) => {
    const { refused, distrusted, errors, waitedMs } = await pace(honest(limit), { tokens: 0 });
    expect([refused, distrusted, errors]).toEqual([0, [], []]);
    expect(waitedMs).toBeGreaterThan(60_000 * (Math.floor(100 / limit) - 2));
  });

  it("with a limit too small to keep to refuses once, and is believed from then on", async () => {
    const { refused, distrusted } = await pace(honest(3), { requests: 20, tokens: 0 });
    expect([refused, distrusted]).toEqual([1, []]);
  });

  it("is believed after one refusal by tokens whose window ends when no window of requests does", async () => {
    // Others use nearly all of it at once, which looks like a number that cannot be true, and it is enforced.
    const [limit, others, each] = [60_000, 57_000, 1500];
    let [window, used] = [-1, 0];
    const answer = (nowSeconds: number): Said => {
      const current = Math.floor((nowSeconds + 25) / 60);
      if (current !== window) [window, used] = [current, others];
      const isRefused = used + each > limit;
      if (!isRefused) used += each;
      const reset = 60 * (current + 1) - 25;
      return {
        status: isRefused ? 429 : 200,
        limit: "600",
        remaining: "500",
        tokens: { limit: String(limit), remaining: String(limit - used), reset: String(reset) },
        received: isRefused ? { error: { code: "rate_limit" }, "retry-after": reset - nowSeconds } : {},
      };
    };
    const { refused, distrusted, errors } = await pace(answer, { requests: 20, tokens: each });
    expect([refused, distrusted, errors]).toEqual([1, [], []]);
  });

  it("is not waited for at every window where a cap refuses, which says nothing of the window", async () => {
    const received = { error: "quota_exceeded", retry_after_ms: 86_400_000, cap_type: "monthly_spend" };
    const { waitedMs, distrusted } = await pace(() => ({ status: 429, limit: "600", remaining: "0", received }));
    expect(waitedMs).toBe(0);
    expect(distrusted).toEqual(["chat"]);
  });

  it("is not waited for at every window where a cooldown refuses now and then, which says nothing of it either", async () => {
    let asked = 0;
    const { waitedMs, refused, distrusted } = await pace(() => {
      asked += 1;
      const said = { limit: "60", remaining: "0" };
      return asked % 20 === 0 ? { ...said, status: 429, received: { error: {}, "retry-after": 9 } } : said;
    });
    expect(refused).toBe(5);
    expect(waitedMs).toBeLessThanOrEqual(5 * 10_000);
    expect(distrusted).toEqual(["chat"]);
  });

  it("is not waited for any more where a refusal without a wait outlasts a whole window of which much remains", async () => {
    const { waitedMs, refused } = await pace(() => ({
      status: 429,
      limit: "600",
      remaining: "599",
      received: { error: { code: "no" } },
    }));
    expect(refused).toBe(100);
    // A window, and a second after each refusal.
    expect(waitedMs).toBeGreaterThanOrEqual(60_000);
    expect(waitedMs).toBeLessThanOrEqual(60_000 + 100 * 1000);
  });

  it("is waited for no longer than the account allows", async () => {
    const { waitedMs, errors } = await pace(honest(5), { tokens: 0, longestMs: 600_000 });
    expect(waitedMs).toBeLessThanOrEqual(600_000);
    expect(errors[0]).toContain("the target made the run wait for 10 min");
  });
});
