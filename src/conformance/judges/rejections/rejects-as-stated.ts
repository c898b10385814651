import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import type { ViolatedCondition } from "../../../core/exchange/intent.ts";
import { specifiedEndpoints, type EndpointId } from "../../../core/exchange/endpoint.ts";
import { framingOf, mayBeOfFraming, namesFraming } from "../../judging/is-framing-refusal.ts";
import { isNotServed } from "../../judging/is-not-served.ts";
import { isValidRequest } from "../../judging/is-valid-request.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import { isUnplannedTrouble, troubleOf } from "../../judging/trouble.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { mayBeBilling } from "../faults/may-be-billing.ts";
import { memberAt } from "../../judging/json-value.ts";
import { isAbsentPath, type Violation, violationOf } from "../../judging/subjects.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";
import { generalRows } from "./general-rows.ts";
import { groupBy } from "../../../core/group-by.ts";

/** Which answers are right, and which are tolerated with an advisory, by the condition that the request violates. */
interface Expectation {
  readonly text: string;
  readonly right: (status: number) => boolean;
  readonly tolerated: (status: number) => boolean;
}

const exactly =
  (wanted: number) =>
  (status: number): boolean =>
    status === wanted;
const never = (): boolean => false;
/** Trouble, which is 429 and 5xx, is set apart before anybody asks. */
const any4xx = (status: number): boolean => status >= 400;
const isAccepted = (status: number): boolean => status >= 200 && status < 300;

/** Section "Errors", with readings AMB-05 (types), AMB-06 (models), AMB-22, AMB-33 (formats). */
const expectations: Readonly<Record<Exclude<ViolatedCondition, "fault-trigger">, Expectation>> = {
  "no-credentials": { text: "401", right: exactly(401), tolerated: never },
  "bad-credentials": { text: "401", right: exactly(401), tolerated: never },
  "missing-scope": { text: "403", right: exactly(403), tolerated: never },
  "payment-required": { text: "402", right: exactly(402), tolerated: never },
  "unknown-id": { text: "404", right: exactly(404), tolerated: never },
  "foreign-id": { text: "404", right: exactly(404), tolerated: never },
  "malformed-json": { text: "422", right: exactly(422), tolerated: never },
  // A body of another type is a wrong type as a member is: a parser that refuses it with 400 can be defended (AMB-05).
  "no-object": { text: "422", right: exactly(422), tolerated: exactly(400) },
  "missing-field": { text: "422", right: exactly(422), tolerated: never },
  "out-of-range": { text: "422", right: exactly(422), tolerated: never },
  "wrong-type": {
    text: "422",
    right: exactly(422),
    tolerated: (status) => any4xx(status) || isAccepted(status),
  },
  "wrong-media-type": { text: "a 4xx", right: any4xx, tolerated: isAccepted },
  "unknown-model": { text: "a 4xx", right: any4xx, tolerated: isAccepted },
  "unsupported-format": { text: "a 4xx", right: any4xx, tolerated: isAccepted },
};

/** General rows of validation: these conditions are 422 and not 400. */
const validation: ReadonlySet<ViolatedCondition> = new Set(["malformed-json", "missing-field", "out-of-range"]);

/**
 * Rows that speak of a form alone, of what comes first (AMB-25) or are a SHOULD: the general rows on refusals say nothing about
 * it (AMB-23, AMB-28, AMB-43).
 */
export const speakForThemselves: ReadonlySet<string> = new Set([
  "STRM-010",
  "AUTH-009",
  "AUTH-022",
  "AUTH-028",
  "MSG-008",
  "MSG-009",
]);

/**
 * A request that violates exactly one condition is refused with the status of that condition. It proves something only if
 * its positive twin, which differs in that one member, was accepted; trouble (429, 5xx, transport) proves nothing.
 */
