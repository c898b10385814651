import { describe, expect, it } from "vitest";
import { whyNoDefect } from "../../bench/detection/exceptions.ts";
import { coveringPersonalities, drawPersonality, lawfulPairs, type Personality } from "../../bench/detection/personalities.ts";
import { drawMutants, tryPersonality } from "../../bench/detection/trial.ts";
import { createRandom, hashString } from "../../src/core/random.ts";
import { operatorMutants, whyUnobservable } from "../../src/reference/switches/broken/operators/operator-mutants.ts";
import { isWhole } from "../make/runner/sample.ts";
import { testDay } from "../make/runner/switch-share.ts";

/** Which mutants meet which lawful server is drawn by the day: each day new combinations are tried. ASSAY_TEST_DAY repeats one. */
const mutantsADay = isWhole ? 20 : 2;
const lawfulADay = isWhole ? 10 : 1;

describe("mutants by operators", () => {
  it("are many, each once, and few of them cannot be seen from outside", () => {
    expect(operatorMutants.length).toBeGreaterThanOrEqual(600);
    expect(new Set(operatorMutants.map(({ id }) => id)).size).toBe(operatorMutants.length);
    const hidden = operatorMutants.filter(({ id }) => whyUnobservable(id) !== null).length;
    expect(hidden).toBeLessThan(operatorMutants.length / 8);
  });
});

describe("a covering array of variants", () => {
  it("holds every two variants that do not contradict each other, and none that do", () => {
    const array = coveringPersonalities(createRandom(hashString("pairs")), 8);
    const pairs = new Set(lawfulPairs());
    const covered = new Set(
      array.flatMap(({ variants }) =>
        variants.flatMap((one) => variants.filter((other) => other !== one).map((other) => `${one} ${other}`)),
      ),
    );
    expect([...pairs].filter((pair) => !covered.has(pair) && !covered.has(pair.split(" ").reverse().join(" ")))).toEqual([]);
    const isLawful = (pair: string): boolean => pairs.has(pair) || pairs.has(pair.split(" ").reverse().join(" "));
    expect([...covered].filter((pair) => !isLawful(pair))).toEqual([]);
    expect(Math.max(...array.map(({ variants }) => variants.length))).toBeLessThanOrEqual(8);
  });
});

describe(`detection (ASSAY_TEST_DAY=${testDay})`, () => {
  const random = createRandom(hashString(`detection/${testDay}`));
  const lawful = Array.from({ length: lawfulADay }, () => drawPersonality(random, random.integer(2, 6)));
  const mutants = drawMutants(random, mutantsADay);

  it.each(lawful.map((personality) => [personality.name, personality] as const))("%s is not accused", async (_, personality) => {
    const { reported, findings } = await tryPersonality(personality, null);
    expect(reported === "failed" ? findings : []).toEqual([]);
  });

  // On the next one where this one leaves nothing of it.
  const hostOf = (id: string, index: number): Personality => {
    const inTurn = lawful.map((_, place) => lawful[(index + place) % lawful.length]!);
    return inTurn.find((host) => whyNoDefect(id, host) === null) ?? inTurn[0]!;
  };
  it.each(mutants.map(({ id }, index) => [id, hostOf(id, index)] as const))(
    "%s fails the run on one of them",
    async (id, personality) => {
      const { reported } = await tryPersonality(personality, id);
      expect(`${reported} on ${personality.name}`).toBe(`failed on ${personality.name}`);
    },
  );
});
