import { describe, expect, it } from "vitest";
import { createPatience, timeoutsAtMost } from "../../../src/conformance/send/patience.ts";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import { makeExchange } from "../../make/make-exchange.ts";
import { examineReference } from "../examine-reference.ts";

const request = (stream: boolean): SendRequest =>
  ({ endpoint: "chat", path: "/v1/chat/completions", body: { kind: "json", value: { stream } } }) as unknown as SendRequest;
const silent = makeExchange({ status: null, failure: { kind: "timeout", message: "" } });

describe("patience", () => {
  it("ends for the form that never answers, and for no other", () => {
    const patience = createPatience();
    for (let count = 1; count <= timeoutsAtMost; count += 1) {
      expect(patience.isOver(request(true))).toBe(false);
      patience.learn(request(true), silent);
    }
    expect([patience.isOver(request(true)), patience.isOver(request(false))]).toEqual([true, false]);
  });

  it("begins anew with an answer", () => {
    const patience = createPatience();
    for (let count = 1; count < timeoutsAtMost; count += 1) patience.learn(request(false), silent);
    patience.learn(request(false), makeExchange());
    patience.learn(request(false), silent);
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
