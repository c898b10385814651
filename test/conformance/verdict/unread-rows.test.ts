import { describe, expect, it } from "vitest";
import type { ExchangeJudge, Judge, RunJudge } from "../../../src/conformance/judging/judge.ts";
import { judgeConformance } from "../../../src/conformance/verdict/judge-conformance.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { type ExchangeDraft, makeExchange } from "../../make/exchanges/make-exchange.ts";
import { contextWith } from "../../suites/judge-with.ts";
import { catalogue, examineReference } from "../examine-reference.ts";

it("are inconclusive where no answer could be read, with the reason, and not inapplicable", async () => {
  const { result } = await examineReference({ mutants: ["transport/coding-not-applied"], suites: ["models"] });
  const rows = result.requirements.filter(({ id }) => /^MOD-00[2-8]$/.test(id));
  expect(rows.map(({ verdict }) => verdict)).toEqual(rows.map(() => "inconclusive"));
  expect(rows.filter(({ reason }) => reason?.includes("could not be read: the body is not gzip") !== true)).toEqual([]);
  expect(rows.length).toBe(7);
});

describe("a row whose judge said nothing", () => {
  /** Rows that any answer may show, of which no case says anything. */
  const [row, other] = ["USG-014", "USG-015"] as const;
  const silent = (covers: readonly string[], judgesAll = false): ExchangeJudge => ({
    scope: "exchange",
    id: `silent on ${covers.join()}`,
    covers,
    ...(judgesAll ? {} : { concerns: ({ endpoint }) => endpoint === "usage" }),
    judge: () => undefined,
  });
  const ofRun: RunJudge = { scope: "run", id: "silent on the run", covers: [row], judge: () => [] };
  const cut = (seq: number, draft: ExchangeDraft = {}): Exchange =>
    makeExchange({ seq, endpoint: "usage", received: '{"object":', ...draft });
  const whole = (seq: number, draft: ExchangeDraft = {}): Exchange => makeExchange({ seq, endpoint: "usage", ...draft });
  const broken = { kind: "incomplete-body", message: "cut" } as const;

  function verdictOn(exchanges: readonly Exchange[], judges: readonly Judge[] = [silent([row])]): string {
    const { result } = judgeConformance({
      exchanges,
      catalogue,
      judges,
      context: contextWith(),
      suites: ["usage"],
      untested: new Map(),
      cases: [],
      strict: false,
      occurrences: [],
    });
    const { verdict, reason } = result.requirements.find(({ id }) => id === row)!;
    return `${verdict}: ${reason}`;
  }
  const inapplicable = "not-applicable: no response of this run met its condition";

  it("is inconclusive where all answers that it would have looked at could not be read or broke off", () => {
    expect(verdictOn([cut(1)])).toMatch(/^inconclusive: the answer #1 could not be read: the JSON is cut/);
    expect(verdictOn([cut(4), cut(5), cut(6)])).toMatch(/^inconclusive: the answer #4 and 2 more could not be read: the JSON/);
    expect(verdictOn([whole(2, { failure: broken }), cut(3)])).toBe(
      "inconclusive: the answer #2 and 1 more could not be read: it broke off (incomplete-body)",
    );
  });

  it("is not applicable where one of them was read", () => {
    expect(verdictOn([whole(1)])).toBe(inapplicable);
    expect(verdictOn([cut(1), whole(2), cut(3)])).toBe(inapplicable);
  });

  it("is not applicable where what could not be read would not have concerned it", () => {
    const chat = { endpoint: "chat" } as const;
    expect(verdictOn([cut(1, chat), whole(2)])).toBe(inapplicable);
    expect(verdictOn([cut(1, chat)])).toBe(inapplicable);
    expect(verdictOn([cut(1, chat)], [silent([row], true)])).toMatch(/^inconclusive/);
    expect(verdictOn([cut(1)], [silent([other])])).toBe(inapplicable);
    expect(verdictOn([cut(1, chat)], [silent([row]), silent([other], true)])).toBe(inapplicable);
    expect(verdictOn([cut(1)], [ofRun])).toBe(inapplicable);
  });

  it("does not count requests without an answer, or answers that no row describes", () => {
    expect(verdictOn([cut(1), whole(2, { status: null, failure: broken })])).toMatch(/^inconclusive: the answer #1 could/);
    expect(verdictOn([cut(1, { endpoint: null })], [silent([row], true)])).toBe(inapplicable);
    expect(verdictOn([cut(1, { status: 502, received: "<html>" })])).toBe(inapplicable);
  });
});
