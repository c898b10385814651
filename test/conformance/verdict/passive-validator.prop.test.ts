import { openJudgeContext } from "../../../src/run/judge-context.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mayRepeatMembers } from "../../../src/conformance/judging/repeated-members.ts";
import { judgeExchange } from "../../../src/conformance/verdict/judge-exchanges.ts";
import { factsOf } from "../../../src/core/exchange/exchange-facts.ts";
import type { JsonValue } from "../../../src/core/exchange/bodies/json-value.ts";
import { allJudges } from "../../../src/conformance/judges/all-judges.ts";
import { type ExchangeJudge, isAccusation, type JudgeContext } from "../../../src/conformance/judging/judge.ts";
import { PassiveValidator } from "../../../src/conformance/verdict/passive-validator.ts";
import { scanJson } from "../../../src/conformance/judging/scan-json.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { textBody } from "../../make/exchanges/make-exchange.ts";
import type { PassiveSummary, PassiveViolation } from "../../../src/core/result/result.ts";
import { firstOfEachKind, readGolden } from "../judges/read-golden.ts";
import { answered, delta, event, exchangeOf, streamed } from "../../make/load/exchange-fixture.ts";
import { manifestFor } from "../../make/load/load-target.ts";
const context: JudgeContext = openJudgeContext(manifestFor("http://127.0.0.1:1"));
const passiveJudges = allJudges.filter((judge): judge is ExchangeJudge => judge.scope === "exchange");

/** The summary as its definition says it, from one list of all occurrences and without any tally on the way. */
function summarizePlainly(exchanges: readonly Exchange[]): Omit<PassiveSummary, "account"> {
  const answers = exchanges.filter((exchange) => exchange.response !== null);
  const all = answers.flatMap((exchange) => {
    const { response, stage, seq, endpoint } = exchange;
    const subject = `${response?.status} ${endpoint ?? "other"}${response?.stream == null ? "" : " stream"}`;
    return judgeExchange(factsOf(exchange), passiveJudges, context).map((occurrence) => ({
      judge: occurrence.judge,
      stage,
      subject,
      seq,
      occurrence,
    }));
  });
  const placeOf = (one: (typeof all)[number]): string => JSON.stringify([one.occurrence.requirement, one.stage, one.subject]);
  const bad = all.flatMap(({ occurrence, ...one }) => (isAccusation(occurrence) ? [{ ...one, occurrence }] : []));
  const kinds = new Map<string, (typeof bad)[number][]>();
  for (const one of bad) {
    const { outcome, kind: said, place, field } = one.occurrence;
    const kind = JSON.stringify([placeOf(one), one.judge, outcome, said, place, field]);
    kinds.set(kind, [...(kinds.get(kind) ?? []), one]);
  }
  const violations = [...kinds.values()].flatMap((group): readonly PassiveViolation[] => {
    const [first] = group;
    if (first === undefined) return [];
    return [
      {
        requirement: first.occurrence.requirement,
        stage: first.stage,
        subject: first.subject,
        message: first.occurrence.message ?? "",
        kind: first.occurrence.kind,
        outcome: first.occurrence.outcome,
        count: group.length,
        outOf: all.filter((one) => placeOf(one) === placeOf(first)).length,
        exchanges: group
          .slice(0, 5)
          .map(({ seq }) => seq)
          .toSorted((one, other) => one - other),
      },
    ];
  });
  return { responsesSeen: exchanges.length, responsesJudged: answers.length, violations };
}

/** How often judges say anything of a requirement, by stage and kind of answer. */
function countPlainly(exchanges: readonly Exchange[]): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const counts = new Map<string, Map<string, number>>();
  for (const exchange of exchanges) {
    const { response, stage, endpoint } = exchange;
    if (response === null) continue;
    const place = `${stage} ${response.status} ${endpoint ?? "other"}${response.stream === null ? "" : " stream"}`;
    const known = counts.get(place) ?? new Map<string, number>();
    counts.set(place, known);
    for (const { requirement } of judgeExchange(factsOf(exchange), passiveJudges, context)) {
      known.set(requirement, (known.get(requirement) ?? 0) + 1);
    }
  }
  return counts;
}

/** Violations in an order that does not depend on who listed them. */
function inOrder<Summary extends Omit<PassiveSummary, "account">>(summary: Summary): Summary {
  const violations = summary.violations.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  return { ...summary, violations };
}

const completion = {
  id: "c1",
  object: "chat.completion",
  created: 1_790_000_000,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: 'a "word" \\' }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
};
const rateHeaders = Object.fromEntries(
  ["requests", "tokens"].flatMap((unit) => [
    [`x-ratelimit-limit-${unit}`, "600"],
    [`x-ratelimit-remaining-${unit}`, "599"],
    [`x-ratelimit-reset-${unit}`, "60"],
  ]),
);
const plainType = { "content-type": "application/json" };
const chunk = { id: "c1", object: "chat.completion.chunk", created: 1, model: "m" };

