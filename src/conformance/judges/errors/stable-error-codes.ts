import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { headerValues } from "../../../core/exchange/header-list.ts";
import { errorCodeOf } from "../../judging/exchange-view.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { isComplete, isKnownRoute } from "../subjects.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";

/** The same mistake gives the same code each time. */
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
      const subject = { requirement: "ERR-003", exchanges: [...codes.values()].slice(0, 5) };
      yield passOrFail(subject, codes.size === 1, () => ({
        message: `the same wrong request is answered with several codes: ${name.split(" ").slice(0, 2).join(" ")}`,
        expected: "one code for one condition",
        observed: [...codes.keys()].slice(0, 6).join(", "),
      }));
    }
  },
};

/** The very same request: the specification does not say how finely codes distinguish conditions. */
function nameCondition(exchange: ExchangeFacts): string | null {
  const { intent, request } = exchange;
  if (intent.kind !== "violates" || !isComplete(exchange) || !isKnownRoute(exchange) || exchange.response.status < 400)
    return null;
  const credentials = headerValues(request.headers, "authorization").join();
  const [type] = headerValues(request.headers, "content-type").join().split(";");
  return `${request.method} ${request.path} ${type} ${credentials} ${request.body?.sha256} ${exchange.response.status}`;
}