export const rejectsAsStated: RunJudge = {
  scope: "run",
  id: "rejects-as-stated",
  aspect: "status",
  covers: ["ERR-013", "ERR-017", "ERR-018", "ERR-020", "ERR-021", "ERR-022", "ERR-023", "ERR-024"],
  boundByIntent: true,
  *judge(exchanges): Iterable<Occurrence> {
    const absent = absentOperations(exchanges);
    const twins = groupBy(exchanges, ({ caseId, label }) => `${caseId} ${label}`);
    for (const exchange of exchanges) {
      const violation = violationOf(exchange);
      if (violation === null || violation.condition === "fault-trigger" || isAbsentPath(exchange)) continue;
      if (violation.condition === "payment-required" && mayBeBilling(exchange)) continue;
      if (exchange.endpoint !== null && absent.has(exchange.endpoint) && isAbsence(exchange)) {
        const { requirement } = violation;
        yield { requirement, outcome: "inconclusive", exchanges: [exchange.seq], message: "the operation is not there" };
        continue;
      }
      const twinsOf = violation.twin === null ? null : (twins.get(`${exchange.caseId} ${violation.twin}`) ?? []);
      const doubt = findFramingDoubt(exchange, exchanges);
      if (doubt !== null) {
        // The same with a length is judged by itself.
        if (twins.has(`${exchange.caseId} ${exchange.label}-with-length`)) continue;
        yield { requirement: violation.requirement, outcome: "inconclusive", exchanges: [exchange.seq], message: doubt };
        continue;
      }
      yield* judgeRejection(exchange, violation, violation.condition, twinsOf);
    }
  },
};

/** Why the refusal may be one of how the body was sent, so that nobody knows whether the mistake was seen; null: it is none. */
function findFramingDoubt(exchange: ExchangeFacts, exchanges: readonly ExchangeFacts[]): string | null {
  const { endpoint, status } = exchange;
  if (!mayBeOfFraming(exchange)) return null;
  const framing = framingOf(exchange);
  if (namesFraming(exchange)) return `a body ${framing} is refused as such (${status})`;
  const alike = exchanges.filter((one) => one.endpoint === endpoint && framingOf(one) === framing);
  if (alike.some(({ isSuccess }) => isSuccess)) return null;
  const refused = alike.find(({ intent }) => intent.kind === "valid");
  const why = refused === undefined ? "no valid one was sent like it" : `so was a valid one (${describeAnswer(refused)})`;
  return `a request with its body ${framing} was refused (${describeAnswer(exchange)}), and ${why}: it may be refused for that alone`;
}

function* judgeRejection(
  exchange: ExchangeFacts,
  intent: Violation,
  condition: Exclude<ViolatedCondition, "fault-trigger">,
  twins: readonly ExchangeFacts[] | null,
): Iterable<Occurrence> {
  const expectation = expectations[condition];
  const speaksForItself = speakForThemselves.has(intent.requirement);
  const general = speaksForItself ? [] : generalRows[condition].filter((row) => row !== intent.requirement);
  const rows = [intent.requirement, ...general];
  const doubt = findDoubt(exchange, intent, twins);
  const twin = twins?.find((one) => one.isSuccess) ?? null;
  if (doubt !== null) {
    yield { requirement: intent.requirement, outcome: "inconclusive", exchanges: [exchange.seq], message: doubt };
    return;
  }
  const status = exchange.status ?? 0;
  const exchanges = twin === null ? [exchange.seq] : [exchange.seq, twin.seq];
  const lenient =
    expectation.tolerated(status) ||
    (validation.has(intent.condition) && isQuery(exchange) && any4xx(status)) ||
    (isAccepted(status) && isCaseVariant(exchange, twin, intent.field));
  const { text, ...named } = describeViolation(intent);
  const presented = intent.condition.endsWith("credentials") ? presentations[exchange.label] : undefined;
  const what = presented === undefined ? text : `a request with ${presented}`;
  for (const requirement of rows) {
    yield passOrFail({ requirement, exchanges }, expectation.right(status), () => ({
      outcome: lenient ? "advisory" : "fail",
      kind: `${intent.condition} is not refused as stated`,
      ...named,
      message: `${what} is answered ${describeAnswer(exchange)} instead of ${expectation.text}`,
      expected: `${expectation.text} for ${what}`,
      observed: describeAnswer(exchange),
    }));
  }
  if (!speaksForItself && validation.has(intent.condition) && !isQuery(exchange) && (status === 422 || status === 400)) {
    yield passOrFail({ requirement: "ERR-024", exchanges }, status === 422, () => ({
      kind: "a failed validation is answered 0",
      message: "a failed validation is answered 400",
      expected: "422",
      observed: describeAnswer(exchange),
    }));
  }
}

/** Why this answer proves nothing; null when it does. */
function findDoubt(exchange: ExchangeFacts, intent: Violation, twins: readonly ExchangeFacts[] | null): string | null {
  // Only a key that is valid has a cap: who is refused for it was taken for its owner.
  const isKnownByCap = intent.condition === "bad-credentials" && exchange.status === 429 && exchange.isQuotaExceeded;
  if (isUnplannedTrouble(exchange) && !isKnownByCap)
    return `${troubleOf(exchange)}, which says nothing about the violated condition`;
  if (twins === null || twins.some((one) => one.isSuccess)) return null;
  const [twin] = twins;
  return twin === undefined
    ? "the valid request that it varies was not sent"
    : `the valid request that it varies was not accepted either (${describeAnswer(twin)}), so the refusal proves nothing`;
}

