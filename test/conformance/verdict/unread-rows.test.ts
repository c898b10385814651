import { expect, it } from "vitest";
import { examineReference } from "../examine-reference.ts";

it("are inconclusive where no answer could be read, with the reason, and not inapplicable", async () => {
  const { result } = await examineReference({ mutants: ["transport/coding-not-applied"], suites: ["models"] });
  const rows = result.requirements.filter(({ id }) => /^MOD-00[2-8]$/.test(id));
  expect(rows.map(({ verdict }) => verdict)).toEqual(rows.map(() => "inconclusive"));
  expect(rows.filter(({ reason }) => reason?.includes("could not be read: the body is not gzip") !== true)).toEqual([]);
  expect(rows.length).toBe(7);
});