/** Answers of a load run: right ones, wrong ones of every kind that a judge of single answers knows, and none. */
const answers: readonly Exchange[] = [
  answered(200, completion, { ...plainType, ...rateHeaders, date: "Mon, 21 Sep 2026 14:13:20 GMT" }),
  answered(200, completion, plainType),
  answered(200, { ...completion, choices: [] }, plainType),
  answered(200, { ...completion, id: 7, usage: { ...completion.usage, total_tokens: 31 } }, plainType),
  answered(200, completion, { "content-type": "text/plain", "x-ratelimit-limit-requests": "many" }),
  answered(429, { error: { message: "slow down", type: "rate_limit_error", code: "rate_limit_exceeded" } }, plainType),
  answered(429, { error: "quota_exceeded" }, { ...plainType, "retry-after": "soon" }),
  answered(500, "at handler (/srv/app.js:12:5)", plainType),
  streamed([delta(120, { role: "assistant" }, chunk), delta(130, { content: "x" }, chunk), event(140, "[DONE]")]),
  streamed([delta(120, { content: "x" }), event(130, "{ no json")]),
  exchangeOf({ failure: { kind: "timeout", message: "no response head" } }),
  exchangeOf({
    endpoint: "models",
    request: { method: "GET", path: "/v1/models", headers: [], body: null },
    response: { status: 200, headers: [], body: textBody('{"object":"list","object":"list","data":[]}'), stream: null },
  }),
];

/** One of each kind that a whole run meets. */
const recorded = [...firstOfEachKind(readGolden().exchanges).values()];

describe("passive validation", () => {
  it("says what a plain count over all occurrences reports", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ answer: fc.constantFrom(...answers, ...recorded), stage: fc.constantFrom("load", "limits") }), {
          maxLength: 40,
        }),
        (drawn) => {
          const run = drawn.map(({ answer, stage }, index) => exchangeOf({ ...answer, stage, seq: index + 1 }));
          const passive = new PassiveValidator({ judges: allJudges, context });
          for (const exchange of run) passive.observe(exchange);
          const { account, ...summary } = inOrder(passive.summary());
          expect(summary).toEqual(inOrder(summarizePlainly(run)));
          expect(account.reduce((sum, { sent }) => sum + sent, 0)).toBe(run.length);
          expect(passive.counts().considered).toEqual(countPlainly(run));
        },
      ),
      { numRuns: 40 },
    );
  });

  it("reports the same when several loops saw the answers and one sums up", () => {
    const comparable = ({ violations, ...rest }: PassiveSummary): object => ({
      ...rest,
      // Which of equal violations came first depends on the loops.
      violations: violations
        .map(({ message, exchanges, ...one }) => ({ ...one, message: message.replaceAll(/\d+/g, "0"), cited: exchanges.length }))
        .toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(answers.length - 1), fc.nat(2)), { maxLength: 40 }), (drawn) => {
        const together = new PassiveValidator({ judges: allJudges, context });
        const loops = [0, 1, 2].map(() => new PassiveValidator({ judges: allJudges, context }));
        for (const [index, [answer, loop]] of drawn.entries()) {
          const exchange = exchangeOf({ ...answers[answer], seq: index + 1 });
          together.observe(exchange);
          loops[loop]?.observe(exchange);
        }
        const sum = new PassiveValidator({ judges: allJudges, context });
        // Counts cross threads: nothing but plain data survives that.
        for (const loop of loops) sum.absorb(structuredClone(loop.counts()));
        expect(comparable(sum.summary())).toEqual(comparable(together.summary()));
      }),
      { numRuns: 40 },
    );
  });

  it("finds something wrong with the wrong answers, and counts it out of all", () => {
    const passive = new PassiveValidator({ judges: allJudges, context });
    for (const [index, answer] of [...answers, ...answers].entries()) passive.observe({ ...answer, seq: index + 1 });
    const { violations, responsesSeen, responsesJudged } = passive.summary();
    expect([responsesSeen, responsesJudged]).toEqual([2 * answers.length, 2 * (answers.length - 1)]);
    expect(violations.length).toBeGreaterThan(20);
    expect(violations.every(({ count, outOf }) => count >= 2 && outOf >= count)).toBe(true);
    expect(violations.some(({ count, outOf }) => outOf > count)).toBe(true);
  });
});

/** JSON text with spaces of all kinds and names that may be repeated, escaped or look like structure. */
const name = fc.constantFrom("a", "b", "__proto__", "0", '"', "\\", '\\"', ':"', '":', "a:", "é");
const text: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => {
  const space = fc.constantFrom("", " ", "\n\t", "\r\n ");
  const written = name.map((one) => JSON.stringify(one));
  const member = fc.tuple(written, space, tie("value")).map(([key, gap, value]) => `${key}${gap}:${gap}${value}`);
  return {
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.oneof(written, fc.constantFrom("null", "true", "-1.5e3", String.raw`"\u0022:\\"`)),
      fc.tuple(fc.array(member, { maxLength: 4 }), space).map(([members, gap]) => `{${gap}${members.join(`${gap},`)}${gap}}`),
      fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(" , ")}]`),
    ),
  };
}).value;

describe("the search for repeated members", () => {
  const repeated = (body: string): readonly string[] =>
    mayRepeatMembers(body, JSON.parse(body) as JsonValue) ? scanJson(body).duplicates : [];

  it("finds repeated names that are written with an escape, on every version of Node", () => {
    const body = String.raw`[{"a":{"\":":"a","\":":null}},{"b":1}]`;
    for (let round = 0; round < 50; round += 1) expect(repeated(body)).toEqual(['/0/a/":']);
  });

  it("is skipped only where the full scan finds none", () => {
    fc.assert(
      fc.property(text, (body) => {
        expect(repeated(body)).toEqual(scanJson(body).duplicates);
      }),
      { numRuns: 2000 },
    );
  });

  it("takes time in proportion to a body of backslashes and quotes, and any depth", () => {
    const deep = `${"[".repeat(500)}{"a":1,"a":2}${"]".repeat(500)}`;
    expect(repeated(deep)).toHaveLength(1);
    const slashes = JSON.stringify({ a: String.raw`\"`.repeat(200_000) });
    expect(repeated(slashes)).toEqual([]);
  });
});
