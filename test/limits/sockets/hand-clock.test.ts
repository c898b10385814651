import { describe, expect, it } from "vitest";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import { ServiceClock } from "../../../src/reference/clock/service-clock.ts";
import { findSwitch } from "../../../src/reference/switches/switchboard.ts";
import { workingDayMs } from "../../make/working-day.ts";
import { examineSwitch } from "./examine-switch.ts";
import { createHandClock } from "./hand-clock.ts";

describe("the clock that is moved by hand", () => {
  it("wakes several sleepers in the order of their instants, each at its own", async () => {
    const service = new ServiceClock({ kind: "manual", startMs: workingDayMs });
    const clock = createHandClock(service);
    const woken: number[] = [];
    const sleep = async (ms: number): Promise<void> => {
      await clock.sleep(ms);
      woken.push(Math.round(clock.wallMs() - workingDayMs), Math.round(service.wallMs() - workingDayMs));
    };
    await Promise.all([sleep(60_000), sleep(200).then(() => sleep(800)), sleep(5000)]);
    expect(woken).toEqual([200, 200, 1000, 1000, 5000, 5000, 60_000, 60_000]);
  });

  it("moves to the timer of the service that holds an answer back, past no sleeper", async () => {
    const service = new ServiceClock({ kind: "manual", startMs: workingDayMs });
    const clock = createHandClock(service);
    const held = async (): Promise<number> => {
      await service.sleepUntil(workingDayMs + 65_000);
      return Math.round(clock.wallMs() - workingDayMs);
    };
    const sender = clock.watch({ send: () => held() as never, burst: () => Promise.resolve([]) });
    const slept: number[] = [];
    const sleeper = (async (): Promise<void> => {
      for (let count = 0; count < 3; count += 1)
        slept.push((await clock.sleep(30_000), Math.round(clock.wallMs() - workingDayMs)));
    })();
    expect(await sender.send({} as never)).toBe(65_000);
    expect(slept).toEqual([30_000, 60_000]);
    await sleeper;
  });

  it("gives up what nobody answers when its time is over, past no sleeper", async () => {
    const service = new ServiceClock({ kind: "manual", startMs: workingDayMs });
    const clock = createHandClock(service);
    const never = async ({ signal }: SendRequest): Promise<object> => {
      await new Promise((resolve) => signal?.addEventListener("abort", resolve));
      return { failure: { kind: "aborted" } };
    };
    const sender = clock.watch({ send: (request) => never(request) as never, burst: () => Promise.resolve([]) });
    let sleptMs = 0;
    const sleeper = clock.sleep(30_000).then(() => (sleptMs = Math.round(clock.wallMs() - workingDayMs)));
    const { failure } = await sender.send({ timeoutMs: 40_000, totalTimeoutMs: 70_000 } as SendRequest);
    expect([failure?.kind, Math.round(clock.wallMs() - workingDayMs), sleptMs]).toEqual(["timeout", 70_000, 30_000]);
    await sleeper;
  });

  it("wakes a sleeper whose signal is aborted", async () => {
    const clock = createHandClock(new ServiceClock({ kind: "manual", startMs: workingDayMs }));
    const abort = new AbortController();
    const slept = clock.sleep(1000, abort.signal);
    abort.abort(new Error("enough"));
    await expect(slept).rejects.toThrow("enough");
  });
});

describe("the burst exam of real time on a clock that is moved by hand", () => {
  it.each([[], ["burst/queue"]].map((variants) => [variants]))("accuses no lawful %j", async (variants) => {
    const { findings, result } = await examineSwitch("burst", null, { time: "blind", variants });
    expect(findings.map(({ check, message }) => `${check}: ${message}`)).toEqual([]);
    expect(result.policies.length).toBeGreaterThan(0);
  });

  it("finds answers that never come within seconds", async () => {
    const { findings } = await examineSwitch("burst", findSwitch("burst/queue-drops"), { time: "blind", exam: "full" });
    expect(findings.filter(({ verdict }) => verdict === "fail").map(({ check }) => check)).toContain("queue.request-lost");
  });

  it.each(["burst/cooldown-half", "burst/queue-leaks-early"])("finds %s", async (id) => {
    const { findings } = await examineSwitch("burst", findSwitch(id), { time: "blind" });
    expect(findings.filter(({ verdict }) => verdict === "fail").map(({ check }) => check)).toContain("burst.over-admission");
  });
});
