import { endpoints } from "../../../core/exchange/endpoint.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { between } from "../../../core/exchange/instant.ts";
import { momentsOf } from "../../../core/exchange/moments.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import { troubleOf } from "../../judging/trouble.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { hasPurpose } from "../../judging/subjects.ts";
import { withoutNumbers } from "../../judging/wrong-words.ts";

/** Two clocks may run so much apart. */
const clockDrift = 1.001;

/** Purpose of a request with a key that has reached its monthly cap. */
export const cappedPurpose = "use a key at its monthly cap";

/** Labels of such requests for a chat: at first, as a stream, and once more after the others. */
export const cappedLabels = { chat: "chat", stream: "chat-stream", again: "chat-again" } as const;

const cappedChats: ReadonlySet<string> = new Set(Object.values(cappedLabels));

/** A key at its cap is refused with 429 on each billable operation, again and again (section "Spend caps", AMB-20). */
export const exhaustedKey: RunJudge = {
  scope: "run",
  id: "exhausted-key",
  covers: ["SPEND-001", "SPEND-002", "SPEND-005", "SPEND-009"],
  *judge(exchanges): Iterable<Occurrence> {
    const capped = exchanges.filter((exchange) => hasPurpose(exchange, cappedPurpose));
    yield* judgeWaits(capped);
    const billable = capped.filter(({ endpoint }) => endpoint !== null && endpoints[endpoint].billable);
    const working = new Set(exchanges.filter((one) => one.isSuccess).map(({ endpoint }) => endpoint));
    for (const exchange of billable) {
      const isServed = working.has(exchange.endpoint);
      yield judgeRefusal("SPEND-009", exchange, isServed);
      if (cappedChats.has(exchange.label)) yield judgeRefusal("SPEND-001", exchange, isServed);
      if (exchange.label === cappedLabels.again) yield judgeRefusal("SPEND-002", exchange, isServed);
    }
  },
};

/** After the wait that a refusal announces the key is not at the same cap any more (section "Spend caps", 1). */
function* judgeWaits(capped: readonly ExchangeFacts[]): Iterable<Occurrence> {
  const refusals = capped.flatMap((exchange) => {
    const waitMs = exchange.responseObject?.["retry_after_ms"];
    return exchange.isQuotaExceeded && Number.isInteger(waitMs) && (waitMs as number) >= 0
      ? [{ exchange, waitMs: Number(waitMs) }]
      : [];
  });
  for (const { exchange, waitMs } of refusals) {
    const { ended } = momentsOf(exchange);
    const keptMs = (other: ExchangeFacts): number => between(ended, momentsOf(other).sent).leastMs;
    const later = refusals.find((other) => keptMs(other.exchange) > waitMs * clockDrift);
    if (later === undefined) continue;
    yield {
      requirement: "SPEND-005",
      outcome: "fail",
      exchanges: [exchange.seq, later.exchange.seq],
      kind: "the wait that a reached cap announces leads nowhere: the key is refused again after it",
      expected: "service once retry_after_ms has passed",
      observed: `retry_after_ms ${waitMs}, and a refusal ${Math.round(keptMs(later.exchange))} ms later`,
    };
  }
}

/** `isServed`: other keys are served on the operation, so that any other answer, even a server error, is to the cap. */
function judgeRefusal(requirement: string, exchange: ExchangeFacts, isServed: boolean): Occurrence {
  const subject = { requirement, exchanges: [exchange.seq] };
  if (exchange.status === 429) return { ...subject, outcome: "pass" };
  const isSpecific =
    exchange.isSuccess || [401, 402, 403].includes(exchange.status ?? 0) || (isServed && exchange.status !== null);
  if (!isSpecific) return { ...subject, outcome: "inconclusive", message: troubleOf(exchange) };
  const wrong = `a key at its monthly cap is ${exchange.isSuccess ? "served" : "refused with another status"} on`;
  const { path } = exchange.request;
  return {
    ...subject,
    outcome: "fail",
    kind: `${wrong} ${withoutNumbers(path)}`,
    message: `${wrong} ${path}`,
    expected: "429",
    observed: describeAnswer(exchange),
  };
}
