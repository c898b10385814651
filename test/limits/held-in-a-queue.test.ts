import { describe, expect, it } from "vitest";
import { findSwitch } from "../../src/reference/defects/switchboard.ts";
import { examineSwitch } from "./examine-switch.ts";

/** A service that queues beyond the allowance refuses nothing: what it holds, and for how long, is all that shows. */
const reported: readonly (readonly [string, string])[] = [
  ["burst/cooldown-double", "burst.cooldown-too-long"],
  ["burst/cooldown-in-minutes", "burst.cooldown-too-long"],
  ["burst/under-admit-one", "burst.under-admission"],
];

describe("bursts of a service that queues", () => {
  it.each(reported)("%s", async (id, check) => {
    const { findings } = await examineSwitch("burst", findSwitch(id), { time: "blind", variants: ["burst/queue"] });
    expect(findings.filter(({ verdict }) => verdict === "fail").map((finding) => finding.check)).toContain(check);
  });

  it.each([
    [["burst/queue"]],
    [["burst/queue", "burst/queue-lifo"]],
    [["burst/queue", "burst/clock-minute"]],
    [["burst/queue", "burst/refilling"]],
    [["burst/queue", "burst/cooldown-from-excess"]],
    [["burst/queue", "burst/allowance-not-restored"]],
  ])("accuses no lawful %j", async (variants) => {
    const { findings } = await examineSwitch("burst", null, { time: "blind", variants });
    expect(findings.filter(({ verdict }) => verdict === "fail").map(({ message }) => message)).toEqual([]);
  });
});
