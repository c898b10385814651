import { openJudgeContext } from "../../src/run/judge-context.ts";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import { judgesOf } from "../../src/conformance/plan/explain-requirement.ts";
import { judgeExchanges } from "../../src/conformance/verdict/judge-exchanges.ts";
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import { speakForThemselves } from "../../src/conformance/judges/rejections/rejects-as-stated.ts";
import { allSwitches } from "../../src/reference/switches/all-switches.ts";
import { limitChecks } from "../../src/core/result/checks/limit-checks.ts";
import { allCases } from "../../suites/all-cases.ts";
import { examineHealthy } from "./examine-healthy.ts";
import { catalogue } from "./examine-reference.ts";
import { printRanges } from "./judges/print-occurrences.ts";

const root = resolve(import.meta.dirname, "../..");

/** Requirement ids that the checks of the limits stage name. */
function limitRows(): ReadonlySet<string> {
  const folder = join(root, "src/limits");
  const listed = limitChecks.flatMap(({ requirements }) => requirements);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const text = files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
  return new Set([...listed, ...[...text.matchAll(/"([A-Z]+-\d{3})"/g)].map(([, id]) => id ?? "")]);
}

/** MUSTs that no defect of the reference service can break by themselves, and what stands for such a defect. */
const withoutMutant: Readonly<Record<string, string>> = {
  "MSG-002": "every conversation has a message of the user: a service that refuses those fails SVC-003 and CHAT-001",
  "MSG-006": "every conversation has text as content: a service that refuses it fails SVC-003 and CHAT-001",
  "VER-001": "the check of the target ends a run in which nothing is found below the prefix",
};

const specificationLines = 251;

/** Lines without a statement: blank ones, headings, heads and rules of tables, and the head of a list (181). */
const silentRanges =
  "1-2 4-6 8 16 18-24 27 29-33 40 42-46 51-55 58-62 64-68 71-75 79-83 88-90 92-94 96-98 100-102 111 113-117 122 124-128 133 135-137 139-141 145 147-149 151-155 159 161-163 165-167 169-171 173-175 181 186-188 192-194 196 198 208 210-214 216-218 225 227-229 233-235 238-242 246 248-250";

describe("the catalogue and the suites", () => {
  const ids = new Set(catalogue.map((row) => row.id));

  it("names judges and cases once", () => {
    expect(new Set(allJudges.map((judge) => judge.id)).size).toBe(allJudges.length);
    expect(new Set(allCases.map((one) => one.id)).size).toBe(allCases.length);
  });

  it("lets judges and cases cover only requirements that exist", () => {
    const covered = [...allJudges, ...allCases].flatMap((one) => one.covers.map((id) => `${one.id} ${id}`));
    expect(covered.filter((pair) => !ids.has(pair.split(" ")[1] ?? ""))).toEqual([]);
  });

  it("judges every row here or in the limits stage, or says why not", () => {
    const elsewhere = limitRows();
    const open = catalogue.filter(
      (row) =>
        row.exclusion === null && !elsewhere.has(row.id) && judgesOf(row.id, { judges: allJudges, cases: allCases }).length === 0,
    );
    expect(open.map((row) => row.id)).toEqual([]);
  });

  it("breaks every MUST by a mutant, or says what stands for it", () => {
    const broken = new Set(allSwitches.flatMap((one) => (one.kind === "mutant" ? one.violates : [])));
    const open = catalogue.filter((row) => row.level === "must" && row.exclusion === null && !broken.has(row.id));
    expect(open.map((row) => row.id).sort()).toEqual(Object.keys(withoutMutant).sort());
  });

  it("covers every line of the specification that says something", () => {
    const cited = new Set(catalogue.flatMap((row) => row.specLines));
    expect([...cited].filter((line) => !Number.isInteger(line) || line < 1 || line > specificationLines)).toEqual([]);
    const silent = Array.from({ length: specificationLines }, (_, index) => index + 1).filter((line) => !cited.has(line));
    expect(printRanges(silent)).toEqual(silentRanges);
  });

  it("has a case or passive traffic for every row that this stage judges", () => {
    const elsewhere = limitRows();
    const general = allJudges.filter((judge) => judge.boundByIntent).flatMap((judge) => judge.covers);
    const probed = new Set([...allCases.flatMap((one) => one.covers), ...general]);
    const open = catalogue.filter(
      (row) => row.exclusion === null && !row.how.includes("passive") && !probed.has(row.id) && !elsewhere.has(row.id),
    );
    expect(open.map((row) => `${row.id} ${row.suite}`)).toEqual([]);
  });
});

describe("the judges", async () => {
  const examined = await examineHealthy();

  it("have each considered something on the reference service", () => {
    const busy = new Set(examined.result.requirements.flatMap((row) => row.judges));
    // One compares fields that are not of the specification, the other names refusals that few services make: variants show both
    // (headers/ietf-fields, transport/length-required).
    expect(allJudges.map((judge) => judge.id).filter((id) => !busy.has(id))).toEqual(["framing-refused", "ietf-limits-agree"]);
  });

  it("give the same answers without clock and chance, on frozen records, in any order", () => {
    const context = openJudgeContext(examined.manifest);
    const exchanges = structuredClone(examined.exchanges).map(freeze);
    const expected = outcomes(judgeExchanges(examined.exchanges, allJudges, context));
    const [now, random] = [Date.now, Math.random];
    try {
      Date.now = forbidden;
      Math.random = forbidden;
      expect(outcomes(judgeExchanges(exchanges, allJudges, context))).toEqual(expected);
      expect(outcomes(judgeExchanges(exchanges.toReversed(), allJudges.toReversed(), context))).toEqual(expected);
    } finally {
      Date.now = now;
      Math.random = random;
    }
  });

  it("know which refusals are no MUST", () => {
    const levels = new Map(catalogue.map((row) => [row.id, row.level]));
    const strict = new Set(["no-credentials", "bad-credentials", "missing-field", "out-of-range", "malformed-json"]);
    const soft = examined.exchanges.flatMap(({ intent }) =>
      intent.kind === "violates" && strict.has(intent.condition) && levels.get(intent.requirement) !== "must"
        ? [intent.requirement]
        : [],
    );
    expect([...new Set(soft)].sort()).toEqual([...speakForThemselves].sort());
  });
});

function forbidden(): never {
  throw new Error("a judge asked for the time or for chance");
}

function freeze(exchange: Exchange): Exchange {
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
    Object.freeze(value);
    Object.values(value).forEach(visit);
  };
  visit(exchange);
  return exchange;
}

function outcomes(occurrences: ReturnType<typeof judgeExchanges>): readonly string[] {
  return occurrences.map((one) => JSON.stringify(one)).sort();
}
