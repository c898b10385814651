import { endpoints } from "../../../core/exchange/endpoint.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { describeAnswer, troubleOf } from "../../judging/exchange-view.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { hasPurpose } from "../subjects.ts";

/** Purpose of a request with a key that has reached its monthly cap. */
export const cappedPurpose = "use a key at its monthly cap";

/** A key at its cap is refused with 429 on each billable operation, again and again (section "Spend caps", AMB-20). */
export const exhaustedKey: RunJudge = {
  scope: "run",
  id: "exhausted-key",
  covers: ["SPEND-001", "SPEND-002", "SPEND-009"],
  *judge(exchanges): Iterable<Occurrence> {
    const capped = exchanges.filter((exchange) => hasPurpose(exchange, cappedPurpose));
    const billable = capped.filter(({ endpoint }) => endpoint !== null && endpoints[endpoint].billable);
    for (const exchange of billable) {
      yield judgeRefusal("SPEND-009", exchange);
      if (exchange.label.startsWith("chat")) yield judgeRefusal("SPEND-001", exchange);
      if (exchange.label === "chat-again") yield judgeRefusal("SPEND-002", exchange);
    }
  },
};

function judgeRefusal(requirement: string, exchange: ExchangeFacts): Occurrence {
  const subject = { requirement, exchanges: [exchange.seq] };
  if (exchange.status === 429) return { ...subject, outcome: "pass" };
  // Only who pays and who may speak against the cap; another refusal is about the request.
  const isTelling = exchange.isSuccess || [401, 402, 403].includes(exchange.status ?? 0);
  if (!isTelling) return { ...subject, outcome: "inconclusive", message: troubleOf(exchange) };
  return {
    ...subject,
    outcome: "fail",
    message: `a key at its monthly cap is ${exchange.isSuccess ? "served" : "refused with another status"} on ${exchange.request.path}`,
    expected: "429",
    observed: describeAnswer(exchange),
  };
}
