import { describe, expect, it } from "vitest";
import type { Finding } from "../../src/core/result/finding.ts";
import type { SuiteId } from "../../src/core/result/requirement.ts";
import { testRandom, sampleTitle } from "../make/runner/sample.ts";
import { examineReference } from "./examine-reference.ts";

/** Defects of several areas, each with the suites in which it shows and the ids under which it is known. */
const defects: readonly { readonly mutant: string; readonly suites: readonly SuiteId[]; readonly under: readonly string[] }[] = [
  { mutant: "chat/temperature-unchecked", suites: ["core", "chat", "stream"], under: ["CHAT-020"] },
  { mutant: "auth/not-required", suites: ["core", "models"], under: ["ERR-013"] },
  { mutant: "errors/400-for-422", suites: ["core", "embeddings"], under: ["ERR-024"] },
  { mutant: "errors/200-with-error-body", suites: ["core", "chat"], under: ["CMPL-001", "ERR-021", "ERR-022"] },
  { mutant: "images/hd-refused", suites: ["core", "images"], under: ["IMG-016"] },
  { mutant: "audio/plain-text", suites: ["core", "audio"], under: ["SVC-001"] },
  { mutant: "stream/ignored", suites: ["core", "stream"], under: ["CHAT-010"] },
];

const days = [
  { seed: 1, startMs: Date.UTC(2026, 10, 21, 8, 30) },
  { seed: 20_401, startMs: Date.UTC(2027, 2, 28, 23, 59, 40) },
];

/** Two of them a day; ASSAY_TEST_ALL=1 tries all. */
const tried =
  process.env["ASSAY_TEST_ALL"] === "1"
    ? defects
    : [defects[0]!, defects[testRandom("stable findings").integer(1, defects.length - 1)]!];

describe.each(tried)(`$mutant (${sampleTitle})`, ({ mutant, suites, under }) => {
  it("is one finding, under the same id with another seed on another day", async () => {
    const nights: (readonly Finding[])[] = [];
    for (const { seed, startMs } of days) {
      const { findings } = await examineReference({ mutants: [mutant], suites, seed, startMs });
      nights.push(findings.filter(({ verdict }) => verdict === "fail"));
    }
    const [first = [], second = []] = nights.map((findings) => findings.map(({ id }) => id));
    expect(second).toEqual(first);
    expect(nights[0]!.map(({ requirement }) => requirement)).toEqual(under);
  });
});
