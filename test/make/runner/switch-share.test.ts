import { expect, it } from "vitest";
import { allSwitches } from "../../../src/reference/switches/all-switches.ts";
import { drawByArea, shareOf } from "./switch-share.ts";

const draw = (day: string): ReadonlySet<(typeof allSwitches)[number]> => drawByArea(`switches/${day}`, allSwitches, 10);
const areas = new Set(allSwitches.map(({ area }) => area));

it("draws of every area, each day others, and the same for the same day", () => {
  const drawn = draw("2026-03-01");
  expect(new Set([...drawn].map(({ area }) => area))).toEqual(areas);
  expect(drawn.size).toBeLessThanOrEqual(allSwitches.length / 10 + areas.size);
  expect([...draw("2026-03-01")]).toEqual([...drawn]);
  expect([...draw("2026-03-02")]).not.toEqual([...drawn]);
});

it("asks each of them in the sample or in the rest, and none in both", () => {
  const drawn = draw("2026-03-01");
  const [sample, rest] = [shareOf(allSwitches, drawn, "sample"), shareOf(allSwitches, drawn, "rest")];
  expect(sample.length + rest.length).toBe(allSwitches.length);
  expect(new Set([...sample, ...rest])).toEqual(new Set(allSwitches));
  expect(shareOf(allSwitches, drawn, "all")).toEqual(allSwitches);
});

it("draws every one of them within some months", () => {
  const met = new Set(Array.from({ length: 120 }, (_, day) => [...draw(`day ${day}`)]).flat());
  expect(allSwitches.filter((one) => !met.has(one)).map(({ id }) => id)).toEqual([]);
});
