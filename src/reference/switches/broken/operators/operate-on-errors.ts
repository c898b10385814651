import type { LimitCause } from "../../../engine/refusal.ts";
import { asksForStream, type SeenCall } from "../../../http/seen-call.ts";
import type { ErrorAnswer, ErrorShape, JsonAnswer } from "../../../http/error-shape.ts";
import type { OperatorCause, OperatorHint, OperatorStream, OperatorBystander } from "./operators.ts";
import type { ActiveOperators } from "./active-operators.ts";
import { type Crowd, isInCompany } from "./crowd.ts";
import { operateOnRateFields } from "./operate-on-rate-fields.ts";
import type { EndpointId } from "../../../../core/exchange/endpoint.ts";
import { keyPrefix } from "../../patches/key-prefix.ts";

type Fields<Value> = Readonly<Record<string, Value>>;

/** Refusals before they are written: their status, their shape, and the wait that they state in a field and in the body. */
export function operateOnErrors(errors: ErrorShape, active: ActiveOperators, crowd: Crowd): ErrorShape {
  const bystanders = refuseBystanders(active);
  const company = confuseRefusals(active, crowd);
  return {
    ...errors,
    problem: (plain, problem, call) => {
      const answer = errors.problem(plain, problem, call);
      if ("text" in answer) return answer;
      const limited = problem.status === 401 ? bystanders.refused(call) : null;
      if (limited !== null) return limited;
      const confused = company(call, answer);
      if (confused !== null) return confused;
      const streamed = streamedIn(active, call, answer.status);
      if (streamed !== null) return asEvents(answer, streamed);
      const refused = otherRefusal(active, call, answer);
      return problem.status === 503 ? { ...refused, headers: otherHint(active, call, null, answer).headers } : refused;
    },
    limit: (plain, refusal, call) => {
      const answer = errors.limit(plain, refusal, call);
      if ("text" in answer) return answer;
      if (refusal.cause === "requests") bystanders.note(call, answer);
      const streamed = streamedIn(active, call, answer.status);
      if (streamed !== null) return asEvents(answer, streamed);
      return otherStatus(active, call, refusal.cause, otherHint(active, call, refusal.cause, answer));
    },
    rateFields: (rate, call) => operateOnRateFields(active, call, errors.rateFields(rate, call)),
  };
}

function streamedIn(active: ActiveOperators, call: SeenCall, status: number): OperatorStream | null {
  const operator = active(call).find((one) => one.kind === "streamed" && one.status === status && asksForStream(call));
  return operator?.kind === "streamed" ? operator.defect : null;
}

/** The error as the one event of a stream, where the request asked for one. */
function asEvents({ status, headers, json }: JsonAnswer, defect: OperatorStream): ErrorAnswer {
  const text = `data: ${JSON.stringify(json)}\n\n`;
  return { status: defect === "begun" ? 200 : status, headers, text, contentType: "text/event-stream" };
}

function otherRefusal(active: ActiveOperators, call: SeenCall, answer: JsonAnswer): JsonAnswer {
  let { status, json } = answer;
  for (const operator of active(call)) {
    if (operator.kind === "status" && operator.status === answer.status) {
      status = operator.answer;
      if (status === 200) json = { object: "ok" };
    }
    if (operator.kind === "shape" && operator.status === answer.status) json = shapes[operator.shape];
  }
  return { ...answer, status, json };
}

/** A limit that refuses with another status: errors of the service have the body of an error, a success has its own. */
function otherStatus(active: ActiveOperators, call: SeenCall, cause: LimitCause, answer: JsonAnswer): JsonAnswer {
  let { status, json } = answer;
  for (const operator of active(call)) {
    if (operator.kind !== "limit-status" || operator.cause !== causeOf(cause)) continue;
    status = operator.answer;
    json = status === 200 ? { object: "ok" } : { error: { code: "not_now", message: "Not now." } };
  }
  return { ...answer, status, json };
}

const shapes = {
  "no-code": { error: { message: "No." } },
  quota: { error: "quota_exceeded", retry_after_ms: 1000, cap_type: "monthly_spend" },
  text: "No.",
  "empty-object": {},
  list: [{ error: { code: "no" } }],
} as const;

