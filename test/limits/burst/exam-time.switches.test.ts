import { describe, expect, it } from "vitest";
import { momentsOf } from "../../../src/core/exchange/moments.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { judgeLimits } from "../../../src/limits/exam/judge-limits.ts";
import { burstMutants } from "../../../src/reference/switches/broken/burst.ts";
import type { Mutant } from "../../../src/reference/switches/switch.ts";
import { findSwitch } from "../../../src/reference/switches/switchboard.ts";
import { askedOf, share, shareTitle } from "../../make/runner/switch-share.ts";
import { recordSwitch } from "../sockets/examine-switch.ts";

/** Two windows and the longest wait that the exam is promised. */
const cooldownSeconds = 65;
const mostSeconds = 2 * 60 + cooldownSeconds;

/** Limited at once, and too late one by one: what a minute of the clock would explain is sent once more, with its cooldown. */
const servedOneByOne = ["burst/counted-per-endpoint", "burst/usage-uncounted", "burst/per-second"];
const againSeconds = 80;

/** A queue may hold what was sent one by one for a whole cooldown, and then its allowance has to be whole for a volley: lawful or not. */
const queues: ReadonlySet<string> = new Set(["burst/mixed-preference"]);

/** A queue whose cooldown begins anew holds what was sent last for one more, and the restoring of settings with it. */
const heldOnceMore: ReadonlySet<string> = new Set(["burst/shared-by-keys", "burst/shared-under-load"]);

/** A refusal at a raised allowance is asked for once more when a change that holds from the next minute on would be in force. */
const refusedAtRaise = "burst/raising-ignored";

/** Each of them was once examined for up to eight minutes, or is the service itself. */
const always = ["burst/over-admit-one", "burst/check-then-increment"];

function secondsOf(exchanges: readonly Exchange[]): number {
  const moments = exchanges.map(momentsOf);
  return (
    (Math.max(...moments.map(({ ended }) => ended.latestMs)) - Math.min(...moments.map(({ sent }) => sent.earliestMs))) / 1000
  );
}

describe(`the default exam of bursts (${shareTitle})`, () => {
  const drawn = askedOf("burst exam times", burstMutants, 12).filter(
    ({ id }) => !queues.has(id) && !always.includes(id) && !servedOneByOne.includes(id) && id !== refusedAtRaise,
  );
  const named = share === "rest" ? [] : always.map((id) => findSwitch(id) as Mutant);
  it.each([...named, ...drawn].map((mutant) => [mutant.id, mutant] as const))(
    "takes less than two windows and the longest wait of %s",
    async (_, mutant) => {
      const { exchanges } = await recordSwitch("burst", mutant, { time: "blind" });
      expect(secondsOf(exchanges)).toBeLessThan(mostSeconds + (heldOnceMore.has(mutant.id) ? cooldownSeconds : 0));
    },
  );

  it.each(always)("has proof of %s all the same", async (id) => {
    const record = await recordSwitch("burst", findSwitch(id), { time: "blind" });
    const { policies } = judgeLimits({ ...record, strict: false }).result;
    const verdicts = policies.flatMap(({ checks }) => checks.filter((check) => check.id === "burst.over-admission"));
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(["fail", "fail"]);
  });

  it.each(servedOneByOne)("has proof of %s by the same requests at another instant of the minute", async (id) => {
    const record = await recordSwitch("burst", findSwitch(id), { time: "blind" });
    const { policies } = judgeLimits({ ...record, strict: false }).result;
    const checks = policies.flatMap((policy) => policy.checks.filter((check) => check.id === "burst.over-admission"));
    expect(checks.map(({ verdict }) => verdict)).toContain("fail");
    expect(secondsOf(record.exchanges)).toBeLessThan(mostSeconds + againSeconds);
  });

  it("asks about a raised allowance once more, and no longer than a cooldown and a minute", async () => {
    const { exchanges } = await recordSwitch("burst", findSwitch(refusedAtRaise), { time: "blind" });
    expect(secondsOf(exchanges)).toBeLessThan(mostSeconds + againSeconds);
  });

  // With this seed a minute of the clock begins in the pause after the first request: eleven are served one by one.
  it("passes a lawful service whose minute began while the allowance was being used", async () => {
    const record = await recordSwitch("burst", null, { time: "blind", seed: 2, variants: ["burst/clock-minute"] });
    const { policies } = judgeLimits({ ...record, strict: false }).result;
    const checks = policies.flatMap((policy) => policy.checks.filter(({ id }) => id === "burst.over-admission"));
    expect(checks.map(({ verdict }) => verdict)).toEqual(["pass", "pass"]);
    expect(checks.map(({ message }) => message)).toContainEqual(
      expect.stringContaining("a minute of the clock that began in between explains it"),
    );
    expect(secondsOf(record.exchanges)).toBeLessThan(mostSeconds + againSeconds);
  });
});
