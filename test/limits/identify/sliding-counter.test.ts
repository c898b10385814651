import { describe, expect, it } from "vitest";
import { findSwitch } from "../../../src/reference/switches/switchboard.ts";
import type { ExamDepth } from "../../../src/limits/probe/probe-tools.ts";
import { sampleOf } from "../../make/runner/sample.ts";
import { examineSwitch } from "../sockets/examine-switch.ts";

/** The exams of real time against counters that weigh the window before. */
const counter = ["limits/sliding-counter", "limits/remaining-late-read"];

const reported: readonly (readonly [string, ExamDepth, string])[] = [
  ["limits/retry-after-floor", "short", "limits.retry-after-too-short"],
  ["limits/window-too-short", "full", "limits.early-renewal"],
];

const lawful: readonly (readonly [ExamDepth, readonly string[]])[] = [
  ["short", counter],
  ["full", counter],
  ["full", ["limits/sliding-log"]],
  ["full", ["limits/sliding-counter-full-reset"]],
];

describe("a counter that weighs the window before", () => {
  it.each(reported)("%s, %s exam", async (id, exam, check) => {
    const { findings } = await examineSwitch("limits", findSwitch(id), { time: "blind", variants: counter, exam });
    expect(findings.filter(({ verdict }) => verdict === "fail").map((finding) => finding.check)).toContain(check);
  });

  // The exam may begin anywhere in a window of the clock.
  it.each(sampleOf([1, 2, 3, 4, 5, 6], 3))(
    "shows that remaining leaves the last window out, exam begun at instant %i",
    async (seed) => {
      const { findings } = await examineSwitch("limits", findSwitch("limits/ignores-previous-window"), { time: "blind", seed });
      const found = findings.filter(({ verdict }) => verdict === "fail");
      expect(found.map(({ check }) => check)).toEqual(["limits.remaining-not-granted"]);
    },
  );

  it.each(lawful)("%s exam: accuses no lawful %j", async (exam, variants) => {
    const { findings } = await examineSwitch("limits", null, { time: "blind", variants, exam });
    expect(findings.filter(({ verdict }) => verdict === "fail").map(({ message }) => message)).toEqual([]);
  });
});
