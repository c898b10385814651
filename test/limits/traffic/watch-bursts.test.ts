import { describe, expect, it } from "vitest";
import type { Manifest } from "../../../src/core/manifest.ts";
import { watchBursts } from "../../../src/limits/traffic/watch-bursts.ts";
import { makeLimitOp } from "../../make/exchanges/make-limit-op.ts";
import { manifestFor } from "../../make/load/load-target.ts";

const manifest = (settings: object): Manifest =>
  manifestFor("http://127.0.0.1:9", { restore: { keys: { primary: settings }, account: null } });

describe("watchBursts", () => {
  it("needs to know allowance and cooldown", () => {
    expect(watchBursts(manifest({}), "primary")).toBeNull();
    expect(watchBursts(manifest({ burst_limit: 5 }), "primary")).toBeNull();
    expect(watchBursts(manifest({ burst_limit: null, cooldown_seconds: 5 }), "primary")).toBeNull();
    expect(watchBursts(manifest({ burst_limit: 5, cooldown_seconds: 5 }), "another")).toBeNull();
    expect(watchBursts(manifest({ burst_limit: 5, cooldown_seconds: 5 }), "primary")?.finish()).toBeNull();
  });

  /** A first round, a silence, a request within the allowance that waits for 13 s, and what else the key asks for meanwhile. */
  function heldBeside(...others: readonly (readonly [sentMs: number, headersMs: number])[]): string | undefined {
    return verdictOn([[0, 30], [200_000, 213_000], ...others]);
  }

  function verdictOn(times: readonly (readonly [sentMs: number, headersMs: number, lateMs?: number])[]): string | undefined {
    const watch = watchBursts(manifest({ burst_limit: 5, cooldown_seconds: 5 }), "primary");
    for (const [index, [sentMs, headersMs, lateMs = 0]] of times.entries())
      watch?.onOp(makeLimitOp(index + 1, sentMs, headersMs, { lateMs }));
    const checks = watch?.finish()?.result.policies.flatMap((policy) => policy.checks);
    return checks?.find(({ id }) => id === "burst.under-admission")?.verdict;
  }

  it("accuses nobody of holding a request back while the whole service answered nothing", () => {
    expect(heldBeside([203_000, 213_100])).toBe("inconclusive");
    expect(heldBeside([203_000, 213_100], [204_000, 204_020])).toBe("fail");
  });

  it("accuses nobody of holding back what the instrument read late", () => {
    const first = [0, 30] as const;
    const beside = [
      [200_000, 200_030],
      [209_000, 209_030],
    ] as const;
    expect(verdictOn([first, ...beside, [200_020, 208_000, 0]])).toBe("fail");
    expect(verdictOn([first, ...beside, [200_020, 208_000, 40]])).toBe("fail");
    expect(verdictOn([first, ...beside, [200_020, 208_000, 7900]])).toBe("inconclusive");
    // Most of the wait is certain, but no longer than an answer may take.
    expect(verdictOn([first, ...beside, [200_000, 204_000, 800]])).toBe("inconclusive");
  });
});
