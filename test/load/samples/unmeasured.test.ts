import { describe, expect, it } from "vitest";
import type { LoadProfileResult } from "../../../src/core/result/load-result.ts";
import { decideVerdict } from "../../../src/run/verdict/decide-verdict.ts";
import type { Answer } from "../../make/load/load-target.ts";
import { measureExchange } from "../../../src/load/samples/measure-exchange.ts";
import { context, exchangeOf } from "../../make/load/exchange-fixture.ts";
import { makeLoadResult, makeProfile } from "../../make/results/make-load-result.ts";
import { runAgainst } from "../../make/load/run-against.ts";

/** Nine requests within a second. */
function measure(answer: Answer, gates: readonly string[]): Promise<LoadProfileResult> {
  return runAgainst(answer, { arrivals: { kind: "constant", ratePerSecond: 9 }, workload: [{ endpoint: "models" }], gates });
}

function exitCode(profile: LoadProfileResult): number {
  const load = { profiles: [profile], calibration: null };
  const nothing = { findings: [], strict: false, interrupted: null, internalError: null, invalidBecause: [], unsent: null };
  return decideVerdict({ ...nothing, scope: null, lost: [], conformance: null, limits: null, load }).exitCode;
}

describe("a profile of which no request succeeds", () => {
  const reset: Answer = (_, response) => void response.socket?.resetAndDestroy();
  const silence = "nothing was measured: none of 9 requests succeeded (9 transport-error)";

  it("is not valid without gates, and says what came instead", async () => {
    const result = await measure(reset, []);
    expect(result.validity.valid).toBe(false);
    expect(result.validity.reasons).toContain(silence);
    expect(exitCode(result)).toBe(3);
  });

  it("passes no gate that absence meets", async () => {
    const result = await measure(reset, ["reject_rate < 90%", "rejects == 0"]);
    expect(result.gates.map(({ verdict }) => verdict)).toEqual(["inconclusive", "inconclusive"]);
    expect(exitCode(result)).toBe(3);
  });

  it("keeps the failure of a gate on errors, and nothing else", async () => {
    const result = await measure(reset, ["errors == 0", "rejects == 0"]);
    const [errors, rejects] = result.gates;
    // A machine too busy to send in time may have made the errors itself.
    if (result.validity.valid) expect(errors?.verdict).toBe("fail");
    expect(rejects?.verdict).toBe("inconclusive");
  });

  it("passes no gate for being late beside it", () => {
    const failed = measureExchange(exchangeOf({ failure: { kind: "connection-closed", message: "closed" } }), context).record;
    const records = Array.from({ length: 90 }, (_, index) => ({
      ...failed,
      intendedMs: 100 * index,
      issuedMs: 100 * index + 80,
    }));
    const { gates, validity } = makeLoadResult(makeProfile(10, 9, ["errors == 0", "rejects == 0"]), records);
    expect(validity.generatorLimited).toBe(true);
    expect(gates[1]?.verdict).toBe("inconclusive");
  });

  it("is measured where rejects are what its gate is about", async () => {
    const reject: Answer = (_, response) =>
      response.writeHead(429, { "content-type": "application/json" }).end('{"error":{"code":"rate_limit_exceeded"}}');
    const silent = (result: LoadProfileResult): boolean => result.validity.reasons.join().includes("nothing was measured");
    expect(silent(await measure(reject, []))).toBe(true);
    expect(silent(await measure(reject, ["rejects <= 9"]))).toBe(false);
  });
});
