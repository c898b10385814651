import { describeAnswer } from "../../judging/describe-answer.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";

/** Sends one request after the other over a connection, each a while after the answer before it. */
export const keptConnectionCase = "core/kept-connection";

/**
 * A service may close a connection between two answers. The end of it has come long before the next request is sent, so that a
 * request which is sent is answered: no race of an end and a request explains a loss at one place of a row, and again when it is repeated.
 */
export const keptConnection: RunJudge = {
  scope: "run",
  id: "kept-connection",
  covers: ["SVC-025"],
  *judge(exchanges): Iterable<Occurrence> {
    for (const exchange of exchanges) {
      if (exchange.caseId !== keptConnectionCase || exchange.connection?.reused !== true) continue;
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
