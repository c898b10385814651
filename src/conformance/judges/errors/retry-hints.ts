import type { Exchange } from "../../../core/exchange/exchange.ts";
import { createFieldFinder, fieldAbsent, headerValues } from "../../../core/exchange/header-list.ts";
import { readWholeNumber } from "../../../core/exchange/whole-number.ts";
import {
  isQuotaShape,
  rateLimitOf,
  rejectCauseOf,
  responseJson,
  responseObject,
  retryHintsOf,
  targetNowSeconds,
} from "../../judging/exchange-view.ts";
import { createGlancedLists, nothingGlanced } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { showValue } from "../../judging/json-value.ts";
import { type Answered, isComplete, isKnownRoute } from "../subjects.ts";

const agreementSeconds = 1;
const resetAgreementSeconds = 2;

const findRetryAfter = createFieldFinder(["retry-after"]);
const glanced = createGlancedLists(["ERR-031", "ERR-030", "ERR-032", "RATE-020", "RATE-021", "RATE-022", "RATE-023", "RATE-034"]);

/** Retry-After by field and by body, on 429 and 503 (sections "Errors" and "Rate limits"; AMB-08, AMB-36). */
export const retryHints: ExchangeJudge = {
  scope: "exchange",
  id: "retry-hints",
  covers: ["RATE-020", "RATE-021", "RATE-022", "RATE-023", "RATE-034", "ERR-030", "ERR-031", "ERR-032"],
  glance(exchange) {
    const { response } = exchange;
    if (response === null) return null;
    const place = findRetryAfter(response.headers)[0] ?? fieldAbsent;
    const isLimited = response.status === 429;
    if (place === fieldAbsent && !isLimited && response.status !== 503) return nothingGlanced;
    if (!isComplete(exchange) || !isKnownRoute(exchange)) return nothingGlanced;
    const seconds = place < 0 ? null : readWholeNumber(response.headers[place]?.[1] ?? "");
    // Dates, dialects and what is missing take the long way.
    if (seconds === null && place !== fieldAbsent) return null;
    const written = seconds === null ? 0 : 0b1;
    if (isLimited) return glanceLimited(exchange, seconds, written);
    if (response.status !== 503) return glanced(written);
    return seconds === null || seconds < 30 || seconds > 120 ? null : glanced(0b111);
  },
  *judge(exchange): Iterable<Occurrence> {
    if (!isComplete(exchange) || !isKnownRoute(exchange)) return;
    yield* judgeGrammar(exchange);
    if (exchange.response.status === 503) yield* judgeUnavailable(exchange);
    if (exchange.response.status === 429 && !isQuota(exchange)) yield* judgeLimited(exchange);
  },
};

/** Waits up to this are taken for real by whoever reads them. */
const plainWaitSeconds = 86_400;

/** A 429 whose hints are plain numbers: `seconds` is what Retry-After says, null where there is no such field. */
function glanceLimited(exchange: Answered, seconds: number | null, written: number): readonly string[] | null {
  if (seconds !== null && seconds > plainWaitSeconds) return null;
  if (isQuota(exchange)) return glanced(written);
  const member = responseObject(exchange)?.["retry-after"];
  if (typeof member !== "number" || !(member >= 0 && member <= plainWaitSeconds)) return null;
  let mask = written | 0b11000;
  if (seconds !== null) {
    if (Math.abs(seconds * 1000 - member * 1000) > agreementSeconds * 1000) return null;
    mask |= 0b100000;
  }
  if (rejectCauseOf(exchange) !== "requests") return glanced(mask);
  const { reset } = rateLimitOf(exchange).requests;
  if (reset?.kind === "instant" && reset.format === "unix-seconds") {
    const waitToReset = reset.unixMs / 1000 - targetNowSeconds(exchange);
    const waitMs = (seconds ?? member) * 1000;
    if (Math.abs(waitMs / 1000 - waitToReset) > resetAgreementSeconds) return null;
    mask |= 0b1000000;
  }
  return glanced(mask | 0b10000000);
}

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
        message: "a 429 does not say when to come back",
        expected: "the field Retry-After, the body member retry-after, or both",
        observed: "neither",
      };
  const headerMs = hints.header?.waitMs ?? null;
  if (headerMs !== null && member?.waitMs != null) {
    // A date is counted from the Date field or, where that is wrong, from the receipt: one of them has to agree.
    const memberMs = member.waitMs;
    const waits = [headerMs, hints.header?.waitFromReceiptMs ?? headerMs];
    yield waits.some((waitMs) => Math.abs(waitMs - memberMs) <= agreementSeconds * 1000)
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
