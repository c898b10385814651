import { describe, expect, it } from "vitest";
import { checkRaised } from "../../../src/limits/burst/check-raised.ts";
import type { BurstView } from "../../../src/limits/burst/burst-view.ts";
import type { LimitOp } from "../../../src/limits/history/op.ts";
import { defaultTolerances } from "../../../src/limits/history/tolerances.ts";
import { findSwitch } from "../../../src/reference/switches/switchboard.ts";
import { makeLimitOp } from "../../make/exchanges/make-limit-op.ts";
import { examineSwitch, type SwitchExam } from "../sockets/examine-switch.ts";

/** Everything that the exam has against a service with these switches, and its verdict on the raised limit. */
async function examine(
  mutant: string | null,
  options: SwitchExam = {},
): Promise<{ readonly raised: readonly string[]; readonly against: readonly string[] }> {
  const one = mutant === null ? null : findSwitch(mutant);
  const { result } = await examineSwitch("burst", one, { time: "blind", stages: new Set(["burst.volley"]), ...options });
  const checks = result.policies.flatMap((policy) => policy.checks);
  return {
    raised: checks.flatMap(({ id, verdict }) => (id === "burst.raise-ignored" ? [verdict] : [])),
    against: checks.filter(({ verdict }) => verdict === "fail" || verdict === "advisory").map(({ id }) => id),
  };
}

/** A declaration in which the key has this allowance of its own. */
const ownLimit =
  (burst_limit: number | null): NonNullable<SwitchExam["declare"]> =>
  (manifest) => ({
    ...manifest,
    restore: {
      ...manifest.restore,
      keys: Object.fromEntries(
        Object.entries(manifest.restore.keys).map(([name, settings]) => [name, { ...settings, burst_limit }]),
      ),
    },
  });

describe("a burst limit that is raised", () => {
  it.each([null, 12, 500])("fails if the lower one goes on, and nothing else does (own limit %s)", async (own) => {
    const options = { declare: ownLimit(own) };
    expect(await examine("burst/raising-ignored", options)).toEqual({ raised: ["fail"], against: ["burst.raise-ignored"] });
  });

  it("fails where requests beyond it are queued, too", async () => {
    const found = await examine("burst/raising-ignored", { variants: ["burst/queue"] });
    expect(found).toEqual({ raised: ["fail"], against: ["burst.raise-ignored"] });
  });

  it("passes, whatever limit the key has of its own", async () => {
    for (const own of [null, 12, 500])
      expect(await examine(null, { declare: ownLimit(own) })).toEqual({ raised: ["pass"], against: [] });
  });

  it.each([
    ["burst/queue"],
    ["burst/cooldown-from-excess"],
    ["burst/allowance-not-restored"],
    ["burst/clock-minute"],
    ["burst/first-request-minute"],
    ["burst/refilling"],
    ["settings/delayed"],
    ["settings/patch-204"],
  ])("accuses no lawful %s", async (variant) => {
    for (const seed of [1, 2, 3]) {
      const { raised, against } = await examine(null, { variants: [variant], seed });
      expect({ raised: raised.filter((verdict) => verdict !== "pass"), against }).toEqual({ raised: [], against: [] });
    }
  });
});

/** Requests at the raised allowance, 10 ms apart from `fromMs` on: as many served as named, and one that was not. */
function requestsAt(fromMs: number, served: number, last: Partial<LimitOp>, atServed: Partial<LimitOp> = {}): readonly LimitOp[] {
  return Array.from({ length: served + 1 }, (_, index) => {
    const sentMs = fromMs + 10 * index;
    const own = { key: "examBurst", policy: "burst", phase: "window-used" } as const;
    const answer = index < served ? { status: 200, outcome: "admitted" as const, ...atServed } : last;
    return makeLimitOp(fromMs + index, sentMs, sentMs + 5, { ...own, label: `window-used-${index}`, ...answer });
  });
}

const refusedFor = (seconds: number | null): Partial<LimitOp> => ({
  status: 429,
  outcome: "rejected",
  cause: "burst",
  retry: { header: null, bodySeconds: null, bodyMs: null, headerMs: null, problems: [], seconds },
});
const refusal = refusedFor(65);

