import { describe, expect, it } from "vitest";
import { selectStages } from "../../../src/run/stages/select-stages.ts";
import { type LimitArea, recordSwitch, type SwitchExam } from "../sockets/examine-switch.ts";
import { askFor, judgeNarrowed } from "../sockets/judge-narrowed.ts";

async function run(area: LimitArea, id: string, options: SwitchExam = {}): Promise<readonly unknown[]> {
  const record = await recordSwitch(area, null, { ...options, stages: selectStages(askFor(id)) });
  const { exitCode, reason, scope } = judgeNarrowed(id, record);
  return [exitCode, scope?.judged, reason];
}

describe("a run of limits that asks for one row or check", () => {
  const inReal: SwitchExam = { time: "blind" };

  it.each([
    ["limits", "RATE-027", {}],
    ["limits", "limits.limit-differs-from-plan", {}],
    ["spend", "SPEND-002", inReal],
    ["spend", "spend.cycle-early", inReal],
  ] as const)("of %s passes %s, whatever else its exam leaves open", async (area, id, options) => {
    const [exitCode, judged, reason] = await run(area, id, options);
    expect([exitCode, reason]).toEqual([0, expect.stringContaining("conformant in scope")]);
    expect(judged).toBeGreaterThan(0);
  });

  it.each(["spend.account-cap-ignored", "spend.keys-share-cap"])(
    "does not pass %s where no row and no policy was judged",
    async (id) => {
      expect(await run("spend", id, { without: ["spendB"] })).toEqual([3, 0, "nothing was judged"]);
    },
  );
});