/** `cause`: the limit that refused; null: the service is unavailable. */
function otherHint(active: ActiveOperators, call: SeenCall, cause: LimitCause | null, answer: JsonAnswer): JsonAnswer {
  let headers = answer.headers;
  let body = answer.json as Fields<unknown>;
  for (const operator of active(call)) {
    if (operator.kind !== "hint" || operator.cause !== causeOf(cause)) continue;
    headers = withHint(headers, "retry-after", operator.defect, String);
    body = withHint(body, "retry-after", operator.defect, (value) => value);
    body = withHint(body, "retry_after_ms", operator.defect, (value) => value);
  }
  return { ...answer, headers, json: body };
}

function causeOf(cause: LimitCause | null): OperatorCause | null {
  if (cause === null) return "unavailable";
  return cause === "tokens" || cause === "account-cap" ? null : cause;
}

function withHint<Value>(
  fields: Fields<Value>,
  name: string,
  defect: OperatorHint,
  write: (value: number | string) => Value,
): Fields<Value> {
  const { [name]: value, ...rest } = fields;
  if (value === undefined || defect === "missing") return rest;
  return { ...rest, [name]: write(hints[defect](Number(value), name.endsWith("_ms") ? 1000 : 1)) };
}

const hints: Readonly<Record<Exclude<OperatorHint, "missing">, (value: number, unit: number) => number | string>> = {
  zero: () => 0,
  negative: (value) => -value,
  words: () => "soon",
  fraction: (value) => value + 0.5,
  // The wrong one of both units.
  milliseconds: (value, unit) => (unit === 1 ? 1000 * value : Math.ceil(value / 1000)),
  "hour-longer": (value, unit) => value + 3600 * unit,
};

/** Refusals in company of requests that are being served: turned into successes, or taken for one another. null: as it is. */
function confuseRefusals(active: ActiveOperators, crowd: Crowd): (call: SeenCall, answer: JsonAnswer) => JsonAnswer | null {
  let before: JsonAnswer | null = null;
  return (call, answer) => {
    const operator = active(call).find(({ kind }) => kind === "company");
    if (operator?.kind !== "company" || !isInCompany(crowd)) return null;
    const earlier = before;
    before = answer;
    if (operator.defect === "served") return { ...answer, status: 200, json: { object: "ok" } };
    return operator.defect === "swapped" ? earlier : null;
  };
}

interface UsedUp {
  readonly answer: JsonAnswer;
  readonly authorization: string;
  readonly untilMs: number;
}

/** Limits that are asked before the key is compared: the refusal of one caller is that of others who present no valid key. */
function refuseBystanders(active: ActiveOperators): {
  note(call: SeenCall, answer: JsonAnswer): void;
  refused(call: SeenCall): JsonAnswer | null;
} {
  const usedUp = new Map<EndpointId | null, UsedUp>();
  return {
    note: (call, answer) => {
      const untilMs = call.service.engine.clock.wallMs() + 1000 * Number(answer.headers["retry-after"] ?? 60);
      usedUp.set(call.endpoint, { answer, authorization: call.incoming.headers.authorization ?? "", untilMs });
    },
    refused: (call) => {
      const limit = usedUp.get(call.endpoint);
      if (limit === undefined || call.service.engine.clock.wallMs() >= limit.untilMs) return null;
      const isMeant = active(call).some((operator) => operator.kind === "limit-first" && isBystander(operator.who, call, limit));
      return isMeant ? limit.answer : null;
    },
  };
}

function isBystander(who: OperatorBystander, { incoming, service }: SeenCall, limit: UsedUp): boolean {
  const authorization = incoming.headers.authorization ?? "";
  switch (who) {
    case "everybody":
      return true;
    case "look-alikes":
      return keyPrefix(authorization) === keyPrefix(limit.authorization);
    case "former-keys":
      return service.engine.keys.bySecret(authorization.slice("Bearer ".length)) !== undefined;
    default:
      return who satisfies never;
  }
}