/** The limit of 10 is raised to 40 at 0 ms. */
function verdictOn(ops: readonly LimitOp[], more: Partial<BurstView> = {}): string | undefined {
  const change = { seq: 1, subject: "key:examBurst", sentMs: -200_000, answeredMs: -199_990, settings: { burst_limit: 10 } };
  const raise = { seq: 2, subject: "key:examBurst", sentMs: -5, answeredMs: 0, settings: { burst_limit: 40 } };
  const view: BurstView = {
    key: "examBurst",
    burst: 10,
    cooldownMs: 65_000,
    change,
    changes: [change, raise],
    isSetAtOnce: false,
    isStall: () => false,
    isWatched: () => true,
    waitedUntilMs: () => Number.NEGATIVE_INFINITY,
    ops,
    rounds: [],
    otherKeyOps: [],
    lastAnsweredMs: 0,
    below: [],
    tolerances: defaultTolerances,
    exclusive: true,
    propagationMs: 0,
    ...more,
  };
  return checkRaised(view)[0]?.verdict;
}

describe("the judge of a raised burst limit", () => {
  it("accuses a refusal of the old allowance when a minute has passed since the change", () => {
    expect(verdictOn(requestsAt(75_000, 10, refusal))).toBe("fail");
    expect(verdictOn([...requestsAt(500, 10, refusal), ...requestsAt(75_000, 10, refusal)])).toBe("fail");
    expect(verdictOn(requestsAt(75_000, 10, { status: 200, outcome: "admitted", headersMs: 140_000 }))).toBe("fail");
  });

  it("waits for the next minute, and for changes that take their time", () => {
    expect(verdictOn(requestsAt(500, 10, refusal))).toBe("inconclusive");
    expect(verdictOn([...requestsAt(70_000, 0, refusal), ...requestsAt(100_000, 10, refusal)])).toBe("inconclusive");
    expect(verdictOn(requestsAt(75_000, 10, refusal), { propagationMs: 60_000 })).toBe("inconclusive");
  });

  it("accuses nobody where a cooldown, another limit or another client explains the refusal", () => {
    expect(verdictOn(requestsAt(75_000, 0, refusal))).toBe("inconclusive");
    expect(verdictOn(requestsAt(75_000, 10, { ...refusal, cause: "requests" }))).toBe("not-applicable");
    const usedUp = { requests: { limit: 10, remaining: 0, resetMs: null, resetFormat: null } };
    expect(verdictOn(requestsAt(75_000, 10, { ...refusal, cause: "unknown" }, usedUp))).toBe("not-applicable");
    expect(verdictOn(requestsAt(75_000, 10, refusal), { exclusive: false })).toBe("inconclusive");
    const before = requestsAt(60_000, 29, { status: 200, outcome: "admitted" }).map((op) => ({
      ...op,
      phase: "below-2" as const,
    }));
    expect(verdictOn([...before, ...requestsAt(75_000, 10, refusal)])).toBe("inconclusive");
  });

  it("accuses no refusal whose wait is not the cooldown, and none that is no refusal", () => {
    for (const seconds of [2, 10, 60, 3600])
      expect(verdictOn(requestsAt(75_000, 15, { ...refusedFor(seconds), cause: "unknown" }))).toBe("not-applicable");
    expect(verdictOn(requestsAt(75_000, 15, { ...refusedFor(null), cause: "unknown" }))).toBe("inconclusive");
    expect(verdictOn(requestsAt(75_000, 15, { status: 402, outcome: "other" }))).toBe("not-applicable");
    expect(verdictOn(requestsAt(75_000, 15, { ...refusal, cause: "spend" }))).toBe("not-applicable");
  });

  it("does not pass on what two minutes of the old allowance let through", () => {
    expect(verdictOn(requestsAt(500, 20, refusal))).toBe("inconclusive");
    expect(verdictOn(requestsAt(500, 21, refusal))).toBe("pass");
  });
});
