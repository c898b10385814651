import { describe, expect, it } from "vitest";
import type { Exchange, RecordedResponse, Timing } from "../../src/core/exchange/exchange.ts";
import { factsOf } from "../../src/core/exchange/exchange-facts.ts";
import { isStated, statedAnswers } from "../../src/core/ends/stated-answers.ts";
import { type LimitArea, recordSwitch } from "../limits/sockets/examine-switch.ts";
import { isWhole, testRandom } from "../make/runner/sample.ts";
import { judgeLimits } from "../../src/limits/exam/judge-limits.ts";
import { outcomesAsStated } from "../../src/conformance/judges/outcomes/outcomes-as-stated.ts";
import { judgeExchanges } from "../../src/conformance/verdict/judge-exchanges.ts";
import { openJudgeContext } from "../../src/run/judge-context.ts";
import { isKnownRoute } from "../../src/conformance/judging/subjects.ts";
import { examineReference } from "./examine-reference.ts";
import type { Sender } from "../../src/core/exchange/send-request.ts";

type OddEnd = "500" | "418" | "failed" | "reset" | "silence" | "cut";

/** The odd end of a response, in place of an answer. The request itself arrived, and was carried out or refused as ever. */
const oddEnds: Readonly<Record<OddEnd, (answer: RecordedResponse, timing: Timing) => Partial<Exchange>>> = {
  "500": (answer) => withError(answer, 500),
  "418": (answer) => withError(answer, 418),
  // A success that reports a failure.
  failed: (answer) => withError(answer, 200),
  reset: () => ({ response: null, failure: { kind: "connection-closed", message: "the connection was reset" } }),
  // For as long as any manifest of a test allows, and the instrument was awake.
  silence: (_, timing) => ({
    response: null,
    timing: { ...timing, headersMs: null, firstByteMs: null, lateMs: 0 },
    failure: { kind: "timeout", message: "no answer in time", bound: { until: "head", ms: 60_000 } },
  }),
  cut: (answer) => ({ response: answer, failure: { kind: "incomplete-body", message: "the body is cut" } }),
};

/** A sender over which every answer that is chosen comes to another end. `onSpoilt` sees each such exchange. */
function spoilEnds(
  isChosen: (exchange: Exchange) => boolean,
  end: OddEnd,
  onSpoilt: (exchange: Exchange) => void = () => {},
): (sender: Sender) => Sender {
  const spoil = (exchange: Exchange): Exchange => {
    if (exchange.response === null || !isChosen(exchange)) return exchange;
    // As data: what was read of the answer before must not be kept.
    const spoilt = factsOf({
      ...(JSON.parse(JSON.stringify(exchange)) as Exchange),
      ...oddEnds[end](exchange.response, exchange.timing),
    });
    onSpoilt(spoilt);
    return spoilt;
  };
  return (sender) => ({
    send: async (request) => spoil(await sender.send(request)),
    burst: async (requests) => (await sender.burst(requests)).map(spoil),
  });
}

function withError(answer: RecordedResponse, status: number): Partial<Exchange> {
  const text = JSON.stringify({ error: { code: "odd", message: "Odd." } });
  // An answer that names a wait would be one of a service that is away.
  const headers = answer.headers.filter(([name]) => !/^(content-type|retry-after)$/i.test(name));
  const body = { bytes: text.length, sha256: "", text, truncated: false };
  return { response: { ...answer, status, headers: [...headers, ["content-type", "application/json"]], body, stream: null } };
}

const ends = Object.keys(oddEnds) as readonly OddEnd[];

const stateOf = (exchange: Exchange): string => statedAnswers(factsOf(exchange))?.state ?? "";

interface Provoked {
  readonly state: string;
  /** Nobody described what lies elsewhere: an odd end there is reported, and fails nothing. */
  readonly verdict: "fail" | "advisory";
  readonly caseId: string;
  readonly end: OddEnd;
}

