import { describe, expect, it } from "vitest";
import { limitPersonalities } from "../../../bench/limits/personalities.ts";
import { findSwitch } from "../../../src/reference/switches/switchboard.ts";
import { examineSwitch } from "../sockets/examine-switch.ts";

/** A service that queues beyond the allowance refuses nothing: what it holds, and for how long, is all that shows. */
const reported: readonly (readonly [string, string])[] = [
  ["burst/cooldown-double", "burst.cooldown-too-long"],
  // The queue holds requests longer than any exam lasts.
  ["burst/cooldown-in-minutes", "queue.request-lost"],
  ["burst/under-admit-one", "burst.under-admission"],
];

describe("bursts of a service that queues", () => {
  it.each(reported)("%s", async (id, check) => {
    const { findings } = await examineSwitch("burst", findSwitch(id), { time: "blind", variants: ["burst/queue"] });
    expect(findings.filter(({ verdict }) => verdict === "fail").map((finding) => finding.check)).toContain(check);
  });

  // The exam gives up a request that is held for 65 minutes after three, and so all later ones: the policy passed once.
  it("burst/cooldown-in-minutes, by the full exam of a small bucket as well", async () => {
    const { variants } = limitPersonalities.find(({ name }) => name === "small bucket, queue")!;
    const mutant = findSwitch("burst/cooldown-in-minutes");
    const { findings } = await examineSwitch("burst", mutant, { time: "blind", exam: "full", variants, mayEndEarly: true });
    expect(findings.filter(({ verdict }) => verdict === "fail").map(({ check }) => check)).toContain("queue.request-lost");
  });

  it.each(limitPersonalities.map(({ name, variants }) => [name, variants] as const))(
    "accuses no lawful service in the full exam: %s",
    async (_, variants) => {
      const { findings } = await examineSwitch("burst", null, { time: "blind", exam: "full", variants });
      expect(findings.filter(({ verdict }) => verdict === "fail").map(({ message }) => message)).toEqual([]);
    },
  );

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
