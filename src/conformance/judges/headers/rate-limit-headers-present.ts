import { createFieldFinder, fieldAbsent } from "../../../core/exchange/headers/header-list.ts";
import { rateLimitHeaderNames } from "../../../core/exchange/headers/rate-limit-headers.ts";
import type { RejectCause } from "../../../core/exchange/reject-cause.ts";
import { statedAbsenceMs } from "../../../core/exchange/stated-absence.ts";
import type { ExchangeJudge } from "../../judging/judge.ts";
import { type Answered, isAnswered, isEventStream, nameResponse, violates, weightOfHeaders } from "../../judging/subjects.ts";

const rows = ["RATE-001", "RATE-002", "RATE-003", "RATE-004", "RATE-005", "RATE-006"] as const;
const tokenless: ReadonlySet<string | null> = new Set(["models", "images", "usage", "key-settings", "account-settings"]);

const findFields = createFieldFinder(rateLimitHeaderNames);

/**
 * Section "Rate limits": every response carries the six fields. Strict for responses to a valid key on a route of the
 * specification, advisory on 401, on unknown routes, and while the service is away (AMB-10).
 */
export const rateLimitHeadersPresent: ExchangeJudge = {
  scope: "exchange",
  id: "rate-limit-headers-present",
  covers: [...rows, "SVC-011", "RATE-033", "RATE-037", "STRM-009", "BURST-022", "SPEND-017"],
  judge(exchange, outcomes) {
    if (!isAnswered(exchange)) return;
    const places = findFields(exchange.response.headers);
    const missing = places.includes(fieldAbsent) ? rateLimitHeaderNames.filter((_, at) => places[at] === fieldAbsent) : noNames;
    const weight = isAway(exchange) ? "advisory" : weightOfHeaders(exchange);
    // The same for each row, and reported a million times for a target that knows no limits.
    const place = missing.length === 0 ? "" : `${isEventStream(exchange) ? "the streamed " : ""}${nameResponse(exchange)}`;
    const say = (requirement: string, absent: readonly string[]): void => {
      if (absent.length === 0) outcomes.pass(requirement);
      else {
        outcomes[weight](requirement, {
          place,
          around: ["", ` has ${nameAbsent(absent)}`],
          kind: `absent ${missing.join(" ")}`,
          expected: absent.length === 1 ? `the field ${absent[0]}` : `the fields ${absent.join(", ")}`,
          observed: describeOthers(exchange, absent),
        });
      }
    };
    for (let at = 0; at < rows.length; at += 1) {
      say(rows[at] ?? "", places[at] === fieldAbsent ? [rateLimitHeaderNames[at] ?? ""] : noNames);
    }
    say("SVC-011", missing.length === rateLimitHeaderNames.length ? missing : noNames);
    if (weight === "advisory") return;
    // Rows that repeat the demand for one kind of response.
    if (isEventStream(exchange)) say("STRM-009", missing);
    if (tokenless.has(exchange.endpoint))
      say(
        "RATE-037",
        missing.filter((name) => name.endsWith("-tokens")),
      );
    if (exchange.response.status === 429) say(causeRows[exchange.rejectCause], missing);
  },
};

/** A service that starts or is overloaded asks to come back before it has looked at the key, whose limits it does not know yet. */
function isAway(exchange: Answered): boolean {
  return statedAbsenceMs(exchange) !== null && !violates(exchange, "fault-trigger");
}

const noNames: readonly string[] = [];

/** Six names in a title would hide the places that follow. */
function nameAbsent(absent: readonly string[]): string {
  return absent.length === rateLimitHeaderNames.length ? "none of the six x-ratelimit fields" : `no ${absent.join(", ")}`;
}

/** A 429 has a row of its own by the limit that it speaks of. */
const causeRows: Readonly<Record<RejectCause, string>> = {
  requests: "RATE-033",
  tokens: "RATE-033",
  unknown: "RATE-033",
  burst: "BURST-022",
  spend: "SPEND-017",
};

/** Fields of another dialect, so that the reader sees what the target sends instead. */
function describeOthers(exchange: Answered, absent: readonly string[]): string {
  const found = exchange.rateLimit.problems
    .filter(({ foundAs, header }) => foundAs !== undefined && absent.includes(header))
    .map(({ foundAs, raw }) => `${foundAs}: ${raw}`);
  return found.length === 0 ? "no such field" : `instead ${found.join(", ")}`;
}
