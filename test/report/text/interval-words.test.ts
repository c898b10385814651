import { describe, expect, it } from "vitest";
import type { GateDoubt } from "../../../src/core/result/gate-result.ts";
import type { Result } from "../../../src/core/result/result.ts";
import { renderHtml } from "../../../src/report/html/render-html.ts";
import { renderMarkdown } from "../../../src/report/reporters/markdown.ts";
import { profileResult, resultOf } from "../../make/results/result-fixture.ts";

const mark = "(not certified)";
const profile = profileResult({ seed: 1 });

/** The same profile with a gate that was withheld for this reason. */
function withheld(doubt: GateDoubt, valid: boolean): Result {
  const gates = profile.gates.map((gate) => ({ ...gate, verdict: "inconclusive" as const, margin: null, doubt }));
  return resultOf([{ ...profile, gates, validity: { valid, reasons: valid ? [] : ["generator-limited"] } }]);
}

function textOf(result: Result): string {
  const page = renderHtml(result, []).replaceAll(/<[^>]*>/g, " ");
  return page.replaceAll(/\s+/g, " ");
}

describe("an interval", () => {
  it("stands alone where nothing but sampling moved the figure", () => {
    const sound = resultOf([profile]);
    expect(profile.gates[0]?.low).not.toBeNull();
    expect(renderMarkdown(sound)).not.toContain(mark);
    expect(textOf(sound)).not.toMatch(/not certified/);
    expect(renderMarkdown(withheld("too-few", true))).not.toContain(mark);
  });

  it.each(["run-invalid", "unsettled", "instrument"] as const)("of a gate that was withheld (%s) is marked", (doubt) => {
    const result = withheld(doubt, doubt !== "run-invalid");
    expect(renderMarkdown(result)).toContain(mark);
    expect(textOf(result)).toContain(mark);
  });

  it("of a profile that is not valid, or of a target that never settled, is said not to be certified", () => {
    expect(textOf(withheld("run-invalid", false))).toContain("are not certified: the measurement is not valid.");
    expect(textOf(withheld("unsettled", true))).toContain("are not certified: the target never settled.");
    expect(textOf(withheld("instrument", true))).not.toContain("are not certified");
  });
});
