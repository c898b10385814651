import { describe, expect, it } from "vitest";
import type { Admission } from "../../../src/reference/engine/admission.ts";
import {
  count,
  createBench,
  describeAdmission,
  leaseOf,
  modelsWork,
  refusalOf,
  startMs,
  type EngineBench,
} from "./engine-bench.ts";

const refused = "burst_limit_exceeded";

function ready(name: string, switchesOn: readonly string[] = []): EngineBench {
  const bench = createBench(switchesOn);
  bench.set(name, { burst_limit: 5, cooldown_seconds: 10 });
  return bench;
}

describe("cooldown, rejecting", () => {
  it("admits the allowance, refuses until the cooldown is over, then grants it whole", async () => {
    const bench = ready("examBurst");
    const burst = await bench.outcomes("examBurst", 15);
    expect(count(burst, "ok")).toBe(5);
    expect(count(burst, refused)).toBe(10);
    await bench.clock.advance(9999);
    expect(await bench.outcome("examBurst")).toBe(refused);
    await bench.clock.advance(1);
    expect(count(await bench.outcomes("examBurst", 15), "ok")).toBe(5);
  });

  it("counts over all endpoints of the key and over no other key", async () => {
    const bench = ready("examBurst");
    for (let index = 0; index < 5; index += 1) await bench.outcome("examBurst", index % 2 === 0 ? modelsWork : {});
    expect(
      await bench.outcome("examBurst", { endpoint: "usage", promptTokens: 0, maxCompletionTokens: 0, maxCostMicros: 0 }),
    ).toBe(refused);
    expect(await bench.outcome("primary")).toBe("ok");
  });

  it("names the rest of the cooldown, which attempts do not prolong", async () => {
    const bench = ready("examBurst");
    await bench.outcomes("examBurst", 5);
    for (const [afterMs, seconds] of [
      [0, 10],
      [1, 10],
      [2499, 8],
      [7400, 1],
      [99, 1],
    ] as const) {
      await bench.clock.advance(afterMs);
      const refusal = refusalOf(await bench.send("examBurst"));
      expect(refusal.headers).toEqual({ "retry-after": String(seconds) });
      expect(refusal.body).toMatchObject({ error: { code: refused }, "retry-after": seconds });
    }
    await bench.clock.advance(1);
    expect(await bench.outcome("examBurst")).toBe("ok");
  });

  it("counts any 60 s, not minutes of the clock", async () => {
    const bench = ready("examBurst");
    await bench.clock.advance(58_000);
    await bench.outcomes("examBurst", 4);
    await bench.clock.advance(4000);
    expect(await bench.outcomes("examBurst", 2)).toEqual(["ok", refused]);
  });

  it("is a plain limit per minute without cooldown_seconds", async () => {
    const bench = createBench();
    bench.set("examBurst", { burst_limit: 2 });
    expect(await bench.outcomes("examBurst", 3)).toEqual(["ok", "ok", refused]);
    await bench.clock.advance(59_999);
    expect(await bench.outcome("examBurst")).toBe(refused);
    await bench.clock.advance(1);
    expect(await bench.outcome("examBurst")).toBe("ok");
  });

  it("admits nothing with an allowance of 0, and says how long to wait", async () => {
    const bench = createBench();
    bench.set("examBurst", { burst_limit: 0, cooldown_seconds: 5 });
    expect(refusalOf(await bench.send("examBurst")).headers).toEqual({ "retry-after": "60" });
  });

  it("starts afresh when burst_limit changes or is cleared", async () => {
    const bench = ready("examBurst");
    await bench.outcomes("examBurst", 6);
    bench.set("examBurst", { burst_limit: 2 });
    expect(await bench.outcomes("examBurst", 3)).toEqual(["ok", "ok", refused]);
    bench.set("examBurst", { burst_limit: null });
    expect(count(await bench.outcomes("examBurst", 20), "ok")).toBe(20);
  });

  it("applies a new cooldown_seconds to the cooldown that is running", async () => {
    const bench = ready("examBurst");
    await bench.outcomes("examBurst", 5);
    bench.set("examBurst", { cooldown_seconds: 2 });
    await bench.clock.advance(2000);
    expect(await bench.outcome("examBurst")).toBe("ok");
  });
});

