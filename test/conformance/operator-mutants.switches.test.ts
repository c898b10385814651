import { describe, expect, it } from "vitest";
import { areaOf } from "../../bench/detection/trial.ts";
import { operatorMutants } from "../../src/reference/switches/broken/operators/operator-mutants.ts";
import { drawByArea, share, shareTitle, testDay } from "../make/runner/switch-share.ts";
import { examineKill } from "./matrix.ts";

const named = operatorMutants
  .filter(({ violates }) => violates.length > 0)
  .map((mutant) => ({ id: mutant.id, area: areaOf(mutant.id), mutant }));
const perArea = [...drawByArea(`operators/${testDay}`, named, 100)];
/** `npm test` asks of a third of the areas each day. */
const today = new Set(
  [
    ...drawByArea(
      `areas/${testDay}`,
      perArea.map(({ id }) => ({ id, area: "any" })),
      3,
    ),
  ].map(({ id }) => id),
);
const sample = perArea.filter(({ id }) => today.has(id));
const others = named.filter(({ id }) => !today.has(id));
// All of them take a quarter of an hour and more of a processor (`npm run test:all`): after the sample of the day CI asks one in six of the others.
const asked = { sample, rest: [...drawByArea(`others/${testDay}`, others, 6)], all: named }[share];

describe(`mutants by operators (${shareTitle})`, () => {
  it.each(asked.map(({ id, mutant }) => [id, mutant] as const))("%s violates what it names", async (_, mutant) => {
    const { survived } = await examineKill(mutant);
    expect(survived).toEqual([]);
  });
});
