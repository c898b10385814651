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
 * A request that was sent later than that, because a limit or a slow machine held it back, may meet the end of a connection that was idle:
 * an answer to it counts, a loss decides nothing. A service that closes after each answer keeps no connection open and loses nothing.
 */
export const keptConnection: RunJudge = {
  scope: "run",
  id: "kept-connection",
  covers: ["SVC-025"],
  *judge(exchanges): Iterable<Occurrence> {
    const lastOf = new Map<number, ExchangeFacts>();
    for (const exchange of exchanges) {
      if (exchange.caseId !== keptConnectionCase || exchange.connection === null) continue;
      const isFirst = lastOf.size === 0;
      const before = lastOf.get(exchange.connection.id);
      lastOf.set(exchange.connection.id, exchange);
      if (isFirst && !exchange.connection.reused) continue;
      const { failure } = exchange;
      const isLost = failure?.kind === "reused-connection-closed" || failure?.kind === "connection-closed";
      if (failure !== null && !(isLost && exchange.connection.reused)) continue;
      const subject = { requirement: "SVC-025", exchanges: [exchange.seq] };
      if (isLost && before !== undefined && isIdleBetween(before, exchange)) {
        yield {
          ...subject,
          outcome: "inconclusive",
          message: `the connection was idle for more than ${longestPauseMs} ms before its end`,
        };
        continue;
      }
      yield passOrFail(subject, !isLost, () => ({
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
