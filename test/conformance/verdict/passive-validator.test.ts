import { describe, expect, it } from "vitest";
import type { ExchangeJudge, Judge, Occurrence } from "../../../src/conformance/judging/judge.ts";
import { judgeEach } from "../../../src/conformance/verdict/judge-exchanges.ts";
import { PassiveValidator } from "../../../src/conformance/verdict/passive-validator.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { PassiveViolation } from "../../../src/core/result/result.ts";
import { type ExchangeDraft, makeExchange } from "../../make/exchanges/make-exchange.ts";
import { contextWith } from "../../suites/judge-with.ts";

const context = contextWith();

/** Says of each exchange what the test wants. */
function judge(say: (exchange: Exchange) => readonly Partial<Occurrence>[], more: Partial<ExchangeJudge> = {}): ExchangeJudge {
  return {
    scope: "exchange",
    id: "j",
    covers: [],
    boundByIntent: true,
    judge(exchange, outcomes) {
      for (const { requirement = "A-1", outcome = "fail", message = "", place, around: _around, ...words } of say(exchange)) {
        if (outcome === "pass") outcomes.pass(requirement);
        else if (outcome === "observed") outcomes.observed(requirement, () => message);
        else if (outcome === "inconclusive") outcomes.inconclusive(requirement, message);
        else {
          const shown = place === undefined ? { message } : { place };
          outcomes[outcome](requirement, { kind: message, ...shown, expected: "e", observed: "o", ...words });
        }
      }
    },
    ...more,
  };
}

function validate(judges: readonly Judge[], violationsKept?: number): PassiveValidator {
  return new PassiveValidator({ judges, context, ...(violationsKept === undefined ? {} : { violationsKept }) });
}

function observe(validator: PassiveValidator, drafts: readonly ExchangeDraft[]): readonly PassiveViolation[] {
  for (const [index, draft] of drafts.entries()) validator.observe(makeExchange({ seq: index + 1, stage: "load", ...draft }));
  return validator.summary().violations;
}

function brief({ requirement, stage, subject, message, count, outOf, exchanges }: PassiveViolation): string {
  return `${requirement} ${stage} ${subject}: ${message} ${count}/${outOf} ${exchanges.map((seq) => `#${seq}`).join(" ")}`;
}

const fails = judge(() => [{ message: "m" }]);

