import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The limits that every peer grants: `limit` requests per window, key and endpoint. */
export interface PeerLimits {
  readonly limit: number;
  readonly windowMs: number;
}

/** One decision of a limiter that we did not write, in the words of the specification. */
export interface PeerDecision {
  readonly admitted: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Unix milliseconds at which the peer says that the allowance is renewed. */
  readonly resetMs: number;
  /** Only looked at on refusals. */
  readonly retryMs: number;
}

export interface RunningPeer {
  readonly url: string;
  close(): Promise<void>;
}

export type Decide = (group: string) => PeerDecision | Promise<PeerDecision>;

/** Paths that a peer knows; everything else is 404 and counted nowhere. */
export const peerPaths: readonly string[] = ["/v1/models", "/v1/usage"];

/** The unit of the limit: key and endpoint. */
export function groupOf(request: Pick<IncomingMessage, "headers" | "url">): string {
  // The key alone: whoever counts the field as sent opens a new window for each spelling of the scheme.
  return `${request.headers.authorization?.split(" ").at(-1)}|${pathOf(request)}`;
}

function pathOf(request: Pick<IncomingMessage, "url">): string {
  return (request.url ?? "").split("?")[0]!;
}

/** The header dialect of the specification for a decision; reset in whole seconds, rounded up. */
export function headersOf(decision: PeerDecision): Readonly<Record<string, string>> {
  const resetSeconds = String(Math.ceil(decision.resetMs / 1000));
  return {
    "x-ratelimit-limit-requests": String(decision.limit),
    "x-ratelimit-remaining-requests": String(decision.remaining),
    "x-ratelimit-reset-requests": resetSeconds,
    "x-ratelimit-limit-tokens": "100000",
    "x-ratelimit-remaining-tokens": "100000",
    "x-ratelimit-reset-tokens": resetSeconds,
    ...(decision.admitted ? {} : { "retry-after": String(retrySeconds(decision)) }),
  };
}

export function bodyOf(decision: PeerDecision): unknown {
  if (decision.admitted) return { object: "list", data: [] };
  return { error: { code: "rate_limit_exceeded" }, "retry-after": retrySeconds(decision) };
}

function retrySeconds(decision: PeerDecision): number {
  return Math.max(0, Math.ceil(decision.retryMs / 1000));
}

export function answerDecision(response: ServerResponse, decision: PeerDecision): void {
  answerJson(response, decision.admitted ? 200 : 429, bodyOf(decision), headersOf(decision));
}

export function answerJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { ...headers, "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** Answers before any limiter is asked: 401 without a key, 404 on unknown paths; false when it is neither. */
export function answerOutside(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.headers.authorization === undefined) {
    answerJson(response, 401, { error: { code: "unauthorized" } });
    return true;
  }
  if (peerPaths.includes(pathOf(request))) return false;
  answerJson(response, 404, { error: { code: "not_found" } });
  return true;
}

/** A plain HTTP server around a limiter that is a library function and no middleware. */
export function serveDecisions(decide: Decide): Promise<RunningPeer> {
  return servePeer((request, response) => {
    if (answerOutside(request, response)) return;
    void Promise.resolve(decide(groupOf(request))).then(
      (decision) => answerDecision(response, decision),
      (error: unknown) => answerJson(response, 500, { error: { code: "internal", message: String(error) } }),
    );
  });
}

export async function servePeer(listener: RequestListener): Promise<RunningPeer> {
  const server = createServer({ keepAliveTimeout: 60_000 }, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
