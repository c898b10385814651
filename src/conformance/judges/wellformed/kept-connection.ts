import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { between } from "../../../core/exchange/instant.ts";
import { momentsOf } from "../../../core/exchange/moments.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";

/** Sends one request after the other over a connection, each a while after the answer before it. */
export const keptConnectionCase = "core/kept-connection";

/**
 * A service may close a connection between two answers. The end of it has come long before the next request is sent, so that a
 * request which is sent is answered: no race of an end and a request explains a loss at one place of a row, and again when it is repeated.
 * A request that was held back for longer, to keep to a limit, shows nothing: it may meet the end of a connection that was idle.
 */
export const keptConnection: RunJudge = {
  scope: "run",
  id: "kept-connection",
  covers: ["SVC-025"],
  *judge(exchanges): Iterable<Occurrence> {
    const lastOf = new Map<number, ExchangeFacts>();
    for (const exchange of exchanges) {
      if (exchange.caseId !== keptConnectionCase || exchange.connection === null) continue;
      const before = lastOf.get(exchange.connection.id);
      lastOf.set(exchange.connection.id, exchange);
      if (!exchange.connection.reused || (before !== undefined && isIdleBetween(before, exchange))) continue;
      const { failure } = exchange;
      const isLost = failure?.kind === "reused-connection-closed" || failure?.kind === "connection-closed";
      if (failure !== null && !isLost) continue;
      yield passOrFail({ requirement: "SVC-025", exchanges: [exchange.seq] }, !isLost, () => ({
        kind: "a connection that is kept open is closed when a further request comes over it",
        expected: "an answer, or the end of the connection before the request",
        observed: `request ${exchange.label} on the connection: ${describeAnswer(exchange)}`,
      }));
    }
  },
};

/** No timeout of idle connections is as short as this. */
const longestPauseMs = 500;

function isIdleBetween(before: ExchangeFacts, exchange: ExchangeFacts): boolean {
  return between(momentsOf(before).ended, momentsOf(exchange).sent).mostMs > longestPauseMs;
}
