import { createFieldFinder, fieldAbsent, fieldRepeated, headerValues } from "../../../core/exchange/headers/header-list.ts";
import { retryAgreementMs } from "../../../core/exchange/headers/retry-hints.ts";
import type { ExchangeJudge, Outcomes } from "../../judging/judge.ts";
import { showValue } from "../../judging/json-value.ts";
import { type Answered, isComplete, isKnownRoute } from "../../judging/subjects.ts";

const resetAgreementSeconds = 2;
/** A longer wait is no cooldown in seconds if it is, divided by a thousand, just the time to the reset. */
const longestWaitMs = 3_600_000;

const secondsOfDay = 86_400;

const findRetryAfter = createFieldFinder(["retry-after"]);

/** Retry-After by field and by body, on 429 and 503 (sections "Errors" and "Rate limits"; AMB-08, AMB-36). */
export const retryHints: ExchangeJudge = {
  scope: "exchange",
  id: "retry-hints",
  covers: ["RATE-020", "RATE-021", "RATE-022", "RATE-023", "RATE-034", "ERR-030", "ERR-031", "ERR-032"],
  judge(exchange, outcomes) {
    if (!isComplete(exchange) || !isKnownRoute(exchange)) return;
    const { status, headers } = exchange.response;
    if (findRetryAfter(headers)[0] !== fieldAbsent) judgeGrammar(exchange, outcomes);
    if (status === 503) judgeUnavailable(exchange, outcomes);
    if (status !== 429) return;
    const isQuota = exchange.isQuotaExceeded || exchange.responseObject?.["cap_type"] !== undefined;
    if (!isQuota) judgeLimited(exchange, outcomes);
  },
};

function judgeGrammar({ response, retryHints: { header }, targetNowSeconds }: Answered, outcomes: Outcomes): void {
  if (header?.format === "delay-seconds" && isInstant(Number(header.raw), targetNowSeconds)) {
    outcomes.fail("ERR-031", {
      kind: "Retry-After holds an instant in Unix time, not the seconds to wait",
      expected: "the number of seconds to wait, or an HTTP-date (RFC 9110 section 10.2.3)",
      observed: `Retry-After: ${header.raw}; the response was written at about ${Math.round(targetNowSeconds)}`,
    });
    return;
  }
  const isRepeated = findRetryAfter(response.headers)[0] === fieldRepeated;
  outcomes.passOrFail("ERR-031", !isRepeated && header?.format !== "invalid", () => ({
    kind: isRepeated ? "Retry-After is sent more than once" : "Retry-After is neither a number of seconds nor a date",
    expected: "delay-seconds or an HTTP-date (RFC 9110 section 10.2.3)",
    observed: `Retry-After: ${headerValues(response.headers, "retry-after").join(" | ")}`,
  }));
}

/** As seconds or milliseconds it lies within a day of now; as a wait it would last for decades. */
function isInstant(value: number, nowSeconds: number): boolean {
  return [value, value / 1000].some((seconds) => Math.abs(seconds - nowSeconds) < secondsOfDay);
}

function judgeUnavailable({ retryHints: { header } }: Answered, outcomes: Outcomes): void {
  outcomes.passOrFail("ERR-030", header !== null, () => ({
    kind: "a 0 without Retry-After",
    message: "a 503 without Retry-After",
    expected: "the field Retry-After",
    observed: "no such field",
  }));
  if (header?.waitMs == null) return;
  const seconds = header.waitMs / 1000;
  // A date is counted from the Date field or, where that is wrong, from the receipt.
  const waits = [seconds, (header.waitFromReceiptMs ?? header.waitMs) / 1000];
  const isUsual = waits.some((wait) => wait >= 30 && wait <= 120);
  outcomes.passOrFail("ERR-032", isUsual, () => ({
    kind: "the wait of a 0 is outside the usual range",
    message: "the wait of a 503 is outside the usual range",
    expected: "30 to 120 seconds",
    observed: `${seconds} seconds`,
  }));
}

