import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { describeAnswer } from "../../judging/exchange-view.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { type Answered, isAnswered } from "../subjects.ts";

const causes = {
  requests: "rate limit",
  tokens: "rate limit",
  burst: "burst limit",
  spend: "spend cap",
  unknown: "limit",
} as const;

/** What a refusal for a limit looks like, whichever stage provoked it (sections "Errors" and "Rate limits"). */
export const limitRefusals: RunJudge = {
  scope: "run",
  id: "limit-refusals",
  covers: ["RATE-019", "ERR-025", "STRM-012"],
  *judge(exchanges): Iterable<Occurrence> {
    const series = new Map<string, ExchangeFacts>();
    const refusedBy429 = new Set(exchanges.filter((exchange) => exchange.status === 429).map(seriesOf));
    for (const exchange of exchanges.toSorted((one, other) => one.timing.sentMs - other.timing.sentMs)) {
      if (!isAnswered(exchange) || exchange.keyName === null) continue;
      const name = seriesOf(exchange);
      // Trouble of the server may come at any time; it is a refusal by another name only where refusals have no other.
      const isTrouble = (exchange.status ?? 0) >= 500 && refusedBy429.has(name);
      const before = series.get(name);
      if (exchange.status === 429) yield* judgeRefusal(exchange);
      else if (exchange.intent.kind === "limit" && before !== undefined && !isTrouble) yield* judgeOtherStatus(exchange, before);
      series.set(name, exchange);
    }
  },
};

function* judgeRefusal(exchange: Answered): Iterable<Occurrence> {
  const subject = { exchanges: [exchange.seq] };
  yield { requirement: "ERR-025", outcome: "pass", ...subject };
  if (causes[exchange.rejectCause] === "rate limit") yield { requirement: "RATE-019", outcome: "pass", ...subject };
  if (!exchange.asksForStream) return;
  yield exchange.responseObject !== null
    ? { requirement: "STRM-012", outcome: "pass", ...subject }
    : {
        requirement: "STRM-012",
        outcome: "fail",
        ...subject,
        message: "a refusal for a limit is no JSON body when the request asked for a stream",
        expected: "429 with a JSON body",
        observed: exchange.response.stream === null ? "another body" : "an event stream",
      };
}

/** The window was told to be empty, and what came next is a refusal by another name. */
function* judgeOtherStatus(exchange: ExchangeFacts, before: ExchangeFacts): Iterable<Occurrence> {
  const { requests } = before.rateLimit;
  const isEmpty = requests.remaining === 0 && before.timing.endMs <= exchange.timing.sentMs;
  const status = exchange.status ?? 0;
  if (!isEmpty || exchange.isSuccess || status === 401 || status === 402) return;
  // Schedules also ask for the same operation by other spellings of its path: no such route is a lawful answer to those.
  if (barePath(exchange) !== barePath(before)) return;
  for (const requirement of ["RATE-019", "ERR-025"]) {
    yield {
      requirement,
      outcome: "fail",
      exchanges: [exchange.seq, before.seq],
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
