import { expect, it } from "vitest";
import { allCases, thoroughCases } from "../../../suites/all-cases.ts";
import type { Case } from "../../../src/conformance/plan/case.ts";
import { casesOfRun } from "../../../src/run/cases-of-run.ts";

const requestsOf = ({ cost }: Case): number => Object.values(cost.requests).reduce((sum, count) => sum + count, 0);

it("are the usual cases, of which those with generated requests send more", () => {
  const thorough = thoroughCases();
  expect(thorough.map(({ id }) => id)).toEqual(allCases.map(({ id }) => id));
  const longer = thorough.filter((one, place) => requestsOf(one) > 2 * requestsOf(allCases[place]!));
  expect(longer.map(({ id }) => id)).toEqual(["chat/options", "embeddings/options", "images/options", "audio/options"]);
  expect(thorough.filter((one) => !longer.includes(one)).map(requestsOf).length).toBe(allCases.length - 4);
});

it("are asked for by an option of a run", () => {
  const requests = (cases: readonly Case[]): number => cases.reduce((sum, one) => sum + requestsOf(one), 0);
  expect(casesOfRun({})).toBe(allCases);
  expect(requests(casesOfRun({ thorough: true }))).toBeGreaterThan(requests(allCases) + 200);
});
