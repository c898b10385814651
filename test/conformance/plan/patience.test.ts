import { describe, expect, it } from "vitest";
import { createPatience, timeoutsAtMost } from "../../../src/conformance/plan/patience.ts";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import { examineReference } from "../examine-reference.ts";

const request = (stream: boolean): SendRequest =>
  ({
    endpoint: "chat",
    path: "/v1/chat/completions",
    credential: { kind: "bearer", key: "primary" },
    body: { kind: "json", value: { stream } },
  }) as unknown as SendRequest;
const silent = makeExchange({ status: null, failure: { kind: "timeout", message: "" } });

describe("patience", () => {
  it("ends for the form that never answers, and for no other", () => {
    const patience = createPatience();
    for (let count = 1; count <= timeoutsAtMost; count += 1) {
      expect(patience.isOver(request(true))).toBe(false);
      patience.learn(request(true), silent, null);
    }
    expect([patience.isOver(request(true)), patience.isOver(request(false))]).toEqual([true, false]);
  });

  it("begins anew with an answer", () => {
    const patience = createPatience();
    for (let count = 1; count < timeoutsAtMost; count += 1) patience.learn(request(false), silent, null);
    patience.learn(request(false), makeExchange(), null);
    patience.learn(request(false), silent, null);
    expect(patience.isOver(request(false))).toBe(false);
  });
});

describe("patience with a service that is away and says for how long", () => {
  const away = (sentMs: number): ReturnType<typeof makeExchange> => makeExchange({ status: 503, sentMs });
  const isOverAfter = (...sent: readonly (readonly [sentMs: number, keptMs: number])[]): boolean => {
    const patience = createPatience();
    for (const [sentMs, keptMs] of sent) patience.learn(request(false), away(sentMs), keptMs);
    return patience.isOver(request(true));
  };

  it("counts time, so that a service may take ten seconds to start, and cases that wait side by side do not count twice", () => {
    expect(isOverAfter(...[2, 4, 6, 8, 10].map((at) => [1000 * at, 2000] as const))).toBe(false);
    expect(isOverAfter(...Array.from({ length: 33 }, () => [30_000, 30_000] as const))).toBe(false);
    expect(isOverAfter([60_000, 60_000], [119_000, 59_000])).toBe(false);
    expect(isOverAfter([60_000, 60_000], [120_000, 60_000])).toBe(true);
  });
});

describe("patience with refusals", () => {
  const refused = makeExchange({ status: 429 });
  const learnAll = (...keptMs: readonly (number | null)[]): boolean => {
    const patience = createPatience();
    for (const kept of keptMs) patience.learn(request(false), refused, kept);
    return patience.isOver(request(true));
  };

  it("ends for a key that is refused again after each wait that it kept, sooner where that took minutes", () => {
    expect(learnAll(2000, 2000, 2000)).toBe(false);
    expect(learnAll(2000, 2000, 2000, 2000)).toBe(true);
    expect([learnAll(130_000), learnAll(65_000, 65_000)]).toEqual([false, true]);
  });

  it("does not end where no wait was kept, or where one led somewhere", () => {
    expect(learnAll(null, null, null, null, null)).toBe(false);
    const patience = createPatience();
    for (const kept of [2000, 2000, 2000]) patience.learn(request(false), refused, kept);
    patience.learn(request(false), makeExchange(), 2000);
    patience.learn(request(false), refused, 2000);
    expect(patience.isOver(request(false))).toBe(false);
  });
});

describe("a target whose remaining number is no such thing", () => {
  it.each(["headers/remaining-always-zero", "headers/remaining-counts-up"])(
    "%s is reported without waiting for window after window",
    async (mutant) => {
      const examined = await examineReference({ suites: ["models", "core"], mutants: [mutant] });
      expect(examined.verdicts.get("RATE-043")).toBe("fail");
      // The clock of the service is virtual: what was waited for shows on it. Two windows for each key and operation at most.
      expect(Math.max(...examined.exchanges.map(({ timing }) => timing.endMs))).toBeLessThan(400_000);
    },
  );
});