function judgeLimited(exchange: Answered, outcomes: Outcomes): void {
  const { header, bodySeconds: member } = exchange.retryHints;
  const headerMs = header?.waitMs ?? null;
  outcomes.passOrFail("RATE-020", typeof member?.raw === "number" && member.waitMs !== null, () => ({
    // The section on errors lets the field alone suffice; a member that is there but unusable is wrong by both.
    outcome: member === null && headerMs !== null && exchange.responseJson !== undefined ? "advisory" : "fail",
    ...(member === null
      ? { kind: "the body of a 0 has no member retry-after", message: "the body of a 429 has no member retry-after" }
      : {
          kind: "the member retry-after of a 0 is no number of seconds",
          message: "the member retry-after of a 429 is no number of seconds",
        }),
    expected: "a top-level member retry-after: seconds, 0 or more",
    observed: showHints(exchange),
  }));
  outcomes.passOrFail("RATE-021", header !== null || member !== null, () => ({
    kind: "a 0 does not say when to come back",
    message: "a 429 does not say when to come back",
    expected: "the field Retry-After, the body member retry-after, or both",
    observed: "neither",
  }));
  if (headerMs !== null && member?.waitMs != null) {
    // A date is counted from the Date field or, where that is wrong, from the receipt: one of them has to agree.
    const memberMs = member.waitMs;
    const waits = [headerMs, header?.waitFromReceiptMs ?? headerMs];
    outcomes.passOrFail(
      "RATE-022",
      waits.some((waitMs) => Math.abs(waitMs - memberMs) <= retryAgreementMs(header)),
      () => ({
        kind: "Retry-After and the body member retry-after disagree",
        expected: `the same wait within ${retryAgreementMs(header) === 1000 ? "a second" : "two seconds, as a date is a whole one"}`,
        observed: showHints(exchange),
      }),
    );
  }
  judgeAgainstHeaders(exchange, headerMs ?? member?.waitMs ?? null, outcomes);
}

function showHints({ retryHints: { header, bodySeconds } }: Answered): string {
  const member = bodySeconds === null ? "(none)" : showValue(bodySeconds.raw, 40);
  return `Retry-After: ${header?.raw ?? "(none)"}, retry-after: ${member}`;
}

/**
 * No longer than to the reset: a wait that ends before it is that of a limiter that slides, or one that the limits exam finds too
 * short. Only where the request window is what refused: a cooldown or the token window has a reset of its own.
 */
function judgeAgainstHeaders(exchange: Answered, waitMs: number | null, outcomes: Outcomes): void {
  if (exchange.rejectCause !== "requests") return;
  const { reset, limit } = exchange.rateLimit.requests;
  if (waitMs !== null && reset?.kind === "instant" && reset.format === "unix-seconds") {
    const waitToReset = reset.unixMs / 1000 - exchange.targetNowSeconds;
    const agreementSeconds = resetAgreementSeconds + exchange.headSeconds;
    // One that slides admits a request long before its whole allowance is back; the window of a counter weighs on the next one.
    const most = waitToReset + agreementSeconds + (limit !== null && limit > 0 ? 60 / limit : 0);
    if (waitMs / 1000 <= most) outcomes.pass("RATE-023");
    else if (waitToReset > 0 && waitMs > longestWaitMs && Math.abs(waitMs / 1e6 - waitToReset) <= agreementSeconds) {
      outcomes.fail("RATE-020", {
        kind: "the wait of a 0 is in milliseconds",
        message: "the wait of a 429 is in milliseconds",
        expected: `about ${Math.round(waitToReset)} seconds (x-ratelimit-reset-requests)`,
        observed: showHints(exchange),
      });
    } else {
      outcomes.fail("RATE-023", {
        kind: "the wait that a 0 asks for ends after the reset of its window",
        message: "the wait that a 429 asks for ends after the reset of its window",
        expected: `at most about ${Math.max(0, Math.round(waitToReset))} seconds (x-ratelimit-reset-requests)`,
        observed: `${waitMs / 1000} seconds`,
      });
    }
  }
  outcomes.pass("RATE-034");
}
