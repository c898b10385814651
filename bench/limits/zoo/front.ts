import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { answerOutside, groupOf, servePeer, type RunningPeer } from "../../../test/limits/peers/peer-service.ts";
import type { Upstream, ZooDecision } from "./upstreams.ts";

/**
 * The use that an integration makes of limiters: which one it asks, for which group, and the numbers that it states. Everything
 * left out is done right.
 */
export interface Integration {
  /** The number that is stated as the limit; null: nothing is stated but Retry-After, as proxies do. */
  readonly stated?: number | null;
  /** Which of the limiters decides. */
  readonly pick?: (turn: number, count: number) => number;
  readonly group?: (request: IncomingMessage) => string;
  /** Paths that are answered without any limiter. */
  readonly unlimited?: (path: string, turn: number) => boolean;
  /** How often the limiter is asked for one request. */
  readonly times?: number;
  readonly distort?: (decision: ZooDecision, turn: number) => ZooDecision;
  /** Of the answer: the text of Retry-After, null to leave it out. */
  readonly retryText?: (retryMs: number) => string | null;
  /** Clock of the instance that answers, ahead of this machine's. */
  readonly aheadMs?: (turn: number) => number;
}

/** The dialect of the specification in front of limiters that others wrote. */
export async function serveFront(upstreams: readonly Upstream[], integration: Integration = {}): Promise<RunningPeer> {
  let turn = 0;
  const front = await servePeer((request, response) => {
    const own = turn;
    turn += 1;
    const path = (request.url ?? "").split("?")[0]!;
    if (request.headers.authorization !== undefined && integration.unlimited?.(path, own)) {
      return answer(response, { status: 200, remaining: null, resetMs: null, retryMs: null }, integration, own);
    }
    if (answerOutside(request, response)) return;
    void decide(upstreams, request, integration, own).then(
      (decision) => answer(response, decision, integration, own),
      (error: unknown) => {
        response.writeHead(500);
        response.end(String(error));
      },
    );
  });
  return {
    url: front.url,
    close: async () => {
      await front.close();
      for (const upstream of upstreams) upstream.close();
      await delay(50);
    },
  };
}

async function decide(
  upstreams: readonly Upstream[],
  request: IncomingMessage,
  integration: Integration,
  turn: number,
): Promise<ZooDecision> {
  const upstream = upstreams[integration.pick?.(turn, upstreams.length) ?? 0]!;
  const group = integration.group?.(request) ?? groupOf(request);
  let decision = await upstream.decide(group);
  for (let count = 1; count < (integration.times ?? 1) && decision.status === 200; count += 1)
    decision = await upstream.decide(group);
  return integration.distort?.(decision, turn) ?? decision;
}

function answer(response: ServerResponse, decision: ZooDecision, integration: Integration, turn: number): void {
  const { remaining, resetMs, retryMs } = decision;
  const status = decision.status === 204 ? 200 : decision.status;
  const aheadMs = integration.aheadMs?.(turn) ?? 0;
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (aheadMs !== 0) headers["date"] = new Date(Date.now() + aheadMs).toUTCString();
  const stated = integration.stated === undefined ? 30 : integration.stated;
  if (stated !== null && remaining !== null && resetMs !== null) {
    const reset = String(Math.ceil((resetMs + aheadMs) / 1000));
    Object.assign(headers, {
      "x-ratelimit-limit-requests": String(stated),
      "x-ratelimit-remaining-requests": String(remaining),
      "x-ratelimit-reset-requests": reset,
      "x-ratelimit-limit-tokens": "100000",
      "x-ratelimit-remaining-tokens": "100000",
      "x-ratelimit-reset-tokens": reset,
    });
  }
  if (status !== 200 && retryMs !== null) {
    const text = (integration.retryText ?? ((ms: number) => String(Math.max(0, Math.ceil(ms / 1000)))))(retryMs);
    if (text !== null) headers["retry-after"] = text;
  }
  response.writeHead(status, headers);
  const retry = headers["retry-after"];
  response.end(
    JSON.stringify(
      status === 200
        ? { object: "list", data: [] }
        : { error: { code: "rate_limit_exceeded" }, ...(retry === undefined ? {} : { "retry-after": Number(retry) }) },
    ),
  );
}
