import { describe, expect, it } from "vitest";
import { areaOf } from "../../bench/detection/trial.ts";
import { operatorMutants } from "../../src/reference/switches/broken/operators/operator-mutants.ts";
import { askedOf, drawByArea, share, shareTitle, testDay } from "../make/runner/switch-share.ts";
import { examineKill } from "./matrix.ts";

const named = operatorMutants.filter(({ violates }) => violates.length > 0);
const drawn = askedOf(
  "operators",
  named.map((mutant) => ({ id: mutant.id, area: areaOf(mutant.id), mutant })),
  100,
);
// All of them take half an hour of a processor (`npm run test:all`): after the sample of the day CI asks a twelfth of the others.
const asked = share === "rest" ? [...drawByArea(`others/${testDay}`, drawn, 12)] : drawn;

describe(`mutants by operators (${shareTitle})`, () => {
  it.each(asked.map(({ id, mutant }) => [id, mutant] as const))("%s violates what it names", async (_, mutant) => {
    const { survived } = await examineKill(mutant);
    expect(survived).toEqual([]);
  });
});
