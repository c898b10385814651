import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import { isUnplannedTrouble, troubleOf } from "../../judging/trouble.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { isAbsentPath } from "../../judging/subjects.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";

/** Purpose of a request with the key that replaced another one, where it may lack a scope or the path may not exist. */
export const replacementPurpose = "use a key that replaced another one";

/** The primary key, presented as the specification says, opens what a plain request asks for; one that replaced another is known. */
export const credentialAcceptance: RunJudge = {
  scope: "run",
  id: "credential-acceptance",
  covers: ["AUTH-001", "AUTH-011", "AUTH-025", "AUTH-036", "VER-001"],
  *judge(exchanges): Iterable<Occurrence> {
    for (const exchange of exchanges) {
      if (exchange.caseId === "faults/replacement-key-everywhere") yield* judgeKnown(exchange);
      if (exchange.keyName !== "primary" || exchange.stage !== "conformance") continue;
      if (exchange.intent.kind === "valid") yield* judgeAccepted(exchange);
      if (exchange.request.method === "POST" && exchange.request.path === "/v1/keys") yield* judgeKeyCreation(exchange);
    }
    yield* judgeVersion(exchanges);
  },
};

function* judgeAccepted(exchange: ExchangeFacts): Iterable<Occurrence> {
  const field = exchange.request.headers.find(([name]) => name.toLowerCase() === "authorization")?.[0];
  // RFC 9110 section 5.1: names of fields are case-insensitive; clients send them in lower case or capitalized.
  const requirement = field === "authorization" || field === "Authorization" ? "AUTH-001" : "AUTH-011";
  if (!exchange.isSuccess && exchange.status !== 401) return;
  yield passOrFail({ requirement, exchanges: [exchange.seq] }, exchange.isSuccess, () => ({
    kind: `a valid key is refused${requirement === "AUTH-011" ? " when the field name is spelled in mixed case" : ""}`,
    expected: "a 2xx answer",
    observed: describeAnswer(exchange),
  }));
}

/** A 401 says that the key is none, whatever else the answer holds. */
function* judgeKnown(exchange: ExchangeFacts): Iterable<Occurrence> {
  const subject = { requirement: "AUTH-036", exchanges: [exchange.seq] };
  if (exchange.status === 401) {
    yield {
      ...subject,
      outcome: "fail",
      kind: "the key that replaced another one is refused",
      expected: "any answer but 401",
      observed: describeAnswer(exchange),
    };
  } else if (isUnplannedTrouble(exchange) && !isAbsentPath(exchange)) {
    yield { ...subject, outcome: "inconclusive", message: troubleOf(exchange) };
  } else yield { ...subject, outcome: "pass" };
}

function* judgeKeyCreation(exchange: ExchangeFacts): Iterable<Occurrence> {
  if (exchange.response === null) return;
  yield passOrFail({ requirement: "AUTH-025", exchanges: [exchange.seq] }, !exchange.isSuccess, () => ({
    kind: "keys can be created through the API",
    expected: "no such operation",
    observed: describeAnswer(exchange),
  }));
}

/** Operations live below /v1: one that is served shows it, an API that is served only without the prefix refutes it. */
function* judgeVersion(exchanges: readonly ExchangeFacts[]): Iterable<Occurrence> {
  const served = exchanges.find((exchange) => exchange.endpoint !== null && exchange.isSuccess);
  if (served !== undefined) {
    yield { requirement: "VER-001", outcome: "pass", exchanges: [served.seq] };
    return;
  }
  const elsewhere = exchanges.find((exchange) => exchange.request.path === "/models" && exchange.isSuccess);
  if (elsewhere !== undefined) {
    yield {
      requirement: "VER-001",
      outcome: "fail",
      exchanges: [elsewhere.seq],
      kind: "the API is served without the version prefix only",
      expected: "operations below /v1",
      observed: `${describeAnswer(elsewhere)} to ${elsewhere.request.path}`,
    };
  }
}
