import type { Exchange } from "../../../core/exchange.ts";
import { headerPlaces, headerValues } from "../../../core/header-list.ts";
import {
  isQuotaShape,
  rateLimitOf,
  rejectCauseOf,
  responseJson,
  responseObject,
  retryHintsOf,
  targetNowSeconds,
} from "../../exchange-view.ts";
import { nothingGlanced } from "../../glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judge.ts";
import { showValue } from "../../json-value.ts";
import { type Answered, isComplete, isKnownRoute } from "../subjects.ts";

const agreementSeconds = 1;
const resetAgreementSeconds = 2;

/** Retry-After by field and by body, on 429 and 503 (sections "Errors" and "Rate limits"; AMB-08, AMB-36). */
export const retryHints: ExchangeJudge = {
  scope: "exchange",
  id: "retry-hints",
  covers: ["RATE-020", "RATE-021", "RATE-022", "RATE-023", "RATE-034", "ERR-030", "ERR-031", "ERR-032"],
  glance: ({ response }) =>
    response !== null &&
    response.status !== 503 &&
    response.status !== 429 &&
    headerPlaces(response.headers, "retry-after").length === 0
      ? nothingGlanced
      : null,
  *judge(exchange): Iterable<Occurrence> {
    if (!isComplete(exchange) || !isKnownRoute(exchange)) return;
    yield* judgeGrammar(exchange);
    if (exchange.response.status === 503) yield* judgeUnavailable(exchange);
    if (exchange.response.status === 429 && !isQuota(exchange)) yield* judgeLimited(exchange);
  },
};

function isQuota(exchange: Exchange): boolean {
  return isQuotaShape(exchange) || responseObject(exchange)?.["cap_type"] !== undefined;
}

function* judgeGrammar(exchange: Answered): Iterable<Occurrence> {
  const values = headerValues(exchange.response.headers, "retry-after");
  if (values.length === 0) return;
  const { header } = retryHintsOf(exchange);
  yield values.length === 1 && header?.format !== "invalid"
    ? { requirement: "ERR-031", outcome: "pass", exchanges: [exchange.seq] }
    : {
        requirement: "ERR-031",
        outcome: "fail",
        exchanges: [exchange.seq],
        message:
          values.length > 1 ? "Retry-After is sent more than once" : "Retry-After is neither a number of seconds nor a date",
        expected: "delay-seconds or an HTTP-date (RFC 9110 section 10.2.3)",
        observed: `Retry-After: ${values.join(" | ")}`,
      };
}

function* judgeUnavailable(exchange: Answered): Iterable<Occurrence> {
  const { header } = retryHintsOf(exchange);
  yield header !== null
    ? { requirement: "ERR-030", outcome: "pass", exchanges: [exchange.seq] }
    : {
        requirement: "ERR-030",
        outcome: "fail",
        exchanges: [exchange.seq],
        message: "a 503 without Retry-After",
        expected: "the field Retry-After",
        observed: "no such field",
      };
  const seconds = header?.waitMs == null ? null : header.waitMs / 1000;
  if (seconds === null) return;
  yield seconds >= 30 && seconds <= 120
    ? { requirement: "ERR-032", outcome: "pass", exchanges: [exchange.seq] }
    : {
        requirement: "ERR-032",
        outcome: "fail",
        exchanges: [exchange.seq],
        message: "the wait of a 503 is outside the usual range",
        expected: "30 to 120 seconds",
        observed: `${seconds} seconds`,
      };
}

function* judgeLimited(exchange: Answered): Iterable<Occurrence> {
  const hints = retryHintsOf(exchange);
  const body = responseJson(exchange);
  const member = hints.bodySeconds;
  const isUsable = member !== null && typeof member.raw === "number" && member.waitMs !== null;
  const subject = { exchanges: [exchange.seq] };
  const shown = `Retry-After: ${hints.header?.raw ?? "(none)"}, retry-after: ${member === null ? "(none)" : showValue(member.raw, 40)}`;
  if (isUsable) yield { requirement: "RATE-020", outcome: "pass", ...subject };
  else {
    // The section on errors lets the field alone suffice; a member that is there but unusable is wrong by both.
    yield {
      requirement: "RATE-020",
      outcome: member === null && hints.header?.waitMs != null && body !== undefined ? "advisory" : "fail",
      ...subject,
      message:
        member === null
          ? "the body of a 429 has no member retry-after"
          : "the member retry-after of a 429 is no number of seconds",
      expected: "a top-level member retry-after: seconds, 0 or more",
      observed: shown,
    };
  }
  yield hints.header !== null || member !== null
    ? { requirement: "RATE-021", outcome: "pass", ...subject }
    : {
        requirement: "RATE-021",
        outcome: "fail",
        ...subject,
        message: "a 429 does not tell when to come back",
        expected: "the field Retry-After, the body member retry-after, or both",
        observed: "neither",
      };
  const headerMs = hints.header?.waitMs ?? null;
  if (headerMs !== null && member?.waitMs != null) {
    yield Math.abs(headerMs - member.waitMs) <= agreementSeconds * 1000
      ? { requirement: "RATE-022", outcome: "pass", ...subject }
      : {
          requirement: "RATE-022",
          outcome: "fail",
          ...subject,
          message: "Retry-After and the body member retry-after disagree",
          expected: "the same wait within a second",
          observed: shown,
        };
  }
  yield* judgeAgainstHeaders(exchange, headerMs ?? member?.waitMs ?? null);
}

/** Only where the request window is what refused: a cooldown or the token window has a reset of its own. */
function* judgeAgainstHeaders(exchange: Answered, waitMs: number | null): Iterable<Occurrence> {
  if (rejectCauseOf(exchange) !== "requests") return;
  const { requests } = rateLimitOf(exchange);
  if (waitMs !== null && requests.reset?.kind === "instant" && requests.reset.format === "unix-seconds") {
    const waitToReset = requests.reset.unixMs / 1000 - targetNowSeconds(exchange);
    yield Math.abs(waitMs / 1000 - waitToReset) <= resetAgreementSeconds
      ? { requirement: "RATE-023", outcome: "pass", exchanges: [exchange.seq] }
      : {
          requirement: "RATE-023",
          outcome: "fail",
          exchanges: [exchange.seq],
          message: "the wait that a 429 asks for does not lead to the reset of its window",
          expected: `about ${Math.max(0, Math.round(waitToReset))} seconds (x-ratelimit-reset-requests)`,
          observed: `${waitMs / 1000} seconds`,
        };
  }
  yield { requirement: "RATE-034", outcome: "pass", exchanges: [exchange.seq] };
}
