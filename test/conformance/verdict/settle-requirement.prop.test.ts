import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Level, SuiteId } from "../../../src/core/result/requirement.ts";
import type { JudgedOccurrence } from "../../../src/conformance/verdict/judged-occurrence.ts";
import { settleRequirement } from "../../../src/conformance/verdict/settle-requirement.ts";
import { makeRequirement } from "../../make/results/make-requirement.ts";

const absence = { verdict: "not-applicable", reason: "nothing was seen" } as const;

type Seen = readonly [
  seq: number,
  outcome: JudgedOccurrence["outcome"],
  extra?: { retryOf?: number; stage?: Exchange["stage"]; intent?: Exchange["intent"]["kind"]; conclusive?: boolean },
];

function settle(
  level: Level,
  seen: readonly Seen[],
  { strict = false, suite = "core" }: { readonly strict?: boolean; readonly suite?: SuiteId } = {},
): string {
  const bySeq = new Map(
    seen.map(([seq, , extra]) => [
      seq,
      {
        seq,
        retryOf: extra?.retryOf ?? null,
        stage: extra?.stage ?? "conformance",
        intent: { kind: extra?.intent ?? "valid" },
      } as unknown as Exchange,
    ]),
  );
  const occurrences = seen.map(([seq, outcome, extra]): JudgedOccurrence => ({
    requirement: "T-001",
    judge: "j",
    outcome,
    exchanges: [seq],
    message: outcome,
    kind: outcome,
    conclusive: extra?.conclusive ?? false,
  }));
  return settleRequirement({
    requirement: makeRequirement({ level, suite }),
    occurrences,
    bySeq,
    absence,
    strict,
    isAskedFor: true,
  })[0].verdict;
}

describe("settleRequirement", () => {
  it("needs a subject to pass", () => {
    expect(settle("must", [])).toBe("not-applicable");
    expect(settle("must", [[1, "pass"]])).toBe("pass");
  });

  it("takes two refusals of driven limits for a confirmation: they come at another request each time", () => {
    const limit = { intent: "limit" } as const;
    expect(settle("must", [[1, "fail", limit]])).toBe("inconclusive");
    expect(
      settle("must", [
        [1, "fail", limit],
        [2, "fail", limit],
      ]),
    ).toBe("fail");
  });

  it("fails a MUST only when the violation was confirmed", () => {
    expect(settle("must", [[1, "fail"]])).toBe("inconclusive");
    expect(
      settle("must", [
        [1, "fail"],
        [2, "fail", { retryOf: 1 }],
      ]),
    ).toBe("fail");
    expect(
      settle("must", [
        [1, "fail"],
        [2, "pass", { retryOf: 1 }],
      ]),
    ).toBe("inconclusive");
    expect(settle("must", [[1, "fail", { conclusive: true }]])).toBe("fail");
    expect(settle("must", [[1, "fail", { stage: "load" }]])).toBe("inconclusive");
    expect(
      settle("must", [
        [1, "fail", { stage: "load" }],
        [2, "fail", { stage: "load" }],
      ]),
    ).toBe("fail");
  });

  it("does not take two unrepeated probes of this stage for a confirmation", () => {
    expect(
      settle("must", [
        [1, "fail"],
        [2, "fail"],
      ]),
    ).toBe("inconclusive");
  });

  it("lets another attempt settle a doubt", () => {
    expect(
      settle("must", [
        [1, "inconclusive"],
        [2, "pass", { retryOf: 1 }],
      ]),
    ).toBe("pass");
    expect(
      settle("must", [
        [1, "inconclusive"],
        [2, "pass"],
      ]),
    ).toBe("inconclusive");
  });

  it("weighs by level, and by strictness", () => {
    expect(settle("should", [[1, "fail"]])).toBe("advisory");
    expect(
      settle(
        "should",
        [
          [1, "fail"],
          [2, "fail", { retryOf: 1 }],
        ],
        { strict: true },
      ),
    ).toBe("fail");
    expect(settle("must", [[1, "advisory"]])).toBe("advisory");
    expect(settle("must", [[1, "advisory"]], { strict: true })).toBe("fail");
    expect(settle("unspecified", [[1, "fail"]])).toBe("observed");
    expect(
      settle(
        "unspecified",
        [
          [1, "fail"],
          [2, "fail", { retryOf: 1 }],
        ],
        { suite: "convention" },
      ),
    ).toBe("fail");
  });

  it("excludes what nobody can see, whatever was seen", () => {
    const requirement = makeRequirement({ exclusion: "cannot be seen" });
    const [settled] = settleRequirement({
      requirement,
      occurrences: [],
      bySeq: new Map(),
      absence,
      strict: true,
      isAskedFor: true,
    });
    expect([settled.verdict, settled.reason]).toEqual(["excluded", "cannot be seen"]);
  });

  it("does not depend on the order of occurrences", () => {
    const outcome = fc.constantFrom("pass", "fail", "advisory", "observed", "inconclusive" as const);
    const seen = fc.array(fc.tuple(outcome, fc.option(fc.integer({ min: 1, max: 5 })), fc.boolean()), { maxLength: 12 });
    fc.assert(
      fc.property(
        seen,
        fc.constantFrom<Level>("must", "should", "unspecified"),
        fc.boolean(),
        fc.infiniteStream(fc.nat()),
        (drawn, level, strict, keys) => {
          const list = drawn.map(([one, retryOf, conclusive], index): Seen => [
            index + 1,
            one,
            { conclusive, ...(retryOf === null || retryOf > index ? {} : { retryOf }) },
          ]);
          const shuffled = list
            .map((one) => [keys.next().value, one] as const)
            .toSorted((a, b) => a[0] - b[0])
            .map(([, one]) => one);
          expect(settle(level, shuffled, { strict })).toBe(settle(level, list, { strict }));
        },
      ),
    );
  });
});
