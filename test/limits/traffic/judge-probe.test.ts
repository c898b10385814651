import { expect, it } from "vitest";
import type { LimitOp } from "../../../src/limits/history/op.ts";
import { judgeProbe } from "../../../src/limits/traffic/judge-probe.ts";
import { makeLimitOp } from "../../make/exchanges/make-limit-op.ts";
import { accountManifest } from "../simulation/lawful-accounts.ts";

const burst = 60;
const everyMs = 2000;

/** Verdict on the allowance of a probe that asks every two seconds for five minutes; `isRefused` by the instant, in ms. */
function verdictOf(isRefused: (sentMs: number) => boolean): string | undefined {
  const ops: LimitOp[] = Array.from({ length: 150 }, (_, index) => {
    const sentMs = index * everyMs;
    const answer = isRefused(sentMs) ? { status: 429, outcome: "rejected" as const } : {};
    return makeLimitOp(index + 1, sentMs, sentMs + 20, { endpoint: "models", policy: "", phase: "load", ...answer });
  });
  const manifest = accountManifest("burst");
  const settings = { ...manifest.restore.keys["probed"], burst_limit: burst, cooldown_seconds: 5 };
  const restore = { ...manifest.restore, keys: { ...manifest.restore.keys, probed: settings } };
  const ofBurst = new Set(ops.filter(({ outcome }) => outcome === "rejected").map(({ seq }) => seq));
  const judged = judgeProbe({ key: "probed", ops, ofBurst, manifest: { ...manifest, exclusive: true, restore } });
  return judged.find(({ kind }) => kind === "burst")?.checks[0]?.verdict;
}

it("accuses a refusal of a key that was served before and has not sent its allowance since", () => {
  expect(verdictOf((sentMs) => sentMs === 200_000)).toBe("fail");
  expect(verdictOf(() => false)).toBe("pass");
});

it("accuses no cooldown from before the load that attempts prolong", () => {
  expect(verdictOf(() => true)).toBe("inconclusive");
  expect(verdictOf((sentMs) => sentMs < 200_000)).toBe("pass");
});
