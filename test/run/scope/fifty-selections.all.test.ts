import { expect, it } from "vitest";
import { examineReference } from "../../conformance/examine-reference.ts";

/** The rows that a run of these suites judged or could have judged, while time flows. */
async function judgedRows(): Promise<string> {
  const { result } = await examineReference({ seed: 7, suites: ["models", "embeddings"], flowing: true });
  const rows = result.requirements.filter(({ untested, inPassing }) => untested === undefined && inPassing !== true);
  return rows.map(({ id }) => id).join(" ");
}

it("fifty runs of two suites judge equal rows, whichever requests happen to be neighbours", async () => {
  const first = await judgedRows();
  expect(first).toContain("EMB-001");
  for (let run = 1; run < 50; run += 1) expect(await judgedRows()).toBe(first);
});
