import { groupBy } from "../../../core/group-by.ts";
import { endpoints } from "../../../core/exchange/endpoint.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { between } from "../../../core/exchange/instant.ts";
import { bySending, isOverBefore, momentsOf } from "../../../core/exchange/moments.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { type Answered, isAnswered } from "../../judging/subjects.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";
import { withoutNumbers } from "../../judging/wrong-words.ts";

const causes = {
  requests: "rate limit",
  tokens: "rate limit",
  burst: "burst limit",
  spend: "spend cap",
  unknown: "limit",
} as const;

/** The form of a refusal for a limit, whichever stage provoked it (sections "Errors" and "Rate limits"). */
export const limitRefusals: RunJudge = {
  scope: "run",
  id: "limit-refusals",
  covers: ["RATE-019", "ERR-025", "STRM-012", "SPEND-015"],
  *judge(exchanges): Iterable<Occurrence> {
    const series = new Map<string, ExchangeFacts>();
    /** The last answer of a series that said that its window was used up. */
    const emptied = new Map<string, ExchangeFacts>();
    const refusedBy429 = new Set(exchanges.filter((exchange) => exchange.status === 429).map(seriesOf));
    for (const exchange of exchanges.toSorted(bySending)) {
      if (!isAnswered(exchange) || exchange.keyName === null) continue;
      const name = seriesOf(exchange);
      // Trouble of the server may come at any time; it is a refusal by another name only where refusals have no other.
      const isTrouble = (exchange.status ?? 0) >= 500 && refusedBy429.has(name);
      const before = series.get(name);
      if (exchange.status === 429) {
        yield* judgeRefusal(exchange);
        const empty = emptied.get(name);
        if (empty !== undefined) yield* judgeShape(exchange, empty);
      } else if (exchange.intent.kind === "limit" && before !== undefined && !isTrouble)
        yield* judgeOtherStatus(exchange, before);
      series.set(name, exchange);
      if (exchange.isSuccess && exchange.rateLimit.requests.remaining === 0) emptied.set(name, exchange);
    }
    yield* judgeServed(exchanges);
  },
};

/** The request window was reported as used up by requests that cost nothing: no cap can have been reached meanwhile. */
function* judgeShape(exchange: Answered, empty: ExchangeFacts): Iterable<Occurrence> {
  const isFree = exchange.endpoint !== null && !endpoints[exchange.endpoint].billable;
  const { reset } = empty.rateLimit.requests;
  const isOver = reset?.kind !== "instant" || reset.unixMs <= exchange.targetNowSeconds * 1000;
  if (!isFree || exchange.intent.kind !== "limit" || isOver || !exchange.isQuotaExceeded) return;
  yield {
    requirement: "SPEND-015",
    outcome: "fail",
    exchanges: [exchange.seq, empty.seq],
    kind: "a reached request limit has the body of a reached spend cap",
    expected: "error.code and retry-after",
    observed: describeAnswer(exchange),
  };
}

const windowMs = 60_000;

/** Of the requests of one case that drives a low limit: more are served within one window than the limit allows. */
function* judgeServed(exchanges: readonly ExchangeFacts[]): Iterable<Occurrence> {
  // One window shows one instant of its reset; where that moves, the limiter gives back and a count of so few says nothing.
  const windowOf = (exchange: ExchangeFacts): string | null => {
    const { limit, reset } = exchange.rateLimit.requests;
    if (exchange.intent.kind !== "limit" || exchange.stage !== "conformance" || !exchange.isSuccess) return null;
    if (limit === null || reset?.kind !== "instant") return null;
    return [exchange.caseId, exchange.attempt, seriesOf(exchange), reset.unixMs, limit].join(" ");
  };
  for (const [window, served] of groupBy(exchanges, windowOf)) {
    if (window === null) continue;
    const [first, last] = [served[0], served.at(-1)!];
    const limit = first.rateLimit.requests.limit ?? 0;
    const givenBack = (limit * between(momentsOf(first).sent, momentsOf(last).ended).mostMs) / windowMs + 1;
    if (served.length <= limit + givenBack) continue;
    yield {
      requirement: first.asksForStream ? "STRM-012" : "RATE-019",
      outcome: "fail",
      exchanges: [first.seq, last.seq],
      kind: "0 requests are served in a window with a limit of 0",
      message: `${served.length} requests are served in a window with a limit of ${limit}`,
      expected: "429",
      observed: describeAnswer(last),
    };
  }
}

function* judgeRefusal(exchange: Answered): Iterable<Occurrence> {
  const subject = { exchanges: [exchange.seq] };
  yield { requirement: "ERR-025", outcome: "pass", ...subject };
  if (causes[exchange.rejectCause] === "rate limit") yield { requirement: "RATE-019", outcome: "pass", ...subject };
  if (!exchange.asksForStream) return;
  yield passOrFail({ requirement: "STRM-012", ...subject }, exchange.responseObject !== null, () => ({
    kind: "a refusal for a limit is no JSON body when the request asked for a stream",
    expected: "429 with a JSON body",
    observed: exchange.response.stream === null ? "another body" : "an event stream",
  }));
}

/** The window was reported as empty, and what came next is a refusal by another name. */
function* judgeOtherStatus(exchange: ExchangeFacts, before: ExchangeFacts): Iterable<Occurrence> {
  const { requests } = before.rateLimit;
  const isEmpty = requests.remaining === 0 && isOverBefore(before, exchange);
  const status = exchange.status ?? 0;
  if (!isEmpty || exchange.isSuccess || status === 401 || status === 402) return;
  // Schedules also ask for the same operation by other spellings of its path: no such route is a lawful answer to those.
  if (barePath(exchange) !== barePath(before)) return;
  for (const requirement of ["RATE-019", "ERR-025"]) {
    yield {
      requirement,
      outcome: "fail",
      exchanges: [exchange.seq, before.seq],
      kind: `an exceeded request limit is answered ${withoutNumbers(describeAnswer(exchange))} instead of 0`,
      message: `an exceeded request limit is answered ${describeAnswer(exchange)} instead of 429`,
      expected: "429",
      observed: describeAnswer(exchange),
    };
  }
}

function seriesOf({ keyName, endpoint }: ExchangeFacts): string {
  return `${keyName} ${endpoint}`;
}

function barePath({ request }: ExchangeFacts): string | undefined {
  return request.path.split("?")[0];
}
