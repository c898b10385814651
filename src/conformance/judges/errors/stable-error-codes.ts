import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { headerValues } from "../../../core/exchange/headers/header-list.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { isComplete, isKnownRoute } from "../../judging/subjects.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";
import { withoutNumbers } from "../../judging/wrong-words.ts";

/** The same mistake gives the same code each time. */
export const stableErrorCodes: RunJudge = {
  scope: "run",
  id: "stable-error-codes",
  covers: ["ERR-003"],
  conclusive: true,
  *judge(exchanges): Iterable<Occurrence> {
    const groups = new Map<string, Map<string, ExchangeFacts>>();
    for (const exchange of exchanges) {
      const name = nameCondition(exchange);
      if (name === null) continue;
      const code = exchange.errorCode;
      if (code === null) continue;
      const codes = groups.get(name) ?? new Map<string, ExchangeFacts>();
      if (!codes.has(code)) codes.set(code, exchange);
      groups.set(name, codes);
    }
    for (const codes of groups.values()) {
      const shown = [...codes.values()].slice(0, 5);
      const subject = { requirement: "ERR-003", exchanges: shown.map(({ seq }) => seq) };
      const { method, path } = shown[0]!.request;
      yield passOrFail(subject, codes.size === 1, () => ({
        kind: `the same wrong request is answered with several codes: ${method} ${withoutNumbers(path)}`,
        message: `the same wrong request is answered with several codes: ${method} ${path}`,
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
