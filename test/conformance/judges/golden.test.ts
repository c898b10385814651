import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { allJudges } from "../../../src/conformance/judges/all-judges.ts";
import { describeJudge, printGolden } from "./print-golden.ts";

describe("the judges", () => {
  it("are these", async () => {
    const text = [...allJudges.map(describeJudge), ""].join("\n");
    await expect(text).toMatchFileSnapshot(fileURLToPath(new URL("golden/judges.txt", import.meta.url)));
  });
});

describe("what each judge says about a lawful run, and about each defect in it", () => {
  it.each(allJudges.map((judge) => [judge.id, judge] as const))("%s", async (id, judge) => {
    await expect(printGolden(judge)).toMatchFileSnapshot(fileURLToPath(new URL(`golden/${id}.txt`, import.meta.url)));
  });
});