/** Each state of a whole check with each end that it does not allow. */
async function provokedStates(cases: readonly string[]): Promise<readonly Provoked[]> {
  const { exchanges } = await examineReference({ cases });
  // Settings are put back at the end of each case: of one alone nothing would follow that says whether the target is still there.
  const isSubject = (one: Exchange): boolean => stateOf(one) !== "" && (cases.length === 0 || one.stage === "conformance");
  const first = new Map(exchanges.filter(isSubject).map((one) => [stateOf(one), one]));
  return [...first].flatMap(([state, exchange]) =>
    ends
      .filter((end) => {
        const { answers } = statedAnswers(factsOf(exchange))!;
        const spoilt = factsOf({
          ...(JSON.parse(JSON.stringify(exchange)) as Exchange),
          ...oddEnds[end](exchange.response!, exchange.timing),
        });
        return !isStated(spoilt, answers);
      })
      .map((end) => ({ state, verdict: isKnownRoute(factsOf(exchange)) ? "fail" : "advisory", caseId: exchange.caseId, end })),
  );
}

/** In CI three of the states of these cases, each in its case alone; all in the whole check with ASSAY_TEST_ALL=1. */
const sampled = ["spend/exhausted-key", "settings/takes-effect", "settings/refused-changes", "scopes/read-only-agents"];
const random = testRandom("odd-ends");
const states = await provokedStates(isWhole ? [] : sampled);
const drawn = isWhole ? states : Array.from({ length: 3 }, () => states[random.integer(0, states.length - 1)]!);

describe("an odd end in exactly one state of a check", () => {
  it.each(drawn.map((one) => [`${one.end} instead of the answer to "${one.state}"`, one] as const))(
    "%s is found",
    async (_, one) => {
      const through = spoilEnds((exchange) => stateOf(exchange) === one.state, one.end);
      const { findings } = await examineReference({ ...(isWhole ? {} : { cases: [one.caseId] }), through });
      expect(findings.map(({ verdict }) => verdict)).toContain(one.verdict);
    },
  );
});

describe("an odd end in exactly one phase of an exam", () => {
  const phases: readonly (readonly [LimitArea, string, OddEnd])[] = [
    ["spend", "capped-other", "500"],
    ["tokens", "reading", "failed"],
    ["burst", "volley", "reset"],
    ["burst", "cooldown", "500"],
    ["spend", "usage-before", "418"],
    ["tokens", "reading", "silence"],
    ["tokens", "exhaust", "cut"],
  ];
  it.each(isWhole ? phases : phases.slice(0, 2))("%s %s: %s is wrong, and its policy no pass", async (area, phase, end) => {
    const spoilt = new Map<number, Exchange>();
    const through = spoilEnds(
      ({ intent }) => intent.kind === "limit" && intent.phase === phase,
      end,
      (exchange) => spoilt.set(exchange.seq, exchange),
    );
    const { exchanges, manifest } = await recordSwitch(area, null, { through });
    const record = { manifest, exchanges: exchanges.map((exchange) => spoilt.get(exchange.seq) ?? exchange) };
    const said = judgeExchanges(record.exchanges, [outcomesAsStated], openJudgeContext(manifest));
    expect(said.filter(({ outcome, requirement }) => outcome === "fail" && requirement === "RATE-045")).not.toEqual([]);
    const keys = new Set([...spoilt.values()].map(({ keyName }) => keyName));
    const { policies } = judgeLimits({ ...record, strict: false }).result;
    expect(policies.filter(({ key, verdict }) => keys.has(key) && verdict === "pass")).toEqual([]);
  });
});

describe("every request of a check", () => {
  it("states what may come of it, or is valid or fetches an image", async () => {
    const { exchanges } = await examineReference(isWhole ? {} : { cases: sampled });
    const open = exchanges.filter(
      (one) => stateOf(one) === "" && one.intent.kind === "housekeeping" && one.request.path.startsWith("/"),
    );
    expect(open.map(({ caseId, label }) => `${caseId} ${label}`)).toEqual([]);
  });
});