describe("cooldown, queueing", () => {
  /** Sends one after the other and notes who was answered when. */
  function sendAll(bench: EngineBench, names: readonly string[], signals: Readonly<Record<string, AbortSignal>> = {}): string[] {
    const log: string[] = [];
    const note = async (name: string, answer: Promise<Admission>): Promise<void> => {
      const admission = await answer;
      const queuedMs = admission.kind === "admitted" ? admission.ticket.queuedMs : 0;
      log.push(`${name} ${describeAdmission(admission)} at ${bench.clock.wallMs() - startMs} after ${queuedMs}`);
    };
    for (const name of names) {
      const signal = signals[name];
      void note(name, bench.send("examBurstQueue", signal === undefined ? {} : { signal }));
    }
    return log;
  }

  it("answers in order of arrival at the end of each cooldown", async () => {
    const bench = ready("examBurstQueue");
    await bench.outcomes("examBurstQueue", 5);
    const log = sendAll(bench, ["a", "b", "c", "d", "e", "f", "g"]);
    await bench.clock.advance(9999);
    expect(log).toEqual([]);
    await bench.clock.advance(1);
    expect(log).toEqual(["a", "b", "c", "d", "e"].map((name) => `${name} ok at 10000 after 10000`));
    await bench.clock.advance(10_000);
    expect(log.slice(5)).toEqual(["f ok at 20000 after 20000", "g ok at 20000 after 20000"]);
  });

  it("gives up the place of a client that leaves", async () => {
    const bench = ready("examBurstQueue");
    await bench.outcomes("examBurstQueue", 5);
    const leaving = new AbortController();
    const log = sendAll(bench, ["a", "b", "c"], { a: leaving.signal });
    await bench.clock.advance(1000);
    leaving.abort(new Error("gone"));
    await bench.clock.advance(9000);
    expect(log).toEqual(["a abandoned at 1000 after 0", "b ok at 10000 after 10000", "c ok at 10000 after 10000"]);
    const before = bench.engine.unadmittedHeaders(bench.key("examBurstQueue"), "chat", 404);
    expect(before["x-ratelimit-remaining-requests"]).toBe(String(600 - 5 - 2));
  });

  it("refuses what exceeds its capacity", async () => {
    const bench = createBench([], { queueCapacity: 2 });
    bench.set("examBurstQueue", { burst_limit: 1, cooldown_seconds: 10 });
    await bench.outcome("examBurstQueue");
    const log = sendAll(bench, ["a", "b", "c"]);
    await bench.clock.advance(0);
    expect(log).toEqual([`c ${refused} at 0 after 0`]);
  });

  it("asks the other limits when the request leaves the queue", async () => {
    const bench = ready("examBurstQueue");
    await bench.outcomes("examBurstQueue", 5);
    const log = sendAll(bench, ["a"]);
    await bench.clock.advance(1000);
    bench.set("examBurstQueue", { monthly_spend_cap: 0 });
    await bench.clock.advance(9000);
    expect(log).toEqual(["a quota_exceeded at 10000 after 0"]);
  });

  it("releases everybody when the allowance is cleared", async () => {
    const bench = ready("examBurstQueue");
    await bench.outcomes("examBurstQueue", 5);
    const log = sendAll(bench, ["a", "b"]);
    await bench.clock.advance(500);
    bench.set("examBurstQueue", { burst_limit: null });
    await bench.clock.advance(0);
    expect(log).toEqual(["a ok at 500 after 500", "b ok at 500 after 500"]);
  });

  it("abandons the queue on reset", async () => {
    const bench = ready("examBurstQueue");
    await bench.outcomes("examBurstQueue", 5);
    const log = sendAll(bench, ["a"]);
    await bench.clock.advance(0);
    bench.engine.reset();
    await bench.clock.advance(0);
    expect(log).toEqual(["a abandoned at 0 after 0"]);
    expect(leaseOf(await bench.send("examBurstQueue")).queuedMs).toBe(0);
  });
});
