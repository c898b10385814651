import type { Exchange } from "../../../core/exchange.ts";
import { errorCodeOf, statusOf } from "../../exchange-view.ts";
import type { Occurrence, RunJudge } from "../../judge.ts";
import { isComplete, isKnownRoute } from "../subjects.ts";

/** The same mistake on the same operation gives the same code each time. */
export const stableErrorCodes: RunJudge = {
  scope: "run",
  id: "stable-error-codes",
  covers: ["ERR-003"],
  conclusive: true,
  *judge(exchanges): Iterable<Occurrence> {
    const groups = new Map<string, Map<string, number>>();
    for (const exchange of exchanges) {
      const name = nameCondition(exchange);
      const code = errorCodeOf(exchange);
      if (name === null || code === null) continue;
      const codes = groups.get(name) ?? new Map<string, number>();
      if (!codes.has(code)) codes.set(code, exchange.seq);
      groups.set(name, codes);
    }
    for (const [name, codes] of groups) {
      const seen = [...codes.values()];
      yield codes.size === 1
        ? { requirement: "ERR-003", outcome: "pass", exchanges: seen }
        : {
            requirement: "ERR-003",
            outcome: "fail",
            exchanges: seen.slice(0, 5),
            message: `one condition has several codes: ${name}`,
            expected: "one code for one condition",
            observed: [...codes.keys()].slice(0, 6).join(", "),
          };
    }
  },
};

function nameCondition(exchange: Exchange): string | null {
  const { intent } = exchange;
  if (intent.kind !== "violates" || !isComplete(exchange) || !isKnownRoute(exchange) || exchange.response.status < 400)
    return null;
  return `${intent.condition} of ${intent.field ?? "the request"} on ${exchange.endpoint ?? "other"} answered ${statusOf(exchange)}`;
}
