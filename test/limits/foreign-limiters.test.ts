import { describe, expect, it } from "vitest";
import { examine, simulatedManifest } from "./simulation/exam.ts";
import { foreignServices } from "./simulation/foreign-limiters.ts";

/** As a stranger's gateway is declared: a limit, exclusive keys, nothing about bursts, no control of its clock. */
function strangeManifest(limit: number): ReturnType<typeof simulatedManifest> {
  return simulatedManifest(limit, { control: null, restore: { keys: {}, account: null } });
}

const seeds = [11, 7907];

describe("the default exam judges limiters of other dialects", () => {
  it.each(foreignServices.flatMap((one) => seeds.map((seed) => [one.id, seed, one] as const)))(
    "%s, seed %i",
    async (_id, seed, one) => {
      const { result, findings } = await examine({ seed, service: one.create(30, 60_000), manifest: strangeManifest(30) });
      const policy = result.policies[0]!;
      const failed = findings.filter(({ verdict }) => verdict === "fail").map(({ check }) => check);
      if (one.found === null) {
        expect(findings.filter(({ verdict }) => verdict === "fail").map(({ message }) => message)).toEqual([]);
        expect(policy.tier).toMatch(/^(consistent|unrefuted)$/);
        if (one.family !== undefined) expect(policy.identification!.survivors.map(({ family }) => family)).toContain(one.family);
      } else {
        const reported = one.advice ? findings.map(({ check }) => check) : failed;
        expect(one.found.some((id) => reported.includes(id))).toBe(true);
      }
      // In windows: below two, and the longest wait that the service names.
      const longest = Math.min(
        3,
        Math.max(1, ...policy.timeline.retryAfter.map(({ promisedMs, atMs }) => (promisedMs - atMs) / 60_000)),
      );
      if (one.found === null) expect(result.spent.minutes).toBeLessThan(2 + longest);
    },
  );
});
