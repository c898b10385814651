import { describe, expect, it } from "vitest";
import { suiteIds } from "../../src/core/result/requirement.ts";
import { readCatalogue, readReadings } from "../../src/schemas/read-catalogue.ts";
import { readSchema } from "../../src/schemas/read-schema.ts";
import { compileSchema } from "../../src/schemas/validator.ts";

const requirements = readCatalogue();
const readings = readReadings();

describe("requirement catalogue", () => {
  it("matches its schema, like the readings", () => {
    expect(compileSchema("requirement.schema")(readSchema("requirements"))).toEqual([]);
    expect(compileSchema("reading.schema")(readSchema("readings"))).toEqual([]);
  });

  it("refuses a row without a sentence", () => {
    const [row] = requirements;
    expect(compileSchema("requirement.schema")({ requirements: [{ ...row, text: "" }] })).toMatchObject([
      { pointer: "/requirements/0/text", keyword: "pattern" },
    ]);
  });

  it("has unique ids and texts", () => {
    const ids = requirements.map((row) => row.id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const texts = requirements.map((row) => row.text);
    expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
  });

  it("numbers every area from 1 without gaps, so that a lost row shows", () => {
    const areaOf = (id: string): string => id.split("-")[0]!;
    for (const area of new Set(requirements.map((row) => areaOf(row.id)))) {
      const ids = requirements.map((row) => row.id).filter((id) => areaOf(id) === area);
      expect(ids).toEqual(ids.map((_, index) => `${area}-${String(index + 1).padStart(3, "0")}`));
    }
  });

  it("gives every suite rows, and names readings that exist, each used", () => {
    expect([...suiteIds].filter((suite) => !requirements.some((row) => row.suite === suite))).toEqual([]);
    const used = new Set(requirements.map((row) => row.reading).filter((reading) => reading !== null));
    expect([...used].sort()).toEqual(readings.map((reading) => reading.id));
    expect(readings).toHaveLength(44);
  });

  it("says of each row that is neither stated nor allowed why it has its level", () => {
    const unexplained = (why: string | null, level: string): unknown =>
      compileSchema("requirement.schema")({ requirements: [{ ...requirements[0], level, why }] });
    expect(requirements.filter(({ level, why }) => (why === null) !== (level === "must" || level === "may"))).toEqual([]);
    expect(unexplained(null, "must")).toEqual([]);
    for (const level of ["implied", "should", "unspecified"]) expect(unexplained(null, level)).not.toEqual([]);
    expect(unexplained("It is stated.", "must")).not.toEqual([]);
  });

  it("cites the decided reading where a row rests on one and is no requirement", () => {
    const silent = requirements.filter(
      ({ level, reading, why }) =>
        (level === "should" || level === "unspecified") && reading !== null && !(why ?? "").includes(reading),
    );
    expect(silent.map(({ id, reading }) => `${id} ${reading}`)).toEqual([]);
  });

  it("excludes what cannot be seen from outside, and only with a reason", () => {
    const closed = requirements.filter((row) => row.how.includes("self") || row.how.includes("not-observable"));
    expect(closed.filter((row) => row.exclusion === null)).toEqual([]);
    const open = requirements.filter((row) => !closed.includes(row) && row.exclusion !== null).map((row) => row.id);
    expect(open).toEqual(["ACC-011", "AUTH-021"]);
  });
});
