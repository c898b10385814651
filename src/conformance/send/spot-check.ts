import { endpoints, type EndpointId } from "../../core/exchange/endpoint.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Sender, SendRequest } from "../../core/exchange/send-request.ts";
import type { Judge, JudgeContext } from "../judging/judge.ts";
import { judgeExchanges } from "../verdict/judge-exchanges.ts";
import { rebuildRequest } from "./rebuild-request.ts";

export interface SpotCheckOptions {
  /** Of the bundle of a stranger. */
  readonly exchanges: readonly Exchange[];
  /** How many are sent again at most. */
  readonly count: number;
  /** Integer from 0 to `most`, by chance that nobody could foresee. */
  readonly draw: (most: number) => number;
  readonly sender: Sender;
  readonly judges: readonly Judge[];
  readonly context: JudgeContext;
  readonly signal: AbortSignal;
}

export interface SpotCheck {
  readonly same: number;
  /** Answers that are judged otherwise than the recorded ones, one line each. */
  readonly differ: readonly string[];
  /** Nothing can be said: the target was busy or did not answer. */
  readonly open: number;
  /** Exchanges that could have been drawn. */
  readonly eligible: number;
}

/** Requests that cost little, change nothing and are answered alike at any time. */
const replayed: ReadonlySet<EndpointId> = new Set<EndpointId>(["chat", "embeddings", "models"]);

/**
 * Sends some of the recorded requests again, drawn by the verifier, and compares how the answers are judged: status, and which
 * requirements they violate. Of the requests of a stranger only plain ones to known routes are sent, with no field but the media type.
 */
export async function spotCheck(options: SpotCheckOptions): Promise<SpotCheck> {
  const { count, draw, sender, judges, context, signal } = options;
  const left = options.exchanges.flatMap((exchange) => {
    const request = plainRequest(exchange, signal);
    return request === null ? [] : [{ exchange, request }];
  });
  const eligible = left.length;
  const result = { same: 0, differ: [] as string[], open: 0, eligible };
  for (let sent = 0; sent < count && left.length > 0; sent += 1) {
    const [one] = left.splice(draw(left.length - 1), 1);
    if (one === undefined) break;
    const again = await sender.send(one.request);
    const { response } = again;
    if (response === null || response.status === 429 || response.status >= 500) {
      result.open += 1;
      continue;
    }
    const [before, after] = [one.exchange, again].map((exchange) => describe(exchange, judges, context));
    if (before === after) result.same += 1;
    else result.differ.push(`#${one.exchange.seq} ${one.exchange.label}: recorded ${before}, now ${after}`);
  }
  return result;
}

function plainRequest(exchange: Exchange, signal: AbortSignal): SendRequest | null {
  const { stage, endpoint, response, retryOf, keyName } = exchange;
  if (stage !== "conformance" || endpoint === null || !replayed.has(endpoint) || retryOf !== null) return null;
  if (response === null || response.status === 429 || response.status >= 500) return null;
  const route = endpoints[endpoint];
  const request = rebuildRequest(exchange, signal);
  const isPlain = request !== null && request.method === route.method && request.path === route.path;
  if (!isPlain || keyName !== "primary" || request.credential.kind !== "bearer") return null;
  const { headers: _headers, ...rest } = request;
  return rest;
}

function describe(exchange: Exchange, judges: readonly Judge[], context: JudgeContext): string {
  const violated = judgeExchanges([exchange], judges, context)
    .filter(({ outcome }) => outcome === "fail")
    .map(({ requirement }) => requirement);
  const list = [...new Set(violated)].toSorted();
  return `${exchange.response?.status ?? "no answer"}${list.length === 0 ? "" : ` violating ${list.join(", ")}`}`;
}
