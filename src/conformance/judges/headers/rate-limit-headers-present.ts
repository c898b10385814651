import { createFieldFinder, fieldAbsent, headerValues } from "../../../core/exchange/header-list.ts";
import { rateLimitHeaderNames } from "../../../core/exchange/rate-limit-headers.ts";
import { rateLimitOf, rejectCauseOf } from "../../judging/exchange-view.ts";
import { createGlancedLists, nothingGlanced } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { type Answered, isAnswered, isEventStream, nameResponse, weightOfHeaders } from "../subjects.ts";

const rows = ["RATE-001", "RATE-002", "RATE-003", "RATE-004", "RATE-005", "RATE-006"] as const;
const tokenless: ReadonlySet<string | null> = new Set(["models", "images", "usage", "key-settings", "account-settings"]);

const glanced = createGlancedLists([...rows, "SVC-011", "STRM-009", "RATE-037", "RATE-033", "BURST-022", "SPEND-017"]);
const streamedBit = 1 << 7;
const tokenlessBit = 1 << 8;
const causeBits = { requests: 1 << 9, tokens: 1 << 9, unknown: 1 << 9, burst: 1 << 10, spend: 1 << 11 } as const;
const findFields = createFieldFinder(rateLimitHeaderNames);

/**
 * Section "Rate limits": every response carries the six fields. Strict for responses to a valid key on a route of the
 * specification, advisory on 401 and unknown routes (AMB-10).
 */
export const rateLimitHeadersPresent: ExchangeJudge = {
  scope: "exchange",
  id: "rate-limit-headers-present",
  covers: [...rows, "SVC-011", "RATE-033", "RATE-037", "STRM-009", "BURST-022", "SPEND-017"],
  glance(exchange) {
    if (!isAnswered(exchange)) return nothingGlanced;
    const { headers, status } = exchange.response;
    if (findFields(headers).includes(fieldAbsent)) return null;
    let mask = 0b1111111;
    if (weightOfHeaders(exchange) === "advisory") return glanced(mask);
    if (isEventStream(exchange)) mask |= streamedBit;
    if (tokenless.has(exchange.endpoint)) mask |= tokenlessBit;
    // A 429 has a row of its own by the limit that it speaks of.
    return glanced(status === 429 ? mask | causeBits[rejectCauseOf(exchange)] : mask);
  },
  *judge(exchange): Iterable<Occurrence> {
    if (!isAnswered(exchange)) return;
    const weight = weightOfHeaders(exchange);
    const missing = rateLimitHeaderNames.filter((name) => headerValues(exchange.response.headers, name).length === 0);
    // The same for each row, and told a million times by a target that knows no limits.
    const place = missing.length === 0 ? "" : describePlace(exchange);
    const say = (requirement: string, absent: readonly string[]): Occurrence =>
      absent.length === 0
        ? { requirement, outcome: "pass", exchanges: [exchange.seq] }
        : {
            requirement,
            outcome: weight,
            exchanges: [exchange.seq],
            message: `${place} carries no ${absent.join(", ")}`,
            place,
            expected: absent.length === 1 ? `the field ${absent[0]}` : `the fields ${absent.join(", ")}`,
            observed: describeOthers(exchange, absent),
          };
    for (const [index, name] of rateLimitHeaderNames.entries()) {
      yield say(rows[index] ?? "RATE-001", missing.includes(name) ? [name] : []);
    }
    yield say("SVC-011", missing.length === rateLimitHeaderNames.length ? missing : []);
    for (const requirement of contextRows(exchange)) {
      yield say(requirement, requirement === "RATE-037" ? missing.filter((name) => name.endsWith("-tokens")) : missing);
    }
  },
};

/** Rows that repeat the demand for one kind of response. */
function contextRows(exchange: Answered): readonly string[] {
  if (weightOfHeaders(exchange) === "advisory") return [];
  const contexts: string[] = [];
  if (isEventStream(exchange)) contexts.push("STRM-009");
  if (tokenless.has(exchange.endpoint)) contexts.push("RATE-037");
  if (exchange.response.status === 429) {
    const cause = rejectCauseOf(exchange);
    contexts.push(cause === "spend" ? "SPEND-017" : cause === "burst" ? "BURST-022" : "RATE-033");
  }
  return contexts;
}

function describePlace(exchange: Answered): string {
  return isEventStream(exchange) ? `the streamed ${nameResponse(exchange)}` : nameResponse(exchange);
}

/** Fields of another dialect, so that the reader sees what the target sends instead. */
function describeOthers(exchange: Answered, absent: readonly string[]): string {
  const found = rateLimitOf(exchange)
    .problems.filter(({ foundAs, header }) => foundAs !== undefined && absent.includes(header))
    .map(({ foundAs, raw }) => `${foundAs}: ${raw}`);
  return found.length === 0 ? "no such field" : `instead ${found.join(", ")}`;
}
