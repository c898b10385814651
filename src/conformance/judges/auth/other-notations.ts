import { type EndpointId, endpoints } from "../../../core/exchange/endpoint.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import { isJsonObject } from "../../judging/json-value.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { type LabelSeries, labelSeries } from "../../judging/label-series.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";
import { showAnswer } from "../../judging/show-answer.ts";
import { violates } from "../../judging/subjects.ts";

/** Labels of requests without credentials to an operation whose path is written otherwise. */
export const notationLabels: LabelSeries<[endpoint: EndpointId, notation: string]> = labelSeries("notation");

/** Members that an answer of each operation has. */
const stated: Readonly<Partial<Record<EndpointId, readonly string[]>>> = {
  chat: ["choices", "usage"],
  embeddings: ["data", "usage"],
  models: ["data", "object"],
  usage: ["data", "aggregate"],
};

/**
 * A guard that compares paths as they are written, in front of routes that read them, lets those in who write them otherwise. A server need
 * not know another notation of a path, nor answer it with 404: it is accused where the answer has the members of those that the operation
 * gives, by the specification or to a valid key. An operation that is open under its own path is the business of the rows on that.
 */
export const otherNotations: RunJudge = {
  scope: "run",
  id: "other-notations",
  aspect: "status",
  covers: ["AUTH-039"],
  *judge(exchanges): Iterable<Occurrence> {
    for (const exchange of exchanges) {
      const endpoint = notationLabels.has(exchange) && exchange.keyName === null ? endpointOf(exchange) : undefined;
      if (endpoint === undefined) continue;
      const ofOperation = exchanges.filter((one) => one.endpoint === endpoint && one.isSuccess);
      if (ofOperation.some((one) => violates(one, "no-credentials"))) continue;
      const subject = { requirement: "AUTH-039", exchanges: [exchange.seq] };
      if (exchange.status === null) {
        yield { ...subject, outcome: "inconclusive", message: describeAnswer(exchange) };
        continue;
      }
      const members = exchange.isSuccess ? membersOf(exchange) : null;
      const isOwn = (names: readonly string[] | null): boolean =>
        members !== null && names !== null && names.length > 0 && names.every((name) => members.includes(name));
      const isServed = isOwn(stated[endpoint] ?? null) || ofOperation.map(membersOf).some(isOwn);
      const { method, path } = exchange.request;
      yield passOrFail(subject, !isServed, () => ({
        kind: "an operation is served without credentials under another notation of its path",
        message: `an operation is served without credentials under another notation of its path: ${method} ${path} for ${endpoints[endpoint].path}`,
        expected: "401, or 404 where the notation is not known",
        observed: showAnswer(exchange),
      }));
    }
  },
};

function endpointOf({ label }: ExchangeFacts): EndpointId | undefined {
  return (Object.keys(endpoints) as EndpointId[]).find((id) => label.startsWith(notationLabels.label(id, "")));
}

/** The names in a JSON object; null: there is none. */
function membersOf({ responseJson }: ExchangeFacts): readonly string[] | null {
  return isJsonObject(responseJson) ? Object.keys(responseJson) : null;
}
