import { describe, expect, it } from "vitest";
import { jumpingClock } from "../../make/jumping-clock.ts";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import type { LoadProfile } from "../../../src/load/profile/load-profile.ts";
import { planLoad } from "../../../src/load/plan/plan-load.ts";
import { builtInProfiles, loadProfile } from "../../../src/load/plan/read-profile.ts";
import { runLoadProfile } from "../../../src/load/run-load-profile.ts";
import { isWhole } from "../../make/runner/sample.ts";
import { answeredAt, answered } from "../../make/load/exchange-fixture.ts";
import { manifestFor } from "../../make/load/load-target.ts";

const key = { burst_limit: 20, cooldown_seconds: 10, monthly_spend_cap: 5000 };
const manifest = manifestFor("http://127.0.0.1:1", {
  limits: { requestsPerMinute: 60, tokensPerMinute: 100_000, algorithm: null, queueing: "unknown" },
  permissions: {
    ...manifestFor("http://127.0.0.1:1").permissions,
    exhaustLimits: true,
    patchSettings: true,
    spendUpToCents: 500,
  },
  keys: Object.fromEntries(
    ["primary", "lowLimit", "spendA"].map((name) => [name, { secret: `sk_${name}`, id: name, createdAtMs: null }]),
  ),
  restore: { keys: { primary: key, lowLimit: key, spendA: key }, account: null },
});

/** A closed loop asks for its answers as long as it is reported, and long profiles cost seconds of work. */
function isShort({ arrivals }: LoadProfile, sends: number): boolean {
  return arrivals.kind !== "closed" && (isWhole || sends < 1500);
}

const profiles = builtInProfiles()
  .map((id) => loadProfile(id).profile)
  .filter((profile) => isShort(profile, planLoad({ profile, manifest, seed: 1 }).sends.length));

describe("the time that a load profile is said to take", () => {
  it("is that of most profiles in a moment", () => {
    expect(profiles.length).toBeGreaterThanOrEqual(6);
  });

  it.each(profiles.map((profile) => [profile.id, profile] as const))("is right within a fifth: %s", async (_, profile) => {
    const clock = jumpingClock();
    const send = (request: SendRequest): ReturnType<typeof sender.send> => {
      const body = { choices: [{ index: 0, message: { role: "assistant", content: "yes" } }], aggregate: { total_tokens: 0 } };
      return Promise.resolve(answeredAt(answered(200, body), request, clock.nowMs()));
    };
    const sender: Parameters<typeof runLoadProfile>[0]["sender"] = { send, burst: () => Promise.resolve([]) };
    const plan = planLoad({ profile, manifest, seed: 1 });
    await runLoadProfile({ profile, manifest, sender, clock, seed: 1, virtualTime: true });
    expect(Math.abs(clock.nowMs() / plan.durationMs - 1), `${clock.nowMs()} of ${plan.durationMs} ms`).toBeLessThan(0.2);
  });
});
