import type { EndpointId } from "../core/endpoint.ts";
import type { Exchange } from "../core/exchange.ts";
import { describeAnswer, isSuccess, isUnplannedTrouble, isValidRequest, requestObject, troubleOf } from "./exchange-view.ts";
import type { Occurrence, RunJudge } from "./judge.ts";
import type { JsonObject } from "./json-value.ts";

export interface AcceptanceRow {
  readonly requirement: string;
  /** What has to be accepted, for the reader: `temperature 0`. */
  readonly what: string;
  /** Whether this request shows it; `body` is the JSON request, empty for requests without one. */
  readonly when: (body: JsonObject, exchange: Exchange) => boolean;
}

export interface AcceptanceOptions {
  readonly id: string;
  readonly endpoint: EndpointId;
  /** Requirement that the operation exists at all, failed when nothing was ever accepted. */
  readonly capability: string;
  readonly rows: readonly AcceptanceRow[];
}

/**
 * Valid requests have to be accepted. Where the operation accepts nothing at all only its capability row fails; the others
 * are inconclusive, so that one missing endpoint is one finding. Trouble (429, 5xx, transport) never accuses.
 */
export function createAcceptanceJudge(options: AcceptanceOptions): RunJudge {
  const { id, endpoint, capability, rows } = options;
  return {
    scope: "run",
    id,
    covers: [capability, ...rows.map((row) => row.requirement)],
    *judge(exchanges): Iterable<Occurrence> {
      const subjects = exchanges.filter((exchange) => isValidRequest(exchange, endpoint) && exchange.stage === "conformance");
      const accepted = subjects.find(isSuccess);
      yield* judgeCapability(capability, subjects, accepted);
      for (const exchange of subjects) {
        const body = requestObject(exchange) ?? {};
        for (const row of rows) {
          if (row.when(body, exchange)) yield judgeAccepted(row, exchange, accepted !== undefined);
        }
      }
    },
  };
}

function* judgeCapability(
  requirement: string,
  subjects: readonly Exchange[],
  accepted: Exchange | undefined,
): Iterable<Occurrence> {
  if (accepted !== undefined) {
    yield { requirement, outcome: "pass", exchanges: [accepted.seq] };
    return;
  }
  for (const exchange of subjects) {
    yield isUnplannedTrouble(exchange)
      ? { requirement, outcome: "inconclusive", exchanges: [exchange.seq], message: troubleOf(exchange) }
      : {
          requirement,
          outcome: "fail",
          exchanges: [exchange.seq],
          message: "no valid request to this operation was ever accepted",
          expected: "a 2xx answer",
          observed: describeAnswer(exchange),
        };
  }
}

function judgeAccepted(row: AcceptanceRow, exchange: Exchange, endpointWorks: boolean): Occurrence {
  const subject = { requirement: row.requirement, exchanges: [exchange.seq] };
  if (isSuccess(exchange)) return { ...subject, outcome: "pass" };
  if (isUnplannedTrouble(exchange)) return { ...subject, outcome: "inconclusive", message: troubleOf(exchange) };
  if (!endpointWorks) {
    return {
      ...subject,
      outcome: "inconclusive",
      message: "the operation accepted no request at all, so this one proves nothing",
    };
  }
  return {
    ...subject,
    outcome: "fail",
    message: `a valid request is refused: ${row.what}`,
    expected: `a 2xx answer to ${row.what}`,
    observed: describeAnswer(exchange),
  };
}