describe("a passive validator", () => {
  it("counts what it saw, what was answered, and what was judged of each kind of answer", () => {
    const validator = validate([judge(({ seq }) => [seq % 2 === 1 ? { message: "m" } : { outcome: "pass" }])]);
    const reported = observe(validator, [{}, {}, { status: null }, { status: 429 }, { status: 429 }, {}]);
    const { account, ...summary } = validator.summary();
    expect(summary).toEqual({ responsesSeen: 6, responsesJudged: 5, violations: reported });
    const excused = [{ reason: "no answer (none)", count: 1 }];
    expect(account).toEqual([{ stage: "load", operation: "models", sent: 6, judged: 5, unreadable: [], excused }]);
    expect(reported.map(brief)).toEqual(["A-1 load 200 models: m 1/3 #1", "A-1 load 429 models: m 1/2 #5"]);
  });

  it("keeps apart answers of another stage, status, operation or form, and no others", () => {
    const drafts: readonly ExchangeDraft[] = [
      {},
      { stage: "limits" },
      { status: 500 },
      { endpoint: "chat" },
      { endpoint: "chat", stream: true },
      { endpoint: null },
      { intent: { kind: "load", profile: "p", phase: "measure" } },
    ];
    expect(observe(validate([fails]), drafts).map(brief)).toEqual([
      "A-1 limits 200 models: m 1/1 #2",
      "A-1 load 200 chat: m 1/1 #4",
      "A-1 load 200 chat stream: m 1/1 #5",
      "A-1 load 200 models: m 2/2 #1 #7",
      "A-1 load 200 other: m 1/1 #6",
      "A-1 load 500 models: m 1/1 #3",
    ]);
  });

  it("reports violations and advisories, and nothing else", () => {
    const outcomes = ["pass", "fail", "advisory", "observed", "inconclusive"] as const;
    const validator = validate([judge(() => outcomes.map((outcome) => ({ outcome, message: outcome })))]);
    expect(observe(validator, [{}]).map(brief)).toEqual([
      "A-1 load 200 models: advisory 1/5 #1",
      "A-1 load 200 models: fail 1/5 #1",
    ]);
  });

  it("takes violations of one kind, place and member for equal, whatever the words, and cites five in order", () => {
    const validator = validate([judge(({ seq }) => [{ kind: "took long", message: `took ${10 ** seq} ms` }])]);
    for (const seq of [7, 6, 5, 4, 3, 2]) validator.observe(makeExchange({ seq }));
    expect(validator.summary().violations.map(brief)).toEqual([
      "A-1 conformance 200 models: took 10000000 ms 6/6 #3 #4 #5 #6 #7",
    ]);
    for (const differing of ["kind", "place", "field"]) {
      const words = validate([judge(({ seq }) => [{ kind: "k", message: "m", [differing]: `${seq}` }])]);
      expect(observe(words, [{}, {}])).toHaveLength(2);
    }
    expect(observe(validate([judge(({ seq }) => [{ requirement: `A-${seq}`, message: "m" }])]), [{}, {}])).toHaveLength(2);
    const second = judge(({ seq }) => (seq === 1 ? [{ message: "m" }] : []), { id: "i" });
    expect(observe(validate([fails, second]), [{}, {}]).map(({ count }) => count)).toEqual([2, 1]);
  });

  it("keeps so many kinds of violations, and counts on those that it keeps", () => {
    const validator = validate([judge(() => ["b", "a", "c"].map((message) => ({ message })))], 2);
    expect(observe(validator, [{}, {}]).map(brief)).toEqual([
      "A-1 load 200 models: a 2/6 #1 #2",
      "A-1 load 200 models: b 2/6 #1 #2",
    ]);
    const letters = Array.from({ length: 201 }, (_, index) => String.fromCodePoint(0x4e00 + index));
    expect(observe(validate([judge(() => letters.map((message) => ({ message })))]), [{}])).toHaveLength(200);
  });

  it("asks judges of single exchanges only, and those only whose concern it is", () => {
    const run: Judge = {
      scope: "run",
      id: "run",
      covers: [],
      judge: () => {
        throw new Error("asked");
      },
    };
    const kinds: unknown[] = [];
    const picky = judge(() => [{ message: "m" }], {
      concerns: (kind) => {
        kinds.push(kind);
        return kind.status === 500;
      },
    });
    expect(observe(validate([run, picky]), [{}, { status: 500, stream: true }, {}]).map(({ subject }) => subject)).toEqual([
      "500 models stream",
    ]);
    const loaded = judge(() => [{ message: "m" }], { concerns: ({ intent }) => intent === "load" });
    const load = { kind: "load", profile: "p", phase: "measure" } as const;
    expect(observe(validate([loaded]), [{}, { intent: load }]).map(brief)).toEqual(["A-1 load 200 models: m 1/1 #2"]);
    const known = { endpoint: "models", intent: "valid" };
    expect(kinds).toEqual([
      { ...known, status: 200, streamed: false },
      { ...known, status: 500, streamed: true },
    ]);
  });

  it("counts requirements in whatever order they are said, and however many", () => {
    const orders = [["A-1"], ["A-1"], ["A-1", "A-1", "B-1"], ["B-1", "A-1"], [], ["A-1", "B-1", "A-1"]];
    const passes = judge(({ seq }) => [
      ...(orders[seq - 1] ?? []).map((requirement) => ({ requirement, outcome: "pass" as const })),
      ...(seq === 4 ? [{ message: "m" }, { requirement: "B-1", message: "n" }] : []),
    ]);
    const validator = validate([passes]);
    const reported = ["A-1 load 200 models: m 1/8 #4", "B-1 load 200 models: n 1/4 #4"];
    expect(
      observe(
        validator,
        orders.map(() => ({})),
      ).map(brief),
    ).toEqual(reported);
    expect(validator.summary().violations.map(brief)).toEqual(reported);
  });

  it("counts what was said already as if it had judged itself", () => {
    const say = judge(({ seq }) => [seq === 2 ? { message: "m" } : { outcome: "pass" }, { outcome: "observed" }]);
    const exchanges = [1, 2, 3].map((seq) => makeExchange({ seq }));
    const judged = judgeEach(exchanges, [say], context);
    const [heard, judging] = [validate([]), validate([say])];
    for (const exchange of exchanges) {
      heard.observe(exchange, judged.get(exchange.seq));
      judging.observe(exchange);
    }
    expect(heard.summary()).toEqual(judging.summary());
    expect(heard.summary().violations.map(brief)).toEqual(["A-1 conformance 200 models: m 1/6 #2"]);
  });

  it("notes a judge that failed on an answer, and lets the others judge it", () => {
    const failing = judge(({ seq }) => {
      if (seq < 3) throw new Error(`x${seq}`);
      return [{ message: "m" }];
    });
    const validator = validate([failing, judge(() => [{ requirement: "B-1", message: "n" }])]);
    const reported = observe(validator, [{}, {}, {}, { stage: "limits" }]).map(brief);
    expect(reported).toContain("A-1 load 200 models: m 1/1 #3");
    expect(reported).toContain("B-1 load 200 models: n 3/3 #1 #2 #3");
    expect(validator.unjudged()).toEqual([{ judge: "j", stage: "load", fault: "x1", count: 2, seq: 1 }]);
    const sum = validate([]);
    sum.absorb(validator.counts());
    sum.absorb(validator.counts());
    expect(sum.unjudged()).toEqual([{ judge: "j", stage: "load", fault: "x1", count: 4, seq: 1 }]);
  });

  it("adds what others saw", () => {
    const say = judge(({ seq, stage }) => [
      { message: stage === "limits" ? "x" : "m" },
      ...(seq === 1 ? [{ message: "n" }] : []),
    ]);
    const [one, other] = [validate([say], 2), validate([say])];
    observe(one, [{}, {}, {}]);
    observe(other, [{ status: null }, {}, {}, {}, { stage: "limits" }]);
    const counts = structuredClone(other.counts());
    one.absorb(counts);
    expect(one.summary()).toEqual({
      responsesSeen: 8,
      responsesJudged: 7,
      account: [
        {
          stage: "limits",
          operation: "models",
          sent: 1,
          judged: 1,
          unreadable: [],
          excused: [],
        },
        {
          stage: "load",
          operation: "models",
          sent: 7,
          judged: 6,
          unreadable: [],
          excused: [{ reason: "no answer (none)", count: 1 }],
        },
      ],
      violations: one.summary().violations,
    });
    expect(one.summary().violations.map(brief)).toEqual([
      "A-1 load 200 models: m 6/7 #1 #2 #2 #3 #3",
      "A-1 load 200 models: n 1/7 #1",
    ]);
    const empty = validate([say]);
    empty.absorb(counts);
    expect(empty.summary()).toEqual(other.summary());
    observe(empty, [{}]);
    expect(other.summary().violations.map(({ count }) => count)).toEqual([1, 3]);
    expect(counts.tallies.get([...counts.tallies.keys()][0] ?? "")?.exchanges).toEqual([2, 3, 4]);
  });
});
