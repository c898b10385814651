import express from "express";
import { rateLimit, type Options, type RateLimitInfo, type RateLimitRequestHandler, type Store } from "express-rate-limit";
import type { IncomingMessage } from "node:http";
import { answerDecision, answerOutside, groupOf, servePeer, type PeerDecision, type RunningPeer } from "./peer-service.ts";

/** express with express-rate-limit; several middlewares stand for instances behind a round robin. */
export function serveExpress(
  options: Partial<Options> & { readonly limit: number; readonly windowMs: number },
  distort: (decision: PeerDecision) => PeerDecision = (decision) => decision,
  instances = 1,
  storeOf: (() => Store) | null = null,
): Promise<RunningPeer> {
  const app = express();
  const middlewares = Array.from({ length: instances }, (): RateLimitRequestHandler =>
    rateLimit({
      legacyHeaders: false,
      standardHeaders: false,
      ...options,
      ...(storeOf ? { store: storeOf() } : {}),
      keyGenerator: (request) => groupOf(request),
      handler: (request, response) => answerDecision(response, distort(decisionOf(request, false))),
    }),
  );
  let turn = 0;
  app.use((request, response, next) => {
    if (!answerOutside(request, response)) next();
  });
  app.use((request, response, next) => {
    turn += 1;
    return middlewares[turn % instances]!(request, response, next);
  });
  app.use((request, response) => answerDecision(response, distort(decisionOf(request, true))));
  return servePeer(app);
}

function decisionOf(request: IncomingMessage, admitted: boolean): PeerDecision {
  const { limit, remaining, resetTime } = (request as IncomingMessage & { readonly rateLimit: RateLimitInfo }).rateLimit;
  const resetMs = resetTime?.getTime() ?? 0;
  return { admitted, limit, remaining, resetMs, retryMs: resetMs - Date.now() };
}