/** A credential that a case presents wrongly, by the label of the request. */
const presentations: Readonly<Record<string, string>> = {
  "no-scheme": "a valid key without the word Bearer",
  "no-space": "a valid key without a space after Bearer",
  "basic-scheme": "a valid key under the scheme Basic",
  "basic-pair": "a valid key as the user name of Basic credentials",
  "token-scheme": "a valid key under the scheme Token",
  "empty-token": "Bearer and an empty token",
  "scheme-alone": "the word Bearer alone",
  random: "a key that nobody has",
  "last-character-changed": "a valid key with another last character",
  cut: "a valid key without its last character",
  appended: "a valid key with further characters",
  "case-swapped": "a valid key with upper and lower case exchanged",
  "text-after-space": "a valid key, a space and further text",
  "text-after-tab": "a valid key, a tab and further text",
  "text-after-comma": "a valid key, a comma and further text",
  "text-after-semicolon": "a valid key, a semicolon and further text",
  "text-before": "a valid key behind another word",
  twice: "a valid key with its scheme twice, joined by a comma",
  "in-quotes": "a valid key in quotation marks",
  query: "a key in the query alone",
  "other-field": "a valid key in the field x-api-key alone",
  "api-key-field": "a valid key in the field api-key alone",
  cookie: "a valid key in a cookie alone",
};

/** The request that was sent, by the condition that it violates; if a member is at fault, it is named. */
const descriptions: Readonly<Record<ViolatedCondition, string | ((member: string) => string)>> = {
  "no-credentials": "a request without credentials",
  "bad-credentials": "a request with a bad credential",
  "missing-scope": "a request with a key that lacks the scope",
  "payment-required": "a request of an account that has to pay",
  "unknown-id": "a request with an id that does not exist",
  "foreign-id": "a request with an id of another workspace",
  "malformed-json": "a request with malformed JSON",
  "no-object": "a request whose JSON body is not an object",
  "missing-field": (member) => `a request without ${member}`,
  "out-of-range": (member) => `a request with ${member} out of range`,
  "wrong-type": (member) => `a request with ${member} of a wrong type`,
  "wrong-media-type": "a request with a wrong media type",
  "unknown-model": "a request with a model that does not exist",
  "unsupported-format": (member) => `a request with ${member} in an unsupported format`,
  "fault-trigger": "a request that provokes a fault",
};

export function describeViolation({ condition, field, fields }: Violation): { readonly text: string; readonly field?: string } {
  const isWhole = condition === "wrong-type" && field === undefined && fields === undefined;
  const description = descriptions[isWhole ? "no-object" : condition];
  if (typeof description === "string") return { text: description };
  return { text: description(field ?? "the body"), ...(field !== undefined && { field }) };
}

/** The rule on failed validation speaks of bodies; for a query any refusal is lawful and 422 expected (AMB-34). */
function isQuery(exchange: ExchangeFacts): boolean {
  return exchange.endpoint === "usage";
}

/** Enumerations are compared exactly, but a target that ignores case only gets an advisory (AMB-03). */
function isCaseVariant(exchange: ExchangeFacts, twin: ExchangeFacts | null, field: string | undefined): boolean {
  if (twin === null || field === undefined) return false;
  const sent = memberAt(exchange.requestObject, field);
  const lawful = memberAt(twin.requestObject, field);
  return typeof sent === "string" && typeof lawful === "string" && sent !== lawful && sent.toLowerCase() === lawful.toLowerCase();
}

/** Operations that are not there: some valid request was sent, and each was answered as a path is that nobody serves. */
function absentOperations(exchanges: readonly ExchangeFacts[]): ReadonlySet<EndpointId> {
  return new Set(
    specifiedEndpoints.filter((endpoint) => {
      const answers = exchanges.filter((one) => one.response !== null && isValidRequest(one, endpoint));
      return answers.length > 0 && answers.every(isAbsence);
    }),
  );
}

/** No such path, no such method, not built, or somewhere else. */
function isAbsence(answer: { readonly status: number | null }): boolean {
  const { status } = answer;
  return isNotServed(answer) || (status !== null && status >= 300 && status < 400);
}
