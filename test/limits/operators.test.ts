import { describe, expect, it } from "vitest";
import { findSwitch } from "../../src/reference/switches/switchboard.ts";
import { sampleOf, sampleTitle } from "../make/runner/sample.ts";
import { examineSwitch } from "./sockets/examine-switch.ts";

const reported = [
  ["burst", "op/setting/cooldown_seconds/lost", "burst.over-admission"],
  ["burst", "op/setting/cooldown_seconds/doubled", "burst.cooldown-too-long"],
  ["burst", "op/setting/burst_limit/doubled", "burst.over-admission"],
  ["burst", "op/setting/cooldown_seconds/lost-at-once", "burst.over-admission"],
  ["spend", "op/setting/monthly_spend_cap/lost", "spend.admitted-at-cap"],
  ["spend", "op/setting/monthly_spend_cap/doubled", "spend.lower-ignored"],
  ["spend", "op/setting/monthly_spend_cap/lost-at-once", "spend.lower-ignored"],
] as const;

/** Changes of settings that get lost where only a cooldown that passes, or money that is spent, can show it. */
describe("settings that a check alone cannot follow up", () => {
  it.each(sampleOf(reported, 2))(`the exam of %s states %s (${sampleTitle})`, async (area, id, check) => {
    const { findings } = await examineSwitch(area, findSwitch(id));
    const failing = findings.filter((finding) => finding.verdict === "fail" && finding.check === check);
    expect(failing).not.toEqual([]);
    // A reader of a lost change has to know that it met another one.
    const isSaid = failing.every(({ message }) => message.includes("set at the same moment"));
    expect(isSaid || !id.endsWith("lost-at-once")).toBe(true);
  });
});
